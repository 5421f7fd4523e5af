// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files that are copied without a filter between. Several processors share the work of kernels, and queues begin or end at
// files: such a copy gets an identity filter, which is a kernel like any other.
#include <string.h>

#include "hlc/passes/pass.h"
#include "hlc/plan/plan_int.h"

static bool is_copy(const sir_module *m, const sir_channel *c)
{
    return m->actors.data[c->producer]->kind == SIR_READER && m->actors.data[c->consumer]->kind == SIR_WRITER;
}

// t = pop(); push(t);
static sir_filter *new_identity(sir_module *m, const sir_type *type, sir_loc loc)
{
    arena *a = m->arena;
    sir_filter *f = ARENA_NEW(a, sir_filter);
    sir_function *work = ARENA_NEW(a, sir_function);
    work->kind = SIR_WORK;
    work->name = "work";
    work->result = m->scalar[SIR_VOID];
    work->loc = loc;
    work->peek = work->pop = work->push = (sir_rate){.min = 1, .max = 1};
    uint32_t item = sir_local_new(m, work, "t", type, loc);
    sir_stmt *decl = sir_stmt_new(m, SIR_DECL, loc), *pop = sir_stmt_new(m, SIR_POP, loc),
             *push = sir_stmt_new(m, SIR_PUSH, loc);
    decl->u.decl.local = item;
    pop->u.set.target = sir_ref(m, SIR_LOCAL, item, type, loc);
    push->u.value = sir_ref(m, SIR_LOCAL, item, type, loc);
    VEC_PUSH(a, &work->body, decl);
    VEC_PUSH(a, &work->body, pop);
    VEC_PUSH(a, &work->body, push);
    size_t same = 0;
    for (VEC_EACH(sir_filter *, other, &m->filters))
        same += strncmp((*other)->name, "Copy", 4) == 0;
    f->name = same == 0 ? "Copy" : arena_printf(a, "Copy_%zu", same + 1);
    f->source = "Identity";
    f->loc = loc;
    f->input = f->output = type;
    f->work = work;
    sir_filter_derive(m, f);
    VEC_PUSH(a, &m->filters, f);
    return f;
}

static const char *free_name(const sir_module *m)
{
    const char *name = "Copy";
    size_t n = 2;
    for (size_t i = 0; i < m->actors.len; i++)
        if (strcmp(m->actors.data[i]->name, name) == 0) {
            name = arena_printf(m->arena, "Copy_%zu", n++);
            i = SIZE_MAX; // from the first again
        }
    return name;
}

// Makes room for an actor: those from `at` on have greater numbers.
static void insert(sir_module *m, uint32_t at, sir_actor *actor)
{
    VEC_PUSH(m->arena, &m->actors, actor);
    memmove(&m->actors.data[at + 1], &m->actors.data[at], (m->actors.len - 1 - at) * sizeof *m->actors.data);
    m->actors.data[at] = actor;
    for (VEC_EACH(sir_channel, c, &m->channels)) {
        c->producer += c->producer >= at;
        c->consumer += c->consumer >= at;
    }
    for (VEC_EACH(sir_portal, portal, &m->portals))
        for (VEC_EACH(uint32_t, receiver, &portal->receivers))
            *receiver += *receiver >= at;
}

static void split(sir_module *m, uint32_t channel)
{
    const sir_actor *reader = m->actors.data[m->channels.data[channel].producer];
    sir_actor *copy = ARENA_NEW(m->arena, sir_actor);
    *copy = (sir_actor){.kind = SIR_FILTER,
                        .name = free_name(m),
                        .region = reader->region,
                        .filter = new_identity(m, m->channels.data[channel].type, reader->loc),
                        .loc = reader->loc};
    uint32_t at = m->channels.data[channel].producer + 1;
    insert(m, at, copy);
    sir_channel behind = m->channels.data[channel];
    behind.producer = at;
    behind.producer_port = 0;
    sir_actor *writer = m->actors.data[behind.consumer];
    writer->inputs.data[behind.consumer_port] = (uint32_t)m->channels.len;
    VEC_PUSH(m->arena, &copy->inputs, channel);
    VEC_PUSH(m->arena, &copy->outputs, (uint32_t)m->channels.len);
    m->channels.data[channel].consumer = at;
    m->channels.data[channel].consumer_port = 0;
    VEC_PUSH(m->arena, &m->channels, behind);
}

bool plan_split_copies(hlc_program *p)
{
    sir_module *m = p->module;
    size_t channels = m->channels.len;
    bool any = false;
    for (uint32_t i = 0; i < channels; i++)
        if (is_copy(m, &m->channels.data[i])) {
            split(m, i);
            any = true;
        }
    if (any)
        p->schedule = schedule_compute(p->arena, p->diag, p->sources, m);
    return p->schedule != NULL;
}
