// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* The PPE gives the MFC its commands by the registers themselves: more than its queue holds, and waits for their tags. */
#include <libspe2.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

enum { PIECES = 24, WORDS = 256 };
enum { GET = 0x40, PUT = 0x20 };

extern spe_program_handle_t commands_spu;
static unsigned int data[PIECES * WORDS] __attribute__((aligned(128)));

static void *run(void *ctx)
{
    unsigned int entry = SPE_DEFAULT_ENTRY;
    spe_stop_info_t stop;
    if (spe_context_run(ctx, &entry, 0, NULL, NULL, &stop) < 0 && stop.stop_reason == SPE_RUNTIME_EXCEPTION)
        printf("commands: exception 0x%x\n", stop.result.spe_runtime_exception);
    return NULL;
}

/* How often the queue was full. */
static int command(volatile spe_mfc_command_area_t *mfc, unsigned int ls, void *ea, unsigned int size, unsigned int tag, unsigned int opcode)
{
    for (int full = 0;; full++) {
        mfc->MFC_LSA = ls;
        mfc->MFC_EAH = (uint64_t)(uintptr_t)ea >> 32;
        mfc->MFC_EAL = (uint32_t)(uintptr_t)ea;
        mfc->MFC_Size_Tag = size << 16 | tag;
        mfc->MFC_ClassID_CMD = opcode;
        if ((mfc->MFC_CMDStatus & 3) == 0)
            return full;
    }
}

static unsigned int word(volatile spe_spu_control_area_t *control)
{
    while ((control->SPU_Mbox_Stat & 0xff) == 0)
        ;
    return control->SPU_Out_Mbox;
}

int main(void)
{
    pthread_t thread;
    spe_context_ptr_t ctx = spe_context_create(SPE_MAP_PS | SPE_EVENTS_ENABLE, NULL);
    spe_program_load(ctx, &commands_spu);
    volatile spe_mfc_command_area_t *mfc = spe_ps_area_get(ctx, SPE_MFC_COMMAND_AREA);
    volatile spe_spu_control_area_t *control = spe_ps_area_get(ctx, SPE_CONTROL_AREA);
    int full = 0, wrong = 0;
    for (unsigned int i = 0; i < PIECES * WORDS; i++)
        data[i] = i;
    pthread_create(&thread, NULL, run, ctx);
    unsigned int ls = word(control);
    printf("commands: room for %u\n", mfc->MFC_QStatus & 0xffff);
    for (unsigned int i = 0; i < PIECES; i++)
        full += command(mfc, ls + 4 * WORDS * i, data + WORDS * i, 4 * WORDS, i % 2, GET);
    mfc->Prxy_QueryMask = 3;
    mfc->Prxy_QueryType = 2;
    while (mfc->Prxy_QueryType != 0)
        ;
    wrong += mfc->Prxy_TagStatus != 3;
    control->SPU_In_Mbox = PIECES * WORDS;
    unsigned int sum = word(control);
    while ((mfc->MFC_QStatus & 0xffff) < PIECES / 4)
        ;
    command(mfc, ls, data, 16384, 5, PUT);
    mfc->Prxy_QueryMask = 1 << 5;
    while ((mfc->Prxy_TagStatus & 1 << 5) == 0)
        ;
    for (unsigned int i = 0; i < 16384 / 4; i++)
        wrong += data[i] != i + 1;
    printf("commands: sum %u, %d wrong, %s\n", sum, wrong, full > 0 ? "the queue was full" : "the queue was never full");
    command(mfc, ls + 4, data, 64, 5, PUT); /* not aligned */
    pthread_join(thread, NULL);
    spe_context_destroy(ctx);
    return 0;
}
