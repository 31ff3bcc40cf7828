#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# set_event and enable: every example of the document on event tracing (Ts'o, Li,
# Zanussi), with events that kmemtrace has, gives the same results with kmemtrace as with
# ftrace.
cd "$(dirname "$0")" || exit 1
# shellcheck source=tests/kselftest/session.sh
. ./session.sh
begin ''

session "all events are enabled when the module is loaded" <<'END'
[kmemtrace at-first] $ cmp $tmp/set_event_at_first $D/available_events
END

session "modes of the files" <<'END'
$ cd $D/events
$ stat -c %a enable kmem/enable kmem/filter kmem/kfree/id | xargs
[ftrace root-only] 640 640 640 440
[kmemtrace root-only] 600 600 600 400
$ cd $D/events/kmem/kfree
$ stat -c %a enable filter trigger format | xargs
[ftrace root-only] 640 640 640 440
[kmemtrace root-only] 600 600 600 400
END

session "files that only ftrace has" <<'END'
$ cd $D
$ for f in trace trace_pipe trace_marker per_cpu set_event_pid options instances; do [ -e $f ] || echo no $f; done
[kmemtrace files] no trace
[kmemtrace files] no trace_pipe
[kmemtrace files] no trace_marker
[kmemtrace files] no per_cpu
[kmemtrace files] no set_event_pid
[kmemtrace files] no options
[kmemtrace files] no instances
END

session "files that cannot be written" <<'END'
$ echo kmalloc > $D/available_events
write error: Invalid argument
$ echo 1 > $D/events/kmem/kmalloc/format
write error: Invalid argument
$ echo 1 > $D/events/kmem/kmalloc/id
write error: Invalid argument
END

session "set_event: characters that separate words" <<'END'
$ printf 'kmalloc\rkfree\vmm_page_free\fmm_page_alloc\n' > $D/set_event
$ cat $D/set_event | ours
kmem:kfree
kmem:kmalloc
kmem:mm_page_alloc
kmem:mm_page_free
$ printf 'kmalloc\0kfree\0\0\n' > $D/set_event
$ cat $D/set_event | ours
kmem:kfree
kmem:kmalloc
$ echo 'mm_page_free,mm_page_alloc' > $D/set_event
[ftrace comma] write error: Invalid argument
$ cat $D/set_event | ours
[kmemtrace comma] kmem:mm_page_alloc
[kmemtrace comma] kmem:mm_page_free
END

session "set_event: a star alone is no event" <<'END'
$ echo '*' > $D/set_event
write error: Invalid argument
$ cat $D/set_event | ours
END

session "enable: at most one newline follows the number" <<'END'
## printf of busybox does not report errors of its output
$ cd $D/events/kmem/kmalloc
$ for v in '1' '1\n' '+1' '01' '1\0x'; do echo 0 > enable; printf "$v" > enable; cat enable; done
1
1
1
1
1
$ for v in ' 1' '1 ' '1\n\n' '\n1' '\t1'; do echo 0 > enable; printf "$v" > enable; cat enable; done
0
0
0
0
0
END

# --- set_event -----------------------------------------------------------------

session "available_events lists all events" <<'END'
$ cat $D/available_events | ours
kmem:kfree
kmem:kmalloc
kmem:kmem_cache_alloc
kmem:kmem_cache_free
kmem:mm_page_alloc
kmem:mm_page_free
percpu:percpu_alloc_percpu
percpu:percpu_free_percpu
END

session "set_event: >> adds, > clears first, ! removes" <<'END'
$ echo kmalloc >> $D/set_event
$ cat $D/set_event | ours
kmem:kmalloc
$ echo kmem:kfree >> $D/set_event
$ cat $D/set_event | ours
kmem:kfree
kmem:kmalloc
$ echo '!kmalloc' >> $D/set_event
$ cat $D/set_event | ours
kmem:kfree
$ echo mm_page_free > $D/set_event
$ cat $D/set_event | ours
kmem:mm_page_free
$ echo '!kmem:mm_page_free' >> $D/set_event
$ cat $D/set_event | ours
$ echo '!kmem:mm_page_free' >> $D/set_event
$ cat $D/set_event | ours
END

session "set_event: > clears, an empty line does not" <<'END'
$ echo kmem:* > $D/set_event
$ echo > $D/set_event
$ cat $D/set_event | ours
$ echo kfree > $D/set_event
$ : > $D/set_event
$ cat $D/set_event | ours
$ echo kfree > $D/set_event
$ echo >> $D/set_event
$ echo '   ' >> $D/set_event
$ printf '' >> $D/set_event
$ cat $D/set_event | ours
kmem:kfree
$ echo > $D/set_event
$ printf 'kmem:kmalloc\n\nkmem:kfree\n' | while read e; do echo "$e" >> $D/set_event; done
$ cat $D/set_event | ours
kmem:kfree
kmem:kmalloc
END

session "set_event: *:* and *: are all events" <<'END'
$ echo *:* > $D/set_event
$ cat $D/events/enable $D/events/kmem/enable $D/events/percpu/enable
1
1
1
$ cat $D/set_event | ours | cmp - $tmp/ours
$ echo '!*:*' >> $D/set_event
$ cat $D/events/enable $D/events/kmem/enable $D/events/percpu/enable
0
0
0
$ echo *: > $D/set_event
$ cat $D/set_event | ours | cmp - $tmp/ours
$ echo : > $D/set_event
$ cat $D/set_event | ours | cmp - $tmp/ours
END

session "set_event: all events of a subsystem" <<'END'
$ echo 'percpu:*' > $D/set_event
$ cat $D/set_event | ours
percpu:percpu_alloc_percpu
percpu:percpu_free_percpu
$ echo 'kmem:' >> $D/set_event
$ cat $D/set_event | ours | cmp - $tmp/ours
$ echo '!kmem:*' >> $D/set_event
$ cat $D/set_event | ours
percpu:percpu_alloc_percpu
percpu:percpu_free_percpu
$ echo percpu >> $D/set_event
$ cat $D/events/percpu/enable
1
$ echo '!percpu' >> $D/set_event
$ cat $D/events/percpu/enable $D/events/enable
0
0
END

session "set_event: events of any subsystem by name" <<'END'
$ echo '*:kmalloc' > $D/set_event
$ echo ':percpu_free_percpu' >> $D/set_event
$ cat $D/set_event | ours
kmem:kmalloc
percpu:percpu_free_percpu
END

session "set_event: several events in one line, in several lines" <<'END'
$ echo kmalloc kmem:kfree > $D/set_event
$ printf 'mm_page_alloc\n\tmm_page_free  \n!kfree\n' >> $D/set_event
$ cat $D/set_event | ours
kmem:kmalloc
kmem:mm_page_alloc
kmem:mm_page_free
END

session "set_event: unknown events are refused" <<'END'
$ echo kfree > $D/set_event
$ echo nosuch >> $D/set_event
write error: Invalid argument
$ echo kmem:nosuch >> $D/set_event
write error: Invalid argument
$ echo nosuch:kmalloc >> $D/set_event
write error: Invalid argument
$ echo nosuch:* >> $D/set_event
write error: Invalid argument
$ echo percpu:kmalloc >> $D/set_event
write error: Invalid argument
$ echo kmal* >> $D/set_event
write error: Invalid argument
$ echo '!nosuch' >> $D/set_event
write error: Invalid argument
$ echo '!' >> $D/set_event
write error: Invalid argument
$ bytes5000 >> $D/set_event
write error: Invalid argument
$ cat $D/set_event | ours
kmem:kfree
## words before a refused word take effect, those after it do not
$ echo kmalloc nosuch mm_page_free >> $D/set_event
write error: Invalid argument
$ cat $D/set_event | ours
kmem:kfree
kmem:kmalloc
END

# --- enable ----------------------------------------------------------------------

session "enable: one event" <<'END'
$ echo 1 > $D/events/kmem/kmalloc/enable
$ cat $D/events/kmem/kmalloc/enable $D/events/kmem/enable $D/events/enable
1
X
X
$ cat $D/events/percpu/enable $D/events/kmem/kfree/enable
0
0
$ cat $D/set_event | ours
kmem:kmalloc
$ echo 0 > $D/events/kmem/kmalloc/enable
$ cat $D/events/kmem/kmalloc/enable $D/events/kmem/enable $D/events/enable
0
0
0
$ cat $D/set_event | ours
END

session "enable: all events of a subsystem" <<'END'
$ echo 1 > $D/events/percpu/enable
$ cat $D/events/percpu/enable $D/events/kmem/enable $D/events/enable
1
0
X
$ cat $D/events/percpu/*_percpu/enable
1
1
$ cat $D/set_event | ours
percpu:percpu_alloc_percpu
percpu:percpu_free_percpu
$ echo 0 > $D/events/percpu/percpu_free_percpu/enable
$ cat $D/events/percpu/enable
X
$ echo 0 > $D/events/percpu/enable
$ cat $D/events/percpu/enable
0
END

session "enable: all events" <<'END'
$ echo 1 > $D/events/enable
$ cat $D/events/enable $D/events/kmem/enable $D/events/kmem/kfree/enable
1
1
1
$ cat $D/set_event | ours | cmp - $tmp/ours
$ echo 0 > $D/events/kmem/enable
$ cat $D/events/enable $D/events/kmem/enable $D/events/percpu/enable
X
0
1
$ echo 0 > $D/events/enable
$ cat $D/events/enable $D/events/kmem/enable $D/events/percpu/enable
0
0
0
END

session "enable: accepts only 0 and 1" <<'END'
$ echo 1 > $D/events/kmem/kmalloc/enable
$ for v in 2 -1 y on 1x '1 1' 0.5 ''; do echo "$v" > $D/events/kmem/kmalloc/enable; done
write error: Invalid argument
write error: Invalid argument
write error: Invalid argument
write error: Invalid argument
write error: Invalid argument
write error: Invalid argument
write error: Invalid argument
write error: Invalid argument
$ for f in enable kmem/enable; do for v in 2 X y ''; do echo "$v" > $D/events/$f; done; done
write error: Invalid argument
write error: Invalid argument
write error: Invalid argument
write error: Invalid argument
write error: Invalid argument
write error: Invalid argument
write error: Invalid argument
write error: Invalid argument
$ for f in enable kmem/enable kmem/kmalloc/enable; do bytes5000 > $D/events/$f; done
write error: Invalid argument
write error: Invalid argument
write error: Invalid argument
$ cat $D/events/kmem/kmalloc/enable $D/events/kmem/enable
1
X
$ printf 0 > $D/events/kmem/kmalloc/enable
$ cat $D/events/kmem/kmalloc/enable
0
END

session "enable: only enabled events are recorded" <<'END'
$ echo "bytes_req == 1012" > $D/events/kmem/kmalloc/filter
$ made kmalloc 1012 7
0
$ echo 1 > $D/events/kmem/kmalloc/enable
$ made kmalloc 1012 7
7
$ echo 0 > $ON
$ made kmalloc 1012 7
0
END

# --- format and id ---------------------------------------------------------------------

session "format and id have the same ID; format has the fields" <<'END'
$ cd $D/events/kmem/kmalloc
$ head -n 1 format
name: kmalloc
$ sed -n 's/^ID: //p' format | cmp - id
$ sed -n 3p format
format:
$ grep -c 'field:.* bytes_req;.offset:[0-9]*;.size:8;.signed:0;$' format
1
$ grep -c '^print fmt: "' format
1
END
end
