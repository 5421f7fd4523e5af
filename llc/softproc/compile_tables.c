// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads from constant tables. Subscripts that are constants are gone by now: LLVM has put the numbers there. One that is computed
// is the coordinate of a lookup in an input of its own, behind those of the function, which has an element for each number.
// Bounds of the subscript must say that it is within the table, whatever conditions there are around it.
#include <math.h>

#include "llc/softproc/select.h"

enum { WORD = 4 };

// Bytes; 0: of no type that tables have.
static uint64_t size_of(LLVMTypeRef t)
{
    enum { BYTE = 8 };
    switch (LLVMGetTypeKind(t)) {
    case LLVMFloatTypeKind: return WORD;
    case LLVMIntegerTypeKind: return LLVMGetIntTypeWidth(t) / BYTE;
    case LLVMArrayTypeKind: return LLVMGetArrayLength2(t) * size_of(LLVMGetElementType(t));
    default: return 0;
    }
}

static bool is_address(LLVMValueRef v)
{
    return LLVMIsAGetElementPtrInst(v) != NULL ||
           (LLVMIsAConstantExpr(v) != NULL && LLVMGetConstOpcode(v) == LLVMGetElementPtr);
}

LLVMValueRef spc_table_of(LLVMValueRef load)
{
    LLVMValueRef v = LLVMGetOperand(load, 0);
    while (is_address(v))
        v = LLVMGetOperand(v, 0);
    if (LLVMIsAGlobalVariable(v) == NULL || !LLVMIsGlobalConstant(v) || LLVMGetInitializer(v) == NULL)
        return NULL;
    LLVMTypeRef t = LLVMGlobalGetValueType(v);
    while (LLVMGetTypeKind(t) == LLVMArrayTypeKind)
        t = LLVMGetElementType(t);
    return t == LLVMTypeOf(load) && size_of(t) == WORD ? v : NULL;
}

static void add_numbers(LLVMValueRef v, spc_range *r)
{
    LLVMTypeRef t = LLVMTypeOf(v);
    LLVMBool loses;
    bool array = LLVMGetTypeKind(t) == LLVMArrayTypeKind;
    uint64_t count = !array ? 0 : LLVMIsNull(v) ? 1 : LLVMGetArrayLength2(t);
    for (uint64_t i = 0; i < count; i++)
        add_numbers(LLVMGetAggregateElement(v, (unsigned)i), r);
    if (array)
        return;
    double one = LLVMIsAConstantInt(v) != NULL  ? (double)LLVMConstIntGetSExtValue(v)
                 : LLVMIsAConstantFP(v) != NULL ? LLVMConstRealGetDouble(v, &loses)
                                                : 0;
    r->lo = isnan(one) ? -INFINITY : fmin(r->lo, one);
    r->hi = isnan(one) ? INFINITY : fmax(r->hi, one);
}

spc_range spc_range_of_table(LLVMValueRef table)
{
    spc_range r = {INFINITY, -INFINITY};
    add_numbers(LLVMGetInitializer(table), &r);
    return r;
}

// ---- Addresses ----

// The number of an element: a sum of ints, each so many times, and a constant.
typedef struct subscript {
    VEC(LLVMValueRef) index;
    VEC(double) times;
    double constant;
    spc_range range;
} subscript;

static bool add_index(selector *s, subscript *to, LLVMValueRef index, uint64_t bytes)
{
    if (bytes == 0 || bytes % WORD != 0)
        return false;
    double times = (double)(bytes / WORD);
    spc_range r = spc_range_of(&s->ranges, index);
    to->range.lo += times * r.lo;
    to->range.hi += times * r.hi;
    VEC_PUSH(s->f->arena, &to->index, index);
    VEC_PUSH(s->f->arena, &to->times, times);
    return times * fmax(fabs(r.lo), fabs(r.hi)) <= SPC_MOST_WHOLE;
}

// An address's bytes, where it counts bytes, are not looked at but for constants.
static bool find_subscript(selector *s, LLVMValueRef address, subscript *to)
{
    for (; is_address(address); address = LLVMGetOperand(address, 0)) {
        LLVMTypeRef t = LLVMGetGEPSourceElementType(address);
        for (unsigned i = 1; i < (unsigned)LLVMGetNumOperands(address); i++) {
            LLVMValueRef index = LLVMGetOperand(address, i);
            bool constant = LLVMIsAConstantInt(index) != NULL;
            if (i > 1 && LLVMGetTypeKind(t) != LLVMArrayTypeKind)
                return false;
            t = i > 1 ? LLVMGetElementType(t) : t;
            long long bytes = constant ? LLVMConstIntGetSExtValue(index) * (long long)size_of(t) : 0;
            if (constant && bytes % WORD == 0) {
                to->constant += (double)(bytes / WORD);
                to->range.lo += (double)(bytes / WORD);
                to->range.hi += (double)(bytes / WORD);
            } else if (constant || !add_index(s, to, index, size_of(t))) {
                return false;
            }
        }
    }
    return true;
}

static unsigned number_of(spc_function *f, LLVMValueRef table)
{
    LLVMValueRef numbers = LLVMGetInitializer(table);
    for (unsigned i = 0; i < f->tables.len; i++)
        if (f->tables.data[i].numbers == numbers)
            return i;
    LLVMTypeRef t = LLVMTypeOf(numbers);
    spc_table one = {.numbers = numbers, .elements = size_of(t) / WORD};
    while (LLVMGetTypeKind(t) == LLVMArrayTypeKind)
        t = LLVMGetElementType(t);
    one.ints = LLVMGetTypeKind(t) == LLVMIntegerTypeKind;
    VEC_PUSH(f->arena, &f->tables, one);
    return (unsigned)f->tables.len - 1;
}

static bool is_conversion(LLVMValueRef in)
{
    return LLVMGetInstructionOpcode(in) == LLVMFPToSI || LLVMGetInstructionOpcode(in) == LLVMFPToUI;
}

// What is no number has no place: it is 0 as an int. MIN and MAX by a number are numbers.
static bool may_be_none(const selector *s, LLVMValueRef in, spc_operand at)
{
    const spc_value *v = &s->f->values.data[at.value];
    if (v->op == SPC_NUMBER || ((v->op == SPC_MIN || v->op == SPC_MAX) && sel_is_number(s, v->operand[1])))
        return false;
    LLVMValueRef f = LLVMGetBasicBlockParent(LLVMGetInstructionParent(in));
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b != NULL; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i != NULL; i = LLVMGetNextInstruction(i))
            if (is_conversion(i))
                return true;
    return false;
}

// Coordinates are cut to whole numbers: of what is not below 0 it is the same int.
static LLVMValueRef before_cut(selector *s, LLVMValueRef index)
{
    LLVMValueRef v = index;
    while (LLVMIsASExtInst(v) != NULL || LLVMIsAZExtInst(v) != NULL)
        v = LLVMGetOperand(v, 0);
    if (LLVMIsAInstruction(v) == NULL || !is_conversion(v))
        return index;
    v = LLVMGetOperand(v, 0);
    return spc_range_of(&s->ranges, v).lo >= 0 ? v : index;
}

static spc_operand coordinate(selector *s, LLVMValueRef in, const subscript *at)
{
    spc_operand sum = sel_number(s, (float)at->constant);
    for (size_t i = 0; i < at->index.len; i++) {
        bool alone = i == 0 && at->constant == 0 && at->times.data[i] == 1;
        bool all = alone && at->index.len == 1;
        spc_operand one = sel_scalar(s, all ? before_cut(s, at->index.data[i]) : at->index.data[i]);
        sum = alone ? one : sel_operation(s, SPC_MAD, one, sel_number(s, (float)at->times.data[i]), sum);
    }
    return may_be_none(s, in, sum) ? sel_operation(s, SPC_MAX, sum, sel_number(s, 0), (spc_operand){0}) : sum;
}

bool sel_table(selector *s, LLVMValueRef in)
{
    LLVMValueRef table = spc_table_of(in);
    subscript at = {.constant = 0};
    if (table == NULL || !find_subscript(s, LLVMGetOperand(in, 0), &at))
        return false;
    double elements = (double)(size_of(LLVMGlobalGetValueType(table)) / WORD);
    if (!(at.range.lo >= 0 && at.range.hi < elements)) {
        sel_fail(s,
                 "a subscript that may be from %.0f to %.0f, in a table of %.0f elements; bound it, by a mask or by "
                 "minimum and maximum",
                 at.range.lo, at.range.hi, elements);
        return true;
    }
    if (elements > SPC_MOST_TABLE ||
        (LLVMGetTypeKind(LLVMTypeOf(in)) == LLVMIntegerTypeKind && !sel_check_int(s, in))) {
        sel_fail(s, "a table of %.0f elements; the soft processor looks up one of %d", elements, SPC_MOST_TABLE);
        return true;
    }
    unsigned input = s->f->inputs + number_of(s->f, table);
    if (input >= SP_MAX_INPUTS) {
        sel_fail(s, "more than %d inputs and tables with computed subscripts", SP_MAX_INPUTS);
        return true;
    }
    sel_give(s, in, sel_lookup(s, input, coordinate(s, in, &at), sel_number(s, 0)).element[0]);
    return true;
}
