#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Opens exports with the tools that they are made for, and compares the sums that these
print with those of `report --json`. Prints KTAP.

    viewers.py TOOL SPEEDSCOPE PERFETTO WORK RECORDING...

SPEEDSCOPE is the directory of speedscope's index.html, PERFETTO that of
trace_processor.wasm. WORK is a directory for files.
"""
import base64
import json
import os
import re
import shutil
import sys

from ktap import finish, result, run

TOOL, SPEEDSCOPE, PERFETTO, WORK = sys.argv[1:5]
RECORDINGS = sys.argv[5:]
CLASSES = {"kmalloc": "slab", "cache": "slab", "pages": "pages", "percpu": "percpu"}

# what each tool calls the values
PPROF = {"inuse_space": "live", "inuse_objects": "objects", "peak_space": "peak",
         "peak_objects": "peak_objects", "alloc_space": "alloc", "alloc_objects": "allocs",
         "temporary_space": "temporary", "temporary_objects": "temporary_objects"}


def report(*words):
    return json.loads(run(TOOL, "report", "--json", "--top", "0", *words)[0])


def total(rows, key):
    return sum(row[key] for row in rows)


def totals(path):
    """The sums of all rows of the reports, by value."""
    rows = report(path)["rows"]
    sums = {"alloc": total(rows, "total_allocated"), "allocs": total(rows, "allocs")}
    if any(row["live"] is None for row in rows):
        return sums
    peak = report("--at", "peak", path)["rows"]
    temporary = report("--temporary", path)["rows"]
    return sums | {
        "live": total(rows, "live"), "objects": total(rows, "objects"),
        "peak": total(peak, "live"), "peak_objects": total(peak, "objects"),
        "temporary": total(temporary, "temporary_bytes"),
        "temporary_objects": total(temporary, "temporary")}


def export(form, path):
    out = f"{WORK}/{os.path.basename(path)}.{form}"
    run(TOOL, "export", "--to", form, "-o", out, path)
    return out


# --- go tool pprof ------------------------------------------------------------------


def pprof(*words):
    out, errors, status = run("go", "tool", "pprof", *words)
    return out if not status else errors


def pprof_sum(*words):
    """The sum of the column "flat" of -top, in bytes or objects."""
    out = pprof("-top", "-unit=b", "-nodefraction=0", "-nodecount=1000000", *words)
    rows = out.split("flat  flat%", 1)[-1].splitlines()[1:]
    return sum(int(re.match(r" *(-?\d+)", row).group(1)) for row in rows)


def check_pprof(path, sums):
    file, name = export("pprof", path), os.path.basename(path)
    for index, value in PPROF.items():
        if value in sums:
            result(f"pprof -sample_index={index} {name}", sums[value],
                   pprof_sum(f"-sample_index={index}", file))
    result(f"pprof -diff_base {name}", 0, pprof_sum("-diff_base", file, file))
    raw = pprof("-raw", file)
    result(f"pprof -raw {name}: the default", "live" in sums, "inuse_space/bytes[dflt]" in raw)
    lost = report(path)["lost_events"]
    result(f"pprof -raw {name}: losses", lost,
           int((re.findall(r"Comment: LOST (\d+) event", raw) or [0])[0]))


def kinds_of(path):
    """Live bytes by kind, without kinds that have none."""
    sums = {}
    for row in report("--by", "kind", path)["rows"]:
        if row["live"]:
            sums[row["kind"]] = row["live"]
    return sums


def check_tags(path):
    out = pprof("-tags", "-unit=b", export("pprof", path))
    part = out.split(" kind: ", 1)[1].split("\n\n")[0].splitlines()[1:]
    found = {}
    for line in part:
        value, kind = re.match(r" *([\d.]+)B \(.*\): (.*)", line).groups()
        if float(value):
            found[kind] = int(float(value))
    result(f"pprof -tags {os.path.basename(path)}", kinds_of(path), found)


def check_difference(old, new):
    files = [export("pprof", path) for path in (old, new)]
    result("pprof -diff_base of two recordings", totals(new)["live"] - totals(old)["live"],
           pprof_sum("-diff_base", *files))


def check_build_ids(path, ids):
    raw = pprof("-raw", export("pprof", path))
    result("pprof -raw: build ids of the mappings", ids,
           [line.split()[3] for line in raw.split("Mappings\n")[1].splitlines()])


# --- trace_processor ----------------------------------------------------------------

# for each counter: its process, its name, its highest value, and its last one
COUNTERS = """
    select process.name, track.name, max(value),
        (select value from counter last where last.track_id = track.id
         order by ts desc, id desc limit 1)
    from counter join process_counter_track track on track.id = track_id
        join process using (upid)
    group by track.id"""
ERRORS = "select name, value from stats where value > 0 and severity <> 'info'"
MARKS = """
    select slice.name from slice join thread_track on thread_track.id = track_id
        join thread using (utid)
    where thread.name = 'peak and losses'"""


def trace_processor(files, *queries):
    """For each file, the rows of each query."""
    script = os.path.join(os.path.dirname(__file__), "trace_processor.mjs")
    out, errors, status = run("node", script, PERFETTO, json.dumps(queries), *files)
    result("trace_processor opens all files", (0, len(files)), (status, len(out.splitlines())))
    print(*(f"# {line}" for line in errors.splitlines()), sep="\n", end="")
    return [json.loads(line) for line in out.splitlines()]


def counters_of(path):
    """The counters as report has them: (highest value, last value), of the largest sites
    only."""
    kinds, sites = (report("--by", by, "--sort", "peak", path)["rows"] for by in ("kind", "site"))
    found = {("live bytes by kind", f"{row['kind']} bytes"): (row["peak"], row["live"])
             for row in kinds if row["peak"]}
    found |= {("live bytes by site", f"{row['site']} ({row['kind']}) bytes"):
              (row["peak"], row["live"]) for row in sites[:20] if row["peak"]}
    return found, sum(row["live"] for row in kinds)


def check_perfetto(paths):
    files = [export("perfetto", path) for path in paths]
    answers = trace_processor(files, COUNTERS, ERRORS, MARKS)
    for path, (rows, errors, marks) in zip(paths, answers):
        name = os.path.basename(path)
        found = {(group, track): (highest, last) for group, track, highest, last in rows}
        expected, live = counters_of(path)
        result(f"trace_processor {name}: the sum", live,
               found.pop(("live bytes by kind", "sum bytes"), (0, None))[1])
        result(f"trace_processor {name}: rates", 2, sum(
            found.pop(("bytes per second", f"{flow} bytes/s"), (-1, None))[1] == 0
            for flow in ("allocated", "freed")))
        result(f"trace_processor {name}: all sites", live, sum(
            last for (group, _), (_, last) in found.items() if group == "live bytes by site"))
        found.pop(("live bytes by site", "(other sites) bytes"), None)
        result(f"trace_processor {name}: kinds and sites", expected, found)
        result(f"trace_processor {name}: errors", [], errors)
        lost = sum(int(mark.split()[0]) for (mark,) in marks if re.search(" events? lost$", mark))
        timeline = json.loads(run(TOOL, "timeline", "--json", path)[0])
        result(f"trace_processor {name}: lost events", sum(timeline["total"]["lost"]), lost)


# --- in a browser -------------------------------------------------------------------


def browse(url):
    """The document after its scripts have run."""
    return run("chromium", "--headless", "--no-sandbox", "--disable-gpu",
               f"--user-data-dir={WORK}/chromium", "--virtual-time-budget=5000",
               "--dump-dom", url)[0]


def speedscope(file):
    """The text that speedscope shows of a file."""
    with open(file, "rb") as data, open(f"{WORK}/load.js", "w") as script:
        content = base64.b64encode(data.read()).decode()
        script.write(f'speedscope.loadFileFromBase64("export", "{content}")')
    page = f"file://{SPEEDSCOPE}/index.html#localProfilePath={WORK}/load.js"
    return re.sub("<[^>]*>", " ", re.sub("<style.*?</style>", "", browse(page), flags=re.S))


def check_speedscope(form, path):
    shown = speedscope(export(form, path))
    result(f"speedscope of {form} {os.path.basename(path)}", True,
           "Left Heavy" in shown and "rror" not in shown)


# --- sqlite3 ------------------------------------------------------------------------


def check_sqlite(path):
    """The command of the README, and the integrity of the file."""
    with open(os.path.join(os.path.dirname(__file__), "../../README.md")) as readme:
        words = re.search(r'sqlite3 (-.*) kmemtrace\.db "([^"]*)"', readme.read())
    file, name = export("sqlite", path), os.path.basename(path)
    columns = ["site", "kind", "live", "objects", "allocs", "frees"]
    rows = [row for row in report(path)["rows"]
            if row["objects"] is not None and row["objects"] > row["allocs"] // 2]
    rows.sort(key=lambda row: (-row["live"], row["site"], row["kind"]))
    expected = [[str(row[column]) for column in columns] for row in rows[:5]]
    found = json.loads(run("sqlite3", "-json", file, words[2])[0] or "[]")
    result(f"sqlite3 {name}: the README's query", expected,
           [[str(row[column]) for column in columns] for row in found])
    text, errors, status = run("sqlite3", *words[1].split(), file, words[2])
    result(f"sqlite3 {name}: the README's options", (len(rows[:5]) + 2 if rows else 0, "", 0),
           (len(text.splitlines()), errors, status))
    result(f"sqlite3 {name}: integrity", "ok\n",
           run("sqlite3", file, "PRAGMA integrity_check")[0])


# --- babeltrace2 --------------------------------------------------------------------


def check_ctf(path):
    """The program reads all events and losses; its module gives the fields (traces.py)."""
    file, name = f"{WORK}/trace.ctf", os.path.basename(path)
    shutil.rmtree(file, ignore_errors=True)
    run(TOOL, "export", "--to", "ctf", "-o", file, path)
    lines = [json.loads(line) for line in run(TOOL, "script", "--json", path)[0].splitlines()[1:]]
    text, errors, status = run("babeltrace2", "--no-delta", file)
    names = re.findall(r"^\[[^]]*\] (?:\S+ )?(\w+:\w+): \{", text, re.M)
    result(f"babeltrace2 {name}: events", [line["event"] for line in lines if "event" in line],
           names)
    result(f"babeltrace2 {name}: discarded events", sum(line.get("lost", 0) for line in lines),
           sum(map(int, re.findall(r"Tracer discarded (\d+) event", errors))))
    result(f"babeltrace2 {name}: no other message", ([], 0),
           ([line for line in errors.splitlines() if line and "Tracer discarded" not in line],
            status))
    traces = os.path.join(os.path.dirname(__file__), "traces.py")
    result(f"python3-bt2 {name}: fields", ("", "", 0), run(traces, TOOL, "bt2", path))


print("KTAP version 1")
for recording in RECORDINGS:
    known = totals(recording)
    check_sqlite(recording)
    check_ctf(recording)
    check_pprof(recording, known)
    check_speedscope("pprof", recording)
    if "live" in known:
        check_tags(recording)
        check_speedscope("folded", recording)
check_perfetto([path for path in RECORDINGS if run(TOOL, "timeline", path)[2] != 1])
check_difference(*RECORDINGS[:2])
check_build_ids(f"{WORK}/ids.kmt", ["0123456789abcdef", "fedcba9876543210"])
finish()
