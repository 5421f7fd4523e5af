#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bitonic sort: every group of 32 keys sorted."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))
import harness

N = 32


def make_input(path):
    r = harness.Random()
    harness.write_items(path, "i", [r.bits(32) - 2**31 for _ in range(N * 64)])


def check(source, result):
    x = harness.read_items(source, "i")
    wanted = [v for start in range(0, len(x), N) for v in sorted(x[start:start + N])]
    harness.expect_equal(list(harness.read_items(result, "i")), wanted, "sorted keys")


harness.main(make_input, check)
