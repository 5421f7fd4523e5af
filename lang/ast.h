// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The typed syntax tree: expressions, statements and kernel bodies of all front ends, and StreamIt's declarations.
//
// A front end builds it in two steps: the parser makes nodes with ranges and names; the semantic checker fills the fields
// marked [sema]: types, resolved names, implicit conversions as EXPR_CONVERT nodes, inferred stream types. After a check
// without errors every [sema] field is valid and the tree needs no further rule of the language but those that depend on
// values known only when the graph is elaborated. Everything lives in the module's arena; nodes are never freed.
#ifndef SVMC_LANG_AST_H
#define SVMC_LANG_AST_H

#include <stdbool.h>
#include <stdint.h>

#include "lang/type.h"
#include "support/source.h"
#include "support/vec.h"

typedef struct ast_expr ast_expr;
typedef struct ast_stmt ast_stmt;
typedef struct ast_var ast_var;
typedef struct ast_struct ast_struct;
typedef struct ast_function ast_function;
typedef struct ast_stream ast_stream;

typedef enum lang_unary_op {
#define LANG_UNARY(id, spelling, mnemonic) LANG_OP_##id,
#include "lang/ops.def"
    LANG_UNARY_COUNT
} lang_unary_op;

typedef enum lang_binary_op {
#define LANG_BINARY(id, spelling, mnemonic, class) LANG_OP_##id,
#include "lang/ops.def"
    LANG_BINARY_COUNT
} lang_binary_op;

typedef enum lang_math_op {
#define LANG_MATH(id, name, mnemonic, arity, complex, exact) LANG_MATH_##id,
#include "lang/ops.def"
    LANG_MATH_COUNT
} lang_math_op;

extern const char *const lang_unary_spelling[LANG_UNARY_COUNT], *const lang_unary_mnemonic[LANG_UNARY_COUNT];
extern const char *const lang_binary_spelling[LANG_BINARY_COUNT], *const lang_binary_mnemonic[LANG_BINARY_COUNT];
extern const char *const lang_math_name[LANG_MATH_COUNT], *const lang_math_mnemonic[LANG_MATH_COUNT];
extern const int lang_math_arity[LANG_MATH_COUNT];

// A variable of any kind: global, stream parameter, field, function parameter, local, portal.
typedef enum ast_var_kind { VAR_GLOBAL, VAR_STREAM_PARAM, VAR_FIELD, VAR_FUNCTION_PARAM, VAR_LOCAL, VAR_STRUCT_FIELD } ast_var_kind;
struct ast_var {
    ast_var_kind kind;
    const char *name; // interned
    const lang_type *type;
    ast_expr *init; // NULL: zero; an EXPR_ARRAY for {..}
    src_range range, type_range;
    const ast_stream *owner;   // [sema] FIELD, STREAM_PARAM and locals of composites: the stream; else NULL
    const ast_function *function; // [sema] FUNCTION_PARAM and LOCAL: the function-like body it belongs to; NULL in a composite
    uint32_t index;  // [sema] position among the variables of its scope: globals of the program, params / fields of the
                     // stream, or all locals and parameters of one function or composite body (no two of these share one)
    bool assigned;   // [sema] assigned, incremented or popped into somewhere outside its declaration, fields: outside 'init'
};
typedef VEC(ast_var *) ast_var_list;
typedef VEC(ast_expr *) ast_expr_list;
typedef VEC(ast_stmt *) ast_stmt_list;

typedef enum ast_expr_kind {
    EXPR_ERROR,
    EXPR_INT,    // int or hex literal in range; type bit when the text is 0 or 1
    EXPR_FLOAT,  // float literal, or an int literal out of range; also 'pi'
    EXPR_IMAG,   // 2i
    EXPR_BOOL,
    EXPR_STRING,
    EXPR_NAME,   // a variable
    EXPR_FIELD,  // base.field of a struct, .real / .imag of a complex
    EXPR_INDEX,  // base[index]
    EXPR_UNARY,
    EXPR_BINARY, // ADD with TYPE_STRING is concatenation
    EXPR_COND,   // c ? a : b
    EXPR_CAST,   // written by the user: (int)x
    EXPR_CONVERT, // [sema] implicit promotion to the node's type
    EXPR_INCDEC, // ++x x++ --x x--
    EXPR_CALL,   // name(args) or P.name(args)
    EXPR_POP,
    EXPR_PEEK,
    EXPR_ITER,
    EXPR_ARRAY, // {a, b, ...}: initialisers only
} ast_expr_kind;

// What a call means [sema].
typedef enum ast_callee {
    CALLEE_UNRESOLVED,
    CALLEE_FUNCTION, // a function of the filter, or of a helper block
    CALLEE_NATIVE,   // a function declared in a native block
    CALLEE_MATH,
    CALLEE_PRINT, // print, println (with or without an argument): statements only
    CALLEE_PRINTLN,
    CALLEE_RANDOM,         // double in [0,1)
    CALLEE_INIT_ARRAY_INT, // init_array_1D_int("file", n)
    CALLEE_INIT_ARRAY_FLOAT,
} ast_callee;

struct ast_expr {
    ast_expr_kind kind;
    src_range range;
    const lang_type *type; // [sema]
    union {
        int64_t integer;  // INT
        double number;    // FLOAT (already rounded to float), IMAG
        bool boolean;     // BOOL
        struct {
            const char *text; // NUL-terminated after len; escapes decoded
            size_t len;
        } string;
        struct {
            const char *name;
            ast_var *var; // [sema]
        } name;
        struct {
            ast_expr *base;
            const char *name;
            src_range name_range;
            int index; // [sema] field's position; complex: 0 real, 1 imag
        } field;
        struct {
            ast_expr *base, *index; // index NULL: 'a[]' was written (an error already reported)
        } index;
        struct {
            lang_unary_op op;
            ast_expr *operand;
        } unary;
        struct {
            lang_binary_op op;
            ast_expr *left, *right;
            src_range op_range;
        } binary;
        struct {
            ast_expr *cond, *then, *otherwise;
        } cond;
        struct {
            const lang_type *to; // CAST
            ast_expr *operand;
        } cast; // CAST and CONVERT
        struct {
            ast_expr *target;
            bool increment, prefix;
        } incdec;
        struct {
            const char *module; // P in P.f(..); else NULL
            const char *name;
            src_range name_range;
            ast_expr_list args;
            ast_callee callee;      // [sema]
            lang_math_op math;      // [sema] MATH
            ast_function *function; // [sema] FUNCTION, NATIVE
        } call;
        struct {
            ast_expr *offset;
        } peek;
        ast_expr_list array;
    } u;
};

typedef enum ast_stmt_kind {
    STMT_ERROR,
    STMT_EMPTY,
    STMT_BLOCK,
    STMT_DECL,   // one statement, several variables
    STMT_ASSIGN, // target op= value
    STMT_EXPR,   // ++/--, calls, pop, peek, iter
    STMT_IF,
    STMT_WHILE,
    STMT_DO,
    STMT_FOR,
    STMT_BREAK,
    STMT_CONTINUE,
    STMT_RETURN,
    STMT_PUSH,
    STMT_ENQUEUE,
    STMT_ADD,
    STMT_BODY,
    STMT_LOOP,
    STMT_SPLIT,
    STMT_JOIN,
    STMT_SEND,
} ast_stmt_kind;

// A child named in add, body or loop.
typedef struct ast_child {
    const char *name;       // named child; NULL for an anonymous stream
    src_range name_range;
    const lang_type *type_argument; // Identity<T>; NULL if none
    ast_expr_list args;
    ast_stream *anonymous;  // its declaration, written in place; NULL for a named child
    ast_stream *decl;       // [sema] what is instantiated (a builtin has its own declaration, see ast_builtin)
    ast_expr_list portals;  // 'to p, q': EXPR_NAME each
} ast_child;

typedef enum ast_split_kind { SPLIT_DUPLICATE, SPLIT_ROUNDROBIN } ast_split_kind;

struct ast_stmt {
    ast_stmt_kind kind;
    src_range range;
    union {
        ast_stmt_list block;
        ast_var_list decl;
        struct {
            ast_expr *target, *value;
            bool compound;      // op is meant: target op= value, converted to the target's type afterwards
            lang_binary_op op;
        } assign;
        ast_expr *expr; // EXPR, RETURN (or NULL), PUSH, ENQUEUE
        struct {
            ast_expr *cond;
            ast_stmt *then, *otherwise; // otherwise may be NULL
        } if_;
        struct {
            ast_stmt *init; // FOR: DECL, a simple statement, or NULL
            ast_expr *cond; // NULL in 'for (;;)'
            ast_stmt *step; // FOR; may be NULL
            ast_stmt *body;
        } loop; // WHILE, DO, FOR
        ast_child child; // ADD, BODY, LOOP
        struct {
            ast_split_kind kind;
            bool has_weights;      // roundrobin(...) with a list
            ast_expr_list weights; // one for all, or one a child
        } split; // SPLIT, JOIN
        struct {
            ast_expr *portal; // EXPR_NAME
            const char *handler;
            src_range handler_range;
            ast_expr_list args;
            bool best_effort;         // [*]
            bool has_latency;         // false: [0:0]
            ast_expr *min, *max;      // either may be NULL: [a:] is a:a, [:b] is 0:b
            const ast_function *decl; // [sema]
        } send;
    } u;
};

// One rate clause: an expression, or a dynamic range.
typedef struct ast_rate {
    bool given, dynamic; // dynamic: '*' or '[min, (avg,) max]'
    ast_expr *value;     // static
    ast_expr *min, *avg, *max; // dynamic; NULL stands for '*'
    src_range range;
} ast_rate;

typedef enum ast_function_kind { FUNC_INIT, FUNC_WORK, FUNC_PREWORK, FUNC_HANDLER, FUNC_HELPER, FUNC_NATIVE } ast_function_kind;

struct ast_function {
    ast_function_kind kind;
    const char *name;   // "init", "work", "prework" for these
    const char *module; // P of a helper or native block's function; else NULL
    src_range module_range; // of that block
    src_range range, name_range;
    const lang_type *result; // void but for HELPER and NATIVE
    ast_var_list params;
    ast_rate push, pop, peek;
    ast_stmt *body;      // NULL for NATIVE
    bool broken;         // syntax errors inside
    ast_var_list locals; // [sema] parameters first, then every local of the body; var->index is the position here
    ast_stream *stream;  // [sema] the filter it belongs to; NULL for helper blocks, native blocks and the static init
};

typedef enum ast_stream_kind { STREAM_FILTER, STREAM_PIPELINE, STREAM_SPLITJOIN, STREAM_FEEDBACKLOOP } ast_stream_kind;

// Built-in streams have declarations too, made by the checker, with no members.
// So have Brook kernels, made of those that are imported.
typedef enum ast_builtin { BUILTIN_NONE, BUILTIN_IDENTITY, BUILTIN_FILE_READER, BUILTIN_FILE_WRITER, BUILTIN_KERNEL } ast_builtin;

struct ast_stream {
    ast_stream_kind kind;
    ast_builtin builtin;
    const char *name; // NULL for an anonymous stream
    src_range range, name_range, type_range;
    bool broken;      // syntax errors inside: parts are missing, and nothing is said about that
    bool imported;    // from a file that another one imports: not the program unless --top names it
    bool stateful;    // the keyword was given
    const lang_type *input, *output; // as written; TYPE_UNTYPED when not written, [sema] inferred
    ast_var_list params;
    // filters
    ast_var_list fields; // in source order
    ast_function *init, *work, *prework;
    VEC(ast_function *) functions, handlers;
    bool mutable_state; // [sema] some field is assigned in work, prework, a handler or a function they reach
    bool uses_iter, uses_random, prints, sends; // [sema] in work, prework or a function they reach
    // composites
    ast_stmt *body;      // STMT_BLOCK
    ast_var_list locals; // [sema] every local of a composite's body (nested anonymous streams have their own)
    // kernels
    const struct brook_kernel *kernel;
    const char *unfit;     // why it cannot be a filter; NULL: it can
    src_range unfit_range; // what is to blame for that
    // anonymous streams
    ast_stream *parent;    // the composite around it
    ast_var_list captures; // [sema] variables of enclosing streams used inside: values taken at the 'add', read-only
};

struct ast_struct {
    const char *name;
    src_range range, name_range;
    ast_var_list fields;
};

// The 'static' block of a file.
typedef struct ast_static {
    src_range range; // of the word
    ast_var_list globals;
    ast_function *init; // or NULL
} ast_static;

// One 'input' or 'expect' of a test: numbers, those of arrays and structs one by one; expected strings are what is printed.
typedef struct ast_test_values {
    ast_expr_list values;
    ast_expr *within; // how far the output may be from what is expected; NULL: it is that
    src_range range;
} ast_test_values;

// test Name { input 1, 2; run Filter(2); expect 3 within 1e-6; }
typedef struct ast_test {
    const char *name;
    src_range range, name_range;
    ast_stream *stream; // a pipeline without a name, of what is run
    VEC(ast_test_values) input, expect;
    bool broken;   // syntax errors inside
    bool imported; // from a file that another one imports: not run
} ast_test;

typedef struct ast_program {
    arena *arena;
    VEC(ast_struct *) structs;
    VEC(ast_stream *) streams; // named streams in source order
    VEC(ast_static *) statics; // of imported files before those that import them
    ast_var_list globals;      // of all, in that order
    VEC(ast_function *) helpers, natives; // of all helper and native blocks
    VEC(ast_test *) tests;
    VEC(ast_stream *) kernels;   // of imported Brook files
    struct brook_program *brook; // theirs; NULL: none are imported
    ast_stream *top; // [sema] the program
    bool broken;         // braces do not match or the text ends too early: what stands where, or is missing, is not reported
    struct hmap *unsure; // names in text skipped after a syntax error: not reported as unknown; NULL when there is none
} ast_program;

// Prints a tree for --emit=ast: an indented, deterministic form with types and places (line:column).
void ast_print(strbuf *out, const source_set *sources, const ast_program *program);
// Prints an expression as a user could write it: nested operations in parentheses, implicit conversions left out.
void ast_print_expr(strbuf *out, const ast_expr *e);

#endif
