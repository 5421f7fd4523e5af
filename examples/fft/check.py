#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""FFT: against the direct sum in double precision."""
import cmath
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))
import harness

N = 256


def make_input(path):
    r = harness.Random()
    harness.write_items(path, "f", [r.uniform() for _ in range(2 * N * 4)])


def check(source, result):
    x = harness.read_items(source, "f")
    root = [cmath.exp(-2j * cmath.pi * k / N) for k in range(N)]
    wanted = []
    for start in range(0, len(x), 2 * N):
        block = [complex(x[start + 2 * i], x[start + 2 * i + 1]) for i in range(N)]
        for k in range(N):
            v = sum(b * root[i * k % N] for i, b in enumerate(block))
            wanted += [v.real, v.imag]
    harness.expect_close(harness.read_items(result, "f"), wanted, 1e-4, "FFT")


harness.main(make_input, check)
