#include "store.h"
#include <libspe2.h>
#include <pthread.h>
#include <stdio.h>

extern spe_program_handle_t store_spu;
static store s __attribute__((aligned(128)));
static int words[32] __attribute__((aligned(128))), stock[32] __attribute__((aligned(128))) = {STOCK};

static void *run(void *spe)
{
    unsigned int entry = SPE_DEFAULT_ENTRY;
    spe_context_run((spe_context_ptr_t)spe, &entry, 0, &s, NULL, NULL);
    return NULL;
}

int main(void)
{
    spe_context_ptr_t spes[CUSTOMERS];
    pthread_t threads[CUSTOMERS];
    s.served = (atomic_ea_t)(uintptr_t)&words[0];
    s.counter = (mutex_ea_t)(uintptr_t)&words[1];
    s.open = (completion_ea_t)(uintptr_t)&words[2];
    s.door = (mutex_ea_t)(uintptr_t)&words[3];
    s.closing = (cond_ea_t)(uintptr_t)&words[4];
    s.clocks = (atomic_ea_t)(uintptr_t)&words[5];
    s.places = (atomic_ea_t)(uintptr_t)&words[6];
    s.stock = (uintptr_t)stock;
    _mutex_init(s.counter);
    mutex_init(s.door);
    cond_init(s.closing);
    init_completion(s.open);
    for (int i = 0; i < CUSTOMERS; i++) {
        spes[i] = spe_context_create(0, NULL);
        spe_program_load(spes[i], &store_spu);
        pthread_create(&threads[i], NULL, run, spes[i]);
    }
    complete_all(s.open);
    mutex_lock(s.door);
    while (atomic_read(s.served) < CUSTOMERS * EACH)
        cond_wait(s.closing, s.door);
    mutex_unlock(s.door);
    for (int i = 0; i < CUSTOMERS; i++) {
        pthread_join(threads[i], NULL);
        spe_context_destroy(spes[i]);
    }
    printf("served %d, in stock %d, all at once %d\n", atomic_read(s.served), stock[0], STOCK - CUSTOMERS * EACH);
    printf("clocks %d, places %d\n", atomic_read(s.clocks), atomic_read(s.places));
    atomic_set(s.clocks, 1);
    printf("last one %d, ", atomic_dec_and_test(s.clocks));
    printf("not below zero %d\n", atomic_dec_if_positive(s.clocks));
    return 0;
}
