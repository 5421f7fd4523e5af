// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A strip in which a firing fails is done again, from what it began with: svm/strip.h.
//
// NOTE(again). What a run of the kernels does depends on nothing but what it began with, and fails if one of its firings
// does. So the most steady states that do not fail are found by halves; these are done once more, and written. Of the one
// that fails, firings in canonical order are taken the same way: a run of the longest sequence that does not fail, for
// what it writes and prints, and one of one firing more, for what that prints before it fails, and for the error.
//
// NOTE(log). To copy what strips begin with would take long where it is much, as a large array of an actor's. Then it is
// copied once for many strips, and of each strip its input is kept, if it is not in a file: the log. To come to where a
// strip began, the strips before it are done again, and what they give is dropped.
#include "runtime/common/scheduler.h"

#include "svm/input.h"
#include "svm/strip.h"

#include <stdlib.h>

// ---- What a strip begins with ----

// So many bytes of the instance, or of a channel, from there on.
typedef void Part(char *place, char *kept, size_t bytes);

static void keepPart(char *place, char *kept, size_t bytes)
{
    memcpy(kept, place, bytes);
}

static void restorePart(char *place, char *kept, size_t bytes)
{
    memcpy(place, kept, bytes);
}

static svm_Block *blockOf(const svm_Strip *s, int32_t channel)
{
    return (svm_Block *)(void *)((char *)s->instance + s->table->channels) + channel;
}

static inline size_t bytesOf(const svm_Strip *s, const svm_StripItems *items, bool starting)
{
    return (size_t)(starting ? items->starting : items->later) * blockOf(s, items->channel)->elementSize;
}

static inline void eachPart(svm_Strip *s, Part *part)
{
    const svm_StripTable *t = s->table;
    char *kept = s->kept;
    for (size_t i = 0; i < t->stateCount; i++) {
        part((char *)s->instance + t->states[i].offset, kept, t->states[i].bytes);
        kept += t->states[i].bytes;
    }
    for (size_t i = 0; i < t->itemCount; i++) {
        size_t bytes = bytesOf(s, &t->items[i], s->starting);
        part(blockOf(s, t->items[i].channel)->data, kept, bytes);
        kept += bytes;
    }
}

// ---- The log ----

#define LITTLE 4096 // bytes that cost next to nothing

static size_t inputOf(const svm_Strip *s, const svm_StripInput *in, int64_t steady)
{
    return (size_t)(steady * in->step) * blockOf(s, in->channel)->elementSize;
}

static char *firstInput(const svm_Strip *s, const svm_StripInput *in)
{
    const svm_Block *b = blockOf(s, in->channel);
    return b->data + (size_t)in->kept * b->elementSize;
}

// From where on files can be read once more; false: some input is to be kept.
static bool findPlaces(svm_Strip *s)
{
    const svm_StripTable *t = s->table;
    for (size_t i = 0; i < t->inputCount; i++) {
        const svm_Input *in = (const svm_Input *)(const void *)((const char *)s->instance + t->inputs[i].offset);
        if (!svmr_readerPlace(&in->file, &s->places[i]))
            return false;
        s->places[i] -= in->held * (int64_t)in->file.elementSize;
    }
    return true;
}

static bool isFull(const svm_Strip *s)
{
    return s->logged >= (s->placed ? 16 : 2) * s->room;
}

// The run under way; first: it is what the log begins with.
static void logRun(svm_Strip *s, bool first)
{
    const svm_StripTable *t = s->table;
    size_t bytes = sizeof s->steady, input = 0;
    if (first)
        s->placed = findPlaces(s);
    for (size_t i = 0; i < t->inputCount; i++)
        input += inputOf(s, &t->inputs[i], s->steady);
    bytes += s->placed ? 0 : input;
    s->log = svmr_grow(s->log, &s->logRoom, s->logBytes + bytes, 1);
    char *to = s->log + s->logBytes;
    memcpy(to, &s->steady, sizeof s->steady);
    to += sizeof s->steady;
    for (size_t i = 0; i < t->inputCount && !s->placed; i++) {
        const size_t own = inputOf(s, &t->inputs[i], s->steady);
        memcpy(to, firstInput(s, &t->inputs[i]), own);
        to += own;
    }
    s->logBytes += bytes;
    s->logged += input + LITTLE;
}

// The next run of the log, behind so many steady states of others: its input is there. Gives its steady states.
static int64_t readLog(svm_Strip *s, const char **at, int64_t before)
{
    const svm_StripTable *t = s->table;
    int64_t steady;
    memcpy(&steady, *at, sizeof steady);
    *at += sizeof steady;
    for (size_t i = 0; i < t->inputCount; i++) {
        const svm_StripInput *row = &t->inputs[i];
        const svm_Input *in = (const svm_Input *)(const void *)((const char *)s->instance + row->offset);
        svmr_blockLies(blockOf(s, row->channel), NULL);
        if (s->placed) {
            svm_readerReadAt(&in->file, s->places[i], before * row->step, firstInput(s, row), steady * row->step);
            continue;
        }
        memcpy(firstInput(s, row), *at, inputOf(s, row, steady));
        *at += inputOf(s, row, steady);
    }
    return steady;
}

// ---- Strips that do not fail ----

static void keepAll(svm_Strip *s)
{
    if (s->table->keep)
        s->table->keep(s->instance, false);
    else
        eachPart(s, keepPart);
}

static void restoreAll(svm_Strip *s)
{
    if (s->table->keep)
        s->table->keep(s->instance, true);
    else
        eachPart(s, restorePart);
}

static SVMR_COLD void makeRoom(svm_Strip *s)
{
    const svm_StripTable *t = s->table;
    size_t input = 0;
    s->room = 1;
    for (size_t i = 0; i < t->stateCount; i++)
        s->room += t->states[i].bytes;
    for (size_t i = 0; i < t->itemCount; i++) {
        size_t first = bytesOf(s, &t->items[i], true), later = bytesOf(s, &t->items[i], false);
        s->room += first > later ? first : later;
    }
    for (size_t i = 0; i < t->inputCount; i++)
        input += inputOf(s, &t->inputs[i], s->steady);
    s->logs = s->room > LITTLE + input;
    s->kept = svmr_allocate(s->room, 1);
    s->places = svmr_allocate(t->inputCount, sizeof *s->places);
}

void svm_stripBegin(svm_Strip *s, const svm_StripTable *table, void *instance, const int64_t *counts, int64_t steady,
                    bool starting)
{
    if (SVMR_UNLIKELY(svmr_thread.again))
        return;
    s->table = table;
    s->instance = instance;
    s->counts = counts;
    s->steady = steady;
    s->starting = starting;
    svmr_thread.strip = s;
    if (table->keep) { // strips' kernels do
        if (steady == 0 && !starting)
            keepAll(s);
        return;
    }
    if (SVMR_UNLIKELY(!s->kept))
        makeRoom(s);
    if (!s->logs || steady == 0 || s->logBytes == 0 || isFull(s)) {
        eachPart(s, keepPart);
        s->logBytes = s->logged = 0;
    }
    if (s->logs && steady > 0)
        logRun(s, s->logBytes == 0);
}

void svm_stripEnd(svm_Strip *s)
{
    (void)s;
    svmr_thread.strip = NULL;
}

void svm_stripDestroy(svm_Strip *s)
{
    if (svmr_thread.strip == s)
        svmr_thread.strip = NULL;
    free(s->kept);
    free(s->log);
    free(s->places);
    memset(s, 0, sizeof *s);
}

// ---- Runs that may fail ----

static void emptyLogs(const svm_Machine *m)
{
    for (size_t i = 0; i < m->logCount; i++)
        m->logs[i]->len = m->logs[i]->markCount = 0;
}

// False: it has failed, and the thread's message says why.
static bool run(svm_Machine *m, svm_Strip *s, const int64_t *counts, int64_t steady, bool writes)
{
    jmp_buf trap;
    emptyLogs(m);
    svmr_thread.trap = &trap;
    if (setjmp(trap)) {
        svmr_calm(m);
        return false;
    }
    s->table->again(s->instance, counts, steady, s->starting, writes);
    return true;
}

// From what the strip began with.
static bool attempt(svm_Machine *m, svm_Strip *s, const int64_t *counts, int64_t steady, bool writes)
{
    restoreAll(s);
    return run(m, s, counts, steady, writes);
}

// The runs of the log, but for the last one: then all is as that began.
static bool replay(svm_Machine *m, svm_Strip *s)
{
    const char *at = s->log, *end = s->log + s->logBytes;
    int64_t before = 0;
    eachPart(s, restorePart);
    for (int64_t steady = readLog(s, &at, 0); at != end; steady = readLog(s, &at, before)) {
        if (!run(m, s, NULL, steady, false))
            return false;
        before += steady;
    }
    eachPart(s, keepPart);
    return true;
}

// ---- Steady states ----

// The most that do not fail, of which there are fewer than so many.
static int64_t wholeStates(svm_Machine *m, svm_Strip *s, int64_t steady)
{
    int64_t good = 0;
    while (steady - good > 1) {
        int64_t middle = good + (steady - good) / 2;
        if (attempt(m, s, NULL, middle, false))
            good = middle;
        else
            steady = middle;
    }
    return good;
}

// Input of these steady states has been used.
static void moveInput(const svm_Strip *s, int64_t steady)
{
    for (size_t i = 0; i < s->table->inputCount; i++) {
        const svm_StripInput *row = &s->table->inputs[i];
        svm_Input *in = (svm_Input *)(void *)((char *)s->instance + row->offset);
        svm_inputUsed(in, blockOf(s, row->channel), row->kept, steady * row->step);
    }
}

// ---- Firings of a phase in canonical order ----

// The actor that can fire, and comes first, fires as often as it can; then the next.
typedef struct Sequence {
    const svm_StripOrder *order;
    int64_t *limits;      // how often each row fires in the phase
    const int64_t *begin; // items in the channels then; NULL: none
    int32_t *consumer;    // of each channel: its first row
    int64_t *tokens, *fired, *counts;
} Sequence;

static int32_t actorOf(const svm_StripOrder *o, int32_t row)
{
    return o->rows ? o->rows[row] : row;
}

// Of the firings that each actor has in the phase. One whose first firing has other rates has two rows.
static int64_t *limitsOf(const svm_StripOrder *o, const int64_t *counts, bool starting)
{
    const int32_t rows = o->rates->actors;
    int64_t *limits = svmr_allocate((size_t)rows, sizeof *limits);
    for (int32_t i = 0; i < rows; i++) {
        const int64_t all = counts[actorOf(o, i)], first = starting && all > 0;
        const bool isFirst = i + 1 < rows && actorOf(o, i + 1) == actorOf(o, i);
        const bool isLater = i > 0 && actorOf(o, i - 1) == actorOf(o, i);
        limits[i] = isFirst ? first : isLater ? all - first : all;
    }
    return limits;
}

static int32_t *consumersOf(const svm_RateTable *t)
{
    int32_t *consumer = svmr_allocate((size_t)t->channels, sizeof *consumer);
    for (int32_t row = t->actors - 1; row >= 0; row--)
        for (int32_t i = t->inputStart[row]; i < t->inputStart[row + 1]; i++)
            consumer[t->inputs[i].channel] = row;
    return consumer;
}

// The row after one that has fired: the first that may have become able to.
static int32_t nextRow(const Sequence *q, int32_t row)
{
    const svm_RateTable *t = q->order->rates;
    int32_t next = row + 1;
    for (int32_t i = t->outputStart[row]; i < t->outputStart[row + 1]; i++)
        if (q->consumer[t->outputs[i].channel] < next)
            next = q->consumer[t->outputs[i].channel];
    return next;
}

// Of the first so many firings those of each actor; gives how many there are, if not so many.
static int64_t countFirst(Sequence *q, int64_t most)
{
    const svm_RateTable *t = q->order->rates;
    int64_t left = most;
    for (int32_t c = 0; c < t->channels; c++)
        q->tokens[c] = q->begin ? q->begin[c] : 0;
    memset(q->fired, 0, (size_t)t->actors * sizeof *q->fired);
    memset(q->counts, 0, (size_t)q->order->actors * sizeof *q->counts);
    for (int32_t row = 0; row < t->actors && left > 0;) {
        int64_t n = svmr_rateAllows(t, row, q->tokens), rest = q->limits[row] - q->fired[row];
        n = n < 0 || n > rest ? rest : n;
        n = n > left ? left : n;
        if (n <= 0) {
            row++;
            continue;
        }
        svmr_rateFire(t, row, n, q->tokens);
        q->fired[row] += n;
        q->counts[actorOf(q->order, row)] += n;
        left -= n;
        row = nextRow(q, row);
    }
    return most - left;
}

// ---- Texts ----

// What an actor had printed in two runs: of one firing more, which failed, and of those before it. A run that fails goes
// no further, so the text of an actor that others come before may be shorter in it.
static svm_Log *takeTexts(const svm_Machine *m)
{
    svm_Log *texts = svmr_allocate(m->logCount, sizeof *texts);
    for (size_t i = 0; i < m->logCount; i++) {
        texts[i].len = m->logs[i]->len;
        texts[i].text = svmr_allocate(texts[i].len, 1);
        memcpy(texts[i].text, m->logs[i]->text, texts[i].len);
    }
    return texts;
}

static void addTexts(const svm_Machine *m, svm_Log *texts, size_t count)
{
    for (size_t i = 0; i < count && i < m->logCount; i++) {
        svm_Log *l = m->logs[i];
        if (texts[i].len > l->len)
            svm_printBytes(l, texts[i].text + l->len, texts[i].len - l->len);
        free(texts[i].text);
    }
    free(texts);
}

// ---- The strip ----

// A phase of which one firing fails.
static void partOfPhase(svm_Machine *m, svm_Strip *s, const int64_t *counts)
{
    const svm_StripOrder *o = s->table->order;
    Sequence q = {o,
                  limitsOf(o, counts, s->starting),
                  s->starting ? o->enqueued : o->kept,
                  consumersOf(o->rates),
                  svmr_allocate((size_t)o->rates->channels, sizeof *q.tokens),
                  svmr_allocate((size_t)o->rates->actors, sizeof *q.fired),
                  svmr_allocate((size_t)o->actors, sizeof *q.counts)};
    int64_t good = 0, bad = countFirst(&q, INT64_MAX);
    while (bad - good > 1) {
        const int64_t middle = good + (bad - good) / 2;
        countFirst(&q, middle);
        if (attempt(m, s, q.counts, 0, false))
            good = middle;
        else
            bad = middle;
    }
    countFirst(&q, bad);
    const bool fails = !attempt(m, s, q.counts, 0, false);
    const size_t logs = m->logCount;
    svm_Log *texts = takeTexts(m);
    char *message = svmr_thread.message;
    svmr_thread.message = NULL;
    countFirst(&q, good);
    svmr_thread.holdsPrints = true; // until what the last firing printed is there
    const bool written = good == 0 || attempt(m, s, q.counts, 0, true);
    if (good == 0)
        emptyLogs(m);
    svmr_thread.holdsPrints = false;
    addTexts(m, texts, logs);
    if (written && fails) {
        free(svmr_thread.message);
        svmr_thread.message = message;
    } else {
        free(message);
    }
    free(q.limits);
    free(q.consumer);
    free(q.tokens);
    free(q.fired);
    free(q.counts);
}

// Steady states, of which one fails.
static void partOfStrip(svm_Machine *m, svm_Strip *s)
{
    const svm_StripOrder *o = s->table->order;
    const int64_t whole = wholeStates(m, s, s->steady);
    if (whole > 0) {
        if (!attempt(m, s, NULL, whole, true))
            return; // what it gave cannot be written
        moveInput(s, whole);
        keepAll(s);
    }
    if (o)
        partOfPhase(m, s, o->steady);
    else
        (void)attempt(m, s, NULL, 1, false); // for the error
}

// The next steady states of those under way; 0 also if what comes before them cannot be written.
static int64_t nextStates(svm_Machine *m, svm_Strip *s)
{
    jmp_buf trap;
    svmr_thread.trap = &trap;
    if (setjmp(trap)) {
        svmr_calm(m);
        return 0;
    }
    return s->table->next(s->instance);
}

// Those under way on several processors: some come before those of which one fails.
static void partOfRounds(svm_Machine *m, svm_Strip *s)
{
    while ((s->steady = nextStates(m, s)) > 0) {
        keepAll(s);
        if (!run(m, s, NULL, s->steady, true)) {
            partOfStrip(m, s);
            return;
        }
    }
}

void svmr_stripAgain(svm_Machine *m)
{
    svmr_Thread *t = &svmr_thread;
    svm_Strip *s = t->strip;
    jmp_buf *trap = t->trap;
    char *message = t->message;
    t->strip = NULL;
    t->message = NULL;
    if (svmr_calm(m)) {
        t->again = true;
        if (s->steady > 0 && s->table->next)
            partOfRounds(m, s);
        else if (s->steady > 0 && s->logs && !replay(m, s))
            ; // never: they did not fail before
        else if (s->steady > 0)
            partOfStrip(m, s);
        else if (s->table->order)
            partOfPhase(m, s, s->counts);
        t->again = false;
        if (!s->table->order)
            emptyLogs(m);
    }
    t->trap = trap;
    if (t->message)
        free(message);
    else
        t->message = message;
}
