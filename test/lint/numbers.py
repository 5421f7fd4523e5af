#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks numbers in documents against the commands that print them.

    numbers.py FOLDER FILE...      FOLDER: where commands run; tools are found on PATH

A comment in a document speaks of the block that follows it, up to a blank line:

    <!-- by svmc --help
    200,000,000 in "--elaboration-steps"
    -->

Each line has numbers as the block has them, and what stands in the same line of the command's output, which has each of these numbers
too when it is rounded to as many digits; two lines of output that follow each other count as one, since tools wrap lines. Without such
lines the block itself must be in the output, whatever its blanks and the ends of its lines; "..." is for anything.
"""
import os
import re
import subprocess
import sys

COMMENT = re.compile(r"<!-- by (.*?)-->\n\n?(.*?)(?:\n\n(?! {4})|\Z)", re.S)
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:,\d{3})*(?:\.\d+)?(?:e[+-]?\d+)?(?![\d.]*\d)")
ROW = re.compile(r'(.*) in "(.*)"$')


def value(text):
    return float(text.replace(",", ""))


def agrees(said, printed):
    """printed, rounded as said was."""
    digits = len(said.partition(".")[2]) if "e" not in said else 0
    return abs(value(printed) - value(said)) <= 0.5 * 10 ** -digits * (1 + 1e-9) if "e" not in said else value(printed) == value(said)


def run(command, folder, outputs):
    if command not in outputs:
        p = subprocess.run(["sh", "-c", command], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        outputs[command] = (p.returncode, p.stdout.decode(errors="replace"))
    return outputs[command]


def row_errors(row, block, output):
    m = ROW.fullmatch(row)
    if not m:
        yield f"'{row}' is not: numbers in \"text\""
        return
    lines = output.splitlines()
    found = [i for i, line in enumerate(lines) if m.group(2) in line]
    if not found:
        yield f"nothing that is printed has '{m.group(2)}'"
        return
    printed = [n for i in found for n in NUMBER.findall(" ".join(lines[i:i + 2]).replace(m.group(2), " "))]
    here = NUMBER.findall(block)
    for said in NUMBER.findall(m.group(1)):
        if said not in here:
            yield f"the block has no {said}"
        elif not any(agrees(said, n) for n in printed):
            yield f"{said} is said of '{m.group(2)}', and printed is: {lines[found[0]].strip()}"


def block_errors(block, output):
    output, at = " ".join(output.split()), 0
    for part in block.split("..."):
        part = " ".join(part.split())
        if part not in output[at:]:
            yield f"not printed: {part}\n  but: {output[:2000]}"
            return
        at = output.index(part, at) + len(part)


def main():
    folder, checked, failed, outputs = sys.argv[1], 0, 0, {}
    for path in sys.argv[2:]:
        with open(path, encoding="utf-8") as f:
            text = f.read()
        for m in COMMENT.finditer(text):
            place = f"{os.path.basename(path)}:{text.count(chr(10), 0, m.start()) + 1}"
            command, *rows = [line.strip() for line in m.group(1).strip().splitlines()]
            status, output = run(command, folder, outputs)
            errors = [e for row in rows for e in row_errors(row, m.group(2), output)] if rows else list(block_errors(m.group(2), output))
            if status != 0:
                errors.insert(0, f"exit code {status}: {command}\n{output[-2000:]}")
            checked += max(1, len(rows))
            failed += bool(errors)
            for e in errors:
                print(f"{place}: error: {e}")
    print(f"{checked} places checked, {failed} comments with errors")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
