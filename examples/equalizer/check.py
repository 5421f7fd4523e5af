#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Equaliser: the gain at tone frequencies, measured on the output (raw floats or WAV), against the filters' transfer functions."""
import cmath
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))
import harness

RATE = 44100.0
GAIN_DB = [6.0, 4.0, 2.0, 0.0, -3.0, -6.0, -3.0, 0.0, 3.0, 5.0]
TONES = [100.0, 440.0, 1000.0, 3000.0, 9000.0]
LENGTH = 22050


def make_input(path):
    sound = [sum(0.1 * math.sin(2 * math.pi * f * n / RATE) for f in TONES) for n in range(LENGTH)]
    harness.write_sound(path, sound, int(RATE))


def response(hz):
    """Of all bands and the gain of 0.5 before them."""
    z = cmath.exp(-2j * math.pi * hz / RATE)
    total = 0.5
    for band, db in enumerate(GAIN_DB):
        a, w = 10 ** (db / 40), 2 * math.pi * 31.25 * 2**band / RATE
        alpha = math.sin(w) / (2 * 1.41)
        total *= (1 + alpha * a - 2 * math.cos(w) * z + (1 - alpha * a) * z * z) / (1 + alpha / a - 2 * math.cos(w) * z + (1 - alpha / a) * z * z)
    return abs(total)


def level(x, hz):
    """Amplitude of a tone over a whole number of its periods, past the start."""
    n = 17640
    x = x[len(x) - n:]
    return 2 * abs(sum(v * cmath.exp(-2j * math.pi * hz * k / RATE) for k, v in enumerate(x))) / n


def check(source, result):
    x, y = harness.read_sound(source)[0], harness.read_sound(result)[0]
    harness.expect_equal([len(y)], [len(x)], "length")
    gains = [level(y, f) / level(x, f) for f in TONES]
    harness.expect_close([20 * math.log10(g) for g in gains], [20 * math.log10(response(f)) for f in TONES], 0.05, "gains in dB")


harness.main(make_input, check)
