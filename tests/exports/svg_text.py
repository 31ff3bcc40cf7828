#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Prints the texts of an SVG picture: standard input to standard output. What is not SVG, a
message for example, is printed as it is."""
import sys
import xml.etree.ElementTree

SVG = "{http://www.w3.org/2000/svg}"
data = sys.stdin.read()
start = data.find("<?xml")
end = data.find("</svg>\n") + len("</svg>\n")
if start < 0:
    sys.exit(print(data, end=""))


def show(element, depth):
    name = element.tag.removeprefix(SVG)
    sums = [f"{key}={value}" for key, value in element.items() if key.startswith("data-")]
    if name in ("title", "text"):
        print("  " * depth + name + ": " + " | ".join(element.text.split("\n")))
    elif sums or element.get("class") == "error":
        print("  " * depth + " ".join([name, element.get("class", ""), *sums]))
    if name not in ("style", "script"):
        for part in element:
            show(part, depth + (name == "g"))


print(data[:start] + data[end:], end="")
root = xml.etree.ElementTree.fromstring(data[start:end])
print(root.get("width"), "x", root.get("height"))
show(root, 0)
