// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that do what several calls of others do: made as trees, as if the program had written
//
//     kernel void a_b(float x<>, float k, out float y<>) { float t; a(x, t); b(k, t, y); }
//
// so that checks, lowering and all behind it see a kernel like others. One whose last call is of a reduce function is such a
// function, too, but of what its other calls make of the elements.
#include <string.h>

#include "lang/brook/check.h"
#include "lang/brook/host.h"

// What tells whether the program has such a kernel already.
static const char *key_of(arena *a, const host_fused *f)
{
    strbuf key;
    strbuf_init(&key, a);
    for (VEC_EACH(brook_var *const, v, &f->params))
        strbuf_printf(&key, "%d ", (int)(*v)->kind);
    for (VEC_EACH(const host_fused_call, c, &f->calls)) {
        strbuf_printf(&key, "%s", c->kernel->name);
        for (VEC_EACH(const size_t, i, &c->args))
            strbuf_printf(&key, " %zu", *i);
        strbuf_addc(&key, ';');
    }
    return key.data;
}

// "blur_sharpen", "blur_and_5_more".
static const char *name_of(brook_program *p, const host_fused *f)
{
    enum { NAMED = 3 };
    strbuf b;
    strbuf_init(&b, p->arena);
    size_t named = f->calls.len <= NAMED ? f->calls.len : 1;
    for (size_t i = 0; i < named; i++)
        strbuf_printf(&b, "%s%s", i == 0 ? "" : "_", f->calls.data[i].kernel->name);
    if (named < f->calls.len)
        strbuf_printf(&b, "_and_%zu_more", f->calls.len - named);
    const char *base = b.data, *name = base;
    for (size_t number = 2;; number++) {
        bool taken = false;
        for (VEC_EACH(brook_kernel *const, k, &p->kernels))
            taken = taken || strcmp((*k)->name, name) == 0;
        if (!taken)
            return intern(p->names, name);
        name = arena_printf(p->arena, "%s_%zu", base, number);
    }
}

static brook_expr *new_expr(brook_program *p, brook_expr_kind kind, src_range range, uint16_t height)
{
    brook_expr *e = ARENA_NEW(p->arena, brook_expr);
    e->kind = kind;
    e->range = range;
    e->height = height;
    e->type = (brook_type){.element = BROOK_ERROR, .width = 1};
    return e;
}

static brook_stmt *call_of(brook_program *p, const host_fused *f, const host_fused_call *c)
{
    brook_expr *call = new_expr(p, BROOK_EXPR_CALL, c->range, 2);
    call->u.call.name = c->kernel->name;
    call->u.call.name_range = c->range;
    for (VEC_EACH(const size_t, i, &c->args)) {
        brook_expr *name = new_expr(p, BROOK_EXPR_NAME, c->range, 1);
        name->u.name.name = f->params.data[*i]->name;
        VEC_PUSH(p->arena, &call->u.call.args, name);
    }
    brook_stmt *s = ARENA_NEW(p->arena, brook_stmt);
    *s = (brook_stmt){.kind = BROOK_STMT_EXPR, .height = 3, .range = c->range, .u.expr = call};
    return s;
}

const brook_kernel *brook_fuse(brook_program *p, const host_fused *f)
{
    const char *key = key_of(p->arena, f);
    const brook_kernel *known = hmap_get(&p->fused, key);
    if (known != NULL)
        return known;
    src_range first = f->calls.data[0].range, last = VEC_LAST(&f->calls).range;
    brook_kernel *k = ARENA_NEW(p->arena, brook_kernel);
    *k = (brook_kernel){.name = name_of(p, f),
                        .range = {first.file, first.begin, last.end},
                        .name_range = {first.file, first.begin, last.end},
                        .fused = true,
                        .reduce = VEC_LAST(&f->calls).kernel->reduce,
                        .result = {.element = BROOK_VOID, .width = 1},
                        .file = first.file};
    for (VEC_EACH(brook_var *const, v, &f->params))
        VEC_PUSH(p->arena, &k->params, *v);
    k->body = ARENA_NEW(p->arena, brook_stmt);
    *k->body = (brook_stmt){.kind = BROOK_STMT_BLOCK, .height = 4, .range = {last.file, last.end, last.end}};
    for (VEC_EACH(const host_fused_call, c, &f->calls))
        VEC_PUSH(p->arena, &k->body->u.block, call_of(p, f, c));
    brook_checker c = {.program = p, .arena = p->arena, .diags = p->diags};
    brook_check_kernel(&c, k);
    VEC_PUSH(p->arena, &p->kernels, k);
    hmap_set(&p->fused, key, k);
    return k;
}
