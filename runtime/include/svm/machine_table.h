// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a runtime must know of the machine a program names: its memories, its processors and who reaches what. svm-llc
// writes such a table from the machine file and links it in; the runtime library holds tables of `host` and
// `simple-svm` for programs linked without one.
#ifndef SVM_MACHINE_TABLE_H
#define SVM_MACHINE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum svm_ProcessorKind { SVM_PROCESSOR_CONTROL, SVM_PROCESSOR_KERNEL, SVM_PROCESSOR_DMA } svm_ProcessorKind;

typedef struct svm_MemoryRow {
    const char *name;
    uint64_t size;    // bytes
    size_t alignment; // of what svm_alloc returns, a power of two; 0: as malloc
    bool
        local; // addresses are offsets from 0, given out by the program; otherwise they come from svm_alloc and svm_map
    bool fifo; // a hardware queue (and local): it holds one stream
} svm_MemoryRow;

// The kinds of transfer that a DMA engine can make, as a bit set.
typedef enum svm_TransferKind {
    SVM_TRANSFER_MOVE = 1,
    SVM_TRANSFER_STRIDED = 2,
    SVM_TRANSFER_INDEXED = 4
} svm_TransferKind;

typedef struct svm_ProcessorRow {
    const char *name;
    svm_ProcessorKind kind;
    const int *reaches; // indices into memories
    int reachCount;
    unsigned transfers; // svm_TransferKind, of a DMA engine; 0: all
    size_t alignment;   // of a DMA engine: addresses and sizes of its transfers are multiples of it; 0: any
    const int *masters; // indices into processors: the control processors that may start kernels here
    int masterCount;    // 0: all may
} svm_ProcessorRow;

typedef struct svm_MachineTable {
    const char *name; // as SVM_MACHINE gives it
    const svm_MemoryRow *memories;
    int memoryCount;
    const svm_ProcessorRow *processors;
    int processorCount;
    const struct svm_MachineTable *next; // further machines, or NULL
} svm_MachineTable;

// The machines of this program: the one that svm-llc generated or, by default, the library's.
extern const svm_MachineTable svm_machineTable;

#ifdef __cplusplus
}
#endif

#endif
