// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What programs tell a simulator, where there is none.
#include "svm/sim.h"

void svm_simIteration(void)
{
}

double svm_simTime(void)
{
    return 0;
}
