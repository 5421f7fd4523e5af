# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What instructions of x86-64 do, from the text of a compiler's assembly: class, width, operations, what they read and set.

A program is cut into blocks: what follows a label or a jump, up to the next one. `instrument` puts into each block what counts
that it was reached, without touching flags, so that a run gives exact counts of instructions at nearly its own speed.
"""
import re
import sys
from collections import Counter, namedtuple

# kind: one of KINDS, or "unknown"; width: bytes of the widest register, 4 or 8 for integers; loads, stores: how many, of the same width;
# operations: arithmetic on numbers, one for each lane, two for a product that is added; reads, sets: names of registers, and
# "flags"; address: registers that say where in memory; place: the operand in memory, or nothing; cells: how many times four bytes
# of it are known to be read or written
Instruction = namedtuple("Instruction", "text kind width loads stores operations reads sets address place cells",
                         defaults=[(), (), (), "", 0])
KINDS = ("multiply", "add", "divide", "logic", "shuffle", "permute", "integer", "times", "branch", "move")
VECTOR = ("multiply", "add", "divide", "logic", "shuffle", "permute")
# The widths that peaks.py measures; what is narrower counts as the first.
WIDTHS = (16, 32, 64)

FLOAT = r"(?:[ps][sdh]|sd|ss)[lqx]?$"
PATTERNS = [(re.compile(pattern), kind) for pattern, kind in (
    (r"v?(fn?m(add|sub|addsub|subadd)\d*|mul)" + FLOAT, "multiply"),
    (r"v?(pmul|pmadd|pclmul|pdp|dp[ps])|v?gf2p8|v?aes|sha", "multiply"),
    (r"v?(div|sqrt)" + FLOAT, "divide"),
    (r"v?(add|sub|addsub|min|max|cmp\w*?|u?comi|round|rndscale|scalef|getexp|getmant|range|reduce|fixupimm|fpclass|hadd|hsub)" + FLOAT, "add"),
    (r"v?cvt|v?rcp|v?rsqrt", "add"),
    (r"v?(perm[it]2|perm(ps|pd|[bwdq]$)|p?compress|p?expand|pconflict)|vshuf[fi]|vp?align[dq]|vpmov[sz]x|vpmovu?s?[wdq][bwd]$", "permute"),
    (r"v?(p?shuf|perm|pperm|p?unpck|punpck|pack|p[sl]rldq|pslldq|psrldq|palign|align|insert|extract|pinsr|pextr|"
     r"movhl|movlh|mov[sd][lh]?dup|movddup|mov[lh]p|pmovmsk|movmsk|pmov[sz]x|pmovu?s?[bwdqm]+2?[bwdqm]*$|p?broadcast)", "shuffle"),
    (r"vpmov", "shuffle"),
    (r"v?p?(and|or|xor|andn|add|sub|abs|sll|srl|sra|rol|ror|sh[lr]d|ternlog|cmp|max|min|avg|blend|test|testn|testm|lzcnt|popcnt|sign|sad|multishift|hadd)", "logic"),
    (r"vpblend|vblend", "logic"),
    (r"k", "logic"),
)]
MOVES = re.compile(r"v?mov(a|u|nt|d$|q$|ss|sd$|dq|ap|up|[lh]p[sd])|v?lddqu|kmov|v?p?broadcast|v?p?gather|v?p?scatter|v?p?maskmov")
BRANCH = re.compile(r"j\w+$|call\w*$|ret\w*$|loop\w*$|leave\w*$|ud2$")
CONDITION = re.compile(r"(j(?!mp)|set|cmov|adc|sbb)")
NOTHING = re.compile(r"(nop\w*|endbr64|prefetch\w*|vzeroupper|vzeroall|data16|cs|lfence|mfence|sfence|pause|cld|emms)$")
READ_ONLY = re.compile(r"(cmp|test|bt)[bwlq]?$|v?u?comis[sd]$|v?p?test(ps|pd)?$|v?ptest$|kortest\w$|ktest\w$")
# Of two equal operands these give the same whatever they hold.
SAME = re.compile(r"v?p?xor|v?p?andn|v?p?sub[bwdq]$|sub[lq]$|v?pcmpeq|kxn?or")
NO_FLAGS = re.compile(r"(mov|lea|push|pop|not|set|cmov|bswap|mulx|shlx|shrx|sarx|rorx|pdep|pext|xchg|cltq|cltd|cqto|cwtl|cwtd|v|k|j|call|ret|rep)")
SUFFIXES = {"b": 1, "w": 2, "l": 4, "q": 8}
REGISTER = re.compile(r"%([a-z]+\d*[a-z]*)")
PARTS = {}
for _name in "abcd":
    for _form in ("r%sx", "e%sx", "%sx", "%sl", "%sh"):
        PARTS[_form % _name] = "r%sx" % _name
for _name in ("si", "di", "bp", "sp"):
    for _form in ("r%s", "e%s", "%s", "%sl"):
        PARTS[_form % _name] = "r" + _name
for _number in range(8, 32):
    for _form in ("r%d", "r%dd", "r%dw", "r%db"):
        PARTS[_form % _number] = "r%d" % _number
for _number in range(32):
    for _form in ("xmm%d", "ymm%d", "zmm%d"):
        PARTS[_form % _number] = "zmm%d" % _number
# What a function that is not counted may change: what is in them then waits for nothing that is known.
CHANGED = tuple(["rax", "rcx", "rdx", "rsi", "rdi", *(f"r{n}" for n in range(8, 12)), *(f"zmm{n}" for n in range(32)), *(f"k{n}" for n in range(8))])


def whole(register):
    """The register that a name is a part of: zmm1 of xmm1, rax of al."""
    return PARTS.get(register, register)


def split_operands(text):
    """Operands of AT&T's text, at the commas outside of parentheses and braces."""
    operands, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += c in "({"
        depth -= c in ")}"
        if c == "," and depth == 0:
            operands.append(text[start:i].strip())
            start = i + 1
    operands.append(text[start:].strip())
    return [o for o in operands if o]


def is_memory(operand):
    return not operand.startswith(("%", "$", "*%")) and not operand.startswith("{")


def vector_width(operands):
    found = [64 if r[0] == "z" else 32 if r[0] == "y" else 16 for o in operands for r in REGISTER.findall(re.sub(r"\(.*?\)", "", o)) if r[1:3] == "mm"]
    return max(found, default=0)


def lanes(name, width):
    """Numbers of 32 bits that an instruction on vectors works on (of 64 bits, where it computes on doubles)."""
    if re.search(r"s[sdh][lqx]?$", name) and not re.match(r"v?p", name):
        return 1
    return width // 8 if re.search(r"pd[xyz]?$", name) else width // 4


def decode(text):
    """An instruction from its line."""
    words = text.split(None, 1)
    name = words[0]
    if name in ("rep", "repz", "repnz", "lock", "notrack", "rex64", "bnd") and len(words) > 1:
        words = words[1].split(None, 1)
        name = words[0]
    operands = split_operands(words[1]) if len(words) > 1 else []
    vector = vector_width(operands)
    masks = any("%k" in o for o in operands)
    memory = [i for i, o in enumerate(operands) if is_memory(o)]
    if NOTHING.match(name):
        return Instruction(text, "move", 8, 0, 0, 0)
    if BRANCH.match(name):
        outside = name.startswith("call") and ("@" in operands[0] or operands[0].startswith("*"))
        return Instruction(text, "branch", 8, int(name.startswith("ret")), int(name.startswith("call")), 0, ("flags",) if CONDITION.match(name) else (),
                           CHANGED if outside else ())
    kind, width, operations = integer(name) if not vector and not (masks and name[0] == "k") else of_vector(name, operands, vector)
    loads, stores = accesses(name, operands, memory, vector)
    place = operands[memory[-1]].split("{")[0] if memory and (loads or stores) and not re.match(r"v?p?(gather|scatter)", name) else ""
    if ":" in place or text.startswith("rep"):
        place = ""
    return Instruction(text, kind, width, loads, stores, operations, *registers(name, operands, memory), place, cells(name, operands, width) if place else 0)


def cells(name, operands, width):
    """Of how many times four bytes it is known that they are read or written."""
    whole_vectors = re.match(r"v?(mov(ap|up|dq|nt)|p?(add|sub|mul|and|or|xor|andn|min|max|ternlog|blend|cmp)|div|f)", name) and not re.search(r"s[sdh]$", name)
    return width // 4 if width > 8 and whole_vectors and not any("{1to" in o for o in operands) else 1


def integer(name):
    if re.match(r"(i?mul|mulx|i?div)", name):
        return "times", 8, 1
    if re.match(r"(mov|push|pop[lqwb]?$|xchg|cltq|cltd|cqto|cwtl)", name) and not name.startswith(("movs", "movz", "movabs")):
        return "move", 8, 0
    if re.match(r"(movs|movz|movabs|cmp|test|lea|set|cmov|bt)", name):
        return "integer", 8, 0
    return "integer", 8, 1


def of_vector(name, operands, width):
    width = max(width, 16)
    if MOVES.match(name) and "blend" not in name and not (re.match(r"v?p?broadcast", name) and not is_memory(operands[0])):
        return ("logic" if "{%k" in operands[-1] and not any(is_memory(o) for o in operands) else "move"), width, 0
    for pattern, kind in PATTERNS:
        if pattern.match(name):
            if kind in ("shuffle", "permute") or name[0] == "k":
                return kind, width, 0
            return kind, width, lanes(name, width) * (2 if re.match(r"vfn?m", name) else 1)
    return "unknown", width, 0


def accesses(name, operands, memory, vector):
    if not memory or name.startswith(("lea", "nop")):
        return (int(name.startswith("pop")), int(name.startswith("push")))
    if "gather" in name or "scatter" in name:
        elements = max(vector // (8 if name[-1] in "qd" and name[-2:] in ("qq", "dq", "qd", "pd", "dpd") else 4), 1)
        return (elements, 0) if "gather" in name else (0, elements)
    last = memory[-1] == len(operands) - 1
    if not last or READ_ONLY.match(name):
        return 1, 0
    if len(operands) == 1:
        return (0, 1) if name.startswith(("set", "pop")) else (1, 0) if name.startswith(("push", "mul", "imul", "div", "idiv")) else (1, 1)
    moves = name.startswith(("mov", "v", "set", "kmov"))
    return (0, 1) if moves else (1, 1)


def registers(name, operands, memory):
    """What an instruction reads and sets, and the registers of its address. What is not known is left out, so that chains are
    rather too short."""
    address = tuple(sorted({whole(r) for i in memory for r in REGISTER.findall(operands[i].split("{")[0])} - {"rsp", "rip"}))
    if name in ("cltd", "cqto"):
        return ("rax",), ("rdx",), ()
    read_only = bool(READ_ONLY.match(name)) or name.startswith("push")
    results = () if read_only or not operands else operands[-2:] if name.startswith(("mulx", "xchg")) else operands[-1:]
    sources = operands[:-2] if name.startswith("mulx") else operands if read_only or name.startswith("xchg") else operands[:-1]
    sets = {whole(r) for o in results if not is_memory(o) for r in REGISTER.findall(o.split("{")[0])}
    reads = {whole(r) for o in sources if not is_memory(o) for r in REGISTER.findall(o)}
    if not read_only and operands and reads_destination(name, operands):
        reads.update(sets)
    if operands:
        reads.update(re.findall(r"\{%(k\d)\}", operands[-1]))
        if re.search(r"\{%k\d\}(?!\s*\{z\})", operands[-1]):
            reads.update(sets)
    same = SAME.match(name) and len(operands) >= 2 and operands[0] == operands[1]
    if same or (name.startswith("vpternlog") and operands[0] in ("$255", "$-1", "$0")):
        reads = set()
    if re.match(r"(mul|imul|div|idiv)[bwlq]?$", name) and len(operands) == 1:
        reads |= sets | ({"rax", "rdx"} if "div" in name else {"rax"})
        sets = {"rax", "rdx"}
    if name.startswith("mulx"):
        reads.add("rdx")
    if CONDITION.match(name):
        reads.add("flags")
    if sets_flags(name, operands):
        sets.add("flags")
    if name.startswith("lea"):
        return address, tuple(sorted(sets)), ()
    return tuple(sorted(reads - {"rsp", "rip"})), tuple(sorted(sets - {"rsp", "rip"})), address


def sets_flags(name, operands):
    if re.match(r"v?u?comis|v?p?test|kortest|ktest", name):
        return True
    return not NO_FLAGS.match(name) and not vector_width(operands)


def reads_destination(name, operands):
    """Whether what an instruction sets it also reads."""
    if name[0] in "vk":
        return bool(re.match(r"vfn?m|vp?ternlog|vpermt2|vpermi2|vpdp|vpmadd52|vfixup", name))
    if name.startswith(("mov", "lea", "set", "pop", "cvt", "bsf", "bsr", "popcnt", "lzcnt", "tzcnt", "mulx", "sarx", "shlx", "shrx", "rorx", "pdep", "pext", "andn", "sqrt", "pshuf")):
        return False
    return not (name.startswith("imul") and len(operands) == 3)


# ---- Programs ----

TEXT = re.compile(r"\s*\.(text|section\s+\.text|section\s+\"?\.text)")
SECTION = re.compile(r"\s*\.(section|data|bss|rodata|text|previous|popsection|pushsection)\b")
LABEL = re.compile(r"\s*\"?[.\w$@]+\"?:")


def instrument(text, entries=1 << 20):
    """The assembly with counters, and its blocks: lists of instructions. limits_ring has the last `entries`
    blocks, and limits_places where the last instructions read and wrote."""
    out, blocks, begins, code = [], [], True, True
    for line in text.split("\n"):
        bare = line.split("#")[0].rstrip() if "\"" not in line else line
        if SECTION.match(bare):
            code = bool(TEXT.match(bare))
        if LABEL.match(bare):
            begins = True
        elif code and bare.strip() and not bare.strip().startswith("."):
            instruction = decode(bare.strip())
            if begins:
                out.append(counter(len(blocks), entries))
                blocks.append([])
            blocks[-1].append(instruction)
            if instruction.place:
                out.append(trace(instruction, entries))
            begins = instruction.kind == "branch"
        out.append(line)
    out.append(f"\t.data\n\t.p2align 3\n\t.globl limits_blocks, limits_counts, limits_left, limits_ring, limits_entries, limits_places, limits_places_left\n"
               f"limits_blocks: .quad {len(blocks)}\nlimits_entries: .quad {entries}\nlimits_left: .quad {entries}\nlimits_places_left: .quad {entries}\n"
               f"\t.bss\n\t.p2align 3\nlimits_counts: .zero {8 * max(len(blocks), 1)}\nlimits_ring: .zero {4 * entries}\nlimits_places: .zero {8 * entries}")
    return "\n".join(out) + "\n", blocks


def trace(i, entries):
    """Writes down where in memory an instruction reads or writes."""
    place = re.sub(r"^(-?\d*)\(%rsp", lambda m: f"{int(m.group(1) or 0) + 144}(%rsp", i.place)
    return (f"\tlea -128(%rsp), %rsp\n\tpush %rax\n\tpush %rcx\n\tlea {place}, %rax\n\tmov limits_places_left(%rip), %rcx\n"
            f"\tjrcxz 771f\n\tjmp 772f\n771:\n\tmov ${entries}, %ecx\n772:\n\tlea -1(%rcx), %rcx\n\tmov %rcx, limits_places_left(%rip)\n"
            f"\tpush %rdx\n\tlea limits_places(%rip), %rdx\n\tmov %rax, (%rdx,%rcx,8)\n\tpop %rdx\n\tpop %rcx\n\tpop %rax\n\tlea 128(%rsp), %rsp")


def counter(block, entries):
    """Counts a block and writes it down. Of lea, mov, push and jrcxz none touches the flags, which a block may begin with."""
    return (f"\tlea -128(%rsp), %rsp\n\tpush %rax\n\tpush %rcx\n"
            f"\tmov limits_counts+{8 * block}(%rip), %rax\n\tlea 1(%rax), %rax\n\tmov %rax, limits_counts+{8 * block}(%rip)\n"
            f"\tmov limits_left(%rip), %rcx\n\tjrcxz .Llimits_wrap{block}\n\tjmp .Llimits_put{block}\n"
            f".Llimits_wrap{block}:\n\tmov ${entries}, %ecx\n"
            f".Llimits_put{block}:\n\tlea -1(%rcx), %rcx\n\tmov %rcx, limits_left(%rip)\n"
            f"\tlea limits_ring(%rip), %rax\n\tmovl ${block}, (%rax,%rcx,4)\n\tpop %rcx\n\tpop %rax\n\tlea 128(%rsp), %rsp")


def totals(blocks, counts):
    """What so many turns of the blocks execute: a Counter of (kind, width), ("load", width), ("store", width), and of
    "instructions" and "operations"."""
    sums = Counter()
    for block, count in zip(blocks, counts):
        if count == 0:
            continue
        for i in block:
            width = 8 if i.width < 16 else i.width
            sums[i.kind, width] += count
            sums["load", width] += count * i.loads
            sums["store", width] += count * i.stores
            sums["operations"] += count * i.operations
            sums["instructions"] += count
    return sums


def main():
    """Shows what each instruction of an assembly file counts as."""
    with open(sys.argv[1], encoding="utf-8") as f:
        _, blocks = instrument(f.read())
    for i in (i for block in blocks for i in block):
        print(f"{' '.join(i.text.split()):<44} {i.kind} {i.width}, loads {i.loads}, stores {i.stores}, operations {i.operations}; "
              f"{' '.join(i.reads) or '-'} -> {'what functions may change' if i.sets == CHANGED else ' '.join(i.sets) or '-'}"
              + (f"; at {' '.join(i.address) or 'a fixed place'}" if i.place or i.address else "") + (f", {4 * i.cells} bytes" if i.place else ""))


if __name__ == "__main__":
    main()
