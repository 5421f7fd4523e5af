// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements of a small array that a constant table leads to, such as the distances of a received symbol from those that the states
// of a decoder expect.
//
//     for %s = 0 to 64 {                                      for %s = 0 to 64 {
//         %new[%s] = %old[%s] + %cost[$branch[2 * %s]]  ->        %new[%s] = %old[%s] + ($table[%s] == 0 ? %cost[0] : ...)
//     }                                                       }
//
// NOTE(chosen). C compilers load such elements one by one. Choosing them by what the table says is a vector's work, and the array's
// elements are in registers. What leads to them is executed for all values of the loop's variable, so that the new table lies as
// the loop goes. Where firings go side by side in vectors, all of them want the same element: then it is left alone.
#include <inttypes.h>

#include "hlc/ir/copy.h"
#include "hlc/passes/tabulate_int.h"
#include "hlc/plan/plan_int.h"

// Elements of the array; different ones that are chosen from; trips of the loop; elements of its table; nodes that are looked at.
enum { CHOSEN_ELEMENTS = 16, CHOSEN_VALUES = 4, CHOSEN_TRIPS = 8, CHOSEN_TABLE = 4096, CHOSEN_LOOKS = 1 << 16 };

typedef struct chosen_pass {
    arena *a;
    hlc_program *hlc;
    sir_module *m;
    sir_filter *filter;
    sir_function *f;
    int64_t *bytes;
    sir_expr **value;      // tab_scalar_values
    tab_loop loop;         // the one at hand
    const sir_block *body; // its
    tab_values values;
    int64_t looks;
    size_t made;
    bool table; // something was looked up
} chosen_pass;

static bool given(const void *context, const sir_expr *e, sir_scalar *r)
{
    const chosen_pass *x = context;
    if (e->kind != SIR_LOCAL)
        return false;
    if (e->index == x->loop.local) {
        *r = (sir_scalar){.i = x->loop.now};
        return true;
    }
    return x->value[e->index] != NULL && tab_compute(&x->values, x->value[e->index], r);
}

// Whether it is made of the loop's variable and constants alone.
static bool follows_loop(chosen_pass *x, const sir_expr *e)
{
    if (x->looks-- <= 0)
        return false;
    switch ((sir_expr_kind)e->kind) {
    case SIR_CONST: return true;
    case SIR_LOCAL:
        return x->loop.local == e->index || (x->value[e->index] != NULL && follows_loop(x, x->value[e->index]));
    case SIR_FIELD:
    case SIR_GLOBAL: return sir_constant_value(x->m, x->filter, e) != NULL;
    case SIR_INDEX: x->table = true; break;
    case SIR_UNARY:
    case SIR_BINARY:
    case SIR_SELECT: break;
    default: return false;
    }
    size_t arity = sir_expr_arity(e);
    for (size_t i = 0; i < arity; i++)
        if (!follows_loop(x, e->u.arg[i]))
            return false;
    return true;
}

// The array's element for each trip; false: there are too many, or one is outside.
static bool find_elements(chosen_pass *x, const sir_expr *at, uint32_t length, sir_scalar *data, bool *used)
{
    tab_loop *l = &x->loop;
    for (int64_t i = 0; i < l->extent; i++) {
        sir_scalar v;
        l->now = (int32_t)(l->least + i);
        if (!tab_compute(&x->values, at, &v) || v.i < 0 || (uint32_t)v.i >= length)
            return false;
        data[i] = (sir_scalar){.i = v.i};
        used[v.i] = true;
    }
    return true;
}

static sir_expr *choose(const chosen_pass *x, const sir_expr *array, const sir_expr *which, const bool *used,
                        uint32_t length)
{
    const sir_loc loc = array->loc;
    const sir_type *type = array->type->element;
    const sir_copier copier = {.arena = x->m->arena};
    sir_expr *r = NULL;
    for (uint32_t i = length; i-- > 0;) {
        if (!used[i])
            continue;
        sir_expr *element =
            sir_expr2(x->m, SIR_INDEX, 0, type, sir_ref(x->m, SIR_LOCAL, array->index, array->type, loc),
                      sir_const_int(x->m, (int32_t)i, loc), loc);
        sir_expr *is = sir_expr2(x->m, SIR_BINARY, LANG_OP_EQ, x->m->scalar[SIR_BOOLEAN], sir_copy_expr(&copier, which),
                                 sir_const_int(x->m, (int32_t)i, loc), loc);
        r = r == NULL ? element : sir_expr3(x->m, SIR_SELECT, type, is, element, r, loc);
    }
    return r;
}

static sir_expr *choose_element(chosen_pass *x, const sir_expr *e)
{
    const sir_expr *array = e->u.arg[0];
    const tab_loop *l = &x->loop;
    uint32_t length = array->type->length;
    bool used[CHOSEN_ELEMENTS] = {0};
    x->table = false;
    if (array->kind != SIR_LOCAL || (e->type->kind != SIR_INT && e->type->kind != SIR_FLOAT) ||
        length > CHOSEN_ELEMENTS || sir_sets_local(x->body, array->index) || !follows_loop(x, e->u.arg[1]) || !x->table)
        return NULL;
    sir_value value = sir_value_new(x->a, sir_type_array(x->m, x->m->scalar[SIR_INT], (uint32_t)l->extent));
    if (l->extent * 4 > *x->bytes || !find_elements(x, e->u.arg[1], length, value.data, used))
        return NULL;
    int count = 0;
    for (uint32_t i = 0; i < length; i++)
        count += used[i];
    if (count > CHOSEN_VALUES)
        return NULL;
    *x->bytes -= l->extent * 4;
    sir_expr *which = sir_ref(x->m, SIR_FIELD, tab_field(x->m, x->filter, value, e->loc), value.type, e->loc);
    sir_expr *at =
        tab_subscript(x->m, sir_ref(x->m, SIR_LOCAL, l->local, value.type->element, e->loc), l->least, e->loc);
    which = sir_expr2(x->m, SIR_INDEX, 0, value.type->element, which, at, e->loc);
    x->made++;
    return choose(x, array, which, used, length);
}

static void choose_in(chosen_pass *x, sir_expr **at)
{
    sir_expr *e = *at, *chosen = e->kind == SIR_INDEX ? choose_element(x, e) : NULL;
    if (chosen != NULL) {
        *at = chosen;
        return;
    }
    size_t arity = sir_expr_arity(e);
    for (size_t i = 0; i < arity; i++)
        choose_in(x, &e->u.arg[i]);
}

static void note_other(void *context, sir_stmt *s)
{
    bool *plain = context;
    const sir_expr *target = s->kind == SIR_SET ? s->u.set.target : NULL;
    *plain &= s->kind == SIR_DECL || s->kind == SIR_IF ||
              (target != NULL && (target->kind == SIR_INDEX || target->kind == SIR_LOCAL));
}

typedef struct carried {
    bool *declared;
    bool any;
} carried;

static void note_carried(void *context, sir_stmt *s)
{
    carried *c = context;
    if (s->kind == SIR_SET && s->u.set.target->kind == SIR_LOCAL)
        c->any |= !c->declared[s->u.set.target->index];
}

// A loop without others, of which no number goes from trip to trip.
static bool may_be_vector(const chosen_pass *x, const sir_stmt *s)
{
    const tab_loop l = tab_loop_of(s);
    bool plain = l.extent >= CHOSEN_TRIPS && l.extent <= CHOSEN_TABLE && l.step == 1;
    carried c = {.declared = ARENA_ARRAY(x->a, bool, x->f->locals.len + 1)};
    sir_visit_stmts(&s->u.for_.body, note_other, &plain);
    sir_declared_locals(&s->u.for_.body, c.declared);
    sir_visit_stmts(&s->u.for_.body, note_carried, &c);
    return plain && !c.any;
}

static void choose_in_block(chosen_pass *x, const sir_block *b)
{
    for (VEC_EACH(sir_stmt *, p, b)) {
        sir_parts parts = sir_stmt_parts(*p);
        for (uint8_t i = 0; i < parts.expr_count; i++)
            choose_in(x, parts.expr[i]);
        for (uint8_t i = 0; i < parts.block_count; i++)
            choose_in_block(x, parts.block[i]);
    }
}

static void find_in(chosen_pass *x, const sir_block *b)
{
    for (VEC_EACH(sir_stmt *, p, b)) {
        sir_stmt *s = *p;
        sir_parts parts = sir_stmt_parts(s);
        if (s->kind != SIR_FOR || !may_be_vector(x, s)) {
            for (uint8_t i = 0; i < parts.block_count; i++)
                find_in(x, parts.block[i]);
            continue;
        }
        size_t before = x->made;
        x->loop = tab_loop_of(s);
        x->body = &s->u.for_.body;
        choose_in_block(x, &s->u.for_.body);
        if (x->made != before && x->hlc->diag->remarks)
            diag_remark(x->hlc->diag, sir_range(x->m, x->hlc->sources, s->loc),
                        "%zu %s of a small array to which constants lead %s chosen in a loop of '%s' [tabulate]",
                        x->made - before, x->made - before == 1 ? "element" : "elements",
                        x->made - before == 1 ? "is" : "are", x->filter->name);
    }
}

bool tabulate_chosen(hlc_program *p, sir_filter *f, int64_t *bytes)
{
    if (f->work == NULL || f->finite || p->config->opt_level < 2 || !pass_may_change_more(p))
        return false;
    chosen_pass x = {.a = arena_create(),
                     .hlc = p,
                     .m = p->module,
                     .filter = f,
                     .f = f->work,
                     .bytes = bytes,
                     .looks = CHOSEN_LOOKS};
    x.value = tab_scalar_values(x.a, x.f);
    x.values = (tab_values){.m = x.m, .filter = f, .context = &x, .given = given};
    if (!plan_may_run_in_lanes(x.a, p->module, f))
        find_in(&x, &f->work->body);
    arena_destroy(x.a);
    return x.made > 0;
}
