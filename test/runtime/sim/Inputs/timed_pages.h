// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For tests of new pages of files: pages of the machine of timed.h, and times since the last one that was checked.
#ifndef TIMED_PAGES_H
#define TIMED_PAGES_H

#include "svm/program.h"
#include "timed.h"

enum { PAGE = 1024 };

static double begin;

// So many nanoseconds since the last time.
#define CHECK_TOOK(nanoseconds) CHECK_TIME(begin + (nanoseconds)), begin += (nanoseconds)

static size_t pages(svm_Writer *w, int64_t count)
{
    size_t address;
    CHECK(svm_writerMap(w, &GMEM, 16, count * PAGE / (int64_t)sizeof(int), &address));
    return address;
}

#endif
