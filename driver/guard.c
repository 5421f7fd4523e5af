// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work in a child process. Signals that are to end the tool go to the child, which has the temporary files.
#include "driver/guard.h"

#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "driver/process.h"

int guard_run(tool_session *t, int (*work)(tool_session *t), const char *doing)
{
    sigset_t waited_for, old_mask;
    process_signals(&waited_for);
    signal(SIGCHLD, SIG_DFL);
    sigprocmask(SIG_BLOCK, &waited_for, &old_mask);
    fflush(NULL);
    pid_t parent = getpid(), child = fork();
    if (child <= 0) {
        sigprocmask(SIG_SETMASK, &old_mask, NULL);
        if (child == 0)
            prctl(PR_SET_PDEATHSIG, SIGTERM);
        return child < 0 || getppid() == parent ? work(t) : EXIT_WRONG;
    }
    int status, got;
    while (waitpid(child, &status, WNOHANG) == 0)
        if ((got = sigwaitinfo(&waited_for, NULL)) > 0 && got != SIGCHLD)
            kill(child, got);
    sigprocmask(SIG_SETMASK, &old_mask, NULL);
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    int signal_number = WTERMSIG(status);
    if (signal_number == SIGINT || signal_number == SIGTERM || signal_number == SIGHUP) {
        signal(signal_number, SIG_DFL);
        raise(signal_number);
    }
    diag_internal(&t->diags, (src_range){0}, "stopped by signal %d (%s) while %s; is the text nested very deeply?",
                  signal_number, strsignal(signal_number), doing);
    return EXIT_INTERNAL;
}
