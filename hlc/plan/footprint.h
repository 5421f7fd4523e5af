// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Estimates of what the kernels of a set of actors take of a local memory beside their buffers: code, stack, state.
#ifndef SVMC_HLC_PLAN_FOOTPRINT_H
#define SVMC_HLC_PLAN_FOOTPRINT_H

#include "hlc/ir/sir.h"
#include "hlc/plan/resources.h"

typedef struct plan_footprint {
    uint64_t code;   // an estimate from the bodies; code that instances share counts once
    uint64_t tables; // constant arrays of the module that the bodies read
    uint64_t stack;  // locals of the deepest chain of calls, and what the runtime needs
    uint64_t state;  // fields, exactly as C lays them out
} plan_footprint;

plan_footprint plan_footprint_of(arena *scratch, const sir_module *m, const uint32_t *actors, size_t count);
// What of it counts against the memory that a processor's kernels work in: state always, the rest where code lies
// there.
uint64_t plan_footprint_bytes(const plan_footprint *f, const plan_processor *on);

// Reports that a kernel cannot run on the processor: even with the least strip, `data` bytes of items (blocks of its ends
// and inner buffers) and its footprint exceed the bytes of the memory. Names the actor that needs most, the bytes and
// the memory.
void plan_report_no_fit(diag_engine *d, source_set *sources, const sir_module *m, const uint32_t *actors, size_t count,
                        const plan_footprint *f, uint64_t data, const plan_processor *on);

#endif
