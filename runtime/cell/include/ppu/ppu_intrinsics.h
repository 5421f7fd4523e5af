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
#define __dcbtst(p) __builtin_prefetch((p), 1)
#define __icbi(p) ((void)(p))
#define __protected_stream_stop_all() ((void)0)
// Zeroes in the line of 128 bytes that holds the address.
#define __dcbz(p) ((void)__builtin_memset((void *)((__UINTPTR_TYPE__)(p) & ~(__UINTPTR_TYPE__)127), 0, 128))

// ---- Numbers ----

#define __cntlzw(x) ((x) ? (unsigned int)__builtin_clz((unsigned int)(x)) : 32u)
#define __cntlzd(x) ((x) ? (unsigned int)__builtin_clzll((unsigned long long)(x)) : 64u)
#define __mulhw(a, b) ((int)((long long)(int)(a) * (int)(b) >> 32))
#define __mulhwu(a, b) ((unsigned int)((unsigned long long)(unsigned int)(a) * (unsigned int)(b) >> 32))
#define __mulhd(a, b) ((long long)((__int128)(long long)(a) * (long long)(b) >> 64))
#define __mulhdu(a, b)                                                                                                 \
    ((unsigned long long)((unsigned __int128)(unsigned long long)(a) * (unsigned long long)(b) >> 64))
#define __fabs(x) __builtin_fabs(x)
#define __fabsf(x) __builtin_fabsf(x)
#define __fnabs(x) (-__builtin_fabs(x))
#define __fsqrt(x) __builtin_sqrt(x)
#define __fsqrts(x) __builtin_sqrtf(x)
#define __fmadd(a, b, c) __builtin_fma((a), (b), (c))
#define __fmadds(a, b, c) __builtin_fmaf((a), (b), (c))
#define __fmsub(a, b, c) __builtin_fma((a), (b), -(c))
#define __fmsubs(a, b, c) __builtin_fmaf((a), (b), -(c))
#define __fsel(a, b, c) ((a) >= 0.0 ? (b) : (c))
#define __fsels(a, b, c) ((a) >= 0.0f ? (b) : (c))
#define __fres(x) (1.0f / (x))
#define __frsqrte(x) (1.0 / __builtin_sqrt(x))

// ---- Reservations: a store that succeeds where the value is still what was loaded ----

static __thread unsigned long long svm_ppuReserved;
static __inline__ unsigned int __lwarx(volatile void *p)
{
    const unsigned int value = __atomic_load_n((volatile unsigned int *)p, __ATOMIC_SEQ_CST);
    svm_ppuReserved = value;
    return value;
}
static __inline__ unsigned int __stwcx(volatile void *p, unsigned int value)
{
    unsigned int was = (unsigned int)svm_ppuReserved;
    return __atomic_compare_exchange_n((volatile unsigned int *)p, &was, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}
static __inline__ unsigned long long __ldarx(volatile void *p)
{
    return svm_ppuReserved = __atomic_load_n((volatile unsigned long long *)p, __ATOMIC_SEQ_CST);
}
static __inline__ unsigned int __stdcx(volatile void *p, unsigned long long value)
{
    unsigned long long was = svm_ppuReserved;
    return __atomic_compare_exchange_n((volatile unsigned long long *)p, &was, value, 0, __ATOMIC_SEQ_CST,
                                       __ATOMIC_SEQ_CST);
}

// 79.8 million a second, as on the PlayStation 3.
static __inline__ unsigned long long __mftb(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (unsigned long long)now.tv_sec * 79800000ull + (unsigned long long)now.tv_nsec * 798ull / 10000ull;
}

#define __mftbl() ((unsigned int)__mftb())

#endif
