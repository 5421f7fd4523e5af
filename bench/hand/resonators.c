// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The resonators of bench/programs by hand: the bank is a vector.
#include "vec.h"

#define BANK 16
#define BLOCK 4096
#define PI 3.14159265F

int main(int argc, char **argv)
{
    files f = files_open(argc, argv);
    floats in, out;
    queue_init(&in, BLOCK);
    queue_init(&out, BLOCK);
    vf16 a, y1 = {0}, y2 = {0};
    const float b = 0.99F * 0.99F;
    for (int i = 0; i < BANK; i++)
        a[i] = 2.0F * 0.99F * cosf(2.0F * PI * (0.01F + 0.02F * (float)i));
    while (queue_read(&in, BLOCK, f), in.fill > 0) {
        for (ptrdiff_t i = 0; i < in.fill; i++) {
            vf16 y = in.data[i] + a * y1 - b * y2;
            y2 = y1;
            y1 = y;
            float t[BANK], most = 0;
            store16(t, y);
            for (int l = 0; l < BANK; l++)
                t[l] = fabsf(t[l]);
            for (int w = BANK / 2; w > 0; w /= 2)
                for (int l = 0; l < w; l++)
                    t[l] = t[l] > t[l + w] ? t[l] : t[l + w];
            most = t[0];
            out.data[i] = most;
        }
        out.fill = in.fill;
        queue_write(&out, f);
        in.fill = 0;
    }
    files_close(f);
    return 0;
}
