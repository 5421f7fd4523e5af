// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads have no integers, no memory and no loops: everything but floats must be gone when a thread function is unrolled. So
// a firing is walked here as it would run, with ints and conditions that are known; what computes with an int that is not known
// cannot be a thread. Items that are ints may be compared with each other, chosen and moved, as floats have these results. Of conditions that are not known both ways are walked, as both are computed.
#include "hlc/plan/threads.h"

#include <inttypes.h>
#include <string.h>

#include "hlc/ir/ops.h"
#include "hlc/passes/pass.h"
#include "hlc/plan/plan_int.h"
#include "hlc/plan/profile.h"

enum {
    MOST_STEPS = 40000, // of the walk: far more than a program has instructions
    MOST_FIRINGS = 4,
    ELEMENT = 4,
    MOST_INPUTS = 16,
    MOST_OUTPUTS = 4,
    GENERATIONS = 8,    // of batches in a launch, at least
    MOST_LOOKUPS = 110, // they stay in registers, and coordinates and sums need some
};

typedef struct known_value {
    bool known;
    bool mixed;   // an int that a branch may have left known: nothing may read it any more
    sir_scalar v; // of an int, a boolean or a float
} known_value;

typedef struct frame {
    const sir_function *function;
    known_value *local; // scalars
    struct frame *caller;
} frame;

typedef struct walker {
    arena *arena;
    bool inexact; // the processor's own division and roots will do
    const sir_filter *filter;
    frame *frame;
    int64_t popped, reach;        // items
    int64_t operations, products; // of floats; products that a sum takes in
    int64_t steps;
    known_value result; // of the function that has returned
    plan_lack lack;
} walker;

static const known_value unknown = {0};

static known_value lack(walker *w, sir_loc loc, const char *text)
{
    if (w->lack.text == NULL)
        w->lack = (plan_lack){text, loc, "pipeline"};
    return unknown;
}

static bool is_number_type(const sir_type *t)
{
    while (t->kind == SIR_ARRAY)
        t = t->element;
    return t->kind == SIR_FLOAT || t->kind == SIR_INT || t->kind == SIR_BOOLEAN || t->kind == SIR_BIT;
}

static bool is_whole(const sir_type *t)
{
    return t->kind == SIR_INT || t->kind == SIR_BIT;
}

static known_value of_type(walker *w, const sir_type *t, sir_loc loc)
{
    if (!is_number_type(t))
        return lack(w, loc, "computes with other types than float");
    return unknown;
}

static known_value whole_number(walker *w, sir_loc loc)
{
    return lack(w, loc, "computes with integers that are known only as it runs");
}

// ---- Expressions ----

static known_value walk_expr(walker *w, const sir_expr *e);

// The element of a constant table, where it and all subscripts are known; subscripts must be.
static known_value walk_place(walker *w, const sir_expr *e, const sir_value **table, uint64_t *at)
{
    *table = NULL;
    *at = 0;
    if (e->kind == SIR_FIELD && w->filter->fields.data[e->index].constant) {
        *table = &w->filter->fields.data[e->index].init;
        return unknown;
    }
    if (e->kind == SIR_LOCAL)
        return of_type(w, w->frame->function->locals.data[e->index].type, e->loc);
    if (e->kind != SIR_INDEX)
        return e->kind == SIR_GLOBAL ? unknown : lack(w, e->loc, "computes with structs or complex numbers");
    walk_place(w, e->u.arg[0], table, at);
    known_value index = walk_expr(w, e->u.arg[1]);
    if (!index.known)
        return lack(w, e->loc, "has a subscript that is known only as it runs");
    if (index.v.i < 0 || (uint32_t)index.v.i >= e->u.arg[0]->type->length)
        return lack(w, e->loc, "has a subscript outside of its array");
    *at += (uint64_t)index.v.i * e->type->words;
    return unknown;
}

static known_value walk_index(walker *w, const sir_expr *e)
{
    const sir_value *table;
    uint64_t at;
    walk_place(w, e, &table, &at);
    if (table == NULL || e->type->kind == SIR_ARRAY)
        return unknown;
    return (known_value){.known = true, .v = table->zero ? (sir_scalar){0} : table->data[at]};
}

static known_value walk_short(walker *w, const sir_expr *e)
{
    known_value left = walk_expr(w, e->u.arg[0]);
    bool decides = e->op == LANG_OP_LOR;
    if (left.known && (left.v.i != 0) == decides)
        return left;
    known_value right = walk_expr(w, e->u.arg[1]);
    if (left.known)
        return right;
    w->operations++;
    return unknown;
}

static known_value walk_binary(walker *w, const sir_expr *e)
{
    const sir_type *t = e->u.arg[0]->type;
    if (e->op == LANG_OP_LAND || e->op == LANG_OP_LOR)
        return walk_short(w, e);
    known_value a = walk_expr(w, e->u.arg[0]), b = walk_expr(w, e->u.arg[1]), r = {.known = true};
    if (a.known && b.known && sir_eval_binary((lang_binary_op)e->op, t, a.v, b.v, &r.v))
        return r;
    bool compares = sir_binary_ops[e->op].class == SIR_OP_COMPARE || sir_binary_ops[e->op].class == SIR_OP_EQUAL;
    if (is_whole(t) && (!compares || a.known || b.known))
        return whole_number(w, e->loc);
    if (t->kind == SIR_FLOAT && e->op == LANG_OP_DIV && !w->inexact)
        return lack(w, e->loc, "divides, which is not rounded there as elsewhere");
    w->operations++;
    bool sum = e->op == LANG_OP_ADD || e->op == LANG_OP_SUB;
    for (unsigned i = 0; i < 2 && sum && t->kind == SIR_FLOAT; i++)
        if (e->u.arg[i]->kind == SIR_BINARY && e->u.arg[i]->op == LANG_OP_MUL) {
            w->products++;
            break;
        }
    return of_type(w, t, e->loc);
}

static known_value walk_unary(walker *w, const sir_expr *e)
{
    known_value a = walk_expr(w, e->u.arg[0]), r = {.known = true};
    if (a.known && sir_eval_unary((lang_unary_op)e->op, e->u.arg[0]->type, a.v, &r.v))
        return r;
    return is_whole(e->type) ? whole_number(w, e->loc) : of_type(w, e->type, e->loc);
}

// Whether the C compiler computes it of constants. Others, which it leaves as calls, are constants by tables alone.
static bool folds(lang_math_op op)
{
    switch (op) {
    case LANG_MATH_ABS:
    case LANG_MATH_MIN:
    case LANG_MATH_MAX:
    case LANG_MATH_FLOOR:
    case LANG_MATH_CEIL:
    case LANG_MATH_ROUND:
    case LANG_MATH_RINT:
    case LANG_MATH_SQRT: return true;
    default: return false;
    }
}

static known_value walk_math(walker *w, const sir_expr *e)
{
    const sir_type *t = e->u.arg[0]->type;
    size_t arity = sir_expr_arity(e);
    known_value a = walk_expr(w, e->u.arg[0]), b = arity > 1 ? walk_expr(w, e->u.arg[1]) : a, r = {.known = true};
    if (a.known && b.known && folds((lang_math_op)e->op) && sir_eval_math((lang_math_op)e->op, t, a.v, b.v, &r.v))
        return r;
    if (is_whole(t) && ((e->op != LANG_MATH_MIN && e->op != LANG_MATH_MAX) || a.known || b.known))
        return whole_number(w, e->loc);
    bool exact = e->op == LANG_MATH_ABS || e->op == LANG_MATH_MIN || e->op == LANG_MATH_MAX ||
                 e->op == LANG_MATH_FLOOR || (e->op == LANG_MATH_SQRT && w->inexact);
    w->operations += 2;
    if (!exact)
        return lack(w, e->loc,
                    arena_printf(w->arena, "uses %s, which is not there as elsewhere", sir_math_ops[e->op].name));
    return of_type(w, t, e->loc);
}

static known_value walk_select(walker *w, const sir_expr *e)
{
    known_value c = walk_expr(w, e->u.arg[0]);
    if (c.known)
        return walk_expr(w, e->u.arg[c.v.i != 0 ? 1 : 2]);
    known_value yes = walk_expr(w, e->u.arg[1]), no = walk_expr(w, e->u.arg[2]);
    w->operations++;
    return is_whole(e->type) && (yes.known || no.known) ? whole_number(w, e->loc) : of_type(w, e->type, e->loc);
}

static known_value walk_convert(walker *w, const sir_expr *e)
{
    known_value a = walk_expr(w, e->u.arg[0]);
    if (a.known && is_number_type(e->type))
        return (known_value){.known = true, .v = sir_eval_convert(e->u.arg[0]->type, e->type, a.v)};
    if (is_whole(e->type))
        return whole_number(w, e->loc);
    return of_type(w, e->type, e->loc);
}

static known_value walk_peek(walker *w, const sir_expr *e)
{
    known_value at = walk_expr(w, e->u.arg[0]);
    if (!at.known)
        return lack(w, e->loc, "looks ahead by a number that is known only as it runs");
    if (w->popped + at.v.i + 1 > w->reach)
        w->reach = w->popped + at.v.i + 1;
    return unknown;
}

static known_value walk_local(walker *w, const sir_expr *e)
{
    known_value v = e->type->kind == SIR_ARRAY ? unknown : w->frame->local[e->index];
    return v.mixed ? whole_number(w, e->loc) : v;
}

static known_value walk_expr(walker *w, const sir_expr *e)
{
    if (w->lack.text != NULL || ++w->steps > MOST_STEPS)
        return lack(w, e->loc, "has too many operations");
    switch ((sir_expr_kind)e->kind) {
    case SIR_CONST:
        return is_number_type(e->type) ? (known_value){.known = true, .v = e->u.value} : of_type(w, e->type, e->loc);
    case SIR_LOCAL: return walk_local(w, e);
    case SIR_FIELD:
    case SIR_GLOBAL: return of_type(w, e->type, e->loc);
    case SIR_INDEX: return walk_index(w, e);
    case SIR_UNARY: return walk_unary(w, e);
    case SIR_BINARY: return walk_binary(w, e);
    case SIR_SELECT: return walk_select(w, e);
    case SIR_CONVERT: return walk_convert(w, e);
    case SIR_MATH: return walk_math(w, e);
    case SIR_PEEK: return walk_peek(w, e);
    case SIR_FETCH:
    case SIR_MEMBER:
    case SIR_MAKE_COMPLEX: return lack(w, e->loc, "computes with structs or complex numbers");
    case SIR_ITER: break;
    }
    return lack(w, e->loc, "counts its firings");
}

// ---- Statements ----

static void walk_block(walker *w, const sir_block *b);

static void assign(walker *w, const sir_expr *target, known_value v)
{
    const sir_value *table;
    uint64_t at;
    if (target == NULL)
        return;
    if (target->kind == SIR_LOCAL && target->type->kind != SIR_ARRAY) {
        of_type(w, target->type, target->loc);
        w->frame->local[target->index] = v;
    } else {
        if (is_whole(target->type) && v.known)
            whole_number(w, target->loc);
        walk_place(w, target, &table, &at);
    }
}

// Of types that threads have, whose bits are those of an int.
static bool same(known_value a, known_value b)
{
    return a.known == b.known && a.mixed == b.mixed && (!a.known || a.v.i == b.v.i);
}

static void walk_if(walker *w, const sir_stmt *s)
{
    known_value c = walk_expr(w, s->u.if_.cond);
    if (c.known) {
        walk_block(w, c.v.i != 0 ? &s->u.if_.then : &s->u.if_.otherwise);
        return;
    }
    size_t n = w->frame->function->locals.len;
    known_value *before = ARENA_ARRAY(w->arena, known_value, n + 1), *then = ARENA_ARRAY(w->arena, known_value, n + 1);
    int64_t popped = w->popped;
    memcpy(before, w->frame->local, n * sizeof *before);
    walk_block(w, &s->u.if_.then);
    memcpy(then, w->frame->local, n * sizeof *then);
    memcpy(w->frame->local, before, n * sizeof *before);
    w->popped = popped;
    walk_block(w, &s->u.if_.otherwise);
    for (size_t i = 0; i < n; i++) {
        known_value *now = &w->frame->local[i];
        if (same(*now, then[i]))
            continue;
        bool whole = is_whole(w->frame->function->locals.data[i].type);
        bool mixed = whole && (now->known || then[i].known || now->mixed || then[i].mixed);
        w->operations += !same(then[i], before[i]) || !same(*now, before[i]);
        *now = (known_value){.mixed = mixed};
    }
}

static void walk_for(walker *w, const sir_stmt *s)
{
    known_value lo = walk_expr(w, s->u.for_.lo), hi = walk_expr(w, s->u.for_.hi);
    if (!lo.known || !hi.known) {
        lack(w, s->loc, "has a loop whose trips are known only as it runs");
        return;
    }
    int32_t step = s->u.for_.step;
    for (int64_t i = lo.v.i; (step > 0 ? i < hi.v.i : i > hi.v.i) && w->lack.text == NULL; i += step) {
        w->frame->local[s->u.for_.local] = (known_value){.known = true, .v = {.i = (int32_t)i}};
        if (++w->steps > MOST_STEPS)
            lack(w, s->loc, "has too many operations");
        walk_block(w, &s->u.for_.body);
    }
}

static void walk_loop(walker *w, const sir_stmt *s)
{
    for (bool first = true; w->lack.text == NULL; first = false) {
        if (!first || !s->u.loop.post_test) {
            walk_block(w, &s->u.loop.pre);
            known_value c = s->u.loop.cond == NULL ? unknown : walk_expr(w, s->u.loop.cond);
            if (!c.known)
                lack(w, s->loc, "has a loop whose trips are known only as it runs");
            if (c.v.i == 0)
                return;
        }
        walk_block(w, &s->u.loop.body);
        walk_block(w, &s->u.loop.step);
    }
}

static void walk_call(walker *w, const sir_stmt *s)
{
    const sir_function *f = s->u.call.function;
    frame inner = {.function = f, .caller = w->frame};
    if (f->kind != SIR_HELPER) {
        lack(w, s->loc, "calls a native function");
        return;
    }
    inner.local = ARENA_ARRAY(w->arena, known_value, f->locals.len + 1);
    for (size_t i = 0; i < s->u.call.args.len; i++)
        if (f->locals.data[i].type->kind != SIR_ARRAY)
            inner.local[i] = walk_expr(w, s->u.call.args.data[i]);
    if (++w->steps > MOST_STEPS)
        lack(w, s->loc, "has too many operations");
    w->frame = &inner;
    w->result = unknown;
    walk_block(w, &f->body);
    w->frame = inner.caller;
    assign(w, s->u.call.target, w->result);
}

static void walk_declaration(walker *w, const sir_stmt *s)
{
    const sir_local *l = &w->frame->function->locals.data[s->u.decl.local];
    const sir_type *item = l->type;
    while (item->kind == SIR_ARRAY)
        item = item->element;
    of_type(w, l->type, s->loc);
    if (l->type->kind == SIR_ARRAY && is_whole(item) && s->u.decl.init == NULL && !s->u.decl.uninitialised)
        whole_number(w, s->loc);
    if (l->type->kind == SIR_ARRAY)
        return;
    known_value zero = {.known = true};
    w->frame->local[s->u.decl.local] = s->u.decl.init == NULL ? zero : walk_expr(w, s->u.decl.init);
}

static void walk_stmt(walker *w, const sir_stmt *s)
{
    switch ((sir_stmt_kind)s->kind) {
    case SIR_DECL: walk_declaration(w, s); return;
    case SIR_SET:
        assign(w, s->u.set.target, s->u.set.value->type->kind == SIR_ARRAY ? unknown : walk_expr(w, s->u.set.value));
        return;
    case SIR_POP:
        w->popped++;
        if (w->popped > w->reach)
            w->reach = w->popped;
        assign(w, s->u.set.target, unknown);
        return;
    case SIR_PUSH: walk_expr(w, s->u.value); return;
    case SIR_CALL: walk_call(w, s); return;
    case SIR_IF: walk_if(w, s); return;
    case SIR_FOR: walk_for(w, s); return;
    case SIR_LOOP: walk_loop(w, s); return;
    case SIR_BLOCK: walk_block(w, &s->u.block); return;
    case SIR_RETURN:
        if (s->u.value != NULL && s->u.value->type->kind != SIR_ARRAY)
            w->result = walk_expr(w, s->u.value);
        if (w->frame->caller == NULL)
            lack(w, s->loc, "returns early");
        return;
    case SIR_PRINT: lack(w, s->loc, "prints"); return;
    case SIR_RANDOM: lack(w, s->loc, "draws random numbers"); return;
    case SIR_SEND: lack(w, s->loc, "sends messages"); return;
    case SIR_BREAK:
    case SIR_CONTINUE: break;
    }
    lack(w, s->loc, "leaves a loop early");
}

static void walk_block(walker *w, const sir_block *b)
{
    for (size_t i = 0; i < b->len && w->lack.text == NULL; i++)
        walk_stmt(w, b->data[i]);
}

// ---- Threads ----

static int64_t elements_of(int64_t items)
{
    return (items + ELEMENT - 1) / ELEMENT;
}

// How many firings a thread has: it writes whole elements, and pops whole ones, or else has so few lookups that each can have an
// input of its own. 0: there is no such number.
static int64_t firings_of(int64_t pop, int64_t push, int64_t window)
{
    for (unsigned apart = 0; apart < 2; apart++)
        for (int64_t n = 1; n <= MOST_FIRINGS; n *= 2)
            if (n * push % ELEMENT == 0 && n * push <= ELEMENT * MOST_OUTPUTS &&
                (apart == 0 ? n * pop % ELEMENT == 0 : elements_of((n - 1) * pop + window) <= MOST_INPUTS))
                return n;
    return 0;
}

// Instructions for ten operations, as measured. The operations of firings with neighbouring items, and of one firing, fill
// instructions best. Where firings are whole elements apart all lanes want the same component, of registers that differ.
static int64_t slots_of(const walker *w, const plan_thread *t, int64_t pop)
{
    int64_t operations = (w->operations - w->products) * t->firings;
    int64_t tenths = pop == 1 ? 3 : t->firings < MOST_FIRINGS ? 5 : pop % ELEMENT == 0 ? 8 : 6;
    return operations * tenths / 10 + 2 * t->lookups + 4 * t->outputs;
}

static const char *refusal(arena *a, const sir_filter *f, const machine_processor *x)
{
    const sir_function *work = f->work;
    const char *name = x->element.name;
    if ((f->input->kind != SIR_FLOAT && f->input->kind != SIR_INT) ||
        (f->output->kind != SIR_FLOAT && f->output->kind != SIR_INT))
        return arena_printf(a, "has items that are neither floats nor ints, as those of the threads of '%s' are", name);
    if (work->pop.dynamic || work->push.dynamic || work->peek.dynamic || work->pop.max <= 0 || work->push.max <= 0)
        return arena_printf(a, "has no fixed rates of at least 1, as threads of '%s' need them", name);
    if (f->prework != NULL)
        return arena_printf(a, "has a prework, and threads of '%s' are all alike", name);
    for (VEC_EACH(const sir_field, field, &f->fields))
        if (!field->constant)
            return arena_printf(a, "writes its field '%s'", field->name);
    return f->uses_random ? "uses random()"
           : f->uses_iter ? "counts its firings"
           : f->prints    ? "prints"
           : f->sends     ? "sends messages"
           : f->stateful  ? "has state"
                          : NULL;
}

plan_lack plan_thread_of(const hlc_program *p, const sir_filter *f, const machine_processor *x, plan_thread *thread)
{
    arena *a = p->arena;
    const char *text = refusal(a, f, x);
    if (text != NULL)
        return (plan_lack){text, f->loc, "pipeline"};
    int64_t pop = f->work->pop.max, push = f->work->push.max;
    frame outer = {.function = f->work};
    walker w = {.arena = a, .inexact = p->config != NULL && p->config->target_fp, .filter = f, .frame = &outer};
    outer.local = ARENA_ARRAY(a, known_value, f->work->locals.len + 1);
    walk_block(&w, &f->work->body);
    int64_t window = w.reach > pop ? w.reach : pop;
    thread->firings = firings_of(pop, push, window);
    window += (thread->firings - 1) * pop;
    thread->lookups = elements_of(window);
    thread->outputs = thread->firings * push / ELEMENT;
    thread->slots = slots_of(&w, thread, pop);
    int64_t slots = (int64_t)(x->instruction_memory / 24 < 512 ? x->instruction_memory / 24 : 512);
    if (w.lack.text == NULL && thread->firings == 0)
        lack(&w, f->loc,
             arena_printf(
                 a, "pops %" PRId64 " and pushes %" PRId64 " items, of which no few firings make whole elements of %d",
                 pop, push, ELEMENT));
    if (w.lack.text == NULL && thread->lookups > MOST_LOOKUPS)
        lack(&w, f->loc,
             arena_printf(a, "reads %" PRId64 " items for %" PRId64 " firings, more than a thread has registers for",
                          window, thread->firings));
    if (w.lack.text == NULL && thread->slots > slots)
        lack(&w, f->loc,
             arena_printf(a, "needs about %" PRId64 " instructions as a thread, and '%s' has %" PRId64, thread->slots,
                          x->element.name, slots));
    return w.lack;
}

int64_t plan_threads_strip(hlc_program *p)
{
    const machine_processor *x = NULL;
    for (VEC_EACH(const machine_processor, q, &p->machine->processors))
        x = x == NULL && q->kind == MACHINE_processor_kind_KERNEL && plan_launches(q) ? q : x;
    if (x == NULL)
        return 1;
    const double *each = plan_costs(p, p->module);
    double most = 0;
    int64_t strip = 1;
    for (uint32_t i = 0; i < p->module->actors.len; i++) {
        const sir_actor *actor = p->module->actors.data[i];
        double work = each[i] * (double)p->schedule->reps[i];
        plan_thread t;
        if (actor->kind != SIR_FILTER || work <= most || plan_thread_of(p, actor->filter, x, &t).text != NULL)
            continue;
        most = work;
        int64_t firings = GENERATIONS * (int64_t)(x->pipeline.batches * x->pipeline.threads) * t.firings;
        strip = (firings + p->schedule->reps[i] - 1) / p->schedule->reps[i];
    }
    return strip;
}
