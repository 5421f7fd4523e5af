// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Findings about places in memory: blocks and streams outside it, streams over each other, memories that a processor
// does not reach, and transfers between elements of different sizes.
#include <string.h>

#include "llc/check/model.h"

bool is_local(const checker *c, const machine_memory *memory)
{
    if (memory->kind == MACHINE_memory_kind_FIFO)
        return true;
    const machine *m = c->unit->machine;
    for (VEC_EACH(const machine_processor, p, &m->processors))
        if (p->kind == MACHINE_processor_kind_CONTROL && machine_reaches(m, p, memory))
            return false;
    return true;
}

bool extent_of(const event *e, int64_t *begin, int64_t *end)
{
    if ((e->address.kind != VALUE_INT && e->address.kind != VALUE_REGION) || e->capacity.kind != VALUE_INT ||
        e->element_size.kind != VALUE_INT || e->capacity.number < 0 || e->element_size.number < 0)
        return false;
    int64_t bytes;
    *begin = e->address.number;
    return !__builtin_mul_overflow(e->capacity.number, e->element_size.number, &bytes) &&
           !__builtin_add_overflow(*begin, bytes, end);
}

// ---- One block or stream ----

static diag_record *outside(checker *c, const event *e, const char *what)
{
    return warn(c, WARN_CHECK_CAPACITY, e, "%s '%s' %s", e->kind == EVENT_BLOCK ? "block" : "stream",
                e->object == NULL ? "(unnamed)" : node_text(c, e->object), what);
}

static void check_local(checker *c, const event *e, int64_t begin, int64_t end)
{
    uint64_t size = machine_usable(e->memory->memory);
    if (begin < 0 || (size <= INT64_MAX && end > (int64_t)size))
        outside(c, e,
                arena_printf(c->arena, "lies at bytes %lld to %lld of memory '%s', which has %llu", (long long)begin,
                             (long long)end - 1, e->memory->name, (unsigned long long)size));
}

static void check_region(checker *c, const event *e, int64_t begin, int64_t end)
{
    const region *r = e->address.region;
    diag_record *d = NULL;
    if (r->memory != NULL && r->memory != e->memory->memory)
        d = outside(c, e,
                    arena_printf(c->arena, "is placed in memory '%s' at an address in '%s'", e->memory->name,
                                 r->memory->element.name));
    else if (begin < 0 || (r->bytes >= 0 && end > r->bytes))
        d = outside(c, e,
                    arena_printf(c->arena, "lies at bytes %lld to %lld of the %lld that were given", (long long)begin,
                                 (long long)end - 1, (long long)r->bytes));
    if (d != NULL)
        diag_add_note(c->session->diag, d, r->at, "the address is from here");
}

// Objects in local memories begin at multiples of the memory's alignment.
static void check_aligned(checker *c, const event *e, int64_t begin)
{
    uint64_t unit = e->memory->memory->alignment;
    if (begin < 0 || unit < 2 || (uint64_t)begin % unit == 0)
        return;
    warn(c, WARN_CHECK_ALIGNMENT, e,
         "%s '%s' lies at %lld, which is no multiple of the %llu bytes that memory '%s' works with",
         e->kind == EVENT_BLOCK ? "block" : "stream", e->object == NULL ? "(unnamed)" : node_text(c, e->object),
         (long long)begin, (unsigned long long)unit, e->memory->name);
}

static bool is_huge(const event *e)
{
    int64_t bytes;
    return e->capacity.kind == VALUE_INT && e->element_size.kind == VALUE_INT && e->capacity.number > 0 &&
           e->element_size.number > 0 && __builtin_mul_overflow(e->capacity.number, e->element_size.number, &bytes);
}

static void check_placed(checker *c, const event *e)
{
    if (e->element_size.kind == VALUE_INT && e->element_size.number == 0) {
        outside(c, e, "has elements of 0 bytes");
        return;
    }
    if (e->kind == EVENT_STREAM && e->capacity.kind == VALUE_INT && e->capacity.number == 0) {
        outside(c, e, "has a capacity of 0 elements");
        return;
    }
    int64_t begin, end;
    if (is_huge(e)) {
        outside(c, e,
                arena_printf(c->arena, "has %lld elements of %lld bytes, which is more than any memory has",
                             (long long)e->capacity.number, (long long)e->element_size.number));
        return;
    }
    if (e->memory == NULL || e->memory->memory == NULL)
        return;
    bool queue = e->memory->memory->kind == MACHINE_memory_kind_FIFO;
    if (queue != e->fifo) {
        warn(c, WARN_CHECK_MEMORY, e, "%s '%s' is placed in memory '%s', which is %s hardware queue",
             e->kind == EVENT_BLOCK ? "block" : "stream", e->object == NULL ? "(unnamed)" : node_text(c, e->object),
             e->memory->name, queue ? "a" : "no");
        return;
    }
    if (!extent_of(e, &begin, &end))
        return;
    bool local = is_local(c, e->memory->memory);
    if (e->address.kind == VALUE_REGION) {
        check_region(c, e, begin, end);
    } else if (local) {
        check_local(c, e, begin, end);
        check_aligned(c, e, begin);
    } else {
        outside(c, e,
                arena_printf(c->arena,
                             "is placed in memory '%s' at %lld, which is no address that svm_alloc or svm_map gave",
                             e->memory->name, (long long)begin));
    }
}

// ---- Streams over live streams ----

static void check_overlap(checker *c, const event *first, const event *second)
{
    int64_t from[2], to[2];
    if (first->memory == NULL || first->memory != second->memory || first->address.kind != second->address.kind ||
        first->address.region != second->address.region || first->object->vague || second->object->vague ||
        !contexts_meet(first->context, second->context) || !extent_of(first, &from[0], &to[0]) ||
        !extent_of(second, &from[1], &to[1]) || from[0] >= to[1] || from[1] >= to[0])
        return;
    diag_record *d = warn(c, WARN_CHECK_OVERLAP, second,
                          "stream '%s' at bytes %lld to %lld of memory '%s' overlaps stream '%s' at %lld to %lld",
                          node_text(c, second->object), (long long)from[1], (long long)to[1] - 1, second->memory->name,
                          node_text(c, first->object), (long long)from[0], (long long)to[0] - 1);
    diag_add_note(c->session->diag, d, first->at, "'%s' is initialised here, and not destroyed since",
                  node_text(c, first->object));
}

typedef VEC(const event *) event_list;

static void end_stream(event_list *live, const node *object)
{
    size_t kept = 0;
    for (size_t i = 0; i < live->len; i++)
        if (object != NULL && live->data[i]->object != object)
            live->data[kept++] = live->data[i];
    live->len = kept;
}

enum { MAX_LIVE = 1000 }; // streams compared

static void find_overlaps(checker *c)
{
    event_list live = {0};
    for (VEC_EACH(const event, e, &c->events)) {
        if (e->kind == EVENT_DESTROY || (e->kind == EVENT_STREAM && e->object != NULL))
            end_stream(&live, e->object == NULL || e->object->vague ? NULL : e->object);
        if (e->kind != EVENT_STREAM || e->object == NULL || live.len >= MAX_LIVE)
            continue;
        for (VEC_EACH(const event *, other, &live))
            if ((*other)->thread == e->thread)
                check_overlap(c, *other, e);
        VEC_PUSH(c->arena, &live, e);
    }
}

// ---- A run ----

static void check_reach(checker *c, const event *run, const node *object)
{
    const event *e = initialisation_of(c, object, run);
    if (e == NULL || object->vague || e->memory == NULL || e->memory->memory == NULL || run->processor == NULL ||
        run->processor->processor == NULL ||
        machine_reaches(c->unit->machine, run->processor->processor, e->memory->memory))
        return;
    diag_record *d =
        warn(c, WARN_CHECK_MEMORY, run, "kernel '%s' uses '%s' in memory '%s', which its processor '%s' does not reach",
             node_text(c, run->object), node_text(c, object), e->memory->name, run->processor->name);
    diag_add_note(c->session->diag, d, e->at, "'%s' is initialised here", node_text(c, object));
}

// A transfer's source and destination; indices are another matter.
static void check_sizes(checker *c, const event *run)
{
    const event *from = initialisation_of(c, run->source, run), *to = initialisation_of(c, run->destination, run);
    if (from == NULL || to == NULL || from->object->vague || to->object->vague ||
        from->element_size.kind != VALUE_INT || to->element_size.kind != VALUE_INT ||
        from->element_size.number == to->element_size.number)
        return;
    diag_record *d = warn(
        c, WARN_CHECK_SIZES, run, "transfer '%s' has a source with elements of %lld bytes and a destination with %lld",
        node_text(c, run->object), (long long)from->element_size.number, (long long)to->element_size.number);
    diag_add_note(c->session->diag, d, from->at, "'%s' is initialised here", node_text(c, from->object));
    diag_add_note(c->session->diag, d, to->at, "'%s' is initialised here", node_text(c, to->object));
}

// What a DMA engine works with: addresses of both sides, and of moves the length.
static bool check_engine(checker *c, const event *run, const node *side)
{
    if (side == NULL)
        return true;
    const event *e = initialisation_of(c, side, run);
    int64_t begin, end;
    if (e == NULL || side->vague || run->processor == NULL || run->processor->processor == NULL ||
        run->processor->processor->kind != MACHINE_processor_kind_DMA || e->memory == NULL ||
        e->memory->memory == NULL || !extent_of(e, &begin, &end) || begin < 0)
        return true;
    uint64_t unit = run->processor->processor->transfer_alignment;
    bool move = run->class != NULL && strncmp(run->class->name, "svm_Move", 8) == 0 && e->kind == EVENT_BLOCK;
    bool address = e->address.kind == VALUE_INT && is_local(c, e->memory->memory);
    if (unit < 2 || ((!address || (uint64_t)begin % unit == 0) && (!move || (uint64_t)(end - begin) % unit == 0)))
        return true;
    bool by_address = address && (uint64_t)begin % unit != 0;
    diag_record *d = warn(c, WARN_CHECK_ALIGNMENT, run,
                          "transfer '%s' with %s %lld of '%s', but '%s' works with multiples of %llu bytes",
                          node_text(c, run->object), by_address ? "the address" : "the length",
                          (long long)(by_address ? begin : end - begin), node_text(c, side), run->processor->name,
                          (unsigned long long)unit);
    diag_add_note(c->session->diag, d, e->at, "'%s' is initialised here", node_text(c, side));
    return false;
}

// What goes through a stream in all is a multiple too, in however many steps.
static void check_moved(checker *c, const event *run)
{
    const node *side =
        strncmp(run->class == NULL ? "" : run->class->name, "svm_Scatter", 11) == 0 ? run->source : run->destination;
    const event *e = side == NULL || side->vague ? NULL : initialisation_of(c, side, run);
    int64_t bytes;
    if (e == NULL || run->moved.kind != VALUE_INT || e->element_size.kind != VALUE_INT || run->processor == NULL ||
        run->processor->processor == NULL || run->processor->processor->kind != MACHINE_processor_kind_DMA ||
        __builtin_mul_overflow(run->moved.number, e->element_size.number, &bytes) || bytes < 0)
        return;
    uint64_t unit = run->processor->processor->transfer_alignment;
    if (unit < 2 || (uint64_t)bytes % unit == 0)
        return;
    diag_record *d = warn(c, WARN_CHECK_ALIGNMENT, run,
                          "transfer '%s' moves %lld bytes of '%s', but '%s' works with multiples of %llu bytes",
                          node_text(c, run->object), (long long)bytes, node_text(c, side), run->processor->name,
                          (unsigned long long)unit);
    diag_add_note(c->session->diag, d, e->at, "'%s' is initialised here", node_text(c, side));
}

static void check_run_uses(checker *c, const event *run)
{
    for (VEC_EACH(const stream_use, u, &run->streams))
        check_reach(c, run, u->stream);
    for (VEC_EACH(const stream_use, u, &run->blocks))
        check_reach(c, run, u->stream);
    check_sizes(c, run);
    if (check_engine(c, run, run->source) && check_engine(c, run, run->destination))
        check_moved(c, run);
}

void find_space(checker *c)
{
    for (VEC_EACH(const event, e, &c->events)) {
        if (e->kind == EVENT_BLOCK || e->kind == EVENT_STREAM)
            check_placed(c, e);
        else if (e->kind == EVENT_RUN && e->object != NULL && !e->object->vague)
            check_run_uses(c, e);
    }
    find_overlaps(c);
}
