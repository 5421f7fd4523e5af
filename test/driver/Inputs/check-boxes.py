# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How many boxes each row has in the figure of what runs where; none lies over another: check-boxes.py REPORT.html"""
import re
import sys

figure = next(s for s in re.findall("<svg.*?</svg>", open(sys.argv[1]).read(), re.S) if "<title>what runs where<" in s)
rows = {}
for x, y, width in re.findall(r'<rect x="([-\d.]+)" y="([-\d.]+)" width="([-\d.]+)" height="52', figure):
    rows.setdefault(float(y), []).append((float(x), float(x) + float(width)))
for y, boxes in sorted(rows.items()):
    boxes.sort()
    assert all(left > before for (_, before), (left, _) in zip(boxes, boxes[1:])), (y, boxes)
print("boxes in rows:", *[len(boxes) for _, boxes in sorted(rows.items())])
