// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What filters ask of a processor, and what a machine file says that it can do: keep state, push so many items in a
// firing, operations of all classes that it has a cost for, loops and places that are known only as it runs. Kernels that no ordinary processor can run go to one that the
// file calls a fallback, a core of the host beside accelerators, say.
#ifndef SVMC_HLC_PLAN_ABILITIES_H
#define SVMC_HLC_PLAN_ABILITIES_H

#include "hlc/ir/sir.h"
#include "hlc/plan/reasons.h"
#include "hlc/plan/resources.h"

struct hlc_program;

// Why a processor cannot run an actor, beside its state: the reason's text goes on behind the actor's name. why NULL: it can.
typedef struct plan_lack {
    const plan_reason *why; // "uses double-mul, which 'CORE0' lacks"
    sir_loc loc;            // of the operation; or of the actor
    const char *key;        // of the machine file
} plan_lack;
plan_lack plan_lack_of_outputs(arena *a, int64_t pushed, const machine_processor *x, sir_loc loc);
// Looks at all of the filter; passes ask the record (record.h), which asks once.
plan_lack plan_actor_lacks(struct hlc_program *p, const sir_module *m, uint32_t actor, const machine_processor *x);

// Why an actor's firings depend on each other; NULL: they do not. Of these reasons one for which a processor has to keep
// state; one for which that cannot go to another processor and back between two runs.
const plan_reason *plan_actor_keeps(struct hlc_program *p, uint32_t actor);
const plan_reason *plan_actor_state(struct hlc_program *p, uint32_t actor);
const plan_reason *plan_actor_is_tied(struct hlc_program *p, uint32_t actor);
bool plan_is_foreign(const struct hlc_program *p, const sir_filter *f); // only fallback processors can run it

// Where a filter needs more than what runs in step offers; line 0: nowhere (abilities_varies.c).
typedef struct plan_varying {
    sir_loc loop;  // whose trips are known only as it runs
    sir_loc place; // an element of an array that is written, likewise
} plan_varying;
plan_varying plan_find_varying(arena *a, const sir_filter *f);

// Reports an actor that no processor of the machine can run; false: each can be run by some.
bool plan_report_inability(struct hlc_program *p);

#endif
