// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The control side of programs with dynamic rates: files, steady states of the paced pieces, streams and blocks that
// grow, the end of input, and deadlocks.
//
// NOTE(stuck). The control program waits for kernels until they have done their part or nothing can go on. Then it
// takes what there is for files, gives blocks and streams the room that somebody waits for, and waits again. What is
// stuck with no stream full is a deadlock; at the end it is what pieces in a feedback loop come to.
#include <setjmp.h>
#include <stdlib.h>

#include "runtime/common/program_messages.h"
#include "svm/library.h"

static svmr_Place here(void)
{
    return (svmr_Place){"svm_netRun", NULL, 0};
}

// ---- Waiting for what may never come ----

typedef struct Catch {
    jmp_buf jump;
    svm_ErrorHandler *handler;
    void *context;
} Catch;

static void onError(const svm_ErrorReport *r, void *context)
{
    Catch *c = context;
    svm_setErrorHandler(c->handler, c->context);
    if (r->error == SVM_ERROR_DEADLOCK)
        longjmp(c->jump, 1);
    if (c->handler)
        c->handler(r, c->context);
    svmr_fatal("%s", svmr_formatReport(r));
}

static bool pending(const svm_Piece *p)
{
    return svmr_pending(p->kernel->private_);
}

// Until the piece's kernel rests, or there is room in the stream (the other is NULL); false: nothing can go on.
static bool await(const svm_Piece *p, svm_Stream *s)
{
    Catch c = {.handler = svmr_thread.handler, .context = svmr_thread.handlerContext};
    if (setjmp(c.jump))
        return false;
    svm_setErrorHandler(onError, &c);
    if (p)
        svm_kernelWait(p->kernel);
    else
        svmr_awaitRoom(s, 1, here());
    svm_setErrorHandler(c.handler, c.context);
    return true;
}

// ---- Room ----

static void keepUntilEnd(svm_Net *n, size_t address)
{
    n->addresses = svmr_grow(n->addresses, &n->addressRoom, n->addressCount + 1, sizeof *n->addresses);
    n->addresses[n->addressCount++] = address;
}

static void growStream(svm_Net *n, svm_Channel *c, size_t capacity)
{
    svm_Stream *s = &c->stream;
    svm_Machine *m = s->machine;
    size_t count = svmr_count(s), size = s->elementSize, first = svmr_frontPiece(s, SIZE_MAX);
    if (capacity > SIZE_MAX / size / 2)
        svmr_fatalProgram("out of memory: more items from '%s' to '%s' than any memory holds", c->row->from, c->row->to);
    size_t address = svm_alloc(n->memory, capacity * size);
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

// Gives the smallest of the streams that somebody waits for more room; false: there is none.
static bool growSmallest(svm_Net *n)
{
    svm_Channel *best = NULL;
    for (size_t i = 0; i < n->channelCount; i++) {
        svm_Channel *c = &n->channels[i];
        svm_Stream *s = &c->stream;
        const svmr_Kernel *consumer = s->consumerWaits;
        if (consumer && consumer != SVMR_CONTROL_WAITS && consumer->wanted > s->capacity) {
            growStream(n, c, 2 * consumer->wanted);
            return true;
        }
        size_t bytes = s->capacity * s->elementSize;
        if (s->producerWaits && (!best || bytes < best->stream.capacity * best->stream.elementSize))
            best = c;
    }
    if (best)
        growStream(n, best, 2 * best->stream.capacity);
    return best;
}

// Blocks that an island's last run does not fit into; true: there were some.
static bool growBlocks(svm_Net *n)
{
    bool any = false;
    for (size_t i = 0; i < n->pieceCount; i++) {
        svm_Piece *p = n->pieces[i];
        svm_Island *s = p->island;
        if (p->grow == 0 || pending(p))
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

// Reads so that the reader holds up to `wanted` items.
static void readIn(svm_NetReader *r, size_t wanted)
{
    size_t size = r->reader->elementSize;
    r->items = svmr_grow(r->items, &r->room, wanted > 0 ? wanted : 1, size);
    if (r->held < wanted)
        r->held += (size_t)svm_readerRead(r->reader, r->items + r->held * size, (ptrdiff_t)(wanted - r->held));
}

// The first items that a reader holds go into its stream.
static void passOn(svm_Net *n, svm_NetReader *r, size_t count)
{
    svm_Stream *s = &r->channel->stream;
    size_t size = s->elementSize;
    for (size_t done = 0; done < count;) {
        svmr_produces(s, NULL, here());
        size_t k = svmr_backPiece(s, count - done);
        if (k == 0) {
            if (!await(NULL, s) && !writeOut(n) && !growBlocks(n) && !growSmallest(n))
                growStream(n, r->channel, 2 * s->capacity);
            else if (svmr_room(s) == 0)
                growStream(n, r->channel, 2 * s->capacity);
            continue;
        }
        memcpy(s->data + s->back, r->items + done * size, k * size);
        svmr_pushed(s, k);
        done += k;
    }
    r->held -= count;
    memmove(r->items, r->items + count * size, r->held * size);
}

// ---- Deadlocks ----

static int64_t lacks(const svm_Piece *p, const svm_Channel *c)
{
    const svmr_Kernel *k = p->kernel->private_;
    int64_t items = (int64_t)k->wanted - (int64_t)svmr_count(&c->stream);
    const svm_Island *s = p->island;
    for (int32_t i = 0; s && i < s->table->inputs; i++)
        if (s->in[i] == c)
            items = (s->started ? s->table->in[i].steady - (s->table->spare ? s->table->spare[i] : 0) : s->table->in[i].needed) - s->held[i];
    return items;
}

static void addWait(FILE *f, const svm_Piece *p, const svm_Channel *c, bool first)
{
    int64_t items = lacks(p, c);
    fprintf(f, "%s%s%s: %s'%s' waits for %lld item%s more from '%s'", first ? "" : "\n", c->row->toAt,
            first ? ": error" : ": note", first ? "deadlock: " : "", c->row->to, (long long)items, items == 1 ? "" : "s",
            c->row->from);
}

static void addMailWait(FILE *f, const svm_Way *w, bool first)
{
    fprintf(f, "%s%s%s: %s'%s' waits for '%s' to fire, which may send it a message that is due", first ? "" : "\n",
            w->row->toAt, first ? ": error" : ": note", first ? "deadlock: " : "", w->row->to, w->row->from);
}

// From each piece to the one that it waits for, until one is met again or waits for nothing.
static _Noreturn void deadlock(svm_Net *n)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    svm_Piece *p = NULL;
    for (size_t i = 0; i < n->pieceCount && !p; i++)
        if (n->pieces[i]->paced && pending(n->pieces[i]))
            p = n->pieces[i];
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

// Lets kernels run until the paced ones, or all, have done their part; false: they can not.
static bool settle(svm_Net *n, bool all)
{
    for (;;) {
        bool stuck = false;
        for (size_t i = 0; i < n->pieceCount && !stuck; i++)
            stuck = (all || n->pieces[i]->paced) && pending(n->pieces[i]) && !await(n->pieces[i], NULL);
        bool wrote = writeOut(n), grew = growBlocks(n);
        if (!stuck && !grew)
            return true;
        if (stuck && !wrote && !grew && !growSmallest(n))
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
    for (size_t i = 0; i < n->pieceCount; i++)
        any |= n->pieces[i]->paced;
    return any;
}

static void runPaced(svm_Net *n)
{
    for (size_t i = 0; i < n->pieceCount; i++)
        if (n->pieces[i]->paced)
            svm_kernelRun(n->pieces[i]->kernel);
    if (!settle(n, false))
        deadlock(n);
    printOut(n);
}

static bool start(svm_Net *n)
{
    bool enough = true;
    for (size_t i = 0; i < n->readerCount; i++) {
        readIn(&n->readers[i], (size_t)n->readers[i].init);
        enough &= n->readers[i].held == (size_t)n->readers[i].init;
    }
    if (!enough)
        return false;
    for (size_t i = 0; i < n->readerCount; i++)
        passOn(n, &n->readers[i], n->readers[i].held);
    for (size_t i = 0; i < n->pieceCount; i++) {
        n->pieces[i]->left = n->pieces[i]->paced ? n->pieces[i]->init : -1;
        if (!n->pieces[i]->paced)
            svm_kernelRun(n->pieces[i]->kernel);
    }
    for (size_t i = 0; n->writerInit && i < n->writerCount; i++)
        n->writerLeft[i] = n->writerInit[i];
    n->started = true;
    runPaced(n);
    return true;
}

// Reads for up to `wanted` steady states, and passes on what belongs to complete ones; how many these are.
static int64_t readFor(svm_Net *n, int64_t wanted)
{
    int64_t complete = wanted;
    for (size_t i = 0; i < n->readerCount; i++) {
        svm_NetReader *r = &n->readers[i];
        if (r->steady == 0)
            continue;
        readIn(r, (size_t)(r->steady * wanted));
        if ((int64_t)r->held / r->steady < complete)
            complete = (int64_t)r->held / r->steady;
    }
    for (size_t i = 0; i < n->readerCount; i++)
        passOn(n, &n->readers[i], (size_t)(n->readers[i].steady * complete));
    return complete;
}

bool svm_netRun(svm_Net *n, int64_t iterations)
{
    if (n->ended)
        return false;
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
        int64_t wanted = iterations < n->strip ? iterations : n->strip, steady = readFor(n, wanted);
        for (size_t i = 0; i < n->pieceCount; i++)
            if (n->pieces[i]->paced)
                n->pieces[i]->left = n->pieces[i]->steady * steady;
        for (size_t i = 0; n->writerInit && i < n->writerCount; i++)
            n->writerLeft[i] += n->writerSteady[i] * steady;
        if (steady > 0)
            runPaced(n);
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

// The first flow that waits for an item to begin with is told that it gets none; false: there is none.
static bool tellDry(svm_Net *n)
{
    for (size_t i = 0; i < n->pieceCount; i++) {
        svm_Piece *p = n->pieces[i];
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
    for (size_t i = 0; i < n->pieceCount; i++) {
        svm_Piece *p = n->pieces[i];
        p->finish = true;
        bool alone = p->island && (p->mail || p->sender); // one actor
        bool source = p->source || (alone && p->island->table->sources);
        p->left = !p->paced ? -1 : !n->ended ? 0 : !source ? -1 : !begun ? 0 : n->started ? p->steady : p->init;
        if (p->island && p->paced && n->ended && !alone) {
            p->island->interrupted = true;
            p->island->begun = begun;
        }
        if (!pending(p) && !p->ended)
            svm_kernelRun(p->kernel);
    }
    endReaders(n, begun);
    while (!settle(n, true) && (tellDry(n) || svmr_endMail(n)))
        continue;
    printOut(n);
    svmr_endTagged(n->logs, n->logCount);
    for (size_t i = 0; i < n->pieceCount; i++)
        if (pending(n->pieces[i]))
            svm_kernelEnd(n->pieces[i]->kernel);
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
    for (size_t i = 0; i < n->pieceCount; i++)
        if (pending(n->pieces[i]))
            svm_kernelEnd(n->pieces[i]->kernel);
    for (size_t i = 0; i < n->pieceCount; i++)
        svm_kernelDestroy(n->pieces[i]->kernel);
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
    svmr_forgetMail(n);
    free(n->addresses);
    n->addresses = NULL;
    for (size_t i = 0; i < n->readerCount; i++) {
        free(n->readers[i].items);
        n->readers[i].items = NULL;
    }
}
