// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shows what the planner finds in a machine, and what it makes of objects with lifetimes.
//   place-test resources FILE.yaml PROCESSORS [io]
//   place-test allocate [random COUNT SEED | FILE]    FILE: lines "bytes alignment first last"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hlc/plan/allocate.h"
#include "hlc/plan/resources.h"

static void print_processor(const plan_processor *p)
{
    printf("%s kind %" PRIu32 " in %s, %" PRIu64 " bytes%s%s", p->processor->element.name, p->kind,
           p->memory->element.name, p->bytes, p->holds_code ? " with code" : "", p->io ? ", io" : "");
    if (p->direct)
        printf(", direct\n");
    else if (p->largest_transfer == MACHINE_UNBOUNDED)
        printf(", load %s, store %s, aligned %" PRIu64 "\n", p->load->element.name, p->store->element.name,
               p->transfer_alignment);
    else
        printf(", load %s, store %s, aligned %" PRIu64 ", up to %" PRIu64 "\n", p->load->element.name,
               p->store->element.name, p->transfer_alignment, p->largest_transfer);
}

static int show_resources(const char *file, int64_t wanted, bool io)
{
    arena *a = arena_create();
    source_set sources;
    diag_engine d;
    source_set_init(&sources, a);
    diag_init(&d, a, &sources);
    const machine *m = machine_find(a, &d, ".", file, (src_range){0});
    const plan_demands demands = {.io = io};
    const plan_resources *r = m == NULL ? NULL : plan_resources_find(a, &d, m, wanted, &demands);
    if (r != NULL) {
        r = plan_resources_pair_engines(a, r);
        printf("control %s, shared %s, %" PRIu64 " bytes, aligned %" PRIu64 ", %zu processors, %" PRIu32 " kinds\n",
               r->control->element.name, r->shared->element.name, r->bytes, r->alignment, r->processors.len, r->kinds);
        for (VEC_EACH(const plan_processor, p, &r->processors))
            print_processor(p);
        const plan_processor *from = &r->processors.data[0], *to = &VEC_LAST(&r->processors);
        const machine_processor *e = plan_resources_direct_engine(r, from, to);
        printf("from %s to %s: %s\n", from->processor->element.name, to->processor->element.name,
               e == NULL ? "none" : e->element.name);
    }
    diag_flush(&d, stderr, DIAG_FORMAT_TEXT, false);
    int status = r == NULL;
    arena_destroy(a);
    return status;
}

// ---- Allocation ----

// No two objects that share a stage may share a byte, and every address is aligned.
static void check(const plan_object *o, size_t count, plan_allocation made)
{
    uint64_t end = 0;
    for (size_t i = 0; i < count; i++) {
        end = o[i].address + o[i].bytes > end ? o[i].address + o[i].bytes : end;
        if (o[i].alignment > 1 && o[i].address % o[i].alignment != 0)
            printf("object %zu is not aligned\n", i);
        for (size_t k = 0; k < i; k++)
            if (o[i].first <= o[k].last && o[k].first <= o[i].last && o[i].address < o[k].address + o[k].bytes &&
                o[k].address < o[i].address + o[i].bytes)
                printf("objects %zu and %zu overlap\n", k, i);
    }
    if (end != made.bytes || made.bytes < made.bound)
        printf("the area is said to be %" PRIu64 " and is %" PRIu64 "\n", made.bytes, end);
}

static uint32_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33);
}

// As buffers of a graph are: mostly between stages near each other, some across the whole, sizes of many magnitudes.
static void make_random(plan_object *o, size_t count, uint64_t seed)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t span = next_random(&seed) % 8 == 0 ? (uint32_t)count : 1 + next_random(&seed) % 6;
        uint32_t first = next_random(&seed) % (uint32_t)count;
        o[i] = (plan_object){.bytes = UINT64_C(1) + (next_random(&seed) % 4096 << next_random(&seed) % 5),
                             .alignment = UINT64_C(1) << next_random(&seed) % 8,
                             .first = first,
                             .last = first + next_random(&seed) % span};
    }
}

static int allocate_random(size_t count, uint64_t seed)
{
    plan_object *o = calloc(count, sizeof *o);
    if (o == NULL)
        return 1;
    make_random(o, count, seed);
    plan_allocation made = plan_allocate(o, count);
    check(o, count, made);
    printf("%zu objects: %.3f of the bound\n", count, (double)made.bytes / (double)made.bound);
    free(o);
    return 0;
}

static int allocate_file(const char *path)
{
    FILE *f = fopen(path, "r");
    if (f == NULL)
        return 1;
    plan_object o[100];
    size_t count = 0;
    while (count < 100 && fscanf(f, "%" SCNu64 "%" SCNu64 "%" SCNu32 "%" SCNu32, &o[count].bytes, &o[count].alignment,
                                 &o[count].first, &o[count].last) == 4)
        count++;
    fclose(f);
    plan_allocation made = plan_allocate(o, count);
    check(o, count, made);
    for (size_t i = 0; i < count; i++)
        printf("%" PRIu64 " bytes at %" PRIu64 "\n", o[i].bytes, o[i].address);
    printf("%" PRIu64 " bytes, bound %" PRIu64 "\n", made.bytes, made.bound);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc >= 4 && strcmp(argv[1], "resources") == 0)
        return show_resources(argv[2], strtoll(argv[3], NULL, 10), argc > 4);
    if (argc == 5 && strcmp(argv[1], "allocate") == 0 && strcmp(argv[2], "random") == 0)
        return allocate_random(strtoull(argv[3], NULL, 10), strtoull(argv[4], NULL, 10));
    if (argc == 3 && strcmp(argv[1], "allocate") == 0)
        return allocate_file(argv[2]);
    return 2;
}
