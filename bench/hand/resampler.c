// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The resampler of bench/programs by hand, polyphase: output m begins at sample (147 m + 159) / 160 and meets no zeros. The 160
// outputs of 147 samples are the lanes' order: their taps lie together.
#include "vec.h"

#define UP 160
#define DOWN 147
#define TAPS 1280
#define ROUNDS (TAPS / UP)
#define BLOCK 64 // groups of 147 samples
#define PI 3.14159265F

static float taps[UP][ROUNDS];
static int first[UP];

int main(int argc, char **argv)
{
    files f = files_open(argc, argv);
    floats in, out;
    queue_init(&in, DOWN * BLOCK + DOWN + TAPS);
    queue_init(&out, UP * (BLOCK + 2));
    for (int m = 0; m < UP; m++) {
        first[m] = (DOWN * m + UP - 1) / UP;
        int phase = first[m] * UP - DOWN * m;
        for (int r = 0; r < ROUNDS; r++) {
            int k = UP * r + phase;
            float t = ((float)k - (float)(TAPS - 1) / 2.0F) / (float)UP;
            taps[m][r] = (0.54F - 0.46F * cosf(2.0F * PI * (float)k / (float)(TAPS - 1))) * 0.9F * sinf(PI * 0.9F * t) / (PI * 0.9F * t);
        }
    }
    for (int last = 0; !last;) {
        ptrdiff_t before = in.fill;
        queue_read(&in, DOWN * BLOCK, f);
        last = in.fill - before < DOWN * BLOCK;
        // Of expanded items there are 160 a sample; output m of a group needs the first 147 m + 1280 + 146 of them.
        ptrdiff_t items = in.fill * UP, n = 0;
        for (; DOWN * n + TAPS + DOWN - 1 <= items; n++) {
            const float *restrict x = in.data + n / UP * DOWN + first[n % UP], *restrict h = taps[n % UP];
            float a = 0, b = 0;
            for (ptrdiff_t r = 0; r < ROUNDS; r += 2) {
                a += h[r] * x[r];
                b += h[r + 1] * x[r + 1];
            }
            out.data[n] = a + b;
        }
        ptrdiff_t groups = n / UP; // outputs of a group begun are computed again
        out.fill = last ? n : UP * groups;
        queue_write(&out, f);
        queue_drop(&in, DOWN * groups);
    }
    files_close(f);
    return 0;
}
