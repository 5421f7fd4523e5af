// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// map: for one processor that works in the control processor's memory all filters go there; else the program is cut into
// kernels (cut.c). Readers and writers are the control program's. Makes the first plan, in which every splitter and joiner
// copies.
#include <string.h>

#include "hlc/passes/pass.h"
#include "hlc/plan/plan_int.h"

// The first memory that both processors read and write themselves; NULL if there is none.
static const machine_memory *common_memory(const machine *mach, const machine_processor *x, const machine_processor *y)
{
    for (size_t i = 0; i < mach->memories.len; i++) {
        const machine_memory *memory = &mach->memories.data[i];
        if (memory->kind == MACHINE_memory_kind_RAM && machine_reaches(mach, x, memory) &&
            machine_reaches(mach, y, memory))
            return memory;
    }
    return NULL;
}

static bool may_start(const machine *mach, const machine_processor *control, const machine_processor *kernel)
{
    for (VEC_EACH(machine_ref, r, &kernel->masters))
        if (r->kind == MACHINE_PROCESSOR && r->index < mach->processors.len &&
            &mach->processors.data[r->index] == control)
            return true;
    return false;
}

// Whether a processor can run all of the program. One that keeps no state can where there is none.
static bool can_run_all(hlc_program *p, const machine_processor *kernel)
{
    const sir_module *m = p->net != NULL ? p->net->whole : p->module;
    for (uint32_t i = 0; i < m->actors.len; i++) {
        if ((!kernel->abilities.state && (p->net != NULL || plan_actor_state(p, i) != NULL)) ||
            plan_record_lack(p, m, i, kernel).why != NULL)
            return false;
    }
    return true;
}

static bool choose_among(hlc_program *p, plan *chosen, bool fallback)
{
    const machine *mach = p->machine;
    for (VEC_EACH(machine_processor, kernel, &mach->processors)) {
        if (kernel->kind != MACHINE_processor_kind_KERNEL || kernel->fallback != fallback || !can_run_all(p, kernel))
            continue;
        for (VEC_EACH(machine_processor, control, &mach->processors)) {
            if (control->kind != MACHINE_processor_kind_CONTROL || !may_start(mach, control, kernel))
                continue;
            const machine_memory *memory = common_memory(mach, control, kernel);
            if (memory == NULL)
                continue;
            chosen->machine = mach->name;
            chosen->control = control->element.name;
            chosen->processor = kernel->element.name;
            chosen->memory = memory->element.name;
            return true;
        }
    }
    return false;
}

static bool choose_processors(hlc_program *p, plan *chosen)
{
    const machine *mach = p->machine;
    if (choose_among(p, chosen, false) || choose_among(p, chosen, true))
        return true;
    if (plan_report_inability(p))
        return false;
    diag_record *r = diag_error_at(
        p->diag, NULL,
        "machine '%s' has no kernel processor that shares a memory with its control processor: programs are mapped to "
        "one processor without transfers so far",
        mach->name);
    diag_add_note(p->diag, r, (src_range){0}, "'--machine=host' has one");
    return false;
}

bool plan_load_machine(hlc_program *p, const plan *pl)
{
    const hlc_config *c = p->config;
    if (p->machine == NULL)
        p->machine = machine_find(p->arena, p->diag, c->machine_dir, c->machine != NULL ? c->machine : pl->machine,
                                  (src_range){0});
    if (p->machine == NULL)
        return false;
    if (strcmp(p->machine->name, pl->machine) != 0) {
        diag_error_at(p->diag, NULL, "plan of '%s': it is for machine '%s', and --machine names '%s'", pl->name,
                      pl->machine, p->machine->name);
        return false;
    }
    const char *const names[] = {pl->control, pl->processor};
    for (size_t i = 0; i < 2; i++)
        if (machine_processor_by_name(p->machine, names[i]) == NULL) {
            diag_error_at(p->diag, NULL, "plan of '%s': machine '%s' has no processor '%s'", pl->name, pl->machine,
                          names[i]);
            return false;
        }
    return true;
}

bool plan_find_net(hlc_program *p, const bool *apart)
{
    if (!p->schedule->dynamic && p->schedule->messages.len == 0 && p->schedule->outside.len == 0)
        return true;
    const plan_ways *ways = plan_ways_build(p->arena, p->diag, p->sources, p->module, p->schedule);
    if (ways == NULL)
        return false;
    p->net = plan_net_build(p->arena, p->module, p->schedule, ways, apart);
    if (p->net != NULL && p->net->single && apart != NULL) // its steady states run one by one
        p->net = plan_net_build(p->arena, p->module, p->schedule, ways, NULL);
    if (p->net == NULL) {
        diag_error_at(p->diag, NULL, "'%s' moves too many items in a steady state for any plan", p->module->name);
        return false;
    }
    p->module = p->net->module;
    p->schedule = p->net->schedule;
    return true;
}

static void name_processors(const hlc_program *p, plan *chosen)
{
    const plan_resources *r = p->cut->resources;
    chosen->machine = r->machine->name;
    chosen->control = r->control->element.name;
    chosen->processor = r->processors.data[0].processor->element.name;
    chosen->memory = r->shared->element.name;
}

bool plan_pass_map(hlc_program *p)
{
    if (p->machine == NULL)
        p->machine = machine_find(p->arena, p->diag, p->config->machine_dir,
                                  p->config->machine != NULL ? p->config->machine : "host", (src_range){0});
    if (p->machine == NULL)
        return false;
    bool spread = p->cut != NULL;
    if (!spread && p->net == NULL) {
        sir_find_byte_bits(p->module);
        plan_remark_bits(p);
    }
    if (!spread && p->net == NULL && !plan_cut_find(p, &spread))
        return false;
    if (!spread && p->net == NULL && !plan_find_net(p, plan_find_apart(p)))
        return false;
    if (!spread && p->net == NULL && !p->module->narrow && plan_should_narrow(p))
        plan_narrow(p);
    size_t n = p->module->channels.len;
    plan_place *places = ARENA_ARRAY(p->arena, plan_place, n + 1);
    for (uint32_t i = 0; i < n; i++)
        places[i] = (plan_place){i, view_identity(p->arena, 0)};
    plan chosen = {0};
    if (spread)
        name_processors(p, &chosen);
    else if (!choose_processors(p, &chosen))
        return false;
    p->plan = &chosen;
    plan *made = plan_build(p, places, 1);
    p->plan = made;
    if (made != NULL)
        plan_remark_map(p);
    return made != NULL;
}
