#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Beamformer: a plane wave from a known direction, against the textbook computation in double precision; the beam that looks
nearest to the wave must be the strongest."""
import cmath
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))
import harness

CHANNELS, BEAMS, TAPS, SPACING = 12, 4, 32, 0.5
DIRECTION = math.pi / 16  # of the wave: beam 2 looks there


def make_input(path):
    r = harness.Random()
    items = []
    for n in range(512):
        for c in range(CHANNELS):
            v = cmath.exp(2j * math.pi * (0.01 * n + SPACING * c * math.sin(DIRECTION)))
            items += [v.real + 0.05 * r.uniform(), v.imag + 0.05 * r.uniform()]
    harness.write_items(path, "f", items)


def check(source, result):
    x = harness.read_items(source, "f")
    channels = [[complex(x[i], x[i + 1]) for i in range(2 * c, len(x), 2 * CHANNELS)] for c in range(CHANNELS)]
    window = [0.5 - 0.5 * math.cos(2 * math.pi * (k + 0.5) / TAPS) for k in range(TAPS)]
    filtered = []
    for c, samples in enumerate(channels):
        h = [w / sum(window) * (1 + 0.01 * c) for w in window]
        filtered.append([sum(h[k] * samples[n + k] for k in range(TAPS)) for n in range(0, len(samples) - TAPS + 1, 2)])
    wanted = []
    for n in range(len(filtered[0])):
        for b in range(BEAMS):
            angle = math.pi * (b - (BEAMS - 1) / 2) / (2 * BEAMS)
            weights = [cmath.exp(-2j * math.pi * SPACING * c * math.sin(angle)) / CHANNELS for c in range(CHANNELS)]
            wanted.append(abs(sum(w * filtered[c][n] for c, w in enumerate(weights))))
    got = harness.read_items(result, "f")
    harness.expect_close(got, wanted, 1e-5, "beams")
    strength = [sum(got[b::BEAMS]) for b in range(BEAMS)]
    harness.expect_equal([strength.index(max(strength))], [2], "strongest beam")


harness.main(make_input, check)
