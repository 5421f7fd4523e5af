// The control thread's time goes into runs and waits (kernel-run, kernel-wait) and into copies of files: what is read is loaded and
// stored, while the memory gives the file's bytes and takes the items', or the other way round. A mapped page of a file takes
// page-map, once; a new one is filled with zeroes too.
// RUN: %sim -o %t && %t %t.raw
#define TIMED_CALLS
#include "svm/program.h"
#include "timed.h"

static void nothing(svm_Kernel *k)
{
    (void)k;
}
TIMED_KERNELS({nothing, "nothing", 0, 1, true});

int main(int argc, char **argv)
{
    CHECK(argc == 2);
    svm_Kernel first, second;
    svm_kernelInit(&first, &P1, nothing, "first");
    svm_kernelInit(&second, &P2, nothing, "second");
    svm_kernelRun(&first); // until 30, and the kernel from then on for 110
    CHECK_TIME(30);
    svm_kernelRun(&second); // until 60, and the kernel until 170
    svm_kernelWait(&first);
    CHECK_TIME(140);
    svm_kernelWait(&first); // it has ended
    CHECK_TIME(180);

    // 400 bytes of items are given, and 400 of the file taken, a byte a nanosecond; 50 loads and stores take less.
    int items[100] = {7};
    svm_Writer w = {.path = argv[1], .where = "here", .item = SVM_ITEM_INT, .elementSize = sizeof(int)};
    svm_writerOpen(&w, NULL);
    svm_writerWrite(&w, items, 100);
    CHECK_TIME(980);
    svm_writerClose(&w);

    // 50 bits are 50 items of a byte each, and 6 bytes of the file.
    unsigned char bits[50];
    svm_Reader r = {.path = argv[1], .where = "here", .item = SVM_ITEM_BIT, .elementSize = 1};
    svm_readerOpen(&r, NULL);
    CHECK(svm_readerRead(&r, bits, 50) == 50);
    CHECK_TIME(1036);
    svm_readerClose(&r);

    // A new page of 1,024 bytes, and two more.
    size_t address;
    w = (svm_Writer){.path = argv[1], .where = "here", .item = SVM_ITEM_INT, .elementSize = sizeof(int)};
    svm_writerOpen(&w, NULL);
    CHECK(svm_writerMap(&w, &GMEM, 4, 100, &address));
    CHECK_TIME(2085);
    CHECK(svm_writerMap(&w, &GMEM, 4, 100, &address));
    CHECK_TIME(2085);
    CHECK(svm_writerMap(&w, &GMEM, 4, 400, &address));
    CHECK_TIME(4183);
    svm_writerClose(&w);
    r = (svm_Reader){.path = argv[1], .where = "here", .item = SVM_ITEM_INT, .elementSize = sizeof(int)};
    svm_readerOpen(&r, NULL);
    CHECK(svm_readerMap(&r, &GMEM, 4, 0, 300, &address));
    CHECK_TIME(4233);
    CHECK(svm_readerMap(&r, &GMEM, 4, 50, 300, &address));
    CHECK_TIME(4258);
    svm_readerClose(&r);
    svm_kernelWait(&second);
    return 0;
}
