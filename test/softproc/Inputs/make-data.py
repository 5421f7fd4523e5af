# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small input files for run.test."""
import struct
import sys

folder = sys.argv[1] + "/"
open(folder + "u8.bin", "wb").write(bytes(list(range(12)) + [252, 253, 254, 255]))
open(folder + "u16.bin", "wb").write(struct.pack("<4H", 0, 1000, 2000, 65535))
open(folder + "f.bin", "wb").write(struct.pack("<8f", 0, 1.25, 2.5, 300, -3, 5, 6, 7))
