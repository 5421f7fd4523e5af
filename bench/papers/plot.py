# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Curves as SVG, for the figures of the papers: axes with round ticks, a legend, lines with or without points.

    figure = Figure("Time per iteration", "block size (KiB)", "time (us)")
    figure.line("simulated", [(1, 2.0), (2, 2.5)])
    figure.points("paper", [(2, 2.4)])
    figure.mark(20.5, "knee")          # a vertical line with a word
    figure.write("figure5.svg")

Axes are linear; Figure(..., log_x=True, log_y=True) makes them logarithmic. They begin at 0 where all values are positive, unless
they are logarithmic.
"""
import math
from xml.sax.saxutils import escape

COLORS = ["#4878a8", "#cf7f4f", "#4f9a63", "#9c6f9e", "#b0524f", "#8a7a3a", "#4aa3a5", "#666666"]
DASHES = ["", "7 3", "2 3", "9 3 2 3"]


def round_step(span, count):
    """The step of 1, 2 or 5 times a power of ten that gives about so many ticks."""
    raw = span / count
    power = 10 ** math.floor(math.log10(raw))
    return next(power * k for k in (1, 2, 5, 10) if power * k >= raw * 0.999)


class Axis:
    def __init__(self, values, log, low, high):
        """values: all of this axis; low and high: where it is drawn."""
        self.log, self.low, self.high = log, low, high
        least, most = min(values), max(values)
        if log:
            least, most = math.log10(least), math.log10(most)
            self.least, self.most = least, most if most > least else least + 1
            first, last = math.floor(self.least), math.ceil(self.most)
            steps = [(10 ** e * k) for e in range(first, last + 1) for k in ((1,) if last - first > 2 else (1, 2, 5))]
            self.ticks = [t for t in steps if self.least - 1e-9 <= math.log10(t) <= self.most + 1e-9]
            return
        least = min(0, least)
        most = most if most > least else least + 1
        step = round_step(most - least, 7)
        self.least, self.most = math.floor(least / step) * step, math.ceil(most / step - 1e-9) * step
        count = round((self.most - self.least) / step)
        self.ticks = [self.least + i * step for i in range(count + 1)]

    def place(self, value):
        value = math.log10(value) if self.log else value
        return self.low + (value - self.least) / (self.most - self.least) * (self.high - self.low)


class Figure:
    WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 760, 460, 74, 190, 48, 58

    def __init__(self, title, x_label, y_label, log_x=False, log_y=False):
        self.title, self.x_label, self.y_label = title, x_label, y_label
        self.log_x, self.log_y = log_x, log_y
        self.series, self.marks = [], []

    def line(self, label, points, with_points=False):
        self.series.append((label, sorted(points), True, with_points))

    def points(self, label, points):
        self.series.append((label, sorted(points), False, True))

    def mark(self, x, text):
        self.marks.append((x, text))

    def svg(self):
        xs = [x for _, points, _, _ in self.series for x, _ in points] + [x for x, _ in self.marks]
        ys = [y for _, points, _, _ in self.series for _, y in points]
        x_axis = Axis(xs, self.log_x, self.LEFT, self.WIDTH - self.RIGHT)
        y_axis = Axis(ys, self.log_y, self.HEIGHT - self.BOTTOM, self.TOP)
        out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.WIDTH} {self.HEIGHT}" width="{self.WIDTH}" height="{self.HEIGHT}">',
               "<style>text { font: 12px sans-serif; fill: #222 } .title { font-size: 15px; font-weight: bold } .small { fill: #555 }</style>",
               '<rect width="100%" height="100%" fill="#fff"/>',
               f'<text x="{self.LEFT}" y="26" class="title">{escape(self.title)}</text>']
        out += self.axes(x_axis, y_axis)
        for x, text in self.marks:
            at = x_axis.place(x)
            out.append(f'<line x1="{at:.1f}" y1="{self.TOP}" x2="{at:.1f}" y2="{self.HEIGHT - self.BOTTOM}" stroke="#999" stroke-dasharray="3 3"/>'
                       f'<text x="{at + 4:.1f}" y="{self.TOP + 12}" class="small">{escape(text)}</text>')
        for i, series in enumerate(self.series):
            out += self.curve(i, series, x_axis, y_axis)
        out.append("</svg>")
        return "\n".join(out) + "\n"

    def axes(self, x_axis, y_axis):
        left, right, top, bottom = self.LEFT, self.WIDTH - self.RIGHT, self.TOP, self.HEIGHT - self.BOTTOM
        out = []
        for t in x_axis.ticks:
            x = x_axis.place(t)
            out.append(f'<line x1="{x:.1f}" y1="{top}" x2="{x:.1f}" y2="{bottom + 5}" stroke="#ddd"/>'
                       f'<text x="{x:.1f}" y="{bottom + 19}" text-anchor="middle" class="small">{t:.6g}</text>')
        for t in y_axis.ticks:
            y = y_axis.place(t)
            out.append(f'<line x1="{left - 5}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}" stroke="#ddd"/>'
                       f'<text x="{left - 9}" y="{y + 4:.1f}" text-anchor="end" class="small">{t:.6g}</text>')
        out.append(f'<path d="M{left} {top}V{bottom}H{right}" fill="none" stroke="#444"/>')
        out.append(f'<text x="{(left + right) / 2:.0f}" y="{self.HEIGHT - 16}" text-anchor="middle">{escape(self.x_label)}</text>')
        middle = (top + bottom) / 2
        out.append(f'<text x="18" y="{middle:.0f}" text-anchor="middle" transform="rotate(-90 18 {middle:.0f})">{escape(self.y_label)}</text>')
        return out

    def curve(self, i, series, x_axis, y_axis):
        label, points, lines, dots = series
        color, dash = COLORS[i % len(COLORS)], DASHES[i // len(COLORS) % len(DASHES)]
        places = [(x_axis.place(x), y_axis.place(y)) for x, y in points]
        x, y = self.WIDTH - self.RIGHT + 16, self.TOP + 10 + 20 * i
        out = []
        if lines:
            path = "M" + "L".join(f"{a:.1f} {b:.1f}" for a, b in places)
            style = f'fill="none" stroke="{color}" stroke-width="1.8"' + (f' stroke-dasharray="{dash}"' if dash else "")
            out.append(f'<path d="{path}" {style}/><path d="M{x} {y}h22" {style}/>')
        if dots:
            out += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3" fill="{color}"/>' for a, b in places + [(x + 11, y)]]
        out.append(f'<text x="{x + 28}" y="{y + 4}">{escape(label)}</text>')
        return out

    def write(self, path):
        with open(path, "w", encoding="utf-8") as f:
            f.write(self.svg())
