// A kernel that nothing waits for is found; not one that a kernel waited for depends on or reads from, also through others
// and through DMA kernels.
// RUN: not %svm-check %s 2>&1 | FileCheck --implicit-check-not=warning: %s
#include "Inputs/kernels.h"

typedef struct Program {
    Filter first, second, last, lost;
    svm_MoveS2S move, away;
    svm_Stream in, between, moved, out, sink;
} Program;

SVM_CONTROL(PROC0)
static int control(Program *self)
{
    svm_streamInitRAM(&self->in, &LMEM1, 0, 16, sizeof(float));
    svm_streamInitRAM(&self->between, &LMEM1, 64, 16, sizeof(float));
    svm_streamInitRAM(&self->moved, &LMEM2, 0, 16, sizeof(float));
    svm_streamInitRAM(&self->out, &LMEM2, 64, 16, sizeof(float));
    svm_streamInitRAM(&self->sink, &LMEM2, 128, 16, sizeof(float));
    plain_init(&self->first);
    filter_init(&self->second, &PROC1, &self->in, &self->between);
    svm_moveS2SInit(&self->move, &DMA_ENGINE1, &self->between, &self->moved, 10);
    filter_init(&self->last, &PROC2, &self->moved, &self->out);
    svm_kernelAddDependence(&self->second.kernel, &self->first.kernel);
    svm_kernelRun(&self->first.kernel);
    svm_kernelRun(&self->second.kernel);
    svm_kernelRun(&self->move.kernel);
    svm_kernelRun(&self->last.kernel);
    plain_init(&self->lost);
    // CHECK: never-waited.c:[[@LINE+3]]:5: warning: nothing waits for kernel 'program.lost', nor for one that runs after it [-Wnever-waited]
    // CHECK: kernels.h:49:5: note: 'program.lost' is initialised here
    svm_kernelAddDependence(&self->lost.kernel, &self->first.kernel);
    svm_kernelRun(&self->lost.kernel);
    svm_moveS2SInit(&self->away, &DMA_ENGINE1, &self->out, &self->sink, 10);
    // CHECK: never-waited.c:[[@LINE+1]]:5: warning: nothing waits for kernel 'program.away', nor for one that runs after it
    svm_kernelRun(&self->away.kernel);
    svm_kernelWait(&self->last.kernel);
    return 0;
}

int main(void)
{
    static Program program;
    return control(&program);
}
