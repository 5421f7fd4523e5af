// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <spu_intrinsics.h>
#include <spu_mfcio.h>

#define TIMES 50
#define MUTEX 0
#define COUNTER 128
#define PLAIN 256

static volatile unsigned int line[32] __attribute__((aligned(128)));
static volatile unsigned int data[32] __attribute__((aligned(128)));

static void atomic_add(unsigned long long ea, unsigned int n)
{
    do {
        mfc_getllar(line, ea, 0, 0);
        (void)mfc_read_atomic_status();
        line[0] += n;
        mfc_putllc(line, ea, 0, 0);
    } while (mfc_read_atomic_status() & MFC_PUTLLC_STATUS);
}

static void mutex_lock(unsigned long long ea)
{
    unsigned int mask = spu_read_event_mask();
    spu_write_event_mask(mask | MFC_LLR_LOST_EVENT);
    for (;;) {
        mfc_getllar(line, ea, 0, 0);
        (void)mfc_read_atomic_status();
        if (line[0]) {
            (void)spu_read_event_status(); /* until somebody writes it */
            spu_write_event_ack(MFC_LLR_LOST_EVENT);
            continue;
        }
        line[0] = 1;
        mfc_putllc(line, ea, 0, 0);
        if ((mfc_read_atomic_status() & MFC_PUTLLC_STATUS) == 0)
            break;
    }
    spu_write_event_mask(mask);
    if (spu_stat_event_status())
        spu_write_event_ack(spu_read_event_status());
}

static void mutex_unlock(unsigned long long ea)
{
    line[0] = 0;
    mfc_putlluc(line, ea, 0, 0);
    (void)mfc_read_atomic_status();
}

int main(unsigned long long id, unsigned long long argp, unsigned long long envp)
{
    int i;
    (void)id;
    (void)envp;
    mfc_write_tag_mask(1);
    for (i = 0; i < TIMES; i++) {
        atomic_add(argp + COUNTER, 1);
        mutex_lock(argp + MUTEX);
        mfc_get(data, argp + PLAIN, sizeof data, 0, 0, 0);
        mfc_read_tag_status_all();
        data[0]++;
        mfc_put(data, argp + PLAIN, sizeof data, 0, 0, 0);
        mfc_read_tag_status_all();
        mutex_unlock(argp + MUTEX);
    }
    return 0;
}
