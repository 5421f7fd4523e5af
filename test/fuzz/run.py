# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a fuzz target for a number of executions: run.py TARGET --source=ROOT --svmc=SVMC --bin=FOLDER --work=FOLDER.

The seeds are what the test tree has of the target's language; their words are the dictionary. Fails on a crash, on a
failed check, on a sanitizer's report, on one input that takes longer than --timeout seconds, and on one that needs more
than --memory MiB. Keeps the input in the work folder. --runs=0 runs until stopped.
"""
import argparse
import collections
import concurrent.futures
import pathlib
import re
import shutil
import subprocess
import sys

LARGEST_SEED = 6000  # bytes
LEAST_EMITTED = 0.75  # of the runnable programs: the others are errors by intention
WORD = re.compile(rb"[A-Za-z_%@][\w.%-]*|[^\sA-Za-z0-9_]{1,3}")


def clean(text):
    """The text without lines that only hold a comment (the tests' directives)."""
    return b"\n".join(line for line in text.split(b"\n") if not re.match(rb"\s*(//|#)", line))


def files(root, *patterns):
    for pattern in patterns:
        yield from sorted(root.glob(pattern))


def streamit_seeds(args):
    for path in files(args.source, "test/lang/**/*.str", "test/run/*.str", "test/hlc/**/*.str", "examples/*/*.str"):
        yield clean(path.read_bytes())


def brook_seeds(args):
    for path in files(args.source, "test/lang/brook/*.br", "test/brook/*.br", "examples/brook/*.br"):
        yield clean(path.read_bytes())


def emitted(args, what):
    """What svmc makes of the runnable programs; those that are errors give nothing, and are few."""

    def emit(path):
        level = "-O%d" % (len(path.name) % 4)
        command = [args.svmc, "--emit=" + what, level, "-w", "--elaboration-steps=100000", "-o", "-", str(path)]
        return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True).stdout

    programs = list(files(args.source, "test/run/*.str"))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        texts = list(filter(None, pool.map(emit, programs)))
    if len(texts) < LEAST_EMITTED * len(programs):
        sys.exit("svmc makes %s of %d programs only, of %d" % (what, len(texts), len(programs)))
    yield from texts


def sir_seeds(args):
    for path in files(args.source, "test/**/*.sir"):
        yield clean(path.read_bytes())
    yield from emitted(args, "sir")


def plan_seeds(args):
    for path in files(args.source, "test/**/*.plan"):
        yield clean(path.read_bytes())
    yield from emitted(args, "plan")


def machine_seeds(args):
    for path in files(args.source, "targets/*.yaml", "test/targets/**/*.yaml", "test/llc/Inputs/*.yaml"):
        yield clean(path.read_bytes())


def graph_seeds(args):
    for path in files(args.source, "test/sim/Inputs/pair.yaml", "bench/papers/asm/*.yaml"):
        yield clean(path.read_bytes())


def softproc_seeds(args):
    """Assembly; the target makes containers of it too."""
    for path in files(args.source, "examples/softproc/*.sp", "test/softproc/**/*.sp"):
        yield b"\n".join(line for line in path.read_bytes().split(b"\n") if not line.strip().startswith(b"//"))


SEEDS = {
    "streamit": streamit_seeds,
    "brook": brook_seeds,
    "hlc": streamit_seeds,
    "sir": sir_seeds,
    "plan": plan_seeds,
    "machine": machine_seeds,
    "softproc": softproc_seeds,
    "graph": graph_seeds,
}


def escape(word):
    return "".join(chr(c) if 32 < c < 127 and c not in b'"\\' else "\\x%02x" % c for c in word)


def write_seeds(texts, folder, dictionary):
    """One file a seed, and the words that are in several seeds."""
    words = collections.Counter()
    count = 0
    for text in texts:
        if not text.strip() or len(text) > LARGEST_SEED:
            continue
        (folder / ("%04d" % count)).write_bytes(text)
        words.update(set(WORD.findall(text)))
        count += 1
    with open(dictionary, "w") as out:
        for word, uses in sorted(words.items()):
            if uses >= 3 and len(word) <= 40:
                out.write('"%s"\n' % escape(word))
    return count


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("target", choices=sorted(SEEDS))
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--svmc", required=True, help="makes stream IR and plans of programs")
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="where the targets are")
    parser.add_argument("--work", type=pathlib.Path, required=True, help="made anew")
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--timeout", type=int, default=60)
    parser.add_argument("--memory", type=int, default=2048)
    args = parser.parse_args()

    shutil.rmtree(args.work, ignore_errors=True)
    seeds, found = args.work / "seeds", args.work / "found"
    for folder in (seeds, found):
        folder.mkdir(parents=True, exist_ok=True)
    dictionary = args.work / "dictionary"
    count = write_seeds(SEEDS[args.target](args), seeds, dictionary)
    if count == 0:
        sys.exit("no seeds: is the source tree there, and does svmc work?")
    command = [
        str(args.bin / ("fuzz-" + args.target)),
        "-runs=%d" % (args.runs or -1),
        "-seed=%d" % args.seed,
        "-timeout=%d" % args.timeout,
        "-rss_limit_mb=%d" % args.memory,
        "-max_len=4096",
        "-dict=%s" % dictionary,
        "-artifact_prefix=%s/" % args.work,
        "-print_final_stats=1",
        str(found),
        str(seeds),
    ]
    log = args.work / "log"
    with open(log, "wb") as out:
        status = subprocess.run(command, stdout=out, stderr=subprocess.STDOUT).returncode
    text = log.read_text(errors="replace")
    stats = dict(re.findall(r"^stat::(\w+):\s*(\d+)$", text, re.M))
    executed = int(stats.get("number_of_executed_units", 0))
    if status != 0 or executed < args.runs:
        print(text[-20000:])
        sys.exit("%s failed with exit code %d; the input is in %s" % (" ".join(command), status, args.work))
    shutil.rmtree(seeds)
    shutil.rmtree(found)
    print("%d seeds, %d executions, nothing found" % (count, executed))


if __name__ == "__main__":
    main()
