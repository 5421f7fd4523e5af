// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Growable vectors. Every VEC(T) has the layout of any_vec.
#include "support/vec.h"

#include <stdint.h>
#include <string.h>

typedef VEC(char) any_vec;

void vec_reserve(arena *a, void *vector, size_t cap, size_t element_size)
{
    any_vec *v = vector;
    if (cap <= v->cap)
        return;
    char *data = arena_alloc_array(a, cap, element_size);
    if (v->len > 0)
        memcpy(data, v->data, v->len * element_size);
    v->data = data;
    v->cap = cap;
}

void *vec_slot(arena *a, void *vector, size_t element_size)
{
    any_vec *v = vector;
    if (v->len == v->cap)
        vec_reserve(a, v, v->cap < 4 ? 4 : v->cap * 2, element_size);
    char *slot = v->data + v->len++ * element_size;
    memset(slot, 0, element_size); // the room may have been used before, when len was reduced
    return slot;
}
