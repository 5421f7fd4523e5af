// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variables, elements and members as places in memory; loads, stores and addresses.
#include "hlc/interp/compile.h"

// ---- Places ----

// Applies a subscript that is still to be checked.
static void settle(compiler *c, vm_place *p)
{
    if (!p->unchecked)
        return;
    int32_t t = vm_temp(c, 1);
    vm_emit_for(c, p->subscripted, VM_IX, t, p->index, (int32_t)p->length, 1);
    p->index = t;
    p->unchecked = false;
}

static void add_subscript(compiler *c, vm_place *p, const sir_expr *e)
{
    const sir_type *array = e->u.arg[0]->type;
    const sir_expr *subscript = e->u.arg[1];
    int32_t stride = (int32_t)e->type->words, length = (int32_t)array->length;
    if (subscript->kind == SIR_CONST) {
        int32_t i = subscript->u.value.i;
        if (i >= 0 && (uint32_t)i < array->length)
            p->offset += (int64_t)i * stride;
        else
            vm_emit_for(c, e, VM_BADINDEX, i, length, 0, 0);
        return;
    }
    settle(c, p);
    int32_t r = vm_compile_expr(c, subscript, VM_NO_REG);
    if (p->index != VM_NO_REG) {
        vm_emit_for(c, e, VM_IXA, p->index, r, length, stride);
    } else if (stride == 1) {
        p->index = r;
        p->unchecked = true;
        p->length = array->length;
        p->subscripted = e;
    } else {
        p->index = vm_temp(c, 1);
        vm_emit_for(c, e, VM_IX, p->index, r, length, stride);
    }
}

static vm_place local_place(const compiler *c, uint32_t index)
{
    vm_place p = {.space = VM_IN_FRAME, .offset = c->fn->slot[index], .index = VM_NO_REG};
    if (c->source->locals.data[index].by_reference)
        p = (vm_place){.space = VM_AT_POINTER, .pointer = c->fn->slot[index], .index = VM_NO_REG};
    return p;
}

static vm_place member_place(compiler *c, const sir_expr *e)
{
    vm_place p = vm_compile_place(c, e->u.arg[0]);
    const sir_struct *decl = e->u.arg[0]->type->decl;
    for (uint32_t i = 0; i < e->index; i++)
        p.offset += (int64_t)decl->members.data[i].type->words;
    return p;
}

// An aggregate chosen between two: the address of the one.
static vm_place select_place(compiler *c, const sir_expr *e)
{
    int32_t r = vm_temp(c, 1);
    vm_label *other = vm_label_new(c), *end = vm_label_new(c);
    vm_compile_condition(c, e->u.arg[0], other, false);
    vm_emit(c, VM_MOV, r, vm_compile_address(c, e->u.arg[1]), 0, 0);
    vm_emit_jump(c, VM_JMP, 0, 0, 0, end);
    vm_bind(c, other);
    vm_emit(c, VM_MOV, r, vm_compile_address(c, e->u.arg[2]), 0, 0);
    vm_bind(c, end);
    return (vm_place){.space = VM_AT_POINTER, .pointer = r, .index = VM_NO_REG};
}

// The subscripts into registers that follow each other.
static void compile_fetch(compiler *c, const sir_expr *e, int32_t pointer)
{
    int32_t first = vm_temp(c, e->op);
    for (size_t i = 0; i < e->op; i++) {
        int32_t to = first + (int32_t)i, r = vm_compile_expr(c, e->u.arg[i], to);
        if (r != to)
            vm_emit(c, VM_MOV, to, r, 0, 0);
    }
    vm_emit(c, VM_FETCH, pointer, first, c->field_start[e->index], (int32_t)e->op);
}

vm_place vm_compile_place(compiler *c, const sir_expr *e)
{
    vm_place p = {.space = VM_IN_FRAME, .index = VM_NO_REG};
    if (!vm_enter(c, e->loc))
        return p;
    switch ((sir_expr_kind)e->kind) {
    case SIR_LOCAL: p = local_place(c, e->index); break;
    case SIR_FIELD: p = (vm_place){.space = VM_IN_STATE, .offset = c->field_start[e->index], .index = VM_NO_REG}; break;
    case SIR_GLOBAL:
        p = (vm_place){.space = VM_IN_GLOBALS, .offset = c->p->global_start[e->index], .index = VM_NO_REG};
        break;
    case SIR_MEMBER: p = member_place(c, e); break;
    case SIR_INDEX:
        p = vm_compile_place(c, e->u.arg[0]);
        add_subscript(c, &p, e);
        break;
    case SIR_SELECT: p = select_place(c, e); break;
    case SIR_PEEK: {
        int32_t offset = vm_compile_expr(c, e->u.arg[0], VM_NO_REG);
        p = (vm_place){.space = VM_AT_POINTER, .pointer = vm_temp(c, 1), .index = VM_NO_REG};
        vm_emit_for(c, e, VM_PEEKA, p.pointer, offset, 0, 0);
        break;
    }
    case SIR_FETCH:
        p = (vm_place){.space = VM_AT_POINTER, .pointer = vm_temp(c, 1), .index = VM_NO_REG};
        compile_fetch(c, e, p.pointer);
        break;
    default:
        c->p->failed = true;
        diag_internal(c->p->d, sir_range(c->p->m, c->p->d->sources, e->loc), "a value without a place");
        break;
    }
    vm_exit(c);
    return p;
}

// ---- Addresses ----

int32_t vm_address(compiler *c, vm_place p)
{
    static const vm_op base[] = {[VM_IN_FRAME] = VM_LEAR, [VM_IN_STATE] = VM_LEAS, [VM_IN_GLOBALS] = VM_LEAG};
    settle(c, &p);
    int32_t r;
    if (p.space == VM_AT_POINTER && p.offset == 0 && p.index == VM_NO_REG)
        return p.pointer;
    r = vm_temp(c, 1);
    if (p.space == VM_AT_POINTER)
        vm_emit(c, VM_LEAP, r, p.pointer, (int32_t)p.offset, 0);
    else
        vm_emit(c, base[p.space], r, (int32_t)p.offset, 0, 0);
    if (p.index != VM_NO_REG)
        vm_emit(c, VM_PADD, r, r, p.index, 0);
    return r;
}

int32_t vm_compile_address(compiler *c, const sir_expr *e)
{
    return vm_address(c, vm_compile_place(c, e));
}

// ---- Loads and stores ----

// A pointer to where subscripts count from.
static int32_t base_pointer(compiler *c, const vm_place *p)
{
    if (p->offset == 0)
        return p->pointer;
    int32_t r = vm_temp(c, 1);
    vm_emit(c, VM_LEAP, r, p->pointer, (int32_t)p->offset, 0);
    return r;
}

int32_t vm_load(compiler *c, vm_place p, int32_t want)
{
    static const vm_op checked[] = {VM_LDXR, VM_LDXS, VM_LDXG, VM_LDXP}, plain[] = {VM_LDOR, VM_LDOS, VM_LDOG, VM_LDOP};
    if (p.index != VM_NO_REG) {
        int32_t base = p.space == VM_AT_POINTER ? base_pointer(c, &p) : (int32_t)p.offset;
        int32_t r = vm_result(c, want);
        if (p.unchecked)
            vm_emit_for(c, p.subscripted, checked[p.space], r, base, p.index, (int32_t)p.length);
        else
            vm_emit(c, plain[p.space], r, base, p.index, 0);
        return r;
    }
    if (p.space == VM_IN_FRAME) {
        if (want == VM_NO_REG || want == (int32_t)p.offset)
            return (int32_t)p.offset;
        vm_emit(c, VM_MOV, want, (int32_t)p.offset, 0, 0);
        return want;
    }
    if (p.space == VM_IN_GLOBALS) {
        int32_t r = vm_constant(c, c->p->globals[p.offset]);
        if (want == VM_NO_REG)
            return r;
        vm_emit(c, VM_MOV, want, r, 0, 0);
        return want;
    }
    int32_t r = vm_result(c, want);
    if (p.space == VM_IN_STATE)
        vm_emit(c, VM_LDS, r, (int32_t)p.offset, 0, 0);
    else
        vm_emit(c, VM_LDP, r, p.pointer, (int32_t)p.offset, 0);
    return r;
}

void vm_store(compiler *c, vm_place p, int32_t value)
{
    static const vm_op checked[] = {[VM_IN_FRAME] = VM_STXR, [VM_IN_STATE] = VM_STXS, [VM_AT_POINTER] = VM_STXP};
    static const vm_op plain[] = {[VM_IN_FRAME] = VM_STOR, [VM_IN_STATE] = VM_STOS, [VM_AT_POINTER] = VM_STOP};
    if (p.index != VM_NO_REG) {
        int32_t base = p.space == VM_AT_POINTER ? base_pointer(c, &p) : (int32_t)p.offset;
        if (p.unchecked)
            vm_emit_for(c, p.subscripted, checked[p.space], base, p.index, (int32_t)p.length, value);
        else
            vm_emit(c, plain[p.space], base, p.index, value, 0);
    } else if (p.space == VM_IN_FRAME) {
        if (value != (int32_t)p.offset)
            vm_emit(c, VM_MOV, (int32_t)p.offset, value, 0, 0);
    } else if (p.space == VM_IN_STATE) {
        vm_emit(c, VM_STS, (int32_t)p.offset, value, 0, 0);
    } else {
        vm_emit(c, VM_STP, p.pointer, (int32_t)p.offset, value, 0);
    }
}
