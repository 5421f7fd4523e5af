// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The paper's three kernels in plain C, for the soft processor's versions in examples/softproc to be compared with.
//
//     kernels make KERNEL FOLDER SIZE     writes inputs for a domain of SIZE x SIZE threads
//     kernels check KERNEL FOLDER SIZE    compares outputs (o0.bin, ...) with what plain C makes of the inputs
//
// MATMATMULT and SGEMM must agree bit for bit with the same sums in float, and are compared with double precision.
// PHOTON must agree closely photon by photon, and its means with those of other photons, followed in double precision
// with other random numbers.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAT_INNER = 64, GEMM_INNER = 40, FLIGHTS = 16, CELLS = 8 };
static const float alpha = 1.5f, beta = -0.25f, albedo = 0.9f;

static uint64_t state;

static double uniform(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    uint64_t x = (state ^ state >> 29) * 0xbf58476d1ce4e5b9u;
    return ((double)(x >> 12) + 0.5) / 4503599627370496.0;
}

static void *room(size_t n)
{
    void *p = calloc(n > 0 ? n : 1, sizeof(float));
    if (p == NULL) {
        fprintf(stderr, "kernels: out of memory\n");
        exit(1);
    }
    return p;
}

static FILE *open_file(const char *folder, const char *name, const char *mode)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, mode);
    if (f == NULL) {
        perror(path);
        exit(1);
    }
    return f;
}

static float *read_floats(const char *folder, const char *name, size_t n)
{
    FILE *f = open_file(folder, name, "rb");
    float *v = room(n);
    if (fread(v, sizeof *v, n, f) != n || fgetc(f) != EOF) {
        fprintf(stderr, "kernels: %s/%s does not have %zu numbers\n", folder, name, n);
        exit(1);
    }
    fclose(f);
    return v;
}

static void write_floats(const char *folder, const char *name, const float *v, size_t n)
{
    FILE *f = open_file(folder, name, "wb");
    if (fwrite(v, sizeof *v, n, f) != n || fclose(f) != 0) {
        perror(name);
        exit(1);
    }
}

static void write_random(const char *folder, const char *name, size_t n, double low, double high)
{
    float *v = room(n);
    for (size_t i = 0; i < n; i++)
        v[i] = (float)(low + (high - low) * uniform());
    write_floats(folder, name, v, n);
    free(v);
}

// ---- Matrices: the result has 4 * size rows and columns ----

// A in squares of 4 x 4 as MATMATMULT reads it; elements in rows otherwise.
static size_t square_index(size_t row, size_t column, size_t inner)
{
    return ((row / 4 * inner) + (column / 4 * 4 + row % 4)) * 4 + column % 4;
}

static float output_value(float *const o[4], size_t size, size_t row, size_t column)
{
    return o[row % 4][(row / 4 * size + column / 4) * 4 + column % 4];
}

typedef struct product {
    float *a, *b, *c;
    size_t size, inner;
    int squares, scaled;
} product;

static float a_value(const product *p, size_t row, size_t k)
{
    return p->a[p->squares ? square_index(row, k, p->inner) : row * p->inner + k];
}

// In float as the kernels add, and in double.
static float single(const product *p, size_t row, size_t column, double *exact)
{
    size_t n = 4 * p->size;
    volatile float sum = 0; // each product and each sum is rounded
    *exact = 0;
    for (size_t k = 0; k < p->inner; k++) {
        volatile float term = a_value(p, row, k) * p->b[k * n + column];
        sum = sum + term;
        *exact += (double)a_value(p, row, k) * p->b[k * n + column];
    }
    if (!p->scaled)
        return sum;
    volatile float old = p->c[row * n + column] * beta, scaled = sum * alpha;
    *exact = alpha * *exact + beta * (double)p->c[row * n + column];
    return scaled + old;
}

// Frees the product's matrices.
static int check_product(const char *name, const char *folder, product *p)
{
    float *o[4];
    size_t n = 4 * p->size, differ = 0;
    double worst = 0;
    for (int i = 0; i < 4; i++) {
        char file[16];
        snprintf(file, sizeof file, "o%d.bin", i);
        o[i] = read_floats(folder, file, p->size * p->size * 4);
    }
    for (size_t row = 0; row < n; row++)
        for (size_t column = 0; column < n; column++) {
            double exact;
            float want = single(p, row, column, &exact), got = output_value(o, p->size, row, column);
            differ += memcmp(&want, &got, sizeof got) != 0;
            worst = fmax(worst, fabs(got - exact));
        }
    for (int i = 0; i < 4; i++)
        free(o[i]);
    free(p->a);
    free(p->b);
    free(p->c);
    printf("%s: %zu values, %zu differ from float, largest error against double %.2g\n", name, n * n, differ, worst);
    return differ == 0 && worst < 1e-4;
}

static int matmatmult(const char *folder, size_t size, int make)
{
    size_t a = 4 * size * MAT_INNER, b = MAT_INNER * 4 * size;
    if (make) {
        write_random(folder, "a.bin", a, -1, 1);
        write_random(folder, "b.bin", b, -1, 1);
        return 1;
    }
    product p = {read_floats(folder, "a.bin", a), read_floats(folder, "b.bin", b), NULL, size, MAT_INNER, 1, 0};
    return check_product("matmatmult", folder, &p);
}

static int sgemm(const char *folder, size_t size, int make)
{
    size_t a = 4 * size * GEMM_INNER, b = GEMM_INNER * 4 * size, c = 16 * size * size;
    if (make) {
        write_random(folder, "a.bin", a, -1, 1);
        write_random(folder, "b.bin", b, -1, 1);
        write_random(folder, "c.bin", c, -1, 1);
        return 1;
    }
    product p = {read_floats(folder, "a.bin", a),
                 read_floats(folder, "b.bin", b),
                 read_floats(folder, "c.bin", c),
                 size,
                 GEMM_INNER,
                 0,
                 1};
    return check_product("sgemm", folder, &p);
}

// ---- Photons ----

static double extinction(int cell)
{
    return 0.3 + 0.15 * cell;
}

typedef struct tally {
    double top, bottom, absorbed, left;
} tally;

// One photon, in double precision, with random numbers of its own.
static tally follow(void)
{
    tally t = {0, 0, 0, 1};
    double depth = 0, direction = 1;
    for (int i = 0; i < FLIGHTS; i++) {
        if (i > 0)
            direction = 2 * uniform() - 1;
        depth -= direction * log(uniform()) / extinction((int)depth);
        if (depth < 0) {
            t.top += t.left;
            t.left = depth = 0;
        } else if (depth >= CELLS) {
            t.bottom += t.left;
            t.left = depth = 0;
        }
        t.absorbed += t.left * (1 - albedo);
        t.left *= albedo;
        if (t.left == 0)
            break;
    }
    return t;
}

// The same photon as a thread of the soft processor follows it, step by step in float.
static void follow_thread(const float *random, const float *length, size_t size, size_t x, size_t y, float out[4])
{
    float depth = 0, weight = 1, direction = 1, top = 0, bottom = 0, absorbed = 0;
    for (size_t i = 0; i < FLIGHTS; i++) {
        const float *u = &random[((y + i * size) * size + x) * 2];
        float step = length[(int)depth];
        if (i > 0) {
            volatile float twice = u[1] * 2;
            direction = twice - 1;
        }
        volatile float flight = (float)log2((double)u[0]) * step, way = flight * direction;
        depth = depth + way;
        volatile float above = (float)CELLS - depth;
        if (depth < 0) {
            top += weight;
            weight = 0;
        }
        if (above < 0) {
            bottom += weight;
            weight = 0;
        }
        depth = depth > 0 ? depth : 0;
        depth = depth < 7.999f ? depth : 7.999f;
        volatile float lost = weight * 0.1f;
        absorbed += lost;
        weight *= albedo;
    }
    out[0] = top;
    out[1] = bottom;
    out[2] = absorbed;
    out[3] = weight;
}

static void print_means(const char *who, const double mean[4])
{
    printf("  %-14s top %.4f, bottom %.4f, absorbed %.4f, left %.4f\n", who, mean[0], mean[1], mean[2], mean[3]);
}

static int check_photon(const char *folder, size_t size)
{
    size_t threads = size * size, differ = 0, others = threads < 20000 ? 20000 : threads;
    float *random = read_floats(folder, "random.bin", threads * FLIGHTS * 2),
          *length = read_floats(folder, "length.bin", CELLS);
    float *out = read_floats(folder, "o0.bin", threads * 4), want[4];
    double mean[4] = {0}, square[4] = {0}, other[4] = {0}, worst = 0, total = 0;
    for (size_t i = 0; i < threads; i++) {
        follow_thread(random, length, size, i % size, i / size, want);
        double sum = 0;
        for (int k = 0; k < 4; k++) {
            differ += fabsf(out[4 * i + k] - want[k]) > 1e-5f;
            mean[k] += out[4 * i + k] / (double)threads;
            square[k] += (double)out[4 * i + k] * out[4 * i + k] / (double)threads;
            sum += out[4 * i + k];
        }
        total = fmax(total, fabs(sum - 1));
    }
    for (size_t i = 0; i < others; i++) {
        tally t = follow();
        const double v[4] = {t.top, t.bottom, t.absorbed, t.left};
        for (int k = 0; k < 4; k++)
            other[k] += v[k] / (double)others;
    }
    for (int k = 0; k < 4; k++) {
        double variance = square[k] - mean[k] * mean[k];
        double sigma = sqrt(variance * (1.0 / (double)threads + 1.0 / (double)others)) + 1e-9;
        worst = fmax(worst, fabs(mean[k] - other[k]) / sigma);
    }
    free(random);
    free(length);
    free(out);
    printf("photon: %zu photons, %zu values differ from float, weights add up to 1 within %.2g\n", threads, differ,
           total);
    print_means("soft processor", mean);
    print_means("double", other);
    printf("  largest difference of means: %.2f standard errors\n", worst);
    return differ == 0 && total < 1e-5 && worst < 4.5;
}

static int photon(const char *folder, size_t size, int make)
{
    if (!make)
        return check_photon(folder, size);
    float length[CELLS];
    for (int i = 0; i < CELLS; i++)
        length[i] = (float)(-log(2) / extinction(i));
    write_random(folder, "random.bin", size * size * FLIGHTS * 2, 1e-7, 0.9999999);
    write_floats(folder, "length.bin", length, CELLS);
    return 1;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(const char *folder, size_t size, int make);
    } kernels[] = {{"matmatmult", matmatmult}, {"sgemm", sgemm}, {"photon", photon}};
    size_t size = argc == 5 ? strtoul(argv[4], NULL, 10) : 0;
    int make = argc == 5 && strcmp(argv[1], "make") == 0;
    state = make ? 1 : 2; // other photons than the soft processor's
    for (int i = 0; i < 3 && size > 0 && size <= 4096; i++)
        if (strcmp(argv[2], kernels[i].name) == 0)
            return kernels[i].run(argv[3], size, make) ? 0 : 1;
    fprintf(stderr, "usage: kernels make|check matmatmult|sgemm|photon FOLDER SIZE\n");
    return 2;
}
