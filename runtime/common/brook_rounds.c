// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of finite graphs that wait for the next one (svm/brook_graph.h).
//
// NOTE(rounds). A call that waits is known to the streams that it makes and reads, so that whoever comes to them before it
// is done does it first. Nothing but time tells when it was: such kernels write streams, and always end. It is left undone
// when all that it makes is written by another call. Done together with the next call it stays undone too:
// nobody has stored its elements. Mostly streams are swapped, and the next call writes what this one reads: then that gets
// the room which this one does not need, and the old elements are the waiting call's.
#include <stdlib.h>
#include <string.h>

#include "runtime/common/brook.h"
#include "runtime/common/scheduler.h"

// One piece of memory, which its graph keeps for the next one.
struct svmr_BrookLate {
    const svm_BrookGraph *how;
    void *run; // a copy of the kernel's struct
    svm_BrookSpace space;
    svm_BrookStream *streams; // those that it reads are its own
    svm_BrookWalk *walks;
    svm_BrookStorage *made;
    svm_BrookStorage *old; // elements that it reads, of a stream that has got what would be the room of these; or NULL
};

static _Thread_local int rounds;              // loops that this thread is in
static _Thread_local svmr_BrookLate *waiting; // a call of such a loop, not paired

static bool isOutput(const svm_BrookGraph *how, int port)
{
    return how->ports[port].role == SVM_BROOK_OUT;
}

// ---- Calls that wait ----

// To one that has none.
static void moveElements(svm_BrookStorage *to, svm_BrookStorage *from)
{
    to->pages = from->pages;
    to->data = from->data;
    to->memory = from->memory;
    to->address = from->address;
    from->pages = NULL;
    from->data = NULL;
    from->memory = NULL;
}

static void forget(svmr_BrookLate *late)
{
    svm_BrookRounds *keeps = late->how->rowwise->rounds;
    for (int i = 0; i < late->how->count; i++) {
        if (isOutput(late->how, i))
            continue;
        svm_BrookStorage *s = late->streams[i].storage;
        if (s->feeds == late)
            s->feeds = NULL;
        svm_brookRelease(&late->streams[i]);
    }
    late->made->late = NULL;
    if (late->old && !late->made->data)
        moveElements(late->made, late->old);
    svm_BrookStream old = {.storage = late->old};
    svm_brookRelease(&old);
    if (waiting == late)
        waiting = NULL;
    free(keeps->unused);
    keeps->unused = late;
}

static void fireRow(const svmr_BrookLate *late, ptrdiff_t row, char **at)
{
    late->how->rowwise->row(late->run, row, at);
}

// Where a row of an output begins in its stream.
static char *rowOf(const svm_BrookStream *s, ptrdiff_t row)
{
    return svmr_brookData(s) + row * s->pitch[s->rank - 2] * (ptrdiff_t)svmr_brookSize(s);
}

// Stores all that it makes.
static void finish(svmr_BrookLate *late)
{
    const int count = late->how->count;
    char **at = svmr_allocate((size_t)count, sizeof *at);
    if (!late->made->data)
        svmr_brookFill(late->made);
    for (int i = 0; i < count; i++)
        at[i] = svmr_brookData(&late->streams[i]);
    for (ptrdiff_t row = 0; row < late->space.rows; row++) {
        for (int i = 0; i < count; i++)
            if (isOutput(late->how, i))
                at[i] = rowOf(&late->streams[i], row);
        fireRow(late, row, at);
    }
    free(at);
    forget(late);
}

void svmr_brookCatchUp(svm_BrookStorage *s, bool writes)
{
    if (s->late)
        finish(s->late);
    if (writes && s->feeds)
        finish(s->feeds);
}

void svmr_brookForgetLate(svm_BrookStorage *s)
{
    forget(s->late);
}

void svmr_brookOverwrite(svm_BrookStorage *s)
{
    if (s->late)
        forget(s->late);
    if (s->feeds)
        finish(s->feeds);
}

// ---- Streams of a call ----

static bool sameView(const svm_BrookStream *a, const svm_BrookStream *b)
{
    bool same = a->offset == b->offset && a->rank == b->rank;
    for (int d = 0; same && d < a->rank; d++)
        same = a->extent[d] == b->extent[d] && a->pitch[d] == b->pitch[d];
    return same;
}

// Whether a call's outputs cover a stream. They do not overlap, unless they are the same.
static bool covers(const svm_BrookGraph *graph, const svm_BrookStream *streams, const svm_BrookStorage *s)
{
    size_t count = 0;
    for (int i = 0; i < graph->count; i++) {
        if (graph->ports[i].role != SVM_BROOK_OUT || streams[i].storage != s)
            continue;
        if (graph->ports[i].most != 1)
            return false;
        for (int k = 0; k < i; k++)
            if (graph->ports[k].role == SVM_BROOK_OUT && streams[k].storage == s && sameView(&streams[i], &streams[k]))
                return false;
        count += svm_brookCount(streams[i]);
    }
    return count * s->size == s->bytes;
}

static bool isThere(const svm_BrookStream *s)
{
    return s->storage && (s->storage->late || s->storage->feeds);
}

static bool isWritten(const svm_BrookPort *p)
{
    return p->role == SVM_BROOK_OUT || p->role == SVM_BROOK_REDUCED;
}

void svmr_brookCatchUpAll(const svm_BrookGraph *graph, const svm_BrookStream *streams)
{
    for (int i = 0; i < graph->count; i++)
        if (isThere(&streams[i]) && !(graph->ports[i].role == SVM_BROOK_OUT && graph->ports[i].most == 1))
            svmr_brookCatchUp(streams[i].storage, isWritten(&graph->ports[i]));
    for (int i = 0; i < graph->count; i++) {
        if (!isThere(&streams[i]) || !isWritten(&graph->ports[i]))
            continue;
        if (covers(graph, streams, streams[i].storage))
            svmr_brookOverwrite(streams[i].storage);
        else
            svmr_brookCatchUp(streams[i].storage, true);
    }
}

static bool reads(const svm_BrookGraph *graph, const svm_BrookStream *streams, const svm_BrookStorage *s)
{
    for (int i = 0; i < graph->count; i++)
        if (streams[i].storage == s && !(graph->ports[i].role == SVM_BROOK_OUT && graph->ports[i].most == 1))
            return true;
    return false;
}

void svmr_brookFindRoom(const svm_BrookGraph *graph, const svm_BrookStream *streams)
{
    for (int i = 0; i < graph->count; i++) {
        svm_BrookStorage *s = streams[i].storage;
        if (!s || !s->late || s->data)
            continue;
        if (reads(graph, streams, s) || !covers(graph, streams, s))
            finish(s->late);
        else
            forget(s->late);
    }
}

// ---- Which calls wait ----

// The stream that a call makes, in whole rows, and all of it; NULL: it makes others.
static svm_BrookStorage *madeBy(const svm_BrookGraph *how, const svm_BrookSpace *space, const svm_BrookStream *streams,
                                const svm_BrookWalk *walks)
{
    enum { LEAST_BYTES = 64 << 10, LEAST_ROW = 256 }; // fewer stay in the first cache; a shorter row is mostly the call
    svm_BrookStorage *made = NULL;
    if (space->form != SVM_BROOK_UNIT || space->extent[0] * space->extent[1] != 1)
        return NULL;
    for (int i = 0; i < how->count; i++) {
        const svm_BrookStream *s = &streams[i];
        if (walks[i].copy || s->storage->iterator)
            return NULL;
        if (!isOutput(how, i))
            continue;
        made = made ? made : s->storage;
        const ptrdiff_t columns = space->columns;
        if (s->storage != made || made->rank != 2 || s->rank != 2 || s->pitch[1] != 1 || s->pitch[0] != columns ||
            made->extent[1] != columns || s->offset % columns != 0)
            return NULL;
    }
    if (!made || made->bytes < LEAST_BYTES || (size_t)space->columns * made->size < LEAST_ROW ||
        !covers(how, streams, made))
        return NULL;
    return made;
}

// Where somebody measures kernels, or time is made up, they are done when they are called.
static bool canWait(void)
{
#ifdef SVMR_TIMED
    return false;
#else
    return !SVMR_PROFILING;
#endif
}

bool svm_brookMayWait(const svm_BrookGraph *how)
{
    enum { MOST_MISSES = 4 };
    return rounds > 0 && how->rowwise && how->rowwise->rounds->misses < MOST_MISSES && canWait();
}

static size_t lineUp(size_t bytes)
{
    enum { LINE = 64 };
    return (bytes + LINE - 1) / LINE * LINE;
}

// Room for a call that waits.
static svmr_BrookLate *newLate(const svm_BrookGraph *how)
{
    svm_BrookRounds *keeps = how->rowwise->rounds;
    const size_t count = (size_t)how->count, head = lineUp(sizeof(svmr_BrookLate)),
                 streams = lineUp(count * sizeof(svm_BrookStream)), walks = lineUp(count * sizeof(svm_BrookWalk));
    char *room = keeps->unused ? keeps->unused : svmr_allocateAligned(head + streams + walks + how->rowwise->bytes);
    keeps->unused = NULL;
    svmr_BrookLate *late = (svmr_BrookLate *)(void *)room;
    *late = (svmr_BrookLate){.how = how};
    late->streams = (svm_BrookStream *)(void *)(room + head);
    late->walks = (svm_BrookWalk *)(void *)(room + head + streams);
    late->run = room + head + streams + walks;
    return late;
}

// The call has to wait: it gets streams of its own.
static void putOff(const svm_BrookGraph *how, const svm_BrookSpace *space, const svm_BrookStream *streams,
                   const svm_BrookWalk *walks, const void *run, svm_BrookStorage *made)
{
    svmr_BrookLate *late = newLate(how);
    late->space = *space;
    late->made = made;
    memcpy(late->run, run, how->rowwise->bytes);
    memcpy(late->walks, walks, (size_t)how->count * sizeof *walks);
    for (int i = 0; i < how->count; i++) {
        late->streams[i] = streams[i];
        if (isOutput(how, i))
            continue;
        late->streams[i] = svm_brookShare(streams[i].name, streams[i]);
        svm_BrookStorage *s = streams[i].storage;
        if (s->feeds && s->feeds != late)
            finish(s->feeds);
        s->feeds = late;
    }
    made->late = late;
    waiting = late;
}

// ---- Two calls, row by row ----

// Rows of both calls that go together, group by group: those of the first, which the next one's gather what those make of,
// those of the next, and the rows that each of the first gathers from.
typedef struct Groups {
    ptrdiff_t count, most;
    ptrdiff_t *rows;
    // What they have been found from:
    char *uniforms; // of both
    ptrdiff_t shape[2 + 2 * SVM_BROOK_LINES];
} Groups;

enum { MOST_FOUND = 8, MOST_ROWS = 4096 }; // of all that have been found; of a call, for it to be kept

typedef struct Pair {
    svmr_BrookLate *first;
    const svm_BrookGraph *how; // of both calls; what the next one has:
    const void *run;
    const svm_BrookStream *streams;
    svm_BrookWalk *walks;
    ptrdiff_t count; // of rows; each call's
    int lines, made; // ports that gather rows; outputs
    const int *line;
    int output[SVM_BROOK_LINES];
    ptrdiff_t begin[SVM_BROOK_LINES]; // where what each output makes begins
    size_t each;                      // numbers of a group
} Pair;

static void findPorts(Pair *p)
{
    p->lines = p->how->rowwise->lines;
    p->line = p->how->rowwise->line;
    for (int i = 0; i < p->how->count; i++)
        if (isOutput(p->how, i)) {
            p->begin[p->made] = p->first->streams[i].offset / p->first->made->extent[1];
            p->output[p->made++] = i;
        }
    p->each = (size_t)(p->lines + p->made + p->lines * p->lines);
}

// The output that makes a line; rows of outputs cover all lines.
static int makerOf(const Pair *p, ptrdiff_t line)
{
    int k = 0;
    while (line < p->begin[k] || line >= p->begin[k] + p->count)
        k++;
    return k;
}

// The group of a row of the next call: all of its rows gather from the same rows of the first one, each what another output
// makes of them.
static bool findGroup(const Pair *p, const ptrdiff_t *where, ptrdiff_t row, ptrdiff_t *group)
{
    const int output = makerOf(p, p->walks[p->line[0]].rows[row]);
    for (int k = 0; k < p->lines; k++) {
        group[k] = p->walks[p->line[k]].rows[row] - p->begin[output];
        if (group[k] < 0 || group[k] >= p->count)
            return false;
    }
    for (int o = 0; o < p->made; o++) {
        const ptrdiff_t other = where[p->begin[o] + group[0]] - 1;
        if (other < 0)
            return false;
        for (int k = 0; k < p->lines; k++)
            if (p->walks[p->line[k]].rows[other] != p->begin[o] + group[k])
                return false;
        group[p->lines + o] = other;
    }
    for (int k = 0; k < p->lines; k++)
        for (int i = 0; i < p->lines; i++)
            group[p->lines + p->made + k * p->lines + i] = p->first->walks[p->line[i]].rows[group[k]];
    return true;
}

// false: there are rows in no such group.
static bool findGroups(const Pair *p, Groups *g)
{
    ptrdiff_t *where = svmr_allocate((size_t)p->first->made->extent[0], sizeof *where); // from 1
    bool *done = svmr_allocate((size_t)p->count, sizeof *done), good = true;
    p->how->rowwise->find(p->first->run, p->first->walks);
    p->how->rowwise->find(p->run, p->walks);
    g->count = 0;
    for (ptrdiff_t row = 0; row < p->count; row++)
        where[p->walks[p->line[0]].rows[row]] = row + 1;
    for (ptrdiff_t row = 0; good && row < p->count; row++) {
        if (done[row])
            continue;
        ptrdiff_t *group = g->rows + (size_t)g->count++ * p->each;
        good = findGroup(p, where, row, group);
        for (int o = 0; good && o < p->made; o++)
            done[group[p->lines + o]] = true;
        good = good && done[row];
    }
    for (int i = 0; i < p->lines; i++) {
        free(p->first->walks[p->line[i]].rows);
        p->first->walks[p->line[i]].rows = NULL;
    }
    free(where);
    free(done);
    return good;
}

// What groups follow from.
static void shapeOf(const Pair *p, ptrdiff_t *shape)
{
    *shape++ = p->count;
    *shape++ = p->first->made->extent[0];
    for (int k = 0; k < SVM_BROOK_LINES; k++) {
        *shape++ = k < p->made ? p->begin[k] : 0;
        *shape++ = k < p->lines ? p->first->walks[p->line[k]].extent[2] : 0;
    }
}

static Groups *foundBefore(const Pair *p, const ptrdiff_t *shape)
{
    const svm_BrookRowwise *rowwise = p->how->rowwise;
    const size_t uniforms = rowwise->bytes - rowwise->uniforms;
    Groups *all = rowwise->rounds->found;
    for (int i = 0; all && i < MOST_FOUND; i++)
        if (all[i].count > 0 && memcmp(all[i].shape, shape, sizeof all[i].shape) == 0 &&
            memcmp(all[i].uniforms, (char *)p->first->run + rowwise->uniforms, uniforms) == 0 &&
            memcmp(all[i].uniforms + uniforms, (const char *)p->run + rowwise->uniforms, uniforms) == 0)
            return &all[i];
    return NULL;
}

// Groups of a pair of calls; NULL: there are none.
static const Groups *groupsOf(const Pair *p)
{
    const svm_BrookRowwise *rowwise = p->how->rowwise;
    svm_BrookRounds *rounds_of = rowwise->rounds;
    const size_t uniforms = rowwise->bytes - rowwise->uniforms;
    ptrdiff_t shape[2 + 2 * SVM_BROOK_LINES];
    shapeOf(p, shape);
    Groups *g = foundBefore(p, shape);
    if (g)
        return g;
    if (!rounds_of->found)
        rounds_of->found = svmr_allocate(MOST_FOUND, sizeof(Groups));
    g = (Groups *)rounds_of->found + rounds_of->turn++ % MOST_FOUND;
    if (g->most < p->count) {
        free(g->rows);
        g->rows = svmr_allocate((size_t)p->count * p->each, sizeof *g->rows);
        g->most = p->count;
    }
    if (!g->uniforms)
        g->uniforms = svmr_allocate(2 * uniforms + 1, 1);
    memcpy(g->uniforms, (char *)p->first->run + rowwise->uniforms, uniforms);
    memcpy(g->uniforms + uniforms, (const char *)p->run + rowwise->uniforms, uniforms);
    memcpy(g->shape, shape, sizeof shape);
    if (findGroups(p, g))
        return g;
    g->count = 0;
    return NULL;
}

static void runGroups(const Pair *p, const Groups *g)
{
    const int ports = p->how->count, rows = p->lines + p->made;
    char **at = svmr_allocate((size_t)(ports * rows), sizeof *at);
    for (int k = 0; k < rows; k++)
        for (int i = 0; i < ports; i++)
            at[k * ports + i] = svmr_brookData(k < p->lines ? &p->first->streams[i] : &p->streams[i]);
    for (ptrdiff_t n = 0; n < g->count; n++) {
        const ptrdiff_t *group = g->rows + (size_t)n * p->each;
        for (int k = 0; k < p->lines; k++)
            for (int i = 0; i < p->lines; i++)
                at[k * ports + p->line[i]] = rowOf(&p->first->streams[p->line[i]], group[rows + k * p->lines + i]);
        for (int o = 0; o < p->made; o++)
            for (int i = 0; i < p->made; i++)
                at[(p->lines + o) * ports + p->output[i]] = rowOf(&p->streams[p->output[i]], group[p->lines + o]);
        p->how->rowwise->twice(p->first->run, p->run, group, at);
    }
    free(at);
}

// The elements that a waiting call reads become its own, and the stream gets the room of what that would make.
static bool renew(svm_BrookStorage *s)
{
    svmr_BrookLate *late = s->feeds;
    if (late->made->bytes != s->bytes)
        return false;
    svm_BrookStorage *old = svmr_allocate(1, sizeof *old);
    *old = (svm_BrookStorage){.users = 1, .type = s->type, .size = s->size, .rank = s->rank, .bytes = s->bytes};
    memcpy(old->extent, s->extent, sizeof old->extent);
    moveElements(old, s);
    moveElements(s, late->made);
    late->old = old;
    for (int i = 0; i < late->how->count; i++)
        if (!isOutput(late->how, i) && late->streams[i].storage == s) {
            svm_brookRelease(&late->streams[i]);
            late->streams[i].storage = old;
            old->users++;
        }
    s->feeds = NULL;
    return true;
}

static bool isLine(const svm_BrookGraph *how, int port)
{
    for (int k = 0; k < how->rowwise->lines; k++)
        if (how->rowwise->line[k] == port)
            return true;
    return false;
}

// Whether rows that are gathered from have the space's columns.
static bool hasColumns(const svm_BrookGraph *how, const svm_BrookSpace *space, const svm_BrookStream *streams)
{
    for (int k = 0; k < how->rowwise->lines; k++) {
        const svm_BrookStream *s = &streams[how->rowwise->line[k]];
        if (s->extent[1] != space->columns || s->pitch[1] != 1)
            return false;
    }
    return true;
}

// The call that waits, if it makes what this one gathers rows from, and nothing else of.
static svmr_BrookLate *callBefore(const svm_BrookGraph *how, const svm_BrookSpace *space,
                                  const svm_BrookStream *streams)
{
    if (!waiting || waiting->how != how || waiting->space.rows != space->rows ||
        waiting->space.columns != space->columns)
        return NULL;
    const svm_BrookStorage *made = waiting->made;
    for (int i = 0; i < how->count; i++) {
        const svm_BrookStream *s = &streams[i];
        if (isOutput(how, i))
            continue;
        if (isLine(how, i) != (s->storage == made))
            return NULL;
        if (isLine(how, i) && (s->offset != 0 || s->extent[0] != made->extent[0] || s->extent[1] != made->extent[1]))
            return NULL;
    }
    return waiting;
}

// The call is done together with the one that waits; false: it cannot.
static bool pairUp(svmr_BrookLate *first, const svm_BrookGraph *how, const svm_BrookStream *streams,
                   const svm_BrookWalk *walks, const void *run, svm_BrookStorage *made)
{
    Pair p = {.first = first, .how = how, .run = run, .streams = streams, .count = first->space.rows};
    p.walks = (svm_BrookWalk *)walks; // `rows` are added, and leaving the call frees them
    findPorts(&p);
    const Groups *g = groupsOf(&p);
    if (!g || (made->feeds == first && !renew(made)))
        return false;
    svmr_brookOverwrite(made);
    runGroups(&p, g);
    waiting = NULL;
    return true;
}

bool svm_brookWait(const svm_BrookGraph *how, const svm_BrookSpace *space, const svm_BrookStream *streams,
                   svm_BrookWalk *walks, const void *run)
{
    if (!svm_brookMayWait(how))
        return false; // entering has seen to what waits
    svm_BrookStorage *made = madeBy(how, space, streams, walks);
    if (!made || !hasColumns(how, space, streams)) {
        svmr_brookCatchUpAll(how, streams);
        return false;
    }
    svmr_BrookLate *first = callBefore(how, space, streams);
    for (int i = 0; i < how->count; i++)
        if (!isOutput(how, i) && !(first && streams[i].storage == first->made))
            svmr_brookCatchUp(streams[i].storage, false);
    if (first && pairUp(first, how, streams, walks, run, made)) {
        how->rowwise->rounds->misses = 0;
        return true;
    }
    if (waiting) {
        how->rowwise->rounds->misses++;
        finish(waiting);
    }
    svmr_brookOverwrite(made);
    putOff(how, space, streams, walks, run, made);
    return true;
}

// ---- Loops ----

int svm_brookBeginRounds(void)
{
    return ++rounds;
}

void svm_brookEndRounds(const int *number)
{
    (void)number;
    if (--rounds == 0 && waiting)
        finish(waiting);
}
