// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Measuring kernels: with SVM_PROFILE_OUT=FILE each run is timed, without what it waits, and FILE gets a profile
// (runtime/common/profile.h) when the program exits, from which the simulator predicts other sizes and mappings. What is told of
// runs goes to the timeline too (timeline.c).
#include "runtime/common/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "runtime/host/host.h"

bool svmr_profiling;

static struct {
    pthread_once_t once;
    pthread_mutex_t mutex;
    svmr_Profile profile;
    const char *path;
    double overhead; // of measuring
    double begun;
} measured = {.once = PTHREAD_ONCE_INIT, .mutex = PTHREAD_MUTEX_INITIALIZER};

static double monotonic(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// The thread's own time: what other processes take from it is no cost of the kernel.
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void svmr_written(FILE *f, const char *what, const char *path)
{
    bool wrong = !f || ferror(f);
    if ((!f || fclose(f) == 0) && !wrong)
        return;
    fflush(stdout);
    fprintf(stderr, "%s: error: cannot write the %s '%s': %s\n", program_invocation_short_name, what, path,
            strerror(errno));
    _exit(1);
}

static void writeAtExit(void)
{
    if (svmr_isRead(measured.path)) // as the error says that ends the program
        return;
    pthread_mutex_lock(&measured.mutex);
    FILE *f = fopen(measured.path, "w");
    if (f)
        svmr_profileWrite(&measured.profile, "measured", monotonic() - measured.begun, f);
    svmr_written(f, "profile", measured.path);
    pthread_mutex_unlock(&measured.mutex);
}

static void begin(void)
{
    const char *path = getenv("SVM_PROFILE_OUT");
    svmr_traceBegin();
    svmr_profiling = svmr_tracing;
    if (!path || !*path)
        return;
    measured.path = path;
    measured.overhead = 1;
    for (int i = 0; i < 100; i++) {
        double start = now(), took = now() - start;
        if (took < measured.overhead)
            measured.overhead = took;
    }
    measured.begun = monotonic();
    atexit(writeAtExit);
    svmr_profiling = true;
}

void svmr_profileBegin(void)
{
    pthread_once(&measured.once, begin);
}

void svmr_measureStart(svmr_Kernel *p)
{
    if (svmr_tracing)
        p->measured.entered = svmr_traceTime();
    if (measured.path)
        p->measured.begun = now();
}

void svmr_measureStop(svmr_Kernel *p, bool over)
{
    const svm_ProcessorRow *row = &svmr_state(p->machine, p->processor)->table->processors[svmr_index(p->processor)];
    if (measured.path) {
        double took = now() - p->measured.begun - measured.overhead;
        p->measured.seconds += took > 0 ? took : 0;
    }
    if (svmr_tracing)
        svmr_traceRun(p, row, p->measured.entered);
    if (!over)
        return;
    if (measured.path && row->kind == SVM_PROCESSOR_KERNEL) { // transfers are predicted from the machine alone
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
