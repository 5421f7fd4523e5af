// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that make a number of bits, as they come from a channel of bits, the first one highest or lowest.
//
//     for (ptrdiff_t i = 0; i < 16; i++) {          w = w << 8 | (int)svm_stepBits8((const char *)&in[0]);
//         w = (w << 1) | in[i];              ->     w = w << 8 | (int)svm_stepBits8((const char *)&in[8]);
//     }
//
//     for (ptrdiff_t i = 0; i < 8; i++) {
//         w |= in[i] << i;                   ->     w |= (int)svm_stepBitsUp8((const char *)&in[0]) << 0;
//     }
//
// A channel's bits are bytes of 0 and 1, and a product puts eight of them side by side. C compilers load and shift each.
#include <inttypes.h>
#include <string.h>

#include "hlc/emit/body_int.h"
#include "hlc/ir/walk.h"

static bool is_local(const sir_expr *e, uint32_t local)
{
    return e->kind == SIR_LOCAL && e->index == local && e->type->kind == SIR_INT;
}

static bool is_number(const sir_expr *e, int32_t n)
{
    return e->kind == SIR_CONST && e->type->kind == SIR_INT && e->u.value.i == n;
}

// w << 1, w * 2.
static bool is_doubled(const sir_expr *e, uint32_t local)
{
    return e->kind == SIR_BINARY && is_local(e->u.arg[0], local) &&
           ((e->op == LANG_OP_SHL && is_number(e->u.arg[1], 1)) || (e->op == LANG_OP_MUL && is_number(e->u.arg[1], 2)));
}

static bool is_bit(const sir_expr *e, uint32_t local)
{
    if (e->kind == SIR_CONVERT)
        e = e->u.arg[0];
    return e->kind == SIR_LOCAL && e->index == local && e->type->kind == SIR_BIT;
}

// The statements of a loop that does nothing else than pop a bit and set a number; false: it is no such loop.
static bool find_parts(const sir_block *b, const sir_stmt **pop, const sir_stmt **set)
{
    *pop = *set = NULL;
    for (VEC_EACH(sir_stmt *const, p, b)) {
        if ((*p)->kind == SIR_DECL && (*p)->u.decl.init == NULL)
            continue;
        const sir_stmt **place = (*p)->kind == SIR_POP && *set == NULL ? pop : (*p)->kind == SIR_SET ? set : NULL;
        if (place == NULL || *place != NULL)
            return false;
        *place = *p;
    }
    return *pop != NULL && *set != NULL && (*pop)->u.set.target != NULL && (*pop)->u.set.target->kind == SIR_LOCAL &&
           (*set)->u.set.target->kind == SIR_LOCAL && (*set)->u.set.target->type->kind == SIR_INT;
}

typedef enum bits_order { ORDER_NONE, ORDER_HIGHEST, ORDER_LOWEST } bits_order;

// In which order the trips put a bit each into a number: into which one.
static bits_order order_of(const body_context *c, const sir_stmt *loop, uint32_t *number)
{
    const sir_block *b = &loop->u.for_.body;
    const sir_stmt *pop, *set;
    if (!find_parts(b, &pop, &set))
        return ORDER_NONE;
    const uint32_t bit = pop->u.set.target->index, n = set->u.set.target->index;
    const sir_expr *v = set->u.set.value;
    *number = n;
    if (v->kind != SIR_BINARY || !body_declared_in(c, b, bit) || body_declared_in(c, b, n) || n == loop->u.for_.local)
        return ORDER_NONE;
    if ((v->op == LANG_OP_OR || v->op == LANG_OP_ADD) && is_doubled(v->u.arg[0], n) && is_bit(v->u.arg[1], bit))
        return ORDER_HIGHEST;
    const sir_expr *moved = v->op == LANG_OP_OR && is_local(v->u.arg[0], n) ? v->u.arg[1] : NULL;
    if (moved != NULL && moved->kind == SIR_BINARY && moved->op == LANG_OP_SHL && is_bit(moved->u.arg[0], bit) &&
        is_local(moved->u.arg[1], loop->u.for_.local) && is_number(loop->u.for_.lo, 0))
        return ORDER_LOWEST;
    return ORDER_NONE;
}

bool body_bits(body_context *c, const sir_stmt *s)
{
    enum { TOGETHER = 8, MOST = 32 };
    int64_t trips;
    uint32_t number;
    bits_order order;
    if (!c->e->cached || c->e->most_trips == 0 || c->e->keep_names || c->lanes > 0 || c->vectors > 0 ||
        c->info == NULL || c->info->filter->finite || c->dynamic || !c->in.affine || c->in.view.count > 0 ||
        c->in.checked || c->function->kind != SIR_WORK || c->info->filter->input->kind != SIR_BIT ||
        strcmp(emit_item_name(c->e, c->info->filter->input), "unsigned char") != 0 || s->u.for_.step != 1 ||
        !sir_for_trips(s, &trips) || trips == 0 || trips % TOGETHER != 0 || trips > MOST ||
        (order = order_of(c, s, &number)) == ORDER_NONE || c->locals[number].dead)
        return false;
    const char *w = body_local_named(c, number);
    for (int64_t i = 0; i < trips; i += TOGETHER) {
        const char *first = body_tape_element(c, true);
        if (order == ORDER_HIGHEST)
            body_line(c, "%s = %s << 8 | (int)svm_stepBits8((const char *)&%s);", w, w, first);
        else
            body_line(c, "%s |= (int)svm_stepBitsUp8((const char *)&%s) << %" PRId64 ";", w, first, i);
        for (int k = 0; k < TOGETHER; k++)
            body_advance(c, true);
    }
    return true;
}
