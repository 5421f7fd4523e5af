/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * peak-memory FILE COMMAND...: runs the command, and writes the most kilobytes that it had in memory at a time to FILE.
 * A process begins with what its parent had, which is little here. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: peak-memory FILE COMMAND...\n");
        return 2;
    }
    pid_t child = fork();
    if (child == 0) {
        execvp(argv[2], argv + 2);
        fprintf(stderr, "peak-memory: error: cannot run '%s': %s\n", argv[2], strerror(errno));
        _exit(127);
    }
    int status;
    struct rusage usage;
    if (child < 0 || wait4(child, &status, 0, &usage) != child) {
        fprintf(stderr, "peak-memory: error: %s\n", strerror(errno));
        return 1;
    }
    FILE *out = fopen(argv[1], "w");
    if (!out || fprintf(out, "%ld\n", usage.ru_maxrss) < 0 || fclose(out) != 0) {
        fprintf(stderr, "peak-memory: error: cannot write '%s': %s\n", argv[1], strerror(errno));
        return 1;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
