# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The roofline picture: operations a second over operations for a byte that a program moves, under what this computer can do."""
import math
import os
import statistics
import sys
from xml.sax.saxutils import escape

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "papers"))
import plot

OURS, BY_HAND, ROOF = "#2f6db0", "#c4682c", "#555555"
CHARACTER, HIGH = 5.7, 13.0  # of a name, in pixels


class Roofline(plot.Figure):
    WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 940, 680, 84, 30, 66, 58

    def __init__(self, rows, peaks):
        super().__init__("What the programs reach, and what this computer can", "operations on 32 bits for each byte read or written (least of ours and the C)",
                         "operations a second, thousand millions", log_x=True, log_y=True)
        self.rows = sorted((r for r in rows if r["operations"] > 0), key=lambda r: r["intensity"])
        self.bandwidth = statistics.median((r["in"] + r["out"]) / r["moving"] for r in rows) / 1e9
        self.vectors = max(peaks["vectors", 64] * 16, peaks["multiply", 64] * 32)
        self.scalars = peaks["vectors", 16]
        xs = [r["intensity"] for r in self.rows]
        self.x = plot.Axis([min(xs) / 1.6, max(xs) * 2.2], True, self.LEFT, self.WIDTH - self.RIGHT)
        lowest = min(r["operations"] / max(r["ours"], r["C"]) for r in self.rows) / 1e9
        self.y = plot.Axis([lowest / 1.8, self.vectors * 1.7], True, self.HEIGHT - self.BOTTOM, self.TOP)
        self.taken = []

    def svg(self):
        out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.WIDTH} {self.HEIGHT}" width="{self.WIDTH}" height="{self.HEIGHT}">',
               "<style>text { font: 12px sans-serif; fill: #222 } .title { font-size: 15px; font-weight: bold } .small { fill: #555 } .name { font-size: 11px }</style>",
               '<rect width="100%" height="100%" fill="#fff"/>', f'<text x="{self.LEFT}" y="24" class="title">{escape(self.title)}</text>', *self.legend(),
               *self.axes(self.x, self.y), *self.roofs()]
        marks = [(r["name"], self.x.place(r["intensity"]), *(self.y.place(r["operations"] / r[k] / 1e9) for k in ("ours", "C"))) for r in self.rows]
        self.taken += [(x - 6, min(a, b) - 6, x + 6, max(a, b) + 6) for _, x, a, b in marks]
        for name, x, ours, by_hand in marks:
            out.append(f'<path d="M{x:.1f} {ours:.1f}V{by_hand:.1f}" stroke="#aaa"/><circle cx="{x:.1f}" cy="{by_hand:.1f}" r="3.6" fill="#fff" stroke="{BY_HAND}" '
                       f'stroke-width="1.8"/><circle cx="{x:.1f}" cy="{ours:.1f}" r="4" fill="{OURS}"/>')
        for name, x, ours, by_hand in marks:
            wide = len(name) * CHARACTER
            a, b, mark = self.room(x, ours, by_hand, wide)
            near = (min(max(x, a), a + wide), min(max(mark, b), b + HIGH))
            if math.dist(near, (x, mark)) > 12:
                out.append(f'<path d="M{near[0]:.1f} {near[1]:.1f}L{x:.1f} {mark:.1f}" stroke="#ccc"/>')
            out.append(f'<text x="{a:.1f}" y="{b + HIGH - 3:.1f}" class="name">{escape(name)}</text>')
        return "\n".join([*out, "</svg>"]) + "\n"

    def legend(self):
        x, y = self.LEFT, 46
        return [f'<circle cx="{x + 5}" cy="{y - 4}" r="4" fill="{OURS}"/><text x="{x + 15}" y="{y}">svmc -O3</text>',
                f'<circle cx="{x + 95}" cy="{y - 4}" r="3.6" fill="#fff" stroke="{BY_HAND}" stroke-width="1.8"/><text x="{x + 105}" y="{y}">C by hand</text>',
                f'<path d="M{x + 185} {y - 4}h26" stroke="{ROOF}" stroke-width="1.6"/><text x="{x + 217}" y="{y}">moving alone, computing alone</text>',
                f'<path d="M{x + 425} {y - 4}h26" stroke="{ROOF}" stroke-width="1.6" stroke-dasharray="5 4"/><text x="{x + 457}" y="{y}">one after the other, as on one core</text>']

    def roofs(self):
        """The lines above which nothing can be."""
        least, most = 10 ** self.x.least, 10 ** self.x.most
        bottom = 10 ** self.y.least
        slope = [(x, x * self.bandwidth) for x in (max(least, bottom / self.bandwidth), min(most, self.vectors / self.bandwidth))]
        flat = [(slope[1][0], self.vectors), (most, self.vectors)] if slope[1][0] < most else []
        steps = [10 ** (self.x.least + (self.x.most - self.x.least) * i / 80) for i in range(81)]
        both = [(x, 1 / (1 / (x * self.bandwidth) + 1 / self.vectors)) for x in steps]
        alone = [(max(least, self.scalars / self.bandwidth), self.scalars), (most, self.scalars)]
        out = [self.path(slope + flat, ""), self.path([p for p in both if p[1] > bottom], "5 4"), self.path(alone, "")]
        at = slope[0][0] * 2.6
        out.append(self.text(self.x.place(at), self.y.place(at * self.bandwidth) + 24, f"files: {self.bandwidth:.1f} GB/s, half read, half written"))
        out.append(self.text(self.WIDTH - self.RIGHT - 250, self.y.place(self.vectors) - 6, f"vectors: {self.vectors:.0f} thousand million a second"))
        out.append(self.text(self.WIDTH - self.RIGHT - 250, self.y.place(self.scalars) + 15, f"one number at a time: {self.scalars:.0f}"))
        return out

    def path(self, points, dash):
        places = [(self.x.place(x), self.y.place(y)) for x, y in points]
        for (a, b), (c, d) in zip(places, places[1:]):
            steps = int(math.dist((a, b), (c, d)) / 5) + 1
            self.taken += [(a + (c - a) * i / steps - 2, b + (d - b) * i / steps - 2, a + (c - a) * i / steps + 2, b + (d - b) * i / steps + 2) for i in range(steps)]
        line = "M" + "L".join(f"{self.x.place(x):.1f} {self.y.place(y):.1f}" for x, y in points)
        return f'<path d="{line}" fill="none" stroke="{ROOF}" stroke-width="1.6"' + (f' stroke-dasharray="{dash}"' if dash else "") + "/>"

    def text(self, x, y, words):
        self.taken.append((x, y - HIGH, x + len(words) * CHARACTER, y + 3))
        return f'<text x="{x:.1f}" y="{y:.1f}" class="small">{escape(words)}</text>'

    def room(self, x, ours, by_hand, wide):
        """Where a name finds room: the nearest place to one of its marks, and that mark's."""
        found = []
        for mark in (ours, by_hand):
            for across in range(-150, 151, 6):
                for down in range(-110, 111, 5):
                    a, b = x + across - (wide if across < 0 else 0), mark + down - HIGH / 2
                    beside, below = min(max(x, a), a + wide) - x, min(max(mark, b), b + HIGH) - mark
                    found.append((math.hypot(beside, 1.5 * below) + (2 if across < 0 else 0), abs(down), a, b, mark))
        for _, _, a, b, mark in sorted(found):
            box = (a - 2, b, a + wide + 2, b + HIGH)
            inside = box[0] > self.LEFT and box[2] < self.WIDTH - 4 and box[1] > self.TOP and box[3] < self.HEIGHT - self.BOTTOM
            if inside and all(box[2] < t[0] or box[0] > t[2] or box[3] < t[1] or box[1] > t[3] for t in self.taken):
                self.taken.append(box)
                return a, b, mark
        return x + 8, ours, ours


def draw(path, rows, peaks):
    Roofline(rows, peaks).write(path)
