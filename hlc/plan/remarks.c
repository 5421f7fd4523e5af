// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the planning passes say for --remarks: what was done, what was not, with the places in the source.
#include <inttypes.h>

#include "hlc/passes/pass.h"
#include "hlc/plan/plan_int.h"

static src_range actor_range(const hlc_program *p, uint32_t actor)
{
    return sir_range(p->module, p->sources, p->module->actors.data[actor]->loc);
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

// Where buffers lie.
static const char *memory_name(const hlc_program *p)
{
    return p->parts != NULL ? p->parts->resources->processors.data[0].memory->element.name : p->plan->memory;
}

void plan_remark_strip_mine(hlc_program *p)
{
    if (!p->diag->remarks)
        return;
    src_range r = sir_range(p->module, p->sources, p->module->regions.data[0].loc);
    diag_remark(p->diag, r,
                "a strip covers %" PRId64 " steady states%s: buffers take %" PRIu64
                " bytes of '%s', and no layout less than %" PRIu64 " [strip-mine]",
                p->plan->strip, p->config->strip != 0 ? " as --strip asks" : "", p->plan->bytes, memory_name(p),
                p->plan->least_bytes);
}

static size_t processors_of(const plan_parts *parts, size_t part)
{
    size_t count = 0;
    for (uint32_t q = 0; q < parts->resources->processors.len; q++)
        count += plan_part_runs_on(parts, (uint32_t)part, q);
    return count;
}

static const char *processor_name(const plan_parts *parts, uint32_t number)
{
    return parts->resources->processors.data[number].processor->element.name;
}

void plan_parts_remark(hlc_program *p)
{
    const plan_parts *parts = p->parts;
    const sir_module *whole = parts->cut->whole;
    if (!p->diag->remarks)
        return;
    for (size_t i = 0; i < parts->parts.len; i++) {
        const plan_part *part = &parts->parts.data[i];
        const plan_piece *piece = &parts->cut->pieces.data[i];
        const sir_actor *first = whole->actors.data[piece->actors.data[0]];
        if (!part->replicated) {
            const sir_actor *keeper = whole->actors.data[part->keeper];
            diag_remark(p->diag, sir_range(whole, p->sources, keeper->loc),
                        "the part of %zu actors from '%s' on stays on %s: '%s' %s [map]", piece->actors.len, first->name,
                        processor_name(parts, parts->where[i * parts->strips]), keeper->name, part->why);
            continue;
        }
        diag_remark(p->diag, sir_range(whole, p->sources, first->loc),
                    "the part of %zu actors from '%s' on is free of state: its strips run on %zu processor%s, and the "
                    "first of each chunk repeats %" PRId64 " steady states [map]",
                    piece->actors.len, first->name, processors_of(parts, i), processors_of(parts, i) == 1 ? "" : "s",
                    part->lead);
    }
    diag_remark(p->diag, sir_range(whole, p->sources, whole->regions.data[0].loc),
                "a round is %" PRIu32 " strips of %" PRId64 " steady states [strip-mine]", parts->strips, p->plan->strip);
}
