#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An 802.11a transmitter, written separately, and a noisy channel; the receiver must give the frames' octets.

The first frame is the example of IEEE 802.11a-1999 Annex G, and its bits must be those the standard publishes on the way.
"""
import math
import os
import sys
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "common"))
import harness

# Mbit/s: RATE, bits of a carrier, what is left of A0 B0 A1 B1 A2 B2, standard deviation of the noise on I and Q
RATES = {
    6: ("1101", 1, "11", 0.35), 9: ("1111", 1, "111001", 0.25), 12: ("0101", 2, "11", 0.25), 18: ("0111", 2, "111001", 0.18),
    24: ("1001", 4, "11", 0.14), 36: ("1011", 4, "111001", 0.09), 48: ("0001", 6, "1110", 0.06), 54: ("0011", 6, "111001", 0.05),
}
SCALE = {1: 1, 2: math.sqrt(2), 4: math.sqrt(10), 6: math.sqrt(42)}
LEVELS = {"0": -1, "1": 1, "00": -3, "01": -1, "11": 1, "10": 3,
          "000": -7, "001": -5, "011": -3, "010": -1, "110": 1, "111": 3, "101": 5, "100": 7}
ANNEX_G = bytes.fromhex("0402002e006008cd37a60020d6013cf1006008ad3baf0000") + \
    b"Joy, bright spark of divinity,\nDaughter of Elysium,\nFire-insired we trea" + bytes.fromhex("673321b6")
PUBLISHED = {  # table of Annex G: bits as octets, the first bit the highest
    "G.7, SIGNAL": "b13000", "G.9, SIGNAL interleaved": "94d014832494",
    "G.16, scrambled": "6c19898f6821f4a5614fd7ae240cf33ae4bc",
    "G.18, coded": "2b08a1f09db59a1d4afbe8c28fc0c873c043e019e0d3ebb2",
    "G.21, interleaved": "77f0efc47300bf11109a1d126e38f5691b6b9843000db36d",
}


def taps(register, mask):
    return bin(register & mask).count("1") % 2


def scramble(bits, seed):
    out, state = [], seed
    for b in bits:
        s = (state >> 6 ^ state >> 3) & 1
        state = (state << 1 | s) & 127
        out.append(b ^ s)
    return out


def encode(bits, sent):
    register, out = 0, []
    for b in bits:
        register = register >> 1 | b << 6
        out += [taps(register, 0o133), taps(register, 0o171)]
    return [v for i, v in enumerate(out) if sent[i % len(sent)] == "1"]


def interleave(bits, n):
    out, s = [None] * len(bits), max(n // 2, 1)
    for k, b in enumerate(bits):
        i = len(bits) // 16 * (k % 16) + k // 16
        out[s * (i // s) + (i + len(bits) - 16 * i // len(bits)) % s] = b
    return out


def carriers(bits, n):
    """48 pairs of I and Q."""
    out = []
    for c in range(48):
        word = "".join(map(str, bits[n * c:n * c + n]))
        axes = [word, None] if n == 1 else [word[:n // 2], word[n // 2:]]
        out += [LEVELS[a] / SCALE[n] if a else 0.0 for a in axes]
    return out


def expect_published(table, bits):
    wanted = bytes.fromhex(PUBLISHED[table])
    harness.expect_equal(bits, [w >> (7 - b) & 1 for w in wanted for b in range(8)], f"Annex G, table {table}")


def symbols(rate, octets, seed, published=False):
    """The carriers of SIGNAL and of the symbols of one frame."""
    code, n, sent, _ = RATES[rate]
    signal = [int(b) for b in code] + [0] + [len(octets) >> i & 1 for i in range(12)]
    signal += [sum(signal) % 2] + [0] * 6
    signal_sent = interleave(encode(signal, "11"), 1)
    symbol = 48 * n                                        # bits of a symbol, coded
    data = symbol * len(sent) // 2 // sent.count("1")      # and not
    bits = [0] * 16 + [o >> i & 1 for o in octets for i in range(8)] + [0] * 6
    bits += [0] * (-len(bits) % data)
    scrambled = scramble(bits, seed)
    tail = 16 + 8 * len(octets)
    scrambled[tail:tail + 6] = [0] * 6
    coded = encode(scrambled, sent)
    first = interleave(coded[:symbol], n)
    if published:
        expect_published("G.7, SIGNAL", signal)
        expect_published("G.9, SIGNAL interleaved", signal_sent)
        expect_published("G.16, scrambled", scrambled[:144])
        expect_published("G.18, coded", coded[:symbol])
        expect_published("G.21, interleaved", first)
    out = carriers(signal_sent, 1)
    for i in range(0, len(coded), symbol):
        out += carriers(interleave(coded[i:i + symbol], n), n)
    return out


def frames():
    """Rate and octets: Annex G's example, then one of each rate, the longer the faster."""
    yield 36, ANNEX_G
    random = harness.Random()
    for rate in RATES:
        body = bytes(random.bits(8) for _ in range(10 + rate))
        yield rate, body + zlib.crc32(body).to_bytes(4, "little")


def make_input(path):
    random, out = harness.Random(99), []
    for number, (rate, octets) in enumerate(frames()):
        sigma = RATES[rate][3]
        sent = symbols(rate, octets, 0b1011101 if number == 0 else 1 + random.bits(6), number == 0)
        out += [v + sigma * (sum(random.uniform() for _ in range(6)) / math.sqrt(2)) for v in sent]
        out += [0.3 * random.uniform() for _ in range(96 * (number % 3))]  # symbols of noise between frames
    harness.write_items(path, "f", out)


def check(source, result):
    del source  # made by make_input
    with open(result, "rb") as f:
        got = f.read()
    harness.expect_equal(got, b"".join(octets for _, octets in frames()), "octets of 9 frames")


harness.main(make_input, check)
