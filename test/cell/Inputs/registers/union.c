#include <libspe2.h>
#include <stdio.h>

extern spe_program_handle_t union_spu;
static unsigned int words[4] __attribute__((aligned(16))) = {11, 22, 33, 44};

int main(void)
{
    unsigned int entry = SPE_DEFAULT_ENTRY;
    spe_stop_info_t stop;
    spe_context_ptr_t spe = spe_context_create(0, NULL);
    spe_program_load(spe, &union_spu);
    spe_context_run(spe, &entry, 0, words, (void *)12345678901ul, &stop);
    printf("exit code %d\n", stop.result.spe_exit_code);
    words[1] = 0;
    fflush(stdout);
    spe_program_load(spe, &union_spu);
    entry = SPE_DEFAULT_ENTRY;
    spe_context_run(spe, &entry, 0, words, NULL, &stop);
    return 0;
}
