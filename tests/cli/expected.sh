# shellcheck shell=bash disable=SC2154 # run.sh includes this file
# SPDX-License-Identifier: GPL-2.0-only
#
# Compares the output of cases with expected/, which has a file for each command: a table
# of errors, one in a line, and then a section for each other case:
#
#	== NAME
#	$ COMMAND LINE
#	what it wrote to standard output and standard error, and "exit STATUS" unless it is 0
#
# An empty line is between two sections. The lines of the innermost objects and arrays of
# JSON are joined. main.txt has the cases of no command. (A line of
# output that began with "== " would end its section too early: the case would fail.)

expected=$top/tests/cli/expected
# expected/ has the parts of the files for each case, got/ what they should be, and outputs/
# the whole outputs
compared=$work/compared
mkdir -p "$compared"/{expected,got,outputs}

# Splits the files into the lines and sections of the cases.
split_expected() {
	local file dir
	rm -rf "$compared/expected"
	: >"$compared/twice"
	for file in "$expected"/*; do
		dir=$compared/expected/$(basename "$file")
		mkdir -p "$dir"
		LC_ALL=C awk -v dir="$dir" -v twice="$compared/twice" '
			function begin(name) {
				if (out)
					close(out)
				gsub(/[^A-Za-z0-9-]/, "?", name)
				out = dir "/" name
				if (seen[name]++)
					print out >>twice
			}
			/^== / { begin($2); sections = 1; empty = 0 }
			!sections && /^(#|$)/ { next }
			!sections { begin($1) }
			empty { print "" >out; empty = 0 }
			/^$/ { empty = 1; next }
			{ print >out }
			END { if (empty) print "" >out }' "$file"
	done
}

# Sets $line to the line of the table, if the output is a message as described in
# explain_errors(), and nothing else. (A zero byte would end the first read.)
error_line() { # COMMAND NAME STATUS OUTPUT COMMAND-LINE
	local prefix="kmemtrace-user: " hint="" text
	if [ "$3" -eq 2 ]; then
		[ "$1" = main ] || prefix="kmemtrace-user $1: "
		hint="Try '${prefix%: } --help'."$'\n'
	elif [ "$3" -ne 1 ]; then
		return 1
	fi
	! IFS= read -r -d '' text <"$4" && [[ $text == "$prefix"*$'\n'"$hint" ]] || return 1
	text=${text#"$prefix"}
	text=${text%$'\n'"$hint"}
	[[ $text != *$'\n'* ]] && printf -v line '%-25s%-48s => %s, %s' "$2" "$5" "$3" "$text"
}

# Writes what expected/FILE should have of a case, and notes the order.
write_part() { # FILE NAME STATUS OUTPUT COMMAND-LINE
	local part=$compared/got/$1/$2 line
	[ -d "$compared/got/$1" ] || mkdir "$compared/got/$1"
	if error_line "${1%.txt}" "${@:2}"; then
		echo "$2" >>"$compared/$1.errors"
		printf '%s\n' "$line" >"$part"
	else
		echo "$2" >>"$compared/$1.sections"
		{
			printf '== %s\n$ kmemtrace-user%s\n' "$2" "$5"
			cat "$4"
			[ "$3" -eq 0 ] || echo "exit $3"
		} >"$part"
	fi
}

explain_errors() { # COMMAND
	local prefix="kmemtrace-user $1"
	[ "$1" != main ] || prefix=kmemtrace-user
	cat <<-TEXT
		# Errors: case, arguments => exit status, message. The output is
		#   1: kmemtrace-user: MESSAGE
		#   2: $prefix: MESSAGE
		#      Try '$prefix --help'.
	TEXT
}

# Joins the lines of each object and array of JSON that has no other in it.
join_innermost() {
	awk '/[[{]$/ { printf "%s", lines; lines = $0 "\n"; joined = $0; next }
		lines == "" { print; next }
		{ lines = lines $0 "\n"; sub(/^ +/, "") }
		{ joined = joined (/^[]}]/ || joined ~ /[[{]$/ ? "" : " ") $0 }
		/^[]}],?$/ { print joined; lines = "" }
		END { printf "%s", lines }'
}

# Prints how the output differs from that of an earlier case: "+" is before a new line, "-"
# before one that is missing, and "3 +" before the first of those in the place of three.
changes() { # CASE
	diff -a --unchanged-group-format= --changed-group-format='%(n=N?:%dn )%>' \
		--{old-group-format='%<',new-group-format='%>'} \
		--{old-line-format=-,new-line-format=+}%L "$compared/outputs/$1" -
}

# Runs the tool, and compares its output and exit status with what is expected: with
# like=CASE, only how the output differs from that of an earlier case.
check() { # NAME ARGUMENT...
	check_through cat "$@"
}

# Add an argument to $arguments, as a shell reads it. In a Turkish locale, A-Z has no i.
add_argument() { # ARGUMENT
	local LC_ALL=C.UTF-8
	[[ $1 =~ ^[A-Za-z0-9_./:,=@%+~-]+$ ]] && arguments+=" $1" || arguments+=" ${1@Q}"
}

# Like check(), but filters the output through COMMAND first.
check_through() { # COMMAND NAME ARGUMENT...
	local through=$1 name=$2 out=$compared/outputs/$2
	local status file=main.txt argument arguments=""
	shift 2
	if [ -e "$out" ]; then
		verdict 1 "$name"
		echo "# two cases have this name: choose another one"
		return
	fi
	"$tool" "$@" >"$compared/whole" 2>&1 </dev/null
	status=$?
	$through <"$compared/whole" >"$out"
	case " $* " in
	*" --json "*)
		json_keys "$1" <"$compared/whole" >>"$work/keys"
		join_innermost <"$out" >"$compared/joined"
		mv "$compared/joined" "$out"
		;;
	esac
	[ ! -e "$cases/${1:-}.sh" ] || file=$1.txt
	for argument; do
		add_argument "$argument"
	done
	[ "$through" = cat ] || arguments+=" 2>&1 | $through"
	if [ -n "${like:-}" ]; then
		arguments+=" | changes $like"
		changes "$like" <"$out" >"$compared/changes"
		out=$compared/changes
	fi
	write_part "$file" "$name" "$status" "$out" "$arguments"
	[ -n "${UPDATE:-}" ] || diff -auN --label "expected/$file" --label "$name" \
		"$compared/expected/$file/$name" "$compared/got/$file/$name" \
		>"$compared/difference" 2>&1
	verdict $? "$name" || sed 's/^/# /' "$compared/difference"
}

# Writes expected/ again.
write_expected() {
	local dir file name
	rm -rf "$expected"
	mkdir -m 755 "$expected"
	for dir in "$compared"/got/*; do
		file=$(basename "$dir")
		{
			echo "# Expected by tests/cli/cases/. To write it again: UPDATE=1 tests/cli/run.sh"
			if [ -e "$compared/$file.errors" ]; then
				echo "#"
				explain_errors "${file%.txt}"
				echo
				while read -r name; do cat "$dir/$name"; done <"$compared/$file.errors"
			fi
			[ ! -e "$compared/$file.sections" ] ||
				while read -r name; do
					echo
					cat "$dir/$name"
				done <"$compared/$file.sections"
		} >"$expected/$file"
	done
	chmod 644 "$expected"/*
}

# Each line and section must have its case, and a case must not have two.
check_parts() {
	{
		sed "s|^$compared/expected/|# twice: |" "$compared/twice"
		comm -23 <(cd "$compared/expected" && find . | sort) \
			<(cd "$compared/got" && find . | sort) | sed 's|^\./|# without a case: |'
	} >"$compared/wrong"
	[ ! -s "$compared/wrong" ]
	verdict $? "all that is expected belongs to one case" || cat "$compared/wrong"
}
