// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops of dynamic-rate actors that push or pop: places and items side by side for all of it.
//
//     for (ptrdiff_t i = 0; i < n; i++) {                        int *const svm_places = svm_dynamicPlaces(dynamic, n, sizeof(int));
//         *(int *)svm_dynamicPush(dynamic, sizeof(int)) = 0;  ->  if (svm_places != NULL) {
//     }                                                              for (ptrdiff_t i = 0; i < n; i++)
//                                                                        svm_places[i] = 0;
//                                                                } else { as before }
//
// NOTE(places). Each trip, up or down by one, pushes the same number of items and does nothing else with the actor, so that it is known beforehand
// how many there are. C compilers then make vectors of the loop, and keep nothing for the case that there is no room. So it is with
// pops (svm_dynamicItemsAhead), as of the bytes of a packet.
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

// Items that a trip pushes, or pops, at most; items that are written in any case; trips of loops that pop alone and stay as they are.
enum { PLACES_PUSHES = 8, PLACES_FEW = 16, PLACES_SHORT = 8 };

typedef struct place_walk {
    int pushes, pops;
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
    w->pops += s->kind == SIR_POP;
    w->fails |= s->kind == SIR_CALL || s->kind == SIR_PRINT || s->kind == SIR_SEND || s->kind == SIR_RETURN ||
                s->kind == SIR_BREAK || s->kind == SIR_CONTINUE ||
                (s->kind == SIR_PUSH && s->u.value->type->kind == SIR_ARRAY);
    sir_visit_exprs(s, note_expr, w);
}

// Finds what each trip pushes and pops; false: it is no such loop.
static bool find_places(const body_context *c, const sir_stmt *s, body_push_places *places)
{
    place_walk w = {0};
    int64_t trips;
    if (!c->dynamic || c->places != NULL || c->e->most_trips == 0 || c->e->keep_names || c->open != NULL ||
        (s->u.for_.step != 1 && s->u.for_.step != -1) || c->in.checked || c->in.exit_checked || c->out.checked ||
        c->out.exit_checked)
        return false;
    sir_visit_stmts(&s->u.for_.body, note_stmt, &w);
    for (VEC_EACH(sir_stmt *const, p, &s->u.for_.body))
        if ((*p)->kind == SIR_PUSH)
            places->each++;
        else if ((*p)->kind == SIR_POP)
            places->takes++;
    if (w.fails || w.pushes != places->each || w.pops != places->takes || places->each > PLACES_PUSHES ||
        places->takes > PLACES_PUSHES)
        return false;
    return places->each > 0 || (places->takes > 0 && (!sir_for_trips(s, &trips) || trips > PLACES_SHORT));
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

// Items and places for all trips, or NULL; the condition that there are both.
static const char *find_sides(body_context *c, const body_push_places *p, int64_t few)
{
    arena *a = c->e->arena;
    const sir_type *in = c->info->filter->input, *out = c->info->filter->output;
    const char *dynamic = body_named(c, BODY_DYNAMIC);
    const char *items = arena_printf(a, "svm_items%" PRIu32, p->number);
    const char *places = arena_printf(a, "svm_places%" PRIu32, p->number);
    const char *count = arena_printf(a, "svm_trips%" PRIu32 " * %d", p->number, p->each);
    if (p->takes > 0)
        body_line(c, "%s = svm_dynamicItemsAhead(%s, svm_trips%" PRIu32 " * %d, sizeof(%s));",
                  emit_declare_pointer(c->e, in, "const", "const", items), dynamic, p->number, p->takes,
                  emit_declare_item(c->e, in, ""));
    if (p->each > 0)
        body_line(
            c, "%s = %ssvm_dynamicPlaces%s(%s, %s, sizeof(%s));", emit_declare_pointer(c->e, out, "", "const", places),
            p->takes > 0 ? arena_printf(a, "%s == NULL ? NULL : ", items) : "", few > 0 ? "Beside" : "", dynamic,
            few > 0 ? arena_printf(a, "%s, %" PRId64, count, few * p->each) : count, emit_declare_item(c->e, out, ""));
    return arena_printf(a, "%s != NULL", p->each > 0 ? places : items);
}

bool body_places(body_context *c, const sir_stmt *s)
{
    body_push_places places = {.loop = s};
    if (!find_places(c, s, &places))
        return false;
    const char *lo = body_expr_text(c, s->u.for_.lo, PREC_COND), *hi = body_expr_text(c, s->u.for_.hi, PREC_COND);
    const int64_t few = places.takes > 0 ? 0 : few_of(c, s, places.each);
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
    body_line(c, "if (%s) {", find_sides(c, &places, few));
    c->indent++;
    if (places.takes > 0)
        body_line(c, "svm_dynamicTaken(%s, svm_trips%" PRIu32 " * %d, sizeof(%s));", body_named(c, BODY_DYNAMIC),
                  places.number, places.takes, emit_declare_item(c->e, c->info->filter->input, ""));
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
    places.each = places.takes = 0; // one by one
    body_for(c, s);
    c->places = NULL;
    c->indent--;
    body_line(c, "}");
    c->indent--;
    body_line(c, "}");
    return true;
}

// The element of what lies side by side that a trip comes to next, of `each`.
static const char *element(const body_context *c, const char *array, int each, int at)
{
    const body_push_places *p = c->places;
    const char *i = c->locals[p->loop->u.for_.local].c_name;
    if (p->loop->u.for_.step < 0)
        return arena_printf(c->e->arena, "%s%" PRIu32 "[(svm_first%" PRIu32 " - %s) * %d + %d]", array, p->number,
                            p->number, i, each, at);
    return arena_printf(c->e->arena, "%s%" PRIu32 "[(%s - svm_first%" PRIu32 ") * %d + %d]", array, p->number, i,
                        p->number, each, at);
}

const char *body_next_place(body_context *c)
{
    body_push_places *p = c->places;
    return p == NULL || p->each == 0 ? NULL : element(c, "svm_places", p->each, p->next++ % p->each);
}

const char *body_next_item(body_context *c)
{
    body_push_places *p = c->places;
    return p == NULL || p->takes == 0 ? NULL : element(c, "svm_items", p->takes, p->next_take++ % p->takes);
}
