# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Faults in programs that svm-hlc emits for machines with several processors, and what svm-check says of each.

Usage: mapped-faults.py SVM_CHECK WORK LIST PROGRAM...
       mapped-faults.py --whole HEADER PROGRAM OUT     puts what the program has of svm/mapped_control.h in its place

One fault at a time: a line of the program loses a dependence or a wait, a window lies elsewhere or has another size, two
sets of windows are exchanged, windows that take turns lie in one place; rounds that are repeated come too often, or go on
by another step. svm-check must tell of each of them, in a line of
the program, but for those of LIST, whose programs mean the same as before: "PROGRAM: OPERATOR: text of the line [which of
those with this text]". A fault of LIST that is found, or that a PROGRAM has not, is an error too, so that the list stays true.
"""
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor


def operators(line, table):
    """Pairs of a name and what it makes of a line; table: whose row it is."""
    if "svm_kernelAddDependence(" in line:
        yield "no dependence", re.sub(r"svm_kernelAddDependence\(.*\);", ";", line)
    if "svm_kernelWait(" in line:
        yield "no wait", re.sub(r"svm_kernelWait\(.*?\);", ";", line)
    if "svm_sequenceWait(" in line:
        yield "no wait for repeats", re.sub(r"svm_sequenceWait\(.*?\);", ";", line)
    if "svm_sequenceRun(" in line:
        yield "too often", line.replace("periods, ", "periods + 8, ")
    if "steps[i] = " in line:
        yield "large step", line.replace(";", " * 2;")
        yield "small step", line.replace(";", " / 2;")
    if "svm_sequenceAdd(" in line:
        yield "added later", line.replace(", offset)", ", offset + ((ptrdiff_t)1 << 40))")
    if "ownMemory[r->processor] + end->address" in line:
        yield "outside", line.replace("ownMemory[r->processor] + ", "ownMemory[r->processor] + 100000000 + ")
        yield "one place", line.replace("(size_t)r->block *", "0 *")
    if "const size_t count =" in line:
        yield "half", line.replace("items);", "items / 2);")
    if "svm_RoundRun *r = &self->runs[slot][chunk->run" in line:
        yield "other slot", line.replace("runs[slot]", "runs[(slot + 1) % SVM_SLOTS]")
    if table == "svm_roundEnds":
        yield "row outside", re.sub(r"\.address = (\d+)", r".address = \1 + 100000000", line)
        yield "row in one place", re.sub(r"\.bytes = \d+", ".bytes = 0", line)
    if table == "svm_roundQueues":
        yield "slots in one place", re.sub(r"\.slot = \d+", ".slot = 0", line)
        yield "queues in one place", re.sub(r"\.address = \d+", ".address = 0", line)
    if table == "svm_roundChunks":
        yield "chunk before", in_row(line, 7, lambda old: f"({old} + 1) % 16")
    if "svm_alloc(" in line:
        yield "little memory", re.sub(r"svm_alloc\(([^,]*), ", r"svm_alloc(\1, -4096 + ", line)


def in_row(line, column, change):
    """The line with that column of its first row changed."""
    start = re.search(r"(= \{)?\{", line).end()
    values = re.split(r", |\},?", line[start:], maxsplit=8)
    old = values[column]
    at = start + sum(len(value) + 2 for value in values[:column])
    return line[:at] + change(old) + line[at + len(old):]


def tables(lines):
    """For each line the name of the table that it is a row of."""
    table = ""
    for line in lines:
        declared = re.match(r"static const svm_Round\w+ (\w+)\[\w*\] = \{", line)
        table = declared.group(1) if declared else table
        yield table if line.startswith("    ") or line.endswith("};") else ""
        table = "" if line.endswith("};") else table


def faults(path):
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    times = {}
    for number, (line, table) in enumerate(zip(lines, tables(lines))):
        for name, changed in operators(line, table):
            if changed != line:
                entry = f"{os.path.basename(path)}: {name}: {line.strip()}"
                times[entry] = times.get(entry, 0) + 1
                entry += f" [{times[entry]}]"
                yield entry, number + 1, lines[:number] + [changed] + lines[number + 1:]


def check(tool, work, job):
    index, (program, (entry, number, text)) = job
    path = os.path.join(work, f"{index}-{os.path.basename(program)}")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(text))
    run = subprocess.run([tool, path], capture_output=True, text=True, check=False)
    os.remove(path)
    found = [said for said in run.stderr.split("\n") if re.search(r":\d+:\d+: (warning|error): ", said)]
    if run.returncode not in (0, 1) or (run.returncode == 1) != bool(found):
        raise SystemExit(f"svm-check ends with {run.returncode} for {path}: {run.stderr}")
    return entry, program, number, found


def derived_facts(tables, facts):
    """The facts, with what svm/mapped_tables.h derives of them (SVM_MAPPED_AGAIN and the like)."""
    with open(tables, encoding="utf-8") as file:
        text = file.read().replace("\\\n", " ")
    for name, condition in re.findall(r"^#define SVM_MAPPED_(\w+) +(\(.*\))$", text, re.M):
        if holds(condition, facts):
            facts = facts | {name}
    return facts


def holds(condition, facts):
    """Whether a condition holds that is made of SVM_MAPPED_HAVE(FACT), SVM_MAPPED_FACT, &&, || and !."""
    words = {"&&": " and ", "||": " or ", "!": " not ", "(": "(", ")": ")"}
    said = ""
    for token in re.findall(r"SVM_MAPPED_HAVE\(\w+\)|\w+|&&|\|\||\S", re.sub(r"^#if ", "", condition)):
        fact = re.fullmatch(r"SVM_MAPPED_HAVE\((\w+)\)|SVM_MAPPED_(\w+)", token)
        said += str((fact.group(1) or fact.group(2)) in facts) if fact else words[token]
    return eval(said)  # of True, False and words alone


def kept_lines(header, facts):
    """What a header has for a program of these facts, and the headers that it includes."""
    kept, conditions = [], []
    with open(header, encoding="utf-8") as file:
        lines = file.read().split("\n")
    for line in lines:
        if re.match(r"#if", line):
            conditions.append(not re.match(r"#ifndef", line) and holds(line, facts))
        elif line.startswith("#else"):
            conditions[-1] = not conditions[-1]
        elif line.startswith("#endif"):
            conditions.pop()
        elif all(conditions) and (included := re.fullmatch(r"#include <svm/(mapped_\w+\.h)>", line)):
            kept += kept_lines(os.path.join(os.path.dirname(header), included.group(1)), facts)
        elif all(conditions):
            kept.append(line)
    return kept


def whole(header, path, out):
    """The program with the header's text, but for what it has not."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    facts = set(re.findall(r"SVM_MAPPED_(\w+)", re.search(r"#define SVM_MAPPED \(([^)]*)\)", text).group(1)))
    facts = derived_facts(os.path.join(os.path.dirname(header), "mapped_tables.h"), facts)
    kept = kept_lines(header, facts)
    with open(out, "w", encoding="utf-8") as file:
        file.write(text.replace("#include <svm/mapped_control.h>", "\n".join(kept)))


def main():
    if sys.argv[1] == "--whole":
        return whole(*sys.argv[2:])
    tool, work, listed, *programs = sys.argv[1:]
    os.makedirs(work, exist_ok=True)
    with open(listed, encoding="utf-8") as file:
        same = {line.strip() for line in file if line.startswith(tuple(os.path.basename(p) + ":" for p in programs))}
    jobs = list(enumerate((p, f) for p in programs for f in faults(p)))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda job: check(tool, work, job), jobs))
    wrong, found_count, met = 0, 0, set()
    for entry, program, number, found in results:
        expected = entry not in same
        met.add(entry)
        found_count += bool(found)
        if bool(found) != expected:
            wrong += 1
            what = "not found" if expected else f"found, and listed as none ({found[0]})"
            print(f"{os.path.basename(program)}:{number}: {what}: {entry}")
    for entry in sorted(same - met):
        wrong += 1
        print(f"no such fault: {entry}")
    print(f"{len(results)} faults in {len(programs)} programs, {found_count} found, {wrong} wrong")
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
