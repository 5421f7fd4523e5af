// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sequences, on processors that repeat nothing by themselves. The Cell's do (runtime/cell/svm/ppu/repeat.c).
#include "svm/program.h"

#ifndef SVMR_QUEUES
svm_Sequence *svm_sequenceCreate(int places, mm_Mem memory, size_t bytes)
{
    (void)places, (void)memory, (void)bytes;
    return NULL;
}

void svm_sequenceAdd(svm_Sequence *s, svm_Kernel *k, int place, ptrdiff_t offset)
{
    (void)s, (void)k, (void)place, (void)offset;
}

bool svm_sequenceMade(svm_Sequence *s)
{
    (void)s;
    return false;
}

void svm_sequenceRun(svm_Sequence *s, int64_t times, svm_Block *const places[], const size_t steps[])
{
    (void)s, (void)times, (void)places, (void)steps;
}

void svm_sequencePace(svm_Sequence *s, int64_t done, int64_t of)
{
    (void)s, (void)done, (void)of;
}

void svm_sequenceWait(svm_Sequence *s, bool all)
{
    (void)s, (void)all;
}

void svm_sequenceDestroy(svm_Sequence *s)
{
    (void)s;
}
#endif
