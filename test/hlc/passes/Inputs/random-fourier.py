# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random transforms and what is nearly one, compiled with -Ofast and compared with the interpreter: stages are taken away,
exchanged, and others come between them.

    random-fourier.py FIRST COUNT FOLDER
"""
import os
import random
import struct
import subprocess
import sys

FILTERS = """
float->float filter Reorder(int n) {
    work pop 2 * n push 2 * n {
        for (int i = 0; i < n; i += 2) { push(peek(2 * i)); push(peek(2 * i + 1)); }
        for (int i = 1; i < n; i += 2) { push(peek(2 * i)); push(peek(2 * i + 1)); }
        for (int i = 0; i < 2 * n; i++) pop();
    }
}
float->float splitjoin Sides(int n) {
    split roundrobin(2);
    add Identity<float>;
    add Identity<float>;
    join roundrobin(n);
}
float->float filter Combine(int n) {
    work pop 2 * n push 2 * n {
        float[2 * n] y;
        for (int i = 0; i < n; i += 2) {
            float c = cos(pi * i / n), s = sin(pi * i / n);
            float re = peek(n + i) * c + peek(n + i + 1) * s;
            float im = peek(n + i + 1) * c - peek(n + i) * s;
            y[i] = peek(i) + re;
            y[i + 1] = peek(i + 1) + im;
            y[n + i] = peek(i) - re;
            y[n + i + 1] = peek(i + 1) - im;
        }
        for (int i = 0; i < 2 * n; i++) { pop(); push(y[i]); }
    }
}
float->float filter Sum(int n, float by) {
    work pop 4 * n push 2 * n {
        for (int i = 0; i < 2 * n; i++) push(peek(i) + by * peek(2 * n + i));
        for (int i = 0; i < 4 * n; i++) pop();
    }
}
float->float filter Turn(int n) {
    work pop 2 * n push 2 * n {
        for (int i = 0; i < n; i++) {
            float re = pop(), im = pop();
            push(re * cos(pi * i / n) + im * sin(pi * i / n));
            push(im * cos(pi * i / n) - re * sin(pi * i / n));
        }
    }
}
float->float splitjoin Butterfly(int n) {
    split duplicate;
    add Sum(n, 1);
    add pipeline { add Sum(n, -1); add Turn(n); };
    join roundrobin(2 * n);
}
float->float filter Reverse(int bits) {
    work pop 2 << bits push 2 << bits {
        for (int i = 0; i < 1 << bits; i++) {
            int r = 0;
            for (int b = 0; b < bits; b++) r = 2 * r + (i >> b & 1);
            push(peek(2 * r));
            push(peek(2 * r + 1));
        }
        for (int i = 0; i < 2 << bits; i++) pop();
    }
}
float->float filter Direct(int n, int sign, float scale, float off) {
    work pop 2 * n push 2 * n {
        for (int k = 0; k < n; k++) {
            float re = 0, im = 0;
            for (int j = 0; j < n; j++) {
                float c = cos(2 * pi * (j * k % n) / n), s = sign * sin(2 * pi * (j * k % n) / n);
                if (j == 3 && k == 5) c += off;
                re += peek(2 * j) * c - peek(2 * j + 1) * s;
                im += peek(2 * j) * s + peek(2 * j + 1) * c;
            }
            push(re * scale);
            push(im * scale);
        }
        for (int j = 0; j < 2 * n; j++) pop();
    }
}
float->float filter OfReal(int n, int kept, int sign) {
    work pop n push 2 * kept {
        for (int k = 0; k < kept; k++) {
            float re = 0, im = 0;
            for (int j = 0; j < n; j++) {
                re += peek(j) * cos(2 * pi * j * k / n);
                im += sign * peek(j) * sin(2 * pi * j * k / n);
            }
            push(re);
            push(im);
        }
        for (int j = 0; j < n; j++) pop();
    }
}
float->float filter Window(int n) {
    work pop 2 * n push 2 * n {
        for (int i = 0; i < n; i++) {
            push(pop() * (0.54 - 0.46 * cos(2 * pi * i / n)));
            push(pop() * (0.54 - 0.46 * cos(2 * pi * i / n)));
        }
    }
}
float->float filter Gain(float g) { work pop 1 push 1 { push(g * pop()); } }
float->float filter Conjugate { work pop 2 push 2 { push(pop()); push(-pop()); } }
float->float filter Block(int n) { work pop n push n { for (int i = 0; i < n; i++) push(pop()); } }
float->float filter Every(int n) { work pop n push 1 { push(peek(0)); for (int i = 0; i < n; i++) pop(); } }
float->float filter Zeros(int n) { work pop 1 push n { push(pop()); for (int i = 1; i < n; i++) push(0); } }
float->float filter Pole { float y; work pop 1 push 1 { y = 0.25 * y + pop(); push(y); } }
"""


def transform(rng):
    """A number of points, and the stages of a transform of so many."""
    bits = rng.randrange(3, 7)
    n = 1 << bits
    kind = rng.randrange(5)
    if kind < 2:
        name = ["Reorder", "Sides"][kind]
        return n, [f"{name}({n >> i})" for i in range(bits - 1)] + [f"Combine({2 << i})" for i in range(bits)]
    if kind == 2:
        return n, [f"Butterfly({n >> 1 >> i})" for i in range(bits)] + [f"Reverse({bits})"]
    if kind == 3:
        return n, [f"Direct({n}, {rng.choice([-1, 1])}, {rng.choice([1, 0.5, -3])}, {rng.choice([0, 0, 0.01])})"]
    return n, [f"OfReal({n}, {rng.choice([n, n // 2, n // 2 + 1, n // 2 - 1])}, {rng.choice([-1, 1])})"]


def change(rng, n, stages):
    kind = rng.randrange(5)
    at = rng.randrange(len(stages) + 1)
    if kind == 0 and len(stages) > 1:
        return stages[: at - 1] + stages[at:] if at else stages[1:]
    if kind == 1 and at + 1 < len(stages):
        return stages[:at] + [stages[at + 1], stages[at]] + stages[at + 2 :]
    if kind == 2:
        return stages + transform(rng)[1]
    others = [f"Block({rng.choice([3, n, 2 * n, 6 * n])})", f"Window({n})", "Pole", "Every(2)", "Zeros(2)", f"Zeros({n})", "Conjugate",
              "Gain(0.5)", "Gain(1.001)", "Gain(0)"]
    return stages[:at] + [rng.choice(others)] + stages[at:]


def program(rng):
    n, stages = transform(rng)
    for _ in range(rng.choice([0, 0, 1, 2])):
        stages = change(rng, n, stages)
    body = "".join(f"    add {s};\n" for s in stages)
    if rng.random() < 0.3:
        split = rng.choice(["duplicate", *(f"roundrobin({w})" for w in (1, 2, n, 2 * n))])
        other = rng.choice(["Pole", "Gain(2)", f"pipeline {{\n{body}    }}"])
        body = f"    add splitjoin {{ split {split}; add pipeline {{\n{body}    }};\n    add {other};\n    join roundrobin({rng.choice([1, 2, 2 * n])}); }};\n"
    if rng.random() < 0.5:
        body = "    add Pole;\n" + body
    return f'{FILTERS}void->void pipeline Main {{\n    add FileReader<float>("in.bin");\n{body}    add FileWriter<float>("out.bin");\n}}\n'


def floats(path):
    with open(path, "rb") as f:
        data = f.read()
    return struct.unpack(f"<{len(data) // 4}f", data)


def run(*command):
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    return result.returncode, result.stdout + result.stderr


def main():
    first, count, folder = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    os.makedirs(folder, exist_ok=True)
    os.chdir(folder)
    programs = made = 0
    for seed in range(first, first + count):
        rng = random.Random(seed)
        with open("program.str", "w", encoding="utf-8") as f:
            f.write(program(rng))
        with open("in.bin", "wb") as f:
            given = rng.choice([0, 17, 500, 1023, 2048, 3001])
            f.write(struct.pack(f"<{given}f", *(rng.uniform(-1, 1) for _ in range(given))))
        if run("svmc", "--interpret", "program.str")[0] != 0:
            continue  # rates do not balance
        expected = floats("out.bin")
        status, text = run("svmc", "-Ofast", "--verify-each", "--remarks", "program.str", "-o", "program")
        if status == 0:
            status, more = run("./program")
            text += more
        got = floats("out.bin") if status == 0 else ()
        most = max(map(abs, expected), default=0) or 1
        apart = max((abs(x - y) for x, y in zip(expected, got)), default=0) / most
        if status != 0 or len(got) != len(expected) or not apart < 2e-5:
            sys.exit(f"seed {seed}: {len(expected)} and {len(got)} numbers, {apart:.3g} of the largest apart\n{text}")
        programs += 1
        made += text.count("[fourier]")
    print(f"{programs} programs, {made} transforms made")


main()
