#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The kernel ceases to trust the time stamp counter. A recording that is ordered by time
# says so. Others are ordered by sequence number from then on. This lasts until the
# machine boots again, so this test has a boot of its own.
# shellcheck source=tests/kselftest/ktap.sh
. ./ktap.sh
dir=/sys/kernel/debug/kmemtrace
run=/sys/kernel/debug/kmt_client/run
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
log=$work/log

# Record COMMAND. Sets $file. Events may be lost.
record() { # NAME COMMAND [OPTION]...
	file=$work/$1.kmt
	command=$2
	shift 2
	may_lose kmemtrace-user record -o "$file" "$@" -- sh -c "$command" >"$log" 2>&1
}

# check finds no violation. Afterwards, $log has what info shows.
is_good() {
	may_lose kmemtrace-user check "$file" >"$log" 2>&1 &&
		kmemtrace-user info --json "$file" >"$log" 2>&1
}

# Writing WORD to FILE fails, and error_log has REASON.
refused() { # FILE WORD REASON NAME
	: >$dir/error_log
	! sh -c "echo $2 >$dir/$1" 2>"$log" && grep -q 'No such device' "$log" &&
		cat $dir/error_log >>"$log" && grep -q "$3" $dir/error_log
	result $? "$4"
}

plan 14
insmod /lib/modules/kmemtrace.ko order_time=1 && insmod /lib/modules/kmt_client.ko &&
	order_is time 4
result $? "modules load, and the order is by time"
record before "echo storm 0 2000 >$run" && is_good && grep -q '"order": *"time"' "$log" &&
	! grep -q '"order_doubtful": *"*1' "$log"
result $? "a recording is ordered by time, and the order is not doubtful"

record meanwhile "echo storm 0 2000 >$run; insmod /lib/modules/kmt_distrust.ko
	echo storm 0 2000 >$run" && is_good && grep -q '"order": *"time"' "$log"
result $? "the kernel ceases to trust the counter: the recording ends well"
grep -q '"order_doubtful": *"*1' "$log"
result $? "... it says that its order is doubtful"
kmemtrace-user info "$file" 2>&1 | tee "$log" | grep -q order_doubtful
result $? "... info shows that"

refused enabled 1 'does not trust the time stamp counter any more' \
	"recording cannot be switched on in the order time"
! record impossible true --order time && [ ! -e "$file" ] &&
	grep -q 'order time is not possible: the kernel does not trust' "$log" &&
	order_is time 4
result $? "record --order time fails, and says why"
record fallback "echo storm 0 2000 >$run" && is_good && ! grep -q '"order": *"time"' "$log"
result $? "record orders by sequence number instead"
order_is sequence 3 && echo 1 >$dir/enabled && echo 0 >$dir/enabled
result $? "... the order stays sequence, and recording can be switched on"
refused order time 'does not trust the time stamp counter' "time cannot be written"
record default "echo storm 0 2000 >$run" && is_good && ! grep -q '"order": *"time"' "$log"
result $? "record orders by sequence number if there is no --order"
! record time true --order time && [ ! -e "$file" ] &&
	grep -q 'order time is not possible: the kernel does not trust' "$log"
result $? "... and --order time fails"
rmmod kmemtrace

seen=$(dmesg | wc -l)
insmod /lib/modules/kmemtrace.ko order_time=1 && order_is sequence 3 &&
	dmesg | tail -n +"$seen" | grep -q 'order_time=1: the kernel does not trust'
result $? "order_time=1: the module loads with the order sequence, and the log says why"
rmmod kmemtrace kmt_client kmt_distrust
result $? "modules unload"
exit "$failed"
