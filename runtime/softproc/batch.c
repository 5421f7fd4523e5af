// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Batches: threads of the domain, in rows or in squares, and running all of them without time.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/softproc/core.h"

// Threads that the functional mode takes at a time: many, so that an instruction is looked at seldom.
enum { WIDE_GROUPS = 16 };

void sp_fail(sp_core *c, const char *format, ...)
{
    if (c->failed)
        return;
    va_list args;
    va_start(args, format);
    vsnprintf(c->fault, sizeof c->fault, format, args);
    va_end(args);
    c->failed = true;
}

void sp_fail_at(sp_core *c, const sp_batch *b, const sp_group *g, unsigned lane, const char *format, ...)
{
    char text[300];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    sp_fail(c, "instruction %u, thread (%d, %d): %s", (unsigned)b->pc, (int)g->x[lane], (int)g->y[lane], text);
}

// ---- Buffers and domain ----

static bool check_buffer(sp_core *c, char letter, unsigned n, const sp_buffer *b)
{
    if (!b->set) {
        sp_fail(c, "the program uses %c%u, which is not set", letter, n);
        return false;
    }
    uint64_t bytes = (uint64_t)b->pitch * b->height * b->element;
    if (b->width == 0 || b->pitch < b->width || b->height == 0 || b->base > c->memory_size ||
        bytes > c->memory_size - b->base) {
        sp_fail(c, "%c%u has %u x %u elements of %u bytes at address %u, outside of the memory of %zu bytes", letter, n,
                b->width, b->height, b->element, b->base, c->memory_size);
        return false;
    }
    return true;
}

static bool check_output(sp_core *c, unsigned n)
{
    const sp_buffer *b = &c->output[n];
    if (!check_buffer(c, 'o', n, b))
        return false;
    if (b->tiling != SVM_SP_LINEAR) {
        sp_fail(c, "o%u is tiled; outputs must be linear", n);
        return false;
    }
    if (c->scatter && b->element != 4) {
        sp_fail(c, "o%u is scattered to and has elements of %u bytes; expected 4", n, b->element);
        return false;
    }
    if (!c->scatter && ((uint32_t)c->x1 >= b->width || (uint32_t)c->y1 >= b->height)) {
        sp_fail(c, "the domain (%d, %d) to (%d, %d) is outside of o%u's %u x %u elements", (int)c->x0, (int)c->y0,
                (int)c->x1, (int)c->y1, n, b->width, b->height);
        return false;
    }
    return true;
}

bool sp_core_check(sp_core *c)
{
    if (c->x0 < 0 || c->y0 < 0 || c->x1 < c->x0 || c->y1 < c->y0 || c->x1 > 1 << 20 || c->y1 > 1 << 20) {
        sp_fail(c, "the domain (%d, %d) to (%d, %d) is empty or too large", (int)c->x0, (int)c->y0, (int)c->x1,
                (int)c->y1);
        return false;
    }
    for (unsigned i = 0; i < SP_MAX_INPUTS; i++) {
        if ((c->inputs >> i & 1) == 0)
            continue;
        if (!check_buffer(c, 's', i, &c->input[i]))
            return false;
        if (c->input[i].tiling == SVM_SP_TILED || c->input[i].tiling == SVM_SP_TILED_2X2) {
            sp_fail(c, "s%u is tiled; the order of elements in tiles is not public, and inputs must be linear", i);
            return false;
        }
    }
    for (unsigned i = 0; i < SP_MAX_OUTPUTS; i++)
        if ((c->outputs >> i & 1) != 0 && !check_output(c, i))
            return false;
    return true;
}

// ---- Batches ----

bool sp_batch_create(const sp_core *c, sp_batch *b)
{
    size_t frame = (size_t)c->temps * 4 * sizeof(sp_v4), head = c->groups * sizeof(sp_group);
    *b = (sp_batch){0};
    char *block = aligned_alloc(16, head + c->groups * frame);
    if (block == NULL)
        return false;
    memset(block, 0, head + c->groups * frame);
    b->groups = (sp_group *)block;
    for (uint32_t i = 0; i < c->groups; i++)
        b->groups[i].registers = (sp_v4 *)(block + head + i * frame);
    return true;
}

void sp_batch_free(sp_batch *b)
{
    free(b->groups);
    b->groups = NULL;
}

void sp_core_rewind(sp_core *c)
{
    c->next_x = c->x0;
    c->next_y = c->y0;
    c->exhausted = false;
}

// Moves to the next thread, or the next square of four.
static void next_coordinate(sp_core *c)
{
    int step = c->quads ? 2 : 1;
    c->next_x += step;
    if (c->next_x <= c->x1)
        return;
    c->next_x = c->x0;
    c->next_y += step;
    if (c->next_y > c->y1)
        c->exhausted = true;
}

static void start_thread(const sp_core *c, sp_group *g, unsigned lane, int32_t x, int32_t y, bool covered)
{
    covered = covered && x <= c->x1 && y <= c->y1;
    g->x[lane] = x;
    g->y[lane] = y;
    g->covered[lane] = g->active[lane] = covered ? -1 : 0;
    g->state[lane] = covered ? SP_ACTIVE : SP_DEAD;
    g->counter[lane] = 0;
    g->registers[0][lane] = (float)x;
    g->registers[1][lane] = (float)y;
}

static void start_group(sp_core *c, sp_group *g)
{
    memset(g->out, 0, sizeof g->out);
    memset(g->predicate, 0, sizeof g->predicate);
    memset(&g->alu, 0, sizeof g->alu);
    // Hardware leaves what was there. Zeros make runs repeatable, whatever batches came before.
    memset(g->registers, 0, c->temps * 4 * sizeof(sp_v4));
    if (c->quads) {
        for (unsigned lane = 0; lane < SP_LANES; lane++)
            start_thread(c, g, lane, c->next_x + (int)(lane & 1), c->next_y + (int)(lane >> 1), !c->exhausted);
        if (!c->exhausted)
            next_coordinate(c);
        return;
    }
    for (unsigned lane = 0; lane < SP_LANES; lane++) {
        start_thread(c, g, lane, c->next_x, c->next_y, !c->exhausted);
        if (!c->exhausted)
            next_coordinate(c);
    }
}

bool sp_batch_start(sp_core *c, sp_batch *b)
{
    if (c->exhausted)
        return false;
    b->pc = 0;
    b->loops = b->calls = 0;
    b->done = false;
    for (uint32_t i = 0; i < c->groups; i++)
        start_group(c, &b->groups[i]);
    return true;
}

// ---- Without time ----

static unsigned covered_threads(const sp_core *c, const sp_batch *b)
{
    unsigned n = 0;
    for (uint32_t i = 0; i < c->groups; i++)
        for (unsigned lane = 0; lane < SP_LANES; lane++)
            n += b->groups[i].covered[lane] != 0;
    return n;
}

static void run_batch(sp_core *c, sp_batch *b, sp_lookup *lookups, uint64_t *steps, svm_SpCounters *n)
{
    uint64_t alu = 0, tex = 0, flow = 0, reads = 0, bytes = 0;
    while (!b->done && !c->failed) {
        const sp_ready *r = &c->code[b->pc];
        if (*steps == 0) {
            sp_fail_at(c, b, &b->groups[0], 0, "the limit of instructions is reached; does the program end?");
            return;
        }
        --*steps;
        if (r->type == SP_TEX) {
            unsigned count;
            int al = r->relative ? sp_loop_register(b) : 0;
            sp_texture_read(c, b, r, lookups, &count);
            if (!c->failed)
                sp_texture_write(b, c->groups, r, lookups, al);
            sp_advance(c, b, r);
            reads += count;
            bytes += (uint64_t)count * c->input[r->tex_id].element;
            tex++;
        } else if (r->type == SP_FC) {
            sp_execute_flow(c, b, r);
            flow++;
        } else {
            sp_execute_alu(c, b, r);
            alu++;
        }
    }
    unsigned threads = covered_threads(c, b);
    n->threads += threads;
    n->aluInstructions += alu * threads;
    n->texInstructions += tex * threads;
    n->flowInstructions += flow * threads;
    n->reads += reads;
    n->readBytes += bytes;
    n->batches++;
}

bool sp_run_functional(sp_core *c, uint64_t steps, svm_SpCounters *counters)
{
    sp_batch b;
    uint32_t before = c->groups;
    c->groups = WIDE_GROUPS;
    sp_lookup *lookups = aligned_alloc(16, WIDE_GROUPS * sizeof *lookups);
    if (lookups == NULL || !sp_batch_create(c, &b)) {
        free(lookups);
        c->groups = before;
        sp_fail(c, "out of memory");
        return false;
    }
    sp_core_rewind(c);
    while (!c->failed && sp_batch_start(c, &b)) {
        run_batch(c, &b, lookups, &steps, counters);
        if (!c->failed)
            sp_batch_end(c, &b);
    }
    sp_batch_free(&b);
    free(lookups);
    c->groups = before;
    return !c->failed;
}
