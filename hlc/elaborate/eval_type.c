// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types with their lengths evaluated.
#include <inttypes.h>

#include "hlc/elaborate/elab.h"

bool elab_is_aggregate(const lang_type *t)
{
    return t->kind == TYPE_ARRAY || t->kind == TYPE_STRUCT;
}

uint64_t elab_member_offset(const sir_type *t, uint32_t index)
{
    uint64_t offset = 0;
    for (uint32_t i = 0; i < index; i++)
        offset += t->decl->members.data[i].type->words;
    return offset;
}

static bool check_size(elab *x, const sir_type *t, src_range where)
{
    if (t->words <= SIR_MAX_WORDS)
        return true;
    elab_error(x, where, "type '%s' has more than %" PRIu64 " scalars, the most that is allowed", elab_type_name(x, t),
               SIR_MAX_WORDS);
    return false;
}

// Lengths of a struct's members are made of globals and constants only.
static const sir_type *struct_type(elab *x, const ast_struct *decl)
{
    const sir_type *known = hmap_getn(&x->structs, &decl, sizeof decl);
    if (known != NULL)
        return known;
    elab_env *env = x->env;
    const ast_function *function = x->function;
    x->env = NULL;
    x->function = NULL;
    sir_struct *s = ARENA_NEW(x->arena, sir_struct);
    s->name = decl->name;
    const sir_type *result = NULL;
    for (size_t i = 0; i < decl->fields.len && !x->failed; i++) {
        const ast_var *f = decl->fields.data[i];
        const sir_type *t = elab_type(x, f->type, f->type_range);
        VEC_PUSH(x->arena, &s->members, (struct sir_member){.name = f->name, .type = t});
    }
    x->env = env;
    x->function = function;
    if (x->failed)
        return NULL;
    result = sir_type_struct(x->module, s);
    if (!check_size(x, result, decl->name_range))
        return NULL;
    VEC_PUSH(x->arena, &x->module->structs, s);
    hmap_setn(&x->structs, &decl, sizeof decl, (void *)(uintptr_t)result);
    return result;
}

static const sir_type *array_type(elab *x, const lang_type *t, src_range where)
{
    const char *outer = x->constant_what;
    if (x->function == NULL) // in a function that runs now, any value will do
        x->constant_what = "array length";
    int32_t length = elab_scalar_as(x, t->length, x->scalar_of[TYPE_INT]).i;
    x->constant_what = outer;
    const sir_type *element = x->failed ? NULL : elab_type(x, t->element, where);
    if (element == NULL)
        return NULL;
    if (length < 0) {
        elab_error(x, t->length->range, "array length %" PRId32 " is negative", length);
        return NULL;
    }
    const sir_type *result = sir_type_array(x->module, element, (uint32_t)length);
    return check_size(x, result, where) ? result : NULL;
}

const sir_type *elab_type(elab *x, const lang_type *t, src_range where)
{
    if (t->kind == TYPE_ARRAY)
        return array_type(x, t, where);
    if (t->kind == TYPE_STRUCT)
        return struct_type(x, t->decl);
    if (t->kind == TYPE_VOID)
        return x->module->scalar[SIR_VOID];
    const sir_type *scalar = elab_scalar_type(x, t);
    if (scalar == NULL)
        diag_internal(x->diags, where, "elaboration met a type it has no value for"), x->failed = true;
    return scalar;
}

bool elab_same_type(elab *x, const sir_type *given, const sir_type *wanted, src_range where, const char *what)
{
    if (given == wanted)
        return true;
    elab_error(x, where, "%s has type '%s', but '%s' is needed", what, elab_type_name(x, given),
               elab_type_name(x, wanted));
    return false;
}
