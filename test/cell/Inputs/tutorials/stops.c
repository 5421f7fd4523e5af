// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* How runs end: stop-and-signal (and the run goes on), a call of the PPE, an exit code, an exception. */
#include <stdio.h>
#include <stdlib.h>
#include <libspe2.h>

#define OUR_CALL 0x10

extern spe_program_handle_t stops_spu;

static int add(void *ls_base, unsigned long address)
{
    unsigned int *arguments;
    char *ls = ls_base;
    arguments = (unsigned int *)(ls + *(unsigned int *)(ls + address));
    arguments[2] = arguments[0] + arguments[1];
    return 0;
}

static void show(const char *what, int rc, const spe_stop_info_t *info)
{
    printf("stops: %s: ", what);
    switch (info->stop_reason) {
    case SPE_EXIT: printf("exit code %d, status 0x%x\n", info->result.spe_exit_code, info->spu_status); break;
    case SPE_STOP_AND_SIGNAL: printf("signal 0x%x, returns 0x%x\n", info->result.spe_signal_code, rc); break;
    case SPE_RUNTIME_EXCEPTION: printf("exception 0x%x\n", info->result.spe_runtime_exception); break;
    default: printf("reason %u\n", info->stop_reason);
    }
}

int main(void)
{
    unsigned int entry = SPE_DEFAULT_ENTRY, what;
    spe_stop_info_t info;
    int rc;
    spe_callback_handler_register(add, OUR_CALL, SPE_CALLBACK_NEW);
    for (what = 0; what < 3; what++) {
        spe_context_ptr_t ctx = spe_context_create(SPE_EVENTS_ENABLE, NULL);
        entry = SPE_DEFAULT_ENTRY;
        spe_program_load(ctx, &stops_spu);
        while ((rc = spe_context_run(ctx, &entry, 0, (void *)(unsigned long)what, NULL, &info)) > 0)
            show("goes on", rc, &info);
        show(what == 2 ? "unaligned" : "ends", rc, &info);
        spe_context_destroy(ctx);
    }
    return 0;
}
