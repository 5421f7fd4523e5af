// Shows: the simulator's table has each machine under the name that the program has for it, with the whole text of the
// machine file, and each kernel with its cost: known when cost() says so, not when it is (0, 0), an estimate or missing.
// Objects that are compiled by themselves add theirs when they are linked.
// RUN: %svm-llc -c %S/Inputs/sim-counters.c -o %t-counters.o
// RUN: %svm-llc --target=sim -c %s -o %t.o && %svm-llc %t.o %t-counters.o -o %t && %t | FileCheck %s
// RUN: %svm-llc --target=sim --machine=host -c %s -o %t.o && %svm-llc %t.o %t-counters.o -o %t && %t | FileCheck %s --check-prefix=OTHER
// RUN: %svm-llc --target=sim -DMAIN -c %s -o %t-a.o && %svm-llc --target=sim -DPART -c %s -o %t-b.o
// RUN: %svm-llc %t-a.o %t-b.o %t-counters.o -o %t && %t | FileCheck %s --check-prefix=PARTS
// RUN: %svm-llc --target=sim -DNONE -c %s -o %t.o && %svm-llc %t.o %t-counters.o -o %t && %t | FileCheck %s --check-prefix=NONE
#include <stdio.h>
#include <string.h>
#include <svm/svm.h>
#include <svm/sim_table.h>

#ifdef PART
SVM_MACHINE("host");
SVM_PROCESSOR(CORE0);
#else
SVM_MACHINE("simple-svm");
#endif

#ifndef NONE
#ifndef PART
SVM_KERNEL(cost(10.5, 3))
static void timed(svm_Kernel *kernel) { (void)kernel; }
SVM_KERNEL(cost(0, 0))
static void untimed(svm_Kernel *kernel) { (void)kernel; }
SVM_KERNEL(estimate(7, 8))
static void estimated(svm_Kernel *kernel) { (void)kernel; }
SVM_KERNEL(cost(0, 2))
void exported(svm_Kernel *kernel) { (void)kernel; }
SVM_KERNEL()
static void silent(svm_Kernel *kernel) { (void)kernel; }
#endif

#ifndef MAIN
SVM_KERNEL(cost(1, 2))
static void part(svm_Kernel *kernel) { (void)kernel; }
#endif
#endif

#ifndef PART
int main(void)
{
    for (size_t i = 0; i < svm_simTable.machineCount; i++) {
        const svm_SimMachine *m = &svm_simTable.machines[i];
        printf("machine %s: %.*s\n", m->name, (int)strcspn(m->text, " #\n") + 11, m->text);
    }
    for (size_t i = 0; i < svm_simTable.kernelCount; i++) {
        const svm_SimKernel *k = &svm_simTable.kernels[i];
        printf("kernel %s %g %g %s%s\n", k->name, k->start, k->perFiring, k->known ? "known" : "unknown",
               k->run == NULL ? " nowhere" : "");
    }
    printf("%zu classes from %s to %s\n", svm_simTable.classCount, svm_simTable.classes[0],
           svm_simTable.classes[svm_simTable.classCount - 1]);
#ifndef NONE
    bool right = svm_simTable.kernels[0].run == timed && svm_simTable.kernels[1].run == untimed &&
                 svm_simTable.kernels[2].run == estimated && svm_simTable.kernels[3].run == exported &&
                 svm_simTable.kernels[4].run == silent;
    printf("functions %s\n", right ? "right" : "wrong");
#endif
    return 0;
}
#endif
// CHECK: {{^}}machine simple-svm: machine: simple-svm
// CHECK-NEXT: {{^}}kernel timed 10.5 3 known
// CHECK-NEXT: {{^}}kernel untimed 0 0 unknown
// CHECK-NEXT: {{^}}kernel estimated 0 0 unknown
// CHECK-NEXT: {{^}}kernel exported 0 2 known
// CHECK-NEXT: {{^}}kernel silent 0 0 unknown
// CHECK-NEXT: {{^}}kernel part 1 2 known
// CHECK-NEXT: {{^}}20 classes from int-add to branch
// CHECK-NEXT: {{^}}functions right
// OTHER: {{^}}machine simple-svm: machine: host
// PARTS: {{^}}machine simple-svm: machine: simple-svm
// PARTS-NEXT: {{^}}machine host: machine: host
// PARTS-NEXT: {{^}}kernel timed 10.5 3 known
// PARTS: {{^}}kernel silent 0 0 unknown
// PARTS-NEXT: {{^}}kernel part 1 2 known
// PARTS: functions right
// NONE: {{^}}machine simple-svm
// NONE-NEXT: {{^}}20 classes
