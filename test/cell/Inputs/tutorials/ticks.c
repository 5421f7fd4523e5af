// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* Time on both sides: the PPE's time base, the SPE's decrementer, and the event when that passes zero. */
#include <stdio.h>
#include <ppu_intrinsics.h>
#include <libspe2.h>

extern spe_program_handle_t ticks_spu;

static unsigned int result[4] __attribute__((aligned(128)));

int main(void)
{
    unsigned int entry = SPE_DEFAULT_ENTRY;
    spe_context_ptr_t ctx = spe_context_create(0, NULL);
    unsigned long long before = __mftb(), after;
    spe_program_load(ctx, &ticks_spu);
    spe_context_run(ctx, &entry, 0, result, NULL, NULL);
    after = __mftb();
    printf("ticks: work %s, event %s, within the PPE's time %s\n", result[0] > 0 && result[0] < 1000000000 ? "took time" : "took none",
           result[1] ? "came" : "did not come", result[0] + result[2] <= after - before ? "yes" : "no");
    spe_context_destroy(ctx);
    return 0;
}
