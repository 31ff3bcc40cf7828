#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Prints a profile of `kmemtrace-user export --to pprof`, from standard input, as text."""
import sys

from readers import fields, packed, pprof_parts

profile = pprof_parts(sys.stdin.buffer.read())
text = profile[6]
for comment in profile[13]:
    print("#", text[comment])
for kind in profile[1]:
    print("value", text[kind[1]], text[kind[2]])
print("default", text[profile[14][0]], "duration", profile[10])
for m in profile[3]:
    print("mapping", m[1], hex(m.get(2, 0)), hex(m.get(3, 0)), text[m[5]], text[m.get(6, 0)])
for location, function in zip(profile[4], profile[5]):
    line = dict(fields(location[4]))
    print("location", location[1], hex(location[3]), "mapping", location.get(2),
          text[function[2]], text[function.get(4, 0)], line[2])
for sample in profile[2]:
    words = []
    for number, value in fields(sample):
        if number == 3:
            label = dict(fields(value))
            words.append(f"{text[label[1]]}={text[label[2]]}")
        else:
            words.append(packed(value))
    print("sample", *words)
