// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the parts of selection share: compile_select.c (instructions), compile_control.c (conditions, branches, loops).
#ifndef SVMC_LLC_SOFTPROC_SELECT_H
#define SVMC_LLC_SOFTPROC_SELECT_H

#include "llc/softproc/compile.h"
#include "support/hmap.h"

// True where the value is 0 or more, or, inverted, below 0.
typedef struct truth {
    spc_operand value;
    bool inverted;
} truth;

// What an IR value stands for: a scalar, the elements of a vector, or (count 0) a truth.
enum { SEL_MOST_ELEMENTS = 8 };
typedef struct meaning {
    spc_operand element[SEL_MOST_ELEMENTS];
    unsigned count;
    truth truth;
} meaning;

// When a block is reached, or an edge taken: where its base is, and where the truth holds too. Number 0 is always.
typedef struct path {
    uint32_t base;
    truth truth;
} path;

// A block, or a loop with all that is in it, in its place among others of one loop or of the function.
typedef struct node {
    LLVMBasicBlockRef block; // of a loop its header
    uint32_t loop;           // or SPC_NONE
    uint32_t condition;
    bool given; // the condition is known
    bool done;
    bool written;   // as an end where ways join: they have written its variables
    uint32_t first; // as such an end: the first of the variables that its phis are
} node;
typedef VEC(node) nodes;

// What goes out of a loop by a phi of the block behind it: a variable that each way out writes, or SPC_NONE; next: the number of the
// loop's own variable that has it, plus 1.
typedef struct leaving {
    LLVMValueRef phi;
    uint32_t variable, next;
} leaving;

typedef struct selector {
    spc_function *f;
    VEC(meaning) meanings;
    hmap by_value;   // number of its meaning plus 1, by IR value
    hmap numbers;    // values that are numbers, plus 1, by their bits
    hmap quotients;  // operands, of ints (compile_ints.c)
    spc_loops loops; // of the function
    spc_ranges ranges;
    VEC(path) conditions;
    // Where selection is: blocks and loops of one loop (SPC_NONE: the function) or of a way of a branch, each behind those
    // that lead to it; branches around it within the loop; loop instructions around it.
    nodes nodes;
    uint32_t loop;
    unsigned branches, levels, nesting; // levels: branches of loops around it too
    VEC(leaving) leaving;               // of that loop
    uint32_t
        stopped; // a variable that says whether a thread has left that loop, where it is several of the machine's; or SPC_NONE
    uint32_t now;    // the condition of the block at hand
    LLVMValueRef at; // the instruction at hand
    bool failed;
} selector;

// ---- compile_select.c ----
void sel_fail(selector *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
spc_operand sel_number(selector *s, float value);
bool sel_is_number(const selector *s, spc_operand o);
spc_operand sel_operation(selector *s, spc_op op, spc_operand a, spc_operand b, spc_operand c);
// Goes to an instruction: what is added comes from it.
void sel_at(selector *s, LLVMValueRef in);
// NULL: it has none.
const meaning *sel_meaning(const selector *s, LLVMValueRef value);
void sel_give(selector *s, LLVMValueRef value, spc_operand o);
void sel_give_truth(selector *s, LLVMValueRef value, truth t);
spc_operand sel_scalar(selector *s, LLVMValueRef value);
void sel_instruction(selector *s, LLVMValueRef in);
// Whether an LLVM function gives what it takes, and is there so that passes do not look through it.
bool spc_is_fence(const char *name);
// An element of an input.
meaning sel_lookup(selector *s, unsigned input, spc_operand x, spc_operand y);

// ---- compile_tables.c ----
// A load from a constant table; false: it is none.
bool sel_table(selector *s, LLVMValueRef in);

// ---- compile_ints.c ----
bool sel_is_whole(LLVMValueRef v);
// That a value is within what the machine has; false with an error.
bool sel_check_int(selector *s, LLVMValueRef in);
// Instructions of ints that floats do not have, and conversions.
void sel_int(selector *s, LLVMValueRef in);

// ---- compile_control.c ----
truth sel_truth(selector *s, LLVMValueRef value);
truth sel_both(selector *s, truth a, truth b);
truth sel_opposite(truth t);
spc_operand sel_chosen(selector *s, truth t, spc_operand yes, spc_operand no);
void sel_logic(selector *s, LLVMValueRef in);
void sel_phi(selector *s, LLVMValueRef in);
// Everything, from the first block.
void sel_function(selector *s, LLVMValueRef function);

#endif
