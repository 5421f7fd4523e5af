// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The machines that programs linked without a table of their own may name. They repeat what targets/host.yaml and
// targets/simple-svm.yaml say of sizes and reach (test/runtime/tables.test holds them together).
#include "svm/machine_table.h"

#define KIB UINT64_C(1024)

static const int memory0[] = {0}, memory1[] = {1}, memory2[] = {2}, memories012[] = {0, 1, 2}, processor0[] = {0};

#define MEMORY(text, bytes, ...) {.name = text, .size = (bytes), __VA_ARGS__}
#define PROCESSOR(text, what, memories)                                                                                \
    {                                                                                                                  \
        .name = text, .kind = SVM_PROCESSOR_##what, .reaches = (memories),                                             \
        .reachCount = (int)(sizeof(memories) / sizeof *(memories))
#define CONTROL(text, memories)                                                                                        \
    PROCESSOR(text, CONTROL, memories)                                                                                 \
    }
#define SLAVE(text, what, memories)                                                                                    \
    PROCESSOR(text, what, memories), .masters = processor0, .masterCount = 1                                           \
    }

static const svm_MemoryRow simpleMemories[] = {
    MEMORY("GMEM", 64 * KIB * KIB, .alignment = 16),
    MEMORY("LMEM1", 128 * KIB, .local = true),
    MEMORY("LMEM2", 128 * KIB, .local = true),
};
static const svm_ProcessorRow simpleProcessors[] = {
    CONTROL("PROC0", memory0),       SLAVE("PROC1", KERNEL, memory1),        SLAVE("PROC2", KERNEL, memory2),
    SLAVE("HOST0", KERNEL, memory0), SLAVE("DMA_ENGINE1", DMA, memories012), SLAVE("DMA_ENGINE2", DMA, memories012),
};
static const svm_MachineTable simpleTable = {"simple-svm", simpleMemories, 3, simpleProcessors, 6, NULL};

static const svm_MemoryRow hostMemories[] = {MEMORY("GMEM", 16 * KIB * KIB * KIB, .alignment = 64)};
static const svm_ProcessorRow hostProcessors[] = {
    CONTROL("CPU", memory0),
    SLAVE("CORE0", KERNEL, memory0),
    SLAVE("DMA0", DMA, memory0),
};

__attribute__((weak)) const svm_MachineTable svm_machineTable = {
    "host", hostMemories, 1, hostProcessors, 3, &simpleTable,
};
