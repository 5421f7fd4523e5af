// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The MFC's registers in the problem state (spe_mfc_command_area_t): the PPE writes what a command consists of, the command
// last, and reads whether there was room for it and which tags are done. With the lock held.
#include <stddef.h>

#include "runtime/cell/emulation/emulation.h"

#define AT(field) (CELL_AREA_MFC + (uint32_t)offsetof(spe_mfc_command_area_t, field))

#define QUEUE_EMPTY 0x80000000u

enum { STATUS_ENQUEUED = 0, STATUS_FULL = 2 };

static void issue(spe *s, uint32_t word)
{
    const cell_command c = {
        .lsa = s->proxy.lsa,
        .ea = (uint64_t)s->proxy.eah << 32 | s->proxy.eal,
        .size = s->proxy.size_tag >> 16,
        .tag = s->proxy.size_tag & 0xFFFF,
        .opcode = word & 0xFFFF,
    };
    const cell_rule rule = cell_mfc_check(c.opcode, c.lsa, c.ea, c.size, c.tag, true);
    s->proxy.status = STATUS_ENQUEUED;
    if (rule) {
        cell_break_command(s, rule, &c, 0, c.ea);
    } else if (!cell_queue_has_room(&s->mfc.proxy)) {
        s->proxy.status = STATUS_FULL;
    } else {
        cell_mfc_issue(&s->mfc, &s->mfc.proxy, &c);
        s->proxy_tags |= 1u << c.tag;
        cell_changed(s);
    }
}

bool cell_proxy_write(spe *s, uint32_t offset, uint32_t value)
{
    switch (offset) {
    case AT(MFC_LSA): s->proxy.lsa = value; return true;
    case AT(MFC_EAH): s->proxy.eah = value; return true;
    case AT(MFC_EAL): s->proxy.eal = value; return true;
    case AT(MFC_Size_Tag): s->proxy.size_tag = value; return true;
    case AT(MFC_ClassID_CMD): issue(s, value); return true;
    case AT(Prxy_QueryType): s->proxy.query = value; return true;
    case AT(Prxy_QueryMask): s->proxy.mask = value; return true;
    default: return false;
    }
}

// A thread of the PPE that polls sees its transfers go on.
static void go_on(spe *s, uint32_t tags)
{
    if (!cell_current)
        cell_advance(s, &s->mfc.proxy, tags);
}

static uint32_t tag_status(spe *s)
{
    const uint32_t done = cell_queue_done(&s->mfc.proxy) & s->proxy.mask;
    if (done != s->proxy.mask)
        go_on(s, s->proxy.mask);
    s->proxy_tags &= ~done;
    return done;
}

// A query ends when one of the tags (1) or all of them (2) are done.
static uint32_t query_type(spe *s)
{
    const uint32_t done = tag_status(s);
    if (s->proxy.query == 1 ? done != 0 : done == s->proxy.mask)
        s->proxy.query = 0;
    return s->proxy.query;
}

static uint32_t queue_status(spe *s)
{
    if (!cell_queue_has_room(&s->mfc.proxy))
        go_on(s, ~0u);
    return (CELL_PROXY_DEPTH - s->mfc.proxy.count) | (s->mfc.proxy.count ? 0 : QUEUE_EMPTY);
}

bool cell_proxy_read(spe *s, uint32_t offset, uint32_t *value)
{
    switch (offset) {
    case AT(MFC_CMDStatus):
        if (s->proxy.status == STATUS_FULL)
            go_on(s, ~0u);
        *value = s->proxy.status;
        return true;
    case AT(MFC_QStatus): *value = queue_status(s); return true;
    case AT(Prxy_QueryType): *value = query_type(s); return true;
    case AT(Prxy_QueryMask): *value = s->proxy.mask; return true;
    case AT(Prxy_TagStatus): *value = tag_status(s); return true;
    default: return false;
    }
}
