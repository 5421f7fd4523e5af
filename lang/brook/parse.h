// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What lexer, splitter, grammar and parser driver of Brook share. A file is read in four steps: the lexer makes all
// tokens (lexer.l, lex.c); the splitter finds kernels and struct types among the items of the file (split.c, condition.c); macros in
// these are expanded (macro.c); each is fed to a push parser on its own (parse.c, parser.y), so that errors in one leave
// the others whole.
#ifndef SVMC_LANG_BROOK_PARSE_H
#define SVMC_LANG_BROOK_PARSE_H

#include "lang/brook/brook.h"

typedef struct brook_token {
    int kind; // TOK_..., or the character
    uint32_t begin, end;
    const char *name; // interned spelling of words; NULL of other tokens
    double number;    // NUMBER
    bool integral;    // NUMBER
    bool expanded;    // stands in a macro's expansion; the place is that of the macro's use
    bool dead;        // in a branch of '#if' that the C compiler is likely not to see
} brook_token;
typedef VEC(brook_token) brook_tokens;

typedef struct brook_tokens_of {
    brook_tokens list; // the last is TOK_END
} brook_tokens_of;

typedef struct brook_macro {
    const char *name;
    src_range range;
    bool function_like;
    bool odd; // has another definition too, pastes, makes strings, or takes any number of arguments
    VEC(const char *) params;
    brook_tokens body;
} brook_macro;

typedef struct brook_lexer {
    arena *arena;
    interner *names;
    diag_engine *diags;
    source_id file;
    const hmap *keywords; // spelling -> token kind
    uint32_t begin, at;   // of the text just matched; offsets count from base
    uint32_t open;        // where an unfinished comment or a directive began
    bool line_start;      // nothing but blanks stands before on this line
    bool in_directive;
    uint32_t bad_end;
    brook_token current;
} brook_lexer;

// All tokens of text[begin, end) of a file. Errors are reported, and what they concern is left out.
void brook_lex(brook_tokens *out, arena *a, interner *names, diag_engine *d, source_id file, uint32_t begin,
               uint32_t end);
const char *brook_token_name(int kind); // "kernel", "a name"
bool brook_token_is_keyword(int kind);
bool brook_token_is_type(int kind); // float .. shortfixed4
brook_type brook_token_type(int kind);

// ---- condition.c ----
typedef enum brook_conditional {
    BROOK_UNCONDITIONAL, // some other directive
    BROOK_IF,            // '#ifdef' too
    BROOK_ELIF,
    BROOK_ELSE,
    BROOK_ENDIF,
} brook_conditional;
typedef struct brook_truth {
    long value;
    bool known;      // or taken for granted
    bool unfinished; // of a condition: it ends where an operand is missing
} brook_truth;
// What a directive is, and its condition.
brook_conditional brook_conditional_of(brook_program *p, source_id file, const brook_token *directive,
                                       brook_truth *truth);

// Reports conditionals of a file that do not go together: where they are in a kernel, the C compiler sees nothing of them.
void brook_check_conditionals(brook_program *p, source_id file, const brook_tokens *tokens);

// ---- macro.c ----
// Remembers what a directive defines, or forgets what it undefines.
void brook_macro_directive(brook_program *p, source_id file, const brook_token *directive);
// The tokens of list[begin, end) with macros expanded.
void brook_expand(brook_program *p, source_id file, const brook_token *list, size_t count, brook_tokens *out);

// ---- The grammar's values ----

// Words before a declarator.
typedef struct brook_specifiers {
    brook_type type;
    src_range range;
    bool given; // a type was
    bool constant, is_unsigned, kernel, reduce;
    brook_var_kind kind; // ITERATOR, OUTPUT or VOUT by its word; else INPUT
    brook_expr *most;
} brook_specifiers;

typedef struct brook_declarator {
    const char *name;
    src_range range;
    bool stream;  // <..>
    uint8_t rank; // []
    brook_expr *init;
} brook_declarator;
typedef VEC(brook_declarator) brook_declarators;

typedef struct brook_context {
    brook_program *program;
    arena *arena;
    diag_engine *diags;
    source_id file;
    brook_item *item; // what is parsed
    bool overflow;    // the parser's stack was exhausted
    bool failed;
} brook_context;

typedef struct brook_yypstate brook_parser;
bool brook_acceptable(brook_parser *parser, int kind);

// Reads files into p->files, with everything but the checks.
void brook_parse_item(brook_program *p, source_id file, const brook_token *tokens, size_t count, brook_item *item);
void brook_split(brook_program *p, brook_file *file);

// ---- build.c ----
brook_expr *brook_new_expr(brook_context *ctx, brook_expr_kind kind, src_range range);
brook_expr *brook_new_unary(brook_context *ctx, src_range range, int op, brook_expr *operand);
brook_expr *brook_new_binary(brook_context *ctx, src_range range, int op, src_range op_range, brook_expr *l,
                             brook_expr *r);
brook_expr *brook_new_comma(brook_context *ctx, src_range range, brook_expr *l, brook_expr *r);
brook_expr *brook_new_cond(brook_context *ctx, src_range range, brook_expr *c, brook_expr *a, brook_expr *b);
brook_expr *brook_new_cast(brook_context *ctx, src_range range, brook_type to, brook_expr *operand);
brook_expr *brook_new_assign(brook_context *ctx, src_range range, brook_expr *t, int op, src_range op_range,
                             brook_expr *v);
brook_expr *brook_new_incdec(brook_context *ctx, src_range range, brook_expr *t, bool increment, bool prefix);
brook_expr *brook_new_member(brook_context *ctx, src_range range, brook_expr *base, const char *name, src_range at);
brook_expr *brook_new_index(brook_context *ctx, src_range range, brook_expr *base, brook_expr *at);
brook_expr *brook_new_list(brook_context *ctx, brook_expr_kind kind, src_range range, brook_type to,
                           const brook_exprs *parts);
brook_expr *brook_new_call(brook_context *ctx, src_range range, const char *name, src_range at,
                           const brook_exprs *args);
brook_stmt *brook_new_stmt(brook_context *ctx, brook_stmt_kind kind, src_range range);
brook_stmt *brook_new_expr_stmt(brook_context *ctx, src_range range, brook_expr *e);
brook_stmt *brook_new_if(brook_context *ctx, src_range range, brook_expr *c, brook_stmt *a, brook_stmt *b);
brook_stmt *brook_new_loop(brook_context *ctx, brook_stmt_kind kind, src_range range, brook_stmt *init,
                           brook_expr *cond, brook_expr *step, brook_stmt *body);
brook_stmt *brook_new_block(brook_context *ctx, src_range range, const brook_stmts *list);
brook_specifiers brook_bare_vout(brook_context *ctx, src_range at); // an error
brook_specifiers brook_join_specifiers(brook_context *ctx, brook_specifiers a, brook_specifiers b);
brook_specifiers brook_type_words(brook_context *ctx, src_range range, int kind, const char *name);
brook_var *brook_new_param(brook_context *ctx, const brook_specifiers *s, const brook_declarator *d);
void brook_add_locals(brook_context *ctx, brook_vars *list, const brook_specifiers *s, const brook_declarator *d);
void brook_finish_kernel(brook_context *ctx, src_range range, const brook_specifiers *s, const char *name, src_range at,
                         const brook_vars *params, brook_stmt *body);
void brook_add_members(brook_context *ctx, brook_struct *st, const brook_specifiers *s, const brook_declarator *d);
void brook_finish_struct(brook_context *ctx, src_range range, brook_struct *st, const char *tag, const char *name,
                         src_range at);

#endif
