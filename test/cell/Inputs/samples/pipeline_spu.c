/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <spu_intrinsics.h>
#include <spu_mfcio.h>

#include "pipeline.h"

enum { ORDERS = 1, OUT = 4 };

static Orders me __attribute__((aligned(128)));
/* Two blocks that the stage before fills, at the same address in each stage; and what goes out. */
static vec_uint4 in[2][WORDS / 4] __attribute__((aligned(128)));
static vec_uint4 out[2][WORDS / 4] __attribute__((aligned(128)));
static unsigned int bits[2][4] __attribute__((aligned(16))) = {{0, 0, 0, 1}, {0, 0, 0, 2}};

static void wait_for(unsigned int tag)
{
    mfc_write_tag_mask(1u << tag);
    spu_mfcstat(MFC_TAG_UPDATE_ALL);
}

int main(unsigned long long speid, unsigned long long argp, unsigned long long envp)
{
    unsigned int filled = 0, freed = 3;
    (void)speid, (void)envp;
    mfc_get(&me, argp, sizeof me, ORDERS, 0, 0);
    wait_for(ORDERS);
    for (unsigned int b = 0; b < BLOCKS; b++) {
        const unsigned int half = b & 1;
        wait_for(OUT + half);
        if (me.stage == 0) {
            for (unsigned int i = 0; i < WORDS / 4; i++)
                out[half][i] = spu_add((vec_uint4){0, 1, 2, 3}, spu_splats(b * WORDS + 4 * i));
        } else {
            while (!(filled >> half & 1))
                filled |= spu_read_signal1();
            filled &= ~(1u << half);
            for (unsigned int i = 0; i < WORDS / 4; i++) {
                const vec_uint4 v = in[half][i];
                out[half][i] = spu_add(spu_add(v, spu_sl(v, 1u)), me.stage);
            }
            spu_dsync();
            mfc_sndsig(&bits[half][3], me.freed, OUT + half, 0, 0);
        }
        if (me.next) {
            while (!(freed >> half & 1))
                freed |= spu_read_signal2();
            freed &= ~(1u << half);
            mfc_put(out[half], me.next + (unsigned int)in[half], sizeof out[half], OUT + half, 0, 0);
            mfc_sndsigf(&bits[half][3], me.filled, OUT + half, 0, 0);
        } else {
            mfc_put(out[half], me.result + b * sizeof out[half], sizeof out[half], OUT + half, 0, 0);
        }
    }
    wait_for(OUT);
    wait_for(OUT + 1);
    return 0;
}
