// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many steady states a program runs at a time while somebody waits for what it writes: its input or output is a
// terminal, a pipe or a socket. What is there of the input is used up and written before more is waited for; once the
// flow is steady, and strips are all that matters, the program runs without looking up.
//
// Nothing of this changes what a program writes. In simulation strips would change the time that is predicted.
#include "runtime/common/internal.h"

#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define STEADY_RUNS 24 // in a row, each with its input there and up to twice as long as the one before

#ifdef SVMR_TIMED
#define TIMED true
#else
#define TIMED false
#endif

bool svmr_isLive(int fd)
{
    struct stat file;
    return fd >= 0 && fstat(fd, &file) == 0 && (S_ISFIFO(file.st_mode) || S_ISSOCK(file.st_mode) || isatty(fd));
}

void svmr_paceBegin(svmr_Pace *p, bool wanted)
{
    *p = (svmr_Pace){.next = 1};
    const svmr_Thread *t = &svmr_thread;
    p->input = t->ownInput && svmr_isLive(svmr_readerFile(t->ownInput));
    p->going =
        !TIMED && wanted && (p->input || svmr_isLive(t->ownOutput ? svmr_writerFile(t->ownOutput) : STDOUT_FILENO));
}

// Steady states whose items are there; their number is known from the second run on.
static int64_t statesThere(const svmr_Pace *p)
{
    const svm_Reader *r = svmr_thread.ownInput;
    int bytes = 0;
    if (ioctl(svmr_readerFile(r), FIONREAD, &bytes) != 0)
        return INT64_MAX;
    return svmr_readerItems(r, bytes) / (p->itemsPerState > 0 ? p->itemsPerState : 1);
}

int64_t svmr_paceNext(svmr_Pace *p, int64_t most)
{
    if (!p->going)
        return most;
    int64_t there = p->input ? statesThere(p) : INT64_MAX;
    if (there == 0) { // what was made is out; now wait
        p->next = 1;
        p->runs = 0;
    }
    p->before = svmr_thread.itemsRead;
    int64_t n = there < 1 ? 1 : there < p->next ? there : p->next;
    p->now = n < most ? n : most;
    return p->now;
}

void svmr_paceDone(svmr_Pace *p)
{
    if (!p->going)
        return;
    if (svmr_thread.ownOutput)
        svmr_writerFlush(svmr_thread.ownOutput);
    svmr_checkOutput(fflush(stdout) == 0);
    if (p->begun && p->now > 0)
        p->itemsPerState = (svmr_thread.itemsRead - p->before + p->now - 1) / p->now;
    if (p->begun && p->now == p->next)
        p->next *= 2;
    p->begun = true;
    p->going = ++p->runs < STEADY_RUNS;
}
