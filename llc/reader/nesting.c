// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bounds how deeply a C text is nested before clang sees it: clang recurses on brackets, statements and
// expressions, and does not survive a few thousand levels of some of them. Counts tokens, which is coarse and errs
// on the side of refusing only what nobody writes.
#include <ctype.h>
#include <string.h>

#include "llc/reader/reader.h"

enum { MAX_BRACKETS = 1000, MAX_STATEMENTS = 2000, MAX_TOKENS = 10000, MAX_PREFIXES = 500 };

typedef struct nesting {
    const char *text;
    size_t len, at;
    size_t brackets;
    size_t parentheses; // open at this place, of () and [] only
    size_t statements;  // keywords since the last end of a statement
    size_t tokens;      // since the last end of a statement, or comma
    size_t prefixes;    // operators in a row
    size_t casts;       // parentheses behind parentheses
    char last;          // punctuator before this token, or 0
} nesting;

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

// Past blanks, comments and joined lines.
static void skip_blanks(nesting *n)
{
    while (n->at < n->len) {
        const char *p = n->text + n->at;
        if (isspace((unsigned char)*p) || *p == '\\') {
            n->at++;
        } else if (p[0] == '/' && p[1] == '/') {
            n->at += strcspn(p, "\n");
        } else if (p[0] == '/' && p[1] == '*') {
            const char *end = strstr(p + 2, "*/");
            n->at = end == NULL ? n->len : (size_t)(end + 2 - n->text);
        } else {
            return;
        }
    }
}

static void skip_quoted(nesting *n, char quote)
{
    for (n->at++; n->at < n->len && n->text[n->at] != quote && n->text[n->at] != '\n'; n->at++)
        n->at += n->text[n->at] == '\\';
    n->at++;
}

static bool is_statement(const char *word, size_t len)
{
    static const char *const words[] = {"if", "else", "for", "while", "do", "switch", "case", "default"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == len && memcmp(words[i], word, len) == 0)
            return true;
    return false;
}

// A statement ends, unless an else goes on with it.
static void end_statement(nesting *n)
{
    size_t at = n->at;
    skip_blanks(n);
    bool goes_on = n->at + 4 < n->len && memcmp(n->text + n->at, "else", 4) == 0 && !is_name(n->text[n->at + 4]);
    n->at = at;
    n->tokens = 0;
    if (!goes_on)
        n->statements = 0;
}

static void take_punctuator(nesting *n, char c)
{
    n->at++;
    n->tokens++;
    n->prefixes = c != '\0' && strchr("!~-+*&:?=<>|^%", c) != NULL ? n->prefixes + 1 : 0;
    if (c == '(' && n->last == ')')
        n->casts++;
    else if (strchr("()[]*", c) == NULL)
        n->casts = 0;
    n->last = c;
    if (c == '(' || c == '[' || c == '{')
        n->brackets++;
    else if ((c == ')' || c == ']' || c == '}') && n->brackets > 0)
        n->brackets--;
    if (c == '(' || c == '[')
        n->parentheses++;
    else if ((c == ')' || c == ']') && n->parentheses > 0)
        n->parentheses--;
    if (c == '{' || c == '}')
        n->parentheses = 0;
    if (c == ',')
        n->tokens = 0;
    if (c == '{')
        n->tokens = n->statements = 0;
    if (c == '}' || (c == ';' && n->parentheses == 0))
        end_statement(n);
}

static void take_token(nesting *n)
{
    char c = n->text[n->at];
    if (is_name(c)) {
        size_t start = n->at;
        while (n->at < n->len && is_name(n->text[n->at]))
            n->at++;
        n->statements += is_statement(n->text + start, n->at - start);
        n->tokens++;
        n->prefixes = 0;
        n->last = '\0';
    } else if (c == '"' || c == '\'') {
        skip_quoted(n, c);
        n->tokens++;
        n->prefixes = 0;
    } else {
        take_punctuator(n, c);
    }
}

bool reader_check_nesting(llc_session *s, const llc_unit *unit)
{
    const source_file *file = source_get(s->diag->sources, unit->file);
    nesting n = {.text = file->text, .len = file->len};
    for (skip_blanks(&n); n.at < n.len; skip_blanks(&n)) {
        uint32_t at = (uint32_t)n.at;
        take_token(&n);
        if (n.brackets <= MAX_BRACKETS && n.statements <= MAX_STATEMENTS && n.tokens <= MAX_TOKENS &&
            n.prefixes <= MAX_PREFIXES && n.casts <= MAX_PREFIXES)
            continue;
        diag_error(s->diag, (src_range){unit->file, at, at + 1}, "nested too deeply for clang; split this %s",
                   n.brackets > MAX_BRACKETS       ? "nest of brackets"
                   : n.statements > MAX_STATEMENTS ? "statement"
                                                   : "expression");
        return false;
    }
    return true;
}
