// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The stack of a program: as much as the system allows up to a limit, and a message when it does not suffice.
#include "runtime/common/internal.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

// Functions of a source program may have arrays of any size and may call themselves; what is not touched costs nothing.
#define STACK_LIMIT ((rlim_t)1 << 30)
#define HANDLER_BYTES ((size_t)1 << 16)

// A fault this far below the frame of main was an access to the stack: a frame may be as large as the largest type.
#define STACK_REACH ((uintptr_t)1 << 32)

static bool prepared; // the program has the handler

static void writeText(const char *s)
{
    if (write(STDERR_FILENO, s, strlen(s)) < 0)
        return;
}

// Only calls what a signal handler may call.
static void onFault(int signal, siginfo_t *info, void *context)
{
    (void)context;
    uintptr_t at = (uintptr_t)info->si_addr, begin = svmr_thread.stackBegin;
    if (!svmr_beyondStack(info->si_addr) && (at >= begin || begin - at > STACK_REACH)) {
        sigaction(signal, &(struct sigaction){.sa_handler = SIG_DFL}, NULL); // the access happens again, and ends it
        return;
    }
    writeText(program_invocation_short_name);
    writeText(": error: out of stack: functions call each other too deeply, or local arrays are too large\n");
    _exit(1);
}

void svmr_prepareStack(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < STACK_LIMIT) {
        limit.rlim_cur = limit.rlim_max < STACK_LIMIT ? limit.rlim_max : STACK_LIMIT;
        setrlimit(RLIMIT_STACK, &limit); // if it fails, the limit stays what it is
    }
    struct sigaction old;
    if (sigaction(SIGSEGV, NULL, &old) != 0 || old.sa_handler != SIG_DFL) // a sanitizer or debugger has one
        return;
    struct sigaction handler = {.sa_sigaction = onFault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    __atomic_store_n(&prepared, true, __ATOMIC_RELAXED);
    if (svmr_threadStack()) // kept to the end
        sigaction(SIGSEGV, &handler, NULL);
}

// A thread of the runtime's: it has room of its own to handle a fault, where the program has the handler. Gives that
// room, or NULL.
void *svmr_threadStack(void)
{
    if (!__atomic_load_n(&prepared, __ATOMIC_RELAXED))
        return NULL;
    stack_t stack = {.ss_sp = svmr_allocate(1, HANDLER_BYTES), .ss_size = HANDLER_BYTES};
    svmr_thread.stackBegin = (uintptr_t)&stack;
    if (sigaltstack(&stack, NULL) == 0)
        return stack.ss_sp;
    free(stack.ss_sp);
    return NULL;
}

void svmr_leaveThreadStack(void *room)
{
    if (!room)
        return;
    sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL);
    free(room);
}
