// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The stream instructions' private parts: between launching (instructions.c) and what kernels see
// (instructions_kernel.c).
#ifndef SVM_COMMON_INSTRUCTIONS_H
#define SVM_COMMON_INSTRUCTIONS_H

#include "runtime/common/instructions_errors.h"
#include "runtime/common/internal.h"
#include "svm/instructions.h"

// The contents of an SRF register's stream, from the instruction that makes it to the last that uses it. Each writing
// instruction makes a new one when it is launched, so an instruction launched later never changes what an earlier one
// reads. Reference counts change on the control thread only.
typedef struct svmr_SrfStream {
    size_t records;       // in it
    size_t resume;        // where a suspended kernel stopped reading
    svm_StreamSRFReg reg; // as it was then
    size_t users;
} svmr_SrfStream;

// What kernels do wrong.
typedef struct svmr_InstructionErrorRow {
    svm_Error error;
    const char *text; // of a number
} svmr_InstructionErrorRow;
extern const svmr_InstructionErrorRow svmr_instructionErrors[];

// A stream as a running kernel sees it.
typedef struct svmr_SrfPort {
    svmr_SrfStream *stream;
    svm_Block block; // its words
    size_t position; // records read or written
    bool reached;    // the processor reaches the SRF
} svmr_SrfPort;

typedef struct svmr_Instruction svmr_Instruction;
struct svmr_Instruction {
    union { // first: the instruction is found by its kernel
        svm_Kernel kernel;
        svm_GatherStridedB2B load;
        svm_ScatterStridedB2B store;
        svm_GatherIndexedB2B loadIndexed;
        svm_ScatterIndexedB2B storeIndexed;
    };
    svm_Fence fence;
    svm_StreamUnit *unit;
    bool initialised;                // the kernel was, at least once
    bool barrier;                    // no kernel: it has completed when all before it have
    bool (*transfer)(svm_Kernel *k); // of a load or store: what the wrapped step does
    svm_Block memory, data, indices; // of a load or store
    svmr_SrfPort *ports;             // inputs, outputs; a load's or store's data, indices
    size_t portCount, portCap, inputs;
    size_t firstParameter;
    size_t most;          // records that a load may load or a store store
    bool stores, indexed; // of a load or store
    bool suspended, restored;
    svmr_Instruction *next; // of the spare ones
};

// ---- For nodes.c ----

// The register, if its stream lies in the SRF.
const svm_StreamSRFReg *svmr_srfRegister(svm_StreamUnit *u, size_t srf, svmr_Place at);
// Loads and stores of records one after the other; a store needs room for as many as the register has.
svm_Fence svmr_loadDense(svm_StreamUnit *u, size_t address, size_t records, size_t srf, size_t count,
                         const svm_Fence fences[], svmr_Place at);
svm_Fence svmr_storeDense(svm_StreamUnit *u, size_t srf, size_t address, size_t count, const svm_Fence fences[],
                          svmr_Place at);
// The fences of a list that begins with their number.
const svm_Fence *svmr_fenceList(svm_StreamUnit *u, size_t length, const svm_Fence list[], size_t *count, svmr_Place at);

#endif
