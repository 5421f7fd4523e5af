// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One operation on constants, with the arithmetic of the run time: svm/arith.h is the only definition, and this file is
// compiled so that the C compiler folds none of its calls (hlc/CMakeLists.txt).
#include <math.h>
#include <stdlib.h>
#include <string.h>

// The header leaves this function to its user. It is never reached here: divisors are checked first.
#define svm_divideByZero sir_eval_divide_by_zero
#include "runtime/include/svm/arith.h"

#include "hlc/ir/sir.h"

_Noreturn void sir_eval_divide_by_zero(const char *where)
{
    (void)where;
    abort();
}

static svm_Complex complex_in(sir_scalar v)
{
    return svm_complex(v.c.re, v.c.im);
}

static sir_scalar complex_out(svm_Complex z)
{
    return (sir_scalar){.c = {z.real, z.imag}};
}

bool sir_eval_unary(lang_unary_op op, const sir_type *t, sir_scalar a, sir_scalar *result)
{
    memset(result, 0, sizeof *result);
    switch (op) {
    case LANG_OP_NEG:
        if (t->kind == SIR_FLOAT)
            result->f = -a.f;
        else if (t->kind == SIR_DOUBLE)
            result->d = -a.d;
        else if (t->kind == SIR_COMPLEX)
            *result = complex_out(svm_cneg(complex_in(a)));
        else
            result->i = svm_ineg(a.i);
        return true;
    case LANG_OP_NOT: result->i = !a.i; return true;
    case LANG_OP_COMPL: result->i = ~a.i; return true;
    case LANG_UNARY_COUNT: break;
    }
    return false;
}

// A double has every int and every float.
static bool eval_order(lang_binary_op op, double a, double b, int32_t *r)
{
    switch (op) {
    case LANG_OP_EQ: *r = a == b; return true;
    case LANG_OP_NE: *r = a != b; return true;
    case LANG_OP_LT: *r = a < b; return true;
    case LANG_OP_LE: *r = a <= b; return true;
    case LANG_OP_GT: *r = a > b; return true;
    case LANG_OP_GE: *r = a >= b; return true;
    default: return false;
    }
}

static bool eval_int(lang_binary_op op, int32_t a, int32_t b, int32_t *r)
{
    if ((op == LANG_OP_DIV || op == LANG_OP_REM) && b == 0)
        return false;
    switch (op) {
    case LANG_OP_ADD: *r = svm_iadd(a, b); return true;
    case LANG_OP_SUB: *r = svm_isub(a, b); return true;
    case LANG_OP_MUL: *r = svm_imul(a, b); return true;
    case LANG_OP_DIV: *r = svm_idiv(a, b, ""); return true;
    case LANG_OP_REM: *r = svm_irem(a, b, ""); return true;
    case LANG_OP_AND: *r = a & b; return true;
    case LANG_OP_OR: *r = a | b; return true;
    case LANG_OP_XOR: *r = a ^ b; return true;
    case LANG_OP_SHL: *r = svm_shl(a, b); return true;
    case LANG_OP_SHR: *r = svm_shr(a, b); return true;
    case LANG_OP_LAND: *r = a && b; return true;
    case LANG_OP_LOR: *r = a || b; return true;
    default: return eval_order(op, a, b, r);
    }
}

static bool eval_float(lang_binary_op op, float a, float b, sir_scalar *r)
{
    switch (op) {
    case LANG_OP_ADD: r->f = a + b; return true;
    case LANG_OP_SUB: r->f = a - b; return true;
    case LANG_OP_MUL: r->f = a * b; return true;
    case LANG_OP_DIV: r->f = a / b; return true;
    default: return eval_order(op, a, b, &r->i);
    }
}

static bool eval_double(lang_binary_op op, double a, double b, sir_scalar *r)
{
    switch (op) {
    case LANG_OP_ADD: r->d = a + b; return true;
    case LANG_OP_SUB: r->d = a - b; return true;
    case LANG_OP_MUL: r->d = a * b; return true;
    case LANG_OP_DIV: r->d = a / b; return true;
    default: return eval_order(op, a, b, &r->i);
    }
}

static bool eval_complex(lang_binary_op op, svm_Complex a, svm_Complex b, sir_scalar *r)
{
    switch (op) {
    case LANG_OP_ADD: *r = complex_out(svm_cadd(a, b)); return true;
    case LANG_OP_SUB: *r = complex_out(svm_csub(a, b)); return true;
    case LANG_OP_MUL: *r = complex_out(svm_cmul(a, b)); return true;
    case LANG_OP_DIV: *r = complex_out(svm_cdiv(a, b)); return true;
    case LANG_OP_EQ: r->i = svm_ceq(a, b); return true;
    case LANG_OP_NE: r->i = !svm_ceq(a, b); return true;
    default: return false;
    }
}

bool sir_eval_binary(lang_binary_op op, const sir_type *operand_type, sir_scalar a, sir_scalar b, sir_scalar *result)
{
    memset(result, 0, sizeof *result);
    switch (operand_type->kind) {
    case SIR_BOOLEAN:
    case SIR_BIT:
    case SIR_INT: return eval_int(op, a.i, b.i, &result->i);
    case SIR_FLOAT: return eval_float(op, a.f, b.f, result);
    case SIR_DOUBLE: return eval_double(op, a.d, b.d, result);
    case SIR_COMPLEX: return eval_complex(op, complex_in(a), complex_in(b), result);
    default: return false;
    }
}

static bool math_float(lang_math_op op, float a, float b, float *r)
{
    switch (op) {
    case LANG_MATH_SIN: *r = svm_sinf(a); return true;
    case LANG_MATH_COS: *r = svm_cosf(a); return true;
    case LANG_MATH_TAN: *r = svm_tanf(a); return true;
    case LANG_MATH_ASIN: *r = asinf(a); return true;
    case LANG_MATH_ACOS: *r = acosf(a); return true;
    case LANG_MATH_ATAN: *r = svm_atanf(a); return true;
    case LANG_MATH_SINH: *r = sinhf(a); return true;
    case LANG_MATH_COSH: *r = coshf(a); return true;
    case LANG_MATH_TANH: *r = svm_tanhf(a); return true;
    case LANG_MATH_EXP: *r = svm_expf(a); return true;
    case LANG_MATH_LOG: *r = svm_logf(a); return true;
    case LANG_MATH_LOG10: *r = svm_log10f(a); return true;
    case LANG_MATH_SQRT: *r = sqrtf(a); return true;
    case LANG_MATH_FLOOR: *r = floorf(a); return true;
    case LANG_MATH_CEIL: *r = ceilf(a); return true;
    case LANG_MATH_ROUND: *r = svm_fround(a); return true;
    case LANG_MATH_RINT: *r = svm_frint(a); return true;
    case LANG_MATH_ABS: *r = svm_fabs(a); return true;
    case LANG_MATH_ATAN2: *r = svm_atan2f(a, b); return true;
    case LANG_MATH_FMOD: *r = fmodf(a, b); return true;
    case LANG_MATH_POW: *r = svm_powf(a, b); return true;
    case LANG_MATH_MAX: *r = svm_fmax(a, b); return true;
    case LANG_MATH_MIN: *r = svm_fmin(a, b); return true;
    case LANG_MATH_CSQRT:
    case LANG_MATH_ARG:
    case LANG_MATH_COUNT: break;
    }
    return false;
}

static bool math_double(lang_math_op op, double a, double b, double *r)
{
    switch (op) {
    case LANG_MATH_SIN: *r = sin(a); return true;
    case LANG_MATH_COS: *r = cos(a); return true;
    case LANG_MATH_TAN: *r = tan(a); return true;
    case LANG_MATH_ASIN: *r = asin(a); return true;
    case LANG_MATH_ACOS: *r = acos(a); return true;
    case LANG_MATH_ATAN: *r = atan(a); return true;
    case LANG_MATH_SINH: *r = sinh(a); return true;
    case LANG_MATH_COSH: *r = cosh(a); return true;
    case LANG_MATH_TANH: *r = tanh(a); return true;
    case LANG_MATH_EXP: *r = exp(a); return true;
    case LANG_MATH_LOG: *r = log(a); return true;
    case LANG_MATH_LOG10: *r = log10(a); return true;
    case LANG_MATH_SQRT: *r = sqrt(a); return true;
    case LANG_MATH_FLOOR: *r = floor(a); return true;
    case LANG_MATH_CEIL: *r = ceil(a); return true;
    case LANG_MATH_ROUND: *r = svm_dround(a); return true;
    case LANG_MATH_RINT: *r = svm_drint(a); return true;
    case LANG_MATH_ABS: *r = svm_dabs(a); return true;
    case LANG_MATH_ATAN2: *r = atan2(a, b); return true;
    case LANG_MATH_FMOD: *r = fmod(a, b); return true;
    case LANG_MATH_POW: *r = pow(a, b); return true;
    case LANG_MATH_MAX: *r = svm_dmax(a, b); return true;
    case LANG_MATH_MIN: *r = svm_dmin(a, b); return true;
    case LANG_MATH_CSQRT:
    case LANG_MATH_ARG:
    case LANG_MATH_COUNT: break;
    }
    return false;
}

static bool math_complex(lang_math_op op, svm_Complex a, svm_Complex b, sir_scalar *r)
{
    switch (op) {
    case LANG_MATH_SIN: *r = complex_out(svm_csin(a)); return true;
    case LANG_MATH_COS: *r = complex_out(svm_ccos(a)); return true;
    case LANG_MATH_EXP: *r = complex_out(svm_cexp(a)); return true;
    case LANG_MATH_LOG: *r = complex_out(svm_clog(a)); return true;
    case LANG_MATH_SQRT:
    case LANG_MATH_CSQRT: *r = complex_out(svm_csqrt(a)); return true;
    case LANG_MATH_ARG: r->f = svm_carg(a); return true;
    case LANG_MATH_ABS: r->f = svm_cabs(a); return true;
    case LANG_MATH_POW: *r = complex_out(svm_cpow(a, b)); return true;
    default: return false;
    }
}

bool sir_eval_math(lang_math_op op, const sir_type *operand_type, sir_scalar a, sir_scalar b, sir_scalar *result)
{
    memset(result, 0, sizeof *result);
    switch (operand_type->kind) {
    case SIR_FLOAT: return math_float(op, a.f, b.f, &result->f);
    case SIR_DOUBLE: return math_double(op, a.d, b.d, &result->d);
    case SIR_COMPLEX: return math_complex(op, complex_in(a), complex_in(b), result);
    default: return false;
    }
}

static bool is_integer(const sir_type *t)
{
    return t->kind == SIR_INT || t->kind == SIR_BIT || t->kind == SIR_BOOLEAN;
}

sir_scalar sir_eval_convert(const sir_type *from, const sir_type *to, sir_scalar v)
{
    sir_scalar r;
    memset(&r, 0, sizeof r);
    if (from->kind == to->kind)
        return v;
    switch (to->kind) {
    case SIR_BOOLEAN:
    case SIR_BIT:
    case SIR_INT: r.i = is_integer(from) ? v.i : from->kind == SIR_FLOAT ? svm_f2i(v.f) : svm_d2i(v.d); break;
    case SIR_FLOAT: r.f = is_integer(from) ? (float)v.i : (float)v.d; break;
    case SIR_DOUBLE: r.d = is_integer(from) ? (double)v.i : (double)v.f; break;
    case SIR_COMPLEX: r.c.re = is_integer(from) ? (float)v.i : from->kind == SIR_FLOAT ? v.f : (float)v.d; break;
    default: break;
    }
    return r;
}

sir_interval sir_interval_binary(lang_binary_op op, sir_interval a, sir_interval b)
{
    const sir_interval whole = {INT32_MIN, INT32_MAX};
    switch (op) {
    case LANG_OP_ADD: return (sir_interval){a.lo + b.lo, a.hi + b.hi};
    case LANG_OP_SUB: return (sir_interval){a.lo - b.hi, a.hi - b.lo};
    case LANG_OP_MUL: {
        int64_t p[4] = {a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi};
        sir_interval r = {p[0], p[0]};
        for (int i = 1; i < 4; i++) {
            r.lo = p[i] < r.lo ? p[i] : r.lo;
            r.hi = p[i] > r.hi ? p[i] : r.hi;
        }
        return r;
    }
    case LANG_OP_AND:
        if (b.lo == b.hi && b.lo >= 0)
            return (sir_interval){0, b.hi};
        return whole;
    case LANG_OP_REM:
        if (b.lo == b.hi && b.lo > 0)
            return (sir_interval){a.lo >= 0 ? 0 : 1 - b.lo, b.lo - 1};
        return whole;
    case LANG_OP_DIV:
        if (b.lo == b.hi && b.lo > 0)
            return (sir_interval){a.lo / b.lo, a.hi / b.lo};
        return whole;
    case LANG_OP_SHR:
        if (b.lo == b.hi && b.lo >= 0 && b.lo < 32)
            return (sir_interval){a.lo >> b.lo, a.hi >> b.lo};
        return whole;
    default: return whole;
    }
}
