// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Why something was not done: a row of reasons.def, with the names and numbers that its text has room for. Passes decide and
// keep reasons; remarks, errors and reports render them.
#ifndef SVMC_HLC_PLAN_REASONS_H
#define SVMC_HLC_PLAN_REASONS_H

#include <stdint.h>

#include "support/arena.h"

typedef enum plan_why {
#define REASON(id, text, remedy) PLAN_WHY_##id,
#include "hlc/plan/reasons.def"
    PLAN_WHY_COUNT
} plan_why;

// Of a field "const plan_reason *", NULL says that there is none: it was done, or can be.
typedef struct plan_reason {
    plan_why why;
    const char *names[2];
    int64_t counts[3];
    double measures[2];
    const struct plan_reason *behind;
} plan_reason;

// One whose text has no room for anything.
const plan_reason *plan_reason_plain(plan_why why);
const plan_reason *plan_reason_of(arena *a, plan_reason r);
const char *plan_reason_text(arena *a, const plan_reason *r);

#endif
