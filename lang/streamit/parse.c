// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Feeds the tokens of a file to the parser. Before a token is pushed the parser is asked whether it can come: if not, a
// likely slip (a missing ';' or ')', a ';' too many, a missing '}') is repaired as its fix-it says; else the error is
// reported, the rest of the statement, member or declaration is skipped with balanced braces, and a ';' made up here
// ends it.
#include "lang/streamit/parse.h"

#include <string.h>

#include "lang/streamit/parser.tab.h"
#include "lang/streamit/streamit.h"

static token *tok(const parse_feed *f, size_t index)
{
    return &f->tokens.data[index < f->tokens.len ? index : f->tokens.len - 1];
}

src_range feed_range(const parse_feed *f, size_t index)
{
    const token *t = tok(f, index);
    return (src_range){f->ctx->file, t->begin, t->end};
}

bool feed_acceptable(const parse_feed *f, int kind)
{
    return streamit_acceptable(f->parser, kind);
}

const char *feed_text(const parse_feed *f, size_t index)
{
    const token *t = tok(f, index);
    if (t->kind == TOK_END)
        return "the end of the file";
    const source_file *source = source_get(f->ctx->diags->sources, f->ctx->file);
    uint32_t len = t->end - t->begin;
    return arena_printf(f->ctx->arena, "'%.*s%s'", (int)(len > 40 ? 40 : len), source->text + t->begin,
                        len > 40 ? "..." : "");
}

static void push_token(parse_feed *f, int kind, const token *t, src_range range)
{
    STREAMIT_YYSTYPE value = {0};
    if (t) {
        switch (kind) {
        case TOK_ID: value.name = t->value.name; break;
        case TOK_INT_LITERAL: value.integer = t->value.integer; break;
        case TOK_FLOAT_LITERAL:
        case TOK_IMAGINARY: value.number = t->value.number; break;
        case TOK_STRING: value.string = t->value.string; break;
        case TOK_BAD_ASSIGN: value.op = t->value.op; break;
        default: break;
        }
    }
    if (kind == '{')
        f->braces++;
    if (kind == '}' && f->braces > 0)
        f->braces--;
    streamit_yypush_parse(f->parser, kind, &value, &range, f->ctx);
    if (kind == TOK_FILTER || kind == TOK_PIPELINE || kind == TOK_SPLITJOIN || kind == TOK_FEEDBACKLOOP)
        f->astray = false;
}

// Pushes a token that the text lacks, placed after the token before.
static void push_missing(parse_feed *f, int kind)
{
    uint32_t end = f->at > 0 ? tok(f, f->at - 1)->end : 0;
    push_token(f, kind, NULL, (src_range){f->ctx->file, end, end});
}

static void track(parse_feed *f, size_t index)
{
    switch (tok(f, index)->kind) {
    case '(': VEC_PUSH(f->ctx->arena, &f->parens, index); break;
    case ')':
        if (f->parens.len > 0)
            f->parens.len--;
        break;
    case ';':
        if (f->parens.len > 0)
            break;
        f->start = index + 1;
        break;
    case '{':
    case '}':
        f->parens.len = 0;
        f->start = index + 1;
        break;
    default: break;
    }
}

static void push_next(parse_feed *f)
{
    const token *t = tok(f, f->at);
    push_token(f, t->kind, t, feed_range(f, f->at));
    track(f, f->at);
    f->at++;
}

static bool on_new_line(const parse_feed *f, size_t index)
{
    if (index == 0)
        return true;
    const source_file *source = source_get(f->ctx->diags->sources, f->ctx->file);
    uint32_t from = tok(f, index - 1)->end, to = tok(f, index)->begin;
    return to > from && memchr(source->text + from, '\n', to - from) != NULL;
}

static bool begins_statement(int kind)
{
    switch (kind) {
    case TOK_IF:
    case TOK_WHILE:
    case TOK_FOR:
    case TOK_DO:
    case TOK_ADD:
    case TOK_BODY:
    case TOK_LOOP:
    case TOK_SPLIT:
    case TOK_JOIN:
    case TOK_ENQUEUE:
    case TOK_PUSH:
    case TOK_RETURN:
    case TOK_BREAK:
    case TOK_CONTINUE: return true;
    default: return false;
    }
}

static bool begins_member(int kind)
{
    return kind == TOK_WORK || kind == TOK_PREWORK || kind == TOK_INIT || kind == TOK_HANDLER;
}

static bool begins_block(int kind)
{
    return kind == TOK_STRUCT || kind == TOK_STATIC || kind == TOK_NATIVE || kind == TOK_HELPER;
}

// Skips one bracketed length in a look ahead.
static size_t after_dims(const parse_feed *f, size_t i)
{
    while (tok(f, i)->kind == '[') {
        size_t depth = 0, limit = i + 64;
        do {
            int kind = tok(f, i++)->kind;
            depth += kind == '[';
            depth -= kind == ']';
            if (kind == TOK_END || i > limit)
                return f->tokens.len;
        } while (depth > 0);
    }
    return i;
}

static bool begins_type(int kind)
{
    return kind == TOK_ID || (kind >= TOK_BOOLEAN && kind <= TOK_FLOAT4);
}

// Whether a named stream, 'type -> type [stateful] filter Name', begins at token i.
static bool declaration_at(const parse_feed *f, size_t i)
{
    for (int part = 0; part < 2; part++) {
        if (!begins_type(tok(f, i)->kind))
            return false;
        i = after_dims(f, i + 1);
        if (part == 0 && tok(f, i++)->kind != TOK_ARROW)
            return false;
    }
    if (tok(f, i)->kind == TOK_STATEFUL)
        i++;
    int kind = tok(f, i)->kind;
    return kind >= TOK_FILTER && kind <= TOK_FEEDBACKLOOP && tok(f, i + 1)->kind == TOK_ID;
}

static bool at_file_level(const parse_feed *f)
{
    return f->ctx->lists.len == 0;
}

// Makes an error of what is being parsed and ends it.
static void end_statement(parse_feed *f, src_range here)
{
    push_token(f, TOK_BAD, NULL, here);
    if (feed_acceptable(f, ')'))
        push_missing(f, ')');
    push_missing(f, ';');
}

// Closes all open bodies, so that what was parsed of them stays in the tree.
static void close_lists(parse_feed *f, src_range here)
{
    for (size_t tries = 3 * f->ctx->lists.len + 3; tries > 0 && f->ctx->lists.len > 0; tries--) {
        if (feed_acceptable(f, '}'))
            push_missing(f, '}');
        else
            end_statement(f, here);
    }
}

// A declaration of the file where a statement or member should be: a '}' is missing before it.
static bool repair_missing_brace(parse_feed *f)
{
    size_t begin = f->at;
    if (at_file_level(f) || f->brace_at == f->at || f->brace_at == f->start)
        return false;
    if (tok(f, f->at)->kind == TOK_ARROW && f->start < f->at && on_new_line(f, f->start) && declaration_at(f, f->start))
        begin = f->start;
    else if (!begins_block(tok(f, f->at)->kind) || !on_new_line(f, f->at))
        return false;
    src_range where = {f->ctx->file, tok(f, begin)->begin, tok(f, begin)->end};
    diag_record *r = diag_error(f->ctx->diags, where, "expected '}' before this declaration");
    uint32_t open = VEC_LAST(&f->ctx->lists);
    diag_add_note(f->ctx->diags, r, (src_range){f->ctx->file, open, open + 1}, "to match this '{'");
    f->ctx->program->broken = true;
    if (begin < f->at)
        end_statement(f, where);
    f->at = begin;
    close_lists(f, where);
    f->brace_at = f->at;
    f->braces = f->ctx->lists.len;
    f->parens.len = 0;
    f->start = f->at;
    f->quiet_at = f->at;
    return true;
}

static bool belongs_in_composite(int kind)
{
    return kind == TOK_ADD || kind == TOK_SPLIT || kind == TOK_JOIN || kind == TOK_BODY || kind == TOK_LOOP ||
           kind == TOK_ENQUEUE;
}

// A statement of the composite around an anonymous filter, among the members of that filter: its '}' is missing.
static bool repair_missing_filter_end(parse_feed *f)
{
    size_t at = f->at + (tok(f, f->at)->kind == ';');
    if (f->ctx->lists.len < 2 || !feed_acceptable(f, TOK_WORK) || !belongs_in_composite(tok(f, at)->kind))
        return false;
    uint32_t open = VEC_LAST(&f->ctx->lists);
    diag_record *r = diag_error(f->ctx->diags, feed_range(f, at), "expected '}' before %s", feed_text(f, at));
    diag_add_note(f->ctx->diags, r, (src_range){f->ctx->file, open, open + 1}, "to match this '{'");
    push_missing(f, '}');
    f->start = f->at;
    return true;
}

// A body without its '{'.
static bool repair_missing_open(parse_feed *f)
{
    int kind = tok(f, f->at)->kind;
    bool word = begins_member(kind) || begins_statement(kind);
    if (f->at == 0 || !feed_acceptable(f, '{') || feed_acceptable(f, TOK_IF) || feed_acceptable(f, TOK_INT_LITERAL) ||
        !(word || (begins_type(kind) && on_new_line(f, f->at))))
        return false;
    uint32_t end = tok(f, f->at - 1)->end;
    src_range where = {f->ctx->file, end, end};
    diag_record *r = diag_error(f->ctx->diags, where, "expected '{' after %s", feed_text(f, f->at - 1));
    diag_add_fixit(f->ctx->diags, r, where, " {");
    push_missing(f, '{');
    f->start = f->at;
    f->quiet_at = f->at;
    return true;
}

// 'if', 'while' or 'for' without its '('.
static bool repair_missing_paren(parse_feed *f)
{
    int before = f->at > 0 ? tok(f, f->at - 1)->kind : 0, kind = tok(f, f->at)->kind;
    bool head = begins_type(kind) || (kind > TOK_ID && kind < TOK_FIRST_KEYWORD) || kind == TOK_PEEK || kind == '!' ||
                kind == '-' || kind == TOK_TRUE || kind == TOK_FALSE;
    if ((before != TOK_IF && before != TOK_WHILE && before != TOK_FOR) || !head || !feed_acceptable(f, '('))
        return false;
    uint32_t end = tok(f, f->at - 1)->end;
    src_range where = {f->ctx->file, end, end};
    diag_record *r = diag_error(f->ctx->diags, where, "expected '(' after %s", feed_text(f, f->at - 1));
    diag_add_fixit(f->ctx->diags, r, where, " (");
    push_missing(f, '(');
    VEC_PUSH(f->ctx->arena, &f->parens, f->at - 1);
    return true;
}

static bool repair_extra_semicolon(parse_feed *f)
{
    if (tok(f, f->at)->kind != ';' || !(feed_acceptable(f, TOK_STRUCT) || feed_acceptable(f, TOK_WORK)))
        return false;
    bool member = feed_acceptable(f, TOK_WORK);
    diag_record *r = diag_error(f->ctx->diags, feed_range(f, f->at), "extra ';': there is none %s",
                                member ? "between the members of a filter" : "after a declaration");
    diag_add_fixit(f->ctx->diags, r, feed_range(f, f->at), "");
    f->start = ++f->at;
    return true;
}

// Whether the next token looks as if a statement or member ended before it.
static bool follows_statement(const parse_feed *f)
{
    int kind = tok(f, f->at)->kind;
    return on_new_line(f, f->at) || kind == '}' || kind == TOK_ELSE || begins_statement(kind) || begins_member(kind);
}

static bool repair_missing_closer(parse_feed *f, int closer)
{
    int kind = tok(f, f->at)->kind;
    if (!feed_acceptable(f, closer) || f->at == 0)
        return false;
    if (kind != ';' && kind != '{' && kind != '}' && !(closer == ']' && kind == ')') && !begins_statement(kind))
        return false;
    uint32_t end = tok(f, f->at - 1)->end;
    src_range where = {f->ctx->file, end, end};
    const char *text = closer == ')' ? ")" : "]";
    if (!tok(f, f->at)->after_error) {
        diag_record *r = diag_error(f->ctx->diags, where, "expected '%s'", text);
        diag_add_fixit(f->ctx->diags, r, where, text);
        if (closer == ')' && f->parens.len > 0)
            diag_add_note(f->ctx->diags, r, feed_range(f, VEC_LAST(&f->parens)), "to match this '('");
    }
    do {
        push_missing(f, closer);
        if (closer == ')' && f->parens.len > 0)
            f->parens.len--;
    } while (feed_acceptable(f, closer) && !feed_acceptable(f, kind));
    if (!feed_acceptable(f, kind) && feed_acceptable(f, ';') && follows_statement(f)) {
        push_missing(f, ';');
        f->parens.len = 0;
        f->start = f->at;
    }
    f->quiet_at = f->at;
    return true;
}

static bool repair_missing_semicolon(parse_feed *f)
{
    if (!feed_acceptable(f, ';') || f->at == 0 || feed_acceptable(f, TOK_IF) || !follows_statement(f))
        return false;
    uint32_t end = tok(f, f->at - 1)->end;
    src_range where = {f->ctx->file, end, end};
    if (!tok(f, f->at)->after_error) {
        diag_record *r = diag_error(f->ctx->diags, where, "expected ';' after %s", feed_text(f, f->at - 1));
        diag_add_fixit(f->ctx->diags, r, where, ";");
    }
    push_missing(f, ';');
    f->parens.len = 0;
    f->start = f->at;
    f->quiet_at = f->at;
    return true;
}

// Whether the token after a reserved word says that the word is meant as a name.
static bool used_as_name(const parse_feed *f, size_t index)
{
    bool in_statement = index > f->start;
    switch (tok(f, index + 1)->kind) {
    case '(':
    case '{':
    case ';':
    case ',':
    case ')':
    case ']': return in_statement;
    case '=':
    case '[':
    case '.':
    case '+':
    case '-':
    case '*':
    case '/':
    case '%':
    case '<':
    case '>':
    case TOK_INC:
    case TOK_DEC:
    case TOK_EQ:
    case TOK_NE:
    case TOK_LE:
    case TOK_GE: return true;
    default: return tok(f, index + 1)->kind >= TOK_ADD_ASSIGN && tok(f, index + 1)->kind <= TOK_SHR_ASSIGN;
    }
}

static void make_unsure(parse_context *ctx, const char *name)
{
    if (!ctx->program->unsure) {
        ctx->program->unsure = ARENA_NEW(ctx->arena, hmap);
        hmap_init(ctx->program->unsure, ctx->arena);
    }
    hmap_set(ctx->program->unsure, name, ctx->program);
}

static void make_name(const parse_feed *f, token *t)
{
    t->value.name = intern(f->ctx->names, streamit_token_name(t->kind));
    t->kind = TOK_ID;
}

static bool repair_reserved_name(parse_feed *f)
{
    token *t = tok(f, f->at);
    if (!streamit_token_is_keyword(t->kind) || !feed_acceptable(f, TOK_ID) || !used_as_name(f, f->at))
        return false;
    const char *name = streamit_token_name(t->kind);
    if (!f->as_name[t->kind - TOK_FIRST_KEYWORD]) {
        diag_error(f->ctx->diags, feed_range(f, f->at), "'%s' is a reserved word and cannot be used as a name", name);
        f->as_name[t->kind - TOK_FIRST_KEYWORD] = true;
    }
    make_name(f, t);
    make_unsure(f->ctx, t->value.name);
    return true;
}

// Words that the language got in 2011: programs from before have them as names. As words they are only "iter()", and "stateful"
// before a filter.
static bool is_late_word(const parse_feed *f)
{
    int kind = tok(f, f->at)->kind;
    return kind == TOK_ITER ? tok(f, f->at + 1)->kind != '(' : kind == TOK_STATEFUL && used_as_name(f, f->at);
}

// A reserved word that the file uses as a name, and here is not followed by what it needs as a word.
static void keep_as_name(parse_feed *f)
{
    token *t = tok(f, f->at);
    if (is_late_word(f)) {
        make_name(f, t);
        return;
    }
    if (!streamit_token_is_keyword(t->kind) || begins_type(t->kind) || !f->as_name[t->kind - TOK_FIRST_KEYWORD])
        return;
    int next = tok(f, f->at + 1)->kind;
    if (next == '(' || next == '{' || !used_as_name(f, f->at))
        return;
    make_name(f, t);
}

// Leaves out a token: names in skipped text are later not reported as unknown.
static void skip_token(parse_feed *f)
{
    const token *t = tok(f, f->at);
    parse_context *ctx = f->ctx;
    if (t->kind == TOK_ID)
        make_unsure(ctx, t->value.name);
    ctx->skipped = src_join(ctx->skipped.file == ctx->file ? ctx->skipped : feed_range(f, f->at), feed_range(f, f->at));
    f->at++;
}

// Skips to the ')' of an if, while or for whose head is wrong; the body is parsed.
static void skip_head(parse_feed *f)
{
    size_t level = f->parens.len;
    bool is_for = false;
    while (level > 0) {
        size_t open = f->parens.data[level - 1];
        int before = open > 0 ? tok(f, open - 1)->kind : 0;
        is_for = before == TOK_FOR;
        if (is_for || before == TOK_IF || before == TOK_WHILE)
            break;
        level--;
    }
    for (;; skip_token(f)) {
        int kind = tok(f, f->at)->kind;
        if (kind == '(') {
            VEC_PUSH(f->ctx->arena, &f->parens, f->at);
        } else if (kind == ')' && f->parens.len <= level) {
            push_next(f);
            break;
        } else if (kind == ')') {
            f->parens.len--;
        } else if (kind == '{' || kind == '}' || kind == TOK_END || (kind == ';' && !is_for)) {
            push_missing(f, ')');
            break;
        }
    }
    f->parens.len = 0;
    f->start = f->at;
}

// An error between parentheses that a '{' follows, as in a misspelt 'for (...) {': gives the ')', or 0.
static size_t head_end(const parse_feed *f)
{
    size_t depth = f->parens.len, limit = f->at + 200;
    for (size_t i = f->at; depth > 0 && i < limit; i++) {
        int kind = tok(f, i)->kind;
        if (kind == '{' || kind == '}' || kind == TOK_END)
            return 0;
        depth += kind == '(';
        depth -= kind == ')';
        if (depth == 0 && tok(f, i + 1)->kind == '{')
            return i;
    }
    return 0;
}

// After the ')' of a '(a; b; c)', the head of a loop that is skipped; at its '(' if it is none.
static size_t after_head(const parse_feed *f, size_t begin)
{
    size_t depth = 0, semicolons = 0;
    for (size_t i = begin; i < begin + 200; i++) {
        int kind = tok(f, i)->kind;
        depth += kind == '(';
        depth -= kind == ')' && depth > 0;
        semicolons += kind == ';';
        if (depth == 0)
            return semicolons == 2 ? i + 1 : begin;
        if (kind == '{' || kind == '}' || kind == TOK_END || semicolons > 2)
            break;
    }
    return begin;
}

// Whether a token begins a line with a statement, member or declaration: what is before it is no initialiser.
static bool begins_line(const parse_feed *f, size_t index)
{
    int kind = tok(f, index)->kind;
    return on_new_line(f, index) &&
           (begins_type(kind) || begins_member(kind) || begins_statement(kind) || kind == TOK_VOID || kind == '}');
}

// Skips the rest of a statement, member or declaration; depth counts braces opened in it. False when it ended without a
// token of its own.
static bool skip_rest(parse_feed *f, size_t depth)
{
    bool statements = feed_acceptable(f, TOK_IF), members = feed_acceptable(f, TOK_WORK);
    for (size_t end = head_end(f); f->at < end;)
        skip_token(f);
    size_t first = f->at, initialiser = depth, heads_end = 0;
    bool ended = false;
    for (; !ended; skip_token(f)) {
        int kind = tok(f, f->at)->kind, next = tok(f, f->at + 1)->kind;
        if (kind == TOK_END)
            break;
        if (f->at < heads_end)
            continue;
        if (kind == '(')
            heads_end = after_head(f, f->at);
        if (kind == '{') {
            depth++;
        } else if (kind == '}' && depth == 0 && (statements || (next != ';' && next != ','))) {
            if (!at_file_level(f))
                break;
            ended = true;
        } else if (kind == '}' && depth > 0) {
            ended = --depth == 0 && next != ',' && next != ')' && next != TOK_TO && next != ';' && next != '}';
        } else if (kind == ';' && (depth == 0 || (depth <= initialiser && begins_line(f, f->at + 1)))) {
            ended = true;
        } else if (depth == 0 && f->at > first && on_new_line(f, f->at)) {
            if (statements ? begins_statement(kind)
                : members  ? begins_member(kind)
                           : declaration_at(f, f->at) || begins_block(kind))
                break;
        }
    }
    f->parens.len = 0;
    f->start = f->at;
    return ended;
}

static void recover(parse_feed *f)
{
    src_range here = feed_range(f, f->at);
    f->stuck = f->at == f->recovered_at ? f->stuck + 1 : 0;
    f->recovered_at = f->at;
    if (f->stuck > 2) { // whatever the reason, the text must go on
        skip_token(f);
        return;
    }
    if (f->at != f->quiet_at && !tok(f, f->at)->after_error)
        report_unexpected(f);
    // A finished 'if' or 'add' may still wait for 'else' or ';': an empty statement keeps it in the tree.
    if (feed_acceptable(f, TOK_IF) && feed_acceptable(f, ';'))
        push_token(f, ';', NULL, here);
    size_t depth = f->braces > f->ctx->lists.len ? f->braces - f->ctx->lists.len : 0;
    size_t at = f->at;
    f->at = f->start < at ? f->start : at;
    push_token(f, TOK_BAD, NULL, here);
    while (f->at < at)
        skip_token(f);
    bool ended = false;
    if (feed_acceptable(f, ')')) {
        skip_head(f);
    } else {
        push_token(f, ';', NULL, here);
        ended = skip_rest(f, depth);
    }
    f->braces = f->ctx->lists.len;
    bool follows = !ended || tok(f, f->at)->kind == TOK_ELSE; // the 'if' may be in what was skipped
    f->quiet_at = follows ? f->at : SIZE_MAX;
}

// At the end of the file: closes what is open, so that the tree is complete.
static void finish(parse_feed *f)
{
    src_range here = feed_range(f, f->at);
    if (f->ctx->lists.len > 0 || !feed_acceptable(f, TOK_END))
        f->ctx->program->broken = true;
    close_lists(f, here);
    if (!feed_acceptable(f, TOK_END))
        end_statement(f, here);
    push_token(f, TOK_END, NULL, here);
}

static bool repair(parse_feed *f)
{
    return repair_reserved_name(f) || repair_missing_filter_end(f) || repair_extra_semicolon(f) ||
           repair_missing_brace(f) ||
           (f->at != f->quiet_at && (repair_missing_closer(f, ')') || repair_missing_closer(f, ']') ||
                                     repair_missing_open(f) || repair_missing_paren(f) || repair_missing_semicolon(f)));
}

// Words that are names wherever a name can stand. 'import' and 'test' begin declarations where what follows shows that no
// type is meant: another name, or a string.
static void find_word(parse_feed *f)
{
    static const struct {
        const char *text;
        int kind;
    } words[] = {{"import", TOK_IMPORT}, {"test", TOK_TEST},     {"input", TOK_INPUT},
                 {"run", TOK_RUN},       {"expect", TOK_EXPECT}, {"within", TOK_WITHIN}};
    token *t = tok(f, f->at);
    if (t->kind != TOK_ID)
        return;
    int next = tok(f, f->at + 1)->kind;
    bool name = feed_acceptable(f, TOK_ID) && !(at_file_level(f) && (next == TOK_ID || next == TOK_STRING));
    for (size_t i = 0; !name && i < sizeof words / sizeof *words; i++)
        if (strcmp(t->value.name, words[i].text) == 0 && feed_acceptable(f, words[i].kind))
            t->kind = words[i].kind;
}

void parse_file(parse_context *ctx, source_id file)
{
    parse_feed f = {.ctx = ctx, .quiet_at = SIZE_MAX, .brace_at = SIZE_MAX, .recovered_at = SIZE_MAX};
    ctx->file = file;
    ctx->lists.len = 0;
    ctx->imports = (__typeof__(ctx->imports)){0};
    ctx->statics = NULL;
    ctx->skipped = (src_range){0};
    ctx->overflow = false;
    f.as_name = ARENA_ARRAY(ctx->arena, bool, TOK_LAST_KEYWORD - TOK_FIRST_KEYWORD + 1);
    streamit_lex(&f.tokens, ctx->arena, ctx->names, ctx->diags, file);
    f.parser = streamit_yypstate_new();
    if (!f.parser) {
        diag_error_at(ctx->diags, NULL, "out of memory");
        return;
    }
    while (!ctx->overflow && tok(&f, f.at)->kind != TOK_END) {
        keep_as_name(&f);
        find_word(&f);
        if (feed_acceptable(&f, tok(&f, f.at)->kind))
            push_next(&f);
        else if (!repair(&f))
            recover(&f);
    }
    if (ctx->overflow) {
        size_t last = f.at > 0 ? f.at - 1 : 0;
        diag_error(ctx->diags, feed_range(&f, last), "this is nested too deeply: at most %d levels are supported",
                   STREAMIT_MAX_HEIGHT);
    } else {
        if (!feed_acceptable(&f, TOK_END) && f.at != f.quiet_at && !tok(&f, f.at)->after_error && !repair(&f))
            report_unexpected(&f);
        finish(&f);
    }
    streamit_yypstate_delete(f.parser);
}
