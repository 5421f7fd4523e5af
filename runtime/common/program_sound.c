// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the WAV file of a program's own output gets from that of its own input: as many channels and samples a second as
// the program's rates allow. Where that is not simply the input's, the program says what it did.
#include "runtime/common/internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct Sound {
    int channels, rate;
    bool rounded;
} Sound;

static int64_t greatestDivisor(int64_t a, int64_t b)
{
    return b == 0 ? a : greatestDivisor(b, a % b);
}

// As many channels, unless the program makes one sample of all of them; as long a sound, to the nearest number of samples a
// second, if there is one.
static Sound soundOf(const svm_Program *p, Sound in, const char *channels)
{
    int64_t divisor = greatestDivisor(p->samples_in, p->samples_out);
    int64_t taken = p->samples_in / divisor, given = p->samples_out / divisor;
    Sound out = {.channels = p->pairs_out ? 2 : taken == given * in.channels ? 1 : in.channels, .rate = in.rate};
    if (channels && atoi(channels) > 0)
        out.channels = atoi(channels);
    int64_t rate = in.rate * in.channels * given, by = taken * out.channels;
    int64_t nearest = given < 1000000 && taken < 1000000 ? (rate + by / 2) / by : 0;
    if (nearest >= 1 && nearest <= 10000000) {
        out.rate = (int)nearest;
        out.rounded = rate % by != 0;
    }
    return out;
}

static void explain(const svm_Program *p, const char *in, Sound from, const char *out, Sound to)
{
    char why[100] = "it is not known how many samples the program gives";
    int64_t divisor = greatestDivisor(p->samples_in, p->samples_out);
    if (divisor > 0)
        snprintf(why, sizeof why, "the program gives %" PRId64 " sample%s for %" PRId64, p->samples_out / divisor,
                 p->samples_out == divisor ? "" : "s", p->samples_in / divisor);
    fprintf(stderr,
            "%s: note: '%s' has %d channel%s and %d samples a second of each; '%.*s' gets %d and %d%s, since %s; "
            "',channels=' and ',rate=' behind its name say otherwise\n",
            program_invocation_short_name, in, from.channels, from.channels == 1 ? "" : "s", from.rate,
            (int)strcspn(out, ","), out, to.channels, to.rate, to.rounded ? ", rounded" : "", why);
}

const char *svmr_soundOutput(const svm_Program *p, const char *in, const char *out)
{
    Sound from = {0};
    if (!in || !out || !svmr_isWav(in) || !svmr_isWav(out) || !svmr_wavProbe(in, &from.channels, &from.rate))
        return out;
    const char *channels = svmr_wavOption(out, "channels="), *rate = svmr_wavOption(out, "rate=");
    bool known = p->samples_in > 0 && p->samples_out > 0;
    Sound to = known ? soundOf(p, from, channels) : from;
    if (rate && atoi(rate) > 0)
        to = (Sound){.channels = to.channels, .rate = atoi(rate)};
    char *path = NULL, channelsText[32] = "", rateText[32] = "";
    if (channels && rate)
        return out;
    if (!channels)
        snprintf(channelsText, sizeof channelsText, ",channels=%d", to.channels);
    if (!rate)
        snprintf(rateText, sizeof rateText, ",rate=%d", to.rate);
    if (!channels && (!known || p->samples_in != p->samples_out))
        explain(p, in, from, out, to);
    return asprintf(&path, "%s%s%s", out, channelsText, rateText) < 0 ? out : path;
}
