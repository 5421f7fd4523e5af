// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Canonicalize: no break, no continue, one return at a function's end, no blocks in blocks.
//
// What follows a branch that always jumps moves into the other branch; a jump at the end of what it leaves then
// vanishes. Where that is not enough a jump sets a flag, and what must not be done any more asks for it. A loop that
// leaves in its middle, "loop { A; if c break; B }", is what a loop's leading part is for. Flags nobody asks for go
// with the dead code.
#include <string.h>

#include "hlc/ir/walk.h"
#include "hlc/passes/canonicalize_int.h"

enum { JUMP_BREAK = 1, JUMP_CONTINUE = 2, JUMP_RETURN = 4 };
// Branches may nest so deep by moving what follows; deeper, flags take over.
enum { DEEPEST = 100 };

// What leaves a statement: jumps out of it, and whether control can reach what follows.
typedef struct jumps {
    bool falls;
    uint8_t mask;
} jumps;

typedef struct scope {
    uint32_t left, skipped; // flags of the loop around; SIR_NONE: not needed so far
} scope;

typedef struct rewrite {
    canon *c;
    hmap known;                // jumps of statements, by address
    uint32_t returned, result; // flag and value of the function
    scope *loop;
    int depth;
} rewrite;

static sir_block process(rewrite *r, sir_stmt *const *stmts, size_t count);

// ---- Which jumps leave what ----

static jumps of_block(rewrite *r, const sir_block *b);

static bool is_true(const sir_expr *e)
{
    return e == NULL || (canon_is_const(e) && e->u.value.i != 0);
}

static jumps compute(rewrite *r, const sir_stmt *s)
{
    switch (s->kind) {
    case SIR_BREAK: return (jumps){.mask = JUMP_BREAK};
    case SIR_CONTINUE: return (jumps){.mask = JUMP_CONTINUE};
    case SIR_RETURN: return (jumps){.mask = JUMP_RETURN};
    case SIR_BLOCK: return of_block(r, &s->u.block);
    case SIR_IF: {
        jumps a = of_block(r, &s->u.if_.then), b = of_block(r, &s->u.if_.otherwise);
        return (jumps){.falls = a.falls || b.falls, .mask = a.mask | b.mask};
    }
    case SIR_FOR: return (jumps){.falls = true, .mask = of_block(r, &s->u.for_.body).mask & JUMP_RETURN};
    case SIR_LOOP: {
        jumps body = of_block(r, &s->u.loop.body);
        bool ends = !is_true(s->u.loop.cond) || (body.mask & JUMP_BREAK) != 0;
        return (jumps){.falls = ends, .mask = body.mask & JUMP_RETURN};
    }
    default: return (jumps){.falls = true};
    }
}

static jumps of_stmt(rewrite *r, const sir_stmt *s)
{
    jumps *known = hmap_getn(&r->known, &s, sizeof s);
    if (known == NULL) {
        known = ARENA_NEW(r->c->scratch, jumps);
        *known = compute(r, s);
        hmap_setn(&r->known, &s, sizeof s, known);
    }
    return *known;
}

// What is behind a statement that never lets go on is not looked at.
static jumps of_stmts(rewrite *r, sir_stmt *const *stmts, size_t count)
{
    jumps all = {.falls = true};
    for (size_t i = 0; i < count && all.falls; i++) {
        jumps one = of_stmt(r, stmts[i]);
        all.mask |= one.mask;
        all.falls = one.falls;
    }
    return all;
}

static jumps of_block(rewrite *r, const sir_block *b)
{
    return of_stmts(r, b->data, b->len);
}

// ---- Flags ----

static uint32_t flag(rewrite *r, uint32_t *flag_local, const char *name, sir_loc loc)
{
    if (*flag_local == SIR_NONE)
        *flag_local = canon_fresh(r->c, name, r->c->m->scalar[SIR_BOOLEAN], loc);
    return *flag_local;
}

static sir_stmt *raise(rewrite *r, uint32_t local, sir_loc loc)
{
    return canon_set(r->c, local, sir_const_bool(r->c->m, true, loc));
}

static sir_stmt *lower(rewrite *r, uint32_t local)
{
    return canon_decl(r->c, local, sir_const_bool(r->c->m, false, r->c->f->locals.data[local].loc));
}

// That none of the jumps of the mask was taken.
static sir_expr *none_taken(rewrite *r, uint8_t mask, sir_loc loc)
{
    canon *c = r->c;
    sir_expr *e = NULL;
    uint32_t flags[3];
    size_t count = 0;
    if (mask & JUMP_BREAK)
        flags[count++] = flag(r, &r->loop->left, "left", loc);
    if (mask & JUMP_CONTINUE)
        flags[count++] = flag(r, &r->loop->skipped, "skipped", loc);
    if (mask & JUMP_RETURN)
        flags[count++] = flag(r, &r->returned, "returned", loc);
    for (size_t i = 0; i < count; i++)
        e = canon_and(
            c, e,
            sir_expr1(c->m, SIR_UNARY, LANG_OP_NOT, c->m->scalar[SIR_BOOLEAN], canon_local(c, flags[i], loc), loc));
    return e;
}

// ---- Blocks ----

static void add(rewrite *r, sir_block *to, sir_stmt *s)
{
    VEC_PUSH(r->c->m->arena, to, s);
}

static void add_all(rewrite *r, sir_block *to, const sir_block *from)
{
    for (size_t i = 0; i < from->len; i++)
        add(r, to, from->data[i]);
}

static sir_block joined(rewrite *r, const sir_block *a, sir_stmt *const *rest, size_t count)
{
    sir_block b = {0};
    add_all(r, &b, a);
    for (size_t i = 0; i < count; i++)
        add(r, &b, rest[i]);
    return b;
}

static sir_block process_block(rewrite *r, const sir_block *b)
{
    r->depth++;
    sir_block out = process(r, b->data, b->len);
    r->depth--;
    return out;
}

static void process_jump(rewrite *r, sir_stmt *s, sir_block *out)
{
    if (s->kind == SIR_BREAK) {
        add(r, out, raise(r, flag(r, &r->loop->left, "left", s->loc), s->loc));
    } else if (s->kind == SIR_CONTINUE) {
        add(r, out, raise(r, flag(r, &r->loop->skipped, "skipped", s->loc), s->loc));
    } else {
        if (s->u.value != NULL) {
            if (r->result == SIR_NONE)
                r->result = canon_fresh(r->c, "result", r->c->f->result, r->c->f->loc);
            sir_stmt *set = canon_set(r->c, r->result, s->u.value);
            set->loc = s->loc;
            add(r, out, set);
        }
        add(r, out, raise(r, flag(r, &r->returned, "returned", s->loc), s->loc));
    }
}

// The declaration of a local comes before the branch that its scope would not outlive.
static void hoist_declaration(rewrite *r, sir_stmt **s, sir_block *out)
{
    if ((*s)->kind != SIR_DECL)
        return;
    sir_stmt *set = NULL;
    if ((*s)->u.decl.init != NULL) {
        set = canon_set(r->c, (*s)->u.decl.local, (*s)->u.decl.init);
        set->loc = (*s)->loc;
        (*s)->u.decl.init = NULL;
    }
    add(r, out, *s);
    *s = set;
}

// The rest of a block behind a statement from which the jumps of the mask may have been taken.
static void process_guarded(rewrite *r, uint8_t mask, sir_stmt *const *rest, size_t count, sir_block *out, sir_loc loc)
{
    canon *c = r->c;
    while (count > 0) {
        // Where nesting is deep the rest is cut behind each statement that may jump, else it is taken whole.
        size_t n = count;
        bool cut = r->depth >= DEEPEST;
        for (size_t i = 0; cut && i < count; i++)
            if (of_stmt(r, rest[i]).mask != 0) {
                n = i + 1;
                break;
            }
        sir_block part = {0};
        for (size_t i = 0; i < n; i++) {
            sir_stmt *s = rest[i];
            if (cut)
                hoist_declaration(r, &s, out);
            if (s != NULL)
                add(r, &part, s);
        }
        sir_stmt *guard = sir_stmt_new(c->m, SIR_IF, loc);
        guard->u.if_.cond = none_taken(r, mask, loc);
        jumps taken = of_block(r, &part);
        guard->u.if_.then = process_block(r, &part);
        add(r, out, guard);
        mask |= taken.mask;
        rest += n;
        count -= n;
    }
}

// Gives false when nothing of the rest is left to be done here.
static bool process_if(rewrite *r, sir_stmt *s, sir_stmt *const *rest, size_t count, sir_block *out)
{
    jumps then = of_block(r, &s->u.if_.then), otherwise = of_block(r, &s->u.if_.otherwise);
    uint8_t mask = then.mask | otherwise.mask;
    bool falls = then.falls || otherwise.falls;
    bool move = mask != 0 && falls && count > 0 && r->depth < DEEPEST && !(then.falls && otherwise.falls);
    sir_block a = s->u.if_.then, b = s->u.if_.otherwise;
    if (move && !then.falls)
        b = joined(r, &b, rest, count);
    else if (move)
        a = joined(r, &a, rest, count);
    sir_stmt *branch = sir_stmt_new(r->c->m, SIR_IF, s->loc);
    branch->u.if_.cond = s->u.if_.cond;
    branch->u.if_.then = process_block(r, &a);
    branch->u.if_.otherwise = process_block(r, &b);
    add(r, out, branch);
    if (!falls || move)
        return false;
    if (mask == 0 || count == 0)
        return true;
    process_guarded(r, mask, rest, count, out, s->loc);
    return false;
}

// ---- Loops ----

static sir_block slice(rewrite *r, sir_stmt *const *stmts, size_t count)
{
    sir_block b = {0};
    for (size_t i = 0; i < count; i++)
        add(r, &b, stmts[i]);
    return b;
}

// The one branch by which a loop is left: "if c { last; break } else { otherwise }", or with return, or turned round.
typedef struct exit_branch {
    sir_expr *go_on; // NULL: it is another statement
    sir_block last;  // done before leaving; the return is part of it
    sir_block otherwise;
} exit_branch;

// Whether a block does nothing but plain statements and then leaves the loop.
static bool just_leaves(rewrite *r, const sir_block *b, sir_block *last)
{
    if (b->len == 0)
        return false;
    sir_stmt *jump = VEC_LAST(b);
    jumps before = of_stmts(r, b->data, b->len - 1);
    if ((jump->kind != SIR_BREAK && jump->kind != SIR_RETURN) || before.mask != 0 || !before.falls)
        return false;
    *last = slice(r, b->data, jump->kind == SIR_BREAK ? b->len - 1 : b->len);
    return true;
}

static exit_branch find_exit(rewrite *r, sir_stmt *s)
{
    exit_branch x = {0};
    if (s->kind != SIR_IF)
        return x;
    sir_block *a = &s->u.if_.then, *b = &s->u.if_.otherwise;
    if (just_leaves(r, a, &x.last)) {
        x.otherwise = *b;
        x.go_on = canon_not(r->c, canon_copy(r->c, s->u.if_.cond));
    } else if (just_leaves(r, b, &x.last)) {
        x.otherwise = *a;
        x.go_on = s->u.if_.cond;
    }
    return x;
}

typedef struct mentioned {
    const sir_block *declared;
    bool found;
} mentioned;

static void note_declared(void *context, sir_expr *e, bool written)
{
    (void)written;
    mentioned *m = context;
    for (size_t i = 0; e->kind == SIR_LOCAL && i < m->declared->len; i++)
        if (m->declared->data[i]->kind == SIR_DECL && m->declared->data[i]->u.decl.local == e->index)
            m->found = true;
}

static void note_declared_in(void *context, sir_stmt *s)
{
    sir_visit_exprs(s, note_declared, context);
}

// loop { A; if c { L; break }; B } becomes loop pre { A } while !c { B }; L, or do { A } while !c; L where B is empty.
static bool leave_in_the_middle(rewrite *r, sir_stmt *s, sir_block *after)
{
    sir_block *body = &s->u.loop.body;
    if (s->u.loop.post_test || s->u.loop.pre.len > 0)
        return false;
    size_t k = 0;
    while (k < body->len && of_stmt(r, body->data[k]).mask == 0 && of_stmt(r, body->data[k]).falls)
        k++;
    if (k == body->len || (s->u.loop.cond != NULL && k > 0))
        return false;
    exit_branch x = find_exit(r, body->data[k]);
    bool more = x.last.len > 0;
    if (x.go_on == NULL || (s->u.loop.cond != NULL && more))
        return false;
    sir_block a = slice(r, body->data, k), b = joined(r, &x.otherwise, body->data + k + 1, body->len - k - 1);
    bool other_exits = (of_block(r, &b).mask & (JUMP_BREAK | JUMP_RETURN)) != 0;
    if (other_exits && (k > 0 || more))
        return false; // flags are needed anyway
    mentioned m = {.declared = &a};
    sir_visit_stmts(&x.last, note_declared_in, &m);
    if (m.found)
        return false; // it would be out of scope
    sir_visit_tree(x.go_on, false, note_declared, &m);
    bool at_the_end = k > 0 && b.len == 0 && s->u.loop.step.len == 0 && !m.found;
    s->u.loop.cond = canon_and(r->c, s->u.loop.cond, x.go_on);
    s->u.loop.post_test = at_the_end;
    s->u.loop.body = at_the_end ? a : b;
    if (!at_the_end)
        s->u.loop.pre = a;
    *after = x.last;
    return true;
}

// A loop without a condition has no leading part: it is as well the begin of the body.
static void merge_leading_part(rewrite *r, sir_stmt *s)
{
    if (is_true(s->u.loop.cond))
        s->u.loop.cond = NULL;
    if (s->u.loop.cond != NULL)
        return;
    sir_block pre = s->u.loop.pre;
    if (s->u.loop.post_test)
        s->u.loop.step = joined(r, &s->u.loop.step, pre.data, pre.len);
    else
        s->u.loop.body = joined(r, &pre, s->u.loop.body.data, s->u.loop.body.len);
    s->u.loop.pre = (sir_block){0};
    s->u.loop.post_test = false;
}

static sir_stmt *guarded(rewrite *r, sir_expr *cond, sir_block b, sir_loc loc)
{
    sir_stmt *s = sir_stmt_new(r->c->m, SIR_IF, loc);
    s->u.if_.cond = cond;
    s->u.if_.then = b;
    return s;
}

// The loop asks for the flags of the jumps that leave it.
static void ask_for_flags(rewrite *r, sir_stmt *s, uint8_t mask)
{
    canon *c = r->c;
    sir_loc loc = s->loc;
    sir_block *body = &s->u.loop.body, *step = &s->u.loop.step, *pre = &s->u.loop.pre;
    if (s->u.loop.post_test && pre->len == 0) {
        if (step->len > 0)
            add(r, body, guarded(r, none_taken(r, mask, loc), *step, loc));
        *step = (sir_block){0};
        s->u.loop.cond = canon_and(c, none_taken(r, mask, loc), s->u.loop.cond);
        return;
    }
    if (s->u.loop.post_test || pre->len > 0) {
        // The test becomes part of the body; it raises the flag.
        sir_stmt *end = raise(r, flag(r, &r->loop->left, "left", loc), loc);
        uint8_t both = mask | JUMP_BREAK;
        sir_block test = *pre;
        sir_stmt *branch = sir_stmt_new(c->m, SIR_IF, loc);
        branch->u.if_.cond = s->u.loop.cond;
        add(r, &branch->u.if_.otherwise, end);
        add(r, &test, branch);
        if (s->u.loop.post_test) {
            sir_block after = *step;
            add_all(r, &after, &test);
            add(r, body, guarded(r, none_taken(r, mask, loc), after, loc));
        } else {
            branch->u.if_.then = *body;
            if (step->len > 0)
                add(r, &branch->u.if_.then, guarded(r, none_taken(r, both, loc), *step, loc));
            *body = test;
        }
        *pre = *step = (sir_block){0};
        s->u.loop.post_test = false;
        s->u.loop.cond = none_taken(r, both, loc);
        return;
    }
    if (step->len > 0) {
        sir_stmt *guard = guarded(r, none_taken(r, mask, loc), *step, loc);
        *step = (sir_block){0};
        add(r, step, guard);
    }
    sir_expr *go_on = none_taken(r, mask, loc);
    s->u.loop.cond = s->u.loop.cond == NULL ? go_on : canon_and(c, go_on, s->u.loop.cond);
}

// loop while c { A; break } is done once if at all: if c { A }. NULL: it is another loop.
static sir_stmt *without_repetition(rewrite *r, sir_stmt *s)
{
    const sir_block *body = &s->u.loop.body;
    size_t k = 0;
    while (k < body->len && of_stmt(r, body->data[k]).mask == 0 && of_stmt(r, body->data[k]).falls)
        k++;
    if (s->u.loop.post_test || k == body->len || body->data[k]->kind != SIR_BREAK)
        return NULL;
    sir_stmt *all = sir_stmt_new(r->c->m, SIR_BLOCK, s->loc);
    all->u.block = slice(r, s->u.loop.pre.data, s->u.loop.pre.len);
    sir_block once = slice(r, body->data, k);
    if (s->u.loop.cond != NULL)
        add(r, &all->u.block, guarded(r, s->u.loop.cond, once, s->loc));
    else
        add_all(r, &all->u.block, &once);
    return all;
}

static void process_loop(rewrite *r, sir_stmt *s, sir_block *out)
{
    sir_stmt *once = without_repetition(r, s);
    if (once != NULL) {
        sir_block b = process(r, once->u.block.data, once->u.block.len);
        add_all(r, out, &b);
        return;
    }
    scope mine = {.left = SIR_NONE, .skipped = SIR_NONE}, *outer = r->loop;
    merge_leading_part(r, s);
    sir_block after = {0};
    while ((of_block(r, &s->u.loop.body).mask & (JUMP_BREAK | JUMP_RETURN)) != 0 && after.len == 0 &&
           leave_in_the_middle(r, s, &after)) {
    }
    uint8_t mask = of_block(r, &s->u.loop.body).mask;
    r->loop = &mine;
    s->u.loop.pre = process_block(r, &s->u.loop.pre);
    s->u.loop.step = process_block(r, &s->u.loop.step);
    sir_block body = process_block(r, &s->u.loop.body);
    sir_block begun = {0};
    if (mine.skipped != SIR_NONE)
        add(r, &begun, lower(r, mine.skipped));
    add_all(r, &begun, &body);
    s->u.loop.body = begun;
    if ((mask & (JUMP_BREAK | JUMP_RETURN)) != 0)
        ask_for_flags(r, s, mask & (JUMP_BREAK | JUMP_RETURN));
    r->loop = outer;
    if (mine.left != SIR_NONE)
        add(r, out, lower(r, mine.left));
    add(r, out, s);
    sir_block last = process(r, after.data, after.len);
    add_all(r, out, &last);
}

// A counted loop that something leaves counts by hand.
static sir_stmt *uncount(rewrite *r, sir_stmt *s, sir_block *out)
{
    canon *c = r->c;
    const sir_type *int_type = c->m->scalar[SIR_INT];
    uint32_t i = s->u.for_.local;
    uint32_t hi = canon_fresh(c, "bound", int_type, s->u.for_.hi->loc);
    add(r, out, canon_decl(c, i, s->u.for_.lo));
    add(r, out, canon_decl(c, hi, s->u.for_.hi));
    sir_stmt *loop = sir_stmt_new(c->m, SIR_LOOP, s->loc);
    loop->u.loop.cond =
        sir_expr2(c->m, SIR_BINARY, s->u.for_.step > 0 ? LANG_OP_LT : LANG_OP_GT, c->m->scalar[SIR_BOOLEAN],
                  canon_local(c, i, s->loc), canon_local(c, hi, s->loc), s->loc);
    loop->u.loop.body = s->u.for_.body;
    sir_expr *next = sir_expr2(c->m, SIR_BINARY, LANG_OP_ADD, int_type, canon_local(c, i, s->loc),
                               sir_const_int(c->m, s->u.for_.step, s->loc), s->loc);
    add(r, &loop->u.loop.step, canon_set(c, i, next));
    return loop;
}

static void process_for(rewrite *r, sir_stmt *s, sir_block *out)
{
    if ((of_block(r, &s->u.for_.body).mask & (JUMP_BREAK | JUMP_RETURN)) != 0) {
        process_loop(r, uncount(r, s, out), out);
        return;
    }
    scope mine = {.left = SIR_NONE, .skipped = SIR_NONE}, *outer = r->loop;
    r->loop = &mine;
    sir_block body = process_block(r, &s->u.for_.body), begun = {0};
    r->loop = outer;
    if (mine.skipped != SIR_NONE)
        add(r, &begun, lower(r, mine.skipped));
    add_all(r, &begun, &body);
    s->u.for_.body = begun;
    add(r, out, s);
}

// ---- Statements ----

static sir_block process(rewrite *r, sir_stmt *const *stmts, size_t count)
{
    sir_block out = {0};
    for (size_t i = 0; i < count; i++) {
        sir_stmt *s = stmts[i];
        sir_stmt *const *rest = stmts + i + 1;
        size_t left = count - i - 1;
        jumps j = of_stmt(r, s);
        switch (s->kind) {
        case SIR_BREAK:
        case SIR_CONTINUE:
        case SIR_RETURN: process_jump(r, s, &out); return out;
        case SIR_IF:
            if (!process_if(r, s, rest, left, &out))
                return out;
            break;
        case SIR_BLOCK: {
            if (j.mask != 0 && left > 0) {
                sir_block all = joined(r, &s->u.block, rest, left);
                sir_block more = process(r, all.data, all.len);
                add_all(r, &out, &more);
                return out;
            }
            sir_block inner = process(r, s->u.block.data, s->u.block.len);
            add_all(r, &out, &inner);
            if (!j.falls)
                return out;
            break;
        }
        case SIR_LOOP:
        case SIR_FOR:
            if (s->kind == SIR_LOOP)
                process_loop(r, s, &out);
            else
                process_for(r, s, &out);
            if (!j.falls)
                return out;
            if (j.mask != 0 && left > 0) {
                process_guarded(r, j.mask, rest, left, &out, s->loc);
                return out;
            }
            break;
        default: add(r, &out, s); break;
        }
    }
    return out;
}

// "{ ..; return e }" without another return stays as it is.
static sir_stmt *take_final_return(sir_block *body)
{
    if (body->len == 0 || VEC_LAST(body)->kind != SIR_RETURN)
        return NULL;
    sir_stmt *s = VEC_LAST(body);
    body->len--;
    return s;
}

static void note_return(void *context, sir_stmt *s)
{
    bool *found = context;
    *found = *found || s->kind == SIR_RETURN;
}

void canon_remove_jumps(canon *c)
{
    rewrite r = {.c = c, .returned = SIR_NONE, .result = SIR_NONE};
    hmap_init(&r.known, c->scratch);
    sir_block *body = &c->f->body;
    sir_stmt *last = take_final_return(body);
    bool early = false;
    sir_visit_stmts(body, note_return, &early);
    if (early && last != NULL) {
        VEC_PUSH(c->m->arena, body, last);
        last = NULL;
    }
    if (!of_block(&r, body).falls)
        last = NULL; // it is never reached, and what it returns may be gone
    sir_block out = process(&r, body->data, body->len);
    bool value = c->f->result->kind != SIR_VOID;
    sir_block whole = {0};
    if (value && last == NULL && r.result == SIR_NONE)
        r.result = canon_fresh(c, "result", c->f->result, c->f->loc);
    if (r.result != SIR_NONE)
        VEC_PUSH(c->m->arena, &whole, canon_decl(c, r.result, NULL));
    if (r.returned != SIR_NONE)
        VEC_PUSH(c->m->arena, &whole, lower(&r, r.returned));
    for (size_t i = 0; i < out.len; i++)
        VEC_PUSH(c->m->arena, &whole, out.data[i]);
    if (value && last == NULL) {
        last = sir_stmt_new(c->m, SIR_RETURN, c->f->loc);
        last->u.value = canon_local(c, r.result, c->f->loc);
    }
    if (value)
        VEC_PUSH(c->m->arena, &whole, last);
    c->f->body = whole;
}
