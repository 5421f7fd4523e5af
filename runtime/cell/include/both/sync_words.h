// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of libsync.h that PPE and SPEs share: it stands on svm_syncChange, svm_syncSwap, atomic_read and svm_syncRest,
// which each side has its own of.
#ifndef SVM_CELL_SYNC_WORDS_H
#define SVM_CELL_SYNC_WORDS_H

// ---- Counts; what `_return` gives is the value before ----

SVM_SYNC void atomic_set(atomic_ea_t v, int value)
{
    svm_syncChange(v, 0, value, 0, 0);
}
SVM_SYNC int atomic_add_return(int a, atomic_ea_t v)
{
    return svm_syncChange(v, 1, a, 0, 0);
}
SVM_SYNC int atomic_sub_return(int a, atomic_ea_t v)
{
    return svm_syncChange(v, 1, -a, 0, 0);
}
#define atomic_inc_return(v) atomic_add_return(1, v)
#define atomic_dec_return(v) atomic_sub_return(1, v)
#define atomic_add(a, v) ((void)atomic_add_return(a, v))
#define atomic_sub(a, v) ((void)atomic_sub_return(a, v))
#define atomic_inc(v) ((void)atomic_add_return(1, v))
#define atomic_dec(v) ((void)atomic_sub_return(1, v))
SVM_SYNC int atomic_sub_and_test(int a, atomic_ea_t v)
{
    return atomic_sub_return(a, v) == a;
}
#define atomic_dec_and_test(v) atomic_sub_and_test(1, v)
SVM_SYNC int atomic_dec_if_positive(atomic_ea_t v)
{
    int old = atomic_read(v);
    while (old > 0) {
        const int was = svm_syncSwap(v, old, old - 1);
        if (was == old)
            break;
        old = was;
    }
    return old - 1;
}

// ---- Locks: a word that is 1 while somebody has it ----

SVM_SYNC void mutex_init(mutex_ea_t lock)
{
    atomic_set(lock, 0);
}
SVM_SYNC int mutex_trylock(mutex_ea_t lock)
{
    return svm_syncSwap(lock, 0, 1) == 0;
}
SVM_SYNC void mutex_lock(mutex_ea_t lock)
{
    while (!mutex_trylock(lock))
        svm_syncRest();
}
SVM_SYNC void mutex_unlock(mutex_ea_t lock)
{
    atomic_set(lock, 0);
}

// ---- Conditions: a word that counts signals. A wait may end without one meant for it, as elsewhere ----

SVM_SYNC void cond_init(cond_ea_t cond)
{
    atomic_set(cond, 0);
}
SVM_SYNC void cond_signal(cond_ea_t cond)
{
    atomic_inc(cond);
}
SVM_SYNC void cond_broadcast(cond_ea_t cond)
{
    atomic_inc(cond);
}
SVM_SYNC void cond_wait(cond_ea_t cond, mutex_ea_t mutex)
{
    const int before = atomic_read(cond);
    mutex_unlock(mutex);
    while (atomic_read(cond) == before)
        svm_syncRest();
    mutex_lock(mutex);
}

// ---- Completions: a word that counts those that may go on; negative: all may ----

SVM_SYNC void init_completion(completion_ea_t completion)
{
    atomic_set(completion, 0);
}
SVM_SYNC void complete(completion_ea_t completion)
{
    atomic_inc(completion);
}
SVM_SYNC void complete_all(completion_ea_t completion)
{
    atomic_set(completion, -0x40000000);
}
SVM_SYNC void wait_for_completion(completion_ea_t completion)
{
    for (int old = atomic_read(completion); old >= 0; old = atomic_read(completion)) {
        if (old > 0 && svm_syncSwap(completion, old, old - 1) == old)
            return;
        svm_syncRest();
    }
}

// ---- The names of the inline forms ----

#define _atomic_set atomic_set
#define _atomic_read atomic_read
#define _atomic_add_return atomic_add_return
#define _atomic_sub_return atomic_sub_return
#define _atomic_inc_return atomic_inc_return
#define _atomic_dec_return atomic_dec_return
#define _atomic_add atomic_add
#define _atomic_sub atomic_sub
#define _atomic_inc atomic_inc
#define _atomic_dec atomic_dec
#define _atomic_sub_and_test atomic_sub_and_test
#define _atomic_dec_and_test atomic_dec_and_test
#define _atomic_dec_if_positive atomic_dec_if_positive
#define _mutex_init mutex_init
#define _mutex_trylock mutex_trylock
#define _mutex_lock mutex_lock
#define _mutex_unlock mutex_unlock
#define _cond_init cond_init
#define _cond_signal cond_signal
#define _cond_broadcast cond_broadcast
#define _cond_wait cond_wait
#define _init_completion init_completion
#define _complete complete
#define _complete_all complete_all
#define _wait_for_completion wait_for_completion

#endif
