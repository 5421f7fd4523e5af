// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Control threads as threads of the system.
#ifndef SVM_COMMON_CONTROL_THREAD_H
#define SVM_COMMON_CONTROL_THREAD_H

#include <stdlib.h>

#include "runtime/common/scheduler.h"

static inline void *svmr_controlThreadMain(void *argument)
{
    svmr_Control *c = argument;
    svmr_thread.control = c;
    svmr_thread.inUse = c->machine;
    c->main(c);
    free(svmr_thread.message);
    return NULL;
}

static inline void svmr_controlThreadStart(svmr_Control *c)
{
    pthread_t *thread = svmr_allocate(1, sizeof *thread);
    c->scheduling = thread;
    if (pthread_create(thread, NULL, svmr_controlThreadMain, c))
        svmr_fatalProgram("the system gives no thread for the control thread '%s'", svmr_controlName(c));
}

static inline void svmr_controlThreadJoin(svmr_Control *c)
{
    pthread_join(*(pthread_t *)c->scheduling, NULL);
    free(c->scheduling);
}

#endif
