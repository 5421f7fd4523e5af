// Shows: the vector says which intrinsic is meant, whatever the type of the scalar beside it, in C and C++; results go to vectors
// of other signs and types as the vendor's compiler lets them.
//
// RUN: env SVM_SPU_HOST_CFLAGS=-O0 svm-spu-gcc -O1 -I%S/Inputs %s -o %t.spu && svm-embedspu program %t.spu %t.o
// RUN: svm-ppu-gcc -I%S/Inputs %S/Inputs/case.ppu.c %t.o -o %t && %t 0 | FileCheck %s
// RUN: svm-spu-g++ -fsyntax-only -x c++ %s
// CHECK-NOT: wrong
// CHECK: 44 literals
#include <spu_mfcio.h>
#include <stdio.h>

static vec_uint4 u = {5, 5, 5, 5};
static vec_int4 s = {-5, -5, -5, -5};
static vec_short8 h = {7, 7, 7, 7, 7, 7, 7, 7};
static vec_ushort8 uh = {9, 9, 9, 9, 9, 9, 9, 9};
static vec_uchar16 c = {'a', 'a', 'a', 'a'};
static vec_float4 f = {1.5f, 1.5f, 1.5f, 1.5f};
static vec_double2 d = {2.5, 2.5};
static vec_ullong2 l = {3, 3};
static unsigned count;

#define IS(call, expected)                                                                                             \
    do {                                                                                                               \
        count++;                                                                                                       \
        if (spu_extract(call, 0) != (expected))                                                                        \
            printf("line %d: %s is wrong\n", __LINE__, #call);                                                         \
    } while (0)

int main(void)
{
    const char letter = 'a';
    const short small = 2;
    const unsigned long word = 4;
    IS(spu_and(u, 1), 1);
    IS(spu_or(u, 0xff00), 0xff05);
    IS(spu_xor(s, 3u), -5 ^ 3);
    IS(spu_and(h, 3), 3);
    IS(spu_and(c, 0x0f), 1);
    IS(spu_or(uh, word), 13);
    IS(spu_and(l, 1), 1);
    IS(spu_add(u, 1), 6);
    IS(spu_add(s, 1u), -4);
    IS(spu_add(s, small), -3);
    IS(spu_add(h, 1), 8);
    IS(spu_add(uh, 5), 14);
    IS(spu_sub(5, h), -2);
    IS(spu_sub(0, u), -5u);
    IS(spu_sub(word, s), 9);
    IS(spu_cmpeq(u, 5), -1u);
    IS(spu_cmpgt(u, 5), 0);
    IS(spu_cmpeq(s, -5), -1u);
    IS(spu_cmpgt(f, 0), -1u);
    IS(spu_cmpgt(f, 1.5), 0);
    IS(spu_cmpgt(d, 2), -1ull);
    IS(spu_cmpgt(h, 0), 0xFFFF);
    IS(spu_cmpeq(c, 97), 255);
    IS(spu_cmpgt(c, letter), 0);
    IS(spu_insert(0, u, 0), 0);
    IS(spu_insert(1, f, 0), 1.0f);
    IS(spu_insert(2.5, f, 0), 2.5f);
    IS(spu_insert(3, c, 0), 3);
    IS(spu_insert(1, d, 0), 1.0);
    IS(spu_insert(9, l, 0), 9);
    IS(spu_sl(u, 3), 40);
    IS(spu_rlmask(u, -1), 2);
    IS(spu_rlmaska(s, -1), -3);
    IS(spu_mulo(h, 3), 21);
    IS(spu_convtf(s, 1), -2.5f);
    IS(spu_convts(f, 1), 3);
    IS(spu_splats('b'), 'b');
    IS(spu_promote(7, 0), 7);
    IS(spu_insert(small, f, 0), 2.0f);
    IS(spu_cmpgt(s, letter), 0);
    IS(spu_promote(word, 0), 4);
    IS(spu_subx(s, s, spu_genb(s, s)), 0);
    IS(spu_addx(s, s, spu_genc(s, s)), -9);

    vec_int4 mask = (vec_int4)spu_cmpgt(f, 1);
    f = spu_sel(f, spu_splats(8.0f), (vec_uint4)mask);
    IS(f, 8.0f);
    printf("%u literals\n", count);
    return 0;
}
