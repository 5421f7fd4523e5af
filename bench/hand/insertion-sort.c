// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sorting of bench/programs by hand: each number of a block counts how many come before it, and goes there; no branches.
#include "queue.h"

#define N 16
#define BLOCK (256 * N)

int main(int argc, char **argv)
{
    files f = files_open(argc, argv);
    ints in, out;
    queue_init(&in, BLOCK);
    queue_init(&out, BLOCK);
    while (queue_read(&in, BLOCK, f), in.fill > 0) {
        for (ptrdiff_t t = 0; t + N <= in.fill; t += N) {
            const int *a = in.data + t;
            int place[N] = {0};
            for (int j = 0; j < N; j++)
                for (int i = 0; i < N; i++)
                    place[i] += a[j] < a[i] || (a[j] == a[i] && j < i);
            for (int i = 0; i < N; i++)
                out.data[t + place[i]] = a[i];
        }
        out.fill = in.fill / N * N;
        queue_write(&out, f);
        in.fill = 0;
    }
    files_close(f);
    return 0;
}
