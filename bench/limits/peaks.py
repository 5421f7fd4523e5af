# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the processor can do at most, measured: how many instructions of a class it begins in a nanosecond, alone and together,
and how long the next one waits for what one gives. Each figure is the most of many short runs, so that it holds however busy
the computer is; a bound made of it is low rather than high."""
import os
import subprocess

from instructions import VECTOR

UNROLL = 48
COUNTED = {  # classes of instructions that begin side by side, with what they may be; D: one of 12 registers, S, T: others, M: memory, U: across lines
    "multiply": [["vmulps S, T, D"], ["vfmadd231ps S, T, D"], ["vpmuludq S, T, D"]],
    "add": [["vaddps S, T, D"], ["vminps S, T, D"]],
    "logic": [["vpaddd S, T, D"], ["vpxor@ S, T, D"], ["vpsrld $3, S, D"]],
    "shuffle": [["vshufps $27, S, T, D"], ["vunpcklps S, T, D"], ["vpermilps $27, S, D"]],
    "permute": [["vpermps S, T, D"], ["vpermd S, T, D"]],
    "divide": [["vdivps S, T, D"]],
    "vectors": [["vmulps S, T, D", "vaddps S, T, D"], ["vpaddd S, T, D", "vmulps S, T, D"], ["vpaddd S, T, D", "vaddps S, T, D"],
                ["vmulps S, T, D", "vaddps S, T, D", "vpaddd S, T, D", "vshufps $27, S, T, D"], ["vpaddd S, T, D", "vshufps $27, S, T, D"],
                ["vaddps S, T, D", "vaddps S, T, D", "vmulps S, T, D", "vmulps S, T, D"], ["vpaddd S, T, D"]],
    "load": [["vmovups M, D"]],
    "split": [["vmovups U, D"]],  # of 64 bytes, from two cache lines each
    "store": [["vmovups S, M"]],
    "accesses": [["vmovups M, D", "vmovups M, D", "vmovups S, M"], ["vmovups M, D", "vmovups S, M"], ["vmovups M, D"]],
}
SCALAR = {
    "integer": [["addq %rsi, R"], ["leaq 1(%rsi), R"], ["xorl %esi, E", "addq %rsi, R"]],
    "times": [["imulq $7, %rsi, R"]],
    "load": [["movq M, R"]],
    "store": [["movq %rsi, M"]],
    "accesses": [["movq M, R", "movq M, R", "movq %rsi, M"], ["movq M, R", "movq %rsi, M"], ["movq M, R"]],
    "instructions": [["nop"], ["addq %rsi, R", "nop"], ["addq %rsi, R", "addq %rsi, R", "vpaddd S, T, D", "movq M, R"],
                     ["movq %rsi, R"], ["addq %rsi, R", "vpaddd S, T, D", "vmulps S, T, D", "movq M, R"]],
}
WAITS = {  # chains, each waits for the one before
    "multiply": ["vmulps C, C, C"], "add": ["vaddps C, C, C"], "divide": ["vdivss S, C, C"], "logic": ["vpaddd C, C, C"],
    "shuffle": ["vshufps $0, C, C, C"], "permute": ["vpermps Y, Y, Y"], "integer": ["addq %rax, %rax"], "times": ["imulq %rax, %rax"], "load": ["movq (%rdi), %rdi"],
    "fused": ["vfmadd231ps S, C, C"], "forward": ["vmovups C, (%rdi)", "vmovups (%rdi), C"],
}
PREFIX = {8: "x", 16: "x", 32: "y", 64: "z"}


def fill(template, i, width):
    prefix = PREFIX[width]
    names = {"D": f"%{prefix}mm{i % 12}", "S": f"%{prefix}mm13", "T": f"%{prefix}mm14", "C": f"%{prefix}mm15", "Y": "%ymm15",
             "M": f"{(i * width) % 2048}(%rdi)", "U": f"{(i * width) % 2048 + 4}(%rdi)", "R": ("%rax", "%rcx", "%rdx", "%r8", "%r9", "%r10", "%r11")[i % 7],
             "E": ("%eax", "%ecx", "%edx", "%r8d", "%r9d", "%r10d", "%r11d")[i % 7]}
    name, _, operands = template.replace("@", "d" if width == 64 else "").partition(" ")
    return (name + " " + ", ".join(names.get(o, o) for o in operands.split(", "))).strip()


def loops(widths):
    """(figure, width, instructions of a loop's body)."""
    found = []
    for name, variants in COUNTED.items():
        found += [(name, w, [fill(v[i % len(v)], i, w) for i in range(UNROLL)]) for w in widths if (name, w) != ("permute", 16) for v in variants]
    for name, variants in SCALAR.items():
        found += [(name, 8, [fill(v[i % len(v)], i, 8) for i in range(UNROLL)]) for v in variants]
    found += [("wait " + name, 8, [fill(v[i % len(v)], i, 8) for i in range(UNROLL)]) for name, v in WAITS.items()]
    return found


DRIVER = """#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
void (*const loops[])(long, void *);
extern const int loops_count;
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}
int main(void)
{
    void **memory = aligned_alloc(4096, 4096);
    for (int i = 0; i < 512; i++)
        memory[i] = memory;
    for (int i = 0; i < loops_count; i++) {
        double least = 1e300;
        for (int r = 0; r < 60; r++) {
            double begun = now();
            loops[i](1000, memory);
            double took = now() - begun;
            least = took < least ? took : least;
        }
        memory[0] = memory;
        for (int k = 0; k < 512; k++)
            memory[k] = memory;
        printf("%.6f\\n", least / 1000);
    }
    return 0;
}
"""


def measure(compiler, folder, widths):
    """{(figure, width): instructions a nanosecond}, and for "wait ..." nanoseconds. "clock" is the time of one addition."""
    bodies = loops(widths)
    lines = ["\t.text"]
    for i, (_, _, body) in enumerate(bodies):
        lines += ["\t.p2align 6", f"loop{i}:", "\tpush %rbx", "\tmov %rdi, %rbx", "\tmov %rsi, %rdi", "\txor %esi, %esi"]
        lines += ["\t.p2align 6", f".Lloop{i}:", *("\t" + b for b in body), "\tdec %rbx", f"\tjnz .Lloop{i}", "\tpop %rbx", "\tret"]
    lines += ["\t.section .data.rel.ro,\"aw\"", "\t.p2align 3", "\t.globl loops, loops_count", "loops:", *(f"\t.quad loop{i}" for i in range(len(bodies))),
              f"loops_count: .long {len(bodies)}", "\t.section .note.GNU-stack,\"\",@progbits"]
    assembly, driver, program = (os.path.join(folder, n) for n in ("peaks.s", "peaks-driver.c", "peaks"))
    for path, text in ((assembly, "\n".join(lines) + "\n"), (driver, DRIVER.replace("void (*const loops[])", "extern void (*const loops[])"))):
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
    subprocess.run([compiler, "-O2", assembly, driver, "-o", program], check=True)
    times = [float(t) for t in subprocess.run([program], check=True, capture_output=True, text=True).stdout.split()]
    peaks = {}
    for (name, width, body), time in zip(bodies, times):
        if name.startswith("wait "):
            peaks[name, 8] = time * len(WAITS[name[5:]]) / len(body)
        else:
            peaks[name, width] = max(peaks.get((name, width), 0), len(body) / time)
    peaks["clock", 8] = peaks["wait integer", 8]
    return complete(peaks, widths)


def complete(peaks, widths):
    """The same with the widest width that is there for those above, and groups at least as fast as each of their classes."""
    peaks["permute", 16] = peaks["permute", 32]
    for name in COUNTED:
        for above, below in ((32, 16), (64, 32)):
            peaks.setdefault((name, above), peaks[name, below])
    for w in (16, 32, 64):
        peaks["vectors", w] = max(peaks[name, w] for name in ("vectors", *VECTOR) if name != "divide")
        peaks["accesses", w] = max(peaks["accesses", w], peaks["load", w])
    return peaks


def processor_widths():
    """The vectors that this processor has."""
    with open("/proc/cpuinfo", encoding="utf-8") as f:
        flags = next((set(line.split()) for line in f if line.startswith("flags")), set())
    return [w for w, needed in ((16, {"avx2", "fma"}), (32, {"avx2", "fma"}), (64, {"avx512f", "avx512bw", "avx512vl", "avx512dq"})) if needed <= flags]
