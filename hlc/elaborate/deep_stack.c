// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread with a large stack: streams may nest tens of thousands deep, and the evaluator follows them by recursion.
// Its pages cost nothing until they are used.
#include <pthread.h>

#include "hlc/elaborate/elab.h"

enum { LARGEST_STACK = 1 << 30, LEAST_STACK = 16 << 20, USUAL_STACK = 8 << 20 };

typedef struct job {
    void (*run)(void *arg, const char *stack_end);
    void *arg;
    size_t stack;
} job;

static void run_here(job *j)
{
    char here;
    // Addresses are compared as numbers only: the end lies outside of any object.
    uintptr_t top = (uintptr_t)&here, room = j->stack - ELAB_STACK_MARGIN;
    j->run(j->arg, (const char *)(top > room ? top - room : 0));
}

static void *thread_main(void *arg)
{
    run_here(arg);
    return NULL;
}

void elab_on_deep_stack(void (*run)(void *arg, const char *stack_end), void *arg)
{
    job j = {.run = run, .arg = arg};
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) == 0) {
        for (j.stack = LARGEST_STACK; j.stack >= LEAST_STACK; j.stack /= 4) {
            pthread_t thread;
            if (pthread_attr_setstacksize(&attributes, j.stack) == 0 &&
                pthread_create(&thread, &attributes, thread_main, &j) == 0) {
                pthread_attr_destroy(&attributes);
                pthread_join(thread, NULL);
                return;
            }
        }
        pthread_attr_destroy(&attributes);
    }
    j.stack = USUAL_STACK;
    run_here(&j);
}
