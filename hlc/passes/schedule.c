// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass 'schedule'.
#include "hlc/schedule/schedule.h"

#include <inttypes.h>

#include "hlc/passes/pass.h"

// Items of the program's own input in a steady state, else of its output; 0: it has neither, or their number differs.
static int64_t own_items(const hlc_program *p)
{
    const sir_module *m = p->module;
    int64_t in = 0, out = 0;
    for (size_t i = 0; i < m->actors.len && !p->schedule->dynamic; i++) {
        const sir_actor *a = m->actors.data[i];
        if (a->path == NULL && a->kind == SIR_READER)
            in = p->schedule->reps[i];
        if (a->path == NULL && a->kind == SIR_WRITER)
            out = p->schedule->reps[i];
    }
    return in != 0 ? in : out;
}

// A latency in items becomes one in steady states, which is what all others are told.
static void convert_latency(hlc_program *p)
{
    double items = p->config->latency_items;
    int64_t each = own_items(p);
    if (each == 0) {
        diag_error_at(p->diag, p->module->name,
                      "the program's rates do not tell how many steady states a --max-latency in "
                      "seconds is; give it in steady states");
        return;
    }
    if (items < (double)each) {
        diag_error_at(p->diag, p->module->name,
                      "--max-latency is too short: it is the time of %.6g items, and a steady state has %" PRId64,
                      items, each);
        return;
    }
    hlc_config *config = ARENA_NEW(p->arena, hlc_config);
    *config = *p->config;
    config->latency_items = 0;
    config->max_latency = items / (double)each < 1e15 ? (int64_t)(items / (double)each) : INT64_C(1000000000000000);
    p->config = config;
}

// Where zeros lie is known of one schedule, from which the pass 'polyphase' finds it again.
static bool forget_zeros(sir_module *m)
{
    bool any = false;
    for (VEC_EACH(sir_channel, c, &m->channels)) {
        any |= c->zeros != NULL;
        c->zeros = NULL;
    }
    if (any)
        pass_drop_filters(m);
    return any;
}

bool pass_schedule(hlc_program *p)
{
    bool changed = forget_zeros(p->module);
    p->schedule = schedule_compute(p->arena, p->diag, p->sources, p->module);
    if (p->schedule != NULL && p->config->latency_items > 0)
        convert_latency(p);
    return changed; // what it finds is beside the text
}
