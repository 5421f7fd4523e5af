// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executables and objects that svm-llc made of emitted SVM C, kept by what they were made of, so that a program that has
// not changed is there at once. What an output depends on goes into its key: the text, the options, the machine file,
// the computer, and size and time of the tools, headers and libraries. Where more might matter nothing is kept: linker
// options, folders of headers, files of the user's beside the stream program. What is damaged is made anew.
//
// The folder is $SVMC_CACHE (empty: none), else svmc in $XDG_CACHE_HOME or ~/.cache. It belongs to this user alone, and
// holds CACHE_BYTES at most, of which what was not used longest goes first. Everything here may fail without a word: then
// the output is made as if there were no cache.
#ifndef SVMC_DRIVER_CACHE_H
#define SVMC_DRIVER_CACHE_H

#include "driver/tool.h"

enum { CACHE_BYTES = 256 << 20 };

typedef struct cache_entry {
    const char *path; // of what is kept; NULL: nothing is to be kept
} cache_entry;

// Of what svm-llc with these arguments (NULL ends them) makes of the text in the file `compiled`, which is one of them.
cache_entry cache_find(tool_session *t, const char *const *argv, const char *compiled, const char *output,
                       const char *text);
// Puts what is kept to its place; false: there is nothing, or it cannot be put there.
bool cache_take(const cache_entry *e, const char *output);
// Keeps what was made, a file that nobody else writes.
void cache_keep(arena *a, const cache_entry *e, const char *made);

#endif
