// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Teleport messages: when they are due, how they go, and how far receivers may run ahead.
//
// NOTE(in time). A receiver downstream of the sender has its items from the sender's firings, and messages go before
// items: when it looks, all that are due with the items it has are there. One upstream (or held) looks after it has
// seen how often the sender has fired, and runs only as far as later messages leave alone.
#include "runtime/common/program_messages.h"

#include <stdlib.h>

#define NEVER INT64_MAX

// ---- Stream dependences ----

static int64_t sdep(const svm_WayRow *r, int64_t n)
{
    if (n <= 0)
        return 0;
    if (n < r->known)
        return r->sdep[n];
    if (r->period == 0)
        return r->sdep[r->known - 1];
    int64_t rounds = (n - r->known) / r->period + 1;
    return r->sdep[n - rounds * r->period] + rounds * r->step;
}

// The least count from 1 on whose sdep is at least `firings`.
static inline int64_t firstThatNeeds(const svm_WayRow *r, int64_t firings)
{
    int64_t last = r->known - 1, rounds = 0;
    if (firings > r->sdep[last]) {
        if (r->period == 0 || r->step == 0)
            return NEVER;
        rounds = (firings - r->sdep[last] + r->step - 1) / r->step;
        firings -= rounds * r->step;
    }
    int64_t low = 1, high = last;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (r->sdep[middle] >= firings)
            high = middle;
        else
            low = middle + 1;
    }
    return low + rounds * r->period;
}

int64_t svmr_firstThatNeeds(const svm_WayRow *r, int64_t firings)
{
    return firstThatNeeds(r, firings);
}

// The receiver's firing before which a message of the sender's n-th firing is due; 0: that has passed.
static int64_t dueAt(const svm_WayRow *r, int64_t n, int64_t latency)
{
    if (r->anytime)
        return NEVER;
    if (r->upstream) {
        int64_t after = sdep(r, n + latency);
        return after < sdep(r, n) ? 0 : after == NEVER ? NEVER : after + 1;
    }
    int64_t m = firstThatNeeds(r, n + latency);
    return m != NEVER && sdep(r, m) < n ? 0 : m;
}

// ---- Sending ----

static svmr_Place placeOf(void)
{
    return (svmr_Place){"svm_send", NULL, 0};
}

static SVMR_COLD _Noreturn void failMissed(const char *where, int32_t latency, const char *sender)
{
    svmr_fatal("%s%serror: missed message delivery: with latency %d, a receiver has passed the firing before which the "
               "message of '%s' is due",
               where, *where ? ": " : "", (int)latency, sender);
}

static void write(char *to, const svm_Message *message, const void *arguments, size_t size)
{
    memcpy(to, message, sizeof *message);
    if (size != 0)
        memcpy(to + sizeof *message, arguments, size);
}

static void post(svm_Way *w, const svm_Message *message, const void *arguments, size_t size)
{
    svmr_Kernel *p = svmr_thread.current;
    svm_Stream *to = &w->messages->stream;
    svm_Machine *m = to->machine;
    svmr_lock(m);
    bool full = w->moreCount != 0 || svmr_room(to) == 0;
    if (full) {
        w->more = svmr_grow(w->more, &w->moreRoom, w->moreCount + 1, to->elementSize);
        write(w->more + w->moreCount++ * to->elementSize, message, arguments, size);
    }
    svmr_unlock(m);
    if (full)
        return;
    svmr_produces(to, p, placeOf());
    svmr_onStream(p, to, SVMR_CALL_PUSH, 1);
    write(to->data + to->back, message, arguments, size);
    svmr_onStream(p, to, SVMR_CALL_PUSHED, 1);
    svmr_pushed(to, 1);
}

void svm_send(svm_Sender *s, int32_t portal, int32_t handler, int32_t latency, const char *where, const void *arguments,
              size_t size)
{
    for (int32_t i = 0; i < s->count; i++) {
        svm_Way *w = s->ways[i];
        if (s->portals[i] != portal)
            continue;
        int64_t due = dueAt(w->row, s->firing, latency);
        if (due == 0)
            failMissed(where, latency, w->row->from);
        if (due == NEVER && !w->row->anytime)
            continue;
        svm_Message message = {.due = due, .where = where, .handler = handler, .latency = latency};
        post(w, &message, arguments, size);
    }
}

static bool isWaitedFor(const svm_Way *w)
{
    return w->row->upstream || w->row->held;
}

void svmr_tellFirings(svm_Sender *s)
{
    for (int32_t i = 0; i < s->count; i++)
        if (isWaitedFor(s->ways[i]))
            svmr_publish(&s->ways[i]->done, (size_t)s->firing);
}

static void endWay(svm_Way *w)
{
    __atomic_store_n(&w->done.ended, true, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&w->done.consumerWaits, __ATOMIC_SEQ_CST))
        svmr_wakeConsumer(&w->done);
}

void svmr_endFirings(svm_Sender *s)
{
    for (int32_t i = 0; i < s->count; i++)
        endWay(s->ways[i]);
}

// ---- Receiving ----

struct svm_Pending {
    svm_Message *message; // with its arguments
    int32_t way;
};

static inline void add(svm_Mail *m, struct svm_Pending new)
{
    if (m->first != 0 && m->first >= m->count) { // those that were delivered make room
        memcpy(m->pending, m->pending + m->first, m->count * sizeof *m->pending);
        m->first = 0;
    }
    m->pending = svmr_grow(m->pending, &m->room, m->first + m->count + 1, sizeof *m->pending);
    struct svm_Pending *pending = m->pending + m->first;
    size_t i = m->count++;
    for (; i > 0; i--) {
        const struct svm_Pending *before = &pending[i - 1];
        if (before->message->due < new.message->due ||
            (before->message->due == new.message->due && before->way <= new.way))
            break;
        pending[i] = *before;
    }
    pending[i] = new;
}

// A message as it came from a way.
static void receive(svm_Mail *m, int32_t way, const char *record)
{
    const svm_Way *w = m->ways[way];
    size_t size = w->messages->stream.elementSize;
    svm_Message *message = svmr_allocate(1, size);
    memcpy(message, record, size);
    message->arguments = message + 1;
    if (w->row->anytime)
        message->due = m->completed + 1;
    if (message->due <= m->completed)
        failMissed(message->where, message->latency, w->row->from);
    add(m, (struct svm_Pending){message, way});
}

// Those from outside go before others that are due at once.
static SVMR_COLD void collectGiven(svm_Mail *m)
{
    svmr_lock(m->machine);
    for (size_t i = 0; i < m->givenCount; i++) {
        svm_Message *message = m->given[i];
        if (message->due <= m->completed)
            message->due = m->completed + 1;
        add(m, (struct svm_Pending){message, -1});
    }
    m->givenCount = 0;
    svmr_unlock(m->machine);
}

static void collect(svm_Mail *m)
{
    svmr_Kernel *p = svmr_thread.current;
    if (__atomic_load_n(&m->givenCount, __ATOMIC_ACQUIRE) != 0)
        collectGiven(m);
    for (int32_t i = 0; i < m->wayCount; i++) {
        svm_Way *w = m->ways[i];
        svm_Stream *s = &w->messages->stream;
        svmr_lock(s->machine);
        size_t more = w->moreCount; // while there are such none goes into the stream
        svmr_unlock(s->machine);
        for (size_t n = svmr_count(s); n > 0; n--) {
            svmr_consumes(s, p, (svmr_Place){"svm_mailNext", NULL, 0});
            svmr_onStream(p, s, SVMR_CALL_POP, 1);
            receive(m, i, s->data + s->front);
            svmr_onStream(p, s, SVMR_CALL_POPPED, 1);
            svmr_popped(s, 1);
        }
        if (more == 0)
            continue;
        svmr_lock(s->machine);
        for (size_t k = 0; k < more; k++)
            receive(m, i, w->more + k * s->elementSize);
        w->moreCount -= more;
        memmove(w->more, w->more + more * s->elementSize, w->moreCount * s->elementSize);
        svmr_unlock(s->machine);
    }
}

// How far the receiver may come, and how often the sender must have fired for its next firing.
static int64_t limitOf(const svm_Way *w, int64_t sent)
{
    const svm_WayRow *r = w->row;
    if (r->upstream)
        return sdep(r, sent + 1 + r->latency);
    int64_t next = firstThatNeeds(r, sent + 1);
    return next == NEVER ? NEVER : next - 1;
}

static int64_t firingsFor(const svm_Way *w, int64_t next)
{
    const svm_WayRow *r = w->row;
    if (!r->upstream)
        return sdep(r, next);
    int64_t n = firstThatNeeds(r, next);
    return n == NEVER ? NEVER : n - 1 - r->latency;
}

int64_t svmr_mailAllows(svm_Mail *m, int64_t k)
{
    for (int32_t i = 0; i < m->wayCount && k > 0; i++) {
        const svm_Way *w = m->ways[i];
        if (!isWaitedFor(w) || svmr_ended(&w->done))
            continue;
        int64_t limit = limitOf(w, (int64_t)svmr_count(&w->done));
        if (limit == NEVER)
            continue;
        k = limit - m->completed < k ? limit - m->completed : k;
        if (k <= 0)
            m->awaited = w;
    }
    return k > 0 ? k : 0;
}

int64_t svmr_awaitMail(svm_Mail *m, int64_t k)
{
    int64_t allowed;
    while ((allowed = svmr_mailAllows(m, k)) == 0) {
        svm_Stream *done = (svm_Stream *)(uintptr_t)&m->awaited->done;
        svmr_awaitItems(done, (size_t)firingsFor(m->awaited, m->completed + 1), NULL);
    }
    m->awaited = NULL;
    return allowed;
}

int64_t svmr_cutAtMail(svm_Mail *m, int64_t k)
{
    collect(m);
    for (size_t i = 0; i < m->count; i++) {
        int64_t before = m->pending[m->first + i].message->due - m->completed - 1;
        if (before > 0) {
            k = before < k ? before : k;
            break;
        }
    }
    m->open = k > 0;
    return k;
}

svm_Message *svm_mailNext(svm_Mail *m)
{
    if (m->current) {
        free(m->current);
        m->current = NULL;
    }
    if (!m->open || m->count == 0 || m->pending[m->first].message->due > m->completed + 1)
        return NULL;
    m->current = m->pending[m->first++].message;
    m->count--;
    return m->current;
}

// ---- The control side ----

void svmr_giveMail(svm_Mail *m, int64_t due, int32_t handler, const void *arguments, size_t size)
{
    svm_Message *message = svmr_allocate(1, sizeof *message + size);
    *message = (svm_Message){.due = due, .where = "", .handler = handler, .arguments = message + 1};
    if (size != 0)
        memcpy(message + 1, arguments, size);
    svm_Machine *machine = svmr_machine();
    svmr_lock(machine);
    m->machine = machine;
    m->given = svmr_grow(m->given, &m->givenRoom, m->givenCount + 1, sizeof *m->given);
    m->given[m->givenCount] = message;
    __atomic_store_n(&m->givenCount, m->givenCount + 1, __ATOMIC_RELEASE);
    svmr_unlock(machine);
}

void svm_wayInit(svm_Net *n, svm_Way *w, const svm_WayRow *row, svm_Channel *messages)
{
    w->row = row;
    w->messages = messages;
    w->address = svm_alloc(n->memory, sizeof(int64_t));
    svm_streamInit(&w->done, n->memory, w->address, 1, sizeof(int64_t));
    svm_streamName(&w->done, row->from);
}

bool svmr_endMail(svm_Net *n)
{
    bool any = false;
    for (size_t i = 0; i < n->wayCount; i++) {
        any |= isWaitedFor(&n->ways[i]) && !svmr_ended(&n->ways[i].done);
        endWay(&n->ways[i]);
    }
    return any;
}

static void destroyOf(svm_Mail *m)
{
    for (size_t i = 0; i < m->count; i++)
        free(m->pending[m->first + i].message);
    for (size_t i = 0; i < m->givenCount; i++)
        free(m->given[i]);
    free(m->given);
    free(m->current);
    free(m->pending);
    m->given = NULL;
    m->givenCount = m->givenRoom = 0;
    m->current = NULL;
    m->pending = NULL;
    m->first = m->count = m->room = 0;
}

void svmr_destroyMail(svm_Net *n)
{
    for (size_t i = 0; i < n->wayCount; i++) {
        svm_streamDestroy(&n->ways[i].done);
        svm_free(n->memory, n->ways[i].address);
    }
}

void svmr_forgetMail(svm_Net *n)
{
    for (size_t i = 0; i < n->kernelCount; i++)
        if (n->kernels[i] && n->kernels[i]->mail)
            destroyOf(n->kernels[i]->mail);
    for (size_t i = 0; i < n->wayCount; i++) {
        free(n->ways[i].more);
        n->ways[i].more = NULL;
    }
}
