// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches: a kernel's SVM_DOMAIN on a simulated soft processor, as its driver does it. Inputs and outputs are where the program
// has them. A buffer of the machine begins at a multiple of 2 KiB, so others are copied, and that takes its time on the link.
//
//   SVM_LAUNCHES        a file for a table of all launches when the program ends ("-": standard error)
//   SVM_LAUNCH_CHECK    set: the functional model runs each launch too, and leaves the same
#include "runtime/softproc/launch.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/softproc/cycle.h"
#include "svm/launch.h"
#include "svm/sim_table.h"

#undef SVM_DOMAIN

enum {
    ALIGNMENT = 2048,
    ELEMENT = 16,
    FLOATS = 4,
    MOST_WIDTH = 4096,
    MOST_PITCH = 8188,
    MOST_ROWS = 8191,
    MOST_INT = 1 << 24
};

// A thread function's program and what its launches took.
typedef struct loaded_thread {
    const svm_ThreadProgram *thread;
    sp_program program;
    uint64_t launches, copied; // copied: bytes
    uint64_t loops;            // launches that were loops, as they had ints beyond what the program takes
    double expected;           // cycles
    sp_stats stats;
    struct loaded_thread *next;
} loaded_thread;

static loaded_thread *all_loaded;

static _Noreturn void fail(const svm_ThreadProgram *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static _Noreturn void fail(const svm_ThreadProgram *t, const char *format, ...)
{
    char text[500];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    svm_simLaunchError(t->name, text);
}

// ---- The table ----

static void print_row(FILE *f, const loaded_thread *l)
{
    const sp_stats *s = &l->stats;
    double cycles = s->cycles > 0 ? (double)s->cycles : 1, threads = s->threads > 0 ? (double)s->threads : 1;
    char expected[40] = "-";
    if (l->expected > 0)
        snprintf(expected, sizeof expected, "%.0f", l->expected);
    fprintf(f, "%-24s %8" PRIu64 " %10" PRIu64 " %12" PRIu64 " %12s %8.2f %4.0f : %-4.0f %5.1f %% %10" PRIu64,
            l->thread->name, l->launches, s->threads, s->cycles, expected, cycles / threads,
            (double)s->alu_threads / threads, (double)s->tex_threads / threads, 100 * (double)s->alu_cycles / cycles,
            l->copied);
    if (l->loops > 0)
        fprintf(f, " %10" PRIu64, l->loops);
    fputc('\n', f);
}

static void print_table(void)
{
    const char *path = getenv("SVM_LAUNCHES");
    FILE *f = path == NULL ? NULL : strcmp(path, "-") == 0 ? stderr : fopen(path, "w");
    if (f == NULL) {
        if (path != NULL)
            fprintf(stderr, "svm: cannot write '%s', which SVM_LAUNCHES names: %s\n", path, strerror(errno));
        return;
    }
    bool loops = false;
    for (const loaded_thread *l = all_loaded; l != NULL; l = l->next)
        loops |= l->loops > 0;
    fprintf(f, "%-24s %8s %10s %12s %12s %8s %11s %7s %10s%s\n", "thread function", "launches", "threads", "cycles",
            "predicted", "a thread", "alu : tex", "used", "copied", loops ? "      loops" : "");
    for (const loaded_thread *l = all_loaded; l != NULL; l = l->next)
        print_row(f, l);
    if (f != stderr)
        fclose(f);
}

// ---- Loading ----

static void report(void *user, int instruction, const char *message)
{
    fail(user, "its program: instruction %d: %s", instruction, message);
}

static loaded_thread *load(svm_ThreadProgram *t)
{
    if (t->loaded != NULL)
        return t->loaded;
    loaded_thread *l = calloc(1, sizeof *l);
    if (l == NULL)
        fail(t, "out of memory");
    sp_faults faults = {report, t, 0};
    l->thread = t;
    if (!sp_container_read(&l->program, t->container, t->size, &faults) || !sp_verify(&l->program, &faults))
        fail(t, "its program is damaged");
    if (all_loaded == NULL && getenv("SVM_LAUNCHES") != NULL)
        atexit(print_table);
    loaded_thread **end = &all_loaded;
    while (*end != NULL)
        end = &(*end)->next;
    *end = l;
    return t->loaded = l;
}

// ---- One launch ----

typedef struct launch {
    const svm_ThreadProgram *thread;
    const svm_SpParameters *parameters;
    ptrdiff_t width, height;
    svm_Plane table[SP_MAX_INPUTS];
    const svm_Plane *plane[SP_MAX_INPUTS + SP_MAX_OUTPUTS]; // inputs, then outputs
    size_t at[SP_MAX_INPUTS + SP_MAX_OUTPUTS];              // where they are in the simulated memory
    unsigned inputs, outputs, tables;                       // tables: the last ones of the inputs
    bool again;                                             // it is not the first launch
    float scalar[SP_MAX_CONSTANTS * FLOATS];
    unsigned scalars;
    uint8_t *memory;
    size_t size, copied;
} launch;

static ptrdiff_t rows_of(const svm_Plane *p)
{
    return (p->elements + p->width - 1) / p->width;
}

// Whether rows continue each other, so that a lookup may go on into the next one.
static bool continues(const svm_Plane *p)
{
    return p->places == NULL && p->row == p->width * p->step && p->items == 0;
}

// Elements of a row in the machine. The driver fills up rows that it copies.
static ptrdiff_t pitch_of(const svm_Plane *p)
{
    return continues(p) ? p->width : (p->width + 3) / 4 * 4;
}

static void check_plane(const launch *l, const svm_Plane *p, const char *what, unsigned number)
{
    if (p->width <= 0 || pitch_of(p) % 4 != 0 || pitch_of(p) > MOST_PITCH)
        fail(l->thread, "%s %u has rows of %td elements; expected a multiple of 4, at most %d", what, number, p->width,
             MOST_PITCH);
    if (p->elements <= 0 || rows_of(p) > MOST_ROWS)
        fail(l->thread, "%s %u has %td elements in rows of %td; expected 1 to %d rows", what, number, p->elements,
             p->width, MOST_ROWS);
}

// As the machine has them. Others are copied.
static bool is_dense(const svm_Plane *p)
{
    return p->step == FLOATS && p->stride == 1 && p->second == 2 && continues(p) && !p->ints;
}

static void check_output(const launch *l, const svm_Plane *p, unsigned number)
{
    if (l->width > p->width || (l->height - 1) * p->width + l->width > p->elements)
        fail(l->thread, "output %u has %td elements in rows of %td, and the domain is %td x %td", number, p->elements,
             p->width, l->width, l->height);
    for (unsigned i = 0; i < l->inputs; i++) {
        const svm_Plane *q = l->plane[i];
        if (is_dense(p) && is_dense(q) && q->data < p->data + p->elements * FLOATS &&
            p->data < q->data + q->elements * FLOATS)
            fail(l->thread, "output %u lies over input %u: threads run in any order", number, i);
    }
}

// Rows of as many elements as a domain has; each has its number four times. They are within what is there.
static void add_tables(launch *l)
{
    for (size_t i = 0; i < l->thread->tableCount; i++) {
        const svm_ThreadTable *t = &l->thread->tables[i];
        ptrdiff_t elements = (ptrdiff_t)t->elements,
                  width = elements < MOST_WIDTH ? (elements + 3) / 4 * 4 : MOST_WIDTH;
        svm_Plane p = svm_planeApart(t->numbers, width, elements, 1, 0, 0);
        l->table[i] = t->ints != 0 ? svm_planeInts(p) : p;
        l->plane[l->inputs++] = &l->table[i];
        l->tables++;
    }
}

static void take_arguments(launch *l, va_list args)
{
    const svm_Plane *outputs[SP_MAX_OUTPUTS];
    for (const char *p = l->thread->parameters; *p != '\0'; p++)
        switch (*p) {
        case 'i': l->plane[l->inputs++] = va_arg(args, const svm_Plane *); break;
        case 'o': outputs[l->outputs++] = va_arg(args, const svm_Plane *); break;
        default: l->scalar[l->scalars++] = (float)va_arg(args, double);
        }
    add_tables(l);
    memcpy(l->plane + l->inputs, outputs, l->outputs * sizeof *outputs);
    for (unsigned i = 0; i < l->inputs; i++)
        check_plane(l, l->plane[i], "input", i);
    for (unsigned i = 0; i < l->outputs; i++) {
        check_plane(l, l->plane[l->inputs + i], "output", i);
        check_output(l, l->plane[l->inputs + i], i);
    }
    if (l->width > MOST_WIDTH || l->height > MOST_ROWS)
        fail(l->thread, "the domain is %td x %td; at most %d x %d", l->width, l->height, MOST_WIDTH, MOST_ROWS);
}

// An int of the program is a float of the machine. False when there is none.
static bool convert(const svm_ThreadProgram *t, bool bounded, float *here, uint8_t *there, bool out)
{
    int32_t i;
    float f;
    if (out) {
        memcpy(&f, there, sizeof f);
        i = (int32_t)f;
        memcpy(here, &i, sizeof i);
        return true;
    }
    memcpy(&i, here, sizeof i);
    f = (float)i;
    memcpy(there, &f, sizeof f);
    return i >= (bounded ? t->intLeast : -MOST_INT) && i <= (bounded ? t->intMost : MOST_INT);
}

// Elements of a row, between the program's memory and the machine's. False when one is an int that the machine does not have.
static bool copy_row(const launch *l, unsigned plane, ptrdiff_t y, ptrdiff_t count, bool out)
{
    const svm_Plane *p = l->plane[plane];
    float *here = p->data + (p->places != NULL ? p->places[y] : y * p->row);
    bool bounded = l->thread->intLeast < l->thread->intMost && plane + l->tables < l->inputs;
    uint8_t *machine = l->memory + l->at[plane] + (size_t)(y * pitch_of(p)) * ELEMENT;
    bool whole = true;
    if (is_dense(p)) {
        memcpy(out ? (void *)here : machine, out ? machine : (void *)here, (size_t)count * ELEMENT);
        return true;
    }
    for (ptrdiff_t i = 0; i < count; i++, here += p->step, machine += ELEMENT)
        for (ptrdiff_t c = 0; c < FLOATS && (p->items == 0 || i * FLOATS + c < p->items); c++) {
            uint8_t *there = machine + c * (ptrdiff_t)sizeof(float);
            float *one = here + c % 2 * p->stride + c / 2 * p->second;
            if (p->ints)
                whole = convert(l->thread, bounded, one, there, out) && whole;
            else
                memcpy(out ? (void *)one : there, out ? there : (void *)one, sizeof(float));
        }
    return whole;
}

static bool copy_plane_in(const launch *l, unsigned plane)
{
    const svm_Plane *p = l->plane[plane];
    bool whole = true;
    for (ptrdiff_t y = 0; y < rows_of(p); y++) {
        ptrdiff_t left = p->elements - y * p->width;
        whole = copy_row(l, plane, y, left < p->width ? left : p->width, false) && whole;
    }
    return whole;
}

// The simulated memory has the planes one after another. Rows are whole there. False when ints are too large.
static bool place_planes(launch *l)
{
    for (unsigned i = 0; i < l->inputs + l->outputs; i++) {
        const svm_Plane *p = l->plane[i];
        l->at[i] = l->size;
        l->size += ((size_t)(rows_of(p) * pitch_of(p)) * ELEMENT + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        bool there = i < l->inputs && i + l->tables >= l->inputs && l->again; // tables stay
        if (!there && (!is_dense(p) || (uintptr_t)p->data % ALIGNMENT != 0))
            l->copied += (size_t)p->elements * ELEMENT;
    }
    l->memory = calloc(l->size > 0 ? l->size : 1, 1);
    if (l->memory == NULL || l->size > UINT32_MAX)
        fail(l->thread, "its planes have %zu bytes, and there is no memory for that", l->size);
    bool whole = true;
    for (unsigned i = 0; i < l->inputs; i++)
        whole = copy_plane_in(l, i) && whole;
    return whole;
}

static sp_buffer buffer_of(const launch *l, unsigned i)
{
    const svm_Plane *p = l->plane[i];
    return (sp_buffer){.set = true,
                       .base = (uint32_t)l->at[i],
                       .pitch = (uint32_t)pitch_of(p),
                       .width = (uint32_t)pitch_of(p),
                       .height = (uint32_t)rows_of(p),
                       .element = ELEMENT,
                       .format = SVM_SP_FLOAT32_4,
                       .tiling = SVM_SP_LINEAR};
}

static void set_scalars(const launch *l, sp_program *p)
{
    for (size_t i = 0; i < l->thread->scalarCount; i++) {
        const svm_ThreadScalar *s = &l->thread->scalars[i];
        p->float_values[s->constant][s->component] = l->scalar[s->scalar];
        sp_set_bit(p->given_floats, s->constant);
    }
}

static bool same_outputs(const launch *l, const uint8_t *other)
{
    for (unsigned i = l->inputs; i < l->inputs + l->outputs; i++)
        for (ptrdiff_t y = 0; y < l->height; y++) {
            size_t at = l->at[i] + (size_t)(y * pitch_of(l->plane[i])) * ELEMENT;
            if (memcmp(l->memory + at, other + at, (size_t)l->width * ELEMENT) != 0)
                return false;
        }
    return true;
}

// SVM_LAUNCH_CHECK: the functional model runs the launch too, on memory of its own, and is to leave the same.
static uint8_t *run_functional(launch *l, sp_core *core)
{
    svm_SpCounters counters = {0};
    uint8_t *memory = getenv("SVM_LAUNCH_CHECK") == NULL ? NULL : malloc(l->size);
    if (memory == NULL)
        return NULL;
    memcpy(memory, l->memory, l->size);
    core->memory = memory;
    if (!sp_run_functional(core, UINT64_MAX, &counters))
        fail(l->thread, "%s", core->fault);
    core->memory = l->memory;
    sp_core_rewind(core);
    return memory;
}

static void run(launch *l, loaded_thread *loaded, sp_stats *stats)
{
    sp_core core;
    sp_results results;
    set_scalars(l, &loaded->program);
    if (!sp_core_init(&core, &loaded->program))
        fail(l->thread, "out of memory");
    for (unsigned i = 0; i < l->inputs; i++)
        core.input[i] = buffer_of(l, i);
    for (unsigned i = 0; i < l->outputs; i++)
        core.output[i] = buffer_of(l, l->inputs + i);
    core.output_mask = 0xffff;
    core.options.linear = true; // as svm_lookup has it
    core.memory = l->memory;
    core.memory_size = l->size;
    core.x1 = (int32_t)l->width - 1;
    core.y1 = (int32_t)l->height - 1;
    if (!sp_core_check(&core))
        fail(l->thread, "%s", core.fault);
    uint8_t *other = run_functional(l, &core);
    if (!sp_run_cycles(&core, l->parameters, &(sp_cycle_options){.policy = SP_OLDEST}, &results, NULL))
        fail(l->thread, "%s", core.fault);
    if (other != NULL && !same_outputs(l, other))
        fail(l->thread, "the functional model gives other outputs than the cycle model");
    free(other);
    sp_core_free(&core);
    *stats = results.whole;
}

static void store_outputs(const launch *l)
{
    for (unsigned i = l->inputs; i < l->inputs + l->outputs; i++)
        for (ptrdiff_t y = 0; y < l->height; y++)
            copy_row(l, i, y, l->width, true);
}

static void add_stats(loaded_thread *to, const launch *l, const sp_stats *s)
{
    to->launches++;
    double expected = l->thread->start + l->thread->perThread * (double)s->threads;
    to->expected += expected > l->thread->least ? expected : l->thread->least;
    to->copied += l->copied;
    to->stats.cycles += s->cycles;
    to->stats.threads += s->threads;
    to->stats.alu_threads += s->alu_threads;
    to->stats.tex_threads += s->tex_threads;
    to->stats.alu_cycles += s->alu_cycles;
}

bool svm_launch(svm_ThreadProgram *thread, ptrdiff_t width, ptrdiff_t height, ...)
{
    svm_SpParameters parameters;
    sp_stats stats;
    double start;
    if (!svm_simPipeline(&parameters, &start))
        return false;
    if (width <= 0 || height <= 0)
        return true;
    const char *wrong = sp_check_parameters(&parameters);
    launch l = {.thread = thread, .parameters = &parameters, .width = width, .height = height};
    if (wrong != NULL)
        fail(thread, "%s", wrong);
    loaded_thread *loaded = load(thread);
    l.again = loaded->launches > 0;
    va_list args;
    va_start(args, height);
    take_arguments(&l, args);
    va_end(args);
    if (!place_planes(&l)) {
        free(l.memory);
        loaded->loops++;
        return false; // loops have all ints
    }
    run(&l, loaded, &stats);
    store_outputs(&l);
    free(l.memory);
    add_stats(loaded, &l, &stats);
    svm_simFiringCycles +=
        start + (double)stats.cycles + (double)l.copied / (parameters.linkBandwidth / parameters.clock);
    svm_simFirings += (uint64_t)width * (uint64_t)height * thread->firings;
    return true;
}
