// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How an SPE's run ends or pauses: exit, stop, halt, errors of its code; accesses to bytes under way.
#include "runtime/cell/emulation/emulation.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <time.h>

void cell_end(spe *s, spe_stop_info_t stop)
{
    s->stop = stop;
    longjmp(s->leave, 1);
}

void cell_check_leave(spe *s)
{
    if (s->must_leave)
        longjmp(s->leave, 1);
}

static spe *begin(uint32_t site)
{
    spe *s = cell_current;
    cell_enter();
    s->site = site;
    cell_check_leave(s);
    return s;
}

static void exit_program(cell_spu *spu, uint32_t site, uint32_t code)
{
    (void)spu;
    spe *s = begin(site);
    spe_stop_info_t stop = {.stop_reason = SPE_EXIT,
                            .spu_status = (int)((0x2000u | (code & 0xFF)) << 16 | SPE_SPU_STOPPED_BY_STOP)};
    stop.result.spe_exit_code = (int)(code & 0xFF);
    cell_end(s, stop);
}

// Waits until the PPE runs the SPE again.
static void park(spe *s, cell_state state)
{
    s->state = state;
    cell_changed(s);
    while (s->state != CELL_RUNNING && !s->must_leave)
        pthread_cond_wait(&s->changed, &cell_lock);
    cell_check_leave(s);
}

static void stop_program(cell_spu *spu, uint32_t site, uint32_t code)
{
    code &= 0x3FFF;
    if ((code & 0xFF00) == 0x2000)
        exit_program(spu, site, code & 0xFF);
    spe *s = begin(site);
    s->stop = (spe_stop_info_t){.stop_reason = SPE_STOP_AND_SIGNAL,
                                .spu_status = (int)(code << 16 | SPE_SPU_STOPPED_BY_STOP)};
    s->stop.result.spe_signal_code = (int)code;
    park(s, CELL_STOPPED);
    cell_leave();
}

static void call_ppe(cell_spu *spu, uint32_t site, uint32_t code, uint32_t data)
{
    if ((code & 0x3F00) != 0x2100) {
        stop_program(spu, site, code);
        return;
    }
    spe *s = begin(site);
    s->callback = code & 0xFF;
    s->callback_data = data;
    s->stop = (spe_stop_info_t){.stop_reason = SPE_STOP_AND_SIGNAL,
                                .spu_status = (int)((code & 0x3FFF) << 16 | SPE_SPU_STOPPED_BY_STOP)};
    s->stop.result.spe_signal_code = (int)(code & 0x3FFF);
    park(s, CELL_CALLING);
    cell_leave();
}

static void halt(cell_spu *spu, uint32_t site)
{
    (void)spu;
    spe *s = begin(site);
    spe_stop_info_t stop = {.stop_reason = SPE_RUNTIME_ERROR, .spu_status = SPE_SPU_HALT};
    stop.result.spe_runtime_error = SPE_SPU_HALT;
    cell_message(s, site, "halt (spu_hcmpeq or spu_hcmpgt)");
    cell_end(s, stop);
}

// Errors of the code itself: where the PPE does not handle exceptions nobody could go on.
__attribute__((noreturn)) static void trap(cell_spu *spu, cell_trap what, uint32_t site, uint32_t address)
{
    (void)spu;
    spe *s = begin(site);
    switch (what) {
    case CELL_TRAP_MEMORY:
        cell_message(s, site,
                     "access to local-store address 0x%x: local-store addresses are below 262144 (0x40000) [ls-range]",
                     address);
        break;
    case CELL_TRAP_STACK: cell_message(s, site, "calls too deep: the stack is used up [stack]"); break;
    case CELL_TRAP_DIVIDE: cell_message(s, site, "integer division by zero [divide]"); break;
    case CELL_TRAP_OVERFLOW:
        cell_message(s, site, "a number does not fit the integer type that it is converted to [convert]");
        break;
    case CELL_TRAP_UNREACHABLE:
        cell_message(s, site, "abort or a place that the compiler holds unreachable [abort]");
        break;
    case CELL_TRAP_CALL:
        cell_message(s, site, "call through pointer 0x%x, which is no function of the type that is called [call]",
                     address);
        break;
    }
    if (!(s->flags & SPE_EVENTS_ENABLE))
        cell_die();
    spe_stop_info_t stop = {.stop_reason = SPE_RUNTIME_ERROR, .spu_status = SPE_SPU_INVALID_INSTR};
    stop.result.spe_runtime_error = SPE_SPU_INVALID_INSTR;
    cell_end(s, stop);
}

// First the processor is given away, and when that has not helped for some time the thread sleeps a little.
static void poll(cell_spu *spu)
{
    (void)spu;
    enum { POLLS_AWAKE = 32 };
    spe *s = cell_current;
    if (++s->polls < POLLS_AWAKE) {
        sched_yield();
        return;
    }
    const struct timespec pause = {.tv_nsec = 50000};
    nanosleep(&pause, NULL);
    cell_enter();
    cell_check_leave(s);
    if (!cell_advance(s, &s->mfc.spu, ~0u))
        cell_advance(s, &s->mfc.proxy, ~0u);
    cell_leave();
}

static void busy(cell_spu *spu, uint32_t site, uint32_t address, uint32_t size, int store)
{
    (void)spu;
    spe *s = begin(site);
    const cell_command *command = cell_mfc_hits(&s->mfc, address, size, store);
    if (command) {
        char place[300];
        cell_message(s, site,
                     "%s of %u bytes at local store 0x%x meets a transfer under way: %s, tag %u, issued at %sis not "
                     "complete [dma-race]",
                     store ? "store" : "load", size, address, cell_command_name(command->opcode), command->tag,
                     cell_site_text(s, command->site, place, sizeof place));
        cell_die();
    }
    cell_leave();
}

// ---- Math functions ----

#define CELL_MATH_1(name)                                                                                              \
    static double math_##name(cell_spu *spu, uint32_t site, double x)                                                  \
    {                                                                                                                  \
        (void)spu, (void)site;                                                                                         \
        return name(x);                                                                                                \
    }                                                                                                                  \
    static float math_##name##f(cell_spu *spu, uint32_t site, float x)                                                 \
    {                                                                                                                  \
        (void)spu, (void)site;                                                                                         \
        return name##f(x);                                                                                             \
    }
#define CELL_MATH_2(name)                                                                                              \
    static double math_##name(cell_spu *spu, uint32_t site, double x, double y)                                        \
    {                                                                                                                  \
        (void)spu, (void)site;                                                                                         \
        return name(x, y);                                                                                             \
    }                                                                                                                  \
    static float math_##name##f(cell_spu *spu, uint32_t site, float x, float y)                                        \
    {                                                                                                                  \
        (void)spu, (void)site;                                                                                         \
        return name##f(x, y);                                                                                          \
    }
#include "runtime/cell/image/math.def"
#undef CELL_MATH_1
#undef CELL_MATH_2

const cell_host cell_host_functions = {
#define CELL_MATH_1(name) .math_##name = math_##name, .math_##name##f = math_##name##f,
#define CELL_MATH_2 CELL_MATH_1
#include "runtime/cell/image/math.def"
#undef CELL_MATH_1
#undef CELL_MATH_2
    .rdch = cell_rdch,
    .wrch = cell_wrch,
    .rchcnt = cell_rchcnt,
    .mfc = cell_mfc_command,
    .stop = stop_program,
    .halt = halt,
    .libcall = call_ppe,
    .fd_write = cell_fd_write,
    .fd_read = cell_fd_read,
    .fd_fdstat_get = cell_fd_fdstat_get,
    .fd_prestat_get = cell_fd_prestat_get,
    .fd_prestat_dir_name = cell_fd_prestat_dir_name,
    .path_open = cell_path_open,
    .path_unlink_file = cell_path_unlink_file,
    .path_filestat_get = cell_path_filestat_get,
    .fd_filestat_get = cell_fd_filestat_get,
    .fd_seek = cell_fd_seek,
    .fd_fdstat_set_flags = cell_fd_fdstat_set_flags,
    .fd_close = cell_fd_close,
    .clock_time_get = cell_clock_time_get,
    .proc_exit = exit_program,
    .trap = trap,
    .busy = busy,
    .poll = poll,
};
