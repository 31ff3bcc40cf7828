#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Triggers: every example of the document on event tracing (Ts'o, Li, Zanussi) gives the
# same results with kmemtrace as with ftrace. Events that kmemtrace does not have are
# replaced: sys_enter_read by mm_page_alloc, sys_exit_read by mm_page_free, block_unplug
# with nr_rq > 1 by mm_page_alloc with order > 1, sched_switch by kfree. The differences
# are those of differences.txt.
#
# No other code allocates sizes such as 1012. If other events can fire a trigger, the
# session only checks results that do not depend on them.
cd "$(dirname "$0")" || exit 1
# shellcheck source=tests/kselftest/session.sh
. ./session.sh
begin 'overwrite=1'

# --- soft mode -------------------------------------------------------------------

session "without a trigger, the file lists the types of triggers" <<'END'
$ cat $D/events/kmem/kmalloc/trigger
# Available triggers:
[ftrace hist] # traceon traceoff snapshot stacktrace enable_event disable_event enable_hist disable_hist hist
[kmemtrace hist] # traceon traceoff snapshot stacktrace enable_event disable_event hist
END

session "a trigger puts its event in soft mode" <<'END'
$ cd $D/events/kmem/kmalloc
$ echo 'stacktrace if bytes_req == 1012' > trigger
$ cat trigger enable
stacktrace:unlimited if bytes_req == 1012
0*
$ echo 1 > enable
$ cat enable
1*
$ echo 0 > enable
$ cat enable
0*
$ echo kmalloc >> $D/set_event
$ cat enable
1*
$ echo '!kmalloc' >> $D/set_event
$ cat enable
0*
$ echo 1 > ../enable
$ cat enable
1*
## it stays enabled without its trigger
$ echo '!stacktrace if bytes_req == 1012' > trigger
$ cat enable
1
$ echo 'stacktrace if bytes_req == 1012' > trigger
$ cat enable
1*
$ echo > $D/set_event
$ cat enable
0*
$ echo '!stacktrace' > trigger
$ cat enable
0
END

session "enable of subsystems and set_event show soft mode as enabled" <<'END'
$ echo 'stacktrace if bytes_req == 1012' > $D/events/kmem/kmalloc/trigger
$ cat $D/events/kmem/kmalloc/enable $D/events/kmem/enable $D/events/enable
0*
X
X
$ cat $D/set_event | ours
kmem:kmalloc
$ echo '!stacktrace' > $D/events/kmem/kmalloc/trigger
$ cat $D/events/kmem/kmalloc/enable $D/events/kmem/enable $D/events/enable
0
0
0
$ cat $D/set_event | ours
END

session "the event that a trigger enables is in soft mode as well" <<'END'
$ cd $D/events/kmem
$ echo 'enable_event:kmem:kfree if bytes_req == 1012' > kmalloc/trigger
$ cat kmalloc/enable kfree/enable
0*
0*
$ echo 'enable_event:kmem:kfree if bytes_req == 1012' > kmem_cache_alloc/trigger
$ echo '!enable_event:kmem:kfree' > kmalloc/trigger
$ cat kmalloc/enable kfree/enable
0
0*
$ echo '!enable_event:kmem:kfree' > kmem_cache_alloc/trigger
$ cat kfree/enable
0
END

session "a trigger fires despite filter and enable, but not while recording is off" <<'END'
$ cd $D/events/kmem/kmalloc
$ echo 'bytes_req == 1013' > filter
$ echo 'stacktrace:9 if bytes_req == 1012' > trigger
$ fire kmalloc 1012 2
$ cat trigger
stacktrace:count=7 if bytes_req == 1012
$ echo 1 > enable
$ fire kmalloc 1012 2
$ cat trigger
stacktrace:count=5 if bytes_req == 1012
$ echo 0 > $ON
$ fire kmalloc 1012 2
$ cat trigger enable
[ftrace paused] stacktrace:count=3 if bytes_req == 1012
[kmemtrace paused] stacktrace:count=5 if bytes_req == 1012
1*
## it fires for the event that switches recording on
[kmemtrace] $ echo 'traceon:1 if bytes_req == 1012' > trigger
[kmemtrace] $ fire kmalloc 1012 2
[kmemtrace] $ cat trigger
[kmemtrace] traceon:count=0 if bytes_req == 1012
[kmemtrace] stacktrace:count=3 if bytes_req == 1012
END

# --- enable_event, disable_event ---------------------------------------------------

session "enable_event:kmem:kmalloc:1, disable_event:kmem:kmalloc" <<'END'
$ echo 'enable_event:kmem:kmalloc:1' > $D/events/kmem/mm_page_alloc/trigger
$ fire pages 0 2
$ cat $D/events/kmem/mm_page_alloc/trigger $D/events/kmem/kmalloc/enable
enable_event:kmem:kmalloc:count=0
1*
$ echo 'disable_event:kmem:kmalloc' > $D/events/kmem/mm_page_free/trigger
$ fire pages 0 2
$ cat $D/events/kmem/mm_page_free/trigger $D/events/kmem/kmalloc/enable
disable_event:kmem:kmalloc:unlimited
0*
$ echo '!enable_event:kmem:kmalloc:1' > $D/events/kmem/mm_page_alloc/trigger
$ cat $D/events/kmem/kmalloc/enable
0*
$ echo '!disable_event:kmem:kmalloc' > $D/events/kmem/mm_page_free/trigger
$ cat $D/events/kmem/kmalloc/enable $D/events/kmem/enable
0
0
END

session "an event that a trigger enabled stays enabled when it is removed" <<'END'
$ cd $D/events/kmem
$ echo 'enable_event:kmem:kfree if bytes_req == 1012' > kmalloc/trigger
$ fire kmalloc 1012 1
$ cat kfree/enable
1*
$ echo '!enable_event:kmem:kfree' > kmalloc/trigger
$ cat kfree/enable
1
$ echo 'disable_event:kmem:kfree if bytes_req == 1012' > kmalloc/trigger
$ cat kfree/enable
1*
$ fire kmalloc 1012 1
$ cat kfree/enable
0*
$ echo '!disable_event:kmem:kfree' > kmalloc/trigger
$ cat kfree/enable
0
END

session "enable_event: the count decreases only if the event changes" <<'END'
$ cd $D/events/kmem
$ echo 'enable_event:kmem:kfree:3 if bytes_req == 1012' > kmalloc/trigger
$ fire kmalloc 1012 5
$ cat kmalloc/trigger kfree/enable
enable_event:kmem:kfree:count=2 if bytes_req == 1012
1*
$ echo 0 > kfree/enable
$ fire kmalloc 1012 5
$ cat kmalloc/trigger kfree/enable
enable_event:kmem:kfree:count=1 if bytes_req == 1012
1*
$ for i in 1 2; do echo 0 > kfree/enable; fire kmalloc 1012 5; done
$ cat kmalloc/trigger kfree/enable
enable_event:kmem:kfree:count=0 if bytes_req == 1012
0*
END

session "one trigger for each event that is enabled or disabled" <<'END'
$ cd $D/events/kmem/kmem_cache_alloc
$ echo 'enable_event:kmem:kmalloc' > trigger
$ echo 'enable_event:kmem:kfree' > trigger
$ echo 'disable_event:percpu:percpu_free_percpu' > trigger
$ echo 'enable_event:kmem:kmalloc:1' > trigger
write error: File exists
$ echo 'enable_event:kmem:kmalloc if bytes_req == 256' > trigger
write error: File exists
$ echo 'disable_event:kmem:kmalloc' > trigger
write error: File exists
$ cat trigger
disable_event:percpu:percpu_free_percpu:unlimited
enable_event:kmem:kfree:unlimited
enable_event:kmem:kmalloc:unlimited
## !enable_event and !disable_event each remove both
$ echo '!disable_event:kmem:kmalloc:7 if anything' > trigger
$ cat trigger
disable_event:percpu:percpu_free_percpu:unlimited
enable_event:kmem:kfree:unlimited
$ echo 'enable_event:kmem:kmalloc if bytes_req == 256' > trigger
$ echo 'enable_event:kmem:kmalloc if bytes_alloc == 256' > trigger
write error: File exists
## a trigger may enable its own event
$ echo 'enable_event:kmem:kmem_cache_alloc:0' > trigger
$ cat trigger
enable_event:kmem:kmem_cache_alloc:count=0
enable_event:kmem:kmalloc:unlimited if bytes_req == 256
disable_event:percpu:percpu_free_percpu:unlimited
enable_event:kmem:kfree:unlimited
END

session "triggers of events that kmemtrace does not record" <<'END'
$ [ ! -e $D/events/sched/sched_switch/trigger ] || echo a file for each event
[ftrace any-event] a file for each event
$ [ ! -e $D/triggers ] || echo one file
[kmemtrace any-event] one file
$ add() { text=${1#!}; not=${1%"$text"}; if [ -e $D/triggers ]; then echo "${not}sched:sched_process_exit:$text" > $D/triggers; else echo "$1" > $D/events/sched/sched_process_exit/trigger; fi; }
$ list() { if [ -e $D/triggers ]; then sed 's/^sched:sched_process_exit://' $D/triggers; else cat $D/events/sched/sched_process_exit/trigger; fi | grep -v '^#'; }
$ add 'enable_event:kmem:kmalloc:2 if comm == "uname" && common_pid > 1'
$ list
enable_event:kmem:kmalloc:count=2 if comm == "uname" && common_pid > 1
$ cat $D/events/kmem/kmalloc/enable
0*
$ uname > /dev/null; uname > /dev/null; pwd > /dev/null
$ list
enable_event:kmem:kmalloc:count=1 if comm == "uname" && common_pid > 1
$ cat $D/events/kmem/kmalloc/enable
1*
$ add 'enable_event:kmem:kmalloc'
write error: File exists
$ add 'stacktrace:0'
[kmemtrace any-event] write error: Invalid argument
$ add '!stacktrace' 2> /dev/null
$ add 'traceoff if prio == 5000'
[kmemtrace any-event] write error: Invalid argument
$ add '!traceoff'
$ add '!enable_event:kmem:kmalloc:2 if comm == "uname" && common_pid > 1'
$ list
$ cat $D/events/kmem/kmalloc/enable
1
END

# --- stacktrace ----------------------------------------------------------------------

session "stacktrace, added and removed" <<'END'
$ cd $D/events/kmem/kmalloc
$ echo 'stacktrace' > $D/events/kmem/kmalloc/trigger
$ cat trigger
stacktrace:unlimited
$ echo '!stacktrace' > $D/events/kmem/kmalloc/trigger
$ cat trigger | head -n 1
# Available triggers:
$ echo 'stacktrace:5 if bytes_req >= 65536' > $D/events/kmem/kmalloc/trigger
$ fire kmalloc 65536 7
$ cat trigger
stacktrace:count=0 if bytes_req >= 65536
$ echo 'stacktrace' > $D/events/kmem/kmalloc/trigger
write error: File exists
$ echo '!stacktrace:5 if bytes_req >= 65536' > $D/events/kmem/kmalloc/trigger
$ cat trigger | head -n 1
# Available triggers:
$ echo 'stacktrace:5 if bytes_req >= 65536' > $D/events/kmem/kmalloc/trigger
$ echo '!stacktrace:5' > $D/events/kmem/kmalloc/trigger
$ cat trigger | head -n 1
# Available triggers:
END

session "stacktrace fires count times" <<'END'
$ cd $D/events/kmem/kmalloc
[ftrace] $ echo > $D/trace
$ echo 'stacktrace:5 if bytes_req == 1012' > trigger
$ fire kmalloc 1012 3
$ cat trigger
stacktrace:count=2 if bytes_req == 1012
$ fire kmalloc 1012 3
$ cat trigger
stacktrace:count=0 if bytes_req == 1012
[ftrace] $ grep -c '<stack trace>' $D/trace
[ftrace] 5
END

# --- snapshot -------------------------------------------------------------------------

session "snapshot, added and removed" <<'END'
$ cd $D/events/kmem/mm_page_alloc
$ echo 'snapshot if order > 1' > $D/events/kmem/mm_page_alloc/trigger
$ cat trigger
snapshot:unlimited if order > 1
$ echo 'snapshot:1 if order > 1' > $D/events/kmem/mm_page_alloc/trigger
write error: File exists
$ echo '!snapshot if order > 1' > $D/events/kmem/mm_page_alloc/trigger
$ cat trigger | head -n 1
# Available triggers:
$ echo 'snapshot:1 if order > 1' > $D/events/kmem/mm_page_alloc/trigger
$ fire pages 3 2
$ cat trigger
snapshot:count=0 if order > 1
$ echo '!snapshot:1 if order > 1' > $D/events/kmem/mm_page_alloc/trigger
$ cat trigger | head -n 1
# Available triggers:
END

# --- traceon, traceoff ------------------------------------------------------------------

session "traceoff, added and removed" <<'END'
$ cd $D/events/kmem/mm_page_alloc
$ echo 'traceoff:1 if order > 1' > $D/events/kmem/mm_page_alloc/trigger
$ fire pages 3 1
$ cat trigger $ON
traceoff:count=0 if order > 1
0
$ echo 1 > $ON
$ fire pages 3 1
$ cat $ON
1
$ echo '!traceoff:1 if order > 1' > $D/events/kmem/mm_page_alloc/trigger
$ echo 'traceoff if order > 1' > $D/events/kmem/mm_page_alloc/trigger
$ cat trigger
traceoff:unlimited if order > 1
$ fire pages 3 1
$ cat $ON
0
$ echo 1 > $ON
$ fire pages 3 1
$ cat $ON
0
$ echo '!traceoff if order > 1' > $D/events/kmem/mm_page_alloc/trigger
$ cat trigger | head -n 1
# Available triggers:
END

session "traceoff, traceon: the count decreases only if recording changes" <<'END'
$ cd $D/events/kmem/kmalloc
$ echo 'traceoff:2 if bytes_req == 1012' > trigger
$ fire kmalloc 1012 5
$ cat trigger $ON
traceoff:count=1 if bytes_req == 1012
0
$ echo 'traceon:2 if bytes_req == 1013' > ../kmem_cache_alloc/trigger
$ echo '!traceoff' > trigger
$ echo 'traceon:2 if bytes_req == 1013' > trigger
$ fire kmalloc 1013 5
$ cat trigger $ON
traceon:count=1 if bytes_req == 1013
1
END

session "traceoff acts after its event is recorded, traceon before" <<'END'
$ cd $D/events/kmem/kmalloc
$ echo 'bytes_req == 1012 || bytes_req == 1013' > filter
$ echo 1 > enable
$ echo 'traceoff:1 if bytes_req == 1012' > trigger
$ made kmalloc 1012 5
1
$ cat $ON
0
$ echo '!traceoff' > trigger
$ echo 'traceon if bytes_req == 1013' > trigger
$ made kmalloc 1013 5
5
$ cat $ON
1
END

session "disable_event, enable_event of their own event act before it is recorded" <<'END'
$ cd $D/events/kmem/kmalloc
$ echo 'bytes_req == 1012' > filter
$ echo 1 > enable
$ echo 'disable_event:kmem:kmalloc:1 if bytes_req == 1012' > trigger
$ made kmalloc 1012 5
0
$ cat trigger enable
disable_event:kmem:kmalloc:count=0 if bytes_req == 1012
0*
$ echo '!disable_event:kmem:kmalloc' > trigger
$ echo 'enable_event:kmem:kmalloc:1 if bytes_req == 1012' > trigger
$ made kmalloc 1012 5
5
$ cat trigger enable
enable_event:kmem:kmalloc:count=0 if bytes_req == 1012
1*
END

session "each event can have one of traceon and traceoff" <<'END'
$ cd $D/events/kmem/kmalloc
$ echo 'traceoff:0' > trigger
$ echo 'traceoff' > trigger
write error: File exists
$ echo 'traceon' > trigger
write error: File exists
$ echo 'traceon if bytes_req == 1012' > trigger
write error: File exists
$ cat trigger
traceoff:count=0
## !traceon and !traceoff each remove both
$ echo '!traceon' > trigger
$ cat trigger | head -n 1
# Available triggers:
$ echo 'traceon if bytes_req == 1012' > trigger
$ echo 'traceoff if bytes_req == 1012' > ../kmem_cache_alloc/trigger
$ cat trigger ../kmem_cache_alloc/trigger
traceon:unlimited if bytes_req == 1012
traceoff:unlimited if bytes_req == 1012
END

# --- the file ---------------------------------------------------------------------------

session "the newest trigger comes first; > adds, and removes only with !" <<'END'
$ cd $D/events/kmem/kmalloc
$ echo 'enable_event:kmem:kfree:0' > trigger
$ echo 'traceoff if bytes_req == 1012' > trigger
$ echo 'stacktrace:3 if bytes_req == 1012' >> trigger
$ echo 'snapshot:2 if bytes_req == 1012 && comm != "sh"' > trigger
$ cat trigger
snapshot:count=2 if bytes_req == 1012 && comm != "sh"
stacktrace:count=3 if bytes_req == 1012
traceoff:unlimited if bytes_req == 1012
enable_event:kmem:kfree:count=0
$ echo '!stacktrace' >> trigger
$ cat trigger
snapshot:count=2 if bytes_req == 1012 && comm != "sh"
traceoff:unlimited if bytes_req == 1012
enable_event:kmem:kfree:count=0
## a listed line, with "!" in front, removes its trigger
$ echo '!snapshot:count=2 if bytes_req == 1012 && comm != "sh"' > trigger
$ echo '!enable_event:kmem:kfree:count=0' > trigger
$ echo '!traceoff:unlimited if bytes_req == 1012' > trigger
$ cat trigger | head -n 1
# Available triggers:
## removing a trigger that does not exist is no error
$ echo '!stacktrace' > trigger
$ echo '!enable_event:kmem:kfree' > trigger
$ cat enable ../kfree/enable
0
0
END

session "counts in each notation" <<'END'
$ cd $D/events/kmem/kmalloc
$ try() { echo "$1 if bytes_req == 1012" > trigger; cat trigger; echo '!stacktrace' > trigger; }
$ try stacktrace:0
stacktrace:count=0 if bytes_req == 1012
$ try stacktrace:1
stacktrace:count=1 if bytes_req == 1012
$ try stacktrace:0x10
stacktrace:count=16 if bytes_req == 1012
$ try stacktrace:010
stacktrace:count=8 if bytes_req == 1012
$ try stacktrace:4294967296
stacktrace:count=4294967296 if bytes_req == 1012
$ try 'stacktrace 5'
stacktrace:count=5 if bytes_req == 1012
$ try stacktrace:
stacktrace:unlimited if bytes_req == 1012
## 0 never fires
$ echo 'traceoff:0 if bytes_req == 1012' > trigger
$ fire kmalloc 1012 3
$ cat trigger $ON
traceoff:count=0 if bytes_req == 1012
1
END

session "text after a second colon is ignored" <<'END'
$ cd $D/events/kmem/kmalloc
$ echo 'traceoff:5:6 if bytes_req == 1012' > trigger
$ echo 'enable_event:kmem:kfree:7:x if bytes_req == 1012' > trigger
$ cat trigger
enable_event:kmem:kfree:count=7 if bytes_req == 1012
traceoff:count=5 if bytes_req == 1012
END

session "an error in the filter of a trigger" <<'END'
## ftrace answers so on Linux 6.12
$ echo > $D/error_log
$ echo 'traceoff if nosuch == 1' > $D/events/kmem/kmalloc/trigger
write error: Invalid argument
$ sed 's/^\[.*\] //' $D/error_log
event filter parse error: error: Field not found
  Command: nosuch == 1
                  ^
END

session "error_log has errors of set_event, enable and trigger" <<'END'
$ echo > $D/error_log
$ echo nosuch >> $D/set_event
write error: Invalid argument
$ echo 2 > $D/events/enable
write error: Invalid argument
$ echo nosuch > $D/events/kmem/kmalloc/trigger
write error: Invalid argument
$ grep -c error: $D/error_log
[ftrace logged] 0
[kmemtrace logged] 3
END

session "invalid triggers are refused" <<'END'
$ cd $D/events/kmem/kmalloc
$ echo 'stacktrace:3 if bytes_req == 1012' > trigger
$ try() { echo "$1" > trigger; }
$ try ''
write error: Invalid argument
$ try 'nosuch'
write error: Invalid argument
$ try 'nosuch:5'
write error: Invalid argument
$ try '!nosuch'
write error: Invalid argument
$ try '!'
write error: Invalid argument
$ try '! stacktrace'
write error: Invalid argument
$ try 'Traceoff'
write error: Invalid argument
$ try 'traceof'
write error: Invalid argument
$ try 'traceoff:x'
write error: Invalid argument
$ try 'traceoff:-1'
write error: Invalid argument
$ try 'traceoff:5x'
write error: Invalid argument
$ try 'traceoff:99999999999999999999'
[ftrace errno] write error: Numerical result out of range
[kmemtrace errno] write error: Invalid argument
$ try 'traceoff if'
write error: Invalid argument
$ try 'traceoff:3 if'
write error: Invalid argument
$ try 'traceoff:3 bytes_req == 1012'
write error: Invalid argument
$ try 'traceoff bytes_req == 1012'
write error: Invalid argument
$ try 'traceoff if nosuch == 1'
write error: Invalid argument
$ try 'traceoff if (bytes_req == 1'
[ftrace errno] write error: No such file or directory
[kmemtrace errno] write error: Invalid argument
$ try 'enable_event'
write error: Invalid argument
$ try 'enable_event:'
write error: Invalid argument
$ try 'enable_event:kmem'
write error: Invalid argument
$ try 'enable_event:kmem:'
write error: Invalid argument
$ try 'enable_event:kmem:*'
write error: Invalid argument
$ try 'enable_event:kmem:nosuch'
write error: Invalid argument
$ try 'enable_event:nosuch:kfree'
write error: Invalid argument
$ try 'enable_event:kmem:kfree:'
write error: Invalid argument
$ try 'enable_event:kmem:kfree:x'
write error: Invalid argument
$ try 'enable_event:kmem:kfree if'
write error: Invalid argument
$ try 'enable_event:kmem:kfree ptr == 1'
write error: Invalid argument
## the filter uses the fields of the event with the trigger
$ try 'enable_event:kmem:mm_page_free if order == 1'
write error: Invalid argument
$ try '!enable_event:kmem:nosuch'
write error: Invalid argument
$ bytes5000 > trigger
write error: Invalid argument
$ cat trigger enable ../kfree/enable ../mm_page_free/enable
stacktrace:count=3 if bytes_req == 1012
0*
0
0
END
end
