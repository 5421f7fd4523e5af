// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the header of a WAV file says, for errors: libsndfile reads a file that was cut short to where it ends, and does not
// tell.
#include "runtime/common/internal.h"

#include <sys/stat.h>
#include <unistd.h>

// Programs that write to a pipe, where they cannot come back, leave 0, or about as much as the header holds.
#define UNKNOWN_LENGTH 0x7ffff000U

static unsigned number(const unsigned char *at, int bytes)
{
    unsigned v = 0;
    for (int i = 0; i < bytes; i++)
        v |= (unsigned)at[i] << (8 * i);
    return v;
}

static bool readAt(int fd, int64_t at, unsigned char *to, size_t bytes)
{
    return pread(fd, to, bytes, at) == (ssize_t)bytes;
}

static void describe(svmr_WavHeader *h, const unsigned char *format)
{
    h->described = true;
    h->kind = number(format, 2);
    h->channels = number(format + 2, 2);
    h->rate = number(format + 4, 4);
    h->frameBytes = number(format + 12, 2);
    h->bits = number(format + 14, 2);
}

// Of samples from there on, of which the header has so many bytes. A kind that is compressed has blocks, of which the last
// may be short.
static void findSamples(svmr_WavHeader *h, int64_t at, unsigned bytes, int64_t end)
{
    const int64_t there = end > at ? end - at : 0;
    h->data = true;
    h->there = bytes == 0 || there < bytes ? there : bytes;
    h->promised = bytes == 0 || bytes >= UNKNOWN_LENGTH ? h->there : bytes;
    if ((h->kind != 1 && h->kind != 3 && h->kind != 0xfffe) || bytes == 0 || bytes >= UNKNOWN_LENGTH)
        h->frameBytes = 0; // what is behind the samples is not known to be none
}

svmr_WavHeader svmr_wavHeader(int fd)
{
    svmr_WavHeader h = {.riff = false};
    unsigned char chunk[8], format[16], kind[12];
    struct stat file;
    if (fstat(fd, &file) != 0 || !S_ISREG(file.st_mode) || !readAt(fd, 0, kind, sizeof kind))
        return h;
    h.riff = (memcmp(kind, "RIFF", 4) == 0 || memcmp(kind, "RF64", 4) == 0) && memcmp(kind + 8, "WAVE", 4) == 0;
    if (!h.riff)
        return h;
    for (int64_t at = sizeof kind; !h.data && readAt(fd, at, chunk, sizeof chunk);) {
        const unsigned bytes = number(chunk + 4, 4);
        at += (int64_t)sizeof chunk;
        if (memcmp(chunk, "fmt ", 4) == 0 && bytes >= sizeof format && readAt(fd, at, format, sizeof format))
            describe(&h, format);
        else if (memcmp(chunk, "data", 4) == 0)
            findSamples(&h, at, bytes, file.st_size);
        at += (int64_t)bytes + bytes % 2;
    }
    return h;
}
