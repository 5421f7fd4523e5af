# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the JSON of a sweep over 1, 32 and 64 batches."""
import json
import sys

runs = [json.loads(line) for line in open(sys.argv[1])]
assert [r["batches"] for r in runs] == [1, 32, 64], runs
used = []
for r in runs:
    part = r.get("steady", r["whole"])
    total = part["used"] + part["semwait"] + part["inside_alu"] + part["notalu"]
    assert abs(total - 1) < 1e-3, total
    assert abs(part["used"] - r["predicted"]["used"]) < 0.02, (part["used"], r["predicted"])
    used.append(part["used"])
assert used[0] < 0.10, used
assert used[1] >= 0.99, used
assert used[2] <= used[1] + 0.01, used
print("3 runs: below 10 % with 1 batch, at least 99 % with 32, no gain with 64, idle parts add up, closed form near")
