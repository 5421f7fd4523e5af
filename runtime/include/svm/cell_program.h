// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What svm-llc puts behind the SVM C on the PPE's side of a Cell program: the SPEs' program, and of each kernel how the
// fields of its struct lie on both sides. The PPE's runtime copies them into the commands that it queues for SPEs, and
// back what a run has changed.
#ifndef SVM_CELL_PROGRAM_H
#define SVM_CELL_PROGRAM_H

#include "svm/svm.h"

// spe_program_handle_t of libspe2.h, which declares names of the C library that the SVM C may have for its own.
struct spe_program_handle;

typedef enum svm_CellFieldKind {
    SVM_CELL_BYTES, // the same on both sides
    SVM_CELL_INT,   // signed and unsigned numbers of 64 bits here and 32 there: long, ptrdiff_t, size_t
    SVM_CELL_UINT,
    SVM_CELL_BLOCK,   // pointers to blocks
    SVM_CELL_OBJECT,  // blocks
    SVM_CELL_STREAM,  // pointers to streams in the local store
    SVM_CELL_ADDRESS, // pointers that the SPE hands back to the PPE: logs
    SVM_CELL_NOTHING  // pointers that the SPE does not use
} svm_CellFieldKind;

// Fields that lie one after the other on both sides.
typedef struct svm_CellField {
    uint32_t ppe, spe; // offsets
    svm_CellFieldKind kind;
    uint32_t count; // BYTES: of bytes
    const char *name;
} svm_CellField;

typedef struct svm_CellKernel {
    svm_KernelFunction *run;
    const char *name;
    int number;     // in the SPEs' table; -1: no SPE can run it, so the PPE does, in the SPE's mapped local store
    uint32_t bytes; // of the struct on the SPE
    const svm_CellField *fields;
    size_t fieldCount;
    uint32_t region, codeBytes; // where its code is overlaid: the number of the region in the local store, from 1 on
    bool inputFirst;            // SVM_KERNEL(input_first), and its streams are SPEs'
} svm_CellKernel;

typedef struct svm_CellProgram {
    struct spe_program_handle *image; // NULL: there are no kernels for SPEs
    // Of the SPEs' program, counted against the local store where code lies elsewhere (the emulation); else 0.
    uint32_t codeBytes;
    const svm_CellKernel *kernels;
    size_t kernelCount;
    // Where kernels do not fit the local store together: the code of those that are overlaid, at a multiple of 128.
    const unsigned char *overlays;
    uint32_t regionCount;
    bool instructions; // kernels, loads and stores of stream instructions are SPEs'
    uint32_t streams;  // that each SPE has room for; 0: streams are the PPE's
} svm_CellProgram;

extern const svm_CellProgram svm_cellProgram;

#endif
