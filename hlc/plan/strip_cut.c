// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Strips of programs on several processors. Where kernels work in memories of their own, the longest strip that fits
// there with its double buffers, state, code and stack, unless a shorter one already costs little to start.
#include <inttypes.h>

#include "hlc/passes/pass.h"
#include "hlc/plan/cut.h"
#include "hlc/plan/footprint.h"
#include "hlc/plan/plan_int.h"
#include "hlc/plan/thresholds.h"

static bool settle(hlc_program *p, int64_t strip)
{
    p->plan->strip = strip;
    return plan_settle(p->arena, p->diag, p->plan, p->module, p->schedule);
}

static int64_t whole_units(hlc_program *p, int64_t strip)
{
    int64_t most = p->plan->most, granule = plan_cut_granule_of(p->cut);
    if (most != 0 && strip > most)
        strip = most;
    int64_t least = p->config->strip == 0 ? plan_cut_least_strip(p) : granule;
    if (most != 0 && least > most)
        least = granule;
    return strip < least ? least : strip / granule * granule;
}

static bool assign(hlc_program *p, int64_t strip)
{
    return settle(p, strip) && plan_cut_assign(p) && settle(p, strip);
}

int64_t plan_cut_latency(const hlc_program *p)
{
    return p->cut->rounds * p->cut->strips * p->plan->strip;
}

// Shorter strips make shorter rounds: a round has as many as hold what the next needs of it.
static int64_t strip_in_time(hlc_program *p, int64_t strip)
{
    int64_t granule = plan_cut_granule_of(p->cut), latency = p->config->max_latency;
    while (latency != 0 && p->cut->priming != 0 && plan_cut_least_round(p, granule) > latency)
        plan_cut_give_up(p);
    while (latency != 0 && p->config->strip == 0 && strip > granule && plan_cut_least_round(p, strip) > latency)
        strip = strip / 2 < granule ? granule : strip / 2 / granule * granule;
    return strip;
}

// Whether --max-latency is kept; else an error.
static bool is_in_time(hlc_program *p)
{
    const plan_cut *cut = p->cut;
    int64_t granule = plan_cut_granule_of(cut), latency = p->config->max_latency;
    if (latency == 0 || plan_cut_latency(p) <= latency)
        return true;
    int64_t least = plan_cut_least_round(p, p->config->strip != 0 ? p->plan->strip : granule);
    diag_record *e = diag_error_at(
        p->diag, NULL,
        "--max-latency=%" PRId64 " cannot be kept on %zu processor%s of '%s'%s: the least that can is %" PRId64,
        latency, cut->resources->processors.len, cut->resources->processors.len == 1 ? "" : "s", p->machine->name,
        p->config->strip != 0 ? arena_printf(p->arena, " with --strip=%" PRId64, p->config->strip) : "", least);
    diag_add_note(p->diag, e, (src_range){0},
                  granule > 1 && least == granule
                      ? "engines move whole units, which %" PRId64 " steady states make"
                      : "a round of strips has at least the items that are looked at ahead, of which there are %" PRId64
                        " steady states' worth",
                  least);
    if (!plan_cut_move(cut) && cut->resources->processors.len > 1)
        diag_add_note(p->diag, e, (src_range){0},
                      "--processors=1 keeps any, as nothing is moved between processors then");
    return false;
}

bool plan_cut_strip(hlc_program *p, int64_t strip)
{
    strip = whole_units(p, strip_in_time(p, strip));
    if (!settle(p, strip))
        return false;
    if (plan_cut_assign(p))
        return settle(p, strip) && is_in_time(p);
    diag_error_at(p->diag, NULL,
                  "channels of '%s' keep more items than a round of strips of %" PRId64
                  " steady states moves: use a larger --strip",
                  p->module->name, strip);
    return false;
}

int64_t plan_cut_greatest(const hlc_program *p, int64_t greatest)
{
    int64_t processors = (int64_t)p->cut->resources->processors.len;
    if (p->config->max_latency != 0 && greatest > p->config->max_latency / processors)
        greatest = p->config->max_latency / processors;
    if (p->plan->most != 0 && greatest > p->plan->most)
        greatest = p->plan->most;
    return greatest < 1 ? 1 : greatest;
}

// ---- What fits ----

typedef struct footprints {
    plan_footprint *of; // per kernel
} footprints;

static footprints find_footprints(hlc_program *p)
{
    const plan_net *graph = p->cut->graph;
    footprints f = {.of = ARENA_ARRAY(p->arena, plan_footprint, graph->kernels.len + 1)};
    for (size_t i = 0; i < graph->kernels.len; i++)
        f.of[i] = plan_footprint_of(p->arena, graph->whole, graph->kernels.data[i].actors.data,
                                    graph->kernels.data[i].actors.len);
    return f;
}

static uint64_t bytes_beside(const hlc_program *p, const footprints *f, uint32_t processor)
{
    const plan_cut *cut = p->cut;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < cut->kernels.len; i++)
        if (plan_kernel_runs_on(cut, i, processor))
            bytes += plan_footprint_bytes(&f->of[i], &cut->resources->processors.data[processor]) + 64;
    return bytes;
}

// The first processor whose memory is too small; all fit: the number of processors.
static uint32_t first_too_small(const hlc_program *p, const footprints *f)
{
    const plan_resources *r = p->cut->resources;
    uint32_t q = 0;
    for (; q < r->processors.len; q++) {
        const plan_processor *x = &r->processors.data[q];
        if (!x->direct && p->plan->bytes + bytes_beside(p, f, q) > x->bytes)
            break;
    }
    return q;
}

// With addresses as 'allocate' gives them.
static bool all_fit(hlc_program *p, const footprints *f)
{
    plan_assign_addresses(p->arena, p->plan, p->module, p->schedule);
    return first_too_small(p, f) == p->cut->resources->processors.len;
}

static bool fits(hlc_program *p, const footprints *f, int64_t strip)
{
    int64_t latency = p->config->max_latency; // kernels are only given up where no shorter strip keeps it
    if (latency != 0 && strip > plan_cut_granule_of(p->cut) && plan_cut_least_round(p, strip) > latency)
        return false;
    return assign(p, strip) && all_fit(p, f);
}

bool plan_cut_shortest(hlc_program *p)
{
    int64_t strip = whole_units(p, strip_in_time(p, p->config->strip != 0 ? p->config->strip : 1));
    int64_t latency = p->config->max_latency;
    uint32_t least, most;
    if (!settle(p, strip))
        return false;
    plan_cut_strips(p, &least, &most);
    if (least == 0 && p->config->strip == 0 && p->plan->most != 0)
        strip = whole_units(p, p->plan->most);
    if (latency != 0 && strip > plan_cut_granule_of(p->cut) && plan_cut_least_round(p, strip) > latency)
        return false; // a shorter strip may keep it
    return assign(p, strip);
}

bool plan_cut_shortest_fit(hlc_program *p)
{
    footprints f = find_footprints(p);
    bool fit = plan_cut_shortest(p) && all_fit(p, &f);
    plan_forget_addresses(p->plan);
    return fit;
}

bool plan_cut_fit(hlc_program *p)
{
    footprints f = find_footprints(p);
    const plan_resources *r = p->cut->resources;
    uint32_t q = first_too_small(p, &f);
    if (q == r->processors.len)
        return true;
    const plan_processor *x = &r->processors.data[q];
    diag_error_at(p->diag, NULL,
                  "a strip of %" PRId64 " steady states of '%s' needs %" PRIu64
                  " bytes of memory '%s' of processor '%s', of which %" PRIu64 " can be used: %s",
                  p->plan->strip, p->plan->name, p->plan->bytes + bytes_beside(p, &f, q), x->memory->element.name,
                  x->processor->element.name, x->bytes,
                  p->plan->strip > plan_cut_granule_of(p->cut)
                      ? "use a smaller --strip"
                      : "no strip is shorter; --mapping=space has each processor hold some of the program");
    return false;
}

bool plan_cut_adopt(hlc_program *p, uint32_t strips, uint32_t *where)
{
    for (uint32_t i = 0; i < p->cut->kernels.len; i++)
        for (uint32_t k = 0; k < strips; k++)
            if (!plan_kernel_may_run_on(p->cut, i, where[i * strips + k]))
                return false;
    const plan_cut *cut = p->cut;
    const plan_assignment old = {cut->strips, cut->slots, cut->rounds, cut->where},
                          now = {strips, cut->slots, cut->rounds, where};
    plan_cut_take(p, &now);
    footprints f = find_footprints(p);
    if (settle(p, p->plan->strip) && all_fit(p, &f))
        return true;
    plan_cut_take(p, &old);
    settle(p, p->plan->strip);
    return false;
}

static void report(hlc_program *p, const footprints *f)
{
    const plan_cut *cut = p->cut;
    uint32_t q = first_too_small(p, f), worst = 0;
    uint64_t most = 0;
    if (q == cut->resources->processors.len)
        return;
    const plan_processor *x = &cut->resources->processors.data[q];
    for (uint32_t i = 0; i < cut->kernels.len; i++) {
        uint64_t bytes = plan_footprint_bytes(&f->of[i], x);
        if (!plan_kernel_runs_on(cut, i, q) || bytes < most)
            continue;
        most = bytes;
        worst = i;
    }
    const plan_net_kernel *kernel = &cut->graph->kernels.data[worst];
    plan_report_no_fit(p->diag, p->sources, cut->graph->whole, kernel->actors.data, kernel->actors.len, &f->of[worst],
                       p->plan->bytes, NULL, x);
}

// Seconds that a strip costs beside its work: its kernels' starts or, as engines work beside kernels, those of the transfers
// to or from its windows.
static double start_seconds(const hlc_program *p)
{
    const plan_cut *cut = p->cut;
    const plan_processor *q = &cut->resources->processors.data[0];
    double kernels = plan_start_seconds(q->processor) * (double)cut->kernels.len, loads = 0, stores = 0;
    for (VEC_EACH(const plan_stream, st, &cut->graph->streams)) {
        loads += st->to == SIR_NONE || q->load == NULL ? 0 : plan_start_seconds(q->load);
        stores += st->from == SIR_NONE || q->store == NULL ? 0 : plan_start_seconds(q->store);
    }
    double transfers = q->load == q->store ? loads + stores : loads > stores ? loads : stores;
    return kernels > transfers ? kernels : transfers;
}

// About as long a strip of which whole lines are moved, NOTE(lines) in assign.c; else the strip itself.
static int64_t in_lines(hlc_program *p, const footprints *f, int64_t strip, int64_t most)
{
    int64_t granule = plan_cut_lines_granule(p->cut, most);
    if (strip % granule == 0 || p->config->max_latency != 0)
        return strip;
    int64_t shorter = strip / granule * granule;
    if (shorter < strip - strip / STRIP_SHORTER)
        shorter = granule <= most && granule <= STRIP_LONGER * strip ? (strip / granule + 1) * granule : strip;
    return shorter != strip && shorter <= most && whole_units(p, shorter) == shorter && fits(p, f, shorter) ? shorter
                                                                                                            : strip;
}

int64_t plan_cut_longest(hlc_program *p)
{
    footprints f = find_footprints(p);
    int64_t granule = whole_units(p, 1), most = plan_cut_greatest(p, STRIP_MOST);
    double enough = STRIP_STARTS * start_seconds(p) / (plan_steady_seconds(p) + 1e-12) + 2 * (double)p->cut->priming;
    const plan_lane_use lanes = plan_lane_use_of(p);
    int64_t best = granule;
    if (!fits(p, &f, granule)) {
        if (!diag_has_errors(p->diag))
            report(p, &f);
        return 0;
    }
    int64_t too_long = 0;
    while (too_long == 0 && ((double)best < enough || plan_lanes_wasted(&lanes, best) > STRIP_WASTE) &&
           2 * best <= most)
        if (fits(p, &f, 2 * best))
            best *= 2;
        else
            too_long = 2 * best;
    for (int step = 0; step < 4 && (double)best < enough && too_long - best > granule; step++) {
        int64_t middle = (best + too_long) / 2 / granule * granule;
        if (fits(p, &f, middle))
            best = middle;
        else
            too_long = middle;
    }
    return in_lines(p, &f, best, most);
}
