// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The trace as a Chrome timeline (chrome://tracing, Perfetto): a row a processor, link channel and memory.
#include <string.h>

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

// Microseconds, exactly.
static void add_time(strbuf *out, const char *key, sim_time t)
{
    strbuf_printf(out, ", \"%s\": %lld.%09lld", key, (long long)(t / 1000000000), (long long)(t % 1000000000));
}

static void add_text(strbuf *out, const char *key, const char *text)
{
    strbuf_printf(out, "\"%s\": ", key);
    strbuf_add_quoted(out, text, strlen(text));
}

static void add_names(sim *s, strbuf *out)
{
    static const char *const groups[] = {"processors", "links", "memories"};
    bool *used = ARENA_ARRAY(out->arena, bool, s->row_count);
    bool group_used[3] = {0};
    for (VEC_EACH(const sim_interval, i, &s->trace))
        used[i->row] = true;
    for (size_t row = 0; row < s->row_count; row++) {
        if (!used[row])
            continue;
        sim_row_kind kind;
        const char *name = sim_row_name(s, row, &kind);
        if (!group_used[kind])
            strbuf_printf(out,
                          "{\"ph\": \"M\", \"pid\": %d, \"name\": \"process_name\", \"args\": {\"name\": \"%s\"}},\n",
                          kind + 1, groups[kind]);
        group_used[kind] = true;
        strbuf_printf(out, "{\"ph\": \"M\", \"pid\": %d, \"tid\": %zu, \"name\": \"thread_name\", \"args\": {",
                      kind + 1, row);
        add_text(out, "name", name);
        strbuf_printf(out,
                      "}},\n{\"ph\": \"M\", \"pid\": %d, \"tid\": %zu, \"name\": \"thread_sort_index\", \"args\": "
                      "{\"sort_index\": %zu}},\n",
                      kind + 1, row, row);
    }
}

void sim_trace_json(sim *s, strbuf *out)
{
    strbuf_add(out, "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n");
    add_names(s, out);
    for (VEC_EACH(const sim_interval, i, &s->trace)) {
        bool message = i->activity == SIM_ACTIVITY_COUNT;
        const char *activity = message ? "message" : sim_activity_text((sim_activity)i->activity);
        sim_row_kind kind = i->row < s->processor_count                ? SIM_ROW_PROCESSOR
                            : i->row >= s->row_count - s->memory_count ? SIM_ROW_MEMORY
                                                                       : SIM_ROW_CHANNEL;
        strbuf_printf(out, "{\"ph\": \"X\", \"pid\": %d, \"tid\": %u", kind + 1, i->row);
        add_time(out, "ts", i->begin);
        add_time(out, "dur", i->end - i->begin);
        strbuf_add(out, ", ");
        add_text(out, "cat", activity);
        strbuf_add(out, ", ");
        // A processor's row shows what it does, a link's whose message it is.
        add_text(out, "name", message && i->label != NULL ? i->label : activity);
        strbuf_add(out, ", \"args\": {");
        if (message)
            strbuf_printf(out, "\"bytes\": %llu", (unsigned long long)i->bytes);
        else if (i->label != NULL)
            add_text(out, "about", i->label);
        strbuf_add(out, "}},\n");
    }
    strbuf_printf(out, "{\"ph\": \"M\", \"pid\": 1, \"name\": \"dropped_intervals\", \"args\": {\"count\": %zu}}\n]}\n",
                  s->trace_dropped);
}
