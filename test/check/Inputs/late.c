// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A transfer whose result is printed before anything waits for it, with an argument: it is waited for after that (late),
// destroyed (destroy), or forgotten (fail).
#include <stdio.h>
#include <string.h>
#include <svm/svm.h>

SVM_MACHINE("simple-svm");
SVM_MEMORY(GMEM);
SVM_PROCESSOR(DMA_ENGINE1);

int main(int argc, char **argv)
{
    svm_Block from, to;
    size_t g = svm_alloc(&GMEM, 80);
    int *items = (int *)g;
    svm_blockInit(&from, &GMEM, g, 10, 4);
    svm_blockInit(&to, &GMEM, g + 40, 10, 4);
    for (int i = 0; i < 10; i++)
        items[i] = i + 7;
    svm_MoveB2B move;
    svm_moveB2BInit(&move, &DMA_ENGINE1, &from, &to);
    svm_kernelRun(&move.kernel);
    if (argc < 2)
        svm_kernelWait(&move.kernel);
    puts("the last item:");
    printf("%d\n", items[19]);
    if (argc > 1 && strcmp(argv[1], "destroy") == 0) {
        svm_kernelDestroy(&move.kernel);
        return 0;
    }
    if (argc > 1 && strcmp(argv[1], "fail") == 0)
        return items[19] != 16;
    svm_kernelWait(&move.kernel);
    return items[19] != 16;
}
