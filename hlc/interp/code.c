// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bytecode under construction: instructions, labels, registers, and the functions of a program.
#include <string.h>

#include "hlc/interp/compile.h"

static const uint8_t op_weight[VM_OP_COUNT] = {
#define OP(name, weight) [VM_##name] = weight,
#include "hlc/interp/ops.def"
};

void vm_emit(compiler *c, vm_op op, int32_t a, int32_t b, int32_t x, int32_t y)
{
    VEC_PUSH(c->p->arena, &c->fn->code, (vm_insn){op, a, b, x, y});
    VEC_PUSH(c->p->arena, &c->fn->origin, c->origin);
    if (c->p->count)
        c->fn->code.data[c->block].a += op_weight[op];
}

void vm_emit_for(compiler *c, const sir_expr *e, vm_op op, int32_t a, int32_t b, int32_t x, int32_t y)
{
    vm_origin saved = c->origin;
    c->origin = (vm_origin){e, e->loc.line != 0 ? e->loc : saved.loc};
    vm_emit(c, op, a, b, x, y);
    c->origin = saved;
}

static void begin_block(compiler *c)
{
    if (!c->p->count)
        return;
    c->block = c->fn->code.len;
    vm_emit(c, VM_COUNT, 0, 0, 0, 0);
}

vm_label *vm_label_new(compiler *c)
{
    vm_label *label = ARENA_NEW(c->p->arena, vm_label);
    label->at = -1;
    return label;
}

// The operand with the distance.
static int32_t *distance_of(vm_insn *insn)
{
    return insn->op == VM_JMP ? &insn->a : &insn->d;
}

void vm_emit_jump(compiler *c, vm_op op, int32_t a, int32_t b, int32_t x, vm_label *to)
{
    size_t at = c->fn->code.len;
    vm_emit(c, op, a, b, x, 0);
    if (to->at >= 0)
        *distance_of(&c->fn->code.data[at]) = (int32_t)(to->at - (int64_t)at);
    else
        VEC_PUSH(c->p->arena, &to->uses, at);
    begin_block(c);
}

void vm_bind(compiler *c, vm_label *label)
{
    label->at = (int64_t)c->fn->code.len;
    for (size_t i = 0; i < label->uses.len; i++) {
        size_t use = label->uses.data[i];
        *distance_of(&c->fn->code.data[use]) = (int32_t)(label->at - (int64_t)use);
    }
    begin_block(c);
}

static void too_large(compiler *c)
{
    if (!c->p->failed)
        diag_error(c->p->d, sir_range(c->p->m, c->p->d->sources, c->source->loc),
                   "the variables of '%s' are too large to be interpreted", c->source->name);
    c->p->failed = true;
}

int32_t vm_temp(compiler *c, uint64_t words)
{
    if (words > (uint64_t)VM_MAX_FRAME_WORDS || c->top + (int64_t)words > VM_MAX_FRAME_WORDS) {
        too_large(c);
        return 0;
    }
    int32_t r = (int32_t)c->top;
    c->top += (int64_t)words;
    if (c->top > c->fn->frame_words)
        c->fn->frame_words = (int32_t)c->top;
    return r;
}

int32_t vm_constant(compiler *c, word value)
{
    uintptr_t number = (uintptr_t)hmap_getn(&c->constants, &value.bits, sizeof value.bits);
    if (number == 0) {
        VEC_PUSH(c->p->arena, &c->fn->constants, value);
        number = c->fn->constants.len;
        hmap_setn(&c->constants, &value.bits, sizeof value.bits, (void *)number);
    }
    return -(int32_t)number;
}

int32_t vm_constant_int(compiler *c, int32_t value)
{
    word w = {.bits = 0};
    w.i = value;
    return vm_constant(c, w);
}

bool vm_enter(compiler *c, sir_loc loc)
{
    if (++c->nesting <= VM_MAX_NESTING)
        return true;
    if (!c->p->failed)
        diag_error(c->p->d, sir_range(c->p->m, c->p->d->sources, loc),
                   "the code here is nested more than %d levels deep, too deep to be interpreted", VM_MAX_NESTING);
    c->p->failed = true;
    return false;
}

void vm_store_value(word *to, const sir_value *v)
{
    if (v->zero || v->data == NULL) {
        memset(to, 0, v->type->words * sizeof *to);
        return;
    }
    for (uint64_t i = 0; i < v->type->words; i++)
        to[i] = (union {
                    sir_scalar s;
                    word w;
                }){.s = v->data[i]}
                    .w;
}

const int32_t *vm_field_starts(vm_program *p, const sir_filter *f)
{
    int32_t *start = hmap_getn(&p->field_starts, &f, sizeof f);
    if (start != NULL)
        return start;
    start = ARENA_ARRAY(p->arena, int32_t, f->fields.len + 1);
    int64_t sum = 0;
    for (size_t i = 0; i < f->fields.len; i++) {
        start[i] = (int32_t)sum;
        sum += (int64_t)f->fields.data[i].type->words;
        if (sum > VM_MAX_FRAME_WORDS) {
            if (!p->failed)
                diag_error(p->d, sir_range(p->m, p->d->sources, f->loc),
                           "the fields of '%s' are too large to be interpreted", f->name);
            p->failed = true;
            sum = 0;
        }
    }
    start[f->fields.len] = (int32_t)sum;
    hmap_setn(&p->field_starts, &f, sizeof f, start);
    return start;
}

int32_t vm_function_number(vm_program *p, const sir_filter *filter, const sir_function *f)
{
    uintptr_t number = (uintptr_t)hmap_getn(&p->numbers, &f, sizeof f);
    if (number == 0) {
        vm_function *fn = ARENA_NEW(p->arena, vm_function);
        fn->source = f;
        fn->filter = filter;
        VEC_PUSH(p->arena, &p->functions, fn);
        number = p->functions.len;
        hmap_setn(&p->numbers, &f, sizeof f, (void *)number);
    }
    return (int32_t)number - 1;
}

static void compile_function(vm_program *p, vm_function *fn)
{
    const sir_function *f = fn->source;
    compiler c = {.p = p, .fn = fn, .source = f};
    fn->compiled = true;
    fn->slot = ARENA_ARRAY(p->arena, int32_t, f->locals.len + 1);
    hmap_init(&c.constants, p->arena);
    if (fn->filter != NULL)
        c.field_start = vm_field_starts(p, fn->filter);
    for (size_t i = 0; i < f->locals.len; i++)
        fn->slot[i] = vm_temp(&c, f->locals.data[i].by_reference ? 1 : f->locals.data[i].type->words);
    c.origin.loc = f->loc;
    begin_block(&c);
    vm_compile_body(&c);
    if (f->kind != SIR_WORK && f->kind != SIR_PREWORK && f->kind != SIR_HANDLER)
        return;
    size_t constants = fn->constants.len;
    word *frame = ARENA_ARRAY(p->arena, word, constants + (size_t)fn->frame_words + 1);
    for (size_t i = 0; i < constants; i++)
        frame[constants - 1 - i] = fn->constants.data[i];
    fn->frame = frame + constants;
}

vm_function *vm_compile(vm_program *p, const sir_filter *filter, const sir_function *f)
{
    size_t number = (size_t)vm_function_number(p, filter, f);
    // What a function calls is appended behind it.
    for (size_t i = number; i < p->functions.len && !p->failed; i++)
        if (!p->functions.data[i]->compiled)
            compile_function(p, p->functions.data[i]);
    return p->failed ? NULL : p->functions.data[number];
}
