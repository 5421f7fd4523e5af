// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The line is a thread's, so that no loop in the compilers needs to think of it. The two sides share words that are read
// and written whole, and no lock: a tool may fork at any time.
#include "driver/progress.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { FIRST_SHOWN = 2000, SHOWN_EVERY = 500, COLUMNS = 79 }; // milliseconds

struct progress {
    const char *tool;
    _Atomic(const char *) text;
    atomic_bool shown;
    pthread_t thread;
    pid_t owner; // of the thread: a child that was forked has none
    int stop[2]; // a pipe that is closed at the end
    struct timespec started;
};

static void write_all(const char *text, size_t len)
{
    ssize_t written = write(STDERR_FILENO, text, len);
    (void)written; // it is only for looking at
}

static void show(progress *p)
{
    struct timespec now;
    char line[COLUMNS + 16];
    const char *text = atomic_load(&p->text);
    if (text == NULL)
        return;
    clock_gettime(CLOCK_MONOTONIC, &now);
    // The cursor goes back to the first column, so that what comes next begins there.
    char shown[COLUMNS + 1];
    snprintf(shown, sizeof shown, "%s: %s ... %lld s", p->tool, text, (long long)(now.tv_sec - p->started.tv_sec));
    int n = snprintf(line, sizeof line, "\r\033[K%s\r", shown);
    atomic_store(&p->shown, true);
    write_all(line, (size_t)n);
}

static void *run(void *argument)
{
    progress *p = argument;
    struct pollfd end = {.fd = p->stop[0], .events = POLLIN};
    for (int wait = FIRST_SHOWN; poll(&end, 1, wait) == 0; wait = SHOWN_EVERY)
        show(p);
    return NULL;
}

progress *progress_start(arena *a, const char *tool)
{
    const char *terminal = getenv("TERM");
    if (!isatty(STDERR_FILENO) || terminal == NULL || strcmp(terminal, "dumb") == 0)
        return NULL;
    progress *p = ARENA_NEW(a, progress);
    p->tool = tool;
    p->owner = getpid();
    clock_gettime(CLOCK_MONOTONIC, &p->started);
    if (pipe2(p->stop, O_CLOEXEC) != 0)
        return NULL;
    sigset_t all, before; // signals are for the tool's own thread
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool begun = pthread_create(&p->thread, NULL, run, p) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (begun)
        return p;
    close(p->stop[0]);
    close(p->stop[1]);
    return NULL;
}

void progress_tell(progress *p, const char *text)
{
    if (p == NULL)
        return;
    atomic_store(&p->text, text);
    if (text == NULL)
        progress_clear(p);
}

void progress_clear(progress *p)
{
    static const char clear[] = "\r\033[K";
    if (p != NULL && atomic_exchange(&p->shown, false))
        write_all(clear, sizeof clear - 1);
}

void progress_stop(progress *p)
{
    if (p == NULL || p->owner != getpid())
        return;
    atomic_store(&p->text, NULL);
    close(p->stop[1]);
    pthread_join(p->thread, NULL);
    close(p->stop[0]);
    progress_clear(p);
}
