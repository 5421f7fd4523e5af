// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Drives support/ for the lit tests beside it: one subcommand a subject. Checks that need no golden text are made here
// with CHECK, which names what failed.
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "support/diag.h"
#include "support/hmap.h"
#include "support/strbuf.h"

#define CHECK(condition) check((condition), #condition, __LINE__)

static void check(bool holds, const char *what, int line)
{
    if (holds)
        return;
    fprintf(stderr, "support-test.c:%d: does not hold: %s\n", line, what);
    exit(1);
}

static bool all_zero(const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (p[i] != 0)
            return false;
    return true;
}

static int test_arena(arena *a, int argc, char **argv)
{
    (void)argc, (void)argv;
    CHECK(arena_alloc(a, 0) != arena_alloc(a, 0));
    size_t before = arena_bytes(a);
    for (size_t size = 1; size < 300000; size += size / 3 + 1) {
        char *p = arena_alloc(a, size);
        CHECK((uintptr_t)p % _Alignof(max_align_t) == 0);
        CHECK(all_zero(p, size));
        memset(p, 0xff, size);
    }
    CHECK(arena_bytes(a) > before);
    CHECK(strcmp(arena_strndup(a, "stream", 3), "str") == 0);
    CHECK(strcmp(arena_printf(a, "%s-%d", "x", 12), "x-12") == 0);
    CHECK(arena_printf(a, "%0500d", 7)[499] == '7');
    CHECK(arena_strndup(a, NULL, 0)[0] == '\0');
    for (int round = 0; round < 3; round++) { // what arenas give back is used again
        arena *own = round == 1 ? arena_create_large() : arena_create();
        for (size_t size = 1, all = 0; all < (size_t)12 << 20; size = size < 3000000 ? size + size / 3 + 1 : 5, all += size) {
            char *p = arena_alloc(own, size);
            CHECK(all_zero(p, size));
            memset(p, 0xa5, size);
        }
        arena_destroy(own);
    }
    arena_destroy(NULL);
    puts("arena ok");
    return 0;
}

static int test_out_of_memory(arena *a, int argc, char **argv)
{
    (void)argc, (void)argv;
    arena_alloc_array(a, SIZE_MAX / 2, 3);
    puts("not reached");
    return 0;
}

static int test_vec(arena *a, int argc, char **argv)
{
    (void)argc, (void)argv;
    VEC(int) v = {0};
    for (int i = 0; i < 10000; i++)
        VEC_PUSH(a, &v, i * 3);
    CHECK(v.len == 10000 && VEC_LAST(&v) == 29997);
    int sum = 0;
    for (VEC_EACH(int, it, &v))
        sum += *it % 2;
    CHECK(sum == 5000);
    v.len = 0;
    CHECK(*VEC_ADD(a, &v) == 0); // zeroed though the room was used
    vec_reserve(a, &v, 50000, sizeof *v.data);
    CHECK(v.cap >= 50000 && v.len == 1);
    puts("vec ok");
    return 0;
}

static int test_hmap(arena *a, int argc, char **argv)
{
    (void)argc, (void)argv;
    hmap m;
    hmap_init(&m, a);
    CHECK(hmap_get(&m, "absent") == NULL);
    static int values[20000];
    for (int i = 0; i < 20000; i++)
        hmap_set(&m, arena_printf(a, "key%d", i), &values[i]);
    CHECK(m.len == 20000);
    for (int i = 0; i < 20000; i++) {
        CHECK(hmap_get(&m, arena_printf(a, "key%d", i)) == &values[i]);
        CHECK(strcmp(m.entries[i].key, arena_printf(a, "key%d", i)) == 0);
    }
    hmap_set(&m, "key7", &values[8]);
    CHECK(m.len == 20000 && hmap_get(&m, "key7") == &values[8]);
    CHECK(hmap_get(&m, "key20000") == NULL);
    hmap_setn(&m, "a\0b", 3, &values[1]);
    hmap_setn(&m, "a\0c", 3, &values[2]);
    hmap_setn(&m, "", 0, &values[3]);
    CHECK(hmap_getn(&m, "a\0b", 3) == &values[1] && hmap_getn(&m, "a\0c", 3) == &values[2]);
    CHECK(hmap_get(&m, "") == &values[3] && hmap_get(&m, "a") == NULL);
    interner in;
    interner_init(&in, a);
    const char *first = intern(&in, "pop");
    for (int i = 0; i < 1000; i++)
        intern(&in, arena_printf(a, "n%d", i));
    CHECK(intern(&in, "pop") == first && internn(&in, "popped", 3) == first && intern(&in, "push") != first);
    CHECK(hash_bytes("abc", 3, 0) != hash_bytes("abc", 3, 1));
    CHECK(hash_bytes("abcdefgh", 8, 0) != hash_bytes("abcdefgh\0", 9, 0));
    puts("hmap ok");
    return 0;
}

// Written with the fewest digits that read back as the float.
static bool is_shortest(const char *text, float v)
{
    char digits[64];
    int precision = 0;
    do
        snprintf(digits, sizeof digits, "%.*g", ++precision, (double)v);
    while (precision < 9 && strtof(digits, NULL) != v);
    size_t n = strlen(digits);
    return strncmp(text, digits, n) == 0 && (text[n] == '\0' || strcmp(text + n, ".0") == 0);
}

// Prints each number as strbuf writes it; "random N" checks N random bit patterns for their round trip, and that floats and
// those with few bits of a fraction are written with no digit too many.
static int test_numbers(arena *a, int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[0], "random") == 0) {
        uint64_t bits = 88172645463325252u;
        for (long n = atol(argv[1]); n > 0; n--) {
            bits ^= bits << 13, bits ^= bits >> 7, bits ^= bits << 17;
            float f;
            double d;
            uint32_t low = (uint32_t)bits;
            memcpy(&f, &low, sizeof f);
            memcpy(&d, &bits, sizeof d);
            strbuf b;
            strbuf_init(&b, a);
            strbuf_add_float(&b, f);
            CHECK(isnan(f) ? strcmp(b.data, "nan") == 0 : strtof(b.data, NULL) == f);
            CHECK(!isfinite(f) || is_shortest(b.data, f));
            float few = (float)(low >> 12) / (float)(1 << (low & 15)); // halfway between two decimal numbers, often
            strbuf_init(&b, a);
            strbuf_add_float(&b, few);
            CHECK(strtof(b.data, NULL) == few && is_shortest(b.data, few));
            strbuf_init(&b, a);
            strbuf_add_double(&b, d);
            CHECK(isnan(d) ? strcmp(b.data, "nan") == 0 : strtod(b.data, NULL) == d);
        }
        puts("round trips");
        return 0;
    }
    for (int i = 0; i < argc; i++) {
        strbuf b;
        strbuf_init(&b, a);
        strbuf_add_float(&b, strtof(argv[i], NULL));
        strbuf_addc(&b, ' ');
        strbuf_add_double(&b, strtod(argv[i], NULL));
        puts(b.data);
    }
    return 0;
}

static int test_strings(arena *a, int argc, char **argv)
{
    (void)argc, (void)argv;
    strbuf b;
    strbuf_init(&b, a);
    CHECK(strcmp(b.data, "") == 0);
    for (int i = 0; i < 1000; i++)
        strbuf_printf(&b, "%d,", i);
    CHECK(b.len == strlen(b.data) && strncmp(b.data + b.len - 8, "998,999,", 8) == 0);
    strbuf_pad(&b, '-', 500);
    CHECK(b.len == strlen(b.data) && b.data[b.len - 500] == '-' && b.data[b.len - 501] == ',');
    strbuf_init(&b, a);
    static const char awkward[] = "a\"b\\c\n\t\x01\x7f\xc3\xa9\0"
                                  "1?\?=";
    strbuf_add_quoted(&b, awkward, sizeof awkward - 1);
    puts(b.data);
    strbuf_init(&b, a);
    strbuf_add_c_string(&b, awkward, sizeof awkward - 1);
    puts(b.data);
    return 0;
}

// Reference for edit_distance: the whole table.
static size_t slow_distance(const char *s, const char *t)
{
    size_t table[16][16], n = strlen(s), m = strlen(t);
    for (size_t i = 0; i <= n; i++) {
        for (size_t j = 0; j <= m; j++) {
            size_t best = i == 0 ? j : i;
            if (i > 0 && j > 0) {
                best = table[i - 1][j - 1] + (s[i - 1] != t[j - 1]);
                best = table[i - 1][j] + 1 < best ? table[i - 1][j] + 1 : best;
                best = table[i][j - 1] + 1 < best ? table[i][j - 1] + 1 : best;
                if (i > 1 && j > 1 && s[i - 1] == t[j - 2] && s[i - 2] == t[j - 1] && table[i - 2][j - 2] + 1 < best)
                    best = table[i - 2][j - 2] + 1;
            }
            table[i][j] = best;
        }
    }
    return table[n][m];
}

static int test_distance(arena *a, int argc, char **argv)
{
    (void)a, (void)argc, (void)argv;
    uint32_t seed = 1;
    for (int round = 0; round < 20000; round++) {
        char words[2][13] = {{0}};
        for (int w = 0; w < 2; w++) {
            seed = seed * 1664525u + 1013904223u;
            size_t len = (seed >> 16) % 12;
            for (size_t i = 0; i < len; i++) {
                seed = seed * 1664525u + 1013904223u;
                words[w][i] = (char)('a' + (seed >> 20) % 3);
            }
        }
        size_t limit = (size_t)round % 9, exact = slow_distance(words[0], words[1]);
        CHECK(edit_distance(words[0], words[1], limit) == (exact > limit ? limit + 1 : exact));
    }
    static const char *const names[] = {"Identity", "FileReader", "FileWriter", "println"};
    CHECK(diag_nearest("FileRaeder", names, 4) == names[1]);
    CHECK(diag_nearest("fileWriter", names, 4) == names[2]);
    CHECK(diag_nearest("prntln", names, 4) == names[3]);
    CHECK(diag_nearest("LowPass", names, 4) == NULL);
    CHECK(diag_nearest("x", (const char *const[]){"y"}, 1) == NULL);
    CHECK(diag_nearest("x", names, 0) == NULL);
    puts("distance ok");
    return 0;
}

static int test_source(arena *a, int argc, char **argv)
{
    source_set s;
    source_set_init(&s, a);
    CHECK(source_get(&s, 0)->text == NULL && source_get(&s, 99)->text == NULL);
    source_id id = source_add(&s, "t.str", "ab\ncd\n\nlast", 11);
    CHECK(source_pos(&s, id, 0).line == 1 && source_pos(&s, id, 2).column == 3);
    CHECK(source_pos(&s, id, 3).line == 2 && source_pos(&s, id, 3).column == 1);
    CHECK(source_pos(&s, id, 500).line == 4 && source_pos(&s, id, 500).column == 5);
    CHECK(source_offset(&s, id, 2, 2) == 4 && source_offset(&s, id, 2, 99) == 5 && source_offset(&s, id, 99, 1) == 11);
    for (uint32_t at = 0; at <= 11; at++) {
        src_pos p = source_pos(&s, id, at);
        CHECK(source_offset(&s, id, p.line, p.column) == at);
    }
    source_id empty = source_add(&s, "empty", "", 0);
    CHECK(source_pos(&s, empty, 0).line == 1 && source_offset(&s, empty, 5, 5) == 0);
    CHECK(source_read(&s, "/nonexistent/file") == 0 && errno == ENOENT);
    CHECK(source_read(&s, "/") == 0 && errno == EISDIR);
    source_id named = source_add_name(&s, "/dev/zero"), missing = source_add_name(&s, "nowhere.str");
    CHECK(source_offset(&s, named, 3, 1) == 0 && source_offset(&s, missing, 3, 1) == 0);
    for (int i = 0; i < argc; i++) {
        source_id read = source_read(&s, argv[i]), lazy = source_add_name(&s, argv[i]);
        CHECK(read != 0 && source_offset(&s, lazy, 2, 1) == source_offset(&s, read, 2, 1));
        printf("%s: %zu bytes\n", source_get(&s, read)->name, source_get(&s, read)->len);
    }
    puts("source ok");
    return 0;
}

// write PATH TEXT: prints the error if there is one.
static int test_write(arena *a, int argc, char **argv)
{
    CHECK(argc == 2);
    if (!file_write(argv[0], argv[1], strlen(argv[1]))) {
        fprintf(stderr, "%s: %s\n", argv[0], strerror(errno));
        return 1;
    }
    char *text;
    size_t len;
    struct stat st;
    if (strcmp(argv[0], "-") == 0 || stat(argv[0], &st) != 0 || !S_ISREG(st.st_mode))
        return 0;
    CHECK(file_read(a, argv[0], &text, &len) && len == strlen(argv[1]) && strcmp(text, argv[1]) == 0);
    return 0;
}

typedef int test_function(arena *a, int argc, char **argv);
int test_diag(arena *a, int argc, char **argv);

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        test_function *run;
    } tests[] = {
        {"arena", test_arena},       {"out-of-memory", test_out_of_memory},
        {"vec", test_vec},           {"hmap", test_hmap},
        {"numbers", test_numbers},   {"strings", test_strings},
        {"distance", test_distance}, {"source", test_source},
        {"write", test_write},       {"diag", test_diag},
    };
    for (size_t i = 0; argc > 1 && i < sizeof tests / sizeof *tests; i++) {
        if (strcmp(argv[1], tests[i].name) != 0)
            continue;
        arena *a = arena_create();
        int status = tests[i].run(a, argc - 2, argv + 2);
        arena_destroy(a);
        return status;
    }
    fprintf(stderr, "usage: support-test TEST [ARGUMENT...]\n");
    return 2;
}
