// Shows that kernels which do not fit the local store together have their code overlaid: regions of what blocks leave have it in
// turn, and kernels of different SPEs are in no one's way; what a load costs is told, and predicted; what does not fit even so is
// refused, with the bytes of each part.
//
// RUN: env SVM_CELL_CHECK_DMA=1 %svm-llc --target=cell --remarks %s -o %t 2>%t.remarks
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: env SVM_CELL_SEED=1 %t | FileCheck %s
// RUN: env SVM_CELL_SEED=2 %t | FileCheck %s
// RUN: %svm-llc --target=host %s -o %t.host && %t.host | FileCheck %s
// CHECK: 3540387234 2990553145 3377558661 3042103325
// REMARK: overlays.c:{{[0-9]+}}:{{[0-9]+}}: remark: the kernels do not fit the local store together: the code of 4, {{[0-9]+}} bytes, is overlaid in 2 regions of {{[0-9]+}} bytes, and comes by DMA before a run; {{[0-9]+}} bytes are always there
// REMARK: note: the code of '[[KERNEL:second|third|first]]', {{[0-9]+}} bytes, comes again after a run of '{{[a-z]+}}' on 'SPE0', which takes 0.{{[0-9]+}} us
// REMARK: note: the code of '{{[a-z]+}}', {{[0-9]+}} bytes, comes again after a run of '[[KERNEL]]' on 'SPE0', which takes 0.{{[0-9]+}} us
// REMARK-NOT: 'fourth'
// REMARK: remark: of each local store's 262144 bytes the SPEs' program takes
//
// Of five rounds the replay has twelve loads, three events each: two kernels load each time, two once.
// RUN: %svm-llc --target=cell-timed %s -o %t.timed
// RUN: env SVM_SIM_TRACE=%t.trace %t.timed | FileCheck %s && grep -o '"code"' %t.trace | wc -l | FileCheck %s --check-prefix=TRACE
// TRACE: 36
//
// The folder has a script for the vendor's linker, and builds the same program.
// RUN: rm -rf %t.folder && %svm-llc --target=cell -S %s -o %t.folder && make -C %t.folder && %t.folder/overlays | FileCheck %s
// RUN: FileCheck %s --check-prefix=SCRIPT < %t.folder/overlays.overlays.ld
// SCRIPT: OVERLAY :
// SCRIPT: .ovly_first { *(.text.first) }
// SCRIPT: INSERT BEFORE .text;
//
// RUN: not %svm-llc --target=cell -DBYTES=245000 %s -o %t 2>&1 | FileCheck %s --check-prefix=FULL
// FULL: overlays.c:97:5: error: blocks take 245016 bytes of 'LS0' and the SPEs' program {{[0-9]+}}, which are {{[0-9]+}} more than its 262144: the program's code has {{[0-9]+}}, constants and the commands' ring {{[0-9]+}}, the stack {{[0-9]+}}
// FULL: note: '{{first|second|third|fourth}}' has {{[0-9]+}} bytes of the code, and {{[0-9]+}} always have to be there; the code of other kernels, {{[0-9]+}} bytes, could be overlaid
#include <stdio.h>

#include <svm/program.h>

SVM_MACHINE("cell-qs20");
SVM_MEMORY(LS0);
SVM_MEMORY(LS1);
SVM_PROCESSOR(SPE0);
SVM_PROCESSOR(SPE1);

#ifndef BYTES
#define BYTES 234304
#endif
#ifndef ROUNDS
#define ROUNDS 5
#endif

typedef struct {
    svm_Kernel kernel;
    unsigned value;
} Step;

/* Large code. */
#define ONCE(n) v = (v ^ ((n) * 0x9E3779B1u)) * 0x85EBCA6Bu; v ^= v >> 15;
#define EIGHT(n) ONCE(n) ONCE(n + 1) ONCE(n + 2) ONCE(n + 3) ONCE(n + 4) ONCE(n + 5) ONCE(n + 6) ONCE(n + 7)
#define MANY(n) EIGHT(n) EIGHT(n + 8) EIGHT(n + 16) EIGHT(n + 24) EIGHT(n + 32) EIGHT(n + 40) EIGHT(n + 48) EIGHT(n + 56)
#define LARGE(n) MANY(n) MANY(n + 64) MANY(n + 128)

SVM_KERNEL()
static void first(svm_Kernel *kernel)
{
    unsigned v = ((Step *)kernel)->value;
    LARGE(1)
    ((Step *)kernel)->value = v;
}

SVM_KERNEL()
static void second(svm_Kernel *kernel)
{
    unsigned v = ((Step *)kernel)->value;
    LARGE(1000)
    ((Step *)kernel)->value = v;
}

SVM_KERNEL()
static void third(svm_Kernel *kernel)
{
    unsigned v = ((Step *)kernel)->value;
    LARGE(2000)
    ((Step *)kernel)->value = v;
}

SVM_KERNEL()
static void fourth(svm_Kernel *kernel)
{
    unsigned v = ((Step *)kernel)->value;
    LARGE(3000)
    ((Step *)kernel)->value = v;
}

int main(void)
{
    static Step steps[4];
    svm_Block first_block, last_block;
    svm_blockInit(&first_block, &LS0, 0, 1, 4);
    svm_blockInit(&last_block, &LS0, 16, BYTES, 1);
    svm_kernelInit(&steps[0].kernel, &SPE0, first, "first");
    svm_kernelInit(&steps[1].kernel, &SPE0, second, "second");
    svm_kernelInit(&steps[2].kernel, &SPE0, third, "third");
    svm_kernelInit(&steps[3].kernel, &SPE1, fourth, "fourth");
    for (int n = 0; n < ROUNDS; n++) {
        for (int i = 0; i < 4; i++)
            svm_kernelRun(&steps[i].kernel);
        for (int i = 0; i < 4; i++)
            svm_kernelWait(&steps[i].kernel);
    }
    printf("%u %u %u %u\n", steps[0].value, steps[1].value, steps[2].value, steps[3].value);
    return 0;
}
