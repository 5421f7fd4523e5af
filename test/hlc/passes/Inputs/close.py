# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether two files of floats ('f') or doubles ('d') have as many and are nearly the same:   close.py f|d FILE FILE
Says how many numbers there are. --make f|d FILE COUNT writes some in [-1, 1)."""
import struct
import sys


def read(kind, path):
    with open(path, "rb") as f:
        data = f.read()
    return struct.unpack(f"<{len(data) // struct.calcsize(kind)}{kind}", data)


if sys.argv[1] == "--make":
    kind, path, count = sys.argv[2], sys.argv[3], int(sys.argv[4])
    with open(path, "wb") as f:
        f.write(struct.pack(f"<{count}{kind}", *((i * 7919 % 20011) / 10005.5 - 1 for i in range(count))))
    sys.exit()
kind, (a, b) = sys.argv[1], (read(sys.argv[1], path) for path in sys.argv[2:4])
most = max(map(abs, a))
apart = max(abs(x - y) for x, y in zip(a, b)) / most
if len(a) != len(b) or not apart < {"f": 1e-5, "d": 1e-13}[kind]:
    sys.exit(f"{len(a)} and {len(b)} numbers, {apart:.3g} of the largest apart")
print(f"{len(a)} numbers are close")
