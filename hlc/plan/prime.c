// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What priming repeats behind the initialisation (NOTE(priming) in cut.h). The initialisation on earlier input is the
// program's own but for what preworks push: of each channel inside the kernel so many first items may be others than the
// program has there. They count from the front, since firings come in order: a firing that pops one gives others itself,
// and so do all before it. Priming is long enough when everything that channels then keep lies behind them.
#include "hlc/passes/pass.h"
#include "hlc/plan/cut.h"

static bool is_inside(const plan_cut *cut, uint32_t actor, uint32_t kernel)
{
    return cut->graph->actor_of[actor] != SIR_NONE && cut->graph->kernel_of[actor] == kernel;
}

// Items that the first `firings` firings pop.
static int64_t popped(const sir_actor *actor, uint32_t port, int64_t firings)
{
    return firings == 0
               ? 0
               : sched_input_rate(actor, port, true).pop + (firings - 1) * sched_input_rate(actor, port, false).pop;
}

// How many first firings read one of the first `items` items of an input; -1: all of them.
static int64_t firings_that_pop(const sir_actor *actor, uint32_t port, int64_t items)
{
    int64_t first = sched_input_rate(actor, port, true).pop, pop = sched_input_rate(actor, port, false).pop;
    if (items == 0)
        return 0;
    if (items <= first)
        return 1;
    return pop == 0 ? -1 : 1 + (items - first + pop - 1) / pop;
}

// The first firings of an actor that may differ, from what is known of its inputs; -1: all.
static int64_t different_firings(const plan_cut *cut, uint32_t kernel, uint32_t number, const int64_t *different)
{
    const sir_module *m = cut->graph->module;
    const sir_actor *actor = m->actors.data[number];
    int64_t firings = actor->kind == SIR_FILTER && actor->filter->prework != NULL;
    for (uint32_t port = 0; port < actor->inputs.len; port++) {
        uint32_t channel = actor->inputs.data[port];
        if (channel == SIR_NONE || !is_inside(cut, m->channels.data[channel].producer, kernel))
            continue;
        int64_t n = firings_that_pop(actor, port, different[channel]);
        if (n < 0)
            return -1;
        firings = n > firings ? n : firings;
    }
    return firings;
}

bool plan_kernel_repeat(const plan_cut *cut, uint32_t kernel, int64_t *repeat, uint32_t *actor)
{
    const sir_module *m = cut->graph->module;
    const schedule *s = cut->graph->schedule;
    arena *scratch = arena_create();
    int64_t *different = ARENA_ARRAY(scratch, int64_t, m->channels.len + 1); // first items of each channel
    bool enough = true;
    *repeat = 0;
    for (uint32_t i = 0; i < m->actors.len && enough; i++) {
        const sir_actor *a = m->actors.data[i];
        if (!is_inside(cut, i, kernel))
            continue;
        int64_t firings = different_firings(cut, kernel, i, different);
        enough = firings >= 0;
        for (uint32_t port = 0; port < a->outputs.len && enough && firings > 0; port++) {
            uint32_t channel = a->outputs.data[port];
            if (channel == SIR_NONE || !is_inside(cut, m->channels.data[channel].consumer, kernel))
                continue;
            uint32_t to = m->channels.data[channel].consumer, in = m->channels.data[channel].consumer_port;
            different[channel] = sched_output_rate(a, port, true) + (firings - 1) * sched_output_rate(a, port, false);
            int64_t left = different[channel] - popped(m->actors.data[to], in, s->init[to]),
                    steady = s->channels[channel].steady;
            if (left <= 0)
                continue;
            enough = steady != 0;
            int64_t states = enough ? (left + steady - 1) / steady : 0;
            *repeat = states > *repeat ? states : *repeat;
        }
        *actor = i;
    }
    arena_destroy(scratch);
    return enough;
}
