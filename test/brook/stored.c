// Elements that are stored in other types than kernels compute in: bytes, fixed-point numbers, unsigned integers; whole elements, parts of them, gathered
// and reduced ones.
// RUN: split-file %s %t
// RUN: svm-opt %t/k.sir -o %t/again.sir
// RUN: diff %t/k.sir %t/again.sir
// RUN: svmc --emit=header %t/k.sir -o %t/k.h
// RUN: svmc %t/k.sir %t/main.c -o %t/k
// RUN: %t/k | FileCheck %t/main.c
// RUN: svmc --c-level=0 --interpret-kernels %t/k.sir %t/main.c -o %t/k
// RUN: %t/k | FileCheck %t/main.c
// RUN: svmc --c-level=0 --machine=cell-qs20 %t/k.sir %t/main.c -o %t/k
// RUN: %t/k | FileCheck %t/main.c
// RUN: not svm-opt %t/wrong.sir 2>&1 | FileCheck %t/wrong.sir

//--- k.sir
module k
struct float2 {
    x: float
    y: float
}
struct int4 {
    x: int
    y: int
    z: int
    w: int
}

filter bytes: void -> void finite {
    in $a: int as c
    in $b: int as b
    in $u: int as u
    out $c: int as c
    out $d: int as b
    out $v: int as u
    work {
        $c = $a + 8
        $d = $b + 10
        $v = $u + $a
    }
}

filter fixed: void -> void finite {
    uniform $k: float
    in $a: float as x
    gather $g: struct float2 as yx rank 1
    out $b: struct float2 as xy
    out $c: float as y
    coordinate $i: int of $b 0
    work {
        var %p: struct float2 = $g[$i + 1]
        $b.x = $a * $k
        $b.y = %p.x + %p.y
        $c = $a
    }
}

filter part: void -> void finite {
    in $a: struct int4 as cccc
    out $b: struct int4 as cbcb
    work {
        if $a.x < 0 {
            $b.y = $a.y + $a.w
        }
        $b.x = $a.z
    }
}

filter most: void -> void finite {
    in $a: int as b
    reduced $r: int as b
    work {
        $r = $r + $a
    }
}
//--- wrong.sir
module wrong
filter a: void -> void {
    in $a: int as f
    uniform $b: int as c
    out $c: int as cc
    work {
        $c = $a
    }
}
// CHECK-DAG: error: stream IR: the field 'a' of filter 'a' cannot be stored as 'f'
// CHECK-DAG: error: stream IR: the field 'b' of filter 'a' cannot be stored as 'c'
// CHECK-DAG: error: stream IR: the field 'c' of filter 'a' cannot be stored as 'cc'
//--- main.c
#include <stdio.h>

#include "k.h"

#define AT SVM_BROOK_HERE

static svm_BrookStream make(const char *leaves, ptrdiff_t n, const void *values)
{
    const svm_BrookType type = {leaves, leaves};
    svm_BrookStream s = svm_brookMake(AT, leaves, &type, 1, &n);
    if (values)
        svm_brookRead(AT, s, values);
    return s;
}

int main(void)
{
    const signed char c[] = {120, -3, 5};
    const unsigned char b[] = {250, 3, 255}, x[] = {0, 51, 255, 100};
    const unsigned u[] = {4294967290u, 3u, 7u};
    svm_BrookStream a = make("c", 3, NULL), d = make("b", 3, NULL), v = make("u", 3, NULL);
    brook_bytes(AT, make("c", 3, c), make("b", 3, b), make("u", 3, u), a, d, v);
    svm_brookPrint(AT, a);
    svm_brookPrint(AT, d);
    svm_brookPrint(AT, v);
    // CHECK: -128 5 13
    // CHECK-NEXT: 4 13 9
    // CHECK-NEXT: 114 0 12

    const struct __attribute__((packed)) {
        unsigned short first;
        unsigned char second;
    } pairs[] = {{0, 0}, {65535, 0}, {32768, 51}};
    struct __attribute__((packed)) {
        unsigned char first;
        unsigned short second;
    } results[4];
    unsigned short wide[4];
    svm_BrookStream r = make("xy", 4, NULL), w = make("y", 4, NULL);
    brook_fixed(AT, 2.5f, make("x", 4, x), make("yx", 3, pairs), r, w);
    svm_brookWrite(AT, r, results);
    svm_brookWrite(AT, w, wide);
    for (int i = 0; i < 4; i++)
        printf("%d %d %d\n", results[i].first, results[i].second, wide[i]);
    // CHECK-NEXT: 0 65535 0
    // CHECK-NEXT: 127 45875 13107
    // CHECK-NEXT: 255 45875 65535
    // CHECK-NEXT: 250 45875 25700

    const signed char four[] = {-1, 2, 3, 4, 5, -6, -7, -8};
    const unsigned char old[] = {1, 1, 1, 1, 2, 2, 2, 2};
    svm_BrookStream p = make("cbcb", 2, old);
    brook_part(AT, make("cccc", 2, four), p);
    svm_brookPrint(AT, p);
    // CHECK-NEXT: {3, 6, 1, 1}{-7, 2, 2, 2}

    unsigned char sum;
    brook_most(AT, make("b", 4, x), &sum);
    printf("%d\n", sum);
    // CHECK-NEXT: 150
    const unsigned char one = 200;
    brook_most_one(&one, &sum);
    printf("%d\n", sum);
    // CHECK-NEXT: 94
    return 0;
}
