// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Quotients by elements of constant tables: NOTE(inverses) in body.h.
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "hlc/emit/body_int.h"
#include "hlc/ir/walk.h"

// Whether a field is constant, and no int of it is this one.
static bool lacks(const sir_field *f, int32_t value)
{
    if (!f->constant || f->init.zero)
        return f->constant && value != 0;
    for (uint64_t i = 0; i < f->type->words; i++)
        if (f->init.data[i].i == value)
            return false;
    return true;
}

bool emit_may_divide_by_zero(const sir_filter *filter, const sir_expr *e)
{
    if (!sir_may_divide_by_zero(e))
        return false;
    sir_expr *by = e->u.arg[1];
    const sir_expr *root = by->kind == SIR_INDEX ? sir_lvalue_root(by) : NULL;
    return root == NULL || root->kind != SIR_FIELD || filter == NULL || !lacks(&filter->fields.data[root->index], 0);
}

// Ints that may be divided by without a look at them.
static bool are_divisors(const sir_field *f)
{
    return f->type->kind == SIR_ARRAY && f->type->element->kind == SIR_INT && f->type->words > 0 && lacks(f, 0) &&
           lacks(f, -1);
}

void body_hold_inverses(emitter *e, emit_filter_info *info, uint32_t field)
{
    const sir_field *f = &info->filter->fields.data[field];
    const char *name = NULL;
    size_t held = 0;
    if (e->inverts && are_divisors(f)) {
        name = emit_unique_name(e, arena_printf(e->arena, "%s_inverse", info->field_names.data[field]));
        strbuf text;
        strbuf_init(&text, e->arena);
        strbuf_printf(&text,
                      "/* 1 / %s, rounded away from zero: products with ints are cut off to exact quotients. */\n",
                      info->field_names.data[field]);
        strbuf_printf(&text, "static const double %s[%" PRIu32 "] %s = {", name, f->type->length,
                      emit_table_marks(f->type));
        for (uint32_t i = 0; i < f->type->length; i++) {
            double d = f->init.data[i].i;
            strbuf_printf(&text, "%s%.17g",
                          i == 0       ? "\n    "
                          : i % 4 == 0 ? ",\n    "
                                       : ", ",
                          d == 1 ? 1 : nextafter(1 / d, d < 0 ? -2 : 2));
        }
        strbuf_add(&text, "};\n\n");
        held = emit_hold(e, text.data);
    }
    VEC_PUSH(e->arena, &info->inverse_names, name);
    VEC_PUSH(e->arena, &info->inverse_held, held);
}

// The table that an element of a constant one-dimensional table is of, the same for all that have the function.
static uint32_t table_of(body_context *c, const sir_expr *e)
{
    const sir_expr *base = e->kind == SIR_INDEX ? e->u.arg[0] : NULL;
    if (c->info == NULL || base == NULL || base->kind != SIR_FIELD || body_given(c, e) != NULL ||
        body_given(c, base) != NULL)
        return SIR_NONE;
    return base->index;
}

bool body_divides_well(body_context *c, const sir_expr *divisor)
{
    uint32_t table = table_of(c, divisor);
    return table != SIR_NONE && are_divisors(&c->info->filter->fields.data[table]);
}

const char *body_inverse_text(body_context *c, const sir_expr *divisor)
{
    uint32_t table = table_of(c, divisor);
    if (table == SIR_NONE || table >= c->info->inverse_names.len || c->info->inverse_names.data[table] == NULL)
        return NULL;
    const char *text = body_expr_text(c, divisor, PREC_POSTFIX), *name = c->info->field_names.data[table];
    size_t length = strlen(name);
    if (strncmp(text, name, length) != 0 || text[length] != '[')
        return NULL;
    emit_use_held(c->e, c->info->inverse_held.data[table]);
    return arena_printf(c->e->arena, "%s%s", c->info->inverse_names.data[table], text + length);
}
