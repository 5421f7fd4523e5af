// With -fany-extents inputs are resized whatever their extents are: element i * m / n of m, rounded down. Interpreted kernels do the same.
// RUN: split-file %s %t
// RUN: svmc --emit=header %t/copy.sir -o %t/copy.h
// RUN: svmc -fany-extents %t/copy.sir %t/main.c -o %t/copy
// RUN: %t/copy | FileCheck %t/main.c
// RUN: svmc --c-level=0 -fany-extents --interpret-kernels %t/copy.sir %t/main.c -o %t/copy
// RUN: %t/copy | FileCheck %t/main.c
// RUN: svmc --c-level=0 -fany-extents --machine=simple-svm %t/copy.sir %t/main.c -o %t/copy
// RUN: %t/copy | FileCheck %t/main.c

//--- copy.sir
module copy
filter copy: void -> void finite {
    in $a: float
    out $b: float
    work {
        $b = $a
    }
}
//--- main.c
#include "copy.h"

static const svm_BrookType real = {"float", "f"};

static void copy(int rank, const ptrdiff_t *from, const ptrdiff_t *to)
{
    const float h[] = {0, 1, 2, 3, 4, 5};
    svm_BrookStream a = svm_brookMake(SVM_BROOK_HERE, "a", &real, rank, from),
                    b = svm_brookMake(SVM_BROOK_HERE, "b", &real, rank, to);
    svm_brookRead(SVM_BROOK_HERE, a, h);
    brook_copy(SVM_BROOK_HERE, a, b);
    svm_brookPrint(SVM_BROOK_HERE, b);
    svm_brookRelease(&a);
    svm_brookRelease(&b);
}

int main(void)
{
    copy(1, (const ptrdiff_t[]){6}, (const ptrdiff_t[]){4});
    copy(1, (const ptrdiff_t[]){4}, (const ptrdiff_t[]){6});
    copy(2, (const ptrdiff_t[]){3, 2}, (const ptrdiff_t[]){2, 3});
    // CHECK: 0.00 1.00 3.00 4.00
    // CHECK-NEXT: 0.00 0.00 1.00 2.00 2.00 3.00
    // CHECK-NEXT: 0.00 0.00 1.00
    // CHECK-NEXT: 2.00 2.00 3.00
    return 0;
}
