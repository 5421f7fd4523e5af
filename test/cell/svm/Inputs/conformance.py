#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Who runs the programs of the conformance suite on a Cell: conformance.py SVM-LLC SUITE WORK [NAME...]

Each program is compiled for target cell and run, as it stands, and, where it is no misuse, with cell-qs20's names in place of
simple-svm's. A line for each says whether it passed and who ran its kernels and transfers, or why it is not for a Cell.
"""
import concurrent.futures
import glob
import importlib.machinery
import importlib.util
import os
import re
import shutil
import subprocess
import sys

NAMES = {"simple-svm": "cell-qs20", "GMEM": "XDR", "LMEM1": "LS0", "LMEM2": "LS1", "PROC0": "PPE", "PROC1": "SPE0",
         "PROC2": "SPE1", "DMA_ENGINE1": "MFC0", "DMA_ENGINE2": "MFC1"}


def load(suite):
    loader = importlib.machinery.SourceFileLoader("conformance_run", os.path.join(suite, "run"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


def translated(path, work):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    for old, new in NAMES.items():
        text = re.sub(r"\b%s\b" % old, new, text)
    into = os.path.join(work, "qs20-" + os.path.basename(path))
    with open(into, "w", encoding="utf-8") as f:
        f.write(text)
    return into


def error_of(text):
    """The first error without its place, and without numbers that a compiler's version changes."""
    found = re.search(r"error: (.*)", text)
    return re.sub(r",? which are .*| and the SPEs' program.*", "", found.group(1)) if found else "no error"


def who(spes, ppe, transfers):
    does = [name for name, count in (("SPEs", spes), ("PPE", ppe + transfers)) if count]
    return " and ".join(does) or "nobody"


def reasons(remarks):
    why = set(re.findall(r"remark: the PPE runs '.*?' \(.*?\): (.*)", remarks))
    return "; ".join(sorted(re.sub(r"'(?!svm_)[^']*'", "it", w) for w in why))


def verdict(svm_llc, path, work):
    program = os.path.join(work, os.path.basename(path)[:-2])
    made = subprocess.run([svm_llc, "--target=cell", "--remarks", path, "-o", program], capture_output=True, text=True)
    if made.returncode:
        return "refused: " + error_of(made.stderr)
    ran = subprocess.run([program], capture_output=True, text=True, timeout=60, env=dict(os.environ, SVM_CELL_COUNT="1"))
    spes = [re.findall(r"\d+", text) for text in re.findall(r"svm-cell: \w+: (kernels.*lists \d+)", ran.stderr)]
    ppe = re.findall(r"svm-cell: PPE: kernels (\d+), transfers (\d+)", ran.stderr)
    expected = run.Program(path)
    if ran.returncode != expected.exit or ran.stdout != expected.prints:
        wrong = re.search(r"error: .*", ran.stderr)
        return "stops: " + error_of(ran.stderr) if wrong else "differs: " + run.first_difference(expected.prints, ran.stdout)
    if not ppe:
        return "passed, with no local store"
    kernels = who(sum(int(s[0]) for s in spes), int(ppe[0][0]), 0)
    moves = who(sum(int(s[1]) + int(s[2]) for s in spes), 0, int(ppe[0][1]))
    why = reasons(made.stderr)
    return f"passed, kernels: {kernels}, transfers: {moves}" + (f"; {why}" if why else "")


def both(path):
    with open(path, encoding="utf-8") as f:
        has_names = '"simple-svm"' in f.read() and not os.path.basename(path).startswith("misuse-")
    lines = [f"{os.path.basename(path)[:-2]}: {verdict(svm_llc, path, work)}"]
    if has_names:
        lines.append(f"    cell-qs20: {verdict(svm_llc, translated(path, work), work)}")
    return "\n".join(lines)


svm_llc, suite, work, names = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
run = load(suite)
os.makedirs(work, exist_ok=True)
shutil.copy(os.path.join(suite, "conform.h"), work)
paths = [p for p in sorted(glob.glob(os.path.join(suite, "*.c"))) if not names or os.path.basename(p)[:-2] in names]
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    print("\n".join(pool.map(both, paths)))
