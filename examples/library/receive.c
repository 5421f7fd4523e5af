// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program of its own around the FM receiver's pipeline: complex samples of radio from standard input, stereo sound to
// standard output, both raw floats, in blocks as a sound card would have them; the loudest sample to standard error.
#include <math.h>
#include <stdio.h>

#include "fm.h"

enum { BLOCK = 1000, SOUND = 256 };

static int fail(const char *message)
{
    fprintf(stderr, "receive: %s\n", message);
    return 1;
}

static float louder(float peak, const float *sound, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (fabsf(sound[i]) > peak)
            peak = fabsf(sound[i]);
    return peak;
}

int main(void)
{
    FMReceiver *receiver = FMReceiver_create();
    if (receiver == NULL)
        return fail(FMReceiver_error(NULL));

    float radio[BLOCK], sound[SOUND], peak = 0;
    size_t count, taken, given;
    while ((count = fread(radio, sizeof *radio, BLOCK, stdin)) > 0)
        for (size_t done = 0; done < count; done += taken) { // there is more sound in a block than fits
            if (FMReceiver_process(receiver, radio + done, count - done, &taken, sound, SOUND, &given) ==
                FMReceiver_ERROR)
                return fail(FMReceiver_error(receiver));
            peak = louder(peak, sound, given);
            fwrite(sound, sizeof *sound, given, stdout);
        }

    int result;
    do {
        result = FMReceiver_drain(receiver, sound, SOUND, &given);
        peak = louder(peak, sound, given);
        fwrite(sound, sizeof *sound, given, stdout);
    } while (result == FMReceiver_OK);
    if (result == FMReceiver_ERROR)
        return fail(FMReceiver_error(receiver));
    FMReceiver_destroy(receiver);

    fprintf(stderr, "peak %.3f\n", (double)peak);
    return fflush(stdout) != 0 || ferror(stdout) ? fail("cannot write the sound") : 0;
}
