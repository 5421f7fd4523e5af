// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Readers: raw files through a buffer (large reads go around it), bits, and WAV through program_wav.c.
#include "runtime/common/program_map.h"
#include "runtime/common/scheduler.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER_BYTES ((size_t)1 << 16)
#define BUFFER_ROOM (2 * BUFFER_BYTES) // a block that lies there may be longer than what it has of the file
#define PIECE_BYTES 4096               // of bits that are packed, at once

typedef struct svm_ReaderPrivate Private;

struct svm_ReaderPrivate {
    char *label; // "'x.raw'" or "standard input"
    int fd;
    size_t fileBytes; // of an item in the file; 0: bits
    bool direct;      // items lie in the file as they do in memory
    unsigned char *buffer;
    size_t begin, end; // what is in it
    size_t bit;        // bits: those of the byte at `begin` that are used up
    bool endOfFile;
    bool any;  // an item was read since the start of the file
    bool lent; // to a block
    svmr_Wav *wav;
    svm_Library *library; // its caller gives the items
    svmr_MappedFile mapped;
    dev_t device; // with `inode`: the file, if it is a regular one; inode 0: it is not
    ino_t inode;
    Private *next; // of the thread's readers
};

size_t svmr_itemBytes(svm_Item item, size_t elementSize, const char *where)
{
    static const struct {
        size_t file, memory, other;
    } sizes[] = {
        [SVM_ITEM_INT] = {4, 4, 4}, [SVM_ITEM_FLOAT] = {4, 4, 4},   [SVM_ITEM_DOUBLE] = {8, 8, 8},
        [SVM_ITEM_BIT] = {0, 4, 1}, [SVM_ITEM_BOOLEAN] = {1, 1, 4}, [SVM_ITEM_COMPLEX] = {8, 8, 8},
    };
    if (item == SVM_ITEM_RAW && elementSize > 0)
        return elementSize;
    if (item >= SVM_ITEM_RAW || (elementSize != sizes[item].memory && elementSize != sizes[item].other))
        svmr_fatalProgram("a reader or writer of items of %zu bytes does not exist for this type (%s)", elementSize,
                          where);
    return sizes[item].file;
}

void svmr_swapWords(void *items, size_t bytes, svm_Item item)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    size_t word = item == SVM_ITEM_DOUBLE ? 8 : 4;
    for (unsigned char *p = items, *end = p + bytes / word * word; p < end; p += word) {
        for (size_t i = 0; i < word / 2; i++) {
            unsigned char c = p[i];
            p[i] = p[word - 1 - i];
            p[word - 1 - i] = c;
        }
    }
#else
    (void)items, (void)bytes, (void)item;
#endif
}

static _Noreturn SVMR_PRINTF(2, 3) void fail(const svm_Reader *r, const char *format, ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const char *where = r->where && *r->where ? r->where : NULL;
    svmr_fatalProgram("cannot read %s: %s%s%s%s", r->private_->label, text, where ? " (" : "", where ? where : "",
                      where ? ")" : "");
}

// ---- Files that are not written to while they are read ----

static void noteFile(Private *p, const char *path, const svm_Settings *settings)
{
    struct stat file;
    if (settings && settings->library) // whose instances go from thread to thread
        return;
    if ((p->wav ? stat(path, &file) : fstat(p->fd, &file)) == 0 && S_ISREG(file.st_mode)) {
        p->device = file.st_dev;
        p->inode = file.st_ino;
    }
    p->next = svmr_thread.readers;
    svmr_thread.readers = p;
}

static void forgetFile(const Private *p)
{
    Private **at = &svmr_thread.readers;
    while (*at && *at != p)
        at = &(*at)->next;
    if (*at)
        *at = p->next;
}

bool svmr_isRead(const char *path)
{
    struct stat file;
    if (!svmr_thread.readers || stat(path, &file) != 0)
        return false;
    for (const Private *p = svmr_thread.readers; p; p = p->next)
        if (p->inode != 0 && p->inode == file.st_ino && p->device == file.st_dev)
            return true;
    return false;
}

void svmr_checkNotRead(const char *path)
{
    if (svmr_isRead(path))
        svmr_fatalProgram("cannot write '%s': the program reads this file, which would be empty then; write another "
                          "one, and rename it afterwards",
                          path);
}

void svm_readerOpen(svm_Reader *r, const svm_Settings *settings)
{
    Private *p = svmr_allocate(1, sizeof *p);
    r->private_ = p;
    r->ended = false;
    p->fileBytes = svmr_itemBytes(r->item, r->elementSize, r->where);
    p->direct = p->fileBytes == r->elementSize && r->item != SVM_ITEM_BOOLEAN;
    if (settings && settings->loopInput)
        r->loop = true;
    if (!r->path && settings && settings->library) {
        p->fd = -1;
        p->library = settings->library;
        return;
    }
    const char *path = r->path ? r->path : settings ? settings->in : NULL;
    if (!path || (!r->path && strcmp(path, "-") == 0)) {
        p->fd = STDIN_FILENO;
        p->label = strdup("standard input");
    } else if (svmr_isWav(path)) {
        p->fd = -1;
        p->wav = svmr_wavOpen(path, false, r->item, r->where);
        noteFile(p, path, settings);
        return;
    } else {
        p->fd = open(path, O_RDONLY | O_CLOEXEC);
        if (p->fd < 0)
            svmr_fatalProgram("cannot open '%s': %s", path, strerror(errno));
        if (asprintf(&p->label, "'%s'", path) < 0)
            p->label = NULL;
    }
    p->buffer = svmr_allocateAligned(BUFFER_ROOM);
    noteFile(p, path, settings);
    if (!r->path)
        svmr_thread.ownInput = r;
}

int svmr_readerFile(const svm_Reader *r)
{
    return r->private_->fd;
}

int64_t svmr_readerItems(const svm_Reader *r, int64_t bytes)
{
    const Private *p = r->private_;
    bytes += (int64_t)(p->end - p->begin);
    return p->fileBytes ? bytes / (int64_t)p->fileBytes : bytes * 8 - (int64_t)p->bit;
}

// The place of the next item in the file.
static bool findPlace(const Private *p, int64_t *at)
{
    const off_t here = lseek(p->fd, 0, SEEK_CUR);
    *at = here - (off_t)(p->end - p->begin);
    return here >= 0;
}

// The same in a regular file, and where that ends.
static bool findRegular(const Private *p, int64_t *at, int64_t *end)
{
    struct stat file;
    if (fstat(p->fd, &file) != 0 || !S_ISREG(file.st_mode))
        return false;
    *end = file.st_size;
    return findPlace(p, at);
}

// ---- Bytes ----

static size_t readFile(const svm_Reader *r, void *to, size_t bytes)
{
    for (;;) {
        ssize_t n = read(r->private_->fd, to, bytes);
        if (n >= 0)
            return (size_t)n;
        if (errno != EINTR)
            fail(r, "%s", strerror(errno));
    }
}

// So many bytes lie one behind the other in the buffer; false: the file has fewer, and all of them lie there.
static bool gather(const svm_Reader *r, size_t bytes)
{
    Private *p = r->private_;
    if (p->end - p->begin >= bytes)
        return true;
    if (p->endOfFile)
        return false;
    memmove(p->buffer, p->buffer + p->begin, p->end - p->begin);
    p->end -= p->begin;
    p->begin = 0;
    while (p->end < bytes && !p->endOfFile) {
        size_t n = readFile(r, p->buffer + p->end, BUFFER_BYTES - p->end);
        p->endOfFile = n == 0;
        p->end += n;
    }
    return p->end >= bytes;
}

// The buffer holds at least one item (bits: byte), or all that is left.
static void fill(const svm_Reader *r)
{
    (void)gather(r, r->private_->fileBytes ? r->private_->fileBytes : 1);
}

static _Noreturn void failShort(const svm_Reader *r, size_t have)
{
    fail(r, "the input ends in the middle of an item (needs %zu bytes, has %zu)", r->private_->fileBytes, have);
}

// Up to `bytes` bytes, a multiple of the item; fewer at the end of the file only.
static size_t readBytes(const svm_Reader *r, unsigned char *to, size_t bytes)
{
    Private *p = r->private_;
    size_t done = 0;
    while (done < bytes) {
        if (p->begin == p->end && !p->endOfFile) {
            if (bytes - done >= BUFFER_BYTES) {
                size_t n = readFile(r, to + done, bytes - done);
                p->endOfFile = n == 0;
                done += n;
                continue;
            }
            p->begin = p->end = 0;
            size_t n = readFile(r, p->buffer, BUFFER_BYTES);
            p->endOfFile = n == 0;
            p->end = n;
        }
        size_t n = p->end - p->begin < bytes - done ? p->end - p->begin : bytes - done;
        if (n == 0)
            break;
        memcpy(to + done, p->buffer + p->begin, n);
        p->begin += n;
        done += n;
    }
    if (done % p->fileBytes)
        failShort(r, done % p->fileBytes);
    return done;
}

// ---- Items ----

static void applyPart(const svm_ItemPart *part, unsigned char *unit)
{
    for (size_t n = 0; n < part->count; n++) {
        unsigned char *at = unit + part->offset + n * part->stride;
        for (size_t i = 0; i < part->bytes; i++)
            at[i] = part->padding ? 0 : at[i] != 0;
    }
}

void svmr_applyParts(const svm_ItemPart *parts, size_t count, size_t unit, void *items, size_t bytes)
{
    unsigned char *at = items;
    for (size_t done = 0; count && done < bytes; done += unit)
        for (size_t i = 0; i < count; i++)
            applyPart(&parts[i], at + done);
}

static ptrdiff_t readDirect(const svm_Reader *r, char *items, ptrdiff_t count)
{
    size_t bytes = readBytes(r, (unsigned char *)items, (size_t)count * r->elementSize);
    svmr_swapWords(items, bytes, r->item);
    svmr_applyParts(r->parts, r->partCount, r->partUnit, items, bytes);
    return (ptrdiff_t)(bytes / r->elementSize);
}

static void putInt(char *item, size_t size, int32_t v)
{
    if (size == 4)
        memcpy(item, &v, 4);
    else
        *item = (char)v;
}

// The caller's bits are ints; anything but 0 is 1.
static ptrdiff_t readLibraryBits(const svm_Reader *r, char *items, ptrdiff_t count)
{
    int32_t piece[1024];
    ptrdiff_t done = 0;
    while (done < count) {
        size_t most = sizeof piece / sizeof *piece, left = (size_t)(count - done);
        size_t n = svmr_libraryTake(r->private_->library, piece, left < most ? left : most, sizeof *piece);
        for (size_t i = 0; i < n; i++)
            items[done++] = piece[i] != 0;
        if (n == 0)
            break;
    }
    return done;
}

// From the caller's memory, where items lie as they do here, but for what the caller may have put into them.
static ptrdiff_t readLibrary(const svm_Reader *r, char *items, ptrdiff_t count)
{
    size_t size = r->elementSize, n = svmr_libraryTake(r->private_->library, items, (size_t)count, size);
    bool truth = r->item == SVM_ITEM_BOOLEAN || r->item == SVM_ITEM_BIT;
    for (char *at = items; truth && at < items + n * size; at += size) {
        int32_t v = *at;
        if (size == sizeof v)
            memcpy(&v, at, sizeof v);
        putInt(at, size, v != 0);
    }
    svmr_applyParts(r->parts, r->partCount, r->partUnit, items, n * size);
    return (ptrdiff_t)n;
}

static ptrdiff_t readBooleans(const svm_Reader *r, char *items, ptrdiff_t count)
{
    Private *p = r->private_;
    ptrdiff_t done = 0;
    while (done < count) {
        fill(r);
        if (p->begin == p->end)
            break;
        for (; done < count && p->begin < p->end; done++)
            putInt(items + (size_t)done * r->elementSize, r->elementSize, p->buffer[p->begin++] != 0);
    }
    return done;
}

// Whole bytes to eight items each.
SVMR_VECTOR_CLONES static void expandToBytes(char *restrict items, const unsigned char *restrict bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        // A copy of the byte in each, then its own bit of it, then 1 for any.
        uint64_t v = bytes[i] * UINT64_C(0x0101010101010101);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        v &= UINT64_C(0x8040201008040201);
#else
        v &= UINT64_C(0x0102040810204080);
#endif
        v = (v + UINT64_C(0x7f7f7f7f7f7f7f7f)) >> 7 & UINT64_C(0x0101010101010101);
        memcpy(items + 8 * i, &v, sizeof v);
    }
}

SVMR_VECTOR_CLONES static void expandBytes(unalignedInt *restrict items, const unsigned char *restrict bytes,
                                           size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (int b = 0; b < 8; b++)
            items[8 * i + (size_t)b] = bytes[i] >> (7 - b) & 1;
}

static void expand(const svm_Reader *r, char *items, const unsigned char *bytes, size_t count)
{
    if (r->elementSize == 1)
        expandToBytes(items, bytes, count);
    else
        expandBytes((unalignedInt *)items, bytes, count);
}

static ptrdiff_t readBits(const svm_Reader *r, char *items, ptrdiff_t count)
{
    Private *p = r->private_;
    ptrdiff_t done = 0;
    while (done < count) {
        fill(r);
        if (p->begin == p->end)
            break;
        if (p->bit == 0 && count - done >= 8) {
            size_t whole = (size_t)(count - done) / 8;
            whole = whole < p->end - p->begin ? whole : p->end - p->begin;
            expand(r, items + (size_t)done * r->elementSize, p->buffer + p->begin, whole);
            p->begin += whole;
            done += (ptrdiff_t)whole * 8;
            continue;
        }
        // Up to the next whole byte, or the bits asked for.
        for (bool first = true; done < count && p->begin < p->end && (first || p->bit != 0); first = false) {
            putInt(items + (size_t)done++ * r->elementSize, r->elementSize, p->buffer[p->begin] >> (7 - p->bit) & 1);
            if (++p->bit == 8) {
                p->bit = 0;
                p->begin++;
            }
        }
    }
    return done;
}

// At the end of the file: back to its start, if the input loops.
static bool restart(svm_Reader *r)
{
    Private *p = r->private_;
    if (!r->loop)
        return false;
    if (p->wav)
        return svmr_wavRewind(p->wav);
    if (!p->any)
        fail(r, "it has no items, and so cannot be looped");
    if (lseek(p->fd, 0, SEEK_SET) < 0)
        fail(r, "it cannot be started again (%s); looped input must be a file", strerror(errno));
    p->begin = p->end = p->bit = 0;
    p->endOfFile = p->any = false;
    return true;
}

ptrdiff_t svm_readerRead(svm_Reader *r, void *items, ptrdiff_t count)
{
    Private *p = r->private_;
    char *at = items;
    ptrdiff_t done = 0;
    while (done < count) {
        char *to = at + (size_t)done * r->elementSize;
        bool bytes = r->item == SVM_ITEM_BIT && r->elementSize == 1;
        ptrdiff_t n = p->library && bytes       ? readLibraryBits(r, to, count - done)
                      : p->library              ? readLibrary(r, to, count - done)
                      : p->wav                  ? svmr_wavRead(p->wav, to, count - done)
                      : p->direct               ? readDirect(r, to, count - done)
                      : r->item == SVM_ITEM_BIT ? readBits(r, to, count - done)
                                                : readBooleans(r, to, count - done);
        p->any |= n > 0;
        done += n;
        if (done < count && (p->library || !restart(r)))
            break;
    }
    r->ended = done < count;
    svmr_thread.itemsRead += done;
    svmr_onCopy(r->item == SVM_ITEM_BIT ? (size_t)done / 8 : (size_t)done * p->fileBytes,
                (size_t)done * r->elementSize);
    return done;
}

// ---- Items that are used where they are ----

bool svm_readerLend(svm_Reader *r, svm_Block *block, ptrdiff_t count)
{
    Private *p = r->private_;
    size_t bytes = (size_t)count * r->elementSize;
    if (!SVMR_MAY_LEND || !p->buffer || !p->direct || r->partCount || r->loop || !SVMR_LITTLE_ENDIAN || count <= 0 ||
        bytes > BUFFER_BYTES || block->capacity * block->elementSize > BUFFER_BYTES || !gather(r, bytes)) {
        if (p->lent)
            svmr_blockLies(block, NULL);
        p->lent = false;
        return false;
    }
    svmr_blockLies(block, p->buffer + p->begin);
    p->begin += bytes;
    p->lent = p->any = true;
    r->ended = false;
    svmr_thread.itemsRead += count;
    return true;
}

int64_t svm_readerThere(const svm_Reader *r)
{
    const Private *p = r->private_;
    const bool bits = r->item == SVM_ITEM_BIT;
    int64_t at, end;
    if (p->library || p->wav || r->loop || (bits && p->bit != 0) || !findRegular(p, &at, &end) || end <= at)
        return 0;
    return bits ? 8 * (end - at) : (end - at) / (int64_t)p->fileBytes;
}

// ---- Items that others read ----

// Passes over items of a regular file, if all of them are there and `before` before them, and gives the first one's place.
static bool passOver(svm_Reader *r, int64_t before, int64_t count, int64_t *at)
{
    Private *p = r->private_;
    bool bits = r->item == SVM_ITEM_BIT;
    int64_t bytes = bits ? count / 8 : count * (int64_t)p->fileBytes, end;
    if (!findRegular(p, at, &end) || *at < (bits ? before / 8 : before * (int64_t)p->fileBytes) || end - *at < bytes ||
        lseek(p->fd, *at + bytes, SEEK_SET) < 0)
        return false;
    p->begin = p->end = 0;
    p->endOfFile = false;
    p->any = true;
    svmr_thread.itemsRead += count;
    return true;
}

bool svmr_readerPlace(const svm_Reader *r, int64_t *at)
{
    const Private *p = r->private_;
    int64_t end;
    return !p->library && !p->wav && !r->loop && p->direct && SVMR_LITTLE_ENDIAN && findRegular(p, at, &end);
}

bool svm_readerClaim(svm_Reader *r, int64_t units, int64_t before, int64_t count, int64_t *at)
{
    const Private *p = r->private_;
    bool bits = r->item == SVM_ITEM_BIT;
    return SVMR_MAY_CLAIM && !p->library && !p->wav && (p->direct || bits) && SVMR_LITTLE_ENDIAN &&
           !(bits && (p->bit != 0 || units % 8 != 0 || count % 8 != 0)) && passOver(r, before, count, at);
}

static _Noreturn void failShorter(const svm_Reader *r)
{
    fail(r, "the file became shorter while it was read");
}

void svm_readerReadAll(svm_Reader *r, void *items, int64_t count)
{
    if (svm_readerRead(r, items, (ptrdiff_t)count) < count)
        failShorter(r);
}

bool svm_readerMap(svm_Reader *r, mm_Mem memory, size_t unit, int64_t before, int64_t count, size_t *address)
{
    Private *p = r->private_;
    bool full;
    if (svmr_mappedTorn(&p->mapped))
        failShorter(r);
    if (p->mapped.refused || !svmr_mayMap() || p->library || p->wav || !p->direct || r->partCount ||
        !SVMR_LITTLE_ENDIAN || count <= 0)
        return false;
    int64_t at, size = (int64_t)p->fileBytes;
    if (!findPlace(p, &at) || (size_t)at % unit != 0)
        return false;
    // Of what would lie before the file's first item nothing is needed, but transfers of whole units begin there.
    const int64_t there = at / size;
    if ((before - there) * size > (int64_t)SVMR_MAP_LEAD || !passOver(r, before < there ? before : there, count, &at))
        return false;
    char *items = svmr_mapFile(&p->mapped, memory, p->fd, at - before * size, at + count * size, &full);
    if (items) {
        *address = (size_t)items + (size_t)(before * size);
        return true;
    }
    if (lseek(p->fd, at, SEEK_SET) < 0)
        fail(r, "%s", strerror(errno));
    svmr_thread.itemsRead -= count;
    return false;
}

static void readBytesAt(const svm_Reader *r, int64_t at, unsigned char *to, size_t bytes)
{
    while (bytes != 0) {
        ssize_t n = pread(r->private_->fd, to, bytes, at);
        if (n == 0)
            failShorter(r);
        if (n < 0 && errno != EINTR)
            fail(r, "%s", strerror(errno));
        if (n > 0) {
            to += n;
            at += n;
            bytes -= (size_t)n;
        }
    }
}

void svm_readerReadAt(const svm_Reader *r, int64_t at, int64_t first, void *items, int64_t count)
{
    const int64_t before = first + (r->item == SVM_ITEM_BIT ? at * 8 : at / (int64_t)r->elementSize);
    if (before < 0) { // of what would lie before the file's first item nothing is needed
        first -= before;
        count += before;
        items = (char *)items - before * (int64_t)r->elementSize;
    }
    if (count <= 0)
        return;
    if (r->item != SVM_ITEM_BIT) {
        size_t bytes = (size_t)count * r->elementSize;
        readBytesAt(r, at + first * (int64_t)r->elementSize, items, bytes);
        svmr_applyParts(r->parts, r->partCount, r->partUnit, items, bytes);
        return;
    }
    // To the end of the items' place, and from there piece by piece to where they belong: these never catch up.
    unsigned char piece[PIECE_BYTES];
    char *to = items;
    unsigned char *from = (unsigned char *)items + (size_t)count * r->elementSize - (size_t)count / 8;
    readBytesAt(r, at + first / 8, from, (size_t)count / 8);
    for (int64_t left = count / 8, n; left > 0; left -= n) {
        n = left < PIECE_BYTES ? left : PIECE_BYTES;
        memcpy(piece, from, (size_t)n);
        expand(r, to, piece, (size_t)n);
        from += n;
        to += (size_t)n * 8 * r->elementSize;
    }
}

bool svm_readerAtEnd(svm_Reader *r)
{
    Private *p = r->private_;
    if (p->library) // which tells no sooner
        return r->ended;
    if (p->wav)
        return svmr_wavAtEnd(p->wav) && !restart(r);
    fill(r);
    if (p->begin == p->end)
        return !restart(r);
    if (p->fileBytes && p->end - p->begin < p->fileBytes)
        failShort(r, p->end - p->begin);
    return false;
}

void svm_readerClose(svm_Reader *r)
{
    if (svmr_thread.ownInput == r)
        svmr_thread.ownInput = NULL;
    Private *p = r->private_;
    if (!p)
        return;
    if (svmr_mappedTorn(&p->mapped))
        failShorter(r);
    svmr_unmapFile(&p->mapped);
    forgetFile(p);
    if (p->wav)
        svmr_wavClose(p->wav);
    if (p->fd > STDIN_FILENO)
        close(p->fd);
    free(p->buffer);
    free(p->label);
    free(p);
    r->private_ = NULL;
}
