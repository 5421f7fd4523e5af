// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Canonicalize: what its rules ask of trees, copies of them, and the table of locals.
#include <string.h>

#include "hlc/ir/walk.h"
#include "hlc/passes/canonicalize_int.h"

// ---- Comparing ----

static bool same_stmt(sir_stmt *a, sir_stmt *b)
{
    if (a->kind != b->kind || !sir_same_loc(a->loc, b->loc))
        return false;
    switch (a->kind) {
    case SIR_DECL:
        if (a->u.decl.local != b->u.decl.local || a->u.decl.uninitialised != b->u.decl.uninitialised ||
            (a->u.decl.init == NULL) != (b->u.decl.init == NULL))
            return false;
        break;
    case SIR_PRINT:
        if (a->u.print.text != b->u.print.text)
            return false;
        break;
    case SIR_CALL:
        if (a->u.call.function != b->u.call.function)
            return false;
        break;
    case SIR_FOR:
        if (a->u.for_.local != b->u.for_.local || a->u.for_.step != b->u.for_.step)
            return false;
        break;
    case SIR_LOOP:
        if (a->u.loop.post_test != b->u.loop.post_test)
            return false;
        break;
    default: break;
    }
    sir_parts p = sir_stmt_parts(a), q = sir_stmt_parts(b);
    if (p.expr_count != q.expr_count || p.arg_count != q.arg_count || (p.target == NULL) != (q.target == NULL))
        return false;
    for (size_t i = 0; i < p.expr_count; i++)
        if (!sir_same_expr(*p.expr[i], *q.expr[i], true))
            return false;
    for (size_t i = 0; i < p.arg_count; i++)
        if (!sir_same_expr(p.args[i], q.args[i], true))
            return false;
    if (p.target != NULL && !sir_same_expr(*p.target, *q.target, true))
        return false;
    for (size_t i = 0; i < p.block_count; i++)
        if (!canon_same_block(p.block[i], q.block[i]))
            return false;
    return true;
}

bool canon_same_block(const sir_block *a, const sir_block *b)
{
    if (a->len != b->len)
        return false;
    for (size_t i = 0; i < a->len; i++)
        if (!same_stmt(a->data[i], b->data[i]))
            return false;
    return true;
}

// ---- Questions ----

bool canon_is_const(const sir_expr *e)
{
    return e->kind == SIR_CONST;
}

bool canon_is_int(const sir_expr *e, int32_t v)
{
    return e->kind == SIR_CONST && (e->type->kind == SIR_INT || e->type->kind == SIR_BIT) && e->u.value.i == v;
}

bool canon_is_local(const sir_expr *e, uint32_t local)
{
    return e->kind == SIR_LOCAL && e->index == local;
}

static bool is_within(const sir_expr *index, uint32_t length)
{
    return canon_is_const(index) && index->u.value.i >= 0 && (uint32_t)index->u.value.i < length;
}

bool canon_may_trap(const canon *c, const sir_expr *e)
{
    if (e->kind == SIR_PEEK && (c->peeks_wait || c->options->keep_peeks))
        return true;
    if (e->kind == SIR_INDEX && c->options->keep_subscripts && !is_within(e->u.arg[1], e->u.arg[0]->type->length))
        return true;
    bool integer = e->type->kind == SIR_INT || e->type->kind == SIR_BIT;
    if (e->kind == SIR_BINARY && integer && (e->op == LANG_OP_DIV || e->op == LANG_OP_REM) &&
        (!canon_is_const(e->u.arg[1]) || e->u.arg[1]->u.value.i == 0))
        return true;
    size_t arity = sir_expr_arity(e);
    for (size_t i = 0; i < arity; i++)
        if (canon_may_trap(c, e->u.arg[i]))
            return true;
    return false;
}

bool canon_reads(const sir_expr *e, uint32_t local)
{
    if (canon_is_local(e, local))
        return true;
    size_t arity = sir_expr_arity(e);
    for (size_t i = 0; i < arity; i++)
        if (canon_reads(e->u.arg[i], local))
            return true;
    return false;
}

typedef struct read_count {
    uint32_t local;
    size_t count;
    const sir_expr *root; // of the assigned lvalue, which is not read
} read_count;

static void count_read(void *context, sir_expr *e, bool written)
{
    (void)written;
    read_count *r = context;
    r->count += canon_is_local(e, r->local) && e != r->root;
}

static void count_reads(void *context, sir_stmt *s)
{
    read_count *r = context;
    sir_parts p = sir_stmt_parts(s);
    r->root = p.target == NULL ? NULL : sir_lvalue_root(*p.target);
    sir_visit_exprs(s, count_read, r);
}

size_t canon_reads_in_block(const sir_block *b, uint32_t local)
{
    read_count r = {.local = local};
    sir_visit_stmts(b, count_reads, &r);
    return r.count;
}

// ---- Making nodes ----

sir_expr *canon_copy(canon *c, const sir_expr *e)
{
    if (e == NULL)
        return NULL;
    sir_expr *copy = ARENA_NEW(c->m->arena, sir_expr);
    *copy = *e;
    size_t arity = sir_expr_arity(e);
    for (size_t i = 0; i < arity; i++)
        copy->u.arg[i] = canon_copy(c, e->u.arg[i]);
    return copy;
}

sir_expr *canon_not(canon *c, sir_expr *e)
{
    return canon_fold(c, sir_expr1(c->m, SIR_UNARY, LANG_OP_NOT, e->type, e, e->loc));
}

sir_expr *canon_and(canon *c, sir_expr *a, sir_expr *b)
{
    return a == NULL ? b : sir_expr2(c->m, SIR_BINARY, LANG_OP_LAND, b->type, a, b, b->loc);
}

sir_expr *canon_local(canon *c, uint32_t local, sir_loc loc)
{
    return sir_ref(c->m, SIR_LOCAL, local, c->f->locals.data[local].type, loc);
}

sir_stmt *canon_set(canon *c, uint32_t local, sir_expr *value)
{
    sir_stmt *s = sir_stmt_new(c->m, SIR_SET, value->loc);
    s->u.set.target = canon_local(c, local, value->loc);
    s->u.set.value = value;
    return s;
}

sir_stmt *canon_decl(canon *c, uint32_t local, sir_expr *init)
{
    sir_stmt *s = sir_stmt_new(c->m, SIR_DECL, c->f->locals.data[local].loc);
    s->u.decl.local = local;
    s->u.decl.init = init;
    return s;
}

static const char *base_name(canon *c, const char *name)
{
    const char *dot = strchr(name, '.');
    return dot == NULL ? name : arena_strndup(c->scratch, name, (size_t)(dot - name));
}

// No other name has a letter behind a dot; canon_compact_locals gives a proper one.
uint32_t canon_fresh(canon *c, const char *name, const sir_type *t, sir_loc loc)
{
    name = arena_printf(c->scratch, "%s.c%zu", base_name(c, name), c->f->locals.len);
    VEC_PUSH(c->m->arena, &c->f->locals, (sir_local){.name = name, .type = t, .loc = loc});
    return (uint32_t)(c->f->locals.len - 1);
}

uint64_t *canon_named_in(canon *c, const sir_block *b)
{
    uint64_t *named = ARENA_ARRAY(c->scratch, uint64_t, b->len);
    for (size_t i = 0; i < b->len; i++)
        named[i] = sir_locals_named(b->data[i]);
    return named;
}

// ---- Changes ----

canon_changes canon_no_changes(canon *c)
{
    canon_changes x = {.c = c, .local_count = c->f->locals.len};
    if (c->unused.len > 0 && VEC_LAST(&c->unused).room >= x.local_count) {
        const canon_flags old = c->unused.data[--c->unused.len];
        x.locals = old.locals;
        x.fields = old.fields;
        x.room = old.room;
        return x;
    }
    x.room = x.local_count + x.local_count / 4; // there will be more of them
    x.locals = ARENA_ARRAY(c->scratch, bool, x.room);
    x.fields = ARENA_ARRAY(c->scratch, bool, c->filter == NULL ? 0 : c->filter->fields.len);
    return x;
}

void canon_end_changes(canon_changes *x)
{
    for (size_t i = 0; i < x->local_list.len; i++)
        x->locals[x->local_list.data[i]] = false;
    for (size_t i = 0; i < x->field_list.len; i++)
        x->fields[x->field_list.data[i]] = false;
    const canon_flags flags = {.locals = x->locals, .fields = x->fields, .room = x->room};
    VEC_PUSH(x->c->scratch, &x->c->unused, flags);
}

static void change_local(canon_changes *x, uint32_t local)
{
    if (local >= x->local_count || x->locals[local])
        return;
    x->locals[local] = true;
    VEC_PUSH(x->c->scratch, &x->local_list, local);
}

static void change_field(canon_changes *x, size_t field)
{
    if (x->fields[field])
        return;
    x->fields[field] = true;
    VEC_PUSH(x->c->scratch, &x->field_list, (uint32_t)field);
}

static bool is_changed(const canon_changes *x, uint32_t local)
{
    return local >= x->local_count || x->locals[local];
}

// Arrays that came by reference may be the same, or fields.
static void change_aliases(canon_changes *x, bool fields)
{
    const sir_function *f = x->c->f;
    for (uint32_t i = 0; i < f->param_count; i++)
        if (f->locals.data[i].by_reference)
            change_local(x, i);
    for (size_t i = 0; fields && x->c->filter != NULL && i < x->c->filter->fields.len; i++)
        if (x->c->filter->fields.data[i].type->words > 1)
            change_field(x, i);
}

static void change_root(canon_changes *x, sir_expr *lvalue)
{
    const sir_expr *root = sir_lvalue_root(lvalue);
    if (root != NULL && root->kind == SIR_LOCAL) {
        change_local(x, root->index);
        if (x->c->f->locals.data[root->index].by_reference)
            change_aliases(x, true);
    }
    if (root != NULL && root->kind == SIR_FIELD) {
        change_field(x, root->index);
        if (root->type->kind == SIR_ARRAY)
            change_aliases(x, false);
    }
}

static void add_call_changes(canon *c, canon_changes *x, sir_stmt *s)
{
    const sir_function *f = s->u.call.function;
    const sir_function_effects *e = sir_effects_of(c->effects, f);
    x->visible = true;
    x->pops = x->pops || f->pop.max != 0 || (e != NULL && e->flags.tape);
    for (size_t i = 0; i < s->u.call.args.len; i++)
        if (f->locals.data[i].by_reference && (e == NULL || e->writes_param[i]))
            change_root(x, s->u.call.args.data[i]);
    for (size_t i = 0; c->filter != NULL && i < c->filter->fields.len; i++)
        if (e == NULL || e->writes_field[i]) {
            change_field(x, i);
            change_aliases(x, false);
        }
}

void canon_add_changes(canon *c, canon_changes *x, sir_stmt *s)
{
    sir_parts p = sir_stmt_parts(s);
    if (p.target != NULL)
        change_root(x, *p.target);
    switch (s->kind) {
    case SIR_DECL: change_local(x, s->u.decl.local); break;
    case SIR_FOR: change_local(x, s->u.for_.local); break;
    case SIR_POP: x->pops = x->visible = true; break;
    case SIR_PUSH:
    case SIR_PRINT:
    case SIR_SEND:
    case SIR_RETURN:
    case SIR_BREAK:
    case SIR_CONTINUE:
    case SIR_RANDOM: x->visible = true; break;
    case SIR_CALL: add_call_changes(c, x, s); break;
    default: break;
    }
    for (size_t i = 0; i < p.block_count; i++)
        canon_add_block_changes(c, x, p.block[i]);
}

void canon_add_block_changes(canon *c, canon_changes *x, const sir_block *b)
{
    for (size_t i = 0; i < b->len; i++)
        canon_add_changes(c, x, b->data[i]);
}

bool canon_is_unchanged(const canon_changes *x, const sir_expr *e)
{
    if ((e->kind == SIR_LOCAL && is_changed(x, e->index)) || (e->kind == SIR_FIELD && x->fields[e->index]) ||
        (e->kind == SIR_PEEK && x->pops))
        return false;
    size_t arity = sir_expr_arity(e);
    for (size_t i = 0; i < arity; i++)
        if (!canon_is_unchanged(x, e->u.arg[i]))
            return false;
    return true;
}

// ---- Own nodes ----

typedef struct renamed {
    uint32_t local, was;
} renamed;

typedef struct unshare {
    canon *c;
    uint32_t *now;  // by local: what it is called at this point
    bool *declared; // has been declared somewhere before
    bool exact;     // nothing else than the nodes changes
    VEC(renamed) scope;
} unshare;

static sir_expr *own_expr(unshare *u, const sir_expr *e)
{
    if (e == NULL)
        return NULL;
    sir_expr *copy = ARENA_NEW(u->c->m->arena, sir_expr);
    *copy = *e;
    if (e->kind == SIR_LOCAL)
        copy->index = u->now[e->index];
    size_t arity = sir_expr_arity(e);
    for (size_t i = 0; i < arity; i++)
        copy->u.arg[i] = own_expr(u, e->u.arg[i]);
    return copy;
}

// The local that a declaration at this point is of: itself the first time, a new one after that.
static uint32_t own_local(unshare *u, uint32_t local)
{
    if (u->exact)
        return local;
    VEC_PUSH(u->c->scratch, &u->scope, (renamed){.local = local, .was = u->now[local]});
    if (u->declared[local]) {
        sir_local l = u->c->f->locals.data[local];
        u->now[local] = canon_fresh(u->c, l.name, l.type, l.loc);
    }
    u->declared[local] = true;
    return u->now[local];
}

static sir_block own_block(unshare *u, const sir_block *b, bool keep_scope);

static void own_blocks(unshare *u, sir_stmt *s)
{
    switch (s->kind) {
    case SIR_IF:
        s->u.if_.then = own_block(u, &s->u.if_.then, false);
        s->u.if_.otherwise = own_block(u, &s->u.if_.otherwise, false);
        break;
    case SIR_BLOCK: s->u.block = own_block(u, &s->u.block, false); break;
    default: break;
    }
}

static void own_loop(unshare *u, sir_stmt *s)
{
    bool post = s->u.loop.post_test;
    if (post) {
        s->u.loop.body = own_block(u, &s->u.loop.body, false);
        s->u.loop.step = own_block(u, &s->u.loop.step, false);
    }
    s->u.loop.pre = own_block(u, &s->u.loop.pre, true);
    s->u.loop.cond = own_expr(u, s->u.loop.cond);
    if (!post) {
        s->u.loop.body = own_block(u, &s->u.loop.body, false);
        s->u.loop.step = own_block(u, &s->u.loop.step, false);
    }
}

static void close_scope(unshare *u, size_t mark)
{
    for (; u->scope.len > mark; u->scope.len--)
        u->now[VEC_LAST(&u->scope).local] = VEC_LAST(&u->scope).was;
}

static sir_stmt *own_stmt(unshare *u, const sir_stmt *original)
{
    sir_stmt *s = ARENA_NEW(u->c->m->arena, sir_stmt);
    *s = *original;
    size_t mark = u->scope.len;
    if (s->kind == SIR_LOOP) {
        own_loop(u, s);
        close_scope(u, mark);
        return s;
    }
    if (s->kind == SIR_CALL || s->kind == SIR_SEND) {
        sir_parts was = sir_stmt_parts(s);
        VEC(sir_expr *) args = {0};
        for (size_t i = 0; i < was.arg_count; i++)
            VEC_PUSH(u->c->m->arena, &args, was.args[i]);
        if (s->kind == SIR_CALL)
            memcpy(&s->u.call.args, &args, sizeof args);
        else
            memcpy(&s->u.send.args, &args, sizeof args);
    }
    sir_parts p = sir_stmt_parts(s);
    for (size_t i = 0; i < p.expr_count; i++)
        *p.expr[i] = own_expr(u, *p.expr[i]);
    for (size_t i = 0; i < p.arg_count; i++)
        p.args[i] = own_expr(u, p.args[i]);
    if (p.target != NULL)
        *p.target = own_expr(u, *p.target);
    if (s->kind == SIR_DECL) {
        s->u.decl.local = own_local(u, s->u.decl.local);
        s->u.decl.uninitialised = s->u.decl.uninitialised && u->exact; // to be proved again
    }
    if (s->kind == SIR_FOR) {
        s->u.for_.local = own_local(u, s->u.for_.local);
        s->u.for_.body = own_block(u, &s->u.for_.body, false);
        close_scope(u, mark);
    }
    own_blocks(u, s);
    return s;
}

static sir_block own_block(unshare *u, const sir_block *b, bool keep_scope)
{
    sir_block copy = {0};
    size_t mark = u->scope.len;
    for (size_t i = 0; i < b->len; i++)
        VEC_PUSH(u->c->m->arena, &copy, own_stmt(u, b->data[i]));
    if (!keep_scope)
        close_scope(u, mark);
    return copy;
}

static sir_block own_body(canon *c, bool exact)
{
    unshare u = {.c = c, .exact = exact};
    size_t count = c->f->locals.len;
    u.now = ARENA_ARRAY(c->scratch, uint32_t, count);
    u.declared = ARENA_ARRAY(c->scratch, bool, count);
    for (size_t i = 0; i < count; i++)
        u.now[i] = (uint32_t)i;
    // New locals are appended; none of them is declared again, so the arrays need not grow.
    return own_block(&u, &c->f->body, false);
}

sir_block canon_copy_body(canon *c)
{
    return own_body(c, true);
}

void canon_unshare(canon *c)
{
    c->f->body = own_body(c, false);
}

// ---- The table of locals ----

typedef struct renumber {
    uint32_t *to; // by old index; SIR_NONE: not used
    canon *c;
    VEC(uint32_t) order; // old indices
} renumber;

static void meet_local(renumber *r, uint32_t local)
{
    if (r->to[local] == SIR_NONE) {
        r->to[local] = (uint32_t)r->order.len;
        VEC_PUSH(r->c->scratch, &r->order, local);
    }
}

static void renumber_expr(void *context, sir_expr *e, bool written)
{
    (void)written;
    renumber *r = context;
    if (e->kind != SIR_LOCAL)
        return;
    meet_local(r, e->index);
    e->index = r->to[e->index];
}

static void renumber_stmt(void *context, sir_stmt *s)
{
    renumber *r = context;
    sir_visit_exprs(s, renumber_expr, r);
    uint32_t *local = s->kind == SIR_DECL ? &s->u.decl.local : s->kind == SIR_FOR ? &s->u.for_.local : NULL;
    if (local != NULL) {
        meet_local(r, *local);
        *local = r->to[*local];
    }
}

// "i.5" becomes "i" where no other local is called so, else "i.2" and so on; temporaries are "t.1" and so on.
static void shorten_names(canon *c)
{
    sir_function *f = c->f;
    hmap taken, used; // names; by base, the last number that was given to one
    hmap_init(&taken, c->scratch);
    hmap_init(&used, c->scratch);
    for (size_t i = 0; i < f->locals.len; i++)
        if (strchr(f->locals.data[i].name, '.') == NULL)
            hmap_set(&taken, f->locals.data[i].name, f);
    for (size_t i = 0; i < f->locals.len; i++) {
        sir_local *l = &f->locals.data[i];
        const char *base = base_name(c, l->name), *name = base;
        if (base == l->name)
            continue;
        bool temporary = strcmp(base, "t") == 0;
        if (temporary || hmap_get(&taken, base) != NULL) {
            uintptr_t number = (uintptr_t)hmap_get(&used, base);
            number = number == 0 ? (temporary ? 1 : 2) : number + 1;
            hmap_set(&used, base, (void *)number);
            name = arena_printf(c->scratch, "%s.%zu", base, (size_t)number);
        }
        hmap_set(&taken, name, f);
        l->name = intern(c->m->names, name);
    }
}

void canon_compact_locals(canon *c)
{
    sir_function *f = c->f;
    renumber r = {.c = c};
    r.to = ARENA_ARRAY(c->scratch, uint32_t, f->locals.len);
    for (size_t i = 0; i < f->locals.len; i++)
        r.to[i] = SIR_NONE;
    for (uint32_t i = 0; i < f->param_count; i++)
        meet_local(&r, i);
    sir_visit_stmts(&f->body, renumber_stmt, &r);
    sir_local *locals = ARENA_ARRAY(c->m->arena, sir_local, r.order.len);
    for (size_t i = 0; i < r.order.len; i++)
        locals[i] = f->locals.data[r.order.data[i]];
    f->locals.data = locals;
    f->locals.len = f->locals.cap = r.order.len;
    shorten_names(c);
}
