#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Circles of calls that span many files: circles.py [--files=N] FOLDER...

The functions of the C files below the folders, and which of them call which by name; calls through pointers are none. Functions
that reach each other are a circle. One that lies in more than N files (2) is printed, with its calls from file to file: who reads
one of these files must read all.
"""
import argparse
import collections
import pathlib
import re
import sys

COMMENT_OR_TEXT = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.S)
FUNCTION = re.compile(r"^(static\s+)?[A-Za-z_][\w\s*]*?\b([A-Za-z_]\w*)\(([^;{}]*)\)\n\{\n(.*?)^\}", re.S | re.M)
CALL = re.compile(r"\b([A-Za-z_]\w*)\s*\(")


def read_functions(folders):
    """By (file, name): the text of the body. By name: the keys, by file, or "" for those that other files see."""
    bodies, scopes = {}, collections.defaultdict(dict)
    for folder in folders:
        for path in sorted(folder.rglob("*.c")):
            text = COMMENT_OR_TEXT.sub(lambda m: re.sub(r"[^\n]", " ", m.group(0)), path.read_text(encoding="utf-8"))
            for m in FUNCTION.finditer(text):
                key = (path, m.group(2))
                bodies[key] = m.group(4)
                scopes[m.group(2)][path if m.group(1) else ""] = key
    return bodies, scopes


def find_calls(bodies, scopes):
    calls = {}
    for key, body in bodies.items():
        found = (scopes.get(name, {}) for name in CALL.findall(body))
        called = (scope.get(key[0]) or scope.get("") for scope in found)
        calls[key] = {c for c in called if c is not None}
    return calls


def find_circles(calls):
    """Tarjan's strongly connected components, without recursion."""
    number, low, stack, circles = {}, {}, [], []
    for root in calls:
        work = [] if root in number else [(root, iter(sorted(calls[root])))]
        while work:
            at, rest = work[-1]
            if at not in number:
                number[at] = low[at] = len(number)
                stack.append(at)
            for to in rest:
                if to not in number:
                    work.append((to, iter(sorted(calls[to]))))
                    break
                if to in low:  # it is on the stack
                    low[at] = min(low[at], number[to])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[at])
                if low[at] == number[at]:
                    cut = stack.index(at)
                    circles.append(stack[cut:])
                    del stack[cut:]
                    for one in circles[-1]:
                        del low[one]
    return circles


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=2, help="the most files of a circle (2)")
    parser.add_argument("folder", nargs="+", type=pathlib.Path)
    args = parser.parse_args()
    bodies, scopes = read_functions(args.folder)
    calls = find_calls(bodies, scopes)
    wrong = 0
    for circle in find_circles(calls):
        files = {path for path, _ in circle}
        if len(files) <= args.files:
            continue
        wrong += 1
        print("%d functions in %d files call each other in circles: %s" % (
            len(circle), len(files), ", ".join(sorted(p.name for p in files))))
        for a in sorted(circle):
            for b in sorted(calls[a].intersection(circle)):
                if a[0] != b[0]:
                    print("    %s: %s calls %s of %s" % (a[0].name, a[1], b[1], b[0].name))
    print("%d functions, %d circles in more than %d files" % (len(bodies), wrong, args.files))
    sys.exit(wrong > 0 or not bodies)


if __name__ == "__main__":
    main()
