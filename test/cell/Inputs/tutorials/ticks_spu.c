// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <spu_intrinsics.h>
#include <spu_mfcio.h>

#define DELAY 20000

static volatile float sink;
static unsigned int result[4] __attribute__((aligned(16)));

int main(unsigned long long id, unsigned long long argp, unsigned long long envp)
{
    unsigned int start, i;
    float x = 1;
    (void)id;
    (void)envp;
    spu_writech(SPU_WrDec, 0x7fffffff);
    start = spu_readch(SPU_RdDec);
    for (i = 0; i < 200000; i++)
        x = x * 0.999f + 1;
    sink = x;
    result[0] = start - spu_read_decrementer();

    spu_write_event_mask(MFC_DECREMENTER_EVENT);
    spu_write_decrementer(DELAY);
    result[1] = (spu_read_event_status() & MFC_DECREMENTER_EVENT) != 0;
    spu_write_event_ack(MFC_DECREMENTER_EVENT);
    spu_write_event_mask(0);
    result[2] = DELAY;
    mfc_put(result, argp, sizeof result, 0, 0, 0);
    mfc_write_tag_mask(1);
    mfc_read_tag_status_all();
    return 0;
}
