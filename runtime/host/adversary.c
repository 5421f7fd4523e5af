// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The adversary's order of kernels on the host. Choices are made in moods, each for a while, since a fault may need many
// choices of one sort: a run may have to be passed over again and again, or all of a processor's.
#include "runtime/host/host.h"

typedef enum Mood {
    MOOD_ANY,    // any that is ready
    MOOD_NEWEST, // the one that became ready last
    MOOD_OLDEST, // the one that became ready first, as without an adversary
    MOOD_LAZY,   // only what the control thread waits for, and what that needs
    MOOD_SLOW,   // a victim's only when nothing else is ready
    MOOD_EAGER,  // any, and soon
    MOOD_COUNT
} Mood;

// A mood lasts for up to so many choices.
#define MOOD_CHOICES 96

static Mood moodOf(svmr_Adversary *a, const svmr_List *ready)
{
    if (a->left == 0) {
        a->mood = (unsigned)svmr_drawBelow(a, MOOD_COUNT);
        a->left = 1 + (unsigned)svmr_drawBelow(a, MOOD_CHOICES);
        a->victim = ready->first->order;
    }
    a->left--;
    return (Mood)a->mood;
}

// ---- What the control thread waits for ----

// A kernel that waits for dependences or a stream is on no list, so `previous` links those to be looked at.
static void need(svmr_Kernel *p, uint32_t mark, svmr_Kernel **stack)
{
    if (!p || p->mark == mark || !svmr_pending(p))
        return;
    p->mark = mark;
    if (p->list)
        return;
    p->previous = *stack;
    *stack = p;
}

static void needEnd(const svm_Stream *s, svmr_Want want, uint32_t mark, svmr_Kernel **stack)
{
    need(want == SVMR_WANT_ROOM ? s->consumer.kernel : s->producer.kernel, mark, stack);
}

// Marks what is needed for the latest wait.
static uint32_t markNeeded(svm_Machine *m)
{
    const svmr_Wait *w = m->waits;
    uint32_t mark = ++m->mark;
    svmr_Kernel *stack = NULL;
    while (w && w->next)
        w = w->next;
    if (w && w->kernel)
        need(w->kernel, mark, &stack);
    if (w && w->stream)
        needEnd(w->stream, w->want, mark, &stack);
    while (stack) {
        svmr_Kernel *p = stack;
        stack = p->previous;
        for (svmr_Dependence *d = p->dependences; d; d = d->next)
            if (d->waiting)
                need(d->target, mark, &stack);
        if (p->blockedOn)
            needEnd(p->blockedOn, p->want, mark, &stack);
    }
    return mark;
}

// ---- Choices ----

typedef bool Suits(const svmr_Kernel *p, const svmr_Adversary *a, uint32_t mark);

static bool suitsAll(const svmr_Kernel *p, const svmr_Adversary *a, uint32_t mark)
{
    (void)p, (void)a, (void)mark;
    return true;
}

static bool isNeeded(const svmr_Kernel *p, const svmr_Adversary *a, uint32_t mark)
{
    (void)a;
    return p->mark == mark;
}

static bool isNoVictim(const svmr_Kernel *p, const svmr_Adversary *a, uint32_t mark)
{
    (void)mark;
    return p->order != a->victim;
}

// Any of those that suit; NULL: none does.
static svmr_Kernel *anyOf(const svmr_List *list, svmr_Adversary *a, Suits *suits, uint32_t mark)
{
    svmr_Kernel *chosen = NULL;
    uint64_t count = 0;
    for (svmr_Kernel *p = list->first; p; p = p->next)
        if (suits(p, a, mark) && svmr_drawBelow(a, ++count) == 0)
            chosen = p;
    return chosen;
}

static void moveToFront(svmr_List *list, svmr_Kernel *p)
{
    svmr_delist(p);
    p->list = list;
    p->previous = NULL;
    p->next = list->first;
    *(list->first ? &list->first->previous : &list->last) = p;
    list->first = p;
}

void svmr_putFirst(svmr_List *list, svmr_Adversary *a)
{
    svmr_Kernel *p = anyOf(list, a, suitsAll, 0);
    if (p)
        moveToFront(list, p);
}

void svmr_chooseFirst(svm_Machine *m)
{
    svmr_List *ready = &m->scheduler->ready;
    svmr_Adversary *a = m->adversary;
    if (!ready->first)
        return;
    svmr_Kernel *p = NULL;
    switch (moodOf(a, ready)) {
    case MOOD_NEWEST: p = ready->last; break;
    case MOOD_OLDEST: p = ready->first; break;
    case MOOD_LAZY: p = anyOf(ready, a, isNeeded, markNeeded(m)); break;
    case MOOD_SLOW: p = anyOf(ready, a, isNoVictim, 0); break;
    case MOOD_ANY:
    case MOOD_EAGER:
    case MOOD_COUNT: break;
    }
    moveToFront(ready, p ? p : anyOf(ready, a, suitsAll, 0));
}

unsigned svmr_eagerness(svm_Machine *m)
{
    svmr_Adversary *a = m->adversary;
    uint64_t often = a->mood == MOOD_EAGER ? 1 : 8;
    return svmr_drawBelow(a, often) == 0 ? (unsigned)svmr_drawBelow(a, 4) : 0;
}
