#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""DCT: against the defining double sum in double precision."""
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))
import harness


def make_input(path):
    r = harness.Random()
    harness.write_items(path, "f", [128 * r.uniform() for _ in range(64 * 16)])


def check(source, result):
    x = harness.read_items(source, "f")
    c = [[(math.sqrt(0.125) if u == 0 else 0.5) * math.cos((2 * i + 1) * u * math.pi / 16) for i in range(8)] for u in range(8)]
    wanted = []
    for start in range(0, len(x), 64):
        for v in range(8):
            for u in range(8):
                wanted.append(sum(c[v][j] * c[u][i] * x[start + 8 * j + i] for j in range(8) for i in range(8)))
    harness.expect_close(harness.read_items(result, "f"), wanted, 2e-3, "DCT")


harness.main(make_input, check)
