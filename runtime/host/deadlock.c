// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The report of a deadlock: who waits for what.
#include "runtime/common/internal.h"

#define KERNELS_NAMED 20

static void describeStream(FILE *f, const svmr_Kernel *p)
{
    const svm_Stream *s = p->blockedOn;
    const char *name = svmr_streamText(s);
    if (p->want == SVMR_WANT_ROOM)
        fprintf(f, "waits to push to '%s', which is full with %zu elements", name, s->capacity);
    else if (svmr_count(s) == 0)
        fprintf(f, "waits to pop from '%s', which is empty", name);
    else
        fprintf(f, "waits for %zu elements of '%s', which has %zu", p->wanted, name, svmr_count(s));
}

static void describe(FILE *f, const svmr_Kernel *p)
{
    fprintf(f, "; '%s' ", svmr_name(p));
    if (p->state == SVM_BLOCKED) {
        describeStream(f, p);
    } else if (p->state == SVM_PAUSED) {
        fprintf(f, "is paused");
    } else {
        const char *before = "waits for ";
        for (const svmr_Dependence *d = p->dependences; d; d = d->next) {
            if (!d->waiting)
                continue;
            fprintf(f, "%s'%s'", before, svmr_name(d->target));
            before = ", ";
        }
    }
}

void svmr_deadlock(svm_Machine *m, const char *object, const char *waitsFor, svmr_Place at)
{
    char *text = NULL;
    size_t size, pending = 0;
    FILE *f = open_memstream(&text, &size);
    if (f) {
        fprintf(f, "the control thread waits for '%s'%s", object ? object : "(unnamed)", waitsFor);
        for (const svmr_Kernel *p = m->all.first; p; p = p->allNext)
            if (svmr_pending(p) && pending++ < KERNELS_NAMED)
                describe(f, p);
        if (pending > KERNELS_NAMED)
            fprintf(f, "; and %zu kernels more", pending - KERNELS_NAMED);
        if (pending == 0)
            fprintf(f, "; no kernel is pending");
        fclose(f);
    }
    svmr_failText(m, SVM_ERROR_DEADLOCK, object, at, text);
}
