/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One thread of the PPE looks after several SPEs: their interrupt mailboxes, room in their inbound ones, and their ends, as events. */
#include <libspe2.h>
#include <pthread.h>
#include <stdio.h>

enum { SPES = 3, QUESTIONS = 5 };
extern spe_program_handle_t events_spu;

static void *run(void *context)
{
    unsigned int entry = SPE_DEFAULT_ENTRY;
    spe_context_run((spe_context_ptr_t)context, &entry, 0, NULL, NULL, NULL);
    return NULL;
}

int main(void)
{
    spe_context_ptr_t spes[SPES];
    pthread_t threads[SPES];
    unsigned int asked[SPES] = {0}, sums[SPES] = {0};
    int stopped = 0, answers = 0;
    spe_event_handler_ptr_t handler = spe_event_handler_create();
    for (unsigned int i = 0; i < SPES; i++) {
        spes[i] = spe_context_create(SPE_EVENTS_ENABLE, NULL);
        spe_program_load(spes[i], &events_spu);
        spe_event_unit_t unit = {
            .events = SPE_EVENT_OUT_INTR_MBOX | SPE_EVENT_SPE_STOPPED, .spe = spes[i], .data = {.u32 = i}};
        if (spe_event_handler_register(handler, &unit) != 0)
            perror("spe_event_handler_register");
        pthread_create(&threads[i], NULL, run, spes[i]);
    }
    while (stopped < SPES) {
        spe_event_unit_t events[SPES];
        const int count = spe_event_wait(handler, events, SPES, -1);
        for (int n = 0; n < count; n++) {
            const unsigned int i = events[n].data.u32;
            if (events[n].events & SPE_EVENT_OUT_INTR_MBOX) {
                unsigned int word;
                while (spe_out_intr_mbox_status(spes[i]) > 0 &&
                       spe_out_intr_mbox_read(spes[i], &word, 1, SPE_MBOX_ANY_NONBLOCKING) == 1) {
                    unsigned int next = asked[i] < QUESTIONS ? ++asked[i] * 10 + i : 0; /* 0 ends it */
                    sums[i] += word;
                    answers++;
                    spe_in_mbox_write(spes[i], &next, 1, SPE_MBOX_ALL_BLOCKING);
                }
            }
            if (events[n].events & SPE_EVENT_SPE_STOPPED) {
                spe_stop_info_t info;
                stopped += spe_stop_info_read(spes[i], &info) == 0 && info.stop_reason == SPE_EXIT;
            }
        }
    }
    for (int i = 0; i < SPES; i++) {
        pthread_join(threads[i], NULL);
        spe_context_destroy(spes[i]);
        printf("events: SPE %d answered %u\n", i, sums[i]);
    }
    spe_event_handler_destroy(handler);
    printf("events: %d answers\n", answers);
    return 0;
}
