// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shows: a kernel that peeks a window of its input and pops one element at a time, fed and emptied by the control
// thread, which waits for the streams.
// Machine: simple-svm
// Prints:
//   6 9 12 15 18 21 24 27
#include "conform.h"

SVM_MACHINE("simple-svm");
SVM_MEMORY(GMEM);
SVM_MEMORY(LMEM1);
SVM_PROCESSOR(PROC1);
SVM_PROCESSOR(DMA_ENGINE1);
SVM_PROCESSOR(DMA_ENGINE2);

enum { N = 10, WINDOW = 3, RESULTS = N - WINDOW + 1 };

typedef struct Window {
    svm_Kernel kernel;
    svm_Stream *in, *out;
    int32_t firings;
} Window;

SVM_KERNEL(cost(0, 3))
static void window_run(svm_Kernel *kernel)
{
    Window *self = (Window *)kernel;
    for (int32_t i = 0; i < self->firings; i++) {
        int32_t sum = 0, v;
        for (size_t j = 0; j < WINDOW; j++) {
            svm_streamPeek(self->in, j, &v);
            sum += v;
        }
        svm_streamPop(self->in, &v);
        svm_streamPush(self->out, &sum);
    }
}

int main(void)
{
    static Window window;
    static svm_MoveS2S load, store;
    size_t g = svm_alloc(&GMEM, 2 * 2 * 4);
    svm_Stream gin, in, out, gout;
    svm_streamInitRAM(&gin, &GMEM, g, 2, 4);
    svm_streamInitRAM(&gout, &GMEM, g + 2 * 4, 2, 4);
    svm_streamInitRAM(&in, &LMEM1, 0, WINDOW, 4);
    svm_streamInitRAM(&out, &LMEM1, 64, 2, 4);
    window.in = &in;
    window.out = &out;
    window.firings = RESULTS;
    svm_kernelInit(&window.kernel, &PROC1, window_run, "window");
    svm_moveS2SInit(&load, &DMA_ENGINE1, &gin, &in, N);
    svm_moveS2SInit(&store, &DMA_ENGINE2, &out, &gout, RESULTS);
    svm_kernelRun(&load.kernel);
    svm_kernelRun(&window.kernel);
    svm_kernelRun(&store.kernel);
    int32_t pushed = 0, v;
    for (int i = 0; i < RESULTS; i++) {
        while (pushed < N && pushed < i + WINDOW)
            svm_streamPush(&gin, &(int32_t){++pushed});
        svm_streamPop(&gout, &v);
        printf("%d%c", v, i + 1 < RESULTS ? ' ' : '\n');
    }
    svm_kernelWaitMultiple(3, (svm_Kernel *[]){&load.kernel, &window.kernel, &store.kernel});
    return 0;
}
