// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Growable vectors in an arena. VEC(T) declares one; a zeroed one is empty. Elements move when it grows, so keep
// indices, not pointers, across pushes. Old storage stays in the arena until the arena goes (growth doubles, so at
// most twice the final size is spent).
#ifndef SVMC_SUPPORT_VEC_H
#define SVMC_SUPPORT_VEC_H

#include <string.h>

#include "support/arena.h"

#define VEC(T)                                                                                                         \
    struct {                                                                                                           \
        T *data;                                                                                                       \
        size_t len, cap;                                                                                               \
    }

// Appends the value; v is a pointer to a VEC and is evaluated once.
#define VEC_PUSH(a, v, ...) (*(__typeof__((v)->data))vec_slot((a), (v), sizeof *(v)->data) = (__VA_ARGS__))
// Appends a zeroed element and gives its address.
#define VEC_ADD(a, v) ((__typeof__((v)->data))vec_slot((a), (v), sizeof *(v)->data))
#define VEC_LAST(v) ((v)->data[(v)->len - 1])
// for (VEC_EACH(int, it, &numbers)): v is evaluated more than once and must have no side effects.
#define VEC_EACH(T, it, v)                                                                                             \
    __typeof__(T) *it = (v)->data, *it##_end = (v)->data + (v)->len;                                                   \
    it < it##_end;                                                                                                     \
    it++

// Grows to at least cap elements without changing len. vector points to any VEC.
void vec_reserve(arena *a, void *vector, size_t cap, size_t element_size);

typedef VEC(char) vec_any; // the layout of every VEC

// Makes room for one more element, zeroes it, counts it and gives its address.
static inline void *vec_slot(arena *a, void *vector, size_t element_size)
{
    vec_any *v = vector;
    if (v->len == v->cap)
        vec_reserve(a, v, v->cap < 4 ? 4 : v->cap * 2, element_size);
    char *slot = v->data + v->len++ * element_size;
    memset(slot, 0, element_size); // the room may have been used before, when len was reduced
    return slot;
}

#endif
