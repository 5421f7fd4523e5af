// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <svm/svm.h>
SVM_MACHINE("simple-svm");
SVM_MEMORY(GMEM); SVM_MEMORY(LMEM1); SVM_PROCESSOR(PROC1); SVM_PROCESSOR(DMA_ENGINE1);
#include <stdlib.h>
#include <string.h>
typedef struct T T;
struct T { svm_Kernel kernel; T *next, **list; union { svm_Stream s; svm_Block b; char bytes[9]; } u; struct { struct { svm_Kernel *k; } deep; }; int bits : 3; int flexible[]; };
static T *make(size_t n) { return malloc(sizeof(T) * n); }
static void (*const table[])(svm_Kernel *) = {svm_kernelRun, svm_kernelWait};
int main(int argc, char **argv)
{
    T *t = make((size_t)argc), *u = t + argc, v = *t, w[argc], *x = &w[argc - 1];
    char *bytes = (char *)t;
    ((T *)(bytes + 8))->next->list[argc]->u.s.elementSize = 0;
    *(svm_Kernel **)bytes = &(*t->list)->next->kernel;
    table[argc & 1](&u->kernel);
    (&v)[-3].deep.k = (svm_Kernel *)(argv - 7);
    svm_kernelWait((&v)[-3].deep.k);
    3[argv] = (char *)&x->flexible[1u << 31];
    memset(&v, 0, sizeof v);
    svm_streamInitRAM(&v.u.s, (mm_Mem)0, (size_t)-1, (size_t)-1 / 2, (size_t)-1);
    svm_streamInitRAM(&x->u.s, &LMEM1, 0x7fffffffffffffff, 0x7fffffffffffffff, 0x7fffffffffffffff);
    svm_blockInit((svm_Block *)&v, &GMEM, svm_alloc(&GMEM, -1) + 0x7fffffffffffffff + 0x7fffffffffffffff, 1, 1);
    svm_kernelAddDependence((svm_Kernel *)&v, (svm_Kernel *)&v);
    for (T *p = t; p; p = p->next) { svm_kernelAddDependence(&p->kernel, &p->next->kernel); svm_kernelRun(&p->kernel); }
    v = *(T *)memcpy(&v, t, sizeof v), v.bits++, --v.bits, v.bits <<= 70;
    return !!v.bits - ~v.bits + (argc ?: 2) + (int)sizeof(int[argc]) + __builtin_choose_expr(1, 2, 3);
}
