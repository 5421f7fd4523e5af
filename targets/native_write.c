// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes this computer as a machine file, each number with where it comes from.
#include <stdarg.h>
#include <string.h>

#include "targets/native.h"

enum { COMMENT_COLUMN = 44 };

static void add_line(strbuf *out, const char *comment, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void add_line(strbuf *out, const char *comment, const char *format, ...)
{
    size_t start = out->len;
    va_list args;
    va_start(args, format);
    strbuf_vprintf(out, format, args);
    va_end(args);
    if (comment != NULL && comment[0] != '\0') {
        size_t width = out->len - start;
        strbuf_pad(out, ' ', width < COMMENT_COLUMN ? COMMENT_COLUMN - width : 1);
        strbuf_printf(out, "# %s", comment);
    }
    strbuf_addc(out, '\n');
}

static void add_value(strbuf *out, int indent, const char *key, native_value v)
{
    if (v.text != NULL)
        add_line(out, v.comment, "%*s%s: %s", indent, "", key, v.text);
}

static void add_text(strbuf *out, const char *key, const char *text)
{
    strbuf_printf(out, "%s: ", key);
    strbuf_add_quoted(out, text, strlen(text));
    strbuf_addc(out, '\n');
}

static size_t sharers(const native_description *n, const native_cache *c)
{
    return c->cores < 1 ? 1 : c->cores > n->cores ? n->cores : c->cores;
}

static size_t cache_count(const native_description *n, const native_cache *c)
{
    return (n->cores + sharers(n, c) - 1) / sharers(n, c);
}

// A level's name; its elements' numbers follow it where there are several.
static const char *cache_name(arena *a, const native_description *n, const native_cache *c)
{
    return c->level == 1 ? "L1D" : arena_printf(a, "L%u%s", c->level, cache_count(n, c) > 1 ? "_" : "");
}

// The caches of all cores ("L1D#"), or those of core 0 ("L1D0").
static const char *cache_list(arena *a, const native_description *n, bool first)
{
    strbuf b;
    strbuf_init(&b, a);
    for (VEC_EACH(const native_cache, c, &n->topology->caches)) {
        strbuf_printf(&b, "%s%s", b.len == 0 ? "" : ", ", cache_name(a, n, c));
        if (cache_count(n, c) > 1)
            strbuf_add(&b, first ? "0" : sharers(n, c) == 1 ? "#" : arena_printf(a, "#/%zu", sharers(n, c)));
    }
    return b.data;
}

static void add_memory_values(strbuf *out, const native_memory_values *v)
{
    add_value(out, 4, "latency", v->latency);
    add_value(out, 4, "sequential-bandwidth", v->sequential);
    add_value(out, 4, "random-bandwidth", v->random);
}

static void add_memories(strbuf *out, const native_description *n)
{
    const native_topology *t = n->topology;
    strbuf_add(out, "\nmemories:\n");
    add_line(out, t->numa_nodes > 1 ? "main memory, of all NUMA nodes together" : "main memory", "  GMEM:");
    add_line(out, NULL, "    kind: ram");
    add_line(out, "hwloc", "    size: %llu MiB", (unsigned long long)(t->memory >> 20));
    add_line(out, "a cache line", "    alignment: 64 B");
    add_memory_values(out, &n->memory);
    for (size_t i = 0; i < t->caches.len; i++) {
        const native_cache *c = &t->caches.data[i];
        add_line(out, sharers(n, c) > 1 ? arena_printf(out->arena, "shared by %zu cores", sharers(n, c)) : NULL,
                 "  %s:", cache_name(out->arena, n, c));
        add_line(out, NULL, "    kind: cache");
        if (cache_count(n, c) > 1)
            add_line(out, NULL, "    count: %zu", cache_count(n, c));
        add_line(out, NULL, "    of: GMEM");
        add_line(out, t->caches_from, "    size: %llu KiB", (unsigned long long)(c->size >> 10));
        add_line(out, t->caches_from, "    line: %llu B", (unsigned long long)c->line);
        add_line(out, NULL, "    coherent-with: [GMEM]");
        add_memory_values(out, &n->caches[i]);
    }
}

static void add_staircase(strbuf *out, const char *key, native_value fixed, native_value unit, native_value per_unit)
{
    if (fixed.text == NULL)
        return;
    strbuf_printf(out, "    %s:\n", key);
    add_value(out, 6, "fixed", fixed);
    add_value(out, 6, "unit", unit);
    add_value(out, 6, "per-unit", per_unit);
}

static void add_core(strbuf *out, const native_description *n)
{
    if (n->cores > 1)
        strbuf_printf(out, "  CORE:\n    kind: kernel\n    count: %zu\n", n->cores);
    else
        strbuf_add(out, "  CORE0:\n    kind: kernel\n");
    add_value(out, 4, "clock", n->clock);
    strbuf_add(out, "    masters: [CPU]\n    memories: [GMEM]\n");
    if (n->topology->caches.len > 0)
        strbuf_printf(out, "    caches: [%s]\n", cache_list(out->arena, n, false));
    strbuf_add(out, "    io: true\n");
    add_value(out, 4, "simd-width", n->simd_width);
    add_value(out, 4, "registers", n->registers);
    add_value(out, 4, "register-size", n->register_size);
    add_value(out, 4, "register-pressure", n->register_pressure);
    add_value(out, 4, "kernel-start", n->kernel_start);
    add_value(out, 4, "kernel-stop", n->kernel_stop);
    add_value(out, 4, "push-acquire", n->push_acquire);
    add_staircase(out, "push-send", n->push_fixed, n->push_unit, n->push_per_unit);
    add_staircase(out, "pop-acquire", n->pop_fixed, n->pop_unit, n->pop_per_unit);
    add_value(out, 4, "pop-discard", n->pop_discard);
    strbuf_add(out, "    operations:\n");
    for (machine_operation op = 0; op < MACHINE_OP_COUNT; op++)
        add_value(out, 6, machine_operation_text(op), n->operations[op]);
}

void native_write(const native_description *n, strbuf *out)
{
    arena *a = out->arena;
    strbuf_printf(out, "# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n%smachine: native\n", n->head);
    add_text(out, "summary", n->summary);
    add_text(out, "source", n->source);
    add_memories(out, n);
    strbuf_add(out, "\nprocessors:\n  CPU:\n    kind: control\n");
    add_value(out, 4, "clock", n->clock);
    strbuf_add(out, "    memories: [GMEM]\n");
    if (n->topology->caches.len > 0)
        strbuf_printf(out, "    caches: [%s]\n", cache_list(a, n, true));
    strbuf_add(out, "    io: true\n");
    add_core(out, n);
    add_line(out, "a copy by a processor", "  DMA0:");
    strbuf_add(out, "    kind: dma\n");
    add_value(out, 4, "clock", n->clock);
    strbuf_add(out, "    masters: [CPU]\n    memories: [GMEM]\n");
    add_value(out, 4, "kernel-start", n->dma_start);
    add_value(out, 4, "kernel-stop", n->dma_stop);
    if (n->cores < 2)
        return;
    strbuf_printf(out, "\nlinks:\n  CORES:\n    elements: [CPU, CORE*]\n    channels: %zu\n", n->cores);
    add_value(out, 4, "start-latency", n->link_latency);
    add_value(out, 4, "bandwidth", n->link_bandwidth);
}
