// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What lexer, grammar and parser driver share. A file is read in three steps: the lexer makes all tokens (lexer.l,
// lex.c); the driver (parse.c) feeds them to a push parser (parser.y), repairing what it can and steering error
// recovery; the actions build the tree (build_expr.c, build_decl.c).
#ifndef SVMC_LANG_STREAMIT_PARSE_H
#define SVMC_LANG_STREAMIT_PARSE_H

#include "lang/ast.h"
#include "support/diag.h"
#include "support/hmap.h"

// A tree is at most this high, over streams, statements and expressions together, so that recursive walks need no
// checks.
#define STREAMIT_MAX_HEIGHT 500

typedef struct string_literal {
    const char *text;
    size_t len;
} string_literal;

typedef struct token {
    int kind;         // TOK_...
    bool after_error; // something wrong, reported already, stands just before it
    uint32_t begin, end;
    union {
        const char *name;
        int64_t integer;
        double number;
        string_literal *string;
        lang_binary_op op; // BAD_ASSIGN
    } value;
} token;
typedef VEC(token) token_list;

typedef struct lexer {
    arena *arena;
    interner *names;
    diag_engine *diags;
    source_id file;
    const hmap *keywords; // spelling -> token kind + 1
    uint32_t begin, at;   // of the text just matched
    uint32_t open;        // where an unfinished comment began
    uint32_t bad_end;     // end of the last run of characters that begin no token
    bool after_error;     // the next token follows what was reported
    token current;
} lexer;

// All tokens of a file, the last being TOK_END; errors are reported and what they concern is left out or repaired.
void streamit_lex(token_list *out, arena *a, interner *names, diag_engine *d, source_id file);
// Spelling or prose name of a token kind, as "filter" or "a name".
const char *streamit_token_name(int kind);
bool streamit_token_is_keyword(int kind);

// Semantic values: nodes with the height of their tree.
typedef struct parsed_expr {
    ast_expr *expr;
    uint32_t height;
} parsed_expr;

typedef struct parsed_exprs {
    ast_expr_list list;
    uint32_t height;
} parsed_exprs;

typedef struct parsed_stmt {
    ast_stmt *stmt;
    uint32_t height;
} parsed_stmt;

typedef struct parsed_stmts {
    ast_stmt_list list;
    uint32_t height;
} parsed_stmts;

typedef struct parsed_type {
    const lang_type *type;
    src_range range;
    uint32_t height;
} parsed_type;

typedef struct parsed_vars {
    ast_var_list list;
    parsed_type type; // of the declaration, for further declarators
    uint32_t height;
} parsed_vars;

typedef struct parsed_name {
    const char *name;
    src_range range;
    parsed_exprs dims; // lengths written after the name, as in C (an error already reported)
} parsed_name;

typedef struct parsed_rate {
    ast_rate rate;
    uint32_t height;
} parsed_rate;

typedef struct parsed_rates {
    ast_rate push, pop, peek;
    uint32_t height;
} parsed_rates;

typedef struct parsed_stream {
    ast_stream *stream;
    uint32_t height;
} parsed_stream;

typedef struct parsed_child {
    ast_child child;
    uint32_t height;
} parsed_child;

typedef struct parsed_split {
    ast_split_kind kind;
    bool has_weights;
    parsed_exprs weights;
} parsed_split;

typedef struct parsed_latency {
    bool best_effort;
    ast_expr *min, *max;
    uint32_t height;
} parsed_latency;

// 'import "dsp/fir.str";' or 'import dsp.fir;'
typedef struct parsed_import {
    const char *name; // "dsp/fir.str", or "dsp/fir" of a package
    bool package;
    src_range range;
} parsed_import;

typedef struct parse_context {
    arena *arena;
    interner *names;
    diag_engine *diags;
    ast_program *program;
    source_id file;
    ast_static *statics;                  // the static block of the file; NULL: none so far
    ast_struct *structure;                // the struct being parsed
    ast_test *test;                       // the test being parsed, and
    parsed_stmts runs;                    // what it runs
    VEC(ast_function *) module_functions; // of the helper or native block being parsed
    VEC(parsed_import) imports;           // of the file being parsed
    bool imported;                        // another file imports this one
    VEC(uint32_t) lists;                  // offsets of the '{' of the blocks and bodies being parsed
    src_range skipped;                    // the last piece that error recovery left out
    bool overflow;                        // the parser's stack was exhausted
} parse_context;

// The generated push parser.
typedef struct streamit_yypstate streamit_parser;

// The driver's state while it feeds the tokens of one file.
typedef struct parse_feed {
    parse_context *ctx;
    streamit_parser *parser;
    token_list tokens;
    size_t at;           // the next token
    size_t start;        // first token of the current statement, member or declaration
    size_t braces;       // open '{', those of initialisers included
    VEC(size_t) parens;  // tokens of the open '(' of the current statement
    size_t quiet_at;     // an error at this token is a follow-up, not reported
    size_t brace_at;     // a '}' was made up before this token
    size_t recovered_at; // token at which recovery was last needed, and how often in a row
    size_t stuck;
    bool astray;   // something stood outside of where it can, which was reported
    bool *as_name; // by token kind: a reserved word that this file uses as a name (reported once)
} parse_feed;

// Parses one file into ctx->program; what it imports is in ctx->imports then (parse.c).
void parse_file(parse_context *ctx, source_id file);
// Reports that the token at f->at cannot come here (parse_error.c).
void report_unexpected(parse_feed *f);
src_range feed_range(const parse_feed *f, size_t index);
bool feed_acceptable(const parse_feed *f, int kind);
// The text of a token, quoted, or "the end of the file".
const char *feed_text(const parse_feed *f, size_t index);

#endif
