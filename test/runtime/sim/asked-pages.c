// Where the machine file has a page-fault, new pages of a file are mapped when an engine wants to write them, one after the other, beside
// what the control thread does: the transfer waits, for all pages that it may write. A page that is there, or that another has asked
// for, is mapped once; one that nobody asks for is not.
// RUN: %sim -o %t && %t %t.raw
#define TIMED_CACHE
#define TIMED_FAULTS
#include "timed_pages.h"

TIMED_KERNELS({NULL, NULL, 0, 0, true});

enum { MAP = 25, ASKED = 60 + MAP + PAGE / 8, BEFORE = 30 + 50, STOP = 5 };

typedef struct Put {
    svm_MoveB2B move;
    svm_Block here, there;
} Put;

static void put(Put *p, mm_Proc engine, mm_Mem from, size_t to, size_t bytes)
{
    svm_blockInit(&p->there, &GMEM, to, bytes, 1);
    svm_blockInit(&p->here, from, 0, bytes, 1);
    svm_moveB2BInit(&p->move, engine, &p->here, &p->there);
    svm_kernelRun(&p->move.kernel);
}

int main(int argc, char **argv)
{
    CHECK(argc == 2);
    static Put one, other;
    put(&one, &DMA1, &LMEM1, svm_alloc(&GMEM, 64), 64); // time begins
    svm_kernelWait(&one.move.kernel);
    CHECK_TOOK(BEFORE + 64 + STOP);

    svm_Writer w = {.path = argv[1], .where = "here", .item = SVM_ITEM_INT, .elementSize = sizeof(int)};
    svm_writerOpen(&w, NULL);
    size_t at = pages(&w, 6); // the file gets longer: the time of one page
    CHECK_TOOK(MAP);

    put(&one, &DMA1, &LMEM1, at, 512);
    svm_kernelWait(&one.move.kernel);
    CHECK_TOOK(BEFORE + ASKED + 512 + STOP);
    put(&one, &DMA1, &LMEM1, at + 512, 512);
    svm_kernelWait(&one.move.kernel);
    CHECK_TOOK(BEFORE + 512 + STOP);

    // Across three pages, of which the last is asked for by two. Its zeroes take the place of those of the first, as nothing has
    // overwritten them yet; then both transfers go.
    put(&one, &DMA1, &LMEM1, at + 2 * PAGE - 256, PAGE + 512);
    put(&other, &DMA2, &LMEM2, at + 3 * PAGE + 256, 256);
    svm_kernelWait(&one.move.kernel);
    svm_kernelWait(&other.move.kernel);
    CHECK_TOOK(BEFORE + 3 * ASKED + PAGE + PAGE + 512 + 256 + STOP);

    // Records at a distance may be anywhere in their block. What is left of the third page leaves.
    svm_Block records, local;
    svm_blockInit(&records, &GMEM, at + 4 * PAGE, 2 * PAGE, 1);
    svm_blockInit(&local, &LMEM1, 0, 64, 1);
    svm_ScatterStridedB2B scatter;
    svm_scatterStridedB2BInit(&scatter, &DMA1, &local, &records, 16, 512, 4);
    svm_kernelRun(&scatter.kernel);
    svm_kernelWait(&scatter.kernel);
    CHECK_TOOK(BEFORE + 2 * ASKED + PAGE - 512 + 64 + STOP);

    // A file that is closed takes the pages along that nobody asked for.
    svm_writerClose(&w);
    svm_writerOpen(&w, NULL);
    at = pages(&w, 1);
    put(&one, &DMA1, &LMEM1, at, PAGE);
    svm_kernelWait(&one.move.kernel);
    svm_writerClose(&w);
    return 0;
}
