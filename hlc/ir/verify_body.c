// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The verifier: functions, statements, expressions. Nothing is followed before it has been found to exist.
#include <string.h>

#include "hlc/ir/ops.h"
#include "hlc/ir/type_rules.h"
#include "hlc/ir/verify_int.h"
#include "hlc/ir/walk.h"

static bool check_expr(sir_verifier *v, const sir_expr *e);

// ---- Types ----

static bool expect_type(sir_verifier *v, const sir_expr *e, const sir_type *wanted, const char *what)
{
    if (sir_same_values(e->type, wanted))
        return true;
    sir_broken(v, e->loc, "%s has type '%s' where '%s' is expected", what, sir_type_text(v, e->type),
               sir_type_text(v, wanted));
    return false;
}

static bool expect_integer(sir_verifier *v, const sir_expr *e, const char *what)
{
    if (sir_is_integer(e->type))
        return true;
    sir_broken(v, e->loc, "%s has type '%s', which is no integer", what, sir_type_text(v, e->type));
    return false;
}

// ---- Expressions ----

static bool check_reference(sir_verifier *v, const sir_expr *e)
{
    const sir_function *f = v->function;
    if (e->kind == SIR_LOCAL) {
        if (e->index >= f->locals.len) {
            sir_broken(v, e->loc, "local number %u does not exist", (unsigned)e->index);
            return false;
        }
        const sir_local *local = &f->locals.data[e->index];
        if (!v->in_scope[e->index]) {
            sir_broken(v, e->loc, "local '%s' is used where it is not declared", local->name);
            return false;
        }
        return expect_type(v, e, local->type, "a use of a local");
    }
    if (e->kind == SIR_FIELD) {
        if (v->filter == NULL || e->index >= v->filter->fields.len) {
            sir_broken(v, e->loc, "field number %u does not exist", (unsigned)e->index);
            return false;
        }
        const sir_field *field = &v->filter->fields.data[e->index];
        if (field->role == SIR_GATHER || field->role == SIR_VARIABLE || field->role == SIR_INSIDE) {
            sir_broken(v, e->loc, "the field '%s' has no value of its own", field->name);
            return false;
        }
        return expect_type(v, e, field->type, "a use of a field");
    }
    if (e->index >= v->module->globals.len) {
        sir_broken(v, e->loc, "global number %u does not exist", (unsigned)e->index);
        return false;
    }
    return expect_type(v, e, v->module->globals.data[e->index].value.type, "a use of a global");
}

static bool check_index(sir_verifier *v, const sir_expr *e)
{
    sir_expr *base = e->u.arg[0];
    if (base->type->kind != SIR_ARRAY) {
        sir_broken(v, e->loc, "a value of type '%s' is subscripted", sir_type_text(v, base->type));
        return false;
    }
    if (sir_lvalue_root(base) == NULL) {
        sir_broken(v, e->loc, "what is subscripted is no variable");
        return false;
    }
    return expect_type(v, e, base->type->element, "an element") && expect_integer(v, e->u.arg[1], "a subscript");
}

static bool check_member(sir_verifier *v, const sir_expr *e)
{
    sir_expr *base = e->u.arg[0];
    if (base->type->kind == SIR_COMPLEX && e->index < 2)
        return expect_type(v, e, v->module->scalar[SIR_FLOAT], "a part of a complex");
    if (base->type->kind == SIR_STRUCT && e->index < base->type->decl->members.len && sir_lvalue_root(base) != NULL)
        return expect_type(v, e, base->type->decl->members.data[e->index].type, "a member");
    sir_broken(v, e->loc, "member number %u of a '%s' does not exist or is none of a variable", (unsigned)e->index,
               sir_type_text(v, base->type));
    return false;
}

static bool check_unary(sir_verifier *v, const sir_expr *e)
{
    const sir_type *t = e->u.arg[0]->type;
    if (e->type == sir_unary_type(e->op, t))
        return true;
    sir_broken(v, e->loc, "'%s' of '%s' giving '%s'", sir_unary_spelling[e->op], sir_type_text(v, t),
               sir_type_text(v, e->type));
    return false;
}

static bool check_binary(sir_verifier *v, const sir_expr *e)
{
    const sir_type *a = e->u.arg[0]->type, *b = e->u.arg[1]->type;
    if (e->type == sir_binary_type(v->module, e->op, a, b))
        return true;
    sir_broken(v, e->loc, "'%s' of '%s' and '%s' giving '%s'", sir_binary_ops[e->op].spelling, sir_type_text(v, a),
               sir_type_text(v, b), sir_type_text(v, e->type));
    return false;
}

static bool check_select(sir_verifier *v, const sir_expr *e)
{
    return expect_type(v, e->u.arg[0], v->module->scalar[SIR_BOOLEAN], "a condition") &&
           expect_type(v, e->u.arg[1], e->type, "a branch") && expect_type(v, e->u.arg[2], e->type, "a branch");
}

static bool check_convert(sir_verifier *v, const sir_expr *e)
{
    const sir_type *from = e->u.arg[0]->type;
    if (sir_converts(from, e->type))
        return true;
    sir_broken(v, e->loc, "no conversion from '%s' to '%s'", sir_type_text(v, from), sir_type_text(v, e->type));
    return false;
}

static bool check_math(sir_verifier *v, const sir_expr *e)
{
    const sir_type *a = e->u.arg[0]->type, *b = sir_math_ops[e->op].arity == 2 ? e->u.arg[1]->type : a;
    if (e->type == sir_math_type(v->module, e->op, a, b))
        return true;
    sir_broken(v, e->loc, "'%s' of '%s' giving '%s'", sir_math_ops[e->op].name, sir_type_text(v, a),
               sir_type_text(v, e->type));
    return false;
}

static bool may_use_tape(const sir_verifier *v)
{
    return v->filter != NULL && v->function->kind != SIR_HANDLER;
}

static bool check_peek(sir_verifier *v, const sir_expr *e)
{
    if (!may_use_tape(v) || v->filter->input->kind == SIR_VOID) {
        sir_broken(v, e->loc, "peek where there is no input");
        return false;
    }
    return expect_type(v, e, v->filter->input, "a peeked item") && expect_integer(v, e->u.arg[0], "a peek offset");
}

static bool check_fetch(sir_verifier *v, const sir_expr *e)
{
    const sir_field *field =
        v->filter == NULL || e->index >= v->filter->fields.len ? NULL : &v->filter->fields.data[e->index];
    if (field == NULL || field->role != SIR_GATHER || field->rank != e->op) {
        sir_broken(v, e->loc, "an element of what is no gathered stream of %u dimensions", (unsigned)e->op);
        return false;
    }
    for (uint32_t i = 0; i < e->op; i++)
        if (!expect_type(v, e->u.arg[i], v->module->scalar[SIR_INT], "a subscript"))
            return false;
    return expect_type(v, e, field->type, "an element");
}

static bool check_operation(sir_verifier *v, const sir_expr *e)
{
    const sir_type *float_type = v->module->scalar[SIR_FLOAT];
    switch ((sir_expr_kind)e->kind) {
    case SIR_CONST:
        if (!sir_is_scalar(e->type)) {
            sir_broken(v, e->loc, "a constant of type '%s'", sir_type_text(v, e->type));
            return false;
        }
        return true;
    case SIR_LOCAL:
    case SIR_FIELD:
    case SIR_GLOBAL: return check_reference(v, e);
    case SIR_INDEX: return check_index(v, e);
    case SIR_MEMBER: return check_member(v, e);
    case SIR_UNARY: return check_unary(v, e);
    case SIR_BINARY: return check_binary(v, e);
    case SIR_SELECT: return check_select(v, e);
    case SIR_CONVERT: return check_convert(v, e);
    case SIR_MATH: return check_math(v, e);
    case SIR_PEEK: return check_peek(v, e);
    case SIR_ITER:
        if (v->filter == NULL) {
            sir_broken(v, e->loc, "iter() outside of a filter");
            return false;
        }
        return expect_type(v, e, v->module->scalar[SIR_INT], "iter()");
    case SIR_MAKE_COMPLEX:
        return expect_type(v, e->u.arg[0], float_type, "a real part") &&
               expect_type(v, e->u.arg[1], float_type, "an imaginary part") &&
               expect_type(v, e, v->module->scalar[SIR_COMPLEX], "a complex value");
    case SIR_FETCH: return check_fetch(v, e);
    }
    return false;
}

// Children first, so that an operation may look at their types.
static bool check_expr(sir_verifier *v, const sir_expr *e)
{
    if (e == NULL || e->type == NULL) {
        sir_broken(v, v->function->loc, "an expression or its type is missing");
        return false;
    }
    if (e->kind > SIR_FETCH || (e->kind == SIR_FETCH && e->op > SIR_RANK) ||
        (e->kind == SIR_MATH && e->op >= LANG_MATH_COUNT) || (e->kind == SIR_UNARY && e->op >= LANG_UNARY_COUNT) ||
        (e->kind == SIR_BINARY && e->op >= LANG_BINARY_COUNT)) {
        sir_broken(v, e->loc, "unknown kind of expression %u, operation %u", (unsigned)e->kind, (unsigned)e->op);
        return false;
    }
    size_t arity = sir_expr_arity(e);
    for (size_t i = 0; i < arity; i++)
        if (!check_expr(v, e->u.arg[i]))
            return false;
    return check_operation(v, e);
}

static void check_condition(sir_verifier *v, const sir_expr *e)
{
    if (check_expr(v, e))
        expect_type(v, e, v->module->scalar[SIR_BOOLEAN], "a condition");
}

static bool check_lvalue(sir_verifier *v, sir_expr *e)
{
    if (!check_expr(v, e))
        return false;
    const sir_expr *root = sir_lvalue_root(e);
    if (root == NULL || root->kind == SIR_GLOBAL) {
        sir_broken(v, e->loc, "what is assigned is no variable");
        return false;
    }
    if (root->kind == SIR_FIELD) {
        const sir_field *field = &v->filter->fields.data[root->index];
        if (field->role != SIR_STATE && field->role != SIR_OUTPUT && field->role != SIR_REDUCED &&
            field->role != SIR_MAPPED) {
            sir_broken(v, e->loc, "the field '%s', which is '%s', is assigned", field->name,
                       sir_role_words[field->role]);
            return false;
        }
    }
    if (root->kind == SIR_LOCAL && v->frozen[root->index]) {
        sir_broken(v, e->loc, "the variable '%s' of a counted loop is assigned in its body",
                   v->function->locals.data[root->index].name);
        return false;
    }
    return true;
}

// ---- Statements ----

static void check_block(sir_verifier *v, const sir_block *b);
static void check_stmts(sir_verifier *v, const sir_block *b);

static bool declare(sir_verifier *v, uint32_t local, sir_loc loc)
{
    if (local >= v->function->locals.len) {
        sir_broken(v, loc, "local number %u does not exist", (unsigned)local);
        return false;
    }
    if (v->in_scope[local]) {
        sir_broken(v, loc, "local '%s' is declared inside its own scope", v->function->locals.data[local].name);
        return false;
    }
    v->in_scope[local] = true;
    VEC_PUSH(v->scratch, &v->scope, local);
    return true;
}

static void close_scope(sir_verifier *v, size_t mark)
{
    while (v->scope.len > mark) {
        v->in_scope[VEC_LAST(&v->scope)] = false;
        v->scope.len--;
    }
}

static void check_decl(sir_verifier *v, const sir_stmt *s)
{
    if (s->u.decl.init != NULL && !check_expr(v, s->u.decl.init))
        return;
    if (!declare(v, s->u.decl.local, s->loc))
        return;
    const sir_local *local = &v->function->locals.data[s->u.decl.local];
    if (s->u.decl.init != NULL)
        expect_type(v, s->u.decl.init, local->type, "an initial value");
    if (s->u.decl.init != NULL && s->u.decl.uninitialised)
        sir_broken(v, s->loc, "local '%s' is both initialised and not", local->name);
}

static void check_getter(sir_verifier *v, sir_expr *target);

static bool callable(sir_verifier *v, const sir_function *f)
{
    if (f != NULL && v->filter != NULL)
        for (size_t i = 0; i < v->filter->functions.len; i++)
            if (v->filter->functions.data[i] == f)
                return true;
    return f != NULL && hmap_getn(&v->functions, &f, sizeof f) != NULL;
}

static void check_args(sir_verifier *v, const sir_stmt *s, const sir_function *callee, sir_expr *const *args,
                       size_t count)
{
    if (count != callee->param_count || callee->param_count > callee->locals.len) {
        sir_broken(v, s->loc, "'%s' has %u parameters but gets %zu arguments", callee->name,
                   (unsigned)callee->param_count, count);
        return;
    }
    const sir_function_effects *effects = sir_effects_of(v->effects, callee);
    for (size_t i = 0; i < count; i++) {
        const sir_local *param = &callee->locals.data[i];
        if (!check_expr(v, args[i]) || !expect_type(v, args[i], param->type, "an argument") || !param->by_reference)
            continue;
        const sir_expr *root = sir_lvalue_root(args[i]);
        if (root == NULL || (root->kind == SIR_GLOBAL && effects != NULL && effects->writes_param[i]))
            sir_broken(v, args[i]->loc, "the argument for '%s' of '%s', which is assigned, is no variable", param->name,
                       callee->name);
    }
}

static void check_call(sir_verifier *v, const sir_stmt *s)
{
    const sir_function *callee = s->u.call.function;
    if (!callable(v, callee)) {
        sir_broken(v, s->loc, "call of an unknown function");
        return;
    }
    check_args(v, s, callee, s->u.call.args.data, s->u.call.args.len);
    sir_expr *target = s->u.call.target;
    if (target == NULL || !check_lvalue(v, target))
        return;
    expect_type(v, target, callee->result, "what takes a result");
    check_getter(v, target);
}

static const sir_function *find_handler(const sir_filter *f, const char *name)
{
    for (size_t i = 0; f != NULL && i < f->handlers.len; i++)
        if (strcmp(f->handlers.data[i]->name, name) == 0)
            return f->handlers.data[i];
    return NULL;
}

static void check_send(sir_verifier *v, const sir_stmt *s)
{
    if (v->filter == NULL || s->u.send.portal >= v->module->portals.len || s->u.send.handler == NULL) {
        sir_broken(v, s->loc, "message to an unknown portal");
        return;
    }
    const sir_portal *portal = &v->module->portals.data[s->u.send.portal];
    for (size_t i = 0; i < s->u.send.args.len; i++)
        check_expr(v, s->u.send.args.data[i]);
    for (size_t i = 0; i < portal->receivers.len; i++) {
        uint32_t number = portal->receivers.data[i];
        const sir_actor *actor = number < v->module->actors.len ? v->module->actors.data[number] : NULL;
        const sir_function *handler = actor == NULL ? NULL : find_handler(actor->filter, s->u.send.handler);
        if (handler == NULL) {
            sir_broken(v, s->loc, "a receiver of portal '%s' has no handler '%s'", portal->name, s->u.send.handler);
            return;
        }
        check_args(v, s, handler, s->u.send.args.data, s->u.send.args.len);
    }
    if (s->u.send.min != NULL && check_expr(v, s->u.send.min))
        expect_integer(v, s->u.send.min, "a latency");
    if (s->u.send.max != NULL && check_expr(v, s->u.send.max))
        expect_integer(v, s->u.send.max, "a latency");
}

static void check_for(sir_verifier *v, const sir_stmt *s)
{
    const sir_type *int_type = v->module->scalar[SIR_INT];
    if (check_expr(v, s->u.for_.lo))
        expect_type(v, s->u.for_.lo, int_type, "a bound");
    if (check_expr(v, s->u.for_.hi))
        expect_type(v, s->u.for_.hi, int_type, "a bound");
    if (s->u.for_.step == 0)
        sir_broken(v, s->loc, "a counted loop with step 0");
    size_t mark = v->scope.len;
    uint32_t local = s->u.for_.local;
    if (!declare(v, local, s->loc))
        return;
    if (v->function->locals.data[local].type != int_type)
        sir_broken(v, s->loc, "the variable '%s' of a counted loop is no int", v->function->locals.data[local].name);
    v->frozen[local] = true;
    v->loop_depth++;
    check_block(v, &s->u.for_.body);
    v->loop_depth--;
    v->frozen[local] = false;
    close_scope(v, mark);
}

// The leading part or the step of a loop: no jump leaves it.
static void check_loop_part(sir_verifier *v, const sir_block *b, bool close)
{
    uint32_t depth = v->loop_depth;
    bool outer = v->in_test;
    size_t mark = v->scope.len;
    v->loop_depth = 0;
    v->in_test = true;
    check_stmts(v, b);
    v->loop_depth = depth;
    v->in_test = outer;
    if (close)
        close_scope(v, mark);
}

// What the leading part declares is seen by the condition, the body and the step.
static void check_loop(sir_verifier *v, const sir_stmt *s)
{
    size_t mark = v->scope.len;
    if (s->u.loop.post_test) {
        v->loop_depth++;
        check_block(v, &s->u.loop.body);
        v->loop_depth--;
        check_loop_part(v, &s->u.loop.step, true);
    }
    check_loop_part(v, &s->u.loop.pre, false);
    if (s->u.loop.cond != NULL)
        check_condition(v, s->u.loop.cond);
    if (!s->u.loop.post_test) {
        v->loop_depth++;
        check_block(v, &s->u.loop.body);
        v->loop_depth--;
        check_loop_part(v, &s->u.loop.step, true);
    }
    close_scope(v, mark);
}

static void check_return(sir_verifier *v, const sir_stmt *s)
{
    const sir_type *result = v->function->result;
    if (v->in_test)
        sir_broken(v, s->loc, "return in the leading part or step of a loop");
    if (s->u.value == NULL) {
        if (result->kind != SIR_VOID)
            sir_broken(v, s->loc, "return without a value of type '%s'", sir_type_text(v, result));
    } else if (check_expr(v, s->u.value)) {
        expect_type(v, s->u.value, result, "a returned value");
    }
}

static void find_peek(void *context, sir_expr *e, bool written)
{
    (void)written;
    bool *found = context;
    *found = *found || e->kind == SIR_PEEK;
}

// Where a popped item or a result goes must not depend on the window, which moves.
static void check_getter(sir_verifier *v, sir_expr *target)
{
    bool peeks = false;
    sir_visit_tree(target, true, find_peek, &peeks);
    if (peeks)
        sir_broken(v, target->loc, "a peek in a subscript of what takes a popped item or a result");
}

static void check_tape(sir_verifier *v, const sir_stmt *s)
{
    const sir_type *tape = v->filter == NULL ? NULL : s->kind == SIR_POP ? v->filter->input : v->filter->output;
    if (!may_use_tape(v) || tape->kind == SIR_VOID) {
        sir_broken(v, s->loc, "%s where there is no %s", s->kind == SIR_POP ? "pop" : "push",
                   s->kind == SIR_POP ? "input" : "output");
    } else if (v->filter->finite && v->function->kind != SIR_WORK) {
        sir_broken(v, s->loc, "a push outside of work in a finite filter");
    } else if (s->kind == SIR_POP) {
        if (s->u.set.target != NULL && check_lvalue(v, s->u.set.target)) {
            expect_type(v, s->u.set.target, tape, "what takes a popped item");
            check_getter(v, s->u.set.target);
        }
    } else if (check_expr(v, s->u.value)) {
        expect_type(v, s->u.value, tape, "a pushed item");
    }
}

static void check_print(sir_verifier *v, const sir_stmt *s)
{
    const sir_expr *e = s->u.print.value;
    if (e != NULL && check_expr(v, e) && !sir_is_real(e->type) && e->type->kind != SIR_BOOLEAN)
        sir_broken(v, s->loc, "print of a '%s'", sir_type_text(v, e->type));
    if (e == NULL && s->u.print.text == NULL)
        sir_broken(v, s->loc, "print of nothing");
}

static void check_stmt(sir_verifier *v, const sir_stmt *s)
{
    switch ((sir_stmt_kind)s->kind) {
    case SIR_DECL: check_decl(v, s); break;
    case SIR_SET: {
        bool target = check_lvalue(v, s->u.set.target);
        if (check_expr(v, s->u.set.value) && target)
            expect_type(v, s->u.set.value, s->u.set.target->type, "an assigned value");
        break;
    }
    case SIR_POP:
    case SIR_PUSH: check_tape(v, s); break;
    case SIR_PRINT: check_print(v, s); break;
    case SIR_CALL: check_call(v, s); break;
    case SIR_RANDOM:
        if (v->filter == NULL)
            sir_broken(v, s->loc, "random() outside of a filter");
        else if (s->u.set.target != NULL && check_lvalue(v, s->u.set.target))
            expect_type(v, s->u.set.target, v->module->scalar[SIR_DOUBLE], "what takes a random number");
        break;
    case SIR_IF:
        check_condition(v, s->u.if_.cond);
        check_block(v, &s->u.if_.then);
        check_block(v, &s->u.if_.otherwise);
        break;
    case SIR_FOR: check_for(v, s); break;
    case SIR_LOOP: check_loop(v, s); break;
    case SIR_BREAK:
    case SIR_CONTINUE:
        if (v->loop_depth == 0)
            sir_broken(v, s->loc, "%s outside of a loop", s->kind == SIR_BREAK ? "break" : "continue");
        if (v->module->canonical)
            sir_broken(v, s->loc, "break or continue in a canonical module");
        break;
    case SIR_RETURN: check_return(v, s); break;
    case SIR_BLOCK: check_block(v, &s->u.block); break;
    case SIR_SEND: check_send(v, s); break;
    default: sir_broken(v, s->loc, "unknown kind of statement %u", (unsigned)s->kind); break;
    }
}

static void check_stmts(sir_verifier *v, const sir_block *b)
{
    for (size_t i = 0; i < b->len; i++) {
        if (b->data[i] == NULL)
            sir_broken(v, v->function->loc, "a statement is missing");
        else
            check_stmt(v, b->data[i]);
    }
}

static void check_block(sir_verifier *v, const sir_block *b)
{
    size_t mark = v->scope.len;
    check_stmts(v, b);
    close_scope(v, mark);
}

// ---- Functions ----

static void check_rate(sir_verifier *v, const sir_function *f, sir_rate r, const char *what, bool possible)
{
    sir_loc loc = r.loc.file != 0 ? r.loc : f->loc;
    if (r.min < 0 || (r.max < r.min && !(r.dynamic && r.max == -1)))
        sir_broken(v, loc, "the %s rate is no rate", what);
    else if (!r.dynamic && r.min != r.max)
        sir_broken(v, loc, "the static %s rate has two values", what);
    else if (!possible && (r.min != 0 || r.max != 0))
        sir_broken(v, loc, "a %s rate where there is no %s", what, strcmp(what, "push") == 0 ? "output" : "input");
}

static void check_rates(sir_verifier *v, const sir_function *f)
{
    bool tapes = may_use_tape(v);
    bool input = tapes && v->filter->input->kind != SIR_VOID, output = tapes && v->filter->output->kind != SIR_VOID;
    check_rate(v, f, f->peek, "peek", input);
    check_rate(v, f, f->pop, "pop", input);
    check_rate(v, f, f->push, "push", output);
    if (f->peek.min < f->pop.min || (f->peek.max >= 0 && (f->pop.max < 0 || f->peek.max < f->pop.max)))
        sir_broken(v, f->loc, "the peek rate is less than the pop rate");
}

static void note_return(void *context, sir_stmt *s)
{
    size_t *count = context;
    *count += s->kind == SIR_RETURN;
}

static void check_canonical_returns(sir_verifier *v, const sir_function *f)
{
    size_t count = 0, wanted = f->result->kind == SIR_VOID ? 0 : 1;
    sir_visit_stmts(&f->body, note_return, &count);
    bool last = f->body.len > 0 && VEC_LAST(&f->body)->kind == SIR_RETURN;
    if (count != wanted || (wanted == 1 && !last))
        sir_broken(v, f->loc, "an early or missing return in a canonical module");
}

static bool check_locals(sir_verifier *v, const sir_function *f)
{
    if (f->param_count > f->locals.len) {
        sir_broken(v, f->loc, "parameters are missing");
        return false;
    }
    hmap names;
    hmap_init(&names, v->scratch);
    for (size_t i = 0; i < f->locals.len; i++) {
        const sir_local *local = &f->locals.data[i];
        if (local->name == NULL || local->type == NULL || local->type->kind == SIR_VOID) {
            sir_broken(v, f->loc, "local number %zu has no name or type", i);
            return false;
        }
        if (local->type->words > SIR_MAX_WORDS)
            sir_broken(v, local->loc, "local '%s' is too large", local->name);
        if (local->by_reference && (i >= f->param_count || local->type->kind != SIR_ARRAY))
            sir_broken(v, local->loc, "local '%s' is by reference but no array parameter", local->name);
        if (hmap_get(&names, local->name) != NULL)
            sir_broken(v, local->loc, "two locals are named '%s'", local->name);
        hmap_set(&names, local->name, &names);
    }
    return true;
}

void sir_verify_function(sir_verifier *v, const sir_filter *filter, const sir_function *f, const sir_effects *effects)
{
    v->filter = filter;
    v->function = f;
    v->effects = effects;
    v->scope.len = 0;
    v->loop_depth = 0;
    v->in_test = false;
    if (f->name == NULL || f->result == NULL) {
        sir_broken(v, f->loc, "a function has no name or result");
        return;
    }
    check_rates(v, f);
    if (!check_locals(v, f))
        return;
    v->in_scope = ARENA_ARRAY(v->scratch, bool, f->locals.len);
    v->frozen = ARENA_ARRAY(v->scratch, bool, f->locals.len);
    for (uint32_t i = 0; i < f->param_count; i++)
        v->in_scope[i] = true;
    if (f->kind == SIR_NATIVE)
        return;
    check_block(v, &f->body);
    if (v->module->canonical)
        check_canonical_returns(v, f);
    v->function = NULL;
}
