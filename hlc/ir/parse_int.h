// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reader of stream IR text: lex.c has tokens and places, parse.c modules, parse_body.c functions.
//
// The first error ends the reading: 'failed' is set, and from then on every token is the end of the text.
#ifndef SVMC_HLC_IR_PARSE_INT_H
#define SVMC_HLC_IR_PARSE_INT_H

#include "hlc/ir/sir.h"

typedef enum sir_token_kind {
    TOKEN_END,
    TOKEN_NEWLINE,
    TOKEN_WORD,   // keywords and names
    TOKEN_LOCAL,  // %name
    TOKEN_FIELD,  // $name
    TOKEN_GLOBAL, // @name
    TOKEN_STRING, // "..."
    TOKEN_INT,
    TOKEN_FLOAT,
    TOKEN_DOUBLE,
    TOKEN_BIT,
    TOKEN_SIGN, // operators and punctuation; text is the spelling
} sir_token_kind;

typedef struct sir_token {
    sir_token_kind kind;
    uint32_t begin, end; // in the text
    const char *text;    // interned: name without sigil, or sign; contents of a string
    size_t len;          // of text
    uint64_t integer;    // INT, BIT
    double real;         // FLOAT (exactly a float), DOUBLE
} sir_token;

// A statement, an expression or a type may nest so deep; a tree of operations may be deeper, for long sums.
enum { SIR_PARSE_NESTING = 1000, SIR_PARSE_DEPTH = 3000 };

typedef struct sir_pending_call {
    sir_stmt *stmt;
    const char *name;
    const sir_filter *filter; // whose functions are looked at first; may be NULL
    sir_token token;
} sir_pending_call;

typedef struct sir_pending_name {
    size_t index;   // of the portal that waits for an actor, or SIZE_MAX
    sir_stmt *stmt; // of the message that waits for a portal, or NULL
    const char *name;
    sir_token token;
} sir_pending_name;

typedef struct sir_parser {
    arena *scratch;
    diag_engine *d;
    source_id source;
    const char *text;
    size_t len;
    sir_token token; // the one to be looked at
    size_t next;     // offset behind it
    bool failed;
    bool prefix; // a plan may follow the module
    uint32_t nesting;
    uint64_t words_left; // of constants with storage
    uint64_t ports_left; // of duplicate splitters

    // the places at the end of the line that was read last
    sir_loc place;
    VEC(sir_loc) parts;
    size_t parts_used;

    sir_module *module;
    sir_filter *filter;                                      // at hand; NULL in functions of the module
    sir_function *function;                                  // at hand
    hmap locals;                                             // name to index + 1
    hmap fields, globals, structs, filters, actors, portals; // likewise
    VEC(sir_pending_call) calls;
    VEC(sir_pending_name) names;
} sir_parser;

// ---- lex.c ----
void sir_advance(sir_parser *p);
void sir_parse_error(sir_parser *p, const sir_token *at, const char *format, ...) __attribute__((format(printf, 3, 4)));
// What is at the token instead of what was expected.
void sir_expected(sir_parser *p, const char *what);
bool sir_at_sign(const sir_parser *p, const char *sign);
bool sir_at_word(const sir_parser *p, const char *word);
bool sir_accept_sign(sir_parser *p, const char *sign);
bool sir_accept_word(sir_parser *p, const char *word);
void sir_expect_sign(sir_parser *p, const char *sign);
void sir_expect_word(sir_parser *p, const char *word);
void sir_skip_newlines(sir_parser *p);
// A name: a word or a string.
const char *sir_expect_name(sir_parser *p, const char *what);
uint64_t sir_expect_integer(sir_parser *p, uint64_t most, const char *what);
// Reads the places at a line's end, and the end. After it p->place and sir_take_part give them.
void sir_end_line(sir_parser *p);
sir_loc sir_take_part(sir_parser *p);
void sir_no_more_parts(sir_parser *p); // an error if the line has more places than parts
// Unknown name: an error with the nearest of what is known.
void sir_unknown(sir_parser *p, const sir_token *at, const char *what, const char *name, const hmap *known);

// ---- parse.c ----
const sir_type *sir_parse_type(sir_parser *p);
// A number with its sign. The type must be a scalar's.
bool sir_parse_scalar(sir_parser *p, const sir_type *t, sir_scalar *v);

// ---- parse_body.c ----
// A function from behind its keyword (and name, for those that have one) to its end.
sir_function *sir_parse_function(sir_parser *p, sir_function_kind kind);

#endif
