// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stream programs that a Brook host program calls: each becomes a C library beside the kernels, and its call a function
// in the host code that runs it (svm/brook_program.h). With --interpret-kernels its stream IR stands there instead.
#include <inttypes.h>
#include <string.h>

#include "hlc/pipeline.h"
#include "hlc/schedule/schedule.h"
#include "lang/streamit/streamit.h"

const ast_program *pipeline_brook_streams(hlc_program *p, brook_program *program)
{
    if (program->imports.len == 0)
        return NULL;
    brook_sources files = brook_find_imports(program);
    if (files.len == 0)
        return NULL;
    const ast_program *streams = pipeline_read(p, files.data, files.len, true);
    if (streams != NULL)
        brook_declare_streams(program, streams);
    return streams;
}

// ---- What a program moves ----

typedef struct rates {
    bool takes;
    int64_t first_input, steady_input, first_output, steady_output;
} rates;

// How often an actor fires when input has ended behind whole steady states.
static int64_t drained(const hlc_program *g, const schedule *s, uint32_t actor)
{
    arena *a = g->arena;
    size_t actors = g->module->actors.len, channels = g->module->channels.len;
    int64_t *tokens = ARENA_ARRAY(a, int64_t, channels + 1), *limits = ARENA_ARRAY(a, int64_t, actors + 1);
    int64_t *fired = ARENA_ARRAY(a, int64_t, actors + 1);
    bool *before = ARENA_ARRAY(a, bool, actors + 1);
    for (size_t i = 0; i < actors; i++) {
        limits[i] = s->source[i] ? 0 : -1;
        before[i] = s->init[i] != 0;
    }
    for (size_t i = 0; i < channels; i++)
        tokens[i] = s->channels[i].remainder;
    sched_exhaust(g->module, tokens, limits, before, fired);
    return fired[actor];
}

// Those of the source's graph, before any pass: they are the same at every level.
static bool find_rates(hlc_program *g, const brook_kernel *k, rates *r)
{
    *r = (rates){0};
    const schedule *s = schedule_compute(g->arena, g->diag, g->sources, g->module);
    if (s == NULL)
        return false;
    if (s->dynamic) {
        diag_error(g->diag, k->name_range,
                   "'%s' has dynamic rates, so that nothing tells how many elements it takes and gives; host code can "
                   "call programs of fixed rates",
                   k->name);
        return false;
    }
    uint32_t writer = SIR_NONE;
    for (uint32_t i = 0; i < g->module->actors.len; i++) {
        const sir_actor *a = g->module->actors.data[i];
        if (a->path != NULL || !sir_is_file(a))
            continue;
        if (a->kind == SIR_READER) {
            r->takes = true;
            r->first_input = s->init[i];
            r->steady_input = s->reps[i];
        } else {
            r->first_output = s->init[i];
            r->steady_output = s->reps[i];
            writer = i;
        }
    }
    if (r->takes && writer != SIR_NONE)
        r->first_output += drained(g, s, writer);
    return true;
}

// ---- The function that host code calls ----

static const char *text_of_module(const hlc_program *g, const char *name)
{
    strbuf text, b;
    strbuf_init(&text, g->arena);
    strbuf_init(&b, g->arena);
    sir_print(&text, g->module);
    strbuf_printf(&b, "static const char *const svm_text_%s[] = {\n", name);
    for (const char *line = text.data; *line != '\0';) {
        size_t length = strcspn(line, "\n");
        strbuf_add(&b, "    ");
        strbuf_add_c_string(&b, line, length);
        strbuf_add(&b, " \"\\n\",\n");
        line += length + (line[length] == '\n');
    }
    strbuf_printf(&b,
                  "};\nstatic svm_BrookModule svm_module_%s = {svm_text_%s, sizeof svm_text_%s / sizeof "
                  "*svm_text_%s, NULL};\n",
                  name, name, name, name);
    return b.data;
}

static void write_functions(strbuf *b, const char *name, bool takes)
{
    const char *items = takes ? "in, count, consumed, " : "";
    strbuf_printf(b,
                  "static void *svm_create_%s(void)\n{\n    return brook_program_%s_create();\n}\n"
                  "static int svm_process_%s(void *self, const void *in, size_t count, size_t *consumed, void *out, "
                  "size_t capacity, size_t *produced)\n{\n    (void)in;\n    (void)count;\n    *consumed = 0;\n"
                  "    return brook_program_%s_process(self, %sout, capacity, produced);\n}\n"
                  "static int svm_drain_%s(void *self, void *out, size_t capacity, size_t *produced)\n{\n"
                  "    return brook_program_%s_drain(self, out, capacity, produced);\n}\n"
                  "static int svm_destroy_%s(void *self)\n{\n    return brook_program_%s_destroy(self);\n}\n"
                  "static const char *svm_error_%s(const void *self)\n{\n    return brook_program_%s_error(self);\n}\n",
                  name, name, name, name, items, name, name, name, name, name, name);
}

static void write_prototype(strbuf *b, const brook_kernel *k, const char *end)
{
    const char *input = k->stream->input->kind != TYPE_VOID ? "svm_BrookStream input, " : "";
    strbuf_printf(b, "void brook_%s(const svm_BrookPlace *at, %ssvm_BrookStream output)%s", k->name, input, end);
}

// The scalars of its items.
static const char *item_of(arena *a, const brook_kernel *k, brook_var_kind kind)
{
    strbuf b;
    strbuf_init(&b, a);
    for (VEC_EACH(brook_var *const, v, &k->params))
        if ((*v)->kind == kind)
            brook_type_leaves(&b, (*v)->type);
    return b.len == 0 ? "" : b.data;
}

static void write_call(strbuf *b, const brook_kernel *k, const rates *r, bool interpreted)
{
    const char *name = k->name;
    strbuf_printf(b,
                  "static const svm_BrookProgram svm_row_%s = {\"%s\", %d, %" PRId64 ", %" PRId64 ", %" PRId64
                  ", %" PRId64 ",\n",
                  name, k->shown != NULL ? k->shown : name, r->takes, r->first_input, r->steady_input, r->first_output,
                  r->steady_output);
    if (interpreted)
        strbuf_add(b, "    NULL, NULL, NULL, NULL, NULL,");
    else
        strbuf_printf(b, "    svm_create_%s, svm_process_%s, svm_drain_%s, svm_destroy_%s, svm_error_%s,", name, name,
                      name, name, name);
    strbuf_printf(b, " \"%s\", \"%s\"};\n", item_of(b->arena, k, BROOK_INPUT), item_of(b->arena, k, BROOK_OUTPUT));
    const char *taken = r->takes ? "&input" : "NULL";
    write_prototype(b, k, "\n{\n");
    if (interpreted)
        strbuf_printf(b, "    svm_brookInterpretProgram(at, &svm_row_%s, &svm_module_%s, %s, &output);\n}\n", name,
                      name, taken);
    else
        strbuf_printf(b, "    svm_brookRunProgram(at, &svm_row_%s, %s, &output);\n}\n", name, taken);
}

// ---- Programs ----

static bool compile(hlc_program *p, const ast_program *streams, const brook_kernel *k, strbuf *glue, hlc_hosts *hosts)
{
    arena *a = p->arena;
    bool interpreted = p->config->interpret_kernels;
    bool emits = p->config->emit == HLC_EMIT_SVM_C || p->config->emit == HLC_EMIT_HOST_C;
    const char *header = "";
    hlc_config *config = ARENA_NEW(a, hlc_config);
    *config = *p->config;
    config->emit = HLC_EMIT_SVM_C;
    config->brook = config->interpret_kernels = false;
    config->library = true;
    config->prefix = arena_printf(a, "brook_program_%s", k->name);
    config->header = &header;
    config->hosts = NULL;
    config->report = NULL;
    config->text_path = arena_printf(a, "%s.svm.c", k->name);
    ast_program program = *streams;
    program.top = (ast_stream *)k->stream;
    hlc_program g = pipeline_start(a, p->diag, config);
    g.names = p->names;
    rates r;
    if (!pipeline_build(&g, &program, NULL) || !pipeline_check_rates(&g) || !find_rates(&g, k, &r))
        return false;
    if (!emits)
        return true;
    if (interpreted) {
        strbuf_add(glue, text_of_module(&g, k->name));
    } else {
        const char *text = pipeline_finish(&g);
        if (text == NULL)
            return false;
        VEC_PUSH(a, hosts, ((hlc_host){k->file, k->name, text}));
        strbuf_add(glue, header);
        write_functions(glue, k->name, r.takes);
    }
    write_call(glue, k, &r, interpreted);
    return true;
}

bool pipeline_brook_programs(hlc_program *p, const brook_program *program, const ast_program *streams, hlc_hosts *hosts)
{
    strbuf glue, declarations;
    size_t files = hosts->len;
    strbuf_init(&glue, p->arena);
    strbuf_init(&declarations, p->arena);
    strbuf_add(&declarations, "#include <svm/brook_program.h>\n");
    for (VEC_EACH(brook_kernel *const, k, &program->kernels)) {
        if ((*k)->stream == NULL || !(*k)->called)
            continue;
        write_prototype(&declarations, *k, ";\n");
        if (!compile(p, streams, *k, &glue, hosts))
            return false;
    }
    for (size_t i = 0; i < files && glue.len > 0; i++)
        hosts->data[i].text =
            arena_printf(p->arena, "%s%s%s", declarations.data, i == 0 ? glue.data : "", hosts->data[i].text);
    return true;
}
