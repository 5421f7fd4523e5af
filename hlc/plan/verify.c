// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The verifier of plans. Plans may come from text, so nothing is taken for granted: first that all numbers are in
// bounds, then that every stage is there once, then that what follows from the stages is what the plan says, and last
// (replay.c) that items arrive where they belong.
#include <inttypes.h>
#include <string.h>

#include "hlc/plan/plan_int.h"

typedef struct verifier {
    arena *a;
    diag_engine *d;
    const plan *pl;
    const sir_module *m;
    const schedule *s;
    bool ok;
    src_range at;    // what is looked at
    uint32_t **done; // per actor and port: stages that do it
} verifier;

static void fail(verifier *v, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void fail(verifier *v, const char *format, ...)
{
    va_list args;
    if (!v->ok)
        return;
    v->ok = false;
    va_start(args, format);
    const char *text = arena_vprintf(v->a, format, args);
    va_end(args);
    diag_error(v->d, v->at, "plan of '%s': %s", v->m->name, text);
}

static const char *actor_name(const verifier *v, uint32_t actor)
{
    return v->m->actors.data[actor]->name;
}

// ---- Bounds ----

static bool is_name(const char *name)
{
    if (name == NULL || *name == '\0')
        return false;
    for (; *name != '\0'; name++)
        if (!((*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') || (*name >= '0' && *name <= '9') ||
              *name == '_' || *name == '-' || *name == '.'))
            return false;
    return true;
}

static bool in_bounds(int64_t v)
{
    return v >= 0 && v <= PLAN_MAX_NUMBER;
}

static void check_view(verifier *v, const plan_view *view, const char *who)
{
    int64_t period = 1;
    if (view->digits.len == 0 || view->digits.len > PLAN_MAX_DIGITS || !in_bounds(view->offset)) {
        fail(v, "the view of '%s' has no digits, or more than %d, or an offset out of bounds", who, PLAN_MAX_DIGITS);
        return;
    }
    for (size_t i = 0; i < view->digits.len && v->ok; i++) {
        const plan_digit *d = &view->digits.data[i];
        bool last = i + 1 == view->digits.len;
        if ((d->radix == 0) != last || d->radix == 1 || !in_bounds(d->radix) || !in_bounds(d->stride))
            fail(v, "the view of '%s' is no list of bounded digits with one unbounded digit behind", who);
        else if (d->radix != 0 && period > PLAN_MAX_NUMBER / d->radix)
            fail(v, "the view of '%s' repeats after too many items", who);
        else
            period *= d->radix == 0 ? 1 : d->radix;
    }
}

// An access to the items of a channel: a buffer of its type.
static void check_access(verifier *v, const plan_access *access, uint32_t channel, const char *who)
{
    if ((access->buffer == PLAN_NONE) != (channel == SIR_NONE)) {
        fail(v,
             channel == SIR_NONE ? "'%s' has no channel where a buffer is given"
                                 : "'%s' has a channel where no buffer is given",
             who);
        return;
    }
    if (channel == SIR_NONE)
        return;
    if (access->buffer >= v->pl->buffers.len) {
        fail(v, "'%s' uses a buffer that does not exist", who);
        return;
    }
    if (v->m->channels.data[v->pl->buffers.data[access->buffer].channel].type != v->m->channels.data[channel].type)
        fail(v, "'%s' uses a buffer of another type", who);
    check_view(v, &access->view, who);
}

static void check_header(verifier *v)
{
    const plan *pl = v->pl;
    if (!is_name(pl->machine) || !is_name(pl->control) || !is_name(pl->processor) || !is_name(pl->memory))
        fail(v, "machine, processors or memory have no proper name");
    if (strcmp(pl->name, v->m->name) != 0)
        fail(v, "it is called '%s'", pl->name);
    if (pl->strip < 1 || pl->strip > PLAN_MAX_NUMBER)
        fail(v, "a strip of %" PRId64 " steady states is out of bounds", pl->strip);
    if (pl->most < 0 || (pl->most != 0 && pl->strip > pl->most))
        fail(v, "a strip of %" PRId64 " steady states is more than the buffers have room for", pl->strip);
    bool *seen = ARENA_ARRAY(v->a, bool, v->m->channels.len + 1);
    for (VEC_EACH(plan_buffer, b, &pl->buffers)) {
        if (seen[b->channel])
            fail(v, "a channel has two buffers");
        seen[b->channel] = true;
    }
}

// ---- Stages ----

// Counts with which these checks multiply; a schedule can have greater ones, which no plan can be made for.
static void check_counts(verifier *v)
{
    for (uint32_t i = 0; i < v->m->actors.len; i++)
        if (!in_bounds(v->s->init[i]) || !in_bounds(v->s->reps[i]))
            fail(v, "'%s' fires too often", actor_name(v, i));
    for (size_t i = 0; i < v->m->channels.len; i++)
        if (!in_bounds(v->s->channels[i].steady) || !in_bounds(v->s->channels[i].peak))
            fail(v, "too many items cross a channel in a steady state");
}

static uint32_t first_channel(const uint32_t *channels, size_t count)
{
    return count == 0 ? SIR_NONE : channels[0];
}

static void check_copy(verifier *v, const plan_stage *st)
{
    const sir_actor *a = v->m->actors.data[st->actor];
    uint32_t in = first_channel(a->inputs.data, a->inputs.len), out = first_channel(a->outputs.data, a->outputs.len);
    size_t ports = a->kind == SIR_SPLIT ? a->outputs.len : a->kind == SIR_JOIN ? a->inputs.len : 1;
    bool can_copy = a->kind == SIR_SPLIT || a->kind == SIR_JOIN || (a->kind == SIR_FILTER && a->filter->identity);
    if (!can_copy || st->port >= ports) {
        fail(v, "'%s' has no port %" PRIu32 " to copy", a->name, st->port);
        return;
    }
    if (a->kind == SIR_SPLIT)
        out = a->outputs.data[st->port];
    if (a->kind == SIR_JOIN)
        in = a->inputs.data[st->port];
    if (in == SIR_NONE || out == SIR_NONE ||
        (a->kind != SIR_FILTER && !(a->kind == SIR_SPLIT && a->duplicate) && a->weights.data[st->port] == 0)) {
        fail(v, "port %" PRIu32 " of '%s' moves nothing", st->port, a->name);
        return;
    }
    check_access(v, &st->in, in, a->name);
    check_access(v, &st->out, out, a->name);
}

static void check_fire(verifier *v, const plan_stage *st)
{
    const sir_actor *a = v->m->actors.data[st->actor];
    if (a->kind != SIR_FILTER || st->port != 0) {
        fail(v, "'%s' is fired, but is no filter", a->name);
        return;
    }
    check_access(v, &st->in, first_channel(a->inputs.data, a->inputs.len), a->name);
    check_access(v, &st->out, first_channel(a->outputs.data, a->outputs.len), a->name);
}

// Whether the items that a port writes in the longest run are all in places of their own: with the digits in the order
// of their strides, each is further than all before it reach.
static bool writes_apart(const verifier *v, const plan_view *view, int64_t items)
{
    plan_digits sorted = {0};
    int64_t period = digits_period(&view->digits), rounds = items / period + (items % period != 0);
    for (VEC_EACH(plan_digit, d, &view->digits)) {
        VEC_PUSH(v->a, &sorted, (plan_digit){d->radix == 0 ? rounds : d->radix, d->stride});
        for (size_t i = sorted.len - 1; i > 0 && sorted.data[i].stride < sorted.data[i - 1].stride; i--) {
            plan_digit t = sorted.data[i];
            sorted.data[i] = sorted.data[i - 1];
            sorted.data[i - 1] = t;
        }
    }
    int64_t reach = 1;
    for (VEC_EACH(plan_digit, d, &sorted)) {
        if (d->radix > 1 && d->stride < reach)
            return false;
        if (__builtin_mul_overflow(d->radix - 1, d->stride, &period) || __builtin_add_overflow(reach, period, &reach))
            return false;
    }
    return true;
}

// Whether all that a stage touches in the initialisation, a strip and the drain lies in bounds.
static bool reaches(const verifier *v, const plan_stage *st)
{
    int64_t firings, items;
    if (__builtin_mul_overflow(v->s->reps[st->actor], v->pl->strip, &firings) || !in_bounds(firings))
        return false;
    firings += v->s->init[st->actor] + v->pl->drain[st->actor] + v->pl->init_drain[st->actor];
    if (!in_bounds(firings))
        return false;
    if (st->in.buffer != PLAN_NONE) {
        sched_rate first = plan_in_rate(v->m, st, true), rate = plan_in_rate(v->m, st, false);
        if (!in_bounds(first.peek) || !in_bounds(rate.peek) || __builtin_mul_overflow(rate.pop, firings, &items) ||
            !in_bounds(items) || !view_in_bounds(&st->in.view, items + first.peek + rate.peek))
            return false;
    }
    if (st->out.buffer != PLAN_NONE) {
        int64_t first = plan_out_rate(v->m, st, true), rate = plan_out_rate(v->m, st, false);
        if (!in_bounds(first) || __builtin_mul_overflow(rate, firings, &items) || !in_bounds(items) ||
            !view_in_bounds(&st->out.view, items + first))
            return false;
    }
    return true;
}

static void check_stage(verifier *v, const plan_stage *st, int32_t cycle)
{
    plan_walk w;
    const sir_actor *a = v->m->actors.data[st->actor];
    if (st->kind == PLAN_FIRE)
        check_fire(v, st);
    else
        check_copy(v, st);
    if (v->ok && !reaches(v, st))
        fail(v, "'%s' reaches too far", a->name);
    if (!v->ok)
        return;
    if (v->s->cycle[st->actor] != cycle)
        fail(v,
             cycle < 0 ? "'%s' is in a feedback cycle, but no cycle's stage"
                       : "'%s' is a stage of another cycle than its own",
             a->name);
    else if (v->done[st->actor][st->port]++ != 0)
        fail(v, "'%s' has two stages for one port", a->name);
    else if (st->out.buffer != PLAN_NONE &&
             !writes_apart(v, &st->out.view, plan_out_rate(v->m, st, false) * v->s->reps[st->actor] * v->pl->strip))
        fail(v, "'%s' writes two items of a strip to one place", a->name);
    else if (!plan_stage_walk(v->a, v->m, v->s, st, &w))
        fail(v, "the views of '%s' do not fit its rates", a->name);
    else if (cycle >= 0 && (w.in_firing.len > 1 || w.out_firing.len > 1))
        fail(v, "the views of '%s' do not fit a feedback cycle, where any firing may come first", a->name);
}

static bool has_state(const sir_filter *f)
{
    return f->stateful || f->uses_iter || f->uses_random || f->prints || f->sends || f->prework != NULL;
}

static int64_t count_digits(const plan_digits *d)
{
    int64_t count = 1;
    for (VEC_EACH(plan_digit, i, d)) {
        if (i->radix < 2 || i->radix > PLAN_MAX_NUMBER || i->stride < 0 || i->stride > PLAN_MAX_NUMBER ||
            count > PLAN_MAX_NUMBER / i->radix)
            return 0;
        count *= i->radix;
    }
    return count;
}

static void check_fusion(verifier *v, const plan_stage *st)
{
    const sir_actor *a = v->m->actors.data[st->actor];
    int64_t members = (int64_t)plan_stage_members(st);
    bool in = st->in.buffer != PLAN_NONE, out = st->out.buffer != PLAN_NONE, one_actor = true, one_port = true;
    if ((in ? count_digits(&st->in_members) : 1 + (int64_t)st->others.len) != members ||
        (!in && st->in_members.len != 0) ||
        (out ? count_digits(&st->out_members) : 1 + (int64_t)st->others.len) != members ||
        (!out && st->out_members.len != 0))
        fail(v, "the members that are fused with '%s' are not as many as its digits say", a->name);
    if (st->kind == PLAN_FIRE && a->kind == SIR_FILTER && has_state(a->filter))
        fail(v, "'%s' has state or a first firing of its own, and cannot be fused with others side by side", a->name);
    for (VEC_EACH(plan_member, o, &st->others)) {
        const sir_actor *other = v->m->actors.data[o->actor];
        one_actor &= o->actor == st->actor;
        one_port &= o->port == st->port && o->actor != st->actor;
        if (other->kind != a->kind || (st->kind == PLAN_FIRE && other->filter != a->filter) ||
            v->s->init[o->actor] != v->s->init[st->actor] || v->s->reps[o->actor] != v->s->reps[st->actor])
            fail(v, "'%s' does something else than '%s', with which it is fused side by side", other->name, a->name);
    }
    if (v->ok && !one_actor && !one_port)
        fail(v, "the fusion with '%s' mixes ports and actors", a->name);
    for (size_t i = 1; v->ok && st->kind == PLAN_COPY && i < (size_t)members; i++) {
        plan_stage other = plan_stage_member(st, i);
        check_copy(v, &other);
        if (v->ok && plan_out_rate(v->m, &other, false) != plan_out_rate(v->m, st, false))
            fail(v, "the fusion with '%s' mixes weights", a->name);
    }
}

// Firings of each stage in a list of steps; a product that is too large counts as none.
static int64_t count_steps(verifier *v, const plan_item *item, const plan_step *steps, size_t count, int64_t times,
                           int64_t *fired)
{
    for (size_t i = 0; i < count && v->ok; i++) {
        int64_t n;
        if (steps[i].count < 1 || __builtin_mul_overflow(times, steps[i].count, &n) || n > PLAN_MAX_NUMBER)
            fail(v, "a step of cycle %" PRId32 " has a count out of bounds", item->cycle);
        else if (steps[i].stage == PLAN_NONE)
            count_steps(v, item, steps[i].steps.data, steps[i].steps.len, n, fired);
        else if (steps[i].stage >= item->stages.len)
            fail(v, "a step of cycle %" PRId32 " names a stage that it has not", item->cycle);
        else if ((fired[steps[i].stage] += n) > PLAN_MAX_NUMBER)
            fail(v, "a step of cycle %" PRId32 " has a count out of bounds", item->cycle);
    }
    return 0;
}

static void check_cycle(verifier *v, const plan_item *item)
{
    int64_t *fired = ARENA_ARRAY(v->a, int64_t, item->stages.len + 1);
    if (item->cycle >= v->s->cycle_count) {
        fail(v, "there is no cycle %" PRId32, item->cycle);
        return;
    }
    if (item->block < 1 || item->block > PLAN_MAX_NUMBER || (item->block > 1 && item->steps.len == 0))
        fail(v, "cycle %" PRId32 " has a block without steps or out of bounds", item->cycle);
    count_steps(v, item, item->steps.data, item->steps.len, 1, fired);
    for (size_t i = 0; i < item->stages.len && v->ok && item->steps.len != 0; i++)
        if (fired[i] != v->s->reps[item->stages.data[i].actor])
            fail(v, "the steps of cycle %" PRId32 " fire '%s' %" PRId64 " times; a steady state has %" PRId64,
                 item->cycle, actor_name(v, item->stages.data[i].actor), fired[i],
                 v->s->reps[item->stages.data[i].actor]);
    if (item->block > 1) // one step a stage, in order
        for (size_t i = 0; i < item->steps.len && v->ok; i++)
            if (item->steps.len != item->stages.len || item->steps.data[i].stage != i)
                fail(v,
                     "the steps of cycle %" PRId32
                     ", which covers several steady states at once, are not its stages in order",
                     item->cycle);
    bool prints = false;
    for (VEC_EACH(plan_stage, st, &item->stages))
        prints |= sir_prints(v->m->actors.data[st->actor]);
    if (prints && v->pl->net == NULL && plan_several_print(v->m) &&
        ((item->steps.len == 0 && v->pl->strip > 1) || item->block > 1))
        fail(v, "cycle %" PRId32 " prints, but does not go through the steady states of a strip one by one",
             item->cycle);
}

static void check_members(verifier *v, const plan_stage *st, int32_t cycle)
{
    check_stage(v, st, cycle);
    if (st->others.len == 0 || !v->ok)
        return;
    if (cycle >= 0)
        fail(v, "'%s' is fused side by side and in a feedback cycle", actor_name(v, st->actor));
    check_fusion(v, st);
    for (size_t i = 1; i < plan_stage_members(st) && v->ok; i++) {
        plan_stage other = plan_stage_member(st, i);
        check_stage(v, &other, cycle);
    }
}

// Each static region has its kernel.
static void check_pieces(verifier *v)
{
    const plan_net *graph = plan_graph_of(v->pl);
    size_t at = 0;
    if (graph == NULL)
        return;
    for (uint32_t i = 0; i < graph->kernels.len && v->ok; i++) {
        if (graph->kernels.data[i].dynamic)
            continue;
        if (at == v->pl->kernels.len) {
            fail(v, "a static region of the program has no kernel");
            return;
        }
        const plan_kernel *kernel = &v->pl->kernels.data[at++];
        for (VEC_EACH(const plan_item, item, &kernel->items))
            for (VEC_EACH(const plan_stage, st, &item->stages))
                for (size_t m = 0; m < plan_stage_members(st); m++)
                    if (v->ok && graph->kernel_of[plan_stage_member(st, m).actor] != i)
                        fail(v, "kernel '%s' has stages of another region of the program than its own", kernel->name);
    }
    if (v->ok && at != v->pl->kernels.len)
        fail(v, "there are kernels for no region of the program");
}

static void check_kernels(verifier *v)
{
    hmap names;
    hmap_init(&names, v->a);
    check_pieces(v);
    for (uint32_t k = 0; k < v->pl->kernels.len && v->ok; k++) {
        const plan_kernel *kernel = &v->pl->kernels.data[k];
        v->at = plan_line_range(v->pl, PLAN_LINE_KERNEL, k);
        if (!is_name(kernel->name) || hmap_get(&names, kernel->name) != NULL)
            fail(v, "two kernels are called '%s'", kernel->name);
        hmap_set(&names, kernel->name, v);
        if (kernel->items.len == 0 && v->pl->net == NULL)
            fail(v, "kernel '%s' does nothing", kernel->name);
        for (size_t i = 0; i < kernel->items.len && v->ok; i++) {
            const plan_item *item = &kernel->items.data[i];
            for (size_t s = 0; s < item->stages.len && v->ok; s++) {
                v->at = plan_line_range(v->pl, PLAN_LINE_STAGE, item->stages.data[s].actor);
                check_members(v, &item->stages.data[s], item->cycle);
            }
            if (v->ok)
                v->at = plan_line_range(v->pl, PLAN_LINE_KERNEL, k);
            if (v->ok && item->cycle < 0 && item->stages.len != 1)
                fail(v, "an item of kernel '%s' has not one stage", kernel->name);
            if (v->ok && item->cycle >= 0)
                check_cycle(v, item);
        }
    }
}

static void check_io(verifier *v, const plan_io *io, sir_actor_kind kind)
{
    const sir_actor *a = v->m->actors.data[io->actor];
    if (a->kind != kind) {
        fail(v, "'%s' is no %s", a->name, kind == SIR_READER ? "reader" : "writer");
        return;
    }
    uint32_t channel = kind == SIR_READER ? first_channel(a->outputs.data, a->outputs.len)
                                          : first_channel(a->inputs.data, a->inputs.len);
    check_access(v, &io->access, channel, a->name);
    if (v->ok && (io->access.buffer == PLAN_NONE || !view_contiguous(&io->access.view)))
        fail(v, "'%s' needs its items side by side", a->name);
    if (v->ok && (!in_bounds(v->pl->drain[io->actor]) || !in_bounds(v->pl->init_drain[io->actor])))
        fail(v, "'%s' reaches too far", a->name);
    if (v->ok && v->done[io->actor][0]++ != 0)
        fail(v, "'%s' is there twice", a->name);
}

static void check_initials(verifier *v)
{
    bool *seen = ARENA_ARRAY(v->a, bool, v->m->channels.len + 1);
    for (VEC_EACH(plan_initial, i, &v->pl->initials)) {
        v->at = plan_line_range(v->pl, PLAN_LINE_INITIAL, (size_t)(i - v->pl->initials.data));
        if (seen[i->channel])
            fail(v, "enqueued items are there twice");
        seen[i->channel] = true;
        check_access(v, &i->access, i->channel, "enqueued items");
        if (v->ok && !view_in_bounds(&i->access.view, (int64_t)v->m->channels.data[i->channel].initial.len))
            fail(v, "enqueued items reach too far");
    }
    if (v->ok)
        v->at = plan_line_range(v->pl, PLAN_LINE_NAME, 0);
    for (uint32_t i = 0; i < v->m->channels.len && v->ok; i++)
        if (seen[i] != (v->m->channels.data[i].initial.len != 0))
            fail(v, "the items enqueued for '%s' are not placed, or others are",
                 actor_name(v, v->m->channels.data[i].consumer));
}

// Every filter, reader and writer is fired; identities may have become views, and whether ports that are not copied
// have is what replay shows.
static void check_complete(verifier *v)
{
    v->at = plan_line_range(v->pl, PLAN_LINE_NAME, 0);
    for (uint32_t i = 0; i < v->m->actors.len && v->ok; i++) {
        const sir_actor *a = v->m->actors.data[i];
        bool needed = (a->kind == SIR_FILTER && !a->filter->identity) || sir_is_file(a);
        if (needed && v->done[i][0] == 0 && (a->inputs.len != 0 || a->outputs.len != 0 || a->kind == SIR_FILTER))
            fail(v, "'%s' never fires", a->name);
    }
}

// ---- What follows from the stages ----

static void check_settled(verifier *v)
{
    plan *copy = plan_copy(v->a, v->pl, v->pl->cut);
    memset(&copy->kernels, 0, sizeof copy->kernels);
    for (VEC_EACH(const plan_kernel, k, &v->pl->kernels)) { // with dependences of their own
        plan_kernel own = *k;
        memset(&own.after, 0, sizeof own.after);
        VEC_PUSH(v->a, &copy->kernels, own);
    }
    if (!plan_settle(v->a, v->d, copy, v->m, v->s)) {
        v->ok = false;
        return;
    }
    if (v->pl->allocated)
        plan_assign_addresses(v->a, copy, v->m, v->s);
    for (size_t i = 0; i < copy->buffers.len && v->ok; i++) {
        const plan_buffer *x = &v->pl->buffers.data[i], *y = &copy->buffers.data[i];
        v->at = plan_line_range(v->pl, PLAN_LINE_BUFFER, i);
        if (x->base != y->base || x->keep != y->keep || x->step != y->step || x->capacity != y->capacity ||
            x->address != y->address)
            fail(v,
                 "buffer %%%zu should have base %" PRId64 " keep %" PRId64 " step %" PRId64 " capacity %" PRId64
                 " at %" PRIu64,
                 i, y->base, y->keep, y->step, y->capacity, y->address);
    }
    if (v->ok && copy->capacities.len != v->pl->capacities.len)
        fail(v, "it has %zu streams", copy->capacities.len);
    for (size_t i = 0; i < copy->capacities.len && v->ok; i++) {
        v->at = plan_line_range(v->pl, PLAN_LINE_STREAM, i);
        if (copy->capacities.data[i] != v->pl->capacities.data[i])
            fail(v, "stream '%s' should have capacity %" PRId64, v->pl->net->streams.data[i].name,
                 copy->capacities.data[i]);
    }
    v->at = plan_line_range(v->pl, PLAN_LINE_BYTES, 0);
    if (v->ok && (copy->bytes != v->pl->bytes || copy->least_bytes != v->pl->least_bytes))
        fail(v, "its buffers take %" PRIu64 " bytes, and no layout takes less than %" PRIu64, copy->bytes,
             copy->least_bytes);
    for (size_t i = 0; i < copy->kernels.len && v->ok; i++) {
        const plan_kernel *x = &v->pl->kernels.data[i], *y = &copy->kernels.data[i];
        v->at = plan_line_range(v->pl, PLAN_LINE_KERNEL, i);
        if (x->after.len != y->after.len ||
            (x->after.len != 0 && memcmp(x->after.data, y->after.data, x->after.len * sizeof(uint32_t)) != 0))
            fail(v, "kernel '%s' waits for other kernels than those that it needs", x->name);
    }
}

// Strips, processors and queues.
static void check_cut(verifier *v)
{
    const plan_cut *cut = v->pl->cut;
    if (cut == NULL || cut->where == NULL)
        return;
    v->at = plan_line_range(v->pl, PLAN_LINE_NAME, 0);
    for (size_t i = 0; i < cut->kernels.len; i++)
        for (uint32_t k = 1; k < cut->strips; k++)
            if (v->ok && !cut->kernels.data[i].parallel &&
                cut->where[i * cut->strips + k] != cut->where[i * cut->strips])
                fail(v, "kernel %zu keeps state and is assigned to several processors", i);
    for (uint32_t i = 0; i < cut->kernels.len && v->ok; i++)
        for (uint32_t k = 0; k < cut->strips && v->ok; k++)
            if (!plan_kernel_may_run_on(cut, i, cut->where[i * cut->strips + k]))
                fail(v, "kernel %" PRIu32 " needs what its processor cannot do", i);
    for (VEC_EACH(const plan_io, io, &v->pl->writers))
        if (v->ok && v->pl->buffers.data[io->access.buffer].keep != 0)
            fail(v, "'%s' is behind what its kernel gives", actor_name(v, io->actor));
    if (v->ok)
        v->at = plan_line_range(v->pl, PLAN_LINE_STRIP, 0);
    if (v->pl->strip % plan_cut_granule_of(cut) != 0)
        fail(v, "a strip should be a multiple of %" PRId64 " steady states, as engines move whole units",
             plan_cut_granule_of(cut));
    plan_cut copy = *cut;
    bool straight = false; // else none goes straight, as with -fno-straight
    for (VEC_EACH(const plan_queue, queue, &cut->queues))
        straight |= queue->straight;
    plan_cut_queues(v->a, v->pl, &copy);
    if (v->ok && straight)
        plan_cut_find_straight(v->a, &copy);
    if (v->ok && copy.queues.len != cut->queues.len)
        fail(v, "it has %zu queues", copy.queues.len);
    for (size_t i = 0; i < copy.queues.len && v->ok; i++) {
        const plan_queue *x = &cut->queues.data[i], *y = &copy.queues.data[i];
        v->at = plan_line_range(v->pl, PLAN_LINE_QUEUE, i);
        const char *name = cut->graph->streams.data[x->stream].name;
        int64_t step = cut->graph->whole_schedule->channels[cut->graph->streams.data[x->stream].channel].steady;
        if (x->delay != y->delay || x->halo != y->halo || x->history != y->history || x->room != y->room)
            fail(v, "queue '%s' should have delay %" PRId64 " halo %" PRId64 " history %" PRId64 " room %" PRId64, name,
                 y->delay, y->halo, y->history, y->room);
        else if (x->straight != y->straight)
            fail(v, "queue '%s' %s", name, y->straight ? "should go straight, as others do" : "cannot go straight");
        else if (step != 0 && x->halo > cut->strips * v->pl->strip * step)
            fail(v, "a round should move %" PRId64 " items through queue '%s' at least", x->halo, name);
    }
}

bool plan_verify(arena *a, diag_engine *d, const plan *pl, const sir_module *m, const schedule *s)
{
    verifier v = {.a = a, .d = d, .pl = pl, .m = m, .s = s, .ok = true};
    v.at = plan_line_range(pl, PLAN_LINE_NAME, 0);
    v.done = ARENA_ARRAY(a, uint32_t *, m->actors.len + 1);
    for (size_t i = 0; i < m->actors.len; i++)
        v.done[i] = ARENA_ARRAY(a, uint32_t, m->actors.data[i]->inputs.len + m->actors.data[i]->outputs.len + 1);
    check_counts(&v);
    if (v.ok)
        check_header(&v);
    for (size_t i = 0; i < pl->readers.len && v.ok; i++) {
        v.at = plan_line_range(pl, PLAN_LINE_READER, i);
        check_io(&v, &pl->readers.data[i], SIR_READER);
    }
    for (size_t i = 0; i < pl->writers.len && v.ok; i++) {
        v.at = plan_line_range(pl, PLAN_LINE_WRITER, i);
        check_io(&v, &pl->writers.data[i], SIR_WRITER);
    }
    v.at = plan_line_range(pl, PLAN_LINE_NAME, 0);
    if (v.ok)
        check_initials(&v);
    if (v.ok)
        check_kernels(&v);
    if (v.ok)
        check_complete(&v);
    if (v.ok)
        check_settled(&v);
    if (v.ok)
        check_cut(&v);
    return v.ok && plan_replay(a, d, pl, m, s);
}
