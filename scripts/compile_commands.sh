#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Prints compile_commands.json, which tells clangd and other tools how each file is
# compiled.
#
#   scripts/compile_commands.sh KDIR COMMAND FILE...
#
# COMMAND is the command that compiles each FILE, without its name. The files of the
# module are added if it was built in build/module; KDIR has its headers.
set -eu
cd "$(dirname "$0")/.."
top=$(pwd)
kdir=$1 command=$2 separator='['
shift 2

json() { # TEXT: print it as a JSON string
	printf '"%s"' "$(printf '%s' "$1" | sed 's/\\/\\\\/g; s/"/\\"/g')"
}

entry() { # DIRECTORY FILE COMMAND
	printf '%s\n{ "directory": ' "$separator"
	json "$1"
	printf ', "file": '
	json "$2"
	printf ', "command": '
	json "$3"
	printf ' }'
	separator=,
}

for file; do
	entry "$top" "$file" "$command -c $file"
done
# kbuild keeps the command of each object. The module is built from a copy of its files.
copy=build/module/kmemtrace
for kept in "$copy"/module/*/.*.o.cmd "$copy"/module/.*.o.cmd "$copy"/lib/.*.o.cmd; do
	[ -f "$kept" ] || continue
	line=$(sed -n 's/^\(saved\)\{0,1\}cmd_[^ ]* := //p' "$kept" | head -n 1 |
		sed "s,$top/$copy/,$top/,g; s/ ; .*//")
	file=${kept#"$copy"/}
	file=${file%/.*}/${file##*/.}
	entry "$kdir" "$top/${file%.o.cmd}.c" "$line"
done
printf '\n]\n'
