// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs one case of an SPE program on some SPEs: PROGRAM NUMBER [SPES [FLAGS]]. Prints how each ended.
#include <libspe2.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "case.h"

extern spe_program_handle_t program;

static unsigned char memory[65536] __attribute__((aligned(128)));
static case_block blocks[4] __attribute__((aligned(128)));

static void *run(void *argument)
{
    case_block *block = argument;
    spe_context_ptr_t spe = (spe_context_ptr_t)(unsigned long)block->control[3];
    unsigned entry = SPE_DEFAULT_ENTRY;
    spe_stop_info_t stop;
    int result;
    do {
        result = spe_context_run(spe, &entry, 0, block, NULL, &stop);
        printf("spe %u: result %d, reason %u, value %d, status 0x%x\n", block->spe, result, stop.stop_reason,
               stop.result.spe_exit_code, stop.spu_status);
    } while (stop.stop_reason == SPE_STOP_AND_SIGNAL);
    return NULL;
}

int main(int argc, char **argv)
{
    const unsigned number = (unsigned)atoi(argv[1]), spes = argc > 2 ? (unsigned)atoi(argv[2]) : 1;
    const unsigned flags = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 0) : 0;
    for (unsigned i = 0; i < sizeof memory; i++)
        memory[i] = (unsigned char)(i * 7);
    if (number == 1)
        memset(memory, 0, 128);
    void *readonly = mmap(NULL, 65536, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    spe_context_ptr_t spe[4];
    pthread_t thread[4];
    case_block block = {
        .memory = (unsigned long)memory, .readonly = (unsigned long)readonly, .number = number, .spes = spes};
    for (unsigned i = 0; i < spes; i++) {
        spe[i] = spe_context_create(SPE_MAP_PS | flags, NULL);
        block.ls[i] = (unsigned long)spe_ls_area_get(spe[i]);
        block.signal1[i] = (unsigned long)spe_ps_area_get(spe[i], SPE_SIG_NOTIFY_1_AREA);
        block.signal2[i] = (unsigned long)spe_ps_area_get(spe[i], SPE_SIG_NOTIFY_2_AREA);
        if (i < 3)
            block.control[i] = (unsigned long)spe_ps_area_get(spe[i], SPE_CONTROL_AREA);
    }
    for (unsigned i = 0; i < spes; i++)
        if (spe_program_load(spe[i], &program)) {
            perror("spe_program_load");
            return 1;
        }
    for (unsigned i = 0; i < spes; i++) {
        blocks[i] = block;
        blocks[i].spe = i;
        blocks[i].control[3] = (unsigned long)spe[i];
        pthread_create(&thread[i], NULL, run, &blocks[i]);
    }
    for (unsigned i = 0; number == 1 && i < 1000; i++) {
        __atomic_fetch_add((unsigned *)memory, 1, __ATOMIC_SEQ_CST);
        usleep(10);
    }
    for (unsigned i = 0; i < spes; i++)
        pthread_join(thread[i], NULL);
    for (unsigned i = 0; i < spes; i++)
        spe_context_destroy(spe[i]);
    unsigned counter;
    memcpy(&counter, memory, 4);
    printf("memory: %u\n", counter);
    return 0;
}
