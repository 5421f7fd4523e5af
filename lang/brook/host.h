// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rewriting host code. A walk over a file's tokens copies their text and replaces what Brook adds to C: declarations of
// streams (host_decl.c), calls of kernels and operations on handles (host_call.c). Line breaks inside of what is
// replaced are kept behind it, so that each line of the output is that line of the source.
#ifndef SVMC_LANG_BROOK_HOST_H
#define SVMC_LANG_BROOK_HOST_H

#include "lang/brook/parse.h"
#include "lang/brook/parser.tab.h"

typedef enum host_name_kind {
    HOST_OTHER, // hides streams of that name
    HOST_STREAM,
    HOST_ITERATOR,
    HOST_POINTER, // to streams
} host_name_kind;

typedef struct host_name {
    host_name_kind kind;
    const char *name;
    brook_type type;   // of an element
    int rank;          // 0: not known
    size_t levels;     // POINTER: so many times '*' or a subscript is a stream
    bool parameter;    // of a function that is defined here, and shares the caller's stream
    size_t begin, end; // a function's own stream: the tokens behind its declaration where it is known; 0: no such
    src_range range;
} host_name;

typedef struct host_writer {
    brook_program *program;
    arena *arena;
    diag_engine *diags;
    strbuf *out;
    source_id file;
    const char *text;
    const brook_token *t;
    size_t count;            // tokens, TOK_END included
    uint32_t done;           // bytes of the source that are written or replaced
    size_t braces;           // open ones
    VEC(host_name) names;    // visible, inner ones last
    VEC(size_t) scopes;      // names.len where blocks began
    VEC(size_t) opens;       // their '{'
    VEC(host_name) entering; // parameters of the function whose body comes next
    size_t fused;            // up to this token calls have been read, and become one or do not
    size_t rounds;           // behind the loop whose calls may wait for each other; 0: this is in no such
    size_t made;             // numbers functions that make file-scope streams
    const hmap *macros;      // of the file; NULL: none
    bool expanding;          // what a macro became, a text of its own
    bool void_main;          // in a main that says that it gives nothing
} host_writer;

// ---- host.c ----
int host_kind(const host_writer *w, size_t i);
const char *host_word(const host_writer *w, size_t i); // the spelling of a word, "" of other tokens
bool host_is(const host_writer *w, size_t i, const char *word);
src_range host_range(const host_writer *w, size_t first, size_t last); // the last inclusive
// Writes source text up to token i, as it is.
void host_copy_to(host_writer *w, size_t i);
// Takes the source text from here to the end of token last as replaced: writes its line breaks only.
void host_skip_through(host_writer *w, size_t last);
// Ends what replaced the text from begin to the end of token last, written since the output had length mark: with the
// line breaks that are still missing.
void host_settle(host_writer *w, size_t mark, uint32_t begin, size_t last);
// The index of the bracket that ends the one at i, or of TOK_END.
size_t host_closing(const host_writer *w, size_t i);
// Rewrites the tokens first..last (exclusive), of an expression.
void host_expr(host_writer *w, size_t first, size_t last);
const host_name *host_find(const host_writer *w, const char *name);
void host_declare(host_writer *w, host_name name);
bool host_begins_declaration(const host_writer *w, size_t i); // or a statement, behind another or a brace
typedef struct host_piece {
    size_t first, last;
} host_piece; // tokens, the last exclusive
typedef VEC(host_piece) host_pieces;
// What stands between commas in (first, last).
void host_split(const host_writer *w, size_t first, size_t last, host_pieces *out);

// The walk; `file` has the items that are at file scope, NULL: it is within a function.
void host_walk(host_writer *w, const brook_file *file);

// ---- host_decl.c ----
bool host_is_specifier_word(int kind); // of a declaration's type
// A declaration that begins at i and is rewritten: the index behind it. 0 when nothing in it is Brook's.
size_t host_declaration(host_writer *w, size_t i);
// What stands at the begin of a function's body for its stream parameters.
void host_enter(host_writer *w);
void host_type(const host_writer *w, strbuf *b, brook_type t); // "&(const svm_BrookType){..}"
const char *host_c_type(arena *a, brook_type t);

// ---- host_call.c ----
// A call of a kernel at i: the index behind it; 0 when there is none.
size_t host_call(host_writer *w, size_t i);
// An assignment to a handle at i, or views of one: the index behind it; 0 when there is none.
size_t host_assignment(host_writer *w, size_t i);
size_t host_domain(host_writer *w, size_t i);
bool host_is_no_stream(const host_writer *w, const host_piece *a); // for certain
// The prototypes of a kernel's functions.
void host_prototype(strbuf *out, const brook_kernel *k);
void host_parameters(strbuf *out, const brook_kernel *k, bool partial);

// ---- host_macro.c ----
// The use of a macro at i that becomes something to be rewritten: the index behind it; 0 when there is none.
size_t host_macro(host_writer *w, size_t i);

// ---- host_program.c ----
// The stream program that a call at i means, by the arguments for its parameters, which are taken from args; NULL with an
// error.
brook_kernel *host_program(const host_writer *w, brook_kernel *k, size_t i, host_pieces *args);

// ---- fuse.c ----
typedef struct host_fused_call {
    const brook_kernel *kernel;
    VEC(size_t) args; // parameters of the fused kernel
    src_range range;
} host_fused_call;
// Calls that become one kernel.
typedef struct host_fused {
    brook_vars params;
    VEC(host_fused_call) calls;
} host_fused;
// The kernel, which is one of the program's.
const brook_kernel *brook_fuse(brook_program *program, const host_fused *f);

// ---- host_fuse.c ----
// Whether a statement of a block begins at i, as far as directives let see.
bool host_begins_statement(const host_writer *w, size_t i);
// Calls of kernels that begin at i and become one: the index behind them; 0 when there are none.
size_t host_fused_calls(host_writer *w, size_t i);

// ---- host_rounds.c ----
// Begins a block around a loop at i whose calls may wait for each other; ends it if i is behind that.
void host_begin_rounds(host_writer *w, size_t i);
void host_end_rounds(host_writer *w, size_t i);

#endif
