#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""shared-rounds.py SVMC PROGRAM.str EXECUTABLE PATH

Runs a program on inputs of many lengths as it was compiled and in the interpreter: from files and pipes, to the end and up to a
number of steady states, on two threads from the beginning and as it finds best. Says how many workers ran kernels for one of the lengths, and how many outputs differ.
"""
import json
import os
import struct
import subprocess
import sys

svmc, program, executable, path = sys.argv[1:]
unasked = {k: v for k, v in os.environ.items() if k != "SVM_WORKERS"}  # threads wait until they pay
environment = {**unasked, "SVM_WORKERS": "2"}
LENGTHS = (0, 10, 47, 48, 100, 1001, 5000, 30000, 30001, 100000, 299999, 700000, 1000000)


def write(count):
    with open(path + ".in", "wb") as f:
        f.write(struct.pack(f"<{count}f", *[i * i % 1013 / 200 - 2 for i in range(count)]))


def read(name):
    with open(path + name, "rb") as f:
        return f.read()


def workers(count):
    write(count)
    subprocess.run([executable, f"--in={path}.in", f"--out={path}.out"], check=True,
                   env={**environment, "SVM_TRACE_OUT": path + ".json"})
    with open(path + ".json", encoding="utf-8") as f:
        events = json.load(f)["traceEvents"]
    number = len({e["tid"] for e in events if e.get("cat") == "compute" and e["tid"] != 0})  # 0: the initialisation's
    print(f"{count} floats: on {number} worker{'' if number == 1 else 's'}")


workers(100000)
runs = differences = 0
for n, length in enumerate(LENGTHS):
    write(length)
    for limit in ([], ["-i", str(length // 4 + 1)]):
        subprocess.run([svmc, "--interpret", program, *limit, f"--in={path}.in", f"--out={path}.expected"], check=True)
        for how in (environment, unasked):
            if n % 3 == 2:
                with open(path + ".in", "rb") as source:
                    out = subprocess.run(["sh", "-c", 'cat | "$0" "$@" | cat', executable, *limit], stdin=source, stdout=subprocess.PIPE,
                                         check=True, env=how).stdout
            else:
                subprocess.run([executable, *limit, f"--in={path}.in", f"--out={path}.out"], check=True, env=how)
                out = read(".out")
            runs += 1
            differences += out != read(".expected")
print(f"{runs} runs, {differences} differences")
