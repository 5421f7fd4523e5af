// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What of a machine a program can be mapped to: a control processor, a memory that everything meets in, and the kernel
// processors that the control processor can start and feed. All of it comes from the machine file; no machine is named.
#ifndef SVMC_HLC_PLAN_RESOURCES_H
#define SVMC_HLC_PLAN_RESOURCES_H

#include "targets/machine.h"

// A kernel processor and how items get there.
typedef struct plan_processor {
    const machine_processor *processor;
    const machine_memory *memory; // in which its kernels work: the shared one, or a local one
    bool direct;     // it is the shared one: kernels read and write queues themselves, and nothing is moved
    uint64_t bytes;  // of that memory that this processor may take: its part, if several work in it
    bool holds_code; // code, tables, state and stack lie in that memory too, and count against its bytes
    // Not direct: the engines that move items from the shared memory here and back. One and the same, unless the pass
    // 'transfer' finds a free one.
    const machine_processor *load, *store;
    uint64_t largest_transfer;   // bytes that both move in one transfer; MACHINE_UNBOUNDED: any number
    uint64_t transfer_alignment; // addresses on both sides and sizes are multiples of it; 1 where direct
    bool io;                     // it can print and read and write files itself
    bool fallback;               // only for what the others cannot run
    uint32_t kind;               // the same number for processors that are alike in all that matters to a mapping
} plan_processor;

typedef struct plan_resources {
    const machine *machine;
    const machine_processor *control; // has io whenever some control processor that could be chosen has
    const machine_memory *shared;     // a RAM that control reads and writes itself
    uint64_t bytes;                   // of it that a program may use
    // In the order of the machine file; at least one. The first are those to use when fewer are asked for.
    VEC(plan_processor) processors;
    size_t ordinary;    // how many of them, the first, are no fallbacks
    uint32_t kinds;     // of them
    uint64_t alignment; // of objects in the shared memory: a multiple of its own and of every engine's
} plan_resources;

// What a program asks of a machine.
typedef struct plan_demands {
    bool io; // reads or writes files or prints: the control processor must have io
} plan_demands;

// The processors to use: as many as wanted, or all if wanted is 0. NULL after an error, which d has and which says what
// the machine's file lacks, with the place in it.
plan_resources *plan_resources_find(arena *a, diag_engine *d, const machine *m, int64_t wanted,
                                    const plan_demands *demands);

// The same with the fallback processors that share the memory behind all others; NULL: there are none.
plan_resources *plan_resources_with_fallbacks(arena *a, const plan_resources *r);

// The same with an engine of its own for each way, where there is a free one.
plan_resources *plan_resources_pair_engines(arena *a, const plan_resources *r);

// The same with these engines for a processor; NULL: they do not join its memory with the shared one.
plan_resources *plan_resources_use_engines(arena *a, const plan_resources *r, size_t processor,
                                           const machine_processor *load, const machine_processor *store);

// Whether items that lie in one processor's local memory can be moved to another's without the shared memory: the
// engine that does it, or NULL.
const machine_processor *plan_resources_direct_engine(const plan_resources *r, const plan_processor *from,
                                                      const plan_processor *to);

#endif
