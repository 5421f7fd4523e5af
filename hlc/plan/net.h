// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a program with dynamic rates or messages is cut into kernels: dynamic-rate actors, which are filters with dynamic
// rates, and static regions, actors that static channels connect. Streams join them. The regions make up a graph of their
// own, in which readers and writers stand for the ends of streams; everything that plans static programs plans it.
//
// NOTE(levels). A static region runs in whole steady states of its own, so it must not wait for what comes out of itself:
// every way from kernel to kernel leads to a higher level, the level of an actor being the greatest number of filters with
// dynamic rates passed on a way to it, their ends counted one by one. In a feedback loop through such a filter there is
// no such order: each of its actors is a kernel of its own. Actors that messages cut out (hlc/plan/ways.h) count likewise.
// NOTE(ends). The program's readers and writers are the control program's, joined to the kernels by streams too.
#ifndef SVMC_HLC_PLAN_NET_H
#define SVMC_HLC_PLAN_NET_H

#include "hlc/ir/sir.h"
#include "hlc/plan/ways.h"
#include "hlc/schedule/schedule.h"

typedef struct plan_net_kernel {
    VEC(uint32_t) actors; // of the program, in canonical order
    bool dynamic;         // a filter with dynamic rates
    bool paced;           // fires as often as the steady states of the program say, else as its input allows
    int64_t steady;       // of its own steady states (a dynamic-rate actor: firings) that one of the program has
    int64_t init;         // of them that belong to the initialisation, behind the kernel's own initialisation
} plan_net_kernel;

// A channel of the program that joins kernels.
typedef struct plan_stream {
    uint32_t channel;  // of the program
    const char *name;  // unique
    uint32_t from, to; // kernels; SIR_NONE: the control program
    uint32_t writer,
        reader; // of the static graph: its ends; SIR_NONE: that of a dynamic-rate actor or the control program
} plan_stream;

typedef struct plan_net {
    const sir_module *whole; // the program and its schedule
    const schedule *whole_schedule;
    sir_module *module; // the static graph and its schedule, each kernel in its own steady states
    schedule *schedule;
    VEC(plan_net_kernel) kernels; // in canonical order of their first actors; none of the program's readers and writers
    VEC(plan_stream) streams;
    // A paced kernel takes what a dynamic rate gives, or takes itself as much as it happens to: whether it can complete a
    // steady state may depend on what sources do in the next, so that steady states run one by one. So they do where
    // several actors print, rates are static and one of them is in a feedback loop: their texts come steady state by steady
    // state.
    bool single;
    const plan_ways *ways; // of messages
    const bool *apart;     // per channel of the program: its ends are in different regions; NULL: only where they must
    uint32_t *kernel_of;   // per actor of the static graph
    uint32_t *stream_of;   // per reader and writer of the static graph
    uint32_t *actor_of;    // per actor of the static graph: the program's; SIR_NONE: a stream's end
} plan_net;

// apart: per channel, whether its ends are to be in different kernels, if they are in no feedback loop; NULL: only where they
// must. NULL when counts are too large for any plan.
plan_net *plan_net_build(arena *a, const sir_module *m, const schedule *s, const plan_ways *ways, const bool *apart);
// Cuts a static program where channels lead from one given part to another (per actor; SIR_NONE: the control program's).
// The kernels keep the whole program's counts: a reader delivers what the channel's producer gives. No channel of a
// feedback cycle may be cut. NULL when counts are too large.
plan_net *plan_net_cut(arena *a, const sir_module *m, const schedule *s, const uint32_t *part, size_t count);
// Items that a channel's consumer must find for its firings in the initialisation; false: too many to count.
bool plan_end_needs(const sir_module *m, const schedule *s, uint32_t channel, int64_t *items);

#endif
