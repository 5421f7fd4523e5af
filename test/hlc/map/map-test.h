// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Abstract mapping problems for tests: read from a text, or random ones.
#ifndef MAP_TEST_H
#define MAP_TEST_H

#include "hlc/map/map.h"

// A line each, '#' begins a comment:
//   processor NAME [speed X] [memory BYTES]
//   task NAME SECONDS [parallel] [priming X] [start X] [bytes N] [together N] [on PROCESSOR] [times X,X,...]
//   edge FROM TO BYTES [priming BYTES] [send X] [receive X] [local N]    FROM or TO may be 'outside'
//   memory|link NAME BANDWIDTH CROSSING OUTSIDE
//   strips N | most-strips N | fuse
// Exits after an error in the text, with its line.
void map_read(arena *a, map_problem *p, const char *path);

typedef struct random_shape {
    uint32_t tasks, processors;
    uint64_t seed;
    bool chain; // a pipeline of tasks with state, instead of a random graph
} random_shape;
void map_make_random(arena *a, map_problem *p, const random_shape *shape);

#endif
