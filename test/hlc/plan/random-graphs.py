#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random stream graphs: compares compiled programs with the interpreter, bit for bit.

    random-graphs.py --svmc=PATH [--first=SEED] [--count=N] [--levels=LIST] [--keep=FOLDER] [--check-only]

Each seed gives one program: filters with and without state, windows and preworks, splitjoins of all kinds, feedback loops, identities,
with input from standard input or from a source, output to standard output or printed. Levels are options of svmc, separated by
commas. --check-only compiles with --verify-each, so that the plan is played through, and runs nothing.
"""
import argparse
import math
import os
import random
import struct
import subprocess
import sys
import tempfile
from fractions import Fraction


class Maker:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.filters = []
        self.budget = self.r.choice([3, 6, 10, 16, 30])
        self.printing = False

    def filter(self, pop, push, print_ok=False):
        """A filter of these rates; its text goes to self.filters; gives its name."""
        r = self.r
        name = f"F{len(self.filters)}"
        peek = pop + r.choice([0, 0, 0, 0, 1, 2, 5]) if pop else 0
        state = r.random() < 0.2
        prints = print_ok and r.random() < 0.1
        body = ["int s = %d;" % r.randint(-9, 9)]
        if state:
            body.append("s += n; n = n * 3 + s;")
        if r.random() < 0.15:
            body.append("s += iter();")
        for k in range(peek):
            if r.random() < 0.7:
                body.append(f"s = s * {r.choice([3, 5, 7])} + peek({k});")
        if push and pop == push and r.random() < 0.4:
            body.append(f"for (int i = 0; i < {pop}; i++) push(pop() + s * i);")
        else:
            for k in range(push):
                body.append(f"push(s + {k});")
            if pop:
                body.append(f"for (int i = 0; i < {pop}; i++) pop();")
        if prints:
            self.printing = True
            body.append(f'println("{name} " + s);')
        rates = lambda po, pu, pe: (f" pop {po}" if pop else "") + (f" peek {pe}" if pop and pe > po else "") + (f" push {pu}" if push else "")
        text = f"{'int' if pop else 'void'}->{'int' if push else 'void'} filter {name} {{\n    int n = {r.randint(0, 5)};\n"
        text += f"    work{rates(pop, push, peek)} {{\n        " + "\n        ".join(body) + "\n    }\n"
        if r.random() < 0.15:
            ppop, ppush = (r.choice([0, pop, r.randint(0, 5)]) if pop else 0), (r.choice([0, push, r.randint(0, 5)]) if push else 0)
            ppeek = ppop + r.choice([0, 0, 3]) if ppop else 0
            pre = [f"int s = {r.randint(-9, 9)};"]
            pre += [f"s = s * 3 + peek({k});" for k in range(ppeek)]
            pre += [f"push(s * {k} + 1);" for k in range(ppush)]
            pre += ["n = s;"] if state else []
            pre += [f"for (int i = 0; i < {ppop}; i++) pop();"] if ppop else []
            rate = (f" pop {ppop}" if ppop else "") + (f" peek {ppeek}" if ppeek > ppop else "") + (f" push {ppush}" if ppush else "")
            text += f"    prework{rate} {{\n        " + "\n        ".join(pre) + "\n    }\n"
        self.filters.append(text + "}\n")
        return name

    def small(self):
        return self.r.choice([1, 1, 1, 2, 2, 3, 4, 6])

    def stream(self, depth):
        """Text of a child stream and its ratio of output to input."""
        self.budget -= 1
        kind = self.r.random()
        if depth > 4 or self.budget <= 0 or kind < 0.4:
            return self.leaf()
        if kind < 0.6:
            return self.pipeline(depth)
        if kind < 0.92:
            return self.splitjoin(depth)
        return self.loop(depth)

    def leaf(self):
        if self.r.random() < 0.25:
            return "add Identity<int>();", Fraction(1)
        pop = self.small()
        push = pop if self.r.random() < 0.5 else self.small()
        return f"add {self.filter(pop, push, True)}();", Fraction(push, pop)

    def pipeline(self, depth):
        parts, ratio = [], Fraction(1)
        for _ in range(self.r.randint(1, 3)):
            text, one = self.stream(depth + 1)
            parts.append(text)
            ratio *= one
        return "add pipeline {\n" + "\n".join(parts) + "\n};", ratio

    def splitjoin(self, depth):
        r = self.r
        n = r.choice([1, 2, 2, 3, 4, 4, 8])
        if r.random() < 0.2:
            children = [("add Identity<int>();", Fraction(1))] * n
        elif r.random() < 0.5:
            children = [self.stream(depth + 1)] * n
        else:
            children = [self.stream(depth + 1) for _ in range(n)]
        if r.random() < 0.35:
            split = "duplicate"
            least = math.lcm(*[c[1].denominator for c in children])
            joins = [int(c[1] * least) for c in children]
            ratio = Fraction(sum(joins), least)
        else:
            scale = [r.choice([1, 1, 2, 3]) for _ in children]
            scale = [scale[0]] * n if r.random() < 0.5 else scale
            splits = [c[1].denominator * s for c, s in zip(children, scale)]
            joins = [c[1].numerator * s for c, s in zip(children, scale)]
            more, other = r.choice([(1, 1), (1, 1), (2, 1), (1, 2), (4, 1), (1, 4), (3, 2)])
            splits, joins = [w * more for w in splits], [w * other for w in joins]
            split = "roundrobin(" + ", ".join(map(str, splits)) + ")"
            ratio = Fraction(sum(joins), sum(splits)) * Fraction(more, other)
        same = n > 1 and all(c[0] == children[0][0] for c in children)
        adds = f"for (int k = 0; k < {n}; k++) {children[0][0]}" if same else "\n".join(c[0] for c in children)
        text = f"add splitjoin {{\nsplit {split};\n" + adds
        return text + "\njoin roundrobin(" + ", ".join(map(str, joins)) + ");\n};", ratio

    def loop(self, depth):
        r = self.r
        a, b = r.choice([(1, 1), (1, 2), (2, 1), (1, 3), (2, 2), (3, 1)])
        body_text, loop_text = [], []
        duplicate = a == b == 1 and r.random() < 0.5
        if duplicate:
            body_text.append(f"add {self.filter(2, 1, True)}();")
            split = "duplicate"
        else:
            m = r.choice([1, a + b, 2])
            body_text.append(f"add {self.filter(m, m, True)}();")
            split = f"roundrobin({a}, {b})"
        if r.random() < 0.4:
            body_text.append(f"add {self.filter(1, 1)}();")
        loop_text.append("add Identity<int>();" if r.random() < 0.5 else f"add {self.filter(1, 1, True)}();")
        extra = r.choice([0, 0, 1, 5, 20, 100])
        enqueue = b * r.randint(1, 4) + (a + b) * 3 + extra
        text = f"add feedbackloop {{\njoin roundrobin({a}, {b});\nbody pipeline {{\n" + "\n".join(body_text) + "\n};\nloop pipeline {\n"
        text += "\n".join(loop_text) + f"\n}};\nsplit {split};\nfor (int i = 0; i < {enqueue}; i++) enqueue i * 7;\n}};"
        return text, Fraction(1)

    def program(self):
        parts = [self.stream(0)[0] for _ in range(self.r.randint(1, 3))]
        # Items and text on one standard output have no defined order.
        reads, writes = self.r.random() < 0.7, self.r.random() < 0.6 and not self.printing
        if not reads:
            parts.insert(0, f"add {self.filter(0, self.small())}();")
        if not writes:
            self.filters.append("int->void filter Show {\n    work pop 1 {\n        println(pop());\n    }\n}\n")
            parts.append("add Show();")
        top = f"{'int' if reads else 'void'}->{'int' if writes else 'void'} pipeline Main {{\n" + "\n".join(parts) + "\n}\n"
        return "".join(self.filters) + top, reads


def run(command, data=b"", limit=60):
    try:
        return subprocess.run(command, input=data, capture_output=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 124, b"", b"still running")


def one(seed, args, folder):
    """What is wrong with the program of a seed; None if nothing, "skipped" when the program is invalid or too large."""
    maker = Maker(seed)
    text, reads = maker.program()
    path = os.path.join(folder, f"random{seed}.str")
    with open(path, "w", encoding="ascii") as f:
        f.write(text)
    data = b""
    if reads:
        n = maker.r.choice([0, 1, 7, 50, 200, 999])
        data = struct.pack(f"<{n}i", *[(k * 2654435761) % 1000 - 500 for k in range(n)])
    options = [] if reads and maker.r.random() < 0.7 else ["-i", str(maker.r.choice([0, 1, 3, 10, 40]))]
    if args.check_only:
        for level in args.levels.split(","):
            done = run([args.svmc, *level.split(), "-w", "--verify-each", "--emit=svm-c", path, "-o", os.path.join(folder, "out.c")])
            if done.returncode == 1 and b"error: plan" not in done.stderr:
                return "skipped"
            if done.returncode != 0:
                return f"{level}: {done.stderr.decode(errors='replace')}"
        return None
    wanted = run([args.svmc, "-w", "--interpret", *options, path], data, 20)
    if wanted.returncode != 0:
        return "skipped"
    for level in args.levels.split(","):
        program = os.path.join(folder, "program")
        done = run([args.svmc, *level.split(), "-w", path, "-o", program])
        if done.returncode == 0:
            done = run([program, *options], data)
        if done.returncode != 0 or done.stdout != wanted.stdout:
            what = "another output than the interpreter" if done.returncode == 0 else f"exit code {done.returncode}"
            return f"{level} {' '.join(options)}: {what}, {len(data) // 4} items of input\n{done.stderr.decode(errors='replace')}"
    return None


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--svmc", required=True)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--levels", default="-O0,-O2,-O2 --strip=7")
    parser.add_argument("--keep", default=None)
    parser.add_argument("--check-only", action="store_true")
    args = parser.parse_args()
    failed = skipped = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = args.keep or folder
        for seed in range(args.first, args.first + args.count):
            wrong = one(seed, args, folder)
            skipped += wrong == "skipped"
            if wrong and wrong != "skipped":
                failed += 1
                print(f"seed {seed}: {wrong}")
    print(f"{args.count - failed - skipped} agree, {failed} differ, {skipped} skipped")
    sys.exit(failed > 0 or skipped == args.count)


main()
