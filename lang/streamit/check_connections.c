// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types between the children of a composite: by data flow over the statements of a pipeline, over all children of a
// splitjoin or feedbackloop. Types that an anonymous composite leaves out are inferred from the same.
#include "lang/streamit/check.h"

// The items that reach a point in a pipeline's body.
typedef struct tape {
    bool reachable;
    const lang_type *type;  // NULL: what the pipeline's input is, not written and not known yet
    const ast_stmt *source; // the 'add' that makes them; NULL: the input of the pipeline
} tape;

typedef struct pipe_flow {
    checker *c;
    ast_stream *stream;
    const lang_type *input; // inferred; NULL so far
    tape exit, *leave;      // at 'return'; at break and continue of the innermost loop
} pipe_flow;

static const lang_type *known(const pipe_flow *p, const lang_type *t)
{
    return t ? t : p->input ? p->input : &lang_type_error;
}

static const char *child_name(checker *c, const ast_stmt *s)
{
    return stream_name(c, s->u.child.decl ? s->u.child.decl : c->stream);
}

static void pipe_merge(pipe_flow *p, tape *into, const tape *other, const ast_stmt *where)
{
    if (!other->reachable)
        return;
    if (!into->reachable) {
        *into = *other;
        return;
    }
    const lang_type *a = known(p, into->type), *b = known(p, other->type);
    if (!into->type && !other->type)
        return;
    if (types_agree(a, b)) {
        into->type = a->kind == TYPE_ERROR ? b : a;
        return;
    }
    diag_record *r = diag_error(p->c->diags, where->range,
                                "the type of the items after this statement depends on control flow: '%s' or '%s'",
                                type_name(p->c, a), type_name(p->c, b));
    const tape *paths[] = {into, other};
    for (size_t i = 0; i < 2; i++) {
        if (paths[i]->source)
            diag_add_note(p->c->diags, r, paths[i]->source->range, "'%s' comes from here",
                          type_name(p->c, i == 0 ? a : b));
    }
    into->type = &lang_type_error;
}

static void pipe_add(pipe_flow *p, const ast_stmt *s, tape *t)
{
    checker *c = p->c;
    const ast_stream *decl = s->u.child.decl;
    const lang_type *input = decl ? decl->input : &lang_type_error;
    if (!t->type && !p->input)
        p->input = input;
    const lang_type *have = known(p, t->type);
    if (!c->program->broken && !types_agree(have, input)) {
        src_range where = s->u.child.name_range;
        diag_record *r;
        if (t->source) {
            r = diag_error(c->diags, where, "%s takes '%s', but %s before it produces '%s'", child_name(c, s),
                           type_name(c, input), child_name(c, t->source), type_name(c, have));
            diag_add_note(c->diags, r, t->source->range, "the stream before it is added here");
        } else {
            r = diag_error(c->diags, where, "%s takes '%s', but the input of %s is '%s'", child_name(c, s),
                           type_name(c, input), stream_name(c, p->stream), type_name(c, have));
            diag_add_note(c->diags, r, p->stream->type_range, "%s is declared here", stream_name(c, p->stream));
        }
    }
    t->type = decl ? decl->output : &lang_type_error;
    t->source = s;
}

static void pipe_stmt(pipe_flow *p, const ast_stmt *s, tape *t);

static void pipe_loop(pipe_flow *p, const ast_stmt *s, tape *t)
{
    tape inside = *t, leave = {0}, *outer = p->leave;
    p->leave = &leave;
    pipe_stmt(p, s->u.loop.body, &inside);
    p->leave = outer;
    pipe_merge(p, &inside, &leave, s);
    pipe_merge(p, t, &inside, s);
}

static void pipe_stmt(pipe_flow *p, const ast_stmt *s, tape *t)
{
    tape then, otherwise;
    switch (s->kind) {
    case STMT_ADD: pipe_add(p, s, t); break;
    case STMT_BLOCK:
        for (VEC_EACH(ast_stmt *, it, &s->u.block))
            pipe_stmt(p, *it, t);
        break;
    case STMT_IF:
        then = otherwise = *t;
        pipe_stmt(p, s->u.if_.then, &then);
        if (s->u.if_.otherwise)
            pipe_stmt(p, s->u.if_.otherwise, &otherwise);
        pipe_merge(p, &then, &otherwise, s);
        *t = then;
        break;
    case STMT_WHILE:
    case STMT_DO:
    case STMT_FOR: pipe_loop(p, s, t); break;
    case STMT_RETURN:
        pipe_merge(p, &p->exit, t, s);
        t->reachable = false;
        break;
    case STMT_BREAK:
    case STMT_CONTINUE:
        if (p->leave)
            pipe_merge(p, p->leave, t, s);
        t->reachable = false;
        break;
    case STMT_ERROR: t->type = &lang_type_error; break;
    default: break;
    }
}

static void check_pipeline(checker *c, ast_stream *s)
{
    pipe_flow p = {.c = c, .stream = s};
    bool inferred = s->input->kind == TYPE_UNTYPED;
    if (!inferred)
        p.input = s->input;
    tape t = {.reachable = true, .type = p.input};
    pipe_stmt(&p, s->body, &t);
    pipe_merge(&p, &t, &p.exit, s->body);
    if (!t.reachable)
        t.type = &lang_type_error;
    const lang_type *output = known(&p, t.type);
    if (inferred) {
        s->input = known(&p, NULL);
        s->output = output;
    } else if (!is_broken(c, s) && !types_agree(output, s->output)) {
        src_range where = t.source ? t.source->u.child.name_range : s->type_range;
        diag_record *r = diag_error(c->diags, where, "%s produces '%s', but its last stream%s%s produces '%s'",
                                    stream_name(c, s), type_name(c, s->output), t.source ? " " : "",
                                    t.source ? child_name(c, t.source) : "", type_name(c, output));
        diag_add_note(c->diags, r, s->type_range, "%s is declared here", stream_name(c, s));
    }
}

// All statements of one kind, wherever they stand.
static void gather(checker *c, ast_stmt *s, ast_stmt_kind kind, stmt_refs *out)
{
    if (!s)
        return;
    if (s->kind == kind)
        VEC_PUSH(c->arena, out, s);
    switch (s->kind) {
    case STMT_BLOCK:
        for (VEC_EACH(ast_stmt *, it, &s->u.block))
            gather(c, *it, kind, out);
        break;
    case STMT_IF:
        gather(c, s->u.if_.then, kind, out);
        gather(c, s->u.if_.otherwise, kind, out);
        break;
    case STMT_WHILE:
    case STMT_DO:
    case STMT_FOR: gather(c, s->u.loop.body, kind, out); break;
    default: break;
    }
}

static bool matters(const lang_type *t)
{
    return t->kind != TYPE_VOID && t->kind != TYPE_ERROR;
}

// One side that several streams share: the type it has and whom that comes from.
typedef struct side {
    const lang_type *type;  // NULL: nobody has said
    const ast_stmt *source; // NULL: the declaration of the composite
    const char *what;
} side;

// False when they disagree, which is reported.
static bool meet(checker *c, ast_stream *s, side *have, const lang_type *t, const ast_stmt *child, const char *verb)
{
    if (!matters(t))
        return true;
    if (!have->type) {
        have->type = t;
        have->source = child;
        have->what = verb;
        return true;
    }
    if (types_agree(have->type, t))
        return true;
    diag_record *r;
    src_range where = child->u.child.name_range;
    if (have->source) {
        r = diag_error(c->diags, where, "%s %s '%s', but %s %s '%s'", child_name(c, child), verb, type_name(c, t),
                       child_name(c, have->source), have->what, type_name(c, have->type));
        diag_add_note(c->diags, r, have->source->range, "%s is here", child_name(c, have->source));
    } else {
        r = diag_error(c->diags, where, "%s %s '%s', but %s %s '%s'", child_name(c, child), verb, type_name(c, t),
                       stream_name(c, s), have->what, type_name(c, have->type));
        diag_add_note(c->diags, r, s->type_range, "%s is declared here", stream_name(c, s));
    }
    return false;
}

// A declared side that is not void although no child takes part in it.
static void check_unused_side(checker *c, const ast_stream *s, const lang_type *declared, bool used, const char *verb)
{
    if (!used && matters(declared) && declared->kind != TYPE_UNTYPED)
        diag_error(c->diags, s->type_range, "%s %s '%s', but none of its children does", stream_name(c, s), verb,
                   type_name(c, declared));
}

static bool always_duplicates(const stmt_refs *splits)
{
    for (VEC_EACH(ast_stmt *, it, splits)) {
        if ((*it)->u.split.kind != SPLIT_DUPLICATE)
            return false;
    }
    return splits->len > 0;
}

static void check_splitjoin(checker *c, ast_stream *s)
{
    stmt_refs children = {0}, splits = {0}, errors = {0};
    gather(c, s->body, STMT_ADD, &children);
    gather(c, s->body, STMT_SPLIT, &splits);
    gather(c, s->body, STMT_ERROR, &errors);
    bool inferred = s->input->kind == TYPE_UNTYPED, used_in = false, used_out = false,
         duplicates = always_duplicates(&splits);
    side in = {.type = inferred ? NULL : s->input, .what = "is declared to take"};
    side out = {.type = inferred ? NULL : s->output, .what = "is declared to produce"};
    for (VEC_EACH(ast_stmt *, it, &children)) {
        const ast_stream *decl = (*it)->u.child.decl;
        if (!decl) {
            used_in = used_out = true;
            continue;
        }
        used_in |= decl->input->kind != TYPE_VOID;
        used_out |= decl->output->kind != TYPE_VOID;
        if (meet(c, s, &in, decl->input, *it, "takes"))
            meet(c, s, &out, decl->output, *it, "produces");
        if (duplicates && decl->input->kind == TYPE_VOID)
            diag_error(
                c->diags, (*it)->u.child.name_range,
                "%s takes no input, so 'split duplicate' cannot feed it: use 'split roundrobin' with weight 0 for it",
                child_name(c, *it));
    }
    if (inferred) {
        s->input = in.type ? in.type : used_in || s->broken || errors.len > 0 ? &lang_type_error : &lang_type_void;
        s->output = out.type ? out.type : used_out || s->broken || errors.len > 0 ? &lang_type_error : &lang_type_void;
    } else if (!is_broken(c, s) && errors.len == 0 && children.len > 0) {
        check_unused_side(c, s, s->input, used_in, "takes");
        check_unused_side(c, s, s->output, used_out, "produces");
    }
    if (s->name && s->input->kind == TYPE_VOID && s->output->kind == TYPE_VOID)
        diag_error(c->diags, s->type_range, "a splitjoin cannot be 'void->void'");
}

// Whether the end of a feedback loop towards the outside is shut by a literal weight 0.
static bool shut(const stmt_refs *list)
{
    return list->len == 1 && list->data[0]->u.split.weights.len > 1 &&
           is_literal_zero(list->data[0]->u.split.weights.data[0]);
}

// Body and loop stand between joiner and splitter, so both take and produce items.
static void check_ends(checker *c, const ast_stmt *s)
{
    const ast_stream *decl = s->u.child.decl;
    const char *word = s->kind == STMT_BODY ? "body" : "loop";
    if (decl && (decl->input->kind == TYPE_VOID || decl->output->kind == TYPE_VOID))
        diag_error(c->diags, s->u.child.name_range,
                   "the %s of a feedbackloop must take and produce items, but %s is '%s->%s'", word, child_name(c, s),
                   type_name(c, decl->input), type_name(c, decl->output));
}

static void check_feedbackloop(checker *c, ast_stream *s, const stmt_refs *enqueues)
{
    stmt_refs bodies = {0}, loops = {0}, splits = {0}, joins = {0};
    gather(c, s->body, STMT_BODY, &bodies);
    gather(c, s->body, STMT_LOOP, &loops);
    gather(c, s->body, STMT_SPLIT, &splits);
    gather(c, s->body, STMT_JOIN, &joins);
    bool inferred = s->input->kind == TYPE_UNTYPED;
    // The joiner's items and the splitter's items.
    side in = {.type = inferred || !matters(s->input) ? NULL : s->input, .what = "is declared to take"};
    side out = {.type = inferred || !matters(s->output) ? NULL : s->output, .what = "is declared to produce"};
    const lang_type *loop_output = NULL, *body_input = NULL;
    for (VEC_EACH(ast_stmt *, it, &bodies)) {
        const ast_stream *decl = (*it)->u.child.decl;
        body_input = decl ? decl->input : &lang_type_error;
        check_ends(c, *it);
        if (meet(c, s, &in, body_input, *it, "takes"))
            meet(c, s, &out, decl ? decl->output : &lang_type_error, *it, "produces");
    }
    for (VEC_EACH(ast_stmt *, it, &loops)) {
        const ast_stream *decl = (*it)->u.child.decl;
        loop_output = decl ? decl->output : &lang_type_error;
        check_ends(c, *it);
        if (meet(c, s, &in, loop_output, *it, "produces"))
            meet(c, s, &out, decl ? decl->input : &lang_type_error, *it, "takes");
    }
    if (inferred) {
        s->input = shut(&joins) ? &lang_type_void : in.type ? in.type : &lang_type_error;
        s->output = shut(&splits) ? &lang_type_void : out.type ? out.type : &lang_type_error;
    }
    const lang_type *item = loop_output && matters(loop_output) ? loop_output : body_input;
    for (VEC_EACH(ast_stmt *, it, enqueues)) {
        if (item && matters(item))
            (*it)->u.expr = coerce(c, (*it)->u.expr, item, false, "the enqueued value");
    }
}

void check_connections(checker *c, ast_stream *s, const stmt_refs *enqueues)
{
    if (s->kind == STREAM_PIPELINE)
        check_pipeline(c, s);
    else if (s->kind == STREAM_SPLITJOIN)
        check_splitjoin(c, s);
    else
        check_feedbackloop(c, s, enqueues);
}
