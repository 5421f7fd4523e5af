// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors of svm/launch.h: a thread that leaves its planes.
#include "runtime/common/internal.h"

#include "svm/launch.h"

void svm_planeError(const svm_Plane *plane, float s, float t, int reading)
{
    svmr_fatalProgram("a thread %s element (%g, %g) of %s with %td elements in rows of %td",
                      reading ? "looks up" : "writes", (double)s, (double)t, reading ? "an input" : "an output",
                      plane->elements, plane->width);
}
