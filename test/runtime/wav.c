// WAV files through libsndfile: samples round trip, channels are interleaved, properties follow the name, and errors are messages.
// RUN: %host -o %t && rm -rf %t.d && mkdir %t.d && cd %t.d && %t
// RUN: %host-asan -o %t-asan && %t-asan
// RUN: not %t read none.wav 2>&1 | FileCheck --check-prefix=NONE %s
// NONE: error: cannot open 'none.wav': No such file or directory
// RUN: printf hello > bad.wav && not %t read bad.wav 2>&1 | FileCheck --check-prefix=BAD %s
// BAD: error: cannot read 'bad.wav': it is no WAV file; raw items have another name
// RUN: not %t write x.wav,speed=3 2>&1 | FileCheck --check-prefix=OPTION %s
// OPTION: error: 'x.wav,speed=3': 'speed=3' is none of rate=HERTZ, channels=COUNT, format=pcm16|pcm24|float
// RUN: not %t write x.wav,rate=0 2>&1 | FileCheck --check-prefix=RATE %s
// RATE: error: 'x.wav,rate=0': 'rate=0' is out of range; expected a whole number from 1 to 10000000
// RUN: not %t write x.wav,channels=9999 2>&1 | FileCheck --check-prefix=CHANNELS %s
// CHANNELS: 'channels=9999' is out of range; expected a whole number from 1 to 1024
// RUN: not %t read x.wav,rate=5 2>&1 | FileCheck --check-prefix=READ %s
// READ: error: 'x.wav,rate=5': options after 'x.wav' are for files to be written
// RUN: not %t bits x.wav 2>&1 | FileCheck --check-prefix=BITS %s
// BITS: error: 'x.wav': the items of a WAV file are float, double, int or complex, not those of Sink at test.str:9
// RUN: ln -s /dev/full full.wav && not %t write full.wav 2>&1 | FileCheck --check-prefix=FULL %s
// FULL: error: cannot write 'full.wav': {{.+}}

#include "check.h"

enum { COUNT = 20001 };

static void writeWav(const char *path, svm_Item item, size_t size, const void *items, ptrdiff_t count, ptrdiff_t piece)
{
    svm_Settings settings = {.out = path};
    svm_Writer w = {.where = "Sink at test.str:9", .item = item, .elementSize = size};
    svm_writerOpen(&w, &settings);
    for (ptrdiff_t i = 0; i < count; i += piece)
        svm_writerWrite(&w, (const char *)items + (size_t)i * size, count - i < piece ? count - i : piece);
    svm_writerClose(&w);
}

static ptrdiff_t readWav(const char *path, svm_Item item, size_t size, void *items, ptrdiff_t most, ptrdiff_t piece)
{
    svm_Reader r = {.path = path, .where = "Source at test.str:3", .item = item, .elementSize = size};
    svm_readerOpen(&r, NULL);
    ptrdiff_t done = 0;
    while (done < most && !svm_readerAtEnd(&r))
        done += svm_readerRead(&r, (char *)items + (size_t)done * size, most - done < piece ? most - done : piece);
    svm_readerClose(&r);
    return done;
}

static unsigned field(const char *path, long offset, int bytes)
{
    FILE *f = fopen(path, "rb");
    unsigned v = 0;
    CHECK(f && fseek(f, offset, SEEK_SET) == 0);
    for (int i = 0; i < bytes; i++)
        v |= (unsigned)fgetc(f) << (8 * i);
    fclose(f);
    return v;
}

static void roundTrips(void)
{
    static float floats[COUNT], back[COUNT + 10];
    static double doubles[COUNT], doublesBack[COUNT];
    static int32_t ints[COUNT], intsBack[COUNT];
    for (int i = 0; i < COUNT; i++) {
        doubles[i] = floats[i] = sinf((float)i * 0.05F);
        ints[i] = (i * 37) % 65536 - 32768;
    }
    for (ptrdiff_t piece = 1; piece < COUNT; piece = piece * 7 + 1) {
        writeWav("f.wav", SVM_ITEM_FLOAT, 4, floats, COUNT, piece);
        CHECK(readWav("f.wav", SVM_ITEM_FLOAT, 4, back, COUNT + 10, piece + 1) == COUNT);
        for (int i = 0; i < COUNT; i++)
            CHECK(fabsf(back[i] - floats[i]) < 1.0F / 32767);
        writeWav("f.wav,format=float,channels=3,rate=48000", SVM_ITEM_FLOAT, 4, floats, COUNT, piece);
        CHECK(readWav("f.wav", SVM_ITEM_FLOAT, 4, back, COUNT + 10, piece + 1) == COUNT);
        CHECK(memcmp(back, floats, sizeof floats) == 0);
        writeWav("i.wav,channels=3", SVM_ITEM_INT, 4, ints, COUNT, piece);
        CHECK(readWav("i.wav", SVM_ITEM_INT, 4, intsBack, COUNT, piece + 1) == COUNT);
        CHECK(memcmp(intsBack, ints, sizeof ints) == 0);
        writeWav("d.wav,format=pcm24", SVM_ITEM_DOUBLE, 8, doubles, COUNT, piece);
        CHECK(readWav("d.wav", SVM_ITEM_DOUBLE, 8, doublesBack, COUNT, piece + 1) == COUNT);
        for (int i = 0; i < COUNT; i++)
            CHECK(fabs(doublesBack[i] - doubles[i]) < 1.0 / 8388607);
        writeWav("c.wav", SVM_ITEM_COMPLEX, 8, floats, COUNT / 2, piece);
        CHECK(readWav("c.wav", SVM_ITEM_COMPLEX, 8, back, COUNT, piece + 1) == COUNT / 2);
    }
    // What the header says: channels at 22, rate at 24, bits a sample at 34.
    CHECK(field("i.wav", 22, 2) == 3 && field("i.wav", 24, 4) == 44100 && field("i.wav", 34, 2) == 16);
    CHECK(field("c.wav", 22, 2) == 2 && field("d.wav", 34, 2) == 24);
}

static void edges(void)
{
    // Values out of range are clipped; a last frame that is not whole is filled with silence.
    static const float loud[3] = {2.0F, -2.0F, 0.0F};
    static const int32_t louder[3] = {100000, -100000, 5};
    float back[4];
    int32_t ints[4];
    writeWav("x.wav,channels=2", SVM_ITEM_FLOAT, 4, loud, 3, 3);
    CHECK(readWav("x.wav", SVM_ITEM_FLOAT, 4, back, 10, 1) == 4);
    CHECK(back[0] > 0.999F && back[1] == -1.0F && back[2] == 0.0F && back[3] == 0.0F);
    writeWav("x.wav", SVM_ITEM_INT, 4, louder, 3, 3);
    CHECK(readWav("x.wav", SVM_ITEM_INT, 4, ints, 4, 4) == 3 && ints[0] == 32767 && ints[1] == -32768 && ints[2] == 5);
    // Looping.
    svm_Settings settings = {.loopInput = true};
    svm_Reader r = {.path = "x.wav", .where = "", .item = SVM_ITEM_INT, .elementSize = 4};
    svm_readerOpen(&r, &settings);
    int32_t many[10];
    CHECK(svm_readerRead(&r, many, 10) == 10 && many[9] == 32767 && many[8] == 5);
    svm_readerClose(&r);
    // Not WAV by name.
    writeWav("x.wave", SVM_ITEM_INT, 4, louder, 3, 3);
    CHECK(field("x.wave", 0, 4) == 100000);
}

int main(int argc, char **argv)
{
    int32_t item = 0;
    if (argc == 1) {
        roundTrips();
        edges();
    } else if (strcmp(argv[1], "read") == 0) {
        readWav(argv[2], SVM_ITEM_INT, 4, &item, 1, 1);
    } else if (strcmp(argv[1], "write") == 0) {
        writeWav(argv[2], SVM_ITEM_INT, 4, &item, 1, 1);
    } else {
        writeWav(argv[2], SVM_ITEM_BIT, 4, &item, 1, 1);
    }
    return 0;
}
