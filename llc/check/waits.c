// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Findings from absence: kernels that are waited for and never run, kernels that are run and that nothing waits for,
// streams that are used and that nothing has initialised.
#include <stdarg.h>

#include "llc/check/model.h"

static const context *counting(const context *x)
{
    while (x->kind >= CONTEXT_COUNTED)
        x = x->parent;
    return x;
}

bool contexts_meet(const context *a, const context *b)
{
    a = counting(a);
    b = counting(b);
    for (const context *x = a; x != NULL; x = x->parent)
        if (x == b)
            return true;
    for (const context *x = b; x != NULL; x = x->parent)
        if (x == a)
            return true;
    return false;
}

static const event *next_of(const checker *c, const index_list *own, const index_list *loose, size_t *i)
{
    size_t at = (*i)++;
    if (at < own->len)
        return &c->events.data[own->data[at]];
    at -= own->len;
    return at < loose->len ? &c->events.data[loose->data[at]] : NULL;
}

const event *next_about(const checker *c, const node *n, size_t *i)
{
    return next_of(c, &n->events, &c->loose, i);
}

const event *next_user(const checker *c, const node *stream, size_t *i)
{
    return next_of(c, &stream->users, &c->loose_users, i);
}

const event *initialisation_of(const checker *c, const node *object, const event *before)
{
    if (object == NULL)
        return NULL;
    const index_list *list = object->vague ? &c->loose : &object->events;
    for (size_t i = list->len; i > 0; i--) {
        const event *e = &c->events.data[list->data[i - 1]];
        if (e->kind <= EVENT_KERNEL && e->object == object && (before == NULL || e < before))
            return e;
    }
    return NULL;
}

void note_initialisation(checker *c, diag_record *d, const node *object)
{
    const event *e = initialisation_of(c, object, NULL);
    if (e != NULL)
        diag_add_note(c->session->diag, d, e->at, "'%s' is initialised here", node_text(c, object));
}

diag_record *warn(checker *c, diag_warning_id id, const event *e, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    diag_record *d = diag_warning(c->session->diag, id, e->at, "%s", arena_vprintf(c->arena, format, arguments));
    va_end(arguments);
    if (e->from.file != 0)
        diag_add_note(c->session->diag, d, e->from, "in this call");
    return d;
}

static const char *enclosing_type(const node *kernel)
{
    const node *n = kernel->parent != NULL ? kernel->parent : kernel;
    CXCursor declaration = clang_getTypeDeclaration(n->type);
    return declaration.data[0];
}

// Whether an event is, or may be, about this kernel.
static bool may_be(const event *e, const node *kernel)
{
    if (e->object == NULL || e->object == kernel)
        return true;
    return (e->object->vague || kernel->vague) && enclosing_type(e->object) == enclosing_type(kernel);
}

// ---- Waits for kernels that are never run ----

static const context *common_loop(const context *a, const context *b)
{
    for (const context *x = a; x != NULL; x = x->parent)
        for (const context *y = b; y != NULL; y = y->parent)
            if (x == y && x->kind == CONTEXT_LOOP)
                return x;
    return NULL;
}

// Whether some run of the kernel may come before this event.
static bool run_before(const checker *c, const event *wait, bool *anywhere)
{
    bool before = false;
    *anywhere = false;
    size_t i = 0;
    for (const event *e; !before && (e = next_about(c, wait->object, &i)) != NULL;) {
        if (e->kind != EVENT_RUN || !may_be(e, wait->object))
            continue;
        *anywhere = true;
        before = before || e < wait || e->thread != wait->thread || common_loop(e->context, wait->context) != NULL;
    }
    return before;
}

static bool is_within(const context *inner, const context *outer)
{
    while (inner != NULL && inner != outer)
        inner = inner->parent;
    return inner != NULL;
}

// The innermost loop or call in which a condition that is not known decides about the event; NULL: there is none.
static const context *guarded_scope(const event *e)
{
    bool guarded = false;
    for (const context *x = e->context; x != NULL; x = x->parent) {
        if (x->kind == CONTEXT_BRANCH || x->kind == CONTEXT_REST)
            guarded = true;
        else if (guarded && x->kind != CONTEXT_ROOT)
            return x;
    }
    return NULL;
}

static bool run_within(const checker *c, const event *wait, const context *scope)
{
    size_t i = 0;
    for (const event *e; (e = next_about(c, wait->object, &i)) != NULL;)
        if (e->kind == EVENT_RUN && may_be(e, wait->object) && is_within(e->context, scope))
            return true;
    return false;
}

// Of a wait of the text that is followed several times, the condition before it may tell the times apart: a ring of
// buffers waits where a buffer has been used. So such a wait is all right for a kernel that is run later in the same
// iteration or call, or if it is all right at some other time.
static bool may_not_happen(const checker *c, const event *wait)
{
    const context *scope = guarded_scope(wait);
    if (scope == NULL)
        return false;
    bool again = scope->kind == CONTEXT_COUNTED, anywhere;
    for (VEC_EACH(const event, e, &c->events)) {
        if (e->kind != wait->kind || e->at.file != wait->at.file || e->at.begin != wait->at.begin ||
            e->context == wait->context)
            continue;
        if (e->object == NULL || e->object->vague || run_before(c, e, &anywhere))
            return true;
        again |= !is_within(e->context, scope);
    }
    return again && run_within(c, wait, scope);
}

static void find_never_run(checker *c)
{
    static const char *const verbs[] = {[EVENT_WAIT] = "waited for", [EVENT_PAUSE] = "paused", [EVENT_END] = "ended"};
    for (VEC_EACH(const event, e, &c->events)) {
        bool anywhere;
        if ((e->kind != EVENT_WAIT && e->kind != EVENT_PAUSE && e->kind != EVENT_END) || e->object == NULL ||
            e->object->vague || run_before(c, e, &anywhere) || may_not_happen(c, e))
            continue;
        diag_record *d = warn(c, WARN_CHECK_NEVER_RUN, e, "kernel '%s' is %s %s", node_text(c, e->object),
                              verbs[e->kind], anywhere ? "before it is run" : "and never run");
        note_initialisation(c, d, e->object);
    }
}

// ---- Kernels that nothing waits for ----

typedef struct waited {
    checker *checker;
    hmap kernels; // waited for, directly or by what comes after them
    VEC(const node *) list;
    bool all;
} waited;

static bool is_waited(const waited *w, const node *kernel)
{
    return hmap_getn(&w->kernels, &kernel, sizeof kernel) != NULL;
}

static void add_waited(waited *w, const node *kernel)
{
    if (kernel == NULL || is_waited(w, kernel))
        return;
    hmap_setn(&w->kernels, &kernel, sizeof kernel, w);
    VEC_PUSH(w->checker->arena, &w->list, kernel);
}

// Kernels that push to a stream have, for what is seen, done so when it has been read.
static void add_producers(waited *w, const node *stream)
{
    if (stream->vague) {
        w->all = true;
        return;
    }
    size_t i = 0;
    for (const event *e; (e = next_user(w->checker, stream, &i)) != NULL;) {
        for (VEC_EACH(const stream_use, u, &e->streams))
            if ((u->stream == stream || u->stream->vague || stream->vague) && (u->role & ROLE_PRODUCER))
                add_waited(w, e->object);
    }
}

static void add_before(waited *w, const node *kernel)
{
    size_t i = 0;
    for (const event *e; (e = next_about(w->checker, kernel, &i)) != NULL;) {
        if (e->kind == EVENT_DEPEND && may_be(e, kernel)) {
            w->all |= e->other == NULL || e->other->vague;
            add_waited(w, e->other);
        }
        if (e->kind != EVENT_RUN || !may_be(e, kernel))
            continue;
        w->all |= e->unknown_streams;
        for (VEC_EACH(const stream_use, u, &e->streams))
            if (u->role & ROLE_CONSUMER)
                add_producers(w, u->stream);
    }
}

static void gather_waited(waited *w)
{
    for (VEC_EACH(const event, e, &w->checker->events)) {
        bool ends = e->kind == EVENT_WAIT || e->kind == EVENT_PAUSE || e->kind == EVENT_END, anywhere;
        ends |= e->kind == EVENT_ASK && (e->object == NULL || run_before(w->checker, e, &anywhere));
        w->all |= ends && (e->object == NULL || e->object->vague);
        if (ends)
            add_waited(w, e->object);
        if (e->kind == EVENT_CONTROL_IO && e->object != NULL)
            add_producers(w, e->object);
    }
    for (size_t i = 0; !w->all && i < w->list.len; i++)
        add_before(w, w->list.data[i]);
}

static void find_never_waited(checker *c)
{
    waited w = {.checker = c};
    hmap_init(&w.kernels, c->arena);
    gather_waited(&w);
    if (w.all)
        return;
    for (VEC_EACH(const event, e, &c->events)) {
        if (e->kind != EVENT_RUN || e->object == NULL || e->object->vague || is_waited(&w, e->object))
            continue;
        add_waited(&w, e->object); // say it once
        diag_record *d = warn(c, WARN_CHECK_NEVER_WAITED, e,
                              "nothing waits for kernel '%s', nor for one that runs after it", node_text(c, e->object));
        note_initialisation(c, d, e->object);
    }
}

// ---- Streams that are not there ----

// The last that is said of a stream before an event, its initialisation or its end; false: that is not known.
static bool stream_before(const checker *c, const node *stream, const event *until, const event **last)
{
    bool sure = true;
    size_t i = 0;
    *last = NULL;
    for (const event *e; (e = next_about(c, stream, &i)) != NULL;) {
        if (e->kind != EVENT_STREAM && e->kind != EVENT_DESTROY)
            continue;
        sure &= e->object == stream && e->thread == until->thread && (e < until || e->kind == EVENT_DESTROY);
        if (e < until && (*last == NULL || e > *last))
            *last = e;
    }
    for (const node *n = stream->parent; n != NULL; n = n->parent) // through a pointer of another type
        sure &= n->events.len == 0;
    return sure;
}

// Whether the first event has happened if the second happens after it.
static bool is_certain(const event *first, const event *second)
{
    const context *x = first->context;
    while (x->kind == CONTEXT_COUNTED || x->kind == CONTEXT_CALL)
        x = x->parent;
    return is_within(second->context, x);
}

static bool is_own(const node *n)
{
    while (n->parent != NULL)
        n = n->parent;
    return n->own;
}

typedef struct missing_streams {
    checker *checker;
    hmap told; // each once
} missing_streams;

// A run, or the control thread, uses a stream.
static void check_stream(missing_streams *m, const event *use, const node *stream)
{
    checker *c = m->checker;
    const event *last;
    if (stream->vague || !is_own(stream) || !is_record(stream->type, "svm_Stream") ||
        hmap_getn(&m->told, &stream, sizeof stream) != NULL || !stream_before(c, stream, use, &last))
        return;
    bool destroyed = last != NULL && last->kind == EVENT_DESTROY;
    if (last != NULL && (!destroyed || !is_certain(last, use)))
        return;
    const char *user =
        use->kind == EVENT_RUN ? arena_printf(c->arena, "kernel '%s'", node_text(c, use->object)) : "control code";
    diag_record *d = warn(c, WARN_CHECK_UNINITIALISED, use, "%s uses stream '%s', which %s", user, node_text(c, stream),
                          destroyed ? "was destroyed" : "nothing has initialised");
    if (destroyed)
        diag_add_note(c->session->diag, d, last->at, "it is destroyed here");
    hmap_setn(&m->told, &stream, sizeof stream, c);
}

static void find_missing_streams(checker *c)
{
    missing_streams m = {.checker = c};
    hmap_init(&m.told, c->arena);
    for (VEC_EACH(const event, e, &c->events)) {
        if (e->object == NULL || e->object->vague)
            continue;
        if (e->kind == EVENT_CONTROL_IO)
            check_stream(&m, e, e->object);
        for (VEC_EACH(const stream_use, u, &e->streams))
            check_stream(&m, e, u->stream);
    }
}

void find_waits(checker *c)
{
    if (c->incomplete)
        return;
    if (c->main_found && !c->elsewhere)
        find_missing_streams(c);
    find_never_run(c);
    find_never_waited(c);
}
