// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writing JSON: strings, numbers, escapes and commas, for all who write any. It stands on C alone and has no symbols, as runtimes that
// programs link use it too.
//
//   json_out j = json_to_file(f);
//   json_begin(&j, NULL, '{');
//   json_text(&j, "name", "LowPass");
//   json_begin(&j, "runs", '[');           // members of arrays have the key NULL
//   json_count(&j, NULL, 12);
//   json_end(&j, ']');
//   json_end(&j, '}');                     // {"name": "LowPass", "runs": [12]}
#ifndef SVMC_SUPPORT_JSON_H
#define SVMC_SUPPORT_JSON_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct json_out {
    void (*write)(void *to, const char *text, size_t n);
    void *to;
    bool follows;     // something stands before in the same object or array: a comma comes first
    bool tight;       // no blanks between members
    const char *line; // what the next member's line begins with; NULL: it goes on in the line
} json_out;

static inline void json_write_file(void *to, const char *text, size_t n)
{
    fwrite(text, 1, n, to);
}

static inline json_out json_to_file(FILE *f)
{
    return (json_out){.write = json_write_file, .to = f};
}

static inline void json_raw(json_out *j, const char *text)
{
    j->write(j->to, text, strlen(text));
}

// The next member begins a line, after so many blanks.
static inline void json_line(json_out *j, unsigned indent)
{
    static const char *const lines[] = {"\n", "\n ", "\n  ", "\n   ", "\n    "};
    j->line = lines[indent < 4 ? indent : 4];
}

// A string with its quotes; bytes that are not ASCII stay as they are.
static inline void json_quote(json_out *j, const char *text, size_t n)
{
    json_raw(j, "\"");
    size_t plain = 0; // bytes before i that need no escape
    for (size_t i = 0; i < n; i++) {
        static const char from[] = "\"\\\n\t\r\b\f", to[] = "\"\\ntrbf";
        unsigned char c = (unsigned char)text[i];
        const char *letter = c == 0 ? NULL : strchr(from, c);
        if (letter == NULL && c >= 0x20 && c != 0x7f) {
            plain++;
            continue;
        }
        char escape[8];
        if (letter != NULL)
            snprintf(escape, sizeof escape, "\\%c", to[letter - from]);
        else
            snprintf(escape, sizeof escape, "\\u%04x", c);
        j->write(j->to, text + i - plain, plain);
        json_raw(j, escape);
        plain = 0;
    }
    j->write(j->to, text + n - plain, plain);
    json_raw(j, "\"");
}

static inline void json_key(json_out *j, const char *key)
{
    if (j->follows)
        json_raw(j, j->line != NULL || j->tight ? "," : ", ");
    if (j->line != NULL)
        json_raw(j, j->line);
    j->line = NULL;
    j->follows = true;
    if (key == NULL)
        return;
    json_quote(j, key, strlen(key));
    json_raw(j, j->tight ? ":" : ": ");
}

static inline void json_begin(json_out *j, const char *key, char bracket)
{
    json_key(j, key);
    j->write(j->to, &bracket, 1);
    j->follows = false;
}

static inline void json_end(json_out *j, char bracket)
{
    if (j->line != NULL)
        json_raw(j, j->line);
    j->line = NULL;
    j->write(j->to, &bracket, 1);
    j->follows = true;
}

// NULL: null.
static inline void json_text(json_out *j, const char *key, const char *text)
{
    json_key(j, key);
    if (text != NULL)
        json_quote(j, text, strlen(text));
    else
        json_raw(j, "null");
}

static inline void json_count(json_out *j, const char *key, uint64_t n)
{
    char text[32];
    snprintf(text, sizeof text, "%llu", (unsigned long long)n);
    json_key(j, key);
    json_raw(j, text);
}

// Rounded to so many digits that count; 0: as short as reads back the same. JSON has no infinities: null.
static inline void json_number_to(json_out *j, const char *key, double value, int digits)
{
    char text[40];
    for (int n = digits > 0 ? digits : 1; n <= (digits > 0 ? digits : 17); n++) {
        snprintf(text, sizeof text, "%.*g", n, value);
        double back = strtod(text, NULL);
        if (back >= value && back <= value)
            break;
    }
    json_key(j, key);
    json_raw(j, isfinite(value) ? text : "null");
}

static inline void json_number(json_out *j, const char *key, double value)
{
    json_number_to(j, key, value, 0);
}

// value / 10^places, exactly: times in the unit that timelines have.
static inline void json_decimal(json_out *j, const char *key, int64_t value, int places)
{
    uint64_t one = 1, size = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    for (int i = 0; i < places; i++)
        one *= 10;
    char text[48];
    snprintf(text, sizeof text, places > 0 ? "%s%llu.%0*llu" : "%s%llu", value < 0 ? "-" : "",
             (unsigned long long)(size / one), places, (unsigned long long)(size % one));
    json_key(j, key);
    json_raw(j, text);
}

#endif
