// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What programs use of the vendor's libsync: words in memory that PPE and SPEs count with and lock by, at their effective
// addresses, which are multiples of 4.
#ifndef LIBSYNC_H
#define LIBSYNC_H

#include <sched.h>
#include <stdint.h>

typedef unsigned long long eaddr_t;
typedef eaddr_t atomic_ea_t, mutex_ea_t, cond_ea_t, completion_ea_t;

#define SVM_SYNC static __inline__ __attribute__((__unused__))
#define svm_syncRest() sched_yield()

// What becomes of a word that is `expected`. Gives what it was.
SVM_SYNC int svm_syncSwap(eaddr_t ea, int expected, int value)
{
    __atomic_compare_exchange_n((int *)(uintptr_t)ea, &expected, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return expected;
}
SVM_SYNC int atomic_read(atomic_ea_t v)
{
    return __atomic_load_n((int *)(uintptr_t)v, __ATOMIC_SEQ_CST);
}
// What becomes of one that is `old`: old * keep + add; where `asks`, only if it is `expected`.
SVM_SYNC int svm_syncChange(eaddr_t ea, int keep, int add, int asks, int expected)
{
    for (int old = atomic_read(ea);;) {
        if (asks && old != expected)
            return old;
        const int was = svm_syncSwap(ea, old, (int)((unsigned int)old * (unsigned int)keep + (unsigned int)add));
        if (was == old)
            return old;
        old = was;
    }
}

#include "../both/sync_words.h"

#endif
