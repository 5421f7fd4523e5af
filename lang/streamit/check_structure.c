// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Children, splitters and joiners: where they may stand, their arguments, and that there is one of each on every path.
#include "lang/streamit/check.h"

#include <string.h>

const char *stream_kind_name(ast_stream_kind kind)
{
    static const char *const names[] = {"filter", "pipeline", "splitjoin", "feedbackloop"};
    return names[kind];
}

const char *stream_name(checker *c, const ast_stream *s)
{
    if (s->name)
        return arena_printf(c->arena, "'%s'", s->name);
    return arena_printf(c->arena, "the anonymous %s", stream_kind_name(s->kind));
}

// A built-in stream has a declaration of its own for each use, since it differs in type.
static ast_stream *builtin_stream(checker *c, ast_stmt *s, ast_builtin builtin, const lang_type *type)
{
    ast_stream *decl = ARENA_NEW(c->arena, ast_stream);
    decl->kind = STREAM_FILTER;
    decl->builtin = builtin;
    decl->name = s->u.child.name;
    decl->range = decl->name_range = decl->type_range = s->u.child.name_range;
    decl->input = builtin == BUILTIN_FILE_READER ? &lang_type_void : type;
    decl->output = builtin == BUILTIN_FILE_WRITER ? &lang_type_void : type;
    if (builtin != BUILTIN_IDENTITY) {
        ast_var *name = ARENA_NEW(c->arena, ast_var);
        name->kind = VAR_STREAM_PARAM;
        name->name = intern(c->names, "name");
        name->type = &lang_type_string;
        name->range = name->type_range = decl->range;
        name->owner = decl;
        VEC_PUSH(c->arena, &decl->params, name);
    }
    return decl;
}

static ast_builtin builtin_named(const char *name)
{
    if (strcmp(name, "Identity") == 0)
        return BUILTIN_IDENTITY;
    if (strcmp(name, "FileReader") == 0)
        return BUILTIN_FILE_READER;
    return strcmp(name, "FileWriter") == 0 ? BUILTIN_FILE_WRITER : BUILTIN_NONE;
}

// One that a file declares which could be imported is most likely meant.
static void report_unknown_stream(checker *c, const ast_child *child)
{
    const streamit_path *path = c->options != NULL && c->diags->error_count < 20 ? c->options->path : NULL;
    const char *file = streamit_declared_in(c->arena, path, child->name);
    const char *nearest = file == NULL ? nearest_key(c, &c->streams, child->name) : NULL;
    diag_record *r = error_unknown(c, child->name_range, "stream", child->name, nearest);
    if (file != NULL)
        diag_add_note(c->diags, r, (src_range){0}, "'import %s;' brings in a stream of this name", file);
}

// Finds what a child's name means; NULL after an error.
static ast_stream *find_child(checker *c, ast_stmt *s)
{
    ast_child *child = &s->u.child;
    ast_builtin builtin = builtin_named(child->name);
    const lang_type *argument = child->type_argument;
    if (argument)
        argument = child->type_argument = check_type(c, argument, child->name_range, USE_ITEM);
    if (builtin) {
        if (argument)
            return builtin_stream(c, s, builtin, argument);
        diag_error(c->diags, child->name_range, "'%s' needs the type of its items, as in '%s<int>'", child->name,
                   child->name);
        return builtin_stream(c, s, builtin, &lang_type_error);
    }
    if (strcmp(child->name, "ImageDisplay") == 0) {
        diag_error(c->diags, child->name_range,
                   "'ImageDisplay' is not supported: write the pixels to a file with 'FileWriter<int>'");
        return NULL;
    }
    ast_stream *decl = hmap_get(&c->streams, child->name);
    if (!decl) {
        if (!c->program->broken && first_unknown(c, "stream", child->name))
            report_unknown_stream(c, child);
        return NULL;
    }
    if (decl->unfit) {
        diag_record *r =
            diag_error(c->diags, child->name_range, "kernel '%s' cannot be a filter: %s", child->name, decl->unfit);
        diag_add_note(c->diags, r, decl->unfit_range, "declared here");
        return NULL;
    }
    if (argument)
        diag_error(c->diags, child->name_range,
                   "'%s' takes no type argument: only Identity, FileReader and FileWriter do", child->name);
    return decl;
}

// What a kernel gathers from is as long as the array that it is given.
static void check_kernel_array(checker *c, const ast_stream *kernel, const ast_var *param, const ast_expr *given)
{
    const lang_type *a = param->type, *b = given->type;
    for (; a->kind == TYPE_ARRAY && b->kind == TYPE_ARRAY; a = a->element, b = b->element)
        continue;
    if (b->kind == TYPE_ERROR || a == b)
        return;
    diag_record *r =
        diag_error(c->diags, given->range, "'%s' of kernel '%s' must be '%s' but is '%s'", param->name, kernel->name,
                   lang_type_name(c->arena, param->type), lang_type_name(c->arena, given->type));
    diag_add_note(c->diags, r, param->range, "declared here");
}

static void check_child_args(checker *c, ast_child *child)
{
    ast_expr_list *args = &child->args;
    const ast_stream *decl = child->decl;
    for (VEC_EACH(ast_expr *, a, args))
        *a = check_expr(c, *a);
    if (!decl)
        return;
    if (args->len != decl->params.len) {
        diag_record *r =
            diag_error(c->diags, child->name_range, "'%s' takes %zu argument%s, but %zu %s given", child->name,
                       decl->params.len, decl->params.len == 1 ? "" : "s", args->len, args->len == 1 ? "is" : "are");
        if (!decl->builtin || decl->kernel)
            diag_add_note(c->diags, r, decl->name_range, "'%s' is declared here", decl->name);
        return;
    }
    for (size_t i = 0; i < args->len; i++) {
        const ast_var *param = decl->params.data[i];
        if (decl->kernel && param->type->kind == TYPE_ARRAY)
            check_kernel_array(c, decl, param, args->data[i]);
        else
            args->data[i] = coerce(c, args->data[i], param->type, true,
                                   arena_printf(c->arena, "argument %zu of '%s'", i + 1, child->name));
    }
}

static void check_anonymous(checker *c, ast_stream *s)
{
    s->parent = c->stream;
    if (s->kind == STREAM_FILTER && s->input->kind == TYPE_UNTYPED) {
        diag_error(c->diags, s->name_range, "an anonymous filter must state its type, as in 'int->int filter'");
        s->input = s->output = &lang_type_error;
    }
    declare_stream(c, s);
    check_stream_bodies(c, s);
    if (s->input->kind == TYPE_VOID && s->output->kind == TYPE_VOID && !is_broken(c, s))
        diag_error(c->diags, s->type_range, "an anonymous %s cannot be 'void->void': only the program as a whole is",
                   stream_kind_name(s->kind));
}

static bool placed(checker *c, const ast_stmt *s)
{
    bool in_composite = !c->function && c->stream && c->stream->kind != STREAM_FILTER;
    ast_stream_kind kind = in_composite ? c->stream->kind : STREAM_FILTER;
    const char *word, *where;
    bool fits;
    switch (s->kind) {
    case STMT_ADD:
        word = "add", where = "a pipeline or splitjoin";
        fits = kind == STREAM_PIPELINE || kind == STREAM_SPLITJOIN;
        break;
    case STMT_BODY:
    case STMT_LOOP:
        word = s->kind == STMT_BODY ? "body" : "loop", where = "a feedbackloop";
        fits = kind == STREAM_FEEDBACKLOOP;
        break;
    default:
        word = s->kind == STMT_SPLIT ? "split" : "join", where = "a splitjoin or feedbackloop";
        fits = kind == STREAM_SPLITJOIN || kind == STREAM_FEEDBACKLOOP;
        break;
    }
    if (!fits && !c->program->broken)
        diag_error(c->diags, s->range, "'%s' is allowed only in the body of %s, not in %s", word, where, place_name(c));
    return fits;
}

void check_child(checker *c, ast_stmt *s)
{
    ast_child *child = &s->u.child;
    bool fits = placed(c, s);
    if (child->anonymous) {
        if (!fits)
            return;
        child->decl = child->anonymous;
        check_anonymous(c, child->anonymous);
    } else {
        child->decl = find_child(c, s);
        check_child_args(c, child);
        const ast_stream *outer = c->stream;
        while (outer && outer->parent)
            outer = outer->parent;
        if (child->decl && child->decl != outer)
            if (!c->in_test)
                hmap_setn(&c->instantiated, &child->decl, sizeof child->decl, child->decl);
    }
    check_portals(c, child);
}

void check_split(checker *c, ast_stmt *s)
{
    for (VEC_EACH(ast_expr *, w, &s->u.split.weights))
        *w = check_int(c, *w, "a weight");
    if (!placed(c, s))
        return;
    if (s->kind == STMT_JOIN && s->u.split.kind == SPLIT_DUPLICATE)
        diag_error(c->diags, s->range, "a joiner cannot duplicate: expected 'join roundrobin'");
    size_t n = s->u.split.weights.len;
    if (c->stream->kind == STREAM_FEEDBACKLOOP && n > 2)
        diag_error(c->diags, s->range, "the %s of a feedbackloop has two ends, but %zu weights are given",
                   s->kind == STMT_SPLIT ? "splitter" : "joiner", n);
}

// How often each of the four statements that must stand once has been executed at a point: between min and max times.
enum { ONE_SPLIT, ONE_JOIN, ONE_BODY, ONE_LOOP, ONE_COUNT };
static const char *const one_word[] = {"split", "join", "body", "loop"};

typedef struct flow {
    bool reachable;
    unsigned min[ONE_COUNT], max[ONE_COUNT]; // up to 2
} flow;

typedef struct counter {
    checker *c;
    const ast_stmt *first[ONE_COUNT], *second[ONE_COUNT];
    bool reported[ONE_COUNT];
    size_t children; // 'add' statements anywhere
    bool broken;     // there are statements that could not be parsed
    flow exit;       // where 'return' stands
    flow *leave;     // where break and continue of the innermost loop stand
} counter;

static void merge(flow *into, const flow *other)
{
    if (!other->reachable)
        return;
    if (!into->reachable) {
        *into = *other;
        return;
    }
    for (int i = 0; i < ONE_COUNT; i++) {
        into->min[i] = other->min[i] < into->min[i] ? other->min[i] : into->min[i];
        into->max[i] = other->max[i] > into->max[i] ? other->max[i] : into->max[i];
    }
}

static void count_one(counter *k, const ast_stmt *s, flow *f, int which)
{
    if (!k->first[which])
        k->first[which] = s;
    else if (!k->second[which])
        k->second[which] = s;
    f->min[which] += f->min[which] < 2;
    f->max[which] += f->max[which] < 2;
}

static void count_stmt(counter *k, const ast_stmt *s, flow *f);

static void count_loop(counter *k, const ast_stmt *s, flow *f)
{
    flow inside = {.reachable = true}, leave = {0}, *outer = k->leave;
    k->leave = &leave;
    count_stmt(k, s->u.loop.body, &inside);
    merge(&inside, &leave);
    k->leave = outer;
    for (int i = 0; i < ONE_COUNT; i++) {
        if (inside.max[i] > 0 && !k->reported[i]) {
            k->reported[i] = true;
            diag_error(k->c->diags, k->first[i]->range,
                       "'%s' stands in a loop, but there must be exactly one on every path", one_word[i]);
        }
    }
    (void)f;
}

static void count_stmt(counter *k, const ast_stmt *s, flow *f)
{
    flow then, otherwise;
    switch (s->kind) {
    case STMT_SPLIT: count_one(k, s, f, ONE_SPLIT); break;
    case STMT_JOIN: count_one(k, s, f, ONE_JOIN); break;
    case STMT_BODY: count_one(k, s, f, ONE_BODY); break;
    case STMT_LOOP: count_one(k, s, f, ONE_LOOP); break;
    case STMT_ADD: k->children++; break;
    case STMT_ERROR: k->broken = true; break;
    case STMT_BLOCK:
        for (VEC_EACH(ast_stmt *, it, &s->u.block))
            count_stmt(k, *it, f);
        break;
    case STMT_IF:
        then = otherwise = *f;
        count_stmt(k, s->u.if_.then, &then);
        if (s->u.if_.otherwise)
            count_stmt(k, s->u.if_.otherwise, &otherwise);
        merge(&then, &otherwise);
        *f = then;
        break;
    case STMT_WHILE:
    case STMT_DO:
    case STMT_FOR: count_loop(k, s, f); break;
    case STMT_RETURN:
        merge(&k->exit, f);
        f->reachable = false;
        break;
    case STMT_BREAK:
    case STMT_CONTINUE:
        if (k->leave)
            merge(k->leave, f);
        f->reachable = false;
        break;
    default: break;
    }
}

static void check_one(counter *k, const ast_stream *s, const flow *end, int which)
{
    diag_engine *d = k->c->diags;
    const char *word = one_word[which], *kind = stream_kind_name(s->kind);
    if (k->reported[which])
        return;
    if (!k->first[which]) {
        diag_error(d, s->name_range, "%s has no '%s': a %s needs exactly one", stream_name(k->c, s), word, kind);
    } else if (end->reachable && end->max[which] > 1) {
        const ast_stmt *second = k->second[which] ? k->second[which] : k->first[which];
        diag_record *r =
            diag_error(d, second->range, "a %s has exactly one '%s', but on some path there are more", kind, word);
        diag_add_note(d, r, k->first[which]->range, "the first '%s' is here", word);
    } else if (end->reachable && end->min[which] == 0) {
        diag_error(d, k->first[which]->range, "a %s has exactly one '%s', but on some path there is none", kind, word);
    }
}

void check_structure(checker *c, ast_stream *s)
{
    if (is_broken(c, s) || s->body->kind != STMT_BLOCK)
        return;
    counter k = {.c = c};
    flow f = {.reachable = true};
    count_stmt(&k, s->body, &f);
    merge(&f, &k.exit);
    if (k.broken)
        return;
    if (s->kind == STREAM_SPLITJOIN || s->kind == STREAM_FEEDBACKLOOP) {
        check_one(&k, s, &f, ONE_SPLIT);
        check_one(&k, s, &f, ONE_JOIN);
    }
    if (s->kind == STREAM_FEEDBACKLOOP) {
        check_one(&k, s, &f, ONE_BODY);
        check_one(&k, s, &f, ONE_LOOP);
    } else if (k.children == 0) {
        diag_error(c->diags, s->name_range, "%s has no children: a %s needs at least one 'add'", stream_name(c, s),
                   stream_kind_name(s->kind));
    }
}
