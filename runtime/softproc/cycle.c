// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cycle model: contexts, issue, the register file's write port.
//
// Instructions have their effect on registers when they issue, but for lookups, whose values are written when the
// response has come in and the write port is free; so a program whose semaphores are wrong computes wrong things here,
// as it would in hardware.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/softproc/cycle.h"

const char *const sp_policy_names[SP_POLICY_COUNT] = {"oldest", "round-robin", "newest"};

typedef struct context {
    // What issue looks at.
    uint64_t ready;     // from this cycle on the next instruction may issue, as far as the one before it goes
    uint64_t alu_until; // an arithmetic instruction is in the pipeline until then
    uint32_t tex_issued, tex_done, tex_awaited;
    enum { EMPTY, WAITING, RUNNING, ENDING } state; // WAITING: for its coordinates to be written
    sp_batch batch;
    uint64_t begun;
} context;

// A write into the register file that waits for its cycle: a lookup's values, or coordinates.
typedef struct pending_write {
    uint64_t ready;
    uint32_t context;
    const sp_ready *instruction; // NULL: coordinates
    uint32_t pc, values;         // values: place in the pool of lookups
    uint64_t issued;
    int al;
} pending_write;

// A queue in a ring that grows.
typedef struct write_queue {
    pending_write *data;
    size_t capacity, first, count;
} write_queue;

typedef struct machine {
    sp_core *core;
    const svm_SpParameters *p;
    const sp_cycle_options *o;
    context *contexts;
    uint32_t *order; // live contexts, oldest first
    uint32_t live, turn;
    uint64_t now;
    uint32_t rotation, result_at; // cycles; from issue to the last thread's result
    uint64_t generated;           // when the coordinate generator has its next batch
    write_queue lookups, coordinates;
    sp_lookup *pool; // of lookups under way, each of core->groups
    uint32_t *pool_free;
    size_t pool_size, pool_free_count;
    uint64_t *alu_writes; // [ring]: rotation number + 1 in which an arithmetic result takes the port
    size_t alu_ring;
    double *sent; // when outputs have left, a ring of the output queue's size
    uint64_t ended;
    sp_link link;
    sp_stats stats, begin;
    bool has_begin, has_end;
    sp_results *results;
    uint64_t last_lookup; // when the latest lookup is ready: they end in order
} machine;

const char *sp_check_parameters(const svm_SpParameters *p)
{
    if (!(p->clock >= 1) || !(p->linkBandwidth > 0) || !(p->linkBandwidth / p->clock >= 1e-3))
        return "a clock of 1 Hz or more and a link bandwidth of 0.001 bytes a cycle or more are needed";
    if (p->batches < 1 || p->batches > 4096)
        return "the number of batches must be 1 to 4096";
    if (p->threads < SP_LANES || p->threads > 256 || p->threads % SP_LANES != 0)
        return "a batch must have 4 to 256 threads, a multiple of 4";
    if (p->aluStages < 1 || p->aluStages > 65536 || p->operandReads < 1 || p->operandReads > 64)
        return "the pipeline must have 1 to 65536 stages and 1 to 64 cycles of operand reads";
    if (p->addressStages > 65536 || p->returnStages > 65536 || p->outstandingReads < 1 || p->outstandingReads > 65536)
        return "address and return stages must be at most 65536, outstanding reads 1 to 65536";
    double latency = p->requestLatency + p->hostLatency + p->memoryLatency + p->responseLatency;
    if (!(p->requestLatency >= 0 && p->hostLatency >= 0 && p->memoryLatency >= 0 && p->responseLatency >= 0) ||
        !(latency * p->clock <= 1e9))
        return "latencies must be 0 or more and together at most a billion cycles";
    if (p->largestPacket < 4 || p->requestBytes > 4096 || p->responseHeader > 4096 || p->writeHeader > 4096)
        return "packets must hold 4 bytes or more, headers at most 4096";
    if (p->outputQueue < 1 || p->outputQueue > 65536)
        return "the output queue must have 1 to 65536 places";
    if (p->instructions < 1 || p->registers < 1)
        return "a machine needs instructions and registers";
    return NULL;
}

static void trace(machine *m, sp_event_kind kind, uint64_t begin, uint64_t end, uint32_t ctx, uint32_t pc)
{
    if (m->o->trace != NULL)
        m->o->trace(m->o->user, &(sp_event){kind, begin, end, ctx, pc});
}

// ---- Queues ----

static bool push(write_queue *q, pending_write w)
{
    if (q->count == q->capacity) {
        size_t capacity = q->capacity == 0 ? 64 : q->capacity * 2;
        pending_write *data = malloc(capacity * sizeof *data);
        if (data == NULL)
            return false;
        for (size_t i = 0; i < q->count; i++)
            data[i] = q->data[(q->first + i) % q->capacity];
        free(q->data);
        *q = (write_queue){data, capacity, 0, q->count};
    }
    q->data[(q->first + q->count++) % q->capacity] = w;
    return true;
}

static void pop(write_queue *q)
{
    q->first = (q->first + 1) % q->capacity;
    q->count--;
}

// A place for a lookup's values; UINT32_MAX when memory is short.
static uint32_t take_values(machine *m)
{
    if (m->pool_free_count == 0) {
        size_t size = m->pool_size == 0 ? 64 : m->pool_size * 2, each = m->core->groups * sizeof(sp_lookup);
        sp_lookup *pool = aligned_alloc(16, size * each);
        uint32_t *list = malloc(size * sizeof *list);
        if (pool == NULL || list == NULL) {
            free(pool);
            free(list);
            return UINT32_MAX;
        }
        if (m->pool_size > 0)
            memcpy(pool, m->pool, m->pool_size * each);
        free(m->pool);
        free(m->pool_free);
        m->pool = pool;
        m->pool_free = list;
        for (size_t i = m->pool_size; i < size; i++)
            list[m->pool_free_count++] = (uint32_t)i;
        m->pool_size = size;
    }
    return m->pool_free[--m->pool_free_count];
}

static sp_lookup *values_at(machine *m, uint32_t at)
{
    return m->pool + (size_t)at * m->core->groups;
}

// ---- Batches come and go ----

static unsigned covered(const machine *m, const sp_batch *b)
{
    unsigned n = 0;
    for (uint32_t i = 0; i < m->core->groups; i++)
        for (unsigned lane = 0; lane < SP_LANES; lane++)
            n += b->groups[i].covered[lane] != 0;
    return n;
}

// The steady part begins when each context has had its first batch, and ends when the domain has no more.
static void mark_steady(machine *m)
{
    if (!m->has_begin && m->stats.batches >= m->p->batches && !m->core->exhausted) {
        m->begin = m->stats;
        m->begin.cycles = m->now;
        m->has_begin = true;
    }
}

static void end_steady(machine *m)
{
    if (m->has_end)
        return;
    m->has_end = true;
    if (!m->has_begin || m->now <= m->begin.cycles)
        return;
    sp_stats s = m->stats;
    const sp_stats *b = &m->begin;
    s.cycles = m->now - b->cycles;
#define LESS(field) s.field -= b->field
    LESS(alu_issues), LESS(tex_issues), LESS(flow_issues), LESS(alu_cycles), LESS(batches), LESS(threads),
        LESS(alu_threads);
    LESS(tex_threads), LESS(flow_threads), LESS(reads), LESS(read_bytes), LESS(write_bytes), LESS(request_wire);
    LESS(response_wire), LESS(write_wire), LESS(port_conflicts), LESS(read_cycles);
    for (unsigned i = 0; i < SP_IDLE_COUNT; i++)
        LESS(idle[i]);
#undef LESS
    m->results->steady = s;
    m->results->has_steady = true;
}

// Gives an empty context the next batch when the generator has it. Its coordinates must then be written.
static void start_batch(machine *m, uint32_t number)
{
    context *c = &m->contexts[number];
    if (m->now < m->generated)
        return;
    if (!sp_batch_start(m->core, &c->batch)) {
        end_steady(m);
        return;
    }
    m->generated = m->now + m->p->threads;
    c->state = WAITING;
    c->tex_issued = c->tex_done = c->tex_awaited = 0;
    c->alu_until = 0;
    c->begun = m->now;
    m->order[m->live++] = number;
    if (!push(&m->coordinates, (pending_write){.ready = m->now + 1, .context = number}))
        sp_fail(m->core, "out of memory");
}

static void remove_from_order(machine *m, uint32_t number)
{
    uint32_t i = 0;
    while (m->order[i] != number)
        i++;
    memmove(m->order + i, m->order + i + 1, (m->live - i - 1) * sizeof *m->order);
    m->live--;
}

// A batch whose last result is there leaves when the output queue takes its outputs.
static void end_batch(machine *m, uint32_t number)
{
    context *c = &m->contexts[number];
    double *slot = &m->sent[m->ended % m->p->outputQueue];
    if (m->now < c->alu_until || c->tex_done < c->tex_issued || *slot > (double)m->now)
        return;
    sp_core *core = m->core;
    unsigned threads = covered(m, &c->batch);
    double sent = (double)m->now;
    sp_batch_end(core, &c->batch);
    for (unsigned i = 0; i < SP_MAX_OUTPUTS && !core->scatter; i++)
        if (core->outputs >> i & 1)
            sent = sp_link_write(&m->link, &m->stats, (double)m->now, (uint64_t)threads * core->output[i].element);
    *slot = sent;
    m->ended++;
    m->stats.batches++;
    m->stats.threads += threads;
    trace(m, SP_EVENT_BATCH, c->begun, m->now, number, 0);
    c->state = EMPTY;
    remove_from_order(m, number);
    mark_steady(m);
}

// ---- Issue ----

static bool semaphore_holds(const context *c, const sp_ready *r)
{
    return r->wait && c->tex_done < c->tex_awaited;
}

static void count_threads(machine *m, const context *c, uint64_t *counter)
{
    *counter += covered(m, &c->batch);
}

static void issue_alu(machine *m, uint32_t number)
{
    context *c = &m->contexts[number];
    const sp_ready *r = &m->core->code[c->batch.pc];
    uint32_t pc = c->batch.pc;
    sp_execute_alu(m->core, &c->batch, r);
    c->alu_until = m->now + m->result_at + 1;
    c->ready = m->now + m->rotation;
    if (r->writes) {
        uint64_t rotation = (m->now + m->result_at) / m->rotation;
        m->alu_writes[rotation % m->alu_ring] = rotation + 1;
    }
    if (m->core->scatter && r->type == SP_OUT)
        for (unsigned i = 0; i < covered(m, &c->batch); i++)
            sp_link_write(&m->link, &m->stats, (double)c->alu_until, 4);
    if (c->batch.done)
        c->state = ENDING;
    m->stats.alu_issues++;
    m->stats.alu_cycles += m->p->threads;
    count_threads(m, c, &m->stats.alu_threads);
    trace(m, SP_EVENT_ALU, m->now, c->alu_until, number, pc);
}

// The state of a context with regard to arithmetic; SP_IDLE_COUNT: ready.
static sp_idle arithmetic_state(const machine *m, const context *c)
{
    if (c->state != RUNNING)
        return c->state == ENDING && m->now < c->alu_until ? SP_INSIDE_ALU : SP_NOT_ALU;
    const sp_ready *r = &m->core->code[c->batch.pc];
    if (r->type > SP_OUT)
        return SP_NOT_ALU;
    if (semaphore_holds(c, r))
        return SP_SEM_WAIT;
    return m->now < c->alu_until || m->now < c->ready ? SP_INSIDE_ALU : SP_IDLE_COUNT;
}

// The i-th context to ask.
static uint32_t candidate(const machine *m, uint32_t i)
{
    switch (m->o->policy) {
    case SP_ROUND_ROBIN: return m->order[(m->turn + i) % m->live];
    case SP_NEWEST: return m->order[m->live - 1 - i];
    default: return m->order[i];
    }
}

static void arithmetic_slot(machine *m)
{
    uint64_t idle[SP_IDLE_COUNT] = {0};
    for (uint32_t i = 0; i < m->live; i++) {
        uint32_t number = candidate(m, i);
        sp_idle state = arithmetic_state(m, &m->contexts[number]);
        if (state == SP_IDLE_COUNT) {
            if (m->o->policy == SP_ROUND_ROBIN)
                m->turn = (m->turn + i + 1) % m->live;
            issue_alu(m, number);
            return;
        }
        idle[state]++;
    }
    idle[SP_NOT_ALU] += m->p->batches - m->live;
    for (unsigned i = 0; i < SP_IDLE_COUNT; i++)
        m->stats.idle[i] += idle[i] * m->rotation;
}

static void issue_texture(machine *m, uint32_t number)
{
    context *c = &m->contexts[number];
    const sp_ready *r = &m->core->code[c->batch.pc];
    uint32_t pc = c->batch.pc, values = take_values(m);
    unsigned reads = 0;
    if (values == UINT32_MAX) {
        sp_fail(m->core, "out of memory");
        return;
    }
    m->stats.tex_issues++;
    count_threads(m, c, &m->stats.tex_threads);
    c->ready = m->now + 1;
    int al = r->relative ? sp_loop_register(&c->batch) : 0;
    sp_texture_read(m->core, &c->batch, r, values_at(m, values), &reads);
    if (!r->reads) {
        // KILL and NOP read nothing and are done here. What they acquire covers the lookups before.
        m->pool_free[m->pool_free_count++] = values;
        if (r->acquire)
            c->tex_awaited = c->tex_issued;
        if (!m->core->failed)
            sp_advance(m->core, &c->batch, r);
        return;
    }
    double first = (double)(m->now + 1 + m->p->addressStages), done = first;
    for (unsigned i = 0; i < reads; i++)
        done = sp_link_read(&m->link, &m->stats, first + i % m->p->threads, m->core->input[r->tex_id].element);
    uint64_t ready = (uint64_t)ceil(done) + m->p->returnStages;
    m->last_lookup = ready = ready > m->last_lookup ? ready : m->last_lookup;
    c->tex_issued++;
    if (r->acquire)
        c->tex_awaited = c->tex_issued;
    if (!m->core->failed)
        sp_advance(m->core, &c->batch, r);
    if (!push(&m->lookups, (pending_write){ready, number, r, pc, values, m->now, al}))
        sp_fail(m->core, "out of memory");
}

static void issue_flow(machine *m, uint32_t number)
{
    context *c = &m->contexts[number];
    uint32_t pc = c->batch.pc;
    sp_execute_flow(m->core, &c->batch, &m->core->code[pc]);
    c->ready = m->now + 1;
    m->stats.flow_issues++;
    count_threads(m, c, &m->stats.flow_threads);
    trace(m, SP_EVENT_FLOW, m->now, m->now + 1, number, pc);
}

// The fourth slot: a lookup or flow control, of a batch with nothing in the pipeline.
static void other_slot(machine *m)
{
    for (uint32_t i = 0; i < m->live; i++) {
        uint32_t number = candidate(m, i);
        const context *c = &m->contexts[number];
        if (c->state != RUNNING || m->now < c->ready || m->now < c->alu_until)
            continue;
        const sp_ready *r = &m->core->code[c->batch.pc];
        if (r->type <= SP_OUT || semaphore_holds(c, r))
            continue;
        if (r->type == SP_TEX)
            issue_texture(m, number);
        else
            issue_flow(m, number);
        return;
    }
}

// ---- The write port ----

static void write_values(machine *m, const pending_write *w)
{
    context *c = &m->contexts[w->context];
    sp_texture_write(&c->batch, m->core->groups, w->instruction, values_at(m, w->values), w->al);
    m->pool_free[m->pool_free_count++] = w->values;
    c->tex_done++;
    trace(m, SP_EVENT_TEX, w->issued, m->now + 1, w->context, w->pc);
}

static void write_port(machine *m)
{
    pending_write *lookup = m->lookups.count > 0 ? &m->lookups.data[m->lookups.first] : NULL;
    pending_write *start = m->coordinates.count > 0 ? &m->coordinates.data[m->coordinates.first] : NULL;
    if (lookup != NULL && lookup->ready > m->now)
        lookup = NULL;
    if (start != NULL && start->ready > m->now)
        start = NULL;
    if (lookup == NULL && start == NULL)
        return;
    uint64_t rotation = m->now / m->rotation;
    bool taken =
        m->alu_writes[rotation % m->alu_ring] == rotation + 1 && m->now % m->rotation == m->result_at % m->rotation;
    m->stats.port_conflicts += taken || (lookup != NULL && start != NULL);
    if (taken)
        return;
    if (lookup != NULL && (start == NULL || lookup->ready <= start->ready)) {
        // What nothing reads needs no port, but ends here as well.
        write_values(m, lookup);
        pop(&m->lookups);
    } else {
        context *c = &m->contexts[start->context];
        c->state = RUNNING;
        c->ready = m->now + 1;
        trace(m, SP_EVENT_WRITE, m->now, m->now + 1, start->context, 0);
        pop(&m->coordinates);
    }
}

// ---- The run ----

static void begin_rotation(machine *m)
{
    for (uint32_t i = 0; i < m->p->batches; i++) {
        context *c = &m->contexts[i];
        if (c->state == ENDING)
            end_batch(m, i);
        if (c->state == EMPTY && !(m->core->exhausted && m->has_end))
            start_batch(m, i);
    }
}

static void run_rotation(machine *m)
{
    uint32_t other = m->p->operandReads;
    begin_rotation(m);
    arithmetic_slot(m);
    for (uint32_t phase = 0; phase < m->rotation && !m->core->failed; phase++) {
        if (phase == other)
            other_slot(m);
        write_port(m);
        m->now++;
    }
}

static bool create(machine *m)
{
    const svm_SpParameters *p = m->p;
    uint32_t read = p->operandReads + 1;
    m->rotation = p->threads > read ? p->threads : read;
    m->result_at = p->operandReads + p->threads - 1 + p->aluStages;
    m->alu_ring = m->result_at / m->rotation + 4;
    m->contexts = calloc(p->batches, sizeof *m->contexts);
    m->order = calloc(p->batches, sizeof *m->order);
    m->alu_writes = calloc(m->alu_ring, sizeof *m->alu_writes);
    m->sent = calloc(p->outputQueue, sizeof *m->sent);
    if (m->contexts == NULL || m->order == NULL || m->alu_writes == NULL || m->sent == NULL ||
        !sp_link_init(&m->link, p))
        return false;
    for (uint32_t i = 0; i < p->batches; i++)
        if (!sp_batch_create(m->core, &m->contexts[i].batch))
            return false;
    return true;
}

static void destroy(machine *m)
{
    for (uint32_t i = 0; i < m->p->batches && m->contexts != NULL; i++)
        sp_batch_free(&m->contexts[i].batch);
    free(m->contexts);
    free(m->order);
    free(m->alu_writes);
    free(m->sent);
    free(m->lookups.data);
    free(m->coordinates.data);
    free(m->pool);
    free(m->pool_free);
    sp_link_free(&m->link);
}

static const char *doing(const machine *m, const context *c)
{
    if (c->state == EMPTY)
        return "empty";
    if (c->state == WAITING)
        return "waits for its coordinates";
    if (c->state == ENDING)
        return m->now < c->alu_until ? "its last instruction is in the pipeline" : "waits for the output queue";
    if (m->now < c->alu_until)
        return "an instruction is in the pipeline";
    if (semaphore_holds(c, &m->core->code[c->batch.pc]))
        return "waits for the semaphore";
    return "is ready";
}

static void tell_standings(const machine *m, sp_standing *standings)
{
    for (uint32_t i = 0; i < m->p->batches && standings != NULL; i++) {
        const context *c = &m->contexts[i];
        standings[i] = (sp_standing){c->state != EMPTY, c->batch.pc, c->batch.groups[0].x[0], c->batch.groups[0].y[0],
                                     doing(m, c)};
    }
}

bool sp_run_cycles(sp_core *c, const svm_SpParameters *p, const sp_cycle_options *o, sp_results *results,
                   sp_standing *standings)
{
    const char *wrong = sp_check_parameters(p);
    *results = (sp_results){.has_steady = false};
    if (wrong != NULL) {
        sp_fail(c, "%s", wrong);
        return false;
    }
    machine m = {.core = c, .p = p, .o = o, .results = results};
    uint32_t before = c->groups;
    c->groups = p->threads / SP_LANES;
    if (!create(&m))
        sp_fail(c, "out of memory");
    sp_core_rewind(c);
    while (!c->failed && (m.live > 0 || !c->exhausted)) {
        if (o->max_cycles != 0 && m.now >= o->max_cycles) {
            sp_fail(c, "stopped after %llu cycles", (unsigned long long)m.now);
            tell_standings(&m, standings);
            break;
        }
        run_rotation(&m);
    }
    results->whole = m.stats;
    results->whole.cycles = m.now;
    destroy(&m);
    c->groups = before;
    return !c->failed;
}
