#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares runtime/api.def, which the API's reference pages are made of, with the headers, the errors, the functions
that kernels may call, and the tests.

    api.py ROOT
"""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "svm-api"))
sys.dont_write_bytecode = True
import make

# Where a function or an error is used if it is tested.
TEST_FOLDERS = ["test/runtime", "test/sim", "test/cell/svm", "conformance"]


def parameters_of(prototype):
    """Their names."""
    text = re.search(r"svm_\w+\((.*)\)$", prototype).group(1)
    text = re.sub(r"\(\*(\w+)\)\([^()]*\)", r"\1", text)  # a function pointer
    names = [re.search(r"(\w+|\.\.\.)\s*(\[\w*\])*$", part.strip()).group(1) for part in text.split(",")]
    return [n for n in names if n not in ("void", "...")]


def read_tests(root):
    text = []
    for folder in TEST_FOLDERS:
        for path, _, names in os.walk(os.path.join(root, folder)):
            for name in sorted(names):
                if name.endswith((".c", ".h")):
                    with open(os.path.join(path, name), encoding="utf-8") as f:
                        text.append(f.read())
    return "\n".join(text)


class Lint:
    def __init__(self, root):
        self.root = root
        self.path = os.path.join("runtime", "api.def")
        self.complaints = 0

    def complain(self, line, text):
        self.complaints += 1
        print(f"{self.path}:{line}: error: {text}")

    def check_record(self, record, page, public, errors, kernel_functions):
        header, prototype = public[record.name]
        if record.prototype != prototype:
            self.complain(record.line, f"'{record.name}' is '{prototype}' in {header}")
        if header != page.header:
            self.complain(record.line, f"'{record.name}' is in {header}, and its page is about {page.header}")
        parameters = parameters_of(prototype)
        described = [name for name, _ in record.args]
        if described and described != parameters:
            self.complain(record.line, f"'{record.name}' has the arguments {parameters}, described are {described}")
        if not described and parameters and page.key != "arithmetic":
            self.complain(record.line, f"the arguments of '{record.name}' are not described")
        if page.key != "arithmetic" and not re.match(r"void svm_", prototype) and not record.returns:
            self.complain(record.line, f"what '{record.name}' gives is not described")
        for error, when in record.errors:
            if error not in errors:
                self.complain(record.line, f"'{record.name}': there is no error '{error}'")
            if not when:
                self.complain(record.line, f"'{record.name}': when '{error}' is reported is not described")
        if not record.text:
            self.complain(record.line, f"what '{record.name}' does is not described")
        for key in ("blocks", "caller", "source"):
            if not record.fields.get(key):
                self.complain(record.line, f"'{record.name}' has no @{key}")
        caller = record.fields.get("caller")
        if caller not in make.CALLERS:
            self.complain(record.line, f"'{record.name}': unknown caller '{caller}'")
        elif (caller != "control") != (record.name in kernel_functions):
            self.complain(record.line, f"'{record.name}' is called by '{caller}', which "
                                       "llc/contract/kernel_functions.def denies")

    def run(self):
        public, errors = make.public_functions(self.root), make.errors(self.root)
        with open(os.path.join(self.root, "llc/contract/kernel_functions.def"), encoding="utf-8") as f:
            kernel_functions = set(re.findall(r"KERNEL_FUNCTION\((\w+)\)", f.read()))
        tests = read_tests(self.root)
        used = set(re.findall(r"\w+", tests))
        recorded = {}
        for page in make.parse_table(self.root):
            for record in page.items:
                if isinstance(record, str):
                    continue
                if record.name in recorded:
                    self.complain(record.line, f"'{record.name}' is there twice")
                recorded[record.name] = record
                if record.name not in public:
                    self.complain(record.line, f"'{record.name}' is in no header")
                    continue
                self.check_record(record, page, public, errors, kernel_functions)
                if record.name not in used:
                    self.complain(record.line, f"'{record.name}' is in no test")
        for name, (header, prototype) in public.items():
            if name not in recorded:
                self.complain(0, f"{header}: '{prototype}' has no record")
        for error, (name, _) in errors.items():
            if f'"{name}"' not in tests and f"SVM_ERROR_{error}" not in used:
                self.complain(0, f"the error '{name}' is in no test")
        print(f"{len(recorded)} functions, {len(errors)} errors, {self.complaints} complaints")
        return self.complaints == 0


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    sys.exit(0 if Lint(sys.argv[1]).run() else 1)


main()
