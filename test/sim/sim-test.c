// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Drives the simulation engine from its arguments and prints what happens when, for test/sim.
//
//   sim-test MACHINE transfers FROM>TO:BYTES[@NS][,OPTION]...
//     OPTION: engine=P, link=L, ideal, from=KIND/RECORD, to=KIND/RECORD, node=A/B
//   sim-test MACHINE order | claims | ahead | never | costs | speed EVENTS
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/sim.h"

typedef struct test {
    arena *arena;
    source_set sources;
    diag_engine diags;
    const machine *machine;
    sim *sim;
} test;

typedef struct spec {
    sim_transfer transfer;
    const char *text;
} spec;

static double now_ns(const sim *s)
{
    return sim_to_seconds(sim_now(s)) * 1e9;
}

static void accepted(sim *s, void *context)
{
    printf("%8.2f accepted %s\n", now_ns(s), ((spec *)context)->text);
}

static void sent(sim *s, void *context)
{
    printf("%8.2f sent %s\n", now_ns(s), ((spec *)context)->text);
}

static void arrived(sim *s, void *context)
{
    printf("%8.2f arrived %s\n", now_ns(s), ((spec *)context)->text);
}

static void start(sim *s, void *context)
{
    sim_start(s, &((spec *)context)->transfer);
}

static void usage(const char *what)
{
    fprintf(stderr, "sim-test: what is '%s'?\n", what);
    exit(2);
}

static sim_element element_named(const machine *m, const char *name)
{
    const machine_processor *p = machine_processor_by_name(m, name);
    const machine_memory *memory = machine_memory_by_name(m, name);
    if (p == NULL && memory == NULL)
        usage(name);
    return p != NULL ? sim_processor(0, (size_t)(p - m->processors.data))
                     : sim_memory(0, (size_t)(memory - m->memories.data));
}

static void set_access(sim_side *side, const char *text)
{
    side->access = strncmp(text, "random", 6) == 0    ? SIM_RANDOM
                   : strncmp(text, "strided", 7) == 0 ? SIM_STRIDED
                                                      : SIM_SEQUENTIAL;
    const char *slash = strchr(text, '/');
    side->record = slash == NULL ? 0 : strtoull(slash + 1, NULL, 10);
}

static void set_option(test *t, spec *x, const char *word)
{
    if (strncmp(word, "engine=", 7) == 0)
        x->transfer.engine = element_named(t->machine, word + 7);
    else if (strncmp(word, "link=", 5) == 0)
        x->transfer.link = (size_t)(machine_link_by_name(t->machine, word + 5) - t->machine->links.data);
    else if (strncmp(word, "from=", 5) == 0)
        set_access(&x->transfer.from, word + 5);
    else if (strncmp(word, "to=", 3) == 0)
        set_access(&x->transfer.to, word + 3);
    else if (strncmp(word, "node=", 5) == 0) {
        x->transfer.from.element.node = (uint32_t)atoi(word + 5);
        x->transfer.to.element.node = (uint32_t)atoi(strchr(word, '/') + 1);
    } else if (strcmp(word, "ideal") == 0)
        x->transfer.ideal_memories = true;
    else
        usage(word);
}

// "L0>L1:100@5,link=BUS"
static void schedule(test *t, const char *text)
{
    spec *x = ARENA_NEW(t->arena, spec);
    char *copy = arena_strdup(t->arena, text), *to = strchr(copy, '>'), *bytes = strchr(copy, ':');
    if (to == NULL || bytes == NULL)
        usage(text);
    *to++ = *bytes++ = '\0';
    *x = (spec){.text = text,
                .transfer = {.from.element = element_named(t->machine, copy),
                             .to.element = element_named(t->machine, to),
                             .bytes = strtoull(bytes, NULL, 10),
                             .engine = SIM_NONE,
                             .link = SIM_ROUTED,
                             .label = text,
                             .accepted = accepted,
                             .sent = sent,
                             .arrived = arrived,
                             .context = x}};
    const char *at = strchr(bytes, '@');
    strtok(bytes, ",");
    for (char *word; (word = strtok(NULL, ",")) != NULL;)
        set_option(t, x, word);
    sim_at(t->sim, at == NULL ? 0 : sim_from_seconds(atof(at + 1) / 1e9), start, x);
}

static void say(sim *s, void *context)
{
    printf("%.2f %s\n", now_ns(s), (const char *)context);
}

// Events come by time, equal times in the order of scheduling.
static void order(test *t)
{
    static char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    static const int at[] = {30, 10, 20, 10, 30, 10, 20, 0};
    for (int i = 0; i < 8; i++)
        sim_at(t->sim, at[i] * (SIM_SECOND / 1000000000), say, names[i]);
    sim_run(t->sim);
}

typedef struct claimant {
    const char *name;
    sim_element processor;
    sim_time hold;
} claimant;

static void let_go(sim *s, void *context)
{
    claimant *c = context;
    printf("%.2f %s lets go\n", now_ns(s), c->name);
    sim_release(s, c->processor);
}

static void granted(sim *s, void *context)
{
    claimant *c = context;
    printf("%.2f %s has it\n", now_ns(s), c->name);
    sim_occupy(s, c->processor, sim_now(s), sim_now(s) + c->hold, SIM_COMPUTE, c->name);
    sim_at(s, sim_now(s) + c->hold, let_go, c);
}

// A processor goes to who asked first.
static void claims(test *t)
{
    static claimant c[] = {{"first", {0}, 5000000}, {"second", {0}, 3000000}, {"third", {0}, 1000000}};
    for (int i = 0; i < 3; i++) {
        c[i].processor = element_named(t->machine, "P0");
        sim_acquire(t->sim, c[i].processor, granted, &c[i]);
    }
    sim_run(t->sim);
}

// A client that runs ahead of the events sets the time, but not beyond the next event.
static void ahead(test *t)
{
    sim_at(t->sim, 10000000, say, "event");
    sim_advance(t->sim, 4000000);
    say(t->sim, "ahead");
    printf("next %.2f\n", sim_to_seconds(sim_next(t->sim)) * 1e9);
    sim_run(t->sim);
    sim_advance(t->sim, 5000000);
}

static void never(test *t)
{
    printf("%lld\n", (long long)(sim_from_seconds(1e9) == SIM_NEVER));
    sim_at(t->sim, sim_add(sim_from_seconds(9000), sim_from_seconds(1000)), say, "never");
}

static void costs(test *t)
{
    sim *s = t->sim;
    size_t p = element_named(t->machine, "P0").index, cpu = element_named(t->machine, "CPU").index;
    printf("start %.0f stop %.0f push-acquire %.0f pop-discard %.0f\n", sim_cost_kernel_start(s, p) / 1e6,
           sim_cost_kernel_stop(s, p) / 1e6, sim_cost_push_acquire(s, p) / 1e6, sim_cost_pop_discard(s, p) / 1e6);
    for (uint64_t bytes = 0; bytes <= 400; bytes += 100)
        printf("push-send %llu: %.0f, %llu: %.0f\n", (unsigned long long)bytes, sim_cost_push_send(s, p, bytes) / 1e6,
               (unsigned long long)bytes + 1, sim_cost_push_send(s, p, bytes + 1) / 1e6);
    printf("pop-acquire 500: %.0f; without costs %.0f\n", sim_cost_pop_acquire(s, p, 500) / 1e6,
           sim_cost_push_send(s, cpu, 500) / 1e6);
    uint64_t counts[MACHINE_OP_COUNT] = {[MACHINE_OP_INT_ADD] = 10, [MACHINE_OP_FLOAT_MUL] = 4};
    machine_operation missing = MACHINE_OP_COUNT;
    for (uint64_t live = 0; live <= 12; live += 4)
        printf("operations with %llu live: %.0f\n", (unsigned long long)live,
               sim_operations_seconds(s, p, counts, live, &missing) * 1e9);
    size_t spills = element_named(t->machine, "SPILLS").index;
    printf("spilling with 64 B live: %.0f, 128 B: %.0f\n",
           sim_operations_seconds(s, spills, counts, sim_live_registers(&t->machine->processors.data[spills], 64),
                                  &missing) *
               1e9,
           sim_operations_seconds(s, spills, counts, sim_live_registers(&t->machine->processors.data[spills], 128),
                                  &missing) *
               1e9);
    counts[MACHINE_OP_DOUBLE_ADD] = 1;
    double refused = sim_operations_seconds(s, p, counts, 0, &missing);
    printf("with double: %.0f, no %s\n", refused, machine_operation_text(missing));
    printf("vector operations: %llu %llu %llu\n",
           (unsigned long long)sim_vector_operations(&t->machine->processors.data[p], 0),
           (unsigned long long)sim_vector_operations(&t->machine->processors.data[p], 16),
           (unsigned long long)sim_vector_operations(&t->machine->processors.data[p], 17));
    size_t mem = element_named(t->machine, "LOST").index;
    printf("served by %s, %s\n", t->machine->memories.data[sim_serving_memory(s, cpu, mem, 1024)].element.name,
           t->machine->memories.data[sim_serving_memory(s, cpu, mem, 1025)].element.name);
}

static void again(sim *s, void *context)
{
    uint64_t *left = context;
    if (*left > 0) {
        (*left)--;
        sim_at(s, sim_now(s) + 1 + (sim_time)(*left * 2654435761u % 1000), again, left);
    }
}

// Many events with a thousand pending.
static void speed(test *t, const char *count)
{
    uint64_t left = strtoull(count, NULL, 10);
    for (int i = 0; i < 1000; i++)
        sim_at(t->sim, i, again, &left);
    sim_run(t->sim);
    printf("%llu events\n", (unsigned long long)sim_events(t->sim));
}

static void run_command(test *t, int argc, char **argv)
{
    const char *command = argv[0];
    if (strcmp(command, "transfers") == 0) {
        for (int i = 1; i < argc; i++)
            schedule(t, argv[i]);
        sim_run(t->sim);
        strbuf b;
        strbuf_init(&b, t->arena);
        sim_report_text(sim_make_report(t->sim, t->arena, "transfers"), &b);
        fputs(b.data, stdout);
    } else if (strcmp(command, "order") == 0) {
        order(t);
    } else if (strcmp(command, "claims") == 0) {
        claims(t);
    } else if (strcmp(command, "ahead") == 0) {
        ahead(t);
    } else if (strcmp(command, "never") == 0) {
        never(t);
    } else if (strcmp(command, "costs") == 0) {
        costs(t);
    } else if (strcmp(command, "speed") == 0 && argc > 1) {
        speed(t, argv[1]);
    } else {
        usage(command);
    }
}

int main(int argc, char **argv)
{
    if (argc < 3)
        usage("nothing");
    test t = {.arena = arena_create()};
    source_set_init(&t.sources, t.arena);
    diag_init(&t.diags, t.arena, &t.sources);
    t.machine = machine_find(t.arena, &t.diags, ".", argv[1], (src_range){0});
    diag_flush(&t.diags, stderr, DIAG_FORMAT_TEXT, false);
    if (t.machine == NULL)
        return 1;
    t.sim = sim_create(t.arena, t.machine, &(sim_options){.trace_limit = 100});
    run_command(&t, argc - 2, argv + 2);
    const char *failure = sim_failure(t.sim);
    if (failure != NULL)
        printf("failure: %s\n", failure);
    arena_destroy(t.arena);
    return failure != NULL;
}
