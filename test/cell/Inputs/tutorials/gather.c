// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* Columns of a matrix: each SPE gathers its own with lists of transfers, two buffers in turn. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <malloc_align.h>
#include <free_align.h>
#include <pthread.h>
#include <libspe2.h>
#include "gather.h"

extern spe_program_handle_t gather_spu;

typedef struct {
    spe_context_ptr_t ctx;
    pthread_t thread;
    context_t *cb;
} spu_t;

static void *run(void *arg)
{
    spu_t *spu = (spu_t *)arg;
    unsigned int entry = SPE_DEFAULT_ENTRY;
    spe_stop_info_t info;
    if (spe_context_run(spu->ctx, &entry, 0, spu->cb, (void *)(unsigned long)16, &info) < 0) {
        perror("spe_context_run");
        exit(1);
    }
    return NULL;
}

int main(void)
{
    int spes = spe_cpu_info_get(SPE_COUNT_USABLE_SPES, -1), i, row, column, wrong = 0;
    spu_t spus[SPES];
    float *matrix = _malloc_align(ROWS * COLUMNS * sizeof(float), 7);
    float *sums = _malloc_align(COLUMNS * sizeof(float), 7);
    context_t *blocks = _malloc_align(SPES * sizeof(context_t), 7);

    if (spes < SPES) {
        fprintf(stderr, "only %d SPEs\n", spes);
        return 1;
    }
    for (row = 0; row < ROWS; row++)
        for (column = 0; column < COLUMNS; column++)
            matrix[row * COLUMNS + column] = (float)(row % 7 + column);
    memset(sums, 0, COLUMNS * sizeof(float));
    for (i = 0; i < SPES; i++) {
        blocks[i].matrix = (unsigned long long)(unsigned long)matrix;
        blocks[i].sums = (unsigned long long)(unsigned long)sums;
        blocks[i].first = i * (COLUMNS / SPES);
        blocks[i].count = COLUMNS / SPES;
        spus[i].cb = &blocks[i];
        spus[i].ctx = spe_context_create(0, NULL);
        spe_program_load(spus[i].ctx, &gather_spu);
        pthread_create(&spus[i].thread, NULL, run, &spus[i]);
    }
    for (i = 0; i < SPES; i++) {
        pthread_join(spus[i].thread, NULL);
        spe_context_destroy(spus[i].ctx);
    }
    for (column = 0; column < COLUMNS; column++) {
        float sum = 0;
        for (row = 0; row < ROWS; row++)
            sum += matrix[row * COLUMNS + column];
        wrong += sums[column] != sum;
    }
    printf("gather: %g, %d wrong\n", sums[1], wrong);
    _free_align(matrix);
    _free_align(sums);
    _free_align(blocks);
    return 0;
}
