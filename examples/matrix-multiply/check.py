#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix multiplication: against the defining sum in double precision."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))
import harness

N = 32


def make_input(path):
    r = harness.Random()
    harness.write_items(path, "f", [r.uniform() for _ in range(2 * N * N * 4)])


def check(source, result):
    x = harness.read_items(source, "f")
    wanted = []
    for start in range(0, len(x), 2 * N * N):
        a, b = x[start:start + N * N], x[start + N * N:start + 2 * N * N]
        wanted += [sum(a[i * N + k] * b[k * N + j] for k in range(N)) for i in range(N) for j in range(N)]
    harness.expect_close(harness.read_items(result, "f"), wanted, 1e-5, "products")


harness.main(make_input, check)
