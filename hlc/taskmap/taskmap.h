// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Maps task graphs (sim/graph.h) to a machine's processors: the mapping search proposes, the simulator judges. The
// iterative flow of the paper on the Abstract Streaming Machine: map, simulate, find the bottleneck, change the mapping
// or a buffer, again. docs/mapping-search.md.
#ifndef SVMC_HLC_TASKMAP_H
#define SVMC_HLC_TASKMAP_H

#include "hlc/map/map.h"
#include "sim/graph.h"

typedef struct taskmap_options {
    double
        seconds; // upper bound of the time spent; the work is limited by steps, so that equal options give equal results
    uint64_t seed;
    uint64_t processors; // kernel processors to use, the first of the machine; 0: all
    bool split;          // tasks without state may be dealt to any number of processors, not only to their workers
} taskmap_options;

// A step of the flow: what was changed, what came of it.
typedef struct taskmap_step {
    const char *change;     // "as given", "mapped", "buffers of 'band': 2 blocks"
    double seconds;         // an iteration, simulated; 0: it did not end (a deadlock)
    double predicted;       // by the search; 0: none
    const char *bottleneck; // as the simulator names it
    bool kept;              // the best so far
} taskmap_step;

typedef struct taskmap_result {
    graph *graph; // bound to the machine, with names of its own: a task for each part and worker
    VEC(taskmap_step) history;
    double seconds;      // an iteration, simulated
    map_limit bound;     // a limit of all mappings, an iteration
    uint64_t processors; // used, of
    uint64_t available;
    uint64_t iterations; // of the given graph in one of the graph that was made
    bool cut_off;
} taskmap_result;

// NULL after an error, which d has. g need not be bound; its processors and buffer lengths are where the search begins.
taskmap_result *taskmap_search(arena *a, diag_engine *d, const graph *g, const machine *m, const taskmap_options *o);
void taskmap_print_history(const taskmap_result *r, strbuf *out);
void taskmap_print_graph(const taskmap_result *r, const machine *m, strbuf *out); // as a task graph's file

#endif
