// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* A mutex and a counter in memory, by reservations; who finds the mutex taken waits for its line to change. */
#include <stdio.h>
#include <stdlib.h>
#include <pthread.h>
#include <libspe2.h>

#define SPES 4

extern spe_program_handle_t counter_spu;

static struct {
    unsigned int mutex, pad0[31];
    unsigned int counter, pad1[31];
    unsigned int plain[32];
} shared __attribute__((aligned(128)));

static void *run(void *arg)
{
    unsigned int entry = SPE_DEFAULT_ENTRY;
    spe_context_run((spe_context_ptr_t)arg, &entry, 0, &shared, NULL, NULL);
    return NULL;
}

int main(void)
{
    pthread_t threads[SPES];
    spe_context_ptr_t ctxs[SPES];
    int i;
    for (i = 0; i < SPES; i++) {
        ctxs[i] = spe_context_create(0, NULL);
        spe_program_load(ctxs[i], &counter_spu);
        pthread_create(&threads[i], NULL, run, ctxs[i]);
    }
    for (i = 0; i < SPES; i++) {
        pthread_join(threads[i], NULL);
        spe_context_destroy(ctxs[i]);
    }
    printf("counter: %u by reservation, %u under the mutex, mutex %u\n", shared.counter, shared.plain[0], shared.mutex);
    return 0;
}
