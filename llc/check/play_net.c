// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs with dynamic rates: what their kernels do depends on data, but not which bytes go where when a static region is
// offloaded (svm/offload.h). So of svm_netRun the runs of such regions are played: whole ones, the shortest, and some between.
// Before them the control side writes the regions' blocks, and behind their kernels it reads them, as those kernels would.
#include <string.h>

#include "llc/check/play.h"
#include "llc/reader/reader.h"

static const ctype pointer = {.shape = SHAPE_POINTER, .size = 8}, word = {.shape = SHAPE_INT, .size = 8},
                   half = {.shape = SHAPE_INT, .size = 4};

typedef struct search {
    const char *name;
    CXType found;
} search;

static enum CXVisitorResult look_at_field(CXCursor field, CXClientData data)
{
    search *s = data;
    CXString name = clang_getCursorSpelling(field);
    bool same = strcmp(clang_getCString(name), s->name) == 0;
    clang_disposeString(name);
    if (same)
        s->found = clang_getCanonicalType(clang_getCursorType(field));
    return same ? CXVisit_Break : CXVisit_Continue;
}

// Of a record's field; what it points to, if it is a pointer.
static CXType field_type(play *p, CXType record, const char *name)
{
    search s = {.name = name};
    if (clang_Type_visitFields(record, look_at_field, &s) == 0)
        play_stop(p);
    return s.found.kind == CXType_Pointer ? clang_getCanonicalType(clang_getPointeeType(s.found)) : s.found;
}

static int64_t number_at(play *p, int64_t base, CXType record, const char *field, ctype type)
{
    val v = load(p, known(base + field_offset(p, record, field)), type);
    if (v.unknown)
        play_stop(p);
    return v.i;
}

// The control side writes, or reads, all of a region's blocks.
static void touch_blocks(play *p, int64_t of, CXType type, bool write)
{
    CXType table_type = field_type(p, type, "table");
    int64_t table = number_at(p, of, type, "table", pointer), blocks = number_at(p, of, type, "blocks", pointer);
    int64_t count = number_at(p, table, table_type, "blocks", half);
    CXType block_type = clang_getCanonicalType(clang_getPointeeType(field_type(p, type, "blocks")));
    for (int64_t i = 0; i < count; i++) {
        val block = load(p, known(blocks + i * pointer.size), pointer);
        if (block.unknown)
            play_stop(p);
        val data = load(p, known(block.i + field_offset(p, block_type, "data")), word);
        int64_t bytes = number_at(p, block.i, block_type, "capacity", word) *
                        number_at(p, block.i, block_type, "elementSize", word);
        touch(p, data, known(bytes), write);
    }
}

typedef struct offloaded {
    int64_t offload, served, kernel; // addresses: of it, of its region, of that one's kernel
    int64_t unit, most;              // steady states of a run
    CXType region;
} offloaded;

static offloaded find_offload(play *p, int64_t offloads, int64_t number, CXType type)
{
    val offload = load(p, known(offloads + number * pointer.size), pointer);
    if (offload.unknown)
        play_stop(p);
    offloaded o = {.offload = offload.i,
                   .served = number_at(p, offload.i, type, "region", pointer),
                   .unit = number_at(p, offload.i, type, "unit", word),
                   .most = number_at(p, offload.i, type, "most", word),
                   .region = field_type(p, type, "region")};
    o.kernel = number_at(p, o.served + field_offset(p, o.region, "common"), field_type(p, o.region, "common"), "kernel",
                         pointer);
    if (o.unit < 1 || o.most < o.unit)
        play_stop(p);
    return o;
}

// All regions at the same time: nothing says that one waits for another.
static void play_runs(play *p, callee *start, const offloaded *all, int64_t count, int64_t quarters)
{
    const code *at = p->at;
    for (int64_t i = 0; i < count; i++) {
        int64_t steady = all[i].most * quarters / 4 / all[i].unit * all[i].unit;
        const val arguments[2] = {known(all[i].offload), known(steady > 0 ? steady : all[i].unit)};
        touch_blocks(p, all[i].served, all[i].region, true);
        play_call(p, start, arguments, 2);
        p->at = at;
    }
    for (int64_t i = 0; i < count; i++) {
        order_wait(p, all[i].kernel);
        touch_blocks(p, all[i].served, all[i].region, false);
    }
}

val play_net_run(play *p, const code *call, int64_t net, CXType type)
{
    static const int64_t quarters[] = {4, 0, 3, 4};
    int64_t offset, count = number_at(p, net, type, "offloadCount", word);
    if (count <= 0 || count > 1 << 20) // nothing that could be followed
        play_stop(p);
    const object *start = pointed(p, number_at(p, net, type, "startOffload", pointer), &offset);
    if (start == NULL || start->kind != OBJECT_FUNCTION || start->function->foreign)
        play_stop(p);
    callee *function = start->function;
    CXType offload_type = clang_getCanonicalType(clang_getPointeeType(
        clang_getCanonicalType(clang_getCursorType(clang_Cursor_getArgument(function->cursor, 0)))));
    int64_t offloads = number_at(p, net, type, "offloads", pointer);
    offloaded *all = ARENA_ARRAY(p->arena, offloaded, (size_t)count);
    for (int64_t i = 0; i < count; i++)
        all[i] = find_offload(p, offloads, i, offload_type);
    const code *caller = p->caller;
    bool apart = p->apart;
    p->caller = apart ? caller : call;
    p->apart = true;
    for (size_t r = 0; r < sizeof quarters / sizeof *quarters; r++)
        play_runs(p, function, all, count, quarters[r]);
    p->caller = caller;
    p->apart = apart;
    return known(false);
}
