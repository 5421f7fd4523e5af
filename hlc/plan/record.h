// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who can run what, at what cost. What processors lack for a filter is found once, whoever asks: whether one processor can
// run all (map.c), where kernels that streams join may run (net_assign.c, net_offload.c), and what is known of a program that
// is to be cut. That is one record, made once. How actors are grouped into kernels (cut_group.c, cut_by_search.c,
// cut_space.c), which processors kernels are assigned to (assign.c) and the mapping search (assign_search.c) all read it.
#ifndef SVMC_HLC_PLAN_RECORD_H
#define SVMC_HLC_PLAN_RECORD_H

#include "hlc/plan/abilities.h"

// Processors that do the same at the same cost, and are fallbacks or not.
typedef struct plan_record_kind {
    const plan_processor *first;
    bool fallback;
} plan_record_kind;

typedef struct plan_record_actor {
    const plan_reason *keeps; // why its firings depend on each other; NULL: they do not
    bool state;               // so that a processor has to keep state
    double operations;        // of a steady state, by the rough count or as measured
    double work;              // seconds of a steady state on the first processor, whether it can run it or not
    double lanes;             // so many of which the first processor does at a time
    const plan_lack *lacks;   // by kind: why processors cannot run it, beside its state
    const double *seconds;    // by kind: of a steady state, about; negative: such processors cannot run it
} plan_record_actor;

typedef struct plan_record {
    const plan_resources *resources;
    VEC(plan_record_kind) kinds;
    uint32_t *kind_of;     // by processor of resources
    plan_record_actor *of; // by actor of the whole program
} plan_record;

// Why a processor cannot run an actor of m, beside its state. It is known by filter and by entry of the machine file.
plan_lack plan_record_lack(struct hlc_program *p, const sir_module *m, uint32_t actor, const machine_processor *x);
// Filters have changed, or others are before them: what is known of them is found again.
void plan_record_forget(struct hlc_program *p);
// Whether some actor of the program can run on no processor of r; then the first such, and why it cannot on the first.
bool plan_record_find_lack(struct hlc_program *p, const plan_resources *r, uint32_t *actor, plan_lack *lack);

// Of p->module, which is not cut yet.
const plan_record *plan_record_of(struct hlc_program *p, const plan_resources *r);
// Whether there is one kind of processors alone: then what one can run each can.
bool plan_record_is_plain(const plan_record *record);
// Operations of an actor in a steady state, as processors with vectors count them.
double plan_record_work(const plan_record *record, uint32_t actor);

#endif
