// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// strip-mine: how many steady states a run of the kernels covers. Long strips spread the cost of starting kernels and
// of moving what channels keep over more steady states; short ones keep the channels in the near caches and let output
// appear soon. Where kernels work in memories of their own, the longest strip that fits there with its windows, state, code and
// stack, unless a shorter one already costs little to start. Then the mapping search may assign it otherwise.
#include <inttypes.h>

#include "hlc/passes/pass.h"
#include "hlc/plan/bit_lanes.h"
#include "hlc/plan/evaluate.h"
#include "hlc/plan/plan_int.h"
#include "hlc/plan/threads.h"
#include "hlc/plan/thresholds.h"
#include "support/numbers.h"

// Cycles that count items when they run and print cannot mark the steady states of a longer strip.
static bool must_be_single(const hlc_program *p)
{
    if (!plan_several_print(p->module) || p->net != NULL)
        return false;
    for (VEC_EACH(plan_kernel, k, &p->plan->kernels))
        for (VEC_EACH(plan_item, item, &k->items))
            for (size_t i = 0; item->cycle >= 0 && item->steps.len == 0 && i < item->stages.len; i++)
                if (sir_prints(p->module->actors.data[item->stages.data[i].actor]))
                    return true;
    return false;
}

static plan_evaluation with_strip(hlc_program *p, plan_candidate c, int64_t strip)
{
    c.strip = strip;
    return plan_evaluate(p, &c);
}

// ---- Where windows are moved ----

// About as long a strip of which whole lines are moved, NOTE(lines) in queues.c; else the strip itself.
static int64_t in_lines(hlc_program *p, const plan_candidate *c, int64_t strip, int64_t granule, int64_t most)
{
    int64_t lines = plan_cut_lines_granule(c->cut, most);
    if (strip % lines == 0 || p->config->max_latency != 0)
        return strip;
    int64_t other = strip / lines * lines;
    if (other < strip - strip / STRIP_SHORTER)
        other = lines <= most && lines <= STRIP_LONGER * strip ? (strip / lines + 1) * lines : strip;
    bool may = other != strip && other <= most && other >= granule && other % plan_cut_granule_of(c->cut) == 0;
    return may && with_strip(p, *c, other).fails == NULL ? other : strip;
}

// The longest strip that fits, unless a shorter one costs little to start and fills the lanes of vectors; c->strip.
static void find_longest(hlc_program *p, plan_candidate *c)
{
    const int64_t most = plan_greatest_strip(p, STRIP_MOST);
    c->strip = 1;
    if (plan_evaluate_in_time(p, c).fails != NULL)
        return;
    const int64_t granule = c->strip;
    const double enough = STRIP_STARTS * c->charges->starts / (c->charges->work + 1e-12) + 2 * (double)c->cut->priming;
    int64_t best = granule, too_long = 0;
    while (too_long == 0 && ((double)best < enough || plan_lanes_wasted(p, c->cut, best) > STRIP_WASTE) &&
           2 * best <= most)
        if (with_strip(p, *c, 2 * best).fails == NULL)
            best *= 2;
        else
            too_long = 2 * best;
    for (int step = 0; step < 4 && (double)best < enough && too_long - best > granule; step++) {
        int64_t middle = (best + too_long) / 2 / granule * granule;
        *(with_strip(p, *c, middle).fails == NULL ? &best : &too_long) = middle;
    }
    c->strip = in_lines(p, c, best, granule, most);
}

// ---- Where kernels work in the memory that all reach ----

// Items that a stream which a file is read to passes on in a steady state, as far as they are known.
static int64_t items_read(const hlc_program *p, const plan_stream *st)
{
    const int64_t given = p->net->whole_schedule->reps[p->net->whole->channels.data[st->channel].producer];
    return number_max(given, st->reader == SIR_NONE ? 1 : p->schedule->reps[st->reader]);
}

// Bytes of a net's blocks and streams. What is read for a strip is in a stream, all of it, before the kernels run that steady
// states pace, and was in the reader's hands.
static double net_bytes(const hlc_program *p, const plan *pl)
{
    double bytes = (double)pl->bytes;
    for (size_t i = 0; i < pl->capacities.len; i++) {
        const plan_stream *st = &pl->net->streams.data[i];
        int64_t items = pl->capacities.data[i];
        if (st->from == SIR_NONE) {
            const int64_t read = items_read(p, st) * pl->strip;
            items = read + number_max(items, read);
        }
        bytes += (double)items * (double)plan_element_bytes(pl->net->whole, st->channel);
    }
    return bytes;
}

// What streams pass on is copied to them and from them, beside files' own copies, so that a net on one processor leaves room for
// these in the second cache. first: bytes of the shortest strips, 0 for these.
static bool is_near(const hlc_program *p, const plan_candidate *c, const plan *pl, double first)
{
    const machine_processor *kernel = c->charges->kernel;
    if (p->net == NULL || pl->where.len != 0 || kernel->caches.len < 2 || first == 0)
        return true;
    double second = (double)p->machine->memories.data[kernel->caches.data[1].index].size, bytes = net_bytes(p, pl);
    return bytes <= NET_CACHE_SHARE * second || bytes <= 2 * first;
}

static int64_t choose_strip(hlc_program *p, const plan_candidate *c)
{
    const int64_t greatest = plan_greatest_strip(p, STRIP_STEADY_STATES), threads = plan_threads_strip(p);
    int64_t best = 1;
    double least = 0, first = 0;
    for (int64_t n = 1; n <= greatest; n *= 2) {
        if (n > 1 && (((double)n * c->charges->operations > STRIP_OPERATIONS && n / 2 >= threads) ||
                      c->charges->moved * (double)n / 2 > (double)STRIP_BYTES))
            break;
        plan_evaluation e = with_strip(p, *c, n);
        if (e.fails != NULL && e.fails->why == PLAN_WHY_SHORT_ROUND)
            continue;
        if (e.fails != NULL || !is_near(p, c, e.plan, first))
            break;
        if (least == 0 && p->net != NULL)
            first = net_bytes(p, e.plan);
        if (least == 0 || e.overhead < 0.98 * least || n / 2 < threads) {
            best = n;
            least = e.overhead;
        }
        if (e.overhead > 4 * least || e.plan->bytes > STRIP_BYTES)
            break;
    }
    return best;
}

// Firings side by side that fill vectors, or are done at once; 0: they go one by one.
static int64_t lanes_of(hlc_program *p, const machine_processor *kernel, uint32_t actor)
{
    const sir_actor *a = p->module->actors.data[actor];
    if (a->kind == SIR_FILTER && a->filter->ahead != NULL && p->config->fast_math)
        return PLAN_AHEAD_CALLS * (a->filter->ahead->push.max / a->filter->work->push.max);
    int64_t bits = plan_bit_firings(p, kernel, a);
    return bits != 0 ? bits : plan_runs_in_lanes(p, actor) ? PLAN_LANES : 0;
}

// Steady states that give all filters whose firings go side by side enough of them, if the channels then fit the second
// cache: firings one by one cost more than it does.
static int64_t fill_lanes(hlc_program *p, const plan_candidate *c, int64_t strip)
{
    const machine_processor *kernel = c->charges->kernel;
    int64_t wanted = strip;
    if (p->net != NULL || kernel->caches.len < 2)
        return strip;
    for (VEC_EACH(plan_kernel, k, &p->plan->kernels))
        for (VEC_EACH(plan_item, item, &k->items))
            for (VEC_EACH(plan_stage, st, &item->stages))
                if (st->kind == PLAN_FIRE)
                    wanted = number_max(wanted, number_divide_up(lanes_of(p, kernel, st->actor),
                                                                 number_max(p->schedule->reps[st->actor], 1)));
    if (p->plan->most == TRANSPOSE_LEAST) // lanes are steady states
        wanted = number_max(wanted, p->plan->most);
    if (p->plan->most != 0)
        wanted = number_min(wanted, p->plan->most);
    if (p->config->max_latency != 0)
        wanted = number_min(wanted, p->config->max_latency);
    if (wanted == strip)
        return strip;
    plan_evaluation e = with_strip(p, *c, wanted);
    uint64_t cache = p->machine->memories.data[kernel->caches.data[1].index].size;
    return e.fails == NULL && 2 * e.plan->bytes <= cache ? wanted : strip;
}

// ---- The pass ----

static void find_strip(hlc_program *p, plan_candidate *c)
{
    if (p->cut != NULL && plan_cut_move(p->cut)) {
        find_longest(p, c);
        return;
    }
    c->strip = fill_lanes(p, c, choose_strip(p, c));
    if (p->plan->where.len != 0 && p->plan->rounds > 1)
        c->strip = number_min(c->strip, STRIP_NET);
    if (p->config->opt_level == 0)
        c->strip = number_min(c->strip, STRIP_PLAIN);
}

// What is asked for, or can be alone; 0: any.
static int64_t given_strip(hlc_program *p)
{
    bool single = must_be_single(p);
    if (single && p->config->strip > 1)
        diag_warning(p->diag, WARN_STRIP, (src_range){0},
                     "a strip is one steady state here: a feedback loop that prints has no inner schedule");
    int64_t strip = single ? 1 : p->config->strip;
    if (p->plan->most == 0 || strip <= p->plan->most)
        return strip;
    diag_warning(p->diag, WARN_STRIP, (src_range){0},
                 "a strip is %" PRId64 " steady states here: the layout of the buffers has room for no more",
                 p->plan->most);
    return p->plan->most;
}

// Bytes that files bring in a steady state of a program whose kernels are joined by streams.
static double bytes_read(const hlc_program *p)
{
    const sir_module *m = p->net->whole;
    double bytes = 0;
    for (uint32_t i = 0; i < m->actors.len; i++)
        if (m->actors.data[i]->kind == SIR_READER)
            bytes += (double)p->net->whole_schedule->reps[i] *
                     (double)plan_element_bytes(m, m->actors.data[i]->outputs.data[0]);
    return bytes;
}

// Strips that sources run on before the control program waits for all kernels: short ones are more.
static int64_t choose_rounds(const hlc_program *p)
{
    int64_t rounds = PLAN_NET_ROUNDS, strip = p->plan->strip;
    double bytes = bytes_read(p);
    while (bytes > 0 && 2 * rounds * strip <= STRIP_NET && 2 * rounds <= PLAN_NET_MOST_ROUNDS &&
           2 * bytes * (double)(rounds * strip) <= NET_ROUND_BYTES)
        rounds *= 2;
    return rounds;
}

bool plan_pass_strip_mine(hlc_program *p)
{
    int64_t before = p->plan->strip;
    if (p->config->max_latency != 0 && p->config->strip > p->config->max_latency) {
        diag_error_at(p->diag, NULL,
                      "--strip=%" PRId64 " contradicts --max-latency=%" PRId64
                      ": a strip is taken in whole before its output is written",
                      p->config->strip, p->config->max_latency);
        return false;
    }
    const plan_charges charges = plan_charges_of(p);
    plan_candidate c = {.cut = p->cut, .strip = given_strip(p), .charges = &charges};
    if (c.strip == 0)
        find_strip(p, &c);
    plan_evaluation e = plan_evaluate_in_time(p, &c);
    if (e.fails == NULL && c.cut != NULL) {
        const plan_cut *paying = plan_cut_paying(p, c.cut, e.cut->strips * e.plan->strip);
        if (paying != c.cut) {
            c.cut = paying;
            e = plan_evaluate_in_time(p, &c);
        }
    }
    e = plan_search(p, &c, e);
    if (e.fails != NULL) {
        plan_report_failure(p, &e);
        return false;
    }
    plan_take(p, &e);
    if (p->plan->where.len != 0 && p->plan->rounds > 1)
        p->plan->rounds = p->config->strip == 0 && p->config->opt_level != 0 ? choose_rounds(p) : PLAN_NET_ROUNDS;
    bool offloads = false;
    for (VEC_EACH(const plan_net_place, where, &p->plan->where))
        offloads |= where->offload.len != 0;
    if (offloads && !plan_net_settle_offloads(p)) { // some stay after all
        e = plan_evaluate(p, &c);
        plan_take(p, &e);
    }
    plan_remark_strip_mine(p);
    return p->plan->strip != before || p->cut != NULL || offloads;
}
