/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <spu_intrinsics.h>
#include <spu_mfcio.h>

#define N 1024
#define LOG 10

typedef struct {
    unsigned long long data;
    unsigned long long twiddle;
    unsigned long long head;
    unsigned int items, rank;
    unsigned char pad[96];
} control_block __attribute__((aligned(128)));

static control_block cb;
static volatile unsigned int line[32] __attribute__((aligned(128)));
static vector float buf[2][N / 2] __attribute__((aligned(128)));
static vector float work[N / 2] __attribute__((aligned(128)));
static vector float tw[N / 4] __attribute__((aligned(128)));

static unsigned int next_item(unsigned long long ea)
{
    unsigned int item;
    do {
        mfc_getllar((void *)line, ea, 0, 0);
        (void)mfc_read_atomic_status();
        item = line[0];
        line[0] = item + 1;
        mfc_putllc((void *)line, ea, 0, 0);
    } while (mfc_read_atomic_status() & MFC_PUTLLC_STATUS);
    return item;
}

/* complex product of two pairs (re im re im) */
static inline vector float cmul(vector float a, vector float b)
{
    static const vector unsigned char re = {0,1,2,3, 0,1,2,3, 8,9,10,11, 8,9,10,11};
    static const vector unsigned char im = {4,5,6,7, 4,5,6,7, 12,13,14,15, 12,13,14,15};
    static const vector unsigned char swap = {4,5,6,7, 0,1,2,3, 12,13,14,15, 8,9,10,11};
    const vector float sign = {-1.0f, 1.0f, -1.0f, 1.0f};
    vector float ar = spu_shuffle(a, a, re), ai = spu_mul(spu_shuffle(a, a, im), sign);
    return spu_madd(ar, b, spu_mul(ai, spu_shuffle(b, b, swap)));
}

/* Stockham, radix 2, decimation in frequency */
static void fft(vector float *x, vector float *y)
{
    unsigned int n = N, s = 1, p, q;
    static const vector unsigned char lo = {0,1,2,3,4,5,6,7, 16,17,18,19,20,21,22,23};
    static const vector unsigned char hi = {8,9,10,11,12,13,14,15, 24,25,26,27,28,29,30,31};
    while (n > 1) {
        unsigned int m = n / 2;
        if (s == 1) {
            for (p = 0; p < m; p += 2) {
                vector float a = x[p / 2], b = x[(p + m) / 2];
                vector float w = tw[p / 2];
                vector float sum = spu_add(a, b), dif = cmul(spu_sub(a, b), w);
                y[p] = spu_shuffle(sum, dif, lo);
                y[p + 1] = spu_shuffle(sum, dif, hi);
            }
        } else {
            for (p = 0; p < m; p++) {
                vector float w2 = tw[(p * s) / 2];
                vector float w = (p * s) & 1 ? spu_shuffle(w2, w2, hi) : spu_shuffle(w2, w2, lo);
                for (q = 0; q < s; q += 2) {
                    vector float a = x[(q + s * p) / 2], b = x[(q + s * (p + m)) / 2];
                    y[(q + s * 2 * p) / 2] = spu_add(a, b);
                    y[(q + s * (2 * p + 1)) / 2] = cmul(spu_sub(a, b), w);
                }
            }
        }
        vector float *t = x; x = y; y = t;
        n = m; s *= 2;
    }
}

int main(unsigned long long speid, unsigned long long argp, unsigned long long envp)
{
    unsigned int tag[2], t, item, next, cur = 0, done = 0;
    (void)speid;
    tag[0] = mfc_tag_reserve();
    tag[1] = mfc_tag_reserve();
    t = mfc_tag_reserve();
    if (t == MFC_TAG_INVALID || (unsigned int)envp != N) return -1;
    mfc_get(&cb, argp, sizeof cb, t, 0, 0);
    mfc_write_tag_mask(1 << t);
    mfc_read_tag_status_all();
    mfc_get(tw, cb.twiddle, sizeof tw, t, 0, 0);
    mfc_read_tag_status_all();
    item = next_item(cb.head);
    if (item < cb.items)
        mfc_get(buf[cur], cb.data + item * sizeof buf[0], sizeof buf[0], tag[cur], 0, 0);
    while (item < cb.items) {
        next = next_item(cb.head);
        if (next < cb.items)
            mfc_getf(buf[cur ^ 1], cb.data + next * sizeof buf[0], sizeof buf[0], tag[cur ^ 1], 0, 0);
        mfc_write_tag_mask(1 << tag[cur]);
        mfc_read_tag_status_all();
        fft(buf[cur], work);
        mfc_put(buf[cur], cb.data + item * sizeof buf[0], sizeof buf[0], tag[cur], 0, 0);
        item = next;
        cur ^= 1;
        done++;
    }
    mfc_write_tag_mask(1 << tag[0] | 1 << tag[1]);
    mfc_read_tag_status_all();
    return done;
}
