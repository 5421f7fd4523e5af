// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass 'beside': where a number only ever is the place of an element that was found, such as the best of several, the element
// is kept beside it, and nothing is looked up by data any more.
//
//     var %best = 0                                    var %best = 0; var %it = %m[0]
//     for %n = 1 to 4 {                                for %n = 1 to 4 {
//         if %m[%n] < %m[%best] { %best = %n }   ->        if %m[%n] < %it { %best = %n; %it = %m[%n] }
//     }                                                }
//     push %m[%best]                                   push %it
//
// Each step of such a search waits for a load whose address the one before gave; and C compilers keep an array in memory for it
// that could be registers.
#include <inttypes.h>

#include "hlc/ir/type_rules.h"
#include "hlc/passes/canonicalize.h"
#include "hlc/passes/tabulate_int.h"

// Places, and what is kept beside one; nodes that a function's places are looked for in.
enum { BESIDE_MOST = 8, BESIDE_LOOKS = 1 << 20 };

// What a place leads to: an array, or the window of items (SIR_NONE).
typedef struct beside {
    uint32_t array, local;
    const sir_type *type;
    uint32_t length;
} beside;

typedef struct beside_pass {
    arena *a;
    hlc_program *hlc;
    sir_module *m;
    sir_filter *filter;
    sir_function *f;
    int64_t looks;
    tab_loops loops; // around the present statement
    bool popped;     // items may have been, before it
    bool *declared;  // per local: in front of the present statement
    // Of the place at hand:
    uint32_t place;
    beside kept[BESIDE_MOST];
    size_t count;
    size_t reads, inside; // of what it leads to, behind its declaration; in loops there, so many of which are around
    int depth;
    size_t end; // behind the last statement of its block that asks
    bool fails;
    size_t made;
} beside_pass;

// ---- What a place leads to ----

static beside *kept_of(beside_pass *x, const sir_expr *e)
{
    bool peek = e->kind == SIR_PEEK;
    const sir_expr *at = peek                   ? e->u.arg[0]
                         : e->kind == SIR_INDEX ? e->u.arg[1]
                                                : NULL,
                   *base = peek || at == NULL ? NULL : e->u.arg[0];
    if (at == NULL || at->kind != SIR_LOCAL || at->index != x->place || !sir_is_scalar(e->type) ||
        (!peek && (base->kind != SIR_LOCAL || !x->declared[base->index])))
        return NULL;
    uint32_t array = peek ? SIR_NONE : base->index;
    for (size_t i = 0; i < x->count; i++)
        if (x->kept[i].array == array)
            return &x->kept[i];
    if (x->count == BESIDE_MOST)
        return NULL;
    int64_t window = x->popped || x->f->peek.dynamic || x->f->pop.dynamic ? 0 : x->f->peek.max; // else it would wait
    x->kept[x->count] = (beside){
        .array = array, .local = SIR_NONE, .type = e->type, .length = !peek ? base->type->length : (uint32_t)window};
    return &x->kept[x->count++];
}

static void find_read(void *context, sir_expr *e, bool written)
{
    beside_pass *x = context;
    x->looks--;
    if (written || kept_of(x, e) == NULL)
        return;
    x->reads++;
    x->inside += x->depth > 0;
}

static void find_reads(beside_pass *x, const sir_block *b)
{
    for (VEC_EACH(sir_stmt *const, p, b)) {
        sir_stmt *s = *p;
        sir_visit_exprs(s, find_read, x);
        sir_parts parts = sir_stmt_parts(s);
        bool loop = s->kind == SIR_FOR || s->kind == SIR_LOOP;
        x->depth += loop;
        for (uint8_t i = 0; i < parts.block_count; i++)
            find_reads(x, parts.block[i]);
        x->depth -= loop;
    }
}

// Where the place comes from must lie within all that it leads to, whether that is asked for or not.
static bool is_within(const beside_pass *x, const sir_expr *e)
{
    const tab_loop *l = e->kind == SIR_LOCAL ? tab_find_loop(&x->loops, e->index) : NULL;
    bool known = e->kind == SIR_CONST || (l != NULL && l->extent > 0);
    const int64_t lo = l != NULL ? l->least : e->u.value.i, hi = l != NULL ? lo + l->extent - 1 : lo;
    for (size_t i = 0; i < x->count && known; i++)
        known = lo >= 0 && hi < (int64_t)x->kept[i].length;
    return known;
}

static bool bound_within(const beside_pass *x, const sir_expr *e, sir_interval *r)
{
    const tab_loop *l = e->kind == SIR_LOCAL ? tab_find_loop(&x->loops, e->index) : NULL;
    sir_interval a, b;
    if (e->kind == SIR_CONST) {
        *r = (sir_interval){e->u.value.i, e->u.value.i};
        return true;
    }
    if (l != NULL && l->extent > 0) {
        *r = (sir_interval){l->least, l->least + l->extent - 1};
        return true;
    }
    if (e->kind != SIR_BINARY || (e->op != LANG_OP_ADD && e->op != LANG_OP_SUB) || !bound_within(x, e->u.arg[0], &a) ||
        !bound_within(x, e->u.arg[1], &b))
        return false;
    *r = sir_interval_binary((lang_binary_op)e->op, a, b);
    return r->lo >= INT32_MIN && r->hi <= INT32_MAX;
}

// Enters a loop: one, too, that begins or ends where a loop around is, as the search for the greatest of what is left does.
static void enter(beside_pass *x, const sir_stmt *s)
{
    tab_loop l = tab_loop_of(s);
    sir_interval lo, hi;
    const bool up = s->u.for_.step > 0;
    if (l.extent == 0 && bound_within(x, s->u.for_.lo, &lo) && bound_within(x, s->u.for_.hi, &hi)) {
        const int64_t first = up ? lo.lo : hi.lo + 1, last = up ? hi.hi - 1 : lo.hi;
        if (first <= last && first >= INT32_MIN && last <= INT32_MAX) {
            l.least = (int32_t)first;
            l.extent = last - first + 1;
        }
    }
    VEC_PUSH(x->a, &x->loops, l);
}

// What is behind the place's declaration: nothing that it leads to changes, but by the last statement that asks, and it only
// becomes a place that is known.
static void check(beside_pass *x, const sir_block *b, bool outer)
{
    for (size_t at = 0; at < b->len && !x->fails; at++) {
        sir_stmt *s = b->data[at];
        sir_parts parts = sir_stmt_parts(s);
        const sir_expr *root = sir_assigned_root(s);
        if (root != NULL && root->kind == SIR_LOCAL && root->index == x->place)
            x->fails |= s->kind != SIR_SET || !is_within(x, s->u.set.value);
        for (size_t i = 0; i < x->count; i++) {
            bool window = x->kept[i].array == SIR_NONE;
            x->fails |= window && (s->kind == SIR_POP || s->kind == SIR_CALL);
            x->fails |= !window && root != NULL && root->kind == SIR_LOCAL && root->index == x->kept[i].array &&
                        !(outer && at + 1 == b->len && s->kind == SIR_SET);
            for (size_t k = 0; k < parts.arg_count && !window; k++) // by reference
                x->fails |= sir_count_local_in(parts.args[k], x->kept[i].array) != 0;
        }
        if (s->kind == SIR_FOR)
            enter(x, s);
        for (uint8_t i = 0; i < parts.block_count; i++)
            check(x, parts.block[i], false);
        if (s->kind == SIR_FOR)
            x->loops.len--;
    }
}

// ---- The element beside it ----

static void replace_in(beside_pass *x, sir_expr **at)
{
    sir_expr *e = *at;
    const beside *k = kept_of(x, e);
    if (k != NULL) {
        *at = sir_ref(x->m, SIR_LOCAL, k->local, k->type, e->loc);
        return;
    }
    size_t arity = sir_expr_arity(e);
    for (size_t i = 0; i < arity; i++)
        replace_in(x, &e->u.arg[i]);
}

static sir_expr *element(const beside_pass *x, const beside *k, sir_expr *at, sir_loc loc)
{
    sir_expr *place = at->kind == SIR_CONST ? sir_const_int(x->m, at->u.value.i, loc)
                                            : sir_ref(x->m, SIR_LOCAL, at->index, at->type, loc);
    if (k->array == SIR_NONE)
        return sir_expr1(x->m, SIR_PEEK, 0, k->type, place, loc);
    return sir_expr2(x->m, SIR_INDEX, 0, k->type,
                     sir_ref(x->m, SIR_LOCAL, k->array, x->f->locals.data[k->array].type, loc), place, loc);
}

// Behind the place's declaration.
static void declare_kept(beside_pass *x, const sir_stmt *decl, sir_block *to)
{
    sir_expr *init = decl->u.decl.init != NULL ? decl->u.decl.init : sir_const_int(x->m, 0, decl->loc);
    for (size_t k = 0; k < x->count; k++) {
        sir_stmt *s = sir_stmt_new(x->m, SIR_DECL, decl->loc);
        x->kept[k].local = sir_local_new(x->m, x->f, "found", x->kept[k].type, decl->loc);
        s->u.decl.local = x->kept[k].local;
        s->u.decl.init = element(x, &x->kept[k], init, decl->loc);
        VEC_PUSH(x->m->arena, to, s);
    }
}

// From the place's declaration on, or from the first statement of a block inside.
static void rebuild(beside_pass *x, sir_block *b, size_t from, size_t end)
{
    sir_block to = {0};
    for (size_t i = 0; i < b->len; i++) {
        sir_stmt *s = b->data[i];
        sir_parts parts = sir_stmt_parts(s);
        VEC_PUSH(x->m->arena, &to, s);
        if (s->kind == SIR_DECL && s->u.decl.local == x->place) {
            declare_kept(x, s, &to);
            continue;
        }
        if (i < from || i >= end)
            continue;
        for (uint8_t k = 0; k < parts.expr_count; k++)
            replace_in(x, parts.expr[k]);
        for (size_t k = 0; k < parts.arg_count; k++)
            replace_in(x, &parts.args[k]);
        for (sir_expr *e = parts.target != NULL ? *parts.target : NULL;
             e != NULL && (e->kind == SIR_INDEX || e->kind == SIR_MEMBER); e = e->u.arg[0])
            if (e->kind == SIR_INDEX)
                replace_in(x, &e->u.arg[1]);
        for (uint8_t k = 0; k < parts.block_count; k++)
            rebuild(x, parts.block[k], 0, parts.block[k]->len);
        bool sets = s->kind == SIR_SET && s->u.set.target->kind == SIR_LOCAL && s->u.set.target->index == x->place;
        for (size_t k = 0; sets && k < x->count; k++) {
            sir_stmt *set = sir_stmt_new(x->m, SIR_SET, s->loc);
            set->u.set.target = sir_ref(x->m, SIR_LOCAL, x->kept[k].local, x->kept[k].type, s->loc);
            set->u.set.value = element(x, &x->kept[k], s->u.set.value, s->loc);
            VEC_PUSH(x->m->arena, &to, set);
        }
    }
    *b = to;
}

static void keep_beside(beside_pass *x, sir_block *b, size_t at)
{
    const sir_stmt *decl = b->data[at];
    const char *name = x->f->locals.data[x->place].name;
    rebuild(x, b, at, x->end);
    x->made++;
    if (x->hlc->diag->remarks)
        diag_remark(x->hlc->diag, sir_range(x->m, x->hlc->sources, decl->loc),
                    "what '%s' of '%s' leads to is kept beside it [beside]", name, x->filter->name);
}

// ---- Places ----

static bool is_place(beside_pass *x, const sir_block *b, size_t at)
{
    const sir_stmt *s = b->data[at];
    const sir_expr *init = s->kind == SIR_DECL ? s->u.decl.init : NULL;
    if (s->kind != SIR_DECL || s->u.decl.uninitialised || x->f->locals.data[s->u.decl.local].type->kind != SIR_INT)
        return false;
    sir_block rest = {.data = b->data + at + 1};
    const sir_expr zero = {.kind = SIR_CONST};
    x->place = s->u.decl.local;
    x->count = x->reads = x->inside = 0;
    x->depth = 0;
    for (size_t i = at + 1; i < b->len; i++) { // up to the last statement that asks
        size_t before = x->reads;
        find_reads(x, &(sir_block){.data = b->data + i, .len = 1});
        rest.len = x->reads != before ? i - at : rest.len;
    }
    x->end = at + 1 + rest.len;
    x->fails = x->inside == 0 || !sir_sets_local(&rest, x->place) || !is_within(x, init != NULL ? init : &zero);
    check(x, &rest, true);
    return !x->fails;
}

static void note_pop(void *context, sir_stmt *s)
{
    beside_pass *x = context;
    x->popped |= s->kind == SIR_POP || s->kind == SIR_CALL;
}

static void find_in(beside_pass *x, sir_block *b)
{
    for (size_t i = 0; i < b->len && x->looks > 0; i++) {
        sir_stmt *s = b->data[i];
        bool loop = s->kind == SIR_FOR || s->kind == SIR_LOOP;
        if (is_place(x, b, i)) {
            keep_beside(x, b, i);
            i += x->count;
            continue;
        }
        sir_parts parts = sir_stmt_parts(s);
        if (s->kind == SIR_DECL)
            x->declared[s->u.decl.local] = true;
        if (loop || parts.block_count == 0)
            sir_visit_stmts(&(sir_block){.data = &s, .len = 1}, note_pop, x);
        if (s->kind == SIR_FOR)
            enter(x, s);
        for (uint8_t k = 0; k < parts.block_count; k++)
            find_in(x, parts.block[k]);
        if (s->kind == SIR_FOR)
            x->loops.len--;
    }
}

bool pass_beside(hlc_program *p)
{
    bool any = false;
    if (!pass_may_change_more(p))
        return false;
    for (VEC_EACH(sir_filter *, f, &p->module->filters)) {
        sir_filter *filter = *f;
        if (filter->work == NULL || filter->finite)
            continue;
        beside_pass x = {
            .a = arena_create(), .hlc = p, .m = p->module, .filter = filter, .f = filter->work, .looks = BESIDE_LOOKS};
        x.declared = ARENA_ARRAY(x.a, bool, x.f->locals.len + 1);
        find_in(&x, &filter->work->body);
        any |= x.made > 0;
        arena_destroy(x.a);
    }
    if (any)
        sir_canonicalize(p->module, &(canon_options){0}); // places are gone that nothing reads
    return any;
}
