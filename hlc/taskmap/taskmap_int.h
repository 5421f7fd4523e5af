// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inside the mapping of task graphs. A strip is the least number of iterations in which every task does a whole number of
// subtasks; tasks become kernels, which process a block of each stream a strip.
#ifndef SVMC_HLC_TASKMAP_INT_H
#define SVMC_HLC_TASKMAP_INT_H

#include "hlc/taskmap/taskmap.h"

typedef struct kernel {
    uint64_t rounds; // through its subtasks, a strip
    double *seconds; // by processor of the model: a strip; negative: it cannot run there
    bool splits;     // its strips may go to several workers
    uint64_t workers;
    uint32_t cycle; // tasks of one cycle of streams stay together; 0: none
    uint32_t first; // of its tasks in the problem, as many as it has fixed workers
} kernel;

typedef struct model {
    arena *arena;
    const graph *graph;
    const machine *machine;
    VEC(size_t) processors; // candidates, of the machine
    kernel *kernels;        // by task
    uint64_t *block;        // by stream: elements a strip
    uint32_t *order;        // tasks in topological order
    uint32_t *rank;         // by task: its place there
    uint64_t iterations;    // of the graph in a strip
    uint32_t strips;        // after which all fixed workers begin again
} model;

// False after an error, which d has (model.c).
bool model_make(model *m, diag_engine *d, const taskmap_options *o);
// The mapping problem; s: of the machine, for costs; extra: by task, seconds a strip that simulation has shown to come on
// top.
void model_problem(const model *m, const sim *s, const double *extra, map_problem *p);
size_t model_memory(const model *m, size_t processor); // in which a processor's buffers lie

// Which worker processes a task's strips.
typedef struct placement {
    uint32_t strips; // after which the pattern begins again
    struct placed {
        VEC(size_t) processors; // by worker, of the machine
        uint32_t *worker;       // by strip
    } *tasks;
} placement;
placement model_placement(const model *m, const map_result *r);

// What became of a mapping: a graph, and for each of its streams how many blocks its buffers hold (build.c).
typedef struct mapped {
    graph *graph;
    uint64_t *producer_blocks, *consumer_blocks; // by stream
    uint64_t *push, *pop;                        // by stream: elements of the largest block at each end
} mapped;
mapped *build_graph(const model *m, const placement *where);
// Sets the lengths of buffers by their numbers of blocks.
void build_buffers(const mapped *x);

#endif
