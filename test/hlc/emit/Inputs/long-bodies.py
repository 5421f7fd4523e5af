# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A filter whose body is long: long-bodies.py (branches | ladder) STATEMENTS.
import sys

KIND, COUNT = sys.argv[1], int(sys.argv[2])
print("int->int filter Long {\n    int[4] kept;\n    work pop 8 push 8 {")
if KIND == "branches":
    print("        int[8] a;\n        int sum = 0;\n        for (int i = 0; i < 8; i++) {\n            int x = peek(i);")
    print("            if (x > sum) {")
    for n in range(COUNT):
        print(f"                a[(i + {n % 8}) & 7] = x * {n} + a[{n % 8}];")
    print("            } else {")
    for n in range(COUNT):
        print(f"                a[(i + {n % 8}) & 7] = sum + {n} * x;")
    print("            }\n            sum = sum + a[i];\n        }")
else:
    for n in range(COUNT + 1):
        print(f"        int a{n} = peek({n % 8}) + {n};")
    print("        for (int i = 0; i < 40; i++) {")
    for n in range(COUNT):
        print(f"            a{n} = a{n + 1} * 3;")
    print(f"            a{COUNT} = a{COUNT} * 5 + kept[i & 3];\n            kept[i & 3] = a0;\n        }}\n        int[8] a;")
print("        for (int i = 0; i < 8; i++)\n            push(a[i] + kept[i & 3]);")
print("        for (int i = 0; i < 8; i++)\n            pop();\n    }\n}\nint->int pipeline Main {\n    add Long;\n}")
