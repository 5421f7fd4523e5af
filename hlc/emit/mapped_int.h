// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the files hlc/emit/mapped*.c share: facts of parts, their windows and their runs as the emitted text has them.
//
// NOTE(runs). A part's strips go to processors in chunks, strips that follow each other on one. A chunk is one run or
// several, each of `each` strips; where the part primes (NOTE(priming) in hlc/plan/parts.h) another goes before them. A
// processor that reaches the shared memory works in the ring; for others engines move each run's window to one of `depth`
// blocks, used in turn, and back.
#ifndef SVMC_HLC_EMIT_MAPPED_INT_H
#define SVMC_HLC_EMIT_MAPPED_INT_H

#include "hlc/emit/program_int.h"

// A ring, by stream of the cut graph. Items are counted from the first of a round's own.
typedef struct mapped_ring {
    const plan_ring *ring;
    const plan_stream *stream;
    const char *name, *type; // of the instance's member; of items in memory
    const sir_type *item;
    uint64_t size;       // of an item, in bytes
    int64_t unit;        // items that make whole units of what engines move
    int64_t aligned;     // and of the alignment of processors' memories
    int64_t step, init;  // of a steady state; of the initialisation
    int64_t prime;       // that priming reads; 0: its reader does not prime
    int64_t first, last; // most in the initialisation, or when input ends in it; most at the end of input
    uint32_t file;       // of a reader or writer: its number
    const char *claimed,
        *place; // of the instance, if items may stay in the file: whether those of a round are, and where
} mapped_ring;

// The end of a ring at a part.
typedef struct mapped_window {
    const mapped_ring *ring;
    bool input;
    int64_t unit;            // items that it is a multiple of: the ring's where it is moved
    const char *name;        // of the kernel's local and members of the same
    const char *place;       // the function that places it
    uint64_t address, bytes; // of its blocks in a processor's own memory
    // The items may lie in a file, from which kernels read them to memory of their own, and to which they write.
    bool file;
    const char *file_of, *at_of, *first_of, *scratch_of; // members of the kernel: the file; what of it; where it goes
    const char *scratch;                                 // of the instance: by processor
} mapped_window;

// Strips that follow each other on a processor.
typedef struct mapped_chunk {
    uint32_t processor, first, strips, each, run, before;
} mapped_chunk;

typedef struct mapped_part {
    const program_kernel *k;
    const plan_part *part;
    uint32_t number;
    bool primes, moved, direct; // some processor has its windows moved; some works in rings
    bool loops;                 // a run may be of several strips
    bool offsets;               // items may begin somewhere in a window
    bool files;                 // some window may be in a file
    int64_t group;              // then: steady states that it is read and written for at once
    const char *name, *run_type, *chunks, *length, *at, *before, *strip_run, *create, *create_priming, *create_all,
        *destroy, *order, *serve, *fires, *count, *repeat, *strip;
    const char *runs, *primings, *home; // members of the instance
    VEC(mapped_window) windows;
    VEC(mapped_chunk) rows;
    uint32_t run_count, home_processor;
} mapped_part;

typedef struct mapped {
    mapped_ring *rings;                        // by stream
    mapped_part *parts;                        // by kernel
    const char *processors;                    // the table
    const char *strip, *strips, *round, *sets; // constants
    // Those of the plan's processors that run anything, in order, and the number of each among them.
    VEC(const plan_processor *) used;
    uint32_t *number_of;
    bool moved, direct; // some processor works in a memory of its own; in rings
    uint32_t readers, writers;
} mapped;

// Facts of the whole plan; made once, when kernels have their names (mapped_facts.c).
const mapped *mapped_facts(program_emitter *x);
int64_t mapped_round_up(int64_t items, int64_t unit);
int64_t mapped_ahead(const mapped_window *w);  // items that a run's window has before its own, in whole units
int64_t mapped_primed(const mapped_window *w); // and that of priming
const mapped_window *mapped_window_of(const mapped_part *p, uint32_t buffer);
// Where the state of a part lies in what its processor has for itself, an expression; of the number of parts: where all of
// a processor's (by number among those used) ends. With streams every processor has room for all parts' state.
const char *mapped_state_place(program_emitter *x, uint32_t kernel, uint32_t processor);

// ---- mapped.c ----
plan mapped_whole_plan(program_emitter *x); // the control program's graph is the whole one
void mapped_main(program_emitter *x);       // of that

// ---- mapped_runs.c ----
int64_t mapped_strip_items(const program_emitter *x, const mapped_ring *r); // of a whole strip
int64_t mapped_round_items(const program_emitter *x, const mapped_ring *r);
void mapped_run_type(program_emitter *x, const mapped_part *p);
void mapped_runs(program_emitter *x, const mapped_part *p); // functions that set up a part's runs, after the instance
bool mapped_window_has_tail(const mapped_window *w);        // its last items go to the next round's segment too
int64_t mapped_first_tail(const program_emitter *x, const mapped_ring *r); // the first strip that has some of them
bool mapped_is_linked(const mapped_ring *r);                               // it joins parts
void mapped_links(program_emitter *x);                                     // functions that set up dependences of parts
void mapped_place(program_emitter *x, int indent, const mapped_part *p, const mapped_window *w, const char *processor,
                  const char *block, const char *set, const char *first, const char *items);
// Loops over a part's chunks and, unless it is for what primes, their runs below so many steady states: "c", "k", "r" and
// "chunk". Gives how many braces are open.
int mapped_each_run(program_emitter *x, const mapped_part *p, const char *states, bool primings);

// ---- mapped_control.c ----
void mapped_serve(program_emitter *x, const mapped_part *p); // a run by itself
void mapped_control(program_emitter *x);

// ---- mapped_streams.c ----
void mapped_stream_program(program_emitter *x); // with streams: tables of svm/rounds.h

#endif
