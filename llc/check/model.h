// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What svm-check knows of a program. It follows the control code from its roots (main, control threads, functions that
// nothing in the file calls), going into the functions that it calls, with values as far as constants tell them; what
// that code does with the API becomes a list of events, in the order of execution, which the findings are made from.
//
// Where a condition is unknown both branches are followed, each in a context of its own; a loop whose end is unknown is
// followed once without events (what it changes becomes unknown) and then twice with them, in a context. So an event
// says "if this is executed", and what is absent is absent on every path. When something cannot be followed (a call
// through a pointer, recursion, too many steps) `incomplete` is set, and findings from absence are not made.
#ifndef SVMC_LLC_CHECK_MODEL_H
#define SVMC_LLC_CHECK_MODEL_H

#include "llc/backend.h"
#include "support/hmap.h"

typedef struct node node;
typedef VEC(CXCursor) cursor_list;
typedef VEC(size_t) index_list;

// ---- Values ----

// Memory that svm_alloc or svm_map gave, by the place of the call.
typedef struct region {
    const machine_memory *memory; // NULL: not known
    int64_t bytes;                // -1: not known
    src_range at;
} region;

typedef enum value_kind { VALUE_UNKNOWN, VALUE_INT, VALUE_ADDRESS, VALUE_REGION, VALUE_FUNCTION } value_kind;
typedef struct value {
    value_kind kind;
    int64_t number; // VALUE_INT; VALUE_REGION: offset in it
    node *place;    // VALUE_ADDRESS
    region *region;
    CXCursor function;
} value;

// ---- Places: variables, their fields and elements ----

struct node {
    node *parent, *first, *next; // children
    const char *name;            // of a variable or field; NULL: an element
    int64_t index;               // of an element; -1: one that is not known
    CXType type;
    bool own;   // a variable that other files do not know
    bool vague; // not one place for certain: an unknown element, or what an unknown pointer points to
    value value;
    size_t serial;
    size_t mark;       // of the last merge that saw it
    index_list events; // about it
    index_list users;  // of a stream: runs of kernels that use it
};

// ---- Events ----

// Where an event stands. Two events can both happen in one execution for certain (given the inner one) only if one's
// context is within the other's; loops whose iterations are followed one by one and calls make no difference to that.
typedef enum context_kind {
    CONTEXT_ROOT,
    CONTEXT_BRANCH, // of a condition that is not known
    CONTEXT_LOOP,   // whose end is not known
    // Of these none counts:
    CONTEXT_COUNTED, // a loop whose iterations are followed one by one
    CONTEXT_CALL,
    CONTEXT_REST // of a scope that one way of a condition has left
} context_kind;
typedef struct context {
    const struct context *parent;
    context_kind kind;
} context;

typedef enum stream_role { ROLE_PRODUCER = 1, ROLE_CONSUMER = 2, ROLE_EITHER = 3 } stream_role;

typedef enum event_kind {
    EVENT_BLOCK,     // svm_blockInit
    EVENT_STREAM,    // svm_streamInit...
    EVENT_KERNEL,    // svm_kernelInit, and those of DMA kernels
    EVENT_DESTROY,   // svm_streamDestroy
    EVENT_DEPEND,    // object depends on other
    EVENT_RUN,       // uses: from the kernel's fields at this time
    EVENT_WAIT,      // one for each kernel waited for
    EVENT_PAUSE,     // by the control thread
    EVENT_END,       // the same
    EVENT_ASK,       // svm_kernelStateOf: the program may go on only once the kernel is over
    EVENT_CONTROL_IO // the control thread pushes or pops: it may have waited for anything
} event_kind;

// A stream that a kernel uses.
typedef struct stream_use {
    node *stream;
    stream_role role;
} stream_use;

// What kernels that run one function do, or DMA kernels of one type.
typedef struct kernel_use {
    const char *field; // of the kernel's struct
    stream_role role;
    // Two-phase access: what was acquired and released first, by role - 1; file 0: nothing.
    src_range acquired[2], released[2];
} kernel_use;
typedef struct kernel_class {
    CXCursor function; // null for DMA kernels
    const char *name;
    bool unknown; // it may use streams in ways that are not seen
    bool pauses;
    VEC(kernel_use) uses;
} kernel_class;

typedef struct event {
    event_kind kind;
    node *object; // block, stream or kernel (the svm_Kernel itself); NULL: not known
    node *other;
    src_range at;
    src_range from; // of the call of the function that it is in; file 0: a root
    const context *context;
    unsigned thread; // control thread; 0 is the one of main
    // EVENT_BLOCK, EVENT_STREAM
    const llc_name *memory;
    value address, capacity, element_size;
    bool fifo; // svm_streamInitFIFO
    // EVENT_KERNEL
    const llc_name *processor;
    kernel_class *class; // NULL: not known
    // EVENT_RUN
    VEC(stream_use) streams;
    VEC(stream_use) blocks; // DMA kernels only: what they read (ROLE_CONSUMER) and write
    bool unknown_streams;
    const node *source, *destination; // DMA kernels only; NULL: not known
    value moved;                      // elements, of DMA kernels between streams
} event;

// ---- The walk ----

typedef struct change {
    node *place;
    value value;
} change;
typedef VEC(change) change_list;

// Two ways that join again: what the first stored, while the second is followed.
typedef struct branch {
    size_t begin; // in the checker's changes
    change_list first;
} branch;

// A call being followed.
typedef struct frame {
    const struct frame *caller;
    CXCursor function;
    value result;
    bool returned; // with a result at least once
    src_range at;  // of the call; file 0: a root
} frame;

typedef struct checker {
    llc_session *session;
    llc_unit *unit;
    arena *arena;
    hmap variables;      // node by declaration (its cursor's data)
    hmap instances;      // node by type: what an unknown pointer to a struct of the program points to
    hmap instance_users; // types of which a variable has been found to point there, in this root
    hmap children;       // cursor_list by cursor
    hmap regions;        // region by call
    hmap classes;        // kernel_class by function or type
    hmap called;         // functions that another function of the file calls
    VEC(event) events;
    index_list loose;       // those that are about an unknown or vague place
    index_list loose_users; // runs that use a vague stream
    change_list changes;    // what places held before, since the outermost open branch began
    const context *context;
    const frame *frame;
    unsigned depth;    // of calls
    unsigned branches; // open ones: changes are noted
    unsigned silent;   // above 0: no events
    unsigned thread, threads;
    size_t steps, nodes, merges;
    bool incomplete;
    bool main_found;
    bool elsewhere; // a function of another file is called, which may initialise streams
    CXCursor main_function;
} checker;

enum { MAX_STEPS = 400000, MAX_DEPTH = 24, MAX_UNROLL = 64, MAX_NODES = 200000 };

// ---- nodes.c ----

node *node_of_variable(checker *c, CXCursor declaration);
node *node_temporary(checker *c, CXType type); // a new one
// What an unknown pointer to this type points to. It is one place for certain for the first variable of a root that
// holds such a pointer, until that changes; user is null for all other pointers.
node *node_instance(checker *c, CXType pointee, CXCursor user);
node *node_field(checker *c, node *of, const char *name, CXType type);
node *node_element(checker *c, node *of, int64_t index, CXType type); // of an array; index -1: not known
node *node_find_field(const node *of, const char *name);              // NULL when nothing was stored there
// The element `steps` behind one, or NULL.
node *node_neighbour(checker *c, node *element, int64_t steps);
void node_set(checker *c, node *n, value v);
void node_forget(checker *c, node *n); // it and all in it become unknown
void node_copy(checker *c, node *to, const node *from);
// Follow the first way between begin and turn, the second between turn and end. What they leave different becomes
// unknown.
void branch_begin(checker *c, branch *b);
void branch_turn(checker *c, branch *b);
void branch_end(checker *c, branch *b);
const char *node_text(checker *c, const node *n); // "instance.filter1"
bool value_same(const value *a, const value *b);
bool is_record(CXType type, const char *name); // the struct of this name

// ---- eval.c ----

value eval(checker *c, CXCursor expression);
node *eval_place(checker *c, CXCursor expression); // NULL: not known
void eval_initialiser(checker *c, node *to, CXCursor initialiser);
const cursor_list *children_of(checker *c, CXCursor cursor);
bool step(checker *c); // false: too many
static inline value value_int(int64_t number)
{
    return (value){.kind = VALUE_INT, .number = number};
}
static inline value value_address(node *place)
{
    return place == NULL ? (value){0} : (value){.kind = VALUE_ADDRESS, .place = place};
}

// ---- walk.c ----

void walk_unit(checker *c);
// A function of the file, with these values of its parameters.
value walk_call(checker *c, CXCursor function, const value *arguments, size_t count, src_range at);

// ---- calls.c ----

value call_evaluate(checker *c, CXCursor call);
// A function of the API that runs no kernel and waits for none.
bool call_is_harmless(const char *name);
// Something cannot be followed: anything may have been run and waited for there.
void give_up(checker *c, CXCursor at);

// ---- kernels.c ----

kernel_class *class_of_function(checker *c, CXCursor function);
kernel_class *class_of_transfer(checker *c, CXType type);
void collect_uses(checker *c, event *run, const event *initialised);

// ---- Findings ----

// The events that are, or may be, about a place, in no order: begin with *i = 0; NULL at the end.
const event *next_about(const checker *c, const node *n, size_t *i);
// The same for the runs that use, or may use, a stream.
const event *next_user(const checker *c, const node *stream, size_t *i);

void find_waits(checker *c);    // waits.c: runs and waits that lack the other
void find_order(checker *c);    // order.c: what may be pending at the same time
void find_space(checker *c);    // space.c: capacities and sizes
void find_budget(checker *c);   // budget.c: local memories as a whole
void find_acquires(checker *c); // acquire.c: two-phase access to streams in kernels
bool contexts_meet(const context *a, const context *b);
// The last one, or the last before an event; NULL: not seen.
const event *initialisation_of(const checker *c, const node *object, const event *before);
// Bytes from where to where an object lies; false when that is not known.
bool extent_of(const event *initialised, int64_t *begin, int64_t *end);
// Whether programs choose addresses in it: no control processor reaches it.
bool is_local(const checker *c, const machine_memory *memory);
void note_initialisation(checker *c, diag_record *d, const node *object);
// A warning at an event, with the call that it happens in.
diag_record *warn(checker *c, diag_warning_id id, const event *e, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
