# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Many programs in one executable: the C that svmc made of each, with names of its own, compiled as one translation unit."""
import os
import re

# Headers whose text is a program's own: included anew for each, with its names.
OWN_HEADERS = ("mapped_tables.h", "mapped_control.h", "mapped_runs.h", "mapped_again.h", "mapped_failing.h")
SHARED = set("""auto break case char const continue default do double else enum extern float for goto if inline int long register
restrict return short signed sizeof alignof typeof offsetof static struct switch typedef union unsigned void volatile _Bool bool true false main
ptrdiff_t size_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t intptr_t uintptr_t NULL""".split())
MAIN = """
int main(int argc, char **argv)
{
    int number = argc > 1 ? atoi(argv[1]) : -1;
    if (number < 0 || number >= %d || batch_programs[number] == NULL)
        return 3;
    argv[1] = argv[0];
    return svm_main(batch_programs[number], argc - 1, argv + 1);
}
"""


def without_comments(text):
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\])*"', " ", text, flags=re.S)


def own_names(text):
    """The identifiers that a C text uses outside of braces, and its enumerators: those that it declares are among them."""
    text = re.sub(r"^[ \t]*#(?:\\\n|[^\n])*", " ", without_comments(text), flags=re.M)
    names = {"svm_machineName", *re.findall(r"SVM_(?:MEMORY|PROCESSOR)\((\w+)\)", text)}
    for members in re.findall(r"\benum\b[^{};]*\{([^{}]*)\}", text):
        names.update(re.findall(r"(?:^|,)\s*([A-Za-z_]\w*)", members))
    depth = 0
    for token in re.findall(r"[{}()]|[A-Za-z_]\w*", text):
        if token in "{}()":
            depth += 1 if token in "{(" else -1
        elif depth == 0 and token not in SHARED and not re.match(r"svm_|SVM_|__|_[A-Z]", token):
            names.add(token)
    return names


def header_names(folder):
    """All identifiers in the headers of a folder: what a program calls so cannot be renamed with macros."""
    names = set()
    for header in sorted(set(os.listdir(folder)) - set(OWN_HEADERS)):
        with open(os.path.join(folder, header), encoding="utf-8") as f:
            names.update(re.findall(r"[A-Za-z_]\w*", without_comments(f.read())))
    return names - {"svm_machineName"}


def header_own_names(folder):
    """What OWN_HEADERS declare."""
    names = set()
    for header in OWN_HEADERS:
        with open(os.path.join(folder, header), encoding="utf-8") as f:
            text = without_comments(f.read())
        names.update(re.findall(r"\bsvm_[rR]ound\w*", text))
        for members in re.findall(r"\benum\b[^{};]*\{([^{}]*)\}", text):
            names.update(re.findall(r"(?:^|,)\s*([A-Za-z_]\w*)", members))
    return names


def with_own_headers(text, folder, seen):
    """A C text with OWN_HEADERS, of that folder, in it: what is cut out of it for an SPE keeps the names that stand there."""
    def replace(line):
        if line.group(1) not in OWN_HEADERS or line.group(1) in seen:
            return "" if line.group(1) in seen else line.group(0)
        seen.add(line.group(1))
        with open(os.path.join(folder, line.group(1)), encoding="utf-8") as f:
            return with_own_headers(f.read(), folder, seen)
    return re.sub(r"^#include <svm/(\w+\.h)>$", replace, text, flags=re.M)


def write_batch(folder, name, parts, headers, own, include):
    """Writes NAME.c of parts (number, name of a C file in the folder): main's first argument says which to run.

    Gives the numbers of those that it leaves out because they share a name that the headers use with another.
    own: what OWN_HEADERS declare. include: the folder that they are in.
    """
    lines, includes, count = [], {"#include <stdlib.h>": None}, max(number for number, _ in parts) + 1
    kept, left_out = set(), []
    table = ["NULL"] * count
    for number, source in parts:
        with open(os.path.join(folder, source), encoding="utf-8") as f:
            text = f.read()
        names = own_names(text)
        if "#include <svm/mapped" in text:
            names |= own
        if names & headers & kept:
            left_out.append(number)
            continue
        kept |= names & headers
        text = with_own_headers(text, include, set())
        with open(os.path.join(folder, source), "w", encoding="utf-8") as f:
            f.write(text)
        includes.update(dict.fromkeys(re.findall(r"^#include <(?!svm/lanes|svm/bits|svm/mapped).*$", text, re.M))) # these come with their numbers
        names = sorted(names - headers)
        lines += [f"#define {n} batch{number}_{n}" for n in names]
        lines.append(f'#include "{source}"')
        program = re.search(r"^const svm_Program (\w+) = \{", text, re.M).group(1)
        lines.append(f"static const svm_Program *const batch_program{number} = &{program};")
        lines += [f"#undef {n}" for n in [*names, "SVM_MAPPED", "SVM_MAPPED_INIT", "SVM_MAPPED_MEMORY", "SVM_MAPPED_CONTROL"]]
        table[number] = f"batch_program{number}"
    # The table is filled when main runs: its members are not constants to C.
    fill = [f"    batch_programs[{i}] = {t};" for i, t in enumerate(table) if t != "NULL"]
    body = MAIN % count
    body = body.replace("{\n", "{\n    const svm_Program *batch_programs[%d] = {0};\n" % count + "\n".join(fill) + "\n", 1)
    with open(os.path.join(folder, name + ".c"), "w", encoding="utf-8") as f:
        f.write("\n".join(["#define SVM_NO_MAIN 1", *includes, *lines]) + "\n" + body)
    return left_out
