// A program's blocks are placed from a table, which names them; a program may have nothing to drain.
// RUN: %host -o %t && %t
// RUN: %host-asan -o %t && %t
#include <svm/program.h>

#include "check.h"

SVM_MACHINE("simple-svm");
SVM_MEMORY(GMEM);

int main(void)
{
    static const svm_ChannelPlace places[] = {{64, 4, sizeof(int), "first"}, {128, 3, sizeof(double), "second"}};
    size_t address = svm_alloc(&GMEM, 256);
    svm_Block channels[2];
    svm_channelsPlace(channels, places, 2, &GMEM, address);
    CHECK(channels[0].capacity == 4 && channels[0].elementSize == sizeof(int));
    CHECK(channels[1].capacity == 3 && channels[1].elementSize == sizeof(double));
    CHECK(channels[1].data - channels[0].data == 64);
    double given = 2.5, found = 0;
    svm_blockWrite(&channels[1], 2, &given);
    svm_blockRead(&channels[1], 2, &found);
    CHECK(found == given);
    svm_drainNothing(NULL);
    svm_free(&GMEM, address);
    return 0;
}
