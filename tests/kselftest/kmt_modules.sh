#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Modules are loaded and unloaded during a recording. Each call site gets the name of
# the module that was at its address at that time.
# shellcheck source=tests/kselftest/ktap.sh
. ./ktap.sh
log=/tmp/log
dir=/sys/kernel/debug/kmemtrace
mod=/lib/modules

# The report has a row of 50 allocations of 700 bytes, all of them freed.
has_row() { # FUNCTION MODULE
	grep -q "^0,0,50,50,35000,.*,$1+0x[0-9a-f]* \[$2\]" log
}

# The report names both call sites of a module: in its core and in its init function.
is_named() { # FILE MODULE PREFIX NAME
	kmemtrace-user report --top 0 --csv "$1" >log 2>&1
	has_row "$3_core" "$2" && has_row "\($3_init\|init_module\)" "$2"
	result $? "$4"
}

text_of() { # MODULE
	sed -n "s/^module $1 [^ ]* [^ ]* [^ ]* \(0x[0-9a-f]*\) .*/\1/p" $dir/modules
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
cd "$work" || exit 1
plan 12
insmod $mod/kmemtrace.ko
kmemtrace-user record -e kmem:kmalloc,kmem:kfree -o a.kmt -- sh -c "
	insmod $mod/kmt_visit_a.ko; rmmod kmt_visit_a
	insmod $mod/kmt_visit_b.ko; rmmod kmt_visit_b" 2>log
[ -n "$(text_of kmt_visit_a)" ] &&
	[ "$(text_of kmt_visit_a)" = "$(text_of kmt_visit_b)" ]
result $? "the second module has the addresses of the first"
is_named a.kmt kmt_visit_a first "report names a module that was loaded and unloaded"
is_named a.kmt kmt_visit_b other "report names another module at the same addresses"
kmemtrace-user script a.kmt >log 2>&1
[ "$(grep -c 'kmalloc.*call_site=first_core+0x[0-9a-f]* \[kmt_visit_a\]' log)" -eq 50 ] &&
	[ "$(grep -c 'kmalloc.*call_site=other_core+0x[0-9a-f]* \[kmt_visit_b\]' log)" -eq 50 ]
result $? "script names both"
insmod $mod/kmt_visit_a.ko
kmemtrace-user record -e kmem:kmalloc,kmem:kfree -o b.kmt -- sh -c "
	rmmod kmt_visit_a; insmod $mod/kmt_visit_b.ko; rmmod kmt_visit_b" 2>log
is_named b.kmt kmt_visit_b other "report names a module at the addresses of an earlier one"
! grep -q first_ log
result $? "... it does not name the earlier one"

kmemtrace-user record -e kmem:kmalloc,kmem:kfree -o c.kmt -- insmod $mod/kmt_visit_a.ko 2>log
kmemtrace-user report --top 0 --csv c.kmt >log 2>&1
grep -q ',50,50,0,35000,.*,first_core+0x[0-9a-f]* \[kmt_visit_a\]' log
result $? "report names a module that was loaded and is still loaded"
kmemtrace-user record -e kmem:kmalloc,kmem:kfree -o d.kmt -- true 2>log
! grep -q . $dir/modules
result $? "a new recording starts with an empty file modules"
rmmod kmt_visit_a

kmemtrace-user record --flight -e kmem:kmalloc,kmem:kfree -o e.kmt -- sh -c "
	insmod $mod/kmt_visit_a.ko; rmmod kmt_visit_a" 2>log
is_named e.kmt kmt_visit_a first "report of a flight recording names a module"

insmod $mod/kmt_visit_a.ko
echo 1 >$dir/enabled
echo 0 >$dir/enabled
rmmod kmt_visit_a
[ -n "$(text_of kmt_visit_a)" ]
result $? "a module that is unloaded after a recording is in the file modules"
# names that are printed while the recording goes on were in the stream before END
named() { # PREFIX MODULE: how many of its allocations script has shown
	grep -c "kmalloc .*call_site=$1_core+0x[0-9a-f]* \[$2\]" shown
}
# The filter keeps the events of this loop out of the stream. With them, script fell behind
# on CPUs that share a thread.
kmemtrace-user record -e kmem:kmalloc -f 'bytes_req == 700' -o - 2>log |
	kmemtrace-user script - >shown 2>&1 &
i=0
until [ "$(cat $dir/enabled)" = 1 ] || [ $i -ge 300 ]; do
	sleep 0.1
	i=$((i + 1))
done
insmod $mod/kmt_visit_a.ko
rmmod kmt_visit_a
insmod $mod/kmt_visit_b.ko
i=0
until [ "$(named other kmt_visit_b)" -ge 50 ] || [ $i -ge 600 ]; do
	sleep 0.1
	i=$((i + 1))
done
[ "$(cat $dir/enabled) $(named first kmt_visit_a) $(named other kmt_visit_b)" = "1 50 50" ]
result $? "script names modules that were loaded after it had begun to read a stream"
grep -h "bytes_req=700" shown | grep -v _core | head -n 5 | sed 's/^/# /'
rmmod kmt_visit_b
echo 0 >$dir/enabled # which ends the recorder
wait
rmmod kmemtrace
result $? "kmemtrace unloads"
exit $failed
