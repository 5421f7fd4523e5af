// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Image segmentation (SVM paper, section 5 and figure 11): a seed's label spreads by nonlinear diffusion (Perona and
// Malik), fast where the image is even and hardly over its edges, as in the Brook program that the paper used.
//
//   n=N        the image is n x n
//   rounds=R   of diffusion
//   local=B    bytes of local memory to use: bands of rows come with their neighbours' rows when the image does not fit
//
// With the whole image in local memory it stays there from round to round.
#include <svm/svm.h>

SVM_MACHINE("imagine");
SVM_MEMORY(GMEM);
SVM_MEMORY(LMEM0);
SVM_PROCESSOR(CPU);
SVM_PROCESSOR(CORE0);
SVM_PROCESSOR(DMA0);

#include "common.h"

#define RATE 0.2f
#define EDGE 16.0f // steepness of what counts as an edge

// How easily a label passes between two neighbours: 1 in even areas, 0 over edges.
static inline float conduction(float a, float b)
{
    float d = (a - b) * EDGE;
    return 1.0f / (1.0f + d * d);
}

// The label of one pixel after a round: image and label in rows of the given pitch, with a border of one pixel.
SVM_FIRE(stateless, peek(5), pop(1), push(1))
static inline void diffuse_fire(const float *restrict image, const float *restrict label, ptrdiff_t pitch,
                                float *restrict out)
{
    float north = conduction(image[0], image[-pitch]) * (label[-pitch] - label[0]);
    float south = conduction(image[0], image[pitch]) * (label[pitch] - label[0]);
    float west = conduction(image[0], image[-1]) * (label[-1] - label[0]);
    float east = conduction(image[0], image[1]) * (label[1] - label[0]);
    *out = label[0] + RATE * (north + south + west + east);
}

// A round for a band of rows, which lie behind one row of border and before another.
typedef struct {
    svm_Kernel kernel;
    svm_Block *image, *label, *out;
    size_t rows, columns, pitch; // without the border; floats from row to row
} Diffuse;

SVM_KERNEL(cost(0, 0))
static void diffuse_run(svm_Kernel *kernel)
{
    Diffuse *self = (Diffuse *)kernel;
    const float *image = svm_blockData(self->image), *label = svm_blockData(self->label);
    float *restrict out = svm_blockData(self->out);
    ptrdiff_t rows = (ptrdiff_t)self->rows, columns = (ptrdiff_t)self->columns;
    ptrdiff_t pitch = (ptrdiff_t)self->pitch;
    for (ptrdiff_t y = 0; y < rows; y++) {
        ptrdiff_t first = (y + 1) * pitch + 1; // of the row, within the border
        for (ptrdiff_t x = 0; x < columns; x++)
            diffuse_fire(image + first + x, label + first + x, pitch, out + first + x);
    }
}

// One of two buffers: a band of the image and of the labels before and after a round.
typedef struct band {
    svm_Block image_global, label_global, out_global, image, label, out, inner;
    svm_MoveB2B load_image, load_label, store;
    Diffuse diffuse;
    bool used;
} band;

typedef struct program {
    size_t n, pitch, rows; // of a band, without the border
    size_t rounds;
    array image, label[2];
    band bands[2];
} program;

static size_t band_bytes(const program *p)
{
    return 3 * align((p->rows + 2) * p->pitch * sizeof(float));
}

// Rows first .. first + rows - 1, counted without the border, from array `from` to the other.
static void band_run(program *p, band *b, size_t address, size_t from, size_t first, size_t rows)
{
    if (b->used)
        svm_kernelWait(&b->store.kernel); // the blocks are set up anew
    size_t count = (rows + 2) * p->pitch, bytes = align((p->rows + 2) * p->pitch * sizeof(float));
    size_t at = first * p->pitch * sizeof(float), row = p->pitch * sizeof(float);
    svm_blockInit(&b->image_global, &GMEM, p->image.address + at, count, sizeof(float));
    svm_blockInit(&b->label_global, &GMEM, p->label[from].address + at, count, sizeof(float));
    svm_blockInit(&b->out_global, &GMEM, p->label[1 - from].address + at + row, rows * p->pitch, sizeof(float));
    svm_blockInit(&b->image, &LMEM0, address, count, sizeof(float));
    svm_blockInit(&b->label, &LMEM0, address + bytes, count, sizeof(float));
    svm_blockInit(&b->out, &LMEM0, address + 2 * bytes, count, sizeof(float));
    svm_blockInit(&b->inner, &LMEM0, address + 2 * bytes + row, rows * p->pitch, sizeof(float));
    svm_moveB2BInit(&b->load_image, &DMA0, &b->image_global, &b->image);
    svm_moveB2BInit(&b->load_label, &DMA0, &b->label_global, &b->label);
    svm_kernelInit(&b->diffuse.kernel, &CORE0, diffuse_run, "diffuse");
    b->diffuse = (Diffuse){b->diffuse.kernel, &b->image, &b->label, &b->out, rows, p->n, p->pitch};
    svm_moveB2BInit(&b->store, &DMA0, &b->inner, &b->out_global);
    svm_kernelAddDependence(&b->diffuse.kernel, &b->load_image.kernel);
    svm_kernelAddDependence(&b->diffuse.kernel, &b->load_label.kernel);
    svm_kernelAddDependence(&b->store.kernel, &b->diffuse.kernel);
    svm_kernelRun(&b->load_image.kernel);
    svm_kernelRun(&b->load_label.kernel);
    svm_kernelRun(&b->diffuse.kernel);
    svm_kernelRun(&b->store.kernel);
    b->used = true;
}

static void run_in_bands(program *p)
{
    for (size_t round = 0; round < p->rounds; round++) {
        size_t turn = 0;
        for (size_t first = 0; first < p->n; first += p->rows, turn++)
            band_run(p, &p->bands[turn % 2], turn % 2 * band_bytes(p), round % 2, first,
                     p->n - first < p->rows ? p->n - first : p->rows);
        for (size_t i = 0; i < 2; i++)
            if (p->bands[i].used)
                svm_kernelWait(&p->bands[i].store.kernel);
    }
}

// Everything in local memory: two loads, a kernel a round, a store.
static void run_whole(program *p)
{
    static svm_Block blocks[3], globals[3];
    static svm_MoveB2B load[3], store;
    static Diffuse rounds[2];
    size_t count = (p->n + 2) * p->pitch, bytes = align(count * sizeof(float));
    size_t addresses[3] = {p->image.address, p->label[0].address, p->label[1].address};
    for (size_t i = 0; i < 3; i++) {
        svm_blockInit(&blocks[i], &LMEM0, i * bytes, count, sizeof(float));
        svm_blockInit(&globals[i], &GMEM, addresses[i], count, sizeof(float));
        svm_moveB2BInit(&load[i], &DMA0, &globals[i], &blocks[i]);
        svm_kernelRun(&load[i].kernel);
    }
    for (size_t i = 0; i < 2; i++) {
        svm_kernelInit(&rounds[i].kernel, &CORE0, diffuse_run, "diffuse");
        rounds[i] = (Diffuse){rounds[i].kernel, &blocks[0], &blocks[1 + i], &blocks[2 - i], p->n, p->n, p->pitch};
    }
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < 3; k++)
            svm_kernelAddDependence(&rounds[i].kernel, &load[k].kernel);
    svm_kernelAddDependence(&rounds[0].kernel, &rounds[1].kernel);
    svm_kernelAddDependence(&rounds[1].kernel, &rounds[0].kernel);
    for (size_t round = 0; round < p->rounds; round++) {
        if (round > 1)
            svm_kernelWait(&rounds[round % 2].kernel);
        svm_kernelRun(&rounds[round % 2].kernel);
    }
    svm_moveB2BInit(&store, &DMA0, &blocks[1 + p->rounds % 2], &globals[1 + p->rounds % 2]);
    for (size_t i = 0; i < 2; i++)
        svm_kernelAddDependence(&store.kernel, &rounds[i].kernel);
    svm_kernelRun(&store.kernel);
    svm_kernelWait(&store.kernel);
}

// An even disc on an even ground; the seed is in the disc.
static void draw(program *p)
{
    for (size_t y = 0; y < p->n + 2; y++)
        for (size_t x = 0; x < p->pitch; x++) {
            double dx = (double)x - (double)p->n / 2, dy = (double)y - (double)p->n / 2;
            bool inside = dx * dx + dy * dy < (double)(p->n * p->n) / 9;
            p->image.data[y * p->pitch + x] = inside ? 0.8f : 0.2f;
        }
    size_t middle = p->n / 2 * p->pitch + p->n / 2;
    p->label[0].data[middle] = p->label[1].data[middle] = 1;
}

static bool check(const program *p, array label[2])
{
    for (size_t round = 0; round < p->rounds; round++)
        for (size_t y = 1; y <= p->n; y++)
            for (size_t x = 1; x <= p->n; x++) {
                size_t i = y * p->pitch + x;
                diffuse_fire(p->image.data + i, label[round % 2].data + i, (ptrdiff_t)p->pitch,
                             label[1 - round % 2].data + i);
            }
    return memcmp(label[p->rounds % 2].data, p->label[p->rounds % 2].data, (p->n + 2) * p->pitch * sizeof(float)) == 0;
}

int main(int argc, char **argv)
{
    static program p;
    p.n = argument(argc, argv, "n", 64);
    p.rounds = argument(argc, argv, "rounds", 8);
    size_t local = argument(argc, argv, "local", 128 * 1024);
    p.pitch = align((p.n + 2) * sizeof(float)) / sizeof(float); // rows begin at an address that blocks may have
    size_t floats = (p.n + 2) * p.pitch;
    p.image = array_create(floats);
    array expected[2];
    for (size_t i = 0; i < 2; i++) {
        p.label[i] = array_create(floats);
        expected[i] = array_create(floats);
    }
    draw(&p);
    for (size_t i = 0; i < 2; i++)
        memcpy(expected[i].data, p.label[i].data, floats * sizeof(float));
    p.rows = p.n;
    if (band_bytes(&p) <= local) {
        run_whole(&p);
    } else {
        while (p.rows > 1 && 2 * band_bytes(&p) > local)
            p.rows = (p.rows + 1) / 2;
        run_in_bands(&p);
    }
    bool right = check(&p, expected);
    printf("segment n=%zu: sum %.6g, %s\n", p.n, array_sum(p.label[p.rounds % 2], floats), right ? "right" : "WRONG");
    return right ? 0 : 1;
}
