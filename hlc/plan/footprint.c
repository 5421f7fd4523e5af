// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Estimates of what kernels take of a memory beside their buffers. State is exact. Code is fitted to what svm-llc
// makes of eleven of the examples at -O2 for vectors of 32 bytes: it is between 0.65 and 3.1 times that, 1.05 times in
// the median. Most of a filter's code is of its loops over firings, with their beginnings, ends and lanes.
#include "hlc/plan/footprint.h"

#include <inttypes.h>

#include "hlc/ir/walk.h"
#include "hlc/plan/plan_int.h"
#include "hlc/plan/thresholds.h"

typedef struct counter {
    arena *arena;
    const sir_module *m;
    hmap functions, filters, globals; // counted already
    hmap depths;                      // by function: bytes of stack, a uint64_t
    plan_footprint sum;
} counter;

static bool count_once(counter *c, hmap *counted, const void *key)
{
    if (hmap_getn(counted, &key, sizeof key) != NULL)
        return false;
    hmap_setn(counted, &key, sizeof key, c);
    return true;
}

static uint64_t size_of(const sir_type *t)
{
    uint64_t align;
    return plan_item_size(t, &align);
}

static void count_function(counter *c, const sir_function *f);

static void count_expr(void *context, sir_expr *e, bool written)
{
    counter *c = context;
    (void)written;
    if (e->kind == SIR_GLOBAL && count_once(c, &c->globals, &c->m->globals.data[e->index]))
        c->sum.tables += size_of(c->m->globals.data[e->index].value.type);
    c->sum.code += e->kind == SIR_CONST || e->kind == SIR_LOCAL ? 0 : CODE_NODE;
}

static void count_stmt(void *context, sir_stmt *s)
{
    counter *c = context;
    c->sum.code += CODE_NODE;
    sir_visit_exprs(s, count_expr, c);
    if (s->kind == SIR_CALL)
        count_function(c, s->u.call.function);
}

static void count_function(counter *c, const sir_function *f)
{
    if (f == NULL || !count_once(c, &c->functions, f))
        return;
    sir_visit_stmts(&f->body, count_stmt, c);
}

// ---- Stack ----

typedef struct calls {
    counter *counter;
    uint64_t deepest;
} calls;

static uint64_t stack_of(counter *c, const sir_function *f);

static void deepen(void *context, sir_stmt *s)
{
    calls *callees = context;
    uint64_t depth = s->kind == SIR_CALL ? stack_of(callees->counter, s->u.call.function) : 0;
    callees->deepest = depth > callees->deepest ? depth : callees->deepest;
}

// Bytes of a call of f and what it calls; of recursive functions one round.
static uint64_t stack_of(counter *c, const sir_function *f)
{
    if (f == NULL)
        return 0;
    uint64_t *known = hmap_getn(&c->depths, &f, sizeof f);
    if (known != NULL)
        return *known;
    uint64_t *bytes = ARENA_NEW(c->arena, uint64_t);
    hmap_setn(&c->depths, &f, sizeof f, bytes);
    calls callees = {.counter = c};
    sir_visit_stmts(&f->body, deepen, &callees);
    *bytes = STACK_CALL + callees.deepest;
    for (VEC_EACH(const sir_local, local, &f->locals))
        *bytes += local->by_reference ? 8 : size_of(local->type);
    return *bytes;
}

// ---- Actors ----

// Fields that nothing assigns are tables of the code, which instances share. So is what states begin with, unless that
// is zero.
static void count_fields(counter *c, const sir_filter *f, bool first)
{
    uint64_t state = 0;
    bool zero = true;
    for (VEC_EACH(const sir_field, field, &f->fields)) {
        if (!field->constant) {
            state += size_of(field->type);
            zero = zero && sir_value_is_zero(&field->init);
        } else if (first) {
            c->sum.tables += size_of(field->type);
        }
    }
    c->sum.state += state;
    c->sum.tables += first && !zero ? state : 0;
    c->sum.state += f->uses_iter || f->uses_random ? 16 : 0;
}

static void count_actor(counter *c, const sir_actor *a)
{
    c->sum.code += CODE_ACTOR;
    if (a->kind != SIR_FILTER)
        return;
    bool first = count_once(c, &c->filters, a->filter);
    count_fields(c, a->filter, first);
    if (!first)
        return;
    c->sum.code += CODE_FILTER;
    const sir_function *bodies[] = {a->filter->work, a->filter->prework};
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        count_function(c, bodies[i]);
        uint64_t stack = stack_of(c, bodies[i]);
        c->sum.stack = stack > c->sum.stack ? stack : c->sum.stack;
    }
    for (VEC_EACH(sir_function *, handler, &a->filter->handlers))
        count_function(c, *handler);
}

plan_footprint plan_footprint_of(arena *scratch, const sir_module *m, const uint32_t *actors, size_t count)
{
    counter c = {.arena = scratch, .m = m};
    hmap_init(&c.functions, scratch);
    hmap_init(&c.filters, scratch);
    hmap_init(&c.globals, scratch);
    hmap_init(&c.depths, scratch);
    for (size_t i = 0; i < count; i++)
        count_actor(&c, m->actors.data[actors[i]]);
    c.sum.stack += STACK_RUNTIME;
    return c.sum;
}

uint64_t plan_footprint_bytes(const plan_footprint *f, const plan_processor *on)
{
    return f->state + (on->holds_code ? f->code + f->tables + f->stack : 0);
}

// ---- What does not fit ----

static const char *describe(arena *a, const plan_footprint *f, uint64_t data, const plan_processor *on)
{
    const char *code = !on->holds_code
                           ? ""
                           : arena_printf(a, ", about %" PRIu64 " of code, %" PRIu64 " of tables, %" PRIu64 " of stack",
                                          f->code, f->tables, f->stack);
    return arena_printf(a, "%" PRIu64 " bytes of items, %" PRIu64 " of state%s", data, f->state, code);
}

// Which of the actors needs most by itself.
static size_t find_largest(arena *a, const sir_module *m, const uint32_t *actors, size_t count,
                           const plan_processor *on)
{
    size_t largest = 0;
    uint64_t most = 0;
    for (size_t i = 0; i < count; i++) {
        plan_footprint one = plan_footprint_of(a, m, &actors[i], 1);
        uint64_t bytes = plan_footprint_bytes(&one, on);
        if (bytes > most) {
            most = bytes;
            largest = i;
        }
    }
    return largest;
}

void plan_report_no_fit(diag_engine *d, source_set *sources, const sir_module *m, const uint32_t *actors, size_t count,
                        const plan_footprint *f, uint64_t data, const plan_processor *on)
{
    arena *a = arena_create();
    size_t largest = find_largest(a, m, actors, count, on);
    const sir_actor *actor = m->actors.data[actors[largest]];
    src_range r = sir_range(m, sources, actor->loc);
    const char *memory = on->memory->element.name, *processor = on->processor->element.name;
    uint64_t needed = plan_footprint_bytes(f, on) + data;
    diag_record *record;
    if (count == 1)
        record = diag_error(d, r,
                            "'%s' does not fit: it needs %" PRIu64 " bytes of memory '%s' of processor '%s', of which "
                            "%" PRIu64 " can be used",
                            actor->name, needed, memory, processor, on->bytes);
    else
        record = diag_error(d, r,
                            "'%s' and the %zu actor%s mapped with it do not fit: they need %" PRIu64
                            " bytes of memory '%s' of processor '%s', of which %" PRIu64 " can be used",
                            actor->name, count - 1, count == 2 ? "" : "s", needed, memory, processor, on->bytes);
    diag_add_note(d, record, (src_range){0}, "that is, in the shortest strip, %s", describe(a, f, data, on));
    if (count > 1) {
        plan_footprint one = plan_footprint_of(a, m, &actors[largest], 1);
        diag_add_note(d, record, r, "'%s' alone needs %s", actor->name, describe(a, &one, 0, on));
    }
    diag_add_note(d, record, machine_value_range(&on->memory->element, "size"),
                  "the machine file gives '%s' %" PRIu64 " bytes, of which %" PRIu64 " are the system's", memory,
                  on->memory->size, on->memory->reserved);
    arena_destroy(a);
}
