// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the parts of the scheduler share: the rate table, counting with overflow, and the token simulation.
#ifndef SVMC_HLC_SCHEDULE_SCHEDULE_INT_H
#define SVMC_HLC_SCHEDULE_SCHEDULE_INT_H

#include "hlc/schedule/schedule.h"

// Counts of firings and items stay below this, so that sums of a few never overflow.
#define SCHED_MAX (INT64_MAX / 8)
// Bursts of firings that a simulation may take before the program counts as too large: only feedback loops with far
// more firings than items in the loop come near it.
#define SCHED_MAX_BURSTS (INT64_C(1) << 25)

// One side of a channel: rates of the first firing and of all others.
typedef struct sched_port {
    uint32_t channel, actor;
    int64_t first_peek, first_pop, first_push;
    int64_t peek, pop, push; // an input: push 0; an output: peek and pop 0
} sched_port;

// All rates of a graph, by actor and by channel.
typedef struct sched_table {
    const sir_module *m;
    size_t actors, channels;
    uint32_t *in_start, *out_start; // actors + 1 entries: where an actor's ports begin
    sched_port *ins, *outs;
    uint32_t *consumer, *producer; // per channel: index into ins, outs
    bool *has_prework;             // per actor: its first firing is another one
    bool *cut;                     // per channel: an end has a dynamic rate; all rates of both ports are 0 here
} sched_table;

typedef struct scheduler {
    arena *arena;  // for what is needed here only
    arena *result; // of the schedule
    diag_engine *d;
    source_set *sources;
    const sir_module *m;
    sched_table *table;
    schedule *s;
} scheduler;

void sched_table_build(arena *a, const sir_module *m, sched_table *t);
static inline const sched_port *sched_consumer(const sched_table *t, size_t channel)
{
    return &t->ins[t->consumer[channel]];
}
static inline const sched_port *sched_producer(const sched_table *t, size_t channel)
{
    return &t->outs[t->producer[channel]];
}
// Items moved by k firings from the start; false when that is more than SCHED_MAX.
bool sched_moved(int64_t k, int64_t first, int64_t each, int64_t *items);
bool sched_add(int64_t a, int64_t b, int64_t *sum);
bool sched_mul(int64_t a, int64_t b, int64_t *product);
// Items that a channel must have received, those enqueued included, for its consumer's first n firings, and the least
// firings of its producer that push so many; as many as help when no number does.
int64_t sched_items_needed(const sched_port *to, int64_t n);
int64_t sched_firings_for(const sched_port *from, int64_t items);
// Whether the receiver of an upstream message, having fired `received` times while its sender has fired `sent` times, keeps
// its limit there and at the end of each steady state that follows.
bool sched_message_keeps(sched_sdep *d, int64_t sent, int64_t received, int64_t latency);
// Firings of an actor after which what they need of others repeats.
int64_t sched_sdep_range(arena *a, const sched_table *t, const schedule *s, uint32_t to);

// The steps of schedule_compute; each reports its errors and gives false.
bool sched_check_supported(scheduler *c);
bool sched_balance(scheduler *c);
void sched_find_cycles(scheduler *c); // cycle, cycle_count, source
void sched_find_static_regions(
    scheduler *c);                      // static_region, static_region_count, paced, dynamic; after sched_find_cycles
bool sched_find_messages(scheduler *c); // messages; after sched_find_static_regions
bool sched_least_init(scheduler *c);
bool sched_run_once(scheduler *c); // simulates: remainder, peak, deadlock, actors that never fire

// Tokens that flow while actors fire as often as they can. Which of the actors that can fire goes first makes no
// difference to how often each does in the end; this takes the first in canonical order.
typedef struct sched_sim {
    const sched_table *table;
    int64_t *tokens;       // per channel
    const int64_t *limits; // per actor, -1 none
    bool *fired_before;    // per actor
    int64_t *fired;        // per actor: in this run
    uint64_t *dirty;       // bit set of actors to look at
    int64_t bursts;
} sched_sim;
typedef enum sched_sim_result { SCHED_SIM_DONE, SCHED_SIM_OVERFLOW, SCHED_SIM_TOO_LONG } sched_sim_result;
void sched_sim_init(sched_sim *sim, arena *a, const sched_table *t);
sched_sim_result sched_sim_run(sched_sim *sim, int64_t max_bursts); // zeroes fired first

// Errors (problems.c).
src_range sched_actor_range(const scheduler *c, uint32_t actor);
src_range sched_rate_range(const scheduler *c, uint32_t actor, bool output);
void sched_too_large(scheduler *c, uint32_t actor);
void sched_too_long(scheduler *c, const int64_t *fired);
void sched_deadlock(scheduler *c, const sched_sim *sim, const char *phase);

#endif
