// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The old name of what spu_intrinsics.h has.
#ifndef SPU_INTERNALS_H
#define SPU_INTERNALS_H

#include "spu_intrinsics.h"

#endif
