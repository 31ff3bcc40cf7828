#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Filters of events and of subsystems: every example of the document on event tracing
# (Ts'o, Li, Zanussi) gives the same results with kmemtrace as with ftrace. kmalloc
# replaces the events sched_wakeup, signal_generate and sched_switch, which kmemtrace
# does not have, and bytes_req replaces prev_pid. The differences are those of
# differences.txt.
cd "$(dirname "$0")" || exit 1
# shellcheck source=tests/kselftest/session.sh
. ./session.sh
begin ''

session "filter of one event" <<'END'
$ cd $D/events/kmem/kmalloc
$ cat filter
none
$ echo "common_pid > 4" > filter
$ cat filter
common_pid > 4
$ cat ../kfree/filter
none
$ cd $D/events/kmem/kmalloc
$ echo "((bytes_req >= 1010 && bytes_req < 1015) || bytes_req == 1017) && comm != \"bash\"" > filter
$ cat filter
((bytes_req >= 1010 && bytes_req < 1015) || bytes_req == 1017) && comm != "bash"
$ echo 1 > enable
$ for size in 1009 1010 1014 1015 1016 1017 1018; do made kmalloc $size 3; done
0
3
3
0
0
3
0
END

session "filter with an error: the file shows it" <<'END'
$ cd $D/events/kmem/kmalloc
$ echo "bytes_req == 1012" > filter
$ echo "((bytes_req >= 10 && bytes_req < 15) || dbytes_req == 17) && comm != bash" > filter
write error: Invalid argument
[ftrace] $ cat filter
[ftrace] ((bytes_req >= 10 && bytes_req < 15) || dbytes_req == 17) && comm != bash
[ftrace]                                                    ^
[ftrace] parse_error: Field not found
[ftrace]
[kmemtrace in-force] $ tail -n 1 filter
[kmemtrace in-force] filter in force: bytes_req == 1012
[kmemtrace] $ echo 1 > enable
[kmemtrace] $ made kmalloc 1012 3
[kmemtrace] 3
[kmemtrace] $ made kmalloc 1013 3
[kmemtrace] 0
## newer kernels require quotes around strings
$ echo "((bytes_req >= 10 && bytes_req < 15) || bytes_req == 17) && comm != bash" > filter
write error: Invalid argument
$ echo 0 > filter
$ cat filter
none
END

session "invalid filters are refused" <<'END'
$ cd $D/events/kmem/kmalloc
$ echo "bytes_req == 1012" > filter
$ try() { echo "$1" > filter; }
$ try 'nofield == 1'
write error: Invalid argument
$ try 'bytes_req >> 10'
write error: Invalid argument
$ try '(bytes_req > 10'
[ftrace errno] write error: No such file or directory
[kmemtrace errno] write error: Invalid argument
$ try 'bytes_req > 10)'
[ftrace errno] write error: Operation not permitted
[kmemtrace errno] write error: Invalid argument
$ try 'bytes_req > abc'
write error: Invalid argument
$ try 'bytes_req == "x"'
write error: Invalid argument
$ try '== 3'
[ftrace errno] write error: Operation not permitted
[kmemtrace errno] write error: Invalid argument
$ try 'comm == "bash'
[ftrace errno] write error: No such process
[kmemtrace errno] write error: Invalid argument
$ try 'comm > "bash"'
write error: Invalid argument
$ try 'bytes_req ~ "1*"'
write error: Invalid argument
$ try 'bytes_req > 10 &&'
write error: Invalid argument
$ try 'bytes_req > 10 call_site == 1'
[ftrace errno] write error: Operation not permitted
[kmemtrace errno] write error: Invalid argument
$ try 'bytes_req > 99999999999999999999999'
write error: Invalid argument
$ try 'bytes_req > -1'
write error: Invalid argument
$ try ''
write error: Invalid argument
$ bytes5000 > filter
write error: Invalid argument
[kmemtrace in-force] $ tail -n 1 filter
[kmemtrace in-force] filter in force: bytes_req == 1012
$ echo 0 > filter
$ cat filter
none
END

session "filters with each operator on numbers" <<'END'
$ cd $D/events/kmem/kmalloc
$ echo 1 > enable
$ try() { echo "(bytes_req == 1012 || bytes_req == 1013) && $1" > filter; made kmalloc 1012 2; made kmalloc 1013 3; }
$ try 'bytes_req != 1012'
0
3
$ try 'bytes_req < 1013'
2
0
$ try 'bytes_req <= 1012'
2
0
$ try 'bytes_req > 1012'
0
3
$ try 'bytes_req >= 1013'
0
3
$ try 'bytes_req & 1'
0
3
$ try '!(bytes_req & 0x1)'
2
0
$ try 'bytes_req == 0x3f4'
2
0
$ try 'common_pid != 0 && node == -1'
2
3
$ try 'common_pid == 0'
0
0
END

session "filters on strings" <<'END'
$ cd $D/events/kmem/kmalloc
$ echo 1 > enable
$ try() { echo "bytes_req == 1012 && $1" > filter; made kmalloc 1012 2; }
$ try 'comm == "kmt_filter.sh"'
2
$ try 'comm != "kmt_filter.sh"'
0
$ try "comm == 'kmt_filter.sh'"
2
$ try 'comm ~ "*sh"'
[kmemtrace comm-end] 2
[ftrace comm-end] 0
$ try 'comm ~ "sh*"'
0
$ try 'comm ~ "kmt*"'
2
$ try 'comm ~ "*filt*"'
2
$ try 'comm ~ "*filk*"'
0
$ try 'comm == "kmt\x5ffilter.sh"'
[kmemtrace comm-byte] 2
[ftrace comm-byte] 0
## the document calls this pattern invalid, but it is valid now
$ try 'comm ~ "km*sh"'
2
$ try 'comm ~ "km?_[efg]ilter*"'
2
END

session "filter with a pattern that begins with a digit" <<'END'
$ cd $D/events/kmem/kmalloc
$ echo 1 > enable
$ echo 'bytes_req == 1012 && comm ~ "9*"' > filter
$ (echo 9lives > /proc/self/comm; made kmalloc 1012 2)
[ftrace comm-digit] 0
[kmemtrace comm-digit] 2
END

session "filter with a bit of the number of the CPU" <<'END'
## needs 2 CPUs
$ cd $D/events/kmem/kmalloc
$ echo 1 > enable
$ echo 'bytes_req == 1012 && cpu & 1' > filter
$ read pid rest < /proc/self/stat; taskset -p 2 $pid > $tmp/pinned
$ made kmalloc 1012 2
[ftrace cpu-mask] 0
[kmemtrace cpu-mask] 2
END

session "0 clears a filter" <<'END'
$ cd $D/events/kmem/kmalloc
$ echo "bytes_req == 1012" > filter
$ echo 0 > filter
$ cat filter
none
$ echo "bytes_req == 1012" > filter
$ echo ' 0 ' > filter
$ cat filter
none
$ echo 0 > filter
$ cat filter
none
END

session "0 clears the filters of a subsystem" <<'END'
$ cd $D/events/kmem
$ echo "bytes_req == 1012" > kmalloc/filter
$ echo "ptr == 0" > kfree/filter
$ echo 0 > filter
$ cat kmalloc/filter
none
$ cat kfree/filter
none
$ cat filter
### global filter ###
# Use this to set filters for multiple events.
# Only events with the given fields will be affected.
# If no events are modified, an error message will be displayed here
END

session "filter of a subsystem with a common field" <<'END'
$ cd $D/events/kmem
$ echo common_pid == 0 > filter
$ for e in kmalloc kmem_cache_alloc kfree kmem_cache_free mm_page_alloc mm_page_free; do cat $e/filter; done
common_pid == 0
common_pid == 0
common_pid == 0
common_pid == 0
common_pid == 0
common_pid == 0
$ cat ../percpu/percpu_alloc_percpu/filter
none
END

session "filter of a subsystem with a field that only some events have" <<'END'
$ cd $D/events/kmem
$ echo common_pid == 0 > filter
$ echo bytes_req == 0 > filter
$ cat kmalloc/filter kmem_cache_alloc/filter
bytes_req == 0
bytes_req == 0
$ cat kfree/filter
[kmemtrace system-filter] common_pid == 0
[ftrace system-filter] bytes_req == 0
[ftrace system-filter] ^
[ftrace system-filter] parse_error: Couldn't find or set field in one of a subsystem's events
[ftrace system-filter]
END

session "filter of a subsystem with a field that no event has" <<'END'
$ cd $D/events/kmem
$ echo common_pid == 0 > filter
$ echo nosuch == 0 > filter
[kmemtrace system-filter] write error: Invalid argument
$ cat kmalloc/filter
[kmemtrace system-filter] common_pid == 0
[ftrace system-filter] nosuch == 0
[ftrace system-filter] ^
[ftrace system-filter] parse_error: Couldn't find or set field in one of a subsystem's events
[ftrace system-filter]
$ bytes5000 > filter
write error: Invalid argument
END
session "filters can use every field that format lists" <<'END'
[kmemtrace] $ listed() { sed -n 's/^\tfield:\(.*\);\toffset.*/\1/p; s/^#\t\(.*\): .*/\1/p' $D/events/$1/format | sed 's/\[.*//; s/.* //'; }
[kmemtrace] $ is() { echo "$2" > $D/events/$1/filter; }
[kmemtrace] $ check() { for f in $(listed $1); do (is $1 "$f == 1" || is $1 "$f == '1'") 2>/dev/null || echo "$1: $f"; done; }
[kmemtrace] $ all() { for e in $(cd $D/events; echo */*/); do check ${e%/}; done; }
[kmemtrace] $ all
[kmemtrace] $ echo all > $D/features
[kmemtrace] $ all
[kmemtrace] $ echo none > $D/features
[kmemtrace] $ listed kmem/kmalloc | xargs
[kmemtrace] common_type common_seq common_size call_site ptr bytes_req bytes_alloc gfp_flags node time pid tgid context preempt_count comm cgroup stack cpu nid live_bytes live_objects common_flags common_preempt_count common_pid common_tgid COMM CPU common_cpu
[kmemtrace] $ cd $D/events/kmem/kmalloc; echo 1 > enable
[kmemtrace] $ try() { echo "bytes_req == 1012 && $1" > filter; made kmalloc 1012 7; }
[kmemtrace] $ try 'common_size == 48'
[kmemtrace] 7
[kmemtrace] $ try 'common_size != 48'
[kmemtrace] 0
[kmemtrace] $ try 'common_seq > 0'
[kmemtrace] 7
[kmemtrace] $ try 'common_tgid > 0'
[kmemtrace] 7
[kmemtrace] $ try 'stack.function == client_kmalloc_alloc'
[kmemtrace] 7
[kmemtrace] $ try 'stack.function != client_kmalloc_alloc'
[kmemtrace] 0
[kmemtrace] $ try 'stack == 1'
[kmemtrace] 0
END
end
