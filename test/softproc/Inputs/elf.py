# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints what is in a container of the soft processor, read independently of svm-spdis."""
import struct
import sys

data = open(sys.argv[1], "rb").read()
kind, machine, _, entry, phoff, _, flags, _, phentsize, phnum = struct.unpack_from("<HHIIIIIHHH", data, 16)
print(f"class {data[4]} data {data[5]} osabi {data[7]} abiversion {data[8]} type {kind} machine {machine} entry {entry} flags {flags}")
for i in range(phnum):
    segment, offset, _, _, size = struct.unpack_from("<IIIII", data, phoff + i * phentsize)
    if segment == 1:
        print(f"load: {size} bytes")
        continue
    at, end = offset, offset + size
    while at < end:
        name_size, size, note = struct.unpack_from("<III", data, at)
        name = data[at + 12 : at + 12 + name_size].rstrip(b"\0").decode()
        at += 12 + (name_size + 3) // 4 * 4
        print(f"note {name} {note}:", *struct.unpack_from("<%dI" % (size // 4), data, at))
        at += size
