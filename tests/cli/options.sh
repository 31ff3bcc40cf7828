#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Compares the options in the help texts with the man page: each command must have the
# same synopsis and options in both. Also checks that no help text is wider than 80
# columns, and that a short option has the same meaning in all commands.
#
#   tests/cli/options.sh TOOL MANPAGE
#
# Prints a line for each violation, and then exits with 1.
set -u
tool=$1 page=$2

commands=$("$tool" --complete | grep -v '^-')

# Prints the lines of the man page as plain text, each after its request.
plain() {
	awk '
	# requests such as .BR join their arguments without spaces: "-x", " VALUE"
	function joined(text,	n, part, i, all) {
		n = split(text, part, "\"")
		for (i = 1; i <= n; i++) {
			if (i % 2)
				gsub(" ", "", part[i])
			all = all part[i]
		}
		return all
	}
	{ gsub(/\\f[BIRP]/, ""); gsub(/\\-/, "-") }
	/^\.(BR|RB|BI|IB|IR|RI) / { print $1, joined(substr($0, 5)); next }
	{ gsub("\"", ""); print }' "$page"
}

# "synopsis: report [OPTION]... [FILE]", "record: -o, --output FILE"
of_page() {
	plain | awk '
	$1 == ".SH" { part = $2; command = "" }
	$1 == ".SS" { command = $2 }
	part == "SYNOPSIS" && $1 != ".SH" {
		if ($1 == ".br") {
			if (form != "")
				print form
			form = ""
		} else {
			sub(/^\.[A-Z]+ /, "")
			sub(/^kmemtrace-user /, "synopsis: ")
			form = form (form == "" ? "" : " ") $0
		}
	}
	$1 == ".SH" && form != "" { print form; form = "" }
	after && command != "" && $2 ~ /^-/ { sub(/^\.[A-Z]+ /, ""); print command ": " $0 }
	{ after = $1 == ".TP" || $1 == ".TQ" }'
}

of_help() {
	local c
	for c in $commands; do
		"$tool" help "$c" | sed -nE \
			-e 's/^(Usage:|      ) kmemtrace-user /synopsis: /p' \
			-e '/^  (-.,|   ) --help /d' \
			-e "s/^  (-., |    )(--[^ ]+( [^ ]+)?)(  .*)?\$/$c: \1\2/p" |
			sed 's/:     /: /'
	done
}

wide() {
	local c
	for c in $commands; do
		"$tool" help "$c" | awk -v c="$c" 'length > 80 { print c ": wider than 80 columns: " $0 }'
	done
	"$tool" --help | awk 'length > 80 { print "wider than 80 columns: " $0 }'
}

# page-types uses the letters of the kernel's page-types. -p selects a process in all
# commands, but as --pid or as --process. -d is a number of seconds in record and top: top
# has the letter of slabtop, htop and top for the delay.
ambiguous() {
	of_help | sed -nE '/^page-types:/d; s/^[a-z]+: (-.), (--[^ ]+).*/\1 \2/p' |
		sed 's/^-p --pid$/-p --process/; s/^-d --delay$/-d --duration/' | sort -u |
		awk 'seen[$1]++ { print $1 " has several meanings, one is " $2 }'
}

found=$(
	comm -3 --output-delimiter='the man page alone has ' \
		<(of_help | sort) <(of_page | sort) |
		sed '/^the man page alone has /!s/^/the help text alone has /'
	wide
	ambiguous
)
[ -z "$found" ] || echo "$found"
[ -z "$found" ] && [ -n "$commands" ]
