// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the SPE's C library asks of the PPE: reading and writing, the time; wasi_files.c opens files. All addresses are the
// program's and are checked.
#include "runtime/cell/emulation/emulation.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

bool cell_in_store(uint32_t address, uint32_t size)
{
    return address <= CELL_LS_SIZE && size <= CELL_LS_SIZE - address;
}

static bool part(const cell_spu *spu, uint32_t parts, uint32_t index, uint32_t *address, uint32_t *size)
{
    if (!cell_in_store(parts, 8) || index > CELL_LS_SIZE / 8 || !cell_in_store(parts + 8 * index, 8))
        return false;
    memcpy(address, spu->ls + parts + 8 * index, 4);
    memcpy(size, spu->ls + parts + 8 * index + 4, 4);
    return cell_in_store(*address, *size);
}

uint32_t cell_set_word(const cell_spu *spu, uint32_t address, uint32_t value)
{
    if (!cell_in_store(address, 4))
        return WASI_FAULT;
    memcpy(spu->ls + address, &value, 4);
    return WASI_OK;
}

// Through the PPE's own streams, so that both sides' output keeps its order.
uint32_t cell_fd_write(cell_spu *spu, uint32_t site, uint32_t file, uint32_t parts, uint32_t count, uint32_t written)
{
    (void)site;
    const int here = cell_file_of(file);
    if (file != 1 && file != 2 && here < 0)
        return WASI_BADF;
    FILE *stream = file == 1 ? stdout : stderr;
    uint32_t total = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t address, size;
        if (!part(spu, parts, i, &address, &size))
            return WASI_FAULT;
        if (here < 0 && fwrite(spu->ls + address, 1, size, stream) != size)
            return WASI_IO;
        const ssize_t n = here < 0 ? (ssize_t)size : write(here, spu->ls + address, size);
        if (n < 0)
            return cell_wasi_error();
        total += (uint32_t)n;
        if ((uint32_t)n < size)
            break;
    }
    return cell_set_word(spu, written, total);
}

uint32_t cell_fd_read(cell_spu *spu, uint32_t site, uint32_t file, uint32_t parts, uint32_t count, uint32_t got)
{
    (void)site;
    const int here = file == 0 ? 0 : cell_file_of(file);
    if (here < 0)
        return WASI_BADF;
    uint32_t total = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t address, size;
        if (!part(spu, parts, i, &address, &size))
            return WASI_FAULT;
        const ssize_t n = read(here, spu->ls + address, size);
        if (n < 0)
            return cell_wasi_error();
        total += (uint32_t)n;
        if ((uint32_t)n < size)
            break;
    }
    return cell_set_word(spu, got, total);
}

// Standard streams are character devices: the library then writes line by line.
uint32_t cell_fd_fdstat_get(cell_spu *spu, uint32_t site, uint32_t file, uint32_t stat)
{
    (void)site;
    enum { DEVICE = 2, DIRECTORY = 3, REGULAR = 4 };
    if (file > 2 && !cell_is_directory(file) && cell_file_of(file) < 0)
        return WASI_BADF;
    if (!cell_in_store(stat, 24))
        return WASI_FAULT;
    memset(spu->ls + stat, 0, 24);
    spu->ls[stat] = file <= 2 ? DEVICE : cell_is_directory(file) ? DIRECTORY : REGULAR;
    if (file > 2)
        memset(spu->ls + stat + 8, 0xFF, 16); // everything may be done with it
    return WASI_OK;
}

uint32_t cell_clock_time_get(cell_spu *spu, uint32_t site, uint32_t clock, uint64_t precision, uint32_t time)
{
    (void)site, (void)precision;
    struct timespec now;
    if (clock_gettime(clock == 0 ? CLOCK_REALTIME : CLOCK_MONOTONIC, &now) != 0)
        return WASI_IO;
    const uint64_t nanoseconds = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
    if (!cell_in_store(time, 8))
        return WASI_FAULT;
    memcpy(spu->ls + time, &nanoseconds, 8);
    return WASI_OK;
}
