// Items of regular files that engines fetch and put where they lie: a file's pages become memory. Pipes, WAV files, bits, places of
// another alignment and files with too little left do not. A file that others make shorter is an error with its name, not a signal.
// RUN: %host -o %t && rm -rf %t.d && mkdir %t.d && cd %t.d
// RUN: %t && head -c 40 /dev/zero | %t pipe
// RUN: not %t shorter 2>&1 | FileCheck %s --check-prefix=READ
// RUN: not %t lost 2>&1 | FileCheck %s --check-prefix=WRITTEN
// RUN: %host-asan -o %t-asan && %t-asan && not %t-asan shorter 2>&1 | FileCheck %s --check-prefix=READ
// RUN: not %t fewer 2>&1 | FileCheck %s --check-prefix=READ
// READ: error: cannot read 'short.raw': the file became shorter while it was read (Source at test.str:3)
// WRITTEN: error: cannot write 'lost.raw': the file became shorter while it was written (Sink at test.str:9)
#include <unistd.h>

#include "check.h"

SVM_MACHINE("simple-svm");
SVM_MEMORY(GMEM);
SVM_MEMORY(LMEM1);
SVM_PROCESSOR(DMA_ENGINE1);

enum { PAGE = 4096, MANY = 64 * PAGE };

// An engine moves items between a file and local memory.
static void move(size_t address, bool fetch, size_t count)
{
    svm_Block file, local;
    svm_MoveB2B m;
    svm_blockInit(&file, &GMEM, address, count, sizeof(int32_t));
    svm_blockInit(&local, &LMEM1, 0, count, sizeof(int32_t));
    svm_moveB2BInit(&m, &DMA_ENGINE1, fetch ? &file : &local, fetch ? &local : &file);
    svm_kernelRun(&m.kernel);
    svm_kernelWait(&m.kernel);
    svm_kernelDestroy(&m.kernel);
}

static void bothWays(void)
{
    int32_t items[100], read[100];
    for (int i = 0; i < 100; i++)
        items[i] = 7 * i;
    svm_Writer w = {.path = "ints.raw", .where = "Sink at test.str:9", .item = SVM_ITEM_INT, .elementSize = 4};
    size_t address;
    svm_writerOpen(&w, NULL);
    svm_writerWrite(&w, items, 20);
    CHECK(svm_writerMap(&w, &GMEM, 16, 40, &address) && address % 16 == 0);
    memcpy((void *)address, items + 20, 160);
    svm_writerWrite(&w, items + 60, 39); // behind it
    CHECK(!svm_writerMap(&w, &GMEM, 16, 1, &address)); // not at a multiple of 16 bytes, and so never again
    svm_writerWrite(&w, items + 99, 1);
    CHECK(!svm_writerMap(&w, &GMEM, 16, 1, &address));
    svm_writerClose(&w);

    svm_Reader r = {.path = "ints.raw", .where = "Source at test.str:3", .item = SVM_ITEM_INT, .elementSize = 4};
    svm_readerOpen(&r, NULL);
    CHECK(svm_readerThere(&r) == 100);
    CHECK(svm_readerRead(&r, read, 18) == 18 && svm_readerThere(&r) == 82);
    CHECK(!svm_readerMap(&r, &GMEM, 16, 0, 10, &address)); // not at a multiple
    CHECK(svm_readerRead(&r, read, 2) == 2);
    CHECK(!svm_readerMap(&r, &GMEM, 16, 20000, 10, &address)); // nor so many before it
    CHECK(!svm_readerMap(&r, &GMEM, 16, 0, 81, &address));  // nor behind it
    CHECK(svm_readerMap(&r, &GMEM, 16, 20, 60, &address) && address % 16 == 0);
    CHECK(memcmp((void *)(address - 80), items, 320) == 0);
    svm_Block local;
    svm_blockInit(&local, &LMEM1, 0, 60, sizeof(int32_t));
    move(address, true, 60);
    CHECK(memcmp(svm_blockData(&local), items + 20, 240) == 0);
    CHECK(svm_readerMap(&r, &GMEM, 16, 16000, 8, &address)); // before the file's first one lie zeroes
    for (int i = 0; i < 16000; i++)
        CHECK(((int32_t *)address)[i - 16000] == (i < 15920 ? 0 : items[i - 15920]));
    CHECK(svm_readerThere(&r) == 12);
    svm_readerReadAll(&r, read, 10);
    CHECK(memcmp(read, items + 88, 40) == 0 && svm_readerThere(&r) == 2);
    CHECK(svm_readerRead(&r, read, 100) == 2 && memcmp(read, items + 98, 8) == 0 && r.ended && svm_readerThere(&r) == 0);
    svm_readerClose(&r);
}

// Piece by piece, as programs do; the file is a little longer than what was given out of it.
static void large(void)
{
    svm_Writer w = {.path = "large.raw", .where = "Sink at test.str:9", .item = SVM_ITEM_INT, .elementSize = 4};
    svm_writerOpen(&w, NULL);
    size_t address;
    for (int k = 0; k < 8; k++) {
        CHECK(svm_writerMap(&w, &GMEM, 16, MANY, &address));
        for (int i = 0; i < MANY; i++)
            ((int32_t *)address)[i] = k * MANY + i;
    }
    svm_writerClose(&w);
    svm_Reader r = {.path = "large.raw", .where = "Source at test.str:3", .item = SVM_ITEM_INT, .elementSize = 4};
    svm_readerOpen(&r, NULL);
    for (int k = 0; k < 8; k++) {
        CHECK(svm_readerMap(&r, &GMEM, 16, k == 0 ? 0 : 100, MANY, &address));
        CHECK(((int32_t *)address)[0] == k * MANY && ((int32_t *)address)[MANY - 1] == k * MANY + MANY - 1);
    }
    CHECK(!svm_readerMap(&r, &GMEM, 16, 0, 1, &address) && svm_readerAtEnd(&r));
    svm_readerClose(&r);
}

static void refused(void)
{
    size_t address;
    char bits[8] = {0};
    svm_Writer w = {.path = "x.wav", .where = "Sink at test.str:9", .item = SVM_ITEM_INT, .elementSize = 4};
    svm_writerOpen(&w, NULL);
    CHECK(!svm_writerMap(&w, &GMEM, 4, 1, &address));
    svm_writerClose(&w);
    w = (svm_Writer){.path = "bits.raw", .where = "Sink at test.str:9", .item = SVM_ITEM_BIT, .elementSize = 1};
    svm_writerOpen(&w, NULL);
    CHECK(!svm_writerMap(&w, &GMEM, 1, 8, &address));
    svm_writerWrite(&w, bits, 8);
    svm_writerClose(&w);
    svm_Reader r = {.path = "bits.raw", .where = "Source at test.str:3", .item = SVM_ITEM_BIT, .elementSize = 1};
    svm_readerOpen(&r, NULL);
    CHECK(!svm_readerMap(&r, &GMEM, 1, 0, 8, &address));
    CHECK(svm_readerThere(&r) == 8 && svm_readerRead(&r, bits, 3) == 3 && svm_readerThere(&r) == 0); // in a byte
    svm_readerClose(&r);
    r = (svm_Reader){.path = "ints.raw", .where = "Source at test.str:3", .item = SVM_ITEM_INT, .elementSize = 4, .loop = true};
    svm_readerOpen(&r, NULL);
    CHECK(svm_readerThere(&r) == 0); // there is no last one
    svm_readerClose(&r);
}

static void pipeIn(void)
{
    size_t address;
    svm_Reader r = {.where = "Source at test.str:3", .item = SVM_ITEM_INT, .elementSize = 4};
    svm_readerOpen(&r, NULL);
    CHECK(!svm_readerMap(&r, &GMEM, 4, 0, 1, &address));
    CHECK(svm_readerThere(&r) == 0); // more may come
    svm_readerClose(&r);
}

static void makeFile(const char *path)
{
    static int32_t items[MANY];
    svm_Writer w = {.path = path, .where = "Sink at test.str:9", .item = SVM_ITEM_INT, .elementSize = 4};
    svm_writerOpen(&w, NULL);
    svm_writerWrite(&w, items, MANY);
    svm_writerClose(&w);
}

// Zeroes take the place of what is gone, until the reader or writer is asked.
static void shorter(void)
{
    makeFile("short.raw");
    svm_Reader r = {.path = "short.raw", .where = "Source at test.str:3", .item = SVM_ITEM_INT, .elementSize = 4};
    size_t address;
    svm_readerOpen(&r, NULL);
    CHECK(svm_readerMap(&r, &GMEM, 16, 0, MANY, &address));
    CHECK(truncate("short.raw", 0) == 0);
    move(address + 32 * PAGE, true, 1024);
    svm_readerClose(&r);
}

// More items are asked for than are left.
static void fewer(void)
{
    static int32_t items[MANY];
    makeFile("short.raw");
    svm_Reader r = {.path = "short.raw", .where = "Source at test.str:3", .item = SVM_ITEM_INT, .elementSize = 4};
    svm_readerOpen(&r, NULL);
    CHECK(svm_readerThere(&r) == MANY && truncate("short.raw", 4 * (MANY - 1)) == 0);
    svm_readerReadAll(&r, items, MANY);
}

static void lost(void)
{
    svm_Writer w = {.path = "lost.raw", .where = "Sink at test.str:9", .item = SVM_ITEM_INT, .elementSize = 4};
    size_t address;
    svm_writerOpen(&w, NULL);
    CHECK(svm_writerMap(&w, &GMEM, 16, MANY, &address));
    CHECK(truncate("lost.raw", 0) == 0);
    move(address + 32 * PAGE, false, 1024);
    svm_writerClose(&w);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "pipe") == 0)
        pipeIn();
    else if (strcmp(what, "shorter") == 0)
        shorter();
    else if (strcmp(what, "fewer") == 0)
        fewer();
    else if (strcmp(what, "lost") == 0)
        lost();
    else {
        bothWays();
        large();
        refused();
    }
    return 0;
}
