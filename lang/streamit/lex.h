// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the generated scanner calls: one function a kind of token. Those that give int return nonzero after setting
// lx->current.
#ifndef SVMC_LANG_STREAMIT_LEX_H
#define SVMC_LANG_STREAMIT_LEX_H

#include <string.h>

#include "lang/streamit/parse.h"
#include "lang/streamit/parser.tab.h"

void lex_keywords(hmap *out, arena *a);
void lex_advance(lexer *lx, uint32_t length);
void lex_comment_begin(lexer *lx);
void lex_comment_unfinished(lexer *lx);
int lex_plain(lexer *lx, int kind);
int lex_word(lexer *lx, const char *text, size_t len);
int lex_int(lexer *lx, const char *text);
int lex_hex(lexer *lx, const char *text);
int lex_float(lexer *lx, const char *text);
int lex_imaginary(lexer *lx, const char *text);
int lex_missing_digits(lexer *lx, const char *text, bool before);
int lex_bad_number(lexer *lx, const char *text);
int lex_string(lexer *lx, const char *text, size_t len);
int lex_unfinished_string(lexer *lx);
int lex_character(lexer *lx);
int lex_unsigned_shift(lexer *lx);
int lex_bad_assign(lexer *lx, lang_binary_op op);
void lex_directive(lexer *lx);
void lex_bad_character(lexer *lx, unsigned char c);

#endif
