// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Profiles: what runs of kernels took, as a line for each kernel on each processor: start + per unit of work. The host
// writes one from measured runs (SVM_PROFILE_OUT), the simulator from predicted ones (SVM_SIM_PROFILE_OUT), and the
// simulator reads either (SVM_SIM_PROFILE).
//
// The file is text; after the first line, one line a kernel:
//
//   svm-profile 1
//   kernel "LowPass" processor "CORE0" unit firings runs 12 start 1.5e-06 per-unit 3.25e-09 total 0.0031
//   seconds 0.0042
//   steady-states 4096
//   fires "LowPass" LowPass 5 Matrix 1
//
// Times are in seconds, without the cost of starting and stopping the kernel; 'seconds' are those from the program's begin to its
// end. '#' begins a comment. Of emitted programs
// there is further how many steady states ran, and what of the source program each kernel fires in one of them, which
// only the high-level compiler reads (hlc/plan/profile.c).
#ifndef SVM_COMMON_PROFILE_H
#define SVM_COMMON_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// What a run's work is counted in: firings where they are known, else elements moved through streams, else the run
// itself. A kernel's row has the coarsest of its runs' units.
typedef enum svmr_ProfileUnit {
    SVMR_UNIT_FIRINGS,
    SVMR_UNIT_ELEMENTS,
    SVMR_UNIT_RUNS,
    SVMR_UNIT_COUNT
} svmr_ProfileUnit;
extern const char *const svmr_profileUnits[SVMR_UNIT_COUNT];

// What the fit needs of the runs.
typedef struct svmr_ProfileSums {
    uint64_t runs;
    double units, seconds, unitsUnits, unitsSeconds;
} svmr_ProfileSums;

typedef struct svmr_ProfileRow {
    char *kernel, *processor;
    svmr_ProfileUnit unit;
    svmr_ProfileSums first,
        later; // the first run, which warms caches and maps memory, counts only if it is the only one
    double start, perUnit, total; // in a profile that was read
    uint64_t runs;
} svmr_ProfileRow;

typedef struct svmr_Profile {
    svmr_ProfileRow *rows; // in the order in which the kernels first ran
    size_t count, cap;
    size_t *slots; // open hash table of row numbers plus 1
    size_t slotCount;
    bool keepFirst; // the first run is like the others
    double seconds; // of a profile that was read: of the program, 0 if it does not tell
    double steadyStates;
} svmr_Profile;

// The row of a kernel on a processor; NULL: there is none.
svmr_ProfileRow *svmr_profileFind(const svmr_Profile *p, const char *kernel, const char *processor);
svmr_ProfileRow *svmr_profileRow(svmr_Profile *p, const char *kernel, const char *processor); // made if need be
void svmr_profileAdd(svmr_Profile *p, svmr_ProfileRow *row, svmr_ProfileUnit unit, double units, double seconds);
// The line through a row's runs: least squares, neither number negative. Runs of one size say nothing of the start, so
// it is 0 then.
void svmr_profileFit(const svmr_ProfileRow *row, double *start, double *perUnit);
// The program that runs, for all profiles that are written from now on.
struct svm_KernelFires;
void svmr_profileProgram(const struct svm_KernelFires *kernels, int64_t steadyStates);
void svmr_profileWrite(const svmr_Profile *p, const char *comment, double seconds, FILE *f);
// What a kernel of the program that runs fires in a steady state ("LowPass 5 Matrix 1"); NULL: it does not tell.
const char *svmr_profileFires(const char *kernel);
int64_t svmr_profileSteadyStates(void); // that ran; 0: it does not tell
// False with a message ("FILE:LINE: what was expected") if the text is not a profile; the caller frees it.
bool svmr_profileRead(svmr_Profile *p, const char *path, FILE *f, char **message);
void svmr_profileFree(svmr_Profile *p);

#endif
