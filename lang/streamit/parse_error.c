// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What to say about a token that cannot come: a known mistake by name, else what was expected, in prose.
#include <string.h>

#include "lang/streamit/parse.h"
#include "lang/streamit/parser.tab.h"

static int kind_at(const parse_feed *f, size_t index)
{
    return f->tokens.data[index].kind;
}

// Where statements, members or declarations can begin.
static bool in_statements(const parse_feed *f)
{
    return feed_acceptable(f, TOK_IF);
}

static bool in_members(const parse_feed *f)
{
    return feed_acceptable(f, TOK_WORK);
}

static bool in_file(const parse_feed *f)
{
    return feed_acceptable(f, TOK_STRUCT);
}

static bool expects_expr(const parse_feed *f)
{
    return feed_acceptable(f, TOK_INT_LITERAL);
}

static bool after_expr(const parse_feed *f)
{
    return feed_acceptable(f, '*') && feed_acceptable(f, TOK_EQ);
}

// Something that cannot stand here, most likely for a '}' too many or a '{' that is missing before it. At file level
// what follows cannot stand there either: it is said once between two declarations.
static bool reported_astray(parse_feed *f)
{
    bool before = f->astray && in_file(f);
    f->astray = in_file(f);
    f->ctx->program->broken = true;
    return before;
}

// A word that is out of place; false when it is not one of the known cases.
static bool report_misplaced_word(parse_feed *f, int kind)
{
    diag_engine *d = f->ctx->diags;
    src_range where = feed_range(f, f->at);
    const char *word = streamit_token_name(kind);
    switch (kind) {
    case TOK_SWITCH:
    case TOK_CASE:
    case TOK_DEFAULT:
    case TOK_TEMPLATE:
        diag_error(d, where, "'%s' is a reserved word without a meaning: %s", word,
                   kind == TOK_TEMPLATE ? "streams cannot be templates" : "use 'if' and 'else'");
        return true;
    case TOK_ELSE:
        if (in_statements(f))
            diag_error(d, where, "'else' without an 'if' before it");
        return in_statements(f);
    case TOK_WORK:
    case TOK_PREWORK:
    case TOK_HANDLER:
    case TOK_INIT:
        if ((in_statements(f) || in_file(f)) && !reported_astray(f))
            diag_error(d, where, "'%s' can stand only among the members of a filter", word);
        return in_statements(f) || in_file(f);
    case TOK_FILTER:
    case TOK_PIPELINE:
    case TOK_SPLITJOIN:
    case TOK_FEEDBACKLOOP:
    case TOK_STATEFUL:
        if (in_file(f))
            diag_error(d, where, "a named stream needs its type first, as in 'int->int %s'", word);
        return in_file(f);
    case TOK_ADD:
    case TOK_SPLIT:
    case TOK_JOIN:
    case TOK_BODY:
    case TOK_LOOP:
    case TOK_ENQUEUE:
        if ((in_members(f) || in_file(f)) && !reported_astray(f))
            diag_error(d, where, "'%s' is a statement of a composite stream's body and cannot stand %s", word,
                       in_file(f) ? "at file level" : "among the members of a filter");
        return in_members(f) || in_file(f);
    case TOK_IF:
    case TOK_FOR:
    case TOK_WHILE:
    case TOK_DO:
    case TOK_RETURN:
    case TOK_PUSH:
    case TOK_POP:
    case TOK_PEEK:
        if (in_members(f) && !reported_astray(f))
            diag_error(d, where, "'%s' is a statement: it must be inside 'init', 'work' or another function", word);
        return in_members(f);
    default: return false;
    }
}

static bool is_operator(int kind)
{
    switch (kind) {
    case '+':
    case '-':
    case '*':
    case '/':
    case '%':
    case '&':
    case '|':
    case '^':
    case '<':
    case '>':
    case '?': return true;
    default: return kind >= TOK_LAND && kind <= TOK_SHR;
    }
}

static bool is_type_word(int kind)
{
    return (kind >= TOK_BOOLEAN && kind <= TOK_FLOAT4) || kind == TOK_PORTAL;
}

// "m = n = 3": the statement has assigned before.
static bool is_second_assignment(const parse_feed *f)
{
    for (size_t i = f->start; i < f->at && f->parens.len == 0; i++)
        if (kind_at(f, i) == '=')
            return true;
    return false;
}

// "unsigned int", as other languages write types.
static bool is_type_modifier(const parse_feed *f, size_t at)
{
    static const char *const words[] = {"'unsigned'", "'signed'", "'long'", "'short'"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (kind_at(f, at) == TOK_ID && strcmp(feed_text(f, at), words[i]) == 0)
            return true;
    return false;
}

static bool report_known_mistake(parse_feed *f)
{
    diag_engine *d = f->ctx->diags;
    src_range where = feed_range(f, f->at);
    int kind = kind_at(f, f->at), before = f->at > 0 ? kind_at(f, f->at - 1) : 0;
    if (f->at > f->start && is_type_word(kind) && is_type_modifier(f, f->at - 1)) {
        diag_error(d, feed_range(f, f->at - 1),
                   "there is no type '%.*s %s': 'int' has 32 bits and a sign, and wraps around",
                   (int)strlen(feed_text(f, f->at - 1)) - 2, feed_text(f, f->at - 1) + 1, streamit_token_name(kind));
        return true;
    }
    if (kind == '=' && after_expr(f) && !feed_acceptable(f, ']') && is_second_assignment(f)) {
        diag_error(d, where, "assignment is a statement, not an expression: assign to one variable after the other");
        return true;
    }
    if (kind == '=' && after_expr(f) && !feed_acceptable(f, ']')) {
        diag_record *r = diag_error(d, where, "assignment is a statement, not an expression: to compare, write '=='");
        diag_add_fixit(d, r, where, "==");
        return true;
    }
    if (kind == '+' && expects_expr(f)) {
        diag_record *r = diag_error(d, where, "there is no unary '+'");
        diag_add_fixit(d, r, where, "");
        return true;
    }
    if ((kind == ';' || is_operator(kind)) && feed_acceptable(f, '=') && feed_acceptable(f, TOK_ADD_ASSIGN)) {
        diag_error(d, where, "a value alone is not a statement: expected an assignment, '++', '--' or a call");
        return true;
    }
    if ((kind == '.' || kind == '[') && before == ')' && after_expr(f)) {
        diag_error(d, where, "'%s' can follow only a name: store the value in a variable first",
                   kind == '.' ? "." : "[");
        return true;
    }
    if (kind == ',' && f->parens.len == 1 && f->parens.data[0] > 0 && kind_at(f, f->parens.data[0] - 1) == TOK_FOR) {
        diag_error(d, where, "there is no comma operator: 'for' takes one statement in each place");
        return true;
    }
    if (kind == TOK_ID && !feed_acceptable(f, TOK_ID) && feed_acceptable(f, '{') && before >= TOK_FILTER &&
        before <= TOK_FEEDBACKLOOP) {
        diag_error(d, where, "an anonymous stream has no name: leave out %s, or declare the stream at file level",
                   feed_text(f, f->at));
        return true;
    }
    if (kind == TOK_ID && f->ctx->lists.len == 0 && feed_acceptable(f, TOK_ARROW) && f->at > f->start) {
        diag_error(d, where, "expected '->', found %s: a file declares streams, and variables only in a 'static' block",
                   feed_text(f, f->at));
        return true;
    }
    if ((kind == TOK_PUSH || kind == TOK_POP || kind == TOK_PEEK) && before == TOK_ID && f->start + 1 == f->at &&
        !feed_acceptable(f, '=')) {
        diag_error(d, feed_range(f, f->at - 1),
                   "%s does not begin a member of a filter: expected 'work' or 'prework' before rates",
                   feed_text(f, f->at - 1));
        return true;
    }
    if (kind == '(' && before == TOK_ID && feed_acceptable(f, '=') && feed_acceptable(f, ',') &&
        feed_acceptable(f, ';')) {
        diag_error(d, where,
                   "a function cannot be declared here: functions are members of a filter or of a helper block");
        return true;
    }
    if (kind == '}' && in_file(f)) {
        if (!reported_astray(f))
            diag_error(d, where, "extra '}'");
        return true;
    }
    if (kind == TOK_INT_LITERAL && before == TOK_SPLIT) {
        diag_error(d, where, "expected 'duplicate' or 'roundrobin' after 'split'");
        return true;
    }
    if (streamit_token_is_keyword(kind) && !is_type_word(kind) && feed_acceptable(f, TOK_ID) && !expects_expr(f) &&
        !in_statements(f) && !in_members(f) && !in_file(f) && !feed_acceptable(f, TOK_INT)) {
        diag_error(d, where, "'%s' is a reserved word and cannot be used as a name", streamit_token_name(kind));
        return true;
    }
    return report_misplaced_word(f, kind);
}

static bool is_assignment(int kind)
{
    return kind == '=' || (kind >= TOK_ADD_ASSIGN && kind <= TOK_SHR_ASSIGN) || kind == TOK_INC || kind == TOK_DEC;
}

static bool is_expr_start(int kind)
{
    switch (kind) {
    case TOK_ID:
    case TOK_INT_LITERAL:
    case TOK_FLOAT_LITERAL:
    case TOK_IMAGINARY:
    case TOK_STRING:
    case TOK_BAD_LITERAL:
    case TOK_PI:
    case TOK_TRUE:
    case TOK_FALSE:
    case TOK_POP:
    case TOK_PEEK:
    case TOK_ITER:
    case TOK_FLOAT2:
    case TOK_FLOAT3:
    case TOK_FLOAT4:
    case TOK_INC:
    case TOK_DEC:
    case '(':
    case '-':
    case '!':
    case '~': return true;
    default: return false;
    }
}

typedef struct expectation {
    const char *text[12];
    size_t len;
} expectation;

static void expect(expectation *e, const char *text)
{
    if (e->len < sizeof e->text / sizeof e->text[0])
        e->text[e->len++] = text;
}

// What can come, with groups of tokens under one name.
static void collect(const parse_feed *f, expectation *e)
{
    bool expr = expects_expr(f), statement = in_statements(f), member = in_members(f), file = in_file(f);
    bool type = feed_acceptable(f, TOK_INT) && feed_acceptable(f, TOK_FLOAT), after = after_expr(f);
    bool assignment = feed_acceptable(f, '=') && feed_acceptable(f, TOK_ADD_ASSIGN);
    if (statement)
        expect(e, "a statement");
    else if (member)
        expect(e, "a member of the filter");
    else if (file)
        expect(e, "a declaration");
    else if (expr)
        expect(e, "an expression");
    else if (type)
        expect(e, "a type");
    if (assignment)
        expect(e, "an assignment");
    bool place = statement || member || file;
    static const char ascii[] = ";,:)]}({=*<>";
    for (const char *p = ascii; *p; p++) {
        if (!feed_acceptable(f, *p) || (expr && is_expr_start(*p)) || (after && is_operator(*p)) ||
            (assignment && is_assignment(*p)) || (*p == '(' && (after || assignment)) || (place && *p != '}'))
            continue;
        expect(e, arena_printf(f->ctx->arena, "'%c'", *p));
    }
    for (int kind = TOK_ID; !place && kind <= TOK_WITHIN; kind++) {
        if (kind == TOK_BAD || kind == TOK_BAD_ASSIGN || !feed_acceptable(f, kind) || (expr && is_expr_start(kind)) ||
            (type && (is_type_word(kind) || kind == TOK_ID)) || (after && (is_operator(kind) || is_assignment(kind))) ||
            (assignment && is_assignment(kind)))
            continue;
        bool prose = kind < TOK_FIRST_KEYWORD;
        const char *name = streamit_token_name(kind);
        expect(e, prose ? name : arena_printf(f->ctx->arena, "'%s'", name));
    }
    if (e->len == 0 && feed_acceptable(f, '.')) // suffixes are seldom what is meant
        expect(e, "'.'");
    if (e->len == 0 && feed_acceptable(f, '['))
        expect(e, "'['");
    if (after && e->len == 0)
        expect(e, "an operator");
}

void report_unexpected(parse_feed *f)
{
    if (report_known_mistake(f))
        return;
    expectation e = {0};
    collect(f, &e);
    strbuf list;
    strbuf_init(&list, f->ctx->arena);
    for (size_t i = 0; i < e.len; i++) {
        strbuf_add(&list, i == 0 ? "" : i + 1 < e.len ? ", " : " or ");
        strbuf_add(&list, e.text[i]);
    }
    const char *found = feed_text(f, f->at);
    diag_record *r;
    if (e.len > 0)
        r = diag_error(f->ctx->diags, feed_range(f, f->at), "expected %s, found %s", list.data, found);
    else
        r = diag_error(f->ctx->diags, feed_range(f, f->at), "unexpected %s", found);
    if (kind_at(f, f->at) == TOK_END && f->ctx->lists.len > 0) {
        uint32_t open = VEC_LAST(&f->ctx->lists);
        diag_add_note(f->ctx->diags, r, (src_range){f->ctx->file, open, open + 1}, "this '{' is not closed");
    }
}
