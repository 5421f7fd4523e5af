#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the rules of the languages in a test folder, rules.txt and rules-brook.txt: every rule has an id, a section and
tests that check something.

    rules.py TESTFOLDER

A line is: id | section | rule | test test ...    (tests relative to the folder; '#' begins a comment line)
"""
import os
import re
import sys

# The sections of the language's reference that must be covered, in order.
SECTIONS = """1 2 3 3.1 3.2 3.3 3.4 3.5 3.6 4 5.1 5.2 5.3 5.4 5.5 5.6 5.7 5.8 5.9 6 7.1 7.2 7.3 7.4 7.5 7.6 7.7 7.8 7.9 8
9.1 9.2 9.3 9.4 10 14""".split()
BROOK_SECTIONS = [str(n) for n in range(1, 20)]

# Each table: its sections, and the folder whose programs are all there for its rules.
TABLES = {"rules.txt": (SECTIONS, "run", ".str"), "rules-brook.txt": (BROOK_SECTIONS, "lang/brook", ".br")}

# What makes a RUN line a check. These commands compare by themselves or fail by their exit code:
COMMANDS = re.compile(r"(^|[;|&(] *)(not|diff|cmp|count|%run-all|%levels|%emitted|streamit-check|brook-check)\b")
DIRECTIVE = r"^.*?\b{prefix}(-NEXT|-SAME|-NOT|-DAG|-LABEL|-EMPTY|-COUNT-\d+)?:"


def run_lines(text):
    """The RUN lines, continued ones joined."""
    lines, open_line = [], None
    for line in text.splitlines():
        m = re.search(r"\bRUN:\s*(.*)$", line)
        if m:
            part = m.group(1)
            whole = part if open_line is None else open_line + part
            if whole.endswith("\\"):
                open_line = whole[:-1]
            else:
                lines.append(whole)
                open_line = None
    return lines


def checks(line, text):
    for name, meaning in re.findall(r"\bDEFINE:\s*(%\{[^}]*\})\s*=\s*(.*)$", text, re.M):
        line = line.replace(name, meaning)
    if COMMANDS.search(line):
        return True
    if "FileCheck" not in line:
        return False
    prefixes = re.findall(r"--?check-prefix(?:es)?[= ](\S+)", line)
    names = [n for p in prefixes for n in p.split(",")] or ["CHECK"]
    return any(re.search(DIRECTIVE.format(prefix=re.escape(n)), text, re.M) for n in names)


class Lint:
    def __init__(self, folder, table):
        self.folder = folder
        self.path = os.path.join(folder, table)
        self.sections, self.programs, self.suffix = TABLES[table]
        self.complaints = []

    def complain(self, number, text):
        self.complaints.append(f"{self.path}:{number}: error: {text}")

    def check_test(self, number, name):
        path = os.path.join(self.folder, name)
        if not os.path.isfile(path):
            return self.complain(number, f"there is no test '{name}'")
        with open(path, encoding="latin-1") as f:
            text = f.read()
        lines = run_lines(text)
        if not lines:
            self.complain(number, f"test '{name}' has no RUN line")
        elif not any(checks(line, text) for line in lines):
            self.complain(number, f"test '{name}' runs something but checks nothing")
        return None

    @staticmethod
    def fields(line):
        """The four fields; the rule, the third, may have bars."""
        first = line.split(" | ", 2)
        return [field.strip() for field in first[:2] + (first[2].rsplit(" | ", 1) if len(first) == 3 else [])]

    def run(self):
        ids, last, covered, named = {}, -1, set(), set()
        with open(self.path, encoding="utf-8") as f:
            for number, line in enumerate(f, 1):
                if not line.strip() or line.startswith("#"):
                    continue
                fields = self.fields(line)
                if len(fields) != 4 or not all(fields):
                    self.complain(number, "expected 'id | section | rule | tests'")
                    continue
                rule, section, _, tests = fields
                if not re.fullmatch(r"[a-z0-9]+([.-][a-z0-9]+)*", rule):
                    self.complain(number, f"'{rule}' is no id: small letters, digits, '.' and '-'")
                if rule in ids:
                    self.complain(number, f"rule '{rule}' is there twice; the first is in line {ids[rule]}")
                ids[rule] = number
                if section not in self.sections:
                    self.complain(number, f"'{section}' is none of the sections to cover")
                else:
                    at = self.sections.index(section)
                    if at < last:
                        self.complain(number, f"section {section} comes after section {self.sections[last]}")
                    last = max(last, at)
                    covered.add(section)
                for name in tests.split():
                    self.check_test(number, name)
                    named.add(name)
        for section in self.sections:
            if section not in covered:
                self.complain(0, f"section {section} has no rule")
        self.check_folder(self.programs, named)
        for c in self.complaints:
            print(c)
        print(f"{len(ids)} rules, {len(named)} tests, {len(self.complaints)} complaints")
        return not self.complaints

    def check_folder(self, folder, named):
        """The programs of this folder are there for the rules: each belongs to one."""
        for path, _, files in os.walk(os.path.join(self.folder, folder)):
            for name in sorted(files):
                test = os.path.relpath(os.path.join(path, name), self.folder)
                if name.endswith(self.suffix) and "Inputs" not in test.split(os.sep) and test not in named:
                    self.complain(0, f"test '{test}' belongs to no rule")


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    tables = [t for t in TABLES if os.path.isfile(os.path.join(sys.argv[1], t))]
    sys.exit(0 if all([Lint(sys.argv[1], t).run() for t in tables]) else 1)


main()
