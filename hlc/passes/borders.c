// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass 'borders': a loop whose first or last trips differ from the others, as at the borders of a picture, becomes
// several, in each of which all trips are alike. What asks where a trip is goes, and the C compiler makes vectors.
//
//     for %x = 0 to 64 {                                       for %x = 1 to 63 {
//         for %d = 63 to 66 {                                      for %d = 63 to 66 {
//             $n = $n + peek((%x + %d) % 64)        ->                 $n = $n + peek(%x + %d - 64)
//         }   ..                                                   }   ..
//     }                                                        }    and the same for 0 and for 63
//
// Each trip is executed with intervals (borders_trip.c): that gives, for comparisons and quotients, what they come to in
// this trip. Trips that follow each other with the same results are a loop of their own.
#include <inttypes.h>
#include <string.h>

#include "hlc/ir/copy.h"
#include "hlc/ir/lanes.h"
#include "hlc/ir/walk.h"
#include "hlc/passes/borders_int.h"
#include "hlc/passes/canonicalize.h"
#include "hlc/passes/pass.h"

// Trips of a loop, and of the longest of those that it becomes, at least; loops that it becomes; expressions that a
// filter gets more; what executing a loop's trips may cost, in expressions; items and elements of a firing that goes side
// by side with others.
enum { BORDERS_TRIPS = 12, BORDERS_MAIN = 8, BORDERS_RUNS = 5, BORDERS_NODES = 4000, BORDERS_STEPS = 1 << 22 };
enum { BORDERS_WORDS = 1024 };

typedef struct borders {
    arena *a;
    hlc_program *hlc;
    sir_module *m;
    sir_filter *filter;
    sir_function *f;
    VEC(const sir_stmt *) loops; // around the present statement
    int64_t nodes;               // that may still be added
    bool side_by_side;           // firings can be lanes, in which what a loop's variable tells is the same for all
    // Of the run that is copied.
    const border_trips *trips;
    const int64_t *states;
    uint32_t *locals;
    uint32_t variable;
    bool single;
    int32_t at;
    bool changed;
} borders;

// ---- Copies ----

static sir_expr *copy_of(borders *x, const sir_expr *e);

static sir_expr *remainder_of(borders *x, const sir_expr *e, int64_t quotient)
{
    sir_expr *a = copy_of(x, e->u.arg[0]);
    int64_t n = e->op == LANG_OP_REM ? e->u.arg[1]->u.value.i : (int64_t)e->u.arg[1]->u.value.i + 1;
    if (quotient == 0)
        return a;
    sir_expr *multiple = sir_const_int(x->m, (int32_t)(quotient * n), e->loc);
    return sir_expr2(x->m, SIR_BINARY, LANG_OP_SUB, e->type, a, multiple, e->loc);
}

// What an expression is in this run, where that is known.
static sir_expr *known_expr(void *context, const sir_expr *e)
{
    borders *x = context;
    if (e->kind == SIR_LOCAL && e->index == x->variable)
        return x->single ? sir_const(x->m, e->type, (sir_scalar){.i = x->at}, e->loc) : NULL;
    const size_t *test = hmap_getn(&x->trips->tests, &e, sizeof e);
    if (test == NULL || x->states[*test] == BORDER_UNKNOWN || x->states[*test] == BORDER_UNREACHED)
        return NULL;
    int64_t state = x->states[*test];
    if (e->kind == SIR_MATH)
        return copy_of(x, e->u.arg[state]);
    if (e->op == LANG_OP_REM || e->op == LANG_OP_AND)
        return remainder_of(x, e, state);
    return sir_const(x->m, e->type, (sir_scalar){.i = (int32_t)state}, e->loc);
}

static void own_local(void *context, uint32_t local)
{
    borders *x = context;
    const sir_local l = x->f->locals.data[local];
    x->locals[local] = sir_local_new(x->m, x->f, l.name, l.type, l.loc);
}

static sir_copier copier_of(borders *x)
{
    return (sir_copier){
        .arena = x->m->arena, .locals = x->locals, .context = x, .expr = known_expr, .declare = own_local};
}

static sir_expr *copy_of(borders *x, const sir_expr *e)
{
    const sir_copier c = copier_of(x);
    return sir_copy_expr(&c, e);
}

// The trips from first to end - 1.
static void add_run(borders *x, const border_trips *t, const sir_stmt *s, size_t first, size_t end, sir_block *to)
{
    size_t count = x->f->locals.len;
    x->locals = ARENA_ARRAY(x->a, uint32_t, count + 1);
    for (size_t i = 0; i < count; i++)
        x->locals[i] = (uint32_t)i;
    x->trips = t;
    x->states = &t->states[first * t->test_count];
    x->variable = s->u.for_.local;
    x->single = end - first == 1;
    x->at = border_value(s, first);
    const sir_copier c = copier_of(x);
    if (x->single) {
        sir_copy_stmts(&c, &s->u.for_.body, 0, s->u.for_.body.len, to);
        return;
    }
    sir_stmt *loop = sir_stmt_new(x->m, SIR_FOR, s->loc);
    own_local(x, s->u.for_.local);
    loop->u.for_.local = x->locals[s->u.for_.local];
    loop->u.for_.lo = sir_const_int(x->m, x->at, s->u.for_.lo->loc);
    loop->u.for_.hi = sir_const_int(x->m, border_value(s, end), s->u.for_.hi->loc);
    loop->u.for_.step = s->u.for_.step;
    loop->u.for_.body = sir_copy_block(&c, &s->u.for_.body);
    VEC_PUSH(x->m->arena, to, loop);
}

// ---- Loops ----

typedef struct border_runs {
    size_t end[BORDERS_RUNS]; // of the trips of each
    size_t count, main;       // the longest
} border_runs;

static bool find_runs(const border_trips *t, border_runs *r)
{
    *r = (border_runs){0};
    size_t longest = 0, first = 0, size = t->test_count * sizeof *t->states;
    for (size_t i = 1; i <= t->trips; i++) {
        if (i < t->trips && memcmp(&t->states[i * t->test_count], &t->states[first * t->test_count], size) == 0)
            continue;
        if (r->count == BORDERS_RUNS)
            return false;
        if (i - first > longest) {
            longest = i - first;
            r->main = r->count;
        }
        r->end[r->count++] = i;
        first = i;
    }
    return longest >= BORDERS_MAIN && longest * 2 >= t->trips;
}

// Whether something is known in most trips.
static bool gains(const border_trips *t, const border_runs *r)
{
    const int64_t *states = &t->states[(r->end[r->main] - 1) * t->test_count];
    for (size_t i = 0; i < t->test_count; i++)
        if (states[i] != BORDER_UNKNOWN && states[i] != BORDER_UNREACHED)
            return true;
    return false;
}

static void tell(const borders *x, const sir_stmt *s, const border_trips *t, const border_runs *r)
{
    size_t first = r->main == 0 ? 0 : r->end[r->main - 1];
    if (x->hlc->diag->remarks)
        diag_remark(x->hlc->diag, sir_range(x->m, x->hlc->sources, s->loc),
                    "'%s': of %zu trips, the first %zu and the last %zu are apart from the others, which do not ask "
                    "where they are [borders]",
                    x->filter->name, t->trips, first, t->trips - r->end[r->main]);
}

static void note_loop(void *context, sir_stmt *s)
{
    *(bool *)context |= s->kind == SIR_FOR || s->kind == SIR_LOOP;
}

static bool has_loop(const sir_block *b)
{
    bool any = false;
    sir_visit_stmts(b, note_loop, &any);
    return any;
}

// Whether a loop becomes several.
static bool cut_loop(borders *x, const sir_stmt *s, sir_block *to)
{
    int64_t trips = border_trip_count(s), nodes = 1 + (int64_t)sir_count_nodes(&s->u.for_.body);
    if (trips < BORDERS_TRIPS || trips > BORDERS_STEPS / nodes || (x->side_by_side && has_loop(&s->u.for_.body)))
        return false;
    border_trips t = {.a = x->a, .f = x->f, .trips = (size_t)trips};
    border_runs r;
    if (!border_run_trips(&t, s, (const sir_stmt *const *)x->loops.data, x->loops.len) || t.uneven ||
        !find_runs(&t, &r) || !gains(&t, &r) || nodes * (int64_t)(r.count - 1) > x->nodes)
        return false;
    x->nodes -= nodes * (int64_t)(r.count - 1);
    for (size_t i = 0; i < r.count; i++)
        add_run(x, &t, s, i == 0 ? 0 : r.end[i - 1], r.end[i], to);
    tell(x, s, &t, &r);
    return x->changed = true;
}

static void cut_block(borders *x, sir_block *b);

static void cut_inside(borders *x, sir_stmt *s)
{
    sir_parts parts = sir_stmt_parts(s);
    if (s->kind == SIR_FOR)
        VEC_PUSH(x->a, &x->loops, s);
    for (uint8_t i = 0; i < parts.block_count; i++)
        cut_block(x, parts.block[i]);
    if (s->kind == SIR_FOR)
        x->loops.len--;
}

// Outer loops first: what they ask in a long loop that they have is alike in all of that one's trips.
static void cut_block(borders *x, sir_block *b)
{
    sir_block to = {0};
    for (VEC_EACH(sir_stmt *, p, b)) {
        size_t first = to.len;
        if ((*p)->kind != SIR_FOR || !cut_loop(x, *p, &to))
            VEC_PUSH(x->m->arena, &to, *p);
        for (size_t i = first; i < to.len; i++)
            cut_inside(x, to.data[i]);
    }
    *b = to;
}

// Whether what several firings have at hand fits the first cache.
static bool can_be_lanes(arena *a, const sir_filter *f)
{
    bool *locals = ARENA_ARRAY(a, bool, f->work->locals.len + 1);
    if (f->stateful || !sir_lane_locals(f->work, locals))
        return false;
    int64_t words = f->work->peek.max + f->work->push.max;
    for (size_t i = 0; i < f->work->locals.len; i++)
        if (locals[i] && f->work->locals.data[i].type->kind == SIR_ARRAY)
            words += (int64_t)f->work->locals.data[i].type->words;
    return words <= BORDERS_WORDS;
}

static bool cut_filter(hlc_program *p, sir_filter *f)
{
    if (f->work == NULL || f->finite)
        return false;
    borders x = {.a = arena_create(), .hlc = p, .m = p->module, .filter = f, .f = f->work, .nodes = BORDERS_NODES};
    x.side_by_side = can_be_lanes(x.a, f);
    cut_block(&x, &f->work->body);
    arena_destroy(x.a);
    return x.changed;
}

bool pass_borders(hlc_program *p)
{
    bool changed = false;
    if (!pass_may_change_more(p) || !pass_has_vectors(p))
        return false;
    for (VEC_EACH(sir_filter *, f, &p->module->filters))
        changed |= cut_filter(p, *f);
    if (changed)
        sir_canonicalize(p->module, &(canon_options){0});
    return changed;
}
