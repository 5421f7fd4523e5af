// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs programs in rounds: the initialisation and the end of input part after part, rounds in between.
#include <stdlib.h>

#include "runtime/common/rounds_stream.h"

// ---- A run ----

typedef struct Work {
    bool starting, cold;
    int64_t steady;        // steady states; 0: counts
    const int64_t *counts; // firings of each actor
} Work;

static void tell(const svm_Rounds *r, const svmr_RoundsRun *run, const Work *work)
{
    const svm_RoundsTable *t = r->table;
    const svm_PartRow *part = &t->partRows[run->part];
    char *k = (char *)run->kernel;
    ptrdiff_t *firings = (ptrdiff_t *)(void *)(k + part->firings);
    *(bool *)(void *)(k + part->starting) = work->starting;
    *(bool *)(void *)(k + part->cold) = work->cold;
    *(ptrdiff_t *)(void *)(k + part->steady) = work->steady == 0 ? 0 : work->steady + (work->cold ? part->lead : 0);
    for (int32_t i = 0; i < part->actorCount; i++) {
        int64_t times = work->steady + (work->cold ? part->warm[i] : 0);
        firings[i] = work->counts ? work->counts[part->actors[i]] : t->steadily[part->actors[i]] * times;
    }
}

static svm_Block **tailsOf(const svm_Rounds *r, const svmr_RoundsRun *run)
{
    return (svm_Block **)(void *)((char *)run->kernel + r->table->partRows[run->part].tails);
}

// ---- One run after another: the initialisation, the end, and rounds too early for cold runs ----

static void runAndWait(svm_Kernel *k)
{
    svm_kernelRun(k);
    svm_kernelWait(k);
}

// at: steady states of the round before this run's.
static void placeSerial(svm_Rounds *r, svmr_RoundsRun *run, svmr_Window *w, int32_t set, int64_t at, const Work *work)
{
    const svm_RingRow *ring = w->ring;
    int64_t items = work->counts ? svmr_made(ring, work->counts, work->starting) : work->steady * ring->step;
    if (work->starting)
        svmr_placeWindow(r, run, w, set, 0, items);
    else if (w->row->kind == SVM_PART_INPUT)
        svmr_placeWindow(r, run, w, set, ring->front + at * ring->step - ring->ahead, ring->ahead + items);
    else
        svmr_placeWindow(r, run, w, set, ring->front + at * ring->step, items);
}

// An engine writes whole units; the first may begin with items of an earlier run.
static void storeSerial(svm_Rounds *r, svmr_Window *w, int32_t set)
{
    const svm_RoundsTable *t = r->table;
    size_t offset = (size_t)(w->items.data - w->here.data);
    if (offset == 0 || t->alignment == 1) {
        runAndWait(&w->move.kernel);
        return;
    }
    const svm_Block *segment = &r->private_->segments[w->ringNumber * t->sets + set];
    char *at = segment->data + (w->there.address - segment->address), keep[256];
    char *before = offset <= sizeof keep ? keep : svmr_allocate(offset, 1);
    memcpy(before, at, offset);
    runAndWait(&w->move.kernel);
    memcpy(at, before, offset);
    if (before != keep)
        free(before);
}

static void runSerial(svm_Rounds *r, int32_t part, int32_t set, int64_t at, const Work *work)
{
    const svm_RoundsTable *t = r->table;
    svmr_PartState *state = &r->private_->parts[part];
    int32_t strip = 0, outputs = 0;
    while (t->where[part * t->strips + strip] != state->last)
        strip++;
    svmr_RoundsRun *run = svmr_runOf(r, part, 0, strip);
    tell(r, run, work);
    for (int32_t i = 0; i < state->windows; i++) {
        svmr_Window *w = &run->windows[i];
        placeSerial(r, run, w, set, at, work);
        if (w->row->kind == SVM_PART_OUTPUT)
            tailsOf(r, run)[outputs++] = NULL;
        else if (svmr_movesWindows(r, run) && w->moves)
            runAndWait(&w->move.kernel);
    }
    runAndWait(run->kernel);
    for (int32_t i = 0; i < state->windows; i++)
        if (run->windows[i].row->kind == SVM_PART_OUTPUT && svmr_movesWindows(r, run) && run->windows[i].moves)
            storeSerial(r, &run->windows[i], set);
}

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
    svmr_takeBack(r, number);
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

static void phase(svm_Rounds *r, int32_t set, int64_t at, const Work *work)
{
    const svm_RoundsTable *t = r->table;
    bool flows = t->transfer != SVM_ROUNDS_BLOCKS;
    if (flows)
        svmr_flowPhase(r, set, at, work->counts, work->starting);
    for (int32_t i = 0; i < t->parts && !flows; i++)
        runSerial(r, i, set, at, work);
    for (int32_t i = 0; i < t->rings; i++)
        if (t->ringRows[i].to < 0)
            writeItems(r, i, set, work->starting || flows ? 0 : at * t->ringRows[i].step,
                       svmr_made(&t->ringRows[i], work->counts, work->starting), work->counts[t->ringRows[i].taker]);
    mergeLogs(r);
}

bool svm_roundsStart(svm_Rounds *r)
{
    const svm_RoundsTable *t = r->table;
    if (!readInit(r))
        return false;
    const Work work = {.starting = true, .counts = t->init};
    phase(r, initSet(r), 0, &work);
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
        if (!svmr_dropClaim(r, i, set) && t->ringRows[i].to < 0)
            writeItems(r, i, set, 0, s->steady * t->ringRows[i].step, s->steady * t->ringRows[i].step);
    s->steady = 0;
    s->count = 0;
}

// All rounds that are under way, oldest first.
static void finishAll(svm_Rounds *r)
{
    for (int32_t i = 0; i < r->table->sets; i++)
        finishSet(r, (int32_t)((r->private_->round + i) % r->table->sets));
    for (int32_t i = 0; i < r->table->rings; i++)
        svmr_takeBack(r, i);
    mergeLogs(r);
}

// What a segment's round of `steady` steady states leaves to the next.
static void copyFront(svm_Rounds *r, int32_t ring, int32_t set, int64_t steady)
{
    const svm_RingRow *row = &r->table->ringRows[ring];
    int32_t next = (set + 1) % r->table->sets;
    if (row->front != 0 && row->step != 0 && !svmr_isStraight(r->table, row) &&
        !svmr_readFront(r, ring, set, steady))
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
        if (svmr_claimInput(r, i, set, wanted)) {
            reader->held = wanted * ring->step;
        } else {
            if (!r->private_->fronts)
                copyFront(r, i, (set + t->sets - 1) % t->sets, whole);
            reader->held += svm_readerRead(&reader->file, svmr_ringItem(r, i, set, ring->front + reader->held),
                                           wanted * ring->step - reader->held);
        }
        if (reader->held / ring->step < complete)
            complete = reader->held / ring->step;
    }
    if (complete < wanted)
        svmr_readClaims(r, set, wanted);
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

static void issue(svmr_RoundsSet *s, svm_Kernel *k)
{
    svm_kernelRun(k);
    s->issued[s->count++] = k;
}

// count: steady states of its strip; last: of the round's strips; whole: so is the round.
static void issueRun(svm_Rounds *r, svmr_RoundsRun *run, int64_t count, bool last, bool whole)
{
    const svm_RoundsTable *t = r->table;
    svmr_PartState *state = &r->private_->parts[run->part];
    svmr_RoundsSet *set = &r->private_->sets[run->set];
    int64_t before = run->strip * t->strip, at = r->steadyStates + before;
    Work work = {.cold = state->reached[run->processor] != at, .steady = count};
    int64_t lead = work.cold ? t->partRows[run->part].lead : 0;
    bool moves = svmr_movesWindows(r, run);
    int32_t outputs = 0;
    tell(r, run, &work);
    for (int32_t i = 0; i < state->windows; i++) {
        svmr_Window *w = &run->windows[i];
        const svm_RingRow *ring = w->ring;
        int64_t first = ring->front + before * ring->step;
        if (w->row->kind == SVM_PART_INPUT) {
            svmr_placeWindow(r, run, w, run->set, first - ring->ahead - lead * ring->step,
                             (count + lead) * ring->step + ring->ahead);
            if (moves)
                issue(set, &w->move.kernel);
        } else {
            svmr_placeWindow(r, run, w, run->set, first, count * ring->step);
            tailsOf(r, run)[outputs++] = whole && w->hasTail && !moves ? &w->tailThere : NULL;
        }
    }
    if (!run->chunk || svmr_endsChunk(run, last))
        issue(set, svmr_taskOf(run));
    for (int32_t i = 0; i < state->windows && moves; i++) {
        svmr_Window *w = &run->windows[i];
        if (w->row->kind != SVM_PART_OUTPUT || !w->moves)
            continue;
        issue(set, &w->move.kernel);
        if (whole && w->hasTail)
            issue(set, &w->tailMove.kernel);
    }
    state->reached[run->processor] = at + count;
    state->last = run->processor;
}

static void issueRound(svm_Rounds *r, int32_t set, int64_t steady)
{
    const svm_RoundsTable *t = r->table;
    int64_t strips = (steady + t->strip - 1) / t->strip;
    r->private_->sets[set].steady = steady;
    svmr_claimOutputs(r, set, steady);
    for (int32_t i = 0; i < t->parts; i++)
        for (int32_t k = 0; k < strips; k++)
            issueRun(r, svmr_runOf(r, i, set, k), stripOf(t, k, steady), k + 1 == strips,
                     steady == t->strips * t->strip);
}

// Part after part, each on the processor where it ran last.
static void runRound(svm_Rounds *r, int32_t set, int64_t steady)
{
    const svm_RoundsTable *t = r->table;
    for (int32_t i = 0; i < t->parts; i++) {
        svmr_PartState *state = &r->private_->parts[i];
        for (int32_t k = 0; k < t->strips && stripOf(t, k, steady) != 0; k++) {
            const Work work = {.steady = stripOf(t, k, steady)};
            runSerial(r, i, set, k * t->strip, &work);
        }
        state->reached[state->last] = r->steadyStates + steady;
    }
    r->private_->sets[set].steady = steady;
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
    if (serial) {
        finishAll(r);
        svmr_readClaims(r, set, steady);
    }
    if (steady > 0 && t->transfer != SVM_ROUNDS_BLOCKS)
        svmr_flowRound(r, set, steady, serial);
    else if (serial)
        runRound(r, set, steady);
    else if (steady > 0)
        issueRound(r, set, steady);
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
    const Work work = {.starting = starting, .counts = counts};
    int32_t set = starting ? initSet(r) : (int32_t)(r->private_->round % r->table->sets);
    phase(r, set, starting ? 0 : r->iterations, &work);
}
