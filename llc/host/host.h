// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the files of the host backend share.
#ifndef SVMC_LLC_HOST_H
#define SVMC_LLC_HOST_H

#include "llc/backend.h"

// Compiles (and links) into path: one source, or the whole session when source is NULL. extra is one more flag, or
// NULL.
bool host_compile(llc_session *s, llc_output output, const char *source, const char *path, const char *extra);
bool host_emit_library(llc_session *s);

#endif
