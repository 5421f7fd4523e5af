// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What several bits do to a dynamic-rate actor with few states, of what one does.
#include <string.h>

#include "svm/dynamic.h"

void svm_stepsJoin(const svm_Step (*steps)[2], size_t states, int bits, const void *values, size_t size, size_t width,
                   uint32_t *next, uint8_t *counts, void *pushed)
{
    char *to = pushed;
    for (size_t i = 0; i < states << bits; i++, to += width * size) {
        uint32_t state = (uint32_t)(i >> bits), count = 0;
        for (int bit = bits; bit-- > 0;) {
            const svm_Step *s = &steps[state][i >> bit & 1];
            memcpy(to + count * size, (const char *)values + s->first * size, s->count * size);
            count += s->count;
            state = s->next;
        }
        next[i] = state << bits;
        counts[i] = (uint8_t)count;
    }
}
