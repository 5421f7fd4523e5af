# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs svm-sim on variants of a graph that are wrong in one place: variants.py TOOL GRAPH WORK. Each variant is a text of the graph
and what stands in its place; the diagnostics' first lines are printed, or the exit code when it is not 1."""
import subprocess
import sys

VARIANTS = [
    ("graph: pair", "graf: pair"),
    ("graph: pair", "graph: [pair]"),
    ("time: 40 cycles", "time: 40"),
    ("time: 40 cycles", "time: -4 ns"),
    ("time: 40 cycles", "tiem: 40 cycles"),
    ("P0", "P9"),
    ("P0", "DMA"),
    ("link: BUS", "link: BUZ"),
    ("link: BUS", "link: NEXT"),
    ("from: a", "from: aa"),
    ("8 B", "8"),
    ("push: 20", "push: 1.5"),
    ("push: 20", "push: 21"),
    ("pop: 10", "pop: 21"),
    ("producer: {length: 20}", "producer: {length: 20, history: 20}"),
    ("producer: {length: 20}, ", ""),
    ("consumer: {length: 20}", "shared: {length: 20}"),
    ("link: BUS", "prequeue: 21"),
    ("producer: {length: 20}", "producer: {length: 200000}"),
    ("producer: {length: 20}", "producer: {length: 20, memory: L1}"),
    ("processor: P0", "io: true, processor: P0"),
    ("time: 40 cycles", "time: 40 cycles, acquire: [t]"),
    ("time: 40 cycles", "time: 40 cycles, acquire: [s, s]"),
    ("time: 40 cycles", "time: 40 cycles, acquire: [{pop: s}]"),
    ("time: 40 cycles", "time: 40 cycles, acquire: [s], release: []"),
    ("time: 40 cycles", "time: 40 cycles, acquire: []"),
    ("time: 6 ns", "time: 6 ns, acquire: []"),
    ("time: 40 cycles", "subtasks: []"),
    ("time: 40 cycles", "time: 4 ns, subtasks: []"),
    ("  b:", "  c: {processor: P2, time: 1 ns}\n  b:"),
    ("iterations: 3", "iterations: 3\niteration: {task: d}"),
    ("iterations: 3", "iterations: 0"),
    ("link: BUS}", "link: ONLY}\n  t: {element: 8 B, from: b, to: a, producer: {length: 20}, consumer: {length: 20}, link: ONLY}"),
    ("streams:", "streams: {"),
    ("time: 40 cycles", "time: 999999999999 ms"),
]


def main():
    tool, graph, work = sys.argv[1:]
    with open(graph, encoding="utf-8") as f:
        text = f.read()
    for old, new in VARIANTS:
        assert old in text
        with open(work, "w", encoding="utf-8") as f:
            f.write(text.replace(old, new, 1))
        done = subprocess.run([tool, work, "-o", "/dev/null"], capture_output=True, text=True, check=False)
        lines = [line.split("/")[-1] if ".yaml:" in line else line for line in done.stderr.splitlines() if "error:" in line or "note:" in line]
        print("\n".join(lines) if done.returncode == 1 else f"exit code {done.returncode}\n{done.stderr}")


main()
