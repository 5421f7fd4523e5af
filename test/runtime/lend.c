// Items that are used where a reader has them, and written where a writer has room: the same items come in the same order, whether
// runs are long or short, fill the buffer or not, or take turns with copies. What is no item of memory's in the file, what is
// longer than the buffer, and what the file has not is not lent.
// RUN: %host -o %t && rm -rf %t.d && mkdir %t.d && cd %t.d
// RUN: %t && cat ints.raw | %t pipe
// RUN: %host-asan -o %t-asan && %t-asan
#include "check.h"

SVM_MACHINE("host");
SVM_MEMORY(GMEM);

#define ITEMS 100000

static void makeBlock(svm_Block *b, size_t capacity, size_t size)
{
    svm_blockInit(b, &GMEM, svm_alloc(&GMEM, capacity * size), capacity, size);
}

static svm_Reader readerOf(const char *path, svm_Item item, size_t size)
{
    return (svm_Reader){.path = path, .where = "Source at test.str:3", .item = item, .elementSize = size};
}

// A run after the other of as many items; every third one is copied.
static void writeInts(ptrdiff_t run)
{
    svm_Writer w = {.path = "ints.raw", .where = "Sink at test.str:9", .item = SVM_ITEM_INT, .elementSize = 4};
    svm_Block block;
    makeBlock(&block, (size_t)run, 4);
    const void *home = svm_blockData(&block);
    svm_writerOpen(&w, NULL);
    for (ptrdiff_t done = 0, n, i = 0; done < ITEMS; done += n, i++) {
        n = ITEMS - done < run ? ITEMS - done : run;
        if (i % 3 != 2)
            svm_writerLend(&w, &block, n);
        CHECK(run <= 65536 || svm_blockData(&block) == home);
        int32_t *items = i % 3 == 2 ? malloc((size_t)n * 4) : svm_blockData(&block);
        for (ptrdiff_t k = 0; k < n; k++)
            items[k] = (int32_t)(3 * (done + k));
        svm_writerWrite(&w, items, n);
        if (i % 3 == 2)
            free(items);
    }
    svm_writerClose(&w);
}

static void readInts(const char *path, ptrdiff_t run)
{
    svm_Reader r = readerOf(path, SVM_ITEM_INT, 4);
    svm_Block block;
    makeBlock(&block, (size_t)run, 4);
    void *home = svm_blockData(&block);
    svm_readerOpen(&r, NULL);
    for (ptrdiff_t done = 0, i = 0;; i++) {
        bool lent = i % 5 != 4 && svm_readerLend(&r, &block, run);
        CHECK(lent ? run <= 16384 && ITEMS - done >= run : i % 5 == 4 || run > 16384 || ITEMS - done < run);
        CHECK(i % 5 == 4 || lent == (svm_blockData(&block) != home));
        int32_t *copy = lent ? NULL : malloc((size_t)run * 4), *items = lent ? svm_blockData(&block) : copy;
        ptrdiff_t n = lent ? run : svm_readerRead(&r, items, run);
        CHECK(n == (ITEMS - done < run ? ITEMS - done : run) && r.ended == (n < run));
        for (ptrdiff_t k = 0; k < n; k++)
            CHECK(items[k] == 3 * (done + k));
        free(copy);
        done += n;
        if (n < run)
            break;
    }
    svm_readerClose(&r);
}

static void notLent(void)
{
    svm_Block block;
    makeBlock(&block, 64, 4);
    const void *home = svm_blockData(&block);
    svm_Reader r = readerOf("ints.raw", SVM_ITEM_BIT, 4);
    svm_readerOpen(&r, NULL);
    CHECK(!svm_readerLend(&r, &block, 8));
    svm_readerClose(&r);
    r = readerOf("ints.raw", SVM_ITEM_BOOLEAN, 4);
    svm_readerOpen(&r, NULL);
    CHECK(!svm_readerLend(&r, &block, 8));
    svm_readerClose(&r);
    r = readerOf("ints.raw", SVM_ITEM_INT, 4);
    r.loop = true;
    svm_readerOpen(&r, NULL);
    CHECK(!svm_readerLend(&r, &block, 8));
    svm_readerClose(&r);
    svm_Writer w = {.path = "bits.raw", .where = "Sink at test.str:9", .item = SVM_ITEM_BIT, .elementSize = 4};
    svm_writerOpen(&w, NULL);
    svm_writerLend(&w, &block, 8);
    CHECK(svm_blockData(&block) == home);
    svm_writerClose(&w);
}

int main(int argc, char **argv)
{
    static const ptrdiff_t runs[] = {1, 7, 1000, 4096, 12000, 16384, 16385, 40000, 65536, 65537};
    (void)argv;
    if (argc > 1) {
        readInts(NULL, 1000);
        return 0;
    }
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        writeInts(runs[i]);
        for (size_t k = 0; k < sizeof runs / sizeof *runs; k++)
            readInts("ints.raw", runs[k]);
    }
    notLent();
    return 0;
}
