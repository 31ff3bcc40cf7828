#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
#
# Compares the figures of `top --json` with a second, slow implementation.
#
#   tests/cli/top_model.py TOOL DIRECTORY [SEED]
#
# Writes random states of the module's files into DIRECTORY: sites appear, vanish, get
# their location from debug information, are unloaded, and accounting is restarted. For
# each state, one run of the tool for each key and kind prints a document. The reference
# keeps all states and recomputes each figure from them.

import json
import os
import random
import subprocess
import sys

STATES = 30
SECOND = 1000000000
SLOT = 5 * SECOND
KEYS = ["site", "function", "module", "kind"]
KINDS = ["slab", "page", "percpu"]


class Site:
    """One tag of the module. Its number identifies it for the reference."""

    def __init__(self, rng, number):
        self.number = number
        self.kind = rng.choice(KINDS)
        self.file = rng.choice(["mm/a.c", "fs/b.c"])
        self.line = rng.randrange(1, 6)
        self.module = rng.choice(["", "", "ext4", "xfs"])
        self.function = rng.choice(["alpha", "beta", "gamma"])
        self.debug = rng.random() < 0.7
        self.unloaded = False
        self.size = rng.choice([8, 64, 4096])
        self.allocs = self.frees = self.age = 0

    def work(self, rng):
        self.allocs += rng.randrange(50)
        self.frees = min(self.allocs, self.frees + rng.randrange(50))
        self.age = rng.randrange(1, 10**6) if self.objects() else -1

    def objects(self):
        return self.allocs - self.frees

    def row(self):
        where = f"{self.file}:{self.line}" if self.debug else f"{self.function}+0x{self.line:x}"
        module = f" [{self.module}]" if self.module else ""
        suffix = " (unloaded) #1" if self.unloaded else ""
        address = "-" if self.unloaded else f"{0xffffffff81000000 + self.number * 16:x}"
        age = "-" if self.age < 0 else self.age
        return (f"{self.kind} {self.objects() * self.size} {self.objects()} "
                f"{self.objects() * (self.size - 3)} {self.allocs} {self.frees} 0 {age} "
                f"{address} {self.number} {where}{module} func:{self.function}{suffix}")

    def name(self, key):
        module = f" [{self.module}]" if self.module else ""
        suffix = " (unloaded) #1" if self.unloaded else ""
        if key == "kind":
            return self.kind
        if key == "module":
            return self.module or "kernel"
        if key == "function":
            return self.function + module
        if self.debug:
            return f"{self.function} {self.file}:{self.line}{module}{suffix}"
        return f"{self.function}+0x{self.line:x}{module}{suffix}"

    def figures(self):
        return {
            "live": self.objects() * self.size, "objects": self.objects(),
            "requested": self.objects() * (self.size - 3), "allocs": self.allocs,
            "frees": self.frees,
        }


ZERO = {"live": 0, "objects": 0, "requested": 0, "allocs": 0, "frees": 0}


def rounded(value, ns):
    """Half away from zero, exactly."""
    sign = -1 if value < 0 else 1
    return sign * ((2 * abs(value) * SECOND + ns) // (2 * ns))


def value_at(number, states, slot):
    """Live bytes of a site at the end of a slot: the last state that is not later."""
    found = 0
    for state in states:
        if (state["ns"] - states[0]["ns"]) // SLOT <= slot:
            found = state["figures"].get(number, ZERO)["live"]
    return found


def expected(states, key, kind):
    """The rows by name, of the last of the states since a restart."""
    last, first = states[-1], states[0]
    before = states[-2] if len(states) > 1 else None
    ns = last["ns"] - before["ns"] if before else 0
    slot = (last["ns"] - first["ns"]) // SLOT
    slots = range(max(0, slot - 59), slot + 1)
    members = {}
    for number, names in last["names"].items():
        if kind is None or last["kinds"][number] == kind:
            members.setdefault(names[key], []).append(number)
    rows = {}
    for name, numbers in members.items():
        now = {f: sum(last["figures"].get(n, ZERO)[f] for n in numbers) for f in ZERO}

        def change(state, figure, numbers=numbers, now=now):
            return now[figure] - sum(state["figures"].get(n, ZERO)[figure] for n in numbers)

        row = dict(now, tags=len(numbers), waste=now["live"] - now["requested"])
        row["live_since_start"] = change(first, "live")
        for figure, source in (("live_per_second", "live"), ("allocs_per_second", "allocs"),
                               ("frees_per_second", "frees")):
            row[figure] = rounded(change(before, source), ns) if before else None
        ages = [last["ages"].get(n, -1) for n in numbers]
        row["oldest_ms"] = max(ages) if max(ages) >= 0 else None
        row["history"] = [sum(value_at(n, states, s) for n in numbers) for s in slots]
        rows[name] = row
    return rows


def write(path, text):
    with open(path, "w", encoding="ascii") as out:
        out.write(text)


class Machine:
    """The states so far, and the directory that shows the last one."""

    def __init__(self, directory, seed):
        self.rng = random.Random(seed)
        self.directory = directory
        self.sites = {}
        self.names = {}
        self.kinds = {}
        self.numbers = 0
        self.ns = 10**11
        self.since = 5
        self.states = []
        os.mkdir(directory)

    def step(self):
        rng = self.rng
        self.ns += rng.choice([SECOND, 2 * SECOND + 7, 6 * SECOND, 40 * SECOND])
        if rng.random() < 0.12:  # accounting is restarted
            self.since += 1
            self.states, self.names = [], {}
            for site in self.sites.values():
                site.allocs = site.frees = 0
        for _ in range(rng.randrange(1, 6)):
            self.numbers += 1
            self.sites[self.numbers] = Site(rng, self.numbers)
        for number, site in list(self.sites.items()):
            if rng.random() < 0.7:
                site.work(rng)
            if rng.random() < 0.05:
                site.debug = not site.debug
            if site.module and rng.random() < 0.1:
                site.unloaded = True
            if site.unloaded and rng.random() < 0.3:
                del self.sites[number]
        self.publish()

    def forget(self, listed):
        """The row of a site that is gone stays as long as its history."""
        if not self.states:
            return
        start = self.states[0]["ns"]
        for number in [n for n in self.names if n not in listed]:
            seen = [s["ns"] for s in self.states if number in s["listed"]][-1]
            if ((self.ns - start) // SLOT - (seen - start) // SLOT > 60 and
                    seen != self.states[-1]["ns"]):
                del self.names[number]

    def figures(self, number, listed):
        """A site that is gone holds nothing, but its counts stay."""
        if number in listed:
            return listed[number].figures()
        before = self.states[-1]["figures"][number]
        return dict(ZERO, allocs=before["allocs"], frees=before["frees"])

    def publish(self):
        listed = {n: s for n, s in self.sites.items() if s.allocs}
        for number, site in listed.items():
            self.names[number] = {key: site.name(key) for key in KEYS}
            self.kinds[number] = site.kind
        self.forget(listed)
        self.states.append({
            "ns": self.ns, "names": dict(self.names), "kinds": dict(self.kinds),
            "figures": {n: self.figures(n, listed) for n in self.names},
            "listed": set(listed),
            "ages": {n: s.age for n, s in listed.items()},
        })
        directory = os.path.join(self.directory, str(self.ns))
        os.mkdir(directory)
        rows = [site.row() for site in self.sites.values()]
        self.rng.shuffle(rows)
        write(os.path.join(directory, "tags"),
              "kmemtrace tags - version: 1\n# comment\n" + "\n".join(rows) + "\n")
        os.symlink("tags", os.path.join(directory, "tags_quick"))
        write(os.path.join(directory, "stats"),
              f"clock_ns {self.ns}\naccounting 1\naccounting_since_ns {self.since}\n")
        link = os.path.join(self.directory, "next")
        os.symlink(str(self.ns), link)
        os.rename(link, os.path.join(self.directory, "now"))


def compare(document, machine, key, kind):
    """The differences of a document from the reference, as lines."""
    rows = expected(machine.states, key, kind)
    shown = {row["name"]: row for row in document["rows"]}
    for name in sorted(rows.keys() | shown.keys()):
        if name not in shown or name not in rows:
            yield f"by {key}, kind {kind}: {name} is only in one of the two"
            continue
        for figure, value in rows[name].items():
            if shown[name][figure] != value:
                yield (f"by {key}, kind {kind}: {figure} of {name} is "
                       f"{shown[name][figure]}, not {value}")


def follow(process, change_ns, restarts):
    """Read lines up to that of a state."""
    while True:
        document = json.loads(process.stdout.readline())
        if (document["change_ns"], document["restarts"]) == (change_ns, restarts):
            return document


def main():
    tool, directory = sys.argv[1:3]
    machine = Machine(directory, int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    environment = dict(os.environ, KMEMTRACE_DIR=os.path.join(directory, "now"))
    machine.step()
    runs = []
    for key, kind in [(k, None) for k in KEYS] + [("site", "slab"), ("module", "page")]:
        command = [tool, "top", "--json", "-d", "0.03", "--by", key]
        command += ["--kind", kind] if kind else []
        runs.append((key, kind, subprocess.Popen(command, stdout=subprocess.PIPE,
                                                 env=environment)))
    first_since = machine.since
    wrong = []
    for state in range(STATES):
        for key, kind, process in runs:
            document = follow(process, machine.ns - machine.states[0]["ns"],
                              machine.since - first_since)
            wrong += [f"state {state}, {line}" for line in
                      compare(document, machine, key, kind)]
        machine.step()
    for _, _, process in runs:
        process.terminate()
        process.wait()
    for line in wrong[:20]:
        print(line)
    return 1 if wrong else 0


sys.exit(main())
