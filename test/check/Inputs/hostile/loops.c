// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <svm/svm.h>
SVM_MACHINE("simple-svm");
SVM_MEMORY(GMEM); SVM_MEMORY(LMEM1); SVM_PROCESSOR(PROC1); SVM_PROCESSOR(DMA_ENGINE1);
static svm_Kernel kernels[100000];
static int table[1000][1000];
int main(int argc, char **argv)
{
    (void)argv;
    for (;;) { if (argc--) break; for (int i = 0;; i++) if (table[i][i]) goto out; }
    for (long i = 0; i < 100000000000; i++) { for (int j = 0; j < 1000; j++) table[j][i] = j; svm_kernelRun(&kernels[i]); }
    while (1) { do { continue; } while (0); if (argc) break; }
    for (int i = 0; i < 10; i--) table[i][-i] = 1 / i;
    switch (argc) { int x; case 1: x = 2; for (;;) { case 2: x--; default: if (x) break; } table[x][0] = 1; break; }
out:
    svm_kernelWaitMultiple(100000, (svm_Kernel *[100000]){&kernels[0]});
    svm_kernelWaitMultiple((size_t)-1, (svm_Kernel *[]){&kernels[5]});
    return 0;
}
