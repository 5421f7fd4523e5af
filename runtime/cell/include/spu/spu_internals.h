// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Intrinsics of single instructions, si_NAME: quadwords in, a quadword out. A scalar is in the preferred slot, the first
// word; bytes and halfwords are that word's lowest.
#ifndef SPU_INTERNALS_H
#define SPU_INTERNALS_H

#include "spu_intrinsics.h"

// ---- Scalars ----

#define SVM_SI_SCALAR(name, type, wide, V)                                                                             \
    SVM_SPU qword si_from_##name(type x)                                                                               \
    {                                                                                                                  \
        return (qword)(V){(wide)x};                                                                                    \
    }                                                                                                                  \
    SVM_SPU type si_to_##name(qword a)                                                                                 \
    {                                                                                                                  \
        return (type)((V)a)[0];                                                                                        \
    }
SVM_SI_SCALAR(char, signed char, int, vec_int4)
SVM_SI_SCALAR(uchar, unsigned char, unsigned int, vec_uint4)
SVM_SI_SCALAR(short, short, int, vec_int4)
SVM_SI_SCALAR(ushort, unsigned short, unsigned int, vec_uint4)
SVM_SI_SCALAR(int, int, int, vec_int4)
SVM_SI_SCALAR(uint, unsigned int, unsigned int, vec_uint4)
SVM_SI_SCALAR(llong, long long, long long, vec_llong2)
SVM_SI_SCALAR(ullong, unsigned long long, unsigned long long, vec_ullong2)
SVM_SI_SCALAR(float, float, float, vec_float4)
SVM_SI_SCALAR(double, double, double, vec_double2)
SVM_SPU qword si_from_ptr(const volatile void *p)
{
    return si_from_uint((unsigned int)p);
}
SVM_SPU void *si_to_ptr(qword a)
{
    return (void *)si_to_uint(a);
}

// ---- Forms ----

#define SVM_SI_1(name, V, expression)                                                                                  \
    SVM_SPU qword si_##name(qword x)                                                                                   \
    {                                                                                                                  \
        const V a = (V)x;                                                                                              \
        return (qword)(expression);                                                                                    \
    }
#define SVM_SI_2(name, V, expression)                                                                                  \
    SVM_SPU qword si_##name(qword x, qword y)                                                                          \
    {                                                                                                                  \
        const V a = (V)x, b = (V)y;                                                                                    \
        return (qword)(expression);                                                                                    \
    }
#define SVM_SI_3(name, V, expression)                                                                                  \
    SVM_SPU qword si_##name(qword x, qword y, qword z)                                                                 \
    {                                                                                                                  \
        const V a = (V)x, b = (V)y, c = (V)z;                                                                          \
        return (qword)(expression);                                                                                    \
    }
// With a number in the instruction.
#define SVM_SI_I(name, V, expression)                                                                                  \
    SVM_SPU qword si_##name(qword x, int i)                                                                            \
    {                                                                                                                  \
        const V a = (V)x;                                                                                              \
        return (qword)(expression);                                                                                    \
    }
#define SVM_SI_CONSTANT(name, V, expression)                                                                           \
    SVM_SPU qword si_##name(int i)                                                                                     \
    {                                                                                                                  \
        return (qword)((V){0} + (expression));                                                                         \
    }

// ---- Constants ----

SVM_SI_CONSTANT(il, vec_int4, (int)(short)i)
SVM_SI_CONSTANT(ila, vec_uint4, (unsigned int)i & 0x3FFFF)
SVM_SI_CONSTANT(ilh, vec_ushort8, (unsigned short)i)
SVM_SI_CONSTANT(ilhu, vec_uint4, (unsigned int)i << 16)
SVM_SI_I(iohl, vec_uint4, a | ((unsigned int)i & 0xFFFF))
SVM_SPU qword si_fsmbi(int i)
{
    return (qword)spu_maskb((unsigned int)i);
}

// ---- Integers ----

SVM_SI_2(a, vec_uint4, a + b)
SVM_SI_2(sf, vec_uint4, b - a)
SVM_SI_2(ah, vec_ushort8, a + b)
SVM_SI_2(sfh, vec_ushort8, b - a)
SVM_SI_I(ai, vec_uint4, a + (unsigned int)i)
SVM_SI_I(sfi, vec_uint4, (unsigned int)i - a)
SVM_SI_I(ahi, vec_ushort8, a + (unsigned short)i)
SVM_SI_I(sfhi, vec_ushort8, (unsigned short)i - a)
SVM_SI_2(cg, vec_uint4, spu_genc(a, b))
SVM_SI_2(bg, vec_uint4, spu_genb(b, a))
SVM_SI_3(addx, vec_uint4, spu_addx(a, b, c))
SVM_SI_3(sfx, vec_uint4, spu_subx(b, a, c))
// Products of the lower halves of words, or the upper.
SVM_SI_2(mpy, vec_int4, (a << 16 >> 16) * (b << 16 >> 16))
SVM_SI_2(mpyu, vec_uint4, (a & 0xFFFF) * (b & 0xFFFF))
SVM_SI_2(mpyh, vec_uint4, (a >> 16) * (b & 0xFFFF) << 16)
SVM_SI_2(mpyhh, vec_int4, (a >> 16) * (b >> 16))
SVM_SI_2(mpyhhu, vec_uint4, (a >> 16) * (b >> 16))
SVM_SI_2(mpys, vec_int4, (a << 16 >> 16) * (b << 16 >> 16) >> 16)
SVM_SI_3(mpya, vec_int4, (a << 16 >> 16) * (b << 16 >> 16) + c)
SVM_SI_I(mpyi, vec_int4, (a << 16 >> 16) * i)
SVM_SI_I(mpyui, vec_uint4, (a & 0xFFFF) * ((unsigned int)i & 0xFFFF))
SVM_SI_1(clz, vec_uint4, spu_cntlz(a))
SVM_SI_1(xswd, vec_int4, ((vec_llong2){a[0], a[2]}))
SVM_SI_1(xshw, vec_int4, a << 16 >> 16)
SVM_SPU qword si_cgx(qword a, qword b, qword c)
{
    return (qword)spu_gencx((vec_uint4)a, (vec_uint4)b, (vec_uint4)c);
}
SVM_SPU qword si_bgx(qword a, qword b, qword c)
{
    return (qword)spu_genbx((vec_uint4)b, (vec_uint4)a, (vec_uint4)c);
}
SVM_SI_3(mpyhha, vec_int4, (a >> 16) * (b >> 16) + c)
SVM_SI_3(mpyhhau, vec_uint4, (a >> 16) * (b >> 16) + c)
SVM_SI_1(xsbh, vec_short8, a << 8 >> 8)
SVM_SI_2(absdb, vec_uchar16, spu_absd(a, b))
SVM_SI_2(avgb, vec_uchar16, spu_avg(a, b))
SVM_SI_2(sumb, vec_uchar16, spu_sumb(a, b))
SVM_SPU qword si_cntb(qword a)
{
    return (qword)spu_cntb((vec_uchar16)a);
}

// ---- Bits ----

SVM_SI_2(and, vec_uint4, a &b)
SVM_SI_2(or, vec_uint4, a | b)
SVM_SI_2(xor, vec_uint4, a ^ b)
SVM_SI_2(andc, vec_uint4, a & ~b)
SVM_SI_2(orc, vec_uint4, a | ~b)
SVM_SI_2(nand, vec_uint4, ~(a &b))
SVM_SI_2(nor, vec_uint4, ~(a | b))
SVM_SI_2(eqv, vec_uint4, ~(a ^ b))
SVM_SI_I(andi, vec_uint4, a &(unsigned int)i)
SVM_SI_I(ori, vec_uint4, a | (unsigned int)i)
SVM_SI_I(xori, vec_uint4, a ^ (unsigned int)i)
SVM_SI_I(andhi, vec_ushort8, a &(unsigned short)i)
SVM_SI_I(orhi, vec_ushort8, a | (unsigned short)i)
SVM_SI_I(xorhi, vec_ushort8, a ^ (unsigned short)i)
SVM_SI_I(andbi, vec_uchar16, a &(unsigned char)i)
SVM_SI_I(orbi, vec_uchar16, a | (unsigned char)i)
SVM_SI_I(xorbi, vec_uchar16, a ^ (unsigned char)i)
SVM_SI_3(selb, vec_uint4, (a & ~c) | (b & c))
SVM_SI_3(shufb, vec_uchar16, spu_shuffle(a, b, c))
SVM_SI_1(orx, vec_uint4, spu_orx(a))
SVM_SI_1(gb, vec_uint4, spu_gather(a))
SVM_SI_1(gbh, vec_ushort8, spu_gather(a))
SVM_SI_1(gbb, vec_uchar16, spu_gather(a))
SVM_SI_1(fsm, vec_uint4, spu_maskw(a[0]))
SVM_SI_1(fsmh, vec_uint4, spu_maskh(a[0]))
SVM_SI_1(fsmb, vec_uint4, spu_maskb(a[0]))

// Patterns for shufb that put a scalar's bytes over the element at an address: the scalar's quadword first.
SVM_SPU qword svm_si_insertion(unsigned int address, unsigned int size)
{
    vec_uchar16 pattern;
    for (unsigned int i = 0; i < 16; i++)
        pattern[i] = (unsigned char)(i / size == (address & 15) / size ? i % size : 16 + i);
    return (qword)pattern;
}
#define SVM_SI_INSERTION(letter, size)                                                                                 \
    SVM_SPU qword si_c##letter##d(qword base, int offset)                                                              \
    {                                                                                                                  \
        return svm_si_insertion(si_to_uint(base) + (unsigned int)offset, size);                                        \
    }                                                                                                                  \
    SVM_SPU qword si_c##letter##x(qword base, qword index)                                                             \
    {                                                                                                                  \
        return svm_si_insertion(si_to_uint(base) + si_to_uint(index), size);                                           \
    }
SVM_SI_INSERTION(b, 1)
SVM_SI_INSERTION(h, 2)
SVM_SI_INSERTION(w, 4)
SVM_SI_INSERTION(d, 8)

// ---- Shifts and rotations ----

SVM_SI_I(shli, vec_uint4, spu_sl(a, (unsigned int)i))
SVM_SI_I(roti, vec_uint4, spu_rl(a, i))
SVM_SI_I(rotmi, vec_uint4, spu_rlmask(a, i))
SVM_SI_I(rotmai, vec_int4, spu_rlmaska(a, i))
SVM_SI_2(shl, vec_uint4, spu_sl(a, b))
SVM_SI_2(rot, vec_uint4, spu_rl(a, (vec_int4)b))
SVM_SI_2(rotm, vec_uint4, spu_rlmask(a, (vec_int4)b))
SVM_SI_2(rotma, vec_int4, spu_rlmaska(a, b))
SVM_SI_I(shlhi, vec_ushort8, spu_sl(a, (unsigned int)i))
SVM_SI_I(rothi, vec_ushort8, spu_rl(a, i))
SVM_SI_I(rothmi, vec_ushort8, spu_rlmask(a, i))
SVM_SI_I(rotmahi, vec_short8, spu_rlmaska(a, i))
SVM_SI_2(shlh, vec_ushort8, spu_sl(a, b))
SVM_SI_2(roth, vec_ushort8, spu_rl(a, (vec_short8)b))
SVM_SI_2(rothm, vec_ushort8, spu_rlmask(a, (vec_short8)b))
SVM_SI_2(rotmah, vec_short8, spu_rlmaska(a, b))
SVM_SI_2(shlqbybi, vec_uint4, spu_slqwbytebc(a, b[0]))
SVM_SI_2(rotqbybi, vec_uint4, spu_rlqwbytebc(a, (int)b[0]))
SVM_SI_2(rotqmbybi, vec_uint4, spu_rlmaskqwbytebc(a, (int)b[0]))
SVM_SI_I(shlqbyi, vec_uint4, spu_slqwbyte(a, (unsigned int)i))
SVM_SI_I(rotqbyi, vec_uint4, spu_rlqwbyte(a, i))
SVM_SI_I(rotqmbyi, vec_uint4, spu_rlmaskqwbyte(a, i))
SVM_SI_2(shlqby, vec_uint4, spu_slqwbyte(a, b[0]))
SVM_SI_2(rotqby, vec_uint4, spu_rlqwbyte(a, (int)b[0]))
SVM_SI_2(rotqmby, vec_uint4, spu_rlmaskqwbyte(a, (int)b[0]))
SVM_SI_I(shlqbii, vec_uint4, spu_slqw(a, (unsigned int)i))
SVM_SI_I(rotqbii, vec_uint4, spu_rlqw(a, i))
SVM_SI_I(rotqmbii, vec_uint4, spu_rlmaskqw(a, i))
SVM_SI_2(shlqbi, vec_uint4, spu_slqw(a, b[0]))
SVM_SI_2(rotqbi, vec_uint4, spu_rlqw(a, (int)b[0]))
SVM_SI_2(rotqmbi, vec_uint4, spu_rlmaskqw(a, (int)b[0]))

// ---- Comparisons ----

SVM_SI_2(ceq, vec_uint4, a == b)
SVM_SI_2(cgt, vec_int4, a > b)
SVM_SI_2(clgt, vec_uint4, a > b)
SVM_SI_2(ceqh, vec_ushort8, a == b)
SVM_SI_2(cgth, vec_short8, a > b)
SVM_SI_2(clgth, vec_ushort8, a > b)
SVM_SI_2(ceqb, vec_uchar16, a == b)
SVM_SI_2(cgtb, vec_char16, a > b)
SVM_SI_2(clgtb, vec_uchar16, a > b)
SVM_SI_I(ceqi, vec_int4, a == i)
SVM_SI_I(cgti, vec_int4, a > i)
SVM_SI_I(clgti, vec_uint4, a > (unsigned int)i)

SVM_SI_I(ceqhi, vec_short8, a == (short)i)
SVM_SI_I(cgthi, vec_short8, a > (short)i)
SVM_SI_I(clgthi, vec_ushort8, a > (unsigned short)i)
SVM_SI_I(ceqbi, vec_char16, a == (signed char)i)
SVM_SI_I(cgtbi, vec_char16, a > (signed char)i)
SVM_SI_I(clgtbi, vec_uchar16, a > (unsigned char)i)
SVM_SI_2(dfceq, vec_double2, a == b)
SVM_SI_2(dfcgt, vec_double2, a > b)
SVM_SI_2(dfcmeq, vec_double2, spu_cmpabseq(a, b))
SVM_SI_2(dfcmgt, vec_double2, spu_cmpabsgt(a, b))
SVM_SI_I(dftsv, vec_double2, spu_testsv(a, i))
// Halts where the first words compare so.
#define si_heq(a, b) spu_hcmpeq(si_to_int(a), si_to_int(b))
#define si_heqi(a, i) spu_hcmpeq(si_to_int(a), (int)(i))
#define si_hgt(a, b) spu_hcmpgt(si_to_int(a), si_to_int(b))
#define si_hgti(a, i) spu_hcmpgt(si_to_int(a), (int)(i))
#define si_hlgt(a, b) spu_hcmpgt(si_to_uint(a), si_to_uint(b))
#define si_hlgti(a, i) spu_hcmpgt(si_to_uint(a), (unsigned int)(i))

// ---- Floats ----

SVM_SI_2(fa, vec_float4, a + b)
SVM_SI_2(fs, vec_float4, a - b)
SVM_SI_2(fm, vec_float4, a *b)
SVM_SI_3(fma, vec_float4, spu_madd(a, b, c))
SVM_SI_3(fms, vec_float4, spu_msub(a, b, c))
SVM_SI_3(fnms, vec_float4, spu_nmsub(a, b, c))
SVM_SI_2(fceq, vec_float4, a == b)
SVM_SI_2(fcgt, vec_float4, a > b)
SVM_SI_2(fcmeq, vec_float4, spu_cmpabseq(a, b))
SVM_SI_2(fcmgt, vec_float4, spu_cmpabsgt(a, b))
SVM_SI_2(dfa, vec_double2, a + b)
SVM_SI_2(dfs, vec_double2, a - b)
SVM_SI_2(dfm, vec_double2, a *b)
SVM_SI_3(dfma, vec_double2, spu_madd(a, b, c))
SVM_SI_3(dfms, vec_double2, spu_msub(a, b, c))
SVM_SI_3(dfnms, vec_double2, spu_nmsub(a, b, c))
SVM_SI_3(dfnma, vec_double2, spu_nmadd(a, b, c))
SVM_SPU qword si_fscrrd(void)
{
    return (qword)spu_mffpscr();
}
#define si_fscrwr(status) spu_mtfpscr((vec_uint4)(status))
// The estimate is the result here: the step behind it takes that over.
SVM_SI_1(frest, vec_float4, spu_re(a))
SVM_SI_1(frsqest, vec_float4, spu_rsqrte(a))
SVM_SPU qword si_fi(qword a, qword estimate)
{
    (void)a;
    return estimate;
}
// Numbers of the instructions: 173 - scale from floats, 155 - scale to them.
SVM_SI_I(cflts, vec_float4, spu_convts(a, (unsigned int)(173 - i)))
SVM_SI_I(cfltu, vec_float4, spu_convtu(a, (unsigned int)(173 - i)))
SVM_SI_I(csflt, vec_int4, spu_convtf(a, (unsigned int)(155 - i)))
SVM_SI_I(cuflt, vec_uint4, spu_convtf(a, (unsigned int)(155 - i)))
SVM_SI_1(fesd, vec_float4, spu_extend(a))
SVM_SI_1(frds, vec_double2, spu_roundtf(a))

// ---- Loads and stores ----

// Of the quadword that the address lies in.
#define SVM_SI_QUAD(address) ((qword *)((address) & 0x3FFF0u))
SVM_SPU qword si_lqd(qword base, int offset)
{
    return *SVM_SI_QUAD(si_to_uint(base) + (unsigned int)offset);
}
SVM_SPU void si_stqd(qword value, qword base, int offset)
{
    *SVM_SI_QUAD(si_to_uint(base) + (unsigned int)offset) = value;
}
SVM_SPU qword si_lqx(qword base, qword index)
{
    return *SVM_SI_QUAD(si_to_uint(base) + si_to_uint(index));
}
SVM_SPU void si_stqx(qword value, qword base, qword index)
{
    *SVM_SI_QUAD(si_to_uint(base) + si_to_uint(index)) = value;
}
SVM_SPU qword si_lqa(int address)
{
    return *SVM_SI_QUAD((unsigned int)address);
}
SVM_SPU void si_stqa(qword value, int address)
{
    *SVM_SI_QUAD((unsigned int)address) = value;
}

// ---- Channels ----

SVM_SPU qword si_rdch(int channel)
{
    return si_from_uint(spu_readch((unsigned int)channel));
}
SVM_SPU qword si_rchcnt(int channel)
{
    return si_from_uint(spu_readchcnt((unsigned int)channel));
}
SVM_SPU void si_wrch(int channel, qword value)
{
    spu_writech((unsigned int)channel, si_to_uint(value));
}
#define si_stop(code) spu_stop(code)
#define si_sync() spu_sync()
#define si_syncc() spu_sync_c()
#define si_dsync() spu_dsync()
#define si_nop() ((void)0)
#define si_lnop() ((void)0)

#endif
