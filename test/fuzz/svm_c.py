# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gives svm-llc SVM C with words changed: svm_c.py --source=ROOT --svmc=SVMC --llc=SVM-LLC --work=FOLDER.

The texts are examples, tests and emitted programs; in each, a few words are removed, doubled, exchanged or replaced by
words of other texts. svm-llc (built with sanitizers) must end with exit code 0 or 1 and no report of a sanitizer. It is run
as a process, because libclang, which is not ours, may well crash: svm-llc has to survive that.
"""
import argparse
import concurrent.futures
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys

WORD = re.compile(r'"(?:\\.|[^"\\\n])*"|[A-Za-z_]\w*|0[xX][0-9a-fA-F]+|\d[\w.]*|//[^\n]*|/\*.*?\*/|\s+|.', re.S)
EXTREMES = ["0", "-1", "2147483647", "2147483648", "18446744073709551615", "1e400", "\"\"", "NULL", "(", "}", "*", "void"]
EMITTED = ["pipeline", "feedback-echo", "splitjoin-duplicate", "struct", "prework"]
MODES = [["-fsyntax-only"], ["-fsyntax-only", "--target=null"], ["--emit=lib", "-###", "-o", "fuzz.a"]]
SECONDS = 60


def collect(args):
    paths = [p for g in ("examples/svm-c/*.c", "test/llc/*.c") for p in sorted(args.source.glob(g))]
    texts = [(p.parent, p.read_text(errors="replace")) for p in paths]
    for name in EMITTED:
        program = args.source / "test/run" / (name + ".str")
        r = subprocess.run([args.svmc, "--emit=svm-c", "-w", str(program)], capture_output=True, text=True, check=True)
        texts.append((program.parent, r.stdout))
    return texts


def is_code(word):
    return not word.isspace() and not word.startswith(("//", "/*"))


def kind_of(word):
    return "name" if re.match(r"[A-Za-z_]", word) else "number" if word[0].isdigit() else word[0]


def mutate_gently(r, words, places):
    """Changes that C often allows: names for names, numbers for numbers, a statement less or twice."""
    at = r.choice([i for i in places if kind_of(words[i]) in ("name", "number", ";")])
    if words[at] == ";":
        end = next((i for i in places if i > at and words[i] == ";"), at)
        words[at] += "".join(words[at + 1:end + 1]) * r.choice([0, 2])
        words[at + 1:end + 1] = [""] * (end - at)
    elif kind_of(words[at]) == "number" and r.random() < 0.5:
        words[at] = r.choice(EXTREMES)
    else:
        words[at] = words[r.choice([i for i in places if kind_of(words[i]) == kind_of(words[at])])]


def mutate(r, words, pool):
    words = list(words)
    places = [i for i, word in enumerate(words) if is_code(word)]
    if r.random() < 0.75:
        mutate_gently(r, words, places)
        return "".join(words)
    for _ in range(r.choice([1, 1, 2, 8])):
        at = r.choice(places)
        kind = r.randrange(6)
        if kind == 0:
            words[at] = ""
        elif kind == 1:
            words[at] += " " + words[at]
        elif kind == 2:
            other = r.choice(places)
            words[at], words[other] = words[other], words[at]
        elif kind == 3:
            words[at] = r.choice(EXTREMES)
        elif kind == 4:
            words[at] = r.choice(pool)
        else:
            end = min(len(words), at + r.randint(1, 60))
            words[at] = "".join(words[at:end]) * r.choice([0, 2, 3])
    return "".join(words)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--svmc", required=True)
    parser.add_argument("--llc", required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True, help="made anew")
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    shutil.rmtree(args.work, ignore_errors=True)
    args.work.mkdir(parents=True)
    texts = [(folder, WORD.findall(text)) for folder, text in collect(args)]
    pool = sorted({word for _, words in texts for word in words if is_code(word)})
    environment = dict(os.environ, ASAN_OPTIONS="exitcode=99:detect_leaks=1", UBSAN_OPTIONS="exitcode=99")

    def run(seed):
        r = random.Random(seed)
        folder, words = r.choice(texts)
        path = (args.work / ("%d.svm.c" % seed)).resolve()
        path.write_text(mutate(r, words, pool))
        command = [args.llc, *r.choice(MODES), "-I", str(folder), str(path)]
        try:
            p = subprocess.run(command, capture_output=True, cwd=args.work, env=environment, timeout=SECONDS)
            status, said = p.returncode, p.stderr.decode(errors="replace")
        except subprocess.TimeoutExpired:
            status, said = "none after %d s" % SECONDS, ""
        if status in (0, 1) and not re.search(r"Sanitizer|runtime error:|internal error", said):
            path.unlink()
            return status, None
        return status, "%s: exit code %s\n%s" % (" ".join(command), status, said[-5000:])

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as executor:
        results = list(executor.map(run, range(args.seed, args.seed + args.runs)))
    failures = [text for _, text in results if text]
    print("\n".join(failures))
    accepted = sum(status == 0 for status, _ in results)
    print("%d texts, %d accepted, %d failures" % (len(results), accepted, len(failures)))
    sys.exit(len(failures) > 0 or accepted == 0)


if __name__ == "__main__":
    main()
