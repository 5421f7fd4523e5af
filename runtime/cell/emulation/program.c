// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPE programs: files that svm-spu-gcc linked, or copies of them inside of the PPE's program (svm-embedspu).
#include "runtime/cell/emulation/emulation.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char mark[] = "SVMCELL1";
enum { MARK_SIZE = sizeof mark - 1 };

// What toe_shadow of an opened program points to.
typedef struct loaded {
    void *library;
    const cell_image *image;
} loaded;

static loaded *load_library(const char *path, const char *name)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const cell_image *image = library ? dlsym(library, "svm_cell_image") : NULL;
    if (!image || image->abi != CELL_IMAGE_ABI) {
        fprintf(stderr, "svm-cell: error: %s is not an SPE program that svm-spu-gcc of this version linked\n", name);
        if (library)
            dlclose(library);
        errno = EINVAL;
        return NULL;
    }
    loaded *l = malloc(sizeof *l);
    if (l)
        *l = (loaded){library, image};
    return l;
}

// An embedded program becomes a file that only has a number.
static loaded *load_embedded(const char *content)
{
    uint64_t size;
    if (memcmp(content, mark, MARK_SIZE) != 0) {
        fprintf(stderr,
                "svm-cell: error: an spe_program_handle_t is not one that svm-embedspu or spe_image_open made\n");
        errno = EINVAL;
        return NULL;
    }
    memcpy(&size, content + 8, 8);
    const int file = memfd_create("spe-program", MFD_CLOEXEC);
    if (file < 0)
        return NULL;
    loaded *l = NULL;
    char path[40];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    size_t done = 0;
    while (done < size) {
        const ssize_t n = write(file, content + 16 + done, size - done);
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    if (done == size)
        l = load_library(path, "an embedded program");
    close(file);
    return l;
}

spe_program_handle_t *spe_image_open(const char *filename)
{
    if (!filename) {
        errno = EINVAL;
        return NULL;
    }
    if (access(filename, R_OK | X_OK) != 0)
        return NULL;
    // Without a slash dlopen would look elsewhere.
    char *path = malloc(strlen(filename) + 3);
    spe_program_handle_t *program = calloc(1, sizeof *program);
    if (!path || !program) {
        free(path);
        free(program);
        errno = ENOMEM;
        return NULL;
    }
    sprintf(path, "%s%s", strchr(filename, '/') ? "" : "./", filename);
    program->handle_size = sizeof *program;
    program->toe_shadow = load_library(path, filename);
    free(path);
    if (program->toe_shadow)
        return program;
    free(program);
    return NULL;
}

int spe_image_close(spe_program_handle_t *program)
{
    if (!program || program->elf_image) { // an embedded program is not closed
        errno = EINVAL;
        return -1;
    }
    cell_enter_from_ppe();
    bool used = false;
    for (const spe *s = cell_contexts; s; s = s->next)
        used |= s->program == program;
    cell_leave();
    loaded *l = program->toe_shadow;
    // A context may still run the program: then its code stays.
    if (!used) {
        dlclose(l->library);
        free(l);
    }
    free(program);
    return 0;
}

int spe_program_load(spe_context_ptr_t s, spe_program_handle_t *program)
{
    if (!s || !program) {
        errno = s ? EINVAL : ESRCH;
        return -1;
    }
    cell_enter_from_ppe();
    if (!program->toe_shadow && program->elf_image)
        program->toe_shadow = load_embedded(program->elf_image);
    const loaded *l = program->toe_shadow;
    const bool good = l && s->state != CELL_RUNNING && s->state != CELL_CALLING;
    if (good)
        cell_finish_thread(s);
    cell_spu *spu = good ? calloc(1, l->image->instance_size) : NULL;
    if (spu) {
        free(s->spu);
        cell_close_files(s);
        s->spu = spu;
        s->program = program;
        s->image = l->image;
        s->mfc.track = l->image->check_dma;
        *spu = (cell_spu){.ls = s->base, .host = &cell_host_functions, .busy = s->mfc.busy};
        s->state = CELL_IDLE;
        // What the program before left under way ends before its local store does.
        while (cell_advance(s, &s->mfc.spu, ~0u) || cell_advance(s, &s->mfc.proxy, ~0u))
            ;
        memset(s->base, 0, CELL_LS_SIZE);
        s->image->load(spu);
    }
    cell_leave();
    if (spu)
        return 0;
    if (l)
        errno = good ? ENOMEM : EBUSY;
    return -1;
}
