// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Timelines for chrome://tracing and Perfetto: what rows of groups did from when to when. The simulator predicts them, the host
// measures them, and both look alike. Like json.h it stands on C alone.
#ifndef SVMC_SUPPORT_TIMELINE_H
#define SVMC_SUPPORT_TIMELINE_H

#include "support/json.h"

enum { TIMELINE_MEASURED = 11 }; // the group of rows that were measured; predicted ones have lower numbers

static inline void timeline_begin(json_out *j)
{
    json_begin(j, NULL, '{');
    json_text(j, "displayTimeUnit", "ns");
    json_begin(j, "traceEvents", '[');
}

static inline void timeline_end(json_out *j)
{
    json_line(j, 0);
    json_end(j, ']');
    json_end(j, '}');
    json_raw(j, "\n");
}

static inline void timeline_note(json_out *j, unsigned group, const char *what)
{
    json_line(j, 0);
    json_begin(j, NULL, '{');
    json_text(j, "ph", "M");
    json_count(j, "pid", group);
    json_text(j, "name", what);
}

static inline void timeline_note_end(json_out *j)
{
    json_end(j, '}');
    json_end(j, '}');
}

static inline void timeline_group(json_out *j, unsigned group, const char *name)
{
    timeline_note(j, group, "process_name");
    json_begin(j, "args", '{');
    json_text(j, "name", name);
    timeline_note_end(j);
}

// Rows stand in the order of their numbers.
static inline void timeline_row(json_out *j, unsigned group, size_t row, const char *name)
{
    timeline_note(j, group, "thread_name");
    json_count(j, "tid", row);
    json_begin(j, "args", '{');
    json_text(j, "name", name);
    timeline_note_end(j);
    timeline_note(j, group, "thread_sort_index");
    json_count(j, "tid", row);
    json_begin(j, "args", '{');
    json_count(j, "sort_index", row);
    timeline_note_end(j);
}

// Begins an event; its "args" are open until timeline_event_end. Times are 10^-places us.
static inline void timeline_event(json_out *j, unsigned group, size_t row, int64_t begin, int64_t end, int places,
                                  const char *category, const char *name)
{
    json_line(j, 0);
    json_begin(j, NULL, '{');
    json_text(j, "ph", "X");
    json_count(j, "pid", group);
    json_count(j, "tid", row);
    json_decimal(j, "ts", begin, places);
    json_decimal(j, "dur", end - begin, places);
    json_text(j, "cat", category);
    json_text(j, "name", name);
    json_begin(j, "args", '{');
}

static inline void timeline_event_end(json_out *j)
{
    json_end(j, '}');
    json_end(j, '}');
}

// How many events there was no room for.
static inline void timeline_dropped(json_out *j, unsigned group, uint64_t count)
{
    timeline_note(j, group, "dropped_intervals");
    json_begin(j, "args", '{');
    json_count(j, "count", count);
    timeline_note_end(j);
}

#endif
