// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the tools find what was installed with them: relative to the folder of the running executable, which is bin/ of
// an installed prefix or of the build folder (both have the same layout).
#ifndef SVMC_DRIVER_PATHS_H
#define SVMC_DRIVER_PATHS_H

#include "support/arena.h"

// The prefix: the parent of the executable's folder. NULL when the system does not tell.
const char *paths_prefix(arena *a);
// prefix/relative, whether it exists or not: "bin/svm-llc", "include", "lib", "share/svmc/machines".
const char *paths_installed(arena *a, const char *relative);
// The clang that compiles emitted code: bin/clang of the prefix, else the one that svmc was built for, else "clang-22"
// of PATH.
const char *paths_clang(arena *a);
// A gcc that links what clang has compiled; NULL: clang is to link, as it is one of the user's, or there is no gcc.
const char *paths_linker(arena *a);
// Its option for gold, which links our programs in half the time; NULL: gold is not there.
const char *paths_linker_choice(void);

#endif
