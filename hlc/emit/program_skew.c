// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Filters that take an item through a loop whose trips have their own state, as cascades of recursive filters do.
//
// NOTE(skew). Each trip waits for the one before, and for what it did with the item before. So trip m of one firing, trip
// m + 1 of the firing before it, and so on, wait for nothing of each other: they are the lanes of a vector. An item goes
// from lane to lane, a firing each, and comes out as many firings later as there are lanes before the last; a strip begins
// and ends with some firings in which only part of the lanes do something.
//
//     float rows[8][16]: the item, the trips' states, their constants       Peaking_stage_fire_16(rows[0], next[0])
//
// NOTE(late). Going to the next lane takes a processor five cycles or so, which each firing would wait for beside its own
// state. So an item rests for a firing before it goes on: lanes are two firings behind each other. Where a vector takes
// more than two registers there is work enough meanwhile.
//
// What a trip does is a filter of its own, made here, which takes a row's items and gives the new ones; it fires side by
// side like others (NOTE(vectors) in body.h).
#include <inttypes.h>
#include <string.h>

#include "hlc/emit/body_int.h"
#include "hlc/emit/program_int.h"
#include "hlc/ir/copy.h"
#include "hlc/ir/walk.h"

// Trips; lanes of a register at least; registers of a vector at most, and those with which lanes are two firings apart.
enum { LEAST_STAGES = 4, LEAST_WIDTH = 4, MOST_REGISTERS = 4, BUSY_REGISTERS = 2 };

// A table or array of the state that is subscripted by the loop's variable, or the same part of all its elements: a row of
// what a trip takes.
typedef struct skew_row {
    uint32_t field, local; // of the filter; of the stage's function
    const char *part;      // behind the subscript, as in C: "[1]", ".gain"; "" of an array of numbers
} skew_row;
typedef VEC(skew_row) skew_rows;

struct program_skew {
    int64_t stages;
    int lanes;
    int behind; // firings that a lane is behind the one before
    const char *fire;
    skew_rows states, constants;
};

typedef struct skewer {
    program_emitter *x;
    sir_module *m;
    const sir_filter *filter;
    const sir_stmt *loop;
    sir_filter *stage;
    uint32_t *locals; // per local of the filter, what it is in the stage
    bool *known;      // and whether it is one there
    program_skew *skew;
    bool fails;
} skewer;

// ---- The form ----

static bool is_item(const sir_expr *e, uint32_t local)
{
    return e != NULL && e->kind == SIR_LOCAL && e->index == local;
}

// pop into a local; a loop; push of the local.
static const sir_stmt *find_loop(const sir_function *f, uint32_t *item)
{
    const sir_stmt *s[3];
    size_t n = 0;
    for (size_t i = 0; i < f->body.len; i++) {
        if (f->body.data[i]->kind == SIR_DECL)
            continue;
        if (n == 3)
            return NULL;
        s[n++] = f->body.data[i];
    }
    if (n != 3 || s[0]->kind != SIR_POP || s[1]->kind != SIR_FOR || s[2]->kind != SIR_PUSH ||
        s[0]->u.set.target == NULL || s[0]->u.set.target->kind != SIR_LOCAL)
        return NULL;
    *item = s[0]->u.set.target->index;
    const sir_stmt *loop = s[1];
    bool counts = loop->u.for_.lo->kind == SIR_CONST && loop->u.for_.hi->kind == SIR_CONST && loop->u.for_.step == 1 &&
                  loop->u.for_.lo->u.value.i == 0;
    return counts && is_item(s[2]->u.value, *item) ? loop : NULL;
}

// ---- What a trip does, as a filter ----

static uint32_t row_of(skewer *k, uint32_t field, const char *part)
{
    const sir_field *f = &k->filter->fields.data[field];
    skew_rows *rows = f->constant ? &k->skew->constants : &k->skew->states;
    for (VEC_EACH(const skew_row, r, rows))
        if (r->field == field && strcmp(r->part, part) == 0)
            return r->local;
    k->fails |= f->type->length != k->skew->stages;
    uint32_t local = sir_local_new(k->m, k->stage->work, f->name, k->m->scalar[SIR_FLOAT], f->loc);
    VEC_PUSH(k->x->e.arena, rows, ((skew_row){field, local, part}));
    return local;
}

// The field of an element by the loop's variable, or of a part of it, and that part; NULL: it is none.
static const sir_expr *find_row(skewer *k, const sir_expr *e, const char **part)
{
    arena *a = k->x->e.arena;
    for (*part = ""; e->kind == SIR_INDEX || e->kind == SIR_MEMBER; e = e->u.arg[0]) {
        const sir_expr *base = e->u.arg[0];
        if (e->kind == SIR_INDEX && base->kind == SIR_FIELD)
            return is_item(e->u.arg[1], k->loop->u.for_.local) ? base : NULL;
        if (e->kind == SIR_INDEX && e->u.arg[1]->kind == SIR_CONST)
            *part = arena_printf(a, "[%" PRId32 "]%s", e->u.arg[1]->u.value.i, *part);
        else if (e->kind == SIR_MEMBER && base->type->kind == SIR_STRUCT)
            *part = arena_printf(a, ".%s%s", body_member_name(&k->x->e, base->type->decl, e->index), *part);
        else
            return NULL;
    }
    return NULL;
}

static size_t count_fields(const skew_rows *rows)
{
    size_t n = 0;
    for (size_t i = 0; i < rows->len; i++) {
        size_t k = 0;
        while (rows->data[k].field != rows->data[i].field)
            k++;
        n += k == i;
    }
    return n;
}

static bool is_fine(const sir_expr *e)
{
    return e->kind == SIR_CONST || e->kind == SIR_UNARY || e->kind == SIR_BINARY || e->kind == SIR_SELECT ||
           e->kind == SIR_CONVERT ||
           (e->kind == SIR_MATH &&
            (e->op == LANG_MATH_ABS || e->op == LANG_MATH_MIN || e->op == LANG_MATH_MAX || e->op == LANG_MATH_SQRT));
}

static sir_expr *replace_row(void *context, const sir_expr *e)
{
    skewer *k = context;
    const char *part;
    const sir_expr *field = e->type->kind == SIR_FLOAT ? find_row(k, e, &part) : NULL;
    if (field != NULL)
        return sir_ref(k->m, SIR_LOCAL, row_of(k, field->index, part), e->type, e->loc);
    bool known = e->kind == SIR_LOCAL && k->known[e->index];
    k->fails |= !known && !is_fine(e);
    return k->fails ? sir_ref(k->m, SIR_LOCAL, 0, e->type, e->loc) : NULL;
}

static bool drop_stmt(void *context, const sir_stmt *s, sir_block *to)
{
    skewer *k = context;
    (void)to;
    k->fails |= s->kind != SIR_DECL && s->kind != SIR_SET && s->kind != SIR_IF;
    return k->fails;
}

static void declare(void *context, uint32_t local)
{
    skewer *k = context;
    const sir_local *l = &k->filter->work->locals.data[local];
    k->locals[local] = sir_local_new(k->m, k->stage->work, l->name, l->type, l->loc);
    k->known[local] = true;
}

static void take_row(skewer *k, uint32_t local)
{
    sir_module *m = k->m;
    sir_function *w = k->stage->work;
    sir_stmt *decl = sir_stmt_new(m, SIR_DECL, w->loc), *pop = sir_stmt_new(m, SIR_POP, w->loc);
    decl->u.decl.local = local;
    decl->u.decl.uninitialised = true;
    pop->u.set.target = sir_ref(m, SIR_LOCAL, local, m->scalar[SIR_FLOAT], w->loc);
    VEC_PUSH(m->arena, &w->body, decl);
    VEC_PUSH(m->arena, &w->body, pop);
    w->pop.min = ++w->pop.max;
    w->peek = w->pop;
}

static void give_row(skewer *k, uint32_t local)
{
    sir_module *m = k->m;
    sir_function *w = k->stage->work;
    sir_stmt *push = sir_stmt_new(m, SIR_PUSH, w->loc);
    push->u.value = sir_ref(m, SIR_LOCAL, local, m->scalar[SIR_FLOAT], w->loc);
    VEC_PUSH(m->arena, &w->body, push);
    w->push.min = ++w->push.max;
}

static bool make_stage(skewer *k, uint32_t item)
{
    sir_module *m = k->m;
    const sir_filter *f = k->filter;
    k->stage = ARENA_NEW(m->arena, sir_filter);
    *k->stage = (sir_filter){.name = arena_printf(m->arena, "%s_stage", f->name),
                             .source = arena_printf(m->arena, "a trip of the loop of %s", f->source),
                             .input = f->input,
                             .output = f->output,
                             .loc = f->loc};
    k->stage->work = ARENA_NEW(m->arena, sir_function);
    *k->stage->work =
        (sir_function){.kind = SIR_WORK, .name = f->work->name, .result = f->work->result, .loc = f->work->loc};
    k->locals = ARENA_ARRAY(m->arena, uint32_t, f->work->locals.len + 1);
    uint32_t own = sir_local_new(m, k->stage->work, f->work->locals.data[item].name, f->input, f->work->loc);
    k->locals[item] = own;
    k->known = ARENA_ARRAY(m->arena, bool, f->work->locals.len + 1);
    k->known[item] = true;
    const sir_copier copier = {.arena = m->arena,
                               .locals = k->locals,
                               .context = k,
                               .expr = replace_row,
                               .stmt = drop_stmt,
                               .declare = declare};
    sir_block body = sir_copy_block(&copier, &k->loop->u.for_.body);
    take_row(k, own);
    for (VEC_EACH(const skew_row, r, &k->skew->states))
        take_row(k, r->local);
    for (VEC_EACH(const skew_row, r, &k->skew->constants))
        take_row(k, r->local);
    for (VEC_EACH(sir_stmt *, s, &body))
        VEC_PUSH(m->arena, &k->stage->work->body, *s);
    give_row(k, own);
    for (VEC_EACH(const skew_row, r, &k->skew->states))
        give_row(k, r->local);
    return !k->fails && k->skew->states.len != 0;
}

const program_skew *program_find_skew(program_emitter *x, const emit_filter_info *info, const sir_function *f,
                                      const emit_signature *fire, int width)
{
    uint32_t item;
    const sir_filter *filter = info->filter;
    const sir_stmt *loop = f->kind == SIR_WORK ? find_loop(f, &item) : NULL;
    if (width < LEAST_WIDTH || loop == NULL || filter->input->kind != SIR_FLOAT || filter->output->kind != SIR_FLOAT ||
        fire->given.len != 0 || fire->iter || fire->random || fire->log || fire->sends || fire->actor ||
        info->handlers.len != 0)
        return NULL;
    program_skew *skew = ARENA_NEW(x->e.arena, program_skew);
    *skew = (program_skew){.stages = loop->u.for_.hi->u.value.i, .lanes = 4};
    while (skew->lanes < skew->stages && skew->lanes < MOST_REGISTERS * width)
        skew->lanes *= 2;
    skew->behind = skew->lanes <= BUSY_REGISTERS * width ? 2 : 1;
    skewer k = {.x = x, .m = x->p->module, .filter = filter, .loop = loop, .skew = skew};
    if (skew->stages < LEAST_STAGES || skew->stages > skew->lanes || !make_stage(&k, item) ||
        count_fields(&skew->states) != fire->fields.len)
        return NULL;
    sir_filter_derive(k.m, k.stage);
    const emit_digit *apart = ARENA_NEW(x->e.arena, emit_digit);
    memcpy((void *)(uintptr_t)apart, &(emit_digit){0, skew->lanes}, sizeof *apart);
    emit_view rows = {apart, 1};
    if (!emit_can_vectors(&x->e, k.stage, rows))
        return NULL;
    emit_filter_info *of = emit_filter(&x->e, k.stage);
    emit_lanes lanes = {.count = skew->lanes, .vectors = true, .in_stride = 1, .out_stride = 1};
    program_include_lanes(x, skew->lanes);
    skew->fire = emit_unique_name(&x->e, arena_printf(x->e.arena, "%s_fire_%d", of->c_name, skew->lanes));
    (void)emit_fire_lanes(&x->e, of, k.stage->work, skew->fire, rows, rows, &lanes);
    diag_remark(x->p->diag, sir_range(x->m, x->p->sources, loop->loc.file != 0 ? loop->loc : f->loc),
                "%" PRId64 " trips of the loop of '%s', each of a firing of its own, go side by side [lanes]",
                skew->stages, filter->name);
    return skew;
}

// ---- The strip ----

// The rows of the state as vectors, where a mask says so: of lanes that have an item. own: behind the names of what
// belongs to one of two states, "" or "_2".
static void emit_states(program_emitter *x, const program_skew *s, int indent, const char *own, const char *mask)
{
    for (size_t i = s->behind == 1 ? 0 : 1; i <= s->states.len; i++) {
        const char *next = arena_printf(x->e.arena, "svm_loadFloats%d(next%s[%zu])", s->lanes, own, i);
        if (mask != NULL && i > 0)
            next = arena_printf(x->e.arena, "svm_chooseFloats%d(%s, %s, svm_loadFloats%d(rows%s[%zu]))", s->lanes, mask,
                                next, s->lanes, own, i);
        text_line(x, indent, "svm_storeFloats%d(rows%s[%zu], %s);", s->lanes, own, i, next);
    }
}

// An array of the state or a constant as a row, and back.
static void emit_row(program_emitter *x, const program_skew *s, const skew_row *r, const char *row, const char *array,
                     bool back)
{
    if (*r->part == '\0') {
        text_line(x, 2, "memcpy(%s, %s, sizeof %s);", back ? array : row, back ? row : array, array);
        return;
    }
    const char *part = arena_printf(x->e.arena, "%s[m]%s", array, r->part);
    text_line(x, 2, "for (ptrdiff_t m = 0; m < %" PRId64 "; m++)", s->stages);
    if (back)
        text_line(x, 3, "%s = %s[m];", part, row);
    else
        text_line(x, 3, "%s[m] = %s;", row, part);
}

// Firings after which an item comes out.
static int64_t late_by(const program_skew *s)
{
    return s->behind * (s->stages - 1);
}

// What strips do whose items and states have these endings.
typedef struct skew_strips {
    const program_skew *skew;
    const emit_filter_info *info;
    int64_t in_stride, out_stride;
    const char *own[2];
    size_t count;
} skew_strips;

// items: they are taken; gives: they come out.
static void emit_trip(program_emitter *x, const skew_strips *all, const char *head, bool items, const char *mask,
                      bool gives)
{
    const program_skew *s = all->skew;
    text_line(x, 2, "%s {", head);
    for (size_t i = 0; i < all->count; i++) {
        const char *own = all->own[i], *item = "0.0f";
        if (items)
            item = arena_printf(x->e.arena, "in%s[%s]", own, text_times(x, "i", all->in_stride));
        const char *from = arena_printf(x->e.arena, s->behind == 1 ? "rows%s[0]" : "rests%s", own);
        text_line(x, 3, "svm_storeFloats%d(rows%s[0], svm_nextFloats%d(svm_loadFloats%d(%s), %s));", s->lanes, own,
                  s->lanes, s->lanes, from, item);
        if (s->behind > 1)
            text_line(x, 3, "svm_storeFloats%d(rests%s, svm_loadFloats%d(next%s[0]));", s->lanes, own, s->lanes, own);
        text_line(x, 3, "%s(rows%s[0], next%s[0]);", s->fire, own, own);
        if (gives) {
            const char *at =
                arena_printf(x->e.arena, all->out_stride == 1 ? "i - %" PRId64 : "(i - %" PRId64 ")", late_by(s));
            text_line(x, 3, "out%s[%s] = next%s[0][%" PRId64 "];", own, text_times(x, at, all->out_stride), own,
                      s->stages - 1);
        }
        if (mask != NULL && i == 0)
            text_line(x, 3, "const svm_Ints%d busy = SVM_MASK(%s);", s->lanes, mask);
        emit_states(x, s, 3, own, mask == NULL ? NULL : "busy");
    }
    text_line(x, 2, "}");
}

static void emit_rows(program_emitter *x, const skew_strips *all, bool back)
{
    arena *a = x->e.arena;
    const program_skew *s = all->skew;
    for (size_t i = 0; i < all->count; i++) {
        const char *own = all->own[i];
        size_t at = 1;
        for (VEC_EACH(const skew_row, r, &s->states))
            emit_row(x, s, r, arena_printf(a, "rows%s[%zu]", own, at++),
                     arena_printf(a, "state%s->%s", own, all->info->field_names.data[r->field]), back);
        for (size_t k = 0; k < s->constants.len && !back; k++)
            emit_row(x, s, &s->constants.data[k], arena_printf(a, "rows%s[%zu]", own, at++),
                     emit_field_table(&x->e, all->info, s->constants.data[k].field), false);
    }
}

static void emit_strips(program_emitter *x, const skew_strips *all)
{
    arena *a = x->e.arena;
    const program_skew *s = all->skew;
    int64_t late = late_by(s);
    const char *place = s->behind == 1 ? "lane" : "2 * lane";
    size_t rows = 1 + s->states.len + s->constants.len;
    text_line(x, 1,
              "if (svm_lanes%d > 1 && count > %" PRId64 ") { /* trips side by side, each %s behind the one before */",
              s->lanes, late, s->behind == 1 ? "a firing" : "two firings");
    for (size_t i = 0; i < all->count; i++) {
        const char *own = all->own[i], *rests = "";
        if (s->behind > 1)
            rests = arena_printf(a, ", rests%s[%d] = {0}", own, s->lanes);
        text_line(x, 2, "float rows%s[%zu][%d] = {{0}}, next%s[%zu][%d]%s%s;", own, rows, s->lanes, own,
                  1 + s->states.len, s->lanes, s->behind == 1 ? "" : " = {{0}}", rests);
    }
    text_line(x, 2, "const svm_Ints%d lane = svm_numberInts%d();", s->lanes, s->lanes);
    text_line(x, 2, "ptrdiff_t i = 0;");
    emit_rows(x, all, false);
    emit_trip(x, all, arena_printf(a, "for (; i < %" PRId64 "; i++)", late), true,
              arena_printf(a, "%s <= (int)i", place), false);
    emit_trip(x, all, "for (; i < count; i++)", true, NULL, true);
    emit_trip(x, all, arena_printf(a, "for (; i < count + %" PRId64 "; i++)", late), false,
              arena_printf(a, "%s > (int)(i - count)", place), true);
    emit_rows(x, all, true);
    text_line(x, 2, "return;");
    text_line(x, 1, "}");
}

void program_emit_skew(program_emitter *x, const program_skew *s, const emit_filter_info *info, int64_t in_stride,
                       int64_t out_stride)
{
    skew_strips one = {s, info, in_stride, out_stride, {""}, 1};
    emit_strips(x, &one);
}

// ---- Two strips at once ----

// NOTE(pairs). Each firing waits for the one before, however many lanes it has. Two filters of one kind that know nothing
// of each other, such as those of two channels, wait at the same time.
const char *program_skew_pair(program_emitter *x, program_strip *strip, const emit_filter_info *info)
{
    arena *a = x->e.arena;
    if (strip->pair != NULL)
        return strip->pair;
    strip->pair = emit_unique_name(&x->e, arena_printf(a, "%s_pair", strip->name));
    strbuf *out = x->e.out;
    x->e.out = x->before;
    skew_strips two = {strip->skew, info, strip->in_stride, strip->out_stride, {"", "_2"}, 2};
    text_line(x, 0, "/* Two strips of %s at once: each waits for its own state. */", info->filter->source);
    text_args params = {0};
    for (size_t i = 0; i < two.count; i++) {
        const char *own = two.own[i];
        VEC_PUSH(a, &params, arena_printf(a, "const float *restrict in%s", own));
        VEC_PUSH(a, &params, arena_printf(a, "float *restrict out%s", own));
        VEC_PUSH(a, &params, arena_printf(a, "%s *restrict state%s", info->state_type, own));
    }
    VEC_PUSH(a, &params, "ptrdiff_t count");
    text_call(x, 0, arena_printf(a, "SVM_OUTLINED static void %s(", strip->pair), &params, ")");
    text_line(x, 0, "{");
    emit_strips(x, &two);
    text_line(x, 1, "%s(in, out, count, state);", strip->name);
    text_line(x, 1, "%s(in_2, out_2, count, state_2);", strip->name);
    text_line(x, 0, "}\n");
    x->e.out = out;
    return strip->pair;
}
