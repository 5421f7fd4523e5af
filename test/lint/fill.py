#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fills the prose of Markdown files to 100 columns.

    fill.py FILE...            writes the files anew
    fill.py --check FILE...    names the lines that are longer

Paragraphs and the items of lists are filled; code, tables, headings and HTML stay as they are. Code spans and words are never broken, so a
line that is one of these may be longer. A paragraph that is nowhere too long stays as it is.
"""
import re
import sys

WIDTH = 100
ITEM = re.compile(r"^(\s*)([-*]|\d+\.)\s+")
STAYS = ("|", "#", "<", ">", "[")       # lines that begin with these, behind an empty line
OTHER = re.compile(r"^([-+*>#|]|\d+[.)]$|=+$|-+$)")  # at the beginning of a line these would be something else than a word


def words(text):
    """What lines are made of: words, and code spans with what touches them."""
    return re.findall(r"(?:`+[^`]*`+|[^\s`])+|`", text)


def fill(text, first, rest):
    lines, line, empty = [], first, True
    for word in words(text):
        if not empty and len(line) + 1 + len(word) > WIDTH and not OTHER.match(word):
            lines.append(line)
            line, empty = rest, True
        line += word if empty else " " + word
        empty = False
    return lines + [line]


def filled(paragraph):
    if all(len(line) <= WIDTH for line in paragraph):
        return paragraph
    item = ITEM.match(paragraph[0])
    first = item.group(0) if item else re.match(r"\s*", paragraph[0]).group(0)
    text = " ".join([paragraph[0][len(first) :], *paragraph[1:]])
    return fill(text, first, " " * len(first) if item else first)


def rewrite(lines):
    out, paragraph, code, comment, blank = [], [], False, False, True
    for line in [*lines, None]:
        fence = line is not None and line.lstrip().startswith("```")
        indented = line is not None and line.startswith("    ") and blank
        ends = line is None or not line.strip() or fence or ITEM.match(line) or line.startswith(("|", "#"))
        comment = line is not None and (comment or line.startswith("<!--"))
        if ends or code or comment:
            out += filled(paragraph) if paragraph else []
            paragraph = []
        if line is None:
            return out
        code ^= fence
        stays = code or comment or fence or not line.strip() or line.startswith(("|", "#")) or not paragraph and (indented or line.startswith(STAYS))
        (out if stays else paragraph).append(line)
        comment &= "-->" not in line
        blank = not line.strip() or blank and stays


def main():
    check = sys.argv[1:2] == ["--check"]
    bad = 0
    for path in sys.argv[1 + check :]:
        with open(path, encoding="utf-8") as f:
            old = f.read().split("\n")
        new = rewrite(old)
        if check:
            for i, line in enumerate(old):
                if i >= len(new) or new[i] != line:
                    print(f"{path}:{i + 1}: is to be filled to {WIDTH} columns: test/lint/fill.py {path}")
                    bad += 1
                    break
        elif new != old:
            with open(path, "w", encoding="utf-8") as f:
                f.write("\n".join(new))
    return bad > 0


sys.exit(main())
