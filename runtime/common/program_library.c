// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs as libraries: items between the caller's memory and the program, and errors that come back.
//
// NOTE(chunks). A program runs in whole steady states, whatever the caller's pieces are: what is less waits in
// `waiting`, and what the caller has no room for in `made`. As long as something is in `made`, nothing is taken.
#include "runtime/common/internal.h"
#include "svm/library.h"
#include "svm/messages.h"

#include <stdlib.h>

// Items that lie side by side, from begin to end, in bytes.
typedef struct Queue {
    char *data;
    size_t begin, end, room;
} Queue;

struct svm_Library {
    const svm_LibraryRow *row;
    svm_Machine *machine;
    void *instance;
    bool started;  // the initialisation has run
    bool ended;    // it fires no more
    bool draining; // the caller has no more input
    bool failed;   // it stopped at an error
    bool enough;   // of the action at hand: there is nothing more to do
    Queue waiting, made;
    char *error;
    // Of the call at hand.
    const char *in;
    size_t count, taken;
    char *out;
    size_t capacity, given;
    int64_t steadyStates, when;
    void *arguments;
    size_t sent;
    char *wrong; // about a message; NULL: nothing
};

// ---- Items ----

static void put(Queue *q, const void *items, size_t bytes)
{
    if (bytes == 0)
        return;
    if (q->begin == q->end)
        q->begin = q->end = 0;
    q->data = svmr_grow(q->data, &q->room, q->end + bytes, 1);
    memcpy(q->data + q->end, items, bytes);
    q->end += bytes;
}

static size_t get(Queue *q, void *items, size_t bytes)
{
    size_t n = q->end - q->begin < bytes ? q->end - q->begin : bytes;
    if (n != 0)
        memcpy(items, q->data + q->begin, n);
    q->begin += n;
    return n;
}

static size_t held(const Queue *q)
{
    return q->end - q->begin;
}

size_t svmr_libraryTake(svm_Library *l, void *items, size_t count, size_t size)
{
    size_t first = get(&l->waiting, items, count * size) / size, rest = count - first;
    if (rest > l->count - l->taken)
        rest = l->count - l->taken;
    if (rest != 0)
        memcpy((char *)items + first * size, l->in + l->taken * size, rest * size);
    l->taken += rest;
    return first + rest;
}

// Where up to count items of the output go next, and how many.
void *svmr_libraryPlace(svm_Library *l, size_t count, size_t size, size_t *given)
{
    if (held(&l->made) == 0 && l->given < l->capacity) {
        *given = count < l->capacity - l->given ? count : l->capacity - l->given;
        l->given += *given;
        return l->out + (l->given - *given) * size;
    }
    *given = count;
    Queue *q = &l->made;
    if (q->begin == q->end)
        q->begin = q->end = 0;
    if (count > (SIZE_MAX / 2 - q->end) / size)
        svmr_fatalProgram("out of memory");
    q->data = svmr_grow(q->data, &q->room, q->end + count * size, 1);
    q->end += count * size;
    return q->data + q->end - count * size;
}

// What was made before goes first.
static void giveMade(svm_Library *l)
{
    size_t size = l->row->outputSize;
    if (size != 0 && l->given < l->capacity)
        l->given += get(&l->made, l->out + l->given * size, (l->capacity - l->given) * size) / size;
}

// ---- Errors ----

static void setError(svm_Library *l, char *text)
{
    free(l->error);
    l->error = text;
}

static SVMR_PRINTF(2, 3) int refuse(svm_Library *l, const char *format, ...)
{
    va_list args;
    char *text;
    va_start(args, format);
    if (vasprintf(&text, format, args) < 0)
        text = NULL;
    va_end(args);
    setError(l, text);
    return SVM_LIBRARY_ERROR;
}

// Does something of the program's. An error in it comes back here, whatever was under way; false: there was one.
static bool guarded(svm_Library *l, void (*action)(svm_Library *l))
{
    svmr_Thread *t = &svmr_thread; // of this stack, which never changes threads
    const svmr_Thread before = *t;
    jmp_buf trap;
    t->inUse = l->machine;
    t->current = NULL;
    t->control = NULL;
    t->handler = NULL;
    t->program = l->row->program->name;
    t->failing = false;
    t->message = NULL;
    t->trap = &trap;
    volatile bool failed = false; // set behind setjmp
    if (setjmp(trap) == 0)
        action(l);
    else
        failed = true;
    if (failed)
        setError(l, t->message);
    else
        free(t->message);
    svm_Machine *own = t->own;
    int64_t itemsRead = t->itemsRead, itemsWritten = t->itemsWritten;
    *t = before;
    t->own = own;
    t->itemsRead = itemsRead;
    t->itemsWritten = itemsWritten;
    return !failed;
}

// An error without an instance to keep it.
static void setThreadError(char *text)
{
    svmr_keepMessage();
    free(svmr_thread.message);
    svmr_thread.message = text;
}

const char *svm_libraryError(const svm_Library *l)
{
    const char *text = l ? l->error : svmr_thread.message;
    return text ? text : "";
}

// ---- The instance ----

static void makeInstance(svm_Library *l)
{
    const svm_Settings settings = {.iterations = -1, .library = l};
    l->machine = svm_machineCreate();
    svm_machineUse(l->machine);
    if (!l->row->program->create(&settings))
        svmr_fatalProgram("out of memory");
}

void svm_libraryKeep(const svm_Settings *settings, void *instance)
{
    settings->library->instance = instance;
}

static void closeInstance(svm_Library *l)
{
    l->row->program->destroy(l->instance);
    l->instance = NULL;
}

static void forgetInstance(svm_Library *l)
{
    svm_Machine *m = l->machine;
    l->machine = NULL;
    if (m)
        svmr_giveUp(m);
    svmr_thread.inUse = NULL;
    if (l->instance)
        l->row->forget(l->instance);
    l->instance = NULL;
}

// False if what it had to write could not be.
static bool dropInstance(svm_Library *l)
{
    bool good = true;
    if (!l->failed && l->instance)
        good = guarded(l, closeInstance);
    (void)guarded(l, forgetInstance);
    return good;
}

svm_Library *svm_libraryCreate(const svm_LibraryRow *row)
{
    svm_Library *l = calloc(1, sizeof *l);
    if (!l) {
        setThreadError(strdup("out of memory"));
        return NULL;
    }
    l->row = row;
    if (guarded(l, makeInstance))
        return l;
    setThreadError(l->error);
    l->error = NULL;
    l->failed = true;
    dropInstance(l);
    free(l->error);
    free(l);
    return NULL;
}

int svm_libraryReset(svm_Library *l)
{
    if (!l)
        return SVM_LIBRARY_ERROR;
    bool good = dropInstance(l);
    l->waiting.begin = l->waiting.end = l->made.begin = l->made.end = 0;
    l->started = l->ended = l->draining = l->failed = false;
    if (good)
        setError(l, NULL);
    if (!guarded(l, makeInstance)) {
        l->failed = true;
        return SVM_LIBRARY_ERROR;
    }
    return good ? SVM_LIBRARY_OK : SVM_LIBRARY_ERROR;
}

int svm_libraryDestroy(svm_Library *l)
{
    if (!l)
        return SVM_LIBRARY_OK;
    bool good = dropInstance(l);
    if (!good) {
        setThreadError(l->error);
        l->error = NULL;
    }
    free(l->error);
    free(l->waiting.data);
    free(l->made.data);
    free(l);
    return good ? SVM_LIBRARY_OK : SVM_LIBRARY_ERROR;
}

// ---- Running ----

// So many steady states, and what is left if the program ends in them.
static void advance(svm_Library *l, int64_t steadyStates)
{
    const svm_Program *p = l->row->program;
    l->started = true;
    if (p->run(l->instance, steadyStates))
        return;
    p->drain(l->instance);
    l->ended = true;
}

// How many steady states there is input for; INT64_MAX: they need none.
static int64_t fed(const svm_Library *l)
{
    const svm_LibraryRow *row = l->row;
    if (row->steadyInput == 0)
        return INT64_MAX;
    size_t items = held(&l->waiting) / row->inputSize + (l->count - l->taken);
    return (int64_t)(items / (uint64_t)row->steadyInput);
}

// How many steady states there is room for, at least one if there is any; `several` is for programs that do not tell.
static int64_t roomFor(const svm_Library *l, int64_t several)
{
    const svm_LibraryRow *row = l->row;
    if (row->outputSize == 0)
        return INT64_MAX;
    size_t room = l->capacity - l->given;
    if (room == 0)
        return 0;
    if (row->steadyOutput == 0)
        return INT64_MAX;
    if (row->steadyOutput < 0)
        return several;
    uint64_t most = room / (uint64_t)row->steadyOutput;
    return most == 0 ? 1 : (int64_t)most;
}

static bool canStart(const svm_Library *l)
{
    size_t size = l->row->inputSize;
    return size == 0 || held(&l->waiting) / size + (l->count - l->taken) >= (size_t)l->row->initInput;
}

// Runs as far as there is input and room; true if what is left of the input can wait for more.
static bool runFed(svm_Library *l)
{
    for (int64_t several = 1; !l->ended && held(&l->made) == 0; several = several < 1024 ? 2 * several : several) {
        int64_t most = roomFor(l, several), n = fed(l);
        if (!l->started) {
            if (!canStart(l))
                return true;
            if (most == 0)
                return false;
            advance(l, 0);
            continue;
        }
        if (n == 0)
            return true;
        if (most == 0 || (most == INT64_MAX && n == INT64_MAX)) // it neither takes nor gives anything any more
            return false;
        advance(l, n < most ? n : most);
    }
    return false;
}

static void process(svm_Library *l)
{
    size_t size = l->row->inputSize;
    giveMade(l);
    if (runFed(l))
        put(&l->waiting, l->in + l->taken * size, (l->count - l->taken) * size);
    else if (!l->started || l->row->steadyInput != 0)
        return;
    l->taken = l->count; // they wait, or nothing will ever want them
}

static void drain(svm_Library *l)
{
    const svm_LibraryRow *row = l->row;
    l->draining = true;
    if (!l->ended) {
        if (!l->started || row->steadyInput != 0)
            advance(l, row->steadyInput != 0); // what waits is less than it needs
        if (!l->ended)
            row->program->drain(l->instance);
        l->ended = true;
    }
    giveMade(l);
}

static void run(svm_Library *l)
{
    if (!l->ended)
        advance(l, l->steadyStates);
}

// ---- The functions ----

// Does the action for the caller's items; NULL is none.
static int call(svm_Library *l, void (*action)(svm_Library *l), const void *in, size_t count, void *out,
                size_t capacity)
{
    l->in = in;
    l->count = count;
    l->out = out;
    l->capacity = capacity;
    l->taken = l->given = 0;
    l->failed = !guarded(l, action);
    l->in = NULL; // they are the caller's again
    l->out = NULL;
    l->count = l->capacity = 0;
    if (l->failed)
        return SVM_LIBRARY_ERROR;
    return l->ended && held(&l->made) == 0 ? SVM_LIBRARY_ENDED : SVM_LIBRARY_OK;
}

// What is wrong with a call before anything is done. "" as the name of a count: the program has no such items.
static bool check(svm_Library *l, const char *function, const void *in, size_t count, const size_t *consumed,
                  const void *out, size_t capacity, const size_t *produced)
{
    const svm_LibraryRow *row = l->row;
    if (l->failed) // the message is there
        return false;
    if (row->inputSize != 0 && count != 0 && !in)
        refuse(l, "%s_%s: 'in' is NULL, and 'count' is %zu", row->prefix, function, count);
    else if (row->inputSize != 0 && count != 0 && !consumed)
        refuse(l, "%s_%s: 'consumed' is NULL: it is to tell how many items were taken", row->prefix, function);
    else if (row->inputSize != 0 && count > SIZE_MAX / 2 / row->inputSize)
        refuse(l, "%s_%s: 'count' is %zu, more items than any memory holds", row->prefix, function, count);
    else if (row->outputSize != 0 && capacity != 0 && !out)
        refuse(l, "%s_%s: 'out' is NULL, and 'capacity' is %zu", row->prefix, function, capacity);
    else if (row->outputSize != 0 && capacity != 0 && !produced)
        refuse(l, "%s_%s: 'produced' is NULL: it is to tell how many items were given", row->prefix, function);
    else if (row->outputSize != 0 && capacity > SIZE_MAX / 2 / row->outputSize)
        refuse(l, "%s_%s: 'capacity' is %zu, more items than any memory holds", row->prefix, function, capacity);
    else
        return true;
    return false;
}

int svm_libraryProcess(svm_Library *l, const void *in, size_t count, size_t *consumed, void *out, size_t capacity,
                       size_t *produced)
{
    if (consumed)
        *consumed = 0;
    if (produced)
        *produced = 0;
    if (!l || !check(l, "process", in, count, consumed, out, capacity, produced))
        return SVM_LIBRARY_ERROR;
    if (l->draining)
        return refuse(l, "%s_process: the input has ended with %s_drain; %s_reset begins anew", l->row->prefix,
                      l->row->prefix, l->row->prefix);
    int result = call(l, process, in, count, out, capacity);
    if (consumed)
        *consumed = l->taken;
    if (produced)
        *produced = l->given;
    return result;
}

int svm_libraryDrain(svm_Library *l, void *out, size_t capacity, size_t *produced)
{
    if (produced)
        *produced = 0;
    if (!l || !check(l, "drain", NULL, 0, NULL, out, capacity, produced))
        return SVM_LIBRARY_ERROR;
    int result = call(l, drain, NULL, 0, out, capacity);
    if (produced)
        *produced = l->given;
    return result;
}

int svm_libraryRun(svm_Library *l, int64_t steadyStates)
{
    if (!l || l->failed)
        return SVM_LIBRARY_ERROR;
    if (steadyStates < 0)
        return refuse(l, "%s_run: 'steady_states' is %lld", l->row->prefix, (long long)steadyStates);
    if (l->draining)
        return refuse(l, "%s_run: the program has ended with %s_drain; %s_reset begins anew", l->row->prefix,
                      l->row->prefix, l->row->prefix);
    l->steadyStates = steadyStates;
    return call(l, run, NULL, 0, NULL, 0);
}

static void send(svm_Library *l)
{
    const svm_Outside *o = l->row->program->outside;
    l->wrong = o->functions->send(o, l->instance, l->sent, l->arguments, l->when);
}

int svm_librarySend(svm_Library *l, const char *function, size_t row, void *arguments, int64_t when)
{
    if (!l || l->failed)
        return SVM_LIBRARY_ERROR;
    const char *prefix = l->row->prefix;
    if (when < SVM_LIBRARY_NOW)
        return refuse(l, "%s_%s: 'when' is %lld; the first item is number 0, and %s_NOW is at once", prefix, function,
                      (long long)when, prefix);
    if (l->draining || l->ended)
        return refuse(l, "%s_%s: the program has ended; %s_reset begins anew", prefix, function, prefix);
    l->sent = row;
    l->arguments = arguments;
    l->when = when;
    l->wrong = NULL;
    int result = call(l, send, NULL, 0, NULL, 0);
    char *wrong = l->wrong;
    if (result != SVM_LIBRARY_ERROR && wrong)
        result = refuse(l, "%s_%s: %s", prefix, function, wrong);
    free(wrong);
    return result == SVM_LIBRARY_ERROR ? result : SVM_LIBRARY_OK;
}
