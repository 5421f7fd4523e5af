#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""AES-128: the four ECB vectors of NIST SP 800-38A (F.1.1), repeated."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))
import harness

PLAIN = """6bc1bee22e409f96e93d7e117393172a ae2d8a571e03ac9c9eb76fac45af8e51
30c81c46a35ce411e5fbc1191a0a52ef f69f2445df4f9b17ad2b417be66c3710""".split()
CIPHER = """3ad77bb40d7a3660a89ecaf32466ef97 f5d3d58503b9699de785895a96fdbaaf
43b1cd7f598ece23881b00e3ed030688 7b0c785e27e8ad3f8223207104725dd4""".split()


def octets(blocks):
    return [b for block in blocks for b in bytes.fromhex(block)]


def make_input(path):
    harness.write_items(path, "i", octets(PLAIN) * 16)


def check(source, result):
    count = len(harness.read_items(source, "i")) // 64
    harness.expect_equal(list(harness.read_items(result, "i")), octets(CIPHER) * count, "NIST SP 800-38A blocks")


harness.main(make_input, check)
