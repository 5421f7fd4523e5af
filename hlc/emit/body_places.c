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

// Trips of a loop that are done in any case (NOTE(few)); 0: as many as are wanted.
static int64_t few_of(const body_context *c, const sir_stmt *s, int each)
{
    const sir_type *t = c->info->filter->output;
    int64_t trips;
    if (sir_for_trips(s, &trips) || s->u.for_.body.len != (size_t)each || t->kind == SIR_STRUCT ||
        t->kind == SIR_COMPLEX)
        return 0;
    for (VEC_EACH(sir_stmt *const, p, &s->u.for_.body))
        if (!body_is_harmless((*p)->u.value))
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
