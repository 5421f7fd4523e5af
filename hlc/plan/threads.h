// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Filters as threads of a soft processor (docs/softproc.md): which can be, and how many firings a thread has, so that what it
// reads and writes is whole elements of four floats.
#ifndef SVMC_HLC_PLAN_THREADS_H
#define SVMC_HLC_PLAN_THREADS_H

#include "hlc/plan/abilities.h"
#include "hlc/plan/thread_domain.h"

typedef struct plan_thread {
    int64_t firings;             // in a thread: of the filter, or of the domain's block
    const plan_domain *domain;   // NULL: a thread has whole firings
    int64_t lookups, outputs;    // elements that a thread reads and writes
    int64_t tables;              // that are inputs
    int64_t slots;               // instructions of the program that are no lookups, about
    double computed, steps;      // of arithmetic and of flow control, that a thread executes
    int64_t read;                // elements of which something is read
    double start, each, least;   // cycles that a launch takes: once, for each thread, and at least
    int64_t int_least, int_most; // of its items, which are ints; both 0: any that a float has
    bool assumed;                // they come from outside; a launch with others is loops
} plan_thread;

// Why the filter cannot be threads of the processor; text NULL: it can, as *thread says.
plan_lack plan_thread_of(struct hlc_program *p, const sir_filter *f, const machine_processor *x, plan_thread *thread);
// About what a firing of the filter takes: as threads, and on a processor that has none, where vectors have neighbouring firings.
double plan_thread_seconds(const plan_thread *t, const machine_processor *x);
double plan_fallback_seconds(arena *a, const sir_filter *f, const machine_processor *x);
// Why a fallback processor is to run it, though it can be threads of x: it is faster by as much as the machine file says.
plan_lack plan_thread_too_slow(struct hlc_program *p, const sir_filter *f, const machine_processor *x,
                               const plan_thread *t);
double plan_thread_firings(const plan_thread *t); // of the filter, in a thread
// Whether firings of the filter are many threads each, on some processor of the machine.
bool plan_has_domain(struct hlc_program *p, const sir_filter *f);
// Steady states that a strip has at least, so that what takes longest of all that is launched has so many threads that filling and
// draining the pipeline costs little; 1: nothing is launched.
int64_t plan_threads_strip(struct hlc_program *p);
// Whether a processor launches threads.
static inline bool plan_launches(const machine_processor *x)
{
    return x->pipeline.batches > 0;
}
// The machine's first kernel processor that does; NULL: there is none.
const machine_processor *plan_launcher(const machine *m);

#endif
