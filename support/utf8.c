// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// UTF-8 for printing.
#include "support/utf8.h"

size_t utf8_decode(const char *s, size_t n, uint32_t *code)
{
    const unsigned char *p = (const unsigned char *)s;
    if (p[0] < 0x80) {
        *code = p[0];
        return 1;
    }
    size_t len = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
    if (p[0] < 0xc2 || p[0] > 0xf4 || n < len)
        return 0;
    uint32_t c = p[0] & (0x7fu >> len);
    for (size_t i = 1; i < len; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (p[i] & 0x3fu);
    }
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (c < least[len] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
        return 0;
    *code = c;
    return len;
}

typedef struct code_range {
    uint32_t first, last;
} code_range;

static int is_in(uint32_t code, const code_range *ranges, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (code >= ranges[i].first && code <= ranges[i].last)
            return 1;
    return 0;
}

// The blocks that matter: combining marks and joiners take no column; East Asian wide text and emoji take two.
static const code_range zero_width[] = {
    {0x0300, 0x036f}, {0x0483, 0x0489}, {0x0591, 0x05bd}, {0x0610, 0x061a},   {0x064b, 0x065f},
    {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x200b, 0x200d}, {0x2060, 0x2060},   {0x20d0, 0x20ff},
    {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xfeff, 0xfeff}, {0xe0100, 0xe01ef},
};
static const code_range double_width[] = {
    {0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0x33ff},   {0x3400, 0x4dbf},   {0x4e00, 0x9fff}, {0xa000, 0xa4cf},
    {0xa960, 0xa97f},   {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff00, 0xff60}, {0xffe0, 0xffe6},
    {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f900, 0x1faff}, {0x20000, 0x3fffd},
};

unsigned utf8_width(uint32_t code)
{
    if (code < 0x300)
        return 1;
    if (is_in(code, zero_width, sizeof zero_width / sizeof *zero_width))
        return 0;
    return is_in(code, double_width, sizeof double_width / sizeof *double_width) ? 2 : 1;
}

// Control characters, and those that would turn the direction of the text about them.
static int is_unprintable(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0x202a && code <= 0x202e) ||
           (code >= 0x2066 && code <= 0x2069) || code == 0x2028 || code == 0x2029;
}

size_t utf8_add_glyph(strbuf *b, const char *s, size_t n, unsigned *width)
{
    uint32_t code;
    size_t len = utf8_decode(s, n, &code);
    if (len > 0 && !is_unprintable(code)) {
        strbuf_addn(b, s, len);
        *width = utf8_width(code);
        return len;
    }
    size_t before = b->len;
    if (len == 0)
        strbuf_printf(b, "<%02x>", (unsigned char)s[0]);
    else
        strbuf_printf(b, "<U+%04X>", code);
    *width = (unsigned)(b->len - before);
    return len == 0 ? 1 : len;
}

void utf8_add_printable(strbuf *b, const char *s, size_t n)
{
    unsigned width;
    for (size_t i = 0; i < n;) {
        if (s[i] == '\n' || s[i] == '\t') {
            strbuf_addc(b, ' ');
            i++;
        } else {
            i += utf8_add_glyph(b, s + i, n - i, &width);
        }
    }
}

void utf8_add_valid(strbuf *b, const char *s, size_t n)
{
    for (size_t i = 0; i < n;) {
        uint32_t code;
        size_t len = utf8_decode(s + i, n - i, &code);
        if (len == 0)
            strbuf_add(b, "\xef\xbf\xbd");
        else
            strbuf_addn(b, s + i, len);
        i += len == 0 ? 1 : len;
    }
}
