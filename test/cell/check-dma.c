// Shows that --check-dma reports each load or store that meets a transfer under way, with function's line, command, tag and
// the line that issued it, and says nothing of programs that wait.
//
// RUN: svm-spu-gcc -O2 -Wall --check-dma -I%S/Inputs %s -o %t.spu && svm-embedspu program %t.spu %t.o
// RUN: svm-ppu-gcc -I%S/Inputs %S/Inputs/case.ppu.c %t.o -o %t
// RUN: %t 0 2>&1 | FileCheck %s --check-prefix=C0
// RUN: not %t 1 2>&1 | FileCheck %s --check-prefix=C1
// RUN: not %t 2 2>&1 | FileCheck %s --check-prefix=C2
// RUN: not %t 3 2>&1 | FileCheck %s --check-prefix=C3
// RUN: not %t 4 2>&1 | FileCheck %s --check-prefix=C4
// RUN: not %t 5 2>&1 | FileCheck %s --check-prefix=C5
// RUN: not %t 6 2>&1 | FileCheck %s --check-prefix=C6
//
// The variable of the environment does the same for a stranger's Makefile; without either nothing is looked for.
// RUN: env SVM_CELL_CHECK_DMA=1 svm-spu-gcc -O2 -I%S/Inputs %s -o %t.spu && svm-embedspu program %t.spu %t.o
// RUN: svm-ppu-gcc -I%S/Inputs %S/Inputs/case.ppu.c %t.o -o %t && not %t 1 2>&1 | FileCheck %s --check-prefix=C1
// RUN: svm-spu-gcc -O2 -I%S/Inputs %s -o %t.spu && svm-embedspu program %t.spu %t.o
// RUN: svm-ppu-gcc -I%S/Inputs %S/Inputs/case.ppu.c %t.o -o %t && %t 1 2>&1 | FileCheck %s --check-prefix=C0
// C0-NOT: error
// C0: spe 0: result 0, reason 1
#include <spu_mfcio.h>
#include <string.h>

#include "case.h"

static case_block block __attribute__((aligned(128)));
static char buffer[4096] __attribute__((aligned(128)));
static mfc_list_element_t list[4] __attribute__((aligned(8)));

static void wait_for(unsigned int tags)
{
    mfc_write_tag_mask(tags);
    mfc_read_tag_status_all();
}

static void legal(void)
{
    mfc_get(buffer, block.memory, 1024, 1, 0, 0);
    buffer[1024] = 1;                         // beside it
    wait_for(2);
    mfc_put(buffer, block.memory, 1024, 1, 0, 0);
    *(volatile char *)(buffer + 2000) = buffer[5]; // loads of what is only read
    wait_for(2);
    buffer[5]++;
    list[0].size = 16, list[0].eal = (unsigned)block.memory, list[0].notify = 1;
    list[1].size = 16, list[1].eal = (unsigned)block.memory;
    mfc_getl(buffer, block.memory, list, 16, 3, 0, 0);
    mfc_read_list_stall_status();
    list[1].size = 32; // after the stall
    buffer[0] = buffer[20] = 1;
    mfc_write_list_stall_ack(3);
    wait_for(8);
    memset(buffer, 0, sizeof buffer);
}

int main(unsigned long long id, unsigned long long argp, unsigned long long envp)
{
    (void)id, (void)envp;
    mfc_get(&block, argp, sizeof block, 0, 0, 0);
    wait_for(1);
    volatile char *at = buffer;
    switch (block.number) {
    case 0: legal(); break;
    case 1:
        mfc_get(buffer, block.memory, 256, 5, 0, 0); // C1: SPE 0 ({{[^,]*}}, main): {{.*}}check-dma.c:[[@LINE+1]]: load of 1 bytes at local store 0x{{.*}} meets a transfer under way: mfc_get, tag 5, issued at {{.*}}check-dma.c:[[@LINE]]: is not complete [dma-race]
        (void)at[255];
        break;
    case 2:
        mfc_putf(buffer, block.memory, 256, 6, 0, 0); // C2: check-dma.c:[[@LINE+1]]: store of 1 bytes {{.*}}: mfc_putf, tag 6, issued at {{.*}}check-dma.c:[[@LINE]]: is
        at[0] = 1;
        break;
    case 3:
        mfc_get(buffer, block.memory, 256, 7, 0, 0);
        mfc_get(buffer + 1024, block.memory, 256, 8, 0, 0);
        wait_for(1u << 8);                            // the wrong tag
        at[100] = 1;                                  // C3: check-dma.c:[[@LINE]]: store of 1 bytes {{.*}}: mfc_get, tag 7
        break;
    case 4:
        mfc_get(buffer + 1024, block.memory, 256, 9, 0, 0);
        memset(buffer, 1, sizeof buffer);             // C4: check-dma.c:[[@LINE]]: store of 4096 bytes {{.*}}: mfc_get, tag 9
        break;
    case 5:
        list[0].size = 16, list[1].size = 16;
        list[0].eal = list[1].eal = (unsigned)block.memory;
        mfc_getl(buffer, block.memory, list, 16, 10, 0, 0);
        ((volatile mfc_list_element_t *)list)[1].eal = 0; // C5: check-dma.c:[[@LINE]]: store of {{.*}}: mfc_getl, tag 10
        break;
    case 6:
        list[0].size = 16, list[1].size = 16;
        list[0].eal = list[1].eal = (unsigned)block.memory;
        mfc_getl(buffer, block.memory, list, 16, 10, 0, 0);
        (void)at[31];                                 // C6: check-dma.c:[[@LINE]]: load of {{.*}}: mfc_getl, tag 10
        break;
    }
    wait_for(~0u);
    return 0;
}
