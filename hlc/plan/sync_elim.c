// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// sync-elim: splitters, joiners and identity filters that only reorder items become views of one buffer, wherever the
// filters around them can read and write the items where they lie.
//
// NOTE(directions). A splitter's outputs are views of its input; a joiner's inputs are views of its output; where a
// splitter's output is a joiner's input one of the two must copy, unless the whole splitjoin is a permutation that has
// a view of its own.
#include "hlc/ir/effects.h"
#include "hlc/passes/pass.h"
#include "hlc/plan/plan_int.h"
#include "hlc/plan/thresholds.h"

typedef struct eliminator {
    hlc_program *p;
    arena *a;
    const sir_module *m;
    const schedule *s;
    plan_place *places;
    hmap contiguous; // by filter: whether it needs its items side by side
    bool known;      // NOTE(known)
} eliminator;

static int64_t initial_items(const eliminator *x, uint32_t channel)
{
    return (int64_t)x->m->channels.data[channel].initial.len;
}

static bool own_place(const eliminator *x, uint32_t channel)
{
    return x->places[channel].root == channel;
}

// Whether a filter moves its tape in functions that it calls; these take the tape as it is.
static bool needs_contiguous(eliminator *x, const sir_filter *f)
{
    const char *known = hmap_getn(&x->contiguous, &f, sizeof f);
    if (known == NULL) {
        bool calls = false;
        for (size_t i = 0; i < f->functions.len && !calls; i++) {
            sir_effects effects;
            sir_effects_init(&effects, x->a, f);
            sir_effects_add(&effects, f->functions.data[i]);
            sir_effects_solve(&effects);
            calls = sir_effects_of(&effects, f->functions.data[i])->flags.tape;
        }
        known = calls ? "yes" : "no";
        hmap_setn(&x->contiguous, &f, sizeof f, (void *)(uintptr_t)known);
    }
    return known[0] == 'y';
}

// ---- What the ends of a channel need of its place ----

// Where windows have what places: they must lie side by side, go through one digit, or be short, or not so short.
typedef enum window_need {
    NEEDS_CONTIGUOUS = 0,
    NEEDS_SMALL = SYNC_SMALL_WINDOW,
    NEEDS_KNOWN = SYNC_KNOWN_WINDOW
} window_need;

static bool items_fit(const plan_digits *items, int64_t window, window_need need)
{
    if (items->len == 0 || (items->len == 1 && items->data[0].stride == 1))
        return true;
    return need != NEEDS_CONTIGUOUS && (items->len == 1 || window <= (int64_t)need);
}

static bool side_fits(eliminator *x, uint32_t actor, const plan_view *v, const plan_side *side, window_need need)
{
    plan_side_digits d;
    if (!plan_side_walk(x->a, v, side, &d))
        return false;
    if (x->s->cycle[actor] >= 0 && d.firing.len != 1)
        return false; // inner schedules start anywhere
    return items_fit(&d.items, side->window, need) && items_fit(&d.first, side->first_window, need);
}

static bool copy_fits(eliminator *x, uint32_t actor, const plan_view *v, int64_t weight)
{
    plan_side side = plan_copy_side(x->s, actor, weight);
    return side_fits(x, actor, v, &side, NEEDS_SMALL);
}

static bool is_longer(const sir_filter *f)
{
    return f->work->peek.max > SYNC_SMALL_WINDOW || f->work->push.max > SYNC_SMALL_WINDOW;
}

static window_need window_need_of(eliminator *x, uint32_t actor)
{
    const sir_filter *f = x->m->actors.data[actor]->filter;
    if (needs_contiguous(x, f))
        return NEEDS_CONTIGUOUS;
    bool known = x->known && is_longer(f) && plan_names_items(f->work) && plan_runs_in_lanes(x->p, actor);
    return known ? NEEDS_KNOWN : NEEDS_SMALL;
}

static bool filter_fits(eliminator *x, uint32_t actor, const plan_view *v, bool out)
{
    const sir_actor *a = x->m->actors.data[actor];
    plan_side side = {.init = x->s->init[actor], .reps = x->s->reps[actor]};
    if (a->filter->identity)
        return copy_fits(x, actor, v, 1);
    side.prework = plan_actor_has_prework(a);
    if (out) {
        side.first_step = side.first_window = sched_output_rate(a, 0, true);
        side.step = side.window = sched_output_rate(a, 0, false);
    } else {
        sched_rate first = sched_input_rate(a, 0, true), work = sched_input_rate(a, 0, false);
        side.first_step = first.pop;
        side.first_window = first.peek;
        side.step = work.pop;
        side.window = work.peek;
    }
    return side_fits(x, actor, v, &side, window_need_of(x, actor));
}

// The view of one output of a splitter (input of a joiner) in terms of the items of its input (output).
static plan_view port_view(eliminator *x, const sir_actor *a, uint32_t port, int64_t first)
{
    if (a->kind == SIR_SPLIT && a->duplicate)
        return view_identity(x->a, first);
    return view_blocks(x->a, first + plan_weights(a, port), a->weights.data[port], plan_weights(a, a->weights.len));
}

static bool port_counts(const sir_actor *a, uint32_t port)
{
    const uint32_t *channels = a->kind == SIR_SPLIT ? a->outputs.data : a->inputs.data;
    return channels[port] != SIR_NONE && (a->kind == SIR_SPLIT && a->duplicate ? true : a->weights.data[port] != 0);
}

static int64_t port_weight(const sir_actor *a, uint32_t port)
{
    return a->kind == SIR_SPLIT && a->duplicate ? 1 : a->weights.data[port];
}

// Every port of a splitter or joiner sees the items as a view, whether it copies them or not. first: item that its
// first firing starts at.
static bool sync_fits(eliminator *x, uint32_t actor, const plan_view *v, int64_t first)
{
    const sir_actor *a = x->m->actors.data[actor];
    uint32_t ports = (uint32_t)(a->kind == SIR_SPLIT ? a->outputs.len : a->inputs.len);
    for (uint32_t port = 0; port < ports; port++) {
        if (!port_counts(a, port))
            continue;
        plan_view inner = port_view(x, a, port, first), view;
        if (!view_compose(x->a, v, &inner, &view) || !copy_fits(x, actor, &view, port_weight(a, port)))
            return false;
    }
    return true;
}

static bool producer_fits(eliminator *x, uint32_t channel, const plan_view *v)
{
    uint32_t producer = x->m->channels.data[channel].producer, port = x->m->channels.data[channel].producer_port;
    plan_view after = view_identity(x->a, initial_items(x, channel)), pushed;
    if (!view_compose(x->a, v, &after, &pushed))
        return false;
    switch (x->m->actors.data[producer]->kind) {
    case SIR_FILTER: return filter_fits(x, producer, &pushed, true);
    case SIR_READER: return view_contiguous(&pushed);
    case SIR_JOIN: return sync_fits(x, producer, v, initial_items(x, channel));
    case SIR_SPLIT: return copy_fits(x, producer, &pushed, port_weight(x->m->actors.data[producer], port));
    default: return true;
    }
}

static bool consumer_fits(eliminator *x, uint32_t channel, const plan_view *v)
{
    uint32_t consumer = x->m->channels.data[channel].consumer, port = x->m->channels.data[channel].consumer_port;
    switch (x->m->actors.data[consumer]->kind) {
    case SIR_FILTER: return filter_fits(x, consumer, v, false);
    case SIR_WRITER: return view_contiguous(v);
    case SIR_SPLIT: return sync_fits(x, consumer, v, 0);
    case SIR_JOIN: return copy_fits(x, consumer, v, port_weight(x->m->actors.data[consumer], port));
    default: return true;
    }
}

bool plan_place_fits(hlc_program *p, uint32_t channel, const plan_view *v, bool known)
{
    eliminator x = {.p = p, .a = p->arena, .m = p->module, .s = p->schedule, .known = known};
    hmap_init(&x.contiguous, p->arena);
    return producer_fits(&x, channel, v) && consumer_fits(&x, channel, v);
}

bool plan_needs_known(hlc_program *p, uint32_t channel, const plan_view *v)
{
    const sir_channel *c = &p->module->channels.data[channel];
    const sir_actor *ends[2] = {p->module->actors.data[c->producer], p->module->actors.data[c->consumer]};
    bool may = false;
    for (int k = 0; k < 2; k++)
        may = may ||
              (ends[k]->kind == SIR_FILTER && is_longer(ends[k]->filter) && plan_names_items(ends[k]->filter->work));
    return may && v->digits.len > 1 && !plan_place_fits(p, channel, v, false);
}

// Moves a channel to a place, if both its ends can live with that.
static bool try_place(eliminator *x, uint32_t channel, uint32_t root, const plan_view *v)
{
    const sir_channel *c = &x->m->channels.data[channel];
    if (x->p->cut != NULL &&
        (x->m->actors.data[c->producer]->kind == SIR_READER || x->m->actors.data[c->consumer]->kind == SIR_WRITER))
        return false; // the ends of queues have buffers of their own
    const sir_channel *r = &x->m->channels.data[root];
    if (x->p->cut != NULL && x->m->actors.data[r->consumer]->kind == SIR_WRITER &&
        x->s->channels[channel].remainder != 0)
        return false; // and what goes out of a kernel holds nothing that has not gone
    if (!producer_fits(x, channel, v) || !consumer_fits(x, channel, v))
        return false;
    x->places[channel] = (plan_place){root, *v};
    return true;
}

// ---- Directions ----

static void place_outputs(eliminator *x, uint32_t actor)
{
    const sir_actor *a = x->m->actors.data[actor];
    if (a->inputs.len == 0 || a->inputs.data[0] == SIR_NONE)
        return;
    const plan_place *in = &x->places[a->inputs.data[0]];
    for (uint32_t port = 0; port < a->outputs.len; port++) {
        plan_view inner, view;
        if (!port_counts(a, port) || initial_items(x, a->outputs.data[port]) != 0)
            continue;
        inner = port_view(x, a, port, 0);
        if (view_compose(x->a, &in->view, &inner, &view))
            (void)try_place(x, a->outputs.data[port], in->root, &view);
    }
}

static void place_inputs(eliminator *x, uint32_t actor)
{
    const sir_actor *a = x->m->actors.data[actor];
    if (a->outputs.len == 0 || a->outputs.data[0] == SIR_NONE)
        return;
    const plan_place *out = &x->places[a->outputs.data[0]];
    for (uint32_t port = 0; port < a->inputs.len; port++) {
        plan_view inner, view;
        if (!port_counts(a, port) || !own_place(x, a->inputs.data[port]))
            continue;
        inner = port_view(x, a, port, initial_items(x, a->outputs.data[0]));
        if (view_compose(x->a, &out->view, &inner, &view))
            (void)try_place(x, a->inputs.data[port], out->root, &view);
    }
}

// The view of a joiner's output when its inputs are equal views of one buffer at equal distances: the splitjoin only
// permutes items.
static bool permutation(eliminator *x, const sir_actor *a, uint32_t *root, plan_view *v)
{
    if (a->inputs.len < 2 || a->outputs.len == 0 || a->outputs.data[0] == SIR_NONE ||
        initial_items(x, a->outputs.data[0]) != 0)
        return false;
    const plan_place *first = &x->places[a->inputs.data[0]];
    int64_t weight = a->weights.data[0], distance = 0;
    for (uint32_t port = 0; port < a->inputs.len; port++) {
        if (a->inputs.data[port] == SIR_NONE || a->weights.data[port] != weight || own_place(x, a->inputs.data[port]) ||
            initial_items(x, a->inputs.data[port]) != 0)
            return false;
        const plan_place *in = &x->places[a->inputs.data[port]];
        if (port == 1)
            distance = in->view.offset - first->view.offset;
        if (in->root != first->root || !digits_equal(&in->view.digits, &first->view.digits) || distance < 0 ||
            in->view.offset != first->view.offset + port * distance)
            return false;
    }
    plan_digits low, high;
    if (weight == 0 || !view_windows(x->a, &first->view, 0, weight, weight, &low, &high))
        return false;
    *root = first->root;
    return view_join(x->a, first->view.offset, &low, (plan_digit){(int64_t)a->inputs.len, distance}, &high, v);
}

// Whether what lies in a buffer only goes through splitters, identities and this joiner.
static bool only_comes_to(const eliminator *x, uint32_t root, uint32_t joiner)
{
    for (uint32_t i = 0; i < x->m->channels.len; i++) {
        uint32_t to = x->m->channels.data[i].consumer;
        const sir_actor *a = x->m->actors.data[to];
        if (x->places[i].root == root && to != joiner && a->kind != SIR_SPLIT &&
            (a->kind != SIR_FILTER || !a->filter->identity))
            return false;
    }
    return true;
}

// Where a permutation's output cannot lie as its input does, as before a file, the input may lie as its output does: what
// made it puts items where they will be. That gains where its firings go side by side, as they then put whole vectors.
static void place_before(eliminator *x, uint32_t joiner, uint32_t root, const plan_view *v)
{
    uint32_t out = x->m->actors.data[joiner]->outputs.data[0], from = x->m->channels.data[root].producer;
    size_t n = x->m->channels.len;
    plan_view back, *moved = ARENA_ARRAY(x->a, plan_view, n + 1);
    if (!own_place(x, root) || !own_place(x, out) || initial_items(x, root) != 0 ||
        x->s->channels[root].remainder != 0 || x->p->cut != NULL || x->m->actors.data[from]->kind != SIR_FILTER ||
        !plan_runs_in_planes(x->p, from) || !only_comes_to(x, root, joiner) || !view_inverse(x->a, v, &back))
        return;
    for (uint32_t i = 0; i < n; i++)
        if (x->places[i].root == root && (!view_compose(x->a, &back, &x->places[i].view, &moved[i]) ||
                                          !producer_fits(x, i, &moved[i]) || !consumer_fits(x, i, &moved[i])))
            return;
    for (uint32_t i = 0; i < n; i++)
        if (x->places[i].root == root)
            x->places[i] = (plan_place){out, moved[i]};
}

static void place_permutation(eliminator *x, uint32_t actor)
{
    const sir_actor *a = x->m->actors.data[actor];
    uint32_t root;
    plan_view v;
    if (x->s->cycle[actor] < 0 && permutation(x, a, &root, &v) && !try_place(x, a->outputs.data[0], root, &v))
        place_before(x, actor, root, &v);
}

static const sir_actor *identity_between(const eliminator *x, uint32_t actor)
{
    const sir_actor *a = x->m->actors.data[actor];
    bool joins = a->kind == SIR_FILTER && a->filter->identity && a->inputs.len == 1 && a->outputs.len == 1 &&
                 a->inputs.data[0] != SIR_NONE && a->outputs.data[0] != SIR_NONE;
    return joins ? a : NULL;
}

// An identity's output is where its input is; only_derived: inputs that are views already.
static void identity_forward(eliminator *x, uint32_t actor, bool only_derived)
{
    const sir_actor *a = identity_between(x, actor);
    if (a == NULL || !own_place(x, a->outputs.data[0]) || initial_items(x, a->outputs.data[0]) != 0 ||
        (only_derived && own_place(x, a->inputs.data[0])))
        return;
    plan_view v = x->places[a->inputs.data[0]].view;
    (void)try_place(x, a->outputs.data[0], x->places[a->inputs.data[0]].root, &v);
}

static void identity_backward(eliminator *x, uint32_t actor)
{
    const sir_actor *a = identity_between(x, actor);
    if (a == NULL || !own_place(x, a->inputs.data[0]) || own_place(x, a->outputs.data[0]))
        return;
    const plan_place *out = &x->places[a->outputs.data[0]];
    plan_view after = view_identity(x->a, initial_items(x, a->outputs.data[0])), v;
    if (view_compose(x->a, &out->view, &after, &v))
        (void)try_place(x, a->inputs.data[0], out->root, &v);
}

static bool feeds_joiner(const eliminator *x, uint32_t actor)
{
    const sir_actor *a = identity_between(x, actor);
    return a != NULL && x->m->actors.data[x->m->channels.data[a->outputs.data[0]].consumer]->kind == SIR_JOIN;
}

static void choose_places(eliminator *x)
{
    uint32_t n = (uint32_t)x->m->actors.len;
    for (uint32_t i = 0; i < n; i++) {
        sir_actor_kind kind = x->m->actors.data[i]->kind;
        if (kind == SIR_SPLIT)
            place_outputs(x, i);
        else if (kind == SIR_JOIN)
            place_permutation(x, i);
        else if (kind == SIR_FILTER) // one before a joiner can go either way
            identity_forward(x, i, feeds_joiner(x, i));
    }
    for (uint32_t i = n; i-- > 0;) {
        if (x->m->actors.data[i]->kind == SIR_JOIN)
            place_inputs(x, i);
        else if (x->m->actors.data[i]->kind == SIR_FILTER)
            identity_backward(x, i);
    }
    for (uint32_t i = 0; i < n; i++)
        identity_forward(x, i, false);
}

// Places every channel; gives how many steady states a strip may cover, 0: any.
static int64_t place_all(eliminator *x, size_t *transposed)
{
    for (uint32_t i = 0; i < x->m->channels.len; i++)
        x->places[i] = (plan_place){i, view_identity(x->a, 0)};
    choose_places(x);
    return plan_horizontal_places(x->p, x->places, x->known, transposed);
}

// NOTE(known). Filters in lanes whose items each have a number, such as those that the pass stages makes, find these at any
// places, where equal items of steady states lie side by side (NOTE(transposed) in horizontal_places.c): these are whole
// vectors. Anywhere else their items, in rows, are turned by blocks, for which a splitter rather copies.
static bool known_lie_across(eliminator *x, int64_t most)
{
    for (uint32_t i = 0; i < x->m->channels.len; i++) {
        const plan_view *v = &x->places[i].view;
        bool across = most != 0 && v->digits.len != 0 && v->digits.data[0].stride % most == 0;
        if (!across && plan_needs_known(x->p, i, v))
            return false;
    }
    return true;
}

bool plan_pass_sync_elim(hlc_program *p)
{
    eliminator x = {.p = p, .a = p->arena, .m = p->module, .s = p->schedule, .known = true};
    size_t n = x.m->channels.len, moved = 0;
    hmap_init(&x.contiguous, p->arena);
    x.places = ARENA_ARRAY(p->arena, plan_place, n + 1);
    size_t transposed;
    int64_t most = place_all(&x, &transposed);
    if (!known_lie_across(&x, most)) {
        x.known = false;
        most = place_all(&x, &transposed);
    }
    plan_remark_layout(p, transposed, most);
    for (uint32_t i = 0; i < n; i++)
        moved += !own_place(&x, i);
    if (moved == 0 && p->plan->kernels.len == 0)
        return false;
    if (p->cut != NULL)
        plan_cut_gather(p->cut);
    plan *made = plan_build(p, x.places, most != 0 && p->plan->strip > most ? most : p->plan->strip);
    if (made == NULL)
        return false;
    made->most = most;
    p->plan = made;
    plan_remark_sync_elim(p);
    return true;
}
