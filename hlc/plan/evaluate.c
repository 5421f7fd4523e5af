// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a candidate comes to: sizes of buffers, who runs what, queues, addresses, whether all of it fits, and what runs cost.
#include "hlc/plan/evaluate.h"

#include <inttypes.h>
#include <string.h>

#include "hlc/passes/pass.h"
#include "hlc/plan/plan_int.h"
#include "hlc/plan/thresholds.h"
#include "support/numbers.h"

plan_candidate plan_candidate_of(const hlc_program *p)
{
    return (plan_candidate){.cut = p->cut, .strip = p->plan->strip};
}

// ---- Whether it fits ----

// Of a memory of its own, beside buffers: what the kernels that run on a processor take.
static uint64_t bytes_beside(const plan_cut *cut, uint32_t processor)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < cut->kernels.len; i++)
        if (plan_kernel_runs_on(cut, i, processor))
            bytes +=
                plan_footprint_bytes(&cut->kernels.data[i].footprint, &cut->resources->processors.data[processor]) + 64;
    return bytes;
}

// Bytes that channels and queues take of the memory which all processors reach, and what works in it keeps there.
static uint64_t shared_bytes(const plan *pl)
{
    const plan_cut *cut = pl->cut;
    if (cut == NULL)
        return pl->bytes;
    uint64_t unit = plan_cut_slot_unit(cut), bytes = unit; // the first may have to begin so far behind what is given
    for (VEC_EACH(const plan_queue, queue, &cut->queues)) {
        bool slots = plan_queue_step(cut, queue->stream) != 0 && !queue->straight;
        uint64_t slot = (uint64_t)queue->room * plan_queue_item_bytes(cut, queue->stream);
        bytes += (slot + unit - 1) / unit * unit * (uint64_t)(slots ? cut->slots : 1);
    }
    for (uint32_t q = 0; q < cut->resources->processors.len; q++) {
        uint64_t beside = bytes_beside(cut, q);
        bytes += beside != 0 && cut->resources->processors.data[q].direct ? pl->bytes + beside : 0;
    }
    return bytes;
}

const plan_reason *plan_find_room(const hlc_program *p, plan_evaluation *e)
{
    const machine_memory *shared = machine_memory_by_name(p->machine, e->plan->memory);
    for (uint32_t q = 0; e->cut != NULL && q < e->cut->resources->processors.len; q++) {
        const plan_processor *x = &e->cut->resources->processors.data[q];
        e->processor = q;
        if (!x->direct && e->plan->bytes + bytes_beside(e->cut, q) > x->bytes)
            return plan_reason_plain(PLAN_WHY_LOCAL_MEMORY);
    }
    return shared != NULL && shared_bytes(e->plan) > machine_usable(shared) ? plan_reason_plain(PLAN_WHY_SHARED_MEMORY)
                                                                            : NULL;
}

// ---- Evaluation ----

static const plan_reason *assign(const hlc_program *p, const plan_candidate *c, plan_evaluation *e)
{
    plan_cut *cut = e->cut;
    int64_t latency = p->config->max_latency, least = plan_cut_least_strips(e->plan, cut, c->strip);
    if (least > ASSIGN_STRIPS)
        return plan_reason_of(p->arena,
                              (plan_reason){PLAN_WHY_SHORT_ROUND, .names = {e->plan->name}, .counts = {c->strip}});
    if (latency != 0 && least * c->strip > latency)
        return plan_reason_plain(PLAN_WHY_LATE_ROUND);
    plan_assignment round = c->round.where != NULL ? c->round : plan_assign(p, cut, c->strip, least);
    cut->strips = round.strips;
    cut->slots = round.slots;
    cut->rounds = round.rounds;
    cut->where = round.where;
    plan_cut_queues(p->arena, e->plan, cut);
    if (!p->config->no_straight)
        plan_cut_find_straight(p->arena, cut);
    return NULL;
}

plan_evaluation plan_evaluate(hlc_program *p, const plan_candidate *c)
{
    plan_evaluation e = {0};
    if (c->cut != NULL) {
        e.cut = ARENA_NEW(p->arena, plan_cut);
        *e.cut = *c->cut;
        e.cut->where = NULL;
        e.cut->strips = e.cut->slots = e.cut->rounds = 0;
        e.cut->queues.len = 0;
    }
    e.plan = plan_copy(p->arena, p->plan, e.cut);
    e.plan->strip = c->strip;
    e.fails = plan_find_sizes(p->arena, e.plan, p->module, p->schedule);
    if (e.fails == NULL && c->cut != NULL)
        e.fails = assign(p, c, &e);
    if (e.fails != NULL)
        return e;
    plan_assign_addresses(p->arena, e.plan, p->module, p->schedule);
    e.fails = plan_find_room(p, &e);
    if (c->charges == NULL || e.fails != NULL)
        return e;
    e.overhead = plan_overhead(p, c->charges, e.plan);
    return e;
}

// ---- Rounds ----

// Strips of about as many steady states, in whole units of what engines move.
static int64_t whole_units(const hlc_program *p, const plan_cut *cut, int64_t strip)
{
    int64_t most = p->plan->most, granule = plan_cut_granule_of(cut);
    int64_t least = p->config->strip == 0 ? plan_cut_least_strip(p->plan, cut) : granule;
    strip = most != 0 ? number_min(strip, most) : strip;
    least = most != 0 && least > most ? number_max(most / granule, 1) * granule : least;
    return strip < least ? least : strip / granule * granule;
}

// Shorter strips make shorter rounds: a round has as many as hold what the next needs of it.
static int64_t in_time(const hlc_program *p, const plan_cut *cut, int64_t strip)
{
    int64_t granule = plan_cut_granule_of(cut), latency = p->config->max_latency;
    while (latency != 0 && p->config->strip == 0 && strip > granule &&
           plan_cut_least_strips(p->plan, cut, strip) * strip > latency)
        strip = strip / 2 < granule ? granule : strip / 2 / granule * granule;
    return strip;
}

plan_evaluation plan_evaluate_in_time(hlc_program *p, plan_candidate *c)
{
    const int64_t wanted = c->strip;
    for (;;) {
        if (c->cut != NULL)
            c->strip = whole_units(p, c->cut, in_time(p, c->cut, wanted));
        plan_evaluation e = plan_evaluate(p, c);
        bool round = e.fails != NULL && (e.fails->why == PLAN_WHY_SHORT_ROUND || e.fails->why == PLAN_WHY_LATE_ROUND);
        if (!round || c->cut->priming == 0)
            return e;
        c->cut = plan_cut_give_up(p, c->cut);
    }
}

plan_evaluation plan_evaluate_shortest(hlc_program *p, plan_candidate *c)
{
    c->strip = p->config->strip != 0 ? p->config->strip : 1;
    return plan_evaluate_in_time(p, c);
}

int64_t plan_greatest_strip(const hlc_program *p, int64_t greatest)
{
    int64_t processors = p->cut != NULL ? (int64_t)p->cut->resources->processors.len : 1;
    if (p->config->max_latency != 0)
        greatest = number_min(greatest, p->config->max_latency / processors);
    if (p->plan->most != 0)
        greatest = number_min(greatest, p->plan->most);
    return number_max(greatest, 1);
}

void plan_take(hlc_program *p, const plan_evaluation *e)
{
    p->plan = e->plan;
    p->cut = e->cut;
    plan_forget_addresses(p->plan);
}

// ---- Why it fails ----

static void report_late(hlc_program *p, const plan_evaluation *e)
{
    const plan_cut *cut = e->cut;
    int64_t granule = plan_cut_granule_of(cut), strip = p->config->strip != 0 ? e->plan->strip : granule;
    int64_t least = plan_cut_least_strips(e->plan, cut, strip) * strip;
    diag_record *d = diag_error_at(
        p->diag, NULL,
        "--max-latency=%" PRId64 " cannot be kept on %zu processor%s of '%s'%s: the least that can is %" PRId64,
        p->config->max_latency, cut->resources->processors.len, cut->resources->processors.len == 1 ? "" : "s",
        p->machine->name,
        p->config->strip != 0 ? arena_printf(p->arena, " with --strip=%" PRId64, p->config->strip) : "", least);
    diag_add_note(p->diag, d, (src_range){0},
                  granule > 1 && least == granule
                      ? "engines move whole units, which %" PRId64 " steady states make"
                      : "a round of strips has at least the items that are looked at ahead, of which there are %" PRId64
                        " steady states' worth",
                  least);
    if (!plan_cut_move(cut) && cut->resources->processors.len > 1)
        diag_add_note(p->diag, d, (src_range){0},
                      "--processors=1 keeps any, as nothing is moved between processors then");
}

// Of a processor's memory: what its kernel with most beside buffers needs, or what the strip does that was asked for.
static void report_local(hlc_program *p, const plan_evaluation *e)
{
    const plan_cut *cut = e->cut;
    const plan_processor *x = &cut->resources->processors.data[e->processor];
    uint32_t worst = 0;
    uint64_t most = 0;
    for (uint32_t i = 0; i < cut->kernels.len; i++) {
        uint64_t bytes = plan_footprint_bytes(&cut->kernels.data[i].footprint, x);
        if (!plan_kernel_runs_on(cut, i, e->processor) || bytes < most)
            continue;
        most = bytes;
        worst = i;
    }
    const plan_net_kernel *kernel = &cut->graph->kernels.data[worst];
    if (p->config->strip == 0)
        plan_report_no_fit(p->diag, p->sources, cut->graph->whole, kernel->actors.data, kernel->actors.len,
                           &cut->kernels.data[worst].footprint, e->plan->bytes, x);
    else
        diag_error_at(p->diag, NULL,
                      "a strip of %" PRId64 " steady states of '%s' needs %" PRIu64
                      " bytes of memory '%s' of processor '%s', of which %" PRIu64 " can be used: %s",
                      e->plan->strip, e->plan->name, e->plan->bytes + bytes_beside(cut, e->processor),
                      x->memory->element.name, x->processor->element.name, x->bytes,
                      e->plan->strip > plan_cut_granule_of(cut)
                          ? "use a smaller --strip"
                          : "no strip is shorter; --mapping=space has each processor hold some of the program");
}

static void report_shared(hlc_program *p, const plan_evaluation *e)
{
    const machine_memory *memory = machine_memory_by_name(p->machine, e->plan->memory);
    int64_t least = e->cut != NULL ? plan_cut_granule_of(e->cut) : 1;
    diag_error_at(p->diag, NULL,
                  "strips of %" PRId64 " steady states of '%s' need %" PRIu64
                  " bytes of memory '%s', which has %" PRIu64 ": %s",
                  e->plan->strip, e->plan->name, shared_bytes(e->plan), memory->element.name, machine_usable(memory),
                  e->plan->strip > least ? "use a smaller --strip"
                                         : "no strip is shorter; rates with smaller common multiples need less");
}

void plan_report_failure(hlc_program *p, const plan_evaluation *e)
{
    switch (e->fails->why) {
    case PLAN_WHY_LATE_ROUND: report_late(p, e); break;
    case PLAN_WHY_LOCAL_MEMORY: report_local(p, e); break;
    case PLAN_WHY_SHARED_MEMORY: report_shared(p, e); break;
    default: diag_error_at(p->diag, NULL, "%s", plan_reason_text(p->arena, e->fails)); break;
    }
}
