# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""snippets.py ROOT BIN SCRATCH [PAGE...]: runs the commands that the documents show, page by page and in their order, in a
folder that has what the page shows as files. A page is a person's first try: what fails there fails here.

Commands are lines of indented blocks that begin with one of our tools or a program that a page has made. Files are blocks behind a line
that names them ("`average.str`:"), and FILES for what a page takes from elsewhere. What is not run stands in LEFT_OUT with the reason;
a row there that no page has any more is an error, too.
"""
import os
import re
import shutil
import subprocess
import sys

SECONDS = 300
COMMAND = re.compile(r"^\s{4,}(?:\$ )?((?:svmc|svm-[a-z][a-z+-]*|cc|cmp|gdb|head|printf|\./[a-z][\w.-]*)(?: .*|$))")
# A page's files from elsewhere: of the tree, or bytes.
FM = {"fm.str": "examples/fm-receiver/fm.str"}
FILES = {
    "HACKING.md": FM,
    "docs/adversary.md": {"program.c": "test/llc/host-run.c", "prog.svm.c": "test/llc/host-run.c"},
    "docs/characterize.md": FM,
    "docs/debugging.md": {"average.str": "README.md"},
    "docs/language-brook.md": {"prog.br": "examples/brook/saxpy.br"},
    "docs/library.md": FM,
    "docs/mapping.md": {"net-keeps.str": "test/hlc/plan/Inputs/net-keeps.str"},
    "docs/mapping-search.md": {"graph.yaml": "bench/papers/asm/gnu-radio-optimized.yaml"},
    "docs/profiling.md": {"iq.raw": b"\0\0\x80?\0\0\0?" * 40000, **FM},
    "docs/simulator.md": {"graph.yaml": "bench/papers/asm/producer-consumer.yaml", **FM},
    "docs/stream-ir.md": FM,
    "docs/softproc.md": {"multadd.sp": "test/softproc/Inputs/multadd.sp", "fir.svm.c": "test/softproc/fir.svm.c",
                         "in.raw": b"\0\0\x80?" * (4 * 16384 + 4)},
    "docs/svm-check.md": {"program.c": "test/llc/host-run.c"},
}
LEFT_OUT = [
    ("README.md", "./bootstrap.sh", "builds everything; CI does it"),
    ("README.md", "svm-characterize -o", "measures for a minute; test/characterize"),
    ("CONTRIBUTING.md", "./bootstrap.sh", "builds everything; CI does it"),
    ("docs/tutorial.md", "./bootstrap.sh", "builds everything; CI does it"),
    ("docs/characterize.md", "svm-characterize   ", "measures for a minute; test/characterize"),
    ("docs/characterize.md", "svm-characterize --plot", "measures for a minute; test/characterize"),
    ("docs/characterize.md", "--machine=native", "needs the minute before"),
    ("docs/library.md", "cc main.c", "needs an installation; test/library runs the example"),
    ("docs/library.md", "./main", "of the line before"),
    ("docs/mapping-four.md", "svmc ", "lines of a loop; test/examples/filter-compress.test"),
    ("docs/mapping-search.md", "[", "a form"),
    ("docs/softproc.md", "svm-spsim", "its inputs are large; test/softproc runs the example"),
    ("docs/svm-c-in-simulation.md", "svm-profile", "a file's first line"),
    ("docs/debugging.md", "gdb", "test/driver/debug.test"),
]
# Commands that are told to fail, and why.
FAILS = {}


def blocks_of(lines):
    """(name, text) of the files that a page shows: fenced, or indented, behind a line that names them."""
    for i, line in enumerate(lines):
        m = re.match(r"^(?:\d\. |\s+)?(?:Write )?`([\w.-]+\.(?:str|br|c|yaml|sp|sir))`(?::$|, anywhere)", line)
        if not m:
            continue
        at = i + 1
        while not re.match(r"^```|^\s{4,}(?:machine:|\S)", lines[at]) or not lines[at].strip() or re.match(r"^   \S", lines[at]):
            at += 1
        fenced = lines[at].startswith("```")
        indent = 0 if fenced else len(lines[at]) - len(lines[at].lstrip())
        at += fenced
        text = []
        while at < len(lines) and not lines[at].startswith("```") and (fenced or not lines[at].strip() or lines[at].startswith(" " * indent)):
            text.append(lines[at][indent:])
            at += 1
        yield m[1], "\n".join(text).rstrip() + "\n"


def output_of(lines, number):
    """What an example of the interpreter or of a test prints: the lines behind its command, up to the next one or a blank line."""
    text = []
    while lines[number].startswith("    ") and lines[number].strip() and not COMMAND.match(lines[number]):
        text.append(lines[number][4:].rstrip())
        number += 1
    return "\n".join(text)


def commands_of(lines):
    fenced = False
    for number, line in enumerate(lines, 1):
        fenced ^= line.startswith("```")
        m = COMMAND.match(line)
        if not m or fenced:
            continue
        text, at = m[1], number
        while text.endswith("\\"):
            text = text[:-1] + lines[at].strip()
            at += 1
        yield number, text


def shown(root, page):
    with open(os.path.join(root, page), encoding="utf-8") as f:
        return f.read().split("\n")


def stage(root, page, folder):
    os.makedirs(folder)
    os.symlink(os.path.join(root, "examples"), os.path.join(folder, "examples"))  # as seen from the source tree
    for name, source in FILES.get(page, {}).items():
        to = os.path.join(folder, name)
        if isinstance(source, bytes):
            with open(to, "wb") as f:
                f.write(source)
        elif source == "README.md":
            with open(to, "w", encoding="utf-8") as f:
                f.write(dict(blocks_of(shown(root, source)))[name])
        elif source:
            shutil.copy(os.path.join(root, source), to)
    for name, text in blocks_of(shown(root, page)):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
            f.write(text)


def main():
    root, tools, scratch = map(os.path.abspath, sys.argv[1:4])
    docs = sorted("docs/" + name for name in os.listdir(os.path.join(root, "docs")) if name.endswith(".md"))
    pages = sys.argv[4:] or ["README.md", "CONTRIBUTING.md", "HACKING.md", *docs]
    environment = {**os.environ, "PATH": tools + os.pathsep + os.environ["PATH"], "HOME": scratch}
    environment.pop("XDG_CONFIG_HOME", None)
    run = failed = 0
    used = set()
    for page in pages:
        folder = os.path.join(scratch, page.replace("/", "-"))
        stage(root, page, folder)
        for number, text in commands_of(shown(root, page)):
            why = next((i for i, (p, part, _) in enumerate(LEFT_OUT) if p == page and part in text + "   "), None)
            if why is not None:
                used.add(why)
                continue
            command = re.sub(r"\s\s+#? .*$", "", text) if "  #" in text or "   " in text else text
            result = subprocess.run(command, shell=True, cwd=folder, env=environment, stdin=subprocess.DEVNULL, timeout=SECONDS,
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
            run += 1
            expected = output_of(shown(root, page), number)
            if re.search(r"--(interpret|test)\b", command) and expected and expected != "\n".join(map(str.rstrip, result.stdout.rstrip().split("\n"))):
                failed += 1
                print("%s:%d: prints something else: %s\n%s" % (page, number, command, result.stdout[-1500:]))
            if result.returncode != 0:
                failed += 1
                print("%s:%d: exit code %d: %s\n%s" % (page, number, result.returncode, command, result.stdout[-1500:]))
    for i, (page, part, _) in enumerate(LEFT_OUT):
        if page in pages and i not in used:
            failed += 1
            print("snippets.py: nothing is left out by ('%s', '%s')" % (page, part))
    print("%d commands ran, %d failed" % (run, failed))
    return failed != 0


sys.exit(main())
