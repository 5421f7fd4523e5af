#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""DES: the published vector 0123456789ABCDEF -> 85E813540F0AB405 under key 133457799BBCDFF1, and a word-level DES of our own
(tables as published in FIPS 46-3, read from the standard's row form) for the other blocks."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))
import harness

KEY = 0x133457799BBCDFF1
IP = [58 - 8 * (i % 8) + 2 * (i // 8) if i < 32 else 57 - 8 * (i % 8) + 2 * (i // 8 - 4) for i in range(64)]
FP = [IP.index(i + 1) + 1 for i in range(64)]
E = [(4 * (i // 6) + i % 6 - 1) % 32 + 1 for i in range(48)]
P = [16, 7, 20, 21, 29, 12, 28, 17, 1, 15, 23, 26, 5, 18, 31, 10, 2, 8, 24, 14, 32, 27, 3, 9, 19, 13, 30, 6, 22, 11, 4, 25]
PC1 = [57, 49, 41, 33, 25, 17, 9, 1, 58, 50, 42, 34, 26, 18, 10, 2, 59, 51, 43, 35, 27, 19, 11, 3, 60, 52, 44, 36,
       63, 55, 47, 39, 31, 23, 15, 7, 62, 54, 46, 38, 30, 22, 14, 6, 61, 53, 45, 37, 29, 21, 13, 5, 28, 20, 12, 4]
PC2 = [14, 17, 11, 24, 1, 5, 3, 28, 15, 6, 21, 10, 23, 19, 12, 4, 26, 8, 16, 7, 27, 20, 13, 2,
       41, 52, 31, 37, 47, 55, 30, 40, 51, 45, 33, 48, 44, 49, 39, 56, 34, 53, 46, 42, 50, 36, 29, 32]
# The S-boxes, a row of 16 hexadecimal digits each, four rows a box.
S = """e4d12fb83a6c5907 0f74e2d1a6cb9538 41e8d62bfc973a50 fc8249175b3ea06d
f18e6b34972dc05a 3d47f28ec01a69b5 0e7ba4d158c6932f d8a13f42b67c05e9
a09e63f51dc7b428 d709346a285ecbf1 d6498f30b12c5ae7 1ad069874fe3b52c
7de3069a1285bc4f d8b56f03472c1ae9 a690cb7df13e5284 3f06a1d8945bc72e
2c417ab6853fd0e9 eb2c47d150fa3986 421bad78f9c5630e b8c71e2d6f09a453
c1af92680d34e75b af427c9561de0b38 9ef528c3704a1db6 432c95fabe17608d
4b2ef08d3c975a61 d0b7491ae35c2f86 14bdc37eaf680592 6bd814a7950fe23c
d2846fb1a93e50c7 1fd8a374c56b0e92 7b419ce206adf358 21e74a8dfc90356b""".split()
VECTOR = (0x0123456789ABCDEF, 0x85E813540F0AB405)


def permute(value, width, table):
    out = 0
    for t in table:
        out = out << 1 | value >> (width - t) & 1
    return out


def subkeys():
    cd = permute(KEY, 64, PC1)
    c, d = cd >> 28, cd & 0xFFFFFFF
    for r in range(16):
        for _ in range(1 if r in (0, 1, 8, 15) else 2):
            c = (c << 1 | c >> 27) & 0xFFFFFFF
            d = (d << 1 | d >> 27) & 0xFFFFFFF
        yield permute(c << 28 | d, 56, PC2)


def encrypt(block):
    x = permute(block, 64, IP)
    left, right = x >> 32, x & 0xFFFFFFFF
    for k in subkeys():
        e = permute(right, 32, E) ^ k
        f = 0
        for box in range(8):
            v = e >> (42 - 6 * box) & 63
            row, column = (v >> 4 & 2) | v & 1, v >> 1 & 15
            f = f << 4 | int(S[4 * box + row][column], 16)
        left, right = right, left ^ permute(f, 32, P)
    return permute(right << 32 | left, 64, FP)


def make_input(path):
    r = harness.Random()
    blocks = [VECTOR[0]] + [r.bits(32) << 32 | r.bits(32) for _ in range(63)]
    with open(path, "wb") as f:
        for b in blocks:
            f.write(b.to_bytes(8, "big"))


def check(source, result):
    blocks = [open(name, "rb").read() for name in (source, result)]
    plain, cipher = ([int.from_bytes(d[i:i + 8], "big") for i in range(0, len(d), 8)] for d in blocks)
    harness.expect_equal(cipher[:1], [VECTOR[1]], "published vector")
    harness.expect_equal(cipher, [encrypt(b) for b in plain], "DES blocks")


harness.main(make_input, check)
