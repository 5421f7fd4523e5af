#include "task.h"
#include <libspe2.h>
#include <stdio.h>

extern spe_program_handle_t task_spu;
static float sum[4] __attribute__((aligned(16)));

int main(void)
{
    task t = {.rows = 3, .columns = 70000, .scale = {1, 2, 3, 0.5f}, .name = "matrix", .result = (uintptr_t)sum};
    unsigned int entry = SPE_DEFAULT_ENTRY;
    spe_context_ptr_t spe = spe_context_create(0, NULL);
    spe_program_load(spe, &task_spu);
    const int none = spe_context_run(spe, &entry, SPE_RUN_USER_REGS, NULL, NULL, NULL);
    printf("without them %d, %s\n", none, errno == EINVAL ? "EINVAL" : "another error");
    spe_context_run(spe, &entry, SPE_RUN_USER_REGS, &t, NULL, NULL);
    printf("sum %g\n", sum[0]);
    spe_context_destroy(spe);
    return 0;
}
