// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inside the mapping search: the core problem, to which check.c brings every problem, and what is searched there.
//
// The core's clusters are tasks that are never parted. What a mapping cannot change is folded into them: the costs of
// edges to the outside, and of all edges where every task is a kernel of its own. The edges left are those that cost
// something only between clusters with different strips or processors.
#ifndef SVMC_HLC_MAP_INT_H
#define SVMC_HLC_MAP_INT_H

#include "hlc/map/map.h"

typedef struct map_cluster {
    VEC(uint32_t) tasks;
    const char *name; // its heaviest task
    double heaviest;
    double *time; // by processor: seconds a strip; negative: cannot run there
    bool parallel;
    double priming, priming_bytes; // a chunk that is not the whole round
    uint64_t bytes;
    VEC(uint32_t) edges;
} map_cluster;

typedef struct map_core_edge {
    uint32_t from, to;
    double bytes, send, receive;
    uint64_t local;
} map_core_edge;

// What the search notes as it goes (history.c).
typedef struct map_history {
    VEC(map_moment) moments;
    uint64_t steps; // so far
    double best;    // 0: nothing fits yet
} map_history;

typedef struct map_core {
    arena *arena;
    map_history *history;
    const map_problem *problem;
    uint32_t processors;
    VEC(map_cluster) clusters; // in topological order
    VEC(map_core_edge) edges;
    uint32_t *cluster_of; // by task
    double *base;         // by resource: bytes a strip that pass it in every mapping
    uint32_t *kind;       // by processor: the first one like it
    map_limit bound;
} map_core;

// A mapping of the core: count[cluster * processors + processor] strips of a round.
typedef struct map_state {
    uint32_t strips;
    uint32_t *count;
} map_state;

// What a mapping costs, a round.
typedef struct map_costs {
    double *load;     // by processor: seconds
    double *passing;  // by resource: bytes
    uint64_t *bytes;  // by processor: of memory
    double crossings; // edges that cross
    double seconds;   // a strip: of the worst of all
    double overflow;  // of memories: the sum of what is too much, in parts of the memory
} map_costs;

// A problem as a core; NULL when it is malformed or a task fits nowhere, and *why says so (check.c).
map_core *map_core_make(arena *a, const map_problem *p, const char **why);
map_limit map_core_bound(const map_core *c); // the tightest
bool map_crosses(const map_core *c, const map_state *s, uint32_t edge);
map_costs map_costs_make(arena *a, const map_core *c);
void map_costs_of(const map_core *c, const map_state *s, map_costs *costs); // from scratch (costs.c)
// Adds (sign 1) or takes away (-1) what a cluster and its edges cost, but those to one other cluster.
void map_costs_add(const map_core *c, const map_state *s, map_costs *costs, uint32_t cluster, uint32_t but, int sign);
// Works out seconds and overflow from the sums.
void map_costs_sum(const map_core *c, const map_state *s, map_costs *costs);

// The clock, which cuts off what takes too long; end INFINITY: nothing does.
typedef struct map_clock {
    double end;
    bool cut_off;
} map_clock;
double map_now(void);
bool map_clock_over(map_clock *k);

void map_history_step(const map_core *c, uint64_t steps); // so many tries more
// A method begins, or ends; `lower` is what it has shown.
void map_history_mark(const map_core *c, map_stage stage, double lower);
// A mapping is the best so far: noted if a chart would show it. It may be a little slower than the one before, as strips and
// crossing edges count too (map_burden).
void map_history_keep(const map_core *c, map_stage stage, const map_costs *costs);

// What mappings of equal time are chosen by, in parts of the time: strips of a round and crossing edges take memory, and
// time to begin with. Worth a percent at most in usual programs.
double map_burden(const map_core *c, const map_state *s, const map_costs *costs);

// Greedy, with the number of strips chosen unless the problem tells; gives a state also when memories are too small.
map_state map_greedy(arena *a, const map_core *c);
// Improves a state by annealing (anneal.c); gives the steps done, which are fewer where each takes long.
uint64_t map_anneal(arena *a, const map_core *c, map_state *s, uint64_t seed, uint64_t steps, map_clock *clock);
bool map_has_solver(void); // of integer programs: CBC's library
// By integer programming (exact.c): improves s, if it can, and says below which seconds a strip there is nothing.
typedef struct map_exact_result {
    bool found, proven;
    double lower;
    uint64_t nodes;
} map_exact_result;
map_exact_result map_solve_exactly(arena *a, const map_core *c, map_state *s, uint64_t nodes, map_clock *clock);
// From a core's state to an answer: tables, kernels, stages, times (result.c).
map_result *map_result_of(arena *a, const map_core *c, const map_state *s);

#endif
