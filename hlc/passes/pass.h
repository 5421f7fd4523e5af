// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes: what they work on, the table of them, and how an order of them is checked and run.
#ifndef SVMC_HLC_PASSES_PASS_H
#define SVMC_HLC_PASSES_PASS_H

#include "hlc/hlc.h"
#include "hlc/ir/sir.h"

struct schedule;
struct plan;
struct plan_net;
struct machine;

// A step that was timed: a pass, or a stage around the passes.
typedef struct hlc_timing {
    const char *name;
    double seconds;
    size_t bytes;
    enum { TIMING_STAGE, TIMING_CHANGED, TIMING_UNCHANGED } kind;
} hlc_timing;

typedef struct hlc_program {
    arena *arena;
    interner *names;
    diag_engine *diag;
    source_set *sources;
    sir_module *module;
    struct schedule *schedule; // NULL until the pass 'schedule'
    struct plan *plan;         // NULL until the pass 'map'
    // Of a program with dynamic rates, once there is a plan; module and schedule are then those of its static graph.
    struct plan_net *net;
    // Of one that is spread over several processors, likewise.
    struct plan_cut *cut;
    hmap *bit_lanes;   // of filters: plan_bit_lanes (hlc/plan/bit_lanes.h); NULL: none was asked for
    hmap *tables_made; // of all networks (hlc/ir/network.h); NULL: there are none
    hmap *item_bounds; // of filters: bounds of their ints (hlc/plan/thread_bounds.c)
    hmap *lacks;       // of filters: what processors lack for them (hlc/plan/record.h); NULL: none was asked for
    hmap *foreign;     // filters that only fallback processors can run, and why; NULL: there are none
    const struct machine *machine; // NULL until a pass or stage needs it
    struct plan_profile *profile;  // of --profile-use; NULL: none
    const hlc_config *config;
    const char *header; // of a library, once it is emitted
    VEC(hlc_timing) timings;
} hlc_program;

// What holds of a program between passes.
typedef enum pass_property {
#define PROPERTY(id, bit, text) PROP_##id = 1u << bit,
#include "hlc/passes/passes.def"
} pass_property;

typedef enum pass_id {
#define PASS(id, name, run, needs, gives, breaks, level, essential, summary) PASS_##id,
#include "hlc/passes/passes.def"
    PASS_COUNT
} pass_id;

typedef struct pass_row {
    const char *name;
    bool (*run)(hlc_program *); // whether it changed anything; false means that the program prints as before
    uint32_t needs, gives, breaks;
    int level;      // the least -O that runs it
    bool essential; // runs at every level
    const char *summary;
} pass_row;

extern const pass_row pass_rows[PASS_COUNT];

typedef VEC(pass_id) pass_order;
// The names of a comma list; false after an error, which d has.
bool passes_parse(arena *a, diag_engine *d, const char *names, pass_order *order);
// Those of an optimisation level, in the order of the table.
void passes_of_level(arena *a, int level, pass_order *order);
// Checks that every pass finds what it needs, and that 'goal' holds at the end, before anything runs; false after an
// error.
bool passes_check(const hlc_program *p, const pass_order *order, uint32_t goal);
// Runs a checked order; false after an error.
bool passes_run(hlc_program *p, const pass_order *order);
// The text of the program: stream IR, then the plan if there is one.
void program_print(strbuf *out, const hlc_program *p);

// Timing of a stage: begin gives what end takes.
typedef struct stage_mark {
    double seconds;
    size_t bytes;
} stage_mark;
stage_mark stage_begin(const hlc_program *p);
void stage_end(hlc_program *p, stage_mark mark, const char *name);
void timings_print(const hlc_program *p, FILE *out);

// ---- Passes over stream IR ----
bool pass_siblings(hlc_program *p);
bool pass_canonicalize(hlc_program *p);
bool pass_abreast(hlc_program *p);
bool pass_stages(hlc_program *p);
bool pass_inline(hlc_program *p);
bool pass_unfold(hlc_program *p);
bool pass_privatize(hlc_program *p);
bool pass_beside(hlc_program *p);
bool pass_windows(hlc_program *p);
bool pass_registers(hlc_program *p);
bool pass_tabulate(hlc_program *p);
bool pass_reorder(hlc_program *p);
bool pass_moves(hlc_program *p);
bool pass_delays(hlc_program *p);
// Whether a filter pushes constants in its first firing, which are added to held, and passes on its items one by one.
typedef VEC(sir_scalar) pass_scalars;
bool pass_is_delay(arena *a, const sir_filter *f, pass_scalars *held);
bool pass_decimate(hlc_program *p);
bool pass_interchange(hlc_program *p);
bool pass_in_place(hlc_program *p);
bool pass_quotients(hlc_program *p);
bool pass_borders(hlc_program *p);
bool pass_rings(hlc_program *p);
bool pass_linear(hlc_program *p);
bool pass_sever(hlc_program *p);
bool pass_share(hlc_program *p);
bool pass_polyphase(hlc_program *p);
bool pass_chain(hlc_program *p);
bool pass_orbit(hlc_program *p);
bool pass_linear_bits(hlc_program *p);
bool pass_count(hlc_program *p);
bool pass_bundle(hlc_program *p);
bool pass_int_bits(hlc_program *p);
bool pass_uniform(hlc_program *p);
bool pass_exchange(hlc_program *p);
bool pass_frequency(hlc_program *p);
bool pass_fourier(hlc_program *p);
bool pass_look_ahead(hlc_program *p);
bool pass_parts(hlc_program *p);
// Takes away the filters that no actor is one of, and no channel names.
void pass_drop_filters(sir_module *m);
// Does so, derives what is known of the others, and brings their bodies to the normal form again.
void pass_tidy(sir_module *m);
// A copy with fields, functions and locals of its own, of the same name and in no module so far.
sir_filter *pass_copy_filter(sir_module *m, const sir_filter *f);
// Copies of a filter's fields at the end of another's, with names that it does not have yet. Gives the first one's number.
uint32_t pass_add_fields(sir_module *m, sir_filter *to, const sir_filter *from);
// Whether a function is known to pop and push what it declares, and to peek no further.
bool pass_rates_proved(const sir_module *m, const sir_function *f);
// Whether some processor that kernels run on has vectors; where no machine is known they are hoped for.
bool pass_has_vectors(const hlc_program *p);
// Whether all of the machine's processors for kernels keep state from firing to firing.
bool pass_keeps_state(const hlc_program *p);
// Whether the program's machine has several processors for kernels, and what is apart should stay so to run on processors
// of its own. Where they have wide vectors and caches it need not: lanes give more than that, and firings without state run on
// all processors anyway, strip by strip.
bool pass_shares_out(const hlc_program *p);
// The same of what keeps state, one filter of which is one processor's: whether more than `most` may be used.
bool pass_shares_state(const hlc_program *p, size_t most);
bool pass_join_bits(hlc_program *p);
// Names that no filter and no actor has yet, near to the wanted ones (names.c).
const char *pass_unique_filter_name(const sir_module *m, arena *a, const char *wanted);
const char *pass_unique_actor_name(const sir_module *m, arena *a, const char *wanted);
// The same for many: of names that are there when it begins, and of those that are added.
typedef struct pass_names {
    hmap taken, numbers;
} pass_names;
void pass_names_of_filters(pass_names *x, arena *a, const sir_module *m);
void pass_names_of_actors(pass_names *x, arena *a, const sir_module *m);
void pass_names_add(pass_names *x, const char *name);
const char *pass_names_next(pass_names *x, arena *a, const char *wanted);
// Actors that were added at the end come to stand behind the one of the first `count` whose behind[..] they are, 0 being none;
// what is told per actor in `gone`, unless it is NULL, goes with them.
void pass_put_behind(sir_module *m, arena *a, uint32_t count, const uint32_t *behind, bool *gone);
// The module without these actors and channels.
void pass_sweep(sir_module *m, arena *a, const bool *gone_actor, const bool *gone_channel);
// Bytes of tables and copies that passes may add to a filter: its memory may be small.
int64_t pass_table_bytes(const hlc_program *p);
hmap *pass_tables_made(hlc_program *p); // which all networks share
// Whether bodies may be written anew: nothing in them is checked as it runs, and no name in them is to be kept.
static inline bool pass_may_change_more(const hlc_program *p)
{
    return !p->config->check_rates && !p->config->check_bounds && !hlc_keeps_names(p->config);
}
// Whether filters of few states that take bits, which are bytes in this module, may look several up at once (-fsteps).
static inline bool pass_looks_up_bits(const hlc_program *p, const sir_module *m)
{
    return p->config->opt_level >= 2 && !p->config->no_steps && pass_may_change_more(p) && m->byte_bits;
}
// Whether a region is a feedback loop, or in one.
bool pass_in_loop(const sir_module *m, uint32_t region);
// Offers each actor to a pass that takes it from where it stands, the last one first, and tidies up if any was taken. Not
// where rates and bounds are checked, where names are kept, or where processors share filters out.
typedef bool pass_taker(hlc_program *p, arena *a, void *context, uint32_t actor);
bool pass_take_actors(hlc_program *p, pass_taker *take, void *context);
// Whether firings wait for more items than they take. Without one that does, more items would get through at the end.
bool pass_waits(const sir_function *work);
// A function of float that costs much, and that C compilers make vectors of (svm/elementary.h); whether a body calls one.
bool pass_is_elementary(const sir_expr *e);
bool pass_has_elementary(const sir_block *b);
// Drops all fields but those to keep, which get new numbers. Nothing in `work` names a field that is dropped; other functions
// are not looked at.
void pass_keep_fields(arena *a, sir_filter *f, const bool *keep);
bool pass_pack_bits(hlc_program *p);
bool pass_schedule(hlc_program *p);

#endif
