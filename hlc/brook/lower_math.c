// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions that every kernel knows (lang/brook/intrinsics.def), by those of stream IR.
#include "hlc/brook/lower.h"

#include <math.h>

// One component of a call: its arguments, all of element type e, to be used once each.
typedef struct part_call {
    brook_lowering *L;
    brook_element e;
    sir_loc loc;
} part_call;

static sir_expr *number(const part_call *c, double v)
{
    return brook_const(c->L, c->e, v, c->loc);
}

// A name for an argument that is used more than once; uses are copies of it.
static sir_expr *named(const part_call *c, sir_expr *a)
{
    return brook_is_simple(a) ? a : brook_temp(c->L, a, c->loc);
}

static sir_expr *again(const part_call *c, const sir_expr *a)
{
    return brook_copy(c->L, a);
}

static sir_expr *negated(const part_call *c, sir_expr *a)
{
    return sir_expr1(c->L->m, SIR_UNARY, LANG_OP_NEG, a->type, a, c->loc);
}

static sir_expr *op(const part_call *c, lang_binary_op o, sir_expr *a, sir_expr *b)
{
    return brook_op(c->L, o, a, b);
}

static sir_expr *pick(const part_call *c, sir_expr *cond, sir_expr *a, sir_expr *b)
{
    return brook_select(c->L, cond, a, b);
}

// Half away from zero.
static sir_expr *rounded(const part_call *c, sir_expr *a)
{
    a = named(c, a);
    sir_expr *size = brook_temp(c->L, brook_math1(c->L, LANG_MATH_ABS, again(c, a)), c->loc);
    sir_expr *low = brook_temp(c->L, brook_math1(c->L, LANG_MATH_FLOOR, again(c, size)), c->loc);
    sir_expr *up = op(c, LANG_OP_GE, op(c, LANG_OP_SUB, size, again(c, low)), number(c, 0.5));
    sir_expr *r = brook_temp(c->L, pick(c, up, op(c, LANG_OP_ADD, again(c, low), number(c, 1)), low), c->loc);
    return pick(c, op(c, LANG_OP_LT, a, number(c, 0)), negated(c, again(c, r)), r);
}

static sir_expr *truncated(const part_call *c, sir_expr *a)
{
    a = named(c, a);
    return pick(c, op(c, LANG_OP_LT, again(c, a), number(c, 0)), brook_math1(c->L, LANG_MATH_CEIL, again(c, a)),
                brook_math1(c->L, LANG_MATH_FLOOR, a));
}

// x - floor(x); of a negative number, what is missing to 1.
static sir_expr *fraction(const part_call *c, sir_expr *a)
{
    a = named(c, a);
    sir_expr *f =
        brook_temp(c->L, op(c, LANG_OP_SUB, again(c, a), brook_math1(c->L, LANG_MATH_FLOOR, again(c, a))), c->loc);
    return pick(c, op(c, LANG_OP_LT, a, number(c, 0)), op(c, LANG_OP_SUB, number(c, 1), again(c, f)), f);
}

static sir_expr *clamped(const part_call *c, sir_expr *x, sir_expr *lo, sir_expr *hi)
{
    x = named(c, x);
    lo = named(c, lo);
    hi = named(c, hi);
    sir_expr *below = op(c, LANG_OP_LT, again(c, x), again(c, lo)),
             *above = op(c, LANG_OP_GT, again(c, x), again(c, hi));
    return pick(c, below, lo, pick(c, above, hi, x));
}

static sir_expr *is_finite(const part_call *c, sir_expr *a)
{
    return op(c, LANG_OP_LT, brook_math1(c->L, LANG_MATH_ABS, a), number(c, INFINITY));
}

// In double precision, since what is computed with before the result is rounded would not do in single.
static sir_expr *in_double(const part_call *c, sir_expr *a)
{
    return brook_convert_part(c->L, a, c->e, BROOK_DOUBLE, c->loc);
}

static sir_expr *from_double(const part_call *c, sir_expr *a)
{
    return brook_convert_part(c->L, a, BROOK_DOUBLE, c->e, c->loc);
}

static sir_expr *scaled(const part_call *c, sir_expr *a, sir_expr *exponent)
{
    sir_expr *two = brook_const(c->L, BROOK_DOUBLE, 2, c->loc);
    sir_expr *power = brook_math2(c->L, LANG_MATH_POW, two, in_double(c, exponent));
    return from_double(c, op(c, LANG_OP_MUL, in_double(c, a), power));
}

static sir_expr *sign_of(const part_call *c, sir_expr *a)
{
    a = named(c, a);
    sir_expr *below = pick(c, op(c, LANG_OP_LT, again(c, a), number(c, 0)), number(c, -1), number(c, 0));
    return pick(c, op(c, LANG_OP_GT, a, number(c, 0)), number(c, 1), below);
}

static sir_expr *whole_number(const part_call *c, brook_intrinsic fn, sir_expr *const *a)
{
    sir_expr *x = named(c, a[0]);
    if (fn == BROOK_FN_ABS)
        return c->e == BROOK_UINT || c->e == BROOK_UCHAR
                   ? x
                   : pick(c, op(c, LANG_OP_LT, again(c, x), number(c, 0)), negated(c, again(c, x)), x);
    sir_expr *y = named(c, a[1]);
    int least = fn == BROOK_FN_MIN ? LANG_OP_LT : LANG_OP_GT;
    if (fn == BROOK_FN_CLAMP) {
        sir_expr *z = named(c, a[2]);
        sir_expr *below = brook_compare_part(c->L, LANG_OP_LT, c->e, again(c, x), again(c, y), c->loc);
        sir_expr *above = brook_compare_part(c->L, LANG_OP_GT, c->e, again(c, x), again(c, z), c->loc);
        return pick(c, below, y, pick(c, above, z, x));
    }
    return pick(c, brook_compare_part(c->L, least, c->e, again(c, x), again(c, y), c->loc), x, y);
}

static sir_expr *each(const part_call *c, brook_intrinsic fn, sir_expr *const *a)
{
    brook_lowering *L = c->L;
    switch (fn) {
    case BROOK_FN_ABS: return brook_math1(L, LANG_MATH_ABS, a[0]);
    case BROOK_FN_ACOS: return brook_math1(L, LANG_MATH_ACOS, a[0]);
    case BROOK_FN_ASIN: return brook_math1(L, LANG_MATH_ASIN, a[0]);
    case BROOK_FN_ATAN: return brook_math1(L, LANG_MATH_ATAN, a[0]);
    case BROOK_FN_CEIL: return brook_math1(L, LANG_MATH_CEIL, a[0]);
    case BROOK_FN_COS: return brook_math1(L, LANG_MATH_COS, a[0]);
    case BROOK_FN_COSH: return brook_math1(L, LANG_MATH_COSH, a[0]);
    case BROOK_FN_DEGREES: return op(c, LANG_OP_MUL, a[0], number(c, 57.29577951308232));
    case BROOK_FN_EXP: return brook_math1(L, LANG_MATH_EXP, a[0]);
    case BROOK_FN_EXP2: return brook_math2(L, LANG_MATH_POW, number(c, 2), a[0]);
    case BROOK_FN_FLOOR: return brook_math1(L, LANG_MATH_FLOOR, a[0]);
    case BROOK_FN_FRAC:
    case BROOK_FN_FRC: return fraction(c, a[0]);
    case BROOK_FN_LOG: return brook_math1(L, LANG_MATH_LOG, a[0]);
    case BROOK_FN_LOG2:
        return from_double(c, op(c, LANG_OP_MUL, brook_math1(L, LANG_MATH_LOG, in_double(c, a[0])),
                                 brook_const(L, BROOK_DOUBLE, 1.4426950408889634, c->loc)));
    case BROOK_FN_LOG10: return brook_math1(L, LANG_MATH_LOG10, a[0]);
    case BROOK_FN_RADIANS: return op(c, LANG_OP_MUL, a[0], number(c, 0.017453292519943295));
    case BROOK_FN_ROUND: return rounded(c, a[0]);
    case BROOK_FN_RSQRT: return op(c, LANG_OP_DIV, number(c, 1), brook_math1(L, LANG_MATH_SQRT, a[0]));
    case BROOK_FN_SATURATE: return clamped(c, a[0], number(c, 0), number(c, 1));
    case BROOK_FN_SIGN: return sign_of(c, a[0]);
    case BROOK_FN_SIN: return brook_math1(L, LANG_MATH_SIN, a[0]);
    case BROOK_FN_SINH: return brook_math1(L, LANG_MATH_SINH, a[0]);
    case BROOK_FN_SQRT: return brook_math1(L, LANG_MATH_SQRT, a[0]);
    case BROOK_FN_TAN: return brook_math1(L, LANG_MATH_TAN, a[0]);
    case BROOK_FN_TANH: return brook_math1(L, LANG_MATH_TANH, a[0]);
    case BROOK_FN_ATAN2: return brook_math2(L, LANG_MATH_ATAN2, a[0], a[1]);
    case BROOK_FN_FMOD: return brook_math2(L, LANG_MATH_FMOD, a[0], a[1]);
    case BROOK_FN_LDEXP: return scaled(c, a[0], a[1]);
    case BROOK_FN_MAX: return brook_math2(L, LANG_MATH_MAX, a[0], a[1]);
    case BROOK_FN_MIN: return brook_math2(L, LANG_MATH_MIN, a[0], a[1]);
    case BROOK_FN_POW: return brook_math2(L, LANG_MATH_POW, a[0], a[1]);
    case BROOK_FN_STEP: return pick(c, op(c, LANG_OP_GE, a[1], a[0]), number(c, 1), number(c, 0));
    case BROOK_FN_CLAMP: return clamped(c, a[0], a[1], a[2]);
    case BROOK_FN_LERP: {
        sir_expr *from = named(c, a[0]);
        return op(c, LANG_OP_ADD, again(c, from), op(c, LANG_OP_MUL, a[2], op(c, LANG_OP_SUB, a[1], from)));
    }
    case BROOK_FN_ISFINITE: return pick(c, is_finite(c, a[0]), number(c, 1), number(c, 0));
    case BROOK_FN_ISINF:
        return pick(c, op(c, LANG_OP_EQ, brook_math1(L, LANG_MATH_ABS, a[0]), number(c, INFINITY)), number(c, 1),
                    number(c, 0));
    case BROOK_FN_ISNAN: {
        sir_expr *x = named(c, a[0]);
        return pick(c, op(c, LANG_OP_NE, again(c, x), x), number(c, 1), number(c, 0));
    }
    default: return a[0];
    }
}

static sir_expr *dot(const part_call *c, const brook_value *a, const brook_value *b)
{
    sir_expr *sum = NULL;
    for (uint8_t i = 0; i < a->type.width; i++) {
        sir_expr *product = op(c, LANG_OP_MUL, a->part[i], b->part[i]);
        sum = sum == NULL ? product : op(c, LANG_OP_ADD, sum, product);
    }
    return sum;
}

static sir_expr *length(const part_call *c, brook_value *a)
{
    *a = brook_keep(c->L, *a, c->loc);
    brook_value b = brook_copy_value(c->L, *a);
    return brook_math1(c->L, LANG_MATH_SQRT, dot(c, a, &b));
}

static brook_value normalize(const part_call *c, brook_value *a)
{
    brook_value r = {.type = a->type};
    sir_expr *size = brook_temp(c->L, length(c, a), c->loc);
    for (uint8_t i = 0; i < a->type.width; i++)
        r.part[i] = op(c, LANG_OP_DIV, again(c, a->part[i]), again(c, size));
    return r;
}

static brook_value cross(const part_call *c, brook_value *a, brook_value *b)
{
    brook_value r = {.type = a->type};
    *a = brook_keep(c->L, *a, c->loc);
    *b = brook_keep(c->L, *b, c->loc);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        r.part[i] = op(c, LANG_OP_SUB, op(c, LANG_OP_MUL, again(c, a->part[j]), again(c, b->part[k])),
                       op(c, LANG_OP_MUL, again(c, a->part[k]), again(c, b->part[j])));
    }
    return r;
}

static sir_expr *any_or_all(const part_call *c, const brook_value *a, bool any)
{
    sir_expr *r = NULL;
    for (uint8_t i = 0; i < a->type.width; i++) {
        sir_expr *is = brook_is_true(c->L, a->part[i], c->e, c->loc);
        r = r == NULL ? is : brook_op(c->L, any ? LANG_OP_LOR : LANG_OP_LAND, r, is);
    }
    return brook_flag(c->L, r, c->loc);
}

// Mantissa in [1/2, 1) and exponent; of 0, infinities and NaN: themselves and 0.
static sir_expr *mantissa(const part_call *c, sir_expr *a, sir_expr **exponent)
{
    a = named(c, a);
    sir_expr *size = brook_temp(c->L, in_double(c, brook_math1(c->L, LANG_MATH_ABS, again(c, a))), c->loc);
    part_call d = {c->L, BROOK_DOUBLE, c->loc};
    sir_expr *plain =
        op(&d, LANG_OP_LAND, op(&d, LANG_OP_GT, again(c, size), number(&d, 0)), is_finite(&d, again(c, size)));
    plain = brook_temp(c->L, plain, c->loc);
    sir_expr *log2 = op(&d, LANG_OP_MUL, brook_math1(c->L, LANG_MATH_LOG, size), number(&d, 1.4426950408889634));
    sir_expr *e =
        brook_temp(c->L, op(&d, LANG_OP_ADD, brook_math1(c->L, LANG_MATH_FLOOR, log2), number(&d, 1)), c->loc);
    sir_expr *power = brook_math2(c->L, LANG_MATH_POW, number(&d, 2), again(c, e));
    sir_expr *m = brook_temp(c->L, op(&d, LANG_OP_DIV, again(c, size), power), c->loc);
    // The logarithm may be rounded past a power of two.
    sir_expr *high = brook_temp(c->L, op(&d, LANG_OP_GE, again(c, m), number(&d, 1)), c->loc);
    sir_expr *low = brook_temp(c->L, op(&d, LANG_OP_LT, again(c, m), number(&d, 0.5)), c->loc);
    sir_expr *fixed = pick(c, high, op(&d, LANG_OP_MUL, again(c, m), number(&d, 0.5)),
                           pick(c, low, op(&d, LANG_OP_MUL, again(c, m), number(&d, 2)), m));
    sir_expr *shift = pick(c, again(c, high), number(&d, 1), pick(c, again(c, low), number(&d, -1), number(&d, 0)));
    *exponent = from_double(c, pick(c, again(c, plain), op(&d, LANG_OP_ADD, e, shift), number(&d, 0)));
    sir_expr *r = brook_temp(c->L, from_double(c, fixed), c->loc);
    sir_expr *with_sign = pick(c, op(c, LANG_OP_LT, again(c, a), number(c, 0)), negated(c, again(c, r)), r);
    return pick(c, plain, with_sign, a);
}

// frexp and modf: the second argument gets the other part.
static brook_value in_parts(const part_call *c, const brook_expr *e, brook_value a)
{
    brook_value r = {.type = a.type}, other = {.type = a.type};
    for (uint8_t i = 0; i < a.type.width; i++) {
        if (e->u.call.fn == BROOK_FN_FREXP) {
            r.part[i] = mantissa(c, a.part[i], &other.part[i]);
        } else {
            sir_expr *x = named(c, a.part[i]);
            other.part[i] = brook_temp(c->L, truncated(c, again(c, x)), c->loc);
            r.part[i] = op(c, LANG_OP_SUB, x, again(c, other.part[i]));
        }
    }
    r = brook_save(c->L, r, c->loc);
    brook_store(c->L, e->u.call.args.data[1], other);
    return r;
}

static bool is_whole(brook_element e)
{
    return e >= BROOK_CHAR && e <= BROOK_UINT;
}

// The type that the arguments are converted to: that of the operation.
static brook_type argument_type(const brook_expr *e)
{
    brook_type t = {.element = BROOK_FLOAT, .width = 1};
    const brook_intrinsic_row *row = &brook_intrinsics[e->u.call.fn];
    uint8_t width = 1;
    for (size_t i = 0; i < e->u.call.args.len; i++) {
        brook_type a = e->u.call.args.data[i]->type;
        if (a.element == BROOK_DOUBLE)
            t.element = BROOK_DOUBLE;
        if (a.width > 1)
            width = width == 1 || a.width < width ? a.width : width;
    }
    t.width = width;
    if (row->shape == BROOK_SHAPE_EACH && is_whole(e->type.element))
        t.element = e->type.element;
    return t;
}

brook_value brook_lower_math(brook_lowering *L, const brook_expr *e)
{
    sir_loc loc = brook_loc(L, e->range);
    brook_type t = argument_type(e);
    part_call c = {L, t.element, loc};
    brook_value args[3] = {0};
    const brook_intrinsic_row *row = &brook_intrinsics[e->u.call.fn];
    size_t count = row->shape == BROOK_SHAPE_PARTS ? 1 : e->u.call.args.len;
    for (size_t i = 0; i < count; i++) {
        args[i] = brook_lower_as(L, e->u.call.args.data[i], t);
        bool changes = false;
        for (size_t k = i + 1; k < e->u.call.args.len; k++)
            changes |= e->u.call.args.data[k]->effects;
        if (changes)
            args[i] = brook_save(L, args[i], loc);
    }
    brook_value r = {.type = {.element = e->type.element, .width = e->type.width}};
    switch (row->shape) {
    case BROOK_SHAPE_SCALAR:
        if (e->u.call.fn == BROOK_FN_DISTANCE)
            for (uint8_t i = 0; i < t.width; i++)
                args[0].part[i] = op(&c, LANG_OP_SUB, args[0].part[i], args[1].part[i]);
        r.part[0] = e->u.call.fn == BROOK_FN_DOT ? dot(&c, &args[0], &args[1]) : length(&c, &args[0]);
        break;
    case BROOK_SHAPE_FLAG_SCALAR: r.part[0] = any_or_all(&c, &args[0], e->u.call.fn == BROOK_FN_ANY); break;
    case BROOK_SHAPE_SAME: r = normalize(&c, &args[0]); break;
    case BROOK_SHAPE_CROSS: r = cross(&c, &args[0], &args[1]); break;
    case BROOK_SHAPE_PARTS: r = in_parts(&c, e, args[0]); break;
    default:
        for (uint8_t i = 0; i < t.width; i++) {
            sir_expr *const parts[3] = {args[0].part[i], args[1].part[i], args[2].part[i]};
            r.part[i] = is_whole(t.element) ? whole_number(&c, e->u.call.fn, parts) : each(&c, e->u.call.fn, parts);
            if (row->shape == BROOK_SHAPE_FLAG)
                r.part[i] = brook_convert_part(L, r.part[i], t.element, BROOK_FLOAT, loc);
        }
        break;
    }
    return r;
}
