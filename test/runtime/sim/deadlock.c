// A deadlock's report says who has waited for what, and since when in simulated time; results are written after errors too.
// RUN: %sim -o %t && not env SVM_SIM_REPORT=%t.report %t 2>&1 | FileCheck --match-full-lines %s
// CHECK: {{.*}}deadlock.c:[[#@LINE+36]]: error: svm_kernelWait of 'second': the control thread waits for 'second' to finish; 'first' waits to pop from 'empty', which is empty; 'second' waits for 'first'; 'third' waits to push to 'full', which is full with 4 elements; it is 180.0 ns, and they wait: 'first' since 150.0 ns, 'second' since 0 s, 'third' since 180.0 ns [deadlock]
// RUN: FileCheck --check-prefix=REPORT --input-file=%t.report %s
// REPORT: on timed: 180.0 ns
#include "timed.h"

static svm_Stream empty, full;

static void pops(svm_Kernel *k)
{
    int v;
    svm_kernelFirings(k, 50);
    svm_streamPop(&empty, &v);
}
static void pushes(svm_Kernel *k)
{
    for (int i = 0; i < 5; i++) {
        svm_kernelFirings(k, 16);
        svm_streamPush(&full, &i);
    }
}
TIMED_KERNELS({pops, "pops", 0, 1, true}, {pushes, "pushes", 0, 1, true});

int main(void)
{
    svm_streamInitRAM(&empty, &LMEM1, 0, 4, 4);
    svm_streamName(&empty, "empty");
    svm_streamInitRAM(&full, &LMEM2, 0, 4, 4);
    svm_streamName(&full, "full");
    svm_Kernel first, second, third;
    svm_kernelInit(&first, &P1, pops, "first");
    svm_kernelInit(&second, &P1, pops, "second");
    svm_kernelInit(&third, &P2, pushes, "third");
    svm_kernelAddDependence(&second, &first);
    svm_kernelRun(&first);
    svm_kernelRun(&second);
    svm_kernelRun(&third);
    svm_kernelWait(&second);
    return 0;
}
