// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// svm-spsim: a run's program, buffers and constants, from options and files.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "driver/softproc_run.h"
#include "llc/softproc/softproc.h"

enum { ALIGNMENT = 2048 };
#define MOST_MEMORY ((uint64_t)1 << 31)

static void usage_error(tool_session *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void usage_error(tool_session *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    diag_error_at(&t->diags, options_tool_name(t->options.tool), "%s", arena_vprintf(t->arena, format, args));
    va_end(args);
}

// ---- Scanning options' values ----

static bool take_count(const char **s, uint32_t most, uint32_t *value)
{
    char *end;
    if (**s < '0' || **s > '9')
        return false;
    errno = 0;
    unsigned long v = strtoul(*s, &end, 10);
    if (errno != 0 || v > most)
        return false;
    *s = end;
    *value = (uint32_t)v;
    return true;
}

static bool take(const char **s, char c)
{
    if (**s != c)
        return false;
    ++*s;
    return true;
}

static bool take_size(const char **s, uint32_t *width, uint32_t *height)
{
    return take_count(s, 1 << 20, width) && take(s, 'x') && take_count(s, 1 << 20, height) && *width > 0 && *height > 0;
}

static bool read_domain(tool_session *t, sp_core *c)
{
    const char *text = option_last(&t->options, OPT_SP_DOMAIN), *s = text;
    uint32_t v[4];
    if (text == NULL) {
        usage_error(t, "no domain; --domain=WIDTHxHEIGHT says which threads there are");
        return false;
    }
    bool ok = take_size(&s, &v[2], &v[3]) && *s == '\0';
    if (ok) {
        v[0] = v[1] = 0;
        v[2]--;
        v[3]--;
    } else {
        s = text;
        ok = true;
        for (unsigned i = 0; i < 4 && ok; i++)
            ok = (i == 0 || take(&s, ',')) && take_count(&s, 1 << 20, &v[i]);
        ok = ok && *s == '\0' && v[2] >= v[0] && v[3] >= v[1];
    }
    if (!ok) {
        usage_error(t, "'--domain=%s': expected WIDTHxHEIGHT, or X0,Y0,X1,Y1 with X1 >= X0 and Y1 >= Y0", text);
        return false;
    }
    c->x0 = (int32_t)v[0];
    c->y0 = (int32_t)v[1];
    c->x1 = (int32_t)v[2];
    c->y1 = (int32_t)v[3];
    return true;
}

static bool take_format(const char **s, svm_SpFormat *format)
{
    static const char *const names[SVM_SP_FORMAT_COUNT] = {"u16", "u8x4", "f32", "f32x2", "f32x4"};
    size_t n = strcspn(*s, ":");
    for (unsigned i = 0; i < SVM_SP_FORMAT_COUNT; i++)
        if (strlen(names[i]) == n && strncmp(*s, names[i], n) == 0) {
            *format = (svm_SpFormat)i;
            *s += n;
            return true;
        }
    return false;
}

// "N:FILE:FORMAT:WIDTHxHEIGHT[:2x2]"; an output's size may be missing.
static bool read_file_option(softproc_run *r, const char *text, bool input, softproc_file *f)
{
    const char *s = text;
    *f = (softproc_file){.tiling = SVM_SP_LINEAR};
    bool ok = take_count(&s, input ? SP_MAX_INPUTS - 1 : SP_MAX_OUTPUTS - 1, &f->number) && take(&s, ':');
    if (ok) {
        size_t n = strcspn(s, ":");
        f->path = arena_strndup(r->tool->arena, s, n);
        s += n;
        ok = n > 0 && take(&s, ':') && take_format(&s, &f->format);
    }
    if (ok && (input || *s == ':'))
        ok = take(&s, ':') && take_size(&s, &f->width, &f->height);
    if (ok && input && strcmp(s, ":2x2") == 0) {
        f->tiling = SVM_SP_LINEAR_2X2;
        s += strlen(s);
    }
    if (!ok || *s != '\0') {
        usage_error(r->tool, "'--%s=%s': expected %s with N below %d and FORMAT one of u16, u8x4, f32, f32x2 and f32x4",
                    input ? "input" : "output", text,
                    input ? "N:FILE:FORMAT:WIDTHxHEIGHT" : "N:FILE:FORMAT[:WIDTHxHEIGHT]",
                    input ? SP_MAX_INPUTS : SP_MAX_OUTPUTS);
        return false;
    }
    return true;
}

// ---- Constants ----

static unsigned take_numbers(const char *s, double *v, unsigned most)
{
    unsigned n = 0;
    for (;; s++) {
        char *end;
        if (n == most)
            return 0;
        v[n++] = strtod(s, &end);
        if (end == s || (*end != ',' && *end != '\0'))
            return 0;
        if (*end == '\0')
            return n;
        s = end;
    }
}

static bool read_constant(softproc_run *r, const option *o)
{
    const char *s = o->value;
    uint32_t number;
    double v[4];
    unsigned n = 0;
    if (take_count(&s, SP_MAX_CONSTANTS - 1, &number) && take(&s, ':'))
        n = take_numbers(s, v, 4);
    if (n != 1 && n != 4) {
        usage_error(r->tool, "'--const=%s': expected N:A or N:A,B,C,D with N below %d", o->value, SP_MAX_CONSTANTS);
        return false;
    }
    float f[4];
    for (unsigned i = 0; i < 4; i++)
        f[i] = (float)v[n == 1 ? 0 : i];
    sp_set_constant(&r->core, number, f);
    sp_set_bit(r->program->given_floats, number);
    return true;
}

static bool read_int(softproc_run *r, const option *o)
{
    const char *s = o->value;
    uint32_t number;
    double v[3] = {0, 0, 1};
    if (!take_count(&s, SP_MAX_INTS - 1, &number) || !take(&s, ':') || take_numbers(s, v, 3) == 0 ||
        !(v[0] >= 0 && v[0] <= 255) || !(v[1] >= 0 && v[1] <= 255) || !(v[2] >= -128 && v[2] <= 127)) {
        usage_error(
            r->tool,
            "'--int=%s': expected N:COUNT[,FIRST[,STEP]] with N below %d, COUNT and FIRST of 0 to 255 and STEP of "
            "-128 to 127",
            o->value, SP_MAX_INTS);
        return false;
    }
    r->core.ints[number] = (sp_int_constant){(uint8_t)v[0], (uint8_t)v[1], (int8_t)v[2]};
    r->program->given_ints |= 1u << number;
    return true;
}

static bool read_bool(softproc_run *r, const option *o)
{
    const char *s = o->value;
    uint32_t number;
    if (!take_count(&s, SP_MAX_BOOLS - 1, &number) || !take(&s, ':') ||
        (strcmp(s, "true") != 0 && strcmp(s, "false") != 0)) {
        usage_error(r->tool, "'--bool=%s': expected N:true or N:false with N below %d", o->value, SP_MAX_BOOLS);
        return false;
    }
    r->core.bools = (r->core.bools & ~(1u << number)) | (uint32_t)(strcmp(s, "true") == 0) << number;
    r->program->given_bools |= 1u << number;
    return true;
}

static bool read_constants(softproc_run *r)
{
    bool ok = true;
    for (VEC_EACH(const option, o, &r->tool->options.items)) {
        if (o->id == OPT_SP_CONST)
            ok = read_constant(r, o) && ok;
        else if (o->id == OPT_SP_INT)
            ok = read_int(r, o) && ok;
        else if (o->id == OPT_SP_BOOL)
            ok = read_bool(r, o) && ok;
    }
    return ok;
}

// Constants that the program reads and nobody gives.
static bool check_constants(softproc_run *r, const char *path)
{
    const sp_program *p = r->program;
    for (unsigned i = 0; i < SP_MAX_CONSTANTS; i++)
        if (sp_bit(p->floats, i) && !sp_bit(p->given_floats, i)) {
            diag_error_at(&r->tool->diags, path, "constant c%u has no value; --const=%u:A,B,C,D gives it one", i, i);
            return false;
        }
    for (unsigned i = 0; i < SP_MAX_INTS; i++) {
        if ((p->ints >> i & 1) && !(p->given_ints >> i & 1)) {
            diag_error_at(&r->tool->diags, path, "int constant i%u has no value; --int=%u:COUNT gives it one", i, i);
            return false;
        }
        if ((p->bools >> i & 1) && !(p->given_bools >> i & 1)) {
            diag_error_at(&r->tool->diags, path, "truth constant b%u has no value; --bool=%u:true gives it one", i, i);
            return false;
        }
    }
    return true;
}

// ---- Buffers ----

static bool collect_files(softproc_run *r)
{
    for (VEC_EACH(const option, o, &r->tool->options.items)) {
        softproc_file f;
        if (o->id != OPT_SP_INPUT && o->id != OPT_SP_OUTPUT)
            continue;
        bool input = o->id == OPT_SP_INPUT;
        if (!read_file_option(r, o->value, input, &f))
            return false;
        sp_buffer *b = input ? &r->core.input[f.number] : &r->core.output[f.number];
        if (b->set) {
            usage_error(r->tool, "%s %u is given twice", input ? "input" : "output", f.number);
            return false;
        }
        if (!input && f.width == 0) {
            f.width = (uint32_t)r->core.x1 + 1;
            f.height = (uint32_t)r->core.y1 + 1;
        }
        f.buffer = b;
        *b = (sp_buffer){true,     0,       (f.width + 3) / 4 * 4, f.width, f.height, sp_format_bytes(f.format),
                         f.format, f.tiling};
        if (input)
            VEC_PUSH(r->tool->arena, &r->inputs, f);
        else
            VEC_PUSH(r->tool->arena, &r->outputs, f);
    }
    return true;
}

static bool place(softproc_run *r, sp_buffer *b, uint64_t *size)
{
    uint64_t bytes = (uint64_t)b->pitch * b->height * b->element;
    *size = (*size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (bytes > MOST_MEMORY - *size) {
        usage_error(r->tool, "inputs and outputs need more than 2 GiB");
        return false;
    }
    b->base = (uint32_t)*size;
    *size += bytes;
    return true;
}

static bool load_input(softproc_run *r, const softproc_file *f)
{
    const sp_buffer *b = f->buffer;
    char *text;
    size_t len, row = (size_t)f->width * b->element, wanted = row * f->height;
    if (!file_read(r->tool->arena, f->path, &text, &len)) {
        diag_error_at(&r->tool->diags, f->path, "cannot read input s%u: %s", f->number, strerror(errno));
        return false;
    }
    if (len != wanted) {
        diag_error_at(&r->tool->diags, f->path, "input s%u has %zu bytes; %u x %u elements of %u bytes are %zu",
                      f->number, len, f->width, f->height, b->element, wanted);
        return false;
    }
    for (uint32_t y = 0; y < f->height; y++)
        memcpy(r->core.memory + b->base + (size_t)y * b->pitch * b->element, text + y * row, row);
    return true;
}

static bool make_memory(softproc_run *r)
{
    uint64_t size = 0;
    for (VEC_EACH(softproc_file, f, &r->inputs))
        if (!place(r, f->buffer, &size))
            return false;
    for (VEC_EACH(softproc_file, f, &r->outputs))
        if (!place(r, f->buffer, &size))
            return false;
    r->core.memory = calloc(size > 0 ? size : 1, 1);
    r->core.memory_size = size;
    if (r->core.memory == NULL) {
        usage_error(r->tool, "no memory for inputs and outputs of %llu bytes", (unsigned long long)size);
        return false;
    }
    for (VEC_EACH(softproc_file, f, &r->inputs))
        if (!load_input(r, f))
            return false;
    return true;
}

bool softproc_write_outputs(softproc_run *r)
{
    for (VEC_EACH(softproc_file, f, &r->outputs)) {
        const sp_buffer *b = f->buffer;
        size_t row = (size_t)f->width * b->element;
        char *text = arena_alloc(r->tool->arena, row * f->height);
        for (uint32_t y = 0; y < f->height; y++)
            memcpy(text + y * row, r->core.memory + b->base + (size_t)y * b->pitch * b->element, row);
        if (!tool_write(r->tool, f->path, text, row * f->height))
            return false;
    }
    return true;
}

// ---- Runs ----

static sp_program *read_program(tool_session *t, const char *path)
{
    source_id id = tool_read(t, path);
    if (id == 0)
        return NULL;
    const source_file *f = source_get(&t->sources, id);
    bool container = f->len >= 4 && memcmp(f->text, "\177ELF", 4) == 0;
    return container ? sp_read_program(t->arena, &t->diags, f->name, f->text, f->len)
                     : sp_assemble(t->arena, &t->diags, id);
}

static unsigned find_choice(const char *value, const char *const *names, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (value != NULL && strcmp(value, names[i]) == 0)
            return i;
    return 0;
}

static void read_modes(softproc_run *r)
{
    static const char *const bounds[] = {"error", "zero", "clamp"};
    const option_list *o = &r->tool->options;
    const char *floats = option_last(o, OPT_SP_FLOAT);
    r->functional = option_last(o, OPT_SP_FUNCTIONAL) != NULL;
    r->core.options.flush = floats != NULL && strcmp(floats, "r5xx") == 0;
    r->core.options.zero_product = option_last(o, OPT_SP_ZERO_PRODUCT) != NULL;
    r->core.options.bounds = (sp_bounds)find_choice(option_last(o, OPT_SP_BOUNDS), bounds, 3);
    r->options.policy = (sp_policy)find_choice(option_last(o, OPT_SP_POLICY), sp_policy_names, SP_POLICY_COUNT);
    r->max_cycles = (uint64_t)option_number(o, OPT_SP_MAX_CYCLES, 10000000000);
}

bool softproc_prepare(softproc_run *r, const char *path)
{
    r->program = read_program(r->tool, path);
    if (r->program == NULL)
        return false;
    if (!sp_core_init(&r->core, r->program)) {
        usage_error(r->tool, "out of memory");
        return false;
    }
    read_modes(r);
    if (!read_constants(r) || !read_domain(r->tool, &r->core) || !collect_files(r) || !check_constants(r, path) ||
        !make_memory(r))
        return false;
    if (!sp_core_check(&r->core))
        diag_error_at(&r->tool->diags, path, "%s", r->core.fault);
    return !r->core.failed;
}

static void report_fault(softproc_run *r, const svm_SpParameters *p, const sp_standing *standings)
{
    diag_record *d = diag_error_at(&r->tool->diags, options_tool_name(r->tool->options.tool), "%s", r->core.fault);
    for (uint32_t i = 0; i < p->batches && standings != NULL; i++)
        if (standings[i].doing != NULL && standings[i].live)
            diag_add_note(&r->tool->diags, d, (src_range){0},
                          "context %lu, with the batch of thread (%d, %d), is at instruction %lu: %s", (unsigned long)i,
                          (int)standings[i].x, (int)standings[i].y, (unsigned long)standings[i].pc, standings[i].doing);
}

static bool fits(softproc_run *r, const svm_SpParameters *p)
{
    if (r->program->count <= p->instructions && r->program->temps <= p->registers)
        return true;
    usage_error(r->tool, "the program has %lu instructions and %lu registers; the machine has %lu and %lu",
                (unsigned long)r->program->count, (unsigned long)r->program->temps, (unsigned long)p->instructions,
                (unsigned long)p->registers);
    return false;
}

bool softproc_execute(softproc_run *r, const svm_SpParameters *p, sp_results *results, svm_SpCounters *counters)
{
    if (!fits(r, p))
        return false;
    for (VEC_EACH(softproc_file, f, &r->outputs))
        memset(r->core.memory + f->buffer->base, 0, (size_t)f->buffer->pitch * f->buffer->height * f->buffer->element);
    r->core.failed = false;
    r->core.options.linear = p->linearLookups != 0;
    r->options.max_cycles = r->max_cycles;
    sp_standing *standings = r->functional ? NULL : ARENA_ARRAY(r->tool->arena, sp_standing, p->batches);
    bool ok = r->functional ? sp_run_functional(&r->core, r->max_cycles, counters)
                            : sp_run_cycles(&r->core, p, &r->options, results, standings);
    if (!ok)
        report_fault(r, p, standings);
    return ok;
}

void softproc_release(softproc_run *r)
{
    free(r->core.memory);
    sp_core_free(&r->core);
}
