// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What programs use of the vendor's libmisc.
#ifndef LIBMISC_H
#define LIBMISC_H

#include "free_align.h"
#include "malloc_align.h"

#endif
