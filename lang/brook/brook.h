// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The Brook front end: text to typed trees of kernels, and to what a host program says of streams.
//
// A file is split by tokens into items. Kernels, reduce functions and struct types are parsed and checked in full. Host
// code is C of any kind and is not parsed as C: what it says of streams is found by its tokens and replaced, and every
// other byte stays as it is.
#ifndef SVMC_LANG_BROOK_H
#define SVMC_LANG_BROOK_H

#include "lang/ast.h" // operations
#include "support/diag.h"
#include "support/hmap.h"
#include "support/strbuf.h"

// ---- Types ----

typedef enum brook_element {
    BROOK_ERROR, // of something already reported: every check accepts it silently
#define BROOK_ELEMENT(id, spelling, rank) BROOK_##id,
#include "lang/brook/types.def"
    BROOK_STRUCT,
} brook_element;

typedef struct brook_struct brook_struct;
typedef struct brook_type {
    brook_element element;
    uint8_t width;            // 1 to 4; 1 for structs and void
    const brook_struct *decl; // STRUCT
} brook_type;

typedef struct brook_member {
    const char *name;
    brook_type type;
    src_range range;
} brook_member;

// typedef struct TAG { .. } NAME;
struct brook_struct {
    const char *tag, *name;
    src_range range, name_range;
    VEC(brook_member) members;
};

bool brook_type_same(brook_type a, brook_type b);
const char *brook_type_name(arena *a, brook_type t); // as a user writes it
int brook_element_rank(brook_element e);
// A letter for each scalar of an element as streams store it: those of svm_BrookType (svm/brook.h).
void brook_type_leaves(strbuf *out, brook_type t);
bool brook_type_is_small(brook_type t); // stored otherwise than kernels compute with it
static inline bool brook_is_number(brook_type t)
{
    return t.element != BROOK_ERROR && t.element != BROOK_VOID && t.element != BROOK_STRUCT;
}
static inline bool brook_is_integer(brook_type t)
{
    return t.element >= BROOK_CHAR && t.element <= BROOK_UINT;
}

// ---- Kernels ----

typedef struct brook_expr brook_expr;
typedef struct brook_stmt brook_stmt;
typedef struct brook_kernel brook_kernel;
typedef VEC(brook_expr *) brook_exprs;
typedef VEC(brook_stmt *) brook_stmts;

typedef enum brook_var_kind {
    BROOK_LOCAL,
    BROOK_INPUT,    // T a<>
    BROOK_ITERATOR, // iter T a<>
    BROOK_OUTPUT,   // out T a<>
    BROOK_VOUT,     // vout[n] T a<>
    BROOK_REDUCE,   // reduce T a<> or reduce T a
    BROOK_GATHER,   // T a[], up to four brackets
    BROOK_UNIFORM,  // T a
    BROOK_INSIDE,   // of a fused kernel: a stream between its calls, of which nothing is read or written
    BROOK_MAPPED,   // likewise, which its last call reduces
} brook_var_kind;

// A parameter or local of a kernel.
typedef struct brook_var {
    brook_var_kind kind;
    const char *name;
    brook_type type;
    src_range range, type_range;
    uint8_t rank;     // GATHER
    bool constant;    // declared const
    brook_expr *init; // LOCAL; may be NULL
    brook_expr *most; // VOUT: n of vout[n]; NULL: any number
    uint32_t index;   // [sema] in kernel->vars: parameters first, then every local of the body
    bool assigned;    // [sema] written somewhere, outside its declaration
    bool indexed;     // [sema] indexof of it is taken, here or in a kernel that it is passed to
    bool whole;       // [sema] OUTPUT: every path assigns all of it, and nothing reads what it was before
} brook_var;
typedef VEC(brook_var *) brook_vars;

typedef enum brook_intrinsic {
#define BROOK_INTRINSIC(id, name, arguments, shape) BROOK_FN_##id,
#include "lang/brook/intrinsics.def"
    BROOK_FN_COUNT
} brook_intrinsic;

typedef enum brook_shape {
    BROOK_SHAPE_EACH,
    BROOK_SHAPE_SCALAR,
    BROOK_SHAPE_FLAG,
    BROOK_SHAPE_FLAG_SCALAR,
    BROOK_SHAPE_SAME,
    BROOK_SHAPE_CROSS,
    BROOK_SHAPE_PARTS,
} brook_shape;

typedef struct brook_intrinsic_row {
    const char *name;
    uint8_t arguments;
    brook_shape shape;
} brook_intrinsic_row;
extern const brook_intrinsic_row brook_intrinsics[BROOK_FN_COUNT];

typedef enum brook_expr_kind {
    BROOK_EXPR_ERROR,
    BROOK_EXPR_NUMBER, // any literal: a float with the value as written (21)
    BROOK_EXPR_NAME,
    BROOK_EXPR_MEMBER, // base.name; [sema] either a member of a struct or a swizzle
    BROOK_EXPR_INDEX,  // base[i]..: [sema] a gather with all its subscripts, or one component of a vector
    BROOK_EXPR_UNARY,  // - ! ~
    BROOK_EXPR_BINARY,
    BROOK_EXPR_COND,
    BROOK_EXPR_CAST,   // (T)x
    BROOK_EXPR_ASSIGN, // target = value, target op= value
    BROOK_EXPR_INCDEC,
    BROOK_EXPR_CALL,   // f(args): [sema] an intrinsic or a kernel
    BROOK_EXPR_MAKE,   // float4(a, b, c, d)
    BROOK_EXPR_BRACES, // {a, b}: initialisers
    BROOK_EXPR_INDEXOF,
    BROOK_EXPR_COMMA,
} brook_expr_kind;

struct brook_expr {
    brook_expr_kind kind;
    uint16_t height; // of the tree
    bool integral;   // NUMBER: written without '.' or exponent
    bool effects;    // [sema] evaluation writes something
    src_range range;
    brook_type type; // [sema]
    union {
        double number;
        struct {
            const char *name;
            brook_var *var; // [sema]
        } name;             // NAME, INDEXOF
        struct {
            brook_expr *base;
            const char *name;
            src_range name_range;
            bool swizzle;         // [sema]
            uint8_t component[4]; // [sema] swizzle: of each component of the result, of the type's width
            uint32_t index;       // [sema] of the member
        } member;
        struct {
            brook_expr *base;
            brook_exprs at;
            brook_var *gather; // [sema] NULL: a component of a vector
        } index;
        struct {
            int op; // lang_unary_op
            brook_expr *operand;
        } unary;
        struct {
            int op; // lang_binary_op
            brook_expr *left, *right;
            src_range op_range;
        } binary; // BINARY, COMMA
        struct {
            brook_expr *cond, *then, *otherwise;
        } cond;
        struct {
            brook_type to; // CAST
            brook_expr *operand;
        } cast;
        struct {
            brook_expr *target, *value;
            bool compound;
            int op; // lang_binary_op
            src_range op_range;
            brook_type meets; // [sema] compound: the type that the operation works in
        } assign;
        struct {
            brook_expr *target;
            bool increment, prefix;
        } incdec;
        struct {
            const char *name;
            src_range name_range;
            brook_exprs args;
            bool intrinsic;       // [sema]
            brook_intrinsic fn;   // [sema]
            brook_kernel *kernel; // [sema]
        } call;
        brook_exprs parts; // MAKE, BRACES
    } u;
};

typedef enum brook_stmt_kind {
    BROOK_STMT_EMPTY,
    BROOK_STMT_BLOCK,
    BROOK_STMT_DECL,
    BROOK_STMT_EXPR,
    BROOK_STMT_PUSH,
    BROOK_STMT_IF,
    BROOK_STMT_WHILE,
    BROOK_STMT_DO,
    BROOK_STMT_FOR,
    BROOK_STMT_BREAK,
    BROOK_STMT_CONTINUE,
    BROOK_STMT_RETURN,
    BROOK_STMT_DISCARD,
} brook_stmt_kind;

struct brook_stmt {
    brook_stmt_kind kind;
    uint16_t height;
    src_range range;
    union {
        brook_stmts block;
        brook_vars decl;
        brook_expr *expr; // EXPR, RETURN (or NULL)
        struct {
            const char *name;
            src_range name_range;
            brook_var *var; // [sema]
        } push;
        struct {
            brook_expr *cond;
            brook_stmt *then, *otherwise;
        } if_;
        struct {
            brook_stmt *init;        // DECL or EXPR, or NULL
            brook_expr *cond, *step; // may be NULL
            brook_stmt *body;
        } loop;
    } u;
};

struct brook_kernel {
    const char *name;
    src_range range, name_range;
    bool reduce;                                                   // a reduce function
    bool broken;                                                   // syntax errors inside
    enum { BROOK_UNCHECKED, BROOK_CHECKING, BROOK_CHECKED } state; // [sema]
    bool wrong;                                                    // [sema] has errors
    bool returns; // [sema] has a return statement before its end, or a discard
    size_t size;  // [sema] expressions, with those of the kernels that it calls in the places of their calls
    bool fused;   // made of calls of the host program that follow each other (host_fuse.c)
    const struct ast_stream *stream; // no kernel but a stream program that is called like one (graphs.c); else NULL
    const char *unfit;               // why it cannot be called; NULL: it can
    const char *shown;               // with the arguments of its parameters; NULL: the name
    bool called;                     // [host] host code calls it, of a stream program
    brook_type result;
    brook_vars params;
    brook_stmt *body; // NULL: a prototype
    brook_vars vars;  // [sema] params first
    source_id file;
};

// ---- Files ----

typedef enum brook_item_kind {
    BROOK_ITEM_KERNEL, // a kernel or reduce function, or its prototype
    BROOK_ITEM_STRUCT, // a struct that can be an element; it stays in the host code
    BROOK_ITEM_HEADER, // an include of a Brook header, which takes its place
    BROOK_ITEM_IMPORT, // import "x.str"; or import dsp.fft; which leaves the text
} brook_item_kind;

typedef struct brook_file brook_file;
typedef struct brook_item {
    brook_item_kind kind;
    src_range range;
    size_t first, last; // tokens, the last exclusive
    brook_kernel *kernel;
    brook_struct *structure;
    brook_file *header; // NULL: it was included before
} brook_item;

// One file, with its tokens, and what was found in it.
struct brook_file {
    source_id source;
    struct brook_tokens_of *tokens; // parse.h
    VEC(brook_item) items;          // in source order
    hmap macros;                    // at the end of a file that was named
};

// import "fir.str"; or import dsp.fir; of dsp/fir.str: the file.
typedef struct brook_import {
    const char *name;
    src_range range;
} brook_import;

typedef struct brook_program {
    arena *arena;
    interner *names;
    diag_engine *diags;
    VEC(brook_file) files;
    VEC(brook_struct *) structs;
    VEC(brook_import) imports;
    VEC(brook_kernel *) kernels;     // definitions, in source order, and prototypes of those defined elsewhere
    hmap kernel_names, struct_names; // to brook_kernel, brook_struct
    bool fuse;                       // make fused kernels; they are among `kernels`, without a name that calls find
    hmap fused;                      // by what they call, and with which of their parameters
    hmap macros;                     // of the file being read
    hmap undefined;                  // names of those that it had
    hmap headers;                    // paths of those included by it
    hmap header_words;               // words of directives of C headers, any file's
    int nesting;                     // of headers, at present
    const char *const *folders;      // that they are looked for in
    size_t folder_count;
} brook_program;

// A tree of kernels is at most this high, so that recursive walks need no checks.
#define BROOK_MAX_HEIGHT 400

// Parses and checks. Always returns a program; it is complete only without errors.
typedef struct brook_surroundings {
    const char *const *folders; // where headers are looked for that are not beside the file that includes them
    size_t folder_count;
    const char *const *defines; // macros before each file: NAME or NAME=VALUE
    size_t define_count;
} brook_surroundings;
brook_program *brook_parse(arena *a, interner *names, diag_engine *d, const source_id *files, size_t count,
                           const brook_surroundings *around);
void brook_check(brook_program *program);
// ---- Stream programs that host code calls (graphs.c) ----

// Reads the files that are imported into the set of sources; gives those that could be.
typedef VEC(source_id) brook_sources;
brook_sources brook_find_imports(brook_program *program);
// Makes the streams of these files known to host code. Before brook_check.
void brook_declare_streams(brook_program *program, const ast_program *streams);

// The kernels' trees with types and places, for --emit=ast.
void brook_print(strbuf *out, const source_set *sources, const brook_program *program);
// Tokens of one file, one a line: "line:column kind spelling".
void brook_print_tokens(strbuf *out, diag_engine *d, source_id file);

// ---- Host code ----

// What the host code of a file becomes: C that includes <svm/brook.h>, the kernels being function prototypes. Errors of
// the host code's use of streams go to the program's diagnostics.
void brook_write_host(strbuf *out, brook_program *program, size_t file);

#endif
