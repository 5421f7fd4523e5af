// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floats that are whole numbers by how they are made, as ints: subscripts of gathers need no rounding then.
//
// NOTE(whole). An int stands for a float if both are the same number, or both lie beyond the same end of all streams. So
// it finds the same element. Floats are exact up to 2^24: up to there the two are the same, and what is beyond stays
// beyond under what is done to it here, but for small constants, whose sum is the slack of an expression. A dimension of
// a stream has fewer than 2^24 elements less the slack; of a longer one, the int is the exact number.
// NOTE(counters). A local to which only whole numbers are assigned, and which otherwise goes in whole steps to one side,
// has an int local beside it, which takes the same values. A float that goes up by ones stays at 2^24; so does the int,
// unless a loop's constant bound comes before.
#include "hlc/brook/lower.h"

#include <math.h>
#include <string.h>

enum { LIMIT = 1 << 24, MOST_STEP = 1 << 15, MOST_SLACK = 1 << 16, MOST_INT = 1 << 30 };

// ---- Ranges ----

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static bool is_whole(double v, int64_t limit)
{
    return v == floor(v) && fabs(v) < (double)limit;
}

static bool is_exact(brook_range r)
{
    return r.lo >= -LIMIT && r.hi <= LIMIT && r.slack == 0;
}

static brook_range negated(brook_range r)
{
    return (brook_range){.lo = -r.hi, .hi = -r.lo, .slack = r.slack};
}

// How far a number beyond an end may come back.
static int64_t come_back(brook_range beyond, brook_range by)
{
    return most(beyond.hi > LIMIT ? most(-by.lo, 0) : 0, beyond.lo < -LIMIT ? most(by.hi, 0) : 0);
}

// The range of a result; false: the int would not stand for the float.
static bool combine(int op, brook_range a, brook_range b, brook_range *r)
{
    if (op == LANG_OP_SUB)
        b = negated(b);
    if (op == LANG_OP_MUL) {
        if (a.lo == a.hi) {
            brook_range c = a;
            a = b;
            b = c;
        }
        if (b.lo != b.hi || b.lo > MOST_STEP || b.lo < -MOST_STEP)
            return false;
        *r = (brook_range){
            .lo = least(a.lo * b.lo, a.hi * b.lo), .hi = most(a.lo * b.lo, a.hi * b.lo), .slack = a.slack + b.slack};
    } else if (op == LANG_OP_ADD || op == LANG_OP_SUB) {
        *r = (brook_range){
            .lo = a.lo + b.lo, .hi = a.hi + b.hi, .slack = a.slack + b.slack + come_back(a, b) + come_back(b, a)};
    } else {
        return false;
    }
    return r->lo >= -MOST_INT && r->hi <= MOST_INT && r->slack <= MOST_SLACK;
}

// ---- What is assigned to locals ----

typedef struct fact {
    bool wanted;                    // a subscript may need it
    bool wrong;                     // something is assigned that is not seen through
    bool busy, decided;             // range_of_var
    bool up, down, free;            // it goes up; down; where no loop's bound was asked before
    int64_t step, steps, high, low; // the largest step; all together; bounds of loops
    VEC(const brook_expr *) values;
    brook_whole whole;
} fact;

typedef struct finder {
    brook_lowering *L;
    fact *facts;             // by variable
    const brook_expr *guard; // of a loop whose step is looked at
    bool subscript;          // inside of one, or of an argument
    bool changed;
} finder;

static bool range_of_var(finder *f, const brook_var *v, brook_range *r);

static bool is_float(brook_type t)
{
    return t.element == BROOK_FLOAT && t.width == 1;
}

static bool literal(const brook_expr *e, double *v)
{
    bool minus = e->kind == BROOK_EXPR_UNARY && e->u.unary.op == LANG_OP_NEG;
    const brook_expr *number = minus ? e->u.unary.operand : e;
    if (number->kind != BROOK_EXPR_NUMBER)
        return false;
    *v = minus ? -number->u.number : number->u.number;
    return true;
}

static bool range_of(finder *f, const brook_expr *e, brook_range *r)
{
    double v;
    if (!is_float(e->type))
        return false;
    if (literal(e, &v)) {
        if (is_whole(v, LIMIT))
            *r = (brook_range){.lo = (int64_t)v, .hi = (int64_t)v};
        return is_whole(v, LIMIT);
    }
    brook_range a, b;
    switch (e->kind) {
    case BROOK_EXPR_NAME: return range_of_var(f, e->u.name.var, r);
    case BROOK_EXPR_MEMBER:
        *r = (brook_range){.lo = 0, .hi = LIMIT};
        return e->u.member.base->kind == BROOK_EXPR_INDEXOF;
    case BROOK_EXPR_BINARY:
        return range_of(f, e->u.binary.left, &a) && range_of(f, e->u.binary.right, &b) &&
               combine(e->u.binary.op, a, b, r);
    default: return false;
    }
}

static bool find_range(finder *f, fact *k, brook_range *r)
{
    *r = (brook_range){0};
    for (size_t i = 0; i < k->values.len; i++) {
        brook_range one = {0};
        const brook_expr *value = k->values.data[i]; // NULL: zero
        if (value != NULL && !range_of(f, value, &one))
            return false;
        if ((k->up || k->down) && !is_exact(one))
            return false;
        *r = i == 0 ? one
                    : (brook_range){
                          .lo = least(r->lo, one.lo), .hi = most(r->hi, one.hi), .slack = most(r->slack, one.slack)};
    }
    int64_t high = most(r->hi, k->high) + k->steps, low = least(r->lo, k->low) - k->steps;
    k->whole.up = k->up;
    k->whole.ends = (k->up || k->down) && (k->free || high > LIMIT || low < -LIMIT);
    if (k->up)
        r->hi = k->whole.ends ? LIMIT + k->step - 1 : high;
    if (k->down)
        r->lo = k->whole.ends ? -LIMIT - k->step + 1 : low;
    return !(k->up && k->down);
}

static bool range_of_var(finder *f, const brook_var *v, brook_range *r)
{
    fact *k = &f->facts[v->index];
    if (k->wrong || k->busy || v->kind != BROOK_LOCAL || !is_float(v->type))
        return false;
    if (!k->decided) {
        k->busy = true;
        k->wrong = !find_range(f, k, &k->whole.range);
        k->busy = false;
        k->decided = true;
    }
    k->whole.is = !k->wrong;
    *r = k->whole.range;
    return k->whole.is;
}

// ---- Finding them ----

static const brook_var *root_of(const brook_expr *e)
{
    while (e->kind == BROOK_EXPR_MEMBER || e->kind == BROOK_EXPR_INDEX)
        e = e->kind == BROOK_EXPR_MEMBER ? e->u.member.base : e->u.index.base;
    return e->kind == BROOK_EXPR_NAME ? e->u.name.var : NULL;
}

static bool names(const brook_expr *e, const brook_var *v)
{
    return e->kind == BROOK_EXPR_NAME && e->u.name.var == v;
}

// A bound that the loop's condition sets to what is stepped: "v < 9.0".
static bool find_bound(const brook_expr *cond, const brook_var *v, bool up, int64_t *bound)
{
    if (cond == NULL || cond->kind != BROOK_EXPR_BINARY)
        return false;
    int op = cond->u.binary.op;
    const brook_expr *left = cond->u.binary.left, *right = cond->u.binary.right;
    if (op == LANG_OP_LAND)
        return find_bound(left, v, up, bound) || find_bound(right, v, up, bound);
    double c;
    bool below = op == LANG_OP_LT || op == LANG_OP_LE, above = op == LANG_OP_GT || op == LANG_OP_GE;
    if (names(right, v)) {
        const brook_expr *other = left;
        bool was = below;
        left = right;
        right = other;
        below = above;
        above = was;
    }
    if (!names(left, v) || !(up ? below : above) || !is_float(left->type) || !literal(right, &c) || !(fabs(c) < LIMIT))
        return false;
    *bound = (int64_t)(up ? ceil(c) : floor(c));
    return true;
}

static void note_step(finder *f, const brook_var *v, double by)
{
    fact *k = &f->facts[v->index];
    bool up = by >= 0;
    int64_t bound = 0;
    if (!is_whole(by, MOST_STEP)) {
        k->wrong = true;
        return;
    }
    k->up |= up;
    k->down |= !up;
    k->step = most(k->step, (int64_t)fabs(by));
    k->steps = least(k->steps + (int64_t)fabs(by), LIMIT);
    if (find_bound(f->guard, v, up, &bound)) {
        k->high = up ? most(k->high, bound) : k->high;
        k->low = up ? k->low : least(k->low, bound);
    } else {
        k->free = true;
    }
}

static void note_assign(finder *f, const brook_expr *e)
{
    const brook_expr *target = e->u.assign.target, *value = e->u.assign.value;
    const brook_var *v = root_of(target);
    double by;
    if (v == NULL)
        return;
    fact *k = &f->facts[v->index];
    if (target->kind != BROOK_EXPR_NAME) {
        k->wrong = true;
    } else if (!e->u.assign.compound) {
        bool sum = value->kind == BROOK_EXPR_BINARY &&
                   (value->u.binary.op == LANG_OP_ADD || value->u.binary.op == LANG_OP_SUB);
        if (sum && names(value->u.binary.left, v) && literal(value->u.binary.right, &by))
            note_step(f, v, value->u.binary.op == LANG_OP_ADD ? by : -by);
        else
            VEC_PUSH(f->L->m->arena, &k->values, value);
    } else if ((e->u.assign.op == LANG_OP_ADD || e->u.assign.op == LANG_OP_SUB) && literal(value, &by)) {
        note_step(f, v, e->u.assign.op == LANG_OP_ADD ? by : -by);
    } else {
        k->wrong = true;
    }
}

static void walk_expr(finder *f, const brook_expr *e);

static void walk_parts(finder *f, const brook_exprs *parts)
{
    for (VEC_EACH(brook_expr *const, part, parts))
        walk_expr(f, *part);
}

static void walk_call(finder *f, const brook_expr *e)
{
    const brook_kernel *callee = e->u.call.intrinsic ? NULL : e->u.call.kernel;
    for (size_t i = 0; callee != NULL && i < e->u.call.args.len; i++) {
        const brook_var *v = root_of(e->u.call.args.data[i]);
        brook_var_kind kind = callee->params.data[i]->kind;
        if (v != NULL && kind != BROOK_INPUT && kind != BROOK_UNIFORM)
            f->facts[v->index].wrong = true;
    }
    if (callee == NULL && brook_intrinsics[e->u.call.fn].shape == BROOK_SHAPE_PARTS) {
        const brook_var *v = root_of(e->u.call.args.data[1]);
        if (v != NULL)
            f->facts[v->index].wrong = true;
    }
    bool outer = f->subscript;
    f->subscript |= callee != NULL;
    walk_parts(f, &e->u.call.args);
    f->subscript = outer;
}

static void walk_expr(finder *f, const brook_expr *e)
{
    bool outer = f->subscript;
    switch (e->kind) {
    case BROOK_EXPR_NAME:
        if (f->subscript && !f->facts[e->u.name.var->index].wanted)
            f->facts[e->u.name.var->index].wanted = f->changed = true;
        break;
    case BROOK_EXPR_MEMBER: walk_expr(f, e->u.member.base); break;
    case BROOK_EXPR_INDEX:
        if (e->u.index.gather == NULL)
            walk_expr(f, e->u.index.base);
        f->subscript |= e->u.index.gather != NULL;
        walk_parts(f, &e->u.index.at);
        f->subscript = outer;
        break;
    case BROOK_EXPR_UNARY: walk_expr(f, e->u.unary.operand); break;
    case BROOK_EXPR_BINARY:
    case BROOK_EXPR_COMMA:
        walk_expr(f, e->u.binary.left);
        walk_expr(f, e->u.binary.right);
        break;
    case BROOK_EXPR_COND:
        walk_expr(f, e->u.cond.cond);
        walk_expr(f, e->u.cond.then);
        walk_expr(f, e->u.cond.otherwise);
        break;
    case BROOK_EXPR_CAST: walk_expr(f, e->u.cast.operand); break;
    case BROOK_EXPR_ASSIGN:
        walk_expr(f, e->u.assign.target);
        walk_expr(f, e->u.assign.value);
        note_assign(f, e);
        break;
    case BROOK_EXPR_INCDEC: {
        const brook_var *v = root_of(e->u.incdec.target);
        walk_expr(f, e->u.incdec.target);
        if (v != NULL && e->u.incdec.target->kind == BROOK_EXPR_NAME)
            note_step(f, v, e->u.incdec.increment ? 1 : -1);
        else if (v != NULL)
            f->facts[v->index].wrong = true;
        break;
    }
    case BROOK_EXPR_CALL: walk_call(f, e); break;
    case BROOK_EXPR_MAKE:
    case BROOK_EXPR_BRACES: walk_parts(f, &e->u.parts); break;
    default: break;
    }
}

static void walk_stmt(finder *f, const brook_stmt *s)
{
    switch (s->kind) {
    case BROOK_STMT_BLOCK:
        for (VEC_EACH(brook_stmt *const, part, &s->u.block))
            walk_stmt(f, *part);
        break;
    case BROOK_STMT_DECL:
        for (VEC_EACH(brook_var *const, v, &s->u.decl)) {
            VEC_PUSH(f->L->m->arena, &f->facts[(*v)->index].values, (*v)->init);
            if ((*v)->init != NULL)
                walk_expr(f, (*v)->init);
        }
        break;
    case BROOK_STMT_EXPR:
    case BROOK_STMT_RETURN:
        if (s->u.expr != NULL)
            walk_expr(f, s->u.expr);
        break;
    case BROOK_STMT_IF:
        walk_expr(f, s->u.if_.cond);
        walk_stmt(f, s->u.if_.then);
        if (s->u.if_.otherwise != NULL)
            walk_stmt(f, s->u.if_.otherwise);
        break;
    case BROOK_STMT_FOR:
    case BROOK_STMT_WHILE:
    case BROOK_STMT_DO:
        if (s->u.loop.init != NULL)
            walk_stmt(f, s->u.loop.init);
        if (s->u.loop.cond != NULL)
            walk_expr(f, s->u.loop.cond);
        walk_stmt(f, s->u.loop.body);
        f->guard = s->kind == BROOK_STMT_FOR ? s->u.loop.cond : NULL;
        if (s->u.loop.step != NULL)
            walk_expr(f, s->u.loop.step);
        f->guard = NULL;
        break;
    default: break;
    }
}

// What a subscript needs, directly or by way of other locals.
static void find_wanted(finder *f, const brook_kernel *k)
{
    finder through = *f;
    through.subscript = true;
    do {
        through.changed = false;
        for (VEC_EACH(brook_var *const, v, &k->vars)) {
            fact *one = &f->facts[(*v)->index];
            for (size_t i = 0; one->wanted && i < one->values.len; i++)
                if (one->values.data[i] != NULL && !one->values.data[i]->effects)
                    walk_expr(&through, one->values.data[i]);
        }
    } while (through.changed);
}

brook_whole *brook_find_wholes(brook_lowering *L, const brook_kernel *k)
{
    finder f = {.L = L, .facts = ARENA_ARRAY(L->m->arena, fact, k->vars.len + 1)};
    brook_whole *wholes = ARENA_ARRAY(L->m->arena, brook_whole, k->vars.len + 1);
    walk_stmt(&f, k->body);
    find_wanted(&f, k);
    for (VEC_EACH(brook_var *const, v, &k->vars)) {
        brook_range r;
        fact *one = &f.facts[(*v)->index];
        if (one->wanted)
            range_of_var(&f, *v, &r);
        one->whole.wanted = one->wanted;
        wholes[(*v)->index] = one->whole;
    }
    return wholes;
}

// ---- Ints beside floats ----

static sir_expr *as_int(brook_lowering *L, const sir_expr *e, brook_range *r)
{
    double v;
    brook_range a, b;
    sir_expr *x, *y;
    switch (e->kind) {
    case SIR_CONST:
        v = e->type->kind == SIR_FLOAT ? e->u.value.f : e->type->kind == SIR_DOUBLE ? e->u.value.d : 0.5;
        if (!is_whole(v, LIMIT))
            return NULL;
        *r = (brook_range){.lo = (int64_t)v, .hi = (int64_t)v};
        return sir_const_int(L->m, (int32_t)v, e->loc);
    case SIR_CONVERT:
        e = e->u.arg[0];
        if (e->type->kind != SIR_INT)
            return NULL;
        *r = (brook_range){.lo = -LIMIT, .hi = LIMIT};
        if (e->kind == SIR_FIELD && L->filter->fields.data[e->index].role == SIR_COORDINATE)
            r->lo = 0;
        return brook_copy(L, e);
    case SIR_LOCAL: {
        if (e->index >= L->beside.len || L->beside.data[e->index].local == SIR_NONE)
            return NULL;
        const brook_beside *b_ = &L->beside.data[e->index];
        *r = b_->range;
        return sir_ref(L->m, SIR_LOCAL, b_->local, L->m->scalar[SIR_INT], e->loc);
    }
    case SIR_BINARY:
        if (e->op != LANG_OP_ADD && e->op != LANG_OP_SUB && e->op != LANG_OP_MUL)
            return NULL;
        x = as_int(L, e->u.arg[0], &a);
        y = x == NULL ? NULL : as_int(L, e->u.arg[1], &b);
        return y == NULL || !combine(e->op, a, b, r) ? NULL : brook_op(L, (lang_binary_op)e->op, x, y);
    default: return NULL;
    }
}

sir_expr *brook_as_index(brook_lowering *L, const sir_expr *e)
{
    brook_range r;
    return as_int(L, e, &r);
}

static uint32_t add_beside(brook_lowering *L, uint32_t local, sir_expr *init, brook_range r, sir_loc loc)
{
    const char *name = arena_printf(L->m->arena, "%s_index", L->fn->locals.data[local].name);
    sir_stmt *s = sir_stmt_new(L->m, SIR_DECL, loc);
    s->u.decl.local = sir_local_new(L->m, L->fn, intern(L->m->names, name), L->m->scalar[SIR_INT], loc);
    s->u.decl.init = init;
    brook_emit(L, s);
    while (L->beside.len <= local)
        VEC_PUSH(L->m->arena, &L->beside, (brook_beside){.local = SIR_NONE});
    L->beside.data[local] = (brook_beside){.local = s->u.decl.local, .range = r};
    return s->u.decl.local;
}

static sir_expr *converted(brook_lowering *L, uint32_t local, sir_loc loc)
{
    sir_expr *e = sir_ref(L->m, SIR_LOCAL, local, L->m->scalar[SIR_FLOAT], loc);
    return brook_convert_part(L, e, BROOK_FLOAT, BROOK_INT, loc);
}

void brook_declare_beside(brook_lowering *L, const brook_var *v, uint32_t local, const sir_expr *init, sir_loc loc)
{
    const brook_whole *w = &L->frame->wholes[v->index];
    brook_range r;
    if (!w->wanted || v->type.element != BROOK_FLOAT)
        return;
    sir_expr *index = init == NULL ? NULL : as_int(L, init, &r);
    if (!v->assigned) {
        if (index != NULL)
            add_beside(L, local, index, r, loc);
    } else if (w->is) {
        add_beside(L, local, index != NULL || init == NULL ? index : converted(L, local, loc), w->range, loc);
    }
}

sir_expr *brook_next_beside(brook_lowering *L, const brook_var *v, const sir_expr *value)
{
    const brook_whole *w = &L->frame->wholes[v->index];
    if (!w->is || !w->wanted)
        return NULL;
    sir_expr *index = brook_as_index(L, value);
    if (index == NULL || index->kind == SIR_CONST || !w->ends)
        return index;
    // Beyond the end it stays.
    const brook_binding *b = &L->frame->bindings[v->index];
    sir_expr *old = sir_ref(L->m, SIR_LOCAL, L->beside.data[b->index[0]].local, L->m->scalar[SIR_INT], index->loc);
    sir_expr *goes_on =
        brook_op(L, w->up ? LANG_OP_LT : LANG_OP_GT, old, sir_const_int(L->m, w->up ? LIMIT : -LIMIT, index->loc));
    return brook_select(L, goes_on, index, brook_copy(L, old));
}

void brook_set_beside(brook_lowering *L, const brook_var *v, sir_expr *index, sir_loc loc)
{
    const brook_binding *b = &L->frame->bindings[v->index];
    if (v->kind != BROOK_LOCAL || b->known || b->field || !L->frame->wholes[v->index].is ||
        b->index[0] >= L->beside.len || L->beside.data[b->index[0]].local == SIR_NONE)
        return;
    sir_stmt *s = sir_stmt_new(L->m, SIR_SET, loc);
    s->u.set.target = sir_ref(L->m, SIR_LOCAL, L->beside.data[b->index[0]].local, L->m->scalar[SIR_INT], loc);
    s->u.set.value = index != NULL ? index : converted(L, b->index[0], loc);
    brook_emit(L, s);
}
