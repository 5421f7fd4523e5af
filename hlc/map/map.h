// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The mapping search: which processor runs which task for which strips of a round. An abstract problem, without stream
// IR, plan or machine: tasks with times, edges with bytes, processors, and resources that all share. docs/mapping-search.md.
//
// NOTE(strips). A round is `strips` strips. A task that is not data-parallel runs all of them on one processor; the
// strips of one that is are assigned to several, in chunks of consecutive strips, one a processor. Rounds are pipelined in
// stages, so tasks of one round wait for nobody in the steady state, and the time of a round is that of the busiest
// processor or shared resource, whichever takes longer.
// NOTE(kernels). With `fuse`, tasks that run the same strips on the same processors and lie together are one kernel,
// and edges inside a kernel cost nothing. Kernels are convex: no way leads out of one and back into it. Without,
// every task is a kernel of its own (tasks that stay together are one), and all edges between kernels cross.
#ifndef SVMC_HLC_MAP_H
#define SVMC_HLC_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "support/arena.h"
#include "support/strbuf.h"
#include "support/vec.h"

#define MAP_ANY UINT32_MAX     // task: any processor
#define MAP_OUTSIDE UINT32_MAX // edge: the control program's side, files
#define MAP_NO_BOUND UINT64_MAX

// ---- The problem ----

typedef struct map_processor {
    const char *name;
    double speed;    // times are divided by it; 1 is usual
    uint64_t memory; // bytes for the tasks' own; MAP_NO_BOUND
} map_processor;

typedef struct map_task {
    const char *name;
    double time; // seconds a strip on a processor of speed 1
    const double
        *times;      // by processor, already with its speed; negative: cannot run there. NULL: time / speed everywhere
    bool parallel;   // its strips may go to several processors
    double priming;  // seconds more for each chunk that does not continue the processor's own last strip
    double start;    // seconds more for each strip of a kernel (starting it); of a kernel's tasks, the greatest counts
    uint64_t bytes; // of local memory on each processor that runs it: code, state, buffers
    uint32_t together;  // tasks of equal numbers are never parted; 0: none
    uint32_t processor; // only there; MAP_ANY
} map_task;

typedef struct map_edge {
    uint32_t from, to;    // tasks; one of them may be MAP_OUTSIDE
    double bytes;         // a strip
    double priming_bytes; // more for each chunk of `to` that begins by priming
    double send, receive; // seconds that the processors at both ends spend a strip when it crosses (starting transfers)
    uint64_t local;       // bytes of local memory at each end when it crosses: blocks for transfers
} map_edge;

typedef enum map_limit_kind {
    MAP_COMPUTE,  // all processors' work
    MAP_CRITICAL, // the heaviest task that cannot be data-parallel: state, a feedback cycle
    MAP_SHARED,   // tasks that cannot be data-parallel and are more than processors
    MAP_MEMORY,
    MAP_LINK,
} map_limit_kind;

// Something that all share: a memory, a link.
typedef struct map_resource {
    const char *name; // "XDR", "EIB"
    map_limit_kind kind;
    double bandwidth;         // bytes a second, of all channels together
    double crossing, outside; // how often a byte of a crossing edge passes it, and one from or to the outside
} map_resource;

typedef struct map_problem {
    const char *name;
    VEC(map_processor) processors;
    VEC(map_task) tasks;
    VEC(map_edge) edges; // acyclic but within `together`
    VEC(map_resource) resources;
    uint32_t strips;      // of a round, exactly; 0: the search chooses
    uint32_t most_strips; // when it chooses; 0: MAP_MOST_STRIPS
    bool fuse;
    bool fine; // with fuse: data-parallel neighbours are one kernel only where the search puts them together
} map_problem;
enum { MAP_MOST_STRIPS = 256 };

// AUTOMATIC: the heuristic; then, where seconds are given and the problem is small enough, integer programming.
typedef enum map_method { MAP_AUTOMATIC, MAP_EXACT, MAP_HEURISTIC } map_method;
typedef struct map_options {
    map_method method;
    double seconds; // upper bound of the time spent: work is limited by steps first, and the clock only cuts off what takes
                    // unusually long (cut_off). 0: not told; steps alone end annealing and the heuristic, so that equal options
                    // give equal results on any computer, however busy, and integer programming has MAP_SECONDS
    uint64_t steps; // of annealing, at most, on a few processors; 0: by the seconds, of which MAP_SECONDS if not told
    uint64_t seed;  // of annealing
} map_options;
#define MAP_SECONDS 1.0

// ---- The answer ----

// Where the search was: when a method began, found something better, or ended.
typedef enum map_stage { MAP_GREEDY, MAP_ANNEALING, MAP_INTEGER } map_stage;
typedef struct map_moment {
    map_stage stage;
    uint64_t step;  // mappings tried, and nodes of the integer program, up to then
    double seconds; // predicted of the best so far, a strip, as the search counts; 0: none fits yet
    double lower;   // seconds a strip below which it is known then that there is nothing
} map_moment;
const char *map_stage_name(map_stage stage); // "greedy", "annealing", "integer programming"

typedef struct map_limit {
    map_limit_kind kind;
    const char *name; // the task, processor or resource; NULL for MAP_COMPUTE of all
    double seconds;   // a strip
} map_limit;

typedef struct map_result {
    uint32_t strips, rounds; // strips of a round; rounds under way at once (the stages)
    uint32_t kernels;
    uint32_t *kernel_of;     // by task; kernels are numbered in topological order
    uint32_t *stage;         // by task: a round's strips of it run `stage` rounds later than those of stage 0
    uint32_t *processor;     // by task and strip: [task * strips + strip]
    double *busy;            // by processor: seconds a strip
    double seconds;          // predicted, a strip
    map_limit bottleneck;    // what takes that long
    map_limit bound;         // no mapping of this problem is faster: the tightest of all limits
    double ratio;            // bound over predicted, at most 1
    bool exact;              // by integer programming,
    bool proven;             // which has shown that nothing is more than MAP_GAP better
    bool cut_off;            // the clock ended the search: another run may find something else
    uint64_t steps;          // of the search, and
    double lower;            // seconds a strip below which it has shown that there is nothing; 0 if it has not
    VEC(map_moment) history; // of a search, in order; steps and seconds depend on nothing but problem and options
} map_result;
#define MAP_GAP 0.002

// NULL when nothing fits; *why then says so in one sentence that names a task and a processor or memory. The problem
// may come from anywhere: indices out of range, negative and infinite numbers, cycles are such sentences too.
map_result *map_search(arena *a, const map_problem *p, const map_options *o, const char **why);

// The tightest limit that holds for every mapping of a problem; false, with *why, when the problem is malformed.
bool map_bound(arena *a, const map_problem *p, map_limit *bound, const char **why);

// What a given mapping comes to: r->strips, r->processor and the rest as for one that was found. NULL as above.
map_result *map_judge(arena *a, const map_problem *p, uint32_t strips, const uint32_t *processor, const char **why);

const char *map_limit_text(arena *a, const map_limit *l); // "compute", "critical cycle of 'Accumulate'"

// Seconds a strip that a task takes on a processor; negative: it cannot run there.
double map_time(const map_problem *p, uint32_t task, uint32_t processor);

#endif
