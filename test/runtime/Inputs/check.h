// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For the tests of the runtime: CHECK(condition), and EXPECT("error-name", "object", statement) for misuse, which must
// be reported with that name, that object and the statement's line.
#ifndef CHECK_H
#define CHECK_H

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include "svm/program.h"

#define CHECK(condition) ((condition) ? (void)0 : checkFailed(__FILE__, __LINE__, #condition))

static inline void checkFailed(const char *file, int line, const char *what)
{
    printf("%s:%d: failed: %s\n", file, line, what);
    fflush(stdout);
    exit(1);
}

typedef struct Expectation {
    jmp_buf back;
    const char *name, *object;
    const char *says; // in the message; NULL: anything
    int line;         // 0: any
} Expectation;

static inline void checkReport(const svm_ErrorReport *r, void *context)
{
    Expectation *e = context;
    bool ok = strcmp(r->error_name, e->name) == 0 && strcmp(r->object, e->object) == 0;
    ok = ok && (e->line == 0 || (r->line == e->line && r->file && strstr(r->file, ".c")));
    ok = ok && r->function && *r->function && (!e->says || strstr(r->message, e->says));
    if (!ok) {
        printf("line %d: expected %s of '%s' (%s), got line %d: %s of '%s' in %s: %s\n", e->line, e->name, e->object,
               e->says ? e->says : "", r->line, r->error_name, r->object, r->function, r->message);
        exit(1);
    }
    longjmp(e->back, 1);
}

#define EXPECT_SAYS(errorName, errorObject, text, errorLine, ...)                                                      \
    do {                                                                                                               \
        static Expectation e;                                                                                          \
        e.name = errorName;                                                                                            \
        e.object = errorObject;                                                                                        \
        e.says = text;                                                                                                 \
        e.line = errorLine;                                                                                            \
        svm_setErrorHandler(checkReport, &e);                                                                          \
        if (!setjmp(e.back)) {                                                                                         \
            __VA_ARGS__;                                                                                               \
            printf("%d: no error, expected %s\n", __LINE__, errorName);                                                \
            exit(1);                                                                                                   \
        }                                                                                                              \
        svm_setErrorHandler(NULL, NULL);                                                                               \
    } while (0)
#define EXPECT(errorName, errorObject, ...) EXPECT_SAYS(errorName, errorObject, NULL, __LINE__, __VA_ARGS__)

#endif
