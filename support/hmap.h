// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hash maps in an arena, iterated in insertion order (so that output never depends on addresses), and interned
// strings.
#ifndef SVMC_SUPPORT_HMAP_H
#define SVMC_SUPPORT_HMAP_H

#include <stdbool.h>
#include <stdint.h>

#include "support/arena.h"

// A map from byte strings to pointers. A zeroed hmap is not valid; use hmap_init.
typedef struct hmap_entry {
    const char *key; // owned by the map's arena, NUL-terminated after key_len bytes
    size_t key_len;
    uint64_t hash;
    void *value;
} hmap_entry;

typedef struct hmap {
    arena *arena;
    hmap_entry *entries; // in insertion order
    size_t len, cap;
    uint32_t *slots; // open addressing; index + 1 into entries, 0 is free
    size_t slot_count;
} hmap;

void hmap_init(hmap *m, arena *a);
void *hmap_get(const hmap *m, const char *key);                  // NULL when absent
void *hmap_getn(const hmap *m, const void *key, size_t key_len); // key of any bytes
void hmap_set(hmap *m, const char *key, void *value);            // inserts or replaces; copies the key
void hmap_setn(hmap *m, const void *key, size_t key_len, void *value);
uint64_t hash_bytes(const void *data, size_t n, uint64_t seed);

// Interned strings: equal text, equal pointer. All identifiers of AST and IR are interned.
typedef struct interner {
    hmap map;
} interner;

void interner_init(interner *in, arena *a);
const char *intern(interner *in, const char *s);
const char *internn(interner *in, const char *s, size_t n);
const char *interned(const interner *in, const char *s); // NULL: nobody has interned such a text

#endif
