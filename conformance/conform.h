// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the programs of the suite share: C11, the API's header, and how misuse is told.
//
// MISUSE("what is done", statement) prints the name of the error that the statement causes, through an error handler of
// its own: "what is done: error-name". Nothing else that an implementation says of an error is compared.
#ifndef CONFORM_H
#define CONFORM_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <svm/svm.h>

typedef struct Misuse {
    jmp_buf back;
    char error[64], object[64];
} Misuse;

static inline void conform_handle(const svm_ErrorReport *report, void *context)
{
    Misuse *misuse = (Misuse *)context;
    snprintf(misuse->error, sizeof misuse->error, "%s", report->error_name);
    snprintf(misuse->object, sizeof misuse->object, "%s", report->object);
    longjmp(misuse->back, 1);
}

#define MISUSE(what, ...)                                                                                              \
    do {                                                                                                               \
        static Misuse misuse_;                                                                                         \
        svm_setErrorHandler(conform_handle, &misuse_);                                                                 \
        if (setjmp(misuse_.back) == 0) {                                                                               \
            __VA_ARGS__;                                                                                               \
            printf("%s: no error\n", what);                                                                            \
        } else {                                                                                                       \
            printf("%s: %s\n", what, misuse_.error);                                                                   \
        }                                                                                                              \
        svm_setErrorHandler(NULL, NULL);                                                                               \
    } while (0)

#endif
