#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""make.py [--draw SVMC]: prints docs/gallery.md from the READMEs of examples/ and the pictures beside this script.

With --draw it draws the pictures first, with Graphviz; in those of too many filters boxes stand for what is nested deep.
"""
import glob
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(HERE, "..", "..", "examples")
MOST_BYTES = 100_000  # of a picture that can be looked at
SECONDS = 300

HEAD = """# Gallery

The graphs of the example programs, as `svmc --emit=graph --graph-format=svg` draws them: a box is a filter, its frame the pipeline or splitjoin that it
is in; beside the edges stands how many items a firing gives and takes. This page is made by `docs/gallery/make.py`.
"""


def programs():
    """(folder, programs) of each example, in order of their names, the large ones last."""
    found = sorted(glob.glob(os.path.join(EXAMPLES, "*/"))) + sorted(glob.glob(os.path.join(EXAMPLES, "large/*/")))
    for folder in found:
        sources = sorted(glob.glob(os.path.join(folder, "*.str")))
        if sources:
            yield folder, sources


def picture(source):
    folder, name = os.path.basename(os.path.dirname(source)), os.path.basename(source)[:-4]
    return (folder if folder == name else f"{folder}-{name}") + ".svg"


def draw_one(svmc, source, path):
    """The whole graph, or with so much of it as boxes that the picture can be looked at."""
    for depth in [0, 6, 5, 4, 3, 2, 1]:
        subprocess.run([svmc, "-w", "--emit=graph", "--graph-format=svg", f"--graph-depth={depth}", source, "-o", path], timeout=SECONDS, check=True)
        if os.path.getsize(path) <= MOST_BYTES:
            return


def draw(svmc):
    for _, sources in programs():
        for source in sources:
            path = os.path.join(HERE, picture(source))
            try:
                draw_one(svmc, source, path)
            except (subprocess.TimeoutExpired, subprocess.CalledProcessError) as e:
                print(f"make.py: no picture of {source}: {e}", file=sys.stderr)


def is_folded(path):
    with open(path, encoding="utf-8") as f:
        return re.search(r": \d+ filters<", f.read()) is not None


def page():
    text = [HEAD]
    for folder, sources in programs():
        with open(os.path.join(folder, "README.md"), encoding="utf-8") as f:
            title, about = re.match(r"# (.*)\n\n((?:.+\n)+)", f.read()).groups()
        where = os.path.relpath(folder, os.path.join(HERE, ".."))
        about = re.sub(r"\]\((?!https?:|/)", f"]({where}/", " ".join(about.split()))  # links as seen from docs/
        text.append(f"## {title}\n\n[{os.path.relpath(folder, EXAMPLES)}]({where}/): {about}\n")
        for source in sources:
            name, drawn = os.path.basename(source), picture(source)
            if os.path.exists(os.path.join(HERE, drawn)):
                text.append(f"![The graph of {name}](gallery/{drawn})\n")
                if is_folded(os.path.join(HERE, drawn)):
                    text.append(f"Boxes with a double edge stand for so many filters; `svmc --emit=graph {name}` has them all.\n")
            else:
                text.append(f"`{name}` has too many filters for a picture here; `svmc --emit=graph {name}` has them all.\n")
    return "\n".join(text)


if sys.argv[1:2] == ["--draw"] and len(sys.argv) == 3:
    draw(sys.argv[2])
elif len(sys.argv) > 1:
    sys.exit(__doc__)
sys.stdout.write(page())
