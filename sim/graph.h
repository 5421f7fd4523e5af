// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stream programs without code: the ASM's tasks, subtasks and streams, read from a YAML file and run on the engine.
//
// A task repeats its subtasks in order. A subtask acquires blocks of its streams (full ones of inputs, empty ones of
// outputs), computes for a fixed time or by operations, and releases them. Each of these costs time on the task's processor before any
// waiting. A block that is sent leaves as a message when the consumer's buffer has room for it; the producer's room is
// free when the message has left, the consumer's when the block is discarded. A shared buffer needs no messages.
#ifndef SVMC_SIM_GRAPH_H
#define SVMC_SIM_GRAPH_H

#include "sim/sim.h"

// Elements of a stream lie in a buffer; some of its length may be kept for elements already read (history).
typedef struct graph_buffer {
    const char *memory_name; // NULL: the only memory that the task's processor reaches
    size_t memory;           // index
    uint64_t length, history;
    src_range range, memory_range;
} graph_buffer;

typedef struct graph_stream {
    const char *name;
    src_range range;
    uint64_t element;   // bytes
    size_t from, to;    // tasks
    uint64_t push, pop; // blocking factors, in elements
    bool shared;        // both use the producer's buffer
    graph_buffer producer, consumer;
    uint64_t prequeued; // elements there at the start
    const char *link_name;
    src_range link_range;
    size_t link; // index or SIM_ROUTED
    bool fixed_link;
} graph_stream;

typedef struct graph_port {
    size_t stream;
    bool push;
    uint64_t elements;
    src_range range;
} graph_port;

typedef struct graph_subtask {
    VEC(graph_port) acquire;
    VEC(size_t) release; // into acquire
    machine_time time;
    // Further time: operations by class, which the machine file has costs of, with so many registers live (0: not told).
    uint64_t operations[MACHINE_OP_COUNT], live_registers;
    src_range operations_range;
    uint64_t repeat;
} graph_subtask;

typedef struct graph_task {
    const char *name, *processor_name; // processor_name NULL: a search is to find one
    src_range range, processor_range;
    size_t processor; // index
    bool io;
    bool stateless;   // blocks may be processed by several workers, each with the history before its own
    uint64_t workers; // that a search makes of it, taking blocks in turn; 1 unless told
    VEC(graph_subtask) subtasks;
} graph_task;

typedef struct graph {
    arena *arena;
    const char *name, *summary, *machine_name; // machine_name may be NULL
    src_range machine_range;
    uint64_t iterations;
    size_t iteration_task; // an iteration is so many subtasks of this task
    uint64_t iteration_subtasks;
    VEC(graph_task) tasks;
    VEC(graph_stream) streams;
} graph;

enum { GRAPH_ITERATIONS = 200 }; // run unless told

// Reads a graph (graph_read.c). NULL after errors, which are in d.
graph *graph_parse(arena *a, diag_engine *d, source_id file);
// Finds the machine's elements that it names and checks that it fits (graph_bind.c). False after errors.
bool graph_bind(graph *g, diag_engine *d, const machine *m);
// How long tasks waited at each stream, in the second half of the iterations wanted; and which waits are open at the
// end (in a deadlock, all of them).
typedef struct graph_waits {
    sim_time *room, *data; // by stream: of its producer for room, of its consumer for data
    bool *open_room, *open_data;
} graph_waits;
graph_waits graph_waits_make(arena *a, const graph *g);

// Runs a bound graph (graph_run.c) for some iterations on a simulation of its machine. waits may be NULL. False after an
// error: a deadlock, whose tasks are named, or a failure of the simulation.
bool graph_run(const graph *g, diag_engine *d, sim *s, uint64_t iterations, graph_waits *waits);

#endif
