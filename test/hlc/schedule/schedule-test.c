// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares schedule_compute with exhaustive search on small random graphs: schedule-test random COUNT SEED. Graphs have
// filters with peek windows and preworks, splitters, joiners, cycles and enqueued items; most random rates do not
// balance, which is checked too. schedule-test large ACTORS SECONDS schedules a long pipeline of splitjoins and fails
// when that takes absurdly long. schedule-test print FILE prints the schedule of stream IR text.
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "hlc/schedule/schedule.h"

enum { MAX_ACTORS = 5, MAX_REPS = 12, MAX_INIT = 9 };

typedef struct rng {
    uint64_t state;
} rng;

static uint32_t below(rng *r, uint32_t n)
{
    r->state = r->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(r->state >> 33) % n;
}

typedef struct bench {
    arena *arena;
    interner names;
    source_set sources;
    diag_engine d;
    sir_module *m;
} bench;

static void bench_open(bench *b)
{
    b->arena = arena_create();
    interner_init(&b->names, b->arena);
    source_set_init(&b->sources, b->arena);
    diag_init(&b->d, b->arena, &b->sources);
    b->m = sir_module_create(b->arena, &b->names, "test");
}

static sir_function *make_function(bench *b, sir_function_kind kind, int64_t peek, int64_t pop, int64_t push)
{
    sir_function *f = ARENA_NEW(b->arena, sir_function);
    f->kind = kind;
    f->name = kind == SIR_WORK ? "work" : "prework";
    f->result = b->m->scalar[SIR_VOID];
    f->peek.min = f->peek.max = peek > pop ? peek : pop;
    f->pop.min = f->pop.max = pop;
    f->push.min = f->push.max = push;
    return f;
}

static uint32_t add_actor(bench *b, sir_actor_kind kind)
{
    sir_actor *a = ARENA_NEW(b->arena, sir_actor);
    a->kind = kind;
    a->name = arena_printf(b->arena, "a%zu", b->m->actors.len);
    a->item = b->m->scalar[SIR_INT];
    VEC_PUSH(b->arena, &b->m->actors, a);
    return (uint32_t)b->m->actors.len - 1;
}

static uint32_t add_filter(bench *b, sir_function *work, sir_function *prework)
{
    uint32_t i = add_actor(b, SIR_FILTER);
    sir_filter *f = ARENA_NEW(b->arena, sir_filter);
    f->name = b->m->actors.data[i]->name;
    f->input = f->output = b->m->scalar[SIR_INT];
    f->work = work;
    f->prework = prework;
    VEC_PUSH(b->arena, &b->m->filters, f);
    b->m->actors.data[i]->filter = f;
    return i;
}

static void connect(bench *b, uint32_t from, uint32_t from_port, uint32_t to, uint32_t to_port, uint32_t enqueued)
{
    sir_channel *c = VEC_ADD(b->arena, &b->m->channels);
    *c = (sir_channel){.type = b->m->scalar[SIR_INT],
                       .producer = from,
                       .producer_port = from_port,
                       .consumer = to,
                       .consumer_port = to_port};
    for (uint32_t i = 0; i < enqueued; i++)
        VEC_PUSH(b->arena, &c->initial, sir_value_zero(c->type));
    uint32_t number = (uint32_t)b->m->channels.len - 1;
    b->m->actors.data[from]->outputs.data[from_port] = number;
    b->m->actors.data[to]->inputs.data[to_port] = number;
}

static void random_actor(bench *b, rng *r, uint32_t *ins, uint32_t *outs)
{
    uint32_t kind = below(r, 6), ports = 2;
    *ins = *outs = 1;
    if (kind < 4) {
        uint32_t pop = below(r, 4), push = below(r, 4);
        sir_function *prework = NULL;
        if (below(r, 4) == 0)
            prework = make_function(b, SIR_PREWORK, below(r, 5), below(r, 3), below(r, 4));
        uint32_t peek = below(r, 3) == 0 ? pop + below(r, 4) : pop;
        add_filter(b, make_function(b, SIR_WORK, peek, pop, push), prework);
        return;
    }
    uint32_t number = add_actor(b, kind == 4 ? SIR_SPLIT : SIR_JOIN);
    sir_actor *a = b->m->actors.data[number];
    a->duplicate = kind == 4 && below(r, 3) == 0;
    for (uint32_t i = 0; i < ports; i++)
        VEC_PUSH(b->arena, &a->weights, 1 + below(r, 3));
    *(kind == 4 ? outs : ins) = ports;
}

// Random actors; every port is connected to a random port of the other side as long as there are any.
static void random_graph(bench *b, rng *r)
{
    uint32_t n = 2 + below(r, MAX_ACTORS - 1), from[2 * MAX_ACTORS], to[2 * MAX_ACTORS], outs = 0, ins = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t in, out;
        random_actor(b, r, &in, &out);
        sir_actor *a = b->m->actors.data[i];
        for (uint32_t p = 0; p < in; p++, ins++) {
            VEC_PUSH(b->arena, &a->inputs, SIR_NONE);
            to[ins] = i * 2 + p;
        }
        for (uint32_t p = 0; p < out; p++, outs++) {
            VEC_PUSH(b->arena, &a->outputs, SIR_NONE);
            from[outs] = i * 2 + p;
        }
    }
    uint32_t wanted = n - 1 + below(r, 3);
    for (uint32_t k = 0; k < wanted && outs > 0 && ins > 0; k++) {
        uint32_t x = below(r, outs), y = below(r, ins);
        // Mostly downstream, so that there are not only cycles.
        for (int again = 0; again < 3 && from[x] / 2 >= to[y] / 2; again++) {
            x = below(r, outs);
            y = below(r, ins);
        }
        bool back = from[x] / 2 >= to[y] / 2;
        uint32_t enqueued = back ? below(r, 7) : below(r, 8) == 0 ? below(r, 3) : 0;
        connect(b, from[x] / 2, from[x] % 2, to[y] / 2, to[y] % 2, enqueued);
        from[x] = from[--outs];
        to[y] = to[--ins];
    }
}

// ---- Exhaustive search, written without the scheduler's parts ----

typedef struct state {
    int64_t count[MAX_ACTORS];
    int64_t tokens[4 * MAX_ACTORS];
} state;

static bool step(const sir_module *m, state *s, uint32_t a)
{
    const sir_actor *actor = m->actors.data[a];
    bool first = s->count[a] == 0;
    for (uint32_t p = 0; p < actor->inputs.len; p++)
        if (actor->inputs.data[p] != SIR_NONE &&
            s->tokens[actor->inputs.data[p]] < sched_input_rate(actor, p, first).peek)
            return false;
    for (uint32_t p = 0; p < actor->inputs.len; p++)
        if (actor->inputs.data[p] != SIR_NONE)
            s->tokens[actor->inputs.data[p]] -= sched_input_rate(actor, p, first).pop;
    for (uint32_t p = 0; p < actor->outputs.len; p++)
        if (actor->outputs.data[p] != SIR_NONE)
            s->tokens[actor->outputs.data[p]] += sched_output_rate(actor, p, first);
    s->count[a]++;
    return true;
}

static state start_state(const sir_module *m)
{
    state s;
    memset(&s, 0, sizeof s);
    for (size_t i = 0; i < m->channels.len; i++)
        s.tokens[i] = (int64_t)m->channels.data[i].initial.len;
    return s;
}

// Fires one actor after another in rounds up to the target counts; true when all get there.
static bool reach(const sir_module *m, state *s, const int64_t *target)
{
    bool progress = true;
    while (progress) {
        progress = false;
        for (uint32_t a = 0; a < m->actors.len; a++)
            while ((target[a] < 0 || s->count[a] < target[a]) && step(m, s, a))
                progress = true;
    }
    for (uint32_t a = 0; a < m->actors.len; a++)
        if (s->count[a] < target[a])
            return false;
    return true;
}

static bool balances(const sir_module *m, const int64_t *reps)
{
    for (size_t i = 0; i < m->channels.len; i++) {
        const sir_channel *c = &m->channels.data[i];
        int64_t push = sched_output_rate(m->actors.data[c->producer], c->producer_port, false);
        int64_t pop = sched_input_rate(m->actors.data[c->consumer], c->consumer_port, false).pop;
        if (reps[c->producer] * push != reps[c->consumer] * pop)
            return false;
    }
    return true;
}

// Counts up through [low, high] in every position; false after the last.
static bool next_vector(int64_t *v, size_t n, int64_t low, int64_t high)
{
    for (size_t i = 0; i < n; i++) {
        if (v[i] < high) {
            v[i]++;
            return true;
        }
        v[i] = low;
    }
    return false;
}

static bool search_reps(const sir_module *m, int64_t *least)
{
    int64_t v[MAX_ACTORS];
    size_t n = m->actors.len;
    bool found = false;
    for (size_t i = 0; i < n; i++)
        v[i] = 1;
    do {
        if (!balances(m, v))
            continue;
        for (size_t i = 0; i < n; i++)
            if (!found || v[i] < least[i])
                least[i] = v[i];
        found = true;
    } while (next_vector(v, n, 1, MAX_REPS));
    return found;
}

// Whether these firings are a good initialisation: possible, with every prework, and a steady state is possible after.
static bool good_init(const sir_module *m, const int64_t *init, const int64_t *reps)
{
    state s = start_state(m);
    int64_t target[MAX_ACTORS];
    if (!reach(m, &s, init))
        return false;
    for (size_t i = 0; i < m->actors.len; i++) {
        const sir_actor *a = m->actors.data[i];
        if (init[i] == 0 && a->kind == SIR_FILTER && a->filter->prework)
            return false;
        target[i] = init[i] + reps[i];
    }
    return reach(m, &s, target);
}

static void show(const bench *b, const schedule *s)
{
    for (size_t i = 0; i < b->m->actors.len; i++) {
        const sir_actor *a = b->m->actors.data[i];
        fprintf(stderr, "  a%zu kind %d", i, (int)a->kind);
        for (int first = 0; first < 2 && a->kind == SIR_FILTER; first++) {
            const sir_function *f = first ? a->filter->prework : a->filter->work;
            if (f)
                fprintf(stderr, " %s(peek %lld pop %lld push %lld)", f->name, (long long)f->peek.min,
                        (long long)f->pop.min, (long long)f->push.min);
        }
        for (size_t k = 0; k < a->weights.len; k++)
            fprintf(stderr, " %s%u", a->duplicate ? "dup" : "w", a->weights.data[k]);
        if (s)
            fprintf(stderr, " reps %lld init %lld", (long long)s->reps[i], (long long)s->init[i]);
        fprintf(stderr, "\n");
    }
    for (size_t i = 0; i < b->m->channels.len; i++) {
        const sir_channel *c = &b->m->channels.data[i];
        fprintf(stderr, "  a%u.%u -> a%u.%u enqueued %zu\n", c->producer, c->producer_port, c->consumer,
                c->consumer_port, c->initial.len);
    }
    for (size_t i = 0; i < b->d.records.len; i++)
        fprintf(stderr, "  says: %s\n", b->d.records.data[i]->message);
}

static const char *check_init(const sir_module *m, const schedule *s, const int64_t *reps)
{
    int64_t v[MAX_ACTORS] = {0};
    int64_t high = m->actors.len > 4 ? 5 : MAX_INIT;
    if (s && !good_init(m, s->init, reps))
        return "the initialisation is not possible";
    do {
        if (!good_init(m, v, reps))
            continue;
        if (!s)
            return "there is an initialisation";
        for (size_t i = 0; i < m->actors.len; i++)
            if (v[i] < s->init[i])
                return "the initialisation is not the least";
    } while (next_vector(v, m->actors.len, 0, high));
    return NULL;
}

// Tokens after the initialisation, peaks in random partial drains, and sched_exhaust against plain rounds.
static const char *check_drains(const bench *b, const schedule *s, rng *r)
{
    const sir_module *m = b->m;
    for (int phase = 0; phase < 2; phase++) {
        state x = start_state(m);
        int64_t target[MAX_ACTORS], limits[MAX_ACTORS], tokens[4 * MAX_ACTORS], fired[MAX_ACTORS], before[MAX_ACTORS];
        bool fired_before[MAX_ACTORS];
        if (phase == 1 && !reach(m, &x, s->init))
            return "the initialisation is not possible";
        for (size_t i = 0; i < m->channels.len; i++) {
            if (phase == 1 && x.tokens[i] != s->channels[i].remainder)
                return "a remainder is wrong";
            tokens[i] = x.tokens[i];
        }
        for (size_t i = 0; i < m->actors.len; i++) {
            int64_t most = phase == 1 ? s->reps[i] : s->init[i];
            limits[i] = s->source[i] ? (int64_t)below(r, (uint32_t)most + 1) : -1;
            before[i] = x.count[i];
            target[i] = limits[i] < 0 ? -1 : x.count[i] + limits[i];
            fired_before[i] = x.count[i] > 0;
        }
        sched_exhaust(m, tokens, limits, fired_before, fired);
        bool progress = true;
        while (progress) {
            progress = false;
            for (uint32_t a = 0; a < m->actors.len; a++)
                while ((target[a] < 0 || x.count[a] < target[a]) && step(m, &x, a)) {
                    progress = true;
                    if (x.count[a] > 1000)
                        return "an actor without end that is no source";
                    for (size_t i = 0; i < m->channels.len; i++)
                        if (x.tokens[i] > s->channels[i].peak)
                            return "a peak is too low";
                }
        }
        for (size_t i = 0; i < m->actors.len; i++)
            if (x.count[i] - before[i] != fired[i])
                return "sched_exhaust differs from rounds";
    }
    return NULL;
}

typedef struct tally {
    int scheduled, primed, cyclic, unbalanced, deadlocked, idle;
} tally;

static const char *check_graph(bench *b, rng *r, tally *t)
{
    schedule *s = schedule_compute(b->arena, &b->d, &b->sources, b->m);
    int64_t reps[MAX_ACTORS];
    bool balanced = search_reps(b->m, reps);
    const char *said = "";
    for (size_t i = b->d.records.len; i > 0; i--)
        if (b->d.records.data[i - 1]->severity == DIAG_ERROR)
            said = b->d.records.data[i - 1]->message;
    if (!s && b->d.error_count == 0)
        return "no schedule and no error";
    if (s) {
        bool any_zero = false, any_init = false;
        for (size_t i = 0; i < b->m->actors.len; i++) {
            any_zero |= s->reps[i] == 0;
            any_init |= s->init[i] > 0;
        }
        if (any_zero) {
            t->idle++;
            return balances(b->m, s->reps) ? check_drains(b, s, r) : "the repetitions do not balance";
        }
        for (size_t i = 0; i < b->m->actors.len && balanced; i++)
            if (s->reps[i] != reps[i])
                return "the repetitions are not the least";
        if (!balanced)
            return balances(b->m, s->reps) ? NULL : "the repetitions do not balance";
        t->scheduled++;
        t->primed += any_init;
        t->cyclic += s->cycle_count > 0;
        const char *wrong = check_init(b->m, s, reps);
        return wrong ? wrong : check_drains(b, s, r);
    }
    if (strncmp(said, "rates do not balance", 20) == 0) {
        t->unbalanced++;
        return balanced ? "the rates do balance" : NULL;
    }
    if (strstr(said, "can never fire")) {
        t->idle++;
        return balanced ? "the rates do balance" : NULL;
    }
    if (strncmp(said, "deadlock", 8) != 0)
        return "an unexpected error";
    t->deadlocked++;
    return balanced ? check_init(b->m, NULL, reps) : NULL;
}

static int run_random(int count, uint64_t seed)
{
    tally t = {0};
    for (int i = 0; i < count; i++) {
        bench b;
        rng r = {seed * 1000003 + (uint64_t)i};
        bench_open(&b);
        random_graph(&b, &r);
        const char *wrong = check_graph(&b, &r, &t);
        if (wrong) {
            fprintf(stderr, "graph %d of seed %llu: %s\n", i, (unsigned long long)seed, wrong);
            show(&b, schedule_compute(b.arena, &b.d, &b.sources, b.m));
            arena_destroy(b.arena);
            return 1;
        }
        arena_destroy(b.arena);
    }
    printf("%d scheduled (%d with an initialisation, %d with cycles), %d unbalanced, %d deadlocked, %d idle\n",
           t.scheduled, t.primed, t.cyclic, t.unbalanced, t.deadlocked, t.idle);
    return 0;
}

// A source, splitjoins of four peeking branches one after another, and a sink.
static int run_large(uint32_t actors, double seconds)
{
    bench b;
    bench_open(&b);
    uint32_t last = add_filter(&b, make_function(&b, SIR_WORK, 0, 0, 3), NULL);
    VEC_PUSH(b.arena, &b.m->actors.data[last]->outputs, SIR_NONE);
    while (b.m->actors.len + 7 < actors) {
        uint32_t split = add_actor(&b, SIR_SPLIT), branch[4];
        VEC_PUSH(b.arena, &b.m->actors.data[split]->inputs, SIR_NONE);
        connect(&b, last, 0, split, 0, 0);
        for (uint32_t i = 0; i < 4; i++) {
            branch[i] = add_filter(&b, make_function(&b, SIR_WORK, 2 + i, 2, 2), NULL);
            VEC_PUSH(b.arena, &b.m->actors.data[split]->weights, i + 1);
            VEC_PUSH(b.arena, &b.m->actors.data[split]->outputs, SIR_NONE);
            VEC_PUSH(b.arena, &b.m->actors.data[branch[i]]->inputs, SIR_NONE);
            VEC_PUSH(b.arena, &b.m->actors.data[branch[i]]->outputs, SIR_NONE);
            connect(&b, split, i, branch[i], 0, 0);
        }
        uint32_t join = add_actor(&b, SIR_JOIN);
        VEC_PUSH(b.arena, &b.m->actors.data[join]->outputs, SIR_NONE);
        for (uint32_t i = 0; i < 4; i++) {
            VEC_PUSH(b.arena, &b.m->actors.data[join]->weights, i + 1);
            VEC_PUSH(b.arena, &b.m->actors.data[join]->inputs, SIR_NONE);
            connect(&b, branch[i], 0, join, i, 0);
        }
        last = join;
    }
    uint32_t sink = add_filter(&b, make_function(&b, SIR_WORK, 5, 5, 0), NULL);
    VEC_PUSH(b.arena, &b.m->actors.data[sink]->inputs, SIR_NONE);
    connect(&b, last, 0, sink, 0, 0);
    clock_t begin = clock();
    schedule *s = schedule_compute(b.arena, &b.d, &b.sources, b.m);
    double used = (double)(clock() - begin) / CLOCKS_PER_SEC;
    diag_flush(&b.d, stderr, DIAG_FORMAT_TEXT, false);
    fprintf(stderr, "%zu actors: %.3f s\n", b.m->actors.len, used);
    bool ok = s && used < seconds;
    printf("%s\n", ok ? "scheduled" : "failed");
    arena_destroy(b.arena);
    return !ok;
}

static void print_schedule(const sir_module *m, const schedule *s)
{
    for (size_t i = 0; i < m->actors.len; i++) {
        printf("%s: init %lld, reps %lld", m->actors.data[i]->name, (long long)s->init[i], (long long)s->reps[i]);
        if (s->cycle[i] >= 0)
            printf(", cycle %d", (int)s->cycle[i]);
        printf("%s\n", s->source[i] ? ", source" : "");
    }
    for (size_t i = 0; i < m->channels.len; i++) {
        const sched_channel *c = &s->channels[i];
        printf("c%zu: steady %lld, initial %lld, init_items %lld, remainder %lld, peak %lld%s\n", i,
               (long long)c->steady, (long long)c->initial, (long long)c->init_items, (long long)c->remainder,
               (long long)c->peak, c->back_edge ? ", back edge" : "");
    }
    printf("%d cycles\n", (int)s->cycle_count);
}

static int run_print(const char *path)
{
    bench b;
    bench_open(&b);
    source_id file = source_read(&b.sources, path);
    if (file == 0) {
        perror(path);
        return 2;
    }
    const sir_module *m = sir_parse(b.arena, &b.names, &b.d, file);
    schedule *s = NULL;
    if (m && sir_verify(m, &b.d))
        s = schedule_compute(b.arena, &b.d, &b.sources, m);
    if (s)
        print_schedule(m, s);
    diag_flush(&b.d, stderr, DIAG_FORMAT_TEXT, false);
    arena_destroy(b.arena);
    return !s;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "print") == 0)
        return run_print(argv[2]);
    if (argc == 4 && strcmp(argv[1], "random") == 0)
        return run_random(atoi(argv[2]), strtoull(argv[3], NULL, 10));
    if (argc == 4 && strcmp(argv[1], "large") == 0)
        return run_large((uint32_t)atoi(argv[2]), atof(argv[3]));
    fprintf(stderr, "usage: schedule-test random COUNT SEED | large ACTORS SECONDS | print FILE\n");
    return 2;
}
