// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the planning passes say for --remarks: what was done, what was not, with the places in the source.
#include <inttypes.h>

#include "hlc/passes/pass.h"
#include "hlc/plan/plan_int.h"

static src_range actor_range(const hlc_program *p, uint32_t actor)
{
    return sir_range(p->module, p->sources, p->module->actors.data[actor]->loc);
}

void plan_remark_bits(const hlc_program *p)
{
    if (p->diag->remarks && p->module->other_bit.file != 0)
        diag_remark(
            p->diag, sir_range(p->module, p->sources, p->module->other_bit),
            "items of type bit take 4 bytes instead of 1, since this item is not known to be 0 or 1; '& 1' would "
            "make it so [map]");
}

// Stages that copy for each splitter, joiner or identity.
static uint32_t *count_copies(const hlc_program *p)
{
    uint32_t *copies = ARENA_ARRAY(p->arena, uint32_t, p->module->actors.len + 1);
    for (VEC_EACH(plan_kernel, k, &p->plan->kernels))
        for (VEC_EACH(plan_item, item, &k->items))
            for (VEC_EACH(plan_stage, st, &item->stages))
                if (st->kind == PLAN_COPY)
                    copies[st->actor]++;
    return copies;
}

void plan_remark_sync_elim(hlc_program *p)
{
    if (!p->diag->remarks)
        return;
    uint32_t *copies = count_copies(p);
    for (uint32_t i = 0; i < p->module->actors.len; i++) {
        const sir_actor *a = p->module->actors.data[i];
        const char *what = a->kind == SIR_SPLIT ? "splitter" : a->kind == SIR_JOIN ? "joiner" : "identity filter";
        if (a->kind != SIR_SPLIT && a->kind != SIR_JOIN && !(a->kind == SIR_FILTER && a->filter->identity))
            continue;
        if (copies[i] == 0)
            diag_remark(p->diag, actor_range(p, i),
                        "%s '%s' is gone: its neighbours read and write its items where they lie [sync-elim]", what,
                        a->name);
        else
            diag_remark(p->diag, actor_range(p, i),
                        "%s '%s' copies (%" PRIu32 " of its ports): the items of its neighbours' firings do not lie at "
                        "constant distances there, or reading them "
                        "scattered costs more than a copy [sync-elim]",
                        what, a->name, copies[i]);
    }
}

void plan_remark_layout(hlc_program *p, size_t buffers, int64_t steady_states)
{
    if (p->diag->remarks && buffers != 0)
        diag_remark(p->diag, sir_range(p->module, p->sources, p->module->regions.data[0].loc),
                    "%zu buffers hold equal items of up to %" PRId64
                    " steady states side by side, so that stages walk in steps of one [sync-elim]",
                    buffers, steady_states);
}

void plan_remark_coalesce(hlc_program *p)
{
    for (VEC_EACH(plan_kernel, k, &p->plan->kernels))
        for (VEC_EACH(plan_item, item, &k->items)) {
            if (!p->diag->remarks || item->cycle < 0 || item->stages.len == 0)
                continue;
            src_range r = actor_range(p, item->stages.data[0].actor);
            if (item->steps.len != 0)
                diag_remark(p->diag, r,
                            "the feedback loop of %zu stages has an inner schedule of %" PRId64
                            " steady states [coalesce]",
                            item->stages.len, item->block);
            else
                diag_remark(p->diag, r,
                            "the feedback loop of %zu stages runs in rounds, each stage as often as its input allows: "
                            "no static inner schedule was found [coalesce]",
                            item->stages.len);
        }
}

void plan_remark_fuse(hlc_program *p)
{
    if (!p->diag->remarks)
        return;
    for (VEC_EACH(plan_kernel, k, &p->plan->kernels)) {
        size_t stages = 0;
        for (VEC_EACH(plan_item, item, &k->items)) {
            stages += item->stages.len;
            for (VEC_EACH(plan_stage, st, &item->stages))
                if (st->others.len != 0)
                    diag_remark(p->diag, actor_range(p, st->actor),
                                "%zu equal branches became one stage, first '%s' [fuse]", plan_stage_members(st),
                                p->module->actors.data[st->actor]->name);
        }
        src_range r = sir_range(p->module, p->sources, p->module->regions.data[k->region].loc);
        diag_remark(p->diag, r, "%zu stages became kernel '%s' [fuse]", stages, k->name);
    }
}

// ---- Strips and memories ----

static src_range program_range(const hlc_program *p)
{
    return sir_range(p->module, p->sources, p->module->regions.data[0].loc);
}

// Where buffers lie.
static const char *memory_name(const hlc_program *p)
{
    return p->cut != NULL ? p->cut->resources->processors.data[0].memory->element.name : p->plan->memory;
}

static int64_t latency_of(const hlc_program *p)
{
    return p->cut != NULL ? p->cut->rounds * p->cut->strips * p->plan->strip : p->plan->strip;
}

static const char *ordinal_ending(int64_t n)
{
    if (n % 100 / 10 == 1 || n % 10 == 0 || n % 10 > 3)
        return "th";
    return n % 10 == 1 ? "st" : n % 10 == 2 ? "nd" : "rd";
}

void plan_remark_allocate(hlc_program *p)
{
    const plan *pl = p->plan;
    if (p->diag->remarks)
        diag_remark(p->diag, program_range(p),
                    "buffers take %" PRIu64 " bytes of '%s', and no layout less than %" PRIu64
                    ": ratio %.3f [allocate]",
                    pl->bytes, memory_name(p), pl->least_bytes,
                    pl->least_bytes > 0 ? (double)pl->bytes / (double)pl->least_bytes : 1);
}

// ---- Kernels ----

static src_range whole_range(const hlc_program *p, uint32_t actor)
{
    const sir_module *whole = p->cut->graph->whole;
    return sir_range(whole, p->sources, whole->actors.data[actor]->loc);
}

static const char *whole_name(const hlc_program *p, uint32_t actor)
{
    return p->cut->graph->whole->actors.data[actor]->name;
}

// "the kernel of 3 actors from 'Smooth' on"
static const char *kernel_text(const hlc_program *p, size_t kernel)
{
    const plan_net_kernel *of = &p->cut->graph->kernels.data[kernel];
    return arena_printf(p->arena, "the kernel of %zu actor%s from '%s' on", of->actors.len,
                        of->actors.len == 1 ? "" : "s", whole_name(p, of->actors.data[0]));
}

static size_t processors_of(const plan_cut *cut, size_t kernel)
{
    size_t count = 0;
    for (uint32_t q = 0; q < cut->resources->processors.len; q++)
        count += plan_kernel_runs_on(cut, (uint32_t)kernel, q);
    return count;
}

static const char *processor_name(const plan_cut *cut, uint32_t number)
{
    return cut->resources->processors.data[number].processor->element.name;
}

void plan_remark_map(hlc_program *p)
{
    const plan_cut *cut = p->cut;
    if (!p->diag->remarks)
        return;
    if (cut == NULL) {
        diag_remark(p->diag, program_range(p), "all kernels run on '%s'%s, with their buffers in '%s' [map]",
                    p->plan->processor, p->net != NULL ? " or others that work in its memory" : "", p->plan->memory);
        return;
    }
    double all = 0;
    for (VEC_EACH(const plan_cut_kernel, kernel, &cut->kernels))
        all += kernel->seconds;
    for (size_t i = 0; i < cut->kernels.len; i++)
        diag_remark(p->diag, whole_range(p, cut->graph->kernels.data[i].actors.data[0]),
                    "%s is one of %zu for %zu processor%s: about %.3g %% of all work [map]", kernel_text(p, i),
                    cut->kernels.len, cut->resources->processors.len, cut->resources->processors.len == 1 ? "" : "s",
                    all > 0 ? 100 * cut->kernels.data[i].seconds / all : 0);
}

void plan_remark_net(hlc_program *p, const plan_reason *why, const double *work, const plan_reason *const *keeps)
{
    const plan_net *net = p->net;
    if (!p->diag->remarks)
        return;
    if (why != NULL) {
        diag_remark(p->diag, program_range(p), "all kernels stay on '%s': %s [fiss]", p->plan->processor,
                    plan_reason_text(p->arena, why));
        return;
    }
    double all = 0;
    for (size_t i = 0; i < net->kernels.len; i++)
        all += work[i];
    for (uint32_t i = 0; i < net->kernels.len; i++) {
        const sir_actor *first = net->whole->actors.data[net->kernels.data[i].actors.data[0]];
        bool dynamic = net->kernels.data[i].dynamic;
        const char *what = dynamic ? arena_printf(p->arena, "'%s'", first->name)
                                   : arena_printf(p->arena, "the static region of '%s'", first->name);
        const plan_net_place *where = &p->plan->where.data[i];
        size_t helpers = where->helpers.len;
        const char *others = helpers == 0 ? "" : arena_printf(p->arena, " and, data-parallel, %zu others", helpers);
        const char *why_alone = dynamic || keeps[i] == NULL ? "" : "; it is not data-parallel, since ";
        diag_remark(p->diag, sir_range(net->whole, p->sources, first->loc),
                    "%s runs on '%s'%s: about %.3g %% of all work%s%s [fiss]", what, where->processor, others,
                    all > 0 ? 100 * work[i] / all : 0, why_alone,
                    dynamic || keeps[i] == NULL ? "" : plan_reason_text(p->arena, keeps[i]));
    }
}

static const char *others_of(hlc_program *p, const plan_names *names)
{
    const char *first = names->data[0];
    return names->len == 1
               ? arena_printf(p->arena, "'%s'", first)
               : arena_printf(p->arena, "'%s' and %zu other%s", first, names->len - 1, names->len == 2 ? "" : "s");
}

static const sir_actor *first_of(const hlc_program *p, uint32_t kernel)
{
    return p->net->whole->actors.data[p->net->kernels.data[kernel].actors.data[0]];
}

void plan_remark_offload(hlc_program *p, const plan_reason *const *stays)
{
    for (uint32_t k = 0; k < p->net->kernels.len && p->diag->remarks; k++) {
        const sir_actor *first = first_of(p, k);
        const plan_net_place *where = p->plan->where.len == 0 ? NULL : &p->plan->where.data[k];
        if (stays[k] != NULL)
            diag_remark(p->diag, sir_range(p->net->whole, p->sources, first->loc),
                        "the static region of '%s' is not offloaded: %s [fiss]", first->name,
                        plan_reason_text(p->arena, stays[k]));
        else if (where != NULL && where->offload.len != 0)
            diag_remark(p->diag, sir_range(p->net->whole, p->sources, first->loc),
                        "the static region of '%s' is offloaded to %s, in runs of %" PRId64
                        " steady states or more [fiss]",
                        first->name, others_of(p, &where->offload), where->least);
    }
}

void plan_remark_strips(hlc_program *p, uint32_t kernel)
{
    const sir_actor *first = first_of(p, kernel);
    const plan_net_place *where = &p->plan->where.data[kernel];
    if (p->diag->remarks)
        diag_remark(p->diag, sir_range(p->net->whole, p->sources, first->loc),
                    "the static region of '%s' is offloaded in strips of up to %" PRId64
                    " steady states, with %s for each window [strip-mine]",
                    first->name, where->strip, where->turns == 1 ? "one block" : "two blocks");
}

void plan_remark_stay(hlc_program *p, uint32_t kernel, const plan_reason *why)
{
    const sir_actor *first = first_of(p, kernel);
    if (p->diag->remarks)
        diag_remark(p->diag, sir_range(p->net->whole, p->sources, first->loc),
                    "the static region of '%s' is not offloaded after all: %s [strip-mine]", first->name,
                    plan_reason_text(p->arena, why));
}

// Other actors that alone would keep the kernel on one processor.
static void remark_pinned(hlc_program *p, size_t kernel)
{
    const plan_net *graph = p->cut->graph;
    for (uint32_t i = 0; i < graph->module->actors.len; i++) {
        uint32_t actor = graph->actor_of[i];
        bool other =
            actor != SIR_NONE && graph->kernel_of[i] == kernel && actor != p->cut->kernels.data[kernel].pinned_by;
        const plan_reason *why = other ? p->cut->record->of[actor].keeps : NULL;
        if (why != NULL)
            diag_remark(p->diag, whole_range(p, actor), "so does '%s': it %s [fiss]", whole_name(p, actor),
                        plan_reason_text(p->arena, why));
    }
}

void plan_remark_fiss(hlc_program *p)
{
    const plan_cut *cut = p->cut;
    for (size_t i = 0; i < cut->kernels.len && p->diag->remarks; i++) {
        const plan_cut_kernel *kernel = &cut->kernels.data[i];
        if (!kernel->parallel) {
            diag_remark(p->diag, whole_range(p, kernel->pinned_by), "%s stays on one processor: '%s' %s [fiss]",
                        kernel_text(p, i), whole_name(p, kernel->pinned_by), plan_reason_text(p->arena, kernel->why));
            remark_pinned(p, i);
            continue;
        }
        size_t processors = cut->where != NULL ? processors_of(cut, i) : cut->resources->processors.len;
        src_range at = whole_range(p, cut->graph->kernels.data[i].actors.data[0]);
        if (kernel->priming == 0)
            diag_remark(p->diag, at,
                        "%s is free of state: its strips run on %zu processor%s, and nothing is done twice [fiss]",
                        kernel_text(p, i), processors, processors == 1 ? "" : "s");
        else if (cut->where == NULL)
            diag_remark(
                p->diag, at,
                "%s is free of state: its strips may run on %zu processors, and the first of each chunk repeats "
                "%" PRId64 " steady states; the shortest strips are too short for that [fiss]",
                kernel_text(p, i), processors, kernel->priming);
        else
            diag_remark(p->diag, at,
                        "%s is free of state: its strips run on %zu processor%s, and the first of each chunk repeats "
                        "%" PRId64
                        " steady states; what that adds to its work depends on how long strips become [fiss]",
                        kernel_text(p, i), processors, processors == 1 ? "" : "s", kernel->priming);
    }
}

static uint64_t divide_up(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

// Transfers that each processor needs for so many bytes, at most.
static uint64_t transfers(const plan_cut *cut, uint64_t bytes)
{
    uint64_t most = 1;
    for (VEC_EACH(const plan_processor, q, &cut->resources->processors))
        if (!q->direct && q->largest_transfer != MACHINE_UNBOUNDED && divide_up(bytes, q->largest_transfer) > most)
            most = divide_up(bytes, q->largest_transfer);
    return most;
}

static void remark_engines(hlc_program *p, const plan_processor *q, size_t alike)
{
    const char *load = q->load->element.name, *store = q->store->element.name, *local = q->memory->element.name;
    const char *most = q->largest_transfer == MACHINE_UNBOUNDED
                           ? "of any length"
                           : arena_printf(p->arena, "of %" PRIu64 " bytes at most", q->largest_transfer);
    const char *others = alike == 1 ? "" : arena_printf(p->arena, ", and so with %zu processors like it", alike - 1);
    const char *way =
        load == store ? arena_printf(p->arena, "'%s' moves items to '%s' and away", load, local)
                      : arena_printf(p->arena, "'%s' moves items to '%s' and '%s' moves them away", load, local, store);
    diag_remark(p->diag, program_range(p), "%s, in whole units of %" PRIu64 " byte%s, %s a transfer%s [transfer]", way,
                q->transfer_alignment, q->transfer_alignment == 1 ? "" : "s", most, others);
}

void plan_remark_transfer(hlc_program *p)
{
    const plan_cut *cut = p->cut;
    if (!p->diag->remarks)
        return;
    bool offloads = false;
    for (VEC_EACH(const plan_net_place, where, &p->plan->where))
        offloads |= where->offload.len != 0;
    if (offloads)
        diag_remark(
            p->diag, program_range(p),
            "engines move windows of the static regions that are offloaded; other kernels work on what lies in '%s' "
            "themselves [transfer]",
            p->plan->memory);
    if (offloads)
        return;
    if (cut == NULL || !plan_cut_move(cut)) {
        diag_remark(p->diag, program_range(p),
                    "nothing is moved: kernels work on what lies in '%s' themselves [transfer]", p->plan->memory);
        return;
    }
    size_t *alike = ARENA_ARRAY(p->arena, size_t, cut->resources->kinds + 1);
    for (VEC_EACH(const plan_processor, q, &cut->resources->processors))
        alike[q->kind]++;
    for (VEC_EACH(const plan_processor, q, &cut->resources->processors)) {
        if (!q->direct && alike[q->kind] != 0)
            remark_engines(p, q, alike[q->kind]);
        alike[q->kind] = 0;
    }
    if (cut->streams)
        diag_remark(p->diag, program_range(p),
                    "items move through streams while kernels run: %" PRIu32
                    " windows an end, one of which kernels work on [transfer]",
                    cut->depth);
    else if (cut->depth > 1)
        diag_remark(p->diag, program_range(p), "two windows an end: one is moved while the other is in use [transfer]");
    else
        diag_remark(p->diag, program_range(p),
                    "one window an end, moved before and after each run: not even a strip of %" PRId64
                    " steady states fits '%s' with two [transfer]",
                    p->plan->strip, memory_name(p));
}

// How the windows of each queue are moved.
static void remark_windows(hlc_program *p)
{
    const plan_net *graph = p->cut->graph;
    for (uint32_t i = 0; i < p->plan->buffers.len; i++) {
        uint32_t end = plan_end_of(p->plan, p->module, i);
        if (end == PLAN_NONE)
            continue;
        const plan_stream *st = &graph->streams.data[graph->stream_of[end]];
        uint64_t bytes = plan_buffer_bytes(&p->plan->buffers.data[i], p->module), count = transfers(p->cut, bytes);
        diag_remark(p->diag, whole_range(p, graph->whole->channels.data[st->channel].producer),
                    "%s '%s' is a window of %" PRIu64 " bytes: %" PRIu64 " transfer%s [strip-mine]",
                    st->reader == end ? "what a run reads of" : "what a run writes to", st->name, bytes, count,
                    count == 1 ? "" : "s");
    }
}

// Which queues between kernels do not pass the shared memory.
static void remark_straight(hlc_program *p)
{
    const plan_cut *cut = p->cut;
    for (VEC_EACH(const plan_queue, queue, &cut->queues)) {
        const plan_stream *st = &cut->graph->streams.data[queue->stream];
        src_range at = whole_range(p, cut->graph->whole->channels.data[st->channel].producer);
        if (queue->straight)
            diag_remark(p->diag, at, "windows of '%s' go straight from '%s' to '%s', by '%s' [strip-mine]", st->name,
                        processor_name(cut, cut->where[(size_t)st->from * cut->strips]),
                        processor_name(cut, cut->where[(size_t)st->to * cut->strips]),
                        plan_straight_engine(cut, queue)->element.name);
        else if (queue->passes != NULL)
            diag_remark(p->diag, at, "windows of '%s' pass '%s': %s [strip-mine]", st->name,
                        cut->resources->shared->element.name, plan_reason_text(p->arena, queue->passes));
    }
}

// Where transfers do not begin and end at the alignment of the shared memory, and why.
static void remark_lines(hlc_program *p)
{
    const plan_cut *cut = p->cut;
    const plan_net *graph = cut->graph;
    const machine_memory *shared = cut->resources->shared;
    for (uint32_t i = 0; i < graph->streams.len; i++) {
        const plan_stream *st = &graph->streams.data[i];
        uint64_t item = plan_element_bytes(graph->whole, st->channel);
        int64_t step = plan_queue_lines_step(cut, i), line = plan_queue_line(cut, i);
        src_range at = whole_range(p, graph->whole->channels.data[st->channel].producer);
        if (graph->whole_schedule->channels[st->channel].steady == 0)
            continue;
        if ((uint64_t)line * item % shared->alignment != 0)
            diag_remark(p->diag, at,
                        "transfers of '%s' begin and end within lines of %" PRIu64
                        " bytes of '%s': the fewest whole lines that hold whole items of %" PRIu64
                        " bytes are too much beside a processor's memory [strip-mine]",
                        st->name, shared->alignment, shared->element.name, item);
        else if (p->plan->strip % step != 0)
            diag_remark(p->diag, at,
                        "transfers of '%s' begin and end within lines of %" PRIu64 " bytes of '%s': strips are %" PRId64
                        " steady states, no multiple of %" PRId64 " [strip-mine]",
                        st->name, shared->alignment, shared->element.name, p->plan->strip, step);
    }
}

// Work of a round that is done again where chunks of a kernel begin, in relation to the round's.
static double repeated_work(const hlc_program *p, size_t number)
{
    const plan_cut *cut = p->cut;
    const plan_cut_kernel *kernel = &cut->kernels.data[number];
    const uint32_t *where = cut->where + number * cut->strips;
    uint32_t chunks = 0; // that prime
    for (uint32_t i = 0; i < cut->strips; i++)
        chunks += where[i] != where[(i + cut->strips - 1) % cut->strips];
    double work = kernel->seconds * (double)cut->strips * (double)p->plan->strip;
    return work > 0 ? kernel->primed * chunks / work : 0;
}

static void remark_kernel_strips(hlc_program *p, size_t number)
{
    const plan_cut *cut = p->cut;
    const plan_cut_kernel *kernel = &cut->kernels.data[number];
    src_range at = whole_range(p, cut->graph->kernels.data[number].actors.data[0]);
    size_t processors = processors_of(cut, number);
    double repeated = repeated_work(p, number);
    if (!kernel->parallel && kernel->why != NULL && kernel->why->why == PLAN_WHY_CHUNKS_COST)
        diag_remark(p->diag, at, "%s stays on %s: '%s' %s [strip-mine]", kernel_text(p, number),
                    processor_name(cut, cut->where[number * cut->strips]), whole_name(p, kernel->pinned_by),
                    plan_reason_text(p->arena, kernel->why));
    else if (!kernel->parallel)
        diag_remark(p->diag, at, "%s stays on %s [strip-mine]", kernel_text(p, number),
                    processor_name(cut, cut->where[number * cut->strips]));
    else
        diag_remark(p->diag, at,
                    "%s runs on %zu processor%s; the first strip of each chunk repeats %" PRId64
                    " steady states, which adds %.2f %% to its work%s [strip-mine]",
                    kernel_text(p, number), processors, processors == 1 ? "" : "s", kernel->priming, 100 * repeated,
                    repeated >= 0.05 && p->config->strip != 0 ? "; a larger --strip repeats less" : "");
}

// --mapping and --transfer, as they were taken.
static void remark_mapping(hlc_program *p)
{
    const plan_cut *cut = p->cut;
    const plan_resources *r = cut->resources;
    const hlc_config *c = p->config;
    size_t parallel = 0, n = cut->kernels.len, used = 0;
    for (VEC_EACH(const plan_cut_kernel, kernel, &cut->kernels))
        parallel += kernel->parallel;
    for (uint32_t q = 0; q < r->processors.len; q++) {
        bool any = false;
        for (uint32_t i = 0; i < n; i++)
            any |= plan_kernel_runs_on(cut, i, q);
        used += any;
    }
    const char *mapping = used == 1 || parallel == n ? "time: each processor runs all kernels in turn"
                          : parallel == 0 ? "space: kernels stay on different processors"
                                          : "time and space: what keeps state stays on one processor, the rest "
                                            "runs on each in turn";
    const char *transfer = !cut->streams ? plan_cut_move(cut)
                                               ? "block: engines move whole blocks before and after kernels run"
                                               : "block: nothing is moved, as all kernels work in one memory"
                           : plan_cut_all_straight(cut) ? "stream: from kernel to kernel while they run"
                                                        : "stream: to and from the common memory while kernels run";
    src_range range = sir_range(cut->graph->whole, p->sources, cut->graph->whole->regions.data[0].loc);
    diag_remark(p->diag, range, "mapping in %s, on %zu of %zu processors%s [map]", mapping, used, r->processors.len,
                c->mapping != HLC_MAPPING_CHOSEN ? ", as --mapping asks" : "");
    diag_remark(p->diag, range, "transfer by %s%s [map]", transfer,
                c->transfer != HLC_TRANSFER_CHOSEN ? ", as --transfer asks" : "");
}

void plan_remark_strip_mine(hlc_program *p)
{
    if (!p->diag->remarks)
        return;
    diag_remark(p->diag, program_range(p), "a strip covers %" PRId64 " steady states%s [strip-mine]", p->plan->strip,
                p->config->strip != 0 ? " as --strip asks" : "");
    if (p->config->max_latency != 0)
        diag_remark(p->diag, program_range(p),
                    "the output of a steady state is written before the input of the %" PRId64
                    "%s after it is waited for, as --max-latency=%" PRId64 " asks [strip-mine]",
                    latency_of(p), ordinal_ending(latency_of(p)), p->config->max_latency);
    if (p->cut == NULL)
        return;
    for (size_t i = 0; i < p->cut->kernels.len; i++)
        remark_kernel_strips(p, i);
    if (plan_cut_move(p->cut)) {
        remark_windows(p);
        remark_straight(p);
        remark_lines(p);
    }
    remark_mapping(p);
    diag_remark(p->diag, program_range(p), "a round is %" PRIu32 " strips of %" PRId64 " steady states [strip-mine]",
                p->cut->strips, p->plan->strip);
}
