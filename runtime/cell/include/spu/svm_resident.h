// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the resident loop of an SPE needs of the program around it: svm-llc writes the kernels' table and the ring.
#ifndef SVM_RESIDENT_H
#define SVM_RESIDENT_H

#include <stdint.h>

#include "svm/svm.h"

// Kernels by their numbers in commands.
extern svm_KernelFunction *const svm_cellKernels[];
// Where commands are kept until they are complete: at least twice the largest.
extern unsigned char svm_cellRing[];
extern const uint32_t svm_cellRingBytes;
// Programs whose kernels do not fit the local store together: a kernel's code comes from memory before it runs, to a region
// that it shares with others. Elsewhere these are not there.
typedef struct svm_CellOverlay {
    uint32_t region, from, to,
        bytes; // from: in the program's code in memory; to: in svm_cellOverlayArea; bytes 0: it is resident
} svm_CellOverlay;
extern const svm_CellOverlay svm_cellOverlays[] __attribute__((weak)); // by the kernels' numbers
extern unsigned char svm_cellOverlayArea[] __attribute__((weak));
extern uint32_t svm_cellRegions[] __attribute__((weak)); // the number of the kernel that each region has, plus 1
void svm_cellCodeIsAt(uint64_t ea);
void svm_cellLoadCode(uint32_t kernel);
// Where the local memory of the SVM C begins: behind code, data and stack.
uint32_t svm_cellLocalBegin(void);
// Programs whose streams lie in local stores: svm_cellStreamsHere, and room for what is kept of each, 80 bytes. Elsewhere these
// are not there, nor what they need.
typedef struct svm_CellStreaming svm_CellStreaming;
extern const svm_CellStreaming svm_cellStreamsHere;
extern const svm_CellStreaming *const svm_cellStreaming __attribute__((weak));
extern unsigned char svm_cellStreams[];
// Programs in which kernels with such streams begin late: svm_cellTurnsHere. Elsewhere it is not there.
typedef struct svm_CellTurning svm_CellTurning;
extern const svm_CellTurning svm_cellTurnsHere;
extern const svm_CellTurning *const svm_cellTurning __attribute__((weak));
// Programs with stream instructions: svm_cellInstructionsHere. Elsewhere it is not there.
typedef struct svm_CellInstructing svm_CellInstructing;
extern const svm_CellInstructing svm_cellInstructionsHere;
extern const svm_CellInstructing *const svm_cellInstructing __attribute__((weak));
// A kernel does what it must not (an svmr_InstructionError of an svmr_InstructionFunction): it ends, and the SPE's program begins
// again behind it.
_Noreturn void svm_cellInstructionError(uint32_t function, const char *file, int line, uint32_t error, uint64_t object,
                                        size_t number);
// The SPE's number, and the effective address of signal register 1 of another.
uint32_t svm_cellSelf(void);
uint64_t svm_cellSignalOf(uint32_t spe);
// Programs that predict time count what kernels do (svm/sim_table.h); elsewhere these are not there.
#define SVM_SIM_CLASSES 32
extern uint64_t svm_simCounts[SVM_SIM_CLASSES] __attribute__((weak));
extern uint64_t svm_simFirings __attribute__((weak));
extern double svm_simFiringCycles __attribute__((weak));
// A stream is used (an svm_CellUse) as it must not be (an svm_CellMisuse): the program ends.
_Noreturn void svm_cellStreamError(const char *file, int line, uint32_t use, uint32_t misuse, uint32_t stream,
                                   uint64_t count, uint64_t acquired);
// Programs that predict time: the kernel of a command has used a stream (an svm_CellUse), and has counted so much until then.
void svm_cellUsed(uint32_t number, uint32_t kernel, uint32_t stream, uint32_t use, uint32_t count,
                  const uint64_t *counts, uint64_t firings, double cycles);
// Command `number` has an index that it must not have.
void svm_cellBadIndex(uint32_t number);

#endif
