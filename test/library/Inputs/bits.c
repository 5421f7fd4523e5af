// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gives a library of bits ints that are no bits, three portions of them, and prints what comes out.
#include <stdio.h>

#include "bits.h"

int main(void)
{
    static const int in[] = {0, 5, 256, 0, -1, 1, 2, 65536};
    int out[8];
    size_t done = 0, taken, given;
    Bits *bits = Bits_create();
    for (size_t portion = 1; done < 8; portion++) {
        if (Bits_process(bits, in + done, portion < 8 - done ? portion : 8 - done, &taken, out, 8, &given) == Bits_ERROR)
            return 1;
        done += taken;
        for (size_t i = 0; i < given; i++)
            printf("%d\n", out[i]);
    }
    return Bits_destroy(bits);
}
