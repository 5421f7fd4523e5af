// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Branches and short loops of dynamic-rate actors that push: done in any case, without a branch that data decide.
//
// NOTE(wanted). An item that is pushed if a condition holds is written in any case, and the next one goes to its place if it did
// not hold: processors do not foresee what data decide.
//
//     if (x != *last) {                                          *(int *)svm_dynamicPushIf(dynamic, x != *last,
//         *(int *)svm_dynamicPush(dynamic, sizeof(int)) = x;  ->                           sizeof(int), &(int){0}) = x;
//     }
//
// There is room for it if the places that push, each of which a firing comes to once at most, are no more than the items that it
// may push. Else it is looked whether there is (svm_dynamicPushIfRoom), which is foreseen.
//
// NOTE(guarded). Several pushes, and branches in branches, are done likewise. Not what such a branch does to numbers: the next
// firing would wait for it, where a processor that foresees the branch goes on.
//
// NOTE(trips). Trips of a loop that sets locals and pushes are done in any case if a firing may not push many items: numbers keep
// their values once the loop is over, and what follows is the loop as it was, which has nothing left to do. Items lie side by side, and
// the next trip need not wait until it is known whether this one is wanted.
//
//     while (v > 127) {                      bool svm_wanted1 = v > 127;
//         push(v & 127 | 128);               int *const svm_places1 = svm_dynamicPlacesAhead(dynamic, 4, sizeof(int));
//         v = v >> 7;                        if (svm_places1 != NULL) {
//     }                              ->          ptrdiff_t svm_done1 = 0;
//                                                for (int svm_trip1 = 0; svm_trip1 < 4; svm_trip1++) {
//                                                    svm_done1 += svm_wanted1;
//                                                    svm_places1[svm_trip1] = v & 127 | 128;
//                                                    v = svm_wanted1 ? v >> 7 : v;
//                                                    svm_wanted1 &= v > 127;
//                                                }
//                                                svm_dynamicGiven(dynamic, svm_done1, sizeof(int));
//                                            }
//                                            if (svm_wanted1) { as before }
#include <inttypes.h>

#include "hlc/emit/body_int.h"
#include "hlc/ir/walk.h"

// Of a branch: nodes of expressions, and pushes; trips that are done in any case, and nodes of all of them.
enum { GUARDED_NODES = 48, GUARDED_PUSHES = 4, GUARDED_TRIPS = 4, GUARDED_TRIPS_NODES = 64 };

bool body_is_harmless(const sir_expr *e)
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
        if (!body_is_harmless(e->u.arg[i]))
            return false;
    return true;
}

// ---- What can be guarded ----

typedef struct guarded {
    int nodes, pushes;
    bool sets, chooses, fails;
} guarded;

static void add_expr(guarded *g, const sir_expr *e)
{
    g->nodes++;
    for (size_t i = 0; e->kind != SIR_CONST && i < sir_expr_arity(e); i++)
        add_expr(g, e->u.arg[i]);
}

static void add_harmless(guarded *g, const sir_expr *e)
{
    g->fails |= !body_is_harmless(e);
    if (!g->fails)
        add_expr(g, e);
}

// Ints and the like: the next firing would wait longer for a float.
static bool is_small(const sir_type *t)
{
    return t->kind == SIR_INT || t->kind == SIR_BIT || t->kind == SIR_BOOLEAN;
}

static void add_target(guarded *g, const sir_expr *e)
{
    g->sets = true;
    g->fails |= e->kind != SIR_LOCAL || !is_small(e->type);
}

static void add_block(const body_context *c, guarded *g, const sir_block *b)
{
    for (size_t i = 0; i < b->len && !g->fails; i++) {
        const sir_stmt *s = b->data[i];
        switch ((sir_stmt_kind)s->kind) {
        case SIR_DECL:
            g->fails |= !is_small(c->function->locals.data[s->u.decl.local].type);
            if (s->u.decl.init != NULL)
                add_harmless(g, s->u.decl.init);
            break;
        case SIR_SET:
            add_target(g, s->u.set.target);
            add_harmless(g, s->u.set.value);
            break;
        case SIR_PUSH:
            g->fails |= s->u.value->type->kind == SIR_ARRAY || s->u.value->type->kind == SIR_STRUCT;
            add_harmless(g, s->u.value);
            g->pushes++;
            break;
        case SIR_IF:
            add_harmless(g, s->u.if_.cond);
            add_block(c, g, &s->u.if_.then);
            add_block(c, g, &s->u.if_.otherwise);
            g->chooses = true;
            break;
        case SIR_BLOCK: add_block(c, g, &s->u.block); break;
        default: g->fails = true;
        }
    }
}

static bool may_guard(const body_context *c)
{
    return c->dynamic && c->places == NULL && c->e->most_trips != 0 && !c->e->keep_names && c->open == NULL &&
           c->info != NULL && !c->out.checked && !c->out.exit_checked && !c->in.checked && !c->in.exit_checked;
}

// ---- Text ----

typedef struct push_sites {
    int64_t count;
    int loops;
} push_sites;

// More than any firing may push: nobody counts what loops and functions do.
#define TOO_MANY_SITES INT32_MAX

static const sir_expr *only_push(const sir_block *b);

static void count_sites(const sir_block *b, push_sites *p)
{
    for (VEC_EACH(sir_stmt *const, s, b)) {
        if ((*s)->kind == SIR_IF && p->loops == 0 && only_push(&(*s)->u.if_.then) != NULL &&
            only_push(&(*s)->u.if_.otherwise) != NULL) { // one of both, in one place
            p->count++;
            continue;
        }
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

static bool has_room(const body_context *c)
{
    push_sites sites = {0};
    count_sites(&c->function->body, &sites);
    return c->function->kind != SIR_HELPER && c->function->push.max >= 0 && sites.count <= c->function->push.max;
}

// Statements that are done in any case.
typedef struct guard {
    const char *wanted; // the condition's name or text; NULL: there is none yet
    const char *places; // of a loop's trips; NULL: it is no loop
    const char *trip;   // the number of the trip
    int each, next;     // items of a trip, and so far in it
    bool room;          // it is known that there is
    body_writer *declare;
} guard;

// `wanted` NULL: it is.
static void push_guarded(body_context *c, guard *g, const char *wanted, const char *value)
{
    const sir_type *t = c->info->filter->output;
    if (g->places != NULL) {
        body_line(c, "%s[%s * %d + %d] = %s;", g->places, g->trip, g->each, g->next++, value);
        return;
    }
    const char *item = emit_declare_item(c->e, t, "");
    if (wanted == NULL) {
        body_line(c, "*(%s)svm_dynamicPush(%s, sizeof(%s)) = %s;", emit_declare_pointer(c->e, t, "", "", ""),
                  body_named(c, BODY_DYNAMIC), item, value);
        return;
    }
    body_line(c, "*(%s)svm_dynamicPushIf%s(%s, %s, sizeof(%s), &(%s){0}) = %s;",
              emit_declare_pointer(c->e, t, "", "", ""), g->room ? "" : "Room", body_named(c, BODY_DYNAMIC), wanted,
              item, item, value);
}

static void set_guarded(body_context *c, const guard *g, const sir_stmt *s, const sir_expr *target, const char *value)
{
    const body_local *l = target->kind == SIR_LOCAL ? &c->locals[target->index] : NULL;
    if (l != NULL && l->dead)
        return;
    const char *name = l != NULL && l->home == s ? NULL : body_expr_text(c, target, PREC_POSTFIX);
    if (name == NULL)
        body_line(c, "%s = %s;", emit_declare(c->e, c->function->locals.data[target->index].type, l->c_name), value);
    else
        body_line(c, "%s = %s ? %s : %s;", name, g->wanted, value, name);
}

static void guarded_block(body_context *c, guard *g, const sir_block *b);

// What a block pushes, if that is all it does.
static const sir_expr *only_push(const sir_block *b)
{
    return b->len == 1 && b->data[0]->kind == SIR_PUSH ? b->data[0]->u.value : NULL;
}

static bool is_empty(const sir_block *b)
{
    return b->len == 0;
}

static void guarded_if(body_context *c, guard *g, const sir_stmt *s)
{
    const sir_block *then = &s->u.if_.then, *otherwise = &s->u.if_.otherwise;
    const sir_expr *first = only_push(then), *second = only_push(otherwise);
    const char *outer = g->wanted, *cond = body_expr_text(c, s->u.if_.cond, outer == NULL ? PREC_LOWEST : PREC_UNARY);
    if (first != NULL && second != NULL) {
        const char *value = body_expr_text(c, first, PREC_COND), *other = body_expr_text(c, second, PREC_COND);
        push_guarded(
            c, g, outer,
            arena_printf(c->e->arena, "%s ? %s : %s", body_expr_text(c, s->u.if_.cond, PREC_LOR), value, other));
        return;
    }
    if (first != NULL && is_empty(otherwise)) {
        push_guarded(c, g, outer == NULL ? cond : arena_printf(c->e->arena, "%s & %s", outer, cond),
                     body_expr_text(c, first, PREC_COND));
        return;
    }
    const char *name = arena_printf(c->e->arena, "svm_wanted%" PRIu32, ++c->labels);
    body_line(c, "{");
    c->indent++;
    body_line(c, "const bool %s = %s;", name, cond);
    g->wanted = outer == NULL ? name : arena_printf(c->e->arena, "(%s & %s)", outer, name);
    body_line(c, "{");
    c->indent++;
    guarded_block(c, g, then);
    c->indent--;
    body_line(c, "}");
    g->wanted =
        outer == NULL ? arena_printf(c->e->arena, "!%s", name) : arena_printf(c->e->arena, "(%s & !%s)", outer, name);
    if (!is_empty(otherwise)) {
        body_line(c, "{");
        c->indent++;
        guarded_block(c, g, otherwise);
        c->indent--;
        body_line(c, "}");
    }
    c->indent--;
    body_line(c, "}");
    g->wanted = outer;
}

static void guarded_stmt(body_context *c, guard *g, const sir_stmt *s)
{
    switch ((sir_stmt_kind)s->kind) {
    case SIR_SET: set_guarded(c, g, s, s->u.set.target, body_expr_text(c, s->u.set.value, PREC_COND)); break;
    case SIR_PUSH: push_guarded(c, g, g->wanted, body_expr_text(c, s->u.value, PREC_COND)); break;
    case SIR_IF: guarded_if(c, g, s); break;
    case SIR_BLOCK:
        body_line(c, "{");
        c->indent++;
        guarded_block(c, g, &s->u.block);
        c->indent--;
        body_line(c, "}");
        break;
    default: g->declare(c, s);
    }
}

static void guarded_block(body_context *c, guard *g, const sir_block *b)
{
    for (VEC_EACH(sir_stmt *const, s, b))
        guarded_stmt(c, g, *s);
}

// ---- Branches ----

bool body_guarded_if(body_context *c, const sir_stmt *s, body_writer *declare)
{
    guarded w = {0};
    if (!may_guard(c))
        return false;
    add_harmless(&w, s->u.if_.cond);
    if (w.fails && is_empty(&s->u.if_.otherwise) && only_push(&s->u.if_.then) != NULL)
        w.fails = false; // it is computed as it is
    add_block(c, &w, &s->u.if_.then);
    add_block(c, &w, &s->u.if_.otherwise);
    if (w.fails || w.sets || w.pushes == 0 || w.nodes > GUARDED_NODES || w.pushes > GUARDED_PUSHES)
        return false;
    guard g = {.room = has_room(c), .declare = declare};
    guarded_if(c, &g, s);
    return true;
}

// ---- Loops ----

// Trips that are done in any case; 0: it is no such loop.
static int trips_of(const body_context *c, const sir_stmt *s)
{
    guarded w = {0};
    int64_t most = c->function->push.max;
    if (!may_guard(c) || c->function->kind == SIR_HELPER || s->u.loop.cond == NULL || s->u.loop.pre.len != 0 ||
        c->trips != NULL || most < 0)
        return 0;
    add_harmless(&w, s->u.loop.cond);
    add_block(c, &w, &s->u.loop.body);
    add_block(c, &w, &s->u.loop.step);
    if (w.fails || w.chooses || w.pushes == 0 || !w.sets)
        return 0;
    for (VEC_EACH(sir_stmt *const, p, &c->function->body))
        most -= (*p)->kind == SIR_PUSH;
    most /= w.pushes;
    return most > 1 && most <= GUARDED_TRIPS && most * w.nodes <= GUARDED_TRIPS_NODES ? (int)most : 0;
}

static int count_pushes(const sir_block *b)
{
    int n = 0;
    for (VEC_EACH(sir_stmt *const, s, b))
        n += (*s)->kind == SIR_PUSH ? 1 : (*s)->kind == SIR_BLOCK ? count_pushes(&(*s)->u.block) : 0;
    return n;
}

static void guarded_trips(body_context *c, const sir_stmt *s, guard *g, int trips, uint32_t number)
{
    body_line(c, "ptrdiff_t svm_done%" PRIu32 " = 0;", number);
    body_line(c, "SVM_UNROLL");
    body_line(c, "for (int %s = 0; %s < %d; %s++) {", g->trip, g->trip, trips, g->trip);
    c->indent++;
    body_line(c, "svm_done%" PRIu32 " += %s;", number, g->wanted);
    body_line(c, "{");
    c->indent++;
    guarded_block(c, g, &s->u.loop.body);
    guarded_block(c, g, &s->u.loop.step);
    c->indent--;
    body_line(c, "}");
    body_line(c, "%s &= %s;", g->wanted, body_expr_text(c, s->u.loop.cond, PREC_UNARY));
    c->indent--;
    body_line(c, "}");
    body_line(c, "svm_dynamicGiven(%s, svm_done%" PRIu32 " * %d, sizeof(%s));", body_named(c, BODY_DYNAMIC), number,
              g->each, emit_declare_item(c->e, c->info->filter->output, ""));
}

bool body_guarded_loop(body_context *c, const sir_stmt *s, body_writer *declare, body_writer *plain)
{
    const int trips = trips_of(c, s);
    if (trips == 0)
        return false;
    arena *a = c->e->arena;
    const uint32_t number = ++c->labels;
    guard g = {.wanted = arena_printf(a, "svm_wanted%" PRIu32, number),
               .places = arena_printf(a, "svm_places%" PRIu32, number),
               .trip = arena_printf(a, "svm_trip%" PRIu32, number),
               .declare = declare,
               .each = count_pushes(&s->u.loop.body) + count_pushes(&s->u.loop.step)};
    const sir_type *t = c->info->filter->output;
    body_line(c, "{");
    c->indent++;
    body_line(c, "bool %s = %s;", g.wanted,
              s->u.loop.post_test ? "true" : body_expr_text(c, s->u.loop.cond, PREC_LOWEST));
    body_line(c, "%s = svm_dynamicPlacesAhead(%s, %d, sizeof(%s));",
              emit_declare_pointer(c->e, t, "", "const", g.places), body_named(c, BODY_DYNAMIC), trips * g.each,
              emit_declare_item(c->e, t, ""));
    body_line(c, "if (%s != NULL) {", g.places);
    c->indent++;
    guarded_trips(c, s, &g, trips, number);
    c->indent--;
    body_line(c, "}");
    body_line(c, "if (SVM_DYNAMIC_UNLIKELY(%s)) {", g.wanted);
    c->indent++;
    plain(c, s);
    c->indent--;
    body_line(c, "}");
    c->indent--;
    body_line(c, "}");
    return true;
}
