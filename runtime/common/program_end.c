// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program that ends early: a signal, or nobody reads its output any more. It ends as other programs do, but files that
// would be worthless (WAV files say how long they are in their first bytes) are finished before.
#include "runtime/common/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

// Of the process, since signals are.
static struct {
    bool main;  // svm_main runs
    bool quiet; // SIGPIPE would have ended it
    bool watching;
    int signals[2]; // a pipe: the handler writes the signal's number, a thread reads it
} ending = {.signals = {-1, -1}};

static const int watched[] = {SIGINT, SIGTERM, SIGHUP};

void svmr_beginMain(void)
{
    struct sigaction before;
    ending.main = true;
    // A closed pipe is a write error, so that there is time for what svmr_closedPipe does.
    ending.quiet = sigaction(SIGPIPE, NULL, &before) == 0 && before.sa_handler == SIG_DFL;
    signal(SIGPIPE, SIG_IGN);
}

// As if nobody had caught it.
static void endBy(int number)
{
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, number);
    signal(number, SIG_DFL);
    pthread_sigmask(SIG_UNBLOCK, &only, NULL);
    raise(number);
}

void svmr_closedPipe(int error)
{
    if (error != EPIPE || !ending.main || !ending.quiet)
        return;
    svmr_wavFinish(false);
    endBy(SIGPIPE);
}

static void onSignal(int number)
{
    int before = errno;
    unsigned char byte = (unsigned char)number;
    if (write(ending.signals[1], &byte, 1) != 1)
        _exit(128 + number);
    errno = before;
}

static void *waitForSignal(void *unused)
{
    unsigned char byte;
    (void)unused;
    while (read(ending.signals[0], &byte, 1) != 1)
        ;
    svmr_wavFinish(true);
    endBy(byte);
    return NULL;
}

static void finishAtExit(void)
{
    svmr_wavFinish(false);
}

// A second signal finds the default again, and ends the program at once.
static void catch(int number)
{
    struct sigaction before, ours = {.sa_handler = onSignal, .sa_flags = SA_RESTART | (int)SA_RESETHAND};
    if (sigaction(number, NULL, &before) == 0 && before.sa_handler == SIG_DFL)
        sigaction(number, &ours, NULL);
}

void svmr_watchSignals(void)
{
    pthread_t thread;
    sigset_t all, before;
    if (!ending.main || ending.watching)
        return;
    ending.watching = true;
    atexit(finishAtExit);
    if (pipe2(ending.signals, O_CLOEXEC) != 0)
        return;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); // of the thread
    int error = pthread_create(&thread, NULL, waitForSignal, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error != 0)
        return;
    pthread_detach(thread);
    for (size_t i = 0; i < sizeof watched / sizeof *watched; i++)
        catch(watched[i]);
}
