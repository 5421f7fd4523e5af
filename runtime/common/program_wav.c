// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// WAV files through libsndfile, which is loaded when the first is opened: a program that uses none does not need it.
#include "runtime/common/internal.h"
#include "runtime/common/wav_abi.h"

#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#define FRAMES 4096

struct svmr_Wav {
    svmr_Wav *next; // that is being written
    char *path;
    const char *where;
    svm_Item item;
    SNDFILE *file;
    SF_INFO info;
    bool write;
    bool any;              // samples were read since the start
    uint64_t bytes;        // of samples written
    void *buffer;          // FRAMES frames
    size_t begin, end;     // the samples in it
    svmr_WavHeader header; // of a file that is read
    void *library;
#define FUNCTION(result, name, parameters) result(*name) parameters;
#include "runtime/common/wav_functions.def"
#undef FUNCTION
};

// The files that are being written. A thread that sees to a signal finishes them (program_end.c).
static struct {
    pthread_mutex_t mutex; // held by who writes to one
    svmr_Wav *first;
    const char *stereo; // of several channels, which was read
} wavs = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static const char suffix[] = ".wav";

// Where in "dir/x.wav,rate=48000" the suffix ends; NULL: it is no such name.
static const char *suffixEnd(const char *path)
{
    for (const char *s = path; *s; s++)
        if (strncasecmp(s, suffix, sizeof suffix - 1) == 0 && (s[4] == 0 || s[4] == ','))
            return s + 4;
    return NULL;
}

bool svmr_isWav(const char *path)
{
    return suffixEnd(path) != NULL;
}

// ---- Opening ----

// Samples of the buffer's kind: 16 bits for int, else as the items' parts.
static size_t sampleBytes(const svmr_Wav *w)
{
    return w->item == SVM_ITEM_INT ? 2 : w->item == SVM_ITEM_DOUBLE ? 8 : 4;
}

static void load(svmr_Wav *w)
{
    w->library = dlopen("libsndfile.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!w->library)
        svmr_fatalProgram("cannot open '%s': WAV files need the library libsndfile (package libsndfile1): %s", w->path,
                          dlerror());
#define FUNCTION(result, name, parameters) *(void **)&w->name = dlsym(w->library, #name);
#include "runtime/common/wav_functions.def"
#undef FUNCTION
#define FUNCTION(result, name, parameters)                                                                             \
    if (!w->name)                                                                                                      \
        svmr_fatalProgram("cannot open '%s': the library libsndfile has no function " #name, w->path);
#include "runtime/common/wav_functions.def"
#undef FUNCTION
}

static const struct {
    const char *name;
    int format;
} formats[] = {{"pcm16", SF_FORMAT_PCM_16}, {"pcm24", SF_FORMAT_PCM_24}, {"float", SF_FORMAT_FLOAT}};

static bool parseFormat(const char *text, size_t length, int *format)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (strlen(formats[i].name) == length && strncmp(formats[i].name, text, length) == 0) {
            *format = SF_FORMAT_WAV | formats[i].format;
            return true;
        }
    }
    return false;
}

static bool parseNumber(const char *text, size_t length, int most, int *number)
{
    int v = 0;
    for (size_t i = 0; i < length; i++) {
        if (!isdigit((unsigned char)text[i]) || v > most)
            return false;
        v = v * 10 + (text[i] - '0');
    }
    *number = v;
    return length > 0 && v > 0 && v <= most;
}

static bool parseOption(svmr_Wav *w, const char *text, size_t length)
{
    const char *equals = memchr(text, '=', length);
    if (!equals)
        return false;
    size_t name = (size_t)(equals - text), value = length - name - 1;
    if (name == 4 && strncmp(text, "rate", 4) == 0)
        return parseNumber(equals + 1, value, 10000000, &w->info.samplerate);
    if (name == 8 && strncmp(text, "channels", 8) == 0)
        return parseNumber(equals + 1, value, 1024, &w->info.channels);
    return name == 6 && strncmp(text, "format", 6) == 0 && parseFormat(equals + 1, value, &w->info.format);
}

// The path without its options, which are taken in.
static void parsePath(svmr_Wav *w, const char *path)
{
    const char *end = suffixEnd(path);
    w->path = strndup(path, (size_t)(end - path));
    while (*end == ',') {
        const char *option = ++end;
        end += strcspn(option, ",");
        if (!w->write)
            svmr_fatalProgram("'%s': options after '%s' are for files to be written", path, w->path);
        if (parseOption(w, option, (size_t)(end - option)))
            continue;
        if (strncmp(option, "rate=", 5) == 0 || strncmp(option, "channels=", 9) == 0)
            svmr_fatalProgram("'%s%.*s': '%.*s' is out of range; expected a whole number from 1 to %s", w->path,
                              (int)(end - option) + 1, option - 1, (int)(end - option), option,
                              *option == 'r' ? "10000000" : "1024");
        svmr_fatalProgram("'%s%.*s': '%.*s' is none of rate=HERTZ, channels=COUNT, format=pcm16|pcm24|float", w->path,
                          (int)(end - option) + 1, option - 1, (int)(end - option), option);
    }
}

// Samples of several channels are interleaved items; a file that is not told its channels has one.
static void explainChannels(const svmr_Wav *w, bool told)
{
    pthread_mutex_lock(&wavs.mutex);
    if (!w->write && w->info.channels > 1 && !wavs.stereo)
        wavs.stereo = strdup(w->path);
    if (w->write && !told && w->item != SVM_ITEM_COMPLEX && wavs.stereo)
        fprintf(stderr,
                "%s: note: '%s' gets 1 channel, though '%s' has several, whose samples are items one after the other; "
                "'%s,channels=COUNT' gives it more\n",
                program_invocation_short_name, w->path, wavs.stereo, w->path);
    pthread_mutex_unlock(&wavs.mutex);
}

const char *svmr_wavOption(const char *path, const char *option)
{
    const char *at = suffixEnd(path);
    while (at && *at == ',') {
        if (strncmp(++at, option, strlen(option)) == 0)
            return at + strlen(option);
        at += strcspn(at, ",");
    }
    return NULL;
}

bool svmr_wavProbe(const char *path, int *channels, int *rate)
{
    svmr_Wav w = {.path = (char *)path, .library = NULL};
    if (access(path, R_OK) != 0)
        return false;
    load(&w);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    w.file = fd < 0 ? NULL : w.sf_open_fd(fd, SFM_READ, &w.info, 1);
    *channels = w.info.channels;
    *rate = w.info.samplerate;
    bool good = w.file != NULL;
    if (good)
        w.sf_close(w.file);
    else if (fd >= 0)
        close(fd);
    dlclose(w.library);
    return good;
}

// Why the library cannot read a file: it says so in words that are for its own authors.
static _Noreturn SVMR_COLD void failHeader(const svmr_Wav *w)
{
    const svmr_WavHeader *h = &w->header;
    if (!h->riff)
        svmr_fatalProgram("cannot read '%s': it is no WAV file; raw items have another name", w->path);
    if (!h->described || !h->data)
        svmr_fatalProgram("cannot read '%s': its header has no '%s' chunk", w->path, h->described ? "data" : "fmt ");
    if (h->rate == 0 || h->channels == 0)
        svmr_fatalProgram("cannot read '%s': its header says 0 %s", w->path,
                          h->rate == 0 ? "samples a second" : "channels");
    if (h->channels > 1024)
        svmr_fatalProgram("cannot read '%s': its header says %u channels, and 1024 are the most", w->path, h->channels);
    svmr_fatalProgram(
        "cannot read '%s': its header says samples of format %u with %u bits, which are of no kind that is "
        "known",
        w->path, h->kind, h->bits);
}

svmr_Wav *svmr_wavOpen(const char *path, bool write, svm_Item item, const char *where)
{
    svmr_Wav *w = svmr_allocate(1, sizeof *w);
    w->write = write;
    w->where = where;
    w->item = item;
    if (write)
        w->info = (SF_INFO){.samplerate = 44100,
                            .channels = item == SVM_ITEM_COMPLEX ? 2 : 1,
                            .format = SF_FORMAT_WAV | SF_FORMAT_PCM_16};
    parsePath(w, path);
    if (item != SVM_ITEM_INT && item != SVM_ITEM_FLOAT && item != SVM_ITEM_DOUBLE && item != SVM_ITEM_COMPLEX)
        svmr_fatalProgram("'%s': the items of a WAV file are float, double, int or complex, not those of %s", w->path,
                          where);
    load(w);
    if (write)
        svmr_checkNotRead(w->path);
    int fd =
        write ? open(w->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : open(w->path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        svmr_fatalProgram("cannot open '%s': %s", w->path, strerror(errno));
    if (!write)
        w->header = svmr_wavHeader(fd);
    w->file = w->sf_open_fd(fd, write ? SFM_WRITE : SFM_READ, &w->info, 1);
    if (!w->file && !write)
        failHeader(w);
    if (!w->file)
        svmr_fatalProgram("cannot write '%s': the library libsndfile says: %s", w->path, w->sf_strerror(NULL));
    if (item == SVM_ITEM_COMPLEX && w->info.channels != 2)
        svmr_fatalProgram("'%s': complex items need 2 channels, and it has %d", w->path, w->info.channels);
    w->buffer = svmr_allocate(FRAMES * (size_t)w->info.channels, sampleBytes(w));
    explainChannels(w, svmr_wavOption(path, "channels=") != NULL);
    if (!write)
        return w;
    w->sf_command(w->file, SFC_SET_CLIPPING, NULL, 1);
    svmr_watchSignals();
    pthread_mutex_lock(&wavs.mutex);
    w->next = wavs.first;
    wavs.first = w;
    pthread_mutex_unlock(&wavs.mutex);
    return w;
}

// ---- Samples ----

static _Noreturn SVMR_COLD void failWav(const svmr_Wav *w, const char *reason)
{
    svmr_fatalProgram("cannot %s '%s': %s", w->write ? "write" : "read", w->path, reason);
}

// By who has the files' mutex.
static _Noreturn SVMR_COLD void failWriting(const svmr_Wav *w, const char *reason)
{
    pthread_mutex_unlock(&wavs.mutex);
    failWav(w, reason);
}

// The library takes a file that was cut short for one that ends there.
static void checkEnd(const svmr_Wav *w)
{
    const svmr_WavHeader *h = &w->header;
    char why[120] = "";
    if (h->there < h->promised)
        snprintf(why, sizeof why,
                 "it was cut short: its header promises %" PRId64 " bytes of samples, and %" PRId64 " are there",
                 h->promised, h->there);
    else if (h->frameBytes != 0 && h->there % h->frameBytes != 0)
        snprintf(why, sizeof why, "the input ends in the middle of a sample of each channel (needs %u bytes, has %u)",
                 h->frameBytes, (unsigned)(h->there % h->frameBytes));
    if (*why)
        svmr_fatalProgram("cannot read '%s': %s%s%s%s", w->path, why, *w->where ? " (" : "", w->where,
                          *w->where ? ")" : "");
}

static void readFrames(svmr_Wav *w)
{
    sf_count_t n = w->item == SVM_ITEM_INT      ? w->sf_readf_short(w->file, w->buffer, FRAMES)
                   : w->item == SVM_ITEM_DOUBLE ? w->sf_readf_double(w->file, w->buffer, FRAMES)
                                                : w->sf_readf_float(w->file, w->buffer, FRAMES);
    if (w->sf_error(w->file))
        failWav(w, w->sf_strerror(w->file));
    if (n == 0)
        checkEnd(w);
    w->begin = 0;
    w->end = (size_t)n * (size_t)w->info.channels;
    w->any |= n > 0;
}

// The header has 32 bits for lengths, and libsndfile writes on without a word.
static void checkLength(svmr_Wav *w)
{
    const uint64_t most = UINT32_MAX - 4096 - 4 * FRAMES * (uint64_t)w->info.channels; // room for header and rest
    int kind = w->info.format & SF_FORMAT_SUBMASK;
    w->bytes += w->end * (kind == SF_FORMAT_PCM_16 ? 2 : kind == SF_FORMAT_PCM_24 ? 3 : 4);
    if (w->bytes <= most)
        return;
    w->end = 0;
    failWriting(w, "a WAV file holds 4 GiB at most; what comes before is there, and raw files hold more");
}

static void writeFrames(svmr_Wav *w)
{
    checkLength(w);
    sf_count_t n = (sf_count_t)(w->end / (size_t)w->info.channels);
    sf_count_t done = w->item == SVM_ITEM_INT      ? w->sf_writef_short(w->file, w->buffer, n)
                      : w->item == SVM_ITEM_DOUBLE ? w->sf_writef_double(w->file, w->buffer, n)
                                                   : w->sf_writef_float(w->file, w->buffer, n);
    if (done != n)
        failWriting(w, errno ? strerror(errno) : w->sf_strerror(w->file));
    w->end = 0;
}

static size_t samplesPerItem(const svmr_Wav *w)
{
    return w->item == SVM_ITEM_COMPLEX ? 2 : 1;
}

bool svmr_wavAtEnd(svmr_Wav *w)
{
    if (w->begin == w->end)
        readFrames(w);
    return w->begin == w->end;
}

ptrdiff_t svmr_wavRead(svmr_Wav *w, void *items, ptrdiff_t count)
{
    size_t wanted = (size_t)count * samplesPerItem(w), done = 0;
    while (done < wanted && !svmr_wavAtEnd(w)) {
        size_t n = w->end - w->begin < wanted - done ? w->end - w->begin : wanted - done;
        if (w->item == SVM_ITEM_INT) {
            for (size_t i = 0; i < n; i++)
                ((int32_t *)items)[done + i] = ((const short *)w->buffer)[w->begin + i];
        } else {
            size_t size = sampleBytes(w);
            memcpy((char *)items + done * size, (const char *)w->buffer + w->begin * size, n * size);
        }
        w->begin += n;
        done += n;
    }
    return (ptrdiff_t)(done / samplesPerItem(w));
}

bool svmr_wavRewind(svmr_Wav *w)
{
    if (!w->any)
        failWav(w, "it has no samples, and so cannot be looped");
    if (w->sf_seek(w->file, 0, SEEK_SET) < 0)
        failWav(w, "it cannot be started again; looped input must be a file");
    w->begin = w->end = 0;
    w->any = false;
    return true;
}

static short to16Bits(int32_t v)
{
    return (short)(v > INT16_MAX ? INT16_MAX : v < INT16_MIN ? INT16_MIN : v);
}

void svmr_wavWrite(svmr_Wav *w, const void *items, ptrdiff_t count)
{
    size_t left = (size_t)count * samplesPerItem(w), done = 0, capacity = FRAMES * (size_t)w->info.channels;
    pthread_mutex_lock(&wavs.mutex);
    while (left) {
        size_t n = capacity - w->end < left ? capacity - w->end : left;
        if (w->item == SVM_ITEM_INT) {
            for (size_t i = 0; i < n; i++)
                ((short *)w->buffer)[w->end + i] = to16Bits(((const int32_t *)items)[done + i]);
        } else {
            size_t size = sampleBytes(w);
            memcpy((char *)w->buffer + w->end * size, (const char *)items + done * size, n * size);
        }
        w->end += n;
        done += n;
        left -= n;
        if (w->end == capacity)
            writeFrames(w);
    }
    pthread_mutex_unlock(&wavs.mutex);
}

// Silence in the channels that the last frame lacks.
static void fillFrame(svmr_Wav *w)
{
    size_t channels = (size_t)w->info.channels, over = w->end % channels;
    if (!over)
        return;
    memset((char *)w->buffer + w->end * sampleBytes(w), 0, (channels - over) * sampleBytes(w));
    w->end += channels - over;
}

void svmr_wavFinish(bool wait)
{
    if ((wait ? pthread_mutex_lock(&wavs.mutex) : pthread_mutex_trylock(&wavs.mutex)) != 0)
        return;
    for (svmr_Wav *w = wavs.first; w; w = w->next) {
        fillFrame(w);
        sf_count_t n = (sf_count_t)(w->end / (size_t)w->info.channels);
        if (w->item == SVM_ITEM_INT)
            w->sf_writef_short(w->file, w->buffer, n);
        else if (w->item == SVM_ITEM_DOUBLE)
            w->sf_writef_double(w->file, w->buffer, n);
        else
            w->sf_writef_float(w->file, w->buffer, n);
        w->sf_close(w->file);
    }
    wavs.first = NULL;
    // The mutex stays locked: the files are closed.
}

static void forget(const svmr_Wav *w)
{
    svmr_Wav **at = &wavs.first;
    while (*at && *at != w)
        at = &(*at)->next;
    if (*at)
        *at = w->next;
}

void svmr_wavClose(svmr_Wav *w)
{
    pthread_mutex_lock(&wavs.mutex);
    forget(w);
    if (w->write) {
        fillFrame(w);
        errno = 0;
        writeFrames(w);
        w->sf_write_sync(w->file);
    }
    if (w->sf_error(w->file))
        failWriting(w, w->sf_strerror(w->file));
    errno = 0;
    if (w->sf_close(w->file))
        failWriting(w, errno ? strerror(errno) : "the file could not be closed");
    pthread_mutex_unlock(&wavs.mutex);
    dlclose(w->library);
    free(w->buffer);
    free(w->path);
    free(w);
}
