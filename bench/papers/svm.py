# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The SVM paper: its table 2 measured back through the simulator, and its section 5. Its figures 9 to 11 come without numbers, so that
what the text says of them is checked, over sizes chosen here."""
import math
import os
import subprocess

import kernel_costs
from machine_file import Machine
from plot import Figure
from programs import count_of, processor, stop

READ_BACK, WORDS, CALIBRATED, FORMULA = "read back", "words", "calibrated", "formula" # run says what they mean

SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "svm")
ATI, NVIDIA, IMAGINE = "ati-9800pro", "geforce-fx5900", "imagine"
GPUS, MACHINES = (ATI, NVIDIA), (ATI, NVIDIA, IMAGINE)
TITLES = {ATI: "ATI 9800 Pro", NVIDIA: "Nvidia FX 5900", IMAGINE: "Imagine"}
LOCAL = {ATI: 176 << 20, NVIDIA: 176 << 20, IMAGINE: 128 << 10}  # bytes of local memory that the programs use

MATVEC_SIZES = (16, 32, 64, 96, 128, 192, 256, 384, 512, 640, 768, 1024, 1280, 1536, 1792, 2048)
FFT_SIZES = (16, 32, 64, 128, 256, 512, 1024)
SEGMENT_SIZES = (32, 64, 96, 128, 192, 256, 320, 384, 448, 512)
ROUNDS = 64  # of diffusion: enough for a region to fill
QUICK = 256  # the largest size of --quick

# Table 2 and section 4.3.1.
LOAD_RATE, STORE_RATE = {ATI: 0.92, NVIDIA: 0.35}, {ATI: 0.13, NVIDIA: 0.18}  # GB/s
STREAM_RATE = 16.0
PEAK = {ATI: 12.0, NVIDIA: 20.0}  # GFLOPS
PEAK_WITHIN = {ATI: 1.4, NVIDIA: 0.01}  # percent
PEAK_NOTE = {ATI: "one live register; the machine file has 380 MHz and 8 pipelines: 12.16", NVIDIA: "one live register"}
CAPACITY = 176  # MB


# ---- Numbers ----


def line_fit(points):
    """(slope, offset, R squared) of the line of least squares."""
    n = len(points)
    mx, my = (sum(p[i] for p in points) / n for i in (0, 1))
    xx, yy = (sum((p[i] - m) ** 2 for p in points) for i, m in ((0, mx), (1, my)))
    xy = sum((x - mx) * (y - my) for x, y in points)
    return xy / xx, my - xy / xx * mx, xy * xy / (xx * yy)


def correlation(a, b):
    return math.copysign(math.sqrt(line_fit(list(zip(a, b)))[2]), line_fit(list(zip(a, b)))[0])


# ---- The paper ----


class Svm:
    def __init__(self, table, simulator, programs, plots, quick):
        self.table, self.sim, self.programs, self.plots, self.quick = table, simulator, programs, plots, quick
        self.profiles = {}

    def draw(self, name, figure):
        if self.plots:
            figure.write(os.path.join(self.plots, name))

    def sizes(self, all_sizes):
        return [n for n in all_sizes if not self.quick or n <= QUICK]

    def profile(self, machine):
        if machine not in self.profiles:
            text = kernel_costs.profile(Machine.print(self.programs.tool("svmc"), machine))
            self.profiles[machine] = self.programs.path(machine + ".profile")
            for path in [self.profiles[machine]] + ([os.path.join(self.plots, machine + ".profile")] if self.plots else []):
                with open(path, "w", encoding="utf-8") as f:
                    f.write(text)
        return self.profiles[machine]

    def program(self, name, machine):
        return self.programs.compile(os.path.join(SOURCES, name + ".c"), machine)

    def run(self, name, machine, n, local=None, **arguments):
        arguments |= {"n": n, "local": local or LOCAL[machine], "passes": int(machine in GPUS)}
        return self.programs.simulate(self.program(name, machine), *[f"{k}={v}" for k, v in arguments.items()], profile=self.profile(machine))

    def curves(self, name, sizes, **arguments):
        return {m: {n: self.run(name, m, n, **arguments) for n in sizes} for m in MACHINES}

    # ---- Table 2 ----

    def rate(self, machine, what, bytes_a_byte=1):
        """GB/s from the times of two sizes."""
        program, size = self.program("table2", machine), 1 << 24
        times = [self.programs.simulate(program, f"what={what}", f"bytes={n}")["seconds"] for n in (size, 2 * size)]
        return bytes_a_byte * size / (times[1] - times[0]) / 1e9

    def peak(self, machine):
        """GFLOPS of products alone."""
        program, count = self.program("table2", machine), 10000
        times = [processor(self.programs.simulate(program, f"what={w}", f"count={count}"), "CORE0")["compute"] for w in ("multiply", "more")]
        return count * 32 * 16 / (times[1] - times[0]) / 1e9

    def capacity(self, machine):
        """The largest block in local memory, in MiB: it fits, and 16 bytes more do not."""
        program, size = self.program("table2", machine), LOCAL[machine]
        fits = [subprocess.run([program, "what=block", f"bytes={n}"], capture_output=True, check=False).returncode == 0 for n in (size, size + 16)]
        return size / 2**20 if fits == [True, False] else 0.0

    def throughput(self, machine, live):
        """GFLOPS of products with so many live registers, by a task graph."""
        count, tasks = 10**6, 100
        report = self.sim.run(f"graph: products\nmachine: {machine}\niterations: {tasks}\ntasks:\n"
                              f"  t: {{processor: CORE0, operations: {{float-mul: {count}}}, registers: {live}}}\nstreams: {{}}\n")
        return count * 4 / report["iteration_seconds"] / 1e9

    def table_2(self):
        bench = "table-2"
        self.table.title("SVM paper, table 2: the machine files' parameters, measured back with micro-kernels through the simulator")
        for m in GPUS:
            self.table.add(bench, f"{TITLES[m]}: local memory (MiB; MB in the paper)", READ_BACK, self.capacity(m), CAPACITY, "MiB", 0.01)
            self.table.add(bench, f"{TITLES[m]}: global to local (GB/s)", READ_BACK, self.rate(m, "load"), LOAD_RATE[m], "GB/s", 0.01)
            self.table.add(bench, f"{TITLES[m]}: local to global (GB/s)", READ_BACK, self.rate(m, "store"), STORE_RATE[m], "GB/s", 0.01)
            self.table.add(bench, f"{TITLES[m]}: local to registers (GB/s)", READ_BACK, self.rate(m, "stream", 2), STREAM_RATE, "GB/s", 0.01,
                           "a stream written and read")
            self.table.add(bench, f"{TITLES[m]}: peak (GFLOPS)", READ_BACK, self.peak(m), PEAK[m], "GFLOPS", PEAK_WITHIN[m], PEAK_NOTE[m])
        counts = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)
        live = {m: {n: self.throughput(m, n) for n in counts} for m in GPUS}
        figure = Figure("Products against live registers (SVM paper, figure 7)", "live registers", "GFLOPS")
        for m in GPUS:
            figure.line(TITLES[m], list(live[m].items()), with_points=True)
        self.draw("svm-figure-7.svg", figure)
        self.table.holds(bench, "ATI: rate with 32 live registers / with one", READ_BACK, live[ATI][32] / live[ATI][1], 1.0, "x",
                         live[ATI][32] == live[ATI][1], "figure 7: unchanged")
        self.table.holds(bench, "Nvidia: rate with 3 live registers / with one", READ_BACK, live[NVIDIA][3] / live[NVIDIA][1], 1.0, "x",
                         live[NVIDIA][3] == live[NVIDIA][1], "figure 7: falls beyond three")
        falls = all(live[NVIDIA][a] > live[NVIDIA][b] for a, b in zip(counts[2:], counts[3:]))
        self.table.holds(bench, "Nvidia: rate with 8 live registers / with one", READ_BACK, live[NVIDIA][8] / live[NVIDIA][1], None, "x",
                         falls and live[NVIDIA][8] < live[NVIDIA][1] / 2, "sharply, with each more; its values are not in the text")

    # ---- Figure 9 ----

    def matvec(self):
        bench = "matvec"
        self.table.title("SVM paper, figure 9: matrix-vector multiply, predicted time against dimension n")
        reports = self.curves("matvec", self.sizes(MATVEC_SIZES))
        figure = Figure("Matrix-vector multiply, simulated (SVM paper, figure 9)", "dimension n", "time (ms)", log_y=True)
        for m in MACHINES:
            figure.line(TITLES[m], [(n, r["seconds"] * 1e3) for n, r in reports[m].items()], with_points=True)
        self.draw("svm-figure-9.svg", figure)
        for m in GPUS:
            self.smoothness(m)
        self.initial_cost(reports)
        for m in MACHINES:
            self.bandwidth_bound(m)
        n = max(self.sizes(MATVEC_SIZES))
        self.table.holds(bench, f"Imagine, n = {n}: strips of its local memory", WORDS, count_of(reports[IMAGINE][n], "dot"), None, "strips",
                         count_of(reports[IMAGINE][n], "dot") > 1 and count_of(reports[ATI][n], "multiply") == 1, "one on ATI and Nvidia")

    def smoothness(self, machine):
        """Around powers and multiples of 4: time grows evenly, and with a further pass by what the pass costs."""
        bench, power = "matvec", 64 if self.quick else 256
        start = Machine.print(self.programs.tool("svmc"), machine).kernel_start("CORE0")
        window = range(power - 12, power + (13 if self.quick else 65))
        t = {n: self.run("matvec", machine, n)["seconds"] for n in window}
        grows = all(t[n] < t[n + 1] for n in window[:-1])
        inner = [n for n in window[1:-1] if n not in (power, power + 1)]
        bends = {n: (t[n] - (t[n - 1] + t[n + 1]) / 2) / t[n] for n in inner}
        fours = [bends[n] for n in inner if n % 4 == 0]
        saw = 100 * abs(sum(fours) / len(fours))
        self.table.holds(bench, f"{TITLES[machine]}: sawtooth at multiples of 4 (%)", WORDS, saw, 0.0, "%", grows and saw < 0.03,
                         f"n = {window[0]} to {window[-1]}; the largest bend anywhere {100 * max(map(abs, bends.values())):.3f} %; the model has none")
        step = t[power + 1] - t[power] - (t[power] - t[power - 1])
        self.table.add(bench, f"{TITLES[machine]}: step beyond n = {power} (us)", FORMULA, step * 1e6, start * 1e6, "us", 5.0,
                       "a further pass: its start and stop")

    def initial_cost(self, reports):
        bench, n = "matvec", 16
        for m in GPUS:
            seconds = processor(reports[m][n], "CORE0")
            share = sum(seconds.get(k, 0.0) for k in ("kernel start", "kernel stop")) / reports[m][n]["seconds"]
            self.table.holds(bench, f"{TITLES[m]}, n = {n}: time, starts of passes", CALIBRATED, reports[m][n]["seconds"] * 1e6, None, "us", share > 0.5,
                             f"{100 * share:.0f} % of the time is starting and stopping {count_of(reports[m][n], 'reduce') + 1} kernels")
        last = max(reports[ATI])
        small, large = (reports[ATI][k]["seconds"] / reports[NVIDIA][k]["seconds"] for k in (n, last))
        self.table.holds(bench, f"ATI / Nvidia at n = {n}: high initial cost", CALIBRATED, small, None, "x", small > 1.25 and small > large,
                         f"{large:.2f} at n = {last}, where bandwidth decides")

    def bandwidth_bound(self, machine):
        """With strips, so that transfers and kernels overlap."""
        n = 2048
        report = self.run("matvec", machine, n, local=None if machine == IMAGINE else n * n * 4)
        link = max(report["links"] + report["memories"], key=lambda r: r["busy"])
        moves = report["bottleneck"].split()[0] in ("link", "memory") or (
            report["bottleneck"] == "processor DMA0" and "busy" in report["reason"] and "transfer" in report["reason"].split(",")[0])
        self.table.holds("matvec", f"{TITLES[machine]}, n = {n}: bandwidth bound (% busy)", WORDS, 100 * report["bottleneck_busy"], None, "%", moves,
                         f"bottleneck {report['bottleneck']} ({link['name']} {100 * link['busy']:.0f} %), kernels {100 * processor(report, 'CORE0')['compute'] / report['seconds']:.0f} %")

    # ---- Figure 10 ----

    def fft(self):
        bench = "fft"
        self.table.title("SVM paper, figure 10: 2-D FFT, predicted time against dimension n")
        sizes = self.sizes(FFT_SIZES)
        reports = self.curves("fft2d", sizes)
        figure = Figure("2-D FFT, simulated (SVM paper, figure 10)", "dimension n", "time (ms)", log_x=True, log_y=True)
        for m in MACHINES:
            figure.line(TITLES[m], [(n, r["seconds"] * 1e3) for n, r in reports[m].items()], with_points=True)
        self.draw("svm-figure-10.svg", figure)
        # Starts of kernels, which small sizes consist of, are the model's weak spot in the paper too.
        logs = {m: [math.log(reports[m][n]["seconds"]) for n in sizes if n >= 64] for m in MACHINES}
        for a, b in ((ATI, NVIDIA), (ATI, IMAGINE), (NVIDIA, IMAGINE)):
            r = correlation(logs[a], logs[b])
            self.table.holds(bench, f"{TITLES[a]}, {TITLES[b]}: correlation", WORDS, r, 1.0, "", r > 0.99, "of the logarithms of their times, n from 64")
        n = sizes[-1]
        ratio = reports[ATI][n]["seconds"] / reports[NVIDIA][n]["seconds"]
        self.table.holds(bench, f"ATI / Nvidia at n = {n}", WORDS, ratio, 1.0, "x", abs(ratio - 1) < (0.1 if self.quick else 0.05), "almost identical")
        growth = {m: math.log2(reports[m][n]["seconds"] / reports[m][n // 2]["seconds"]) for m in MACHINES}
        spread = max(growth.values()) - min(growth.values())
        self.table.holds(bench, "growth from the last size but one: exponents' spread", WORDS, spread, 0.0, "", spread < (0.35 if self.quick else 0.1),
                         ", ".join(f"{TITLES[m]} n^{g:.2f}" for m, g in growth.items()))
        strips = count_of(reports[IMAGINE][n], "rows") + count_of(reports[IMAGINE][n], "columns")
        self.table.holds(bench, f"Imagine, n = {n}: strips of its local memory", WORDS, strips, None, "strips", strips > 2, "rows and columns; none on ATI and Nvidia")

    # ---- Figure 11 ----

    def segmentation(self):
        bench = "segmentation"
        self.table.title(f"SVM paper, figure 11: image segmentation, {ROUNDS} rounds of diffusion, predicted time against pixels")
        sizes = self.sizes(SEGMENT_SIZES)
        reports = self.curves("segment", sizes, rounds=ROUNDS)
        figure = Figure("Image segmentation, simulated (SVM paper, figure 11)", "pixels (thousands)", "time (ms)")
        for m in MACHINES:
            figure.line(TITLES[m], [(n * n / 1e3, r["seconds"] * 1e3) for n, r in reports[m].items()], with_points=True)
        self.draw("svm-figure-11.svg", figure)
        for m in GPUS:
            slope, offset, r2 = line_fit([(n * n, r["seconds"]) for n, r in reports[m].items()])
            self.table.holds(bench, f"{TITLES[m]}: linear in pixels, R squared", WORDS, r2, 1.0, "", r2 > 0.9999,
                             f"{slope / ROUNDS * 1e9:.2f} ns a pixel and round, {offset / ROUNDS * 1e6:.1f} us a round")
        for m in GPUS:
            n = sizes[-1]
            report = reports[m][n]
            share = processor(report, "CORE0")["compute"] / report["seconds"]
            machine = Machine.print(self.programs.tool("svmc"), m)
            firing = kernel_costs.FRAGMENTS["diffuse"]
            a, b = kernel_costs.arithmetic(machine, firing), kernel_costs.accesses(machine, firing)
            self.table.holds(bench, f"{TITLES[m]}, n = {n}: computing (%)", WORDS, 100 * share, None, "%", report["bottleneck"] == "processor CORE0" and a > b,
                             f"bottleneck {report['bottleneck']}; arithmetic {a * 1e9:.1f} ns, accesses {b * 1e9:.1f} ns a pixel")
        n = sizes[-1]
        bands = count_of(reports[IMAGINE][n], "diffuse") / ROUNDS
        self.table.holds(bench, f"Imagine, n = {n}: bands of its local memory", WORDS, bands, None, "bands", bands > 1, "each round; none on ATI and Nvidia")


def check_tools(programs):
    for name in ("svmc", "svm-llc"):
        programs.tool(name)
    if not os.path.isdir(SOURCES):
        stop(f"there is no folder '{SOURCES}'")
