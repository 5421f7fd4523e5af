# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each number of a shipped machine file says where it comes from: in a comment on its line or just below it, in one on the line of
'operations' or of an element that says "as ANOTHER", or on a line of the same file with the same key and value. Usage: check-sources.py FOLDER"""
import pathlib
import re
import sys

LINE = re.compile(r"^( *)([\w.-]+):\s*(.*?)\s*(?:#\s*(.*))?$")
NO_NUMBERS = {"machine", "summary", "source", "elements", "senders", "receivers", "memories", "masters", "caches", "of", "transfers",
              "code-memory", "coherent-with", "kind", "state", "scatter", "control", "io"}


def check(path):
    lines, sourced, open_mappings = [], set(), []
    text = path.read_text().splitlines()
    for number, line in enumerate(text):
        if line.lstrip().startswith("#") or not line.strip():
            continue
        m = LINE.match(line.split(" # ")[0].rstrip() + ("  # " + line.split(" # ", 1)[1] if " # " in line else ""))
        if not m:
            continue
        indent, key, value, comment = len(m[1]), m[2], m[3], m[4]
        below = number + 1 < len(text) and re.match(r"^ {30,}#", text[number + 1])
        open_mappings = [(i, c) for i, c in open_mappings if i < indent]
        told = bool(comment) or bool(below) or any(c for _, c in open_mappings)
        if value == "":
            open_mappings.append((indent, bool(comment) and (key == "operations" or comment.startswith("as "))))
            continue
        if told:
            sourced.add((key, value))
        if key not in NO_NUMBERS and re.search(r"\d", value):
            lines.append((number + 1, key, value, told))
    return len(lines), [(n, k, v) for n, k, v, told in lines if not told and (k, v) not in sourced]


def main():
    count, faults = 0, 0
    for path in sorted(pathlib.Path(sys.argv[1]).glob("*.yaml")):
        numbers, without = check(path)
        count += numbers
        for number, key, value in without:
            print(f"{path}:{number}: '{key}: {value}' does not say where it comes from")
            faults += 1
    print(f"{count} numbers, {faults} without a source")
    return faults != 0 or count < 300


sys.exit(main())
