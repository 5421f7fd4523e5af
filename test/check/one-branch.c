// What only one branch sets, the first or the second, is not known behind both: nothing is said of a stream that lies there.
// RUN: %svm-check %s
#include "Inputs/kernels.h"

int main(int argc, char **argv)
{
    static svm_Stream a, b, c;
    size_t first = 64, second = 128;
    (void)argv;
    if (argc > 1)
        first = 0;
    else
        second = 0;
    svm_streamInitRAM(&a, &LMEM1, 0, 16, 4);
    svm_streamInitRAM(&b, &LMEM1, first, 16, 4);
    svm_streamInitRAM(&c, &LMEM1, second, 16, 4);
    return 0;
}
