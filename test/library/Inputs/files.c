// files FACTORS LOG: a library whose program reads the file FACTORS and writes LOG.
#include "Files.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static void process(Files *f, size_t count)
{
    const int in[] = {2, 4, 5};
    int out[8], result;
    size_t a, b;
    result = Files_process(f, in, count, &a, out, 8, &b);
    printf("process: %d, %zu given:", result, b);
    for (size_t i = 0; i < b; i++)
        printf(" %d", out[i]);
    printf("%s%s\n", result < 0 ? " " : "", result < 0 ? Files_error(f) : "");
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    const int factors[] = {3, 4};
    if (Files_create() != NULL)
        return 1;
    printf("create: %s\n", Files_error(NULL));
    FILE *file = fopen(argv[1], "wb");
    if (file == NULL || fwrite(factors, sizeof factors, 1, file) != 1 || fclose(file) != 0)
        return 1;
    Files *f = Files_create();
    process(f, 3);
    process(f, 3);
    printf("reset: %d\n", Files_reset(f));
    process(f, 1);

    unlink(argv[2]);
    if (mkdir(argv[2], 0777) != 0 || Files_create() != NULL)
        return 1;
    printf("create: %s\n", Files_error(NULL));
    int result = Files_reset(f);
    printf("reset: %d %s\n", result, Files_error(f));
    process(f, 1);

    if (rmdir(argv[2]) != 0 || symlink("/dev/full", argv[2]) != 0)
        return 1;
    printf("reset: %d\n", Files_reset(f));
    process(f, 1);
    result = Files_destroy(f);
    printf("destroy: %d %s\n", result, Files_error(NULL));
    return 0;
}
