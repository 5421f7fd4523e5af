// Shows what the intrinsics give, against loops over the elements that say what each is.
//
// RUN: env SVM_SPU_HOST_CFLAGS= svm-spu-gcc -O2 -Wall -I%S/Inputs %s -o %t.spu && svm-embedspu program %t.spu %t.o
// RUN: svm-ppu-gcc -I%S/Inputs %S/Inputs/case.ppu.c %t.o -o %t && %t 0 | FileCheck %s
// CHECK-NOT: wrong
// CHECK: 66 intrinsics
#include <spu_intrinsics.h>
#include <stdio.h>
#include <string.h>

static unsigned count;

// Element i of the result, for a vector of n elements.
#define SAME(name, n, result, expected)                                                                                \
    do {                                                                                                               \
        const __typeof__(result) r = (result);                                                                         \
        count++;                                                                                                       \
        for (int i = 0; i < n; i++)                                                                                    \
            if (r[i] != (__typeof__(r[0]))(expected))                                                                  \
                printf("%s: element %d is wrong\n", name, i);                                                          \
    } while (0)

int main(void)
{
    const vec_int4 a = {5, -7, 0x7fffffff, 40}, b = {3, -7, -1, 33};
    const vec_uint4 ua = (vec_uint4)a, ub = (vec_uint4)b;
    const vec_float4 f = {1.5f, -2.25f, 1000.0f, 0.125f}, g = {2.0f, 3.0f, -4.0f, 0.125f};
    const vec_double2 d = {1.5, -2.5}, e = {4.0, 0.5};
    const vec_short8 s = {1, -2, 300, -400, 5, -6, 7000, -32768}, t = {3, 4, -5, 6, 7, -8, 9, 10};
    const vec_ushort8 us = (vec_ushort8)s, ut = (vec_ushort8)t;
    vec_uchar16 c, x;
    for (int i = 0; i < 16; i++)
        c[i] = (unsigned char)(i * 17), x[i] = (unsigned char)(200 - i);

    SAME("add", 4, spu_add(a, b), (unsigned)a[i] + (unsigned)b[i]);
    SAME("add scalar", 4, spu_add(a, 7), (unsigned)a[i] + 7);
    SAME("add short", 8, spu_add(s, t), s[i] + t[i]);
    SAME("add float", 4, spu_add(f, g), f[i] + g[i]);
    SAME("sub", 4, spu_sub(ua, ub), ua[i] - ub[i]);
    SAME("sub from scalar", 4, spu_sub(7, a), 7u - (unsigned)a[i]);
    SAME("mul", 4, spu_mul(f, g), f[i] * g[i]);
    SAME("madd", 4, spu_madd(f, g, f), f[i] * g[i] + f[i]);
    SAME("msub", 4, spu_msub(f, g, f), f[i] * g[i] - f[i]);
    SAME("nmsub", 4, spu_nmsub(f, g, f), f[i] - f[i] * g[i]);
    SAME("nmadd double", 2, spu_nmadd(d, e, d), -(d[i] * e[i] + d[i]));
    SAME("madd short", 4, spu_madd(s, t, a), (unsigned)(s[2 * i + 1] * t[2 * i + 1]) + (unsigned)a[i]);
    SAME("mulo", 4, spu_mulo(s, t), s[2 * i + 1] * t[2 * i + 1]);
    SAME("mule", 4, spu_mule(us, ut), (unsigned)us[2 * i] * ut[2 * i]);
    SAME("genc", 4, spu_genc(ua, ub), ((unsigned long long)ua[i] + ub[i]) >> 32);
    SAME("genb", 4, spu_genb(ua, ub), ua[i] >= ub[i]);
    SAME("addx", 4, spu_addx(ua, ub, ua), ua[i] + ub[i] + (ua[i] & 1));
    SAME("absd", 16, spu_absd(c, x), c[i] > x[i] ? c[i] - x[i] : x[i] - c[i]);
    SAME("avg", 16, spu_avg(c, x), (c[i] + x[i] + 1) >> 1);
    SAME("cntb", 16, spu_cntb(c), __builtin_popcount(c[i]));
    SAME("cntlz", 4, spu_cntlz(a), a[i] ? __builtin_clz((unsigned)a[i]) : 32);
    SAME("cmpeq", 4, spu_cmpeq(a, b), a[i] == b[i] ? -1 : 0);
    SAME("cmpgt", 4, spu_cmpgt(a, b), a[i] > b[i] ? -1 : 0);
    SAME("cmpgt unsigned", 4, spu_cmpgt(ua, ub), ua[i] > ub[i] ? -1 : 0);
    SAME("cmpgt scalar", 8, spu_cmpgt(s, (short)5), s[i] > 5 ? -1 : 0);
    SAME("cmpgt float", 4, spu_cmpgt(f, g), f[i] > g[i] ? -1 : 0);
    SAME("cmpabsgt", 4, spu_cmpabsgt(f, g), __builtin_fabsf(f[i]) > __builtin_fabsf(g[i]) ? -1 : 0);
    SAME("cmpeq byte", 16, spu_cmpeq(c, (unsigned char)34), c[i] == 34 ? 255 : 0);
    SAME("sel", 4, spu_sel(f, g, spu_cmpgt(f, g)), f[i] > g[i] ? g[i] : f[i]);
    SAME("and", 4, spu_and(a, b), a[i] & b[i]);
    SAME("and scalar", 4, spu_and(ua, 12u), ua[i] & 12);
    SAME("andc", 4, spu_andc(a, b), a[i] & ~b[i]);
    SAME("or", 16, spu_or(c, x), c[i] | x[i]);
    SAME("xor", 8, spu_xor(s, t), s[i] ^ t[i]);
    SAME("nand", 4, spu_nand(a, b), ~(a[i] & b[i]));
    SAME("nor", 4, spu_nor(a, b), ~(a[i] | b[i]));
    SAME("eqv", 4, spu_eqv(a, b), ~(a[i] ^ b[i]));
    SAME("orc", 4, spu_orc(a, b), a[i] | ~b[i]);
    SAME("orx", 4, spu_orx(ua), i ? 0 : ua[0] | ua[1] | ua[2] | ua[3]);
    SAME("sl", 4, spu_sl(ua, 5u), ua[i] << 5);
    SAME("sl by 40", 4, spu_sl(ua, 40u), 0);
    SAME("sl by vector", 4, spu_sl(a, ub), (ub[i] & 63) > 31 ? 0 : (unsigned)a[i] << (ub[i] & 63));
    SAME("rl", 4, spu_rl(ua, 7), ua[i] << 7 | ua[i] >> 25);
    SAME("rlmask", 4, spu_rlmask(a, -3), (unsigned)a[i] >> 3);
    SAME("rlmask by 32", 4, spu_rlmask(a, -32), 0);
    SAME("rlmaska", 4, spu_rlmaska(a, -3), a[i] >> 3);
    SAME("rlmaska by 40", 4, spu_rlmaska(a, -40), a[i] >> 31);
    SAME("rlmaska short", 8, spu_rlmaska(s, -2), s[i] >> 2);
    SAME("slqwbyte", 16, spu_slqwbyte(c, 3), i + 3 < 16 ? c[i + 3] : 0);
    SAME("rlqwbyte", 16, spu_rlqwbyte(c, 5), c[(i + 5) % 16]);
    SAME("rlqwbyte back", 16, spu_rlqwbyte(c, -1), c[(i + 15) % 16]);
    SAME("rlmaskqwbyte", 16, spu_rlmaskqwbyte(c, -6), i >= 6 ? c[i - 6] : 0);
    SAME("rlmaskqwbyte by 16", 16, spu_rlmaskqwbyte(c, -16), 0);
    SAME("slqw", 4, spu_slqw(ua, 3), i < 3 ? ua[i] << 3 | ua[i + 1] >> 29 : ua[i] << 3);
    const vec_uchar16 pattern = {0, 31, 16, 15, 0x80, 0xC0, 0xE0, 0xBF, 7, 8, 23, 24, 1, 2, 0xDF, 0xFF};
    SAME("shuffle", 16, spu_shuffle(c, x, pattern),
         pattern[i] < 32 ? (pattern[i] < 16 ? c[pattern[i]] : x[pattern[i] - 16])
                         : pattern[i] < 0xC0 ? 0
                                             : pattern[i] < 0xE0 ? 0xFF : 0x80);
    SAME("gather", 1, spu_gather(spu_cmpgt(a, b)), 8 | 2 | 1);
    SAME("maskw", 4, spu_maskw(5), i == 1 || i == 3 ? -1 : 0);
    SAME("convtf", 4, spu_convtf(a, 4), (float)a[i] / 16);
    SAME("convts", 4, spu_convts(f, 2), (int)(f[i] * 4));
    SAME("convts saturates", 4, spu_convts(spu_splats(-1e20f), 0), (int)0x80000000);
    SAME("extend", 2, spu_extend(f), f[2 * i]);
    SAME("roundtf", 2, spu_roundtf(d), i ? 0 : d[0]);
    SAME("splats", 8, spu_splats((short)-3), -3);
    SAME("insert", 4, spu_insert(9, a, 2), i == 2 ? 9 : a[i]);
    SAME("promote", 1, spu_promote(2.5f, 0), 2.5f);
    SAME("re", 4, spu_re(g), 1.0f / g[i]);
    printf("%u intrinsics, %s\n", count, spu_extract(a, 1) == -7 && spu_extract(f, 5) == -2.25f ? "extract" : "extract is wrong");
    return 0;
}
