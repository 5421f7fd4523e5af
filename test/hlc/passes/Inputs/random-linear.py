# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random stretches of linear filters, of which some have a state, compiled with -Ofast and compared with the interpreter.

    random-linear.py FIRST COUNT FOLDER
"""
import os
import random
import re
import struct
import subprocess
import sys

FILTERS = """
float->float filter Fir(int taps, int pops, float a) {
    float[taps] h;
    init { for (int k = 0; k < taps; k++) h[k] = sin(a * (k + 1)) / (k + 2); }
    work pop pops push 1 peek (taps > pops ? taps : pops) {
        float sum = a / 8;
        for (int k = 0; k < taps; k++) sum += h[k] * peek(k);
        push(sum);
        for (int k = 0; k < pops; k++) pop();
    }
}
float->float filter Rows(int n, int m, float a) {
    work pop n push m {
        float[n] row;
        for (int k = 0; k < n; k++) row[k] = pop();
        for (int i = 0; i < m; i++) {
            float sum = 0;
            for (int k = 0; k < n; k++)
                if ((i + k) % 3 != 0) sum = sum - row[k] * (a + i - k) / n;
            push(sum);
        }
    }
}
float->float filter Add(int n) {
    work pop n push 1 {
        float sum = 0;
        for (int k = 0; k < n; k++) sum += pop();
        push(sum / n);
    }
}
float->float filter Later(int n) { work pop 1 push 1 peek n + 1 { push(peek(n) - 0.5 * peek(0)); pop(); } }
float->float filter Twice(float a) { work pop 1 push 2 { float x = pop(); push(x * a); push(a - x); } }
float->float filter Pole(float a) {
    float y = 0.25;
    work pop 1 push 1 { y = 0.5 * pop() + a * y; push(y + 0.01); }
}
float->float filter Section(float b, float radius, float angle) {
    float s1, s2;
    float a1 = -2 * radius * cos(angle), a2 = radius * radius;
    work pop 1 push 1 {
        float x = pop();
        float y = b * x + s1;
        s1 = 0.3 * x - a1 * y + s2;
        s2 = b * x - a2 * y;
        push(y);
    }
}
float->float filter Direct(int n, float radius, float angle) {
    float[n][4] z;
    work pop 1 push 1 {
        float x = pop();
        for (int i = 0; i < n; i++) {
            float y = 0.4 * x - 0.2 * z[i][0] + 0.3 * z[i][1] + 2 * radius * cos(angle) * z[i][2] -
                      radius * radius * z[i][3];
            z[i][1] = z[i][0];
            z[i][0] = x;
            z[i][3] = z[i][2];
            z[i][2] = y;
            x = y;
        }
        push(x);
    }
}
float->float filter Ladder(int n, float a) {
    float[n] d;
    work pop 1 push 1 {
        float x = pop();
        for (int i = 0; i < n; i++) {
            float y = d[i] - a * x;
            d[i] = x + a * y;
            x = y;
        }
        push(x);
    }
}
float->float filter Several(int n, int m, float a) {
    float sum;
    work pop n push m peek n + 2 {
        for (int i = 0; i < n; i++) {
            sum = a * sum + peek(2) - 0.5 * peek(0);
            pop();
        }
        for (int i = 0; i < m; i++) push(sum * (i + 1) / m);
    }
}
float->float filter Precise(float a) {
    double y;
    work pop 1 push 1 { y = a * y + pop(); push((float)(y * 0.25)); }
}
float->float filter Odd { work pop 1 push 1 { float x = pop(); push(x * x - 0.25); } }
"""


WAYS = [[], ["-march=native"], ["--strip=7"], ["--machine=host-4"], ["--strip=100", "-march=x86-64-v3"]]


class Maker:
    def __init__(self, seed):
        self.rng = random.Random(seed)

    def number(self):
        return round(self.rng.uniform(-1.5, 1.5), 3)

    def leaf(self):
        """A stream and what it gives for each item that it takes, as a fraction."""
        r, pops = self.rng, self.rng.choice([1, 1, 1, 2, 3])
        n, m = r.randint(1, 5), r.randint(1, 5)
        if r.random() < 0.4:
            return self.recursive(n, m)
        return r.choice([
            (f"add Fir({r.randint(1, 12)}, {pops}, {self.number()});", 1, pops),
            (f"add Rows({n}, {m}, {self.number()});", m, n), (f"add Later({r.randint(1, 4)});", 1, 1),
            (f"add Add({pops});", 1, pops), (f"add Twice({self.number()});", 2, 1), ("add Identity<float>();", 1, 1),
            ("add Odd();", 1, 1)])

    def recursive(self, n, m):
        r = self.rng
        radius, angle = round(r.uniform(-0.9, 0.9), 3), round(r.uniform(0, 3.1), 3)
        return r.choice([
            (f"add Pole({radius});", 1, 1), (f"add Section({self.number()}, {radius}, {angle});", 1, 1),
            (f"for (int i = 0; i < {n}; i++) add Section(0.5 + 0.1 * i, {radius}, {angle});", 1, 1),
            (f"add Direct({r.randint(1, 3)}, {radius}, {angle});", 1, 1),
            (f"add Ladder({n}, {round(radius / 2, 3)});", 1, 1), (f"add Several({n}, {m}, {radius});", m, n),
            (f"add Precise({radius});", 1, 1)])

    def pipeline(self, depth):
        parts, up, down = [], 1, 1
        for _ in range(self.rng.randint(1, 3)):
            text, u, d = self.splitjoin(depth - 1) if depth > 0 and self.rng.random() < 0.5 else self.leaf()
            parts.append(text)
            up, down = up * u, down * d
        return "add pipeline { " + "\n".join(parts) + " }", up, down

    def splitjoin(self, depth):
        r = self.rng
        branches = [self.pipeline(depth) for _ in range(r.randint(2, 4))]
        duplicate = r.random() < 0.6
        taken = [1 if duplicate else r.randint(1, 3) for _ in branches]
        rounds = 1
        for (_, up, down), t in zip(branches, taken):
            while rounds * t * up % down != 0:
                rounds += 1
        for (_, up, down), t in zip(branches, taken):
            if rounds * t * up % down != 0:
                return self.leaf()
        gives = [rounds * t * up // down for (_, up, down), t in zip(branches, taken)]
        split = "duplicate" if duplicate else f"roundrobin({', '.join(map(str, taken))})"
        text = f"add splitjoin {{ split {split};\n" + "\n".join(b[0] for b in branches)
        text += f"\njoin roundrobin({', '.join(map(str, gives))}); }}"
        if r.random() < 0.7:
            return f"{text} add Add({sum(gives)});", 1, rounds * (1 if duplicate else sum(taken))
        return text, sum(gives), rounds * (1 if duplicate else sum(taken))

    def program(self):
        body = "\n".join(self.pipeline(2)[0] for _ in range(self.rng.randint(1, 2)))
        return (FILTERS + 'void->void pipeline Main {\nadd FileReader<float>("in.bin");\n' + body +
                '\nadd FileWriter<float>("out.bin");\n}\n')


def numbers(path):
    with open(path, "rb") as f:
        data = f.read()
    return struct.unpack(f"<{len(data) // 4}f", data)


def run(*command):
    return subprocess.run(command, check=True, stderr=subprocess.PIPE, text=True, timeout=300).stderr


def main():
    first, count, folder = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    os.makedirs(folder, exist_ok=True)
    os.chdir(folder)
    made = ahead = 0
    with open("in.bin", "wb") as f:
        f.write(struct.pack("<700f", *((i * 7919 % 20011) / 10005.5 - 1 for i in range(700))))
    for seed in range(first, first + count):
        with open("random.str", "w", encoding="utf-8") as f:
            f.write(Maker(seed).program())
        run("svmc", "--interpret", "random.str")
        expected = numbers("out.bin")
        os.remove("out.bin")
        remarks = run("svmc", "-Ofast", *WAYS[seed % len(WAYS)], "--verify-each", "--remarks", "random.str", "-o", "random")
        made += len(re.findall(r"\[linear\]", remarks))
        ahead += len(re.findall("are done at once.*look-ahead", remarks))
        run("./random")
        got = numbers("out.bin")
        most = max([abs(x) for x in expected] + [1e-6])
        apart = max([abs(x - y) for x, y in zip(expected, got)] + [0]) / most
        if len(expected) != len(got) or not apart < 1e-4:
            sys.exit(f"seed {seed}: {len(expected)} and {len(got)} numbers, {apart:.3g} of the largest apart")
    print(f"{count} programs, {made} linear filters made, {ahead} that look ahead")


main()
