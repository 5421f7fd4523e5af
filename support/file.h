// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading file descriptors, under the whole-file functions of strbuf.h and source.h.
#ifndef SVMC_SUPPORT_FILE_H
#define SVMC_SUPPORT_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "support/arena.h"

// Everything that can be read from fd, NUL-terminated; more than limit bytes fail with EFBIG. Leaves errno.
bool file_read_fd(arena *a, int fd, size_t limit, char **text, size_t *len);
// Opens and reads path, "-" being standard input. regular_only refuses devices and pipes, which may never end.
bool file_read_limited(arena *a, const char *path, size_t limit, bool regular_only, char **text, size_t *len);
// Writes all of text to fd. Leaves errno.
bool file_write_fd(int fd, const char *text, size_t len);

struct strbuf;
// What a run tells: text goes to the file that the environment variable names; that of the process's second such run to
// NAME.2, and so on. True if it names none. False: it could not be written, and standard error says so.
bool file_write_result(arena *a, const char *what, const char *variable, unsigned number, const struct strbuf *text);

#endif
