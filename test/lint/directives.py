#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds directives of tests that look right and do nothing: FileCheck's, lit's RUN and those of run-all.py.

    directives.py TESTFOLDER
"""
import os
import re
import sys

SUFFIXES = (".test", ".str", ".sir", ".plan", ".c", ".yaml", ".ll")
MODIFIERS = {"NEXT", "SAME", "NOT", "DAG", "LABEL", "EMPTY"}
LIT_WORDS = ["RUN", "REQUIRES", "UNSUPPORTED", "XFAIL"]
RUN_ALL_WORDS = ["OUT", "OUT-ESCAPED", "OUT-UNENDED", "OUT-PREFIX", "ITEMS", "NO-OUTPUT", "IN", "FILE", "MAKES", "FAILS"]


def distance(a, b):
    """Edit distance, exchanged neighbours counting as one; 9 if it is large anyway."""
    if abs(len(a) - len(b)) > 2:
        return 9
    before, row = None, list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        older, before, row = before, row, [i]
        for j, y in enumerate(b, 1):
            best = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (x != y))
            if older and j > 1 and x == b[j - 2] and a[i - 2] == y:
                best = min(best, older[j - 2] + 1)
            row.append(best)
    return row[-1]


def prefixes_of(text):
    """The prefixes of the FileCheck commands that read this file."""
    found = set()
    for command in re.findall(r"RUN:(.*)", text.replace("\\\n", " ")):
        for call in re.findall(r"FileCheck\b([^|;&]*)", command):
            if "%s" not in call:
                continue
            given = re.findall(r"--?check-prefix(?:es)?[= ](\S+)", call)
            found.update(n for g in given for n in g.split(",")) if given else found.add("CHECK")
    return found


def keys_of(text):
    return [""] + [k + "-" for k in re.findall(r"%run-all[^\n]*--keys=(\S+)", text)]


def near_directive(word, colon, commented, prefix):
    """What is wrong with a word that may have been meant as a directive of this prefix; None if nothing."""
    if not colon and not commented:
        return None
    base, _, modifier = word.partition("-") if not word.startswith(prefix + "-") else (prefix, "-", word[len(prefix) + 1:])
    if word == prefix or word.startswith(prefix + "-"):
        known = not modifier or modifier in MODIFIERS or re.fullmatch(r"COUNT-\d+", modifier)
        if not known:
            return f"'{word}' has no modifier '-{modifier}'"
        return None if colon == ":" else f"'{word}' without a colon directly behind it"
    if word.startswith(prefix + "_"):
        return f"'{word}' with '_' in place of '-'"
    if (colon and word.upper() == prefix) or (len(base) > 3 and base.upper() == base and distance(base, prefix) == 1):
        return f"'{word}' looks like '{prefix}'"
    return None


def near_word(word, colon, words, keys):
    """The same for the words of lit and run-all.py, which stand at the start of a comment."""
    for key in keys:
        for known in words:
            if word == key + known:
                return None if colon in (":", "") else f"'{word}' with a blank before its colon"
    near = [key + known for key in keys for known in words if distance(word, key + known) == 1 or word.upper() == key + known]
    if near and len(word) > 2 and (word.isupper() or colon):
        return f"'{word}' looks like '{near[0]}'"
    return None


# A word at the start of a line, perhaps behind a comment sign, and what follows it.
START = re.compile(r"^\s*(//|#|;|/\*)?\s*([A-Za-z][A-Za-z0-9_-]*)( ?:|(?![\w(]))")


def complaints_of(path):
    with open(path, encoding="latin-1") as f:
        text = f.read()
    prefixes, keys = sorted(prefixes_of(text), key=len, reverse=True), keys_of(text)
    is_run_all = "%run-all" in text
    for number, line in enumerate(text.splitlines(), 1):
        m = START.match(line)
        if not m:
            continue
        commented, word, colon = m.groups()
        # A prefix that is a longer one of the list with a modifier was that one.
        own = next((p for p in prefixes if word == p or word.startswith(p + "-")), None)
        problems = [near_directive(word, colon, commented, p) for p in ([own] if own else prefixes)]
        if (colon or word.isupper()) and not own and not any(problems):
            if colon:
                problems.append(near_word(word, colon, LIT_WORDS, [""]))
            if is_run_all and commented and (word.isupper() or colon):
                problems.append(near_word(word, colon, RUN_ALL_WORDS, keys))
        for p in problems:
            if p:
                yield number, p
    for p in prefixes:
        if not re.search(rf"\b{re.escape(p)}(-NEXT|-SAME|-NOT|-DAG|-LABEL|-EMPTY|-COUNT-\d+)?:", text):
            yield 1, f"FileCheck looks for '{p}:', and there is none"


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    files = total = 0
    for folder, folders, names in os.walk(sys.argv[1]):
        folders[:] = sorted(d for d in folders if d != "Inputs" and not d.startswith("."))
        for name in sorted(names):
            if not name.endswith(SUFFIXES):
                continue
            files += 1
            path = os.path.join(folder, name)
            for number, text in complaints_of(path):
                total += 1
                print(f"{path}:{number}: error: {text}")
    print(f"{files} files, {total} complaints")
    sys.exit(total > 0)


main()
