// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The control side of programs with dynamic rates: files, steady states of the paced kernels, streams and blocks that
// grow, the end of input, and deadlocks.
//
// NOTE(stuck). The control program waits for kernels until they have done their part or nothing can go on. Then it
// takes what there is for files, gives blocks and streams the room that somebody waits for, and waits again. What is
// stuck with no stream full waits for what the next steady states bring, and does its part of this one then; or it is a
// deadlock, since what it waits for waits for it in turn. At the end that is what kernels in a feedback loop come to.
#include <setjmp.h>
#include <stdlib.h>

#include "runtime/common/program_messages.h"
#include "runtime/common/scheduler.h"
#include "svm/library.h"

static svmr_Place here(void)
{
    return (svmr_Place){"svm_netRun", NULL, 0};
}

// ---- Errors that are expected ----

typedef struct Catch {
    jmp_buf jump;
    svm_Error error;
    svm_ErrorHandler *handler;
    void *context;
} Catch;

static void onError(const svm_ErrorReport *r, void *context)
{
    Catch *c = context;
    svm_setErrorHandler(c->handler, c->context);
    svmr_thread.expectsDeadlock = false;
    if (r->error == c->error)
        longjmp(c->jump, 1);
    if (c->handler)
        c->handler(r, c->context);
    svmr_fatal("%s", svmr_formatReport(r));
}

static bool isPending(const svm_Kernel *k)
{
    svm_Machine *m = k->private_->machine;
    svmr_lock(m); // another thread may be about to change it
    bool is = svmr_pending(k->private_);
    svmr_unlock(m);
    return is;
}

static bool pending(const svm_NetKernel *p)
{
    return isPending(p->kernel);
}

// A region whose kernel has returned for other processors to do its run; NULL: there is none (locked).
static const svm_StaticRegion *asking(const svm_Net *n)
{
    for (size_t i = 0; n && n->offloadCount != 0 && i < n->kernelCount; i++) {
        const svm_NetKernel *p = n->kernels[i];
        if (p->region && !svmr_pending(p->kernel->private_) && p->region->asks)
            return p->region;
    }
    return NULL;
}

// Who asks for processors gets them before the control program waits on: what else is to be done goes on beside that.
static bool restsOrAsks(const svmr_Wait *w)
{
    return svmr_runRests(w) || asking(w->other);
}

static bool servesOrAsks(const svmr_Wait *w)
{
    return svmr_streamServes(w) || asking(w->other);
}

// Until the kernel rests, or there is room in the stream (the other is NULL), or a region of the net asks; false: nothing can
// go on.
static bool await(svm_Net *n, svm_Kernel *k, svm_Stream *s)
{
    Catch c = {.error = SVM_ERROR_DEADLOCK, .handler = svmr_thread.handler, .context = svmr_thread.handlerContext};
    if (setjmp(c.jump))
        return false;
    svm_setErrorHandler(onError, &c);
    svmr_thread.expectsDeadlock = true;
    if (k)
        svmr_waitForKernel(k, restsOrAsks, n, here());
    else
        svmr_waitForStreamOr(s, SVMR_WANT_ROOM, 1, servesOrAsks, n, here());
    if (s)
        s->seenRead = __atomic_load_n(&s->read, __ATOMIC_ACQUIRE);
    svmr_thread.expectsDeadlock = false;
    svm_setErrorHandler(c.handler, c.context);
    return true;
}

// ---- Room ----

static void keepUntilEnd(svm_Net *n, size_t address)
{
    n->addresses = svmr_grow(n->addresses, &n->addressRoom, n->addressCount + 1, sizeof *n->addresses);
    n->addresses[n->addressCount++] = address;
}

static SVMR_COLD _Noreturn void failRoom(const svm_Channel *c, size_t capacity)
{
    svmr_fatal("%s%serror: out of memory: %zu items from '%s' wait for '%s', and there is no room for %zu",
               c->row->fromAt, *c->row->fromAt ? ": " : "", svmr_count(&c->stream), c->row->from, c->row->to, capacity);
}

static size_t allocate(const svm_Net *n, const svm_Channel *c, size_t capacity)
{
    Catch k = {.error = SVM_ERROR_OUT_OF_MEMORY, .handler = svmr_thread.handler, .context = svmr_thread.handlerContext};
    if (capacity > SIZE_MAX / c->stream.elementSize / 2 || setjmp(k.jump))
        failRoom(c, capacity);
    svm_setErrorHandler(onError, &k);
    size_t address = svm_alloc(n->memory, capacity * c->stream.elementSize);
    svm_setErrorHandler(k.handler, k.context);
    return address;
}

static void growStream(svm_Net *n, svm_Channel *c, size_t capacity)
{
    svm_Stream *s = &c->stream;
    svm_Machine *m = s->machine;
    size_t count = svmr_count(s), size = s->elementSize, first = svmr_frontPiece(s, SIZE_MAX);
    size_t address = allocate(n, c, capacity);
    char *data = svmr_locate(m, n->memory, address, capacity * size, s->name, here());
    memcpy(data, s->data + s->front, first * size);
    memcpy(data + first * size, s->data, (count - first) * size);
    svmr_dropStream(m, s);
    s->data = data;
    s->capacity = capacity;
    s->address = address;
    s->front = 0;
    s->back = count == capacity ? 0 : count * size;
    svmr_placeStream(m, s, capacity * size, here());
    s->check = svmr_streamCheck(s);
    svmr_nameStream(m, s);
    keepUntilEnd(n, c->address); // a peek under way may still read it
    c->address = address;
    if (__atomic_load_n(&s->producerWaits, __ATOMIC_SEQ_CST))
        svmr_wakeProducer(s);
}

// ---- Who waits for whom ----
//
// NOTE(growing). A kernel that is stuck waits for one thing: room in a stream, items of one, or a message; and so for the
// kernel at the other end. From a kernel that has to go on, these waits lead round in a cycle, or to a kernel that has done
// all that it can before the control program goes on. Only full streams on the way are in the way of it that an
// unbounded program would not have: the smallest of those on the cycle, or else before it, gets twice its room. Where a
// bounded schedule exists no stream so grows beyond twice what it needs, whatever else is full.

// What a stuck kernel waits for. `full`: the stream that must have more room for it, or NULL.
typedef struct Need {
    svm_Channel *full;
    const svm_NetKernel *other; // that it waits for; NULL: none, or the control program
} Need;

static Need needOf(const svm_NetKernel *p)
{
    const svmr_Kernel *k = p->kernel->private_;
    if (p->mail && p->mail->awaited)
        return (Need){NULL, p->mail->awaited->messages->producer};
    if (k->state != SVM_BLOCKED)
        return (Need){NULL, NULL};
    svm_Channel *c = (svm_Channel *)k->blockedOn; // channels begin with their streams
    if (k->want == SVMR_WANT_ROOM)
        return (Need){c, c->consumer};
    return (Need){k->wanted > c->stream.capacity ? c : NULL, c->producer};
}

static svm_Channel *smaller(svm_Channel *a, svm_Channel *b)
{
    if (!a || !b)
        return a ? a : b;
    return b->stream.capacity * b->stream.elementSize < a->stream.capacity * a->stream.elementSize ? b : a;
}

// The smallest full stream on the way from p until `end` (NULL: as far as it goes).
static svm_Channel *smallestUntil(const svm_NetKernel *p, const svm_NetKernel *end)
{
    svm_Channel *best = NULL;
    do {
        Need need = needOf(p);
        best = smaller(best, need.full);
        p = need.other;
    } while (p && p != end);
    return best;
}

static const svm_NetKernel *next(const svm_NetKernel *p)
{
    return p ? needOf(p).other : NULL;
}

// The stream to grow so that p can go on; NULL: no room would help. `first`: the full stream that the control program
// waits for p to take from, or NULL.
static svm_Channel *inTheWay(const svm_NetKernel *p, svm_Channel *first)
{
    if (!p)
        return first;
    const svm_NetKernel *slow = p, *fast = p; // they meet if there is a cycle, on it
    do {
        slow = next(slow);
        fast = next(next(fast));
    } while (fast && fast != slow);
    svm_Channel *best = fast ? smallestUntil(fast, fast) : NULL;
    return best ? best : smaller(first, smallestUntil(p, fast));
}

static void growFull(svm_Net *n, svm_Channel *c)
{
    const svmr_Kernel *consumer = c->stream.consumerWaits;
    size_t wanted = consumer && consumer != SVMR_CONTROL_WAITS ? consumer->wanted : 0;
    growStream(n, c, 2 * (wanted > c->stream.capacity ? wanted : c->stream.capacity));
}

// So that a kernel, a paced one unless all are to go on, can; false: no room would help any.
static bool growInTheWay(svm_Net *n, bool all)
{
    svm_Channel *best = NULL;
    for (size_t i = 0; i < n->kernelCount; i++)
        if ((all || n->kernels[i]->paced) && pending(n->kernels[i]))
            best = smaller(best, inTheWay(n->kernels[i], NULL));
    if (best)
        growFull(n, best);
    return best;
}

// Blocks that a static region's last run does not fit into; true: there were some.
static bool growBlocks(svm_Net *n)
{
    bool any = false;
    for (size_t i = 0; i < n->kernelCount; i++) {
        svm_NetKernel *p = n->kernels[i];
        svm_StaticRegion *s = p->region;
        if (pending(p) || p->grow == 0)
            continue;
        for (int32_t k = 0; k < s->table->blocks; k++) {
            svm_Block *b = s->blocks[k];
            const svm_BlockRow *row = &s->table->blockRows[k];
            size_t step = row->step > 0 ? (size_t)row->step : 1;
            size_t capacity = b->capacity + (size_t)row->base + (size_t)p->grow * step;
            size_t address = svm_alloc(n->memory, capacity * b->elementSize);
            const char *old = b->data, *name = b->name;
            size_t bytes = b->capacity * b->elementSize;
            svm_blockInit(b, n->memory, address, capacity, b->elementSize);
            svm_blockName(b, name);
            memcpy(b->data, old, bytes);
            keepUntilEnd(n, address);
        }
        s->grown = p->grow;
        p->grow = 0;
        svm_kernelRun(p->kernel);
        any = true;
    }
    return any;
}

// ---- Regions that are offloaded ----

// Has other processors do the run of a static region whose kernel has returned for that; false: it has not.
static bool startOffload(svm_Net *n, const svm_NetKernel *p)
{
    if (!p->region || pending(p) || !p->region->asks)
        return false;
    n->startOffload(p->region->offload, p->region->steady);
    return true;
}

// Of all that have. True: there were some.
static bool startOffloads(svm_Net *n)
{
    bool any = false;
    for (size_t i = 0; n->offloadCount != 0 && i < n->kernelCount; i++)
        any |= startOffload(n, n->kernels[i]);
    return any;
}

// ---- Files ----

static bool writeOut(svm_Net *n)
{
    bool any = false;
    for (size_t i = 0; i < n->writerCount; i++) {
        svm_NetWriter *w = &n->writers[i];
        svm_Stream *s = &w->channel->stream;
        bool limited = n->writerInit && n->writerInit[i] >= 0 && !n->ended;
        for (size_t k; (k = svmr_frontPiece(s, limited ? (size_t)n->writerLeft[i] : SIZE_MAX)) != 0; any = true) {
            if (limited)
                n->writerLeft[i] -= (int64_t)k;
            svmr_consumes(s, NULL, here());
            svm_writerWrite(w->writer, s->data + s->front, (ptrdiff_t)k);
            svmr_popped(s, k);
        }
    }
    return any;
}

// Behind what its stream has, a dynamic-rate actor may have pushed items of whole firings that the stream does not know of.
static size_t pushedBehind(const svm_NetWriter *w, const char **from)
{
    const svm_NetKernel *p = w->channel->producer;
    const svm_DynamicActor *f = p && !p->region ? (const svm_DynamicActor *)p : NULL;
    if (!f || f->out != w->channel || !f->given)
        return 0;
    *from = f->given;
    return f->pushed < 0 ? (size_t)-f->pushed / f->out->stream.elementSize : 0; // where the firing under way began
}

void svmr_netAbandon(svm_Net *n)
{
    for (size_t i = 0; i < n->writerCount; i++) {
        const svm_NetWriter *w = &n->writers[i];
        const svm_Stream *s = &w->channel->stream;
        bool limited = n->writerInit && n->writerInit[i] >= 0 && !n->ended;
        size_t left = limited ? (size_t)n->writerLeft[i] : SIZE_MAX, count = svmr_count(s);
        size_t first = svmr_frontPiece(s, left), second = (count < left ? count : left) - first;
        const char *more = NULL;
        size_t behind = pushedBehind(w, &more);
        left -= first + second;
        svmr_writerPut(w->writer, s->data + s->front, (ptrdiff_t)first);
        svmr_writerPut(w->writer, s->data, (ptrdiff_t)second);
        if (more)
            svmr_writerPut(w->writer, more, (ptrdiff_t)(behind < left ? behind : left));
    }
}

// Reads so that the reader holds up to `wanted` items.
static void readIn(svm_NetReader *r, size_t wanted)
{
    size_t size = r->reader->elementSize;
    r->items = svmr_grow(r->items, &r->room, wanted > 0 ? wanted : 1, size);
    if (r->held < wanted)
        r->held += (size_t)svm_readerRead(r->reader, r->items + r->held * size, (ptrdiff_t)(wanted - r->held));
}

// Places for up to `wanted` items that lie side by side in a reader's stream, one at least.
static size_t roomFor(svm_Net *n, svm_NetReader *r, size_t wanted)
{
    svm_Stream *s = &r->channel->stream;
    svmr_produces(s, NULL, here());
    for (;;) {
        size_t k = svmr_backPiece(s, wanted);
        if (k != 0)
            return k;
        if (!startOffloads(n) && !await(n, NULL, s) && !writeOut(n) && !growBlocks(n))
            growFull(n, inTheWay(r->channel->consumer, r->channel));
    }
}

// The first items that a reader holds go into its stream.
static void passOn(svm_Net *n, svm_NetReader *r, size_t count)
{
    svm_Stream *s = &r->channel->stream;
    size_t size = s->elementSize;
    for (size_t done = 0; done < count;) {
        size_t k = roomFor(n, r, count - done);
        memcpy(s->data + s->back, r->items + done * size, k * size);
        svmr_pushed(s, k);
        done += k;
    }
    r->held -= count;
    memmove(r->items, r->items + count * size, r->held * size);
}

// Reads into the stream where whole steady states' items have places side by side there, up to `wanted` of them; how many
// these are. What is left of one is held.
static size_t readStraight(svm_Net *n, svm_NetReader *r, size_t wanted)
{
    svm_Stream *s = &r->channel->stream;
    size_t size = s->elementSize, each = (size_t)r->steady, states = 0;
    while (states < wanted && r->held == 0) {
        size_t k = roomFor(n, r, (wanted - states) * each) / each;
        if (k == 0) {
            readIn(r, each);
            if (r->held < each)
                break;
            passOn(n, r, each);
            states++;
            continue;
        }
        size_t got = (size_t)svm_readerRead(r->reader, s->data + s->back, (ptrdiff_t)(k * each)), left = got % each;
        r->items = svmr_grow(r->items, &r->room, left > 0 ? left : 1, size);
        memcpy(r->items, s->data + s->back + (got - left) * size, left * size);
        r->held = left;
        svmr_pushed(s, got - left);
        states += got / each;
        if (got < k * each)
            break;
    }
    return states;
}

// ---- Deadlocks ----

static int64_t lacks(const svm_NetKernel *p, const svm_Channel *c)
{
    const svmr_Kernel *k = p->kernel->private_;
    int64_t items = (int64_t)k->wanted - (int64_t)svmr_count(&c->stream);
    const svm_StaticRegion *s = p->region;
    for (int32_t i = 0; s && i < s->table->inputs; i++)
        if (s->in[i] == c)
            items = (s->started ? s->table->in[i].steady - (s->table->spare ? s->table->spare[i] : 0)
                                : s->table->in[i].needed) -
                    s->held[i];
    return items;
}

static void addWait(FILE *f, const svm_NetKernel *p, const svm_Channel *c, bool first)
{
    int64_t items = lacks(p, c);
    fprintf(f, "%s%s%s: %s'%s' waits for %lld item%s more from '%s'", first ? "" : "\n", c->row->toAt,
            first ? ": error" : ": note", first ? "deadlock: " : "", c->row->to, (long long)items,
            items == 1 ? "" : "s", c->row->from);
}

static void addMailWait(FILE *f, const svm_Way *w, bool first)
{
    fprintf(f, "%s%s%s: %s'%s' waits for '%s' to fire, which may send it a message that is due", first ? "" : "\n",
            w->row->toAt, first ? ": error" : ": note", first ? "deadlock: " : "", w->row->to, w->row->from);
}

// Whether a stream with one of the program's inputs before it gets more in the next steady states.
static bool isRead(const svm_Net *n, const svm_Channel *c)
{
    for (size_t i = 0; i < n->readerCount; i++)
        if (n->readers[i].channel == c)
            return n->readers[i].steady != 0;
    return true;
}

// Whether what a stuck kernel waits for comes at no time, whatever steady states follow: those that wait for each other in
// a circle, or for one that fires in no steady state.
static bool waitsForEver(const svm_Net *n, const svm_NetKernel *p)
{
    const svm_NetKernel *slow = p, *fast = p; // they meet if there is a circle
    do {
        slow = next(slow);
        fast = next(next(fast));
    } while (fast && fast != slow);
    if (fast)
        return true;
    while (next(p))
        p = next(p);
    if (!pending(p))
        return p->paced && p->steady == 0;
    return !isRead(n, (const svm_Channel *)p->kernel->private_->blockedOn);
}

// A paced kernel that never does its part; NULL: all will. Where all rates are static a steady state has all that it takes.
static svm_NetKernel *stuckForEver(const svm_Net *n)
{
    bool dynamic = false;
    for (size_t i = 0; i < n->kernelCount; i++)
        dynamic |= !n->kernels[i]->region;
    for (size_t i = 0; i < n->kernelCount; i++) {
        svm_NetKernel *p = n->kernels[i];
        if (p->paced && pending(p) && (!dynamic || waitsForEver(n, p)))
            return p;
    }
    return NULL;
}

// From each kernel to the one that it waits for, until one is met again or waits for nothing.
static _Noreturn void deadlock(svm_NetKernel *p)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    for (bool first = true; f && p && !p->named; first = false) {
        const svm_Way *w = p->mail ? p->mail->awaited : NULL;
        const svm_Channel *c = w ? w->messages : (const svm_Channel *)p->kernel->private_->blockedOn;
        if (!c)
            break;
        p->named = true;
        if (w)
            addMailWait(f, w, first);
        else
            addWait(f, p, c, first);
        p = c->producer;
        if (!p || !pending(p) || !p->kernel->private_->blockedOn)
            fprintf(f, "\n%s: note: '%s' has done all that it can", c->row->fromAt, c->row->from);
    }
    if (f)
        fclose(f);
    svmr_fatal("%s", text && *text ? text : "error: deadlock");
}

// ---- Steady states ----

// Kernels that nothing paces may run on other processors while the paced ones rest. Until they rest too, or nothing can go
// on: then what they keep is the control program's to look at.
static void quiesce(svm_Net *n)
{
    for (size_t i = 0; n->concurrent && i < n->kernelCount; i++)
        if (pending(n->kernels[i]) && !await(n, n->kernels[i]->kernel, NULL))
            return;
}

// Lets kernels run until the paced ones, or all, have done their part; false: they can not.
static bool settle(svm_Net *n, bool all)
{
    for (;;) {
        bool stuck = false;
        for (size_t i = 0; i < n->kernelCount && !stuck; i++)
            stuck = (all || n->kernels[i]->paced) && pending(n->kernels[i]) && !await(n, n->kernels[i]->kernel, NULL);
        if (startOffloads(n))
            continue;
        if (!stuck)
            quiesce(n);
        bool wrote = writeOut(n), grew = growBlocks(n), goes = startOffloads(n);
        if (!stuck && !grew && !goes)
            return true;
        if (stuck && !wrote && !grew && !goes && !growInTheWay(n, all))
            return false;
    }
}

static void printOut(svm_Net *n)
{
    svm_printMerge(n->logs, n->logCount);
}

static bool hasPaced(const svm_Net *n)
{
    bool any = n->readerCount != 0;
    for (size_t i = 0; i < n->kernelCount; i++)
        any |= n->kernels[i]->paced;
    return any;
}

// Those that wait for what earlier steady states did not bring go on by themselves.
static void runPaced(svm_Net *n)
{
    for (size_t i = 0; i < n->kernelCount; i++)
        if (n->kernels[i]->paced && !pending(n->kernels[i]))
            svm_kernelRun(n->kernels[i]->kernel);
    svm_NetKernel *stuck = settle(n, false) ? NULL : stuckForEver(n);
    if (stuck)
        deadlock(stuck);
}

// Kernels are to do their part of so many steady states more. Of those that still wait for items none may get any before.
static void grant(svm_Net *n, int64_t steady)
{
    for (size_t i = 0; i < n->kernelCount; i++)
        if (n->kernels[i]->paced)
            n->kernels[i]->left += n->kernels[i]->steady * steady;
}

static bool anyWaits(const svm_Net *n)
{
    for (size_t i = 0; i < n->kernelCount; i++)
        if (n->kernels[i]->paced && pending(n->kernels[i]))
            return true;
    return false;
}

// What was printed is of one phase, the initialisation or the end, whatever steady states kernels have marked in it.
static void forgetMarks(svm_Net *n)
{
    for (size_t i = 0; i < n->logCount; i++)
        n->logs[i]->markCount = 0;
}

// What a phase prints is unbounded where kernels fire as their input allows.
static void printAlone(svm_Net *n)
{
    bool unpaced = false;
    for (size_t i = 0; i < n->kernelCount; i++)
        unpaced |= !n->kernels[i]->paced;
    for (size_t i = 0; i < n->logCount; i++)
        n->logs[i]->alone = unpaced;
}

static bool start(svm_Net *n)
{
    bool enough = true;
    printAlone(n);
    for (size_t i = 0; i < n->readerCount; i++) {
        readIn(&n->readers[i], (size_t)n->readers[i].init);
        enough &= n->readers[i].held == (size_t)n->readers[i].init;
    }
    if (!enough)
        return false;
    for (size_t i = 0; i < n->readerCount; i++)
        passOn(n, &n->readers[i], n->readers[i].held);
    for (size_t i = 0; i < n->kernelCount; i++) {
        n->kernels[i]->left = n->kernels[i]->paced ? n->kernels[i]->init : -1;
        if (!n->kernels[i]->paced)
            svm_kernelRun(n->kernels[i]->kernel);
    }
    for (size_t i = 0; i < n->helperCount; i++)
        svm_kernelRun(n->helpers[i]->kernel);
    for (size_t i = 0; n->writerInit && i < n->writerCount; i++)
        n->writerLeft[i] = n->writerInit[i];
    n->started = true;
    if (n->betweenRuns)
        n->betweenRuns(n);
    runPaced(n);
    forgetMarks(n);
    printOut(n);
    return true;
}

// Reads for up to `wanted` steady states, and passes on what belongs to complete ones; how many these are. Kernels are
// granted them.
static int64_t readFor(svm_Net *n, int64_t wanted)
{
    int64_t complete = wanted;
    if (n->readerCount == 1 && n->readers[0].steady != 0 && n->readers[0].held == 0 && !anyWaits(n)) {
        complete = (int64_t)readStraight(n, &n->readers[0], (size_t)wanted);
        grant(n, complete);
        return complete;
    }
    for (size_t i = 0; i < n->readerCount; i++) {
        svm_NetReader *r = &n->readers[i];
        if (r->steady == 0)
            continue;
        readIn(r, (size_t)(r->steady * wanted));
        if ((int64_t)r->held / r->steady < complete)
            complete = (int64_t)r->held / r->steady;
    }
    grant(n, complete);
    for (size_t i = 0; i < n->readerCount; i++)
        passOn(n, &n->readers[i], (size_t)(n->readers[i].steady * complete));
    return complete;
}

bool svm_netRun(svm_Net *n, int64_t iterations)
{
    if (n->ended)
        return false;
    svmr_thread.net = n;
    if (!n->started && !start(n)) {
        n->ended = true;
        return false;
    }
    if (!hasPaced(n)) {
        n->ended = true;
        (void)settle(n, true);
        return false;
    }
    while (iterations > 0) {
        int64_t most = n->betweenRuns && n->listenStrip != 0 ? n->listenStrip : n->strip;
        int64_t wanted = iterations < most ? iterations : most, steady = readFor(n, wanted);
        for (size_t i = 0; n->writerInit && i < n->writerCount; i++)
            n->writerLeft[i] += n->writerSteady[i] * steady;
        if (steady > 0 && n->betweenRuns)
            n->betweenRuns(n);
        if (steady > 0) {
            runPaced(n);
            printOut(n);
        }
        n->steadyStates += steady;
        iterations -= steady;
        if (steady < wanted) {
            n->ended = true;
            return false;
        }
    }
    return true;
}

// ---- The end ----

// Did a steady state begin, all readers that fire in it having an item at least?
static bool hasBegun(const svm_Net *n)
{
    bool begun = true;
    for (size_t i = 0; i < n->readerCount; i++)
        begun &= n->readers[i].steady == 0 || n->readers[i].held > 0;
    return begun || !n->started;
}

static void endReaders(svm_Net *n, bool begun)
{
    for (size_t i = 0; i < n->readerCount; i++) {
        svm_NetReader *r = &n->readers[i];
        size_t most = !begun || !n->ended ? 0 : (size_t)(n->started ? r->steady : r->init);
        passOn(n, r, r->held < most ? r->held : most);
        svmr_produces(&r->channel->stream, NULL, here());
        svm_streamEnd(&r->channel->stream);
    }
}

// The first dynamic-rate actor that waits for an item to begin with is told that it gets none; false: there is none.
static bool tellDry(svm_Net *n)
{
    for (size_t i = 0; i < n->kernelCount; i++) {
        svm_NetKernel *p = n->kernels[i];
        if (!p->waitsToBegin || !pending(p))
            continue;
        p->dry = true;
        svm_kernelPause(p->kernel);
        svm_kernelRun(p->kernel);
        return true;
    }
    return false;
}

void svm_netFinish(svm_Net *n)
{
    bool begun = hasBegun(n);
    for (size_t i = 0; i < n->kernelCount; i++) {
        svm_NetKernel *p = n->kernels[i];
        p->finish = true;
        bool alone = p->region && (p->mail || p->sender); // one actor
        bool source = p->source || (alone && p->region->table->sources);
        if (!p->paced || (n->ended && !source))
            p->left = -1;
        else if (n->ended && begun)
            p->left += n->started ? p->steady : p->init;
        if (p->region && p->paced && n->ended && !alone) {
            p->region->interrupted = true;
            p->region->begun = begun;
        }
    }
    for (size_t i = 0; i < n->kernelCount; i++) { // which may wake others
        const svm_NetKernel *p = n->kernels[i];
        if (!pending(p) && !p->ended && !startOffload(n, p)) // one that nothing paces may have asked meanwhile
            svm_kernelRun(p->kernel);
    }
    endReaders(n, begun);
    while (!settle(n, true) && (tellDry(n) || svmr_endMail(n)))
        continue;
    forgetMarks(n);
    printOut(n);
    svmr_endTagged(n->logs, n->logCount);
    for (size_t i = 0; i < n->kernelCount; i++)
        if (pending(n->kernels[i]))
            svm_kernelEnd(n->kernels[i]->kernel);
}

// ---- Setting up ----

void svm_channelInit(svm_Net *n, svm_Channel *c, const svm_ChannelRow *row)
{
    svmr_machine()->deepStacks = true;
    c->row = row;
    c->address = svm_alloc(n->memory, row->capacity * row->itemSize);
    svm_streamInit(&c->stream, n->memory, c->address, row->capacity, row->itemSize);
    svm_streamName(&c->stream, row->name);
}

enum { CHUNKS_WAITING = 2 };

void svm_helperInit(svm_Net *n, svm_Helper *h, svm_Kernel *kernel, svm_StaticRegion *of, svm_StaticRegion *region,
                    svm_Block *own)
{
    h->kernel = kernel;
    h->of = of;
    h->region = region;
    region->table = of->table;
    h->address = svm_alloc(n->memory, 2 * CHUNKS_WAITING * sizeof(svm_Chunk));
    keepUntilEnd(n, h->address);
    svm_streamInit(&h->chunks, n->memory, h->address, CHUNKS_WAITING, sizeof(svm_Chunk));
    svm_streamName(&h->chunks, "chunks");
    svm_streamInit(&h->done, n->memory, h->address + CHUNKS_WAITING * sizeof(svm_Chunk), CHUNKS_WAITING,
                   sizeof(svm_Chunk));
    svm_streamName(&h->done, "chunks done");
    for (int32_t i = 0; i < of->table->blocks; i++) {
        const svm_Block *b = of->blocks[i];
        bool end = false;
        for (int32_t k = 0; k < of->table->inputs; k++)
            end |= of->inBlocks[k] == b;
        for (int32_t k = 0; k < of->table->outputs; k++)
            end |= of->outBlocks[k] == b;
        own[i] = *b; // a window, until there is a chunk
        if (end)
            continue;
        size_t address = svm_alloc(n->memory, b->capacity * b->elementSize);
        keepUntilEnd(n, address);
        svm_blockInit(&own[i], n->memory, address, b->capacity, b->elementSize);
        svm_blockName(&own[i], b->name);
    }
}

void svm_channelFill(svm_Channel *c, const void *items, size_t count)
{
    if (items)
        memcpy(c->stream.data, items, count * c->stream.elementSize);
    else
        memset(c->stream.data, 0, count * c->stream.elementSize);
    svm_streamFill(&c->stream, count);
}

void svm_netDestroy(svm_Net *n)
{
    for (size_t i = 0; i < n->kernelCount; i++)
        if (pending(n->kernels[i]))
            svm_kernelEnd(n->kernels[i]->kernel);
    for (size_t i = 0; i < n->helperCount; i++)
        if (isPending(n->helpers[i]->kernel) && !await(NULL, n->helpers[i]->kernel, NULL))
            svm_kernelEnd(n->helpers[i]->kernel);
    for (size_t i = 0; i < n->kernelCount; i++)
        svm_kernelDestroy(n->kernels[i]->kernel);
    for (size_t i = 0; i < n->helperCount; i++) {
        svm_kernelDestroy(n->helpers[i]->kernel);
        svm_streamDestroy(&n->helpers[i]->chunks);
        svm_streamDestroy(&n->helpers[i]->done);
    }
    svmr_destroyMail(n);
    for (size_t i = 0; i < n->channelCount; i++) {
        svm_streamDestroy(&n->channels[i].stream);
        svm_free(n->memory, n->channels[i].address);
    }
    for (size_t i = 0; i < n->addressCount; i++)
        svm_free(n->memory, n->addresses[i]);
    svm_netForget(n);
}

void svm_netForget(svm_Net *n)
{
    if (svmr_thread.net == n)
        svmr_thread.net = NULL;
    svmr_forgetMail(n);
    free(n->addresses);
    n->addresses = NULL;
    for (size_t i = 0; i < n->readerCount; i++) {
        free(n->readers[i].items);
        n->readers[i].items = NULL;
    }
}
