#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compares waste with a second, slow implementation, on random recordings.

  waste_reference.py TOOL MKTRACE SEED ROUNDS

Writes descriptions of recordings, which MKTRACE encodes, into the current directory.
Prints the first difference, and then exits with 1.
"""
import json
import random
import subprocess
import sys

BUCKETS = [8, 16, 32, 64, 96, 128, 192, 256, 512, 1024, 2048, 4096, 8192]
SITES = {0x10: "alpha+0x10", 0x20: "alpha+0x20", 0x110: "beta+0x10"}
TEXT = 0xffffffff81000000
PAGE = 4096


def order(size):
    n = 0
    while PAGE << n < size:
        n += 1
    return n


def slab(size, cpus):
    """Returns (bytes, objects): calculate_order() of mm/slub.c, written anew."""
    wanted = min(4 * (cpus.bit_length() + 1), max(8 * PAGE // size, 1))
    first = order(wanted * size)
    for part in (16, 8, 4, 2):
        for n in range(first, 4):
            rest = (PAGE << n) - (PAGE << n) // size * size
            if rest * part <= PAGE << n:
                return PAGE << n, (PAGE << n) // size
    return PAGE << order(size), (PAGE << order(size)) // size


def share(size, objects, cpus):
    """Bytes of slabs that objects take: whole slabs, and a part, rounded down."""
    total, per = slab(size, cpus)
    return objects // per * total + objects % per * total // per


def aligned(size):
    return (size + 7) // 8 * 8


def pages(size):
    return (size + PAGE - 1) // PAGE * PAGE


def remedies(kind, size, sizes, cpus):
    objects = sum(sizes.values())
    found = []
    most = max(sizes)
    if kind in ("kmalloc", "cache") and len(sizes) <= 4:
        total, per = slab(aligned(most), cpus)
        saved = share(size, objects, cpus) - (objects + per - 1) // per * total
        found.append({"remedy": "cache" if kind == "kmalloc" else "align",
                      "saved": saved, "at_least": False, "objects": objects,
                      "size": most, "slab_objects": per, "slab_bytes": total})
    if kind == "kmalloc" and size > 8:
        below = BUCKETS[BUCKETS.index(size) - 1]
        some = sum(n for s, n in sizes.items() if s > below and s - below <= s // 8)
        found.append({"remedy": "less", "at_least": False, "size": below,
                      "objects": some,
                      "saved": share(size, some, cpus) - share(below, some, cpus)})
    if kind == "large":
        found.append({"remedy": "exact", "at_least": False, "objects": objects,
                      "saved": sum(n * (size - pages(s)) for s, n in sizes.items())})
    return sorted((r for r in found if r["saved"] > 0),
                  key=lambda r: -r["saved"])


def bucket_name(kind, size):
    """As the kernel names the caches of kmalloc()."""
    if kind == "kmalloc" and size > 8192:
        return "large-%d" % size
    if kind == "kmalloc" and size >= 1024:
        return "kmalloc-%dk" % (size // 1024)
    return "%s-%d" % (kind, size)


def rows_of(live, cpus):
    groups = {}
    for site, kind, size, requested in live.values():
        sizes = groups.setdefault((SITES[site], kind, size), {})
        sizes[requested] = sizes.get(requested, 0) + 1
    rows = []
    for (site, kind, size), sizes in groups.items():
        objects = sum(sizes.values())
        requested = sum(s * n for s, n in sizes.items())
        best = remedies(kind, size, sizes, cpus)
        waste = size * objects - requested
        rows.append({
            "site": site, "kind": kind, "size": size, "objects": objects,
            "live": size * objects, "requested": requested, "waste": waste,
            "bucket": bucket_name(kind, size), "nr_sizes": len(sizes),
            "saved": best[0]["saved"] if best else 0,
            "remedy": best[0]["remedy"] if best else None, "remedies": best,
            "waste_percent": int(1000 * waste / (size * objects) + 0.5) / 10,
            "sizes": [{"requested": s, "objects": n} for s, n in
                      sorted(sizes.items(), key=lambda x: (-x[1], -x[0]))]})
    return rows


def buckets_of(rows):
    sums = {}
    for r in rows:
        name = r["bucket"] if r["kind"] == "kmalloc" else r["kind"]
        s = sums.setdefault(name, {"bucket": name, "waste": 0, "live": 0,
                                   "requested": 0, "objects": 0, "nr_sites": 0})
        for key in ("waste", "live", "requested", "objects"):
            s[key] += r[key]
        s["nr_sites"] += 1
    for s in sums.values():
        s["waste_percent"] = int(1000 * s["waste"] / s["live"] + 0.5) / 10
    return sums


def allocate(rng, few):
    kind = rng.choice(["kmalloc", "kmalloc", "kmalloc", "cache", "large", "percpu"])
    if kind == "kmalloc":
        requested = rng.choice(few) if rng.random() < 0.7 else rng.randrange(1, 8193)
        return kind, next(b for b in BUCKETS if b >= requested), requested
    if kind == "cache":
        requested = rng.choice([40, 136, 700])
        return kind, (requested + 63) // 64 * 64, requested
    if kind == "large":
        requested = rng.randrange(8193, 70000)
        return kind, PAGE << order(requested), requested
    requested = rng.choice([6, 30])
    return kind, (requested + 3) // 4 * 4, requested


def describe(rng, cpus):
    """Returns the text for mktrace, and what is live at the end."""
    few = [rng.randrange(1, 8193) for _ in range(3)] + [98, 1040]
    types = {"kmalloc": 0, "cache": 1, "large": 0, "percpu": 3}
    lines, live, free = [], {}, []
    for seq in range(rng.randrange(1, 1500)):
        if live and rng.random() < 0.3:
            ptr = rng.choice(list(live))
            kind = live.pop(ptr)[1]
            if kind != "percpu":
                free.append(ptr)
            lines.append("free %d %d 0x%x 0x%x" % (types[kind], seq, ptr, TEXT))
            continue
        ptr = free.pop() if free and rng.random() < 0.5 else 0x100000 * (seq + 1)
        site = rng.choice(list(SITES))
        kind, size, requested = allocate(rng, few)
        # the tool has a table of its own for per-CPU memory, and so have addresses here
        if kind == "percpu":
            ptr = 0x10000000000 + seq * 0x100
        live[ptr] = site, kind, size, requested
        lines.append("alloc %d %d 0x%x 0x%x %d %d 0xcc0 -1" % (
            types[kind], seq, ptr, TEXT + site, requested, size))
    head = ["text meta", "release=6.12", "page_size=4096", "seq_start=0",
            "cpus=64", "cpus_present=%d" % cpus, ".", "text kallsyms", "%x T alpha" % TEXT,
            "%x T beta" % (TEXT + 0x100), "%x T end" % (TEXT + 0x200), ".",
            "data 0 mark=0"]
    tail = [".", "text end", "seq_end=%d" % len(lines), "events=%d" % len(lines),
            "lost_events=0", "."]
    return "\n".join(head + lines + tail) + "\n", live


def key(row):
    return row["site"], row["bucket"]


def compare(got, live, cpus):
    want = sorted(rows_of(live, cpus), key=key)
    rows = got["rows"]
    if [r["saved"] for r in rows] != sorted((r["saved"] for r in rows), reverse=True):
        return "not sorted by what is saved"
    rows = sorted(rows, key=key)
    for a, b in zip(rows, want):
        for name in sorted(a.keys() | b.keys()):
            if a.get(name, "absent") != b.get(name, "absent"):
                return "%s of %s: tool %s, reference %s" % (
                    name, key(b), a.get(name, "absent"), b.get(name, "absent"))
    if len(rows) != len(want):
        return "%d rows, the reference has %d" % (len(rows), len(want))
    if {b["bucket"]: b for b in got["buckets"]} != buckets_of(want):
        return "buckets %s, reference %s" % (got["buckets"], buckets_of(want))
    return None


def one(tool, mktrace, rng):
    cpus = rng.choice([1, 2, 4, 16, 64])
    text, live = describe(rng, cpus)
    with open("waste.kmt", "wb") as out:
        subprocess.run([mktrace, "little"], input=text.encode(), stdout=out, check=True)
    done = subprocess.run([tool, "waste", "--json", "waste.kmt"],
                          stdout=subprocess.PIPE, check=False)
    if done.returncode:
        return "exit status %d" % done.returncode
    return compare(json.loads(done.stdout), live, cpus)


def main():
    tool, mktrace = sys.argv[1], sys.argv[2]
    rng = random.Random(int(sys.argv[3]))
    for n in range(int(sys.argv[4])):
        why = one(tool, mktrace, rng)
        if why:
            print("seed %s, round %d: %s" % (sys.argv[3], n, why))
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
