// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random mapping problems: streams that split, join and run on, as compiled programs do.
#include <math.h>

#include "map-test.h"

static uint64_t bits(uint64_t *state) // splitmix64
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static uint32_t below(uint64_t *state, uint32_t n)
{
    return (uint32_t)(bits(state) % n);
}

// From least to 100 times as much, small ones as likely as large ones.
static double spread(uint64_t *state, double least)
{
    return least * pow(10, 2.0 * (double)below(state, 10000) / 10000);
}

static void add_task(arena *a, map_problem *p, uint64_t *state, const random_shape *shape)
{
    map_task *t = VEC_ADD(a, &p->tasks);
    *t = (map_task){.name = arena_printf(a, "t%zu", p->tasks.len - 1), .processor = MAP_ANY};
    t->time = spread(state, 1e-6);
    t->parallel = !shape->chain && below(state, 2) == 0;
    t->priming = t->parallel && below(state, 2) == 0 ? t->time * 0.2 : 0;
    t->start = 2e-7;
    t->bytes = 100 + below(state, 8000);
}

void map_make_random(arena *a, map_problem *p, const random_shape *shape)
{
    uint64_t state = shape->seed * 977 + shape->tasks;
    p->name =
        arena_printf(a, "random %u on %u, seed %llu", shape->tasks, shape->processors, (unsigned long long)shape->seed);
    p->fuse = true;
    for (uint32_t i = 0; i < shape->processors; i++)
        VEC_PUSH(a, &p->processors,
                 (map_processor){arena_printf(a, "p%u", i), 1, shape->tasks > 100 ? MAP_NO_BOUND : 200 * 1024});
    VEC_PUSH(a, &p->resources, (map_resource){"ram", MAP_MEMORY, 20e9, 2, 1});
    for (uint32_t i = 0; i < shape->tasks; i++)
        add_task(a, p, &state, shape);
    VEC_PUSH(a, &p->edges, (map_edge){.from = MAP_OUTSIDE, .to = 0, .bytes = 4096, .send = 1e-7, .receive = 1e-7});
    for (uint32_t i = 1; i < shape->tasks; i++) {
        uint32_t inputs = shape->chain || below(&state, 4) > 0 ? 1 : 2;
        for (uint32_t k = 0; k < inputs; k++) {
            uint32_t back = 1 + (shape->chain || k == 0 ? 0 : below(&state, i < 6 ? i : 6));
            VEC_PUSH(a, &p->edges,
                     (map_edge){.from = i - back,
                                .to = i,
                                .bytes = spread(&state, 100),
                                .send = 2e-7,
                                .receive = 2e-7,
                                .local = 512});
        }
    }
    VEC_PUSH(a, &p->edges, (map_edge){.from = shape->tasks - 1, .to = MAP_OUTSIDE, .bytes = 4096, .send = 1e-7});
}
