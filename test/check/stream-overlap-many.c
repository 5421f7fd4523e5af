// Of many streams, in a local memory and in pieces of global ones, exactly those that share a byte with a live one are found: below,
// above, around, inside and over it, with every one that they touch; not beside it, in another piece, in place of a destroyed one, or on
// the other branch.
// RUN: not %svm-check %s > %t 2>&1; FileCheck --implicit-check-not=warning: %s < %t
// RUN: grep -c 'Wstream-overlap' %t | FileCheck --check-prefix=COUNT %s
// COUNT: {{^}}14{{$}}
#include "Inputs/kernels.h"

enum { N = 6 };

static void place(svm_Stream *s, size_t address, size_t capacity)
{
    svm_streamInitRAM(s, &LMEM1, address, capacity, 4); // places
}

// The first lies at 100 to 199.
static void around(void)
{
    static svm_Stream first, below, above, into, over, same, begins, ends;
    svm_streamInitRAM(&first, &LMEM1, 100, 25, 4);
    svm_streamInitRAM(&below, &LMEM1, 60, 10, 4); // to 99
    svm_streamDestroy(&below);
    svm_streamInitRAM(&above, &LMEM1, 200, 10, 4);
    svm_streamDestroy(&above);
    // CHECK: overlap-many.c:[[@LINE+1]]:5: warning: stream 'below' at bytes 64 to 103 of memory 'LMEM1' overlaps stream 'first' at 100 to 199 [
    svm_streamInitRAM(&below, &LMEM1, 64, 10, 4);
    svm_streamDestroy(&below);
    // CHECK: overlap-many.c:[[@LINE+1]]:5: warning: stream 'above' at bytes 196 to 235 of memory 'LMEM1' overlaps stream 'first' at 100 to 199 [
    svm_streamInitRAM(&above, &LMEM1, 196, 10, 4);
    svm_streamDestroy(&above);
    // CHECK: overlap-many.c:[[@LINE+1]]:5: warning: stream 'into' at bytes 140 to 143 of memory 'LMEM1' overlaps stream 'first' at 100 to 199 [
    svm_streamInitRAM(&into, &LMEM1, 140, 1, 4);
    svm_streamDestroy(&into);
    // CHECK: overlap-many.c:[[@LINE+1]]:5: warning: stream 'over' at bytes 0 to 399 of memory 'LMEM1' overlaps stream 'first' at 100 to 199 [
    svm_streamInitRAM(&over, &LMEM1, 0, 100, 4);
    svm_streamDestroy(&over);
    // CHECK: overlap-many.c:[[@LINE+1]]:5: warning: stream 'same' at bytes 100 to 199 of memory 'LMEM1' overlaps stream 'first' at 100 to 199 [
    svm_streamInitRAM(&same, &LMEM1, 100, 100, 1);
    svm_streamDestroy(&same);
    // CHECK: overlap-many.c:[[@LINE+1]]:5: warning: stream 'begins' at bytes 100 to 103 of memory 'LMEM1' overlaps stream 'first' at 100 to 199 [
    svm_streamInitRAM(&begins, &LMEM1, 100, 1, 4);
    svm_streamDestroy(&begins);
    // CHECK: overlap-many.c:[[@LINE+1]]:5: warning: stream 'ends' at bytes 196 to 199 of memory 'LMEM1' overlaps stream 'first' at 100 to 199 [
    svm_streamInitRAM(&ends, &LMEM1, 196, 1, 4);
    svm_streamDestroy(&ends);
    svm_streamDestroy(&first);
}

// Six side by side; then one over the third and the fourth, and one where the second was.
static void many(void)
{
    static svm_Stream row[N], two, again;
    for (int i = 0; i < N; i++)
        place(&row[i], 4096 + (size_t)i * 64, 16);
    // CHECK: overlap-many.c:[[@LINE+2]]:5: warning: stream 'two' at bytes 4256 to 4319 of memory 'LMEM1' overlaps stream 'row[2]' at 4224 to 4287 [
    // CHECK: overlap-many.c:[[@LINE+1]]:5: warning: stream 'two' at bytes 4256 to 4319 of memory 'LMEM1' overlaps stream 'row[3]' at 4288 to 4351 [
    svm_streamInitRAM(&two, &LMEM1, 4256, 16, 4);
    svm_streamDestroy(&two);
    svm_streamDestroy(&row[1]);
    svm_streamInitRAM(&again, &LMEM1, 4160, 16, 4);
    svm_streamDestroy(&row[0]);
    // CHECK: overlap-many.c:[[@LINE+1]]:5: warning: stream 'two' at bytes 4404 to 4467 of memory 'LMEM1' overlaps stream 'row[4]' at 4352 to 4415 [
    svm_streamInitRAM(&two, &LMEM1, 4404, 16, 4);
    // CHECK: overlap-many.c:[[@LINE-1]]:5: warning: stream 'two' at bytes 4404 to 4467 of memory 'LMEM1' overlaps stream 'row[5]' at 4416 to 4479 [
    svm_streamDestroy(&two);
}

// Addresses that svm_alloc gave: apart, unless they are of one piece.
static void pieces(void)
{
    static svm_Stream a, b, c, d;
    size_t one = svm_alloc(&GMEM, 1024), other = svm_alloc(&GMEM, 1024);
    svm_streamInitRAM(&a, &GMEM, one, 64, 4);
    svm_streamInitRAM(&b, &GMEM, other, 64, 4);
    svm_streamInitRAM(&c, &GMEM, one + 256, 64, 4);
    // CHECK: overlap-many.c:[[@LINE+1]]:5: warning: stream 'd' at bytes 500 to 755 of memory 'GMEM' overlaps stream 'c' at 256 to 511 [
    svm_streamInitRAM(&d, &GMEM, one + 500, 64, 4);
}

static void branches(int argc)
{
    static svm_Stream yes, no, after;
    if (argc > 1)
        svm_streamInitRAM(&yes, &LMEM2, 0, 16, 4);
    else
        svm_streamInitRAM(&no, &LMEM2, 0, 16, 4);
    // CHECK: overlap-many.c:[[@LINE+2]]:5: warning: stream 'after' at bytes 32 to 95 of memory 'LMEM2' overlaps stream 'yes' at 0 to 63 [
    // CHECK: overlap-many.c:[[@LINE+1]]:5: warning: stream 'after' at bytes 32 to 95 of memory 'LMEM2' overlaps stream 'no' at 0 to 63 [
    svm_streamInitRAM(&after, &LMEM2, 32, 16, 4);
}

int main(int argc, char **argv)
{
    (void)argv;
    around();
    many();
    pieces();
    branches(argc);
    return 0;
}
