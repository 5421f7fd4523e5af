// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "driver/paths.h"
#include "targets/native.h"

// ---- The key ----

static void add(XXH3_state_t *h, const void *bytes, size_t count)
{
    uint64_t length = count; // so that what is added does not run into what follows
    XXH3_128bits_update(h, &length, sizeof length);
    XXH3_128bits_update(h, bytes, count);
}

static void add_text(XXH3_state_t *h, const char *text)
{
    add(h, text == NULL ? "" : text, text == NULL ? 0 : strlen(text));
}

// That a file is the one it was, as far as its size and time tell.
static void add_identity(XXH3_state_t *h, const char *path)
{
    struct stat st = {0};
    bool there = stat(path, &st) == 0;
    add_text(h, path);
    int64_t numbers[] = {there, (int64_t)st.st_size, (int64_t)st.st_mtim.tv_sec, (int64_t)st.st_mtim.tv_nsec};
    add(h, numbers, sizeof numbers);
}

static void add_content(arena *a, XXH3_state_t *h, const char *path)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    size_t size = 64 << 10;
    char *piece = arena_alloc(a, size);
    for (ssize_t n; file >= 0 && (n = read(file, piece, size)) > 0;)
        add(h, piece, (size_t)n);
    if (file >= 0)
        close(file);
}

static int compare_texts(const void *x, const void *y)
{
    return strcmp(*(const char *const *)x, *(const char *const *)y);
}

// The files of a folder, in one order.
static void add_folder(arena *a, XXH3_state_t *h, const char *folder)
{
    VEC(const char *) names = {0};
    DIR *dir = opendir(folder);
    for (const struct dirent *e; dir != NULL && (e = readdir(dir)) != NULL;)
        VEC_PUSH(a, &names, arena_printf(a, "%s/%s", folder, e->d_name));
    if (dir != NULL)
        closedir(dir);
    if (names.len > 1)
        qsort(names.data, names.len, sizeof *names.data, compare_texts);
    for (VEC_EACH(const char *, name, &names))
        add_identity(h, *name);
}

// What is installed, and of the system what would change with an update of the C library or the binutils.
static void add_tools(arena *a, XXH3_state_t *h)
{
    static const char *const system[] = {"/usr/include/features.h", "/usr/bin/ld", "/usr/bin/ld.gold",
                                         "/usr/bin/ld.lld"};
    static const char *const variables[] = {"CPATH", "C_INCLUDE_PATH", "LIBRARY_PATH", "COMPILER_PATH"};
    add_identity(h, paths_installed(a, "bin/svm-llc"));
    add_identity(h, paths_clang(a));
    if (paths_linker(a) != NULL)
        add_identity(h, paths_linker(a));
    add_folder(a, h, paths_installed(a, "include/svm"));
    add_folder(a, h, paths_installed(a, "lib"));
    for (size_t i = 0; i < sizeof system / sizeof *system; i++)
        add_identity(h, system[i]);
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        add_text(h, getenv(variables[i]));
}

// The machine file, and this computer: code is for the processor that is here.
static void add_machine(tool_session *t, XXH3_state_t *h)
{
    const char *name = option_last(&t->options, OPT_MACHINE);
    const char *directory = paths_installed(t->arena, "share/svmc/machines");
    const char *native = name != NULL && strcmp(name, "native") == 0 ? native_path(t->arena) : NULL;
    add_content(t->arena, h, native != NULL ? native : name == NULL ? "" : name);
    add_content(t->arena, h, arena_printf(t->arena, "%s/%s.yaml", directory, name == NULL ? "host" : name));
    int file = open("/proc/cpuinfo", O_RDONLY | O_CLOEXEC);
    char piece[4096];
    ssize_t n = file < 0 ? 0 : read(file, piece, sizeof piece - 1);
    if (file >= 0)
        close(file);
    piece[n < 0 ? 0 : n] = '\0';
    static const char *const facts[] = {"\nmodel name", "\nflags",
                                        "\nFeatures"}; // not the clock, which goes up and down
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        const char *fact = strstr(piece, facts[i]);
        if (fact != NULL)
            add(h, fact, strcspn(fact + 1, "\n"));
    }
}

// ---- The folder ----

// A folder that is this user's, made if need be; NULL: none.
static const char *cache_folder(arena *a)
{
    const char *own = getenv("SVMC_CACHE"), *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (own != NULL && own[0] == '\0')
        return NULL;
    const char *above = base != NULL && base[0] == '/'   ? base
                        : home != NULL && home[0] == '/' ? arena_printf(a, "%s/.cache", home)
                                                         : NULL;
    if (own == NULL && above == NULL)
        return NULL;
    if (own == NULL)
        mkdir(above, 0700);
    const char *folder = own != NULL ? own : arena_printf(a, "%s/svmc", above);
    mkdir(folder, 0700);
    struct stat st;
    bool ours = lstat(folder, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid() && (st.st_mode & 022) == 0;
    return ours ? folder : NULL;
}

typedef struct kept_file {
    const char *path;
    int64_t size, seconds, nanoseconds;
} kept_file;

static int compare_used(const void *x, const void *y)
{
    const kept_file *a = x, *b = y;
    if (a->seconds != b->seconds)
        return a->seconds < b->seconds ? -1 : 1;
    return a->nanoseconds < b->nanoseconds ? -1 : a->nanoseconds > b->nanoseconds;
}

// Removes what was not used longest until a quarter is free.
static void make_room(arena *a, const char *folder)
{
    VEC(kept_file) files = {0};
    int64_t total = 0;
    DIR *dir = opendir(folder);
    for (const struct dirent *e; dir != NULL && (e = readdir(dir)) != NULL;) {
        struct stat st;
        const char *path = arena_printf(a, "%s/%s", folder, e->d_name);
        if (lstat(path, &st) != 0 || !S_ISREG(st.st_mode))
            continue;
        total += (int64_t)st.st_size;
        VEC_PUSH(a, &files,
                 (kept_file){path, (int64_t)st.st_size, (int64_t)st.st_mtim.tv_sec, (int64_t)st.st_mtim.tv_nsec});
    }
    if (dir != NULL)
        closedir(dir);
    if (total <= CACHE_BYTES)
        return;
    qsort(files.data, files.len, sizeof *files.data, compare_used);
    for (VEC_EACH(const kept_file, f, &files)) {
        if (total <= CACHE_BYTES / 4 * 3)
            return;
        unlink(f->path);
        total -= f->size;
    }
}

// ---- Entries ----

// What the output is made of is known: the text, and what comes with svmc.
static bool is_known(const tool_session *t)
{
    static const option_id others[] = {OPT_INCLUDE,    OPT_LINK_LIBRARY, OPT_LINK_FOLDER, OPT_LINKER,
                                       OPT_SAVE_TEMPS, OPT_VERBOSE,      OPT_DRY_RUN,     OPT_TIME_REPORT};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (option_last(&t->options, others[i]) != NULL)
            return false;
    return option_flag(&t->options, OPT_CACHE, true);
}

cache_entry cache_find(tool_session *t, const char *const *argv, const char *compiled, const char *output,
                       const char *text)
{
    arena *a = t->arena;
    const char *folder = output != NULL && strcmp(output, "-") != 0 && is_known(t) ? cache_folder(a) : NULL;
    if (folder == NULL)
        return (cache_entry){NULL};
    XXH3_state_t *h = XXH3_createState();
    XXH3_128bits_reset(h);
    for (size_t i = 1; argv[i] != NULL; i++)
        if (argv[i] != compiled && argv[i] != output)
            add_text(h, argv[i]);
    add_text(h, text);
    add_tools(a, h);
    add_machine(t, h);
    char here[4096];
    if (option_last(&t->options, OPT_DEBUG_INFO) != NULL) { // where the program is debugged from
        add_text(h, getcwd(here, sizeof here));
        add_text(h, compiled);
    }
    XXH128_hash_t key = XXH3_128bits_digest(h);
    XXH3_freeState(h);
    return (cache_entry){
        arena_printf(a, "%s/%016llx%016llx", folder, (unsigned long long)key.high64, (unsigned long long)key.low64)};
}

// So many bytes, and their sum.
static bool copy_bytes(int from, int to, int64_t count, XXH128_hash_t *sum)
{
    char piece[64 << 10];
    XXH3_state_t *h = XXH3_createState();
    XXH3_128bits_reset(h);
    while (count > 0) {
        ssize_t n = read(from, piece, count < (int64_t)sizeof piece ? (size_t)count : sizeof piece), k = 1;
        for (ssize_t done = 0; k > 0 && done < n; done += k)
            k = write(to, piece + done, (size_t)(n - done));
        if (n <= 0 || k <= 0)
            break;
        XXH3_128bits_update(h, piece, (size_t)n);
        count -= n;
    }
    *sum = XXH3_128bits_digest(h);
    XXH3_freeState(h);
    return count == 0;
}

// An entry is what was made, and its sum behind it: it is not taken if the computer stopped before all of it was there.
static bool copy_and_sum(int from, int to, bool take)
{
    struct stat st;
    XXH128_hash_t sum, kept;
    if (fstat(from, &st) != 0)
        return false;
    if (!take)
        return copy_bytes(from, to, (int64_t)st.st_size, &sum) && write(to, &sum, sizeof sum) == sizeof sum;
    int64_t count = (int64_t)st.st_size - (int64_t)sizeof sum;
    return count > 0 && copy_bytes(from, to, count, &sum) && read(from, &kept, sizeof kept) == sizeof kept &&
           XXH128_isEqual(sum, kept);
}

// A new file with these permissions, of which the umask takes what it takes of any.
static bool copy_file(const char *from, const char *to, mode_t mode, bool take)
{
    int in = open(from, O_RDONLY | O_CLOEXEC);
    if (in < 0)
        return false;
    unlink(to); // as a linker does: a program that runs keeps its text
    int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    bool copied = out >= 0 && copy_and_sum(in, out, take);
    if (out >= 0 && (close(out) != 0 || !copied)) {
        unlink(to);
        copied = false;
    }
    close(in);
    return copied;
}

bool cache_take(const cache_entry *e, const char *output)
{
    struct stat st, there;
    if (e->path == NULL || stat(e->path, &st) != 0 || !S_ISREG(st.st_mode))
        return false;
    if (lstat(output, &there) == 0 && !S_ISREG(there.st_mode))
        return false; // a pipe, /dev/null, a link to somewhere: for who makes it anew
    if (!copy_file(e->path, output, (st.st_mode & 0100) != 0 ? 0777 : 0666, true))
        return false;
    utimensat(AT_FDCWD, e->path, NULL, 0); // it was used
    return true;
}

void cache_keep(arena *a, const cache_entry *e, const char *made)
{
    struct stat st;
    if (e->path == NULL || lstat(made, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size > CACHE_BYTES / 8)
        return;
    const char *unfinished = arena_printf(a, "%s-%ld", e->path, (long)getpid());
    if (copy_file(made, unfinished, (st.st_mode & 0100) != 0 ? 0700 : 0600, false) && rename(unfinished, e->path) != 0)
        unlink(unfinished);
    make_room(a, arena_strndup(a, e->path, (size_t)(strrchr(e->path, '/') - e->path)));
}
