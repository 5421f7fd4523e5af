# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles the thread functions of threads.c, runs them on the cycle model and without time, and compares with C, bit for bit:
compile.py CLANG SVM-SPSIM SVM-SPDIS FOLDER [KERNEL...]. A row for each: arithmetic and lookups, and what they may be at most."""
import glob
import json
import os
import subprocess
import sys

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "threads.c")
# kernel: most arithmetic, lookups, most registers; None: no limit
LIMITS = {"fir": (108, 17, 8), "dct8": (21, 2, 8), "convolve": (18, 6, 8), "bitonic": (6, 2, 8), "mandelbrot": (128, 2, 16),          "matmatmult": (317, 128, 16), "sgemm": (237, 84, 32), "photon": (141, 32, 8), "mixture": (None, 3, None)}
WIDTH, HEIGHT, SIDE = 48, 56, 64  # domain and inputs
LEAST_USE = 0.95  # of the closed form
SMALLER = {"dct8": (32, 56), "matmatmult": (24, 24), "sgemm": (40, 16), "photon": (64, 32)}
SCALARS = {"sgemm": ("1.5", "-0.25"), "photon": ("8", "0.125", "0.875", "7.9375")}
INEXACT = {"photon"}
def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def same(folder, outputs):
    for n in outputs:
        with open(f"{folder}/e{n}.bin", "rb") as expected, open(f"{folder}/o{n}.bin", "rb") as got:
            if expected.read() != got.read():
                return False
    return True


def check(kernel, simulator, disassembler, folder):
    most, lookups, registers = LIMITS[kernel]
    own, (width, height) = os.path.join(folder, kernel), SMALLER.get(kernel, (WIDTH, HEIGHT))
    os.makedirs(own, exist_ok=True)
    run(os.path.join(folder, "threads"), kernel, str(width), str(height), own)
    facts = run("softproc-compile", *(["--inexact"] if kernel in INEXACT else []), os.path.join(folder, "threads.ll"), kernel, f"{own}/k.spo", *SCALARS.get(kernel, ())).split()
    alu, tex, temps = int(facts[1]), int(facts[3]), int(facts[5])
    text = run(disassembler, f"{own}/k.spo")
    outputs = sorted(int(os.path.basename(p)[1]) for p in glob.glob(f"{own}/e*.bin"))
    arguments = [f"{own}/k.spo", f"--domain={width}x{height}"] + [f"--output={n}:{own}/o{n}.bin:f32x4" for n in outputs]
    arguments += [f"--input={n}:{own}/s{n}.bin:f32x4:{SIDE}x{SIDE}" for n in range(3) if f" s{n}" in text]
    equal = []
    for mode in ([], ["--functional"]):
        run(simulator, *arguments, *(mode or [f"--json={own}/stats.json"]), "-o", f"{own}/report")
        equal.append(same(own, outputs))
        if not mode:
            with open(f"{own}/stats.json", encoding="ascii") as f:
                stats = json.loads(f.readline())
    use, expected = stats.get("steady", stats["whole"])["used"], stats["predicted"]["used"]
    ok = all(equal) and (most is None or alu <= most) and tex == lookups and (registers is None or temps <= registers) and use >= LEAST_USE * expected
    limit = "" if most is None else f", at most {most} : {lookups}, {registers}"
    print(f"{kernel}: {alu} : {tex}, {temps} registers{limit}; {'equal' if all(equal) else 'NOT EQUAL'}; "
          f"used {100 * use:.0f} % of {100 * expected:.0f} %; {'ok' if ok else 'MISSED'}")
    return ok


def main():
    clang, simulator, disassembler, folder = sys.argv[1:5]
    flags = ["-std=c17", "-fno-math-errno", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off"]
    run(clang, *flags, "-O1", SOURCE, "-o", f"{folder}/threads", "-lm")
    run(clang, *flags, "-DDEVICE", "-O2", "-Xclang", "-disable-llvm-passes", "-S", "-emit-llvm", SOURCE, "-o", f"{folder}/threads.ll")
    bad = [k for k in sys.argv[5:] or LIMITS if not check(k, simulator, disassembler, folder)]
    print(f"{len(bad)} missed")
    return len(bad) > 0


if __name__ == "__main__":
    sys.exit(main())
