// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Logs of printed text and their merging. Numbers are formatted here, as printf does it but faster (print_float.c).
#include "runtime/common/print_float.h"
#include "runtime/common/scheduler.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// ---- Which logs there are, for a program that stops at an error ----

static svm_Machine *logMachine(void)
{
    return svmr_thread.current ? svmr_thread.current->machine : svmr_machine();
}

static void forget(svm_Machine *m, const svm_Log *l)
{
    svmr_lock(m);
    size_t kept = 0;
    for (size_t i = 0; i < m->logCount; i++)
        if (m->logs[i] != l)
            m->logs[kept++] = m->logs[i];
    m->logCount = kept;
    svmr_unlock(m);
}

static void addLog(svm_Machine *m, svm_Log *l)
{
    svmr_lock(m);
    m->logs = svmr_grow(m->logs, &m->logCap, m->logCount + 1, sizeof(*m->logs));
    m->logs[m->logCount++] = l;
    l->machine = m;
    svmr_unlock(m);
}

void svm_printOrder(svm_Log *const logs[], size_t count)
{
    svm_Machine *m = svmr_machine();
    for (size_t i = 0; i < count; i++) {
        if (logs[i]->machine)
            forget(logs[i]->machine, logs[i]);
        addLog(m, logs[i]);
    }
}

// ---- Writing ----

void svmr_checkOutput(bool written)
{
    if (!written || ferror(stdout)) {
        int error = errno;
        clearerr(stdout);
        svmr_closedPipe(error);
        // There is no use in printing what else was logged. Of a kernel among others the control program stops them first.
        svmr_thread.failing = !svmr_thread.current || !svmr_thread.current->machine->shared;
        svmr_fatalProgram("cannot write standard output: %s", strerror(error));
    }
}

static void put(const svm_Log *l, size_t from, size_t to)
{
    if (from < to)
        svmr_checkOutput(fwrite(l->text + from, 1, to - from, stdout) == to - from);
}

// The lines that a log with a tag has completed; the rest stays. Kernels on other processors may print meanwhile.
static void putTagged(svm_Log *l)
{
    const char *at = l->text, *end = at + l->len, *newline;
    bool written = true;
    flockfile(stdout);
    for (; written && at < end && (newline = memchr(at, '\n', (size_t)(end - at))) != NULL; at = newline + 1) {
        size_t n = strlen(l->tag), length = (size_t)(newline + 1 - at);
        written = fwrite(l->tag, 1, n, stdout) == n && fwrite(": ", 1, 2, stdout) == 2 &&
                  fwrite(at, 1, length, stdout) == length;
    }
    funlockfile(stdout);
    svmr_checkOutput(written);
    l->len = (size_t)(end - at);
    if (l->len != 0)
        memmove(l->text, at, l->len);
}

// The lines that a log which is written alone has completed, or all of it where it has none. By the kernel that prints,
// maybe beside others; stdout has a lock.
static void putAlone(svm_Log *l)
{
    const char *newline = memrchr(l->text, '\n', l->len);
    size_t length = newline ? (size_t)(newline + 1 - l->text) : l->len;
    if (l->tag) {
        putTagged(l);
    } else {
        put(l, 0, length);
        l->len -= length;
        memmove(l->text, l->text + length, l->len);
    }
    l->markCount = 0;
}

// ---- Appending ----

// Of a log that is written alone.
#define MOST_TEXT 65536
#define MOST_MARKS 8192 // what follows is unmarked

static SVMR_COLD void growText(svm_Log *l, size_t bytes)
{
    if (!l->machine) // the first text of a log that svm_printOrder was not told of
        addLog(logMachine(), l);
    if (l->alone && l->len >= MOST_TEXT)
        putAlone(l);
    size_t cap = l->cap, need = l->len + bytes;
    if (cap < need)
        l->text = svmr_grow(l->text, &cap, need < 256 ? 256 : need, 1);
    l->cap = cap;
}

static inline char *reserve(svm_Log *l, size_t bytes)
{
    if (SVMR_UNLIKELY(l->cap - l->len < bytes))
        growText(l, bytes);
    return l->text + l->len;
}

static inline char *putInt(char *at, int32_t v)
{
    *at = '-';
    return svmr_putUnsigned(at + (v < 0), v < 0 ? 0U - (uint32_t)v : (uint32_t)v);
}

void svm_printInt(svm_Log *l, int32_t v)
{
    l->len = (size_t)(putInt(reserve(l, SVMR_INT_BYTES), v) - l->text);
}

void svm_printIntLine(svm_Log *l, int32_t v)
{
    char *end = putInt(reserve(l, SVMR_INT_BYTES), v);
    *end++ = '\n';
    l->len = (size_t)(end - l->text);
}

void svm_printFloat(svm_Log *l, double v)
{
    char *at = reserve(l, SVMR_FLOAT_BYTES);
    l->len += svmr_putFloat(at, v);
}

void svm_printFloatLine(svm_Log *l, double v)
{
    char *at = reserve(l, SVMR_FLOAT_BYTES);
    size_t length = svmr_putFloat(at, v);
    at[length] = '\n';
    l->len += length + 1;
}

void svm_printBoolean(svm_Log *l, bool v)
{
    svm_printText(l, v ? "true" : "false");
}

void svm_printText(svm_Log *l, const char *s)
{
    svm_printBytes(l, s, strlen(s));
}

void svm_printBytes(svm_Log *l, const char *bytes, size_t count)
{
    memcpy(reserve(l, count), bytes, count);
    l->len += count;
}

void svm_printMark(svm_Log *l)
{
    if (SVMR_UNLIKELY(l->markCount == l->markCap)) {
        if (l->alone && l->markCount >= MOST_MARKS)
            return;
        if (!l->machine)
            addLog(logMachine(), l);
        l->marks = svmr_grow(l->marks, &l->markCap, l->markCount + 1, sizeof *l->marks);
    }
    l->marks[l->markCount++] = l->len;
}

void svm_logDestroy(svm_Log *l)
{
    if (l->machine)
        forget(l->machine, l);
    free(l->text);
    free(l->marks);
    memset(l, 0, sizeof *l);
}

// ---- Merging ----

static void merge(svm_Log *const logs[], size_t count)
{
    size_t states = 0;
    for (size_t i = 0; i < count; i++)
        if (logs[i]->markCount > states)
            states = logs[i]->markCount;
    for (size_t s = 0; s < states; s++)
        for (size_t i = 0; i < count; i++)
            if (s < logs[i]->markCount)
                put(logs[i], s ? logs[i]->marks[s - 1] : 0, logs[i]->marks[s]);
    for (size_t i = 0; i < count; i++) {
        const svm_Log *l = logs[i];
        put(l, l->markCount ? l->marks[l->markCount - 1] : 0, l->len);
    }
}

static bool tagged(svm_Log *const logs[], size_t count)
{
    bool any = count != 0 && logs[0]->tag;
    for (size_t i = 0; any && i < count; i++)
        if (logs[i]->tag)
            putTagged(logs[i]);
    return any;
}

void svmr_endTagged(svm_Log *const logs[], size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (logs[i]->tag && logs[i]->len != 0) {
            svm_printText(logs[i], "\n");
            putTagged(logs[i]);
        }
}

static void empty(svm_Log *const logs[], size_t count)
{
    for (size_t i = 0; i < count; i++)
        logs[i]->len = logs[i]->markCount = 0;
}

void svm_printMerge(svm_Log *const logs[], size_t count)
{
    if (SVMR_UNLIKELY(svmr_thread.holdsPrints) || tagged(logs, count))
        return;
    if (count == 1) // marks order nothing
        put(logs[0], 0, logs[0]->len);
    else
        merge(logs, count);
    empty(logs, count);
}

void svmr_flushLogs(svm_Machine *m)
{
    if (tagged(m->logs, m->logCount)) {
        svmr_endTagged(m->logs, m->logCount);
        return;
    }
    merge(m->logs, m->logCount);
    empty(m->logs, m->logCount);
}
