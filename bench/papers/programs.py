# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs in SVM C, compiled once for a machine and run with the simulating runtime or the host's."""
import json
import os
import subprocess


def stop(text):
    raise SystemExit(f"bench/papers/run: error: {text}")


def run(command, environment=None, **options):
    """Its standard output; an error message ends everything."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith("SVM_")}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**clean, **(environment or {})}, **options)
    if done.returncode != 0:
        stop(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr}{done.stdout}")
    return done.stdout


class Programs:
    """Tools lie in one folder; what is built, in another."""

    def __init__(self, tools, folder):
        self.tools, self.folder, self.built = tools, folder, {}

    def tool(self, name):
        path = os.path.join(self.tools, name)
        if not os.access(path, os.X_OK):
            stop(f"there is no {name} at '{path}'; build it")
        return path

    def path(self, *name):
        return os.path.join(self.folder, "-".join(name))

    def compile(self, source, machine, *options, target="sim"):
        """An executable; source and machine are paths (or a machine's name)."""
        key = (source, machine, options, target)
        if key not in self.built:
            out = self.path(os.path.splitext(os.path.basename(source))[0], str(len(self.built)), target)
            run([self.tool("svm-llc"), *options, f"--target={target}", f"--machine={machine}", source, "-o", out])
            self.built[key] = out
        return self.built[key]

    def simulate(self, program, *arguments, profile=None, costs=None):
        """The report of a compiled program; with a profile, costs come from it alone."""
        report = self.path("report.json")
        environment = {"SVM_SIM_JSON": report}
        if profile:
            environment |= {"SVM_SIM_PROFILE": profile, "SVM_SIM_COSTS": "profile"}
        if costs:
            environment["SVM_SIM_COSTS"] = costs
        run([program, *arguments], environment, stdin=subprocess.DEVNULL)
        with open(report, encoding="utf-8") as f:
            return json.load(f)


def processor(report, name):
    """Its seconds by activity."""
    return next((p["seconds"] for p in report["processors"] if p["name"] == name), {})


def count_of(report, label, activity="compute"):
    return sum(w["count"] for w in report["work"] if w["about"] == label and w["activity"] == activity)
