// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The report of a deadlock: who waits for what.
#include "runtime/common/scheduler.h"

#define KERNELS_NAMED 20

static void describeStream(FILE *f, const svmr_Kernel *p)
{
    const svm_Stream *s = p->blockedOn;
    const char *name = svmr_streamText(s);
    if (p->want == SVMR_WANT_ROOM && svmr_room(s) == 0)
        fprintf(f, "waits to push to '%s', which is full with %zu elements", name, s->capacity);
    else if (p->want == SVMR_WANT_ROOM)
        fprintf(f, "waits for room for %zu elements in '%s', which has %zu of %zu", p->wanted, name, svmr_room(s),
                s->capacity);
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

static void describeControl(FILE *f, const svmr_Wait *w)
{
    fprintf(f, "the control thread %s%s%swaits for '%s'%s", w->control ? "'" : "",
            w->control ? svmr_controlName(w->control) : "", w->control ? "' " : "", w->object ? w->object : "(unnamed)",
            w->waitsFor);
}

void svmr_deadlock(svm_Machine *m, const svmr_Wait *blamed)
{
    char *text = NULL;
    size_t size, pending = 0;
    FILE *f = svmr_thread.expectsDeadlock ? NULL : open_memstream(&text, &size);
    if (f) {
        describeControl(f, blamed);
        for (const svmr_Wait *w = m->waits; w; w = w->next) {
            fprintf(f, "; ");
            describeControl(f, w);
        }
        for (const svmr_Kernel *p = m->all.first; p; p = p->allNext)
            if (svmr_pending(p) && pending++ < KERNELS_NAMED)
                describe(f, p);
        if (pending > KERNELS_NAMED)
            fprintf(f, "; and %zu kernels more", pending - KERNELS_NAMED);
        if (pending == 0)
            fprintf(f, "; no kernel is pending");
        svmr_onDeadlock(m, f);
        fclose(f);
    }
    svmr_failText(m, SVM_ERROR_DEADLOCK, blamed->object, blamed->at, text);
}
