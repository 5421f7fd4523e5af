// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hlc/plan/threads.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "hlc/passes/pass.h"
#include "hlc/plan/plan_int.h"
#include "hlc/plan/thread_bounds.h"
#include "hlc/plan/thresholds.h"

enum {
    MOST_FIRINGS = 4,
    ELEMENT = 4,
    BYTES = 16, // of an element
    MOST_INPUTS = 16,
    MOST_OUTPUTS = 4,
    MOST_WIDTH = 4096,  // of a domain
    MOST_PITCH = 8188,  // of an input, in elements
    MOST_INT = 1 << 24, // a float has all ints to this
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

// A thread's firings as one graph: each is what the first one is, with its own items and variables.
typedef struct firings {
    arena *arena;
    const thread_walk *walk;
    int64_t count, pop;
    uint32_t *copied[MOST_FIRINGS]; // of each, what the first one's nodes are there
    size_t nodes;                   // of the first one
} firings;

static firings firings_of_thread(arena *a, const thread_walk *w, int64_t count, int64_t pop)
{
    firings f = {.arena = a, .walk = w, .count = count, .pop = pop, .nodes = w->ops->nodes.len};
    for (int64_t i = 0; i < count; i++)
        f.copied[i] = ARENA_ARRAY(a, uint32_t, f.nodes + 1);
    return f;
}

static uint32_t of_firing(const firings *f, uint32_t value, int64_t firing)
{
    return thread_ops_shift(f->walk->ops, value, (uint32_t)(firing * f->pop), f->copied[firing]);
}

// What the firings push.
static thread_values outputs_of(const firings *f)
{
    thread_values all = {0};
    for (int64_t i = 0; i < f->count; i++)
        for (VEC_EACH(uint32_t, v, &f->walk->pushed))
            VEC_PUSH(f->arena, &all, of_firing(f, *v, i));
    return all;
}

// The same value of all firings is side by side, and then the next one's, in whole registers.
static void add_values(const firings *f, const thread_values *values, thread_values *out)
{
    for (VEC_EACH(uint32_t, v, values))
        for (int64_t i = 0; i < f->count; i++)
            VEC_PUSH(f->arena, out, of_firing(f, *v, i));
    while (out->len % ELEMENT != 0)
        VEC_PUSH(f->arena, out, 0);
}

// ---- Variables ----

// Variables of all firings, four by four as they share registers, with what each is in front of its loop and behind a round.
typedef struct variable_places {
    const firings *firings;
    bool *seen;
    uint32_t *before, *after, *loop; // by node; loop: plus 1, 0: it is no variable
    thread_values packs, groups;     // packs: those to be looked at
} variable_places;

static void add_four(variable_places *p, thread_values *out, const uint32_t *four)
{
    for (unsigned i = 0; i < ELEMENT; i++)
        VEC_PUSH(p->firings->arena, out, four[i]);
}

// Four values side by side; what each is computed from is side by side too, as the processor's compiler has it.
static void look_at(variable_places *p, const uint32_t *four)
{
    const thread_ops *o = p->firings->walk->ops;
    uint32_t variables[ELEMENT] = {0}, next[3][ELEMENT] = {{0}}, after[ELEMENT] = {0};
    bool any = false;
    for (unsigned i = 0; i < ELEMENT; i++) {
        uint32_t v = four[i];
        const thread_node *n = &o->nodes.data[v];
        if (p->seen[v])
            continue;
        p->seen[v] = true;
        if (p->loop[v] != 0) {
            variables[i] = v;
            after[i] = p->after[v];
            any = true;
        } else if (n->op >= THREAD_NEG) {
            next[0][i] = n->a;
            next[1][i] = n->b;
            next[2][i] = n->c;
        }
    }
    for (unsigned k = 0; k < 3; k++)
        if (next[k][0] + next[k][1] + next[k][2] + next[k][3] != 0)
            add_four(p, &p->packs, next[k]);
    if (any) {
        add_four(p, &p->groups, variables);
        add_four(p, &p->packs, after);
    }
}

static void look_at_packs(variable_places *p)
{
    uint32_t four[ELEMENT];
    while (p->packs.len > 0) {
        p->packs.len -= ELEMENT;
        memcpy(four, p->packs.data + p->packs.len, sizeof four);
        look_at(p, four);
    }
}

static variable_places place_variables(const firings *f, const thread_values *outputs)
{
    variable_places p = {.firings = f};
    thread_values rest = {0};
    const thread_walk *w = f->walk;
    if (w->loops.len == 0)
        return p;
    for (size_t l = 0; l < w->loops.len; l++) {
        const thread_loop *loop = &w->loops.data[l];
        add_values(f, &loop->variables, &rest);
        for (int64_t i = 0; i < f->count; i++)
            for (size_t k = 0; k < loop->variables.len; k++) {
                (void)of_firing(f, loop->before.data[k], i);
                (void)of_firing(f, loop->after.data[k], i);
            }
    }
    size_t n = w->ops->nodes.len + 1;
    p.seen = ARENA_ARRAY(f->arena, bool, n);
    p.before = ARENA_ARRAY(f->arena, uint32_t, n);
    p.after = ARENA_ARRAY(f->arena, uint32_t, n);
    p.loop = ARENA_ARRAY(f->arena, uint32_t, n);
    for (size_t l = 0; l < w->loops.len; l++) {
        const thread_loop *loop = &w->loops.data[l];
        for (int64_t i = 0; i < f->count; i++)
            for (size_t k = 0; k < loop->variables.len; k++) {
                uint32_t v = of_firing(f, loop->variables.data[k], i);
                p.before[v] = of_firing(f, loop->before.data[k], i);
                p.after[v] = of_firing(f, loop->after.data[k], i);
                p.loop[v] = (uint32_t)l + 1;
            }
    }
    p.seen[0] = true;
    for (size_t i = outputs->len / ELEMENT; i > 0; i--)
        add_four(&p, &p.packs, outputs->data + ELEMENT * (i - 1));
    look_at_packs(&p);
    for (size_t i = 0; i < rest.len; i += ELEMENT) {
        look_at(&p, rest.data + i);
        look_at_packs(&p);
    }
    return p;
}

// What variables of a loop are in front of it, or behind a round, where their registers have them.
static void add_variables(const variable_places *p, size_t loop, bool behind, thread_values *out)
{
    for (size_t i = 0; i < p->groups.len; i += ELEMENT) {
        uint32_t four[ELEMENT] = {0};
        bool any = false;
        for (unsigned k = 0; k < ELEMENT; k++) {
            uint32_t v = p->groups.data[i + k];
            if (p->loop[v] != loop + 1)
                continue;
            four[k] = behind ? p->after[v] : p->before[v];
            any = true;
        }
        for (unsigned k = 0; k < ELEMENT && any; k++)
            VEC_PUSH(p->firings->arena, out, four[k]);
    }
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

// Values of the first firing that change in a loop, or in one within it: those that need its variables.
static void mark_changing(const thread_walk *w, size_t loop, bool *changes, size_t nodes)
{
    const thread_ops *o = w->ops;
    for (size_t i = loop; i < w->loops.len; i++) {
        bool within = i == loop;
        for (uint32_t l = (uint32_t)i; !within && l != NO_LOOP; l = w->loops.data[l].parent)
            within = l == loop;
        for (size_t k = 0; within && k < w->loops.data[i].variables.len; k++)
            changes[w->loops.data[i].variables.data[k]] = true;
    }
    for (uint32_t v = 1; v < nodes; v++) {
        const thread_node *n = &o->nodes.data[v];
        changes[v] = changes[v] || (n->op >= THREAD_NEG && (changes[n->a] || changes[n->b] || changes[n->c]));
    }
}

// Instructions of a round, without those of loops within it. What does not change is computed in front of the loop.
static int64_t round_slots(const variable_places *p, size_t number)
{
    const firings *f = p->firings;
    const thread_walk *w = f->walk;
    const thread_loop *l = &w->loops.data[number];
    thread_piece piece = {.given = p->groups, .coordinates = THREAD_GIVEN};
    bool *changes = ARENA_ARRAY(f->arena, bool, f->nodes + 1), *needed = ARENA_ARRAY(f->arena, bool, f->nodes + 1);
    int64_t lookups;
    mark_changing(w, number, changes, f->nodes);
    for (VEC_EACH(uint32_t, v, &l->after))
        thread_ops_mark(w->ops, *v, needed);
    piece.given.cap = piece.given.len; // what is added is not the groups'
    for (uint32_t v = 1; v < f->nodes; v++)
        if (needed[v] && !changes[v] && w->ops->nodes.data[v].op >= THREAD_ADD) {
            thread_values one = {&v, 1, 1};
            add_values(f, &one, &piece.given);
        }
    add_variables(p, number, true, &piece.outputs);
    for (size_t i = number + 1; i < w->loops.len; i++)
        if (w->loops.data[i].parent == number)
            add_variables(p, i, false, &piece.outputs);
    return thread_ops_instructions(w->ops, &piece, &lookups);
}

// A loop of more rounds than a counter has is two.
static void count_loop(const variable_places *p, size_t number, plan_thread *t)
{
    enum { MOST_COUNTED = 255 };
    const thread_loop *l = &p->firings->walk->loops.data[number];
    int64_t slots = round_slots(p, number), levels = l->rounds > MOST_COUNTED ? 2 : 1;
    t->slots += slots + 2 * levels;
    t->computed += l->times * (double)slots;
    t->steps += l->times + (double)(2 * levels - 1) * l->times / (double)l->rounds;
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
    firings f = firings_of_thread(a, w, t->firings, pop);
    thread_piece piece = {.outputs = outputs_of(&f)};
    piece.coordinates = t->firings * pop % ELEMENT != 0 ? THREAD_GIVEN
                        : t->firings * pop == ELEMENT   ? THREAD_ALL_BUT_ONE
                                                        : THREAD_ALL;
    variable_places variables = place_variables(&f, &piece.outputs);
    piece.given = variables.groups;
    for (size_t i = 0; i < w->loops.len; i++) {
        add_variables(&variables, i, true, &piece.others);
        if (w->loops.data[i].parent == NO_LOOP)
            add_variables(&variables, i, false, &piece.outputs);
    }
    t->slots = thread_ops_instructions(w->ops, &piece, &t->read);
    t->slots += t->domain != NULL ? counter_slots(t->domain) : 0;
    t->computed = (double)t->slots;
    t->steps = 0;
    for (size_t i = 0; i < w->loops.len; i++)
        count_loop(&variables, i, t);
}

// ---- Cycles ----

// A launch's cycles: at least what one batch takes. Many batches take what is busiest one after another, beside the first
// lookups and the end, in which those under way, half done in the mean, are followed by no others. docs/softproc.md has the
// formula.
static void count_cycles(const machine_processor *x, plan_thread *t)
{
    const machine_pipeline *m = &x->pipeline;
    double threads = (double)m->threads, alu = t->computed, tex = (double)t->read, outputs = (double)t->outputs;
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
    double batch = alu * held + tex * ceil(lookup / rotation) * rotation + t->steps * rotation;
    double busiest[] = {alu * rotation,
                        (tex + t->steps) * rotation,
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

static const plan_reason *refusal(arena *a, const sir_filter *f, const machine_processor *x)
{
    const sir_function *work = f->work;
    const char *name = x->element.name;
    if ((f->input->kind != SIR_FLOAT && f->input->kind != SIR_INT) ||
        (f->output->kind != SIR_FLOAT && f->output->kind != SIR_INT))
        return plan_reason_of(a, (plan_reason){PLAN_WHY_ITEM_TYPES, .names = {name}});
    if (work->pop.dynamic || work->push.dynamic || work->peek.dynamic || work->pop.max <= 0 || work->push.max <= 0)
        return plan_reason_of(a, (plan_reason){PLAN_WHY_RATES, .names = {name}});
    if (f->prework != NULL)
        return plan_reason_of(a, (plan_reason){PLAN_WHY_PREWORK, .names = {name}});
    for (VEC_EACH(const sir_field, field, &f->fields))
        if (!field->constant)
            return plan_reason_of(a, (plan_reason){PLAN_WHY_FIELD, .names = {field->name}});
    return f->uses_random ? plan_reason_plain(PLAN_WHY_RANDOM)
           : f->uses_iter ? plan_reason_plain(PLAN_WHY_COUNTS)
           : f->prints    ? plan_reason_plain(PLAN_WHY_PRINTS)
           : f->sends     ? plan_reason_plain(PLAN_WHY_SENDS)
           : f->stateful  ? plan_reason_plain(PLAN_WHY_STATE)
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
    return t->domain != NULL && t->lookups <= THREAD_WINDOWS ? t->read : t->lookups;
}

static int64_t instructions_of(const machine_processor *x)
{
    return (int64_t)(x->instruction_memory / 24 < 512 ? x->instruction_memory / 24 : 512);
}

static int64_t most_slots(const machine_processor *x)
{
    return instructions_of(x) / THREAD_SPARE * (THREAD_SPARE - 1);
}

// Where elements lie apart each has an input.
static int64_t inputs_of(const plan_thread *t, const sir_function *work)
{
    bool apart = t->domain == NULL && t->firings * work->pop.max % ELEMENT != 0;
    return (apart ? t->lookups : 1) + t->tables;
}

static const plan_reason *shape_lack(arena *a, const plan_thread *t, const sir_function *work, int64_t window,
                                     const machine_processor *x)
{
    if (t->firings == 0)
        return plan_reason_of(a, (plan_reason){PLAN_WHY_ELEMENTS, .counts = {work->pop.max, work->push.max, ELEMENT}});
    if (held(t) > THREAD_LOOKUPS)
        return plan_reason_of(a, (plan_reason){PLAN_WHY_WINDOW, .counts = {window, t->firings}});
    if (t->tables > 0 && inputs_of(t, work) > MOST_INPUTS)
        return plan_reason_of(
            a, (plan_reason){PLAN_WHY_INPUTS, .names = {x->element.name}, .counts = {inputs_of(t, work), MOST_INPUTS}});
    if (t->slots > most_slots(x))
        return plan_reason_of(a, (plan_reason){PLAN_WHY_INSTRUCTIONS, .names = {x->element.name},
                                               .counts = {t->slots, instructions_of(x)}});
    return NULL;
}

// With ints as the filters before it bound them; or else, as they come from outside, as large as the firing can take.
static thread_walk walk(hlc_program *p, const sir_filter *f, const sir_function *work, int64_t keep, plan_thread *t)
{
    static const double tried[] = {MOST_INT, 1 << 20, 1 << 16, 1 << 12, 1 << 8};
    thread_walk_options options = {p->config != NULL && p->config->target_fp, false, {INFINITY, false}, keep};
    if (f->input->kind == SIR_INT)
        options.items = thread_bound_of(p, f);
    bool known = f->input->kind != SIR_INT || options.items.most <= MOST_INT;
    thread_walk w = {0};
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
        if (!known)
            options.items = (thread_bound){tried[i], false};
        w = thread_walk_of(p->arena, f, work, &options);
        if (known || w.lack.why == NULL || !w.too_large)
            break;
    }
    if (f->input->kind == SIR_INT && options.items.most < MOST_INT) {
        t->int_most = options.items.most > 1 ? (int64_t)options.items.most : 1;
        t->int_least = options.items.positive ? 0 : -t->int_most;
        t->assumed = !known;
    }
    return w;
}

// With loops of `keep` rounds or more that stay loops; 0: all are unrolled. *longest: rounds of the longest one that is.
static plan_lack shape(hlc_program *p, const sir_filter *f, const sir_function *work, const machine_processor *x,
                       int64_t keep, plan_thread *t, int64_t *longest)
{
    int64_t pop = work->pop.max, push = work->push.max;
    thread_walk w = walk(p, f, work, keep, t);
    int64_t window = w.reach > pop ? w.reach : pop;
    t->firings = firings_of(pop, push, window);
    window += (t->firings - 1) * pop;
    t->lookups = elements_of(window);
    t->outputs = t->firings * push / ELEMENT;
    t->tables = w.tables;
    if (w.lack.why == NULL && t->firings > 0 && held(t) <= THREAD_LOOKUPS)
        count_slots(p->arena, &w, t, pop);
    count_cycles(x, t);
    const plan_reason *why = w.lack.why == NULL ? shape_lack(p->arena, t, work, window, x) : NULL;
    *longest = w.too_long || (w.lack.why == NULL && t->slots > most_slots(x)) ? w.longest : 0;
    return why != NULL ? (plan_lack){why, f->loc, "pipeline"} : w.lack;
}

// Loops are unrolled where the program fits then; or else the longest ones stay loops, or those with the next fewer rounds too.
plan_lack plan_thread_of(hlc_program *p, const sir_filter *f, const machine_processor *x, plan_thread *thread)
{
    arena *a = p->arena;
    const plan_reason *why = refusal(a, f, x);
    *thread = (plan_thread){0};
    if (why != NULL)
        return (plan_lack){why, f->loc, "pipeline"};
    thread->domain = domain_of(a, f, x);
    if (thread->domain == NULL && (uint64_t)f->work->push.max > x->abilities.outputs)
        return plan_lack_of_outputs(a, f->work->push.max, x, f->loc);
    const sir_function *work = thread->domain != NULL ? thread->domain->block->work : f->work;
    plan_lack lack = {0};
    for (int64_t keep = 0, longest = 0;; keep = longest) {
        plan_thread tried = *thread;
        plan_lack again = shape(p, f, work, x, keep, &tried, &longest);
        if (keep == 0 || again.why == NULL) {
            lack = again;
            *thread = tried;
        }
        if (again.why == NULL || longest < 2)
            return lack;
    }
}

double plan_thread_seconds(const plan_thread *t, const machine_processor *x)
{
    return t->each / plan_thread_firings(t) / x->clock;
}

double plan_fallback_seconds(arena *a, const sir_filter *f, const machine_processor *x)
{
    enum { ITEM = 4 };
    double lanes = machine_vector_bytes(x) > ITEM ? (double)machine_vector_bytes(x) / ITEM : 1;
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
        return (plan_lack){
            plan_reason_of(p->arena, (plan_reason){PLAN_WHY_TOO_SLOW, .names = {x->element.name, q->element.name},
                                                   .measures = {1e6 * here, 1e6 * there}}),
            f->loc, "pipeline"};
    }
    return (plan_lack){0};
}

double plan_thread_firings(const plan_thread *t)
{
    return t->domain == NULL ? (double)t->firings : 1 / (double)plan_domain_threads(t->domain);
}

const machine_processor *plan_launcher(const machine *m)
{
    for (VEC_EACH(const machine_processor, p, &m->processors))
        if (p->kind == MACHINE_processor_kind_KERNEL && plan_launches(p))
            return p;
    return NULL;
}

static const machine_processor *launcher_of(const hlc_program *p)
{
    return p->machine == NULL ? NULL : plan_launcher(p->machine);
}

bool plan_has_domain(hlc_program *p, const sir_filter *f)
{
    const machine_processor *x = launcher_of(p);
    plan_thread t;
    return x != NULL && !f->finite && f->work != NULL && plan_thread_of(p, f, x, &t).why == NULL && t.domain != NULL;
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
        if (actor->kind != SIR_FILTER || plan_thread_of(p, actor->filter, x, &t).why != NULL)
            continue;
        double threads = (double)p->schedule->reps[i] / plan_thread_firings(&t), cycles = t.each * threads;
        starts += hmap_getn(&seen, &actor->filter, sizeof actor->filter) == NULL ? t.start : 0;
        hmap_setn(&seen, &actor->filter, sizeof actor->filter, &seen);
        all += cycles;
        if (cycles <= most)
            continue;
        most = cycles;
        strip = (int64_t)ceil((double)(THREAD_GENERATIONS * x->pipeline.batches * x->pipeline.threads) / threads);
    }
    double wanted = all > 0 ? ceil(THREAD_STARTS * starts / all) : 1;
    return wanted > (double)strip ? (int64_t)wanted : strip;
}
