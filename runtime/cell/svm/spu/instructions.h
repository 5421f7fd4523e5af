// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Between the resident loop and what programs with stream instructions have (instructions.c, words.c): the others leave it out
// when they are linked.
#ifndef SVM_SPU_INSTRUCTIONS_H
#define SVM_SPU_INSTRUCTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "svm/instructions.h"
#include "svm_cell.h"

struct svm_CellInstructing {
    void (*run)(const svm_CellCommand *c); // calls a kernel's function
    // A load or store, with that tag, of command `number`.
    void (*words)(const svm_CellCommand *c, uint32_t tag, uint32_t number);
};

void svm_cellWords(const svm_CellCommand *c, uint32_t tag, uint32_t number);

// ---- Operations (operations.c) ----

size_t svm_cellOperandBytes(uint32_t operation); // 0: it does not combine
void svm_cellCombine(uint32_t operation, void *to, const void *with, size_t count);

#endif
