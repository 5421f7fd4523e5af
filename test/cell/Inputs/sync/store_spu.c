#include "store.h"
#include <spu_timer.h>
#include <stdio.h>

extern int _etext, _edata, _end;
static store s __attribute__((aligned(128)));
static int stock[4] __attribute__((aligned(16)));

int main(unsigned long long id, unsigned long long argp, unsigned long long envp)
{
    (void)id, (void)envp;
    mfc_get(&s, argp, sizeof s, 0, 0, 0);
    mfc_write_tag_mask(1);
    mfc_read_tag_status_all();
    spu_slih_register(MFC_DECREMENTER_EVENT, spu_clock_slih);
    spu_clock_start();
    const uint64_t start = spu_clock_read();
    wait_for_completion(s.open);
    for (int i = 0; i < EACH; i++) {
        mutex_lock(s.counter);
        mfc_get(stock, s.stock, sizeof stock, 0, 0, 0);
        mfc_read_tag_status_all();
        stock[0]--;
        mfc_put(stock, s.stock, sizeof stock, 0, 0, 0);
        mfc_read_tag_status_all();
        _mutex_unlock(s.counter);
        _atomic_inc(s.served);
    }
    uint64_t now = spu_clock_read();
    while (now == start)
        now = spu_clock_read();
    if (now > start && spu_clock_stop() == 0)
        atomic_add(1, s.clocks);
    if ((unsigned)&_etext <= (unsigned)&_edata && (unsigned)&_edata <= (unsigned)&_end && (unsigned)&_end < 262144)
        atomic_inc_return(s.places);
    mutex_lock(s.door);
    cond_signal(s.closing);
    mutex_unlock(s.door);
    return 0;
}
