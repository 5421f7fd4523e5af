// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the text of a token to its value, and the listing for --emit=tokens.
#include "lang/streamit/lex.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

#include "lang/streamit/streamit.h"

void lex_keywords(hmap *out, arena *a)
{
    hmap_init(out, a);
    for (int kind = TOK_FIRST_KEYWORD; kind <= TOK_LAST_KEYWORD; kind++) {
        int *value = ARENA_NEW(a, int);
        *value = kind;
        hmap_set(out, streamit_token_name(kind), value);
    }
}

static src_range here(const lexer *lx)
{
    return (src_range){lx->file, lx->begin, lx->at};
}

void lex_advance(lexer *lx, uint32_t length)
{
    lx->begin = lx->at;
    lx->at += length;
}

void lex_comment_begin(lexer *lx)
{
    lx->open = lx->begin;
}

void lex_comment_unfinished(lexer *lx)
{
    diag_error(lx->diags, (src_range){lx->file, lx->open, lx->open + 2}, "this comment has no end: expected '*/'");
    lx->after_error = true;
}

int lex_plain(lexer *lx, int kind)
{
    if (kind == TOK_END)
        lx->begin = lx->at;
    lx->current = (token){.kind = kind, .begin = lx->begin, .end = lx->at, .after_error = lx->after_error};
    lx->after_error = false;
    return 1;
}

int lex_word(lexer *lx, const char *text, size_t len)
{
    const int *keyword = hmap_getn(lx->keywords, text, len);
    lex_plain(lx, keyword ? *keyword : TOK_ID);
    if (!keyword)
        lx->current.value.name = internn(lx->names, text, len);
    return 1;
}

int lex_float(lexer *lx, const char *text)
{
    lex_plain(lx, TOK_FLOAT_LITERAL);
    lx->current.value.number = (float)strtod(text, NULL);
    if (isinf(lx->current.value.number)) {
        diag_error(lx->diags, here(lx), "the literal '%s' is larger than the largest float", text);
        lx->current.value.number = 0;
    }
    return 1;
}

int lex_imaginary(lexer *lx, const char *text)
{
    lex_float(lx, text);
    lx->current.kind = TOK_IMAGINARY;
    return 1;
}

int lex_int(lexer *lx, const char *text)
{
    int64_t value = 0;
    for (const char *p = text; *p; p++) {
        value = value * 10 + (*p - '0');
        if (value > INT32_MAX)
            return lex_float(lx, text); // literals out of range are floats, whatever the context
    }
    lex_plain(lx, TOK_INT_LITERAL);
    lx->current.value.integer = value;
    return 1;
}

int lex_hex(lexer *lx, const char *text)
{
    uint64_t value = 0;
    bool too_large = false;
    for (const char *p = text + 2; *p; p++) {
        too_large |= (value >> 59) != 0;
        value = value << 4 | (uint64_t)(isdigit((unsigned char)*p) ? *p - '0' : tolower((unsigned char)*p) - 'a' + 10);
    }
    if (too_large)
        diag_error(lx->diags, here(lx), "the hexadecimal literal '%s' has more than 63 bits", text);
    lex_plain(lx, TOK_INT_LITERAL);
    lx->current.value.integer = (int32_t)(uint32_t)value;
    return 1;
}

int lex_missing_digits(lexer *lx, const char *text, bool before)
{
    diag_record *r = diag_error(lx->diags, here(lx), "a number needs digits on both sides of the '.'");
    uint32_t dot = lx->begin + (uint32_t)strcspn(text, "."), at = before ? dot : dot + 1;
    diag_add_fixit(lx->diags, r, (src_range){lx->file, at, at}, "0");
    char last = text[strlen(text) - 1];
    return last == 'i' ? lex_imaginary(lx, text) : lex_float(lx, text);
}

int lex_bad_number(lexer *lx, const char *text)
{
    bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    size_t digits = hex ? 2 : strspn(text, "0123456789.");
    if (hex && text[1] == 'X') {
        diag_record *r = diag_error(lx->diags, here(lx), "hexadecimal literals begin with a lower-case '0x'");
        diag_add_fixit(lx->diags, r, (src_range){lx->file, lx->begin + 1, lx->begin + 2}, "x");
    } else if (hex) {
        diag_error(lx->diags, here(lx), "'%s' is not a hexadecimal number", text);
    } else {
        diag_error(lx->diags, here(lx), "'%s' is not a suffix of a number: expected 'f' or 'i' or none", text + digits);
    }
    lex_plain(lx, TOK_BAD_LITERAL);
    return 1;
}

// Decodes the escape after a backslash; gives the number of characters read, 0 for an unknown one.
static size_t decode_escape(const char *p, size_t len, char *out)
{
    static const char letters[] = "nrtbf\"'\\", values[] = "\n\r\t\b\f\"'\\";
    const char *known = len > 0 && *p ? strchr(letters, *p) : NULL;
    if (known) {
        *out = values[known - letters];
        return 1;
    }
    size_t n = 0, most = len > 0 && *p >= '0' && *p <= '3' ? 3 : 2;
    unsigned value = 0;
    while (n < most && n < len && p[n] >= '0' && p[n] <= '7')
        value = value * 8 + (unsigned)(p[n++] - '0');
    *out = (char)value;
    return n;
}

static int string_token(lexer *lx, const char *text, size_t len)
{
    string_literal *s = ARENA_NEW(lx->arena, string_literal);
    char *out = arena_alloc(lx->arena, len + 1);
    for (size_t i = 0; i < len; i++) {
        if (text[i] != '\\') {
            out[s->len++] = text[i];
            continue;
        }
        char c;
        size_t n = decode_escape(text + i + 1, len - i - 1, &c);
        if (n == 0) {
            uint32_t at = lx->begin + 1 + (uint32_t)i;
            diag_error(lx->diags, (src_range){lx->file, at, at + 2},
                       "unknown escape in a string: expected \\n, \\r, \\t, \\b, \\f, \\\", \\', \\\\ or up to three "
                       "octal digits");
            i++;
            continue;
        }
        out[s->len++] = c;
        i += n;
    }
    s->text = out;
    lex_plain(lx, TOK_STRING);
    lx->current.value.string = s;
    return 1;
}

int lex_string(lexer *lx, const char *text, size_t len)
{
    return string_token(lx, text + 1, len - 2);
}

int lex_unfinished_string(lexer *lx)
{
    diag_error(lx->diags, here(lx), "this string has no end: expected '\"' on the same line");
    lex_plain(lx, TOK_BAD_LITERAL);
    lx->after_error = true; // it may have swallowed a ')' or ';'
    return 1;
}

int lex_character(lexer *lx)
{
    diag_error(lx->diags, here(lx),
               "character literals are not supported, since there is no type to hold a character: write its number");
    return lex_plain(lx, TOK_BAD_LITERAL);
}

int lex_unsigned_shift(lexer *lx)
{
    diag_error(lx->diags, here(lx), "there is no operator '>>>': '>>' shifts arithmetically; mask the result instead");
    return lex_plain(lx, TOK_SHR);
}

int lex_bad_assign(lexer *lx, lang_binary_op op)
{
    lex_plain(lx, TOK_BAD_ASSIGN);
    lx->current.value.op = op;
    return 1;
}

void lex_directive(lexer *lx)
{
    lx->after_error = true;
    diag_error(lx->diags, (src_range){lx->file, lx->begin, lx->begin + 1},
               "unexpected character '#': there is no preprocessor; another file is used by 'import \"file.str\";', or "
               "named to the "
               "compiler too");
}

void lex_bad_character(lexer *lx, unsigned char c)
{
    bool goes_on = lx->bad_end == lx->begin && lx->begin > 0;
    lx->bad_end = lx->at;
    lx->after_error = true;
    if (goes_on)
        return;
    if (c >= 0xC0) { // underline and quote the whole UTF-8 sequence
        const source_file *f = source_get(lx->diags->sources, lx->file);
        uint32_t n = 1;
        while (n < 4 && (f->text[lx->begin + n] & 0xC0) == 0x80)
            n++;
        diag_error(lx->diags, (src_range){lx->file, lx->begin, lx->begin + n}, "unexpected character '%.*s'", (int)n,
                   f->text + lx->begin);
    } else if (c > 0x20 && c < 0x7F) {
        diag_error(lx->diags, here(lx), "unexpected character '%c'", c);
    } else {
        diag_error(lx->diags, here(lx), "unexpected character with code 0x%02x", c);
    }
}

static const char *kind_word(int kind)
{
    switch (kind) {
    case TOK_ID: return "identifier";
    case TOK_INT_LITERAL: return "int";
    case TOK_FLOAT_LITERAL: return "float";
    case TOK_IMAGINARY: return "imaginary";
    case TOK_STRING: return "string";
    case TOK_BAD_LITERAL:
    case TOK_BAD_ASSIGN: return "error";
    case TOK_END: return "end";
    default: return streamit_token_is_keyword(kind) ? "keyword" : "punctuation";
    }
}

void streamit_print_tokens(strbuf *out, diag_engine *d, source_id file)
{
    arena *a = arena_create();
    interner names;
    interner_init(&names, a);
    token_list tokens = {0};
    streamit_lex(&tokens, a, &names, d, file);
    const source_file *source = source_get(d->sources, file);
    for (VEC_EACH(token, t, &tokens)) {
        src_pos pos = source_pos(d->sources, file, t->begin);
        strbuf_printf(out, "%u:%u %s", pos.line, pos.column, kind_word(t->kind));
        if (t->end > t->begin) {
            strbuf_addc(out, ' ');
            strbuf_addn(out, source->text + t->begin, t->end - t->begin);
        }
        strbuf_addc(out, '\n');
    }
    arena_destroy(a);
}
