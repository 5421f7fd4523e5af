// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sequences (svm/program.h): runs of kernels that SPEs repeat by themselves. What each SPE has of a sequence is made once, as
// commands that wait for each other by their places in it; one command in its queue says how often they come, and where
// transfers begin this time (svm_CellRepeat). So the PPE's time does not depend on how often they come.
#include <stdlib.h>
#include <unistd.h>

#include "runtime/cell/svm/ppu/internal.h"
#include "svm/program.h"

// A run of the sequence, in order.
typedef struct Entry {
    svmr_Kernel *p;
    uint32_t body, number; // its SPE's, and its command among those
    size_t at;             // where in their bytes
    bool moves;            // a transfer; else a kernel
    svmr_Transfer transfer;
} Entry;

// What an SPE has of it.
typedef struct Body {
    svmr_Spe *spe;
    char *bytes, *memory;         // of commands, where SPEs get them; before that where they are made
    char *results, *resultMemory; // structs of kernels come back here: as far behind the beginning as in the commands
    size_t length, capacity;
    uint32_t each;     // commands
    uint32_t *entries; // of each command, plus 1; 0: it has none
    size_t entryRoom;
    uint32_t skipped;             // bytes of the last that need not be fetched
    uint32_t latest;              // the first command of its last repeat,
    uint32_t end;                 // and the one behind that
    svmr_TimedRun *before, *last; // where time is predicted: the last runs of its last two repeats,
    svmr_TimedRun **paces;        // and of each time of the last
    uint32_t paceCount;
} Body;

struct svm_Sequence {
    svm_Machine *machine;
    int places;
    bool refused; // something of it is not an SPE's
    bool ready;   // what is waited for is known
    bool ran;
    int place; // of what is being added, and how far in it
    ptrdiff_t offset;
    Entry *entries;
    size_t count, capacity;
    Body *bodies;
    uint32_t bodyCount;
};

// So many commands of an SPE from number `first` on.
struct svmr_Repeated {
    const svm_Sequence *sequence;
    const Body *body;
    uint32_t first, count;
    svm_CellSpent *spent; // where time is predicted: of each
    char *spentMemory;
    svmr_TimedRun **timed;
    svmr_Repeated *next;
};

enum { MOST_BYTES = 1 << 22, MOST_TIMES = 64 };

static void *grown(void *data, size_t *capacity, size_t wanted, size_t size)
{
    size_t more = *capacity ? *capacity : 64;
    while (more < wanted)
        more *= 2;
    if (more == *capacity)
        return data;
    char *bytes = svmr_allocate(more, size);
    if (*capacity)
        memcpy(bytes, data, *capacity * size);
    free(data);
    *capacity = more;
    return bytes;
}

// ---- What it consists of ----

svm_Sequence *svm_sequenceCreate(int places, mm_Mem memory, size_t bytes)
{
    const char *repeats = getenv("SVM_CELL_REPEATS");
    if (places > SVM_CELL_PLACES || (repeats && strcmp(repeats, "0") == 0))
        return NULL;
    svm_Machine *m = svmr_machine();
    if (svmr_memoryLeft(m, memory) < bytes)
        return NULL;
    svm_Sequence *s = svmr_allocate(1, sizeof *s);
    s->machine = m;
    s->places = places;
    return s;
}

static uint32_t bodyOf(svm_Sequence *s, svmr_Spe *spe)
{
    uint32_t i = 0;
    while (i < s->bodyCount && s->bodies[i].spe != spe)
        i++;
    if (i < s->bodyCount)
        return i;
    Body *more = svmr_allocate(s->bodyCount + 1, sizeof *more);
    if (s->bodyCount)
        memcpy(more, s->bodies, s->bodyCount * sizeof *more);
    free(s->bodies);
    s->bodies = more;
    more[s->bodyCount] = (Body){.spe = spe};
    return s->bodyCount++;
}

static svm_CellCommand *add(Body *b, size_t bytes, uint32_t entry)
{
    b->memory = grown(b->memory, &b->capacity, b->length + bytes, 1);
    b->entries = grown(b->entries, &b->entryRoom, b->each + 1, sizeof *b->entries);
    b->entries[b->each++] = entry;
    svm_CellCommand *c = (svm_CellCommand *)(b->memory + b->length);
    b->length += bytes;
    c->bytes = (uint32_t)bytes;
    return c;
}

static void fillLap(Body *b, size_t wanted)
{
    const size_t left = b->spe->ringBytes - b->length % b->spe->ringBytes;
    if (left < wanted)
        add(b, left, 0)->kind = SVM_CELL_PAD;
}

static size_t waitsOf(const svmr_Kernel *p)
{
    size_t n = 0;
    for (const svmr_Dependence *d = p->dependences; d; d = d->next)
        n++;
    return n;
}

// A command with room for what it waits for, and a payload.
static svm_CellCommand *addCommand(svm_Sequence *s, svmr_Kernel *p, svmr_Spe *spe, const svmr_Transfer *t,
                                   size_t payload, size_t *head)
{
    const uint32_t body = bodyOf(s, spe);
    Body *b = &s->bodies[body];
    *head = svmr_quanta(sizeof(svm_CellCommand) + waitsOf(p) * sizeof(svm_CellWait));
    fillLap(b, *head + payload);
    s->entries = grown(s->entries, &s->capacity, s->count + 1, sizeof *s->entries);
    Entry *e = &s->entries[s->count++];
    *e = (Entry){.p = p, .body = body, .number = b->each, .at = b->length, .moves = t};
    if (t)
        e->transfer = *t;
    return add(b, *head + payload, (uint32_t)s->count);
}

void svmr_addTransfer(svmr_Kernel *p, svmr_Spe *spe, const svm_CellCommand *command, const svmr_Transfer *t)
{
    svm_Sequence *s = p->machine->scheduler->adds;
    size_t head;
    svm_CellCommand *c = addCommand(s, p, spe, t, 0, &head);
    const uint32_t bytes = c->bytes;
    *c = *command;
    c->bytes = bytes;
    c->tells = 0;
    if (s->place >= 0) {
        c->kernel = (uint32_t)s->place + 1;
        c->ea = (uint64_t)s->offset;
    }
}

static void addKernel(svm_Sequence *s, svmr_Kernel *p, svmr_Spe *spe, const svm_CellKernel *code, svmr_Place at)
{
    const size_t payload = svmr_packedBytes(code) + SVMR_SPENT_BYTES;
    size_t head;
    svm_CellCommand *c = addCommand(s, p, spe, NULL, payload, &head);
    const size_t where = s->entries[s->count - 1].at + head;
    char *packed = svmr_packStruct(spe, p, code, spe->ring + (uint32_t)(where % spe->ringBytes), at);
    c->kind = SVM_CELL_KERNEL;
    c->kernel = (uint32_t)code->number;
    c->ls = (uint32_t)head;
    c->length = (uint32_t)svmr_quanta(code->bytes);
    c->ea = where;
    memcpy((char *)c + head, packed, payload);
    free(packed);
}

void svm_sequenceAdd(svm_Sequence *s, svm_Kernel *k, int place, ptrdiff_t offset)
{
    svmr_Place at = {"svm_sequenceAdd", NULL, 0};
    svmr_Kernel *p = svmr_checkKernel(k, at);
    svm_Machine *m = s->machine;
    svmr_lock(m);
    const size_t before = s->count;
    if (p->machine != m || s->ready || place >= s->places) {
        s->refused = true;
    } else if (p->step) {
        s->place = place;
        s->offset = offset;
        m->scheduler->adds = s;
        p->asked = true;
        p->step(p->kernel);
        p->asked = false;
        m->scheduler->adds = NULL;
    } else {
        svmr_Spe *spe = svmr_speOfProcessor(m, p->processor, at);
        const svm_CellKernel *code = spe ? svmr_codeOf(p) : NULL;
        if (code)
            addKernel(s, p, spe, code, at);
    }
    s->refused |= s->count == before;
    svmr_unlock(m);
}

// ---- What waits for what ----

// The run of a kernel in the sequence; NULL: it has none.
static const Entry *entryOf(const svm_Sequence *s, const svmr_Kernel *p)
{
    const svmr_CellRun *run = p->scheduling;
    return run && run->entry && run->entry <= s->count && s->entries[run->entry - 1].p == p
               ? &s->entries[run->entry - 1]
               : NULL;
}

static void addWait(svm_CellCommand *c, uint32_t spe, int32_t count)
{
    svm_CellWait *waits = (svm_CellWait *)(c + 1);
    waits[c->waits++] = (svm_CellWait){spe, (uint32_t)count};
}

static svm_CellCommand *commandOf(const svm_Sequence *s, const Entry *e)
{
    return (svm_CellCommand *)(s->bodies[e->body].memory + e->at);
}

// What a run waits for is of this time, or of the one before, whichever came last.
static void findWaits(svm_Sequence *s, const Entry *e)
{
    svm_CellCommand *c = commandOf(s, e);
    for (const svmr_Dependence *d = e->p->dependences; d; d = d->next) {
        const Entry *on = d->target && d->target != e->p ? entryOf(s, d->target) : NULL;
        if (!on)
            continue;
        const Body *b = &s->bodies[on->body];
        const int32_t back = on < e ? 0 : (int32_t)b->each, count = (int32_t)on->number + 1 - back;
        if (on->body != e->body) {
            addWait(c, b->spe->number, count);
            commandOf(s, on)->tells |= 1u << s->bodies[e->body].spe->number;
        } else if ((int32_t)e->number - count < SVM_CELL_WINDOW) { // older ones are complete when this one is looked at
            addWait(c, b->spe->number, count);
        }
    }
}

static void *aligned(size_t bytes, char **memory)
{
    *memory = svmr_allocate(1, bytes + 127);
    return (void *)(((uintptr_t)*memory + 127) & ~(uintptr_t)127);
}

// The last command fills its lap; only the beginning of it need be fetched.
static void closeLap(Body *b)
{
    const size_t left = (b->spe->ringBytes - b->length % b->spe->ringBytes) % b->spe->ringBytes;
    if (!left)
        return;
    add(b, left, 0)->kind = SVM_CELL_PAD;
    b->skipped = left > sizeof(svm_CellCommand) ? (uint32_t)(left - sizeof(svm_CellCommand)) : 0;
}

// The commands come to where SPEs get them.
static void place(Body *b)
{
    char *made = b->memory;
    b->bytes = aligned(b->length, &b->memory);
    memcpy(b->bytes, made, b->length);
    free(made);
    b->results = aligned(b->length, &b->resultMemory);
}

static void finish(svm_Sequence *s)
{
    s->ready = true;
    s->refused |= s->count == 0;
    for (uint32_t i = 0; i < s->bodyCount; i++) {
        closeLap(&s->bodies[i]);
        s->refused |= s->bodies[i].length > MOST_BYTES;
    }
    if (s->refused)
        return;
    for (size_t i = 0; i < s->count; i++) {
        s->refused |= svmr_cellRun(s->entries[i].p)->entry != 0; // twice
        svmr_cellRun(s->entries[i].p)->entry = i + 1;
    }
    for (size_t i = 0; i < s->count; i++)
        findWaits(s, &s->entries[i]);
    for (uint32_t i = 0; i < s->bodyCount; i++)
        place(&s->bodies[i]);
    for (size_t i = 0; i < s->count; i++) {
        const Body *b = &s->bodies[s->entries[i].body];
        svm_CellCommand *c = (svm_CellCommand *)(b->bytes + s->entries[i].at);
        if (!s->entries[i].moves)
            c->ea = (uint64_t)(uintptr_t)(b->results + c->ea);
    }
}

// ---- Running it ----

static void keepPaces(Body *b, uint32_t times, uint32_t last)
{
    const svmr_Repeated *r = b->spe->repeated;
    while (r->next)
        r = r->next;
    svmr_timedForget(b->paces, b->paceCount);
    free(b->paces);
    b->paces = svmr_allocate(times, sizeof *b->paces);
    b->paceCount = times;
    for (uint32_t i = 0; i < times; i++)
        b->paces[i] = svmr_timedAlso(r->timed[i * b->each + last]);
}

// Where time is predicted the run of each command is recorded, as if the PPE had asked for it.
static void timed(svm_Sequence *s, uint32_t times)
{
    if (!SVMR_SPENT_BYTES || !svmr_timedRepeat(s->machine, s->bodyCount))
        return;
    for (uint32_t time = 0; time < times; time++)
        for (size_t i = 0; i < s->count; i++) {
            const Entry *e = &s->entries[i];
            const Body *b = &s->bodies[e->body];
            svmr_Repeated *r = b->spe->repeated;
            while (r->next)
                r = r->next;
            const svm_CellCommand *c = (const svm_CellCommand *)(b->bytes + e->at);
            r->timed[time * b->each + e->number] = svmr_timedAgain(e->p, b->spe, c, e->moves ? &e->transfer : NULL);
        }
    for (uint32_t i = 0; i < s->bodyCount; i++) {
        Body *b = &s->bodies[i];
        uint32_t last = b->each;
        while (!b->entries[last - 1])
            last--;
        svmr_timedForget(&b->before, 1);
        b->before = b->last;
        b->last = svmr_timedHeld(s->entries[b->entries[last - 1] - 1].p);
        keepPaces(b, times, last - 1);
    }
}

enum { REPEAT_BYTES = sizeof(svm_CellCommand) + sizeof(svm_CellRepeat) };

// Fills the ring so that the next command is the last of a lap.
static void fillBefore(svmr_Spe *spe)
{
    const uint32_t lap = spe->ringBytes, wanted = lap - REPEAT_BYTES, here = spe->written % lap;
    svmr_makeRoom(spe, 2 * (size_t)lap);
    if (here > wanted)
        svmr_fill(spe, lap - here);
    if (spe->written % lap != wanted)
        svmr_fill(spe, wanted - spe->written % lap);
}

// The command itself, and what it stands for.
static void repeatOn(const svm_Sequence *s, Body *b, svm_CellRepeat *r)
{
    svmr_Repeated *repeated = svmr_allocate(1, sizeof *repeated), **end = &b->spe->repeated;
    svm_CellCommand *c = svmr_placeCommand(b->spe, REPEAT_BYTES);
    *repeated = (svmr_Repeated){.sequence = s, .body = b, .first = b->spe->issued, .count = r->times * b->each};
    while (*end)
        end = &(*end)->next;
    *end = repeated;
    if (SVMR_SPENT_BYTES) {
        repeated->spent = aligned((size_t)repeated->count * sizeof *repeated->spent, &repeated->spentMemory);
        repeated->timed = svmr_allocate(repeated->count, sizeof *repeated->timed);
    }
    r->commands = (uint64_t)(uintptr_t)b->bytes;
    r->spent = (uint64_t)(uintptr_t)repeated->spent;
    r->bytes = (uint32_t)b->length - b->skipped;
    r->skipped = b->skipped;
    c->kind = SVM_CELL_REPEAT;
    for (uint32_t i = 0; i < s->bodyCount && !r->goesOn; i++) // the first time waits for all before it
        c->tells |= 1u << s->bodies[i].spe->number;
    c->tells &= ~(1u << b->spe->number);
    memcpy(c + 1, r, sizeof *r);
    b->latest = repeated->first;
    svmr_issueMore(b->spe, repeated->count);
    b->end = b->spe->issued;
}

// The kernel's last run is that of the last time.
static void setRun(const svm_Sequence *s, const Entry *e, uint32_t times)
{
    const Body *b = &s->bodies[e->body];
    svmr_CellRun *run = svmr_cellRun(e->p);
    const svm_CellCommand *c = (const svm_CellCommand *)(b->bytes + e->at);
    run->spe = run->home = b->spe;
    run->number = b->latest + (times - 1) * b->each + e->number;
    run->told = c->tells;
    run->repeats = true;
    e->p->progress = 0;
    svmr_setState(e->p, SVM_RUNNING);
    svmr_countCommands(b->spe, c, times);
}

bool svm_sequenceMade(svm_Sequence *s)
{
    svmr_lock(s->machine);
    if (!s->ready && !s->refused)
        finish(s);
    svmr_unlock(s->machine);
    return !s->refused;
}

// Runs that the PPE has are over before it: SPEs do not know of them.
static void waitForHere(const svm_Sequence *s)
{
    for (size_t i = 0; i < s->count; i++) {
        const svmr_Kernel *p = s->entries[i].p;
        if (svmr_pending(p) && !svmr_cellRun((svmr_Kernel *)p)->spe)
            svm_kernelWait(p->kernel);
    }
}

static void runTimes(svm_Sequence *s, svm_CellRepeat *r)
{
    r->goesOn = s->ran;
    for (uint32_t i = 0; i < s->bodyCount; i++)
        r->goesOn &= s->bodies[i].spe->issued == s->bodies[i].end;
    for (uint32_t i = 0; i < s->bodyCount; i++)
        fillBefore(s->bodies[i].spe);
    for (uint32_t i = 0; i < s->bodyCount; i++) {
        const Body *b = &s->bodies[i];
        r->spes[b->spe->number].first = b->spe->issued + 1;
        r->spes[b->spe->number].each = b->each;
        r->spes[b->spe->number].before = b->end;
    }
    for (uint32_t i = 0; i < s->bodyCount; i++)
        repeatOn(s, &s->bodies[i], r);
    for (size_t i = 0; i < s->count; i++)
        setRun(s, &s->entries[i], r->times);
    timed(s, r->times);
    s->machine->scheduler->repeats += r->times;
    s->ran = true;
    svmr_ringSpes(s->machine);
}

void svm_sequenceRun(svm_Sequence *s, int64_t times, svm_Block *const places[], const size_t steps[])
{
    svm_Machine *m = s->machine;
    svmr_Place at = {"svm_sequenceRun", NULL, 0};
    svm_CellRepeat r = {0};
    for (int i = 0; i < s->places; i++) {
        svmr_checkBlock(places[i], at);
        r.places[i].at = (uint64_t)(uintptr_t)places[i]->data;
        r.places[i].step = steps[i];
    }
    waitForHere(s);
    svmr_lock(m);
    svmr_noteRun(m);
    for (int64_t left = s->ready && !s->refused ? times : 0; left > 0; left -= r.times) {
        r.times = left < MOST_TIMES ? (uint32_t)left : MOST_TIMES;
        runTimes(s, &r);
        for (int i = 0; i < s->places; i++)
            r.places[i].at += r.times * r.places[i].step;
    }
    svmr_unlock(m);
    if (SVMR_UNLIKELY(m->failures != NULL))
        svmr_raise(m);
}

// The first SPE's count stands for all. It lies in memory, so that looking at it is no message.
void svm_sequencePace(svm_Sequence *s, int64_t done, int64_t of)
{
    enum { POLL_MICROSECONDS = 20 };
    svm_Machine *m = s->machine;
    svmr_lock(m);
    Body *b = s->ran ? &s->bodies[0] : NULL;
    const uint32_t times = b ? (b->end - b->latest) / b->each : 0;
    const uint32_t time = of > 0 && done < of ? (uint32_t)(times * done / of) : times;
    if (b && time > 0) {
        svmr_timedPace(m, b->paces ? b->paces[time - 1] : NULL);
        while ((int32_t)(b->spe->complete->count - (b->latest + time * b->each)) < 0 && !m->failures) {
            svmr_retire(m);
            svmr_unlock(m);
            usleep(POLL_MICROSECONDS);
            svmr_lock(m);
        }
    }
    svmr_unlock(m);
    if (SVMR_UNLIKELY(m->failures != NULL))
        svmr_raise(m);
}

void svm_sequenceWait(svm_Sequence *s, bool all)
{
    svm_Machine *m = s->machine;
    svmr_lock(m);
    for (uint32_t i = 0; i < s->bodyCount && s->ran; i++) {
        const Body *b = &s->bodies[i];
        svmr_timedWaitFor(m, all ? b->last : b->before);
        svmr_waitForSpe(b->spe, all ? b->end : b->latest);
    }
    svmr_retire(m);
    svmr_unlock(m);
    if (SVMR_UNLIKELY(m->failures != NULL))
        svmr_raise(m);
}

void svm_sequenceDestroy(svm_Sequence *s)
{
    if (!s)
        return;
    svm_sequenceWait(s, true);
    for (size_t i = 0; i < s->count; i++)
        if (s->entries[i].p->scheduling)
            svmr_cellRun(s->entries[i].p)->entry = 0;
    for (uint32_t i = 0; i < s->bodyCount; i++) {
        svmr_timedForget(&s->bodies[i].before, 1);
        svmr_timedForget(&s->bodies[i].last, 1);
        svmr_timedForget(s->bodies[i].paces, s->bodies[i].paceCount);
        free(s->bodies[i].paces);
        free(s->bodies[i].memory);
        free(s->bodies[i].resultMemory);
        free(s->bodies[i].entries);
    }
    free(s->bodies);
    free(s->entries);
    free(s);
}

// ---- What is over ----

// Command `number` of a repeat is.
static void retireOne(svmr_Repeated *r, uint32_t number)
{
    const Body *b = r->body;
    const uint32_t last = r->count - b->each, offset = number - r->first, entry = b->entries[offset % b->each];
    if (!entry)
        return;
    const Entry *e = &r->sequence->entries[entry - 1];
    if (r->timed && !e->moves)
        svmr_timedSpent(e->p, r->timed[offset], &r->spent[offset]);
    svmr_CellRun *run = svmr_cellRun(e->p);
    if (offset < last || run->spe != b->spe || run->number != number)
        return; // it was run again
    const svm_CellCommand *c = (const svm_CellCommand *)(b->bytes + e->at);
    if (!e->moves)
        svmr_unpackStruct(e->p->kernel, run->code, b->results + e->at + c->ls);
    run->spe = NULL;
    svmr_commit(e->p, SVMR_STOP_FINISHED);
}

bool svmr_isRepeated(const svmr_Spe *spe, uint32_t number)
{
    return spe->repeated && number - spe->repeated->first < spe->repeated->count;
}

void svmr_retireRepeated(svmr_Spe *spe, uint32_t complete)
{
    svmr_Repeated *r = spe->repeated;
    const uint32_t last = r->count - r->body->each, there = complete - spe->retired;
    if (!r->timed && spe->retired - r->first < last) { // nobody hears of the times before the last
        const uint32_t left = last - (spe->retired - r->first);
        spe->retired += there < left ? there : left;
    } else {
        retireOne(r, spe->retired++);
    }
    if (spe->retired - r->first != r->count)
        return;
    spe->repeated = r->next;
    svmr_timedForget(r->timed, r->count);
    free(r->timed);
    free(r->spentMemory);
    free(r);
}
