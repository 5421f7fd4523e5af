// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The words in the contract macros: clauses separated by commas, each a word with or without numbers in parentheses.
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "llc/reader/reader.h"

typedef struct clause {
    const char *word;      // "peek2"
    const char *arguments; // "64", or NULL
} clause;

typedef struct clause_reader {
    llc_session *session;
    const char *macro; // "SVM_FIRE"
    const char *p;
    src_range at;
} clause_reader;

static bool wrong(const clause_reader *r, const char *word, const char *message)
{
    diag_error(r->session->diag, reader_word(r->session, r->at, word), "%s: %s", r->macro, message);
    return false;
}

static void skip_blanks(clause_reader *r)
{
    r->p += strspn(r->p, " \t\n");
}

// The next clause. False at the end or after an error, which *good tells apart.
static bool next_clause(clause_reader *r, clause *c, bool *good)
{
    arena *a = r->session->arena;
    skip_blanks(r);
    if (*r->p == '\0')
        return false;
    const char *start = r->p;
    while (isalnum((unsigned char)*r->p) || *r->p == '_')
        r->p++;
    *c = (clause){arena_strndup(a, start, (size_t)(r->p - start)), NULL};
    skip_blanks(r);
    if (*r->p == '(') {
        size_t n = strcspn(r->p, ")");
        c->arguments = arena_strndup(a, r->p + 1, n == 0 ? 0 : n - 1);
        r->p += r->p[n] == ')' ? n + 1 : n;
        skip_blanks(r);
    }
    if (c->word[0] == '\0' || (*r->p != ',' && *r->p != '\0')) {
        *good = wrong(r, "", arena_printf(a, "expected words separated by commas, not '%.40s'", start));
        return false;
    }
    if (*r->p == ',')
        r->p++;
    return true;
}

static bool parse_rate(clause_reader *r, const clause *c, llc_function *f)
{
    static const char *const names[] = {[LLC_PEEK] = "peek", [LLC_POP] = "pop", [LLC_PUSH] = "push"};
    arena *a = r->session->arena;
    size_t letters = 0;
    while (isalpha((unsigned char)c->word[letters]))
        letters++;
    for (unsigned i = 0; i < 3; i++) {
        if (strlen(names[i]) != letters || strncmp(c->word, names[i], letters) != 0)
            continue;
        char *end;
        unsigned long port = c->word[letters] == '\0' ? 1 : strtoul(c->word + letters, &end, 10);
        if (c->word[letters] != '\0' && (*end != '\0' || port < 2 || port > 1000000))
            break;
        const char *digits = c->arguments == NULL ? "" : c->arguments + strspn(c->arguments, " ");
        size_t n = strspn(digits, "0123456789");
        if (n == 0 || n > 15 || digits[n + strspn(digits + n, " ")] != '\0')
            return wrong(r, c->word,
                         arena_printf(a, "'%s' needs a number of items, for example '%s(1)'", c->word, c->word));
        VEC_PUSH(a, &f->rates, (llc_rate){i, (unsigned)port, strtoull(digits, NULL, 10)});
        return true;
    }
    static const char *const known[] = {"stateless", "stateful", "thread",   "peek", "pop",     "push",
                                        "firings",   "cost",     "estimate", "ints", "optional"};
    const char *near = diag_nearest(c->word, known, sizeof known / sizeof *known);
    return wrong(
        r, c->word,
        near == NULL
            ? arena_printf(
                  a, "unknown word '%.40s'; expected stateless, stateful, thread, or rates peek(N), pop(N), push(N)",
                  c->word)
            : arena_printf(a, "unknown word '%.40s'; did you mean '%s'?", c->word, near));
}

// ---- Numbers ----

// A clause's numbers, separated by commas: as many as are expected, none negative, all finite.
static bool parse_numbers(clause_reader *r, const clause *c, double *values, size_t count, const char *expected)
{
    arena *a = r->session->arena;
    const char *p = c->arguments == NULL ? "" : c->arguments;
    for (size_t i = 0; i < count; i++) {
        p += strspn(p, " ");
        bool negative = *p == '-';
        const char *start = p += negative;
        char *end = NULL;
        bool decimal = isdigit((unsigned char)*p) && strspn(p, "0123456789.eE+-") >= strcspn(p, " ,");
        values[i] = decimal ? strtod(p, &end) : 0;
        if (end == NULL || (end[strspn(end, " ")] != ',' && end[strspn(end, " ")] != '\0'))
            return wrong(r, c->word, arena_printf(a, "'%s' needs %s", c->word, expected));
        if (negative || !isfinite(values[i]))
            return wrong(r, c->word,
                         arena_printf(a, "'%s' takes finite numbers from 0 on, not '%s%.*s'", c->word,
                                      negative ? "-" : "", (int)(end - start), start));
        p = end + strspn(end, " ");
        if ((*p == ',') != (i + 1 < count))
            return wrong(r, c->word, arena_printf(a, "'%s' needs %s", c->word, expected));
        p += *p == ',';
    }
    return true;
}

static bool parse_fire_cost(clause_reader *r, const clause *c, llc_function *f)
{
    if (f->timed)
        return wrong(r, c->word, "the cost is given twice");
    f->timed = true;
    return parse_numbers(r, c, &f->cycles, 1, "the cycles of one firing, for example cost(12)");
}

// Of a launch: what it begins and ends with, a thread, and the least.
static bool parse_fire_estimate(clause_reader *r, const clause *c, llc_function *f)
{
    double values[3] = {0};
    if (f->estimated)
        return wrong(r, c->word, "the estimate is given twice");
    f->estimated = true;
    bool good = parse_numbers(
        r, c, values, 3, "three numbers, the cycles of a launch, of a thread, and the least: estimate(700, 6.5, 1300)");
    f->start = values[0];
    f->per_thread = values[1];
    f->least = values[2];
    return good;
}

// Of the ints that a thread's inputs have. A launch with others is loops.
static bool parse_ints(clause_reader *r, const clause *c, llc_function *f)
{
    enum { MOST = 1 << 24 };
    static const char expected[] =
        "'ints' needs the least and the most that an input's int may be, both within 2^24 of "
        "0, for example ints(0, 255)";
    const char *p = c->arguments == NULL ? "" : c->arguments;
    long bound[2] = {0, 0};
    if (f->int_least != 0 || f->int_most != 0)
        return wrong(r, c->word, "the bounds of ints are given twice");
    for (unsigned i = 0; i < 2; i++) {
        char *end;
        bound[i] = strtol(p, &end, 10);
        end += strspn(end, " ");
        if (end == p || *end != (i == 0 ? ',' : '\0') || bound[i] < -MOST || bound[i] > MOST)
            return wrong(r, c->word, expected);
        p = end + (i == 0);
    }
    if (bound[0] >= bound[1])
        return wrong(r, c->word, expected);
    f->int_least = bound[0];
    f->int_most = bound[1];
    return true;
}

static bool parse_firings(clause_reader *r, const clause *c, llc_function *f)
{
    const char *digits = c->arguments == NULL ? "" : c->arguments + strspn(c->arguments, " ");
    size_t n = strspn(digits, "0123456789");
    if (n == 0 || n > 15 || digits[n + strspn(digits + n, " ")] != '\0' || strtoull(digits, NULL, 10) == 0)
        return wrong(r, c->word, "'firings' needs how many firings one call does, for example firings(8)");
    f->firings = strtoull(digits, NULL, 10);
    return true;
}

bool reader_parse_fire(llc_session *s, llc_function *f, const char *text, src_range at)
{
    clause_reader r = {s, "SVM_FIRE", text, at};
    clause c;
    bool good = true, said = false;
    while (good && next_clause(&r, &c, &good)) {
        if (c.arguments == NULL && (strcmp(c.word, "stateless") == 0 || strcmp(c.word, "stateful") == 0)) {
            f->stateless = strcmp(c.word, "stateless") == 0;
            if (said)
                good = wrong(&r, c.word, "it is said twice whether there is state");
            said = true;
        } else if (c.arguments == NULL && strcmp(c.word, "thread") == 0) {
            f->thread = f->stateless = true;
        } else if (c.arguments == NULL && strcmp(c.word, "optional") == 0) {
            f->optional = true;
        } else if (strcmp(c.word, "cost") == 0) {
            good = parse_fire_cost(&r, &c, f);
        } else if (strcmp(c.word, "estimate") == 0) {
            good = parse_fire_estimate(&r, &c, f);
        } else if (strcmp(c.word, "ints") == 0) {
            good = parse_ints(&r, &c, f);
        } else if (strcmp(c.word, "firings") == 0) {
            good = parse_firings(&r, &c, f);
        } else {
            good = parse_rate(&r, &c, f);
        }
    }
    if (good && f->thread && !f->stateless)
        return wrong(&r, "stateful", "a thread has no state");
    if (good && f->estimated && !f->thread)
        return wrong(&r, "estimate", "only threads have an estimate; other functions have cost(CYCLES)");
    if (good && f->optional && !f->thread)
        return wrong(&r, "optional", "only threads may be loops instead");
    if (good && f->int_least != f->int_most && !f->thread)
        return wrong(&r, "ints", "only threads have bounds of ints");
    return good;
}

bool reader_parse_kernel(llc_session *s, llc_function *f, const char *text, src_range at)
{
    clause_reader r = {s, "SVM_KERNEL", text, at};
    clause c;
    bool good = true;
    while (good && next_clause(&r, &c, &good)) {
        bool cost = strcmp(c.word, "cost") == 0;
        double values[2];
        if (c.arguments == NULL && strcmp(c.word, "holds_processor") == 0) {
            f->holds_processor = true;
            continue;
        }
        if (c.arguments == NULL && strcmp(c.word, "input_first") == 0) {
            f->input_first = true;
            continue;
        }
        if (!cost && strcmp(c.word, "estimate") != 0)
            return wrong(&r, c.word,
                         arena_printf(s->arena,
                                      "unknown word '%.40s'; expected cost(START, PER_FIRING), "
                                      "estimate(START, PER_FIRING), holds_processor or input_first",
                                      c.word));
        if (f->basis != LLC_NO_COST)
            return wrong(&r, c.word,
                         cost == (f->basis == LLC_COST)
                             ? arena_printf(s->arena, "'%s' is given twice", c.word)
                             : "give 'cost', which holds, or 'estimate', which only informs, not both");
        good = parse_numbers(&r, &c, values, 2, arena_printf(s->arena, "two numbers, for example %s(20, 3)", c.word));
        f->basis = cost ? LLC_COST : LLC_ESTIMATE;
        f->start = values[0];
        f->per_firing = values[1];
    }
    if (good && f->input_first && !f->holds_processor)
        return wrong(&r, "input_first",
                     "a kernel that begins late holds its processor: it promises holds_processor, too");
    return good;
}
