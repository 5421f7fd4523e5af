// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a static program is spread over several processors: cut into kernels, which queues join; rounds of strips. The cut
// graph is a static program of its own, in which a reader and a writer stand for the ends of each queue, and which
// everything that plans static programs plans. docs/mapping.md explains it.
//
// NOTE(kernels). A plan_cut_kernel says what of the program is one kernel, and why it may run on several processors or
// may not: 'map' and 'fiss' decide that before there are stages. The plan's own kernels (plan_kernel, plan.h) say what is
// fired, in which order: those of a cut graph are one for each plan_cut_kernel, once 'fuse' has run.
// NOTE(priming). A kernel without state may run on several processors. A chunk, strips that follow each other on one,
// begins by priming: the kernel's initialisation runs on earlier input, as if the program began there, and fills the
// channels inside the kernel; what leaves the kernel is left out. What a prework pushes does not come again later in a
// program, so such items, and what is computed of them, must have left the channels: behind the initialisation priming
// runs `repeat` steady states more.
#ifndef SVMC_HLC_PLAN_CUT_H
#define SVMC_HLC_PLAN_CUT_H

#include "hlc/plan/footprint.h"
#include "hlc/plan/net.h"
#include "hlc/plan/record.h"

// NOTE(kernels)
typedef struct plan_cut_kernel {
    // Of 'map'.
    bool state;               // firings depend on earlier ones
    bool pinned;              // its strips may not be assigned to several processors, although nothing in it is in the way
    const double *on;         // by processor of resources: seconds of a steady state, about; negative: it may not run there
    double seconds;           // of these, on the first processor that it may run on
    plan_footprint footprint; // where windows are moved
    // Of 'fiss', whether it is data-parallel; 'map' says why what cannot be is not, 'strip-mine' takes it back where it does
    // not pay.
    bool parallel;          // its strips may be assigned to several processors
    uint32_t pinned_by;     // an actor (of the program) for which they may not, the first with state; SIR_NONE: they may
    const plan_reason *why; // and why: "writes its field 'x'"; NULL: they may
    // What follows from that (plan_cut_prime): NOTE(priming).
    int64_t repeat;
    int64_t priming; // steady states that the beginning of a chunk comes to: the most of any actor
    double primed;   // seconds of that
} plan_cut_kernel;

// What lies between kernels: worked out by plan_evaluate.
typedef struct plan_queue {
    uint32_t stream;           // of the cut graph
    int64_t delay;             // items that are in it between steady states, and in what views on its window hold; of a file:
                               // that its writer has not come to
    int64_t history, room;     // items: of a slot before a round's own, and in all
    int64_t halo;              // the last of them, which the round before leaves
    bool straight;             // windows go from one processor's memory to the other's (straight.c)
    const plan_reason *passes; // between kernels: why they do not; NULL: they do, or that is not known
} plan_queue;

// The cut of a program into kernels, and which processors run their strips.
typedef struct plan_cut {
    // Of 'map'.
    plan_net *graph;              // the cut graph
    const plan_record *record;    // of the program's actors
    VEC(plan_cut_kernel) kernels; // as graph->kernels, in topological order
    bool space;                   // each kernel has a processor to itself, as --mapping=space asks
    bool streams;                 // items move through streams while kernels run (docs/mapping-four.md)
    // Of 'fiss' (plan_cut_prime).
    int64_t priming; // the most of any kernel
    // Of 'transfer'; 'map' finds the processors, with one engine each.
    const plan_resources *resources;
    uint32_t depth; // blocks of each end that is moved; with streams: one that kernels work on, the others' bytes its stream's
    // Worked out by plan_evaluate, for the strips of 'fiss' and then of 'strip-mine'.
    uint32_t strips, slots, rounds; // of a round; of each queue; rounds under way at once, at most as many
    uint32_t *where;                // per kernel and strip: a processor of resources; NULL: not assigned
    VEC(plan_queue) queues;         // one a stream
    // Of the mapping search, in 'strip-mine'.
    const struct map_result *judged;   // what is predicted of it, by strip; NULL: nothing
    const struct map_limit *bound;     // below which no mapping goes
    const struct map_result *assigned; // what is predicted of strips assigned evenly; NULL: nothing
    const struct map_result *tried;    // what the search came to; NULL: there was nothing to search for
} plan_cut;

// Whether the search assigned the strips: 'tried' tells how it found that.
static inline bool plan_cut_is_searched(const plan_cut *cut)
{
    return cut->judged != cut->assigned;
}

struct hlc_program;
struct plan;

// ---- The cut (cut.c) ----

// Whether the program is to be spread over the processors that there are; then it is cut (p->cut). False after an error.
bool plan_cut_find(struct hlc_program *p, bool *found);
// Which kernels the actors are in: per actor, SIR_NONE those of the control program; in topological order. count: how many.
uint32_t *plan_cut_group(struct hlc_program *p, const plan_record *record, size_t *count);
// The same by the mapping search, for programs with very many actors that have state; NULL: it found nothing. keep: no
// actor's strips are assigned to several processors.
uint32_t *plan_cut_group_by_search(struct hlc_program *p, const plan_record *record, bool keep, size_t *count);
// The same for --mapping=space: one stretch of the pipeline for each processor (cut_space.c).
uint32_t *plan_cut_group_in_space(struct hlc_program *p, const plan_record *record, size_t *count);
// Cuts the program into given kernels, as a plan's text has them; flags: 'r' of one that is data-parallel, 'k' of one that
// is kept. False if they are no kernels, or after an error.
bool plan_cut_restore(struct hlc_program *p, const uint32_t *kernel_of, size_t count, const char *flags,
                      int64_t processors, bool fallbacks);
// Items that channels outside of loops begin with come from filters of their own (first_items.c); false: an error.
bool plan_feed_first_items(struct hlc_program *p);
// Windows of each end: as many as there can be, and as few, until 'transfer' decides.
uint32_t plan_cut_most_windows(const plan_cut *cut);
uint32_t plan_cut_fewest_windows(const plan_cut *cut);

// ---- Which kernels are data-parallel (fiss.c) ----

// A copy for another candidate, with kernels of its own.
plan_cut *plan_cut_copy(arena *a, const plan_cut *cut);
// The same cut, or a copy in which kernels that might be data-parallel stay on one processor: all for which that does not pay
// in rounds of so many steady states (NOTE(pays) in fiss.c); the one with the longest priming.
const plan_cut *plan_cut_paying(struct hlc_program *p, const plan_cut *cut, int64_t round);
const plan_cut *plan_cut_give_up(struct hlc_program *p, const plan_cut *cut);
// Every kernel on one processor again, with one window an end, as map leaves them: the stages are about to change.
void plan_cut_gather(plan_cut *cut);
// What priming comes to for the kernels that are data-parallel; those that cannot prime are not any more.
void plan_cut_prime(plan_cut *cut);
// What priming repeats behind the initialisation (prime.c); false: no number of steady states is enough, because of
// `actor` (of the cut graph).
bool plan_kernel_repeat(const plan_cut *cut, uint32_t kernel, int64_t *repeat, uint32_t *actor);

// ---- Who runs what (assign.c) ----

// Whether a kernel runs on a processor of resources; before strips are assigned every kernel may run on each.
bool plan_kernel_runs_on(const plan_cut *cut, uint32_t kernel, uint32_t processor);
// Whether a processor can do what the kernel needs.
bool plan_kernel_may_run_on(const plan_cut *cut, uint32_t kernel, uint32_t processor);
// Strips that a run may cover at once on a processor that works on the queues.
uint32_t plan_cut_chunk(const plan_cut *cut);

// ---- What lies between kernels (queues.c) ----

bool plan_cut_move(const plan_cut *cut); // windows are moved to and from some processor's own memory
// Bytes that engines move in whole multiples of; steady states of which a strip is a multiple.
int64_t plan_cut_unit(const plan_cut *cut);
int64_t plan_cut_granule_of(const plan_cut *cut);
uint64_t plan_cut_alignment(const plan_cut *cut); // of what lies in processors' memories
uint64_t plan_cut_slot_unit(const plan_cut *cut); // of what slots of queues begin at multiples of, in the shared memory
uint64_t plan_cut_line(const plan_cut *cut);      // of windows there: a multiple of the shared memory's, too
// Steady states that strips are multiples of if all that they move is whole lines; more than `most` where not even that.
int64_t plan_cut_lines_granule(const plan_cut *cut, int64_t most);
int64_t plan_queue_lines_step(const plan_cut *cut, uint32_t stream); // of one queue
// Items that cross in a steady state; bytes of an item.
int64_t plan_queue_step(const plan_cut *cut, uint32_t stream);
uint64_t plan_queue_item_bytes(const plan_cut *cut, uint32_t stream);
// The fewest items of a queue whose bytes are whole units of what engines move, and of the alignment of processors' memories.
int64_t plan_queue_unit(const plan_cut *cut, uint32_t stream);
int64_t plan_queue_line(const plan_cut *cut, uint32_t stream); // and of the shared memory's, if those are few
int64_t plan_queue_aligned(const plan_cut *cut, uint32_t stream);
// Items of a queue that its consumer's kernel reads before the items of a chunk's first strip, to begin with.
int64_t plan_queue_prime(const plan_cut *cut, uint32_t stream);
// The queues for the strips and primings that there are.
void plan_cut_queues(arena *a, const struct plan *pl, plan_cut *cut);
// Strips that a round has at least, so that it has as many items as the next needs of it; the shortest strips for which these
// are not too many.
int64_t plan_cut_least_strips(const struct plan *pl, const plan_cut *cut, int64_t strip);
int64_t plan_cut_least_strip(const struct plan *pl, const plan_cut *cut);

// ---- What passes the shared memory (straight.c) ----

// Of streams: whether one leads from one processor to one other, or the same, so that items need not pass the memory in which
// all meet; then the engine that moves them, NULL if both work in one memory. Whether all between kernels do.
bool plan_cut_straight(const plan_cut *cut, const plan_stream *st, const machine_processor **engine);
bool plan_cut_all_straight(const plan_cut *cut);
// Of windows that are moved whole: says of each queue whether it goes straight; the engine that moves what does; per kernel,
// how many from it on are joined by such queues and started strip by strip; 1: it is by itself, 0: it is one of those of
// another.
void plan_cut_find_straight(arena *a, plan_cut *cut);
const machine_processor *plan_straight_engine(const plan_cut *cut, const plan_queue *queue);
uint32_t *plan_cut_together(arena *a, const plan_cut *cut);

// ---- About how long kernels take, by counts of operations or a profile (charges.c) ----

double plan_start_seconds(const machine_processor *x); // to start and end one
double plan_seconds_an_operation(const machine_processor *x);
double plan_actor_seconds(const plan_cut *cut, uint32_t actor); // of the cut graph, in a steady state on the first processor
double plan_cut_seconds(const plan_cut *cut);                   // of all

#endif
