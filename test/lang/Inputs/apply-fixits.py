#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Does what the fix-its of a compiler's errors say, until there are none.

    apply-fixits.py FILE COMMAND...

COMMAND checks FILE and writes its diagnostics to standard error as JSON objects, one a line. Ends with status 1 if errors
are left that have no fix-it.
"""
import json
import subprocess
import sys

MOST_ROUNDS = 20


def fixits_of(command, path):
    """Of the errors, and how many errors there are."""
    run = subprocess.run([*command, path], capture_output=True, text=True)
    records = [json.loads(line) for line in run.stderr.splitlines()]
    errors = [r for r in records if r["severity"] == "error"]
    fixes = [f for r in errors for f in r["fixits"]]
    for r in errors:
        if not r["fixits"]:
            print(f"{r['file']}:{r['line']}:{r['column']}: {r['message']}")
    return [f for f in fixes if f["file"] == path], len(errors)


def apply(path, fixes):
    with open(path, encoding="latin-1", newline="\n") as f:
        lines = f.read().split("\n")
    for f in sorted(fixes, key=lambda f: (f["line"], f["column"]), reverse=True):
        if f["end_line"] != f["line"]:
            sys.exit(f"a fix-it of several lines: {f}")
        text = lines[f["line"] - 1]
        lines[f["line"] - 1] = text[:f["column"] - 1] + f["text"] + text[f["end_column"] - 1:]
    with open(path, "w", encoding="latin-1", newline="\n") as f:
        f.write("\n".join(lines))


def main():
    path, command = sys.argv[1], sys.argv[2:]
    for _ in range(MOST_ROUNDS):
        fixes, errors = fixits_of(command, path)
        if errors == 0:
            return
        if not fixes:
            sys.exit(1)
        apply(path, fixes)
    sys.exit("fix-its without an end")


main()
