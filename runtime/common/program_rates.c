// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How often actors fire when input has ended.
#include "runtime/common/internal.h"

int64_t svmr_rateAllows(const svm_RateTable *t, int32_t actor, const int64_t *tokens)
{
    int64_t least = -1;
    for (int32_t i = t->inputStart[actor]; i < t->inputStart[actor + 1]; i++) {
        const svm_Port *in = &t->inputs[i];
        int64_t need = in->peek > in->pop ? in->peek : in->pop, have = tokens[in->channel];
        if (have < need)
            return 0;
        if (in->pop == 0)
            continue;
        int64_t n = (have - need) / in->pop + 1;
        if (least < 0 || n < least)
            least = n;
    }
    return least;
}

void svmr_rateFire(const svm_RateTable *t, int32_t actor, int64_t n, int64_t *tokens)
{
    for (int32_t i = t->inputStart[actor]; i < t->inputStart[actor + 1]; i++)
        tokens[t->inputs[i].channel] -= n * t->inputs[i].pop;
    for (int32_t i = t->outputStart[actor]; i < t->outputStart[actor + 1]; i++) {
        int64_t pushed, *place = &tokens[t->outputs[i].channel];
        if (__builtin_mul_overflow(n, (int64_t)t->outputs[i].push, &pushed) ||
            __builtin_add_overflow(*place, pushed, place))
            *place = INT64_MAX;
    }
}

void svm_exhaust(const svm_RateTable *table, int64_t *tokens, const int64_t *limits, int64_t *firings)
{
    if (!limits)
        limits = table->limit;
    for (int32_t a = 0; a < table->actors; a++)
        firings[a] = 0;
    bool fired;
    do {
        fired = false;
        for (int32_t a = 0; a < table->actors; a++) {
            int64_t n = svmr_rateAllows(table, a, tokens),
                    left = limits && limits[a] >= 0 ? limits[a] - firings[a] : -1;
            if (left >= 0 && (n < 0 || n > left))
                n = left;
            if (n <= 0)
                continue;
            svmr_rateFire(table, a, n, tokens);
            firings[a] += n;
            fired = true;
        }
    } while (fired);
}
