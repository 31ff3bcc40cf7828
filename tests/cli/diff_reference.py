#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compares diff with a second, slow implementation, on random input.

  diff_reference.py TOOL SEED ROUNDS

Writes pairs of saved states and of report --json into the current directory, with sites
of few functions, so that every rule of account/changes.h applies. Prints the first
difference, and then exits with 1.
"""
import json
import random
import re
import subprocess
import sys

COUNT = ("bytes", "objects", "requested", "allocs", "frees")
CHANGE = {k: {"bytes": "live"}.get(k, k) + "_change" for k in COUNT}


def parts(location):
    """Returns (module, tail, plain function, file, line, part, offset)."""
    module = tail = func = file = ""
    line = offset = 0
    m = re.match(r"^(.*?) func:(\S*)(?: (.*))?$", location)
    head = location
    if m:
        head, func, tail = m.group(1), m.group(2), m.group(3) or ""
    m = re.match(r"^(.*?) \[([^\]]*)\]$", head)
    if m:
        head, module = m.group(1), m.group(2)
    m = re.match(r"^([^\[+]+)\+0x([0-9a-f]+)$", head)
    if m:
        func, offset = m.group(1), int(m.group(2), 16)
    else:
        m = re.match(r"^(.+):(\d+)$", head)
        if m and func:
            file, line = m.group(1), int(m.group(2))
    plain = func.split(".")[0]
    if plain.endswith("_noprof") and plain != "_noprof":
        plain = plain[:-7]
    part = 2 if ".cold" in func else 1 if ".part." in func else 0
    return module, tail, plain, file, line, part, offset


class Site:
    def __init__(self, kind, location, figures):
        self.kind, self.location, self.figures = kind, location, dict(figures)
        self.module, self.tail, self.plain, self.file, self.line, self.part, \
            self.offset = parts(location)

    def function(self):
        return self.kind, self.module, self.tail, self.plain

    def position(self):
        return (0 if self.file else 1, self.file, self.line, self.part, self.offset,
                self.location)

    def add(self, other):
        for k, v in other.figures.items():
            self.figures[k] += v


def merged(rows):
    sites = {}
    for row in rows:
        key = row.kind, row.location
        if key in sites:
            sites[key].add(row)
        else:
            sites[key] = Site(row.kind, row.location, row.figures)
    return list(sites.values())


def pairs_of(old, new, certain):
    """Matches the sites of one function. Returns (old, new, how)."""
    old, new = sorted(old, key=Site.position), sorted(new, key=Site.position)
    pairs = []
    least = min(len(old), len(new))
    equal = {s.location for s in old} & {s.location for s in new}
    known = any(s.plain for s in old + new)
    lined = [[bool(s.file) for s in side] for side in (old, new)]
    if certain or not known or 2 * len(equal) > least:
        for where in equal:
            a = next(s for s in old if s.location == where)
            b = next(s for s in new if s.location == where)
            pairs.append((a, b, "location"))
            old.remove(a)
            new.remove(b)
    elif least and len(set(lined[0] + lined[1])) == 1:
        for file in {s.file for s in old} & {s.file for s in new}:
            for a, b in list(zip([s for s in old if s.file == file],
                                 [s for s in new if s.file == file])):
                pairs.append((a, b, "order"))
                old.remove(a)
                new.remove(b)
    lined = {bool(s.file) for s in old + new}
    if known and old and new and len(lined) > 1:
        sums = []
        for side in (old, new):
            total = Site(side[0].kind, side[0].location, side[0].figures)
            for s in side[1:]:
                total.add(s)
            where = side[0].plain + (" [%s]" % side[0].module if side[0].module else "")
            total.location = "%s func:%s" % (where, side[0].plain)
            sums.append(total)
        return pairs + [(sums[0], sums[1], "function")]
    return pairs + [(s, None, "none") for s in old] + [(None, s, "none") for s in new]


def changes(old, new, same_kernel):
    old, new = merged(old), merged(new)
    result = []
    for f in {s.function() for s in old + new}:
        result += pairs_of([s for s in old if s.function() == f],
                           [s for s in new if s.function() == f],
                           same_kernel and not f[1])
    return result


def state(a, b):
    def live(s):
        return s and (s.figures["bytes"] or s.figures["objects"])

    def values(s):
        return (s.figures["bytes"], s.figures["objects"]) if s else (0, 0)

    if values(a) == values(b):
        return "same"
    if not live(a):
        return "new"
    if not live(b):
        return "gone"
    return "grown" if values(b) > values(a) else "shrunk"


def expected(old, new, same_kernel, unseen):
    """Returns the rows as the tool prints them, in any order."""
    rows = []
    for a, b, how in changes(old, new, same_kernel):
        kind = (b or a).kind

        def value(s, name, side):
            if s:
                return s.figures[name]
            if name == "high":
                return unseen[side]["bytes"][kind]
            if name == "objects_high":
                return unseen[side]["objects"]
            return 0

        row = {CHANGE[k]: value(b, k, 1) - value(a, k, 0) for k in COUNT}
        if not any(row.values()):
            continue
        row.update(site=(b or a).location, kind=kind, state=state(a, b), match=how,
                   live_before=value(a, "bytes", 0), live=value(b, "bytes", 1),
                   objects_before=value(a, "objects", 0), objects=value(b, "objects", 1),
                   live_change_low=value(b, "low", 1) - value(a, "high", 0),
                   live_change_high=value(b, "high", 1) - value(a, "low", 0),
                   objects_change_low=value(b, "objects_low", 1) -
                   value(a, "objects_high", 0),
                   objects_change_high=value(b, "objects_high", 1) -
                   value(a, "objects_low", 0),
                   old_site=a.location if a and b and a.location != b.location
                   else None)
        rows.append(row)
    return rows


# --- random input -------------------------------------------------------------------

def location(rng, saved):
    f = "f%d" % rng.randrange(6) + rng.choice(["", "", ".cold", ".part.0", ".isra.0",
                                               "_noprof"])
    module = rng.choice(["", "", " [m]", " [n]"])
    if rng.random() < 0.02:
        return "0x100" if not saved else "odd func:odd"
    if not saved:
        return "%s+0x%x%s" % (f, rng.randrange(1, 12), module)
    if rng.random() < 0.5:
        return "%s+0x%x%s func:%s" % (f, rng.randrange(1, 12), module, f)
    plain = f.split(".")[0]
    gone = " (unloaded) #1" if module and rng.random() < 0.2 else ""
    return "%s.c:%d%s func:%s%s" % (rng.choice("ab"), rng.randrange(1, 9), module, plain,
                                    gone)


def figures(rng):
    objects = rng.choice([0, 0, 1, 2, 50])
    size = rng.choice([8, 64, 4096])
    return {"bytes": objects * size, "objects": objects,
            "requested": objects * (size - 3), "allocs": objects + 5, "frees": 5}


def side(rng, saved):
    kinds = ["slab", "page", "percpu"] if saved else ["kmalloc", "cache", "pages",
                                                      "percpu"]
    rows = []
    for _ in range(rng.randrange(40)):
        rows.append(Site(rng.choice(kinds), location(rng, saved), figures(rng)))
    return rows


def varied(rng, rows, saved):
    """Most sites stay; some change, some move, some go."""
    more = [Site(r.kind, r.location, figures(rng) if rng.random() < 0.5 else r.figures)
            for r in rows if rng.random() < 0.9]
    for r in more:
        if rng.random() < 0.3:
            r.location = re.sub(r"(\+0x|\.c:)([0-9a-f]+)",
                                lambda m: m.group(1) + "%x" % (int(m.group(2), 16) + 1),
                                r.location)
    return [Site(r.kind, r.location, r.figures) for r in more] + side(rng, saved)[:5]


def exact(rows):
    for r in rows:
        r.figures.update(low=r.figures["bytes"], high=r.figures["bytes"],
                         objects_low=r.figures["objects"],
                         objects_high=r.figures["objects"])


def write_saved(path, rows, kernel):
    with open(path, "w", encoding="ascii") as out:
        print("kmemtrace tags - version: 1", file=out)
        for r in rows:
            f = r.figures
            where = re.sub(r"^(\S+\+0x[0-9a-f]+)( |$)", r"\1:0\2", r.location)
            print(r.kind, f["bytes"], f["objects"], f["requested"], f["allocs"],
                  f["frees"], f["bytes"], "- - 0", where, file=out)
        print("# stat kernel", kernel, file=out)
    exact(rows)


TOTAL = {"kmalloc": "slab", "cache": "slab", "pages": "pages", "percpu": "percpu"}


def write_report(path, rows, kernel, lost, largest):
    rows = merged(rows)
    live = {t: {"live": 0, "objects": 0, "uncertain": 0, "largest": largest[t]}
            for t in set(TOTAL.values())}
    out = []
    for r in rows:
        f = r.figures
        wide = lost * 64
        f.update(low=max(0, f["bytes"] - wide), high=f["bytes"] + wide,
                 objects_low=max(0, f["objects"] - lost),
                 objects_high=f["objects"] + lost)
        live[TOTAL[r.kind]]["live"] += f["bytes"]
        live[TOTAL[r.kind]]["objects"] += f["objects"]
        out.append({"site": r.location, "kind": r.kind, "live": f["bytes"],
                    "objects": f["objects"], "requested": f["requested"],
                    "allocs": f["allocs"], "frees": f["frees"], "live_low": f["low"],
                    "live_high": f["high"], "objects_low": f["objects_low"],
                    "objects_high": f["objects_high"]})
    with open(path, "w", encoding="ascii") as file:
        json.dump({"version": 1, "kernel": kernel, "lost_events": lost, "seconds": 1.5,
                   "live": live, "by": ["site"], "rows": out}, file)
    return rows


def compare(tool, args, want, totals):
    done = subprocess.run([tool, "diff", "--json", *args], stdout=subprocess.PIPE,
                          check=False)
    if done.returncode not in (0, 3):
        return "exit status %d" % done.returncode
    got = json.loads(done.stdout)

    def key(row):
        return row["site"], row["kind"]

    rows = sorted(got["rows"], key=key)
    want = sorted(want, key=key)
    sizes = [abs(r["live_change"]) for r in got["rows"]]
    if sizes != sorted(sizes, reverse=True):
        return "not sorted by the absolute change"
    if rows != want:
        for a, b in zip(rows, want):
            if a != b:
                return "tool %s\nreference %s" % (a, b)
        return "%d rows, the reference has %d" % (len(rows), len(want))
    for name, total in got["totals"].items():
        if total["live_change"] != totals.get(name, 0):
            return "total of %s: %d, not %d" % (name, total["live_change"], totals[name])
        got_sum = sum(r["live_change"] for r in rows if TOTAL.get(
            r["kind"], {"page": "pages"}.get(r["kind"], r["kind"])) == name)
        if got_sum != total["live_change"]:
            return "the rows of %s add up to %d, not %d" % (name, got_sum,
                                                           total["live_change"])
    return None


def sums(old, new):
    total = {}
    for sign, rows in ((-1, old), (1, new)):
        for r in rows:
            name = TOTAL.get(r.kind, {"page": "pages"}.get(r.kind, r.kind))
            total[name] = total.get(name, 0) + sign * r.figures["bytes"]
    return total


def one(tool, rng):
    saved = rng.random() < 0.5
    same = rng.random() < 0.5
    old = side(rng, saved)
    new = varied(rng, old, saved)
    kernels = ("6.1", "6.1" if same else "6.12")
    totals = sums(old, new)
    unseen = [{"bytes": dict.fromkeys(("slab", "page", "percpu"), 0), "objects": 0}] * 2
    paths = ["old.tags", "new.tags"] if saved else ["old.json", "new.json"]
    if saved:
        write_saved(paths[0], old, kernels[0])
        write_saved(paths[1], new, kernels[1])
    else:
        lost = [rng.choice([0, 3]), rng.choice([0, 0, 7])]
        largest = [{t: rng.choice([8, 64, 4096]) for t in set(TOTAL.values())}
                   for _ in range(2)]
        old = write_report(paths[0], old, kernels[0], lost[0], largest[0])
        new = write_report(paths[1], new, kernels[1], lost[1], largest[1])
        unseen = [{"bytes": {k: n * max(largest[0][t], largest[1][t])
                             for k, t in TOTAL.items()}, "objects": n} for n in lost]
    why = compare(tool, paths, expected(old, new, same, unseen), totals)
    if why:
        return why
    for path in paths:
        why = compare(tool, [path, path], [], {"slab": 0, "pages": 0, "percpu": 0})
        if why:
            return "with itself: " + why
    return None


def main():
    tool, seed, rounds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    rng = random.Random(seed)
    for n in range(rounds):
        why = one(tool, rng)
        if why:
            print("seed %d, round %d: %s" % (seed, n, why))
            return 1
    return 0


sys.exit(main())
