// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that stages call: firing functions, strips of firings, copies. Stages alike share them.
#include <inttypes.h>
#include <string.h>

#include "hlc/emit/program_int.h"
#include "hlc/plan/thresholds.h"

// NOTE(alike). Stages share a function where its text is the same: what is printed is the whole of what it does.
static strbuf *begin_body(program_emitter *x)
{
    strbuf *out = x->e.out;
    x->e.out = ARENA_NEW(x->e.arena, strbuf);
    strbuf_init(x->e.out, x->e.arena);
    return out;
}

static const char *end_body(program_emitter *x, strbuf *out)
{
    const char *body = x->e.out->data;
    x->e.out = out;
    return body;
}

// ---- Firing functions ----

// Lanes of the registers of the processor that the program runs on, the first of several.
static int lane_width(const program_emitter *x)
{
    const machine_processor *p = machine_processor_by_name(x->p->machine, x->pl->processor);
    return p == NULL ? 0 : (int)(machine_vector_bytes(p) / sizeof(float));
}

emit_signature program_fire_function(program_emitter *x, emit_filter_info *info, const sir_function *f,
                                     const plan_digits *in, const plan_digits *out)
{
    emit_view in_view = program_view(x, in), out_view = program_view(x, out);
    strbuf key;
    strbuf_init(&key, x->e.arena);
    strbuf_printf(&key, "%p", (const void *)f);
    for (size_t i = 0; i < in_view.count; i++)
        strbuf_printf(&key, " %" PRId64 ":%" PRId64, in_view.digits[i].radix, in_view.digits[i].stride);
    strbuf_addc(&key, ';');
    for (size_t i = 0; i < out_view.count; i++)
        strbuf_printf(&key, " %" PRId64 ":%" PRId64, out_view.digits[i].radix, out_view.digits[i].stride);
    emit_signature *known = hmap_get(&x->fires, key.data);
    if (known == NULL) {
        const char *wanted = arena_printf(x->e.arena, "%s_%s", info->c_name,
                                          f->kind == SIR_PREWORK     ? "prework"
                                          : f == info->filter->ahead ? "ahead"
                                                                     : "fire");
        known = ARENA_NEW(x->e.arena, emit_signature);
        if (x->p->config->opt_level >= LANES_LEVEL && !x->p->config->no_lanes && in_view.count == 0 &&
            out_view.count == 0)
            program_find_inside(x, info, f, lane_width(x));
        *known = emit_fire_function(&x->e, info, f, emit_unique_name(&x->e, wanted), in_view, out_view);
        hmap_set(&x->fires, key.data, known);
        if (known->aside != 0 && f != info->filter->ahead)
            diag_remark(x->p->diag, sir_range(x->m, x->p->sources, f->loc),
                        "%d trips of a loop of '%s', %s, go side by side [lanes]", known->aside, info->filter->name,
                        known->adds ? "which adds ints" : "each with a state of its own");
        if (known->flags)
            diag_remark(x->p->diag, sir_range(x->m, x->p->sources, f->loc),
                        "conditions set what '%s' keeps as a boolean without branches [lanes]", info->filter->name);
        if (known->inlined)
            diag_remark(x->p->diag, sir_range(x->m, x->p->sources, f->loc),
                        "firings of '%s' are inlined, so that the C compiler can do them side by side [lanes]",
                        info->filter->name);
        if (known->waits)
            diag_remark(
                x->p->diag, sir_range(x->m, x->p->sources, f->loc),
                "firings of '%s' wait for their sums, which are quicker beside vectors of half the width [lanes]",
                info->filter->name);
        if (known->shifts)
            diag_remark(
                x->p->diag, sir_range(x->m, x->p->sources, f->loc),
                "loops that move elements of what '%s' keeps are written out, so that these are registers [lanes]",
                info->filter->name);
        if (known->rungs)
            diag_remark(
                x->p->diag, sir_range(x->m, x->p->sources, f->loc),
                "what a loop of '%s' leaves in its state is in no vector: each element is waited for by itself [lanes]",
                info->filter->name);
        if (known->states)
            diag_remark(x->p->diag, sir_range(x->m, x->p->sources, f->loc),
                        "numbers that '%s' keeps are in no vector: each is waited for by itself [lanes]",
                        info->filter->name);
    }
    return *known;
}

static bool is_array_field(const emit_filter_info *info, uint32_t field)
{
    return info->filter->fields.data[field].type->kind == SIR_ARRAY;
}

void program_fire_arguments(program_emitter *x, const emit_filter_info *info, const emit_signature *fire,
                            const char *scalar_prefix, const char *state, const char *iter, const char *random,
                            const char *log, const char *sender, const char *actor, const char *const *given,
                            text_args *args)
{
    arena *a = x->e.arena;
    for (VEC_EACH(uint32_t, f, &fire->fields)) {
        const char *name = info->field_names.data[*f];
        VEC_PUSH(a, args,
                 is_array_field(info, *f) ? arena_printf(a, "%s%s", state, name)
                                          : arena_printf(a, "&%s%s", scalar_prefix, name));
    }
    for (VEC_EACH(uint32_t, g, &fire->given))
        VEC_PUSH(a, args, given != NULL ? given[*g] : info->of->given.data[*g].name);
    if (fire->iter)
        VEC_PUSH(a, args, iter);
    if (fire->random)
        VEC_PUSH(a, args, random);
    if (fire->log)
        VEC_PUSH(a, args, log);
    if (fire->sends)
        VEC_PUSH(a, args, sender);
    if (fire->actor)
        VEC_PUSH(a, args, actor);
}

// ---- Strips ----

typedef struct strip_body {
    const emit_filter_info *info;
    const emit_signature *fire;
    const char *iter;   // the number of the firing, or of the first of several
    const char *prefix; // of the locals that hold scalar fields
    const char *arrays; // before the names of array fields: "state->", or that of locals
} strip_body;

// Several firings side by side (NOTE(lanes) in hlc/emit/body.h): how many, and the function. lanes 0: none.
typedef struct strip_lanes {
    int lanes;
    bool jams;
    bool row; // of the nest's innermost loop
    const char *text;
    emit_signature fire;
} strip_lanes;

// Firings that go side by side at most.
#define MOST_LANES 1024
// Lanes of a register from which on neighbours in a steady state are better: an SPE's four gain nothing.
#define ROW_WIDTH 8

// The types and functions for vectors of so many lanes.
void program_include_lanes(program_emitter *x, int lanes)
{
    if (hmap_getn(&x->lane_headers, &lanes, sizeof lanes) != NULL)
        return;
    hmap_setn(&x->lane_headers, &lanes, sizeof lanes, x);
    text_line(x, 0, "#define SVM_LANES %d", lanes);
    text_line(x, 0, "#include <svm/lanes.h>\n");
}

// Registers that the trips of a loop fill at most.
enum { ASIDE_REGISTERS = 4 };

int program_most_aside(const program_emitter *x)
{
    const hlc_config *config = x->p->config;
    bool can = config->opt_level >= LANES_LEVEL && !config->no_lanes && lane_width(x) > 1;
    int own = x->e.wide_registers ? 2 * lane_width(x) : lane_width(x);
    return can ? ASIDE_REGISTERS * own : 0;
}

// So many firings beside each other, as a function.
static emit_signature lanes_fire(program_emitter *x, emit_filter_info *info, const sir_function *f,
                                 const plan_walk *items, const emit_lanes *lanes)
{
    const char *name = emit_unique_name(&x->e, arena_printf(x->e.arena, "%s_fire_%d", info->c_name, lanes->count));
    if (lanes->vectors)
        program_include_lanes(x, lanes->count);
    return emit_fire_lanes(&x->e, info, f, name, program_view(x, &items->in_items), program_view(x, &items->out_items),
                           lanes);
}

static strip_lanes make_lanes(program_emitter *x, emit_filter_info *info, const sir_function *f, const plan_walk *items,
                              int64_t in_stride, int64_t out_stride, int64_t most, bool row)
{
    strip_lanes l = {.row = row};
    emit_view in = program_view(x, &items->in_items), out = program_view(x, &items->out_items);
    emit_lanes lanes = emit_lane_count(&x->e, info, f, in, out, lane_width(x), in_stride, out_stride, most);
    if (lanes.count == 0 && !row)
        lanes = emit_share_count(&x->e, info, f, in, out, in_stride, out_stride, most);
    l.lanes = row && !lanes.vectors ? 0 : lanes.count;
    l.jams = lanes.jams;
    l.text = arena_printf(x->e.arena, lanes.vectors ? "svm_lanes%d" : "%d", l.lanes);
    if (l.lanes == 0)
        return l;
    diag_remark(x->p->diag, sir_range(x->m, x->p->sources, f->loc),
                "%d firings of '%s' go side by side, so that its %s [lanes]", l.lanes, info->filter->name,
                lanes.jams      ? "look-ups wait together"
                : lanes.shares  ? "loads serve all of them"
                : lanes.vectors ? "loops vectorise"
                                : "sums vectorise");
    l.fire = lanes_fire(x, info, f, items, &lanes);
    return l;
}

// How many firings of the nest's innermost loop may be lanes: they lie side by side, on one side at least, where those that
// follow each other in the one without a bound are far apart, so that they would be taken and put one by one.
static int64_t row_lanes(const program_walk *w, size_t unbounded)
{
    const plan_digit *in = &w->in.data[0], *out = &w->out.data[0];
    bool row = unbounded > 0 && (in->stride == 1 || out->stride == 1) && w->in.data[unbounded].stride >= EMIT_FAR &&
               w->out.data[unbounded].stride >= EMIT_FAR;
    int64_t most = row ? in->radix & -in->radix : 0; // the greatest power of two that divides it
    return most < MOST_LANES ? most : MOST_LANES;
}

static strip_lanes known_lanes(program_emitter *x, emit_filter_info *info, const sir_function *f,
                               const emit_signature *fire, const plan_walk *items, int64_t in, int64_t out,
                               int64_t most, bool row)
{
    const char *key =
        arena_printf(x->e.arena, "%s %" PRId64 " %" PRId64 " %" PRId64 " %d", fire->name, in, out, most, row);
    strip_lanes *known = hmap_get(&x->lanes, key);
    if (known == NULL) {
        known = ARENA_NEW(x->e.arena, strip_lanes);
        *known = make_lanes(x, info, f, items, in, out, most, row);
        hmap_set(&x->lanes, key, known);
    }
    return *known;
}

// A view of what several firings move, each `step` items; NULL: their items do not go on as those of one do.
static const plan_digits *ahead_view(program_emitter *x, const plan_digits *items, int64_t step, int64_t stride)
{
    plan_digits *d = ARENA_NEW(x->e.arena, plan_digits);
    int64_t each = items->len == 0 ? 1 : items->data[0].stride;
    if (items->len > 1 || step == 0)
        return step == 0 ? d : NULL;
    if (step == 1)
        each = stride;
    VEC_PUSH(x->e.arena, d, ((plan_digit){0, each}));
    return stride == step * each ? d : NULL;
}

// What the pass look-ahead or frequency made of several firings, as one function; of such firings there are `lanes` a call.
static strip_lanes ahead_function(program_emitter *x, emit_filter_info *info, const sir_function *f,
                                  const plan_walk *items, const program_walk *w, int64_t firings)
{
    const sir_function *many = info->filter->work == f ? info->filter->ahead : NULL;
    strip_lanes l = {0};
    if (many == NULL || !x->p->config->fast_math || x->in_cycle || w->general || w->in.len != 1)
        return l;
    int64_t count = many->push.max / f->push.max;
    const plan_digits *in = ahead_view(x, &items->in_items, f->pop.max, w->in.data[0].stride),
                      *out = ahead_view(x, &items->out_items, f->push.max, w->out.data[0].stride);
    if (in == NULL || out == NULL || firings < PLAN_AHEAD_CALLS * count)
        return l;
    l.lanes = (int)count;
    l.text = arena_printf(x->e.arena, "%" PRId64, count);
    l.fire = program_fire_function(x, info, many, in, out);
    return l;
}

emit_lanes program_register_lanes(program_emitter *x, const program_stage *code)
{
    int width = lane_width(x);
    emit_lanes l = emit_lane_count(&x->e, code->info->of, code->info->of->filter->work,
                                   program_view(x, &code->walk.in_items), program_view(x, &code->walk.out_items), width,
                                   code->walk.in_firing.data[0].stride, code->walk.out_firing.data[0].stride, width);
    l.late = true;
    return l.vectors && l.count == width && code->strip->lanes > width ? l : (emit_lanes){0};
}

emit_signature program_lanes_fire(program_emitter *x, const program_stage *code, const emit_lanes *lanes)
{
    return lanes_fire(x, code->info->of, code->info->of->filter->work, &code->walk, lanes);
}

// fire: of one firing, whose name stands for the function and its views. firings: of a run.
static strip_lanes lanes_function(program_emitter *x, emit_filter_info *info, const sir_function *f,
                                  const emit_signature *fire, const plan_walk *items, const program_walk *w,
                                  int64_t firings)
{
    size_t unbounded = 0;
    while (unbounded < w->in.len && w->in.data[unbounded].radix != 0)
        unbounded++;
    bool in_turn = !fire->iter || w->in.len == 1; // lanes are firings that follow each other
    if (x->p->config->opt_level < LANES_LEVEL || x->p->config->no_lanes || w->general || unbounded == w->in.len ||
        !in_turn)
        return (strip_lanes){0};
    int64_t row = fire->iter ? 0 : row_lanes(w, unbounded), most = MOST_LANES;
    strip_lanes lanes = {0};
    if (row >= lane_width(x) && lane_width(x) >= ROW_WIDTH)
        lanes = known_lanes(x, info, f, fire, items, w->in.data[0].stride, w->out.data[0].stride, row, true);
    if (lanes.lanes != 0)
        return lanes;
    while (most > 1 && most > firings / digits_period(&w->in))
        most /= 2;
    return known_lanes(x, info, f, fire, items, w->in.data[unbounded].stride, w->out.data[unbounded].stride, most,
                       false);
}

static void fire_once(program_emitter *x, int indent, void *context, const char *in, const char *out)
{
    const strip_body *b = context;
    arena *a = x->e.arena;
    text_args args = {0};
    if (b->fire->in)
        VEC_PUSH(a, &args, in);
    if (b->fire->out)
        VEC_PUSH(a, &args, out);
    program_fire_arguments(x, b->info, b->fire, b->prefix, b->arrays, b->iter, "random", "log", "svm_sender",
                           "svm_actor", NULL, &args);
    text_call(x, indent, arena_printf(a, "%s(", b->fire->name), &args, ");");
}

// Firings of a row, side by side where the C compiler has vectors.
typedef struct row_body {
    strip_body *many, *one;
    const char *lanes; // NULL: one by one
} row_body;

static void fire_row(program_emitter *x, int indent, void *context, const char *in, const char *out)
{
    const row_body *b = context;
    if (b->lanes == NULL) {
        fire_once(x, indent, b->one, in, out);
        return;
    }
    text_line(x, indent, "if (%s > 1)", b->lanes);
    fire_once(x, indent + 1, b->many, in, out);
    text_line(x, indent, "else");
    fire_once(x, indent + 1, b->one, in, out);
}

// Strips stay functions of their own, so that their pointers stay 'restrict' and the C compiler's work does not grow with
// the square of a kernel's stages: inlined, a sorting network of 15 stages takes it 5 times as long. Those of a feedback
// loop's rounds are a few firings each and are inlined, unless there are so many stages.
enum { MANY_STAGES = 64 };

static const char *outlined(program_emitter *x)
{
    if (x->outlined != NULL)
        return x->outlined;
    bool cycles = false;
    size_t most = 0;
    for (VEC_EACH(const plan_kernel, k, &x->pl->kernels)) {
        size_t stages = 0;
        for (VEC_EACH(const plan_item, item, &k->items)) {
            stages += item->stages.len;
            cycles = cycles || item->cycle >= 0;
        }
        most = stages > most ? stages : most;
    }
    x->outlined = cycles && most <= MANY_STAGES ? "" : "SVM_OUTLINED ";
    return x->outlined;
}

// one_by_one: how the firings go.
static void strip_prototype(program_emitter *x, const char *name, const strip_body *b, bool one_by_one)
{
    arena *a = x->e.arena;
    text_args params = {0};
    const sir_filter *f = b->info->filter;
    if (b->fire->in)
        VEC_PUSH(a, &params, emit_declare_pointer(&x->e, f->input, "const", "restrict", "in"));
    if (b->fire->out)
        VEC_PUSH(a, &params, emit_declare_pointer(&x->e, f->output, "", "restrict", "out"));
    VEC_PUSH(a, &params, "ptrdiff_t count");
    if (b->fire->fields.len != 0)
        VEC_PUSH(a, &params, arena_printf(a, "%s *restrict state", b->info->state_type));
    for (VEC_EACH(uint32_t, g, &b->fire->given))
        VEC_PUSH(a, &params, emit_given_parameter(&x->e, &b->info->given.data[*g]));
    if (b->fire->iter)
        VEC_PUSH(a, &params, "int *iter");
    if (b->fire->random)
        VEC_PUSH(a, &params, "svm_Random *random");
    if (b->fire->log)
        VEC_PUSH(a, &params, "svm_Log *log");
    if (b->fire->sends)
        VEC_PUSH(a, &params, "svm_Sender *svm_sender");
    if (b->fire->actor)
        VEC_PUSH(a, &params, "const char *svm_actor");
    const char *vectors = one_by_one && b->fire->waits ? "SVM_HALF_VECTORS " : "";
    text_call(x, 0, arena_printf(a, "%s%sstatic void %s(", outlined(x), vectors, name), &params, ")");
}

// Names that a local for a field must not have.
static bool clashes(const emit_filter_info *info, const emit_signature *fire)
{
    static const char *const own[] = {"state", "count", "i",  "i1", "i2", "i3",    "i4",   "i5",
                                      "i6",    "i7",    "i8", "i9", "n",  "whole", "trip", "between"};
    for (VEC_EACH(uint32_t, f, &fire->fields))
        for (size_t i = 0; i < sizeof own / sizeof *own; i++)
            if (strcmp(info->field_names.data[*f], own[i]) == 0)
                return true;
    return false;
}

// Trips of a firing's loop side by side.
typedef struct across_body {
    const program_across *across;
    strip_body trips;
} across_body;

static void fire_across(program_emitter *x, int indent, void *context, const char *in, const char *out)
{
    const across_body *b = context;
    strip_body trips = b->trips;
    program_emit_across(x, b->across, indent, in, out, fire_once, &trips);
}

// NOTE(own). Small arrays of the state are locals while a strip runs: what one firing leaves the next finds in registers.
enum { OWN_FIRINGS = 64 };

static bool owns_arrays(const program_emitter *x, const emit_filter_info *info, const emit_signature *fire)
{
    uint64_t bytes = 0, align;
    for (VEC_EACH(uint32_t, f, &fire->fields))
        if (is_array_field(info, *f))
            bytes += plan_item_size(info->filter->fields.data[*f].type, &align);
    return x->p->config->opt_level >= LANES_LEVEL && bytes > 0 && bytes <= EMIT_OWN_BYTES;
}

static void load_scalars(program_emitter *x, const strip_body *b, bool store)
{
    for (VEC_EACH(uint32_t, f, &b->fire->fields)) {
        const char *field = b->info->field_names.data[*f];
        const char *local = arena_printf(x->e.arena, "%s%s", b->prefix, field);
        if (is_array_field(b->info, *f))
            continue;
        if (store)
            text_line(x, 1, "state->%s = %s;", field, local);
        else
            text_line(x, 1, "%s = state->%s;", emit_declare(&x->e, b->info->filter->fields.data[*f].type, local),
                      field);
    }
}

static void load_arrays(program_emitter *x, const strip_body *b, bool store)
{
    for (VEC_EACH(uint32_t, f, &b->fire->fields)) {
        const char *field = b->info->field_names.data[*f];
        const char *local = arena_printf(x->e.arena, "%s%s", b->prefix, field);
        if (!is_array_field(b->info, *f))
            continue;
        if (store) {
            text_line(x, 1, "memcpy(state->%s, %s, sizeof %s);", field, local, local);
            continue;
        }
        text_line(x, 1, "%s;", emit_declare(&x->e, b->info->filter->fields.data[*f].type, local));
        text_line(x, 1, "memcpy(%s, state->%s, sizeof %s);", local, field, local);
    }
}

// Arrays that have the prefix of scalars are locals, too.
static void load_state(program_emitter *x, const strip_body *b, bool store)
{
    load_scalars(x, b, store);
    if (b->arrays == b->prefix)
        load_arrays(x, b, store);
}

void program_strip_state(program_emitter *x, const emit_filter_info *info, const program_strip *strip, bool store)
{
    const strip_body b = {.info = info, .fire = &strip->fire, .prefix = strip->prefix, .arrays = strip->arrays};
    load_state(x, &b, store);
}

// NOTE(rows). Firings that follow each other in what is read, one item each, and lie apart in what is written: C compilers put
// such items one by one, at addresses that they compute as vectors. So some rows of them, which together fill what is written,
// go to a tile, whose rows and columns are turned over. With vectors of 16 bytes that gains nothing.
//
//     float rows[8][16];
//     for (ptrdiff_t i1 = 0; i1 < 8; i1++)
//         for (ptrdiff_t lane = 0; lane < 16; lane++)
//             Adder_fire(in + i1 * 2048 + i + lane, &rows[i1][lane]);
//     svm_tileOut(out + i * 8, rows, 8, 16, 8);
enum { ROWS_LANES = 16, ROWS_LEAST = 4, ROWS_MOST = 64 };

static bool is_word(const sir_type *t)
{
    return (t->kind == SIR_INT && t->storage == SIR_STORED_WHOLE) || t->kind == SIR_FLOAT;
}

static bool is_pure(const emit_signature *fire)
{
    return fire->in && fire->out && fire->fields.len == 0 && !fire->iter && !fire->random && !fire->log && !fire->sends;
}

// The digit of a walk that counts such rows; SIZE_MAX: it has none.
static size_t find_tile_rows(const program_emitter *x, const emit_filter_info *info, const sir_function *f,
                             const emit_signature *fire, const program_walk *w)
{
    if (!x->e.wide_rows || !x->e.cached || lane_width(x) <= 1 || w->general || w->in.len != 2 || f->push.max != 1 ||
        !is_word(info->filter->output) || !is_pure(fire) || fire->scalar ||
        !plan_filter_can_fuse_horizontally(info->filter))
        return SIZE_MAX;
    for (size_t i = 0; i < 2; i++) {
        const plan_digit *in = &w->in.data[1 - i], *row = &w->out.data[i], *out = &w->out.data[1 - i];
        if (row->stride == 1 && row->radix >= ROWS_LEAST && row->radix <= ROWS_MOST && in->radix == 0 &&
            in->stride == 1 && out->stride >= row->radix)
            return i;
    }
    return SIZE_MAX;
}

// `whole` rounds of the walk are done then.
static void emit_tile_rows(program_emitter *x, size_t row, strip_body *b, const program_walk *w)
{
    arena *a = x->e.arena;
    int64_t rows = w->out.data[row].radix, stride = w->out.data[1 - row].stride;
    const char *tile = arena_printf(a, "rows[%" PRId64 "][%d]", rows, ROWS_LANES);
    const char *each = row == 0 ? "i" : "i1", *at = row == 0 ? "i1" : "i";
    text_line(x, 1, "const ptrdiff_t whole = count / %" PRId64 " / %d * %d;", rows, ROWS_LANES, ROWS_LANES);
    text_line(x, 1, "for (ptrdiff_t %s = 0; %s < whole; %s += %d) { /* rows, which are turned over */", at, at, at,
              ROWS_LANES);
    text_line(x, 2, "%s;", emit_declare_item(&x->e, b->info->filter->output, tile));
    text_line(x, 2, "for (ptrdiff_t %s = 0; %s < %" PRId64 "; %s++)", each, each, rows, each);
    text_line(x, 3, "for (ptrdiff_t lane = 0; lane < %d; lane++)", ROWS_LANES);
    fire_once(x, 4, b, arena_printf(a, "%s + lane", program_nest_pointer(x, "in", &w->in)),
              arena_printf(a, "&rows[%s][lane]", each));
    text_line(x, 2, "svm_tileOut(out + %s, rows, %" PRId64 ", %d, %" PRId64 ");", text_times(x, at, stride), rows,
              ROWS_LANES, stride);
    text_line(x, 1, "}");
}

// How firings go side by side, if they do; NULL: not so.
typedef struct strip_ways {
    const program_skew *skew;
    const program_across *across;
    const program_turns *turns;
    const program_reversed *reversed;
    const program_turned *turned;
    program_bytes bytes;
    const program_looked *looked;
    size_t rows; // of a tile: the digit that counts them; SIZE_MAX: there is none
} strip_ways;

// Whether firings are done before the walk, "whole" of them.
static bool has_begun(const strip_ways *ways)
{
    return ways->bytes.table != NULL || ways->looked != NULL || ways->rows != SIZE_MAX || ways->turned != NULL;
}

// Whether firings do no harm that are done again, where runs are as long as input happens to be.
static bool may_refill(const program_emitter *x, const emit_signature *fire, const program_walk *w,
                       const strip_lanes *lanes)
{
    return x->net != NULL && lanes->lanes > REFILL_LEAST && w->in.len == 1 && !w->general && is_pure(fire);
}

static void emit_strip(program_emitter *x, strip_body b, const program_walk *w, const strip_lanes *lanes,
                       const program_threads *threads, const strip_ways *ways)
{
    const emit_filter_info *info = b.info;
    const emit_signature *fire = b.fire;
    strbuf_add(x->e.out, "{\n");
    if (ways->skew != NULL)
        program_emit_skew(x, ways->skew, info, w->in.data[0].stride, w->out.data[0].stride);
    load_state(x, &b, false);
    if (fire->iter)
        text_line(x, 1, "unsigned n = (unsigned)*iter;");
    const char *begin = program_launch(x, threads, w);
    const char *next = arena_printf(x->e.arena, "(int)((n += %s) - %s)", lanes->text, lanes->text);
    strip_body many = {info, &lanes->fire, next, b.prefix, b.arrays},
               now = {info, fire, b.iter, PROGRAM_TURN_INNER, b.arrays};
    if (ways->bytes.table != NULL)
        program_emit_bytes(x, &ways->bytes);
    if (ways->looked != NULL)
        program_emit_looked(x, ways->looked, info, b.prefix);
    if (ways->turned != NULL)
        program_emit_turned(x, ways->turned);
    if (ways->rows != SIZE_MAX)
        emit_tile_rows(x, ways->rows, &b, w);
    program_walk hinted = *w;
    hinted.lanes = lanes->text;
    hinted.row = lanes->lanes > 0 && lanes->row;
    hinted.refills = may_refill(x, fire, w, lanes);
    int rounds = hinted.row ? 0 : lanes->lanes; // that go side by side
    row_body row = {&many, &b, lanes->text}, row_one = {&many, &b, NULL};
    hinted.hint = fire->scalar && (lanes->lanes == 0 || lanes->jams) ? "SVM_SCALAR" : NULL;
    if (ways->across != NULL) {
        across_body trips = {ways->across, {info, program_across_fire(ways->across), b.iter, b.prefix, b.arrays}};
        hinted.hint = NULL;
        program_emit_walk(x, &hinted, 0, begin, fire_across, NULL, &trips);
    } else if (ways->reversed != NULL)
        program_emit_reversed(x, ways->reversed);
    else if (ways->turns != NULL)
        program_emit_turns(x, ways->turns, info, fire_once, &now, program_order_pointer(x, "in", program_walk_in(w)),
                           program_order_pointer(x, "out", program_walk_out(w)));
    else if (hinted.row)
        program_emit_walk(x, &hinted, 0, begin, fire_row, &row, &row_one);
    else
        program_emit_walk(x, &hinted, rounds, has_begun(ways) ? "whole" : begin, fire_once, &many, &b);
    program_verify_walk(x, w, rounds, lanes->lanes > 0 || plan_filter_can_fuse_horizontally(info->filter),
                        info->c_name);
    load_state(x, &b, true);
    if (fire->iter)
        text_line(x, 1, "*iter = (int)n;");
    strbuf_add(x->e.out, "}\n\n");
}

// Firings of a run from which what a strip begins and ends with does not weigh.
enum { SKEW_FIRINGS = 128 };

static const program_skew *skew_of(program_emitter *x, emit_filter_info *info, const sir_function *f,
                                   const emit_signature *fire, const program_walk *w, int64_t firings)
{
    if (x->p->config->opt_level < LANES_LEVEL || x->p->config->no_lanes || w->general || w->tail || w->in.len != 1 ||
        firings < SKEW_FIRINGS)
        return NULL;
    const program_skew **known = hmap_getn(&x->skews, &fire->name, sizeof fire->name);
    if (known == NULL) {
        known = ARENA_NEW(x->e.arena, const program_skew *);
        *known = program_find_skew(x, info, f, fire, lane_width(x));
        hmap_setn(&x->skews, &fire->name, sizeof fire->name, known);
    }
    return *known;
}

static const program_across *across_of(program_emitter *x, emit_filter_info *info, const sir_function *f,
                                       const emit_signature *fire, const plan_walk *items, const program_walk *w)
{
    if (x->p->config->opt_level < LANES_LEVEL || x->p->config->no_lanes || w->general ||
        program_view(x, &items->in_items).count != 0 || program_view(x, &items->out_items).count != 0)
        return NULL;
    const program_across **known = hmap_getn(&x->across, &fire->name, sizeof fire->name);
    if (known == NULL) {
        known = ARENA_NEW(x->e.arena, const program_across *);
        *known = program_find_across(x, info, f, lane_width(x));
        hmap_setn(&x->across, &fire->name, sizeof fire->name, known);
    }
    return *known;
}

static const char *walk_key(program_emitter *x, const emit_signature *fire, const program_walk *w)
{
    strbuf key; // the function stands for the views of a firing's items
    strbuf_init(&key, x->e.arena);
    strbuf_printf(&key, "%s %d %d", fire->name, w->general, w->tail);
    for (size_t i = 0; i < w->in.len; i++)
        strbuf_printf(&key, " %" PRId64 ":%" PRId64 ":%" PRId64, w->in.data[i].radix, w->in.data[i].stride,
                      w->out.data[i].stride);
    return key.data;
}

static const program_reversed *reversed_of(program_emitter *x, emit_filter_info *info, const sir_function *f,
                                           const emit_signature *fire, const plan_walk *items, const program_walk *w)
{
    const char *key = walk_key(x, fire, w);
    const program_reversed **known = hmap_get(&x->reversed, key);
    if (known == NULL) {
        known = ARENA_NEW(x->e.arena, const program_reversed *);
        *known = program_find_reversed(x, info, f, fire, items, w);
        hmap_set(&x->reversed, key, known);
    }
    return *known;
}

static const program_turned *turned_of(program_emitter *x, emit_filter_info *info, const sir_function *f,
                                       const emit_signature *fire, const plan_walk *items, const program_walk *w,
                                       int64_t firings)
{
    const char *key = walk_key(x, fire, w);
    const program_turned **known = hmap_get(&x->turned, key);
    if (known == NULL) {
        known = ARENA_NEW(x->e.arena, const program_turned *);
        *known = program_find_turned(x, info, f, fire, items, w, firings);
        hmap_set(&x->turned, key, known);
    }
    return *known;
}

// What a strip does one firing after the other, in turns where the state allows it.
static const program_turns *turns_of(program_emitter *x, emit_filter_info *info, const sir_function *f,
                                     const sir_filter *own, const emit_signature *fire, const program_walk *w,
                                     int64_t firings)
{
    if (x->p->config->opt_level < LANES_LEVEL || x->p->config->no_lanes || x->in_cycle || w->general || w->tail ||
        w->in.len != 1 || firings < SKEW_FIRINGS || lane_width(x) < PLAN_LEAST_VECTOR / (int)sizeof(float))
        return NULL;
    const program_turns **known = hmap_getn(&x->turns, &own, sizeof own);
    if (known == NULL) {
        known = ARENA_NEW(x->e.arena, const program_turns *);
        *known = program_find_turns(x, info, f, own, fire);
        hmap_setn(&x->turns, &own, sizeof own, known);
    }
    return *known;
}

// own: the filter whose firings they are, with functions of info's.
static program_strip *strip_function(program_emitter *x, emit_filter_info *info, const sir_function *f,
                                     const sir_filter *own, const emit_signature *fire, const plan_walk *items,
                                     const program_walk *w, int64_t firings)
{
    strip_body b = {info, fire, "(int)n++", clashes(info, fire) ? "state_" : "", "state->"};
    if (firings >= OWN_FIRINGS && owns_arrays(x, info, fire))
        b.arrays = b.prefix;
    program_threads threads = program_thread_function(x, info, f, fire, items, w);
    strip_ways ways = {.rows = SIZE_MAX};
    strip_lanes lanes = {0};
    if (threads.name == NULL)
        lanes = ahead_function(x, info, f, items, w, firings);
    bool ahead = lanes.lanes != 0;
    if (threads.name == NULL && !ahead)
        ways.across = across_of(x, info, f, fire, items, w);
    if (threads.name == NULL && !ahead && ways.across == NULL)
        ways.reversed = reversed_of(x, info, f, fire, items, w);
    if (threads.name == NULL && !ahead && ways.across == NULL && ways.reversed == NULL)
        ways.turned = turned_of(x, info, f, fire, items, w, firings);
    if (threads.name == NULL && !ahead && ways.across == NULL && ways.reversed == NULL && ways.turned == NULL) {
        lanes = lanes_function(x, info, f, fire, items, w, firings);
        ways.skew = skew_of(x, info, f, fire, w, firings);
        if (ways.skew == NULL && lanes.lanes == 0)
            ways.turns = turns_of(x, info, f, own, fire, w, firings);
    }
    if (ways.turns != NULL) {
        b.prefix = PROGRAM_TURN_OUTER;
        b.arrays = "state->";
    }
    bool alone = threads.name == NULL && ways.across == NULL && ways.skew == NULL && ways.turns == NULL &&
                 ways.reversed == NULL && ways.turned == NULL && lanes.lanes == 0;
    if (alone && !x->p->config->no_lanes)
        ways.bytes = program_find_bytes(x, info, f, w);
    if (alone && ways.bytes.table == NULL && f->kind == SIR_WORK)
        ways.looked = program_find_looked(x, info, own, fire, w);
    if (alone && ways.bytes.table == NULL && ways.looked == NULL)
        ways.rows = find_tile_rows(x, info, f, fire, w);
    if (ways.rows != SIZE_MAX)
        program_include_lanes(x, lane_width(x));
    strbuf *out = begin_body(x);
    emit_strip(x, b, w, &lanes, &threads, &ways);
    const char *body = end_body(x, out), *key = arena_printf(x->e.arena, "%s %s", fire->name, body);
    program_strip *known = hmap_get(&x->strips, key);
    if (known == NULL) {
        known = ARENA_NEW(x->e.arena, program_strip);
        *known = (program_strip){.name = emit_unique_name(&x->e, arena_printf(x->e.arena, "%s_strip", info->c_name)),
                                 .fire = *fire,
                                 .lanes = lanes.lanes,
                                 .one_by_one = alone && !has_begun(&ways),
                                 .prefix = b.prefix,
                                 .arrays = b.arrays,
                                 .whole = threads.name != NULL || ways.skew != NULL || ways.turns != NULL,
                                 .skew = ways.skew,
                                 .in_stride = ways.skew != NULL ? w->in.data[0].stride : 0,
                                 .out_stride = ways.skew != NULL ? w->out.data[0].stride : 0};
        strip_prototype(x, known->name, &b, known->one_by_one);
        strbuf_add(x->e.out, body);
        hmap_set(&x->strips, key, known);
    }
    return known;
}

// ---- Copies ----

static void copy_once(program_emitter *x, int indent, void *context, const char *in, const char *out)
{
    const sir_type *t = context;
    // "out + i * 4" as an element: out[i * 4].
    const char *to = strlen(out) > 6 ? out + 6 : "0", *from = strlen(in) > 5 ? in + 5 : "0";
    if (t->kind == SIR_ARRAY)
        text_line(x, indent, "memcpy(out[%s], in[%s], sizeof *out);", to, from);
    else
        text_line(x, indent, "out[%s] = in[%s];", to, from);
}

// A walk that turns rows and columns of items over: the digits along which items lie side by side in what is read, and in
// what is written.
typedef struct turned_digits {
    size_t in, out;
} turned_digits;

// Rows and columns from which it is worth it: a block of what is turned at once.
enum { TURNED_ROWS = 4, TURNED_COLUMNS = 16 };

static bool is_turned_over(const program_emitter *x, const sir_type *t, const program_walk *w, turned_digits *turned)
{
    *turned = (turned_digits){SIZE_MAX, SIZE_MAX};
    if (x->p->config->opt_level < LANES_LEVEL || x->p->config->no_lanes || !x->e.cached || lane_width(x) <= 1 ||
        !is_word(t) || w->general || w->tail)
        return false;
    for (size_t i = 0; i < w->in.len; i++) {
        const plan_digit *in = &w->in.data[i], *out = &w->out.data[i];
        if (in->stride == 1 && out->stride > 1 && in->radix >= TURNED_ROWS)
            turned->in = i;
        if (out->stride == 1 && in->stride > 1 && (out->radix == 0 || out->radix >= TURNED_COLUMNS))
            turned->out = i;
    }
    return turned->in != SIZE_MAX && turned->out != SIZE_MAX;
}

// How many a digit of a walk counts.
static const char *digit_bound(const program_emitter *x, const program_walk *w, size_t i)
{
    return w->in.data[i].radix != 0 ? arena_printf(x->e.arena, "%" PRId64, w->in.data[i].radix)
                                    : arena_printf(x->e.arena, "count / %" PRId64, digits_period(&w->in));
}

// One turning for each place of the other loops.
static void emit_turned_over(program_emitter *x, const program_walk *w, turned_digits turned)
{
    plan_digits in = {0}, out = {0};
    int indent = 1;
    for (size_t i = 0; i < w->in.len; i++) {
        bool gone = i == turned.in || i == turned.out;
        VEC_PUSH(x->e.arena, &in, ((plan_digit){w->in.data[i].radix, gone ? 0 : w->in.data[i].stride}));
        VEC_PUSH(x->e.arena, &out, ((plan_digit){w->out.data[i].radix, gone ? 0 : w->out.data[i].stride}));
    }
    for (size_t i = w->in.len; i-- > 0;) {
        if (i == turned.in || i == turned.out)
            continue;
        const char *index = i == 0 ? "i" : arena_printf(x->e.arena, "i%zu", i);
        text_line(x, indent++, "for (ptrdiff_t %s = 0; %s < %s; %s++)", index, index, digit_bound(x, w, i), index);
    }
    text_line(x, indent, "svm_turnOver(%s, %s, %" PRId64 ", %s, %" PRId64 ", %" PRId64 ");",
              program_nest_pointer(x, "out", &out), program_nest_pointer(x, "in", &in), w->in.data[turned.in].radix,
              digit_bound(x, w, turned.out), w->out.data[turned.in].stride, w->in.data[turned.out].stride);
}

// Whether pairs of items that lie far apart are put one behind the other: C compilers load each at an address of its own,
// which they compute as vectors.
static bool is_pairs(const program_emitter *x, const sir_type *t, const program_walk *w)
{
    bool word = (t->kind == SIR_INT && t->storage == SIR_STORED_WHOLE) || t->kind == SIR_FLOAT;
    if (x->p->config->opt_level < LANES_LEVEL || x->p->config->no_lanes || !x->e.cached || lane_width(x) <= 1 ||
        !word || w->general || w->tail || w->in.len != 2)
        return false;
    const plan_digit *in = w->in.data, *out = w->out.data;
    return in[0].radix == 2 && in[0].stride == 1 && out[0].stride == 1 && in[1].radix == 0 &&
           in[1].stride >= EMIT_FAR && out[1].stride == 2;
}

static const char *copy_function(program_emitter *x, const sir_type *t, const program_walk *w)
{
    turned_digits turned;
    bool turns = is_turned_over(x, t, w, &turned), pairs = !turns && is_pairs(x, t, w);
    if (turns || pairs)
        program_include_lanes(x, lane_width(x));
    strbuf name, *file = begin_body(x);
    strbuf_add(x->e.out, "{\n");
    if (!w->general && w->in.len == 1 && w->in.data[0].stride == 1 && w->out.data[0].stride == 1)
        text_line(x, 1, "memcpy(out, in, (size_t)count * sizeof *in);");
    else if (turns)
        emit_turned_over(x, w, turned);
    else if (pairs)
        text_line(x, 1, "svm_pairsIn(out, in, count / 2, %" PRId64 ");", w->in.data[1].stride);
    else
        program_emit_walk(x, w, 0, "0", copy_once, NULL, (void *)(uintptr_t)t);
    strbuf_add(x->e.out, "}\n\n");
    const char *body = end_body(x, file);
    strbuf_init(&name, x->e.arena);
    strbuf_add(&name, "copy_");
    sir_type_print(&name, t);
    program_verify_walk(x, w, 0, true, name.data);
    const char *in = emit_declare_pointer(&x->e, t, "const", "restrict", "in"); // says how ints are stored, too
    const char *key = arena_printf(x->e.arena, "%s %s", in, body), *known = hmap_get(&x->copies, key);
    if (known != NULL)
        return known;
    known = emit_unique_name(&x->e, name.data);
    text_line(x, 0, "/* Copies items from one layout to another. */");
    text_args params = {0};
    VEC_PUSH(x->e.arena, &params, in);
    VEC_PUSH(x->e.arena, &params, emit_declare_pointer(&x->e, t, "", "restrict", "out"));
    VEC_PUSH(x->e.arena, &params, "ptrdiff_t count");
    text_call(x, 0, arena_printf(x->e.arena, "%sstatic void %s(", outlined(x), known), &params, ")");
    strbuf_add(x->e.out, body);
    hmap_set(&x->copies, key, (void *)(uintptr_t)known);
    return known;
}

// ---- Stages ----

static const char *state_initial(program_emitter *x, const emit_filter_info *info)
{
    const sir_filter *f = info->filter;
    bool zero = true;
    for (VEC_EACH(sir_field, field, &f->fields))
        zero &= field->constant || sir_value_is_zero(&field->init);
    return zero || info->state_type == NULL
               ? ""
               : emit_unique_name(&x->e, arena_printf(x->e.arena, "%s_initial", info->c_name));
}

void program_state_initial(program_emitter *x, const emit_filter_info *info, const emit_signature *fire,
                           const emit_signature *first)
{
    if (fire->fields.len == 0 && first->fields.len == 0 && !program_handlers_touch(x, info))
        return; // only functions touch them that nobody calls
    if (hmap_getn(&x->state_inits, &info->filter, sizeof info->filter) != NULL)
        return;
    const char *name = state_initial(x, info);
    hmap_setn(&x->state_inits, &info->filter, sizeof info->filter, (void *)(uintptr_t)name);
    if (*name == '\0')
        return;
    strbuf_printf(x->e.out, "static const %s %s = ", info->state_type, name);
    emit_state_init(&x->e, info, 0);
    strbuf_add(x->e.out, ";\n\n");
}

// Positions do not matter where nothing is touched.
static void drop_unused(program_emitter *x, program_walk *w, const emit_signature *fire, bool free)
{
    for (size_t i = 0; i < w->in_order.len && !fire->in; i++)
        w->in_order.data[i].stride = 0;
    for (size_t i = 0; i < w->out_order.len && !fire->out; i++)
        w->out_order.data[i].stride = 0;
    if (!fire->in || !fire->out)
        program_make_nest(x, w, free);
}

// Stages of a cycle that follows its inner schedule step by step are fired and copied in place.
static bool in_place(const program_emitter *x, const plan_item *item)
{
    return item->cycle >= 0 && item->block == 1 && !program_cycle_has_rounds(x, item);
}

static void copy_stage_functions(program_emitter *x, const plan_stage *st, program_stage *code)
{
    const sir_type *t = x->m->channels.data[x->pl->buffers.data[st->in.buffer].channel].type;
    program_walk w = program_make_walk(x, &st->in.view.digits, &st->out.view.digits,
                                       plan_in_items(x->m, st, x->s->init[st->actor]), true);
    program_walk fused = st->others.len != 0 ? program_members_walk(x, &w, st) : (program_walk){.general = true};
    if (!fused.general)
        code->members_copy = copy_function(x, t, &fused);
    if (fused.general || code->irregular)
        code->copy = copy_function(x, t, &w);
}

// Whether what several actors print is in the order of the program's steady states.
static bool marks_prints(const program_emitter *x)
{
    return x->net == NULL || (!x->net->single && !x->net->whole_schedule->dynamic);
}

void program_stage_functions(program_emitter *x, const plan_item *item, const plan_stage *st, program_stage *code)
{
    int64_t init = x->s->init[st->actor];
    x->in_cycle = item->cycle >= 0;
    *code = (program_stage){.stage = st, .irregular = program_has_phases(x) || init != 0};
    (void)plan_stage_walk(x->e.arena, x->m, x->s, st, &code->walk);
    const sir_actor *actor = x->m->actors.data[st->actor];
    if (st->kind == PLAN_COPY) {
        if (!in_place(x, item))
            copy_stage_functions(x, st, code);
        return;
    }
    code->info = program_filter_info(x, actor->filter);
    code->has_prework = plan_actor_has_prework(actor);
    if (program_bit_strip(x, item, st, code))
        return;
    emit_filter_info *of = code->info->of; // whose functions it has
    const sir_function *work = of->filter->work;
    code->fire = program_fire_function(x, of, work, &code->walk.in_items, &code->walk.out_items);
    if (code->has_prework)
        code->first =
            program_fire_function(x, code->info, actor->filter->prework, &code->walk.in_first, &code->walk.out_first);
    program_state_initial(x, code->info, &code->fire, &code->first);
    bool free = plan_filter_can_fuse_horizontally(actor->filter);
    // Cycles go through their steps, of some firings each.
    int64_t firings = x->s->reps[st->actor] * (item->cycle < 0 ? x->pl->strip : 1);
    program_walk w =
        program_make_walk(x, &code->walk.in_firing, &code->walk.out_firing, init - (code->has_prework ? 1 : 0), free);
    program_walk fused = st->others.len != 0 ? program_members_walk(x, &w, st) : (program_walk){.general = true};
    if (!fused.general) {
        drop_unused(x, &fused, &code->fire, true);
        code->members = strip_function(x, of, work, actor->filter, &code->fire, &code->walk, &fused,
                                       firings * (int64_t)plan_stage_members(st));
    }
    drop_unused(x, &w, &code->fire, free);
    if ((fused.general || code->irregular) && !in_place(x, item))
        code->strip = strip_function(x, of, work, actor->filter, &code->fire, &code->walk, &w, firings);
    bool log = code->fire.log || code->first.log || (x->net != NULL && actor->filter->prints); // of handlers
    code->print_marks = log && x->printing.len > 1 && marks_prints(x);
}

bool program_other_functions(program_emitter *x, const plan_stage *st, const sir_filter *f, const plan_view *in,
                             int64_t in_first, const plan_view *out, int64_t out_first, int64_t firings,
                             program_stage *code)
{
    plan_walk walk;
    if (!plan_filter_walk(x->e.arena, f, in, in_first, out, out_first, firings, &walk))
        return false;
    *code = (program_stage){.stage = st, .info = program_filter_info(x, f), .walk = walk};
    emit_filter_info *of = code->info->of;
    bool free = plan_filter_can_fuse_horizontally(f);
    const sir_function *work = of->filter->work;
    code->fire = program_fire_function(x, of, work, &walk.in_items, &walk.out_items);
    program_walk w = program_make_walk(x, &walk.in_firing, &walk.out_firing, 0, free);
    drop_unused(x, &w, &code->fire, free);
    code->strip = strip_function(x, of, work, f, &code->fire, &code->walk, &w, firings * x->pl->strip);
    return true;
}
