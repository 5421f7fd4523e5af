// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The SPU's channels: what reading, writing and counting each does, and when the SPU waits for it.
#include "runtime/cell/emulation/emulation.h"

#include <stdio.h>
#include <string.h>

enum {
    CH_EVENT_STAT = 0,
    CH_EVENT_MASK_WRITE = 1,
    CH_EVENT_ACK = 2,
    CH_SIGNAL_1 = 3,
    CH_SIGNAL_2 = 4,
    CH_DEC_WRITE = 7,
    CH_DEC = 8,
    CH_SYNC = 9,
    CH_EVENT_MASK = 11,
    CH_TAG_MASK = 12,
    CH_MACHINE = 13,
    CH_SRR0_WRITE = 14,
    CH_SRR0 = 15,
    CH_LSA = 16,
    CH_EAH = 17,
    CH_EAL = 18,
    CH_SIZE = 19,
    CH_TAG = 20,
    CH_CMD = 21,
    CH_TAG_MASK_WRITE = 22,
    CH_TAG_UPDATE = 23,
    CH_TAG_STAT = 24,
    CH_STALL_STAT = 25,
    CH_STALL_ACK = 26,
    CH_ATOMIC_STAT = 27,
    CH_OUT = 28,
    CH_IN = 29,
    CH_OUT_INTR = 30,
};
enum {
    EVENT_TAG = 0x1,
    EVENT_STALL = 0x2,
    EVENT_QUEUE = 0x8,
    EVENT_IN = 0x10,
    EVENT_DECREMENTER = 0x20,
    EVENT_LOST = 0x400,
    EVENT_SYNC = 0x1000,
};

static const char *const channel_names[] = {
    "SPU_RdEventStat",
    "SPU_WrEventMask",
    "SPU_WrEventAck",
    "SPU_RdSigNotify1",
    "SPU_RdSigNotify2",
    NULL,
    NULL,
    "SPU_WrDec",
    "SPU_RdDec",
    "MFC_WrMSSyncReq",
    NULL,
    "SPU_RdEventMask",
    "MFC_RdTagMask",
    "SPU_RdMachStat",
    "SPU_WrSRR0",
    "SPU_RdSRR0",
    "MFC_LSA",
    "MFC_EAH",
    "MFC_EAL",
    "MFC_Size",
    "MFC_TagID",
    "MFC_Cmd",
    "MFC_WrTagMask",
    "MFC_WrTagUpdate",
    "MFC_RdTagStat",
    "MFC_RdListStallStat",
    "MFC_WrListStallAck",
    "MFC_RdAtomicStat",
    "SPU_WrOutMbox",
    "SPU_RdInMbox",
    "SPU_WrOutIntrMbox",
};

static spe *begin(uint32_t site)
{
    spe *s = cell_current;
    cell_enter();
    s->site = site;
    s->polls = 0;
    cell_check_leave(s);
    return s;
}

static void wrong_channel(spe *s, const char *what, uint32_t channel)
{
    const char *name = channel < sizeof channel_names / sizeof *channel_names ? channel_names[channel] : NULL;
    cell_message(s, s->site, "%s channel %u%s%s%s: the channel cannot be used so [channel]", what, channel,
                 name ? " (" : "", name ? name : "", name ? ")" : "");
    if (!(s->flags & SPE_EVENTS_ENABLE))
        cell_die();
    spe_stop_info_t stop = {.stop_reason = SPE_RUNTIME_ERROR, .spu_status = SPE_SPU_INVALID_CHANNEL};
    stop.result.spe_runtime_error = SPE_SPU_INVALID_CHANNEL;
    cell_end(s, stop);
}

// ---- Transfers ----

bool cell_can_advance(const spe *s)
{
    return cell_queue_can_go(&s->mfc.spu) || cell_queue_can_go(&s->mfc.proxy);
}

bool cell_advance(spe *s, cell_queue *queue, uint32_t tags)
{
    cell_fault fault;
    cell_command last;
    const bool was_full = !cell_queue_has_room(queue);
    const uint32_t stalled = s->mfc.stall_tags;
    const cell_step step = cell_mfc_step(&s->mfc, queue, tags, &fault, &last);
    if (step == CELL_STEP_FAULT)
        cell_break_command(s, fault.rule, &fault.command, fault.element, fault.ea);
    if (step == CELL_STEP_NONE)
        return false;
    if (s->mfc.stall_tags & ~stalled)
        cell_event(s, EVENT_STALL);
    if (queue == &s->mfc.spu && was_full && cell_queue_has_room(queue))
        cell_event(s, EVENT_QUEUE);
    if (queue == &s->mfc.proxy) // the PPE may wait for its tag
        cell_changed(s);
    cell_look_at_tags(s);
    return true;
}

// Whether the tag status that the program asked for is there.
void cell_look_at_tags(spe *s)
{
    if (s->tag_update < 0 || s->tag_ready)
        return;
    const uint32_t done = cell_queue_done(&s->mfc.spu) & s->tag_mask;
    if (s->tag_update == 0 || (s->tag_update == 1 && (done || !s->tag_mask)) ||
        (s->tag_update == 2 && done == s->tag_mask)) {
        s->tag_status = done;
        s->tag_ready = true;
        s->tag_update = -1;
        cell_event(s, EVENT_TAG);
    }
}

static void wait_for_room(spe *s)
{
    while (!cell_queue_has_room(&s->mfc.spu)) {
        if (!cell_advance(s, &s->mfc.spu, ~0u))
            cell_block(s, false, "room in its MFC queue, which is full of lists that stalled (tags 0x%x)",
                       cell_queue_stalled(&s->mfc.spu));
        cell_check_leave(s);
    }
}

static void command(spe *s, uint32_t lsa, uint64_t ea, uint32_t size, uint32_t tag, uint32_t word)
{
    const cell_command c = {.lsa = lsa, .ea = ea, .size = size, .tag = tag, .opcode = word & 0xFFFF, .site = s->site};
    cell_rule rule;
    if (cell_command_is(c.opcode) & CELL_IS_NOW) {
        cell_look_at_events(s);
        rule = cell_mfc_atomic(&s->mfc, &c, &s->atomic_status);
        s->atomic_ready = !rule;
    } else {
        rule = cell_mfc_check(c.opcode, c.lsa, c.ea, c.size, c.tag, false);
        if (!rule) {
            wait_for_room(s);
            rule = cell_mfc_issue(&s->mfc, &s->mfc.spu, &c);
        }
    }
    if (rule)
        cell_break_command(s, rule, &c, 0, 0);
    cell_check_leave(s);
}

void cell_mfc_command(cell_spu *spu, uint32_t site, uint32_t lsa, uint32_t eah, uint32_t eal, uint32_t size,
                      uint32_t tag, uint32_t word)
{
    (void)spu;
    spe *s = begin(site);
    s->mfc_lsa = lsa, s->mfc_eah = eah, s->mfc_eal = eal, s->mfc_size = size, s->mfc_tag = tag;
    command(s, lsa, (uint64_t)eah << 32 | eal, size, tag, word);
    cell_leave();
}

// ---- Reading ----

static uint32_t read_tag_status(spe *s)
{
    while (!s->tag_ready) {
        cell_check_leave(s);
        if (s->tag_update < 0) {
            cell_block(s, false, "a tag status that it did not ask for (MFC_WrTagUpdate comes before MFC_RdTagStat)");
            continue;
        }
        if (cell_advance(s, &s->mfc.spu, s->tag_mask))
            continue;
        const uint32_t open = ~cell_queue_done(&s->mfc.spu) & s->tag_mask,
                       stalled = cell_queue_stalled(&s->mfc.spu) & open;
        cell_block(s, false, "%s of the tags 0x%x: 0x%x are not complete%s", s->tag_update == 1 ? "one" : "all",
                   s->tag_mask, open, stalled ? "; a list that stalled waits for mfc_write_list_stall_ack" : "");
    }
    cell_check_leave(s);
    s->tag_ready = false;
    return s->tag_status;
}

static uint32_t read_stall_status(spe *s)
{
    while (!s->mfc.stall_tags) {
        cell_check_leave(s);
        if (!cell_advance(s, &s->mfc.spu, ~0u))
            cell_block(s, false, "a list that stalls");
    }
    const uint32_t tags = s->mfc.stall_tags;
    s->mfc.stall_tags = 0;
    return tags;
}

static uint32_t read_mailbox(spe *s)
{
    uint32_t value;
    while (!cell_mailbox_take(&s->in, &value)) {
        cell_block(s, false, "its inbound mailbox");
        cell_check_leave(s);
    }
    cell_changed(s);
    return value;
}

static uint32_t read_signal(spe *s, unsigned number)
{
    cell_signal *signal = &s->signal[number];
    while (!signal->full) {
        cell_block(s, false, "signal register %u", number + 1);
        cell_check_leave(s);
    }
    const uint32_t value = signal->value;
    signal->full = false;
    signal->value = 0;
    return value;
}

static uint32_t read_events(spe *s)
{
    for (;;) {
        cell_look_at_events(s);
        if (s->event_pending & s->event_mask)
            return s->event_pending & s->event_mask;
        // The time passes and the PPE stores to lines without telling.
        const bool look = (s->event_mask & EVENT_DECREMENTER && s->decrementer_runs) ||
                          (s->event_mask & EVENT_LOST && s->mfc.reserved);
        cell_block(s, look, "one of the events 0x%x", s->event_mask);
        cell_check_leave(s);
    }
}

uint32_t cell_rdch(cell_spu *spu, uint32_t site, uint32_t channel)
{
    (void)spu;
    spe *s = begin(site);
    uint32_t value = 0;
    switch (channel) {
    case CH_EVENT_STAT: value = read_events(s); break;
    case CH_SIGNAL_1: value = read_signal(s, 0); break;
    case CH_SIGNAL_2: value = read_signal(s, 1); break;
    case CH_DEC: value = cell_decrementer_now(s); break;
    case CH_EVENT_MASK: value = s->event_mask; break;
    case CH_TAG_MASK: value = s->tag_mask; break;
    case CH_MACHINE: value = 0; break;
    case CH_SRR0: value = s->srr0; break;
    case CH_TAG_STAT: value = read_tag_status(s); break;
    case CH_STALL_STAT: value = read_stall_status(s); break;
    case CH_ATOMIC_STAT:
        while (!s->atomic_ready) {
            cell_block(s, false, "the status of an atomic command, and none was issued");
            cell_check_leave(s);
        }
        s->atomic_ready = false;
        value = s->atomic_status;
        break;
    case CH_IN: value = read_mailbox(s); break;
    default: wrong_channel(s, "reading", channel);
    }
    cell_leave();
    return value;
}

// ---- Writing ----

static void write_mailbox(spe *s, cell_mailbox *box, uint32_t value, const char *name)
{
    while (!cell_mailbox_put(box, value)) {
        cell_block(s, false, "the PPE to read its %s mailbox, which is full", name);
        cell_check_leave(s);
    }
    cell_changed(s);
}

static void write_update(spe *s, uint32_t value)
{
    if (value > 2) {
        cell_message(s, s->site, "tag update %u: the tag update is 0 (immediate), 1 (any) or 2 (all) [tag-update]",
                     value);
        cell_die();
    }
    s->tag_ready = false;
    s->tag_update = (int)value;
    // A program that polls sees its transfers go on.
    if (value == 0)
        cell_advance(s, &s->mfc.spu, s->tag_mask);
    cell_look_at_tags(s);
}

static void acknowledge(spe *s, uint32_t tag)
{
    const cell_rule rule = cell_mfc_ack(&s->mfc, tag);
    if (rule) {
        cell_message(s, s->site, "mfc_write_list_stall_ack(%u): %s [%s]", tag, cell_rule_get(rule)->text,
                     cell_rule_get(rule)->name);
        cell_die();
    }
    cell_look_at_tags(s);
}

void cell_wrch(cell_spu *spu, uint32_t site, uint32_t channel, uint32_t value)
{
    (void)spu;
    spe *s = begin(site);
    switch (channel) {
    case CH_EVENT_MASK_WRITE: s->event_mask = value; break;
    case CH_EVENT_ACK: s->event_pending &= ~value; break;
    case CH_DEC_WRITE:
        s->decrementer = value;
        s->decrementer_set = cell_nanoseconds();
        s->decrementer_runs = true;
        break;
    case CH_SYNC: cell_sync_start(s); break;
    case CH_SRR0_WRITE: s->srr0 = value; break;
    case CH_LSA: s->mfc_lsa = value; break;
    case CH_EAH: s->mfc_eah = value; break;
    case CH_EAL: s->mfc_eal = value; break;
    case CH_SIZE: s->mfc_size = value; break;
    case CH_TAG: s->mfc_tag = value; break;
    case CH_CMD: command(s, s->mfc_lsa, (uint64_t)s->mfc_eah << 32 | s->mfc_eal, s->mfc_size, s->mfc_tag, value); break;
    case CH_TAG_MASK_WRITE: s->tag_mask = value; break;
    case CH_TAG_UPDATE: write_update(s, value); break;
    case CH_STALL_ACK: acknowledge(s, value); break;
    case CH_OUT: write_mailbox(s, &s->out, value, "outbound"); break;
    case CH_OUT_INTR: write_mailbox(s, &s->out_intr, value, "outbound interrupt"); break;
    default: wrong_channel(s, "writing", channel);
    }
    cell_check_leave(s);
    cell_leave();
}

// ---- Counting ----

uint32_t cell_rchcnt(cell_spu *spu, uint32_t site, uint32_t channel)
{
    (void)spu;
    spe *s = begin(site);
    uint32_t count = 1;
    switch (channel) {
    case CH_EVENT_STAT:
        cell_look_at_events(s);
        count = (s->event_pending & s->event_mask) != 0;
        break;
    case CH_SIGNAL_1: count = s->signal[0].full; break;
    case CH_SIGNAL_2: count = s->signal[1].full; break;
    case CH_CMD:
        count = s->mfc.spu.depth - s->mfc.spu.count;
        if (!count)
            cell_advance(s, &s->mfc.spu, ~0u);
        break;
    case CH_TAG_STAT:
        if (!s->tag_ready && s->tag_update >= 0)
            cell_advance(s, &s->mfc.spu, s->tag_mask);
        count = s->tag_ready;
        break;
    case CH_STALL_STAT:
        if (!s->mfc.stall_tags)
            cell_advance(s, &s->mfc.spu, ~0u);
        count = s->mfc.stall_tags != 0;
        break;
    case CH_SYNC: count = cell_sync_done(s); break;
    case CH_ATOMIC_STAT: count = s->atomic_ready; break;
    case CH_OUT: count = s->out.depth - s->out.count; break;
    case CH_OUT_INTR: count = s->out_intr.depth - s->out_intr.count; break;
    case CH_IN: count = s->in.count; break;
    default:
        if (channel >= sizeof channel_names / sizeof *channel_names || !channel_names[channel])
            wrong_channel(s, "counting", channel);
    }
    if (!count)
        cell_yield();
    cell_check_leave(s);
    cell_leave();
    return count;
}

// ---- Multi-source synchronization ----

void cell_sync_start(spe *s)
{
    s->sync_pending = true;
    for (spe *other = cell_contexts; other; other = other->next)
        other->sync_number = other->mfc.issued;
}

static bool older_than(const cell_queue *queue, uint64_t number)
{
    for (uint32_t i = 0; i < queue->count; i++)
        if (queue->entry[i].number <= number)
            return true;
    return false;
}

bool cell_sync_done(spe *s)
{
    if (!s->sync_pending)
        return true;
    for (const spe *other = cell_contexts; other; other = other->next)
        if (other != s &&
            (older_than(&other->mfc.spu, other->sync_number) || older_than(&other->mfc.proxy, other->sync_number)))
            return false;
    s->sync_pending = false;
    cell_event(s, EVENT_SYNC);
    return true;
}
