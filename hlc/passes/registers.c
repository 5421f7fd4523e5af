// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass 'registers': an int at whose end a filter shifts in bits of its items, as encoders of convolutional codes and
// searches for a word of bits do, is a window of its input, and the filter peeks instead:
//
//     field %s: int                                   peek 3 pop 1
//     %s = (%s << 1 | int(pop())) & 7          ->     %s = int(peek(0)) << 1 | int(peek(1))
//     push bit(%s ^ %s >> 2)                          %s = (%s << 1 | int(peek(2))) & 7
//                                                     push bit(%s ^ %s >> 2)
//                                                     pop
//
// The filter has no state then, so that its firings go side by side.
//
// NOTE(forget). Each bit of the state behind a firing is followed as a parity of bits of the state before and of items
// (linear_bits_follow.c). Put in for itself, that gives the bits in terms of older and older items. Where the state before
// is gone from all of them after some firings, the items of these are all that the state is. What it was at first becomes
// items in front of the first.
//
// Only statements that the state depends on are followed, and such that pop.
#include <string.h>

#include "hlc/ir/walk.h"
#include "hlc/passes/linear_bits_int.h"
#include "hlc/passes/windows_int.h"
#include "hlc/plan/bit_lanes.h"

// Items of a window, at most; ints of state. Operations that a lane's part of a firing may take to put the state together: less
// than the bits would wait for each other.
enum { MOST_BACK = 64, MOST_FIELDS = 4, MOST_OPERATIONS = 4 };

// A bit of an item, numbered from the first one that the firing pops: those before are below zero.
typedef struct item_bit {
    int64_t item;
    int bit;
} item_bit;

// A bit of the state before a firing: the parity of bits of items and of a constant.
typedef struct register_bit {
    VEC(item_bit) of;
    bool constant;
} register_bit;

// Bits of an item that go the same way to a field: moved to the left (or, below zero, to the right), and masked there.
typedef struct term {
    int64_t item;
    int left;
    uint32_t mask;
} term;

typedef struct registers {
    hlc_program *p;
    sir_module *m;
    sir_filter *filter;
    arena *a;
    linear_follower x;
    VEC(uint32_t) fields;    // that are the state
    uint32_t *still, *first; // per field: bits that always are what they are at first; and that
    register_bit bits[MOST_FIELDS][LINEAR_BITS];
    int64_t back;                 // items in front of those of a firing
    sir_scalar before[MOST_BACK]; // what these are at first
    bool *local, *field;          // that the state depends on
} registers;

static const sir_function *work_of(const registers *r)
{
    return r->filter->work;
}

// ---- What is followed ----

static void find_read(void *context, sir_expr *e, bool written)
{
    registers *r = context;
    (void)written;
    if (e->kind == SIR_LOCAL)
        r->local[e->index] = true;
    else if (e->kind == SIR_FIELD)
        r->field[e->index] = true;
}

static void find_reads(void *context, sir_stmt *s)
{
    sir_visit_exprs(s, find_read, context);
}

typedef struct sought {
    const registers *r;
    bool found;
} sought;

static void is_sought(void *context, sir_stmt *s)
{
    sought *x = context;
    const sir_expr *root = sir_assigned_root(s);
    x->found |= s->kind == SIR_POP || (s->kind == SIR_DECL && x->r->local[s->u.decl.local]) ||
                (root != NULL && root->kind == SIR_LOCAL && x->r->local[root->index]) ||
                (root != NULL && root->kind == SIR_FIELD && x->r->field[root->index]);
}

static uint32_t first_value(const registers *r, uint32_t field)
{
    const sir_value *init = &r->filter->fields.data[field].init;
    return init->zero ? 0 : (uint32_t)init->data[0].i;
}

// Per statement of the body: whether it is to be followed. One look from the end on finds all, since no local lives from firing to
// firing.
static const bool *find_taken(registers *r)
{
    const sir_block *body = &work_of(r)->body;
    bool *taken = ARENA_ARRAY(r->a, bool, body->len + 1);
    for (VEC_EACH(const uint32_t, f, &r->fields))
        r->field[*f] = true;
    for (size_t i = body->len; i-- > 0;) {
        sir_block one = {.data = &body->data[i], .len = 1};
        sought x = {.r = r};
        sir_visit_stmts(&one, is_sought, &x);
        taken[i] = x.found;
        if (x.found)
            sir_visit_stmts(&one, find_reads, r);
    }
    return taken;
}

// A firing, when these bits are what they are at first.
static bool follow_firing(registers *r, const bool *taken)
{
    const sir_block *body = &work_of(r)->body;
    linear_begin(&r->x, r->a, r->m, r->filter);
    r->x.loose = r->x.byte_bits = true;
    r->x.known = r->still;
    r->x.first = r->first;
    for (size_t i = 0; i < body->len && !r->x.fails; i++)
        if (taken[i])
            linear_follow_loosely(&r->x, body->data[i]);
    bool known = !r->x.fails && r->x.pops == work_of(r)->pop.max;
    for (VEC_EACH(const uint32_t, f, &r->fields))
        known = known && r->x.fields[*f] != NULL && !r->x.fields[*f]->opaque;
    return known;
}

// Those that are so behind the firing, too.
static uint32_t bits_that_stay(const registers *r, uint32_t field)
{
    const linear_value *v = r->x.fields[field];
    uint32_t stay = 0;
    for (int bit = 0; bit < LINEAR_BITS; bit++)
        if (linear_row_is_empty(&v->row[bit]) && ((v->constant ^ r->first[field]) >> bit & 1) == 0)
            stay |= UINT32_C(1) << bit;
    return stay;
}

// What the state is behind a firing. Bits that stay what they are at first, such as the sign where bits are shifted to the right,
// are found by supposing that of all, and then of fewer. False: it is not known.
static bool follow(registers *r)
{
    const bool *taken = find_taken(r);
    for (VEC_EACH(const uint32_t, f, &r->fields)) {
        r->still[*f] = UINT32_MAX;
        r->first[*f] = first_value(r, *f);
    }
    for (bool changed = true; changed;) {
        if (!follow_firing(r, taken))
            return false;
        changed = false;
        for (VEC_EACH(const uint32_t, f, &r->fields)) {
            uint32_t stay = r->still[*f] & bits_that_stay(r, *f);
            changed |= stay != r->still[*f];
            r->still[*f] = stay;
        }
    }
    return true;
}

// ---- What the state is made of ----

// The number of the field among those of the state, that an input is; SIZE_MAX: it is none.
static size_t field_of(const registers *r, size_t input)
{
    const sir_expr *e = r->x.inputs.data[input];
    for (size_t i = 0; e->kind == SIR_FIELD && i < r->fields.len; i++)
        if (r->fields.data[i] == e->index)
            return i;
    return SIZE_MAX;
}

static bool is_item(const registers *r, size_t input)
{
    const sir_expr *e = r->x.inputs.data[input];
    return e->kind == SIR_PEEK && e->u.arg[0]->kind == SIR_CONST;
}

static void toggle(registers *r, register_bit *b, int64_t item, int bit)
{
    for (size_t i = 0; i < b->of.len; i++)
        if (b->of.data[i].item == item && b->of.data[i].bit == bit) {
            b->of.data[i] = b->of.data[--b->of.len];
            return;
        }
    item_bit new = {item, bit};
    VEC_PUSH(r->a, &b->of, new);
}

static bool is_first_bit(const registers *r, size_t field, int bit)
{
    return (r->first[r->fields.data[field]] >> bit & 1) != 0;
}

// Adds what a row says of the items of a firing whose first is given; what it says of the state before that stays in it.
static bool take_items(registers *r, linear_row *row, register_bit *b, int64_t first)
{
    const linear_row all = *row;
    *row = (linear_row){0};
    for (size_t input = 0; input < r->x.inputs.len; input++)
        for (int bit = 0; bit < LINEAR_BITS; bit++) {
            if (!linear_row_has(&all, input, bit))
                continue;
            const size_t at = input * LINEAR_BITS + (size_t)bit;
            if (field_of(r, input) != SIZE_MAX)
                row->word[at / 64] |= UINT64_C(1) << at % 64;
            else if (is_item(r, input))
                toggle(r, b, first + r->x.inputs.data[input]->u.arg[0]->u.value.i, bit);
            else
                return false;
        }
    return true;
}

// Puts what a firing makes of it in the place of each bit of the state.
static void step_back(registers *r, linear_row *row, register_bit *b)
{
    linear_row before = {0};
    for (size_t input = 0; input < r->x.inputs.len; input++)
        for (int bit = 0; bit < LINEAR_BITS; bit++) {
            if (!linear_row_has(row, input, bit))
                continue;
            const linear_value *v = r->x.fields[r->fields.data[field_of(r, input)]];
            for (size_t i = 0; i < LINEAR_WORDS; i++)
                before.word[i] ^= v->row[bit].word[i];
            b->constant ^= (v->constant >> bit & 1) != 0;
        }
    *row = before;
}

static bool find_bit(registers *r, size_t field, int bit)
{
    const linear_value *v = r->x.fields[r->fields.data[field]];
    register_bit *b = &r->bits[field][bit];
    const int64_t pop = work_of(r)->pop.max;
    b->constant = is_first_bit(r, field, bit);
    if ((r->still[r->fields.data[field]] >> bit & 1) != 0)
        return true;
    linear_row row = v->row[bit];
    b->constant = (v->constant >> bit & 1) != 0;
    for (int64_t first = -pop; !linear_row_is_empty(&row); first -= pop) {
        if (-first > MOST_BACK || !take_items(r, &row, b, first))
            return false;
        step_back(r, &row, b);
    }
    for (VEC_EACH(const item_bit, i, &b->of)) {
        if (i->item >= 0)
            return false;
        r->back = -i->item > r->back ? -i->item : r->back;
    }
    return true;
}

static size_t count_uses(const registers *r, item_bit wanted)
{
    size_t uses = 0;
    for (size_t f = 0; f < r->fields.len; f++)
        for (int bit = 0; bit < LINEAR_BITS; bit++)
            for (VEC_EACH(const item_bit, i, &r->bits[f][bit].of))
                uses += i->item == wanted.item && i->bit == wanted.bit;
    return uses;
}

// Items of which the state is what it is at first: zeroes, but for bits that nothing else is made of.
static bool find_first_items(registers *r)
{
    for (size_t f = 0; f < r->fields.len; f++)
        for (int bit = 0; bit < LINEAR_BITS; bit++) {
            const register_bit *b = &r->bits[f][bit];
            bool done = b->constant == is_first_bit(r, f, bit);
            for (size_t i = 0; i < b->of.len && !done; i++) {
                item_bit at = b->of.data[i];
                done = count_uses(r, at) == 1;
                if (done)
                    r->before[MOST_BACK + at.item].i ^= (int32_t)(UINT32_C(1) << at.bit);
            }
            if (!done)
                return false;
        }
    return true;
}

// ---- The expression of it ----

typedef VEC(term) terms;

static terms terms_of(const registers *r, size_t field)
{
    terms all = {0};
    for (int bit = 0; bit < LINEAR_BITS; bit++)
        for (VEC_EACH(const item_bit, i, &r->bits[field][bit].of)) {
            size_t k = 0;
            while (k < all.len && (all.data[k].item != i->item || all.data[k].left != bit - i->bit))
                k++;
            if (k == all.len) {
                term new = {.item = i->item, .left = bit - i->bit};
                VEC_PUSH(r->a, &all, new);
            }
            all.data[k].mask |= UINT32_C(1) << bit;
        }
    return all;
}

static sir_expr *binary(const registers *r, lang_binary_op op, sir_expr *a, int32_t b)
{
    const sir_type *t = r->m->scalar[SIR_INT];
    return sir_expr2(r->m, SIR_BINARY, (int)op, t, a, sir_const_int(r->m, b, a->loc), a->loc);
}

static sir_expr *term_expr(const registers *r, const term *t, sir_loc loc)
{
    const sir_type *type = r->m->scalar[SIR_INT], *item = r->filter->input;
    sir_expr *e = sir_expr1(r->m, SIR_PEEK, 0, item, sir_const_int(r->m, (int32_t)(r->back + t->item), loc), loc);
    if (item != type)
        e = sir_expr1(r->m, SIR_CONVERT, 0, type, e, loc);
    if (t->left != 0)
        e = binary(r, t->left > 0 ? LANG_OP_SHL : LANG_OP_SHR, e, t->left > 0 ? t->left : -t->left);
    bool all = item->kind == SIR_BIT || t->mask == (t->left >= 0 ? UINT32_MAX << t->left : 0);
    return all ? e : binary(r, LANG_OP_AND, e, (int32_t)t->mask);
}

static sir_expr *field_expr(const registers *r, size_t field, sir_loc loc)
{
    terms all = terms_of(r, field);
    uint32_t filled = 0;
    sir_expr *e = NULL;
    for (int bit = 0; bit < LINEAR_BITS; bit++)
        filled |= (uint32_t)r->bits[field][bit].constant << bit;
    if (filled != 0 || all.len == 0)
        e = sir_const_int(r->m, (int32_t)filled, loc);
    for (VEC_EACH(const term, t, &all)) {
        sir_expr *next = term_expr(r, t, loc);
        lang_binary_op op = (filled & t->mask) == 0 ? LANG_OP_OR : LANG_OP_XOR;
        e = e == NULL ? next : sir_expr2(r->m, SIR_BINARY, (int)op, next->type, e, next, loc);
        filled |= t->mask;
    }
    return e;
}

// What it takes to put the state together, in lanes of the processor's vectors; where no machine is known it is hoped for.
static bool pays(const registers *r)
{
    const machine_processor *x = plan_bit_processor(r->p);
    size_t operations = 0, lanes = x == NULL ? 0 : (size_t)machine_vector_bytes(x) / sizeof(int32_t);
    for (size_t f = 0; f < r->fields.len; f++)
        operations += 2 * terms_of(r, f).len;
    return x == NULL || operations <= MOST_OPERATIONS * lanes;
}

// ---- The new body ----

// How many items are popped where a statement is: so many, and a coefficient times the variable of each loop around.
typedef struct loop_pops {
    uint32_t local;
    int64_t coefficient;
} loop_pops;

typedef struct position {
    int64_t count;
    VEC(loop_pops) loops;
} position;

static bool count_pops(const sir_block *b, int64_t *pops);

// False: how often it pops is not known, or where in a loop.
static bool pops_of(const sir_stmt *s, int64_t *pops)
{
    int64_t inside = 0, trips = 0;
    sir_parts parts = sir_stmt_parts((sir_stmt *)s);
    if (s->kind == SIR_POP) {
        (*pops)++;
        return true;
    }
    for (uint8_t i = 0; i < parts.block_count; i++)
        if (!count_pops(parts.block[i], &inside))
            return false;
    if (inside == 0)
        return true;
    bool counted =
        s->kind == SIR_FOR && s->u.for_.step == 1 && s->u.for_.lo->kind == SIR_CONST && sir_for_trips(s, &trips);
    *pops += counted ? trips * inside : inside;
    return counted || s->kind == SIR_BLOCK;
}

static bool count_pops(const sir_block *b, int64_t *pops)
{
    bool known = true;
    for (size_t i = 0; i < b->len && known; i++)
        known = pops_of(b->data[i], pops);
    return known;
}

typedef struct rewriter {
    const registers *r;
    uint32_t locals[MOST_FIELDS]; // by the state's fields
    position at;
} rewriter;

static sir_expr *place_behind(const rewriter *w, sir_expr *offset, sir_loc loc)
{
    sir_module *m = w->r->m;
    const sir_type *t = m->scalar[SIR_INT];
    sir_expr *e = offset;
    for (size_t i = 0; i < w->at.loops.len; i++) {
        sir_expr *v = sir_ref(m, SIR_LOCAL, w->at.loops.data[i].local, t, loc);
        v = binary(w->r, LANG_OP_MUL, v, (int32_t)w->at.loops.data[i].coefficient);
        e = e == NULL ? v : sir_expr2(m, SIR_BINARY, LANG_OP_ADD, t, e, v, loc);
    }
    const int32_t count = (int32_t)(w->r->back + w->at.count);
    return e == NULL ? sir_const_int(m, count, loc) : binary(w->r, LANG_OP_ADD, e, count);
}

static sir_expr *rewrite_expr(rewriter *w, sir_expr *e)
{
    for (size_t i = 0; i < sir_expr_arity(e); i++)
        e->u.arg[i] = rewrite_expr(w, e->u.arg[i]);
    if (e->kind == SIR_PEEK)
        e->u.arg[0] = place_behind(w, e->u.arg[0], e->loc);
    for (size_t f = 0; f < w->r->fields.len; f++)
        if (e->kind == SIR_FIELD && e->index == w->r->fields.data[f])
            return sir_ref(w->r->m, SIR_LOCAL, w->locals[f], e->type, e->loc);
    return e;
}

static void rewrite_block(rewriter *w, sir_block *b);

static void rewrite_blocks(rewriter *w, sir_stmt *s)
{
    sir_parts parts = sir_stmt_parts(s);
    int64_t pops = 0, trips = 0;
    const size_t depth = w->at.loops.len;
    const int64_t count = w->at.count;
    if (s->kind == SIR_FOR && count_pops(&s->u.for_.body, &pops) && pops != 0 && sir_for_trips(s, &trips)) {
        loop_pops loop = {s->u.for_.local, pops};
        VEC_PUSH(w->r->a, &w->at.loops, loop);
        w->at.count -= s->u.for_.lo->u.value.i * pops;
    }
    for (uint8_t i = 0; i < parts.block_count; i++)
        rewrite_block(w, parts.block[i]);
    w->at.loops.len = depth;
    if (pops != 0)
        w->at.count = count + trips * pops;
}

static void rewrite_block(rewriter *w, sir_block *b)
{
    size_t kept = 0;
    for (size_t i = 0; i < b->len; i++) {
        sir_stmt *s = b->data[i];
        sir_parts parts = sir_stmt_parts(s);
        for (uint8_t k = 0; k < parts.expr_count; k++)
            *parts.expr[k] = rewrite_expr(w, *parts.expr[k]);
        for (size_t k = 0; k < parts.arg_count; k++)
            parts.args[k] = rewrite_expr(w, parts.args[k]);
        if (parts.target != NULL)
            *parts.target = rewrite_expr(w, *parts.target);
        rewrite_blocks(w, s);
        if (s->kind == SIR_POP) {
            sir_expr *item =
                sir_expr1(w->r->m, SIR_PEEK, 0, w->r->filter->input, place_behind(w, NULL, s->loc), s->loc);
            w->at.count++;
            if (s->u.set.target == NULL)
                continue;
            s->kind = SIR_SET;
            s->u.set.value = item;
        }
        b->data[kept++] = s;
    }
    b->len = kept;
}

static void rewrite(registers *r)
{
    sir_module *m = r->m;
    sir_function *f = r->filter->work;
    rewriter w = {.r = r};
    sir_block body = {0};
    bool *keep = ARENA_ARRAY(r->a, bool, r->filter->fields.len + 1);
    memset(keep, true, r->filter->fields.len);
    for (size_t i = 0; i < r->fields.len; i++) {
        const sir_field *field = &r->filter->fields.data[r->fields.data[i]];
        keep[r->fields.data[i]] = false;
        w.locals[i] = sir_local_new(m, f, field->name, field->type, field->loc);
        sir_stmt *decl = sir_stmt_new(m, SIR_DECL, field->loc);
        decl->u.decl.local = w.locals[i];
        decl->u.decl.init = field_expr(r, i, field->loc);
        VEC_PUSH(m->arena, &body, decl);
    }
    rewrite_block(&w, &f->body);
    for (VEC_EACH(sir_stmt *, s, &f->body))
        VEC_PUSH(m->arena, &body, *s);
    f->body = body;
    windows_add_pops(m, r->filter);
    pass_keep_fields(r->a, r->filter, keep);
    const int64_t old = f->peek.max > f->pop.max ? f->peek.max : f->pop.max;
    f->peek.min = f->peek.max = r->back + old;
}

// ---- The pass ----

// All that firings leave behind for others is ints.
static bool find_fields(registers *r)
{
    for (uint32_t i = 0; i < r->filter->fields.len; i++) {
        const sir_field *f = &r->filter->fields.data[i];
        if (f->constant)
            continue;
        if (f->type->kind != SIR_INT || r->fields.len == MOST_FIELDS)
            return false;
        VEC_PUSH(r->a, &r->fields, i);
    }
    return r->fields.len != 0;
}

static bool find_bits(registers *r)
{
    for (size_t f = 0; f < r->fields.len; f++)
        for (int bit = 0; bit < LINEAR_BITS; bit++)
            if (!find_bit(r, f, bit))
                return false;
    return r->back > 0;
}

// Bits of items are those of ints where they are not known to be 0 or 1: the language masks none.
static bool has_bits(const sir_module *m, const sir_filter *f)
{
    return f->input->kind == SIR_INT || (f->input->kind == SIR_BIT && m->byte_bits);
}

static bool find_registers(hlc_program *p, sir_filter *f, arena *a)
{
    if (!has_bits(p->module, f))
        return false;
    registers *r = ARENA_NEW(a, registers);
    *r = (registers){.p = p, .m = p->module, .filter = f, .a = a};
    r->local = ARENA_ARRAY(a, bool, f->work->locals.len + 1);
    r->field = ARENA_ARRAY(a, bool, f->fields.len + 1);
    r->still = ARENA_ARRAY(a, uint32_t, f->fields.len + 1);
    r->first = ARENA_ARRAY(a, uint32_t, f->fields.len + 1);
    int64_t pops = 0;
    if (!find_fields(r) || !count_pops(&f->work->body, &pops) || !follow(r) || !find_bits(r) || !find_first_items(r) ||
        !pays(r))
        return false;
    for (VEC_EACH(const uint32_t, i, &r->fields))
        diag_remark(p->diag, sir_range(p->module, p->sources, f->fields.data[*i].loc),
                    "'%s' of '%s' is bits of the last %d items, which are looked at instead [registers]",
                    f->fields.data[*i].name, f->name, (int)r->back);
    windows_fill_channels(p->module, f, r->before + MOST_BACK - r->back, r->back);
    rewrite(r);
    sir_filter_derive(p->module, f);
    return true;
}

bool pass_registers(hlc_program *p)
{
    if (!pass_may_change_more(p))
        return false;
    sir_find_byte_bits(p->module);
    return windows_try_all(p, find_registers);
}
