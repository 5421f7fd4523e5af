// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether the old element of an output matters to a firing.
#include "hlc/emit/finite_int.h"
#include "hlc/ir/walk.h"

// What is known of the field at a point of the body.
typedef struct written {
    uint32_t field;
    uint64_t members; // of a struct: those written; all: 1 << 63
    bool read;        // before it was written
} written;
#define WHOLE (UINT64_C(1) << 63)

static bool is_complete(const written *w, const sir_filter *f)
{
    const sir_type *t = f->fields.data[w->field].type;
    if ((w->members & WHOLE) != 0)
        return true;
    return t->kind == SIR_STRUCT && t->decl->members.len < 63 &&
           w->members == (UINT64_C(1) << t->decl->members.len) - 1;
}

// Whether the value of what is a part of the field (or all of it) is known to be the firing's own.
static bool covers(const written *w, const sir_filter *f, const sir_expr *e)
{
    if (is_complete(w, f))
        return true;
    while (e->kind == SIR_MEMBER && e->u.arg[0]->kind == SIR_MEMBER)
        e = e->u.arg[0];
    return e->kind == SIR_MEMBER && e->u.arg[0]->kind == SIR_FIELD && e->index < 63 &&
           (w->members & UINT64_C(1) << e->index) != 0;
}

static void read_expr(written *w, const sir_filter *f, const sir_expr *e)
{
    if (e == NULL || e->kind == SIR_CONST)
        return;
    const sir_expr *root = sir_lvalue_root((sir_expr *)e);
    if (root != NULL && root->kind == SIR_FIELD && root->index == w->field) {
        w->read = w->read || !covers(w, f, e);
        return; // its subscripts: elements have no arrays
    }
    for (size_t i = 0; i < sir_expr_arity(e); i++)
        read_expr(w, f, e->u.arg[i]);
}

static void write_target(written *w, const sir_filter *f, const sir_expr *e)
{
    const sir_expr *root = sir_lvalue_root((sir_expr *)e);
    if (root == NULL || root->kind != SIR_FIELD || root->index != w->field) {
        read_expr(w, f, e); // subscripts of others
        return;
    }
    if (e->kind == SIR_FIELD)
        w->members = WHOLE;
    else if (e->kind == SIR_MEMBER && e->u.arg[0]->kind == SIR_FIELD && e->index < 63)
        w->members |= UINT64_C(1) << e->index;
}

static void walk(written *w, const sir_filter *f, const sir_block *b);

static void branch(written *w, const sir_filter *f, const sir_stmt *s)
{
    written other = *w;
    read_expr(w, f, s->u.if_.cond);
    walk(w, f, &s->u.if_.then);
    walk(&other, f, &s->u.if_.otherwise);
    bool whole = is_complete(w, f) && is_complete(&other, f);
    w->members = whole ? WHOLE : w->members & other.members;
    w->read = w->read || other.read;
}

// A loop's body may run or not: what it reads counts, what it writes does not.
static void loop(written *w, const sir_filter *f, const sir_stmt *s)
{
    written inside = *w;
    if (s->kind == SIR_FOR) {
        read_expr(w, f, s->u.for_.lo);
        read_expr(w, f, s->u.for_.hi);
        walk(&inside, f, &s->u.for_.body);
    } else {
        const sir_block *order[] = {&s->u.loop.pre, &s->u.loop.body, &s->u.loop.step};
        walk(&inside, f, order[s->u.loop.post_test ? 1 : 0]);
        read_expr(&inside, f, s->u.loop.cond);
        for (int i = 0; i < 3; i++)
            walk(&inside, f, order[i]);
    }
    w->read = w->read || inside.read;
}

static void walk(written *w, const sir_filter *f, const sir_block *b)
{
    for (VEC_EACH(sir_stmt *const, at, b)) {
        const sir_stmt *s = *at;
        switch ((sir_stmt_kind)s->kind) {
        case SIR_DECL: read_expr(w, f, s->u.decl.init); break;
        case SIR_SET:
            read_expr(w, f, s->u.set.value);
            write_target(w, f, s->u.set.target);
            break;
        case SIR_IF: branch(w, f, s); break;
        case SIR_FOR:
        case SIR_LOOP: loop(w, f, s); break;
        case SIR_BLOCK: walk(w, f, &s->u.block); break;
        case SIR_PUSH: read_expr(w, f, s->u.value); break;
        default: w->read = true; return; // calls, jumps: nothing is known
        }
    }
}

bool finite_is_written(const sir_filter *f, uint32_t field)
{
    written w = {.field = field};
    walk(&w, f, &f->work->body);
    return !w.read && is_complete(&w, f);
}
