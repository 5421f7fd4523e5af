// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types between the children of a composite: by data flow over the statements of a pipeline, over all children of a
// splitjoin or feedbackloop. Types that an anonymous composite leaves out are inferred from the same.
//
// NOTE(branches). Graph code runs while the graph is built, so elaboration knows which way it goes, and checks what was
// added. Here only what is wrong whichever way an 'if' goes is told: what one branch adds is not held against what is
// around it, and a type that depends on the way is the error type, which agrees with all.
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
    unsigned branches;      // 'if's around
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

static void pipe_merge(pipe_flow *p, tape *into, const tape *other)
{
    if (!other->reachable)
        return;
    if (!into->reachable) {
        *into = *other;
        return;
    }
    const lang_type *a = known(p, into->type), *b = known(p, other->type);
    if (into->type || other->type)
        into->type = types_agree(a, b) && b->kind != TYPE_ERROR ? a : &lang_type_error;
}

// A kernel is declared in a file of another language: where its types come from.
static void note_kernel(checker *c, diag_record *r, const ast_stmt *child)
{
    const ast_stream *decl = child ? child->u.child.decl : NULL;
    if (decl && decl->kernel)
        diag_add_note(c->diags, r, decl->name_range, "kernel '%s' is declared here", decl->name);
}

static void pipe_add(pipe_flow *p, const ast_stmt *s, tape *t)
{
    checker *c = p->c;
    const ast_stream *decl = s->u.child.decl;
    const lang_type *input = decl ? decl->input : &lang_type_error;
    if (!t->type && !p->input)
        p->input = input;
    const lang_type *have = known(p, t->type);
    bool agree = types_agree(have, input);
    if (!agree && !t->type && p->branches > 0)
        p->input = p->stream->input->kind == TYPE_UNTYPED ? &lang_type_error : p->input;
    if (!c->program->broken && !agree && p->branches == 0) {
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
        note_kernel(c, r, s);
        note_kernel(c, r, t->source);
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
    pipe_merge(p, &inside, &leave);
    pipe_merge(p, t, &inside);
}

static void pipe_if(pipe_flow *p, const ast_stmt *s, tape *t)
{
    tape then = *t, otherwise = *t;
    const lang_type *before = p->input;
    p->branches++;
    pipe_stmt(p, s->u.if_.then, &then);
    const lang_type *first = p->input;
    p->input = before;
    if (s->u.if_.otherwise)
        pipe_stmt(p, s->u.if_.otherwise, &otherwise);
    p->branches--;
    if (!before && (first || p->input)) // one way may pass on what the other takes
        p->input = first && p->input && types_agree(first, p->input) ? first : &lang_type_error;
    pipe_merge(p, &then, &otherwise);
    *t = then;
}

static void pipe_stmt(pipe_flow *p, const ast_stmt *s, tape *t)
{
    switch (s->kind) {
    case STMT_ADD: pipe_add(p, s, t); break;
    case STMT_BLOCK:
        for (VEC_EACH(ast_stmt *, it, &s->u.block))
            pipe_stmt(p, *it, t);
        break;
    case STMT_IF: pipe_if(p, s, t); break;
    case STMT_WHILE:
    case STMT_DO:
    case STMT_FOR: pipe_loop(p, s, t); break;
    case STMT_RETURN:
        pipe_merge(p, &p->exit, t);
        t->reachable = false;
        break;
    case STMT_BREAK:
    case STMT_CONTINUE:
        if (p->leave)
            pipe_merge(p, p->leave, t);
        t->reachable = false;
        break;
    case STMT_ERROR: t->type = &lang_type_error; break;
    default: break;
    }
}

// Of an anonymous stream the contents count, as in the original compiler: their type, which elaboration finds out.
static void check_produced(checker *c, ast_stream *s, const lang_type *output, const ast_stmt *child)
{
    if (is_broken(c, s) || types_agree(output, s->output))
        return;
    src_range where = child ? child->u.child.name_range : s->type_range;
    const char *word = s->kind == STREAM_PIPELINE ? "last stream" : s->kind == STREAM_SPLITJOIN ? "branch" : "body";
    const char *text = arena_printf(c->arena, "%s produces '%s', but its %s%s%s produces '%s'", stream_name(c, s),
                                    type_name(c, s->output), word, child ? " " : "", child ? child_name(c, child) : "",
                                    type_name(c, output));
    diag_record *r = s->name ? diag_error(c->diags, where, "%s", text)
                             : diag_warning(c->diags, WARN_ANONYMOUS_TYPE, where, "%s; that is what it is", text);
    diag_add_note(c->diags, r, s->type_range, "%s is declared here", stream_name(c, s));
    if (!s->name)
        s->output = &lang_type_error;
}

static void check_pipeline(checker *c, ast_stream *s)
{
    pipe_flow p = {.c = c, .stream = s};
    bool inferred = s->input->kind == TYPE_UNTYPED;
    if (!inferred)
        p.input = s->input;
    tape t = {.reachable = true, .type = p.input};
    pipe_stmt(&p, s->body, &t);
    pipe_merge(&p, &t, &p.exit);
    if (!t.reachable)
        t.type = &lang_type_error;
    const lang_type *output = known(&p, t.type);
    if (inferred) {
        s->input = known(&p, NULL);
        s->output = output;
    } else {
        check_produced(c, s, output, t.source);
    }
}

// All statements of one kind, in branches as well or only those outside.
static void gather_in(checker *c, ast_stmt *s, ast_stmt_kind kind, bool branches, stmt_refs *out)
{
    if (!s)
        return;
    if (s->kind == kind)
        VEC_PUSH(c->arena, out, s);
    switch (s->kind) {
    case STMT_BLOCK:
        for (VEC_EACH(ast_stmt *, it, &s->u.block))
            gather_in(c, *it, kind, branches, out);
        break;
    case STMT_IF:
        if (branches) {
            gather_in(c, s->u.if_.then, kind, branches, out);
            gather_in(c, s->u.if_.otherwise, kind, branches, out);
        }
        break;
    case STMT_WHILE:
    case STMT_DO:
    case STMT_FOR: gather_in(c, s->u.loop.body, kind, branches, out); break;
    default: break;
    }
}

static void gather(checker *c, ast_stmt *s, ast_stmt_kind kind, stmt_refs *out)
{
    gather_in(c, s, kind, true, out);
}

static bool is_among(const stmt_refs *list, const ast_stmt *s)
{
    for (VEC_EACH(ast_stmt *, it, list))
        if (*it == s)
            return true;
    return false;
}

static bool matters(const lang_type *t)
{
    return t->kind != TYPE_VOID && t->kind != TYPE_ERROR;
}

// One side that several streams share: the type it has and whom that comes from.
typedef struct side {
    const lang_type *type;  // NULL: nobody has said
    bool open;              // it depends on branches
    const ast_stmt *source; // NULL: the declaration of the composite
    const char *what;
} side;

// False when they disagree, which is reported. sure: whichever way branches go.
static bool meet(checker *c, ast_stream *s, side *have, const lang_type *t, const ast_stmt *child, const char *verb,
                 bool sure)
{
    if (!matters(t))
        return true;
    if (have->type && !sure && !types_agree(have->type, t)) {
        have->open = true;
        return true;
    }
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
    note_kernel(c, r, child);
    note_kernel(c, r, have->source);
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

// What is known of a splitjoin's children.
typedef struct branches {
    side in, out;
    bool used_in, used_out; // some child has that side, or may
    bool duplicates;
} branches;

static void add_branch(checker *c, ast_stream *s, branches *b, const ast_stmt *child, bool sure)
{
    const ast_stream *decl = child->u.child.decl;
    b->used_in |= !decl || decl->input->kind != TYPE_VOID;
    b->used_out |= !decl || decl->output->kind != TYPE_VOID;
    if (!decl)
        return;
    if (meet(c, s, &b->in, decl->input, child, "takes", sure))
        meet(c, s, &b->out, decl->output, child, "produces", sure);
    if (sure && b->duplicates && decl->input->kind == TYPE_VOID)
        diag_error(
            c->diags, child->u.child.name_range,
            "%s takes no input, so 'split duplicate' cannot feed it: use 'split roundrobin' with weight 0 for it",
            child_name(c, child));
}

static const lang_type *side_type(const side *have, bool used)
{
    return have->type && !have->open ? have->type : used ? &lang_type_error : &lang_type_void;
}

static void check_splitjoin(checker *c, ast_stream *s)
{
    stmt_refs children = {0}, outside = {0}, splits = {0}, errors = {0};
    gather(c, s->body, STMT_ADD, &children);
    gather_in(c, s->body, STMT_ADD, false, &outside);
    gather(c, s->body, STMT_SPLIT, &splits);
    gather(c, s->body, STMT_ERROR, &errors);
    bool inferred = s->input->kind == TYPE_UNTYPED, unsaid = s->broken || errors.len > 0;
    branches b = {.in = {.type = inferred ? NULL : s->input, .what = "is declared to take"},
                  .out = {.type = s->name ? s->output : NULL, .what = "is declared to produce"},
                  .duplicates = always_duplicates(&splits)};
    for (VEC_EACH(ast_stmt *, it, &outside))
        add_branch(c, s, &b, *it, true);
    for (VEC_EACH(ast_stmt *, it, &children)) {
        if (!is_among(&outside, *it))
            add_branch(c, s, &b, *it, false);
    }
    if (inferred) {
        s->input = side_type(&b.in, b.used_in || unsaid);
        s->output = side_type(&b.out, b.used_out || unsaid);
    } else if (!unsaid && !is_broken(c, s) && children.len > 0) {
        check_unused_side(c, s, s->input, b.used_in, "takes");
        if (s->name)
            check_unused_side(c, s, s->output, b.used_out, "produces");
        else
            check_produced(c, s, side_type(&b.out, b.used_out), b.out.source);
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
    stmt_refs bodies = {0}, loops = {0}, splits = {0}, joins = {0}, outside = {0};
    gather(c, s->body, STMT_BODY, &bodies);
    gather(c, s->body, STMT_LOOP, &loops);
    gather_in(c, s->body, STMT_BODY, false, &outside);
    gather_in(c, s->body, STMT_LOOP, false, &outside);
    gather(c, s->body, STMT_SPLIT, &splits);
    gather(c, s->body, STMT_JOIN, &joins);
    bool inferred = s->input->kind == TYPE_UNTYPED;
    // The joiner's items and the splitter's items.
    side in = {.type = inferred || !matters(s->input) ? NULL : s->input, .what = "is declared to take"};
    side out = {.type = !s->name || !matters(s->output) ? NULL : s->output, .what = "is declared to produce"};
    const lang_type *loop_output = NULL, *body_input = NULL;
    for (VEC_EACH(ast_stmt *, it, &bodies)) {
        const ast_stream *decl = (*it)->u.child.decl;
        body_input = decl ? decl->input : &lang_type_error;
        check_ends(c, *it);
        bool sure = is_among(&outside, *it);
        if (meet(c, s, &in, body_input, *it, "takes", sure))
            meet(c, s, &out, decl ? decl->output : &lang_type_error, *it, "produces", sure);
    }
    for (VEC_EACH(ast_stmt *, it, &loops)) {
        const ast_stream *decl = (*it)->u.child.decl;
        loop_output = decl ? decl->output : &lang_type_error;
        check_ends(c, *it);
        bool sure = is_among(&outside, *it);
        if (meet(c, s, &in, loop_output, *it, "produces", sure))
            meet(c, s, &out, decl ? decl->input : &lang_type_error, *it, "takes", sure);
    }
    if (inferred) {
        s->input = shut(&joins) ? &lang_type_void : side_type(&in, true);
        s->output = shut(&splits) ? &lang_type_void : side_type(&out, true);
    } else if (!s->name && matters(s->output)) {
        check_produced(c, s, side_type(&out, true), bodies.len > 0 ? bodies.data[0] : NULL);
    }
    const lang_type *item = in.open ? NULL : loop_output && matters(loop_output) ? loop_output : body_input;
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
