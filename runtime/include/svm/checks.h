// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What emitted programs use when they are compiled with -fcheck-rates or -fcheck-bounds: checks of what could not be
// proved at compile time, for kernels. An error prints what was printed before it, then "fm.str:12:5: error: ..." naming
// the actor, as the interpreter does, and ends the program with status 1. `where` is the place, or "".
#ifndef SVM_CHECKS_H
#define SVM_CHECKS_H

#include "svm/program.h"

#ifdef __cplusplus
extern "C" {
#endif

SVM_NORETURN void svm_indexError(const char *actor, const char *where, const char *array, ptrdiff_t index,
                                 ptrdiff_t length);
SVM_NORETURN void svm_peekError(const char *actor, const char *where, ptrdiff_t offset, ptrdiff_t left);
// An actor popped or pushed ("verb") so many items in "a firing" or "a call of 'f'" ("unit") that declares others.
SVM_NORETURN void svm_countError(const char *actor, const char *where, const char *verb, ptrdiff_t count,
                                 const char *unit, const char *declared);
// An actor pops or pushes ("verb") past what its firing declares.
SVM_NORETURN void svm_limitError(const char *actor, const char *where, const char *verb, ptrdiff_t limit);

// The subscript of an array of that many elements.
static inline ptrdiff_t svm_checkIndex(ptrdiff_t index, ptrdiff_t length, const char *actor, const char *where,
                                       const char *array)
{
    if (__builtin_expect(index < 0 || index >= length, 0))
        svm_indexError(actor, where, array, index, length);
    return index;
}

// The offset of a peek where so many items of the window are left.
static inline ptrdiff_t svm_checkPeek(ptrdiff_t offset, ptrdiff_t left, const char *actor, const char *where)
{
    if (__builtin_expect(offset < 0 || offset >= left, 0))
        svm_peekError(actor, where, offset, left);
    return offset;
}

#ifdef __cplusplus
}
#endif

#endif
