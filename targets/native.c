// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --machine=native: this computer as hwloc sees it, with the numbers that svm-characterize measured, or without them
// the costs of a shipped machine.
#include "targets/native.h"

#include <errno.h>
#include <hwloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/strbuf.h"
#include "targets/machine_schema.h"

// ---- What there is ----

static bool read_number(const char *path, double *value)
{
    FILE *f = fopen(path, "r");
    bool ok = f != NULL && fscanf(f, "%lf", value) == 1 && *value > 0 && *value < 1e12;
    if (f != NULL)
        fclose(f);
    return ok;
}

// The clock at full load without the short boosts of single cores, as far as the system tells it.
static double read_clock(void)
{
    double value;
    if (read_number("/sys/devices/system/cpu/cpu0/cpufreq/base_frequency", &value) ||
        read_number("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", &value))
        return value * 1e3;
    FILE *f = fopen("/proc/cpuinfo", "r");
    double clock = 0;
    char line[4096];
    while (f != NULL && clock == 0 && fgets(line, sizeof line, f) != NULL)
        if (strncmp(line, "cpu MHz", 7) == 0 && strchr(line, ':') != NULL)
            clock = strtod(strchr(line, ':') + 1, NULL) * 1e6;
    if (f != NULL)
        fclose(f);
    return clock > 0 && clock < 1e12 ? clock : 0;
}

static uint64_t read_simd_width(void)
{
#ifdef __x86_64__
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") ? 32 : 16;
#else
    return 16;
#endif
}

#ifdef __x86_64__
// Whether -march= names the processor that svmc runs on; from then on __builtin_cpu_supports can be asked.
static bool is_this(const char *march)
{
    __builtin_cpu_init();
    return march != NULL && strcmp(march, "native") == 0;
}
#endif

native_vectors native_vectors_of(const char *march)
{
    static const struct {
        const char *march;
        native_vectors vectors;
    } levels[] = {{"x86-64", {16, 16}}, {"x86-64-v2", {16, 16}}, {"x86-64-v3", {16, 32}}, {"x86-64-v4", {32, 64}}};
    const char *level = march != NULL ? march : "";
#ifdef __x86_64__
    if (is_this(march))
        level = __builtin_cpu_supports("avx512vl") ? "x86-64-v4"
                : __builtin_cpu_supports("avx2")   ? "x86-64-v3"
                                                   : "x86-64";
#endif
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        if (strcmp(level, levels[i].march) == 0)
            return levels[i].vectors;
    return (native_vectors){0};
}

bool native_takes_bytes(const char *march)
{
#ifdef __x86_64__
    return is_this(march) && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vbmi");
#else
    (void)march;
    return false;
#endif
}

// Intel's processors add whole vectors in the units that multiply, so that one operation instead of two halves what a sum of
// products takes; AMD's have units for sums beside those. Measured on Emerald Rapids with -Ofast: fm-receiver 1.5 times faster,
// transform 1.6, resonators, which wait for themselves, 1.4, no program slower; on Zen 4 recursive filters are slower.
bool native_fuses(const char *march)
{
#ifdef __x86_64__
    return is_this(march) && __builtin_cpu_is("intel") && __builtin_cpu_supports("fma");
#else
    (void)march;
    return false;
#endif
}

// Intel's processors since Sapphire Rapids, which are told by their halves: before, what keeps gathers from leaking data made
// them slow; AMD's do them element by element. Measured on Emerald Rapids, tables in the first cache: half of the time.
bool native_gathers(const char *march)
{
#ifdef __x86_64__
    return is_this(march) && __builtin_cpu_is("intel") && __builtin_cpu_supports("avx512fp16");
#else
    (void)march;
    return false;
#endif
}

// NOTE(byte-costs). Counted in what clang 22 makes of svm/byte_lanes.h. By halves of bytes a matrix is two permutations of 16
// bytes; where the processor has instructions for AES, they have the inverse in them; else it is made of those of half a byte.
native_byte_costs native_bytes_of(const char *march)
{
    enum { INVERSE = 26, INVERSE_AES = 11, INVERSE_VAES = 8 };
    native_byte_costs halves = {.lanes = 32, .linear = 6, .inverse = INVERSE, .look_up = 40};
#ifdef __x86_64__
    if (is_this(march)) {
        if (native_takes_bytes(march) && __builtin_cpu_supports("gfni"))
            return (native_byte_costs){.lanes = 64, .linear = 1, .inverse = 1, .look_up = 6};
        if (__builtin_cpu_supports("aes"))
            halves.inverse = __builtin_cpu_supports("vaes") ? INVERSE_VAES : INVERSE_AES;
    }
#endif
    return native_vectors_of(march).bytes >= halves.lanes ? halves : (native_byte_costs){0};
}

// The caches above a core, nearest first.
static void read_caches(arena *a, hwloc_topology_t topology, hwloc_obj_t core, native_topology *t)
{
    for (hwloc_obj_t o = core == NULL ? NULL : core->parent; o != NULL; o = o->parent) {
        if (!hwloc_obj_type_is_dcache(o->type) || o->attr->cache.size < 1024)
            continue;
        int cores = hwloc_get_nbobjs_inside_cpuset_by_type(topology, o->cpuset, HWLOC_OBJ_CORE);
        uint64_t line = o->attr->cache.linesize;
        native_cache c = {.level = o->attr->cache.depth, .size = o->attr->cache.size, .cores = 1};
        c.cores = cores < 1 ? 1 : (size_t)cores;
        c.line = line < 1 || line > 65536 ? 64 : line;
        VEC_PUSH(a, &t->caches, c);
    }
}

static void read_cores(arena *a, hwloc_topology_t topology, native_topology *t)
{
    hwloc_obj_type_t type = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE) > 0 ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
    int count = hwloc_get_nbobjs_by_type(topology, type);
    t->cores = count < 1 ? 1 : (size_t)count;
    int *processors = ARENA_ARRAY(a, int, t->cores);
    for (size_t i = 0; i < t->cores && count > 0; i++) {
        hwloc_obj_t core = hwloc_get_obj_by_type(topology, type, (unsigned)i);
        processors[i] = core->cpuset == NULL ? (int)i : hwloc_bitmap_first(core->cpuset);
    }
    t->processors = processors;
    read_caches(a, topology, hwloc_get_obj_by_type(topology, type, 0), t);
}

static void read_objects(arena *a, hwloc_topology_t topology, native_topology *t)
{
    // What the process may not run on is not there.
    hwloc_bitmap_t allowed = hwloc_bitmap_alloc();
    if (allowed != NULL && hwloc_get_cpubind(topology, allowed, HWLOC_CPUBIND_PROCESS) == 0)
        hwloc_topology_restrict(topology, allowed, 0);
    hwloc_bitmap_free(allowed);
    read_cores(a, topology, t);
    hwloc_obj_t package = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0);
    const char *cpu = package == NULL ? NULL : hwloc_obj_get_info_by_name(package, "CPUModel");
    t->cpu = cpu == NULL ? "a processor without a name" : arena_strdup(a, cpu);
    int numa = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_NUMANODE);
    t->numa_nodes = numa < 1 ? 1 : (uint64_t)numa;
    t->memory = hwloc_get_root_obj(topology)->total_memory;
}

bool native_read_topology(arena *a, diag_engine *d, native_topology *t)
{
    hwloc_topology_t topology;
    *t = (native_topology){.caches_from = "hwloc", .clock = read_clock(), .simd_width = read_simd_width()};
    if (hwloc_topology_init(&topology) != 0) {
        diag_error_at(d, NULL, "cannot read what processors and caches this computer has: %s", strerror(errno));
        return false;
    }
    bool ok = hwloc_topology_load(topology) == 0;
    if (ok)
        read_objects(a, topology, t);
    else
        diag_error_at(d, NULL, "cannot read what processors and caches this computer has: %s", strerror(errno));
    hwloc_topology_destroy(topology);
    if (t->memory < 1 << 20) // not told
        t->memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    return ok;
}

// ---- Costs of a shipped machine ----

static const char *time_text(arena *a, machine_time t)
{
    if (t.amount < 0)
        return NULL;
    return t.in_cycles ? arena_printf(a, "%g cycles", t.amount) : arena_printf(a, "%g ns", t.amount * 1e9);
}

static const char *bandwidth_text(arena *a, machine_bandwidth b, double from, double to)
{
    return arena_printf(a, "%.4g GB/s", (b.per_cycle ? b.bytes * to : b.bytes / from * to) / 1e9);
}

// A time of the model at this computer's clock.
static native_value scaled(arena *a, machine_time t, double ratio, const char *comment)
{
    if (!t.in_cycles && t.amount > 0)
        t.amount /= ratio;
    return (native_value){time_text(a, t), comment};
}

static native_memory_values memory_values(arena *a, const machine_memory *m, double ratio, const char *comment)
{
    double clock = m->clock == 0 ? 1e9 : m->clock;
    bool dram = m->kind == MACHINE_memory_kind_RAM; // its speed does not follow the processor's clock
    machine_time latency = {machine_seconds(m->latency, clock) / (dram ? 1 : ratio), false};
    double to = dram ? 1 : ratio, one = 1;
    machine_bandwidth s = {machine_bytes_per_second(m->sequential, clock), false};
    machine_bandwidth r = {machine_bytes_per_second(m->random, clock), false};
    return (native_memory_values){{time_text(a, latency), comment},
                                  {bandwidth_text(a, s, one, to), comment},
                                  {bandwidth_text(a, r, one, to), comment}};
}

static void set_processor(arena *a, native_description *n, const machine *m, double ratio, const char *comment)
{
    const machine_processor *core = machine_processor_by_name(m, "CORE0"), *dma = machine_processor_by_name(m, "DMA0");
    for (machine_operation op = 0; op < MACHINE_OP_COUNT; op++)
        n->operations[op] = scaled(a, core->operations.of[op], ratio, comment);
    n->registers = (native_value){arena_printf(a, "%llu", (unsigned long long)core->registers), comment};
    n->kernel_start = scaled(a, core->kernel_start, ratio, comment);
    n->kernel_stop = scaled(a, core->kernel_stop, ratio, comment);
    n->dma_start = scaled(a, dma->kernel_start, ratio, comment);
    n->dma_stop = scaled(a, dma->kernel_stop, ratio, comment);
    n->push_acquire = scaled(a, core->push_acquire, ratio, comment);
    n->pop_discard = scaled(a, core->pop_discard, ratio, comment);
    if (m->links.len == 0)
        return;
    n->push_fixed = scaled(a, core->push_send.fixed, ratio, comment);
    n->pop_fixed = scaled(a, core->pop_acquire.fixed, ratio, comment);
    n->push_unit = n->pop_unit = (native_value){"64 B", comment};
    n->push_per_unit = n->pop_per_unit = (native_value){"0 ns", comment};
    const machine_link *link = &m->links.data[0];
    n->link_latency = scaled(a, link->start_latency, ratio, comment);
    n->link_bandwidth = (native_value){bandwidth_text(a, link->bandwidth, 1, ratio), comment};
}

// The cache of the model at the same level, or its last.
static const machine_memory *model_cache(const machine *m, size_t level)
{
    const machine_processor *core = machine_processor_by_name(m, "CORE0");
    size_t i = level < core->caches.len ? level : core->caches.len - 1;
    return &m->memories.data[core->caches.data[i].index];
}

// Structure from hwloc, costs from a model, a shipped machine whose elements have the same names.
static const char *describe(arena *a, const native_topology *t, const machine *m)
{
    double model_clock = machine_processor_by_name(m, "CORE0")->clock, clock = t->clock > 0 ? t->clock : model_clock;
    const char *comment = arena_printf(a, "%s's", m->name);
    native_description n = {.topology = t, .cores = t->cores};
    n.head =
        "# This computer: hwloc's cores, caches and memory. No costs have been measured; svm-characterize does that.\n";
    n.summary = "this computer, not measured";
    n.source = arena_printf(a, "hwloc on %s; costs of %s", t->cpu, m->name);
    n.clock = (native_value){arena_printf(a, "%.6g GHz", clock / 1e9), t->clock > 0 ? "the system's" : comment};
    n.simd_width = (native_value){arena_printf(a, "%llu B", (unsigned long long)t->simd_width), "of this processor"};
    n.register_size = n.simd_width;
    n.memory = memory_values(a, machine_memory_by_name(m, "GMEM"), clock / model_clock, comment);
    n.caches = ARENA_ARRAY(a, native_memory_values, t->caches.len + 1);
    for (size_t i = 0; i < t->caches.len; i++)
        n.caches[i] = memory_values(a, model_cache(m, i), clock / model_clock, comment);
    set_processor(a, &n, m, clock / model_clock, comment);
    strbuf b;
    strbuf_init(&b, a);
    native_write(&n, &b);
    return b.data;
}

// ---- The machine ----

const char *native_path(arena *a)
{
    const char *told = getenv("SVMC_NATIVE"), *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    if (told != NULL && told[0] != '\0')
        return told;
    if (config != NULL && config[0] == '/')
        return arena_printf(a, "%s/svmc/native.yaml", config);
    return home == NULL || home[0] == '\0' ? NULL : arena_printf(a, "%s/.config/svmc/native.yaml", home);
}

// A file of another computer is worth a warning, not an error: one may want to compile for that one.
static void check_is_this(diag_engine *d, const machine *m, const native_topology *t, src_range used_at)
{
    size_t cores = 0;
    for (VEC_EACH(machine_processor, p, &m->processors))
        cores += p->kind == MACHINE_processor_kind_KERNEL;
    diag_record *w = NULL;
    if (strstr(m->source, t->cpu) == NULL)
        w = diag_warning(d, WARN_NATIVE, used_at,
                         "the measurements of --machine=native are of another processor than '%s'", t->cpu);
    else if (cores > t->cores)
        w = diag_warning(d, WARN_NATIVE, used_at,
                         "the measurements of --machine=native have %zu kernel processors, but %zu can be used", cores,
                         t->cores);
    if (w != NULL)
        diag_add_note(d, w, (src_range){0}, "they are in '%s'; svm-characterize makes them anew",
                      source_get(d->sources, m->file)->name);
}

static machine *from_topology(arena *a, diag_engine *d, const char *directory, const native_topology *t,
                              src_range used_at)
{
    const machine *model = machine_find(a, d, directory, t->cores > 1 ? "host-4" : "host", used_at);
    if (model == NULL)
        return NULL;
    const char *text = describe(a, t, model);
    diag_record *w =
        diag_warning(d, WARN_NATIVE, used_at,
                     "this computer has not been measured; --machine=native has the costs of '%s'", model->name);
    diag_add_note(d, w, (src_range){0}, "svm-characterize measures it, once");
    return machine_parse(a, d, source_add(d->sources, "<native>", text, strlen(text)));
}

machine *native_machine(arena *a, diag_engine *d, const char *directory, src_range used_at)
{
    native_topology t;
    if (!native_read_topology(a, d, &t))
        return NULL;
    const char *path = native_path(a), *told = getenv("SVMC_NATIVE");
    bool must = told != NULL && told[0] != '\0';
    source_id file = path == NULL ? 0 : source_read(d->sources, path);
    if (file == 0 && path != NULL && (must || (errno != ENOENT && errno != ENOTDIR))) {
        diag_error(d, used_at, "cannot read machine file '%s': %s", path, strerror(errno));
        return NULL;
    }
    if (file == 0)
        return from_topology(a, d, directory, &t, used_at);
    machine *m = machine_parse(a, d, file);
    if (m != NULL && strcmp(m->name, "native") != 0) {
        diag_error(d, machine_value_range(&(machine_element){.entry = m->entry}, "machine"),
                   "this file is read for --machine=native, but describes '%s'", m->name);
        return NULL;
    }
    if (m != NULL)
        check_is_this(d, m, &t, used_at);
    return m;
}
