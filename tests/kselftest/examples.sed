# SPDX-License-Identifier: GPL-2.0-only
#
# Changes examples of the documents, one in each line, for kmt_examples.sh. A line that
# begins with ! must fail, and name the Debian package that is missing.

# paths of this machine
s,build/module/,/lib/modules/,
s,build/kmemtrace-user,kmemtrace-user,g
s/ssh host //
# the other modules of the guest have no debug information
s,^find /usr/lib/debug [^|]*,find /lib/modules -name kmt_client.ko ,
s,^rsync -r --mkpath lines/ root@server:\(.*\),mkdir -p \1 \&\& cp -r lines/. \1,

# shorter times
s/ -d [0-9]\{1,\}/ -d 1/
s/sleep 3600/sleep 1/
s/leaks\( --for [0-9a-z]*\)\{0,1\}\( --top [0-9]*\)\{0,1\}$/leaks --for 6s --settle 2s --stacks 1s\2/
s/leaks --repeat 9 /leaks --repeat 4 --settle 1s /
s/leaks \([a-z]*\.kmt\)/leaks --settle 0.1s \1/
s/--for 10s/--for 1s/

# names of this machine instead of made-up ones
s,\./reproducer,mkdir -p /tmp/round,
s/sshd/sleep/
s/--compare [0-9]* [0-9]*/--compare $$ 1/
s/PID/$$/
s/'d_alloc \[d\]'/alloc_inode/
s/ext4_alloc_inode/alloc_inode/
s/grows_get/alloc_inode/
s/0x32/PFN_OF_PAGE/
s/pfn:0x[0-9a-f]*/pfn:PFN_OF_PAGE/
s/0xffff[0-9a-f]*/ADDRESS_OF_OBJECT/

# without a terminal; tests/cli runs it in one
s/^kmemtrace-user top\( --sort change\)\{0,1\}$/kmemtrace-user top --once -d 1\1/
# it goes on until Ctrl-C
s/^kmemtrace-user top --json.*/timeout -s INT 4 &; [ $? -eq 130 ]/
s/^kmemtrace-user script --follow --filter/timeout -s INT 4 &/
s/^kmemtrace-user record .* -o - |/timeout -s INT 3 &/
s/^kmemtrace-user record -o - |/timeout -s INT 3 &/
s/^kmemtrace-user record --flight/timeout -s INT 3 &/
# the module cannot be unloaded while the event is on
s,^cat \(.*\)/trace_pipe,timeout -s INT 3 cat \1/trace_pipe; status=$?; echo 0 >\1/events/kmemtrace/enable; [ $status -eq 130 ],
s/^\(kmemtrace-user record .*\) &$/kmemtrace-user record -d 3 -o long.kmt \& sleep 1; kill -0 $!/

# the module is loaded already, and would go on recording
s/^insmod /rmmod kmemtrace; insmod /
s,-o oom\.kmt$,&; status=$?; rmmod kmemtrace; insmod /lib/modules/kmemtrace.ko; exit $status,
# this machine has no debug information of the kernel
s/^kmemtrace-user codetags load/! &/
