// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls: built-in functions, functions of filters, helper blocks and native blocks, and messages.
#include "hlc/elaborate/lower.h"
#include "hlc/ir/walk.h"

static sir_expr *nothing(lower *L, const ast_expr *e)
{
    return sir_const_int(L->m, 0, elab_loc(L->x, e->range));
}

// ---- Built-in functions ----

static sir_expr *math(lower *L, const ast_expr *e)
{
    lang_math_op op = e->u.call.math;
    const sir_type *t = elab_math_type(L->x, e);
    const ast_expr_list *args = &e->u.call.args;
    sir_expr *a[2] = {NULL, NULL};
    lower_held held = {&a[0], false};
    for (size_t i = 0; i < args->len && i < 2; i++)
        a[i] = lower_after(L, args->data[i], &held, i);
    if (L->x->failed)
        return nothing(L, e);
    bool all_constant = true;
    sir_scalar v[2] = {0};
    for (size_t i = 0; i < args->len && i < 2; i++) {
        a[i] = lower_convert(L, a[i], t);
        all_constant = all_constant && a[i]->kind == SIR_CONST;
        if (a[i]->kind == SIR_CONST)
            v[i] = a[i]->u.value;
    }
    bool real = t->kind == SIR_COMPLEX && (op == LANG_MATH_ABS || op == LANG_MATH_ARG);
    const sir_type *type = real ? L->m->scalar[SIR_FLOAT] : t;
    sir_loc loc = elab_loc(L->x, e->range);
    sir_expr *result;
    sir_scalar value;
    if (all_constant && sir_eval_math(op, t, v[0], v[1], &value)) {
        result = sir_const(L->m, type, value, loc);
    } else {
        result = sir_expr2(L->m, SIR_MATH, op, type, a[0], a[1], loc);
    }
    return lower_convert(L, result, lower_scalar_type(L, e->type));
}

static sir_expr *random_number(lower *L, const ast_expr *e)
{
    sir_loc loc = elab_loc(L->x, e->range);
    sir_expr *temp = lower_temp(L, L->m->scalar[SIR_DOUBLE], NULL, loc);
    sir_stmt *s = sir_stmt_new(L->m, SIR_RANDOM, loc);
    s->u.set.target = temp;
    lower_emit(L, s);
    return lower_clone(L, temp);
}

sir_expr *lower_number_file(lower *L, const ast_expr *e, const char *name)
{
    elab_mark mark = elab_mark_here(L->x);
    elab_place p = elab_aggregate(L->x, e);
    if (p.data == NULL)
        return nothing(L, e);
    uint32_t global = elab_global(L->x, p.type, p.data, name, e->range);
    elab_release(L->x, mark);
    return sir_ref(L->m, SIR_GLOBAL, global, p.type, elab_loc(L->x, e->range));
}

// ---- Functions ----

static bool uses_param(const ast_expr *e)
{
    switch (e->kind) {
    case EXPR_NAME: return e->u.name.var->kind == VAR_FUNCTION_PARAM;
    case EXPR_FIELD: return uses_param(e->u.field.base);
    case EXPR_INDEX: return uses_param(e->u.index.base) || uses_param(e->u.index.index);
    case EXPR_UNARY: return uses_param(e->u.unary.operand);
    case EXPR_BINARY: return uses_param(e->u.binary.left) || uses_param(e->u.binary.right);
    case EXPR_COND: return uses_param(e->u.cond.cond) || uses_param(e->u.cond.then) || uses_param(e->u.cond.otherwise);
    case EXPR_CAST:
    case EXPR_CONVERT: return uses_param(e->u.cast.operand);
    case EXPR_CALL:
        for (size_t i = 0; i < e->u.call.args.len; i++)
            if (uses_param(e->u.call.args.data[i]))
                return true;
        return false;
    default: return false;
    }
}

// A parameter's type: as declared, but where a length is another parameter of the function, the argument's.
static const sir_type *param_type(lower *L, const ast_var *v, const sir_type *given)
{
    for (const lang_type *t = v->type; t->kind == TYPE_ARRAY; t = t->element)
        if (given != NULL && uses_param(t->length))
            return given;
    return elab_type(L->x, v->type, v->type_range);
}

static const sir_function *rates_of(const lower *L, const ast_function *decl)
{
    for (size_t i = 0; L->decl != NULL && i < L->decl->functions.len; i++)
        if (L->decl->functions.data[i] == decl)
            return &L->helper_rates[i];
    return NULL;
}

static sir_function *new_function(lower *L, const ast_function *decl, const sir_type *const *types, bool native)
{
    elab *x = L->x;
    sir_function *f = ARENA_NEW(x->arena, sir_function);
    f->kind = native ? SIR_NATIVE : SIR_HELPER;
    f->loc = elab_loc(x, decl->name_range);
    f->name = decl->module == NULL ? decl->name : arena_printf(x->arena, "%s.%s", decl->module, decl->name);
    f->result = decl->result->kind == TYPE_VOID ? L->m->scalar[SIR_VOID] : elab_type(x, decl->result, decl->name_range);
    for (size_t i = 0; i < decl->params.len; i++) {
        const ast_var *v = decl->params.data[i];
        uint32_t local = sir_local_new(L->m, f, v->name, types[i], elab_loc(x, v->range));
        f->locals.data[local].by_reference = types[i]->kind == SIR_ARRAY;
    }
    f->param_count = (uint32_t)decl->params.len;
    return f;
}

static bool same_params(const sir_function *f, const sir_type *const *types)
{
    for (uint32_t i = 0; i < f->param_count; i++)
        if (f->locals.data[i].type != types[i])
            return false;
    return true;
}

// A further version of a function, for arrays of other lengths, needs another name.
static const char *version_name(lower *L, const char *name, size_t others)
{
    return others == 0 ? name : intern(L->m->names, arena_printf(L->x->scratch, "%s_%zu", name, others + 1));
}

static sir_function *filter_function(lower *L, const ast_function *decl, const sir_type *const *types)
{
    size_t others = 0;
    for (size_t i = 0; i < L->functions.len; i++) {
        if (L->functions.data[i].decl != decl)
            continue;
        if (same_params(L->functions.data[i].function, types))
            return L->functions.data[i].function;
        others++;
    }
    sir_function *f = new_function(L, decl, types, false);
    f->name = version_name(L, f->name, others);
    const sir_function *rates = rates_of(L, decl);
    if (rates != NULL) {
        f->peek = rates->peek;
        f->pop = rates->pop;
        f->push = rates->push;
    }
    VEC_PUSH(L->x->scratch, &L->functions, (lower_request){decl, f});
    VEC_PUSH(L->x->arena, &L->filter->functions, f);
    return f;
}

static sir_function *module_function(lower *L, const ast_function *decl, const sir_type *const *types, bool native)
{
    elab *x = L->x;
    x->key.len = 0;
    elab_key_pointer(x, decl);
    size_t *versions = hmap_getn(&x->functions, x->key.data, x->key.len);
    if (versions == NULL) {
        versions = ARENA_NEW(x->scratch, size_t);
        hmap_setn(&x->functions, x->key.data, x->key.len, versions);
    }
    for (size_t i = 0; i < decl->params.len; i++)
        elab_key_pointer(x, types[i]);
    elab_key_pointer(x, NULL);
    sir_function *f = hmap_getn(&x->functions, x->key.data, x->key.len);
    if (f != NULL)
        return f;
    size_t len = x->key.len;
    const char *key = arena_strndup(x->scratch, x->key.data, len);
    f = new_function(L, decl, types, native);
    f->name = version_name(L, f->name, (*versions)++);
    hmap_setn(&x->functions, key, len, f);
    VEC_PUSH(x->arena, &x->module->functions, f);
    if (!native)
        VEC_PUSH(x->scratch, &x->pending, (struct elab_pending){decl, f});
    return f;
}

// An array goes by reference: a constant only where the callee leaves it as it is.
static sir_expr *array_argument(lower *L, const ast_expr *arg, const ast_var *param, sir_expr *place, bool native)
{
    const sir_expr *root = sir_lvalue_root(place);
    if (root == NULL || root->kind != SIR_GLOBAL || (!native && !elab_mutated(L->x, param)))
        return place;
    if (native) // nothing is known of what it does
        return lower_temp(L, place->type, place, place->loc);
    diag_record *r = elab_error(L->x, arg->range,
                                "this array is constant here, but the function changes its parameter '%s'; pass a copy",
                                param->name);
    elab_note(L->x, r, param->range, "parameter declared here");
    return place;
}

sir_stmt *lower_call_stmt(lower *L, const ast_expr *e)
{
    const ast_function *decl = e->u.call.function;
    const ast_expr_list *args = &e->u.call.args;
    bool native = e->u.call.callee == CALLEE_NATIVE;
    size_t count = decl->params.len;
    sir_expr **values = ARENA_ARRAY(L->x->scratch, sir_expr *, count + 1);
    lower_held *held = ARENA_ARRAY(L->x->scratch, lower_held, count + 1);
    const sir_type **types = ARENA_ARRAY(L->x->scratch, const sir_type *, count + 1);
    for (size_t i = 0; i < count && !L->x->failed; i++) {
        const ast_var *param = decl->params.data[i];
        const ast_expr *arg = args->data[i];
        bool array = param->type->kind == TYPE_ARRAY;
        values[i] = array ? lower_place_after(L, arg, held, i) : lower_after(L, arg, held, i);
        held[i] = (lower_held){&values[i], array};
        if (L->x->failed)
            return NULL;
        if (array)
            values[i] = array_argument(L, arg, param, values[i], native);
        types[i] = param_type(L, param, values[i]->type);
        if (types[i] == NULL)
            return NULL;
        values[i] = lower_convert(L, values[i], types[i]);
        if (values[i]->type != types[i]) {
            diag_record *r =
                elab_error(L->x, arg->range, "argument has type '%s', but parameter '%s' has type '%s'",
                           elab_type_name(L->x, values[i]->type), param->name, elab_type_name(L->x, types[i]));
            elab_note(L->x, r, param->type_range, "parameter declared here");
        }
    }
    if (L->x->failed)
        return NULL;
    sir_function *f = decl->stream != NULL ? filter_function(L, decl, types) : module_function(L, decl, types, native);
    sir_stmt *s = sir_stmt_new(L->m, SIR_CALL, elab_loc(L->x, e->range));
    s->u.call.function = f;
    for (size_t i = 0; i < count; i++)
        VEC_PUSH(L->x->arena, &s->u.call.args, values[i]);
    return s;
}

static sir_expr *function_value(lower *L, const ast_expr *e)
{
    sir_stmt *s = lower_call_stmt(L, e);
    if (s == NULL || L->x->failed)
        return nothing(L, e);
    if (e->type->kind == TYPE_VOID) {
        lower_emit(L, s);
        return nothing(L, e);
    }
    s->u.call.target = lower_temp(L, s->u.call.function->result, NULL, s->loc);
    lower_emit(L, s);
    return lower_clone(L, s->u.call.target);
}

sir_expr *lower_call(lower *L, const ast_expr *e)
{
    switch (e->u.call.callee) {
    case CALLEE_MATH: return math(L, e);
    case CALLEE_RANDOM: return random_number(L, e);
    case CALLEE_INIT_ARRAY_INT:
    case CALLEE_INIT_ARRAY_FLOAT: return lower_number_file(L, e, "numbers");
    case CALLEE_FUNCTION:
    case CALLEE_NATIVE: return function_value(L, e);
    case CALLEE_PRINT:
    case CALLEE_PRINTLN: lower_print(L, e); return nothing(L, e);
    case CALLEE_UNRESOLVED: break;
    }
    diag_internal(L->x->diags, e->range, "elaboration cannot lower this call");
    L->x->failed = true;
    return nothing(L, e);
}

// ---- Messages ----

// Of two written bounds the greater one holds.
static void check_bounds(lower *L, const ast_stmt *s, const sir_expr *min, const sir_expr *max)
{
    if (min->kind != SIR_CONST || max->kind != SIR_CONST || min->u.value.i <= max->u.value.i)
        return;
    diag_warning(
        L->x->diags, WARN_LATENCY, s->u.send.min->range,
        "the least latency of this message, %d, is greater than the greatest, which is %d; the greatest is what "
        "counts",
        (int)min->u.value.i, (int)max->u.value.i);
}

void lower_send(lower *L, const ast_stmt *s)
{
    const ast_function *handler = s->u.send.decl;
    size_t count = s->u.send.args.len;
    sir_stmt *send = sir_stmt_new(L->m, SIR_SEND, elab_loc(L->x, s->range));
    const elab_slot *portal = elab_find(L->x, s->u.send.portal->u.name.var, s->u.send.portal->range);
    if (portal == NULL)
        return;
    send->u.send.portal = (uint32_t)portal->data->i;
    send->u.send.handler = s->u.send.handler;
    send->u.send.best_effort = s->u.send.best_effort;
    sir_expr **values = ARENA_ARRAY(L->x->scratch, sir_expr *, count + 3);
    lower_held *held = ARENA_ARRAY(L->x->scratch, lower_held, count + 3);
    size_t n = 0;
    for (; n < count && !L->x->failed; n++) {
        values[n] = lower_after(L, s->u.send.args.data[n], held, n);
        held[n] = (lower_held){&values[n], false};
        const ast_var *param = handler->params.data[n];
        if (!L->x->failed)
            values[n] = lower_convert(L, values[n], lower_scalar_type(L, param->type));
    }
    const ast_expr *bounds[2] = {s->u.send.min, s->u.send.max};
    sir_expr **found[2] = {NULL, NULL};
    for (int i = 0; i < 2 && !L->x->failed; i++) {
        if (bounds[i] == NULL)
            continue;
        values[n] = lower_after(L, bounds[i], held, n);
        values[n] = lower_convert(L, values[n], L->m->scalar[SIR_INT]);
        held[n] = (lower_held){&values[n], false};
        found[i] = &values[n++];
    }
    if (L->x->failed)
        return;
    for (size_t i = 0; i < count; i++)
        VEC_PUSH(L->x->arena, &send->u.send.args, values[i]);
    if (!s->u.send.best_effort) {
        sir_expr *zero = sir_const_int(L->m, 0, send->loc);
        send->u.send.min = found[0] != NULL ? *found[0] : zero;
        if (found[0] != NULL && found[1] != NULL)
            check_bounds(L, s, *found[0], *found[1]);
        send->u.send.max = found[1] != NULL ? *found[1] : lower_clone(L, send->u.send.min);
    }
    lower_emit(L, send);
}
