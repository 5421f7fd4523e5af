// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conditions of '#if' and its like. What the C compiler will make of them is known as far as they ask for numbers, for
// macros of the file and of what it includes in quotes, and for what no C of this kind has. Of all other names it is not
// known whether a header of the system defines them: they are taken for undefined.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "lang/brook/parse.h"
#include "lang/brook/parser.tab.h"

enum { MAX_MACROS = 50, MAX_DEPTH = 100, MAX_EXPANSIONS = 10000 };

typedef struct condition {
    brook_program *program;
    const char *text;
    uint32_t at, end;
    int macros, depth; // within each other
    int *left;         // macros that may still be expanded
    bool *unfinished;  // brook_truth's
} condition;

static const brook_truth unknown = {0, false, false};

static brook_truth known(long value)
{
    return (brook_truth){value, true, false};
}

static void skip_blanks(condition *c)
{
    for (; c->at < c->end; c->at++) {
        const char *t = c->text + c->at;
        if (t[0] == '/' && c->at + 1 < c->end && t[1] == '*') {
            while (c->at + 1 < c->end && !(c->text[c->at] == '*' && c->text[c->at + 1] == '/'))
                c->at++;
            c->at++;
        } else if (t[0] == '/' && c->at + 1 < c->end && t[1] == '/') {
            c->at = c->end;
            return;
        } else if (!isspace((unsigned char)t[0]) && t[0] != '\\') {
            return;
        }
    }
}

static bool take(condition *c, const char *word)
{
    const uint32_t n = (uint32_t)strlen(word);
    skip_blanks(c);
    if (c->end - c->at < n || strncmp(c->text + c->at, word, n) != 0)
        return false;
    c->at += n;
    return true;
}

static bool is_word(char ch)
{
    return isalnum((unsigned char)ch) || ch == '_';
}

static const char *take_name(condition *c)
{
    skip_blanks(c);
    uint32_t begin = c->at;
    while (c->at < c->end && is_word(c->text[c->at]))
        c->at++;
    return internn(c->program->names, c->text + begin, c->at - begin);
}

// Names that the C compiler defines, and names of other systems and languages, which it does not.
static brook_truth predefined(const char *name)
{
    static const struct {
        const char *name;
        long value; // clang's
    } has[] = {{"__STDC__", 1}, {"__GNUC__", 4}, {"__clang__", 1}, {"__linux__", 1}, {"__unix__", 1}};
    static const char *const lacks[] = {"__cplusplus", "WIN32",     "_WIN32",    "_WIN64",
                                        "_MSC_VER",    "__APPLE__", "__CYGWIN__"};
    for (size_t i = 0; i < sizeof has / sizeof *has; i++)
        if (strcmp(name, has[i].name) == 0)
            return known(has[i].value);
    for (size_t i = 0; i < sizeof lacks / sizeof *lacks; i++)
        if (strcmp(name, lacks[i]) == 0)
            return known(0);
    return unknown;
}

static brook_truth is_defined(const condition *c, const char *name)
{
    brook_truth p = predefined(name);
    p.value = p.value != 0;
    return hmap_get(&c->program->macros, name) != NULL ? known(1) : p;
}

static brook_truth conditional(condition *c);

static brook_truth value_of(condition *c, const char *name)
{
    const brook_macro *m = hmap_get(&c->program->macros, name);
    if (m == NULL)
        return predefined(name);
    if (m->function_like || m->body.len == 0 || c->macros >= MAX_MACROS || (*c->left)-- <= 0)
        return unknown;
    const char *text = source_get(c->program->diags->sources, m->range.file)->text;
    condition body = {c->program, text,    m->body.data[0].begin, VEC_LAST(&m->body).end, c->macros + 1,
                      0,          c->left, c->unfinished};
    brook_truth v = conditional(&body);
    skip_blanks(&body);
    return body.at >= body.end ? v : unknown;
}

static brook_truth number(condition *c)
{
    char digits[32] = {0};
    size_t n = 0;
    while (c->at < c->end && is_word(c->text[c->at])) {
        if (n + 1 < sizeof digits)
            digits[n++] = c->text[c->at];
        c->at++;
    }
    char *end;
    long v = strtol(digits, &end, 0);
    return digits[strspn(digits, "0123456789abcdefABCDEFxXuUlL")] == '\0' ? known(v) : unknown;
}

static brook_truth primary(condition *c)
{
    brook_truth v = unknown;
    skip_blanks(c);
    if (c->at >= c->end || c->depth >= MAX_DEPTH) {
        *c->unfinished |= c->at >= c->end && c->macros == 0;
        c->at = c->end;
        return unknown;
    }
    c->depth++;
    if (take(c, "(")) {
        v = conditional(c);
        if (!take(c, ")"))
            v = unknown;
    } else if (take(c, "!")) {
        v = primary(c);
        v.value = !v.value;
    } else if (take(c, "-")) {
        v = primary(c);
        v.value = (long)-(unsigned long)v.value;
    } else if (take(c, "+")) {
        v = primary(c);
    } else if (isdigit((unsigned char)c->text[c->at])) {
        v = number(c);
    } else if (is_word(c->text[c->at])) {
        const char *name = take_name(c);
        if (strcmp(name, "defined") == 0) {
            bool parenthesis = take(c, "(");
            v = is_defined(c, take_name(c));
            if (parenthesis && !take(c, ")"))
                v = unknown;
        } else {
            v = value_of(c, name);
        }
    } else {
        c->at = c->end;
    }
    c->depth--;
    return v;
}

typedef enum operation { MUL, DIV, REM, ADD, SUB, LE, GE, LT, GT, EQ, NE, AND, OR } operation;

// Longer spellings first.
static const struct {
    const char *text;
    operation op;
    int precedence;
} operators[] = {{"<=", LE, 3}, {">=", GE, 3}, {"==", EQ, 2}, {"!=", NE, 2}, {"&&", AND, 1},
                 {"||", OR, 0}, {"<", LT, 3},  {">", GT, 3},  {"+", ADD, 4}, {"-", SUB, 4},
                 {"*", MUL, 5}, {"/", DIV, 5}, {"%", REM, 5}};

static long result(operation op, long a, long b)
{
    const unsigned long ua = (unsigned long)a, ub = (unsigned long)b;
    const bool divides = b != 0 && b != -1;
    switch (op) {
    case MUL: return (long)(ua * ub);
    case DIV: return divides ? a / b : (long)(0 - ua);
    case REM: return divides ? a % b : 0;
    case ADD: return (long)(ua + ub);
    case SUB: return (long)(ua - ub);
    case LE: return a <= b;
    case GE: return a >= b;
    case LT: return a < b;
    case GT: return a > b;
    case EQ: return a == b;
    case NE: return a != b;
    case AND: return a != 0 && b != 0;
    case OR: return a != 0 || b != 0;
    }
    return 0;
}

static brook_truth apply(operation op, brook_truth a, brook_truth b)
{
    if (op == AND && ((a.known && a.value == 0) || (b.known && b.value == 0)))
        return known(0);
    if (op == OR && ((a.known && a.value != 0) || (b.known && b.value != 0)))
        return known(1);
    const bool by_zero = (op == DIV || op == REM) && b.value == 0;
    return (brook_truth){result(op, a.value, b.value), a.known && b.known && !by_zero, false};
}

static brook_truth binary(condition *c, int least)
{
    brook_truth v = primary(c);
    for (;;) {
        size_t found = sizeof operators / sizeof *operators;
        uint32_t before = c->at;
        for (size_t i = 0; i < sizeof operators / sizeof *operators && found > i; i++)
            if (take(c, operators[i].text))
                found = i;
        if (found == sizeof operators / sizeof *operators)
            return v;
        if (operators[found].precedence < least) {
            c->at = before;
            return v;
        }
        v = apply(operators[found].op, v, binary(c, operators[found].precedence + 1));
    }
}

static brook_truth conditional(condition *c)
{
    brook_truth v = binary(c, 0);
    if (!take(c, "?"))
        return v;
    brook_truth a = conditional(c);
    if (!take(c, ":"))
        return unknown;
    brook_truth b = conditional(c);
    brook_truth chosen = v.value != 0 ? a : b;
    chosen.known = chosen.known && v.known;
    return chosen;
}

brook_conditional brook_conditional_of(brook_program *p, source_id file, const brook_token *directive,
                                       brook_truth *truth)
{
    int left = MAX_EXPANSIONS;
    bool unfinished = false;
    condition c = {
        p, source_get(p->diags->sources, file)->text, directive->begin + 1, directive->end, 0, 0, &left, &unfinished};
    const char *word = take_name(&c);
    if (strcmp(word, "endif") == 0)
        return BROOK_ENDIF;
    if (strcmp(word, "else") == 0) {
        *truth = known(1);
        return BROOK_ELSE;
    }
    if (strcmp(word, "ifdef") == 0 || strcmp(word, "ifndef") == 0) {
        *truth = is_defined(&c, take_name(&c));
        truth->value = truth->value != (word[2] == 'n');
        return BROOK_IF;
    }
    if (strcmp(word, "if") != 0 && strcmp(word, "elif") != 0)
        return BROOK_UNCONDITIONAL;
    *truth = conditional(&c);
    skip_blanks(&c);
    if (c.at < c.end) // bits, strings, what has no meaning
        truth->known = false;
    truth->unfinished = unfinished;
    return word[0] == 'i' ? BROOK_IF : BROOK_ELIF;
}

// ---- Whether they go together ----

// An '#if' whose '#endif' has not come.
typedef struct open_if {
    src_range at;
    bool otherwise; // its '#else' has come
} open_if;

static const char *const names_of[] = {[BROOK_ELIF] = "#elif", [BROOK_ELSE] = "#else", [BROOK_ENDIF] = "#endif"};

void brook_check_conditionals(brook_program *p, source_id file, const brook_tokens *tokens)
{
    VEC(open_if) open = {0};
    for (VEC_EACH(const brook_token, t, tokens)) {
        if (t->kind != TOK_DIRECTIVE)
            continue;
        brook_truth truth = {0};
        const src_range at = {file, t->begin, t->begin + 1};
        const brook_conditional c = brook_conditional_of(p, file, t, &truth);
        open_if *last = open.len == 0 ? NULL : &VEC_LAST(&open);
        if (c == BROOK_IF)
            VEC_PUSH(p->arena, &open, (open_if){.at = at});
        else if (c != BROOK_UNCONDITIONAL && last == NULL)
            diag_error(p->diags, at, "there is no '#if' before this '%s'", names_of[c]);
        else if (c == BROOK_ENDIF)
            open.len--;
        else if (c != BROOK_UNCONDITIONAL && last->otherwise)
            diag_error(p->diags, at, "'%s' behind the '#else' of the same '#if'", names_of[c]);
        else if (c == BROOK_ELSE)
            last->otherwise = true;
    }
    for (VEC_EACH(const open_if, o, &open))
        diag_error(p->diags, o->at, "there is no '#endif' to this '#if'");
}
