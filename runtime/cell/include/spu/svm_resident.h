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
// Where the local memory of the SVM C begins: behind code, data and stack.
uint32_t svm_cellLocalBegin(void);
// Programs that predict time count what kernels do (svm/sim_table.h); elsewhere these are not there.
#define SVM_SIM_CLASSES 32
extern uint64_t svm_simCounts[SVM_SIM_CLASSES] __attribute__((weak));
extern uint64_t svm_simFirings __attribute__((weak));
extern double svm_simFiringCycles __attribute__((weak));
// Command `number` has an index that it must not have.
void svm_cellBadIndex(uint32_t number);

#endif
