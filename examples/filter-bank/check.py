#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Filter bank: against the textbook computation in double precision."""
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))
import harness

CHANNELS, TAPS = 8, 64


def make_input(path):
    r = harness.Random()
    harness.write_items(path, "f", [0.5 * r.uniform() + math.sin(0.05 * n) for n in range(4096)])


def taps(channel):
    h = []
    for k in range(TAPS):
        t = k - (TAPS - 1) / 2
        window = 0.54 - 0.46 * math.cos(2 * math.pi * k / (TAPS - 1))
        centre, width = math.pi * (channel + 0.5) / CHANNELS, math.pi / (2 * CHANNELS)
        h.append(2 * window * math.sin(width * t) / (math.pi * t) * math.cos(centre * t))
    return h


def fir(x, h):
    return [sum(h[k] * x[n + k] for k in range(TAPS)) for n in range(len(x) - TAPS + 1)]


def check(source, result):
    x = harness.read_items(source, "f")
    total = None
    for channel in range(CHANNELS):
        h = taps(channel)
        analysed = fir(x, h)
        kept = analysed[::CHANNELS][:len(analysed) // CHANNELS]
        expanded = [v * (1 + channel * 0.25) if i == 0 else 0.0 for v in kept for i in range(CHANNELS)]
        y = fir(expanded, h)
        total = y if total is None else [a + b for a, b in zip(total, y)]
    harness.expect_close(harness.read_items(result, "f"), total, 1e-5, "filter bank")


harness.main(make_input, check)
