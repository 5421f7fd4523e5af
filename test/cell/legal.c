// Shows what programs that keep the rules get: sizes, queue, order by fences and barriers, lists, lines, signals, events.
// Each with three seeds of the order in which transfers complete.
//
// RUN: svm-spu-gcc -O2 -Wall -I%S/Inputs %s -o %t.spu && svm-embedspu program %t.spu %t.o
// RUN: svm-ppu-gcc -I%S/Inputs %S/Inputs/case.ppu.c %t.o -o %t
// RUN: env SVM_CELL_SEED=1 %t 0 1 0x10 2>&1 | FileCheck %s
// RUN: env SVM_CELL_SEED=2 %t 0 1 0x10 2>&1 | FileCheck %s
// RUN: env SVM_CELL_SEED=3 %t 0 1 0x10 2>&1 | FileCheck %s
// CHECK: sizes: 0 wrong
// CHECK-NEXT: late: 1 before the wait, 0 after
// CHECK-NEXT: queue: 16 free, 0 free after 16 commands, 16 free at the end
// CHECK-NEXT: fence: 0 of 200 out of order
// CHECK-NEXT: barrier: 0 of 200 out of order
// CHECK-NEXT: queue barrier: 0 of 200 out of order
// CHECK-NEXT: no fence: out of order
// CHECK-NEXT: list: 0 wrong, stalled at 0x8, read again 0
// CHECK-NEXT: short elements: 0 wrong
// CHECK-NEXT: the machine's order: 0 wrong
// CHECK-NEXT: line: getllar 4, putllc 0, putllc again 1, putlluc 2
// CHECK-NEXT: lost: event 1, putllc 1
// CHECK-NEXT: tag event: 1
// CHECK-NEXT: decrementer: counts down, event 1
// CHECK-NEXT: signal 1 collects: 0x30, count 0
// CHECK-NEXT: signal 2 is overwritten: 0x20
// CHECK-NEXT: mailbox overrun: 1 2 3 6
// CHECK-NEXT: tags: 0 1 2 4 invalid
// CHECK-NEXT: stop
// CHECK-NEXT: spe 0: result 291, reason 2, value 291, status 0x1230002
// CHECK-NEXT: on
// CHECK-NEXT: spe 0: result 0, reason 1, value 5, status 0x20050002
//
// Four SPEs, and the PPE, count in one line.
// RUN: env SVM_CELL_SEED=1 %t 1 4 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: memory: 5000
#include <spu_mfcio.h>
#include <stdio.h>
#include <string.h>

#include "case.h"

static case_block block __attribute__((aligned(128)));
static unsigned char a[32768] __attribute__((aligned(128))), b[1024] __attribute__((aligned(128)));
static mfc_list_element_t list[8] __attribute__((aligned(8)));
static unsigned int words[4] __attribute__((aligned(16)));

static void wait_for(unsigned int tags)
{
    mfc_write_tag_mask(tags);
    mfc_read_tag_status_all();
}

static unsigned wrong(const unsigned char *at, unsigned from, unsigned count)
{
    unsigned n = 0;
    for (unsigned i = 0; i < count; i++)
        n += at[i] != (unsigned char)((from + i) * 7);
    return n;
}

static void sizes(void)
{
    unsigned n = 0;
    for (unsigned size = 1; size <= 8; size *= 2) {
        mfc_get(a + 64 + size, block.memory + 128 + size, size, size, 0, 0);
        wait_for(1u << size);
        n += wrong(a + 64 + size, 128 + size, size);
    }
    mfc_get(a, block.memory + 16384, 16384, 3, 0, 0);
    mfc_getf(a + 16384, block.memory + 32768, 16384, 3, 0, 0);
    wait_for(1u << 3);
    printf("sizes: %u wrong\n", n + wrong(a, 16384, 32768));
}

static void late(void)
{
    memset(b, 1, 16);
    mfc_get(b, block.memory, 16, 2, 0, 0);
    const int before = *(volatile unsigned char *)b;
    wait_for(1u << 2);
    printf("late: %d before the wait, %d after\n", before, *(volatile unsigned char *)b);
}

static void queue(void)
{
    const unsigned first = mfc_stat_cmd_queue();
    for (unsigned i = 0; i < 16; i++)
        mfc_get(a + 16 * i, block.memory, 16, 1, 0, 0);
    const unsigned full = mfc_stat_cmd_queue();
    for (unsigned i = 0; i < 40; i++)
        mfc_get(a + 16 * i, block.memory, 16, 1, 0, 0);
    wait_for(2);
    printf("queue: %u free, %u free after 16 commands, %u free at the end\n", first, full, mfc_stat_cmd_queue());
}

// Two transfers to one place: the second is what is there afterwards.
static unsigned order(int kind)
{
    unsigned n = 0;
    for (unsigned i = 0; i < 200; i++) {
        mfc_get(b, block.memory, 16, 4, 0, 0);
        if (kind == 0) {
            mfc_getf(b, block.memory + 16, 16, 4, 0, 0);
        } else if (kind == 1) {
            mfc_getb(b + 32, block.memory + 32, 16, 4, 0, 0);
            mfc_get(b, block.memory + 16, 16, 4, 0, 0);
        } else if (kind == 2) {
            mfc_barrier(9);
            mfc_get(b, block.memory + 16, 16, 5, 0, 0);
        } else {
            mfc_get(b, block.memory + 16, 16, 4, 0, 0);
        }
        wait_for(1u << 4 | 1u << 5 | 1u << 9);
        n += wrong(b, 16, 16) != 0;
    }
    return n;
}

static void lists(void)
{
    for (unsigned i = 0; i < 6; i++) {
        list[i] = (mfc_list_element_t){.size = 16 * (i + 1), .eal = (unsigned)block.memory + 256 * i};
        list[i].notify = i == 2;
    }
    mfc_getl(a, block.memory, list, 6 * sizeof list[0], 3, 0, 0);
    const unsigned stalled = mfc_read_list_stall_status(), again = mfc_stat_list_stall_status();
    list[3].size = 64, list[3].eal = (unsigned)block.memory + 4096; // the rest may still be changed
    mfc_write_list_stall_ack(3);
    wait_for(1u << 3);
    unsigned n = wrong(a, 0, 16) + wrong(a + 16, 256, 32) + wrong(a + 48, 512, 48) + wrong(a + 96, 4096, 64) + wrong(a + 160, 1024, 80);
    printf("list: %u wrong, stalled at 0x%x, read again %u\n", n, stalled, again);
    for (unsigned i = 0; i < 3; i++)
        list[i] = (mfc_list_element_t){.size = 4u << (i & 1), .eal = (unsigned)block.memory + 1024 + 24 * i};
    mfc_getl(a, block.memory, list, 3 * sizeof list[0], 3, 0, 0);
    wait_for(1u << 3);
    n = wrong(a, 1024, 4) + wrong(a + 16 + 8, 1048, 8) + wrong(a + 32, 1072, 4);
    printf("short elements: %u wrong\n", n);
    // A struct of the program's own, with the fields where the machine has them.
    static struct {
        unsigned stall : 1, reserved : 15, bytes : 16;
        unsigned low;
    } own[2] __attribute__((aligned(8)));
    own[0].bytes = 32, own[0].low = (unsigned)block.memory + 512, own[0].stall = 1;
    own[1].bytes = 16384, own[1].low = (unsigned)block.memory + 2048;
    mfc_getl(a, block.memory, own, sizeof own, 3, 0, 0);
    n = mfc_read_list_stall_status() != 8;
    mfc_write_list_stall_ack(3);
    wait_for(1u << 3);
    printf("the machine's order: %u wrong\n", n + wrong(a, 512, 32) + wrong(a + 32, 2048, 16384));
}

static void lines(void)
{
    mfc_getllar(b, block.memory, 0, 0);
    const unsigned get = mfc_read_atomic_status();
    mfc_putllc(b, block.memory, 0, 0);
    const unsigned put = mfc_read_atomic_status();
    mfc_putllc(b, block.memory, 0, 0);
    const unsigned again = mfc_read_atomic_status();
    mfc_putlluc(b, block.memory, 0, 0);
    printf("line: getllar %u, putllc %u, putllc again %u, putlluc %u\n", get, put, again, mfc_read_atomic_status());
    spu_write_event_mask(MFC_LLR_LOST_EVENT);
    spu_write_event_ack(MFC_LLR_LOST_EVENT);
    mfc_getllar(b, block.memory, 0, 0);
    mfc_read_atomic_status();
    mfc_put(b, block.memory + 64, 16, 1, 0, 0); // as another processor would
    wait_for(2);
    const unsigned event = spu_read_event_status() == MFC_LLR_LOST_EVENT;
    spu_write_event_ack(MFC_LLR_LOST_EVENT);
    mfc_putllc(b, block.memory, 0, 0);
    printf("lost: event %u, putllc %u\n", event, mfc_read_atomic_status());
}

static void events(void)
{
    spu_write_event_mask(MFC_TAG_STATUS_UPDATE_EVENT);
    spu_write_event_ack(~0u);
    mfc_get(a, block.memory, 128, 6, 0, 0);
    mfc_write_tag_mask(1u << 6);
    mfc_write_tag_update_all();
    const unsigned event = spu_read_event_status();
    mfc_read_tag_status();
    spu_write_event_ack(event);
    printf("tag event: %u\n", event);
    spu_write_event_mask(MFC_DECREMENTER_EVENT);
    spu_write_decrementer(50000);
    const unsigned first = spu_read_decrementer();
    const unsigned passed = spu_read_event_status() == MFC_DECREMENTER_EVENT;
    printf("decrementer: %s, event %u\n", first <= 50000 && (int)spu_read_decrementer() < (int)first ? "counts down" : "stands", passed);
    spu_write_event_ack(MFC_DECREMENTER_EVENT);
    spu_write_event_mask(0);
}

static void put_word(unsigned long long ea, unsigned value)
{
    unsigned *word = &words[ea % 16 / 4];
    *word = value;
    mfc_put(word, ea, 4, 1, 0, 0);
    wait_for(2);
}

static void registers(void)
{
    words[3] = 0x10;
    mfc_sndsig(&words[3], block.signal1[0] + 12, 1, 0, 0);
    wait_for(2);
    put_word(block.signal1[0] + 12, 0x20);
    const unsigned value = spu_read_signal1();
    printf("signal 1 collects: 0x%x, count %u\n", value, spu_stat_signal1());
    put_word(block.signal2[0] + 12, 0x10);
    put_word(block.signal2[0] + 12, 0x20);
    printf("signal 2 is overwritten: 0x%x\n", spu_read_signal2());
    for (unsigned i = 1; i <= 6; i++)
        put_word(block.control[0] + 12, i);
    const unsigned a1 = spu_read_in_mbox(), a2 = spu_read_in_mbox(), a3 = spu_read_in_mbox();
    printf("mailbox overrun: %u %u %u %u\n", a1, a2, a3, spu_read_in_mbox());
}

static void tags(void)
{
    const unsigned t0 = mfc_tag_reserve(), t1 = mfc_tag_reserve(), t2 = mfc_multi_tag_reserve(4);
    mfc_multi_tag_release(t2, 4);
    const unsigned t3 = mfc_multi_tag_reserve(2), t4 = mfc_tag_reserve();
    printf("tags: %u %u %u %u %s\n", t0, t1, t3, t4, mfc_multi_tag_reserve(29) == MFC_TAG_INVALID ? "invalid" : "valid");
}

static void count(void)
{
    for (unsigned i = 0; i < 1000; i++) {
        do {
            mfc_getllar(b, block.memory, 0, 0);
            mfc_read_atomic_status();
            unsigned value;
            memcpy(&value, b, 4);
            value++;
            memcpy(b, &value, 4);
            mfc_putllc(b, block.memory, 0, 0);
        } while (mfc_read_atomic_status() & MFC_PUTLLC_STATUS);
    }
}

int main(unsigned long long id, unsigned long long argp, unsigned long long envp)
{
    (void)id, (void)envp;
    mfc_get(&block, argp, sizeof block, 0, 0, 0);
    wait_for(1);
    if (block.number == 1) {
        count();
        return 0;
    }
    sizes();
    late();
    queue();
    printf("fence: %u of 200 out of order\n", order(0));
    printf("barrier: %u of 200 out of order\n", order(1));
    printf("queue barrier: %u of 200 out of order\n", order(2));
    printf("no fence: %s\n", order(3) ? "out of order" : "in order");
    lists();
    lines();
    events();
    registers();
    tags();
    printf("stop\n");
    spu_stop(0x123);
    printf("on\n");
    return 5;
}
