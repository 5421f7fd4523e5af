#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Telephone: the keys that were pressed to make the input, with noise, come out in order."""
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))
import harness

RATE = 8000
KEYS = "147*2580369#ABCD5551234"
LOW, HIGH = [697, 770, 852, 941], [1209, 1336, 1477, 1633]
ROWS = ["123A", "456B", "789C", "*0#D"]


def make_input(path):
    noise = harness.Random(1)
    sound = []
    for key in KEYS:
        row = next(i for i, r in enumerate(ROWS) if key in r)
        low, high = LOW[row], HIGH[ROWS[row].index(key)]
        for n in range(720):  # 90 ms, then 60 ms of silence
            t = n / RATE
            sound.append(0.3 * math.sin(2 * math.pi * low * t) + 0.35 * math.sin(2 * math.pi * high * t + 1))
        sound += [0.0] * 480
    harness.write_sound(path, [x + 0.02 * noise.uniform() for x in sound], RATE)


def check(source, result):
    samples = len(harness.read_sound(source)[0])
    found = harness.read_items(result, "i")
    harness.expect_equal([len(found)], [samples // 205], "blocks")
    keys, last = [], 0
    for k in found:
        if k != 0 and k != last:
            keys.append(k)
        last = k
    print("".join(map(chr, keys)))
    harness.expect_equal(keys, [ord(k) for k in KEYS], "keys")


harness.main(make_input, check)
