// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass 'count': what counts firings is no state, nor what does so under a mask, as phases do.
//
//     int[16] s;                                  const int[16] s;
//     work pop 16 push 16 {                       work pop 16 push 16 {
//         ... s[12] ...                     ->        int[16] own = s;  own[12] = 7 + iter;
//         s[12]++;                                    ... own[12] ...
//     }                                           }
//
// A firing waits for nothing of the one before, so that firings go side by side: block ciphers that encrypt a counter,
// oscillators that are a function of time.
#include <string.h>

#include "hlc/ir/walk.h"
#include "hlc/passes/pass.h"

// Elements of an array that each firing copies.
enum { COUNT_ELEMENTS = 32 };

// Operations of a firing from which it is worth it.
enum { COUNT_OPERATIONS = 10 };

// A field, or an element of one, that goes up by the same each firing.
typedef struct counted {
    uint32_t field;
    int64_t element; // -1: the field is a scalar
    int32_t step;
    int32_t mask; // of its bits, a power of two less one; 0: it has all
    size_t at;    // the statement of work that counts
} counted;

// ---- Which fields ----

typedef struct use_finder {
    uint32_t field;
    size_t uses, writes;
} use_finder;

static void find_use(void *context, sir_expr *e, bool written)
{
    use_finder *u = context;
    (void)written;
    u->uses += e->kind == SIR_FIELD && e->index == u->field;
}

static void find_uses(void *context, sir_stmt *s)
{
    use_finder *u = context;
    sir_parts parts = sir_stmt_parts(s);
    const sir_expr *root = parts.target != NULL ? sir_lvalue_root(*parts.target) : NULL;
    u->writes += root != NULL && root->kind == SIR_FIELD && root->index == u->field;
    for (size_t i = 0; i < parts.arg_count; i++) { // arrays by reference
        const sir_expr *arg = sir_lvalue_root(parts.args[i]);
        u->writes += arg != NULL && arg->kind == SIR_FIELD && arg->index == u->field && arg->type->kind == SIR_ARRAY;
    }
    sir_visit_exprs(s, find_use, u);
}

static use_finder uses_in(const sir_block *b, size_t from, uint32_t field)
{
    use_finder u = {.field = field};
    const sir_block part = {.data = b->data + from, .len = b->len - from};
    sir_visit_stmts(&part, find_uses, &u);
    return u;
}

// "f" or "f[3]": the element, -1 for a scalar, -2 for anything else.
static int64_t element_of(const sir_expr *e, uint32_t field)
{
    const sir_expr *base = e->kind == SIR_INDEX ? e->u.arg[0] : e;
    if (base->kind != SIR_FIELD || base->index != field)
        return -2;
    if (e == base)
        return -1;
    return e->u.arg[1]->kind == SIR_CONST ? e->u.arg[1]->u.value.i : -2;
}

static bool is_mask(int32_t n)
{
    return n > 0 && ((uint32_t)n & ((uint32_t)n + 1)) == 0;
}

// "n & 1023", or "n % 1024" of what never is negative: the mask; 0: it is neither.
static int32_t mask_of(const sir_expr *e)
{
    const sir_expr *by = e->kind == SIR_BINARY ? e->u.arg[1] : NULL;
    if (by == NULL || by->kind != SIR_CONST || by->type->kind != SIR_INT)
        return 0;
    const int32_t n = by->u.value.i;
    if (e->op == LANG_OP_AND)
        return is_mask(n) ? n : 0;
    return e->op == LANG_OP_REM && n > 1 && is_mask(n - 1) ? n - 1 : 0;
}

static bool counts(const sir_stmt *s, uint32_t field, counted *c)
{
    if (s->kind != SIR_SET || s->u.set.target->type->kind != SIR_INT || s->u.set.value->kind != SIR_BINARY)
        return false;
    const int32_t mask = mask_of(s->u.set.value);
    const sir_expr *sum = mask != 0 ? s->u.set.value->u.arg[0] : s->u.set.value;
    if (sum->kind != SIR_BINARY)
        return false;
    const sir_expr *step = sum->u.arg[1];
    int64_t element = element_of(s->u.set.target, field);
    if ((sum->op != LANG_OP_ADD && sum->op != LANG_OP_SUB) || step->kind != SIR_CONST || element == -2 ||
        element_of(sum->u.arg[0], field) != element)
        return false;
    int32_t by = step->u.value.i;
    *c = (counted){.field = field, .element = element, .mask = mask};
    c->step = sum->op == LANG_OP_ADD ? by : (int32_t)-(uint32_t)by;
    // A remainder is a mask where no sum is negative.
    return mask == 0 || s->u.set.value->op == LANG_OP_AND || (c->step >= 0 && c->step <= INT32_MAX - mask);
}

static bool used_elsewhere(const sir_filter *f, uint32_t field)
{
    bool used = f->prework != NULL && uses_in(&f->prework->body, 0, field).uses > 0;
    for (VEC_EACH(sir_function *const, g, &f->functions))
        used |= uses_in(&(*g)->body, 0, field).uses > 0;
    return used;
}

static int32_t first_of(const sir_field *field, int64_t element)
{
    return field->init.zero ? 0 : field->init.data[element < 0 ? 0 : element].i;
}

static bool find_counter(const sir_filter *f, uint32_t field, counted *c)
{
    const sir_block *b = &f->work->body;
    const sir_type *t = f->fields.data[field].type;
    bool array = t->kind == SIR_ARRAY && t->element->kind == SIR_INT && t->length <= COUNT_ELEMENTS;
    if (f->fields.data[field].constant || (t->kind != SIR_INT && !array) || used_elsewhere(f, field) ||
        uses_in(b, 0, field).writes != 1)
        return false;
    for (size_t i = 0; i < b->len; i++)
        if (counts(b->data[i], field, c)) {
            c->at = i;
            const bool there = c->element == -1 || (array && c->element >= 0 && c->element < (int64_t)t->length);
            const int32_t first = there ? first_of(&f->fields.data[field], c->element) : 0;
            return there && (c->mask == 0 || (first & ~c->mask) == 0);
        }
    return false;
}

// ---- A local in its place ----

typedef struct replacer {
    uint32_t field, local;
} replacer;

static void replace(void *context, sir_expr *e, bool written)
{
    const replacer *r = context;
    (void)written;
    if (e->kind == SIR_FIELD && e->index == r->field) {
        e->kind = SIR_LOCAL;
        e->index = r->local;
    }
}

static void replace_in(void *context, sir_stmt *s)
{
    sir_visit_exprs(s, replace, context);
}

static void put_first(const sir_module *m, sir_block *b, sir_stmt *s)
{
    VEC_PUSH(m->arena, b, s);
    memmove(b->data + 1, b->data, (b->len - 1) * sizeof *b->data);
    b->data[0] = s;
}

// What it is in the firing: the first value and a step for each firing before.
static sir_expr *value_now(sir_module *m, const counted *c, int32_t first, sir_loc loc)
{
    const sir_type *t = m->scalar[SIR_INT];
    sir_expr *iter = sir_ref(m, SIR_ITER, 0, t, loc), *zero = sir_const_int(m, first, loc);
    if (c->step != 1)
        iter = sir_expr2(m, SIR_BINARY, LANG_OP_MUL, t, iter, sir_const_int(m, c->step, loc), loc);
    sir_expr *now = first == 0 ? iter : sir_expr2(m, SIR_BINARY, LANG_OP_ADD, t, iter, zero, loc);
    return c->mask == 0 ? now : sir_expr2(m, SIR_BINARY, LANG_OP_AND, t, now, sir_const_int(m, c->mask, loc), loc);
}

static sir_expr *element(sir_module *m, sir_expr *array, sir_expr *at)
{
    return sir_expr2(m, SIR_INDEX, 0, m->scalar[SIR_INT], array, at, array->loc);
}

static sir_stmt *copy_array(sir_module *m, sir_function *w, uint32_t field, uint32_t local, const sir_type *t)
{
    const sir_type *number = m->scalar[SIR_INT];
    sir_stmt *loop = sir_stmt_new(m, SIR_FOR, w->loc), *set = sir_stmt_new(m, SIR_SET, w->loc);
    uint32_t at = sir_local_new(m, w, "element", number, w->loc);
    loop->u.for_.local = at;
    loop->u.for_.lo = sir_const_int(m, 0, w->loc);
    loop->u.for_.hi = sir_const_int(m, (int32_t)t->length, w->loc);
    loop->u.for_.step = 1;
    set->u.set.target = element(m, sir_ref(m, SIR_LOCAL, local, t, w->loc), sir_ref(m, SIR_LOCAL, at, number, w->loc));
    set->u.set.value = element(m, sir_ref(m, SIR_FIELD, field, t, w->loc), sir_ref(m, SIR_LOCAL, at, number, w->loc));
    VEC_PUSH(m->arena, &loop->u.for_.body, set);
    return loop;
}

static void make_local(sir_module *m, sir_filter *f, const counted *c)
{
    sir_function *w = f->work;
    const sir_field *field = &f->fields.data[c->field];
    const sir_type *t = field->type;
    const int32_t first = first_of(field, c->element);
    if (uses_in(&w->body, c->at + 1, c->field).uses == 0) { // nothing reads it behind
        memmove(w->body.data + c->at, w->body.data + c->at + 1, (w->body.len - c->at - 1) * sizeof *w->body.data);
        w->body.len--;
    }
    uint32_t local = sir_local_new(m, w, field->name, t, field->loc);
    replacer r = {c->field, local};
    sir_visit_stmts(&w->body, replace_in, &r);
    sir_stmt *decl = sir_stmt_new(m, SIR_DECL, w->loc);
    decl->u.decl.local = local;
    if (c->element < 0) {
        decl->u.decl.init = value_now(m, c, first, w->loc);
    } else {
        sir_stmt *set = sir_stmt_new(m, SIR_SET, w->loc);
        set->u.set.target =
            element(m, sir_ref(m, SIR_LOCAL, local, t, w->loc), sir_const_int(m, (int32_t)c->element, w->loc));
        set->u.set.value = value_now(m, c, first, w->loc);
        put_first(m, &w->body, set);
        put_first(m, &w->body, copy_array(m, w, c->field, local, t));
        decl->u.decl.uninitialised = true;
    }
    put_first(m, &w->body, decl);
}

// ---- The pass ----

typedef struct work_size {
    bool loops;
    size_t operations;
} work_size;

static void count_operation(void *context, sir_expr *e, bool written)
{
    work_size *size = context;
    (void)written;
    size->operations += e->kind == SIR_UNARY || e->kind == SIR_BINARY || e->kind == SIR_INDEX || e->kind == SIR_MATH;
}

static void count_work(void *context, sir_stmt *s)
{
    work_size *size = context;
    size->loops |= s->kind == SIR_FOR || s->kind == SIR_LOOP || s->kind == SIR_CALL;
    sir_visit_exprs(s, count_operation, size);
}

// A filter of a few operations waits for little, and reads best as it was written.
static bool gains(const sir_filter *f)
{
    work_size size = {0};
    sir_visit_stmts(&f->work->body, count_work, &size);
    return size.loops || size.operations >= COUNT_OPERATIONS;
}

bool pass_count(hlc_program *p)
{
    bool changed = false;
    if (!pass_may_change_more(p))
        return false;
    for (VEC_EACH(sir_filter *, filter, &p->module->filters)) {
        sir_filter *f = *filter;
        counted c;
        bool any = false;
        // What goes on keeping something gains nothing.
        uint32_t found = 0, kept = 0;
        for (uint32_t i = 0; i < f->fields.len; i++) {
            kept += !f->fields.data[i].constant;
            found += find_counter(f, i, &c);
        }
        if (f->finite || f->handlers.len != 0 || found == 0 || found != kept || !gains(f))
            continue;
        for (uint32_t i = 0; i < f->fields.len; i++)
            if (find_counter(f, i, &c)) {
                make_local(p->module, f, &c);
                any = true;
            }
        if (!any)
            continue;
        diag_remark(p->diag, sir_range(p->module, p->sources, f->loc),
                    "'%s' keeps nothing but counts of its firings, so that these need not wait for each other [count]",
                    f->name);
        sir_filter_derive(p->module, f);
        changed = true;
    }
    return changed;
}
