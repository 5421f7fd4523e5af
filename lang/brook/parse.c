// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Feeds the tokens of one item to the parser. Before a token is pushed the parser is asked whether it can come; if not,
// the error is reported, the rest of the statement is skipped with balanced braces, and a ';' made up here ends it.
#include "lang/brook/parse.h"

#include <string.h>

#include "lang/brook/parser.tab.h"

typedef struct feed {
    brook_context ctx;
    brook_parser *parser;
    brook_tokens tokens;
    size_t at;
    size_t completed; // a ';' was made up before this token
    bool stopped;
} feed;

static src_range token_range(const feed *f, size_t index)
{
    if (index >= f->tokens.len)
        return (src_range){f->ctx.file, f->ctx.item->range.end, f->ctx.item->range.end};
    const brook_token *t = &f->tokens.data[index];
    return (src_range){f->ctx.file, t->begin, t->end};
}

static const char *token_text(const feed *f, size_t index)
{
    if (index >= f->tokens.len)
        return "the end of the kernel";
    const brook_token *t = &f->tokens.data[index];
    if (t->kind == TOK_DIRECTIVE)
        return "directive";
    const source_file *source = source_get(f->ctx.diags->sources, f->ctx.file);
    uint32_t len = t->end - t->begin;
    const char *where = t->expanded ? " (a macro)" : "";
    return arena_printf(f->ctx.arena, "'%.*s%s'%s", (int)(len > 40 ? 40 : len), source->text + t->begin,
                        len > 40 ? "..." : "", where);
}

static void push_token(feed *f, int kind, const brook_token *t, src_range range)
{
    BROOK_YYSTYPE value = {0};
    if (t != NULL) {
        if (kind == TOK_NUMBER)
            value.token = *t;
        else
            value.name = t->name;
    }
    int status = brook_yypush_parse(f->parser, kind, &value, &range, &f->ctx);
    if (status != YYPUSH_MORE)
        f->stopped = true;
}

// What is a name to the lexer can be the name of a type: of a struct, or of something unknown that stands where only a
// type can, before another name.
static int kind_of(const feed *f, size_t index)
{
    const brook_token *t = &f->tokens.data[index];
    if (t->kind != TOK_ID)
        return t->kind;
    int before = index > 0 ? f->tokens.data[index - 1].kind : 0;
    int after = index + 1 < f->tokens.len ? f->tokens.data[index + 1].kind : 0;
    if (before == '.' || before == TOK_STRUCT || before == '}')
        return TOK_ID;
    if (hmap_get(&f->ctx.program->struct_names, t->name) != NULL)
        return TOK_TYPE_NAME;
    bool begins = before == '(' || before == ',' || before == '{' || before == ';' || before == TOK_CONST ||
                  before == TOK_OUT || before == TOK_ITER || before == TOK_REDUCE || before == TOK_KERNEL ||
                  before == '}';
    return after == TOK_ID && begins ? TOK_TYPE_NAME : TOK_ID;
}

// What stands in C but not in kernels.
static const char *no_such(int kind)
{
    switch (kind) {
    case TOK_SWITCH:
    case TOK_CASE:
    case TOK_DEFAULT: return "kernels have no 'switch'; use 'if' and 'else'";
    case TOK_GOTO: return "kernels have no 'goto'; use loops, 'break' and 'return'";
    case TOK_SIZEOF: return "kernels have no 'sizeof'";
    case TOK_STATIC: return "kernels have no static variables: each element is computed on its own";
    case TOK_EXTERN: return "kernels cannot use 'extern' variables: pass the value as a parameter";
    case TOK_STRING:
    case TOK_CHARACTER: return "kernels have numbers only, no strings or characters";
    case TOK_SHORT:
    case TOK_LONG:
    case TOK_SIGNED: return "kernels have no such type; expected 'int', 'float', or another type of Brook";
    case TOK_DIRECTIVE: return "a directive cannot stand inside a kernel; put it before the kernel";
    case TOK_VOLATILE:
    case TOK_REGISTER:
    case TOK_AUTO:
    case TOK_INLINE: return "this word means nothing in a kernel";
    default: return NULL;
    }
}

static const char *expected(const feed *f)
{
    if (brook_acceptable(f->parser, TOK_IF))
        return "a statement";
    if (brook_acceptable(f->parser, TOK_NUMBER))
        return "an expression";
    if (brook_acceptable(f->parser, ';'))
        return brook_acceptable(f->parser, '{') ? "'{' or ';'" : "';'";
    if (brook_acceptable(f->parser, ')')) // between parameters; in expressions a ',' is seldom meant
        return brook_acceptable(f->parser, ',') && !brook_acceptable(f->parser, '+') ? "',' or ')'" : "')'";
    if (brook_acceptable(f->parser, '>'))
        return "'>'";
    if (brook_acceptable(f->parser, ']'))
        return "']'";
    if (brook_acceptable(f->parser, '('))
        return "'('";
    if (brook_acceptable(f->parser, '{'))
        return "'{'";
    if (brook_acceptable(f->parser, TOK_ID))
        return "a name";
    if (brook_acceptable(f->parser, '}'))
        return "'}'";
    return "something else";
}

// A missing ';' at the end of a line is told where it is missing.
static bool report_missing_semicolon(feed *f)
{
    int last = f->at == 0 ? ';' : f->tokens.data[f->at - 1].kind;
    if (last == ';' || last == '{' || last == '}' || f->completed == f->at || !brook_acceptable(f->parser, ';'))
        return false;
    f->completed = f->at;
    src_range before = token_range(f, f->at - 1), here = token_range(f, f->at);
    diag_engine *d = f->ctx.diags;
    bool new_line =
        source_pos(d->sources, f->ctx.file, before.end).line != source_pos(d->sources, f->ctx.file, here.begin).line;
    if (!new_line && f->at < f->tokens.len && f->tokens.data[f->at].kind != '}')
        return false;
    src_range point = {f->ctx.file, before.end, before.end};
    diag_record *r = diag_error(d, point, "expected ';' before %s", token_text(f, f->at));
    diag_add_fixit(d, r, point, ";");
    push_token(f, ';', NULL, point);
    return true;
}

static void report(feed *f)
{
    int kind = f->at < f->tokens.len ? f->tokens.data[f->at].kind : TOK_END;
    const char *known = no_such(kind);
    if (kind == '*' && !brook_acceptable(f->parser, ';') && !brook_acceptable(f->parser, ')'))
        known = brook_acceptable(f->parser, TOK_ID) ? "kernels have no pointers" : NULL;
    if (f->at >= f->tokens.len)
        diag_error(f->ctx.diags, token_range(f, f->at), "the kernel ends too early: expected %s", expected(f));
    else if (known != NULL)
        diag_error(f->ctx.diags, token_range(f, f->at), "unexpected %s: %s", token_text(f, f->at), known);
    else
        diag_error(f->ctx.diags, token_range(f, f->at), "unexpected %s: expected %s", token_text(f, f->at),
                   expected(f));
}

// Skips to the end of the statement: behind a ';' or a block, or before the '}' that ends the block around.
static void recover(feed *f)
{
    push_token(f, f->tokens.data[f->at].kind, &f->tokens.data[f->at],
               token_range(f, f->at)); // the parser finds its 'error'
    size_t depth = 0;
    for (; f->at < f->tokens.len; f->at++) {
        int kind = f->tokens.data[f->at].kind;
        if (kind == ';' && depth == 0) {
            f->at++;
            break;
        }
        if (kind == '{')
            depth++;
        if (kind == '}' && depth == 0)
            break;
        if (kind == '}' && --depth == 0) {
            f->at++;
            break;
        }
    }
    src_range end = token_range(f, f->at > 0 ? f->at - 1 : 0);
    if (!f->stopped)
        push_token(f, ';', NULL, (src_range){f->ctx.file, end.end, end.end});
}

static void feed_tokens(feed *f)
{
    while (f->at < f->tokens.len && !f->stopped) {
        int kind = kind_of(f, f->at);
        if (brook_acceptable(f->parser, kind)) {
            push_token(f, kind, &f->tokens.data[f->at], token_range(f, f->at));
            f->at++;
        } else if (kind == TOK_ID && brook_acceptable(f->parser, TOK_TYPE_NAME) &&
                   !brook_acceptable(f->parser, TOK_NUMBER)) {
            push_token(f, TOK_TYPE_NAME, &f->tokens.data[f->at], token_range(f, f->at));
            f->at++;
        } else {
            f->ctx.failed = true;
            if (report_missing_semicolon(f))
                continue;
            report(f);
            recover(f);
        }
    }
    if (f->stopped)
        return;
    if (brook_acceptable(f->parser, TOK_END)) {
        push_token(f, TOK_END, NULL, token_range(f, f->tokens.len));
    } else {
        f->ctx.failed = true;
        report(f);
    }
}

// Words before a kernel that host functions may have.
static bool means_nothing(int kind)
{
    return kind == TOK_INLINE || kind == TOK_STATIC || kind == TOK_EXTERN;
}

void brook_parse_item(brook_program *p, source_id file, const brook_token *tokens, size_t count, brook_item *item)
{
    feed f = {.ctx = {.program = p, .arena = p->arena, .diags = p->diags, .file = file, .item = item}};
    size_t errors = p->diags->error_count;
    brook_expand(p, file, tokens, count, &f.tokens);
    while (f.at < f.tokens.len && means_nothing(f.tokens.data[f.at].kind))
        f.at++;
    if (f.tokens.len == 0)
        return;
    f.parser = brook_yypstate_new();
    if (f.parser == NULL)
        return;
    feed_tokens(&f);
    brook_yypstate_delete(f.parser);
    if (f.ctx.overflow && p->diags->error_count == errors)
        diag_error(p->diags, token_range(&f, f.at > 0 ? f.at - 1 : 0),
                   "this is nested too deeply; give parts names of their own");
    if (item->kernel != NULL) {
        item->kernel->broken = f.ctx.failed;
        item->kernel->wrong = p->diags->error_count != errors;
    }
}
