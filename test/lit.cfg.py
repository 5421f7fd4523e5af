# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The lit configuration of all tests; lit.site.cfg.py in the build folder loads it.
#
# In RUN lines: the tools as %svmc %svm-hlc %svm-opt %svm-llc, %root (the source tree), %S (the test's folder), %t (a
# scratch path), %cc (a C compiler: clang); on PATH: the tools, the test programs, FileCheck, not, count, diff, clang.
# %build-sanitized brings the build with sanitizers and fuzz targets up to date, which is in %sanitized.
import os
import re
import shutil
import signal
import subprocess

import lit.formats
import lit.util

SECONDS_PER_TEST = int(os.environ.get("SVMC_SECONDS_PER_TEST", "600"))  # on a busy machine, the sanitized build included

# RUN lines have substitutions as they are, without quotes: in a path with a blank 'rm -rf %t' would act on other files
# than the test's own. bootstrap.sh says the same before it builds anything.
for folder in [config.source_dir, config.build_dir]:
    if re.search(r"[^A-Za-z0-9_./+,@:=-]", folder):
        lit_config.fatal(
            "the tests cannot run in '%s': a path with blanks or special characters is split by their scripts; "
            "clone into a folder whose path has letters, digits and _ . / + , @ : = - alone" % folder
        )

config.name = "svmc"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".test", ".str", ".br", ".sir", ".plan", ".c", ".yaml", ".ll"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.build_dir, "test")

bin_dir = os.path.join(config.build_dir, "bin")
config.substitutions.append((r"%svmc_data\b", os.path.join(config.build_dir, "share/svmc")))
for tool in ["svmc", "svm-hlc", "svm-opt", "svm-llc", "svm-sim", "svm-characterize", "svm-check", "svm-spas", "svm-spdis", "svm-spsim", "svm-spu2c"]:
    config.substitutions.append((r"%" + tool + r"\b(?!-)", os.path.join(bin_dir, tool)))
    if os.path.exists(os.path.join(bin_dir, tool)):
        config.available_features.add(tool)
config.substitutions.append((r"%root\b", config.source_dir))
config.substitutions.append((r"%cc\b", os.path.join(config.llvm_bin, "clang")))
sanitized = os.path.join(config.build_dir, "sanitized")
config.substitutions[:0] = [
    (r"%build-sanitized\b", "%s %s" % (os.path.join(config.source_dir, "test/sanitize/build"), sanitized)),
    (r"%sanitized\b", sanitized),
]

config.environment["PATH"] = os.pathsep.join(
    [bin_dir, os.path.join(config.test_exec_root, "bin"), config.llvm_bin, os.environ.get("PATH", "")]
)
config.environment["SVMC_CACHE"] = ""  # what is tested is made
config.environment["LC_ALL"] = "C"
for name in ["ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "TMPDIR"]:
    if name in os.environ:
        config.environment[name] = os.environ[name]

if not config.sanitize and os.path.exists(os.path.join(config.llvm_bin, "clang")):
    config.available_features.add("sanitized-build")
for sanitizer in filter(None, config.sanitize.split(",")):
    config.available_features.add(sanitizer)
# A debugger that may run programs: in some containers it must not.
if shutil.which("gdb"):
    command = ["gdb", "-nx", "-q", "-batch", "-ex", "run", "--args", "/bin/true"]
    tried = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if "exited normally" in tried.stdout:
        config.available_features.add("gdb")
if os.uname().machine == "x86_64":
    config.available_features.add("x86")
    with open("/proc/cpuinfo", encoding="utf-8") as f:
        flags = f.read()
        features = ["sse4_1", "aes", "avx2", "vaes"]
        config.available_features.update(feature for feature in features if f" {feature} " in flags)
        if all(f" {feature} " in flags for feature in ["avx512vl", "avx512bw", "avx512vbmi", "gfni"]):
            config.available_features.add("byte-vectors")
for program in ["gcc", "tcc", "dot", "groff", "python3"]:
    if shutil.which(program):
        config.available_features.add(program)


# lit stops tests that take too long only where psutil is installed. All it needs of it is the children of a process,
# which Linux tells as well.
def kill_tree(pid):
    children = {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/stat" % entry) as f:
                parent = int(f.read().rpartition(")")[2].split()[1])
        except OSError:
            continue
        children.setdefault(parent, []).append(int(entry))
    doomed = [pid]
    for p in doomed:
        doomed.extend(children.get(p, []))
    for p in doomed:
        try:
            os.kill(p, signal.SIGKILL)
        except ProcessLookupError:
            pass


try:
    import psutil
except ImportError:
    lit.util.killProcessAndChildrenIsSupported = lambda: (True, None)
    lit.util.killProcessAndChildren = kill_tree
lit_config.maxIndividualTestTime = SECONDS_PER_TEST
