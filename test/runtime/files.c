// Raw readers and writers: every item type round trips in pieces of every size, bits are packed most significant first, and what
// cannot be read or written is an error with status 1.
// RUN: %host -o %t && rm -rf %t.d && mkdir %t.d && cd %t.d
// RUN: %t types && %t bits && %t pieces
// RUN: %host-asan -o %t-asan && %t-asan types && %t-asan bits && %t-asan pieces
//
// Standard input and output.
// RUN: printf abcdefgh > in.raw && %t copy < in.raw > out.raw && diff in.raw out.raw
// RUN: cat in.raw | %t copy | cat > out.raw && diff in.raw out.raw
// RUN: %t copy in.raw out.raw && diff in.raw out.raw
// RUN: %t copy - - < in.raw > out.raw && diff in.raw out.raw
// RUN: %t copy < /dev/null | count 0
//
// RUN: printf abcdef > short.raw && not %t copy short.raw out.raw 2>&1 | FileCheck --check-prefix=SHORT %s
// RUN: not %t ends short.raw 2>&1 | FileCheck --check-prefix=SHORT %s
// SHORT: error: cannot read 'short.raw': the input ends in the middle of an item (needs 4 bytes, has 2) (Source at test.str:3)
// RUN: not %t copy none.raw out.raw 2>&1 | FileCheck --check-prefix=NONE %s
// NONE: {{^files.*}}: error: cannot open 'none.raw': No such file or directory
// RUN: not %t copy . out.raw 2>&1 | FileCheck --check-prefix=FOLDER %s
// FOLDER: error: cannot read '.': Is a directory
// RUN: not %t copy in.raw none/out.raw 2>&1 | FileCheck --check-prefix=NOPLACE %s
// NOPLACE: error: cannot open 'none/out.raw': No such file or directory
// RUN: not %t copy in.raw /dev/full 2>&1 | FileCheck --check-prefix=FULL %s
// RUN: not %t many /dev/full 2>&1 | FileCheck --check-prefix=FULL %s
// FULL: error: cannot write '/dev/full': No space left on device (Sink at test.str:9)
// RUN: not %t copy in.raw > /dev/full 2> err.txt && FileCheck --check-prefix=FULLOUT %s < err.txt
// RUN: not %t many > /dev/full 2> err.txt && FileCheck --check-prefix=FULLOUT %s < err.txt
// FULLOUT: error: cannot write standard output: No space left on device (Sink at test.str:9)
// RUN: not %t print > /dev/full 2> err.txt && FileCheck --check-prefix=FULLPRINT %s < err.txt
// FULLPRINT: error: cannot write standard output: No space left on device
// RUN: not %t closed 2>&1 | FileCheck --check-prefix=CLOSED %s
// CLOSED: error: cannot write standard output: Broken pipe
//
// Looping.
// RUN: %t loop in.raw 5 | FileCheck --check-prefix=LOOP %s
// LOOP: abcdefghabcdefghabcd
// RUN: not %t loop /dev/null 5 2>&1 | FileCheck --check-prefix=LOOPEMPTY %s
// LOOPEMPTY: error: cannot read '/dev/null': it has no items, and so cannot be looped
// RUN: cat in.raw | not %t loop - 5 2>&1 | FileCheck --check-prefix=LOOPPIPE %s
// LOOPPIPE: error: cannot read standard input: it cannot be started again (Illegal seek); looped input must be a file
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "check.h"

static void writeAll(const char *path, svm_Item item, size_t size, const void *items, ptrdiff_t count, ptrdiff_t piece)
{
    svm_Writer w = {.path = path, .where = "Sink at test.str:9", .item = item, .elementSize = size};
    svm_writerOpen(&w, NULL);
    for (ptrdiff_t i = 0; i < count; i += piece)
        svm_writerWrite(&w, (const char *)items + (size_t)i * size, count - i < piece ? count - i : piece);
    svm_writerClose(&w);
}

static ptrdiff_t readAll(const char *path, svm_Item item, size_t size, void *items, ptrdiff_t most, ptrdiff_t piece, bool ask)
{
    svm_Reader r = {.path = path, .where = "Source at test.str:3", .item = item, .elementSize = size};
    svm_readerOpen(&r, NULL);
    ptrdiff_t done = 0;
    while (done < most) {
        bool end = ask && svm_readerAtEnd(&r);
        ptrdiff_t n = svm_readerRead(&r, (char *)items + (size_t)done * size, most - done < piece ? most - done : piece);
        CHECK(!end || n == 0);
        CHECK(r.ended == (n < (most - done < piece ? most - done : piece)));
        done += n;
        if (r.ended)
            break;
    }
    CHECK(done == most || svm_readerAtEnd(&r));
    svm_readerClose(&r);
    return done;
}

static long sizeOf(const char *path)
{
    FILE *f = fopen(path, "rb");
    CHECK(f && fseek(f, 0, SEEK_END) == 0);
    long n = ftell(f);
    fclose(f);
    return n;
}

static void roundTrip(svm_Item item, size_t size, size_t fileSize, const void *items, ptrdiff_t count)
{
    static const ptrdiff_t pieces[] = {1, 3, 1000, 20000, 100000};
    char *back = malloc((size_t)count * size);
    for (size_t i = 0; i < 5; i++) {
        for (size_t j = 0; j < 5; j++) {
            writeAll("items.raw", item, size, items, count, pieces[i]);
            CHECK(sizeOf("items.raw") == count * (long)fileSize);
            memset(back, 1, (size_t)count * size);
            CHECK(readAll("items.raw", item, size, back, count, pieces[j], j % 2) == count);
            CHECK(memcmp(back, items, (size_t)count * size) == 0);
        }
    }
    free(back);
}

static void types(void)
{
    enum { COUNT = 50000 };
    static int32_t ints[COUNT], truths4[COUNT];
    static double doubles[COUNT];
    static svm_Complex complexes[COUNT];
    static bool truths[COUNT];
    static struct {
        int32_t a;
        float b[2];
    } structs[COUNT];
    for (int i = 0; i < COUNT; i++) {
        ints[i] = svm_imul(i, 0x01020305);
        doubles[i] = i * 0.1;
        complexes[i] = svm_complex((float)i, -0.5F * (float)i);
        truths4[i] = i % 3 == 0;
        truths[i] = truths4[i];
        structs[i].a = i;
        structs[i].b[1] = (float)i;
    }
    roundTrip(SVM_ITEM_INT, 4, 4, ints, COUNT);
    roundTrip(SVM_ITEM_FLOAT, 4, 4, ints, COUNT);
    roundTrip(SVM_ITEM_DOUBLE, 8, 8, doubles, COUNT);
    roundTrip(SVM_ITEM_COMPLEX, 8, 8, complexes, COUNT);
    roundTrip(SVM_ITEM_BOOLEAN, 1, 1, truths, COUNT);
    roundTrip(SVM_ITEM_BOOLEAN, 4, 1, truths4, COUNT);
    roundTrip(SVM_ITEM_RAW, sizeof *structs, sizeof *structs, structs, COUNT);
    // Little-endian words.
    int32_t word = 0x01020304;
    writeAll("items.raw", SVM_ITEM_INT, 4, &word, 1, 1);
    unsigned char bytes[4] = {0};
    FILE *f = fopen("items.raw", "rb");
    CHECK(f && fread(bytes, 1, 4, f) == 4);
    fclose(f);
    CHECK(bytes[0] == 4 && bytes[1] == 3 && bytes[2] == 2 && bytes[3] == 1);
}

static void bits(void)
{
    static int32_t in[100003], back[100016];
    for (int i = 0; i < 100003; i++)
        in[i] = (i * 7 + i / 5) % 3 == 0;
    for (ptrdiff_t count = 99984; count <= 100003; count++) {
        writeAll("bits.raw", SVM_ITEM_BIT, 4, in, count, 999);
        CHECK(sizeOf("bits.raw") == (count + 7) / 8);
        ptrdiff_t n = readAll("bits.raw", SVM_ITEM_BIT, 4, back, 200000, 1001, count % 2);
        CHECK(n == (count + 7) / 8 * 8 && memcmp(in, back, (size_t)count * 4) == 0);
        for (ptrdiff_t i = count; i < n; i++)
            CHECK(back[i] == 0);
    }
    static char small_in[100003], small_back[100016];
    for (int i = 0; i < 100003; i++)
        small_in[i] = (char)in[i];
    for (ptrdiff_t count = 99984; count <= 100003; count++) {
        writeAll("bits.raw", SVM_ITEM_BIT, 1, small_in, count, 999);
        ptrdiff_t n = readAll("bits.raw", SVM_ITEM_BIT, 4, back, 200000, 1001, count % 2);
        CHECK(n == (count + 7) / 8 * 8 && memcmp(in, back, (size_t)count * 4) == 0);
        CHECK(readAll("bits.raw", SVM_ITEM_BIT, 1, small_back, 200000, 1001, count % 2) == n);
        CHECK(memcmp(small_in, small_back, (size_t)count) == 0);
        for (ptrdiff_t i = count; i < n; i++)
            CHECK(small_back[i] == 0);
    }
    FILE *f = fopen("bits.raw", "wb");
    CHECK(f && fputc(0x9f, f) == 0x9f && fclose(f) == 0);
    static const char expected[] = {1, 0, 0, 1, 1, 1, 1, 1};
    char small[8];
    CHECK(readAll("bits.raw", SVM_ITEM_BIT, 1, small, 8, 3, true) == 8 && memcmp(small, expected, 8) == 0);
    writeAll("bits.raw", SVM_ITEM_BIT, 1, expected, 7, 2); // the last bit is padded with 0
    CHECK(readAll("bits.raw", SVM_ITEM_BIT, 1, small, 8, 8, true) == 8 && small[6] == 1 && small[7] == 0);
}

// A pipe gives what its writer happened to write: items are put together.
static void pieces(void)
{
    int ends[2];
    CHECK(pipe(ends) == 0);
    pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < 3000; i++) {
            char byte = (char)i;
            if (write(ends[1], &byte, 1) != 1)
                _exit(1);
        }
        _exit(0);
    }
    close(ends[1]);
    CHECK(dup2(ends[0], 0) == 0);
    unsigned char back[3000];
    CHECK(readAll(NULL, SVM_ITEM_INT, 4, back, 750, 100, true) == 750);
    for (int i = 0; i < 3000; i++)
        CHECK(back[i] == (unsigned char)i);
}

static void copy(svm_Settings *settings)
{
    svm_Reader r = {.where = "Source at test.str:3", .item = SVM_ITEM_INT, .elementSize = 4};
    svm_Writer w = {.where = "Sink at test.str:9", .item = SVM_ITEM_INT, .elementSize = 4};
    svm_readerOpen(&r, settings);
    svm_writerOpen(&w, settings);
    int32_t items[3];
    ptrdiff_t n;
    while ((n = svm_readerRead(&r, items, 3)) > 0)
        svm_writerWrite(&w, items, n);
    svm_writerClose(&w);
    svm_readerClose(&r);
}

static void loop(const char *path, ptrdiff_t count)
{
    svm_Settings settings = {.in = path, .loopInput = true};
    svm_Reader r = {.where = "Source at test.str:3", .item = SVM_ITEM_INT, .elementSize = 4};
    svm_readerOpen(&r, &settings);
    int32_t items[100];
    CHECK(svm_readerRead(&r, items, count) == count && !r.ended && !svm_readerAtEnd(&r));
    printf("%.*s\n", (int)count * 4, (char *)items);
    svm_readerClose(&r);
}

int main(int argc, char **argv)
{
    const char *what = argv[1];
    svm_Settings settings = {.in = argc > 2 ? argv[2] : NULL, .out = argc > 3 ? argv[3] : NULL};
    if (strcmp(what, "types") == 0)
        types();
    else if (strcmp(what, "bits") == 0)
        bits();
    else if (strcmp(what, "pieces") == 0)
        pieces();
    else if (strcmp(what, "copy") == 0)
        copy(&settings);
    else if (strcmp(what, "loop") == 0)
        loop(argv[2], atoi(argv[3]));
    else if (strcmp(what, "ends") == 0) {
        svm_Reader r = {.path = argv[2], .where = "Source at test.str:3", .item = SVM_ITEM_INT, .elementSize = 4};
        int32_t item;
        svm_readerOpen(&r, NULL);
        CHECK(svm_readerRead(&r, &item, 1) == 1);
        svm_readerAtEnd(&r);
    } else if (strcmp(what, "many") == 0) {
        static int32_t items[1 << 20];
        writeAll(argc > 2 ? argv[2] : NULL, SVM_ITEM_INT, 4, items, 1 << 20, argc > 2 ? 1 << 20 : 1000);
    } else if (strcmp(what, "print") == 0) {
        static svm_Log l;
        svm_Log *const logs[] = {&l};
        for (int i = 0; i < 100000; i++) {
            svm_printInt(&l, i);
            svm_printMerge(logs, 1);
        }
    } else if (strcmp(what, "closed") == 0) {
        int ends[2];
        signal(SIGPIPE, SIG_IGN); // as svm_main does
        CHECK(pipe(ends) == 0 && close(ends[0]) == 0 && dup2(ends[1], 1) == 1);
        int32_t item = 0;
        writeAll(NULL, SVM_ITEM_INT, 4, &item, 1, 1);
    }
    return 0;
}
