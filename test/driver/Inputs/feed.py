# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""feed.py PROGRAM COUNT WANTED: gives the program COUNT ints and waits, without an end of the input, until it has given
WANTED items of 4 bytes; then as many again and the end. It also leaves batch.raw, a hundred thousand ints."""
import os
import select
import struct
import subprocess
import sys

program, count, wanted = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
items = struct.pack("<%di" % count, *range(1, count + 1))
with open("batch.raw", "wb") as f:
    f.write(struct.pack("<100000i", *range(100000)))
with subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as p:
    p.stdin.write(items)
    p.stdin.flush()
    got = b""
    while len(got) < 4 * wanted:
        ready, _, _ = select.select([p.stdout], [], [], 120)
        if not ready:
            p.kill()
            sys.exit("nothing more comes after %d items" % (len(got) // 4))
        got += os.read(p.stdout.fileno(), 4 * wanted - len(got))
    p.stdin.write(items)
    p.stdin.close()
    print("got %d items while the input was open, %d more behind it" % (len(got) // 4, len(p.stdout.read()) // 4))
