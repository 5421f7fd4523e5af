// A kernel that acquires and never releases, or releases what it did not acquire, is found; helpers and several windows
// are not.
// RUN: not %svm-check %s 2>&1 | FileCheck --implicit-check-not=warning: %s
#include "Inputs/kernels.h"

typedef struct Two {
    svm_Kernel kernel;
    svm_Stream *in, *out;
} Two;

SVM_KERNEL(cost(1, 0))
static void keeps_run(svm_Kernel *kernel)
{
    Two *self = (Two *)kernel;
    // CHECK: unmatched-acquire.c:[[@LINE+1]]:23: warning: kernel 'keeps_run' acquires elements of 'in', which are never discarded [-Wunmatched-acquire]
    const float *in = svm_streamPopAcquire(self->in, 4);
    float *out = svm_streamPushAcquire(self->out, 4);
    out[0] = in[0];
    svm_streamPushSend(self->out, 4);
}

SVM_KERNEL(cost(1, 0))
static void sends_run(svm_Kernel *kernel)
{
    Two *self = (Two *)kernel;
    // CHECK: unmatched-acquire.c:[[@LINE+1]]:5: warning: elements of 'out' are sent in kernel 'sends_run' without svm_streamPushAcquire
    svm_streamPushSend(self->out, 4);
}

SVM_KERNEL(cost(1, 0))
static void good_run(svm_Kernel *kernel)
{
    Two *self = (Two *)kernel;
    svm_Stream *in = self->in;
    const float *a = svm_streamPopAcquire(in, 4), *b = svm_streamPopAcquire(in, 4);
    float *out = svm_streamPushAcquire(self->out, 4);
    out[0] = a[0] + b[0];
    svm_streamPopDiscard(in, 8);
    svm_streamPushSend(self->out, 4);
}

static void release(svm_Stream *s)
{
    svm_streamPopDiscard(s, 4);
}

SVM_KERNEL(cost(1, 0))
static void helped_run(svm_Kernel *kernel)
{
    svm_streamPopAcquire(((Two *)kernel)->in, 4);
    release(((Two *)kernel)->in);
}

int main(void)
{
    return 0;
}
