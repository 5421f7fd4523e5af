// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What Cell programs use of the PPE's intrinsics: memory order and the time base, on the host's.
#ifndef PPU_INTRINSICS_H
#define PPU_INTRINSICS_H

#include <time.h>

#define __sync() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define __lwsync() __atomic_thread_fence(__ATOMIC_ACQ_REL)
#define __eieio() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define __isync() __atomic_thread_fence(__ATOMIC_ACQUIRE)

// The cache, and the thread's priority: the host looks after them.
#define __dcbt(p) __builtin_prefetch(p)
#define __dcbst(p) ((void)(p))
#define __dcbf(p) ((void)(p))
#define __cctpl() ((void)0)
#define __cctpm() ((void)0)
#define __cctph() ((void)0)
#define __nop() ((void)0)

// 79.8 million a second, as on the PlayStation 3.
static __inline__ unsigned long long __mftb(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (unsigned long long)now.tv_sec * 79800000ull + (unsigned long long)now.tv_nsec * 798ull / 10000ull;
}

#endif
