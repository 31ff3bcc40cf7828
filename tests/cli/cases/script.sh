# shellcheck shell=bash disable=SC2154 # run.sh includes this file
# SPDX-License-Identifier: GPL-2.0-only

check script script golden.kmt
check script-since script --since 1.058 --until 1060ms golden.kmt
check script-since-end script --since -2ms features.kmt
check script-since-nothing script --since 5s golden.kmt
check script-since-backwards script --since 50% --until 25% golden.kmt
check script-since-bad script --since yesterday golden.kmt
check script-until-clock script --until 15:04 golden.kmt
check script-features script features.kmt
check script-fields script --fields time,cpu,event,bytes_req,call_site features.kmt
like=script-features check script-fields-stack \
	script --fields pid,comm,context,cgroup,stack features.kmt
check script-fields-help script --fields help
check script-fields-bad script --fields pid,moon features.kmt
check script-json script --json features.kmt
like=script-json check script-json-fields script --json --fields time,comm,stack features.kmt
check script-filter script --filter 'cache ~ "th*" && (pid == 41 || context & 0x80)' features.kmt
like=script-since-end check script-filter-cpu \
	script --filter 'cpu & CPUS{1} && time > 1069ms' features.kmt
check script-filter-lacking script --filter 'pid >= 0 && cgroup > 1' golden.kmt
check script-filter-lacks script --filter 'pid >= 0 || cache == "other"' golden.kmt
check script-filter-field script --filter 'nofield == 1' golden.kmt
check script-filter-age script --filter 'cpu == 0 && age > 1s' golden.kmt
check script-filter-function script --filter 'call_site.function == delta' golden.kmt
check script-filter-cpus script --filter 'cpu & CPUS{0-2}' golden.kmt
check script-filter-none script --filter '' golden.kmt
like=script-features check script-cpus script --cpus 0 features.kmt
check script-bad-cpus script --cpus 3-1 features.kmt
check script-raw-ip script --raw-ip -C 1 features.kmt
check script-raw script cpu0.out
like=script-raw check script-raw-big-endian script big-cpu0.out
like=script check script-cut script cut.kmt
check script-partial script partial.kmt
check script-nothing script
check script-missing script nowhere.kmt
check script-bad-option script --moon golden.kmt
check script-help script --help
for d in basic wrap unseen violations damaged; do
	check script-$d script $d.kmt
done
check script-kept script kept.kmt
check script-fields-help-json script --fields help --json

# recordings of other versions: see Compatibility in Documentation/file-format.rst
for version in later newer; do
	check script-$version script $version.kmt
done

fails_on_full_disk() {
	"$tool" script golden.kmt 2>err >/dev/full
	[ $? -eq 1 ] && grep -q 'cannot write the output: No space left' err
}
fails_on_full_disk
verdict $? "a full disk is an error"

for d in basic wrap tasks stacks; do
	same $d script
	same $d script --json
done
same tasks script --filter 'pid == 300 || comm ~ "k*" && cgroup > 70000'

like=script check script-follow script --follow golden.kmt
like=script-raw check script-follow-raw script --follow cpu0.out
check script-follow-nothing script --follow nowhere.kmt
check script-follow-no-module script --follow
# The file grows while the lock of the recorder is held, once script has read what it has:
# script waits then, asleep.
follows() { # FILE: script has it open, and sleeps
	local pid
	for pid in $(pgrep -f "^$tool script --follow $1\$"); do
		[ "$(cut -d ' ' -f 3 "/proc/$pid/stat")" != S ] || return 0
	done
	return 1
}
head -c 700 golden.kmt >grows.kmt.part
mkfifo locked
(
	flock 9
	echo >locked
	for ((i = 0; i < 600; i++)); do
		! follows grows.kmt || break
		sleep 0.1
	done
	tail -c +701 golden.kmt >&9
) 9>>grows.kmt.part &
writer=$!
read -r <locked
like=script check script-follow-grows script --follow grows.kmt
wait $writer

# failed allocations
no_memory script features.kmt
no_memory script --json features.kmt

# members that no case above prints
print_keys script --json --fields common_size golden.kmt
