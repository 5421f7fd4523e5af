// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The thread functions of an SVM C file, from the bitcode that clang made of it to programs, and the programs in the host's code.
#ifndef SVMC_LLC_SOFTPROC_THREADS_H
#define SVMC_LLC_SOFTPROC_THREADS_H

#include "llc/backend.h"
#include "llc/softproc/compile.h"

typedef struct thread_program {
    const llc_function *function;
    spc_program program; // program.program NULL: it could not be compiled, and is optional
} thread_program;

typedef VEC(thread_program) thread_programs;

// Programs of all thread functions that the module has. The module stays as it is. False after errors.
bool threads_compile(llc_session *s, const llc_unit *unit, LLVMModuleRef module, thread_programs *out);
// Puts the programs where the module launches them (runtime/softproc/launch.h).
bool threads_link(llc_session *s, LLVMModuleRef module, const thread_programs *programs);

#endif
