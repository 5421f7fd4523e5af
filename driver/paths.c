// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Places relative to the running executable.
#include "driver/paths.h"

#include <stdbool.h>
#include <string.h>
#include <unistd.h>

static const char *executable(arena *a)
{
    for (size_t size = 256;; size *= 2) {
        char *path = arena_alloc(a, size);
        ssize_t n = readlink("/proc/self/exe", path, size - 1);
        if (n < 0)
            return NULL;
        if ((size_t)n < size - 1)
            return path;
    }
}

const char *paths_prefix(arena *a)
{
    const char *path = executable(a);
    if (path == NULL)
        return NULL;
    for (int level = 0; level < 2; level++) {
        const char *slash = strrchr(path, '/');
        if (slash == NULL)
            return NULL;
        path = arena_strndup(a, path, (size_t)(slash - path));
    }
    return path[0] == '\0' ? "/" : path;
}

const char *paths_installed(arena *a, const char *relative)
{
    const char *prefix = paths_prefix(a);
    return prefix == NULL ? relative : arena_printf(a, "%s/%s", prefix, relative);
}

const char *paths_clang(arena *a)
{
    const char *own = paths_installed(a, "bin/clang");
    if (access(own, X_OK) == 0)
        return own;
    return access(SVMC_CLANG, X_OK) == 0 ? SVMC_CLANG : "clang-22";
}

const char *paths_linker(arena *a)
{
    bool own = access(paths_installed(a, "bin/clang"), X_OK) == 0;
    return !own && access(SVMC_LINKER, X_OK) == 0 ? SVMC_LINKER : NULL;
}

const char *paths_linker_choice(void)
{
    return access(SVMC_GOLD, X_OK) == 0 ? "-fuse-ld=gold" : NULL;
}
