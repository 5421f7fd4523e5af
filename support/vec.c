// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Growable vectors.
#include "support/vec.h"

#include <stdint.h>
#include <string.h>

void vec_reserve(arena *a, void *vector, size_t cap, size_t element_size)
{
    vec_any *v = vector;
    if (cap <= v->cap)
        return;
    char *data = arena_alloc_array(a, cap, element_size);
    if (v->len > 0)
        memcpy(data, v->data, v->len * element_size);
    v->data = data;
    v->cap = cap;
}
