// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <libspe2.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bands.h"

extern spe_program_handle_t bands_spu;

static float in[SPES * ROWS_PER_SPE][WIDTH] __attribute__((aligned(128)));
static float out[SPES * ROWS_PER_SPE][WIDTH] __attribute__((aligned(128)));
static float result[PICKED] __attribute__((aligned(128)));
static band bands[SPES] __attribute__((aligned(128)));
static spe_context_ptr_t spe[SPES];

static void *run(void *argument)
{
    unsigned int entry = SPE_DEFAULT_ENTRY;
    band *b = argument;
    if (spe_context_run(spe[b->index], &entry, 0, b, NULL, NULL) < 0) {
        perror("spe_context_run");
        exit(1);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread[SPES];
    for (int r = 0; r < SPES * ROWS_PER_SPE; r++)
        for (int c = 0; c < WIDTH; c++)
            in[r][c] = (float)((r * 37 + c * 11) % 1009);
    for (unsigned int i = 0; i < SPES; i++) {
        spe[i] = spe_context_create(SPE_MAP_PS | SPE_CFG_SIGNOTIFY1_OR, NULL);
        if (!spe[i] || spe_program_load(spe[i], &bands_spu)) {
            perror("SPE");
            return 1;
        }
        spe_sig_notify_1_area_t *signal = spe_ps_area_get(spe[0], SPE_SIG_NOTIFY_1_AREA);
        bands[i].in = (unsigned long)in[i * ROWS_PER_SPE];
        bands[i].out = (unsigned long)out[i * ROWS_PER_SPE];
        bands[i].result = (unsigned long)result;
        bands[i].first_ls = (unsigned long)spe_ls_area_get(spe[0]);
        bands[i].first_signal = (unsigned long)&signal->SPU_Sig_Notify_1;
        bands[i].index = i;
        bands[i].rows = ROWS_PER_SPE;
        pthread_create(&thread[i], NULL, run, &bands[i]);
    }
    // The first SPE tells where it wants the others' numbers; the others are told.
    unsigned int where, done;
    while (spe_out_mbox_status(spe[0]) == 0)
        ;
    spe_out_mbox_read(spe[0], &where, 1);
    for (int i = 1; i < SPES; i++)
        spe_in_mbox_write(spe[i], &where, 1, SPE_MBOX_ALL_BLOCKING);
    spe_out_intr_mbox_read(spe[0], &done, 1, SPE_MBOX_ALL_BLOCKING);
    printf("first SPE: %u\n", done);
    for (int i = 0; i < SPES; i++) {
        pthread_join(thread[i], NULL);
        spe_context_destroy(spe[i]);
    }
    int wrong = 0;
    for (int r = 0; r < SPES * ROWS_PER_SPE; r++)
        for (int c = 0; c < WIDTH; c++)
            wrong += out[r][c] != in[r][c] * 3 + 1;
    for (int c = 0; c < PICKED; c++) {
        float most = 0;
        for (int r = 0; r < SPES * ROWS_PER_SPE; r++)
            most = out[r][c * 16] > most ? out[r][c * 16] : most;
        wrong += result[c] != most;
    }
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
