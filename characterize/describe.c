// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What was measured as a machine file: targets/native.h's description of this computer with the numbers in it.
#include <string.h>

#include "characterize/characterize.h"
#include "support/strbuf.h"

#ifdef __x86_64__
enum { REGISTERS = 16, WIDE_REGISTERS = 32 };
#else
enum { REGISTERS = 32, WIDE_REGISTERS = 32 };
#endif

static unsigned registers(const settings *s)
{
    return s->width == 64 ? WIDE_REGISTERS : REGISTERS;
}

static const char *spread_text(arena *a, const char *what, measurement m)
{
    return arena_printf(a, "%s%sspread %.0f %%", what, what[0] == '\0' ? "" : "; ", m.spread * 100);
}

static native_value nanoseconds(arena *a, double seconds, const char *comment)
{
    return (native_value){arena_printf(a, "%.4g ns", seconds * 1e9), comment};
}

static native_value bandwidth(arena *a, measurement byte, const char *what)
{
    return (native_value){arena_printf(a, "%.4g GB/s", 1e-9 / byte.seconds), spread_text(a, what, byte)};
}

static native_memory_values level_values(arena *a, const data_level *l, const char *set)
{
    const char *of = arena_printf(a, "reads of %s", set);
    return (native_memory_values){
        nanoseconds(a, l->latency.seconds,
                    spread_text(a, arena_printf(a, "each read gives the next, %s", set), l->latency)),
        bandwidth(a, l->sequential, arena_printf(a, "%s in order", of)),
        bandwidth(a, l->random, arena_printf(a, "%s at random, 8 B each", of)),
    };
}

// hwloc may know a cache that no set of data was made for; its neighbour's numbers stand in then.
static native_memory_values cache_values(arena *a, const results *r, size_t i)
{
    for (size_t k = i; k < r->topology.caches.len && k < MAX_CACHES; k++)
        if (r->data.caches[k].latency.seconds > 0)
            return level_values(a, &r->data.caches[k], k == i ? "a set that fits" : "a set of the next cache");
    return level_values(a, &r->data.memory, "a set in memory");
}

static native_value operation_value(arena *a, const results *r, machine_operation op)
{
    int width = 0;
    for (int w = 0; w < WIDTHS; w++)
        if (operation_widths[w] == r->settings.width && r->operations.of[op][w].seconds > 0)
            width = w;
    measurement m = r->operations.of[op][width];
    const char *what = width == 0 ? "scalar" : arena_printf(a, "vectors of %u B", operation_widths[width]);
    return (native_value){arena_printf(a, "%.3g cycles", m.seconds / r->cycle.seconds), spread_text(a, what, m)};
}

// Steps from the curve beyond the registers that there are; the rate before them is taken as the best.
static const char *pressure_text(arena *a, const results *r)
{
    strbuf b;
    strbuf_init(&b, a);
    const curve *c = &r->registers.curves.data[0];
    double best = 0;
    for (VEC_EACH(const curve_point, p, &c->points))
        best = p->x <= registers(&r->settings) && p->y > best ? p->y : best;
    strbuf_printf(&b, "[[%u, 1]", registers(&r->settings));
    for (VEC_EACH(const curve_point, p, &c->points))
        if (p->x > registers(&r->settings))
            strbuf_printf(&b, ", [%g, %.2f]", p->x, p->y < best ? best / p->y : 1);
    strbuf_add(&b, "]");
    return b.data;
}

static void set_runtime(arena *a, const results *r, native_description *n)
{
    bool several = n->cores > 1;
    const runtime_results *u = several ? &r->threads : &r->one_thread;
    const char *how = several ? "a thread a processor" : "one thread";
    double share = u->start / u->run_wait.seconds;
    n->kernel_start = nanoseconds(
        a, u->start,
        spread_text(a, arena_printf(a, "before an empty kernel that is run and waited for, %s", how), u->run_wait));
    n->kernel_stop = nanoseconds(a, u->stop, "after it");
    n->dma_start = nanoseconds(a, u->transfer.seconds * share, spread_text(a, "a move of 64 B", u->transfer));
    n->dma_stop = nanoseconds(a, u->transfer.seconds * (1 - share), "divided as a kernel's");
}

static void set_streams(arena *a, const results *r, native_description *n)
{
    const core_results *c = &r->cores;
    n->push_acquire = nanoseconds(a, c->push_acquire.seconds, spread_text(a, "without waiting", c->push_acquire));
    n->push_fixed = nanoseconds(a, c->push_send.seconds, spread_text(a, "without waiting", c->push_send));
    n->pop_fixed = nanoseconds(a, c->pop_acquire.seconds, spread_text(a, "without waiting", c->pop_acquire));
    n->pop_discard = nanoseconds(a, c->pop_discard.seconds, spread_text(a, "without waiting", c->pop_discard));
    n->push_unit = n->pop_unit = (native_value){"16 KiB", NULL};
    n->push_per_unit = n->pop_per_unit = (native_value){"0 ns", "blocks stay where they are, in shared memory"};
    if (!c->two) { // more processors are asked for than this computer has
        n->link_latency =
            nanoseconds(a, r->data.memory.latency.seconds, "not measured, for want of a second core: memory's");
        n->link_bandwidth = bandwidth(a, r->data.memory.sequential, "not measured: memory's");
        return;
    }
    double calls = c->push_acquire.seconds + c->push_send.seconds + c->pop_acquire.seconds + c->pop_discard.seconds;
    double latency = c->latency.seconds > 2 * calls ? c->latency.seconds - calls : c->latency.seconds / 2;
    n->link_latency =
        nanoseconds(a, latency, spread_text(a, "half of 64 B there and back, less the calls", c->latency));
    n->link_bandwidth = (native_value){arena_printf(a, "%.4g GB/s", c->bandwidth * 1e-9),
                                       "slope of the time of blocks of 4 KiB and more"};
}

// "32 KiB, 512 KiB"
static const char *levels_text(arena *a, const results *r)
{
    uint64_t sizes[MAX_CACHES];
    size_t levels = find_levels(&r->data.latency.curves.data[0], sizes);
    strbuf b;
    strbuf_init(&b, a);
    for (size_t i = 0; i < levels; i++)
        strbuf_printf(&b, "%s%llu KiB", i == 0 ? "" : ", ", (unsigned long long)(sizes[i] >> 10));
    return levels == 0 ? "nowhere" : b.data;
}

static const char *head(arena *a, const results *r)
{
    strbuf b;
    strbuf_init(&b, a);
    strbuf_printf(
        &b,
        "# Measured by svm-characterize in %.0f s: each number is the least of %u repetitions in %u rounds. The "
        "spread is how far the\n# median of a round's repetitions was above it. Memory is a set of %llu MiB; "
        "copying it gives %.4g GB/s.\n# The time of an access rises beyond sets of %s.\n",
        r->seconds, r->settings.repetitions * r->settings.rounds, r->settings.rounds,
        (unsigned long long)(r->data.largest >> 20), 1e-9 / r->data.copy.seconds, levels_text(a, r));
    if (r->load > 0.5)
        strbuf_printf(
            &b,
            "# The computer was doing other work: %.1f processes for %zu cores. What takes two cores at a time "
            "suffers most.\n",
            r->load, r->topology.cores);
    return b.data;
}

const char *describe(arena *a, const results *r)
{
    const native_topology *t = &r->topology;
    const char *width = arena_printf(a, "%u B", r->settings.width);
    native_description n = {.topology = t, .cores = r->settings.processors, .head = head(a, r)};
    n.summary = arena_printf(a, "%s, %zu core%s, as measured", t->cpu, n.cores, n.cores == 1 ? "" : "s");
    n.source = arena_printf(a, "svm-characterize%s on %s", r->settings.quick ? " --quick" : "", t->cpu);
    n.clock = (native_value){arena_printf(a, "%.4g GHz", 1e-9 / r->cycle.seconds),
                             spread_text(a, "a chain of additions, a cycle each", r->cycle)};
    n.memory = level_values(a, &r->data.memory, "a set in memory");
    n.caches = ARENA_ARRAY(a, native_memory_values, t->caches.len + 1);
    for (size_t i = 0; i < t->caches.len; i++)
        n.caches[i] = cache_values(a, r, i);
    n.simd_width = (native_value){width, "what the costs below are of"};
    n.registers = (native_value){arena_printf(a, "%u", registers(&r->settings)), "the instruction set's"};
    n.register_size = (native_value){width, NULL};
    n.register_pressure = (native_value){pressure_text(a, r), "rate of products of so many values"};
    for (machine_operation op = 0; op < MACHINE_OP_COUNT; op++)
        n.operations[op] = operation_value(a, r, op);
    set_runtime(a, r, &n);
    set_streams(a, r, &n);
    strbuf b;
    strbuf_init(&b, a);
    native_write(&n, &b);
    return b.data;
}
