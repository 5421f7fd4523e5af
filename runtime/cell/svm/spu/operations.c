// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operations that combine elements, on an SPE.
#define SVM_NO_PLACES
#include "instructions.h"
#include "runtime/common/instructions_errors.h"
#include "runtime/common/operations_apply.h"
#include "svm_resident.h"

size_t svm_cellOperandBytes(uint32_t operation)
{
    switch (operation) {
#define OPERATION(id, type, expression)                                                                                \
    case SVM_##id: return sizeof(type);
#include "runtime/common/operations.def"
    default: return 0;
    }
}

void svm_cellCombine(uint32_t operation, void *to, const void *with, size_t count)
{
    switch (operation) {
#define OPERATION(id, type, expression)                                                                                \
    case SVM_##id: apply_##id(to, with, count); break;
#include "runtime/common/operations.def"
    }
}

void svm_combineAt(svm_Operation operation, void *into, const void *with, size_t count, const char *file, int line)
{
    if (svm_cellOperandBytes(operation) == 0)
        svm_cellInstructionError(SVMR_CALL_OF_combine, file, line, SVMR_NO_OPERATION, 0, (size_t)operation);
    if (count && (!into || !with))
        svm_cellInstructionError(SVMR_CALL_OF_combine, file, line, SVMR_NO_ELEMENTS, 0, count);
    svm_cellCombine(operation, into, with, count);
}

void svm_combine(svm_Operation operation, void *into, const void *with, size_t count)
{
    svm_combineAt(operation, into, with, count, NULL, 0);
}
