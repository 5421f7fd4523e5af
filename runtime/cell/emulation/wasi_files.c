// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files that an SPE's program opens: the PPE does it, as libspe2 does for the vendor's C library. The program's numbers of
// files are those of a table of its context; 3 and 4 are the directories below which it names them: the root, and where
// the PPE's program runs. Errors are WASI's.
#include "runtime/cell/emulation/emulation.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROOT = 3, HERE = 4, FIRST = 5, MOST_PATH = 4096 };
enum {
    WASI_CREATE = 1,
    WASI_EXCLUSIVE = 4,
    WASI_TRUNCATE = 8,
    WASI_APPEND = 1,
    WASI_MAY_READ = 2,
    WASI_MAY_WRITE = 64
};
enum { WASI_IS_DIRECTORY = 3, WASI_IS_FILE = 4 };

uint32_t cell_wasi_error(void)
{
    static const struct {
        int here;
        uint32_t there;
    } errors[] = {{EACCES, 2},  {EBADF, 8},   {EEXIST, 20},  {EINVAL, 28}, {EISDIR, 31}, {EMFILE, 33}, {ENFILE, 41},
                  {ENOENT, 44}, {ENOSPC, 51}, {ENOTDIR, 54}, {EPERM, 63},  {EROFS, 69},  {ESPIPE, 70}};
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].here == errno)
            return errors[i].there;
    return WASI_IO;
}

// ---- The table ----

int cell_file_of(uint32_t file)
{
    const spe *s = cell_current;
    const uint32_t index = file - FIRST;
    return file >= FIRST && index < s->file_count ? s->files[index] : -1;
}

bool cell_is_directory(uint32_t file)
{
    return file == ROOT || file == HERE;
}

void cell_close_files(spe *s)
{
    for (uint32_t i = 0; i < s->file_count; i++)
        if (s->files[i] >= 0)
            close(s->files[i]);
    free(s->files);
    s->files = NULL;
    s->file_count = 0;
}

static uint32_t keep(spe *s, int file, uint32_t *number)
{
    uint32_t index = 0;
    while (index < s->file_count && s->files[index] >= 0)
        index++;
    if (index == s->file_count) {
        int *files = realloc(s->files, (index + 1) * sizeof *files);
        if (!files) {
            errno = EMFILE;
            return cell_wasi_error();
        }
        s->files = files;
        s->file_count++;
    }
    s->files[index] = file;
    *number = FIRST + index;
    return WASI_OK;
}

// ---- Paths ----

uint32_t cell_fd_prestat_get(cell_spu *spu, uint32_t site, uint32_t file, uint32_t stat)
{
    (void)site;
    if (!cell_is_directory(file))
        return WASI_BADF;
    if (!cell_in_store(stat, 8))
        return WASI_FAULT;
    const uint32_t words[2] = {0, 1}; // a directory, with a name of one byte
    memcpy(spu->ls + stat, words, sizeof words);
    return WASI_OK;
}

uint32_t cell_fd_prestat_dir_name(cell_spu *spu, uint32_t site, uint32_t file, uint32_t name, uint32_t size)
{
    (void)site;
    if (!cell_is_directory(file))
        return WASI_BADF;
    if (size == 0 || !cell_in_store(name, 1))
        return WASI_FAULT;
    spu->ls[name] = file == ROOT ? '/' : '.';
    return WASI_OK;
}

// The PPE's name of a path below one of the directories.
static uint32_t path_of(const cell_spu *spu, uint32_t directory, uint32_t name, uint32_t size, char path[MOST_PATH])
{
    if (!cell_is_directory(directory))
        return WASI_BADF;
    if (!cell_in_store(name, size) || size > MOST_PATH - 2)
        return WASI_FAULT;
    const uint32_t root = directory == ROOT;
    path[0] = '/';
    memcpy(path + root, spu->ls + name, size);
    path[root + size] = '\0';
    return WASI_OK;
}

uint32_t cell_path_open(cell_spu *spu, uint32_t site, uint32_t directory, uint32_t links, uint32_t name, uint32_t size,
                        uint32_t how, uint64_t rights, uint64_t inherited, uint32_t flags, uint32_t opened)
{
    (void)site, (void)links, (void)inherited;
    char path[MOST_PATH];
    uint32_t number = 0, error = path_of(spu, directory, name, size, path);
    if (error != WASI_OK)
        return error;
    const bool writes = rights & WASI_MAY_WRITE, reads = rights & WASI_MAY_READ;
    const int file = open(path,
                          (writes ? reads ? O_RDWR : O_WRONLY : O_RDONLY) | (how & WASI_CREATE ? O_CREAT : 0) |
                              (how & WASI_EXCLUSIVE ? O_EXCL : 0) | (how & WASI_TRUNCATE ? O_TRUNC : 0) |
                              (flags & WASI_APPEND ? O_APPEND : 0) | O_CLOEXEC,
                          0666);
    if (file < 0)
        return cell_wasi_error();
    error = keep(cell_current, file, &number);
    if (error == WASI_OK)
        return cell_set_word(spu, opened, number);
    close(file);
    return error;
}

uint32_t cell_path_unlink_file(cell_spu *spu, uint32_t site, uint32_t directory, uint32_t name, uint32_t size)
{
    (void)site;
    char path[MOST_PATH];
    const uint32_t error = path_of(spu, directory, name, size, path);
    return error != WASI_OK ? error : unlink(path) == 0 ? WASI_OK : cell_wasi_error();
}

// ---- Open files ----

static uint32_t put_stat(const cell_spu *spu, const struct stat *is, uint32_t stat)
{
    if (!cell_in_store(stat, 64))
        return WASI_FAULT;
    // device, number, kind, links, size, and three times
    const uint64_t words[8] = {is->st_dev,
                               is->st_ino,
                               S_ISDIR(is->st_mode) ? WASI_IS_DIRECTORY : WASI_IS_FILE,
                               is->st_nlink,
                               (uint64_t)is->st_size,
                               (uint64_t)is->st_atime * 1000000000,
                               (uint64_t)is->st_mtime * 1000000000,
                               (uint64_t)is->st_ctime * 1000000000};
    memcpy(spu->ls + stat, words, sizeof words);
    return WASI_OK;
}

uint32_t cell_fd_filestat_get(cell_spu *spu, uint32_t site, uint32_t file, uint32_t stat)
{
    (void)site;
    struct stat is;
    const int here = file <= 2 ? (int)file : cell_file_of(file);
    return here < 0 ? WASI_BADF : fstat(here, &is) == 0 ? put_stat(spu, &is, stat) : cell_wasi_error();
}

uint32_t cell_path_filestat_get(cell_spu *spu, uint32_t site, uint32_t directory, uint32_t links, uint32_t name,
                                uint32_t size, uint32_t result)
{
    (void)site, (void)links;
    char path[MOST_PATH];
    struct stat is;
    const uint32_t error = path_of(spu, directory, name, size, path);
    return error != WASI_OK ? error : stat(path, &is) == 0 ? put_stat(spu, &is, result) : cell_wasi_error();
}

uint32_t cell_fd_seek(cell_spu *spu, uint32_t site, uint32_t file, uint64_t offset, uint32_t from, uint32_t result)
{
    (void)site;
    static const int whence[] = {SEEK_SET, SEEK_CUR, SEEK_END};
    const int here = cell_file_of(file);
    if (here < 0)
        return file <= 2 ? 70 : WASI_BADF; // a stream cannot be sought in
    if (from >= sizeof whence / sizeof *whence || !cell_in_store(result, 8))
        return WASI_FAULT;
    const off_t at = lseek(here, (off_t)offset, whence[from]);
    if (at < 0)
        return cell_wasi_error();
    memcpy(spu->ls + result, &(uint64_t){(uint64_t)at}, 8);
    return WASI_OK;
}

uint32_t cell_fd_fdstat_set_flags(cell_spu *spu, uint32_t site, uint32_t file, uint32_t flags)
{
    (void)spu, (void)site, (void)flags;
    return file <= 2 || cell_file_of(file) >= 0 ? WASI_OK : WASI_BADF;
}

uint32_t cell_fd_close(cell_spu *spu, uint32_t site, uint32_t file)
{
    (void)spu, (void)site;
    const int here = cell_file_of(file);
    if (file <= 2) // the PPE's
        return WASI_OK;
    if (here < 0)
        return WASI_BADF;
    cell_current->files[file - FIRST] = -1;
    return close(here) == 0 ? WASI_OK : cell_wasi_error();
}
