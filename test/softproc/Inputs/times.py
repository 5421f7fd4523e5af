# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a run's cycles, and those with arithmetic entering and idle by reason: times.py STATS.json"""
import json
import sys

run = json.loads(open(sys.argv[1], encoding="ascii").readline())["whole"]
print(f"{run['cycles']} cycles:", *(f"{name} {round(run[name] * run['cycles'])}" for name in ("used", "semwait", "inside_alu", "notalu")))
