#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The meter: every level is computed again in double precision."""
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))
import harness

TAPS, DELAY, BLOCK = 16, 100, 128
WINDOW = [(1 - math.cos(2 * math.pi * (i + 1) / (TAPS + 1))) / (TAPS + 1) for i in range(TAPS)]
CURVE = [math.tanh(3 * (i - 16) / 16) for i in range(33)]


def make_input(path):
    r = harness.Random()
    loud = [math.exp(-((i % 3000) / 700)) for i in range(20000)]
    harness.write_items(path, "f", [v * (math.sin(i * 0.02) + 0.2 * r.uniform()) for i, v in enumerate(loud)])


def bend(x):
    at = min(max(16 * (x + 1), 0), 32)
    left = min(int(at), 31)
    return CURVE[left] + (at - left) * (CURVE[left + 1] - CURVE[left])


def check(source, result):
    x = harness.read_items(source, "f")
    low = [sum(w * x[i + k] for k, w in enumerate(WINDOW)) for i in range(len(x) - TAPS + 1)]
    bent = [bend(v) for v in low]
    echoed = [v + 0.5 * (bent[i - DELAY] if i >= DELAY else 0) for i, v in enumerate(bent)]
    wanted = []
    for start in range(0, len(echoed) - BLOCK + 1, BLOCK):
        power = sum(v * v for v in echoed[start : start + BLOCK]) / BLOCK
        wanted.append(10 * math.log10(power + 1e-12))
    harness.expect_close(harness.read_items(result, "f"), wanted, 1e-3, "levels")


harness.main(make_input, check)
