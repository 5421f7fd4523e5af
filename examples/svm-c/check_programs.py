#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inputs of the programs that are not the paper's, and an independent computation of their results.

    check_programs.py input PROGRAM FILE           PROGRAM: nbody, sort or reduction (histogram takes check.py's picture)
    check_programs.py check PROGRAM INPUT OUTPUT   exit code 1 if it differs
"""
import array
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))
import harness

BODIES, NEIGHBOURS = 2048, 16
SORT_N, SORT_RUN = 16384, 256
REDUCTION_N = 65536


def nbody_input(path):
    r = harness.Random()
    positions = array.array("f")
    for _ in range(BODIES):
        positions.extend([r.uniform(), r.uniform(), r.uniform(), 1.0 + r.bits(8) / 256])
    lists = array.array("i")
    for i in range(BODIES):
        count = 8 + r.bits(3)
        near = [r.bits(11) for _ in range(count)]
        lists.extend(near + [i] * (NEIGHBOURS - len(near)))  # filled up with itself
    with open(path, "wb") as f:
        positions.tofile(f)
        lists.tofile(f)


def nbody_check(source, result):
    positions, lists, got = array.array("f"), array.array("i"), array.array("f")
    with open(source, "rb") as f:
        positions.fromfile(f, 4 * BODIES)
        lists.fromfile(f, BODIES * NEIGHBOURS)
    with open(result, "rb") as f:
        got.frombytes(f.read())
    wanted = array.array("f")
    for i in range(BODIES):
        x, y, z = positions[4 * i:4 * i + 3]
        sums = [0.0, 0.0, 0.0]
        for j in lists[NEIGHBOURS * i:NEIGHBOURS * (i + 1)]:
            px, py, pz, mass = positions[4 * j:4 * j + 4]
            d = (px - x, py - y, pz - z)
            square = sum(v * v for v in d) + 1e-4
            pull = mass / (square * math.sqrt(square))
            sums = [s + v * pull for s, v in zip(sums, d)]
        wanted.extend(sums + [0.0])
    # Floats in another order: relative to the largest part of each acceleration.
    if len(got) != len(wanted):
        sys.exit(f"{len(got)} numbers, expected {len(wanted)}")
    worst = 0.0
    for i in range(BODIES):
        size = max(1.0, max(abs(v) for v in wanted[4 * i:4 * i + 3]))
        worst = max(worst, max(abs(a - b) / size for a, b in zip(got[4 * i:4 * i + 4], wanted[4 * i:4 * i + 4])))
    if not worst < 1e-4:
        sys.exit(f"accelerations differ by {worst:g} of their size")
    print(f"{BODIES} accelerations, within {worst:.1e} of their size")


def histogram_check(source, result):
    with open(source, "rb") as f:
        pixels = f.read()[-256 * 256:]
    wanted = [0] * 64
    for p in pixels:
        wanted[p >> 2] += 1
    with open(result, encoding="utf-8") as f:
        got = f.read()
    if got != "".join(f"{4 * i} {n}\n" for i, n in enumerate(wanted)):
        sys.exit("the histogram is another one")
    print(f"{sum(wanted)} pixels in {sum(n > 0 for n in wanted)} of 64 bins")


def numbers_input(path, count):
    r = harness.Random()
    harness.write_items(path, "i", [r.bits(32) - 2**31 for _ in range(count)])


def sort_check(source, result):
    numbers, got = list(harness.read_items(source, "i")), list(harness.read_items(result, "i"))
    wanted = [v for i in range(0, SORT_N, SORT_RUN) for v in sorted(numbers[i:i + SORT_RUN])]
    if got != wanted:
        sys.exit("the runs are not sorted")
    print(f"{SORT_N // SORT_RUN} sorted runs of {SORT_RUN} numbers")


def reduction_check(source, result):
    numbers = harness.read_items(source, "i")
    total = sum(numbers)
    mean = abs(total) // len(numbers) * (1 if total >= 0 else -1)  # as C divides
    wanted = (f"sum {total}\nleast {min(numbers)}\ngreatest {max(numbers)}\n"
              f"above the mean {sum(v > mean for v in numbers)}\n")
    with open(result, encoding="utf-8") as f:
        got = f.read()
    if got != wanted:
        sys.exit(f"expected\n{wanted}got\n{got}")
    print(got.replace("\n", ", ").rstrip(", "))


INPUTS = {"nbody": nbody_input, "sort": lambda path: numbers_input(path, SORT_N),
          "reduction": lambda path: numbers_input(path, REDUCTION_N)}
CHECKS = {"nbody": nbody_check, "histogram": histogram_check, "sort": sort_check, "reduction": reduction_check}


def main():
    arguments = sys.argv[1:]
    if len(arguments) == 3 and arguments[0] == "input" and arguments[1] in INPUTS:
        INPUTS[arguments[1]](arguments[2])
    elif len(arguments) == 4 and arguments[0] == "check" and arguments[1] in CHECKS:
        CHECKS[arguments[1]](arguments[2], arguments[3])
    else:
        print(__doc__, file=sys.stderr)
        sys.exit(2)


main()
