// What a program's environment asks for is written, and is the same every time; otherwise nothing is said. Each instance of a
// machine has results of its own. Iterations are timed.
// RUN: rm -rf %t.d && mkdir %t.d && cd %t.d && %sim -o results
// RUN: ./results | count 1
// RUN: env SVM_SIM_REPORT=- ./results 2 | FileCheck %s
//      CHECK: sum 100
//      CHECK: results on timed: 12.65 us
// CHECK-NEXT: 10 iterations, the first after 1.265 us, then one in 1.265 us
//  CHECK-NOT: timed
// RUN: env SVM_SIM_REPORT=r1 SVM_SIM_JSON=j1 SVM_SIM_TRACE=t1 SVM_SIM_GANTT=g1 ./results
// RUN: env SVM_SIM_REPORT=r2 SVM_SIM_JSON=j2 SVM_SIM_TRACE=t2 SVM_SIM_GANTT=g2 ./results
// RUN: diff r1 r2 && diff j1 j2 && diff t1 t2 && diff g1 g2
// RUN: FileCheck --check-prefix=TRACE --input-file=t1 %s
// TRACE: "traceEvents"
// RUN: FileCheck --check-prefix=GANTT --input-file=g1 %s
// GANTT: <svg
// RUN: FileCheck --check-prefix=JSON --input-file=j1 %s
// JSON: "iterations":{{ ?}}10
// RUN: env SVM_SIM_JSON=two ./results instances && diff two two.2
// RUN: not env SVM_SIM_JSON=no/such/folder ./results stop 2>&1 | FileCheck --check-prefix=FOLDER %s
// FOLDER: results: error: cannot write the report 'no/such/folder': No such file or directory
#include "timed.h"

static int sum;

static void work(svm_Kernel *k)
{
    svm_kernelFirings(k, 1000);
    for (int i = 0; i < 10; i++)
        sum++;
}
TIMED_KERNELS({work, "work", 0, 1, true});

static void run(void)
{
    svm_Kernel a;
    svm_Block from, to;
    svm_MoveB2B load;
    size_t address = svm_alloc(&GMEM, 100);
    svm_blockInit(&from, &GMEM, address, 100, 1);
    svm_blockInit(&to, &LMEM1, 0, 100, 1);
    svm_moveB2BInit(&load, &DMA1, &from, &to);
    svm_kernelInit(&a, &P1, work, "work");
    svm_kernelAddDependence(&a, &load.kernel);
    for (int i = 0; i < 10; i++) {
        svm_kernelRun(&load.kernel);
        svm_kernelRun(&a);
        if (i % 2 == 0)
            svm_kernelWait(&a);
        svm_kernelWaitMultiple(2, (svm_Kernel *[]){&a, &load.kernel});
        svm_simIteration();
    }
}

int main(int argc, char **argv)
{
    if (argc > 1 && *argv[1] == 'i') {
        svm_Machine *m[] = {svm_machineCreate(), svm_machineCreate()};
        for (int i = 0; i < 2; i++) {
            svm_machineUse(m[i]);
            run();
            svm_machineDestroy(m[i]);
        }
    } else {
        run();
    }
    printf("sum %d\n", sum);
    return argc > 1 && *argv[1] == 's';
}
