// A kernel written in stream IR is compiled to a function that a C program calls with streams: whole, in place, with inputs of other extents.
// RUN: split-file %s %t
// RUN: svmc --emit=svm-c -x sir %t/saxpy.sir -o %t/saxpy.svm.c
// RUN: svmc --emit=header -x sir %t/saxpy.sir -o %t/saxpy.h
// RUN: svm-llc -O2 %t/saxpy.svm.c %t/main.c -o %t/saxpy
// RUN: %t/saxpy | FileCheck %t/main.c
// RUN: svmc --c-level=0 --interpret-kernels %t/saxpy.sir %t/main.c -o %t/interpreted
// RUN: %t/interpreted | FileCheck %t/main.c
// RUN: %t/interpreted again | tail -1 | FileCheck --check-prefix=KEPT %t/main.c
// RUN: svmc -O0 %t/saxpy.sir %t/main.c -o %t/saxpy
// RUN: %t/saxpy | FileCheck %t/main.c
// RUN: svmc -O3 --machine=host-4 %t/saxpy.sir %t/main.c -o %t/saxpy
// RUN: %t/saxpy | FileCheck %t/main.c

//--- saxpy.sir
module saxpy
filter saxpy: void -> void finite {
    uniform $k: float
    in $x: float
    in $y: float
    out $z: float
    work {
        $z = $k * $x + $y
    }
}
//--- main.c
#include <malloc.h>
#include <stdio.h>

#include "saxpy.h"

static const svm_BrookType real = {"float", "f"};

static svm_BrookStream make(const char *name, int rank, ptrdiff_t a, ptrdiff_t b)
{
    const ptrdiff_t extents[] = {a, b};
    return svm_brookMake(SVM_BROOK_HERE, name, &real, rank, extents);
}

// What a call takes of memory it gives back.
static void callAgain(svm_BrookStream x, svm_BrookStream z)
{
    size_t before = 0;
    for (int i = 0; i < 100; i++) {
        brook_saxpy(SVM_BROOK_HERE, 2.0f, x, x, z);
        before = i == 49 ? mallinfo2().uordblks : before;
    }
    printf("bytes kept: %zu\n", mallinfo2().uordblks - before);
    // KEPT: bytes kept: 0
}

int main(int argc, char **argv)
{
    (void)argv;
    float h[12];
    for (int i = 0; i < 12; i++)
        h[i] = (float)i;
    svm_BrookStream x = make("x", 2, 3, 4), y = make("y", 2, 3, 4), z = make("z", 2, 3, 4), w = make("w", 2, 1, 2);
    svm_brookRead(SVM_BROOK_HERE, x, h);
    svm_brookRead(SVM_BROOK_HERE, y, h);
    svm_brookRead(SVM_BROOK_HERE, w, h + 1);
    brook_saxpy(SVM_BROOK_HERE, 10.0f, x, y, z);
    svm_brookPrint(SVM_BROOK_HERE, z);
    // CHECK: 0.00 11.00 22.00 33.00
    // CHECK-NEXT: 44.00 55.00 66.00 77.00
    // CHECK-NEXT: 88.00 99.00 110.00 121.00

    // In place.
    brook_saxpy(SVM_BROOK_HERE, 1.0f, x, z, z);
    svm_brookPrint(SVM_BROOK_HERE, z);
    // CHECK-NEXT: 0.00 12.00 24.00 36.00
    // CHECK-NEXT: 48.00 60.00 72.00 84.00
    // CHECK-NEXT: 96.00 108.00 120.00 132.00

    // A row of two elements, each of them four times below each other and twice in a row.
    brook_saxpy(SVM_BROOK_HERE, 100.0f, w, x, z);
    svm_brookPrint(SVM_BROOK_HERE, z);
    // CHECK-NEXT: 100.00 101.00 202.00 203.00
    // CHECK-NEXT: 104.00 105.00 206.00 207.00
    // CHECK-NEXT: 108.00 109.00 210.00 211.00

    // Every second element of the middle row goes into two.
    const int lo[] = {0, 1}, hi[] = {4, 2}, lo2[] = {1, 0}, hi2[] = {3, 1};
    brook_saxpy(SVM_BROOK_HERE, 1.0f, svm_brookDomain(SVM_BROOK_HERE, x, 2, lo, hi),
                svm_brookDomain(SVM_BROOK_HERE, x, 2, lo, hi), svm_brookDomain(SVM_BROOK_HERE, z, 2, lo2, hi2));
    svm_brookPrint(SVM_BROOK_HERE, z);
    // CHECK-NEXT: 100.00 8.00 12.00 203.00
    // CHECK-NEXT: 104.00

    // The column of a stream, onto the next: views of one stream that lie beside each other.
    const int left[] = {0, 0}, right[] = {1, 0}, leftEnd[] = {1, 3}, rightEnd[] = {2, 3};
    svm_BrookStream column = svm_brookDomain(SVM_BROOK_HERE, x, 2, left, leftEnd);
    brook_saxpy(SVM_BROOK_HERE, 0.5f, column, column, svm_brookDomain(SVM_BROOK_HERE, x, 2, right, rightEnd));
    svm_brookPrint(SVM_BROOK_HERE, x);
    // CHECK: 0.00 0.00 2.00 3.00
    // CHECK-NEXT: 4.00 6.00 6.00 7.00
    // CHECK-NEXT: 8.00 12.00 10.00 11.00

    // Shifted by one in place: all is read before it is written.
    const int a[] = {0, 0}, aEnd[] = {3, 3}, b[] = {1, 0}, bEnd[] = {4, 3};
    svm_BrookStream before = svm_brookDomain(SVM_BROOK_HERE, y, 2, a, aEnd);
    brook_saxpy(SVM_BROOK_HERE, 10.0f, before, before, svm_brookDomain(SVM_BROOK_HERE, y, 2, b, bEnd));
    svm_brookPrint(SVM_BROOK_HERE, y);
    // CHECK-NEXT: 0.00 0.00 11.00 22.00
    // CHECK-NEXT: 4.00 44.00 55.00 66.00
    // CHECK-NEXT: 8.00 88.00 99.00 110.00

    svm_BrookStream none = make("none", 2, 0, 4);
    brook_saxpy(SVM_BROOK_HERE, 10.0f, none, none, none);
    svm_brookPrint(SVM_BROOK_HERE, none);
    if (argc > 1)
        callAgain(x, z);
    svm_BrookStream *const all[] = {&x, &y, &z, &w, &none};
    for (int i = 0; i < 5; i++)
        svm_brookRelease(all[i]);
    if (argc == 1)
        puts("end");
    // CHECK-NEXT: end
    return 0;
}
