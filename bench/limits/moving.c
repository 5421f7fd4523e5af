// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The least that a program must do which reads one file and writes another: moving INPUT OUTPUT BYTES HOW BLOCK reads
// all of INPUT and writes so many bytes to OUTPUT, by turns in blocks, with read and write, or through mapped pages
// ("map", of which each cache line is touched, as what is read must be and what is written is).
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINE = 64 };

static int fail(const char *what)
{
    perror(what);
    return 1;
}

static int by_calls(int in, int out, size_t size, size_t left, size_t block)
{
    char *buffer = malloc(block);
    if (buffer == NULL)
        return fail("memory");
    memset(buffer, 1, block);
    size_t taken = 0, all = left;
    for (;;) {
        ssize_t n = read(in, buffer, block);
        if (n < 0)
            return fail("input");
        taken += (size_t)n;
        size_t due = n == 0 ? left : (size_t)((double)all * ((double)taken / (double)(size == 0 ? 1 : size)));
        while (left > 0 && (n == 0 || all - left + block <= due)) {
            size_t part = left < block ? left : block;
            if (write(out, buffer, part) != (ssize_t)part)
                return fail("output");
            left -= part;
        }
        if (n == 0)
            break;
    }
    free(buffer);
    return 0;
}

static int by_pages(int in, int out, size_t size, size_t bytes)
{
    if (ftruncate(out, (off_t)bytes) != 0)
        return fail("output");
    volatile char *from = mmap(NULL, size + 1, PROT_READ, MAP_SHARED | MAP_POPULATE, in, 0);
    volatile char *to = mmap(NULL, bytes + 1, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, out, 0);
    if (from == MAP_FAILED || to == MAP_FAILED)
        return fail("mmap");
    char sum = 0;
    for (size_t i = 0; i < size; i += LINE)
        sum = (char)(sum + from[i]);
    for (size_t i = 0; i < bytes; i += LINE)
        to[i] = sum;
    return 0;
}

int main(int argc, char **argv)
{
    if (argc != 6) {
        fputs("usage: moving INPUT OUTPUT BYTES calls|map BLOCK\n", stderr);
        return 2;
    }
    int in = open(argv[1], O_RDONLY), out = open(argv[2], O_RDWR | O_CREAT | O_TRUNC, 0666);
    struct stat about;
    if (in < 0 || out < 0 || fstat(in, &about) != 0)
        return fail(in < 0 ? argv[1] : argv[2]);
    size_t size = (size_t)about.st_size, bytes = strtoull(argv[3], NULL, 10);
    if (strcmp(argv[4], "map") == 0)
        return by_pages(in, out, size, bytes);
    return by_calls(in, out, size, bytes, strtoull(argv[5], NULL, 10));
}
