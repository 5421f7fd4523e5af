# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What instructions compute, by hand: semantics.py SVM-SPSIM FOLDER.

A row is lines that leave a value in r1.r, and that value, worked out from the public descriptions of the instruction set. All rows are
one program, which scatters its values to o0. The functional and the cycle model run it. r3, r4 and r5 hold A, B and C.
"""
import os
import struct
import subprocess
import sys

A, B, C = (1.5, -2, 0.25, 3), (0.5, 4, -0.75, 8), (10, 20, 30, 40)
ALPHA = " MOV r1.r r1.a"
ROWS = [
    # Operations of the vector half.
    (" MAD r1.r r3 r4 r5", 10.75), (" MAD r1.r r3.g r4.b r5.a", 41.5), (" DP3 r1.r r3 r4", -7.4375), (" DP4 r1.r r3 r4", 16.5625),
    (" D2A r1.r r3 r4 r5", 22.75), (" MIN r1.r r3 r4", 0.5), (" MAX r1.r r3 r4", 1.5), (" CND r1.r r3 r4.g 0.5", 4), (" CND r1.r r3 r4.g r3", 1.5),
    (" CMP r1.r r3 r4.g 0", 1.5), (" CMP r1.r r3 r4.g r3.g", 4), (" FRC r1.r r4.b", 0.25), (" FRC r1.r r3.r", 0.5), (" ADD r1.r r3 r5.b", 31.5),
    (" SUB r1.r r3 r5.b", -28.5), (" MUL r1.r r3 r5.b", 45), (" MOV r1.r r3.g", -2),
    # Of the scalar half; SOP and dp copy from one to the other.
    (" NOP | mad r1 r3.r r4 r5\n" + ALPHA, 52), (" NOP | min r1 r3 r4\n" + ALPHA, 3), (" NOP | max r1 r3 r4\n" + ALPHA, 8),
    (" NOP | cnd r1 r3 r4 r4.r\n" + ALPHA, 8), (" NOP | cnd r1 r3 r4 r3.r\n" + ALPHA, 3), (" NOP | cmp r1 r3 r4 r4.b\n" + ALPHA, 8),
    (" NOP | cmp r1 r3 r4 r4.r\n" + ALPHA, 3), (" NOP | frc r1 r4.b\n" + ALPHA, 0.25), (" SOP r1.r | ex2 - r4.g", 16), (" SOP r1.r | ln2 - r4", 3),
    (" SOP r1.r | rcp - r4.g", 0.25), (" SOP r1.r | rsq - r4.g", 0.5), (" SOP r1.r | sin - r3.b", 1), (" SOP r1.r | cos - r4.r", -1),
    (" DP3 r1.g r3 r4 | dp r1\n" + ALPHA, -7.4375), (" DOT4 r1.g r3 r4 | dot4 r1\n" + ALPHA, 16.5625), (" NOP | rcp r1 r4\n" + ALPHA, 0.125),
    # Components, small floats, modifiers of operands.
    (" ADD r1.r r3.a 0", 3), (" ADD r1.r r3.h 0", 0.5), (" ADD r1.r r3.1 0", 1), (" ADD r1.r r3.0 0", 0), (" MOV r1.r 0.0625", 0.0625),
    (" MOV r1.r 480", 480), (" MOV r1.r 1.625", 1.625), (" MOV r1.r -0.001953125", -0.001953125), (" MOV r1.r -r3.g", 2), (" MOV r1.r |r3.g|", 2),
    (" MOV r1.r -|r3.r|", -1.5), (" MOV r1.r c2.b", 30), (" MAD r1.r r3.g -r3 |r3.g|", 5),
    # Presubtracts.
    (" ADD r1.r (1-2*r3) 0", -2), (" ADD r1.r (r4-r3) 0", -1), (" ADD r1.r (r4+r3) 0", 2), (" ADD r1.r (1-r3) 0", -0.5),
    (" NOP | add r1 (r4-r3) 0\n" + ALPHA, 5), (" NOP | add r1 (1-2*r3) 0\n" + ALPHA, -5),
    # Output modifiers, then the clamp.
    (" MUL.x2 r1.r r3 1", 3), (" MUL.x4 r1.r r3 1", 6), (" MUL.x8 r1.r r3 1", 12), (" MUL.d2 r1.r r3 1", 0.75), (" MUL.d4 r1.r r3 1", 0.375),
    (" MUL.d8 r1.r r3 1", 0.1875), (" MUL.sat r1.r r3 1", 1), (" MUL.sat r1.r r3.g 1", 0), (" MUL.sat.d2 r1.r r3 1", 0.75),
    (" MOV.sat r1.r r3", 1), (" MAX.sat.mov r1.r r3 r3", 1.5), (" MOV.x2 r1.r r3", 3), (" NOP | mul.sat r1 r3 1\n" + ALPHA, 1),
    (" MUL.sat r1.r r3 1 | mul r1 r3 1\n" + ALPHA, 3), (" MUL.x2 r1.r r3 1 | mul.d2 r1 r3 1\n" + ALPHA, 1.5), (" MUL.x2 r1.r r3 1 | mul.d2 r1 r3 1", 3),
    # Masks leave what they do not name.
    (" MOV r1.rgb 7 | mov r1 6\n MOV r1.gb 5", 7), (" MOV r1 7\n MOV r1.g 5\n MOV r1.r r1.g", 5), (" MOV r1.rgb 7 | mov r1 6\n MOV r1.r r1.a", 6),
    # Predicates: red to alpha are set by comparison with 0; guards by one bit, by each component's own, inverted.
    (" MOV p_eq.r 0\n MOV r1.r 1\n (p.r) MOV r1.r 2", 2), (" MOV p_eq.r 1\n MOV r1.r 1\n (p.r) MOV r1.r 2", 1),
    (" MOV p_lt.g -1\n MOV r1.r 1\n (p.g) MOV r1.r 2", 2), (" MOV p_lt.g 0\n MOV r1.r 1\n (p.g) MOV r1.r 2", 1),
    (" MOV p_ge.b 0\n MOV r1.r 1\n (p.b) MOV r1.r 2", 2), (" MOV p_ge.b -1\n MOV r1.r 1\n (p.b) MOV r1.r 2", 1),
    (" NOP | mov p_ne 5\n MOV r1.r 1\n (p.a) MOV r1.r 2", 2), (" NOP | mov p_ne 0\n MOV r1.r 1\n (p.a) MOV r1.r 2", 1),
    (" MOV p_ge.rgb r3.grb\n MOV r1.rgb 1\n (p) MOV r1.rgb 2\n DP3 r1.r r1 c3", 221), (" MOV p_ge.rgb r3.grb\n MOV r1.rgb 1\n (!p) MOV r1.rgb 2\n DP3 r1.r r1 c3", 112),
    # The ALU result, from red and from alpha.
    (" MOV.alu_r_eq r1 0\n IF alu\n MOV r1.r 1\n ELSE\n MOV r1.r 2\n ENDIF", 1), (" MOV.alu_r_lt r1 0\n IF alu\n MOV r1.r 1\n ELSE\n MOV r1.r 2\n ENDIF", 2),
    (" MOV.alu_r_ge r1 -1\n IF alu\n MOV r1.r 1\n ELSE\n MOV r1.r 2\n ENDIF", 2),
    (" MOV.alu_a_ne r1 0 | mov r1 3\n IF !alu\n MOV r1.r 1\n ELSE\n MOV r1.r 2\n ENDIF", 2),
    # Flow control: truth constants, calls and jumps, loops with the loop register as an address.
    (" IF b0\n MOV r1.r 1\n ELSE\n MOV r1.r 2\n ENDIF", 1), (" IF b1\n MOV r1.r 1\n ELSE\n MOV r1.r 2\n ENDIF", 2),
    (" MOV r1 0\n LOOP i1\n MAD r1.r r1 r5 c[aL+0]\n ENDLOOP", 165), (" MOV r1 0\n REP i0\n ADD r1.r r1 1\n ENDREP", 3),
    (" MOV r1 0\n CALL sub\n ADD r1.r r1 r1", 14), (" MOV r1 3\n JMP over\n MOV r1 4\nover: ADD r1.r r1 1", 4),
    (" MOV r1.rg 0\n LOOP i0\n ADD r1.r r1 1\n SUB.alu_r_ge r6.r r1 2\n BRK alu\n ADD r1.g r1 1\n ENDLOOP\n MAD r1.r r1 10 r1.g", 21),
    (" MOV r1.rg 0\n LOOP i0\n ADD r1.r r1 1\n SUB.alu_r_eq r6.r r1 2\n CONT alu\n ADD r1.g r1 1\n ENDLOOP\n MAD r1.r r1 10 r1.g", 32),
    # Addresses relative to the loop register, read and written.
    (" MOV r1 0\n REP i0\n LOOP i0\n MOV r[aL+6].r r1\n ADD r1.r r1 1\n ENDLOOP\n ENDREP\n MAD r1.r r8 10 r7", 76),
]


def main():
    simulator, folder = sys.argv[1:3]
    head = [" .scatter", " .const c3 = 1 10 100 0", " .int i0 = 3 1 1", " .int i1 = 3 0 1", " .bool b0 = true", " .bool b1 = false", " .temps 16"]
    head += [f" .const c{i} = {' '.join(map(str, values))}" for i, values in enumerate((A, B, C))]
    head += [f" MOV r{3 + i} c{i} | mov r{3 + i} c{i}" for i in range(3)] + [" MOV r2 0"]
    body = [f"{lines}\n MAD o0 r1.r00 1 r2.0g0 | mov o0 0\n ADD r2.g r2 1" for lines, _ in ROWS]
    tail = [" JMP end", "sub: ADD r1.r r1 7", " RET", "end: MAD o0 r1.r00 1 r2.0g0 | mov o0 0", " END"]
    faults = 0
    for mode in ([], ["--functional"]):
        path = os.path.join(folder, "semantics")
        with open(path + ".sp", "w", encoding="ascii") as f:
            f.write("\n".join(head + body + tail) + "\n")
        done = subprocess.run([simulator, path + ".sp", "--domain=1x1", f"--output=0:{path}.bin:f32:{len(ROWS) + 1}x1", "-o", os.devnull, *mode],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(done.stderr)
        with open(path + ".bin", "rb") as f:
            got = struct.unpack(f"<{len(ROWS) + 1}f", f.read())
        for (lines, wanted), value in zip(ROWS, got):
            if value != wanted:
                faults += 1
                print(f"{lines.strip()!r} gives {value}, expected {wanted}")
    print(f"{len(ROWS)} rows, {faults} differ")
    return faults != 0


sys.exit(main())
