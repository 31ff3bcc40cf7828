#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compares why with a second, slow implementation, on random machines.

  why_reference.py TOOL MKPAGES MACHINE SEED ROUNDS

Makes directories in the current one that stand for the module's and for /proc, with the
files of MACHINE that do not matter here. Asks about each site, and about frames and
addresses at random. Prints the first difference, and then exits with 1.
"""
import json
import os
import random
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True  # build/ has all that is built
from waste_reference import bucket_name

PAGE = 4096
BUDDY, SLAB, ANON, LRU = 1 << 10, 1 << 7, 1 << 12, 1 << 5
HEAD, TAIL, RESERVED = 1 << 15, 1 << 16, 1 << 32
TICK_NS = 64000000
SIZES = [16, 48, 64, 200, 512, 1024]
BUCKETS = [16, 64, 192, 512, 1024]
FILES = ["pages_version", "pagetypeinfo", "zoneinfo", "stats", "vmallocinfo",
         "vmalloc_starts"]


class Machine:
    """A random machine; the frames have the values of mkpages.c's rows."""

    def __init__(self, rng):
        self.frames = []  # dictionaries
        self.objects = []
        self.tags = []
        self.ages = {}
        self.maps = {}  # pid: list of (page, frame)
        self.base = rng.choice([0xffff888000000000, 0xffff9a3c40000000])
        self.make_tags(rng)
        while len(self.frames) < 100:
            rng.choice([self.add_free, self.add_slab, self.add_slab, self.add_pages,
                        self.add_anon, self.add_older])(rng)
        self.make_maps(rng)

    def make_tags(self, rng):
        for n in range(rng.randrange(3, 9)):
            offset = rng.choice([0x10, 0x24, 0x1e0])
            module = rng.choice(["", " [ring]", " [loop]"])
            name = rng.choice(["alpha", "beta", "gamma"])
            place = rng.choice(["%s+%#x%s func:%s" % (name, offset, module, name),
                                "drivers/%s.c:%d%s func:%s" % (name, offset, module, name)])
            self.tags.append({
                "kind": rng.choice(["slab", "page", "percpu"]), "id": 2 + 3 * n,
                "bytes": rng.randrange(1 << 20), "objects": rng.randrange(1, 5000),
                "allocs": rng.randrange(9999), "frees": rng.randrange(9999),
                "peak": rng.randrange(1 << 30), "oldest": rng.choice([-1, 70, 86400000]),
                "address": 0xffffffff81000000 + 0x1000 * n, "location": place})
            tag = self.tags[-1]
            tag["requested"] = tag["bytes"] - rng.choice([0, tag["bytes"] // 3])
            for bucket in rng.sample(range(32), rng.randrange(4)):
                self.ages.setdefault(tag["id"], {})[bucket] = (rng.randrange(1, 99),
                                                               rng.randrange(1, 9999))

    def id(self, rng):
        return rng.choice(self.tags)["id"]

    def frame(self, flags, **more):
        base = {"flags": flags, "maps": 0, "tag": 0, "age": -1, "order": 0, "owner": 0,
                "refs": 1, "head": len(self.frames), "pages": 1, "compound": None}
        self.frames.append({**base, **more})

    def add_free(self, rng):
        for _ in range(rng.randrange(1, 4)):
            self.frame(BUDDY, kind="free", refs=0)

    def add_older(self, rng):
        reserved = rng.randrange(2)
        self.frame(RESERVED if reserved else 0, kind="reserved" if reserved else "unknown")

    def add_block(self, order, flags, compound, **more):
        """Old kernels do not set most flags on the tails."""
        first = len(self.frames)
        for i in range(1 << order):
            bits, role = flags, None
            if compound and order:
                bits = flags | HEAD if i == 0 else TAIL
                role = "tail" if i else "head"
            self.frame(bits, order=order, head=first if role else first + i,
                       pages=1 << order, compound=role, **more)
        return first

    def add_pages(self, rng):
        self.add_block(rng.randrange(4), 0, rng.randrange(2), kind="kernel",
                       tag=self.id(rng), age=rng.choice([-1, 5, 700]))

    def add_anon(self, rng):
        self.add_block(rng.randrange(3), ANON | LRU, True, kind="anon", tag=self.id(rng),
                       age=rng.randrange(9999))

    def add_slab(self, rng):
        order, kmalloc = rng.randrange(3), rng.randrange(2)
        size = rng.choice(BUCKETS if kmalloc else SIZES)
        known = rng.randrange(4)
        first = self.add_block(order, SLAB, True, kind="slab", owner=4 + 32 * kmalloc,
                               tag=self.id(rng) if known else 0)
        room = (PAGE << order) // size
        for slot in sorted(rng.sample(range(room), rng.randrange(min(room, 5) + 1))):
            self.objects.append({
                "address": first * PAGE + slot * size, "tag": self.id(rng), "bytes": size,
                "age": rng.randrange(9999), "kmalloc": kmalloc, "slab": first,
                "requested": size - rng.randrange(min(size, 9))})
        if not known:  # without a tag, the size of the block is that of the compound page
            for f in self.frames[first:]:
                f["order"] = 0

    def make_maps(self, rng):
        anon = [i for i, f in enumerate(self.frames) if f["kind"] in ("anon", "kernel")]
        for pid in (41, 42, 43):
            taken = rng.sample(anon, min(len(anon), rng.randrange(9)))
            self.maps[pid] = [(16 + n, frame) for n, frame in enumerate(taken)]
            if taken and rng.randrange(2):
                self.maps[pid].append((16 + len(taken), taken[0]))
            for _, frame in self.maps[pid]:
                self.frames[frame]["maps"] += 1

    def rows(self, objects, seek):
        for f in self.frames:
            yield "frames 1 %#x %d %d %d %d %d 1 %d" % (
                f["flags"], f["maps"], f["tag"], f["age"], f["order"], f["owner"], f["refs"])
        if seek is not None:
            yield "seek %#x" % seek
        for o in objects:
            yield "object %#x %d %d %d %d" % (o["address"], o["tag"], o["age"], o["bytes"],
                                              o["requested"])
        for pid, maps in self.maps.items():
            for page, frame in maps:
                yield "map %d %d %d" % (pid, page, frame)
        yield "map self 0 1"
        for tag, buckets in self.ages.items():
            for bucket, (objects, size) in buckets.items():
                yield "age %d %d %d %d" % (tag, bucket, objects, size)
        yield "kcore %#x 0 %#x" % (self.base, len(self.frames) * PAGE)

    def write(self, path, mkpages, like, slab=None):
        """With a slab, the file objects has only its objects, where a read for it begins."""
        shutil.rmtree(path, ignore_errors=True)
        os.mkdir(path)
        for name in FILES:
            shutil.copy(os.path.join(like, name), path)
        objects = [o for o in self.objects if slab is None or o["slab"] == slab]
        text = "".join(r + "\n" for r in self.rows(objects, None if slab is None else slab * PAGE))
        subprocess.run([mkpages], cwd=path, input=text.encode(), check=True)
        with open(path + "/tags", "w") as out:
            out.write("kmemtrace tags - version: 1\n")
            for t in self.tags:
                out.write("%s %d %d %d %d %d %d %s %x %d %s\n" % (
                    t["kind"], t["bytes"], t["objects"], t["requested"], t["allocs"],
                    t["frees"], t["peak"], "-" if t["oldest"] < 0 else t["oldest"],
                    t["address"], t["id"], t["location"]))
        os.symlink("tags", path + "/tags_quick")
        if not os.path.exists(path + "/ages"):
            with open(path + "/ages", "wb") as out:
                head = [56, 1, 8 + 16 * 33, 0, 32, 0, 0, 0]
                out.write(b"".join(n.to_bytes(4, "little") for n in head))
                out.write(TICK_NS.to_bytes(8, "little") + bytes(16))
        for pid in self.maps:
            os.makedirs("%s/%d" % (path, pid), exist_ok=True)
            for name, text in (("comm", "proc%d" % pid), ("status", ""),
                               ("stat", "%d (x) S 1 1 1 0 -1 0 0" % pid),
                               ("maps", "00010000-00040000 rw-p 00000000 00:00 0 ")):
                with open("%s/%d/%s" % (path, pid, name), "w") as out:
                    out.write(text + "\n")
            with open("%s/%d/pagemap" % (path, pid), "ab") as out:
                out.truncate(0x40 * 8)


def want_site(m, location):
    tags = sorted((t for t in m.tags if t["location"] == location),
                  key=lambda t: (["slab", "page", "percpu"].index(t["kind"]), t["id"]))
    ids = {t["id"] for t in tags}
    ages, waste = {}, {}
    for i in ids:
        for bucket, (objects, size) in m.ages.get(i, {}).items():
            a = ages.setdefault(bucket, [0, 0])
            a[0] += objects
            a[1] += size
    for o in m.objects:
        if o["tag"] not in ids:
            continue
        kind = "kmalloc" if o["kmalloc"] else "cache"
        row = waste.setdefault(bucket_name(kind, o["bytes"]), [0, 0, {}])
        row[0] += 1
        row[1] += o["requested"]
        row[2][o["requested"]] = row[2].get(o["requested"], 0) + 1
    if not any(o["kmalloc"] for o in m.objects) and not any(
            f["owner"] & 32 for f in m.frames):
        waste = {k.replace("cache", "slab"): v for k, v in waste.items()}
    return {
        "site": location,
        "tags": [[t["kind"], t["bytes"], t["objects"], t["requested"], t["peak"], t["allocs"],
                  t["frees"], None if t["oldest"] < 0 else t["oldest"], hex(t["address"]),
                  t["id"]] for t in tags],
        "ages": [[TICK_NS << b - 1 if b else 0] + ages[b] for b in sorted(ages)],
        "waste": {k: v for k, v in waste.items()},
        "slabs": len({o["slab"] for o in m.objects if o["tag"] in ids}),
    }


def got_site(site):
    # large pages and per-CPU memory are sums of the tags: compared by waste_reference.py
    waste = [r for r in site["waste"] if r["bucket"].split("-")[0] in
             ("kmalloc", "cache", "slab")]
    return {
        "site": site["site"],
        "tags": [[t[k] for k in ("kind", "live", "objects", "requested", "peak", "allocs",
                                 "frees", "oldest_ms", "address", "tag")]
                 for t in site["tags"]],
        "ages": [[a["from_ns"], a["objects"], a["live"]] for a in site["ages"]],
        "waste": {r["bucket"]: [r["objects"], r["requested"],
                                {s["requested"]: s["objects"] for s in r["sizes"]}]
                  for r in waste},
        "slabs": site["slabs"],
    }


def location_of(m, tag):
    return next((t["location"] for t in m.tags if t["id"] == tag), None)


def want_frame(m, pfn):
    f = m.frames[pfn]
    pids = {pid: sum(frame == pfn for _, frame in maps) for pid, maps in m.maps.items()}
    return {
        "kind": f["kind"], "head": f["head"], "pages": f["pages"], "compound": f["compound"],
        "order": f["order"] if f["tag"] else None, "refs": f["refs"], "maps": f["maps"],
        "age_ms": f["age"] * 10 if f["tag"] and f["age"] >= 0 else None,
        "site": location_of(m, f["tag"]),
        "processes": {pid: n for pid, n in pids.items() if n},
    }


def got_frame(doc):
    names = ["kind", "head", "pages", "compound", "order", "refs", "maps", "age_ms", "site"]
    got = {k: doc["frame"][k] for k in names}
    got["processes"] = {p["pid"]: p["maps"] for p in doc["processes"]}
    return got


def want_slab(m, pfn, physical):
    f = m.frames[pfn]
    objects = [o for o in m.objects if o["slab"] == f["head"]]
    hit = [o for o in objects if o["address"] <= physical < o["address"] + o["bytes"]]
    known = "free" if m.frames[f["head"]]["tag"] else "unknown"
    return {
        "objects": len(objects), "live": sum(o["bytes"] for o in objects),
        "size": max([o["bytes"] for o in objects], default=None),
        "state": "live" if hit else known,
        "offset": physical - hit[0]["address"] if hit else None,
        "requested": hit[0]["requested"] if hit else None,
        "site": location_of(m, hit[0]["tag"] if hit else f["tag"]),
    }


def got_slab(doc):
    return {
        "objects": doc["slab"]["objects"], "live": doc["slab"]["live"],
        "size": doc["slab"]["size"], "state": doc["object"]["state"],
        "offset": doc["object"].get("offset"), "requested": doc["object"].get("requested"),
        "site": doc["sites"][0]["site"] if "sites" in doc else None,
    }


def ask(tool, path, *words):
    env = dict(os.environ, KMEMTRACE_DIR=path, KMEMTRACE_PROC=path)
    done = subprocess.run([tool, "why", "--json", *words], env=env, stdout=subprocess.PIPE,
                          check=False)
    return json.loads(done.stdout) if done.returncode == 0 else {"exit": done.returncode}


def differs(what, got, want):
    for key in want:
        if got.get(key, "absent") != want[key]:
            return "%s, %s: tool %s, reference %s" % (what, key, got.get(key, "absent"),
                                                      want[key])
    return None


def one(tool, mkpages, like, rng):
    m = Machine(rng)
    m.write("whole", mkpages, like)
    for location in sorted({t["location"] for t in m.tags}):
        doc = ask(tool, os.path.abspath("whole"), "--", location)
        if "sites" not in doc:
            return "%s: %s" % (location, doc)
        got = [got_site(s) for s in doc["sites"] if s["site"] == location]
        why = differs(location, got[0], want_site(m, location))
        if why:
            return why
    for _ in range(6):
        pfn = rng.randrange(len(m.frames))
        physical = pfn * PAGE + rng.randrange(PAGE)
        head = m.frames[pfn]["head"]
        slab = m.frames[pfn]["kind"] == "slab"
        m.write("part", mkpages, like, head)
        path = os.path.abspath("part")
        by_frame = ask(tool, path, "pfn:%d" % pfn)
        by_address = ask(tool, path, hex(m.base + physical))
        for doc in (by_frame, by_address):
            if "frame" not in doc:
                return "frame %d: %s" % (pfn, doc)
            why = differs("frame %d" % pfn, got_frame(doc), want_frame(m, pfn))
            if why:
                return why
        if slab:
            why = differs("address %#x" % physical, got_slab(by_address),
                          want_slab(m, pfn, physical))
            if why:
                return why
    return None


def main():
    tool, mkpages, like = sys.argv[1], sys.argv[2], sys.argv[3]
    for n in range(int(sys.argv[5])):
        seed = int(sys.argv[4]) + n
        why = one(tool, mkpages, like, random.Random(seed))
        if why:
            print("seed %d: %s" % (seed, why))
            return 1
    return 0


sys.exit(main())
