// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Control threads and what they wait for each other with. All of it is locked with the machine, and every wait is one of
// the machine's (svmr_wait), so that a deadlock of control threads and kernels together is found.
#include "runtime/common/scheduler.h"

#include <stdlib.h>

#define CHECK UINT64_C(0x54687265616453a7)

static uintptr_t checkOf(const void *object, const void *with)
{
    return (uintptr_t)object ^ (uintptr_t)with ^ (uintptr_t)CHECK;
}

// The machine of an initialised object, used by a control thread.
static void check(bool valid, bool null, svm_Machine *m, const char *name, const char *what, svmr_Place at)
{
    if (!valid)
        svmr_fail(svmr_machine(), SVM_ERROR_BAD_ARGUMENT, "", at,
                  null ? "the %s is a null pointer"
                       : "the %s was not initialised, or its object was copied or destroyed",
                  what);
    svmr_checkControl(m, name, at);
    svmr_onControl(m, SVMR_CALL_SYNC, NULL);
}

#define CHECK_OBJECT(o, what)                                                                                          \
    check((o) && (o)->check == checkOf(o, (o)->machine), !(o), (o) ? (o)->machine : NULL, (o) ? (o)->name : NULL,      \
          what, at)

static const char *nameOf(const char *name)
{
    return name ? name : "(unnamed)";
}

static const char *threadText(const svmr_Control *c)
{
    return c ? svmr_controlName(c) : "the first control thread";
}

static svm_Machine *initCheck(const void *object, const char *what, const char *name, svmr_Place at)
{
    svm_Machine *m = svmr_machine();
    if (!object)
        svmr_fail(m, SVM_ERROR_BAD_ARGUMENT, name, at, "the %s is a null pointer", what);
    svmr_checkControl(m, name, at);
    return m;
}

// ---- Threads ----

static void runControl(svmr_Control *c)
{
    c->result = c->function(c->argument);
    svm_Machine *m = c->machine;
    svmr_lock(m);
    c->ended = true;
    m->controlCount--;
    svmr_changed(m);
    svmr_unlock(m);
}

void svm_threadCreateAt(svm_Thread *t, mm_Proc control, int (*f)(void *argument), void *argument, const char *name,
                        const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_threadCreate");
    svm_Machine *m = initCheck(t, "thread", name, at);
    if (!f)
        svmr_fail(m, SVM_ERROR_BAD_ARGUMENT, name, at, "the thread's function is a null pointer");
    int id = svmr_processorId(m, control, at);
    const svm_ProcessorRow *row = &svmr_state(m, id)->table->processors[svmr_index(id)];
    if (row->kind != SVM_PROCESSOR_CONTROL)
        svmr_fail(m, SVM_ERROR_BAD_PROCESSOR, name, at, "'%s' is no control processor", row->name);
    svmr_Control *c = svmr_allocate(1, sizeof *c);
    *c = (svmr_Control){
        .machine = m, .name = name, .processor = id, .function = f, .argument = argument, .main = runControl};
    t->private_ = c;
    t->check = checkOf(t, c);
    svmr_lock(m);
    svmr_Control **end = &m->controls;
    while (*end)
        end = &(*end)->next;
    *end = c;
    m->controlCount++;
    svmr_unlock(m);
    svmr_controlStart(m, c);
}

static bool hasEnded(const svmr_Wait *w)
{
    return ((const svmr_Control *)w->other)->ended;
}

int svm_threadJoinAt(svm_Thread *t, const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_threadJoin");
    if (!t || t->check != checkOf(t, t->private_))
        svmr_fail(svmr_machine(), SVM_ERROR_BAD_ARGUMENT, "", at,
                  t ? "the thread was never created, or its object was copied" : "the thread is a null pointer");
    svmr_Control *c = t->private_;
    if (!c)
        svmr_fail(svmr_machine(), SVM_ERROR_NOT_JOINABLE, "", at, "the control thread was joined already");
    svm_Machine *m = c->machine;
    check(true, false, m, c->name, "", at);
    if (c == svmr_thread.control)
        svmr_fail(m, SVM_ERROR_NOT_JOINABLE, svmr_controlName(c), at, "the control thread would wait for itself");
    svmr_lock(m);
    svmr_Wait w = {.done = hasEnded,
                   .object = svmr_controlName(c),
                   .waitsFor = " to end",
                   .at = at,
                   .other = c,
                   .control = svmr_thread.control};
    if (!c->ended)
        svmr_wait(m, &w);
    svmr_Control **link = &m->controls;
    while (*link && *link != c)
        link = &(*link)->next;
    if (!*link)
        svmr_fail(m, SVM_ERROR_NOT_JOINABLE, "", at, "another control thread joined it meanwhile");
    *link = c->next;
    t->private_ = NULL;
    t->check = checkOf(t, NULL);
    svmr_unlock(m);
    svmr_controlJoined(m, c);
    int result = c->result;
    free(c);
    return result;
}

// ---- Barriers ----

void svm_barrierInitAt(svm_Barrier *b, size_t participants, const char *name, const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_barrierInit");
    svm_Machine *m = initCheck(b, "barrier", name, at);
    if (participants == 0)
        svmr_fail(m, SVM_ERROR_BAD_ARGUMENT, name, at, "a barrier for 0 control threads");
    *b = (svm_Barrier){.machine = m, .name = name, .check = checkOf(b, m), .participants = participants};
}

static bool hasOpened(const svmr_Wait *w)
{
    return (size_t)((const svm_Barrier *)w->other)->generation != w->wanted;
}

static void leaveBarrier(svmr_Wait *w)
{
    ((svm_Barrier *)w->other)->arrived--;
}

bool svm_barrierWaitAt(svm_Barrier *b, const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_barrierWait");
    CHECK_OBJECT(b, "barrier");
    svm_Machine *m = b->machine;
    svmr_lock(m);
    bool last = ++b->arrived == b->participants;
    if (last) {
        b->arrived = 0;
        b->generation++;
        svmr_changed(m);
    } else {
        svmr_Wait w = {.done = hasOpened,
                       .object = nameOf(b->name),
                       .waitsFor = ", a barrier, to open",
                       .at = at,
                       .other = b,
                       .wanted = (size_t)b->generation,
                       .abandoned = leaveBarrier,
                       .control = svmr_thread.control};
        svmr_wait(m, &w);
    }
    svmr_unlock(m);
    return last;
}

void svm_barrierDestroyAt(svm_Barrier *b, const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_barrierDestroy");
    CHECK_OBJECT(b, "barrier");
    svmr_lock(b->machine);
    if (b->arrived)
        svmr_fail(b->machine, SVM_ERROR_IN_USE, b->name, at, "%zu control threads wait at the barrier", b->arrived);
    svmr_unlock(b->machine);
    b->check = 0;
}

// ---- Mutexes ----

void svm_mutexInitAt(svm_Mutex *x, const char *name, const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_mutexInit");
    svm_Machine *m = initCheck(x, "mutex", name, at);
    *x = (svm_Mutex){.machine = m, .name = name, .check = checkOf(x, m)};
}

static bool isFree(const svmr_Wait *w)
{
    return !((const svm_Mutex *)w->other)->held;
}

static bool holds(const svm_Mutex *x)
{
    return x->held && x->holder == svmr_thread.control;
}

// Locked with the machine.
static void acquire(svm_Mutex *x, svmr_Place at)
{
    while (x->held) {
        svmr_Wait w = {.done = isFree,
                       .object = nameOf(x->name),
                       .waitsFor = ", a mutex, to be unlocked",
                       .at = at,
                       .other = x,
                       .control = svmr_thread.control};
        svmr_wait(x->machine, &w);
    }
    x->held = true;
    x->holder = svmr_thread.control;
}

static void release(svm_Mutex *x)
{
    x->held = false;
    svmr_changed(x->machine);
}

void svm_mutexLockAt(svm_Mutex *x, const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_mutexLock");
    CHECK_OBJECT(x, "mutex");
    svmr_lock(x->machine);
    if (holds(x))
        svmr_fail(x->machine, SVM_ERROR_DEADLOCK, x->name, at, "the control thread holds the mutex already");
    acquire(x, at);
    svmr_unlock(x->machine);
}

static SVMR_COLD _Noreturn void failNotHeld(const svm_Mutex *x, svmr_Place at)
{
    if (!x->held)
        svmr_fail(x->machine, SVM_ERROR_NOT_HELD, x->name, at, "nobody holds the mutex");
    svmr_fail(x->machine, SVM_ERROR_NOT_HELD, x->name, at, "the mutex is held by '%s'", threadText(x->holder));
}

void svm_mutexUnlockAt(svm_Mutex *x, const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_mutexUnlock");
    CHECK_OBJECT(x, "mutex");
    svmr_lock(x->machine);
    if (!holds(x))
        failNotHeld(x, at);
    release(x);
    svmr_unlock(x->machine);
}

void svm_mutexDestroyAt(svm_Mutex *x, const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_mutexDestroy");
    CHECK_OBJECT(x, "mutex");
    svmr_lock(x->machine);
    if (x->held)
        svmr_fail(x->machine, SVM_ERROR_IN_USE, x->name, at, "the mutex is held by '%s'", threadText(x->holder));
    svmr_unlock(x->machine);
    x->check = 0;
}

// ---- Conditions: who waits is in the machine's list of waits ----

void svm_conditionInitAt(svm_Condition *c, const char *name, const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_conditionInit");
    svm_Machine *m = initCheck(c, "condition", name, at);
    *c = (svm_Condition){.machine = m, .name = name, .check = checkOf(c, m)};
}

static bool isSignalled(const svmr_Wait *w)
{
    return w->wanted;
}

static svmr_Wait *waiter(const svm_Condition *c)
{
    svmr_Wait *w = c->machine->waits;
    while (w && (w->other != c || w->wanted))
        w = w->next;
    return w;
}

void svm_conditionWaitAt(svm_Condition *c, svm_Mutex *x, const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_conditionWait");
    CHECK_OBJECT(c, "condition");
    CHECK_OBJECT(x, "mutex");
    svm_Machine *m = c->machine;
    if (x->machine != m)
        svmr_fail(m, SVM_ERROR_BAD_ARGUMENT, c->name, at, "the mutex belongs to another machine");
    svmr_lock(m);
    if (!holds(x))
        failNotHeld(x, at);
    release(x);
    svmr_Wait w = {.done = isSignalled,
                   .object = nameOf(c->name),
                   .waitsFor = ", a condition, to be signalled",
                   .at = at,
                   .other = c,
                   .control = svmr_thread.control};
    svmr_wait(m, &w);
    acquire(x, at);
    svmr_unlock(m);
}

static void signalSome(svm_Condition *c, bool all)
{
    svmr_lock(c->machine);
    for (svmr_Wait *w; (w = waiter(c));) {
        w->wanted = 1;
        if (!all)
            break;
    }
    svmr_changed(c->machine);
    svmr_unlock(c->machine);
}

void svm_conditionSignalAt(svm_Condition *c, const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_conditionSignal");
    CHECK_OBJECT(c, "condition");
    signalSome(c, false);
}

void svm_conditionBroadcastAt(svm_Condition *c, const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_conditionBroadcast");
    CHECK_OBJECT(c, "condition");
    signalSome(c, true);
}

void svm_conditionDestroyAt(svm_Condition *c, const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_conditionDestroy");
    CHECK_OBJECT(c, "condition");
    svmr_lock(c->machine);
    if (waiter(c))
        svmr_fail(c->machine, SVM_ERROR_IN_USE, c->name, at, "the control thread '%s' waits for the condition",
                  threadText(waiter(c)->control));
    svmr_unlock(c->machine);
    c->check = 0;
}
