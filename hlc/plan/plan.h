// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plan: what runs where and when. Buffers hold the items of channels; kernels fire actors in order; the control
// program reads, runs the kernels of a strip, and writes. docs/plan.md has the text form; print(parse(print(p))) ==
// print(p) byte for byte.
//
// NOTE(runs). Every run of the kernels, be it the initialisation, a strip of n steady states or the drain, fires each
// actor a number of times that the control program gives, all firings of one stage before the next (feedback cycles
// apart). Positions in buffers are counted from the program's start (init) or from the buffer's base (all later runs):
// item j of a port that has moved j1 items in the initialisation lies at element view_at(view, j) in the initialisation
// and at view_at(view, j1 + i) - base for the i-th item of a later run. At the end of a run the kept elements move to
// the front, so all later runs begin alike.
// NOTE(places). A splitter or joiner needs no stage where its neighbours read or write the items where they lie:
// through views of one buffer.
#ifndef SVMC_HLC_PLAN_H
#define SVMC_HLC_PLAN_H

#include "hlc/ir/sir.h"
#include "hlc/plan/cut.h"
#include "hlc/plan/layout.h"
#include "hlc/plan/net.h"
#include "hlc/schedule/schedule.h"
#include "targets/machine.h"

#define PLAN_NONE UINT32_MAX

// A port's items: in a buffer, through a view. buffer PLAN_NONE: the port does not exist.
typedef struct plan_access {
    uint32_t buffer;
    plan_view view;
} plan_access;

// A buffer is named after the channel whose items it holds in order, the root of all views on it.
typedef struct plan_buffer {
    uint32_t channel;
    // What follows from stages and strip (plan_find_sizes).
    int64_t base;     // elements before this one are dead after the initialisation
    int64_t keep;     // elements from there on that a later run finds
    int64_t step;     // by which everything advances in a steady state
    int64_t capacity; // elements
    uint64_t address; // of 'allocate': bytes from the start of the program's memory
} plan_buffer;

typedef enum plan_stage_kind {
    PLAN_FIRE, // fires a filter
    PLAN_COPY, // copies what a firing of a splitter, joiner or identity filter moves through one port
} plan_stage_kind;
typedef struct plan_member {
    uint32_t actor, port; // port: COPY of a splitter (an output) or joiner (an input), else 0
} plan_member;
// NOTE(horizontal fusion). Stages that do the same on one pair of buffers at regular distances are one stage with several members:
// member m does what the stage says, the positions of its views being further by digits_at(in_members, m) and
// digits_at(out_members, m). Members have no state, no prework and equal counts; copies are of different ports of one
// actor or of the same port of different actors.
typedef struct plan_stage {
    plan_stage_kind kind;
    uint32_t actor, port; // member 0
    plan_access in, out;
    VEC(plan_member) others; // members 1, 2, ...
    plan_digits in_members,
        out_members; // bounded, of as many indices as there are members; empty if there is one member
} plan_stage;

// A step of a cycle's inner schedule: count firings of a stage's actor, or count times a list of steps.
typedef struct plan_step {
    int64_t count;
    uint32_t stage;              // in the item's stages; PLAN_NONE: repeat
    VEC(struct plan_step) steps; // of a repeat
} plan_step;
typedef VEC(plan_step) plan_steps;

// What a kernel does, in order: one stage, or the stages of a feedback cycle.
typedef struct plan_item {
    int32_t cycle; // -1: one stage
    VEC(plan_stage) stages;
    // Cycles: the inner schedule of `block` steady states. No steps: rounds in which each actor fires as often as its
    // input allows, as in the initialisation and the drain.
    int64_t block; // > 1: the steps are one per stage, and hold for fewer steady states in proportion
    plan_steps steps;
} plan_item;

// What is fired on a processor in a run. Of a program on several processors there is one for each plan_cut_kernel of the cut
// (NOTE(kernels) in cut.h).
typedef struct plan_kernel {
    const char *name; // unique; of the actor or of the region it comes from
    uint32_t region;
    VEC(plan_item) items;
    VEC(uint32_t) after; // kernels of the same run that must have finished: earlier ones
} plan_kernel;

// A reader or writer: done by the control program.
typedef struct plan_io {
    uint32_t actor;
    plan_access access; // contiguous
} plan_io;

// The items enqueued in a channel, and where they are when the program starts.
typedef struct plan_initial {
    uint32_t channel;
    plan_access access;
} plan_initial;

// Where a kernel of a net runs. A static region that keeps nothing but items of its inputs from one steady state to the
// next may be data-parallel: helpers on other processors do chunks of the steady states of a run.
typedef VEC(const char *) plan_names;
typedef struct plan_net_place {
    // Of 'fiss'.
    const char *processor;
    plan_names helpers; // other processors
    int64_t least;      // steady states of a chunk at least; 0: it is not data-parallel
    plan_names offload; // or it is offloaded: strips of runs of `least` steady states or more go to these
    // Of 'strip-mine': these strips, in memories of their own. There, windows and what is inside of the region lie from byte
    // `at` on, each window in so many blocks. strip 0: it has not said.
    int64_t strip;
    uint32_t turns;
    uint64_t at;
} plan_net_place;

// What of a plan's text an error is about: a line, by kind and number; of stages, that of their actor.
typedef enum plan_line {
    PLAN_LINE_NAME,
    PLAN_LINE_STRIP,
    PLAN_LINE_BYTES,
    PLAN_LINE_BUFFER,
    PLAN_LINE_INITIAL,
    PLAN_LINE_STREAM,
    PLAN_LINE_ASSIGN,
    PLAN_LINE_QUEUE,
    PLAN_LINE_READER,
    PLAN_LINE_KERNEL,
    PLAN_LINE_STAGE,
    PLAN_LINE_WRITER,
} plan_line;

// Each field is one pass's. A pass that changes stages takes back what passes behind it decided.
typedef struct plan {
    // Of 'map'.
    const char *name;
    const char *machine, *control, *processor, *memory; // names in the machine file
    const plan_net *net;                                // NULL: all rates are static
    const plan_cut *cut;                                // NULL: one processor. Whose its fields are, cut.h says
    // What of the schedule shows when input ends; not in the text.
    bool drains;         // some reader can end, and what then fires may be seen (drain.c)
    int64_t *drain;      // per actor: most firings in the drain after steady states
    int64_t *init_drain; // per actor: most firings when input ends in the initialisation
    // Of 'sync-elim'; without it each channel has a buffer.
    VEC(plan_buffer) buffers;
    VEC(plan_initial) initials;
    VEC(plan_io) readers, writers;
    hmap *ends;   // per actor of these: 1 more than its number, writers behind readers (plan_know_ends)
    int64_t most; // greatest strip that the layout of the buffers has room for; 0: no bound
    // Of 'fuse'; the steps of cycles of 'coalesce'.
    VEC(plan_kernel) kernels; // in the order in which they are started; of a net: one for each static region
    // Of 'fiss', of a net on several processors.
    VEC(plan_net_place) where; // per kernel of it; empty: all run on `processor`
    int64_t rounds;            // strips that the control program has run at once
    // Of 'strip-mine'.
    int64_t strip; // most steady states in a run
    // What follows (plan_find_sizes), as sizes of buffers do.
    VEC(int64_t) capacities; // of a net: elements of each stream, to begin with
    // Of 'allocate', as addresses of buffers are.
    bool allocated;       // buffers have addresses
    uint64_t bytes;       // then: of memory that they take
    uint64_t least_bytes; // and that they take at some time at least: no layout has fewer
    hmap *lines;          // of a plan that was read, until it is verified: src_range by plan_line and number; else NULL
} plan;

// ---- Building (build.c): every pass leaves a complete, valid plan ----

// Where the items of each channel lie: a root channel's buffer through a view.
typedef struct plan_place {
    uint32_t root;
    plan_view view;
} plan_place;

struct hlc_program;
// For a plan that was read: its machine, with the processors that it names; false after an error.
bool plan_load_machine(struct hlc_program *p, const plan *pl);
// Cuts the program into kernels if it has dynamic rates or messages, and further where channels are to be apart (NULL:
// nowhere); false after an error.
bool plan_find_net(struct hlc_program *p, const bool *apart);
// Gives every static region its kernel, with its items in order.
void plan_gather_kernels(arena *a, plan *pl);
// A plan with one kernel an actor or cycle for the given places (one per channel); NULL after an error.
plan *plan_build(struct hlc_program *p, const plan_place *places, int64_t strip);
// Recomputes the sizes of buffers, for the plan's strip, and forgets addresses. Why that cannot be; NULL: it can.
const struct plan_reason *plan_find_sizes(arena *a, plan *pl, const sir_module *m, const schedule *s);
// When stages have changed: the same, and the dependences of kernels. False after an error.
bool plan_settle(arena *a, diag_engine *d, plan *pl, const sir_module *m, const schedule *s);
// Gives the buffers of a settled plan addresses.
void plan_assign_addresses(arena *a, plan *pl, const sir_module *m, const schedule *s);
void plan_forget_addresses(plan *pl);
// Drain counts (they need the schedule only).
void plan_count_drains(arena *a, const sir_module *m, const schedule *s, plan *pl);

// ---- Questions (query.c) ----

size_t plan_stage_members(const plan_stage *st);
// A member as a stage of its own.
plan_stage plan_stage_member(const plan_stage *st, size_t member);

typedef enum plan_phase { PLAN_INIT, PLAN_STEADY } plan_phase; // STEADY: every run but the first
// Items that a firing of a stage's actor moves through the stage's input and output; first: the first firing.
sched_rate plan_in_rate(const sir_module *m, const plan_stage *st, bool first);
int64_t plan_out_rate(const sir_module *m, const plan_stage *st, bool first);
// Items moved by `firings` firings from the program's start.
int64_t plan_in_items(const sir_module *m, const plan_stage *st, int64_t firings);
int64_t plan_out_items(const sir_module *m, const plan_stage *st, int64_t firings);
// Element at which the items of a run start.
int64_t plan_in_start(const plan *pl, const sir_module *m, const schedule *s, const plan_stage *st, plan_phase phase);
int64_t plan_out_start(const plan *pl, const sir_module *m, const schedule *s, const plan_stage *st, plan_phase phase);
int64_t plan_io_start(const plan *pl, const schedule *s, const plan_io *io, plan_phase phase);
bool plan_actor_has_prework(const sir_actor *actor);
// Where a kernel of a net runs.
const char *plan_net_processor(const plan *pl, uint32_t kernel);
// Actors that print, in order; marks: each must mark its steady states so that output can be merged.
typedef VEC(uint32_t) plan_actor_list;
plan_actor_list plan_printing_actors(arena *a, const sir_module *m);
bool plan_several_print(const sir_module *m);

// How a stage walks its buffers: item k of firing f (of a work function, counted from the run's start) is at the run's
// start + firing(f) + items(k).
// Copies: only in_firing and out_firing, of a firing in feedback cycles, of an item elsewhere.
typedef struct plan_walk {
    plan_digits in_items, out_items;   // within a firing; bounded
    plan_digits in_first, out_first;   // within the first firing, if it is another one
    plan_digits in_firing, out_firing; // of a firing
    int64_t in_skip, out_skip;         // elements by which work starts later in a run that begins with the first firing
} plan_walk;
// False when the views do not allow it.
bool plan_stage_walk(arena *a, const sir_module *m, const schedule *s, const plan_stage *st, plan_walk *w);
// So many firings of a filter's work function that begin at these items of two views; false also if they are no whole number
// of the walk's periods.
bool plan_filter_walk(arena *a, const sir_filter *f, const plan_view *in, int64_t in_first, const plan_view *out,
                      int64_t out_first, int64_t firings, plan_walk *w);

// ---- Channels of zeros (zeros.c) ----

// One of which runs of whole steady states hold the samples alone, behind the `keep` items of the buffer: NOTE(zeros) in
// hlc/emit/program_zeros.c.
typedef struct plan_zeros {
    uint32_t buffer;
    const plan_stage *from, *to; // at its ends
    int64_t kept;                // samples among the items that a run leaves for the next
    int64_t firings;             // of the consumer, for one of the `phases`
    int64_t room;                // for samples of a strip and those that are kept
} plan_zeros;
// False: runs move all items of the channel. For a buffer with base, step and keep.
bool plan_find_zeros(arena *a, const plan *pl, const sir_module *m, const schedule *s, uint32_t channel, plan_zeros *z);
// Whether buffers of such channels have no room for the zeros of a strip: on processors with memories of their own.
bool plan_leaves_zeros_out(const plan *pl);

// ---- Text and verifier ----

void plan_print(strbuf *out, const plan *pl, const sir_module *m);
// Parses the text of a plan for p's module and schedule, from a byte offset of the file on; if it says that the program is
// cut into kernels, these are p's then. NULL on any error, which is reported.
plan *plan_parse(struct hlc_program *p, source_id file, uint32_t begin);
// Where the text says it, or where it begins; no place if the plan was not read.
src_range plan_line_range(const plan *pl, plan_line line, size_t number);
// Everything that a plan promises: all stages there once and in order, views that fit, sizes, addresses; and, for as
// many items as a bound allows, that each firing finds the items that the stream graph gives it. Reports to d.
bool plan_verify(arena *a, diag_engine *d, const plan *pl, const sir_module *m, const schedule *s);

// ---- Passes ----

bool plan_pass_map(struct hlc_program *p); // processors and memory; one kernel an actor, splitters and joiners copy
bool plan_pass_sync_elim(struct hlc_program *p);  // splitters and joiners become views
bool plan_pass_coalesce(struct hlc_program *p);   // inner schedules of feedback cycles
bool plan_pass_fuse(struct hlc_program *p);       // consecutive stages become one kernel
bool plan_pass_fiss(struct hlc_program *p);       // which kernels run on several processors, and what that repeats
bool plan_pass_transfer(struct hlc_program *p);   // engines and windows where items are moved to local memories
bool plan_pass_strip_mine(struct hlc_program *p); // steady states a run covers
bool plan_pass_allocate(struct hlc_program *p);   // addresses of buffers

#endif
