/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Atomic addition by reservations: SPEs and the PPE's starter draw tickets for pieces of work from one counter. */
#include <libspe2.h>
#include <pthread.h>
#include <stdio.h>

enum { SPES = 6, TICKETS = 300 };
extern spe_program_handle_t tickets_spu;
/* The counter has a line for itself. */
static struct {
    unsigned int next, last;
    unsigned int unused[30];
} counter __attribute__((aligned(128))) = {0, TICKETS, {0}};
static unsigned char drawn[TICKETS][16] __attribute__((aligned(128)));
static struct {
    unsigned long long counter, drawn;
} orders __attribute__((aligned(16)));

static void *run(void *argument)
{
    unsigned int entry = SPE_DEFAULT_ENTRY;
    (void)argument;
    spe_context_ptr_t spe = spe_context_create(0, NULL);
    spe_program_load(spe, &tickets_spu);
    spe_context_run(spe, &entry, 0, &orders, NULL, NULL);
    spe_context_destroy(spe);
    return NULL;
}

int main(void)
{
    pthread_t threads[SPES];
    int once = 0;
    orders.counter = (unsigned long)&counter;
    orders.drawn = (unsigned long)drawn;
    for (int i = 0; i < SPES; i++)
        pthread_create(&threads[i], NULL, run, NULL);
    for (int i = 0; i < SPES; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < TICKETS; i++)
        once += drawn[i][0] == 1;
    printf("tickets: %d of %d drawn once, the counter is at %u\n", once, TICKETS, counter.next);
    return 0;
}
