/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Intrinsics of single instructions and of vectors, each against what scalar code computes. */
#include <libspe2.h>
#include <stdio.h>

extern spe_program_handle_t quads_spu;

int main(void)
{
    unsigned int entry = SPE_DEFAULT_ENTRY;
    spe_stop_info_t stop;
    spe_program_handle_t *same = spe_image_open("quads_spu");
    spe_context_ptr_t spe = spe_context_create(0, NULL);
    spe_program_load(spe, same ? same : &quads_spu);
    spe_context_run(spe, &entry, 0, NULL, NULL, &stop);
    printf("quads: %s, %d wrong\n", same ? "from a file" : "embedded", stop.result.spe_exit_code);
    spe_context_destroy(spe);
    if (same)
        spe_image_close(same);
    return 0;
}
