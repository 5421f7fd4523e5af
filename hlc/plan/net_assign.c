// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which processors the kernels of a program with dynamic rates or messages run on. They wait for each other's items on
// streams alone, so any assignment gives the same output; what it costs is items that cross from one processor's caches
// to another's. So it takes processors that work in the streams' memory.
#include <string.h>

#include "hlc/passes/pass.h"
#include "hlc/plan/abilities.h"
#include "hlc/plan/plan_int.h"
#include "hlc/plan/profile.h"
#include "hlc/plan/thresholds.h"

typedef struct assigner {
    hlc_program *p;
    const plan_net *net;
    size_t count, processors;
    double *work;   // per kernel: operations that a steady state of the program takes
    double *items;  // per stream: crossings that it takes, in operations
    uint32_t *at;   // per kernel: its processor
    double *load;   // per processor
    double *once;   // per kernel: operations of a steady state of its own
    bool *parallel; // per kernel
} assigner;

// ---- Processors ----

static bool starts(const machine *mach, const char *control, const machine_processor *x)
{
    for (VEC_EACH(machine_ref, r, &x->masters))
        if (r->kind == MACHINE_PROCESSOR && r->index < mach->processors.len &&
            strcmp(mach->processors.data[r->index].element.name, control) == 0)
            return true;
    return false;
}

static bool can_run(hlc_program *p, const machine_processor *x)
{
    for (uint32_t i = 0; i < p->net->whole->actors.len; i++)
        if (plan_record_lack(p, p->net->whole, i, x).why != NULL)
            return false;
    return true;
}

bool plan_net_may_run_on(hlc_program *p, const plan *pl, const machine_processor *x)
{
    const machine *mach = p->machine;
    const machine_processor *first = machine_processor_by_name(mach, pl->processor);
    const machine_memory *memory = machine_memory_by_name(mach, pl->memory);
    return x == first ||
           (x->kind == MACHINE_processor_kind_KERNEL && x->fallback == first->fallback && x->abilities.state &&
            memory != NULL && machine_reaches(mach, x, memory) && starts(mach, pl->control, x) && can_run(p, x));
}

typedef VEC(const machine_processor *) processor_list;

// The plan's own first.
static processor_list find_processors(hlc_program *p)
{
    processor_list list = {0};
    const plan *pl = p->plan;
    VEC_PUSH(p->arena, &list, machine_processor_by_name(p->machine, pl->processor));
    for (VEC_EACH(machine_processor, x, &p->machine->processors))
        if ((p->config->processors == 0 || (int64_t)list.len < p->config->processors) && x != list.data[0] &&
            plan_net_may_run_on(p, pl, x))
            VEC_PUSH(p->arena, &list, x);
    return list;
}

// ---- Costs ----

static double mean_rate(const sir_rate *r)
{
    if (r->max < 0) // as many as it happens to
        return r->min > 0 ? (double)r->min : 1;
    return r->min + r->max > 0 ? ((double)r->min + (double)r->max) / 2 : 0;
}

// Steady states of a kernel (firings of a dynamic-rate actor) in one of the program; that of what no steady state paces
// follows from what it is given, with dynamic rates in the middle of their bounds.
static double find_times(const assigner *x, uint32_t kernel, const double *given)
{
    const plan_net *net = x->net;
    const plan_net_kernel *k = &net->kernels.data[kernel];
    double times = -1;
    if (k->paced)
        return (double)k->steady;
    for (size_t i = 0; i < net->streams.len; i++) {
        const plan_stream *st = &net->streams.data[i];
        if (st->to != kernel)
            continue;
        const sir_channel *ch = &net->whole->channels.data[st->channel];
        const sir_actor *actor = net->whole->actors.data[ch->consumer];
        double each = k->dynamic ? mean_rate(&actor->filter->work->pop) : (double)net->schedule->reps[st->reader];
        if (each > 0 && given[i] >= 0 && (times < 0 || given[i] / each < times))
            times = given[i] / each;
    }
    return times < 0 ? 1 : times;
}

static double kernel_operations(const assigner *x, uint32_t kernel, const double *each)
{
    const plan_net *net = x->net;
    const plan_net_kernel *k = &net->kernels.data[kernel];
    if (k->dynamic)
        return DYNAMIC_FIRING + plan_actor_operations(x->p->arena, net->whole, k->actors.data[0]);
    double sum = 0;
    for (uint32_t i = 0; i < net->module->actors.len; i++)
        if (net->kernel_of[i] == kernel && net->actor_of[i] != SIR_NONE)
            sum += each[i] * (double)net->schedule->reps[i] * (plan_runs_in_lanes(x->p, i) ? LANES_SHARE : 1);
    return sum;
}

static void find_costs(assigner *x)
{
    const plan_net *net = x->net;
    arena *a = x->p->arena;
    const double *each = plan_costs(x->p, net->module);
    double *given = ARENA_ARRAY(a, double, net->streams.len + 1);
    for (size_t i = 0; i < net->streams.len; i++) {
        const plan_stream *st = &net->streams.data[i];
        const sir_channel *ch = &net->whole->channels.data[st->channel];
        given[i] = st->from == SIR_NONE ? (double)net->whole_schedule->reps[ch->producer] : -1;
    }
    for (uint32_t k = 0; k < x->count; k++) { // in canonical order: what a feedback loop brings is not known
        double times = find_times(x, k, given);
        x->once[k] = kernel_operations(x, k, each);
        x->work[k] = times * x->once[k];
        for (size_t i = 0; i < net->streams.len; i++) {
            const plan_stream *st = &net->streams.data[i];
            if (st->from != k)
                continue;
            const sir_channel *ch = &net->whole->channels.data[st->channel];
            const sir_actor *actor = net->whole->actors.data[ch->producer];
            double items = net->kernels.data[k].dynamic ? mean_rate(&actor->filter->work->push)
                                                        : (double)net->schedule->reps[st->writer];
            given[i] = times * items;
        }
    }
    for (size_t i = 0; i < net->streams.len; i++) {
        double bytes = (double)plan_element_bytes(net->whole, net->streams.data[i].channel);
        x->items[i] = given[i] < 0 ? 0 : given[i] * (CROSSING_CALL + bytes / CROSSING_BYTES);
    }
}

static assigner begin(hlc_program *p)
{
    const size_t kernels = p->net->kernels.len;
    assigner x = {.p = p, .net = p->net, .count = kernels};
    x.work = ARENA_ARRAY(p->arena, double, kernels + 1);
    x.items = ARENA_ARRAY(p->arena, double, p->net->streams.len + 1);
    x.at = ARENA_ARRAY(p->arena, uint32_t, kernels + 1);
    x.once = ARENA_ARRAY(p->arena, double, kernels + 1);
    x.parallel = ARENA_ARRAY(p->arena, bool, kernels + 1);
    find_costs(&x);
    return x;
}

// ---- Data-parallel regions ----

const plan_reason **plan_net_keepers(hlc_program *p, const plan *pl)
{
    const plan_net *net = p->net;
    arena *a = p->arena;
    size_t count = net->kernels.len;
    const plan_reason **why = ARENA_ARRAY(a, const plan_reason *, count + 1);
    bool *reads = ARENA_ARRAY(a, bool, count + 1), *is_input = ARENA_ARRAY(a, bool, pl->buffers.len + 1);
    for (VEC_EACH(const plan_io, io, &pl->readers))
        if (io->actor < net->module->actors.len && io->access.buffer < pl->buffers.len) {
            reads[net->kernel_of[io->actor]] = true;
            is_input[io->access.buffer] = true;
        }
    for (uint32_t k = 0; k < count; k++)
        why[k] = net->kernels.data[k].dynamic ? plan_reason_plain(PLAN_WHY_DYNAMIC_REGION)
                 : !reads[k]                  ? plan_reason_plain(PLAN_WHY_NO_INPUT)
                                              : NULL;
    for (uint32_t i = 0; i < net->module->actors.len; i++) {
        const plan_reason *keeps = net->actor_of[i] == SIR_NONE ? NULL : plan_actor_keeps(p, i);
        if (keeps != NULL && why[net->kernel_of[i]] == NULL)
            why[net->kernel_of[i]] = plan_reason_of(
                a, (plan_reason){PLAN_WHY_ACTOR, .names = {net->module->actors.data[i]->name}, .behind = keeps});
    }
    for (size_t b = 0; b < pl->buffers.len; b++) {
        const plan_buffer *buffer = &pl->buffers.data[b];
        if (buffer->channel >= net->module->channels.len || buffer->keep == 0 || is_input[b])
            continue;
        const sir_channel *ch = &net->module->channels.data[buffer->channel];
        if (why[net->kernel_of[ch->consumer]] == NULL)
            why[net->kernel_of[ch->consumer]] = plan_reason_of(
                a, (plan_reason){PLAN_WHY_ITEMS_BETWEEN, .names = {net->module->actors.data[ch->producer]->name,
                                                                   net->module->actors.data[ch->consumer]->name}});
    }
    return why;
}

static void find_parallel(assigner *x, const plan_reason *const *why)
{
    double all = 0;
    for (uint32_t k = 0; k < x->count; k++)
        all += x->work[k];
    for (uint32_t k = 0; k < x->count; k++)
        x->parallel[k] = why[k] == NULL && x->work[k] * (double)x->processors > PARALLEL_SHARE * all;
}

// ---- Where regions are cut ----

// Processors beside each other, if there are several; those with memories of their own, to which regions may be offloaded.
typedef struct around {
    bool several, far;
} around;

static around look_around(hlc_program *p)
{
    const plan_demands demands = {.io = false};
    const plan_resources *r = p->config->processors == 1
                                  ? NULL
                                  : plan_resources_find(p->arena, p->diag, p->machine, p->config->processors, &demands);
    size_t direct = 0;
    for (size_t i = 0; r != NULL && i < r->processors.len; i++)
        direct += r->processors.data[i].direct && !r->processors.data[i].fallback;
    return (around){direct > 1, r != NULL && direct < r->processors.len && p->config->offload != HLC_OFFLOAD_NONE};
}

const bool *plan_find_apart(hlc_program *p)
{
    const sir_module *m = p->module;
    const schedule *s = p->schedule;
    if (!s->dynamic && s->messages.len == 0 && s->outside.len == 0)
        return NULL;
    const around is = look_around(p);
    if (!is.several && !is.far)
        return NULL;
    const double *each = plan_costs(p, m);
    double all = 0;
    bool *apart = ARENA_ARRAY(p->arena, bool, m->channels.len + 1), any = false;
    for (uint32_t i = 0; i < m->actors.len; i++)
        all += each[i] * (double)s->reps[i];
    for (uint32_t i = 0; i < m->channels.len; i++) {
        const sir_channel *c = &m->channels.data[i];
        const sched_channel *sc = &s->channels[i];
        double from = each[c->producer] * (double)s->reps[c->producer],
               to = each[c->consumer] * (double)s->reps[c->consumer], least = NET_CUT_SHARE * all;
        bool loop = s->cycle[c->producer] >= 0 && s->cycle[c->producer] == s->cycle[c->consumer];
        if (sc->cut || loop || sir_is_file(m->actors.data[c->producer]) || sir_is_file(m->actors.data[c->consumer]))
            continue;
        bool keeps = plan_actor_keeps(p, c->producer) != NULL, other = plan_actor_keeps(p, c->consumer) != NULL;
        apart[i] = (sc->remainder > 0 && to > least) || (keeps != other && (from > least || to > least));
        if (is.far) { // what must stay keeps no other here
            bool tied = plan_actor_is_tied(p, c->producer) != NULL, next = plan_actor_is_tied(p, c->consumer) != NULL;
            apart[i] |= tied != next && (tied ? to : from) > least;
        }
        any |= apart[i];
    }
    return any ? apart : NULL;
}

// ---- The assignment ----

// What a processor has to do of kernel k if it is there; data-parallel ones are on all.
static double share(const assigner *x, uint32_t k)
{
    return x->parallel[k] ? x->work[k] / (double)x->processors : x->work[k];
}

// What its processor spends on kernel k beside its work if it is at q: half of what crosses to kernels elsewhere.
static double crossing(const assigner *x, uint32_t k, uint32_t q)
{
    double sum = 0;
    for (size_t i = 0; i < x->net->streams.len; i++) {
        const plan_stream *st = &x->net->streams.data[i];
        uint32_t other = st->from == k ? st->to : st->to == k ? st->from : SIR_NONE;
        if (other != SIR_NONE && other != k && x->at[other] != q && x->at[other] != SIR_NONE)
            sum += x->items[i];
    }
    return sum;
}

static uint32_t heaviest(const assigner *x)
{
    uint32_t best = SIR_NONE;
    for (uint32_t k = 0; k < x->count; k++)
        if (x->at[k] == SIR_NONE && (best == SIR_NONE || share(x, k) > share(x, best)))
            best = k;
    return best;
}

static void place(assigner *x, uint32_t k)
{
    uint32_t best = 0;
    double least = 0;
    for (uint32_t q = 0; q < x->processors; q++) {
        double load = x->load[q] + share(x, k) + crossing(x, k, q);
        if (q == 0 || load < least) {
            best = q;
            least = load;
        }
    }
    x->at[k] = best;
    x->load[best] += share(x, k);
}

static double most_loaded(const assigner *x)
{
    double most = 0;
    for (uint32_t q = 0; q < x->processors; q++) {
        double load = 0;
        for (uint32_t k = 0; k < x->count; k++)
            load += x->at[k] == q ? share(x, k) + crossing(x, k, q) : x->parallel[k] ? share(x, k) : 0;
        most = load > most ? load : most;
    }
    return most;
}

static bool assign(assigner *x)
{
    double all = 0;
    for (uint32_t k = 0; k < x->count; k++) {
        x->at[k] = SIR_NONE;
        all += x->work[k];
    }
    for (uint32_t k; (k = heaviest(x)) != SIR_NONE;)
        place(x, k);
    for (int round = 0; round < NET_ASSIGN_ROUNDS; round++)
        for (uint32_t k = 0; k < x->count; k++) {
            uint32_t before = x->at[k];
            x->load[before] -= share(x, k);
            x->at[k] = SIR_NONE;
            place(x, k);
        }
    return most_loaded(x) < NET_ASSIGN_GAIN * all;
}

// Whether a processor has less to do of kernels that are not data-parallel than is a processor's share of all: who waits for
// a helper waits for what runs there too.
static bool has_time(const assigner *x, uint32_t q)
{
    double own = 0, all = 0;
    for (uint32_t k = 0; k < x->count; k++) {
        own += x->at[k] == q && !x->parallel[k] ? x->work[k] : 0;
        all += x->work[k];
    }
    return own * (double)x->processors < HELPER_SHARE * all;
}

static const plan_reason *why_not(const hlc_program *p)
{
    if (p->net->single)
        return plan_reason_plain(PLAN_WHY_ITS_STEADY_STATES);
    if (plan_ways_any_time(p->net->ways))
        return plan_reason_plain(PLAN_WHY_ANYTIME);
    for (VEC_EACH(const plan_way, w, p->net->ways))
        if (w->upstream || w->held)
            return plan_reason_plain(PLAN_WHY_RECEIVER_WAITS);
    for (VEC_EACH(sir_function *, f, &p->net->whole->functions))
        if ((*f)->kind == SIR_NATIVE)
            return plan_reason_plain(PLAN_WHY_ITS_NATIVES);
    return p->net->kernels.len > NET_ASSIGN_MOST ? plan_reason_plain(PLAN_WHY_MANY_KERNELS) : NULL;
}

// Whether kernels depend on how far sources have come: then these do not run ahead.
static bool runs_one_by_one(const hlc_program *p)
{
    return p->net->single || plan_ways_any_time(p->net->ways);
}

bool plan_net_assign(hlc_program *p)
{
    plan *pl = p->plan;
    processor_list list = find_processors(p);
    pl->where.len = 0;
    const plan_reason *why = list.len < 2 ? plan_reason_plain(PLAN_WHY_NO_NEIGHBOUR) : why_not(p);
    assigner x = begin(p);
    x.processors = list.len;
    x.load = ARENA_ARRAY(p->arena, double, x.processors + 1);
    const plan_reason **keeps = plan_net_keepers(p, pl);
    if (why == NULL) {
        find_parallel(&x, keeps);
        if (!assign(&x))
            why = plan_reason_plain(PLAN_WHY_WAITING);
    }
    for (uint32_t k = 0; k < x.count && why == NULL; k++) {
        plan_net_place where = {.processor = list.data[x.at[k]]->element.name};
        for (uint32_t q = 1; q < list.len && x.parallel[k];
             q++) { // the next ones, so that not all first helpers are one
            uint32_t helper = (uint32_t)((x.at[k] + q) % list.len);
            if (has_time(&x, helper))
                VEC_PUSH(p->arena, &where.helpers, list.data[helper]->element.name);
        }
        if (where.helpers.len != 0)
            where.least = (int64_t)(PARALLEL_CHUNK / (x.once[k] + 1)) + 1;
        VEC_PUSH(p->arena, &pl->where, where);
    }
    bool waits = runs_one_by_one(p) || p->config->max_latency != 0;
    pl->rounds = waits ? 1 : PLAN_NET_ROUNDS;
    if (list.len > 1)
        plan_remark_net(p, why, x.work, keeps);
    const plan_net_work work = {x.work, x.once};
    return plan_net_offload(p, &work) || why == NULL;
}

const char *plan_net_processor(const plan *pl, uint32_t kernel)
{
    return pl->where.len == 0 ? pl->processor : pl->where.data[kernel].processor;
}
