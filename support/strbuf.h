// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text under construction, kept in an arena; always NUL-terminated.
#ifndef SVMC_SUPPORT_STRBUF_H
#define SVMC_SUPPORT_STRBUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "support/arena.h"

typedef struct strbuf {
    arena *arena;
    char *data; // NUL-terminated; never NULL after strbuf_init
    size_t len, cap;
} strbuf;

void strbuf_init(strbuf *b, arena *a);
void strbuf_add(strbuf *b, const char *s);
void strbuf_addn(strbuf *b, const char *s, size_t n);
void strbuf_addc(strbuf *b, char c);
void strbuf_pad(strbuf *b, char c, size_t count);
void strbuf_printf(strbuf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
void strbuf_vprintf(strbuf *b, const char *format, va_list args) __attribute__((format(printf, 2, 0)));
// s as a JSON string with its quotes: control characters escaped (\n, \t, \u0001), other bytes as they are.
void strbuf_add_quoted(strbuf *b, const char *s, size_t n);
struct json_out strbuf_json(strbuf *b); // JSON that is written goes to its end (support/json.h)
// s as a C string literal, any bytes at all: octal escapes for what is not printable ASCII, and no trigraphs.
void strbuf_add_c_string(strbuf *b, const char *s, size_t n);
// The shortest decimal text that reads back as the same number: always with '.', 'e', or inf/nan ("1.0", "0.1", "1e+30",
// "inf", "-inf", "nan").
void strbuf_add_float(strbuf *b, float v);
void strbuf_add_double(strbuf *b, double v);

// Whole file access for tools. They return false and leave errno. A path of "-" is standard input or output.
// file_write reports a full disk or a closed pipe too (it flushes and checks).
bool file_read(arena *a, const char *path, char **text, size_t *len);
bool file_write(const char *path, const char *text, size_t len);

// Edit distance for did-you-mean suggestions (transpositions count one); gives limit + 1 once it exceeds limit.
size_t edit_distance(const char *a, const char *b, size_t limit);

#endif
