// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The timeline of a native run: with SVM_TRACE_OUT=FILE each thread's runs of kernels, transfers and waits go to FILE when the program
// exits, in the form in which the simulator writes its own (support/timeline.h), so that one can be laid over the other. Nothing
// is done unless it is asked for.
#include <stdlib.h>
#include <time.h>

#include "runtime/common/profile.h"
#include "runtime/host/host.h"
#include "support/timeline.h"

#define MOST_EVENTS 200000 // as many as the simulator keeps; later ones are only counted
#define MOST_NAMED 8       // processors of a thread that its name tells

bool svmr_tracing;

// What it does, in the simulator's words.
typedef enum Activity {
#define ACTIVITY(id, text, group, color) DOES_##id,
#include "sim/activities.def"
#undef ACTIVITY
    DOES_COUNT
} Activity;
static const char *const activityTexts[DOES_COUNT] = {
#define ACTIVITY(id, text, group, color) [DOES_##id] = text,
#include "sim/activities.def"
#undef ACTIVITY
};

typedef struct Event {
    uint64_t begin, end; // nanoseconds since tracing began
    uint32_t thread;     // 0: the first
    uint32_t name;       // row in names: kernel and processor, or what is waited for and ""
    uint32_t activity;
    uint64_t elements; // moved, of a transfer
} Event;

typedef struct Traced {
    int worker; // number; 0: a control thread
    size_t row; // in the timeline
} Traced;

static struct {
    pthread_mutex_t mutex;
    const char *path;
    uint64_t started;
    Event *events;
    size_t count, cap;
    uint64_t dropped;
    svmr_Profile names; // kept for the texts alone: kernels and machines may be gone at the end
    Traced *threads;
    size_t threadCount, threadCap;
} timeline = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local struct {
    size_t number; // 1 + index in timeline.threads; 0: it has none yet
    int worker;
} self;

static uint64_t monotonic(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

uint64_t svmr_traceTime(void)
{
    return monotonic() - timeline.started;
}

void svmr_traceWorker(int number)
{
    self.worker = number;
}

// ---- Collecting ----

static void note(uint64_t begin, Activity activity, const char *name, const char *processor, uint64_t elements)
{
    uint64_t end = svmr_traceTime();
    pthread_mutex_lock(&timeline.mutex);
    if (timeline.count >= MOST_EVENTS) {
        timeline.dropped++;
        pthread_mutex_unlock(&timeline.mutex);
        return;
    }
    if (!self.number) {
        timeline.threads =
            svmr_grow(timeline.threads, &timeline.threadCap, timeline.threadCount + 1, sizeof *timeline.threads);
        timeline.threads[timeline.threadCount] = (Traced){.worker = self.worker};
        self.number = ++timeline.threadCount;
    }
    size_t row = (size_t)(svmr_profileRow(&timeline.names, name, processor) - timeline.names.rows);
    timeline.events = svmr_grow(timeline.events, &timeline.cap, timeline.count + 1, sizeof *timeline.events);
    timeline.events[timeline.count++] =
        (Event){begin, end, (uint32_t)self.number - 1, (uint32_t)row, activity, elements};
    pthread_mutex_unlock(&timeline.mutex);
}

void svmr_traceRun(const svmr_Kernel *p, const svm_ProcessorRow *on, uint64_t begin)
{
    bool transfer = on->kind == SVM_PROCESSOR_DMA;
    note(begin, transfer ? DOES_TRANSFER : DOES_COMPUTE, svmr_name(p), on->name, transfer ? p->progress : 0);
}

void svmr_traceWait(uint64_t begin, const char *stream, svmr_Want want, const char *kernel)
{
    if (stream)
        note(begin, want == SVMR_WANT_ROOM ? DOES_WAIT_ROOM : DOES_WAIT_DATA, stream, "", 0);
    else
        note(begin, DOES_WAIT_KERNEL, kernel ? kernel : "", "", 0);
}

// ---- Writing ----

static int compareThreads(const void *a, const void *b)
{
    const Traced *x = timeline.threads + *(const size_t *)a, *y = timeline.threads + *(const size_t *)b;
    return x->worker != y->worker ? (x->worker < y->worker ? -1 : 1) : x < y ? -1 : x > y;
}

static bool ran(size_t thread, size_t name)
{
    for (size_t i = 0; i < timeline.count; i++)
        if (timeline.events[i].thread == thread && timeline.events[i].name == name)
            return true;
    return false;
}

// "worker 2: CORE1, CORE5".
static void writeThread(json_out *j, size_t thread, size_t row)
{
    const Traced *t = &timeline.threads[thread];
    const char *told[MOST_NAMED];
    size_t count = 0;
    bool more = false;
    for (size_t n = 0; n < timeline.names.count; n++) {
        const char *on = timeline.names.rows[n].processor;
        bool known = !*on;
        for (size_t k = 0; k < count && !known; k++)
            known = strcmp(told[k], on) == 0;
        if (known || !ran(thread, n))
            continue;
        more = count == MOST_NAMED;
        if (more)
            break;
        told[count++] = on;
    }
    char *text = NULL;
    size_t length = 0;
    FILE *f = open_memstream(&text, &length);
    if (!f)
        return;
    if (t->worker)
        fprintf(f, "worker %d", t->worker);
    else
        fprintf(f, "control thread");
    for (size_t k = 0; k < count; k++)
        fprintf(f, "%s%s", k ? ", " : ": ", told[k]);
    fprintf(f, more ? ", ..." : "");
    fclose(f);
    timeline_row(j, TIMELINE_MEASURED, row, text);
    free(text);
}

static void writeEvent(json_out *j, const Event *e)
{
    const svmr_ProfileRow *name = &timeline.names.rows[e->name];
    const char *activity = activityTexts[e->activity];
    bool works = e->activity == DOES_COMPUTE || e->activity == DOES_TRANSFER;
    timeline_event(j, TIMELINE_MEASURED, timeline.threads[e->thread].row, (int64_t)e->begin, (int64_t)e->end, 3,
                   activity, works ? name->kernel : activity);
    if (!works && *name->kernel)
        json_text(j, "about", name->kernel);
    if (works) {
        const char *fires = svmr_profileFires(name->kernel);
        json_text(j, "about", fires ? fires : name->kernel);
        json_text(j, "on", name->processor);
    }
    if (e->activity == DOES_TRANSFER)
        json_count(j, "elements", e->elements);
    timeline_event_end(j);
}

static void writeAll(FILE *f)
{
    json_out j = json_to_file(f);
    timeline_begin(&j);
    timeline_group(&j, TIMELINE_MEASURED, "measured: threads");
    size_t *order = svmr_allocate(timeline.threadCount + 1, sizeof *order);
    for (size_t i = 0; i < timeline.threadCount; i++)
        order[i] = i;
    qsort(order, timeline.threadCount, sizeof *order, compareThreads);
    for (size_t i = 0; i < timeline.threadCount; i++) {
        timeline.threads[order[i]].row = i;
        writeThread(&j, order[i], i);
    }
    for (size_t i = 0; i < timeline.count; i++)
        writeEvent(&j, &timeline.events[i]);
    timeline_dropped(&j, TIMELINE_MEASURED, timeline.dropped);
    timeline_end(&j);
    free(order);
}

static void writeAtExit(void)
{
    if (svmr_isRead(timeline.path)) // as the error says that ends the program
        return;
    pthread_mutex_lock(&timeline.mutex);
    FILE *f = fopen(timeline.path, "w");
    if (f)
        writeAll(f);
    svmr_written(f, "timeline", timeline.path);
    pthread_mutex_unlock(&timeline.mutex);
}

void svmr_traceBegin(void)
{
    timeline.path = getenv("SVM_TRACE_OUT");
    if (!timeline.path || !*timeline.path)
        return;
    timeline.started = monotonic();
    atexit(writeAtExit);
    svmr_tracing = true;
}
