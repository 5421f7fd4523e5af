# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes an SVM C file with one thing nested N deep. Usage: nest.py KIND N"""
import sys

kind, n = sys.argv[1], int(sys.argv[2])
body = {
    "brackets": "x = " + "(" * n + "x" + ")" * n + ";",
    "statements": "".join(f"if (x == {i}) x++; else " for i in range(n)) + "x--;",
    "terms": "x = " + " + ".join(["x"] * n) + ";",
    "casts": "x = " + "(int)" * n + "x;",
    "operators": "x = " + "!" * n + "x;",
    "table": "static const int table[] = {" + ", ".join(map(str, range(n))) + "}; x = table[x];",
}[kind]
print(f"#include <svm/svm.h>\nSVM_MACHINE(\"simple-svm\");\nstatic int f(int x)\n{{\n    {body}\n    return x;\n}}")
print("int main(void) { return f(0) == 12345; }")
