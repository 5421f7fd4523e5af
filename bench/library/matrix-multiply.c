// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The products of examples/matrix-multiply with OpenBLAS.
#include "queue.h"
#include <cblas.h>

#define N 32
#define MANY 16

int main(int argc, char **argv)
{
    files f = files_open(argc, argv);
    floats in, out;
    queue_init(&in, 2 * N * N * MANY);
    queue_init(&out, N * N * MANY);
    openblas_set_num_threads(1);
    while (queue_read(&in, 2 * N * N * MANY - in.fill, f), in.fill >= 2 * N * N) {
        ptrdiff_t there = in.fill / (2 * N * N);
        for (ptrdiff_t m = 0; m < there; m++) {
            const float *a = in.data + 2 * N * N * m;
            cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, N, N, N, 1, a, N, a + N * N, N, 0, out.data + N * N * m, N);
        }
        out.fill = N * N * there;
        queue_write(&out, f);
        queue_drop(&in, 2 * N * N * there);
    }
    files_close(f);
    return 0;
}
