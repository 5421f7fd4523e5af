// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranges of IR values: bounds of ints, and of floats that ints are made of. Leaves have those of their kind; an operation has what its
// operands' bounds give. A loop's phis are followed round by round, each with the bounds that it has in that round.
#include <math.h>
#include <string.h>

#include "llc/softproc/select.h"
#include "support/numbers.h"

enum { MOST_LOOKED_AT = 1 << 21, MOST_SHIFT = 31, MOST_X = 4095, MOST_Y = 8190 };

typedef struct known_range {
    spc_range range;
    uint32_t epoch; // for which it holds: each round of each loop is one
} known_range;

static const spc_range anything = {-INFINITY, INFINITY};

static spc_range exactly(double v)
{
    return (spc_range){v, v};
}

static spc_range hull(spc_range a, spc_range b)
{
    return (spc_range){fmin(a.lo, b.lo), fmax(a.hi, b.hi)};
}

static bool within(spc_range a, spc_range b)
{
    return a.lo >= b.lo && a.hi <= b.hi;
}

static spc_range truth_range(bool may_be_false, bool may_be_true)
{
    return (spc_range){may_be_false ? 0 : 1, may_be_true ? 1 : 0};
}

static bool is_int(LLVMTypeRef t)
{
    return LLVMGetTypeKind(t) == LLVMIntegerTypeKind;
}

static spc_range range_of_type(LLVMTypeRef t)
{
    if (!is_int(t))
        return anything;
    unsigned width = LLVMGetIntTypeWidth(t);
    return width == 1 ? (spc_range){0, 1} : (spc_range){-ldexp(1, (int)width - 1), ldexp(1, (int)width - 1) - 1};
}

// ---- Operations ----

static double product(double a, double b)
{
    return a == 0 || b == 0 ? 0 : a * b;
}

static spc_range multiplied(spc_range a, spc_range b)
{
    double p[4] = {product(a.lo, b.lo), product(a.lo, b.hi), product(a.hi, b.lo), product(a.hi, b.hi)};
    return (spc_range){fmin(fmin(p[0], p[1]), fmin(p[2], p[3])), fmax(fmax(p[0], p[1]), fmax(p[2], p[3]))};
}

static spc_range magnitude(spc_range a)
{
    double most = fmax(fabs(a.lo), fabs(a.hi));
    return (spc_range){a.lo <= 0 && a.hi >= 0 ? 0 : fmin(fabs(a.lo), fabs(a.hi)), most};
}

static spc_range whole_parts(spc_range a)
{
    return (spc_range){floor(a.lo), floor(a.hi)};
}

static spc_range square(spc_range a)
{
    spc_range size = magnitude(a);
    return multiplied(size, size);
}

// Rounding to float keeps the order of what is rounded.
static spc_range rounded(spc_range a)
{
    return isnan(a.lo) || isnan(a.hi) ? anything : (spc_range){number_as_float(a.lo), number_as_float(a.hi)};
}

static spc_range divided(spc_range a, spc_range b)
{
    if (b.lo != b.hi || b.lo == 0)
        return magnitude(a).hi == INFINITY ? anything : (spc_range){-magnitude(a).hi, magnitude(a).hi};
    return hull(exactly(trunc(a.lo / b.lo)), exactly(trunc(a.hi / b.lo)));
}

static spc_range remaindered(spc_range a, spc_range b)
{
    double most = fmin(magnitude(b).hi - 1, magnitude(a).hi);
    if (b.lo == b.hi && a.lo == a.hi && b.lo != 0)
        return exactly(fmod(a.lo, b.lo));
    return (spc_range){a.lo < 0 ? -most : 0, a.hi > 0 ? most : 0};
}

static spc_range masked(spc_range a, spc_range b, spc_range type)
{
    if (b.lo == b.hi && b.lo >= 0)
        return a.lo >= 0 ? (spc_range){0, fmin(a.hi, b.lo)} : (spc_range){0, b.lo};
    if (a.lo >= 0 && b.lo >= 0)
        return (spc_range){0, fmin(a.hi, b.hi)};
    if (b.lo == b.hi && frexp(-b.lo, &(int){0}) == 0.5) // the low bits go
        return (spc_range){floor(a.lo / -b.lo) * -b.lo, a.hi};
    if (b.lo == b.hi) // others do
        return (spc_range){a.lo + b.lo + 1, a.hi};
    return type;
}

// Of bits by a mask of ones: a difference, where there are no others, else no more bits than there are.
static spc_range inverted(spc_range a, double mask)
{
    if (mask == -1 || (a.lo >= 0 && a.hi <= mask && frexp(mask + 1, &(int){0}) == 0.5))
        return (spc_range){mask - a.hi, mask - a.lo};
    double ones = mask < 0 ? -mask - 1 : mask;
    double most = ldexp(1, (int)ceil(log2(fmax(fmax(fabs(a.lo), fabs(a.hi)), ones) + 1))) - 1;
    bool positive = mask < 0 ? a.hi < 0 : a.lo >= 0, negative = mask < 0 ? a.lo >= 0 : a.hi < 0;
    return (spc_range){positive ? 0 : -most - 1, negative ? -1 : most};
}

// With the bits of a mask: no less than it was, and at most all of them more.
static spc_range united(spc_range a, double mask)
{
    return mask < 0 ? (spc_range){mask, -1} : (spc_range){a.lo, a.hi + mask};
}

static spc_range binary(LLVMValueRef v, spc_range a, spc_range b)
{
    spc_range type = range_of_type(LLVMTypeOf(v));
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMFAdd: return rounded((spc_range){a.lo + b.lo, a.hi + b.hi});
    case LLVMFSub: return rounded((spc_range){a.lo - b.hi, a.hi - b.lo});
    case LLVMFMul: return rounded(LLVMGetOperand(v, 0) == LLVMGetOperand(v, 1) ? square(a) : multiplied(a, b));
    case LLVMAdd: return (spc_range){a.lo + b.lo, a.hi + b.hi};
    case LLVMSub: return (spc_range){a.lo - b.hi, a.hi - b.lo};
    case LLVMMul: return LLVMGetOperand(v, 0) == LLVMGetOperand(v, 1) ? square(a) : multiplied(a, b);
    case LLVMShl:
        if (b.lo < 0 || b.hi > MOST_SHIFT)
            return type;
        return multiplied(a, (spc_range){ldexp(1, (int)b.lo), ldexp(1, (int)b.hi)});
    case LLVMLShr:
        if (a.lo < 0)
            return type;
        __attribute__((fallthrough));
    case LLVMAShr:
        if (b.lo < 0 || b.hi > MOST_SHIFT)
            return type;
        return whole_parts(multiplied(a, (spc_range){ldexp(1, -(int)b.hi), ldexp(1, -(int)b.lo)}));
    case LLVMAnd: return type.hi == 1 ? (spc_range){fmin(a.lo, b.lo), fmin(a.hi, b.hi)} : masked(a, b, type);
    case LLVMOr:
        if (type.hi == 1)
            return (spc_range){fmax(a.lo, b.lo), fmax(a.hi, b.hi)};
        if (LLVMGetIsDisjoint(v))
            return (spc_range){a.lo + b.lo, a.hi + b.hi};
        return b.lo == b.hi ? united(a, b.lo) : type;
    case LLVMXor:
        if (type.hi == 1)
            return a.lo == a.hi && b.lo == b.hi ? exactly(a.lo != b.lo) : type;
        return b.lo == b.hi ? inverted(a, b.lo) : type;
    case LLVMUDiv:
    case LLVMSDiv: return divided(a, b);
    case LLVMURem:
    case LLVMSRem: return remaindered(a, b);
    default: return type;
    }
}

// ---- Comparisons ----

typedef enum relation { BELOW, AT_MOST, ABOVE, AT_LEAST, SAME, DIFFERENT, UNRELATED } relation;

static relation relation_of(LLVMValueRef comparison)
{
    if (LLVMIsAICmpInst(comparison) != NULL)
        switch (LLVMGetICmpPredicate(comparison)) {
        case LLVMIntSLT: return BELOW;
        case LLVMIntSLE: return AT_MOST;
        case LLVMIntSGT: return ABOVE;
        case LLVMIntSGE: return AT_LEAST;
        case LLVMIntEQ: return SAME;
        case LLVMIntNE: return DIFFERENT;
        default: return UNRELATED;
        }
    switch (LLVMGetFCmpPredicate(comparison)) {
    case LLVMRealOLT:
    case LLVMRealULT: return BELOW;
    case LLVMRealOLE:
    case LLVMRealULE: return AT_MOST;
    case LLVMRealOGT:
    case LLVMRealUGT: return ABOVE;
    case LLVMRealOGE:
    case LLVMRealUGE: return AT_LEAST;
    case LLVMRealOEQ:
    case LLVMRealUEQ: return SAME;
    case LLVMRealONE:
    case LLVMRealUNE: return DIFFERENT;
    default: return UNRELATED;
    }
}

static spc_range compared(relation r, spc_range a, spc_range b)
{
    switch (r) {
    case BELOW: return truth_range(a.hi >= b.lo, a.lo < b.hi);
    case AT_MOST: return truth_range(a.hi > b.lo, a.lo <= b.hi);
    case ABOVE: return truth_range(a.lo <= b.hi, a.hi > b.lo);
    case AT_LEAST: return truth_range(a.lo < b.hi, a.hi >= b.lo);
    case SAME: return truth_range(!(a.lo == a.hi && b.lo == b.hi && a.lo == b.lo), a.lo <= b.hi && b.lo <= a.hi);
    case DIFFERENT: return truth_range(a.lo <= b.hi && b.lo <= a.hi, !(a.lo == a.hi && b.lo == b.hi && a.lo == b.lo));
    default: return truth_range(true, true);
    }
}

static relation contrary(relation r)
{
    static const relation other[] = {AT_LEAST, ABOVE, AT_MOST, BELOW, DIFFERENT, SAME, UNRELATED};
    return other[r];
}

// What is left of a value's range where it has a relation to one of another range.
static spc_range related(spc_range v, relation r, spc_range other)
{
    switch (r) {
    case BELOW:
    case AT_MOST: return (spc_range){v.lo, fmin(v.hi, other.hi)};
    case ABOVE:
    case AT_LEAST: return (spc_range){fmax(v.lo, other.lo), v.hi};
    case SAME: return (spc_range){fmax(v.lo, other.lo), fmin(v.hi, other.hi)};
    default: return v;
    }
}

static spc_range selected(spc_ranges *r, LLVMValueRef v)
{
    LLVMValueRef condition = LLVMGetOperand(v, 0), way[2] = {LLVMGetOperand(v, 1), LLVMGetOperand(v, 2)};
    spc_range which = spc_range_of(r, condition), of[2] = {spc_range_of(r, way[0]), spc_range_of(r, way[1])};
    if (LLVMIsAICmpInst(condition) != NULL || LLVMIsAFCmpInst(condition) != NULL)
        for (unsigned k = 0; k < 2; k++)
            if (way[k] == LLVMGetOperand(condition, 0)) {
                relation how = relation_of(condition);
                of[k] = related(of[k], k == 0 ? how : contrary(how), spc_range_of(r, LLVMGetOperand(condition, 1)));
            }
    bool none[2] = {which.hi == 0 || of[0].lo > of[0].hi, which.lo == 1 || of[1].lo > of[1].hi};
    return none[0] ? of[1] : none[1] ? of[0] : hull(of[0], of[1]);
}

static spc_range called(spc_ranges *r, LLVMValueRef v)
{
    size_t length;
    LLVMValueRef callee = LLVMGetCalledValue(v);
    const char *name = LLVMIsAFunction(callee) != NULL ? LLVMGetValueName2(callee, &length) : "";
    spc_range type = range_of_type(LLVMTypeOf(v));
    if (strcmp(name, "svm_spWhole") == 0)
        return r->items;
    if (LLVMGetNumArgOperands(v) == 0)
        return type;
    spc_range a = spc_range_of(r, LLVMGetOperand(v, 0));
    if (strcmp(name, "svm_spNumber") == 0 || spc_is_fence(name))
        return a;
    if (strncmp(name, "llvm.abs.", 9) == 0 || strcmp(name, "llvm.fabs.f32") == 0)
        return magnitude(a);
    if (strcmp(name, "llvm.floor.f32") == 0)
        return (spc_range){floor(a.lo), floor(a.hi)};
    if ((strcmp(name, "llvm.sqrt.f32") == 0 || strcmp(name, "sqrtf") == 0) && a.lo >= 0)
        return (spc_range){0, ceil(sqrt(a.hi))}; // the machine's own is not rounded as C's
    bool minimum = strncmp(name, "llvm.smin.", 10) == 0 || strncmp(name, "llvm.umin.", 10) == 0;
    if (!minimum && strncmp(name, "llvm.smax.", 10) != 0 && strncmp(name, "llvm.umax.", 10) != 0)
        return type;
    spc_range b = spc_range_of(r, LLVMGetOperand(v, 1));
    if (name[5] == 'u' && (a.lo < 0 || b.lo < 0))
        return type;
    return minimum ? (spc_range){fmin(a.lo, b.lo), fmin(a.hi, b.hi)} : (spc_range){fmax(a.lo, b.lo), fmax(a.hi, b.hi)};
}

// ---- Loops ----

static known_range *entry_of(spc_ranges *r, LLVMValueRef v)
{
    known_range *k = hmap_getn(&r->known, &v, sizeof v);
    if (k == NULL) {
        k = ARENA_NEW(r->arena, known_range);
        k->epoch = UINT32_MAX;
        hmap_setn(&r->known, &v, sizeof v, k);
    }
    return k;
}

static LLVMValueRef incoming(LLVMValueRef phi, LLVMBasicBlockRef from)
{
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
        if (LLVMGetIncomingBlock(phi, i) == from)
            return LLVMGetIncomingValue(phi, i);
    return NULL;
}

// A phi of a loop that is being followed, or has been.
typedef struct followed {
    LLVMValueRef phi;
    spc_range now, all, next;
} followed;

// Loops that are followed, or have been for good: what their phis are holds in every epoch.
typedef struct spc_frame {
    struct spc_frame *outer;
    followed *phis;
    size_t count;
    bool whole; // `all` is what they are, else `now`
} spc_frame;

static void begin_epoch(spc_ranges *r, uint32_t epoch)
{
    r->epoch = epoch;
    for (const spc_frame *f = r->frames; f != NULL; f = f->outer)
        for (size_t i = 0; i < f->count; i++)
            *entry_of(r, f->phis[i].phi) = (known_range){f->whole ? f->phis[i].all : f->phis[i].now, epoch};
}

// What the phis are in the next round. True when that stays within what they have been.
static bool go_on(spc_ranges *r, const spc_loop *loop, spc_frame *f, bool whole)
{
    bool inside = true;
    f->whole = whole;
    begin_epoch(r, ++r->epochs);
    for (size_t i = 0; i < f->count; i++) {
        followed *p = &f->phis[i];
        p->next =
            p->all.lo == -INFINITY && p->all.hi == INFINITY ? anything : spc_range_of(r, incoming(p->phi, loop->latch));
        inside = inside && within(p->next, p->all);
    }
    return inside;
}

static void follow_loop(spc_ranges *r, const spc_loop *loop)
{
    VEC(followed) phis = {0};
    uint32_t outer = r->epoch;
    bool lost = loop->before == NULL || loop->latch == NULL || loop->rounds == 0;
    for (LLVMValueRef phi = LLVMGetFirstInstruction(loop->header); LLVMIsAPHINode(phi) != NULL;
         phi = LLVMGetNextInstruction(phi)) {
        spc_range begin = lost ? range_of_type(LLVMTypeOf(phi)) : spc_range_of(r, incoming(phi, loop->before));
        VEC_PUSH(r->arena, &phis, (followed){phi, begin, begin, begin});
    }
    spc_frame *f = ARENA_NEW(r->arena, spc_frame);
    *f = (spc_frame){r->frames, phis.data, phis.len, false};
    r->frames = f;
    for (uint32_t i = 1; i < loop->rounds && !lost && phis.len > 0; i++) {
        bool inside = go_on(r, loop, f, false);
        lost = r->looked_at > MOST_LOOKED_AT;
        for (VEC_EACH(followed, v, &phis)) {
            v->now = v->next;
            v->all = hull(v->all, v->now);
        }
        if (inside && go_on(r, loop, f, true))
            break;
    }
    for (VEC_EACH(followed, v, &phis))
        v->all = lost ? range_of_type(LLVMTypeOf(v->phi)) : v->all;
    // Nothing around it is being followed: this holds for good.
    f->whole = true;
    begin_epoch(r, outer);
    if (outer != 0)
        r->frames = f->outer;
}

static spc_range range_of_phi(spc_ranges *r, LLVMValueRef v)
{
    uint32_t loop = spc_loop_of(r->loops, LLVMGetInstructionParent(v));
    if (loop != SPC_NONE && r->loops->loops.data[loop].header == LLVMGetInstructionParent(v)) {
        follow_loop(r, &r->loops->loops.data[loop]);
        return entry_of(r, v)->range;
    }
    spc_range all = spc_range_of(r, LLVMGetIncomingValue(v, 0));
    for (unsigned i = 1; i < LLVMCountIncoming(v); i++)
        all = hull(all, spc_range_of(r, LLVMGetIncomingValue(v, i)));
    return all;
}

// ---- Values ----

// Of an element that has been inserted, or shuffled.
static spc_range range_of_element(spc_ranges *r, LLVMValueRef v, LLVMValueRef index, spc_range type, unsigned depth)
{
    enum { DEEPEST = 16 };
    if (LLVMIsAConstantInt(index) == NULL)
        return type;
    unsigned long long at = LLVMConstIntGetZExtValue(index);
    for (; LLVMIsAInstruction(v) != NULL && depth < DEEPEST; depth++) {
        LLVMOpcode opcode = LLVMGetInstructionOpcode(v);
        if (opcode == LLVMInsertElement && LLVMIsAConstantInt(LLVMGetOperand(v, 2)) != NULL) {
            if (LLVMConstIntGetZExtValue(LLVMGetOperand(v, 2)) == at)
                return spc_range_of(r, LLVMGetOperand(v, 1));
            v = LLVMGetOperand(v, 0);
        } else if (opcode == LLVMShuffleVector && LLVMGetMaskValue(v, (unsigned)at) >= 0) {
            unsigned size = LLVMGetVectorSize(LLVMTypeOf(LLVMGetOperand(v, 0)));
            unsigned from = (unsigned)LLVMGetMaskValue(v, (unsigned)at);
            v = LLVMGetOperand(v, from >= size);
            at = from % size;
        } else {
            return type;
        }
    }
    return type;
}

// The hull of all its numbers, whatever the subscript. It is in the same place for the table itself.
static spc_range range_of_load(spc_ranges *r, LLVMValueRef v, spc_range type)
{
    LLVMValueRef table = spc_table_of(v);
    if (table == NULL)
        return type;
    known_range *k = entry_of(r, table);
    if (k->epoch == UINT32_MAX)
        *k = (known_range){spc_range_of_table(table), 0};
    return k->range;
}

static spc_range range_of_instruction(spc_ranges *r, LLVMValueRef v)
{
    spc_range type = range_of_type(LLVMTypeOf(v));
    LLVMOpcode opcode = LLVMGetInstructionOpcode(v);
    if (LLVMIsABinaryOperator(v) != NULL)
        return binary(v, spc_range_of(r, LLVMGetOperand(v, 0)), spc_range_of(r, LLVMGetOperand(v, 1)));
    spc_range a;
    switch (opcode) {
    case LLVMPHI: return range_of_phi(r, v);
    case LLVMSelect: return selected(r, v);
    case LLVMICmp:
    case LLVMFCmp:
        return compared(relation_of(v), spc_range_of(r, LLVMGetOperand(v, 0)), spc_range_of(r, LLVMGetOperand(v, 1)));
    case LLVMCall: return called(r, v);
    case LLVMLoad: return range_of_load(r, v, type);
    case LLVMExtractElement: return range_of_element(r, LLVMGetOperand(v, 0), LLVMGetOperand(v, 1), type, 0);
    case LLVMFNeg: a = spc_range_of(r, LLVMGetOperand(v, 0)); return (spc_range){-a.hi, -a.lo};
    case LLVMFreeze:
    case LLVMSIToFP:
    case LLVMUIToFP: return spc_range_of(r, LLVMGetOperand(v, 0));
    case LLVMSExt:
        a = spc_range_of(r, LLVMGetOperand(v, 0));
        return range_of_type(LLVMTypeOf(LLVMGetOperand(v, 0))).hi == 1 ? (spc_range){-a.hi, -a.lo} : a;
    case LLVMZExt: a = spc_range_of(r, LLVMGetOperand(v, 0)); return a.lo < 0 ? type : a;
    case LLVMTrunc: a = spc_range_of(r, LLVMGetOperand(v, 0)); return within(a, type) ? a : type;
    case LLVMFPToSI:
    case LLVMFPToUI:
        a = spc_range_of(r, LLVMGetOperand(v, 0));
        return within(a, type) ? (spc_range){trunc(a.lo), trunc(a.hi)} : type;
    default: return type;
    }
}

spc_range spc_range_of(spc_ranges *r, LLVMValueRef v)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    LLVMBool loses;
    if (v == r->x || v == r->y)
        return (spc_range){0, v == r->x ? MOST_X : MOST_Y};
    if (LLVMIsAConstantInt(v) != NULL && LLVMGetIntTypeWidth(type) <= 64)
        return LLVMGetIntTypeWidth(type) == 1 ? exactly(LLVMConstIntGetZExtValue(v) != 0)
                                              : exactly((double)LLVMConstIntGetSExtValue(v));
    if (LLVMIsAConstantFP(v) != NULL && LLVMGetTypeKind(type) == LLVMFloatTypeKind)
        return exactly(LLVMConstRealGetDouble(v, &loses));
    if (LLVMIsUndef(v))
        return exactly(0);
    if (LLVMIsAInstruction(v) == NULL || (!is_int(type) && LLVMGetTypeKind(type) != LLVMFloatTypeKind))
        return range_of_type(type);
    known_range *k = entry_of(r, v);
    if (k->epoch == r->epoch)
        return k->range;
    if (r->looked_at++ > MOST_LOOKED_AT)
        return range_of_type(type);
    spc_range found = range_of_instruction(r, v);
    if (isnan(found.lo) || isnan(found.hi))
        found = range_of_type(type);
    *k = (known_range){found, r->epoch};
    return found;
}
