// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the files of the engine share.
#ifndef SVMC_SIM_INTERNAL_H
#define SVMC_SIM_INTERNAL_H

#include "sim/sim.h"
#include "support/hmap.h"

// ---- Events ----

typedef struct sim_event {
    sim_time when;
    uint64_t order; // of scheduling
    sim_action *action;
    void *context;
} sim_event;

// ---- Processors ----

// Somebody who waits for a processor.
typedef struct sim_claim {
    sim_action *granted;
    void *context;
    struct sim_claim *next;
} sim_claim;

typedef struct sim_processor_state {
    sim_time time[SIM_ACTIVITY_COUNT];
    sim_claim *first, *last; // who waits, in order
    bool taken;
    struct sim_engine *engine; // of a DMA processor
} sim_processor_state;

// One row of the work table: intervals of equal processor, activity and label.
typedef struct sim_work {
    size_t processor; // in sim.processors
    sim_activity activity;
    const char *label;
    sim_time time;
    uint64_t count;
} sim_work;

// ---- Transfers ----

typedef enum sim_stage_kind { STAGE_MEMORY, STAGE_LINK } sim_stage_kind;

// A station on a transfer's way.
typedef struct sim_stage {
    sim_stage_kind kind;
    size_t resource;        // in sim.memories or sim.links
    bool target;            // memory: it is written
    struct sim_lane *lane;  // link: from which interface to which
    bool store_and_forward; // the message goes on only when it is here whole
} sim_stage;

typedef struct sim_route {
    sim_stage *stages;
    size_t count, first_link; // SIZE_MAX: no link
    uint64_t largest;         // bytes of a message that its links take
    const char *problem;      // why there is none
} sim_route;

// How messages leave an engine: the next may begin when the one before it has left the source, and the one before that
// the first link (or, without links, the source).
typedef struct sim_pace {
    size_t under_way;
    bool source_busy;
} sim_pace;
enum { SIM_MESSAGES_UNDER_WAY = 2 };

// A transfer under way; its messages (one, or the pieces of a split one) go out one after the other.
typedef struct sim_job {
    sim_transfer t;
    const sim_route *route;
    struct sim_engine *engine;  // NULL: none
    sim_pace own, *pace;        // the engine's, or its own
    uint64_t unsent, piece;     // bytes not yet made into messages; bytes of the largest message
    size_t to_arrive, messages; // messages under way that have not arrived; that exist
    struct sim_job *next;
} sim_job;

typedef struct sim_message {
    sim_job *job;
    uint64_t bytes;
    size_t holds;   // visits, and its arrival: when none is left it is free
    bool last;      // of its job
    sim_time begun; // when it left its engine's queue
    struct sim_message *next;
} sim_message;

// A message at a stage of its way, waiting or served. With cut-through it is at several at a time.
typedef struct sim_visit {
    sim_message *message;
    size_t stage, channel;
    uint64_t order; // in which it came to its link
    sim_time requested, begun;
    struct sim_visit *next;
} sim_visit;

// A DMA processor: the jobs of which it has messages to send, in order.
typedef struct sim_engine {
    sim_element element;
    uint64_t depth;                     // jobs that can be waiting behind the one it works on
    sim_job *first, *last, *unaccepted; // unaccepted: the first that found the queue full
    uint64_t accepted;                  // jobs in the queue that are accepted
    sim_pace pace;
    sim_time busy_until; // of what has been noted
} sim_engine;

typedef struct sim_memory_state {
    const machine_memory *memory;
    sim_visit *first, *last;
    bool busy;
    sim_time busy_time, waited;
    uint64_t requests, bytes[3];
} sim_memory_state;

// An element's place on a link.
typedef struct sim_interface {
    machine_ref element;
    bool may_send, may_receive;
    bool sending, receiving;
    sim_time send_time, receive_time;
} sim_interface;

// The part of a link's queue that goes from one interface to another: only its first message is ever the next.
typedef struct sim_lane {
    size_t from, to; // interfaces
    sim_visit *first, *last;
} sim_lane;

typedef struct sim_link_state {
    const machine_link *link;
    VEC(sim_interface) interfaces;
    bool *channel_busy;
    size_t channels_busy;
    sim_time *channel_time;
    VEC(struct sim_lane *) lanes, waiting; // all, and those in which messages wait
    uint64_t visits, queued, longest;
    uint64_t messages, bytes;
    sim_time waited;
    const void *stream; // of a link for one stream
    const char *stream_label;
    size_t row; // of its first channel in the trace
} sim_link_state;

// Where an element is an interface: a link of one node, and its place there.
typedef struct sim_port {
    size_t link, interface;
} sim_port;
typedef VEC(sim_port) sim_ports;

// ---- Trace ----

typedef struct sim_interval {
    sim_time begin, end;
    uint32_t row;
    uint32_t activity; // SIM_ACTIVITY_COUNT: a message
    const char *label;
    uint64_t bytes;
} sim_interval;

enum { SIM_MARKS = 4096 };

typedef struct sim_page_cache sim_page_cache;

struct sim {
    arena *arena;
    const machine *machine;
    sim_options options;
    sim_time now, latest; // latest: the end of the last interval noted
    uint64_t order, events, event_limit;
    bool stopped;
    const char *failure;
    VEC(sim_event) heap;
    hmap texts, routes;

    size_t nodes; // elements of node n follow those of node n - 1
    sim_processor_state *processors;
    sim_memory_state *memories;
    sim_link_state *links; // the network, if any, is behind those of all nodes
    size_t processor_count, memory_count, link_count, row_count;
    sim_ports *processor_ports, *memory_ports, *link_ports; // of one node's elements

    sim_page_cache *page_caches; // one a processor and memory that had new pages

    sim_claim *free_claims;
    sim_job *free_jobs;
    sim_message *free_messages;
    sim_visit *free_visits;

    VEC(sim_work) work;
    uint32_t *work_slots; // open addressing: index + 1
    size_t work_slot_count;

    VEC(sim_interval) trace;
    size_t trace_dropped;

    sim_time marks[SIM_MARKS]; // ends of iterations 1, 1 + step, 1 + 2 step, ...
    size_t mark_count;
    uint64_t mark_step, iterations;
    sim_time last_mark;
};

static inline size_t sim_processor_at(const sim *s, sim_element e)
{
    return e.node * s->machine->processors.len + e.index;
}
static inline size_t sim_memory_at(const sim *s, sim_element e)
{
    return e.node * s->machine->memories.len + e.index;
}
// Whether e names an element of the machine; a failure when not.
bool sim_known(sim *s, sim_element e);
void sim_build_links(sim *s); // route.c
const sim_route *sim_find_route(sim *s, const sim_transfer *t);
void sim_note_message(sim *s, size_t row, sim_time begin, sim_time end, const char *label, uint64_t bytes);
// S + floor(n / B) of a message on a link.
sim_time sim_link_data_time(const machine_link *link, uint64_t bytes);
// The stage's data time: a link's S + floor(n / B), a memory's bandwidth part.
sim_time sim_stage_time(const sim *s, const sim_job *job, size_t stage, uint64_t bytes);
// The same of a memory, for a transfer that an engine drives or nobody does (memory.c).
sim_time sim_side_time(const sim *s, size_t memory, const sim_side *side, uint64_t bytes, bool engine);
// True: an engine wants to write pages that are not there yet; the transfer begins when they are (page_cache.c).
bool sim_waits_for_pages(sim *s, const sim_transfer *t);
// An engine has written bytes of a memory, one after the other (page_cache.c).
void sim_overwritten(sim *s, sim_element memory, uint64_t address, uint64_t bytes);
// A visit comes to its memory (memory.c) or link (link.c) now.
void sim_visit_memory(sim *s, sim_visit *v);
void sim_visit_link(sim *s, sim_visit *v);
// It is served: the first byte is through at head, the last at tail.
void sim_visit_begins(sim *s, sim_visit *v, sim_time head, sim_time tail);
// The message's last byte has left the first stage; the first link or, without links, the source.
void sim_source_left(sim *s, sim_message *m);
void sim_engine_left(sim *s, sim_message *m);
void sim_visit_ends(sim *s, sim_visit *v);
const char *sim_processor_name(sim *s, size_t at);
const char *sim_memory_name(sim *s, size_t at);
const char *sim_link_name(sim *s, size_t at);

#endif
