#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Edge detector: a drawn picture, against the same operators computed here with integers."""
import math
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
            v = 40 + x // 4
            if (x - 90) ** 2 + (y - 100) ** 2 < 55**2:
                v = 200
            if 150 < x < 230 and 130 < y < 220:
                v = 20 + (x + y) // 4
            if abs(x - y) < 4:
                v = 250
            pixels.append(min(255, max(0, v + r.bits(3) - 4)))
    with open(path, "wb") as f:
        f.write(b"P5\n256 256\n255\n" + pixels)


def stencil(rows, f):
    return [[f([row[x:x + 3] for row in rows[y:y + 3]]) for x in range(len(rows[0]) - 2)] for y in range(len(rows) - 2)]


def smooth(w):
    return sum(w[j][i] * (1, 2, 1)[j] * (1, 2, 1)[i] for j in range(3) for i in range(3)) >> 4


def sobel(w):
    gx = w[0][2] + 2 * w[1][2] + w[2][2] - w[0][0] - 2 * w[1][0] - w[2][0]
    gy = w[2][0] + 2 * w[2][1] + w[2][2] - w[0][0] - 2 * w[0][1] - w[0][2]
    return min(255, math.isqrt(gx * gx + gy * gy))


def check(source, result):
    data = open(source, "rb").read()[15:]
    rows = stencil(stencil([list(data[y * N:(y + 1) * N]) for y in range(N)], smooth), sobel)
    wanted = b"P5\n252 252\n255\n" + bytes(v for row in rows for v in row)
    harness.expect_equal(open(result, "rb").read(), wanted, "picture")


harness.main(make_input, check)
