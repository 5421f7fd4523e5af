// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams of elements that kernels compute with in wider types: bytes, fixed-point numbers and unsigned ints. A call
// gets copies in int and float, and what it wrote is put back. Called by rewritten host code.
#ifndef SVM_BROOK_SMALL_H
#define SVM_BROOK_SMALL_H

#include <svm/brook.h>

#ifdef __cplusplus
extern "C" {
#endif

// A new stream of the view's shape, which the handle owns, with its elements in the types of kernels: c, b and u as i,
// x and y as f (v / 255 and v / 65535). wide: that type, whose leaves stay where they are. A stream that becomes another
// type so is shared as it is; the call says what is wrong with it.
svm_BrookStream svm_brookWiden(const svm_BrookPlace *at, const svm_BrookType *wide, svm_BrookStream s);
// Puts the elements of wide, of the same shape, into s: c and b by their low 8 bits, x and y clamped to [0, 1] and scaled,
// x cut and y rounded.
void svm_brookNarrow(const svm_BrookPlace *at, svm_BrookStream wide, svm_BrookStream s);
// The same of one element.
void svm_brookNarrowElement(const svm_BrookType *type, const void *wide, void *element);

#ifdef __cplusplus
}
#endif

#endif
