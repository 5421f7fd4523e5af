// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <spu_intrinsics.h>
#include <spu_mfcio.h>
#include "ring.h"

#define TAG 5

static control_t control __attribute__((aligned(128)));
static volatile unsigned int inbox[32] __attribute__((aligned(128)));
static unsigned int outbox[32] __attribute__((aligned(128)));
static unsigned int signal_word[4] __attribute__((aligned(16)));

static void pass_on(unsigned int lap)
{
    int i;
    for (i = 0; i < 32; i++)
        outbox[i] = inbox[i] + 1;
    /* The same program is in every SPE, so the next one's inbox has this address. */
    mfc_put(outbox, control.next_ls + (unsigned int)inbox, sizeof outbox, TAG, 0, 0);
    signal_word[3] = 1 << lap;
    mfc_sndsigf(&signal_word[3], control.next_signal, TAG, 0, 0);
    mfc_write_tag_mask(1 << TAG);
    mfc_read_tag_status_all();
}

int main(unsigned long long id, unsigned long long argp, unsigned long long envp)
{
    unsigned int lap, got = 0;
    (void)id;
    (void)envp;
    mfc_get(&control, argp, sizeof control, TAG, 0, 0);
    mfc_write_tag_mask(1 << TAG);
    mfc_read_tag_status_all();
    if (control.rank == 0) {
        if (spu_read_signal2() != 1)
            return -1;
        pass_on(0);
    }
    for (lap = 0; lap < LAPS; lap++) {
        while (!(got & 1 << lap))
            got |= spu_read_signal1();
        if (control.rank != 0)
            pass_on(lap);
        else if (lap + 1 < LAPS)
            pass_on(lap + 1);
    }
    return (int)inbox[31];
}
