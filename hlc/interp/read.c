// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Readers: the program's own input and FileReaders.
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "hlc/interp/interp_int.h"

struct vm_reader {
    interp *run;
    const sir_actor *actor;
    const char *label; // "'x.raw'" or "standard input"
    int fd;
    bool packed; // bits
    size_t item; // bytes; bits: 1 byte is looked at
    unsigned char *buffer;
    size_t begin, end, cap; // what is in it
    unsigned bit;           // bits of the byte at begin that are used up
    bool end_of_file;
    bool any; // an item was read since the start of the file
};

static bool fail(const vm_reader *f, const char *what)
{
    interp *r = f->run;
    diag_error(r->d, sir_range(r->m, r->d->sources, f->actor->loc), "'%s' cannot read %s: %s", f->actor->name, f->label,
               what);
    r->failed = true;
    return false;
}

vm_reader *vm_reader_open(interp *r, const sir_actor *actor)
{
    vm_reader *f = ARENA_NEW(r->arena, vm_reader);
    const char *path = actor->path != NULL ? actor->path : r->options->in;
    f->run = r;
    f->actor = actor;
    f->packed = actor->item->kind == SIR_BIT;
    f->item = f->packed ? 1 : vm_item_bytes(actor->item);
    f->cap = f->item > 65536 ? f->item : 65536;
    f->buffer = arena_alloc(r->arena, f->cap);
    if (path == NULL || (actor->path == NULL && strcmp(path, "-") == 0)) {
        f->fd = STDIN_FILENO;
        f->label = "standard input";
        return f;
    }
    f->label = arena_printf(r->arena, "'%s'", path);
    if (vm_is_wav(path)) {
        fail(f, "the interpreter reads raw items only; compile the program to read WAV files");
        return NULL;
    }
    f->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (f->fd < 0)
        fail(f, strerror(errno));
    return f->fd < 0 ? NULL : f;
}

void vm_reader_close(vm_reader *f)
{
    if (f->fd != STDIN_FILENO)
        close(f->fd);
}

// The buffer holds at least one item, or all that is left.
static bool fill(vm_reader *f)
{
    if (f->end - f->begin >= f->item || f->end_of_file)
        return true;
    memmove(f->buffer, f->buffer + f->begin, f->end - f->begin);
    f->end -= f->begin;
    f->begin = 0;
    while (f->end < f->item && !f->end_of_file) {
        ssize_t n = read(f->fd, f->buffer + f->end, f->cap - f->end);
        if (n < 0 && errno != EINTR)
            return fail(f, strerror(errno));
        if (n >= 0) {
            f->end += (size_t)n;
            f->end_of_file = n == 0;
        }
    }
    return true;
}

// At the end of the file with --loop-input: back to its start.
static bool restart(vm_reader *f)
{
    if (!f->any)
        return fail(f, "it has no items, and so cannot be looped");
    if (lseek(f->fd, 0, SEEK_SET) < 0)
        return fail(f, arena_printf(f->run->arena, "it cannot be started again (%s); looped input must be a file",
                                    strerror(errno)));
    f->begin = f->end = 0;
    f->bit = 0;
    f->end_of_file = f->any = false;
    return true;
}

// Makes sure of an item at the buffer's begin, unless the input has ended.
static bool prepare(vm_reader *f, bool *end)
{
    bool loop = f->run->options->loop_input;
    do {
        if (!fill(f))
            return false;
        *end = f->end == f->begin;
    } while (*end && loop && restart(f));
    if (f->run->failed)
        return false;
    if (!*end && f->end - f->begin < f->item)
        return fail(f, arena_printf(f->run->arena, "the input ends in the middle of an item (needs %zu bytes, has %zu)",
                                    f->item, f->end - f->begin));
    return true;
}

bool vm_reader_at_end(vm_reader *f, bool *end)
{
    return prepare(f, end);
}

bool vm_reader_read(vm_reader *f, word *to, int64_t count, int64_t *done)
{
    bool end = false;
    for (*done = 0; *done < count;) {
        if (!prepare(f, &end))
            return false;
        if (end)
            break;
        f->any = true;
        for (; *done < count && f->end - f->begin >= f->item; ++*done) {
            if (!f->packed) {
                vm_item_decode(f->actor->item, f->buffer + f->begin, &to);
                f->begin += f->item;
                continue;
            }
            to++->i = f->buffer[f->begin] >> (7 - f->bit) & 1;
            f->bit = (f->bit + 1) % 8;
            f->begin += f->bit == 0;
        }
    }
    return true;
}
