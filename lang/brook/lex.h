// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the generated scanner calls. Those that give int return nonzero after setting lx->current.
#ifndef SVMC_LANG_BROOK_LEX_H
#define SVMC_LANG_BROOK_LEX_H

#include "lang/brook/parse.h"
#include "lang/brook/parser.tab.h"

void brook_lex_keywords(hmap *out, arena *a);
void brook_lex_advance(brook_lexer *lx, uint32_t length);
void brook_lex_comment(brook_lexer *lx);
void brook_lex_comment_unfinished(brook_lexer *lx);
void brook_lex_directive_begin(brook_lexer *lx);
int brook_lex_directive(brook_lexer *lx);
int brook_lex_plain(brook_lexer *lx, int kind);
int brook_lex_word(brook_lexer *lx, const char *text, size_t len);
int brook_lex_number(brook_lexer *lx, const char *text);
int brook_lex_slash_comment(brook_lexer *lx);
int brook_lex_bad(brook_lexer *lx, unsigned char c);

#endif
