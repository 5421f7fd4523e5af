#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The phase vocoder: three tones go in; the same tones, of the same pitch and strength and longer by 4/3, must come out."""
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "common"))
import harness

RATE = 8000
TONES = [(331.0, 0.3), (1234.5, 0.2), (2900.0, 0.1)]  # Hz, amplitude
SIZE, HOP_IN, HOP_OUT = 512, 96, 128
FITTED = 2000  # samples, from the middle
MOST_REST = -40  # dB of the samples that the tones do not explain


def make_input(path):
    harness.write_sound(path, [sum(a * math.sin(2 * math.pi * f * t / RATE + f) for f, a in TONES) for t in range(6000)], RATE)


def solve(matrix, right):
    """Gauss's elimination."""
    rows = [list(row) + [v] for row, v in zip(matrix, right)]
    for i in range(len(rows)):
        pivot = max(range(i, len(rows)), key=lambda r: abs(rows[r][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for r in range(len(rows)):
            if r != i:
                factor = rows[r][i] / rows[i][i]
                rows[r] = [a - factor * b for a, b in zip(rows[r], rows[i])]
    return [row[-1] / row[i] for i, row in enumerate(rows)]


def check(source, result):
    given, _, _ = harness.read_sound(source)
    got, _, _ = harness.read_sound(result)
    frames = (len(given) - SIZE) // HOP_IN + 1
    if len(got) != frames * HOP_OUT:
        sys.exit(f"check: {len(got)} samples, expected {frames * HOP_OUT}")
    start = (len(got) - FITTED) // 2
    middle = got[start:start + FITTED]
    waves = [[f(2 * math.pi * hz * t / RATE) for t in range(FITTED)] for hz, _ in TONES for f in (math.sin, math.cos)]
    shares = solve([[sum(a * b for a, b in zip(v, w)) for w in waves] for v in waves],
                   [sum(a * b for a, b in zip(v, middle)) for v in waves])
    rest = sum((m - sum(s * w[t] for s, w in zip(shares, waves))) ** 2 for t, m in enumerate(middle))
    level = 10 * math.log10(rest / sum(m * m for m in middle))
    strengths = [math.hypot(shares[2 * i], shares[2 * i + 1]) for i in range(len(TONES))]
    harness.expect_close(strengths, [a for _, a in TONES], 0.002, "amplitudes of the tones")
    if level > MOST_REST:
        sys.exit(f"check: {level:.1f} dB are not of the tones, expected at most {MOST_REST}")
    print(f"ok: {len(given)} samples became {len(got)}, of which {level:.1f} dB are not of the tones")


harness.main(make_input, check)
