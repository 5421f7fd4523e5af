// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All experiments, round by round, each time the better of them kept.
#include <stdlib.h>

#include "characterize/characterize.h"

static void better_level(data_level *best, const data_level *l)
{
    measure_better(&best->latency, l->latency);
    measure_better(&best->sequential, l->sequential);
    measure_better(&best->random, l->random);
}

static void better_data(data_results *best, const data_results *r)
{
    better_level(&best->memory, &r->memory);
    for (int i = 0; i < MAX_CACHES; i++)
        better_level(&best->caches[i], &r->caches[i]);
    measure_better(&best->copy, r->copy);
    figure_better(&best->bandwidth, &r->bandwidth, false);
    figure_better(&best->stride, &r->stride, false);
    figure_better(&best->latency, &r->latency, true);
}

static void better_runtime(runtime_results *best, const runtime_results *r)
{
    if (r->run_wait.seconds < best->run_wait.seconds) {
        best->start = r->start;
        best->stop = r->stop;
    }
    measure_better(&best->run_wait, r->run_wait);
    measure_better(&best->queued, r->queued);
    measure_better(&best->transfer, r->transfer);
}

static void better_cores(core_results *best, const core_results *r)
{
    measure_better(&best->push_acquire, r->push_acquire);
    measure_better(&best->push_send, r->push_send);
    measure_better(&best->pop_acquire, r->pop_acquire);
    measure_better(&best->pop_discard, r->pop_discard);
    measure_better(&best->latency, r->latency);
    figure_better(&best->cores, &r->cores, true);
}

static void better_results(results *best, const results *r)
{
    measure_better(&best->cycle, r->cycle);
    for (int op = 0; op < MACHINE_OP_COUNT; op++)
        for (int w = 0; w < WIDTHS; w++)
            measure_better(&best->operations.of[op][w], r->operations.of[op][w]);
    figure_better(&best->registers, &r->registers, false);
    better_data(&best->data, &r->data);
    better_runtime(&best->one_thread, &r->one_thread);
    better_runtime(&best->threads, &r->threads);
    better_cores(&best->cores, &r->cores);
}

static bool measure_round(arena *a, diag_engine *d, results *r)
{
    const settings *s = &r->settings;
    r->cycle = measure_cycle(s);
    measure_operations(s, &r->operations);
    measure_registers(s, a, s->width, &r->registers);
    measure_unpin(&r->topology); // the runtime's threads go where they like
    measure_cores(s, a, &r->topology, &r->cores);
    measure_runtime(s, &r->one_thread, &r->threads);
    measure_pin(r->topology.processors[0]);
    return measure_data(s, a, d, &r->topology, &r->data);
}

bool measure_all(arena *a, diag_engine *d, results *r)
{
    double begin = measure_now(), load = -1;
    if (getloadavg(&load, 1) != 1)
        load = -1;
    unsetenv("SVM_WORKERS"); // the runtime is to have a thread for each processor
    measure_pin(r->topology.processors[0]);
    if (r->topology.caches.len == 0 && !measure_caches(&r->settings, a, d, &r->topology))
        return false;
    for (unsigned round = 0; round < r->settings.rounds; round++) {
        results next = {.topology = r->topology, .settings = r->settings};
        if (r->settings.tell != NULL)
            r->settings.tell(r->settings.context, round);
        if (!measure_round(a, d, &next))
            return false;
        if (round == 0)
            *r = next;
        else
            better_results(r, &next);
    }
    r->load = load;
    fit_cores(a, &r->cores);
    r->seconds = measure_now() - begin;
    name_figures(a, r);
    return true;
}
