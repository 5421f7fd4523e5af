// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A stereo FM transmitter: writes raw IQ samples (two little-endian floats each, 240 kHz) of a broadcast signal with a
// tone on each channel, pre-emphasis, pilot and stereo subcarrier.
//   modulate SECONDS LEFT_HZ RIGHT_HZ > iq.raw        (0 Hz: that channel is silent)
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define RATE 240000.0
#define DEVIATION 75000.0
#define TAU 50e-6
#define PI 3.14159265358979323846

// Gain of pre-emphasis at a frequency: a tone needs no filter.
static double emphasis(double hz)
{
    double x = 2 * PI * hz * TAU;
    return sqrt(1 + x * x);
}

static double tone(double hz, double t)
{
    return hz == 0 ? 0 : 0.4 * emphasis(hz) * sin(2 * PI * hz * t);
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: modulate SECONDS LEFT_HZ RIGHT_HZ > iq.raw\n");
        return 2;
    }
    double seconds = atof(argv[1]), left_hz = atof(argv[2]), right_hz = atof(argv[3]), phase = 0.3;
    long samples = (long)(seconds * RATE);
    for (long n = 0; n < samples; n++) {
        double t = (double)n / RATE;
        double left = tone(left_hz, t), right = tone(right_hz, t);
        double pilot = 2 * PI * 19000.0 * t;
        double multiplex = 0.45 * (left + right) + 0.45 * (left - right) * sin(2 * pilot) + 0.1 * sin(pilot);
        phase = fmod(phase + 2 * PI * DEVIATION / RATE * multiplex, 2 * PI);
        float iq[2] = {(float)cos(phase), (float)sin(phase)};
        if (fwrite(iq, sizeof iq, 1, stdout) != 1) {
            perror("modulate: standard output");
            return 1;
        }
    }
    if (fflush(stdout) != 0) {
        perror("modulate: standard output");
        return 1;
    }
    return 0;
}
