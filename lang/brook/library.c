// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lang/brook/library.h"

#include <stddef.h>
#include <string.h>

static const char *const names[] = {
#define F(name) #name,
#include "lang/brook/library.def"
};

bool brook_is_library_function(const char *name)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}
