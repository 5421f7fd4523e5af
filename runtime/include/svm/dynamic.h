// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What emitted programs with dynamic rates need beside svm/program.h. Such a program is cut into kernels of two
// kinds: dynamic-rate actors, which are filters that take and give items as they happen to, one by one, and static
// regions, in which all rates are static, so that they run in steady states of their own on blocks. Streams join the
// kernels with each other and with the program's files. Every function says on which side it may be called: K in kernels,
// C in control code.
//
// Streams are bounded, the language's channels are not: where nothing can go on and a stream is full, it grows.
#ifndef SVM_DYNAMIC_H
#define SVM_DYNAMIC_H

#include "svm/program.h"
#include "svm/steps.h"

#define SVM_DYNAMIC_UNLIKELY(x) __builtin_expect(!!(x), 0)

#ifdef __cplusplus
extern "C" {
#endif

// A channel that joins two kernels: its stream, the actors at its ends and their places ("fm.str:12", or "").
typedef struct svm_ChannelRow {
    const char *name, *from, *fromAt, *to, *toAt;
    size_t capacity, itemSize;
} svm_ChannelRow;
typedef struct svm_Channel {
    svm_Stream stream;
    const svm_ChannelRow *row;
    struct svm_NetKernel *producer, *consumer; // the program sets them; NULL: the control program
    size_t address;                            // private: of its memory
} svm_Channel;

// What dynamic-rate actors and static regions have in common.
typedef struct svm_NetKernel {
    svm_Kernel *kernel;
    bool paced;           // it fires as often as the steady states of the program say, else as its input allows
    bool source;          // a dynamic-rate actor without input
    bool named;           // private: in the report of a deadlock
    bool waitsToBegin;    // K tells C: a dynamic-rate actor, for a first item
    bool dry;             // C tells K: that item will not come
    bool finish;          // C tells K: it is left nothing more to do
    bool ended;           // it has ended its outputs and fires no more
    int64_t init, steady; // firings (a static region: its own steady states) in the initialisation, in a steady state
    int64_t left;         // still to be done; -1: as its input allows
    int64_t grow;         // K tells C: steady states that a static region's blocks must have room for; 0: they have
    struct svm_StaticRegion *region; // itself, if it is one
    struct svm_Mail *mail; // of a receiver of messages (svm/messages.h), which then is the kernel's one actor; or NULL
    struct svm_Sender *sender; // of a sender, likewise, whose firings some receiver waits for
} svm_NetKernel;

// ---- Dynamic-rate actors ----

// What a firing declares. -1: no bound.
typedef struct svm_DynamicRates {
    int64_t popMin, popMax, peekMin, peekMax, pushMin, pushMax;
    ptrdiff_t inSize, outSize;      // of items; 0: none
    bool popsSo, peeksSo, pushesSo; // it is known to keep to that: nobody looks
    bool mayStop;                   // it may stop the program: then all that firings before it pushed is there
    bool paced;                     // svm_NetKernel.paced
    const char *name, *place;       // "Encode", "rle.str:12" or ""
} svm_DynamicRates;

typedef struct svm_DynamicActor {
    svm_NetKernel common;
    svm_Channel *in, *out; // NULL: none
    // Private, as all that follows: items that lie side by side; the next one, behind the last that may be popped and
    // the last that may be peeked at; behind the last that is there, whether it may be popped or not. What is done with
    // both ends does not lie side by side: C compilers would make a vector of a kernel's front and back, and take them
    // out of it again for each item.
    const char *front, *popEnd, *peekEnd, *windowEnd;
    const char *taken; // items from here to front are done with, and the stream does not know yet
    int64_t popped;    // by the firing, up to there, in bytes
    // The next place to push to, behind the last that may be pushed, behind the last that there is room for.
    char *back, *pushEnd, *roomEnd;
    char *given;                   // items from here to back are pushed, and the stream does not know yet
    int64_t pushed;                // by the firing, up to there, in bytes
    const svm_DynamicRates *rates; // of the firing
    // Rates of which firings begin and end at once where they find what they need side by side, as nothing else is to be
    // looked at; NULL: none.
    const svm_DynamicRates *quick;
    bool idle;        // the last firing neither popped nor pushed: the next waits for one item more
    size_t idleItems; // how many the last such one, or the one behind it, began with
    size_t idlePlace; // and how many had been popped before
} svm_DynamicActor;

// Private: the least and the most items, from the front, of which a firing sees some; -1: no bound.
SVM_INLINED static inline int64_t svm_dynamicLeastPeeked(const svm_DynamicRates *r)
{
    return r->peekMin > r->popMin ? r->peekMin : r->popMin;
}
SVM_INLINED static inline int64_t svm_dynamicMostPeeked(const svm_DynamicRates *r)
{
    return r->peekMax >= 0 && r->peekMax < r->popMax ? r->popMax : r->peekMax;
}

// What a kernel has at hand of its actor while it runs: a local variable whose parts are in registers, as firings are
// inlined. Private. `front` and `back` go on, and the actor hears of that when something is to be looked at.
typedef struct svm_DynamicEnds {
    svm_DynamicActor *actor;
    const svm_DynamicRates *rates; // as all below that says so, known when compiled
    const char *front, *popEnd, *peekEnd, *windowEnd;
    char *back, *pushEnd, *roomEnd;
    const char *begunFront, *begunBack; // where the firing began, or would have in these windows
    int64_t left;
    bool quick;                 // the actor's rates are these, and nothing else is to be looked at
    bool itemsThere, roomThere; // known: all that the firing may pop, peek at and push, so that it does not look
} svm_DynamicEnds;

bool svm_dynamicBeginNext(svm_DynamicActor *f, const svm_DynamicRates *rates); // private, as all those ending in Next
void svm_dynamicDoneNext(svm_DynamicActor *f);
const void *svm_dynamicPopNext(svm_DynamicActor *f, size_t size);
const void *svm_dynamicPeekNext(svm_DynamicActor *f, ptrdiff_t offset, size_t size);
void *svm_dynamicPushNext(svm_DynamicActor *f, size_t size);

// Private: bytes from one place to another, of the same items or NULL.
SVM_INLINED static inline ptrdiff_t svm_dynamicBytes(const char *from, const char *to)
{
    return (ptrdiff_t)((uintptr_t)to - (uintptr_t)from);
}
// Private: a kernel hears of its actor where the windows are.
SVM_INLINED static inline void svm_dynamicHear(svm_DynamicEnds *e)
{
    const svm_DynamicActor *f = e->actor;
    const svm_DynamicRates *r = e->rates;
    e->front = f->front;
    e->windowEnd = f->windowEnd;
    e->popEnd = r->popsSo ? e->windowEnd : f->popEnd;
    e->peekEnd = r->peeksSo ? e->windowEnd : f->peekEnd;
    e->back = f->back;
    e->roomEnd = f->roomEnd;
    e->pushEnd = r->pushesSo ? e->roomEnd : f->pushEnd;
    e->begunFront = (const char *)((uintptr_t)f->taken - (uintptr_t)f->popped);
    e->begunBack = (const char *)((uintptr_t)f->given - (uintptr_t)f->pushed);
    if (r->paced)
        e->left = f->common.left;
}

// K: the ends of an actor's streams, for firings of these rates.
SVM_INLINED static inline svm_DynamicEnds svm_dynamicEnds(svm_DynamicActor *f, const svm_DynamicRates *rates)
{
    svm_DynamicEnds e = {.actor = f, .rates = rates, .left = -1, .quick = f->quick == rates};
    svm_dynamicHear(&e);
    return e;
}
// K: the actor hears how far its kernel has come. What is at hand is of no use afterwards.
SVM_INLINED static inline void svm_dynamicTell(const svm_DynamicEnds *e)
{
    svm_DynamicActor *f = e->actor;
    f->front = e->front;
    f->back = e->back;
    f->popped = svm_dynamicBytes(e->begunFront, f->taken);
    f->pushed = svm_dynamicBytes(e->begunBack, f->given);
    if (e->rates->paced && f->common.left > 0)
        f->common.left = e->left;
}

// Private: a firing begins, of which all is known that there is to know.
SVM_INLINED static inline void svm_dynamicBegun(svm_DynamicEnds *e)
{
    const svm_DynamicRates *r = e->rates;
    const ptrdiff_t there = svm_dynamicBytes(e->front, e->windowEnd), room = svm_dynamicBytes(e->back, e->roomEnd);
    const int64_t peekMax = svm_dynamicMostPeeked(r);
    if (r->inSize != 0 && !r->popsSo)
        e->popEnd = r->popMax >= 0 && there / r->inSize > r->popMax ? e->front + r->popMax * r->inSize : e->windowEnd;
    if (r->inSize != 0 && !r->peeksSo)
        e->peekEnd = peekMax >= 0 && there / r->inSize > peekMax ? e->front + peekMax * r->inSize : e->windowEnd;
    if (r->outSize != 0 && !r->pushesSo)
        e->pushEnd = r->pushMax >= 0 && room / r->outSize > r->pushMax ? e->back + r->pushMax * r->outSize : e->roomEnd;
    e->begunFront = e->front;
    e->begunBack = e->back;
    if (r->mayStop)
        e->actor->pushed = svm_dynamicBytes(e->back, e->actor->given);
}
// Private: whether a firing can begin at once that wants so many items and so much room.
SVM_INLINED static inline bool svm_dynamicFinds(const svm_DynamicEnds *e, int64_t items, int64_t room)
{
    const svm_DynamicRates *r = e->rates;
    return e->quick && (r->inSize == 0 || svm_dynamicBytes(e->front, e->windowEnd) >= items * r->inSize) &&
           (r->outSize == 0 || svm_dynamicBytes(e->back, e->roomEnd) >= room * r->outSize) &&
           (!r->paced || e->left != 0);
}

// K: waits until a firing begins; false: none will, or enough have. Then the outputs have ended, or the kernel is to
// return until it is run again.
SVM_INLINED static inline bool svm_dynamicBegin(svm_DynamicEnds *e)
{
    const svm_DynamicRates *r = e->rates;
    const int64_t least = svm_dynamicLeastPeeked(r);
    e->itemsThere = e->roomThere = false;
    if (svm_dynamicFinds(e, least > 0 ? least : 1, 0)) {
        svm_dynamicBegun(e);
        return true;
    }
    svm_dynamicTell(e);
    bool begins = svm_dynamicBeginNext(e->actor, r);
    svm_dynamicHear(e);
    e->quick = e->actor->quick != NULL;
    return begins;
}

enum { SVM_DYNAMIC_FEW = 256 };
// K: whether a firing begins at once that finds all that it may pop, peek at and push, as far as that is known and not
// much: in it nothing is looked at.
SVM_INLINED static inline bool svm_dynamicGoesOn(svm_DynamicEnds *e)
{
    const svm_DynamicRates *r = e->rates;
    const int64_t least = svm_dynamicLeastPeeked(r), most = svm_dynamicMostPeeked(r);
    const bool takesFew = r->popMax >= 0 && r->peekMax >= 0 && most <= SVM_DYNAMIC_FEW,
               givesFew = r->pushMax >= 0 && r->pushMax <= SVM_DYNAMIC_FEW;
    if (!svm_dynamicFinds(e, takesFew && most > 0 ? most : least > 0 ? least : 1, givesFew ? r->pushMax : 0))
        return false;
    svm_dynamicBegun(e);
    e->itemsThere = takesFew && r->popsSo && r->peeksSo;
    e->roomThere = givesFew && r->pushesSo;
    return true;
}
// K: how many firings go on at once, of which it is known what they may pop, peek at and push, which is not much, and that they
// pop something: in them nothing is looked at, and they are over when this is asked again.
SVM_INLINED static inline ptrdiff_t svm_dynamicFit(svm_DynamicEnds *e)
{
    const svm_DynamicRates *r = e->rates;
    const int64_t most = svm_dynamicMostPeeked(r) > r->popMax ? svm_dynamicMostPeeked(r) : r->popMax;
    const int64_t there = svm_dynamicBytes(e->front, e->windowEnd) / r->inSize - most;
    int64_t fit = e->quick && there >= 0 ? there / r->popMax + 1 : 0;
    if (r->outSize != 0 && r->pushMax != 0) {
        const int64_t room = svm_dynamicBytes(e->back, e->roomEnd) / (r->pushMax * r->outSize);
        fit = room < fit ? room : fit;
    }
    if (r->paced && e->left >= 0) {
        fit = e->left < fit ? e->left : fit;
        e->left -= fit;
    }
    e->begunFront = e->front;
    e->begunBack = e->back;
    e->itemsThere = e->roomThere = true;
    return (ptrdiff_t)fit;
}
// K: the firing is over.
SVM_INLINED static inline void svm_dynamicDone(svm_DynamicEnds *e)
{
    const svm_DynamicRates *r = e->rates;
    const ptrdiff_t popped = svm_dynamicBytes(e->begunFront, e->front),
                    pushed = svm_dynamicBytes(e->begunBack, e->back);
    if (SVM_DYNAMIC_UNLIKELY(!e->quick || (!r->popsSo && popped < r->popMin * r->inSize) ||
                             (!r->pushesSo && pushed < r->pushMin * r->outSize) ||
                             (r->popMin == 0 && r->pushMin == 0 && (popped | pushed) == 0))) {
        svm_dynamicTell(e);
        svm_dynamicDoneNext(e->actor);
        svm_dynamicHear(e);
        e->quick = false;
    } else if (r->paced) {
        e->left--;
    }
}

// K: the next item, which stays where it is until the next call; where there is none, the firing waits, and is given up
// when no more will come: the kernel ends.
SVM_INLINED static inline const void *svm_dynamicPop(svm_DynamicEnds *e, size_t size)
{
    const void *item = e->front;
    if (!e->itemsThere && SVM_DYNAMIC_UNLIKELY(item == e->popEnd)) {
        svm_dynamicTell(e);
        item = svm_dynamicPopNext(e->actor, size);
        svm_dynamicHear(e);
    } else {
        e->front += size;
    }
    return item;
}
SVM_INLINED static inline const void *svm_dynamicPeek(svm_DynamicEnds *e, ptrdiff_t offset, size_t size)
{
    const void *item = e->front + (size_t)offset * size;
    if (!e->itemsThere &&
        SVM_DYNAMIC_UNLIKELY((size_t)offset >= (size_t)svm_dynamicBytes(e->front, e->peekEnd) / size)) {
        svm_dynamicTell(e);
        item = svm_dynamicPeekNext(e->actor, offset, size);
        svm_dynamicHear(e);
    }
    return item;
}
// K: the place of the next item, to be written before anything else is done with the dynamic-rate actor.
SVM_INLINED static inline void *svm_dynamicPush(svm_DynamicEnds *e, size_t size)
{
    void *item = e->back;
    if (!e->roomThere && SVM_DYNAMIC_UNLIKELY(item == e->pushEnd)) {
        svm_dynamicTell(e);
        item = svm_dynamicPushNext(e->actor, size);
        svm_dynamicHear(e);
    } else {
        e->back += size;
    }
    return item;
}

// K: the same if the item is wanted, else a place that nobody reads: where the next one goes, if it is known that the firing may
// push one more, or `nowhere`, which has room for one.
SVM_INLINED static inline void *svm_dynamicPushIf(svm_DynamicEnds *e, bool wanted, size_t size, void *nowhere)
{
    char *item = e->back;
    if (!e->roomThere)
        return wanted ? svm_dynamicPush(e, size) : nowhere;
    e->back = item + (wanted ? size : 0);
    return item;
}
// K: the same where it is not known that there is room.
SVM_INLINED static inline void *svm_dynamicPushIfRoom(svm_DynamicEnds *e, bool wanted, size_t size, void *nowhere)
{
    char *item = e->back;
    if (SVM_DYNAMIC_UNLIKELY(item == e->pushEnd))
        return wanted ? svm_dynamicPush(e, size) : nowhere;
    e->back = item + (wanted ? size : 0);
    return item;
}

// K: trips of a loop from one number to before another.
SVM_INLINED static inline ptrdiff_t svm_dynamicTrips(ptrdiff_t from, ptrdiff_t to)
{
    return to > from ? to - from : 0;
}
// K: the same of one that goes down to before another.
SVM_INLINED static inline ptrdiff_t svm_dynamicTripsDown(ptrdiff_t from, ptrdiff_t to)
{
    return svm_dynamicTrips(to, from);
}
// K: places for so many items side by side, which are to be written before anything else is done with the dynamic-rate actor;
// NULL: there are fewer.
SVM_INLINED static inline void *svm_dynamicPlaces(svm_DynamicEnds *e, ptrdiff_t count, size_t size)
{
    char *places = e->back;
    if (!e->roomThere && svm_dynamicBytes(places, e->pushEnd) / (ptrdiff_t)size < count)
        return NULL;
    e->back = places + count * (ptrdiff_t)size;
    return places;
}
// K: the same where there is room for at least so many, of which all may be written; those behind `count` are places still.
SVM_INLINED static inline void *svm_dynamicPlacesBeside(svm_DynamicEnds *e, ptrdiff_t count, ptrdiff_t least,
                                                        size_t size)
{
    return svm_dynamicBytes(e->back, e->roomEnd) / (ptrdiff_t)size < least ? NULL : svm_dynamicPlaces(e, count, size);
}

// K: the next so many places, side by side; NULL: there are fewer. How many of them items were put into is told afterwards.
SVM_INLINED static inline void *svm_dynamicPlacesAhead(const svm_DynamicEnds *e, ptrdiff_t count, size_t size)
{
    return svm_dynamicBytes(e->back, e->pushEnd) / (ptrdiff_t)size < count ? NULL : e->back;
}
SVM_INLINED static inline void svm_dynamicGiven(svm_DynamicEnds *e, ptrdiff_t count, size_t size)
{
    e->back += count * (ptrdiff_t)size;
}
// K: the next so many items, side by side; NULL: there are fewer. That they are taken is told then.
SVM_INLINED static inline const void *svm_dynamicItemsAhead(const svm_DynamicEnds *e, ptrdiff_t count, size_t size)
{
    return svm_dynamicBytes(e->front, e->popEnd) / (ptrdiff_t)size < count ? NULL : e->front;
}
SVM_INLINED static inline void svm_dynamicTaken(svm_DynamicEnds *e, ptrdiff_t count, size_t size)
{
    e->front += count * (ptrdiff_t)size;
}

// K: items that the firing has popped and pushed so far.
SVM_INLINED static inline ptrdiff_t svm_dynamicPopped(const svm_DynamicEnds *e, size_t size)
{
    return svm_dynamicBytes(e->begunFront, e->front) / (ptrdiff_t)size;
}
SVM_INLINED static inline ptrdiff_t svm_dynamicPushed(const svm_DynamicEnds *e, size_t size)
{
    return svm_dynamicBytes(e->begunBack, e->back) / (ptrdiff_t)size;
}

// ---- Dynamic-rate actors that take bits and have few states ----

// What a bit does in a state: the next state, and which values it pushes.
typedef struct svm_Step {
    uint32_t next, first, count;
} svm_Step;

// K: what `bits` bits do in each state, by the state and the bits, the first one highest: the row of the state behind them with
// bits of 0, how many values they push, at most 255, and these, which are `size` bytes each, `width` places.
void svm_stepsJoin(const svm_Step (*steps)[2], size_t states, int bits, const void *values, size_t size, size_t width,
                   uint32_t *next, uint8_t *counts, void *pushed);
// K: how often at least so many bits are there, from `in` on, and room for so many bytes from `out` on, side by side. An actor that
// steady states pace takes a bit a firing, of which as many are still to be done.
SVM_INLINED static inline ptrdiff_t svm_stepsFit(const svm_DynamicEnds *e, const char *in, ptrdiff_t bits,
                                                 const void *out, size_t bytes)
{
    const bool paced = e->rates->paced && e->left >= 0;
    const ptrdiff_t there = e->windowEnd - in, left = paced ? e->left - (in - e->front) : there,
                    takes = (there < left ? there : left) / bits,
                    gives = (e->roomEnd - (const char *)out) / (ptrdiff_t)bytes;
    return takes < gives ? takes : gives;
}
// K: bits up to `in` have been taken, and values up to `out` given; all firings but one are over.
SVM_INLINED static inline void svm_stepsTaken(svm_DynamicEnds *e, const char *in, void *out)
{
    if (e->rates->paced)
        e->left -= in - e->front - 1;
    e->front = in;
    e->back = (char *)out;
}
// ---- Static regions ----

// An end of a static region: a stream, and the block from which, or into which, its items are copied. Elements are counted
// from the block's beginning. An input's counts are of what actors pop, but for `needed`.
typedef struct svm_RegionEnd {
    int32_t channel;          // in the static region's rates
    int64_t initStart, start; // where the items of the initialisation, and of later runs, begin
    int64_t needed;           // inputs: items that the initialisation must find
    int64_t init, steady;     // items that it moves, and that a steady state does
    int64_t kept;             // inputs: items that are in the channel between steady states, but for those of the next
} svm_RegionEnd;

// By how many elements a block grows for each steady state that a static region is to have room for more.
typedef struct svm_BlockRow {
    int64_t base, step;
} svm_BlockRow;

typedef struct svm_RegionTable {
    int32_t actors;
    int64_t strip;                  // most steady states of a run
    const int64_t *init, *reps;     // per actor: firings in the initialisation, in a steady state
    bool sources;                   // steady states limit some actor, not input
    const int64_t *room, *initRoom; // per actor: firings at the end of input that the blocks have room for, at least
    const svm_RateTable *rates;     // of the actors; one whose first firing has other rates has two rows there
    const int32_t *rows;            // the actor of each row; NULL: one row each
    // Per row: most firings at the end of input when the initialisation has run, and else; -1: as its input allows.
    const int64_t *limits, *initLimits;
    const int64_t *enqueued, *between; // per channel of rates: items before anything fires, and between steady states
    int32_t inputs, outputs, blocks;
    const svm_RegionEnd *in, *out;
    const svm_BlockRow *blockRows;
    const int64_t *spare; // per input: so many of the items kept are not needed by the next steady state; NULL: all are
} svm_RegionTable;

typedef struct svm_StaticRegion {
    svm_NetKernel common;
    const svm_RegionTable *table;
    svm_Channel *const *in, *const *out;           // per end
    svm_Block *const *inBlocks, *const *outBlocks; // per end
    svm_Block *const *blocks;                      // all of them, for growing
    int64_t *firings;                              // per actor: how often it fires in this run
    int64_t *held;                                 // private: per input, items in the block that no run has begun with
    int64_t *tokens, *limits, *fired;              // private: per channel of rates, and per row
    int64_t *more;                                 // private: per input
    bool *inputEnded;                              // private: per input
    int64_t grown;                                 // C tells K: steady states that the blocks have room for
    bool starting;                                 // this run is the initialisation
    int64_t steady;                      // steady states of this run; 0: the initialisation, or the end of input
    bool started, running, ending, last; // private
    // Of a data-parallel region: those who do chunks of its steady states, of at least so many.
    int32_t helpers;
    struct svm_Helper *const *help;
    int64_t least;
    int64_t share; // steady states of this run that it does itself
    int32_t busy;  // private: helpers at work in this run
    // Of a region whose runs other processors do, in memories of their own (svm/offload.h): in runs of at least `least`
    // steady states, and then of a multiple of `unit`. unit 0: none do.
    int64_t unit;
    struct svm_Offload *offload;
    bool asks;        // K tells C: the kernel has returned, and goes on when they have done its run
    bool offloaded;   // they do, or have done, this run
    bool interrupted; // C tells K: input ended, and its sources finish `begun`
    bool begun;       // a steady state (or the initialisation) has begun
} svm_StaticRegion;

// K: waits until the static region can run and says how often each actor fires, its inputs being in their blocks; false: it
// can not, or has done what is asked for.
bool svm_regionNext(svm_StaticRegion *s);
// K: what the run has put into the blocks goes into the streams. Before the blocks are shifted.
void svm_regionSend(svm_StaticRegion *s);

// ---- Data-parallel regions ----

// A region that keeps nothing from one steady state to the next but items of its inputs may have helpers, kernels on other
// processors that do the same. A run's steady states are then done in chunks: a helper's blocks are windows of the
// region's inputs and outputs, further by the steady states before its chunk; all other blocks are its own.
typedef struct svm_Chunk {
    int64_t first, count; // steady states of the run
} svm_Chunk;

typedef struct svm_Helper {
    svm_Kernel *kernel;
    svm_StaticRegion *of, *region; // whom it helps; its own firings and blocks
    svm_Stream chunks, done;       // from the region; and back, when one is done
    size_t address;                // private: of their memory
} svm_Helper;

// K: gives helpers what they do of this run; then svm_StaticRegion.share and firings are what is left.
void svm_regionShare(svm_StaticRegion *s);
// K: waits until they have done it; firings are those of all.
void svm_regionGather(svm_StaticRegion *s);
// K: a helper waits for a chunk; false: none will come.
bool svm_helperNext(svm_Helper *h);
// K: the chunk is done.
void svm_helperDone(svm_Helper *h);

// ---- Regions that are offloaded ----

// K: true: other processors do this run. Then the kernel returns, and goes on with svm_regionNext when they have done it:
// `offloaded` tells that nothing is left to be done but to pass the output on.
bool svm_regionOffload(svm_StaticRegion *s);

// ---- The control side ----

typedef struct svm_NetReader {
    svm_Reader *reader;
    svm_Channel *channel;
    int64_t init, steady; // items
    char *items;          // private: read and not passed on
    size_t held, room;
} svm_NetReader;
typedef struct svm_NetWriter {
    svm_Writer *writer;
    svm_Channel *channel;
} svm_NetWriter;

// All of a program with dynamic rates. The program sets what is not private.
typedef struct svm_Net {
    mm_Mem memory;
    int64_t strip;       // most steady states at a time
    int64_t listenStrip; // the same while lines are read between runs; 0: as many
    size_t kernelCount, channelCount, readerCount, writerCount, logCount, helperCount;
    svm_NetKernel *const *kernels; // in canonical order
    svm_Helper *const *helpers;    // of all data-parallel regions
    size_t offloadCount;
    struct svm_Offload *const *offloads; // of all offloaded regions
    // Has other processors do a region's run of so many steady states, and runs its kernel behind them.
    void (*startOffload)(struct svm_Offload *o, int64_t steady);
    svm_Channel *channels;
    svm_NetReader *readers;
    svm_NetWriter *writers;
    svm_Log *const *logs;
    bool concurrent;      // kernels run on several processors
    bool started, ended;  // the initialisation has run; input has ended
    int64_t steadyStates; // run so far
    size_t *addresses;    // private: memory to be freed at the end, of what has grown
    size_t addressCount, addressRoom;
    size_t wayCount; // of messages
    struct svm_Way *ways;
    // Per writer: items that it takes in the initialisation and in a steady state, before input ends; -1: all there are.
    // NULL: all writers do.
    const int64_t *writerInit, *writerSteady;
    int64_t *writerLeft; // private
    // Private: called between runs, when what they read is there, and what it needs; NULL: nobody waits for that.
    void (*betweenRuns)(struct svm_Net *n);
    struct svm_Control *control;
} svm_Net;

// C: sets up a channel's stream.
void svm_channelInit(svm_Net *n, svm_Channel *c, const svm_ChannelRow *row);
// C: the first items of a channel that nobody has used yet; items NULL: zeroes.
void svm_channelFill(svm_Channel *c, const void *items, size_t count);
// C: `own` has room for as many blocks as the region has, `region` is the helper's and has its firings and blocks.
void svm_helperInit(svm_Net *n, svm_Helper *h, svm_Kernel *kernel, svm_StaticRegion *of, svm_StaticRegion *region,
                    svm_Block *own);
// C: up to `iterations` steady states, the initialisation before the first; false: input has ended, or the program has
// no steady states and has done all that it can.
bool svm_netRun(svm_Net *n, int64_t iterations);
// C: no more steady states follow: the kernels do what their inputs still allow.
void svm_netFinish(svm_Net *n);
void svm_netDestroy(svm_Net *n);

#ifdef __cplusplus
}
#endif

#endif
