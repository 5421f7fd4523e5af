// svm/bits.h: items are turned to vectors of bits and back, in blocks and what is left over, bytes whole, and every item has the lane of its firing. Compilers without vectors have 64 lanes.
// RUN: %host -o %t && %t
// RUN: %host -mavx2 -O2 -o %t && %t
// RUN: %host-gcc -o %t && %t
// RUN: %host-asan -o %t && %t
// RUN: %host -DSVM_BITS=128 -o %t && %t
// RUN: %host -DSVM_BITS=512 -O2 -o %t && %t
// RUN: %host-gcc -DSVM_BITS=512 -o %t && %t
#ifndef SVM_BITS
#define SVM_BITS 256
#endif
#include <svm/bits.h>

#include "check.h"

enum { LANES = 512, ITEMS = 70, STRIDE = 73, PACKED = 19 };

static unsigned char bytes[LANES * STRIDE], bytes_out[LANES * STRIDE], whole[LANES * STRIDE];
static int ints[LANES * STRIDE], ints_out[LANES * STRIDE];
static svm_Bits planes[8 * PACKED];

static int lane(int item, int firing)
{
    unsigned char raw[svm_bits / 8];
    memcpy(raw, &planes[item], sizeof raw);
    return raw[firing / 8] >> firing % 8 & 1;
}

static void check_items(int items)
{
    svm_bitsInBytes(planes, bytes, items, STRIDE, 0);
    for (int l = 0; l < svm_bits; l++)
        for (int k = 0; k < items; k++)
            CHECK(lane(k, l) == bytes[l * STRIDE + k]);
    memset(bytes_out, 7, sizeof bytes_out);
    svm_bitsOutBytes(bytes_out, planes, items, STRIDE, 0, 0);
    memset(ints_out, 7, sizeof ints_out);
    for (int bit = 0; bit < 32; bit++) {
        svm_bitsInInts(planes, ints, items, STRIDE, bit);
        for (int l = 0; l < svm_bits; l++)
            CHECK(lane(items - 1, l) == (int)((unsigned)ints[l * STRIDE + items - 1] >> bit & 1));
        svm_bitsOutInts(ints_out, planes, items, STRIDE, bit, bit > 0);
    }
    svm_bitsInWord(planes, ints + 3, STRIDE);
    for (int l = 0; l < svm_bits; l++)
        for (int bit = 0; bit < 32; bit++)
            CHECK(lane(bit, l) == (int)((unsigned)ints[l * STRIDE + 3] >> bit & 1));
    svm_bitsOutWord(ints_out + STRIDE - 1, planes, STRIDE);
    for (int l = 0; l < svm_bits; l++) {
        CHECK(ints_out[l * STRIDE + STRIDE - 1] == ints[l * STRIDE + 3]);
        ints_out[l * STRIDE + STRIDE - 1] = 0x07070707;
    }
    for (int l = 0; l < svm_bits; l++)
        for (int k = 0; k < STRIDE; k++) {
            int at = l * STRIDE + k;
            CHECK(bytes_out[at] == (k < items ? bytes[at] : 7));
            CHECK(ints_out[at] == (k < items ? ints[at] : 0x07070707));
        }
}

// Items of whole bytes, of which some are behind those that go together.
static void check_packed(int items, int stride)
{
    memset(planes, 0, sizeof planes);
    svm_bitsInPacked(planes, whole, items, stride);
    for (int l = 0; l < svm_bits; l++)
        for (int bit = 0; bit < 8 * PACKED; bit++)
            CHECK(lane(bit, l) == (bit < 8 * items ? whole[l * stride + bit / 8] >> bit % 8 & 1 : 0));
    memset(bytes_out, 7, sizeof bytes_out);
    svm_bitsOutPacked(bytes_out, planes, items, stride);
    for (int i = 0; i < svm_bits * STRIDE; i++)
        CHECK(bytes_out[i] == (i < svm_bits * stride && i % stride < items ? whole[i] : 7));
}

int main(void)
{
    unsigned seed = 1;
    for (int i = 0; i < LANES * STRIDE; i++) {
        seed = seed * 1103515245U + 12345U;
        bytes[i] = seed >> 20 & 1;
        ints[i] = (int)(seed ^ seed << 13);
        whole[i] = (unsigned char)(seed >> 16);
    }
    for (int items = 1; items <= ITEMS; items += items < 3 ? 1 : 13)
        check_items(items);
    for (int items = 1; items <= PACKED; items++) {
        check_packed(items, items);
        check_packed(items, STRIDE);
    }
    svm_Bits none = SVM_BITS_NONE, all = SVM_BITS_ALL;
    planes[0] = none;
    planes[1] = all ^ none;
    CHECK(lane(0, 5) == 0 && lane(1, svm_bits - 1) == 1);
    return 0;
}
