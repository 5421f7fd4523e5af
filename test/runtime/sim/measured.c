// The host measures kernels when it is told to, in the units that are known of each; the simulator predicts from that file.
// RUN: rm -rf %t.d && mkdir %t.d && cd %t.d && %host -o host && %sim -o sim
// RUN: ./host && not test -e profile
// RUN: env SVM_PROFILE_OUT=profile ./host
// RUN: FileCheck --input-file=profile %s
//      CHECK: svm-profile 1
//  CHECK-DAG: {{^}}kernel "fires" processor "CORE0" unit firings runs 20 start {{[0-9.e-]+}} per-unit {{[0-9.e-]+}} total {{[0-9.e-]+}}{{$}}
//  CHECK-DAG: {{^}}kernel "pushes" processor "CORE0" unit elements runs 20 start
//  CHECK-DAG: {{^}}kernel "pops" processor "CORE0" unit elements runs 20 start
//  CHECK-DAG: {{^}}kernel "works" processor "CORE0" unit runs runs 20 start
//  CHECK-NOT: kernel
// RUN: grep -c '^kernel' profile | FileCheck --check-prefix=FOUR %s
// FOUR: {{^}}4
// RUN: env SVM_SIM_PROFILE=profile SVM_SIM_COSTS=profile SVM_SIM_REPORT=report ./sim && FileCheck --check-prefix=REPORT --input-file=report %s
// REPORT: CORE0 {{.*}}%
// RUN: not env SVM_PROFILE_OUT=no/such/folder ./host 2>&1 | FileCheck --check-prefix=FOLDER %s
// FOLDER: host: error: cannot write the profile 'no/such/folder': No such file or directory
#include "check.h"

SVM_MACHINE("host");
SVM_MEMORY(GMEM);
SVM_PROCESSOR(CORE0);
SVM_PROCESSOR(DMA0);

static svm_Stream s;
static int rounds;

static void fires(svm_Kernel *k)
{
    svm_kernelFirings(k, (size_t)rounds);
}
static void pushes(svm_Kernel *k)
{
    for (int i = 0; i < 10 + rounds; i++)
        svm_streamPush(&s, &i);
    (void)k;
}
static void pops(svm_Kernel *k)
{
    for (int i = 0; i < 10 + rounds; i++)
        svm_streamPop(&s, NULL);
    (void)k;
}
static void works(svm_Kernel *k)
{
    (void)k;
}

int main(void)
{
    static svm_KernelFunction *const functions[] = {fires, pushes, pops, works};
    static const char *const names[] = {"fires", "pushes", "pops", "works"};
    svm_Kernel kernels[4];
    svm_streamInitRAM(&s, &GMEM, svm_alloc(&GMEM, 16), 4, 4);
    for (int i = 0; i < 4; i++)
        svm_kernelInit(&kernels[i], &CORE0, functions[i], names[i]);
    svm_kernelNeverBlocks(&kernels[3]);
    svm_Block a, b; // transfers are not measured
    svm_blockInit(&a, &GMEM, svm_alloc(&GMEM, 64), 16, 4);
    svm_blockInit(&b, &GMEM, svm_alloc(&GMEM, 64), 16, 4);
    svm_MoveB2B move;
    svm_moveB2BInit(&move, &DMA0, &a, &b);
    for (rounds = 1; rounds <= 20; rounds++) {
        for (int i = 0; i < 4; i++)
            svm_kernelRun(&kernels[i]);
        svm_kernelRun(&move.kernel);
        for (int i = 0; i < 4; i++)
            svm_kernelWait(&kernels[i]);
        svm_kernelWait(&move.kernel);
    }
    return 0;
}
