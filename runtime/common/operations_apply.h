// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One function an operation that combines elements, apply_ADD_INT32 and the like: to[i] becomes the operation of to[i] and with[i]. Here
// and on an SPE; either may lie at any address.
#ifndef RUNTIME_COMMON_OPERATIONS_APPLY_H
#define RUNTIME_COMMON_OPERATIONS_APPLY_H

#include <stddef.h>
#include <string.h>

#include "svm/arith.h"

#define OPERATION(id, type, expression)                                                                                \
    static void apply_##id(void *to, const void *with, size_t count)                                                   \
    {                                                                                                                  \
        char *t = to;                                                                                                  \
        const char *w = with;                                                                                          \
        for (size_t i = 0; i < count; i++) {                                                                           \
            type a, b;                                                                                                 \
            memcpy(&a, t + i * sizeof a, sizeof a);                                                                    \
            memcpy(&b, w + i * sizeof b, sizeof b);                                                                    \
            a = expression;                                                                                            \
            memcpy(t + i * sizeof a, &a, sizeof a);                                                                    \
        }                                                                                                              \
    }
#include "runtime/common/operations.def"

#endif
