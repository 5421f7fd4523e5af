// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A number of which several bits are asked for by masks of their own, as those of a code are, is cut to all of these bits first:
// one number of few values, instead of several that nobody knows to be one's.
//
//     %code = pop                                             %code = pop
//     if %code & 4 != 0 { ... }                       ->      var %few = %code & 15
//     if %code & 8 != 0 { ... }                               if %few & 4 != 0 { ... }   ...
//     $index = $index + $change[%code & 7]
//
// tabulate_few makes a key of it; where it makes no table, the function becomes what it was.
#include <string.h>

#include "hlc/ir/copy.h"
#include "hlc/passes/tabulate_int.h"

// Bits of one number, as in tabulate_few.
enum { MASKED_BITS = 255 };

typedef struct masked_local {
    size_t reads, writes;
    size_t asked; // reads that a mask goes over
    uint32_t bits, first;
    bool several;
} masked_local;

typedef struct mask_walk {
    masked_local *locals;
    uint32_t from, to; // the local that becomes another
} mask_walk;

// "x & 4" or "x >> 2 & 1": the local, and the bits of it that are asked for; NULL: it is no such expression.
static sir_expr *masked(sir_expr *e, uint32_t *bits)
{
    if (e->kind != SIR_BINARY || e->op != LANG_OP_AND || e->type->kind != SIR_INT || e->u.arg[1]->kind != SIR_CONST)
        return NULL;
    sir_expr *of = e->u.arg[0];
    const int32_t mask = e->u.arg[1]->u.value.i;
    int32_t by = 0;
    if (of->kind == SIR_BINARY && of->op == LANG_OP_SHR && of->u.arg[1]->kind == SIR_CONST) {
        by = of->u.arg[1]->u.value.i;
        of = of->u.arg[0];
    }
    if (of->kind != SIR_LOCAL || of->type->kind != SIR_INT || by < 0 || by > 7 || mask < 1 || mask > MASKED_BITS >> by)
        return NULL;
    *bits = (uint32_t)mask << by;
    return of;
}

static void count_use(void *context, sir_expr *e, bool written)
{
    const mask_walk *w = context;
    uint32_t bits;
    const sir_expr *of = masked(e, &bits);
    if (of != NULL) {
        masked_local *l = &w->locals[of->index];
        l->several |= l->asked > 0 && l->first != bits;
        l->first = bits;
        l->bits |= bits;
        l->asked++;
    }
    if (e->kind == SIR_LOCAL)
        *(written ? &w->locals[e->index].writes : &w->locals[e->index].reads) += 1;
}

static void count_uses(void *context, sir_stmt *s)
{
    const mask_walk *w = context;
    if (s->kind == SIR_DECL && !s->u.decl.uninitialised)
        w->locals[s->u.decl.local].writes += s->u.decl.init != NULL;
    if (s->kind == SIR_FOR)
        w->locals[s->u.for_.local].writes += 2;
    sir_parts parts = sir_stmt_parts(s);
    for (size_t i = 0; i < parts.arg_count; i++)
        if (parts.args[i]->kind == SIR_LOCAL)
            w->locals[parts.args[i]->index].writes += 2;
    sir_visit_exprs(s, count_use, context);
}

static void rename_use(void *context, sir_expr *e, bool written)
{
    const mask_walk *w = context;
    uint32_t bits;
    sir_expr *of = written ? NULL : masked(e, &bits);
    if (of != NULL && of->index == w->from)
        of->index = w->to;
}

static void rename_uses(void *context, sir_stmt *s)
{
    sir_visit_exprs(s, rename_use, context);
}

// The local that the statement gives its only value, if only bits of it are asked for.
static bool gives(const mask_walk *w, sir_stmt *s, uint32_t *local)
{
    const sir_expr *root = sir_assigned_root(s);
    if (s->kind == SIR_DECL && s->u.decl.init != NULL)
        *local = s->u.decl.local;
    else if ((s->kind == SIR_POP || s->kind == SIR_SET) && root != NULL && root->kind == SIR_LOCAL)
        *local = root->index;
    else
        return false;
    const masked_local *l = &w->locals[*local];
    return l->writes == 1 && l->several && l->reads == l->asked && l->bits <= MASKED_BITS;
}

bool tab_join_masks(arena *a, sir_module *m, sir_function *f, tab_joined *before)
{
    mask_walk w = {.locals = ARENA_ARRAY(a, masked_local, f->locals.len + 1)};
    sir_block to = {0};
    bool any = false;
    *before = (tab_joined){.locals = f->locals.len};
    sir_visit_stmts(&f->body, count_uses, &w);
    for (size_t i = 0; i < f->body.len; i++) {
        sir_stmt *s = f->body.data[i];
        VEC_PUSH(m->arena, &to, s);
        // No statement before reads what is not there yet.
        if (!gives(&w, s, &w.from) || sir_count_local(&(sir_block){.data = f->body.data, .len = i}, w.from) != 0)
            continue;
        if (!any) {
            const sir_copier plain = {.arena = m->arena};
            before->body = sir_copy_block(&plain, &f->body);
        }
        any = true;
        const uint32_t bits = w.locals[w.from].bits;
        const sir_type *ints = m->scalar[SIR_INT];
        w.to = sir_local_new(m, f, "few", ints, s->loc);
        sir_stmt *decl = sir_stmt_new(m, SIR_DECL, s->loc);
        decl->u.decl.local = w.to;
        decl->u.decl.init = sir_expr2(m, SIR_BINARY, LANG_OP_AND, ints, sir_ref(m, SIR_LOCAL, w.from, ints, s->loc),
                                      sir_const_int(m, (int32_t)bits, s->loc), s->loc);
        sir_visit_stmts(&(sir_block){.data = f->body.data + i + 1, .len = f->body.len - i - 1}, rename_uses, &w);
        VEC_PUSH(m->arena, &to, decl);
    }
    if (any)
        f->body = to;
    return any;
}

void tab_part_masks(sir_function *f, const tab_joined *before)
{
    f->body = before->body;
    f->locals.len = before->locals;
    f->names = NULL; // these have names that go
}
