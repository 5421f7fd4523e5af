// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Static regions: which firings their inputs allow, and the copies between streams and blocks.
//
// NOTE(end of input). A static region runs in whole steady states until an input has ended and has not enough for another, or
// until the program's input has ended and its own sources are to stop. Then it takes what its other inputs still bring,
// as far as some actor can use it, fires what that allows, once, and ends its outputs.
#include <stdlib.h>

#include "runtime/common/program_messages.h"

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

// ---- Copies ----

static svmr_Place placeOf(void)
{
    return (svmr_Place){"svm_regionNext", NULL, 0};
}

static char *element(const svm_Block *b, int64_t index)
{
    return b->data + (size_t)index * b->elementSize;
}

// Up to `wanted` items, at least one; 0: the stream has ended.
static int64_t take(svm_Stream *s, char *to, int64_t wanted)
{
    svmr_Kernel *p = svmr_thread.current;
    svmr_consumes(s, p, placeOf());
    svmr_awaitItems(s, 1, NULL);
    int64_t taken = 0;
    for (size_t n; taken < wanted && (n = svmr_frontPiece(s, (size_t)(wanted - taken))) != 0; taken += (int64_t)n) {
        svmr_onStream(p, s, SVMR_CALL_POP, n);
        memcpy(to + (size_t)taken * s->elementSize, s->data + s->front, n * s->elementSize);
        svmr_onStream(p, s, SVMR_CALL_POPPED, n);
        svmr_popped(s, n);
    }
    return taken;
}

static void give(svm_Stream *s, const char *from, int64_t count)
{
    svmr_Kernel *p = svmr_thread.current;
    svmr_produces(s, p, placeOf());
    for (int64_t given = 0; given < count;) {
        if (svmr_room(s) == 0)
            svmr_awaitRoom(s, 1, placeOf());
        size_t n = svmr_backPiece(s, (size_t)(count - given));
        svmr_onStream(p, s, SVMR_CALL_PUSH, n);
        memcpy(s->data + s->back, from + (size_t)given * s->elementSize, n * s->elementSize);
        svmr_onStream(p, s, SVMR_CALL_PUSHED, n);
        svmr_pushed(s, n);
        given += (int64_t)n;
    }
}

// Where input i's next item goes in its block.
static int64_t placeNext(const svm_StaticRegion *s, int32_t i)
{
    const svm_RegionEnd *in = &s->table->in[i];
    return (s->started ? in->start : in->initStart) + s->held[i];
}

// Input i's block shall hold `wanted` items that no run has begun with; false: the stream ended before.
static bool fill(svm_StaticRegion *s, int32_t i, int64_t wanted, int64_t most)
{
    while (s->held[i] < wanted) {
        int64_t got = take(&s->in[i]->stream, element(s->inBlocks[i], placeNext(s, i)), most - s->held[i]);
        if (got == 0)
            return false;
        s->held[i] += got;
    }
    return true;
}

// ---- Whole steady states ----

static void setFirings(svm_StaticRegion *s, const int64_t *each, int64_t times)
{
    for (int32_t a = 0; a < s->table->actors; a++)
        s->firings[a] = each[a] * times;
}

static bool firesAtFirst(const svm_RegionTable *t)
{
    for (int32_t a = 0; a < t->actors; a++)
        if (t->init[a] != 0)
            return true;
    return false;
}

// After the initialisation the inputs lack what the first steady state needs beside its own items.
static void beginSteady(svm_StaticRegion *s)
{
    const svm_RegionTable *t = s->table;
    for (int32_t i = 0; i < t->inputs; i++)
        s->held[i] -= t->in[i].init + t->in[i].kept;
    s->started = true;
}

typedef enum Ready { READY, ENDED, NOTHING } Ready;

static Ready readyToStart(svm_StaticRegion *s)
{
    const svm_RegionTable *t = s->table;
    for (int32_t i = 0; i < t->inputs; i++)
        if (!fill(s, i, t->in[i].needed, t->in[i].needed))
            return ENDED;
    if (!firesAtFirst(t)) {
        beginSteady(s);
        return NOTHING;
    }
    if (s->common.mail) // its prework
        svmr_cutAtMail(s->common.mail, svmr_awaitMail(s->common.mail, 1));
    s->starting = true;
    s->steady = 0;
    setFirings(s, t->init, 1);
    return READY;
}

static Ready readyToGoOn(svm_StaticRegion *s)
{
    const svm_RegionTable *t = s->table;
    int64_t n = s->common.left >= 0 ? least(s->common.left, t->strip) : t->strip;
    bool limited = s->common.left >= 0;
    if (s->common.mail)
        n = svmr_awaitMail(s->common.mail, n);
    for (int32_t i = 0; i < t->inputs; i++) {
        int64_t each = t->in[i].steady;
        if (each == 0)
            continue;
        limited = true;
        int64_t spare = t->spare ? t->spare[i] : 0;
        if (!fill(s, i, each - spare, n * each))
            return ENDED;
        n = least(n, (s->held[i] + spare) / each);
    }
    if (!limited) // nothing that fires in steady states waits for anything
        return ENDED;
    if (s->common.mail)
        n = svmr_cutAtMail(s->common.mail, n);
    if (s->unit > 0 && n >= s->least) // the rest stays where it is until the next run
        n -= n % s->unit;
    s->starting = false;
    s->steady = n;
    setFirings(s, t->reps, n);
    if (s->common.left > 0)
        s->common.left -= n;
    return READY;
}

// ---- The end of input ----

static int64_t available(const svm_StaticRegion *s, int32_t i)
{
    return s->held[i] + (s->started ? s->table->in[i].kept : 0);
}

// Most firings of an actor that input limits: as many as the steady states that are left say, if input has not ended.
static int64_t mostFirings(const svm_StaticRegion *s, int32_t row)
{
    const svm_RegionTable *t = s->table;
    if (s->common.left < 0)
        return -1;
    int32_t a = t->rows ? t->rows[row] : row;
    bool second = row > 0 && t->rows && t->rows[row - 1] == a; // the first firing is the row before
    int64_t first = s->started || t->init[a] == 0 ? 0 : t->init[a] - second;
    return first + s->common.left * t->reps[a];
}

// What fires with so many items in each input, and with `more` of those that have not ended.
static void exhaust(svm_StaticRegion *s, const int64_t *more)
{
    const svm_RegionTable *t = s->table;
    const svm_RateTable *r = t->rates;
    const int64_t *tokens = s->started ? t->between : t->enqueued, *limits = s->started ? t->limits : t->initLimits;
    for (int32_t c = 0; c < r->channels; c++)
        s->tokens[c] = tokens ? tokens[c] : 0;
    for (int32_t i = 0; i < t->inputs; i++)
        s->tokens[t->in[i].channel] = available(s, i) + (more && !s->inputEnded[i] ? more[i] : 0);
    // The steady state of the program that sources finish is several of the static region's.
    int64_t phase = !s->interrupted ? 1 : !s->begun ? 0 : s->started ? s->common.steady : 1;
    for (int32_t row = 0; row < r->actors; row++) // -1: as its input allows; otherwise sources and first firings
        s->limits[row] = limits[row] > 0 ? limits[row] * phase : limits[row] < 0 ? mostFirings(s, row) : 0;
    svm_exhaust(r, s->tokens, s->limits, s->fired);
    for (int32_t a = 0; a < t->actors; a++)
        s->firings[a] = 0;
    for (int32_t row = 0; row < r->actors; row++)
        s->firings[t->rows ? t->rows[row] : row] += s->fired[row];
}

// Items that input i must have for those firings, with what the last one looks at.
static int64_t neededBy(const svm_StaticRegion *s, int32_t i)
{
    const svm_RateTable *r = s->table->rates;
    int32_t channel = s->table->in[i].channel;
    int64_t popped = 0, window = 0;
    for (int32_t row = 0; row < r->actors; row++)
        for (int32_t p = r->inputStart[row]; p < r->inputStart[row + 1]; p++) {
            const svm_Port *port = &r->inputs[p];
            if (port->channel != channel || s->fired[row] == 0)
                continue;
            popped += s->fired[row] * port->pop; // no more than there were, or may come
            int64_t beyond = (int64_t)port->peek - port->pop;
            window = beyond > window ? beyond : window;
        }
    return popped + window;
}

// The block has room for so many items more; otherwise the control program makes it.
static bool haveRoom(svm_StaticRegion *s, int32_t i, int64_t items)
{
    const svm_RegionEnd *in = &s->table->in[i];
    int64_t more = items + placeNext(s, i), steady = in->steady > 0 ? in->steady : 1;
    if (more <= (int64_t)s->inBlocks[i]->capacity)
        return true;
    s->common.grow = (more + steady - 1) / steady;
    return false;
}

static bool haveRoomForFirings(svm_StaticRegion *s)
{
    const svm_RegionTable *t = s->table;
    int64_t states = 0;
    for (int32_t a = 0; a < t->actors; a++) {
        int64_t room = s->started ? t->room[a] : t->initRoom[a], reps = t->reps[a] > 0 ? t->reps[a] : 1;
        if (s->firings[a] > room && (s->firings[a] + reps - 1) / reps > states)
            states = (s->firings[a] + reps - 1) / reps;
    }
    if (states <= s->grown)
        return true;
    s->common.grow = states;
    return false;
}

// What can still fire; false: the blocks must grow first. Other inputs are read as far as it matters.
static bool readyToEnd(svm_StaticRegion *s)
{
    const svm_RegionTable *t = s->table;
    for (bool waits = true; waits;) {
        waits = false;
        for (int32_t i = 0; i < t->inputs; i++)
            s->more[i] = available(s, i) + t->in[i].steady * t->strip + t->in[i].needed + 1;
        exhaust(s, s->more);
        for (int32_t i = 0; i < t->inputs && !waits; i++) {
            int64_t wanted = neededBy(s, i) - available(s, i);
            if (s->inputEnded[i] || wanted <= 0)
                continue;
            waits = true;
            if (!haveRoom(s, i, wanted))
                return false;
            int64_t got = take(&s->in[i]->stream, element(s->inBlocks[i], placeNext(s, i)), wanted);
            s->inputEnded[i] = got == 0;
            s->held[i] += got;
        }
    }
    exhaust(s, NULL);
    if (!haveRoomForFirings(s))
        return false;
    if (s->common.mail) // all that it could fire it has fired
        s->common.mail->open = false;
    s->last = true;
    s->starting = !s->started;
    s->steady = 0;
    return true;
}

// ---- Runs ----

void svm_regionSend(svm_StaticRegion *s)
{
    const svm_RegionTable *t = s->table;
    if (s->common.sender)
        svmr_tellFirings(s->common.sender);
    for (int32_t i = 0; i < t->outputs; i++) {
        const svm_RegionEnd *out = &t->out[i];
        int64_t count = s->last ? s->tokens[out->channel] : s->starting ? out->init : out->steady * s->steady;
        give(&s->out[i]->stream, element(s->outBlocks[i], s->starting ? out->initStart : out->start), count);
    }
}

// The run is over: what its inputs held behind what it used moves up.
static void finishRun(svm_StaticRegion *s)
{
    const svm_RegionTable *t = s->table;
    s->running = s->offloaded = false;
    if (s->last)
        return;
    if (s->common.mail)
        s->common.mail->completed += s->starting ? 1 : s->steady;
    if (s->starting) {
        beginSteady(s);
        return;
    }
    for (int32_t i = 0; i < t->inputs; i++) {
        int64_t used = t->in[i].steady * s->steady;
        s->held[i] -= used;
        const svm_Block *b = s->inBlocks[i];
        if (used != 0 && s->held[i] > 0)
            memmove(element(b, t->in[i].start), element(b, t->in[i].start + used), (size_t)s->held[i] * b->elementSize);
    }
}

static void endOutputs(svm_StaticRegion *s)
{
    s->common.ended = true;
    if (s->common.sender)
        svmr_endFirings(s->common.sender);
    for (int32_t i = 0; i < s->table->outputs; i++) {
        svmr_produces(&s->out[i]->stream, svmr_thread.current, placeOf());
        svm_streamEnd(&s->out[i]->stream);
    }
    for (int32_t h = 0; h < s->helpers; h++)
        svm_streamEnd(&s->help[h]->chunks);
}

// ---- Helpers ----

void svm_regionShare(svm_StaticRegion *s)
{
    int64_t chunks = least(s->steady / s->least, s->helpers + 1);
    s->share = s->steady;
    s->busy = 0;
    if (chunks < 2) // or the initialisation, or the end of input
        return;
    for (int64_t c = 1; c < chunks; c++) {
        svm_Chunk chunk = {.first = s->steady * c / chunks};
        chunk.count = s->steady * (c + 1) / chunks - chunk.first;
        svm_streamPush(&s->help[c - 1]->chunks, &chunk);
        s->busy++;
    }
    s->share = s->steady / chunks;
    setFirings(s, s->table->reps, s->share);
}

void svm_regionGather(svm_StaticRegion *s)
{
    for (int32_t h = 0; h < s->busy; h++) {
        svm_Chunk done;
        svm_streamPop(&s->help[h]->done, &done);
    }
    if (s->busy != 0)
        setFirings(s, s->table->reps, s->steady);
}

static bool isEnd(const svm_StaticRegion *s, const svm_Block *b)
{
    bool is = false;
    for (int32_t i = 0; i < s->table->inputs; i++)
        is |= s->inBlocks[i] == b;
    for (int32_t i = 0; i < s->table->outputs; i++)
        is |= s->outBlocks[i] == b;
    return is;
}

bool svm_helperNext(svm_Helper *h)
{
    if (svm_streamEnded(&h->chunks))
        return false;
    svm_Chunk chunk;
    svm_streamPop(&h->chunks, &chunk);
    const svm_StaticRegion *of = h->of;
    for (int32_t i = 0; i < of->table->blocks; i++) {
        svm_Block *own = h->region->blocks[i];
        if (!isEnd(of, of->blocks[i]))
            continue;
        size_t before = (size_t)(chunk.first * of->table->blockRows[i].step);
        *own = *of->blocks[i]; // the control program may have made it larger
        own->data += before * own->elementSize;
        own->address += before * own->elementSize;
        own->capacity -= before;
        own->check = svmr_blockCheck(own);
    }
    h->region->starting = false;
    h->region->steady = h->region->share = chunk.count;
    setFirings(h->region, of->table->reps, chunk.count);
    return true;
}

void svm_helperDone(svm_Helper *h)
{
    svm_Chunk chunk = {.count = h->region->steady};
    svm_streamPush(&h->done, &chunk);
}

// ---- Offloaded regions ----

bool svm_regionOffload(svm_StaticRegion *s)
{
    s->asks = s->unit > 0 && !s->offloaded && s->steady >= s->least; // not the initialisation, nor the end of input
    return s->asks;
}

bool svm_regionNext(svm_StaticRegion *s)
{
    if (s->asks) { // it is run again behind those who have done its run
        s->asks = false;
        s->offloaded = true;
        return true;
    }
    if (s->running)
        finishRun(s);
    while (!s->common.ended) {
        if (s->last || (s->started && s->common.left == 0 && s->common.finish)) {
            endOutputs(s);
            break;
        }
        if (!s->ending) {
            bool stops = s->interrupted && s->table->sources;
            if (s->started && s->common.left == 0)
                break;
            Ready ready = stops ? ENDED : s->started ? readyToGoOn(s) : readyToStart(s);
            if (ready == NOTHING)
                continue;
            s->running = ready == READY;
            s->ending = ready == ENDED;
            if (s->running)
                return true;
        }
        s->running = readyToEnd(s);
        return s->running;
    }
    return false;
}
