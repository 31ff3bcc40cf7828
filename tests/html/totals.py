#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compares the figures of `kmemtrace-user html` with those of `report` for recordings, and
of `allocinfo` for live memory.

    totals.py TOOL RECORDING|--live|PAGE=LEAKS...

PAGE=LEAKS compares the leaks of a page with the output of `leaks --json`.

Prints a line for each difference, and then exits with 1.
"""
import json
import subprocess
import sys

import page

differences = []
KEYS = {"kinds": "kind", "sites": "site,module", "caches": "cache", "processes": "process",
        "sizes": "site,size"}
CLASSES = {"kmalloc": "slab", "cache": "slab", "pages": "pages", "percpu": "percpu"}


def run(*command):
    """The output and the exit status of the tool."""
    done = subprocess.run(command, capture_output=True, check=False)
    return done.stdout.decode("utf-8"), done.returncode


def expect(what, found, wanted):
    if found != wanted:
        differences.append(f"{what}: {str(found)[:300]} instead of {str(wanted)[:300]}")


def rows(table):
    names = [column[0] for column in table["columns"]]
    return sorted(json.dumps(dict(zip(names, row)), sort_keys=True) for row in table["rows"])


def check_table(name, document, tool, recording):
    text, _ = run(tool, "report", "--json", "-n", "0", "--sort", "peak", "--by", KEYS[name],
                  recording)
    report = json.loads(text)
    table = document[name]
    if "lack" in table:
        return
    expect(f"{recording} {name}", rows(table),
           sorted(json.dumps(row, sort_keys=True) for row in report["rows"]))
    check_flows(f"{recording} {name}", table, table.get("flows"))
    if name == "kinds":
        # the bound is that of call sites, whatever the rows are
        plain = json.loads(run(tool, "report", "--json", recording)[0])
        for live, of in report.get("live", {}).items():
            of["uncertain"] = plain["live"][live]["uncertain"]
        wanted = {k: v for k, v in report.items() if k not in ("version", "by", "rows")}
        expect(f"{recording} report", document["report"], wanted)


# the figures of flows, and the columns that are their sums
FLOWS = {"allocs": "allocs", "alloc": "total_allocated", "frees": "frees"}


def check_flows(what, table, flows):
    """The sums of all flows of a row are its figures."""
    names = [column[0] for column in table["columns"]]
    for flow in flows or []:
        if flow["row"] is None:
            expect(f"{what}: others", flow["at"], [])
            continue
        row = dict(zip(names, table["rows"][flow["row"]]))
        for figure, key in FLOWS.items():
            expect(f"{what}: {key} of {flow['row']}", sum(flow[figure]), row[key])
        expect(f"{what}: live of {flow['row']}", sum(flow["alloc"]) - sum(flow["freed"]),
               row["live"])


def check_stacks(document, recording):
    """Each kind has the sums of report, and each stack the sums of its flows."""
    stacks, sums = document["stacks"], {}
    for kind, _, values in stacks["rows"]:
        named = dict(zip(stacks["values"], values))
        for value in ("alloc", "live", "objects", "allocs"):
            if named[value] is not None:
                key = CLASSES[kind], value
                sums[key] = sums.get(key, 0) + named[value]
    for name, live in document["report"]["live"].items():
        if not document["report"].get("no_live"):
            expect(f"{recording} stacks {name}", sums.get((name, "live"), 0), live["live"])
            expect(f"{recording} stacks {name}", sums.get((name, "objects"), 0), live["objects"])
    for flow in stacks["flows"]:
        if flow["row"] is not None:
            values = dict(zip(stacks["values"], stacks["rows"][flow["row"]][2]))
            expect(f"{recording} stack {flow['row']}", sum(flow["alloc"]), values["alloc"])
            expect(f"{recording} stack {flow['row']}",
                   sum(flow["alloc"]) - sum(flow["freed"]), values["live"])


TICK_NS = 1953125
FREES = {"kmem:kfree": "slab", "kmem:kmem_cache_free": "slab", "percpu:percpu_free_percpu": "percpu"}
ALLOCS = {"kmem:kmalloc": "kmalloc", "kmem:kmem_cache_alloc": "cache",
          "percpu:percpu_alloc_percpu": "percpu"}


def live_births(tool, recording):
    """The time of the last record, and of each live object: kind, site and time."""
    live, last = {}, 0
    for line in run(tool, "script", "--json", recording)[0].splitlines():
        record = json.loads(line)
        last = max(last, record.get("time", 0))
        kind, freed = ALLOCS.get(record.get("event")), FREES.get(record.get("event"))
        if freed:
            live.pop((freed, record["ptr"]), None)
        elif kind and record["ptr"] != "0x0":
            live[CLASSES[kind], record["ptr"]] = kind, record["function"], record.get("time", last)
    return last, live.values()


def by_age(rows_of_table, ages):
    """Objects by kind, site and bucket."""
    found = {}
    for number, at, objects, _ in ages:
        row = rows_of_table[number]
        for bucket, count in zip(at, objects):
            key = row["kind"], row["site"], bucket
            found[key] = found.get(key, 0) + count
    return found


def check_ages(document, tool, recording):
    """The ages of each row add up to what is live of it, and are those of the records."""
    table, ages = objects(document["sites"]), document["sites"]["ages"]
    if "why" in ages:
        expect(f"{recording} ages", document["report"].get("no_live") is not None or
               not document["timeline"], True)
        return
    expect(f"{recording} rows with ages", [row[0] for row in ages["rows"]],
           [i for i, row in enumerate(table) if row["objects"] or row["live"]])
    for number, at, counts, sizes in ages["rows"]:
        expect(f"{recording} objects by age of {number}", sum(counts), table[number]["objects"])
        expect(f"{recording} bytes by age of {number}", sum(sizes), table[number]["live"])
        if -1 in at:  # parts of blocks, which are no objects
            expect(f"{recording} objects without age of {number}", counts[at.index(-1)], 0)
    if document["sites"]["left_out"]:
        return
    last, live = live_births(tool, recording)
    wanted = {}
    for kind, site, birth in live:
        key = kind, site, ((last - birth) // TICK_NS).bit_length()
        wanted[key] = wanted.get(key, 0) + 1
    found = {key: count for key, count in by_age(table, ages["rows"]).items()
             if key[0] != "pages"}
    expect(f"{recording} objects by age", found, wanted)


def check_leaked(document, recording):
    """What is live, according to the table of sites, of the sites that leaks names."""
    stacks, leaks = document["stacks"], document["leaks"]
    column = stacks["values"].index("leaked")
    found = [values[column] for _, _, values in stacks["rows"]]
    if "why" in leaks:
        expect(f"{recording} leaked", {*found} - {None}, set())
        return
    named = {row["site"].split(" func:")[0] for row in leaks["sites"]
             if row["verdict"] == "leaks"}
    names = [column[0] for column in document["sites"]["columns"]]
    live = sum(row[names.index("live")] for row in document["sites"]["rows"]
               if row[names.index("site")] in named)
    expect(f"{recording} leaked", sum(found), live)
    expect(f"{recording} sites named as leaks", bool(live), bool(named))


def check_total(document, tool, recording):
    """MemTotal is that of the recording."""
    text, status = run(tool, "info", "--json", recording)
    total = json.loads(text)["meta"].get("mem_total") if status in (0, 3) else None
    memory = document["memory"]
    expect(f"{recording} MemTotal", memory.get("total"), total and int(total))
    expect(f"{recording} why MemTotal is not known", "why" in memory, not total)


def check_timeline(document, tool, recording):
    text, _ = run(tool, "timeline", "--json", "--by", "kind", "-n", "0", recording)
    if not document["timeline"]:
        expect(f"{recording} timeline", text, "")
        return
    timeline, found = json.loads(text), document["timeline"]
    expect(f"{recording} total", found["total"], timeline["total"])
    names = [column[0] for column in document["kinds"]["columns"]].index("kind")
    for series, row in zip(found["kinds"], timeline["rows"]):
        expect(f"{recording} kinds", document["kinds"]["rows"][series["row"]][names], row["kind"])
        for member in ("peak", "peak_ns", "highest", "live"):
            expect(f"{recording} {member}", series[member], row[member])


ROWS_MAX = 200
SUMS = {"rows": ("saved", "waste", "live"), "sites": ("live",)}


def cut(wanted):
    """The document of a command, with the first rows only, and the sums of the others."""
    name = "rows" if "rows" in wanted else "sites"
    rest = wanted[name][ROWS_MAX:]
    wanted[name] = wanted[name][:ROWS_MAX]
    wanted["left_out"] = {"rows": len(rest)} | {key: sum(row[key] for row in rest)
                                                for key in SUMS[name]}
    return wanted


def check_conclusions(document, tool, recording):
    """The documents of waste and leaks, without what the page has elsewhere."""
    for name, options in ("waste", []), ("leaks", ["--stacks", "0"]):
        found = document[name]
        text, status = run(tool, name, "--json", *options, recording)
        if "why" in found:
            expect(f"{recording}: status of {name}", status, 1)
            continue
        wanted = json.loads(text)
        del wanted["version"]
        wanted.pop("recording", None)
        expect(f"{recording} {name}", found, cut(wanted))


def check_words(document, tool, recording):
    text, _ = run(tool, "report", "-v", recording)
    for line in document["words"]:
        expect(f"{recording}: {line}", line in text.splitlines(), True)


def objects(table):
    """The rows of a table as objects."""
    names = [column[0] for column in table["columns"]]
    return [dict(zip(names, row)) for row in table["rows"]]


def check_caches(document, tool):
    text, _ = run(tool, "top", "--once", "--json", "-n", "0", "--by", "cache", "-d", "0.1")
    wanted = [{"live": row["live"], "objects": row["objects"], "cache": row["name"]}
              for row in json.loads(text.splitlines()[-1])["rows"]]
    expect("live caches", sorted(map(str, objects(document["caches"]))), sorted(map(str, wanted)))
    expect("there are caches", bool(wanted), True)


def check_processes(document, tool):
    text, _ = run(tool, "pagemap", "--all", "--json")
    wanted = {row["pid"]: row for row in json.loads(text)["processes"]}
    found = objects(document["processes"])
    expect("pids", {row["pid"] for row in found}, set(wanted))
    for row in found:
        expect(f"process {row['pid']}", row, {key: wanted[row["pid"]][key] for key in row})


def check_memory(document, tool):
    """The sums of the lines of memory, and of all of them MemTotal."""
    memory = json.loads(run(tool, "memory", "--json")[0])
    wanted = {line["title"]: line["bytes"] for line in memory["lines"]
              if line["line"] not in ("total", "used") and line["bytes"]}
    total = next(line for line in memory["lines"] if line["line"] == "total")
    found = {}
    for row in objects(document["memory"]):
        found[row["kind"]] = found.get(row["kind"], 0) + row["bytes"]
    found.pop("not covered", 0)
    expect("lines of memory", found, wanted)
    expect("MemTotal", document["memory"]["total"], total["meminfo"]["before"])
    expect("difference", document["memory"]["difference"], memory["difference"])
    if memory["difference"] <= 0:
        expect("sum of the tree map", sum(row["bytes"] for row in objects(document["memory"])),
               total["meminfo"]["before"])
    kernel = {row["site"]: row["bytes"] for row in objects(document["memory"])
              if row["kind"] == "other kernel pages" and not row["site"].startswith("(")}
    expect("sites of kernel pages", kernel,
           {row["site"]: row["live"] for row in memory["sites"] if row["site"]})


def check_live_ages(document):
    """The ages of each tag add up to what is live of it; the page cache has none."""
    table, ages = objects(document["sites"]), document["sites"]["ages"]
    found = {number: (sum(counts), sum(sizes)) for number, _, counts, sizes in ages["rows"]}
    for number, row in enumerate(table):
        if "filemap" not in row["site"]:
            expect(f"ages of {row['site']}", found.pop(number, None),
                   (row["objects"], row["live"]))
    expect("other tags with ages", found, {})
    expect("length of a tick", ages["tick_ns"] > 0, True)


def check_live(tool):
    """The rows of live memory are those of allocinfo, and of other commands."""
    text, _ = run(tool, "html", "--live", "-o", "-")
    wanted, _ = run(tool, "allocinfo", "--json")
    document = page.document(text)
    check_caches(document, tool)
    check_processes(document, tool)
    check_memory(document, tool)
    waste = json.loads(run(tool, "waste", "--json")[0])
    del waste["version"]
    expect("live waste", document["waste"], cut(waste))
    expect("leaks without an observation", list(document["leaks"]), ["why"])
    table = document["sites"]
    check_live_ages(document)
    names = [column[0] for column in table["columns"]]
    found = [dict(zip(names, row)) for row in table["rows"]]
    names.remove("module")  # allocinfo has null for the kernel
    chosen = lambda rows: sorted(json.dumps({name: row[name] for name in names}) for row in rows)
    for kind in objects(document["kinds"]):
        for key, value in kind.items():
            if key != "kind":
                expect(f"live {key} of {kind['kind']}", value, sum(
                    row[key] for row in objects(table) if row["kind"] == kind["kind"]))
    expect("kinds of live memory", sorted(row["kind"] for row in objects(document["kinds"])),
           sorted({row["kind"] for row in objects(table)}))
    expect("rows of live memory", chosen(found), chosen(json.loads(wanted)["tags"]))
    return 1


def check_page(name, leaks):
    with open(name, encoding="utf-8") as file:
        found = page.document(file.read())["leaks"]
    with open(leaks, encoding="utf-8") as file:
        wanted = json.load(file)
    del wanted["version"]
    expect(f"{name} leaks", found, cut(wanted))
    expect(f"{name}: sites that leak", found["named"] > 0, True)
    return 1


def check(tool, recording):
    if "=" in recording:
        return check_page(*recording.split("="))
    if recording == "--live":
        return check_live(tool)
    text, status = run(tool, "html", "-o", "-", recording)
    _, wanted = run(tool, "report", recording)
    expect(f"{recording} status", status, wanted)
    if status not in (0, 3):
        return 0
    document = page.document(text)
    for name in KEYS:
        check_table(name, document, tool, recording)
    check_stacks(document, recording)
    check_leaked(document, recording)
    check_ages(document, tool, recording)
    check_total(document, tool, recording)
    check_timeline(document, tool, recording)
    check_words(document, tool, recording)
    check_conclusions(document, tool, recording)
    return 1


def main(tool, *recordings):
    checked = sum(check(tool, recording) for recording in recordings)
    if not checked:
        differences.append("no recording was read")
    print("\n".join(differences))
    sys.exit(bool(differences))


main(*sys.argv[1:])
