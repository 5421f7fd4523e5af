// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The clock of the vendor's libsputimer: ticks of the decrementer, counted in 64 bits as often as somebody reads them. Its
// timers, which interrupt, are not there.
#ifndef SPU_TIMER_H
#define SPU_TIMER_H

#include <spu_mfcio.h>

#define SVM_TIMER static __inline__ __attribute__((__unused__))

static struct {
    unsigned long long ticks;
    unsigned int last, started;
} svm_spuClock;

SVM_TIMER uint64_t spu_clock_read(void)
{
    const unsigned int now = spu_read_decrementer();
    svm_spuClock.ticks += svm_spuClock.started ? svm_spuClock.last - now : 0;
    svm_spuClock.last = now;
    return svm_spuClock.ticks;
}
SVM_TIMER void spu_clock_start(void)
{
    if (svm_spuClock.started++)
        return;
    svm_spuClock.ticks = 0;
    spu_write_decrementer(0xFFFFFFFF);
    svm_spuClock.last = spu_read_decrementer();
}
SVM_TIMER int spu_clock_stop(void)
{
    spu_clock_read();
    svm_spuClock.started -= svm_spuClock.started != 0;
    return 0;
}
// Who handles the decrementer's event: nobody has to.
SVM_TIMER unsigned int spu_clock_slih(unsigned int events)
{
    return events & ~MFC_DECREMENTER_EVENT;
}
SVM_TIMER void spu_slih_register(unsigned int event, unsigned int (*handler)(unsigned int))
{
    (void)event, (void)handler;
}

#endif
