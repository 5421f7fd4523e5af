/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An SPE that reads a large table in memory here and there, through lines that it keeps. */
#include <libspe2.h>
#include <stdio.h>

enum { WORDS = 1 << 16 };
extern spe_program_handle_t lookup_spu;
static unsigned int table[WORDS] __attribute__((aligned(128)));
static unsigned int result[4] __attribute__((aligned(16)));

int main(void)
{
    unsigned int entry = SPE_DEFAULT_ENTRY, sum = 0, at = 1;
    for (unsigned int i = 0; i < WORDS; i++)
        table[i] = i * 2654435761u;
    for (int i = 0; i < 5000; i++) {
        at = at * 1103515245u + 12345;
        sum += table[i % 8 ? at >> 16 & 1023 : at >> 16 & (WORDS - 1)];
    }
    spe_context_ptr_t spe = spe_context_create(0, NULL);
    spe_program_load(spe, &lookup_spu);
    spe_context_run(spe, &entry, 0, table, result, NULL);
    spe_context_destroy(spe);
    printf("lookup: %s, %u lines came\n", result[0] == sum ? "right" : "wrong", result[1]);
    return 0;
}
