#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stream IR programs with random function bodies, for differential runs of canonicalize.

Every kind of statement occurs, in any nesting: loops of all forms with breaks and continues, early returns, blocks,
counted loops, calls with arrays by reference, division by zero now and then. Each loop ends: it counts, or burns fuel.

usage: random-bodies.py SEED                      writes a program
       random-bodies.py --compare SVMC FIRST LAST interprets the programs of these seeds with and without canonicalize, and privatize
"""
import os
import random
import subprocess
import sys
import tempfile

FILTERS = 8
SCRATCH_FILTERS = 6
rng = random.Random()


class Body:
    def __init__(self, params, arrays, result, tape, traps):
        self.scopes = [list(params)]
        self.arrays = [list(arrays)]
        self.frozen = set()
        self.result = result
        self.tape = tape
        self.calling = False
        self.traps = traps
        self.loops = 0   # that a jump here may leave
        self.barred = 0  # leading parts around, which nothing leaves
        self.lines = []
        self.budget = rng.randint(5, 60)
        self.fresh = 0

    # ---- Names ----

    def ints(self):
        return [x for s in self.scopes for x in s]

    def assignable(self):
        return [x for x in self.ints() if x not in self.frozen]

    def all_arrays(self):
        return [a for s in self.arrays for a in s]

    def new_array(self):
        taken = set(self.all_arrays())
        self.fresh += 1
        return ([n for n in ["%r", "%s", "%u"] if n not in taken] + ["%%r%d" % self.fresh])[0]

    def new_name(self):
        taken = set(self.ints()) | set(self.all_arrays())
        free = [n for n in ["%a", "%b", "%c", "%d", "%t.1", "%t.2", "%t.3", "%i", "%j", "%k"] if n not in taken]
        if free and rng.random() < 0.8:
            return rng.choice(free)
        self.fresh += 1
        return rng.choice(["%%x%d", "%%t.%d9"]) % self.fresh

    # ---- Expressions ----

    def index(self, depth):
        return rng.choice([str(rng.randint(0, 3)), "%s & 3" % self.operand(depth)])

    def operand(self, depth):
        e = self.expr(depth)
        return e if e[0] in "%$" and " " not in e else "(%s)" % e

    def expr(self, depth):
        r = rng.random()
        if depth <= 0 or r < 0.35:
            choices = [str(rng.choice([0, 1, 2, 3, -1, 7, 100, -2147483648, 2147483647]))]
            choices += [rng.choice(self.ints())] * 3 if self.ints() else []
            choices += ["$n", "$m", "$fixed", "$table[%d]" % rng.randint(0, 3)]
            if self.tape and not self.calling:
                choices += ["peek(%d)" % rng.randint(0, 3), "iter()"]
            e = rng.choice(choices)
            return e
        if r < 0.70:
            op = rng.choice(["+", "-", "*", "+", "-", "&", "|", "^", "<<", ">>"])
            return "%s %s %s" % (self.operand(depth - 1), op, self.operand(depth - 1))
        if r < 0.76:
            op = rng.choice(["/", "%"])
            divisor = self.operand(depth - 1)
            if not (self.traps and rng.random() < 0.1):
                divisor = "(%s | 1)" % divisor
            return "%s %s %s" % (self.operand(depth - 1), op, divisor)
        if r < 0.84:
            return "%s ? %s : %s" % (self.cond(depth - 1), self.operand(depth - 1), self.operand(depth - 1))
        if r < 0.90 and self.all_arrays():
            return "%s[%s]" % (rng.choice(self.all_arrays()), self.index(depth - 1))
        if r < 0.94:
            return "$state[%s]" % self.index(depth - 1)
        if r < 0.97:
            return "int(float(%s) * %s)" % (self.expr(depth - 1), rng.choice(["0.5", "1.0", "-1.5"]))
        return rng.choice(["-%s", "~%s"]) % self.operand(depth - 1)

    def cond(self, depth):
        r = rng.random()
        if depth > 0 and r < 0.25:
            return "(%s %s %s)" % (self.cond(depth - 1), rng.choice(["&&", "||"]), self.cond(depth - 1))
        if depth > 0 and r < 0.32:
            return "!%s" % self.cond(depth - 1)
        if r < 0.36:
            return rng.choice(["true", "false"])
        return "(%s %s %s)" % (self.operand(depth), rng.choice(["<", "<=", ">", ">=", "==", "!="]), self.operand(depth))

    # ---- Statements ----

    def out(self, depth, text):
        self.lines.append("    " * depth + text)

    def target(self):
        choices = self.assignable() * 3 + ["$n", "$m"]
        choices += ["%s[%s]" % (a, self.index(1)) for a in self.all_arrays()] + ["$state[%s]" % self.index(1)]
        return rng.choice(choices)

    def declare(self, depth):
        r = rng.random()
        if r < 0.15:
            name = self.new_array()
            self.out(depth, "var %s: int[4]" % name)
            self.arrays[-1].append(name)
            return
        name = self.new_name()
        if r < 0.35:
            self.out(depth, "var %s: int" % name)
        else:
            self.out(depth, "var %s: int = %s" % (name, self.expr(3)))
        self.scopes[-1].append(name)

    def block(self, depth, prologue=None, keep=False):
        if not keep:
            self.scopes.append([])
            self.arrays.append([])
        if prologue:
            self.out(depth, prologue)
        for _ in range(rng.randint(0, 4)):
            if self.budget <= 0 or not self.stmt(depth):
                break
        if not keep:
            self.scopes.pop()
            self.arrays.pop()

    def counted_loop(self, depth):
        """A loop as a source program counts."""
        name = self.new_name()
        step, up = rng.choice([1, 1, 1, 2, 3]), rng.random() < 0.7
        lo, hi = rng.randint(-2, 3), rng.randint(-2, 8)
        if not up:
            lo, hi = hi, lo
        hi = rng.choice([str(hi), "$fixed", "(%s & 7)" % self.operand(1)]) if up else str(hi)
        self.out(depth, "var %s: int = %d" % (name, lo))
        self.scopes[-1].append(name)
        self.frozen.add(name)
        op = rng.choice(["<", "<="]) if up else rng.choice([">", ">="])
        self.out(depth, "loop while %s %s %s && $fuel > 0 {" % (name, op, hi) if rng.random() < 0.3
                 else "loop while %s %s %s {" % (name, op, hi))
        self.loops += 1
        self.block(depth + 1)
        self.loops -= 1
        self.out(depth, "} step {")
        self.out(depth + 1, "%s = %s %s %d" % (name, name, "+" if up else "-", step))
        self.out(depth, "}")
        self.frozen.discard(name)

    def fuelled_loop(self, depth):
        burn = "$fuel = $fuel - 1"
        form = rng.randint(0, 3)
        self.scopes.append([])
        self.arrays.append([])
        if form == 0:
            self.out(depth, "loop while $fuel > 0 && %s {" % self.cond(2))
        elif form == 1:
            self.out(depth, "loop {")
        elif form == 2:
            self.out(depth, "loop pre {")
            loops, self.loops, self.barred = self.loops, 0, self.barred + 1
            self.block(depth + 1, burn, keep=True) if rng.random() < 0.5 else self.out(depth + 1, burn)
            self.loops, self.barred = loops, self.barred - 1
            self.out(depth, "} while $fuel > 0 && %s {" % self.cond(2))
        else:
            self.out(depth, "do {")
        self.loops += 1
        self.scopes.append([])
        self.arrays.append([])
        if form == 1:
            self.out(depth + 1, burn)
            self.out(depth + 1, "if $fuel <= 0 {")
            self.out(depth + 2, "break")
            self.out(depth + 1, "}")
        elif form != 2:
            self.out(depth + 1, burn)
        self.block(depth + 1)
        self.scopes.pop()
        self.arrays.pop()
        self.loops -= 1
        loops, self.loops = self.loops, 0
        if rng.random() < 0.3:
            self.out(depth, "} step {")
            self.simple(depth + 1)
        self.loops = loops
        if form == 3:
            self.out(depth, "} while $fuel > 0 && %s" % self.cond(2))
        else:
            self.out(depth, "}")
        self.scopes.pop()
        self.arrays.pop()

    def simple(self, depth):
        r = rng.random()
        if r < 0.25:
            self.out(depth, "print %s" % self.expr(2))
            self.out(depth, 'print " "')
        else:
            self.out(depth, "%s = %s" % (self.target(), self.expr(3)))

    def call(self, depth):
        array = rng.choice(self.all_arrays() + ["$state"])
        self.calling = True
        target = rng.choice(["", "%s = " % self.target()])
        self.calling = False
        self.out(depth, "%scall helper(%s, %s, %s)" %
                 (target, self.expr(2), array, rng.choice(self.all_arrays() + ["$state", array])))

    def stmt(self, depth):
        """Gives False when nothing more is reached in this block."""
        self.budget -= 1
        r = rng.random()
        deep = depth > 7
        if r < 0.30:
            self.simple(depth)
        elif r < 0.48:
            self.declare(depth)
        elif r < 0.62 and not deep:
            self.out(depth, "if %s {" % self.cond(2))
            self.block(depth + 1)
            if rng.random() < 0.5:
                self.out(depth, "} else {")
                self.block(depth + 1)
            self.out(depth, "}")
        elif r < 0.70 and not deep:
            self.counted_loop(depth)
        elif r < 0.76 and not deep:
            self.fuelled_loop(depth)
        elif r < 0.80 and not deep:
            name = self.new_name()
            self.out(depth, "for %s = %s to %s%s {" % (name, rng.choice(["0", "1", "(%s & 3)" % self.operand(1)]),
                     rng.choice(["4", "1", "0", "$fixed"]), rng.choice(["", " step 2"])))
            self.frozen.add(name)
            self.scopes.append([name])
            self.arrays.append([])
            self.loops += 1
            self.block(depth + 1)
            self.loops -= 1
            self.scopes.pop()
            self.arrays.pop()
            self.frozen.discard(name)
            self.out(depth, "}")
        elif r < 0.84:
            self.out(depth, "{")
            self.block(depth + 1)
            self.out(depth, "}")
        elif r < 0.93 and self.loops > 0:
            self.out(depth, rng.choice(["break", "continue"]))
            return False
        elif r < 0.95 and depth > 2 and self.barred == 0:
            self.out(depth, "return %s" % self.expr(2) if self.result else "return")
            return False
        elif self.tape and r < 0.98:
            self.call(depth)
        return True

    def whole(self):
        for _ in range(8):
            self.stmt(2)
        if self.result and rng.random() < 0.9:
            self.out(2, "return %s" % self.expr(2))
        return "\n".join(self.lines)


def make_filter(number):
    traps = rng.random() < 0.2
    helper = Body(["%p"], ["%v", "%w"], True, False, traps)
    act = Body([], [], False, True, traps)
    return """
filter F%d: int -> int {
    field $n: int = %d
    field $m: int = 0
    field $fuel: int = 0
    field $state: int[4] = [1, 2, 3, 4]
    const $fixed: int = %d
    const $table: int[4] = [5, -6, 7, 8]
    work peek 4 pop 1 push 1 {
        $fuel = 40
        call act()
        push peek(0) + $n
        pop
        print $n
        print ","
        print $state[3]
        print "\\n"
    }
    function act() peek 4 {
%s
    }
    function helper(%%p: int, %%v: int[4]&, %%w: int[4]&) -> int {
%s
    }
}
""" % (number, rng.randint(-2, 5), rng.randint(0, 5), act.whole(), helper.whole())


# Fields of the filter's own that most firings write before they read them.
def make_scratch_filter(number):
    body = Body(["$q", "$r"], ["$s"], False, True, False)
    body.barred = 1
    first = ["$q = peek(%d)" % rng.randint(0, 3), "$r = $q + $n",
             rng.choice(["for %first = 0 to 4 {\n            $s[%first] = %first * peek(1)\n        }",
                         "for %first = 3 to -1 step -1 {\n            $s[%first] = iter()\n        }",
                         "$s[2] = 1\n        $s[1] = 0\n        $s[0] = $n\n        $s[3] = 7",
                         "for %first = 1 to 4 {\n            $s[%first] = %first\n        }"])]
    written = "\n        ".join(x for x in first if rng.random() < 0.8)
    return """
filter G%d: int -> int {
    field $n: int = 3
    field $m: int = 0
    field $q: int = 1
    field $fuel: int = 0
    field $r: int = 2
    field $state: int[4] = [1, 2, 3, 4]
    field $s: int[4] = [4, 3, 2, 1]
    const $fixed: int = 2
    const $table: int[4] = [5, -6, 7, 8]
    work peek 4 pop 1 push 1 {
        $fuel = 40
        %s
%s
        push peek(0) + $q
        pop
        print $r
        print ","
        print $s[$q & 3]
        print "\\n"
    }
    function helper(%%p: int, %%v: int[4]&, %%w: int[4]&) -> int {
        %%v[%%p & 3] = %%w[1]
        return %%p + %%v[2]
    }
}
""" % (number, written, body.whole())


def make_program(seed):
    rng.seed(seed)
    parts = ["module Random", """
filter Source: void -> int {
    field $x: int = 1
    work push 1 {
        push $x >> 3
        $x = $x * 1103515245 + 12345
    }
}

filter Sink: int -> void {
    work pop 1 {
        pop
    }
}"""]
    parts += [make_filter(i) for i in range(FILTERS)]
    parts += [make_scratch_filter(i) for i in range(SCRATCH_FILTERS)]
    names = ["F%d" % i for i in range(FILTERS)] + ["G%d" % i for i in range(SCRATCH_FILTERS)]
    parts += ["region r0: pipeline Random", "actor Source: filter Source in r0"]
    parts += ["actor %s: filter %s in r0" % (n, n) for n in names]
    parts += ["actor Sink: filter Sink in r0"]
    names = ["Source"] + names + ["Sink"]
    parts += ["channel c%d: int %s -> %s" % (i, names[i], names[i + 1]) for i in range(len(names) - 1)]
    return "\n".join(parts) + "\n"


def interpret(svmc, path, *options):
    run = subprocess.run([svmc, "--interpret", "-i", "5", *options, path], capture_output=True, text=True, timeout=60)
    return run.returncode, run.stdout, run.stderr


def compare(svmc, first, last):
    wrong = stopped = private = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, last + 1):
            path = os.path.join(folder, "%d.sir" % seed)
            with open(path, "w") as f:
                f.write(make_program(seed))
            plain = interpret(svmc, path)
            canonical = interpret(svmc, path, "--passes=canonicalize", "--verify-each")
            privatized = interpret(svmc, path, "--passes=canonicalize,privatize", "--verify-each", "--remarks")
            stopped += plain[0] == 1
            private += privatized[2].count("[privatize]")
            if plain[:2] != privatized[:2]:
                wrong += 1
                print("seed %d: privatize: exit codes %d and %d\n%s%s" % (seed, plain[0], privatized[0], plain[2], privatized[2]))
            if plain[:2] != canonical[:2] or plain[0] not in (0, 1):
                wrong += 1
                print("seed %d: exit codes %d and %d\n%s%s" % (seed, plain[0], canonical[0], plain[2], canonical[2]))
    print("%d programs, %d stopped by themselves, %d fields made locals, %d wrong" % (last - first + 1, stopped, private, wrong))
    return 1 if wrong else 0


if sys.argv[1] == "--compare":
    sys.exit(compare(sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
print(make_program(int(sys.argv[1])), end="")
