// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Control threads: the SVM paper's machines may have several control processors, each of which runs one. They share the
// machine: its memories, and the kernels on processors that have their control processor as a master. Kernels may call
// none of this. Included by svm/svm.h only.
//
// Objects are plain structs; their fields are private. They belong to the machine that is in use when they are
// initialised.
#ifndef SVM_THREADS_H
#define SVM_THREADS_H

typedef struct svm_Thread {
    struct svmr_Control *private_;
    uintptr_t check;
} svm_Thread;
// Starts f(argument) as a control thread on a control processor, beside the one that calls this. It uses the same
// machine, and the default error handler until it sets its own. Misuse: not a control processor.
void svm_threadCreate(svm_Thread *t, mm_Proc control, int (*f)(void *argument), void *argument, const char *name);
int svm_threadJoin(svm_Thread *t); // waits for its end; gives f's result. Misuse: joining twice, or oneself

// All of `participants` control threads wait until the last one has come; then the barrier is as new.
typedef struct svm_Barrier {
    svm_Machine *machine;
    const char *name;
    uintptr_t check;
    size_t participants, arrived;
    uint64_t generation;
} svm_Barrier;
void svm_barrierInit(svm_Barrier *b, size_t participants, const char *name); // misuse: 0 participants
bool svm_barrierWait(svm_Barrier *b);                                        // true for the last to come
void svm_barrierDestroy(svm_Barrier *b);                                     // misuse: control threads wait

// Held by one control thread at a time. Misuse: locking it when one holds it already (a deadlock); unlocking it when one
// does not; destroying it while it is held.
typedef struct svm_Mutex {
    svm_Machine *machine;
    const char *name;
    uintptr_t check;
    bool held;
    struct svmr_Control *holder; // NULL: the first control thread
} svm_Mutex;
void svm_mutexInit(svm_Mutex *m, const char *name);
void svm_mutexLock(svm_Mutex *m);
void svm_mutexUnlock(svm_Mutex *m);
void svm_mutexDestroy(svm_Mutex *m);

// A condition that control threads wait for while they do not hold a mutex, which they do before and after. A wait ends
// only by a signal, which ends the oldest one, or by a broadcast, which ends all. Misuse: waiting with a mutex that one
// does not hold; destroying it while control threads wait.
typedef struct svm_Condition {
    svm_Machine *machine;
    const char *name;
    uintptr_t check;
} svm_Condition;
void svm_conditionInit(svm_Condition *c, const char *name);
void svm_conditionWait(svm_Condition *c, svm_Mutex *m);
void svm_conditionSignal(svm_Condition *c);
void svm_conditionBroadcast(svm_Condition *c);
void svm_conditionDestroy(svm_Condition *c);

// ---- The same, with the place of the call (svm/places.h) ----

void svm_threadCreateAt(svm_Thread *t, mm_Proc control, int (*f)(void *argument), void *argument, const char *name,
                        const char *file, int line);
int svm_threadJoinAt(svm_Thread *t, const char *file, int line);
void svm_barrierInitAt(svm_Barrier *b, size_t participants, const char *name, const char *file, int line);
bool svm_barrierWaitAt(svm_Barrier *b, const char *file, int line);
void svm_barrierDestroyAt(svm_Barrier *b, const char *file, int line);
void svm_mutexInitAt(svm_Mutex *m, const char *name, const char *file, int line);
void svm_mutexLockAt(svm_Mutex *m, const char *file, int line);
void svm_mutexUnlockAt(svm_Mutex *m, const char *file, int line);
void svm_mutexDestroyAt(svm_Mutex *m, const char *file, int line);
void svm_conditionInitAt(svm_Condition *c, const char *name, const char *file, int line);
void svm_conditionWaitAt(svm_Condition *c, svm_Mutex *m, const char *file, int line);
void svm_conditionSignalAt(svm_Condition *c, const char *file, int line);
void svm_conditionBroadcastAt(svm_Condition *c, const char *file, int line);
void svm_conditionDestroyAt(svm_Condition *c, const char *file, int line);

#ifndef SVM_NO_PLACES
#define svm_threadCreate(...) svm_threadCreateAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_threadJoin(...) svm_threadJoinAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_barrierInit(...) svm_barrierInitAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_barrierWait(...) svm_barrierWaitAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_barrierDestroy(...) svm_barrierDestroyAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_mutexInit(...) svm_mutexInitAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_mutexLock(...) svm_mutexLockAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_mutexUnlock(...) svm_mutexUnlockAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_mutexDestroy(...) svm_mutexDestroyAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_conditionInit(...) svm_conditionInitAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_conditionWait(...) svm_conditionWaitAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_conditionSignal(...) svm_conditionSignalAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_conditionBroadcast(...) svm_conditionBroadcastAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_conditionDestroy(...) svm_conditionDestroyAt(__VA_ARGS__, __FILE__, __LINE__)
#endif

#endif
