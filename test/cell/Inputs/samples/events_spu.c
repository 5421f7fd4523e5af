/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <spu_mfcio.h>

int main(void)
{
    unsigned int word = 1;
    while (word) { /* the square of what was asked, at first 1 */
        spu_write_out_intr_mbox(word * word);
        word = spu_read_in_mbox();
    }
    return 0;
}
