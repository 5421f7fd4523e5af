// Items of regular files that are read and written where they lie, as emitted kernels do on several cores: what a claim passes over is
// not read again, what was read before comes first, and pieces may come in any order. Pipes, WAV files, bits that are no whole
// bytes, and files with too little left are not claimed. A program that stops with an error leaves what is settled, and what
// has no gap before it.
// RUN: %host -o %t && rm -rf %t.d && mkdir %t.d && cd %t.d
// RUN: %t && head -c 40 /dev/zero | %t pipe
// RUN: %host-asan -o %t-asan && %t-asan
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

SVM_MACHINE("simple-svm");
SVM_MEMORY(GMEM);

static void ints(void)
{
    int32_t items[100], read[100];
    for (int i = 0; i < 100; i++)
        items[i] = 7 * i;
    svm_Writer w = {.path = "ints.raw", .where = "Sink at test.str:9", .item = SVM_ITEM_INT, .elementSize = 4};
    int64_t at, later;
    svm_writerOpen(&w, NULL);
    svm_writerWrite(&w, items, 10);
    CHECK(svm_writerClaim(&w, 30, 60, &at) && at == 40);
    svm_writerWrite(&w, items + 70, 30); // behind the claim, before what is in it
    svm_writerWriteAt(&w, at, 30, items + 40, 30);
    svm_writerWriteAt(&w, at, 0, items + 10, 30);
    svm_writerClose(&w);
    for (int i = 0; i < 100; i++)
        items[i] = 7 * i; // what was written may be spoilt

    svm_Reader r = {.path = "ints.raw", .where = "Source at test.str:3", .item = SVM_ITEM_INT, .elementSize = 4};
    svm_readerOpen(&r, NULL);
    CHECK(svm_readerRead(&r, read, 20) == 20);
    CHECK(!svm_readerClaim(&r, 1, 21, 10, &at)); // not so many before it
    CHECK(!svm_readerClaim(&r, 1, 0, 81, &at));  // nor behind it
    CHECK(svm_readerClaim(&r, 1, 20, 50, &at) && at == 80);
    CHECK(svm_readerClaim(&r, 1, 0, 10, &later) && later == 280);
    svm_readerReadAt(&r, at, 40, read, 10);
    CHECK(memcmp(read, items + 60, 40) == 0);
    svm_readerReadAt(&r, at, -20, read, 70);
    CHECK(memcmp(read, items, 280) == 0);
    CHECK(svm_readerRead(&r, read, 100) == 20 && memcmp(read, items + 80, 80) == 0 && r.ended);
    svm_readerClose(&r);
}

static void bits(void)
{
    char items[64], copy[64];
    for (int i = 0; i < 64; i++)
        items[i] = i % 3 == 0 || i % 5 == 1;
    memcpy(copy, items, sizeof copy);
    svm_Writer w = {.path = "bits.raw", .where = "Sink at test.str:9", .item = SVM_ITEM_BIT, .elementSize = 1};
    int64_t at;
    svm_writerOpen(&w, NULL);
    CHECK(!svm_writerClaim(&w, 8, 12, &at) && !svm_writerClaim(&w, 12, 64, &at));
    CHECK(svm_writerClaim(&w, 32, 64, &at) && at == 0);
    svm_writerWriteAt(&w, at, 32, copy + 32, 32);
    svm_writerWriteAt(&w, at, 0, copy, 32);
    svm_writerClose(&w);
    svm_Reader r = {.path = "bits.raw", .where = "Source at test.str:3", .item = SVM_ITEM_BIT, .elementSize = 1};
    svm_readerOpen(&r, NULL);
    CHECK(!svm_readerClaim(&r, 4, 0, 64, &at) && !svm_readerClaim(&r, 8, 0, 72, &at));
    CHECK(svm_readerClaim(&r, 8, 0, 64, &at));
    svm_readerReadAt(&r, at, 8, copy, 56);
    CHECK(memcmp(copy, items + 8, 56) == 0);
    svm_readerClose(&r);
}

static void notRegular(void)
{
    int64_t at;
    svm_Reader r = {.where = "Source at test.str:3", .item = SVM_ITEM_INT, .elementSize = 4};
    svm_readerOpen(&r, NULL);
    CHECK(!svm_readerClaim(&r, 1, 0, 1, &at));
    svm_readerClose(&r);
    svm_Writer w = {.path = "x.wav", .where = "Sink at test.str:9", .item = SVM_ITEM_INT, .elementSize = 4};
    svm_writerOpen(&w, NULL);
    CHECK(!svm_writerClaim(&w, 1, 1, &at));
    svm_writerClose(&w);
}

static void stop(int64_t settled, int64_t first)
{
    int32_t items[100] = {0};
    int64_t at, later;
    svm_Writer w = {.path = "cut.raw", .where = "Sink at test.str:9", .item = SVM_ITEM_INT, .elementSize = 4};
    svm_free(&GMEM, svm_alloc(&GMEM, 64)); // a machine is there
    svm_writerOpen(&w, NULL);
    svm_writerWrite(&w, items, 10);
    CHECK(svm_writerClaim(&w, 30, 60, &at));
    CHECK(svm_writerClaim(&w, 30, 30, &later));
    svm_writerWriteAt(&w, at, 30, items, 20);
    svm_writerWriteAt(&w, at, first, items, 20);
    svm_writerWriteAt(&w, later, 0, items, 30);
    svm_writerSettle(&w, settled);
    CHECK(freopen("/dev/null", "w", stderr) != NULL);
    svm_divideByZero("Sink at test.str:9");
}

static int64_t left(int64_t settled, int64_t first)
{
    struct stat file;
    int status;
    pid_t child = fork();
    if (child == 0)
        stop(settled, first);
    CHECK(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 1);
    CHECK(stat("cut.raw", &file) == 0);
    return file.st_size / 4;
}

int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1) {
        notRegular();
        return 0;
    }
    ints();
    bits();
    CHECK(left(0, 5) == 10);   // nothing from the first item on
    CHECK(left(0, 0) == 30);   // the 20 that have no gap before them
    CHECK(left(10, 10) == 60); // those behind what is settled
    CHECK(left(60, 0) == 100); // and a whole claim
    return 0;
}
