# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Machine files as `svmc --print-machine` gives them: the numbers that kernel costs are derived from (kernel_costs.py).

    m = Machine.print(svmc, "ati-9800pro")
    m["processors"]["CORE0"]["clock"]       # the text, "380 MHz"
    m.operation("CORE0", "float-add")       # seconds
    m.bandwidth("LMEM0")                    # bytes a second
"""
import json
import re
import subprocess

TIME = {"ps": 1e-12, "ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
RATE = {"Hz": 1.0, "kHz": 1e3, "MHz": 1e6, "GHz": 1e9}
BYTES = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "kB": 1e3, "MB": 1e6, "GB": 1e9}


class Machine(dict):
    @classmethod
    def print(cls, svmc, name):
        done = subprocess.run([svmc, f"--print-machine={name}"], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(f"{svmc} --print-machine={name}: exit code {done.returncode}\n{done.stderr}")
        return cls.parse(done.stdout)

    @classmethod
    def parse(cls, text):
        """Nested maps with a text, or a list, at each end."""
        root = cls()
        open_maps = [(-1, root)]
        for line in text.splitlines():
            found = re.match(r"( *)([^\s:#][^:]*):\s*(.*?)\s*(?:#.*)?$", line)
            if not found:
                continue
            indent, key, value = len(found[1]), found[2], found[3]
            while open_maps[-1][0] >= indent:
                open_maps.pop()
            if value == "":
                inner = {}
                open_maps[-1][1][key] = inner
                open_maps.append((indent, inner))
            else:
                open_maps[-1][1][key] = json.loads(value) if re.match(r"\[[\[\d\]]", value) else value
        return root

    def clock(self, processor):
        return quantity(self["processors"][processor]["clock"], RATE)

    def time(self, processor, text):
        """Seconds of '3 cycles' or '20 us'."""
        number, unit = text.split()
        return float(number) / self.clock(processor) if unit.startswith("cycle") else float(number) * TIME[unit]

    def operation(self, processor, name):
        return self.time(processor, self["processors"][processor]["operations"][name])

    def kernel_start(self, processor):
        p = self["processors"][processor]
        return sum(self.time(processor, p.get(k, "0 s")) for k in ("kernel-start", "kernel-stop"))

    def lanes(self, processor, item):
        return max(1, int(quantity(self["processors"][processor]["simd-width"], BYTES)) // item)

    def pressure(self, processor, live):
        """How much slower operations are with so many live registers."""
        steps = self["processors"][processor].get("register-pressure", [])
        return next((factor for limit, factor in steps if live <= limit), steps[-1][1] if steps else 1.0)

    def bandwidth(self, memory, kind="sequential"):
        number, unit = self["memories"][memory][f"{kind}-bandwidth"].split()
        size, per = unit.split("/")
        amount = float(number) * BYTES[size]
        return amount * quantity(self["memories"][memory]["clock"], RATE) if per.startswith("cycle") else amount

    def size(self, memory):
        return int(quantity(self["memories"][memory]["size"], BYTES))

    def cache(self, memory):
        """The name of the first cache in front of a memory."""
        return next((name for name, m in self["memories"].items() if m.get("of") == memory), memory)


def quantity(text, units):
    number, unit = text.split()
    return float(number) * units[unit]
