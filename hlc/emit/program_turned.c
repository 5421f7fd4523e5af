// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lanes that are steady states, as they are where a firing puts its items, where those that it takes lie in no row, such as those of a transform's first stage behind splitters
// that put even items before odd ones. Firings of a steady state together read all of its items. So these are turned over
// before, all at once, and each firing finds vectors:
//
//     for (ptrdiff_t i = 0; i < whole; i += 16) {
//         float turned[128 * 16];
//         svm_tileIn(turned, in + i * 128, 128, 16, 128);
//         for (ptrdiff_t i2 = 0; i2 < 2; i2++)
//             for (ptrdiff_t i1 = 0; i1 < 2; i1++)
//                 Combine_fire_16(turned + i2 * 32 + i1 * 64, out + i2 * 1024 + i1 * 512 + i);
//     }
//
// Item by item, a vector took as many loads and shuffles as it has lanes.
#include <inttypes.h>
#include <string.h>

#include "hlc/emit/program_int.h"
#include "hlc/plan/thresholds.h"

// Lanes; bytes of a tile, which stays in the first cache beside what is written.
enum { LANES = 16, LEAST_FLOATS = 8, MOST_BYTES = 65536 };

struct program_turned {
    emit_signature fire; // of all lanes
    const char *tile;    // "float turned[128 * 16]"
    int64_t items;       // of a steady state
    plan_digits in, out; // of the walk
    size_t unbounded;    // the digit that counts steady states
};

static bool is_word(const sir_type *t)
{
    return (t->kind == SIR_INT && t->storage == SIR_STORED_WHOLE) || t->kind == SIR_FLOAT;
}

// Whether all that a steady state's firings read lies between its first item and that of the next one.
static bool find_items(const program_walk *w, const plan_digits *items, int64_t window, program_turned *t)
{
    int64_t firings = 1, reach = 0, most = window - 1;
    t->unbounded = SIZE_MAX;
    for (size_t i = 0; i < w->in.len; i++) {
        const plan_digit *d = &w->in.data[i];
        if (d->radix == 0) {
            t->unbounded = i;
            t->items = d->stride;
            continue;
        }
        if (d->stride < 0 || d->radix > MOST_BYTES)
            return false;
        firings *= d->radix;
        reach += (d->radix - 1) * d->stride;
    }
    for (VEC_EACH(plan_digit, d, items)) { // of each item, the digits
        int64_t last = d + 1 == items->data + items->len || d->radix == 0 ? most
                       : most < d->radix                                  ? most
                                                                          : d->radix - 1;
        if (d->stride < 0)
            return false;
        reach += last * d->stride;
        most = d->radix == 0 ? 0 : most / d->radix;
    }
    return t->unbounded != SIZE_MAX && t->items > 1 && t->items * LANES * (int64_t)sizeof(float) <= MOST_BYTES &&
           reach < t->items && firings * window == t->items;
}

const program_turned *program_find_turned(program_emitter *x, emit_filter_info *info, const sir_function *f,
                                          const emit_signature *fire, const plan_walk *items, const program_walk *w,
                                          int64_t firings)
{
    const sir_filter *filter = info->filter;
    arena *a = x->e.arena;
    emit_view in = program_view(x, &items->in_items), out = program_view(x, &items->out_items);
    program_turned t = {0};
    bool pure = fire->in && fire->out && fire->fields.len == 0 && fire->given.len == 0 && !fire->iter &&
                !fire->random && !fire->log && !fire->sends && !fire->actor;
    if (x->p->config->opt_level < LANES_LEVEL || x->p->config->no_lanes || x->e.vector_floats < LEAST_FLOATS ||
        !x->e.cached || x->in_cycle || w->general || w->tail || !pure || in.count == 0 || f->peek.max > f->pop.max ||
        f->pop.max < 1 || !is_word(filter->input) || !is_word(filter->output) ||
        !plan_filter_can_fuse_horizontally(filter) || !find_items(w, &items->in_items, f->pop.max, &t) ||
        firings < LANES * digits_period(&w->in) || w->out.data[t.unbounded].stride != 1)
        return NULL;
    plan_digits planar = {0};
    for (VEC_EACH(plan_digit, d, &items->in_items))
        VEC_PUSH(a, &planar, ((plan_digit){d->radix, d->stride * LANES}));
    emit_view turned = program_view(x, &planar);
    emit_lanes lanes = emit_lane_count(&x->e, info, f, turned, out, LANES, 1, 1, LANES);
    if (!lanes.vectors || lanes.jams || lanes.count != LANES)
        return NULL;
    diag_remark(x->p->diag, sir_range(x->m, x->p->sources, f->loc),
                "%d firings of '%s' go side by side, and find their items turned over [lanes]", LANES, filter->name);
    program_include_lanes(x, LANES);
    const char *name = emit_unique_name(&x->e, arena_printf(a, "%s_fire_%d", info->c_name, LANES));
    t.fire = emit_fire_lanes(&x->e, info, f, name, turned, out, &lanes);
    t.tile = emit_declare_item(&x->e, filter->input, arena_printf(a, "turned[%" PRId64 " * %d]", t.items, LANES));
    t.in = w->in;
    t.out = w->out;
    program_turned *found = ARENA_NEW(a, program_turned);
    *found = t;
    return found;
}

void program_emit_turned(program_emitter *x, const program_turned *t)
{
    arena *a = x->e.arena;
    plan_digits steady = {0}, inside = {0};
    int indent = 2;
    for (VEC_EACH(plan_digit, d, &t->in)) {
        VEC_PUSH(a, &steady, ((plan_digit){d->radix, d->radix == 0 ? d->stride : 0}));
        VEC_PUSH(a, &inside, ((plan_digit){d->radix, d->radix == 0 ? 0 : d->stride * LANES}));
    }
    // Under a compiler without vectors all is done one by one.
    text_line(x, 1, "const ptrdiff_t whole = svm_lanes%d > 1 ? count / %" PRId64 " * %d : 0;", LANES,
              digits_period(&t->in) * LANES, LANES);
    const char *index = t->unbounded == 0 ? "i" : arena_printf(a, "i%zu", t->unbounded);
    text_line(x, 1, "for (ptrdiff_t %s = 0; %s < whole; %s += %d) {", index, index, index, LANES);
    text_line(x, 2, "%s;", t->tile);
    text_line(x, 2, "svm_tileIn(turned, %s, %" PRId64 ", %d, %" PRId64 ");", program_nest_pointer(x, "in", &steady),
              t->items, LANES, t->items);
    for (size_t i = t->in.len; i-- > 0;) {
        if (i == t->unbounded)
            continue;
        const char *inner = i == 0 ? "i" : arena_printf(a, "i%zu", i);
        text_line(x, indent++, "for (ptrdiff_t %s = 0; %s < %" PRId64 "; %s++)", inner, inner, t->in.data[i].radix,
                  inner);
    }
    text_args args = {0};
    VEC_PUSH(a, &args, program_nest_pointer(x, "turned", &inside));
    VEC_PUSH(a, &args, program_nest_pointer(x, "out", &t->out));
    text_call(x, indent, arena_printf(a, "%s(", t->fire.name), &args, ");");
    text_line(x, 1, "}");
}
