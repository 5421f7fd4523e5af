# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a thread function in which 4 * COUNT values live at a time, or COUNT instructions run: large.py registers|instructions COUNT"""
import sys

count, values = int(sys.argv[2]), sys.argv[1] == "registers"
print("declare <4 x float> @svm_spLookup(i32, float, float)\ndeclare void @svm_spOutput(i32, <4 x float>)")
print("define void @large(float %x, float %y) {\n  %e0 = call <4 x float> @svm_spLookup(i32 0, float %x, float %y)")
for i in range(1, count if values else 1):
    print(f"  %a{i} = extractelement <4 x float> %e{i - 1}, i32 0\n  %b{i} = extractelement <4 x float> %e{i - 1}, i32 1")
    print(f"  %e{i} = call <4 x float> @svm_spLookup(i32 0, float %a{i}, float %b{i})")
print("  %s0 = fadd <4 x float> %e0, %e0")
for i in range(1, count):
    print(f"  %s{i} = fmul <4 x float> %s{i - 1}, " + (f"%e{i}" if values else f"%s{i - 1}"))
print(f"  %t0 = fadd <4 x float> %s{count - 1}, %s{count - 1}")
for i in range(1, count if values else 1):
    print(f"  %t{i} = fsub <4 x float> %e{count - i}, %t{i - 1}")
print(f"  call void @svm_spOutput(i32 0, <4 x float> %t{count - 1 if values else 0})\n  ret void\n}}")
