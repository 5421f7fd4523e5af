// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What several passes do with the filters of a module.
#include <string.h>

#include "hlc/ir/copy.h"
#include "hlc/ir/walk.h"
#include "hlc/passes/canonicalize.h"
#include "hlc/passes/pass.h"
#include "targets/machine.h"

// Passes change nodes where they are.
static sir_function *copy_function(arena *a, const sir_function *f)
{
    sir_function *r = ARENA_NEW(a, sir_function);
    *r = *f;
    memset(&r->locals, 0, sizeof r->locals);
    for (VEC_EACH(sir_local, local, &f->locals))
        VEC_PUSH(a, &r->locals, *local);
    r->body = sir_copy_block(&(sir_copier){.arena = a}, &f->body);
    return r;
}

sir_filter *pass_copy_filter(sir_module *m, const sir_filter *f)
{
    arena *a = m->arena;
    sir_filter *r = ARENA_NEW(a, sir_filter);
    *r = *f;
    memset(&r->fields, 0, sizeof r->fields);
    for (VEC_EACH(sir_field, field, &f->fields))
        VEC_PUSH(a, &r->fields, *field);
    r->work = copy_function(a, f->work);
    r->prework = f->prework == NULL ? NULL : copy_function(a, f->prework);
    r->ahead = NULL;
    return r;
}

void pass_drop_filters(sir_module *m)
{
    arena *a = arena_create();
    hmap used;
    hmap_init(&used, a);
    for (VEC_EACH(sir_actor *, actor, &m->actors))
        if ((*actor)->filter != NULL)
            hmap_setn(&used, &(*actor)->filter, sizeof(sir_filter *), m);
    for (VEC_EACH(const sir_channel, c, &m->channels))
        if (c->zeros != NULL) {
            hmap_setn(&used, &c->zeros->samples, sizeof(sir_filter *), m);
            hmap_setn(&used, &c->zeros->phases, sizeof(sir_filter *), m);
        }
    size_t kept = 0;
    for (size_t i = 0; i < m->filters.len; i++)
        if (hmap_getn(&used, &m->filters.data[i], sizeof(sir_filter *)) != NULL)
            m->filters.data[kept++] = m->filters.data[i];
    m->filters.len = kept;
    arena_destroy(a);
}

// The name, or one like it, that no field of the filter has.
static const char *field_name(sir_module *m, const sir_filter *f, const char *wanted)
{
    const char *name = wanted;
    for (size_t n = 2, i = 0; i < f->fields.len;)
        if (strcmp(f->fields.data[i].name, name) == 0) {
            name = arena_printf(m->arena, "%s_%zu", wanted, n++);
            i = 0;
        } else {
            i++;
        }
    return name;
}

uint32_t pass_add_fields(sir_module *m, sir_filter *to, const sir_filter *from)
{
    uint32_t first = (uint32_t)to->fields.len;
    for (VEC_EACH(sir_field, field, &from->fields)) {
        sir_field copy = *field;
        copy.name = field_name(m, to, field->name);
        VEC_PUSH(m->arena, &to->fields, copy);
    }
    return first;
}

void pass_put_behind(sir_module *m, arena *a, uint32_t count, const uint32_t *behind, bool *gone)
{
    const size_t all = m->actors.len;
    uint32_t *place = ARENA_ARRAY(a, uint32_t, all + 1), next = 0;
    sir_actor **old = ARENA_ARRAY(a, sir_actor *, all + 1);
    bool *told = ARENA_ARRAY(a, bool, all + 1);
    memcpy(old, m->actors.data, all * sizeof *old);
    for (uint32_t i = 0; i < count; i++) {
        place[i] = next++;
        if (behind[i] != 0)
            place[behind[i]] = next++;
    }
    for (size_t i = 0; i < all; i++)
        m->actors.data[place[i]] = old[i];
    for (VEC_EACH(sir_channel, c, &m->channels)) {
        c->producer = place[c->producer];
        c->consumer = place[c->consumer];
    }
    for (size_t i = 0; gone != NULL && i < all; i++)
        told[place[i]] = gone[i];
    if (gone != NULL)
        memcpy(gone, told, all * sizeof *gone);
}

void pass_tidy(sir_module *m)
{
    pass_drop_filters(m);
    for (VEC_EACH(sir_filter *, f, &m->filters))
        sir_filter_derive(m, *f);
    sir_canonicalize(m, &(canon_options){0});
}

bool pass_take_actors(hlc_program *p, pass_taker *take, void *context)
{
    if (!pass_may_change_more(p) || pass_shares_out(p))
        return false;
    bool changed = false;
    arena *a = arena_create();
    for (size_t i = p->module->actors.len; i-- > 0;)
        if (i < p->module->actors.len)
            changed |= take(p, a, context, (uint32_t)i);
    if (changed) {
        pass_tidy(p->module);
    }
    arena_destroy(a);
    return changed;
}

bool pass_waits(const sir_function *work)
{
    return work->peek.dynamic || work->peek.max > work->pop.max;
}

hmap *pass_tables_made(hlc_program *p)
{
    if (p->tables_made == NULL) {
        p->tables_made = ARENA_NEW(p->arena, hmap);
        hmap_init(p->tables_made, p->arena);
    }
    return p->tables_made;
}

bool pass_is_elementary(const sir_expr *e)
{
    if (e->kind != SIR_MATH || e->type->kind != SIR_FLOAT)
        return false;
    switch ((lang_math_op)e->op) {
    case LANG_MATH_SIN:
    case LANG_MATH_COS:
    case LANG_MATH_TAN:
    case LANG_MATH_ATAN:
    case LANG_MATH_ATAN2:
    case LANG_MATH_EXP:
    case LANG_MATH_LOG:
    case LANG_MATH_LOG10:
    case LANG_MATH_POW:
    case LANG_MATH_TANH: return true;
    default: return false;
    }
}

static void find_elementary(void *context, sir_expr *e, bool written)
{
    (void)written;
    *(bool *)context |= pass_is_elementary(e);
}

static void find_elementary_in(void *context, sir_stmt *s)
{
    sir_visit_exprs(s, find_elementary, context);
}

bool pass_has_elementary(const sir_block *b)
{
    bool found = false;
    sir_visit_stmts(b, find_elementary_in, &found);
    return found;
}

static void number_field(void *context, sir_expr *e, bool written)
{
    (void)written;
    if (e->kind == SIR_FIELD)
        e->index = ((const uint32_t *)context)[e->index];
}

static void number_fields(void *context, sir_stmt *s)
{
    sir_visit_exprs(s, number_field, context);
}

void pass_keep_fields(arena *a, sir_filter *f, const bool *keep)
{
    uint32_t *number = ARENA_ARRAY(a, uint32_t, f->fields.len + 1), kept = 0;
    for (uint32_t i = 0; i < f->fields.len; i++) {
        number[i] = kept;
        f->fields.data[kept] = f->fields.data[i];
        kept += keep[i];
    }
    f->fields.len = kept;
    sir_visit_stmts(&f->work->body, number_fields, number);
}
