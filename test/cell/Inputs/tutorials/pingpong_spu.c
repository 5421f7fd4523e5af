// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <spu_intrinsics.h>
#include <spu_mfcio.h>

int main(unsigned long long spe_id, unsigned long long argp, unsigned long long envp)
{
    unsigned int value, sum = 0;
    int i;
    (void)spe_id;
    (void)argp;
    (void)envp;
    for (;;) {
        value = spu_read_in_mbox();
        if (value == 0xffffffff)
            break;
        while (spu_stat_out_mbox() == 0)
            ;
        spu_write_out_mbox(3 * value + 1);
    }
    for (i = 0; i < 3; i++)
        sum += spu_readch(SPU_RdInMbox);
    spu_write_out_intr_mbox(sum);
    return 0;
}
