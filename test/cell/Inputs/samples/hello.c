/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Every usable SPE, one thread each, in one gang, says who it is. */
#include <libspe2.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 16 };
extern spe_program_handle_t hello_spu;

typedef struct worker {
    pthread_t thread;
    spe_context_ptr_t context;
    unsigned long long number;
    int code;
} worker;

static void *work(void *argument)
{
    worker *w = argument;
    unsigned int entry = SPE_DEFAULT_ENTRY;
    spe_stop_info_t stop;
    if (spe_context_run(w->context, &entry, 0, (void *)(unsigned long)w->number, NULL, &stop) < 0) {
        perror("spe_context_run");
        exit(1);
    }
    w->code = stop.stop_reason == SPE_EXIT ? stop.result.spe_exit_code : -1;
    return NULL;
}

int main(void)
{
    static worker workers[MOST];
    int count = spe_cpu_info_get(SPE_COUNT_USABLE_SPES, -1), sum = 0;
    if (count > MOST)
        count = MOST;
    spe_gang_context_ptr_t gang = spe_gang_context_create(0);
    for (int i = 0; i < count; i++) {
        worker *w = &workers[i];
        w->number = (unsigned long long)i;
        w->context = spe_context_create(0, gang);
        if (!w->context || spe_program_load(w->context, &hello_spu) != 0) {
            perror("hello_spu");
            return 1;
        }
        pthread_create(&w->thread, NULL, work, w);
    }
    for (int i = 0; i < count; i++) {
        pthread_join(workers[i].thread, NULL);
        spe_context_destroy(workers[i].context);
        sum += workers[i].code;
    }
    spe_gang_context_destroy(gang);
    printf("hello: %d SPEs, codes add up to %d\n", count, sum);
    return 0;
}
