# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What must hold of the measurements as JSON. Usage: check-json.py FILE"""
import json
import math
import sys

data = json.load(open(sys.argv[1]))
print(len(data["operations"]), "classes")
assert all("scalar" in widths for widths in data["operations"].values())
print("figures:", *(f["name"] for f in data["figures"]))
points = [p for f in data["figures"] for c in f["curves"] for p in c["points"]]
assert len(points) > 50 and all(math.isfinite(p[1]) and p[1] > 0 for p in points)
times = [w["seconds"] for widths in data["operations"].values() for w in widths.values()]
assert all(0 < t < 1e-3 for t in times + [data["cycle"]["seconds"]])
for key in ["kernels_on_one_thread", "kernels_on_threads"]:
    assert 0 < data[key]["run_wait"]["seconds"] < 1
print("all numbers are positive")
