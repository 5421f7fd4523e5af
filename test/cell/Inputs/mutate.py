# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""mutate.py MODULE COUNT SEED: svm-spu2c on modules that differ from a good one in some bytes: it translates or refuses each."""
import random
import subprocess
import sys

with open(sys.argv[1], "rb") as f:
    good = f.read()
random.seed(int(sys.argv[3]))
refused = 0
for n in range(int(sys.argv[2])):
    module = bytearray(good)
    for _ in range(random.randint(1, 3)):
        at = random.randrange(8, len(module) if n % 2 else 3000)
        kind = random.randrange(4)
        if kind < 2:
            module[at] = random.randrange(256)
        elif kind == 2:
            del module[at:at + random.randint(1, 8)]
        else:
            module[at:at] = bytes(random.randrange(256) for _ in range(random.randint(1, 6)))
    with open(sys.argv[1] + ".mutated", "wb") as f:
        f.write(module)
    p = subprocess.run(["svm-spu2c", sys.argv[1] + ".mutated", "-o", sys.argv[1] + ".c"], stderr=subprocess.PIPE, timeout=300, check=False)
    if p.returncode not in (0, 1) or (p.returncode == 1) != p.stderr.startswith(b"svm-spu2c: error: "):
        sys.exit(f"module {n}: exit code {p.returncode}: {p.stderr[:500]!r}")
    refused += p.returncode
print(f"{sys.argv[2]} modules, {'some' if refused else 'none'} refused")
