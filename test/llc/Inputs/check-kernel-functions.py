# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""llc/contract/kernel_functions.def against the API's headers: every inline function of svm/arith.h and every function marked K in
svm/program.h is in the table, and every svm_ name of the table is declared. Usage: check-kernel-functions.py ROOT"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
headers = root / "runtime/include/svm"
table = set(re.findall(r"^KERNEL_FUNCTION\((\w+)\)", (root / "llc/contract/kernel_functions.def").read_text(), re.M))
arith = set(re.findall(r"^static inline [^(]*?\b(svm_\w+)\(", (headers / "arith.h").read_text(), re.M))
program = set(re.findall(r"\b(svm_\w+)\([^;]*\); *// K\b", (headers / "program.h").read_text()))
declared = set(re.findall(r"\b(svm_\w+)\(", "".join(p.read_text() for p in headers.glob("*.h"))))
# svm/lanes.h has its functions once for each number of lanes, which their names end in: OWN(svm_loadFloats), or OWN(svm_set##Items), and by
# EXACT(sqrt, sqrtf), TWO(atan2, ...) and the like those of mathematics.
lanes = (headers / "lanes.h").read_text()
declared |= set(re.findall(r"\bOWN\((svm_\w+)\)\(", lanes))
declared |= {name + items for name in re.findall(r"\bOWN\((svm_\w+)##Items\)\(", lanes) for items in ("Floats", "Ints")}
declared |= {f"svm_take{items}" for items in re.findall(r"^TAKE\((\w+),", lanes, re.M)}
declared |= {f"svm_{name}Floats" for name in re.findall(r"^\w+\((\w+)[,)]", lanes, re.M)}
# svm/bits.h has its functions by SVM_BITS_IN(svm_bitsInBytes, ...) and SVM_BITS_OUT.
declared |= set(re.findall(r"^SVM_BITS_\w+\((svm_\w+),", (headers / "bits.h").read_text(), re.M))
faults = [f"{name} is for kernels and not in the table" for name in sorted((arith | program) - table)]
faults += [f"{name} is in the table and not in the API" for name in sorted(table - declared) if name.startswith("svm_")]
if len(arith) < 30 or len(program) < 4:
    faults.append("the headers were not understood")
print("\n".join(faults + [f"{len(table)} functions, {len(faults)} faults"]))
sys.exit(bool(faults))
