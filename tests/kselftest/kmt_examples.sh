#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs every example of the guide, the README and the man page, one after the other.
# examples.sed shortens times, and replaces made-up names by those of this machine. A command
# that waits for Ctrl-C gets SIGINT after some seconds. Each command must succeed; it may lose
# events.
# shellcheck source=tests/kselftest/ktap.sh
. ./ktap.sh
here=$PWD
log=/tmp/example.log pfn=
mkdir -p /tmp/examples
cd /tmp/examples || exit 1

# Lines of the guide after a prompt, continued after a backslash, without the comment.
of_guide() {
	awk '/^ +[#$] / || more {
			if (!more) sub(/^ +[#$] /, "")
			more = sub(/ *\\$/, " ")
			line = line $0
			if (more) next
			sub(/  +#.*/, "", line); gsub(/  +/, " ", line); print line; line = ""
		}' "$here/doc/guide.rst"
}

of_readme() {
	sed -n 's/^    \(insmod .*\|build\/kmemtrace-user .*\)/\1/p' "$here/doc/README.md" |
		sed 's/  *#.*//'
}

# It says nothing of loading the module.
of_man_page() {
	echo insmod build/module/kmemtrace.ko
	sed -n '/^\.SH EXAMPLES/,/^\.EE/p' "$here/doc/kmemtrace-user.8" |
		sed -n '/^kmemtrace/ { s/\\-/-/g; p }'
}

# Make what the examples need: a module that leaves memory behind when it is unloaded, a
# process with a known name, a memory cgroup, and states and recordings with the names that
# the examples give them.
prepare() {
	insmod /lib/modules/kmemtrace.ko
	insmod /lib/modules/kmt_leaky.ko leak=1 && rmmod kmt_leaky
	insmod /lib/modules/kmt_client.ko
	sleep 1000 &
	# each part of a recording has records
	while :; do sleep 0.1; done &
	worker=$!
	mkdir -p /sys/fs/cgroup && mount -t cgroup2 cgroup2 /sys/fs/cgroup
	mkdir -p /sys/fs/cgroup/system.slice
	for state in saved.tags kernel-6.1.tags kernel-6.12.tags; do
		kmemtrace-user allocinfo --save $state
	done
	for file in old.kmt new.kmt; do
		kmemtrace-user record -d 0.5 -o $file
	done
	object=$(kmemtrace-user script new.kmt |
		sed -n 's/.* kmem:kmalloc .* ptr=\(0x[0-9a-f]*\) .*/\1/p' | head -n 1)
}

# Set $pfn to a page whose site is known.
hold_page() {
	[ -z "$pfn" ] || echo 'drop pages 0' >/sys/kernel/debug/kmt_client/run
	echo 'hold pages 0 1' >/sys/kernel/debug/kmt_client/run
	pfn=$(kmemtrace-user pages --page-owner --site client_pages_alloc |
		sed -n 's/^PFN \(0x[0-9a-f]*\) .*/\1/p' | head -n 1)
}

# Make what one example needs, just before it runs.
before() { # COMMAND
	case $1 in
	*--input\ b.tags*) kmemtrace-user allocinfo --save b.tags ;;
	*PFN_OF_PAGE*) hold_page ;;
	*dmesg*unload*)
		tries=0
		until dmesg | grep -q 'allocated at module unload' || [ $tries -gt 20 ]; do
			tries=$((tries + 1))
			sleep 1
		done
		;;
	esac
}

run() { # COMMAND
	before "$1" >/dev/null 2>&1
	sed -e "s/PFN_OF_PAGE/$pfn/g" -e "s/ADDRESS_OF_OBJECT/$object/g" >/tmp/command <<-COMMAND
		$1
	COMMAND
	may_lose sh /tmp/command >$log 2>&1 </dev/null
}

{ of_guide && of_readme && of_man_page; } >/tmp/given
sed -f "$here/examples.sed" /tmp/given >/tmp/changed
plan "$(($(wc -l </tmp/given) + 3))"
[ "$(wc -l </tmp/changed)" = "$(wc -l </tmp/given)" ] && [ "$(wc -l </tmp/given)" -gt 100 ]
result $? "the documents have examples"
prepare >$log 2>&1
[ -n "$object" ]
result $? "what they need is there"
exec 3</tmp/given 4</tmp/changed
while read -r given <&3 && read -r changed <&4; do
	log=/tmp/example.log
	if [ "${changed#! }" != "$changed" ]; then
		! run "${changed#! }" && grep -q linux-image $log
	else
		run "$changed"
	fi
	status=$?
	[ $status -eq 0 ] || echo "# exit $status: $changed"
	result $status "$given"
done
log=
kill $worker
rmmod kmt_client && rmmod kmemtrace
result $? "the module unloads"
exit $failed
