#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a program in the interpreter and compiled at several levels, and compares each run with what its source says.

    run-all.py --svmc=PATH [--levels=LIST] [--keys=NAME] PROGRAM.str [OPTION...]

OPTIONs (-i N, --loop-input) go to the interpreter and to the compiled program. Levels are "interpret", options of svmc behind it
or not, and options such as "-O2 --strip=7", separated by commas. The expectation stands in comments of the source, written by hand from the
language's rules; never copy it from a tool's output:

    // OUT: text              a line of standard output, exactly (all lines of the program, in order; "// OUT:" is an empty line)
    // OUT-ESCAPED: text      the same, with \\t, \\x08 and so on in the text
    // OUT-UNENDED: text      the same, without a newline at its end (the last line)
    // OUT-PREFIX: text       the same, where more lines may follow (the last line)
    // ITEMS float: 1 2.5     all items on standard output, of a program that is not void->void
    // NO-OUTPUT              standard output is empty
    // IN int: 1 2 3          the items that go to such a program
    // FILE name int: 1 2 3   a file that is there before; FILE name text: ... with \\n; FILE name hex: 9f 80
    // MAKES name int: 1 2    a file that the program must leave
    // PRINTS Actor: text     a line that this actor prints: all of its lines in order, whatever others print between (--tag-prints)
    // FAILS: text            exit code 1, and standard error has this text (several: all of them)

Items: int, float, double as numbers (also nan, inf, -inf), complex as two, bit as 0 and 1 (packed), hex as bytes. With --keys=B the words are
B-OUT, B-IN and so on, so that a file can hold the expectations of several RUN lines.
"""
import argparse
import os
import re
import shlex
import struct
import subprocess
import sys
import tempfile

KEYS = "PRINTS|OUT-ESCAPED|OUT-UNENDED|OUT-PREFIX|OUT|ITEMS|NO-OUTPUT|IN|FILE|MAKES|FAILS"
LEVELS = "interpret,-O0,-O2,-O2 --strip=7 --c-level=0"
SECONDS = 60
FORMATS = {"int": "<i", "float": "<f", "double": "<d", "complex": "<f"}


def pack(kind, text, where):
    words = text.split()
    if kind == "hex":
        return bytes(int(w, 16) for w in words)
    if kind == "text":
        return text.encode().decode("unicode_escape").encode("latin-1")
    if kind == "bit":
        bits = "".join(words)
        bits += "0" * (-len(bits) % 8)
        return bytes(int(bits[i:i + 8], 2) for i in range(0, len(bits), 8))
    if kind not in FORMATS:
        sys.exit(f"{where}: unknown kind of items '{kind}'")
    number = int if kind == "int" else float
    return b"".join(struct.pack(FORMATS[kind], number(w)) for w in words)


def same_items(kind, got, wanted):
    """Bit for bit, but for the sign and payload of a nan."""
    if kind not in ("float", "double", "complex") or len(got) != len(wanted):
        return got == wanted
    size = struct.calcsize(FORMATS[kind])
    chunks = [(got[i:i + size], wanted[i:i + size]) for i in range(0, len(got), size)]
    return all(g == w or all(v != v for v in struct.unpack(FORMATS[kind], g) + struct.unpack(FORMATS[kind], w)) for g, w in chunks)


def show_items(kind, data):
    if kind not in FORMATS:
        return data.hex(" ")
    size = struct.calcsize(FORMATS[kind])
    values = [struct.unpack(FORMATS[kind], data[i:i + size])[0] for i in range(0, len(data) // size * size, size)]
    return " ".join(f"{v:.9g}" if kind != "int" else str(v) for v in values) + (" and a rest" if len(data) % size else "")


class Expectation:
    def __init__(self, path, prefix):
        self.lines, self.last, self.items, self.input = None, "OUT", None, None
        self.files, self.makes, self.fails, self.prints = [], [], [], {}
        pattern = re.compile(rf"^// {prefix}({KEYS})(?: (?=\S)([^:]*))?(?::(?: (.*))?)?$")
        with open(path, encoding="latin-1", newline="\n") as f:
            for number, line in enumerate(f, 1):
                m = pattern.match(line.rstrip("\n"))
                if m:
                    self.take(m.group(1), (m.group(2) or "").split(), m.group(3) or "", f"{path}:{number}")
        if self.lines is None and self.items is None and not self.makes and not self.fails and not self.prints:
            sys.exit(f"{path}: expects nothing: no // {prefix}OUT:, {prefix}PRINTS, {prefix}ITEMS, {prefix}MAKES, {prefix}FAILS or {prefix}NO-OUTPUT line")

    def take(self, key, words, text, where):
        if key == "NO-OUTPUT":
            self.lines = []
        elif key.startswith("OUT"):
            if self.last in ("OUT-PREFIX", "OUT-UNENDED"):
                sys.exit(f"{where}: a line after {self.last}, which is for the last one")
            self.lines = (self.lines or []) + [text.encode().decode("unicode_escape") if key == "OUT-ESCAPED" else text]
            self.last = key
        elif key == "FAILS":
            self.fails.append(text)
        elif key == "PRINTS":
            self.prints.setdefault("".join(words), []).append(text)
        elif len(words) != (1 if key in ("ITEMS", "IN") else 2):
            sys.exit(f"{where}: '{key}' needs {'a kind' if key in ('ITEMS', 'IN') else 'a name and a kind'} of items before the colon")
        elif key == "ITEMS":
            self.items = (words[0], (self.items[1] if self.items else b"") + pack(words[0], text, where))
        elif key == "IN":
            self.input = (self.input or b"") + pack(words[0], text, where)
        else:
            (self.files if key == "FILE" else self.makes).append((words[0], words[1], pack(words[1], text, where)))

    def text_matches(self, got):
        wanted = "".join(line + "\n" for line in self.lines)
        if self.last == "OUT-UNENDED":
            wanted = wanted[:-1]
        return got.startswith(wanted) if self.last == "OUT-PREFIX" else got == wanted


def compare(e, folder, run):
    """What is wrong with a run; None if nothing."""
    errors = run.stderr.decode(errors="replace")
    if e.fails:
        missing = [t for t in e.fails if t not in errors]
        if run.returncode != 1 or missing:
            return f"exit code {run.returncode}, expected 1 and on standard error: {', '.join(missing or e.fails)}"
    elif run.returncode != 0:
        return f"exit code {run.returncode}"
    if e.lines is not None and not e.text_matches(run.stdout.decode(errors="replace")):
        return "standard output differs; expected:\n" + "\n".join(e.lines)
    for actor, wanted in e.prints.items():
        lines = [line.partition(": ") for line in run.stdout.decode(errors="replace").splitlines()]
        if [text for name, _, text in lines if name == actor] != wanted:
            return f"'{actor}' prints something else; expected:\n" + "\n".join(wanted)
    if e.items and not same_items(e.items[0], run.stdout, e.items[1]):
        return f"items differ\n  got:      {show_items(e.items[0], run.stdout)}\n  expected: {show_items(*e.items)}"
    for name, kind, wanted in e.makes:
        path = os.path.join(folder, name)
        got = open(path, "rb").read() if os.path.exists(path) else None
        if got is None or not same_items(kind, got, wanted):
            shown = "no such file" if got is None else show_items(kind, got)
            return f"file '{name}' differs\n  got:      {shown}\n  expected: {show_items(kind, wanted)}"
    return None


def execute(command, folder, data=None):
    try:
        return subprocess.run(command, cwd=folder, input=data or b"", capture_output=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        sys.exit(f"{shlex.join(command)}: still running after {SECONDS} s")


def run_level(level, args, options, e, folder):
    """The run of one level, and a description of how to repeat it."""
    source = os.path.abspath(args.program)
    for name, _, content in e.files:
        with open(os.path.join(folder, name), "wb") as f:
            f.write(content)
    if level.split()[0] == "interpret":
        command = [args.svmc, "--interpret", *level.split()[1:], *options, source]
        return execute(command, folder, e.input), shlex.join(command)
    compile_command = [args.svmc, *level.split(), source, "-o", "program"]
    built = execute(compile_command, folder)
    if built.returncode != 0:
        return built, shlex.join(compile_command)
    command = ["./program", *options]
    return execute(command, folder, e.input), f"{shlex.join(compile_command)} && {shlex.join(command)}"


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--svmc", required=True)
    parser.add_argument("--levels", default=LEVELS)
    parser.add_argument("--keys", default="")
    parser.add_argument("program")
    args, options = parser.parse_known_args()
    e = Expectation(args.program, args.keys + "-" if args.keys else "")
    if e.prints:
        options.append("--tag-prints")
    failed = 0
    for level in args.levels.split(","):
        with tempfile.TemporaryDirectory() as folder:
            run, how = run_level(level, args, options, e, folder)
            wrong = compare(e, folder, run)
        if wrong:
            failed += 1
            print(f"FAILED at level '{level}': {wrong}\n--- {how}\n--- standard output:\n{run.stdout.decode(errors='replace')}"
                  f"--- standard error:\n{run.stderr.decode(errors='replace')}")
    sys.exit(failed > 0)


main()
