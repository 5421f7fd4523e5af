#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Filter and compress: a drawn picture, against the same computed here picture by picture, not row by row."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))
import harness

WIDTH, HEIGHT = 256, 256


def make_input(path):
    r = harness.Random()
    pixels = []
    for y in range(HEIGHT):
        for x in range(WIDTH):
            v = 30 + (x * y) // 400
            if (x - 120) ** 2 + (y - 90) ** 2 < 60**2:
                v = 220 - y // 2
            if (x // 16 + y // 16) % 5 == 0:
                v = 10
            pixels.append(min(255, max(0, v + r.bits(4) - 8)))
    harness.write_items(path, "i", pixels)


def check(source, result):
    picture = harness.read_items(source, "i")
    rows = [list(picture[y * WIDTH:(y + 1) * WIDTH]) for y in range(len(picture) // WIDTH)]

    def filtered(row, x):
        return (sum(c * row[min(max(x + d - 2, 0), WIDTH - 1)] for d, c in enumerate((1, 4, 6, 4, 1))) + 8) >> 4

    soft = [[filtered(row, x) for x in range(WIDTH)] for row in rows]
    wanted = [(soft[y][x] + soft[y][x + 1] + soft[y + 1][x] + soft[y + 1][x + 1] + 2) >> 2
              for y in range(0, len(soft) - 1, 2) for x in range(0, WIDTH, 2)]
    harness.expect_equal(list(harness.read_items(result, "i")), wanted, "picture")


harness.main(make_input, check)
