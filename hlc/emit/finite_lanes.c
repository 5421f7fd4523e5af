// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Firings of neighbouring columns side by side, where their bodies have loops.
//
// NOTE(side by side). A C compiler vectorises the loop over columns only where its body has no loop. Where loops take the same way for all columns of a row (their bounds and conditions are made of
// uniforms, constants and what is the same in the row), this makes a filter that fires several columns at once: those loops stay outside, and the statements between them are loops over lanes.
// Each lane does what a firing does, in its order, so results are the same bit for bit.
//
// NOTE(lanes that leave). A loop that columns leave at different times goes round until all of them have left: a lane that has does nothing in it any more. Each round is one loop over lanes, in which what
// the loop carries is a lane's own, so that the C compiler can make both ways of a condition and choose.
//
// NOTE(takes). What lanes fetch from anywhere is not known to lie side by side, but often does: neighbours find their partners
// side by side, or all the same. So a body without loops is done for many columns at a time, which first compute where they
// fetch from, then take the elements, by vectors where the places turn out to be near each other (svm/brook_take.h), and
// then go on. Else they are loaded one by one, which is fast where the places are in memory by then: taken out of a vector,
// or loaded soon behind its store, they take twice as long. What is left of a row is done for as many columns as a vector
// has.
//
// NOTE(few lanes). What costs much and stands below a condition is a loop of its own, which is left out where no lane wants
// it: neighbours often agree.
#include <string.h>

#include "hlc/emit/finite_int.h"
#include "hlc/ir/walk.h"

typedef struct widener {
    sir_module *m;
    const sir_filter *from;
    const sir_function *work;
    bool *varies; // per local: it may differ between columns
    bool changed; // in this round of finding out
    bool impossible;
    bool loops;      // there is a loop outside of lanes, around something that varies
    uint32_t *group; // per local: the run of statements that it is in; 0: none yet
    bool *spread;    // per local: an array with an element a lane
    uint32_t groups;
    int carried;      // scalars that are spread
    sir_function *to; // NULL: only counting
    uint32_t lane;
    int lanes;
    emit_filter_info *info;    // of `to`
    bool apart;                // what lanes fetch lies apart
    bool leaves;               // there are loops that lanes leave at different times
    bool march;                // the C compiler knows the processor
    bool vectors;              // processors have some
    finite_taken taken;        // what statements fetch from anywhere; local NULL: none
    bool many;                 // there, more lanes than svm_brookTake looks at together
    uint32_t *own, *own_field; // per local and field: in such a loop, a lane's own; NULL outside, SIR_NONE: it has none
} widener;

// ---- What is the same in all columns ----

static bool field_varies(const widener *w, uint32_t index)
{
    const sir_field *f = &w->from->fields.data[index];
    switch (f->role) {
    case SIR_STATE:
    case SIR_UNIFORM: return false;
    case SIR_COORDINATE: return f->dimension == 0;
    default: return true;
    }
}

static bool is_place(const void *context, uint32_t field)
{
    const widener *w = context;
    const sir_field *f = &w->from->fields.data[field];
    return f->role == SIR_COORDINATE && f->dimension == 0;
}

static bool expr_varies(const widener *w, const sir_expr *e)
{
    if (e == NULL)
        return false;
    if (e->kind == SIR_LOCAL)
        return w->varies[e->index];
    if (e->kind == SIR_FIELD && field_varies(w, e->index))
        return true;
    for (size_t i = 0; i < sir_expr_arity(e); i++)
        if (expr_varies(w, e->u.arg[i]))
            return true;
    return false;
}

static void set_varies(widener *w, uint32_t local)
{
    w->changed = w->changed || !w->varies[local];
    w->varies[local] = true;
}

static void find_in_block(widener *w, const sir_block *b, bool differs);

static void find_in_stmt(widener *w, const sir_stmt *s, bool differs)
{
    const sir_expr *root;
    switch ((sir_stmt_kind)s->kind) {
    case SIR_DECL:
        if (differs || expr_varies(w, s->u.decl.init))
            set_varies(w, s->u.decl.local);
        break;
    case SIR_SET:
        root = sir_lvalue_root(s->u.set.target);
        if (root->kind == SIR_LOCAL && (differs || expr_varies(w, s->u.set.value) || expr_varies(w, s->u.set.target)))
            set_varies(w, root->index);
        break;
    case SIR_IF:
        differs = differs || expr_varies(w, s->u.if_.cond);
        find_in_block(w, &s->u.if_.then, differs);
        find_in_block(w, &s->u.if_.otherwise, differs);
        break;
    case SIR_FOR:
        differs = differs || expr_varies(w, s->u.for_.lo) || expr_varies(w, s->u.for_.hi);
        if (differs)
            set_varies(w, s->u.for_.local);
        find_in_block(w, &s->u.for_.body, differs);
        break;
    case SIR_LOOP:
        differs = differs || expr_varies(w, s->u.loop.cond);
        find_in_block(w, &s->u.loop.pre, differs);
        find_in_block(w, &s->u.loop.body, differs);
        find_in_block(w, &s->u.loop.step, differs);
        break;
    default: w->impossible = true; break;
    }
}

static void find_in_block(widener *w, const sir_block *b, bool differs)
{
    for (size_t i = 0; i < b->len; i++)
        find_in_stmt(w, b->data[i], differs);
}

// Whether a statement does the same in all columns.
static bool block_is_same(const widener *w, const sir_block *b);

static bool is_same(const widener *w, const sir_stmt *s)
{
    switch ((sir_stmt_kind)s->kind) {
    case SIR_DECL: return !w->varies[s->u.decl.local];
    case SIR_SET: {
        const sir_expr *root = sir_lvalue_root(s->u.set.target);
        return root->kind == SIR_LOCAL && !w->varies[root->index];
    }
    case SIR_IF:
        return !expr_varies(w, s->u.if_.cond) && block_is_same(w, &s->u.if_.then) &&
               block_is_same(w, &s->u.if_.otherwise);
    case SIR_FOR: return !w->varies[s->u.for_.local] && block_is_same(w, &s->u.for_.body);
    case SIR_LOOP:
        return !expr_varies(w, s->u.loop.cond) && block_is_same(w, &s->u.loop.pre) &&
               block_is_same(w, &s->u.loop.body) && block_is_same(w, &s->u.loop.step);
    default: return false;
    }
}

static bool block_is_same(const widener *w, const sir_block *b)
{
    for (size_t i = 0; i < b->len; i++)
        if (!is_same(w, b->data[i]))
            return false;
    return true;
}

// Whether a statement stays outside of lanes, around them.
static bool block_is_around(const widener *w, const sir_block *b);

static bool is_around(const widener *w, const sir_stmt *s)
{
    if (is_same(w, s))
        return false;
    switch ((sir_stmt_kind)s->kind) {
    case SIR_FOR: return !w->varies[s->u.for_.local];
    case SIR_LOOP: return !expr_varies(w, s->u.loop.cond);
    case SIR_IF:
        return !expr_varies(w, s->u.if_.cond) &&
               (block_is_around(w, &s->u.if_.then) || block_is_around(w, &s->u.if_.otherwise));
    default: return false;
    }
}

// So does what is done once for all columns: a lane may not do it again.
static bool block_is_around(const widener *w, const sir_block *b)
{
    for (size_t i = 0; i < b->len; i++)
        if (is_same(w, b->data[i]) || is_around(w, b->data[i]))
            return true;
    return false;
}

// ---- Loops that lanes leave at different times ----

typedef struct leaver {
    const widener *w;
    bool good;
} leaver;

static bool is_vector_math(const widener *w, lang_math_op op)
{
    switch (op) {
    case LANG_MATH_SQRT:
    case LANG_MATH_ABS:
    case LANG_MATH_MAX:
    case LANG_MATH_MIN: return true;
    case LANG_MATH_FLOOR:
    case LANG_MATH_CEIL: return w->march; // some processors have no instruction for it
    default: return false;
    }
}

static void check_leaver_expr(void *context, sir_expr *e, bool written)
{
    leaver *l = context;
    (void)written;
    switch ((sir_expr_kind)e->kind) {
    case SIR_CONST:
    case SIR_LOCAL:
    case SIR_FIELD:
    case SIR_MEMBER:
    case SIR_UNARY:
    case SIR_SELECT:
    case SIR_CONVERT: return;
    case SIR_BINARY:
        if ((e->op == LANG_OP_DIV || e->op == LANG_OP_REM) && e->type->kind == SIR_INT)
            l->good = false;
        return;
    case SIR_MATH: l->good = l->good && is_vector_math(l->w, (lang_math_op)e->op); return;
    case SIR_FETCH: l->good = l->good && !expr_varies(l->w, e); return;
    default: l->good = false;
    }
}

static void check_leaver_stmt(void *context, sir_stmt *s)
{
    leaver *l = context;
    if (s->kind != SIR_DECL && s->kind != SIR_SET && s->kind != SIR_IF)
        l->good = false;
    if (s->kind == SIR_SET && s->u.set.target->type->kind == SIR_STRUCT)
        l->good = false;
    sir_visit_exprs(s, check_leaver_expr, l);
}

// Whether a loop is one, and does nothing that vectors cannot.
static bool is_left(const widener *w, const sir_stmt *s)
{
    if (!w->vectors || s->kind != SIR_LOOP || !expr_varies(w, s->u.loop.cond))
        return false;
    leaver l = {.w = w, .good = true};
    sir_visit_tree(s->u.loop.cond, false, check_leaver_expr, &l);
    sir_visit_stmts(&s->u.loop.pre, check_leaver_stmt, &l);
    sir_visit_stmts(&s->u.loop.body, check_leaver_stmt, &l);
    sir_visit_stmts(&s->u.loop.step, check_leaver_stmt, &l);
    return l.good;
}

// ---- Expressions of a lane ----

static sir_expr *lane_of(widener *w, sir_loc loc)
{
    return sir_ref(w->m, SIR_LOCAL, w->lane, w->m->scalar[SIR_INT], loc);
}

static sir_expr *element(widener *w, sir_expr *e)
{
    sir_expr *base =
        sir_ref(w->m, (sir_expr_kind)e->kind, e->index, sir_type_array(w->m, e->type, (uint32_t)w->lanes), e->loc);
    return sir_expr2(w->m, SIR_INDEX, 0, e->type, base, lane_of(w, e->loc), e->loc);
}

// A sum of places in the row, which are counted, and of what is the same in all columns; nothing in it stops the program.
static bool is_sum(const widener *w, const sir_expr *e, int *places)
{
    int none = 0;
    switch (e->kind) {
    case SIR_CONST: return true;
    case SIR_LOCAL: return !w->varies[e->index];
    case SIR_FIELD:
        *places += field_varies(w, e->index);
        return !field_varies(w, e->index) || w->from->fields.data[e->index].role == SIR_COORDINATE;
    case SIR_BINARY:
        if (e->op == LANG_OP_ADD)
            return is_sum(w, e->u.arg[0], places) && is_sum(w, e->u.arg[1], places);
        if (e->op == LANG_OP_SUB)
            return is_sum(w, e->u.arg[0], places) && is_sum(w, e->u.arg[1], &none) && none == 0;
        return e->op == LANG_OP_MUL && is_sum(w, e->u.arg[0], &none) && is_sum(w, e->u.arg[1], &none) && none == 0;
    default: return false;
    }
}

// Whether the lanes of a fetch lie side by side, in one row.
static bool is_in_row(const widener *w, const sir_expr *fetch)
{
    int places = 0;
    for (size_t i = 0; i + 1 < fetch->op; i++)
        if (expr_varies(w, fetch->u.arg[i]))
            return false;
    return is_sum(w, fetch->u.arg[fetch->op - 1], &places) && places == 1;
}

static bool is_run(const widener *w, const sir_expr *fetch)
{
    int64_t offset;
    if (w->info->near != SIR_NONE && body_near_offset(w->from, w->info->near, SIR_NONE, fetch, &offset))
        return false; // known to be inside as it is
    return is_in_row(w, fetch);
}

static void find_apart(void *context, sir_expr *e, bool written)
{
    widener *w = context;
    (void)written;
    for (size_t i = 0; e->kind == SIR_FETCH && i < e->op; i++)
        w->apart = w->apart || (expr_varies(w, e->u.arg[i]) && !is_in_row(w, e));
}

// Lanes that load one by one: many of them are no vectors for the C compiler.
static void find_aparts(void *context, sir_stmt *s)
{
    sir_visit_exprs(s, find_apart, context);
}

// Each lane has one.
static bool is_element(const sir_field *f)
{
    return f->role == SIR_INPUT || f->role == SIR_OUTPUT || f->role == SIR_ITERATOR;
}

static sir_expr *widen(widener *w, const sir_expr *from)
{
    if (from == NULL)
        return NULL;
    sir_expr *e = ARENA_NEW(w->m->arena, sir_expr);
    *e = *from;
    const uint32_t *own = w->own == NULL         ? NULL
                          : e->kind == SIR_LOCAL ? w->own
                          : e->kind == SIR_FIELD ? w->own_field
                                                 : NULL;
    if (own != NULL && own[e->index] != SIR_NONE)
        return sir_ref(w->m, SIR_LOCAL, own[e->index], e->type, e->loc);
    if (e->kind == SIR_LOCAL && w->spread[e->index])
        return element(w, e);
    if (e->kind == SIR_FIELD) {
        const sir_field *f = &w->from->fields.data[e->index];
        if (is_element(f))
            return element(w, e);
        if (field_varies(w, e->index))
            return sir_expr2(w->m, SIR_BINARY, LANG_OP_ADD, e->type, e, lane_of(w, e->loc), e->loc);
    }
    for (size_t i = 0; i < sir_expr_arity(e); i++)
        e->u.arg[i] = widen(w, from->u.arg[i]);
    if (e->kind == SIR_FETCH && is_run(w, from))
        VEC_PUSH(w->m->arena, &w->info->runs, (emit_lane_run){e, from->u.arg[from->op - 1]});
    return e;
}

// ---- Runs of statements ----

static void note_local(void *context, sir_expr *e, bool written)
{
    widener *w = context;
    (void)written;
    if (e->kind != SIR_LOCAL || !w->varies[e->index])
        return;
    if (w->group[e->index] == 0)
        w->group[e->index] = w->groups;
    else if (w->group[e->index] != w->groups)
        w->spread[e->index] = true;
}

static void note_locals(void *context, sir_stmt *s)
{
    widener *w = context;
    sir_visit_exprs(s, note_local, w);
    uint32_t declared = s->kind == SIR_DECL ? s->u.decl.local : s->kind == SIR_FOR ? s->u.for_.local : SIR_NONE;
    if (declared != SIR_NONE && w->varies[declared])
        note_local(w, &(sir_expr){.kind = SIR_LOCAL, .index = declared}, true);
}

static void widen_block(widener *w, const sir_block *from, sir_block *to);

static sir_expr *zero_of(widener *w, const sir_type *t, sir_loc loc)
{
    sir_scalar v;
    memset(&v, 0, sizeof v);
    return sir_const(w->m, t, v, loc);
}

// The statement with its parts widened; NULL: nothing is left of it.
static sir_stmt *widen_stmt(widener *w, const sir_stmt *from)
{
    sir_stmt *s = sir_stmt_new(w->m, (sir_stmt_kind)from->kind, from->loc);
    const sir_type *type;
    *s = *from;
    switch ((sir_stmt_kind)from->kind) {
    case SIR_DECL:
        s->u.decl.init = widen(w, from->u.decl.init);
        if (!w->spread[from->u.decl.local])
            return s;
        type = w->work->locals.data[from->u.decl.local].type;
        if (s->u.decl.uninitialised && !w->leaves) // lanes that have left a loop keep what they have
            return NULL;
        s->kind = SIR_SET;
        s->u.set.value = from->u.decl.init == NULL ? zero_of(w, type, s->loc) : widen(w, from->u.decl.init);
        s->u.set.target = element(w, sir_ref(w->m, SIR_LOCAL, from->u.decl.local, type, s->loc));
        return s;
    case SIR_SET:
        s->u.set.target = widen(w, from->u.set.target);
        s->u.set.value = widen(w, from->u.set.value);
        return s;
    case SIR_IF:
        s->u.if_.cond = widen(w, from->u.if_.cond);
        s->u.if_.then = s->u.if_.otherwise = (sir_block){0};
        widen_block(w, &from->u.if_.then, &s->u.if_.then);
        widen_block(w, &from->u.if_.otherwise, &s->u.if_.otherwise);
        return s;
    case SIR_FOR:
        s->u.for_.lo = widen(w, from->u.for_.lo);
        s->u.for_.hi = widen(w, from->u.for_.hi);
        s->u.for_.body = (sir_block){0};
        widen_block(w, &from->u.for_.body, &s->u.for_.body);
        return s;
    default: // a loop
        s->u.loop.cond = widen(w, from->u.loop.cond);
        s->u.loop.pre = s->u.loop.body = s->u.loop.step = (sir_block){0};
        widen_block(w, &from->u.loop.pre, &s->u.loop.pre);
        widen_block(w, &from->u.loop.body, &s->u.loop.body);
        widen_block(w, &from->u.loop.step, &s->u.loop.step);
        return s;
    }
}

static void widen_block(widener *w, const sir_block *from, sir_block *to)
{
    for (size_t i = 0; i < from->len; i++) {
        sir_stmt *s = widen_stmt(w, from->data[i]);
        if (s != NULL)
            VEC_PUSH(w->m->arena, to, s);
    }
}

static void group_block(widener *w, const sir_block *from, sir_block *to);

// What stays around lanes, with the blocks in it taken apart likewise.
static void group_around(widener *w, const sir_stmt *from, sir_block *to)
{
    sir_stmt *s = sir_stmt_new(w->m, (sir_stmt_kind)from->kind, from->loc);
    *s = *from;
    w->loops = w->loops || from->kind != SIR_IF;
    if (from->kind == SIR_IF) {
        s->u.if_.then = s->u.if_.otherwise = (sir_block){0};
        group_block(w, &from->u.if_.then, &s->u.if_.then);
        group_block(w, &from->u.if_.otherwise, &s->u.if_.otherwise);
    } else if (from->kind == SIR_FOR) {
        s->u.for_.body = (sir_block){0};
        group_block(w, &from->u.for_.body, &s->u.for_.body);
    } else {
        s->u.loop.pre = s->u.loop.body = s->u.loop.step = (sir_block){0};
        group_block(w, &from->u.loop.pre, &s->u.loop.pre);
        group_block(w, &from->u.loop.body, &s->u.loop.body);
        group_block(w, &from->u.loop.step, &s->u.loop.step);
    }
    VEC_PUSH(w->m->arena, to, s);
}

static sir_stmt *set(widener *w, sir_expr *target, sir_expr *value)
{
    sir_stmt *s = sir_stmt_new(w->m, SIR_SET, target->loc);
    s->u.set.target = target;
    s->u.set.value = value;
    return s;
}

static sir_stmt *declare(widener *w, uint32_t local, sir_expr *init, sir_loc loc)
{
    sir_stmt *s = sir_stmt_new(w->m, SIR_DECL, loc);
    s->u.decl.local = local;
    s->u.decl.init = init;
    s->u.decl.uninitialised = init == NULL;
    return s;
}

// "for lanes {}"
static sir_stmt *over_lanes(widener *w, sir_loc loc)
{
    sir_stmt *s = sir_stmt_new(w->m, SIR_FOR, loc);
    s->u.for_.local = w->lane;
    s->u.for_.lo = sir_const_int(w->m, 0, loc);
    s->u.for_.hi = sir_const_int(w->m, w->lanes, loc);
    s->u.for_.step = 1;
    return s;
}

// Whether lanes do different things in a run, all of which vectors can do: C compilers think that dear.
static void note_if(void *context, sir_stmt *s)
{
    bool *found = context;
    *found = *found || s->kind == SIR_IF;
}

static bool is_chosen(const widener *w, const sir_block *run)
{
    bool chooses = false;
    sir_visit_stmts(run, note_if, &chooses);
    if (!w->vectors || !chooses)
        return false;
    leaver l = {.w = w, .good = true};
    sir_visit_stmts(run, check_leaver_stmt, &l);
    return l.good;
}

// A run of statements as a loop over lanes.
static void group_run(widener *w, const sir_block *from, size_t begin, size_t end, sir_block *to)
{
    sir_block run = {0};
    for (size_t i = begin; i < end; i++)
        VEC_PUSH(w->m->arena, &run, from->data[i]);
    w->groups++;
    sir_visit_stmts(&run, note_locals, w);
    if (w->to == NULL)
        return;
    sir_stmt *s = over_lanes(w, run.data[0]->loc);
    widen_block(w, &run, &s->u.for_.body);
    if (s->u.for_.body.len == 0)
        return;
    VEC_PUSH(w->m->arena, to, s);
    if (is_chosen(w, &run))
        VEC_PUSH(w->m->arena, &w->info->independent, s);
}

typedef struct owner {
    widener *w;
    bool *local, *field; // used in the loop
} owner;

static void note_owned(void *context, sir_expr *e, bool written)
{
    owner *o = context;
    (void)written;
    if (e->kind == SIR_LOCAL && o->w->spread[e->index])
        o->local[e->index] = true;
    if (e->kind == SIR_FIELD && is_element(&o->w->from->fields.data[e->index]))
        o->field[e->index] = true;
}

static void note_all_owned(void *context, sir_stmt *s)
{
    sir_visit_exprs(s, note_owned, context);
}

// Whether nothing of a local comes from a round to the next: the first that each does with it is to set it.
static bool begins_anew(const sir_stmt *loop, uint32_t local)
{
    const bool post = loop->u.loop.post_test;
    const sir_block *blocks[] = {post ? &loop->u.loop.body : &loop->u.loop.pre,
                                 post ? &loop->u.loop.pre : &loop->u.loop.body, &loop->u.loop.step};
    for (size_t i = 0; i < 3; i++) {
        for (VEC_EACH(sir_stmt *const, s, blocks[i])) {
            if (sir_count_local(&(sir_block){(sir_stmt **)s, 1, 1}, local) == 0)
                continue;
            const bool sets =
                (*s)->kind == SIR_SET && (*s)->u.set.target->kind == SIR_LOCAL && (*s)->u.set.target->index == local;
            return sets && sir_count_local_in((*s)->u.set.value, local) == 0;
        }
        if (i == post && sir_count_local_in(loop->u.loop.cond, local) != 0)
            return false;
    }
    return false;
}

// What lanes have of their own in a loop: loaded before, stored behind.
static void own(widener *w, const sir_stmt *loop, sir_block *before, sir_block *behind)
{
    sir_module *m = w->m;
    const size_t locals = w->work->locals.len, fields = w->from->fields.len;
    owner o = {w, ARENA_ARRAY(m->arena, bool, locals + 1), ARENA_ARRAY(m->arena, bool, fields + 1)};
    sir_block run = {0};
    VEC_PUSH(m->arena, &run, (sir_stmt *)loop);
    sir_visit_stmts(&run, note_all_owned, &o);
    uint32_t *own_local = ARENA_ARRAY(m->arena, uint32_t, locals + 1),
             *own_field = ARENA_ARRAY(m->arena, uint32_t, fields + 1);
    for (uint32_t i = 0; i < locals + fields; i++) {
        const bool is_field = i >= locals;
        const uint32_t index = is_field ? i - (uint32_t)locals : i;
        uint32_t *to = is_field ? &own_field[index] : &own_local[index];
        *to = SIR_NONE;
        if (!(is_field ? o.field[index] : o.local[index]))
            continue;
        const sir_type *type = is_field ? w->from->fields.data[index].type : w->work->locals.data[index].type;
        const char *name = is_field ? w->from->fields.data[index].name : w->work->locals.data[index].name;
        *to = sir_local_new(m, w->to, name, type, loop->loc);
        sir_expr *there = sir_ref(m, is_field ? SIR_FIELD : SIR_LOCAL, index, type, loop->loc);
        if (!is_field && begins_anew(loop, index) &&
            sir_count_local(&run, index) == sir_count_local(&w->work->body, index)) {
            VEC_PUSH(m->arena, before, declare(w, *to, NULL, loop->loc));
            continue;
        }
        VEC_PUSH(m->arena, before, declare(w, *to, element(w, there), loop->loc));
        if (!is_field || w->from->fields.data[index].role == SIR_OUTPUT)
            VEC_PUSH(m->arena, behind, set(w, element(w, there), sir_ref(m, SIR_LOCAL, *to, type, loop->loc)));
    }
    w->own = own_local;
    w->own_field = own_field;
}

// "if alive { pre; if cond { body; step } else { alive = 0 } }", or with the body first.
static sir_stmt *round_of(widener *w, const sir_stmt *loop, sir_expr *alive)
{
    sir_module *m = w->m;
    const sir_loc loc = loop->loc;
    sir_stmt *outer = sir_stmt_new(m, SIR_IF, loc), *inner = sir_stmt_new(m, SIR_IF, loc);
    outer->u.if_.cond =
        sir_expr2(m, SIR_BINARY, LANG_OP_NE, m->scalar[SIR_BOOLEAN], alive, sir_const_int(m, 0, loc), loc);
    const bool post = loop->u.loop.post_test;
    if (post)
        widen_block(w, &loop->u.loop.body, &outer->u.if_.then);
    widen_block(w, &loop->u.loop.pre, &outer->u.if_.then);
    inner->u.if_.cond = widen(w, loop->u.loop.cond);
    if (!post)
        widen_block(w, &loop->u.loop.body, &inner->u.if_.then);
    widen_block(w, &loop->u.loop.step, &inner->u.if_.then);
    sir_stmt *leave = set(w, alive, sir_const_int(m, 0, loc));
    if (inner->u.if_.then.len > 0) {
        VEC_PUSH(m->arena, &inner->u.if_.otherwise, leave);
    } else {
        inner->u.if_.cond = sir_expr1(m, SIR_UNARY, LANG_OP_NOT, m->scalar[SIR_BOOLEAN], inner->u.if_.cond, loc);
        VEC_PUSH(m->arena, &inner->u.if_.then, leave);
    }
    VEC_PUSH(m->arena, &outer->u.if_.then, inner);
    return outer;
}

// The loop goes round until all lanes have left it: NOTE(lanes that leave).
static void group_left(widener *w, const sir_stmt *loop, sir_block *to)
{
    sir_module *m = w->m;
    const sir_loc loc = loop->loc;
    sir_block run = {0};
    VEC_PUSH(m->arena, &run, (sir_stmt *)loop);
    w->groups++;
    sir_visit_stmts(&run, note_locals, w);
    w->loops = w->leaves = true;
    if (w->to == NULL)
        return;
    const sir_type *number = m->scalar[SIR_INT];
    uint32_t live = sir_local_new(m, w->to, "live", sir_type_array(m, number, (uint32_t)w->lanes), loc),
             any = sir_local_new(m, w->to, "any", number, loc), alive = sir_local_new(m, w->to, "alive", number, loc);
    sir_expr *there = element(w, sir_ref(m, SIR_LOCAL, live, number, loc)),
             *here = sir_ref(m, SIR_LOCAL, alive, number, loc), *some = sir_ref(m, SIR_LOCAL, any, number, loc);
    sir_stmt *begin = over_lanes(w, loc), *around = sir_stmt_new(m, SIR_LOOP, loc), *lanes = over_lanes(w, loc);
    VEC_PUSH(m->arena, &begin->u.for_.body, set(w, there, sir_const_int(m, 1, loc)));
    around->u.loop.cond =
        sir_expr2(m, SIR_BINARY, LANG_OP_NE, m->scalar[SIR_BOOLEAN], some, sir_const_int(m, 0, loc), loc);
    sir_block behind = {0}, *body = &lanes->u.for_.body;
    VEC_PUSH(m->arena, body, declare(w, alive, there, loc));
    own(w, loop, body, &behind);
    VEC_PUSH(m->arena, body, round_of(w, loop, here));
    w->own = w->own_field = NULL;
    for (VEC_EACH(sir_stmt *const, s, &behind))
        VEC_PUSH(m->arena, body, *s);
    VEC_PUSH(m->arena, body, set(w, there, here));
    VEC_PUSH(m->arena, body, set(w, some, sir_expr2(m, SIR_BINARY, LANG_OP_OR, number, some, here, loc)));
    VEC_PUSH(m->arena, &around->u.loop.body, set(w, some, sir_const_int(m, 0, loc)));
    VEC_PUSH(m->arena, &around->u.loop.body, lanes);
    VEC_PUSH(m->arena, to, declare(w, live, NULL, loc));
    VEC_PUSH(m->arena, to, begin);
    VEC_PUSH(m->arena, to, declare(w, any, sir_const_int(m, 1, loc), loc));
    VEC_PUSH(m->arena, to, around);
    VEC_PUSH(m->arena, &w->info->independent, lanes);
}

// ---- What few lanes do ----

static void note_dear(void *context, sir_expr *e, bool written)
{
    bool *found = context;
    (void)written;
    *found = *found || (e->kind == SIR_BINARY && e->op == LANG_OP_DIV) ||
             (e->kind == SIR_MATH && e->op != LANG_MATH_ABS && e->op != LANG_MATH_MAX && e->op != LANG_MATH_MIN);
}

static void note_all_dear(void *context, sir_stmt *s)
{
    sir_visit_exprs(s, note_dear, context);
}

// Whether a statement is worth being left out where no lane does it.
static bool is_dear(const widener *w, const sir_stmt *s)
{
    bool dear = false;
    if (!w->vectors || s->kind != SIR_IF || s->u.if_.otherwise.len > 0 || !expr_varies(w, s->u.if_.cond))
        return false;
    sir_visit_stmts(&s->u.if_.then, note_all_dear, &dear);
    sir_block run = {0};
    VEC_PUSH(w->m->arena, &run, (sir_stmt *)s);
    return dear && is_chosen(w, &run);
}

// "some = 0; for lanes { chosen = cond; some |= chosen } if (some) for lanes if (chosen) { .. }"
static void group_dear(widener *w, const sir_stmt *from, sir_block *to)
{
    sir_module *m = w->m;
    const sir_loc loc = from->loc;
    sir_block run = {0};
    VEC_PUSH(m->arena, &run, (sir_stmt *)from);
    w->groups++;
    sir_visit_stmts(&run, note_locals, w);
    if (w->to == NULL)
        return;
    const sir_type *number = m->scalar[SIR_INT], *truth = m->scalar[SIR_BOOLEAN];
    uint32_t chosen = sir_local_new(m, w->to, "chosen", sir_type_array(m, number, (uint32_t)w->lanes), loc),
             any = sir_local_new(m, w->to, "some", number, loc);
    sir_expr *there = element(w, sir_ref(m, SIR_LOCAL, chosen, number, loc)),
             *some = sir_ref(m, SIR_LOCAL, any, number, loc), *zero = sir_const_int(m, 0, loc);
    sir_stmt *ask = over_lanes(w, loc), *around = sir_stmt_new(m, SIR_IF, loc), *lanes = over_lanes(w, loc),
             *inner = sir_stmt_new(m, SIR_IF, loc);
    sir_expr *value = ARENA_NEW(m->arena, sir_expr);
    *value = (sir_expr){.kind = SIR_SELECT, .type = number, .loc = loc};
    value->u.arg[0] = widen(w, from->u.if_.cond);
    value->u.arg[1] = sir_const_int(m, 1, loc);
    value->u.arg[2] = zero;
    VEC_PUSH(m->arena, &ask->u.for_.body, set(w, there, value));
    VEC_PUSH(m->arena, &ask->u.for_.body, set(w, some, sir_expr2(m, SIR_BINARY, LANG_OP_OR, number, some, there, loc)));
    inner->u.if_.cond = sir_expr2(m, SIR_BINARY, LANG_OP_NE, truth, there, zero, loc);
    widen_block(w, &from->u.if_.then, &inner->u.if_.then);
    VEC_PUSH(m->arena, &lanes->u.for_.body, inner);
    around->u.if_.cond = sir_expr2(m, SIR_BINARY, LANG_OP_NE, truth, some, zero, loc);
    VEC_PUSH(m->arena, &around->u.if_.then, lanes);
    VEC_PUSH(m->arena, to, declare(w, chosen, NULL, loc));
    VEC_PUSH(m->arena, to, declare(w, any, zero, loc));
    VEC_PUSH(m->arena, to, ask);
    VEC_PUSH(m->arena, to, around);
    VEC_PUSH(m->arena, &w->info->independent, lanes);
}

// ---- Fetches from anywhere ----

static bool is_taken(const widener *w, const sir_stmt *s)
{
    return w->taken.local != NULL && s->kind == SIR_DECL && w->taken.local[s->u.decl.local];
}

// Whether an int is made of bits of places in the row and of what is the same in all columns: NOTE(turned).
static bool is_of_bits(const widener *w, const sir_expr *e)
{
    if (e->type->kind != SIR_INT || !expr_varies(w, e))
        return e->type->kind == SIR_INT;
    if (e->kind == SIR_FIELD)
        return is_place(w, e->index);
    if (e->kind == SIR_UNARY)
        return e->op == LANG_OP_COMPL && is_of_bits(w, e->u.arg[0]);
    return e->kind == SIR_BINARY && (e->op == LANG_OP_AND || e->op == LANG_OP_OR || e->op == LANG_OP_XOR) &&
           is_of_bits(w, e->u.arg[0]) && is_of_bits(w, e->u.arg[1]);
}

// Such an int with lanes for places; `place` gets the field of these.
static sir_expr *of_lanes(widener *w, const sir_expr *from, uint32_t *place)
{
    if (from->kind == SIR_FIELD && is_place(w, from->index)) {
        *place = from->index;
        return lane_of(w, from->loc);
    }
    sir_expr *e = ARENA_NEW(w->m->arena, sir_expr);
    *e = *from;
    for (size_t i = 0; i < sir_expr_arity(e); i++)
        e->u.arg[i] = of_lanes(w, from->u.arg[i], place);
    return e;
}

// Whether the elements of as many lanes as svm_brookTakeTurned takes are in one row, in an order of their own.
static bool is_order(const widener *w, const sir_expr *fetch)
{
    if (w->many)
        return false;
    for (size_t i = 0; i + 1 < fetch->op; i++)
        if (expr_varies(w, fetch->u.arg[i]))
            return false;
    return is_of_bits(w, fetch->u.arg[fetch->op - 1]);
}

// "for lanes { turned = .. } if (!take them) {}"; gives the if, whose block is empty.
static sir_stmt *group_turned(widener *w, const sir_expr *fetch, emit_lane_take *take, sir_block *to)
{
    sir_module *m = w->m;
    const sir_loc loc = fetch->loc;
    const sir_type *number = m->scalar[SIR_INT], *all = sir_type_array(m, number, (uint32_t)w->lanes);
    sir_stmt *lanes = over_lanes(w, loc), *otherwise = sir_stmt_new(m, SIR_IF, loc);
    take->turned = sir_local_new(m, w->to, "turned", all, loc);
    sir_expr *from = ARENA_NEW(m->arena, sir_expr), *bits = of_lanes(w, fetch->u.arg[fetch->op - 1], &take->coordinate);
    *from = *fetch;
    from->type = number;
    otherwise->u.if_.cond = sir_expr2(m, SIR_BINARY, LANG_OP_NE, m->scalar[SIR_BOOLEAN],
                                      sir_ref(m, SIR_LOCAL, take->turned, all, loc), from, loc);
    take->fails = otherwise->u.if_.cond;
    VEC_PUSH(m->arena, &lanes->u.for_.body, set(w, element(w, sir_ref(m, SIR_LOCAL, take->turned, number, loc)), bits));
    VEC_PUSH(m->arena, to, declare(w, take->turned, NULL, loc));
    VEC_PUSH(m->arena, to, lanes);
    VEC_PUSH(m->arena, to, otherwise);
    return otherwise;
}

// So many of the statements from one on fetch from anywhere that their places are found in one loop: none needs what another
// one took.
static size_t count_taken(const widener *w, const sir_block *from, size_t begin)
{
    const sir_expr *first = from->data[begin]->u.decl.init;
    size_t end = begin + 1;
    for (; !is_order(w, first) && end < from->len && is_taken(w, from->data[end]); end++) {
        const sir_expr *fetch = from->data[end]->u.decl.init;
        for (size_t i = begin; i < end; i++)
            if (sir_count_local_in((sir_expr *)fetch, from->data[i]->u.decl.local) > 0)
                return end - begin;
        if (is_order(w, fetch))
            break;
    }
    return end - begin;
}

// "for lanes { places = .. } take": NOTE(takes).
static void group_taken(widener *w, const sir_block *from, size_t begin, size_t end, sir_block *to)
{
    sir_module *m = w->m;
    const sir_loc loc = from->data[begin]->loc;
    sir_block run = {0}, takes = {0};
    for (size_t i = begin; i < end; i++)
        VEC_PUSH(m->arena, &run, from->data[i]);
    w->groups++;
    sir_visit_stmts(&run, note_locals, w);
    for (size_t i = begin; i < end; i++)
        w->spread[from->data[i]->u.decl.local] = true;
    if (w->to == NULL)
        return;
    const sir_type *number = m->scalar[SIR_INT], *all = sir_type_array(m, number, (uint32_t)w->lanes);
    sir_stmt *lanes = over_lanes(w, loc);
    for (size_t i = begin; i < end; i++) {
        const uint32_t local = from->data[i]->u.decl.local, places = sir_local_new(m, w->to, "places", all, loc);
        const sir_expr *fetch = from->data[i]->u.decl.init;
        sir_expr *place = widen(w, fetch);
        place->type = number;
        sir_stmt *take = set(w, sir_ref(m, SIR_LOCAL, local, all, loc), sir_ref(m, SIR_LOCAL, places, all, loc));
        VEC_PUSH(m->arena, &lanes->u.for_.body, set(w, element(w, sir_ref(m, SIR_LOCAL, places, number, loc)), place));
        emit_lane_take taken = {.place = place, .stmt = take, .places = places, .taken = local};
        if (is_order(w, fetch))
            to = &group_turned(w, fetch, &taken, to)->u.if_.then;
        VEC_PUSH(m->arena, to, declare(w, places, NULL, loc));
        VEC_PUSH(m->arena, &takes, take);
        VEC_PUSH(m->arena, &w->info->takes, taken);
    }
    VEC_PUSH(m->arena, to, lanes);
    for (VEC_EACH(sir_stmt *const, take, &takes))
        VEC_PUSH(m->arena, to, *take);
}

static void group_block(widener *w, const sir_block *from, sir_block *to)
{
    for (size_t i = 0; i < from->len;) {
        if (is_taken(w, from->data[i])) {
            const size_t count = count_taken(w, from, i);
            group_taken(w, from, i, i + count, to);
            i += count;
            continue;
        }
        if (is_same(w, from->data[i])) {
            VEC_PUSH(w->m->arena, to, from->data[i++]);
            continue;
        }
        if (is_around(w, from->data[i])) {
            group_around(w, from->data[i++], to);
            continue;
        }
        if (is_left(w, from->data[i])) {
            group_left(w, from->data[i++], to);
            continue;
        }
        if (is_dear(w, from->data[i])) {
            group_dear(w, from->data[i++], to);
            continue;
        }
        size_t begin = i;
        while (i < from->len && !is_same(w, from->data[i]) && !is_around(w, from->data[i]) &&
               !is_left(w, from->data[i]) && !is_dear(w, from->data[i]) && !is_taken(w, from->data[i]))
            i++;
        group_run(w, from, begin, i, to);
    }
}

// ---- Is it possible, and worth it? ----

enum { MOST_LANES = 64, LEAST_LANES = 8, USUAL = 32 };

// Floats that half of the registers of each processor have, as far as they are known; without an own -march the C
// compiler takes those that every processor has.
static int room_of(const finite_emitter *all)
{
    const hlc_config *config = all->x.p->config;
    if (all->direct.len > 0 && (config == NULL || !config->march))
        return USUAL;
    int room = all->local.len + all->direct.len > 0 ? MOST_LANES : USUAL;
    for (size_t i = 0; i < all->local.len + all->direct.len; i++) {
        const machine_processor *p =
            (i < all->local.len ? all->local.data[i] : all->direct.data[i - all->local.len])->processor;
        uint64_t floats = machine_vector_bytes(p) / sizeof(float) * p->registers / 2;
        int own = floats == 0 ? USUAL : floats > MOST_LANES ? MOST_LANES : (int)floats;
        room = own < room ? own : room;
    }
    return room;
}

// Whether processors that kernels run on as a rule do some floats at a time: without, a lane that has left a loop costs as
// much as one that has not.
static bool have_vectors(const finite_emitter *all)
{
    enum { FEW = 4 };
    const bool local = all->local.len > 0;
    bool good = true;
    for (size_t i = 0; i < (local ? all->local.len : all->direct.len); i++)
        good = good && machine_vector_bytes((local ? all->local.data[i] : all->direct.data[i])->processor) >=
                           FEW * sizeof(float);
    return good;
}

// Two vectors of the smallest.
static int few_lanes(const finite_emitter *all)
{
    int few = 16;
    for (size_t i = 0; i < all->local.len + all->direct.len; i++) {
        const machine_processor *p =
            (i < all->local.len ? all->local.data[i] : all->direct.data[i - all->local.len])->processor;
        int own = 2 * (int)(machine_vector_bytes(p) / sizeof(float));
        few = own < few ? own : few;
    }
    return few < LEAST_LANES ? LEAST_LANES : few;
}

// Scalars that are spread, of those that are `counted` (NULL: all); false: something is spread that is none.
static bool count_carried(widener *w, const bool *counted)
{
    for (size_t i = 0; i < w->work->locals.len; i++) {
        const sir_type *t = w->work->locals.data[i].type;
        if (!w->spread[i])
            continue;
        if (t->kind == SIR_ARRAY || t->kind == SIR_STRUCT || t->kind == SIR_COMPLEX)
            return false;
        if (counted == NULL || counted[i])
            w->carried += t->kind == SIR_DOUBLE ? 2 : 1;
    }
    return true;
}

// Lanes such that what lives from run to run stays in registers; 0: it does not.
static int choose_lanes(widener *w, int room)
{
    if (!count_carried(w, NULL))
        return 0;
    for (VEC_EACH(const sir_field, f, &w->from->fields))
        w->carried += f->role == SIR_OUTPUT && (w->work == w->from->work || f->type->kind != SIR_STRUCT);
    int lanes = MOST_LANES;
    while (lanes > LEAST_LANES && (lanes > room || lanes * w->carried > 2 * room))
        lanes /= 2;
    return lanes * w->carried > 2 * room ? 0 : lanes;
}

// Which locals vary; false: it cannot be told.
static bool find_varying(widener *w)
{
    arena *a = w->m->arena;
    size_t n = w->work->locals.len + 1;
    w->varies = ARENA_ARRAY(a, bool, n);
    w->spread = ARENA_ARRAY(a, bool, n);
    w->group = ARENA_ARRAY(a, uint32_t, n);
    for (VEC_EACH(const sir_field, f, &w->from->fields))
        if (f->role == SIR_REDUCED || f->role == SIR_VARIABLE)
            return false;
    do {
        w->changed = false;
        find_in_block(w, &w->work->body, false);
    } while (w->changed && !w->impossible);
    return !w->impossible;
}

static bool is_far(const void *context, const sir_expr *e)
{
    const widener *w = context;
    const sir_field *f = &w->from->fields.data[e->index];
    const uint32_t near = w->info->near;
    int64_t offset;
    bool varies = false;
    for (size_t i = 0; i < e->op; i++)
        varies = varies || expr_varies(w, e->u.arg[i]);
    return varies && f->type->kind == SIR_FLOAT && f->stored == NULL && !is_in_row(w, e) &&
           (near == SIR_NONE || !(body_near_offset(w->from, near, SIR_NONE, e, &offset) ||
                                  body_turned_offset(w->from, near, SIR_NONE, e, &offset)));
}

// As many as svm_brookTake looks at together; or so many that places are in memory when they are loaded from there one by
// one, but not all of the first cache is full of them.
static int lanes_of_takes(const widener *w)
{
    enum { LEAST = 64, PLACES = 256 };
    int lanes = w->many ? LEAST : EMIT_TAKEN;
    while (w->many && 2 * lanes * (int)w->taken.count <= PLACES)
        lanes *= 2;
    return lanes;
}

static bool has_structs(const widener *w)
{
    for (VEC_EACH(const sir_field, f, &w->from->fields))
        if (is_element(f) && f->type->kind == SIR_STRUCT)
            return true;
    return false;
}

static bool has_order(const widener *w)
{
    for (VEC_EACH(sir_stmt *const, s, &w->work->body))
        if (is_taken(w, *s) && is_order(w, (*s)->u.decl.init))
            return true;
    return false;
}

// Many: as many as are loaded well where they are not near each other; else as few as svm_brookTake looks at together. Of
// what goes round it is not known to gain.
static bool analyse_takes(widener *w, bool many)
{
    finite_taken taken;
    if (!w->march || !find_varying(w))
        return false;
    for (VEC_EACH(const sir_field, f, &w->from->fields)) {
        if (!is_element(f) || f->type->kind != SIR_STRUCT)
            continue;
        if (!many || f->role != SIR_INPUT || f->stored != NULL) // members would be apart
            return false;
    }
    w->work = finite_take(w->m, w->work, is_far, is_place, w, &taken);
    if (w->work == NULL || !find_varying(w))
        return false;
    w->taken = taken;
    if (many && has_order(w) && !has_structs(w))
        return false;
    w->many = many;
    sir_block unused = {0};
    group_block(w, &w->work->body, &unused);
    for (size_t i = 0; i < w->work->locals.len; i++) {
        const sir_type *t = w->work->locals.data[i].type;
        if (w->spread[i] && (t->kind == SIR_ARRAY || t->kind == SIR_STRUCT || t->kind == SIR_COMPLEX))
            return false;
    }
    w->lanes = lanes_of_takes(w);
    return !w->loops;
}

static bool analyse(widener *w, int room, int few)
{
    if (!find_varying(w))
        return false;
    sir_block unused = {0};
    group_block(w, &w->work->body, &unused);
    if (!w->loops)
        return false;
    w->lanes = choose_lanes(w, room);
    sir_visit_stmts(&w->work->body, find_aparts, w);
    w->lanes = (w->apart || w->leaves) && w->lanes > few ? few : w->lanes;
    return w->lanes != 0;
}

// Arrays come to life before everything.
static void declare_arrays(widener *w)
{
    for (size_t i = 0; i < w->work->locals.len; i++) {
        if (!w->spread[i])
            continue;
        sir_local *local = &w->to->locals.data[i];
        if (local->type->kind == SIR_BOOLEAN) // as wide as what lanes compare
            local->type = w->m->scalar[SIR_INT];
        local->type = sir_type_array(w->m, local->type, (uint32_t)w->lanes);
        sir_stmt *s = sir_stmt_new(w->m, SIR_DECL, local->loc);
        s->u.decl.local = (uint32_t)i;
        s->u.decl.uninitialised = true;
        VEC_PUSH(w->m->arena, &w->to->body, s);
    }
}

static sir_filter *wide_filter(widener *w)
{
    sir_filter *f = ARENA_NEW(w->m->arena, sir_filter);
    *f = *w->from;
    memset(&f->fields, 0, sizeof f->fields);
    for (VEC_EACH(const sir_field, field, &w->from->fields)) {
        VEC_PUSH(w->m->arena, &f->fields, *field);
        if (is_element(field))
            VEC_LAST(&f->fields).type = sir_type_array(w->m, field->type, (uint32_t)w->lanes);
    }
    f->work = w->to;
    return f;
}

static widener begin(finite_graph *g, const sir_function *work)
{
    widener w = {.m = (sir_module *)g->x->m, .from = g->filter, .work = work, .info = g->info};
    w.vectors = have_vectors(g->all);
    w.march = g->x->p->config != NULL && g->x->p->config->march;
    return w;
}

// The function; "4 rows of " is in its comment, "4x" in its name.
static emit_signature emit_function(finite_graph *g, widener *w, const char *rows, const char *times)
{
    emitter *e = &g->x->e;
    emit_filter_info *info = ARENA_NEW(e->arena, emit_filter_info);
    *info = *w->info;
    w->info = info;
    w->to = ARENA_NEW(w->m->arena, sir_function);
    *w->to = *w->work;
    memset(&w->to->locals, 0, sizeof w->to->locals);
    memset(&w->to->body, 0, sizeof w->to->body);
    for (VEC_EACH(const sir_local, local, &w->work->locals))
        VEC_PUSH(w->m->arena, &w->to->locals, *local);
    w->lane = sir_local_new(w->m, w->to, "lane", w->m->scalar[SIR_INT], (sir_loc){0});
    declare_arrays(w);
    w->groups = 0;
    group_block(w, &w->work->body, &w->to->body);
    info->filter = wide_filter(w);
    info->lanes = w->lanes;
    info->lane = w->lane;
    const char *name = emit_unique_name(e, arena_printf(e->arena, "%s_fire_%s%d", g->info->c_name, times, w->lanes));
    text_line(g->x, 0, "/* %s%d firings of neighbouring columns, side by side. */", rows, w->lanes);
    return emit_fire_function(e, info, w->to, name, (emit_view){0}, (emit_view){0});
}

// What it takes, too.
static void emit_wide(finite_graph *g, widener *w)
{
    g->wide = emit_function(g, w, "", "");
    g->lanes = w->lanes;
    memset(&g->takes, 0, sizeof g->takes);
    for (VEC_EACH(const emit_lane_take, t, &w->info->takes))
        VEC_PUSH(g->x->e.arena, &g->takes, t->place->index);
    g->whole = w->taken.whole;
}

bool finite_widen_rows(finite_graph *g, emit_filter_info *info, const sir_function *work, finite_in_loops in_loops,
                       uint64_t room)
{
    const char *times = arena_printf(g->x->e.arena, "%dx", info->rows);
    widener w = begin(g, work);
    sir_block unused = {0};
    w.info = info;
    w.from = info->filter;
    if (!find_varying(&w))
        return false;
    group_block(&w, &work->body, &unused);
    sir_visit_stmts(&work->body, find_aparts, &w);
    if (!w.loops || w.leaves || w.apart || !count_carried(&w, in_loops.local))
        return false;
    const uint64_t carried = (uint64_t)(w.carried + in_loops.outputs);
    w.lanes = MOST_LANES;
    while (w.lanes > LEAST_LANES && (uint64_t)w.lanes * carried > room)
        w.lanes /= 2;
    if ((uint64_t)w.lanes * carried > room)
        return false;
    g->tile = emit_function(g, &w, arena_printf(g->x->e.arena, "%d rows of ", info->rows), times);
    g->tile_lanes = w.lanes;
    return true;
}

void finite_lanes(finite_graph *g)
{
    emitter *e = &g->x->e;
    bool off = g->x->p->config != NULL && g->x->p->config->no_lanes;
    if (off || e->keep_names || e->line_directives)
        return;
    widener w = begin(g, finite_parted((sir_module *)g->x->m, g->filter));
    bool good = analyse(&w, room_of(g->all), few_lanes(g->all));
    if (!good && w.work != g->filter->work) {
        w = begin(g, g->filter->work);
        good = analyse(&w, room_of(g->all), few_lanes(g->all));
    }
    if (good)
        emit_wide(g, &w);
    if (good && g->all->local.len == 0 && !e->check_bounds)
        finite_find_tiles(g, w.work);
    if (good || g->all->local.len > 0 || e->check_bounds)
        return;
    w = begin(g, g->filter->work);
    if (analyse_takes(&w, false))
        emit_wide(g, &w);
    w = begin(g, g->filter->work);
    if (analyse_takes(&w, true)) {
        finite_swap_lanes(g);
        emit_wide(g, &w);
    }
}
