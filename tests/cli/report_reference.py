#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
A second implementation of report: short and slow, on the description of a recording
instead of its bytes. It makes random recordings with losses, sequence numbers that wrap
around, addresses that are used again, and blocks of pages that are freed in part. Then it
compares all figures of report by several keys, and of its call trees.

  report_reference.py TOOL MKTRACE COLUMNS DIR SEED...

MKTRACE (mktrace.c) encodes the descriptions, and COLUMNS (tests/fuzz/seeds/columns.c)
copies the recording to the format that the tool writes. Both are compared.
"""
import json
import random
import subprocess
import sys

sys.dont_write_bytecode = True  # build/ has all that is built
from reference import CLASS, KINDS as TYPES, PAGE
from waste_reference import bucket_name

INTERRUPTED = 0x08 | 0x10 | 0x40
FUNCTIONS = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta"]
KERNEL, MODULE = 0xFFFFFFFF81000000, 0xFFFFFFFFC0000000
SUMS = ["live", "objects", "total_allocated", "allocs", "peak"]


def symbol(address):
    if address >= MODULE:
        return "probe+0x%x [driver]" % (address - MODULE)
    offset = address - KERNEL
    return "%s+0x%x" % (FUNCTIONS[offset // 256], offset % 256)


class Stream:
    """A random recording, as a list of events in their order."""

    def __init__(self, seed):
        r = self.r = random.Random(seed)
        self.start = self.seq = 2**32 - r.randrange(1, 400)
        self.time = 10**9
        self.lost = 0
        self.events = []
        code = [KERNEL + 256 * i + 16 * j for i in range(8) for j in (1, 2)]
        code.append(MODULE + 0x20)
        self.stacks = [[r.choice(code) for _ in range(r.randrange(0, 7))]
                       for _ in range(r.choice([3, 12, 40]))]
        self.sites = code[:r.choice([2, 8, 17])]
        self.tasks = [(40, 40, "make"), (41, 40, "make-thread"), (70, 70, "kswapd0"),
                      (9, 9, "sh"), (99, 99, "sh")]
        for _ in range(r.choice([30, 300, 900])):
            self.add()

    def fill(self, event):
        """The parts that allocations and frees have in common."""
        r = self.r
        event["seq"] = self.seq
        event["cpu"] = r.randrange(3)
        event["site"] = r.choice(self.sites)
        self.time += r.randrange(1, 5000)
        event["time"] = self.time
        event["task"] = None if r.randrange(9) == 0 else r.choice(self.tasks)
        event["context"] = r.choice([0, 0, 0, 1, 0x08, 0x10, 0x84])
        event["cgroup"] = None if r.randrange(7) == 0 else r.randrange(3)
        event["stack"] = None if r.randrange(8) == 0 else r.choice(self.stacks)
        self.events.append(event)
        self.seq += 1

    def add(self):
        r = self.r
        if r.randrange(25) == 0:
            gap = r.randrange(1, 4)
            self.lost += gap
            self.seq += gap
        kind = r.choice([0, 0, 1, 1, 2, 2, 3])
        event = {"type": kind, "alloc": r.randrange(5) < 3}
        if kind == 2:
            order = r.choice([0, 0, 0, 1, 2, 3])
            page = r.randrange(0, 48) >> order << order
            event.update(order=order, ptr=0xFFFF888000100000 + PAGE * page)
            event["req"] = event["bytes"] = PAGE << order
        else:
            # kmalloc and caches use the same addresses
            base = 0xFFFF888000000000 if kind < 2 else 0xFFFFE8000000000
            event["ptr"] = base + 1024 * r.randrange(0, 60)
            event["req"] = r.choice([24, 40, 100, 700])
            event["bytes"] = {24: 32, 40: 64, 100: 128, 700: 1024}[event["req"]]
            event["order"] = 0
        if event["alloc"] and r.randrange(40) == 0:
            event["ptr"] = 0
        event["cache"] = r.randrange(3)
        event["gfp"] = r.choice([0xCC0, 0xDC0])
        event["node"] = r.choice([-1, 0, 1])
        self.fill(event)

    def record(self, e):
        task = ""
        if e["task"]:
            task = " task=%d:%d:0x%x:0:%s" % (e["task"][0], e["task"][1], e["context"],
                                              e["task"][2])
        rest = " time=%d%s%s%s" % (
            e["time"],
            {1: " cache=%d" % e["cache"], 2: " page=%d:0" % e["order"]}.get(e["type"], ""),
            task, "" if e["cgroup"] is None else " cgroup=%d" % e["cgroup"])
        if e["stack"] is not None:
            rest += " stack=" + ":".join("0x%x" % a for a in e["stack"])
        head = "%d %d 0x%x 0x%x" % (e["type"], e["seq"] % 2**32, e["ptr"], e["site"])
        if not e["alloc"]:
            return "free " + head + rest
        return "alloc %s %d %d 0x%x %d%s" % (head, e["req"], e["bytes"], e["gfp"],
                                             e["node"], rest)

    def describe(self):
        lines = ["text meta", "release=6.12.0-test", "page_size=%d" % PAGE,
                 "seq_start=%d" % (self.start % 2**32), "cpus=3",
                 "features=time cache page task cgroup stack", ".",
                 "text kallsyms"]
        lines += ["%x T %s" % (KERNEL + 256 * i, f) for i, f in enumerate(FUNCTIONS)]
        lines += ["%x T end" % (KERNEL + 256 * 8), "%x t probe\t[driver]" % MODULE, "."]
        # pieces of some events each, so that CPUs alternate in the file
        at = 0
        while at < len(self.events):
            count = self.r.randrange(1, 120)
            piece = self.events[at:at + count]
            at += count
            mark = piece[-1]["seq"] + 1
            for cpu in range(3):
                lines.append("data %d mark=%d" % (cpu, mark % 2**32))
                lines += [self.record(e) for e in piece if e["cpu"] == cpu]
                lines.append(".")
        lines += ["text caches", "1 1 1 one", "2 2 2 two", ".", "text end",
                  "seq_end=%d" % (self.seq % 2**32), "lost_events=%d" % self.lost, "."]
        return "\n".join(lines) + "\n"


class Row:
    def __init__(self):
        self.n = dict.fromkeys(["allocs", "frees", "req", "alloc", "freed", "freed_req",
                                "failed", "remote_frees", "implicit", "peak"], 0)

    def live(self):
        return self.n["alloc"] - self.n["freed"]


class Reference:
    """The figures by one function of an event: its key."""

    def __init__(self, events, key):
        self.rows = {}
        self.live = {"slab": {}, "percpu": {}}  # address: (row, cpu, req, bytes)
        self.blocks = {}  # address: [row, cpu, req, bytes, order, whole]
        for e in events:
            if e["alloc"]:
                self.allocate(e, self.rows.setdefault((key(e), TYPES[e["type"]]), Row()))
            else:
                self.free(e)

    def take_off(self, entry, whole=True):
        row = entry[0]
        row.n["freed"] += entry[3]
        row.n["freed_req"] += entry[2]
        row.n["frees"] += whole

    def allocate(self, e, row):
        if not e["ptr"]:
            row.n["failed"] += 1
            return
        if e["type"] == 2:
            self.clear_pages(e)
        row.n["allocs"] += 1
        row.n["req"] += e["req"]
        row.n["alloc"] += e["bytes"]
        entry = [row, e["cpu"], e["req"], e["bytes"]]
        if e["type"] == 2:
            self.blocks[e["ptr"]] = entry + [e["order"], True]
        else:
            table = self.live[CLASS[e["type"]]]
            old = table.get(e["ptr"])
            if old:
                old[0].n["implicit"] += 1
                self.take_off(old)
            table[e["ptr"]] = entry
        row.n["peak"] = max(row.n["peak"], row.live())

    def free_entry(self, entry, e, whole=True):
        entry[0].n["remote_frees"] += entry[1] != e["cpu"]
        self.take_off(entry, whole)

    def free(self, e):
        if e["type"] == 2:
            self.free_pages(e)
            return
        entry = self.live[CLASS[e["type"]]].pop(e["ptr"], None)
        if entry:
            self.free_entry(entry, e)

    # pages: a block is halved until the part that is freed is a block of its own

    def find_block(self, ptr):
        for at, block in self.blocks.items():
            if at <= ptr < at + (PAGE << block[4]):
                return at
        return None

    def split(self, at, ptr, order):
        while self.blocks[at][4] > order:
            block = self.blocks[at]
            block[4] -= 1
            half = block[:]
            half[2], half[3], half[5] = block[2] // 2, block[3] // 2, False
            block[2] -= half[2]
            block[3] -= half[3]
            upper = at + (PAGE << block[4])
            self.blocks[upper] = half
            if ptr >= upper:
                at = upper
        return at

    def clear_pages(self, e):
        at = self.find_block(e["ptr"])
        if at is not None and self.blocks[at][4] > e["order"]:
            self.split(at, e["ptr"], e["order"])
        for page in range(e["ptr"], e["ptr"] + (PAGE << e["order"]), PAGE):
            block = self.blocks.pop(page, None)
            if block:
                block[0].n["implicit"] += 1
                self.take_off(block, block[5])

    def free_pages(self, e):
        block = self.blocks.get(e["ptr"])
        if not block or block[4] != e["order"]:
            at = self.find_block(e["ptr"])
            if at is not None and self.blocks[at][4] > e["order"]:
                at = self.split(at, e["ptr"], e["order"])
                block = self.blocks.pop(at)
                self.free_entry(block, e, block[5])
                return
        for page in range(e["ptr"], e["ptr"] + (PAGE << e["order"]), PAGE):
            block = self.blocks.pop(page, None)
            if block:
                self.free_entry(block, e, block[5])


def process_names(events):
    """As the tool, from allocations only: the main thread's name, or that of another."""
    names = {}
    for e in events:
        if not e["alloc"] or not e["task"] or e["context"] & INTERRUPTED:
            continue
        pid, tgid, comm = e["task"]
        if pid == tgid or tgid not in names:
            names[tgid] = comm
    return names


def make_keys(events):
    names = process_names(events)

    def process(e):
        if not e["task"]:
            return "(not recorded)"
        if e["context"] & INTERRUPTED:
            return "(interrupts)"
        return "%d %s" % (e["task"][1], names[e["task"][1]])

    def comm(e):
        return process(e) if process(e)[0] == "(" else e["task"][2]

    def function(e):
        text = symbol(e["site"])
        return text.split("+")[0] + (" [driver]" if "[driver]" in text else "")

    return {
        "site": lambda e: symbol(e["site"]),
        "function": function,
        "module": lambda e: "driver" if e["site"] >= MODULE else "kernel",
        "cache": lambda e: (["(unknown)", "one", "two"][e["cache"]] if e["type"] == 1 else
                            bucket_name(TYPES[e["type"]], e["bytes"])),
        "gfp": lambda e: "0x%x" % e["gfp"],
        "order": lambda e: max(0, (e["bytes"] - 1) // PAGE).bit_length(),
        "node": lambda e: e["node"],
        "cpu": lambda e: e["cpu"],
        "size": lambda e: e["req"],
        "stack": lambda e: None if e["stack"] is None else tuple(map(symbol, e["stack"])),
        "process": process,
        "comm": comm,
        "cgroup": lambda e: "(not recorded)" if e["cgroup"] is None else str(e["cgroup"]),
    }


class Checker:
    def __init__(self, tool, path, name):
        self.tool, self.path, self.name = tool, path, name
        self.wrong = 0
        self.checks = 0

    def complain(self, what, expected, found):
        self.wrong += 1
        if self.wrong < 10:
            print("%s: %s: expected %s, found %s" % (self.name, what, expected, found))

    def same(self, what, expected, found):
        self.checks += 1
        if expected != found:
            self.complain(what, expected, found)

    def report(self, *options):
        run = subprocess.run([self.tool, "report", "--json", *options, self.path],
                             stdout=subprocess.PIPE, check=False)
        if run.returncode not in (0, 3):
            self.complain("exit of %s" % " ".join(options), "0 or 3", run.returncode)
            return {"rows": [], "tree": []}
        return json.loads(run.stdout)

    def rows(self, stream, names):
        keys = make_keys(stream.events)
        reference = Reference(stream.events, lambda e: tuple(keys[n](e) for n in names))
        document = self.report("--top", "0", "--by", ",".join(names))
        found = {}
        for row in document["rows"]:
            values = tuple(tuple(row[n]) if isinstance(row[n], list) else row[n]
                           for n in names)
            self.same("two rows of %s" % (values,), False, (values, row["kind"]) in found)
            found[values, row["kind"]] = row
        self.same("rows by %s" % ",".join(names), sorted(map(str, reference.rows)),
                  sorted(map(str, found)))
        for key, expected in reference.rows.items():
            row = found.get(key)
            if not row:
                continue
            n = expected.n
            figures = dict(live=expected.live(), objects=n["allocs"] - n["frees"],
                           requested=n["req"] - n["freed_req"],
                           total_requested=n["req"], total_allocated=n["alloc"])
            for name in ("allocs", "frees", "failed", "remote_frees", "implicit",
                         "peak"):
                figures[name] = n[name]
            for name, value in figures.items():
                self.same("%s of %s" % (name, key), value, row[name])
            self.same("bounds of %s" % (key,), True,
                      row["live_low"] <= row["live"] <= row["live_high"])
        self.same("lost events", stream.lost, document["lost_events"])

    # call trees: nested dictionaries, {name: [sums, children]}

    def tree(self, stream, callees, sort):
        reference = Reference(stream.events, make_keys(stream.events)["stack"])
        roots = {}
        for (stack, kind), row in reference.rows.items():
            n = row.n
            sums = [row.live(), n["allocs"] - n["frees"], n["alloc"], n["allocs"], n["peak"]]
            path = list(stack) if stack else ["(no stack)"]
            node = roots.setdefault(CLASS[TYPES.index(kind)], [[0] * 5, {}])
            for name in [None] + (path if callees else path[::-1]):
                if name is not None:
                    node = node[1].setdefault(name, [[0] * 5, {}])
                node[0] = [x + y for x, y in zip(node[0], sums)]
        options = ["--tree", "--min", "0", "--sort", sort]
        document = self.report(*options, "--callees" if callees else "--callers")
        found = {root["class"]: root for root in document["tree"]}
        self.same("trees", sorted(roots), sorted(found))
        for name in roots:
            if name in found:
                self.node(name, roots[name], found[name], sort, found[name][sort])
        # what --min shows is what has this part
        limited = self.report("--tree", "--min", "10%", "--sort", sort, "--depth", "3",
                              "--callees" if callees else "--callers")
        for root in limited["tree"]:
            if root["class"] not in roots:
                continue
            self.limited(root["class"], roots[root["class"]], root, sort,
                         root[sort], 3)

    def node(self, path, expected, found, sort, total):
        sums, children = expected
        self.same("figures of %s" % path, sums, [found[name] for name in SUMS])
        self.same("percent of %s" % path, True,
                  abs(found["percent"] - (100 * found[sort] / total if total else 0)) < 0.06)
        below = found["children"]
        self.same("order below %s" % path, sorted((n[sort] for n in below), reverse=True),
                  [n[sort] for n in below])
        self.same("below %s" % path, sorted(children), sorted(n["function"] for n in below))
        for child in below:
            if child["function"] in children:
                self.node(path + ";" + child["function"], children[child["function"]],
                          child, sort, total)

    def limited(self, path, expected, found, sort, total, depth):
        children = {}
        if depth and total:
            at = SUMS.index(sort)
            children = {name: child for name, child in expected[1].items()
                        if 10 * child[0][at] >= total}
        self.same("with --min and --depth, below %s" % path, sorted(children),
                  sorted(n["function"] for n in found["children"]))
        for child in found["children"]:
            if child["function"] not in children:
                continue
            self.limited(path + ";" + child["function"], children[child["function"]],
                         child, sort, total, depth - 1)


BY = [["site"], ["stack"], ["function"], ["module"], ["comm"], ["cgroup"], ["process"],
      ["cache"], ["order"], ["site", "process"], ["stack", "comm"],
      ["cgroup", "module", "size"], ["function", "node", "cpu", "gfp", "stack"]]


def check(tool, mktrace, columns, directory, seed):
    stream = Stream(seed)
    plain, packed = directory + "/reference.kmt", directory + "/reference-columns.kmt"
    with open(plain, "wb") as out:
        subprocess.run([mktrace, "big" if seed % 2 else "little"], check=True, stdout=out,
                       input=stream.describe().encode())
    # a copy has the byte order of this machine
    if seed % 2 == 0:
        subprocess.run([columns, plain, packed], check=True)
    checks = wrong = 0
    for path in [plain] + ([packed] if seed % 2 == 0 else []):
        c = Checker(tool, path, "seed %d, %s" % (seed, path.rsplit("/", 1)[1]))
        for names in BY:
            c.rows(stream, names)
        for sort in SUMS:
            c.tree(stream, len(sort) % 2 == 0, sort)
            c.tree(stream, len(sort) % 2 == 1, sort)
        checks += c.checks
        wrong += c.wrong
    return checks, wrong


def main():
    tool, mktrace, columns, directory = sys.argv[1:5]
    checks = wrong = 0
    for seed in map(int, sys.argv[5:]):
        made, differ = check(tool, mktrace, columns, directory, seed)
        checks += made
        wrong += differ
    print("%d comparisons, %d differences" % (checks, wrong))
    return 1 if wrong or not checks else 0


sys.exit(main())
