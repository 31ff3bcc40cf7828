#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The files that control the buffers (enabled, overwrite, buffer_size_kb, snapshot) and
# error_log answer like those of ftrace.
cd "$(dirname "$0")" || exit 1
# shellcheck source=tests/kselftest/session.sh
. ./session.sh
begin ''

session "recording: any decimal number is accepted, 0 is off" <<'END'
$ for v in 1 01 2 0 00 10 +1; do echo $v > $ON; cat $ON; done
1
1
1
0
0
1
1
$ for v in 0x1 y n on -1 1x '' ' 1' '1 '; do echo "$v" > $ON; done
write error: Invalid argument
write error: Invalid argument
write error: Invalid argument
write error: Invalid argument
write error: Invalid argument
write error: Invalid argument
write error: Invalid argument
write error: Invalid argument
write error: Invalid argument
$ echo 99999999999999999999 > $ON
write error: Numerical result out of range
$ cat $ON
1
$ printf 0 > $ON
$ cat $ON
0
END

session "overwrite: 0 and 1 are accepted" <<'END'
$ echo 0 > $ON
$ was=$(cat $OVERWRITE)
$ for v in 1 01 0 00; do echo $v > $OVERWRITE; cat $OVERWRITE; done
1
1
0
0
$ for v in 0x1 2 y n -1 1x ''; do echo "$v" > $OVERWRITE; done
write error: Invalid argument
write error: Invalid argument
write error: Invalid argument
write error: Invalid argument
write error: Invalid argument
write error: Invalid argument
write error: Invalid argument
$ cat $OVERWRITE
0
$ echo $was > $OVERWRITE
END

session "buffer_size_kb: sizes are rounded up, also while recording is on" <<'END'
$ at_least() { [ "$(sed 's/ .*//' $D/buffer_size_kb)" -ge "$1" ] || echo "less than $1"; }
$ for v in 1 7 79 100 400 0300; do echo $v > $D/buffer_size_kb; at_least $v; done
$ for v in 0 0x100 x -1 1x ''; do echo "$v" > $D/buffer_size_kb; done
write error: Invalid argument
write error: Invalid argument
write error: Invalid argument
write error: Invalid argument
write error: Invalid argument
write error: Invalid argument
$ at_least 300
$ echo 1 > $D/snapshot
$ echo 200 > $D/buffer_size_kb
$ at_least 200
$ cat $ON
1
## records go into the new buffers
$ echo 'bytes_req == 1012' > $D/events/kmem/kmalloc/filter
$ echo 1 > $D/events/kmem/kmalloc/enable
$ made kmalloc 1012 7
7
END

session "snapshot: 1 allocates and takes one, 0 frees it, others clear it" <<'END'
$ is() { grep -o "Snapshot is [a-z]*" $D/snapshot; }
[ftrace] $ echo > $D/trace
$ echo 0 > $D/snapshot
$ is
Snapshot is freed
$ echo 2 > $D/snapshot
$ is
Snapshot is freed
$ echo 0 > $ON
[kmemtrace] $ cat $D/cpu* > /dev/null
$ echo 1 > $D/snapshot
$ is
Snapshot is allocated
$ cat $ON
0
$ for v in 2 7 02; do echo $v > $D/snapshot; is; done
Snapshot is allocated
Snapshot is allocated
Snapshot is allocated
$ echo 1 > $ON
$ echo 1 > $D/snapshot
$ cat $ON
1
$ for v in '' x 1x 0x1 -1 ' 1'; do echo "$v" > $D/snapshot; done
write error: Invalid argument
write error: Invalid argument
write error: Invalid argument
write error: Invalid argument
write error: Invalid argument
write error: Invalid argument
$ echo 0 > $D/snapshot
$ is
Snapshot is freed
END

session "snapshot: a trigger takes one without overwrite" <<'END'
$ echo 0 > $ON
$ was=$(cat $OVERWRITE)
$ echo 0 > $OVERWRITE
$ echo 1 > $ON
$ echo 'snapshot:1 if bytes_req == 1012' > $D/events/kmem/kmalloc/trigger
$ fire kmalloc 1012 2
$ cat $D/events/kmem/kmalloc/trigger
snapshot:count=0 if bytes_req == 1012
$ echo '!snapshot' > $D/events/kmem/kmalloc/trigger
$ echo 0 > $D/snapshot
$ echo 0 > $ON
$ echo $was > $OVERWRITE
END

# --- error_log -----------------------------------------------------------------

session "error_log: > clears it, >> and writes do not" <<'END'
$ echo > $D/error_log
$ echo 'nosuch == 1' > $D/events/kmem/kmalloc/filter
write error: Invalid argument
$ echo x >> $D/error_log
$ grep -c error: $D/error_log
1
$ : > $D/error_log
$ cat $D/error_log
$ echo 'nosuch == 1' > $D/events/kmem/kmalloc/filter
write error: Invalid argument
$ echo > $D/error_log
$ cat $D/error_log
$ echo 0 > $D/events/kmem/kmalloc/filter
END

session "error_log: a long command and its caret are not cut" <<'END'
$ echo > $D/error_log
$ long="$(printf 'bytes_req != %d && ' $(seq 1 60))nosuch == 1"
$ echo "$long" > $D/events/kmem/kmalloc/filter
write error: Invalid argument
$ sed -n 's/^  Command: //p' $D/error_log > $tmp/logged
$ echo "$long" | cmp - $tmp/logged
$ sed -n 's/^ *^$/&/p' $D/error_log | awk '{ print length($0) }'
1150
$ echo 0 > $D/events/kmem/kmalloc/filter
END

session "error_log: has the errors of other files" <<'END'
[kmemtrace] $ try() { echo > $D/error_log; echo "$1" >> $D/$2; sed 's/^\[.*\] //' $D/error_log; }
[kmemtrace] $ try 'kfree kmem:nosuch' set_event
[kmemtrace] write error: Invalid argument
[kmemtrace] set_event: error: There is no such event
[kmemtrace]   Command: kmem:nosuch
[kmemtrace]            ^
[kmemtrace] $ try 'vfree nosuch' wrappers; echo '!vfree' >> $D/wrappers
[kmemtrace] write error: No such file or directory
[kmemtrace] wrappers: error: The kernel has no such function, or it is no wrapper that can be removed
[kmemtrace]   Command: nosuch
[kmemtrace]            ^
[kmemtrace] $ try 2 events/kmem/kmalloc/enable
[kmemtrace] write error: Invalid argument
[kmemtrace] enable: error: This must be 0 or 1
[kmemtrace]   Command: 2
[kmemtrace]            ^
[kmemtrace] $ try yes events/enable
[kmemtrace] write error: Invalid argument
[kmemtrace] enable: error: This must be 0 or 1
[kmemtrace]   Command: yes
[kmemtrace]            ^
[kmemtrace] $ try one snapshot
[kmemtrace] write error: Invalid argument
[kmemtrace] snapshot: error: This must be a decimal number
[kmemtrace]   Command: one
[kmemtrace]            ^
[kmemtrace] $ echo 1 > $D/snapshot; exec 3< $D/snapshot_cpu0
[kmemtrace] $ try 1 snapshot
[kmemtrace] write error: Device or resource busy
[kmemtrace] snapshot: error: The snapshot is being read, or a trigger takes another one
[kmemtrace]   Command: 1
[kmemtrace] $ exec 3<&-; echo 0 > $D/snapshot
END
end
