// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The simulation engine: how a described machine spends time. Discrete events over a `const machine *`; clients are the
// task graphs of svm-sim (sim/graph.h) and SVM C (runtime/sim). It knows neither C nor the SVM API.
//
// Time is in femtoseconds, so that a cycle of any usual clock is a whole number of them; 2.5 hours fit. Events of one
// time happen in the order in which they were scheduled, so equal inputs give equal outputs, bit for bit.
//
// What goes wrong (time runs over, no link leads from here to there, a link for one stream gets a second one) is kept
// as the first failure; the simulation then stops: sim_step gives false and sim_failure says why. Nothing here exits.
//
// Everything lives in the arena given; pools are reused, so memory is bounded by what is pending at one time. One
// thread.
#ifndef SVMC_SIM_SIM_H
#define SVMC_SIM_SIM_H

#include <stdbool.h>
#include <stdint.h>

#include "support/arena.h"
#include "support/strbuf.h"
#include "targets/machine.h"

typedef struct sim sim;

// ---- Time ----

typedef int64_t sim_time; // femtoseconds since the start, or a length of time
#define SIM_SECOND INT64_C(1000000000000000)
#define SIM_NEVER INT64_MAX

// Nearest femtosecond; SIM_NEVER when it does not fit (adding it to a time is then found out), 0 for negative amounts
// (values that are absent).
sim_time sim_from_seconds(double seconds);
double sim_to_seconds(sim_time t);
// The sum, SIM_NEVER when it does not fit.
sim_time sim_add(sim_time a, sim_time b);

// ---- Engine (sim.c) ----

typedef struct sim_options {
    size_t trace_limit;   // intervals kept for the timeline and the Gantt chart; 0: none. Later ones are only counted.
    uint64_t event_limit; // more events are a failure; 0: there is no limit
} sim_options;
enum { SIM_TRACE_LIMIT = 200000 }; // for those who want a timeline

typedef void sim_action(sim *s, void *context);

// The machine must outlive the simulation; its nodes are all simulated. NULL options: no trace.
sim *sim_create(arena *a, const machine *m, const sim_options *options);
const machine *sim_machine(const sim *s);

sim_time sim_now(const sim *s);
// Schedules an action; when is not before now (it is a failure).
void sim_at(sim *s, sim_time when, sim_action *action, void *context);
// The time of the earliest event, SIM_NEVER without one. A client whose own time is before it may run ahead: nothing
// happens in between. With equal times the event goes first.
sim_time sim_next(const sim *s);
// Sets now to when, which is neither before now nor after sim_next: for a client that has run ahead and now starts
// something at its own time.
void sim_advance(sim *s, sim_time when);
bool sim_step(sim *s); // the next event; false when there is none, after sim_stop, and after a failure
void sim_run(sim *s);  // all events
void sim_stop(sim *s); // sim_step gives false from now on
uint64_t sim_events(const sim *s);

void sim_fail(sim *s, const char *format, ...) __attribute__((format(printf, 2, 3))); // the first failure counts
const char *sim_failure(const sim *s);                                                // NULL without one

// Texts are kept by pointer everywhere below; this gives a lasting pointer, the same one for equal texts.
const char *sim_text(sim *s, const char *text);

// ---- Elements ----

// A processor or memory of one node (0 in a machine without nodes).
typedef struct sim_element {
    uint32_t node;
    machine_element_kind kind;
    size_t index; // SIZE_MAX: none
} sim_element;
#define SIM_NONE ((sim_element){0, MACHINE_PROCESSOR, SIZE_MAX})

static inline sim_element sim_processor(uint32_t node, size_t index)
{
    return (sim_element){node, MACHINE_PROCESSOR, index};
}
static inline sim_element sim_memory(uint32_t node, size_t index)
{
    return (sim_element){node, MACHINE_MEMORY, index};
}
// "SPE3", with several nodes "node 1 SPE3".
const char *sim_element_name(sim *s, sim_element e);

// ---- Processors (processor.c) ----

typedef enum sim_activity {
#define ACTIVITY(id, text, group, color) SIM_##id,
#include "sim/activities.def"
#undef ACTIVITY
    SIM_ACTIVITY_COUNT
} sim_activity;
typedef enum sim_activity_group { SIM_WORK, SIM_OVERHEAD, SIM_WAIT } sim_activity_group;
const char *sim_activity_text(sim_activity a);
sim_activity_group sim_activity_group_of(sim_activity a);

// Notes what a processor did from begin to end (which may be after now), for utilisation and timeline. label is what it
// was about: the kernel or task that it worked for, or for waits the stream, kernel or thread waited for; it may be
// NULL. Intervals of one processor do not overlap.
void sim_occupy(sim *s, sim_element processor, sim_time begin, sim_time end, sim_activity activity, const char *label);

// A processor for one client at a time, first come first served: granted is called as an event of the time when the
// processor is the client's (also when it is free now), until sim_release.
void sim_acquire(sim *s, sim_element processor, sim_action *granted, void *context);
void sim_release(sim *s, sim_element processor);

// What things cost on a processor (index into machine.processors), before any waiting. 0 where the machine file says
// nothing.
sim_time sim_cost_kernel_start(const sim *s, size_t processor);
sim_time sim_cost_kernel_run(const sim *s, size_t processor);  // on a control processor
sim_time sim_cost_kernel_wait(const sim *s, size_t processor); // the same
sim_time sim_cost_page_map(const sim *s, size_t processor);    // the same
sim_time sim_cost_page_fault(const sim *s, size_t processor);  // the same
sim_time sim_cost_kernel_stop(const sim *s, size_t processor);
sim_time sim_cost_push_acquire(const sim *s, size_t processor);
sim_time sim_cost_push_send(const sim *s, size_t processor, uint64_t bytes);
sim_time sim_cost_pop_acquire(const sim *s, size_t processor, uint64_t bytes);
sim_time sim_cost_pop_discard(const sim *s, size_t processor);
sim_time sim_cost_cycles(const sim *s, size_t processor, double cycles); // of the processor's clock
// fixed + per_unit * (ceil(bytes / unit) - 1)
sim_time sim_staircase(const machine_staircase *cost, uint64_t bytes, double clock);
// Operations by class, each times its cost, and all times the factor for that many live registers (0: not known, factor
// 1). Where the machine file has no such table, those beyond the processor's registers cost loads. Negative when the
// processor cannot run an operation that is there; *missing is then its class.
double sim_operations_seconds(const sim *s, size_t processor, const uint64_t counts[MACHINE_OP_COUNT],
                              uint64_t live_registers, machine_operation *missing);
double sim_register_pressure(const machine_processor *p, uint64_t live_registers);
uint64_t sim_live_registers(const machine_processor *p, uint64_t bytes); // that values of so many bytes take
// Operations that work on so many bytes takes: one for each simd-width of them.
uint64_t sim_vector_operations(const machine_processor *p, uint64_t bytes);

// ---- Transfers (transfer.c, route.c, memory.c) ----

// How a memory is read or written. STRIDED: records of that many bytes at a fixed distance. RANDOM: records of that
// many bytes anywhere (0: as small as the memory's granule).
typedef enum sim_access { SIM_SEQUENTIAL, SIM_STRIDED, SIM_RANDOM } sim_access;

typedef struct sim_side {
    sim_element element; // a memory; or a processor, which takes or gives the bytes itself
    sim_access access;   // memories only
    uint64_t record;
    uint64_t address; // where a memory's bytes begin; 0: nobody knows
    uint64_t span;    // the bytes from there on among which they are; 0: those that are moved
} sim_side;

#define SIM_ROUTED SIZE_MAX

// The way of a transfer: source memory, links, target memory. Each of them serves requests in order: a memory for its
// bandwidth by access kind, after its latency; a link when a channel is free and both interfaces are, for S + floor(n /
// B) + F, the last byte arriving after L + S + floor(n / B). They work at the same time (the slowest sets the pace),
// except that a store-and-forward router has a whole message first.
// Without a fixed link the way is: none when a processor reaches the memory itself, or when the engine reaches both
// memories and no link joins them; else the fewest links, passing on at routers; between nodes, the network.
typedef struct sim_transfer {
    sim_side from, to;
    uint64_t bytes;
    sim_element engine;   // the DMA processor that drives it, which takes transfers in order and splits them; SIM_NONE
    size_t link;          // index of the link that it is allocated to, or SIM_ROUTED
    bool ideal_memories;  // memories cost nothing (the ASM's model)
    const void *stream;   // what a link that carries one stream only is for; NULL: each transfer is a stream
    const char *label;    // for the timeline: the stream or kernel
    sim_action *accepted; // each may be NULL: the engine's queue has taken it (at once unless it is full)
    sim_action *sent;     // the last byte has left the source: its room can be used again
    sim_action *arrived;  // the last byte is there
    void *context;        // of all three
} sim_transfer;

// Starts it now; the description is copied. False after a failure: there is no way. A transfer of 0 bytes arrives at
// once, by events of now.
bool sim_start(sim *s, const sim_transfer *t);
// Whether there is a way; if not and why is not NULL, it is told.
bool sim_can_start(sim *s, const sim_transfer *t, strbuf *why);
// Whether the engine's queue would make a further transfer wait.
bool sim_engine_full(const sim *s, sim_element engine);
// The time of one access to a memory by a processor that reaches it, without contention: latency once, then bandwidth;
// for estimates. sim_start charges the memory itself.
sim_time sim_access_time(const sim *s, size_t memory, sim_access access, uint64_t record, uint64_t bytes);
// The bandwidth part of it alone.
sim_time sim_access_occupancy(const sim *s, size_t memory, sim_access access, uint64_t record, uint64_t bytes);
// The memory that a processor's accesses to a memory are served by when it works on that many bytes again and again:
// the nearest of its caches that holds them, else the memory.
size_t sim_serving_memory(const sim *s, size_t processor, size_t memory, uint64_t working_set);

// ---- New pages of files (page_cache.c) ----

// The system has filled bytes of a memory with zeroes, on a processor: they lie in the largest of its caches that are of
// the memory. Gives how many bytes leave the cache for them (without one, they themselves), which the caller is to have
// written. Bytes that a transfer overwrites (sim_side.address) leave it when it has arrived: whole lines without being
// written.
uint64_t sim_zeroed(sim *s, sim_element processor, sim_element memory, uint64_t address, uint64_t bytes);
// These bytes of a memory will be new pages, of a processor's system, when an engine wants to write them: the transfer
// waits until each is mapped and filled with zeroes. The system does this beside the processor's own work, page by page.
void sim_new_pages(sim *s, sim_element processor, sim_element memory, uint64_t address, uint64_t bytes);
// These addresses are no pages of files any more: nothing overwrites what is in a cache of them.
void sim_unmapped(sim *s, uint64_t address, uint64_t bytes);

// ---- Results (report.c, print.c, timeline.c, gantt.c) ----

// One iteration of the program has ended at that time (not before the last one).
void sim_iteration(sim *s, sim_time when);

// A share is of the total time. Elements with nothing to tell have no row.
typedef struct sim_processor_row {
    const char *name;
    machine_processor_kind kind;
    sim_time time[SIM_ACTIVITY_COUNT];
    double work, overhead, waiting, idle; // shares
} sim_processor_row;
typedef struct sim_link_row {
    const char *name;
    size_t channels;
    const sim_time *busy; // of each channel
    uint64_t messages, bytes, longest_queue;
    sim_time waited;       // of all messages together, in the queue
    double share;          // of all channels
    const char *interface; // the busiest one, with "sending" or "receiving"; NULL without one
    double interface_share;
} sim_link_row;
typedef struct sim_memory_row {
    const char *name;
    sim_time busy, waited;
    uint64_t requests, bytes[3]; // by sim_access
    double share;
} sim_memory_row;
// What processors did for whom, and waited for what: intervals of equal processor, activity and label together.
typedef struct sim_work_row {
    const char *processor, *label; // label may be NULL
    sim_activity activity;
    sim_time time;
    uint64_t count;
} sim_work_row;

typedef struct sim_report {
    const char *machine, *program;
    sim_time total;              // until the last event or noted interval
    uint64_t events, iterations; // iterations as told by sim_iteration
    sim_time first_iteration;    // its end
    double iteration_seconds;    // of one, in the second half of the run; 0 with fewer than two
    VEC(sim_processor_row) processors;
    VEC(sim_link_row) links;
    VEC(sim_memory_row) memories;
    VEC(sim_work_row) work;
    const char *bottleneck, *reason; // "processor SPE0", "it computes 79.1 % of the time, ..."
    double bottleneck_share;
    size_t trace_dropped; // intervals beyond the trace's limit
} sim_report;

// program is the name to print. Lives in the arena a.
const sim_report *sim_make_report(sim *s, arena *a, const char *program);
void sim_report_text(const sim_report *r, strbuf *out);       // tables for people
void sim_report_json(const sim_report *r, strbuf *out);       // one object
void sim_trace_json(sim *s, strbuf *out);                     // Chrome trace events: a row a processor, channel, memory
void sim_trace_gantt(sim *s, const char *title, strbuf *out); // SVG

#endif
