// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What channels outside of loops begin with, which the pass 'windows' puts there, where a program is cut into kernels: a
// stream between kernels begins empty, and a kernel that several processors share begins on earlier input. So a filter in
// front of such a channel's consumer pushes these items in its prework, and then passes on what comes: both know preworks.
#include <string.h>

#include "hlc/ir/type_rules.h"
#include "hlc/passes/pass.h"
#include "hlc/plan/cut.h"

static bool is_fed(const hlc_program *p, const sir_channel *c)
{
    const int32_t *cycle = p->schedule->cycle;
    bool inside = cycle[c->producer] >= 0 && cycle[c->producer] == cycle[c->consumer];
    return c->initial.len != 0 && !inside && sir_is_scalar(c->type); // windows are of scalars
}

static sir_function *new_function(sir_module *m, sir_function_kind kind, int64_t pop, int64_t push, sir_loc loc)
{
    sir_function *f = ARENA_NEW(m->arena, sir_function);
    f->kind = kind;
    f->name = kind == SIR_WORK ? "work" : "prework";
    f->result = m->scalar[SIR_VOID];
    f->peek = f->pop = (sir_rate){.min = pop, .max = pop};
    f->push = (sir_rate){.min = push, .max = push};
    f->loc = loc;
    return f;
}

static void add_push(sir_module *m, sir_function *f, sir_expr *value)
{
    sir_stmt *push = sir_stmt_new(m, SIR_PUSH, f->loc);
    push->u.value = value;
    VEC_PUSH(m->arena, &f->body, push);
}

static sir_filter *new_filter(sir_module *m, const sir_channel *c, sir_loc loc)
{
    sir_filter *f = ARENA_NEW(m->arena, sir_filter);
    f->name = pass_unique_filter_name(m, m->arena, "Before");
    f->source = f->name;
    f->input = f->output = c->type;
    f->loc = loc;
    f->prework = new_function(m, SIR_PREWORK, 0, (int64_t)c->initial.len, loc);
    for (VEC_EACH(const sir_value, v, &c->initial))
        add_push(m, f->prework, sir_const(m, c->type, v->zero ? (sir_scalar){0} : v->data[0], loc));
    f->work = new_function(m, SIR_WORK, 1, 1, loc);
    uint32_t item = sir_local_new(m, f->work, "item", c->type, loc);
    sir_stmt *decl = sir_stmt_new(m, SIR_DECL, loc), *pop = sir_stmt_new(m, SIR_POP, loc);
    decl->u.decl.local = item;
    pop->u.set.target = sir_ref(m, SIR_LOCAL, item, c->type, loc);
    VEC_PUSH(m->arena, &f->work->body, decl);
    VEC_PUSH(m->arena, &f->work->body, pop);
    add_push(m, f->work, sir_ref(m, SIR_LOCAL, item, c->type, loc));
    VEC_PUSH(m->arena, &m->filters, f);
    sir_filter_derive(m, f);
    return f;
}

// The last actor, until all are in order.
static void feed(sir_module *m, uint32_t channel)
{
    const sir_channel like = m->channels.data[channel];
    const sir_actor *to = m->actors.data[like.consumer];
    sir_actor *actor = ARENA_NEW(m->arena, sir_actor);
    *actor = (sir_actor){.kind = SIR_FILTER,
                         .name = pass_unique_actor_name(m, m->arena, arena_printf(m->arena, "%s_before", to->name)),
                         .region = to->region,
                         .filter = new_filter(m, &like, to->loc),
                         .loc = to->loc};
    uint32_t number = (uint32_t)m->actors.len, in = (uint32_t)m->channels.len;
    VEC_PUSH(m->arena, &actor->inputs, in);
    VEC_PUSH(m->arena, &actor->outputs, channel);
    VEC_PUSH(m->arena, &m->actors, actor);
    sir_channel first = {.type = like.type,
                         .producer = like.producer,
                         .producer_port = like.producer_port,
                         .consumer = number,
                         .zeros = like.zeros};
    VEC_PUSH(m->arena, &m->channels, first);
    m->actors.data[like.producer]->outputs.data[like.producer_port] = in;
    sir_channel *second = &m->channels.data[channel];
    second->producer = number;
    second->producer_port = 0;
    second->zeros = NULL;
    memset(&second->initial, 0, sizeof second->initial);
}

// Each new actor in front of the one that it feeds: actors are in canonical order.
static void put_in_order(sir_module *m, size_t old)
{
    size_t n = m->actors.len;
    uint32_t *number = ARENA_ARRAY(m->arena, uint32_t, n + 1), next = 0;
    sir_actor **actors = ARENA_ARRAY(m->arena, sir_actor *, n + 1);
    for (uint32_t i = 0; i < old; i++) {
        for (uint32_t k = (uint32_t)old; k < n; k++)
            if (m->channels.data[m->actors.data[k]->outputs.data[0]].consumer == i) {
                number[k] = next;
                actors[next++] = m->actors.data[k];
            }
        number[i] = next;
        actors[next++] = m->actors.data[i];
    }
    memcpy(m->actors.data, actors, n * sizeof *actors);
    for (VEC_EACH(sir_channel, c, &m->channels)) {
        c->producer = number[c->producer];
        c->consumer = number[c->consumer];
    }
    for (VEC_EACH(const sir_portal, portal, &m->portals))
        for (VEC_EACH(uint32_t, r, &portal->receivers))
            *r = number[*r];
}

bool plan_feed_first_items(hlc_program *p)
{
    sir_module *m = p->module;
    size_t channels = m->channels.len, actors = m->actors.len;
    for (uint32_t i = 0; i < channels; i++)
        if (is_fed(p, &m->channels.data[i]))
            feed(m, i);
    if (m->actors.len == actors)
        return true;
    put_in_order(m, actors);
    p->schedule = schedule_compute(p->arena, p->diag, p->sources, p->module);
    return p->schedule != NULL;
}
