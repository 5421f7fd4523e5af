// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shows: windows of streams that cannot be, or that are mixed with single elements, are window; streams over each other
// are overlap.
// Machine: simple-svm
// Prints:
//   window of nothing: window
//   window above the capacity: window
//   window that wraps: window
//   push beside an acquired window: window
//   more sent than acquired: window
//   more discarded than acquired: window
//   acquired beyond the end: end-of-stream
//   stream over a stream: overlap
//   block over a stream: no error
//   destroy of a stream that is none: bad-argument
#include "conform.h"

SVM_MACHINE("simple-svm");
SVM_MEMORY(GMEM);

int main(void)
{
    static svm_Stream s, t, none;
    static svm_Block b;
    int32_t v = 0;
    size_t g = svm_alloc(&GMEM, 64);
    svm_streamInitRAM(&s, &GMEM, g, 6, 4);
    MISUSE("window of nothing", svm_streamPushAcquire(&s, 0));
    MISUSE("window above the capacity", svm_streamPushAcquire(&s, 7));
    svm_streamPush(&s, &v);
    svm_streamPush(&s, &v);
    svm_streamPush(&s, &v);
    svm_streamPop(&s, &v);
    MISUSE("window that wraps", svm_streamPushAcquire(&s, 4));
    svm_streamPushAcquire(&s, 3);
    MISUSE("push beside an acquired window", svm_streamPush(&s, &v));
    MISUSE("more sent than acquired", svm_streamPushSend(&s, 4));
    svm_streamPushSend(&s, 3);
    MISUSE("more discarded than acquired", svm_streamPopDiscard(&s, 1));
    svm_streamInitRAM(&s, &GMEM, g, 6, 4);
    svm_streamPush(&s, &v);
    svm_streamEnd(&s);
    MISUSE("acquired beyond the end", svm_streamPopAcquire(&s, 2));
    MISUSE("stream over a stream", svm_streamInitRAM(&t, &GMEM, g + 16, 4, 4));
    MISUSE("block over a stream", svm_blockInit(&b, &GMEM, g, 8, 4));
    MISUSE("destroy of a stream that is none", svm_streamDestroy(&none));
    return 0;
}
