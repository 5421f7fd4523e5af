// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Firings that follow each other in what they read, and lie in another order in what they write, such as the first stage of a
// transform behind a reversal of bits. Sixteen that are neighbours in what is read are lanes, so that whole vectors are loaded;
// what each writes lies side by side, and goes as a row of a block to its place:
//
//     float rows[16][4];
//     Combine_fire_16(in + i7 * 512 + i2 * 32, rows[0]);
//     for (ptrdiff_t i6 = 0; i6 < 2; i6++)
//         for (ptrdiff_t i5 = 0; i5 < 2; i5++)
//             for (ptrdiff_t i4 = 0; i4 < 2; i4++)
//                 for (ptrdiff_t i3 = 0; i3 < 2; i3++)
//                     memcpy(out + i7 * 512 + ... + i2 * 8, rows[i6 + i5 * 2 + i4 * 4 + i3 * 8], sizeof *rows);
//
// C compilers would load item by item.
#include <inttypes.h>
#include <string.h>

#include "hlc/emit/program_int.h"
#include "hlc/plan/thresholds.h"

// Lanes; items between neighbours at most, which shuffles bring together; items that a firing pushes, which are turned by
// fours, and all stay in registers.
enum { LANES = 16, LEAST_FLOATS = 8, MOST_APART = 4, TURNED_ITEMS = 4, MOST_PUSHED = 32 };

struct program_reversed {
    emit_signature fire; // of all lanes
    const char *rows;    // "float rows[16][4]"
    plan_digits in, out; // of the walk
    bool *inside;        // per digit: it counts lanes
    int64_t apart;       // items between neighbours
};

static bool is_word(const sir_type *t)
{
    return (t->kind == SIR_INT && t->storage == SIR_STORED_WHOLE) || t->kind == SIR_FLOAT;
}

// The digits that count lanes: what one counts begins where the one before ends, from the least distance on.
static bool find_inside(const program_walk *w, program_reversed *r)
{
    r->apart = 0;
    bool ordered = true;
    int64_t out = 0;
    for (VEC_EACH(plan_digit, d, &w->in))
        if (d->radix != 0 && d->stride > 0 && (r->apart == 0 || d->stride < r->apart))
            r->apart = d->stride;
    if (r->apart == 0 || r->apart > MOST_APART || r->apart == 3)
        return false;
    for (int64_t lanes = 1; lanes < LANES;) {
        size_t next = SIZE_MAX;
        for (size_t i = 0; i < w->in.len; i++)
            if (!r->inside[i] && w->in.data[i].radix > 1 && w->in.data[i].stride == r->apart * lanes)
                next = i;
        if (next == SIZE_MAX || LANES % (lanes * w->in.data[next].radix) != 0)
            return false;
        r->inside[next] = true;
        ordered = ordered && (lanes == 1 || w->out.data[next].stride == out);
        lanes *= w->in.data[next].radix;
        out = w->out.data[next].stride * w->in.data[next].radix;
    }
    return !ordered; // else they are lanes as they are
}

const program_reversed *program_find_reversed(program_emitter *x, emit_filter_info *info, const sir_function *f,
                                              const emit_signature *fire, const plan_walk *items, const program_walk *w)
{
    const sir_filter *filter = info->filter;
    emit_view in = program_view(x, &items->in_items), out = program_view(x, &items->out_items);
    program_reversed r = {.inside = ARENA_ARRAY(x->e.arena, bool, w->in.len + 1)};
    bool pure = fire->in && fire->out && fire->fields.len == 0 && fire->given.len == 0 && !fire->iter &&
                !fire->random && !fire->log && !fire->sends && !fire->actor;
    if (x->p->config->opt_level < LANES_LEVEL || x->p->config->no_lanes || x->e.vector_floats < LEAST_FLOATS ||
        !x->e.cached || x->in_cycle || w->general || w->tail || !pure || out.count != 0 ||
        f->push.max % TURNED_ITEMS != 0 || f->push.max > MOST_PUSHED || f->peek.max > f->pop.max ||
        !is_word(filter->input) || !is_word(filter->output) || !plan_filter_can_fuse_horizontally(filter) ||
        !find_inside(w, &r) || !emit_can_lanes(&x->e, info, f, in, out))
        return NULL;
    diag_remark(x->p->diag, sir_range(x->m, x->p->sources, f->loc),
                "%d firings of '%s' that read neighbours go side by side, though they write in another order [lanes]",
                LANES, filter->name);
    program_include_lanes(x, LANES);
    emit_lanes lanes = {.count = LANES, .vectors = true, .in_stride = r.apart, .out_stride = f->push.max};
    const char *name = emit_unique_name(&x->e, arena_printf(x->e.arena, "%s_fire_%d", info->c_name, LANES));
    r.fire = emit_fire_lanes(&x->e, info, f, name, in, out, &lanes);
    r.rows =
        emit_declare_item(&x->e, filter->output, arena_printf(x->e.arena, "rows[%d][%" PRId64 "]", LANES, f->push.max));
    r.in = w->in;
    r.out = w->out;
    program_reversed *found = ARENA_NEW(x->e.arena, program_reversed);
    *found = r;
    return found;
}

// The loops whose digits count lanes, or those whose digits do not; the last of the latter has more than one statement.
static int emit_loops(program_emitter *x, const program_reversed *r, bool inside, int indent)
{
    size_t left = 0;
    for (size_t i = 0; i < r->in.len; i++)
        left += r->inside[i] == inside;
    for (size_t i = r->in.len; i-- > 0;) {
        if (r->inside[i] != inside)
            continue;
        const char *index = i == 0 ? "i" : arena_printf(x->e.arena, "i%zu", i);
        const char *bound = r->in.data[i].radix == 0
                                ? arena_printf(x->e.arena, "count / %" PRId64, digits_period(&r->in))
                                : arena_printf(x->e.arena, "%" PRId64, r->in.data[i].radix);
        text_line(x, indent++, "for (ptrdiff_t %s = 0; %s < %s; %s++)%s", index, index, bound, index,
                  --left == 0 && !inside ? " {" : "");
    }
    return indent;
}

void program_emit_reversed(program_emitter *x, const program_reversed *r)
{
    arena *a = x->e.arena;
    plan_digits outer = {0}, lane = {0};
    for (size_t i = 0; i < r->in.len; i++) {
        const plan_digit *d = &r->in.data[i];
        VEC_PUSH(a, &outer, ((plan_digit){d->radix, r->inside[i] ? 0 : d->stride}));
        VEC_PUSH(a, &lane, ((plan_digit){d->radix, r->inside[i] ? d->stride / r->apart : 0}));
    }
    int indent = emit_loops(x, r, false, 1);
    text_line(x, indent, "%s;", r->rows);
    text_line(x, indent, "%s(%s, rows[0]);", r->fire.name, program_nest_pointer(x, "in", &outer));
    int inner = emit_loops(x, r, true, indent);
    const char *row = program_nest_pointer(x, "", &lane);
    text_args args = {0};
    VEC_PUSH(a, &args, program_nest_pointer(x, "out", &r->out));
    VEC_PUSH(a, &args, arena_printf(a, "rows[%s]", row + strlen(" + ")));
    VEC_PUSH(a, &args, "sizeof *rows");
    text_call(x, inner, "memcpy(", &args, ");");
    text_line(x, indent - 1, "}");
}
