// Shows what a program that breaks a rule is told: SPE, source line, command and rule; never a signal or silence.
//
// RUN: svm-spu-gcc -O2 -Wall -I%S/Inputs %s -o %t.spu && svm-embedspu program %t.spu %t.o
// RUN: svm-ppu-gcc -I%S/Inputs %S/Inputs/case.ppu.c %t.o -o %t
// RUN: not %t 1 2>&1 | FileCheck %s --check-prefix=C1
// RUN: not %t 2 2>&1 | FileCheck %s --check-prefix=C2
// RUN: not %t 3 2>&1 | FileCheck %s --check-prefix=C3
// RUN: not %t 4 2>&1 | FileCheck %s --check-prefix=C4
// RUN: not %t 5 2>&1 | FileCheck %s --check-prefix=C5
// RUN: not %t 6 2>&1 | FileCheck %s --check-prefix=C6
// RUN: not %t 7 2>&1 | FileCheck %s --check-prefix=C7
// RUN: not %t 8 2>&1 | FileCheck %s --check-prefix=C8
// RUN: not %t 9 2>&1 | FileCheck %s --check-prefix=C9
// RUN: not %t 10 2>&1 | FileCheck %s --check-prefix=C10
// RUN: not %t 11 2>&1 | FileCheck %s --check-prefix=C11
// RUN: not %t 12 2>&1 | FileCheck %s --check-prefix=C12
// RUN: not %t 13 2>&1 | FileCheck %s --check-prefix=C13
// RUN: not %t 14 2>&1 | FileCheck %s --check-prefix=C14
// RUN: not %t 15 2>&1 | FileCheck %s --check-prefix=C15
// RUN: not %t 16 2>&1 | FileCheck %s --check-prefix=C16
// RUN: not %t 17 2>&1 | FileCheck %s --check-prefix=C17
// RUN: not %t 18 2>&1 | FileCheck %s --check-prefix=C18
// RUN: not %t 19 2>&1 | FileCheck %s --check-prefix=C19
// RUN: not %t 20 2>&1 | FileCheck %s --check-prefix=C20
// RUN: not %t 21 2>&1 | FileCheck %s --check-prefix=C21
// RUN: not %t 22 2>&1 | FileCheck %s --check-prefix=C22
// RUN: not %t 23 2>&1 | FileCheck %s --check-prefix=C23
// RUN: not %t 24 2>&1 | FileCheck %s --check-prefix=C24
// RUN: not %t 25 2>&1 | FileCheck %s --check-prefix=C25
//
// Where the PPE handles exceptions (SPE_EVENTS_ENABLE) it is told and the program goes on.
// RUN: %t 1 1 0x1000 2>&1 | FileCheck %s --check-prefix=E1
// E1: [dma-size]
// E1: spe 0: result -1, reason 4, value 8, status 0xffffffff
// RUN: %t 8 1 0x1000 2>&1 | FileCheck %s --check-prefix=E8
// E8: [ea-mapped]
// E8: spe 0: result -1, reason 4, value 32, status 0xffffffff
// RUN: %t 26 1 0x1000 2>&1 | FileCheck %s --check-prefix=E26
// E26: spe 0: result -1, reason 3, value 4, status 0x4
#include <spu_mfcio.h>
#include <stdlib.h>

#include "case.h"

static case_block block __attribute__((aligned(128)));
static char buffer[32768] __attribute__((aligned(128)));
static mfc_list_element_t list[2052] __attribute__((aligned(8)));

static void finish(void)
{
    mfc_write_tag_mask(~0u);
    mfc_read_tag_status_all();
}

static int deeper(volatile int *p) { volatile int here[100] = {*p}; return deeper(here) + here[7]; }

int main(unsigned long long id, unsigned long long argp, unsigned long long envp)
{
    (void)id, (void)envp;
    mfc_get(&block, argp, sizeof block, 0, 0, 0);
    finish();
    const unsigned long long ea = block.memory;
    volatile int zero = 0;
    volatile unsigned address = 0x40000 - 2;
    list[0].size = list[1].size = 16;
    list[0].eal = list[1].eal = (unsigned)ea;
    switch (block.number) {
    case 1: mfc_get(buffer, ea, 20, 1, 0, 0); break;             // C1: SPE 0 ({{.*}}): {{.*}}illegal.c:[[@LINE]]: mfc_get of 20 bytes, tag 1, {{.*}} [dma-size]
    case 2: mfc_put(buffer, ea, 16400, 1, 0, 0); break;          // C2: illegal.c:[[@LINE]]: mfc_put of 16400 bytes{{.*}} [dma-size]
    case 3: mfc_get(buffer + 4, ea + 4, 8, 1, 0, 0); break;      // C3: illegal.c:[[@LINE]]: {{.*}} [dma-align-short]
    case 4: mfc_getf(buffer + 4, ea + 8, 4, 1, 0, 0); break;     // C4: illegal.c:[[@LINE]]: mfc_getf {{.*}} the low 4 bits {{.*}} [dma-align-low4]
    case 5: mfc_putb(buffer, ea + 8, 32, 1, 0, 0); break;        // C5: illegal.c:[[@LINE]]: mfc_putb {{.*}} [dma-align-16]
    case 6: mfc_get(0x3fff0, ea, 32, 1, 0, 0); break;            // C6: illegal.c:[[@LINE]]: {{.*}} local store 0x3fff0{{.*}} [ls-range]
    case 7: mfc_get(buffer, ea, 16, 32, 0, 0); break;            // C7: illegal.c:[[@LINE]]: {{.*}}tag 32{{.*}} [mfc-tag]
    case 8: mfc_get(buffer, 0x1000, 16, 1, 0, 0); break;         // C8: illegal.c:[[@LINE]]: {{.*}}effective address 0x1000: {{.*}} [ea-mapped]
    case 9: mfc_put(buffer, block.readonly, 16, 1, 0, 0); break; // C9: illegal.c:[[@LINE]]: mfc_put {{.*}} [ea-writable]
    case 10: mfc_getl(buffer, ea, list, 2049 * 8, 1, 0, 0); break; // C10: illegal.c:[[@LINE]]: mfc_getl, tag 1, list of 16392 bytes {{.*}} [list-size]
    case 11: mfc_getl(buffer, ea, (char *)list + 4, 8, 1, 0, 0); break; // C11: illegal.c:[[@LINE]]: {{.*}} [list-align]
    case 12:
        list[1].size = 24;
        mfc_getl(buffer, ea, list, 16, 4, 0, 0); // C12: illegal.c:[[@LINE]]: mfc_getl, tag 4, element 1, {{.*}} [list-element]
        break;
    case 13:
        list[1].eal = 0xFFFFFFF0, list[1].size = 32;
        mfc_getl(buffer, ea, list, 16, 4, 0, 0); // C13: illegal.c:[[@LINE]]: mfc_getl, tag 4, element 1, {{.*}} [list-high]
        break;
    case 14: mfc_write_list_stall_ack(3); break;                 // C14: illegal.c:[[@LINE]]: mfc_write_list_stall_ack(3): {{.*}} [list-ack]
    case 15: mfc_getllar(buffer, ea + 64, 0, 0); break;          // C15: illegal.c:[[@LINE]]: mfc_getllar {{.*}} [atomic-line]
    case 16: mfc_sndsig(buffer + 14, block.signal1[0] + 14, 1, 0, 0); break; // C16: illegal.c:[[@LINE]]: mfc_sndsig {{.*}} [signal-size]
    case 17: mfc_put(buffer, block.signal1[0], 16, 1, 0, 0); break; // C17: illegal.c:[[@LINE]]: mfc_put {{.*}} [mapped-register]
    case 18: spu_mfcdma32(buffer, 0, 16, 1, 0x23); break;        // C18: illegal.c:[[@LINE]]: command 0x23{{.*}} [mfc-command]
    case 19: return *(volatile int *)address;                    // C19: illegal.c:[[@LINE]]: access to local-store address 0x3fffe: {{.*}} [ls-range]
    case 20: *(volatile long long *)(address + 0x80000000) = 1; break; // C20: illegal.c:[[@LINE]]: access to local-store address 0x8003fffe: {{.*}} [ls-range]
    case 21: return deeper(&zero);                               // C21: {{access to local-store address 0xf|calls too deep}}
    case 22: return 7 / zero;                                    // C22: illegal.c:[[@LINE]]: integer division by zero [divide]
    case 23: abort();                                            // C23: abort or a place {{.*}} [abort]
    case 24: return ((int (*)(int))(address + 1000))(1);         // C24: illegal.c:[[@LINE]]: call through pointer 0x403e6, which is no function of the type that is called [call]
    case 25: return (int)spu_readch(MFC_WrTagMask);              // C25: illegal.c:[[@LINE]]: reading channel 22 (MFC_WrTagMask): {{.*}} [channel]
    case 26: spu_hcmpeq(zero, 0); break;
    }
    finish();
    return 0;
}
