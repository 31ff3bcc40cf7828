# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Completion of kmemtrace-user's command line. The tool itself says what there
# is (--complete), from the tables that it works with.

# What the tool lists, as far as it begins with a word.
_kmemtrace_user_list() { # WORD WHAT
	local tool=${COMP_WORDS[0]}
	mapfile -t COMPREPLY < <(compgen -W "$("$tool" --complete "${@:2}" 2>/dev/null)" -- "$1")
}

# The last one of a list with commas.
_kmemtrace_user_commas() { # WORD WHAT
	local before=
	case $1 in
	*,*) before=${1%,*}, ;;
	esac
	_kmemtrace_user_list "${1##*,}" "$2"
	COMPREPLY=("${COMPREPLY[@]/#/$before}")
	compopt -o nospace 2>/dev/null
}

_kmemtrace_user_files() { # WORD
	compopt -o filenames 2>/dev/null
	mapfile -t COMPREPLY < <(compgen -f -- "$1")
}

# The value of an option. Fails if the word before is no option with one.
_kmemtrace_user_value() { # COMMAND OPTION WORD
	case $1:$2 in
	record:-F | record:--features) _kmemtrace_user_commas "$3" @features ;;
	record:-e | record:--events) _kmemtrace_user_commas "$3" @events ;;
	script:-F | script:--fields) _kmemtrace_user_commas "$3" @fields ;;
	page-types:-b | page-types:--bits | page-types:-d | \
		page-types:--describe) _kmemtrace_user_commas "$3" @pageflags ;;
	pages:-b | pages:--by) _kmemtrace_user_commas "$3" @pagekeys ;;
	pages:-k | pages:--kind) _kmemtrace_user_list "$3" @pagekinds ;;
	page-types:-f | page-types:--file | page-types:-F | *:--kpageflags | \
		page-types:-c | *:--cgroup) _kmemtrace_user_files "$3" ;;
	page-types:-C | page-types:-r | pagemap:-a) return 1 ;; # no value
	*:-o | *:--output | allocinfo:-i | pages:-i | *:--input | *:--diff | *:--save | \
		*:--vmlinux | *:--module | *:--debug-dir) _kmemtrace_user_files "$3" ;;
	*:-f | *:--filter | *:--trigger | *:-d | *:--duration | *:-b | \
		*:--buffer-size | *:-C | *:--cpus | *:--by | *:-s | *:--sort | \
		*:-n | *:--top | *:-k | *:--kind | *:-a | *:--addr | *:-p | \
		*:--pid | *:--name | *:-m | *:--map | *:-r | *:--range | \
		*:--since | *:--until | *:--site | *:--zone | *:--node | *:--order | *:--min-age | \
		*:--process) ;; # nothing to offer
	*) return 1 ;;
	esac
	return 0
}

_kmemtrace_user() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	local command=${COMP_WORDS[1]} i

	COMPREPLY=()
	if [ "$COMP_CWORD" -eq 1 ]; then
		_kmemtrace_user_list "$cur"
		return
	fi
	# behind --, there is a command of its own
	for ((i = 2; i < COMP_CWORD; i++)); do
		[ "${COMP_WORDS[i]}" = -- ] || continue
		compopt -o filenames 2>/dev/null
		if [ $((i + 1)) -eq "$COMP_CWORD" ]; then
			mapfile -t COMPREPLY < <(compgen -c -- "$cur")
		else
			mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		fi
		return
	done
	_kmemtrace_user_value "$command" "$prev" "$cur" && return
	case $command:$COMP_CWORD:$cur in
	*:-*) _kmemtrace_user_list "$cur" "$command" ;;
	events:2:* | codetags:2:*) _kmemtrace_user_list "$cur" "$command" ;;
	events:*) _kmemtrace_user_list "$cur" @events ;;
	report:* | script:* | check:* | info:*) _kmemtrace_user_files "$cur" ;;
	*) _kmemtrace_user_list "$cur" "$command" ;;
	esac
}

complete -F _kmemtrace_user kmemtrace-user
