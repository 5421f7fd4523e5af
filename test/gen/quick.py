# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ways to compile that cost next to nothing: the C that svmc made goes through tcc, and runs natively for whatever machine it was made.

tcc compiles and links a program in 15 ms, so that a night checks a million programs; what it makes shows mistakes of the high-level compiler,
not those that only an optimising C compiler brings to light.
"""
import os
import re
import subprocess

STRIPS = [1, 2, 3, 7, 64, 1000]


class Tcc:
    """The host runtime as a shared library, and machine tables as svm-llc makes them, in a folder."""

    def __init__(self, bin_folder, folder, machines, clang):
        self.bin, self.folder, self.tables, self.clang = bin_folder, folder, {}, clang
        library = os.path.join(bin_folder, "../lib/libsvm-host.a")
        subprocess.run(["cc", "-shared", "-o", os.path.join(folder, "libsvm-host.so"), "-Wl,--whole-archive", library, "-Wl,--no-whole-archive", "-lm",
                        "-ldl", "-lpthread"], check=True)
        for machine in machines:
            self.tables[machine] = self.table(machine)

    def table(self, machine):
        place = os.path.join(self.folder, machine.replace("/", "_"))
        os.mkdir(place)
        with open(os.path.join(place, "empty.str"), "w", encoding="ascii") as f:
            f.write("void->int filter S { work push 1 { push(1); } } int->void filter P { work pop 1 { println(pop()); } }\n"
                    "void->void pipeline Empty { add S; add P; }\n")
        subprocess.run([os.path.join(self.bin, "svmc"), "--save-temps", "--target=host", f"--machine={machine}", "--emit=obj", "empty.str", "-o", "empty.o"],
                       cwd=place, check=True)
        return os.path.join(place, "svm-machine-table.h")

    def command(self, machine, source, exe, compiler, native):
        table = [] if machine is None else [f'-DSVM_MACHINE_TABLE="{self.tables[machine]}"']
        with open(source, encoding="utf-8") as f:
            if compiler == "tcc" and re.search(r"\b(NAN|INFINITY)\b", f.read()):
                compiler = "gcc"  # tcc does not take them as constants
        words = ["tcc"] if compiler == "tcc" else [self.clang if compiler == "clang" else "gcc", "-O0", "-fwrapv", "-ffp-contract=off", *(["-march=native"] if native else [])]
        return [*words, "-w", *table, "-I" + os.path.join(self.bin, "../include"), source, "-L" + self.folder, "-lsvm-host", "-Wl,-rpath=" + self.folder,
                "-lm", "-lpthread", "-o", exe]


class QuickWay:
    """As differential.py's Way. machine: None, or that the program is mapped to. What one compiler gets wrong the next is asked about: tcc takes
    comparisons with a nan for true, gcc 12 takes 0 - (float)i to be a negative zero where i is 0."""

    def __init__(self, tcc, svmc, machine, seeds):
        self.tcc, self.svmc, self.machine, self.seeds, self.whole, self.llc, self.compiler_name = tcc, list(svmc), machine, seeds, False, None, "tcc"

    def __str__(self):
        return f"svmc {' '.join(self.svmc)} / {self.compiler_name}"

    def compiler(self):
        return f"{self.compiler_name} {self.machine} {'-march=native' in self.svmc}"

    def command(self, _, source, exe):
        return self.tcc.command(self.machine, source, exe, self.compiler_name, "-march=native" in self.svmc)


def quick_ways(tcc, rng, machines, count, seeds, mapped, vectors):
    """So many ways, of which every second one is mapped to a machine where some are given. mapped: further options for those. vectors: gcc for all, which has
    vector types, so that several firings go side by side, with as many lanes as this computer has or the least ones."""
    ways = []
    for number in range(count):
        machine = rng.choice(machines) if machines and number % 2 else None
        options = [rng.choice(["-O0", "-O2", "-O2", "-O3"])]
        if machine is not None:
            options = [rng.choice(["-O2", "-O2", "-O3"]), f"--machine={machine}", *mapped(rng)]
        elif rng.random() < 0.8:
            options.append(f"--strip={rng.choice(STRIPS)}")
        if vectors and machine is None and rng.random() < 0.5:
            options.append("-march=native")
        ways.append(QuickWay(tcc, options, machine, seeds if machine is not None or number == 0 else ()))
        ways[-1].compiler_name = "gcc" if vectors else "tcc"
    return ways
