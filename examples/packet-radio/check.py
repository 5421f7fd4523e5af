#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packet radio: all bits come back, though about one bit in 46 of the code is wrong on the way."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))
import harness

PACKET = 66
PACKETS = 40


def make_input(path):
    random = harness.Random(7)
    harness.write_items(path, "i", [random.bits(1) for _ in range(PACKET * PACKETS)])


def check(source, result):
    sent = harness.read_items(source, "i")
    harness.expect_equal(harness.read_items(result, "i"), sent[: len(sent) // PACKET * PACKET], "bits")


harness.main(make_input, check)
