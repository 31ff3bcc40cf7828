#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compares `timeline --svg` and `export --to perfetto` with `timeline --json`.

    timelines.py TOOL RECORDING...

Prints a line for each difference, and then exits with 1. A recording that timeline cannot
read must be refused.
"""
import json
import re
import sys
import xml.etree.ElementTree

from tool import end, fail, run

SVG = "{http://www.w3.org/2000/svg}"
LEFT, MARGIN, HEIGHT = 78, 12, 220


def timeline(*words):
    text, status = run("timeline", "--json", *words)
    return (json.loads(text) if status != 1 else None), status


def title(row):
    return f"{row['site']} ({row['kind']})"


# --- the picture --------------------------------------------------------------------


def steps_of(path):
    """The values of a line: a list of (end, y), from its commands M, V and H."""
    steps, y = [], None
    for command, text in re.findall(r"([MVH])([-\d. ]+)", path):
        if command == "H":
            steps.append((float(text), y))
        else:
            y = float(text.split()[-1])
    return steps


def check_line(name, path, series, total, highest):
    """Each step of a line is at the highest value of its bucket."""
    if (int(path.get("data-peak")), int(path.get("data-live"))) != \
            (series["peak"], series["live"][-1]):
        fail(name, "has the peak and the end", path.attrib, "instead of", series)
    steps = steps_of(path.get("d"))
    bottom = next(y for y in AXES if y > steps[0][1] - 0.2)
    wanted = [bottom - HEIGHT * value / max(1, highest) for value in series["highest"]]
    if len(steps) != len(wanted) or any(abs(y - w) > 0.11 for (_, y), w in zip(steps, wanted)):
        fail(name, "has the steps", steps, "instead of", wanted)
    first, last = total["from_ns"], total["to_ns"]
    for (x, _), time in zip(steps, total["times_ns"]):
        part = (time - first) / (last - first) if last > first else 0
        if abs(x - (LEFT + (WIDTH - LEFT - MARGIN) * part)) > 0.11:
            fail(name, "has", x, "at", time)


def check_svg(path, whole, kinds):
    global AXES, WIDTH
    data, _ = run("timeline", "--svg", "--width", "700", path)
    root = xml.etree.ElementTree.fromstring(data)
    WIDTH = int(root.get("width"))
    AXES = sorted(float(p.get("d").split("L")[0].split()[1]) for p in root.iter(SVG + "path")
                  if p.get("class") == "axis" and p.get("d").startswith(f"M{LEFT}.0"))
    lines = [p for p in root.iter(SVG + "path") if p.get("data-peak")]
    wanted = [("sum", whole["total"], whole["total"]["peak"])]
    order = ["kmalloc", "cache", "pages", "percpu"]
    by_kind = sorted(kinds["rows"], key=lambda row: order.index(row["kind"]))
    wanted += [(row["kind"], row, whole["total"]["peak"]) for row in by_kind]
    wanted += [(title(row), row, whole["rows"][0]["peak"]) for row in whole["rows"]]
    names = [p.find(SVG + "title").text for p in lines]
    if names != [name for name, _, _ in wanted]:
        fail(path, "has the lines", names, "instead of", wanted)
        return
    for line, (name, series, highest) in zip(lines, wanted):
        check_line(f"{path} {name}", line, series, whole, highest)
    lost = sum(int(mark.get("data-lost")) for mark in root.iter(SVG + "g")
               if mark.get("class") == "lost")
    charts = 2 if whole["rows"] else 1
    if lost != charts * sum(whole["total"]["lost"]):
        fail(path, "has", lost, "lost events in", charts, "charts")


# --- Perfetto -----------------------------------------------------------------------


def events_of(data):
    """The values of each counter: a list of (ns, value), by its process and name."""
    data = json.loads(data, parse_float=str)
    processes, tracks = {}, {}
    for event in data["traceEvents"]:
        if event["ph"] == "M" and event["name"] == "process_name":
            processes[event["pid"]] = event["args"]["name"]
        elif event["ph"] == "C":
            (value,) = event["args"].values()
            ns = int(event["ts"].replace(".", ""))
            tracks.setdefault((processes[event["pid"]], event["name"]), []).append((ns, value))
    for name, values in tracks.items():
        assert values == sorted(values, key=lambda v: v[0]), name
    return tracks, data["otherData"]


def at(values, ns):
    """What a counter shows at a time: its last value."""
    found = 0
    for time, value in values:
        if time <= ns:
            found = value
    return found


def check_track(name, values, series, times):
    if not values:
        fail(name, "is missing")
        return
    found = [at(values, ns) for ns in times]
    if found != series["live"]:
        fail(name, "has", found, "instead of", series["live"])
    if "peak" in series and (max(value for _, value in values) != series["peak"] or
                             series["peak"] and
                             (max(values[0][0], series["peak_ns"]), series["peak"])
                             not in values):
        fail(name, "does not have the peak", series["peak"], "at", series["peak_ns"])


def check_perfetto(path, whole, kinds, status):
    data, found = run("export", "--to", "perfetto", path)
    if found != status:
        fail(path, "perfetto has the exit status", found, "and not", status)
        return
    tracks, other = events_of(data)
    times = whole["times_ns"]
    wanted = {("live bytes by kind", "sum"): whole["total"]}
    wanted |= {("live bytes by kind", row["kind"]): row for row in kinds["rows"]}
    sites = [("live bytes by site", title(row)) for row in whole["rows"]]
    wanted |= dict(zip(sites[:20], whole["rows"]))
    if len(sites) > 20:
        rest = [sum(values) for values in zip(*(row["live"] for row in whole["rows"][20:]))]
        wanted["live bytes by site", "(other sites)"] = {"live": rest}
    for key, series in wanted.items():
        check_track(f"{path} {key}", tracks.pop(key, []), series, times)
    if tracks.keys() != {("bytes per second", "allocated"), ("bytes per second", "freed")}:
        fail(path, "has the tracks", tracks.keys())
    if other["lost_events"] != whole["lost_events"]:
        fail(path, "has", other["lost_events"], "lost events")
    flow = sum_of(tracks["bytes per second", "allocated"]) - \
        sum_of(tracks["bytes per second", "freed"])
    live = whole["total"]["live"][-1]
    if times[-1] > times[0] and abs(flow - live) > 2 * len(times):
        fail(path, "allocates and frees", flow, "instead of", live)


def sum_of(values):
    """Bytes of a track of bytes per second."""
    return sum(value * (end - begin) / 1e9
               for (begin, value), (end, _) in zip(values, values[1:]))


for file in sys.argv[2:]:
    everything, code = timeline("--top", "0", file)
    if everything is None:
        for words in ["timeline", "--svg"], ["export", "--to", "perfetto"]:
            if run(*words, file)[1] != 1:
                fail(file, *words, "does not fail")
        continue
    all_kinds, _ = timeline("--top", "0", "--by", "kind", file)
    check_perfetto(file, everything, all_kinds, code)
    check_svg(file, timeline(file)[0], all_kinds)
end()
