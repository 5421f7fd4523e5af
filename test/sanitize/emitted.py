# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the programs of test/run as emitted C under sanitizers: emitted.py --source=ROOT, with the environment that
svmc-sanitized needs. What the programs print is compared as run-all.py does it; programs take turns with the levels.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import shlex
import subprocess
import sys

LEVELS = ["-O0", "-O2 --strip=7", "-O3"]
RUN = re.compile(r"RUN: %run-all (.*)$", re.M)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", type=pathlib.Path, required=True)
    args = parser.parse_args()
    folder = args.source / "test/run"
    environment = dict(os.environ, ASAN_OPTIONS="exitcode=99:detect_stack_use_after_return=1")

    def run(number, path, options):
        command = [sys.executable, str(folder / "run-all.py"), "--svmc=" + str(args.source / "test/sanitize/svmc-sanitized")]
        words = [str(path) if word == "%s" else word for word in shlex.split(options)]
        r = subprocess.run([*command, "--levels=" + LEVELS[number % len(LEVELS)], *words], env=environment, capture_output=True)
        return path, r

    failed = count = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = []
        for path in sorted(folder.glob("*.str")):
            for options in RUN.findall(path.read_text(encoding="latin-1")):
                if "--levels=" not in options:
                    jobs.append(pool.submit(run, len(jobs), path, options))
        for job in jobs:
            path, r = job.result()
            count += 1
            if r.returncode != 0:
                failed += 1
                print("%s:\n%s%s" % (path, r.stdout.decode(errors="replace"), r.stderr.decode(errors="replace")))
    print("%d programs, %d failed" % (count, failed))
    sys.exit(failed > 0 or count == 0)


if __name__ == "__main__":
    main()
