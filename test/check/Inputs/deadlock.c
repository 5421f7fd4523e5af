// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program whose deadlock depends on how long a stream is; its argument makes it do other things.
#include "kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    static Filter first, last;
    static svm_Stream there, back;
    const char *what = argc > 1 ? argv[1] : "";
    char word[8];
    svm_streamInitRAM(&there, &LMEM1, 0, 16, 4);
    svm_streamInitRAM(&back, &LMEM1, 64, 16, 4);
    if (strcmp(what, "good") == 0)
        svm_streamFill(&back, 10);
    while (strcmp(what, "hang") == 0)
        fflush(stdout);
    if (strcmp(what, "crash") == 0)
        abort();
    if (strcmp(what, "fail") == 0) {
        fputs("no luck\n", stderr);
        return 3;
    }
    if (strcmp(what, "read") == 0)
        return fgets(word, sizeof word, stdin) == NULL || strcmp(word, "word\n") != 0;
    filter_init(&first, &PROC1, &back, &there);
    filter_init(&last, &PROC1, &there, &back);
    last.kernel.name = "last";
    svm_kernelRun(&first.kernel);
    svm_kernelRun(&last.kernel);
    svm_kernelWait(&first.kernel);
    svm_kernelWait(&last.kernel);
    return 0;
}
