// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contexts: creating, running and destroying SPEs. The program of an SPE has a thread of its own, which lives from
// spe_context_run until the program ends, through stops and the next spe_context_run.
#include "runtime/cell/emulation/emulation.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { STACK_SIZE = 16 << 20, STACK_RESERVE = 256 << 10 };

struct spe_gang_context {
    unsigned int flags;
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static uint64_t seed;
static uint32_t created;

// Programs keep effective addresses in 32 bits: the heap stays with the data, which a program that is linked at a fixed
// address has below 4 GiB, and does not go to where mappings are.
__attribute__((constructor)) static void keep_heap_low(void)
{
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_ARENA_MAX, 1);
}

static void start_emulation(void)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&cell_lock, &attributes);
    const char *text = getenv("SVM_CELL_SEED");
    seed = text ? strtoull(text, NULL, 10) : 0;
    cell_bus_start();
    cell_start_watch();
}

// ---- Gangs ----

spe_gang_context_ptr_t spe_gang_context_create(unsigned int flags)
{
    if (flags) {
        errno = EINVAL;
        return NULL;
    }
    return calloc(1, sizeof(struct spe_gang_context));
}

int spe_gang_context_destroy(spe_gang_context_ptr_t gang)
{
    if (!gang) {
        errno = ESRCH;
        return -1;
    }
    free(gang);
    return 0;
}

// ---- Contexts ----

static const unsigned known_flags =
    SPE_CFG_SIGNOTIFY1_OR | SPE_CFG_SIGNOTIFY2_OR | SPE_MAP_PS | SPE_EVENTS_ENABLE | SPE_AFFINITY_MEMORY | SPE_NOSCHED;

static bool map_store(spe *s)
{
    s->base = mmap(NULL, CELL_MAPPED_SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (s->base == MAP_FAILED)
        return false;
    if (mprotect(s->base, CELL_LS_SIZE, PROT_READ | PROT_WRITE) == 0)
        return true;
    munmap(s->base, CELL_MAPPED_SIZE);
    return false;
}

spe_context_ptr_t spe_context_create(unsigned int flags, spe_gang_context_ptr_t gang)
{
    (void)gang;
    if (flags & ~known_flags) { // isolation has no emulation
        errno = EINVAL;
        return NULL;
    }
    pthread_once(&once, start_emulation);
    spe *s = calloc(1, sizeof *s);
    if (!s || !map_store(s)) {
        free(s);
        errno = ENOMEM;
        return NULL;
    }
    s->flags = flags;
    s->in.depth = 4;
    s->out.depth = s->out_intr.depth = 1;
    s->signal[0].collects = flags & SPE_CFG_SIGNOTIFY1_OR;
    s->signal[1].collects = flags & SPE_CFG_SIGNOTIFY2_OR;
    s->tag_update = -1;
    s->decrementer = UINT32_MAX;
    pthread_cond_init(&s->changed, NULL);
    cell_enter_from_ppe();
    s->number = created++;
    cell_mfc_init(&s->mfc, s->base, cell_bus_of(s), seed * 1000003 + s->number);
    spe **last = &cell_contexts;
    while (*last)
        last = &(*last)->next;
    *last = s;
    cell_leave();
    return s;
}

spe_context_ptr_t spe_context_create_affinity(unsigned int flags, spe_context_ptr_t neighbor,
                                              spe_gang_context_ptr_t gang)
{
    (void)neighbor; // all SPEs are equally near
    return spe_context_create(flags, gang);
}

void cell_finish_thread(spe *s)
{
    if (!s->has_thread)
        return;
    s->must_leave = true;
    cell_changed(s);
    const pthread_t thread = s->thread;
    cell_leave();
    pthread_join(thread, NULL);
    cell_enter();
    s->has_thread = false;
    s->must_leave = false;
}

int spe_context_destroy(spe_context_ptr_t s)
{
    if (!s) {
        errno = ESRCH;
        return -1;
    }
    cell_enter_from_ppe();
    if (s->state == CELL_RUNNING || s->state == CELL_CALLING) {
        cell_leave();
        errno = EAGAIN;
        return -1;
    }
    cell_finish_thread(s);
    // What is still under way completes.
    while (cell_advance(s, &s->mfc.spu, ~0u) || cell_advance(s, &s->mfc.proxy, ~0u))
        ;
    for (spe **p = &cell_contexts; *p; p = &(*p)->next)
        if (*p == s) {
            *p = s->next;
            break;
        }
    cell_leave();
    munmap(s->base, CELL_MAPPED_SIZE);
    pthread_cond_destroy(&s->changed);
    cell_close_files(s);
    free(s->stops);
    free(s->spu);
    free(s);
    return 0;
}

// ---- Running ----

static void *run_program(void *argument)
{
    spe *s = argument;
    cell_current = s;
    s->tid = (pid_t)syscall(SYS_gettid);
    // From here down the program's calls may go.
    s->spu->stack_limit = (const char *)__builtin_frame_address(0) - (STACK_SIZE - STACK_RESERVE);
    if (!setjmp(s->leave)) {
        s->image->start(s->spu, s->registers);
        cell_enter();
    }
    // Here with the lock, however the program ended.
    s->state = CELL_ENDED;
    cell_changed(s);
    cell_leave();
    return NULL;
}

static bool start_thread(spe *s)
{
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_SIZE);
    s->must_leave = false;
    s->state = CELL_RUNNING;
    const int result = pthread_create(&s->thread, &attributes, run_program, s);
    pthread_attr_destroy(&attributes);
    s->has_thread = result == 0;
    if (!s->has_thread)
        s->state = CELL_IDLE;
    return s->has_thread;
}

static void keep_stop(spe *s)
{
    if (s->stop_count == s->stop_capacity) {
        const uint32_t capacity = s->stop_capacity ? 2 * s->stop_capacity : 8;
        spe_stop_info_t *stops = realloc(s->stops, capacity * sizeof *stops);
        if (!stops)
            return;
        s->stops = stops;
        s->stop_capacity = capacity;
    }
    s->stops[s->stop_count++] = s->stop;
}

static int stop_result(spe *s, spe_stop_info_t *info)
{
    *info = s->stop;
    if (s->flags & SPE_EVENTS_ENABLE)
        keep_stop(s);
    cell_changed(s);
    switch (s->stop.stop_reason) {
    case SPE_EXIT: return 0;
    case SPE_STOP_AND_SIGNAL: return s->stop.result.spe_signal_code;
    case SPE_RUNTIME_EXCEPTION: errno = EIO; return -1;
    default: errno = EFAULT; return -1;
    }
}

// The SPE's calls of the PPE are run here, on the thread that runs the SPE.
static bool serve_call(spe *s, unsigned int runflags)
{
    if (runflags & SPE_NO_CALLBACKS)
        return false;
    const int result = cell_call_handler(s);
    if (result) {
        s->stop = (spe_stop_info_t){.stop_reason = SPE_CALLBACK_ERROR, .spu_status = s->stop.spu_status};
        s->stop.result.spe_callback_error = result;
        return false;
    }
    s->state = CELL_RUNNING;
    cell_changed(s);
    return true;
}

// What main gets: the context, argp and envp, or with SPE_RUN_USER_REGS what argp points to.
static void set_registers(spe *s, unsigned int runflags, const void *argp, const void *envp)
{
    const uint64_t usual[] = {(uintptr_t)s, 0, (uintptr_t)argp, 0, (uintptr_t)envp, 0};
    _Static_assert(sizeof s->registers == sizeof usual, "three registers");
    memcpy(s->registers, runflags & SPE_RUN_USER_REGS ? argp : usual, sizeof usual);
}

int spe_context_run(spe_context_ptr_t s, unsigned int *entry, unsigned int runflags, void *argp, void *envp,
                    spe_stop_info_t *stopinfo)
{
    spe_stop_info_t unwanted;
    if (!s || !entry || (!argp && (runflags & SPE_RUN_USER_REGS))) {
        errno = s ? EINVAL : ESRCH;
        return -1;
    }
    cell_enter_from_ppe();
    if (!s->image || s->state == CELL_RUNNING || s->state == CELL_CALLING) {
        cell_leave();
        errno = EINVAL;
        return -1;
    }
    bool started = true;
    if (s->state == CELL_STOPPED && *entry != SPE_DEFAULT_ENTRY && *entry != 0) {
        s->state = CELL_RUNNING;
        cell_changed(s);
    } else {
        cell_finish_thread(s);
        set_registers(s, runflags, argp, envp);
        started = start_thread(s);
    }
    if (!started) {
        cell_leave();
        errno = EAGAIN;
        return -1;
    }
    for (;;) {
        while (s->state == CELL_RUNNING)
            cell_block_ppe(s, "spe_context_run");
        if (s->state != CELL_CALLING || !serve_call(s, runflags))
            break;
    }
    if (s->state == CELL_CALLING)
        s->state = CELL_STOPPED;
    *entry = 0x80; // any address but the entry: where it would go on
    const int result = stop_result(s, stopinfo ? stopinfo : &unwanted);
    const int error = errno;
    cell_leave();
    errno = error;
    return result;
}

int spe_stop_info_read(spe_context_ptr_t s, spe_stop_info_t *stopinfo)
{
    if (!s || !stopinfo) {
        errno = s ? EINVAL : ESRCH;
        return -1;
    }
    if (!(s->flags & SPE_EVENTS_ENABLE)) {
        errno = ENOTSUP;
        return -1;
    }
    cell_enter_from_ppe();
    const bool there = s->stop_count > 0;
    if (there) {
        *stopinfo = s->stops[0];
        s->stop_count--;
        memmove(s->stops, s->stops + 1, s->stop_count * sizeof s->stops[0]);
    }
    cell_leave();
    if (there)
        return 0;
    errno = EAGAIN;
    return -1;
}

// ---- Areas ----

void *spe_ls_area_get(spe_context_ptr_t s)
{
    if (!s) {
        errno = ESRCH;
        return NULL;
    }
    return s->base;
}

int spe_ls_size_get(spe_context_ptr_t s)
{
    if (!s) {
        errno = ESRCH;
        return -1;
    }
    return CELL_LS_SIZE;
}

void *spe_ps_area_get(spe_context_ptr_t s, enum ps_area area)
{
    static const uint32_t offsets[] = {
        [SPE_MSSYNC_AREA] = CELL_AREA_MSSYNC,         [SPE_MFC_COMMAND_AREA] = CELL_AREA_MFC,
        [SPE_CONTROL_AREA] = CELL_AREA_CONTROL,       [SPE_SIG_NOTIFY_1_AREA] = CELL_AREA_SIGNAL_1,
        [SPE_SIG_NOTIFY_2_AREA] = CELL_AREA_SIGNAL_2,
    };
    if (!s || !(s->flags & SPE_MAP_PS) || (unsigned)area >= sizeof offsets / sizeof *offsets) {
        errno = s ? EACCES : ESRCH;
        return NULL;
    }
    return s->base + offsets[area];
}

int spe_mssync_start(spe_context_ptr_t s)
{
    if (!s) {
        errno = ESRCH;
        return -1;
    }
    cell_enter_from_ppe();
    cell_sync_start(s);
    cell_leave();
    return 0;
}

int spe_mssync_status(spe_context_ptr_t s)
{
    if (!s) {
        errno = ESRCH;
        return -1;
    }
    cell_enter_from_ppe();
    const int status = cell_sync_done(s) ? 0 : 1;
    cell_leave();
    return status;
}
