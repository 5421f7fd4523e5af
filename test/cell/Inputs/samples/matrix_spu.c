/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <spu_intrinsics.h>
#include <spu_mfcio.h>

enum { TILE = 64, ROW = TILE * 4, TAG_ORDERS = 0, TAG_IN = 1, TAG_OUT = 3 };

typedef struct {
    unsigned long long a, b, c;
    unsigned int n, first, step, unused;
} __attribute__((aligned(128))) Orders;
static Orders me;
static vector float a[2][TILE * TILE / 4] __attribute__((aligned(128)));
static vector float b[2][TILE * TILE / 4] __attribute__((aligned(128)));
static vector float c[TILE * TILE / 4] __attribute__((aligned(128)));
static mfc_list_element_t lists[5][TILE] __attribute__((aligned(8)));

static void wait_for(unsigned int tag)
{
    mfc_write_tag_mask(1u << tag);
    mfc_read_tag_status_all();
}

/* The rows of a tile are a list. */
static void tile(mfc_list_element_t *list, unsigned long long matrix, unsigned int row, unsigned int column)
{
    for (unsigned int i = 0; i < TILE; i++) {
        const unsigned long long ea = matrix + 4ull * ((unsigned long long)(row * TILE + i) * me.n + column * TILE);
        list[i].notify = 0;
        list[i].size = ROW;
        list[i].eal = mfc_ea2l(ea);
    }
}

static void fetch(unsigned int half, unsigned int row, unsigned int k, unsigned int column)
{
    tile(lists[2 * half], me.a, row, k);
    tile(lists[2 * half + 1], me.b, k, column);
    mfc_getl(a[half], me.a, lists[2 * half], sizeof lists[0], TAG_IN + half, 0, 0);
    mfc_getl(b[half], me.b, lists[2 * half + 1], sizeof lists[0], TAG_IN + half, 0, 0);
}

/* One word in all four places. */
static vector float word(vector float v, unsigned int i)
{
    const unsigned int at = 0x00010203u + i * 0x04040404u;
    const vector unsigned char pattern = {
        (unsigned char)(at >> 24), (unsigned char)(at >> 16), (unsigned char)(at >> 8), (unsigned char)at,
        (unsigned char)(at >> 24), (unsigned char)(at >> 16), (unsigned char)(at >> 8), (unsigned char)at,
        (unsigned char)(at >> 24), (unsigned char)(at >> 16), (unsigned char)(at >> 8), (unsigned char)at,
        (unsigned char)(at >> 24), (unsigned char)(at >> 16), (unsigned char)(at >> 8), (unsigned char)at};
    return spu_shuffle(v, v, pattern);
}

static void multiply(const vector float *x, const vector float *y)
{
    for (int i = 0; i < TILE; i++)
        for (int j = 0; j < TILE / 4; j++) {
            vector float sum = c[i * TILE / 4 + j];
            for (int k = 0; k < TILE / 4; k++) {
                const vector float row = x[i * TILE / 4 + k];
                for (unsigned int l = 0; l < 4; l++)
                    sum = spu_madd(word(row, l), y[(4 * k + (int)l) * TILE / 4 + j], sum);
            }
            c[i * TILE / 4 + j] = sum;
        }
}

int main(unsigned long long speid, unsigned long long argp, unsigned long long envp)
{
    (void)speid, (void)envp;
    spu_write_decrementer(0xffffffff);
    mfc_get(&me, argp, sizeof me, TAG_ORDERS, 0, 0);
    wait_for(TAG_ORDERS);
    const unsigned int tiles = me.n / TILE;
    for (unsigned int t = me.first; t < tiles * tiles; t += me.step) {
        const unsigned int row = t / tiles, column = t % tiles;
        wait_for(TAG_OUT);
        for (int i = 0; i < TILE * TILE / 4; i++)
            c[i] = spu_splats(0.0f);
        fetch(0, row, 0, column);
        for (unsigned int k = 0; k < tiles; k++) {
            if (k + 1 < tiles)
                fetch(k + 1 & 1, row, k + 1, column);
            wait_for(TAG_IN + (k & 1));
            multiply(a[k & 1], b[k & 1]);
        }
        tile(lists[4], me.c, row, column);
        mfc_putl(c, me.c, lists[4], sizeof lists[4], TAG_OUT, 0, 0);
    }
    wait_for(TAG_OUT);
    return spu_read_decrementer() == 0xffffffff; /* time has passed */
}
