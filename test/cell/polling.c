// Shows that SPEs that wait for words in their local stores let each other run: a token goes around four of them 2000 times,
// far more often than a processor's time slices would allow.
//
// RUN: svm-spu-gcc -O2 -Wall -I%S/Inputs --save-temps=%t.temps %s -o %t.spu && svm-embedspu program %t.spu %t.o
// RUN: svm-ppu-gcc -I%S/Inputs %S/Inputs/case.ppu.c %t.o -o %t && %t 0 4 | sort | FileCheck %s
// CHECK: spe 0: result 0, reason 1, value 123
// CHECK: spe 1: result 0, reason 1, value 123
// CHECK: spe 2: result 0, reason 1, value 123
// CHECK: spe 3: result 0, reason 1, value 123
//
// Of the loops, the one that waits is known, and no other.
// RUN: grep -c "define POLL.* CELL_POLL" %t.temps/program.c | FileCheck --match-full-lines --check-prefix=LOOPS %s
// LOOPS: 1
#include <spu_mfcio.h>

#include "case.h"

enum { ROUNDS = 2000 };

static case_block block __attribute__((aligned(128)));
static volatile unsigned int token[4] __attribute__((aligned(16)));
static unsigned int next[4] __attribute__((aligned(16)));
static float table[1000];

static void wait_for(unsigned int tags)
{
    mfc_write_tag_mask(tags);
    mfc_read_tag_status_all();
}

static float work(int round)
{
    float sum = 0;
    for (int i = 0; i < 1000; i++)
        sum += table[i];
    return sum + (float)round;
}

int main(unsigned long long id, unsigned long long argp, unsigned long long envp)
{
    (void)id, (void)envp;
    mfc_get(&block, argp, sizeof block, 0, 0, 0);
    wait_for(1);
    const unsigned long long to = block.ls[(block.spe + 1) % block.spes] + (unsigned int)token;
    float sum = 0;
    for (unsigned int round = 1; round <= ROUNDS; round++) {
        const unsigned int wanted = block.spe == 0 ? round - 1 : round;
        while (token[0] != wanted)
            ;
        sum = work((int)round);
        next[0] = round;
        mfc_put(next, to, 16, 1, 0, 0);
        wait_for(2);
    }
    return sum == ROUNDS ? 123 : 1;
}
