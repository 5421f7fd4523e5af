// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Filters that differ in constants only share their functions, and so do those that differ in nothing: passes make such.
//
// NOTE(given). Filters of one declaration are a family where their bodies are the same but for floating-point constants
// and tables of such. The first that is met has functions for all; what differs is given to them as parameters. Constants
// that compilers make something better of stay in the text, and filters that differ in these are not alike: ints (they
// bound loops and choose elements), divisors, arguments of functions, powers of two and 0, and tables that loops of few
// trips go through, which are constants once the loops are unrolled: of fewer than 8 elements, or of fewer than 32 where
// products with some of them are no products.
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "hlc/emit/program_int.h"
#include "hlc/ir/walk.h"

// Elements of a table at least; of one whose elements may be anything.
enum { ALIKE_TABLE = 8, ALIKE_LONG = 32 };

typedef VEC(sir_expr *) slot_list;
typedef struct family {
    VEC(const sir_filter *) members;
    VEC(slot_list) slots;    // of each, in order: the constants that may differ
    bool described;          // differing has been found
    VEC(uint32_t) differing; // slots, without those that have the values of another
    uint32_t *param_of;      // per slot: 1 + its place in differing; 0: it is the same everywhere
} family;

typedef struct shaper {
    arena *a;
    const sir_module *module;
    const sir_filter *filter;
    bool fast;  // sums may be rounded otherwise: nothing is left of products with 0
    strbuf key; // not text: the bytes of what is alike
    slot_list slots;
    bool fails; // it calls functions of its own, or sends
} shaper;

static void shape(shaper *s, uint64_t what)
{
    strbuf_addn(&s->key, (const char *)&what, sizeof what);
}

static void shape_pointer(shaper *s, const void *what)
{
    shape(s, (uint64_t)(uintptr_t)what);
}

static void shape_text(shaper *s, const char *text, size_t len)
{
    shape(s, len);
    strbuf_addn(&s->key, text, len);
}

static bool is_float(const sir_type *t)
{
    return t->kind == SIR_FLOAT || t->kind == SIR_DOUBLE;
}

static double number(const sir_expr *e)
{
    return e->type->kind == SIR_FLOAT ? (double)e->u.value.f : e->u.value.d;
}

static double element_of(const sir_value *v, const sir_type *t, uint64_t i)
{
    const sir_expr e = {.kind = SIR_CONST, .type = t, .u.value = v->zero ? (sir_scalar){0} : v->data[i]};
    return number(&e);
}

// fixed: what lies in a short one is known where it is used.
static bool is_table(const shaper *s, const sir_value *v, const sir_type *t, bool fixed)
{
    const uint64_t words = t->words;
    if (t->kind != SIR_ARRAY)
        return false;
    while (t->kind == SIR_ARRAY)
        t = t->element;
    if (!is_float(t) || words < ALIKE_TABLE || (fixed && words < ALIKE_LONG))
        return false;
    for (uint64_t i = 0; words < ALIKE_LONG && i < words; i++) {
        const double element = fabs(element_of(v, t, i));
        if (element == 1 || element == 2 || (element == 0 && s->fast))
            return false;
    }
    return true;
}

static bool is_slot(const shaper *s, const sir_expr *e, bool fixed)
{
    int exponent;
    switch (e->kind) {
    case SIR_CONST:
        return !fixed && is_float(e->type) && isfinite(number(e)) && number(e) != 0 &&
               fabs(frexp(number(e), &exponent)) != 0.5;
    case SIR_GLOBAL: return is_table(s, &s->module->globals.data[e->index].value, e->type, fixed);
    case SIR_FIELD:
        return s->filter->fields.data[e->index].constant &&
               is_table(s, &s->filter->fields.data[e->index].init, e->type, fixed);
    default: return false;
    }
}

static void shape_double(shaper *s, double v)
{
    uint64_t bits;
    v = isnan(v) ? copysign((double)NAN, v) : v; // C text has one of each sign
    memcpy(&bits, &v, sizeof bits);
    shape(s, bits);
}

static void shape_constant(shaper *s, const sir_expr *e)
{
    switch (e->type->kind) {
    case SIR_FLOAT: shape_double(s, (double)e->u.value.f); break;
    case SIR_DOUBLE: shape_double(s, e->u.value.d); break;
    case SIR_COMPLEX:
        shape_double(s, (double)e->u.value.c.re);
        shape_double(s, (double)e->u.value.c.im);
        break;
    default: shape(s, (uint64_t)(uint32_t)e->u.value.i); break;
    }
}

static bool has_index(const sir_expr *e)
{
    return e->kind == SIR_LOCAL || e->kind == SIR_FIELD || e->kind == SIR_GLOBAL || e->kind == SIR_MEMBER;
}

// Elements of a constant that is no slot: they stand in the shared functions.
static void shape_value(shaper *s, const sir_value *v)
{
    shape(s, v->zero);
    if (!v->zero)
        strbuf_addn(&s->key, (const char *)v->data, v->type->words * sizeof *v->data);
}

// Whether trips of loops step through the elements. Those that lie otherwise, as where subscripts go round, are put into vectors
// by a C compiler that knows them.
static bool is_step(const sir_expr *e)
{
    const bool sum = e->kind == SIR_BINARY && (e->op == LANG_OP_ADD || e->op == LANG_OP_SUB || e->op == LANG_OP_MUL);
    return e->kind == SIR_CONST || e->kind == SIR_LOCAL || (sum && is_step(e->u.arg[0]) && is_step(e->u.arg[1]));
}

// What becomes of a constant that is a part of an expression.
static bool is_fixed(const sir_expr *e, size_t part, bool fixed)
{
    if (e->kind == SIR_INDEX)
        return part == 0 && (fixed || !is_step(e->u.arg[1]));
    return e->kind == SIR_MATH || (e->kind == SIR_BINARY && e->op == LANG_OP_DIV && part == 1);
}

// fixed: a constant stays one.
static void shape_expr(shaper *s, sir_expr *e, bool fixed)
{
    bool slot = is_slot(s, e, fixed);
    size_t arity = e->kind == SIR_CONST ? 0 : sir_expr_arity(e);
    uint32_t index = has_index(e) && !(slot && e->kind == SIR_GLOBAL) ? e->index : 0;
    const uint64_t words[] = {(uint64_t)e->kind << 56 | (uint64_t)e->op << 48 | (uint64_t)slot << 40 |
                                  (uint64_t)e->known << 32 | index,
                              (uint64_t)(uintptr_t)e->type, arity};
    strbuf_addn(&s->key, (const char *)words, sizeof words);
    if (slot)
        VEC_PUSH(s->a, &s->slots, e);
    else if (e->kind == SIR_CONST)
        shape_constant(s, e);
    else if (e->kind == SIR_FIELD && s->filter->fields.data[e->index].constant)
        shape_value(s, &s->filter->fields.data[e->index].init); // fields that are not used may differ
    for (size_t i = 0; i < arity; i++)
        shape_expr(s, e->u.arg[i], is_fixed(e, i, fixed));
}

static void shape_block(shaper *s, const sir_block *b);

static void shape_stmt(shaper *s, sir_stmt *st)
{
    sir_parts p = sir_stmt_parts(st);
    shape(s, (uint64_t)st->kind << 56 | (uint64_t)p.expr_count << 48 | (uint64_t)p.block_count << 40 |
                 (uint64_t)(p.target != NULL) << 32);
    switch ((sir_stmt_kind)st->kind) {
    case SIR_DECL: shape(s, (uint64_t)st->u.decl.local << 1 | st->u.decl.uninitialised); break;
    case SIR_FOR: shape(s, (uint64_t)st->u.for_.local << 32 | (uint32_t)st->u.for_.step); break;
    case SIR_LOOP: shape(s, st->u.loop.post_test); break;
    case SIR_PRINT:
        if (st->u.print.value == NULL)
            shape_text(s, st->u.print.text, st->u.print.len);
        break;
    case SIR_CALL:
        s->fails |= st->u.call.function->kind == SIR_HELPER && strchr(st->u.call.function->name, '.') == NULL;
        shape_pointer(s, st->u.call.function);
        shape(s, p.arg_count);
        break;
    case SIR_SEND: s->fails = true; break;
    default: break;
    }
    for (uint8_t i = 0; i < p.expr_count; i++)
        shape_expr(s, *p.expr[i], false);
    for (size_t i = 0; i < p.arg_count; i++)
        shape_expr(s, p.args[i], true);
    if (p.target != NULL)
        shape_expr(s, *p.target, true);
    for (uint8_t i = 0; i < p.block_count; i++)
        shape_block(s, p.block[i]);
}

static void shape_block(shaper *s, const sir_block *b)
{
    shape(s, b->len);
    for (size_t i = 0; i < b->len; i++)
        shape_stmt(s, b->data[i]);
}

static void shape_rate(shaper *s, const sir_rate *r)
{
    s->fails |= r->dynamic;
    shape(s, (uint64_t)r->min);
    shape(s, (uint64_t)r->max);
}

// Of a filter that is alike others: what is found without a look at its body.
static void shape_outside(shaper *s, const sir_filter *f)
{
    s->fails = f->prework != NULL || f->ahead != NULL || f->handlers.len != 0;
    shape(s, (uint64_t)f->loc.file << 32 | f->loc.line);
    shape(s, f->loc.column);
    shape_pointer(s, f->input);
    shape_pointer(s, f->output);
    shape_rate(s, &f->work->peek);
    shape_rate(s, &f->work->pop);
    shape_rate(s, &f->work->push);
    shape(s, f->fields.len);
    shape(s, f->work->locals.len);
    shape(s, f->work->body.len);
}

// Everything of a filter but what may differ between filters that are alike.
static void shape_filter(shaper *s, const sir_filter *f)
{
    shape_outside(s, f);
    for (VEC_EACH(const sir_field, field, &f->fields)) {
        shape_text(s, field->name, strlen(field->name));
        shape_pointer(s, field->type);
        shape(s, field->constant);
    }
    for (VEC_EACH(const sir_local, local, &f->work->locals)) {
        shape_text(s, local->name, strlen(local->name));
        shape_pointer(s, local->type);
    }
    shape_block(s, &f->work->body);
}

// ---- What differs ----

static bool same_values(const sir_value *a, const sir_value *b, const sir_type *t)
{
    while (t->kind == SIR_ARRAY)
        t = t->element;
    for (uint64_t i = 0; i < a->type->words; i++) {
        double u = element_of(a, t, i), v = element_of(b, t, i);
        if (memcmp(&u, &v, sizeof u) != 0)
            return false;
    }
    return true;
}

// Whether two constants of one filter, or of two that are alike, are the same.
static bool same(const sir_filter *f, const sir_expr *a, const sir_filter *g, const sir_expr *b)
{
    if (a->kind != b->kind || a->type != b->type)
        return false;
    if (a->kind == SIR_GLOBAL)
        return a->index == b->index;
    if (a->kind == SIR_FIELD)
        return (f == g && a->index == b->index) ||
               same_values(&f->fields.data[a->index].init, &g->fields.data[b->index].init, a->type);
    double u = number(a), v = number(b);
    return memcmp(&u, &v, sizeof u) == 0;
}

static bool differs(const family *x, size_t slot)
{
    for (size_t i = 1; i < x->members.len; i++)
        if (!same(x->members.data[0], x->slots.data[0].data[slot], x->members.data[i], x->slots.data[i].data[slot]))
            return true;
    return false;
}

// Whether two slots have the same value in every member.
static bool coincide(const family *x, size_t a, size_t b)
{
    for (size_t i = 0; i < x->members.len; i++)
        if (!same(x->members.data[i], x->slots.data[i].data[a], x->members.data[i], x->slots.data[i].data[b]))
            return false;
    return true;
}

static void describe(arena *a, family *x)
{
    size_t n = x->slots.data[0].len;
    x->described = true;
    x->param_of = ARENA_ARRAY(a, uint32_t, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < x->differing.len && x->param_of[i] == 0; k++)
            if (coincide(x, x->differing.data[k], i))
                x->param_of[i] = k + 1;
        if (x->param_of[i] != 0 || !differs(x, i))
            continue;
        VEC_PUSH(a, &x->differing, i);
        x->param_of[i] = (uint32_t)x->differing.len;
    }
}

static void find_family(program_emitter *x, hmap *shapes, const sir_filter *f)
{
    arena *a = x->e.arena;
    shaper s = {
        .a = a, .module = x->m, .filter = f, .fast = x->p != NULL && x->p->config != NULL && x->p->config->fast_math};
    strbuf_init(&s.key, a);
    shape_filter(&s, f);
    if (s.fails)
        return;
    family *of = hmap_getn(shapes, s.key.data, s.key.len);
    if (of == NULL) {
        of = ARENA_NEW(a, family);
        hmap_setn(shapes, s.key.data, s.key.len, of);
    }
    VEC_PUSH(a, &of->members, f);
    VEC_PUSH(a, &of->slots, s.slots);
    hmap_setn(&x->families, &f, sizeof f, of);
}

// Filters that could be alike, by what is found without a look at their bodies.
typedef struct group {
    VEC(const sir_filter *) filters;
} group;

static group *group_of(arena *a, hmap *groups, const sir_filter *f)
{
    shaper s = {.a = a, .filter = f};
    strbuf_init(&s.key, a);
    shape_outside(&s, f);
    group *g = hmap_getn(groups, s.key.data, s.key.len);
    if (g == NULL) {
        g = ARENA_NEW(a, group);
        hmap_setn(groups, s.key.data, s.key.len, g);
    }
    return g;
}

void program_find_alike(program_emitter *x)
{
    arena *a = x->e.arena, *scratch = arena_create();
    hmap shapes, seen, groups;
    hmap_init(&shapes, a);
    hmap_init(&seen, scratch);
    hmap_init(&groups, scratch);
    hmap_init(&x->families, a);
    hmap_init(&x->given_names, a);
    VEC(const sir_filter *) filters = {0};
    if (!x->e.keep_names && !program_launches(x)) { // a thread's constants are in its program
        for (VEC_EACH(sir_actor *, actor, &x->m->actors))
            if ((*actor)->kind == SIR_FILTER)
                VEC_PUSH(scratch, &filters, (*actor)->filter);
        for (VEC_EACH(sir_channel, c, &x->m->channels))
            if (c->zeros != NULL) {
                VEC_PUSH(scratch, &filters, c->zeros->samples);
                VEC_PUSH(scratch, &filters, c->zeros->phases);
            }
    }
    for (VEC_EACH(const sir_filter *, f, &filters))
        if (hmap_getn(&seen, f, sizeof *f) == NULL) {
            group *g = group_of(scratch, &groups, *f);
            hmap_setn(&seen, f, sizeof *f, g);
            VEC_PUSH(scratch, &g->filters, *f);
        }
    for (size_t i = 0; i < groups.len; i++) {
        const group *g = groups.entries[i].value;
        for (size_t k = 0; g->filters.len > 1 && k < g->filters.len; k++)
            find_family(x, &shapes, g->filters.data[k]);
    }
    arena_destroy(scratch);
}

// ---- Their functions ----

// Whether a constant is, in each member, the value of one of its fields, which was put in its place.
static bool is_value_of(const family *of, uint32_t slot, uint32_t field)
{
    for (size_t i = 0; i < of->members.len; i++) {
        const sir_field *f = &of->members.data[i]->fields.data[field];
        const sir_expr *e = of->slots.data[i].data[slot];
        if (!f->constant || f->type != e->type)
            return false;
        sir_expr value = {
            .kind = SIR_CONST, .type = f->type, .u.value = f->init.zero ? (sir_scalar){0} : f->init.data[0]};
        if (!same(of->members.data[i], &value, of->members.data[i], e))
            return false;
    }
    return true;
}

static const char *slot_name(const program_emitter *x, const family *of, uint32_t slot)
{
    const sir_filter *f = of->members.data[0];
    const sir_expr *e = of->slots.data[0].data[slot];
    if (e->kind == SIR_GLOBAL)
        return x->m->globals.data[e->index].name;
    if (e->kind == SIR_FIELD)
        return f->fields.data[e->index].name;
    for (uint32_t i = 0; i < f->fields.len; i++)
        if (is_value_of(of, slot, i))
            return f->fields.data[i].name;
    return "constant";
}

// What a filter gives for a slot: a literal, or a table's name.
static const char *slot_value(program_emitter *x, const emit_filter_info *info, const sir_expr *slot)
{
    if (slot->kind == SIR_GLOBAL)
        return emit_global(&x->e, slot->index);
    if (slot->kind == SIR_FIELD)
        return emit_field_table(&x->e, info, slot->index);
    strbuf text;
    strbuf_init(&text, x->e.arena);
    emit_scalar(&text, slot->type, slot->u.value);
    return text.data;
}

static bool is_taken(const emit_filter_info *info, const char *name)
{
    bool taken = false;
    for (VEC_EACH(const char *, field, &info->field_names))
        taken |= strcmp(*field, name) == 0;
    for (VEC_EACH(const emit_given, g, &info->given))
        taken |= strcmp(g->name, name) == 0;
    return taken;
}

// Functions of different families may have the same names for parameters. No local has them, as with file-scope names.
static const char *given_name(program_emitter *x, const emit_filter_info *info, const char *what)
{
    const char *wanted = body_identifier(x->e.arena, arena_printf(x->e.arena, "own_%s", what)), *name = wanted;
    for (int k = 2; is_taken(info, name) || hmap_get(&x->given_names, name) == NULL; k++) {
        if (!is_taken(info, name) && strcmp(emit_unique_name(&x->e, name), name) == 0)
            break;
        name = arena_printf(x->e.arena, "%s_%d", wanted, k);
    }
    hmap_set(&x->given_names, name, x);
    return name;
}

// The first of a family: its functions have parameters.
static void give(program_emitter *x, const family *of, emit_filter_info *info)
{
    hmap_init(&info->given_of, x->e.arena);
    for (VEC_EACH(uint32_t, slot, &of->differing)) {
        const sir_expr *e = of->slots.data[0].data[*slot];
        emit_given g = {given_name(x, info, slot_name(x, of, *slot)), e->type};
        VEC_PUSH(x->e.arena, &info->given, g);
    }
    for (uint32_t i = 0; i < of->slots.data[0].len; i++)
        if (of->param_of[i] != 0)
            hmap_setn(&info->given_of, &of->slots.data[0].data[i], sizeof(sir_expr *),
                      &info->given.data[of->param_of[i] - 1]);
}

static void add_values(program_emitter *x, const family *of, size_t member, emit_filter_info *info)
{
    for (VEC_EACH(uint32_t, slot, &of->differing))
        VEC_PUSH(x->e.arena, &info->values, slot_value(x, info, of->slots.data[member].data[*slot]));
}

static bool *given_fields(program_emitter *x, const family *of)
{
    bool *given = ARENA_ARRAY(x->e.arena, bool, of->members.data[0]->fields.len + 1);
    for (VEC_EACH(uint32_t, slot, &of->differing))
        if (of->slots.data[0].data[*slot]->kind == SIR_FIELD)
            given[of->slots.data[0].data[*slot]->index] = true;
    return given;
}

emit_filter_info *program_filter_info(program_emitter *x, const sir_filter *f)
{
    emit_filter_info *info = hmap_getn(&x->filters, &f, sizeof f);
    if (info != NULL)
        return info;
    family *of = hmap_getn(&x->families, &f, sizeof f);
    if (of != NULL && !of->described && of->members.len > 1)
        describe(x->e.arena, of);
    if (of == NULL || of->members.len == 1) {
        info = emit_filter(&x->e, f);
    } else if (f == of->members.data[0]) {
        info = emit_filter(&x->e, f);
        give(x, of, info);
        add_values(x, of, 0, info);
    } else {
        size_t member = 1;
        while (of->members.data[member] != f)
            member++;
        info = emit_filter_alike(&x->e, f, program_filter_info(x, of->members.data[0]), given_fields(x, of));
        add_values(x, of, member, info);
    }
    hmap_setn(&x->filters, &f, sizeof f, info);
    return info;
}
