# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs on this computer: predicted against measured time.

What is compared is the processor time of all kernels of a program. The host's runtime measures it (SVM_PROFILE_OUT: the clock of the
thread that runs a kernel, so that other work on the computer does not count), in several runs that take turns. The simulator predicts it for
the machine file that svm-characterize wrote, in two ways:

  counted   from the operations that the kernels execute, as --costs=counted does
  profile   from what runs of one size took over what was counted in them, kernel by kernel: in the program's own strips, in strips of a
            quarter and in strips four times as long (how far a cache and vectors help depends on the length; between them the factor
            is interpolated). What is predicted has another size, other strips, or another mapping.

The profile that the simulator is given has seconds a firing, which is what the factor makes of the counted seconds.
"""
import os
import re
import statistics
import subprocess
from collections import namedtuple

from plot import Figure
from programs import run, stop

FOLDER = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(os.path.dirname(os.path.dirname(FOLDER)), "examples")

LIMIT = 15.0            # percent: the ASM paper's worst error, for what a profile predicts
PROFILED_SECONDS = 0.15 # that the profiled size takes, about, again and again where it is a program that can be told so
MOST_INPUT = 192 << 20  # bytes

STREAMIT = {"aes": "aes.str", "beamformer": "beamformer.str", "bitonic-sort": "bitonic.str", "dct": "dct.str", "des": "des.str",
            "edge-detector": "edges.str", "equalizer": "equalizer.str", "fft": "fft.str", "filter-bank": "filterbank.str",
            "fm-receiver": "fm.str", "matrix-multiply": "matmul.str"}

# A program in SVM C: arguments of the profiled runs, its own strips first, and of those that are predicted. The name of an argument that
# repeats the program is `times`; it is found so that runs are long enough.
Written = namedtuple("Written", "source times profiled cases")
WRITTEN = {
    "matrix-vector": Written("svm/matvec.c", "times", ["n=512 local=65536", "n=512 local=16384", "n=512 local=262144"],
                             {"size x 4": "n=1024 local=65536", "strip / 2": "n=512 local=32768", "strip x 2": "n=512 local=131072"}),
    "matrix-vector-passes": Written("svm/matvec.c", "times",
                                    ["passes=1 n=512 local=131072", "passes=1 n=512 local=32768", "passes=1 n=512 local=524288"],
                                    {"size x 4": "passes=1 n=1024 local=131072", "strip / 2": "passes=1 n=512 local=65536",
                                     "strip x 2": "passes=1 n=512 local=262144"}),
    "fft-2d": Written("svm/fft2d.c", "times", ["n=256 local=131072", "n=256 local=32768", "n=256 local=524288"],
                      {"size x 4": "n=512 local=131072", "strip / 2": "n=256 local=65536", "strip x 2": "n=256 local=262144"}),
    "segmentation": Written("svm/segment.c", "rounds", ["n=256 local=131072", "n=256 local=36864", "n=256 local=524288"],
                            {"size x 4": "n=512 local=131072", "strip / 2": "n=256 local=69632", "strip x 2": "n=256 local=262144",
                             "no strips": "n=256 local=16777216"}),
    "chain": Written("host/chain.c", "times", ["n=131072 block=1024", "n=131072 block=256", "n=131072 block=4096"],
                     {"size x 4": "n=524288 block=1024", "strip / 2": "n=131072 block=512", "strip x 2": "n=131072 block=2048",
                      "other mapping": "n=131072 block=1024 mapping=1"}),
}
QUICK = ("aes", "fm-receiver", "equalizer", "segmentation", "chain")


# ---- Machine files ----


def block(text, name):
    """The lines of an element of the file."""
    found = re.search(rf"  {name}:.*\n(?:    .*\n)+", text)
    if not found:
        stop(f"the machine file has no element '{name}'")
    return found[0]


def with_local_memory(text):
    """The same computer with a part of its memory as a local memory of its own, as programs for such machines have."""
    memory = block(text, "GMEM")
    local = re.sub(r"size: .*", "size: 256 MiB", memory.replace("GMEM", "LMEM0", 1))
    text = text.replace(memory, memory + local)
    for name in ("CORE0", "DMA0"):
        text = text.replace(block(text, name), block(text, name).replace("memories: [GMEM]", "memories: [GMEM, LMEM0]"))
    caches = re.findall(r"  (L\d\w*):\n", text)
    for name in caches: # in front of the local memory
        copy = block(text, name).replace(name, name + "L", 1).replace("of: GMEM", "of: LMEM0")
        copy = re.sub(r"    coherent-with:.*\n", "", copy)
        text = text.replace(block(text, name), block(text, name) + copy)
    core = block(text, "CORE0")
    return text.replace(core, re.sub(r"caches: \[(.*?)\]", lambda m: f"caches: [{m[1]}, {', '.join(c + 'L' for c in caches)}]", core))


def with_second_core(text):
    core = block(text, "CORE0")
    return text.replace(core, core + core.replace("CORE0", "CORE1", 1))


# ---- Costs ----


def between(points, x):
    """The value at x on the line through the points around it, over 1 / x, as what starting costs is; beyond all, that of the nearest."""
    points = sorted(points)
    x = min(max(x, points[0][0]), points[-1][0])
    for (x1, y1), (x2, y2) in zip(points, points[1:]):
        if x <= x2:
            return y1 + (y2 - y1) * ((1 / x1 - 1 / x) / (1 / x1 - 1 / x2) if x2 > x1 else 0)
    return points[-1][1]


# ---- Programs ----


class Times(dict):
    """Seconds by kernel."""

    @classmethod
    def read(cls, path):
        times = cls()
        with open(path, encoding="utf-8") as f:
            for kernel, runs, total in re.findall(r'^kernel "(.*?)" .* runs (\d+) .* total (\S+)$', f.read(), re.M):
                before = times.get(kernel, (0, 0.0))
                times[kernel] = (before[0] + int(runs), before[1] + float(total))
        return times

    def seconds(self):
        return sum(t for _, t in self.values())


class Pair:
    """A program for the host and for the simulator, and its arguments."""

    def __init__(self, owner, source, machine, arguments):
        self.owner, self.arguments, self.samples, self.measured = owner, arguments, [], None
        self.host = owner.programs.compile(source, machine, "-O3", *owner.march(), target="host")
        self.sim = owner.programs.compile(source, machine, "-O3")

    def measure(self):
        """One more run. Of all, the lower quartile counts: above a lucky moment, below what other work on the computer disturbs."""
        path = self.owner.programs.path("measured.profile")
        run([self.host, *self.arguments], {"SVM_PROFILE_OUT": path, "SVM_WORKERS": "1"})
        self.samples = sorted([*self.samples, Times.read(path)], key=Times.seconds)
        self.measured = self.samples[len(self.samples) // 4]
        return self.measured

    def predict(self, profile=None):
        """Seconds of all kernels, and of each."""
        path = self.owner.programs.path("predicted.profile")
        environment = {"SVM_SIM_PROFILE_OUT": path, "SVM_SIM_COSTS": "profile" if profile else "counted"}
        run([self.sim, *self.arguments], environment | ({"SVM_SIM_PROFILE": profile} if profile else {}))
        return Times.read(path)


class Host:
    def __init__(self, table, programs, machine_file, plots, quick, names):
        self.table, self.programs, self.plots = table, programs, plots
        unknown = [n for n in names if n not in STREAMIT and n not in WRITTEN]
        if unknown:
            stop(f"unknown program '{unknown[0]}'; there are {', '.join([*STREAMIT, *WRITTEN])}")
        self.names = names or [n for n in [*STREAMIT, *WRITTEN] if not quick or n in QUICK]
        self.rounds = 4 if quick else 10
        self.errors = {"counted": [], "profile": []}
        self.machine_file = machine_file or self.characterize(quick)
        with open(self.machine_file, encoding="utf-8") as f:
            self.text = f.read()
        self.variants = {}

    def characterize(self, quick):
        path = self.programs.path("this-computer.yaml")
        run([self.programs.tool("svm-characterize"), "--processors=1", *(["--quick"] if quick else []), "-o", path])
        return path

    def machine(self, name, change):
        if name not in self.variants:
            self.variants[name] = self.programs.path(name + ".yaml")
            with open(self.variants[name], "w", encoding="utf-8") as f:
                f.write(change(self.text))
        return self.variants[name]

    def march(self):
        """What the compiler is told, so that vectors are as long as those that were characterised."""
        width = re.search(r"simd-width: (\d+) B", self.text)
        name = {"32": "x86-64-v3", "64": "x86-64-v4"}.get(width[1] if width else "", None)
        return [f"-march={name}"] if name and os.uname().machine == "x86_64" else []

    # ---- Profiles ----

    def write_profile(self, costs):
        path = self.programs.path("costs.profile")
        with open(path, "w", encoding="utf-8") as f:
            f.write("svm-profile 1\n")
            for kernel, (start, per_firing) in costs.items():
                f.write(f'kernel "{kernel}" processor "CORE0" unit firings runs 1 start {start:.9g} per-unit {per_firing:.9g} total 0\n')
        return path

    def firings(self, pair, kernels):
        unit = 1e-9
        predicted = pair.predict(self.write_profile({k: (0.0, unit) for k in kernels}))
        return {k: t / unit for k, (_, t) in predicted.items()}

    def factors(self, pairs):
        """Of each kernel (counted seconds of a run, measured over counted), for each length of strips."""
        points = {}
        for pair in pairs:
            for kernel, (runs, counted) in pair.predict().items():
                if counted > 0 and kernel in pair.measured:
                    points.setdefault(kernel, []).append((counted / runs, pair.measured[kernel][1] / counted))
        return points

    def costs(self, factors, pair):
        """Start and per firing of each kernel: what is counted in this program, times what the profiled runs took over what was counted
        in them, at the length of a run that the program has."""
        counted = pair.predict()
        firings = self.firings(pair, counted)
        return {k: (0.0, t * between(factors[k], t / runs) / firings[k]) for k, (runs, t) in counted.items() if firings[k] > 0 and k in factors}

    # ---- Programs ----

    def program(self, name, profiled, cases):
        """Runs take turns, so that quiet moments of the computer are shared out."""
        for _ in range(self.rounds):
            for pair in [*profiled, *cases.values()]:
                pair.measure()
        factors = self.factors(profiled)
        for i, (case, pair) in enumerate(cases.items()):
            profile = self.programs.path(name + ".profile")
            os.replace(self.write_profile(self.costs(factors, pair)), profile)
            self.compare(name, case, pair, profile, i == 0)

    def compare(self, name, case, pair, profile, counted):
        measured = pair.measured.seconds()
        columns = [("profile", pair.predict(profile).seconds(), LIMIT)]
        if counted:
            columns.insert(0, ("counted", pair.predict().seconds(), None))
        for column, predicted, limit in columns:
            error = 100 * (predicted / measured - 1)
            self.errors[column].append((abs(error), name, case, measured, predicted))
            self.table.row("host", f"{name}, {case}: {column} (ms)", predicted * 1e3, measured * 1e3, "ms", limit)

    def written(self, name):
        w = WRITTEN[name]
        machine = (self.machine("with-second-core", with_second_core) if name == "chain" else
                   self.machine("with-local-memory", with_local_memory))
        source = os.path.join(FOLDER, w.source)

        def pair(arguments, times):
            # An even number of rounds, and of passes through both buffers.
            return Pair(self, source, machine, [*arguments.split(), f"{w.times}={max(2, round(times / 2) * 2)}"])

        times = PROFILED_SECONDS / (pair(w.profiled[0], 16).measure().seconds() / 16)
        less = 4 if w.times == "times" else 1 # rounds make other data: their number is part of the program
        self.program(name, [pair(arguments, times) for arguments in w.profiled],
                     {case: pair(arguments, times / (less if case.startswith("size") else 1)) for case, arguments in w.cases.items()})

    def emit(self, name, strip=None):
        """The example in SVM C, and how many steady states are in its strips."""
        out = self.programs.path(f"{name}-{strip or 'own'}.c")
        source = os.path.join(EXAMPLES, name, STREAMIT[name])
        run([self.programs.tool("svmc"), f"--machine={self.machine_file}", "--emit=svm-c", *([f"--strip={strip}"] if strip else []), source, "-o", out])
        with open(out, encoding="utf-8") as f:
            found = re.search(r"iterations < (\d+) \?", f.read())
        return out, int(found[1]) if found else 1

    def input_of(self, name):
        path = self.programs.path(name + ".base")
        if name == "fm-receiver":
            modulate = self.programs.path("modulate")
            run(["cc", "-O2", os.path.join(EXAMPLES, name, "modulate.c"), "-lm", "-o", modulate])
            with open(path, "wb") as f:
                subprocess.run([modulate, "1", "1000", "400"], stdout=f, check=True)
        else:
            run(["python3", os.path.join(EXAMPLES, name, "check.py"), "input", path])
        with open(path, "rb") as f:
            return f.read()

    def emitted(self, name):
        base = self.input_of(name)
        own, strip = self.emit(name)
        files = {}

        def pair(source, length):
            if length not in files:
                files[length] = self.programs.path(f"{name}-{length}.in")
                with open(files[length], "wb") as f:
                    for at in range(0, length, len(base)):
                        f.write(base[:length - at])
            return Pair(self, source, self.machine_file, [f"--in={files[length]}", "--out=/dev/null"])

        length, seconds = 1 << 18, 0.0
        while seconds < PROFILED_SECONDS * 0.7 and length < MOST_INPUT // 3:
            seconds = pair(own, length).measure().seconds()
            if seconds < PROFILED_SECONDS * 0.7:
                longer = min(16.0, max(1.3, PROFILED_SECONDS / max(seconds, 1e-4)))
                length = min(MOST_INPUT // 3, int(length * longer)) // 4 * 4
        profiled = [pair(own, length)] + [pair(self.emit(name, n)[0], length) for n in (strip // 4, strip * 4) if n > 0]
        strips = {f"strip {how}": n for how, n in (("/ 2", strip // 2), ("x 2", strip * 2)) if n > 0}
        self.program(name, profiled, {"size x 3": pair(own, 3 * length)} | {how: pair(self.emit(name, n)[0], length) for how, n in strips.items()})
        for path in files.values():
            os.remove(path)

    # ---- Results ----

    def host(self):
        self.table.title("This computer: processor time of all kernels, predicted and measured", "predicted", "measured")
        for name in self.names:
            if name in STREAMIT:
                self.emitted(name)
            else:
                self.written(name)
        for column, errors in self.errors.items():
            worst = max(errors)
            median = statistics.median(e[0] for e in errors)
            limit = LIMIT if column == "profile" else None
            self.table.holds("host", f"{column}: median error of {len(errors)} (%)", "", median, None, "%", None if limit is None else median < limit, "")
            self.table.holds("host", f"{column}: worst error (%)", "", worst[0], limit, "%", None if limit is None else worst[0] < limit,
                             f"{worst[1]}, {worst[2]}" + ("; the ASM paper's worst is 15 %" if limit else ""))
        if self.plots:
            self.draw()

    def draw(self):
        figure = Figure("This computer: predicted against measured", "measured (ms)", "predicted (ms)", log_x=True, log_y=True)
        ends = [e[3] * 1e3 for errors in self.errors.values() for e in errors]
        figure.line("equal", [(min(ends), min(ends)), (max(ends), max(ends))])
        figure.points("counted", [(e[3] * 1e3, e[4] * 1e3) for e in self.errors["counted"]])
        figure.points("from a profile", [(e[3] * 1e3, e[4] * 1e3) for e in self.errors["profile"]])
        figure.write(os.path.join(self.plots, "host.svg"))
