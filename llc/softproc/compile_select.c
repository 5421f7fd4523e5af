// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Selection: LLVM's instructions to scalar values of the machine's operations.
//
// Negation and absolute value become modifiers of the operands that read them. A sum computes a product that it reads itself:
// the machine rounds both, so nothing changes. A product alone adds -0, a sum alone multiplies by 1; both are exact. A
// selection by a comparison is CMP of a difference; minimum and maximum are recognised where they choose as MIN and MAX do.
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "llc/softproc/compile.h"

// True where the value is 0 or more, or, inverted, below 0.
typedef struct truth {
    spc_operand value;
    bool inverted;
} truth;

// What an IR value stands for: a scalar, the four elements of a vector, or (count 0) a truth.
typedef struct meaning {
    LLVMValueRef of;
    spc_operand element[4];
    unsigned count;
    truth truth;
} meaning;

// When a block is reached, or an edge taken: where its base is, and where the truth holds too. Number 0 is always.
typedef struct path {
    uint32_t base;
    truth truth;
} path;

typedef struct block {
    LLVMBasicBlockRef block;
    uint32_t condition;
} block;

typedef struct selector {
    spc_function *f;
    VEC(meaning) meanings; // in the order of instructions
    VEC(path) conditions;
    VEC(block) blocks; // that can be reached, each behind those that lead to it
    uint32_t now;      // the condition of the block at hand
    LLVMValueRef at;   // the instruction at hand
    bool failed;
} selector;

unsigned spc_operands(spc_op op)
{
    switch (op) {
    case SPC_MAD:
    case SPC_CMP: return 3;
    case SPC_MIN:
    case SPC_MAX: return 2;
    case SPC_FRC:
    case SPC_COPY:
    case SPC_RCP:
    case SPC_RSQ:
    case SPC_EX2:
    case SPC_LN2: return 1;
    default: return 0;
    }
}

void spc_error(spc_function *f, const char *place, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *text = arena_vprintf(f->arena, format, args);
    if (place == NULL && f->range.end > 0)
        diag_error(f->diag, f->range, "%s", text);
    else
        diag_error_at(f->diag, place != NULL ? place : f->name, "%s", text);
    va_end(args);
}

uint32_t spc_add_value(spc_function *f, spc_value v)
{
    v.reg = SPC_NONE;
    v.output = SPC_NO_OUTPUT;
    v.first = SPC_NONE;
    VEC_PUSH(f->arena, &f->values, v);
    return (uint32_t)f->values.len - 1;
}

// Where the instruction at hand comes from; NULL: the IR does not say.
static const char *place(const selector *s)
{
    unsigned length, line = s->at == NULL ? 0 : LLVMGetDebugLocLine(s->at);
    if (line == 0)
        return NULL;
    const char *file = LLVMGetDebugLocFilename(s->at, &length);
    return arena_printf(s->f->arena, "%.*s:%u:%u", (int)length, file, line, LLVMGetDebugLocColumn(s->at));
}

static void fail(selector *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void fail(selector *s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (!s->failed)
        spc_error(s->f, place(s), "%s", arena_vprintf(s->f->arena, format, args));
    va_end(args);
    s->failed = true;
}

// ---- Values ----

static spc_operand number(selector *s, float value)
{
    spc_value v = {.op = SPC_NUMBER};
    memcpy(&v.bits, &value, sizeof v.bits);
    for (uint32_t i = 0; i < s->f->values.len; i++)
        if (s->f->values.data[i].op == SPC_NUMBER && s->f->values.data[i].bits == v.bits)
            return (spc_operand){.value = i};
    return (spc_operand){.value = spc_add_value(s->f, v)};
}

static float as_float(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static spc_operand operation(selector *s, spc_op op, spc_operand a, spc_operand b, spc_operand c)
{
    spc_value v = {.op = op, .operand = {a, b, c}};
    for (unsigned k = 0; k < spc_operands(op); k++)
        if (s->f->values.data[v.operand[k].value].depth >= v.depth)
            v.depth = s->f->values.data[v.operand[k].value].depth + 1;
    return (spc_operand){.value = spc_add_value(s->f, v)};
}

// Numbers have their sign in themselves, all others as a modifier.
static spc_operand negated(selector *s, spc_operand o)
{
    const spc_value *v = &s->f->values.data[o.value];
    if (v->op == SPC_NUMBER)
        return number(s, -as_float(v->bits));
    o.neg = !o.neg;
    return o;
}

static spc_operand absolute(selector *s, spc_operand o)
{
    const spc_value *v = &s->f->values.data[o.value];
    if (v->op == SPC_NUMBER)
        return number(s, fabsf(as_float(v->bits)));
    o.neg = false;
    o.abs = true;
    return o;
}

static bool is_zero(const selector *s, spc_operand o)
{
    const spc_value *v = &s->f->values.data[o.value];
    return v->op == SPC_NUMBER && as_float(v->bits) == 0;
}

static bool is_coordinate(const selector *s, spc_operand o, spc_op op)
{
    return s->f->values.data[o.value].op == op && !o.neg && !o.abs;
}

static bool is_number(const selector *s, spc_operand o)
{
    return s->f->values.data[o.value].op == SPC_NUMBER || s->f->values.data[o.value].op == SPC_SCALAR;
}

// ---- Meanings ----

static const meaning *meaning_of(const selector *s, LLVMValueRef value)
{
    for (size_t i = s->meanings.len; i > 0; i--)
        if (s->meanings.data[i - 1].of == value)
            return &s->meanings.data[i - 1];
    return NULL;
}

static bool is_float(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMFloatTypeKind;
}

static spc_operand constant(selector *s, LLVMValueRef value)
{
    LLVMBool loses;
    if (LLVMIsAConstantFP(value) != NULL)
        return number(s, (float)LLVMConstRealGetDouble(value, &loses));
    return number(s, 0); // undefined, or zeros
}

// Ints are floats here: those that a float has exactly, which come from lookups of ints and are compared and chosen.
enum { MOST_WHOLE = 1 << 24 };

static spc_operand scalar(selector *s, LLVMValueRef value)
{
    if (LLVMIsConstant(value) && is_float(LLVMTypeOf(value)))
        return constant(s, value);
    if (LLVMIsAConstantInt(value) != NULL && LLVMGetIntTypeWidth(LLVMTypeOf(value)) == 32 &&
        llabs(LLVMConstIntGetSExtValue(value)) <= MOST_WHOLE)
        return number(s, (float)LLVMConstIntGetSExtValue(value));
    const meaning *m = meaning_of(s, value);
    if (m != NULL && m->count == 1)
        return m->element[0];
    fail(s, "a value of a type that the soft processor does not have; it has float");
    return number(s, 0);
}

// The elements of a vector of four.
static void vector(selector *s, LLVMValueRef value, spc_operand out[4])
{
    const meaning *m = meaning_of(s, value);
    for (unsigned i = 0; i < 4; i++) {
        if (m != NULL && m->count == 4)
            out[i] = m->element[i];
        else if (m == NULL && LLVMIsConstant(value) && LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMVectorTypeKind &&
                 LLVMGetVectorSize(LLVMTypeOf(value)) == 4 && is_float(LLVMGetElementType(LLVMTypeOf(value))))
            out[i] = constant(s, LLVMGetAggregateElement(value, i));
        else
            fail(s, "expected a vector of four floats");
        if (s->failed)
            out[i] = number(s, 0);
    }
}

static void give_truth(selector *s, LLVMValueRef value, truth t)
{
    VEC_PUSH(s->f->arena, &s->meanings, (meaning){.of = value, .truth = t});
}

static void give(selector *s, LLVMValueRef value, spc_operand o)
{
    VEC_PUSH(s->f->arena, &s->meanings, (meaning){.of = value, .element = {o}, .count = 1});
}

// ---- Arithmetic ----

// Whether a value is a product, which a sum computes itself. Others that read it compute it again: that costs nothing.
static bool is_product(LLVMValueRef value, spc_operand o)
{
    return LLVMIsAInstruction(value) != NULL && LLVMGetInstructionOpcode(value) == LLVMFMul && !o.abs;
}

// factor * other factor + term; the factor's sign may be that of the product.
static spc_operand product_and_term(selector *s, spc_operand product, spc_operand term)
{
    spc_value of = s->f->values.data[product.value];
    spc_operand factor = of.operand[0], other = of.operand[1];
    if (product.neg && s->f->values.data[other.value].op == SPC_NUMBER)
        other = negated(s, other);
    else if (product.neg)
        factor = negated(s, factor);
    return operation(s, SPC_MAD, factor, other, term);
}

// a + b, or a - b. Of two products the later one is the sum's own, and of other two values the one that is there earlier is its
// factor: so sums of products look alike, whether a factor is 1 or not, and sums of the same two keep the same one.
static void select_sum(selector *s, LLVMValueRef in, bool subtract)
{
    LLVMValueRef left = LLVMGetOperand(in, 0), right = LLVMGetOperand(in, 1);
    spc_operand a = scalar(s, left), b = scalar(s, right);
    bool a_product = is_product(left, a), b_product = is_product(right, b);
    if (subtract)
        b = negated(s, b);
    if (s->failed)
        return;
    // Coordinates are no -0: 0 more is nothing.
    if (is_zero(s, b) && (is_coordinate(s, a, SPC_X) || is_coordinate(s, a, SPC_Y))) {
        give(s, in, a);
        return;
    }
    if (b_product || a_product) {
        bool own_b = b_product && (!a_product || b.value >= a.value);
        give(s, in, own_b ? product_and_term(s, b, a) : product_and_term(s, a, b));
        return;
    }
    bool swap =
        is_number(s, a) || (!is_number(s, b) && s->f->values.data[a.value].depth > s->f->values.data[b.value].depth);
    give(s, in, operation(s, SPC_MAD, swap ? b : a, number(s, 1), swap ? a : b));
}

// Constants are second factors, so that like products look alike.
static void select_product(selector *s, LLVMValueRef in)
{
    spc_operand a = scalar(s, LLVMGetOperand(in, 0)), b = scalar(s, LLVMGetOperand(in, 1));
    bool swap = is_number(s, a) && !is_number(s, b);
    give(s, in, operation(s, SPC_MAD, swap ? b : a, swap ? a : b, number(s, -0.0f)));
}

// ---- Comparisons ----

// A comparison with 1/16, 1/8, ... 4 is one of 1 - 2 * v with 0, where v is the other value scaled by its output modifier: the
// output modifier for that, or -1.
static int scale_of(const selector *s, spc_operand o)
{
    static const uint8_t codes[] = {3, 2, 1, 0, 4, 5, 6}; // x8 for 1/16 to /8 for 4
    const spc_value *v = &s->f->values.data[o.value];
    int exponent;
    if (v->op != SPC_NUMBER || frexpf(as_float(v->bits), &exponent) != 0.5f || exponent < -3 || exponent > 3)
        return -1;
    return codes[exponent + 3];
}

// What is compared with such a number, if nothing else reads it, as that difference: 0 or more where it is at most the number.
static bool presubtracted(selector *s, LLVMValueRef value, spc_operand o, spc_operand bound, spc_operand *out)
{
    int code = scale_of(s, bound);
    spc_value *v = &s->f->values.data[o.value];
    LLVMOpcode opcode = LLVMIsAInstruction(value) != NULL ? LLVMGetInstructionOpcode(value) : LLVMRet;
    bool own = opcode == LLVMFAdd || opcode == LLVMFSub || opcode == LLVMFMul;
    if (code < 0 || !own || LLVMGetNextUse(LLVMGetFirstUse(value)) != NULL)
        return false;
    v->omod = (uint8_t)code;
    *out = (spc_operand){.value = o.value, .presubtract = true};
    return true;
}

// A value that is 0 or more where the comparison's operand a is at least operand b.
static spc_operand difference(selector *s, LLVMValueRef in, unsigned left)
{
    LLVMValueRef larger = LLVMGetOperand(in, left), smaller = LLVMGetOperand(in, 1 - left);
    spc_operand a = scalar(s, larger), b = scalar(s, smaller), by;
    if (presubtracted(s, smaller, b, a, &by))
        return by;
    if (presubtracted(s, larger, a, b, &by))
        return negated(s, by);
    if (is_zero(s, b))
        return a;
    if (is_zero(s, a))
        return negated(s, b);
    bool swap = is_number(s, a);
    b = negated(s, b);
    return operation(s, SPC_MAD, swap ? b : a, number(s, 1), swap ? a : b);
}

static void select_comparison(selector *s, LLVMValueRef in)
{
    truth t = {.inverted = false};
    switch (LLVMGetFCmpPredicate(in)) {
    case LLVMRealOGE:
    case LLVMRealUGE: t.value = difference(s, in, 0); break;
    case LLVMRealOLE:
    case LLVMRealULE: t.value = difference(s, in, 1); break;
    case LLVMRealOLT:
    case LLVMRealULT:
        t.value = difference(s, in, 0);
        t.inverted = true;
        break;
    case LLVMRealOGT:
    case LLVMRealUGT:
        t.value = difference(s, in, 1);
        t.inverted = true;
        break;
    case LLVMRealONE:
    case LLVMRealUNE: t.inverted = true; __attribute__((fallthrough));
    case LLVMRealOEQ:
    case LLVMRealUEQ: t.value = negated(s, absolute(s, difference(s, in, 0))); break;
    default: // whether values are numbers: finite ones are
        t.value = number(s, 1);
        t.inverted = LLVMGetFCmpPredicate(in) == LLVMRealUNO || LLVMGetFCmpPredicate(in) == LLVMRealPredicateFalse;
    }
    give_truth(s, in, t);
}

// Of ints, whose difference has the right sign as a float.
static void select_int_comparison(selector *s, LLVMValueRef in)
{
    truth t = {.inverted = false};
    switch (LLVMGetICmpPredicate(in)) {
    case LLVMIntSLT: t.inverted = true; __attribute__((fallthrough));
    case LLVMIntSGE: t.value = difference(s, in, 0); break;
    case LLVMIntSGT: t.inverted = true; __attribute__((fallthrough));
    case LLVMIntSLE: t.value = difference(s, in, 1); break;
    case LLVMIntNE: t.inverted = true; __attribute__((fallthrough));
    case LLVMIntEQ: t.value = negated(s, absolute(s, difference(s, in, 0))); break;
    default: fail(s, "a comparison of ints without sign, which the soft processor does not have");
    }
    give_truth(s, in, t);
}

// ---- Truths ----

static truth truth_of(selector *s, LLVMValueRef value)
{
    const meaning *m = meaning_of(s, value);
    if (m != NULL && m->count == 0)
        return m->truth;
    if (LLVMIsAConstantInt(value) != NULL)
        return (truth){number(s, 1), LLVMConstIntGetZExtValue(value) == 0};
    if (m != NULL || !LLVMIsConstant(value)) // undefined is as good as any
        fail(s, "a condition that is no comparison of floats");
    return (truth){number(s, 1), false};
}

// A value that is 0 or more where the truth holds.
static spc_operand upright(selector *s, truth t)
{
    return t.inverted ? operation(s, SPC_CMP, number(s, -1), number(s, 1), t.value) : t.value;
}

// A half reads one difference by presubtracting: the second of two is computed, 1 - 2 * v as a sum, which rounds it alike.
static spc_operand beside(selector *s, spc_operand first, spc_operand o)
{
    if (!first.presubtract || !o.presubtract)
        return o;
    spc_operand sum = operation(s, SPC_MAD, (spc_operand){.value = o.value}, number(s, -2), number(s, 1));
    sum.neg = o.neg;
    sum.abs = o.abs;
    return sum;
}

static truth both(selector *s, truth a, truth b)
{
    spc_operand none = {0};
    if (a.inverted && b.inverted)
        return (truth){operation(s, SPC_MAX, a.value, beside(s, a.value, b.value), none), true};
    spc_operand left = upright(s, a), right = upright(s, b);
    return (truth){operation(s, SPC_MIN, left, beside(s, left, right), none), false};
}

static truth opposite(truth t)
{
    return (truth){t.value, !t.inverted};
}

static truth either(selector *s, truth a, truth b)
{
    return opposite(both(s, opposite(a), opposite(b)));
}

static spc_operand chosen(selector *s, truth t, spc_operand yes, spc_operand no)
{
    return operation(s, SPC_CMP, t.inverted ? no : yes, t.inverted ? yes : no, t.value);
}

// Operations on truths.
static void select_logic(selector *s, LLVMValueRef in)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(in);
    truth a = truth_of(s, LLVMGetOperand(in, 0)), b = truth_of(s, LLVMGetOperand(in, 1));
    LLVMValueRef second = LLVMGetOperand(in, 1);
    bool known = LLVMIsAConstantInt(second) != NULL;
    if (opcode == LLVMSelect) {
        truth c = truth_of(s, LLVMGetOperand(in, 2));
        // a && b and a || c are selections.
        bool is_and = LLVMIsAConstantInt(LLVMGetOperand(in, 2)) != NULL && c.inverted, is_or = known && !b.inverted;
        give_truth(s, in,
                   is_and  ? both(s, a, b)
                   : is_or ? either(s, a, c)
                           : either(s, both(s, a, b), both(s, opposite(a), c)));
    } else if (opcode == LLVMXor && known) {
        give_truth(s, in, b.inverted ? a : opposite(a));
    } else if (opcode == LLVMXor) {
        give_truth(s, in, either(s, both(s, a, opposite(b)), both(s, opposite(a), b)));
    } else {
        give_truth(s, in, opcode == LLVMAnd ? both(s, a, b) : either(s, a, b));
    }
}

// MIN is a < b ? a : b, MAX a > b ? a : b: which of these `condition ? yes : no` is, or SPC_X.
static spc_op extreme(LLVMValueRef condition, LLVMValueRef yes, LLVMValueRef no)
{
    if (LLVMIsAFCmpInst(condition) == NULL)
        return SPC_X;
    LLVMValueRef a = LLVMGetOperand(condition, 0), b = LLVMGetOperand(condition, 1);
    LLVMRealPredicate p = LLVMGetFCmpPredicate(condition);
    if ((p != LLVMRealOLT && p != LLVMRealOGT) || !((a == yes && b == no) || (a == no && b == yes)))
        return SPC_X;
    return (p == LLVMRealOLT) == (a == yes) ? SPC_MIN : SPC_MAX;
}

static void select_selection(selector *s, LLVMValueRef in)
{
    LLVMValueRef condition = LLVMGetOperand(in, 0), yes = LLVMGetOperand(in, 1), no = LLVMGetOperand(in, 2);
    spc_op op = extreme(condition, yes, no);
    spc_operand a = scalar(s, yes), b = scalar(s, no);
    if (s->failed)
        return;
    if (op != SPC_X) {
        give(s, in, operation(s, op, a, b, (spc_operand){0}));
        return;
    }
    truth t = truth_of(s, condition);
    give(s, in, chosen(s, t, a, b));
}

// ---- Branches: both ways are computed, and what joins behind them is chosen ----

static uint32_t add_condition(selector *s, uint32_t base, truth t)
{
    VEC_PUSH(s->f->arena, &s->conditions, (path){base, t});
    return (uint32_t)s->conditions.len - 1;
}

static truth whole(selector *s, uint32_t number_of)
{
    path c = s->conditions.data[number_of];
    return c.base == 0 ? c.truth : both(s, whole(s, c.base), c.truth);
}

static bool complementary(const selector *s, uint32_t a, uint32_t b)
{
    const path *c = &s->conditions.data[a], *d = &s->conditions.data[b];
    return a != 0 && b != 0 && c->base == d->base && c->truth.inverted != d->truth.inverted &&
           c->truth.value.value == d->truth.value.value && c->truth.value.neg == d->truth.value.neg &&
           c->truth.value.abs == d->truth.value.abs;
}

// The condition of the edge from one block to another.
static uint32_t edge(selector *s, const block *from, LLVMBasicBlockRef to)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(from->block);
    if (LLVMGetNumSuccessors(end) < 2 || LLVMGetSuccessor(end, 0) == LLVMGetSuccessor(end, 1))
        return from->condition;
    truth t = truth_of(s, LLVMGetCondition(end));
    return add_condition(s, from->condition, LLVMGetSuccessor(end, 0) == to ? t : opposite(t));
}

// NULL: nothing leads there.
static const block *block_of(const selector *s, LLVMBasicBlockRef b)
{
    for (VEC_EACH(block, found, &s->blocks))
        if (found->block == b)
            return found;
    return NULL;
}

// Whether no way from the first block to an end goes around a block.
static bool is_certain(const selector *s, size_t at)
{
    bool *around = ARENA_ARRAY(s->f->arena, bool, s->blocks.len + 1);
    around[0] = true;
    for (size_t i = 0; i < s->blocks.len && at != 0; i++) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(s->blocks.data[i].block);
        unsigned successors = LLVMGetNumSuccessors(end);
        if (i == at || !around[i])
            continue;
        if (successors == 0)
            return false;
        for (unsigned k = 0; k < successors; k++)
            around[block_of(s, LLVMGetSuccessor(end, k)) - s->blocks.data] = true;
    }
    return true;
}

// The condition under which a block is reached: its edges', where two that exclude each other are what they part from.
static uint32_t reach(selector *s, size_t at)
{
    VEC(uint32_t) edges = {0};
    if (is_certain(s, at))
        return 0;
    for (size_t i = 0; i < at; i++) {
        const block *from = &s->blocks.data[i];
        LLVMValueRef end = LLVMGetBasicBlockTerminator(from->block);
        bool leads = false;
        for (unsigned k = 0; k < LLVMGetNumSuccessors(end); k++)
            leads = leads || LLVMGetSuccessor(end, k) == s->blocks.data[at].block;
        if (leads)
            VEC_PUSH(s->f->arena, &edges, edge(s, from, s->blocks.data[at].block));
    }
    for (size_t i = 0; i < edges.len; i++)
        for (size_t k = i + 1; k < edges.len; k++) {
            uint32_t a = edges.data[i], b = edges.data[k];
            if (a != b && !complementary(s, a, b))
                continue;
            edges.data[i] = a == b ? a : s->conditions.data[a].base;
            edges.data[k] = VEC_LAST(&edges);
            edges.len--;
            i = SIZE_MAX; // from the beginning
            break;
        }
    while (edges.len > 1) {
        truth t = either(s, whole(s, edges.data[0]), whole(s, VEC_LAST(&edges)));
        edges.data[0] = add_condition(s, 0, t);
        edges.len--;
    }
    return edges.len == 0 ? 0 : edges.data[0];
}

// A truth that joins others.
static void select_joined_truth(selector *s, LLVMValueRef in)
{
    LLVMBasicBlockRef here = LLVMGetInstructionParent(in);
    truth result = {number(s, 1), false};
    bool any = false;
    for (unsigned i = 0; i < LLVMCountIncoming(in) && !s->failed; i++) {
        const block *from = block_of(s, LLVMGetIncomingBlock(in, i));
        if (from == NULL)
            continue;
        truth v = truth_of(s, LLVMGetIncomingValue(in, i));
        uint32_t e = edge(s, from, here);
        if (any) {
            truth way = whole(s, e);
            v = either(s, both(s, way, v), both(s, opposite(way), result));
        }
        result = v;
        any = true;
    }
    give_truth(s, in, result);
}

static void select_phi(selector *s, LLVMValueRef in)
{
    LLVMBasicBlockRef here = LLVMGetInstructionParent(in);
    unsigned count = LLVMCountIncoming(in);
    spc_operand result = number(s, 0);
    uint32_t first = SPC_NONE;
    for (unsigned i = 0; i < count && !s->failed; i++) {
        const block *from = block_of(s, LLVMGetIncomingBlock(in, i));
        if (from == NULL)
            continue;
        uint32_t e = edge(s, from, here);
        spc_operand v = scalar(s, LLVMGetIncomingValue(in, i));
        if (first != SPC_NONE)
            v = chosen(s, count == 2 && complementary(s, first, e) ? s->conditions.data[e].truth : whole(s, e), v,
                       result);
        else
            first = e;
        result = v;
    }
    give(s, in, result);
}

// Puts the blocks that can be reached into an order in which edges go forwards, where there are no loops: that in which a
// walk leaves them, backwards.
static void order_blocks(selector *s, LLVMValueRef function)
{
    size_t count = LLVMCountBasicBlocks(function);
    struct visit {
        LLVMBasicBlockRef block;
        unsigned next; // successor
    } *walk = ARENA_ARRAY(s->f->arena, struct visit, count + 1);
    LLVMBasicBlockRef *seen = ARENA_ARRAY(s->f->arena, LLVMBasicBlockRef, count);
    size_t depth = 1, seen_count = 1;
    VEC(block) left = {0};
    walk[0].block = seen[0] = LLVMGetEntryBasicBlock(function);
    while (depth > 0) {
        struct visit *top = &walk[depth - 1];
        LLVMValueRef end = LLVMGetBasicBlockTerminator(top->block);
        if (top->next == LLVMGetNumSuccessors(end)) {
            VEC_PUSH(s->f->arena, &left, (block){.block = top->block});
            depth--;
            continue;
        }
        LLVMBasicBlockRef to = LLVMGetSuccessor(end, top->next++);
        size_t i = 0;
        while (i < seen_count && seen[i] != to)
            i++;
        if (i < seen_count)
            continue;
        seen[seen_count++] = to;
        walk[depth++] = (struct visit){to, 0};
    }
    for (size_t i = left.len; i > 0; i--)
        VEC_PUSH(s->f->arena, &s->blocks, left.data[i - 1]);
}

static void check_branches(selector *s)
{
    for (size_t i = 0; i < s->blocks.len && !s->failed; i++) {
        LLVMValueRef end = s->at = LLVMGetBasicBlockTerminator(s->blocks.data[i].block);
        for (unsigned k = 0; k < LLVMGetNumSuccessors(end) && !s->failed; k++)
            if (block_of(s, LLVMGetSuccessor(end, k)) <= &s->blocks.data[i])
                fail(s,
                     "a loop that is not unrolled; it needs constant trips, and '#pragma unroll' where they are many");
        if (LLVMGetNumSuccessors(end) > 2)
            fail(s, "a switch; conditions are comparisons of floats");
    }
}

// ---- Calls and vectors ----

static void select_lookup(selector *s, LLVMValueRef in)
{
    LLVMValueRef input = LLVMGetOperand(in, 0);
    if (s->now != 0) {
        fail(s, "a lookup under a condition; look up in any case, and select");
        return;
    }
    unsigned long long n = LLVMIsAConstantInt(input) != NULL ? LLVMConstIntGetZExtValue(input) : SP_MAX_INPUTS;
    if (n >= SP_MAX_INPUTS) {
        fail(s, "the input of a lookup must be a constant from 0 to %d", SP_MAX_INPUTS - 1);
        return;
    }
    spc_lookup l = {(unsigned)n, {scalar(s, LLVMGetOperand(in, 1)), scalar(s, LLVMGetOperand(in, 2))}, {0}, SPC_NONE};
    meaning m = {.of = in, .count = 4};
    for (unsigned i = 0; i < 4; i++) {
        l.value[i] = spc_add_value(
            s->f, (spc_value){.op = SPC_LOOKED_UP, .lookup = (uint32_t)s->f->lookups.len, .component = (uint8_t)i});
        m.element[i] = (spc_operand){.value = l.value[i]};
    }
    VEC_PUSH(s->f->arena, &s->f->lookups, l);
    VEC_PUSH(s->f->arena, &s->meanings, m);
}

static bool is_own(selector *s, LLVMValueRef coordinate, spc_op op)
{
    return is_coordinate(s, scalar(s, coordinate), op);
}

// Outputs are values that nothing else is: what is no result of arithmetic, or goes out twice, is copied.
static void select_output(selector *s, LLVMValueRef in, unsigned last)
{
    LLVMValueRef output = LLVMGetOperand(in, 0);
    unsigned long long n = LLVMIsAConstantInt(output) != NULL ? LLVMConstIntGetZExtValue(output) : SP_MAX_OUTPUTS;
    spc_operand v[4];
    if (s->now != 0) {
        fail(s, "an output under a condition; select what goes out instead");
        return;
    }
    if (n >= SP_MAX_OUTPUTS) {
        fail(s, "the output must be a constant from 0 to %d", SP_MAX_OUTPUTS - 1);
        return;
    }
    if (last == 3 && !(is_own(s, LLVMGetOperand(in, 1), SPC_X) && is_own(s, LLVMGetOperand(in, 2), SPC_Y))) {
        fail(s, "an output elsewhere; a thread writes at its own x and y");
        return;
    }
    vector(s, LLVMGetOperand(in, last), v);
    for (unsigned i = 0; i < 4 && !s->failed; i++) {
        spc_value *of = &s->f->values.data[v[i].value];
        bool copy = v[i].neg || v[i].abs || !spc_is_arithmetic(of->op) || of->output != SPC_NO_OUTPUT ||
                    (spc_is_special(of->op) && i < 3);
        uint32_t old = s->f->output[n][i];
        if (copy)
            v[i] = operation(s, SPC_COPY, v[i], (spc_operand){0}, (spc_operand){0});
        if (old != SPC_NONE)
            s->f->values.data[old].output = SPC_NO_OUTPUT;
        s->f->output[n][i] = v[i].value;
        s->f->values.data[v[i].value].output = (uint8_t)n;
    }
}

// The special unit's operations, by LLVM's and C's names; SPC_X: none.
static spc_op special_operation(const char *name)
{
    static const struct {
        const char *name;
        spc_op op;
    } names[] = {{"llvm.exp2.f32", SPC_EX2}, {"exp2f", SPC_EX2},         {"llvm.log2.f32", SPC_LN2},
                 {"log2f", SPC_LN2},         {"llvm.sqrt.f32", SPC_RSQ}, {"sqrtf", SPC_RSQ}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i].name) == 0)
            return names[i].op;
    return SPC_X;
}

static spc_operand special(selector *s, spc_op op, spc_operand a)
{
    spc_operand none = {0};
    if (!s->f->inexact)
        fail(s, "a division, root, power or logarithm, which the soft processor does not round as C does; "
                "--fp=target allows it");
    return operation(s, op, a, none, none);
}

static void select_quotient(selector *s, LLVMValueRef in)
{
    spc_operand a = scalar(s, LLVMGetOperand(in, 0)), r = special(s, SPC_RCP, scalar(s, LLVMGetOperand(in, 1)));
    const spc_value *v = &s->f->values.data[a.value];
    bool one = v->op == SPC_NUMBER && as_float(v->bits) == 1;
    give(s, in, one ? r : operation(s, SPC_MAD, r, a, number(s, -0.0f)));
}

static void select_call(selector *s, LLVMValueRef in)
{
    size_t length;
    LLVMValueRef callee = LLVMGetCalledValue(in);
    const char *name = LLVMIsAFunction(callee) != NULL ? LLVMGetValueName2(callee, &length) : "";
    spc_operand none = {0};
    spc_op op = special_operation(name);
    if (op != SPC_X) {
        spc_operand v = special(s, op, scalar(s, LLVMGetOperand(in, 0)));
        give(s, in, op == SPC_RSQ ? special(s, SPC_RCP, v) : v);
    } else if (strcmp(name, "svm_spLookup") == 0) {
        select_lookup(s, in);
    } else if (strcmp(name, "svm_spOutput") == 0) {
        select_output(s, in, 1);
    } else if (strcmp(name, "svm_spOutputAt") == 0) {
        select_output(s, in, 3);
    } else if (strcmp(name, "svm_spWhole") == 0 || strcmp(name, "svm_spNumber") == 0) {
        give(s, in, scalar(s, LLVMGetOperand(in, 0)));
    } else if (strcmp(name, "llvm.smin.i32") == 0 || strcmp(name, "llvm.smax.i32") == 0) {
        spc_operand a = scalar(s, LLVMGetOperand(in, 0)), b = scalar(s, LLVMGetOperand(in, 1));
        give(s, in, operation(s, name[7] == 'i' ? SPC_MIN : SPC_MAX, a, b, none));
    } else if (strcmp(name, "llvm.fabs.f32") == 0) {
        give(s, in, absolute(s, scalar(s, LLVMGetOperand(in, 0))));
    } else if (strcmp(name, "llvm.floor.f32") == 0) {
        spc_operand a = scalar(s, LLVMGetOperand(in, 0)), fraction = operation(s, SPC_FRC, a, none, none);
        give(s, in, operation(s, SPC_MAD, a, number(s, 1), negated(s, fraction)));
    } else if (strcmp(name, "llvm.copysign.f32") == 0 && is_zero(s, scalar(s, LLVMGetOperand(in, 0)))) {
        // LLVM makes this of products with 0. A zero with the sign of a value is that product.
        give(s, in, operation(s, SPC_MAD, scalar(s, LLVMGetOperand(in, 1)), number(s, 0), number(s, -0.0f)));
    } else if (strcmp(name, "llvm.fmuladd.f32") == 0) {
        spc_operand a = scalar(s, LLVMGetOperand(in, 0)), b = scalar(s, LLVMGetOperand(in, 1));
        give(s, in, operation(s, SPC_MAD, a, b, scalar(s, LLVMGetOperand(in, 2))));
    } else if (strncmp(name, "llvm.lifetime", 13) != 0 && strncmp(name, "llvm.dbg", 8) != 0 &&
               strncmp(name, "llvm.assume", 11) != 0) {
        fail(s,
             "a call of '%.60s'; a thread function calls svm_lookup and svm_output, and of mathematics floorf, "
             "fabsf, sqrtf, "
             "exp2f and log2f",
             name);
    }
}

static unsigned element_number(selector *s, LLVMValueRef index)
{
    unsigned long long n = LLVMIsAConstantInt(index) != NULL ? LLVMConstIntGetZExtValue(index) : 4;
    if (n >= 4)
        fail(s, "a vector's element is chosen by a number that is not known");
    return (unsigned)n & 3;
}

static void select_insertion(selector *s, LLVMValueRef in)
{
    meaning m = {.of = in, .count = 4};
    vector(s, LLVMGetOperand(in, 0), m.element);
    m.element[element_number(s, LLVMGetOperand(in, 2))] = scalar(s, LLVMGetOperand(in, 1));
    VEC_PUSH(s->f->arena, &s->meanings, m);
}

static void select_shuffle(selector *s, LLVMValueRef in)
{
    spc_operand from[8];
    meaning m = {.of = in, .count = 4};
    vector(s, LLVMGetOperand(in, 0), from);
    vector(s, LLVMGetOperand(in, 1), from + 4);
    if (LLVMGetNumMaskElements(in) != 4) {
        fail(s, "expected a vector of four floats");
        return;
    }
    for (unsigned i = 0; i < 4; i++) {
        int at = LLVMGetMaskValue(in, i);
        m.element[i] = at < 0 ? number(s, 0) : from[at & 7];
    }
    VEC_PUSH(s->f->arena, &s->meanings, m);
}

// A value as it is.
static void select_freeze(selector *s, LLVMValueRef in)
{
    const meaning *m = meaning_of(s, LLVMGetOperand(in, 0));
    if (m == NULL) {
        give(s, in, scalar(s, LLVMGetOperand(in, 0)));
        return;
    }
    meaning same = *m;
    same.of = in;
    VEC_PUSH(s->f->arena, &s->meanings, same);
}

static void select_instruction(selector *s, LLVMValueRef in)
{
    spc_operand v[4];
    bool is_truth = LLVMGetTypeKind(LLVMTypeOf(in)) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(LLVMTypeOf(in)) == 1;
    switch (LLVMGetInstructionOpcode(in)) {
    case LLVMFAdd: select_sum(s, in, false); break;
    case LLVMFSub: select_sum(s, in, true); break;
    case LLVMFMul: select_product(s, in); break;
    case LLVMFNeg: give(s, in, negated(s, scalar(s, LLVMGetOperand(in, 0)))); break;
    case LLVMFCmp: select_comparison(s, in); break;
    case LLVMICmp: select_int_comparison(s, in); break;
    case LLVMSIToFP: give(s, in, scalar(s, LLVMGetOperand(in, 0))); break;
    case LLVMSelect: is_truth ? select_logic(s, in) : select_selection(s, in); break;
    case LLVMPHI: is_truth ? select_joined_truth(s, in) : select_phi(s, in); break;
    case LLVMFreeze: select_freeze(s, in); break;
    case LLVMCall: select_call(s, in); break;
    case LLVMInsertElement: select_insertion(s, in); break;
    case LLVMShuffleVector: select_shuffle(s, in); break;
    case LLVMExtractElement:
        vector(s, LLVMGetOperand(in, 0), v);
        give(s, in, v[element_number(s, LLVMGetOperand(in, 1))]);
        break;
    case LLVMRet: break;
    case LLVMBr: break;
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
        if (is_truth)
            select_logic(s, in);
        else
            fail(s, "an integer operation, which the soft processor does not have");
        break;
    case LLVMFDiv: select_quotient(s, in); break;
    case LLVMLoad:
    case LLVMStore:
    case LLVMGetElementPtr:
    case LLVMAlloca:
        fail(s, "memory; a thread has lookups, outputs and local arrays with subscripts that become constant");
        break;
    default: fail(s, "an operation that the soft processor does not have (integers, or types other than float)");
    }
}

// ---- Functions ----

// Values and lookups that no output needs, such as products that joined sums: values become leaves, lookups go, and of what
// is looked up the components that nobody reads.
static void drop_unused(spc_function *f)
{
    bool *needed = ARENA_ARRAY(f->arena, bool, f->values.len);
    for (unsigned o = 0; o < SP_MAX_OUTPUTS; o++)
        for (unsigned c = 0; c < 4; c++)
            if (f->output[o][c] != SPC_NONE)
                needed[f->output[o][c]] = true;
    for (size_t i = f->values.len; i > 0; i--) {
        spc_value *v = &f->values.data[i - 1];
        if (!needed[i - 1] && spc_is_arithmetic(v->op))
            *v = (spc_value){.op = SPC_NUMBER, .reg = SPC_NONE, .output = SPC_NO_OUTPUT, .first = SPC_NONE};
        for (unsigned k = 0; k < spc_operands(v->op); k++)
            needed[v->operand[k].value] = true;
        // Coordinates come before what is looked up.
        for (unsigned k = 0; k < 2 && v->op == SPC_LOOKED_UP && needed[i - 1]; k++)
            needed[f->lookups.data[v->lookup].at[k].value] = true;
    }
    size_t kept = 0;
    for (size_t i = 0; i < f->lookups.len; i++) {
        spc_lookup l = f->lookups.data[i];
        bool any = false;
        for (unsigned c = 0; c < 4; c++) {
            any = any || needed[l.value[c]];
            f->values.data[l.value[c]].lookup = (uint32_t)kept;
            if (!needed[l.value[c]])
                l.value[c] = SPC_NONE;
        }
        if (any)
            f->lookups.data[kept++] = l;
    }
    f->lookups.len = kept;
}

static bool select_parameters(selector *s, LLVMValueRef function)
{
    unsigned count = LLVMCountParams(function);
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef p = LLVMGetParam(function, i);
        if (!is_float(LLVMTypeOf(p))) {
            fail(s, "parameter %u is no float; a thread function takes x, y and scalars", i + 1);
            return false;
        }
        spc_value v = {.op = i == 0 ? SPC_X : i == 1 ? SPC_Y : SPC_SCALAR, .bits = i < 2 ? 0 : i - 2};
        give(s, p, (spc_operand){.value = spc_add_value(s->f, v)});
    }
    if (count < 2)
        fail(s, "a thread function takes at least its coordinates, float x and float y");
    s->f->scalars = count > 2 ? count - 2 : 0;
    return !s->failed;
}

bool spc_select(spc_function *f, LLVMValueRef function)
{
    selector s = {.f = f};
    memset(f->output, 0xff, sizeof f->output);
    if (!select_parameters(&s, function))
        return false;
    VEC_PUSH(f->arena, &s.conditions, (path){0, {number(&s, 1), false}});
    order_blocks(&s, function);
    check_branches(&s);
    for (size_t i = 0; i < s.blocks.len && !s.failed; i++) {
        s.now = s.blocks.data[i].condition = reach(&s, i);
        for (LLVMValueRef in = LLVMGetFirstInstruction(s.blocks.data[i].block); in != NULL && !s.failed;
             in = LLVMGetNextInstruction(in)) {
            s.at = in;
            select_instruction(&s, in);
        }
    }
    if (s.failed)
        return false;
    bool any = false;
    for (unsigned i = 0; i < SP_MAX_OUTPUTS * 4; i++)
        any = any || f->output[i / 4][i % 4] != SPC_NONE;
    if (!any)
        spc_error(f, NULL, "the thread function writes no output");
    drop_unused(f);
    return any;
}
