// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How long instructions wait for each other, if nothing else took time: chain TABLE COUNTS. One begins when what it
// reads is there and all up to the one WINDOW before it have ended: processors look no further ahead.
//
// TABLE has two numbers, what a load waits and what one waits for a store before it to the same place; then for each
// block "b N", and N lines: nanoseconds that the instruction waits; whether it loads, and stores; of how many times
// four bytes in memory; how many registers it reads, and which; the same of those that it sets; of those that are its
// address. COUNTS is what an instrumented program wrote, of which the last turns of blocks and places in memory count.
// Prints the nanoseconds, of how many turns, and how many loads were from two cache lines.
//
// What is stored comes to the loads from there, if these are of the same bytes or of more; that they are forgotten when
// others use the same cell of the table makes the chain rather too short.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { WINDOW = 1024 }; // no processor of today keeps more; most about 500
enum { LINE = 64 };     // bytes that a cache gives at once

enum part { READS, SETS, ADDRESS, PARTS };

typedef struct instruction {
    double wait;
    int loads, stores, cells;
    int counts[PARTS], first;
} instruction;

typedef struct block {
    int first, count;
} block;

typedef struct place {
    double ready;
    uint64_t address;
} place;

enum { PLACES = 1 << 20 };

static place *find(place *memory, uint64_t address)
{
    return &memory[(address * 0x9E3779B97F4A7C15u) >> 44];
}

static int fail(const char *what)
{
    fprintf(stderr, "chain: %s\n", what);
    exit(1);
}

// Room for one more of so many.
static void *grow(void *p, size_t count, size_t size)
{
    if (count != 0 && (count & (count - 1)) != 0)
        return p;
    void *q = realloc(p, (count == 0 ? 1 : 2 * count) * size);
    if (q == NULL)
        fail("out of memory");
    return q;
}

static void take(void *to, size_t size, FILE *file)
{
    if (fread(to, size, 1, file) != 1)
        fail("the counts end too early");
}

static int number(FILE *table, int least)
{
    int n;
    if (fscanf(table, "%d", &n) != 1 || n < least)
        fail("the table is not as expected");
    return n;
}

static int most_of(int a, int b)
{
    return a > b ? a : b;
}

int main(int argc, char **argv)
{
    FILE *table = argc == 3 ? fopen(argv[1], "r") : NULL, *counts = argc == 3 ? fopen(argv[2], "rb") : NULL;
    if (table == NULL || counts == NULL)
        fail("expected TABLE and COUNTS, which can be read");
    block *blocks = NULL;
    instruction *list = NULL;
    int *values = NULL, registers = 0, size = 0;
    size_t many = 0, instructions = 0, used = 0;
    double load, forward;
    if (fscanf(table, "%lf %lf", &load, &forward) != 2)
        fail("the table is not as expected");
    while (fscanf(table, " b %d", &size) == 1) {
        blocks = grow(blocks, many, sizeof *blocks);
        blocks[many++] = (block){(int)instructions, size};
        for (int i = 0; i < size; i++) {
            instruction it = {.first = (int)used};
            if (fscanf(table, "%lf", &it.wait) != 1)
                fail("the table is not as expected");
            it.loads = number(table, 0);
            it.stores = number(table, 0);
            it.cells = number(table, 0);
            for (int part = 0; part < PARTS; part++) {
                it.counts[part] = number(table, 0);
                for (int k = 0; k < it.counts[part]; k++) {
                    values = grow(values, used, sizeof *values);
                    values[used] = number(table, 0);
                    registers = most_of(registers, values[used++] + 1);
                }
            }
            list = grow(list, instructions, sizeof *list);
            list[instructions++] = it;
        }
    }
    uint64_t skipped, places, known, now = 0, crossed = 0, used_places = 0, first;
    for (size_t i = 0; i < many + 3; i++)
        take(&skipped, 8, counts);
    take(&places, 8, counts);
    uint64_t *addresses = malloc((size_t)places * 8 + 8);
    if (addresses == NULL)
        fail("out of memory");
    for (uint64_t i = 0; i < places; i++)
        take(&addresses[i], 8, counts);
    take(&known, 8, counts);
    uint32_t *turns = malloc((size_t)known * 4 + 4);
    if (turns == NULL)
        fail("out of memory");
    for (uint64_t i = 0; i < known; i++) {
        take(&turns[i], 4, counts);
        if (turns[i] >= many)
            fail("the counts are of another program");
    }
    for (first = known; first > 0; first--) { // as many turns as their places are known of
        const block *b = &blocks[turns[first - 1]];
        uint64_t more = 0;
        for (int i = 0; i < b->count; i++)
            more += list[b->first + i].cells > 0;
        if (used_places + more > places)
            break;
        used_places += more;
    }
    const uint64_t *address = addresses + (places - used_places);
    static double ended[WINDOW];
    double *ready = calloc((size_t)registers + 1, sizeof *ready), end = 0;
    place *memory = calloc(PLACES, sizeof *memory);
    if (ready == NULL || memory == NULL)
        fail("out of memory");
    for (uint64_t i = first; i < known; i++) {
        for (const instruction *it = &list[blocks[turns[i]].first], *last = it + blocks[turns[i]].count; it < last; it++) {
            const int *v = &values[it->first], *where = v + it->counts[READS] + it->counts[SETS];
            double *retired = &ended[now++ % WINDOW], at = *retired; // that of the instruction a window before
            for (int k = 0; k < it->counts[READS]; k++)
                at = ready[v[k]] > at ? ready[v[k]] : at;
            for (int k = 0; k < it->counts[ADDRESS] && it->loads; k++)
                at = ready[where[k]] + load > at ? ready[where[k]] + load : at;
            for (int k = 0; k < it->cells && it->loads; k++) {
                const place *p = find(memory, *address + 4 * (uint64_t)k);
                if (p->address == *address + 4 * (uint64_t)k && p->ready + forward > at)
                    at = p->ready + forward;
            }
            crossed += it->loads && it->cells > 0 && *address % LINE + 4 * (uint64_t)it->cells > LINE;
            at += it->wait;
            for (int k = 0; k < it->counts[SETS]; k++)
                ready[v[it->counts[READS] + k]] = at;
            for (int k = 0; k < it->cells && it->stores; k++)
                *find(memory, *address + 4 * (uint64_t)k) = (place){at, *address + 4 * (uint64_t)k};
            address += it->cells > 0;
            end = at > end ? at : end;
            *retired = end;
        }
    }
    known -= first;
    printf("%.3f %llu %llu\n", end, (unsigned long long)known, (unsigned long long)crossed);
    free(ready);
    free(addresses);
    free(turns);
    free(memory);
    free(values);
    free(list);
    free(blocks);
    fclose(table);
    fclose(counts);
    return 0;
}
