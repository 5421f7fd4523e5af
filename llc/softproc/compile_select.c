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

#include <llvm-c/DebugInfo.h>

#include "llc/softproc/select.h"

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
    v.first = v.into = v.writer = SPC_NONE;
    v.region = f->region;
    v.place = f->place;
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

static bool is_header(const char *file, unsigned length)
{
    return length > 2 && memcmp(file + length - 2, ".h", 2) == 0;
}

// The line that an instruction comes from. Of what a function of a header does it is the line with the call.
static bool find_line(LLVMMetadataRef at, const char **file, unsigned *length, unsigned *line)
{
    bool any = false;
    for (; at != NULL; at = LLVMDILocationGetInlinedAt(at)) {
        LLVMMetadataRef scope = LLVMDILocationGetScope(at), in = scope == NULL ? NULL : LLVMDIScopeGetFile(scope);
        unsigned l = LLVMDILocationGetLine(at), n = 0;
        const char *name = in == NULL ? NULL : LLVMDIFileGetFilename(in, &n);
        if (l == 0 || n == 0 || (any && is_header(name, n)))
            continue;
        *file = name;
        *length = n;
        *line = l;
        any = true;
        if (!is_header(name, n))
            break;
    }
    return any;
}

void sel_at(selector *s, LLVMValueRef in)
{
    LLVMMetadataRef at = LLVMInstructionGetDebugLoc(in);
    const char *file = NULL;
    unsigned length = 0, line = 0;
    s->at = in;
    if (at == NULL || !find_line(at, &file, &length, &line))
        return; // what comes without a line belongs to what is around it
    for (unsigned i = length; i > 0; i--)
        if (file[i - 1] == '/') {
            file += i;
            length -= i;
            break;
        }
    const char *name = arena_printf(s->f->arena, "%.*s", (int)length, file);
    for (uint32_t i = 0; i < s->f->places.len; i++)
        if (s->f->places.data[i].line == line && strcmp(s->f->places.data[i].file, name) == 0) {
            s->f->place = i;
            return;
        }
    s->f->place = (uint32_t)s->f->places.len;
    VEC_PUSH(s->f->arena, &s->f->places, (spc_place){name, line});
}

void sel_fail(selector *s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (!s->failed)
        spc_error(s->f, place(s), "%s", arena_vprintf(s->f->arena, format, args));
    va_end(args);
    s->failed = true;
}

// ---- Values ----

spc_operand sel_number(selector *s, float value)
{
    spc_value v = {.op = SPC_NUMBER};
    memcpy(&v.bits, &value, sizeof v.bits);
    uintptr_t known = (uintptr_t)hmap_getn(&s->numbers, &v.bits, sizeof v.bits);
    if (known != 0)
        return (spc_operand){.value = (uint32_t)known - 1};
    uint32_t at = spc_add_value(s->f, v);
    hmap_setn(&s->numbers, &v.bits, sizeof v.bits, (void *)(uintptr_t)(at + 1));
    return (spc_operand){.value = at};
}

static float as_float(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

spc_operand sel_operation(selector *s, spc_op op, spc_operand a, spc_operand b, spc_operand c)
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
        return sel_number(s, -as_float(v->bits));
    o.neg = !o.neg;
    return o;
}

static spc_operand absolute(selector *s, spc_operand o)
{
    const spc_value *v = &s->f->values.data[o.value];
    if (v->op == SPC_NUMBER)
        return sel_number(s, fabsf(as_float(v->bits)));
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

bool sel_is_number(const selector *s, spc_operand o)
{
    return s->f->values.data[o.value].op == SPC_NUMBER || s->f->values.data[o.value].op == SPC_SCALAR;
}

// ---- Meanings ----

const meaning *sel_meaning(const selector *s, LLVMValueRef value)
{
    uintptr_t at = (uintptr_t)hmap_getn(&s->by_value, &value, sizeof value);
    return at == 0 ? NULL : &s->meanings.data[at - 1];
}

static void give_meaning(selector *s, LLVMValueRef value, meaning m)
{
    VEC_PUSH(s->f->arena, &s->meanings, m);
    hmap_setn(&s->by_value, &value, sizeof value, (void *)(uintptr_t)s->meanings.len);
}

static bool is_float(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMFloatTypeKind;
}

static spc_operand constant(selector *s, LLVMValueRef value)
{
    LLVMBool loses;
    if (LLVMIsAConstantFP(value) != NULL)
        return sel_number(s, (float)LLVMConstRealGetDouble(value, &loses));
    return sel_number(s, 0); // undefined, or zeros
}

spc_operand sel_scalar(selector *s, LLVMValueRef value)
{
    if (LLVMIsConstant(value) && is_float(LLVMTypeOf(value)))
        return constant(s, value);
    if (LLVMIsAConstantInt(value) != NULL && LLVMGetIntTypeWidth(LLVMTypeOf(value)) <= 64) {
        long long n = LLVMConstIntGetSExtValue(value);
        if (llabs(n) > SPC_MOST_WHOLE)
            sel_fail(s, "the int %lld; the soft processor has ints within 2^24 of 0", n);
        return sel_number(s, (float)n);
    }
    if (LLVMIsUndef(value))
        return sel_number(s, 0);
    const meaning *m = sel_meaning(s, value);
    if (m != NULL && m->count == 1)
        return m->element[0];
    sel_fail(s, "a value of a type that the soft processor does not have; it has float");
    return sel_number(s, 0);
}

// The number of elements of a vector, which LLVM may make of what were none; 0: the machine's registers do not have it.
static unsigned size_of_vector(selector *s, LLVMTypeRef type)
{
    bool is_vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
    unsigned size = is_vector ? LLVMGetVectorSize(type) : 0;
    LLVMTypeRef element = is_vector ? LLVMGetElementType(type) : type;
    bool fits =
        is_float(element) || (LLVMGetTypeKind(element) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(element) > 1);
    if (size == 0 || size > SEL_MOST_ELEMENTS || !fits) {
        sel_fail(s, "expected a vector of four floats");
        return 0;
    }
    return size;
}

// The elements of a vector; how many.
static unsigned vector(selector *s, LLVMValueRef value, spc_operand out[SEL_MOST_ELEMENTS])
{
    const meaning *m = sel_meaning(s, value);
    unsigned size = size_of_vector(s, LLVMTypeOf(value));
    for (unsigned i = 0; i < size; i++) {
        if (m != NULL && m->count == size)
            out[i] = m->element[i];
        else if (m == NULL && LLVMIsConstant(value))
            out[i] = sel_scalar(s, LLVMGetAggregateElement(value, i));
        else
            sel_fail(s, "expected a vector of four floats");
        if (s->failed)
            out[i] = sel_number(s, 0);
    }
    return size;
}

void sel_give_truth(selector *s, LLVMValueRef value, truth t)
{
    give_meaning(s, value, (meaning){.truth = t});
}

void sel_give(selector *s, LLVMValueRef value, spc_operand o)
{
    give_meaning(s, value, (meaning){.element = {o}, .count = 1});
}

// ---- Arithmetic ----

// Whether a value is a product, which a sum computes itself. Others that read it compute it again: that costs nothing.
// What a product reads may be a variable that has been written since, where the sum is behind a step.
static bool is_product(const selector *s, LLVMValueRef value, spc_operand o)
{
    const spc_value *v = &s->f->values.data[o.value];
    LLVMOpcode opcode = LLVMIsAInstruction(value) != NULL ? LLVMGetInstructionOpcode(value) : LLVMRet;
    for (unsigned k = 0; k < 2 && v->op == SPC_MAD; k++)
        if (s->f->values.data[v->operand[k].value].op == SPC_VARIABLE && v->region != s->f->region)
            return false;
    bool product = opcode == LLVMFMul || opcode == LLVMMul || opcode == LLVMShl;
    return v->op == SPC_MAD && v->omod == 0 && product && !o.abs;
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
    return sel_operation(s, SPC_MAD, factor, other, term);
}

// a + b, or a - b. Of two products the later one is the sum's own, and of other two values the one that is there earlier is its
// factor: so sums of products look alike, whether a factor is 1 or not, and sums of the same two keep the same one.
static void select_sum(selector *s, LLVMValueRef in, bool subtract)
{
    LLVMValueRef left = LLVMGetOperand(in, 0), right = LLVMGetOperand(in, 1);
    if (sel_is_whole(in) && !sel_check_int(s, in))
        return;
    spc_operand a = sel_scalar(s, left), b = sel_scalar(s, right);
    bool a_product = is_product(s, left, a), b_product = is_product(s, right, b);
    if (subtract)
        b = negated(s, b);
    if (s->failed)
        return;
    // Coordinates are no -0: 0 more is nothing.
    if (is_zero(s, b) && (is_coordinate(s, a, SPC_X) || is_coordinate(s, a, SPC_Y))) {
        sel_give(s, in, a);
        return;
    }
    if (b_product || a_product) {
        bool own_b = b_product && (!a_product || b.value >= a.value);
        sel_give(s, in, own_b ? product_and_term(s, b, a) : product_and_term(s, a, b));
        return;
    }
    bool swap = sel_is_number(s, a) ||
                (!sel_is_number(s, b) && s->f->values.data[a.value].depth > s->f->values.data[b.value].depth);
    sel_give(s, in, sel_operation(s, SPC_MAD, swap ? b : a, sel_number(s, 1), swap ? a : b));
}

// Constants are second factors, so that like products look alike.
static void select_product(selector *s, LLVMValueRef in)
{
    spc_operand a = sel_scalar(s, LLVMGetOperand(in, 0)), b = sel_scalar(s, LLVMGetOperand(in, 1));
    bool swap = sel_is_number(s, a) && !sel_is_number(s, b);
    bool whole = sel_is_whole(in);
    if (!whole || sel_check_int(s, in))
        sel_give(s, in, sel_operation(s, SPC_MAD, swap ? b : a, swap ? a : b, sel_number(s, whole ? 0.0f : -0.0f)));
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
    spc_operand a = sel_scalar(s, larger), b = sel_scalar(s, smaller), by;
    if (presubtracted(s, smaller, b, a, &by))
        return by;
    if (presubtracted(s, larger, a, b, &by))
        return negated(s, by);
    if (is_zero(s, b))
        return a;
    if (is_zero(s, a))
        return negated(s, b);
    bool swap = sel_is_number(s, a);
    b = negated(s, b);
    return sel_operation(s, SPC_MAD, swap ? b : a, sel_number(s, 1), swap ? a : b);
}

// What bounds say of a condition: *holds.
static bool is_settled(selector *s, LLVMValueRef condition, bool *holds)
{
    spc_range r = spc_range_of(&s->ranges, condition);
    *holds = r.lo == 1;
    return r.lo == r.hi;
}

static void give_settled(selector *s, LLVMValueRef in, bool holds)
{
    sel_give_truth(s, in, (truth){sel_number(s, 1), !holds});
}

static void select_comparison(selector *s, LLVMValueRef in)
{
    truth t = {.inverted = false};
    bool holds;
    if (is_settled(s, in, &holds)) {
        give_settled(s, in, holds);
        return;
    }
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
        t.value = sel_number(s, 1);
        t.inverted = LLVMGetFCmpPredicate(in) == LLVMRealUNO || LLVMGetFCmpPredicate(in) == LLVMRealPredicateFalse;
    }
    sel_give_truth(s, in, t);
}

// Of ints, whose difference has the right sign as a float. Without signs, one that may be negative is then larger than one that is not.
static void select_int_comparison(selector *s, LLVMValueRef in)
{
    LLVMIntPredicate p = LLVMGetICmpPredicate(in);
    LLVMValueRef a = LLVMGetOperand(in, 0), b = LLVMGetOperand(in, 1);
    truth t = {.inverted = false};
    bool without = p >= LLVMIntUGT && p <= LLVMIntULE, below = p == LLVMIntULT || p == LLVMIntULE;
    bool negative = without && spc_range_of(&s->ranges, a).lo < 0, holds;
    spc_range other = spc_range_of(&s->ranges, b);
    if (is_settled(s, in, &holds)) {
        give_settled(s, in, holds);
        return;
    }
    if (!sel_is_whole(a)) {
        sel_fail(s, "a comparison of what the soft processor does not have; it has floats and ints");
        return;
    }
    if (without && other.lo < 0 && other.hi >= 0) {
        sel_fail(s, "a comparison of ints without sign, of which one may be beyond 2^24");
        return;
    }
    switch (p) {
    case LLVMIntULT:
    case LLVMIntSLT: t.inverted = true; __attribute__((fallthrough));
    case LLVMIntUGE:
    case LLVMIntSGE: t.value = difference(s, in, 0); break;
    case LLVMIntUGT:
    case LLVMIntSGT: t.inverted = true; __attribute__((fallthrough));
    case LLVMIntULE:
    case LLVMIntSLE: t.value = difference(s, in, 1); break;
    case LLVMIntNE: t.inverted = true; __attribute__((fallthrough));
    default: t.value = negated(s, absolute(s, difference(s, in, 0)));
    }
    truth positive = {sel_scalar(s, a), false};
    if (without && other.hi < 0) {
        // Without sign b is beyond all that are not negative.
        truth beyond = sel_opposite(below ? t : sel_opposite(t));
        t = sel_both(s, sel_opposite(positive), beyond);
        t = below ? sel_opposite(t) : t;
    } else if (negative) {
        // a is at most b only if it is not negative.
        t = below ? sel_both(s, positive, t) : sel_opposite(sel_both(s, positive, sel_opposite(t)));
    }
    sel_give_truth(s, in, t);
}

// ---- Selections ----

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
    bool first;
    if (is_settled(s, condition, &first)) {
        sel_give(s, in, sel_scalar(s, first ? yes : no));
        return;
    }
    spc_operand a = sel_scalar(s, yes), b = sel_scalar(s, no);
    if (s->failed)
        return;
    if (op != SPC_X) {
        sel_give(s, in, sel_operation(s, op, a, b, (spc_operand){0}));
        return;
    }
    truth t = sel_truth(s, condition);
    sel_give(s, in, sel_chosen(s, t, a, b));
}

// ---- Calls and vectors ----

meaning sel_lookup(selector *s, unsigned input, spc_operand x, spc_operand y)
{
    spc_lookup l = {.input = input, .region = s->f->region, .place = s->f->place, .at = {x, y}, .reg = SPC_NONE};
    meaning m = {.count = 4};
    for (unsigned i = 0; i < 4; i++) {
        l.value[i] = spc_add_value(
            s->f, (spc_value){.op = SPC_LOOKED_UP, .lookup = (uint32_t)s->f->lookups.len, .component = (uint8_t)i});
        m.element[i] = (spc_operand){.value = l.value[i]};
    }
    VEC_PUSH(s->f->arena, &s->f->lookups, l);
    return m;
}

static void select_lookup(selector *s, LLVMValueRef in)
{
    LLVMValueRef input = LLVMGetOperand(in, 0);
    if (s->now != 0) {
        sel_fail(s, "a lookup under a condition; look up in any case, and select");
        return;
    }
    unsigned long long n = LLVMIsAConstantInt(input) != NULL ? LLVMConstIntGetZExtValue(input) : SP_MAX_INPUTS;
    if (n >= SP_MAX_INPUTS) {
        sel_fail(s, "the input of a lookup must be a constant from 0 to %d", SP_MAX_INPUTS - 1);
        return;
    }
    spc_operand x = sel_scalar(s, LLVMGetOperand(in, 1));
    give_meaning(s, in, sel_lookup(s, (unsigned)n, x, sel_scalar(s, LLVMGetOperand(in, 2))));
}

static bool is_own(selector *s, LLVMValueRef coordinate, spc_op op)
{
    return is_coordinate(s, sel_scalar(s, coordinate), op);
}

// Outputs are values that nothing else is: what is no result of arithmetic, or goes out twice, is copied.
static void select_output(selector *s, LLVMValueRef in, unsigned last)
{
    LLVMValueRef output = LLVMGetOperand(in, 0);
    unsigned long long n = LLVMIsAConstantInt(output) != NULL ? LLVMConstIntGetZExtValue(output) : SP_MAX_OUTPUTS;
    spc_operand v[SEL_MOST_ELEMENTS];
    if (s->now != 0 || s->loop != SPC_NONE || s->branches > 0) {
        sel_fail(s, "an output under a condition; select what goes out instead");
        return;
    }
    if (n >= SP_MAX_OUTPUTS) {
        sel_fail(s, "the output must be a constant from 0 to %d", SP_MAX_OUTPUTS - 1);
        return;
    }
    if (last == 3 && !(is_own(s, LLVMGetOperand(in, 1), SPC_X) && is_own(s, LLVMGetOperand(in, 2), SPC_Y))) {
        sel_fail(s, "an output elsewhere; a thread writes at its own x and y");
        return;
    }
    vector(s, LLVMGetOperand(in, last), v);
    for (unsigned i = 0; i < 4 && !s->failed; i++) {
        spc_value *of = &s->f->values.data[v[i].value];
        bool copy = v[i].neg || v[i].abs || !spc_is_arithmetic(of->op) || of->output != SPC_NO_OUTPUT ||
                    of->region != s->f->region || of->decides != SPC_NO_DECISION || (spc_is_special(of->op) && i < 3);
        uint32_t old = s->f->output[n][i];
        if (copy)
            v[i] = sel_operation(s, SPC_COPY, v[i], (spc_operand){0}, (spc_operand){0});
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
        sel_fail(s, "a division, root, power or logarithm, which the soft processor does not round as C does; "
                    "--fp=target allows it");
    return sel_operation(s, op, a, none, none);
}

static void select_quotient(selector *s, LLVMValueRef in)
{
    spc_operand a = sel_scalar(s, LLVMGetOperand(in, 0)), r = special(s, SPC_RCP, sel_scalar(s, LLVMGetOperand(in, 1)));
    const spc_value *v = &s->f->values.data[a.value];
    bool one = v->op == SPC_NUMBER && as_float(v->bits) == 1;
    sel_give(s, in, one ? r : sel_operation(s, SPC_MAD, r, a, sel_number(s, -0.0f)));
}

bool spc_is_fence(const char *name)
{
    return strcmp(name, "llvm.arithmetic.fence.f32") == 0;
}

static bool is_extreme(const char *name)
{
    return strncmp(name, "llvm.smin.", 10) == 0 || strncmp(name, "llvm.smax.", 10) == 0 ||
           strncmp(name, "llvm.umin.", 10) == 0 || strncmp(name, "llvm.umax.", 10) == 0;
}

#define MEMORY "memory; a thread has lookups, outputs and local arrays with subscripts that become constant"

static void select_call(selector *s, LLVMValueRef in)
{
    size_t length;
    LLVMValueRef callee = LLVMGetCalledValue(in);
    const char *name = LLVMIsAFunction(callee) != NULL ? LLVMGetValueName2(callee, &length) : "";
    spc_operand none = {0};
    spc_op op = special_operation(name);
    if (op != SPC_X) {
        spc_operand v = special(s, op, sel_scalar(s, LLVMGetOperand(in, 0)));
        sel_give(s, in, op == SPC_RSQ ? special(s, SPC_RCP, v) : v);
    } else if (strcmp(name, "svm_spLookup") == 0) {
        select_lookup(s, in);
    } else if (strcmp(name, "svm_spOutput") == 0) {
        select_output(s, in, 1);
    } else if (strcmp(name, "svm_spOutputAt") == 0) {
        select_output(s, in, 3);
    } else if (strcmp(name, "svm_spWhole") == 0 || strcmp(name, "svm_spNumber") == 0 || spc_is_fence(name)) {
        sel_give(s, in, sel_scalar(s, LLVMGetOperand(in, 0)));
    } else if (is_extreme(name) && sel_is_whole(in)) {
        spc_operand a = sel_scalar(s, LLVMGetOperand(in, 0)), b = sel_scalar(s, LLVMGetOperand(in, 1));
        for (unsigned k = 0; k < 2; k++)
            if (name[5] == 'u' && spc_range_of(&s->ranges, LLVMGetOperand(in, k)).lo < 0)
                sel_fail(s, "a minimum or maximum of ints without sign, of which one may be beyond 2^24");
        sel_give(s, in, sel_operation(s, name[7] == 'i' ? SPC_MIN : SPC_MAX, a, b, none));
    } else if (strncmp(name, "llvm.abs.", 9) == 0 && sel_is_whole(in)) {
        sel_give(s, in, absolute(s, sel_scalar(s, LLVMGetOperand(in, 0))));
    } else if (strcmp(name, "llvm.fabs.f32") == 0) {
        sel_give(s, in, absolute(s, sel_scalar(s, LLVMGetOperand(in, 0))));
    } else if (strcmp(name, "llvm.floor.f32") == 0) {
        spc_operand a = sel_scalar(s, LLVMGetOperand(in, 0)), fraction = sel_operation(s, SPC_FRC, a, none, none);
        sel_give(s, in, sel_operation(s, SPC_MAD, a, sel_number(s, 1), negated(s, fraction)));
    } else if (strcmp(name, "llvm.copysign.f32") == 0 && is_zero(s, sel_scalar(s, LLVMGetOperand(in, 0)))) {
        // LLVM makes this of products with 0. A zero with the sign of a value is that product.
        sel_give(
            s, in,
            sel_operation(s, SPC_MAD, sel_scalar(s, LLVMGetOperand(in, 1)), sel_number(s, 0), sel_number(s, -0.0f)));
    } else if (strcmp(name, "llvm.fmuladd.f32") == 0) {
        spc_operand a = sel_scalar(s, LLVMGetOperand(in, 0)), b = sel_scalar(s, LLVMGetOperand(in, 1));
        sel_give(s, in, sel_operation(s, SPC_MAD, a, b, sel_scalar(s, LLVMGetOperand(in, 2))));
    } else if (strncmp(name, "llvm.stack", 10) == 0 || strncmp(name, "llvm.mem", 8) == 0) {
        sel_fail(s, MEMORY);
    } else if (strncmp(name, "llvm.lifetime", 13) != 0 && strncmp(name, "llvm.dbg", 8) != 0 &&
               strncmp(name, "llvm.assume", 11) != 0) {
        sel_fail(s,
                 "a call of '%.60s'; a thread function calls svm_lookup and svm_output, and of mathematics floorf, "
                 "fabsf, sqrtf, "
                 "exp2f and log2f",
                 name);
    }
}

static unsigned element_number(selector *s, LLVMValueRef index, LLVMTypeRef type)
{
    unsigned size = size_of_vector(s, type);
    unsigned long long n = LLVMIsAConstantInt(index) != NULL ? LLVMConstIntGetZExtValue(index) : size;
    if (n >= size)
        sel_fail(s, "a vector's element is chosen by a number that is not known");
    return n >= size ? 0 : (unsigned)n;
}

static void select_insertion(selector *s, LLVMValueRef in)
{
    meaning m = {0};
    m.count = vector(s, LLVMGetOperand(in, 0), m.element);
    m.element[element_number(s, LLVMGetOperand(in, 2), LLVMTypeOf(in))] = sel_scalar(s, LLVMGetOperand(in, 1));
    give_meaning(s, in, m);
}

static void select_extraction(selector *s, LLVMValueRef in)
{
    spc_operand v[SEL_MOST_ELEMENTS] = {0};
    LLVMValueRef from = LLVMGetOperand(in, 0);
    vector(s, from, v);
    sel_give(s, in, v[element_number(s, LLVMGetOperand(in, 1), LLVMTypeOf(from))]);
}

static void select_shuffle(selector *s, LLVMValueRef in)
{
    spc_operand from[2 * SEL_MOST_ELEMENTS] = {0};
    meaning m = {.count = size_of_vector(s, LLVMTypeOf(in))};
    unsigned size = vector(s, LLVMGetOperand(in, 0), from);
    vector(s, LLVMGetOperand(in, 1), from + size);
    for (unsigned i = 0; i < m.count; i++) {
        int at = LLVMGetMaskValue(in, i);
        m.element[i] = at < 0 ? sel_number(s, 0) : from[at];
    }
    give_meaning(s, in, m);
}

// A value as it is.
static void select_freeze(selector *s, LLVMValueRef in)
{
    const meaning *m = sel_meaning(s, LLVMGetOperand(in, 0));
    if (m == NULL) {
        sel_give(s, in, sel_scalar(s, LLVMGetOperand(in, 0)));
        return;
    }
    give_meaning(s, in, *m);
}

void sel_instruction(selector *s, LLVMValueRef in)
{
    bool is_truth = LLVMGetTypeKind(LLVMTypeOf(in)) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(LLVMTypeOf(in)) == 1;
    switch (LLVMGetInstructionOpcode(in)) {
    case LLVMFAdd: select_sum(s, in, false); break;
    case LLVMFSub: select_sum(s, in, true); break;
    case LLVMFMul: select_product(s, in); break;
    case LLVMFNeg: sel_give(s, in, negated(s, sel_scalar(s, LLVMGetOperand(in, 0)))); break;
    case LLVMFCmp: select_comparison(s, in); break;
    case LLVMICmp: select_int_comparison(s, in); break;
    case LLVMSelect: is_truth ? sel_logic(s, in) : select_selection(s, in); break;
    case LLVMPHI: sel_phi(s, in); break;
    case LLVMFreeze: select_freeze(s, in); break;
    case LLVMCall: select_call(s, in); break;
    case LLVMInsertElement: select_insertion(s, in); break;
    case LLVMShuffleVector: select_shuffle(s, in); break;
    case LLVMExtractElement: select_extraction(s, in); break;
    case LLVMRet: break;
    case LLVMBr: break;
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
        if (is_truth)
            sel_logic(s, in);
        else if (LLVMGetInstructionOpcode(in) == LLVMOr && LLVMGetIsDisjoint(in))
            select_sum(s, in, false);
        else
            sel_int(s, in);
        break;
    case LLVMAdd: select_sum(s, in, false); break;
    case LLVMSub: select_sum(s, in, true); break;
    case LLVMMul: select_product(s, in); break;
    case LLVMSDiv:
    case LLVMUDiv:
    case LLVMSRem:
    case LLVMURem:
    case LLVMShl:
    case LLVMAShr:
    case LLVMLShr:
    case LLVMSExt:
    case LLVMZExt:
    case LLVMTrunc:
    case LLVMFPToSI:
    case LLVMFPToUI:
    case LLVMSIToFP:
    case LLVMUIToFP: sel_int(s, in); break;
    case LLVMFDiv: select_quotient(s, in); break;
    case LLVMAlloca:
    case LLVMGetElementPtr: break; // what loads or stores there is refused
    case LLVMLoad:
        if (sel_table(s, in))
            break;
        __attribute__((fallthrough));
    case LLVMStore: sel_fail(s, MEMORY); break;
    default: sel_fail(s, "an operation that the soft processor does not have (integers, or types other than float)");
    }
}

// ---- Functions ----

typedef VEC(uint32_t) numbers;

static void need(spc_function *f, bool *needed, numbers *work, uint32_t value)
{
    if (value == SPC_NONE || needed[value])
        return;
    needed[value] = true;
    VEC_PUSH(f->arena, work, value);
}

// Values that outputs and steps need. A variable needs what writes it.
static void find_needed(spc_function *f, bool *needed)
{
    numbers work = {0};
    for (unsigned o = 0; o < SP_MAX_OUTPUTS * 4; o++)
        need(f, needed, &work, f->output[o / 4][o % 4]);
    for (VEC_EACH(spc_step, step, &f->steps))
        if (step->flow == SPC_IF || step->flow == SPC_BRK)
            need(f, needed, &work, step->value);
    while (work.len > 0) {
        const spc_value *v = &f->values.data[work.data[--work.len]];
        for (unsigned k = 0; k < spc_operands(v->op); k++)
            need(f, needed, &work, v->operand[k].value);
        for (unsigned k = 0; k < 2 && v->op == SPC_LOOKED_UP; k++)
            need(f, needed, &work, f->lookups.data[v->lookup].at[k].value);
        for (uint32_t w = v->op == SPC_VARIABLE ? v->writer : SPC_NONE; w != SPC_NONE; w = f->values.data[w].writer)
            need(f, needed, &work, w);
    }
}

// Values and lookups that nothing needs, such as products that joined sums: values become leaves, lookups go, and of what
// is looked up the components that nobody reads.
static void drop_unused(spc_function *f)
{
    bool *needed = ARENA_ARRAY(f->arena, bool, f->values.len);
    find_needed(f, needed);
    for (size_t i = 0; i < f->values.len; i++) {
        spc_value *v = &f->values.data[i];
        if (!needed[i] && (spc_is_arithmetic(v->op) || v->op == SPC_VARIABLE))
            *v = (spc_value){.op = SPC_NUMBER,
                             .reg = SPC_NONE,
                             .into = SPC_NONE,
                             .writer = SPC_NONE,
                             .output = SPC_NO_OUTPUT,
                             .first = SPC_NONE};
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
            sel_fail(s, "parameter %u is no float; a thread function takes x, y and scalars", i + 1);
            return false;
        }
        spc_value v = {.op = i == 0 ? SPC_X : i == 1 ? SPC_Y : SPC_SCALAR, .bits = i < 2 ? 0 : i - 2};
        sel_give(s, p, (spc_operand){.value = spc_add_value(s->f, v)});
    }
    if (count < 2)
        sel_fail(s, "a thread function takes at least its coordinates, float x and float y");
    s->f->scalars = count > 2 ? count - 2 : 0;
    return !s->failed;
}

bool spc_select(spc_function *f, LLVMValueRef function)
{
    selector s = {.f = f};
    hmap_init(&s.by_value, f->arena);
    hmap_init(&s.numbers, f->arena);
    hmap_init(&s.quotients, f->arena);
    memset(f->output, 0xff, sizeof f->output);
    f->place = SPC_NONE;
    if (!select_parameters(&s, function))
        return false;
    sel_function(&s, function);
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
