# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a file of numbers: show.py FILE TYPE, TYPE as for array.array."""
import array
import sys

print(*array.array(sys.argv[2], open(sys.argv[1], "rb").read()))
