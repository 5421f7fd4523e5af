#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Reads lines "N objects: R of the bound" and sums them up; any other line is a mistake that place-test found.
import re
import statistics
import sys

lines = sys.stdin.read().splitlines()
ratios = [float(m.group(1)) for line in lines if (m := re.fullmatch(r"\d+ objects: ([\d.]+) of the bound", line))]
wrong = [line for line in lines if " of the bound" not in line]
print(*wrong, sep="\n")
print(f"{len(ratios)} areas, {len(wrong) or 'none'} wrong, median within a tenth: {'yes' if statistics.median(ratios) <= 1.1 else 'no'}, "
      f"all within a quarter: {'yes' if max(ratios) <= 1.25 else 'no'} (worst {max(ratios):.3f})")
