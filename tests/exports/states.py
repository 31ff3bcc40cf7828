#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compares the exports of states of accounting with `allocinfo --json`, to the byte.

    states.py TOOL [STATE...]

Without STATE: the state of the module, whose slab caches are compared with its file
caches_live. Prints a line for each difference, and then exits with 1.
"""
import collections
import json
import os
import re
import subprocess
import sys

from readers import read_allocinfo, read_metrics

TOOL = sys.argv[1]
KINDS = ("slab", "page", "percpu")
# what allocinfo calls the metrics
METRICS = {"live_bytes": "live", "live_objects": "objects", "allocations_total": "allocs",
           "frees_total": "frees"}
OTHER = "(other)"
failed = False


def check(name, expected, found):
    global failed
    if expected != found:
        failed = True
        print(name, "is", found, "instead of", expected)


def run(*words):
    done = subprocess.run([TOOL, *words], stdin=subprocess.DEVNULL, capture_output=True)
    assert done.returncode == 0, (words, done.stderr)
    return done.stdout


def add_up(rows, names, figures):
    """The sums of figures, by kind and the given members."""
    sums = collections.defaultdict(collections.Counter)
    for row in rows:
        sums[tuple(row[name] for name in names)].update({f: row[f] for f in figures})
    return sums


def check_allocinfo(name, state, files):
    for kind in (*KINDS, None):
        words = ["--kind", kind] if kind else []
        lines = read_allocinfo(run("export", "--to", "allocinfo", *words, *files))
        rows = [row for row in state["tags"] if kind in (None, row["kind"])]
        expected = add_up(rows, ["site"], ["live", "objects"])
        found = add_up([{"site": place, "live": size, "objects": calls}
                        for place, size, calls in lines], ["site"], ["live", "objects"])
        check(f"{name}: allocinfo of {kind}", expected, found)
        # objects and pages of one site are one line
        places = {(row["address"], row["site"]) for row in rows}
        if all(row["address"] for row in rows):
            check(f"{name}: lines of {kind}", len(places), len(lines))


def plain(function):
    """Without what differs between builds."""
    name = function.split(".")[0] or function
    return name[:-7] if name.endswith("_noprof") and name != "_noprof" else name


def check_rows(name, found, prefix, expected, top, label):
    """Checks metrics whose labels are the kind (for caches there is none) and LABEL."""
    for metric, figure in METRICS.items():
        samples = found.pop(f"kmemtrace_{prefix}_{metric}", None)
        if samples is None:
            check(f"{name}: has {prefix}_{metric}", any(figure in v for v in expected.values()),
                  False)
            continue
        for kind in KINDS if prefix != "cache" else [None]:
            wanted = {key[1]: sums for key, sums in expected.items()
                      if key[0] in (kind, None) and any(sums.values())}
            shown = {l[label]: v for l, v in samples if l.get("kind") == kind}
            rest = shown.pop(OTHER, None)
            title = f"{name}: {prefix}_{metric} of {kind}"
            # a name that hides as the sum of the others is a part of it
            hidden = wanted.pop(OTHER, {}).get(figure, 0)
            check(title, {key: wanted[key][figure] for key in shown}, shown)
            check(title + ": rows", min(top or len(wanted), len(wanted)), len(shown))
            smaller = [sums["live"] for key, sums in wanted.items() if key not in shown]
            if shown and smaller:
                check(title + ": the largest", True,
                      min(wanted[key]["live"] for key in shown) >= max(smaller))
            if metric.endswith("_total"):
                check(title + ": other", None, rest)
            else:
                check(title + ": other", hidden + sum(
                    sums[figure] for key, sums in wanted.items() if key not in shown), rest)


def check_totals(name, state, found):
    for metric, figure in METRICS.items():
        expected = {kind: sum(row[figure] for row in state["tags"] if row["kind"] == kind)
                    for kind in KINDS}
        samples = found.pop("kmemtrace_" + metric)
        check(f"{name}: {metric}", expected, {l["kind"]: v for l, v in samples})
        if figure in ("live", "objects"):
            check(f"{name}: totals", expected,
                  {kind: state["totals"][kind][figure] for kind in KINDS})


def check_singles(name, state, found, has_counters):
    expected = {"kmemtrace_accounting": int(state["accounting"])}
    for key, value in state["error"].items():
        gauge = key == "bytes" or key.startswith("survey_") or isinstance(value, bool)
        end = "" if gauge else "_total"
        expected[f"kmemtrace_error_{key}{end}"] = int(value) % 2**64 # JSON has them with a sign
    info = found.pop("kmemtrace_kernel_info", [({"release": None}, 1)])
    check(f"{name}: kernel", [({"release": state.get("kernel")}, 1)], info)
    check(f"{name}: errors", expected if has_counters else {},
          {key: value for key, ((_, value),) in found.items()})


def check_labels(name, state, found):
    """A site has the labels of its function and module."""
    sites = {row["site"]: row for row in state["tags"]}
    for labels, _ in found["kmemtrace_site_live_bytes"]:
        if labels["site"] != OTHER:
            row = sites[labels["site"]]
            check(f"{name}: labels of {labels['site']}",
                  (plain(row["function"]), row["module"] or "kernel"),
                  (labels["function"], labels["module"]))


def caches():
    rows = []
    with open(os.environ["KMEMTRACE_DIR"] + "/caches_live", encoding="latin1") as lines:
        for line in lines:
            cache, objects, size = line.rstrip("\n").rsplit(" ", 2)
            rows.append({"kind": None, "cache": re.sub("[^ -~]", "?", cache),
                         "objects": int(objects), "live": int(size)})
    return add_up(rows, ["kind", "cache"], ["live", "objects"])


def check_metrics(name, state, files, has_counters):
    sites = add_up(state["tags"], ["kind", "site"], METRICS.values())
    rows = [row | {"module": row["module"] or "kernel"} for row in state["tags"]]
    modules = add_up(rows, ["kind", "module"], METRICS.values())
    for top in None, 0, 1, 3:
        words = [] if top is None else ["--top", str(top)]
        text = run("export", "--to", "prometheus", *words, *files)
        found = read_metrics(text)
        title = f"{name} --top {top}"
        check_labels(title, state, found)
        top = 20 if top is None else top
        check_totals(title, state, found)
        check_rows(title, found, "site", sites, top, "site")
        check_rows(title, found, "module", modules, top, "module")
        if not files:
            check_rows(title, found, "cache", caches(), top, "cache")
        check_singles(title, state, found, has_counters)


for path in sys.argv[2:] or [None]:
    inputs = [path] if path else []
    shown = json.loads(run("allocinfo", "--json", *(["--input", path] if path else [])))
    has_stats = not path or b"# stat " in open(path, "rb").read()
    check_allocinfo(path, shown, inputs)
    check_metrics(path, shown, inputs, has_stats)
sys.exit(failed)
