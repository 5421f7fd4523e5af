// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// "--max-latency=5ms --rate=48k".
#include "driver/latency.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct unit {
    const char *name;
    double factor;
} unit;

static const unit times[] = {{"us", 1e-6}, {"ms", 1e-3}, {"s", 1}};
static const unit rates[] = {{"", 1}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}};

// A number above 0 and one of the units.
static bool read_scaled(const char *text, const unit *units, size_t count, double *value)
{
    char *end;
    if (strchr("0123456789.", *text) == NULL || *text == '\0')
        return false;
    errno = 0;
    *value = strtod(text, &end);
    for (size_t i = 0; i < count; i++)
        if (strcmp(end, units[i].name) == 0) {
            *value *= units[i].factor;
            return errno == 0 && isfinite(*value) && *value > 0;
        }
    return false;
}

static bool wrong(tool_session *t, const char *text)
{
    diag_error_at(&t->diags, options_tool_name(t->options.tool), "%s", text);
    return false;
}

static bool read_states(const char *text, int64_t *states)
{
    char *end;
    errno = 0;
    *states = strtoll(text, &end, 10);
    return *text >= '0' && *text <= '9' && *end == '\0' && errno == 0;
}

bool latency_read(tool_session *t, int64_t *states, double *items)
{
    const char *latency = option_last(&t->options, OPT_MAX_LATENCY), *rate = option_last(&t->options, OPT_RATE);
    double seconds, per_second;
    *states = 0;
    *items = 0;
    if (rate != NULL && !read_scaled(rate, rates, sizeof rates / sizeof *rates, &per_second))
        return wrong(t, arena_printf(t->arena,
                                     "invalid value '%s' for option '--rate'; expected items a second, such as "
                                     "48000, 48k or 2.4M",
                                     rate));
    if (latency == NULL || read_states(latency, states))
        return true;
    *states = 0;
    if (!read_scaled(latency, times, sizeof times / sizeof *times, &seconds))
        return wrong(t, arena_printf(t->arena,
                                     "invalid value '%s' for option '--max-latency'; expected a number of steady "
                                     "states, or a time such as 5ms, 200us or 0.1s",
                                     latency));
    if (rate == NULL)
        return wrong(t, arena_printf(t->arena,
                                     "'--max-latency=%s' needs '--rate=ITEMS': how many items a second come in "
                                     "(48k)",
                                     latency));
    *items = seconds * per_second;
    return true;
}
