#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""mapped-files.py SVMC PROGRAM EXECUTABLE... ITEMS...: inputs of so many ints give what the interpreter gives; files, and a pipe."""
import array
import os
import subprocess
import sys

svmc, program = sys.argv[1:3]
executables = [a for a in sys.argv[3:] if not a.isdigit()]
os.environ["SVM_SIM_REPORT"] = os.devnull
for count in (int(a) for a in sys.argv[3:] if a.isdigit()):
    with open("in.raw", "wb") as f:
        array.array("i", (i * i % 1009 for i in range(count))).tofile(f)
    subprocess.run([svmc, "--interpret", program, "--in=in.raw", "--out=expected.raw"], check=True)
    with open("expected.raw", "rb") as f:
        expected = f.read()
    for executable in executables:
        subprocess.run([executable, "--in=in.raw", "--out=out.raw"], check=True)
        with open("out.raw", "rb") as f:
            assert f.read() == expected, f"{executable}: {count} items"
        with open("in.raw", "rb") as f:
            piped = subprocess.run([executable], input=f.read(), stdout=subprocess.PIPE, check=True)
        assert piped.stdout == expected, f"{executable}: {count} items through a pipe"
