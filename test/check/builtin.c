// Shows: a kernel may use builtin functions of the compiler, which have no size that could be asked for.
// RUN: %svm-check %s | count 0
#include <svm/svm.h>

SVM_MACHINE("simple-svm");
SVM_PROCESSOR(PROC0);
SVM_PROCESSOR(PROC1);

typedef struct {
    svm_Kernel kernel;
    int n;
} K;

SVM_KERNEL()
static void run(svm_Kernel *kernel)
{
    K *self = (K *)kernel;
    if (__builtin_expect(self->n > 3, 0))
        self->n = 1;
}

SVM_CONTROL(PROC0)
static int control(K *k)
{
    svm_kernelInit(&k->kernel, &PROC1, run, "k");
    svm_kernelRun(&k->kernel);
    svm_kernelWait(&k->kernel);
    return 0;
}

int main(void)
{
    K k = {.n = 5};
    return control(&k);
}
