// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors: misuse of the API goes to the error handler, what stops the program goes to standard error. Either happens on
// the control thread's stack: a kernel with a stack of its own leaves it first.
#include "internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// ---- Memory of the runtime's own ----

static _Noreturn SVMH_COLD void outOfMemory(void)
{
    svmh_fatalProgram("out of memory");
}

void *svmh_allocate(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size);
    if (!p)
        outOfMemory();
    return p;
}

void *svmh_grow(void *memory, size_t *cap, size_t need, size_t size)
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

static SVMH_PRINTF(1, 0) char *formatText(const char *format, va_list args)
{
    char *text;
    return vasprintf(&text, format, args) < 0 ? NULL : text;
}

// ---- What stops the program ----

static _Noreturn void stop(svm_Machine *m)
{
    if (m && !svmh_thread.failing) {
        svmh_thread.failing = true;
        svmh_flushLogs(m);
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
    svmh_Thread *t = &svmh_thread;
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
    if (svmh_thread.failing) { // a second error, of reporting the first
        fprintf(stderr, "%s\n", message ? message : "out of memory");
        exit(1);
    }
    free(m->message);
    m->message = message;
    svmh_Kernel *p = m->current;
    if (p && p->coroutine) {
        m->onControl = stop;
        svmh_quit(p);
    }
    stop(m);
}

void svmh_fatal(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = formatText(format, args);
    va_end(args);
    stopWith(text);
}

static const char *programName(void)
{
    return svmh_thread.program ? svmh_thread.program : program_invocation_short_name;
}

void svmh_fatalProgram(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = formatText(format, args);
    va_end(args);
    svmh_fatal("%s: error: %s", programName(), text ? text : "out of memory");
}

// ---- Misuse of the API ----

static const char *const errorNames[] = {
#define SVM_ERROR(id, name, text) name,
#include "svm/errors.def"
#undef SVM_ERROR
};

void svm_setErrorHandler(svm_ErrorHandler *handler, void *context)
{
    svmh_thread.handler = handler;
    svmh_thread.handlerContext = context;
}

static _Noreturn void report(svm_Machine *m)
{
    const svm_ErrorReport *r = &m->report;
    if (svmh_thread.handler) {
        svmh_thread.handler(r, svmh_thread.handlerContext);
        svmh_fatalProgram("the error handler returned");
    }
    char place[32] = "";
    if (r->file)
        snprintf(place, sizeof place, ":%d: ", r->line);
    svmh_fatal("%s%serror: %s%s%s%s: %s [%s]", r->file ? r->file : "", place, r->function, *r->object ? " of '" : "",
               r->object, *r->object ? "'" : "", r->message, r->error_name);
}

void svmh_failText(svm_Machine *m, svm_Error error, const char *object, svmh_Place at, char *text)
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
    svmh_Kernel *p = m->current;
    if (p && p->coroutine) {
        m->onControl = report;
        svmh_quit(p);
    }
    if (p)
        svmh_abandon(p);
    report(m);
}

void svmh_fail(svm_Machine *m, svm_Error error, const char *object, svmh_Place at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = formatText(format, args);
    va_end(args);
    svmh_failText(m, error, object, at, text);
}

// ---- Errors of the source program ----

// "LowPass_1 at fm.str:12" as place and actor.
static _Noreturn SVMH_PRINTF(2, 3) void sourceError(const char *where, const char *format, ...)
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
        svmh_fatal("%s: error: %s in %.*s", at + 4, text ? text : "", (int)(at - where), where);
    svmh_fatal("%s%serror: %s", where, *where ? ": " : "", text ? text : "");
}

void svm_divideByZero(const char *where)
{
    sourceError(where, "division by zero");
}

void svm_rateError(const char *where, const char *what, ptrdiff_t declared, ptrdiff_t done)
{
    sourceError(where, "a firing declares %s %td but did %s %td", what, declared, what, done);
}
