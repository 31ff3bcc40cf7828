#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compares the figures of the tool with a slow, simple implementation.

    reference.py TOOL MKTRACE WORK [FIRST [COUNT]]

Random streams of events are made, some events of them are lost, and mktrace writes the
rest as a recording. The figures of the recorded events must be the same as here. The true
figures, with the lost events, must be within the bounds that the tool states. A seed that
fails can be run alone.
"""
import json
import random
import subprocess
import sys
from fractions import Fraction

PAGE = 4096
KINDS = ["kmalloc", "cache", "pages", "percpu"]
CLASS = {0: "slab", 1: "slab", 2: "pages", 3: "percpu"}


class Event:
    """An event: alloc or free, with its time and its place in the order."""

    def __init__(self, alloc, kind, seq, cpu, ptr, site, size, order, time):
        self.alloc, self.kind, self.seq, self.cpu = alloc, kind, seq, cpu
        self.ptr, self.site, self.size, self.order = ptr, site, size, order
        self.time, self.lost = time, False

    def text(self):
        features = f"time={self.time}"
        if self.kind == 2:
            features += f" page={self.order}:0"
        if self.alloc:
            return (f"alloc {self.kind} {self.seq} {self.ptr:#x} {self.site:#x} "
                    f"{self.size} {self.size} 0xcc0 -1 {features}")
        return f"free {self.kind} {self.seq} {self.ptr:#x} {self.site:#x} {features}"


def make_events(rng):
    """A stream in which memory is freed after it was allocated, and addresses recur."""
    sites = [(0xffffffff81000000 + 16 * i, rng.randrange(4),
              rng.choice([16, 64, 192, 1024])) for i in range(rng.randint(2, 8))]
    seq = rng.choice([1, 2**31 - 40, 2**32 - 60])
    time = rng.randrange(1, 10**12)
    held, events = {}, []
    step = rng.choice([1, 30, 10**4, 10**8])

    def add(alloc, kind, ptr, site, size, order):
        nonlocal seq, time
        time += rng.randrange(1, 2 * step + 1)
        now = time - (rng.randrange(step) if len(events) > 20 else 0)
        events.append(Event(alloc, kind, seq % 2**32, rng.randrange(3), ptr, site,
                            size, order, now))
        seq += 1

    def covered(ptr, order):
        return any(k == "pages" and ptr < p + (PAGE << o) and p < ptr + (PAGE << order)
                   for (k, p), (_, o) in held.items())

    def allocate(kind, site, size, order):
        klass = CLASS[kind]
        if kind == 2:
            ptr = 0xffff888000000000 + PAGE * (rng.randrange(64) >> order << order)
            if covered(ptr, order):
                return
            size = PAGE << order
        else:
            ptr = 0x1000 + 0x800 * rng.randrange(24)
            if (klass, ptr) in held:
                return
        held[klass, ptr] = (kind, order)
        add(True, kind, ptr, site, size, order)

    def free(klass, ptr):
        kind, order = held.pop((klass, ptr))
        if kind == 2 and order and rng.random() < 0.3:
            # a part of a block is freed, the other half stays
            half = PAGE << (order - 1)
            keep, gone = rng.choice([(ptr, ptr + half), (ptr + half, ptr)])
            held["pages", keep] = (2, order - 1)
            add(False, 2, gone, 0x77, 0, order - 1)
            return
        # kfree() may free an object of a cache
        add(False, rng.randrange(2) if kind < 2 else kind, ptr, 0x77, 0, order)

    # the largest allocation of each row comes first, and is not lost: see A in
    # "Effect of lost events on live figures" in file-format.rst
    for site, kind, size in sites:
        allocate(kind, site, size, 3)
    first = len(events)
    for _ in range(rng.randint(50, 500)):
        if held and rng.random() < 0.47:
            free(*rng.choice(list(held)))
        elif rng.random() < 0.05:
            # memory from before the recording
            ptr = 0x900000 + 64 * rng.randrange(9)
            add(False, rng.randrange(2), ptr, 0x77, 0, 0)
        else:
            site, kind, size = rng.choice(sites)
            allocate(kind, site, size, rng.randrange(4))
    rate = rng.choice([0, 0, 0.01, 0.1, 0.3])
    for event in events[first:]:
        event.lost = rng.random() < rate
    return events


def write(events, mktrace, path):
    """Writes the events that were not lost, in chunks of each CPU with marks."""
    end = (events[-1].seq + 1) % 2**32
    lost = sum(e.lost for e in events)
    lines = ["text meta", f"page_size={PAGE}", f"seq_start={events[0].seq}", "cpus=3",
             "nodes=2", "cpus_of_node0=0,2", "cpus_of_node1=1", "release=1", "."]
    for i in range(0, len(events), 50):
        part = events[i:i + 50]
        for cpu in range(3):
            lines.append(f"data {cpu} mark={(part[-1].seq + 1) % 2**32}")
            lines += [e.text() for e in part if e.cpu == cpu and not e.lost]
            lines.append(".")
    lines += ["text end", f"seq_end={end}", f"events={len(events)}",
              f"lost_events={lost}", "."]
    with open(path, "wb") as file:
        subprocess.run([mktrace, "little"], input="\n".join(lines + [""]).encode(),
                       stdout=file, check=True)


class Alloc:
    def __init__(self, event, time):
        self.group = (event.kind, event.site)
        self.kind, self.cpu, self.size = event.kind, event.cpu, event.size
        self.ptr, self.birth, self.number = event.ptr, time, 0


class Row:
    def __init__(self):
        self.live = self.objects = self.allocs = self.frees = self.peak = 0
        self.temporary = 0
        self.lifetimes = []


class Model:
    """Live memory: for each class, a map from an address, or from a page, to an Alloc."""

    def __init__(self, within=1):
        self.live = {"slab": {}, "pages": {}, "percpu": {}}
        self.rows, self.matrix, self.counts = {}, {}, {}
        self.within = within
        self.time = self.total = self.peak = self.peak_index = self.peak_time = 0
        self.changes = []  # (time, group, live of the group, total)

    def change(self, group, amount):
        row = self.rows[group]
        row.live += amount
        self.total += amount
        self.changes.append((self.time, group, row.live, self.total))

    def release(self, alloc, amount, whole, event):
        row = self.rows[alloc.group]
        if event is not None:
            cell = self.matrix.setdefault((alloc.cpu, event.cpu), [0, 0])
            cell[0] += whole
            cell[1] += amount
        if whole:
            row.objects -= 1
            row.frees += 1
        if whole and event is not None:
            row.lifetimes.append(self.time - alloc.birth)
            if self.counts[alloc.cpu] - alloc.number < self.within:
                row.temporary += 1
        self.change(alloc.group, -amount)

    def free(self, klass, ptr, order, event):
        places = self.live[klass]
        if klass != "pages":
            if ptr in places:
                alloc = places.pop(ptr)
                self.release(alloc, alloc.size, True, event)
            return
        gone = {}
        for page in range(ptr, ptr + (PAGE << order), PAGE):
            if page in places:
                gone.setdefault(id(places[page]), []).append((page, places.pop(page)))
        for pages in gone.values():
            alloc = pages[0][1]
            self.release(alloc, PAGE * len(pages),
                         any(page == alloc.ptr for page, _ in pages), event)

    def add(self, event, index):
        self.time = max(self.time, event.time)
        klass = CLASS[event.kind]
        if not event.alloc:
            self.free(klass, event.ptr, event.order, event)
            return
        self.free(klass, event.ptr, event.order, None)
        alloc = Alloc(event, self.time)
        row = self.rows.setdefault(alloc.group, Row())
        row.allocs += 1
        row.objects += 1
        self.counts[event.cpu] = self.counts.get(event.cpu, 0) + 1
        alloc.number = self.counts[event.cpu]
        pages = range(event.ptr, event.ptr + event.size, PAGE)
        for place in pages if klass == "pages" else [event.ptr]:
            self.live[klass][place] = alloc
        self.change(alloc.group, event.size)
        row.peak = max(row.peak, row.live)
        if self.total > self.peak:
            self.peak, self.peak_index, self.peak_time = self.total, index, self.time

    def live_allocs(self, group):
        """Allocations that are live, as far as their first page or address is."""
        found = []
        for places in self.live.values():
            found += [a for place, a in places.items()
                      if a.group == group and place == a.ptr]
        return found


def run(events, within=1):
    model = Model(within)
    for index, event in enumerate(events):
        model.add(event, index)
    return model


class Failure(Exception):
    pass


def same(what, tool, here):
    if tool != here:
        raise Failure(f"{what}: the tool has {str(tool)[:200]}, expected {str(here)[:200]}")


def between(what, low, value, high):
    if not low <= value <= high:
        raise Failure(f"{what}: {value} is not between {low} and {high}")


class Tool:
    def __init__(self, tool, path):
        self.tool, self.path = tool, path

    def __call__(self, *arguments):
        done = subprocess.run([self.tool, *arguments, "--raw-ip", "--top", "0",
                               "--json", self.path], capture_output=True, check=False)
        if done.returncode not in (0, 3) or done.stderr:
            raise Failure(f"{arguments}: {done.stderr.decode()}")
        return json.loads(done.stdout)


def by_group(rows):
    return {(KINDS.index(r["kind"]), int(r["site"], 16)): r for r in rows}


def check_rows(tool, recorded, truth):
    rows = by_group(tool("report")["rows"])
    same("rows", set(rows), set(recorded.rows))
    for group, row in recorded.rows.items():
        for key in "live", "objects", "allocs", "frees", "peak":
            same(f"{group} {key}", rows[group][key], getattr(row, key))
        true = truth.rows[group]
        for key in "live", "objects", "peak":
            between(f"{group} true {key}", rows[group][key + "_low"],
                    getattr(true, key), rows[group][key + "_high"])


def check_peak(tool, recorded, kept):
    same("peak", tool("report")["peak"]["bytes"], recorded.peak)
    rows = by_group(tool("report", "--at", "peak")["rows"])
    then = run(kept[:recorded.peak_index + 1])
    same("rows at the peak", set(rows), set(then.rows))
    for group, row in then.rows.items():
        for key in "live", "objects", "allocs", "frees", "peak":
            same(f"{group} {key} at the peak", rows[group][key], getattr(row, key))
    for klass in "slab", "pages", "percpu":
        chosen = [e for e in kept if CLASS[e.kind] == klass]
        part = run(chosen)
        if not part.peak:
            continue
        event = chosen[part.peak_index]
        then = run(kept[:kept.index(event) + 1])
        rows = by_group(tool("report", "--at", "peak:" + klass)["rows"])
        for group, row in then.rows.items():
            same(f"{group} at the peak of {klass}", rows[group]["live"], row.live)


def points(changes, times):
    """For each bucket: the highest value in it, and the value at its end."""
    result, value, i = [], 0, 0
    for end in times:
        highest = value
        while i < len(changes) and changes[i][0] <= end:
            value = changes[i][1]
            highest = max(highest, value)
            i += 1
        result.append((highest, value))
    return result


def check_timeline(tool, recorded, kept, truths):
    t = tool("timeline")
    times = t["times_ns"]
    same("end", times[-1], max(e.time for e in kept))
    if len(times) > 512 or (len(times) < 257 and t["bucket_ns"] > 1):
        raise Failure(f"{len(times)} buckets of {t['bucket_ns']} ns")
    for i, end in enumerate(times[:-1]):
        same("bucket", end, t["from_ns"] + (i + 1) * t["bucket_ns"] - 1)

    def compare(what, series, changes):
        here = points(changes, times)
        same(what + " highest", series["highest"], [p[0] for p in here])
        same(what + " live", series["live"], [p[1] for p in here])
        same(what + " peak", series["peak"], max(p[0] for p in here))

    compare("total", t["total"], [(c[0], c[3]) for c in recorded.changes])
    same("peak time", t["total"]["peak_ns"], recorded.peak_time)
    same("lost", sum(t["total"]["lost"]), t["lost_events"])
    rows = by_group(t["rows"])
    same("rows of the timeline", set(rows), set(recorded.rows))
    for group in recorded.rows:
        compare(str(group), rows[group], [(c[0], c[2]) for c in recorded.changes
                                          if c[1] == group])
    # at the end of a bucket, any of the lost events up to the next record may have been
    for i, end in enumerate(times):
        record = sum(time <= end for time in truths["time"]) - 1
        for total in truths["totals"][record] if record >= 0 else []:
            between(f"true total at {end}", t["total"]["live_low"][i], total,
                    t["total"]["live_high"][i])


def bin_of(ns):
    """16 bins for each power of two: the number keeps its 5 highest bits."""
    shift = max(ns.bit_length() - 5, 0)
    return shift, ns >> shift


def percentile(ended, censored, percent):
    """Kaplan-Meier over bins; None: not defined."""
    survive, left = Fraction(1), len(ended) + len(censored)
    for b in sorted({bin_of(x) for x in ended + censored}):
        dead = sum(bin_of(x) == b for x in ended)
        if dead:
            survive *= Fraction(left - dead, left)
        left -= dead + sum(bin_of(x) == b for x in censored)
        if dead and survive <= 1 - Fraction(percent, 100):
            return min(((b[1] + 1) << b[0]) - 1, max(ended))
    return None


def check_lifetimes(tool, recorded, kept, lossless):
    rows = by_group(tool("report", "--lifetimes")["rows"])
    end = max(e.time for e in kept)
    for group, row in recorded.rows.items():
        r, live = rows[group], recorded.live_allocs(group)
        same(f"{group} freed", r["freed"], len(row.lifetimes))
        same(f"{group} never freed", r["objects"], row.objects)
        ages = [end - a.birth for a in live]
        if ages:
            same(f"{group} oldest", r["oldest_ns"], max(ages))
        for percent in 50, 90, 99:
            tools = r[f"p{percent}_ns"]
            if lossless:
                same(f"{group} p{percent}", tools,
                     percentile(row.lifetimes, ages, percent))
            elif tools is not None and row.lifetimes:
                # censored at some time up to their age
                between(f"{group} p{percent}", 0, tools, max(row.lifetimes))


def check_views(tool, kept):
    for within in 1, 3:
        recorded = run(kept, within)
        rows = by_group(tool("report", "--temporary", "--within", str(within))["rows"])
        for group, row in recorded.rows.items():
            same(f"{group} temporary within {within}", rows[group]["temporary"],
                 row.temporary)
    cells = tool("report", "--matrix", "cpu")["rows"]
    same("matrix", {(c["allocated_on"], c["freed_on"]): [c["frees"], c["freed_bytes"]]
                    for c in cells}, recorded.matrix)
    nodes = {}
    for (a, b), cell in recorded.matrix.items():
        node = nodes.setdefault((a % 2, b % 2), [0, 0])
        node[0] += cell[0]
        node[1] += cell[1]
    cells = tool("report", "--matrix", "node")["rows"]
    same("matrix of nodes", {(c["allocated_on"], c["freed_on"]): [c["frees"], c["freed_bytes"]]
                             for c in cells}, nodes)


def check(seed, tool, mktrace, work):
    events = make_events(random.Random(seed))
    path = f"{work}/reference.kmt"
    write(events, mktrace, path)
    kept = [e for e in events if not e.lost]
    recorded, truth = run(kept), Model()
    # for each record: its time, and the true totals from it up to the next record
    truths, now = {"time": [], "totals": []}, 0
    for index, event in enumerate(events):
        truth.add(event, index)
        if not event.lost:
            now = max(now, event.time)
            truths["time"].append(now)
            truths["totals"].append([])
        truths["totals"][-1].append(truth.total)
    tool = Tool(tool, path)
    check_rows(tool, recorded, truth)
    check_peak(tool, recorded, kept)
    check_timeline(tool, recorded, kept, truths)
    check_lifetimes(tool, recorded, kept, len(kept) == len(events))
    check_views(tool, kept)


def main():
    tool, mktrace, work = sys.argv[1:4]
    first = int(sys.argv[4]) if len(sys.argv) > 4 else 0
    count = int(sys.argv[5]) if len(sys.argv) > 5 else 1
    failed = 0
    for seed in range(first, first + count):
        try:
            check(seed, tool, mktrace, work)
        except Failure as failure:
            print(f"seed {seed}: {failure}")
            failed += 1
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
