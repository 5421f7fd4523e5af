// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The adversary's order of runs in simulation: time. What could go on waits for a while of its own first, so that others
// overtake it.
#include "runtime/sim/internal.h"

// From one cycle to 2^(MOST_DOUBLINGS + 1): runs take anything from a few cycles to millions.
#define MOST_DOUBLINGS 17

sim_time simr_delay(const simr_Actor *a)
{
    svmr_Adversary *adversary = a->simulation->machine->adversary;
    if (svmr_drawBelow(adversary, 3) == 0)
        return 0;
    uint64_t cycles = UINT64_C(1) << svmr_drawBelow(adversary, MOST_DOUBLINGS + 1);
    return (sim_time)((double)(cycles + svmr_drawBelow(adversary, cycles)) * a->processor->cycle);
}
