#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes what README.md shows of the FM receiver on three machines.

    make.py [--svmc=build/bin/svmc]          its pictures: reports, taken apart, and its pieces of SVM C
    make.py [--svmc=build/bin/svmc] --text   README.md with its pieces of SVM C as they now are, to standard output

A piece stands below a comment "<!-- MACHINE NAME -->": the function or table called FMReceiver_NAME or NAME, of the program or of
svm/mapped_control.h with svm/mapped_runs.h.
"""
import argparse
import os
import re
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PROGRAM = os.path.join(ROOT, "examples/fm-receiver/fm.str")
PAGE = os.path.join(HERE, "README.md")
HEADER = ""
for header in ("mapped_runs.h", "mapped_control.h"):
    with open(os.path.join(ROOT, "runtime/include/svm", header), encoding="utf-8") as f:
        HEADER += f.read()
MACHINES = [("host-4", []), ("imagine", []), ("cell-qs20", ["--processors=4"])]
PICTURES = {"Timeline": "timeline", "Mapping": "mapping", "Memories": "memory"}


def draw(svmc):
    with tempfile.TemporaryDirectory() as folder:
        for machine, more in MACHINES:
            page = os.path.join(folder, "page.html")
            subprocess.run([svmc, f"--machine={machine}", *more, f"--report={page}", PROGRAM], check=True)
            with open(page, encoding="utf-8") as f:
                text = f.read()
            print(machine, *re.findall(r"<p class=\"verdict\">(.*?)</p>", text), sep=": ")
            for section in text.split("<h2>")[1:]:
                name = PICTURES.get(section[: section.index("</h2>")])
                svg = re.search(r"<svg.*?</svg>\n", section, re.DOTALL)
                if name and svg:
                    with open(os.path.join(HERE, f"{machine}-{name}.svg"), "w", encoding="utf-8") as f:
                        f.write(svg.group(0))


def emitted(svmc, machine, more):
    command = [svmc, "-w", "-O2", f"--machine={machine}", *more, "--emit=svm-c", PROGRAM]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def header_for(text):
    """These headers without what the program has not."""
    have = re.findall(r"SVM_MAPPED_(\w+)", re.search(r"#define SVM_MAPPED \(([^)]*)\)", text).group(1))
    again = "HAVE(MOVED)" if "DIRECT" not in have else "HAVE(NOT)"
    kept, conditions = [], []
    for line in HEADER.split("\n"):
        if line.startswith("#if"):
            conditions.append(all(fact in have for fact in re.findall(r"HAVE\((\w+)\)", line.replace("SVM_MAPPED_AGAIN", again))))
        elif line.startswith("#else"):
            conditions[-1] = not conditions[-1]
        elif line.startswith("#endif"):
            conditions.pop()
        elif all(conditions):
            kept.append(line)
    return "\n".join(kept)


def piece(text, name):
    """A function, or the rows of a table."""
    found = re.search(rf"^(?:static|bool|void) [^\n;]*\b(?:FMReceiver_)?{name}\([^{{;]*\n\{{\n.*?^\}}\n|^static const [^\n]* {name}\[(?:[^\n]*\}};\n|[^\n]*\n.*?\}};\n)",
                      text + header_for(text), re.DOTALL | re.MULTILINE)
    if found is None:
        raise SystemExit(f"make.py: no {name}")
    return "".join(f"    {line}\n" for line in found.group(0).rstrip("\n").split("\n"))


def page(svmc):
    texts = {machine: emitted(svmc, machine, more) for machine, more in MACHINES}
    with open(PAGE, encoding="utf-8") as f:
        old = f.read()
    return re.sub(r"(<!-- ([\w-]+) (\w+) -->\n\n)(?:    [^\n]*\n|\n(?=    ))*",
                  lambda at: at.group(1) + piece(texts[at.group(2)], at.group(3)), old)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--svmc", default=os.path.join(ROOT, "build/bin/svmc"))
    parser.add_argument("--text", action="store_true")
    options = parser.parse_args()
    text = page(options.svmc)
    if options.text:
        print(text, end="")
        return
    draw(options.svmc)
    with open(PAGE, "w", encoding="utf-8") as f:
        f.write(text)


main()
