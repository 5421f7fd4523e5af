// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bodies to bytecode: the state of compiling one function, and what the parts of the compiler offer each other.
#ifndef SVMC_HLC_INTERP_COMPILE_H
#define SVMC_HLC_INTERP_COMPILE_H

#include "hlc/interp/interp_int.h"

#define VM_NO_REG INT32_MIN // registers can be negative: constants
enum { VM_MAX_NESTING = 5000 };
#define VM_MAX_FRAME_WORDS (INT64_C(1) << 30)

// A place in the code that branches go to; bound once, used before or after.
typedef struct vm_label {
    int64_t at; // -1: not yet
    VEC(size_t) uses;
} vm_label;

typedef struct vm_loop {
    vm_label *leave, *next;
} vm_loop;

typedef struct compiler {
    vm_program *p;
    vm_function *fn;
    const sir_function *source;
    const int32_t *field_start;
    hmap constants; // by value: number + 1
    int64_t top;    // next free temporary
    size_t block;   // the COUNT instruction of this block of code
    int nesting;
    int32_t moves[2]; // registers with what the firing had popped and pushed when the function began
    VEC(vm_loop) loops;
    vm_origin origin; // of what is being compiled
} compiler;

// code.c
void vm_emit(compiler *c, vm_op op, int32_t a, int32_t b, int32_t x, int32_t y);
void vm_emit_jump(compiler *c, vm_op op, int32_t a, int32_t b, int32_t x, vm_label *to); // ends the block of code
vm_label *vm_label_new(compiler *c);
void vm_bind(compiler *c, vm_label *label);
// The same, for an instruction that can stop the program because of e.
void vm_emit_for(compiler *c, const sir_expr *e, vm_op op, int32_t a, int32_t b, int32_t x, int32_t y);
int32_t vm_temp(compiler *c, uint64_t words);
int32_t vm_constant(compiler *c, word value);
int32_t vm_constant_int(compiler *c, int32_t value);
bool vm_enter(compiler *c, sir_loc loc); // false and an error when nested too deeply
static inline void vm_exit(compiler *c)
{
    c->nesting--;
}

// A place in memory. With a subscript not yet applied: element R[index], checked against length, of one-word elements.
typedef enum vm_space { VM_IN_FRAME, VM_IN_STATE, VM_IN_GLOBALS, VM_AT_POINTER } vm_space;
typedef struct vm_place {
    vm_space space;
    int32_t pointer; // AT_POINTER: the register
    int64_t offset;
    int32_t index;  // register holding an offset, or VM_NO_REG
    bool unchecked; // index is a subscript still to be checked against length
    uint32_t length;
    const sir_expr *subscripted; // the expression with that subscript
} vm_place;

// compile_place.c
vm_place vm_compile_place(compiler *c, const sir_expr *e); // of an lvalue, or any aggregate
int32_t vm_load(compiler *c, vm_place p, int32_t want);    // a scalar
void vm_store(compiler *c, vm_place p, int32_t value);
int32_t vm_address(compiler *c, vm_place p); // register with a pointer
int32_t vm_compile_address(compiler *c, const sir_expr *e);
static inline bool vm_is_aggregate(const sir_type *t)
{
    return t->kind == SIR_ARRAY || t->kind == SIR_STRUCT;
}

// compile_expr.c: want is the register that shall have the result, or VM_NO_REG for any (also that of a local).
int32_t vm_compile_expr(compiler *c, const sir_expr *e, int32_t want);
void vm_compile_condition(compiler *c, const sir_expr *e, vm_label *to, bool when); // branches when e is so
int32_t vm_result(compiler *c, int32_t want);

// compile_stmt.c
void vm_compile_body(compiler *c);

#endif
