# shellcheck shell=bash disable=SC2154 # run.sh includes this file
# SPDX-License-Identifier: GPL-2.0-only

written() { # FILE TEXT: the tool must have written TEXT to FILE
	local text
	text=$(cat "$fake/$1")
	: >"$fake/$1"
	[ "$text" = "$2" ]
	verdict $? "... writes $2 to $1" || echo "# not $text"
}

check events-no-module events

new_module
echo 'bytes_req > 4096' >"$fake/events/kmem/kmalloc/filter"
printf '%s\n' 'call_site.function == moon' '             ^' \
	'parse_error: Function not found' 'filter in force: order > 3' \
	>"$fake/events/kmem/mm_page_alloc/filter"
printf '%s\n' 'stacktrace:count=5 if bytes_req > 65536' snapshot:unlimited \
	>"$fake/events/kmem/kmalloc/trigger"
echo '1*' >"$fake/events/kmem/kmalloc/enable"
echo '0*' >"$fake/events/kmem/mm_page_free/enable"

check events events
check events-list-json events list --json
no_memory events
no_memory events list --json
check events-help events --help
check events-bad-word events moon
check events-list-argument events list kmalloc
check events-fields-json events fields --json
check events-fields events fields
like=events-fields check events-fields-of events fields kfree
check events-fields-no-event events fields moon

check events-enable events enable kmem:kfree
written set_event kmem:kfree
check events-disable events disable kmalloc
written set_event '!kmalloc'
check events-enable-nothing events enable

check events-filter-show events filter kmalloc
check events-filter-refused-show events filter mm_page_alloc
check events-filter-system-show events filter kmem
check events-filter-nothing events filter
check events-filter-no-event events filter moon
check events-filter-words events filter kmalloc bytes_req '>' 1
check events-filter-caret events filter kmalloc 'bytes_req > 4K && nofield == 1'
check events-filter-other events filter kfree 'bytes_req > 4K'
for event in kmalloc kfree kmem_cache_free; do
	: >"$fake/events/kmem/$event/filter"
done
check events-filter-set-other events filter kmem:kmalloc 'age > 1 || call_site.function == moon'
check events-filter-set events filter kmem:kmalloc 'call_site.function == moon'
written events/kmem/kmalloc/filter 'call_site.function == moon'
check events-filter-set-system events filter kmem 'age > 1s'
written events/kmem/kfree/filter 'age > 1s'
written events/kmem/kmem_cache_free/filter 'age > 1s'
written events/kmem/kmalloc/filter ''
check events-filter-set-none events filter kmalloc 0
written events/kmem/kmalloc/filter 0

check events-trigger-show events trigger kmem:kmalloc
check events-trigger-none events trigger kfree
check events-trigger-system events trigger kmem
check events-trigger-bad events trigger kmalloc 'stacktrace:5 iff bytes_req > 1'
check events-trigger-caret events trigger kmalloc 'stacktrace:5 if bytes_req >< 1'
: >"$fake/events/kmem/kmalloc/trigger"
check events-trigger-set events trigger kmalloc 'stacktrace:5 if bytes_req > 1'
written events/kmem/kmalloc/trigger 'stacktrace:5 if bytes_req > 1'
check events-trigger-remove events trigger kmalloc '!stacktrace'
written events/kmem/kmalloc/trigger '!stacktrace'

# histograms
check events-trigger-hist-bad events trigger kmalloc 'hist:keys=call_site.symbol'
check events-trigger-hist-none events trigger kmalloc hist
check events-trigger-hist-caret events trigger kmalloc 'hist:keys=pid if nofield == 1'
check events-foreign-hist events trigger sched:sched_switch hist:keys=pid
: >"$fake/events/kmem/kmalloc/trigger"
check events-trigger-hist events trigger kmalloc 'hist:keys=call_site.sym:vals=live if cpu == 1'
written events/kmem/kmalloc/trigger 'hist:keys=call_site.sym:vals=live if cpu == 1'
cat >"$fake/events/kmem/kmalloc/hist" <<'END'
# event histogram
#
# trigger info: hist:keys=comm:vals=hitcount:sort=hitcount:size=2048 [active]
#

END
printf '{ comm: \033[31m                                              } hitcount:          1\n' \
	>>"$fake/events/kmem/kmalloc/hist"
check events-hist events hist kmem:kmalloc
check events-hist-nothing events hist
check events-hist-system events hist kmem
check events-hist-missing events hist kfree
check events-hist-words events hist kmalloc hist:keys=comm
no_memory events hist kmalloc

# control characters are not printed
printf 'comm == "\033[31m"\n' >"$fake/events/kmem/kmalloc/filter"
like=events check events-clean events

# triggers of events that kmemtrace does not record
new_module
printf '%s\n' 'block:block_unplug:snapshot:count=3 if comm == "\033[31m"' \
	'sched:sched_switch:traceoff:unlimited' \
	'sched:sched_switch:enable_event:kmem:kmalloc:count=0' >"$fake/triggers"
like=events check events-foreign events
like=events-list-json check events-foreign-json events list --json
no_memory events
no_memory events list --json
check events-foreign-show events trigger sched:sched_switch
check events-foreign-none events trigger sched:sched_waking
check events-foreign-no-name events trigger sched:sched_switch:traceoff
check events-foreign-bad events trigger sched:sched_switch traceof
check events-foreign-stack events trigger sched:sched_switch stacktrace
check events-foreign-caret events trigger sched:sched_switch 'traceoff if comm == "a" && ptr > 1'
: >"$fake/triggers"
check events-foreign-set events trigger syscalls:sys_enter_read 'enable_event:kmem:kmalloc:1 if common_pid == 1234'
written triggers 'syscalls:sys_enter_read:enable_event:kmem:kmalloc:1 if common_pid == 1234'
check events-foreign-remove events trigger block:block_unplug '!snapshot'
written triggers '!block:block_unplug:snapshot'
