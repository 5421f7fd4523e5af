// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// When a program of several processors gets threads for them: to begin one, and to end it, takes as long as a short
// program's whole run. So one thread does everything at first, and what it does is measured.
//
// Threads pay if enough is left to do, and if it is done in kernels: the control program reads and writes what runs do not by
// themselves. While it does that to a file, threads run kernels beside it. Where it is a pipe, and that takes most of the time,
// threads only take it from those at the pipes' other ends.
#include "runtime/common/scheduler.h"

#include <time.h>

// Nanoseconds. Of runs, before anything is said of them, and rounds: the first ones find caches and pages cold.
#define THREADS_SEEN 200000
#define THREADS_ROUNDS 2
// That is left to do, at least, by the measure of the last runs; where nobody knows what is left, so much of what was done: if
// then nothing comes, threads have not cost a twentieth of the whole.
#define THREADS_LEFT 2000000
#define THREADS_UNKNOWN 0.2
// What was longer ago than this counts half, again and again: a pipe may begin late, and then flow.
#define THREADS_WINDOW 16000000
// Runs take at least so many times as long as what the control program does: with pipes, and with files alone.
#define THREADS_RATIO 2
#define THREADS_FILES_RATIO 0.25

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void svm_threadsBegin(svm_Threads *t)
{
    svm_Machine *m = svmr_machine();
    *t = (svm_Threads){.wait = svmr_mayWait(m)};
    m->unshared = t->wait;
}

void svm_threadsRun(svm_Threads *t, bool over)
{
    if (!t->wait)
        return;
    const int64_t at = now();
    if (t->begun == 0)
        t->begun = at;
    if (over) {
        t->last = at - t->started;
        t->ran += t->last;
        t->rounds += t->rounds < THREADS_ROUNDS;
    } else {
        t->started = at;
    }
}

// Whether somebody else feeds the program, or takes what it writes.
static bool isPiped(void)
{
    const svmr_Thread *t = &svmr_thread;
    return (t->ownInput && svmr_isLive(svmr_readerFile(t->ownInput))) ||
           (t->ownOutput && svmr_isLive(svmr_writerFile(t->ownOutput)));
}

static bool pays(int64_t ran, int64_t beside)
{
    return ran >= THREADS_RATIO * beside || ((double)ran >= THREADS_FILES_RATIO * (double)beside && !isPiped());
}

void svm_threadsDecide(svm_Threads *t, int64_t states, int64_t left)
{
    if (!t->wait || t->ran < THREADS_SEEN || t->rounds < THREADS_ROUNDS || states <= 0)
        return;
    t->known |= left > 0;
    const int64_t all = now() - t->begun, beside = all - t->ran;
    const double rest =
        left < 0 && !t->known ? THREADS_UNKNOWN * (double)t->ran : (double)t->last / (double)states * (double)left;
    if (rest >= THREADS_LEFT && pays(t->ran, beside))
        t->wait = !svmr_stopWaiting(svmr_machine());
    if (all > THREADS_WINDOW) {
        t->begun += all / 2;
        t->ran /= 2;
    }
}
