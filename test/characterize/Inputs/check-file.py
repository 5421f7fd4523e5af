# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What must hold of a machine file that svm-characterize wrote, however fast the computer is. Usage: check-file.py FILE OPERATIONS.DEF"""
import re
import sys

text = open(sys.argv[1]).read()
classes = re.findall(r'^OPERATION\(\w+, *"([\w-]+)"', open(sys.argv[2]).read(), re.M)
costs = dict(re.findall(r"^      ([\w-]+): ([0-9.e+-]+) cycles", text, re.M))
assert all(float(costs[c]) > 0 for c in classes), "a class without a cost"
print(len(classes), "operation classes, each with a cost")

latency = {}
for name, body in re.findall(r"^  (\w+):.*\n((?:    .*\n)+)", text, re.M):
    found = re.search(r"^    latency: ([0-9.e+]+) ns", body, re.M)
    if found:
        latency[name] = float(found[1])
# A load from memory takes tens of times as long as one from the nearest cache: noise does not hide that.
assert "L1D" not in latency or latency["L1D"] < latency["GMEM"]
print("the nearest cache is faster than memory")

measured = re.findall(r"^ +[\w-]+: [0-9.]+ (?:ns|GB/s|cycles|GHz)(.*)$", text, re.M)
assert len(measured) > 30 and all(m.strip().startswith("# ") and len(m.strip()) > 5 for m in measured)
print("every measured number says how")
