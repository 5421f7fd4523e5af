// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names that are free: NAME, or NAME_2, NAME_3 ..., the first that nothing has.
#include <string.h>

#include "hlc/passes/pass.h"

typedef const char *name_at(const sir_module *m, size_t i);

static const char *filter_name(const sir_module *m, size_t i)
{
    return m->filters.data[i]->name;
}

static const char *actor_name(const sir_module *m, size_t i)
{
    return m->actors.data[i]->name;
}

// N of NAME_N as names are made here; 1 of NAME; 0: any other name.
static size_t number_of(const char *name, const char *wanted, size_t length)
{
    if (strncmp(name, wanted, length) != 0)
        return 0;
    const char *rest = name + length;
    if (*rest == '\0')
        return 1;
    if (rest[0] != '_' || rest[1] < '1' || rest[1] > '9' || strlen(rest) > 10)
        return 0;
    size_t number = 0;
    for (rest++; *rest >= '0' && *rest <= '9'; rest++)
        number = number * 10 + (size_t)(*rest - '0');
    return *rest == '\0' && number > 1 ? number : 0;
}

// All names are looked at once, as there may be many that differ in their numbers alone.
static const char *free_name(const sir_module *m, arena *a, const char *wanted, name_at *name, size_t count)
{
    arena *scratch = arena_create();
    size_t length = strlen(wanted), free = 1;
    VEC(size_t) numbers = {0};
    for (size_t i = 0; i < count; i++) {
        size_t number = number_of(name(m, i), wanted, length);
        if (number != 0)
            VEC_PUSH(scratch, &numbers, number);
    }
    bool *taken = ARENA_ARRAY(scratch, bool, numbers.len + 2);
    for (VEC_EACH(size_t, number, &numbers))
        if (*number <= numbers.len)
            taken[*number] = true;
    while (taken[free])
        free++;
    arena_destroy(scratch);
    return free == 1 ? wanted : arena_printf(a, "%s_%zu", wanted, free);
}

const char *pass_unique_filter_name(const sir_module *m, arena *a, const char *wanted)
{
    return free_name(m, a, wanted, filter_name, m->filters.len);
}

const char *pass_unique_actor_name(const sir_module *m, arena *a, const char *wanted)
{
    return free_name(m, a, wanted, actor_name, m->actors.len);
}

// ---- Many names ----

static char taken; // what a name that something has leads to

static void names_init(pass_names *x, arena *a)
{
    hmap_init(&x->taken, a);
    hmap_init(&x->numbers, a);
}

void pass_names_of_filters(pass_names *x, arena *a, const sir_module *m)
{
    names_init(x, a);
    for (size_t i = 0; i < m->filters.len; i++)
        hmap_set(&x->taken, filter_name(m, i), &taken);
}

void pass_names_of_actors(pass_names *x, arena *a, const sir_module *m)
{
    names_init(x, a);
    for (size_t i = 0; i < m->actors.len; i++)
        hmap_set(&x->taken, actor_name(m, i), &taken);
}

void pass_names_add(pass_names *x, const char *name)
{
    hmap_set(&x->taken, name, &taken);
}

const char *pass_names_next(pass_names *x, arena *a, const char *wanted)
{
    if (hmap_get(&x->taken, wanted) == NULL)
        return wanted;
    size_t number = (size_t)hmap_get(&x->numbers, wanted); // all before it are taken
    const char *name = arena_printf(a, "%s_%zu", wanted, number = number == 0 ? 2 : number);
    while (hmap_get(&x->taken, name) != NULL)
        name = arena_printf(a, "%s_%zu", wanted, ++number);
    hmap_set(&x->numbers, wanted, (void *)(uintptr_t)number);
    return name;
}
