/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <spu_intrinsics.h>
#include <spu_mfcio.h>

static volatile vec_int4 buffer[2048 / 4] __attribute__((aligned(128)));

int main(void)
{
    unsigned int factor;
    spu_write_out_mbox((unsigned int)buffer);
    while ((factor = spu_read_in_mbox())) {
        for (int i = 0; i < 2048 / 4; i++)
            buffer[i] = spu_add(buffer[i], (int)factor);
        spu_write_out_mbox(factor);
    }
    return 0;
}
