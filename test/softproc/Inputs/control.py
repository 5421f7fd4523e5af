# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""As compile.py, of control.c: control.py CLANG SVM-SPSIM SVM-SPDIS FOLDER [KERNEL...]. A row for each, with its flow control."""
import glob
import os
import re
import sys

sys.dont_write_bytecode = True
from compile import SOURCE, run, same  # noqa: E402

KERNELS = ("rounds", "escape", "prime", "turns", "nested", "guarded", "seldom", "ints", "counters", "later")
WIDTH, HEIGHT, SIDE = 24, 5, 64


def check(kernel, simulator, disassembler, folder):
    own = os.path.join(folder, kernel)
    os.makedirs(own, exist_ok=True)
    run(os.path.join(folder, "threads"), kernel, str(WIDTH), str(HEIGHT), own)
    facts = run("softproc-compile", os.path.join(folder, "threads.ll"), kernel, f"{own}/k.spo").split()
    text = run(disassembler, f"{own}/k.spo")
    outputs = sorted(int(os.path.basename(p)[1]) for p in glob.glob(f"{own}/e*.bin"))
    arguments = [f"{own}/k.spo", f"--domain={WIDTH}x{HEIGHT}"] + [f"--output={n}:{own}/o{n}.bin:f32x4" for n in outputs]
    arguments += [f"--input={n}:{own}/s{n}.bin:f32x4:{SIDE}x{SIDE}" for n in range(3) if f" s{n}" in text]
    equal = []
    for mode in ("--functional", "--policy=newest"):
        run(simulator, *arguments, mode, "-o", f"{own}/report")
        equal.append(same(own, outputs))
    flow = " ".join(re.findall(r"^\s*FC\S* (\w+)", text, re.M))
    flow = "straight" if not flow else flow if len(flow) < 80 else f"{len(flow.split())} steps"
    print(f"{kernel}: {facts[1]} : {facts[3]}, {facts[5]} registers; {flow}; {'equal' if all(equal) else 'NOT EQUAL'}")
    return all(equal)


def main():
    clang, simulator, disassembler, folder = sys.argv[1:5]
    flags = ["-std=c17", "-fno-math-errno", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off", '-DOTHER="control.c"']
    run(clang, *flags, "-O1", SOURCE, "-o", f"{folder}/threads", "-lm")
    run(clang, *flags, "-DDEVICE", "-O2", "-Xclang", "-disable-llvm-passes", "-S", "-emit-llvm", SOURCE, "-o", f"{folder}/threads.ll")
    return 0 if all([check(k, simulator, disassembler, folder) for k in sys.argv[5:] or KERNELS]) else 1


if __name__ == "__main__":
    sys.exit(main())
