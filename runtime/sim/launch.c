// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What launches (runtime/softproc/launch.c) ask of the simulation.
#include "runtime/softproc/launch.h"
#include "runtime/sim/internal.h"
#include "runtime/softproc/machine_parameters.h"

bool svm_simPipeline(svm_SpParameters *parameters, double *start)
{
    const svmr_Kernel *k = svmr_thread.current;
    simr_Actor *a = k == NULL ? NULL : k->scheduling;
    if (a == NULL || a->processor->machine->pipeline.batches == 0)
        return false;
    *parameters = sp_parameters_of(a->processor->machine);
    *start = a->launches++ == 0 ? 0 : (double)a->processor->start / a->processor->cycle;
    return true;
}

void svm_simLaunchError(const char *thread, const char *message)
{
    const svmr_Kernel *k = svmr_thread.current;
    svmr_fatalProgram("the launch of '%s' by the kernel '%s': %s", thread, k == NULL ? "?" : svmr_name(k), message);
}
