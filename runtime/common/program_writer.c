// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writers: raw files through a buffer (large writes go around it), bits, and WAV through program_wav.c.
#include "runtime/common/program_map.h"
#include "runtime/common/scheduler.h"
#include "svm/library.h"
#include "svm/strip.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define BUFFER_BYTES ((size_t)1 << 18) // fewer calls than with 2^16 save short programs 2 to 4 % of their time
#define BUFFER_ROOM (2 * BUFFER_BYTES) // a block that lies there may be longer than what is written of it
#define PIECE_BYTES 4096               // of bits that are packed, at once
#define FIRST_BYTES ((int64_t)1 << 20) // of a file, which ask for no room: most files are short
#define ROOM_BYTES ((int64_t)8 << 20)  // of room on the disk, asked for at once at most,
#define ROOM_SHARE 4                   // and a quarter of what is there at most: a program that dies leaves it so
#define EXT4 0xef53                    // statfs(2): a file system where pages written into room that is there cost half

typedef struct svm_WriterPrivate Private;

// Bytes of the file that kernels have written.
typedef struct Extent {
    int64_t from, to;
} Extent;

struct svm_WriterPrivate {
    char *label; // "'x.raw'" or "standard output"
    int fd;
    size_t fileBytes; // of an item in the file; 0: bits
    bool direct;      // items lie in the file as they do in memory
    unsigned char *buffer;
    size_t used;
    unsigned bits, bitCount; // bits that are no byte yet
    unsigned char *piece;    // of items with parts: as they go to the file
    size_t pieceBytes;
    svmr_Wav *wav;
    bool prompt;           // nothing stays in the buffer
    bool lent;             // to a block
    int64_t room;          // on its disk the file has as many bytes, or asks for no more; 0: it never asks
    int64_t place;         // in the file, of the next write
    int64_t settled;       // while items are claimed or mapped that are not settled: the place of the first
    int64_t unsettled;     // bytes of those, and of what lies behind them
    pthread_mutex_t mutex; // of the following, which kernels on several processors change
    Extent *extents;       // behind what is settled, in no order; those of one kernel's runs are one
    size_t extentCount, extentRoom;
    svm_Library *library; // its caller takes the items
    svmr_MappedFile mapped;
    bool failed;   // to write: nothing more is
    Private *next; // of the writers that an error finishes
};

static bool isRoomy(int fd)
{
    struct stat file;
    struct statfs files;
    return fstat(fd, &file) == 0 && S_ISREG(file.st_mode) && fstatfs(fd, &files) == 0 && files.f_type == EXT4;
}

// The file will be `end` bytes long, and longer: blocks for many writes are found at once. A disk that has none says so
// when it is written to.
static void makeRoom(Private *p, int64_t end)
{
    if (p->room == 0 || end <= p->room)
        return;
    int64_t ahead = end / ROOM_SHARE < ROOM_BYTES ? end / ROOM_SHARE : ROOM_BYTES, more = end - p->room + ahead;
    p->room = fallocate(p->fd, FALLOC_FL_KEEP_SIZE, p->room, more) == 0 ? p->room + more : INT64_MAX;
}

// What the file has more than it needs goes back; if it cannot, it stays the file's.
static void giveRoomBack(const Private *p)
{
    struct stat file;
    if (p->room > FIRST_BYTES && fstat(p->fd, &file) == 0)
        (void)!ftruncate(p->fd, file.st_size);
}

void svm_writerOpen(svm_Writer *w, const svm_Settings *settings)
{
    Private *p = svmr_allocate(1, sizeof *p);
    w->private_ = p;
    pthread_mutex_init(&p->mutex, NULL);
    p->fileBytes = svmr_itemBytes(w->item, w->elementSize, w->where);
    p->direct = p->fileBytes == w->elementSize && w->item != SVM_ITEM_BOOLEAN;
    if (!w->path && settings && settings->library) {
        p->fd = STDOUT_FILENO; // nothing to close
        p->library = settings->library;
        return;
    }
    p->prompt = settings && settings->prompt;
    const char *path = w->path ? w->path : settings ? settings->out : NULL;
    if (!path || (!w->path && strcmp(path, "-") == 0)) {
        p->fd = STDOUT_FILENO;
        p->label = strdup("standard output");
    } else if (svmr_isWav(path)) {
        p->fd = -1;
        p->wav = svmr_wavOpen(path, true, w->item, w->where);
        return;
    } else {
        svmr_checkNotRead(path);
        p->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        if (p->fd < 0)
            svmr_fatalProgram("cannot open '%s': %s", path, strerror(errno));
        if (asprintf(&p->label, "'%s'", path) < 0)
            p->label = NULL;
        p->room = isRoomy(p->fd) ? FIRST_BYTES : 0;
    }
    p->buffer = svmr_allocateAligned(BUFFER_ROOM);
    if (!w->path)
        svmr_thread.ownOutput = w;
    if (!settings || !settings->library) { // whose instances go from thread to thread, and are forgotten after an error
        p->next = svmr_thread.writers;
        svmr_thread.writers = p;
    }
    if (w->partCount) {
        p->pieceBytes = w->elementSize > 4096 ? w->elementSize : 4096 / w->elementSize * w->elementSize;
        p->piece = svmr_allocate(p->pieceBytes, 1);
    }
}

static _Noreturn void failWith(const svm_Writer *w, const char *why)
{
    const char *where = w->where && *w->where ? w->where : NULL;
    w->private_->failed = true;
    svmr_fatalProgram("cannot write %s: %s%s%s%s", w->private_->label, why, where ? " (" : "", where ? where : "",
                      where ? ")" : "");
}

static _Noreturn void fail(const svm_Writer *w, int error)
{
    svmr_closedPipe(error);
    failWith(w, strerror(error));
}

static void writeFile(const svm_Writer *w, const unsigned char *bytes, size_t count)
{
    Private *p = w->private_;
    if (p->fd == STDOUT_FILENO)
        svmr_checkOutput(fflush(stdout) == 0); // what was printed before
    p->place += (int64_t)count;
    p->unsettled += p->unsettled != 0 ? (int64_t)count : 0;
    makeRoom(p, p->place);
    while (count) {
        ssize_t n = write(p->fd, bytes, count);
        if (n < 0 && errno != EINTR)
            fail(w, errno);
        if (n > 0) {
            bytes += n;
            count -= (size_t)n;
        }
    }
}

static void flush(const svm_Writer *w)
{
    Private *p = w->private_;
    writeFile(w, p->buffer, p->used);
    p->used = 0;
}

int svmr_writerFile(const svm_Writer *w)
{
    return w->private_->fd;
}

void svmr_writerFlush(svm_Writer *w)
{
    if (w->private_->buffer && w->private_->used)
        flush(w);
}

static void writeBytes(const svm_Writer *w, const unsigned char *bytes, size_t count)
{
    Private *p = w->private_;
    if (count > BUFFER_BYTES - p->used)
        flush(w);
    if (count >= BUFFER_BYTES) {
        writeFile(w, bytes, count);
        return;
    }
    if (bytes != p->buffer + p->used) // else the block was lent
        memmove(p->buffer + p->used, bytes, count);
    p->used += count;
}

static void putByte(const svm_Writer *w, unsigned byte)
{
    Private *p = w->private_;
    if (p->used == BUFFER_BYTES)
        flush(w);
    p->buffer[p->used++] = (unsigned char)byte;
}

static int32_t getInt(const char *item, size_t size)
{
    int32_t v = *item;
    if (size == 4)
        memcpy(&v, item, 4);
    return v;
}

static void writeWords(const svm_Writer *w, const void *items, ptrdiff_t count)
{
    const unsigned char *bytes = items;
    size_t left = (size_t)count * w->elementSize;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    unsigned char piece[PIECE_BYTES];
    size_t most = sizeof piece / w->elementSize * w->elementSize;
    while (most && left) {
        size_t n = left < most ? left : most;
        memcpy(piece, bytes, n);
        svmr_swapWords(piece, n, w->item);
        writeBytes(w, piece, n);
        bytes += n;
        left -= n;
    }
#endif
    writeBytes(w, bytes, left);
}

// Items that differ from memory in some of their parts.
static void writeParts(const svm_Writer *w, const char *items, ptrdiff_t count)
{
    const Private *p = w->private_;
    for (size_t left = (size_t)count * w->elementSize; left;) {
        size_t n = left < p->pieceBytes ? left : p->pieceBytes;
        memcpy(p->piece, items, n);
        svmr_applyParts(w->parts, w->partCount, w->partUnit, p->piece, n);
        writeWords(w, p->piece, (ptrdiff_t)(n / w->elementSize));
        items += n;
        left -= n;
    }
}

// Eight ints to a byte each.
SVMR_VECTOR_CLONES static void packInts(unsigned char *restrict bytes, const unalignedInt *restrict items,
                                        ptrdiff_t count)
{
    for (ptrdiff_t i = 0; i < count; i++) {
        int v = 0;
        for (int b = 0; b < 8; b++)
            v |= (items[8 * i + b] & 1) << (7 - b);
        bytes[i] = (unsigned char)v;
    }
}

// Eight bytes to a byte each: as a number, whose bytes a multiplication gathers in its highest.
SVMR_VECTOR_CLONES static void packBytes(unsigned char *restrict bytes, const char *restrict items, ptrdiff_t count)
{
    for (ptrdiff_t i = 0; i < count; i++) {
        uint64_t v;
        memcpy(&v, items + 8 * i, sizeof v);
        v &= UINT64_C(0x0101010101010101);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        bytes[i] = (unsigned char)(v * UINT64_C(0x0102040810204080) >> 56);
#else
        bytes[i] = (unsigned char)(v * UINT64_C(0x8040201008040201) >> 56);
#endif
    }
}

static void pack(const svm_Writer *w, unsigned char *bytes, const char *items, ptrdiff_t count)
{
    if (w->elementSize == 1)
        packBytes(bytes, items, count);
    else
        packInts(bytes, (const unalignedInt *)items, count);
}

static void packBits(const svm_Writer *w, const char *items, ptrdiff_t count)
{
    unsigned char bytes[PIECE_BYTES];
    while (count > 0) {
        ptrdiff_t n = count < (ptrdiff_t)sizeof bytes ? count : (ptrdiff_t)sizeof bytes;
        pack(w, bytes, items, n);
        writeBytes(w, bytes, (size_t)n);
        items += (size_t)n * 8 * w->elementSize;
        count -= n;
    }
}

// Bits one by one, up to a whole byte.
static ptrdiff_t putBits(const svm_Writer *w, const char *items, ptrdiff_t count)
{
    Private *p = w->private_;
    ptrdiff_t i = 0;
    while (i < count) {
        p->bits = p->bits << 1 | (getInt(items + (size_t)i++ * w->elementSize, w->elementSize) & 1);
        if (++p->bitCount == 8) {
            putByte(w, p->bits & 0xff);
            p->bits = p->bitCount = 0;
            break;
        }
    }
    return i;
}

static void writeBits(const svm_Writer *w, const char *items, ptrdiff_t count)
{
    ptrdiff_t i = w->private_->bitCount != 0 ? putBits(w, items, count) : 0, whole = (count - i) / 8;
    packBits(w, items + (size_t)i * w->elementSize, whole);
    i += 8 * whole;
    (void)putBits(w, items + (size_t)i * w->elementSize, count - i);
}

// The caller's bits are ints.
static void writeLibraryBits(const svm_Writer *w, const char *items, ptrdiff_t count)
{
    for (size_t left = (size_t)count, n; left != 0; left -= n) {
        unalignedInt *to = svmr_libraryPlace(w->private_->library, left, sizeof *to, &n);
        for (size_t i = 0; i < n; i++)
            to[i] = items[i];
        items += n;
    }
}

// To the caller's memory, as they lie, with zeroes between members.
static void writeLibrary(const svm_Writer *w, const char *items, ptrdiff_t count)
{
    for (size_t left = (size_t)count, n; left != 0; left -= n) {
        size_t bytes;
        void *to = svmr_libraryPlace(w->private_->library, left, w->elementSize, &n);
        bytes = n * w->elementSize;
        memcpy(to, items, bytes);
        svmr_applyParts(w->parts, w->partCount, w->partUnit, to, bytes);
        items += bytes;
    }
}

static int64_t bytesOf(const svm_Writer *w, int64_t count)
{
    return w->item == SVM_ITEM_BIT ? count / 8 : count * (int64_t)w->private_->fileBytes;
}

void svmr_writerPut(svm_Writer *w, const void *items, ptrdiff_t count)
{
    const Private *p = w->private_;
    const char *at = items;
    if (p->library && w->item == SVM_ITEM_BIT && w->elementSize == 1)
        writeLibraryBits(w, at, count);
    else if (p->library)
        writeLibrary(w, at, count);
    else if (p->wav)
        svmr_wavWrite(p->wav, items, count);
    else if (w->partCount)
        writeParts(w, at, count);
    else if (p->direct)
        writeWords(w, items, count);
    else if (w->item == SVM_ITEM_BIT)
        writeBits(w, at, count);
    else
        for (ptrdiff_t i = 0; i < count; i++)
            putByte(w, getInt(at + (size_t)i * w->elementSize, w->elementSize) != 0);
}

void svm_writerWrite(svm_Writer *w, const void *items, ptrdiff_t count)
{
    const Private *p = w->private_;
    svmr_thread.itemsWritten += count;
    svmr_onCopy((size_t)bytesOf(w, count), (size_t)count * w->elementSize);
    svmr_writerPut(w, items, count);
    if (p->prompt && p->used != 0)
        flush(w);
}

// ---- Items that are written where they lie ----

void svm_writerLend(svm_Writer *w, svm_Block *block, ptrdiff_t count)
{
    Private *p = w->private_;
    size_t bytes = (size_t)count * w->elementSize;
    bool lends = SVMR_MAY_LEND && p->buffer && p->direct && !w->partCount && SVMR_LITTLE_ENDIAN && count > 0 &&
                 bytes <= BUFFER_BYTES && block->capacity * block->elementSize <= BUFFER_BYTES;
    if (lends && bytes > BUFFER_BYTES - p->used)
        flush(w);
    if (lends)
        svmr_blockLies(block, p->buffer + p->used);
    else if (p->lent)
        svmr_blockLies(block, NULL);
    p->lent = lends;
}

// ---- Items that others write ----

// Moves on in the file, and gives where it was.
static int64_t move(const svm_Writer *w, int64_t bytes)
{
    Private *p = w->private_;
    flush(w);
    off_t here = lseek(p->fd, 0, SEEK_CUR);
    if (here < 0 || lseek(p->fd, here + bytes, SEEK_SET) < 0)
        fail(w, errno);
    p->place = here + bytes;
    p->settled = p->unsettled == 0 ? here : p->settled;
    p->unsettled += bytes;
    makeRoom(p, p->place);
    return here;
}

// Whether items lie in its file as they do in memory, and each can be put to its place.
static bool hasPlaces(const svm_Writer *w)
{
    const Private *p = w->private_;
    struct stat file;
    return !p->library && !p->wav && !w->partCount && (p->direct || w->item == SVM_ITEM_BIT) && SVMR_LITTLE_ENDIAN &&
           p->fd != STDOUT_FILENO && fstat(p->fd, &file) == 0 && S_ISREG(file.st_mode) &&
           lseek(p->fd, 0, SEEK_CUR) >= 0;
}

bool svm_writerClaim(svm_Writer *w, int64_t units, int64_t count, int64_t *at)
{
    bool bits = w->item == SVM_ITEM_BIT;
    if (!SVMR_MAY_CLAIM || !hasPlaces(w) || (bits && (w->private_->bitCount != 0 || units % 8 != 0 || count % 8 != 0)))
        return false;
    svmr_thread.itemsWritten += count;
    *at = move(w, bytesOf(w, count));
    return true;
}

bool svm_writerMap(svm_Writer *w, mm_Mem memory, size_t unit, int64_t count, size_t *address)
{
    Private *p = w->private_;
    bool full, can = !p->mapped.refused && svmr_mayMap() && p->direct && hasPlaces(w) && count > 0;
    int64_t bytes = bytesOf(w, count);
    p->mapped.writes = true;
    if (can)
        flush(w);
    int64_t here = can ? lseek(p->fd, 0, SEEK_CUR) : -1;
    can = can && here >= 0 && (size_t)here % unit == 0;
    char *items = can ? svmr_mapFile(&p->mapped, memory, p->fd, here, here + bytes, &full) : NULL;
    if (can && !items && full)
        fail(w, errno);
    p->mapped.refused = !items;
    if (!items)
        return false;
    *address = (size_t)items;
    svmr_thread.itemsWritten += count;
    (void)move(w, bytes);
    return true;
}

static void noteExtent(Private *p, int64_t from, int64_t to)
{
    size_t i = 0;
    pthread_mutex_lock(&p->mutex);
    while (i < p->extentCount && p->extents[i].to != from)
        i++;
    if (i == p->extentCount) {
        p->extents = svmr_grow(p->extents, &p->extentRoom, p->extentCount + 1, sizeof *p->extents);
        p->extents[p->extentCount++].from = from;
    }
    p->extents[i].to = to;
    pthread_mutex_unlock(&p->mutex);
}

static void writeBytesAt(const svm_Writer *w, int64_t at, const unsigned char *from, size_t bytes)
{
    const int64_t begin = at;
    while (bytes != 0) {
        ssize_t n = pwrite(w->private_->fd, from, bytes, at);
        if (n < 0 && errno != EINTR)
            fail(w, errno);
        if (n > 0) {
            from += n;
            at += n;
            bytes -= (size_t)n;
        }
    }
    noteExtent(w->private_, begin, at);
}

void svm_writerWriteAt(const svm_Writer *w, int64_t at, int64_t first, void *items, int64_t count)
{
    if (w->item != SVM_ITEM_BIT) {
        writeBytesAt(w, at + first * (int64_t)w->elementSize, items, (size_t)count * w->elementSize);
        return;
    }
    unsigned char piece[PIECE_BYTES], *to = items;
    const char *from = items;
    for (int64_t left = count / 8, n; left > 0; left -= n) {
        n = left < PIECE_BYTES ? left : PIECE_BYTES;
        pack(w, piece, from, n);
        memcpy(to, piece, (size_t)n);
        to += n;
        from += (size_t)n * 8 * w->elementSize;
    }
    writeBytesAt(w, at + first / 8, items, (size_t)count / 8);
}

void svm_writerSettle(svm_Writer *w, int64_t count)
{
    Private *p = w->private_;
    int64_t bytes = bytesOf(w, count);
    size_t left = 0;
    p->settled += bytes;
    p->unsettled -= bytes < p->unsettled ? bytes : p->unsettled;
    pthread_mutex_lock(&p->mutex);
    for (size_t i = 0; i < p->extentCount; i++)
        if (p->extents[i].to > p->settled)
            p->extents[left++] = p->extents[i];
    p->extentCount = left;
    pthread_mutex_unlock(&p->mutex);
}

void svm_writerTakeBack(svm_Writer *w)
{
    Private *p = w->private_;
    if (p->unsettled == 0)
        return;
    flush(w);
    p->place = p->settled;
    p->unsettled = 0;
    p->extentCount = 0;
    p->mapped.refused = true;
    if (lseek(p->fd, p->settled, SEEK_SET) < 0 || ftruncate(p->fd, p->settled) != 0)
        fail(w, errno);
}

// After an error: how far the file has all that it should, as no kernel writes any more.
static int64_t wholeUntil(Private *p)
{
    int64_t end = p->settled;
    if (pthread_mutex_trylock(&p->mutex) != 0) // some kernel could not be stopped
        return end;
    for (bool found = true; found;) {
        found = false;
        for (size_t i = 0; i < p->extentCount && !found; i++) {
            found = p->extents[i].from <= end && p->extents[i].to > end;
            end = found ? p->extents[i].to : end;
        }
    }
    pthread_mutex_unlock(&p->mutex);
    return end;
}

static void release(svm_Writer *w)
{
    Private *p = w->private_;
    if (svmr_thread.ownOutput == w)
        svmr_thread.ownOutput = NULL;
    Private **link = &svmr_thread.writers;
    while (*link && *link != p)
        link = &(*link)->next;
    if (*link)
        *link = p->next;
    svmr_unmapFile(&p->mapped);
    free(p->buffer);
    free(p->piece);
    free(p->label);
    free(p->extents);
    pthread_mutex_destroy(&p->mutex);
    free(p);
    w->private_ = NULL;
}

// What is in the buffer goes to the file, after an error, and what others were to write, and may have in parts, does not stay:
// a second error is not told.
static void finish(Private *p)
{
    const unsigned char *bytes = p->buffer;
    if (p->bitCount) {
        p->buffer[p->used++] = (unsigned char)(p->bits << (8 - p->bitCount));
        p->bitCount = 0;
    }
    while (!p->failed && p->used != 0) {
        ssize_t n = write(p->fd, bytes, p->used);
        p->failed = n < 0 && errno != EINTR;
        if (n > 0) {
            bytes += n;
            p->used -= (size_t)n;
        }
    }
    if (p->unsettled != 0)
        p->failed = ftruncate(p->fd, wholeUntil(p)) != 0;
    p->failed = true;
}

void svmr_writersFinish(void)
{
    for (Private *p = svmr_thread.writers; p; p = p->next)
        finish(p);
}

void svm_writerForget(svm_Writer *w)
{
    Private *p = w->private_;
    if (!p)
        return;
    if (p->wav)
        svmr_wavClose(p->wav);
    else if (p->fd > STDERR_FILENO) {
        finish(p);
        giveRoomBack(p);
        close(p->fd);
    }
    release(w);
}

void svm_writerClose(svm_Writer *w)
{
    Private *p = w->private_;
    if (!p)
        return;
    if (p->library) {
        release(w);
        return;
    }
    if (svmr_mappedTorn(&p->mapped))
        failWith(w, "the file became shorter while it was written");
    if (p->wav) {
        svmr_wavClose(p->wav);
    } else {
        if (p->bitCount)
            putByte(w, p->bits << (8 - p->bitCount) & 0xff);
        flush(w);
        giveRoomBack(p);
        if (p->fd != STDOUT_FILENO && close(p->fd) && errno != EINTR) {
            p->fd = STDOUT_FILENO; // it is closed all the same
            fail(w, errno);
        }
    }
    release(w);
}
