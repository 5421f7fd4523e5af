// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What filters do, through all functions they reach: mutable state, printing, random numbers, messages. Arrays are
// passed by reference, so a parameter that is written passes that on to the arguments.
#include "lang/streamit/check.h"

typedef struct param_refs {
    VEC(const ref_arg *) args; // all arguments given for one array parameter
    VEC(func_info *) callers;  // who gives each
} param_refs;

typedef VEC(ast_var *) var_list;

static void index_ref_args(checker *c, hmap *refs)
{
    for (VEC_EACH(func_info *, it, &c->info_list)) {
        for (VEC_EACH(ref_arg, ref, &(*it)->ref_args)) {
            const ast_var *param = ref->callee->params.data[ref->index];
            param_refs *list = hmap_getn(refs, &param, sizeof param);
            if (!list) {
                list = ARENA_NEW(c->arena, param_refs);
                hmap_setn(refs, &param, sizeof param, list);
            }
            VEC_PUSH(c->arena, &list->args, ref);
            VEC_PUSH(c->arena, &list->callers, *it);
        }
    }
}

// An argument turns out to be written by the function called.
static void write_arg(checker *c, const ref_arg *ref, func_info *caller, var_list *work)
{
    ast_var *root = ref->root;
    const char *callee = ref->callee->name;
    if (ref->captured) {
        diag_error(c->diags, ref->range,
                   "'%s' changes its argument, but '%s' belongs to an enclosing stream and cannot be changed", callee,
                   root->name);
    } else if (root->kind == VAR_GLOBAL && !(caller->function->kind == FUNC_INIT && !caller->function->stream)) {
        diag_error(c->diags, ref->range,
                   "'%s' changes its argument, but the global '%s' cannot be changed outside the 'static' block",
                   callee, root->name);
    } else if (root->kind == VAR_FIELD || root->kind == VAR_STREAM_PARAM) {
        VEC_PUSH(c->arena, &caller->written, root);
    } else if (!root->assigned) {
        root->assigned = true;
        VEC_PUSH(c->arena, work, root);
    }
}

static void propagate_writes(checker *c)
{
    hmap refs;
    hmap_init(&refs, c->arena);
    index_ref_args(c, &refs);
    var_list work = {0};
    for (VEC_EACH(func_info *, it, &c->info_list)) {
        for (VEC_EACH(ast_var *, p, &(*it)->function->params)) {
            if ((*it)->function->kind == FUNC_NATIVE && (*p)->type->kind == TYPE_ARRAY)
                (*p)->assigned = true; // nobody can know
            if ((*p)->assigned)
                VEC_PUSH(c->arena, &work, *p);
        }
    }
    while (work.len > 0) {
        const ast_var *param = work.data[--work.len];
        const param_refs *list = hmap_getn(&refs, &param, sizeof param);
        for (size_t i = 0; list && i < list->args.len; i++)
            write_arg(c, list->args.data[i], list->callers.data[i], &work);
    }
}

// Adds up what is reached from a function that runs after init.
static void walk_function(checker *c, ast_stream *s, ast_function *from)
{
    VEC(func_info *) stack = {0};
    func_info *first = info_of(c, from);
    if (first->mark == c->walk)
        return;
    first->mark = c->walk;
    VEC_PUSH(c->arena, &stack, first);
    while (stack.len > 0) {
        func_info *info = stack.data[--stack.len];
        s->uses_iter |= info->iter;
        s->uses_random |= info->random;
        s->prints |= info->prints;
        s->sends |= info->sends;
        for (VEC_EACH(ast_var *, v, &info->written)) {
            (*v)->assigned = true;
            s->mutable_state = true;
        }
        for (VEC_EACH(ast_function *, f, &info->callees)) {
            func_info *callee = info_of(c, *f);
            if (callee->mark == c->walk)
                continue;
            callee->mark = c->walk;
            VEC_PUSH(c->arena, &stack, callee);
        }
    }
}

static void check_filter_effects(checker *c, ast_stream *s)
{
    c->walk++;
    if (s->work)
        walk_function(c, s, s->work);
    if (s->prework)
        walk_function(c, s, s->prework);
    for (VEC_EACH(ast_function *, f, &s->handlers))
        walk_function(c, s, *f);
    if (s->stateful != s->mutable_state && !is_broken(c, s))
        diag_warning(c->diags, WARN_STATEFUL, s->name_range,
                     s->stateful ? "%s is declared 'stateful', but has no field that changes"
                                 : "%s has fields that change, but is not declared 'stateful'",
                     stream_name(c, s));
}

void check_effects(checker *c)
{
    propagate_writes(c);
    for (VEC_EACH(ast_stream *, s, &c->filters))
        check_filter_effects(c, *s);
}
