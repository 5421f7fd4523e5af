// Shows that a deadlock ends the program and names who waits for which tag, mailbox or signal.
//
// RUN: svm-spu-gcc -O2 -Wall -I%S/Inputs %s -o %t.spu && svm-embedspu program %t.spu %t.o
// RUN: svm-ppu-gcc -I%S/Inputs %S/Inputs/case.ppu.c %t.o -o %t
// RUN: not %t 1 2>&1 | FileCheck %s --check-prefixes=HEAD,C1
// RUN: not %t 2 2 2>&1 | FileCheck %s --check-prefixes=HEAD,C2
// RUN: not %t 3 2>&1 | FileCheck %s --check-prefixes=HEAD,C3
// RUN: not %t 4 2>&1 | FileCheck %s --check-prefixes=HEAD,C4
// RUN: not %t 5 2>&1 | FileCheck %s --check-prefixes=HEAD,C5
// HEAD: svm-cell: error: deadlock: every thread waits for another
// C1: PPE: waits in spe_context_run of SPE 0
#include <spu_mfcio.h>

#include "case.h"

static case_block block __attribute__((aligned(128)));
static char buffer[32] __attribute__((aligned(128)));
static mfc_list_element_t list[2] __attribute__((aligned(8)));

int main(unsigned long long id, unsigned long long argp, unsigned long long envp)
{
    (void)id, (void)envp;
    mfc_get(&block, argp, sizeof block, 0, 0, 0);
    mfc_write_tag_mask(1);
    mfc_read_tag_status_all();
    switch (block.number) {
    case 1: return (int)spu_read_in_mbox();
    case 2:
        if (block.spe == 0)
            return (int)spu_read_signal1();  // C2: SPE 0 ({{.*}}): {{.*}}deadlock.c:[[@LINE]]: waits for signal register 1
        return (int)spu_read_signal2();      // C2: SPE 1 ({{.*}}): {{.*}}deadlock.c:[[@LINE]]: waits for signal register 2
    case 3:
        list[0].size = list[1].size = 16;
        list[0].eal = list[1].eal = (unsigned)block.memory;
        list[0].notify = 1;
        mfc_getl(buffer, block.memory, list, sizeof list, 7, 0, 0);
        mfc_write_tag_mask(1 << 7);
        return (int)mfc_read_tag_status_all(); // C3: deadlock.c:[[@LINE]]: waits for all of the tags 0x80: 0x80 are not complete; a list that stalled waits
    case 4:
        spu_write_out_mbox(1);
        spu_write_out_mbox(2);               // C4: deadlock.c:[[@LINE]]: waits for the PPE to read its outbound mailbox, which is full
        break;
    case 5:
        spu_write_event_mask(MFC_SIGNAL_NOTIFY_1_EVENT);
        return (int)spu_read_event_status(); // C5: deadlock.c:[[@LINE]]: waits for one of the events 0x200
    }
    return 0;
}
