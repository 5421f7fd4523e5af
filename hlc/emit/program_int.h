// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the files hlc/emit/program*.c share.
#ifndef SVMC_HLC_EMIT_PROGRAM_INT_H
#define SVMC_HLC_EMIT_PROGRAM_INT_H

#include "hlc/emit/body_int.h"
#include "hlc/emit/program.h"
#include "hlc/ir/counters.h"
#include "hlc/passes/pass.h"
#include "hlc/plan/plan_int.h"
#include "hlc/plan/threads.h"

// How loops over firings (or copied items) walk both sides.
typedef struct program_walk {
    plan_digits in, out;             // of the nest, innermost first, in the same radices; 0: as often as the count says
    plan_digits in_order, out_order; // in order of firings: the positions of firing number i
    bool general;                    // no common nest: one loop over in_order and out_order
    bool tail;                       // counts are not always whole rounds of in_order; then `in` has the same rounds
    const char *hint;                // to the C compiler, before the innermost loop; or NULL
    const char *lanes;               // text of how many firings go side by side, if any do
    bool refills;                    // counts vary: what is left over is done so, too, where that does no harm
    bool row;                        // they are those of the nest's innermost loop, else of the one without a bound
} program_walk;

// A loop of a walk's text (NOTE(loops) in program_walk.c): the nest, with so many firings at a time, or all positions in order
// up to the count; from a number of rounds on.
typedef enum program_mark { WALK_BEGIN, WALK_WHOLE, WALK_ROUNDS } program_mark;
typedef struct program_loop {
    bool plain;
    program_mark from;
    int lanes; // of a nest
} program_loop;

// A function that runs a number of firings, shared by all stages that fire the same function on the same layout.
typedef struct program_strip {
    const char *name;
    emit_signature fire;
    int lanes;                       // firings side by side; 0: one by one
    bool whole;                      // it begins and ends with what many firings are to make up for
    const struct program_skew *skew; // NULL: it is not of such
    int64_t in_stride, out_stride;   // of skew
    const char *pair;                // the function that does two at once; NULL: none is there yet
    bool one_by_one;                 // its firings are calls of `fire`, one after the other
    const char *prefix, *arrays;     // before names of fields: of locals, and of arrays (strip_body)
} program_strip;

// What the stages at the ends of a channel of zeros (sir_zeros) do in runs of whole steady states: NOTE(zeros) in program_zeros.c.
typedef struct program_zeros program_zeros;

// The functions of one stage.
typedef struct program_stage {
    const plan_stage *stage;
    emit_filter_info *info; // FIRE
    plan_walk walk;
    emit_signature fire, first; // FIRE: work, and prework if there is one
    bool has_prework;
    program_strip *strip;            // FIRE: a strip of one member's firings
    const program_strip *members;    // FIRE: of all members' firings in whole steady states; NULL: member by member
    const char *copy, *members_copy; // COPY: functions that copy a number of items, alike
    bool irregular;                  // there are runs other than of whole steady states in which it fires
    bool print_marks;                // each steady state is marked in the log
    const program_zeros *zeros;      // NULL: it is not beside such a channel
} program_stage;

// Names of the fields of a kernel's struct that belong to one actor; NULL: it has none such.
typedef struct program_actor_names {
    const char *state, *iter, *random, *log, *sender;
    const char *states; // counts steady states for marks in the log
} program_actor_names;

// An actor's count of firings in a kernel. Splitters and joiners may have stages in several kernels.
typedef struct program_firings {
    const char *count; // NOTE(firings) in program_kernel.c
    const char *text;  // the same as an operand
    bool starting;     // it needs to know whether that is the initialisation
    const char *name;
    size_t index;
} program_firings;

typedef struct program_kernel {
    const plan_kernel *kernel;
    const char *type, *run, *field; // C names: of the struct, the run function and the instance's field
    VEC(uint32_t) buffers;          // used, in order of first use
    VEC(const char *) buffer_names;
    hmap name_of;         // by buffer
    hmap firings_of;      // by actor: program_firings
    VEC(uint32_t) actors; // that it counts firings of
    VEC(uint32_t) shifts; // buffers whose kept elements it moves to the front
    bool uses_starting, uses_steady;
    const char *first_state,
        *last_state;         // members of its struct, between which is all that its actors keep; NULL: nothing
    const char *field_table; // prefix of the table of its actors, when their numbers are no range
    const char *own_type; // of a region whose state goes to another processor and back: its struct; NULL: it has none
} program_kernel;

// What such a filter does as a machine of few states: program_steps.c.
typedef struct program_steps program_steps;

// A filter with dynamic rates, as a kernel of its own.
typedef struct program_dynamic {
    uint32_t actor; // of the whole program
    emit_filter_info *info;
    emit_signature fire, first;
    program_actor_names names;
    const char *type, *run, *field; // as of a kernel
    const char *rates, *first_rates;
    bool fits; // firings are counted that go on at once (svm_dynamicFit)
    const program_steps *steps; // NULL: it is no such machine
} program_dynamic;

typedef struct program_emitter {
    emitter e;
    hlc_program *p;
    const sir_module *m;
    const schedule *s;
    const plan *pl;
    const char *name;           // the prefix of the program's functions and tables
    const char *type;           // of the instance
    size_t logs;                // actors that print
    bool has_init;              // something fires in the initialisation
    bool fails, fails_in_order; // a firing may stop the program; and firings before it in its phase can be seen
    uint32_t *kernel_of;        // per actor: the kernel that fires it
    hmap filters;               // emit_filter_info by filter's address
    hmap families;              // of filters that are alike, by filter's address (alike.c)
    hmap given_names;           // of parameters for constants
    hmap fires;                 // emit_signature by function and views
    hmap strips;                // program_strip by firing function and body
    const char *outlined;       // how their functions are declared, when it is known (program_strip.c)
    hmap behinds;               // names of functions of two stages: program_behind.c
    bool in_cycle;              // the stage at hand is in a feedback loop: it is on a processor that keeps state
    hmap threads;               // thread functions' names by firing function, rates and inputs
    hmap lanes;                 // strip_lanes by firing function and strides
    bool bits_header;           // svm/bits.h is included
    bool bytes_header;          // svm/bytes.h is included
    bool steps_header;          // svm/steps.h is
    hmap looked;                // program_looked by filter
    bool byte_lanes_header;     // svm/byte_lanes.h is included
    hmap lane_headers;          // numbers of lanes for which svm/lanes.h is included
    hmap copies;                // name by type and body
    program_stage **stages;     // by kernel: its stages in order
    program_kernel *kernels;    // by kernel
    program_actor_names *names; // by actor
    const char **item_counts;   // per channel inside a cycle: local that counts its items
    uint32_t *last_kernel;      // per buffer: the last kernel that uses it, PLAN_NONE if none
    plan_actor_list *buffers_of; // per kernel: its own, even if no stage uses them; NULL until needed
    const char **buffer_names;  // per buffer
    double *operations;         // per actor: of a firing, about
    plan_actor_list printing;
    plan_actor_list *cycle_members; // per cycle
    hmap zeros;                     // program_zeros by buffer
    hmap skews;                     // program_skew by firing function
    hmap across;                    // program_across by firing function
    hmap reversed;                  // program_reversed by firing function and walk
    hmap turned;                    // program_turned likewise
    hmap turns;                     // program_turns by filter
    hmap state_inits;               // by filter: name of the constant that its states start from
    // Of a program with dynamic rates.
    const plan_net *net;
    program_dynamic *dynamics; // per kernel of the cut graph that is a dynamic-rate actor
    struct program_region **region_of_kernel;
    uint32_t *number_in_region, *channel_in_region; // per actor and per channel
    const plan_io **io_of;                          // per end of a stream
    hmap tables;                                    // of static regions, by their text
    const plan_resources *offload_resources;        // NULL until needed
    const char **strip_types, **strip_tables;       // per kernel that is offloaded: names
    bool *block_taken;                              // per buffer: its region knows it
    strbuf *before;                                 // text that goes before the kernel at hand
    int deeper;                                     // levels by which lines are further to the right than they ask for
    size_t lines;                                   // that were written, so far, of all texts
    hmap *used;            // names that the text of its run has, for their declarations; NULL: of another function
    const char *own;       // a kernel's pointer to the state of its actors
    const char *allowed;   // name of the helper that feedback cycles use; NULL until needed
    struct mapped *mapped; // facts of a program on several processors; NULL until needed
    struct program_outside *outside; // what messages from outside are; NULL: there can be none
    struct program_library *library; // names of what a library offers; NULL: the program has a main function
} program_emitter;

// ---- program_text.c ----
enum { TEXT_COLUMNS = 120 };
void text_line(program_emitter *x, int indent, const char *format, ...) __attribute__((format(printf, 3, 4)));
// head, then the arguments separated by commas, then tail; wrapped at 120 columns.
typedef VEC(const char *) text_args;
// program.c: declares one of the machine's names, once, or (declared NULL) keeps others from taking it.
void program_declare_name(program_emitter *x, hmap *known, const char *macro, const char *name, text_args *declared);
void text_call(program_emitter *x, int indent, const char *head, const text_args *args, const char *tail);
void text_rows(program_emitter *x, int indent, const text_args *rows); // side by side
// A table: its head, "static const int t[] = {", then rows, each with a comma behind it, then the end of what began at
// `from`. In one line where that fits.
size_t text_begin_table(program_emitter *x, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_end_table(program_emitter *x, size_t from);
const char *text_plus(program_emitter *x, const char *base, int64_t offset); // "base", "base + 3"
const char *text_times(program_emitter *x, const char *factor, int64_t by);  // "0", "n", "n * 3"
// The element at a walk's index (an expression): "i * 4", "i % 4 + i / 4 * 16".
const char *text_position(program_emitter *x, const plan_digits *d, const char *index);
// "LowPass_1, fm.str:12"
const char *text_actor(program_emitter *x, uint32_t actor);
const char *text_member(program_emitter *x, hmap *taken,
                        const char *wanted);                    // a struct member's or local's name, not yet taken
// A memory or processor as an expression within functions. Locals of functions begin with small letters and could hide it: where
// its own name does so too, it is a constant, which these declare: text_memory_constant, text_processor_constant (text to go
// behind SVM_PROCESSOR, or "").
const char *text_processor(program_emitter *x, const char *name);
const char *text_processor_constant(program_emitter *x, const char *name);
const char *text_memory(program_emitter *x, const char *name);
void text_memory_constant(program_emitter *x, const char *name);
const char *text_comment(program_emitter *x, const char *text); // nothing in it ends or begins a comment or a line
const char *text_made_by(program_emitter *x);                   // the version, and the file with the program

// ---- program_lines.c ----
// The program's text with #line directives for its marks (NOTE(lines) in hlc/emit/body_stmt.c); path: its own file's.
const char *program_resolve_lines(program_emitter *x, const char *path);
void program_debugger(program_emitter *x); // what tells gdb of its commands for the program

// ---- program_items.c ----
// The fields of a reader or writer that tell what of its items differs between files and memory, with the table (a
// local of the function at hand, its name beginning with name) that they point to.
void program_item_parts(program_emitter *x, const sir_type *t, const char *name, text_args *args);

// ---- program_walk.c ----

enum { WALK_LOOPS = 2 };
// The loops of a walk, in order; lanes: firings side by side, 0: none.
size_t program_walk_loops(const program_walk *w, int lanes, program_loop loops[WALK_LOOPS]);
// Where the items of an ordered walk's loops lie: those in order where counts may leave some of a round over.
const plan_digits *program_walk_in(const program_walk *w);
const plan_digits *program_walk_out(const program_walk *w);
// --verify-each: whether the loops go through the positions of the first firings, each once; in their order unless free.
bool program_walk_is_exact(const program_walk *w, int lanes, bool free);

// ---- program_loops.c ----
emit_view program_view(program_emitter *x, const plan_digits *bounded);
// "in", "in + i * 4", "in + i2 * 16 + i": the pointer at the indices of a loop nest.
const char *program_nest_pointer(program_emitter *x, const char *base, const plan_digits *d);
// The same at a position i of all, in order.
const char *program_order_pointer(program_emitter *x, const char *base, const plan_digits *d);
// A walk through what is read and what is written. init_count: whether the counts of all runs are whole rounds of the nest is
// known from that of the initialisation and whether there are drains. free: firings may come in any order.
program_walk program_make_walk(program_emitter *x, const plan_digits *in, const plan_digits *out, int64_t init_count,
                               bool free);
// Its nest anew, from digits in firing order.
void program_make_nest(program_emitter *x, program_walk *w, bool free);
// That of fused members' steady states: the members' digits among those of the firings.
program_walk program_members_walk(program_emitter *x, const program_walk *one, const plan_stage *st);
// What is done at each index, given the pointers to in and out.
typedef void program_walk_body(program_emitter *x, int indent, void *context, const char *in, const char *out);
// Of how many firings that go side by side one is to be left over at least for them to be done so, with others again.
enum { REFILL_LEAST = 8 };
// Its loops. many: the context for firings side by side. begin: rounds that are done already.
void program_emit_walk(program_emitter *x, const program_walk *w, int lanes, const char *begin, program_walk_body *body,
                       void *many, void *one);
// With --verify-each an error if they leave something out of what the function of this name is to do.
void program_verify_walk(program_emitter *x, const program_walk *w, int lanes, bool free, const char *name);

// ---- alike.c ----
void program_find_alike(program_emitter *x); // before the following
emit_filter_info *program_filter_info(program_emitter *x, const sir_filter *f);

// ---- bit_lanes.c ----
// The function of a stage whose firings run one a bit of vectors (hlc/plan/bit_lanes.h); false: it is none.
bool program_bit_strip(program_emitter *x, const plan_item *item, const plan_stage *st, program_stage *code);

// ---- byte_lanes.c ----
// Of firings one a byte of vectors the function that fires as many as there are lanes: its name.
struct plan_bit_lanes;
const char *program_byte_fire(program_emitter *x, const emit_filter_info *info, const sir_function *f,
                              const struct plan_bit_lanes *b);

// ---- program_strip.c ----
void program_stage_functions(program_emitter *x, const plan_item *item, const plan_stage *st, program_stage *code);
// Arguments of a firing function behind in and out. scalars: how a scalar field is passed ("&%s" of a local), arrays:
// from the state at `state`.
void program_fire_arguments(program_emitter *x, const emit_filter_info *info, const emit_signature *fire,
                            const char *scalar_prefix, const char *state, const char *iter, const char *random,
                            const char *log, const char *sender, const char *actor, const char *const *given,
                            text_args *args); // given: what is given for constants; NULL: the caller's own parameters
// The name of the actor that a stage fires, for errors, as a C string.
const char *program_actor_text(program_emitter *x, const plan_stage *st);

// The functions of a filter that stands for a stage's in runs of whole steady states, with views of its own: items of the
// later runs' first firing are in_first and out_first of these. firings: in a steady state. False: the views do not allow it.
bool program_other_functions(program_emitter *x, const plan_stage *st, const sir_filter *f, const plan_view *in,
                             int64_t in_first, const plan_view *out, int64_t out_first, int64_t firings,
                             program_stage *code);

// The state of a strip of firings one by one, as locals, or (store) back from them.
void program_strip_state(program_emitter *x, const emit_filter_info *info, const program_strip *strip, bool store);
// As many firings of a stage as a register has lanes, where the stage has more; count 0: it has not. And their function, emitted.
emit_lanes program_register_lanes(program_emitter *x, const program_stage *code);
emit_signature program_lanes_fire(program_emitter *x, const program_stage *code, const emit_lanes *lanes);

// The types and functions for vectors of so many lanes.
void program_include_lanes(program_emitter *x, int lanes);

// The trips of a loop that go side by side at most (body_sides.c); 0: none do.
int program_most_aside(const program_emitter *x);

// ---- program_skew.c ----
// Trips of a firing's loop side by side, each of a firing of its own: NOTE(skew).
typedef struct program_skew program_skew;
// What the trips do, emitted; NULL: the function is no such loop. width: lanes of the processor's registers.
const program_skew *program_find_skew(program_emitter *x, const emit_filter_info *info, const sir_function *f,
                                      const emit_signature *fire, int width);
// The strip's firings, where there are enough of them, of contiguous items.
// The strides of the items of firings that follow each other.
// The function that does two such strips at once.
const char *program_skew_pair(program_emitter *x, program_strip *strip, const emit_filter_info *info);
void program_emit_skew(program_emitter *x, const program_skew *s, const emit_filter_info *info, int64_t in_stride,
                       int64_t out_stride);

// ---- program_reversed.c ----

// Firings that read in order and write in another one, side by side; NULL: they are not such, or that gains nothing.
typedef struct program_reversed program_reversed;
const program_reversed *program_find_reversed(program_emitter *x, emit_filter_info *info, const sir_function *f,
                                              const emit_signature *fire, const plan_walk *items,
                                              const program_walk *w);
// The loops over all of a strip's firings.
void program_emit_reversed(program_emitter *x, const program_reversed *r);

// ---- program_turned.c ----

// Steady states side by side, whose items are turned over before all of their firings; NULL: they are not such, or that gains
// nothing. firings: of a run.
typedef struct program_turned program_turned;
const program_turned *program_find_turned(program_emitter *x, emit_filter_info *info, const sir_function *f,
                                          const emit_signature *fire, const plan_walk *items, const program_walk *w,
                                          int64_t firings);
// Those of whole vectors, of which "whole" is the number of steady states.
void program_emit_turned(program_emitter *x, const program_turned *t);

// ---- program_bytes.c ----
// The table in which a strip's firings look items up, all of them bytes, and do nothing else, and items of a firing;
// table NULL: they do otherwise.
typedef struct program_bytes {
    const char *table;
    int64_t items;
} program_bytes;
program_bytes program_find_bytes(program_emitter *x, const emit_filter_info *info, const sir_function *f,
                                 const program_walk *w);
// Looks up for the firings that fill vectors, "whole" of them; the others are left.
void program_emit_bytes(program_emitter *x, const program_bytes *b);

// ---- program_looked.c ----
// What several firings of a filter do, each to a bit, by the int that it keeps: a table. NULL: there is none.
typedef struct program_looked {
    const char *table;
    int bits;       // that go together
    int64_t pushes; // bits a firing
    uint32_t field; // the int
} program_looked;
const program_looked *program_find_looked(program_emitter *x, const emit_filter_info *info, const sir_filter *own,
                                          const emit_signature *fire, const program_walk *w);
// Looks up for as many firings as go together, "whole" of them; the others are left. prefix: of the local that has the int.
void program_emit_looked(program_emitter *x, const program_looked *l, const emit_filter_info *info, const char *prefix);

// ---- program_across.c ----
// Trips of a firing's loop side by side, of one firing: NOTE(across).
typedef struct program_across program_across;
// What the trips do, emitted; NULL: the function is no such loop, or it is not worth it.
const program_across *program_find_across(program_emitter *x, emit_filter_info *info, const sir_function *f, int width);
// Emits what the trips of loops inside others do, for the firing function that comes next: NOTE(inside).
void program_find_inside(program_emitter *x, emit_filter_info *info, const sir_function *f, int width);
// A firing. fire: calls the function of program_across_fire.
void program_emit_across(program_emitter *x, const program_across *a, int indent, const char *in, const char *out,
                         void fire(program_emitter *x, int indent, void *context, const char *in, const char *out),
                         void *context);
const emit_signature *program_across_fire(const program_across *a);

// ---- program_counters.c ----
// Firings of a filter whose state only counts, side by side up to where it begins again: NOTE(turns).
typedef struct program_apart {
    uint32_t field, other; // counters that lead to elements of one array, of which a firing sets one
} program_apart;
typedef struct program_turns {
    sir_counters counters;
    sir_beside beside;
    const char **times, **plus; // per sequence: names of the tables of what each firing of a turn does; NULL: it counts
    VEC(program_apart) apart;
} program_turns;
// NULL: the state is something else, or it is not worth it.
// own: the filter whose firings they are, with functions of info's.
const program_turns *program_find_turns(program_emitter *x, emit_filter_info *info, const sir_function *f,
                                        const sir_filter *own, const emit_signature *fire);
// The loops around `body` up to the end of the strip, fields being locals with the prefixes PROGRAM_TURN_OUTER outside and
// PROGRAM_TURN_INNER for a firing.
#define PROGRAM_TURN_OUTER "state_"
#define PROGRAM_TURN_INNER "now_"
void program_emit_turns(program_emitter *x, const program_turns *t, const emit_filter_info *info,
                        void body(program_emitter *x, int indent, void *context, const char *in, const char *out),
                        void *context, const char *in, const char *out);

// ---- program_zeros.c ----
struct program_zeros {
    uint32_t buffer, producer;
    int64_t every, first; // of the channel's items
    int64_t keep, kept;   // items that a run leaves for the next, and samples among them
    int64_t firings;      // of the consumer, for one of `phases`
    program_stage samples, phases;
};
void program_find_zeros(program_emitter *x); // after the functions of the stages
const program_zeros *program_zeros_of(const program_emitter *x, uint32_t buffer);
// The stage in a run of whole steady states; in, out: as its own call would have them.
void program_zeros_stage(program_emitter *x, int indent, const program_kernel *k, const program_stage *code,
                         const char *in, const char *out);
// The samples that are kept go where the next run finds them.
void program_zeros_keep(program_emitter *x, int indent, const program_kernel *k, const program_zeros *z);

// ---- thread.c: firings as threads of a soft processor (docs/softproc.md) ----
// Where the items of a side's elements are, in elements of the buffer (svm_Plane).
typedef struct program_side {
    int64_t step, stride, second;
} program_side;
typedef struct program_threads {
    const char *name; // of the thread function; NULL: it has none
    plan_thread shape;
    int64_t pop, peek, push;
    bool reads;             // it has an input
    bool in_ints, out_ints; // its items are ints
    bool apart;             // each lookup has an input of its own
    program_side in, out;
} program_threads;
// The thread function of a strip's firings, emitted. Where the program's machine launches nothing, or this cannot be, there is none.
program_threads program_thread_function(program_emitter *x, emit_filter_info *info, const sir_function *f,
                                        const emit_signature *fire, const plan_walk *items, const program_walk *w);
// Launches all that are whole threads; gives the rounds of the walk that are done then.
const char *program_launch(program_emitter *x, const program_threads *t, const program_walk *w);
bool program_launches(const program_emitter *x); // the program's machine has a processor for that

emit_signature program_fire_function(program_emitter *x, emit_filter_info *info, const sir_function *f,
                                     const plan_digits *in, const plan_digits *out);
// The constant that states start from, if its actors have states; first: of prework, or empty.
void program_state_initial(program_emitter *x, const emit_filter_info *info, const emit_signature *fire,
                           const emit_signature *first);
bool program_handlers_touch(program_emitter *x, const emit_filter_info *info); // fields

// ---- program_tiles.c ----
// The first of a kernel's stages that go through a run together, and how many steady states at a time: NOTE(tiles).
typedef struct program_tiles {
    size_t stages; // 0: none do
    int64_t steady;
    bool always; // what they do then is right for all runs
    int64_t
        behind; // they are two, the second so many steady states behind the first: NOTE(behind) in program_behind.c; or 0
} program_tiles;
program_tiles program_find_tiles(program_emitter *x, const program_stage *codes, size_t count);
// otherwise: the text of the stages for runs that are not of whole steady states.
void program_emit_tiles(program_emitter *x, const program_kernel *k, const program_stage *codes, program_tiles t,
                        const char *otherwise);

// Whether the first two stages go through a run at the same time: NOTE(pairs) in program_skew.c.
typedef enum program_pair {
    PAIR_NONE,
    PAIR_STEADY,
    PAIR_ALWAYS
} program_pair; // in runs of whole steady states; in all
program_pair program_find_pair(const program_emitter *x, const program_stage *codes, size_t count);
// otherwise: of PAIR_STEADY, as above.
void program_emit_pair(program_emitter *x, const program_kernel *k, const program_stage *codes, program_pair pair,
                       const char *otherwise);

// ---- program_behind.c ----
// How many steady states the second of two stages is behind the first, which waits; 0: it is not. And the function that does
// both, emitted.
int64_t program_find_behind(program_emitter *x, const program_stage *codes);
const char *program_behind_function(program_emitter *x, const program_stage *codes, int64_t behind);

// ---- program_kernel.c ----
void program_kernel_scan(program_emitter *x, uint32_t kernel); // finds what the struct holds; before the following
void program_kernel_struct(program_emitter *x, uint32_t kernel);
// Of a kernel's struct: what a run is told and works with; steady: how many steady states it has.
void program_run_members(program_emitter *x, uint32_t kernel, bool steady);
void program_state_members(program_emitter *x, uint32_t kernel); // of a struct of what its actors keep
// What the text of a run finds in its struct. used: names that the text has; strip: it is no kernel by itself.
void program_run_locals(program_emitter *x, const program_kernel *k, const hmap *used, bool strip);
void program_kernel_functions(program_emitter *x, uint32_t kernel);
// The start of a port's items as an expression on a buffer's pointer: "a", "a + 63", "a + (starting ? 0 : 63)". phase
// -1: both.
const char *program_start(program_emitter *x, program_kernel *k, const char *base, int64_t init, int64_t steady,
                          int phase);
const char *program_buffer_name(const program_kernel *k, uint32_t buffer);
const program_firings *program_firings_of(const program_kernel *k, uint32_t actor);
// One call of a stage for a count of firings; in, out: pointers to where they start.
void program_stage_call(program_emitter *x, int indent, const program_stage *code, const char *in, const char *out,
                        const char *count);
// The first firing by itself.
void program_first_call(program_emitter *x, int indent, const program_stage *code, const char *in, const char *out);

// Pointers to items that a function declares; those of a type that follow each other in one declaration.
typedef struct program_pointers {
    program_emitter *x;
    const char *type;
    text_args rows;
} program_pointers;
void program_add_pointer(program_pointers *p, const sir_type *t, const char *name, const char *value);
void program_write_pointers(program_pointers *p);        // those added last
void program_uses(program_emitter *x, const char *name); // a buffer's local, "starting", or the state
// What a run still needs moves to the front: in all blocks, in those that streams fill, or in the others.
typedef enum program_shifted { SHIFTED_ALL, SHIFTED_WINDOWS, SHIFTED_INSIDE } program_shifted;
void program_shifts(program_emitter *x, int indent, const program_kernel *k, program_shifted which);
size_t program_shift_count(const program_emitter *x, const program_kernel *k, program_shifted which);
bool program_shifts_start(const program_emitter *x, const program_kernel *k); // "starting" is among what they name
const char *program_block(program_emitter *x, const program_kernel *k, uint32_t buffer); // a kernel's
const char *program_log(program_emitter *x, const program_actor_names *n);               // a pointer to it
// Whether there are runs in which actors fire as often as they are told: the drain, or part of a phase of which a firing fails.
bool program_has_phases(const program_emitter *x);
// Whether kernels are told how often their actors fire, beside how many steady states.
bool program_counts_firings(const program_emitter *x);
void program_kernel_firings(program_emitter *x, const program_kernel *k); // the member of its struct

// ---- mapped*.c: programs on several processors ----
uint32_t mapped_end_kernel(const program_emitter *x,
                           uint32_t buffer); // of the window that it is; PLAN_NONE: it is none
bool mapped_gives_window(const program_emitter *x, const plan_stage *st); // what the stage makes leaves the kernel
bool mapped_primes(program_emitter *x, uint32_t kernel);                  // some runs of the kernel prime
void mapped_kernel_struct(program_emitter *x, uint32_t kernel);
// Declares a kernel's local for a buffer, or for its state.
void mapped_local(program_pointers *p, const program_kernel *k, size_t buffer);
void mapped_own(program_emitter *x, const program_kernel *k);
// What its processor has for itself, of which the two above are parts, if a text with these names needs it.
void mapped_memory(program_emitter *x, const program_kernel *k, const hmap *used);
bool mapped_strips(program_emitter *x, const program_kernel *k); // a run may be of several strips
bool mapped_goes_on(program_emitter *x, const program_kernel *k); // and the kernel goes through them with svm_roundNextStrip
// What a run begins and ends with.
void mapped_begin(program_emitter *x, uint32_t kernel);
void mapped_end(program_emitter *x, uint32_t kernel);
// The function of a strip, and what the kernel's own does then, where runs are of several strips.
void mapped_strip_head(program_emitter *x, const program_kernel *k, const hmap *used, const char *name);
void mapped_strip_loop(program_emitter *x, const program_kernel *k, const char *strip);
void mapped_next_strips(program_emitter *x, const program_kernel *k, const hmap *used, const char *body); // if it goes on so
const char *mapped_strip_name(program_emitter *x, const program_kernel *k);
const char *mapped_processors(program_emitter *x, uint32_t kernel); // those that run it, for a comment
bool mapped_holds_processor(program_emitter *x, uint32_t kernel);   // SVM_KERNEL(holds_processor)
bool mapped_input_first(program_emitter *x, uint32_t kernel);       // and input_first
bool mapped_in_blocks(program_emitter *x); // its control program is that of svm/mapped_control.h
// Declares the machine's processors and memories, behind those that all programs have; NULL: takes their names.
void mapped_names(program_emitter *x, text_args *declared);
void mapped_types(program_emitter *x);                      // before the kernels' functions
void mapped_program(program_emitter *x);                    // the instance and the control program
bool mapped_has_state(program_emitter *x, uint32_t kernel); // whether its actors keep any, besides items

// ---- program_cycle.c ---- Whether a cycle ever runs other than in whole steady states.
bool program_cycle_has_rounds(const program_emitter *x, const plan_item *item);
// Emits the functions of a cycle, and gives the call. strip: the struct of a strip on another processor, if it is of one,
// which has whole steady states; or NULL. named: buffers that the call names; or NULL.
const char *program_cycle_function(program_emitter *x, uint32_t kernel, const plan_item *item,
                                   const program_stage *codes, const char *strip, text_args *named);

// ---- program_tables.c ----
bool program_names_rows(const program_emitter *x); // the program is so small that rows of tables name their actors
// declaration: type and name; rows have their commas.
void program_table(program_emitter *x, const char *comment, const char *declaration, const text_args *rows);
void program_count_table(program_emitter *x, const char *comment, const char *name, const char *type,
                         const int64_t *values, size_t count);
void program_firing_table(program_emitter *x, const char *comment, const char *name, const int64_t *values);
void program_channel_table(program_emitter *x);

// ---- program_again.c: programs of which firings may fail (svm/strip.h) ----
// Whether a firing of the filter may stop the program: by a quotient, or by a check that its text has.
bool program_may_fail(program_emitter *x, const sir_filter *filter, bool dynamic);
void program_find_failing(program_emitter *x);   // before the functions of stages
void program_verify_failing(program_emitter *x); // behind them: --verify-each
void program_again_tables(program_emitter *x);   // behind those of the drain
void program_again(program_emitter *x);          // what does a strip again, behind what does it first
void program_shift_written(program_emitter *x, int indent); // what writers leave in their buffers moves to the front, as behind a run (program_control.c)

// ---- program_control.c ----
void program_instance(program_emitter *x);
void program_control(program_emitter *x);
void program_create_blocks(program_emitter *x);
const char *program_quoted(program_emitter *x, const char *text);
// Sets a reader's or writer's fields and opens it. actor: of the whole program.
void program_create_io(program_emitter *x, const sir_actor *actor, const char *field, bool reader);
void program_start_text(program_emitter *x);
void program_run_entry(program_emitter *x); // run, which calls the control function, and steadyStates
void program_main(program_emitter *x, bool in, bool out);
bool program_channel_is_zero(const sir_channel *c);
void program_write_initial(program_emitter *x, const plan_initial *initial, const char *name); // from that table
void program_initial_table(program_emitter *x, const sir_channel *c, const char *consumer, const char *name);

// ---- program_library.c ----
void program_library_names(program_emitter *x);                        // taken before others; after x->name is known
const char *program_linkage(const program_emitter *x);                 // "static " in a library
const char *program_entry(const program_emitter *x, const char *what); // the function that svm_Program has for it
void program_new_instance(program_emitter *x);                         // the beginning of create
void program_forget(program_emitter *x, size_t readers, size_t writers, size_t logs); // a library's
void program_library(program_emitter *x);                                             // the functions that it offers
const char *program_library_header(program_emitter *x);                               // what declares them

// Firings of each actor, a line each where that is readable.
const char *program_chunked_io(program_emitter *x); // emits functions that open the files; gives their calls

// ---- program_dynamic.c, program_region.c, program_net.c: programs with dynamic rates ----
void program_dynamic_functions(program_emitter *x);
// The tables of a kernel that is a machine of few states; NULL: it is none. base: of its names.
const program_steps *program_find_steps(program_emitter *x, uint32_t kernel, const sir_actor *actor, const char *base);
void program_steps_members(program_emitter *x, const program_steps *s); // of the kernel's struct
void program_steps_run(program_emitter *x, const program_steps *s);
void program_describe_regions(program_emitter *x);
void program_region_struct(program_emitter *x, uint32_t kernel); // members of a kernel's struct
void program_region_tables(program_emitter *x, uint32_t kernel);
void program_region_kernel(program_emitter *x, uint32_t kernel, const char *run, double operations);
void program_region_create(program_emitter *x, uint32_t kernel);
size_t program_region_helpers(const program_emitter *x, uint32_t kernel); // of a data-parallel region
void program_region_name_helpers(program_emitter *x, uint32_t kernel, const char *field);
void program_region_members(program_emitter *x, uint32_t kernel); // of the instance, for these
size_t program_region_create_helpers(program_emitter *x, uint32_t kernel, size_t at);
uint32_t program_region_number(const program_emitter *x, uint32_t kernel);   // in the cut graph
const char *program_region_field(const program_emitter *x, uint32_t kernel); // the instance's, of helpers or strips
size_t program_region_blocks(program_emitter *x, uint32_t kernel, const uint32_t **blocks); // buffers

// ---- program_offload.c: regions whose runs are done in strips on processors with memories of their own ----
bool program_offloads(const program_emitter *x); // some region is offloaded
bool program_is_offloaded(const program_emitter *x, uint32_t kernel);
// Declares what strips run on and are moved by, or (NULL) keeps others from taking these names.
void program_offload_names(program_emitter *x, hmap *known, text_args *declared);
void program_offload_state(program_emitter *x, uint32_t kernel); // the struct of what it keeps, if it does
uint64_t program_offload_bytes(program_emitter *x);              // of all these structs, behind the program's buffers
void program_offload_create_state(program_emitter *x, uint32_t kernel);
void program_offload_struct(program_emitter *x, uint32_t kernel);
// body: the text of a run; cycles: where it calls the functions of its cycles, in order, for which strips have their own.
typedef struct program_calls {
    VEC(size_t) begins, ends;
} program_calls;
void program_offload_kernel(program_emitter *x, uint32_t kernel, const char *body, const program_calls *cycles,
                            const hmap *used, double operations);
void program_offload_members(program_emitter *x, uint32_t kernel);
void program_offload_create(program_emitter *x, uint32_t kernel, size_t number); // of those before it
void program_net(program_emitter *x);                                            // the instance and the control program

// ---- program_messages.c: of programs with messages ----
bool program_has_messages(const program_emitter *x);
void program_message_types(program_emitter *x);
bool program_receives(const program_emitter *x, uint32_t actor); // of the whole program, as the following
bool program_sends(const program_emitter *x, uint32_t actor);
// Names that handlers need in a kernel's struct beside those of firings; taken NULL: plain names, of a dynamic-rate actor.
void program_handler_names(program_emitter *x, const emit_filter_info *info, const char *name, hmap *taken,
                           program_actor_names *names);
// Delivers what is due: in a kernel, before it fires. local: the scalar fields that are locals of the kernel; NULL: none.
void program_deliver(program_emitter *x, int indent, uint32_t actor, const emit_filter_info *info,
                     const program_actor_names *names, const emit_signature *local);
size_t program_way_count(const program_emitter *x);
void program_way_instance(program_emitter *x); // members
void program_way_tables(program_emitter *x);
void program_way_streams(program_emitter *x); // rows of streams
// Statements of create. kernel_of gives the C text of the kernel struct of an actor, sender_of that of its sender.
typedef struct program_way_places {
    const char *const *kernel, *const *sender,
                                   *const *common; // per actor of the whole program: "self->Gain", ...; NULL
} program_way_places;
void program_way_create(program_emitter *x, const program_way_places *places);

// ---- program_outside.c: messages from outside the program ----
// A handler of a portal's receivers, all of which take the same arguments.
typedef struct program_given {
    const char *portal;
    const sir_function *handler;
    VEC(const sched_outside *) to;
} program_given;
struct program_outside {
    const char *table;        // of the emitted program
    VEC(program_given) given; // in the order of portals and handlers
};
void program_find_outside(program_emitter *x); // before names are taken for a library
void program_outside(program_emitter *x);      // its tables; before svm_Program
const char *program_parameters_text(program_emitter *x, const sir_function *handler); // "float gain, int[4] taps"

// ---- program_drain.c ----
void program_drain_tables(program_emitter *x);
void program_order_table(program_emitter *x);  // of svm/strip.h
bool program_drains(const program_emitter *x); // there is a function for the end of input
void program_drain(program_emitter *x);

// ---- program_profile.c ----
void program_fires(program_emitter *x);
void program_samples(program_emitter *x, text_args *rows); // of svm_Program

#endif
