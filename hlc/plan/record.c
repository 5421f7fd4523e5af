// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hlc/plan/record.h"

#include "hlc/passes/pass.h"
#include "hlc/plan/plan_int.h"
#include "hlc/plan/profile.h"

static void find_kinds(hlc_program *p, plan_record *record)
{
    const plan_resources *r = record->resources;
    record->kind_of = ARENA_ARRAY(p->arena, uint32_t, r->processors.len + 1);
    for (size_t q = 0; q < r->processors.len; q++) {
        const plan_processor *x = &r->processors.data[q];
        uint32_t kind = 0;
        while (kind < record->kinds.len &&
               (record->kinds.data[kind].first->kind != x->kind || record->kinds.data[kind].fallback != x->fallback))
            kind++;
        if (kind == record->kinds.len)
            VEC_PUSH(p->arena, &record->kinds, (plan_record_kind){x, x->fallback});
        record->kind_of[q] = kind;
    }
}

plan_lack plan_record_lack(hlc_program *p, const sir_module *m, uint32_t actor, const machine_processor *x)
{
    const sir_actor *a = m->actors.data[actor];
    struct {
        const void *filter, *processor;
    } key = {a->filter, x->element.entry != NULL ? (const void *)x->element.entry : x};
    if (a->kind != SIR_FILTER)
        return (plan_lack){0};
    if (p->lacks == NULL) {
        p->lacks = ARENA_NEW(p->arena, hmap);
        hmap_init(p->lacks, p->arena);
    }
    plan_lack *known = hmap_getn(p->lacks, &key, sizeof key);
    if (known == NULL) {
        known = ARENA_NEW(p->arena, plan_lack);
        *known = plan_actor_lacks(p, m, actor, x);
        hmap_setn(p->lacks, &key, sizeof key, known);
    }
    return *known;
}

void plan_record_forget(hlc_program *p)
{
    p->lacks = NULL;
}

bool plan_record_find_lack(hlc_program *p, const plan_resources *r, uint32_t *actor, plan_lack *lack)
{
    for (uint32_t i = 0; i < p->module->actors.len; i++) {
        bool can = false;
        for (VEC_EACH(const plan_processor, q, &r->processors))
            can = can || plan_record_lack(p, p->module, i, q->processor).why == NULL;
        if (can)
            continue;
        *actor = i;
        *lack = plan_record_lack(p, p->module, i, r->processors.data[0].processor);
        return true;
    }
    return false;
}

static const plan_lack *lacks_of(hlc_program *p, const plan_record *record, uint32_t actor)
{
    plan_lack *lacks = ARENA_ARRAY(p->arena, plan_lack, record->kinds.len + 1);
    for (size_t k = 0; k < record->kinds.len; k++)
        lacks[k] = plan_record_lack(p, p->module, actor, record->kinds.data[k].first->processor);
    return lacks;
}

// Items that one operation of a firing works on: of actors without state, as many as vectors have lanes.
static double lanes_of(const machine_processor *x, const plan_reason *keeps)
{
    enum { LANE_BYTES = 4 };
    return keeps == NULL && machine_vector_bytes(x) > LANE_BYTES ? (double)machine_vector_bytes(x) / LANE_BYTES : 1;
}

const plan_record *plan_record_of(hlc_program *p, const plan_resources *r)
{
    const sir_module *m = p->module;
    const double *each = plan_costs(p, m);
    plan_record *record = ARENA_NEW(p->arena, plan_record);
    record->resources = r;
    record->of = ARENA_ARRAY(p->arena, plan_record_actor, m->actors.len + 1);
    find_kinds(p, record);
    for (uint32_t i = 0; i < m->actors.len; i++) {
        plan_record_actor *a = &record->of[i];
        const sir_filter *f = m->actors.data[i]->kind == SIR_FILTER ? m->actors.data[i]->filter : NULL;
        a->keeps = plan_actor_keeps(p, i);
        a->state = plan_actor_state(p, i) != NULL;
        a->lanes = lanes_of(r->processors.data[0].processor, a->keeps);
        a->operations =
            each[i] * (double)p->schedule->reps[i] * (p->profile != NULL ? a->lanes : 1); // measured on lanes
        a->work = a->operations * plan_seconds_an_operation(r->processors.data[0].processor) / a->lanes;
        a->lacks = lacks_of(p, record, i);
        double *seconds = ARENA_ARRAY(p->arena, double, record->kinds.len + 1);
        for (size_t k = 0; k < record->kinds.len; k++) {
            const plan_record_kind *kind = &record->kinds.data[k];
            const machine_processor *x = kind->first->processor;
            bool can = a->lacks[k].why == NULL && (!a->state || x->abilities.state) &&
                       (kind->fallback || !plan_is_foreign(p, f));
            seconds[k] = can ? a->operations * plan_seconds_an_operation(x) / lanes_of(x, a->keeps) : -1;
        }
        a->seconds = seconds;
    }
    return record;
}

bool plan_record_is_plain(const plan_record *record)
{
    return record->kinds.len == 1;
}

double plan_record_work(const plan_record *record, uint32_t actor)
{
    return record->of[actor].operations / record->of[actor].lanes;
}
