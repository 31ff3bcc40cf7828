# shellcheck shell=bash disable=SC2154 # run.sh includes this file
# SPDX-License-Identifier: GPL-2.0-only

# The time of a command is in proportion to the lines of the files that it reads: 2 N more
# lines take twice as many instructions as N more. If the time grew with the square of the
# lines, they would take about four times as many.

instructions() { # COMMAND...
	valgrind --tool=callgrind --callgrind-out-file=/dev/null "$tool" "$@" 2>&1 >/dev/null |
		sed -n 's/.*Collected : //p'
}

is_linear() { # N 2N 4N: instructions
	echo "# $*"
	[ $# -eq 3 ] && [ "$2" -gt "$1" ] && [ $((2 * ($3 - $2))) -lt $((5 * ($2 - $1))) ]
}

linear() { # MORE COMMAND...: MORE N makes N more of something in the current directory
	local number counts=()
	for number in 300 600 1200; do
		new_machine
		(cd machine && "$1" "$number")
		counts+=("$(instructions "${@:2}")")
	done
	is_linear "${counts[@]}"
	verdict $? "$2 takes time in proportion to $1"
}

many() { # N FORMAT: print the format for each number from 0 to N - 1
	awk -v n="$1" -v format="$2" 'BEGIN { for (; i < n; i++) printf format "\n", i, i, i, i }'
}

areas_of_vmalloc() {
	many "$1" '0x0000000%09d-0x0000000%09d    8192 thread_stack_alloc+0x10/0x20 pages=1 vmalloc N0=1' >>vmallocinfo
	many "$1" 'ffffc90%09d 0000000%09d 0000001%09d' >>vmalloc_starts
}
cpus() {
	many "$1" '    cpu: %d\n              count: 1\n              high:  7\n              batch: 1\n' >>zoneinfo
	many "$1" 'lost_events.cpu%d 0\nnext_number.cpu%d 5' >>stats
}
processes() {
	local i
	for ((i = 1000; i < 1000 + $1; i++)); do
		ln -s 41 $i
	done
}
symbols() {
	many "$1" 'ffffffffc1%06d t function_%d	[mod%d]' >>kallsyms
	many "$1" 'mod%d 8192 0 - Live 0xffffffffc1%06d' >modules
}
caches() {
	many "$1" 'cache-%d 1 2 64 64 1 : tunables 0 0 0 : slabdata 1 1 0' >>slabinfo
}
linear areas_of_vmalloc memory
linear cpus memory
linear processes pages --by process
linear symbols pages --page-owner
linear caches why pte_alloc_one
