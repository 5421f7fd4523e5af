// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Marks for the vendor's simulator, the same on both sides.
#include "../both/profile_marks.h"
