// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random commands, legal and illegal, for the MFC model and for a reference that is written straight from the rules:
// every command is a record that is never thrown away, every question is answered by looking at all of them.
//   cell-mfc-fuzz COMMANDS [SEED]
#include "runtime/cell/mfc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOW = 1 << 16, RECENT = 4096, LISTS = 131072, LIST_SLOT = 4096, SLOTS = 32 };
static const uint64_t window_ea = UINT64_C(0x00005A5A00100000);

// ---- The reference ----

typedef struct record {
    uint32_t opcode, lsa, size, tag;
    uint64_t ea, number;
    bool proxy, ended, stalled;
    uint32_t next, count, at; // a list's elements, where the next one's bytes lie
} record;

static struct {
    uint8_t ls[CELL_LS_SIZE], memory[WINDOW];
    record recent[RECENT];  // at number % RECENT
    uint64_t newest, first; // all before first have ended
    bool reserved;
    uint64_t line_ea;
    uint8_t line[128];
} ref;

static uint8_t ls[CELL_LS_SIZE], memory[WINDOW];
static cell_mfc mfc;
static uint64_t state;
static unsigned long commands_done, illegal, faults, inversions, stalls, atomics, failed_atomics, hits;

static uint32_t any(uint32_t bound)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 32) % bound;
}

static void fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    printf("difference after %lu commands: ", commands_done);
    vprintf(format, arguments);
    printf("\n");
    va_end(arguments);
    exit(1);
}

static bool is_list(uint32_t opcode)
{
    return opcode >= 0x20 && opcode < 0x50 && opcode & 4;
}
static bool is_get(uint32_t opcode)
{
    return (opcode & 0xF0) == 0x40;
}
static bool is_hint_or_order(uint32_t opcode)
{
    return (opcode & 0xF0) == 0x80 || opcode >= 0xC0;
}
static bool is_line(uint32_t opcode)
{
    return opcode == 0xB0 || opcode == 0xB4 || opcode == 0xB8 || opcode == 0xD0;
}
static bool fences(uint32_t opcode)
{
    return ((opcode < 0x50 || (opcode & 0xF0) == 0xA0) && opcode & 3) || opcode == 0xB8 || opcode == 0xC8 ||
           opcode == 0xCC;
}
static bool bars(uint32_t opcode)
{
    return ((opcode < 0x50 || (opcode & 0xF0) == 0xA0) && opcode & 1) || opcode == 0xC8 || opcode == 0xCC;
}

static bool exists(uint32_t opcode)
{
    switch (opcode & 0xF0) {
    case 0x20:
    case 0x30:
    case 0x40: return (opcode & 8) == 0 && (opcode & 3) != 3;
    case 0xA0: return opcode <= 0xA2;
    case 0x80: return opcode == 0x80 || opcode == 0x81 || opcode == 0x8D || opcode == 0x8F;
    default: return is_line(opcode) || opcode == 0xC0 || opcode == 0xC8 || opcode == 0xCC;
    }
}

// The rules that a transfer breaks, as bits; 0 is legal.
static uint32_t broken_transfer(uint32_t lsa, uint64_t ea, uint32_t size)
{
    const bool small = size && size <= 8 && (size & (size - 1)) == 0;
    uint32_t broken = 0;
    if (!small && (size < 16 || (size & 15)))
        broken |= 1u << CELL_RULE_SIZE;
    if (size > 16384)
        broken |= 1u << CELL_RULE_SIZE;
    if (small && ea & (size - 1))
        broken |= 1u << CELL_RULE_ALIGN_SHORT;
    if (small && (ea ^ lsa) & 15)
        broken |= 1u << CELL_RULE_ALIGN_LOW4;
    if (!small && (ea | lsa) & 15)
        broken |= 1u << CELL_RULE_ALIGN_QUAD;
    if ((uint64_t)lsa + size > CELL_LS_SIZE)
        broken |= 1u << CELL_RULE_LS_RANGE;
    return broken;
}

static uint32_t broken_command(uint32_t opcode, uint32_t lsa, uint64_t ea, uint32_t size, uint32_t tag, bool proxy)
{
    if (!exists(opcode) || (proxy && (is_list(opcode) || opcode >= 0x50)))
        return 1u << CELL_RULE_COMMAND;
    uint32_t broken = 0;
    const bool queued = opcode != 0xB0 && opcode != 0xB4 && opcode != 0xD0;
    if (proxy && tag > 15)
        broken |= 1u << CELL_RULE_PROXY_TAG;
    if (!proxy && queued && tag > 31)
        broken |= 1u << CELL_RULE_TAG;
    if (is_hint_or_order(opcode) && !is_line(opcode))
        return broken;
    if (is_line(opcode)) {
        if ((ea | lsa) & 127)
            broken |= 1u << CELL_RULE_LINE;
        if (lsa >= CELL_LS_SIZE)
            broken |= 1u << CELL_RULE_LS_RANGE;
        return broken;
    }
    if (is_list(opcode)) {
        if (size == 0 || size > 16384 || size & 7)
            broken |= 1u << CELL_RULE_LIST_SIZE;
        if (ea & 7)
            broken |= 1u << CELL_RULE_LIST_ALIGN;
        if ((ea & 0xFFFFFFFF) + size > CELL_LS_SIZE || lsa >= CELL_LS_SIZE)
            broken |= 1u << CELL_RULE_LS_RANGE;
        return broken;
    }
    if ((opcode & 0xF0) == 0xA0 && (size != 4 || ea & 3))
        broken |= 1u << CELL_RULE_SIGNAL;
    return broken | broken_transfer(lsa, ea, size);
}

static record *oldest_first(uint64_t number)
{
    return &ref.recent[number % RECENT];
}

static uint64_t oldest(void)
{
    while (ref.first <= ref.newest && oldest_first(ref.first)->ended)
        ref.first++;
    return ref.first;
}

// b was issued after a to the same queue and may not begin before a has ended.
static bool ordered(const record *a, const record *b)
{
    if (a->proxy != b->proxy)
        return false;
    if (a->opcode == 0xC0 || b->opcode == 0xC0)
        return true;
    return a->tag == b->tag && (bars(a->opcode) || fences(b->opcode));
}

static bool may_go(const record *r)
{
    if (r->ended || r->stalled)
        return false;
    for (uint64_t n = oldest(); n < r->number; n++)
        if (!oldest_first(n)->ended && ordered(oldest_first(n), r))
            return false;
    return true;
}

// Work on r brings a command of these tags forward.
static bool helps(const record *r, uint32_t tags)
{
    if (tags >> r->tag & 1)
        return true;
    for (uint64_t n = r->number + 1; n <= ref.newest; n++)
        if (!oldest_first(n)->ended && ordered(r, oldest_first(n)) && helps(oldest_first(n), tags))
            return true;
    return false;
}

static uint8_t *ref_memory(uint64_t ea, uint32_t size)
{
    return ea >= window_ea && ea + size <= window_ea + WINDOW ? ref.memory + (ea - window_ea) : NULL;
}

static void ref_store(uint64_t ea, const uint8_t *from, uint32_t size)
{
    memcpy(ref_memory(ea, size), from, size);
    if (ref.reserved && ea / 128 <= ref.line_ea / 128 && ref.line_ea / 128 <= (ea + size - 1) / 128)
        ref.reserved = false;
}

// ---- The bus under the model ----

static cell_rule bus_read(void *context, uint64_t ea, void *to, uint32_t size)
{
    (void)context;
    if (ea < window_ea || ea + size > window_ea + WINDOW)
        return CELL_RULE_EA_MAPPED;
    memcpy(to, memory + (ea - window_ea), size);
    return CELL_RULE_NONE;
}

static cell_rule bus_write(void *context, uint64_t ea, const void *from, uint32_t size)
{
    (void)context;
    if (ea < window_ea || ea + size > window_ea + WINDOW)
        return CELL_RULE_EA_MAPPED;
    memcpy(memory + (ea - window_ea), from, size);
    cell_mfc_lose(&mfc, ea, size);
    return CELL_RULE_NONE;
}

static cell_rule bus_line_put(void *context, uint64_t ea, const uint8_t *expected, const uint8_t *line, bool *stored)
{
    (void)context;
    if (ea < window_ea || ea + CELL_LINE > window_ea + WINDOW)
        return CELL_RULE_EA_MAPPED;
    *stored = !expected || memcmp(memory + (ea - window_ea), expected, CELL_LINE) == 0;
    if (!*stored)
        return CELL_RULE_NONE;
    return bus_write(context, ea, line, CELL_LINE);
}

// ---- Comparing ----

typedef struct ref_element {
    uint32_t size, eal;
    bool notify, bad;
} ref_element;

// Both orders of the fields: size at the bottom and notify at the top, or the other way round with nothing in between.
static ref_element element_of(const record *r, uint32_t index)
{
    uint32_t word[2];
    memcpy(word, ref.ls + (uint32_t)r->ea + 8 * index, 8);
    const bool turned = word[0] >> 16 & 0x7FFF && (word[0] & 0xFFFF) <= 1;
    if (turned)
        return (ref_element){word[0] >> 16, word[1], word[0] & 1, false};
    return (ref_element){word[0] % 32768, word[1], word[0] >> 31, (word[0] & 0x7FFF8000) != 0};
}

// What one unit of work on r does, by the rules; the moved range for the comparison. False where it faults.
static bool ref_work(record *r, uint32_t *lsa, uint64_t *ea, uint32_t *size, uint32_t *broken)
{
    *lsa = r->lsa, *ea = r->ea, *size = is_line(r->opcode) ? 128 : r->size, *broken = 0;
    bool notify = false;
    if (is_list(r->opcode)) {
        const ref_element e = element_of(r, r->next);
        *size = e.size, notify = e.notify;
        *ea = (r->ea >> 32 << 32) | e.eal;
        const bool small = *size == 1 || *size == 2 || *size == 4 || *size == 8;
        *lsa = r->next == 0 ? r->lsa : (r->at + 15) / 16 * 16 + (small ? e.eal % 16 : 0);
        if (e.bad)
            *broken |= 1u << CELL_RULE_LIST_ELEMENT;
        if ((uint64_t)e.eal + *size > UINT64_C(1) << 32)
            *broken |= 1u << CELL_RULE_LIST_HIGH;
        if (*size) {
            uint32_t b = broken_transfer(*lsa, *ea, *size);
            if (b & 1u << CELL_RULE_SIZE)
                b |= 1u << CELL_RULE_LIST_ELEMENT;
            *broken |= b;
        }
    }
    const bool moves = !(is_hint_or_order(r->opcode) && !is_line(r->opcode)) && *size;
    if (!*broken && moves && !ref_memory(*ea, *size))
        *broken |= 1u << CELL_RULE_EA_MAPPED;
    if (*broken) {
        r->ended = true;
        return false;
    }
    if (moves && is_get(r->opcode))
        memcpy(ref.ls + *lsa, ref_memory(*ea, *size), *size);
    else if (moves)
        ref_store(*ea, ref.ls + *lsa, *size);
    if (is_list(r->opcode)) {
        r->next++;
        r->at = *lsa + *size;
        r->stalled = notify;
        r->ended = r->next == r->count && !notify;
        stalls += notify;
    } else {
        r->ended = true;
    }
    return true;
}

static void compare_tags(void)
{
    uint32_t done[2] = {~0u, ~0u}, stalled = 0;
    for (uint64_t n = oldest(); n <= ref.newest; n++) {
        const record *r = oldest_first(n);
        if (!r->ended)
            done[r->proxy] &= ~(1u << r->tag);
        if (!r->ended && r->stalled)
            stalled |= 1u << r->tag;
    }
    if (cell_queue_done(&mfc.spu) != done[0] || cell_queue_done(&mfc.proxy) != done[1])
        fail("tags done %08x %08x, expected %08x %08x", cell_queue_done(&mfc.spu), cell_queue_done(&mfc.proxy), done[0],
             done[1]);
    if (cell_queue_stalled(&mfc.spu) != stalled)
        fail("tags stalled %08x, expected %08x", cell_queue_stalled(&mfc.spu), stalled);
    if (mfc.reserved != ref.reserved)
        fail("reservation %d, expected %d", mfc.reserved, ref.reserved);
}

static void compare_memory(uint32_t lsa, uint64_t ea, uint32_t size)
{
    if (memcmp(ls + lsa, ref.ls + lsa, size))
        fail("local store at 0x%x", lsa);
    if (ref_memory(ea, size) && memcmp(memory + (ea - window_ea), ref_memory(ea, size), size))
        fail("memory at 0x%llx", (unsigned long long)ea);
}

static bool step(bool proxy, uint32_t tags)
{
    cell_fault fault;
    cell_command last;
    const cell_step did = cell_mfc_step(&mfc, proxy ? &mfc.proxy : &mfc.spu, tags, &fault, &last);
    if (did == CELL_STEP_NONE) {
        for (uint64_t n = oldest(); n <= ref.newest; n++)
            if (oldest_first(n)->proxy == proxy && may_go(oldest_first(n)) && helps(oldest_first(n), tags))
                fail("nothing done, command %llu could go", (unsigned long long)n);
        return false;
    }
    const uint64_t number = did == CELL_STEP_DONE ? last.number : fault.command.number;
    record *r = oldest_first(number);
    if (r->number != number || r->proxy != proxy || !may_go(r) || !helps(r, tags))
        fail("command %llu (opcode %02x tag %u) went out of order", (unsigned long long)number, r->opcode, r->tag);
    for (uint64_t n = oldest(); n < number; n++)
        inversions += !oldest_first(n)->ended && oldest_first(n)->proxy == proxy && oldest_first(n)->tag == r->tag;
    uint32_t lsa, size, broken;
    uint64_t ea;
    const bool good = ref_work(r, &lsa, &ea, &size, &broken);
    if (good != (did == CELL_STEP_DONE) || (!good && !(broken >> fault.rule & 1)))
        fail("opcode %02x: %s, expected broken rules %x", r->opcode, good ? "fault" : cell_rule_get(fault.rule)->name,
             broken);
    faults += !good;
    if (good && (last.lsa != lsa || last.ea != ea || last.size != size))
        fail("moved %x %llx %u, expected %x %llx %u", last.lsa, (unsigned long long)last.ea, last.size, lsa,
             (unsigned long long)ea, size);
    if (good && !(is_hint_or_order(r->opcode) && !is_line(r->opcode)))
        compare_memory(lsa, ea, size);
    compare_tags();
    return true;
}

// Bytes under way, for a load or store of the program.
static void compare_hits(void)
{
    const uint32_t address = any(CELL_LS_SIZE - 16), size = 1u << any(5);
    const bool store = any(2);
    bool expected = false;
    for (uint64_t n = oldest(); n <= ref.newest; n++) {
        const record *r = oldest_first(n);
        if (r->ended || r->stalled || (is_hint_or_order(r->opcode) && !is_line(r->opcode)))
            continue;
        if (!is_list(r->opcode)) {
            const uint32_t bytes = is_line(r->opcode) ? 128 : r->size;
            expected |= (store || is_get(r->opcode)) && address < r->lsa + bytes && r->lsa < address + size;
            continue;
        }
        uint32_t at = r->next ? (r->at + 15) / 16 * 16 : r->lsa;
        for (uint32_t i = r->next, notify = 0; i < r->count && !notify; i++) {
            const ref_element e = element_of(r, i);
            const uint32_t element = (uint32_t)r->ea + 8 * i, bytes = e.size;
            const bool small = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
            const uint32_t from = small && i ? at + e.eal % 16 : at;
            expected |= bytes && (store || is_get(r->opcode)) && address < from + bytes && from < address + size;
            expected |= store && address < element + 8 && element < address + size;
            at = (from + bytes + 15) / 16 * 16;
            notify = e.notify;
        }
    }
    hits += expected;
    bool blocks = false;
    for (uint32_t b = address / CELL_LINE; b <= (address + size - 1) / CELL_LINE; b++)
        blocks |= mfc.busy[b] != 0;
    if ((cell_mfc_hits(&mfc, address, size, store) != NULL) != expected)
        fail("%s of %u at 0x%x: under way %d expected", store ? "store" : "load", size, address, expected);
    if (expected && !blocks)
        fail("bytes at 0x%x are under way and their block is not marked", address);
}

// ---- Random commands ----

static uint32_t any_size(void)
{
    switch (any(8)) {
    case 0:
    case 1: return 1u << any(4);
    case 2: return any(20);
    case 3: return any(20000);
    case 4: return 16u << any(12);
    default: return 16 * (1 + any(64));
    }
}

// Addresses that are good for a size, mostly.
static void any_addresses(uint32_t size, uint32_t *lsa, uint64_t *ea)
{
    const uint32_t unit = size < 16 && size ? size : 16;
    *ea = window_ea + (uint64_t)any(WINDOW / unit) * unit;
    *lsa = (any(CELL_LS_SIZE / 16) * 16) | (uint32_t)(*ea & 15);
    // Most in a small part, so that transfers meet.
    if (any(4))
        *lsa = 4096 + *lsa % 16384;
    if (any(40) == 0)
        *lsa = any(CELL_LS_SIZE + 4096);
    if (any(40) == 0)
        *ea += any(32) - 16;
    if (any(60) == 0)
        *ea ^= UINT64_C(1) << any(48);
}

// A part of the local store that no list under way lies in.
static uint32_t free_slot(void)
{
    uint32_t used = 0;
    for (uint64_t n = oldest(); n <= ref.newest; n++) {
        const record *r = oldest_first(n);
        if (!r->ended && is_list(r->opcode) && (uint32_t)r->ea >= LISTS)
            used |= 1u << ((uint32_t)r->ea - LISTS) / LIST_SLOT;
    }
    uint32_t slot = 0;
    while (used >> slot & 1)
        slot++;
    return LISTS + slot * LIST_SLOT;
}

static void write_list(uint32_t list, uint32_t count, uint32_t *lsa)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t size = any(12) ? any_size() % 2048 : 0;
        uint32_t element_ls;
        uint64_t ea;
        any_addresses(size, &element_ls, &ea);
        if (i == 0)
            *lsa = element_ls % CELL_LS_SIZE;
        uint32_t word[2] = {size | (any(6) == 0 ? 0x80000000u : 0), (uint32_t)ea};
        if (any(100) == 0)
            word[0] |= 1u << (15 + any(16));
        if (any(8) == 0) // the fields in the other order
            word[0] = word[0] << 16 | word[0] >> 31;
        memcpy(ls + list + 8 * i, word, 8);
        memcpy(ref.ls + list + 8 * i, word, 8);
    }
}

static const uint8_t opcodes[] = {0x20, 0x20, 0x21, 0x22, 0x24, 0x25, 0x26, 0x40, 0x40, 0x40, 0x41,
                                  0x42, 0x44, 0x44, 0x45, 0x46, 0x30, 0x34, 0xA0, 0xA1, 0xA2, 0xB0,
                                  0xB4, 0xB4, 0xB8, 0xC0, 0xC8, 0xCC, 0xD0, 0xD0, 0x80};

static void atomic(const cell_command *c)
{
    uint32_t status = 99, expected = 99;
    const uint32_t broken = broken_command(c->opcode, c->lsa, c->ea, c->size, c->tag, false);
    const cell_rule rule = cell_mfc_atomic(&mfc, c, &status);
    atomics++;
    uint32_t wrong = broken;
    uint8_t *const line = ref_memory(c->ea, 128);
    if (!broken && c->opcode == 0xD0) {
        ref.reserved = line != NULL;
        if (line) {
            memcpy(ref.line, line, 128);
            memcpy(ref.ls + c->lsa, line, 128);
            ref.line_ea = c->ea;
        }
        expected = 4;
    } else if (!broken && c->opcode == 0xB4) {
        const bool kept = ref.reserved && ref.line_ea == c->ea;
        if (kept)
            ref_store(c->ea, ref.ls + c->lsa, 128);
        ref.reserved = false;
        expected = kept ? 0 : 1;
        failed_atomics += !kept;
        if (!kept && !line) { // fails without looking at memory
            if (rule || status != 1)
                fail("mfc_putllc without a reservation: %d", status);
            return;
        }
    } else if (!broken) {
        if (line)
            ref_store(c->ea, ref.ls + c->lsa, 128);
        expected = 2;
    }
    if (!broken && !line)
        wrong |= 1u << CELL_RULE_EA_MAPPED;
    if ((rule != 0) != (wrong != 0) || (rule && !(wrong >> rule & 1)))
        fail("atomic %02x: rule %d, expected %x", c->opcode, rule, wrong);
    if (!rule && status != expected)
        fail("atomic %02x: status %u, expected %u", c->opcode, status, expected);
    if (!wrong)
        compare_memory(c->lsa, c->ea, 128);
    compare_tags();
}

static void issue(void)
{
    const bool proxy = any(5) == 0;
    cell_command c = {.opcode = any(60) ? opcodes[any(sizeof opcodes)] : any(256),
                      .tag = any(200) ? any(proxy ? 16 : 32) : any(100)};
    if (any(3))
        c.tag %= 3;
    c.size = any_size();
    if ((c.opcode & 0xF0) == 0xA0 && any(20))
        c.size = 4;
    any_addresses(c.size, &c.lsa, &c.ea);
    if (is_line(c.opcode) && any(20)) {
        c.lsa &= ~127u;
        c.ea = window_ea + 128 * any(any(2) ? 2 : WINDOW / 128);
    }
    if (is_list(c.opcode)) {
        const uint32_t count = any(50) ? 1 + any(12) : any(LIST_SLOT / 8);
        const uint32_t list = free_slot();
        write_list(list, count, &c.lsa);
        c.size = 8 * count + (any(60) == 0 ? 4 : 0);
        if (any(100) == 0)
            c.size = 8 * any(1 << any(20));
        c.ea = window_ea >> 32 << 32 | list;
        if (any(60) == 0)
            c.ea += any(8);
        if (broken_command(c.opcode, c.lsa, c.ea, c.size, c.tag, proxy) == 0 && c.size > LIST_SLOT)
            c.size = LIST_SLOT;
    }
    commands_done++;
    if (c.opcode == 0xB0 || c.opcode == 0xB4 || c.opcode == 0xD0) {
        if (!proxy)
            atomic(&c);
        return;
    }
    cell_queue *queue = proxy ? &mfc.proxy : &mfc.spu;
    while (!cell_queue_has_room(queue))
        if (!step(proxy, ~0u))
            return; // all wait for stalled lists
    const uint32_t broken = broken_command(c.opcode, c.lsa, c.ea, c.size, c.tag, proxy);
    const cell_rule rule = cell_mfc_issue(&mfc, queue, &c);
    if ((rule != 0) != (broken != 0) || (rule && !(broken >> rule & 1)))
        fail("opcode %02x lsa %x ea %llx size %u tag %u: rule %d, expected %x", c.opcode, c.lsa,
             (unsigned long long)c.ea, c.size, c.tag, rule, broken);
    illegal += rule != 0;
    if (rule)
        return;
    const uint64_t number = ++ref.newest;
    if (number - ref.first >= RECENT)
        fail("the reference's ring is too short");
    *oldest_first(number) = (record){.opcode = c.opcode,
                                     .lsa = c.lsa,
                                     .size = c.size,
                                     .tag = c.tag,
                                     .ea = c.ea,
                                     .number = number,
                                     .proxy = proxy,
                                     .count = c.size / 8,
                                     .at = c.lsa};
    compare_tags();
}

static void acknowledge(void)
{
    const uint32_t stalled_tags = cell_queue_stalled(&mfc.spu);
    uint32_t tag = any(any(4) ? 3 : 33);
    if (stalled_tags && any(2))
        for (tag = any(32); !(stalled_tags >> tag & 1);)
            tag = any(32);
    bool stalled = false;
    for (uint64_t n = oldest(); n <= ref.newest; n++) {
        record *r = oldest_first(n);
        if (r->ended || !r->stalled || r->tag != tag)
            continue;
        stalled = true;
        r->stalled = false;
        r->ended = r->next == r->count;
    }
    const cell_rule rule = cell_mfc_ack(&mfc, tag);
    if (rule != (tag > 31 ? CELL_RULE_TAG : stalled ? CELL_RULE_NONE : CELL_RULE_LIST_ACK))
        fail("acknowledgement of tag %u: rule %d", tag, rule);
    compare_tags();
}

// The PPE stores into memory, which takes reservations away.
static void ppe_store(void)
{
    const uint32_t at = any(any(2) ? 256 : WINDOW - 8);
    const uint8_t bytes[8] = {(uint8_t)any(256), (uint8_t)any(256)};
    memcpy(memory + at, bytes, 8);
    cell_mfc_lose(&mfc, window_ea + at, 8);
    ref_store(window_ea + at, bytes, 8);
}

int main(int argc, char **argv)
{
    const unsigned long count = argc > 1 ? strtoul(argv[1], NULL, 10) : 100000;
    const unsigned long seed = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
    state = seed * 2654435761u + 88172645463325252u;
    for (uint32_t i = 0; i < CELL_LS_SIZE; i++)
        ls[i] = ref.ls[i] = (uint8_t)any(256);
    for (uint32_t i = 0; i < WINDOW; i++)
        memory[i] = ref.memory[i] = (uint8_t)any(256);
    cell_mfc_init(&mfc, ls, (cell_bus){.read = bus_read, .write = bus_write, .line_put = bus_line_put}, seed);
    mfc.track = true;
    ref.first = 1;
    unsigned long full = 0;
    while (commands_done < count) {
        switch (any(10)) {
        case 0:
        case 1:
        case 2:
        case 3: issue(); break;
        case 4:
        case 5: step(any(4) == 0, any(2) ? ~0u : 1u << any(3)); break;
        case 6:
        case 7: acknowledge(); break;
        case 8: ppe_store(); break;
        default: compare_hits(); break;
        }
        if (commands_done / 5000 > full) {
            full = commands_done / 5000;
            compare_memory(0, window_ea, WINDOW);
            if (memcmp(ls, ref.ls, sizeof ls))
                fail("local store");
        }
    }
    printf("%lu commands, no difference: %lu illegal, %lu faults on the way, %lu steps before an older command of the "
           "tag, "
           "%lu stalls, %lu atomic (%lu failed), %lu accesses to bytes under way\n",
           commands_done, illegal, faults, inversions, stalls, atomics, failed_atomics, hits);
    return 0;
}
