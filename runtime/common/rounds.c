// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs programs in rounds: the initialisation and the end of input part after part, rounds in between.
#include <stdlib.h>

#include "runtime/common/rounds_stream.h"

static void mergeLogs(svm_Rounds *r)
{
    if (r->table->logs != 0)
        svm_printMerge(r->logs, (size_t)r->table->logs);
}

// Of a ring that goes to a file: `count` items from the segment's item `first` on are there, and `taken` more are written.
static void writeItems(svm_Rounds *r, int32_t number, int32_t set, int64_t first, int64_t count, int64_t taken)
{
    const svm_RingRow *ring = &r->table->ringRows[number];
    svmr_Lag *lag = &r->private_->lags[number];
    svm_Writer *writer = &r->writers[ring->file];
    const char *items = svmr_ringItem(r, number, set, first);
    int64_t old = taken < lag->count ? taken : lag->count, new = taken - old, left = count - new;
    if (old > 0)
        svm_writerWrite(writer, lag->items, old);
    if (new > 0)
        svm_writerWrite(writer, items, new);
    lag->count -= old;
    if (old > 0 && lag->count > 0)
        memmove(lag->items, lag->items + (size_t)old * ring->itemSize, (size_t)lag->count * ring->itemSize);
    if (left > 0 && lag->count + left <= ring->ahead) { // else it is the end
        memcpy(lag->items + (size_t)lag->count * ring->itemSize, items + (size_t)new * ring->itemSize,
               (size_t)left * ring->itemSize);
        lag->count += left;
    }
}

// ---- The initialisation ----

// Before the first round its set is free; the items of the initialisation lie in the last set's segments.
static int32_t initSet(const svm_Rounds *r)
{
    return r->table->sets - 1;
}

static bool readInit(svm_Rounds *r)
{
    const svm_RoundsTable *t = r->table;
    for (int32_t i = 0; i < t->rings; i++) {
        const svm_RingRow *ring = &t->ringRows[i];
        if (ring->from >= 0 || ring->init == 0)
            continue;
        svm_RoundsReader *reader = &r->readers[ring->file];
        reader->held = svm_readerRead(&reader->file, svmr_ringItem(r, i, initSet(r), 0), ring->init);
        r->ended |= reader->held < ring->init;
    }
    for (int32_t i = 0; i < t->rings && !r->ended; i++)
        if (t->ringRows[i].from < 0 && t->ringRows[i].init != 0)
            r->readers[t->ringRows[i].file].held = 0;
    return !r->ended;
}

static void phase(svm_Rounds *r, int32_t set, int64_t at, const int64_t *counts, bool starting)
{
    const svm_RoundsTable *t = r->table;
    svmr_flowPhase(r, set, at, counts, starting);
    for (int32_t i = 0; i < t->rings; i++)
        if (t->ringRows[i].to < 0)
            writeItems(r, i, set, 0, svmr_made(&t->ringRows[i], counts, starting), counts[t->ringRows[i].taker]);
    mergeLogs(r);
}

bool svm_roundsStart(svm_Rounds *r)
{
    const svm_RoundsTable *t = r->table;
    if (!readInit(r))
        return false;
    phase(r, initSet(r), 0, t->init, true);
    for (int32_t i = 0; i < t->rings; i++) {
        const svm_RingRow *ring = &t->ringRows[i];
        int64_t count = ring->init < ring->front ? ring->init : ring->front;
        if (!svmr_isStraight(t, ring))
            memmove(svmr_ringItem(r, i, 0, ring->front - count), svmr_ringItem(r, i, initSet(r), ring->init - count),
                    (size_t)count * ring->itemSize);
    }
    for (int32_t i = 0; i < t->parts; i++)
        r->private_->parts[i].reached[r->private_->parts[i].last] = 0;
    r->private_->fronts = true;
    r->started = true;
    return true;
}

// ---- Rounds ----

// Waits for the round that uses a set, and writes what it gave.
static void finishSet(svm_Rounds *r, int32_t set)
{
    const svm_RoundsTable *t = r->table;
    svmr_RoundsSet *s = &r->private_->sets[set];
    if (s->steady == 0)
        return;
    svm_kernelWaitMultiple(s->count, s->issued);
    for (int32_t i = 0; i < t->rings; i++)
        if (t->ringRows[i].to < 0)
            writeItems(r, i, set, 0, s->steady * t->ringRows[i].step, s->steady * t->ringRows[i].step);
    s->steady = 0;
    s->count = 0;
}

// All rounds that are under way, oldest first.
static void finishAll(svm_Rounds *r)
{
    for (int32_t i = 0; i < r->table->sets; i++)
        finishSet(r, (int32_t)((r->private_->round + i) % r->table->sets));
    mergeLogs(r);
}

// What a segment's round of `steady` steady states leaves to the next.
static void copyFront(svm_Rounds *r, int32_t ring, int32_t set, int64_t steady)
{
    const svm_RingRow *row = &r->table->ringRows[ring];
    int32_t next = (set + 1) % r->table->sets;
    if (row->front != 0 && row->step != 0 && !svmr_isStraight(r->table, row))
        memcpy(svmr_ringItem(r, ring, next, 0), svmr_ringItem(r, ring, set, steady * row->step),
               (size_t)row->front * row->itemSize);
}

// Reads for up to `wanted` steady states; gives for how many there is input.
static int64_t readRound(svm_Rounds *r, int32_t set, int64_t wanted)
{
    const svm_RoundsTable *t = r->table;
    int64_t complete = wanted, whole = t->strips * t->strip;
    for (int32_t i = 0; i < t->rings; i++) {
        const svm_RingRow *ring = &t->ringRows[i];
        if (ring->from >= 0 || ring->step == 0)
            continue;
        svm_RoundsReader *reader = &r->readers[ring->file];
        if (!r->private_->fronts)
            copyFront(r, i, (set + t->sets - 1) % t->sets, whole);
        reader->held += svm_readerRead(&reader->file, svmr_ringItem(r, i, set, ring->front + reader->held),
                                       wanted * ring->step - reader->held);
        if (reader->held / ring->step < complete)
            complete = reader->held / ring->step;
    }
    for (int32_t i = 0; i < t->rings; i++)
        if (t->ringRows[i].from < 0)
            r->readers[t->ringRows[i].file].held -= complete * t->ringRows[i].step;
    r->private_->fronts = false;
    return complete;
}

static int64_t stripOf(const svm_RoundsTable *t, int32_t strip, int64_t steady)
{
    int64_t left = steady - strip * t->strip;
    return left < 0 ? 0 : left < t->strip ? left : t->strip;
}

// Whether some cold run of the round would begin before the program does.
static bool tooEarly(const svm_Rounds *r, int64_t steady)
{
    const svm_RoundsTable *t = r->table;
    for (int32_t i = 0; i < t->parts; i++) {
        const svmr_PartState *state = &r->private_->parts[i];
        int64_t at = r->steadyStates;
        int32_t last = state->last;
        for (int32_t k = 0; k < t->strips && stripOf(t, k, steady) != 0; k++, at += t->strip) {
            int32_t q = t->where[i * t->strips + k];
            if (q != last && state->reached[q] != at && at < t->partRows[i].lead)
                return true;
            last = q;
        }
    }
    return false;
}

// One round of up to `wanted` steady states; gives how many there was input for.
static int64_t doRound(svm_Rounds *r, int64_t wanted)
{
    const svm_RoundsTable *t = r->table;
    struct svm_RoundsPrivate *p = r->private_;
    int32_t set = (int32_t)(p->round % t->sets);
    int64_t whole = t->strips * t->strip;
    finishSet(r, set);
    int64_t steady = readRound(r, set, wanted);
    bool serial = steady > 0 && tooEarly(r, steady);
    if (serial)
        finishAll(r);
    if (steady > 0)
        svmr_flowRound(r, set, steady, serial);
    r->steadyStates += steady;
    if (steady < whole || serial || t->logs != 0 || t->rounds < 2) {
        p->round++; // the oldest is the next one's
        finishAll(r);
        p->round--;
    }
    if (steady == wanted) {
        for (int32_t i = 0; i < t->rings && (steady < whole || serial); i++)
            copyFront(r, i, set, steady);
        p->fronts = steady < whole || serial;
        p->round++;
    }
    return steady;
}

int svm_roundsRun(svm_Rounds *r)
{
    const svm_RoundsTable *t = r->table;
    int64_t iterations = r->iterations;
    if (r->ended || (!r->started && !svm_roundsStart(r)))
        return 0;
    while (iterations > 0) {
        int64_t wanted = iterations < t->strips * t->strip ? iterations : t->strips * t->strip;
        int64_t steady = doRound(r, wanted);
        if (steady < wanted) {
            r->iterations = steady; // where in the round the end comes
            r->ended = true;
            return 0;
        }
        iterations -= steady;
    }
    finishAll(r);
    return 1;
}

void svm_roundsDrain(svm_Rounds *r, const int64_t *counts, bool starting)
{
    int32_t set = starting ? initSet(r) : (int32_t)(r->private_->round % r->table->sets);
    phase(r, set, starting ? 0 : r->iterations, counts, starting);
}
