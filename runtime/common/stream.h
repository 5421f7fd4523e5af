// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What access by elements (stream.c) and by windows (window.c) share.
#ifndef SVM_COMMON_STREAM_H
#define SVM_COMMON_STREAM_H

#include "runtime/common/scheduler.h"

SVMR_COLD _Noreturn void svmr_failStream(const svm_Stream *s, svmr_Place at);
SVMR_COLD _Noreturn void svmr_failEnd(const svm_Stream *s, size_t offset, svmr_Place at);
SVMR_COLD _Noreturn void svmr_failPushed(const svm_Stream *s, svmr_Place at);

static inline void svmr_check(const svm_Stream *s, svmr_Place at)
{
    if (SVMR_UNLIKELY(!s || s->check != svmr_streamCheck(s)))
        svmr_failStream(s, at);
}

SVMR_COLD void svmr_changeUser(svm_Stream *s, svm_StreamUser *user, const char *what, svmr_Place at);

// p is what runs on this thread, or NULL.
static inline void svmr_checkUser(svm_Stream *s, svm_StreamUser *user, const svmr_Kernel *p, const char *what,
                                  svmr_Place at)
{
    if (SVMR_UNLIKELY(user->kernel != p || user->serial != (p ? __atomic_load_n(&p->serial, __ATOMIC_RELAXED) : 0)))
        svmr_changeUser(s, user, what, at);
}

// The consumer waits until there are `wanted` elements or the stream has ended; gives how many there are.
size_t svmr_awaitElements(svm_Stream *s, size_t wanted, svmr_Place at);
// The producer waits until there is room for that many.
void svmr_awaitRoom(svm_Stream *s, size_t wanted, svmr_Place at);

// An end was used. With an interrupt what was requested of the kernel happens now; the adversary lets others run, before
// the kernel does what it should have done earlier.
static inline void svmr_afterUse(svmr_Kernel *p)
{
    if (SVMR_UNLIKELY(p && __atomic_load_n(&p->serial, __ATOMIC_RELAXED) & SVMR_INTERRUPTED))
        svmr_obey(p);
}

// The producer has written elements, the consumer is done with some: so many now.
static inline void svmr_publish(svm_Stream *s, size_t written)
{
    if (SVMR_UNLIKELY(s->machine->shared))
        __atomic_store_n(&s->written, written, __ATOMIC_SEQ_CST);
    else
        __atomic_store_n(&s->written, written, __ATOMIC_RELAXED);
    if (SVMR_UNLIKELY(__atomic_load_n(&s->consumerWaits, __ATOMIC_SEQ_CST) != NULL))
        svmr_wakeConsumer(s);
}

static inline void svmr_release(svm_Stream *s, size_t read)
{
    if (SVMR_UNLIKELY(s->machine->shared))
        __atomic_store_n(&s->read, read, __ATOMIC_SEQ_CST);
    else
        __atomic_store_n(&s->read, read, __ATOMIC_RELAXED);
    if (SVMR_UNLIKELY(__atomic_load_n(&s->producerWaits, __ATOMIC_SEQ_CST) != NULL))
        svmr_wakeProducer(s);
}

#endif
