// The counters by themselves, so that instrumented code runs on the host's runtime, and functions that tell what was
// counted between two calls; they are not counted.
#include <stdio.h>
#include <string.h>
#include <svm/svm.h>
#include <svm/sim_table.h>

uint64_t svm_simCounts[SVM_SIM_CLASSES];
uint64_t svm_simFirings;
double svm_simFiringCycles;
__attribute__((weak)) const svm_SimTable svm_simTable;

static uint64_t before[SVM_SIM_CLASSES];

void counters_begin(void);
void counters_tell(const char *name);

void counters_begin(void)
{
    memcpy(before, svm_simCounts, sizeof before);
}

void counters_tell(const char *name)
{
    for (size_t i = 0; i < svm_simTable.classCount; i++)
        if (svm_simCounts[i] != before[i])
            printf("%s %s %llu\n", name, svm_simTable.classes[i], (unsigned long long)(svm_simCounts[i] - before[i]));
}
