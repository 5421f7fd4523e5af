// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops of dynamic-rate actors that push: places side by side for all of it.
//
//     for (ptrdiff_t i = 0; i < n; i++) {                        int *const svm_places = svm_dynamicPlaces(dynamic, n, sizeof(int));
//         *(int *)svm_dynamicPush(dynamic, sizeof(int)) = 0;  ->  if (svm_places != NULL) {
//     }                                                              for (ptrdiff_t i = 0; i < n; i++)
//                                                                        svm_places[i] = 0;
//                                                                } else { as before }
//
// NOTE(places). Each trip, up or down by one, pushes the same number of items and does nothing else with the actor, so that it is known beforehand
// how many there are. C compilers then make vectors of the loop, and keep nothing for the case that there is no room.
//
// NOTE(few). Where what the trips push may be computed though nobody wants it, so many are done in any case as fill a vector,
// and the others in a loop that seldom has any: processors do not foresee how often a short loop goes round.
//
//     int *const svm_places = svm_dynamicPlacesBeside(dynamic, n, 16, sizeof(int));
//     if (svm_places != NULL) {
//         for (ptrdiff_t i = 0; i < 16; i++)
//             svm_places[i] = v;
//         for (ptrdiff_t i = 16; i < n; i++)
//             svm_places[i] = v;
//
// NOTE(wanted). An item that is pushed if a condition holds is written in any case, and the next one goes to its place if it did
// not hold: processors do not foresee what data decide.
//
//     if (x != *last) {                                          *(int *)svm_dynamicPushIf(dynamic, x != *last,
//         *(int *)svm_dynamicPush(dynamic, sizeof(int)) = x;  ->                           sizeof(int), &(int){0}) = x;
//     }
//
// There is room for it if the places that push, each of which a firing comes to once at most, are no more than the items that it
// may push.
#include <inttypes.h>

#include "hlc/emit/body_int.h"
#include "hlc/ir/walk.h"

// Items that a trip pushes at most; items that are written in any case.
enum { PLACES_PUSHES = 8, PLACES_FEW = 16 };

typedef struct place_walk {
    int pushes;
    bool fails;
} place_walk;

static void note_expr(void *context, sir_expr *e, bool written)
{
    place_walk *w = context;
    (void)written;
    w->fails |= e->kind == SIR_PEEK;
}

static void note_stmt(void *context, sir_stmt *s)
{
    place_walk *w = context;
    w->pushes += s->kind == SIR_PUSH;
    w->fails |= s->kind == SIR_POP || s->kind == SIR_CALL || s->kind == SIR_PRINT || s->kind == SIR_SEND ||
                s->kind == SIR_RETURN || s->kind == SIR_BREAK || s->kind == SIR_CONTINUE ||
                (s->kind == SIR_PUSH && s->u.value->type->kind == SIR_ARRAY);
    sir_visit_exprs(s, note_expr, w);
}

// Items that each trip pushes; 0: it is no such loop.
static int pushes_of(const body_context *c, const sir_stmt *s)
{
    place_walk w = {0};
    int always = 0;
    if (!c->dynamic || c->places != NULL || c->e->most_trips == 0 || c->e->keep_names || c->open != NULL ||
        (s->u.for_.step != 1 && s->u.for_.step != -1) || c->out.checked || c->out.exit_checked)
        return 0;
    sir_visit_stmts(&s->u.for_.body, note_stmt, &w);
    for (VEC_EACH(sir_stmt *const, p, &s->u.for_.body))
        always += (*p)->kind == SIR_PUSH;
    return w.fails || w.pushes != always || always > PLACES_PUSHES ? 0 : always;
}

// Whether it can be computed though nobody wants it, at little cost.
static bool is_harmless(const sir_expr *e)
{
    switch ((sir_expr_kind)e->kind) {
    case SIR_CONST: return true;
    case SIR_LOCAL:
    case SIR_FIELD: return e->type->kind != SIR_ARRAY && e->type->kind != SIR_STRUCT;
    case SIR_BINARY:
        if (sir_may_divide_by_zero(e) || e->op == LANG_OP_DIV || e->op == LANG_OP_REM)
            return false;
        break;
    case SIR_UNARY:
    case SIR_CONVERT:
    case SIR_SELECT: break;
    default: return false;
    }
    for (size_t i = 0; i < sir_expr_arity(e); i++)
        if (!is_harmless(e->u.arg[i]))
            return false;
    return true;
}

// Trips of a loop that are done in any case (NOTE(few)); 0: as many as are wanted.
static int64_t few_of(const body_context *c, const sir_stmt *s, int each)
{
    const sir_type *t = c->info->filter->output;
    int64_t trips;
    if (sir_for_trips(s, &trips) || s->u.for_.body.len != (size_t)each || t->kind == SIR_STRUCT ||
        t->kind == SIR_COMPLEX)
        return 0;
    for (VEC_EACH(sir_stmt *const, p, &s->u.for_.body))
        if (!is_harmless((*p)->u.value))
            return 0;
    return PLACES_FEW / each;
}

// The loop, of which trips from `from` to before `to` are done (NULL: from its first, to its last).
static void places_loop(body_context *c, const sir_stmt *s, const char *from, const char *to)
{
    c->places->from = from;
    c->places->to = to;
    body_for(c, s);
    c->places->from = c->places->to = NULL;
}

bool body_places(body_context *c, const sir_stmt *s)
{
    body_push_places places = {.each = pushes_of(c, s), .loop = s};
    if (places.each == 0)
        return false;
    const sir_type *t = c->info->filter->output;
    const char *lo = body_expr_text(c, s->u.for_.lo, PREC_COND), *hi = body_expr_text(c, s->u.for_.hi, PREC_COND);
    const int64_t few = few_of(c, s, places.each);
    const bool up = s->u.for_.step > 0;
    body_line(c, "{");
    c->indent++;
    places.number = ++c->labels;
    body_line(c,
              up ? "const ptrdiff_t svm_first%" PRIu32 " = %s, svm_trips%" PRIu32
                   " = svm_dynamicTrips(svm_first%" PRIu32 ", %s);"
                 : "const ptrdiff_t svm_first%" PRIu32 " = %s, svm_trips%" PRIu32
                   " = svm_dynamicTripsDown(svm_first%" PRIu32 ", %s);",
              places.number, lo, places.number, places.number, hi);
    const char *name = arena_printf(c->e->arena, "svm_places%" PRIu32, places.number);
    const char *count = arena_printf(c->e->arena, "svm_trips%" PRIu32 " * %d", places.number, places.each);
    body_line(c, "%s = svm_dynamicPlaces%s(%s, %s, sizeof(%s));", emit_declare_pointer(c->e, t, "", "const", name),
              few > 0 ? "Beside" : "", body_named(c, BODY_DYNAMIC),
              few > 0 ? arena_printf(c->e->arena, "%s, %" PRId64, count, few * places.each) : count,
              emit_declare_item(c->e, t, ""));
    body_line(c, "if (svm_places%" PRIu32 " != NULL) {", places.number);
    c->indent++;
    c->places = &places;
    if (few > 0) {
        const char *middle =
            arena_printf(c->e->arena, "svm_first%" PRIu32 " %c %" PRId64, places.number, up ? '+' : '-', few);
        places_loop(c, s, NULL, middle);
        places_loop(c, s, middle, NULL);
    } else {
        body_for(c, s);
    }
    c->indent--;
    body_line(c, "} else {");
    c->indent++;
    places.each = 0; // one by one
    body_for(c, s);
    c->places = NULL;
    c->indent--;
    body_line(c, "}");
    c->indent--;
    body_line(c, "}");
    return true;
}

const char *body_next_place(body_context *c)
{
    body_push_places *p = c->places;
    if (p == NULL || p->each == 0)
        return NULL;
    int at = p->next++ % p->each;
    const char *i = c->locals[p->loop->u.for_.local].c_name;
    if (p->loop->u.for_.step < 0)
        return arena_printf(c->e->arena, "svm_places%" PRIu32 "[(svm_first%" PRIu32 " - %s) * %d + %d]", p->number,
                            p->number, i, p->each, at);
    return arena_printf(c->e->arena, "svm_places%" PRIu32 "[(%s - svm_first%" PRIu32 ") * %d + %d]", p->number, i,
                        p->number, p->each, at);
}

// ---- Items that may be wanted ----

typedef struct push_sites {
    int64_t count;
    int loops;
} push_sites;

// More than any firing may push: nobody counts what loops and functions do.
#define TOO_MANY_SITES INT32_MAX

static void count_sites(const sir_block *b, push_sites *p)
{
    for (VEC_EACH(sir_stmt *const, s, b)) {
        const bool loop = (*s)->kind == SIR_FOR || (*s)->kind == SIR_LOOP;
        sir_parts parts = sir_stmt_parts(*s);
        if ((*s)->kind == SIR_PUSH || ((*s)->kind == SIR_CALL && (*s)->u.call.function->push.max != 0))
            p->count += (*s)->kind == SIR_PUSH && p->loops == 0 ? 1 : TOO_MANY_SITES;
        p->loops += loop;
        for (uint8_t i = 0; i < parts.block_count; i++)
            count_sites(parts.block[i], p);
        p->loops -= loop;
    }
}

bool body_push_if(body_context *c, const sir_stmt *s)
{
    const sir_block *then = &s->u.if_.then;
    if (!c->dynamic || c->places != NULL || c->e->most_trips == 0 || c->e->keep_names || c->open != NULL ||
        c->out.checked || c->out.exit_checked || s->u.if_.otherwise.len != 0 || then->len != 1 ||
        then->data[0]->kind != SIR_PUSH || !is_harmless(then->data[0]->u.value) || c->function->push.max < 0)
        return false;
    push_sites sites = {0};
    count_sites(&c->function->body, &sites);
    if (sites.count > c->function->push.max)
        return false;
    const char *cond = body_expr_text(c, s->u.if_.cond, PREC_COND);
    const char *value = body_expr_text(c, then->data[0]->u.value, PREC_COND);
    const sir_type *t = c->info->filter->output;
    const char *item = emit_declare_item(c->e, t, "");
    body_line(c, "*(%s)svm_dynamicPushIf(%s, %s, sizeof(%s), &(%s){0}) = %s;",
              emit_declare_pointer(c->e, t, "", "", ""), body_named(c, BODY_DYNAMIC), cond, item, item, value);
    return true;
}
