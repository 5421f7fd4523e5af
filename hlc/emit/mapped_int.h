// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the files hlc/emit/mapped*.c share: facts of kernels, their windows and their runs as the emitted text has them.
//
// NOTE(runs). A kernel's strips go to processors in chunks, strips that follow each other on one. A chunk is one run or
// several, each of `each` strips; where the kernel primes (NOTE(priming) in hlc/plan/cut.h) another goes before them. A
// processor that reaches the shared memory works in the queue; for others engines move each run's window to one of `depth`
// blocks, used in turn, and back.
// NOTE(streams). With --transfer=stream a chunk is one run, whose kernel takes and gives a strip at a time through streams
// in its processor's memory; an element is a strip. Engines fill and empty them meanwhile: from and to the queue, or, where
// each kernel has one processor, from one kernel's stream to the other's (`straight`); kernels in one memory share the
// stream. What a window looks ahead at stays in a block behind the streams. The initialisation, priming and the end of
// input move their items to that block and back; such a run is a phase.
#ifndef SVMC_HLC_EMIT_MAPPED_INT_H
#define SVMC_HLC_EMIT_MAPPED_INT_H

#include "hlc/emit/program_int.h"

// A queue, by stream of the cut graph. Items are counted from the first of a round's own.
typedef struct mapped_queue {
    const plan_queue *queue;
    const plan_stream *stream;
    const char *name, *type; // its own; of items in memory
    const char *member;      // of the instance
    const sir_type *item;
    uint64_t size;       // of an item, in bytes
    uint64_t address;    // of its first slot, in bytes from where queues begin
    int64_t unit;        // items that make whole units of what engines move
    int64_t line;        // and, if those are few, of the shared memory's alignment
    int64_t aligned;     // and of the alignment of processors' memories
    int64_t step, init;  // of a steady state; of the initialisation
    int64_t prime;       // that priming reads; 0: its reader does not prime
    int64_t first, last; // most in the initialisation, or when input ends in it; most at the end of input
    int64_t given;       // then: as far as what gives them writes (plan_drain_writes); at least `last`
    bool straight;       // in rounds it is only streams
    bool forgets;        // a round leaves nothing in it for the next
    uint32_t file;       // of a reader or writer: its number
    const char *claimed,
        *place;       // of the instance, if items may stay in the file: whether those of a round are, and where
    const char *base; // then, where engines move them: the memory in which the round's first item lies; a member
} mapped_queue;

// The end of a queue at a kernel.
typedef struct mapped_window {
    const mapped_queue *queue;
    bool input;
    int64_t unit;                                // items that it is a multiple of: the queue's line where it is moved
    const char *name;                            // of the kernel's local and members of the same
    const char *place;                           // the function that places it
    const char *items_of, *from_of, *history_of; // members of the kernel
    uint64_t address, bytes;                     // of its blocks in a processor's own memory
    // NOTE(streams): it is a block of its processor's own; its strips come or go through a stream.
    bool own, stream;
    const machine_processor *mover; // of a straight output: the engine between the streams; NULL: there is one stream
    const char *stream_of;          // member of the kernel
    const char *streams;            // of the instance: by processor
    const char *strips;             // the function that places the strips of a run in the queue
    // The items may lie in a file, from which kernels read them to memory of their own, and to which they write.
    bool file;
    const char *file_of, *at_of, *first_of, *scratch_of; // members of the kernel: the file; what of it; where it goes
    const char *scratch;                                 // of the instance: by processor
} mapped_window;

// What a program whose windows are moved whole has: most are those of svm/mapped_tables.h, which says what they mean.
enum {
    FACT_MOVED = 1,
    FACT_DIRECT = 2,
    FACT_PRIMES = 4,
    FACT_REPEATS = 8,
    FACT_LOOPS = 16,
    FACT_SEVERAL = 32,
    FACT_OFFSETS = 64, // items may begin somewhere in a window
    FACT_SMALL = 128,
    FACT_HALOS = 256,
    FACT_LINKS = 512,
    FACT_FILES = 1024,
    FACT_READS = 2048,
    FACT_WRITES = 4096,
    FACT_PHASES = 1 << 13,
    FACT_COUNTS = 1 << 14,
    FACT_LOGS = 1 << 15,
    FACT_PUTS = 1 << 16,
    FACT_START = 1 << 17,
    FACT_INPUT = 1 << 18,
    FACT_OUTPUT = 1 << 19,
    FACT_STILL = 1 << 20,
    FACT_SINKS = 1 << 21,
    FACT_STRAIGHT = 1 << 22,
    FACT_BOUND = 1 << 23,
    FACT_FAILS = 1 << 24,
};

// Strips that follow each other on a processor.
typedef struct mapped_chunk {
    uint32_t processor, first, strips, each, run, before;
} mapped_chunk;

// A kernel of the cut (`planned`) as it is emitted (`k`).
typedef struct mapped_kernel {
    const program_kernel *k;
    const plan_cut_kernel *planned;
    uint32_t number;
    bool primes, moved, direct;          // some processor has its windows moved; some works in queues
    bool loops;                          // a run may be of several strips
    bool offsets;                        // items may begin somewhere in a window
    bool files;                          // some window may be in a file
    bool streams;                        // NOTE(streams)
    bool several;                        // it runs on several processors
    bool even;                           // all run it, each a chunk: a round that is not whole is shared evenly
    bool phases;                         // its initialisation does something, or the end of input may
    bool state;                          // its actors keep any, besides items
    uint32_t state_order;                // then: which it is of those on its home processor that do; the first is 1
    uint32_t state_before;               // the last such kernel before it there; PLAN_NONE: there is none
    int64_t group;                       // then: steady states that it is read and written for at once
    const char *name, *own_type, *strip; // the struct of its state; the function for a strip
    // NOTE(streams)
    const char *run_type, *chunks, *create, *create_priming, *create_all, *destroy, *order, *serve, *count, *repeat,
        *create_phase, *create_moves, *create_streams;
    const char *runs, *primings, *home; // members of the instance
    VEC(mapped_window) windows;
    VEC(mapped_chunk) rows;
    uint32_t run_count, home_processor;
} mapped_kernel;

typedef struct mapped {
    mapped_queue *queues;                       // by stream
    mapped_kernel *kernels;                     // by kernel
    uint64_t queue_bytes;                       // of all slots of all queues
    const char *processors;                     // the table
    const char *strip, *strips, *round, *slots; // constants
    const char *init;                           // the table of the initialisation's firings
    // Those of the plan's processors that run anything, in order, and the number of each among them.
    VEC(const plan_processor *) used;
    uint32_t *number_of;
    uint32_t *last_state; // by number among those: the last kernel at home there that keeps state, or PLAN_NONE
    bool moved, direct;   // some processor works in a memory of its own; in queues
    bool phases;          // of some kernel
    bool blocks;          // windows are moved whole: mapped_blocks.c
    unsigned facts;       // then, FACT_...
    uint32_t readers, writers;
} mapped;

// Facts of the whole plan; made once, when kernels have their names (mapped_facts.c).
const mapped *mapped_facts(program_emitter *x);
bool mapped_keeps_state(const program_emitter *x, uint32_t kernel); // for them (mapped_kernel.c)
int64_t mapped_round_up(int64_t items, int64_t unit);
int64_t mapped_history(const mapped_window *w); // items that a run's window has before its own, in whole units
bool mapped_has_stream(const mapped_window *w); // of its own: not the one of the other end
const mapped_window *mapped_other_end(const mapped *all,
                                      const mapped_window *w); // in the kernel that its queue leads to
int64_t mapped_primed(const mapped_window *w);                 // and that of priming
const mapped_window *mapped_window_of(const mapped_kernel *p, uint32_t buffer);
// Where the state of a kernel lies in what its processor has for itself, an expression; of the number of kernels: where all of
// a processor's (by number among those used) ends.
const char *mapped_state_place(program_emitter *x, uint32_t kernel, uint32_t processor);
// The bytes of a kernel's state there, an expression.
const char *mapped_state_bytes(program_emitter *x, uint32_t kernel);
// The place behind a kernel's state as a constant, from which others' are counted; NULL: it has none.
const char *mapped_state_behind(program_emitter *x, uint32_t kernel);

// ---- mapped.c ----
plan mapped_whole_plan(program_emitter *x); // the control program's graph is the whole one
void mapped_main(program_emitter *x);       // of that
// Bytes from one slot of a queue to the next, and how many slots it has.
typedef struct mapped_slots {
    uint64_t bytes;
    uint32_t count;
} mapped_slots;
mapped_slots mapped_slots_of(const program_emitter *x, const mapped_queue *r);

// ---- mapped_runs.c ----
int64_t mapped_strip_items(const program_emitter *x, const mapped_queue *r); // of a whole strip
int64_t mapped_round_items(const program_emitter *x, const mapped_queue *r);
void mapped_run_type(program_emitter *x, const mapped_kernel *p);
void mapped_window_function(program_emitter *x, const mapped_kernel *p, const mapped_window *w); // that places it
// A run knows its windows, where in them its items begin, and its logs; in a function that has `r`, `self` and `q`.
void mapped_point_windows(program_emitter *x, const mapped_kernel *p);
const char *mapped_times_plus(program_emitter *x, const char *factor, int64_t by, int64_t offset); // "strip * 512 - 64"
bool mapped_window_has_halo(const mapped_window *w); // its last items go to the next round's slot too
bool mapped_is_linked(const mapped_queue *r);        // it joins kernels
void mapped_place(program_emitter *x, int indent, const mapped_window *w, const char *slot, const char *first,
                  const char *items);

// ---- mapped_control.c ----
// What a kernel's windows are in the initialisation and at the end of input: the first item, how many, and where in them the
// kernel's own begin.
typedef struct mapped_span {
    int64_t first, items, from;
} mapped_span;
mapped_span mapped_span_of(const mapped_window *w, bool starting);
const char *mapped_choice(program_emitter *x, int64_t starting, int64_t later);
void mapped_count_init(program_emitter *x, int indent,
                       const mapped_kernel *p);                // run r fires what the initialisation does
void mapped_serve(program_emitter *x, const mapped_kernel *p); // a run by itself
void mapped_start_priming(program_emitter *x, const mapped_kernel *p);
void mapped_tell_files(program_emitter *x, const mapped_kernel *p, bool priming, const char *strip);
void mapped_control(program_emitter *x);

// ---- mapped_blocks.c: programs whose windows are moved whole ----
unsigned mapped_block_facts(const program_emitter *x, const mapped *all);
void mapped_block_constants(program_emitter *x, const mapped *all);
void mapped_block_types(program_emitter *x, const mapped *all);  // before kernels
void mapped_block_tables(program_emitter *x, const mapped *all); // behind them
void mapped_block_functions(program_emitter *x);                 // behind tables
void mapped_column(program_emitter *x, text_args *row, const char *name, int64_t value);
void mapped_processor_table(program_emitter *x, const mapped *all); // mapped.c
void mapped_queue_table(program_emitter *x, const mapped *all);     // mapped.c
// Items of a window that are in memory at once, where they come from a file or go to one (mapped.c).
int64_t mapped_scratch_items(const mapped_kernel *p, const mapped_window *w);
size_t mapped_log_count(program_emitter *x, uint32_t kernel); // of its actors that print

// ---- mapped_summary.c ----
void mapped_summary(program_emitter *x, const mapped *all); // a comment: which bytes go where in a round, and when

// ---- mapped_streams.c: what the same functions of other files do with streams ----
void mapped_stream_type(program_emitter *x, const mapped_kernel *p);
void mapped_stream_members(program_emitter *x, const mapped *all);
void mapped_stream_runs(program_emitter *x, const mapped *all); // functions that set runs up, after the instance
void mapped_stream_start(program_emitter *x, const mapped_kernel *p);
void mapped_stream_wait(program_emitter *x, const mapped_kernel *p);
void mapped_stream_serve_window(program_emitter *x, const mapped_kernel *p, const mapped_window *w);
void mapped_stream_serve_priming(program_emitter *x, const mapped_kernel *p, const mapped_window *w);
void mapped_stream_stored(program_emitter *x, const mapped_kernel *p, const mapped_window *w); // in the queue
bool mapped_stream_any(const mapped_kernel *p); // it has streams of its own
void mapped_stream_destroy_run(program_emitter *x, const mapped_kernel *p);
void mapped_stream_destroy(program_emitter *x, const mapped_kernel *p);
// In kernels: whether a window's block keeps items from strip to strip; behind the strip of a phase; around others.
bool mapped_stream_keeps(const mapped_window *w);
void mapped_stream_end_phase(program_emitter *x, const mapped_kernel *p, const text_args *args, const char *strip);
void mapped_stream_take(program_emitter *x, const mapped_kernel *p);
void mapped_stream_give(program_emitter *x, const mapped_kernel *p);

#endif
