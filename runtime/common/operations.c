// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operations that combine elements: of indexed scatters and of reductions.
#define SVM_NO_PLACES
#include "runtime/common/dma.h"

#include "runtime/common/operations_apply.h"

static const svmr_OperationRow rows[] = {
    [SVM_REPLACE] = {"SVM_REPLACE", 0, NULL},
#define OPERATION(id, type, expression) [SVM_##id] = {"SVM_" #id, sizeof(type), apply_##id},
#include "runtime/common/operations.def"
};

const svmr_OperationRow *svmr_operation(svm_Operation operation)
{
    return (size_t)operation < sizeof rows / sizeof *rows ? &rows[operation] : NULL;
}

void svm_combineAt(svm_Operation operation, void *into, const void *with, size_t count, const char *file, int line)
{
    const svmr_OperationRow *row = svmr_operation(operation);
    if (!row || !row->apply)
        svmr_fail(svmr_machine(), SVM_ERROR_BAD_ARGUMENT, "", SVMR_PLACE("svm_combine"),
                  "%d is no operation that combines", (int)operation);
    if (count && (!into || !with))
        svmr_fail(svmr_machine(), SVM_ERROR_BAD_ARGUMENT, "", SVMR_PLACE("svm_combine"),
                  "a null pointer to %zu elements", count);
    row->apply(into, with, count);
}

void svm_combine(svm_Operation operation, void *into, const void *with, size_t count)
{
    svm_combineAt(operation, into, with, count, NULL, 0);
}
