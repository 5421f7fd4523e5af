// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scrambler of bench/programs by hand: its bits repeat after 127 bytes.
#include "vec.h"

#define PERIOD 127
#define BLOCK (32 * PERIOD)

int main(int argc, char **argv)
{
    files f = files_open(argc, argv);
    static int sequence[BLOCK], data[BLOCK];
    int state = 127;
    for (int i = 0; i < BLOCK; i++)
        for (int b = 0; b < 8; b++) {
            int bit = (state >> 6 ^ state >> 3) & 1;
            state = (state << 1 | bit) & 127;
            sequence[i] |= bit << b;
        }
    for (size_t n; (n = fread(data, sizeof *data, BLOCK, f.in)) > 0;) {
        for (size_t i = 0; i < n; i++)
            data[i] = (data[i] & 255) ^ sequence[i];
        fwrite(data, sizeof *data, n, f.out);
    }
    files_close(f);
    return 0;
}
