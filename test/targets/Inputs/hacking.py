# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the machine file, or the messages, of HACKING.md's worked example. Usage: hacking.py HACKING.md machine|messages"""
import sys

part = open(sys.argv[1]).read().split("## A machine: ", 1)[1]
blocks, block = [], []
for line in part.splitlines() + ["end"]:
    if line.startswith("       ") or (block and not line.strip()):
        block.append(line[7:])
    elif block:
        blocks.append("\n".join(block).rstrip() + "\n")
        block = []
wanted = "machine: " if sys.argv[2] == "machine" else "./my-dsp.yaml:"
print(next(b for b in blocks if b.startswith(wanted)), end="")
