// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Statements to bytecode.
#include "hlc/interp/compile.h"

static void compile_block(compiler *c, const sir_block *b);

static void load_aggregate(compiler *c, int32_t to, const sir_expr *from)
{
    vm_emit(c, VM_COPY, to, vm_compile_address(c, from), (int32_t)from->type->words, 0);
}

static bool is_part(const sir_expr *e)
{
    return e->kind == SIR_MEMBER && e->u.arg[0]->type->kind == SIR_COMPLEX;
}

// Stores the scalar in a register to an lvalue.
static void assign(compiler *c, const sir_expr *target, int32_t value)
{
    if (!is_part(target)) {
        vm_store(c, vm_compile_place(c, target), value);
        return;
    }
    vm_place p = vm_compile_place(c, target->u.arg[0]);
    int32_t z = vm_load(c, p, VM_NO_REG), t = vm_temp(c, 1);
    vm_emit(c, target->index == 0 ? VM_CSETRE : VM_CSETIM, t, z, value, 0);
    vm_store(c, p, t);
}

// The register of a scalar that can be written directly, or VM_NO_REG.
static int32_t direct(const compiler *c, const sir_expr *target)
{
    return target->kind == SIR_LOCAL && !c->source->locals.data[target->index].by_reference ? c->fn->slot[target->index]
                                                                                            : VM_NO_REG;
}

static void compile_set(compiler *c, const sir_expr *target, const sir_expr *value)
{
    if (vm_is_aggregate(target->type)) {
        load_aggregate(c, vm_compile_address(c, target), value);
        return;
    }
    int32_t r = vm_compile_expr(c, value, direct(c, target));
    assign(c, target, r);
}

static void compile_decl(compiler *c, const sir_stmt *s)
{
    const sir_local *local = &c->source->locals.data[s->u.decl.local];
    int32_t slot = c->fn->slot[s->u.decl.local];
    const sir_expr *init = s->u.decl.init;
    if (s->u.decl.uninitialised)
        return;
    if (vm_is_aggregate(local->type)) {
        if (init == NULL) {
            vm_emit(c, VM_ZERO, slot, (int32_t)local->type->words, 0, 0);
            return;
        }
        int32_t to = vm_temp(c, 1);
        vm_emit(c, VM_LEAR, to, slot, 0, 0);
        load_aggregate(c, to, init);
    } else if (init == NULL) {
        vm_emit(c, VM_MOV, slot, vm_constant_int(c, 0), 0, 0);
    } else {
        vm_compile_expr(c, init, slot);
    }
}

// What an instruction gives (pop, random) goes to a target.
static void compile_get(compiler *c, vm_op op, const sir_expr *target)
{
    int32_t r = direct(c, target);
    if (r != VM_NO_REG) {
        vm_emit(c, op, r, 0, 0, 0);
        return;
    }
    r = vm_temp(c, 1);
    vm_emit(c, op, r, 0, 0, 0);
    assign(c, target, r);
}

static void compile_pop(compiler *c, const sir_expr *target)
{
    if (target == NULL)
        vm_emit(c, VM_DROP, 0, 0, 0, 0);
    else if (vm_is_aggregate(target->type))
        vm_emit(c, VM_POPA, vm_compile_address(c, target), 0, (int32_t)target->type->words, 0);
    else
        compile_get(c, VM_POP, target);
}

static void compile_push(compiler *c, const sir_expr *value)
{
    bool kept = c->fn->filter != NULL && c->fn->filter->finite;
    if (vm_is_aggregate(value->type))
        vm_emit(c, kept ? VM_KEEPA : VM_PUSHA, vm_compile_address(c, value), 0, (int32_t)value->type->words, 0);
    else
        vm_emit(c, kept ? VM_KEEP : VM_PUSH, vm_compile_expr(c, value, VM_NO_REG), 0, 0, 0);
}

static void compile_print(compiler *c, const sir_stmt *s)
{
    const sir_expr *value = s->u.print.value;
    c->fn->prints = true;
    if (value == NULL) {
        VEC_PUSH(c->p->arena, &c->p->texts, (vm_text){s->u.print.text, s->u.print.len});
        vm_emit(c, VM_PRINTT, (int32_t)c->p->texts.len - 1, 0, 0, 0);
        return;
    }
    vm_op op = VM_PRINTI;
    if (value->type->kind == SIR_FLOAT)
        op = VM_PRINTF;
    else if (value->type->kind == SIR_DOUBLE)
        op = VM_PRINTD;
    else if (value->type->kind == SIR_BOOLEAN)
        op = VM_PRINTB;
    vm_emit(c, op, vm_compile_expr(c, value, VM_NO_REG), 0, 0, 0);
}

// ---- Calls ----

// Arguments are evaluated first, then copied into the new frame; subscripts of the target come after the call.
static void compile_call(compiler *c, const sir_stmt *s)
{
    const sir_function *f = s->u.call.function;
    size_t count = s->u.call.args.len;
    if (f->kind == SIR_NATIVE) {
        vm_emit(c, VM_NATIVE, vm_function_number(c->p, NULL, f), 0, 0, 0);
        return;
    }
    const sir_filter *filter = NULL;
    for (size_t i = 0; c->fn->filter != NULL && i < c->fn->filter->functions.len; i++)
        if (c->fn->filter->functions.data[i] == f)
            filter = c->fn->filter;
    int32_t *args = ARENA_ARRAY(c->p->arena, int32_t, count + 1);
    for (size_t i = 0; i < count; i++) {
        const sir_expr *arg = s->u.call.args.data[i];
        args[i] = vm_is_aggregate(arg->type) ? vm_compile_address(c, arg) : vm_compile_expr(c, arg, VM_NO_REG);
    }
    vm_emit(c, VM_PREP, vm_function_number(c->p, filter, f), 0, 0, 0);
    int64_t slot = 0; // of the parameter: locals are laid out one after another
    for (size_t i = 0; i < count; i++) {
        const sir_local *param = &f->locals.data[i];
        bool copied = vm_is_aggregate(param->type) && !param->by_reference;
        if (copied)
            vm_emit(c, VM_ARGA, (int32_t)slot, args[i], (int32_t)param->type->words, 0);
        else
            vm_emit(c, VM_ARG, (int32_t)slot, args[i], 0, 0);
        slot += copied ? (int64_t)param->type->words : 1;
    }
    vm_emit(c, VM_CALL, 0, 0, 0, 0);
    const sir_expr *target = s->u.call.target;
    if (target == NULL)
        return;
    if (!vm_is_aggregate(target->type)) {
        compile_get(c, VM_RESULT, target);
        return;
    }
    int32_t from = vm_temp(c, 1);
    vm_emit(c, VM_RESULT, from, 0, 0, 0);
    vm_emit(c, VM_COPY, vm_compile_address(c, target), from, (int32_t)target->type->words, 0);
}

// Functions that nobody calls: handlers run like firings that touch no tape.
static bool is_firing(const compiler *c)
{
    return c->source->kind == SIR_WORK || c->source->kind == SIR_PREWORK || c->source->kind == SIR_HANDLER;
}

// -fcheck-rates: what calls move is counted where they begin and end.
static bool has_rates(const compiler *c)
{
    const sir_function *f = c->source;
    return c->p->check_rates && f->kind == SIR_HELPER && (f->pop.max != 0 || f->push.max != 0 || f->peek.max != 0);
}

static void begin_moves(compiler *c)
{
    for (int push = 0; push < 2 && has_rates(c); push++) {
        c->moves[push] = vm_temp(c, 1);
        vm_emit(c, VM_MOVED, c->moves[push], push, 0, 0);
    }
}

static void check_moves(compiler *c)
{
    vm_origin saved = c->origin;
    for (int push = 0; push < 2 && has_rates(c); push++) {
        const sir_rate *r = push ? &c->source->push : &c->source->pop;
        c->origin = (vm_origin){NULL, r->loc.file != 0 ? r->loc : c->source->loc};
        vm_emit(c, VM_CHECKMOVED, c->moves[push], push, 0, 0);
    }
    c->origin = saved;
}

// Falling off the end of a function with a result gives zeroes.
static void compile_end(compiler *c)
{
    const sir_type *result = c->source->result;
    check_moves(c);
    if (is_firing(c)) { // what it complains of is the declared rate
        vm_origin saved = c->origin;
        if (c->source->push.loc.file != 0)
            c->origin = (vm_origin){NULL, c->source->push.loc};
        vm_emit(c, VM_END, 0, 0, 0, 0);
        c->origin = saved;
    } else if (vm_is_aggregate(result)) {
        int32_t t = vm_temp(c, result->words), address = vm_temp(c, 1);
        vm_emit(c, VM_ZERO, t, (int32_t)result->words, 0, 0);
        vm_emit(c, VM_LEAR, address, t, 0, 0);
        vm_emit(c, VM_RETURNA, address, 0, 0, 0);
    } else {
        vm_emit(c, VM_LEAVE, 0, 0, 0, 0);
    }
}

static void compile_return(compiler *c, const sir_expr *value)
{
    if (value == NULL || is_firing(c)) {
        compile_end(c);
        return;
    }
    check_moves(c);
    if (vm_is_aggregate(value->type))
        vm_emit(c, VM_RETURNA, vm_compile_address(c, value), 0, 0, 0);
    else
        vm_emit(c, VM_RETURN, vm_compile_expr(c, value, VM_NO_REG), 0, 0, 0);
}

static void compile_send(compiler *c, const sir_stmt *s)
{
    vm_send send = {.source = s};
    size_t count = s->u.send.args.len;
    int32_t *args = ARENA_ARRAY(c->p->arena, int32_t, count + 1);
    for (size_t i = 0; i < count; i++) {
        const sir_expr *arg = s->u.send.args.data[i];
        args[i] = vm_is_aggregate(arg->type) ? vm_compile_address(c, arg) : vm_compile_expr(c, arg, VM_NO_REG);
        send.words += arg->type->words;
    }
    int32_t latency = s->u.send.max == NULL ? vm_constant_int(c, 0) : vm_compile_expr(c, s->u.send.max, VM_NO_REG);
    for (size_t i = 0; i < count; i++) {
        const sir_type *t = s->u.send.args.data[i]->type;
        if (vm_is_aggregate(t))
            vm_emit(c, VM_MARGA, args[i], 0, (int32_t)t->words, 0);
        else
            vm_emit(c, VM_MARG, args[i], 0, 0, 0);
    }
    VEC_PUSH(c->p->arena, &c->p->sends, send);
    vm_emit(c, VM_SEND, (int32_t)c->p->sends.len - 1, latency, 0, 0);
}

// ---- Loops ----

static void compile_loop_body(compiler *c, const sir_block *body, vm_label *leave, vm_label *next)
{
    VEC_PUSH(c->p->arena, &c->loops, (vm_loop){leave, next});
    compile_block(c, body);
    c->loops.len--;
}

static void compile_for(compiler *c, const sir_stmt *s)
{
    vm_label *top = vm_label_new(c), *next = vm_label_new(c), *end = vm_label_new(c);
    int32_t i = c->fn->slot[s->u.for_.local], hi = vm_temp(c, 1);
    int32_t lo = vm_compile_expr(c, s->u.for_.lo, VM_NO_REG);
    vm_compile_expr(c, s->u.for_.hi, hi);
    vm_emit(c, VM_MOV, i, lo, 0, 0);
    vm_emit_jump(c, s->u.for_.step > 0 ? VM_JGEI : VM_JLEI, i, hi, 0, end);
    vm_bind(c, top);
    compile_loop_body(c, &s->u.for_.body, end, next);
    vm_bind(c, next);
    vm_emit_jump(c, s->u.for_.step > 0 ? VM_FORUP : VM_FORDOWN, i, s->u.for_.step, hi, top);
    vm_bind(c, end);
}

static void compile_loop(compiler *c, const sir_stmt *s)
{
    vm_label *top = vm_label_new(c), *next = vm_label_new(c), *test = vm_label_new(c), *end = vm_label_new(c);
    if (!s->u.loop.post_test)
        vm_emit_jump(c, VM_JMP, 0, 0, 0, test);
    vm_bind(c, top);
    compile_loop_body(c, &s->u.loop.body, end, next);
    vm_bind(c, next);
    compile_block(c, &s->u.loop.step);
    vm_bind(c, test);
    compile_block(c, &s->u.loop.pre);
    int64_t saved = c->top;
    if (s->u.loop.cond != NULL)
        vm_compile_condition(c, s->u.loop.cond, top, true);
    else
        vm_emit_jump(c, VM_JMP, 0, 0, 0, top);
    c->top = saved;
    vm_bind(c, end);
}

static void compile_if(compiler *c, const sir_stmt *s)
{
    vm_label *otherwise = vm_label_new(c), *end = vm_label_new(c);
    vm_compile_condition(c, s->u.if_.cond, otherwise, false);
    compile_block(c, &s->u.if_.then);
    if (s->u.if_.otherwise.len > 0) {
        vm_emit_jump(c, VM_JMP, 0, 0, 0, end);
        vm_bind(c, otherwise);
        compile_block(c, &s->u.if_.otherwise);
        vm_bind(c, end);
    } else {
        vm_bind(c, otherwise);
    }
}

static void compile_leave(compiler *c, bool leave)
{
    if (c->loops.len == 0)
        return; // the verifier has refused it
    vm_loop loop = VEC_LAST(&c->loops);
    vm_emit_jump(c, VM_JMP, 0, 0, 0, leave ? loop.leave : loop.next);
}

// ---- Statements ----

static void compile_kind(compiler *c, const sir_stmt *s)
{
    switch ((sir_stmt_kind)s->kind) {
    case SIR_DECL: compile_decl(c, s); break;
    case SIR_SET: compile_set(c, s->u.set.target, s->u.set.value); break;
    case SIR_POP: compile_pop(c, s->u.set.target); break;
    case SIR_PUSH: compile_push(c, s->u.value); break;
    case SIR_PRINT: compile_print(c, s); break;
    case SIR_CALL: compile_call(c, s); break;
    case SIR_RANDOM:
        if (s->u.set.target != NULL)
            compile_get(c, VM_RANDOM, s->u.set.target);
        else
            vm_emit(c, VM_RANDOM, vm_temp(c, 1), 0, 0, 0);
        break;
    case SIR_IF: compile_if(c, s); break;
    case SIR_FOR: compile_for(c, s); break;
    case SIR_LOOP: compile_loop(c, s); break;
    case SIR_BREAK: compile_leave(c, true); break;
    case SIR_CONTINUE: compile_leave(c, false); break;
    case SIR_RETURN: compile_return(c, s->u.value); break;
    case SIR_BLOCK: compile_block(c, &s->u.block); break;
    case SIR_SEND: compile_send(c, s); break;
    }
}

static void compile_stmt(compiler *c, const sir_stmt *s)
{
    if (!vm_enter(c, s->loc))
        return;
    vm_origin saved = c->origin;
    int64_t top = c->top;
    if (s->loc.line != 0)
        c->origin = (vm_origin){NULL, s->loc};
    compile_kind(c, s);
    c->top = top;
    c->origin = saved;
    vm_exit(c);
}

static void compile_block(compiler *c, const sir_block *b)
{
    for (size_t i = 0; i < b->len && !c->p->failed; i++)
        compile_stmt(c, b->data[i]);
}

void vm_compile_body(compiler *c)
{
    begin_moves(c);
    compile_block(c, &c->source->body);
    compile_end(c);
}
