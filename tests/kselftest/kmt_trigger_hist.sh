#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Histograms: the trigger hist and the file hist print with kmemtrace what they print with
# ftrace, for the same allocations. The module kmt_client allocates sizes such as 1012 that
# no other code does. The differences are those of differences.txt.
cd "$(dirname "$0")" || exit 1
# shellcheck source=tests/kselftest/session.sh
. ./session.sh

# shellcheck disable=SC2317 # sessions call it
# Print the file hist of an event; addresses and offsets of code as "*", without the blanks
# behind them.
hist() { # EVENT
	sed 's/\[f[0-9a-f]*\]/[*]/; s/+0x[0-9a-f/x]*/+*/; s/\(client\]\) *}/\1 }/' \
		"$D/events/kmem/$1/hist"
}

begin ''

# --- counting ------------------------------------------------------------------------

session "an event is counted by its keys, and values are summed" <<'END'
## needs sizes without KASAN
$ cd $D/events/kmem/kmalloc
$ echo 'hist:keys=bytes_req:vals=bytes_alloc if bytes_req >= 1012 && bytes_req <= 1013' > trigger
$ fire kmalloc 1012 3
$ fire kmalloc 1013 1
$ cat trigger
hist:keys=bytes_req:vals=hitcount,bytes_alloc:sort=hitcount:size=2048 if bytes_req >= 1012 && bytes_req <= 1013 [active]
$ cat hist
# event histogram
#
# trigger info: hist:keys=bytes_req:vals=hitcount,bytes_alloc:sort=hitcount:size=2048 if bytes_req >= 1012 && bytes_req <= 1013 [active]
#

{ bytes_req:       1013 } hitcount:          1  bytes_alloc:       1024
{ bytes_req:       1012 } hitcount:          3  bytes_alloc:       3072

Totals:
    Hits: 4
    Entries: 2
    Dropped: 0
$ cat enable
0*
END

session "several keys and values" <<'END'
## needs sizes without KASAN
$ cd $D/events/kmem/kmalloc
$ echo 'hist:keys=bytes_req,bytes_alloc:vals=bytes_req,bytes_alloc:sort=bytes_alloc.descending,bytes_req if bytes_req >= 1012 && bytes_req <= 1014' > trigger
$ fire kmalloc 1014 2
$ fire kmalloc 1013 2
$ fire kmalloc 1012 3
$ sed -n 3,8p hist
# trigger info: hist:keys=bytes_req,bytes_alloc:vals=hitcount,bytes_req,bytes_alloc:sort=bytes_alloc.descending,bytes_req:size=2048 if bytes_req >= 1012 && bytes_req <= 1014 [active]
#

{ bytes_req:       1012, bytes_alloc:       1024 } hitcount:          3  bytes_req:       3036  bytes_alloc:       3072
{ bytes_req:       1013, bytes_alloc:       1024 } hitcount:          2  bytes_req:       2026  bytes_alloc:       2048
{ bytes_req:       1014, bytes_alloc:       1024 } hitcount:          2  bytes_req:       2028  bytes_alloc:       2048
END

session "a function as key" <<'END'
$ cd $D/events/kmem
$ echo 'hist:keys=call_site.sym:vals=bytes_req if bytes_req == 1012' > kmalloc/trigger
$ echo 'hist:keys=call_site.sym-offset if bytes_req == 1012' >> kmalloc/trigger
$ fire kmalloc 1012 3
$ hist kmalloc | grep -v '^$'
# event histogram
#
# trigger info: hist:keys=call_site.sym:vals=hitcount,bytes_req:sort=hitcount:size=2048 if bytes_req == 1012 [active]
#
{ call_site: [*] client_kmalloc_alloc [kmt_client] } hitcount:          3  bytes_req:       3036
Totals:
    Hits: 3
    Entries: 1
    Dropped: 0
# event histogram
#
# trigger info: hist:keys=call_site.sym-offset:vals=hitcount:sort=hitcount:size=2048 if bytes_req == 1012 [active]
#
{ call_site: [*] client_kmalloc_alloc+* [kmt_client] } hitcount:          3
Totals:
    Hits: 3
    Entries: 1
    Dropped: 0
END

session "powers of two and hexadecimal numbers" <<'END'
## needs sizes without KASAN
$ cd $D/events/kmem/kmalloc
$ echo 'hist:keys=bytes_req.log2,bytes_alloc.hex:vals=bytes_req.hex if bytes_req == 1012 || bytes_req == 513 || bytes_req == 2049' > trigger
$ fire kmalloc 2049 1
$ fire kmalloc 513 2
$ fire kmalloc 1012 3
$ grep '{' hist
{ bytes_req: ~ 2^12, bytes_alloc: 1000 } hitcount:          1  bytes_req:        801
{ bytes_req: ~ 2^10, bytes_alloc: 400 } hitcount:          5  bytes_req:        fde
END

session "buckets, shares and bars" <<'END'
## ftrace answers so on Linux 6.2
$ cd $D/events/kmem/kmalloc
$ echo 'hist:keys=bytes_req.buckets=100:vals=bytes_alloc.percent,bytes_req.graph if bytes_req == 1012 || bytes_req == 950 || bytes_req == 999' > trigger
$ fire kmalloc 950 1
$ fire kmalloc 999 1
$ fire kmalloc 1012 6
$ cat trigger
hist:keys=bytes_req.buckets=100:vals=hitcount,bytes_alloc.percent,bytes_req.graph:sort=hitcount:size=2048 if bytes_req == 1012 || bytes_req == 950 || bytes_req == 999 [active]
$ grep '{' hist | sed 's/ *$//'
{ bytes_req: ~ 900-999 } hitcount:          2  bytes_alloc (%):  25.00  bytes_req: ######
{ bytes_req: ~ 1000-1099 } hitcount:          6  bytes_alloc (%):  75.00  bytes_req: ####################
END

session "without hitcount" <<'END'
## needs sizes without KASAN
## ftrace answers so on Linux 6.3
$ cd $D/events/kmem/kmalloc
$ echo 'hist:keys=bytes_req:vals=bytes_alloc:nohitcount if bytes_req == 1012' > trigger
$ fire kmalloc 1012 2
$ cat trigger
hist:keys=bytes_req:vals=bytes_alloc:sort=hitcount:size=2048:nohitcount if bytes_req == 1012 [active]
$ grep '{' hist
{ bytes_req:       1012 }  bytes_alloc:       2048
END

session "the thread as key" <<'END'
$ cd $D/events/kmem/kmalloc
$ echo 'hist:keys=common_pid.execname if bytes_req == 1012' > trigger
$ fire kmalloc 1012 2
$ sed 's/\[ *[0-9]*\]/[pid]/' hist | grep '{'
{ common_pid: kmt_trigger_his [pid] } hitcount:          2
END

session "a stack trace as key" <<'END'
## ftrace answers so on Linux 6.3
$ cd $D/events/kmem
$ echo 'hist:keys=common_stacktrace:vals=bytes_req if bytes_req == 1012' > kmalloc/trigger
$ fire kmalloc 1012 2
$ hist kmalloc | sed -n '3p; /{/p; /client_kmalloc_alloc/p; /run_write/p; /}/p'
# trigger info: hist:keys=common_stacktrace:vals=hitcount,bytes_req:sort=hitcount:size=2048 if bytes_req == 1012 [active]
{ common_stacktrace:
         client_kmalloc_alloc+* [kmt_client]
         run_write+* [kmt_client]
} hitcount:          2  bytes_req:       2024
END

session "the name of a cache as key" <<'END'
[kmemtrace field] $ cd $D/events/kmem/kmem_cache_alloc
[kmemtrace field] $ echo 'hist:keys=cache if cache == "kmt_client"' > trigger
[kmemtrace field] $ fire cache 0 2
[kmemtrace field] $ grep '{' hist
[kmemtrace field] { cache: kmt_client                                         } hitcount:          2
END

session "the cgroup and the node of memory as keys" <<'END'
## needs sizes without KASAN
[kmemtrace field] $ cd $D/events/kmem/kmalloc
[kmemtrace field] $ mkdir -p /tmp/cgroup; mount -t cgroup2 none /tmp/cgroup; mkdir /tmp/cgroup/held
[kmemtrace field] $ echo 'hist:keys=cgroup.path,nid:vals=live if bytes_req == 1012' > trigger
[kmemtrace field] $ fire kmalloc 1012 1
[kmemtrace field] $ sh -c 'echo $$ > /tmp/cgroup/held/cgroup.procs; echo hold kmalloc 1012 2 > /sys/kernel/debug/kmt_client/run'
[kmemtrace field] $ sed 's/\[ *[0-9]*\]/[id]/' hist | grep '{'
[kmemtrace field] { cgroup: /                                                 [id], nid:          0 } hitcount:          1  live:          0
[kmemtrace field] { cgroup: /held                                             [id], nid:          0 } hitcount:          2  live:       2048
[kmemtrace field] $ rmdir /tmp/cgroup/held
[kmemtrace field] $ fire drop kmalloc 1012
[kmemtrace field] $ sed 's/\[ *[0-9]*\]/[id]/' hist | grep 'gone'
[kmemtrace field] { cgroup: (gone)                                            [id], nid:          0 } hitcount:          2  live:          0
[kmemtrace field] $ umount /tmp/cgroup
END

session "the shown histogram can be written, to remove it" <<'END'
$ cd $D/events/kmem/kmalloc
[kmemtrace] $ echo 'hist:keys=call_site.sym,bytes_req.buckets=8:vals=bytes_alloc.percent:sort=call_site,bytes_alloc.descending if bytes_req == 1012' > trigger
[kmemtrace] $ cat trigger
[kmemtrace] hist:keys=call_site.sym,bytes_req.buckets=8:vals=hitcount,bytes_alloc.percent:sort=call_site.sym,bytes_alloc.percent.descending:size=2048 if bytes_req == 1012 [active]
[kmemtrace] $ echo "!$(cat trigger)" > trigger
[kmemtrace] $ cat enable
[kmemtrace] 0
END

session "sums of negative numbers" <<'END'
[kmemtrace field] $ cd $D/events/kmem
[kmemtrace field] $ echo 'hist:keys=order:vals=migratetype,migratetype.percent,migratetype.graph if call_site.function == client_pages_free' > mm_page_free/trigger
[kmemtrace field] $ fire pages 0 2
[kmemtrace field] $ fire pages 1 1
[kmemtrace field] $ grep '{' mm_page_free/hist
[kmemtrace field] { order:          1 } hitcount:          1  migratetype: 18446744073709551615  migratetype (%): 100.00  migratetype: ####################
[kmemtrace field] { order:          0 } hitcount:          2  migratetype: 18446744073709551614  migratetype (%): 100.00  migratetype: ####################
END

# --- several, and those that exist -----------------------------------------------------

session "two histograms of an event differ in keys, values, order or filter" <<'END'
$ cd $D/events/kmem/kmalloc
$ echo 'hist:keys=bytes_req if bytes_req == 1012' > trigger
$ echo 'hist:keys=bytes_alloc if bytes_req == 1012' >> trigger
$ echo 'hist:keys=bytes_req if bytes_req == 1013' >> trigger
$ echo 'hist:keys=bytes_req if bytes_req == 1012' >> trigger
write error: File exists
$ echo 'hist:keys=bytes_req:size=4096 if bytes_req == 1012' >> trigger
write error: File exists
$ cat trigger | sort
hist:keys=bytes_alloc:vals=hitcount:sort=hitcount:size=2048 if bytes_req == 1012 [active]
hist:keys=bytes_req:vals=hitcount:sort=hitcount:size=2048 if bytes_req == 1012 [active]
hist:keys=bytes_req:vals=hitcount:sort=hitcount:size=2048 if bytes_req == 1013 [active]
$ echo '!hist:keys=bytes_req' >> trigger
$ cat trigger | wc -l
3
$ echo '!hist:keys=bytes_req if bytes_req == 1013' >> trigger
$ echo '!hist:keys=bytes_alloc if bytes_req == 1012' >> trigger
$ cat trigger
hist:keys=bytes_req:vals=hitcount:sort=hitcount:size=2048 if bytes_req == 1012 [active]
$ echo '!hist:keys=bytes_req if bytes_req == 1012' >> trigger
$ cat enable
0
END

session "pause, continue and clear" <<'END'
$ cd $D/events/kmem/kmalloc
$ echo 'hist:keys=bytes_req:pause if bytes_req == 1012' > trigger
$ fire kmalloc 1012 2
$ grep -c '{' hist
0
$ cat trigger
hist:keys=bytes_req:vals=hitcount:sort=hitcount:size=2048 if bytes_req == 1012 [paused]
$ echo 'hist:keys=bytes_req:cont if bytes_req == 1012' >> trigger
$ fire kmalloc 1012 2
$ grep '{' hist
{ bytes_req:       1012 } hitcount:          2
$ echo 'hist:keys=bytes_req:pause if bytes_req == 1012' >> trigger
$ fire kmalloc 1012 2
$ grep '{' hist
{ bytes_req:       1012 } hitcount:          2
$ echo 'hist:keys=bytes_req:continue if bytes_req == 1012' >> trigger
$ fire kmalloc 1012 1
$ grep '{' hist
{ bytes_req:       1012 } hitcount:          3
$ echo 'hist:keys=bytes_req:clear if bytes_req == 1012' >> trigger
$ fire kmalloc 1012 1
$ grep -v '^#\|^$' hist
{ bytes_req:       1012 } hitcount:          1
Totals:
    Hits: 1
    Entries: 1
    Dropped: 0
END

session "it counts while the event is disabled, and while recording is off" <<'END'
$ cd $D/events/kmem/kmalloc
$ echo 'bytes_req == 1' > filter
$ echo 'hist:keys=bytes_req if bytes_req == 1012' > trigger
$ fire kmalloc 1012 1
$ echo 0 > $ON
$ fire kmalloc 1012 1
$ grep '{' hist
{ bytes_req:       1012 } hitcount:          2
END

session "a full table drops events" <<'END'
$ cd $D/events/kmem/kmalloc
$ echo 'hist:keys=bytes_req:size=100 if bytes_req >= 4097 && bytes_req <= 4296' > trigger
$ sed 's/.*size=\([0-9]*\) .*/\1/' trigger
128
$ i=4096; while [ $i -lt 4296 ]; do i=$((i + 1)); fire kmalloc $i 1; done
$ tail -3 hist
    Hits: 128
    Entries: 128
    Dropped: 72
END

# --- errors ----------------------------------------------------------------------------

session "what is not a histogram is refused" <<'END'
$ cd $D/events/kmem/kmalloc
$ echo hist > trigger
write error: Invalid argument
$ echo 'hist:vals=bytes_req' > trigger
write error: Invalid argument
$ echo 'hist:keys=nothing' > trigger
write error: Invalid argument
$ echo 'hist:keys=bytes_req.nothing' > trigger
write error: Invalid argument
$ echo 'hist:keys=bytes_req:sort=nothing' > trigger
write error: Invalid argument
$ echo 'hist:keys=bytes_req:sort=hitcount.sideways' > trigger
write error: Invalid argument
$ echo 'hist:keys=bytes_req:size=0x40000' > trigger
write error: Invalid argument
$ echo 'hist:keys=bytes_req if' > trigger
write error: Invalid argument
$ cat trigger enable
# Available triggers:
[ftrace hist] # traceon traceoff snapshot stacktrace enable_event disable_event enable_hist disable_hist hist
[kmemtrace hist] # traceon traceoff snapshot stacktrace enable_event disable_event hist
0
END

session "nothing to clear" <<'END'
$ cd $D/events/kmem/kmalloc
$ echo 'hist:keys=bytes_req:clear' > trigger
write error: No such file or directory
END

session "the error log shows what is wrong" <<'END'
[kmemtrace logged] $ cd $D/events/kmem/kmalloc
[kmemtrace logged] $ echo > $D/error_log
[kmemtrace logged] $ echo 'hist:keys=bytes_req:vals=comm' > trigger
[kmemtrace logged] write error: Invalid argument
[kmemtrace logged] $ sed 's/^\[[ 0-9.]*\] //' $D/error_log
[kmemtrace logged] hist trigger parse error: error: Only a number can be a value
[kmemtrace logged]   Command: keys=bytes_req:vals=comm
[kmemtrace logged]                                ^
END

# --- live memory ------------------------------------------------------------------------

session "live memory of an allocation" <<'END'
## needs sizes without KASAN
[kmemtrace hist] $ cd $D/events/kmem/kmalloc
[kmemtrace hist] $ echo 'hist:keys=call_site.sym:vals=bytes_alloc,live,live_count if bytes_req == 1012' > trigger
[kmemtrace hist] $ fire kmalloc 1012 2
[kmemtrace hist] $ fire hold kmalloc 1012 3
[kmemtrace hist] $ hist kmalloc | grep -v '^#\|^$'
[kmemtrace hist] { call_site: [*] client_kmalloc_alloc [kmt_client] } hitcount:          5  bytes_alloc:       5120  live:       3072  live_count:          3
[kmemtrace hist] Totals:
[kmemtrace hist]     Hits: 5
[kmemtrace hist]     Entries: 1
[kmemtrace hist]     Dropped: 0
[kmemtrace hist]     Not known whether live: 0 bytes in 0 allocations, for lack of space; 0 frees not seen
[kmemtrace hist] $ echo 'hist:keys=call_site.sym:vals=bytes_alloc,live,live_count:pause if bytes_req == 1012' >> trigger
[kmemtrace hist] $ fire drop kmalloc 1012
[kmemtrace hist] $ grep -o '}.*' hist
[kmemtrace hist] } hitcount:          5  bytes_alloc:       5120  live:          0  live_count:          0
## the event of the frees is in use, but nothing else shows it
[kmemtrace hist] $ cat ../kfree/enable
[kmemtrace hist] 0*
[kmemtrace hist] $ head -1 ../kfree/trigger
[kmemtrace hist] # Available triggers:
[kmemtrace hist] $ echo "!$(cat trigger)" > trigger
[kmemtrace hist] $ cat enable ../kfree/enable
[kmemtrace hist] 0
[kmemtrace hist] 0
END

session "a histogram of frees beside one of live memory" <<'END'
[kmemtrace hist] $ cd $D/events/kmem
[kmemtrace hist] $ echo 'hist:keys=bytes_req:vals=live if bytes_req == 1012' > kmalloc/trigger
[kmemtrace hist] $ echo '!hist:keys=call_site' > kfree/trigger
[kmemtrace hist] $ echo 'hist:keys=call_site.sym if call_site.function == client_kmalloc_free' > kfree/trigger
[kmemtrace hist] $ fire kmalloc 1012 2
[kmemtrace hist] $ hist kfree | grep '{'
[kmemtrace hist] { call_site: [*] client_kmalloc_free [kmt_client] } hitcount:          2
[kmemtrace hist] $ echo '!hist:keys=call_site.sym if call_site.function == client_kmalloc_free' > kfree/trigger
[kmemtrace hist] $ fire kmalloc 1012 2
[kmemtrace hist] $ grep '{' kmalloc/hist
[kmemtrace hist] { bytes_req:       1012 } hitcount:          4  live:          0
END

session "live memory of each kind, freed by any function" <<'END'
[kmemtrace hist] $ cd $D/events
[kmemtrace hist] $ echo 'hist:keys=cache:vals=live_count if cache == "kmt_client"' > kmem/kmem_cache_alloc/trigger
[kmemtrace hist] $ echo 'hist:keys=bytes_req:vals=live_count if call_site.function == client_percpu_alloc' > percpu/percpu_alloc_percpu/trigger
[kmemtrace hist] $ fire hold mixed 0 4
[kmemtrace hist] $ cat */*/hist | grep -o '}.*'
[kmemtrace hist] } hitcount:          4  live_count:          4
[kmemtrace hist] $ fire drop mixed 0
[kmemtrace hist] $ fire hold percpu 1016 2
[kmemtrace hist] $ cat */*/hist | grep -o '}.*'
[kmemtrace hist] } hitcount:          4  live_count:          0
[kmemtrace hist] } hitcount:          2  live_count:          2
[kmemtrace hist] $ fire drop percpu 1016
[kmemtrace hist] $ cat */*/hist | grep -o '}.*'
[kmemtrace hist] } hitcount:          4  live_count:          0
[kmemtrace hist] } hitcount:          2  live_count:          0
END

session "a block of pages is freed in parts" <<'END'
[kmemtrace hist] $ cd $D/events/kmem/mm_page_alloc
[kmemtrace hist] $ echo "hist:keys=order:vals=live,live_count if call_site.function == client_pages_alloc && order == 3" > trigger
[kmemtrace hist] $ fire hold pages 3 2
[kmemtrace hist] $ grep '{' hist
[kmemtrace hist] { order:          3 } hitcount:          2  live:      65536  live_count:          2
[kmemtrace hist] $ fire drop pages 3
[kmemtrace hist] $ fire split 3 1
[kmemtrace hist] $ grep '{' hist
[kmemtrace hist] { order:          3 } hitcount:          3  live:          0  live_count:          0
END

session "an event has at most 64 triggers" <<'END'
[kmemtrace hist] $ cd $D/events/kmem/kmalloc
[kmemtrace hist] $ for i in $(seq 64); do echo "hist:keys=ptr:size=128 if bytes_req == 9999$i" >> trigger; done
[kmemtrace hist] $ echo 'hist:keys=ptr:size=128' >> trigger
[kmemtrace hist] write error: No space left on device
[kmemtrace hist] $ grep -c '^hist' trigger
[kmemtrace hist] 64
END

session "frees have at most 64 triggers, those of histograms of live memory included" <<'END'
[kmemtrace hist] $ cd $D/events/kmem
[kmemtrace hist] $ for i in $(seq 64); do echo "hist:keys=node:vals=live:size=128 if bytes_req == 9999$i" >> kmalloc/trigger; done
[kmemtrace hist] $ echo 'hist:keys=node:vals=live:size=128' >> kmem_cache_alloc/trigger
[kmemtrace hist] write error: No space left on device
[kmemtrace hist] $ echo 'hist:keys=node:size=128' >> kmem_cache_alloc/trigger
[kmemtrace hist] $ for i in $(seq 10); do echo "hist:keys=order:vals=live:size=128 if order == $i" >> mm_page_alloc/trigger; done
[kmemtrace hist] $ echo 'hist:keys=order:vals=live:size=128' >> mm_page_alloc/trigger
[kmemtrace hist] write error: No space left on device
[kmemtrace hist] $ grep -h -c '^hist' kmem_cache_alloc/trigger mm_page_alloc/trigger
[kmemtrace hist] 1
[kmemtrace hist] 10
END

session "a trigger with a long filter counts as several" <<'END'
[kmemtrace hist] $ cd $D/events/kmem/kmalloc
[kmemtrace hist] $ long() { printf 'stack == %d || ' $(seq $1); echo bytes_req == 1; }
[kmemtrace hist] $ echo "$(long 16)" > filter
[kmemtrace hist] write error: Invalid argument
[kmemtrace hist] $ grep -c 'Too many terms in predicate expression' filter
[kmemtrace hist] 1
[kmemtrace hist] $ echo "$(long 15)" > filter
[kmemtrace hist] $ echo "hist:keys=ptr:size=128 if $(long 15)" >> trigger
[kmemtrace hist] $ echo "hist:keys=node:size=128 if $(long 15)" >> trigger
[kmemtrace hist] $ echo "hist:keys=cpu:size=128 if $(long 15)" >> trigger
[kmemtrace hist] write error: No space left on device
[kmemtrace hist] $ echo 0 > filter
[kmemtrace hist] $ grep -c '^hist' trigger
[kmemtrace hist] 2
END

session "live needs an allocation" <<'END'
[kmemtrace hist] $ cd $D/events/kmem/kfree
[kmemtrace hist] $ echo 'hist:keys=call_site:vals=live' > trigger
[kmemtrace hist] write error: Invalid argument
END

end
