#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compares databases of `export --to sqlite` with `report --json` and `script --json`:
each site, each event and each loss, to the byte. Runs the queries of the README and of
Documentation/exports.rst.

    database.py TOOL README INPUT...

An input is a recording, or a state of accounting (*.tags). Prints a line for each
difference, and then exits with 1. An input that report cannot read must be refused.
"""
import json
import os
import re
import sqlite3
import sys

from tool import end, fail, run

README = sys.argv[2]
FILE = "database.db"


def rows(db, query):
    return [dict(row) for row in db.execute(query)]


def compare(name, expected, found):
    if expected == found:
        return
    fail(name, "differ:", len(expected), "and", len(found))
    for a, b in zip(expected, found):
        if a != b:
            fail("  expected", a, "\n  found   ", b)
            return


def order(sites):
    return sorted(sites, key=lambda row: json.dumps(row, sort_keys=True))


def check_sites(path, db, report):
    columns = list(report["rows"][0]) if report["rows"] else ["site"]
    found = rows(db, f"SELECT {','.join(columns)} FROM sites")
    compare(f"{path}: sites", order(report["rows"]), order(found))


FIELDS = """SELECT events.id, kinds.event, seq AS common_seq, code.address AS call_site,
    code.name AS function, ptr, bytes_req, bytes_alloc, gfp_flags, gfp.names AS gfp_names,
    node, time, cache_id, page_order AS 'order', migratetype, pid, tgid, context,
    preempt_count, comm, cgroup, stack_id AS stack, cpu, caches.name AS cache
    FROM events JOIN kinds ON kinds.id = kind_id JOIN code ON code.id = call_site_id
    LEFT JOIN gfp ON flags = gfp_flags LEFT JOIN caches ON caches.id = cache_id
    LEFT JOIN threads ON threads.id = thread_id ORDER BY events.id"""


def number(value):
    """A value above 63 bits is a text in the database."""
    return int(value, 16) if isinstance(value, str) and value.startswith("0x") else value


def stacks_of(db):
    stacks = {}
    for id_, name in db.execute("""SELECT stacks.id, name FROM stacks
            JOIN code ON code.id = code_id ORDER BY stacks.id, level"""):
        stacks.setdefault(id_, []).append(name)
    return stacks


def check_events(path, db):
    lines = [json.loads(line) for line in run("script", "--json", path)[0].splitlines()][1:]
    stacks, found = stacks_of(db), []
    losses = dict(db.execute("SELECT event_id, count FROM losses"))
    for row in map(dict, db.execute(FIELDS)):
        id_ = row.pop("id")
        if id_ in losses:
            found.append({"lost": losses.pop(id_)})
        for key in "bytes_req", "bytes_alloc", "cgroup":
            row[key] = number(row[key])
        if row["stack"] is not None:
            row["stack"] = stacks.get(row["stack"], [])
        if row["cache"] in (f"cache {row['cache_id']}", "(unknown)"):
            row["cache"] = None # its name is not known
        found.append({key: value for key, value in row.items() if value is not None})
    found += [{"lost": count} for count in losses.values()]
    for line in lines:
        line.pop("common_type", None)
    compare(f"{path}: events", lines, found)


LIVE = """SELECT sites.id, live.class, total(live.bytes), total(live.requested), total(NOT is_part)
    FROM live JOIN sites ON sites.id = live.site_id GROUP BY sites.id"""


def check_live(path, db, report):
    known = "no_live" not in report
    expected = db.execute("SELECT id, live, requested, objects FROM sites WHERE live").fetchall()
    found = [(i, *map(int, sums)) for i, _, *sums in db.execute(LIVE)]
    compare(f"{path}: live", [tuple(row) for row in expected] if known else [],
            [row for row in found if row[1]])
    wrong = db.execute("""SELECT live.address FROM live JOIN events ON events.id = live.allocation_id
        JOIN kinds ON kinds.id = kind_id
        WHERE ptr != address OR is_free OR events.site_id != live.site_id OR kinds.class != live.class
        """).fetchall()
    compare(f"{path}: events of live memory", [], [tuple(row) for row in wrong])
    classes = {row.pop("class"): row for row in rows(db, "SELECT * FROM classes")}
    if known:
        compare(f"{path}: classes", report["live"], classes)


def check_frees(path, db):
    """A free has the site of its allocation, whose address is the same or of a block."""
    wrong = db.execute("""SELECT f.id FROM events f JOIN events a ON a.id = f.allocation_id
        JOIN kinds ON kinds.id = f.kind_id
        WHERE a.site_id != f.site_id OR a.id >= f.id OR
            (kinds.class != 'pages' AND a.ptr != f.ptr)""").fetchall()
    compare(f"{path}: frees", [], [tuple(row) for row in wrong])


def readme_query():
    with open(README, encoding="utf-8") as file:
        found = re.search(r'sqlite3 [^"]*\.db "([^"]*)"', file.read())
    return found.group(1)


def old_memory(db):
    """Site, kind and live bytes of what was allocated in the first half."""
    sites = {row["id"]: (row["site"], row["kind"]) for row in db.execute("SELECT * FROM sites")}
    times = dict(db.execute("SELECT id, time FROM events").fetchall())
    known = [time for time in times.values() if time is not None]
    half = (min(known) + max(known)) // 2 if known else 0
    old = {}
    for row in db.execute("SELECT * FROM live WHERE allocation_id"):
        if (times[row["allocation_id"]] or half) < half:
            old[row["site_id"]] = old.get(row["site_id"], 0) + row["bytes"]
    return sorted([-size, *sites[site]] for site, size in old.items())


def check_documents(path, db):
    """The queries of the document run. The first one finds old memory. Those of sites have
    the kind as well, so that each site has one row."""
    document = os.path.join(os.path.dirname(README), "Documentation", "exports.rst")
    with open(document, encoding="utf-8") as file:
        queries = re.findall(r"^  (SELECT .*?;)$", file.read(), re.M | re.S)
    assert len(queries) > 3
    answers = [rows(db, query) for query in queries]
    old = old_memory(db)
    found = [[-row["bytes"], row["site"], row["kind"]] for row in answers[0]]
    compare(f"{path}: old memory", [row[0] for row in old[:10]], [row[0] for row in found])
    compare(f"{path}: sites of old memory", [], [row for row in found if row not in old])
    for answer in answers[:2]:
        sites = [(row["site"], row["kind"]) for row in answer]
        compare(f"{path}: sites", sorted(set(sites)), sorted(sites))


def leaking(report):
    """The answer of the README's query, from a report."""
    found = [row for row in report["rows"]
             if row["objects"] is not None and row["objects"] > row["allocs"] // 2]
    found.sort(key=lambda row: (-row["live"], row["site"], row["kind"]))
    return [{key: row[key] for key in ("site", "kind", "live", "objects", "allocs", "frees")}
            for row in found[:5]]


def check_meta(path, db, report):
    meta = dict(db.execute("SELECT key, value FROM meta"))
    for key in "kernel", "events", "lost_events", "seconds":
        compare(f"{path}: {key}", [report[key]], [meta[key]])
    compare(f"{path}: schema", [1, "recording"], [meta["schema"], meta["input"]])


def check_recording(path, db, report):
    check_meta(path, db, report)
    check_sites(path, db, report)
    check_events(path, db)
    check_live(path, db, report)
    check_frees(path, db)
    check_documents(path, db)
    compare(f"{path}: the README's query", leaking(report), rows(db, readme_query()))


def check_state(path, db, state):
    columns = ("live", "objects", "allocs", "frees", "peak", "oldest_ms", "kind", "site",
               "requested")
    compare(f"{path}: sites", order({c: row[c] for c in columns} for row in state["tags"]),
            order(rows(db, f"SELECT {','.join(columns)} FROM sites")))


def check(path):
    is_state = path.endswith(".tags")
    command = ["allocinfo", "--json", "--top", "0", "--input"]
    if not is_state:
        command = ["report", "--json", "--top", "0"]
    text, code = run(*command, path)
    status = run("export", "--to", "sqlite", "-o", FILE, path)[1]
    if status != code:
        fail(path, "has the exit status", status, "and not", code)
    if code == 1 or status == 1:
        if os.path.exists(FILE) or os.path.exists(FILE + ".part"):
            fail(path, "left a file")
        return
    db = sqlite3.connect(FILE)
    db.row_factory = sqlite3.Row
    compare(f"{path}: integrity", ["ok"],
            [row[0] for row in db.execute("PRAGMA integrity_check")])
    if is_state:
        check_state(path, db, json.loads(text))
    else:
        check_recording(path, db, json.loads(text))
    db.close()
    os.remove(FILE)


for file in sys.argv[3:]:
    check(file)
end()
