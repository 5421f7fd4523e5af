// Kernels that take turns with a stream, as dependences order them: each may be run again, and so be pending, while another has
// its turn; one that comes while another has not finished is misuse all the same.
// RUN: %host -o %t && %t
// RUN: %host-gcc -o %t && %t
// RUN: %host-asan -o %t && %t
// RUN: %host-tsan -o %t && %t
#include "check.h"

SVM_MACHINE("host");
SVM_MEMORY(GMEM);
SVM_PROCESSOR(CORE0);

enum { TURNS = 50, COUNT = 7 };

typedef struct Turn {
    svm_Kernel kernel;
    svm_Stream *stream;
    int *next;
} Turn;

static void pushes(svm_Kernel *k)
{
    Turn *t = (Turn *)k;
    for (int i = 0; i < COUNT; i++) {
        int v = (*t->next)++;
        svm_streamPush(t->stream, &v);
    }
}

static void pops(svm_Kernel *k)
{
    Turn *t = (Turn *)k;
    for (int i = 0; i < COUNT; i++) {
        int v;
        svm_streamPop(t->stream, &v);
        CHECK(v == (*t->next)++);
    }
}

int main(void)
{
    svm_Stream s;
    int pushed = 0, popped = 0;
    Turn push[2], pop[2];
    svm_streamInit(&s, &GMEM, svm_alloc(&GMEM, 3 * sizeof(int)), 3, sizeof(int));
    for (int i = 0; i < 2; i++) {
        push[i] = (Turn){.stream = &s, .next = &pushed};
        pop[i] = (Turn){.stream = &s, .next = &popped};
        svm_kernelInit(&push[i].kernel, &CORE0, pushes, "pushes");
        svm_kernelInit(&pop[i].kernel, &CORE0, pops, "pops");
    }
    for (int i = 0; i < 2; i++) {
        svm_kernelAddDependence(&push[i].kernel, &push[1 - i].kernel);
        svm_kernelAddDependence(&pop[i].kernel, &pop[1 - i].kernel);
    }
    for (int turn = 0; turn < TURNS; turn++) {
        int i = turn % 2;
        if (turn > 1) { // the other's last run is under way, and this one's comes behind it
            svm_kernelWait(&push[i].kernel);
            svm_kernelWait(&pop[i].kernel);
        }
        svm_kernelRun(&push[i].kernel);
        svm_kernelRun(&pop[i].kernel);
    }
    for (int i = 0; i < 2; i++) {
        svm_kernelWait(&push[i].kernel);
        svm_kernelWait(&pop[i].kernel);
    }
    CHECK(popped == TURNS * COUNT);
    CHECK(svm_streamCount(&s) == 0);
    return 0;
}
