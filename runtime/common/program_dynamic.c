// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dynamic-rate actors: firings straight on streams. One works on the items that lie side by side at the front of its
// input and the places at the back of its output; streams are told what it did when these are used up, before it waits, and when the
// kernel returns.
#include "runtime/common/program_messages.h"

#include <stdlib.h>

// ---- Waiting ----

void svmr_awaitItems(svm_Stream *s, size_t wanted, const bool *over)
{
    svmr_Kernel *p = svmr_current(s->machine);
    // The control program gives the stream room for as many if it has less, and may set *over and wake the kernel.
    while (svmr_count(s) < wanted && !svmr_ended(s) && !(over && *over)) {
        svmr_block(p, s, SVMR_WANT_ELEMENTS, wanted, (svmr_Place){"svm_dynamicPeek", NULL, 0});
        if (__atomic_load_n(&p->serial, __ATOMIC_RELAXED) & SVMR_INTERRUPTED)
            svmr_obey(p);
    }
    s->seenWritten = __atomic_load_n(&s->written, __ATOMIC_ACQUIRE);
}

// ---- Windows ----

static void synchronise(svm_DynamicActor *f)
{
    svmr_Kernel *p = svmr_thread.current;
    if (f->front != f->taken) {
        svm_Stream *s = &f->in->stream;
        size_t n = (size_t)(f->front - f->taken) / s->elementSize;
        f->popped += f->front - f->taken;
        svmr_onStream(p, s, SVMR_CALL_POP, n);
        svmr_onStream(p, s, SVMR_CALL_POPPED, n);
        f->taken = f->front;
        svmr_popped(s, n);
    }
    if (f->back != f->given) {
        svm_Stream *s = &f->out->stream;
        size_t n = (size_t)(f->back - f->given) / s->elementSize;
        f->pushed += f->back - f->given;
        svmr_onStream(p, s, SVMR_CALL_PUSH, n);
        svmr_onStream(p, s, SVMR_CALL_PUSHED, n);
        f->given = f->back;
        svmr_pushed(s, n);
    }
}

// So many items in bytes; -1: no bound.
static ptrdiff_t bytes_of(int64_t items, const svm_Channel *c)
{
    ptrdiff_t bytes;
    return items < 0 || __builtin_mul_overflow(items, c ? (ptrdiff_t)c->stream.elementSize : 0, &bytes) ? PTRDIFF_MAX
                                                                                                        : bytes;
}

// The end of a window, or of as much of it as a firing may still use.
static char *end_of(char *from, char *end, ptrdiff_t most, int64_t used)
{
    int64_t left = most > used ? most - used : 0;
    return most != PTRDIFF_MAX && end - from > left ? from + left : end;
}

// Where declared counts end the windows.
static void limit(svm_DynamicActor *f)
{
    const svm_DynamicRates *r = f->rates;
    f->popEnd = f->peekEnd = f->windowEnd;
    f->pushEnd = f->roomEnd;
    char *from = (char *)(uintptr_t)f->front, *end = (char *)(uintptr_t)f->windowEnd;
    int64_t popped = f->popped + (f->front - f->taken);
    if (f->in && !r->popsSo)
        f->popEnd = end_of(from, end, bytes_of(r->popMax, f->in), popped);
    if (f->in && !r->peeksSo)
        f->peekEnd = end_of(from, end, bytes_of(svm_dynamicMostPeeked(r), f->in), popped);
    if (f->out && !r->pushesSo)
        f->pushEnd = end_of(f->back, f->roomEnd, bytes_of(r->pushMax, f->out), f->pushed + (f->back - f->given));
}

// After the streams were told everything.
static void look(svm_DynamicActor *f)
{
    if (f->in) {
        const svm_Stream *s = &f->in->stream;
        f->front = f->taken = s->data + s->front;
        f->windowEnd = f->front + svmr_frontPiece(s, SIZE_MAX) * s->elementSize;
    }
    if (f->out) {
        const svm_Stream *s = &f->out->stream;
        f->back = f->given = s->data + s->back;
        f->roomEnd = f->back + svmr_backPiece(s, SIZE_MAX) * s->elementSize;
    }
    limit(f);
}

// ---- Firings ----

static void endOutputs(svm_DynamicActor *f)
{
    f->common.ended = true;
    if (f->common.sender)
        svmr_endFirings(f->common.sender);
    if (f->out)
        svm_streamEnd(&f->out->stream);
}

// No more items come: what the firing has done stays, and it goes no further.
static _Noreturn void giveUp(svm_DynamicActor *f)
{
    endOutputs(f);
    svm_kernelEnd(f->common.kernel);
    abort(); // it does not return
}

static SVMR_COLD _Noreturn SVMR_PRINTF(2, 3) void fail(const svm_DynamicActor *f, const char *format, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, format);
    if (vasprintf(&text, format, args) < 0)
        text = NULL;
    va_end(args);
    const char *place = f->rates->place;
    svmr_fatal("%s%serror: %s", place, *place ? ": " : "", text ? text : "out of memory");
}

static SVMR_COLD _Noreturn void failRate(const svm_DynamicActor *f, const char *what, int64_t declared)
{
    fail(f, "'%s' %s more than the %lld item%s a firing that it declares", f->rates->name, what, (long long)declared,
         declared == 1 ? "" : "s");
}

const void *svm_dynamicPopNext(svm_DynamicActor *f, size_t size)
{
    synchronise(f);
    if (!f->in || f->popped >= bytes_of(f->rates->popMax, f->in))
        failRate(f, "pops", f->in ? f->rates->popMax : 0);
    svmr_awaitItems(&f->in->stream, 1, NULL);
    if (svmr_count(&f->in->stream) == 0)
        giveUp(f);
    look(f);
    const char *item = f->front;
    f->front += size;
    return item;
}

const void *svm_dynamicPeekNext(svm_DynamicActor *f, ptrdiff_t offset, size_t size)
{
    synchronise(f);
    int64_t most = svm_dynamicMostPeeked(f->rates), popped = f->in ? f->popped / (int64_t)size : 0;
    if (!f->in || offset < 0 || (most >= 0 && popped + offset >= most))
        fail(f, "peek(%td) in '%s' is outside the window, of which %lld items are left", offset, f->rates->name,
             (long long)(f->in && most >= 0 ? most - popped : 0));
    svm_Stream *s = &f->in->stream;
    svmr_awaitItems(s, (size_t)offset + 1, NULL);
    if (svmr_count(s) <= (size_t)offset)
        giveUp(f);
    look(f);
    size_t place = s->front + (size_t)offset * size, bytes = s->capacity * size;
    return s->data + (place >= bytes ? place - bytes : place);
}

void *svm_dynamicPushNext(svm_DynamicActor *f, size_t size)
{
    synchronise(f);
    if (!f->out || f->pushed >= bytes_of(f->rates->pushMax, f->out))
        failRate(f, "pushes", f->out ? f->rates->pushMax : 0);
    if (svmr_room(&f->out->stream) == 0)
        svmr_awaitRoom(&f->out->stream, 1, (svmr_Place){"svm_dynamicPush", NULL, 0});
    look(f);
    char *item = f->back;
    f->back += size;
    return item;
}

// The kernel begins to run, or goes on after others ran: both ends may have been someone else's.
static void takeEnds(svm_DynamicActor *f)
{
    svmr_Kernel *p = svmr_thread.current;
    svmr_Place at = {"svm_dynamicBegin", NULL, 0};
    if (f->in)
        svmr_consumes(&f->in->stream, p, at);
    if (f->out)
        svmr_produces(&f->out->stream, p, at);
}

// Waits for the items with which a firing begins; false: they do not come.
static bool awaitBeginning(svm_DynamicActor *f, size_t need, bool takes)
{
    svm_Stream *s = &f->in->stream;
    bool mayBeIdle = f->idle && f->common.left < 0, none = need == 0 && takes;
    size_t wanted = need;
    if (none)
        wanted = 1;
    if (mayBeIdle && wanted <= f->idleItems)
        wanted = f->idleItems + 1;
    synchronise(f);
    f->common.waitsToBegin = none;
    svmr_awaitItems(s, wanted, &f->common.dry);
    f->common.waitsToBegin = f->common.dry = false;
    size_t have = svmr_count(s);
    return have >= need && !(mayBeIdle && have <= f->idleItems);
}

// Messages that are due before the firing that begins are there.
static void lookAtMail(svm_DynamicActor *f)
{
    svm_Mail *m = f->common.mail;
    if (svmr_mailAllows(m, 1) == 0) {
        synchronise(f);
        svmr_awaitMail(m, 1);
        look(f);
    }
    (void)svmr_cutAtMail(m, 1);
}

bool svm_dynamicBeginNext(svm_DynamicActor *f, const svm_DynamicRates *rates)
{
    f->quick = NULL;
    if (f->rates != rates) { // that the prework did nothing says nothing of the work
        f->idle = false;
        f->idleItems = 0;
    }
    f->rates = rates;
    size_t need = (size_t)svm_dynamicLeastPeeked(rates);
    bool takes = rates->popMax != 0 || rates->peekMax != 0;
    if (f->common.left == 0 || f->common.ended) {
        synchronise(f);
        // The streams may have moved by the next time.
        f->front = f->taken = f->windowEnd = f->popEnd = f->peekEnd = NULL;
        f->back = f->given = f->roomEnd = f->pushEnd = NULL;
        if (f->common.finish && !f->common.ended)
            endOutputs(f);
        return false;
    }
    if (!f->front && !f->back)
        takeEnds(f);
    if (f->in) {
        size_t size = f->in->stream.elementSize, there = (size_t)(f->windowEnd - f->front) / size;
        bool ready = there >= need && there > 0 && !(f->idle && f->common.left < 0);
        if (!ready && (need > 0 || takes)) {
            if (!awaitBeginning(f, need, takes)) {
                endOutputs(f);
                return false;
            }
            look(f);
        }
    } else if (f->common.left < 0) {
        synchronise(f);
        endOutputs(f);
        return false;
    }
    if (!f->front && !f->back)
        look(f);
    if (f->common.mail)
        lookAtMail(f);
    f->popped = f->taken - f->front;
    f->pushed = f->given - f->back;
    limit(f);
    if ((f->in || f->common.left > 0) && !f->common.mail && !f->common.sender && !f->idle)
        f->quick = rates;
    return true;
}

// A firing that took and gave nothing is tried again once an item: it counts the items that it began with, however many
// more had come, so that how often it fires depends on the items alone and on no schedule. Firings that give and take
// nothing begin with as many as the one before.
static void noteIdle(svm_DynamicActor *f, bool idle)
{
    f->idleItems += f->idle; // this one began with
    f->idle = idle;
    if (!idle)
        return;
    const svm_DynamicRates *r = f->rates;
    int64_t least = svm_dynamicLeastPeeked(r);
    size_t began = least > 0 ? (size_t)least : 1;
    synchronise(f);
    const svm_Stream *s = f->in ? &f->in->stream : NULL;
    size_t have = s ? svmr_count(s) : 0, before = s && s->read == f->idlePlace ? f->idleItems : 0;
    began = began < before ? before : began;
    f->idleItems = began < have ? began : have;
    f->idlePlace = s ? s->read : 0;
}

void svm_dynamicDoneNext(svm_DynamicActor *f)
{
    const svm_DynamicRates *r = f->rates;
    int64_t popped = f->in ? (f->popped + (f->front - f->taken)) / (int64_t)f->in->stream.elementSize : 0;
    int64_t pushed = f->out ? (f->pushed + (f->back - f->given)) / (int64_t)f->out->stream.elementSize : 0;
    f->quick = NULL;
    if (f->out && pushed < r->pushMin)
        fail(f, "'%s' pushed %lld item%s in a firing and declares %lld", r->name, (long long)pushed,
             pushed == 1 ? "" : "s", (long long)r->pushMin);
    for (; f->in && popped < r->popMin; popped++) // declared pops that it did not make
        if (f->front == f->popEnd)
            (void)svm_dynamicPopNext(f, f->in->stream.elementSize);
        else
            f->front += f->in->stream.elementSize;
    f->popEnd = f->peekEnd = f->windowEnd;
    f->pushEnd = f->roomEnd;
    noteIdle(f, popped == 0 && pushed == 0);
    if (f->common.left > 0)
        f->common.left--;
    if (f->common.mail)
        f->common.mail->completed++;
    if (f->common.sender)
        svmr_tellFirings(f->common.sender);
}
