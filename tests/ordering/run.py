#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Checks the module's protocols without locks on all executions that arm64 allows.

    tests/ordering/run.py

Each protocol has a check that must hold in all executions, and a version without one of its
orders, for which the check must fail. So a test fails if an order is not needed. The first
tests run well-known programs, whose results are those of herd7 with the model of arm64.
"""

import sys

from arm64 import (
    ACQUIRE,
    ATOMIC_ACQUIRE,
    MB,
    RELAXED,
    RELEASE,
    RMB,
    R,
    Value,
    W,
    WMB,
    add,
    add_fully_ordered,
    branch,
    executions,
    lock,
    unlock,
)

number = 0
failed = False


def result(is_ok, name):
    global number, failed
    number += 1
    failed |= not is_ok
    print(f"{'ok' if is_ok else 'not ok'} {number} {name}", flush=True)


def happens(threads, initial, bad, at_end=False):
    """Whether an execution has a bad result, given by a function of the threads' results.

    @at_end: or by one of the memory at the end
    """
    return any(
        bad(memory) if at_end else bad(*results)
        for results, memory in executions(threads, initial)
    )


def protocol(name, make, initial, bad, orders, at_end=False):
    """Test a protocol.

    make(**orders) returns its threads. In @orders, each argument has the order that the
    module uses, and a weaker one.
    """
    used = {key: strong for key, (strong, _) in orders.items()}
    result(not happens(make(**used), initial, bad, at_end), name)
    for key, (_, weak) in orders.items():
        result(
            happens(make(**{**used, key: weak}), initial, bad, at_end),
            f"... which needs the order of: {key.replace('_', ' ')}",
        )


# --- well-known programs --------------------------------------------------------------------


def mp_writer(barrier=None, order=RELAXED):
    def thread():
        yield W("data", 1)
        if barrier:
            yield barrier
        yield W("flag", 1, order)

    return thread


def mp_reader(how):
    def thread():
        flag = yield R("flag", ACQUIRE if how == "acquire" else RELAXED)
        if how == "ctrl":
            yield from branch(flag)
        if how == "rmb":
            yield RMB
        data = yield R("data", address=flag if how == "addr" else 0)
        return flag, data

    return thread


def message_passing(writer, how):
    return happens(
        [writer, mp_reader(how)], {"data": 0, "flag": 0}, lambda _, got: got == (1, 0)
    )


def pair(first, second, how):
    """A thread that reads one place and then writes or reads another."""

    def thread():
        value = yield R(first)
        if how == "data":
            yield W(second, Value(1, value.reads))
        elif how == "ctrl":
            yield from branch(value)
            yield W(second, 1)
        else:
            yield W(second, 1)
        return int(value)

    return thread


def store_then_load(first, second, barrier):
    def thread():
        yield W(first, 1)
        if barrier:
            yield barrier
        return int((yield R(second)))

    return thread


def two_reads(first, second, how):
    def thread():
        a = yield R(first)
        b = yield R(second, address=a if how == "addr" else 0)
        return int(a), int(b)

    return thread


def write_one(place):
    def thread():
        yield W(place, 1)

    return thread


def two_writes(first, second, barrier):
    def thread():
        yield W(first, 1)
        if barrier:
            yield barrier
        yield W(second, 2)

    return thread


def increment():
    return int((yield from add("x", 1)))


def known_programs():
    xy = {"x": 0, "y": 0}
    data_flag = {"data": 0, "flag": 0}
    both_zero = lambda a, b: (a, b) == (0, 0)
    both_one = lambda a, b: (a, b) == (1, 1)
    for name, writer, how, expected in (
        ("MP", mp_writer(), "po", True),
        ("MP+dmb.st+po", mp_writer(WMB), "po", True),
        ("MP+dmb.st+ctrl", mp_writer(WMB), "ctrl", True),
        ("MP+dmb.st+addr", mp_writer(WMB), "addr", False),
        ("MP+dmb.st+dmb.ld", mp_writer(WMB), "rmb", False),
        ("MP+popl+poap", mp_writer(None, RELEASE), "acquire", False),
        ("MP+po+poap", mp_writer(), "acquire", True),
    ):
        result(message_passing(writer, how) == expected, f"known: {name}")
    for name, barrier, expected in (("SB", None, True), ("SB+dmbs", MB, False)):
        threads = [store_then_load("x", "y", barrier), store_then_load("y", "x", barrier)]
        result(happens(threads, xy, both_zero) == expected, f"known: {name}")
    for how, expected in (("po", True), ("data", False), ("ctrl", False)):
        threads = [pair("x", "y", how), pair("y", "x", how)]
        result(happens(threads, xy, both_one) == expected, f"known: LB+{how}s")
    for how, expected in (("po", True), ("addr", False)):
        threads = [
            write_one("x"),
            write_one("y"),
            two_reads("x", "y", how),
            two_reads("y", "x", how),
        ]
        bad = lambda _, __, a, b: a == (1, 0) and b == (1, 0)
        result(happens(threads, xy, bad) == expected, f"known: IRIW+{how}s")
    for how, expected in (("po", True), ("addr", False)):
        threads = [write_one("x"), pair("x", "y", "data"), two_reads("y", "x", how)]
        bad = lambda _, a, b: a == 1 and b == (1, 0)
        result(happens(threads, xy, bad) == expected, f"known: WRC+data+{how}")
    for name, barrier, expected in (("2+2W", None, True), ("2+2W+dmb.sts", WMB, False)):
        threads = [two_writes("x", "y", barrier), two_writes("y", "x", barrier)]
        found = any(m == {"x": 1, "y": 1} for _, m in executions(threads, xy))
        result(found == expected, f"known: {name}")
    threads = [write_one("x"), two_reads("x", "x", "po")]
    result(not happens(threads, xy, lambda _, a: a == (1, 0)), "known: CoRR")
    found = any(memory["x"] != 2 for _, memory in executions([increment] * 2, {"x": 0}))
    result(not found, "known: atomic increments are not lost")
    result(bool(list(executions([mp_writer(), mp_reader("po")], data_flag))), "known: it runs")


# --- the module's protocols -----------------------------------------------------------------


def filter_of_mode(mode_order):
    """steer/filter.c sets a filter; record/mode.h and steer/steer.h use it."""

    def setter():
        yield W("content", 1)
        yield W("filter", 1, RELEASE)
        yield from add_fully_ordered("mode", 1)

    def probe():
        mode = yield R("mode", mode_order)
        if not (yield from branch(mode)):
            return "no filter"
        pointer = yield R("filter")
        if not (yield from branch(pointer)):
            return "NULL"
        content = yield R("content", address=pointer)
        return "filter" if content else "garbage"

    return [setter, probe]


def pausing(barrier, looks_again):
    """record/mode.c pauses and continues recording, on two CPUs at a time.

    A CPU sees at most one change by the other, so it looks again at most once. What its
    atomic instructions read is not used, so they are writes here.
    """

    def switch(on):
        def thread():
            yield W("paused", on)
            yield MB
            for _ in range(2):
                wanted = yield R("paused")
                if barrier:
                    yield barrier
                yield W("bit", wanted)
                if barrier:
                    yield barrier
                again = yield R("paused")
                yield from branch(again)
                if again == wanted or not looks_again:
                    return
            yield None

        return thread

    return [switch(1), switch(0)]


def passes_message(store, load):
    """A store announces what was written before.

    With the order of a load: sites of tags, caches, the clock, the slots of a page, a histogram
    that was cleared (steer/hist.c), a class that is armed (account/tag.c). By a pointer (addr):
    the list of classes, and the buffers of the channel.
    """
    return [mp_writer(None, store), mp_reader(load)]


def chunks_of_frames(array, number):
    """account/frame.c replaces the array of chunks, and then raises their number.

    The old array has one chunk, which is copied.
    """

    def grow():
        yield W("new[0]", 1)
        yield W("new[1]", 1)
        yield W("chunks", 1, array)
        yield W("count", 2, number)

    def probe(chunk):
        def thread():
            count = yield R("count", ACQUIRE)
            if not (yield from branch(Value(chunk < count, count.reads))):
                return None
            chunks = yield R("chunks")
            if not (yield from branch(chunks)):
                return "beyond the old array" if chunk else None
            return int((yield R(f"new[{chunk}]", address=chunks)))

        return thread

    return [grow, probe(0), probe(1)]


def search_of_bucket(used_store, used_load, pointer_load):
    """account/bucket.c searches a bucket without its lock, and must find object 3.

    Another CPU removes object 1 in its slot 0: it copies the last object, 3, down, and
    then lowers the number of slots. Then it inserts object 4 in the slot that is free.
    """

    def other():
        yield from lock("lock")
        yield W("ptr0", 3)
        yield W("used", 2, used_store)
        yield from unlock("lock")
        yield from lock("lock")
        yield W("ptr2", 4)
        yield W("used", 3)
        yield from unlock("lock")

    def search():
        used = yield R("used", used_load)
        yield from branch(used)
        for slot in range(int(used) - 1, -1, -1):
            ptr = yield R(f"ptr{slot}", pointer_load)
            if (yield from branch(ptr)) and ptr == 3:
                return True
        return False

    return [other, search]


def slots_of_page(generation_store, generation_load, check, rest=WMB):
    """account/slots.c: page X loses its slots, which become those of page Y.

    A reader of page X must not take the head or a word of Y for one of X. The object of Y
    belongs to another CPU.
    """

    def frees_and_allocates():
        yield W("entry X", 0)
        yield W("generation", 1, generation_store)
        if rest:
            yield rest
        yield W("head", 1)
        yield W("entry Y", 1, RELEASE)

    def owner():
        entry = yield R("entry Y", ACQUIRE)
        if (yield from branch(entry)):
            yield W("word", 1)

    def reader(place):
        def thread():
            entry = yield R("entry X")
            if not (yield from branch(entry)):
                return None
            before = yield R("generation", generation_load, address=entry)
            again = yield R("entry X")
            if not (yield from branch(again)):
                return None
            value = yield R(place, address=entry)
            if check:
                yield check
            after = yield R("generation")
            if (yield from branch(Value(before != after, before.reads | after.reads))):
                return None
            return int(value)

        return thread

    return [frees_and_allocates, owner, reader("head"), reader("word")]


UNSEEN, LIVE, GONE = 1, 2, 0


def word_of_survey(exchanges):
    """account/survey.c charges an object that was allocated before, while its owner frees it.

    Both replace the word of the object with an instruction that reads and writes. The survey
    counts the object if it has replaced KMT_SLOTS_UNSEEN. The owner counts its free if it has
    replaced the survey's word.
    """

    def survey():
        old = yield R("word", ATOMIC_ACQUIRE)
        if not (yield from branch(Value(old == UNSEEN, old.reads))):
            return False
        yield W("word", LIVE, RELEASE, rmw=True)
        return True

    def frees():
        old = yield R("word")
        if exchanges and (yield from branch(Value(old == UNSEEN, old.reads))):
            old = yield R("word", ATOMIC_ACQUIRE)
            yield W("word", GONE, RELEASE, rmw=True)
        else:
            yield W("word", GONE)
        return old == LIVE

    return [survey, frees]


def entry_of_survey(waits):
    """account/survey.c charges a frame; its owner, an allocation, has found an entry of 0.

    A probe that finds 0 writes the new entry without a lock. The survey first replaces 0 by
    KMT_CLASS_UNSEEN, then waits for a grace period, which is the end of probes that have
    found 0, and then charges what still is KMT_CLASS_UNSEEN. The owner must not overwrite
    the survey's class without noticing.
    """

    def survey():
        old = yield R("entry", ATOMIC_ACQUIRE)
        if (yield from branch(Value(old == GONE, old.reads))):
            yield W("entry", UNSEEN, RELEASE, rmw=True)
        if waits:
            done = yield R("probe ended", ACQUIRE)
            if not (yield from branch(done)):
                return False  # it waits on
        old = yield R("entry", ATOMIC_ACQUIRE)
        if not (yield from branch(Value(old == UNSEEN, old.reads))):
            return False
        yield W("entry", LIVE, RELEASE, rmw=True)
        return True

    def allocates():
        old = yield R("entry")
        found = yield from branch(Value(old == GONE, old.reads))
        if found:
            yield W("entry", 3)
        yield W("probe ended", 1, RELEASE)
        return found

    return [survey, allocates]


def end_of_survey(end_store, end_load):
    """account/survey.c charges a frame, and ends; account/account.c then needs no atomic.

    The owner of the frame frees it: own_frames() looks whether the survey still runs. The owner
    counts its free if it has replaced the survey's class.
    """

    def survey():
        old = yield R("entry", ATOMIC_ACQUIRE)
        charges = yield from branch(Value(old == UNSEEN, old.reads))
        if charges:
            yield W("entry", LIVE, rmw=True)
        yield W("surveyed", 0, end_store)
        return charges

    def frees():
        surveyed = yield R("surveyed", end_load)
        if (yield from branch(surveyed)):
            old = yield R("entry", ATOMIC_ACQUIRE)
            yield W("entry", GONE, RELEASE, rmw=True)
        else:
            old = yield R("entry")
            yield W("entry", GONE)
        return old == LIVE

    return [survey, frees]


def parts_of_block(number_store, check):
    """steer/hist.c: two CPUs free one page each of a block that has two.

    The first one splits the block: it takes the block out of the table, puts page 1 in, and
    lowers the number of blocks. The second one frees page 1. If it finds neither the page nor a
    block, the number of splits says whether it must search again.
    """

    def splits():
        old = yield R("splits", ATOMIC_ACQUIRE)
        yield W("splits", Value(old + 1, old.reads), rmw=True)
        yield from lock("bucket")
        yield W("page 1", 1)
        yield from unlock("bucket")
        old = yield R("blocks")
        yield W("blocks", Value(old - 1, old.reads), number_store, rmw=True)
        old = yield R("splits")
        yield W("splits", Value(old + 1, old.reads), RELEASE, rmw=True)

    def frees():
        before = yield R("splits", ACQUIRE)
        yield from lock("bucket")
        page = yield R("page 1")
        yield from unlock("bucket")
        if (yield from branch(page)):
            return "found"
        blocks = yield R("blocks")
        if (yield from branch(blocks)):
            return "searches"
        if check:
            yield check
        after = yield R("splits")
        if before % 2 or (yield from branch(Value(before != after, before.reads | after.reads))):
            return "searches again"
        return "forgotten"

    return [splits, frees]


def counters(read):
    """account/tag.c adds the frees of all CPUs up before their allocations."""

    def allocates():
        yield W("allocs", 1)
        yield W("object", 1, RELEASE)

    def frees():
        object = yield R("object", ACQUIRE)  # however the other CPU got it
        if (yield from branch(object)):
            yield W("frees", 1)

    def reader():
        frees = yield R("frees")
        if read:
            yield read
        allocs = yield R("allocs")
        return int(frees), int(allocs)

    return [allocates, frees, reader]


def locations(before, after):
    """account/location.c keeps a text of the number of changes that it read before."""

    def changes():
        yield W("location", 1)
        if before:
            yield before
        yield from add("changes", 1)

    def reader():
        number = yield R("changes", after)
        location = yield R("location")
        return int(number), int(location)

    return [changes, reader]


def protocols():
    protocol(
        "a probe that sees that there is a filter sees the filter",
        filter_of_mode,
        {"content": 0, "filter": 0, "mode": 0},
        lambda _, got: got in ("NULL", "garbage"),
        {"mode_order": (ACQUIRE, RELAXED)},
    )
    for name, how in (
        ("who sees a number sees what it stands for", "acquire"),
        ("a class that is in a list is complete", "addr"),
        ("who sees the slots of a page sees their head", "acquire"),
        ("who counts in a histogram that was cleared finds it empty", "acquire"),
        ("who sees that a class is armed sees what for", "acquire"),
    ):
        protocol(
            name,
            passes_message,
            {"data": 0, "flag": 0},
            lambda _, got: got == (1, 0),
            {"store": (RELEASE, RELAXED), "load": (how, "po")},
        )
    protocol(
        "a chunk below their number is in the array",
        chunks_of_frames,
        {"new[0]": 0, "new[1]": 0, "chunks": 0, "count": 1},
        lambda _, old, new: old == 0 or new in ("beyond the old array", 0),
        {"array": (RELEASE, RELAXED), "number": (RELEASE, RELAXED)},
    )
    protocol(
        "a search without the lock finds an object that stays",
        search_of_bucket,
        {"lock": 0, "used": 3, "ptr0": 1, "ptr1": 2, "ptr2": 3},
        lambda _, found: not found,
        {
            "used_store": (RELEASE, RELAXED),
            "used_load": (ACQUIRE, RELAXED),
            "pointer_load": (ACQUIRE, RELAXED),
        },
    )
    for place, reader in (("head", 2), ("word", 3)):
        protocol(
            f"a reader of a page does not take the {place} of another page",
            lambda reader=reader, **orders: slots_of_page(**orders)[:2]
            + [slots_of_page(**orders)[reader]],
            {"entry X": 1, "entry Y": 0, "generation": 0, "head": 0, "word": 0},
            lambda _, __, got: got == 1,
            {
                "generation_store": (RELEASE, RELAXED),
                "generation_load": (ACQUIRE, RELAXED),
                "check": (RMB, None),
            }
            | ({"rest": (WMB, None)} if place == "head" else {}),
        )
    protocol(
        "after pausing on one CPU and continuing on another, the bits agree with the word",
        pausing,
        {"paused": 0, "bit": 0},
        lambda memory: memory["paused"] != memory["bit"],
        {"barrier": (MB, None), "looks_again": (True, False)},
        at_end=True,
    )
    protocol(
        "an object that the survey charges is discharged when it is freed",
        word_of_survey,
        {"word": UNSEEN},
        lambda charged, discharged: charged != discharged,
        {"exchanges": (True, False)},
    )
    protocol(
        "a probe that has found no class does not overwrite that of the survey",
        entry_of_survey,
        {"entry": GONE, "probe ended": 0},
        lambda charged, found: charged and found,
        {"waits": (True, False)},
    )
    protocol(
        "after the survey, an owner reads the class that it has charged",
        end_of_survey,
        {"entry": UNSEEN, "surveyed": 1},
        lambda charged, discharged: charged != discharged,
        {"end_store": (RELEASE, RELAXED), "end_load": (ACQUIRE, RELAXED)},
    )
    protocol(
        "a page whose block is split is not forgotten when it is freed",
        parts_of_block,
        {"splits": 0, "bucket": 0, "page 1": 0, "blocks": 1},
        lambda _, got: got == "forgotten",
        {"number_store": (RELEASE, RELAXED), "check": (RMB, None)},
    )
    protocol(
        "no free is counted without its allocation",
        counters,
        {"allocs": 0, "frees": 0, "object": 0},
        lambda _, __, got: got == (1, 0),
        {"read": (RMB, None)},
    )
    protocol(
        "an old location does not pass for one after a change",
        locations,
        {"location": 0, "changes": 0},
        lambda _, got: got == (1, 0),
        {"before": (MB, None), "after": (ACQUIRE, RELAXED)},
    )


print("KTAP version 1")
known_programs()
protocols()
print(f"1..{number}")
sys.exit(failed)
