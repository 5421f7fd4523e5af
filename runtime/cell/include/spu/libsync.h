// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What programs use of the vendor's libsync: words in memory that PPE and SPEs count with and lock by, at their effective
// addresses, which are multiples of 4. An SPE changes them by its atomic line commands.
#ifndef LIBSYNC_H
#define LIBSYNC_H

#include <spu_mfcio.h>

typedef unsigned long long eaddr_t;
typedef eaddr_t atomic_ea_t, mutex_ea_t, cond_ea_t, completion_ea_t;

#define SVM_SYNC static __inline__ __attribute__((__unused__))
#define svm_syncRest() ((void)0)

// What becomes of a word that is `old`: old * keep + add; where `asks`, only if it is `expected`. Gives what it was.
SVM_SYNC int svm_syncChange(eaddr_t ea, int keep, int add, int asks, int expected)
{
    volatile int line[32] __attribute__((__aligned__(128)));
    const unsigned int word = (unsigned int)ea % 128 / sizeof *line;
    for (;;) {
        mfc_getllar(line, ea & ~127ull, 0, 0);
        mfc_read_atomic_status();
        const int old = line[word];
        if (asks && old != expected)
            return old;
        line[word] = (int)((unsigned int)old * (unsigned int)keep + (unsigned int)add);
        mfc_putllc(line, ea & ~127ull, 0, 0);
        if (!(mfc_read_atomic_status() & MFC_PUTLLC_STATUS))
            return old;
    }
}
SVM_SYNC int svm_syncSwap(eaddr_t ea, int expected, int value)
{
    return svm_syncChange(ea, 0, value, 1, expected);
}
SVM_SYNC int atomic_read(atomic_ea_t v)
{
    volatile int line[32] __attribute__((__aligned__(128)));
    mfc_getllar(line, v & ~127ull, 0, 0);
    mfc_read_atomic_status();
    return line[(unsigned int)v % 128 / sizeof *line];
}

#include "../both/sync_words.h"

#endif
