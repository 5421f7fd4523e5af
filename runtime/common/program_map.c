// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files as memory. A file is mapped in large pieces, also beyond its end: it may get longer. Who makes it shorter meanwhile
// takes pages away, and an access to one is a bus error: its handler puts a page of zeroes there and notes it, and the
// reader or writer says so when it is asked next.
#include "runtime/common/program_map.h"
#include "runtime/common/scheduler.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#define MADV_POPULATE_WRITE 23
#endif

// A mapping begins at a multiple of the greatest usual page, and is so long at least.
#define MAP_UNIT ((int64_t)1 << 16)
#define MAP_BYTES ((int64_t)1 << 30)

struct svmr_Mapping {
    struct svmr_Mapping *next;   // of all; they stay, for the handler, and are used again
    struct svmr_Mapping *before; // of the same file
    uintptr_t base, end;         // 0: free
    int64_t from;                // byte of the file that lies at the base
    mm_Mem memory;
    bool torn;
};

static svmr_Mapping *mappings;
static struct sigaction before; // what else handles bus errors
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool handled;

// ---- Bus errors ----

// Only calls what a signal handler may call.
static void onBusError(int signal, siginfo_t *info, void *context)
{
    (void)context;
    uintptr_t at = (uintptr_t)info->si_addr, page = (uintptr_t)sysconf(_SC_PAGESIZE);
    for (svmr_Mapping *m = __atomic_load_n(&mappings, __ATOMIC_ACQUIRE); m; m = m->next) {
        uintptr_t base = __atomic_load_n(&m->base, __ATOMIC_ACQUIRE);
        if (!base || at < base || at >= m->end)
            continue;
        int saved = errno;
        void *zeroes = mmap((void *)(at / page * page), page, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
        errno = saved;
        if (zeroes == MAP_FAILED)
            break;
        __atomic_store_n(&m->torn, true, __ATOMIC_RELEASE);
        return;
    }
    sigaction(signal, &before, NULL); // the access happens again
}

// Locked.
static bool handle(void)
{
    struct sigaction handler = {.sa_sigaction = onBusError, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    handled = handled || sigaction(SIGBUS, &handler, &before) == 0;
    return handled;
}

// ---- Mappings ----

static svmr_Mapping *newMapping(uintptr_t base, size_t bytes, int64_t from, mm_Mem memory)
{
    svmr_Mapping *m = mappings;
    while (m && m->base)
        m = m->next;
    bool added = !m;
    if (added)
        m = svmr_allocate(1, sizeof *m);
    m->before = NULL;
    m->end = base + bytes;
    m->from = from;
    m->memory = memory;
    m->torn = false;
    __atomic_store_n(&m->base, base, __ATOMIC_RELEASE);
    if (added) {
        m->next = mappings;
        __atomic_store_n(&mappings, m, __ATOMIC_RELEASE);
    }
    return m;
}

// The file's bytes, behind `lead` zeroes.
static void *mapBehind(size_t lead, const svmr_MappedFile *f, int file, int64_t from, size_t bytes)
{
    int rights = f->writes ? PROT_READ | PROT_WRITE : PROT_READ;
    int flags = (f->writes ? MAP_SHARED : MAP_PRIVATE) | MAP_NORESERVE;
    if (lead == 0)
        return mmap(NULL, bytes, rights, flags, file, from);
    char *base = mmap(NULL, lead + bytes, rights, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base != MAP_FAILED && mmap(base + lead, bytes, rights, flags | MAP_FIXED, file, from) == MAP_FAILED) {
        munmap(base, lead + bytes);
        return MAP_FAILED;
    }
    return base;
}

static svmr_Mapping *map(const svmr_MappedFile *f, mm_Mem memory, int file, int64_t from, int64_t end)
{
    size_t lead = from < 0 ? SVMR_MAP_LEAD : 0;
    from = from < 0 ? 0 : from / MAP_UNIT * MAP_UNIT;
    end = (end + MAP_UNIT - 1) / MAP_UNIT * MAP_UNIT;
    if (end - from < MAP_BYTES)
        end = from + MAP_BYTES;
    size_t bytes = (size_t)(end - from);
    void *base = mapBehind(lead, f, file, from, bytes);
    if (base == MAP_FAILED)
        return NULL;
    bytes += lead;
    from -= (int64_t)lead;
    svmr_Mapping *m = NULL;
    pthread_mutex_lock(&lock);
    if (handle())
        m = newMapping((uintptr_t)base, bytes, from, memory);
    pthread_mutex_unlock(&lock);
    if (m)
        (void)svm_map(memory, base, bytes);
    else
        munmap(base, bytes);
    return m;
}

// A writer's file is open for writing only.
static int bothWays(svmr_MappedFile *f, int file)
{
    if (!f->writes)
        return file;
    if (f->file == 0) {
        char path[40];
        snprintf(path, sizeof path, "/proc/self/fd/%d", file);
        f->file = open(path, O_RDWR | O_CLOEXEC);
    }
    return f->file;
}

static bool makeLonger(int file, int64_t from, int64_t end, bool *full)
{
    while (fallocate(file, 0, from, end - from) != 0) {
        if (errno == EINTR)
            continue;
        *full = errno == ENOSPC || errno == EDQUOT || errno == EFBIG || errno == EIO;
        return false;
    }
    return true;
}

char *svmr_mapFile(svmr_MappedFile *f, mm_Mem memory, int file, int64_t from, int64_t end, bool *full)
{
    *full = false;
    file = f->refused ? -1 : bothWays(f, file);
    f->refused = file < 0 || (f->writes && !makeLonger(file, from, end, full));
    if (f->refused)
        return NULL;
    svmr_Mapping *m = f->last;
    if (!m || m->memory != memory || from < m->from || end > m->from + (int64_t)(m->end - m->base)) {
        m = map(f, memory, file, from, end);
        f->refused = !m;
        if (!m)
            return NULL;
        m->before = f->last;
        f->last = m;
    }
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), at = m->base + (uintptr_t)(from - m->from);
    uintptr_t first = at / page * page, bytes = at + (uintptr_t)(end - from) - first;
    // Engines find all pages there. Where the system does not know how, they come when they are touched.
    (void)madvise((void *)first, bytes, f->writes ? MADV_POPULATE_WRITE : MADV_POPULATE_READ);
    svmr_onMapped(from < 0 ? 0 : from, end, m->base - (uintptr_t)m->from, &f->known, f->writes);
    return (char *)at;
}

bool svmr_mappedTorn(const svmr_MappedFile *f)
{
    for (const svmr_Mapping *m = f->last; m; m = m->before)
        if (__atomic_load_n(&m->torn, __ATOMIC_ACQUIRE))
            return true;
    return false;
}

void svmr_unmapFile(svmr_MappedFile *f)
{
    pthread_mutex_lock(&lock);
    for (svmr_Mapping *m = f->last, *next; m; m = next) {
        next = m->before;
        uintptr_t base = m->base;
        svm_unmap(m->memory, base);
        svmr_onUnmapped(base, m->end - base);
        __atomic_store_n(&m->base, 0, __ATOMIC_RELEASE);
        munmap((void *)base, m->end - base);
    }
    pthread_mutex_unlock(&lock);
    f->last = NULL;
    if (f->file > 0)
        close(f->file);
    f->file = 0;
}
