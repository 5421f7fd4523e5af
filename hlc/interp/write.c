// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writers: the program's own output and FileWriters.
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hlc/interp/interp_int.h"

struct vm_writer {
    interp *run;
    const sir_actor *actor;
    const char *label; // "'x.raw'" or "standard output"
    FILE *file;
    bool packed; // bits
    unsigned char *item;
    size_t item_bytes;
    unsigned bits, bit_count; // bits that are no byte yet
};

static bool fail_with(const vm_writer *f, const char *what)
{
    interp *r = f->run;
    if (!r->failed)
        diag_error(r->d, sir_range(r->m, r->d->sources, f->actor->loc), "'%s' cannot write %s: %s", f->actor->name,
                   f->label, what);
    r->failed = true;
    return false;
}

static bool fail(const vm_writer *f)
{
    return fail_with(f, strerror(errno));
}

// Whether a reader of the program reads the file: to open it would empty it.
static bool is_read(const interp *r, const char *path)
{
    struct stat file, other;
    if (stat(path, &file) != 0 || !S_ISREG(file.st_mode))
        return false;
    for (VEC_EACH(sir_actor *const, a, &r->m->actors)) {
        if ((*a)->kind != SIR_READER)
            continue;
        const char *from = (*a)->path != NULL ? (*a)->path : r->options->in;
        const bool standard = from == NULL || ((*a)->path == NULL && strcmp(from, "-") == 0);
        if ((standard ? fstat(STDIN_FILENO, &other) : stat(from, &other)) == 0 && other.st_ino == file.st_ino &&
            other.st_dev == file.st_dev)
            return true;
    }
    return false;
}

vm_writer *vm_writer_open(interp *r, const sir_actor *actor)
{
    vm_writer *f = ARENA_NEW(r->arena, vm_writer);
    const char *path = actor->path != NULL ? actor->path : r->options->out;
    f->run = r;
    f->actor = actor;
    f->packed = actor->item->kind == SIR_BIT;
    f->item_bytes = vm_item_bytes(actor->item);
    f->item = arena_alloc(r->arena, f->item_bytes + 1);
    if (path == NULL || (actor->path == NULL && strcmp(path, "-") == 0)) {
        f->file = stdout;
        f->label = "standard output";
        return f;
    }
    f->label = arena_printf(r->arena, "'%s'", path);
    if (vm_is_wav(path)) {
        fail_with(f, "the interpreter writes raw items only; compile the program to write WAV files");
        return NULL;
    }
    if (is_read(r, path)) {
        fail_with(f, "the program reads this file, which would be empty then; write another one, and rename it "
                     "afterwards");
        return NULL;
    }
    f->file = fopen(path, "wbe");
    if (f->file == NULL)
        fail(f);
    return f->file == NULL ? NULL : f;
}

static bool write_bits(vm_writer *f, const word *from, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        f->bits = f->bits << 1 | ((unsigned)from[i].i & 1);
        if (++f->bit_count < 8)
            continue;
        if (putc((int)(f->bits & 0xff), f->file) == EOF)
            return fail(f);
        f->bits = f->bit_count = 0;
    }
    return true;
}

bool vm_writer_write(vm_writer *f, const word *from, int64_t count)
{
    if (f->packed)
        return write_bits(f, from, count);
    for (int64_t i = 0; i < count; i++) {
        vm_item_encode(f->actor->item, &from, f->item);
        if (fwrite(f->item, 1, f->item_bytes, f->file) != f->item_bytes)
            return fail(f);
    }
    return true;
}

bool vm_writer_close(vm_writer *f)
{
    bool ok = f->bit_count == 0 || putc((int)(f->bits << (8 - f->bit_count) & 0xff), f->file) != EOF;
    if (!ok)
        fail(f);
    f->bit_count = 0;
    if (f->file == stdout)
        return (ok &= fflush(stdout) == 0) || fail(f);
    return (fclose(f->file) == 0 && ok) || fail(f);
}
