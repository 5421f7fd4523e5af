// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What of a machine a program can be mapped to. A kernel processor is usable when a control processor can start it and
// its kernels meet the control program in one memory: in that memory itself, or through DMA engines that join it with
// the memory in which they work. All pairs of a control processor and a memory that it reaches are tried; the one with
// most usable processors is taken.
#include "hlc/plan/resources.h"

#include <inttypes.h>
#include <string.h>

// A control processor and the memory in which it meets its kernels.
typedef struct meeting {
    const machine_processor *control;
    const machine_memory *shared;   // NULL: the control processor reaches no RAM
    size_t started, usable, direct; // kernel processors
} meeting;

static bool starts(const machine *m, const machine_processor *control, const machine_processor *p)
{
    return machine_refers(&p->masters, MACHINE_PROCESSOR, (size_t)(control - m->processors.data));
}

static bool moves(const machine *m, const machine_processor *engine, const machine_processor *control,
                  const machine_memory *x, const machine_memory *y)
{
    return engine->kind == MACHINE_processor_kind_DMA && starts(m, control, engine) &&
           (engine->transfer_kinds & UINT64_C(1) << MACHINE_transfer_MOVE) != 0 && machine_reaches(m, engine, x) &&
           machine_reaches(m, engine, y);
}

static const machine_processor *any_engine(const machine *m, const machine_processor *control, const machine_memory *x,
                                           const machine_memory *y)
{
    for (VEC_EACH(const machine_processor, e, &m->processors))
        if (moves(m, e, control, x, y))
            return e;
    return NULL;
}

// The memory in which kernels on p work when they meet in `shared`: that one if p reaches it, else the largest that an
// engine joins with it; NULL if there is none.
static const machine_memory *working_memory(const machine *m, const meeting *at, const machine_processor *p)
{
    if (at->shared == NULL || p->kind != MACHINE_processor_kind_KERNEL || !starts(m, at->control, p))
        return NULL;
    if (machine_reaches(m, p, at->shared))
        return at->shared;
    const machine_memory *best = NULL;
    for (VEC_EACH(const machine_ref, r, &p->memories)) {
        const machine_memory *memory = &m->memories.data[r->index];
        if (memory->kind == MACHINE_memory_kind_RAM && any_engine(m, at->control, at->shared, memory) != NULL &&
            (best == NULL || machine_usable(memory) > machine_usable(best)))
            best = memory;
    }
    return best;
}

static void count_usable(const machine *m, meeting *at)
{
    at->started = at->usable = at->direct = 0;
    for (VEC_EACH(const machine_processor, p, &m->processors)) {
        const machine_memory *memory = p->fallback ? NULL : working_memory(m, at, p);
        at->started += p->kind == MACHINE_processor_kind_KERNEL && starts(m, at->control, p);
        at->usable += memory != NULL;
        at->direct += memory != NULL && memory == at->shared;
    }
}

static bool is_better(const meeting *x, const meeting *y, bool io)
{
    if ((x->usable == 0) != (y->usable == 0))
        return x->usable != 0;
    if (io && x->control->io != y->control->io)
        return x->control->io;
    if (x->usable != y->usable)
        return x->usable > y->usable;
    if (x->direct != y->direct)
        return x->direct > y->direct;
    return x->usable == 0 && x->started > y->started; // so that what is missing is told of it
}

static meeting best_meeting(const machine *m, bool io)
{
    meeting best = {0};
    for (VEC_EACH(const machine_processor, control, &m->processors)) {
        if (control->kind != MACHINE_processor_kind_CONTROL)
            continue;
        meeting at = {.control = control};
        count_usable(m, &at);
        if (best.control == NULL || is_better(&at, &best, io))
            best = at;
        for (VEC_EACH(const machine_ref, r, &control->memories)) {
            at.shared = &m->memories.data[r->index];
            if (at.shared->kind != MACHINE_memory_kind_RAM)
                continue;
            count_usable(m, &at);
            if (is_better(&at, &best, io) || (best.control == control && best.shared == NULL))
                best = at;
        }
    }
    return best;
}

// ---- What is missing ----

static src_range where(const machine_element *e, const char *key)
{
    return machine_value_range(e, key);
}

// An engine that reaches both memories, whether or not it can be used.
static const machine_processor *joining(const machine *m, const machine_memory *x, const machine_memory *y)
{
    for (VEC_EACH(const machine_processor, e, &m->processors))
        if (e->kind == MACHINE_processor_kind_DMA && machine_reaches(m, e, x) && machine_reaches(m, e, y))
            return e;
    return NULL;
}

static void note_path(diag_engine *d, diag_record *r, const machine *m, const meeting *at, const machine_processor *p,
                      const machine_memory *memory)
{
    const char *name = p->element.name, *local = memory->element.name, *shared = at->shared->element.name;
    const machine_processor *e = joining(m, memory, at->shared);
    if (e == NULL)
        diag_add_note(d, r, where(&p->element, "memories"),
                      "'%s' works in '%s', and no DMA engine joins that with '%s': expected a processor of kind dma "
                      "whose 'memories' have both",
                      name, local, shared);
    else if (!starts(m, at->control, e))
        diag_add_note(d, r, where(&e->element, "masters"),
                      "'%s' works in '%s', and '%s', which joins that with '%s', cannot be started by '%s': expected "
                      "it among the engine's 'masters'",
                      name, local, e->element.name, shared, at->control->element.name);
    else
        diag_add_note(d, r, where(&e->element, "transfers"),
                      "'%s' works in '%s', and '%s', which joins that with '%s', makes no contiguous transfers: "
                      "expected 'move' among its 'transfers'",
                      name, local, e->element.name, shared);
}

// Why a kernel processor is not usable.
static void note_unusable(diag_engine *d, diag_record *r, const machine *m, const meeting *at,
                          const machine_processor *p)
{
    if (!starts(m, at->control, p)) {
        diag_add_note(d, r, where(&p->element, "masters"),
                      "'%s' cannot be started by '%s': expected that among its 'masters'", p->element.name,
                      at->control->element.name);
        return;
    }
    for (VEC_EACH(const machine_ref, ref, &p->memories)) {
        const machine_memory *memory = &m->memories.data[ref->index];
        if (memory->kind != MACHINE_memory_kind_RAM)
            continue;
        note_path(d, r, m, at, p, memory);
        return;
    }
    diag_add_note(d, r, where(&p->element, "memories"),
                  "'%s' reaches no memory of kind ram: expected one among its 'memories'", p->element.name);
}

// One note for each entry of the file, as those it counts are alike.
static void note_all_unusable(diag_engine *d, diag_record *r, const machine *m, const meeting *at)
{
    for (VEC_EACH(const machine_processor, p, &m->processors))
        if (p->kind == MACHINE_processor_kind_KERNEL && !p->fallback && p->element.number == 0 &&
            working_memory(m, at, p) == NULL)
            note_unusable(d, r, m, at, p);
}

static void report_none(diag_engine *d, const machine *m, const meeting *at)
{
    bool kernels = false;
    for (VEC_EACH(const machine_processor, p, &m->processors))
        kernels = kernels || (p->kind == MACHINE_processor_kind_KERNEL && !p->fallback);
    src_range whole = where(&m->processors.data[0].element, "kind");
    if (!kernels) {
        diag_error_at(d, NULL, "machine '%s' has no processor of kind kernel; a program's kernels need one", m->name);
    } else if (at->shared == NULL) {
        diag_error(d, at->control == NULL ? whole : where(&at->control->element, "memories"),
                   "control processor '%s' of machine '%s' reaches no memory of kind ram; expected one among its "
                   "'memories', in which it meets the kernels",
                   at->control == NULL ? "?" : at->control->element.name, m->name);
    } else {
        diag_record *r = diag_error_at(d, NULL,
                                       "machine '%s' has no kernel processor that '%s' can start and whose items reach "
                                       "'%s'",
                                       m->name, at->control->element.name, at->shared->element.name);
        note_all_unusable(d, r, m, at);
    }
}

static void report_too_few(diag_engine *d, const machine *m, const meeting *at, int64_t wanted)
{
    diag_record *r = diag_error_at(d, NULL,
                                   "--processors=%" PRId64 " asks for more than machine '%s' has: %zu kernel "
                                   "processor%s that '%s' can start and whose items reach '%s'",
                                   wanted, m->name, at->usable, at->usable == 1 ? "" : "s", at->control->element.name,
                                   at->shared->element.name);
    note_all_unusable(d, r, m, at);
}

static void report_no_io(diag_engine *d, const machine *m, const meeting *at)
{
    diag_error(d, where(&at->control->element, "io"),
               "control processor '%s' of machine '%s' cannot read or write files or print, which the program does; "
               "expected 'io: true' for a control processor that can start kernel processors",
               at->control->element.name, m->name);
}

// ---- Engines ----

// How many processors an engine serves already, in an array by processor of the machine.
static const machine_processor *least_used(const machine *m, const meeting *at, const machine_memory *memory,
                                           const uint32_t *uses)
{
    const machine_processor *best = NULL;
    for (VEC_EACH(const machine_processor, e, &m->processors)) {
        uint32_t used = uses[e - m->processors.data],
                 least = best == NULL ? UINT32_MAX : uses[best - m->processors.data];
        if (used < least && moves(m, e, at->control, at->shared, memory))
            best = e;
    }
    return best;
}

static const machine_processor *unused(const machine *m, const meeting *at, const machine_memory *memory,
                                       const uint32_t *uses)
{
    for (VEC_EACH(const machine_processor, e, &m->processors))
        if (uses[e - m->processors.data] == 0 && moves(m, e, at->control, at->shared, memory))
            return e;
    return NULL;
}

// The engine of the same number of an entry with as many as the processor's: on such machines it is the processor's
// own.
static const machine_processor *own_engine(const machine *m, const meeting *at, const plan_processor *p)
{
    for (VEC_EACH(const machine_processor, e, &m->processors))
        if (p->processor->count > 1 && e->count == p->processor->count &&
            e->element.number == p->processor->element.number && moves(m, e, at->control, at->shared, p->memory))
            return e;
    return NULL;
}

static void use_engines(plan_processor *p, const machine_processor *load, const machine_processor *store)
{
    p->load = load;
    p->store = store;
    p->largest_transfer =
        load->largest_transfer < store->largest_transfer ? load->largest_transfer : store->largest_transfer;
    p->transfer_alignment =
        load->transfer_alignment > store->transfer_alignment ? load->transfer_alignment : store->transfer_alignment;
}

// One engine a processor, for both ways.
static void choose_engines(arena *a, plan_resources *r, const meeting *at)
{
    const machine *m = r->machine;
    uint32_t *uses = ARENA_ARRAY(a, uint32_t, m->processors.len + 1);
    for (VEC_EACH(plan_processor, p, &r->processors)) {
        if (p->direct)
            continue;
        const machine_processor *own = own_engine(m, at, p);
        own = own != NULL ? own : least_used(m, at, p->memory, uses);
        uses[own - m->processors.data]++;
        use_engines(p, own, own);
    }
}

// A second engine for the way back, for processors that have none of their own, as long as there are free ones.
static void add_engines(arena *a, plan_resources *r, const meeting *at)
{
    const machine *m = r->machine;
    uint32_t *uses = ARENA_ARRAY(a, uint32_t, m->processors.len + 1);
    for (VEC_EACH(const plan_processor, p, &r->processors))
        if (!p->direct)
            uses[p->load - m->processors.data]++;
    for (VEC_EACH(plan_processor, p, &r->processors)) {
        if (p->direct)
            continue;
        const machine_processor *other = own_engine(m, at, p) == p->load ? NULL : unused(m, at, p->memory, uses);
        use_engines(p, p->load, other != NULL ? other : p->load);
        uses[p->store - m->processors.data]++;
    }
}

const machine_processor *plan_resources_direct_engine(const plan_resources *r, const plan_processor *from,
                                                      const plan_processor *to)
{
    const machine *m = r->machine;
    if (from->direct || to->direct || from->memory == to->memory)
        return NULL;
    if (moves(m, from->store, r->control, from->memory, to->memory))
        return from->store;
    if (moves(m, to->load, r->control, from->memory, to->memory))
        return to->load;
    return any_engine(m, r->control, from->memory, to->memory);
}

// ---- Kinds ----

static bool same_costs(const machine_processor *x, const machine_processor *y)
{
    for (machine_operation op = 0; op < MACHINE_OP_COUNT; op++)
        if (machine_can_run(x, op) != machine_can_run(y, op) ||
            (machine_can_run(x, op) && machine_operation_seconds(x, op) != machine_operation_seconds(y, op)))
            return false;
    return machine_seconds(x->kernel_start, x->clock) == machine_seconds(y->kernel_start, y->clock) &&
           machine_seconds(x->kernel_stop, x->clock) == machine_seconds(y->kernel_stop, y->clock);
}

static bool same_memory(const machine_memory *x, const machine_memory *y)
{
    return x == y ||
           (x->alignment == y->alignment && x->line == y->line && x->size == y->size &&
            machine_seconds(x->latency, x->clock) == machine_seconds(y->latency, y->clock) &&
            machine_bytes_per_second(x->sequential, x->clock) == machine_bytes_per_second(y->sequential, y->clock) &&
            machine_bytes_per_second(x->random, x->clock) == machine_bytes_per_second(y->random, y->clock));
}

static bool same_caches(const machine *m, const machine_processor *x, const machine_processor *y)
{
    if (x->caches.len != y->caches.len)
        return false;
    for (size_t i = 0; i < x->caches.len; i++)
        if (!same_memory(&m->memories.data[x->caches.data[i].index], &m->memories.data[y->caches.data[i].index]))
            return false;
    return true;
}

static bool is_alike(const machine *m, const plan_processor *x, const plan_processor *y)
{
    const machine_processor *p = x->processor, *q = y->processor;
    const machine_abilities *a = &p->abilities, *b = &q->abilities;
    return x->direct == y->direct && x->bytes == y->bytes && x->holds_code == y->holds_code && x->io == y->io &&
           x->largest_transfer == y->largest_transfer && x->transfer_alignment == y->transfer_alignment &&
           p->clock == q->clock && p->simd_width == q->simd_width && p->registers == q->registers &&
           p->register_size == q->register_size && p->instruction_memory == q->instruction_memory &&
           a->state == b->state && a->outputs == b->outputs && a->scatter == b->scatter && a->control == b->control &&
           same_costs(p, q) && same_memory(x->memory, y->memory) && same_caches(m, p, q);
}

static void number_kinds(arena *a, plan_resources *r)
{
    VEC(const plan_processor *) first = {0}; // of each kind
    for (VEC_EACH(plan_processor, p, &r->processors)) {
        p->kind = 0;
        while (p->kind < first.len && !is_alike(r->machine, first.data[p->kind], p))
            p->kind++;
        if (p->kind == first.len)
            VEC_PUSH(a, &first, p);
    }
    r->kinds = (uint32_t)first.len;
}

static void find_alignment(plan_resources *r)
{
    r->alignment = r->shared->alignment;
    for (VEC_EACH(const plan_processor, p, &r->processors))
        r->alignment = p->transfer_alignment > r->alignment ? p->transfer_alignment : r->alignment;
}

// ---- Other engines ----

static plan_resources *copy_resources(arena *a, const plan_resources *r)
{
    plan_resources *copy = ARENA_NEW(a, plan_resources);
    *copy = *r;
    memset(&copy->processors, 0, sizeof copy->processors);
    for (VEC_EACH(const plan_processor, p, &r->processors))
        VEC_PUSH(a, &copy->processors, *p);
    return copy;
}

plan_resources *plan_resources_pair_engines(arena *a, const plan_resources *r)
{
    plan_resources *copy = copy_resources(a, r);
    const meeting at = {.control = r->control, .shared = r->shared};
    add_engines(a, copy, &at);
    number_kinds(a, copy);
    find_alignment(copy);
    return copy;
}

plan_resources *plan_resources_use_engines(arena *a, const plan_resources *r, size_t processor,
                                           const machine_processor *load, const machine_processor *store)
{
    const plan_processor *p = &r->processors.data[processor];
    if (p->direct || !moves(r->machine, load, r->control, r->shared, p->memory) ||
        !moves(r->machine, store, r->control, r->shared, p->memory))
        return NULL;
    plan_resources *copy = copy_resources(a, r);
    use_engines(&copy->processors.data[processor], load, store);
    number_kinds(a, copy);
    find_alignment(copy);
    return copy;
}

// ---- Together ----

static bool lies_in(const machine *m, machine_ref code, const machine_memory *memory)
{
    return code.kind == MACHINE_MEMORY && code.index < m->memories.len && &m->memories.data[code.index] == memory;
}

static plan_processor describe(const machine *m, const meeting *at, const machine_processor *p)
{
    const machine_memory *memory = working_memory(m, at, p);
    return (plan_processor){.processor = p,
                            .memory = memory,
                            .direct = memory == at->shared,
                            .bytes = machine_usable(memory),
                            .holds_code = lies_in(m, p->code_memory, memory),
                            .largest_transfer = MACHINE_UNBOUNDED,
                            .transfer_alignment = 1,
                            .io = p->io,
                            .fallback = p->fallback};
}

static void gather(arena *a, plan_resources *r, const meeting *at, int64_t wanted)
{
    const machine *m = r->machine;
    for (VEC_EACH(const machine_processor, p, &m->processors)) {
        if (p->fallback || working_memory(m, at, p) == NULL || (wanted != 0 && r->processors.len == (size_t)wanted))
            continue;
        VEC_PUSH(a, &r->processors, describe(m, at, p));
    }
    r->ordinary = r->processors.len;
    // A local memory in which several work is divided.
    uint64_t *sharers = ARENA_ARRAY(a, uint64_t, m->memories.len + 1);
    for (VEC_EACH(const plan_processor, p, &r->processors))
        sharers[p->memory - m->memories.data]++;
    for (VEC_EACH(plan_processor, p, &r->processors))
        if (!p->direct)
            p->bytes = p->bytes / sharers[p->memory - m->memories.data] / p->memory->alignment * p->memory->alignment;
}

plan_resources *plan_resources_with_fallbacks(arena *a, const plan_resources *r)
{
    plan_resources *copy = copy_resources(a, r);
    const meeting at = {.control = r->control, .shared = r->shared};
    for (VEC_EACH(const machine_processor, p, &r->machine->processors))
        if (p->fallback && working_memory(r->machine, &at, p) == r->shared)
            VEC_PUSH(a, &copy->processors, describe(r->machine, &at, p));
    number_kinds(a, copy);
    return copy->processors.len == r->processors.len ? NULL : copy;
}

plan_resources *plan_resources_find(arena *a, diag_engine *d, const machine *m, int64_t wanted,
                                    const plan_demands *demands)
{
    meeting at = best_meeting(m, demands->io);
    if (at.usable == 0) {
        report_none(d, m, &at);
        return NULL;
    }
    if (demands->io && !at.control->io) {
        report_no_io(d, m, &at);
        return NULL;
    }
    if (wanted > 0 && (uint64_t)wanted > at.usable) {
        report_too_few(d, m, &at, wanted);
        return NULL;
    }
    plan_resources *r = ARENA_NEW(a, plan_resources);
    r->machine = m;
    r->control = at.control;
    r->shared = at.shared;
    r->bytes = machine_usable(at.shared);
    gather(a, r, &at, wanted);
    choose_engines(a, r, &at);
    number_kinds(a, r);
    find_alignment(r);
    return r;
}
