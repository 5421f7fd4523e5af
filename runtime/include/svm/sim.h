// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a program may tell of itself to who predicts its time, and ask. It changes nothing of what the program does; a
// runtime that predicts nothing does nothing.
#ifndef SVM_SIM_H
#define SVM_SIM_H

#ifdef __cplusplus
extern "C" {
#endif

// From a control thread: one iteration of the program has ended (a steady state, a frame, a block of input). The
// simulator then tells the time of an iteration. Programs with svm_main need not: their steady states are counted.
void svm_simIteration(void);

// The caller's time on the simulated machine in seconds, from a kernel or a control thread; 0 where none is simulated.
double svm_simTime(void);

#ifdef __cplusplus
}
#endif

#endif
