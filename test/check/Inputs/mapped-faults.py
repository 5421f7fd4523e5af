# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Faults in programs that svm-hlc emits for machines with several processors, and what svm-check says of each.

Usage: mapped-faults.py SVM_CHECK WORK LIST PROGRAM...

One fault at a time: a line of the program loses a dependence or a wait, a window lies elsewhere or has another size, two
sets of windows are exchanged, windows that take turns lie in one place. svm-check must tell of each of them, in a line of
the program, but for those of LIST, whose programs mean the same as before: "PROGRAM: OPERATOR: text of the line [which of
those with this text]". A fault of LIST that is found, or that there is not, is an error too, so that the list stays true.
"""
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor


def operators(line, fields):
    """Pairs of a name and what it makes of a line; fields: of the table that it is a row of."""
    if "svm_kernelAddDependence(" in line:
        yield "no dependence", re.sub(r"svm_kernelAddDependence\(.*\);", ";", line)
    if "svm_kernelWait(" in line:
        yield "no wait", re.sub(r"svm_kernelWait\(.*?\);", ";", line)
    if "ownMemory[q] + end->address" in line:
        yield "outside", line.replace("ownMemory[q] + ", "ownMemory[q] + 100000000 + ")
        yield "one place", line.replace("(size_t)block *", "0 *")
    if "const size_t count =" in line:
        yield "half", line.replace("items;", "items / 2;")
    if "const size_t there =" in line and "+ first)" in line:
        yield "later", line.replace("+ first)", "+ first + 64)")
    if "_Run *r = &self->runs[slot][chunk->run" in line:
        yield "other slot", re.sub(r"(\w+)_Run \*r = &self->runs\[slot\]", r"\1_Run *r = &self->runs[(slot + 1) % \1_SLOTS]", line)
    if "bytes" in fields: # of ends of queues
        yield "row outside", in_row(line, fields, "address", lambda old: f"{old} + 100000000")
        yield "row in one place", in_row(line, fields, "bytes", lambda old: "0")
    if "slot" in fields: # of queues
        yield "slots in one place", in_row(line, fields, "slot", lambda old: "0")
        yield "queues in one place", in_row(line, fields, "address", lambda old: "0")
    if "before" in fields and "runs" in fields: # of chunks
        yield "chunk before", in_row(line, fields, "before", lambda old: f"({old} + 1) % 16")
    if "svm_alloc(" in line:
        yield "little memory", re.sub(r"svm_alloc\(([^,]*), ", r"svm_alloc(\1, -4096 + ", line)


def in_row(line, fields, name, change):
    """The line with that field of its first row changed."""
    start = line.index("{") + 1
    values = line[start:].split(", ")
    values[fields.index(name)] = change(values[fields.index(name)])
    return line[:start] + ", ".join(values)


def tables(lines):
    """For each line the names of the fields of the table that it is a row of."""
    fields, inside = [], False
    for line in lines:
        if re.match(r"static const struct (\w+ )?\{", line):
            fields, inside = [], False
        elif re.match(r"\} \w+\[\w*\] = \{", line):
            inside = True
        elif line.startswith("};"):
            fields, inside = [], False
        elif not inside and line.endswith(";") or "; /*" in line:
            declared = re.sub(r";.*", "", line).strip().split(" ", 1)[-1]
            fields += [name.split()[-1] for name in declared.split(", ")]
        yield fields if inside and line.startswith("    {") else []


def faults(path):
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    times = {}
    for number, (line, fields) in enumerate(zip(lines, tables(lines))):
        for name, changed in operators(line, fields):
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


def main():
    tool, work, listed, *programs = sys.argv[1:]
    os.makedirs(work, exist_ok=True)
    with open(listed, encoding="utf-8") as file:
        same = {line.strip() for line in file if line.strip() and not line.startswith("#")}
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
