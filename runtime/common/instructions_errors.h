// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kernels of stream instructions do wrong, on every processor that runs them.
#ifndef SVM_COMMON_INSTRUCTIONS_ERRORS_H
#define SVM_COMMON_INSTRUCTIONS_ERRORS_H

typedef enum svmr_InstructionError {
#define INSTRUCTION_ERROR(id, error, text) SVMR_##id,
#include "runtime/common/instructions_errors.def"
} svmr_InstructionError;

// Which function it was told by.
typedef enum svmr_InstructionFunction {
#define INSTRUCTION_FUNCTION(name) SVMR_CALL_OF_##name,
#include "runtime/common/instructions_functions.def"
    SVMR_CALL_OF_combine
} svmr_InstructionFunction;

#endif
