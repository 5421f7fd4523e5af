// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What dynamic-rate actors, static regions and their control side share.
#ifndef SVM_COMMON_PROGRAM_DYNAMIC_H
#define SVM_COMMON_PROGRAM_DYNAMIC_H

#include "runtime/common/stream.h"
#include "svm/dynamic.h"

// The running kernel waits until there are so many elements, or the stream has ended, or *over (over may be NULL). More
// elements than the stream has room for is fine.
void svmr_awaitItems(svm_Stream *s, size_t wanted, const bool *over);

#endif
