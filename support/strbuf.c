// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text under construction.
#include "support/strbuf.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "support/json.h"

void strbuf_init(strbuf *b, arena *a)
{
    *b = (strbuf){.arena = a, .data = arena_alloc(a, 64), .cap = 64};
}

// Makes room for n more bytes and the NUL.
static void reserve(strbuf *b, size_t n)
{
    if (n < b->cap - b->len)
        return;
    size_t cap = b->cap * 2;
    if (cap < b->len + n + 1)
        cap = b->len + n + 1;
    char *data = arena_alloc(b->arena, cap);
    memcpy(data, b->data, b->len);
    b->data = data;
    b->cap = cap;
}

void strbuf_addn(strbuf *b, const char *s, size_t n)
{
    if (n == 0)
        return;
    reserve(b, n);
    memcpy(b->data + b->len, s, n);
    b->len += n;
    b->data[b->len] = '\0';
}

void strbuf_add(strbuf *b, const char *s)
{
    strbuf_addn(b, s, strlen(s));
}

void strbuf_addc(strbuf *b, char c)
{
    strbuf_addn(b, &c, 1);
}

void strbuf_pad(strbuf *b, char c, size_t count)
{
    reserve(b, count);
    memset(b->data + b->len, c, count);
    b->len += count;
    b->data[b->len] = '\0';
}

void strbuf_vprintf(strbuf *b, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(b->data + b->len, b->cap - b->len, format, args);
    if (n >= 0 && (size_t)n >= b->cap - b->len) {
        b->data[b->len] = '\0';
        reserve(b, (size_t)n);
        n = vsnprintf(b->data + b->len, b->cap - b->len, format, again);
    }
    va_end(again);
    if (n > 0)
        b->len += (size_t)n;
}

void strbuf_printf(strbuf *b, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    strbuf_vprintf(b, format, args);
    va_end(args);
}

// The letter that escapes c after a backslash; 0 when there is none.
static char escape_letter(char c)
{
    switch (c) {
    case '"': return '"';
    case '\\': return '\\';
    case '\b': return 'b';
    case '\f': return 'f';
    case '\n': return 'n';
    case '\r': return 'r';
    case '\t': return 't';
    default: return 0;
    }
}

static void write_json(void *to, const char *text, size_t n)
{
    strbuf_addn(to, text, n);
}

json_out strbuf_json(strbuf *b)
{
    return (json_out){.write = write_json, .to = b};
}

void strbuf_add_quoted(strbuf *b, const char *s, size_t n)
{
    json_out j = strbuf_json(b);
    json_quote(&j, s, n);
}

void strbuf_add_c_string(strbuf *b, const char *s, size_t n)
{
    strbuf_addc(b, '"');
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)s[i];
        char letter = escape_letter(s[i]);
        if (letter != 0)
            strbuf_printf(b, "\\%c", letter);
        else if (c < 0x20 || c >= 0x7f)
            strbuf_printf(b, "\\%03o", c);
        else if (c == '?' && i > 0 && s[i - 1] == '?') // no trigraphs
            strbuf_add(b, "\\?");
        else
            strbuf_addc(b, s[i]);
    }
    strbuf_addc(b, '"');
}

// Marks a text of digits alone as a floating-point number.
static void add_number(strbuf *b, const char *digits)
{
    strbuf_add(b, digits);
    if (strpbrk(digits, ".e") == NULL)
        strbuf_add(b, ".0");
}

static bool add_special(strbuf *b, double v)
{
    if (isfinite(v))
        return false;
    strbuf_add(b, isnan(v) ? "nan" : v < 0 ? "-inf" : "inf");
    return true;
}

// A double that is as far from one float as from the next: what it was rounded from decides.
static bool is_between_floats(double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return (bits & 0x1fffffff) == 0x10000000;
}

// How many decimal digits tell a float from all others, out of its first 17; 0: they do not say. Up to 9 digits and powers
// of ten up to 22 are exact as doubles, so that their product or quotient is rounded once.
static int float_precision(float v)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    enum { POWERS = sizeof powers / sizeof *powers };
    const double wanted = fabs((double)v);
    char text[40]; // d.dddddddddddddddde+dd
    snprintf(text, sizeof text, "%.16e", wanted);
    uint64_t digits = (uint64_t)(text[0] - '0'), unit = UINT64_C(10000000000000000);
    for (int i = 2; i < 18; i++)
        digits = digits * 10 + (uint64_t)(text[i] - '0');
    int power = atoi(text + 19);
    for (int precision = 1; precision <= 9; precision++, power--, unit /= 10) {
        uint64_t rest = digits % unit;
        if (rest == unit / 2 || power >= POWERS || power <= -POWERS)
            return 0;
        double first = (double)(digits / unit + (rest > unit / 2));
        double read = power >= 0 ? first * powers[power] : first / powers[-power];
        if (is_between_floats(read))
            return 0;
        if ((double)(float)read == wanted)
            return precision;
    }
    return 0;
}

void strbuf_add_float(strbuf *b, float v)
{
    char digits[32];
    if (add_special(b, (double)v))
        return;
    int known = float_precision(v);
    for (int precision = known == 0 ? 1 : known; precision <= 9; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, (double)v);
        if (known != 0 || strtof(digits, NULL) == v)
            break;
    }
    add_number(b, digits);
}

void strbuf_add_double(strbuf *b, double v)
{
    char digits[40];
    if (add_special(b, v))
        return;
    for (int precision = 1; precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, v);
        if (strtod(digits, NULL) == v)
            break;
    }
    add_number(b, digits);
}

static size_t min_size(size_t x, size_t y)
{
    return x < y ? x : y;
}

// Distances are wanted for small limits only, so only a band around the table's diagonal is kept.
size_t edit_distance(const char *a, const char *b, size_t limit)
{
    enum { WIDEST = 63 };
    size_t n = strlen(a), m = strlen(b), k = min_size(limit, WIDEST);
    if ((n > m ? n - m : m - n) > k)
        return limit + 1;
    // rows[i % 3][j + k - i + 1] is the distance of the first i bytes of a and the first j of b; the rest is too far.
    size_t rows[3][2 * WIDEST + 3];
    const size_t far = k + 1;
    for (size_t r = 0; r < 3; r++)
        for (size_t x = 0; x < 2 * k + 3; x++)
            rows[r][x] = far;
    for (size_t i = 0; i <= n; i++) {
        size_t *row = rows[i % 3], *up = rows[(i + 2) % 3], *up2 = rows[(i + 1) % 3];
        for (size_t x = 1; x <= 2 * k + 1; x++) {
            size_t j = i + x - k - 1; // wraps below zero
            row[x] = far;
            if (i + x < k + 1 || j > m)
                continue;
            if (i == 0 || j == 0) {
                row[x] = min_size(i + j, far);
                continue;
            }
            size_t best = up[x] + (a[i - 1] != b[j - 1]);
            best = min_size(best, min_size(up[x + 1], row[x - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                best = min_size(best, up2[x] + 1);
            row[x] = min_size(best, far);
        }
    }
    size_t distance = rows[n % 3][m + k - n + 1];
    return distance > k ? limit + 1 : distance;
}
