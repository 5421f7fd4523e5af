// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Brook kernels as filters: what their parameters are bound to, and the filters made of them.
#include <inttypes.h>

#include "hlc/brook/as_filter.h"
#include "hlc/elaborate/elab.h"

// What is gathered from has elements, and a vector or a struct all of its scalars.
static bool check_array(elab *x, const ast_var *param, const sir_type *given, src_range where)
{
    const lang_type *t = param->type;
    for (; t->kind == TYPE_ARRAY; t = t->element, given = given->element) {
        diag_record *r = NULL;
        if (t->length == NULL && given->length > 0)
            continue;
        if (t->length == NULL)
            r = elab_error(x, where, "'%s' gets an array without elements, so that nothing can be gathered from it",
                           param->name);
        else if (t->length->u.integer != given->length)
            r = elab_error(x, where, "'%s' gets arrays of %" PRIu32 " scalars; expected %" PRId64 " of each",
                           param->name, given->length, t->length->u.integer);
        else
            continue;
        elab_note(x, r, param->range, "declared here");
        return false;
    }
    return true;
}

// The constant that a gather's array is, as an array of what the kernel calls its elements.
static uint32_t gathered(elab *x, const brook_var *v, const ast_var *param, const elab_slot *slot)
{
    const sir_type *t = brook_filter_element(x->program->brook, x->module, v);
    uint32_t lengths[SIR_RANK];
    const sir_type *dimension = slot->type;
    for (uint8_t i = 0; i < v->rank; i++, dimension = dimension->element)
        lengths[i] = dimension->length;
    for (uint8_t i = v->rank; i > 0; i--)
        t = sir_type_array(x->module, t, lengths[i - 1]);
    return elab_global(x, t, slot->data, v->name, param->range);
}

static brook_argument *bind_arguments(elab *x, const elab_env *env, src_range where)
{
    const brook_kernel *k = env->decl->kernel;
    brook_argument *arguments = ARENA_ARRAY(x->scratch, brook_argument, k->params.len + 1);
    size_t next = 0;
    for (size_t i = 0; i < k->params.len; i++) {
        const brook_var *v = k->params.data[i];
        if (v->kind != BROOK_GATHER && v->kind != BROOK_UNIFORM)
            continue;
        const ast_var *param = env->decl->params.data[next];
        const elab_slot *slot = &env->params[next++];
        if (!check_array(x, param, slot->type, where))
            return NULL;
        if (v->kind == BROOK_GATHER)
            arguments[i].global = gathered(x, v, param, slot);
        else
            arguments[i].data = slot->data;
    }
    return arguments;
}

elab_filter *elab_specialise_kernel(elab *x, const elab_env *env, const sir_type *input, const sir_type *output,
                                    const char *args)
{
    const ast_stream *decl = env->decl;
    src_range where = env->inst->where;
    const brook_argument *arguments = bind_arguments(x, env, where);
    if (arguments == NULL)
        return NULL;
    int32_t count = decl->kernel->reduce ? env->params[decl->params.len - 1].scalar.i : 1;
    if (count < 1) {
        diag_record *r =
            elab_error(x, where, "'%s' reduces %" PRId32 " elements; expected at least 1", decl->name, count);
        elab_note(x, r, decl->name_range, "declared here");
        return NULL;
    }
    sir_filter *f = elab_new_filter(x, decl->name, false, args, decl->name_range);
    f->input = input;
    f->output = output;
    if (!brook_as_filter(x->program->brook, decl->kernel, x->module, f, arguments, count)) {
        x->failed = true;
        return NULL;
    }
    elab_filter *shared = ARENA_NEW(x->scratch, elab_filter);
    *shared = (elab_filter){.filter = f, .args = args, .text = ""};
    VEC_PUSH(x->arena, &x->module->filters, f);
    return shared;
}
