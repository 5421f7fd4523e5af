#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a failing program smaller while it fails in the same way.

    reduce.py --svmc=PATH [-o FILE] [--seconds=N] [--machine=LIST] [--lines] PROGRAM.str

Prints the smallest program that it has found, with how it fails and the command that shows it as comments at its head.
Works on the text alone: blocks, lines and streams are left out, input is shortened, then (not with --lines) pieces of
expressions are replaced by simpler ones. What is still the same failure is decided by differential.py: the same kind, the same way of compiling, the same
first message with its names and numbers left out.
"""
import argparse
import re
import sys
import time

from case import Failure, bake
from differential import Tools, check, ways_for


class Reducer:
    def __init__(self, tools, text, seconds, how, machines, expressions):
        """how: what the failure is known to need, as differential.py writes it; None: all checks are tried."""
        self.tools, self.end, self.machines, self.expressions = tools, time.monotonic() + seconds, machines, expressions
        if how:
            text = bake(text, how)
        first = check(tools, text, ways=ways_for(how)) if how else None
        if not isinstance(first, Failure):
            first = check(tools, text, machines=machines, more=4)
        if not isinstance(first, Failure):
            sys.exit(f"the program does not fail: {first}")
        self.text = text = bake(text, first.how)
        self.failure, self.signature, self.ways = first, first.signature(), ways_for(first.how)
        self.tried, self.seen = 0, {text}
        if not self.fails(text):
            self.ways = None  # only all checks together show it
        print(f"reducing: {first}", file=sys.stderr)

    def fails(self, text):
        self.tried += 1
        outcome = check(self.tools, text, ways=self.ways, machines=self.machines)
        return isinstance(outcome, Failure) and outcome.signature() == self.signature

    def late(self):
        return time.monotonic() > self.end

    def accept(self, text):
        if text in self.seen or self.late():
            return False
        self.seen.add(text)  # so that nothing is tried twice, and no two texts become each other
        if not self.fails(text):
            return False
        self.text = text
        return True

    # ---- Lines ----

    def without(self, lines, start, end):
        return self.accept("\n".join(lines[:start] + lines[end:]) + "\n")

    @staticmethod
    def block_end(lines, start):
        """The end of the statement or block that begins with a line; None where none does."""
        depth = 0
        for i in range(start, len(lines)):
            depth += lines[i].count("{") - lines[i].count("}")
            if depth < 0:
                return None
            if depth == 0 and not lines[i].rstrip().endswith("else {"):
                return i + 1
        return None

    def drop_blocks(self):
        changed, i = False, 0
        while i < len(self.text.splitlines()) and not self.late():
            lines = self.text.splitlines()
            if lines[i].startswith("// ") and not lines[i].startswith("// Program"):
                i += 1
                continue
            end = self.block_end(lines, i)
            if end is not None and self.without(lines, i, end):
                changed = True
                continue
            # Only the braces go, and what is inside stays.
            if end is not None and end > i + 1 and not re.search(r"(filter|pipeline|splitjoin|feedbackloop|work|struct|static|init)\b", lines[i]):
                inner = lines[i + 1:end - 1]
                if self.accept("\n".join(lines[:i] + inner + lines[end:]) + "\n"):
                    changed = True
                    continue
            i += 1
        return changed

    def drop_runs(self):
        """Several lines at once, first many."""
        changed, n = False, max(1, len(self.text.splitlines()) // 2)
        while n > 1 and not self.late():
            i = 0
            while i < len(self.text.splitlines()):
                lines = self.text.splitlines()
                piece = "\n".join(lines[i:i + n])
                if piece.count("{") == piece.count("}") and "// " not in piece and self.without(lines, i, i + n):
                    changed = True
                else:
                    i += n
            n //= 2
        return changed

    # ---- Streams ----

    @staticmethod
    def adds(lines, start, end):
        """Statements among lines that add a stream: (first line, behind the last)."""
        found, i = [], start
        while i < end:
            stop = Reducer.block_end(lines, i) if re.match(r"\s*add\b", lines[i]) else None
            if stop is not None and stop <= end:
                found.append((i, stop))
                i = stop
            else:
                i += 1
        return found

    def unwrap(self):
        """What a composite adds in place of it: all of it, or one child."""
        changed, i = False, 0
        while i < len(self.text.splitlines()) and not self.late():
            lines = self.text.splitlines()
            end = self.block_end(lines, i) if re.match(r"\s*add\b.*\b(pipeline|splitjoin|feedbackloop) \{$", lines[i]) else None
            children = self.adds(lines, i + 1, end - 1) if end else []
            choices = [children] + [[c] for c in children] if len(children) > 1 else [children] if children else []
            if not any(self.accept("\n".join(lines[:i] + [line for a, b in choice for line in lines[a:b]] + lines[end:]) + "\n")
                       for choice in choices):
                i += 1
            else:
                changed = True
        return changed

    def drop_pairs(self):
        """Two streams at once: what one makes of the items, the other may undo."""
        changed, i = False, 0
        while not self.late():
            lines = self.text.splitlines()
            adds = self.adds(lines, 0, len(lines))
            pairs = [(a, b) for k, a in enumerate(adds) for b in adds[k + 1:k + 5]]
            if i >= len(pairs):
                return changed
            (a, b), (c, d) = pairs[i]
            if self.accept("\n".join(lines[:a] + lines[b:c] + lines[d:]) + "\n"):
                changed = True
            else:
                i += 1
        return changed

    # ---- Expressions ----

    def replacements(self, line):
        """Simpler versions of a line, the boldest first."""
        for m in re.finditer(r"= [^;{]+;", line):
            for value in ("0", "1", "1.0", "true", "pop()", "peek(0)"):
                yield line[:m.start()] + f"= {value};" + line[m.end():]
            yield line[:m.start()].rstrip() + ";" + line[m.end():]
        stack, pairs = [], []
        for i, ch in enumerate(line):
            if ch == "(":
                stack.append(i)
            elif ch == ")" and stack:
                pairs.append((stack.pop(), i))
        pairs.sort(key=lambda p: p[0] - p[1])
        for a, b in pairs:
            inner = line[a + 1:b]
            if not inner:
                continue
            for value in ("0", "1", "true", "false", "1.0"):
                if inner != value:
                    yield line[:a + 1] + value + line[b:]
            name = re.search(r"[\w.]*$", line[:a]).start()
            if line[:name].strip() not in ("if", "for", "while", "push"):
                for value in ("0", "1.0", "true", inner, f"({inner})"):
                    yield line[:name] + value + line[b + 1:]
            for m in re.finditer(r" (\?|:|[-+*/%&|^]|<<|>>|&&|\|\||[<>=!]=|<|>) ", inner):
                yield line[:a + 1] + inner[:m.start()] + line[b:]
                yield line[:a + 1] + inner[m.end():] + line[b:]
        for m in re.finditer(r" (\?|:|[-+*/%&|^]|<<|>>|&&|\|\||[<>=!]=|<|>) ", line):
            rest = re.search(r"[;,)]", line[m.end():])
            if rest:
                yield line[:m.start()] + line[m.end() + rest.start():]
            left = max(line.rfind(c, 0, m.start()) for c in "=(,")
            if left >= 0:
                yield line[:left + 1] + " " + line[m.end():]
        for m in re.finditer(r"\b\d+\b", line):
            if m.group() not in ("0", "1"):
                yield line[:m.start()] + "1" + line[m.end():]
                if int(m.group()) > 2 and not m.group().startswith("0"):
                    yield line[:m.start()] + str(int(m.group()) - 1) + line[m.end():]

    def simplify(self):
        changed, i = False, 0
        while i < len(self.text.splitlines()) and not self.late():
            lines = self.text.splitlines()
            if not lines[i].startswith("//"):
                for candidate in self.replacements(lines[i]):
                    if self.accept("\n".join(lines[:i] + [candidate] + lines[i + 1:]) + "\n"):
                        changed = True
                        break
                else:
                    i += 1
                continue
            i += 1
        return changed

    # ---- Runs ----

    def shorten_input(self):
        changed = False
        for i, line in enumerate(self.text.splitlines()):
            m = re.match(r"(// (?:FILE \S+ \w+|IN \w+): )(.*)$", line)
            if m:
                words = m.group(2).split()
                n = len(words) // 2
                while n >= 1 and not self.late():
                    lines = self.text.splitlines()
                    words = lines[i][len(m.group(1)):].split()
                    if len(words) > n and self.accept("\n".join(lines[:i] + [m.group(1) + " ".join(words[:-n])] + lines[i + 1:]) + "\n"):
                        changed = True
                    else:
                        n //= 2
            m = re.match(r"(.*-i )(\d+)(.*)$", line) if line.startswith("// RUN") else None
            if m:
                for n in (0, 1, 2, 3, int(m.group(2)) // 2):
                    lines = self.text.splitlines()
                    if n < int(m.group(2)) and self.accept("\n".join(lines[:i] + [f"{m.group(1)}{n}{m.group(3)}"] + lines[i + 1:]) + "\n"):
                        changed = True
                        break
        return changed

    def reduce(self):
        steps = [self.drop_runs, self.unwrap, self.drop_blocks, self.drop_pairs, self.shorten_input]
        while any([step() for step in steps]) or (self.expressions and self.simplify()):
            if self.late():
                break
        return self.text


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--svmc", required=True)
    parser.add_argument("-o", default="-")
    parser.add_argument("--seconds", type=int, default=300)
    parser.add_argument("--machine", default="")
    parser.add_argument("--lines", action="store_true")
    parser.add_argument("program")
    args = parser.parse_args()
    with open(args.program, encoding="utf-8") as f:
        lines = f.readlines()
    text = "".join(line for line in lines if not line.startswith("//!"))
    first = re.match(r"//! [\w ]+: ((?:whole )?svmc [^:]*)", lines[0])
    r = Reducer(Tools(args.svmc), text, args.seconds, first and first.group(1), [m for m in args.machine.split(",") if m], not args.lines)
    small = r.reduce()
    small = "".join(f"//! {line}\n" for line in str(r.failure).splitlines()[:8]) + \
        f"//! differential.py --svmc={args.svmc} {args.o if args.o != '-' else args.program}\n" + small
    print(f"{len(text.splitlines())} lines became {len(small.splitlines())} after {r.tried} tries", file=sys.stderr)
    if args.o == "-":
        print(small, end="")
    else:
        with open(args.o, "w", encoding="utf-8") as f:
            f.write(small)


if __name__ == "__main__":
    main()
