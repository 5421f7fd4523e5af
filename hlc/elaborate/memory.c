// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Storage of variables, taken and given back in stack order. Chunks stay where they are, so addresses hold.
#include <inttypes.h>
#include <stdalign.h>
#include <string.h>

#include "hlc/elaborate/elab.h"

enum { CHUNK_BYTES = 256 << 10, ALIGNMENT = alignof(max_align_t) };

struct elab_chunk {
    elab_chunk *next;
    size_t used, cap;
    size_t dirty; // bytes from here on were never handed out: they are zero
    alignas(max_align_t) char bytes[];
};

elab_mark elab_mark_here(const elab *x)
{
    return (elab_mark){.chunk = x->chunk, .used = x->chunk == NULL ? 0 : x->chunk->used, .live = x->live};
}

void elab_release(elab *x, elab_mark mark)
{
    x->live = mark.live;
    if (mark.chunk == NULL) // before the first chunk: that one stays
        return;
    x->chunk = mark.chunk;
    x->chunk->used = mark.used;
}

void *elab_push(elab *x, size_t bytes)
{
    size_t room = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    elab_chunk *c = x->chunk;
    if (c == NULL || c->cap - c->used < room) {
        elab_chunk *next = c == NULL ? NULL : c->next;
        if (next == NULL || next->cap < room) {
            size_t cap = room > CHUNK_BYTES ? room : CHUNK_BYTES;
            elab_chunk *fresh = arena_alloc(x->scratch, sizeof *fresh + cap);
            fresh->cap = cap;
            fresh->next = next;
            if (c != NULL)
                c->next = fresh;
            next = fresh;
        }
        next->used = 0;
        x->chunk = c = next;
    }
    char *p = c->bytes + c->used;
    if (c->used < c->dirty) {
        size_t old = c->dirty - c->used;
        memset(p, 0, old < room ? old : room);
    }
    c->used += room;
    if (c->dirty < c->used)
        c->dirty = c->used;
    return p;
}

sir_scalar *elab_push_scalars(elab *x, uint64_t count, src_range where)
{
    if (!elab_step(x, count / ELAB_SCALARS_PER_STEP, where))
        return NULL;
    if (count > ELAB_MAX_LIVE_SCALARS - x->live) {
        elab_error(x, where,
                   "the variables in use need more than %" PRIu64
                   " scalars while the graph is built; use smaller arrays",
                   ELAB_MAX_LIVE_SCALARS);
        return NULL;
    }
    x->live += count;
    return elab_push(x, (size_t)count * sizeof(sir_scalar));
}

bool elab_slot_set(elab *x, elab_slot *slot, const sir_type *t, src_range where)
{
    slot->type = t;
    if (t->kind < SIR_STRUCT) {
        slot->data = &slot->scalar;
        memset(&slot->scalar, 0, sizeof slot->scalar);
        return true;
    }
    if (slot->cap >= t->words && slot->cap > 0) {
        if (!elab_step(x, t->words / ELAB_SCALARS_PER_STEP, where))
            return false;
        memset(slot->data, 0, (size_t)t->words * sizeof *slot->data);
        return true;
    }
    // In a loop whose arrays grow, the old storages add up to no more than the last.
    uint64_t cap = slot->cap > 0 && slot->cap <= t->words && t->words < 2 * slot->cap ? 2 * slot->cap : t->words;
    slot->data = elab_push_scalars(x, cap, where);
    slot->cap = slot->data == NULL ? 0 : cap;
    return slot->data != NULL;
}
