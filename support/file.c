// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whole files in and out. A regular file is written beside its place and renamed, so that it is there whole or not at
// all.
#include "support/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/strbuf.h"

bool file_read_fd(arena *a, int fd, size_t limit, char **text, size_t *len)
{
    struct stat st;
    if (fstat(fd, &st) != 0)
        return false;
    size_t size = 64 << 10;
    if (S_ISREG(st.st_mode) && st.st_size > 0) {
        if ((uintmax_t)st.st_size > limit) {
            errno = EFBIG;
            return false;
        }
        size = (size_t)st.st_size + 1; // one more, to see the end without growing
    }
    char *data = arena_alloc(a, size + 1);
    size_t n = 0;
    for (;;) {
        ssize_t got = read(fd, data + n, size - n);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return false;
        if (got == 0)
            break;
        n += (size_t)got;
        if (n > limit) {
            errno = EFBIG;
            return false;
        }
        if (n == size) {
            char *larger = arena_alloc(a, 2 * size + 1);
            memcpy(larger, data, n);
            data = larger;
            size *= 2;
        }
    }
    data[n] = '\0';
    *text = data;
    *len = n;
    return true;
}

bool file_read_limited(arena *a, const char *path, size_t limit, bool regular_only, char **text, size_t *len)
{
    if (strcmp(path, "-") == 0)
        return file_read_fd(a, STDIN_FILENO, limit, text, len);
    // Without O_NONBLOCK, opening a named pipe would wait for a writer before it can be refused.
    int fd = open(path, O_RDONLY | O_CLOEXEC | (regular_only ? O_NONBLOCK : 0));
    if (fd < 0)
        return false;
    struct stat st;
    bool ok = fstat(fd, &st) == 0;
    if (ok && regular_only && !S_ISREG(st.st_mode)) {
        errno = EINVAL;
        ok = false;
    }
    ok = ok && file_read_fd(a, fd, limit, text, len);
    int error = errno;
    close(fd);
    errno = error;
    return ok;
}

bool file_read(arena *a, const char *path, char **text, size_t *len)
{
    return file_read_limited(a, path, PTRDIFF_MAX / 4, false, text, len);
}

bool file_write_fd(int fd, const char *text, size_t len)
{
    while (len > 0) {
        ssize_t n = write(fd, text, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        text += n;
        len -= (size_t)n;
    }
    return true;
}

// Closes fd after writing; tells errors that only close reports.
static bool finish(int fd, bool ok)
{
    int error = errno;
    if (close(fd) != 0 && ok)
        return false;
    errno = error;
    return ok;
}

static bool write_in_place(const char *path, const char *text, size_t len)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    return fd >= 0 && finish(fd, file_write_fd(fd, text, len));
}

static bool write_and_rename(const char *path, const struct stat *old, const char *text, size_t len, char *temporary)
{
    int fd = mkostemp(temporary, O_CLOEXEC);
    if (fd < 0) // no new file may be made there, but the old one may still be writable
        return errno == EACCES && old != NULL ? write_in_place(path, text, len) : false;
    mode_t mask = umask(0);
    umask(mask);
    mode_t mode = old != NULL ? old->st_mode & 0777 : 0666 & ~mask;
    bool ok = fchmod(fd, mode) == 0 && file_write_fd(fd, text, len);
    ok = finish(fd, ok) && rename(temporary, path) == 0;
    if (!ok) {
        int error = errno;
        unlink(temporary);
        errno = error;
    }
    return ok;
}

bool file_write(const char *path, const char *text, size_t len)
{
    if (strcmp(path, "-") == 0) {
        fwrite(text, 1, len, stdout);
        return fflush(stdout) == 0 && !ferror(stdout);
    }
    struct stat st;
    bool exists = stat(path, &st) == 0;
    if (exists && !S_ISREG(st.st_mode))
        return write_in_place(path, text, len);
    if (exists && access(path, W_OK) != 0)
        return false;
    char *target = exists ? realpath(path, NULL) : NULL; // a symbolic link stays one
    if (exists && target == NULL)
        return false;
    arena *a = arena_create();
    const char *final = target != NULL ? target : path;
    bool ok = write_and_rename(final, exists ? &st : NULL, text, len, arena_printf(a, "%s.XXXXXX", final));
    int error = errno;
    arena_destroy(a);
    free(target);
    errno = error;
    return ok;
}

bool file_write_result(arena *a, const char *what, const char *variable, unsigned number, const strbuf *text)
{
    const char *path = getenv(variable);
    if (path == NULL || *path == '\0')
        return true;
    if (number > 1 && strcmp(path, "-") != 0)
        path = arena_printf(a, "%s.%u", path, number);
    fflush(stdout);
    if (file_write(path, text->data, text->len))
        return true;
    fprintf(stderr, "%s: error: cannot write the %s '%s': %s\n", program_invocation_short_name, what, path,
            strerror(errno));
    return false;
}
