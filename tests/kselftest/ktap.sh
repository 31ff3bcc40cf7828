# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2034 # failed is used by scripts that source this
#
# Functions for tests in shell, which source this file in their own directory.
#
#   plan 7
#   some command
#   result $? "property that the command has shown"
#   ...
#   exit "$failed"
#
# A test that fails shows the file $log, if there is one.
n=0 failed=0 log=

plan() { # RESULTS
	echo "KTAP version 1"
	echo "1..$1"
}

result() { # STATUS NAME
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $n $2"
	else
		echo "not ok $n $2"
		[ -z "$log" ] || sed 's/^/# /' "$log"
		failed=1
	fi
}

skip() { # NAME WHY
	n=$((n + 1))
	echo "ok $n $1 # SKIP $2"
}

# Print the columns KEYs of the CSV in $log, a line for each row.
cells() { # KEY...
	awk -F , -v keys="$*" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; n = split(keys, key, " "); next }
		{ for (i = 1; i <= n; i++) printf "%s%s", $at[key[i]], i < n ? " " : "\n" }' "$log"
}

# Run kmemtrace-user where events may be lost (exit 3): it is done all the same.
may_lose() { # COMMAND...
	"$@"
	code=$?
	[ $code -eq 3 ] || return $code
}

# Wait until COMMAND succeeds, for at most 600 polls.
wait_until() { # COMMAND...
	polls=0
	until "$@"; do
		polls=$((polls + 1))
		[ $polls -lt 600 ] || return 1
		usleep 100000
	done
}

is_recording() {
	[ "$(cat /sys/kernel/debug/kmemtrace/enabled)" = 1 ]
}

# Whether the kernel has KASAN, which keeps freed objects for a while, and makes objects larger.
has_kasan() {
	grep -q " kasan_quarantine_put$" /proc/kallsyms
}

# Wait until the survey has ended, if there is one.
survey_wait() {
	while grep -qs '^survey_running 1$' /sys/kernel/debug/kmemtrace/stats; do
		usleep 10000
	done
}

# Tests do not begin beside the survey.
insmod() { # FILE [PARAMETER]...
	command insmod "$@" && survey_wait
}

# Whether the module has this order, and the matching abi_version.
order_is() { # ORDER ABI-VERSION
	[ "$(cat /sys/kernel/debug/kmemtrace/order)" = "$1" ] &&
		[ "$(cat /sys/kernel/debug/kmemtrace/abi_version)" = "$2" ]
}

# Print the bytes that an object takes, including red zones if the kernel has them.
slab_bytes() { # CACHE
	cat "/sys/kernel/slab/$1/slab_size"
}

# Print the live bytes of a row of memory that was allocated earlier; 0 without a row.
earlier() { # WHAT NAME
	awk -v row="earlier/$1:0 func:$2" '{ location = $0; sub(/^.* earlier/, "earlier", location) }
		location == row { bytes = $2 } END { print bytes + 0 }' /sys/kernel/debug/kmemtrace/tags_quick
}

# Pages in use: those that the kernel manages, less those in free lists, of zones and of CPUs.
pages_in_use() {
	awk '$1 == "managed" { used += $2 }
		$1 == "pages" && $2 == "free" { used -= $3 }
		$1 == "count:" { used -= $2 }
		END { print used }' /proc/zoneinfo
}

# All pages in use are accounted, and no others. The kernel counts free pages of a zone on each
# CPU, and adds them up later; and while this reads, a process comes and goes. Try again if both
# differ by more. The test has stat() and $log.
pages_add_up() { # PAGES
	for tries in 1 2 3 4 5 6 7 8; do
		used=$(pages_in_use)
		counted=$((($(stat live_page_bytes) + $(stat live_large_bytes)) / 4096))
		off=$((used - counted))
		echo "in use: $used pages, counted: $counted, difference $off" >>"$log"
		[ ${off#-} -le "$1" ] && echo "# difference: $off of $used pages" && return
		sleep 1
	done
	return 1
}

# Start two processes that map the first pages of kmt_pages. Sets $one and $two.
map_twice() { # PAGES
	rm -f /tmp/mapped /tmp/mapped2
	./map_pages "$1" >/tmp/mapped &
	one=$!
	./map_pages "$1" >/tmp/mapped2 &
	two=$!
	tries=0
	while [ ! -s /tmp/mapped ] || [ ! -s /tmp/mapped2 ]; do
		tries=$((tries + 1))
		[ $tries -lt 60 ] || break
		sleep 1
	done
}
