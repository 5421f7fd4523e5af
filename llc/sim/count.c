// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What LLVM's instructions count as.
#include <string.h>

#include "llc/sim/sim.h"

typedef enum sim_kind {
#define KIND(id, single, wide) SIM_##id,
#include "llc/sim/kinds.def"
#undef KIND
} sim_kind;

static const struct {
    machine_operation single, wide;
} kinds[] = {
#define KIND(id, single, wide) [SIM_##id] = {MACHINE_OP_##single, MACHINE_OP_##wide},
#include "llc/sim/kinds.def"
#undef KIND
};

typedef struct kind_row {
    const char *name;
    sim_kind kind;
    bool on_float; // math functions
} kind_row;

static const struct {
    LLVMOpcode opcode;
    sim_kind kind;
} opcodes[] = {
#define OPCODE(opcode, kind) {LLVM##opcode, SIM_##kind},
#include "llc/sim/operations.def"
};
static const kind_row intrinsics[] = {
#define INTRINSIC(name, kind) {name, SIM_##kind, false},
#include "llc/sim/operations.def"
};
static const kind_row reductions[] = {
#define REDUCTION(name, kind) {name, SIM_##kind, false},
#include "llc/sim/operations.def"
};
static const kind_row math_functions[] = {
#define MATH(name, exactness, kind) {#name, SIM_##kind, false}, {#name "f", SIM_##kind, true},
#include "llc/contract/math_functions.def"
#undef MATH
};
#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

// ---- Widths ----

sim_width sim_width_of(const machine *m)
{
    const machine_processor *found = NULL;
    for (VEC_EACH(machine_processor, p, &m->processors))
        if (p->kind == MACHINE_processor_kind_KERNEL && found == NULL)
            found = p;
    sim_width w = {.simd_bytes = found == NULL || found->simd_width == 0 ? 1 : found->simd_width};
    w.vector_bytes = w.simd_bytes >= 64 ? 64 : w.simd_bytes >= 32 ? 32 : 16;
    return w;
}

static bool is_vector(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind;
}

static uint64_t bytes_of(const sim_counter *c, LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVoidTypeKind ? 0 : LLVMStoreSizeOfType(c->layout, type);
}

static uint64_t divide_up(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

// Of two types the one of more bytes, and a vector rather than anything else: the one that decides what an operation
// on both costs.
static LLVMTypeRef wider(const sim_counter *c, LLVMTypeRef a, LLVMTypeRef b)
{
    if (is_vector(a) != is_vector(b))
        return is_vector(a) ? a : b;
    return bytes_of(c, b) > bytes_of(c, a) ? b : a;
}

// An operation on a vector: no more than if each element were done by itself.
static void add_operations(const sim_counter *c, sim_tally *t, machine_operation op, LLVMTypeRef type, uint64_t times)
{
    if (!is_vector(type)) {
        t->count[op] += times;
        return;
    }
    uint64_t bytes = bytes_of(c, type), elements = LLVMGetVectorSize(type);
    if (bytes == c->width.vector_bytes && bytes < c->width.simd_bytes) {
        t->pooled[op] += bytes * times;
        return;
    }
    uint64_t operations = divide_up(bytes, c->width.simd_bytes);
    t->count[op] += times * (operations < elements ? operations : elements);
}

uint64_t sim_tally_total(const sim_counter *c, const sim_tally *tally, machine_operation op)
{
    return tally->count[op] + divide_up(tally->pooled[op], c->width.simd_bytes);
}

static bool is_double(LLVMTypeRef type)
{
    if (is_vector(type))
        type = LLVMGetElementType(type);
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    return kind == LLVMDoubleTypeKind || kind == LLVMX86_FP80TypeKind || kind == LLVMFP128TypeKind;
}

static void add_kind(const sim_counter *c, sim_tally *t, sim_kind kind, LLVMTypeRef type, uint64_t times)
{
    bool wide = is_double(type);
    add_operations(c, t, wide ? kinds[kind].wide : kinds[kind].single, type, times);
    if (kind == SIM_MUL_ADD)
        add_operations(c, t, wide ? MACHINE_OP_DOUBLE_ADD : MACHINE_OP_FLOAT_ADD, type, times);
}

// ---- Calls ----

static uint64_t log2_up(uint64_t n)
{
    uint64_t bits = 0;
    while (n > UINT64_C(1) << bits)
        bits++;
    return bits;
}

static const char *callee_name(LLVMValueRef call)
{
    LLVMValueRef callee = LLVMGetCalledValue(call);
    size_t length;
    return LLVMIsAFunction(callee) == NULL ? NULL : LLVMGetValueName2(callee, &length);
}

// The row of llvm.NAME or llvm.NAME.types; the longest NAME that fits.
static const kind_row *find_intrinsic(const kind_row *rows, size_t count, const char *name)
{
    const kind_row *best = NULL;
    name += strlen("llvm.");
    for (size_t i = 0; i < count; i++) {
        size_t n = strlen(rows[i].name);
        bool fits = strncmp(name, rows[i].name, n) == 0 && (name[n] == '\0' || name[n] == '.');
        if (fits && (best == NULL || n > strlen(best->name)))
            best = &rows[i];
    }
    return best;
}

static const kind_row *find_math(const char *name)
{
    bool ours = strncmp(name, "svm_", 4) == 0; // svm/elementary.h
    for (size_t i = 0; i < COUNT_OF(math_functions); i++)
        if (strcmp(math_functions[i].name, ours ? name + 4 : name) == 0)
            return ours && math_functions[i].kind != SIM_TRANSCENDENTAL ? NULL : &math_functions[i];
    return NULL;
}

static bool is_intrinsic(const char *name)
{
    return name != NULL && strncmp(name, "llvm.", 5) == 0;
}

static bool is_named(const char *name, const char *intrinsic)
{
    size_t n = strlen(intrinsic);
    return strncmp(name + 5, intrinsic, n) == 0 && (name[5 + n] == '.' || name[5 + n] == '\0');
}

bool sim_is_math_function(const char *name)
{
    return find_math(name) != NULL;
}

bool sim_call_looks(LLVMValueRef call)
{
    const char *name = callee_name(call);
    return name == NULL || (!is_intrinsic(name) && !sim_is_math_function(name));
}

// memcpy and its kin: as many loads and stores as the machine's widest need.
static bool count_transfer(const sim_counter *c, LLVMValueRef call, const char *name, sim_tally *t, sim_transfer *out)
{
    bool copies = is_named(name, "memcpy") || is_named(name, "memmove") || is_named(name, "memcpy.inline");
    if (!copies && !is_named(name, "memset") && !is_named(name, "memset.inline"))
        return false;
    LLVMValueRef length = LLVMGetOperand(call, 2);
    if (LLVMIsAConstantInt(length) == NULL) {
        *out = (sim_transfer){length, copies, true};
        return true;
    }
    uint64_t width = c->width.simd_bytes < 8 ? 8 : c->width.simd_bytes;
    uint64_t operations = divide_up(LLVMConstIntGetZExtValue(length), width);
    t->count[MACHINE_OP_STORE] += operations;
    t->count[MACHINE_OP_LOAD] += copies ? operations : 0;
    return true;
}

static void count_reduction(const sim_counter *c, LLVMValueRef call, const kind_row *row, sim_tally *t)
{
    unsigned last = (unsigned)LLVMGetNumArgOperands(call) - 1;
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(call, last)), element = LLVMGetElementType(type);
    uint64_t n = LLVMGetVectorSize(type);
    // Without leave to reassociate, floating point is added one by one; otherwise halves are, which change places
    // first.
    bool ordered = last == 1 && (LLVMGetFastMathFlags(call) & LLVMFastMathAllowReassoc) == 0;
    add_kind(c, t, row->kind, element, ordered ? n : log2_up(n));
    t->count[MACHINE_OP_BITWISE] += ordered ? n : log2_up(n);
}

static void count_intrinsic(const sim_counter *c, LLVMValueRef call, const char *name, sim_tally *t, sim_transfer *out)
{
    if (count_transfer(c, call, name, t, out))
        return;
    LLVMTypeRef type = LLVMTypeOf(call);
    if (is_named(name, "masked.gather")) {
        t->count[MACHINE_OP_LOAD] += LLVMGetVectorSize(type);
        return;
    }
    if (is_named(name, "masked.scatter")) {
        t->count[MACHINE_OP_STORE] += LLVMGetVectorSize(LLVMTypeOf(LLVMGetOperand(call, 0)));
        return;
    }
    const kind_row *row = find_intrinsic(reductions, COUNT_OF(reductions), name);
    if (row != NULL) {
        count_reduction(c, call, row, t);
        return;
    }
    row = find_intrinsic(intrinsics, COUNT_OF(intrinsics), name);
    if (row != NULL)
        add_kind(c, t, row->kind, wider(c, LLVMTypeOf(LLVMGetOperand(call, 0)), type), 1);
}

static void count_call(const sim_counter *c, LLVMValueRef call, sim_tally *t, sim_transfer *out)
{
    const char *name = callee_name(call);
    if (is_intrinsic(name)) {
        count_intrinsic(c, call, name, t, out);
        return;
    }
    const kind_row *math = name == NULL ? NULL : find_math(name);
    if (math != NULL) {
        LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(call));
        LLVMTypeRef type = math->on_float ? LLVMFloatTypeInContext(context) : LLVMDoubleTypeInContext(context);
        add_kind(c, t, math->kind, type, 1);
        return;
    }
    bool runtime = name != NULL && strncmp(name, "svm_", 4) == 0 && LLVMIsDeclaration(LLVMGetCalledValue(call));
    bool assembly = LLVMIsAInlineAsm(LLVMGetCalledValue(call)) != NULL;
    if (!runtime && !assembly)
        t->count[MACHINE_OP_BRANCH]++;
}

// ---- Other instructions ----

// Compilers make a division by a constant of a multiplication and shifts, or of shifts.
static bool count_constant_division(const sim_counter *c, LLVMValueRef instruction, sim_tally *t)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(instruction);
    LLVMTypeRef type = LLVMTypeOf(instruction);
    LLVMValueRef divisor = LLVMGetOperand(instruction, 1);
    if (is_vector(type) && LLVMIsConstant(divisor)) {
        LLVMValueRef element = LLVMGetAggregateElement(divisor, 0);
        divisor = element == NULL ? divisor : element;
    }
    if (LLVMIsAConstantInt(divisor) == NULL)
        return false;
    bool is_signed = opcode == LLVMSDiv || opcode == LLVMSRem, remainder = opcode == LLVMURem || opcode == LLVMSRem;
    uint64_t value = LLVMConstIntGetZExtValue(divisor);
    bool power = value != 0 && (value & (value - 1)) == 0;
    add_kind(c, t, SIM_BITWISE, type, is_signed ? 2 : 1);
    add_kind(c, t, SIM_INT_ADD, type, (is_signed ? 1u : 0u) + (remainder && !power ? 1 : 0));
    add_kind(c, t, SIM_INT_MUL, type, power ? 0 : remainder ? 2 : 1);
    return true;
}

// Whether lane i of the result is lane first + i * step of the operands, for all lanes that matter: step 0 is one lane
// to all, step 1 lanes in order.
static bool moves_alike(LLVMValueRef shuffle, int step, int *first)
{
    bool found = false;
    *first = -1;
    for (int i = 0; i < (int)LLVMGetNumMaskElements(shuffle); i++) {
        int lane = LLVMGetMaskValue(shuffle, (unsigned)i);
        if (lane < 0) // any will do
            continue;
        if (found && lane - i * step != *first)
            return false;
        *first = lane - i * step;
        found = true;
    }
    return true;
}

// One lane to all lanes: registers that are alike are made once. Whole registers in order are no work.
static void count_shuffle(const sim_counter *c, LLVMValueRef shuffle, sim_tally *t)
{
    LLVMTypeRef type = LLVMTypeOf(shuffle), from = LLVMTypeOf(LLVMGetOperand(shuffle, 0));
    uint64_t lanes = LLVMGetVectorSize(from), bytes = bytes_of(c, from), simd = c->width.simd_bytes;
    int first;
    if (moves_alike(shuffle, 1, &first) && first >= 0 && (uint64_t)first * bytes / lanes % simd == 0 &&
        ((uint64_t)first + LLVMGetVectorSize(type) <= lanes || bytes % simd == 0))
        return;
    if (moves_alike(shuffle, 0, &first))
        t->count[MACHINE_OP_BITWISE]++;
    else
        add_kind(c, t, SIM_BITWISE, type, 1);
}

// The first lane of a register is where a value by itself is: putting one into an empty register, or taking it from
// there, is no work.
static void count_lane(const sim_counter *c, LLVMValueRef instruction, sim_tally *t)
{
    bool inserts = LLVMGetInstructionOpcode(instruction) == LLVMInsertElement;
    LLVMValueRef vector = LLVMGetOperand(instruction, 0), lane = LLVMGetOperand(instruction, inserts ? 2 : 1);
    LLVMTypeRef type = LLVMTypeOf(vector);
    uint64_t element = bytes_of(c, type) / LLVMGetVectorSize(type);
    bool first =
        LLVMIsAConstantInt(lane) != NULL && LLVMConstIntGetZExtValue(lane) * element % c->width.simd_bytes == 0;
    if (!first || (inserts && !LLVMIsUndef(vector)))
        t->count[MACHINE_OP_BITWISE]++;
}

static void count_opcode(const sim_counter *c, LLVMValueRef instruction, LLVMOpcode opcode, sim_tally *t)
{
    for (size_t i = 0; i < COUNT_OF(opcodes); i++) {
        if (opcodes[i].opcode != opcode)
            continue;
        LLVMTypeRef type = LLVMTypeOf(instruction), first = LLVMTypeOf(LLVMGetOperand(instruction, 0));
        if (opcode != LLVMLoad && opcode != LLVMSelect)
            type = wider(c, type, first);
        add_kind(c, t, opcodes[i].kind, type, 1);
        return;
    }
}

// A switch is as many comparisons as a search by halves takes.
static void count_switch(LLVMValueRef instruction, sim_tally *t)
{
    uint64_t steps = log2_up(LLVMGetNumSuccessors(instruction));
    t->count[MACHINE_OP_COMPARE] += steps;
    t->count[MACHINE_OP_BRANCH] += steps;
}

void sim_count_instruction(const sim_counter *c, LLVMValueRef instruction, sim_tally *tally, sim_transfer *transfer)
{
    *transfer = (sim_transfer){0};
    LLVMOpcode opcode = LLVMGetInstructionOpcode(instruction);
    switch (opcode) {
    case LLVMCall: count_call(c, instruction, tally, transfer); return;
    case LLVMSwitch: count_switch(instruction, tally); return;
    case LLVMIndirectBr:
    case LLVMCallBr: tally->count[MACHINE_OP_BRANCH]++; return;
    case LLVMShuffleVector: count_shuffle(c, instruction, tally); return;
    case LLVMInsertElement:
    case LLVMExtractElement: count_lane(c, instruction, tally); return;
    case LLVMBr: tally->count[MACHINE_OP_BRANCH] += LLVMIsConditional(instruction); return;
    case LLVMZExt:
    case LLVMSExt:
    case LLVMTrunc: {
        // In a register of one value it goes unnoticed; the lanes of a vector must be spread or packed.
        LLVMTypeRef type = LLVMTypeOf(instruction);
        if (is_vector(type))
            add_kind(c, tally, SIM_BITWISE, wider(c, type, LLVMTypeOf(LLVMGetOperand(instruction, 0))), 1);
        return;
    }
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMURem:
    case LLVMSRem:
        if (count_constant_division(c, instruction, tally))
            return;
        break;
    default: break;
    }
    count_opcode(c, instruction, opcode, tally);
}
