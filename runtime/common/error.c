// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors: misuse of the API goes to the error handler, what stops the program goes to standard error. Either happens on
// the control thread's stack: a kernel with a stack of its own leaves it first.
#include "runtime/common/adversary.h"
#include "runtime/common/scheduler.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// ---- Memory of the runtime's own ----

static _Noreturn SVMR_COLD void outOfMemory(void)
{
    svmr_fatalProgram("out of memory");
}

void *svmr_allocate(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size);
    if (!p)
        outOfMemory();
    return p;
}

void *svmr_allocateAligned(size_t bytes)
{
    void *p = NULL;
    if (posix_memalign(&p, 64, bytes) != 0)
        outOfMemory();
    return p;
}

void *svmr_grow(void *memory, size_t *cap, size_t need, size_t size)
{
    if (need <= *cap)
        return memory;
    size_t wider = *cap < 8 ? 8 : *cap * 2;
    if (wider < need)
        wider = need;
    if (wider > SIZE_MAX / size)
        outOfMemory();
    void *p = realloc(memory, wider * size);
    if (!p)
        outOfMemory();
    *cap = wider;
    return p;
}

static SVMR_PRINTF(1, 0) char *formatText(const char *format, va_list args)
{
    char *text;
    return vasprintf(&text, format, args) < 0 ? NULL : text;
}

static SVMR_PRINTF(1, 2) char *formatted(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = formatText(format, args);
    va_end(args);
    return text;
}

// ---- What stops the program ----

// Files get what was made for them before the error. What goes wrong with that is not told.
static void finishFiles(svmr_Thread *t)
{
    jmp_buf trap;
    struct svm_Net *net = t->net;
    char *message = t->message;
    t->net = NULL;
    t->message = NULL;
    t->trap = &trap;
    if (net && setjmp(trap) == 0)
        svmr_netAbandon(net);
    t->trap = NULL;
    free(t->message);
    t->message = message;
    svmr_writersFinish();
}

// ofKernel: one of m's has failed.
static _Noreturn void stop(svm_Machine *m, bool ofKernel)
{
    svmr_Thread *t = &svmr_thread;
    if (t->again) {
        if (m)
            svmr_unlinkWaits(m);
        longjmp(*t->trap, 1);
    }
    if (m && ofKernel && !t->failing && t->strip)
        svmr_stripAgain(m);
    if (m && !t->failing) {
        t->failing = true;
        svmr_halt(m);
        svmr_flushLogs(m);
    }
    if (t->trap)
        longjmp(*t->trap, 1);
    fflush(stdout);
    if (t->failing)
        finishFiles(t);
    if (t->message) {
        fputs(t->message, stderr);
        fputc('\n', stderr);
        svmr_adversaryNote(m, stderr);
    }
    exit(1);
}

// The machine whose kernels or control program the thread is in; NULL: none yet.
static svm_Machine *machineHere(void)
{
    const svmr_Thread *t = &svmr_thread;
    return t->current ? t->current->machine : t->inUse ? t->inUse : t->own;
}

static void setMessage(char *message)
{
    free(svmr_thread.message);
    svmr_thread.message = message;
}

// The kernel p, which runs, has failed: its stack is left, and a control thread will see to the rest. Returns if p is a
// call on a control thread's stack.
static void leaveFailed(svmr_Kernel *p, svmr_Failure *f)
{
    p->failure = f;
    p->stop = SVMR_STOP_FAILED;
    if (p->coroutine)
        svmr_quit(p);
    if (p->escape)
        longjmp(*p->escape, 1);
    p->failure = NULL;
    while (p->machine->waits) // during which it ran, and out of which the handler may jump
        svmr_unlinkWait(p->machine, p->machine->waits);
    svmr_thread.current = NULL;
    svmr_finish(p, SVM_ENDED);
}

static svmr_Failure *makeFailure(svm_ErrorReport report, char *message, bool fatal)
{
    svmr_Failure *f = svmr_allocate(1, sizeof *f);
    *f = (svmr_Failure){.report = report, .message = message, .fatal = fatal};
    return f;
}

// Has the message printed and the program stopped, on a control thread's stack.
static _Noreturn void stopWith(char *message)
{
    svm_Machine *m = machineHere();
    if (!m || svmr_thread.failing) { // no machine yet, or a second error, of reporting the first
        if (svmr_thread.trap) {
            setMessage(message);
            longjmp(*svmr_thread.trap, 1);
        }
        fflush(stdout);
        fprintf(stderr, "%s\n", message ? message : "out of memory");
        exit(1);
    }
    svmr_releaseHeld();
    svmr_Kernel *p = svmr_thread.current;
    if (p && (p->coroutine || p->escape))
        leaveFailed(p, makeFailure((svm_ErrorReport){.message = message}, message, true));
    setMessage(message);
    stop(m, p != NULL);
}

void svmr_fatal(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = formatText(format, args);
    va_end(args);
    stopWith(text);
}

static const char *programName(void)
{
    return svmr_thread.program ? svmr_thread.program : program_invocation_short_name;
}

void svmr_fatalProgram(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = formatText(format, args);
    va_end(args);
    char *message = formatted("%s: error: %s", programName(), text ? text : "out of memory");
    free(text);
    stopWith(message);
}

// ---- Misuse of the API ----

static const char *const errorNames[] = {
#define SVM_ERROR(id, name, text) name,
#include "svm/errors.def"
#undef SVM_ERROR
};

void svm_setErrorHandler(svm_ErrorHandler *handler, void *context)
{
    svmr_thread.handler = handler;
    svmr_thread.handlerContext = context;
}

char *svmr_formatReport(const svm_ErrorReport *r)
{
    if (!r->function) // of what is no misuse but stops the program
        return formatted("%s", r->message);
    char place[32] = "";
    if (r->file)
        snprintf(place, sizeof place, ":%d: ", r->line);
    return formatted("%s%serror: %s%s%s%s: %s [%s]", r->file ? r->file : "", place, r->function,
                     *r->object ? " of '" : "", r->object, *r->object ? "'" : "", r->message, r->error_name);
}

// Of svmr_thread.report.
static _Noreturn void report(void)
{
    const svm_ErrorReport *r = &svmr_thread.report;
    if (svmr_thread.handler) {
        svmr_thread.handler(r, svmr_thread.handlerContext);
        svmr_fatalProgram("the error handler returned");
    }
    stopWith(svmr_formatReport(r));
}

static svm_ErrorReport describe(svm_Error error, const char *object, svmr_Place at, const char *text)
{
    return (svm_ErrorReport){.error = error,
                             .error_name = errorNames[error],
                             .function = at.function,
                             .object = object ? object : "",
                             .message = text ? text : "",
                             .file = at.file,
                             .line = at.line};
}

svmr_Failure *svmr_newFailure(svm_Error error, const char *object, svmr_Place at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = formatText(format, args);
    va_end(args);
    return makeFailure(describe(error, object, at, text), text, false);
}

void svmr_failText(svm_Machine *m, svm_Error error, const char *object, svmr_Place at, char *text)
{
    svmr_releaseHeld();
    svm_ErrorReport r = describe(error, object, at, text);
    svmr_Kernel *p = svmr_current(m);
    if (p && (p->coroutine || p->escape))
        leaveFailed(p, makeFailure(r, text, false));
    if (p)
        leaveFailed(p, NULL);
    setMessage(text);
    svmr_thread.report = r;
    report();
}

void svmr_raise(svm_Machine *m)
{
    if (svmr_thread.held != m)
        svmr_lock(m);
    svmr_Failure *f = m->failures;
    if (f)
        __atomic_store_n(&m->failures, f->next, __ATOMIC_RELAXED);
    if (!f) {
        svmr_unlock(m);
        return;
    }
    svmr_releaseHeld();
    svmr_Failure failure = *f;
    free(f);
    setMessage(failure.message);
    svmr_thread.report = failure.report;
    if (failure.fatal)
        stop(m, true);
    report();
}

void svmr_fail(svm_Machine *m, svm_Error error, const char *object, svmr_Place at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = formatText(format, args);
    va_end(args);
    svmr_failText(m, error, object, at, text);
}

// ---- Errors of the source program ----

// "LowPass_1 at fm.str:12" as place and actor.
static _Noreturn SVMR_PRINTF(2, 3) void sourceError(const char *where, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = formatText(format, args);
    va_end(args);
    if (!where)
        where = "";
    const char *at = NULL;
    for (const char *s = where; (s = strstr(s, " at ")); s += 4)
        at = s;
    char *message = at ? formatted("%s: error: %s in %.*s", at + 4, text ? text : "", (int)(at - where), where)
                       : formatted("%s%serror: %s", where, *where ? ": " : "", text ? text : "");
    free(text);
    stopWith(message);
}

void svm_divideByZero(const char *where)
{
    sourceError(where, "division by zero");
}

void svm_rateError(const char *where, const char *what, ptrdiff_t declared, ptrdiff_t done)
{
    sourceError(where, "a firing declares %s %td but did %s %td", what, declared, what, done);
}
