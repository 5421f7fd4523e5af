// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vector types, intrinsics and channels of the SPU, on clang's vectors. Element i of a vector is the one at the i-th
// place in memory, as on the machine; the bytes of an element are in the host's order.
#ifndef SPU_INTRINSICS_H
#define SPU_INTRINSICS_H

#ifndef __SPU__
#error "spu_intrinsics.h is for SPE programs: compile with svm-spu-gcc"
#endif
#ifndef __vector
#define __vector __attribute__((__vector_size__(16)))
#endif
#if !defined(vector) && !defined(SVM_NO_VECTOR_KEYWORD)
#define vector __vector
#endif

typedef __vector unsigned char vec_uchar16;
typedef __vector signed char vec_char16;
typedef __vector unsigned short vec_ushort8;
typedef __vector signed short vec_short8;
typedef __vector unsigned int vec_uint4;
typedef __vector signed int vec_int4;
typedef __vector unsigned long long vec_ullong2;
typedef __vector signed long long vec_llong2;
typedef __vector float vec_float4;
typedef __vector double vec_double2;
typedef vec_char16 qword;

// ---- Channels ----

#define SPU_RdEventStat 0
#define SPU_WrEventMask 1
#define SPU_WrEventAck 2
#define SPU_RdSigNotify1 3
#define SPU_RdSigNotify2 4
#define SPU_WrDec 7
#define SPU_RdDec 8
#define MFC_WrMSSyncReq 9
#define SPU_RdEventMask 11
#define MFC_RdTagMask 12
#define SPU_RdMachStat 13
#define SPU_WrSRR0 14
#define SPU_RdSRR0 15
#define MFC_LSA 16
#define MFC_EAH 17
#define MFC_EAL 18
#define MFC_Size 19
#define MFC_TagID 20
#define MFC_Cmd 21
#define MFC_WrTagMask 22
#define MFC_WrTagUpdate 23
#define MFC_RdTagStat 24
#define MFC_RdListStallStat 25
#define MFC_WrListStallAck 26
#define MFC_RdAtomicStat 27
#define SPU_WrOutMbox 28
#define SPU_RdInMbox 29
#define SPU_WrOutIntrMbox 30

#ifdef __cplusplus
extern "C" {
#endif
#define SVM_SPU_IMPORT(name) __attribute__((import_module("spu"), import_name(name)))
extern unsigned int __svm_rdch(unsigned int) SVM_SPU_IMPORT("rdch");
extern void __svm_wrch(unsigned int, unsigned int) SVM_SPU_IMPORT("wrch");
extern unsigned int __svm_rchcnt(unsigned int) SVM_SPU_IMPORT("rchcnt");
extern void __svm_mfc(unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int)
    SVM_SPU_IMPORT("mfc");
extern void __svm_stop(unsigned int) SVM_SPU_IMPORT("stop");
extern void __svm_halt(void) SVM_SPU_IMPORT("halt");
#ifdef __cplusplus
}
#endif

#define spu_readch(channel) __svm_rdch(channel)
#define spu_writech(channel, value) __svm_wrch((channel), (unsigned int)(value))
#define spu_readchcnt(channel) __svm_rchcnt(channel)
#define spu_mfcdma32(ls, ea, size, tag, command)                                                                       \
    __svm_mfc((unsigned int)(ls), 0, (unsigned int)(ea), (unsigned int)(size), (unsigned int)(tag),                    \
              (unsigned int)(command))
#define spu_mfcdma64(ls, eah, eal, size, tag, command)                                                                 \
    __svm_mfc((unsigned int)(ls), (unsigned int)(eah), (unsigned int)(eal), (unsigned int)(size), (unsigned int)(tag), \
              (unsigned int)(command))
// Asks for the tags of the mask (0 at once, 1 any, 2 all) and reads what is complete.
#define spu_mfcstat(kind) (__svm_wrch(MFC_WrTagUpdate, (unsigned int)(kind)), __svm_rdch(MFC_RdTagStat))
#define spu_stop(code) __svm_stop(code)
#define spu_hcmpeq(a, b) ((a) == (b) ? __svm_halt() : (void)0)
#define spu_hcmpgt(a, b) ((a) > (b) ? __svm_halt() : (void)0)
#define spu_sync() __asm__ volatile("" ::: "memory")
#define spu_sync_c() __asm__ volatile("" ::: "memory")
#define spu_dsync() __asm__ volatile("" ::: "memory")
// What only the machine's pipeline and its special registers know of.
#define spu_mfspr(reg) 0u
#define spu_mtspr(reg, value) ((void)(value))
#define __align_hint(pointer, base, offset) ((void)0)
#define _align_hint(pointer, base, offset) ((void)0)
#define spu_ienable() ((void)0)
#define spu_idisable() ((void)0)

// ---- Intrinsics ----

// No lines of their own: what they do is reported at the line that uses them.
#ifdef __cplusplus
#define SVM_SPU static __inline__ __attribute__((__always_inline__, __nodebug__, __unused__))
#else
#define SVM_SPU static __inline__ __attribute__((__always_inline__, __nodebug__, __overloadable__, __unused__))
#endif

// (vector, element, the unsigned vector that comparisons give and selections take)
#define SVM_SPU_BYTES(M) M(vec_uchar16, unsigned char, vec_uchar16) M(vec_char16, signed char, vec_uchar16)
#define SVM_SPU_HALVES(M) M(vec_ushort8, unsigned short, vec_ushort8) M(vec_short8, signed short, vec_ushort8)
#define SVM_SPU_WORDS(M) M(vec_uint4, unsigned int, vec_uint4) M(vec_int4, signed int, vec_uint4)
#define SVM_SPU_DOUBLEWORDS(M)                                                                                         \
    M(vec_ullong2, unsigned long long, vec_ullong2) M(vec_llong2, signed long long, vec_ullong2)
#define SVM_SPU_FLOATS(M) M(vec_float4, float, vec_uint4) M(vec_double2, double, vec_ullong2)
#define SVM_SPU_INTEGERS(M) SVM_SPU_BYTES(M) SVM_SPU_HALVES(M) SVM_SPU_WORDS(M) SVM_SPU_DOUBLEWORDS(M)
#define SVM_SPU_ALL(M) SVM_SPU_INTEGERS(M) SVM_SPU_FLOATS(M)

#define SVM_SPU_ELEMENT(V, E, U)                                                                                       \
    SVM_SPU E spu_extract(V a, int i)                                                                                  \
    {                                                                                                                  \
        return a[i & (int)(sizeof(V) / sizeof(E) - 1)];                                                                \
    }                                                                                                                  \
    SVM_SPU V spu_insert(E x, V a, int i)                                                                              \
    {                                                                                                                  \
        a[i & (int)(sizeof(V) / sizeof(E) - 1)] = x;                                                                   \
        return a;                                                                                                      \
    }                                                                                                                  \
    SVM_SPU V spu_promote(E x, int i)                                                                                  \
    {                                                                                                                  \
        V a = {0};                                                                                                     \
        a[i & (int)(sizeof(V) / sizeof(E) - 1)] = x;                                                                   \
        return a;                                                                                                      \
    }                                                                                                                  \
    SVM_SPU V spu_splats(E x)                                                                                          \
    {                                                                                                                  \
        V a;                                                                                                           \
        for (unsigned i = 0; i < sizeof(V) / sizeof(E); i++)                                                           \
            a[i] = x;                                                                                                  \
        return a;                                                                                                      \
    }                                                                                                                  \
    SVM_SPU V spu_sel(V a, V b, U pattern)                                                                             \
    {                                                                                                                  \
        return (V)(((U)a & ~pattern) | ((U)b & pattern));                                                              \
    }                                                                                                                  \
    SVM_SPU V spu_and(V a, V b)                                                                                        \
    {                                                                                                                  \
        return (V)((U)a & (U)b);                                                                                       \
    }                                                                                                                  \
    SVM_SPU V spu_or(V a, V b)                                                                                         \
    {                                                                                                                  \
        return (V)((U)a | (U)b);                                                                                       \
    }                                                                                                                  \
    SVM_SPU V spu_xor(V a, V b)                                                                                        \
    {                                                                                                                  \
        return (V)((U)a ^ (U)b);                                                                                       \
    }                                                                                                                  \
    SVM_SPU V spu_andc(V a, V b)                                                                                       \
    {                                                                                                                  \
        return (V)((U)a & ~(U)b);                                                                                      \
    }                                                                                                                  \
    SVM_SPU V spu_orc(V a, V b)                                                                                        \
    {                                                                                                                  \
        return (V)((U)a | ~(U)b);                                                                                      \
    }                                                                                                                  \
    SVM_SPU V spu_nand(V a, V b)                                                                                       \
    {                                                                                                                  \
        return (V) ~((U)a & (U)b);                                                                                     \
    }                                                                                                                  \
    SVM_SPU V spu_nor(V a, V b)                                                                                        \
    {                                                                                                                  \
        return (V) ~((U)a | (U)b);                                                                                     \
    }                                                                                                                  \
    SVM_SPU V spu_eqv(V a, V b)                                                                                        \
    {                                                                                                                  \
        return (V) ~((U)a ^ (U)b);                                                                                     \
    }                                                                                                                  \
    SVM_SPU U spu_cmpeq(V a, V b)                                                                                      \
    {                                                                                                                  \
        return (U)(a == b);                                                                                            \
    }                                                                                                                  \
    SVM_SPU U spu_cmpgt(V a, V b)                                                                                      \
    {                                                                                                                  \
        return (U)(a > b);                                                                                             \
    }                                                                                                                  \
    SVM_SPU U spu_cmpeq(V a, E b)                                                                                      \
    {                                                                                                                  \
        return (U)(a == spu_splats(b));                                                                                \
    }                                                                                                                  \
    SVM_SPU U spu_cmpgt(V a, E b)                                                                                      \
    {                                                                                                                  \
        return (U)(a > spu_splats(b));                                                                                 \
    }
SVM_SPU_ALL(SVM_SPU_ELEMENT)
SVM_SPU vec_uchar16 spu_splats(char x)
{
    return spu_splats((unsigned char)x);
}
SVM_SPU vec_uchar16 spu_promote(char x, int i)
{
    return spu_promote((unsigned char)x, i);
}
SVM_SPU vec_uint4 spu_promote(unsigned long x, int i)
{
    return spu_promote((unsigned int)x, i);
}
SVM_SPU vec_int4 spu_promote(long x, int i)
{
    return spu_promote((signed int)x, i);
}
SVM_SPU vec_uint4 spu_splats(unsigned long x)
{
    return spu_splats((unsigned int)x);
}
SVM_SPU vec_int4 spu_splats(long x)
{
    return spu_splats((signed int)x);
}

#define SVM_SPU_SCALAR_BITS(V, E, U)                                                                                   \
    SVM_SPU V spu_and(V a, E b)                                                                                        \
    {                                                                                                                  \
        return a & spu_splats(b);                                                                                      \
    }                                                                                                                  \
    SVM_SPU V spu_or(V a, E b)                                                                                         \
    {                                                                                                                  \
        return a | spu_splats(b);                                                                                      \
    }                                                                                                                  \
    SVM_SPU V spu_xor(V a, E b)                                                                                        \
    {                                                                                                                  \
        return a ^ spu_splats(b);                                                                                      \
    }
SVM_SPU_INTEGERS(SVM_SPU_SCALAR_BITS)

#define SVM_SPU_ADD(V, E, U)                                                                                           \
    SVM_SPU V spu_add(V a, V b)                                                                                        \
    {                                                                                                                  \
        return (V)((U)a + (U)b);                                                                                       \
    }                                                                                                                  \
    SVM_SPU V spu_sub(V a, V b)                                                                                        \
    {                                                                                                                  \
        return (V)((U)a - (U)b);                                                                                       \
    }                                                                                                                  \
    SVM_SPU V spu_add(V a, E b)                                                                                        \
    {                                                                                                                  \
        return (V)((U)a + (U)spu_splats(b));                                                                           \
    }                                                                                                                  \
    SVM_SPU V spu_sub(E a, V b)                                                                                        \
    {                                                                                                                  \
        return (V)((U)spu_splats(a) - (U)b);                                                                           \
    }
SVM_SPU_HALVES(SVM_SPU_ADD)
SVM_SPU_WORDS(SVM_SPU_ADD)

// A scalar of another type than the elements', such as the int that a literal is, becomes one of theirs: the vector alone says
// which intrinsic is meant. For M(V, E, T): all types T but E.
// clang-format off
#define SVM_SPU_BUT_UCHAR(M, V, E)                                                                                     \
    M(V, E, char) M(V, E, signed char) M(V, E, short) M(V, E, unsigned short) M(V, E, int) M(V, E, unsigned int)       \
    M(V, E, long) M(V, E, unsigned long) M(V, E, long long) M(V, E, unsigned long long) M(V, E, float)                 \
    M(V, E, double)
#define SVM_SPU_BUT_CHAR(M, V, E)                                                                                      \
    M(V, E, char) M(V, E, unsigned char) M(V, E, short) M(V, E, unsigned short) M(V, E, int) M(V, E, unsigned int)     \
    M(V, E, long) M(V, E, unsigned long) M(V, E, long long) M(V, E, unsigned long long) M(V, E, float)                 \
    M(V, E, double)
#define SVM_SPU_BUT_USHORT(M, V, E)                                                                                    \
    M(V, E, char) M(V, E, signed char) M(V, E, unsigned char) M(V, E, short) M(V, E, int) M(V, E, unsigned int)        \
    M(V, E, long) M(V, E, unsigned long) M(V, E, long long) M(V, E, unsigned long long) M(V, E, float)                 \
    M(V, E, double)
#define SVM_SPU_BUT_SHORT(M, V, E)                                                                                     \
    M(V, E, char) M(V, E, signed char) M(V, E, unsigned char) M(V, E, unsigned short) M(V, E, int)                     \
    M(V, E, unsigned int) M(V, E, long) M(V, E, unsigned long) M(V, E, long long) M(V, E, unsigned long long)          \
    M(V, E, float) M(V, E, double)
#define SVM_SPU_BUT_UINT(M, V, E)                                                                                      \
    M(V, E, char) M(V, E, signed char) M(V, E, unsigned char) M(V, E, short) M(V, E, unsigned short) M(V, E, int)      \
    M(V, E, long) M(V, E, unsigned long) M(V, E, long long) M(V, E, unsigned long long) M(V, E, float)                 \
    M(V, E, double)
#define SVM_SPU_BUT_INT(M, V, E)                                                                                       \
    M(V, E, char) M(V, E, signed char) M(V, E, unsigned char) M(V, E, short) M(V, E, unsigned short)                   \
    M(V, E, unsigned int) M(V, E, long) M(V, E, unsigned long) M(V, E, long long) M(V, E, unsigned long long)          \
    M(V, E, float) M(V, E, double)
#define SVM_SPU_BUT_ULLONG(M, V, E)                                                                                    \
    M(V, E, char) M(V, E, signed char) M(V, E, unsigned char) M(V, E, short) M(V, E, unsigned short) M(V, E, int)      \
    M(V, E, unsigned int) M(V, E, long) M(V, E, unsigned long) M(V, E, long long) M(V, E, float) M(V, E, double)
#define SVM_SPU_BUT_LLONG(M, V, E)                                                                                     \
    M(V, E, char) M(V, E, signed char) M(V, E, unsigned char) M(V, E, short) M(V, E, unsigned short) M(V, E, int)      \
    M(V, E, unsigned int) M(V, E, long) M(V, E, unsigned long) M(V, E, unsigned long long) M(V, E, float)              \
    M(V, E, double)
#define SVM_SPU_BUT_FLOAT(M, V, E)                                                                                     \
    M(V, E, char) M(V, E, signed char) M(V, E, unsigned char) M(V, E, short) M(V, E, unsigned short) M(V, E, int)      \
    M(V, E, unsigned int) M(V, E, long) M(V, E, unsigned long) M(V, E, long long) M(V, E, unsigned long long)          \
    M(V, E, double)
#define SVM_SPU_BUT_DOUBLE(M, V, E)                                                                                    \
    M(V, E, char) M(V, E, signed char) M(V, E, unsigned char) M(V, E, short) M(V, E, unsigned short) M(V, E, int)      \
    M(V, E, unsigned int) M(V, E, long) M(V, E, unsigned long) M(V, E, long long) M(V, E, unsigned long long)          \
    M(V, E, float)
#define SVM_SPU_SCALARS_OF_HALVES_AND_WORDS(M)                                                                         \
    SVM_SPU_BUT_USHORT(M, vec_ushort8, unsigned short) SVM_SPU_BUT_SHORT(M, vec_short8, signed short)                  \
    SVM_SPU_BUT_UINT(M, vec_uint4, unsigned int) SVM_SPU_BUT_INT(M, vec_int4, signed int)
#define SVM_SPU_SCALARS_OF_INTEGERS(M)                                                                                 \
    SVM_SPU_SCALARS_OF_HALVES_AND_WORDS(M) SVM_SPU_BUT_UCHAR(M, vec_uchar16, unsigned char)                            \
    SVM_SPU_BUT_CHAR(M, vec_char16, signed char) SVM_SPU_BUT_ULLONG(M, vec_ullong2, unsigned long long)                \
    SVM_SPU_BUT_LLONG(M, vec_llong2, signed long long)
#define SVM_SPU_SCALARS_OF_ALL(M)                                                                                      \
    SVM_SPU_SCALARS_OF_INTEGERS(M) SVM_SPU_BUT_FLOAT(M, vec_float4, float)                                             \
    SVM_SPU_BUT_DOUBLE(M, vec_double2, double)
// clang-format on

#define SVM_SPU_WITH_ANY(V, E, T)                                                                                      \
    SVM_SPU V spu_insert(T x, V a, int i)                                                                              \
    {                                                                                                                  \
        return spu_insert((E)x, a, i);                                                                                 \
    }                                                                                                                  \
    SVM_SPU __typeof__(spu_cmpeq((V){0}, (V){0})) spu_cmpeq(V a, T b)                                                  \
    {                                                                                                                  \
        return spu_cmpeq(a, (E)b);                                                                                     \
    }                                                                                                                  \
    SVM_SPU __typeof__(spu_cmpgt((V){0}, (V){0})) spu_cmpgt(V a, T b)                                                  \
    {                                                                                                                  \
        return spu_cmpgt(a, (E)b);                                                                                     \
    }
SVM_SPU_SCALARS_OF_ALL(SVM_SPU_WITH_ANY)
#define SVM_SPU_BITS_WITH_ANY(V, E, T)                                                                                 \
    SVM_SPU V spu_and(V a, T b)                                                                                        \
    {                                                                                                                  \
        return spu_and(a, (E)b);                                                                                       \
    }                                                                                                                  \
    SVM_SPU V spu_or(V a, T b)                                                                                         \
    {                                                                                                                  \
        return spu_or(a, (E)b);                                                                                        \
    }                                                                                                                  \
    SVM_SPU V spu_xor(V a, T b)                                                                                        \
    {                                                                                                                  \
        return spu_xor(a, (E)b);                                                                                       \
    }
SVM_SPU_SCALARS_OF_INTEGERS(SVM_SPU_BITS_WITH_ANY)
#define SVM_SPU_ADD_ANY(V, E, T)                                                                                       \
    SVM_SPU V spu_add(V a, T b)                                                                                        \
    {                                                                                                                  \
        return spu_add(a, (E)b);                                                                                       \
    }                                                                                                                  \
    SVM_SPU V spu_sub(T a, V b)                                                                                        \
    {                                                                                                                  \
        return spu_sub((E)a, b);                                                                                       \
    }
SVM_SPU_SCALARS_OF_HALVES_AND_WORDS(SVM_SPU_ADD_ANY)

// The products of multiply-add are not rounded before the sum, as on the machine.
#define SVM_SPU_FLOATING(V, madd, nmadd)                                                                               \
    SVM_SPU V spu_add(V a, V b)                                                                                        \
    {                                                                                                                  \
        return a + b;                                                                                                  \
    }                                                                                                                  \
    SVM_SPU V spu_sub(V a, V b)                                                                                        \
    {                                                                                                                  \
        return a - b;                                                                                                  \
    }                                                                                                                  \
    SVM_SPU V spu_mul(V a, V b)                                                                                        \
    {                                                                                                                  \
        return a * b;                                                                                                  \
    }                                                                                                                  \
    SVM_SPU V spu_madd(V a, V b, V c)                                                                                  \
    {                                                                                                                  \
        return madd(a, b, c);                                                                                          \
    }                                                                                                                  \
    SVM_SPU V spu_msub(V a, V b, V c)                                                                                  \
    {                                                                                                                  \
        return madd(a, b, -c);                                                                                         \
    }                                                                                                                  \
    SVM_SPU V spu_nmsub(V a, V b, V c)                                                                                 \
    {                                                                                                                  \
        return nmadd(a, b, c);                                                                                         \
    }                                                                                                                  \
    SVM_SPU V spu_nmadd(V a, V b, V c)                                                                                 \
    {                                                                                                                  \
        return -madd(a, b, c);                                                                                         \
    }
SVM_SPU_FLOATING(vec_float4, __builtin_wasm_relaxed_madd_f32x4, __builtin_wasm_relaxed_nmadd_f32x4)
SVM_SPU_FLOATING(vec_double2, __builtin_wasm_relaxed_madd_f64x2, __builtin_wasm_relaxed_nmadd_f64x2)

// Estimates on the machine; as good as the host has them here.
SVM_SPU vec_float4 spu_re(vec_float4 a)
{
    return 1.0f / a;
}
SVM_SPU vec_float4 spu_rsqrte(vec_float4 a)
{
    return 1.0f / __builtin_elementwise_sqrt(__builtin_elementwise_abs(a));
}
#define SVM_SPU_COMPARE_SIZES(V, U)                                                                                    \
    SVM_SPU U spu_cmpabseq(V a, V b)                                                                                   \
    {                                                                                                                  \
        return (U)(__builtin_elementwise_abs(a) == __builtin_elementwise_abs(b));                                      \
    }                                                                                                                  \
    SVM_SPU U spu_cmpabsgt(V a, V b)                                                                                   \
    {                                                                                                                  \
        return (U)(__builtin_elementwise_abs(a) > __builtin_elementwise_abs(b));                                       \
    }
SVM_SPU_COMPARE_SIZES(vec_float4, vec_uint4)
SVM_SPU_COMPARE_SIZES(vec_double2, vec_ullong2)

// Products of 16-bit elements: of the odd ones, the even ones, and mixed forms.
#define SVM_SPU_PRODUCTS(H, W)                                                                                         \
    SVM_SPU W spu_mulo(H a, H b)                                                                                       \
    {                                                                                                                  \
        return __builtin_convertvector(__builtin_shufflevector(a, a, 1, 3, 5, 7), W) *                                 \
               __builtin_convertvector(__builtin_shufflevector(b, b, 1, 3, 5, 7), W);                                  \
    }                                                                                                                  \
    SVM_SPU W spu_mule(H a, H b)                                                                                       \
    {                                                                                                                  \
        return __builtin_convertvector(__builtin_shufflevector(a, a, 0, 2, 4, 6), W) *                                 \
               __builtin_convertvector(__builtin_shufflevector(b, b, 0, 2, 4, 6), W);                                  \
    }                                                                                                                  \
    SVM_SPU W spu_mhhadd(H a, H b, W c)                                                                                \
    {                                                                                                                  \
        return spu_mule(a, b) + c;                                                                                     \
    }
SVM_SPU_PRODUCTS(vec_short8, vec_int4)
SVM_SPU_PRODUCTS(vec_ushort8, vec_uint4)
SVM_SPU vec_int4 spu_madd(vec_short8 a, vec_short8 b, vec_int4 c)
{
    return spu_mulo(a, b) + c;
}
SVM_SPU vec_int4 spu_mulo(vec_short8 a, short b)
{
    return spu_mulo(a, spu_splats(b));
}
SVM_SPU vec_uint4 spu_mulo(vec_ushort8 a, unsigned short b)
{
    return spu_mulo(a, spu_splats(b));
}
SVM_SPU vec_int4 spu_mulsr(vec_short8 a, vec_short8 b)
{
    return spu_mulo(a, b) >> 16;
}

// Carry and borrow out of a word.
SVM_SPU vec_uint4 spu_genc(vec_uint4 a, vec_uint4 b)
{
    return (vec_uint4)(a + b < a) & 1;
}
SVM_SPU vec_uint4 spu_genb(vec_uint4 a, vec_uint4 b)
{
    return (vec_uint4)(a >= b) & 1;
}
SVM_SPU vec_uint4 spu_addx(vec_uint4 a, vec_uint4 b, vec_uint4 c)
{
    return a + b + (c & 1);
}
SVM_SPU vec_uint4 spu_subx(vec_uint4 a, vec_uint4 b, vec_uint4 c)
{
    return a - b - (1 - (c & 1));
}

#define SVM_SPU_SIGNED_2(name)                                                                                         \
    SVM_SPU vec_int4 name(vec_int4 a, vec_int4 b)                                                                      \
    {                                                                                                                  \
        return (vec_int4)name((vec_uint4)a, (vec_uint4)b);                                                             \
    }
#define SVM_SPU_SIGNED_3(name)                                                                                         \
    SVM_SPU vec_int4 name(vec_int4 a, vec_int4 b, vec_int4 c)                                                          \
    {                                                                                                                  \
        return (vec_int4)name((vec_uint4)a, (vec_uint4)b, (vec_uint4)c);                                               \
    }
SVM_SPU_SIGNED_2(spu_genc)
SVM_SPU_SIGNED_2(spu_genb)
SVM_SPU_SIGNED_3(spu_addx)
SVM_SPU_SIGNED_3(spu_subx)

SVM_SPU vec_uchar16 spu_absd(vec_uchar16 a, vec_uchar16 b)
{
    return __builtin_elementwise_max(a, b) - __builtin_elementwise_min(a, b);
}
SVM_SPU vec_uchar16 spu_avg(vec_uchar16 a, vec_uchar16 b)
{
    return (vec_uchar16)((a | b) - ((a ^ b) >> 1));
}
SVM_SPU vec_uchar16 spu_cntb(vec_uchar16 a)
{
    return __builtin_elementwise_popcount(a);
}
#define SVM_SPU_COUNT_ZEROS(V)                                                                                         \
    SVM_SPU vec_uint4 spu_cntlz(V a)                                                                                   \
    {                                                                                                                  \
        const vec_uint4 bits = (vec_uint4)a;                                                                           \
        vec_uint4 r;                                                                                                   \
        for (int i = 0; i < 4; i++)                                                                                    \
            r[i] = bits[i] ? (unsigned int)__builtin_clz(bits[i]) : 32;                                                \
        return r;                                                                                                      \
    }
SVM_SPU_COUNT_ZEROS(vec_int4)
SVM_SPU_COUNT_ZEROS(vec_uint4)
SVM_SPU_COUNT_ZEROS(vec_float4)

// ---- Conversions ----

// 2 to the power of an exponent from 0 to 127.
SVM_SPU float svm_spu_power(unsigned int exponent)
{
    union {
        unsigned int bits;
        float value;
    } power;
    power.bits = (127u + exponent) << 23;
    return power.value;
}
SVM_SPU vec_float4 spu_convtf(vec_int4 a, unsigned int scale)
{
    return __builtin_convertvector(a, vec_float4) / svm_spu_power(scale);
}
SVM_SPU vec_float4 spu_convtf(vec_uint4 a, unsigned int scale)
{
    return __builtin_convertvector(a, vec_float4) / svm_spu_power(scale);
}
SVM_SPU vec_int4 spu_convts(vec_float4 a, unsigned int scale)
{
    return (vec_int4)__builtin_wasm_trunc_saturate_s_i32x4_f32x4(a * svm_spu_power(scale));
}
SVM_SPU vec_uint4 spu_convtu(vec_float4 a, unsigned int scale)
{
    return (vec_uint4)__builtin_wasm_trunc_saturate_u_i32x4_f32x4(a * svm_spu_power(scale));
}
SVM_SPU vec_double2 spu_extend(vec_float4 a)
{
    return (vec_double2){a[0], a[2]};
}
SVM_SPU vec_float4 spu_roundtf(vec_double2 a)
{
    return (vec_float4){(float)a[0], 0, (float)a[1], 0};
}
SVM_SPU vec_short8 spu_extend(vec_char16 a)
{
    return __builtin_convertvector(__builtin_shufflevector(a, a, 1, 3, 5, 7, 9, 11, 13, 15), vec_short8);
}
SVM_SPU vec_int4 spu_extend(vec_short8 a)
{
    return __builtin_convertvector(__builtin_shufflevector(a, a, 1, 3, 5, 7), vec_int4);
}
SVM_SPU vec_llong2 spu_extend(vec_int4 a)
{
    return (vec_llong2){a[1], a[3]};
}

// ---- Shifts and rotations of elements ----

// Counts of the element's width and more give 0 (or the sign); the right shifts take negated counts.
#define SVM_SPU_SHIFTS(V, C, U, S, bits)                                                                               \
    SVM_SPU V spu_sl(V a, U n)                                                                                         \
    {                                                                                                                  \
        n &= 2 * bits - 1;                                                                                             \
        return (V)(((U)a << (n & (bits - 1))) & (U)(n < bits));                                                        \
    }                                                                                                                  \
    SVM_SPU V spu_rl(V a, C n)                                                                                         \
    {                                                                                                                  \
        return (V)((U)a << ((U)n & (bits - 1)) | (U)a >> (-(U)n & (bits - 1)));                                        \
    }                                                                                                                  \
    SVM_SPU V spu_rlmask(V a, C count)                                                                                 \
    {                                                                                                                  \
        const U n = -(U)count & (2 * bits - 1);                                                                        \
        return (V)(((U)a >> (n & (bits - 1))) & (U)(n < bits));                                                        \
    }                                                                                                                  \
    SVM_SPU V spu_rlmaska(V a, C count)                                                                                \
    {                                                                                                                  \
        const U n = -(U)count & (2 * bits - 1);                                                                        \
        return (V)((S)a >> (S)((n & (bits - 1)) | ((U)(n >= bits) & (bits - 1))));                                     \
    }                                                                                                                  \
    SVM_SPU V spu_sl(V a, unsigned int n)                                                                              \
    {                                                                                                                  \
        return spu_sl(a, (U){0} + (__typeof__(((U){0})[0]))n);                                                         \
    }                                                                                                                  \
    SVM_SPU V spu_rl(V a, int n)                                                                                       \
    {                                                                                                                  \
        return spu_rl(a, (C){0} + (__typeof__(((C){0})[0]))n);                                                         \
    }                                                                                                                  \
    SVM_SPU V spu_rlmask(V a, int n)                                                                                   \
    {                                                                                                                  \
        return spu_rlmask(a, (C){0} + (__typeof__(((C){0})[0]))n);                                                     \
    }                                                                                                                  \
    SVM_SPU V spu_rlmaska(V a, int n)                                                                                  \
    {                                                                                                                  \
        return spu_rlmaska(a, (C){0} + (__typeof__(((C){0})[0]))n);                                                    \
    }
SVM_SPU_SHIFTS(vec_short8, vec_short8, vec_ushort8, vec_short8, 16)
SVM_SPU_SHIFTS(vec_ushort8, vec_short8, vec_ushort8, vec_short8, 16)
SVM_SPU_SHIFTS(vec_int4, vec_int4, vec_uint4, vec_int4, 32)
SVM_SPU_SHIFTS(vec_uint4, vec_int4, vec_uint4, vec_int4, 32)

// The right shifts with counts as they are.
#define SVM_SPU_RIGHT_SHIFTS(V, C, U)                                                                                  \
    SVM_SPU V spu_sr(V a, U n)                                                                                         \
    {                                                                                                                  \
        return spu_rlmask(a, (C) - n);                                                                                 \
    }                                                                                                                  \
    SVM_SPU V spu_sra(V a, U n)                                                                                        \
    {                                                                                                                  \
        return spu_rlmaska(a, (C) - n);                                                                                \
    }                                                                                                                  \
    SVM_SPU V spu_sr(V a, unsigned int n)                                                                              \
    {                                                                                                                  \
        return spu_rlmask(a, (int)-n);                                                                                 \
    }                                                                                                                  \
    SVM_SPU V spu_sra(V a, unsigned int n)                                                                             \
    {                                                                                                                  \
        return spu_rlmaska(a, (int)-n);                                                                                \
    }
SVM_SPU_RIGHT_SHIFTS(vec_short8, vec_short8, vec_ushort8)
SVM_SPU_RIGHT_SHIFTS(vec_ushort8, vec_short8, vec_ushort8)
SVM_SPU_RIGHT_SHIFTS(vec_int4, vec_int4, vec_uint4)
SVM_SPU_RIGHT_SHIFTS(vec_uint4, vec_int4, vec_uint4)

// ---- Shuffles, shifts of the quadword by bytes ----

SVM_SPU vec_uchar16 svm_spu_bytes(void)
{
    return (vec_uchar16){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
}
SVM_SPU vec_uchar16 svm_spu_swizzle(vec_uchar16 a, vec_uchar16 index)
{
    return (vec_uchar16)__builtin_wasm_swizzle_i8x16((vec_char16)a, (vec_char16)index);
}
// 10xxxxxx gives 0x00, 110xxxxx 0xFF, 111xxxxx 0x80.
SVM_SPU vec_uchar16 svm_spu_shuffle(vec_uchar16 a, vec_uchar16 b, vec_uchar16 pattern)
{
    const vec_uchar16 index = pattern & 31, special = (vec_uchar16)(pattern >= 0x80);
    const vec_uchar16 chosen = svm_spu_swizzle(a, index) | svm_spu_swizzle(b, index - 16);
    const vec_uchar16 constant = ((vec_uchar16)(pattern >= 0xC0) & 0xFF) & ~((vec_uchar16)(pattern >= 0xE0) & 0x7F);
    return (chosen & ~special) | (constant & special);
}
#define SVM_SPU_QUADWORD(V, E, U)                                                                                      \
    SVM_SPU V spu_shuffle(V a, V b, vec_uchar16 pattern)                                                               \
    {                                                                                                                  \
        return (V)svm_spu_shuffle((vec_uchar16)a, (vec_uchar16)b, pattern);                                            \
    }                                                                                                                  \
    SVM_SPU V spu_slqwbyte(V a, unsigned int n)                                                                        \
    {                                                                                                                  \
        return (V)svm_spu_swizzle((vec_uchar16)a, svm_spu_bytes() + (unsigned char)(n & 31));                          \
    }                                                                                                                  \
    SVM_SPU V spu_rlqwbyte(V a, int n)                                                                                 \
    {                                                                                                                  \
        return (V)svm_spu_swizzle((vec_uchar16)a, (svm_spu_bytes() + (unsigned char)(n & 15)) & 15);                   \
    }                                                                                                                  \
    SVM_SPU V spu_rlmaskqwbyte(V a, int n)                                                                             \
    {                                                                                                                  \
        return (V)svm_spu_swizzle((vec_uchar16)a, svm_spu_bytes() - (unsigned char)(-n & 31));                         \
    }                                                                                                                  \
    SVM_SPU V spu_slqwbytebc(V a, unsigned int n)                                                                      \
    {                                                                                                                  \
        return spu_slqwbyte(a, n >> 3);                                                                                \
    }                                                                                                                  \
    SVM_SPU V spu_rlqwbytebc(V a, int n)                                                                               \
    {                                                                                                                  \
        return spu_rlqwbyte(a, n >> 3);                                                                                \
    }
SVM_SPU_ALL(SVM_SPU_QUADWORD)

SVM_SPU vec_uint4 spu_gather(vec_uint4 a)
{
    return (vec_uint4){(a[0] & 1) << 3 | (a[1] & 1) << 2 | (a[2] & 1) << 1 | (a[3] & 1)};
}
SVM_SPU vec_uint4 spu_gather(vec_int4 a)
{
    return spu_gather((vec_uint4)a);
}
SVM_SPU vec_uint4 spu_maskw(unsigned int bits)
{
    const vec_uint4 bit = {8, 4, 2, 1};
    return (vec_uint4)((bits & bit) != 0);
}
SVM_SPU vec_ushort8 spu_maskh(unsigned int bits)
{
    const vec_ushort8 bit = {128, 64, 32, 16, 8, 4, 2, 1};
    return (vec_ushort8)(((unsigned short)bits & bit) != 0);
}
SVM_SPU vec_uchar16 spu_maskb(unsigned int bits)
{
    vec_uchar16 r;
    for (int i = 0; i < 16; i++)
        r[i] = bits >> (15 - i) & 1 ? 0xFF : 0;
    return r;
}
SVM_SPU vec_uint4 spu_gather(vec_ushort8 a)
{
    vec_uint4 r = {0};
    for (int i = 0; i < 8; i++)
        r[0] |= (unsigned int)(a[i] & 1) << (7 - i);
    return r;
}
SVM_SPU vec_uint4 spu_gather(vec_short8 a)
{
    return spu_gather((vec_ushort8)a);
}
SVM_SPU vec_uint4 spu_gather(vec_uchar16 a)
{
    vec_uint4 r = {0};
    for (int i = 0; i < 16; i++)
        r[0] |= (unsigned int)(a[i] & 1) << (15 - i);
    return r;
}
SVM_SPU vec_uint4 spu_gather(vec_char16 a)
{
    return spu_gather((vec_uchar16)a);
}

// By bits, at most 7, of the quadword whose first word is the highest.
#define SVM_SPU_QUADWORD_BITS(V, E, U)                                                                                 \
    SVM_SPU V spu_slqw(V a, unsigned int n)                                                                            \
    {                                                                                                                  \
        const vec_uint4 x = (vec_uint4)a, next = {x[1], x[2], x[3], 0};                                                \
        return (V)(x << (n & 7) | next >> 1 >> (31 - (n & 7)));                                                        \
    }                                                                                                                  \
    SVM_SPU V spu_rlqw(V a, int n)                                                                                     \
    {                                                                                                                  \
        const vec_uint4 x = (vec_uint4)a, next = {x[1], x[2], x[3], x[0]};                                             \
        return (V)(x << (unsigned int)(n & 7) | next >> 1 >> (unsigned int)(31 - (n & 7)));                            \
    }                                                                                                                  \
    SVM_SPU V spu_rlmaskqw(V a, int n)                                                                                 \
    {                                                                                                                  \
        const vec_uint4 x = (vec_uint4)a, before = {0, x[0], x[1], x[2]};                                              \
        return (V)(x >> (unsigned int)(-n & 7) | before << 1 << (unsigned int)(31 - (-n & 7)));                        \
    }
SVM_SPU_ALL(SVM_SPU_QUADWORD_BITS)

SVM_SPU vec_uint4 spu_orx(vec_uint4 a)
{
    return (vec_uint4){a[0] | a[1] | a[2] | a[3]};
}
SVM_SPU vec_int4 spu_orx(vec_int4 a)
{
    return (vec_int4){a[0] | a[1] | a[2] | a[3]};
}

// ---- What is less common ----

SVM_SPU vec_int4 spu_mulh(vec_short8 a, vec_short8 b)
{
    return (vec_int4)((vec_uint4)(spu_mule(a, (vec_short8){0}) +
                                  __builtin_convertvector(__builtin_shufflevector(a, a, 0, 2, 4, 6), vec_int4) *
                                      __builtin_convertvector(__builtin_shufflevector(b, b, 1, 3, 5, 7), vec_int4))
                      << 16);
}
// Sums of the four bytes of each word, of b and of a in turn.
SVM_SPU vec_ushort8 spu_sumb(vec_uchar16 a, vec_uchar16 b)
{
    vec_ushort8 r = {0};
    for (int i = 0; i < 16; i++) {
        r[i / 4 * 2] += b[i];
        r[i / 4 * 2 + 1] += a[i];
    }
    return r;
}
SVM_SPU vec_uint4 spu_gencx(vec_uint4 a, vec_uint4 b, vec_uint4 c)
{
    const vec_uint4 sum = a + b;
    return ((vec_uint4)(sum < a) | (vec_uint4)(sum + (c & 1) < sum)) & 1;
}
SVM_SPU vec_uint4 spu_genbx(vec_uint4 a, vec_uint4 b, vec_uint4 c)
{
    return ((vec_uint4)(a > b) | ((vec_uint4)(a == b) & (vec_uint4)((c & 1) != 0))) & 1;
}
SVM_SPU_SIGNED_3(spu_gencx)
SVM_SPU_SIGNED_3(spu_genbx)
#define SVM_SPU_QUADWORD_BYTES(V, E, U)                                                                                \
    SVM_SPU V spu_rlmaskqwbytebc(V a, int n)                                                                           \
    {                                                                                                                  \
        return spu_rlmaskqwbyte(a, n >> 3);                                                                            \
    }                                                                                                                  \
    SVM_SPU V spu_srqw(V a, unsigned int n)                                                                            \
    {                                                                                                                  \
        return spu_rlmaskqw(a, (int)-n);                                                                               \
    }                                                                                                                  \
    SVM_SPU V spu_srqwbyte(V a, unsigned int n)                                                                        \
    {                                                                                                                  \
        return spu_rlmaskqwbyte(a, (int)-n);                                                                           \
    }                                                                                                                  \
    SVM_SPU V spu_srqwbytebc(V a, unsigned int n)                                                                      \
    {                                                                                                                  \
        return spu_rlmaskqwbyte(a, -(int)(n >> 3));                                                                    \
    }
SVM_SPU_ALL(SVM_SPU_QUADWORD_BYTES)
// Which special values the elements are.
#define SPU_SV_NEG_DENORM 1
#define SPU_SV_POS_DENORM 2
#define SPU_SV_NEG_ZERO 4
#define SPU_SV_POS_ZERO 8
#define SPU_SV_NEG_INFINITY 16
#define SPU_SV_POS_INFINITY 32
#define SPU_SV_NAN 64
SVM_SPU vec_ullong2 spu_testsv(vec_double2 a, int values)
{
    vec_ullong2 r;
    for (int i = 0; i < 2; i++) {
        const unsigned long long bits = ((vec_ullong2)a)[i], size = bits << 1, infinity = 0xFFE0000000000000ull;
        const int sign = bits >> 63 ? 1 : 2;
        const int kind = size > infinity                ? SPU_SV_NAN
                         : size == infinity             ? 16 * sign
                         : size == 0                    ? 4 * sign
                         : size < 0x0020000000000000ull ? sign
                                                        : 0;
        r[i] = kind & values ? ~0ull : 0;
    }
    return r;
}
// The floating-point status: nothing is recorded here, and the mode is the host's.
SVM_SPU vec_uint4 spu_mffpscr(void)
{
    return (vec_uint4){0};
}
SVM_SPU void spu_mtfpscr(vec_uint4 status)
{
    (void)status;
}
SVM_SPU vec_uint4 svm_spu_readchqw(unsigned int channel)
{
    return (vec_uint4){spu_readch(channel)};
}
#define spu_readchqw(channel) svm_spu_readchqw(channel)
#define spu_writechqw(channel, value) spu_writech(channel, spu_extract((vec_uint4)(value), 0))

#include "spu_internals.h"

#endif
