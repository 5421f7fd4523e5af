#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the reference pages of the SVM API from runtime/api.def.

    make.py             writes the pages beside this file
    make.py --check     says whether they are current, and exits with 1 if not

runtime/api.def is a text of pages and records:

    == PAGE | TITLE | HEADER       begins a page; what follows, up to the first record, is its introduction
    -- GROUP                       a heading within the page
    PROTOTYPE;                     begins a record, at the start of a line
      text                         what the function does
      @arg NAME  TEXT              an argument, with its unit
      @returns TEXT
      @error ID  TEXT              when that error of svm/errors.def is reported
      @errors SET                  the same for a set of errors that a line '%SET ID TEXT' gives a member each
      @blocks TEXT                 'no', or what it waits for
      @caller control|kernel|both  who may call it
      @source TEXT                 where it comes from

A record's @blocks, @caller and @source are those of the line '@default ...' before it unless it has its own.
"""
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
# Headers beside the API, which describe themselves.
OTHER_HEADERS = {"bits.h": "vectors of bits, for firings side by side",
                 "byte_lanes.h": "vectors of bytes, for firings side by side",
                 "bytes.h": "bytes in tables, 64 at a time",
                 "brook.h": "streams of finite graphs",
                 "brook_folds.h": "left folds of floats that vectors do",
                 "brook_graph.h": "what compiled finite graphs use",
                 "brook_take.h": "elements of gathered streams for many firings at a time",
                 "brook_past.h": "outputs that go past the caches",
                 "brook_turn.h": "columns of gathered streams that are turned over",
                 "brook_host.h": "what the host code of Brook programs uses",
                 "brook_interpret.h": "what interpreted ones use",
                 "brook_program.h": "stream programs that Brook host code calls",
                 "brook_small.h": "streams of bytes and fixed-point numbers",
                 "elementary.h": "mathematical functions that are the same everywhere",
                 "checks.h": "checks that `-fcheck-rates` and `-fcheck-bounds` compile in",
                 "input.h": "how emitted programs on one processor read files",
                 "launch.h": "thread functions and launches, see [softproc.md](../softproc.md)",
                 "steps.h": "several bits at a time, for tables of states",
                 "dynamic.h": "what emitted programs with dynamic rates use",
                 "offload.h": "of these, regions whose runs other processors do in their own memories",
                 "lanes.h": "vectors, for firings side by side",
                 "library.h": "what programs emitted as libraries use",
                 "strip.h": "strips of emitted programs of which a firing may fail",
                 "messages.h": "what emitted programs with messages use",
                 "mapped_tables.h": "tables and runs of emitted programs on several processors",
                 "mapped_control.h": "the functions that go through these",
                 "mapped_runs.h": "of these, what sets up runs and orders them",
                 "mapped_again.h": "of these, rounds that processors repeat by themselves",
                 "mapped_failing.h": "of these, rounds in which a firing fails",
                 "softproc.h": "the driver of simulated soft processors"}
CALLERS = {"control": "the control thread", "kernel": "kernels", "both": "the control thread and kernels"}


class Record:
    def __init__(self, prototype, line, defaults):
        self.prototype = " ".join(prototype.split())
        self.name = re.search(r"(\w+)\(", self.prototype).group(1)
        self.line = line
        self.text, self.args, self.errors, self.returns = [], [], [], None
        self.fields = dict(defaults)


class Page:
    def __init__(self, key, title, header):
        self.key, self.title, self.header = key, title, header
        self.intro, self.items = [], []  # items: headings (text) and records


class Broken(Exception):
    pass


def headers_of(root):
    return os.path.join(root, "runtime", "include", "svm")


def parse_table(root):
    path = os.path.join(root, "runtime", "api.def")
    pages, sets, defaults, record, last = [], {}, {}, None, None
    with open(path, encoding="utf-8") as f:
        lines = f.read().splitlines()
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if line.startswith("#"):
            continue
        if line.startswith("== "):
            pages.append(Page(*[part.strip() for part in line[3:].split("|")]))
            record, defaults, last = None, {}, None
        elif line.startswith("%"):
            name, error, when = line[1:].split(None, 2)
            sets.setdefault(name, []).append((error, when))
        elif line.startswith("-- "):
            pages[-1].items.append(line[3:].strip())
            record = None
        elif line.startswith("@default "):
            key, value = line.split(None, 2)[1:]
            defaults[key] = value
        elif line and not line[0].isspace() and re.match(r"[\w ].*\w\(.*\).*;$", line):
            record = Record(line.rstrip(";"), number, defaults)
            pages[-1].items.append(record)
            last = None
        elif record is None:
            if not pages:
                if text:
                    raise Broken(f"{path}:{number}: text before the first page")
                continue
            pages[-1].intro.append(text)
        elif text.startswith("@"):
            last = take_field(record, text, sets, f"{path}:{number}")
        elif last and text:
            last(text)
        elif text:
            record.text.append(text)
    return pages


def take_field(record, text, sets, place):
    """Gives what takes further lines of the field."""
    word, _, rest = text.partition(" ")
    rest = rest.strip()
    if word in ("@arg", "@error"):
        name, _, what = rest.partition(" ")
        target = record.args if word == "@arg" else record.errors
        target.append([name, what.strip()])
        entry = target[-1]

        def more(line):
            entry[1] += " " + line

        return more
    if word == "@errors":
        for name in rest.split():
            if name not in sets:
                raise Broken(f"{place}: there is no set '%{name}'")
            record.errors.extend([list(e) for e in sets[name]])
        return None
    if word == "@returns":
        record.returns = rest

        def more_returns(line):
            record.returns += " " + line

        return more_returns
    key = word[1:]
    if key not in ("blocks", "caller", "source"):
        raise Broken(f"{place}: unknown field '{word}'")
    record.fields[key] = rest

    def more_field(line):
        record.fields[key] += " " + line

    return more_field


def errors(root):
    """The ids of errors.def with their names and meanings."""
    with open(os.path.join(headers_of(root), "errors.def"), encoding="utf-8") as f:
        return {i: (name, text) for i, name, text in re.findall(r'SVM_ERROR\((\w+),\s*"([^"]*)",\s*"([^"]*)"\)', f.read())}


def strip_comments(text):
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    text = re.sub(r"//[^\n]*", "", text)
    text = re.sub(r"\\\n", " ", text)
    return re.sub(r"^[ \t]*#[^\n]*", "", text, flags=re.M)


# Result, name, parameters, perhaps an attribute macro, and the end of a declaration or the beginning of a body.
FUNCTION = re.compile(
    r"(?:^|(?<=[;}]))\s*((?:[A-Za-z_][\w]*[\s*]+)+?)(svm_\w+)\s*\(((?:[^()]|\([^()]*\))*)\)\s*"
    r"(?:[A-Z_]+(?:\([^;{]*\))?\s*)?[;{]", re.M)


def functions_of_header(path):
    """Prototypes of the public functions that a header declares or defines inline, by name."""
    with open(path, encoding="utf-8") as f:
        text = strip_comments(f.read())
    found = {}
    for m in FUNCTION.finditer(text):
        result = m.group(1)
        if re.search(r"\b(return|typedef|else|define)\b", result):
            continue
        result = re.sub(r"\b(static|inline|extern|SVM_NORETURN|SVM_API)\b", "", result)
        prototype = " ".join(f"{result}{m.group(2)}({m.group(3)})".split()).replace("* ", "*")
        found.setdefault(m.group(2), prototype)
    return found


def public_functions(root):
    """All of them: name to (header, prototype), but for those with the place of the call."""
    found, folder = {}, headers_of(root)
    for name in sorted(os.listdir(folder)):
        if name.endswith(".h") and name not in OTHER_HEADERS:
            for function, prototype in functions_of_header(os.path.join(folder, name)).items():
                found.setdefault(function, ("svm/" + name, prototype))
    return {f: v for f, v in found.items() if not v[1].endswith("const char *file, int line)")}


def wrap_prototype(prototype):
    """As C text of at most 100 columns."""
    text = prototype + ";"
    if len(text) <= 100:
        return text
    head, _, arguments = text.partition("(")
    lines, line = [], head + "("
    indent = " " * len(line)
    for argument in arguments.split(", "):
        piece = argument if argument.endswith(");") else argument + ", "
        if len(line) + len(piece) > 100:
            lines.append(line.rstrip())
            line = indent
        line += piece
    return "\n".join(lines + [line])


def add_record(out, record, known):
    out += [f"### {record.name}", "", "```c", wrap_prototype(record.prototype), "```", ""]
    if record.text:
        out += [" ".join(record.text), ""]
    for name, text in record.args:
        out.append(f"* `{name}`: {text}")
    if record.returns:
        out.append(f"* Gives {record.returns}")
    if record.args or record.returns:
        out.append("")
    out.append(f"**Called by** {CALLERS[record.fields['caller']]}. **Waits:** {record.fields['blocks']}. "
               f"**From:** {record.fields['source']}.")
    out.append("")
    if record.errors:
        out += ["| Error | When |", "|---|---|"]
        out += [f"| `{known[i][0]}` | {when} |" for i, when in record.errors]
        out.append("")


def make_page(page, known):
    out = [f"# {page.title}", "", "<!-- Made by docs/svm-api/make.py from runtime/api.def. -->", "",
           f"Header: `{page.header}`", ""]
    intro = "\n".join(page.intro).strip()
    if intro:
        out += [intro, ""]
    if page.key == "errors":
        out += ["| Name | Id | Means |", "|---|---|---|"]
        out += [f"| `{name}` | `SVM_ERROR_{i}` | {text} |" for i, (name, text) in known.items()]
        out.append("")
    for item in page.items:
        if isinstance(item, str):
            out += [f"## {item}", ""]
        else:
            add_record(out, item, known)
    return "\n".join(out).rstrip() + "\n"


def make_index(pages):
    out = ["# The SVM API", "", "<!-- Made by docs/svm-api/make.py from runtime/api.def. -->", "",
           "A page for each part of the API. Every function is there with its arguments and their units, who may call",
           "it, whether it waits, the errors it reports, and where it comes from: *SVM paper* is \"The Stream Virtual",
           "Machine\" (Labonte et al., 2004), *ASM paper* is \"The Abstract Streaming Machine\" (Carpenter et al., 2009),",
           "*slides* are Labonte's \"SVM API\"; *ours* is what none of them has.", ""]
    others = ", ".join(f"`svm/{name}` ({what})" for name, what in OTHER_HEADERS.items())
    out += [f"Not part of the API, and described in their headers: {others}.", ""]
    for page in pages:
        out += [f"## [{page.title}]({page.key}.md)", ""]
        records = [r for r in page.items if isinstance(r, Record)]
        out.append(", ".join(f"[`{r.name}`]({page.key}.md#{r.name.lower()})" for r in records))
        out.append("")
    return "\n".join(out).rstrip() + "\n"


def made_files():
    pages, known = parse_table(ROOT), errors(ROOT)
    files = {f"{page.key}.md": make_page(page, known) for page in pages}
    files["README.md"] = make_index(pages)
    return files


def main():
    check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not check:
        print(__doc__, file=sys.stderr)
        return 2
    stale = 0
    for name, text in made_files().items():
        path = os.path.join(HERE, name)
        try:
            with open(path, encoding="utf-8") as f:
                current = f.read() == text
        except FileNotFoundError:
            current = False
        if check and not current:
            print(f"{path}: is not what make.py makes of runtime/api.def")
        elif not current:
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
        stale += not current
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
