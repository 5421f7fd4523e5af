// Every role that a field of a finite filter can have: gathers with clamped subscripts, iterators, coordinates, reductions to a value and to
// streams, results of variable length, outputs that are not always written, structs as elements.
// RUN: split-file %s %t
// RUN: svmc --emit=svm-c -x sir %t/kernels.sir -o %t/kernels.svm.c
// RUN: svmc --emit=header -x sir %t/kernels.sir -o %t/kernels.h
// RUN: svm-llc -O2 %t/kernels.svm.c %t/main.c -o %t/kernels
// RUN: %t/kernels | FileCheck %t/main.c
// RUN: svmc --c-level=0 --interpret-kernels %t/kernels.sir %t/main.c -o %t/interpreted
// RUN: %t/interpreted | FileCheck %t/main.c
// RUN: svmc -O0 %t/kernels.sir %t/main.c -o %t/kernels
// RUN: %t/kernels | FileCheck %t/main.c
// RUN: svmc -O3 --machine=host-4 %t/kernels.sir %t/main.c -o %t/kernels
// RUN: %t/kernels | FileCheck %t/main.c

//--- kernels.sir
module kernels
struct float2 {
    x: float
    y: float
}
struct body {
    pos: struct float2
    mass: float
}

filter edge: void -> void finite {
    gather $img: float rank 2
    out $d: float
    coordinate $x: int of $d 0
    coordinate $y: int of $d 1
    work {
        $d = abs($img[$y, $x + 1] - $img[$y, $x]) + abs($img[$y + 1, $x] - $img[$y, $x])
    }
}

filter ramp: void -> void finite {
    iterator $it: struct float2
    in $scale: float
    out $x: float
    out $yz: struct float2
    work {
        $x = $it.x
        $yz.x = $it.y
        $yz.y = $scale * $it.x
    }
}

filter digits: void -> void finite {
    in $a: float
    reduced $r: float
    work {
        $r = 10.0 * $r + $a
    }
}

filter pairs: void -> struct float2 finite {
    in $a: float
    uniform $least: int
    variable $kept: struct float2
    coordinate $i: int of $a 0
    work push [0, *] {
        var %p: struct float2
        %p.x = $a
        for %k = $least to int($a) {
            %p.y = float($i)
            push %p
        }
    }
}

filter large: void -> void finite {
    in $a: int
    out $b: int
    work {
        if $a > 2 {
            $b = $a
        }
    }
}

filter move: void -> void finite {
    in $b: struct body
    uniform $v: struct float2
    gather $list: struct body rank 1
    out $to: struct body
    coordinate $i: int of $b 0
    work {
        var %o: struct body = $list[$i + 1]
        $to = $b
        $to.pos.x = $b.pos.x + $v.x
        $to.pos.y = %o.pos.y
    }
}

filter where: void -> void finite {
    in $small: double
    out $at: int
    coordinate $x: int of $small 0
    coordinate $y: int of $small 1
    coordinate $z: int of $small 2
    work {
        $at = $x + 10 * $y + 100 * $z
    }
}
//--- main.c
#include <stdio.h>
#include <string.h>

#include "kernels.h"

#define AT SVM_BROOK_HERE
static const svm_BrookType real = {"float", "f"}, two = {"float2", "ff"}, whole = {"int", "i"}, body = {"body", "fff"},
                           precise = {"double", "d"};

static svm_BrookStream make(const char *name, const svm_BrookType *type, int rank, ptrdiff_t a, ptrdiff_t b)
{
    const ptrdiff_t extents[] = {a, b};
    return svm_brookMake(AT, name, type, rank, extents);
}

static void edges(void)
{
    float h[12];
    for (int i = 0; i < 12; i++)
        h[i] = (float)(i / 4 * (i / 4) + i % 4 * 3);
    svm_BrookStream s = make("s", &real, 2, 3, 4), e = make("e", &real, 2, 3, 4);
    svm_brookRead(AT, s, h);
    brook_edge(AT, s, e);
    svm_brookPrint(AT, e);
    // CHECK: 4.00 4.00 4.00 1.00
    // CHECK-NEXT: 6.00 6.00 6.00 3.00
    // CHECK-NEXT: 3.00 3.00 3.00 0.00
    const int lo[] = {1, 1}, hi[] = {4, 3}, lo2[] = {0, 0}, hi2[] = {3, 2};
    brook_edge(AT, svm_brookDomain(AT, s, 2, lo, hi), svm_brookDomain(AT, e, 2, lo2, hi2));
    svm_brookPrint(AT, e);
    // CHECK-NEXT: 6.00 6.00 3.00 1.00
    // CHECK-NEXT: 3.00 3.00 0.00 3.00
    // CHECK-NEXT: 3.00 3.00 3.00 0.00
    brook_edge(AT, s, s); // from what it was
    svm_brookPrint(AT, s);
    // CHECK-NEXT: 4.00 4.00 4.00 1.00
    // CHECK-NEXT: 6.00 6.00 6.00 3.00
    // CHECK-NEXT: 3.00 3.00 3.00 0.00
    svm_brookRelease(&s);
    svm_brookRelease(&e);
}

static void ramps(void)
{
    const ptrdiff_t extents[] = {2, 4};
    const float from[] = {0, 10}, to[] = {8, 20}, h[] = {1, 100};
    svm_BrookStream it = svm_brookIterator(AT, "it", &two, 2, extents, from, to), scale = make("scale", &real, 2, 1, 2),
                    x = make("x", &real, 2, 2, 4), yz = make("yz", &two, 2, 2, 4);
    svm_brookRead(AT, scale, h);
    brook_ramp(AT, it, scale, x, yz);
    svm_brookPrint(AT, x);
    svm_brookPrint(AT, yz);
    svm_brookPrint(AT, it);
    // CHECK-NEXT: 0.00 2.00 4.00 6.00
    // CHECK-NEXT: 0.00 2.00 4.00 6.00
    // CHECK-NEXT: {10.00, 0.00}{10.00, 2.00}{10.00, 400.00}{10.00, 600.00}
    // CHECK-NEXT: {15.00, 0.00}{15.00, 2.00}{15.00, 400.00}{15.00, 600.00}
    // CHECK-NEXT: {0.00, 10.00}{2.00, 10.00}{4.00, 10.00}{6.00, 10.00}
    // CHECK-NEXT: {0.00, 15.00}{2.00, 15.00}{4.00, 15.00}{6.00, 15.00}
    svm_brookRelease(&it);
    svm_brookRelease(&scale);
    svm_brookRelease(&x);
    svm_brookRelease(&yz);
}

static void reductions(void)
{
    float h[24], r = 77;
    for (int i = 0; i < 24; i++)
        h[i] = (float)i;
    svm_BrookStream a = make("a", &real, 1, 6, 0), b = make("b", &real, 1, 3, 0), c = make("c", &real, 2, 2, 3),
                    d = make("d", &real, 2, 2, 1), e = make("e", &real, 2, 1, 3), f = make("f", &real, 2, 4, 6);
    svm_brookRead(AT, a, h);
    svm_brookRead(AT, c, h);
    svm_brookRead(AT, f, h);
    brook_digits(AT, a, &r);
    printf("%g\n", r);
    brook_digits_partial(AT, a, b);
    svm_brookPrint(AT, b);
    brook_digits_partial(AT, c, d);
    svm_brookPrint(AT, d);
    brook_digits_partial(AT, c, e);
    svm_brookPrint(AT, e);
    const int lo[] = {1, 1}, hi[] = {3, 3};
    brook_digits(AT, svm_brookDomain(AT, f, 2, lo, hi), &r);
    printf("%g\n", r);
    // CHECK-NEXT: 12345
    // CHECK-NEXT: 1.00 23.00 45.00
    // CHECK-NEXT: 12.00
    // CHECK-NEXT: 345.00
    // CHECK-NEXT: 3.00 14.00 25.00
    // CHECK-NEXT: 7944
    svm_BrookStream *const all[] = {&a, &b, &c, &d, &e, &f};
    for (int i = 0; i < 6; i++)
        svm_brookRelease(all[i]);
}

static void variable(void)
{
    const float h[] = {3, 0, 1, 2};
    svm_BrookStream a = make("a", &real, 1, 4, 0), t = make("t", &real, 2, 2, 2), v = make("v", &two, 1, 1, 0),
                    w = make("w", &two, 2, 1, 1);
    svm_brookRead(AT, a, h);
    svm_brookRead(AT, t, h);
    brook_pairs(AT, a, 0, &v);
    svm_brookPrint(AT, v);
    brook_pairs(AT, t, -1, &w);
    svm_brookPrint(AT, w);
    brook_pairs(AT, a, 3, &v);
    printf("%zu left\n", svm_brookCount(v));
    // CHECK-NEXT: {3.00, 0.00}{3.00, 0.00}{3.00, 0.00}{1.00, 2.00}{2.00, 3.00}{2.00, 3.00}
    // CHECK-NEXT: {3.00, 0.00}{3.00, 0.00}
    // CHECK-NEXT: {3.00, 0.00}{3.00, 0.00}
    // CHECK-NEXT: {0.00, 1.00}{1.00, 0.00}
    // CHECK-NEXT: {1.00, 0.00}{2.00, 1.00}
    // CHECK-NEXT: {2.00, 1.00}{2.00, 1.00}
    // CHECK-NEXT: 0 left
    svm_brookRelease(&a);
    svm_brookRelease(&t);
    svm_brookRelease(&v);
    svm_brookRelease(&w);
}

static void others(void)
{
    const int32_t h[] = {0, 1, 2, 3, 4, 5};
    svm_BrookStream a = make("a", &whole, 1, 6, 0), b = make("b", &whole, 1, 6, 0);
    svm_brookRead(AT, a, (const int32_t[]){9, 8, 7, 6, 5, 4});
    svm_brookRead(AT, b, h);
    brook_large(AT, b, a);
    svm_brookPrint(AT, a);
    // CHECK-NEXT: 9 8 7 3 4 5
    const float bodies[] = {1, 2, 3, 4, 5, 6}, v[] = {10, 20};
    svm_BrookStream p = make("p", &body, 1, 2, 0);
    svm_brookRead(AT, p, bodies);
    brook_move(AT, p, v, p, p);
    svm_brookPrint(AT, p);
    // CHECK-NEXT: {11.00, 5.00, 3.00}{14.00, 5.00, 6.00}
    const ptrdiff_t in[] = {1, 2, 2}, out[] = {2, 2, 4};
    svm_BrookStream small = svm_brookMake(AT, "small", &precise, 3, in), at = svm_brookMake(AT, "at", &whole, 3, out);
    svm_brookRead(AT, small, (const double[]){0, 0, 0, 0});
    brook_where(AT, small, at);
    svm_brookPrint(AT, at);
    // CHECK-NEXT: 0 0 1 1
    // CHECK-NEXT: 10 10 11 11
    // CHECK-NEXT: 0 0 1 1
    // CHECK-NEXT: 10 10 11 11
    svm_BrookStream *const all[] = {&a, &b, &p, &small, &at};
    for (int i = 0; i < 5; i++)
        svm_brookRelease(all[i]);
}

int main(void)
{
    edges();
    ramps();
    reductions();
    variable();
    others();
    return 0;
}
