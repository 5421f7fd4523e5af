// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// characterize-fit BYTES=MICROSECONDS ..: fits a line to the times of blocks, as svm-characterize does, and prints it.
#include <stdio.h>
#include <stdlib.h>

#include "characterize/characterize.h"

int main(int argc, char **argv)
{
    arena *a = arena_create();
    core_results r = {.two = true};
    curve *c = figure_add(a, &r.cores, "measured");
    for (int i = 1; i < argc; i++) {
        double bytes, microseconds;
        if (sscanf(argv[i], "%lf=%lf", &bytes, &microseconds) != 2) {
            fprintf(stderr, "characterize-fit: '%s' is not BYTES=MICROSECONDS\n", argv[i]);
            return 2;
        }
        curve_add(a, c, bytes, microseconds, 0);
    }
    fit_cores(a, &r);
    printf("%.4g us a block, %.4g MB/s\n", r.block * 1e6, r.bandwidth * 1e-6);
    arena_destroy(a);
    return 0;
}
