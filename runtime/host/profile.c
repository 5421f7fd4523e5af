// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Measuring kernels: with SVM_PROFILE_OUT=FILE each run is timed, without what it waits, and FILE gets a profile
// (runtime/common/profile.h) when the program exits, from which the simulator predicts other sizes and mappings.
#include "runtime/common/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "runtime/host/host.h"

bool svmr_profiling;

static struct {
    pthread_once_t once;
    pthread_mutex_t mutex;
    svmr_Profile profile;
    const char *path;
    double overhead; // of measuring
} measured = {.once = PTHREAD_ONCE_INIT, .mutex = PTHREAD_MUTEX_INITIALIZER};

// The thread's own time: what other processes take from it is no cost of the kernel.
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void writeAtExit(void)
{
    pthread_mutex_lock(&measured.mutex);
    FILE *f = fopen(measured.path, "w");
    if (f)
        svmr_profileWrite(&measured.profile, "measured", f);
    if (!f || fclose(f) != 0)
        fprintf(stderr, "%s: error: the profile '%s' cannot be written: %s\n", program_invocation_short_name,
                measured.path, strerror(errno));
    pthread_mutex_unlock(&measured.mutex);
}

static void begin(void)
{
    const char *path = getenv("SVM_PROFILE_OUT");
    if (!path || !*path)
        return;
    measured.path = path;
    measured.overhead = 1;
    for (int i = 0; i < 100; i++) {
        double start = now(), took = now() - start;
        if (took < measured.overhead)
            measured.overhead = took;
    }
    atexit(writeAtExit);
    svmr_profiling = true;
}

void svmr_profileBegin(void)
{
    pthread_once(&measured.once, begin);
}

void svmr_measureStart(svmr_Kernel *p)
{
    p->measured.begun = now();
}

void svmr_measureStop(svmr_Kernel *p, bool over)
{
    double took = now() - p->measured.begun - measured.overhead;
    p->measured.seconds += took > 0 ? took : 0;
    if (!over)
        return;
    const svm_ProcessorRow *row = &svmr_state(p->machine, p->processor)->table->processors[svmr_index(p->processor)];
    if (row->kind == SVM_PROCESSOR_KERNEL) { // transfers are predicted from the machine alone
        svmr_ProfileUnit unit = p->measured.firings    ? SVMR_UNIT_FIRINGS
                                : p->measured.elements ? SVMR_UNIT_ELEMENTS
                                                       : SVMR_UNIT_RUNS;
        uint64_t units = p->measured.firings ? p->measured.firings : p->measured.elements;
        pthread_mutex_lock(&measured.mutex);
        svmr_ProfileRow *line = svmr_profileRow(&measured.profile, svmr_name(p), row->name);
        svmr_profileAdd(&measured.profile, line, unit, units ? (double)units : 1, p->measured.seconds);
        pthread_mutex_unlock(&measured.mutex);
    }
    memset(&p->measured, 0, sizeof p->measured);
}
