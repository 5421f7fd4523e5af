// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hash maps: entries in insertion order and a table of indices into them, probed linearly, at most three quarters full.
#include "support/hmap.h"

#include <string.h>

static uint64_t mix(uint64_t h)
{
    h ^= h >> 32;
    h *= 0x9e3779b97f4a7c15u;
    h ^= h >> 29;
    return h;
}

uint64_t hash_bytes(const void *data, size_t n, uint64_t seed)
{
    const unsigned char *p = data;
    uint64_t h = seed ^ (n * 0xff51afd7ed558ccdu);
    for (; n >= 8; n -= 8, p += 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        h = mix(h ^ word) * 0xc4ceb9fe1a85ec53u;
    }
    uint64_t tail = 0;
    for (size_t i = 0; i < n; i++)
        tail |= (uint64_t)p[i] << (8 * i);
    return mix(mix(h ^ tail) + 0x632be59bd9b4e019u);
}

void hmap_init(hmap *m, arena *a)
{
    *m = (hmap){.arena = a};
}

// The slot that holds the key, or the free one where it belongs.
static size_t find_slot(const hmap *m, const void *key, size_t key_len, uint64_t hash)
{
    size_t mask = m->slot_count - 1;
    for (size_t i = hash & mask;; i = (i + 1) & mask) {
        if (m->slots[i] == 0)
            return i;
        const hmap_entry *e = &m->entries[m->slots[i] - 1];
        if (e->hash == hash && e->key_len == key_len && (key_len == 0 || memcmp(e->key, key, key_len) == 0))
            return i;
    }
}

static void grow(hmap *m)
{
    size_t slots = m->slot_count == 0 ? 16 : m->slot_count * 2;
    m->slots = ARENA_ARRAY(m->arena, uint32_t, slots);
    m->slot_count = slots;
    for (size_t i = 0; i < m->len; i++) {
        size_t s = m->entries[i].hash & (slots - 1);
        while (m->slots[s] != 0)
            s = (s + 1) & (slots - 1);
        m->slots[s] = (uint32_t)i + 1;
    }
    size_t cap = slots / 4 * 3;
    hmap_entry *entries = ARENA_ARRAY(m->arena, hmap_entry, cap);
    if (m->len > 0)
        memcpy(entries, m->entries, m->len * sizeof *entries);
    m->entries = entries;
    m->cap = cap;
}

// The key's entry, added with no value when it was absent.
static hmap_entry *entry_of(hmap *m, const void *key, size_t key_len)
{
    uint64_t hash = hash_bytes(key, key_len, 0);
    if (m->slot_count > 0) {
        size_t s = find_slot(m, key, key_len, hash);
        if (m->slots[s] != 0)
            return &m->entries[m->slots[s] - 1];
    }
    if (m->len == m->cap)
        grow(m);
    m->slots[find_slot(m, key, key_len, hash)] = (uint32_t)m->len + 1;
    hmap_entry *e = &m->entries[m->len++];
    *e = (hmap_entry){.key = arena_strndup(m->arena, key, key_len), .key_len = key_len, .hash = hash};
    return e;
}

void *hmap_getn(const hmap *m, const void *key, size_t key_len)
{
    if (m->len == 0)
        return NULL;
    size_t s = find_slot(m, key, key_len, hash_bytes(key, key_len, 0));
    return m->slots[s] == 0 ? NULL : m->entries[m->slots[s] - 1].value;
}

void *hmap_get(const hmap *m, const char *key)
{
    return hmap_getn(m, key, strlen(key));
}

void hmap_setn(hmap *m, const void *key, size_t key_len, void *value)
{
    entry_of(m, key, key_len)->value = value;
}

void hmap_set(hmap *m, const char *key, void *value)
{
    hmap_setn(m, key, strlen(key), value);
}

void interner_init(interner *in, arena *a)
{
    hmap_init(&in->map, a);
}

const char *internn(interner *in, const char *s, size_t n)
{
    return entry_of(&in->map, s, n)->key;
}

const char *intern(interner *in, const char *s)
{
    return internn(in, s, strlen(s));
}

const char *interned(const interner *in, const char *s)
{
    const hmap *m = &in->map;
    size_t n = strlen(s);
    uint32_t slot = m->len == 0 ? 0 : m->slots[find_slot(m, s, n, hash_bytes(s, n, 0))];
    return slot == 0 ? NULL : m->entries[slot - 1].key;
}
