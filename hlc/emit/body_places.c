// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops of dynamic-rate actors that push: places side by side for all of it.
//
//     for (ptrdiff_t i = 0; i < n; i++) {                        int *const svm_places = svm_dynamicPlaces(dynamic, n, sizeof(int));
//         *(int *)svm_dynamicPush(dynamic, sizeof(int)) = 0;  ->  if (svm_places != NULL) {
//     }                                                              for (ptrdiff_t i = 0; i < n; i++)
//                                                                        svm_places[i] = 0;
//                                                                } else { as before }
//
// NOTE(places). Each trip pushes the same number of items and does nothing else with the actor, so that it is known beforehand
// how many there are. C compilers then make vectors of the loop, and keep nothing for the case that there is no room.
#include <inttypes.h>

#include "hlc/emit/body_int.h"
#include "hlc/ir/walk.h"

enum { PLACES_PUSHES = 8 };

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
        s->u.for_.step != 1 || c->out.checked || c->out.exit_checked)
        return 0;
    sir_visit_stmts(&s->u.for_.body, note_stmt, &w);
    for (VEC_EACH(sir_stmt *const, p, &s->u.for_.body))
        always += (*p)->kind == SIR_PUSH;
    return w.fails || w.pushes != always || always > PLACES_PUSHES ? 0 : always;
}

bool body_places(body_context *c, const sir_stmt *s)
{
    body_push_places places = {.each = pushes_of(c, s), .loop = s};
    if (places.each == 0)
        return false;
    const sir_type *t = c->info->filter->output;
    const char *lo = body_expr_text(c, s->u.for_.lo, PREC_COND), *hi = body_expr_text(c, s->u.for_.hi, PREC_COND);
    body_line(c, "{");
    c->indent++;
    places.number = ++c->labels;
    body_line(c,
              "const ptrdiff_t svm_first%" PRIu32 " = %s, svm_trips%" PRIu32 " = svm_dynamicTrips(svm_first%" PRIu32
              ", %s);",
              places.number, lo, places.number, places.number, hi);
    body_line(
        c, "%s = svm_dynamicPlaces(%s, svm_trips%" PRIu32 " * %d, sizeof(%s));",
        emit_declare_pointer(c->e, t, "", "const", arena_printf(c->e->arena, "svm_places%" PRIu32, places.number)),
        body_named(c, BODY_DYNAMIC), places.number, places.each, emit_declare_item(c->e, t, ""));
    body_line(c, "if (svm_places%" PRIu32 " != NULL) {", places.number);
    c->indent++;
    c->places = &places;
    body_for(c, s);
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
    return arena_printf(c->e->arena, "svm_places%" PRIu32 "[(%s - svm_first%" PRIu32 ") * %d + %d]", p->number, i,
                        p->number, p->each, at);
}
