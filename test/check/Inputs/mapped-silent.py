# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""svm-check is silent on emitted programs.

Usage: mapped-silent.py SVM_HLC SVM_CHECK WORK ROOT [--all]

Every example for three machine files and a sample for others; with --all every example for every machine file. Programs
that a machine does not take are left out.
"""
import glob
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

WHOLE = ["cell-qs20", "host-4", "imagine"]
SAMPLE = [("fm", "smp-cluster"), ("equalizer", "raw-16"), ("matmul", "ati-9800pro"), ("dct", "simple-svm"), ("aes", "cell-ps3"),
          ("fft", "merrimac")]


def check(hlc, tool, work, path, machine):
    name = os.path.basename(path)[:-len(".str")]
    out = os.path.join(work, f"{name}.{machine}.svm.c")
    made = subprocess.run([hlc, f"--machine={machine}", path, "-o", out], capture_output=True, text=True, check=False)
    if made.returncode != 0:
        return None
    said = subprocess.run([tool, out], capture_output=True, text=True, check=False)
    return f"{name} on {machine}: {said.returncode}\n{said.stderr}" if said.returncode or said.stderr else ""


def main():
    hlc, tool, work, root = sys.argv[1:5]
    os.makedirs(work, exist_ok=True)
    paths = {os.path.basename(p)[:-len(".str")]: p for p in glob.glob(os.path.join(root, "examples/**/*.str"), recursive=True)}
    machines = [os.path.basename(p)[:-len(".yaml")] for p in glob.glob(os.path.join(root, "targets/*.yaml"))]
    whole = machines if "--all" in sys.argv else WHOLE
    pairs = {(p, m) for p in paths for m in whole} | set(SAMPLE)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda pair: check(hlc, tool, work, paths[pair[0]], pair[1]), sorted(pairs)))
    for text in results:
        if text:
            print(text)
    taken = [r for r in results if r is not None]
    print(f"{len(taken)} programs")
    return any(taken) or len(taken) < len(WHOLE) * len(paths) // 2


if __name__ == "__main__":
    sys.exit(main())
