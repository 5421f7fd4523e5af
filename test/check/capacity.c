// Blocks and streams outside their memory are found where addresses and sizes are constants: of local memories, of what
// svm_alloc and svm_map gave, through variables, loops and functions.
// RUN: not %svm-check %s 2>&1 | FileCheck --implicit-check-not=warning: %s
#include "Inputs/kernels.h"

enum { KIB = 1024, N = 4 };

static void place(svm_Block *b, size_t address, size_t count)
{
    // CHECK: capacity.c:[[@LINE+1]]:5: warning: block 'a' lies at bytes 131008 to 131135 of memory 'LMEM1', which has 131072 [-Wcapacity]
    svm_blockInit(b, &LMEM1, address, count, sizeof(float));
}

typedef struct Place {
    size_t address;
} Place;

// What a call leaves in a parameter is not there in the next one.
static void place_by(svm_Block *b, Place p)
{
    svm_blockInit(b, &LMEM1, p.address, 32, sizeof(float));
    p.address = 1000 * KIB;
}

int main(int argc, char **argv)
{
    static svm_Block a, b, blocks[N];
    static svm_Stream s;
    static float numbers[100];
    (void)argv;
    place(&b, 0, 32);
    // CHECK: capacity.c:[[@LINE+1]]:5: note: in this call
    place(&a, 128 * KIB - 64, 32);
    place(&b, (size_t)argc * 1000 * KIB, 32);

    size_t g = svm_alloc(&GMEM, 100 * sizeof(float)), m = svm_map(&GMEM, numbers, sizeof numbers);
    svm_blockInit(&a, &GMEM, g + 50 * sizeof(float), 50, sizeof(float));
    // CHECK: capacity.c:[[@LINE+2]]:5: warning: block 'b' lies at bytes 200 to 403 of the 400 that were given
    // CHECK: capacity.c:[[@LINE-3]]:59: note: the address is from here
    svm_blockInit(&b, &GMEM, m + 200, 51, sizeof(float));
    // CHECK: capacity.c:[[@LINE+1]]:5: warning: block 'b' is placed in memory 'LMEM1' at an address in 'GMEM'
    svm_blockInit(&b, &LMEM1, g, 1, 1);
    // CHECK: capacity.c:[[@LINE+1]]:5: warning: block 'b' is placed in memory 'GMEM' at 0, which is no address that svm_alloc or svm_map gave
    svm_blockInit(&b, &GMEM, 0, 1, 1);

    for (int i = 0; i < N; i++)
        // CHECK: capacity.c:[[@LINE+1]]:9: warning: block 'blocks[3]' lies at bytes 98304 to 139263 of memory 'LMEM2', which has 131072
        svm_blockInit(&blocks[i], &LMEM2, (size_t)i * 32 * KIB, i < 3 ? 32 * KIB : 40 * KIB, 1);
    // CHECK: capacity.c:[[@LINE+1]]:5: warning: stream 's' has a capacity of 0 elements
    svm_streamInitRAM(&s, &LMEM2, 0, 0, 4);
    // CHECK: capacity.c:[[@LINE+1]]:5: warning: stream 's' has elements of 0 bytes
    svm_streamInitRAM(&s, &LMEM2, 0, 4, 0);

    Place somewhere = {(size_t)argc * 1000 * KIB};
    place_by(&a, somewhere);
    place_by(&b, somewhere);
    return 0;
}
