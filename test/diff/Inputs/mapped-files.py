# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""mapped-files.py SVMC FOLDER: see mapped-files.test."""
import os
import subprocess
import sys

PROGRAMS = {
    "ints": "int->int filter Ints { work pop 2 push 3 { int a = pop(), b = pop(); push(a + b); push(a ^ b); push(a - 7 * b); } }",
    "bits": "bit->bit filter Bits { work pop 3 push 2 { bit a = pop(), b = pop(), c = pop(); push(a ^ b); push(b & c); } }",
    "structs": "struct Pair { int a; float b; }\n"
               "Pair->int filter Pairs { work pop 1 push 1 { Pair p = pop(); push(p.a + (int)p.b); } }",
    "ahead": "int->int filter Ahead { work pop 1 push 1 peek 40 { push(peek(0) + peek(39)); pop(); } }",
    # What runs look at again, for channels inside the part and for their input.
    "leads": "int->int filter Twice { work pop 1 push 2 peek 9 { push(peek(8)); push(pop()); } }\n"
             "int->int filter Sum { work pop 2 push 1 peek 130 { push(peek(0) - peek(129)); pop(); pop(); } }\n"
             "int->int pipeline Leads { add Twice; add Sum; }",
    # The output begins with items that its writer does not come to before the next are there.
    "begun": "int->int filter Begun { prework push 5 { for (int i = 0; i < 5; i++) push(i); } work pop 1 push 1 { push(3 * pop()); } }",
    "headers": "bit->bit filter Skip { prework pop 24 { for (int i = 0; i < 24; i++) pop(); }\n"
               "    work pop 1 push 1 peek 9 { push(peek(8) ^ pop()); } }\n"
               "bit->bit filter Head { prework push 16 { for (int i = 0; i < 16; i++) push((bit)(i & 1)); } work pop 1 push 1 { push(pop()); } }\n"
               "bit->bit pipeline Headers { add Skip; add Head; }",
    "odd": "bit->bit filter Odd { prework push 3 { for (int i = 0; i < 3; i++) push((bit)1); } work pop 2 push 2 peek 3 { push(peek(2)); push(pop()); pop(); } }",
    "one": "bit->bit filter One { prework push 1 { push((bit)1); } work pop 1 push 1 { push(pop()); } }",
}
ITEM = {"ints": 8, "bits": 3 / 8, "structs": 8, "ahead": 4, "leads": 4, "begun": 4, "headers": 1 / 8, "odd": 2 / 8,
        "one": 1 / 8} # bytes of a steady state
STRIP = {"ints": 256, "bits": 512, "structs": 128, "ahead": 64, "leads": 64, "begun": 64, "headers": 512, "odd": 256, "one": 512}
svmc, folder = sys.argv[1], sys.argv[2]


def run(command, **more):
    return subprocess.run(command, check=True, timeout=60, **more)


class Data:
    """Bytes of which each piece is the beginning of all."""
    x, made = 12345, bytearray()

    def first(self, size):
        while len(self.made) < size:
            self.x = (self.x * 1103515245 + 12345) & 0x7fffffff
            self.made += (self.x >> 8 & 0xffff).to_bytes(2, "little")
        return bytes(self.made[:size])


data = Data().first


def path(name):
    return os.path.join(folder, name)


def compare(name, program, content, *options):
    with open(path("in"), "wb") as f:
        f.write(content)
    interpreter = run([svmc, "--interpret", path(name + ".str"), *options, f"--in={path('in')}", "--out=" + path("wanted")],
                      stderr=subprocess.DEVNULL)
    assert interpreter.returncode == 0
    with open(path("wanted"), "rb") as f:
        wanted = f.read()
    for pipe in (False, True):
        if pipe and "--loop-input" in options:
            continue
        with open(path("in"), "rb") as f:
            feed = ["cat"] if pipe else None
            source = subprocess.Popen(feed, stdin=f, stdout=subprocess.PIPE).stdout if pipe else None
            run([program, *options, *([] if pipe else [f"--in={path('in')}"]), "--out=" + path("got")], stdin=source)
        with open(path("got"), "rb") as f:
            if f.read() != wanted:
                sys.exit(f"{name}: {len(content)} bytes, {options}, {'pipe' if pipe else 'file'}: differs from the interpreter's")


for name, text in PROGRAMS.items():
    with open(path(name + ".str"), "w", encoding="utf-8") as f:
        f.write(text)
    program = path(name)
    run([svmc, "-O2", "--machine=host-4", f"--strip={STRIP[name]}", path(name + ".str"), "-o", program])
    strip = int(ITEM[name] * STRIP[name])
    for size in (0, strip // 3, strip, 4 * strip, 37 * strip + 3 * strip // 7, 600 * strip, 611 * strip + 8, 1200 * strip, 2600 * strip + 8,
                 5400 * strip + 24):
        whole = int(size / ITEM[name]) * ITEM[name] if ITEM[name] >= 1 else size
        compare(name, program, data(int(whole)))
    for strips in (500, 1024, 1999):
        compare(name, program, data(2200 * strip), "-i", str(STRIP[name] * strips + strips % 2 * 11))
    compare(name, program, data(48), "-i", str(STRIP[name] * 300 + 5), "--loop-input")
