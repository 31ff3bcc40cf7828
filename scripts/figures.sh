#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Prints the dictionary of figures, tools/kmemtrace-user/base/figures.h, as it is in
# Documentation/json.rst.
set -eu
cd "$(dirname "$0")/.."
awk -F '"' '
	/^#define FIGURE_/ { getline
		if (keys[$4]++)
			next
		title = $2 == "" ? "" : " (" $2 ")"
		help = $0
		sub(/^[^"]*"[^"]*", "[^"]*", [^"]*"/, "", help)
		sub(/" }$/, "", help)
		gsub(/\\"/, "\"", help)
		printf "``%s``\n  %s%s\n", $4, help, title
	}' tools/kmemtrace-user/base/figures.h
