// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the search tells of itself: how good the best mapping was after how many tries. Only steps are counted, no time, so
// equal options give equal histories.
#include <math.h>

#include "hlc/map/map_int.h"

// What differs by less than this is not worth a point in a chart.
#define WORTH_NOTING 1e-4

const char *map_stage_name(map_stage stage)
{
    static const char *const names[] = {
        [MAP_GREEDY] = "greedy", [MAP_ANNEALING] = "annealing", [MAP_INTEGER] = "integer programming"};
    return names[stage];
}

void map_history_step(const map_core *c, uint64_t steps)
{
    if (c->history != NULL)
        c->history->steps += steps;
}

void map_history_mark(const map_core *c, map_stage stage, double lower)
{
    map_history *h = c->history;
    if (h == NULL)
        return;
    lower = lower > c->bound.seconds ? lower : c->bound.seconds;
    VEC_PUSH(c->arena, &h->moments, (map_moment){stage, h->steps, h->best, lower});
}

void map_history_keep(const map_core *c, map_stage stage, const map_costs *costs)
{
    map_history *h = c->history;
    if (h == NULL || costs->overflow > 0 || fabs(costs->seconds - h->best) <= h->best * WORTH_NOTING)
        return;
    h->best = costs->seconds;
    map_history_mark(c, stage, 0);
}
