// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads an abstract mapping problem.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "map-test.h"

typedef struct reader {
    arena *arena;
    map_problem *problem;
    const char *path;
    int line;
    char *rest; // of the line
} reader;

static _Noreturn void fail(const reader *r, const char *what, const char *word)
{
    fprintf(stderr, "%s:%d: %s '%s'\n", r->path, r->line, what, word == NULL ? "end of line" : word);
    exit(2);
}

static char *word(reader *r)
{
    return strtok_r(NULL, " \t\n", &r->rest);
}

static double number(reader *r)
{
    char *w = word(r), *end = w;
    double x = w == NULL ? 0 : strtod(w, &end);
    if (w == NULL || *end != 0 || end == w)
        fail(r, "a number is expected before", w);
    return x;
}

static uint64_t whole(reader *r)
{
    char *w = word(r), *end = w;
    uint64_t x = w == NULL ? 0 : strtoull(w, &end, 10);
    if (w == NULL || *end != 0 || end == w)
        fail(r, "a whole number is expected before", w);
    return x;
}

static uint32_t task_named(reader *r)
{
    const char *w = word(r);
    if (w != NULL && strcmp(w, "outside") == 0)
        return MAP_OUTSIDE;
    for (uint32_t i = 0; w != NULL && i < r->problem->tasks.len; i++)
        if (strcmp(r->problem->tasks.data[i].name, w) == 0)
            return i;
    if (w != NULL && w[0] == '#') // a number, also one that is wrong
        return (uint32_t)strtoul(w + 1, NULL, 10);
    fail(r, "there is no task", w);
}

static uint32_t processor_named(reader *r)
{
    const char *w = word(r);
    for (uint32_t i = 0; w != NULL && i < r->problem->processors.len; i++)
        if (strcmp(r->problem->processors.data[i].name, w) == 0)
            return i;
    if (w != NULL && w[0] == '#')
        return (uint32_t)strtoul(w + 1, NULL, 10);
    fail(r, "there is no processor", w);
}

static void read_processor(reader *r)
{
    map_processor *x = VEC_ADD(r->arena, &r->problem->processors);
    *x = (map_processor){arena_strdup(r->arena, word(r)), 1, MAP_NO_BOUND};
    for (const char *w; (w = word(r)) != NULL;)
        if (strcmp(w, "speed") == 0)
            x->speed = number(r);
        else if (strcmp(w, "memory") == 0)
            x->memory = whole(r);
        else
            fail(r, "unknown word", w);
}

static const double *read_times(reader *r)
{
    VEC(double) times = {0};
    char *rest = NULL, *w = word(r);
    for (char *x = w == NULL ? NULL : strtok_r(w, ",", &rest); x != NULL; x = strtok_r(NULL, ",", &rest))
        VEC_PUSH(r->arena, &times, strtod(x, NULL));
    if (times.len != r->problem->processors.len)
        fail(r, "a time for each processor is expected, not", w);
    return times.data;
}

static void read_task(reader *r)
{
    map_task *t = VEC_ADD(r->arena, &r->problem->tasks);
    *t = (map_task){.name = arena_strdup(r->arena, word(r)), .processor = MAP_ANY};
    t->time = number(r);
    for (const char *w; (w = word(r)) != NULL;)
        if (strcmp(w, "parallel") == 0)
            t->parallel = true;
        else if (strcmp(w, "priming") == 0)
            t->priming = number(r);
        else if (strcmp(w, "start") == 0)
            t->start = number(r);
        else if (strcmp(w, "bytes") == 0)
            t->bytes = whole(r);
        else if (strcmp(w, "together") == 0)
            t->together = (uint32_t)whole(r);
        else if (strcmp(w, "on") == 0)
            t->processor = processor_named(r);
        else if (strcmp(w, "times") == 0)
            t->times = read_times(r);
        else
            fail(r, "unknown word", w);
}

static void read_edge(reader *r)
{
    map_edge *e = VEC_ADD(r->arena, &r->problem->edges);
    e->from = task_named(r);
    e->to = task_named(r);
    e->bytes = number(r);
    for (const char *w; (w = word(r)) != NULL;)
        if (strcmp(w, "priming") == 0)
            e->priming_bytes = number(r);
        else if (strcmp(w, "send") == 0)
            e->send = number(r);
        else if (strcmp(w, "receive") == 0)
            e->receive = number(r);
        else if (strcmp(w, "local") == 0)
            e->local = whole(r);
        else
            fail(r, "unknown word", w);
}

static void read_resource(reader *r, map_limit_kind kind)
{
    map_resource *x = VEC_ADD(r->arena, &r->problem->resources);
    x->name = arena_strdup(r->arena, word(r));
    x->kind = kind;
    x->bandwidth = number(r);
    x->crossing = number(r);
    x->outside = number(r);
}

static void read_line(reader *r, char *line)
{
    line[strcspn(line, "\n")] = 0;
    if (strstr(line, " # ") != NULL)
        *strstr(line, " # ") = 0;
    char *w = strtok_r(line, " \t", &r->rest);
    if (w == NULL || w[0] == '#')
        return;
    if (strcmp(w, "processor") == 0)
        read_processor(r);
    else if (strcmp(w, "task") == 0)
        read_task(r);
    else if (strcmp(w, "edge") == 0)
        read_edge(r);
    else if (strcmp(w, "memory") == 0)
        read_resource(r, MAP_MEMORY);
    else if (strcmp(w, "link") == 0)
        read_resource(r, MAP_LINK);
    else if (strcmp(w, "strips") == 0)
        r->problem->strips = (uint32_t)whole(r);
    else if (strcmp(w, "most-strips") == 0)
        r->problem->most_strips = (uint32_t)whole(r);
    else if (strcmp(w, "fuse") == 0)
        r->problem->fuse = true;
    else
        fail(r, "unknown word", w);
}

void map_read(arena *a, map_problem *p, const char *path)
{
    FILE *f = fopen(path, "r");
    reader r = {.arena = a, .problem = p, .path = path};
    if (f == NULL)
        fail(&r, "cannot read", path);
    p->name = path;
    char line[4096];
    while (fgets(line, sizeof line, f) != NULL) {
        r.line++;
        read_line(&r, line);
    }
    fclose(f);
}
