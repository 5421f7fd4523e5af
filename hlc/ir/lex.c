// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stream IR text: tokens, and the places at the ends of lines.
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hlc/ir/parse_int.h"
#include "support/strbuf.h"

static src_range token_range(const sir_parser *p, const sir_token *t)
{
    return (src_range){.file = p->source, .begin = t->begin, .end = t->end};
}

void sir_parse_error(sir_parser *p, const sir_token *at, const char *format, ...)
{
    if (p->failed)
        return;
    va_list args;
    va_start(args, format);
    const char *message = arena_vprintf(p->scratch, format, args);
    va_end(args);
    diag_error(p->d, token_range(p, at), "%s", message);
    p->failed = true;
    p->token = (sir_token){.kind = TOKEN_END, .begin = (uint32_t)p->len, .end = (uint32_t)p->len, .text = ""};
    p->next = p->len;
}

void sir_expected(sir_parser *p, const char *what)
{
    const sir_token *t = &p->token;
    if (t->kind == TOKEN_END)
        sir_parse_error(p, t, "expected %s, but the text ends", what);
    else if (t->kind == TOKEN_NEWLINE)
        sir_parse_error(p, t, "expected %s, but the line ends", what);
    else
        sir_parse_error(p, t, "expected %s, found '%.*s'", what, (int)(t->end - t->begin > 40 ? 40 : t->end - t->begin),
                        p->text + t->begin);
}

void sir_unknown(sir_parser *p, const sir_token *at, const char *what, const char *name, const hmap *known)
{
    const char **names = ARENA_ARRAY(p->scratch, const char *, known->len + 1);
    for (size_t i = 0; i < known->len; i++)
        names[i] = known->entries[i].key;
    const char *near = diag_nearest(name, names, known->len);
    if (near != NULL)
        sir_parse_error(p, at, "unknown %s '%s'; did you mean '%s'?", what, name, near);
    else
        sir_parse_error(p, at, "unknown %s '%s'", what, name);
}

// ---- Tokens ----

static char char_at(const sir_parser *p, size_t i)
{
    return i < p->len ? p->text[i] : '\0';
}

static bool is_word_start(char c)
{
    return isalpha((unsigned char)c) || c == '_';
}

static bool is_word_char(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

// A name with a sigil may have dots before digits only ("t.1"), so that "%z.real" is a member.
static size_t scan_name(const sir_parser *p, size_t i, bool any_dots)
{
    while (is_word_char(char_at(p, i)) ||
           (char_at(p, i) == '.' &&
            (any_dots ? is_word_char(char_at(p, i + 1)) : isdigit((unsigned char)char_at(p, i + 1)))))
        i++;
    return i;
}

static const char *decode_escape(sir_parser *p, strbuf *b, const char *s, const sir_token *t)
{
    static const char plain[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    const char *at = *s == '\0' ? NULL : strchr(plain, *s);
    if (at != NULL) {
        strbuf_addc(b, meant[at - plain]);
        return s + 1;
    }
    unsigned code = 0;
    bool ok = *s == 'u';
    for (int i = 1; ok && i <= 4; i++) {
        char c = s[i];
        ok = isxdigit((unsigned char)c);
        code = code * 16 + (unsigned)(isdigit((unsigned char)c) ? c - '0' : (c | 32) - 'a' + 10);
    }
    if (!ok || code > 0x7f) {
        sir_parse_error(p, t,
                        "unknown escape in a string; expected \\n, \\t, \\\", \\\\ or \\u00XX of an ASCII character");
        return s;
    }
    strbuf_addc(b, (char)code);
    return s + 5;
}

static void lex_string(sir_parser *p, sir_token *t, size_t start)
{
    size_t i = start + 1;
    while (i < p->len && p->text[i] != '"' && p->text[i] != '\n')
        i += p->text[i] == '\\' && i + 1 < p->len && p->text[i + 1] != '\n' ? 2 : 1;
    t->end = (uint32_t)(i < p->len ? i : p->len);
    if (i >= p->len || p->text[i] != '"') {
        sir_parse_error(p, t, "a string is not closed on its line");
        return;
    }
    t->end = (uint32_t)i + 1;
    strbuf b;
    strbuf_init(&b, p->scratch);
    const char *s = p->text + start + 1, *end = p->text + i;
    while (s < end && !p->failed) {
        if (*s == '\\')
            s = decode_escape(p, &b, s + 1, t);
        else
            strbuf_addc(&b, *s++);
    }
    t->kind = TOKEN_STRING;
    t->text = b.data;
    t->len = b.len;
}

static void lex_number(sir_parser *p, sir_token *t, size_t start)
{
    size_t i = start;
    bool real = false;
    while (isdigit((unsigned char)char_at(p, i)))
        i++;
    if (char_at(p, i) == '.' && isdigit((unsigned char)char_at(p, i + 1))) {
        real = true;
        for (i++; isdigit((unsigned char)char_at(p, i));)
            i++;
    }
    if (char_at(p, i) == 'e') {
        size_t exponent = i + 1;
        if (char_at(p, exponent) == '+' || char_at(p, exponent) == '-')
            exponent++;
        if (isdigit((unsigned char)char_at(p, exponent))) {
            real = true;
            for (i = exponent; isdigit((unsigned char)char_at(p, i));)
                i++;
        }
    }
    t->end = (uint32_t)i;
    char *digits = arena_strndup(p->scratch, p->text + start, i - start);
    char suffix = char_at(p, i);
    if (real) {
        bool is_double = suffix == 'd';
        t->kind = is_double ? TOKEN_DOUBLE : TOKEN_FLOAT;
        t->real = is_double ? strtod(digits, NULL) : (double)strtof(digits, NULL);
        t->end += is_double;
    } else {
        errno = 0;
        t->integer = strtoull(digits, NULL, 10);
        t->kind = suffix == 'b' ? TOKEN_BIT : TOKEN_INT;
        t->end += suffix == 'b';
        if (errno == ERANGE)
            sir_parse_error(p, t, "the number is too large");
    }
    if (is_word_char(char_at(p, t->end)))
        sir_parse_error(p, t, "letters after a number");
}

static void lex_sign(sir_parser *p, sir_token *t, size_t start)
{
    static const char *const two[] = {"->", "<<", ">>", "==", "!=", "<=", ">=", "&&", "||"};
    size_t n = 1;
    for (size_t i = 0; i < sizeof two / sizeof two[0]; i++)
        if (start + 1 < p->len && memcmp(p->text + start, two[i], 2) == 0)
            n = 2;
    t->end = (uint32_t)(start + n);
    if (n == 1 && (p->text[start] == '\0' || strchr("+-*/%&|^~!<>=?:()[]{},.@", p->text[start]) == NULL)) {
        sir_parse_error(p, t, "unexpected character");
        return;
    }
    t->kind = TOKEN_SIGN;
    t->text = internn(p->module->names, p->text + start, n);
    t->len = n;
}

static void lex_sigil(sir_parser *p, sir_token *t, size_t start)
{
    char sigil = p->text[start];
    t->kind = sigil == '%' ? TOKEN_LOCAL : sigil == '$' ? TOKEN_FIELD : TOKEN_GLOBAL;
    sir_token_kind kind = t->kind;
    if (char_at(p, start + 1) == '"') {
        lex_string(p, t, start + 1);
        t->text = internn(p->module->names, t->text, strlen(t->text));
    } else {
        size_t end = scan_name(p, start + 1, false);
        t->end = (uint32_t)end;
        t->text = internn(p->module->names, p->text + start + 1, end - start - 1);
    }
    t->len = strlen(t->text);
    if (!p->failed)
        t->kind = kind;
}

void sir_advance(sir_parser *p)
{
    if (p->failed)
        return;
    size_t i = p->next;
    while (i < p->len && (p->text[i] == ' ' || p->text[i] == '\t' || p->text[i] == '\r'))
        i++;
    if (char_at(p, i) == '/' && char_at(p, i + 1) == '/')
        while (i < p->len && p->text[i] != '\n')
            i++;
    sir_token t = {.kind = TOKEN_END, .begin = (uint32_t)i, .end = (uint32_t)i, .text = ""};
    char c = char_at(p, i), after = char_at(p, i + 1);
    if (i >= p->len) {
        t.kind = TOKEN_END;
    } else if (c == '\n') {
        t.kind = TOKEN_NEWLINE;
        t.end++;
    } else if (is_word_start(c)) {
        t.kind = TOKEN_WORD;
        t.end = (uint32_t)scan_name(p, i, !sir_at_sign(p, ".")); // of "a.b.c" each is a member
        t.text = internn(p->module->names, p->text + i, t.end - i);
        t.len = t.end - i;
    } else if ((c == '%' || c == '$' || c == '@') && (is_word_start(after) || after == '"')) {
        lex_sigil(p, &t, i);
    } else if (c == '"') {
        lex_string(p, &t, i);
    } else if (isdigit((unsigned char)c)) {
        lex_number(p, &t, i);
    } else {
        lex_sign(p, &t, i);
    }
    if (p->failed)
        return;
    p->token = t;
    p->next = t.end;
}

bool sir_at_sign(const sir_parser *p, const char *sign)
{
    return p->token.kind == TOKEN_SIGN && strcmp(p->token.text, sign) == 0;
}

bool sir_at_word(const sir_parser *p, const char *word)
{
    return p->token.kind == TOKEN_WORD && strcmp(p->token.text, word) == 0;
}

bool sir_accept_sign(sir_parser *p, const char *sign)
{
    if (!sir_at_sign(p, sign))
        return false;
    sir_advance(p);
    return true;
}

bool sir_accept_word(sir_parser *p, const char *word)
{
    if (!sir_at_word(p, word))
        return false;
    sir_advance(p);
    return true;
}

void sir_expect_sign(sir_parser *p, const char *sign)
{
    if (!sir_accept_sign(p, sign))
        sir_expected(p, arena_printf(p->scratch, "'%s'", sign));
}

void sir_expect_word(sir_parser *p, const char *word)
{
    if (!sir_accept_word(p, word))
        sir_expected(p, arena_printf(p->scratch, "'%s'", word));
}

void sir_skip_newlines(sir_parser *p)
{
    while (p->token.kind == TOKEN_NEWLINE)
        sir_advance(p);
}

const char *sir_expect_name(sir_parser *p, const char *what)
{
    if (p->token.kind != TOKEN_WORD && p->token.kind != TOKEN_STRING) {
        sir_expected(p, what);
        return "";
    }
    const char *name = intern(p->module->names, p->token.text);
    if (name[0] == '\0' || strlen(name) != p->token.len)
        sir_parse_error(p, &p->token, "an empty name, or one with a NUL");
    sir_advance(p);
    return name;
}

uint64_t sir_expect_integer(sir_parser *p, uint64_t most, const char *what)
{
    if (p->token.kind != TOKEN_INT) {
        sir_expected(p, what);
        return 0;
    }
    uint64_t value = p->token.integer;
    if (value > most)
        sir_parse_error(p, &p->token, "%s is too large", what);
    sir_advance(p);
    return value;
}

// ---- Places ----

static bool scan_number(const sir_parser *p, size_t *i, uint32_t *number)
{
    uint64_t value = 0;
    size_t start = *i;
    for (; isdigit((unsigned char)char_at(p, *i)) && *i - start < 10; ++*i)
        value = value * 10 + (uint64_t)(p->text[*i] - '0');
    *number = (uint32_t)value;
    return *i > start && value <= UINT32_MAX && !isdigit((unsigned char)char_at(p, *i));
}

// [[f<file>:]<line>:]<column>[-<end>], what is missing being as in 'whole'.
static bool scan_place(const sir_parser *p, size_t *i, sir_loc whole, sir_loc *loc)
{
    *loc = (sir_loc){.file = whole.file, .line = whole.line};
    if (char_at(p, *i) == 'f') {
        ++*i;
        if (!scan_number(p, i, &loc->file) || char_at(p, *i) != ':')
            return false;
        ++*i;
        if (!scan_number(p, i, &loc->line) || char_at(p, *i) != ':')
            return false;
        ++*i;
    }
    if (!scan_number(p, i, &loc->column))
        return false;
    if (char_at(p, *i) == ':') {
        ++*i;
        loc->line = loc->column;
        if (!scan_number(p, i, &loc->column))
            return false;
    }
    if (char_at(p, *i) == '-') {
        ++*i;
        return scan_number(p, i, &loc->end);
    }
    return true;
}

static bool scan_part(const sir_parser *p, size_t *i, sir_loc whole, sir_loc *loc)
{
    char c = char_at(p, *i);
    if (c == '=' || c == '-') {
        ++*i;
        *loc = c == '=' ? whole : (sir_loc){0};
        return true;
    }
    return scan_place(p, i, whole, loc) && loc->file != 0;
}

static void bad_place(sir_parser *p, size_t at)
{
    sir_token t = {.begin = (uint32_t)at, .end = (uint32_t)(at < p->len ? at + 1 : at)};
    sir_parse_error(p, &t, "expected a place like '@f1:12:5-17', then those of parts like '5-9', '13:5-9', '=' or '-'");
}

static bool known_file(const sir_parser *p, sir_loc loc)
{
    return loc.file < p->module->files.len;
}

// The token at hand begins with '@'.
static void scan_places(sir_parser *p)
{
    size_t i = p->token.begin + 1, start = i;
    bool ok = true;
    if (char_at(p, i) == '-')
        i++;
    else
        ok = char_at(p, i) == 'f' && scan_place(p, &i, (sir_loc){0}, &p->place);
    ok = ok && known_file(p, p->place);
    while (ok && char_at(p, i) == ' ' && char_at(p, i + 1) != '/' && char_at(p, i + 1) != '\n') {
        start = ++i;
        sir_loc part;
        ok = scan_part(p, &i, p->place, &part) && known_file(p, part);
        VEC_PUSH(p->scratch, &p->parts, part);
    }
    if (!ok) {
        bad_place(p, start);
        return;
    }
    p->next = i;
    sir_advance(p);
}

void sir_end_line(sir_parser *p)
{
    p->place = (sir_loc){0};
    p->parts.len = 0;
    p->parts_used = 0;
    if (!p->failed && p->token.kind != TOKEN_END && p->text[p->token.begin] == '@')
        scan_places(p);
    if (p->token.kind == TOKEN_END)
        return;
    if (p->token.kind != TOKEN_NEWLINE)
        sir_expected(p, "the end of the line");
    sir_skip_newlines(p);
}

sir_loc sir_take_part(sir_parser *p)
{
    return p->parts_used < p->parts.len ? p->parts.data[p->parts_used++] : p->place;
}

void sir_no_more_parts(sir_parser *p)
{
    if (p->parts_used < p->parts.len)
        sir_parse_error(p, &p->token, "the line before has more places than parts");
}
