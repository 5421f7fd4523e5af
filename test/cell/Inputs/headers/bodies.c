#include "bodies.h"
#include <libspe2.h>
#include <ppu_intrinsics.h>
#include <profile.h>
#include <stdio.h>

extern spe_program_handle_t bodies_spu;
static bodies b __attribute__((aligned(128)));
static unsigned int line[64] __attribute__((aligned(128)));

int main(void)
{
    unsigned int entry = SPE_DEFAULT_ENTRY;
    spe_context_ptr_t spe = spe_context_create(0, NULL);
    for (int i = 0; i < 4; i++)
        b.place[i] = b.place[i] + (float)(i + 1);
    prof_cp0();
    spe_program_load(spe, &bodies_spu);
    spe_context_run(spe, &entry, 0, &b, NULL, NULL);
    spe_context_destroy(spe);
    printf("sum of squares %g %g %g %g\n", b.squares[0], b.squares[1], b.squares[2], b.squares[3]);
    line[0] = line[31] = line[32] = 7;
    __dcbz(&line[5]);
    const unsigned int was = __lwarx(&line[32]);
    const unsigned int stored = __stwcx(&line[32], was + 1);
    printf("leading zeros %u high product %d select %g stored %u line %u\n", __cntlzw(0xFFFF), __mulhw(1 << 20, 1 << 12),
           __fsel(-1.0, 1.0, 2.0), stored, line[0] + line[31] + line[32] - 8);
    return 0;
}
