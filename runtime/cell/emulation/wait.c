// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waiting, the clock of the transfers, and the watch for deadlocks.
//
// Transfers are late: a queue goes on when its program waits for it, when it is full, when the program polls, when the
// SPE has been waiting for something else for a moment, or when a thread that ticks in the background finds that the SPE
// has computed for some time since.
#include "runtime/cell/emulation/emulation.h"

#include <dirent.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    TICK = 1000000,          // nanoseconds
    PATIENCE = 200000,       // of an SPE that waits for something else than its transfers
    AGE = 2000000,           // of commands that the clock moves
    AGE_CHECKED = 40000000,  // where accesses to bytes under way are looked for
    AGE_OF_ALL = 2000000000, // where the SPE's thread stands still for reasons of its own
    TICKS_OF_WATCH = 50,
    QUIET_LOOKS = 4, // looks without progress before a deadlock is believed
};

pthread_mutex_t cell_lock;
spe *cell_contexts;
__thread spe *cell_current;

// A thread of the PPE that waits in one of our functions.
typedef struct waiter {
    struct waiter *next;
    const char *call;
    spe *s;
    pid_t tid;
    bool timed;
    bool woken; // something changed, and it has not run since
} waiter;

static pthread_cond_t events_changed = PTHREAD_COND_INITIALIZER;
static waiter *waiters;
static uint64_t progress;
static pid_t watch_tid;

uint64_t cell_nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static struct timespec at(uint64_t nanoseconds)
{
    return (struct timespec){.tv_sec = (time_t)(nanoseconds / 1000000000), .tv_nsec = (long)(nanoseconds % 1000000000)};
}

void cell_changed(spe *s)
{
    progress++;
    s->waits = false;
    for (waiter *w = waiters; w; w = w->next)
        w->woken |= !w->s || w->s == s;
    pthread_cond_broadcast(&s->changed);
    pthread_cond_broadcast(&events_changed);
}

void cell_yield(void)
{
    cell_leave();
    sched_yield();
    cell_enter();
}

void cell_block(spe *s, bool look_again, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(s->waits_for, sizeof s->waits_for, format, arguments);
    va_end(arguments);
    const bool moves = cell_can_advance(s);
    if (!moves && !look_again) {
        s->waits = true;
        pthread_cond_wait(&s->changed, &cell_lock);
        s->waits = false;
        return;
    }
    const struct timespec until = at(cell_nanoseconds() + PATIENCE);
    if (pthread_cond_timedwait(&s->changed, &cell_lock, &until) != 0 && moves && !cell_advance(s, &s->mfc.spu, ~0u))
        cell_advance(s, &s->mfc.proxy, ~0u);
}

static bool block_ppe(spe *s, uint64_t deadline, const char *call)
{
    waiter me = {.next = waiters, .call = call, .s = s, .tid = (pid_t)syscall(SYS_gettid), .timed = deadline != 0};
    waiters = &me;
    const struct timespec until = at(deadline);
    pthread_cond_t *condition = s ? &s->changed : &events_changed;
    const int result =
        deadline ? pthread_cond_timedwait(condition, &cell_lock, &until) : pthread_cond_wait(condition, &cell_lock);
    for (waiter **w = &waiters; *w; w = &(*w)->next)
        if (*w == &me) {
            *w = me.next;
            break;
        }
    return result == 0;
}

void cell_block_ppe(spe *s, const char *call)
{
    block_ppe(s, 0, call);
}
bool cell_block_events(uint64_t deadline, const char *call)
{
    return block_ppe(NULL, deadline, call);
}

void cell_enter_from_ppe(void)
{
    static int delay = -1;
    if (delay < 0) {
        const char *text = getenv("SVM_CELL_PPE_DELAY");
        const long value = text ? strtol(text, NULL, 10) : 0;
        delay = value > 0 && value <= 1000000 ? (int)value : 0;
    }
    if (delay)
        usleep((useconds_t)delay);
    cell_enter();
}

// ---- The clock ----

// Time as the SPE has it: what its thread has computed while it runs, so that a busy computer does not make transfers
// early; any time when it waits or does not run.
static uint64_t time_of(const spe *s, bool computes)
{
    clockid_t clock;
    struct timespec now;
    if (!computes || pthread_getcpuclockid(s->thread, &clock) != 0 || clock_gettime(clock, &now) != 0)
        return cell_nanoseconds();
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void tick(spe *s)
{
    if (!s->mfc.spu.count && !s->mfc.proxy.count)
        return;
    const bool computes = s->state == CELL_RUNNING && s->has_thread && !s->waits;
    const uint64_t now = time_of(s, computes);
    if (s->tick_issued != s->mfc.issued || s->tick_computes != computes) {
        s->tick_issued = s->mfc.issued;
        s->tick_computes = computes;
        s->tick_time = now;
        s->tick_wall = cell_nanoseconds();
    }
    const bool checked = s->image && s->image->check_dma;
    if (now - s->tick_time < (uint64_t)(checked ? AGE_CHECKED : AGE) && cell_nanoseconds() - s->tick_wall < AGE_OF_ALL)
        return;
    cell_advance(s, &s->mfc.proxy, ~0u);
    if (cell_advance(s, &s->mfc.spu, ~0u))
        cell_changed(s);
}

// ---- Deadlocks ----

// A thread of the process that is none of ours: does it wait for another thread, without a limit of time?
static bool waits_for_thread(const char *task)
{
    char path[64], text[160] = "";
    snprintf(path, sizeof path, "/proc/self/task/%.20s/syscall", task);
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    const bool read = fgets(text, sizeof text, file) != NULL;
    fclose(file);
    unsigned long long argument[4];
    long call;
    // Number of the call, then its arguments; futex has its limit of time in the fourth.
    return read &&
           sscanf(text, "%ld %llx %llx %llx %llx", &call, &argument[0], &argument[1], &argument[2], &argument[3]) ==
               5 &&
           call == SYS_futex && argument[3] == 0 && argument[0] != (unsigned long long)(uintptr_t)&cell_lock;
}

static bool is_ours(pid_t tid)
{
    if (tid == watch_tid)
        return true;
    for (const spe *s = cell_contexts; s; s = s->next)
        if (s->has_thread && s->tid == tid)
            return true;
    for (const waiter *w = waiters; w; w = w->next)
        if (w->tid == tid)
            return true;
    return false;
}

static bool all_threads_wait(void)
{
    DIR *tasks = opendir("/proc/self/task");
    if (!tasks)
        return false;
    bool wait = true;
    for (struct dirent *task; wait && (task = readdir(tasks));)
        if (task->d_name[0] != '.')
            wait = is_ours((pid_t)strtol(task->d_name, NULL, 10)) || waits_for_thread(task->d_name);
    closedir(tasks);
    return wait;
}

static bool all_spes_wait(void)
{
    for (const spe *s = cell_contexts; s; s = s->next)
        if (s->state == CELL_CALLING || (s->state == CELL_RUNNING && (!s->waits || cell_can_advance(s))))
            return false;
    bool somebody = false;
    for (const waiter *w = waiters; w; w = w->next) {
        if (w->timed || w->woken)
            return false;
        somebody = true;
    }
    return somebody;
}

static void report_deadlock(void)
{
    fflush(stdout);
    fprintf(stderr, "svm-cell: error: deadlock: every thread waits for another\n");
    char place[300];
    for (const spe *s = cell_contexts; s; s = s->next)
        if (s->state == CELL_RUNNING)
            fprintf(stderr, "  SPE %u (%s, %s): %swaits for %s\n", s->number, s->image->name,
                    cell_function_of(s, s->site), cell_site_text(s, s->site, place, sizeof place), s->waits_for);
    for (const waiter *w = waiters; w; w = w->next) {
        fprintf(stderr, "  PPE: waits in %s", w->call);
        if (w->s)
            fprintf(stderr, " of SPE %u", w->s->number);
        fputc('\n', stderr);
    }
    cell_die();
}

static void *watch(void *unused)
{
    (void)unused;
    watch_tid = (pid_t)syscall(SYS_gettid);
    uint64_t seen = 0;
    unsigned quiet = 0;
    for (unsigned ticks = 0;; ticks++) {
        const struct timespec pause = {.tv_nsec = TICK};
        nanosleep(&pause, NULL);
        cell_enter();
        for (spe *s = cell_contexts; s; s = s->next)
            tick(s);
        if (ticks % 8 == 0)
            cell_bus_keep();
        if (ticks % TICKS_OF_WATCH == 0) {
            const bool still = seen == progress && all_spes_wait() && all_threads_wait();
            quiet = still ? quiet + 1 : 0;
            seen = progress;
            if (quiet >= QUIET_LOOKS)
                report_deadlock();
        }
        cell_leave();
    }
    return NULL;
}

void cell_start_watch(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, watch, NULL) == 0)
        pthread_detach(thread);
}
