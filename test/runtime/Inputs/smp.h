// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A machine for tests that need several processors which share memory, hardware queues, alignment and masters.
#ifndef SMP_H
#define SMP_H

#include "svm/machine_table.h"

static const svm_MemoryRow smpMemories[] = {
    {.name = "GMEM", .size = 1 << 26, .alignment = 16},
    {.name = "SCRATCH", .size = 1 << 16, .alignment = 16, .local = true},
    {.name = "QUEUE", .size = 64, .local = true, .fifo = true},
};
static const int smpAll[] = {0, 1, 2}, smpGlobal[] = {0}, smpControls[] = {0, 1}, smpSecond[] = {1};
#define SMP_ROW(text, what, memories, ...)                                                                             \
    {.name = text, .kind = SVM_PROCESSOR_##what, .reaches = memories, .reachCount = sizeof(memories) / sizeof(int),    \
     __VA_ARGS__}
static const svm_ProcessorRow smpProcessors[] = {
    SMP_ROW("CPU", CONTROL, smpGlobal, .masterCount = 0),
    SMP_ROW("CPU2", CONTROL, smpGlobal, .masterCount = 0),
    SMP_ROW("CORE0", KERNEL, smpAll, .masters = smpControls, .masterCount = 2),
    SMP_ROW("CORE1", KERNEL, smpAll, .masters = smpControls, .masterCount = 2),
    SMP_ROW("CORE2", KERNEL, smpAll, .masters = smpControls, .masterCount = 2),
    SMP_ROW("CORE3", KERNEL, smpAll, .masters = smpSecond, .masterCount = 1),
    SMP_ROW("DMA0", DMA, smpAll, .masters = smpControls, .masterCount = 2),
    SMP_ROW("DMA1", DMA, smpAll, .masters = smpControls, .masterCount = 2, .alignment = 16),
};
const svm_MachineTable svm_machineTable = {"smp", smpMemories, 3, smpProcessors, 8, NULL};

#include "svm/program.h"

SVM_MACHINE("smp");
SVM_MEMORY(GMEM);
SVM_MEMORY(SCRATCH);
SVM_MEMORY(QUEUE);
SVM_PROCESSOR(CPU);
SVM_PROCESSOR(CPU2);
SVM_PROCESSOR(CORE0);
SVM_PROCESSOR(CORE1);
SVM_PROCESSOR(CORE2);
SVM_PROCESSOR(CORE3);
SVM_PROCESSOR(DMA0);
SVM_PROCESSOR(DMA1);

#endif
