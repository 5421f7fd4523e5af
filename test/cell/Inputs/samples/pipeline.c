/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A pipeline through local stores: stages hand blocks on by DMA and tell each other in signal registers that collect bits. */
#include <libspe2.h>
#include <pthread.h>
#include <stdio.h>

#include "pipeline.h"

extern spe_program_handle_t pipeline_spu;
static spe_context_ptr_t stages[STAGES];
static Orders orders[STAGES] __attribute__((aligned(128)));
static unsigned int result[BLOCKS][WORDS] __attribute__((aligned(128)));

static void *run(void *argument)
{
    unsigned int entry = SPE_DEFAULT_ENTRY;
    spe_stop_info_t stop;
    if (spe_context_run(*(spe_context_ptr_t *)argument, &entry, 0, &orders[(spe_context_ptr_t *)argument - stages],
                        NULL, &stop) != 0)
        perror("spe_context_run");
    return NULL;
}

static unsigned long long address(const volatile void *p)
{
    return (unsigned long long)(unsigned long)p;
}

int main(void)
{
    pthread_t threads[STAGES];
    int wrong = 0;
    for (int i = 0; i < STAGES; i++) {
        stages[i] = spe_context_create(SPE_CFG_SIGNOTIFY1_OR | SPE_CFG_SIGNOTIFY2_OR | SPE_MAP_PS, NULL);
        spe_program_load(stages[i], &pipeline_spu);
    }
    for (int i = 0; i < STAGES; i++) {
        orders[i].stage = (unsigned int)i;
        orders[i].result = address(result);
        if (i + 1 < STAGES) {
            spe_sig_notify_1_area_t *area = spe_ps_area_get(stages[i + 1], SPE_SIG_NOTIFY_1_AREA);
            orders[i].next = address(spe_ls_area_get(stages[i + 1]));
            orders[i].filled = address(&area->SPU_Sig_Notify_1);
        }
        if (i > 0) {
            spe_sig_notify_2_area_t *area = spe_ps_area_get(stages[i - 1], SPE_SIG_NOTIFY_2_AREA);
            orders[i].freed = address(&area->SPU_Sig_Notify_2);
        }
    }
    for (int i = 0; i < STAGES; i++)
        pthread_create(&threads[i], NULL, run, &stages[i]);
    for (int i = 0; i < STAGES; i++)
        pthread_join(threads[i], NULL);
    for (unsigned int b = 0; b < BLOCKS; b++)
        for (unsigned int i = 0; i < WORDS; i++) {
            unsigned int expected = b * WORDS + i;
            for (unsigned int stage = 1; stage < STAGES; stage++)
                expected = expected * 3 + stage;
            wrong += result[b][i] != expected;
        }
    for (int i = 0; i < STAGES; i++)
        spe_context_destroy(stages[i]);
    printf("pipeline: %d blocks through %d stages, %d words wrong\n", BLOCKS, STAGES, wrong);
    return 0;
}
