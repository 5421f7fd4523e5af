// What a kernel's work costs: declared, counted by class, from a profile; as SVM_SIM_COSTS says, or the best that is known.
// RUN: rm -rf %t.d && mkdir %t.d && cd %t.d && %sim -o costs
// RUN: ./costs declared 1000+110 counted 530+110
// RUN: env SVM_SIM_COSTS=counted ./costs declared 530+110 counted 530+110
// RUN: not env SVM_SIM_COSTS=declared ./costs declared 1000+110 counted 1 2>&1 | FileCheck --check-prefix=UNDECLARED %s
// UNDECLARED: costs: error: SVM_SIM_COSTS is declared, and the kernel 'counted' declares no cost: SVM_KERNEL(cost(start, per_firing))
// RUN: not env SVM_SIM_COSTS=guessed ./costs counted 1 2>&1 | FileCheck --check-prefix=GUESSED %s
// GUESSED: costs: error: SVM_SIM_COSTS is 'guessed', and can be auto, declared, counted or profile
//
// A profile is written from several sizes; it predicts others. With one size there is no telling the start from the rest.
// RUN: env SVM_SIM_PROFILE_OUT=profile ./costs declared 1000+110 counted 530+110 counted@20 1030+110
// RUN: FileCheck --check-prefix=PROFILE --input-file=profile %s
// PROFILE: svm-profile 1
// PROFILE: kernel "declared" processor "P1" unit firings runs 1 start 0 per-unit 1e-07 total 1e-06
// PROFILE: kernel "counted" processor "P1" unit firings runs 2 start 3e-08 per-unit 5e-08 total 1.56e-06
// RUN: env SVM_SIM_PROFILE=profile ./costs declared 1000+110 counted 530+110 counted@40 2030+110
// RUN: env SVM_SIM_PROFILE=profile SVM_SIM_COSTS=declared ./costs declared 1000+110
// RUN: printf 'svm-profile 1\nkernel "counted" processor "OTHER" unit runs runs 1 start 1e-6 per-unit 2e-6 total 3e-6 # any processor\n' > other
// RUN: env SVM_SIM_PROFILE=other ./costs declared 1000+110 counted 3000+110 counted@40 3000+110
// RUN: not env SVM_SIM_PROFILE=other SVM_SIM_COSTS=profile ./costs declared 1 2>&1 | FileCheck --check-prefix=UNKNOWN %s
// UNKNOWN: costs: error: SVM_SIM_COSTS is profile, and the profile has no kernel 'declared'
// RUN: printf 'svm-profile 1\nkernel "a" processor "P1" unit firings runs 1 start -1\n' > wrong
// RUN: not env SVM_SIM_PROFILE=wrong ./costs declared 1 2>&1 | FileCheck --check-prefix=WRONG %s
// WRONG: wrong:2: error: expected a number that is not negative
// RUN: not env SVM_SIM_PROFILE=missing ./costs declared 1 2>&1 | FileCheck --check-prefix=MISSING %s
// MISSING: missing: error: the profile cannot be read: No such file or directory
//
// A class that the processor cannot run.
// RUN: not ./costs impossible 0 2>&1 | FileCheck --check-prefix=CLASS %s
// CLASS: costs: error: the kernel 'impossible' needs operations of the class 'float-mul', which the processor 'P1' of the machine 'timed' cannot run
#include "timed.h"

static int firings = 10;

// A start of 30 and 50 a firing.
static void counted(svm_Kernel *k)
{
    svm_simCounts[0] += 30;
    for (int i = 0; i < firings; i++) {
        svm_simFirings++;
        svm_simCounts[0] += 10; // int-add: 1 cycle
        svm_simCounts[1] += 20; // float-add: 2 cycles
    }
    (void)k;
}
static void declared(svm_Kernel *k)
{
    counted(k);
}
static void impossible(svm_Kernel *k)
{
    svm_simCounts[2]++; // float-mul
    (void)k;
}
TIMED_KERNELS({declared, "declared", 0, 100, true}, {counted, "counted", 0, 0, false});

// Pairs: a kernel's name, perhaps @ and its firings; nanoseconds + nanoseconds.
int main(int argc, char **argv)
{
    svm_Kernel k;
    double before = 0;
    for (int i = 1; i + 1 < argc; i += 2) {
        const char *at = strchr(argv[i], '@'), *plus = strchr(argv[i + 1], '+');
        firings = at ? atoi(at + 1) : 10;
        svm_KernelFunction *f = *argv[i] == 'c' ? counted : *argv[i] == 'd' ? declared : impossible;
        svm_kernelInit(&k, &P1, f, *argv[i] == 'c' ? "counted" : *argv[i] == 'd' ? "declared" : "impossible");
        svm_kernelRun(&k);
        svm_kernelWait(&k);
        before += atof(argv[i + 1]) + (plus ? atof(plus) : 0);
        CHECK_TIME(before);
    }
    return 0;
}
