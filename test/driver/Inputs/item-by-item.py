# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""item-by-item.py PROGRAM LATENCY INITIAL COUNT: feeds a program of one float in and one out a steady state its input, an item at a
time, and never the next before the output that --max-latency=LATENCY promises for what it has. INITIAL items are for the
initialisation. A program that keeps no promise would wait for input for ever: it is ended after two minutes."""
import os
import select
import struct
import subprocess
import sys

program, latency, initial, count = sys.argv[1], *map(int, sys.argv[2:])
child = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
source, sink = child.stdin.fileno(), child.stdout.fileno()
got = b""
for given in range(1, initial + count + 1):
    os.write(source, struct.pack("<f", given))
    promised = max(0, given - initial - latency + 1)
    while len(got) < 4 * promised:
        if not select.select([sink], [], [], 120)[0]:
            child.kill()
            sys.exit(f"{given - initial} steady states of input gave {len(got) // 4} items; expected {promised}")
        got += os.read(sink, 1 << 16)
early = len(got) // 4
child.stdin.close()
got += child.stdout.read()
print("exit code", child.wait(), "items", len(got) // 4, "in time" if early >= count - latency + 1 else "late")
sys.stdout.flush()
with open(program + ".got", "wb") as f:
    f.write(got)
