# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Encodings of the soft processor against a list of fields of its own: golden.py SVM-SPAS SVM-SPDIS FOLDER.

FIELDS is written from the public register descriptions of the instruction set (US_CMN_INST, US_ALU_*, US_TEX_*, US_FC_*), not from
llc/softproc/isa.def. A case is a line of assembly and its fields, by hand; what is not named is 0, but for the source addresses of
arithmetic, which are 0x80 (nothing). Checked:

  - the assembler makes the words of every case;
  - the cases set every bit of every field of every type, and tell any two fields of a type apart, so that no two can be exchanged;
  - every operation's code;
  - a word with a bit that no field of its type has is refused, and so is each field that the verifier refuses, by name.
"""
import os
import struct
import subprocess
import sys

ALU, OUT, FC, TEX = range(4)
ARITHMETIC, NOT_FC, ALL = (ALU, OUT), (ALU, OUT, TEX), (ALU, OUT, FC, TEX)

# name: (word, highest bit, lowest bit, types)
FIELDS = {
    # US_CMN_INST
    "TYPE": (0, 1, 0, ALL), "TEX_SEM_WAIT": (0, 2, 2, ALL), "RGB_PRED_SEL": (0, 5, 3, ALL), "RGB_PRED_INV": (0, 6, 6, ALL),
    "WRITE_INACTIVE": (0, 7, 7, NOT_FC), "LAST": (0, 8, 8, ALL), "NOP": (0, 9, 9, ALL), "ALU_WAIT": (0, 10, 10, ALL),
    "RGB_WMASK": (0, 13, 11, NOT_FC), "ALPHA_WMASK": (0, 14, 14, NOT_FC), "RGB_OMASK": (0, 17, 15, ARITHMETIC),
    "ALPHA_OMASK": (0, 18, 18, ARITHMETIC), "RGB_CLAMP": (0, 19, 19, ARITHMETIC), "ALPHA_CLAMP": (0, 20, 20, ARITHMETIC),
    "ALU_RESULT_SEL": (0, 21, 21, ARITHMETIC), "ALPHA_PRED_INV": (0, 22, 22, NOT_FC), "ALU_RESULT_OP": (0, 24, 23, ARITHMETIC),
    "ALPHA_PRED_SEL": (0, 27, 25, NOT_FC), "STAT_WE": (0, 31, 28, ARITHMETIC),
    # US_ALU_RGB_ADDR
    "RGB_ADDR0": (1, 7, 0, ARITHMETIC), "RGB_CONST0": (1, 8, 8, ARITHMETIC), "RGB_REL0": (1, 9, 9, ARITHMETIC),
    "RGB_ADDR1": (1, 17, 10, ARITHMETIC), "RGB_CONST1": (1, 18, 18, ARITHMETIC), "RGB_REL1": (1, 19, 19, ARITHMETIC),
    "RGB_ADDR2": (1, 27, 20, ARITHMETIC), "RGB_CONST2": (1, 28, 28, ARITHMETIC), "RGB_REL2": (1, 29, 29, ARITHMETIC),
    "RGB_SRCP": (1, 31, 30, ARITHMETIC),
    # US_ALU_ALPHA_ADDR
    "ALPHA_ADDR0": (2, 7, 0, ARITHMETIC), "ALPHA_CONST0": (2, 8, 8, ARITHMETIC), "ALPHA_REL0": (2, 9, 9, ARITHMETIC),
    "ALPHA_ADDR1": (2, 17, 10, ARITHMETIC), "ALPHA_CONST1": (2, 18, 18, ARITHMETIC), "ALPHA_REL1": (2, 19, 19, ARITHMETIC),
    "ALPHA_ADDR2": (2, 27, 20, ARITHMETIC), "ALPHA_CONST2": (2, 28, 28, ARITHMETIC), "ALPHA_REL2": (2, 29, 29, ARITHMETIC),
    "ALPHA_SRCP": (2, 31, 30, ARITHMETIC),
    # US_ALU_RGB_INST
    "RGB_SEL_A": (3, 1, 0, ARITHMETIC), "RED_A": (3, 4, 2, ARITHMETIC), "GREEN_A": (3, 7, 5, ARITHMETIC), "BLUE_A": (3, 10, 8, ARITHMETIC),
    "RGB_MOD_A": (3, 12, 11, ARITHMETIC), "RGB_SEL_B": (3, 14, 13, ARITHMETIC), "RED_B": (3, 17, 15, ARITHMETIC),
    "GREEN_B": (3, 20, 18, ARITHMETIC), "BLUE_B": (3, 23, 21, ARITHMETIC), "RGB_MOD_B": (3, 25, 24, ARITHMETIC),
    "RGB_OMOD": (3, 28, 26, ARITHMETIC), "RGB_TARGET": (3, 30, 29, ARITHMETIC), "ALU_WMASK": (3, 31, 31, ARITHMETIC),
    # US_ALU_ALPHA_INST
    "ALPHA_OP": (4, 3, 0, ARITHMETIC), "ALPHA_ADDRD": (4, 10, 4, ARITHMETIC), "ALPHA_ADDRD_REL": (4, 11, 11, ARITHMETIC),
    "ALPHA_SEL_A": (4, 13, 12, ARITHMETIC), "ALPHA_A": (4, 16, 14, ARITHMETIC), "ALPHA_MOD_A": (4, 18, 17, ARITHMETIC),
    "ALPHA_SEL_B": (4, 20, 19, ARITHMETIC), "ALPHA_B": (4, 23, 21, ARITHMETIC), "ALPHA_MOD_B": (4, 25, 24, ARITHMETIC),
    "ALPHA_OMOD": (4, 28, 26, ARITHMETIC), "ALPHA_TARGET": (4, 30, 29, ARITHMETIC), "W_OMASK": (4, 31, 31, ARITHMETIC),
    # US_ALU_RGBA_INST
    "RGB_OP": (5, 3, 0, ARITHMETIC), "RGB_ADDRD": (5, 10, 4, ARITHMETIC), "RGB_ADDRD_REL": (5, 11, 11, ARITHMETIC),
    "RGB_SEL_C": (5, 13, 12, ARITHMETIC), "RED_C": (5, 16, 14, ARITHMETIC), "GREEN_C": (5, 19, 17, ARITHMETIC), "BLUE_C": (5, 22, 20, ARITHMETIC),
    "RGB_MOD_C": (5, 24, 23, ARITHMETIC), "ALPHA_SEL_C": (5, 26, 25, ARITHMETIC), "ALPHA_C": (5, 29, 27, ARITHMETIC),
    "ALPHA_MOD_C": (5, 31, 30, ARITHMETIC),
    # US_TEX_INST, US_TEX_ADDR, US_TEX_ADDR_DXDY
    "TEX_ID": (1, 19, 16, (TEX,)), "TEX_INST": (1, 24, 22, (TEX,)), "SEM_ACQUIRE": (1, 25, 25, (TEX,)), "TEX_UNCOVERED": (1, 26, 26, (TEX,)),
    "UNSCALED": (1, 27, 27, (TEX,)), "SRC_ADDR": (2, 6, 0, (TEX,)), "SRC_REL": (2, 7, 7, (TEX,)), "S": (2, 9, 8, (TEX,)), "T": (2, 11, 10, (TEX,)),
    "R": (2, 13, 12, (TEX,)), "Q": (2, 15, 14, (TEX,)), "DST_ADDR": (2, 22, 16, (TEX,)), "DST_REL": (2, 23, 23, (TEX,)),
    "RED": (2, 25, 24, (TEX,)), "GREEN": (2, 27, 26, (TEX,)), "BLUE": (2, 29, 28, (TEX,)), "ALPHA": (2, 31, 30, (TEX,)),
    "DX_ADDR": (3, 6, 0, (TEX,)), "DX_REL": (3, 7, 7, (TEX,)), "DX_SWIZZLE": (3, 15, 8, (TEX,)), "DY_ADDR": (3, 22, 16, (TEX,)),
    "DY_REL": (3, 23, 23, (TEX,)), "DY_SWIZZLE": (3, 31, 24, (TEX,)),
    # US_FC_INST, US_FC_ADDR
    "FC_OP": (2, 2, 0, (FC,)), "B_ELSE": (2, 4, 4, (FC,)), "JUMP_ANY": (2, 5, 5, (FC,)), "A_OP": (2, 7, 6, (FC,)), "JUMP_FUNC": (2, 15, 8, (FC,)),
    "B_POP_CNT": (2, 20, 16, (FC,)), "B_OP0": (2, 25, 24, (FC,)), "B_OP1": (2, 27, 26, (FC,)), "FC_UNCOVERED": (2, 28, 28, (FC,)),
    "BOOL": (3, 4, 0, (FC,)), "INT": (3, 12, 8, (FC,)), "JUMP": (3, 24, 16, (FC,)), "GLOBAL": (3, 31, 31, (FC,)),
}
# Of type, field: what the verifier says instead of taking it.
REFUSED = {
    (ALU, "LAST"): "LAST is set here", (FC, "LAST"): "LAST is set here", (TEX, "LAST"): "LAST is set here",
    (OUT, "ALU_WMASK"): "an instruction of type OUT cannot write the ALU result", (FC, "GLOBAL"): "jumps to global addresses are not supported",
}
VECTOR = {"MAD": 0, "DP3": 1, "DP4": 2, "D2A": 3, "MIN": 4, "MAX": 5, "CND": 7, "CMP": 8, "FRC": 9, "SOP": 10, "MDH": 11, "MDV": 12}
SCALAR = {"mad": 0, "dp": 1, "min": 2, "max": 3, "cnd": 5, "cmp": 6, "frc": 7, "ex2": 8, "ln2": 9, "rcp": 10, "rsq": 11, "sin": 12, "cos": 13,
          "mdh": 14, "mdv": 15}
LOOKUP = {"TEXNOP": 0, "TEX": 1, "TEXKILL": 2, "TEXPROJ": 3, "TEXBIAS": 4, "TEXLOD": 5, "TEXDXDY": 6}
FLOW = {"jump": 0, "loop": 1, "endloop": 2, "rep": 3, "endrep": 4, "breakloop": 5, "breakrep": 6, "continue": 7}
PART = {"r": 0, "g": 1, "b": 2, "a": 3, "0": 4, "h": 5, "1": 6, "_": 7}
MOD = {"": 0, "-": 1, "|": 2, "-|": 3}


def v(place, sel, parts, mod=""):
    """Operand A, B or C of a vector half."""
    return {f"RGB_SEL_{place}": sel, f"RED_{place}": PART[parts[0]], f"GREEN_{place}": PART[parts[1]], f"BLUE_{place}": PART[parts[2]],
            f"RGB_MOD_{place}": MOD[mod]}


def s(place, sel, part, mod=""):
    """Operand A, B or C of a scalar half."""
    return {f"ALPHA_SEL_{place}": sel, f"ALPHA_{place}": PART[part], f"ALPHA_MOD_{place}": MOD[mod]}


def arithmetic(text, *operands, **fields):
    """A line of arithmetic. A scalar half by itself must not join the line before."""
    if text[0].islower() and ":" not in text:
        text = "NOP | " + text
    out = {f"{half}_ADDR{k}": 0x80 for half in ("RGB", "ALPHA") for k in range(3)}
    for operand in operands:
        out.update(operand)
    out.update(fields)
    return text, out


def lookup(text, **fields):
    return text, {"TYPE": TEX, "UNSCALED": 1, "RED": 0, "GREEN": 1, "BLUE": 2, "ALPHA": 3, **fields}


def flow(text, op, **fields):
    return text, {"TYPE": FC, "ALU_WAIT": 1, "FC_OP": FLOW[op], **fields}


RGB = "rgb"
# One source at a time, of either half.
SOURCES = [
    ("c1, -, -", {"ADDR0": 1, "CONST0": 1}), ("-, c2, -", {"ADDR1": 2, "CONST1": 1}), ("-, -, c65", {"ADDR2": 65, "CONST2": 1}),
    ("r[aL+1], -, -", {"ADDR0": 1, "REL0": 1}), ("-, r[aL+2], -", {"ADDR1": 2, "REL1": 1}), ("-, -, r[aL+3]", {"ADDR2": 3, "REL2": 1}),
]
ARITHMETIC_CASES = [
    # ---- flags of the instruction, one by one ----
    arithmetic("NOP"),
    arithmetic("NOP.wait", TEX_SEM_WAIT=1),
    arithmetic("NOP.nop", NOP=1),
    arithmetic("NOP.aluwait", ALU_WAIT=1),
    arithmetic("NOP.inactive", WRITE_INACTIVE=1),
    arithmetic("NOP.out", TYPE=OUT),
    arithmetic("NOP.out.wait.last", TYPE=OUT, TEX_SEM_WAIT=1, LAST=1),
    arithmetic("NOP.out.wait", TYPE=OUT, TEX_SEM_WAIT=1),
    arithmetic("NOP.out.inactive", TYPE=OUT, WRITE_INACTIVE=1),
    arithmetic("NOP.out.nop", TYPE=OUT, NOP=1),
    arithmetic("NOP.out.aluwait", TYPE=OUT, ALU_WAIT=1),
    arithmetic("NOP.stat1", STAT_WE=1),
    arithmetic("NOP.stat14", STAT_WE=14),
    arithmetic("NOP.out.stat15", TYPE=OUT, STAT_WE=15),
    # ---- masks and destinations ----
    arithmetic("MAD r1.r 0 0 0", v("A", 0, "000"), v("B", 0, "000"), v("C", 0, "000"), RGB_WMASK=1, RGB_ADDRD=1),
    arithmetic("MAD r126.g 0 0 0", v("A", 0, "000"), v("B", 0, "000"), v("C", 0, "000"), RGB_WMASK=2, RGB_ADDRD=126),
    arithmetic("MAD r[aL+85].b 0 0 0", v("A", 0, "000"), v("B", 0, "000"), v("C", 0, "000"), RGB_WMASK=4, RGB_ADDRD=85, RGB_ADDRD_REL=1),
    arithmetic("mad r85 0 0 0", s("A", 0, "0"), s("B", 0, "0"), s("C", 0, "0"), ALPHA_WMASK=1, ALPHA_ADDRD=85),
    arithmetic("mad r[aL+42] 0 0 0", s("A", 0, "0"), s("B", 0, "0"), s("C", 0, "0"), ALPHA_WMASK=1, ALPHA_ADDRD=42, ALPHA_ADDRD_REL=1),
    arithmetic("MAD o1.r 0 0 0", v("A", 0, "000"), v("B", 0, "000"), v("C", 0, "000"), TYPE=OUT, RGB_OMASK=1, RGB_TARGET=1),
    arithmetic("MAD o2.g 0 0 0", v("A", 0, "000"), v("B", 0, "000"), v("C", 0, "000"), TYPE=OUT, RGB_OMASK=2, RGB_TARGET=2),
    arithmetic("MAD o3.b 0 0 0 | mad o2 0 0 0", v("A", 0, "000"), v("B", 0, "000"), v("C", 0, "000"), s("A", 0, "0"), s("B", 0, "0"),
               s("C", 0, "0"), TYPE=OUT, RGB_OMASK=4, RGB_TARGET=3, ALPHA_OMASK=1, ALPHA_TARGET=2),
    arithmetic("mad o1 0 0 0", s("A", 0, "0"), s("B", 0, "0"), s("C", 0, "0"), TYPE=OUT, ALPHA_OMASK=1, ALPHA_TARGET=1),
    arithmetic("MAD r3.gb+o0.rb 0 0 0 | mad r4+o0 0 0 0", v("A", 0, "000"), v("B", 0, "000"), v("C", 0, "000"), s("A", 0, "0"),
               s("B", 0, "0"), s("C", 0, "0"), TYPE=OUT, RGB_WMASK=6, RGB_ADDRD=3, RGB_OMASK=5, ALPHA_WMASK=1, ALPHA_ADDRD=4, ALPHA_OMASK=1),
    arithmetic("MAD p_eq.r 1 1 1", v("A", 0, "111"), v("B", 0, "111"), v("C", 0, "111"), RGB_OMASK=1),
    arithmetic("MAD p_lt.g 1 1 1", v("A", 0, "111"), v("B", 0, "111"), v("C", 0, "111"), RGB_OMASK=2, RGB_TARGET=1),
    arithmetic("MAD p_ge.b 1 1 1", v("A", 0, "111"), v("B", 0, "111"), v("C", 0, "111"), RGB_OMASK=4, RGB_TARGET=2),
    arithmetic("MAD p_ne 1 1 1", v("A", 0, "111"), v("B", 0, "111"), v("C", 0, "111"), RGB_OMASK=7, RGB_TARGET=3),
    arithmetic("mad p_lt 1 1 1", s("A", 0, "1"), s("B", 0, "1"), s("C", 0, "1"), ALPHA_OMASK=1, ALPHA_TARGET=1),
    arithmetic("mad p_ge 1 1 1", s("A", 0, "1"), s("B", 0, "1"), s("C", 0, "1"), ALPHA_OMASK=1, ALPHA_TARGET=2),
    # ---- predicates ----
    arithmetic("(p) NOP", RGB_PRED_SEL=1),
    arithmetic("(p.r) NOP", RGB_PRED_SEL=2),
    arithmetic("(p.g) NOP", RGB_PRED_SEL=3),
    arithmetic("(!p.b) NOP", RGB_PRED_SEL=4, RGB_PRED_INV=1),
    arithmetic("(p.a) NOP", RGB_PRED_SEL=5),
    arithmetic("NOP | (p) mad - 0 0 0", s("A", 0, "0"), s("B", 0, "0"), s("C", 0, "0"), ALPHA_PRED_SEL=1),
    arithmetic("NOP | (!p.r) mad - 0 0 0", s("A", 0, "0"), s("B", 0, "0"), s("C", 0, "0"), ALPHA_PRED_SEL=2, ALPHA_PRED_INV=1),
    arithmetic("NOP | (p.b) mad - 0 0 0", s("A", 0, "0"), s("B", 0, "0"), s("C", 0, "0"), ALPHA_PRED_SEL=4),
    arithmetic("(!p.g) NOP.out | (p.a) mad - 0 0 0", s("A", 0, "0"), s("B", 0, "0"), s("C", 0, "0"), TYPE=OUT, RGB_PRED_SEL=3, RGB_PRED_INV=1,
               ALPHA_PRED_SEL=5),
    arithmetic("(p.b) NOP.out | (!p.r) mad - 0 0 0", s("A", 0, "0"), s("B", 0, "0"), s("C", 0, "0"), TYPE=OUT, RGB_PRED_SEL=4, ALPHA_PRED_SEL=2,
               ALPHA_PRED_INV=1),
    # ---- clamps, output modifiers, the ALU result ----
    arithmetic("MAD.sat - 0 0 0", v("A", 0, "000"), v("B", 0, "000"), v("C", 0, "000"), RGB_CLAMP=1),
    arithmetic("mad.sat - 0 0 0", s("A", 0, "0"), s("B", 0, "0"), s("C", 0, "0"), ALPHA_CLAMP=1),
    arithmetic("MAD.out.sat - 0 0 0", v("A", 0, "000"), v("B", 0, "000"), v("C", 0, "000"), TYPE=OUT, RGB_CLAMP=1),
    arithmetic("mad.out.sat - 0 0 0", s("A", 0, "0"), s("B", 0, "0"), s("C", 0, "0"), TYPE=OUT, ALPHA_CLAMP=1),
    *[arithmetic(f"MAD.{omod} - 0 0 0", v("A", 0, "000"), v("B", 0, "000"), v("C", 0, "000"), RGB_OMOD=code)
      for code, omod in ((1, "x2"), (2, "x4"), (3, "x8"), (4, "d2"), (5, "d4"), (6, "d8"))],
    *[arithmetic(f"mad.{omod} - 0 0 0", s("A", 0, "0"), s("B", 0, "0"), s("C", 0, "0"), ALPHA_OMOD=code)
      for code, omod in ((1, "x2"), (2, "x4"), (3, "x8"), (4, "d2"), (5, "d4"), (6, "d8"))],
    arithmetic("MAX.out.mov - 0 0 | min.mov - 0 0", v("A", 0, "000"), v("B", 0, "000"), s("A", 0, "0"), s("B", 0, "0"), TYPE=OUT, RGB_OP=5,
               RGB_OMOD=7, ALPHA_OP=2, ALPHA_OMOD=7),
    arithmetic("MAD.out.d2 - 0 0 0 | mad.x4 - 0 0 0", v("A", 0, "000"), v("B", 0, "000"), v("C", 0, "000"), s("A", 0, "0"), s("B", 0, "0"),
               s("C", 0, "0"), TYPE=OUT, RGB_OMOD=4, ALPHA_OMOD=2),
    arithmetic("NOP.alu_r_eq", ALU_WMASK=1),
    arithmetic("NOP.alu_r_lt", ALU_WMASK=1, ALU_RESULT_OP=1),
    arithmetic("NOP.alu_a_ge", ALU_WMASK=1, ALU_RESULT_SEL=1, ALU_RESULT_OP=2),
    arithmetic("NOP.noalu_a_ne", ALU_RESULT_SEL=1, ALU_RESULT_OP=3),
    arithmetic("NOP.out.noalu_a_lt", TYPE=OUT, ALU_RESULT_SEL=1, ALU_RESULT_OP=1),
    arithmetic("NOP.out.noalu_r_ge", TYPE=OUT, ALU_RESULT_OP=2),
    arithmetic("mad.w - 0 0 0", s("A", 0, "0"), s("B", 0, "0"), s("C", 0, "0"), W_OMASK=1),
    arithmetic("mad.out.w - 0 0 0", s("A", 0, "0"), s("B", 0, "0"), s("C", 0, "0"), TYPE=OUT, W_OMASK=1),
    # ---- addresses: registers, constants, relative ones, small floats ----
    arithmetic("NOP {r1, r2, r4}", RGB_ADDR0=1, RGB_ADDR1=2, RGB_ADDR2=4),
    arithmetic("NOP {r127, r85, r42}", RGB_ADDR0=127, RGB_ADDR1=85, RGB_ADDR2=42),
    arithmetic("NOP {c1, -, -}", RGB_ADDR0=1, RGB_CONST0=1),
    arithmetic("NOP {-, c254, -}", RGB_ADDR1=254, RGB_CONST1=1),
    arithmetic("NOP {-, -, c128}", RGB_ADDR2=128, RGB_CONST2=1),
    arithmetic("NOP {r[aL+3], -, -}", RGB_ADDR0=3, RGB_REL0=1),
    arithmetic("NOP {-, c[aL+7], -}", RGB_ADDR1=7, RGB_CONST1=1, RGB_REL1=1),
    arithmetic("NOP {-, -, r[aL+9]}", RGB_ADDR2=9, RGB_REL2=1),
    arithmetic("NOP {0.5, 1.625, 480}", RGB_ADDR0=0x80 + 48, RGB_ADDR1=0x80 + 61, RGB_ADDR2=0xff),
    arithmetic("NOP {srcp=1}", RGB_SRCP=1),
    arithmetic("NOP {srcp=2}", RGB_SRCP=2),
    arithmetic("mad - src0.0 src0.0 src0.0 {r1, r2, r4}", s("A", 0, "0"), s("B", 0, "0"), s("C", 0, "0"), ALPHA_ADDR0=1, ALPHA_ADDR1=2,
               ALPHA_ADDR2=4),
    arithmetic("mad - src0.0 src0.0 src0.0 {c255, r85, c170}", s("A", 0, "0"), s("B", 0, "0"), s("C", 0, "0"), ALPHA_ADDR0=255,
               ALPHA_CONST0=1, ALPHA_ADDR1=85, ALPHA_ADDR2=170, ALPHA_CONST2=1),
    arithmetic("mad - src0.0 src0.0 src0.0 {-, c[aL+1], r[aL+2]}", s("A", 0, "0"), s("B", 0, "0"), s("C", 0, "0"), ALPHA_ADDR1=1,
               ALPHA_CONST1=1, ALPHA_REL1=1, ALPHA_ADDR2=2, ALPHA_REL2=1),
    arithmetic("mad - src0.0 src0.0 src0.0 {r[aL+5], 1, 0.0625, srcp=1}", s("A", 0, "0"), s("B", 0, "0"), s("C", 0, "0"), ALPHA_ADDR0=5,
               ALPHA_REL0=1, ALPHA_ADDR1=0x80 + 56, ALPHA_ADDR2=0x80 + 24, ALPHA_SRCP=1),
    arithmetic("mad - src0.0 src0.0 src0.0 {srcp=2}", s("A", 0, "0"), s("B", 0, "0"), s("C", 0, "0"), ALPHA_SRCP=2),
    *[arithmetic(f"NOP{flag} {{{text}}}", TYPE=kind, **{f"RGB_{n}": value for n, value in fields.items()})
      for kind, flag in ((ALU, ""), (OUT, ".out")) for text, fields in SOURCES],
    *[arithmetic(f"mad{flag} - src0.0 src0.0 src0.0 {{{text}}}", s("A", 0, "0"), s("B", 0, "0"), s("C", 0, "0"), TYPE=kind,
                 **{f"ALPHA_{n}": value for n, value in fields.items()}) for kind, flag in ((ALU, ""), (OUT, ".out")) for text, fields in SOURCES],
    arithmetic("NOP.out {c[aL+1], c2, r3, srcp=3}", TYPE=OUT, RGB_ADDR0=1, RGB_CONST0=1, RGB_REL0=1, RGB_ADDR1=2, RGB_CONST1=1, RGB_ADDR2=3,
               RGB_SRCP=3),
    arithmetic("NOP.out {c255, c[aL+255], c[aL+255], srcp=1}", TYPE=OUT, RGB_ADDR0=255, RGB_CONST0=1, RGB_ADDR1=255, RGB_CONST1=1, RGB_REL1=1,
               RGB_ADDR2=255, RGB_CONST2=1, RGB_REL2=1, RGB_SRCP=1),
    arithmetic("mad.out - src0.0 src0.0 src0.0 {c[aL+255], c255, r4, srcp=3}", s("A", 0, "0"), s("B", 0, "0"), s("C", 0, "0"), TYPE=OUT,
               ALPHA_ADDR0=255, ALPHA_CONST0=1, ALPHA_REL0=1, ALPHA_ADDR1=255, ALPHA_CONST1=1, ALPHA_ADDR2=4, ALPHA_SRCP=3),
    arithmetic("mad.out - src0.0 src0.0 src0.0 {r8, c[aL+15], c[aL+255], srcp=2}", s("A", 0, "0"), s("B", 0, "0"), s("C", 0, "0"), TYPE=OUT,
               ALPHA_ADDR0=8, ALPHA_ADDR1=15, ALPHA_CONST1=1, ALPHA_REL1=1, ALPHA_ADDR2=255, ALPHA_CONST2=1, ALPHA_REL2=1, ALPHA_SRCP=2),
    # ---- operands: selection, components, modifiers, each place by itself ----
    arithmetic("MAD - src1.gba src0.000 src0.000", v("A", 1, "gba"), v("B", 0, "000"), v("C", 0, "000")),
    arithmetic("MAD - -src2.0h1 src0.000 src0.000", v("A", 2, "0h1", "-"), v("B", 0, "000"), v("C", 0, "000")),
    arithmetic("MAD - |srcp.ba_| src0.000 src0.000", v("A", 3, "ba_", "|"), v("B", 0, "000"), v("C", 0, "000")),
    arithmetic("MAD - src0.000 src1.gba src0.000", v("A", 0, "000"), v("B", 1, "gba"), v("C", 0, "000")),
    arithmetic("MAD - src0.000 |src2.0h1| src0.000", v("A", 0, "000"), v("B", 2, "0h1", "|"), v("C", 0, "000")),
    arithmetic("MAD - src0.000 -srcp.ba_ src0.000", v("A", 0, "000"), v("B", 3, "ba_", "-"), v("C", 0, "000")),
    arithmetic("MAD - src0.000 src0.000 src1.gba", v("A", 0, "000"), v("B", 0, "000"), v("C", 1, "gba")),
    arithmetic("MAD - src0.000 src0.000 -|src2.0h1|", v("A", 0, "000"), v("B", 0, "000"), v("C", 2, "0h1", "-|")),
    arithmetic("MAD - src0.000 src0.000 srcp.ba_", v("A", 0, "000"), v("B", 0, "000"), v("C", 3, "ba_")),
    arithmetic("MAD - -src1.rrr |src2.ggg| src3.bbb".replace("src3", "srcp"), v("A", 1, "rrr", "-"), v("B", 2, "ggg", "|"), v("C", 3, "bbb")),
    arithmetic("mad - src1.g src0.0 src0.0", s("A", 1, "g"), s("B", 0, "0"), s("C", 0, "0")),
    arithmetic("mad - -src2.h src0.0 src0.0", s("A", 2, "h", "-"), s("B", 0, "0"), s("C", 0, "0")),
    arithmetic("mad - |srcp.b| src0.0 src0.0", s("A", 3, "b", "|"), s("B", 0, "0"), s("C", 0, "0")),
    arithmetic("mad - src0.0 src1.a src0.0", s("A", 0, "0"), s("B", 1, "a"), s("C", 0, "0")),
    arithmetic("mad - src0.0 |src2.h| src0.0", s("A", 0, "0"), s("B", 2, "h", "|"), s("C", 0, "0")),
    arithmetic("mad - src0.0 -srcp.1 src0.0", s("A", 0, "0"), s("B", 3, "1", "-"), s("C", 0, "0")),
    arithmetic("mad - src0.0 src0.0 src1.r", s("A", 0, "0"), s("B", 0, "0"), s("C", 1, "r")),
    arithmetic("mad - src0.0 src0.0 -|src2.h|", s("A", 0, "0"), s("B", 0, "0"), s("C", 2, "h", "-|")),
    arithmetic("mad - src0.0 src0.0 srcp.b", s("A", 0, "0"), s("B", 0, "0"), s("C", 3, "b")),
    arithmetic("mad - -src1.r |src2.g| srcp._", s("A", 1, "r", "-"), s("B", 2, "g", "|"), s("C", 3, "_")),
    arithmetic("MAD.out - src3.gb_ -src1._h1 |src2.h1_|".replace("src3", "srcp"), v("A", 3, "gb_"), v("B", 1, "_h1", "-"), v("C", 2, "h1_", "|"),
               TYPE=OUT),
    arithmetic("MAD.out - -|src1.b_g| |src2.hab| -src1._rh", v("A", 1, "b_g", "-|"), v("B", 2, "hab", "|"), v("C", 1, "_rh", "-"), TYPE=OUT),
    arithmetic("mad.out - srcp.g -src1._ |src2.h|", s("A", 3, "g"), s("B", 1, "_", "-"), s("C", 2, "h", "|"), TYPE=OUT),
    arithmetic("mad.out - -|src1.b| |src2.h| -src1._", s("A", 1, "b", "-|"), s("B", 2, "h", "|"), s("C", 1, "_", "-"), TYPE=OUT),
    arithmetic("MAD.out - src0.000 src2.ggg src2.rgr", v("A", 0, "000"), v("B", 2, "ggg"), v("C", 2, "rgr"), TYPE=OUT),
    arithmetic("MAD.out - src0.000 src1.hgg src2.rgg", v("A", 0, "000"), v("B", 1, "hgg"), v("C", 2, "rgg"), TYPE=OUT),
    arithmetic("mad.out - src0.0 src2.g src1.g", s("A", 0, "0"), s("B", 2, "g"), s("C", 1, "g"), TYPE=OUT),
    # ---- the short form: sources by name, presubtracts ----
    arithmetic("MAD r9.r r1.rrr c2.ggg -r3.bbb", v("A", 0, "rrr"), v("B", 1, "ggg"), v("C", 2, "bbb", "-"), RGB_WMASK=1, RGB_ADDRD=9, RGB_ADDR0=1,
               RGB_ADDR1=2, RGB_CONST1=1, RGB_ADDR2=3),
    arithmetic("MAD r9.r (1-2*r20) 1 0", v("A", 3, RGB), v("B", 0, "111"), v("C", 0, "000"), RGB_WMASK=1, RGB_ADDRD=9, RGB_ADDR0=20),
    arithmetic("MAD r9.r (r21-r20) 1 0", v("A", 3, RGB), v("B", 0, "111"), v("C", 0, "000"), RGB_WMASK=1, RGB_ADDRD=9, RGB_ADDR0=20,
               RGB_ADDR1=21, RGB_SRCP=1),
    arithmetic("MAD r9.r (r21+r20) 1 0", v("A", 3, RGB), v("B", 0, "111"), v("C", 0, "000"), RGB_WMASK=1, RGB_ADDRD=9, RGB_ADDR0=20,
               RGB_ADDR1=21, RGB_SRCP=2),
    arithmetic("MAD r9.r (1-r20) 1 0", v("A", 3, RGB), v("B", 0, "111"), v("C", 0, "000"), RGB_WMASK=1, RGB_ADDRD=9, RGB_ADDR0=20, RGB_SRCP=3),
    arithmetic("mad r9 (r21-r20) 1 0", s("A", 3, "a"), s("B", 0, "1"), s("C", 0, "0"), ALPHA_WMASK=1, ALPHA_ADDRD=9, ALPHA_ADDR0=20,
               ALPHA_ADDR1=21, ALPHA_SRCP=1),
    arithmetic("ADD r9.r r1 r2", v("A", 0, RGB), v("B", 0, "111"), v("C", 1, RGB), RGB_WMASK=1, RGB_ADDRD=9, RGB_ADDR0=1, RGB_ADDR1=2),
    arithmetic("SUB r9.r r1 r2", v("A", 0, RGB), v("B", 0, "111"), v("C", 1, RGB, "-"), RGB_WMASK=1, RGB_ADDRD=9, RGB_ADDR0=1, RGB_ADDR1=2),
    arithmetic("MUL r9.r r1 r2", v("A", 0, RGB), v("B", 1, RGB), v("C", 0, "000"), RGB_WMASK=1, RGB_ADDRD=9, RGB_ADDR0=1, RGB_ADDR1=2),
    arithmetic("MOV r9.r r1", v("A", 0, RGB), v("B", 0, RGB), RGB_OP=5, RGB_OMOD=7, RGB_WMASK=1, RGB_ADDRD=9, RGB_ADDR0=1),
    arithmetic("DOT4 r9 r1 r2 | dot4 r9", v("A", 0, RGB), v("B", 1, RGB), s("A", 0, "a"), s("B", 1, "a"), RGB_OP=2, ALPHA_OP=1, RGB_WMASK=7,
               RGB_ADDRD=9, ALPHA_WMASK=1, ALPHA_ADDRD=9, RGB_ADDR0=1, RGB_ADDR1=2, ALPHA_ADDR0=1, ALPHA_ADDR1=2),
    # ---- every operation ----
    *[arithmetic(f"{op} - src0.000 src0.000 src0.000", v("A", 0, "000"), v("B", 0, "000"), v("C", 0, "000"), RGB_OP=VECTOR[op])
      for op in ("MAD", "D2A", "CND", "CMP", "MDH", "MDV")],
    *[arithmetic(f"{op} - src0.000 src0.000", v("A", 0, "000"), v("B", 0, "000"), RGB_OP=VECTOR[op]) for op in ("DP3", "DP4", "MIN", "MAX")],
    arithmetic("FRC - src0.000", v("A", 0, "000"), RGB_OP=9),
    arithmetic("SOP - | rcp - src0.0", s("A", 0, "0"), RGB_OP=10, ALPHA_OP=10),
    arithmetic("DP3.out - src0.000 src0.000 | dp -", v("A", 0, "000"), v("B", 0, "000"), TYPE=OUT, RGB_OP=1, ALPHA_OP=1),
    arithmetic("MDV.out - src0.000 src0.000 src0.000 | mdh - src0.0 src0.0 src0.0", v("A", 0, "000"), v("B", 0, "000"), v("C", 0, "000"),
               s("A", 0, "0"), s("B", 0, "0"), s("C", 0, "0"), TYPE=OUT, RGB_OP=12, ALPHA_OP=14),
    arithmetic("MDH.out - src0.000 src0.000 src0.000 | rsq - src0.0", v("A", 0, "000"), v("B", 0, "000"), v("C", 0, "000"), s("A", 0, "0"),
               TYPE=OUT, RGB_OP=11, ALPHA_OP=11),
    *[arithmetic(f"{op} - src0.0 src0.0 src0.0", s("A", 0, "0"), s("B", 0, "0"), s("C", 0, "0"), ALPHA_OP=SCALAR[op])
      for op in ("mad", "cnd", "cmp", "mdh", "mdv")],
    *[arithmetic(f"{op} - src0.0 src0.0", s("A", 0, "0"), s("B", 0, "0"), ALPHA_OP=SCALAR[op]) for op in ("min", "max")],
    *[arithmetic(f"{op} - src0.0", s("A", 0, "0"), ALPHA_OP=SCALAR[op]) for op in ("frc", "ex2", "ln2", "rcp", "rsq", "sin", "cos")],
    arithmetic("DP3 - src0.000 src0.000 | dp -", v("A", 0, "000"), v("B", 0, "000"), RGB_OP=1, ALPHA_OP=1),
    # ---- the other half of the destination, for type OUT ----
    arithmetic("MAD.out r127 0 0 0 | mad r[aL+120] 0 0 0", v("A", 0, "000"), v("B", 0, "000"), v("C", 0, "000"), s("A", 0, "0"), s("B", 0, "0"),
               s("C", 0, "0"), TYPE=OUT, RGB_WMASK=7, RGB_ADDRD=127, ALPHA_WMASK=1, ALPHA_ADDRD=120, ALPHA_ADDRD_REL=1),
    arithmetic("MAD.out r[aL+1].g 0 0 0 | mad r7 0 0 0", v("A", 0, "000"), v("B", 0, "000"), v("C", 0, "000"), s("A", 0, "0"), s("B", 0, "0"),
               s("C", 0, "0"), TYPE=OUT, RGB_WMASK=2, RGB_ADDRD=1, RGB_ADDRD_REL=1, ALPHA_WMASK=1, ALPHA_ADDRD=7),
    # ---- public programs (buhman/r500) ----
    ("MAX.wait o0 0 0 | max o0 1 1", "00078005 08020080 08020080 00920490 00c18003 00000005"),
    ("NOP | rsq r0.a |src0.r| {r0}", "00004000 08020080 08020000 00000000 0004000b 00000000"),
    ("SOP o0.r | rcp - r0.a", "00008001 08020080 08020000 00000000 0000c00a 0000000a"),
]
LOOKUP_CASES = [
    lookup("TEX r1 r2 s3", TEX_INST=1, TEX_ID=3, SRC_ADDR=2, S=0, T=1, R=2, Q=3, DST_ADDR=1, RGB_WMASK=7, ALPHA_WMASK=1),
    lookup("TEX.wait.acq r0 r0.rg s0", TEX_SEM_WAIT=1, TEX_INST=1, SEM_ACQUIRE=1, S=0, T=1, R=3, Q=3, RGB_WMASK=7, ALPHA_WMASK=1),
    lookup("TEX.wait r1._ r2.rrrr s8", TEX_SEM_WAIT=1, TEX_INST=1, TEX_ID=8, SRC_ADDR=2, DST_ADDR=1),
    lookup("TEX.scaled r127.r r85.rrrr s15", UNSCALED=0, TEX_INST=1, TEX_ID=15, SRC_ADDR=85, DST_ADDR=127, RGB_WMASK=1),
    lookup("TEX r85.g r127.grrr s10.gbar", TEX_INST=1, TEX_ID=10, SRC_ADDR=127, S=1, DST_ADDR=85, RGB_WMASK=2, RED=1, GREEN=2, BLUE=3, ALPHA=0),
    lookup("TEX r42.b r1.rbrr s5.barg", TEX_INST=1, TEX_ID=5, SRC_ADDR=1, T=2, DST_ADDR=42, RGB_WMASK=4, RED=2, GREEN=3, BLUE=0, ALPHA=1),
    lookup("TEX r1.a r2.rrgr s1.rrrr", TEX_INST=1, TEX_ID=1, SRC_ADDR=2, R=1, DST_ADDR=1, ALPHA_WMASK=1, GREEN=0, BLUE=0, ALPHA=0),
    lookup("TEX r1._ r2.rrrb s2.aaaa", TEX_INST=1, TEX_ID=2, SRC_ADDR=2, Q=2, DST_ADDR=1, RED=3, GREEN=3, BLUE=3, ALPHA=3),
    lookup("TEX r1._ r2.abgr s4.rgbr", TEX_INST=1, TEX_ID=4, SRC_ADDR=2, S=3, T=2, R=1, Q=0, DST_ADDR=1, ALPHA=0),
    lookup("TEX r1._ r[aL+5].rrrr s8", TEX_INST=1, TEX_ID=8, SRC_ADDR=5, SRC_REL=1, DST_ADDR=1),
    lookup("TEX r[aL+4]._ r2.rrrr s8", TEX_INST=1, TEX_ID=8, SRC_ADDR=2, DST_ADDR=4, DST_REL=1),
    lookup("TEX.uncovered r1._ r2.rrrr s8", TEX_INST=1, TEX_UNCOVERED=1, TEX_ID=8, SRC_ADDR=2, DST_ADDR=1),
    lookup("TEX.nop r1._ r2.rrrr s8", NOP=1, TEX_INST=1, TEX_ID=8, SRC_ADDR=2, DST_ADDR=1),
    lookup("TEX.aluwait r1._ r2.rrrr s8", ALU_WAIT=1, TEX_INST=1, TEX_ID=8, SRC_ADDR=2, DST_ADDR=1),
    lookup("TEX.inactive r1._ r2.rrrr s8", WRITE_INACTIVE=1, TEX_INST=1, TEX_ID=8, SRC_ADDR=2, DST_ADDR=1),
    lookup("(p) TEX r1._ r2.rrrr s8", RGB_PRED_SEL=1, ALPHA_PRED_SEL=1, TEX_INST=1, TEX_ID=8, SRC_ADDR=2, DST_ADDR=1),
    lookup("(!p.r) TEX alpha (p.b) r1._ r2.rrrr s8", RGB_PRED_SEL=2, RGB_PRED_INV=1, ALPHA_PRED_SEL=4, TEX_INST=1, TEX_ID=8, SRC_ADDR=2, DST_ADDR=1),
    lookup("(p.b) TEX alpha (!p.g) r1._ r2.rrrr s8", RGB_PRED_SEL=4, ALPHA_PRED_SEL=3, ALPHA_PRED_INV=1, TEX_INST=1, TEX_ID=8, SRC_ADDR=2, DST_ADDR=1),
    lookup("TEXKILL r3", TEX_INST=2, SRC_ADDR=3, S=0, T=1, R=2, Q=3),
    lookup("TEXPROJ r1._ r2.rrrr s8", TEX_INST=3, TEX_ID=8, SRC_ADDR=2, DST_ADDR=1),
    lookup("TEXBIAS r1._ r2.rrrr s8", TEX_INST=4, TEX_ID=8, SRC_ADDR=2, DST_ADDR=1),
    lookup("TEXLOD r1._ r2.rrrr s8", TEX_INST=5, TEX_ID=8, SRC_ADDR=2, DST_ADDR=1),
    lookup("TEXDXDY r1._ r2.rrrr s8 r85.abgr r42.gbar", TEX_INST=6, TEX_ID=8, SRC_ADDR=2, DST_ADDR=1, DX_ADDR=85, DX_SWIZZLE=0x1b, DY_ADDR=42,
           DY_SWIZZLE=0x39),
    lookup("TEXDXDY r1._ r2.rrrr s8 r[aL+42].aaaa r85.rrrr", TEX_INST=6, TEX_ID=8, SRC_ADDR=2, DST_ADDR=1, DX_ADDR=42, DX_REL=1, DX_SWIZZLE=0xff,
           DY_ADDR=85),
    lookup("TEXDXDY r1._ r2.rrrr s8 r85.rrrr r[aL+42].aaaa", TEX_INST=6, TEX_ID=8, SRC_ADDR=2, DST_ADDR=1, DX_ADDR=85, DY_ADDR=42, DY_REL=1,
           DY_SWIZZLE=0xff),
    ("TEXNOP", {"TYPE": TEX}),
    ("TEX.scaled.acq.wait r0 r0.rg s0", "00007807 02400000 e400f400 00000000 00000000 00000000"),
]
# From here on targets are numbers of instructions, counted from the first line. The usual shapes are Mesa's, but that its LOOP
# names its ENDLOOP.
FLOW_CASES = [
    flow("FC jump 511", "jump", JUMP=511),  # 0
    flow("FC jump 256 any", "jump", JUMP=256, JUMP_ANY=1),
    flow("FC jump 170 else", "jump", JUMP=170, B_ELSE=1),
    flow("FC jump 85 func=0xff", "jump", JUMP=85, JUMP_FUNC=255),
    flow("FC jump 1 func=0xaa bool=31", "jump", JUMP=1, JUMP_FUNC=0xaa, BOOL=31),
    flow("FC jump 1 func=0x55 bool=10", "jump", JUMP=1, JUMP_FUNC=0x55, BOOL=10),
    flow("FC jump 1 pop=31", "jump", JUMP=1, B_POP_CNT=31),
    flow("FC jump 1 pop=10", "jump", JUMP=1, B_POP_CNT=10),
    flow("FC jump 1 stay=1", "jump", JUMP=1, B_OP0=1),  # 8
    flow("FC jump 1 stay=2", "jump", JUMP=1, B_OP0=2),
    flow("FC jump 1 go=1", "jump", JUMP=1, B_OP1=1),
    flow("FC jump 1 go=2", "jump", JUMP=1, B_OP1=2),
    flow("FC jump 1 stack=1", "jump", JUMP=1, A_OP=1),
    flow("FC jump 1 stack=2", "jump", JUMP=1, A_OP=2),
    flow("FC jump 1 int=31", "jump", JUMP=1, INT=31),
    flow("FC jump 1 int=21", "jump", JUMP=1, INT=21),
    flow("FC.noaluwait jump 1", "jump", JUMP=1, ALU_WAIT=0),  # 16
    flow("FC.wait jump 1", "jump", JUMP=1, TEX_SEM_WAIT=1),
    flow("FC.nop jump 1", "jump", JUMP=1, NOP=1),
    flow("FC.uncovered jump 1", "jump", JUMP=1, FC_UNCOVERED=1),
    flow("(p.r) FC jump 1", "jump", JUMP=1, RGB_PRED_SEL=2),
    flow("(!p.b) FC jump 1", "jump", JUMP=1, RGB_PRED_SEL=4, RGB_PRED_INV=1),
    flow("(p.g) FC jump 1", "jump", JUMP=1, RGB_PRED_SEL=3),
    arithmetic("NOP.alu_r_lt", ALU_WMASK=1, ALU_RESULT_OP=1),
    flow("IF alu", "jump", JUMP_FUNC=0x0f, B_OP0=2, B_OP1=2, JUMP=26, FC_UNCOVERED=1),  # 24: jump behind ELSE when the ALU result is 0
    flow("ELSE", "jump", B_ELSE=1, B_OP1=1, B_POP_CNT=1, JUMP=27),
    flow("ENDIF", "jump", JUMP_ANY=1, B_OP0=1, B_POP_CNT=1, JUMP=27),
    flow("IF !p.a", "jump", JUMP_FUNC=0xcc, RGB_PRED_SEL=5, B_OP0=2, JUMP=29, FC_UNCOVERED=1),
    flow("ENDIF", "jump", JUMP_ANY=1, B_OP0=1, B_POP_CNT=1, JUMP=29),
    flow("IF b3", "jump", JUMP_FUNC=0x55, BOOL=3, B_OP0=2, JUMP=31, FC_UNCOVERED=1),
    flow("ENDIF", "jump", JUMP_ANY=1, B_OP0=1, B_POP_CNT=1, JUMP=31),
    flow("LOOP i9", "loop", INT=9, JUMP=37, FC_UNCOVERED=1),  # 31: behind its end when it makes no round
    flow("IF p.b", "jump", JUMP_FUNC=0x33, RGB_PRED_SEL=4, B_OP0=2, JUMP=35, FC_UNCOVERED=1),
    flow("BRK", "breakloop", JUMP_FUNC=0xff, B_OP1=1, B_POP_CNT=1, JUMP=37, FC_UNCOVERED=1),
    flow("ENDIF", "jump", JUMP_ANY=1, B_OP0=1, B_POP_CNT=1, JUMP=35),
    flow("CONT p.g", "continue", JUMP_FUNC=0xcc, RGB_PRED_SEL=3, JUMP=36, FC_UNCOVERED=1),
    flow("ENDLOOP", "endloop", JUMP_FUNC=0xff, JUMP_ANY=1, INT=9, JUMP=32, FC_UNCOVERED=1),
    flow("REP i4", "rep", INT=4, JUMP=40, FC_UNCOVERED=1),
    flow("BRK !b5", "breakrep", JUMP_FUNC=0x55, BOOL=5, JUMP=40, FC_UNCOVERED=1),
    flow("ENDREP", "endrep", JUMP_FUNC=0xff, JUMP_ANY=1, INT=4, JUMP=38, FC_UNCOVERED=1),
    flow("JMP there", "jump", JUMP_FUNC=0xff, JUMP=43),  # 40
    flow("CALL p.r there", "jump", JUMP_FUNC=0xcc, RGB_PRED_SEL=2, A_OP=2, JUMP=43),
    flow("RET", "jump", JUMP_FUNC=0xff, A_OP=1),
    arithmetic("there: NOP"),
    # Mesa's own loop: LOOP names the ENDLOOP.
    flow("FC.uncovered loop 45 int=0", "loop", JUMP=45, FC_UNCOVERED=1),  # 44
    flow("FC.uncovered endloop 45 any func=0xff int=0", "endloop", JUMP_FUNC=0xff, JUMP_ANY=1, JUMP=45, FC_UNCOVERED=1),
]
# Words of flow control written down as they are, from the same descriptions.
FLOW_WORDS = {
    24: "00000402 00000000 1a000f00 001a0000 00000000 00000000",
    25: "00000402 00000000 04010010 001b0000 00000000 00000000",
    26: "00000402 00000000 01010020 001b0000 00000000 00000000",
    31: "00000402 00000000 10000001 00250900 00000000 00000000",
    33: "00000402 00000000 1401ff05 00250000 00000000 00000000",
    35: "0000041a 00000000 1000cc07 00240000 00000000 00000000",
    36: "00000402 00000000 1000ff22 00200900 00000000 00000000",
    41: "00000412 00000000 0000cc80 002b0000 00000000 00000000",
    42: "00000402 00000000 0000ff40 00000000 00000000 00000000",
}


def encode(fields):
    """The six words; a case may give them as text instead."""
    if isinstance(fields, str):
        return [int(w, 16) for w in fields.split()]
    words = [0] * 6
    for name, value in fields.items():
        word, high, low, types = FIELDS[name]
        assert fields.get("TYPE", ALU) in types and value >> (high - low + 1) == 0, (name, value)
        words[word] |= value << low
    return words


def words_of(container):
    """The instructions in a container: offset within the file, and six words each."""
    phoff, = struct.unpack_from("<I", container, 28)
    phentsize, phnum = struct.unpack_from("<HH", container, 42)
    for i in range(phnum):
        kind, offset, _, _, size = struct.unpack_from("<IIIII", container, phoff + i * phentsize)
        if kind == 1:
            return offset, [list(struct.unpack_from("<6I", container, offset + at)) for at in range(0, size, 24)]
    sys.exit("the container has no code")


class Check:
    def __init__(self, assembler, disassembler, folder):
        self.assembler, self.disassembler, self.folder, self.faults, self.cases = assembler, disassembler, folder, 0, []

    def fault(self, text):
        self.faults += 1
        print(text)

    def assemble(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path + ".sp", "w", encoding="ascii") as f:
            f.write(text)
        done = subprocess.run([self.assembler, path + ".sp", "-o", path + ".spo"], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{name}.sp does not assemble:\n{done.stderr}")
        with open(path + ".spo", "rb") as f:
            return f.read()

    def program(self, name, cases, before="", between="", after=""):
        """Assembles cases, each followed by the lines between, and compares the words."""
        extra = between.count("\n")
        lines = "".join(f"{text}\n{between}" for text, _ in cases)
        container = self.assemble(name, f".manual\n{before}{lines}{after}")
        _, words = words_of(container)
        for i, (text, fields) in enumerate(cases):
            wanted, got = encode(fields), words[i * (1 + extra)]
            if got != wanted:
                self.fault(f"'{text}' is {' '.join(f'{w:08x}' for w in got)}, expected {' '.join(f'{w:08x}' for w in wanted)}")
        self.cases += [fields for _, fields in cases if isinstance(fields, dict)]
        return container, words

    def check_coverage(self):
        """Whether the cases set every bit, and tell fields of one type from each other."""
        for kind in ALL:
            names = [n for n, f in FIELDS.items() if kind in f[3] and (kind, n) not in REFUSED and n != "TYPE"]
            mine = [c for c in self.cases if c.get("TYPE", ALU) == kind]
            for n in names:
                _, high, low, _ = FIELDS[n]
                seen = 0
                for c in mine:
                    seen |= c.get(n, 0)
                if seen != (1 << (high - low + 1)) - 1:
                    self.fault(f"type {kind}: the cases set only bits {seen:#x} of {n}")
            for i, a in enumerate(names):
                for b in names[i + 1:]:
                    if all(c.get(a, 0) == c.get(b, 0) for c in mine):
                        self.fault(f"type {kind}: no case tells {a} from {b}")
        for field, codes in (("RGB_OP", VECTOR), ("ALPHA_OP", SCALAR), ("TEX_INST", LOOKUP), ("FC_OP", FLOW)):
            seen = {c.get(field, 0) for c in self.cases}
            if not set(codes.values()) <= seen:
                self.fault(f"{field}: no case has {sorted(set(codes.values()) - seen)}")

    def refusal(self, container, offset, at, word, bit):
        """What is said of a container with one bit more."""
        changed = bytearray(container)
        place = offset + 24 * at + 4 * word
        value, = struct.unpack_from("<I", changed, place)
        struct.pack_into("<I", changed, place, value | 1 << bit)
        path = os.path.join(self.folder, "changed.spo")
        with open(path, "wb") as f:
            f.write(changed)
        done = subprocess.run([self.disassembler, path, "-o", os.devnull], capture_output=True, text=True, check=False)
        return done.stderr if done.returncode != 0 else None

    def check_refusals(self):
        container = self.assemble("bits", ".manual\n NOP\n NOP.out\n FC jump 3\n TEXNOP\n NOP.out.wait\n END\n")
        offset, _ = words_of(container)
        for kind in ALL:
            known = {(w, b) for w, high, low, types in FIELDS.values() if kind in types for b in range(low, high + 1)}
            wanted = {(w, b): "bits are set that instructions of this type do not have" for w in range(6) for b in range(32)
                      if (w, b) not in known}
            wanted.update({(FIELDS[n][0], FIELDS[n][2]): text for (k, n), text in REFUSED.items() if k == kind})
            for (word, bit), text in wanted.items():
                said = self.refusal(container, offset, kind, word, bit)
                if said is None or text not in said or f"instruction {kind}:" not in said:
                    self.fault(f"type {kind}, word {word}, bit {bit}: expected '{text}', got {said}")


def main():
    check = Check(*sys.argv[1:4])
    loop = " LOOP i0\n ENDLOOP\n"
    end = " NOP.out.wait\n END\n"
    check.program("arithmetic", ARITHMETIC_CASES, after=loop + end)
    check.program("lookups", LOOKUP_CASES, between=" TEXNOP.acq.wait\n NOP.wait\n", after=loop + end)
    fill = 512 - len(FLOW_CASES) - 1
    _, words = check.program("flow", FLOW_CASES, after=f" .repeat {fill}\n NOP\n .endrepeat\n{end}")
    for at, text in FLOW_WORDS.items():
        if words[at] != encode(text):
            check.fault(f"instruction {at} is {' '.join(f'{w:08x}' for w in words[at])}, expected {text}")
    check.check_coverage()
    check.check_refusals()
    total = len(ARITHMETIC_CASES) + len(LOOKUP_CASES) + len(FLOW_CASES)
    print(f"{total} instructions, {len(FIELDS)} fields: {check.faults} faults")
    return check.faults != 0


sys.exit(main())
