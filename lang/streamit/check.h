// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The semantic checker: one context, one file a subject. Every check gives at most one error for one cause: what was
// reported gets the error type or an error node, and those are accepted silently.
#ifndef SVMC_LANG_STREAMIT_CHECK_H
#define SVMC_LANG_STREAMIT_CHECK_H

#include "lang/streamit/streamit.h"

// What a function does, for the questions that need everything reachable (check_effects.c).
typedef struct ref_arg {
    ast_var *root;   // variable whose array (or part) is passed by reference
    src_range range; // of the argument
    bool captured;   // it belongs to an enclosing stream
    ast_function *callee;
    size_t index; // of the parameter
} ref_arg;
typedef struct func_info {
    ast_function *function;
    VEC(ast_function *) callees;
    VEC(ref_arg) ref_args;
    VEC(ast_var *) written; // fields and array parameters of the stream
    bool iter, random, prints, sends;
    bool reported_push, reported_pop, reported_peek; // that it declares no such rate
    size_t mark;                                     // of the last walk that came here
} func_info;

// A name's meaning, and the one it hides.
typedef struct binding {
    ast_var *var;
    struct binding *outer;
    unsigned level;
    const ast_stream *stream; // where it is declared; NULL: global
    const ast_function *function;
} binding;

typedef struct scope_entry {
    const char *name;
    binding *previous;
} scope_entry;

// An enqueue whose value waits for the type of the loop.
typedef VEC(ast_stmt *) stmt_refs;

// The composite whose body is being checked.
typedef struct composite {
    ast_stream *stream;
    stmt_refs enqueues;
} composite;

typedef struct checker {
    arena *arena;
    interner *names;
    diag_engine *diags;
    ast_program *program;
    const streamit_options *options;
    hmap structs;               // name -> ast_struct
    hmap streams;               // name -> ast_stream
    hmap functions;             // "P.f" -> ast_function of helper and native blocks
    hmap modules;               // P -> first function of the block
    hmap builtins;              // plain name -> builtin_function (check_call.c)
    hmap vars;                  // name -> binding
    hmap unknown;               // name -> stream in which it was reported as unknown
    hmap captured;              // addresses of a stream and a variable -> the variable
    hmap infos;                 // address of an ast_function -> func_info
    VEC(func_info *) info_list; // the same, in order
    VEC(ast_stream *) filters;  // every filter, anonymous ones too
    hmap filter_members;        // address of an ast_stream -> hmap of its functions
    hmap instantiated;          // addresses of streams that are children of another stream
    VEC(scope_entry) undo;
    VEC(size_t) scopes; // length of undo at each scope's begin
    unsigned level;
    size_t walk; // number of the current walk over func_infos

    // Where the walk is.
    ast_stream *stream;     // filter or composite; NULL: globals, helper and native blocks
    ast_function *function; // NULL: in a composite, a declaration or a rate
    func_info *info;
    composite *composite;
    hmap *members;          // of the current filter: name -> ast_function
    const ast_var *ordered; // field or global being declared: it and later ones cannot be used yet; else NULL
    const char *constant;   // the expression must be known at elaboration: what it is; else NULL
    unsigned loops;         // loops around the statement
    bool static_init;
    bool in_test; // what a test runs is not used by that
} checker;

// check_names.c
void scope_push(checker *c);
void scope_pop(checker *c);
// Declares a variable in the innermost scope; a second declaration is reported.
void scope_declare(checker *c, ast_var *var);
// Makes a variable declared before visible again, in the innermost scope.
void scope_bind(checker *c, ast_var *var);
// The variable of that name, also when it is another stream's; NULL when there is none. Nothing is reported.
binding *scope_find(const checker *c, const char *name);
// The same for an expression: reports an unknown name once, records captures. NULL after an error.
ast_var *resolve_var(checker *c, const char *name, src_range range);
// The likely misspelling among names of the right kind, or NULL.
const char *nearest_of(checker *c, const char *name, const char *const *candidates, size_t count);
const char *nearest_var(checker *c, const char *name);
const char *nearest_key(checker *c, const hmap *map, const char *name);
bool is_unsure(const checker *c, const char *name);
// Whether parts of a stream may be missing because of syntax errors: nothing is said about what it lacks.
bool is_broken(const checker *c, const ast_stream *s);
// "unknown <what> '<name>'; did you mean '<nearest>'?"; what may contain more words.
diag_record *error_unknown(checker *c, src_range range, const char *what, const char *name, const char *nearest);
// Whether an unknown name of a kind is to be reported: the first time, and not if the text that declares it was skipped.
bool first_unknown(checker *c, const char *what, const char *name);
bool is_captured(const checker *c, const ast_var *var);

// check_types.c
typedef enum type_use {
    USE_VARIABLE,
    USE_PARAMETER, // also String
    USE_TAPE,      // also void
    USE_ITEM,      // Identity<T>
    USE_RESULT,    // also void
    USE_STRUCT_FIELD,
} type_use;
// Resolves names in a written type and checks its lengths; gives the error type after an error.
const lang_type *check_type(checker *c, const lang_type *t, src_range range, type_use use);
void check_struct_recursion(checker *c);
const char *type_name(checker *c, const lang_type *t);
// The type of a value for a message: the literals 0 and 1 are bits, but called ints.
const char *value_type_name(checker *c, const ast_expr *e);
// Same type, and no two literal lengths that differ.
bool types_agree(const lang_type *a, const lang_type *b);

// check_expr.c
// Resolves and types an expression; gives the expression to use in its place.
ast_expr *check_expr(checker *c, ast_expr *e);
ast_expr *check_condition(checker *c, ast_expr *e, const char *where);
// An int value: a subscript, a rate, a weight, a length.
ast_expr *check_int(checker *c, ast_expr *e, const char *what);
ast_expr *check_constant(checker *c, ast_expr *e, const char *what);
ast_expr *convert(checker *c, ast_expr *e, const lang_type *to);
// Converts a value to the type it must have, or reports that 'what' has another. from_java: a place that Java alone
// checks, where a bit is an int.
ast_expr *coerce(checker *c, ast_expr *e, const lang_type *to, bool from_java, const char *what);
// The variable at the root of a name with suffixes; NULL when the expression is none.
ast_expr *root_name(ast_expr *e);
// Reports a target that cannot be assigned; records what is written.
void check_assignable(checker *c, ast_expr *target, const char *verb);
bool is_literal_zero(const ast_expr *e);
ast_expr *error_expr(ast_expr *e);

// check_call.c
void declare_builtins(checker *c);
ast_expr *check_call(checker *c, ast_expr *e);
bool is_init_array(checker *c, const ast_expr *e);
ast_expr *check_init_array(checker *c, ast_expr *e);
bool is_printable(const lang_type *t);

// check_init.c
void check_init(checker *c, ast_var *var);
// Types, initialisers and declaration of a statement's or member's variables, in order.
void check_var_list(checker *c, ast_var_list *vars);

// check_stmt.c
void check_stmt(checker *c, ast_stmt *s);
void check_function_body(checker *c, ast_function *f);
bool tape_allowed(checker *c);
const char *place_name(const checker *c);

// check_message.c
void check_send(checker *c, ast_stmt *s);
void check_portals(checker *c, ast_child *child);

// check_rates.c
typedef enum rate_kind { RATE_PUSH, RATE_POP, RATE_PEEK } rate_kind;
bool rate_is_zero(const ast_rate *r);
void check_rates(checker *c, ast_function *f);
// A push, pop or peek in the current function needs a rate there.
void check_rate_declared(checker *c, rate_kind kind, src_range range);

// check_decl.c
// Parameters, types, fields and signatures of a stream: what others need to know of it.
void declare_stream(checker *c, ast_stream *s);
// The bodies of its functions, or of the composite.
void check_stream_bodies(checker *c, ast_stream *s);
void declare_function(checker *c, ast_function *f);
func_info *info_of(checker *c, ast_function *f);

// check_structure.c
void check_child(checker *c, ast_stmt *s);
void check_split(checker *c, ast_stmt *s);
void check_structure(checker *c, ast_stream *s);
const char *stream_kind_name(ast_stream_kind kind);
// "'Name'" or "the anonymous pipeline".
const char *stream_name(checker *c, const ast_stream *s);

// check_connections.c
// Checks that the types of children meet, and infers the type of an anonymous composite.
void check_connections(checker *c, ast_stream *s, const stmt_refs *enqueues);

// check_test.c
void check_tests(checker *c);

// check_effects.c
void check_effects(checker *c);

#endif
