// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The machines that programs linked without a table of their own may name. They repeat what targets/host.yaml and
// targets/simple-svm.yaml say of sizes and reach (test/runtime/tables.test holds them together).
#include "svm/machine_table.h"

#define KIB UINT64_C(1024)

static const int memory0[] = {0}, memory1[] = {1}, memory2[] = {2}, memories012[] = {0, 1, 2};

static const svm_MemoryRow simpleMemories[] = {
    {"GMEM", 64 * KIB * KIB, 16, false},
    {"LMEM1", 128 * KIB, 0, true},
    {"LMEM2", 128 * KIB, 0, true},
};
static const svm_ProcessorRow simpleProcessors[] = {
    {"PROC0", SVM_PROCESSOR_CONTROL, memory0, 1},       {"PROC1", SVM_PROCESSOR_KERNEL, memory1, 1},
    {"PROC2", SVM_PROCESSOR_KERNEL, memory2, 1},        {"DMA_ENGINE1", SVM_PROCESSOR_DMA, memories012, 3},
    {"DMA_ENGINE2", SVM_PROCESSOR_DMA, memories012, 3},
};
static const svm_MachineTable simpleTable = {"simple-svm", simpleMemories, 3, simpleProcessors, 5, NULL};

static const svm_MemoryRow hostMemories[] = {{"GMEM", 16 * KIB * KIB * KIB, 64, false}};
static const svm_ProcessorRow hostProcessors[] = {
    {"CPU", SVM_PROCESSOR_CONTROL, memory0, 1},
    {"CORE0", SVM_PROCESSOR_KERNEL, memory0, 1},
    {"DMA0", SVM_PROCESSOR_DMA, memory0, 1},
};

__attribute__((weak)) const svm_MachineTable svm_machineTable = {
    "host", hostMemories, 1, hostProcessors, 3, &simpleTable,
};
