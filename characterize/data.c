// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bandwidth and latency of caches and memory: reading in order, at strides and at random from sets of data of growing
// size (figure 8 of the SVM paper), and copying.
#include "characterize/characterize.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>

enum { LINE = 64, STREAMS = 8, ROW = 8 };

// The memory that is read, and where an experiment goes on.
typedef struct data_set {
    char *data;
    uint64_t bytes;  // of it that is used
    uint64_t stride; // bytes
    uint64_t at;     // of the next read at a stride
    uint64_t seed;   // of the next reads at random
    void *chain;     // the next line of the chain
} data_set;

// ---- Reading in order ----

// n vectors of 64 bytes, from the beginning again and again. Sixteen bytes at a time are enough to fill any port when
// two or three are loaded a cycle; the 32 bytes that AVX has are taken where they are.
typedef float f16 __attribute__((vector_size(16)));
#if defined __aarch64__
#define SINK(r) __asm__ volatile("" : : "w"(r))
#elif defined __x86_64__
#define SINK(r) __asm__ volatile("" : : "x"(r))
#else
#define SINK(r) __asm__ volatile("" : : "m"(r))
#endif

static void read_lines(void *context, uint64_t n)
{
    const data_set *set = context;
    uint64_t lines = set->bytes / LINE;
    while (n > 0) {
        uint64_t count = n < lines ? n : lines;
        const f16 *p = (const f16 *)set->data;
        n -= count;
#pragma GCC unroll 4
        for (; count > 0; count--, p += 4) {
            f16 a = p[0], b = p[1], c = p[2], d = p[3];
            SINK(a);
            SINK(b);
            SINK(c);
            SINK(d);
        }
    }
}

#ifdef __x86_64__
typedef float f32 __attribute__((vector_size(32)));
__attribute__((target("avx2"))) static void read_lines_32(void *context, uint64_t n)
{
    const data_set *set = context;
    uint64_t lines = set->bytes / LINE;
    while (n > 0) {
        uint64_t count = n < lines ? n : lines;
        const f32 *p = (const f32 *)set->data;
        n -= count;
#pragma GCC unroll 4
        for (; count > 0; count--, p += 2) {
            f32 a = p[0], b = p[1];
            SINK(a);
            SINK(b);
        }
    }
}
#endif

static work_function *line_reader(void)
{
#ifdef __x86_64__
    if (operations_have_width(32))
        return read_lines_32;
#endif
    return read_lines;
}

// ---- Reading at strides, at random, and along a chain ----

// n rows of eight reads, from where the last ones ended. Each pass over the set begins a word later than the one
// before, so that all of it is read in the end.
static void read_strided(void *context, uint64_t n)
{
    data_set *set = context;
    uint64_t stride = set->stride, row = ROW * stride, sum = 0;
    while (n > 0) {
        uint64_t rows = (set->bytes - set->at) / row, count = n < rows ? n : rows;
        const char *p = set->data + set->at;
        n -= count;
        set->at += count * row;
        for (; count > 0; count--, p += row)
#pragma GCC unroll 8
            for (uint64_t i = 0; i < ROW; i++)
                sum += *(const uint64_t *)(p + i * stride);
        if (set->at + row > set->bytes)
            set->at = (set->at + sizeof sum) % stride;
    }
    __asm__ volatile("" : : "r"(sum));
}

// Each of the streams has its own sequence of numbers, so that no read waits for another.
static void read_random(void *context, uint64_t n)
{
    data_set *set = context;
    const uint64_t *data = (const uint64_t *)set->data;
    uint64_t mask = set->bytes / sizeof *data - 1, state[STREAMS], sum = 0;
    for (int i = 0; i < STREAMS; i++)
        state[i] = UINT64_C(0x9e3779b97f4a7c15) * (uint64_t)(i + 1) + set->seed;
    for (; n > 0; n--)
#pragma GCC unroll 8
        for (int i = 0; i < STREAMS; i++) {
            state[i] = state[i] * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            sum += data[(state[i] >> 30) & mask];
        }
    __asm__ volatile("" : : "r"(sum));
    set->seed = state[0];
}

// Makes each line point to another, all in one ring: a generator of full period gives the order, which no prefetcher
// knows. The number of lines is a power of two.
static void make_chain(data_set *set)
{
    uint64_t lines = set->bytes / LINE, mask = lines - 1;
    for (uint64_t i = 0; i < lines; i++)
        *(void **)(set->data + i * LINE) = set->data + ((i * 1664525 + 1013904223) & mask) * LINE;
    set->chain = set->data;
}

static void follow_chain(void *context, uint64_t n)
{
    data_set *set = context;
    void *p = set->chain;
    for (; n > 0; n--)
        p = *(void **)p;
    __asm__ volatile("" : "+r"(p));
    set->chain = p;
}

// n copies of half of the set to the other half.
static void copy_half(void *context, uint64_t n)
{
    const data_set *set = context;
    for (; n > 0; n--) {
        memcpy(set->data + set->bytes / 2, set->data, set->bytes / 2);
        __asm__ volatile("" : : "r"(set->data) : "memory");
    }
}

// ---- One size ----

static measurement sequential_of(const settings *s, data_set *set)
{
    // Whole passes, so that what the last one left in a cache is no more than its share.
    uint64_t lines = set->bytes / LINE, passes = (uint64_t)(s->seconds * 20e9 / (double)set->bytes) + 1;
    return measure_times(s, line_reader(), set, lines * passes, LINE);
}

static measurement copy_of(const settings *s, data_set *set)
{
    uint64_t passes = (uint64_t)(s->seconds * 10e9 / (double)(set->bytes / 2)) + 1;
    return measure_times(s, copy_half, set, passes, (double)set->bytes / 2);
}

static measurement latency_of(const settings *s, data_set *set)
{
    make_chain(set);
    return measure(s, follow_chain, set, 1);
}

static measurement random_of(const settings *s, data_set *set)
{
    return measure(s, read_random, set, STREAMS * 8.0);
}

static data_level level_of(const settings *s, data_set *set)
{
    data_level level = {.sequential = sequential_of(s, set), .random = random_of(s, set)};
    level.latency = latency_of(s, set);
    return level;
}

static uint64_t power_of_two_below(uint64_t x)
{
    uint64_t p = 1;
    while (p <= x / 2)
        p *= 2;
    return p;
}

// ---- Levels, and curves ----

// A set that the cache holds and nearer ones do not: four times the one before, if that is not more than half of it.
// (Half of the last cache may be more than this computer's share of it.)
static uint64_t set_for(const native_topology *t, size_t i)
{
    uint64_t size = t->caches.data[i].size, wanted = i == 0 ? size / 2 : 4 * t->caches.data[i - 1].size;
    return power_of_two_below(wanted <= size / 2 ? wanted : size);
}

static void measure_levels(const settings *s, const native_topology *t, data_set *set, data_results *r)
{
    for (size_t i = 0; i < t->caches.len && i < MAX_CACHES; i++) {
        set->bytes = set_for(t, i);
        if (set->bytes >= 4096 && set->bytes <= r->largest)
            r->caches[i] = level_of(s, set);
    }
    set->bytes = r->largest;
    r->memory = level_of(s, set);
    r->copy = copy_of(s, set);
}

static void draw_sizes(const settings *s, arena *a, data_set *set, data_results *r)
{
    figure *f = &r->bandwidth;
    enum { SEQUENTIAL, RANDOM, COPY };
    figure_add(a, f, "in order");
    figure_add(a, f, "8 B at random");
    figure_add(a, f, "copied");
    figure_add(a, &r->latency, "one access after the other");
    for (uint64_t bytes = 4096; bytes <= r->largest; bytes *= s->quick ? 4 : 2) {
        set->bytes = bytes;
        measurement m = sequential_of(s, set);
        curve_add(a, &f->curves.data[SEQUENTIAL], (double)bytes, 1e-9 / m.seconds, m.spread);
        m = random_of(s, set);
        curve_add(a, &f->curves.data[RANDOM], (double)bytes, 1e-9 / m.seconds, m.spread);
        m = copy_of(s, set);
        curve_add(a, &f->curves.data[COPY], (double)bytes, 1e-9 / m.seconds, m.spread);
        m = latency_of(s, set);
        curve_add(a, &r->latency.curves.data[0], (double)bytes, m.seconds * 1e9, m.spread);
    }
}

static void draw_strides(const settings *s, arena *a, const native_topology *t, data_set *set, data_results *r)
{
    uint64_t cached = t->caches.len == 0 ? 16384 : set_for(t, t->caches.len > 1 ? 1 : 0);
    const uint64_t sizes[] = {cached, r->largest};
    const char *names[] = {arena_printf(a, "%llu KiB", (unsigned long long)(cached >> 10)), "memory"};
    for (int i = 0; i < 2; i++) {
        curve *c = figure_add(a, &r->stride, names[i]);
        set->bytes = sizes[i];
        for (set->stride = 8; set->stride <= 4096 && set->stride * ROW <= set->bytes; set->stride *= 2) {
            set->at = 0;
            measurement m = measure(s, read_strided, set, 8 * ROW);
            curve_add(a, c, (double)set->stride, 1e-9 / m.seconds, m.spread);
        }
    }
}

static void add_marks(arena *a, const native_topology *t, figure *f)
{
    for (VEC_EACH(const native_cache, c, &t->caches)) {
        VEC_PUSH(a, &f->marks, (curve_point){(double)c->size, 0, 0});
        VEC_PUSH(a, &f->mark_names, c->level == 1 ? "L1D" : arena_printf(a, "L%u", c->level));
    }
}

// Many times the last cache, so that little of it is there; but memory is for others too.
static uint64_t memory_set(const settings *s, const native_topology *t)
{
    uint64_t last = t->caches.len == 0 ? 8 << 20 : VEC_LAST(&t->caches).size;
    uint64_t least = s->quick ? 64 << 20 : 256 << 20, wanted = last * (s->quick ? 4 : 16), most = t->memory / 8;
    if (wanted < least)
        wanted = least;
    if (wanted > 1 << 30)
        wanted = 1 << 30;
    return power_of_two_below(wanted < most ? wanted : most);
}

size_t find_levels(const curve *latency, uint64_t sizes[MAX_CACHES])
{
    const curve_point *p = latency->points.data;
    size_t count = latency->points.len, levels = 0;
    double plateau = count > 0 ? p[0].y : 0;
    for (size_t i = 1; i < count; i++) {
        if (p[i].y < plateau * 1.5)
            continue;
        if (levels < MAX_CACHES)
            sizes[levels++] = (uint64_t)p[i - 1].x;
        while (i + 1 < count && p[i + 1].y > p[i].y * 1.3) // up to the next plateau
            i++;
        plateau = p[i].y;
    }
    return levels;
}

// A set of so many bytes or, if the system does not give them, of half or a quarter and so on. False after an error.
static bool make_set(diag_engine *d, data_set *set, uint64_t bytes)
{
    for (; bytes >= 4 << 20; bytes /= 2) {
        set->data = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (set->data == MAP_FAILED)
            continue;
        memset(set->data, 1, bytes);
        set->bytes = bytes;
        return true;
    }
    diag_error_at(d, NULL, "no memory to measure: %s", strerror(errno));
    return false;
}

bool measure_caches(const settings *s, arena *a, diag_engine *d, native_topology *t)
{
    data_set set = {0};
    curve c = {0};
    uint64_t sizes[MAX_CACHES], largest;
    if (!make_set(d, &set, 128 << 20))
        return false;
    largest = set.bytes;
    for (set.bytes = 4096; set.bytes <= largest; set.bytes *= 2) {
        measurement m = latency_of(s, &set);
        curve_add(a, &c, (double)set.bytes, m.seconds, m.spread);
    }
    munmap(set.data, largest);
    size_t levels = find_levels(&c, sizes);
    t->caches_from = "where the time of an access rises";
    for (size_t i = 0; i < levels; i++)
        VEC_PUSH(a, &t->caches, (native_cache){.level = (unsigned)i + 1, .size = sizes[i], .line = LINE, .cores = 1});
    return true;
}

bool measure_data(const settings *s, arena *a, diag_engine *d, const native_topology *t, data_results *r)
{
    data_set set = {0};
    if (!make_set(d, &set, memory_set(s, t)))
        return false;
    r->largest = set.bytes;
    measure_levels(s, t, &set, r);
    draw_sizes(s, a, &set, r);
    draw_strides(s, a, t, &set, r);
    munmap(set.data, r->largest);
    add_marks(a, t, &r->bandwidth);
    add_marks(a, t, &r->latency);
    return true;
}
