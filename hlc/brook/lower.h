// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the parts of the lowering share: lower.c has modules, filters and fields, lower_stmt.c statements, lower_expr.c
// expressions, lower_value.c arithmetic on values, lower_math.c the language's functions, lower_call.c kernels called
// by kernels, which are put in place of the call, lower_whole.c floats that are whole numbers.
//
// NOTE(values). A vector is so many scalars: a value has an expression of stream IR for each component. A struct is one
// expression. Expressions are pure and used once; what is used twice is saved in a local before (brook_keep) unless it
// is a constant or the name of something.
// NOTE(order). Lowering appends what must happen first to the current block. An operand is saved before a later one that
// assigns.
#ifndef SVMC_HLC_BROOK_LOWER_H
#define SVMC_HLC_BROOK_LOWER_H

#include "hlc/brook/brook.h"

typedef struct brook_value {
    brook_type type;
    sir_expr *part[4]; // a struct: part[0]
} brook_value;

// Where a parameter or local of a kernel lives.
typedef struct brook_binding {
    bool bound;
    bool known;        // its parts are constants or names of what does not change: part below
    brook_value value; // known
    bool field;        // a field of the filter, else locals
    uint32_t index[4]; // the field or the struct's local: [0]; locals of a vector's components
    uint32_t stream;   // the field whose place 'indexof' tells; SIR_NONE: none
} brook_binding;

// What the ints lie between that stand for a float (lower_whole.c); slack: so far from 2^24 they may begin to differ.
typedef struct brook_range {
    int64_t lo, hi, slack;
} brook_range;

// What is known of a variable of a kernel as a whole number.
typedef struct brook_whole {
    bool wanted; // a subscript may be made of it
    bool is;     // all that is assigned to it is whole
    bool up;     // its steps lead up
    bool ends;   // they are not known to end before 2^24
    brook_range range;
} brook_whole;

// The int local beside a float local.
typedef struct brook_beside {
    uint32_t local; // SIR_NONE: none
    brook_range range;
} brook_beside;

// A kernel being lowered: that of the filter, or one that it calls.
typedef struct brook_frame {
    const brook_kernel *kernel;
    brook_binding *bindings;         // by variable
    brook_whole *wholes;             // likewise
    const struct brook_frame *outer; // NULL: the filter's own
    brook_value result;              // locals that get the result
    uint32_t returned;               // a boolean local that tells that a return was passed; SIR_NONE: not needed
    unsigned loops;                  // loops of the kernel around the current statement
    bool wrapped;                    // the body stands in a loop that a return leaves
} brook_frame;

typedef struct brook_lowering {
    brook_program *program;
    sir_module *m;
    sir_filter *filter;
    sir_function *fn;
    sir_block *block;
    brook_frame *frame;
    VEC(brook_beside) beside;          // of the filter's locals
    const struct brook_border *border; // a filter of a stream program is made (as_filter.c); NULL: a finite filter
    size_t nodes;                      // made so far, for the filter: calls in place can make very many
    bool failed;
} brook_lowering;

// ---- lower.c ----
const sir_type *brook_scalar_type(const brook_lowering *L, brook_element e);
const sir_type *brook_sir_type(brook_lowering *L, brook_type t);
sir_loc brook_loc(const brook_lowering *L, src_range r);
uint32_t brook_coordinate(brook_lowering *L, uint32_t field, uint32_t dimension, sir_loc loc);
void brook_emit(brook_lowering *L, sir_stmt *s);

// ---- lower_value.c ----
sir_expr *brook_copy(brook_lowering *L, const sir_expr *e);
bool brook_is_simple(const sir_expr *e); // cheap to use twice: a constant, or the name of something
// Saves what is not simple in locals, so that the value can be used any number of times (each but the last as a copy).
brook_value brook_keep(brook_lowering *L, brook_value v, sir_loc loc);
// The same, and what may be assigned before the value is used.
brook_value brook_save(brook_lowering *L, brook_value v, sir_loc loc);
brook_value brook_copy_value(brook_lowering *L, brook_value v);
sir_expr *brook_convert_part(brook_lowering *L, sir_expr *e, brook_element from, brook_element to, sir_loc loc);
// As assignment converts: the last component is repeated, or components are left out.
brook_value brook_convert(brook_lowering *L, brook_value v, brook_type to, sir_loc loc);
sir_expr *brook_binary_part(brook_lowering *L, int op, brook_element e, sir_expr *a, sir_expr *b, sir_loc loc);
sir_expr *brook_compare_part(brook_lowering *L, int op, brook_element e, sir_expr *a, sir_expr *b,
                             sir_loc loc);                                              // boolean
sir_expr *brook_is_true(brook_lowering *L, sir_expr *e, brook_element of, sir_loc loc); // boolean
sir_expr *brook_flag(brook_lowering *L, sir_expr *boolean, sir_loc loc);                // 0 or 1, float
sir_expr *brook_float(brook_lowering *L, float v, sir_loc loc);
sir_expr *brook_const(brook_lowering *L, brook_element e, double v, sir_loc loc);
sir_expr *brook_math1(brook_lowering *L, lang_math_op op, sir_expr *a);
sir_expr *brook_math2(brook_lowering *L, lang_math_op op, sir_expr *a, sir_expr *b);
sir_expr *brook_op(brook_lowering *L, lang_binary_op op, sir_expr *a, sir_expr *b); // of one type, as it is
sir_expr *brook_select(brook_lowering *L, sir_expr *c, sir_expr *a, sir_expr *b);
sir_expr *brook_temp(brook_lowering *L, sir_expr *init, sir_loc loc); // a local's name

// ---- lower_expr.c ----
brook_value brook_lower_expr(brook_lowering *L, const brook_expr *e);
brook_value brook_lower_as(brook_lowering *L, const brook_expr *e, brook_type to);
sir_expr *brook_lower_condition(brook_lowering *L, const brook_expr *e);
void brook_lower_effects(brook_lowering *L, const brook_expr *e); // its value is not wanted
void brook_store(brook_lowering *L, const brook_expr *target, brook_value v);
brook_value brook_read_binding(brook_lowering *L, const brook_binding *b, brook_type t, sir_loc loc);
// Gives a variable its place, and its first value (part[0] NULL: zeroes).
void brook_bind_local(brook_lowering *L, const brook_var *v, brook_binding *b, brook_value init);

// ---- lower_whole.c ----
brook_whole *brook_find_wholes(brook_lowering *L, const brook_kernel *k);
sir_expr *brook_as_index(brook_lowering *L, const sir_expr *e); // an int that stands for a float; NULL: there is none
// Behind the declaration of a variable's local: that of the int beside it, if it needs one and has one.
void brook_declare_beside(brook_lowering *L, const brook_var *v, uint32_t local, const sir_expr *init, sir_loc loc);
// Before a variable is set: what the int beside it becomes, by that beside others; NULL: to be taken from the float.
sir_expr *brook_next_beside(brook_lowering *L, const brook_var *v, const sir_expr *value);
void brook_set_beside(brook_lowering *L, const brook_var *v, sir_expr *index, sir_loc loc); // behind that

// ---- lower_math.c, lower_call.c, lower_stmt.c ----
brook_value brook_lower_math(brook_lowering *L, const brook_expr *e);
brook_value brook_lower_call(brook_lowering *L, const brook_expr *e);
void brook_lower_stmt(brook_lowering *L, const brook_stmt *s);
// The body of a kernel that is put in place of a call, in a frame of its own.
void brook_lower_body(brook_lowering *L, const brook_kernel *k, sir_loc loc);

// ---- as_filter.c ----
// With a border: an element of the array that a gather parameter is bound to; subscripts: the slowest dimension first.
sir_expr *brook_border_element(brook_lowering *L, uint32_t parameter, sir_expr *const *at, uint32_t rank, sir_loc loc);
// The same: an element that comes from outside, as its type has it: ints as bytes.
brook_value brook_border_value(brook_lowering *L, brook_value v, const brook_var *of);
// The same: where the element of the firing lies in its stream, an int.
sir_expr *brook_border_place(brook_lowering *L, uint32_t dimension, sir_loc loc);

#endif
