/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * Gives a library the items that in.raw has in the other runs, a thousand at a time, and writes what comes out to out.raw. */
#include <stdio.h>
#include <stdlib.h>

#include "program.h"

#define PORTION 1000

static int fail(const program *p)
{
    fprintf(stderr, "%s\n", program_error(p));
    return 1;
}

int main(int argc, char **argv)
{
    static int in[PORTION], out[PORTION];
    long count = argc > 1 ? atol(argv[1]) : 0, held = 0, taken_so_far = 0;
    program *p = program_create();
    FILE *f = fopen("out.raw", "wb");
    if (!p || !f)
        return fail(p);
    for (long i = 0; i < count || held > 0;) {
        size_t taken = 0, given = 0;
        for (; held < PORTION && i < count; held++, i++)
            in[held] = (int)(i * 7919 % 1009);
        if (program_process(p, in, (size_t)held, &taken, out, PORTION, &given) == program_ERROR)
            return fail(p);
        fwrite(out, sizeof *out, given, f);
        for (long k = (long)taken; k < held; k++)
            in[k - (long)taken] = in[k];
        held -= (long)taken;
        taken_so_far += (long)taken;
    }
    int result;
    do {
        size_t given = 0;
        result = program_drain(p, out, PORTION, &given);
        if (result == program_ERROR)
            return fail(p);
        fwrite(out, sizeof *out, given, f);
    } while (result == program_OK);
    return program_destroy(p) || fclose(f) != 0 || taken_so_far != count;
}
