// New pages of a file lie in the control processor's cache, first in first out: the memory is written with what leaves it. What an
// engine overwrites leaves it line by line, and only lines that it overwrites in part are written. Pages that are unmapped stay
// there, and nothing overwrites them.
// RUN: %sim -o %t && %t %t.raw
#define TIMED_CACHE
#include "timed_pages.h"

TIMED_KERNELS({NULL, NULL, 0, 0, true});

enum { STORES = PAGE / 8, MAP = 25 };

// An engine puts bytes there: a byte a nanosecond.
static void put(size_t to, size_t bytes)
{
    static svm_Block there, here;
    static svm_MoveB2B move;
    svm_blockInit(&there, &GMEM, to, bytes, 1);
    svm_blockInit(&here, &LMEM1, 0, bytes, 1);
    svm_moveB2BInit(&move, &DMA1, &here, &there);
    svm_kernelRun(&move.kernel);
    svm_kernelWait(&move.kernel);
    CHECK_TOOK(30 + 50 + (double)bytes + 5);
}

int main(int argc, char **argv)
{
    CHECK(argc == 2);
    svm_Writer w = {.path = argv[1], .where = "here", .item = SVM_ITEM_INT, .elementSize = sizeof(int)};
    svm_writerOpen(&w, NULL);
    put(svm_alloc(&GMEM, 64), 64); // time begins

    size_t first = pages(&w, 2); // they fit
    CHECK_TOOK(2 * (MAP + STORES));
    size_t third = pages(&w, 1); // the first leaves
    CHECK_TOOK(MAP + PAGE);

    put(first + PAGE, PAGE); // the second is no more to be written
    size_t fourth = pages(&w, 1);
    CHECK_TOOK(MAP + STORES);

    put(third + 64, 256); // a line in part, one whole, and one in part: two are written from when the bytes are there,
    pages(&w, 1);         // which was 5 ns ago, and behind them what is left of this page
    CHECK_TOOK(2 * 128 - 5 + PAGE - 3 * 128);
    put(third + 512, 512); // nothing of it is there any more
    pages(&w, 1);          // the fourth leaves
    CHECK_TOOK(MAP + PAGE);
    put(fourth, PAGE);
    pages(&w, 1); // the fifth
    CHECK_TOOK(MAP + PAGE);

    pages(&w, 3); // more than fit
    CHECK_TOOK(3 * (MAP + PAGE));

    // Two pages are in the cache, and their file is closed; the next one's lie at the same addresses, or not.
    svm_writerClose(&w);
    svm_writerOpen(&w, NULL);
    first = pages(&w, 1);
    CHECK_TOOK(MAP + PAGE);
    put(first, PAGE);
    pages(&w, 1);
    CHECK_TOOK(MAP + STORES);
    pages(&w, 1);
    CHECK_TOOK(MAP + PAGE);
    svm_writerClose(&w);
    return 0;
}
