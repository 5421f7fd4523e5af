// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The text of a plan.
#include <inttypes.h>
#include <string.h>

#include "hlc/plan/plan_int.h"

static void print_access(strbuf *out, const plan_access *access)
{
    if (access->buffer == PLAN_NONE) {
        strbuf_add(out, "-");
        return;
    }
    strbuf_printf(out, "%%%" PRIu32 "[%" PRId64 " +", access->buffer, access->view.offset);
    for (VEC_EACH(plan_digit, d, &access->view.digits)) {
        if (d->radix == 0)
            strbuf_printf(out, " *:%" PRId64, d->stride);
        else
            strbuf_printf(out, " %" PRId64 ":%" PRId64, d->radix, d->stride);
    }
    strbuf_add(out, "]");
}

static void print_digits(strbuf *out, const plan_digits *digits)
{
    for (VEC_EACH(plan_digit, d, digits))
        strbuf_printf(out, " %" PRId64 ":%" PRId64, d->radix, d->stride);
}

static void print_members(strbuf *out, const plan_stage *st, const sir_module *m)
{
    strbuf_add(out, " members");
    print_digits(out, &st->in_members);
    strbuf_add(out, " ->");
    print_digits(out, &st->out_members);
    strbuf_add(out, " {");
    for (VEC_EACH(plan_member, o, &st->others)) {
        strbuf_printf(out, " %s", m->actors.data[o->actor]->name);
        if (st->kind == PLAN_COPY)
            strbuf_printf(out, ".%" PRIu32, o->port);
    }
    strbuf_add(out, " }");
}

static void print_stage(strbuf *out, const plan_stage *st, const sir_module *m, int indent)
{
    const sir_actor *actor = m->actors.data[st->actor];
    strbuf_pad(out, ' ', (size_t)indent);
    strbuf_printf(out, "%s %s", st->kind == PLAN_FIRE ? "fire" : "copy", actor->name);
    if (st->kind == PLAN_COPY)
        strbuf_printf(out, ".%" PRIu32, st->port);
    strbuf_addc(out, ' ');
    print_access(out, &st->in);
    strbuf_add(out, " -> ");
    print_access(out, &st->out);
    if (st->others.len != 0)
        print_members(out, st, m);
    strbuf_addc(out, '\n');
}

static void print_steps(strbuf *out, const plan_step *steps, size_t count, int indent)
{
    for (size_t i = 0; i < count; i++) {
        strbuf_pad(out, ' ', (size_t)indent);
        if (steps[i].stage != PLAN_NONE) {
            strbuf_printf(out, "stage %" PRIu32 " times %" PRId64 "\n", steps[i].stage, steps[i].count);
        } else {
            strbuf_printf(out, "repeat %" PRId64 " {\n", steps[i].count);
            print_steps(out, steps[i].steps.data, steps[i].steps.len, indent + 2);
            strbuf_pad(out, ' ', (size_t)indent);
            strbuf_add(out, "}\n");
        }
    }
}

static void print_item(strbuf *out, const plan_item *item, const sir_module *m)
{
    int indent = item->cycle < 0 ? 4 : 6;
    if (item->cycle >= 0)
        strbuf_printf(out, "    cycle %" PRId32 " block %" PRId64 " {\n", item->cycle, item->block);
    for (VEC_EACH(plan_stage, st, &item->stages))
        print_stage(out, st, m, indent);
    if (item->cycle < 0)
        return;
    if (item->steps.len != 0) {
        strbuf_add(out, "      steps {\n");
        print_steps(out, item->steps.data, item->steps.len, 8);
        strbuf_add(out, "      }\n");
    }
    strbuf_add(out, "    }\n");
}

static void print_channel(strbuf *out, uint32_t channel, const sir_module *m)
{
    const sir_channel *c = &m->channels.data[channel];
    strbuf_printf(out, "%s.%" PRIu32, m->actors.data[c->producer]->name, c->producer_port);
}

static void print_kernel(strbuf *out, const plan_kernel *k, const sir_module *m)
{
    strbuf_printf(out, "  kernel %s region %" PRIu32, k->name, k->region);
    if (k->after.len != 0)
        strbuf_add(out, " after");
    for (VEC_EACH(uint32_t, on, &k->after))
        strbuf_printf(out, " %" PRIu32, *on);
    strbuf_add(out, " {\n");
    for (VEC_EACH(plan_item, item, &k->items))
        print_item(out, item, m);
    strbuf_add(out, "  }\n");
}

static void print_io(strbuf *out, const char *word, const plan_io *io, const sir_module *m)
{
    strbuf_printf(out, "  %s %s ", word, m->actors.data[io->actor]->name);
    print_access(out, &io->access);
    strbuf_addc(out, '\n');
}

static void print_assignment(strbuf *out, const plan_cut *cut, size_t kernel)
{
    const uint32_t *where = cut->where + kernel * cut->strips;
    strbuf_add(out, "  assign");
    for (uint32_t i = 0, end; i < cut->strips; i = end) {
        for (end = i + 1; end < cut->strips && where[end] == where[i];)
            end++;
        strbuf_printf(out, " %" PRIu32 ":%" PRIu32, where[i], end - i);
    }
    strbuf_addc(out, '\n');
}

static void print_cut(strbuf *out, const plan_cut *cut)
{
    bool fallbacks = cut->resources->ordinary < cut->resources->processors.len;
    strbuf_printf(out, "  processors %zu%s priming %" PRId64 " windows %" PRIu32 "%s\n", cut->resources->ordinary,
                  fallbacks ? " fallbacks" : "", cut->priming, cut->depth, cut->streams ? " streams" : "");
    for (size_t i = 0; i < cut->kernels.len; i++) {
        const plan_cut_kernel *kernel = &cut->kernels.data[i];
        strbuf_printf(out, "  kernel%s {", kernel->parallel ? " parallel" : kernel->pinned ? " pinned" : "");
        for (VEC_EACH(const uint32_t, a, &cut->graph->kernels.data[i].actors))
            strbuf_printf(out, " %s", cut->graph->whole->actors.data[*a]->name);
        strbuf_add(out, " }\n");
    }
    for (VEC_EACH(const plan_processor, q, &cut->resources->processors))
        if (!q->direct)
            strbuf_printf(out, "  engines %s in %s out %s\n", q->processor->element.name, q->load->element.name,
                          q->store->element.name);
    if (cut->where == NULL)
        return;
    strbuf_printf(out, "  round strips %" PRIu32 " slots %" PRIu32 " rounds %" PRIu32 "\n", cut->strips, cut->slots,
                  cut->rounds);
    for (size_t i = 0; i < cut->kernels.len; i++)
        print_assignment(out, cut, i);
    for (VEC_EACH(const plan_queue, queue, &cut->queues))
        strbuf_printf(out, "  queue %s delay %" PRId64 " halo %" PRId64 " history %" PRId64 " room %" PRId64 "%s\n",
                      cut->graph->streams.data[queue->stream].name, queue->delay, queue->halo, queue->history,
                      queue->room, queue->straight ? " straight" : "");
}

// Where regions are cut so that several processors have work.
static void print_apart(strbuf *out, const plan_net *net)
{
    for (uint32_t i = 0; net->apart != NULL && i < net->whole->channels.len; i++) {
        if (!net->apart[i])
            continue;
        strbuf_add(out, "  cut ");
        print_channel(out, i, net->whole);
        strbuf_addc(out, '\n');
    }
}

// Where a kernel of a net runs.
static void print_net_place(strbuf *out, const plan *pl, size_t kernel)
{
    const plan_net_place *where = &pl->where.data[kernel];
    const uint32_t first = pl->net->kernels.data[kernel].actors.data[0];
    strbuf_printf(out, "  assign %s %s", pl->net->whole->actors.data[first]->name, where->processor);
    const bool offload = where->offload.len != 0;
    const plan_names *others = offload ? &where->offload : &where->helpers;
    if (others->len != 0)
        strbuf_printf(out, " %s %" PRId64, offload ? "offload" : "parallel", where->least);
    if (where->strip != 0)
        strbuf_printf(out, " strip %" PRId64 " windows %" PRIu32 " at %" PRIu64, where->strip, where->turns, where->at);
    strbuf_add(out, others->len != 0 ? " {" : "");
    for (VEC_EACH(const char *, name, others))
        strbuf_printf(out, " %s", *name);
    strbuf_add(out, others->len != 0 ? " }\n" : "\n");
}

void plan_print(strbuf *out, const plan *pl, const sir_module *m)
{
    strbuf_printf(out, "plan %s {\n", pl->name);
    const char *const names[] = {pl->machine, pl->control, pl->processor, pl->memory};
    static const char *const words[] = {"machine", "control", "processor", "memory"};
    for (size_t i = 0; i < 4; i++) {
        strbuf_printf(out, "  %s ", words[i]);
        strbuf_add_quoted(out, names[i], strlen(names[i]));
        strbuf_addc(out, '\n');
    }
    if (m->narrow)
        strbuf_add(out, "  narrow\n");
    if (pl->cut != NULL)
        print_cut(out, pl->cut);
    if (pl->net != NULL)
        print_apart(out, pl->net);
    strbuf_printf(out, "  strip %" PRId64, pl->strip);
    if (pl->most != 0)
        strbuf_printf(out, " most %" PRId64, pl->most);
    if (pl->where.len != 0)
        strbuf_printf(out, " rounds %" PRId64, pl->rounds);
    strbuf_addc(out, '\n');
    if (pl->allocated)
        strbuf_printf(out, "  bytes %" PRIu64 " least %" PRIu64 "\n", pl->bytes, pl->least_bytes);
    for (uint32_t i = 0; i < pl->buffers.len; i++) {
        const plan_buffer *b = &pl->buffers.data[i];
        strbuf_printf(out, "  buffer %%%" PRIu32 " ", i);
        print_channel(out, b->channel, m);
        strbuf_printf(out, " base %" PRId64 " keep %" PRId64 " step %" PRId64 " capacity %" PRId64, b->base, b->keep,
                      b->step, b->capacity);
        if (pl->allocated)
            strbuf_printf(out, " at %" PRIu64, b->address);
        strbuf_addc(out, '\n');
    }
    for (VEC_EACH(plan_initial, i, &pl->initials)) {
        strbuf_add(out, "  initial ");
        print_channel(out, i->channel, m);
        strbuf_addc(out, ' ');
        print_access(out, &i->access);
        strbuf_addc(out, '\n');
    }
    for (size_t i = 0; i < pl->capacities.len; i++)
        strbuf_printf(out, "  stream %s capacity %" PRId64 "\n", pl->net->streams.data[i].name, pl->capacities.data[i]);
    for (size_t i = 0; i < pl->where.len; i++)
        print_net_place(out, pl, i);
    for (VEC_EACH(plan_io, io, &pl->readers))
        print_io(out, "read", io, m);
    for (VEC_EACH(plan_kernel, k, &pl->kernels))
        print_kernel(out, k, m);
    for (VEC_EACH(plan_io, io, &pl->writers))
        print_io(out, "write", io, m);
    strbuf_add(out, "}\n");
}
