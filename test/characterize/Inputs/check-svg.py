# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each figure is well-formed SVG with a title, axes with labels, and all points within the frame; bars do not meet. Usage: check-svg.py FILE..."""
import os
import sys
import xml.etree.ElementTree as xml

NS = "{http://www.w3.org/2000/svg}"
for path in sorted(sys.argv[1:]):
    root = xml.parse(path).getroot()
    texts = [t.text for t in root.iter(NS + "text")]
    assert len(texts) > 8 and all(texts), path
    frame = [r for r in root.iter(NS + "rect") if r.get("fill") == "none"][0]
    x, y, w, h = (float(frame.get(k)) for k in ("x", "y", "width", "height"))
    lines = list(root.iter(NS + "polyline"))
    for line in lines:
        points = [tuple(map(float, p.split(","))) for p in line.get("points").split()]
        assert len(points) > 1, path
        assert all(x - 1 <= px <= x + w + 1 and y - 1 <= py <= y + h + 1 for px, py in points), path
    bars = [r for r in root.iter(NS + "rect") if r.find(NS + "title") is not None]
    assert lines or len(bars) > 20, path
    spans = sorted((float(b.get("x")), float(b.get("x")) + float(b.get("width"))) for b in bars)
    assert all(x <= left and right <= x + w for left, right in spans), path
    assert all(left >= before for (_, before), (left, _) in zip(spans, spans[1:])), (path, "bars lie over each other")
    print(os.path.basename(path) + ":", f"{len(lines)} curves" if lines else "bars")
