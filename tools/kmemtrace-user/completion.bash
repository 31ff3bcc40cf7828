# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Completion of kmemtrace-user's command line. The tool itself lists commands, options
# and values (--complete), from its own tables.

# Offer the names of a list of the tool that begin with WORD.
_kmemtrace_user_list() { # WORD WHAT
	local tool=${COMP_WORDS[0]}
	mapfile -t COMPREPLY < <(compgen -W "$("$tool" --complete "${@:2}" 2>/dev/null)" -- "$1")
}

# Complete the last name of a list with commas.
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

# Complete by an answer of the tool: "files", "@files" (after a word), "@list", or ",@list" for several names of
# the list, with commas.
_kmemtrace_user_offer() { # OFFER WORD
	case $1 in
	files | @files) _kmemtrace_user_files "$2" ;;
	,*) _kmemtrace_user_commas "$2" "${1#,}" ;;
	@*) _kmemtrace_user_list "$2" "$1" ;;
	esac
}

# Complete the value of an option. Fails if OPTION takes none.
_kmemtrace_user_value() { # COMMAND OPTION WORD
	local offer
	[[ $2 == -* ]] || return 1
	offer=$("${COMP_WORDS[0]}" --complete "$1" "$2" 2>/dev/null) || return 1
	_kmemtrace_user_offer "$offer" "$3"
	return 0
}

# Complete an operand. If the command has words, such as "events list", one comes first.
_kmemtrace_user_operand() { # COMMAND WORD NUMBER
	local tool=${COMP_WORDS[0]} offer
	offer=$("$tool" --complete "$1" operands 2>/dev/null)
	if [ -z "$offer" ] || { [[ $offer == @* ]] && [ "$3" -eq 2 ]; }; then
		_kmemtrace_user_list "$2" "$1"
	else
		_kmemtrace_user_offer "$offer" "$2"
	fi
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
	case $cur in
	-*) _kmemtrace_user_list "$cur" "$command" ;;
	*) _kmemtrace_user_operand "$command" "$cur" "$COMP_CWORD" ;;
	esac
}

complete -F _kmemtrace_user kmemtrace-user
