// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// UTF-8 as far as printing source text needs it. Source text may hold any bytes.
#ifndef SVMC_SUPPORT_UTF8_H
#define SVMC_SUPPORT_UTF8_H

#include <stdint.h>

#include "support/strbuf.h"

// The character at s, of n > 0 bytes; gives its length in bytes, or 0 when these bytes are not UTF-8.
size_t utf8_decode(const char *s, size_t n, uint32_t *code);
// Columns that a printable character takes on a terminal: 0, 1 or 2.
unsigned utf8_width(uint32_t code);
// Adds the character at s as a terminal can show it: itself, or <U+0007> and <ff> for what is no printable text.
// Gives the bytes consumed, and the columns added in *width.
size_t utf8_add_glyph(strbuf *b, const char *s, size_t n, unsigned *width);
// Adds a whole text so; newlines and tabs become spaces, so that it stays on its line.
void utf8_add_printable(strbuf *b, const char *s, size_t n);
// Adds s with bytes that are not UTF-8 replaced by U+FFFD.
void utf8_add_valid(strbuf *b, const char *s, size_t n);

#endif
