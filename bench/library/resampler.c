// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The resampler of bench/programs with VOLK: of 1280 taps the eight that meet a sample, for each output.
#include "queue.h"
#include <volk/volk.h>

#define UP 160
#define DOWN 147
#define TAPS 1280
#define EACH (TAPS / UP)
#define BLOCK 8192
#define PI 3.14159265F

int main(int argc, char **argv)
{
    static float taps[UP][EACH];
    files f = files_open(argc, argv);
    floats in, out;
    queue_init(&in, BLOCK + EACH + 2);
    queue_init(&out, BLOCK * 2);
    for (int k = 0; k < TAPS; k++) {
        float t = ((float)k - (TAPS - 1) / 2.0F) / UP;
        float h = (0.54F - 0.46F * cosf(2 * PI * (float)k / (TAPS - 1))) * 0.9F * sinf(PI * 0.9F * t) / (PI * 0.9F * t);
        taps[k % UP][k / UP] = h; // taps k, k + 160 and so on lie over samples
    }
    ptrdiff_t place = 0; // of the next output, of the input with its zeros
    for (ptrdiff_t before; before = in.fill, queue_read(&in, BLOCK, f) > before;) {
        ptrdiff_t n = 0;
        for (; place + TAPS + DOWN - 1 <= in.fill * UP; place += DOWN) {
            ptrdiff_t first = (place + UP - 1) / UP;
            volk_32f_x2_dot_prod_32f(&out.data[n++], in.data + first, taps[first * UP - place], EACH);
        }
        out.fill = n;
        queue_write(&out, f);
        ptrdiff_t done = place / UP;
        done = done < in.fill ? done : in.fill;
        queue_drop(&in, done);
        place -= done * UP;
    }
    files_close(f);
    return 0;
}
