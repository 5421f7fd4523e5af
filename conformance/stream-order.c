// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shows: a stream is a queue: elements come out in the order in which they went in, however often its buffer wraps, and
// svm_streamPeek looks ahead. The control thread is both producer and consumer.
// Machine: simple-svm
// Prints:
//   empty: 0
//   full: 3
//   first 1, last 3
//   in order up to 1000
#include "conform.h"

SVM_MACHINE("simple-svm");
SVM_MEMORY(GMEM);

int main(void)
{
    size_t g = svm_alloc(&GMEM, 3 * sizeof(int32_t));
    svm_Stream s;
    svm_streamInitRAM(&s, &GMEM, g, 3, sizeof(int32_t));
    svm_streamName(&s, "queue");
    printf("empty: %zu\n", svm_streamCount(&s));
    int32_t in = 0, out = 0, v;
    for (int i = 0; i < 3; i++)
        svm_streamPush(&s, &(int32_t){++in});
    printf("full: %zu\n", svm_streamCount(&s));
    int32_t first, last;
    svm_streamPeek(&s, 0, &first);
    svm_streamPeek(&s, 2, &last);
    printf("first %d, last %d\n", first, last);
    bool ordered = true;
    while (out < 1000) {
        int take = 1 + out % 3;
        for (int i = 0; i < take && out < in; i++) {
            svm_streamPeek(&s, 0, &first);
            svm_streamPop(&s, &v);
            ordered = ordered && v == ++out && first == v;
        }
        while (svm_streamCount(&s) < 3)
            svm_streamPush(&s, &(int32_t){++in});
        svm_streamPeek(&s, 1, &v);
        ordered = ordered && v == out + 2;
    }
    printf(ordered ? "in order up to %d\n" : "out of order before %d\n", out >= 1000 ? 1000 : out);
    svm_streamPop(&s, NULL);
    return 0;
}
