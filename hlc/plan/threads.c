// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hlc/plan/threads.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "hlc/passes/pass.h"
#include "hlc/plan/plan_int.h"
#include "hlc/plan/thread_bounds.h"

enum {
    MOST_FIRINGS = 4,
    ELEMENT = 4,
    BYTES = 16, // of an element
    MOST_INPUTS = 16,
    MOST_OUTPUTS = 4,
    MOST_WIDTH = 4096,   // of a domain
    MOST_PITCH = 8188,   // of an input, in elements
    GENERATIONS = 8,     // of batches in a launch, at least
    STARTS = 32,         // a launch's threads take so many times the cycles that it begins and ends with
    MOST_LOOKUPS = 110,  // they stay in registers, and coordinates and sums need some
    MOST_WINDOWS = 1024, // elements of a domain's windows: what nothing reads is looked up by none
    SPARE = 4,           // of so many instructions one is spare: it is estimated how many there are
    MOST_INT = 1 << 24,  // a float has all ints to this
};

// ---- Threads ----

static int64_t elements_of(int64_t items)
{
    return (items + ELEMENT - 1) / ELEMENT;
}

// How many firings a thread has: it writes whole elements, and pops whole ones, or else has so few lookups that each can have an
// input of its own. 0: there is no such number.
static int64_t firings_of(int64_t pop, int64_t push, int64_t window)
{
    for (unsigned apart = 0; apart < 2; apart++)
        for (int64_t n = 1; n <= MOST_FIRINGS; n *= 2)
            if (n * push % ELEMENT == 0 && n * push <= ELEMENT * MOST_OUTPUTS &&
                (apart == 0 ? n * pop % ELEMENT == 0 : elements_of((n - 1) * pop + window) <= MOST_INPUTS))
                return n;
    return 0;
}

// What the firings of a thread push, as one graph.
static thread_values outputs_of(arena *a, const thread_walk *w, int64_t firings, int64_t pop)
{
    thread_values all = {0};
    size_t nodes = w->ops->nodes.len;
    for (int64_t f = 0; f < firings; f++) {
        uint32_t *copied = ARENA_ARRAY(a, uint32_t, nodes);
        for (size_t i = 0; i < w->pushed.len; i++)
            VEC_PUSH(a, &all, thread_ops_shift(w->ops, w->pushed.data[i], (uint32_t)(f * pop), copied));
    }
    return all;
}

// Of where a domain's windows are: each counter but one is a whole part and a remainder, and moves windows by a product. One needs
// the other.
static int64_t counter_slots(const plan_domain *d)
{
    enum { COUNTER = 4 };
    int64_t slots = COUNTER * ((int64_t)d->trips.len - 1);
    for (VEC_EACH(plan_window, w, &d->windows))
        for (VEC_EACH(int64_t, stride, &w->strides))
            slots += *stride > 1;
    return slots;
}

// Instructions, and lookups of what is read. Where elements continue each other there is one input, and the coordinates of all
// elements but the first are sums.
static void count_slots(arena *a, const thread_walk *w, plan_thread *t, int64_t pop)
{
    enum { MOST_NODES = 8192 }; // operations of a firing
    if ((int64_t)w->ops->nodes.len > MOST_NODES) {
        t->slots = INT64_MAX;
        return;
    }
    thread_coordinates coordinates = t->firings * pop % ELEMENT != 0 ? THREAD_GIVEN
                                     : t->firings * pop == ELEMENT   ? THREAD_ALL_BUT_ONE
                                                                     : THREAD_ALL;
    thread_values outputs = outputs_of(a, w, t->firings, pop);
    t->slots = thread_ops_instructions(w->ops, &outputs, coordinates, &t->read);
    t->slots += t->domain != NULL ? counter_slots(t->domain) : 0;
}

// ---- Cycles ----

// A launch's cycles: at least what one batch takes. Many batches take what is busiest one after another, beside the first
// lookups and the end, in which those under way, half done in the mean, are followed by no others. docs/softproc.md has the
// formula.
static void count_cycles(const machine_processor *x, plan_thread *t)
{
    const machine_pipeline *m = &x->pipeline;
    double threads = (double)m->threads, alu = (double)t->slots, tex = (double)t->read, outputs = (double)t->outputs;
    double bytes = machine_bytes_per_second(m->link_bandwidth, x->clock) / x->clock; // of the link, a cycle
    double reads = (double)(m->operand_reads + 1), rotation = threads > reads ? threads : reads;
    double stages = (double)(m->operand_reads + m->threads + m->alu_stages), block = threads * BYTES;
    double held = ceil(stages / rotation) * rotation; // by an arithmetic instruction
    double latency = (machine_seconds(m->request_latency, x->clock) + machine_seconds(m->host_latency, x->clock) +
                      machine_seconds(m->memory_latency, x->clock) + machine_seconds(m->response_latency, x->clock)) *
                     x->clock;
    double response = (BYTES + (double)m->response_header) / bytes, request = (double)m->request_bytes / bytes;
    double packets = ceil(block / (double)m->largest_packet);
    double read = latency + request + response;
    double lookup =
        (double)(m->address_stages + m->return_stages) + read + (threads - 1) * (response > 1 ? response : 1);
    double batch = alu * held + tex * ceil(lookup / rotation) * rotation;
    double busiest[] = {alu * rotation,
                        tex * rotation,
                        tex * threads * response,
                        tex * threads * request + outputs * (block + packets * (double)m->write_header) / bytes,
                        tex * threads * read / (double)m->outstanding_reads,
                        batch / (double)m->batches};
    double most = 0;
    for (size_t i = 0; i < sizeof busiest / sizeof *busiest; i++)
        most = busiest[i] > most ? busiest[i] : most;
    t->least = batch;
    t->start = (t->read > 0 ? lookup : 0) + batch / 2;
    t->each = most / threads;
}

static const char *refusal(arena *a, const sir_filter *f, const machine_processor *x)
{
    const sir_function *work = f->work;
    const char *name = x->element.name;
    if ((f->input->kind != SIR_FLOAT && f->input->kind != SIR_INT) ||
        (f->output->kind != SIR_FLOAT && f->output->kind != SIR_INT))
        return arena_printf(a, "has items that are neither floats nor ints, as those of the threads of '%s' are", name);
    if (work->pop.dynamic || work->push.dynamic || work->peek.dynamic || work->pop.max <= 0 || work->push.max <= 0)
        return arena_printf(a, "has no fixed rates of at least 1, as threads of '%s' need them", name);
    if (f->prework != NULL)
        return arena_printf(a, "has a prework, and threads of '%s' are all alike", name);
    for (VEC_EACH(const sir_field, field, &f->fields))
        if (!field->constant)
            return arena_printf(a, "writes its field '%s'", field->name);
    return f->uses_random ? "uses random()"
           : f->uses_iter ? "counts its firings"
           : f->prints    ? "prints"
           : f->sends     ? "sends messages"
           : f->stateful  ? "has state"
                          : NULL;
}

// What a thread computes of firings that push more than it has outputs for; NULL: nothing is known that it could.
static const plan_domain *domain_of(arena *a, const sir_filter *f, const machine_processor *x)
{
    const sir_function *work = f->work;
    int64_t peek = work->peek.max > work->pop.max ? work->peek.max : work->pop.max;
    if ((uint64_t)work->push.max <= x->abilities.outputs || work->push.max > ELEMENT * MOST_WIDTH ||
        peek > ELEMENT * (MOST_PITCH - ELEMENT))
        return NULL;
    return plan_domain_of(a, f);
}

// Elements that stay in registers.
static int64_t held(const plan_thread *t)
{
    return t->domain != NULL && t->lookups <= MOST_WINDOWS ? t->read : t->lookups;
}

static const char *shape_lack(arena *a, const plan_thread *t, const sir_function *work, int64_t window,
                              const machine_processor *x)
{
    int64_t slots = (int64_t)(x->instruction_memory / 24 < 512 ? x->instruction_memory / 24 : 512);
    if (t->firings == 0)
        return arena_printf(
            a, "pops %" PRId64 " and pushes %" PRId64 " items, of which no few firings make whole elements of %d",
            work->pop.max, work->push.max, ELEMENT);
    if (held(t) > MOST_LOOKUPS)
        return arena_printf(a, "reads %" PRId64 " items for %" PRId64 " firings, more than a thread has registers for",
                            window, t->firings);
    if (t->slots > slots / SPARE * (SPARE - 1))
        return arena_printf(a, "needs about %" PRId64 " instructions as a thread, and '%s' has %" PRId64, t->slots,
                            x->element.name, slots);
    return NULL;
}

// With ints as the filters before it bound them; or else, as they come from outside, as large as the firing can take.
static thread_walk walk(hlc_program *p, const sir_filter *f, const sir_function *work, plan_thread *t)
{
    static const double tried[] = {MOST_INT, 1 << 20, 1 << 16, 1 << 12, 1 << 8};
    thread_walk_options options = {p->config != NULL && p->config->target_fp, false, {INFINITY, false}};
    if (f->input->kind == SIR_INT)
        options.items = thread_bound_of(p, f);
    bool known = f->input->kind != SIR_INT || options.items.most <= MOST_INT;
    thread_walk w = {0};
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
        if (!known)
            options.items = (thread_bound){tried[i], false};
        w = thread_walk_of(p->arena, f, work, &options);
        if (known || w.lack.text == NULL || !w.too_large)
            break;
    }
    if (f->input->kind == SIR_INT && options.items.most < MOST_INT) {
        t->int_most = options.items.most > 1 ? (int64_t)options.items.most : 1;
        t->int_least = options.items.positive ? 0 : -t->int_most;
        t->assumed = !known;
    }
    return w;
}

plan_lack plan_thread_of(hlc_program *p, const sir_filter *f, const machine_processor *x, plan_thread *thread)
{
    arena *a = p->arena;
    const char *text = refusal(a, f, x);
    *thread = (plan_thread){0};
    if (text != NULL)
        return (plan_lack){text, f->loc, "pipeline"};
    thread->domain = domain_of(a, f, x);
    if (thread->domain == NULL && (uint64_t)f->work->push.max > x->abilities.outputs)
        return (plan_lack){arena_printf(a, "pushes %" PRId64 " items a firing, and '%s' %" PRIu64 " at most",
                                        f->work->push.max, x->element.name, x->abilities.outputs),
                           f->loc, "outputs"};
    const sir_function *work = thread->domain != NULL ? thread->domain->block->work : f->work;
    int64_t pop = work->pop.max, push = work->push.max;
    thread_walk w = walk(p, f, work, thread);
    int64_t window = w.reach > pop ? w.reach : pop;
    thread->firings = firings_of(pop, push, window);
    window += (thread->firings - 1) * pop;
    thread->lookups = elements_of(window);
    thread->outputs = thread->firings * push / ELEMENT;
    if (w.lack.text == NULL && thread->firings > 0 && held(thread) <= MOST_LOOKUPS)
        count_slots(a, &w, thread, pop);
    count_cycles(x, thread);
    text = w.lack.text == NULL ? shape_lack(a, thread, work, window, x) : NULL;
    return text != NULL ? (plan_lack){text, f->loc, "pipeline"} : w.lack;
}

double plan_thread_seconds(const plan_thread *t, const machine_processor *x)
{
    return t->each / plan_thread_firings(t) / x->clock;
}

double plan_fallback_seconds(arena *a, const sir_filter *f, const machine_processor *x)
{
    enum { ITEM = 4 };
    double lanes = x->simd_width > ITEM ? (double)x->simd_width / ITEM : 1;
    return plan_filter_operations(a, f) * plan_seconds_an_operation(x) / lanes;
}

plan_lack plan_thread_too_slow(hlc_program *p, const sir_filter *f, const machine_processor *x, const plan_thread *t)
{
    double here = plan_thread_seconds(t, x);
    if (f->identity) // it goes with its neighbours
        return (plan_lack){0};
    for (VEC_EACH(const machine_processor, q, &p->machine->processors)) {
        double there = plan_fallback_seconds(p->arena, f, q);
        if (q->kind != MACHINE_processor_kind_KERNEL || !q->fallback || q->fallback_gain == 0 ||
            here < (double)q->fallback_gain * there)
            continue;
        return (plan_lack){arena_printf(p->arena, "takes about %.3g us a firing on '%s', and %.3g us on '%s'",
                                        1e6 * here, x->element.name, 1e6 * there, q->element.name),
                           f->loc, "pipeline"};
    }
    return (plan_lack){0};
}

double plan_thread_firings(const plan_thread *t)
{
    return t->domain == NULL ? (double)t->firings : 1 / (double)plan_domain_threads(t->domain);
}

static const machine_processor *launcher_of(const hlc_program *p)
{
    const machine_processor *x = NULL;
    for (size_t i = 0; p->machine != NULL && i < p->machine->processors.len; i++) {
        const machine_processor *q = &p->machine->processors.data[i];
        x = x == NULL && q->kind == MACHINE_processor_kind_KERNEL && plan_launches(q) ? q : x;
    }
    return x;
}

bool plan_has_domain(hlc_program *p, const sir_filter *f)
{
    const machine_processor *x = launcher_of(p);
    plan_thread t;
    return x != NULL && !f->finite && f->work != NULL && plan_thread_of(p, f, x, &t).text == NULL && t.domain != NULL;
}

// Steady states that give what takes longest so many threads, and in which starts of launches are a small part of all launches' cycles:
// filters that are the same may have one launch.
int64_t plan_threads_strip(hlc_program *p)
{
    const machine_processor *x = launcher_of(p);
    if (x == NULL)
        return 1;
    hmap seen; // filters
    hmap_init(&seen, p->arena);
    double most = 0, starts = 0, all = 0;
    int64_t strip = 1;
    for (uint32_t i = 0; i < p->module->actors.len; i++) {
        const sir_actor *actor = p->module->actors.data[i];
        plan_thread t;
        if (actor->kind != SIR_FILTER || plan_thread_of(p, actor->filter, x, &t).text != NULL)
            continue;
        double threads = (double)p->schedule->reps[i] / plan_thread_firings(&t), cycles = t.each * threads;
        starts += hmap_getn(&seen, &actor->filter, sizeof actor->filter) == NULL ? t.start : 0;
        hmap_setn(&seen, &actor->filter, sizeof actor->filter, &seen);
        all += cycles;
        if (cycles <= most)
            continue;
        most = cycles;
        strip = (int64_t)ceil((double)(GENERATIONS * x->pipeline.batches * x->pipeline.threads) / threads);
    }
    double wanted = all > 0 ? ceil(STARTS * starts / all) : 1;
    return wanted > (double)strip ? (int64_t)wanted : strip;
}
