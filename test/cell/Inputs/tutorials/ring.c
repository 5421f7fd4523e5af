// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* SPEs in a ring: each puts a block into the next one's local store, and a signal behind it. */
#include <stdio.h>
#include <stdlib.h>
#include <pthread.h>
#include <libspe2.h>
#include <cbe_mfc.h>
#include "ring.h"

extern spe_program_handle_t ring_spu;

static spe_context_ptr_t ctxs[SPES];
static control_t controls[SPES] __attribute__((aligned(128)));

static void *run(void *arg)
{
    unsigned int entry = SPE_DEFAULT_ENTRY;
    long i = (long)arg;
    spe_stop_info_t info;
    spe_context_run(ctxs[i], &entry, 0, &controls[i], NULL, &info);
    return (void *)(long)info.result.spe_exit_code;
}

int main(void)
{
    pthread_t threads[SPES];
    spe_gang_context_ptr_t gang = spe_gang_context_create(0);
    long i;
    for (i = 0; i < SPES; i++) {
        ctxs[i] = spe_context_create(SPE_MAP_PS | SPE_CFG_SIGNOTIFY1_OR, gang);
        if (ctxs[i] == NULL || spe_program_load(ctxs[i], &ring_spu)) {
            perror("spe");
            return 1;
        }
    }
    for (i = 0; i < SPES; i++) {
        spe_context_ptr_t next = ctxs[(i + 1) % SPES];
        controls[i].rank = i;
        controls[i].next_ls = (unsigned long)spe_ls_area_get(next);
        controls[i].next_signal = (unsigned long)spe_ps_area_get(next, SPE_SIG_NOTIFY_1_AREA) + offsetof(spe_sig_notify_1_area_t, SPU_Sig_Notify_1);
    }
    for (i = 0; i < SPES; i++)
        pthread_create(&threads[i], NULL, run, (void *)i);
    spe_signal_write(ctxs[0], SPE_SIG_NOTIFY_REG_2, 1); /* begin */
    for (i = 0; i < SPES; i++) {
        void *sum;
        pthread_join(threads[i], &sum);
        printf("ring: SPE %ld ends with %ld\n", i, (long)sum);
        spe_context_destroy(ctxs[i]);
    }
    spe_gang_context_destroy(gang);
    return 0;
}
