// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads and stores of stream instructions: groups of any words, wherever they are. Where the low four bits of both addresses
// are the same, what is no quadword goes by short transfers; else all goes through a window in which they are.
#include <spu_mfcio.h>
#include <string.h>

#include "instructions.h"
#include "streams.h"
#include "svm_resident.h"

enum { MOST_BYTES = 16384, QUADWORD = 16, WINDOW = 1024, COPIES = 32, TAG = 31 };

// What goes through the window, to be copied from there when it has come.
typedef struct Copy {
    uint32_t to, from, bytes;
} Copy;

typedef struct Moves {
    const svm_CellCommand *c;
    const svm_CellWords *g;
    uint32_t tag, used, copies;
    bool ordered; // groups may meet: later ones come behind earlier ones
} Moves;

static unsigned char window[WINDOW] __attribute__((aligned(128)));
static Copy copies[COPIES];
static svm_CellRecords made[SVM_CELL_WINDOW] __attribute__((aligned(16)));

static void wait_for(uint32_t tag)
{
    mfc_write_tag_mask(1u << tag);
    mfc_read_tag_status_all();
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

// ---- Transfers ----

// Bytes that one transfer may move from or to there: whole quadwords, or 8, 4, 2 or 1.
static uint32_t most_at_once(uint64_t ea, uint32_t bytes)
{
    if (ea % QUADWORD == 0 && bytes >= QUADWORD)
        return least(bytes, MOST_BYTES) & ~(uint32_t)(QUADWORD - 1);
    uint32_t n = QUADWORD / 2;
    while (ea % n != 0 || n > bytes)
        n /= 2;
    return n;
}

// The low four bits of both addresses are the same.
static void transfer(const Moves *m, bool put, uint32_t ls, uint64_t ea, uint32_t bytes)
{
    for (uint32_t n; bytes != 0; ls += n, ea += n, bytes -= n) {
        n = most_at_once(ea, bytes);
        if (!put)
            mfc_get((void *)ls, ea, n, m->tag, 0, 0);
        else if (m->ordered)
            mfc_putf((void *)ls, ea, n, m->tag, 0, 0);
        else
            mfc_put((void *)ls, ea, n, m->tag, 0, 0);
    }
}

static void empty_window(Moves *m)
{
    if (m->used == 0)
        return;
    wait_for(m->tag);
    for (uint32_t i = 0; i < m->copies; i++)
        memcpy((void *)copies[i].to, (const void *)copies[i].from, copies[i].bytes);
    m->used = m->copies = 0;
}

// Room in the window for bytes that go from or to there; at most as many as fit.
static uint32_t place(Moves *m, uint64_t ea, uint32_t *bytes)
{
    const uint32_t low = (uint32_t)ea % QUADWORD;
    *bytes = least(*bytes, WINDOW - low);
    const uint32_t needed = (low + *bytes + QUADWORD - 1) & ~(uint32_t)(QUADWORD - 1);
    if (needed > WINDOW - m->used || m->copies == COPIES)
        empty_window(m);
    const uint32_t at = (uint32_t)window + m->used + low;
    m->used += needed;
    return at;
}

static void through_window(Moves *m, uint32_t ls, uint64_t ea, uint32_t bytes)
{
    for (uint32_t n; bytes != 0; ls += n, ea += n, bytes -= n) {
        n = bytes;
        const uint32_t at = place(m, ea, &n);
        if (m->g->put)
            memcpy((void *)at, (const void *)ls, n);
        else
            copies[m->copies++] = (Copy){.to = ls, .from = at, .bytes = n};
        transfer(m, m->g->put, at, ea, n);
    }
}

// What is there is combined with what is here, before anything else comes there.
static void combine(Moves *m, uint32_t ls, uint64_t ea, uint32_t bytes)
{
    const uint32_t size = svm_cellOperandBytes(m->g->operation), most = (WINDOW - QUADWORD) / size * size;
    for (uint32_t n; bytes != 0; ls += n, ea += n, bytes -= n) {
        n = least(bytes, most);
        const uint32_t at = (uint32_t)window + (uint32_t)ea % QUADWORD;
        wait_for(m->tag);
        transfer(m, false, at, ea, n);
        wait_for(m->tag);
        svm_cellCombine(m->g->operation, (void *)at, (const void *)ls, n / size);
        transfer(m, true, at, ea, n);
    }
    wait_for(m->tag);
}

static void move(Moves *m, uint32_t ls, uint64_t ea, uint32_t bytes)
{
    if (m->g->operation != SVM_REPLACE)
        combine(m, ls, ea, bytes);
    else if (ls % QUADWORD == ea % QUADWORD)
        transfer(m, m->g->put, ls, ea, bytes);
    else
        through_window(m, ls, ea, bytes);
}

// ---- Groups ----

static uint64_t records_at(uint64_t ea)
{
    static svm_CellRecords got __attribute__((aligned(16)));
    mfc_get(&got, ea, sizeof got, TAG, 0, 0);
    wait_for(TAG);
    return got.records;
}

// How many groups there are; false: they are too many, or not as many as indices.
static bool count_groups(const svm_CellWords *g, uint32_t *count)
{
    uint64_t groups = g->records ? records_at(g->records) : g->count;
    const uint64_t indices = g->indexRecords ? records_at(g->indexRecords) : 0;
    if (g->indexRecords && g->records && indices != groups)
        return false;
    if (g->indexRecords)
        groups = indices;
    *count = (uint32_t)groups;
    return groups <= g->count;
}

static uint32_t index_of(const svm_CellWords *g, uint32_t i)
{
    return ((const uint32_t *)g->indices)[i];
}

// Before anything is moved: the PPE moves what is before a wrong one, and what combines is to do so once.
static bool are_inside(const svm_CellWords *g, uint32_t count)
{
    for (uint32_t i = 0; g->indices && i < count; i++)
        if (index_of(g, i) >= g->limit) // or below 0
            return false;
    return true;
}

static void move_groups(Moves *m, uint32_t count)
{
    const svm_CellWords *g = m->g;
    if (!g->indices && g->stride == g->bytes) {
        move(m, m->c->ls, m->c->ea, g->bytes * count);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t there = g->indices ? (uint64_t)index_of(g, i) * g->bytes : (uint64_t)i * g->stride;
        move(m, m->c->ls + i * g->bytes, m->c->ea + there, g->bytes);
    }
}

static bool move_all(const svm_CellCommand *c, const svm_CellWords *g, uint32_t tag)
{
    uint32_t count;
    Moves m = {.c = c, .g = g, .tag = tag, .ordered = g->indices || g->stride < g->bytes};
    if (!count_groups(g, &count) || !are_inside(g, count))
        return false;
    move_groups(&m, count);
    empty_window(&m);
    if (g->made) {
        made[tag] = (svm_CellRecords){.records = count};
        mfc_put(&made[tag], g->made, sizeof made[tag], tag, 0, 0);
    }
    return true;
}

// What is not as it should be the PPE looks at, and tells.
void svm_cellWords(const svm_CellCommand *c, uint32_t tag, uint32_t number)
{
    if (!move_all(c, (const svm_CellWords *)((const char *)c + svm_cellHead(c)), tag))
        svm_cellBadIndex(number);
}
