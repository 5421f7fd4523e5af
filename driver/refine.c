// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --refine: maps, simulates, looks at what limits the program, changes the mapping, and so on. Two things are changed: what
// kernels are thought to take (estimates, then what the simulation of the best mapping so far measured), and the length of
// strips, by factors of two. Every mapping runs the same steady states of the same input.
#include <inttypes.h>
#include <string.h>

#include "driver/option_table.h"
#include "driver/refine.h"
#include "driver/report.h"
#include "support/quantity.h"

// Rounds of the first mapping that are simulated, and steady states at least; what is better must be so by this part; from
// this share of its time on, what a processor does beside working asks for longer strips.
enum { REFINE_ROUNDS = 24, REFINE_STEADY_STATES = 64 };
#define REFINE_GAIN 0.005
#define REFINE_OVERHEAD 0.01

// A change to the best mapping so far, in the order in which they are tried unless what limits it says otherwise.
typedef enum change { CHANGE_NONE, CHANGE_MEASURED, CHANGE_LONGER, CHANGE_SHORTER, CHANGE_COUNT } change;

// A mapping and what became of it.
typedef struct mapping {
    const char *strip, *times; // --strip=, --profile-use=; NULL: as the command line has it
    const char *text;          // SVM C
    int64_t covers, round;     // steady states of a strip, of a round
    double predicted, seconds; // of a steady state; predicted 0: unknown
    const char *profile;       // measured in its simulation
    report_run run;
    bool tried[CHANGE_COUNT]; // changes to it
} mapping;

typedef struct refiner {
    tool_session *t;
    process_session *processes;
    const driver_inputs *inputs;
    const char *machine, *failure;
    int64_t steady_states;
    size_t given; // options of the command line
    bool fixed;   // it has a --strip
    uint64_t simulated;
    VEC(const char *) seen; // texts
} refiner;

// ---- A mapping ----

static void set_option(refiner *f, option_id id, const char *value)
{
    if (value != NULL)
        VEC_PUSH(f->t->arena, &f->t->options.items, (option){id, value, true});
}

static void set_options(refiner *f, const mapping *m)
{
    f->t->options.items.len = f->given;
    set_option(f, OPT_STRIP, m->strip);
    set_option(f, OPT_PROFILE_USE, m->times);
}

static const char *folder_of(arena *a, const char *file)
{
    const char *slash = strrchr(file, '/');
    return slash == NULL ? "." : arena_strndup(a, file, (size_t)(slash - file));
}

// The program with the mapping's options. What a change is not possible for is no error of the user's: the first compiling
// has told all there is to tell. NULL: not possible.
static const char *compile(refiner *f, const mapping *m, hlc_report *plan, hlc_natives *natives, bool first)
{
    diag_engine *d = &f->t->diags, before = *d;
    d->remarks = false;
    d->no_warnings = d->no_warnings || !first;
    hmap seen;
    hmap_init(&seen, f->t->arena);
    if (!first)
        d->seen = &seen;
    set_options(f, m);
    const char *text = driver_compile_report(f->t, f->inputs, MODE_SVM_C, natives, NULL, NULL, plan);
    f->t->options.items.len = f->given;
    if (first && text == NULL) {
        d->remarks = before.remarks;
        return NULL;
    }
    // It is compiled once more with what is found, and then says so.
    d->records.len = before.records.len;
    d->error_count = before.error_count;
    d->warning_count = before.warning_count;
    d->remarks = before.remarks;
    d->no_warnings = before.no_warnings;
    d->seen = before.seen;
    return text;
}

static bool was_seen(refiner *f, const char *text)
{
    for (VEC_EACH(const char *, seen, &f->seen))
        if (strcmp(*seen, text) == 0)
            return true;
    VEC_PUSH(f->t->arena, &f->seen, text);
    return false;
}

typedef enum outcome { OUTCOME_RUN, OUTCOME_SAME, OUTCOME_IMPOSSIBLE, OUTCOME_FAILED } outcome;

// Compiles and simulates a mapping. IMPOSSIBLE: it does not compile; FAILED: or not run, f->failure says why.
static outcome try_mapping(refiner *f, mapping *m)
{
    arena *a = f->t->arena;
    const char *program = process_temporary(f->processes, driver_stem(a, f->inputs->data[0].path), ".svm.c");
    m->profile = process_temporary(f->processes, "kernels", ".profile");
    f->failure = "no temporary file can be made";
    if (program == NULL || m->profile == NULL)
        return OUTCOME_FAILED;
    hlc_report plan = {.folder = folder_of(a, program)};
    hlc_natives natives = {0};
    m->text = compile(f, m, &plan, &natives, f->simulated == 0);
    if (m->text == NULL)
        return OUTCOME_IMPOSSIBLE;
    m->covers = plan.strip;
    m->round = plan.round;
    m->predicted = plan.predicted;
    if (was_seen(f, m->text))
        return OUTCOME_SAME;
    if (natives.len != 0) {
        f->failure =
            arena_printf(a, "it calls the native function '%s', which only the program has that is linked with it",
                         natives.data[0].name);
        return OUTCOME_FAILED;
    }
    if (!tool_write(f->t, program, m->text, strlen(m->text)))
        return OUTCOME_FAILED;
    if (f->steady_states == 0)
        f->steady_states =
            m->round * REFINE_ROUNDS > REFINE_STEADY_STATES ? m->round * REFINE_ROUNDS : REFINE_STEADY_STATES;
    const report_trial trial = {f->t, f->processes, &plan, program, f->steady_states, m->profile};
    f->simulated++;
    tool_doing(f->t, "refining the mapping: simulation %llu of up to %lld", (unsigned long long)f->simulated,
               (long long)option_number(&f->t->options, OPT_REFINE, 1));
    if (!report_simulate(&trial, f->machine, false, &m->run, &f->failure))
        return OUTCOME_FAILED;
    m->seconds = m->run.iteration > 0 ? m->run.iteration : m->run.seconds / (double)f->steady_states;
    return OUTCOME_RUN;
}

// ---- What is changed ----

// Whether what limits the mapping is what longer strips would spread over more steady states.
static bool asks_for_longer(const mapping *m)
{
    for (VEC_EACH(const report_row, r, &m->run.processors))
        if (strlen(m->run.bottleneck) >= strlen(r->name) &&
            strcmp(m->run.bottleneck + strlen(m->run.bottleneck) - strlen(r->name), r->name) == 0)
            return r->overhead > REFINE_OVERHEAD;
    return true; // waiting for each other, a link, a memory
}

static change next_change(const refiner *f, const mapping *m)
{
    change order[CHANGE_COUNT] = {CHANGE_LONGER, CHANGE_SHORTER, CHANGE_MEASURED};
    if (!asks_for_longer(m)) {
        order[0] = CHANGE_SHORTER;
        order[1] = CHANGE_LONGER;
    }
    if (m->times == NULL && !m->tried[CHANGE_MEASURED]) // estimates are wrong more often than what was measured once
        return CHANGE_MEASURED;
    for (int i = 0; i < CHANGE_COUNT - 1; i++)
        if (!m->tried[order[i]] && (order[i] == CHANGE_MEASURED || !f->fixed))
            return order[i];
    return CHANGE_NONE;
}

static mapping changed(const refiner *f, const mapping *m, change c, const char **text)
{
    arena *a = f->t->arena;
    mapping next = {.strip = m->strip, .times = m->times};
    int64_t strip = c == CHANGE_LONGER ? 2 * m->covers : m->covers / 2;
    if (c == CHANGE_MEASURED) { // and nothing else
        next.strip = f->fixed ? NULL : arena_printf(a, "%" PRId64, m->covers);
        next.times = m->profile;
        *text = m->times == NULL ? "measured times of kernels" : "times of kernels measured again";
        return next;
    }
    next.strip = arena_printf(a, "%" PRId64, strip > 0 ? strip : 1);
    next.tried[c == CHANGE_LONGER ? CHANGE_SHORTER : CHANGE_LONGER] = true; // where it comes from
    *text = arena_printf(a, "%s strips", c == CHANGE_LONGER ? "longer" : "shorter");
    return next;
}

// ---- The flow ----

static void tell(refiner *f, const mapping *m, const char *what, outcome o, bool best)
{
    arena *a = f->t->arena;
    diag_engine *d = &f->t->diags;
    if (!d->remarks)
        return;
    if (o == OUTCOME_SAME || o == OUTCOME_IMPOSSIBLE) {
        diag_remark(d, (src_range){0}, "%s: %s [refine]", what,
                    o == OUTCOME_SAME ? "a mapping that was simulated before" : "not possible");
        return;
    }
    if (o == OUTCOME_FAILED) {
        diag_remark(d, (src_range){0}, "%s: not simulated: %s [refine]", what, f->failure);
        return;
    }
    diag_remark(d, (src_range){0},
                "%s: a steady state takes %s in simulation%s, in strips of %" PRId64 "; limited by %s%s [refine]", what,
                quantity_seconds(a, m->seconds),
                m->predicted > 0 ? arena_printf(a, " (predicted: %s)", quantity_seconds(a, m->predicted)) : "",
                m->covers, m->run.bottleneck, best ? "; the best so far" : "");
}

static mapping improve(refiner *f, mapping best, int64_t most)
{
    for (int64_t n = 1; n < most;) {
        change c = next_change(f, &best);
        const char *what;
        if (c == CHANGE_NONE)
            break;
        best.tried[c] = true;
        mapping next = changed(f, &best, c, &what);
        outcome o = try_mapping(f, &next);
        bool better = o == OUTCOME_RUN && next.seconds < best.seconds * (1 - REFINE_GAIN);
        tell(f, &next, what, o, better);
        n += o == OUTCOME_RUN || o == OUTCOME_FAILED;
        if (better)
            best = next;
    }
    return best;
}

bool refine_mapping(tool_session *t, process_session *s, const driver_inputs *inputs)
{
    const char *name = option_last(&t->options, OPT_MACHINE);
    refiner f = {.t = t, .processes = s, .inputs = inputs, .machine = name == NULL ? "host" : name};
    f.given = t->options.items.len;
    f.fixed = option_number(&t->options, OPT_STRIP, 0) != 0;
    mapping first = {0};
    outcome o = try_mapping(&f, &first);
    if (o == OUTCOME_IMPOSSIBLE)
        return false;
    if (o != OUTCOME_RUN) {
        diag_warning(&t->diags, WARN_REFINE, (src_range){0},
                     "the mapping is not refined, as it cannot be simulated: %s", f.failure);
        return true;
    }
    tell(&f, &first, option_last(&t->options, OPT_PROFILE_USE) != NULL ? "as the profile has it" : "by estimates", o,
         true);
    mapping best = improve(&f, first, option_number(&t->options, OPT_REFINE, 1));
    diag_remark(&t->diags, (src_range){0},
                "%" PRIu64
                " mapping%s simulated: the best takes %s for a steady state, %.3g times as fast as the first [refine]",
                f.simulated, f.simulated == 1 ? "" : "s", quantity_seconds(t->arena, best.seconds),
                first.seconds / best.seconds);
    t->options.given = f.given;
    set_options(&f, &best);
    return true;
}
