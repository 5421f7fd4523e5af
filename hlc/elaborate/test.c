// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The numbers of a test: evaluated, and converted to the scalars of the items that its graph takes and gives.
#include <inttypes.h>

#include "hlc/elaborate/elab.h"

typedef VEC(const sir_type *) type_list;

static void list_scalars(arena *a, type_list *to, const sir_type *t)
{
    if (t->kind == SIR_ARRAY) {
        for (uint32_t i = 0; i < t->length; i++)
            list_scalars(a, to, t->element);
    } else if (t->kind == SIR_STRUCT) {
        for (size_t i = 0; i < t->decl->members.len; i++)
            list_scalars(a, to, t->decl->members.data[i].type);
    } else {
        VEC_PUSH(a, to, t);
    }
}

// What becomes what by itself.
static bool promotes(lang_type_kind from, sir_type_kind to)
{
    switch (to) {
    case SIR_BOOLEAN: return from == TYPE_BOOLEAN;
    case SIR_BIT: return from == TYPE_BIT;
    case SIR_INT: return from == TYPE_BIT || from == TYPE_INT;
    case SIR_FLOAT: return from == TYPE_BIT || from == TYPE_INT || from == TYPE_FLOAT;
    case SIR_DOUBLE: return from == TYPE_BIT || from == TYPE_INT || from == TYPE_FLOAT || from == TYPE_DOUBLE;
    case SIR_COMPLEX: return from == TYPE_BIT || from == TYPE_INT || from == TYPE_FLOAT || from == TYPE_COMPLEX;
    default: return false;
    }
}

static bool add_values(elab *x, elaborate_values *to, const type_list *scalars, const ast_test_values *v)
{
    double within = v->within == NULL ? -1 : elab_scalar_as(x, v->within, x->scalar_of[TYPE_DOUBLE]).d;
    if (!x->failed && v->within != NULL && !(within >= 0))
        elab_error(x, v->within->range, "'within' takes a number from 0 on, not %g", within);
    for (size_t i = 0; i < v->values.len && !x->failed; i++) {
        const ast_expr *e = v->values.data[i];
        if (e->type->kind == TYPE_STRING) {
            if (x->test->text_place.file == 0)
                x->test->text_place = e->range;
            elab_text(x, &x->test->text, e);
            continue;
        }
        if (scalars->len == 0) {
            elab_error(x, e->range, "a number is expected here, but what the test '%s' runs has no output",
                       x->test->test->name);
            break;
        }
        const sir_type *t = scalars->data[to->data.len % scalars->len];
        if (!promotes(e->type->kind, t->kind)) {
            elab_error(x, e->range, "this number has type '%s', but that of the items here is '%s'",
                       elab_type_name(x, elab_scalar_type(x, e->type)), elab_type_name(x, t));
            break;
        }
        sir_scalar value = elab_scalar_as(x, e, t);
        VEC_PUSH(x->arena, &to->data, value);
        VEC_PUSH(x->arena, &to->types, t);
        VEC_PUSH(x->arena, &to->places, e->range);
        VEC_PUSH(x->arena, &to->within, within);
    }
    return !x->failed;
}

static bool add_side(elab *x, elaborate_values *to, const ast_test_values *lists, size_t count)
{
    type_list scalars = {0};
    if (to->item != NULL)
        list_scalars(x->scratch, &scalars, to->item);
    for (size_t i = 0; i < count; i++)
        if (!add_values(x, to, &scalars, &lists[i]))
            return false;
    if (!x->failed && scalars.len > 0 && to->data.len % scalars.len != 0)
        elab_error(x, VEC_LAST(&to->places), "an item of type '%s' has %zu numbers, but the last one here has only %zu",
                   elab_type_name(x, to->item), scalars.len, to->data.len % scalars.len);
    return !x->failed;
}

bool elab_test_values(elab *x)
{
    elaborate_test *t = x->test;
    for (size_t i = 0; i < x->module->actors.len; i++) {
        const sir_actor *a = x->module->actors.data[i];
        if (a->path == NULL && a->kind == SIR_READER)
            t->input.item = a->item;
        if (a->path == NULL && a->kind == SIR_WRITER)
            t->expect.item = a->item;
    }
    const ast_test *test = t->test;
    if (t->input.item == NULL && test->input.len > 0)
        elab_error(x, test->input.data[0].range, "what the test '%s' runs takes no input", test->name);
    strbuf_init(&t->text, x->arena);
    return !x->failed && add_side(x, &t->input, test->input.data, test->input.len) &&
           add_side(x, &t->expect, test->expect.data, test->expect.len);
}
