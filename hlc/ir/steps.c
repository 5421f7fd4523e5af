// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NOTE(steps). A filter that waits for a bit is where its execution stands and what its variables hold. From there it is
// executed with each of the two bits up to where it waits again, in this firing or a later one, and so from all places that
// are new, until there are none. Each place is kept as the fields that its firing began with and the bits that the firing has
// taken since: executing these again leads there. How many bits it has taken and values it has pushed tells places apart up
// to the least that it declares; the most that it declares is looked for afterwards, over all ways through the places. States
// of which no bits, however many, tell one from the other become one.
#include "hlc/ir/steps.h"

#include <string.h>

#include "hlc/ir/walk.h"

// States; scalars of the variables of all states; statements and operations that are executed; values that are pushed.
enum { STEPS_STATES = 2048, STEPS_WORDS = 1 << 20, STEPS_BUDGET = 1 << 21, STEPS_VALUES = 1 << 14 };

typedef enum steps_end { STEPS_ON, STEPS_WAIT, STEPS_FAIL } steps_end;

// A place where the filter waits.
typedef struct steps_state {
    sir_scalar *fields;  // those that are assigned, one after the other, as the firing began
    const uint8_t *bits; // of the firing
    size_t taken;
} steps_state;

typedef struct steps_run {
    arena *a;
    const sir_module *m;
    const sir_filter *filter;
    sir_scalar **locals, **fields, **globals;
    size_t words, field_words; // of locals and assigned fields; of the latter
    int64_t need;              // items that a firing begins with
    int64_t budget;
    // Of the execution at hand.
    const uint8_t *bits;
    size_t given, taken, quiet; // bits; what is pushed before so many are taken is known already
    int64_t pushed;
    VEC(uint64_t) path; // where it waits: statements, trips
    VEC(sir_scalar) * values;
    steps_end end;
    // All that is found.
    VEC(steps_state) states;
    VEC(bool) ends; // per step: the firing is over
    hmap known;     // of paths and variables: the state's number and one more
    sir_steps *found;
} steps_run;

static bool fail(steps_run *r)
{
    r->end = STEPS_FAIL;
    return false;
}

// ---- Values ----

static bool value_of(steps_run *r, const sir_expr *e, sir_scalar *v);

// The scalars that an lvalue names; NULL: outside, or not to be had.
static sir_scalar *place_of(steps_run *r, const sir_expr *e)
{
    sir_scalar *base, at;
    switch ((sir_expr_kind)e->kind) {
    case SIR_LOCAL: return r->locals[e->index];
    case SIR_FIELD: return r->fields[e->index];
    case SIR_GLOBAL: return r->globals[e->index];
    case SIR_INDEX:
        base = place_of(r, e->u.arg[0]);
        if (base == NULL || !value_of(r, e->u.arg[1], &at) || at.i < 0 || (uint32_t)at.i >= e->u.arg[0]->type->length)
            return NULL;
        return base + (size_t)at.i * e->type->words;
    case SIR_MEMBER:
        base = e->u.arg[0]->type->kind == SIR_STRUCT ? place_of(r, e->u.arg[0]) : NULL;
        for (uint32_t i = 0; base != NULL && i < e->index; i++)
            base += e->u.arg[0]->type->decl->members.data[i].type->words;
        return base;
    default: return NULL;
    }
}

static bool is_scalar(const sir_type *t)
{
    return t->kind != SIR_STRUCT && t->kind != SIR_ARRAY && t->kind != SIR_VOID;
}

static bool binary(steps_run *r, const sir_expr *e, sir_scalar *v)
{
    sir_scalar a, b;
    if (!value_of(r, e->u.arg[0], &a))
        return false;
    if (e->op == LANG_OP_LAND || e->op == LANG_OP_LOR) {
        *v = a;
        return (a.i != 0) == (e->op == LANG_OP_LOR) || value_of(r, e->u.arg[1], v);
    }
    return value_of(r, e->u.arg[1], &b) && sir_eval_binary((lang_binary_op)e->op, e->u.arg[0]->type, a, b, v);
}

static bool element(steps_run *r, const sir_expr *e, sir_scalar *v)
{
    sir_scalar a;
    if (e->kind == SIR_MEMBER && e->u.arg[0]->type->kind == SIR_COMPLEX) {
        if (!value_of(r, e->u.arg[0], &a))
            return false;
        *v = (sir_scalar){.f = e->index == 0 ? a.c.re : a.c.im};
        return true;
    }
    const sir_scalar *at = is_scalar(e->type) ? place_of(r, e) : NULL;
    if (at != NULL)
        *v = *at;
    return at != NULL;
}

static bool value_of(steps_run *r, const sir_expr *e, sir_scalar *v)
{
    sir_scalar a, b = {0};
    if (r->budget-- <= 0)
        return false;
    memset(v, 0, sizeof *v);
    switch ((sir_expr_kind)e->kind) {
    case SIR_CONST: *v = e->u.value; return true;
    case SIR_LOCAL:
    case SIR_FIELD:
    case SIR_GLOBAL:
    case SIR_INDEX:
    case SIR_MEMBER: return element(r, e, v);
    case SIR_UNARY:
        return value_of(r, e->u.arg[0], &a) && sir_eval_unary((lang_unary_op)e->op, e->u.arg[0]->type, a, v);
    case SIR_BINARY: return binary(r, e, v);
    case SIR_SELECT: return value_of(r, e->u.arg[0], &a) && value_of(r, e->u.arg[a.i != 0 ? 1 : 2], v);
    case SIR_CONVERT:
        if (!value_of(r, e->u.arg[0], &a))
            return false;
        *v = sir_eval_convert(e->u.arg[0]->type, e->type, a);
        return true;
    case SIR_MATH:
        return value_of(r, e->u.arg[0], &a) && (sir_expr_arity(e) < 2 || value_of(r, e->u.arg[1], &b)) &&
               sir_eval_math((lang_math_op)e->op, e->u.arg[0]->type, a, b, v);
    case SIR_MAKE_COMPLEX:
        if (!value_of(r, e->u.arg[0], &a) || !value_of(r, e->u.arg[1], &b))
            return false;
        *v = (sir_scalar){.c = {a.f, b.f}};
        return true;
    case SIR_PEEK:
    case SIR_FETCH:
    case SIR_ITER: break;
    }
    return false;
}

// ---- Statements ----

static bool block(steps_run *r, const sir_block *b);

// Gives a variable what an expression says.
static bool assign(steps_run *r, sir_scalar *to, const sir_expr *e)
{
    sir_scalar v;
    if (to == NULL)
        return fail(r);
    if (is_scalar(e->type)) {
        if (!value_of(r, e, &v))
            return fail(r);
        *to = v;
        return true;
    }
    const sir_scalar *from = place_of(r, e);
    r->budget -= (int64_t)e->type->words;
    if (from == NULL || r->budget < 0)
        return fail(r);
    memmove(to, from, e->type->words * sizeof *to);
    return true;
}

static bool declare(steps_run *r, const sir_stmt *s)
{
    const sir_type *type = r->filter->work->locals.data[s->u.decl.local].type;
    sir_scalar *to = r->locals[s->u.decl.local];
    if (s->u.decl.init != NULL)
        return assign(r, to, s->u.decl.init);
    memset(to, 0, type->words * sizeof *to);
    r->budget -= (int64_t)type->words;
    return true;
}

// to NULL: nobody wants the bit.
static bool take(steps_run *r, sir_scalar *to)
{
    if (r->taken == r->given) {
        r->end = STEPS_WAIT;
        return false;
    }
    int64_t most = r->filter->work->pop.max;
    if (most >= 0 && (int64_t)r->taken >= most)
        return fail(r);
    uint8_t bit = r->bits[r->taken++];
    if (to != NULL)
        *to = (sir_scalar){.i = bit};
    return true;
}

static bool pop(steps_run *r, const sir_stmt *s)
{
    const sir_expr *target = s->u.set.target;
    sir_scalar *to = target == NULL ? NULL : place_of(r, target);
    if (target != NULL && (to == NULL || !is_scalar(target->type)))
        return fail(r);
    return take(r, to);
}

static bool push(steps_run *r, const sir_stmt *s)
{
    sir_scalar v;
    int64_t most = r->filter->work->push.max;
    if (!value_of(r, s->u.value, &v) || (int64_t)r->taken < r->need || (most >= 0 && r->pushed >= most))
        return fail(r);
    r->pushed++;
    if (r->taken >= r->quiet)
        VEC_PUSH(r->a, r->values, v);
    return true;
}

static bool counted(steps_run *r, const sir_stmt *s)
{
    sir_scalar lo, hi;
    if (!value_of(r, s->u.for_.lo, &lo) || !value_of(r, s->u.for_.hi, &hi))
        return fail(r);
    VEC_PUSH(r->a, &r->path, (uint32_t)hi.i);
    size_t at = r->path.len;
    for (int64_t i = lo.i; s->u.for_.step > 0 ? i < hi.i : i > hi.i; i += s->u.for_.step) {
        *r->locals[s->u.for_.local] = (sir_scalar){.i = (int32_t)i};
        r->path.len = at;
        if (!block(r, &s->u.for_.body))
            return false;
    }
    r->path.len = at - 1;
    return true;
}

// Parts of a loop, for the path.
enum { LOOP_PRE, LOOP_BODY, LOOP_STEP };

static bool loop_part(steps_run *r, uint64_t part, const sir_block *b)
{
    VEC_PUSH(r->a, &r->path, part);
    bool on = block(r, b);
    if (on)
        r->path.len--;
    return on;
}

static bool loop(steps_run *r, const sir_stmt *s)
{
    for (bool first = true;; first = false) {
        bool tests = !s->u.loop.post_test || !first;
        sir_scalar go = {.i = 1};
        if (tests && !loop_part(r, LOOP_PRE, &s->u.loop.pre))
            return false;
        if (tests && s->u.loop.cond != NULL && !value_of(r, s->u.loop.cond, &go))
            return fail(r);
        if (go.i == 0)
            return true;
        if (r->budget-- <= 0)
            return fail(r);
        if (!loop_part(r, LOOP_BODY, &s->u.loop.body) || !loop_part(r, LOOP_STEP, &s->u.loop.step))
            return false;
    }
}

static bool branch(steps_run *r, const sir_stmt *s)
{
    sir_scalar c;
    if (!value_of(r, s->u.if_.cond, &c))
        return fail(r);
    VEC_PUSH(r->a, &r->path, c.i != 0);
    if (!block(r, c.i != 0 ? &s->u.if_.then : &s->u.if_.otherwise))
        return false;
    r->path.len--;
    return true;
}

static bool statement(steps_run *r, const sir_stmt *s)
{
    if (r->budget-- <= 0)
        return fail(r);
    switch ((sir_stmt_kind)s->kind) {
    case SIR_DECL: return declare(r, s);
    case SIR_SET: return assign(r, place_of(r, s->u.set.target), s->u.set.value);
    case SIR_POP: return pop(r, s);
    case SIR_PUSH: return push(r, s);
    case SIR_IF: return branch(r, s);
    case SIR_FOR: return counted(r, s);
    case SIR_LOOP: return loop(r, s);
    case SIR_BLOCK: return block(r, &s->u.block);
    case SIR_PRINT:
    case SIR_CALL:
    case SIR_RANDOM:
    case SIR_BREAK:
    case SIR_CONTINUE:
    case SIR_RETURN:
    case SIR_SEND: break;
    }
    return fail(r);
}

// False: it waits or fails.
static bool block(steps_run *r, const sir_block *b)
{
    for (size_t i = 0; i < b->len; i++) {
        VEC_PUSH(r->a, &r->path, i);
        if (!statement(r, b->data[i]))
            return false;
        r->path.len--;
    }
    return true;
}

// ---- Firings ----

static void each_field(steps_run *r, sir_scalar *all, bool save)
{
    for (size_t i = 0; i < r->filter->fields.len; i++) {
        const sir_field *f = &r->filter->fields.data[i];
        if (f->constant)
            continue;
        memcpy(save ? all : r->fields[i], save ? r->fields[i] : all, f->type->words * sizeof *all);
        all += f->type->words;
    }
}

// Executes a firing from its beginning on. quiet: what it pushes before it has taken so many bits is not asked for.
static steps_end fire(steps_run *r, const sir_scalar *fields, const uint8_t *bits, size_t given, size_t quiet)
{
    const sir_function *work = r->filter->work;
    each_field(r, (sir_scalar *)(uintptr_t)fields, false);
    for (size_t i = 0; i < work->locals.len; i++)
        memset(r->locals[i], 0, work->locals.data[i].type->words * sizeof(sir_scalar));
    r->bits = bits;
    r->given = given;
    r->quiet = quiet;
    r->taken = 0;
    r->pushed = 0;
    r->path.len = 0;
    r->end = STEPS_ON;
    r->budget -= (int64_t)r->words;
    if (!block(r, &work->body))
        return r->end;
    VEC_PUSH(r->a, &r->path, UINT64_MAX); // takes what it declares and does not pop
    while ((int64_t)r->taken < work->pop.min)
        if (!take(r, NULL))
            return r->end;
    if (r->pushed < work->push.min || r->taken == 0)
        fail(r);
    return r->end;
}

static bool add_state(steps_run *r, const sir_scalar *fields, const uint8_t *bits, size_t taken, uint32_t *number)
{
    int64_t least = r->filter->work->push.min;
    VEC_PUSH(r->a, &r->path, (uint64_t)((int64_t)taken < r->need ? (int64_t)taken : r->need));
    VEC_PUSH(r->a, &r->path, (uint64_t)(r->pushed < least ? r->pushed : least));
    size_t path = r->path.len * sizeof *r->path.data, size = path + r->words * sizeof(sir_scalar);
    char *key = ARENA_ARRAY(r->a, char, size + 1), *to = key + path;
    memcpy(key, r->path.data, path);
    each_field(r, (sir_scalar *)(void *)to, true);
    to += r->field_words * sizeof(sir_scalar);
    for (size_t i = 0; i < r->filter->work->locals.len; i++) {
        size_t n = r->filter->work->locals.data[i].type->words * sizeof(sir_scalar);
        memcpy(to, r->locals[i], n);
        to += n;
    }
    const uint32_t *known = hmap_getn(&r->known, key, size);
    if (known == NULL) {
        if (r->states.len >= STEPS_STATES || (r->states.len + 1) * (r->words + r->path.len) > STEPS_WORDS)
            return false;
        uint32_t *slot = ARENA_NEW(r->a, uint32_t);
        *slot = (uint32_t)r->states.len;
        hmap_setn(&r->known, key, size, slot);
        uint8_t *copy = ARENA_ARRAY(r->a, uint8_t, taken + 1);
        memcpy(copy, bits, taken);
        VEC_PUSH(r->a, &r->states, (steps_state){(sir_scalar *)(uintptr_t)fields, copy, taken});
        known = slot;
    }
    *number = *known;
    return true;
}

// The state in which a firing waits first that begins with the fields as they are.
static bool begin_firing(steps_run *r, uint32_t *number)
{
    sir_scalar *fields = ARENA_ARRAY(r->a, sir_scalar, r->field_words + 1);
    each_field(r, fields, true);
    const uint8_t *none = ARENA_ARRAY(r->a, uint8_t, 1);
    return fire(r, fields, none, 0, 0) == STEPS_WAIT && add_state(r, fields, none, 0, number);
}

static bool follow(steps_run *r, size_t from, uint8_t bit)
{
    steps_state s = r->states.data[from];
    uint8_t *bits = ARENA_ARRAY(r->a, uint8_t, s.taken + 1);
    memcpy(bits, s.bits, s.taken);
    bits[s.taken] = bit;
    sir_step step = {.first = (uint32_t)r->found->values.len};
    steps_end end = fire(r, s.fields, bits, s.taken + 1, s.taken + 1);
    if (end == STEPS_FAIL || r->found->values.len > STEPS_VALUES)
        return false;
    step.count = (uint32_t)r->found->values.len - step.first;
    if (!(end == STEPS_WAIT ? add_state(r, s.fields, bits, s.taken + 1, &step.next) : begin_firing(r, &step.next)))
        return false;
    VEC_PUSH(r->a, &r->found->steps, step);
    VEC_PUSH(r->a, &r->ends, end == STEPS_ON);
    return true;
}

// Whether no firing, whichever way it goes, comes to more than `most`: bits, or values.
static bool stays_within(const steps_run *r, int64_t most, bool bits)
{
    size_t n = r->states.len;
    int64_t *before = ARENA_ARRAY(r->a, int64_t, n + 1); // the most that a firing has when it waits there
    bool more = most >= 0;
    for (size_t round = 0; more; round++) {
        more = false;
        for (size_t i = 0; i < 2 * n; i++) {
            const sir_step *s = &r->found->steps.data[i];
            int64_t all = before[i / 2] + (bits ? 1 : s->count);
            if (all > most || round > n) // it could go round and round
                return false;
            if (r->ends.data[i] || before[s->next] >= all)
                continue;
            before[s->next] = all;
            more = true;
        }
    }
    return true;
}

// ---- Which filters ----

static bool counts(const sir_filter *f)
{
    const sir_function *work = f->work;
    return work != NULL && f->prework == NULL && !f->finite && !f->uses_iter && !f->uses_random && !f->prints &&
           !f->sends && f->handlers.len == 0 && f->input->kind == SIR_BIT && is_scalar(f->output);
}

static sir_scalar *storage(steps_run *r, const sir_type *type, const sir_value *init)
{
    sir_scalar *s = ARENA_ARRAY(r->a, sir_scalar, type->words + 1);
    if (init != NULL && !init->zero)
        memcpy(s, init->data, type->words * sizeof *s);
    return s;
}

static bool prepare(steps_run *r)
{
    const sir_function *work = r->filter->work;
    size_t constants = 0;
    for (VEC_EACH(const sir_field, f, &r->filter->fields)) {
        constants += f->constant ? f->type->words : 0;
        r->field_words += f->constant ? 0 : f->type->words;
    }
    r->words = r->field_words;
    for (VEC_EACH(const sir_local, l, &work->locals))
        r->words += l->type->words;
    for (VEC_EACH(const sir_global, g, &r->m->globals))
        constants += g->value.type->words;
    if (r->words > STEPS_WORDS || constants > STEPS_WORDS)
        return false;
    r->locals = ARENA_ARRAY(r->a, sir_scalar *, work->locals.len + 1);
    for (size_t i = 0; i < work->locals.len; i++)
        r->locals[i] = storage(r, work->locals.data[i].type, NULL);
    r->fields = ARENA_ARRAY(r->a, sir_scalar *, r->filter->fields.len + 1);
    for (size_t i = 0; i < r->filter->fields.len; i++)
        r->fields[i] = storage(r, r->filter->fields.data[i].type, &r->filter->fields.data[i].init);
    r->globals = ARENA_ARRAY(r->a, sir_scalar *, r->m->globals.len + 1);
    for (size_t i = 0; i < r->m->globals.len; i++)
        r->globals[i] = storage(r, r->m->globals.data[i].value.type, &r->m->globals.data[i].value);
    r->need = work->peek.min > work->pop.min ? work->peek.min : work->pop.min;
    r->need =
        r->need > 1 ? r->need : 1; // one that declares none begins when no more come, too, and waits where it pops
    return true;
}

// ---- States that do the same ----

// Numbers by what a bit pushes and the class that it leads to, in the order of the states; gives how many.
static uint32_t refine(const steps_run *r, const uint32_t *of, uint32_t *finer)
{
    arena *a = arena_create();
    hmap seen;
    uint32_t n = 0;
    hmap_init(&seen, a);
    for (size_t i = 0; i < r->states.len; i++) {
        strbuf key;
        strbuf_init(&key, a);
        for (size_t bit = 0; bit < 2; bit++) {
            const sir_step *s = &r->found->steps.data[2 * i + bit];
            uint32_t head[2] = {of[s->next], s->count};
            strbuf_addn(&key, (const char *)head, sizeof head);
            strbuf_addn(&key, (const char *)(r->found->values.data + s->first), s->count * sizeof(sir_scalar));
        }
        const uint32_t *known = hmap_getn(&seen, key.data, key.len);
        if (known == NULL) {
            uint32_t *slot = ARENA_NEW(a, uint32_t);
            *slot = n++;
            hmap_setn(&seen, key.data, key.len, slot);
            known = slot;
        }
        finer[i] = *known;
    }
    arena_destroy(a);
    return n;
}

static void merge(steps_run *r)
{
    uint32_t *of = ARENA_ARRAY(r->a, uint32_t, r->states.len), *finer = ARENA_ARRAY(r->a, uint32_t, r->states.len);
    for (uint32_t n = 1, before = 0; n != before;) {
        before = n;
        n = refine(r, of, finer);
        memcpy(of, finer, r->states.len * sizeof *of);
    }
    size_t to = 0;
    for (size_t i = 0; i < r->states.len; i++) {
        if (of[i] != to / 2) // another one does the same, or it is behind the first of its class
            continue;
        for (size_t bit = 0; bit < 2; bit++) {
            sir_step s = r->found->steps.data[2 * i + bit];
            s.next = of[s.next];
            r->found->steps.data[to++] = s;
        }
    }
    r->found->steps.len = to;
}

// Values of equal runs once.
static void share_values(arena *a, sir_steps *s)
{
    hmap seen;
    sir_steps all = *s;
    hmap_init(&seen, a);
    s->values.data = NULL;
    s->values.len = s->values.cap = 0;
    for (VEC_EACH(sir_step, step, &s->steps)) {
        const sir_scalar *from = all.values.data + step->first;
        size_t size = step->count * sizeof *from;
        const uint32_t *known = step->count == 0 ? &step->count : hmap_getn(&seen, from, size);
        if (known == NULL) {
            uint32_t *slot = ARENA_NEW(a, uint32_t);
            *slot = (uint32_t)s->values.len;
            hmap_setn(&seen, from, size, slot);
            for (uint32_t i = 0; i < step->count; i++)
                VEC_PUSH(a, &s->values, from[i]);
            known = slot;
        }
        step->first = *known;
    }
}

// All states; false: there are too many, or a firing cannot be followed.
static bool find_states(steps_run *r, arena *scratch, sir_steps *all, const sir_module *m, const sir_filter *f)
{
    *r = (steps_run){.a = scratch, .m = m, .filter = f, .budget = STEPS_BUDGET, .found = all};
    r->values = (void *)&all->values;
    hmap_init(&r->known, scratch);
    uint32_t first;
    bool few = prepare(r) && begin_firing(r, &first);
    for (size_t i = 0; few && i < r->states.len; i++)
        few = follow(r, i, 0) && follow(r, i, 1);
    return few && stays_within(r, f->work->pop.max, true) && stays_within(r, f->work->push.max, false);
}

static void keep_steps(arena *a, arena *scratch, sir_steps *all, sir_steps *found)
{
    share_values(scratch, all);
    for (VEC_EACH(const sir_step, s, &all->steps))
        VEC_PUSH(a, &found->steps, *s);
    for (VEC_EACH(const sir_scalar, v, &all->values))
        VEC_PUSH(a, &found->values, *v);
}

bool sir_find_steps(arena *a, const sir_module *m, const sir_filter *f, sir_steps *found)
{
    *found = (sir_steps){0};
    if (!counts(f))
        return false;
    arena *scratch = arena_create();
    sir_steps all = {0};
    steps_run r;
    bool few = find_states(&r, scratch, &all, m, f);
    if (few) {
        merge(&r);
        keep_steps(a, scratch, &all, found);
    }
    arena_destroy(scratch);
    return few;
}

static bool keeps_an_int(const sir_filter *f)
{
    size_t ints = 0, others = 0;
    for (VEC_EACH(const sir_field, field, &f->fields)) {
        ints += !field->constant && field->type->kind == SIR_INT;
        others += !field->constant && field->type->kind != SIR_INT;
    }
    return ints == 1 && others == 0;
}

bool sir_find_int_steps(arena *a, const sir_module *m, const sir_filter *f, sir_int_steps *found)
{
    *found = (sir_int_steps){0};
    const sir_function *work = f->work;
    if (!counts(f) || !keeps_an_int(f) || work->pop.dynamic || work->pop.max != 1 || work->peek.dynamic ||
        work->peek.max != 1 || work->push.dynamic)
        return false;
    arena *scratch = arena_create();
    sir_steps all = {0};
    steps_run r;
    bool few = find_states(&r, scratch, &all, m, f);
    for (size_t i = 0; i < r.states.len && few; i++) {
        few = r.states.data[i].taken == 0;
        VEC_PUSH(a, &found->values, r.states.data[i].fields[0].i);
    }
    if (few)
        keep_steps(a, scratch, &all, &found->steps);
    arena_destroy(scratch);
    return few;
}

bool sir_int_steps_are_few(const sir_int_steps *s)
{
    for (VEC_EACH(const int32_t, v, &s->values))
        if (*v < 0 || *v >= SIR_INT_STEPS_MOST)
            return false;
    for (VEC_EACH(const sir_scalar, v, &s->steps.values))
        if (v->i != 0 && v->i != 1)
            return false;
    return true;
}

uint32_t sir_steps_most(arena *a, const sir_steps *s, int bits)
{
    size_t n = s->steps.len / 2;
    uint32_t *before = ARENA_ARRAY(a, uint32_t, n + 1), *now = ARENA_ARRAY(a, uint32_t, n + 1), most = 0;
    for (int k = 0; k < bits; k++) {
        most = 0;
        for (size_t i = 0; i < n; i++) {
            const sir_step *zero = &s->steps.data[2 * i], *one = zero + 1;
            uint32_t x = zero->count + before[zero->next], y = one->count + before[one->next];
            now[i] = x > y ? x : y;
            most = now[i] > most ? now[i] : most;
        }
        memcpy(before, now, n * sizeof *now);
    }
    return most;
}
