// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiling a thread function for the soft processor: what one thread does, from LLVM IR to a program.
//
//   compile_prepare.c   what LLVM does before: which loops are unrolled
//   compile_loops.c     loops of IR and their rounds
//   compile_select.c    IR to scalar values: multiply-adds, comparisons, lookups, outputs
//   compile_ints.c      int arithmetic, in floats
//   compile_ranges.c    bounds of ints
//   compile_tables.c    loads from constant tables, to lookups
//   compile_control.c   conditions, branches and loops to selections, variables and steps
//   compile_variables.c values that are computed where a variable is
//   compile_pack.c      values to virtual registers and lanes, and to halves of instructions
//   compile_sources.c   which source addresses the operands of two halves can share
//   compile_schedule.c  halves and lookups to an order of instructions
//   compile_colour.c    virtual registers to registers, constants to constant registers
//   compile_emit.c      instructions, semaphores, the program
//
// A thread function is `void f(float x, float y, float s0, float s1, ...)`: the thread's coordinates, and scalars that the
// host gives as constants. It reads with `<4 x float> svm_spLookup(i32 input, float s, float t)` and writes with
// `void svm_spOutput(i32 output, <4 x float> value)`, or svm_spOutputAt, which has x and y behind the output. It has no branches when its loops are unrolled and its conditions
// are selects, and no integers, memory or other calls then. + - * and negation, absolute value and floor are exact; a selection
// by a comparison is for numbers that are finite, as the machine compares by subtracting.
#ifndef SVMC_LLC_SOFTPROC_COMPILE_H
#define SVMC_LLC_SOFTPROC_COMPILE_H

#include <llvm-c/Core.h>

#include "llc/softproc/isa.h"
#include "support/diag.h"
#include "support/hmap.h"
#include "support/vec.h"

#define SPC_NONE UINT32_MAX

// ---- Scalar values ----

// Leaves first. COPY is a move of bits as they are.
typedef enum spc_op {
    SPC_X,
    SPC_Y,
    SPC_SCALAR,
    SPC_NUMBER,
    SPC_LOOKED_UP,
    SPC_VARIABLE, // what loops and branches write: those copies that have it as `into`
    SPC_MAD,
    SPC_MIN,
    SPC_MAX,
    SPC_CMP,
    SPC_FRC,
    SPC_COPY,
    SPC_RCP, // the special unit's, which the scalar half alone has
    SPC_RSQ,
    SPC_EX2,
    SPC_LN2,
} spc_op;

static inline bool spc_is_special(spc_op op)
{
    return op >= SPC_RCP;
}

static inline bool spc_is_arithmetic(spc_op op)
{
    return op >= SPC_MAD;
}
unsigned spc_operands(spc_op op);

// Whether a value's sign decides about a step: it is taken where the value is at least 0, or below.
typedef enum spc_decision { SPC_NO_DECISION, SPC_IF_POSITIVE, SPC_IF_NEGATIVE } spc_decision;

typedef struct spc_operand {
    uint32_t value;
    bool neg, abs;    // abs first
    bool presubtract; // 1 - 2 * value is read, and then its modifiers
} spc_operand;

typedef struct spc_value {
    spc_op op;
    spc_operand operand[3];
    uint32_t region; // where it is computed: in front of the step of this number
    uint32_t place;  // in the source, as spc_place, or SPC_NONE
    uint32_t into;   // the variable that it writes, or SPC_NONE
    uint32_t writer; // VARIABLE: the last value that writes it; such a value: the one before; SPC_NONE: no more
    spc_decision decides;
    uint32_t bits;     // NUMBER: the float's; SCALAR: which
    uint32_t lookup;   // LOOKED_UP
    uint8_t component; // LOOKED_UP
    uint32_t reg;      // virtual register, or SPC_NONE (compile_pack.c)
    uint8_t lane;      // 0 to 3
    uint8_t output;    // output that it is written to by its own instruction, component lane; or NO_OUTPUT
    uint8_t omod;      // output modifier
    bool registered;   // something reads it from a register
    bool loose;        // nothing says where it should be (compile_pack.c)
    uint32_t after;    // the last lookup that it waits for, plus 1
    bool coordinate;   // it serves coordinates of lookups alone
    uint32_t depth;    // instructions that it depends on, the longest chain
    uint32_t lookups;  // the last lookup that has it as a coordinate, plus 1
    uint32_t first;    // the first lookup that needs it, or SPC_NONE
    uint32_t wait_for; // it overwrites a coordinate: so many lookups must have been issued before
} spc_value;
enum { SPC_NO_OUTPUT = 255 };

typedef struct spc_lookup {
    unsigned input;
    uint32_t region, place;
    spc_operand at[2]; // s and t
    uint32_t value[4]; // what is read, or SPC_NONE where nobody wants it
    uint32_t reg;      // where it goes
} spc_lookup;

// ---- Flow control ----

// A function is straight code, a step, straight code, a step, ..., straight code. Code number n, a region, is in front of step n.
typedef enum spc_flow { SPC_REP, SPC_ENDREP, SPC_BRK, SPC_IF, SPC_ELSE, SPC_ENDIF } spc_flow;
typedef struct spc_step {
    spc_flow flow;
    unsigned rounds;   // REP
    uint32_t begin;    // ENDREP, BRK: the step of the REP; ELSE, ENDIF: of the IF
    uint32_t end;      // REP: of the ENDREP; IF: of the ELSE, or of the ENDIF; ELSE: of the ENDIF
    unsigned branches; // BRK: those around it in its loop
    uint32_t value;    // IF, BRK: what decides
    uint32_t place;
} spc_step;

// ---- Loops of LLVM IR ----

enum { SPC_MOST_ROUNDS = 255 * 255 };
typedef struct spc_loop {
    LLVMBasicBlockRef header;
    LLVMBasicBlockRef before, latch,
        exit;        // in front of it, its last one, and the one behind it; NULL: there are several
    uint32_t parent; // the loop around it, or SPC_NONE
    uint32_t rounds; // at most; 0: not known
    unsigned exits;  // edges that leave it
    bool many;       // more than SPC_MOST_ROUNDS
    bool counted;    // the way out of its last block counts rounds and looks at nothing else
} spc_loop;
typedef struct spc_block {
    LLVMBasicBlockRef block;
    uint32_t loop; // the innermost one, or SPC_NONE
} spc_block;
typedef struct spc_edge {
    LLVMBasicBlockRef from, to;
} spc_edge;
typedef struct spc_loops {
    VEC(spc_loop) loops;   // outer ones first
    VEC(spc_block) blocks; // that can be reached
    VEC(spc_edge) back;
    hmap index; // of a block, plus 1
} spc_loops;
void spc_find_loops(arena *a, LLVMValueRef function, spc_loops *out);
uint32_t spc_loop_of(const spc_loops *l, LLVMBasicBlockRef block);
bool spc_in_loop(const spc_loops *l, LLVMBasicBlockRef block, uint32_t loop);

// ---- Ranges of IR values ----

typedef struct spc_range {
    double lo, hi;
} spc_range;
typedef struct spc_ranges {
    arena *arena;
    const spc_loops *loops;
    LLVMValueRef x, y; // the coordinates
    spc_range items;   // ints that are looked up
    hmap known;
    struct spc_frame *frames;
    uint32_t epoch, epochs, looked_at;
} spc_ranges;
// Ints are floats in the machine; a float has all of them within this of 0.
enum { SPC_MOST_WHOLE = 1 << 24 };
spc_range spc_range_of(spc_ranges *r, LLVMValueRef value);

// ---- Constant tables ----

// A table that is looked up with computed subscripts: an input behind the function's own, an element for each number.
typedef struct spc_table {
    LLVMValueRef numbers; // floats or ints, in arrays of arrays
    uint64_t elements;
    bool ints;
} spc_table;
typedef VEC(spc_table) spc_tables;
enum { SPC_MOST_TABLE = 1 << 16 };
LLVMValueRef spc_table_of(LLVMValueRef load); // the global variable; NULL: there is no such table
spc_range spc_range_of_table(LLVMValueRef table);

// ---- Halves of instructions ----

typedef struct spc_half {
    bool scalar; // the alpha half
    spc_op op;
    uint32_t value[3]; // by lane r, g, b, or SPC_NONE; the scalar half has one, value[0]
} spc_half;

// A virtual register: red, green and blue, or alpha, or all four where they must have one number.
typedef struct spc_register {
    uint32_t root;    // the register whose number it has, itself if its own
    uint8_t lanes;    // those in use for good
    uint32_t busy[4]; // lanes lent to coordinates: until so many lookups are issued
    int number;       // -1 until coloured
} spc_register;

// What an operand needs of a source: an rgb address and an alpha address. Constants are not placed yet: an rgb address
// may hold three, an alpha address one.
typedef enum spc_kind { SPC_NOTHING, SPC_REGISTER, SPC_CONSTANT } spc_kind;
typedef struct spc_source {
    spc_kind rgb, alpha;
    uint32_t rgb_reg, alpha_reg;
    uint64_t key[3], alpha_key; // constants, as spc_key
    unsigned keys;
} spc_source;

// How the six operands of a pair of halves get their sources.
typedef struct spc_assignment {
    spc_source source[3];
    uint8_t sel[2][3];
    bool by_alpha[2][3];        // constants of the operand come from the alpha address
    spc_operand modifier[2][3]; // of all lanes; the value says nothing
} spc_assignment;

// A place in the order: a step, a lookup, or a pair of halves of which one may be missing.
typedef struct spc_slot {
    uint32_t step;    // or SPC_NONE
    uint32_t lookup;  // or SPC_NONE
    uint32_t half[2]; // vector, scalar; or SPC_NONE
    spc_assignment assignment;
} spc_slot;

// A line of the source.
typedef struct spc_place {
    const char *file;
    unsigned line;
} spc_place;

// ---- A function on its way ----

// What is tried; the shortest program is kept.
typedef struct spc_strategy {
    bool loose;         // values that no pack has are packed by operation
    unsigned reach;     // how far apart in the program they are at most
    unsigned slack;     // and by how many lookups
    unsigned early;     // lookups that may come before what they are read by can
    bool both;          // halves without a partner wait for lookups
    bool halves;        // the coordinates of a lookup are in a half of each kind
    unsigned together;  // coordinates of so many lookups are computed in front of the first
    unsigned low, high; // of those that find no others, as many as this in vector and in scalar halves
    // Where bit n of guided is set, bit n of vector says whether the n-th value that can be in either is in a vector half.
    unsigned guided, vector;
} spc_strategy;

typedef struct spc_function {
    arena *arena;
    diag_engine *diag;
    const char *name;
    src_range range; // of the source's function; begin 0: not known
    bool inexact;
    double least, most; // of ints that are looked up
    unsigned inputs;    // of its own; tables come behind them
    spc_tables tables;
    spc_strategy strategy;
    VEC(spc_value) values;
    VEC(spc_lookup) lookups;
    VEC(spc_step) steps;
    uint32_t region; // of values that are added
    uint32_t place;  // of values, lookups and steps that are added
    VEC(spc_place) places;
    uint32_t output[SP_MAX_OUTPUTS][4]; // values, or SPC_NONE
    uint32_t scalars;
    unsigned guided; // values that the strategy has been asked about
    VEC(spc_register) registers;
    VEC(spc_half) halves;
    VEC(spc_slot) order;
    // Constant registers' components, as spc_key, or SPC_NO_KEY.
    uint64_t constant[SP_MAX_CONSTANTS][4];
    unsigned constants;
    unsigned numbers; // registers used
} spc_function;

// What a program takes. A scalar may be in several constants' components: `scalars` says which of each constant.
typedef struct spc_program {
    sp_program *program;
    unsigned alu, tex, flow, registers, constants;
    struct spc_scalar_place {
        unsigned scalar, constant, component;
    } *scalars;
    size_t scalar_count;
    spc_tables tables;
} spc_program;

// What a function is behind a stage: its values as selected; with variables' copies joined; placed, in halves; in their order; with
// registers' numbers.
typedef enum spc_stage { SPC_SELECTED, SPC_JOINED, SPC_PACKED, SPC_SCHEDULED, SPC_COLOURED } spc_stage;

// Who looks at functions on their way, once for each stage of each strategy; tests execute them.
typedef struct spc_watcher {
    void (*see)(void *user, spc_stage stage, const spc_function *f);
    void *user;
} spc_watcher;

// How a function is compiled. Division, square root, exp2 and log2 need the special unit, which does not round as C does: they are
// taken only if inexact says so.
typedef struct spc_request {
    arena *arena;
    diag_engine *diag;
    src_range range; // where the function's source has it, or {0}
    bool inexact;
    const spc_watcher *watcher; // NULL: nobody
    double least, most;         // of ints that are looked up; both 0: those that a float has
    unsigned inputs;            // of the function
} spc_request;

// Compiles a function of a module, which stays as it is. Errors have the line of the source where the IR has it. False with errors.
bool spc_compile(const spc_request *r, LLVMModuleRef module, const char *name, spc_program *out);

// ---- Stages; each is false after an error ----
// A function that LLVM has prepared.
bool spc_compile_prepared(const spc_request *r, LLVMValueRef function, spc_program *out);
bool spc_select(spc_function *f, LLVMValueRef function);
void spc_join_variables(spc_function *f);
void spc_pack(spc_function *f);
bool spc_schedule(spc_function *f);
bool spc_colour(spc_function *f);
bool spc_emit(spc_function *f, spc_program *out);

// ---- Shared ----
uint32_t spc_add_value(spc_function *f, spc_value v);
// Whether the halves (NULL: none) can be one instruction.
bool spc_assign_sources(const spc_function *f, const spc_half *vector, const spc_half *scalar, spc_assignment *out);
// What a component of a constant register holds: a number's bits, or a scalar's number and SPC_KEY_SCALAR.
#define SPC_KEY_SCALAR (UINT64_C(1) << 32)
#define SPC_NO_KEY UINT64_MAX
static inline bool spc_is_constant(const spc_value *v)
{
    return v->op == SPC_NUMBER || v->op == SPC_SCALAR;
}
// Of a constant as an operand with modifiers: the key whose modified value it is; false when no number has it.
bool spc_key(const spc_value *v, bool neg, bool abs, uint64_t *key);
// 0, 0.5 and 1 need no source; gives their swizzle, or -1.
int spc_easy_swizzle(uint64_t key);
// Components of constant registers that hold the keys; false when there are no constants left.
bool spc_place_constants(spc_function *f, const uint64_t *keys, unsigned count, bool alpha, unsigned *reg);
// Of a place, "file:line:column", or, NULL, of the function as a whole.
void spc_error(spc_function *f, const char *place, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
