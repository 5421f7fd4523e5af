// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <spu_mfcio.h>

enum { WORDS = 24 * 256 };

static volatile unsigned int data[WORDS] __attribute__((aligned(128)));

int main(void)
{
    unsigned int sum = 0;
    spu_write_out_mbox((unsigned int)data);
    unsigned int count = spu_read_in_mbox();
    for (unsigned int i = 0; i < count; i++)
        sum += data[i]++;
    spu_write_out_mbox(sum);
    return (int)spu_read_in_mbox(); /* nobody writes it */
}
