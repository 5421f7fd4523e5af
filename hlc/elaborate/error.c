// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors of elaboration with the instances they happened in, and the limits on steps and depth.
#include <inttypes.h>

#include "hlc/elaborate/elab.h"

enum { NOTED_INSTANCES = 4 };

const char *elab_inst_name(elab *x, const elab_inst *inst)
{
    static const char *const kinds[] = {"filter", "pipeline", "splitjoin", "feedbackloop"};
    const ast_stream *decl = inst->decl;
    if (decl->name == NULL)
        return arena_printf(x->diags->arena, "anonymous %s", kinds[decl->kind]);
    return arena_printf(x->diags->arena, "%s%s", decl->name, inst->args == NULL ? "" : inst->args);
}

const char *elab_type_name(elab *x, const sir_type *t)
{
    strbuf out;
    strbuf_init(&out, x->diags->arena);
    const sir_type *core = t;
    while (core->kind == SIR_ARRAY)
        core = core->element;
    if (core->kind != SIR_STRUCT) {
        sir_type_print(&out, t);
        return out.data;
    }
    strbuf_add(&out, core->decl->name); // without the word 'struct', which the source has not
    for (; t->kind == SIR_ARRAY; t = t->element)
        strbuf_printf(&out, "[%" PRIu32 "]", t->length);
    return out.data;
}

diag_record *elab_error(elab *x, src_range r, const char *format, ...)
{
    if (x->failed)
        return NULL;
    x->failed = true;
    va_list args;
    va_start(args, format);
    const char *message = arena_vprintf(x->diags->arena, format, args);
    va_end(args);
    diag_record *record = diag_error(x->diags, r, "%s", message);
    const elab_inst *inst = x->env == NULL ? NULL : x->env->inst;
    for (int n = 0; inst != NULL && inst->parent != NULL && n < NOTED_INSTANCES; n++, inst = inst->parent) {
        bool same = inst->where.begin == r.begin && inst->where.file == r.file;
        if (n > 0 || !same)
            diag_add_note(x->diags, record, inst->where, "in '%s', added here", elab_inst_name(x, inst));
    }
    return record;
}

void elab_note(elab *x, diag_record *r, src_range where, const char *format, ...)
{
    if (r == NULL)
        return;
    va_list args;
    va_start(args, format);
    const char *message = arena_vprintf(x->diags->arena, format, args);
    va_end(args);
    diag_add_note(x->diags, r, where, "%s", message);
}

sir_loc elab_loc(elab *x, src_range r)
{
    return sir_loc_from(x->module, x->diags->sources, r);
}

bool elab_step(elab *x, uint64_t count, src_range where)
{
    x->steps += count;
    if (x->steps <= x->step_limit)
        return !x->failed;
    const char *what = x->env == NULL ? "the globals" : elab_inst_name(x, x->env->inst);
    elab_error(x, where,
               "elaboration of '%s' did not end within %" PRIu64
               " steps, and this is where it was; '--elaboration-steps=N' allows more",
               what, x->step_limit);
    return false;
}

bool elab_enter(elab *x, src_range where, const char *what)
{
    char here;
    x->depth++;
    if (x->depth <= x->depth_limit && &here > x->stack_end)
        return true;
    elab_error(x, where, "recursion deeper than %" PRIu32 " levels in '%s'; it must end before", x->depth - 1, what);
    return false;
}
