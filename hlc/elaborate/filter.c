// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Specialisation of filters: fields, rates, init, then the bodies.
#include <inttypes.h>

#include "hlc/elaborate/elab.h"

// ---- Rates ----

static bool rate_value(elab *x, const ast_expr *e, const char *what, int64_t star, int64_t *to)
{
    *to = star;
    if (e == NULL)
        return true;
    *to = elab_scalar_as(x, e, x->scalar_of[TYPE_INT]).i;
    if (x->failed)
        return false;
    if (*to >= 0)
        return true;
    elab_error(x, e->range, "%s rate %" PRId64 " is negative", what, *to);
    return false;
}

static bool rate(elab *x, const ast_rate *clause, const char *what, sir_rate *to)
{
    *to = (sir_rate){0};
    if (!clause->given)
        return true;
    to->loc = elab_loc(x, clause->range);
    to->dynamic = clause->dynamic;
    if (!clause->dynamic) {
        bool ok = rate_value(x, clause->value, what, 0, &to->min);
        to->max = to->min;
        return ok;
    }
    int64_t average;
    if (!rate_value(x, clause->min, what, 0, &to->min) || !rate_value(x, clause->avg, what, 0, &average) ||
        !rate_value(x, clause->max, what, -1, &to->max))
        return false;
    if (to->max >= 0 && to->max < to->min) {
        elab_error(x, clause->range, "%s rate has the least value %" PRId64 " above the greatest, %" PRId64, what,
                   to->min, to->max);
        return false;
    }
    return true;
}

static bool is_never(const sir_rate *r)
{
    return r->min == 0 && r->max == 0;
}

// A tape that does not exist cannot be used.
static bool check_void(elab *x, const ast_function *f, const sir_function *to, const sir_filter *filter)
{
    const ast_rate *clause = NULL;
    const char *what = NULL, *side = "input";
    if (filter->input->kind == SIR_VOID && !is_never(&to->peek)) {
        what = is_never(&to->pop) ? "peek" : "pop";
        clause = is_never(&to->pop) ? &f->peek : &f->pop;
    } else if (filter->output->kind == SIR_VOID && !is_never(&to->push)) {
        what = "push";
        side = "output";
        clause = &f->push;
    }
    if (clause == NULL)
        return true;
    elab_error(x, clause->range, "'%s' has no %s, so its %s rate must be 0", filter->name, side, what);
    return false;
}

static bool rates(elab *x, const ast_function *f, sir_function *to, const sir_filter *filter)
{
    const char *outer = x->constant_what;
    x->constant_what = "rate";
    bool ok = rate(x, &f->push, "push", &to->push) && rate(x, &f->pop, "pop", &to->pop) &&
              rate(x, &f->peek, "peek", &to->peek);
    x->constant_what = outer;
    if (!ok)
        return false;
    // The window is at least what is popped.
    if (!f->peek.given)
        to->peek = to->pop;
    if (to->peek.min < to->pop.min)
        to->peek.min = to->pop.min;
    if (to->peek.max >= 0 && (to->pop.max < 0 || to->pop.max > to->peek.max))
        to->peek.max = to->pop.max;
    to->peek.dynamic = to->peek.dynamic || (to->pop.dynamic && to->peek.min != to->peek.max);
    return check_void(x, f, to, filter);
}

static sir_function *function_of(elab *x, sir_filter *filter, const ast_function *f, sir_function_kind kind)
{
    sir_function *to = ARENA_NEW(x->arena, sir_function);
    to->kind = kind;
    to->name = f->name;
    to->result = x->module->scalar[SIR_VOID];
    to->loc = elab_loc(x, f->name_range);
    return rates(x, f, to, filter) ? to : NULL;
}

// Rates are fixed before init runs; those of functions are kept for when the functions are lowered.
static sir_function *fix_rates(elab *x, sir_filter *f, const ast_stream *decl)
{
    f->work = function_of(x, f, decl->work, SIR_WORK);
    if (f->work == NULL)
        return NULL;
    if (decl->prework != NULL) {
        f->prework = function_of(x, f, decl->prework, SIR_PREWORK);
        if (f->prework == NULL)
            return NULL;
    }
    sir_function *helpers = ARENA_ARRAY(x->scratch, sir_function, decl->functions.len + 1);
    for (size_t i = 0; i < decl->functions.len; i++)
        if (!rates(x, decl->functions.data[i], &helpers[i], f))
            return NULL;
    return helpers;
}

// ---- Fields and init ----

static bool declare_fields(elab *x, elab_env *env)
{
    const ast_var_list *fields = &env->decl->fields;
    env->fields = elab_push(x, (fields->len + 1) * sizeof *env->fields);
    for (size_t i = 0; i < fields->len; i++)
        if (!elab_declare(x, &env->fields[i], fields->data[i]))
            return false;
    return true;
}

static bool run_init(elab *x, const ast_function *init)
{
    if (init == NULL)
        return true;
    elab_mark mark = elab_mark_here(x);
    x->frame = elab_push(x, (init->locals.len + 1) * sizeof *x->frame);
    x->function = init;
    bool ok = elab_exec(x, init->body) != FLOW_STOP;
    x->function = NULL;
    x->frame = NULL;
    elab_release(x, mark);
    return ok;
}

static void add_field(elab *x, sir_filter *f, const ast_var *v, const elab_slot *slot)
{
    VEC_PUSH(x->arena, &f->fields,
             (sir_field){.name = v->name,
                         .type = slot->type,
                         .init = elab_value(x, slot->type, slot->data),
                         .loc = elab_loc(x, v->range)});
}

// Array parameters whose elements the running filter changes become fields; gives their numbers by parameter.
static const uint32_t *add_fields(elab *x, sir_filter *f, const elab_env *env)
{
    const ast_stream *decl = env->decl;
    for (size_t i = 0; i < decl->fields.len; i++)
        add_field(x, f, decl->fields.data[i], &env->fields[i]);
    uint32_t *numbers = ARENA_ARRAY(x->scratch, uint32_t, decl->params.len + 1);
    for (size_t i = 0; i < decl->params.len; i++) {
        numbers[i] = SIR_NONE;
        const elab_slot *slot = &env->params[i];
        if (slot->type->kind < SIR_STRUCT || !elab_mutated(x, decl->params.data[i]))
            continue;
        numbers[i] = (uint32_t)f->fields.len;
        add_field(x, f, decl->params.data[i], slot);
    }
    return numbers;
}

// ---- Filters ----

// "FMRadio_anon" for streams without a name.
static const char *base_name(elab *x, const ast_stream *decl)
{
    if (decl->name != NULL)
        return decl->name;
    const ast_stream *outer = decl->parent;
    while (outer != NULL && outer->name == NULL)
        outer = outer->parent;
    return arena_printf(x->scratch, "%s_anon", outer == NULL ? "program" : outer->name);
}

sir_filter *elab_new_filter(elab *x, const char *base, bool numbered, const char *args, src_range where)
{
    sir_filter *f = ARENA_NEW(x->arena, sir_filter);
    f->name = elab_unique(x, &x->filter_names, base, numbered);
    f->source = arena_printf(x->arena, "%s%s", base, args);
    f->loc = elab_loc(x, where);
    return f;
}

static bool specialise(elab *x, elab_env *env, sir_filter *f)
{
    x->init_done = false;
    if (!declare_fields(x, env))
        return false;
    const sir_function *helper_rates = fix_rates(x, f, env->decl);
    if (helper_rates == NULL || !run_init(x, env->decl->init))
        return false;
    x->init_done = true;
    const uint32_t *param_fields = add_fields(x, f, env);
    bool ok = elab_lower_filter(x, f, param_fields, helper_rates);
    x->init_done = false;
    return ok;
}

elab_filter *elab_specialise(elab *x, elab_env *env, const sir_type *input, const sir_type *output, const char *args)
{
    const ast_stream *decl = env->decl;
    elab_filter *shared = ARENA_NEW(x->scratch, elab_filter);
    src_range where = decl->name != NULL ? decl->name_range : decl->range;
    sir_filter *f = elab_new_filter(x, base_name(x, decl), decl->name == NULL, args, where);
    f->input = input;
    f->output = output;
    shared->filter = f;
    shared->args = args;
    strbuf text, *outer = x->printed;
    strbuf_init(&text, x->scratch);
    x->printed = &text;
    bool ok = specialise(x, env, f);
    x->printed = outer;
    if (!ok)
        return NULL;
    shared->text = text.data;
    shared->len = text.len;
    VEC_PUSH(x->arena, &x->module->filters, f);
    return shared;
}

elab_filter *elab_identity(elab *x, const sir_type *t, src_range where)
{
    static const char tag[] = "identity";
    x->key.len = 0;
    elab_key_pointer(x, tag);
    elab_key_pointer(x, t);
    elab_filter *shared = hmap_getn(&x->filters, x->key.data, x->key.len);
    if (shared != NULL)
        return shared;
    shared = ARENA_NEW(x->scratch, elab_filter);
    sir_module *m = x->module;
    sir_filter *f = elab_new_filter(x, "Identity", false, "", where);
    f->source = arena_printf(x->arena, "Identity<%s>", elab_type_name(x, t));
    f->input = f->output = t;
    sir_function *work = ARENA_NEW(x->arena, sir_function);
    work->kind = SIR_WORK;
    work->name = "work";
    work->result = m->scalar[SIR_VOID];
    work->loc = f->loc;
    work->peek = work->pop = work->push = (sir_rate){.min = 1, .max = 1};
    uint32_t item = sir_local_new(m, work, "t", t, f->loc);
    sir_stmt *decl = sir_stmt_new(m, SIR_DECL, f->loc), *pop = sir_stmt_new(m, SIR_POP, f->loc),
             *push = sir_stmt_new(m, SIR_PUSH, f->loc);
    decl->u.decl.local = item;
    pop->u.set.target = sir_ref(m, SIR_LOCAL, item, t, f->loc);
    push->u.value = sir_ref(m, SIR_LOCAL, item, t, f->loc);
    VEC_PUSH(x->arena, &work->body, decl);
    VEC_PUSH(x->arena, &work->body, pop);
    VEC_PUSH(x->arena, &work->body, push);
    f->work = work;
    shared->filter = f;
    shared->args = "";
    shared->text = "";
    VEC_PUSH(x->arena, &m->filters, f);
    hmap_setn(&x->filters, x->key.data, x->key.len, shared);
    return shared;
}
