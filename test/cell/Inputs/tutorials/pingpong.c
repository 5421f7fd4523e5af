// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* Mailboxes in both directions: by libspe2, by the mapped registers, and by events. */
#include <stdio.h>
#include <stdlib.h>
#include <pthread.h>
#include <libspe2.h>
#include <cbe_mfc.h>

#define ROUNDS 20

extern spe_program_handle_t pingpong_spu;

static void *spe_thread(void *arg)
{
    spe_context_ptr_t ctx = (spe_context_ptr_t)arg;
    unsigned int entry = SPE_DEFAULT_ENTRY;
    if (spe_context_run(ctx, &entry, 0, NULL, NULL, NULL) < 0) {
        perror("spe_context_run");
        exit(1);
    }
    pthread_exit(NULL);
}

static unsigned int ping(spe_context_ptr_t ctx, unsigned int value)
{
    unsigned int reply;
    while (spe_in_mbox_status(ctx) == 0)
        ;
    spe_in_mbox_write(ctx, &value, 1, SPE_MBOX_ANY_NONBLOCKING);
    while (spe_out_mbox_status(ctx) <= 0)
        ;
    spe_out_mbox_read(ctx, &reply, 1);
    return reply;
}

static unsigned int ping_registers(volatile spe_spu_control_area_t *ctl, unsigned int value)
{
    while (((ctl->SPU_Mbox_Stat >> 8) & 0xff) == 0)
        ;
    ctl->SPU_In_Mbox = value;
    while ((ctl->SPU_Mbox_Stat & 0xff) == 0)
        ;
    return ctl->SPU_Out_Mbox;
}

int main(void)
{
    spe_context_ptr_t ctx;
    pthread_t thread;
    spe_event_handler_ptr_t handler;
    spe_event_unit_t interest, happened;
    unsigned int i, word, values[3] = {100, 200, 300}, wrong = 0;

    if ((ctx = spe_context_create(SPE_EVENTS_ENABLE | SPE_MAP_PS, NULL)) == NULL) {
        perror("spe_context_create");
        return 1;
    }
    if (spe_program_load(ctx, &pingpong_spu)) {
        perror("spe_program_load");
        return 1;
    }
    pthread_create(&thread, NULL, spe_thread, ctx);

    for (i = 0; i < ROUNDS; i++)
        wrong += ping(ctx, i) != 3 * i + 1;
    for (i = 0; i < ROUNDS; i++)
        wrong += ping_registers(spe_ps_area_get(ctx, SPE_CONTROL_AREA), i) != 3 * i + 1;

    /* A batch, whose sum comes with an interrupt. */
    word = 0xffffffff;
    spe_in_mbox_write(ctx, &word, 1, SPE_MBOX_ALL_BLOCKING);
    spe_in_mbox_write(ctx, values, 3, SPE_MBOX_ALL_BLOCKING);
    handler = spe_event_handler_create();
    interest.events = SPE_EVENT_OUT_INTR_MBOX;
    interest.spe = ctx;
    interest.data.u32 = 7;
    spe_event_handler_register(handler, &interest);
    if (spe_event_wait(handler, &happened, 1, -1) != 1 || happened.data.u32 != 7)
        wrong++;
    spe_out_intr_mbox_read(ctx, &word, 1, SPE_MBOX_ALL_BLOCKING);
    printf("pingpong: sum %u, %u wrong\n", word, wrong);

    pthread_join(thread, NULL);
    spe_event_handler_deregister(handler, &interest);
    spe_event_handler_destroy(handler);
    spe_context_destroy(ctx);
    return 0;
}
