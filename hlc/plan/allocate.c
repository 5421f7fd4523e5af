// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Addresses by lifetime. Finding the smallest area is a hard problem; what works is to place the objects one by one,
// each where it fits among those that are placed and live at the same time, in several orders, and to take the best.
// From the best order, more are made by taking the objects that reach highest to the front.
//
// NOTE(steps). Looking at one neighbour is a step. After as many as `budget` allows no further order is tried, and
// what is left of the first one is put on top of everything, so that very many objects take no longer than a second or
// so; the answer never depends on a clock.
#include "hlc/plan/allocate.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "hlc/plan/thresholds.h"

// An interval of addresses that a neighbour takes.
typedef struct taken {
    uint64_t from, to;
} taken;

typedef struct allocator {
    plan_object *objects;
    size_t count;
    uint32_t *by_first; // objects in order of their first stage
    uint32_t *rank;     // an object's position in by_first
    uint32_t *firsts;   // in the same order, their first stages
    uint32_t *stages;   // the distinct first and last stages, sorted
    size_t stage_count;
    // Who is placed: marks by rank, and a segment tree over stages, in whose nodes there are lists of those that live
    // throughout the node.
    uint64_t *placed;
    uint32_t *lists; // by node: index into links, 0: empty
    uint32_t *links; // pairs: object, next
    size_t link_count;
    taken *neighbours;
    uint32_t *by_address; // those that are placed, in order of address
    size_t placed_count;
    uint64_t *address, *best_address;
    uint64_t best, bound;
    int64_t budget;
    uint32_t *order;
} allocator;

// ---- Orders ----

typedef struct key {
    double major, minor;
    uint32_t object;
} key;

static int compare_keys(const void *x, const void *y)
{
    const key *a = x, *b = y;
    if (a->major != b->major)
        return a->major < b->major ? -1 : 1;
    if (a->minor != b->minor)
        return a->minor < b->minor ? -1 : 1;
    return a->object < b->object ? -1 : a->object > b->object;
}

typedef enum order_kind { BY_FIRST, BY_SIZE, BY_AREA, BY_LIFETIME, BY_FIRST_AND_SIZE, BY_LAST, ORDER_KINDS } order_kind;

static void sort_objects(const allocator *l, order_kind kind, key *keys, uint32_t *order)
{
    for (uint32_t i = 0; i < l->count; i++) {
        const plan_object *o = &l->objects[i];
        double size = (double)o->bytes, life = (double)o->last - (double)o->first + 1;
        key k = {0, 0, i};
        switch (kind) {
        case BY_FIRST: k.major = o->first; break;
        case BY_SIZE: k.major = -size, k.minor = -life; break;
        case BY_AREA: k.major = -size * life, k.minor = -size; break;
        case BY_LIFETIME: k.major = -life, k.minor = -size; break;
        case BY_FIRST_AND_SIZE: k.major = o->first, k.minor = -size; break;
        case BY_LAST: k.major = -(double)o->last, k.minor = -size; break;
        case ORDER_KINDS: break;
        }
        keys[i] = k;
    }
    qsort(keys, l->count, sizeof *keys, compare_keys);
    for (size_t i = 0; i < l->count; i++)
        order[i] = keys[i].object;
}

// ---- Who lives at the same time ----

// How many of the sorted numbers are less.
static size_t count_less(const uint32_t *sorted, size_t count, uint64_t than)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sorted[middle] < than)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static size_t stage_index(const allocator *l, uint32_t stage)
{
    return count_less(l->stages, l->stage_count, stage);
}

// The nodes of the tree are those of a heap over stage_count leaves.
static void add_to_node(allocator *l, size_t node, uint32_t object)
{
    size_t at = l->link_count;
    l->links[at] = object;
    l->links[at + 1] = l->lists[node];
    l->lists[node] = (uint32_t)at;
    l->link_count += 2;
}

static void mark_placed(allocator *l, uint32_t object)
{
    size_t low = 0, high = l->placed_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (l->address[l->by_address[middle]] <= l->address[object])
            low = middle + 1;
        else
            high = middle;
    }
    memmove(l->by_address + low + 1, l->by_address + low, (l->placed_count++ - low) * sizeof *l->by_address);
    l->by_address[low] = object;
    uint32_t rank = l->rank[object];
    l->placed[rank / 64] |= UINT64_C(1) << rank % 64;
    size_t from = stage_index(l, l->objects[object].first) + l->stage_count;
    size_t to = stage_index(l, l->objects[object].last) + 1 + l->stage_count;
    for (; from < to; from /= 2, to /= 2) {
        if (from % 2 == 1)
            add_to_node(l, from++, object);
        if (to % 2 == 1)
            add_to_node(l, --to, object);
    }
}

static void add_neighbour(allocator *l, size_t *found, uint32_t object)
{
    uint64_t from = l->address[object];
    l->neighbours[(*found)++] = (taken){from, from + l->objects[object].bytes};
}

// Adds the placed objects that begin in a later stage than the first of o and no later than in its last.
static bool add_beginning(allocator *l, const plan_object *o, size_t most, size_t *found)
{
    size_t from = count_less(l->firsts, l->count, (uint64_t)o->first + 1),
           to = count_less(l->firsts, l->count, (uint64_t)o->last + 1);
    for (size_t word = from / 64; word * 64 < to; word++) {
        uint64_t marks = l->placed[word];
        if (word == from / 64)
            marks &= ~UINT64_C(0) << from % 64;
        for (; marks != 0; marks &= marks - 1) {
            size_t rank = word * 64 + (size_t)__builtin_ctzll(marks);
            if (rank >= to)
                break;
            if (*found == most)
                return false;
            add_neighbour(l, found, l->by_first[rank]);
        }
        l->budget--;
    }
    return true;
}

// And those that live in its first stage. False when there are more than `most` together.
static bool add_few(allocator *l, const plan_object *o, size_t most, size_t *found)
{
    for (size_t node = stage_index(l, o->first) + l->stage_count; node >= 1; node /= 2)
        for (uint32_t at = l->lists[node]; at != 0; at = l->links[at + 1]) {
            if (*found == most)
                return false;
            add_neighbour(l, found, l->links[at]);
        }
    return add_beginning(l, o, most, found);
}

static int compare_taken(const void *x, const void *y)
{
    const taken *a = x, *b = y;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return a->to < b->to ? -1 : a->to > b->to;
}

// Placed objects that share a stage with o, in order of address: a few are found by their stages and sorted, many by
// going through all.
static size_t find_neighbours(allocator *l, const plan_object *o)
{
    size_t found = 0;
    if (add_few(l, o, 16 + l->placed_count / 16, &found)) {
        qsort(l->neighbours, found, sizeof *l->neighbours, compare_taken);
        l->budget -= (int64_t)(found * 8) + 20;
        return found;
    }
    found = 0;
    for (size_t i = 0; i < l->placed_count; i++) {
        const plan_object *other = &l->objects[l->by_address[i]];
        if (other->first <= o->last && o->first <= other->last)
            add_neighbour(l, &found, l->by_address[i]);
    }
    l->budget -= (int64_t)l->placed_count;
    return found;
}

static uint64_t align_up(uint64_t address, uint64_t alignment)
{
    return alignment <= 1 ? address : (address + alignment - 1) / alignment * alignment;
}

// The lowest address at which o fits, or that in the narrowest gap in which it does.
static uint64_t find_place(allocator *l, const plan_object *o, bool narrowest)
{
    size_t found = find_neighbours(l, o);
    uint64_t end = 0, best = UINT64_MAX, narrow = UINT64_MAX;
    for (size_t i = 0; i < found; i++) {
        uint64_t at = align_up(end, o->alignment), gap = l->neighbours[i].from;
        if (at <= gap && gap - at >= o->bytes && (best == UINT64_MAX || (narrowest && gap - at < narrow))) {
            best = at;
            narrow = gap - at;
            if (!narrowest)
                break;
        }
        end = l->neighbours[i].to > end ? l->neighbours[i].to : end;
    }
    return best != UINT64_MAX ? best : align_up(end, o->alignment);
}

// ---- Trying ----

// Places all objects in the order; keeps the answer if it is the best so far. Gives the bytes of the area; UINT64_MAX
// when it has become clear that it is not the best.
static uint64_t try_order(allocator *l, const uint32_t *order, bool narrowest)
{
    memset(l->placed, 0, (l->count / 64 + 1) * sizeof *l->placed);
    memset(l->lists, 0, 2 * (l->stage_count + 1) * sizeof *l->lists);
    l->link_count = 2; // 0 ends a list
    l->placed_count = 0;
    uint64_t bytes = 0;
    for (size_t i = 0; i < l->count; i++) {
        const plan_object *o = &l->objects[order[i]];
        if (l->budget < 0 && l->best != UINT64_MAX)
            return UINT64_MAX;
        l->address[order[i]] = l->budget < 0 ? align_up(bytes, o->alignment) : find_place(l, o, narrowest);
        uint64_t end = l->address[order[i]] + o->bytes;
        bytes = end > bytes ? end : bytes;
        if (bytes >= l->best)
            return UINT64_MAX;
        if (l->budget >= 0)
            mark_placed(l, order[i]);
    }
    l->best = bytes;
    memcpy(l->best_address, l->address, l->count * sizeof *l->address);
    return bytes;
}

// Moves the objects that reach to the top of the best answer, with what lies right below them as far as `depth`, to the
// front of the order. Gives how many.
static size_t raise_highest(const allocator *l, uint64_t depth, const uint32_t *order, uint32_t *raised)
{
    size_t front = 0, back = 0;
    for (size_t i = 0; i < l->count; i++)
        front += l->best_address[order[i]] + l->objects[order[i]].bytes + depth >= l->best;
    back = front;
    size_t moved = front;
    front = 0;
    for (size_t i = 0; i < l->count; i++) {
        bool high = l->best_address[order[i]] + l->objects[order[i]].bytes + depth >= l->best;
        raised[high ? front++ : back++] = order[i];
    }
    return moved;
}

static bool is_done(const allocator *l)
{
    return l->best <= l->bound || l->budget < 0;
}

static void search(arena *a, allocator *l)
{
    key *keys = ARENA_ARRAY(a, key, l->count);
    uint32_t *best_order = ARENA_ARRAY(a, uint32_t, l->count), *order = ARENA_ARRAY(a, uint32_t, l->count);
    bool best_narrowest = false;
    l->best = UINT64_MAX;
    for (order_kind kind = 0; kind < ORDER_KINDS; kind++)
        for (int narrowest = 0; narrowest < 2; narrowest++) {
            if (kind > 0 && is_done(l))
                return;
            sort_objects(l, kind, keys, order);
            if (try_order(l, order, narrowest != 0) == UINT64_MAX)
                continue;
            memcpy(best_order, order, l->count * sizeof *order);
            best_narrowest = narrowest != 0;
        }
    uint64_t depth = 0;
    for (int tries = 0; tries < ALLOCATE_TRIES && !is_done(l); tries++) {
        if (raise_highest(l, depth, best_order, order) == l->count)
            return;
        bool better = try_order(l, order, best_narrowest) != UINT64_MAX;
        // Also when it is no better, so that the next try is another one.
        uint32_t *other = best_order;
        best_order = order;
        order = other;
        depth = better ? 0 : depth + l->bound / 32 + 1;
        if (depth > l->bound / 2)
            depth = 0;
    }
}

// ---- Preparing ----

static int compare_stages(const void *x, const void *y)
{
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    return a < b ? -1 : a > b;
}

static void find_stages(arena *a, allocator *l)
{
    uint32_t *all = ARENA_ARRAY(a, uint32_t, 2 * l->count);
    for (size_t i = 0; i < l->count; i++) {
        all[2 * i] = l->objects[i].first;
        all[2 * i + 1] = l->objects[i].last;
    }
    qsort(all, 2 * l->count, sizeof *all, compare_stages);
    for (size_t i = 0; i < 2 * l->count; i++)
        if (i == 0 || all[i] != all[i - 1])
            all[l->stage_count++] = all[i];
    l->stages = all;
}

// The most bytes that live at a time.
static uint64_t greatest_live(arena *a, const allocator *l)
{
    // By stage: bytes that begin there, and bytes that have ended before it.
    uint64_t *begin = ARENA_ARRAY(a, uint64_t, l->stage_count + 1), *end = ARENA_ARRAY(a, uint64_t, l->stage_count + 1);
    for (size_t i = 0; i < l->count; i++) {
        begin[stage_index(l, l->objects[i].first)] += l->objects[i].bytes;
        end[stage_index(l, l->objects[i].last) + 1] += l->objects[i].bytes;
    }
    uint64_t live = 0, most = 0;
    for (size_t i = 0; i < l->stage_count; i++) {
        live = live - end[i] + begin[i];
        most = live > most ? live : most;
    }
    return most;
}

static size_t tree_height(size_t leaves)
{
    size_t height = 1;
    for (; leaves > 0; leaves /= 2)
        height++;
    return height;
}

plan_allocation plan_allocate(plan_object *objects, size_t count)
{
    plan_allocation result = {0};
    if (count == 0)
        return result;
    arena *a = arena_create();
    allocator l = {.objects = objects, .count = count, .budget = ALLOCATE_STEPS};
    find_stages(a, &l);
    l.bound = result.bound = greatest_live(a, &l);
    l.rank = ARENA_ARRAY(a, uint32_t, count);
    l.by_first = ARENA_ARRAY(a, uint32_t, count);
    sort_objects(&l, BY_FIRST, ARENA_ARRAY(a, key, count), l.by_first);
    l.firsts = ARENA_ARRAY(a, uint32_t, count);
    for (uint32_t i = 0; i < count; i++) {
        l.rank[l.by_first[i]] = i;
        l.firsts[i] = objects[l.by_first[i]].first;
    }
    l.placed = ARENA_ARRAY(a, uint64_t, count / 64 + 1);
    l.lists = ARENA_ARRAY(a, uint32_t, 2 * (l.stage_count + 1));
    l.links = ARENA_ARRAY(a, uint32_t, 2 + count * 4 * tree_height(l.stage_count));
    l.neighbours = ARENA_ARRAY(a, taken, count);
    l.by_address = ARENA_ARRAY(a, uint32_t, count + 1);
    l.address = ARENA_ARRAY(a, uint64_t, count);
    l.best_address = ARENA_ARRAY(a, uint64_t, count);
    search(a, &l);
    for (size_t i = 0; i < count; i++)
        objects[i].address = l.best_address[i];
    result.bytes = l.best;
    arena_destroy(a);
    return result;
}
