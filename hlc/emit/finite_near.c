// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which elements of a gathered stream a firing can read: those near its place, or any; how many it pushes.
#include "hlc/emit/finite_int.h"
#include "hlc/ir/walk.h"

typedef struct looker {
    const sir_filter *filter;
    uint32_t field;
    finite_near *near; // of each dimension
    bool lost;         // there are calls, which may read anything
} looker;

enum { FAR = 1 << 20 }; // is not near

// "$x", "$x + 3", "$x - 3", "3 + $x".
static bool split(const sir_filter *f, const sir_expr *e, uint32_t *coordinate, int64_t *offset)
{
    *offset = 0;
    if (e->kind == SIR_BINARY && (e->op == LANG_OP_ADD || e->op == LANG_OP_SUB)) {
        const sir_expr *left = e->u.arg[0], *right = e->u.arg[1];
        if (left->kind == SIR_CONST && e->op == LANG_OP_ADD) {
            const sir_expr *t = left;
            left = right;
            right = t;
        }
        if (right->kind != SIR_CONST)
            return false;
        *offset = e->op == LANG_OP_ADD ? right->u.value.i : -(int64_t)right->u.value.i;
        e = left;
    }
    *coordinate = e->index;
    return e->kind == SIR_FIELD && f->fields.data[e->index].role == SIR_COORDINATE && *offset <= FAR && *offset >= -FAR;
}

static void note(finite_near *n, bool near, uint32_t coordinate, int64_t offset)
{
    if (!near || (n->known && n->coordinate != coordinate)) {
        *n = (finite_near){.coordinate = SIR_NONE, .known = true};
        return;
    }
    if (!n->known)
        *n = (finite_near){.coordinate = coordinate, .least = offset, .most = offset, .known = true};
    n->least = offset < n->least ? offset : n->least;
    n->most = offset > n->most ? offset : n->most;
}

static void look_at_expr(void *context, sir_expr *e, bool written)
{
    looker *l = context;
    (void)written;
    if (e->kind != SIR_FETCH || e->index != l->field)
        return;
    for (size_t i = 0; i < e->op; i++) {
        uint32_t coordinate = SIR_NONE;
        int64_t offset = 0;
        bool near = split(l->filter, e->u.arg[i], &coordinate, &offset);
        note(&l->near[i], near, coordinate, offset);
    }
}

static void look_at_stmt(void *context, sir_stmt *s)
{
    looker *l = context;
    l->lost = l->lost || s->kind == SIR_CALL;
    sir_visit_exprs(s, look_at_expr, l);
}

static looker look(arena *a, const sir_filter *f, uint32_t field)
{
    looker l = {.filter = f, .field = field, .near = ARENA_ARRAY(a, finite_near, f->fields.data[field].rank)};
    sir_visit_stmts((sir_block *)&f->work->body, look_at_stmt, &l);
    for (uint32_t i = 0; i < f->fields.data[field].rank; i++)
        if (!l.near[i].known)
            l.near[i].coordinate = SIR_NONE;
    return l;
}

const finite_near *finite_near_of(arena *a, const sir_filter *f, uint32_t field)
{
    const looker l = look(a, f, field);
    return l.lost || l.near[0].coordinate == SIR_NONE ? NULL : l.near;
}

const finite_near *finite_near_by_rows(arena *a, const sir_filter *f, uint32_t field)
{
    finite_near *near = look(a, f, field).near;
    near[0] = (finite_near){.coordinate = SIR_NONE, .known = true, .by_rows = true};
    return near;
}

// ---- What is pushed ----

enum { USUAL_PUSHES = 2, MOST_PUSHES = 64 }; // where loops push, or too often

static int64_t pushes_in(const sir_block *b)
{
    int64_t n = 0;
    for (VEC_EACH(sir_stmt *const, at, b)) {
        const sir_stmt *s = *at;
        int64_t a, c;
        switch ((sir_stmt_kind)s->kind) {
        case SIR_PUSH: n++; break;
        case SIR_BLOCK: n += pushes_in(&s->u.block); break;
        case SIR_IF:
            a = pushes_in(&s->u.if_.then);
            c = pushes_in(&s->u.if_.otherwise);
            n += a > c ? a : c;
            break;
        case SIR_FOR: n += pushes_in(&s->u.for_.body) * USUAL_PUSHES; break;
        case SIR_LOOP: n += pushes_in(&s->u.loop.body) * USUAL_PUSHES; break;
        default: break;
        }
        if (n > MOST_PUSHES)
            return MOST_PUSHES;
    }
    return n;
}

int finite_most_pushed(const finite_graph *g)
{
    const int64_t n = pushes_in(&g->filter->work->body);
    return n > 0 ? (int)n : 1;
}
