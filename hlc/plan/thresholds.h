// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants from thresholds.def, where each has its meaning.
#ifndef SVMC_HLC_PLAN_THRESHOLDS_H
#define SVMC_HLC_PLAN_THRESHOLDS_H

enum {
#define WHOLE(name, value, unit, decides, origin) name = (value),
#include "hlc/plan/thresholds.def"
};

#define SHARE(name, value, unit, decides, origin) static const double name = (value);
#include "hlc/plan/thresholds.def"

#endif
