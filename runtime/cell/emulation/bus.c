// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Effective addresses. As on the machine, the SPE's transfers see all memory of the PPE's process; what is not mapped,
// or is written though it is only for reading, is found by copying under a guard: the fault of the copy comes back as a
// rule that is broken. Local stores are memory at their mapped addresses; mapped registers do what the register does, for
// transfers and, by one step of the instruction at a time, for loads and stores of the PPE.
#include "runtime/cell/emulation/emulation.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

enum {
    EVENT_SIGNAL_2 = 0x100,
    EVENT_SIGNAL_1 = 0x200,
    EVENT_IN_MBOX = 0x10,
    EVENT_OUT_MBOX = 0x80,
    EVENT_LOST = 0x400
};

// ---- Guarded copies ----

static __thread sigjmp_buf guard;
static __thread volatile sig_atomic_t guarded;
static struct sigaction old_segv, old_bus, old_trap;

static bool copy(void *to, const void *from, size_t size)
{
    if (sigsetjmp(guard, 0)) {
        guarded = 0;
        return false;
    }
    guarded = 1;
    atomic_signal_fence(memory_order_seq_cst);
    memcpy(to, from, size);
    atomic_signal_fence(memory_order_seq_cst);
    guarded = 0;
    return true;
}

static void pass_on(const struct sigaction *old, int number, siginfo_t *info, void *context)
{
    if (old->sa_flags & SA_SIGINFO && old->sa_sigaction) {
        old->sa_sigaction(number, info, context);
    } else if (old->sa_handler != SIG_DFL && old->sa_handler != SIG_IGN) {
        old->sa_handler(number);
    } else {
        // The instruction is run again and meets what would have happened without us.
        sigaction(number, old, NULL);
    }
}

// ---- Loads and stores of the PPE to mapped registers ----

#if defined(__x86_64__)
// An access that is under way: its page is open for one instruction.
static __thread struct {
    uint8_t *page;
    spe *s;
    uint32_t offset;
    bool store;
} access_now;

static bool begin_access(siginfo_t *info, ucontext_t *context)
{
    uint32_t offset, value = 0;
    // Where this thread holds the lock the emulation itself is at fault, and that is no access of the program.
    if (pthread_mutex_lock(&cell_lock) != 0)
        return false;
    spe *s = cell_mapped((uint64_t)(uintptr_t)info->si_addr, &offset);
    if (!s || offset < CELL_LS_SIZE) {
        cell_leave();
        return false;
    }
    const bool store = context->uc_mcontext.gregs[REG_ERR] & 2;
    if (!store)
        cell_register_read(s, offset & ~3u, &value);
    access_now.page = s->base + offset / CELL_PAGE * CELL_PAGE;
    access_now.s = s;
    access_now.offset = offset & ~3u;
    access_now.store = store;
    mprotect(access_now.page, CELL_PAGE, PROT_READ | PROT_WRITE);
    memcpy(s->base + access_now.offset, &value, 4);
    context->uc_mcontext.gregs[REG_EFL] |= 0x100; // trap after the instruction; the lock is held until then
    return true;
}

static bool end_access(ucontext_t *context)
{
    if (!access_now.page)
        return false;
    uint32_t value;
    memcpy(&value, access_now.s->base + access_now.offset, 4);
    mprotect(access_now.page, CELL_PAGE, PROT_NONE);
    if (access_now.store)
        cell_register_write(access_now.s, access_now.offset, value);
    access_now.page = NULL;
    context->uc_mcontext.gregs[REG_EFL] &= ~0x100;
    cell_leave();
    return true;
}
#else
static bool begin_access(siginfo_t *info, ucontext_t *context)
{
    (void)info, (void)context;
    return false;
}
static bool end_access(ucontext_t *context)
{
    (void)context;
    return false;
}
#endif

static void on_fault(int number, siginfo_t *info, void *context)
{
    if (guarded)
        siglongjmp(guard, 1);
    if (number == SIGSEGV && begin_access(info, context))
        return;
    pass_on(number == SIGSEGV ? &old_segv : &old_bus, number, info, context);
}

static void on_trap(int number, siginfo_t *info, void *context)
{
    if (!end_access(context))
        pass_on(&old_trap, number, info, context);
}

// A program that installs handlers of its own after us would get the faults of our copies.
static void keep_handler(int number, struct sigaction *old)
{
    struct sigaction now;
    if (sigaction(number, NULL, &now) != 0 || (now.sa_flags & SA_SIGINFO && now.sa_sigaction == on_fault))
        return;
    *old = now;
    now = (struct sigaction){.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK};
    sigemptyset(&now.sa_mask);
    sigaction(number, &now, NULL);
}

void cell_bus_keep(void)
{
    keep_handler(SIGSEGV, &old_segv);
    keep_handler(SIGBUS, &old_bus);
}

void cell_bus_start(void)
{
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, &old_segv);
    sigaction(SIGBUS, &action, &old_bus);
    action.sa_sigaction = on_trap;
    sigaction(SIGTRAP, &action, &old_trap);
}

// ---- Mapped memory ----

spe *cell_mapped(uint64_t ea, uint32_t *offset)
{
    for (spe *s = cell_contexts; s; s = s->next) {
        const uint64_t base = (uint64_t)(uintptr_t)s->base;
        if (ea >= base && ea < base + CELL_MAPPED_SIZE) {
            *offset = (uint32_t)(ea - base);
            return s;
        }
    }
    return NULL;
}

bool cell_register_write(spe *s, uint32_t offset, uint32_t value)
{
    switch (offset) {
    case CELL_AREA_SIGNAL_1 + 12:
        cell_signal_put(&s->signal[0], value);
        cell_event(s, EVENT_SIGNAL_1);
        return true;
    case CELL_AREA_SIGNAL_2 + 12:
        cell_signal_put(&s->signal[1], value);
        cell_event(s, EVENT_SIGNAL_2);
        return true;
    case CELL_AREA_CONTROL + 12:
        cell_mailbox_overrun(&s->in, value);
        cell_event(s, EVENT_IN_MBOX);
        return true;
    case CELL_AREA_MSSYNC: cell_sync_start(s); return true;
    default: return cell_proxy_write(s, offset, value);
    }
}

bool cell_register_read(spe *s, uint32_t offset, uint32_t *value)
{
    *value = 0;
    switch (offset) {
    case CELL_AREA_CONTROL + 4:
        if (cell_mailbox_take(&s->out, value))
            cell_event(s, EVENT_OUT_MBOX);
        return true;
    case CELL_AREA_CONTROL + 0x14:
        *value = s->out_intr.count << 16 | (s->in.depth - s->in.count) << 8 | s->out.count;
        return true;
    case CELL_AREA_CONTROL + 0x24: *value = s->state == CELL_RUNNING ? 1 : (uint32_t)s->stop.spu_status; return true;
    case CELL_AREA_SIGNAL_1 + 12: *value = s->signal[0].value; return true;
    case CELL_AREA_SIGNAL_2 + 12: *value = s->signal[1].value; return true;
    case CELL_AREA_MSSYNC: *value = cell_sync_done(s) ? 0 : 1; return true;
    default: return cell_proxy_read(s, offset, value);
    }
}

static cell_rule bus_read(void *context, uint64_t ea, void *to, uint32_t size)
{
    (void)context;
    uint32_t offset, value;
    spe *target = cell_mapped(ea, &offset);
    if (target && offset + size > CELL_LS_SIZE) {
        if (size != 4 || !cell_register_read(target, offset, &value))
            return CELL_RULE_REGISTER;
        memcpy(to, &value, 4);
        return CELL_RULE_NONE;
    }
    return copy(to, (const void *)(uintptr_t)ea, size) ? CELL_RULE_NONE : CELL_RULE_EA_MAPPED;
}

static void lose(uint64_t ea, uint32_t size)
{
    for (spe *s = cell_contexts; s; s = s->next)
        if (cell_mfc_lose(&s->mfc, ea, size))
            cell_event(s, EVENT_LOST);
}

static cell_rule cannot_write(uint64_t ea, uint32_t size)
{
    uint8_t scratch[CELL_DMA_MAX];
    return copy(scratch, (const void *)(uintptr_t)ea, size) ? CELL_RULE_EA_WRITABLE : CELL_RULE_EA_MAPPED;
}

static cell_rule bus_write(void *context, uint64_t ea, const void *from, uint32_t size)
{
    (void)context;
    uint32_t offset, value;
    spe *target = cell_mapped(ea, &offset);
    if (target && offset + size > CELL_LS_SIZE) {
        if (size != 4)
            return CELL_RULE_REGISTER;
        memcpy(&value, from, 4);
        return cell_register_write(target, offset, value) ? CELL_RULE_NONE : CELL_RULE_REGISTER;
    }
    if (!copy((void *)(uintptr_t)ea, from, size))
        return cannot_write(ea, size);
    lose(ea, size);
    return CELL_RULE_NONE;
}

// The words that differ are exchanged one by one against what was expected, so that a store of the PPE to another word
// of the line, at the same time, is kept.
static bool exchange_line(uint64_t ea, const uint8_t *expected, const uint8_t *line)
{
    _Atomic uint64_t *word = (_Atomic uint64_t *)(uintptr_t)ea;
    for (unsigned i = 0; i < CELL_LINE / 8; i++) {
        uint64_t old, new;
        memcpy(&old, expected + 8 * i, 8);
        memcpy(&new, line + 8 * i, 8);
        if (old == new || atomic_compare_exchange_strong(&word[i], &old, new))
            continue;
        while (i-- > 0) { // somebody was faster: back with what was stored
            memcpy(&old, line + 8 * i, 8);
            memcpy(&new, expected + 8 * i, 8);
            atomic_compare_exchange_strong(&word[i], &old, new);
        }
        return false;
    }
    return true;
}

static cell_rule bus_line_put(void *context, uint64_t ea, const uint8_t *expected, const uint8_t *line, bool *stored)
{
    uint8_t now[CELL_LINE];
    uint32_t offset;
    *stored = true;
    spe *target = cell_mapped(ea, &offset);
    if (target && offset + CELL_LINE > CELL_LS_SIZE)
        return CELL_RULE_REGISTER;
    if (!expected)
        return bus_write(context, ea, line, CELL_LINE);
    if (!copy(now, (const void *)(uintptr_t)ea, CELL_LINE))
        return CELL_RULE_EA_MAPPED;
    *stored = memcmp(now, expected, CELL_LINE) == 0;
    if (*stored) {
        if (sigsetjmp(guard, 0)) {
            guarded = 0;
            return CELL_RULE_EA_WRITABLE;
        }
        guarded = 1;
        *stored = exchange_line(ea, expected, line);
        guarded = 0;
    }
    if (*stored)
        lose(ea, CELL_LINE);
    return CELL_RULE_NONE;
}

cell_bus cell_bus_of(spe *s)
{
    return (cell_bus){.context = s, .read = bus_read, .write = bus_write, .line_put = bus_line_put};
}
