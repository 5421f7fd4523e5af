// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the passes behind 'fuse' choose. Each makes candidates, which differ in what the pass decides; plan_evaluate works out
// all that follows from one; the pass takes the best (plan_take). docs/mapping.md has it on a page.
#ifndef SVMC_HLC_PLAN_EVALUATE_H
#define SVMC_HLC_PLAN_EVALUATE_H

#include "hlc/plan/plan.h"

// What runs cost, whatever the length of strips: made once for a plan (charges.c).
typedef struct plan_charges {
    const machine_processor *kernel;
    double starts;     // seconds beside the work of a run: of kernels, of their stages and streams; or of transfers
    double work;       // seconds of a steady state's work, where windows are moved
    double operations; // of a steady state
    double moved;      // bytes that pass through channels in a steady state, in and out
    double kept;       // bytes that move to the front after a run
    double beside;     // bytes a steady state that a strip works on beside its buffers: windows of queues; less zeros left alone
} plan_charges;

// Who runs what of a round, and how many rounds are under way, as in plan_cut.
typedef struct plan_assignment {
    uint32_t strips, slots, rounds;
    uint32_t *where; // NULL: by shares (assign.c)
} plan_assignment;

typedef struct plan_candidate {
    const plan_cut *cut; // of 'fiss': which kernels are data-parallel; of 'transfer': engines and windows. NULL: no cut
    int64_t strip;       // of 'strip-mine'
    plan_assignment round;       // of the mapping search, in 'strip-mine'
    const plan_charges *charges; // NULL: nobody asks what it costs
} plan_candidate;

typedef struct plan_evaluation {
    const plan_reason *fails; // why it cannot be; NULL: it can. It is worked out as far as that
    plan *plan;               // sizes and addresses of buffers
    plan_cut *cut;            // of the plan: assignment, queues, which of them go straight
    uint32_t processor;       // whose memory is too small, if that is why
    double overhead;          // seconds of a steady state beside its work
} plan_evaluation;

struct hlc_program;
// That of the program's plan as it is, but for who runs what.
plan_candidate plan_candidate_of(const struct hlc_program *p);
// Changes nothing of the program, and depends on nothing else.
plan_evaluation plan_evaluate(struct hlc_program *p, const plan_candidate *c);
// The same where a pass has no shorter or longer strips to try: kernels whose priming makes rounds too long stay on one
// processor then, which c->cut says, the one with the longest priming first.
plan_evaluation plan_evaluate_in_time(struct hlc_program *p, plan_candidate *c);
// The shortest strips that there can be, or those that --strip asks for.
plan_evaluation plan_evaluate_shortest(struct hlc_program *p, plan_candidate *c);
// The longest strips that there can be, if no others than of so many steady states are wanted.
int64_t plan_greatest_strip(const struct hlc_program *p, int64_t greatest);
// The program's plan is what was worked out, but for addresses, which 'allocate' gives.
void plan_take(struct hlc_program *p, const plan_evaluation *e);
// Why a plan with addresses does not fit the memories; NULL: it does. Reports why one fails.
const plan_reason *plan_find_room(const struct hlc_program *p, plan_evaluation *e);
void plan_report_failure(struct hlc_program *p, const plan_evaluation *e);

// ---- charges.c ----
plan_charges plan_charges_of(struct hlc_program *p);
// Seconds of a steady state beside its work, in runs of the plan's strips.
double plan_overhead(struct hlc_program *p, const plan_charges *c, const plan *pl);
// The part of all work by which strips of a length are slower, because they leave lanes of vectors empty.
double plan_lanes_wasted(struct hlc_program *p, const plan_cut *cut, int64_t strip);

// ---- assign_search.c ----
// The same, or what the mapping search finds for the same strips that is better; says what is predicted of it, if anything is,
// and remarks on what it comes to.
plan_evaluation plan_search(struct hlc_program *p, const plan_candidate *c, plan_evaluation e);

// ---- assign.c ----
// By shares, in rounds of so many strips at least.
plan_assignment plan_assign(const struct hlc_program *p, const plan_cut *cut, int64_t strip, int64_t least);
// Strips of a round at most, as queues allow it and --max-latency.
uint32_t plan_most_strips(const struct hlc_program *p, const plan_cut *cut, int64_t strip);

#endif
