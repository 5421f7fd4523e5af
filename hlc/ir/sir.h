// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stream IR: filters (specialised definitions), actors (their instances, splitters, joiners, readers, writers), channels
// and regions. docs/stream-ir.md has the text form; print(parse(print(m))) == print(m) byte for byte, places included.
//
// NOTE(bodies). Expressions are pure: they read locals, fields, constants and the input window, and change nothing. pop, push, print,
// calls and assignments are statements in source order. What elaboration produces may contain loops with break and continue and early returns; after
// canonicalize there are none, and counted loops are SIR_FOR.
// NOTE(sharing). Instances of one declaration with equal arguments and captures share one filter; only what differs is in the actor.
#ifndef SVMC_HLC_IR_SIR_H
#define SVMC_HLC_IR_SIR_H

#include <stdbool.h>
#include <stdint.h>

#include "lang/ast.h" // operations (lang_unary_op, lang_binary_op, lang_math_op)
#include "support/diag.h"
#include "support/hmap.h"

// ---- Types: interned in the module, equal type = equal pointer ----

typedef enum sir_type_kind {
    SIR_VOID,
    SIR_BOOLEAN,
    SIR_BIT,
    SIR_INT,
    SIR_FLOAT,
    SIR_DOUBLE,
    SIR_COMPLEX,
    SIR_STRUCT,
    SIR_ARRAY,
} sir_type_kind;
#define SIR_SCALAR_KINDS (SIR_COMPLEX + 1)

// How an int is stored where few bits hold all values that it may have: derived for plans (hlc/ir/narrow.h), and no part of the text. It is computed with
// as an int all the same.
typedef enum sir_storage { SIR_STORED_WHOLE, SIR_STORED_UINT8, SIR_STORED_INT8, SIR_STORED_INT16, SIR_STORAGE_COUNT } sir_storage;

typedef struct sir_type sir_type;
typedef struct sir_struct {
    const char *name;
    VEC(struct sir_member { const char *name; const sir_type *type; }) members;
} sir_struct;
struct sir_type {
    sir_type_kind kind;
    sir_storage storage;     // INT
    const sir_type *element; // ARRAY
    uint32_t length;         // ARRAY: elements, may be 0
    const sir_struct *decl;  // STRUCT
    uint64_t words;          // scalars it consists of, complex counting as one (checked against SIR_MAX_WORDS)
};
#define SIR_MAX_WORDS (UINT64_C(1) << 28)

// A scalar value. Which member is meant is told by the type: boolean, bit and int are i; float is f; double is d.
typedef union sir_scalar {
    int32_t i;
    float f;
    double d;
    struct { float re, im; } c;
} sir_scalar;

// An aggregate constant: the scalars of its type in memory order; words == type->words. zero: all are zero and data is NULL.
typedef struct sir_value {
    const sir_type *type;
    bool zero;
    sir_scalar *data;
} sir_value;

// ---- Places ----

// Lines and columns count from 1; end is the column behind the last character when that is on the same line, else 0. file 0: none.
typedef struct sir_loc {
    uint32_t file, line, column, end;
} sir_loc;

// ---- Bodies ----

typedef struct sir_expr sir_expr;
typedef struct sir_stmt sir_stmt;
typedef struct sir_function sir_function;
typedef VEC(sir_stmt *) sir_block;

typedef enum sir_expr_kind {
    SIR_CONST,   // scalar
    SIR_LOCAL,   // a parameter or local of the function
    SIR_FIELD,   // a field of the filter
    SIR_GLOBAL,  // a constant of the module (array or struct; scalars are folded)
    SIR_INDEX,   // base[index]; base is an lvalue chain
    SIR_MEMBER,  // base.member; of a complex: 0 real, 1 imag (base may then be any complex expression)
    SIR_UNARY,
    SIR_BINARY,  // LAND and LOR evaluate the right side only if needed; so does SELECT its branches
    SIR_SELECT,  // cond ? a : b
    SIR_CONVERT, // to type: int<->float<->double, bit->int, real->complex (boolean never)
    SIR_MATH,    // lang_math_op; operand types equal the kind the operation works in
    SIR_PEEK,    // item at an offset from the present read position
    SIR_ITER,    // completed work firings of this actor
    SIR_MAKE_COMPLEX, // from two floats
    SIR_FETCH,   // an element of a gathered stream: NOTE(finite); index: the field; op: how many subscripts, ints, slowest dimension first
} sir_expr_kind;

// What is known of the number that is divided: nothing, that it is not below zero, or also less than twice the divisor. Of the float that
// becomes an int: that it fits, whatever conditions around say, or as they say; or that it is the size of an int, or an int, which is found
// without it.
typedef enum sir_known {
    SIR_KNOWN_NOTHING,
    SIR_KNOWN_UP,
    SIR_KNOWN_ONCE,
    SIR_KNOWN_FITS,
    SIR_KNOWN_FITS_HERE,
    SIR_KNOWN_SIZE,
    SIR_KNOWN_SAME
} sir_known;

struct sir_expr {
    uint8_t kind; // sir_expr_kind
    uint8_t op;   // lang_unary_op, lang_binary_op or lang_math_op
    uint8_t known; // sir_known, of a quotient or remainder of ints by a positive constant, or a conversion to int: derived for plans (hlc/ir/narrow.h), and no part of the text
    uint32_t index; // LOCAL: in function->locals; FIELD: in filter->fields; GLOBAL: in module->globals; MEMBER: position
    const sir_type *type;
    sir_loc loc;
    union {
        sir_scalar value; // CONST
        sir_expr *arg[4]; // FETCH subscripts; INDEX base,index; MEMBER base; UNARY; BINARY; SELECT c,a,b; CONVERT; MATH; PEEK offset; MAKE_COMPLEX
    } u;
};

typedef enum sir_stmt_kind {
    SIR_DECL,  // a local comes to life: zero, or with a value of its type
    SIR_SET,   // lvalue = expression (copies aggregates)
    SIR_POP,   // [lvalue =] pop
    SIR_PUSH,
    SIR_PRINT, // one part: an expression, or text
    SIR_CALL,  // [lvalue =] function(args)
    SIR_RANDOM, // lvalue (double) = random()
    SIR_IF,
    SIR_FOR,   // counted: for local = lo; local < hi; local += step (step > 0) or local > hi (step < 0); the body does not assign the local, lo and hi are
               // evaluated once before; the local is dead afterwards
    SIR_LOOP,  // general: { pre; if (!cond) leave; body; step } again; continue in body goes to step. post_test: the test comes after body: { body; pre; if (!cond) leave }
    SIR_BREAK,
    SIR_CONTINUE,
    SIR_RETURN, // [value]
    SIR_BLOCK,
    SIR_SEND,  // a teleport message
} sir_stmt_kind;

struct sir_stmt {
    uint8_t kind; // sir_stmt_kind
    sir_loc loc;
    union {
        // init NULL: zero. uninitialised: nothing reads the zeroes, so that none need be written (canonicalize proves it)
        struct { uint32_t local; sir_expr *init; bool uninitialised; } decl;
        struct { sir_expr *target, *value; } set;               // SET; POP, RANDOM: target only (POP: may be NULL)
        sir_expr *value;                                        // PUSH, RETURN (may be NULL)
        struct { sir_expr *value; const char *text; size_t len; } print; // value NULL: text
        struct { sir_expr *target; sir_function *function; VEC(sir_expr *) args; } call; // array arguments are lvalues: by reference
        struct { sir_expr *cond; sir_block then, otherwise; } if_;
        struct { uint32_t local; sir_expr *lo, *hi; int32_t step; sir_block body; } for_;
        struct { sir_block pre; sir_expr *cond; sir_block body, step; bool post_test; } loop; // cond NULL: true
        sir_block block;
        struct { uint32_t portal; const char *handler; VEC(sir_expr *) args; bool best_effort; sir_expr *min, *max; } send; // portal: in module->portals
    } u;
};

typedef struct sir_local {
    const char *name; // unique in the function; temporaries are named "t.1"
    const sir_type *type;
    bool by_reference; // an array parameter
    sir_loc loc;
} sir_local;

// A rate: min == max unless dynamic; max -1: no bound.
typedef struct sir_rate {
    bool dynamic;
    int64_t min, max;
    sir_loc loc; // of the clause, if written
} sir_rate;

typedef enum sir_function_kind { SIR_WORK, SIR_PREWORK, SIR_HANDLER, SIR_HELPER, SIR_NATIVE } sir_function_kind;
struct sir_function {
    sir_function_kind kind;
    const char *name;   // unique in its filter, or in the module for helpers of helper blocks and natives ("P.f")
    const sir_type *result;
    uint32_t param_count; // the first locals
    VEC(sir_local) locals;
    struct sir_local_names *names; // of many locals, of sir_local_new; NULL: those have to be found again
    sir_rate peek, pop, push; // peek >= pop after elaboration
    sir_block body;
    sir_loc loc;
};

// ---- Filters, actors, channels ----

// NOTE(finite). A filter with fields of other roles than SIR_STATE is *finite*: a function over streams with shapes that are known when it is called. It
// is no actor; its caller runs it over an iteration space, the shape of its first output, and it fires once an element. What a firing gets and gives are
// fields: they have their values when it begins, and what is assigned goes out when it ends, so that all other parts of the compiler see but fields.
typedef enum sir_role {
    SIR_STATE,      // an ordinary field
    SIR_UNIFORM,    // the same for all firings; not assigned
    SIR_INPUT,      // the element of a stream that belongs to the firing's place; not assigned
    SIR_OUTPUT,     // the element of a stream at the firing's place: before the firing its old value
    SIR_GATHER,     // a stream that any element may be fetched from (SIR_FETCH); type: an element's. Only SIR_FETCH names it
    SIR_ITERATOR,   // the value of an iterator at the firing's place: float or a struct of floats; not assigned
    SIR_REDUCED,    // what the firings before made of the elements before; the first element is its first value
    SIR_VARIABLE,   // stands for a stream that gets what the filter pushes, in order; type: the filter's output. Bodies do not name it
    SIR_INSIDE,     // stands for a stream between parts of the filter, of which nothing is read or written: it has the shape of the outputs, as all of
                    // them have, or else the call is not done and says so. Bodies do not name it
    SIR_MAPPED,     // of a reduction with a prework: stands for a stream that is not stored either, which all inputs have the shape of. prework makes its
                    // element of those of the inputs, and work reduces that
    SIR_COORDINATE, // int: where the element of another field lies in its stream, in one dimension; not assigned
    SIR_ROLE_COUNT,
} sir_role;
// Words of the text: "uniform", "in", "out", ... by role.
extern const char *const sir_role_words[SIR_ROLE_COUNT];
// Whether it is a parameter of the function that the filter becomes.
static inline bool sir_role_is_parameter(sir_role role)
{
    return role != SIR_STATE && role != SIR_COORDINATE;
}
// The type that kernels compute in for a letter of sir_field.stored; SIR_VOID: no such letter.
sir_type_kind sir_stored_kind(char letter);
enum { SIR_RANK = 4 }; // dimensions of a stream, at most

typedef struct sir_field {
    const char *name;
    const sir_type *type;
    sir_role role;
    const char *stored; // of streams whose elements are not stored as their type says: a letter each scalar, those of svm_BrookType (svm/brook.h); else NULL
    uint32_t rank;      // GATHER: dimensions, 1 to SIR_RANK
    uint32_t of;        // COORDINATE: the field, an input, output or iterator
    uint32_t dimension; // COORDINATE: 0 the fastest
    sir_value init; // after field initialisers and 'init' ran
    bool constant;  // never assigned in work, prework, handlers or functions they reach
    sir_loc loc;
} sir_field;

typedef struct sir_filter {
    const char *name;   // unique: the declaration's name, or the enclosing stream's with a number for anonymous ones: "LowPass", "LowPass_2", "FMRadio_anon_1"
    const char *source; // as a reader of emitted code wants to see it: "LowPassFilter(250000.0, 1.08e+08, 64, 4)"
    const sir_type *input, *output;
    VEC(sir_field) fields;
    sir_function *work, *prework; // prework may be NULL
    sir_function *ahead;          // what several firings of work do, but for rounding, at -Ofast (hlc/passes/look_ahead.c); NULL: there is none
    VEC(sir_function *) functions, handlers;
    bool stateful, uses_iter, uses_random, prints, sends; // derived by sir_filter_derive
    bool natives;                                         // likewise: calls natives; not in the text
    bool identity; // work is push(pop()) and nothing else
    bool finite;   // some field has a role: NOTE(finite)
    sir_loc loc;
} sir_filter;

typedef enum sir_actor_kind { SIR_FILTER, SIR_SPLIT, SIR_JOIN, SIR_READER, SIR_WRITER } sir_actor_kind;

// Ports count from 0. A filter, reader or writer has at most one input and one output; a splitter one input, a joiner one output.
typedef struct sir_actor {
    sir_actor_kind kind;
    const char *name; // unique in the graph, a C identifier: "LowPass_1"
    uint32_t region;
    sir_filter *filter;      // FILTER
    bool duplicate;          // SPLIT
    VEC(uint32_t) weights;   // SPLIT round-robin: an output each; JOIN: an input each
    const char *path;        // READER, WRITER; NULL: the program's own input or output
    const sir_type *item;    // READER, WRITER, SPLIT, JOIN
    VEC(uint32_t) inputs, outputs; // channels; UINT32_MAX: none (a void child's side; its weight is 0)
    // Firings of the initialisation at least: messages asked for them of which a pass has found that they are never sent.
    int64_t least;
    sir_loc loc;
} sir_actor;
#define SIR_NONE UINT32_MAX
static inline bool sir_is_file(const sir_actor *a)
{
    return a->kind == SIR_READER || a->kind == SIR_WRITER;
}
static inline bool sir_prints(const sir_actor *a)
{
    return a->kind == SIR_FILTER && a->filter->prints;
}

// Items of which, from the `first` behind the initialisation on, all but every so many are known to be 0. The filters are no
// actor's: they say what steady states come to. `samples` is the producer without what it pushes of zeros (pop 1, push 1);
// a firing of `phases` takes the others and does what several firings of the consumer do (hlc/passes/polyphase.c).
typedef struct sir_zeros {
    int64_t every, first;
    sir_filter *samples, *phases;
} sir_zeros;

typedef struct sir_channel {
    const sir_type *type;
    uint32_t producer, producer_port, consumer, consumer_port; // actors
    VEC(sir_value) initial; // enqueued items
    const sir_zeros *zeros; // NULL: none are known
    sir_loc loc;            // of the first enqueue, or 0
} sir_channel;

// The source's hierarchy. Region 0 is the program.
typedef enum sir_region_kind { SIR_PIPELINE, SIR_SPLITJOIN, SIR_FEEDBACKLOOP, SIR_FILTER_REGION } sir_region_kind;
typedef struct sir_region {
    sir_region_kind kind;
    const char *name;   // as declared, or "anon"
    const char *args;   // "(4, 1.5)" or ""
    uint32_t parent;    // SIR_NONE for region 0; a smaller number
    bool in_loop;       // it is a feedback loop, or in one; of sir_region_add
    sir_loc loc;
} sir_region;

typedef struct sir_portal {
    const char *name;
    VEC(uint32_t) receivers; // actors
    bool inside;             // no messages from outside the program go to it
    sir_loc loc;
} sir_portal;

typedef struct sir_global {
    const char *name; // unique
    sir_value value;
    sir_loc loc;
} sir_global;

// Whose functions are, as far as anybody has asked.
typedef struct sir_owners {
    hmap places; // by function: 1 more than the place that its filter had then
    size_t last; // the place that was found last
} sir_owners;

typedef struct sir_module {
    arena *arena;
    interner *names;
    const char *name;          // program's name: the top-level stream's
    VEC(const char *) files;   // files.data[0] is ""; sir_loc.file indexes this
    VEC(source_id) sources;    // the source_set's number of each file, 0 if unknown
    VEC(sir_struct *) structs;
    hmap types;                // interned types
    const sir_type *scalar[SIR_SCALAR_KINDS];
    const sir_type *stored[SIR_STORAGE_COUNT]; // ints; NULL: not asked for yet
    VEC(sir_global) globals;
    VEC(sir_function *) functions; // of helper and native blocks
    VEC(sir_filter *) filters;
    VEC(sir_region) regions;
    VEC(sir_portal) portals;
    VEC(sir_actor *) actors; // in canonical order: depth-first textual; a splitter before its children, a joiner after; in a loop joiner, body, splitter, loop
    VEC(sir_channel) channels;
    const char *init_text;   // what init blocks printed while the graph was built; printed once when the program starts
    size_t init_text_len;
    bool canonical;          // canonicalize has run
    // Derived for plans: items of type bit are all 0 or 1, so that a byte holds one; else where another may be pushed.
    bool byte_bits;
    sir_loc other_bit;
    bool narrow; // ints that need few bits have types that say so
    hmap *rates_known; // of functions, by what they do (rates_known.c)
    sir_owners *owners;
} sir_module;

sir_module *sir_module_create(arena *a, interner *names, const char *name);
const sir_type *sir_type_array(sir_module *m, const sir_type *element, uint32_t length);
const sir_type *sir_type_struct(sir_module *m, const sir_struct *decl);
const sir_type *sir_type_stored(sir_module *m, sir_storage storage); // an int
bool sir_same_values(const sir_type *a, const sir_type *b); // equal but for how ints are stored
static inline uint64_t sir_int_bytes(const sir_type *t)
{
    return t->storage == SIR_STORED_WHOLE ? 4 : t->storage == SIR_STORED_INT16 ? 2 : 1;
}
void sir_type_print(strbuf *out, const sir_type *t); // "float[4][2]", "struct Pair"
uint32_t sir_file(sir_module *m, const char *name, source_id source); // interned
src_range sir_range(const sir_module *m, source_set *sources, sir_loc loc); // for diagnostics
sir_loc sir_loc_from(sir_module *m, const source_set *sources, src_range r);
// "fm.str:12:5" when loc's text cannot be had, so that a range would say nothing; else NULL.
const char *sir_place_text(arena *a, const sir_module *m, source_set *sources, sir_loc loc);
// An error at a place of the source program.
diag_record *sir_error(const sir_module *m, diag_engine *d, sir_loc loc, const char *format, ...) __attribute__((format(printf, 4, 5)));

// Builders: nodes in the module's arena.
uint32_t sir_region_add(sir_module *m, sir_region r); // gives its number; a parent that is none is in no loop
sir_expr *sir_const_int(sir_module *m, int32_t v, sir_loc loc);
sir_expr *sir_const_float(sir_module *m, float v, sir_loc loc);
sir_expr *sir_const_bool(sir_module *m, bool v, sir_loc loc);
sir_expr *sir_const(sir_module *m, const sir_type *t, sir_scalar v, sir_loc loc);
sir_expr *sir_ref(sir_module *m, sir_expr_kind kind, uint32_t index, const sir_type *t, sir_loc loc); // LOCAL FIELD GLOBAL
sir_expr *sir_expr1(sir_module *m, sir_expr_kind kind, int op, const sir_type *t, sir_expr *a, sir_loc loc);
sir_expr *sir_expr2(sir_module *m, sir_expr_kind kind, int op, const sir_type *t, sir_expr *a, sir_expr *b, sir_loc loc);
sir_expr *sir_expr3(sir_module *m, sir_expr_kind kind, const sir_type *t, sir_expr *a, sir_expr *b, sir_expr *c, sir_loc loc);
sir_expr *sir_fetch(sir_module *m, uint32_t field, const sir_type *t, sir_expr *const *subscripts, uint32_t rank, sir_loc loc);
sir_expr *sir_member(sir_module *m, sir_expr *base, uint32_t index, sir_loc loc);
sir_stmt *sir_stmt_new(sir_module *m, sir_stmt_kind kind, sir_loc loc);
uint32_t sir_local_new(sir_module *m, sir_function *f, const char *name, const sir_type *t, sir_loc loc); // makes the name unique
uint32_t sir_channel_connect(sir_module *m, uint32_t producer, uint32_t producer_port, uint32_t consumer, uint32_t consumer_port, const sir_type *t);
size_t sir_math_arity(int op);
static inline size_t sir_expr_arity(const sir_expr *e)
{
    switch ((sir_expr_kind)e->kind) {
    case SIR_CONST:
    case SIR_LOCAL:
    case SIR_FIELD:
    case SIR_GLOBAL:
    case SIR_ITER: return 0;
    case SIR_MEMBER:
    case SIR_UNARY:
    case SIR_CONVERT:
    case SIR_PEEK: return 1;
    case SIR_INDEX:
    case SIR_BINARY:
    case SIR_MAKE_COMPLEX: return 2;
    case SIR_FETCH: return e->op;
    case SIR_SELECT: return 3;
    case SIR_MATH: return sir_math_arity(e->op);
    }
    return 0;
}
// What a subscript is applied to, as its source would read: "x", "m[]", "p.table". filter NULL: of no filter's function.
void sir_describe(strbuf *b, const sir_module *m, const sir_filter *filter, const sir_function *f, const sir_expr *e);
// Recomputes stateful, uses_*, prints, sends, natives, identity and fields' constant flags from the bodies.
void sir_filter_derive(sir_module *m, sir_filter *f);
// Whether it is made of finite filters, without a graph of its own.
bool sir_is_finite(const sir_module *m);
// Finds byte_bits and other_bit, of a program that has not been cut up.
void sir_find_byte_bits(sir_module *m);
// Scalars of a value by position; sir_value_zero makes one without storage.
sir_value sir_value_zero(const sir_type *t);
bool sir_value_is_zero(const sir_value *v); // in every bit, as fresh memory is
sir_value sir_value_new(arena *a, const sir_type *t); // writable zeroes

// Evaluation of one operation on constants, the very arithmetic of the run time (runtime's svm/arith.h; libm called, never folded by the C compiler).
// sir_eval_* give false where the operation stops the program (integer division by zero).
bool sir_eval_unary(lang_unary_op op, const sir_type *t, sir_scalar a, sir_scalar *result);
bool sir_eval_binary(lang_binary_op op, const sir_type *operand_type, sir_scalar a, sir_scalar b, sir_scalar *result);
bool sir_eval_math(lang_math_op op, const sir_type *operand_type, sir_scalar a, sir_scalar b, sir_scalar *result);
sir_scalar sir_eval_convert(const sir_type *from, const sir_type *to, sir_scalar v);

// Least and greatest value of an int expression, in 64 bits; of an operation on such, before it wraps. All ints where
// nothing better is known.
typedef struct sir_interval { int64_t lo, hi; } sir_interval;
sir_interval sir_interval_binary(lang_binary_op op, sir_interval a, sir_interval b);
static inline sir_interval sir_interval_hull(sir_interval a, sir_interval b)
{
    return (sir_interval){a.lo < b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi};
}

// Text. sir_parse reports located errors to d (file is the IR text's) and returns NULL on any.
void sir_print(strbuf *out, const sir_module *m);
void sir_print_with(strbuf *out, const sir_module *m, bool places); // without places what is parsed again has none
sir_module *sir_parse(arena *a, interner *names, diag_engine *d, source_id file);
// The same where a plan may follow: end is the offset of the line "plan ..." or the text's length.
sir_module *sir_parse_prefix(arena *a, interner *names, diag_engine *d, source_id file, uint32_t *end);
// The verifier: everything stream IR promises that does not need a schedule. Reports to d (ranges in the source program), true if all holds.
bool sir_verify(const sir_module *m, diag_engine *d);
// Pops, peeks and pushes of a function along all paths where they can be known: count is [min,max], max -1 unknown; window is the highest item
// certainly touched; reach: no item from there on is, -1 unknown.
typedef struct sir_rate_bounds { int64_t pop_min, pop_max, push_min, push_max, window_max, reach; } sir_rate_bounds;
sir_rate_bounds sir_function_rates(const sir_module *m, const sir_function *f);
// "2", "[1,4]", "[1,*]".
const char *sir_rate_text(arena *a, const sir_rate *r);
// The peeks of a function that may be outside of the window that it declares, and the subscripts that may be outside of
// their arrays (SIR_PEEK and SIR_INDEX), as keys of a set.
void sir_unproved_accesses(const sir_module *m, const sir_function *f, hmap *open);
// Rates that are known to differ from what is declared: errors (too many pops, any wrong push, peek outside the window); too few pops: -Wimplicit-pop.
bool sir_check_rates(const sir_module *m, diag_engine *d);

#endif
