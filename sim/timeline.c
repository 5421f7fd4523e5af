// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The trace as a Chrome timeline (chrome://tracing, Perfetto): a row a processor, link channel and memory.
#include "support/timeline.h"
#include "sim/trace.h"

const char *sim_row_name(sim *s, size_t row, sim_row_kind *kind)
{
    if (row < s->processor_count) {
        *kind = SIM_ROW_PROCESSOR;
        return sim_processor_name(s, row);
    }
    size_t memories = s->row_count - s->memory_count;
    if (row >= memories) {
        *kind = SIM_ROW_MEMORY;
        return sim_memory_name(s, row - memories);
    }
    *kind = SIM_ROW_CHANNEL;
    size_t link = 0;
    while (link + 1 < s->link_count && s->links[link + 1].row <= row)
        link++;
    const char *name = sim_link_name(s, link);
    size_t channels = s->links[link].link->channels;
    return channels == 1 ? name : sim_text(s, arena_printf(s->arena, "%s channel %zu", name, row - s->links[link].row));
}

static void add_names(sim *s, json_out *j, arena *a)
{
    static const char *const groups[] = {"processors", "links", "memories"};
    bool *used = ARENA_ARRAY(a, bool, s->row_count);
    bool group_used[3] = {0};
    for (VEC_EACH(const sim_interval, i, &s->trace))
        used[i->row] = true;
    for (size_t row = 0; row < s->row_count; row++) {
        if (!used[row])
            continue;
        sim_row_kind kind;
        const char *name = sim_row_name(s, row, &kind);
        if (!group_used[kind])
            timeline_group(j, kind + 1, groups[kind]);
        group_used[kind] = true;
        timeline_row(j, kind + 1, row, name);
    }
}

// What is looked for in a row: of a processor that works the kernel, of a link whose message it is, else what it does or waits for.
static const char *event_name(const sim_interval *i, const char *activity)
{
    bool works = i->activity == SIM_ACTIVITY_COUNT || sim_activity_group_of((sim_activity)i->activity) == SIM_WORK;
    return works && i->label != NULL ? i->label : activity;
}

void sim_trace_json(sim *s, strbuf *out)
{
    json_out j = strbuf_json(out);
    timeline_begin(&j);
    add_names(s, &j, out->arena);
    for (VEC_EACH(const sim_interval, i, &s->trace)) {
        bool message = i->activity == SIM_ACTIVITY_COUNT;
        const char *activity = message ? "message" : sim_activity_text((sim_activity)i->activity);
        sim_row_kind kind = i->row < s->processor_count                ? SIM_ROW_PROCESSOR
                            : i->row >= s->row_count - s->memory_count ? SIM_ROW_MEMORY
                                                                       : SIM_ROW_CHANNEL;
        timeline_event(&j, kind + 1, i->row, i->begin, i->end, 9, activity, event_name(i, activity));
        if (message)
            json_count(&j, "bytes", i->bytes);
        else if (i->label != NULL)
            json_text(&j, "about", i->label);
        timeline_event_end(&j);
    }
    timeline_dropped(&j, 1, s->trace_dropped);
    timeline_end(&j);
}
