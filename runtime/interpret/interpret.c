// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of finite filters, interpreted: the places one after the other, elements by the plain rule of docs/stream-ir.md.
// Only the checks of a call are the compiled graphs'.
#include "hlc/interp/finite.h"
#include "hlc/interp/interp.h"
#include "svm/brook_program.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct svm_BrookLoaded {
    arena *arena;
    source_set sources;
    diag_engine diags;
    interner names;
    sir_module *module;
    hmap filters;       // by name
    schedule *schedule; // of a stream program
};

static _Noreturn void stop(struct svm_BrookLoaded *l)
{
    fflush(stdout);
    diag_flush(&l->diags, stderr, DIAG_FORMAT_TEXT, false);
    exit(1);
}

static void load(svm_BrookModule *m)
{
    arena *a = arena_create();
    struct svm_BrookLoaded *l = ARENA_NEW(a, struct svm_BrookLoaded);
    l->arena = a;
    source_set_init(&l->sources, a);
    diag_init(&l->diags, a, &l->sources);
    interner_init(&l->names, a);
    hmap_init(&l->filters, a);
    strbuf text;
    strbuf_init(&text, a);
    for (size_t i = 0; i < m->count; i++)
        strbuf_add(&text, m->lines[i]);
    l->module = sir_parse(a, &l->names, &l->diags, source_add(&l->sources, "<kernels>", text.data, text.len));
    if (l->module == NULL || !sir_verify(l->module, &l->diags))
        stop(l);
    m->loaded = l;
}

static interp_finite *filter_of(svm_BrookModule *m, const char *name)
{
    if (m->loaded == NULL)
        load(m);
    struct svm_BrookLoaded *l = m->loaded;
    interp_finite *f = hmap_get(&l->filters, name);
    if (f == NULL)
        f = interp_finite_new(l->arena, &l->diags, l->module, name);
    if (f == NULL)
        stop(l);
    hmap_set(&l->filters, name, f);
    return f;
}

// ---- Streams ----

// A stream's elements in order, without gaps; of an iterator its values. Written back where they are outputs.
typedef struct operand {
    uint32_t field;
    svm_BrookRole role;
    svm_BrookStream stream;
    size_t size;
    unsigned char *elements;
} operand;

static void fetch(const svm_BrookPlace *at, operand *o)
{
    const size_t count = svm_brookCount(o->stream);
    o->elements = calloc(count ? count : 1, o->size);
    if (o->elements == NULL)
        svm_brookFail(at, "out of memory");
    svm_brookValues(at, o->stream, o->elements);
}

// Elements of a view from its first in each dimension of the space, which has as many.
static size_t position(const operand *o, const ptrdiff_t *extent, const ptrdiff_t *index)
{
    size_t p = 0;
    for (int d = 0; d < o->stream.rank; d++)
        p = p * (size_t)o->stream.extent[d] + (size_t)(index[d] * o->stream.extent[d] / extent[d]);
    return p;
}

static int32_t coordinate(const operand *o, const ptrdiff_t *extent, const ptrdiff_t *index, uint32_t dimension)
{
    const int d = o->stream.rank - 1 - (int)dimension;
    return d < 0 ? 0 : (int32_t)(index[d] * o->stream.extent[d] / extent[d]);
}

static bool next(int rank, const ptrdiff_t *extent, ptrdiff_t *index)
{
    for (int d = rank - 1; d >= 0; d--) {
        if (++index[d] < extent[d])
            return true;
        index[d] = 0;
    }
    return false;
}

// ---- Calls ----

typedef struct call {
    struct svm_BrookLoaded *loaded;
    interp_finite *filter;
    const sir_filter *source;
    operand *operands;
    size_t count;
    int rank;
    ptrdiff_t extent[SVM_BROOK_RANK];
} call;

static void fire(call *c, const ptrdiff_t *index)
{
    for (uint32_t i = 0; i < c->source->fields.len; i++) {
        const sir_field *f = &c->source->fields.data[i];
        for (size_t k = 0; f->role == SIR_COORDINATE && k < c->count; k++)
            if (c->operands[k].field == f->of) {
                int32_t x = coordinate(&c->operands[k], c->extent, index, f->dimension);
                interp_finite_set(c->filter, i, (const unsigned char *)&x);
            }
    }
    for (size_t k = 0; k < c->count; k++) {
        const operand *o = &c->operands[k];
        if (o->role != SVM_BROOK_GATHER && o->role != SVM_BROOK_REDUCED)
            interp_finite_set(c->filter, o->field, o->elements + position(o, c->extent, index) * o->size);
    }
    if (!interp_finite_fire(c->filter))
        stop(c->loaded);
    for (size_t k = 0; k < c->count; k++) {
        const operand *o = &c->operands[k];
        if (o->role == SVM_BROOK_OUT)
            interp_finite_get(c->filter, o->field, o->elements + position(o, c->extent, index) * o->size);
    }
}

static void map(call *c)
{
    ptrdiff_t index[SVM_BROOK_RANK] = {0};
    do
        fire(c, index);
    while (next(c->rank, c->extent, index));
}

// The block of the input that belongs to a place of the result: its first element is the accumulator's first value.
static void fold(call *c, const operand *in, const operand *out, const ptrdiff_t *index)
{
    ptrdiff_t block[SVM_BROOK_RANK] = {1, 1, 1, 1}, within[SVM_BROOK_RANK] = {0};
    for (int d = 0; d < c->rank; d++)
        block[d] = in->stream.extent[d] / c->extent[d];
    bool first = true;
    do {
        size_t p = 0;
        for (int d = 0; d < c->rank; d++)
            p = p * (size_t)in->stream.extent[d] + (size_t)(index[d] * block[d] + within[d]);
        interp_finite_set(c->filter, first ? out->field : in->field, in->elements + p * in->size);
        if (!first && !interp_finite_fire(c->filter))
            stop(c->loaded);
        first = false;
    } while (next(c->rank, block, within));
    interp_finite_get(c->filter, out->field, out->elements + position(out, c->extent, index) * out->size);
}

static void reduce(call *c)
{
    const operand *in = NULL, *out = NULL;
    for (size_t k = 0; k < c->count; k++) {
        in = c->operands[k].role == SVM_BROOK_IN ? &c->operands[k] : in;
        out = c->operands[k].role == SVM_BROOK_REDUCED ? &c->operands[k] : out;
    }
    ptrdiff_t index[SVM_BROOK_RANK] = {0};
    do
        fold(c, in, out, index);
    while (next(c->rank, c->extent, index));
}

static void give(const svm_BrookPlace *at, call *c, const svm_BrookGraph *graph, const svm_BrookSpace *space,
                 svm_BrookStream *variable)
{
    const size_t count = interp_finite_pushed(c->filter);
    for (int i = 0; i < graph->count; i++) {
        if (graph->ports[i].role != SVM_BROOK_VARIABLE)
            continue;
        const size_t size = svm_brookTypeSize(&graph->ports[i].type);
        unsigned char *elements = calloc(count ? count : 1, size);
        if (elements == NULL)
            svm_brookFail(at, "out of memory");
        interp_finite_take(c->filter, elements);
        svm_brookGive(at, &graph->ports[i], space, variable, elements, count);
        free(elements);
    }
}

static void set_operands(const svm_BrookPlace *at, call *c, const svm_BrookGraph *graph, const void *const *uniforms,
                         const svm_BrookStream *streams)
{
    int port = 0, uniform = 0;
    for (uint32_t i = 0; i < c->source->fields.len; i++) {
        const sir_field *f = &c->source->fields.data[i];
        if (f->role == SIR_UNIFORM)
            interp_finite_set(c->filter, i, uniforms[uniform++]);
        if (f->role == SIR_UNIFORM || f->role == SIR_INSIDE || !sir_role_is_parameter(f->role))
            continue;
        const svm_BrookPort *p = &graph->ports[port];
        const svm_BrookStream stream = streams[port++];
        if (p->role == SVM_BROOK_VARIABLE)
            continue;
        operand *o = &c->operands[c->count++];
        *o = (operand){.field = i, .role = p->role, .stream = stream, .size = svm_brookTypeSize(&p->type)};
        fetch(at, o);
        int64_t extents[SVM_BROOK_RANK];
        for (int d = 0; d < stream.rank; d++)
            extents[d] = stream.extent[d];
        if (p->role == SVM_BROOK_GATHER)
            interp_finite_gather(c->filter, i, o->elements, extents);
    }
}

// The shape of the first result; of what pushes the largest of all.
static void shape(call *c)
{
    const operand *shaper = NULL;
    for (size_t k = 0; k < c->count && shaper == NULL; k++)
        if (c->operands[k].role == SVM_BROOK_OUT || c->operands[k].role == SVM_BROOK_REDUCED)
            shaper = &c->operands[k];
    for (size_t k = 0; k < c->count; k++) {
        const operand *o = &c->operands[k];
        if (o->role == SVM_BROOK_GATHER || (shaper != NULL && o != shaper))
            continue;
        c->rank = o->stream.rank;
        for (int d = 0; d < c->rank; d++)
            c->extent[d] = o->stream.extent[d] > c->extent[d] ? o->stream.extent[d] : c->extent[d];
    }
}

void svm_brookInterpret(const svm_BrookPlace *at, svm_BrookModule *module, const char *filter,
                        const svm_BrookGraph *graph, const void *const *uniforms, const svm_BrookStream *streams,
                        svm_BrookStream *variable)
{
    interp_finite *const what = filter_of(module, filter); // loads the module
    call c = {.filter = what, .loaded = module->loaded};
    c.source = interp_finite_filter(c.filter);
    svm_BrookWalk *walks = calloc((size_t)graph->count + 1, sizeof *walks);
    c.operands = calloc((size_t)graph->count + 1, sizeof *c.operands);
    if (walks == NULL || c.operands == NULL)
        svm_brookFail(at, "out of memory");
    svm_BrookSpace space;
    const bool any = svm_brookEnter(at, graph, NULL, streams, walks, &space);
    if (any) {
        set_operands(at, &c, graph, uniforms, streams);
        shape(&c);
        bool reduces = false;
        for (int i = 0; i < graph->count; i++)
            reduces = reduces || graph->ports[i].role == SVM_BROOK_REDUCED;
        if (reduces)
            reduce(&c);
        else
            map(&c);
        for (size_t k = 0; k < c.count; k++)
            if (c.operands[k].role == SVM_BROOK_OUT || c.operands[k].role == SVM_BROOK_REDUCED)
                svm_brookRead(at, c.operands[k].stream, c.operands[k].elements);
    }
    if (variable != NULL)
        give(at, &c, graph, &space, variable);
    for (size_t k = 0; k < c.count; k++)
        free(c.operands[k].elements);
    free(c.operands);
    free(walks);
}

void svm_brookInterpretOne(svm_BrookModule *module, const char *filter, const void *element, void *accumulator)
{
    interp_finite *f = filter_of(module, filter);
    const sir_filter *source = interp_finite_filter(f);
    for (uint32_t i = 0; i < source->fields.len; i++)
        if (source->fields.data[i].role == SIR_INPUT || source->fields.data[i].role == SIR_REDUCED)
            interp_finite_set(f, i, source->fields.data[i].role == SIR_INPUT ? element : accumulator);
    if (!interp_finite_fire(f))
        stop(module->loaded);
    for (uint32_t i = 0; i < source->fields.len; i++)
        if (source->fields.data[i].role == SIR_REDUCED)
            interp_finite_get(f, i, accumulator);
}

// ---- Stream programs: what they take and give is in files without names ----

static int open_file(const svm_BrookPlace *at, const char *bytes, size_t count)
{
    int fd = memfd_create("stream", MFD_CLOEXEC);
    if (fd < 0)
        svm_brookFail(at, "cannot keep the elements of a stream: %s", strerror(errno));
    while (count > 0) {
        ssize_t n = write(fd, bytes, count);
        if (n < 0 && errno != EINTR)
            svm_brookFail(at, "cannot keep the elements of a stream: %s", strerror(errno));
        bytes += n > 0 ? n : 0;
        count -= n > 0 ? (size_t)n : 0;
    }
    return fd;
}

static void read_file(const svm_BrookPlace *at, const svm_BrookProgram *p, int fd, const svm_BrookStream *out)
{
    const size_t bytes = svm_brookBytes(out);
    char *elements = calloc(bytes ? bytes : 1, 1);
    size_t done = 0;
    ssize_t n = 1;
    if (elements == NULL)
        svm_brookFail(at, "out of memory");
    while (done < bytes && n > 0) {
        n = pread(fd, elements + done, bytes - done, (off_t)done);
        done += n > 0 ? (size_t)n : 0;
    }
    if (done < bytes)
        svm_brookFail(at, "%s: it has ended after %zu of the %zu bytes of the stream '%s'", p->name, done, bytes,
                      out->name);
    svm_brookRead(at, *out, elements);
    free(elements);
}

void svm_brookInterpretProgram(const svm_BrookPlace *at, const svm_BrookProgram *p, svm_BrookModule *module,
                               const svm_BrookStream *in, const svm_BrookStream *out)
{
    const long long states = svm_brookSteadyStates(at, p, in, out);
    if (states < 0)
        return;
    if (module->loaded == NULL)
        load(module);
    struct svm_BrookLoaded *l = module->loaded;
    if (l->schedule == NULL)
        l->schedule = schedule_compute(l->arena, &l->diags, &l->sources, l->module);
    if (l->schedule == NULL)
        stop(l);
    char *given = NULL;
    const size_t count = in ? svm_brookBytes(in) : 0;
    if (in != NULL && (given = calloc(count ? count : 1, 1)) == NULL)
        svm_brookFail(at, "out of memory");
    if (in != NULL)
        svm_brookValues(at, *in, given);
    const int from = open_file(at, given, count), to = open_file(at, NULL, 0);
    free(given);
    char in_path[40], out_path[40];
    snprintf(in_path, sizeof in_path, "/proc/self/fd/%d", from);
    snprintf(out_path, sizeof out_path, "/proc/self/fd/%d", to);
    const interp_options options = {
        .iterations = in != NULL ? -1 : states, .in = in != NULL ? in_path : NULL, .out = out_path};
    fflush(stdout);
    if (interp_run(l->module, l->schedule, &l->diags, &options) != 0)
        stop(l);
    read_file(at, p, to, out);
    close(from);
    close(to);
}
