// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams that stay in a local memory from call to call, of machines with one such memory: they come when a kernel first
// reads them, and go back when the host asks for them, or there is no more room.
#include "runtime/common/brook.h"

#include <string.h>

enum { MOST_STRIPS = 8 };

// Those that are there, by place.
static svm_BrookStorage *first;
static unsigned long turn;

static size_t upTo(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

// ---- Moves ----

// Part of a stream's bytes, there or back.
static void move(const svm_BrookStorage *s, size_t from, size_t to, bool back)
{
    static svm_MoveB2B k;
    static svm_Block here, there;
    if (from == to)
        return;
    svm_blockInit(&here, s->home->memory, s->home->begin + s->place + from, to - from, 1);
    svm_blockInit(&there, s->memory, s->address + from, to - from, 1);
    svm_moveB2BInit(&k, back ? s->home->store : s->home->load, back ? &here : &there, back ? &there : &here);
    svm_kernelRun(&k.kernel);
    svm_kernelWait(&k.kernel);
}

static size_t bytesOf(const svm_BrookStorage *s)
{
    return upTo(s->bytes, s->home->alignment);
}

// ---- Coming and going ----

static void writeBack(svm_BrookStorage *s)
{
    if (s->dirty)
        move(s, 0, s->arrived, true);
    s->dirty = false;
}

void svmr_brookGo(svm_BrookStorage *s)
{
    for (svm_BrookStorage **at = &first; *at; at = &(*at)->next)
        if (*at == s) {
            *at = s->next;
            s->home = NULL;
            return;
        }
}

void svmr_brookSettle(svm_BrookStorage *s, bool writes)
{
    if (s->late || s->feeds)
        svmr_brookCatchUp(s, writes);
    if (!s->home)
        return;
    writeBack(s);
    if (writes)
        svmr_brookGo(s);
}

void svm_brookEmpty(const svm_BrookHome *home)
{
    (void)home;
    while (first)
        svmr_brookSettle(first, true);
}

// A gap of so many bytes; behind which one it is.
static bool findGap(const svm_BrookHome *home, size_t bytes, svm_BrookStorage ***at, size_t *place)
{
    *place = 0;
    for (*at = &first;; *at = &(**at)->next) {
        const size_t end = **at ? (**at)->place : home->bytes;
        if (end >= *place && end - *place >= bytes)
            return true;
        if (!**at)
            return false;
        *place = upTo((**at)->place + bytesOf(**at), home->blocks);
    }
}

// The one that was not used for the longest time, and not by this call.
static svm_BrookStorage *oldest(void)
{
    svm_BrookStorage *found = NULL;
    for (svm_BrookStorage *s = first; s; s = s->next)
        if (s->turn != turn && (!found || s->turn < found->turn))
            found = s;
    return found;
}

static bool come(const svm_BrookHome *home, svm_BrookStorage *s)
{
    svm_BrookStorage **at;
    size_t place;
    s->turn = turn;
    if (s->home)
        return true;
    while (!findGap(home, upTo(s->bytes, home->alignment), &at, &place)) {
        svm_BrookStorage *leaves = oldest();
        if (!leaves)
            return false;
        svmr_brookSettle(leaves, true);
    }
    s->next = *at;
    *at = s;
    s->home = home;
    s->place = place;
    s->dirty = false;
    s->arrived = 0;
    return true;
}

// ---- A call ----

static bool isWritten(const svm_BrookPort *p)
{
    return p->role == SVM_BROOK_OUT || p->role == SVM_BROOK_REDUCED;
}

static svm_BrookStorage *storageOf(const svm_BrookStay *stay, int port)
{
    const svm_BrookStorage *copy = stay->walks[port].copy;
    return copy ? (svm_BrookStorage *)copy : stay->streams[port].storage;
}

// Streams of the call that are elements; what is written to a copy is not done here.
static bool hasPlace(const svm_BrookStay *stay, int port)
{
    return stay->graph->ports[port].role != SVM_BROOK_ITERATOR;
}

// Whether a port before has the same storage.
static bool isAgain(const svm_BrookStay *stay, int port)
{
    for (int i = 0; i < port; i++)
        if (hasPlace(stay, i) && storageOf(stay, i) == storageOf(stay, port))
            return true;
    return false;
}

static bool canStay(const svm_BrookStay *stay)
{
    size_t bytes = 0;
    for (int i = 0; i < stay->graph->count; i++) {
        if (!hasPlace(stay, i))
            continue;
        if (stay->walks[i].copy && isWritten(&stay->graph->ports[i]))
            return false;
        if (isAgain(stay, i))
            continue;
        const size_t own = upTo(storageOf(stay, i)->bytes + stay->home->alignment, stay->home->blocks);
        bytes = own > SIZE_MAX - bytes ? SIZE_MAX : bytes + own;
    }
    return bytes <= stay->home->bytes;
}

// Whether all ports of a stream write it in every firing, and together all elements that it has: views of outputs that
// are not the same do not overlap.
static bool isNew(const svm_BrookStay *stay, const svm_BrookStorage *s)
{
    size_t written = 0;
    for (int i = 0; i < stay->graph->count; i++) {
        if (!hasPlace(stay, i) || storageOf(stay, i) != s)
            continue;
        const svm_BrookPort *p = &stay->graph->ports[i];
        if (!isWritten(p) || p->most == 0)
            return false;
        bool again = false;
        for (int k = 0; k < i; k++)
            again = again || (hasPlace(stay, k) && storageOf(stay, k) == s &&
                              stay->streams[k].offset == stay->streams[i].offset);
        written += again ? 0 : svm_brookCount(stay->streams[i]) * s->size;
    }
    return written == s->bytes;
}

static void chooseStrips(svm_BrookStay *stay, size_t missing, size_t worth)
{
    const svm_BrookSpace *space = stay->space;
    ptrdiff_t n = (ptrdiff_t)(missing / (worth ? worth : 1));
    n = n < 1 ? 1 : n > MOST_STRIPS ? MOST_STRIPS : n;
    for (int i = 0; i < stay->graph->count; i++)
        if (stay->graph->ports[i].role == SVM_BROOK_REDUCED)
            n = 1;
    stay->layout =
        (svm_BrookLayout){.rows = space->rows, .columns = space->columns, .alignment = stay->home->alignment};
    if (space->rows >= n)
        stay->layout.rows = (space->rows + n - 1) / n;
    else
        stay->layout.columns = ((space->columns + n - 1) / n + 63) / 64 * 64;
}

// A reduction whose inputs are not here, and not worth to come for that alone.
static bool staysAway(const svm_BrookStay *stay)
{
    bool reduces = false;
    for (int i = 0; i < stay->graph->count; i++) {
        reduces = reduces || stay->graph->ports[i].role == SVM_BROOK_REDUCED;
        if (hasPlace(stay, i) && storageOf(stay, i)->home)
            return false;
    }
    return reduces && svmr_brookFoldsThere(stay->graph, stay->walks);
}

bool svm_brookStay(const svm_BrookGraph *graph, const svm_BrookSpace *space, const svm_BrookHome *home,
                   const svm_BrookStream *streams, svm_BrookWalk *walks, svm_BrookStay *stay)
{
    *stay = (svm_BrookStay){.graph = graph, .space = space, .home = home, .streams = streams, .walks = walks};
    if (staysAway(stay))
        return false;
    bool good = canStay(stay);
    turn++;
    for (int i = 0; good && i < graph->count; i++)
        good = !hasPlace(stay, i) || come(home, storageOf(stay, i));
    if (!good) {
        svm_brookEmpty(home);
        return false;
    }
    size_t missing = 0;
    for (int i = 0; i < graph->count; i++) {
        if (!hasPlace(stay, i) || isAgain(stay, i))
            continue;
        svm_BrookStorage *s = storageOf(stay, i);
        if (isNew(stay, s))
            s->arrived = bytesOf(s);
        missing += bytesOf(s) - s->arrived;
    }
    chooseStrips(stay, missing, home->worth);
    return true;
}

// Bytes of a port's stream up to where a strip reaches.
static size_t endOf(svm_BrookStay *stay, int port)
{
    const svm_BrookPort *p = &stay->graph->ports[port];
    const svm_BrookStorage *s = storageOf(stay, port);
    const bool whole = stay->layout.rows == stay->space->rows && stay->layout.columns == stay->space->columns;
    if (whole || (p->role != SVM_BROOK_IN && p->role != SVM_BROOK_OUT && !p->near))
        return bytesOf(s);
    const svm_BrookReach r = svm_brookReach(stay->graph, port, stay->space, &stay->layout, &stay->ahead, stay->walks);
    const size_t end = upTo(r.address + r.bytes - s->address, stay->home->blocks); // the next piece begins there
    return end < bytesOf(s) ? end : bytesOf(s);
}

// What the strip ahead reads is on its way.
static void fetchAhead(svm_BrookStay *stay)
{
    for (int i = 0; i < stay->graph->count; i++) {
        if (!hasPlace(stay, i))
            continue;
        svm_BrookStorage *s = storageOf(stay, i);
        const size_t end = s->arrived < bytesOf(s) ? endOf(stay, i) : 0;
        if (end <= s->arrived)
            continue;
        move(s, s->arrived, end, false);
        s->arrived = end;
    }
}

// Blocks are whole streams: views begin where they do.
static void setWalks(svm_BrookStay *stay)
{
    for (int i = 0; i < stay->graph->count; i++)
        if (hasPlace(stay, i)) {
            stay->walks[i].base = 0;
            stay->walks[i].skew = stay->walks[i].address - storageOf(stay, i)->address;
        }
}

bool svm_brookNextStay(svm_BrookStay *stay, svm_BrookBox *box)
{
    if (!svm_brookNextStrip(stay->space, &stay->layout, &stay->ahead)) {
        for (int i = 0; i < stay->graph->count; i++)
            if (hasPlace(stay, i)) {
                svm_BrookStorage *s = storageOf(stay, i);
                s->dirty = s->dirty || isWritten(&stay->graph->ports[i]);
            }
        return false;
    }
    fetchAhead(stay);
    setWalks(stay);
    *box = stay->ahead;
    return true;
}

void svm_brookPlaceBlock(const svm_BrookStay *stay, int port, svm_Block *block)
{
    const svm_BrookStorage *s = storageOf(stay, port);
    svm_blockInit(block, s->home->memory, s->home->begin + s->place, bytesOf(s), 1);
    svm_blockName(block, stay->graph->ports[port].name);
}
