// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scalar expressions and conditions to bytecode.
#include "hlc/interp/compile.h"

int32_t vm_result(compiler *c, int32_t want)
{
    return want == VM_NO_REG ? vm_temp(c, 1) : want;
}

// Instructions by the kind of their operands; bit and boolean work as int. 0 (COUNT): none.
typedef enum operand_class { CLASS_INT, CLASS_FLOAT, CLASS_DOUBLE, CLASS_COMPLEX, CLASS_COUNT } operand_class;

static operand_class class_of(const sir_type *t)
{
    switch (t->kind) {
    case SIR_FLOAT: return CLASS_FLOAT;
    case SIR_DOUBLE: return CLASS_DOUBLE;
    case SIR_COMPLEX: return CLASS_COMPLEX;
    default: return CLASS_INT;
    }
}

static const uint8_t binary_op[LANG_BINARY_COUNT][CLASS_COUNT] = {
    [LANG_OP_ADD] = {VM_IADD, VM_FADD, VM_DADD, VM_CADD},
    [LANG_OP_SUB] = {VM_ISUB, VM_FSUB, VM_DSUB, VM_CSUB},
    [LANG_OP_MUL] = {VM_IMUL, VM_FMUL, VM_DMUL, VM_CMUL},
    [LANG_OP_DIV] = {VM_IDIV, VM_FDIV, VM_DDIV, VM_CDIV},
    [LANG_OP_REM] = {VM_IREM, 0, 0, 0},
    [LANG_OP_AND] = {VM_IAND, 0, 0, 0},
    [LANG_OP_OR] = {VM_IOR, 0, 0, 0},
    [LANG_OP_XOR] = {VM_IXOR, 0, 0, 0},
    [LANG_OP_SHL] = {VM_ISHL, 0, 0, 0},
    [LANG_OP_SHR] = {VM_ISHR, 0, 0, 0},
    [LANG_OP_EQ] = {VM_IEQ, VM_FEQ, VM_DEQ, VM_CEQ},
    [LANG_OP_NE] = {VM_INE, VM_FNE, VM_DNE, VM_CNE},
    [LANG_OP_LT] = {VM_ILT, VM_FLT, VM_DLT, 0},
    [LANG_OP_LE] = {VM_ILE, VM_FLE, VM_DLE, 0},
    [LANG_OP_GT] = {VM_IGT, VM_FGT, VM_DGT, 0},
    [LANG_OP_GE] = {VM_IGE, VM_FGE, VM_DGE, 0},
};

// Branches taken when the comparison holds and when it does not.
typedef struct compare_branch {
    uint8_t yes[CLASS_COMPLEX], no[CLASS_COMPLEX];
} compare_branch;
static const compare_branch branch_op[LANG_BINARY_COUNT] = {
    [LANG_OP_EQ] = {{VM_JEQI, VM_JEQF, VM_JEQD}, {VM_JNEI, VM_JNEF, VM_JNED}},
    [LANG_OP_NE] = {{VM_JNEI, VM_JNEF, VM_JNED}, {VM_JEQI, VM_JEQF, VM_JEQD}},
    [LANG_OP_LT] = {{VM_JLTI, VM_JLTF, VM_JLTD}, {VM_JGEI, VM_JNLTF, VM_JNLTD}},
    [LANG_OP_LE] = {{VM_JLEI, VM_JLEF, VM_JLED}, {VM_JGTI, VM_JNLEF, VM_JNLED}},
    [LANG_OP_GT] = {{VM_JGTI, VM_JGTF, VM_JGTD}, {VM_JLEI, VM_JNGTF, VM_JNGTD}},
    [LANG_OP_GE] = {{VM_JGEI, VM_JGEF, VM_JGED}, {VM_JLTI, VM_JNGEF, VM_JNGED}},
};

static int32_t internal(compiler *c, const sir_expr *e)
{
    if (!c->p->failed)
        diag_internal(c->p->d, sir_range(c->p->m, c->p->d->sources, e->loc),
                      "an expression that the interpreter does not know");
    c->p->failed = true;
    return 0;
}

static int32_t compile_const(compiler *c, const sir_expr *e, int32_t want)
{
    word w = {.bits = 0};
    switch (e->type->kind) {
    case SIR_FLOAT: w.f = e->u.value.f; break;
    case SIR_DOUBLE: w.d = e->u.value.d; break;
    case SIR_COMPLEX:
        w.c.re = e->u.value.c.re;
        w.c.im = e->u.value.c.im;
        break;
    default: w.i = e->u.value.i; break;
    }
    int32_t r = vm_constant(c, w);
    if (want == VM_NO_REG)
        return r;
    vm_emit(c, VM_MOV, want, r, 0, 0);
    return want;
}

static int32_t compile_unary(compiler *c, const sir_expr *e, int32_t want)
{
    static const vm_op neg[CLASS_COUNT] = {VM_INEG, VM_FNEG, VM_DNEG, VM_CNEG};
    int32_t a = vm_compile_expr(c, e->u.arg[0], VM_NO_REG), r = vm_result(c, want);
    vm_op op = e->op == LANG_OP_NEG ? neg[class_of(e->type)] : e->op == LANG_OP_NOT ? VM_NOT : VM_ICOMPL;
    vm_emit(c, op, r, a, 0, 0);
    return r;
}

// && and || as values.
static int32_t compile_short(compiler *c, const sir_expr *e, int32_t want)
{
    int32_t r = vm_result(c, want);
    vm_label *is_false = vm_label_new(c), *end = vm_label_new(c);
    vm_compile_condition(c, e, is_false, false);
    vm_emit(c, VM_MOV, r, vm_constant_int(c, 1), 0, 0);
    vm_emit_jump(c, VM_JMP, 0, 0, 0, end);
    vm_bind(c, is_false);
    vm_emit(c, VM_MOV, r, vm_constant_int(c, 0), 0, 0);
    vm_bind(c, end);
    return r;
}

static int32_t compile_binary(compiler *c, const sir_expr *e, int32_t want)
{
    if (e->op == LANG_OP_LAND || e->op == LANG_OP_LOR)
        return compile_short(c, e, want);
    vm_op op = binary_op[e->op][class_of(e->u.arg[0]->type)];
    if (op == VM_COUNT)
        return internal(c, e);
    int32_t a = vm_compile_expr(c, e->u.arg[0], VM_NO_REG);
    int32_t b = vm_compile_expr(c, e->u.arg[1], VM_NO_REG);
    int32_t r = vm_result(c, want);
    vm_emit_for(c, e, op, r, a, b, 0);
    return r;
}

static int32_t compile_select(compiler *c, const sir_expr *e, int32_t want)
{
    int32_t r = vm_result(c, want);
    vm_label *other = vm_label_new(c), *end = vm_label_new(c);
    vm_compile_condition(c, e->u.arg[0], other, false);
    vm_compile_expr(c, e->u.arg[1], r);
    vm_emit_jump(c, VM_JMP, 0, 0, 0, end);
    vm_bind(c, other);
    vm_compile_expr(c, e->u.arg[2], r);
    vm_bind(c, end);
    return r;
}

static int32_t compile_convert(compiler *c, const sir_expr *e, int32_t want)
{
    static const uint8_t op[CLASS_COUNT][CLASS_COUNT] = {
        [CLASS_INT] = {0, VM_I2F, VM_I2D, VM_I2F},
        [CLASS_FLOAT] = {VM_F2I, 0, VM_F2D, 0},
        [CLASS_DOUBLE] = {VM_D2I, VM_D2F, 0, VM_D2F},
        [CLASS_COMPLEX] = {0, 0, 0, 0},
    };
    const sir_expr *from = e->u.arg[0];
    operand_class f = class_of(from->type), t = class_of(e->type);
    vm_op first = op[f][t];
    if (f == t)
        return vm_compile_expr(c, from, want);
    int32_t r = vm_compile_expr(c, from, VM_NO_REG);
    if (first != VM_COUNT) {
        int32_t made = t == CLASS_COMPLEX ? vm_temp(c, 1) : vm_result(c, want);
        vm_emit(c, first, made, r, 0, 0);
        r = made;
    }
    if (t != CLASS_COMPLEX)
        return r;
    int32_t made = vm_result(c, want);
    vm_emit(c, VM_F2C, made, r, 0, 0);
    return made;
}

static int32_t compile_math(compiler *c, const sir_expr *e, int32_t want)
{
    const sir_type *t = e->u.arg[0]->type;
    int32_t a = vm_compile_expr(c, e->u.arg[0], VM_NO_REG), b = a;
    if (sir_expr_arity(e) == 2)
        b = vm_compile_expr(c, e->u.arg[1], VM_NO_REG);
    int32_t r = vm_result(c, want);
    vm_op op = VM_MATH;
    if (t->kind == SIR_FLOAT)
        op = e->op == LANG_MATH_SQRT  ? VM_FSQRT
             : e->op == LANG_MATH_ABS ? VM_FABS
             : e->op == LANG_MATH_MAX ? VM_FMAX
             : e->op == LANG_MATH_MIN ? VM_FMIN
                                      : VM_MATH;
    vm_emit(c, op, r, a, b, op == VM_MATH ? e->op | (int32_t)t->kind << 8 : 0);
    return r;
}

static int32_t compile_part(compiler *c, const sir_expr *e, int32_t want)
{
    int32_t z = vm_compile_expr(c, e->u.arg[0], VM_NO_REG), r = vm_result(c, want);
    vm_emit(c, e->index == 0 ? VM_CRE : VM_CIM, r, z, 0, 0);
    return r;
}

static int32_t compile_peek(compiler *c, const sir_expr *e, int32_t want)
{
    int32_t offset = vm_compile_expr(c, e->u.arg[0], VM_NO_REG), r = vm_result(c, want);
    vm_emit_for(c, e, VM_PEEK, r, offset, 0, 0);
    return r;
}

static int32_t compile_node(compiler *c, const sir_expr *e, int32_t want)
{
    switch ((sir_expr_kind)e->kind) {
    case SIR_CONST: return compile_const(c, e, want);
    case SIR_MEMBER:
        if (e->u.arg[0]->type->kind == SIR_COMPLEX)
            return compile_part(c, e, want);
        return vm_load(c, vm_compile_place(c, e), want);
    case SIR_LOCAL:
    case SIR_FIELD:
    case SIR_GLOBAL:
    case SIR_INDEX:
    case SIR_FETCH: return vm_load(c, vm_compile_place(c, e), want);
    case SIR_UNARY: return compile_unary(c, e, want);
    case SIR_BINARY: return compile_binary(c, e, want);
    case SIR_SELECT: return compile_select(c, e, want);
    case SIR_CONVERT: return compile_convert(c, e, want);
    case SIR_MATH: return compile_math(c, e, want);
    case SIR_PEEK: return compile_peek(c, e, want);
    case SIR_ITER: {
        int32_t r = vm_result(c, want);
        vm_emit(c, VM_ITER, r, 0, 0, 0);
        return r;
    }
    case SIR_MAKE_COMPLEX: {
        int32_t re = vm_compile_expr(c, e->u.arg[0], VM_NO_REG), im = vm_compile_expr(c, e->u.arg[1], VM_NO_REG);
        int32_t r = vm_result(c, want);
        vm_emit(c, VM_CMAKE, r, re, im, 0);
        return r;
    }
    }
    return internal(c, e);
}

int32_t vm_compile_expr(compiler *c, const sir_expr *e, int32_t want)
{
    if (!vm_enter(c, e->loc))
        return 0;
    int32_t r = compile_node(c, e, want);
    vm_exit(c);
    return r;
}

// ---- Conditions ----

static void compile_both(compiler *c, const sir_expr *e, vm_label *to, bool when)
{
    // a && b is false, or a || b true, as soon as a is.
    if ((e->op == LANG_OP_LAND) != when) {
        vm_compile_condition(c, e->u.arg[0], to, when);
        vm_compile_condition(c, e->u.arg[1], to, when);
        return;
    }
    vm_label *decided = vm_label_new(c);
    vm_compile_condition(c, e->u.arg[0], decided, !when);
    vm_compile_condition(c, e->u.arg[1], to, when);
    vm_bind(c, decided);
}

static bool compile_comparison(compiler *c, const sir_expr *e, vm_label *to, bool when)
{
    operand_class k = class_of(e->u.arg[0]->type);
    if (k == CLASS_COMPLEX || branch_op[e->op].yes[k] == VM_COUNT)
        return false;
    vm_op op = when ? branch_op[e->op].yes[k] : branch_op[e->op].no[k];
    int32_t a = vm_compile_expr(c, e->u.arg[0], VM_NO_REG);
    int32_t b = vm_compile_expr(c, e->u.arg[1], VM_NO_REG);
    vm_emit_jump(c, op, a, b, 0, to);
    return true;
}

static void compile_test(compiler *c, const sir_expr *e, vm_label *to, bool when)
{
    if (e->kind == SIR_CONST) {
        if ((e->u.value.i != 0) == when)
            vm_emit_jump(c, VM_JMP, 0, 0, 0, to);
        return;
    }
    if (e->kind == SIR_UNARY && e->op == LANG_OP_NOT) {
        vm_compile_condition(c, e->u.arg[0], to, !when);
        return;
    }
    if (e->kind == SIR_BINARY && (e->op == LANG_OP_LAND || e->op == LANG_OP_LOR)) {
        compile_both(c, e, to, when);
        return;
    }
    if (e->kind == SIR_BINARY && compile_comparison(c, e, to, when))
        return;
    int32_t r = vm_compile_expr(c, e, VM_NO_REG);
    vm_emit_jump(c, when ? VM_JT : VM_JF, r, 0, 0, to);
}

void vm_compile_condition(compiler *c, const sir_expr *e, vm_label *to, bool when)
{
    if (!vm_enter(c, e->loc))
        return;
    compile_test(c, e, to, when);
    vm_exit(c);
}
