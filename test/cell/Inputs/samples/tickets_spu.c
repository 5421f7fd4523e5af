/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <spu_mfcio.h>

static volatile struct {
    unsigned int next, last, unused[30];
} line __attribute__((aligned(128)));
static struct {
    unsigned long long counter, drawn;
} orders __attribute__((aligned(16)));
static unsigned char mark[16] __attribute__((aligned(16)));

/* The ticket, or the number of tickets when none is left. */
static unsigned int draw(void)
{
    unsigned int ticket;
    do {
        mfc_getllar((void *)&line, orders.counter, 0, 0);
        (void)mfc_read_atomic_status();
        ticket = line.next;
        if (ticket == line.last)
            return ticket;
        line.next = ticket + 1;
        mfc_putllc((void *)&line, orders.counter, 0, 0);
    } while (mfc_read_atomic_status() & MFC_PUTLLC_STATUS);
    return ticket;
}

int main(unsigned long long speid, unsigned long long argp, unsigned long long envp)
{
    const unsigned int tag = mfc_tag_reserve();
    (void)speid, (void)envp;
    mfc_write_tag_mask(1u << tag);
    mfc_get(&orders, argp, sizeof orders, tag, 0, 0);
    mfc_read_tag_status_all();
    for (unsigned int ticket; (ticket = draw()) < line.last;) {
        mfc_get(mark, orders.drawn + 16 * ticket, 16, tag, 0, 0);
        mfc_read_tag_status_all();
        mark[0]++;
        mfc_put(mark, orders.drawn + 16 * ticket, 16, tag, 0, 0);
        mfc_read_tag_status_all();
    }
    mfc_tag_release(tag);
    return 0;
}
