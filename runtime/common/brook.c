// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams of finite graphs: storage, handles, views.
#include "runtime/common/brook.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

// ---- Errors ----

void svm_brookFail(const svm_BrookPlace *at, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    svmr_fatal("%s:%d: error: %s", at->file, at->line, text);
}

void svmr_brookNeed(const svm_BrookPlace *at, const svm_BrookStream *s, const char *what)
{
    if (!s->storage)
        svm_brookFail(at, "%s: the stream '%s' has no elements yet: nothing was assigned to it", what,
                      s->name ? s->name : "?");
}

const char *svmr_brookShape(const svm_BrookStream *s)
{
    static _Thread_local char texts[4][4 * 24];
    static _Thread_local unsigned turn;
    char *text = texts[turn++ % 4];
    size_t n = 0;
    for (int d = 0; d < s->rank; d++)
        n += (size_t)snprintf(text + n, sizeof texts[0] - n, "%s%td", d ? ", " : "<", s->extent[d]);
    snprintf(text + n, sizeof texts[0] - n, ">");
    return text;
}

// ---- Elements ----

static size_t leafSize(char leaf)
{
    switch (leaf) {
    case 'd': return 8;
    case 'f':
    case 'i':
    case 'u': return 4;
    case 'y': return 2;
    default: return 1;
    }
}

size_t svm_brookTypeSize(const svm_BrookType *type)
{
    size_t size = 0;
    for (const char *leaf = type->leaves; *leaf; leaf++)
        size += leafSize(*leaf);
    return size;
}

size_t svm_brookCount(svm_BrookStream s)
{
    size_t count = 1;
    for (int d = 0; d < s.rank; d++)
        count *= (size_t)s.extent[d];
    return s.storage ? count : 0;
}

bool svmr_brookIsPlain(const svm_BrookStream *s)
{
    ptrdiff_t pitch = 1;
    for (int d = s->rank - 1; d >= 0; d--) {
        if (s->extent[d] != 1 && s->pitch[d] != pitch)
            return false;
        pitch *= s->extent[d];
    }
    return true;
}

void svmr_brookRows(const svm_BrookStream *s, svmr_BrookRowAction *action, void *context)
{
    const size_t count = svm_brookCount(*s);
    if (count == 0)
        return;
    const ptrdiff_t columns = s->extent[s->rank - 1];
    ptrdiff_t index[SVM_BROOK_RANK] = {0}, at = 0;
    for (size_t row = 0, rows = count / (size_t)columns; row < rows; row++) {
        action(context, svmr_brookData(s) + at * (ptrdiff_t)svmr_brookSize(s), columns, s->pitch[s->rank - 1]);
        for (int d = s->rank - 2; d >= 0; d--) {
            at += s->pitch[d];
            if (++index[d] < s->extent[d])
                break;
            at -= index[d] * s->pitch[d];
            index[d] = 0;
        }
    }
}

// ---- Storage ----

// Asks for large pages where some are whole: walks come to fewer of them, and are not held up where each begins.
static void preferLargePages(void *data, size_t bytes)
{
#if defined(MADV_HUGEPAGE)
    const int error = errno;
    madvise(data, bytes / SVMR_BROOK_LARGE_PAGE * SVMR_BROOK_LARGE_PAGE, MADV_HUGEPAGE); // if not, it goes without
    errno = error;
#else
    (void)data, (void)bytes;
#endif
}

// How far into its first page a storage begins. Where all begin with a page, what a loop reads is often as far in a page as
// what it has just written, and until processors know the whole addresses they take the one for the other. So those that
// are made one after the other begin far from each other. Engines move units that divide this.
static size_t shift(size_t bytes)
{
    enum { STEP = SVMR_BROOK_PAGE / 8, WORTH = 4 * SVMR_BROOK_PAGE };
    static const unsigned char far[] = {0, 4, 2, 6, 1, 5, 3, 7};
    static _Thread_local unsigned turn;
    return bytes < WORTH ? 0 : far[turn++ % sizeof far] * (size_t)STEP;
}

// In whole pages: large pieces come as such that nobody has touched, and engines that move units of several elements may
// move what is behind the last.
static bool makeElements(svm_BrookStorage *s)
{
    const bool large = s->bytes >= SVMR_BROOK_LARGE_PAGE;
    const size_t begin = shift(s->bytes), bytes = begin + svmr_brookRoom(s->bytes);
    if (posix_memalign(&s->pages, large ? SVMR_BROOK_LARGE_PAGE : SVMR_BROOK_PAGE, bytes)) {
        s->pages = NULL;
        return false;
    }
    if (large)
        preferLargePages(s->pages, bytes);
    s->data = (char *)s->pages + begin;
    return true;
}

static svm_BrookStorage *makeStorage(const svm_BrookPlace *at, const char *name, const svm_BrookType *type, int rank,
                                     const ptrdiff_t *extents)
{
    svm_BrookStorage *s = svmr_allocate(1, sizeof *s);
    s->users = 1;
    s->type = *type;
    s->size = svm_brookTypeSize(type);
    s->rank = rank;
    s->bytes = s->size;
    for (int d = 0; d < rank; d++) {
        if (extents[d] < 0)
            svm_brookFail(at, "stream '%s': the extent %td of dimension %d is negative", name, extents[d], d + 1);
        if (__builtin_mul_overflow(s->bytes, (size_t)extents[d], &s->bytes) || s->bytes > PTRDIFF_MAX)
            svm_brookFail(at, "stream '%s': more bytes than this computer can address", name);
        s->extent[d] = extents[d];
    }
    return s;
}

void svmr_brookFill(svm_BrookStorage *s)
{
    if (!makeElements(s))
        svmr_fatal("%zu bytes wanted for a stream, more than this computer has left", s->bytes);
}

static svm_BrookStream handleOf(svm_BrookStorage *s, const char *name)
{
    svm_BrookStream h = {.storage = s, .name = name, .rank = s->rank};
    ptrdiff_t pitch = 1;
    for (int d = s->rank - 1; d >= 0; d--) {
        h.extent[d] = s->extent[d];
        h.pitch[d] = pitch;
        pitch *= s->extent[d];
    }
    return h;
}

svm_BrookStream svm_brookMake(const svm_BrookPlace *at, const char *name, const svm_BrookType *type, int rank,
                              const ptrdiff_t *extents)
{
    svm_BrookStorage *s = makeStorage(at, name, type, rank, extents);
    if (!makeElements(s))
        svm_brookFail(at, "stream '%s': %zu bytes wanted, more than this computer has left", name, s->bytes);
    return handleOf(s, name);
}

svm_BrookStream svm_brookIterator(const svm_BrookPlace *at, const char *name, const svm_BrookType *type, int rank,
                                  const ptrdiff_t *extents, const float *from, const float *to)
{
    svm_BrookStorage *s = makeStorage(at, name, type, rank, extents);
    s->iterator = true;
    for (size_t k = 0; k < strlen(type->leaves) && k < SVM_BROOK_RANK; k++) {
        s->from[k] = from[k];
        s->to[k] = to[k];
    }
    return handleOf(s, name);
}

size_t svmr_brookAddress(svm_BrookStorage *s, mm_Mem memory)
{
    if (s->memory == memory)
        return s->address;
    if (s->memory)
        svm_unmap(s->memory, s->address);
    s->memory = memory;
    return s->address = svm_map(memory, s->data, svmr_brookRoom(s->bytes));
}

// ---- Handles ----

svm_BrookStream svm_brookShare(const char *name, svm_BrookStream s)
{
    if (s.storage)
        s.storage->users++;
    s.name = name;
    return s;
}

void svm_brookRelease(svm_BrookStream *h)
{
    svm_BrookStorage *s = h->storage;
    h->storage = NULL;
    if (!s || --s->users)
        return;
    if (s->late)
        svmr_brookForgetLate(s);
    if (s->home)
        svmr_brookGo(s);
    if (s->memory)
        svm_unmap(s->memory, s->address);
    free(s->pages);
    free(s);
}

void svm_brookAssign(svm_BrookStream *to, svm_BrookStream from)
{
    svm_BrookStream now = svm_brookShare(to->name, from);
    svm_brookRelease(to);
    *to = now;
}

static bool isIterator(const svm_BrookStream *s)
{
    return s->storage && s->storage->iterator;
}

void svm_brookSwap(const svm_BrookPlace *at, svm_BrookStream *a, svm_BrookStream *b)
{
    if (isIterator(a) || isIterator(b))
        svm_brookFail(at, "streamSwap: '%s' is an iterator", isIterator(a) ? a->name : b->name);
    svm_BrookStream was = *a;
    const char *name = b->name;
    *a = *b;
    a->name = was.name;
    *b = was;
    b->name = name;
}

svm_BrookStream svm_brookDomain(const svm_BrookPlace *at, svm_BrookStream s, int rank, const int *lo, const int *hi)
{
    svmr_brookNeed(at, &s, "domain");
    if (isIterator(&s))
        svm_brookFail(at, "domain: '%s' is an iterator", s.name);
    if (rank != s.rank)
        svm_brookFail(at, "domain: bounds of %d dimensions for the stream '%s' of shape %s", rank, s.name,
                      svmr_brookShape(&s));
    svm_BrookStream view = s;
    for (int k = 0; k < rank; k++) {
        const int d = rank - 1 - k;
        if (lo[k] < 0 || hi[k] < lo[k] || hi[k] > s.extent[d])
            svm_brookFail(at, "domain: %d to %d in dimension %c of the stream '%s' of shape %s", lo[k], hi[k],
                          "xyzw"[k], s.name, svmr_brookShape(&s));
        view.offset += lo[k] * s.pitch[d];
        view.extent[d] = hi[k] - lo[k];
    }
    return view;
}

// ---- Copies ----

typedef struct Copying {
    char *to;
    size_t size;
} Copying;

static void copyRow(void *context, char *first, ptrdiff_t count, ptrdiff_t pitch)
{
    Copying *c = context;
    if (pitch == 1) {
        memcpy(c->to, first, (size_t)count * c->size);
        c->to += (size_t)count * c->size;
        return;
    }
    for (ptrdiff_t i = 0; i < count; i++, c->to += c->size)
        memcpy(c->to, first + i * pitch * (ptrdiff_t)c->size, c->size);
}

static void fillIterator(float *to, const svm_BrookStorage *s)
{
    const int components = (int)strlen(s->type.leaves);
    const size_t count = s->bytes / s->size;
    for (size_t i = 0; i < count; i++) {
        size_t left = i;
        ptrdiff_t index[SVM_BROOK_RANK];
        for (int d = s->rank - 1; d >= 0; d--) {
            index[s->rank - 1 - d] = (ptrdiff_t)(left % (size_t)s->extent[d]);
            left /= (size_t)s->extent[d];
        }
        for (int k = 0; k < components; k++) {
            const int along = s->rank == 1 ? 0 : k;
            *to++ = svm_brookIterate(s->from[k], s->to[k], index[along], s->extent[s->rank - 1 - along]);
        }
    }
}

void svm_brookValues(const svm_BrookPlace *at, svm_BrookStream s, void *to)
{
    svmr_brookNeed(at, &s, "values");
    svmr_brookSettle(s.storage, false);
    if (isIterator(&s))
        fillIterator(to, s.storage);
    else
        svmr_brookRows(&s, copyRow, &(Copying){to, s.storage->size});
}

char *svmr_brookGather(const svm_BrookPlace *at, svm_BrookStream s)
{
    char *values = svmr_allocate(svm_brookCount(s), s.storage->size);
    svm_brookValues(at, s, values);
    return values;
}

svm_BrookStream svmr_brookCopy(const svm_BrookPlace *at, svm_BrookStream s)
{
    svm_BrookStream copy = svm_brookMake(at, s.name, &s.storage->type, s.rank, s.extent);
    svm_brookValues(at, s, copy.storage->data);
    return copy;
}

// ---- Host memory ----

void *svm_brookMalloc(size_t bytes)
{
    void *p;
    return posix_memalign(&p, 32, bytes ? bytes : 1) ? NULL : p;
}

void *svm_brookCalloc(size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    void *p = svm_brookMalloc(bytes);
    if (p)
        memset(p, 0, bytes);
    return p;
}

// realloc keeps what is there, and gives up the alignment.
void *svm_brookRealloc(void *memory, size_t bytes)
{
    char *moved = realloc(memory, bytes ? bytes : 1);
    if (!moved || ((uintptr_t)moved & 31) == 0)
        return moved;
    void *p = svm_brookMalloc(bytes);
    if (p)
        memcpy(p, moved, bytes);
    free(moved);
    return p;
}

void svm_brookFree(void *memory)
{
    free(memory);
}
