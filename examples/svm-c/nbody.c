// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Forces between bodies and their neighbours, on four SPEs of a Cell: an indexed gather.
//     nbody in out
// Each body has a list of neighbours, as short-range simulations keep it. Positions lie in main memory, and which of
// them a strip of bodies needs is known only from its lists. So for each strip the control thread has the DMA engine of
// an SPE
//   1. move the strip's own positions and its lists to the local store,
//   2. gather the neighbours' positions by those lists (source in main memory, indices in the local store),
// then the kernel runs on what is all local, and the engine moves the accelerations back. Everything is there twice, so
// that the transfers of one strip overlap with the kernel of the one before.
#include <math.h>
#include <stdlib.h>

#include <svm/svm.h>

#include "files.h"

SVM_MACHINE("cell-qs20");
SVM_MEMORY(XDR);
SVM_MEMORY(LS0);
SVM_MEMORY(LS1);
SVM_MEMORY(LS2);
SVM_MEMORY(LS3);
SVM_PROCESSOR(PPE);
SVM_PROCESSOR(SPE0);
SVM_PROCESSOR(SPE1);
SVM_PROCESSOR(SPE2);
SVM_PROCESSOR(SPE3);
SVM_PROCESSOR(MFC0);
SVM_PROCESSOR(MFC1);
SVM_PROCESSOR(MFC2);
SVM_PROCESSOR(MFC3);

// A position with the mass in w, or an acceleration: one quadword, which is what a local store loads and stores.
typedef struct Vector {
    float x, y, z, w;
} Vector;

enum {
    BODIES = 2048,
    NEIGHBOURS = 16,
    STRIP = 64, // bodies
    STRIPS = BODIES / STRIP,
    SPES = 4,
    BUFFERS = 2,
    // Addresses in a local store: of one buffer's pieces, and its size. They must be multiples of 16.
    OWN = 0,
    LISTS = OWN + STRIP * (int)sizeof(Vector),
    NEAR = LISTS + STRIP * NEIGHBOURS * (int)sizeof(int32_t),
    RESULT = NEAR + STRIP * NEIGHBOURS * (int)sizeof(Vector),
    BUFFER = RESULT + STRIP * (int)sizeof(Vector),
};

typedef struct Force {
    svm_Kernel kernel;
    svm_Block *own, *near, *result;
} Force;

// One buffer of an SPE, with the kernels that work on it.
typedef struct Buffer {
    svm_Block own, lists, near, result;
    svm_MoveB2B loadOwn, loadLists, store;
    svm_GatherIndexedB2B gather;
    Force force;
} Buffer;

typedef struct Instance {
    Vector positions[BODIES], accelerations[BODIES];
    int32_t lists[BODIES][NEIGHBOURS];
    svm_Block all;                                              // positions, the source of every gather
    svm_Block ownOf[STRIPS], listsOf[STRIPS], resultOf[STRIPS]; // a strip's part of each array
    Buffer buffers[SPES][BUFFERS];
} Instance;

// The acceleration of one body by its neighbours: mass / distance^2 towards each, softened so that a body that is its
// own neighbour (short lists are filled up that way) does nothing.
SVM_FIRE(stateless, pop(1), peek2(16), pop2(16), push(1))
static inline void force_fire(const Vector *restrict own, const Vector *restrict near, Vector *restrict result)
{
    Vector sum = {0, 0, 0, 0};
    for (ptrdiff_t j = 0; j < NEIGHBOURS; j++) {
        float dx = near[j].x - own->x, dy = near[j].y - own->y, dz = near[j].z - own->z;
        float square = dx * dx + dy * dy + dz * dz + 1e-4F;
        float pull = near[j].w / (square * sqrtf(square));
        sum.x += dx * pull;
        sum.y += dy * pull;
        sum.z += dz * pull;
    }
    *result = sum;
}

SVM_KERNEL(estimate(0, 200))
static void force_run(svm_Kernel *kernel)
{
    Force *self = (Force *)kernel;
    const Vector *own = svm_blockData(self->own), *near = svm_blockData(self->near);
    Vector *result = svm_blockData(self->result);
    for (ptrdiff_t i = 0; i < STRIP; i++)
        force_fire(own + i, near + i * NEIGHBOURS, result + i);
}

static void forceInit(Force *k, mm_Proc processor, svm_Block *own, svm_Block *near, svm_Block *result)
{
    k->own = own;
    k->near = near;
    k->result = result;
    svm_kernelInit(&k->kernel, processor, force_run, "force");
    svm_kernelNeverBlocks(&k->kernel);
}

// The blocks and kernels of one buffer. Within a strip: own positions and lists, then the gather, then the kernel, then
// the store. The loads of the next strip that uses the buffer wait for the kernel that reads it, and the kernel for the
// store that empties its result: dependences persist, so they are told once.
static void bufferInit(Buffer *b, Instance *self, mm_Proc spe, mm_Proc mfc, mm_Mem store, size_t address)
{
    svm_blockInit(&b->own, store, address + OWN, STRIP, sizeof(Vector));
    svm_blockInit(&b->lists, store, address + LISTS, STRIP * NEIGHBOURS, sizeof(int32_t));
    svm_blockInit(&b->near, store, address + NEAR, STRIP * NEIGHBOURS, sizeof(Vector));
    svm_blockInit(&b->result, store, address + RESULT, STRIP, sizeof(Vector));
    svm_moveB2BInit(&b->loadOwn, mfc, &self->ownOf[0], &b->own);
    svm_moveB2BInit(&b->loadLists, mfc, &self->listsOf[0], &b->lists);
    svm_gatherIndexedB2BInit(&b->gather, mfc, &self->all, &b->lists, &b->near, STRIP * NEIGHBOURS);
    forceInit(&b->force, spe, &b->own, &b->near, &b->result);
    svm_moveB2BInit(&b->store, mfc, &b->result, &self->resultOf[0]);
    svm_kernelAddDependence(&b->loadOwn.kernel, &b->force.kernel);
    svm_kernelAddDependence(&b->loadLists.kernel, &b->force.kernel);
    svm_kernelAddDependence(&b->gather.kernel, &b->loadLists.kernel);
    svm_kernelAddDependence(&b->gather.kernel, &b->force.kernel);
    svm_kernelAddDependence(&b->force.kernel, &b->loadOwn.kernel);
    svm_kernelAddDependence(&b->force.kernel, &b->gather.kernel);
    svm_kernelAddDependence(&b->force.kernel, &b->store.kernel);
    svm_kernelAddDependence(&b->store.kernel, &b->force.kernel);
}

static void strip(Instance *self, Buffer *b, size_t i)
{
    b->loadOwn.source = &self->ownOf[i];
    b->loadLists.source = &self->listsOf[i];
    b->store.destination = &self->resultOf[i];
    svm_kernelRun(&b->loadOwn.kernel);
    svm_kernelRun(&b->loadLists.kernel);
    svm_kernelRun(&b->gather.kernel);
    svm_kernelRun(&b->force.kernel);
    svm_kernelRun(&b->store.kernel);
}

SVM_CONTROL(PPE)
static int control(Instance *self)
{
    static mm_Proc const spes[SPES] = {&SPE0, &SPE1, &SPE2, &SPE3}, mfcs[SPES] = {&MFC0, &MFC1, &MFC2, &MFC3};
    static mm_Mem const stores[SPES] = {&LS0, &LS1, &LS2, &LS3};
    size_t positions = svm_map(&XDR, self->positions, sizeof self->positions);
    size_t lists = svm_map(&XDR, self->lists, sizeof self->lists);
    size_t accelerations = svm_map(&XDR, self->accelerations, sizeof self->accelerations);
    svm_blockInit(&self->all, &XDR, positions, BODIES, sizeof(Vector));
    for (size_t i = 0; i < STRIPS; i++) {
        svm_blockInit(&self->ownOf[i], &XDR, positions + i * STRIP * sizeof(Vector), STRIP, sizeof(Vector));
        svm_blockInit(&self->listsOf[i], &XDR, lists + i * STRIP * sizeof *self->lists, STRIP * NEIGHBOURS,
                      sizeof(int32_t));
        svm_blockInit(&self->resultOf[i], &XDR, accelerations + i * STRIP * sizeof(Vector), STRIP, sizeof(Vector));
    }
    for (size_t p = 0; p < SPES; p++)
        for (size_t b = 0; b < BUFFERS; b++)
            bufferInit(&self->buffers[p][b], self, spes[p], mfcs[p], stores[p], b * BUFFER);

    // The control thread runs ahead by BUFFERS strips an SPE.
    for (size_t i = 0; i < STRIPS; i++) {
        Buffer *b = &self->buffers[i % SPES][i / SPES % BUFFERS];
        if (i >= SPES * BUFFERS)
            svm_kernelWait(&b->store.kernel);
        strip(self, b, i);
    }
    for (size_t p = 0; p < SPES; p++)
        for (size_t b = 0; b < BUFFERS; b++)
            svm_kernelWait(&self->buffers[p][b].store.kernel);

    svm_unmap(&XDR, positions);
    svm_unmap(&XDR, lists);
    svm_unmap(&XDR, accelerations);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: %s in out\n", argv[0]);
        return 2;
    }
    // DMA wants addresses that are multiples of 16.
    Instance *self = aligned_alloc(128, (sizeof(Instance) + 127) / 128 * 128);
    if (self == NULL) {
        fprintf(stderr, "error: out of memory\n");
        return 1;
    }
    FILE *f = fopen(argv[1], "rb");
    int failed = read_items(f, argv[1], self->positions, BODIES, sizeof(Vector)) ||
                 read_items(f, argv[1], self->lists, BODIES * NEIGHBOURS, sizeof(int32_t)) || control(self) ||
                 write_items(argv[2], self->accelerations, BODIES, sizeof(Vector));
    if (f != NULL)
        fclose(f);
    free(self);
    return failed;
}
