// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// New pages of files: bytes that the system has filled with zeroes lie in the cache of the processor that did it until
// others take their place, first in first out, and only then is the memory written. Lines that an engine overwrites
// whole before that are nobody's any more; a line that it overwrites in part is written first.
//
// Nothing else is in this cache: what the processor itself loads and stores has its own costs.
#include "sim/internal.h"

// Bytes that lie together. They are found by their addresses for as long as their pages are mapped.
typedef struct zeroes {
    uint64_t begin, end; // addresses
    bool lost;           // their pages are not mapped any more: nothing overwrites them, and they leave in their turn
} zeroes;
typedef VEC(zeroes) zeroes_list;

// A transfer that waits for pages.
typedef struct page_wait {
    sim_transfer t;
    struct page_wait *next;
} page_wait;

// What one processor's cache of one memory holds of new pages, and which pages its system has yet to map.
struct sim_page_cache {
    sim_element processor, memory;
    uint64_t size, line, held;                    // bytes: in all, of a line, of `list`; size 0: there is no cache
    zeroes_list list, next_list;                  // the oldest first; next_list: what it becomes
    zeroes_list absent;                           // new pages that nobody has wanted yet: each begins with a page
    struct page_wait *first, **last, *free_waits; // transfers that want some, in order
    bool serving;                                 // a page is being mapped and filled with zeroes
    uint64_t served;                              // which
    struct sim_page_cache *next;
};

// ---- Caches ----

// The largest of the processor's caches that are of that memory; NULL: it has none.
static const machine_memory *cache_of(const machine *m, sim_element processor, sim_element memory)
{
    const machine_memory *found = NULL;
    for (VEC_EACH(const machine_ref, r, &m->processors.data[processor.index].caches)) {
        const machine_memory *cache = &m->memories.data[r->index];
        if (cache->backing.index == memory.index && (found == NULL || cache->size > found->size))
            found = cache;
    }
    return found;
}

static bool same(sim_element a, sim_element b)
{
    return a.node == b.node && a.kind == b.kind && a.index == b.index;
}

static sim_page_cache *page_cache(sim *s, sim_element processor, sim_element memory)
{
    for (sim_page_cache *c = s->page_caches; c != NULL; c = c->next)
        if (same(c->processor, processor) && same(c->memory, memory))
            return c;
    const machine_memory *cache = cache_of(s->machine, processor, memory);
    sim_page_cache *c = ARENA_NEW(s->arena, sim_page_cache);
    *c = (sim_page_cache){.processor = processor,
                          .memory = memory,
                          .size = cache != NULL ? cache->size : 0,
                          .line = cache != NULL ? cache->line : 1,
                          .next = s->page_caches};
    c->last = &c->first;
    return s->page_caches = c;
}

// ---- What comes and goes ----

static void add(sim *s, zeroes_list *to, uint64_t begin, uint64_t end, bool lost)
{
    zeroes *last = to->len != 0 ? &VEC_LAST(to) : NULL;
    if (begin >= end)
        return;
    if (last != NULL && last->lost == lost && last->end == begin)
        last->end = end;
    else
        VEC_PUSH(s->arena, to, (zeroes){begin, end, lost});
}

static void replace(sim_page_cache *c)
{
    const zeroes_list before = c->list;
    c->list = c->next_list;
    c->next_list = before;
    c->next_list.len = 0;
}

// So many of the oldest bytes leave it.
static void drop_oldest(sim *s, sim_page_cache *c, uint64_t bytes)
{
    c->held -= bytes;
    for (VEC_EACH(const zeroes, z, &c->list)) {
        const uint64_t all = z->end - z->begin, less = bytes < all ? bytes : all;
        add(s, &c->next_list, z->begin + less, z->end, z->lost);
        bytes -= less;
    }
    replace(c);
}

uint64_t sim_zeroed(sim *s, sim_element processor, sim_element memory, uint64_t address, uint64_t bytes)
{
    sim_page_cache *c = page_cache(s, processor, memory);
    const uint64_t kept = bytes < c->size ? bytes : c->size; // of more than it holds the last
    const uint64_t over = c->held + kept > c->size ? c->held + kept - c->size : 0;
    if (over != 0)
        drop_oldest(s, c, over);
    add(s, &c->list, address + bytes - kept, address + bytes, false);
    c->held += kept;
    return bytes - kept + over;
}

static uint64_t shared(const zeroes *z, uint64_t begin, uint64_t end)
{
    const uint64_t from = z->begin > begin ? z->begin : begin, to = z->end < end ? z->end : end;
    return from < to ? to - from : 0;
}

static bool holds(const sim_page_cache *c, uint64_t begin, uint64_t end)
{
    for (VEC_EACH(const zeroes, z, &c->list))
        if (!z->lost && shared(z, begin, end) != 0)
            return true;
    return false;
}

// The lines of these bytes leave it; gives the bytes of those that are overwritten in part.
static uint64_t overwrite(sim *s, sim_page_cache *c, uint64_t begin, uint64_t end)
{
    const uint64_t first = begin - begin % c->line, last = end + (c->line - end % c->line) % c->line;
    const uint64_t whole = begin == first ? begin : first + c->line, whole_end = end - end % c->line;
    uint64_t written = 0;
    if (!holds(c, first, last))
        return 0;
    for (VEC_EACH(const zeroes, z, &c->list)) {
        const uint64_t gone = z->lost ? 0 : shared(z, first, last);
        if (gone == 0) {
            add(s, &c->next_list, z->begin, z->end, z->lost);
            continue;
        }
        c->held -= gone;
        written += gone - (whole < whole_end ? shared(z, whole, whole_end) : 0);
        add(s, &c->next_list, z->begin, first < z->end ? first : z->end, false);
        add(s, &c->next_list, last > z->begin ? last : z->begin, z->end, false);
    }
    replace(c);
    return written;
}

void sim_overwritten(sim *s, sim_element memory, uint64_t address, uint64_t bytes)
{
    for (sim_page_cache *c = s->page_caches; c != NULL; c = c->next) {
        const uint64_t written = same(c->memory, memory) ? overwrite(s, c, address, address + bytes) : 0;
        if (written == 0)
            continue;
        sim_transfer t = {.engine = SIM_NONE, .link = SIM_ROUTED, .bytes = written, .label = "pages"};
        t.from.element = c->processor;
        t.to.element = c->memory;
        sim_start(s, &t);
    }
}

// ---- Pages that engines ask for ----

static void remove_absent(sim *s, sim_page_cache *c, uint64_t begin, uint64_t end)
{
    const zeroes_list before = c->absent;
    c->absent = c->next_list;
    for (VEC_EACH(const zeroes, z, &before)) {
        const bool some = shared(z, begin, end) != 0;
        add(s, &c->absent, z->begin, some && begin < z->end ? begin : z->end, false);
        add(s, &c->absent, some && end > z->begin ? end : z->end, z->end, false);
    }
    c->next_list = before;
    c->next_list.len = 0;
}

void sim_new_pages(sim *s, sim_element processor, sim_element memory, uint64_t address, uint64_t bytes)
{
    add(s, &page_cache(s, processor, memory)->absent, address, address + bytes, false);
}

static uint64_t page_of(const sim *s, const sim_page_cache *c)
{
    return s->machine->processors.data[c->processor.index].page;
}

// The first page of those that a transfer writes that is not there.
static bool find_absent(const sim *s, const sim_page_cache *c, const sim_transfer *t, uint64_t *page)
{
    const uint64_t begin = t->to.address, end = begin + (t->to.span != 0 ? t->to.span : t->bytes);
    for (VEC_EACH(const zeroes, z, &c->absent)) {
        if (shared(z, begin, end) == 0)
            continue;
        const uint64_t within = begin > z->begin ? begin - z->begin : 0;
        *page = z->begin + within - within % page_of(s, c);
        return true;
    }
    return false;
}

static void serve(sim *s, sim_page_cache *c);

// Who wants more pages waits again, in the same order.
static void go_on(sim *s, sim_page_cache *c)
{
    page_wait *waits = c->first;
    c->first = NULL;
    c->last = &c->first;
    for (page_wait *w = waits, *next; w != NULL; w = next) {
        next = w->next;
        const sim_transfer t = w->t;
        w->next = c->free_waits;
        c->free_waits = w;
        sim_start(s, &t);
    }
    serve(s, c);
}

static void page_is_there(sim *s, void *context)
{
    sim_page_cache *c = context;
    c->serving = false;
    remove_absent(s, c, c->served, c->served + page_of(s, c));
    go_on(s, c);
}

static void page_is_mapped(sim *s, void *context)
{
    sim_page_cache *c = context;
    sim_transfer t = {.engine = SIM_NONE, .link = SIM_ROUTED, .label = "pages", .arrived = page_is_there, .context = c};
    t.from.element = c->processor;
    t.to.element = c->memory;
    t.bytes = sim_zeroed(s, c->processor, c->memory, c->served, page_of(s, c));
    sim_start(s, &t);
}

static void serve(sim *s, sim_page_cache *c)
{
    if (c->serving || c->first == NULL || !find_absent(s, c, &c->first->t, &c->served))
        return;
    const machine_processor *p = &s->machine->processors.data[c->processor.index];
    const double store = machine_can_run(p, MACHINE_OP_STORE) ? machine_operation_seconds(p, MACHINE_OP_STORE) : 0;
    const sim_time stores = sim_from_seconds(store * (double)sim_vector_operations(p, page_of(s, c)));
    const sim_time map = sim_cost_page_map(s, c->processor.index), fault = sim_cost_page_fault(s, c->processor.index);
    c->serving = true;
    sim_at(s, sim_add(s->now, sim_add(fault, sim_add(map, stores))), page_is_mapped, c);
}

bool sim_waits_for_pages(sim *s, const sim_transfer *t)
{
    for (sim_page_cache *c = s->page_caches; c != NULL && t->to.address != 0; c = c->next) {
        uint64_t page;
        if (!same(c->memory, t->to.element) || !find_absent(s, c, t, &page))
            continue;
        page_wait *w = c->free_waits;
        if (w != NULL)
            c->free_waits = w->next;
        else
            w = ARENA_NEW(s->arena, page_wait);
        *w = (page_wait){.t = *t};
        *c->last = w;
        c->last = &w->next;
        serve(s, c);
        return true;
    }
    return false;
}

void sim_unmapped(sim *s, uint64_t address, uint64_t bytes)
{
    const uint64_t begin = address, end = address + bytes;
    for (sim_page_cache *c = s->page_caches; c != NULL; c = c->next) {
        remove_absent(s, c, begin, end);
        if (!c->serving)
            go_on(s, c);
        if (!holds(c, begin, end))
            continue;
        for (VEC_EACH(const zeroes, z, &c->list)) {
            const bool some = shared(z, begin, end) != 0;
            add(s, &c->next_list, z->begin, some && begin > z->begin ? begin : some ? z->begin : z->end, z->lost);
            if (some)
                add(s, &c->next_list, z->begin > begin ? z->begin : begin, z->end < end ? z->end : end, true);
            add(s, &c->next_list, some && end < z->end ? end : z->end, z->end, z->lost);
        }
        replace(c);
    }
}
