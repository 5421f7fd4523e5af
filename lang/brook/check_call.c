// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls in kernels: of what every kernel knows, and of other kernels.
#include "lang/brook/check.h"

#include <string.h>

static const brook_type none = {.element = BROOK_ERROR, .width = 1};

static const char *type_name(const brook_checker *c, brook_type t)
{
    return brook_type_name(c->arena, t);
}

// ---- Intrinsics ----

static brook_type shape_type(brook_checker *c, brook_expr *e, const brook_intrinsic_row *row, brook_type met)
{
    met.element = met.element == BROOK_DOUBLE ? BROOK_DOUBLE : met.element;
    bool whole = row->shape == BROOK_SHAPE_EACH && brook_is_integer(met);
    // Of whole numbers these are whole numbers; all others compute with floats.
    bool keeps = e->u.call.fn == BROOK_FN_ABS || e->u.call.fn == BROOK_FN_MAX || e->u.call.fn == BROOK_FN_MIN ||
                 e->u.call.fn == BROOK_FN_CLAMP;
    if (brook_is_integer(met) && !(whole && keeps))
        met.element = BROOK_FLOAT;
    switch (row->shape) {
    case BROOK_SHAPE_SCALAR: met.width = 1; break;
    case BROOK_SHAPE_FLAG: met.element = BROOK_FLOAT; break;
    case BROOK_SHAPE_FLAG_SCALAR: return BROOK_SCALAR_OF(FLOAT);
    case BROOK_SHAPE_CROSS:
        for (VEC_EACH(brook_expr *const, a, &e->u.call.args))
            if ((*a)->type.width != 3)
                BROOK_WRONG(c, (*a)->range, "'cross' takes vectors of 3 components; this has type '%s'",
                            type_name(c, (*a)->type));
        met.width = 3;
        break;
    default: break;
    }
    return met;
}

static void check_intrinsic(brook_checker *c, brook_expr *e, brook_intrinsic fn)
{
    const brook_intrinsic_row *row = &brook_intrinsics[fn];
    e->u.call.intrinsic = true;
    e->u.call.fn = fn;
    if (e->u.call.args.len != row->arguments) {
        BROOK_WRONG(c, e->range, "'%s' takes %u argument%s, not %zu", row->name, row->arguments,
                    row->arguments == 1 ? "" : "s", e->u.call.args.len);
        return;
    }
    brook_type met = none;
    for (size_t i = 0; i < e->u.call.args.len; i++) {
        const brook_expr *a = e->u.call.args.data[i];
        if (a->type.element == BROOK_ERROR)
            return;
        if (!brook_is_number(a->type)) {
            BROOK_WRONG(c, a->range, "'%s' takes numbers and vectors; this has type '%s'", row->name,
                        type_name(c, a->type));
            return;
        }
        met = i == 0 ? brook_meet(c, a->type, a->type, e->range, row->name)
                     : brook_meet(c, met, a->type, e->range, row->name);
    }
    e->type = shape_type(c, e, row, met);
    if (row->shape != BROOK_SHAPE_PARTS)
        return;
    e->effects = true;
    brook_check_target(c, e->u.call.args.data[1], "written");
    if (e->u.call.args.data[1]->type.width != e->u.call.args.data[0]->type.width)
        BROOK_WRONG(c, e->u.call.args.data[1]->range, "'%s' writes '%s' here; this has type '%s'", row->name,
                    type_name(c, e->u.call.args.data[0]->type), type_name(c, e->u.call.args.data[1]->type));
}

// ---- Kernels ----

static void note_declared(brook_checker *c, diag_record *r, const brook_var *param)
{
    diag_add_note(c->diags, r, param->range, "parameter '%s' is declared here", param->name);
}

// indexof of a parameter is the place of the caller's own stream.
static void check_indexed(brook_checker *c, const brook_kernel *k, const brook_var *param, const brook_expr *a)
{
    brook_var *own = a->kind == BROOK_EXPR_NAME ? a->u.name.var : NULL;
    if (own != NULL && (own->kind == BROOK_INPUT || own->kind == BROOK_OUTPUT || own->kind == BROOK_ITERATOR ||
                        own->kind == BROOK_INSIDE || own->kind == BROOK_MAPPED)) {
        own->indexed = true;
        return;
    }
    diag_record *r =
        BROOK_WRONG(c, a->range, "'%s' takes 'indexof %s', so that this must be a stream parameter of '%s' itself",
                    k->name, param->name, c->kernel->name);
    note_declared(c, r, param);
}

static void check_gather_argument(brook_checker *c, const brook_var *param, brook_expr *a)
{
    brook_var *v = a->kind == BROOK_EXPR_NAME ? brook_find_var(c, a->u.name.name) : NULL;
    if (v == NULL || v->kind != BROOK_GATHER) {
        diag_record *r = BROOK_WRONG(c, a->range, "expected the name of a gather parameter here");
        note_declared(c, r, param);
        return;
    }
    a->u.name.var = v;
    a->type = v->type;
    if (v->rank != param->rank || !brook_type_same(v->type, param->type)) {
        diag_record *r = BROOK_WRONG(
            c, a->range, "gather parameter '%s' has %u dimension%s of '%s'; expected %u of '%s'", v->name, v->rank,
            v->rank == 1 ? "" : "s", type_name(c, v->type), param->rank, type_name(c, param->type));
        note_declared(c, r, param);
    }
}

static void check_written_argument(brook_checker *c, const brook_var *param, brook_expr *a)
{
    brook_check_expr(c, a);
    if (!brook_check_target(c, a, "written by a call"))
        return;
    bool plain = a->kind != BROOK_EXPR_MEMBER || !a->u.member.swizzle;
    if (plain && brook_type_same(a->type, param->type))
        return;
    diag_record *r = BROOK_WRONG(c, a->range,
                                 plain ? "%s parameter '%s' has type '%s'; this has type '%s'"
                                       : "%s parameter '%s' has type '%s'; expected a variable, not components of one",
                                 param->kind == BROOK_REDUCE ? "reduce" : "output", param->name,
                                 type_name(c, param->type), type_name(c, a->type));
    note_declared(c, r, param);
}

static void check_argument(brook_checker *c, const brook_kernel *k, const brook_var *param, brook_expr *a)
{
    switch (param->kind) {
    case BROOK_GATHER: check_gather_argument(c, param, a); break;
    case BROOK_OUTPUT:
    case BROOK_REDUCE: check_written_argument(c, param, a); break;
    case BROOK_VOUT:
        BROOK_WRONG(c, a->range, "'%s' has a 'vout' parameter and cannot be called from a kernel", k->name);
        break;
    default:
        brook_check_given(c, a, param->type, arena_printf(c->arena, "parameter '%s' of '%s'", param->name, k->name));
        break;
    }
    if (param->indexed)
        check_indexed(c, k, param, a);
}

static bool check_recursion(brook_checker *c, const brook_expr *e, const brook_kernel *k)
{
    if (k->state != BROOK_CHECKING)
        return false;
    diag_record *r =
        k == c->kernel
            ? BROOK_WRONG(c, e->u.call.name_range, "'%s' calls itself: kernels cannot be recursive", k->name)
            : BROOK_WRONG(c, e->u.call.name_range, "'%s' calls '%s', which calls it: kernels cannot be recursive",
                          c->kernel->name, k->name);
    diag_add_note(c->diags, r, k->name_range, "'%s' is defined here", k->name);
    return true;
}

static void check_kernel_call(brook_checker *c, brook_expr *e, brook_kernel *k)
{
    e->u.call.kernel = k;
    e->effects = true;
    if (check_recursion(c, e, k))
        return;
    if (c->calling.len > BROOK_MAX_HEIGHT / 4) {
        BROOK_WRONG(c, e->range, "more than %d kernels call each other in a chain", BROOK_MAX_HEIGHT / 4);
        return;
    }
    brook_check_kernel(c, k);
    c->kernel->size += k->size < SIZE_MAX - c->kernel->size ? k->size : SIZE_MAX - c->kernel->size;
    e->type = k->result;
    if (k->body == NULL) {
        diag_record *r = BROOK_WRONG(
            c, e->u.call.name_range,
            k->stream != NULL
                ? "'%s' is a stream program, which host code calls but no kernel"
                : "'%s' is only declared: a kernel called from a kernel must be defined in the same program",
            k->name);
        diag_add_note(c->diags, r, k->name_range, "declared here");
        return;
    }
    if (k->wrong)
        c->kernel->wrong = true;
    size_t count = e->u.call.args.len, wanted = k->params.len;
    if (count != wanted) {
        diag_record *r = BROOK_WRONG(c, e->range, "'%s' takes %zu argument%s, not %zu", k->name, wanted,
                                     wanted == 1 ? "" : "s", count);
        diag_add_note(c->diags, r, k->name_range, "'%s' is defined here", k->name);
    }
    for (size_t i = 0; i < count && i < wanted; i++)
        check_argument(c, k, k->params.data[i], e->u.call.args.data[i]);
}

void brook_check_call(brook_checker *c, brook_expr *e)
{
    brook_kernel *k = hmap_get(&c->program->kernel_names, e->u.call.name);
    if (k != NULL) {
        check_kernel_call(c, e, k);
        return;
    }
    for (VEC_EACH(brook_expr *const, a, &e->u.call.args)) {
        brook_check_expr(c, *a);
        e->effects |= (*a)->effects;
    }
    for (int i = 0; i < BROOK_FN_COUNT; i++)
        if (strcmp(brook_intrinsics[i].name, e->u.call.name) == 0) {
            check_intrinsic(c, e, (brook_intrinsic)i);
            return;
        }
    diag_record *r = BROOK_WRONG(
        c, e->u.call.name_range,
        "unknown function '%s': a kernel can call kernels and the functions of the language only", e->u.call.name);
    const char *near = brook_nearest_name(c, e->u.call.name, true);
    if (near != NULL)
        diag_add_fixit(c->diags, r, e->u.call.name_range, near);
}
