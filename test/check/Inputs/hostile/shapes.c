// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <svm/svm.h>
SVM_MACHINE("simple-svm");
SVM_MEMORY(GMEM); SVM_MEMORY(LMEM1); SVM_PROCESSOR(PROC1); SVM_PROCESSOR(DMA_ENGINE1);
#include <stdarg.h>
typedef struct K { svm_Kernel kernel; svm_Stream *s[2]; int a[3][4]; } K;
static K k = {.a = {[1] = {1, 2}, [0][3] = 4, [2].x = 1}, .s[1] = 0, .kernel.name = "k"};
static K l = {.a = {[1] = {1, 2}, [0][3] = 4}, .s[1] = 0, .kernel.name = "k"}, empty = {};
int unfinished(int n, ...) { va_list v; va_start(v, n); int i = va_arg(v, int); va_end(v); return i
