#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The SVM paper's example: draws the picture, and compares the files of the three programs."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))
import harness

N = 256


def make_input(path):
    r = harness.Random()
    pixels = bytearray()
    for y in range(N):
        for x in range(N):
            v = 60 + (x + y) // 5
            if (x - 128) ** 2 + (y - 120) ** 2 < 70**2:
                v = 230 - y // 2
            if (x // 4 + y // 32) % 2 == 0 and 180 < y < 240:
                v = 250  # a pattern finer than the result can show
            pixels.append(min(255, max(0, v + r.bits(4) - 8)))
    with open(path, "wb") as f:
        f.write(b"P5\n256 256\n255\n" + pixels)


def check(wanted, got):
    with open(wanted, "rb") as f, open(got, "rb") as g:
        harness.expect_equal(g.read(), f.read(), "picture")


harness.main(make_input, check)
