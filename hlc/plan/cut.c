// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cut of a program into kernels on several processors: whether it is to be cut, and the cut graph.
#include "hlc/plan/cut.h"

#include <inttypes.h>
#include <string.h>

#include "hlc/passes/pass.h"
#include "hlc/plan/abilities.h"
#include "hlc/plan/footprint.h"
#include "hlc/plan/plan_int.h"
#include "hlc/plan/profile.h"
#include "hlc/plan/thresholds.h"

typedef VEC(uint32_t) number_list;

static bool has_io(const sir_module *m)
{
    for (VEC_EACH(sir_actor *, a, &m->actors))
        if (sir_is_file(*a) || sir_prints(*a))
            return true;
    return m->init_text_len != 0;
}

// What of the machine the program can use: so many processors, 0 all. NULL after an error.
static const plan_resources *resources_for(hlc_program *p, int64_t wanted)
{
    const plan_demands demands = {.io = has_io(p->module)};
    return plan_resources_find(p->arena, p->diag, p->machine, wanted, &demands);
}

// ---- Whether to cut ----

static src_range program_range(const hlc_program *p)
{
    return sir_range(p->module, p->sources, p->module->regions.data[0].loc);
}

// Why the program cannot be cut, whatever the machine; NULL: it can.
static const plan_reason *obstacle(const hlc_program *p)
{
    if (p->schedule->dynamic)
        return plan_reason_plain(PLAN_WHY_DYNAMIC_PROGRAM);
    if (p->schedule->messages.len > 0)
        return plan_reason_plain(PLAN_WHY_SENDING_PROGRAM);
    if (p->schedule->outside.len > 0)
        return plan_reason_plain(PLAN_WHY_OUTSIDE_MESSAGES);
    return NULL;
}

// Kernels of such a program wait for items within their firings, or end runs where messages are due.
static bool needs_streams(const hlc_program *p)
{
    return p->schedule->dynamic || p->schedule->messages.len > 0 || p->schedule->outside.len > 0;
}

// The option that asks for several processors or for transfers between memories; NULL: none does.
static const char *asks_for_cut(const hlc_config *c)
{
    if (c->mapping == HLC_MAPPING_SPACE)
        return "--mapping=space";
    return c->transfer == HLC_TRANSFER_STREAM ? "--transfer=stream" : NULL;
}

// Stays on one processor, if there is one that the control program shares a memory with.
static bool stay(hlc_program *p, const plan_resources *r, const plan_reason *reason)
{
    const char *why = plan_reason_text(p->arena, reason);
    const char *asked = asks_for_cut(p->config);
    if (asked != NULL) {
        diag_record *e =
            diag_error(p->diag, program_range(p), "'%s' cannot be mapped as %s asks: %s", p->module->name, asked, why);
        diag_add_note(p->diag, e, (src_range){0}, "leave %s away: then it stays on one processor", asked);
        return false;
    }
    bool direct = plan_resources_with_fallbacks(p->arena, r) != NULL;
    for (VEC_EACH(const plan_processor, x, &r->processors))
        direct |= x->direct;
    if (!direct) {
        diag_record *e = diag_error_at(p->diag, NULL,
                                       "'%s' cannot be mapped to machine '%s': %s, which needs a kernel processor that "
                                       "shares a memory with the control processor",
                                       p->module->name, r->machine->name, why);
        diag_add_note(p->diag, e, (src_range){0}, "'--machine=host' has one");
        return false;
    }
    if (p->diag->remarks)
        diag_remark(p->diag, program_range(p),
                    needs_streams(p) ? "'%s' is not cut by strips, but into kernels that streams join: %s [map]"
                                     : "'%s' stays on one processor: %s [map]",
                    p->module->name, why);
    return true;
}

static void describe_kernels(hlc_program *p, plan_cut *cut)
{
    for (VEC_EACH(const plan_net_kernel, of, &cut->graph->kernels)) {
        plan_cut_kernel kernel = {.pinned_by = SIR_NONE};
        for (VEC_EACH(uint32_t, actor, &of->actors)) {
            const plan_record_actor *x = &cut->record->of[*actor];
            if (x->keeps == NULL || (kernel.why != NULL && (kernel.state || !x->state)))
                continue;
            kernel.state |= x->state;
            kernel.pinned_by = *actor;
            kernel.why = x->keeps;
        }
        VEC_PUSH(p->arena, &cut->kernels, kernel);
    }
}

// ---- What processors of several kinds can run ----

// The first processor that works in the shared memory where the first of all does not, or the other way round; NULL: there
// is none.
static const plan_processor *odd_one(const plan_resources *r)
{
    for (VEC_EACH(const plan_processor, x, &r->processors))
        if (x->direct != r->processors.data[0].direct)
            return x;
    return NULL;
}

// False after an error: streams would have to join the others to a fallback, which works in the shared memory itself. actor:
// one that only the fallback can run.
static bool can_mix(hlc_program *p, const plan_resources *more, const sir_actor *actor)
{
    const plan_processor *other = p->config->transfer == HLC_TRANSFER_STREAM ? odd_one(more) : NULL;
    if (other == NULL)
        return true;
    diag_record *d =
        diag_error(p->diag, sir_range(p->module, p->sources, actor->loc),
                   "'%s' cannot be mapped as --transfer=stream asks: '%s' runs on '%s' alone, which takes no "
                   "streams, as it works in '%s' itself",
                   p->module->name, actor->name, other->processor->element.name, more->shared->element.name);
    diag_add_note(p->diag, d, (src_range){0}, "leave --transfer=stream away, or use '--transfer=block'");
    return false;
}

// Which processors can run all of a kernel, and at what cost: of ordinary ones and fallbacks the ordinary ones, if there are
// any.
static void find_processors(hlc_program *p, plan_cut *cut)
{
    const plan_record *record = cut->record;
    const plan_resources *r = record->resources;
    for (size_t i = 0; i < cut->kernels.len; i++) {
        plan_cut_kernel *kernel = &cut->kernels.data[i];
        const plan_net_kernel *of = &cut->graph->kernels.data[i];
        double *on = ARENA_ARRAY(p->arena, double, r->processors.len + 1);
        bool ordinary = false;
        for (size_t q = 0; q < r->processors.len; q++) {
            for (VEC_EACH(uint32_t, actor, &of->actors)) {
                double seconds = record->of[*actor].seconds[record->kind_of[q]];
                on[q] = on[q] < 0 || seconds < 0 ? -1 : on[q] + seconds;
            }
            ordinary |= q < r->ordinary && on[q] >= 0;
        }
        for (size_t q = r->ordinary; q < r->processors.len && ordinary; q++)
            on[q] = -1;
        if (plan_cut_move(cut))
            kernel->footprint = plan_footprint_of(p->arena, cut->graph->whole, of->actors.data, of->actors.len);
        kernel->on = on;
        size_t first = 0;
        while (first < r->processors.len && on[first] < 0)
            first++;
        kernel->seconds = first < r->processors.len ? on[first] : 0;
    }
}

static bool may_run_somewhere(const plan_cut *cut, uint32_t kernel)
{
    for (uint32_t q = 0; q < cut->resources->processors.len; q++)
        if (plan_kernel_may_run_on(cut, kernel, q))
            return true;
    return false;
}

// Actors of one kernel need what no one processor has.
static void report_unable(hlc_program *p, const plan_cut *cut, size_t number)
{
    const plan_resources *r = cut->resources;
    const plan_net_kernel *of = &cut->graph->kernels.data[number];
    const plan_cut_kernel *kernel = &cut->kernels.data[number];
    const sir_module *m = p->module;
    const sir_actor *first = m->actors.data[of->actors.data[0]];
    diag_record *d = diag_error(p->diag, sir_range(m, p->sources, first->loc),
                                "the kernel of %zu actor%s from '%s' on can run on no kernel processor of machine '%s'",
                                of->actors.len, of->actors.len == 1 ? "" : "s", first->name, r->machine->name);
    for (uint32_t k = 0; k < cut->record->kinds.len; k++) {
        const machine_processor *x = cut->record->kinds.data[k].first->processor;
        bool told = false;
        for (VEC_EACH(uint32_t, actor, &of->actors)) {
            const plan_lack *lack = &cut->record->of[*actor].lacks[k];
            if (!told && lack->why != NULL)
                diag_add_note(p->diag, d, sir_range(m, p->sources, lack->loc), "'%s' %s", m->actors.data[*actor]->name,
                              plan_reason_text(p->arena, lack->why));
            told = told || lack->why != NULL;
        }
        if (!told && kernel->state && !x->abilities.state)
            diag_add_note(p->diag, d, (src_range){0}, "'%s' keeps no state from firing to firing", x->element.name);
    }
}

// Kernels whose actors need what no one ordinary processor has, as in a feedback loop, go to a fallback, if there is one.
// False after an error.
static bool find_able(hlc_program *p, plan_cut *cut)
{
    const plan_resources *r = cut->resources;
    for (uint32_t i = 0; i < cut->kernels.len && !plan_record_is_plain(cut->record); i++) {
        const plan_net_kernel *of = &cut->graph->kernels.data[i];
        if (may_run_somewhere(cut, i))
            continue;
        const plan_resources *more =
            cut->resources->processors.len == r->ordinary ? plan_resources_with_fallbacks(p->arena, r) : NULL;
        if (more != NULL && !can_mix(p, more, p->module->actors.data[of->actors.data[0]]))
            return false;
        if (more != NULL) {
            cut->resources = more;
            cut->record = plan_record_of(p, more);
            find_processors(p, cut);
        }
        if (!may_run_somewhere(cut, i)) {
            report_unable(p, cut, i);
            return false;
        }
    }
    return true;
}

// What runs on a fallback for want of an ordinary processor stays there.
static void pin_to_fallbacks(plan_cut *cut)
{
    for (uint32_t i = 0; i < cut->kernels.len; i++) {
        plan_cut_kernel *kernel = &cut->kernels.data[i];
        bool ordinary = kernel->why != NULL;
        for (uint32_t q = 0; q < cut->resources->ordinary; q++)
            ordinary = ordinary || plan_kernel_may_run_on(cut, i, q);
        if (ordinary)
            continue;
        kernel->pinned = true;
        kernel->pinned_by = cut->graph->kernels.data[i].actors.data[0];
        kernel->why = plan_reason_plain(PLAN_WHY_OTHERS_NEED);
    }
}

// Channels inside a kernel that hold items which no steady state moves are on one processor only.
static void find_lost_items(plan_cut *cut)
{
    const plan_net *graph = cut->graph;
    for (size_t i = 0; i < graph->module->channels.len; i++) {
        const sched_channel *sc = &graph->schedule->channels[i];
        const sir_channel *c = &graph->module->channels.data[i];
        plan_cut_kernel *kernel = &cut->kernels.data[graph->kernel_of[c->producer]];
        bool end = graph->actor_of[c->producer] == SIR_NONE || graph->actor_of[c->consumer] == SIR_NONE;
        if (end || sc->steady != 0 || sc->remainder == 0 || kernel->why != NULL)
            continue;
        kernel->pinned_by = graph->actor_of[c->consumer];
        kernel->why = plan_reason_plain(PLAN_WHY_LOST_ITEMS);
    }
}

// An actor keeps state, and no processor can.
static void report_state(hlc_program *p, const plan_resources *r, const sir_actor *pinned_by, const plan_reason *why)
{
    const machine_element *e = &r->processors.data[0].processor->element;
    diag_record *d = diag_error(p->diag, sir_range(p->module, p->sources, pinned_by->loc),
                                "'%s' %s, and no kernel processor of machine '%s' keeps state from firing to firing",
                                pinned_by->name, plan_reason_text(p->arena, why), r->machine->name);
    diag_add_note(p->diag, d, machine_value_range(e, "state"), "the machine file says so of '%s'", e->name);
}

// An actor that no processor can keep the state of, and why it has some; NULL: there is none, or one can.
static const sir_actor *find_state(hlc_program *p, const plan_resources *r, const plan_reason **why)
{
    for (VEC_EACH(const plan_processor, x, &r->processors))
        if (x->processor->abilities.state)
            return NULL;
    for (uint32_t i = 0; i < p->module->actors.len; i++) {
        *why = plan_actor_state(p, i);
        if (*why != NULL)
            return p->module->actors.data[i];
    }
    return NULL;
}

static void report_lack(hlc_program *p, const plan_resources *r, const sir_actor *actor, const plan_lack *lack)
{
    const machine_element *e = &r->processors.data[0].processor->element;
    diag_record *d = diag_error(p->diag, sir_range(p->module, p->sources, lack->loc),
                                "'%s' %s, and no kernel processor of machine '%s' can run it", actor->name,
                                plan_reason_text(p->arena, lack->why), r->machine->name);
    diag_add_note(p->diag, d, machine_value_range(e, lack->key), "the machine file says so of '%s'", e->name);
}

// One that no processor of r can run; gives whether there is one.
static bool report_inability(hlc_program *p, const plan_resources *r)
{
    const plan_reason *why = NULL;
    uint32_t actor;
    plan_lack lack;
    const sir_actor *pinned_by = find_state(p, r, &why);
    if (pinned_by != NULL)
        report_state(p, r, pinned_by, why);
    else if (plan_record_find_lack(p, r, &actor, &lack))
        report_lack(p, r, p->module->actors.data[actor], &lack);
    else
        return false;
    return true;
}

bool plan_report_inability(hlc_program *p)
{
    const plan_resources *r = resources_for(p, 0);
    return r == NULL || report_inability(p, r);
}

// The filters that no ordinary processor can run.
static void find_foreign(hlc_program *p, const plan_resources *r)
{
    for (uint32_t i = 0; i < p->module->actors.len; i++) {
        const sir_filter *f = p->module->actors.data[i]->kind == SIR_FILTER ? p->module->actors.data[i]->filter : NULL;
        plan_lack lack = {0};
        bool can = f == NULL;
        for (size_t q = 0; q < r->ordinary && !can; q++) {
            plan_lack here = plan_record_lack(p, p->module, i, r->processors.data[q].processor);
            can = here.why == NULL;
            lack = q == 0 ? here : lack;
        }
        if (can)
            continue;
        if (p->foreign == NULL) {
            p->foreign = ARENA_NEW(p->arena, hmap);
            hmap_init(p->foreign, p->arena);
        }
        hmap_setn(p->foreign, &f, sizeof f, (void *)(uintptr_t)lack.why);
    }
}

// The processors to use: with those that are only a fallback where the others cannot run all of the program; then it is
// cut also where it would not be for the others. NULL after an error: none can run some actor.
static const plan_resources *able_resources(hlc_program *p, const plan_resources *r)
{
    const plan_reason *why = NULL;
    uint32_t actor;
    plan_lack lack;
    bool lacks = plan_record_find_lack(p, r, &actor, &lack);
    const sir_actor *pinned_by = find_state(p, r, &why), *unable = lacks ? p->module->actors.data[actor] : pinned_by;
    const plan_resources *more = lacks || pinned_by != NULL ? plan_resources_with_fallbacks(p->arena, r) : NULL;
    if (!lacks && pinned_by == NULL)
        return r;
    if (more != NULL && !plan_record_find_lack(p, more, &actor, &lack) && find_state(p, more, &why) == NULL) {
        find_foreign(p, more);
        return can_mix(p, more, unable) ? more : NULL;
    }
    (void)report_inability(p, r);
    return NULL;
}

// False after an error: some kernel keeps state, and no processor can.
static bool can_keep_state(hlc_program *p, const plan_cut *cut)
{
    const plan_resources *r = cut->resources;
    const sir_module *m = cut->graph->whole;
    for (uint32_t i = 0; i < cut->kernels.len; i++) {
        const plan_cut_kernel *kernel = &cut->kernels.data[i];
        if (may_run_somewhere(cut, i))
            continue;
        report_state(p, r, m->actors.data[kernel->pinned_by], kernel->why);
        return false;
    }
    return true;
}

// Whether the program's code and state leave too little of a local memory for items. Each kernel is then kept to one
// processor, and so are the bytes that it needs.
static bool is_too_large(hlc_program *p, const plan_resources *r)
{
    const plan_processor *x = &r->processors.data[0];
    number_list actors = {0};
    if (x->direct || r->processors.len == 1)
        return false;
    for (uint32_t i = 0; i < p->module->actors.len; i++)
        if (!sir_is_file(p->module->actors.data[i]))
            VEC_PUSH(p->arena, &actors, i);
    plan_footprint f = plan_footprint_of(p->arena, p->module, actors.data, actors.len);
    return (double)plan_footprint_bytes(&f, x) > CUT_ROOM * (double)x->bytes;
}

static void pin_kernels(plan_cut *cut, plan_why why)
{
    for (size_t i = 0; i < cut->kernels.len; i++) {
        plan_cut_kernel *kernel = &cut->kernels.data[i];
        if (kernel->why != NULL)
            continue;
        kernel->pinned = true;
        kernel->pinned_by = cut->graph->kernels.data[i].actors.data[0];
        kernel->why = plan_reason_plain(why);
    }
}

// ---- What --mapping and --transfer ask for ----

static bool moves(const plan_resources *r)
{
    bool any = false;
    for (VEC_EACH(const plan_processor, x, &r->processors))
        any |= !x->direct;
    return any;
}

static hlc_mapping mapping_of(const hlc_program *p, const plan_resources *r)
{
    const hlc_config *c = p->config;
    // Where nothing is moved between memories only kernels that lie behind each other are joined by streams.
    bool space = c->mapping == HLC_MAPPING_CHOSEN && c->transfer == HLC_TRANSFER_STREAM && !moves(r);
    return space ? HLC_MAPPING_SPACE : c->mapping;
}

// False after an error: the machine cannot do what the options ask for.
static bool can_do(hlc_program *p, const plan_resources *r)
{
    const hlc_config *c = p->config;
    const plan_processor *x = &r->processors.data[0];
    const machine_element *e = &x->processor->element;
    diag_record *d = NULL;
    if (c->mapping == HLC_MAPPING_SPACE && c->processors == 1) {
        d = diag_error_at(p->diag, NULL,
                          "--mapping=space contradicts --processors=1: kernels that stay on different processors "
                          "need two at least");
        diag_add_note(p->diag, d, (src_range){0}, "'--mapping=time' is for one processor");
    } else if (c->mapping == HLC_MAPPING_SPACE && r->processors.len == 1) {
        d = diag_error(
            p->diag, machine_value_range(e, "kind"),
            "--mapping=space needs two kernel processors at least, and machine '%s' has one that can be used, '%s'",
            r->machine->name, e->name);
        diag_add_note(p->diag, d, (src_range){0}, "use '--mapping=time', or name a machine with several");
    } else if (c->transfer == HLC_TRANSFER_STREAM && !moves(r) &&
               (r->processors.len == 1 || c->mapping == HLC_MAPPING_TIME)) {
        d = diag_error(
            p->diag, machine_value_range(e, "memories"),
            "--transfer=stream has nothing to move on machine '%s': kernels that take turns on a processor work in "
            "'%s' themselves, where the control program puts their items",
            r->machine->name, x->memory->element.name);
        diag_add_note(p->diag, d, (src_range){0},
                      r->processors.len == 1 ? "leave --transfer=stream away"
                                             : "use '--mapping=space', which joins processors by streams, or leave "
                                               "--transfer=stream away");
    } else if (c->transfer == HLC_TRANSFER_STREAM && odd_one(r) != NULL) {
        const machine_element *other = &odd_one(r)->processor->element;
        d = diag_error(
            p->diag, machine_value_range(other, "memories"),
            "--transfer=stream needs kernel processors that all work in memories of their own, or all in '%s'; "
            "on machine '%s' '%s' and '%s' differ",
            r->shared->element.name, r->machine->name, e->name, other->name);
        diag_add_note(p->diag, d, (src_range){0}, "use '--transfer=block', or fewer --processors");
    }
    return d == NULL;
}

// False after an error: each processor was to hold all kernels.
static bool may_be_large(hlc_program *p, const plan_resources *r)
{
    const plan_processor *x = &r->processors.data[0];
    if (p->config->mapping != HLC_MAPPING_TIME)
        return true;
    diag_record *d =
        diag_error(p->diag, program_range(p),
                   "--mapping=time has each processor run all of '%s', whose code and state leave too little "
                   "of '%s' (%" PRIu64 " bytes) for items",
                   p->module->name, x->memory->element.name, x->bytes);
    diag_add_note(p->diag, d, (src_range){0}, "'--mapping=space' has each hold some of it");
    return false;
}

uint32_t plan_cut_most_windows(const plan_cut *cut)
{
    return cut->streams ? PLAN_STREAM_WINDOWS : PLAN_WINDOWS;
}

uint32_t plan_cut_fewest_windows(const plan_cut *cut)
{
    return plan_cut_most_windows(cut) - (plan_cut_move(cut) ? 1 : 0);
}

// The cut into kernels, and what is known of them; NULL: there is none.
static plan_cut *cut_into(hlc_program *p, const plan_record *record, const uint32_t *kernel_of, size_t count)
{
    plan_cut *cut = ARENA_NEW(p->arena, plan_cut);
    cut->record = record;
    cut->resources = record->resources;
    cut->streams = p->config->transfer == HLC_TRANSFER_STREAM;
    cut->depth = plan_cut_fewest_windows(cut);
    cut->graph = plan_net_cut(p->arena, p->module, p->schedule, kernel_of, count);
    if (cut->graph == NULL)
        return NULL;
    describe_kernels(p, cut);
    find_lost_items(cut);
    find_processors(p, cut);
    return cut;
}

// From here on the program is that of its kernels.
static void take_cut(hlc_program *p, plan_cut *cut)
{
    p->cut = cut;
    p->module = cut->graph->module;
    p->schedule = cut->graph->schedule;
}

bool plan_cut_find(hlc_program *p, bool *found)
{
    *found = false;
    const plan_resources *r = resources_for(p, p->config->processors);
    if (r == NULL)
        return false;
    size_t count;
    if (!can_do(p, r))
        return false;
    const plan_reason *why = obstacle(p);
    if (why != NULL && !(r->processors.len == 1 && r->processors.data[0].direct))
        return stay(p, r, why); // on one that can run it all
    if ((r = able_resources(p, r)) == NULL)
        return false;
    if (why != NULL || (r->processors.len == 1 && r->processors.data[0].direct))
        return true;
    if (!plan_split_copies(p) || !plan_feed_first_items(p))
        return false;
    if (!moves(r) && plan_should_narrow(p))
        plan_narrow(p);
    plan_record_forget(p);
    hlc_mapping mapping = mapping_of(p, r);
    bool space = mapping == HLC_MAPPING_SPACE, large = !space && is_too_large(p, r);
    if (large && !may_be_large(p, r))
        return false;
    const plan_record *record = plan_record_of(p, r);
    const uint32_t *kernel_of = space   ? plan_cut_group_in_space(p, record, &count)
                                : large ? plan_cut_group_by_search(p, record, true, &count)
                                        : NULL;
    large = large && kernel_of != NULL;
    if (kernel_of == NULL)
        kernel_of = plan_cut_group(p, record, &count);
    if (count == 0)
        return stay(p, r, plan_reason_plain(PLAN_WHY_NO_FILTERS));
    plan_cut *cut = cut_into(p, record, kernel_of, count);
    if (cut == NULL)
        diag_error_at(p->diag, NULL, "'%s' moves too many items in a steady state for any plan", p->module->name);
    if (cut == NULL || !find_able(p, cut) || !can_keep_state(p, cut))
        return false;
    pin_to_fallbacks(cut);
    if (large)
        pin_kernels(cut, PLAN_WHY_OTHERS_FILL);
    cut->space = space;
    if (space)
        pin_kernels(cut, PLAN_WHY_OWN_STRETCH);
    const plan_cut_kernel *first = &cut->kernels.data[0];
    if (count == 1 && first->why != NULL && r->processors.data[0].direct && !space) {
        const char *name = p->module->actors.data[first->pinned_by]->name;
        return stay(p, r, &(plan_reason){PLAN_WHY_ALL_ON_ONE, .names = {name}, .behind = first->why});
    }
    take_cut(p, cut);
    *found = true;
    return true;
}

// ---- Kernels from a text ----

// Every filter, splitter and joiner is in a kernel, files are in none, no cycle is cut, and channels lead onwards.
static bool are_kernels(const hlc_program *p, const uint32_t *kernel_of)
{
    const sir_module *m = p->module;
    for (uint32_t i = 0; i < m->actors.len; i++) {
        if (sir_is_file(m->actors.data[i]) != (kernel_of[i] == SIR_NONE))
            return false;
    }
    for (VEC_EACH(const sir_channel, c, &m->channels)) {
        uint32_t from = kernel_of[c->producer], to = kernel_of[c->consumer];
        bool cycle =
            p->schedule->cycle[c->producer] >= 0 && p->schedule->cycle[c->producer] == p->schedule->cycle[c->consumer];
        if (from == SIR_NONE && to == SIR_NONE)
            return false;
        if (from != SIR_NONE && to != SIR_NONE && (cycle ? from != to : from > to))
            return false;
    }
    return obstacle(p) == NULL;
}

bool plan_cut_restore(hlc_program *p, const uint32_t *kernel_of, size_t count, const char *flags, int64_t processors,
                      bool fallbacks)
{
    if (count == 0 || processors < 1 || !are_kernels(p, kernel_of))
        return false;
    const plan_resources *r = resources_for(p, processors);
    if (r != NULL && fallbacks)
        r = plan_resources_with_fallbacks(p->arena, r);
    if (r == NULL)
        return false;
    if (fallbacks)
        find_foreign(p, r);
    plan_cut *cut = cut_into(p, plan_record_of(p, r), kernel_of, count);
    if (cut == NULL)
        return false;
    cut->space = p->config->mapping == HLC_MAPPING_SPACE;
    for (size_t i = 0; i < count; i++) {
        plan_cut_kernel *x = &cut->kernels.data[i];
        if (cut->graph->kernels.data[i].actors.len == 0 || (flags[i] != 0 && x->why != NULL))
            return false;
        x->parallel = flags[i] == 'r';
        if (flags[i] != 'k')
            continue;
        x->pinned = true;
        x->pinned_by = cut->graph->kernels.data[i].actors.data[0];
        x->why = plan_reason_plain(PLAN_WHY_FROM_PLAN);
    }
    take_cut(p, cut);
    return true;
}
