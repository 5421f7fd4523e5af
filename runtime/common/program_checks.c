// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors of checks that were compiled in (svm/checks.h), worded as the interpreter's.
#include "runtime/common/internal.h"

#include "svm/checks.h"

static const char *plural(ptrdiff_t n)
{
    return n == 1 ? "" : "s";
}

static const char *colon(const char *where)
{
    return *where ? ": " : "";
}

void svm_indexError(const char *actor, const char *where, const char *array, ptrdiff_t index, ptrdiff_t length)
{
    svmr_fatal("%s%serror: index %td is outside '%s' of %td element%s in '%s'", where, colon(where), index, array,
               length, plural(length), actor);
}

void svm_peekError(const char *actor, const char *where, ptrdiff_t offset, ptrdiff_t left)
{
    svmr_fatal("%s%serror: peek(%td) in '%s' is outside the window, of which %td item%s %s left", where, colon(where),
               offset, actor, left, plural(left), left == 1 ? "is" : "are");
}

void svm_countError(const char *actor, const char *where, const char *verb, ptrdiff_t count, const char *unit,
                    const char *declared)
{
    svmr_fatal("%s%serror: '%s' %s %td item%s in %s and declares %s", where, colon(where), actor, verb, count,
               plural(count), unit, declared);
}

void svm_limitError(const char *actor, const char *where, const char *verb, ptrdiff_t limit)
{
    svmr_fatal("%s%serror: '%s' %s more than the %td item%s a firing that it declares", where, colon(where), actor,
               verb, limit, plural(limit));
}
