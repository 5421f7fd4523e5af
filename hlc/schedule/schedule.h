// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Balance equations, the least initialisation schedule, feasibility of feedback loops, and what is left to fire when input ends.
#ifndef SVMC_HLC_SCHEDULE_H
#define SVMC_HLC_SCHEDULE_H

#include "hlc/ir/sir.h"

typedef struct sched_channel {
    int64_t steady;     // items that cross in a steady state
    int64_t initial;    // items enqueued before anything fires
    int64_t remainder;  // items in it after the initialisation schedule (and at every steady state's end)
    int64_t peak;       // most items it can hold in the drain: remainder + one full steady state from the sources, exhausted
    int64_t init_items; // items pushed during initialisation
    bool back_edge;     // consumer comes before the producer in actor order
    bool cut;           // an end has a dynamic rate: it joins two regions, and nothing above but initial is known of it
} sched_channel;

// One way that messages go (streamit.md section 8): from a filter to a receiver of one of its portals.
typedef struct sched_message {
    uint32_t portal, sender, receiver;
    bool upstream;   // the receiver comes before the sender
    bool steady;     // there is no way between them: all are best effort and arrive before the receiver's next steady state
    bool anytime;    // nor steady states that both keep to: they arrive before the receiver's next firing
    bool held;       // downstream of a filter that may wait within a firing: the receiver waits for the end of that
    int64_t latency; // least of the sends' latencies; those that are known only at run time count as 0
    sir_loc loc;     // of a send
} sched_message;

// A filter that messages from outside the program may go to. `from`: the program's own input, whose items tell when one
// is due; SIR_NONE: the program takes none, and steady states do.
typedef struct sched_outside {
    uint32_t receiver, from;
    bool steady;  // no way leads there from `from`, but both keep to steady states
    bool anytime; // nor do they: a message can only be for the next firing
} sched_outside;

typedef struct schedule {
    int64_t *reps;       // per actor: firings in a steady state (least integer solution); 0 never happens without -Wnever-fires
    int64_t *init;       // per actor: firings in the initialisation schedule, the first being the prework if there is one
    sched_channel *channels;
    int32_t *cycle;      // per actor: number of the feedback cycle (strongly connected component) it is in, -1 if none
    int32_t cycle_count;
    int32_t *static_region;     // per actor: number of its static region, what channels that are not cut connect
    int32_t static_region_count;
    bool *paced;         // per static region: it has a source, so its actors fire as often as steady states say. Those of the others: as their input allows
    bool dynamic;        // a channel is cut
    VEC(sched_message) messages; // by sender, then portal, then receiver
    VEC(sched_outside) outside;  // by receiver
    bool *source;        // per actor: no input with a positive rate (readers included), or in a cycle that needs nothing from outside: limited by steady states, not by input
} schedule;

// NULL after an error, which d has: rates that do not balance (both actors, both rates, two ranges), overflow, a deadlocked loop (which channel lacks how many items),
// an actor that can never fire. Each static region has a schedule of its own.
schedule *schedule_compute(arena *a, diag_engine *d, source_set *sources, const sir_module *m);
// Stream dependences: how often an upstream actor has to fire for another to fire n times (sdep(from, to, n)). Within one
// static region. 0 for n <= 0.
typedef struct sched_sdep sched_sdep;
sched_sdep *sched_sdep_new(arena *a, const sir_module *m, const schedule *s, uint32_t from, uint32_t to);
// For a way that messages go: from the one of its ends that is upstream to the other. Between actors without a way along
// channels, `steady` messages go as if upstream: a steady state of the sender's depends on the receiver's.
sched_sdep *sched_sdep_of_message(arena *a, const sir_module *m, const schedule *s, const sched_message *way);
// All of it: sdep(n) for n below `known`, after which it grows by `step` each `period`; period 0: it stays as it is.
// False when that is too long a table.
typedef struct sched_sdep_table {
    int64_t known, period, step;
    const int64_t *values;
} sched_sdep_table;
bool sched_sdep_tabulate(sched_sdep *d, sched_sdep_table *t);
int64_t sched_sdep_of(sched_sdep *d, int64_t n);
// When a message sent in the sender's n-th firing with this latency is delivered: just before the receiver's firing of
// the number given (its next one after as many as it depends on). d is sched_sdep_new's from the upstream actor to the
// downstream one. 0: that moment has passed; SCHED_NEVER: it does not come.
#define SCHED_NEVER INT64_MAX
int64_t sched_delivery(sched_sdep *d, bool upstream, int64_t n, int64_t latency);
// How often the receiver of an upstream message may fire while its sender has fired n times, so that no message of the
// sender's next firings comes too late.
int64_t sched_message_limit(sched_sdep *d, int64_t n, int64_t latency);
// Actors in groups fire in whole runs: first as often as their initialisation says, then the least number of firings in
// the proportion of their repetitions. Whether `to`, to fire any number of times, then still needs no more firings of
// those that are in no group. group: per actor, -1 none. False too when that takes too long to find out.
bool sched_groups_fit(arena *a, const sir_module *m, const schedule *s, uint32_t to, const int32_t *group, int32_t groups);

// Whether a filter's firings pop or peek, or push, a number of items that is known only when they are done.
bool sched_dynamic_input(const sir_actor *actor);
bool sched_dynamic_output(const sir_actor *actor);

// Rates of one firing at one port. Firing number 0 is the prework if there is one.
typedef struct sched_rate { int64_t peek, pop, push; } sched_rate;
sched_rate sched_input_rate(const sir_actor *actor, uint32_t port, bool first);  // peek, pop
int64_t sched_output_rate(const sir_actor *actor, uint32_t port, bool first);    // push

// Fires actors in canonical order, round after round, as often as tokens (per channel, changed in place), limits (per actor, -1 none) and whether the first
// firing is still to come (fired_before per actor, changed in place) allow, until nothing can fire. fired: per actor. The one definition of "as often as their input allows":
// in each round every actor in turn fires as often as it can; svm_exhaust of the run time is the same algorithm.
void sched_exhaust(const sir_module *m, int64_t *tokens, const int64_t *limits, bool *fired_before, int64_t *fired);

// What is one in a topological order: a feedback loop, or an actor that is in none. A unit is named by its first actor.
typedef struct sched_units {
    uint32_t *of;              // per actor
    uint32_t *order;           // so many units, topologically
    size_t count;
    uint32_t *start, *members; // actors of unit u: members[start[u]] to members[start[u + 1] - 1]
} sched_units;
sched_units sched_units_of(arena *a, const sir_module *m, const schedule *s);

// The greatest common divisor.
int64_t sched_gcd(int64_t a, int64_t b);

#endif
