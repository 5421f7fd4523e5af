// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors: misuse of the API goes to the error handler, what stops the program goes to standard error. Either happens on
// the control thread's stack: a kernel with a stack of its own leaves it first.
#include "runtime/common/internal.h"

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

// ---- What stops the program ----

static _Noreturn void stop(svm_Machine *m)
{
    if (m && !svmr_thread.failing) {
        svmr_thread.failing = true;
        svmr_flushLogs(m);
    }
    fflush(stdout);
    if (m && m->message) {
        fputs(m->message, stderr);
        fputc('\n', stderr);
    }
    exit(1);
}

// The machine whose kernels or control program the thread is in; NULL: none yet.
static svm_Machine *machineHere(void)
{
    svmr_Thread *t = &svmr_thread;
    return t->running ? t->running : t->inUse ? t->inUse : t->own;
}

// Has the message printed and the program stopped, on the control thread's stack.
static _Noreturn void stopWith(char *message)
{
    svm_Machine *m = machineHere();
    if (!m) {
        fflush(stdout);
        fprintf(stderr, "%s\n", message ? message : "out of memory");
        exit(1);
    }
    if (svmr_thread.failing) { // a second error, of reporting the first
        fprintf(stderr, "%s\n", message ? message : "out of memory");
        exit(1);
    }
    free(m->message);
    m->message = message;
    svmr_Kernel *p = m->current;
    if (p && p->coroutine) {
        m->onControl = stop;
        svmr_quit(p);
    }
    stop(m);
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
    svmr_fatal("%s: error: %s", programName(), text ? text : "out of memory");
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

static _Noreturn void report(svm_Machine *m)
{
    const svm_ErrorReport *r = &m->report;
    if (svmr_thread.handler) {
        svmr_thread.handler(r, svmr_thread.handlerContext);
        svmr_fatalProgram("the error handler returned");
    }
    char place[32] = "";
    if (r->file)
        snprintf(place, sizeof place, ":%d: ", r->line);
    svmr_fatal("%s%serror: %s%s%s%s: %s [%s]", r->file ? r->file : "", place, r->function, *r->object ? " of '" : "",
               r->object, *r->object ? "'" : "", r->message, r->error_name);
}

void svmr_failText(svm_Machine *m, svm_Error error, const char *object, svmr_Place at, char *text)
{
    free(m->message);
    m->message = text;
    m->report = (svm_ErrorReport){.error = error,
                                  .error_name = errorNames[error],
                                  .function = at.function,
                                  .object = object ? object : "",
                                  .message = text ? text : "",
                                  .file = at.file,
                                  .line = at.line};
    svmr_Kernel *p = m->current;
    if (p && p->coroutine) {
        m->onControl = report;
        svmr_quit(p);
    }
    if (p)
        svmr_abandon(p);
    report(m);
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
    if (at)
        svmr_fatal("%s: error: %s in %.*s", at + 4, text ? text : "", (int)(at - where), where);
    svmr_fatal("%s%serror: %s", where, *where ? ": " : "", text ? text : "");
}

void svm_divideByZero(const char *where)
{
    sourceError(where, "division by zero");
}

void svm_rateError(const char *where, const char *what, ptrdiff_t declared, ptrdiff_t done)
{
    sourceError(where, "a firing declares %s %td but did %s %td", what, declared, what, done);
}
