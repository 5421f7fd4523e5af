// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions over nodes. The last node to come combines all values, in a binary tree over the nodes' numbers.
#include "runtime/common/dma.h"
#include "runtime/common/nodes.h"

#include <stdlib.h>
#include <string.h>

#define ALL SIZE_MAX // the result goes to every node

struct svmr_Reduction {
    uint64_t number; // of each node's reductions, from 1
    svm_Operation operation;
    size_t count, bytes; // values of a node
    size_t target;       // or ALL
    size_t came, left;   // nodes that have brought values; that have yet to take the result
    char *values;        // of node 0, 1, ...; when all have come the first are the result
    svmr_Reduction *next;
    // Of svm_ReduceStart: where each node wants the result; NULL: not so, or it has it.
    void **results;
};

static void freeReduction(svmr_Reduction *r)
{
    free(r->values);
    free(r->results);
    free(r);
}

void svmr_freeReductions(svmr_World *w)
{
    for (svmr_Reduction *r = w->reductions, *next; r; r = next) {
        next = r->next;
        freeReduction(r);
    }
    w->reductions = NULL;
}

static svmr_Reduction *find(svmr_World *w, uint64_t number)
{
    svmr_Reduction *r = w->reductions;
    while (r && r->number != number)
        r = r->next;
    return r;
}

static void drop(svmr_World *w, svmr_Reduction *r)
{
    svmr_Reduction **link = &w->reductions;
    while (*link != r)
        link = &(*link)->next;
    *link = r->next;
    freeReduction(r);
}

static const svmr_OperationRow *checkReduction(const svm_Node *self, svm_Operation operation, size_t size,
                                               const void *values, const void *results, svmr_Place at)
{
    svmr_checkNode(self, at);
    const svmr_OperationRow *row = svmr_operation(operation);
    if (!row || !row->apply)
        svmr_fail(self->machine, SVM_ERROR_BAD_ARGUMENT, "", at, "%d is no operation that combines", (int)operation);
    if (size && row->size != size)
        svmr_fail(self->machine, SVM_ERROR_SIZE_MISMATCH, "", at, "the value has %zu bytes, and %s works on %zu", size,
                  row->name, row->size);
    if (!values || !results)
        svmr_fail(self->machine, SVM_ERROR_BAD_ARGUMENT, "", at, "the array of values or results is a null pointer");
    return row;
}

static svmr_Reduction *newReduction(svmr_World *w, const svmr_Reduction *like, const svmr_OperationRow *row,
                                    svmr_Place at)
{
    size_t all;
    if (__builtin_mul_overflow(like->count, row->size, &all) || __builtin_mul_overflow(all, w->count, &all)) {
        svmr_unlockWorld(w, at);
        svmr_fail(svmr_machine(), SVM_ERROR_BAD_ARGUMENT, "", at, "%zu values are more than any memory holds",
                  like->count);
    }
    svmr_Reduction *r = svmr_allocate(1, sizeof *r);
    *r = *like;
    r->bytes = like->count * row->size;
    r->left = r->target == ALL ? w->count : 1;
    r->values = svmr_allocate(w->count, r->bytes ? r->bytes : 1);
    r->results = svmr_allocate(w->count, sizeof *r->results);
    svmr_Reduction **end = &w->reductions;
    while (*end)
        end = &(*end)->next;
    return *end = r;
}

// Neighbours first, then pairs of neighbours, and so on.
static void combine(const svmr_World *w, svmr_Reduction *r, const svmr_OperationRow *row)
{
    for (size_t step = 1; step < w->count; step *= 2)
        for (size_t i = 0; i + step < w->count; i += 2 * step)
            row->apply(r->values + i * r->bytes, r->values + (i + step) * r->bytes, r->count);
}

// This node's values are there (locked). It does not return if they do not belong together.
static svmr_Reduction *bring(svm_Node *self, const svmr_Reduction *like, const svmr_OperationRow *row,
                             const void *values, svmr_Place at)
{
    svmr_World *w = self->private_->world;
    svmr_Reduction *r = find(w, like->number);
    if (!r)
        r = newReduction(w, like, row, at);
    if (r->operation != like->operation || r->count != like->count || r->target != like->target) {
        svmr_unlockWorld(w, at);
        svmr_fail(self->machine, SVM_ERROR_SIZE_MISMATCH, "", at,
                  "another node's reduction number %llu is of another operation, number of values or form",
                  (unsigned long long)like->number);
    }
    self->private_->reductions++;
    memcpy(r->values + self->id * r->bytes, values, r->bytes);
    if (++r->came == w->count) {
        combine(w, r, row);
        svmr_tellWorld(w, at);
    }
    return r;
}

static void takeResult(svmr_World *w, svmr_Reduction *r, void *results)
{
    memcpy(results, r->values, r->bytes);
    if (--r->left == 0)
        drop(w, r);
}

static svmr_Reduction like(const svm_Node *self, svm_Operation operation, size_t count, size_t target)
{
    return (svmr_Reduction){
        .number = self->private_->reductions + 1, .operation = operation, .count = count, .target = target};
}

static void reduce(svm_Node *self, const svmr_OperationRow *row, const svmr_Reduction *wanted, const void *values,
                   void *results, svmr_Place at)
{
    svmr_World *w = self->private_->world;
    svmr_lockWorld(w, at);
    svmr_Reduction *r = bring(self, wanted, row, values, at);
    if (r->target == ALL || r->target == self->id) {
        while (r->came < w->count)
            svmr_waitWorld(w, at);
        takeResult(w, r, results);
    }
    svmr_unlockWorld(w, at);
}

int32_t svm_ReduceAt(svm_Node *self, svm_Operation operation, int32_t value, const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_Reduce");
    const svmr_OperationRow *row = checkReduction(self, operation, sizeof value, &value, &value, at);
    svmr_Reduction wanted = like(self, operation, 1, ALL);
    reduce(self, row, &wanted, &value, &value, at);
    return value;
}

float svm_ReduceFloatAt(svm_Node *self, svm_Operation operation, float value, const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_ReduceFloat");
    const svmr_OperationRow *row = checkReduction(self, operation, sizeof value, &value, &value, at);
    svmr_Reduction wanted = like(self, operation, 1, ALL);
    reduce(self, row, &wanted, &value, &value, at);
    return value;
}

void svm_ReduceValuesAt(svm_Node *self, svm_Operation operation, const void *values, void *results, size_t count,
                        const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_ReduceValues");
    const svmr_OperationRow *row = checkReduction(self, operation, 0, values, results, at);
    svmr_Reduction wanted = like(self, operation, count, ALL);
    reduce(self, row, &wanted, values, results, at);
}

void svm_ReduceToAt(svm_Node *self, size_t node, svm_Operation operation, const void *values, void *results,
                    size_t count, const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_ReduceTo");
    const svmr_OperationRow *row = checkReduction(self, operation, 0, values, results, at);
    svmr_checkNodeNumber(self, node, at);
    svmr_Reduction wanted = like(self, operation, count, node);
    reduce(self, row, &wanted, values, results, at);
}

// ---- Without blocking ----

svm_Fence svm_ReduceStartAt(svm_Node *self, svm_Operation operation, const void *values, void *results, size_t count,
                            const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_ReduceStart");
    const svmr_OperationRow *row = checkReduction(self, operation, 0, values, results, at);
    svmr_World *w = self->private_->world;
    svmr_Reduction wanted = like(self, operation, count, ALL);
    svmr_lockWorld(w, at);
    svmr_Reduction *r = bring(self, &wanted, row, values, at);
    r->results[self->id] = results;
    svmr_unlockWorld(w, at);
    return wanted.number;
}

// Its result is yet to be taken by this node (locked); NULL: it has it.
static svmr_Reduction *outstanding(svm_Node *self, svm_Fence fence)
{
    svmr_Reduction *r = find(self->private_->world, fence);
    return r && r->results[self->id] ? r : NULL;
}

static void checkFence(const svm_Node *self, svm_Fence fence, svmr_Place at)
{
    svmr_checkNode(self, at);
    if (fence > self->private_->reductions)
        svmr_fail(self->machine, SVM_ERROR_BAD_ARGUMENT, "", at, "fence %llu is of no reduction of this node",
                  (unsigned long long)fence);
}

static void takeOutstanding(svm_Node *self, svmr_Reduction *r)
{
    void *results = r->results[self->id];
    r->results[self->id] = NULL;
    takeResult(self->private_->world, r, results);
}

bool svm_reduceQueryAt(svm_Node *self, svm_Fence fence, const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_reduceQuery");
    checkFence(self, fence, at);
    svmr_World *w = self->private_->world;
    svmr_lockWorld(w, at);
    svmr_Reduction *r = outstanding(self, fence);
    bool done = !r || r->came == w->count;
    if (r && done)
        takeOutstanding(self, r);
    svmr_unlockWorld(w, at);
    return done;
}

void svm_reduceSynchAt(svm_Node *self, svm_Fence fence, const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_reduceSynch");
    checkFence(self, fence, at);
    svmr_World *w = self->private_->world;
    svmr_lockWorld(w, at);
    svmr_Reduction *r = outstanding(self, fence);
    while (r && r->came < w->count)
        svmr_waitWorld(w, at);
    if (r)
        takeOutstanding(self, r);
    svmr_unlockWorld(w, at);
}
