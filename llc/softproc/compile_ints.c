// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Selection of int arithmetic. An int is a float here, and a float has all ints to 2^24 exactly; so each result's range must be within
// that. Division by a constant is a product, of which the whole part is taken; shifts and masks of low bits are such, by powers of 2.
// Zero is +0, as ints become floats.
#include <math.h>
#include <string.h>

#include "llc/softproc/select.h"

static const char *name_of(LLVMValueRef in)
{
    switch (LLVMGetInstructionOpcode(in)) {
    case LLVMAdd: return "+";
    case LLVMSub: return "-";
    case LLVMMul: return "*";
    case LLVMSDiv:
    case LLVMUDiv: return "/";
    case LLVMSRem:
    case LLVMURem: return "%";
    case LLVMShl: return "<<";
    case LLVMAShr:
    case LLVMLShr: return ">>";
    case LLVMAnd: return "&";
    case LLVMOr: return "|";
    case LLVMXor: return "^";
    case LLVMFPToSI:
    case LLVMFPToUI: return "a float as an int";
    case LLVMPHI: return "a variable of a loop";
    default: return "an int";
    }
}

// Beyond 2^24 a result is rounded, once, and stays beyond all ints within. Compilers make of `1 <= x && x < 9` a comparison of x - 1.
static bool only_compared(selector *s, LLVMValueRef in, spc_range r)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(in);
    bool good = (opcode == LLVMAdd || opcode == LLVMSub || opcode == LLVMAnd) && r.lo >= -2.0 * SPC_MOST_WHOLE &&
                r.hi <= 2.0 * SPC_MOST_WHOLE;
    for (LLVMUseRef u = LLVMGetFirstUse(in); good && u != NULL; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        if (LLVMIsAICmpInst(user) == NULL)
            return false;
        spc_range other = spc_range_of(&s->ranges, LLVMGetOperand(user, LLVMGetOperand(user, 0) == in));
        good = other.lo > -SPC_MOST_WHOLE && other.hi < SPC_MOST_WHOLE;
    }
    return good;
}

bool sel_check_int(selector *s, LLVMValueRef in)
{
    spc_range r = spc_range_of(&s->ranges, in);
    if (s->failed || (r.lo >= -SPC_MOST_WHOLE && r.hi <= SPC_MOST_WHOLE) || only_compared(s, in, r))
        return !s->failed;
    if (isinf(r.lo) || isinf(r.hi) || r.lo <= -0x1p31 || r.hi >= 0x1p31 - 1)
        sel_fail(s, "'%s' may be any int; the soft processor has those within 2^24 of 0, so bound it", name_of(in));
    else
        sel_fail(s, "'%s' may be from %.0f to %.0f; the soft processor has ints within 2^24 of 0", name_of(in), r.lo,
                 r.hi);
    return false;
}

static spc_operand negative(spc_operand o)
{
    o.neg = !o.neg;
    return o;
}

static spc_operand times(selector *s, spc_operand a, double by)
{
    return sel_operation(s, SPC_MAD, a, sel_number(s, (float)by), sel_number(s, 0));
}

static spc_operand part(selector *s, spc_operand a)
{
    return sel_operation(s, SPC_FRC, a, (spc_operand){0}, (spc_operand){0});
}

// The largest whole number that is not above.
static spc_operand whole_part(selector *s, spc_operand a)
{
    return sel_operation(s, SPC_MAD, a, sel_number(s, 1), negative(part(s, a)));
}

static spc_operand plus(selector *s, spc_operand a, double b)
{
    return sel_operation(s, SPC_MAD, a, sel_number(s, 1), sel_number(s, (float)b));
}

// A number as an operand has no modifier, as its sign is in the number.
static spc_operand size_of(selector *s, LLVMValueRef v, spc_operand o)
{
    const spc_value *of = &s->f->values.data[o.value];
    float number;
    if (spc_range_of(&s->ranges, v).lo >= 0)
        return o;
    if (of->op == SPC_NUMBER) {
        memcpy(&number, &of->bits, sizeof number);
        return sel_number(s, fabsf(number));
    }
    o.neg = false;
    o.abs = true;
    return o;
}

// A result that is not negative, with the sign of what it came from.
static spc_operand signed_as(selector *s, spc_operand size, LLVMValueRef from, spc_operand o, bool opposite)
{
    spc_range r = spc_range_of(&s->ranges, from);
    if (r.lo >= 0)
        return opposite ? times(s, size, -1) : size;
    spc_operand sign = sel_operation(s, SPC_CMP, sel_number(s, opposite ? -1 : 1), sel_number(s, opposite ? 1 : -1), o);
    return sel_operation(s, SPC_MAD, size, sign, sel_number(s, 0));
}

static bool constant_of(selector *s, LLVMValueRef v, double *out)
{
    spc_range r = spc_range_of(&s->ranges, v);
    *out = r.lo;
    return r.lo == r.hi;
}

static bool is_power(double v)
{
    int exponent;
    return v > 0 && frexp(v, &exponent) == 0.5;
}

// ---- Division ----

// a / n, of what is 0 or more and at most `most`. (a + 1/2) / n is 1 / 2n away from any whole number at least, and the product below less
// than 3/16n from it, to 2^20. Beyond, to 2^23, what is left of a says whether the quotient is 1 too large or too small.
static spc_operand quotient(selector *s, spc_operand a, double n, double most)
{
    float inverse = (float)(1 / n);
    if (is_power(n))
        return whole_part(s, times(s, a, 1 / n));
    if (most <= 0x1p20)
        return whole_part(s, sel_operation(s, SPC_MAD, a, sel_number(s, inverse), sel_number(s, inverse / 2)));
    spc_operand q = whole_part(s, times(s, a, (double)inverse));
    spc_operand left = sel_operation(s, SPC_MAD, negative(q), sel_number(s, (float)n), a);
    spc_operand lower = sel_operation(s, SPC_CMP, q, plus(s, q, -1), left);
    return sel_operation(s, SPC_CMP, plus(s, q, 1), lower, plus(s, left, -n));
}

static spc_operand signed_quotient(selector *s, LLVMValueRef in, bool *good)
{
    LLVMValueRef a = LLVMGetOperand(in, 0);
    spc_operand x = sel_scalar(s, a);
    spc_range r = spc_range_of(&s->ranges, a);
    double n, most = fmax(fabs(r.lo), fabs(r.hi));
    *good = true;
    if (!constant_of(s, LLVMGetOperand(in, 1), &n) || n == 0) {
        sel_fail(s, "'%s' by an int that is no constant, which the soft processor does not have", name_of(in));
        *good = false;
    } else if (most > 0x1p23 && !is_power(fabs(n))) {
        sel_fail(s, "'%s' of an int that may be from %.0f to %.0f; the soft processor divides those within 2^23 of 0",
                 name_of(in), r.lo, r.hi);
        *good = false;
    }
    if (!*good || s->failed)
        return sel_number(s, 0);
    return signed_as(s, quotient(s, size_of(s, a, x), fabs(n), most), a, x, n < 0);
}

// A quotient of one block's, which its remainder needs too.
typedef struct quotient_key {
    LLVMValueRef of, by;
    LLVMBasicBlockRef block;
    uintptr_t with_sign;
} quotient_key;

static spc_operand shared_quotient(selector *s, LLVMValueRef in, bool *good)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(in);
    quotient_key key = {LLVMGetOperand(in, 0), LLVMGetOperand(in, 1), LLVMGetInstructionParent(in),
                        opcode == LLVMSDiv || opcode == LLVMSRem};
    spc_operand *known = hmap_getn(&s->quotients, &key, sizeof key);
    *good = true;
    if (known != NULL)
        return *known;
    known = ARENA_NEW(s->f->arena, spc_operand);
    *known = signed_quotient(s, in, good);
    if (*good)
        hmap_setn(&s->quotients, &key, sizeof key, known);
    return *known;
}

static void select_division(selector *s, LLVMValueRef in, bool remainder)
{
    bool good;
    double n;
    spc_operand q = shared_quotient(s, in, &good);
    if (!good || s->failed)
        return;
    constant_of(s, LLVMGetOperand(in, 1), &n);
    sel_give(s, in,
             remainder ? sel_operation(s, SPC_MAD, q, sel_number(s, (float)-n), sel_scalar(s, LLVMGetOperand(in, 0)))
                       : q);
}

static void select_shift(selector *s, LLVMValueRef in, bool left)
{
    double n;
    spc_operand x = sel_scalar(s, LLVMGetOperand(in, 0));
    LLVMValueRef by = LLVMGetOperand(in, 1);
    spc_operand factor;
    if (constant_of(s, by, &n)) {
        factor = sel_number(s, (float)ldexp(1, left ? (int)n : -(int)n));
    } else if (LLVMIsAZExtInst(by) != NULL && !sel_is_whole(LLVMGetOperand(by, 0))) {
        // By a truth, as compilers have it of what is shifted in one case alone.
        truth t = sel_truth(s, LLVMGetOperand(by, 0));
        factor = sel_chosen(s, t, sel_number(s, left ? 2.0f : 0.5f), sel_number(s, 1));
    } else {
        sel_fail(s, "'%s' by an int that is no constant, which the soft processor does not have", name_of(in));
        return;
    }
    if (LLVMGetInstructionOpcode(in) == LLVMLShr && spc_range_of(&s->ranges, LLVMGetOperand(in, 0)).lo < 0) {
        sel_fail(s, "'>>' of an int without sign that may be beyond 2^24");
        return;
    }
    spc_operand shifted = sel_operation(s, SPC_MAD, x, factor, sel_number(s, 0));
    sel_give(s, in, left ? shifted : whole_part(s, shifted));
}

// Low bits are a remainder by a power of 2, of negative numbers too: those from one on are the difference of two such.
static spc_operand low_bits(selector *s, spc_operand x, double bit)
{
    return times(s, part(s, times(s, x, 1 / bit)), bit);
}

static spc_operand bits_of(selector *s, spc_operand x, unsigned mask)
{
    spc_operand sum = sel_number(s, 0);
    bool any = false;
    while (mask != 0) {
        unsigned lowest = mask & -mask, above = mask + lowest,
                 behind = above & -above; // of the lowest ones that lie together
        spc_operand run = low_bits(s, x, behind);
        if (lowest > 1)
            run = sel_operation(s, SPC_MAD, low_bits(s, x, lowest), sel_number(s, -1), run);
        sum = any ? sel_operation(s, SPC_MAD, run, sel_number(s, 1), sum) : run;
        any = true;
        mask &= above;
    }
    return sum;
}

// Without low bits a number is a multiple of a power of 2; without any others it is what is left of it.
static void select_mask(selector *s, LLVMValueRef in)
{
    double mask;
    spc_operand x = sel_scalar(s, LLVMGetOperand(in, 0));
    if (!constant_of(s, LLVMGetOperand(in, 1), &mask) || fabs(mask) > SPC_MOST_WHOLE) {
        sel_fail(s, "'&' of ints, which the soft processor has with constants within 2^24 alone");
    } else if (mask >= 0) {
        sel_give(s, in, bits_of(s, x, (unsigned)mask));
    } else if (is_power(-mask)) {
        spc_operand low = part(s, times(s, x, -1 / mask));
        sel_give(s, in, sel_operation(s, SPC_MAD, low, sel_number(s, (float)mask), x));
    } else {
        sel_give(s, in, sel_operation(s, SPC_MAD, bits_of(s, x, (unsigned)(-mask - 1)), sel_number(s, -1), x));
    }
}

// ---- Comparisons ----

bool sel_is_whole(LLVMValueRef v)
{
    return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(LLVMTypeOf(v)) > 1;
}

// Of a float: towards 0.
static void select_conversion(selector *s, LLVMValueRef in)
{
    LLVMValueRef a = LLVMGetOperand(in, 0);
    spc_operand x = sel_scalar(s, a);
    spc_operand size = whole_part(s, size_of(s, a, x));
    sel_give(s, in, signed_as(s, size, a, x, false));
}

static void select_extension(selector *s, LLVMValueRef in, bool negative_one)
{
    LLVMValueRef a = LLVMGetOperand(in, 0);
    if (sel_is_whole(a))
        sel_give(s, in, sel_scalar(s, a));
    else
        sel_give(s, in, sel_chosen(s, sel_truth(s, a), sel_number(s, negative_one ? -1 : 1), sel_number(s, 0)));
}

// All bits change: a difference. The low ones do: what is left without them, and a difference.
static void select_inversion(selector *s, LLVMValueRef in)
{
    double mask;
    spc_operand x = sel_scalar(s, LLVMGetOperand(in, 0));
    spc_range r = spc_range_of(&s->ranges, LLVMGetOperand(in, 0));
    bool known = constant_of(s, LLVMGetOperand(in, 1), &mask);
    if (known && (mask == -1 || (is_power(mask + 1) && r.lo >= 0 && r.hi <= mask))) {
        sel_give(s, in, plus(s, negative(x), mask));
    } else if (known && is_power(mask + 1) && mask < SPC_MOST_WHOLE / 2) {
        spc_operand low = part(s, times(s, x, 1 / (mask + 1)));
        sel_give(s, in, plus(s, sel_operation(s, SPC_MAD, low, sel_number(s, (float)(-2 * (mask + 1))), x), mask));
    } else if (known && fabs(mask) <= SPC_MOST_WHOLE) {
        // x + mask without what both have, twice; bits that a negative mask has not are those of the opposite.
        bool opposite = mask < 0;
        double ones = opposite ? -mask - 1 : mask;
        spc_operand both = bits_of(s, x, (unsigned)ones);
        spc_operand sum = plus(s, sel_operation(s, SPC_MAD, both, sel_number(s, -2), x), ones);
        sel_give(s, in, opposite ? plus(s, negative(sum), -1) : sum);
    } else {
        sel_fail(s, "'^' of ints, which the soft processor has with constants within 2^24 alone");
    }
}

// x + mask without what both have. A negative mask leaves of the bits that it has not those of x.
static void select_union(selector *s, LLVMValueRef in)
{
    double mask;
    spc_operand x = sel_scalar(s, LLVMGetOperand(in, 0));
    if (!constant_of(s, LLVMGetOperand(in, 1), &mask) || fabs(mask) > SPC_MOST_WHOLE)
        sel_fail(s, "'|' of ints, which the soft processor has with constants within 2^24 alone");
    else if (mask < 0)
        sel_give(s, in, plus(s, bits_of(s, x, (unsigned)(-mask - 1)), mask));
    else
        sel_give(s, in, plus(s, sel_operation(s, SPC_MAD, bits_of(s, x, (unsigned)mask), sel_number(s, -1), x), mask));
}

void sel_int(selector *s, LLVMValueRef in)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(in);
    if (opcode == LLVMUIToFP && sel_is_whole(LLVMGetOperand(in, 0)) &&
        spc_range_of(&s->ranges, LLVMGetOperand(in, 0)).lo < 0)
        sel_fail(s, "an int without sign that may be beyond 2^24 becomes a float");
    if (opcode == LLVMXor) {
        select_inversion(s, in);
        sel_check_int(s, in);
        return;
    }
    if (LLVMGetTypeKind(LLVMTypeOf(in)) == LLVMIntegerTypeKind && !sel_check_int(s, in))
        return;
    switch (opcode) {
    case LLVMSDiv:
    case LLVMUDiv:
    case LLVMSRem:
    case LLVMURem:
        if ((opcode == LLVMUDiv || opcode == LLVMURem) && spc_range_of(&s->ranges, LLVMGetOperand(in, 0)).lo < 0)
            sel_fail(s, "'%s' of an int without sign that may be beyond 2^24", name_of(in));
        else
            select_division(s, in, opcode == LLVMSRem || opcode == LLVMURem);
        break;
    case LLVMShl: select_shift(s, in, true); break;
    case LLVMAShr:
    case LLVMLShr: select_shift(s, in, false); break;
    case LLVMAnd: select_mask(s, in); break;
    case LLVMOr: select_union(s, in); break;
    case LLVMFPToSI:
    case LLVMFPToUI: select_conversion(s, in); break;
    case LLVMSExt:
    case LLVMZExt: select_extension(s, in, opcode == LLVMSExt); break;
    case LLVMUIToFP: select_extension(s, in, false); break;
    case LLVMSIToFP: select_extension(s, in, true); break;
    default: sel_give(s, in, sel_scalar(s, LLVMGetOperand(in, 0))); // TRUNC of what fits
    }
}
