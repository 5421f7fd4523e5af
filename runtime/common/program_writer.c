// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writers: raw files through a buffer (large writes go around it), bits, and WAV through program_wav.c.
#include "svm/library.h"
#include "runtime/common/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define BUFFER_BYTES ((size_t)1 << 16)

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
    svm_Library *library; // its caller takes the items
};
typedef struct svm_WriterPrivate Private;

void svm_writerOpen(svm_Writer *w, const svm_Settings *settings)
{
    Private *p = svmr_allocate(1, sizeof *p);
    w->private_ = p;
    p->fileBytes = svmr_itemBytes(w->item, w->elementSize, w->where);
    p->direct = p->fileBytes == w->elementSize && w->item != SVM_ITEM_BOOLEAN;
    if (!w->path && settings && settings->library) {
        p->fd = STDOUT_FILENO; // nothing to close
        p->library = settings->library;
        return;
    }
    const char *path = w->path ? w->path : settings ? settings->out : NULL;
    if (!path || (!w->path && strcmp(path, "-") == 0)) {
        p->fd = STDOUT_FILENO;
        p->label = strdup("standard output");
    } else if (svmr_isWav(path)) {
        p->fd = -1;
        p->wav = svmr_wavOpen(path, true, w->item, w->where);
        return;
    } else {
        p->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        if (p->fd < 0)
            svmr_fatalProgram("cannot open '%s': %s", path, strerror(errno));
        if (asprintf(&p->label, "'%s'", path) < 0)
            p->label = NULL;
    }
    p->buffer = svmr_allocate(BUFFER_BYTES, 1);
    if (w->partCount) {
        p->pieceBytes = w->elementSize > 4096 ? w->elementSize : 4096 / w->elementSize * w->elementSize;
        p->piece = svmr_allocate(p->pieceBytes, 1);
    }
}

static _Noreturn void fail(const svm_Writer *w, int error)
{
    const char *where = w->where && *w->where ? w->where : NULL;
    svmr_fatalProgram("cannot write %s: %s%s%s%s", w->private_->label, strerror(error), where ? " (" : "",
                      where ? where : "", where ? ")" : "");
}

static void writeFile(const svm_Writer *w, const unsigned char *bytes, size_t count)
{
    const Private *p = w->private_;
    if (p->fd == STDOUT_FILENO)
        svmr_checkOutput(fflush(stdout) == 0); // what was printed before
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

static void writeBytes(const svm_Writer *w, const unsigned char *bytes, size_t count)
{
    Private *p = w->private_;
    if (count > BUFFER_BYTES - p->used)
        flush(w);
    if (count >= BUFFER_BYTES) {
        writeFile(w, bytes, count);
        return;
    }
    memcpy(p->buffer + p->used, bytes, count);
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
    unsigned char piece[4096];
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
SVMR_VECTOR_CLONES static void packBytes(unsigned char *restrict bytes, const unalignedInt *restrict items, ptrdiff_t count)
{
    for (ptrdiff_t i = 0; i < count; i++) {
        int v = 0;
        for (int b = 0; b < 8; b++)
            v |= (items[8 * i + b] & 1) << (7 - b);
        bytes[i] = (unsigned char)v;
    }
}

static void packBits(const svm_Writer *w, const char *items, ptrdiff_t count)
{
    unsigned char bytes[4096];
    while (count > 0) {
        ptrdiff_t n = count < (ptrdiff_t)sizeof bytes ? count : (ptrdiff_t)sizeof bytes;
        packBytes(bytes, (const unalignedInt *)items, n);
        writeBytes(w, bytes, (size_t)n);
        items += (size_t)n * 8 * sizeof(int32_t);
        count -= n;
    }
}

static void writeBits(const svm_Writer *w, const char *items, ptrdiff_t count)
{
    Private *p = w->private_;
    ptrdiff_t i = 0;
    if (p->bitCount == 0 && w->elementSize == sizeof(int32_t)) {
        packBits(w, items, count / 8);
        i = count / 8 * 8;
    }
    for (; i < count; i++) {
        p->bits = p->bits << 1 | (getInt(items + (size_t)i * w->elementSize, w->elementSize) & 1);
        if (++p->bitCount == 8) {
            putByte(w, p->bits & 0xff);
            p->bits = p->bitCount = 0;
        }
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

void svm_writerWrite(svm_Writer *w, const void *items, ptrdiff_t count)
{
    const Private *p = w->private_;
    const char *at = items;
    svmr_thread.itemsWritten += count;
    if (p->library)
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

static void release(svm_Writer *w)
{
    Private *p = w->private_;
    free(p->buffer);
    free(p->piece);
    free(p->label);
    free(p);
    w->private_ = NULL;
}

void svm_writerForget(svm_Writer *w)
{
    Private *p = w->private_;
    if (!p)
        return;
    if (p->wav)
        svmr_wavClose(p->wav);
    else if (p->fd > STDERR_FILENO)
        close(p->fd);
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
    if (p->wav) {
        svmr_wavClose(p->wav);
    } else {
        if (p->bitCount)
            putByte(w, p->bits << (8 - p->bitCount) & 0xff);
        flush(w);
        if (p->fd != STDOUT_FILENO && close(p->fd) && errno != EINTR) {
            p->fd = STDOUT_FILENO; // it is closed all the same
            fail(w, errno);
        }
    }
    release(w);
}
