// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the text of a token to its value, the words of types, and the listing for --emit=tokens.
#include "lang/brook/lex.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

void brook_lex_keywords(hmap *out, arena *a)
{
    hmap_init(out, a);
    for (int kind = TOK_FIRST_KEYWORD; kind <= TOK_LAST_KEYWORD; kind++) {
        int *value = ARENA_NEW(a, int);
        *value = kind;
        hmap_set(out, brook_token_name(kind), value);
    }
}

void brook_lex_advance(brook_lexer *lx, uint32_t length)
{
    lx->begin = lx->at;
    lx->at += length;
}

void brook_lex_comment(brook_lexer *lx)
{
    lx->open = lx->begin;
}

void brook_lex_comment_unfinished(brook_lexer *lx)
{
    diag_error(lx->diags, (src_range){lx->file, lx->open, lx->open + 2}, "this comment has no end: expected '*/'");
}

void brook_lex_directive_begin(brook_lexer *lx)
{
    lx->in_directive = true;
    lx->open = lx->begin;
}

int brook_lex_directive(brook_lexer *lx)
{
    lx->in_directive = false;
    lx->current = (brook_token){.kind = TOK_DIRECTIVE, .begin = lx->open, .end = lx->at};
    return 1;
}

int brook_lex_plain(brook_lexer *lx, int kind)
{
    if (kind == TOK_END)
        lx->begin = lx->at;
    lx->line_start = false;
    lx->current = (brook_token){.kind = kind, .begin = lx->begin, .end = lx->at};
    return 1;
}

int brook_lex_word(brook_lexer *lx, const char *text, size_t len)
{
    const int *keyword = hmap_getn(lx->keywords, text, len);
    brook_lex_plain(lx, keyword != NULL ? *keyword : TOK_ID);
    lx->current.name = internn(lx->names, text, len);
    return 1;
}

// Integers end quietly at the first bad digit, as strtol has it (0129 is 10).
int brook_lex_number(brook_lexer *lx, const char *text)
{
    brook_lex_plain(lx, TOK_NUMBER);
    bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    bool real = strpbrk(text, hex ? ".pP" : ".eE") != NULL;
    char *end;
    double value = real ? strtod(text, &end) : (double)strtoull(text, &end, 0);
    lx->current.number = value;
    lx->current.integral = !real;
    bool digits = !real && isdigit((unsigned char)*end);
    size_t rest = strlen(end);
    if (!digits && (rest > 3 || strspn(end, real ? "fFlL" : "uUlLfF") != rest))
        diag_error(lx->diags, (src_range){lx->file, lx->begin, lx->at}, "'%s' is no number: unexpected '%s'", text,
                   end);
    return 1;
}

int brook_lex_slash_comment(brook_lexer *lx)
{
    lx->at = lx->begin + 1; // the scanner has taken the rest back
    diag_warning(lx->diags, WARN_SLASH_COMMENT, (src_range){lx->file, lx->begin, lx->begin + 3},
                 "'//*' is a division before a comment, as in C89; write '// *' for a comment");
    return brook_lex_plain(lx, '/');
}

// Host code may hold any bytes; they are tokens nobody looks for, but for quotes that do not end.
int brook_lex_bad(brook_lexer *lx, unsigned char c)
{
    if (c == '"' || c == '\'') {
        diag_error(lx->diags, (src_range){lx->file, lx->begin, lx->at}, "this %s has no end on its line: expected '%c'",
                   c == '"' ? "string" : "character", c);
        return 0;
    }
    return brook_lex_plain(lx, c == '#' ? '#' : TOK_OTHER);
}

bool brook_token_is_type(int kind)
{
    return kind >= TOK_FIRST_TYPE && kind <= TOK_LAST_TYPE;
}

brook_type brook_token_type(int kind)
{
    switch (kind) {
#define BROOK_TYPE(token, spelling, of, w)                                                                             \
    case TOK_##token: return (brook_type){.element = BROOK_##of, .width = (w)};
#include "lang/brook/types.def"
    default: return (brook_type){.element = BROOK_ERROR, .width = 1};
    }
}

static const char *kind_word(int kind)
{
    switch (kind) {
    case TOK_ID: return "identifier";
    case TOK_NUMBER: return "number";
    case TOK_STRING: return "string";
    case TOK_CHARACTER: return "character";
    case TOK_DIRECTIVE: return "directive";
    case TOK_OTHER: return "other";
    case TOK_END: return "end";
    default: return brook_token_is_keyword(kind) ? "keyword" : "punctuation";
    }
}

void brook_print_tokens(strbuf *out, diag_engine *d, source_id file)
{
    arena *a = arena_create();
    interner names;
    interner_init(&names, a);
    brook_tokens tokens = {0};
    const source_file *source = source_get(d->sources, file);
    brook_lex(&tokens, a, &names, d, file, 0, (uint32_t)source->len);
    for (VEC_EACH(brook_token, t, &tokens)) {
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
