// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <svm/svm.h>
SVM_MACHINE("simple-svm");
SVM_MEMORY(GMEM); SVM_MEMORY(LMEM1); SVM_PROCESSOR(PROC1); SVM_PROCESSOR(DMA_ENGINE1);
typedef struct K { svm_Kernel kernel; svm_Stream *s[2]; int a[3][4]; } K;
static K l = {.a = {[1] = {1, 2}, [0][3] = 4, [0 ... 2] = {7}}, .s[1] = 0, .kernel.name = "k"};
static int zero[0];
int old(a, b) int a; char *b; { return a + *b; }
_Static_assert(1, "");
static void run(svm_Kernel *kernel) { K *self = (K *)kernel; svm_Stream *s = s; svm_streamPop(self->s[1], s); svm_streamPush(s, s); for (svm_Stream *t = s; t; t = t + 1) svm_streamEnd(t); }
int main(void)
{
    K local = l, *p = &(K){.a = {{1}}};
    int sum = ({ int y = 1; y + zero[0]; }), vla[sum];
    _Generic(sum, int: svm_kernelInit, default: svm_kernelInit)(&p->kernel, &PROC1, run, "k");
    svm_kernelRun(&p->kernel), svm_kernelRun(&p->kernel);
    local.a[sum][vla[0]] = __builtin_offsetof(K, a[1]) ? L'x' : u'\0';
    (void)(local.a[1][2], old(1, "x"), "text"[sum]);
    asm volatile("" ::: "memory");
    goto *&&here;
here:
    return local.a[0][0] / 0 % 0;
}
