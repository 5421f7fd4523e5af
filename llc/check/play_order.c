// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of a play's runs, and what it shows: a run comes after what its kernel depends on, as far as that was run
// before it, and after everything that the control thread knew to be over; a processor's queue orders nothing. Two that
// use the same bytes, one of them to write, must come one after the other.
#include <stdlib.h>
#include <string.h>

#include "llc/check/play.h"

struct run {
    actor *actor;
    size_t number;
    const code *at, *caller;
    bool over;        // for the control thread
    uint64_t *before; // bits: runs from 64 * base on that come before it, but for those that were over when it began
    size_t base, words;
    access_list accesses;
};

struct actor {
    const llc_name *processor;
    callee *function; // of a transfer: its initialisation
    bool transfer, never_blocks;
    const code *destroyed; // where; NULL: it is not
    bool lost;             // its function could not be followed to the end once: there may be more accesses
    const char *name;
    const code *at, *caller; // of its initialisation
    int64_t address;
    VEC(actor *) depends;
    run *last;
    size_t runs;
};

typedef struct reading {
    const run *run;
    uint32_t view;
    const struct reading *next;
} reading;

// Bytes of a memory with one history.
typedef struct segment {
    int64_t begin, end;
    bool written;
    const run *writer;       // NULL: the control thread
    uint32_t view;           // through which it was written
    const reading *readings; // since
} segment;

struct shelf {
    VEC(segment) segments; // in order, apart
};

enum { MOST_FOUND = 40, REPEAT_STEPS = 200 };

void orders_init(play *p)
{
    p->orders = (orders){0};
    hmap_init(&p->orders.actors, p->arena);
    hmap_init(&p->orders.blocks, p->arena);
    hmap_init(&p->orders.shelves, p->arena);
}

// ---- Messages ----

static diag_record *say(play *p, diag_warning_id id, const code *at, const code *caller, const char *message)
{
    diag_engine *d = p->checker->session->diag;
    p->orders.found++;
    diag_record *r = diag_warning(d, id, play_place(p, at), "%s", message);
    if (caller != NULL)
        diag_add_note(d, r, play_place(p, caller), "in this call");
    return r;
}

static const code *control_place(const play *p)
{
    return p->at != NULL ? p->at : p->where;
}

// Once for each pair of places.
static bool first_time(play *p, const void *a, const void *b, const void *c, int what)
{
    struct {
        const void *places[3];
        size_t what;
    } key = {{a, b, c}, (size_t)what};
    if (p->orders.found >= MOST_FOUND || hmap_getn(&p->reported, &key, sizeof key) != NULL)
        return false;
    hmap_setn(&p->reported, &key, sizeof key, p);
    return true;
}

// Transfers of one line of the text are told apart by what their blocks are called.
static const char *who(play *p, const actor *k)
{
    arena *a = p->checker->arena;
    if (!k->transfer)
        return arena_printf(a, "kernel '%s'", k->name);
    const char *blocks = transfer_blocks(p, k->function, k->address);
    return blocks == NULL ? arena_printf(a, "transfer '%s'", k->name)
                          : arena_printf(a, "transfer '%s' of %s", k->name, blocks);
}

static void note_view(play *p, diag_record *r, const view *v)
{
    diag_engine *d = p->checker->session->diag;
    diag_add_note(d, r, play_place(p, v->at), "'%s' is initialised here", view_name(p, v));
    if (v->caller != NULL)
        diag_add_note(d, r, play_place(p, v->caller), "in this call");
}

static void note_actor(play *p, diag_record *r, const actor *k)
{
    diag_add_note(p->checker->session->diag, r, play_place(p, k->at), "%s is initialised here", who(p, k));
}

// ---- Blocks ----

void order_block(play *p, view *v)
{
    const machine_memory *memory = v->memory->memory;
    if (memory == NULL || memory->kind == MACHINE_memory_kind_FIFO)
        play_stop(p);
    int64_t end = v->address + v->size;
    const char *message = NULL;
    diag_warning_id id = WARN_CHECK_CAPACITY;
    arena *a = p->checker->arena;
    if (is_local(p->checker, memory)) {
        uint64_t size = machine_usable(memory), unit = memory->alignment;
        if (v->address < 0 || (size <= INT64_MAX && end > (int64_t)size)) {
            message =
                arena_printf(a, "block '%s' lies at bytes %lld to %lld of memory '%s', which has %llu", view_name(p, v),
                             (long long)v->address, (long long)end - 1, v->memory->name, (unsigned long long)size);
        } else if (unit > 1 && (uint64_t)v->address % unit != 0) {
            id = WARN_CHECK_ALIGNMENT;
            message = arena_printf(
                a, "block '%s' lies at %lld, which is no multiple of the %llu bytes that memory '%s' works with",
                view_name(p, v), (long long)v->address, (unsigned long long)unit, v->memory->name);
        }
    } else {
        bool inside = false;
        for (size_t i = 0; i < p->pieces.len && !inside; i++) {
            const piece *given = &p->pieces.data[i];
            inside = given->memory == v->memory && v->address >= given->address && end <= given->address + given->size;
        }
        if (!inside)
            message = arena_printf(a, "block '%s' of %lld bytes does not lie within what svm_alloc or svm_map gave",
                                   view_name(p, v), (long long)v->size);
    }
    if (message != NULL && first_time(p, v->at, v->caller, NULL, id))
        say(p, id, v->at, v->caller, message);
}

_Noreturn void order_huge(play *p, const view *v, uint64_t capacity)
{
    if (first_time(p, v->at, v->caller, NULL, WARN_CHECK_CAPACITY))
        say(p, WARN_CHECK_CAPACITY, v->at, v->caller,
            arena_printf(p->checker->arena,
                         "block '%s' has %llu elements of %llu bytes, which is more than any memory has",
                         view_name(p, v), (unsigned long long)capacity, (unsigned long long)v->element_size));
    play_stop(p);
}

// The block's number in `live`, plus 1; 0: there is none at the address.
static size_t block_number(const play *p, int64_t address)
{
    return (size_t)(uintptr_t)hmap_getn(&p->orders.blocks, &address, sizeof address);
}

// A block by its variable, where it has one of its own.
static const char *block_text(play *p, const object *o)
{
    if (o->global == NULL || !is_record(clang_getCursorType(o->global->cursor), "svm_Block"))
        return "a block that";
    return arena_printf(p->checker->arena, "block '%s', which", o->global->name);
}

void order_live(play *p, int64_t block, uint32_t id)
{
    orders *o = &p->orders;
    size_t known_as = block_number(p, block);
    if (known_as != 0) {
        o->live.data[known_as - 1] = id;
        return;
    }
    VEC_PUSH(p->arena, &o->live, id);
    hmap_setn(&o->blocks, &block, sizeof block, (void *)(uintptr_t)o->live.len);
}

void order_missing(play *p, val block, int64_t data)
{
    const run *r = p->running;
    int64_t offset;
    const object *o = block.unknown ? NULL : pointed(p, block.i, &offset);
    bool none = !block.unknown && block.i == 0;
    if (p->both > 0 || p->unsure > 0 || (none && r == NULL) ||
        (!none && (o == NULL || order_view_at(p, block.i) != 0 || p->outside || !is_empty(p, known(data), 8))))
        return;
    const code *at = r != NULL ? r->at : control_place(p);
    if (!first_time(p, at, p->in_kernel ? p->at : NULL, o, WARN_CHECK_UNINITIALISED))
        return;
    arena *a = p->checker->arena;
    const char *user = r != NULL ? who(p, r->actor) : "control code";
    diag_record *d = say(p, WARN_CHECK_UNINITIALISED, at, r != NULL ? r->caller : p->caller,
                         none ? arena_printf(a, "%s uses a null pointer as a block", user)
                              : arena_printf(a, "%s uses %s nothing has initialised", user, block_text(p, o)));
    if (p->in_kernel)
        diag_add_note(p->checker->session->diag, d, play_place(p, p->at), "in this call");
    if (r != NULL)
        note_actor(p, d, r->actor);
}

uint32_t order_view_at(const play *p, int64_t address)
{
    size_t known_as = block_number(p, address);
    return known_as == 0 ? 0 : p->orders.live.data[known_as - 1];
}

// ---- Kernels ----

static actor *find_actor(play *p, int64_t address)
{
    return hmap_getn(&p->orders.actors, &address, sizeof address);
}

static actor *add_actor(play *p, int64_t address)
{
    actor *k = find_actor(p, address);
    if (k == NULL) {
        k = ARENA_NEW(p->arena, actor);
        *k = (actor){0};
        hmap_setn(&p->orders.actors, &address, sizeof address, k);
        VEC_PUSH(p->arena, &p->orders.list, k);
    }
    run *last = k->last != NULL && !k->last->over ? k->last : NULL;
    *k = (actor){.address = address, .at = p->at, .caller = p->caller, .last = last};
    return k;
}

void order_kernel(play *p, int64_t kernel, const llc_name *processor, callee *function, const char *name)
{
    actor *k = add_actor(p, kernel);
    k->processor = processor;
    k->function = function;
    k->name = name;
}

void order_transfer(play *p, int64_t kernel, const llc_name *engine, callee *init, int64_t id)
{
    actor *k = add_actor(p, kernel);
    (void)id;
    k->processor = engine;
    k->function = init;
    k->transfer = true;
    k->name = "";
}

static void report_destroyed(play *p, const actor *k, const code *at)
{
    if (!first_time(p, at, k->destroyed, NULL, WARN_CHECK_UNINITIALISED))
        return;
    diag_record *r = say(p, WARN_CHECK_UNINITIALISED, at, p->caller, "the kernel that this call names was destroyed");
    diag_add_note(p->checker->session->diag, r, play_place(p, k->destroyed), "it is destroyed here");
}

// What nothing has initialised ends the play.
static actor *known_actor(play *p, int64_t kernel)
{
    actor *k = find_actor(p, kernel);
    if (k != NULL && k->destroyed == NULL)
        return k;
    const code *at = control_place(p);
    if (k != NULL) {
        report_destroyed(p, k, at);
        play_stop(p);
    }
    int64_t offset;
    const object *o = pointed(p, kernel, &offset); // no null pointer, which a choice of the play may have led to
    if (o != NULL && o->kind == OBJECT_BYTES && first_time(p, at, p->caller, NULL, WARN_CHECK_UNINITIALISED))
        (void)say(p, WARN_CHECK_UNINITIALISED, at, p->caller,
                  "the kernel that this call names nothing has initialised");
    play_stop(p);
}

void order_never_blocks(play *p, int64_t kernel)
{
    known_actor(p, kernel)->never_blocks = true;
}

void order_depend(play *p, int64_t kernel, int64_t on)
{
    actor *k = known_actor(p, kernel), *other = known_actor(p, on);
    VEC_PUSH(p->arena, &k->depends, other);
}

// ---- Before and after ----

static bool comes_before(const run *a, const run *b)
{
    size_t at = a->number / 64;
    if (a == b || a->over || at < b->base)
        return true;
    return at - b->base < b->words && (b->before[at - b->base] >> (a->number % 64) & 1) != 0;
}

static void add_before(run *b, const run *a)
{
    b->before[a->number / 64 - b->base] |= UINT64_C(1) << (a->number % 64);
    for (size_t i = 0; i < a->words; i++)
        if (a->base + i >= b->base)
            b->before[a->base + i - b->base] |= a->before[i];
}

static void finish(play *p, run *r)
{
    orders *o = &p->orders;
    for (size_t i = 0; i < r->words; i++)
        for (uint64_t bits = r->before[i]; bits != 0; bits &= bits - 1)
            o->runs.data[(r->base + i) * 64 + (size_t)__builtin_ctzll(bits)]->over = true;
    r->over = true;
    while (o->first_open < o->runs.len && o->runs.data[o->first_open]->over)
        o->first_open++;
}

// ---- Bytes ----

static void insert_segment(play *p, shelf *s, size_t at, segment new)
{
    VEC_PUSH(p->arena, &s->segments, new);
    memmove(&s->segments.data[at + 1], &s->segments.data[at], (s->segments.len - 1 - at) * sizeof new);
    s->segments.data[at] = new;
}

static void split(play *p, shelf *s, size_t at, int64_t where)
{
    segment second = s->segments.data[at];
    second.begin = where;
    s->segments.data[at].end = where;
    insert_segment(p, s, at + 1, second);
}

// Segments that cover just these bytes: from *first to before *last.
static void cover(play *p, shelf *s, int64_t begin, int64_t end, size_t *first, size_t *last)
{
    size_t low = 0, high = s->segments.len;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (s->segments.data[middle].end > begin)
            high = middle;
        else
            low = middle + 1;
    }
    if (low < s->segments.len && s->segments.data[low].begin < begin)
        split(p, s, low++, begin);
    *first = low;
    for (int64_t at = begin; at < end; low++) {
        if (low == s->segments.len || s->segments.data[low].begin > at) {
            bool more = low < s->segments.len && s->segments.data[low].begin < end;
            int64_t until = more ? s->segments.data[low].begin : end;
            insert_segment(p, s, low, (segment){.begin = at, .end = until});
        } else if (s->segments.data[low].end > end) {
            split(p, s, low, end);
        }
        at = s->segments.data[low].end;
    }
    *last = low;
}

static shelf *shelf_of(play *p, const llc_name *memory)
{
    shelf *s = hmap_getn(&p->orders.shelves, &memory, sizeof memory);
    if (s == NULL) {
        s = ARENA_NEW(p->arena, shelf);
        *s = (shelf){0};
        hmap_setn(&p->orders.shelves, &memory, sizeof memory, s);
    }
    return s;
}

// ---- Findings ----

static const char *verb(bool write)
{
    return write ? "writes" : "reads";
}

// a is a run that may be under way when b (NULL: the control thread) uses the same bytes.
static void report_conflict(play *p, const run *a, const view *av, bool a_writes, const run *b, const access *use,
                            const segment *s)
{
    const view *v = &p->objects.data[use->view].view;
    const code *at = b != NULL ? b->at : control_place(p);
    if (!first_time(p, at, a->at, b != NULL ? (const void *)b->actor->at : v->at, WARN_CHECK_UNORDERED))
        return;
    arena *ar = p->checker->arena;
    const char *bytes = arena_printf(ar, "bytes %lld to %lld of '%s'", (long long)(s->begin - v->address),
                                     (long long)(s->end - v->address) - 1, view_name(p, v));
    const char *message;
    if (b == NULL)
        message = arena_printf(ar, "control code %s %s, which %s %s, and nothing has waited for it", verb(use->write),
                               bytes, who(p, a->actor), verb(a_writes));
    else
        message = arena_printf(ar, "%s %s %s, which %s %s, and neither a dependence nor a wait orders them",
                               who(p, b->actor), verb(use->write), bytes, who(p, a->actor), verb(a_writes));
    diag_record *r = say(p, WARN_CHECK_UNORDERED, at, b != NULL ? b->caller : p->caller, message);
    diag_add_note(p->checker->session->diag, r, play_place(p, a->at), "%s is run here", who(p, a->actor));
    note_actor(p, r, a->actor);
    if (b != NULL)
        note_actor(p, r, b->actor);
    note_view(p, r, av);
    if (v != av)
        note_view(p, r, v);
}

static const view *view_of(play *p, uint32_t id)
{
    return &p->objects.data[id].view;
}

static bool writes_segment(play *p, const run *r, const segment *s)
{
    for (VEC_EACH(const access, a, &r->accesses)) {
        int64_t at = view_of(p, a->view)->address;
        if (a->write && at + a->begin < s->end && s->begin < at + a->end)
            return true;
    }
    return false;
}

// Two kernels that never block run one after the other on their processor; only runs of one function hand something on there.
static bool take_turns(const run *a, const run *b)
{
    return b != NULL && a->actor->processor == b->actor->processor && a->actor->never_blocks &&
           b->actor->never_blocks && a->actor->function != b->actor->function;
}

// Bytes that both of them write are then no more than room for either.
static bool is_room(play *p, const run *a, const run *b, const segment *s)
{
    return take_turns(a, b) && writes_segment(p, a, s) && writes_segment(p, b, s);
}

// Whether all that is known of a run's use of the bytes is that it uses something somewhere in the view.
static bool is_only_somewhere(play *p, const run *r, uint32_t seen, bool write, const segment *s)
{
    bool somewhere = false;
    for (VEC_EACH(const access, a, &r->accesses)) {
        const view *u = view_of(p, a->view);
        if (a->write != write || u->memory != view_of(p, seen)->memory)
            continue;
        if (!a->anywhere && u->address + a->begin < s->end && s->begin < u->address + a->end)
            return false;
        somewhere |= a->anywhere && a->view == seen;
    }
    return somewhere;
}

// All kernels of a processor have their channels and their state in one block there: what one of them uses somewhere in it is not
// known to be the other one's.
static bool is_elsewhere(play *p, const run *r, uint32_t seen, bool write, const run *b, const access *use,
                         const segment *s)
{
    return take_turns(r, b) && (use->anywhere || is_only_somewhere(p, r, seen, write, s));
}

// An access somewhere in a view is not known to lead into another block there (bound_accesses): nor into one that was
// initialised after it. What the run is known to use of those bytes it uses all the same.
static bool is_beside(play *p, const run *r, uint32_t seen, bool write, const access *use, const segment *s)
{
    const view *v = view_of(p, seen), *w = view_of(p, use->view);
    const int64_t begin = w->address - v->address;
    return w->memory == v->memory && w->size < v->size && begin >= 0 && begin + w->size <= v->size &&
           is_only_somewhere(p, r, seen, write, s);
}

static bool may_conflict(play *p, const run *r, uint32_t seen, bool write, const run *b, const access *a,
                         const segment *s)
{
    return r != b && !r->over && (b == NULL || !comes_before(r, b)) && !is_room(p, r, b, s) &&
           !is_beside(p, r, seen, write, a, s) && !is_elsewhere(p, r, seen, write, b, a, s);
}

static void check_segment(play *p, const run *b, const access *a, segment *s)
{
    const run *w = s->writer;
    if (w != NULL && may_conflict(p, w, s->view, true, b, a, s))
        report_conflict(p, w, view_of(p, s->view), true, b, a, s);
    for (const reading *r = a->write ? s->readings : NULL; r != NULL; r = r->next)
        if (may_conflict(p, r->run, r->view, false, b, a, s))
            report_conflict(p, r->run, view_of(p, r->view), false, b, a, s);
}

static void report_outside(play *p, const run *b, const access *a, const view *v)
{
    const code *at = b != NULL ? b->at : control_place(p);
    if (!first_time(p, at, v->at, v->caller, WARN_CHECK_CAPACITY))
        return;
    const char *message = arena_printf(p->checker->arena, "%s %s bytes %lld to %lld of '%s', which has %lld",
                                       b != NULL ? who(p, b->actor) : "control code", verb(a->write),
                                       (long long)a->begin, (long long)a->end - 1, view_name(p, v), (long long)v->size);
    diag_record *r = say(p, WARN_CHECK_CAPACITY, at, b != NULL ? b->caller : p->caller, message);
    note_view(p, r, v);
}

static void report_unwritten(play *p, const run *b, const access *a, const view *v, bool some)
{
    const code *at = b != NULL ? b->at : control_place(p);
    if (!first_time(p, at, v->at, NULL, WARN_CHECK_UNWRITTEN))
        return;
    const char *message =
        arena_printf(p->checker->arena, "%s reads bytes %lld to %lld of '%s', %s",
                     b != NULL ? who(p, b->actor) : "control code", (long long)a->begin, (long long)a->end - 1,
                     view_name(p, v), some ? "some of which nothing has written" : "which nothing has written");
    diag_record *r = say(p, WARN_CHECK_UNWRITTEN, at, b != NULL ? b->caller : p->caller, message);
    note_view(p, r, v);
}

// The first piece that was freed which ends behind an address. No address is given twice, so they do not overlap.
static size_t freed_behind(const play *p, int64_t address)
{
    size_t low = 0, high = p->freed.len;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const piece *gone = &p->freed.data[middle];
        if (gone->address + gone->size <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void order_freed(play *p, piece gone)
{
    size_t at = freed_behind(p, gone.address);
    VEC_PUSH(p->arena, &p->freed, gone);
    memmove(&p->freed.data[at + 1], &p->freed.data[at], (p->freed.len - 1 - at) * sizeof gone);
    p->freed.data[at] = gone;
}

// What control code does with memory that svm_unmap took it does with its own.
static void check_freed(play *p, const run *b, const access *a, const view *v)
{
    for (size_t i = freed_behind(p, v->address + a->begin); i < p->freed.len; i++) {
        const piece *gone = &p->freed.data[i];
        const code *at = b != NULL ? b->at : control_place(p);
        if (gone->address >= v->address + a->end)
            break;
        if (gone->memory != v->memory || (b == NULL && gone->unmapped) ||
            !first_time(p, at, v->at, gone->at, WARN_CHECK_CAPACITY))
            continue;
        const char *message =
            arena_printf(p->checker->arena, "%s %s bytes %lld to %lld of '%s', whose memory was freed before",
                         b != NULL ? who(p, b->actor) : "control code", verb(a->write), (long long)a->begin,
                         (long long)a->end - 1, view_name(p, v));
        diag_record *r = say(p, WARN_CHECK_CAPACITY, at, b != NULL ? b->caller : p->caller, message);
        diag_add_note(p->checker->session->diag, r, play_place(p, gone->at), "it is freed here");
        note_view(p, r, v);
    }
}

typedef enum share { SHARE_NONE, SHARE_SOME, SHARE_ALL } share;

// Notes that b (NULL: the control thread) uses bytes now; gives what of them was written before. What is written is
// defined unless it comes from where nothing was written.
static share use_bytes(play *p, const run *b, access a, bool defined)
{
    const view *v = view_of(p, a.view);
    if (v->memory == NULL)
        return SHARE_ALL;
    if (a.begin < 0 || a.end > v->size) {
        report_outside(p, b, &a, v);
        a.begin = a.begin < 0 ? 0 : a.begin;
        a.end = a.end > v->size ? v->size : a.end;
    }
    if (a.begin >= a.end)
        return SHARE_ALL;
    if (p->freed.len > 0)
        check_freed(p, b, &a, v);
    shelf *s = shelf_of(p, v->memory);
    size_t first, last;
    cover(p, s, v->address + a.begin, v->address + a.end, &first, &last);
    bool any = false, all = true;
    for (size_t i = first; i < last; i++) {
        segment *g = &s->segments.data[i];
        check_segment(p, b, &a, g);
        any |= g->written;
        all &= g->written;
        if (a.write) {
            g->written = defined;
            g->writer = b;
            g->view = a.view;
            g->readings = NULL;
        } else if (b != NULL && (g->readings == NULL || g->readings->run != b)) {
            while (g->readings != NULL && g->readings->run->over)
                g->readings = g->readings->next;
            reading *r = ARENA_NEW(p->arena, reading);
            *r = (reading){b, a.view, g->readings};
            g->readings = r;
        }
    }
    if (a.write && last - first > 1) { // one history from now on
        s->segments.data[first].end = s->segments.data[last - 1].end;
        memmove(&s->segments.data[first + 1], &s->segments.data[last],
                (s->segments.len - last) * sizeof *s->segments.data);
        s->segments.len -= last - first - 1;
    }
    return all ? SHARE_ALL : any ? SHARE_SOME : SHARE_NONE;
}

void order_control(play *p, access a)
{
    share s = use_bytes(p, NULL, a, true);
    if (!a.write && !a.loose && s == SHARE_SOME)
        report_unwritten(p, NULL, &a, view_of(p, a.view), true);
}

// A move's destination is defined where its source is. Nothing is said of the rest until somebody uses it.
static void move_bytes(play *p, const run *r, const access *from, const access *to)
{
    const view *v = view_of(p, from->view);
    share s = use_bytes(p, r, *from, true);
    int64_t apart = to->begin - from->begin - v->address;
    // Nothing at all was written: zeroes of svm_alloc, or what the program had there.
    if (s != SHARE_SOME || to->end - to->begin != from->end - from->begin) {
        use_bytes(p, r, *to, s == SHARE_ALL || !is_local(p->checker, v->memory->memory));
        return;
    }
    shelf *shelf_there = shelf_of(p, v->memory);
    size_t first, last;
    cover(p, shelf_there, v->address + from->begin, v->address + from->end, &first, &last);
    VEC(segment) parts = {0};
    for (size_t i = first; i < last; i++)
        VEC_PUSH(p->arena, &parts, shelf_there->segments.data[i]);
    for (VEC_EACH(const segment, part, &parts)) {
        access a = *to;
        a.begin = part->begin + apart;
        a.end = part->end + apart;
        use_bytes(p, r, a, part->written);
    }
}

void order_copy(play *p, access from, access to)
{
    move_bytes(p, NULL, &from, &to);
}

// ---- Runs ----

static void set_accesses(play *p, run *r, const access_list *accesses)
{
    vec_reserve(p->arena, &r->accesses, accesses->len, sizeof *r->accesses.data);
    for (VEC_EACH(const access, a, accesses))
        VEC_PUSH(p->arena, &r->accesses, *a);
}

static void follow_kernel(play *p, run *r, int64_t kernel)
{
    jmp_buf here, *outer = p->stuck;
    size_t depth = p->depth, limit = p->limit;
    uint32_t locals = p->frame;
    const code *at = p->at, *caller = p->caller;
    const bool apart = p->apart;
    val argument = known(kernel);
    access_list *const noted = &p->orders.noted; // room that all runs share: most of what is noted is joined at the end
    noted->len = 0;
    p->stuck = &here;
    p->running = r;
    p->accesses = noted;
    if (limit - p->steps > MEMO_STEPS)
        p->limit = p->steps + MEMO_STEPS;
    if (setjmp(here) == 0) {
        if (r->actor->transfer) {
            transfer_accesses(p, r->actor->function, kernel, r->actor->processor, noted);
        } else {
            p->in_kernel = true;
            p->apart = false;
            play_call(p, r->actor->function, &argument, 1);
        }
    } else {
        r->actor->lost = true;
    }
    p->in_kernel = false;
    p->running = NULL;
    p->unsure = 0;
    p->accesses = NULL;
    p->stuck = outer;
    p->depth = depth;
    p->limit = limit;
    p->memo_depth = 0;
    p->both = 0;
    p->undos.len = p->undo_bytes = 0;
    p->frame = locals;
    p->at = at;
    p->caller = caller;
    p->apart = apart;
    simplify_accesses(noted);
    set_accesses(p, r, noted);
}

static void check_reach(play *p, const run *r, const view *v)
{
    const machine_processor *processor = r->actor->processor->processor;
    if (v->memory == NULL || v->memory->memory == NULL || processor == NULL ||
        machine_reaches(p->checker->unit->machine, processor, v->memory->memory) ||
        !first_time(p, r->at, v->at, r->actor->at, WARN_CHECK_MEMORY))
        return;
    diag_record *d =
        say(p, WARN_CHECK_MEMORY, r->at, r->caller,
            arena_printf(p->checker->arena, "%s uses '%s' in memory '%s', which its processor '%s' does not reach",
                         who(p, r->actor), view_name(p, v), v->memory->name, r->actor->processor->name));
    note_view(p, d, v);
}

static int by_begin(const void *x, const void *y)
{
    const access *a = x, *b = y;
    return a->begin < b->begin ? -1 : a->begin > b->begin;
}

// What is left of a view without the other blocks that lie in it.
static void add_rest(play *p, access whole, access_list *into)
{
    const view *v = view_of(p, whole.view);
    access_list inside = {0};
    for (VEC_EACH(const uint32_t, id, &p->orders.live)) {
        const view *w = view_of(p, *id);
        int64_t begin = w->address - v->address, end = begin + w->size;
        if (w->memory == v->memory && w->size < v->size && begin >= whole.begin && end <= whole.end)
            VEC_PUSH(p->arena, &inside, (access){.begin = begin, .end = end});
    }
    if (inside.len > 1)
        qsort(inside.data, inside.len, sizeof *inside.data, by_begin);
    access gap = whole;
    for (VEC_EACH(const access, a, &inside)) {
        gap.end = a->begin;
        if (gap.begin < gap.end)
            VEC_PUSH(p->arena, into, gap);
        gap.begin = a->end > gap.begin ? a->end : gap.begin;
    }
    gap.end = whole.end;
    if (gap.begin < gap.end)
        VEC_PUSH(p->arena, into, gap);
}

// Of an access somewhere in a block it is not known that it leads into another block there, as the windows are that lie
// in what a processor has for itself. Kernels have those blocks themselves, if they use them.
static void bound_accesses(play *p, access_list *list)
{
    access_list bounded = {0};
    bool any = false;
    for (VEC_EACH(const access, a, list))
        any |= a->anywhere;
    if (!any)
        return;
    for (VEC_EACH(const access, a, list)) {
        if (a->anywhere && view_of(p, a->view)->memory != NULL)
            add_rest(p, *a, &bounded);
        else
            VEC_PUSH(p->arena, &bounded, *a);
    }
    *list = bounded;
}

static void mark_written(play *p, const view *v, int64_t begin, int64_t end)
{
    shelf *s = shelf_of(p, v->memory);
    size_t first, last;
    cover(p, s, v->address + begin, v->address + end, &first, &last);
    for (size_t i = first; i < last; i++)
        s->segments.data[i].written = true;
}

// Writes that were somewhere in a block may have been all over it, in blocks that lie there too.
static void note_written(play *p, const access_list *list)
{
    for (VEC_EACH(const access, a, list)) {
        const view *v = view_of(p, a->view);
        if (a->write && a->anywhere && v->memory != NULL && a->begin >= 0 && a->end <= v->size)
            mark_written(p, v, a->begin, a->end);
    }
}

// What a kernel may have written that was not followed to its end.
static void note_lost(play *p, const run *r)
{
    view_ids views = {0};
    reach_views(p, r->actor->address, &views);
    for (VEC_EACH(const uint32_t, id, &views)) {
        const view *v = view_of(p, *id);
        if (v->memory != NULL)
            mark_written(p, v, 0, v->size);
    }
}

// Reads first: what a kernel reads and writes is in no order.
static void use_all(play *p, run *r)
{
    access_list *list = &r->accesses, somewhere = r->accesses;
    bound_accesses(p, list);
    for (VEC_EACH(const access, a, list))
        check_reach(p, r, view_of(p, a->view));
    if (r->actor->transfer && list->len == 2 && list->data[0].write != list->data[1].write) {
        bool first = list->data[0].write;
        move_bytes(p, r, &list->data[first], &list->data[!first]);
        return;
    }
    for (VEC_EACH(const access, a, list)) {
        if (a->write)
            continue;
        share s = use_bytes(p, r, *a, true);
        bool own = a->loose || r->actor->transfer || r->actor->lost;
        for (VEC_EACH(const access, other, list))
            own |= other->write && other->view == a->view;
        const llc_name *memory = view_of(p, a->view)->memory;
        bool zeroes = s == SHARE_NONE && memory != NULL && !is_local(p->checker, memory->memory);
        if (s != SHARE_ALL && !own && !zeroes)
            report_unwritten(p, r, a, view_of(p, a->view), s == SHARE_SOME);
    }
    for (VEC_EACH(const access, a, list))
        if (a->write)
            use_bytes(p, r, *a, true);
    note_written(p, &somewhere);
    if (r->actor->lost && !r->actor->transfer)
        note_lost(p, r);
}

static void name_transfer(play *p, actor *k)
{
    if (k->transfer && k->name[0] == '\0')
        k->name = play_text(p, clang_Cursor_getArgument(k->at->at, 0));
}

static actor *named_actor(play *p, int64_t kernel)
{
    actor *k = known_actor(p, kernel);
    name_transfer(p, k);
    return k;
}

static void report_pending(play *p, const actor *k, const char *what)
{
    if (!first_time(p, p->at, k->at, NULL, WARN_CHECK_PENDING))
        return;
    diag_record *d = say(p, WARN_CHECK_PENDING, p->at, p->caller,
                         arena_printf(p->checker->arena, "%s is run again, and %s", who(p, k), what));
    diag_add_note(p->checker->session->diag, d, play_place(p, k->last->at), "its last run is here");
    note_actor(p, d, k);
}

// A run that begins now, behind those that its kernel depends on.
static run *begin_run(play *p, actor *k)
{
    orders *o = &p->orders;
    run *r = ARENA_NEW(p->arena, run);
    *r = (run){.actor = k, .number = o->runs.len, .at = p->at, .caller = p->caller, .base = o->first_open / 64};
    r->words = r->number / 64 - r->base + 1;
    r->before = ARENA_ARRAY(p->arena, uint64_t, r->words);
    memset(r->before, 0, r->words * sizeof *r->before);
    for (VEC_EACH(actor *, on, &k->depends))
        if ((*on)->last != NULL && !(*on)->last->over)
            add_before(r, (*on)->last);
    VEC_PUSH(p->arena, &o->runs, r);
    o->asked = 0;
    k->runs++;
    o->most = k->runs > o->most ? k->runs : o->most;
    return r;
}

static void end_run(play *p, run *r)
{
    actor *k = r->actor;
    k->last = r;
    use_all(p, r);
    if (p->most_runs > 0 && !p->reads && k->runs >= p->most_runs)
        play_stop(p);
}

void order_run(play *p, int64_t kernel)
{
    actor *k = named_actor(p, kernel);
    if (k->last != NULL && !k->last->over)
        report_pending(p, k, "nothing has waited for its last run");
    run *r = begin_run(p, k);
    follow_kernel(p, r, kernel);
    end_run(p, r);
}

// ---- Runs of sequences ----

bool order_look(play *p, int64_t kernel, access_list *into)
{
    run r = {.actor = named_actor(p, kernel), .at = p->at, .caller = p->caller};
    follow_kernel(p, &r, kernel);
    *into = r.accesses;
    return r.actor->transfer;
}

void order_repeat(play *p, int64_t kernel, const access_list *accesses)
{
    actor *k = named_actor(p, kernel);
    run *r = begin_run(p, k);
    // Nobody waits between the times: what comes before the last run's end is a matter of dependences.
    if (k->last != NULL && !k->last->over && !comes_before(k->last, r))
        report_pending(p, k, "no dependence says that its last run is over");
    set_accesses(p, r, accesses);
    p->steps += REPEAT_STEPS + 4 * r->words;
    if (p->steps > p->limit)
        play_stop(p);
    end_run(p, r);
}

void order_outside(play *p, int64_t kernel, const access *a)
{
    run r = {.actor = named_actor(p, kernel), .at = p->at, .caller = p->caller};
    const view *v = view_of(p, a->view);
    if (a->begin < 0 || a->end > v->size)
        report_outside(p, &r, a, v);
}

size_t order_runs(const play *p)
{
    return p->orders.runs.len;
}

void order_over(play *p, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        if (!p->orders.runs.data[i]->over)
            finish(p, p->orders.runs.data[i]);
}

static void report_never(play *p, const actor *k, const code *at, const code *caller, const char *what,
                         diag_warning_id id)
{
    if (!first_time(p, at, k->at, NULL, id))
        return;
    diag_record *d = say(p, id, at, caller, arena_printf(p->checker->arena, "%s %s", who(p, k), what));
    note_actor(p, d, k);
}

void order_wait(play *p, int64_t kernel)
{
    actor *k = named_actor(p, kernel);
    if (k->last == NULL && k->runs == 0)
        report_never(p, k, p->at, p->caller, "is waited for before it is run", WARN_CHECK_NEVER_RUN);
    else if (k->last != NULL && !k->last->over)
        finish(p, k->last);
}

// A program that asks may go on asking until the run is over. Which state it wants instead is not known.
bool order_ask(play *p, int64_t kernel)
{
    enum { ENOUGH = 10000 };
    const actor *k = find_actor(p, kernel) == NULL ? NULL : known_actor(p, kernel);
    if (++p->orders.asked > ENOUGH)
        play_stop(p);
    if (k != NULL && k->last != NULL && !k->last->over)
        finish(p, k->last);
    return k != NULL && k->runs > 0;
}

void order_destroy(play *p, int64_t kernel)
{
    if (find_actor(p, kernel) == NULL)
        return;
    actor *k = named_actor(p, kernel);
    if (k->last != NULL && !k->last->over) {
        report_never(p, k, k->last->at, k->last->caller, "is destroyed, and nothing has waited for its last run",
                     WARN_CHECK_NEVER_WAITED);
        finish(p, k->last);
    }
    k->destroyed = control_place(p);
}

void order_end(play *p)
{
    for (VEC_EACH(actor *, k, &p->orders.list))
        if ((*k)->last != NULL && !(*k)->last->over) {
            name_transfer(p, *k);
            report_never(p, *k, (*k)->last->at, (*k)->last->caller, "is run, and nothing waits for it",
                         WARN_CHECK_NEVER_WAITED);
        }
}
