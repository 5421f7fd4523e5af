// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hlc/plan/reasons.h"

#include <inttypes.h>

#include "support/strbuf.h"

static const char *const texts[] = {
#define REASON(id, text, remedy) text,
#include "hlc/plan/reasons.def"
};

static const plan_reason plain[] = {
#define REASON(id, text, remedy) {.why = PLAN_WHY_##id},
#include "hlc/plan/reasons.def"
};

const plan_reason *plan_reason_plain(plan_why why)
{
    return &plain[why];
}

const plan_reason *plan_reason_of(arena *a, plan_reason r)
{
    plan_reason *kept = ARENA_NEW(a, plan_reason);
    *kept = r;
    return kept;
}

static void render(strbuf *to, const plan_reason *r)
{
    const char *const *name = r->names;
    const int64_t *count = r->counts;
    const double *measure = r->measures;
    for (const char *at = texts[r->why]; *at != 0; at++) {
        if (*at != '%') {
            strbuf_addc(to, *at);
            continue;
        }
        switch (*++at) {
        case 's': strbuf_add(to, *name++); break;
        case 'd': strbuf_printf(to, "%" PRId64, *count++); break;
        case 'g': strbuf_printf(to, "%.3g", *measure++); break;
        default: render(to, r->behind); break;
        }
    }
}

const char *plan_reason_text(arena *a, const plan_reason *r)
{
    strbuf text;
    strbuf_init(&text, a);
    render(&text, r);
    return text.data;
}
