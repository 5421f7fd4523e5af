// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Units of a graph, and one topological order of them: among those that are ready the least first.
#include <string.h>

#include "hlc/schedule/schedule.h"

typedef struct heap {
    uint32_t *data;
    size_t len;
} heap;

static void swap(uint32_t *a, uint32_t *b)
{
    uint32_t t = *a;
    *a = *b;
    *b = t;
}

static void heap_push(heap *h, uint32_t value)
{
    h->data[h->len++] = value;
    for (size_t i = h->len - 1; i > 0 && h->data[(i - 1) / 2] > h->data[i]; i = (i - 1) / 2)
        swap(&h->data[i], &h->data[(i - 1) / 2]);
}

static uint32_t heap_pop(heap *h)
{
    uint32_t least = h->data[0];
    h->data[0] = h->data[--h->len];
    for (size_t i = 0, child = 1; child < h->len; i = child, child = 2 * i + 1) {
        child += child + 1 < h->len && h->data[child + 1] < h->data[child];
        if (h->data[i] <= h->data[child])
            break;
        swap(&h->data[i], &h->data[child]);
    }
    return least;
}

static void find_order(arena *a, const sir_module *m, sched_units *u)
{
    size_t n = m->actors.len;
    uint32_t *waiting = ARENA_ARRAY(a, uint32_t, n + 1); // per unit: channels from units not done
    heap ready = {ARENA_ARRAY(a, uint32_t, n + 1), 0};
    for (VEC_EACH(const sir_channel, c, &m->channels))
        waiting[u->of[c->consumer]] += u->of[c->producer] != u->of[c->consumer];
    for (uint32_t i = 0; i < n; i++)
        if (u->of[i] == i && waiting[i] == 0)
            heap_push(&ready, i);
    while (ready.len != 0) {
        uint32_t unit = heap_pop(&ready);
        u->order[u->count++] = unit;
        for (uint32_t k = u->start[unit]; k < u->start[unit + 1]; k++)
            for (VEC_EACH(uint32_t, c, &m->actors.data[u->members[k]]->outputs)) {
                uint32_t to = *c == SIR_NONE ? unit : u->of[m->channels.data[*c].consumer];
                if (to != unit && --waiting[to] == 0)
                    heap_push(&ready, to);
            }
    }
}

sched_units sched_units_of(arena *a, const sir_module *m, const schedule *s)
{
    size_t n = m->actors.len;
    sched_units u = {.of = ARENA_ARRAY(a, uint32_t, n + 1),
                     .order = ARENA_ARRAY(a, uint32_t, n + 1),
                     .start = ARENA_ARRAY(a, uint32_t, n + 2),
                     .members = ARENA_ARRAY(a, uint32_t, n + 1)};
    uint32_t *first = ARENA_ARRAY(a, uint32_t, (size_t)s->cycle_count + 1);
    uint32_t *filled = ARENA_ARRAY(a, uint32_t, n + 1);
    memset(first, 0xff, ((size_t)s->cycle_count + 1) * sizeof *first);
    for (uint32_t i = 0; i < n; i++) {
        int32_t cycle = s->cycle[i];
        if (cycle >= 0 && first[cycle] == SIR_NONE)
            first[cycle] = i;
        u.of[i] = cycle >= 0 ? first[cycle] : i;
        u.start[u.of[i] + 1]++;
    }
    for (size_t i = 0; i < n; i++)
        u.start[i + 1] += u.start[i];
    for (uint32_t i = 0; i < n; i++)
        u.members[u.start[u.of[i]] + filled[u.of[i]]++] = i;
    find_order(a, m, &u);
    return u;
}
