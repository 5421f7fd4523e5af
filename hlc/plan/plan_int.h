// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the parts of the planner share.
#ifndef SVMC_HLC_PLAN_PLAN_INT_H
#define SVMC_HLC_PLAN_PLAN_INT_H

#include "hlc/plan/plan.h"

// Sum of the first count weights.
int64_t plan_weights(const sir_actor *actor, size_t count);
// Bytes of an item in memory, as C lays it out; *align is what it must start at a multiple of.
uint64_t plan_item_size(const sir_type *t, uint64_t *align);
// The same in a channel, where a bit may take less.
uint64_t plan_element_bytes(const sir_module *m, uint32_t channel);
uint64_t plan_buffer_bytes(const plan_buffer *b, const sir_module *m);

// The graph of pieces, or the cut graph, that the plan is for, or NULL: the program's own.
const plan_net *plan_graph_of(const plan *pl);

// One with the same kernels, for another cut or the same, to size and place buffers in.
plan *plan_copy(arena *a, const plan *pl, const plan_cut *cut);
// As plan_find_sizes; false after an error.
bool plan_resize(arena *a, diag_engine *d, plan *pl, const sir_module *m, const schedule *s);

// Of a cut graph: the reader or writer whose items the buffer holds; else PLAN_NONE.
uint32_t plan_end_of(const plan *pl, const sir_module *m, uint32_t buffer);
// The other way round: the buffer of a reader or writer; NULL: the actor is none of the plan's.
const plan_buffer *plan_buffer_of_end(const plan *pl, uint32_t actor);
// For that, when all readers and writers are there.
void plan_know_ends(arena *a, plan *pl);

// Bytes that each block of an end takes where windows are moved.
uint64_t plan_window_bytes(const plan *pl, const sir_module *m, uint32_t buffer);

// Every use of a buffer: by stages, initial items, readers and writers, in the order of a run.
typedef struct plan_use {
    uint32_t buffer;
    bool writes;
    // PLAN_NONE: the control program, before the kernels (readers, enqueued items) or, writes being false, after them.
    uint32_t kernel, item;
    const plan_access *access;
    int64_t init, steady;      // items moved in the initialisation and in a steady state
    int64_t drain, init_drain; // and at most in the drain
} plan_use;
typedef void plan_use_visitor(void *context, const plan_use *use);
void plan_visit_uses(const plan *pl, const sir_module *m, const schedule *s, plan_use_visitor *visit, void *context);
// Per buffer: up to which element, from its base on, stages write when input has ended after steady states. Those of one that
// writes for a joiner may go further than what the joiner's firings need: its input may last longer than that of others.
int64_t *plan_drain_writes(arena *a, const plan *pl, const sir_module *m, const schedule *s);

// One side (input or output) of what a stage does: by how many items each firing moves on and how many it touches.
typedef struct plan_side {
    bool prework;
    int64_t first_step, first_window; // of the first firing
    int64_t step, window;             // of all others
    int64_t init, reps;               // firings in the initialisation, with the first, and in a steady state
} plan_side;
typedef struct plan_side_digits {
    plan_digits first, items, firing;
    int64_t skip;
} plan_side_digits;
// The side of a stage that copies weight items a firing: item by item, as nothing needs whole firings to lie together.
plan_side plan_copy_side(const schedule *s, uint32_t actor, int64_t weight);
// How a side walks a view; false when a window does not lie in it as one firing's items must, or a run does not start
// where its rounds do.
bool plan_side_walk(arena *a, const plan_view *v, const plan_side *side, plan_side_digits *d);

// ---- net_assign.c ---- Assigns the kernels of a net to processors; whether there are several. Whether a processor may be
// one of them; the processor of a kernel.
bool plan_net_assign(struct hlc_program *p);
// Per channel, whether to cut a region there so that it is data-parallel, or what has state is by itself; NULL: nowhere.
const bool *plan_find_apart(struct hlc_program *p);
// Per kernel, why its runs need those before them; NULL: they need nothing but items of its inputs.
const plan_reason **plan_net_keepers(struct hlc_program *p, const plan *pl);
bool plan_net_may_run_on(struct hlc_program *p, const plan *pl, const machine_processor *x);

// ---- net_offload.c ---- Of a kernel of a net that is offloaded, the blocks that a strip of it has in a processor's memory.
// KEPT: what is inside of it and keeps items from one steady state to the next, which go there and back with each run.
// KEEPING: what is given and keeps items, too: each strip begins with those that the one before has left.
typedef enum plan_offload_kind {
    PLAN_OFFLOAD_INSIDE,
    PLAN_OFFLOAD_INPUT,
    PLAN_OFFLOAD_OUTPUT,
    PLAN_OFFLOAD_KEPT,
    PLAN_OFFLOAD_KEEPING,
} plan_offload_kind;
typedef struct plan_offload_block {
    uint32_t buffer;
    plan_offload_kind kind;
    int64_t step, more; // elements: for each steady state, and beside these
    // Elements that a run of a KEPT one, or a strip of a KEEPING one, begins with, in whole units of what engines move. 0: all of
    // a KEEPING one's window goes there, as what is behind these comes back with it.
    int64_t kept;
    uint64_t address, bytes; // bytes: of a window, each turn of which has so many
} plan_offload_block;
typedef struct plan_offload {
    VEC(plan_offload_block) blocks;
    int64_t unit;             // a strip is a multiple of so many steady states
    uint64_t bytes;           // where what it takes ends
    uint64_t state, state_at; // bytes of its actors' state, at most: 0: they have none; where it lies
} plan_offload;
plan_offload plan_offload_of(arena *a, diag_engine *d, const plan *pl, const sir_module *m, const schedule *s,
                             const plan_processor *on, uint32_t kernel);
// Whether the steady states of a kernel of a net keep something but items of its inputs.
bool plan_offload_keeps(const plan *pl, const sir_module *m, uint32_t kernel);
// Elements more that the buffer of an offloaded region's input has room for: what engines move beyond its last item.
int64_t plan_offload_room(const plan *pl, const sir_module *m, uint32_t buffer);
// The processors that regions can be offloaded to, with engines for both ways; NULL: there are none. One of them by name, or
// NULL; where its bytes of its memory begin.
const plan_resources *plan_offload_resources(struct hlc_program *p, const plan *pl);
const plan_processor *plan_offload_processor(const plan_resources *r, const char *name);
uint64_t plan_offload_base(const plan_resources *r, const plan_processor *q);
// Steady states that lengths of strips are a multiple of, so that vectors are filled too, if that was possible.
int64_t plan_offload_grain(struct hlc_program *p, uint32_t kernel, int64_t unit);
// fiss: which regions are offloaded; whether any is. strip-mine: the strips and windows of these; false: some stay after all.
typedef struct plan_net_work {
    const double *all, *once; // per kernel: operations in a steady state of the program, in one of its own
} plan_net_work;
bool plan_net_offload(struct hlc_program *p, const plan_net_work *work);
bool plan_net_settle_offloads(struct hlc_program *p);
// Why what the plan says of an offloaded region cannot be, and of which; NULL: it can.
const plan_reason *plan_net_wrong_offload(struct hlc_program *p, const plan *pl, uint32_t *kernel);

// ---- copies.c ---- Puts an identity filter between each file that is read and the one that it is copied to; false after an
// error.
bool plan_split_copies(struct hlc_program *p);

// ---- horizontal.c ----
typedef VEC(plan_item) plan_item_list;
bool plan_filter_can_fuse_horizontally(const sir_filter *f); // its firings are independent of each other
// Fuses items horizontally in order of a run; gives whether there were any.
bool plan_fuse_horizontally(struct hlc_program *p, plan_item_list *items);

// ---- lanes.c ---- Whether the actor's firings will go side by side in vectors.
bool plan_runs_in_lanes(struct hlc_program *p, uint32_t actor);
// Whether they will, where items that lie side by side are those of several firings: then it takes no loop.
bool plan_runs_in_planes(struct hlc_program *p, uint32_t actor);
// Whether a filter's could, if they are long enough, on some processor.
bool plan_may_run_in_lanes(arena *a, const sir_module *m, const sir_filter *f);
// Whether the code of a firing, statements in a row, names each item that it takes or gives by a number.
bool plan_names_items(const sir_function *work);
// Gives ints that need few bits types that say so, before a program is cut up; NOTE(narrow). Whether that is wanted of a
// new plan.
void plan_narrow(struct hlc_program *p);
bool plan_should_narrow(const struct hlc_program *p);

// ---- horizontal_places.c ---- Moves channels of equal branches into common buffers. Gives how many steady states a strip
// may have at most then; 0: any number. known: NOTE(known) in sync_elim.c. transposed: buffers that were.
int64_t plan_horizontal_places(struct hlc_program *p, plan_place *places, bool known, size_t *transposed);

// ---- sync_elim.c ---- Whether the actors at both ends of a channel can work on its items through this view.
// known: also where filters in lanes name their items by numbers, if there they lie across steady states in the end.
bool plan_place_fits(struct hlc_program *p, uint32_t channel, const plan_view *v, bool known);
// Whether they can so alone.
bool plan_needs_known(struct hlc_program *p, uint32_t channel, const plan_view *v);

// ---- replay.c ---- Plays the initialisation and some steady states through; false after an error, which d has.
bool plan_replay(arena *a, diag_engine *d, const plan *pl, const sir_module *m, const schedule *s);

// ---- cost.c ---- A rough count of the operations of one firing of an actor: loops of unknown length count as ten
// rounds, branches as their mean.
double plan_actor_operations(arena *a, const sir_module *m, uint32_t actor);
// The same for all actors; filters that instances share are looked at once.
double plan_filter_operations(arena *a, const sir_filter *f); // of a firing of its work function
double *plan_operations(arena *a, const sir_module *m);
// Of a whole steady state, as it runs where items are known to be zeros; what is known of a channel's, or NULL.
double plan_steady_operations(struct hlc_program *p);
const sir_zeros *plan_zeros_of(const struct hlc_program *p, uint32_t channel);
// Seconds per byte in the nearest memory of a processor that holds so many bytes.
double plan_seconds_per_byte(const machine *m, const machine_processor *kernel, double bytes);
// Whether a processor that is known to look ahead (this computer's) has so much to compute in a steady state that it does
// not wait for what moves meanwhile, in and out of so many bytes of channels in a part of the second cache: measured on
// transforms and banks of filters, whose strips are then up to 8 times as long and 5 to 12 % faster; a sorting network,
// which moves more, was 16 % slower.
bool plan_computing_hides(const struct hlc_program *p, double operations, double moved, double bytes);

// ---- remarks.c: what each pass says for --remarks, at its end ----
void plan_remark_bits(const struct hlc_program *p);
void plan_remark_map(struct hlc_program *p);
void plan_remark_sync_elim(struct hlc_program *p);
void plan_remark_layout(struct hlc_program *p, size_t buffers, int64_t steady_states);
void plan_remark_coalesce(struct hlc_program *p);
void plan_remark_fuse(struct hlc_program *p);
void plan_remark_fiss(struct hlc_program *p);
// work: per kernel, operations in a steady state of the program; keeps: why it is not data-parallel, or NULL.
void plan_remark_net(struct hlc_program *p, const plan_reason *why, const double *work,
                     const plan_reason *const *keeps);
void plan_remark_offload(struct hlc_program *p,
                         const plan_reason *const *stays);       // per kernel: why it is not offloaded, or NULL
void plan_remark_strips(struct hlc_program *p, uint32_t kernel); // of a kernel that is
void plan_remark_stay(struct hlc_program *p, uint32_t kernel, const plan_reason *why);
void plan_remark_transfer(struct hlc_program *p);
void plan_remark_strip_mine(struct hlc_program *p);
void plan_remark_allocate(struct hlc_program *p);

// Greatest memory that the buffers of a program may take.
#define PLAN_MAX_BYTES (UINT64_C(1) << 40)

// ---- drain.c ----
bool plan_has_reader(const sir_module *m);
// Whether anything can be seen of what fires when input ends within a steady state, or within the initialisation.
bool plan_drain_shows(const sir_module *m, const schedule *s);

#endif
