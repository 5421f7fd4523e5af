// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inside the interpreter: bytecode, actors, channels, and what its files share.
//
// NOTE(words). Every scalar takes one word of 8 bytes, complex too; aggregates are the words of their scalars in memory
// order. A frame has a function's constants below its base (register -1 is the first), then locals, then temporaries.
// NOTE(sharing). Functions are compiled once a filter. The frames of work and prework functions live as long as the
// program: firings never overlap. Other functions get theirs from a stack.
#ifndef SVMC_HLC_INTERP_INTERP_INT_H
#define SVMC_HLC_INTERP_INTERP_INT_H

#include <stdio.h>

#include "hlc/interp/interp.h"
#include "support/strbuf.h"

typedef union word {
    int32_t i;
    float f;
    double d;
    struct {
        float re, im;
    } c;
    union word *p;
    const struct vm_gathered *g;
    uint64_t bits;
} word;
_Static_assert(sizeof(word) == 8 && sizeof(sir_scalar) == 8, "values of the IR are copied as words");

// A stream that a finite filter fetches elements from, without gaps; dimensions that it has not are of extent 1. No extent is 0.
typedef struct vm_gathered {
    const word *data;
    int64_t extent[SIR_RANK]; // slowest first
    size_t item;              // words of an element
} vm_gathered;

// ---- Bytecode ----

typedef enum vm_op {
#define OP(name, weight) VM_##name,
#include "hlc/interp/ops.def"
    VM_OP_COUNT
} vm_op;

typedef struct vm_insn {
    uint32_t op;
    int32_t a, b, c, d;
} vm_insn;

// Where an instruction comes from, for run-time errors.
typedef struct vm_origin {
    const sir_expr *expr; // may be NULL
    sir_loc loc;
} vm_origin;

typedef struct vm_function {
    const sir_function *source;
    const sir_filter *filter; // NULL for those of helper blocks
    VEC(vm_insn) code;
    VEC(vm_origin) origin; // parallel to code
    VEC(word) constants;
    int32_t frame_words; // locals and temporaries
    int32_t *slot;       // per local
    word *frame;         // base of the lasting frame of a work or prework function; else NULL
    bool compiled, prints;
} vm_function;

// A place that sends messages.
typedef struct vm_send {
    const sir_stmt *source;
    uint64_t words;   // of the arguments
    union word *free; // arguments of messages that were delivered, each with the next in its first word
} vm_send;

typedef struct vm_text {
    const char *text;
    size_t len;
} vm_text;

typedef struct vm_program {
    arena *arena;
    const sir_module *m;
    diag_engine *d;
    bool count; // emit COUNT instructions
    bool check_rates;
    bool failed;
    VEC(vm_function *) functions;
    hmap numbers; // by sir_function *: number + 1
    VEC(vm_text) texts;
    VEC(vm_send) sends;
    word *globals;
    int32_t *global_start; // per global
    hmap field_starts;     // by sir_filter *: int32_t per field
} vm_program;

// Which functions there are; compiled are those asked for and what they call. NULL after an error.
vm_function *vm_compile(vm_program *p, const sir_filter *filter, const sir_function *f);
int32_t vm_function_number(vm_program *p, const sir_filter *filter, const sir_function *f);
const int32_t *vm_field_starts(vm_program *p, const sir_filter *f); // the last entry is the total
void vm_store_value(word *to, const sir_value *v);

// ---- Actors and channels ----

typedef struct vm_channel {
    word *data;
    size_t head, tail, cap; // in words: [head, tail) is what it holds
    size_t item;            // words an item
    size_t bound;           // words that producers wait not to exceed (NOTE(bounds) in dynamic.c)
    bool too_full;          // the producer has waited since somebody popped
} vm_channel;

#define VM_MAX_CHANNEL_WORDS ((size_t)1 << 28)
#define VM_UNBOUNDED (SIZE_MAX / 2)

typedef struct vm_reader vm_reader;
typedef struct vm_writer vm_writer;

typedef struct vm_port {
    uint32_t channel; // SIR_NONE: none
    int64_t first_peek, first_pop, peek, pop, push, first_push;
} vm_port;

struct vm_dynamic;

// A message on its way.
typedef struct vm_message {
    int64_t due; // delivered just before the receiver's firing of that number
    uint32_t sender;
    vm_function *handler;
    vm_send *send;
    word *args;
} vm_message;

typedef struct vm_actor {
    const sir_actor *source;
    vm_function *work, *prework;
    struct vm_dynamic *dynamic; // of a filter with dynamic rates
    VEC(vm_message) messages;   // to it, by when they are due, then by sender, then as they were sent
    word *state;
    int64_t work_firings;
    bool fired;
    uint64_t random;
    strbuf *print; // NULL until it prints
    vm_port *in, *out;
    uint32_t in_count, out_count;
    vm_reader *reader;
    vm_writer *writer;
} vm_actor;

// ---- The machine ----

typedef enum vm_trap {
    VM_TRAP_NONE,
    VM_TRAP_INDEX, // value: the subscript, limit: the length
    VM_TRAP_DIVIDE,
    VM_TRAP_POP,         // limit: the declared rate
    VM_TRAP_PUSH,        // more than declared
    VM_TRAP_PUSHED,      // fewer than declared: value
    VM_TRAP_CALL_POPPED, // value: by a call of a function, which declares other numbers
    VM_TRAP_CALL_PUSHED,
    VM_TRAP_PEEK, // value: the offset, limit: the window
    VM_TRAP_DEPTH,
    VM_TRAP_NATIVE,
    VM_TRAP_MISSED, // value: the latency
} vm_trap;

typedef struct vm_call {
    const vm_insn *next;
    word *frame;
    vm_function *function;
    size_t chunk, top;
} vm_call;

typedef struct vm_chunk {
    word *data;
    size_t cap;
} vm_chunk;

typedef struct vm {
    vm_program *program;
    arena *arena;
    uint64_t operations;
    VEC(vm_call) calls;
    VEC(vm_chunk) chunks;
    size_t chunk, top, stack_words;
    struct interp *interp;
    VEC(word) message;          // arguments of the message that is being sent
    VEC(word) kept;             // what a finite filter pushed
    struct vm_dynamic *dynamic; // of the filter with dynamic rates whose machine this is; NULL: rates are static
    // of the burst of firings that is running
    vm_actor *actor;
    const word *in;
    word *out;
    int64_t peek, pop, push; // items
    size_t in_item, out_item;
    // the error that stopped it
    vm_trap trap;
    const vm_function *trap_function;
    size_t trap_at; // instruction
    int64_t trap_value, trap_limit;
} vm;

enum { VM_MAX_CALLS = 10000 };
#define VM_MAX_STACK_WORDS ((size_t)1 << 25)

// A filter with dynamic rates: one firing at a time, straight on its channels. It may stop within a firing, where it
// needs more items than its input holds, and go on there later; so it has a machine and frames of its own.
typedef struct vm_dynamic {
    vm machine;
    struct interp *interp;
    uint32_t in, out; // channels; SIR_NONE: none
    word *frame[2];   // base of the frames of work and prework
    bool stopped;     // within a firing; the registers below are then those of the instruction to do again
    const vm_insn *ip;
    vm_function *f;
    word *R, *N, result;
    int64_t popped, pushed; // by the firing up to where cursors were last synchronised
    int64_t wanted;         // items that the input must hold for it to go on; 0: the output must have room
    bool idle;              // the last firing neither popped nor pushed: the next waits for one item more
    int64_t idle_items;     // how many the last such one, or one behind it, began with; 0: items were popped since
} vm_dynamic;

// Runs count firings of a function; false after a trap. Of a dynamic-rate actor: one firing or what is left of it, until it ends or
// needs items (dynamic->stopped).
bool vm_execute(vm *v, vm_actor *actor, vm_function *f, int64_t count);
void vm_report_trap(vm *v, diag_engine *d);

// One way that messages go, with what it depends on.
typedef struct interp_route {
    const sched_message *way;
    sched_sdep *sdep; // from the upstream actor to the other; NULL: anytime
} interp_route;

// An actor that --trace or --stop-at looks at.
typedef struct watch_actor {
    bool steps;        // fires one by one, so that each firing can be seen
    bool traced;       // its firings are printed
    int64_t completed; // firings
    strbuf moved[2];   // what the firing under way has popped, and pushed, as text
} watch_actor;

typedef struct interp_watch {
    watch_actor *actors; // per actor
    bool *channels;      // per channel: what is pushed and popped is printed
    strbuf line;
    uint32_t stop; // the actor that stops the program before a firing; SIR_NONE: none does
    int64_t before;
    bool stopped; // it has
} interp_watch;

typedef struct interp {
    arena *arena;
    const sir_module *m;
    const schedule *s;
    diag_engine *d;
    const interp_options *options;
    vm_program program;
    vm machine;
    vm_actor *actors;
    vm_channel *channels;
    VEC(uint32_t) readers, writers, printers; // actors
    bool in_order;                            // no channel leads backwards: steady states need no looking at tokens
    bool endless;                             // a phase may be: some actors fire as often as their input allows
    bool input_ended;
    bool draining;        // no more items come from sources
    bool failed;          // reported
    interp_route *routes; // parallel to the schedule's messages
    vm handlers;          // runs handlers
    bool no_more_sends;   // what senders of upstream messages could still send does not come
    int64_t *left;        // per actor: firings left of the phases so far; -1 no limit
    uint64_t *walked;     // per actor: the last walk over waits that came to it (interp_stuck)
    uint64_t walks;
    uint64_t *dirty;     // bit set of actors to look at
    interp_watch *watch; // NULL: nobody looks
} interp;

// Room for so many items more in a channel; false after an error.
bool interp_reserve(interp *r, uint32_t channel, int64_t items);
static inline int64_t interp_items_in(const vm_channel *c)
{
    return (int64_t)((c->tail - c->head) / c->item);
}
// Items that a channel takes until its producer waits.
static inline int64_t interp_room_in(const vm_channel *c)
{
    size_t held = c->tail - c->head;
    return held < c->bound ? (int64_t)((c->bound - held) / c->item) : 0;
}
// Messages (messages.c).
bool interp_build_routes(interp *r);
// Firings that an actor has completed.
static inline int64_t interp_completed(const vm_actor *a)
{
    return a->work_firings + (a->prework != NULL && a->fired);
}
// Sends v->message; false when the moment of its delivery has passed.
bool interp_send(vm *v, vm_send *send, int32_t latency);
// Messages of --set: to each receiver of a portal, before its first firing; false after an error.
bool interp_set(interp *r, const char *text); // outside.c
// A message to an actor. Of those that are due at once, those from outside go first (sender SIR_NONE), then by sender.
void interp_add_message(interp *r, vm_actor *to, vm_message message);
// The compiled handler of that name; NULL: there is none.
vm_function *interp_find_handler(interp *r, const sir_filter *f, const char *name);
// How many firings there are before the next message, or before one could come; at most k.
int64_t interp_before_message(const interp *r, uint32_t actor, int64_t k);
// The actor whose firings another one waits for, that messages may come in time; SIR_NONE: it waits for none.
uint32_t interp_awaited_sender(const interp *r, uint32_t actor);
// Delivers what is due before the actor's next firing; false after an error.
bool interp_deliver(interp *r, uint32_t actor);
vm_dynamic *interp_dynamic_build(interp *r, vm_actor *a); // dynamic.c
int64_t interp_dynamic_can_fire(const interp *r, const vm_actor *a, int64_t left);
// Firings completed, 0 or 1; -1 after an error.
int64_t interp_dynamic_fire(interp *r, vm_actor *a);
// Nothing can fire. Gives a channel whose producer waits for room a greater bound, if that is in the way of an actor with
// firings left to be made, or, when draining, of any; false: none is.
bool interp_grow_channel(interp *r);
// An actor with firings left that are never made, whatever phases follow; SIR_NONE: there is none.
uint32_t interp_stuck(interp *r);
// The program cannot go on: says who waits for whom, from that actor on.
void interp_report_deadlock(interp *r, uint32_t stuck);
bool interp_build(interp *r);                              // fire.c: actors and channels; false after an error
int64_t interp_fire(interp *r, uint32_t actor, int64_t k); // firings done: fewer at the end of input; -1 after an error
int64_t interp_can_fire(const interp *r, uint32_t actor);

// Looking inside (watch.c). Reads the options; false after an error.
bool interp_watch_build(interp *r);
// As interp_fire; r->watch->stopped when the program is to stop before one of these firings.
int64_t interp_watch_fire(interp *r, uint32_t actor, int64_t k);
// Prints the actor that has stopped: its fields, messages, and the items on its channels.
void interp_watch_show(interp *r);

// ---- Files: every function reports what goes wrong and then gives false (or NULL) ----

vm_reader *vm_reader_open(interp *r, const sir_actor *actor);
bool vm_reader_read(vm_reader *f, word *to, int64_t count, int64_t *done); // fewer than count: the input has ended
bool vm_reader_at_end(vm_reader *f, bool *end);
void vm_reader_close(vm_reader *f);
vm_writer *vm_writer_open(interp *r, const sir_actor *actor);
bool vm_writer_write(vm_writer *f, const word *from, int64_t count);
bool vm_writer_close(vm_writer *f);

// Items as they lie in a file: as a C program has them in memory, little-endian (items.c). Bits alone are packed
// instead.
bool vm_is_wav(const char *path); // which only compiled programs read and write
size_t vm_item_bytes(const sir_type *t);
const unsigned char *vm_item_decode(const sir_type *t, const unsigned char *from, word **to); // gives what follows
unsigned char *vm_item_encode(const sir_type *t, const word **from, unsigned char *to);

#endif
