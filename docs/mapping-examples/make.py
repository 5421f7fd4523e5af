#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the pictures of README.md: the FM receiver's reports for three machines, taken apart.

    make.py --svmc=build/bin/svmc
"""
import argparse
import os
import re
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PROGRAM = os.path.join(ROOT, "examples/fm-receiver/fm.str")
MACHINES = [("host-4", []), ("imagine", []), ("cell-qs20", ["--processors=4"])]
PICTURES = {"Timeline": "timeline", "Mapping": "mapping", "Memories": "memory"}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--svmc", default=os.path.join(ROOT, "build/bin/svmc"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for machine, more in MACHINES:
            page = os.path.join(folder, "page.html")
            subprocess.run([options.svmc, f"--machine={machine}", *more, f"--report={page}", PROGRAM], check=True)
            with open(page, encoding="utf-8") as f:
                text = f.read()
            print(machine, *re.findall(r"<p class=\"verdict\">(.*?)</p>", text), sep=": ")
            for section in text.split("<h2>")[1:]:
                name = PICTURES.get(section[: section.index("</h2>")])
                svg = re.search(r"<svg.*?</svg>\n", section, re.DOTALL)
                if name and svg:
                    with open(os.path.join(HERE, f"{machine}-{name}.svg"), "w", encoding="utf-8") as f:
                        f.write(svg.group(0))


main()
