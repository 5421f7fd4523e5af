// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The PPE's side of transfers, mailboxes and signals.
#include "runtime/cell/emulation/emulation.h"

#include <errno.h>
#include <stdio.h>

enum { EVENT_IN_MBOX = 0x10, EVENT_OUT_INTR = 0x40, EVENT_OUT = 0x80 };

static int wrong(int error)
{
    errno = error;
    return -1;
}

// ---- Transfers ----

static int proxy(spe *s, uint32_t opcode, unsigned int ls, void *ea, unsigned int size, unsigned int tag,
                 unsigned int tid, unsigned int rid)
{
    if (!s)
        return wrong(ESRCH);
    if (tid > 0xFF || rid > 0xFF)
        return wrong(EINVAL);
    const cell_command c = {.lsa = ls, .ea = (uint64_t)(uintptr_t)ea, .size = size, .tag = tag, .opcode = opcode};
    const cell_rule rule = cell_mfc_check(c.opcode, c.lsa, c.ea, c.size, c.tag, true);
    if (rule) {
        cell_message(s, 0,
                     "the PPE's spe_mfcio_%s of %u bytes, tag %u, local store 0x%x, effective address 0x%llx: %s [%s]",
                     cell_command_name(opcode) + 4, size, tag, ls, (unsigned long long)c.ea, cell_rule_get(rule)->text,
                     cell_rule_get(rule)->name);
        return wrong(EINVAL);
    }
    cell_enter_from_ppe();
    while (!cell_queue_has_room(&s->mfc.proxy))
        cell_advance(s, &s->mfc.proxy, ~0u);
    cell_mfc_issue(&s->mfc, &s->mfc.proxy, &c);
    s->proxy_tags |= 1u << tag;
    cell_leave();
    return 0;
}

#define CELL_PROXY(name, opcode)                                                                                       \
    int spe_mfcio_##name(spe_context_ptr_t s, unsigned int ls, void *ea, unsigned int size, unsigned int tag,          \
                         unsigned int tid, unsigned int rid)                                                           \
    {                                                                                                                  \
        return proxy(s, opcode, ls, ea, size, tag, tid, rid);                                                          \
    }
CELL_PROXY(put, 0x20)
CELL_PROXY(putb, 0x21)
CELL_PROXY(putf, 0x22)
CELL_PROXY(get, 0x40)
CELL_PROXY(getb, 0x41)
CELL_PROXY(getf, 0x42)

int spe_mfcio_tag_status_read(spe_context_ptr_t s, unsigned int mask, unsigned int behavior, unsigned int *tag_status)
{
    if (!s)
        return wrong(ESRCH);
    if (!tag_status || mask >> CELL_PROXY_TAGS || behavior < SPE_TAG_ALL || behavior > SPE_TAG_IMMEDIATE)
        return wrong(EINVAL);
    cell_enter_from_ppe();
    if (!mask)
        mask = s->proxy_tags;
    uint32_t done;
    for (;;) {
        done = cell_queue_done(&s->mfc.proxy) & mask;
        if (behavior == SPE_TAG_IMMEDIATE || done == mask || (behavior == SPE_TAG_ANY && done))
            break;
        if (!cell_advance(s, &s->mfc.proxy, mask))
            break;
    }
    if (behavior == SPE_TAG_IMMEDIATE) // a program that polls sees its transfers go on
        cell_advance(s, &s->mfc.proxy, mask);
    s->proxy_tags &= ~done;
    *tag_status = done;
    cell_leave();
    return 0;
}

// ---- Mailboxes ----

// Words that an SPE has in a mailbox for the PPE; a program that asks in vain lets SPEs run.
static int waiting_in(const cell_mailbox *box)
{
    cell_enter_from_ppe();
    const int count = (int)box->count;
    if (!count)
        cell_yield();
    cell_leave();
    return count;
}

int spe_out_mbox_read(spe_context_ptr_t s, unsigned int *mbox_data, int count)
{
    if (!s || !mbox_data || count < 1)
        return wrong(s ? EINVAL : ESRCH);
    cell_enter_from_ppe();
    int done = 0;
    while (done < count && cell_mailbox_take(&s->out, &mbox_data[done]))
        done++;
    if (done)
        cell_event(s, EVENT_OUT);
    else
        cell_yield();
    cell_leave();
    return done;
}

int spe_out_mbox_status(spe_context_ptr_t s)
{
    return s ? waiting_in(&s->out) : wrong(ESRCH);
}

int spe_in_mbox_write(spe_context_ptr_t s, unsigned int *mbox_data, int count, unsigned int behavior)
{
    if (!s || !mbox_data || count < 1 || behavior < SPE_MBOX_ALL_BLOCKING || behavior > SPE_MBOX_ANY_NONBLOCKING)
        return wrong(s ? EINVAL : ESRCH);
    cell_enter_from_ppe();
    int done = 0;
    for (;;) {
        const int before = done;
        while (done < count && cell_mailbox_put(&s->in, mbox_data[done]))
            done++;
        if (done > before)
            cell_event(s, EVENT_IN_MBOX);
        if (done == count || behavior == SPE_MBOX_ANY_NONBLOCKING || (done && behavior == SPE_MBOX_ANY_BLOCKING))
            break;
        cell_block_ppe(s, "spe_in_mbox_write");
    }
    cell_leave();
    return done;
}

int spe_in_mbox_status(spe_context_ptr_t s)
{
    if (!s)
        return wrong(ESRCH);
    cell_enter_from_ppe();
    const int room = (int)(s->in.depth - s->in.count);
    if (!room)
        cell_yield();
    cell_leave();
    return room;
}

int spe_out_intr_mbox_read(spe_context_ptr_t s, unsigned int *mbox_data, int count, unsigned int behavior)
{
    if (!s || !mbox_data || count < 1 || behavior < SPE_MBOX_ALL_BLOCKING || behavior > SPE_MBOX_ANY_NONBLOCKING)
        return wrong(s ? EINVAL : ESRCH);
    cell_enter_from_ppe();
    int done = 0;
    for (;;) {
        const int before = done;
        while (done < count && cell_mailbox_take(&s->out_intr, &mbox_data[done]))
            done++;
        if (done > before)
            cell_event(s, EVENT_OUT_INTR);
        if (done == count || behavior == SPE_MBOX_ANY_NONBLOCKING || (done && behavior == SPE_MBOX_ANY_BLOCKING))
            break;
        cell_block_ppe(s, "spe_out_intr_mbox_read");
    }
    if (!done)
        cell_yield();
    cell_leave();
    return done;
}

int spe_out_intr_mbox_status(spe_context_ptr_t s)
{
    return s ? waiting_in(&s->out_intr) : wrong(ESRCH);
}

int spe_signal_write(spe_context_ptr_t s, unsigned int signal_reg, unsigned int data)
{
    if (!s)
        return wrong(ESRCH);
    if (signal_reg != SPE_SIG_NOTIFY_REG_1 && signal_reg != SPE_SIG_NOTIFY_REG_2)
        return wrong(EINVAL);
    cell_enter_from_ppe();
    cell_register_write(s, signal_reg == SPE_SIG_NOTIFY_REG_1 ? CELL_AREA_SIGNAL_1 + 12 : CELL_AREA_SIGNAL_2 + 12,
                        data);
    cell_leave();
    return 0;
}
