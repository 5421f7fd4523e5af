// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks that a kernel can have found whose function could not be followed to its end: through its structure, what lies
// in one object with that, and what these point to, and so on. The contract lets kernels use no others.
#include <string.h>

#include "llc/check/play.h"

// Larger objects hold data, not pointers.
enum { MOST_BYTES = 1 << 20 };

typedef struct reach {
    play *play;
    bool *seen;
    VEC(uint32_t) open;
    view_ids *views;
} reach;

static void see(reach *x, uint32_t id)
{
    if (x->seen[id])
        return;
    x->seen[id] = true;
    const object *o = &x->play->objects.data[id];
    if (o->kind == OBJECT_VIEW)
        VEC_PUSH(x->play->arena, x->views, id);
    else if (o->kind == OBJECT_BYTES && o->size <= MOST_BYTES)
        VEC_PUSH(x->play->arena, &x->open, id);
}

static void look_at(reach *x, uint32_t id)
{
    const object *o = &x->play->objects.data[id];
    for (int64_t at = 0; at + 8 <= o->size; at += 8) {
        uint32_t block = order_view_at(x->play, pointer_to(id, at));
        if (block != 0)
            see(x, block);
        static const uint8_t all_known[8] = {0};
        int64_t word, offset;
        if (memcmp(o->unknown + at, all_known, 8) != 0)
            continue;
        memcpy(&word, o->bytes + at, 8);
        const object *to = pointed(x->play, word, &offset);
        if (to != NULL)
            see(x, (uint32_t)(to - x->play->objects.data));
    }
}

void reach_views(play *p, int64_t kernel, view_ids *views)
{
    reach x = {.play = p, .seen = ARENA_ARRAY(p->arena, bool, p->objects.len + 1), .views = views};
    memset(x.seen, 0, p->objects.len + 1);
    int64_t offset;
    const object *own = pointed(p, kernel, &offset);
    if (own != NULL)
        see(&x, (uint32_t)(own - p->objects.data));
    for (size_t i = 0; i < x.open.len; i++)
        look_at(&x, x.open.data[i]);
}
