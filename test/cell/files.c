// Shows: an SPE's program opens files, which the PPE does for it: below where it runs and by whole paths; what is not there, and
// what is no file of its own, is an error with the C library's number.
//
// RUN: rm -rf %t.d && mkdir %t.d && cd %t.d
// RUN: env SVM_SPU_HOST_CFLAGS=-O0 svm-spu-gcc -O1 -Wall -I%S/Inputs -DPATH='"%t.d/numbers"' %s -o spu && svm-embedspu program spu spu.o
// RUN: svm-ppu-gcc -I%S/Inputs %S/Inputs/case.ppu.c spu.o -o ppu && ./ppu 0 2 | FileCheck %s && cat numbers | FileCheck %s --check-prefix=LEFT
// CHECK-NOT: wrong
// CHECK: both done
// LEFT: 0 1 4 9 16 25 36 49 64 81 end
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void check(int good, int line)
{
    if (!good)
        printf("line %d is wrong (%s)\n", line, strerror(errno));
}
#define CHECK(condition) check(condition, __LINE__)

int main(unsigned long long id)
{
    char name[32], text[64] = "";
    struct stat is;
    int value, sum = 0;
    sprintf(name, "of-%llx", id); // each SPE has one
    FILE *f = fopen(name, "w");
    CHECK(f != NULL);
    for (int i = 0; i < 10; i++)
        CHECK(fprintf(f, "%d ", i * i) > 0);
    CHECK(fclose(f) == 0);
    f = fopen(name, "a+");
    CHECK(fputs("end\n", f) >= 0 && fseek(f, 0, SEEK_END) == 0 && ftell(f) == 30);
    rewind(f);
    while (fscanf(f, "%d", &value) == 1)
        sum += value;
    CHECK(sum == 285 && fscanf(f, "%63s", text) == 1 && strcmp(text, "end") == 0);
    CHECK(fgetc(f) == '\n' && fgetc(f) == EOF && feof(f) && !ferror(f));
    CHECK(fclose(f) == 0);
    CHECK(stat(name, &is) == 0 && is.st_size == 30 && S_ISREG(is.st_mode));

    CHECK(fopen("nowhere/file", "r") == NULL && errno == ENOENT);
    CHECK(open(name, O_WRONLY | O_CREAT | O_EXCL, 0666) < 0 && errno == EEXIST);
    CHECK(write(11, "x", 1) < 0 && errno == EBADF);
    const int file = open(name, O_RDONLY);
    CHECK(file > 2 && read(file, text, 4) == 4 && memcmp(text, "0 1 ", 4) == 0);
    CHECK(write(file, "x", 1) < 0 && errno == EBADF);
    CHECK(lseek(file, -4, SEEK_END) == 26 && read(file, text, 10) == 4);
    CHECK(close(file) == 0 && close(file) < 0 && errno == EBADF);

    char bytes[64];
    f = fopen(name, "r");
    const size_t count = fread(bytes, 1, sizeof bytes, f);
    CHECK(fclose(f) == 0 && unlink(name) == 0 && unlink(name) < 0 && errno == ENOENT);
    f = fopen(PATH, "w");
    CHECK(f != NULL && fwrite(bytes, 1, count, f) == count && fclose(f) == 0);
    puts("both done");
    return 0;
}
