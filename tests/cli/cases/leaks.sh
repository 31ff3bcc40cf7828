# shellcheck shell=bash disable=SC2154 # run.sh includes this file
# SPDX-License-Identifier: GPL-2.0-only

# A module with four tags. Tag 3 leaks if LEAKING is set to the file ages (leak_clock.c).
new_leak() {
	new_module
	cat >"$fake/tags" <<'END'
kmemtrace tags - version: 1
# kind bytes objects requested allocs frees peak oldest_ms address id location
slab 96000 1500 96000 9000 7500 300000 9 ffffffff81000010 3 drivers/a.c:11 func:a_get
page 4096000 1000 4096000 1000 0 4096000 9 ffffffff81000020 5 drivers/b.c:22 func:b_hold
page 4096 1 4096 5 4 4096 9 ffffffff81000030 6 mm/slub.c:33 func:allocate_slab
END
	printf 'accounting 1\naccounting_since_ns 1000000000\nclock_ns 61000000000\n' \
		>"$fake/stats"
	./leak_objects "$fake/ages" 0
	: >"$fake/mark"
}

new_leak
export LD_PRELOAD=$work/leak_clock.so
quick=(--for 4.6 --settle 0.4 --stacks 0)
check leaks-nothing leaks "${quick[@]}"
check leaks-nothing-json leaks "${quick[@]}" --json
check leaks-repeat leaks --repeat 4 --settle 0.01 -- true
like=leaks-nothing-json check leaks-repeat-json leaks --repeat 4 --settle 0.01 --json -- true
like=leaks-repeat check leaks-repeat-fails leaks --repeat 4 --settle 0.01 -- false
: >runs
cat >dies-once <<'END'
echo >>runs
[ "$(wc -l <runs)" != 2 ] || kill -9 $$
END
like=leaks-repeat check leaks-repeat-fails-once leaks --repeat 4 --settle 0.01 -- sh dies-once
like=leaks-repeat-json check leaks-repeat-fails-json \
	leaks --repeat 4 --settle 0.01 --json -- sh -c 'exit 7'
check leaks-repeat-no-command leaks --repeat 4 -- sh-that-does-not-exist
check leaks-repeat-without leaks --repeat 4
check leaks-repeat-few leaks --repeat 3 -- true
check leaks-repeat-for leaks --repeat 4 --for 60s -- true
check leaks-repeat-stacks leaks --repeat 4 --stacks 1 -- true
check leaks-word leaks something
check leaks-time leaks --for 10x
check leaks-short leaks --for 10
sed -i 's/^accounting 1/accounting 0/' "$fake/stats"
check leaks-off leaks
check leaks-off-repeat leaks --repeat 4 -- true
sed -i 's/^accounting 0/accounting 1/' "$fake/stats"
check leaks-mark-option leaks mark --settle 5
check leaks-mark-json leaks mark --json
check leaks-mark-word leaks mark now
[ ! -s "$fake/mark" ]
verdict $? "a wrong use of leaks mark does not set the mark"
check leaks-mark leaks mark
[ "$(cat "$fake/mark")" = 1 ]
verdict $? "leaks mark writes the module's file mark"

export LEAKING=$fake/ages
without_release() {
	sed "s/^Linux $(uname -r) $(uname -m),/Linux RELEASE MACHINE,/"
}
check_through without_release leaks-growing leaks "${quick[@]}"
print_keys leaks "${quick[@]}" --json
env -u LD_PRELOAD script -qec "LD_PRELOAD=$LD_PRELOAD $tool leaks ${quick[*]}" /dev/null \
	</dev/null 2>&1 | tr '\r' '\n' >out
grep -q '% of 4 s observed' out
verdict $? "leaks shows its progress on a terminal" || sed 's/^/# /' out
sed -i.bak 's|drivers/a.c:11 func:a_get|earlier/slab:0 func:dentry|' "$fake/tags"
printf 'survey 1\nsurvey_running 1\n' >>"$fake/stats"
like=leaks-nothing check leaks-survey leaks "${quick[@]}"
print_keys leaks "${quick[@]}" --json
mv "$fake/tags.bak" "$fake/tags"
sed -i /^survey/d "$fake/stats"
cp "$fake/tags" "$fake/tags.bak"
sed 's|drivers/a.c:11 func:a_get|fs/file_table.c:11 func:alloc_empty_file|' "$fake/tags.bak" >"$fake/tags"
like=leaks-growing check_through without_release leaks-open-files leaks "${quick[@]}"
sed 's|drivers/a.c:11 func:a_get|mm/vmalloc.c:11 func:__get_vm_area_node|' "$fake/tags.bak" >"$fake/tags"
LEAK_PAGES=1 like=leaks-growing check_through without_release leaks-area leaks "${quick[@]}"
LEAK_PAGES=1 like=leaks-area check_through without_release leaks-area-all \
	leaks "${quick[@]}" --top 0
LEAK_PAGES=1 print_keys leaks "${quick[@]}" --json
LEAK_PAGES=1 "$tool" leaks "${quick[@]}" --json | grep -q '"leader": "drivers/b.c:22 func:b_hold"'
verdict $? "JSON says which site a site grows in lock step with"
mv "$fake/tags.bak" "$fake/tags"
# what grows is what users hold
mkdir -p proc-held/self proc-held/sys/net/netfilter
echo '22 1 0:21 / /run/user rw,nosuid - tmpfs tmpfs rw' >proc-held/self/mountinfo
KMEMTRACE_PROC=proc-held LEAK_FILES=1 like=leaks-growing check_through without_release leaks-files \
	leaks "${quick[@]}"
KMEMTRACE_PROC=proc-held LEAK_COUNT=proc-held/sys/net/netfilter/nf_conntrack_count \
	like=leaks-files check_through without_release leaks-chance leaks "${quick[@]}"
cp "$fake/tags" "$fake/tags.bak"
sed 's|drivers/a.c:11 func:a_get|net/netfilter/nf_conntrack_core.c:1673 func:__nf_conntrack_alloc|' \
	"$fake/tags.bak" >"$fake/tags"
KMEMTRACE_PROC=proc-held LEAK_COUNT=proc-held/sys/net/netfilter/nf_conntrack_count \
	like=leaks-files check_through without_release leaks-connections leaks "${quick[@]}"
mv "$fake/tags.bak" "$fake/tags"
KMEMTRACE_PROC=proc-held LEAK_FILES=1 print_keys leaks "${quick[@]}" --json
KMEMTRACE_PROC=proc-held LEAK_FILES=1 "$tool" leaks "${quick[@]}" --json |
	grep -q '"held": "/run/user"'
verdict $? "JSON says what holds the objects of a site"
KMEMTRACE_PROC=proc-held LEAK_FILES=1 "$tool" html --live --for 60 --hash-names k -o held.html 2>message
grep -o '"held":"[^"]*"' held.html >names && ! grep -q run/user held.html
verdict $? "html --hash-names hashes what holds the objects of a site"
sed 's|drivers/a.c:11 func:a_get|fs/notify/inotify/inotify_fsnotify.c:85 func:inotify_handle_inode_event|' \
	"$fake/tags" >tags-of-events
cp "$fake/tags" "$fake/tags.bak" && mv tags-of-events "$fake/tags"
KMEMTRACE_PROC=proc-held like=leaks-growing check_through without_release leaks-events \
	leaks "${quick[@]}"
mv "$fake/tags.bak" "$fake/tags"
export LEAK_CACHE=1
like=leaks-files check_through without_release leaks-cache leaks "${quick[@]}"
print_keys leaks "${quick[@]}" --json
export KMEMTRACE_PROC=proc-reclaim
mkdir -p proc-reclaim/sys/vm
: >proc-reclaim/sys/vm/drop_caches
LEAK_DROP=proc-reclaim/sys/vm/drop_caches \
	like=leaks-cache check_through without_release leaks-reclaim leaks "${quick[@]}" --reclaim
[ "$(cat proc-reclaim/sys/vm/drop_caches)" = 3 ]
verdict $? "leaks --reclaim asks the kernel to free its caches"
like=leaks-growing check_through without_release leaks-reclaim-stays leaks "${quick[@]}" --reclaim
unset LEAK_CACHE
: >proc-reclaim/sys/vm/drop_caches
LEAK_DROP=proc-reclaim/sys/vm/drop_caches \
	like=leaks-reclaim check_through without_release leaks-reclaim-other \
		leaks "${quick[@]}" --reclaim
rm proc-reclaim/sys/vm/drop_caches
check leaks-reclaim-refused leaks "${quick[@]}" --reclaim
unset KMEMTRACE_PROC
export LEAK_INTERRUPT=4
check_through without_release leaks-interrupted leaks --for 1h --settle 0.4 --stacks 0
like=leaks-growing check_through without_release leaks-interrupted-long \
	leaks --for 9 --settle 0.4 --stacks 0
LEAK_INTERRUPT=1 check leaks-interrupted-early leaks --for 9 --settle 0.4
unset LEAK_INTERRUPT
like=leaks-repeat check leaks-repeat-growing leaks --repeat 4 --settle 0.2 -- true
unset LEAKING
: >runs
cat >leave <<END
echo >>runs
./leak_objects "$fake/ages" \$((10 * \$(wc -l <runs))) \$CACHE
END
check leaks-repeat-leaves leaks --repeat 4 --settle 0.1 -- sh leave
print_keys leaks --repeat 4 --settle 0.1 --json -- sh leave
export CACHE=cache
like=leaks-repeat-leaves check leaks-repeat-cache leaks --repeat 4 --settle 0.1 -- sh leave
: >proc-reclaim/sys/vm/drop_caches
KMEMTRACE_PROC=proc-reclaim \
	like=leaks-repeat-leaves check leaks-repeat-reclaim \
		leaks --repeat 4 --settle 0.1 --reclaim -- sh leave
[ "$(cat proc-reclaim/sys/vm/drop_caches)" = 3 ]
verdict $? "leaks --repeat --reclaim asks the kernel to free its caches"
unset CACHE

# Each round loads a module and unloads it. The list has room for four leaks, the newest.
cat >unload <<END
echo >>runs
n=\$(wc -l <runs)
sed -i '/^unload/d' "$fake/stats"
printf 'unload_leaks %d\nunload_leaked_bytes %d\n' \$((2 * n + 3)) \$((n * 4200)) >>"$fake/stats"
for i in 1 2; do
	printf 'unload_leak 4096 bytes 1 objects oldest_s 10 hold+0x1:0 [leaky] func:hold\n'
	printf 'unload_leak 104 bytes 13 objects oldest_s 9 keep+0x2:0 [leaky] func:keep\n'
done >>"$fake/stats"
END
cp "$fake/stats" stats
: >runs
sh unload && : >runs
# another module was unloaded just before: what it left is counted 5 s later
cp "$fake/stats" later
sed -i 's/^unload_leaks .*/unload_leaks 3\nunloads_pending 1/' "$fake/stats"
LEAK_LATER=later like=leaks-repeat check leaks-repeat-unloads \
	leaks --repeat 4 --settle 0.1 -- sh unload
: >runs
sh unload && : >runs
print_keys leaks --repeat 4 --settle 0.1 --json -- sh unload
cp stats "$fake/stats"
unset LD_PRELOAD

# A saved state of second $1, in which a.c has $2 bytes and b.c $3.
state() { # SECOND A B
	cat >"state$1.tags" <<END
kmemtrace tags - version: 1
slab $2 $(($2 / 64)) $2 100 50 9000 9 ffffffff81000010 3 a.c:11 func:a_get
page $3 $(($3 / 4096)) $3 100 50 9000 9 ffffffff81000020 5 b.c:22 func:b_get
percpu 8 1 8 1 0 8 9 ffffffff81000030 6 c.c:33 func:c_get
# stat accounting 1
# stat accounting_since_ns 1000000000
# stat clock_ns ${1}000000000
END
}
state 100 640 81920
state 200 1280 4096
state 300 1920 163840
state 400 2560 8192
state 500 3264 122880
check leaks-states leaks state{200,300,100,500,400}.tags
like=leaks-nothing-json check leaks-states-json leaks state{100,200,300,400,500}.tags --json
like=leaks-states check leaks-states-two leaks state100.tags state500.tags --top 1
like=leaks-states check leaks-states-three leaks state300.tags state200.tags state400.tags
like=leaks-nothing-json check leaks-states-two-json leaks state100.tags state500.tags --json --top 1
check leaks-states-one leaks state100.tags
check leaks-states-same leaks state100.tags state100.tags
check leaks-states-missing leaks state100.tags nowhere.tags
: >part.tags.part
check leaks-states-part leaks state100.tags part.tags
sed 's/since_ns 1/since_ns 2/' state500.tags >restarted500.tags
check leaks-states-restarted leaks state100.tags restarted500.tags
sed /clock_ns/d state500.tags >timeless.tags
check leaks-states-for leaks state100.tags state500.tags --for 60
check leaks-states-settle leaks state100.tags state500.tags --settle 5
check leaks-states-stacks leaks state100.tags state500.tags --stacks 0
for load in 1 2 3 4; do
	{
		head -4 "state${load}00.tags"
		for i in $(seq "$load"); do
			echo "slab 6400 100 6400 100 0 6400 9 - 1$i hold+0x1:0 [leaky] func:hold (unloaded) #$i"
		done
		grep '^# stat' "state${load}00.tags"
	} >"loads$load.tags"
done
like=leaks-states check leaks-states-loads leaks loads{1,2,3,4}.tags
check leaks-states-timeless leaks state100.tags timeless.tags

check leaks-recording leaks --settle 5 leak.kmt
check leaks-recording-json leaks --settle 5 leak.kmt --json
like=leaks-recording check leaks-recording-no-paths leaks --settle 5 --stacks 0 leak.kmt
check leaks-recording-short leaks leak.kmt --settle 30
check leaks-recording-lost leaks golden.kmt --settle 0.001
like=leaks-recording-lost check leaks-recording-lost-top leaks golden.kmt --settle 0.001 --top 1
like=leaks-recording-json check leaks-recording-lost-json \
	leaks golden.kmt --settle 0.001 --json --top 1
check leaks-recording-raw leaks cpu0.out
check leaks-recording-reclaim leaks leak.kmt --reclaim
check leaks-recording-for leaks leak.kmt --for 10
check leaks-command-without-repeat leaks --for 5s -- true
check leaks-repeat-without-dashes leaks leak.kmt --repeat 5
echo text >no-elf
check leaks-debuginfo-text leaks --settle 5 --debuginfo no-elf leak.kmt
check leaks-debuginfo-missing leaks --settle 5 --debuginfo nowhere leak.kmt
check leaks-debuginfo-repeat leaks --debuginfo auto --repeat 5 -- true
check leaks-recording-two leaks leak.kmt golden.kmt
check leaks-recording-missing leaks nowhere.kmt
check leaks-recording-no-file leaks noise
check leaks-recording-filtered leaks later.kmt
head -c "$(($(stat -c %s leak.kmt) - 300))" leak.kmt >leak-cut.kmt
like=leaks-recording-no-paths check leaks-recording-cut leaks --settle 5 --stacks 0 leak-cut.kmt
print_keys leaks --settle 5 leak.kmt --json
"$tool" leaks --settle 5 - <leak.kmt >out 2>&1
verdict $? "leaks reads a file from standard input" || sed 's/^/# /' out
"$tool" leaks --settle 5 - < <(cat leak.kmt) >out 2>&1
[ $? = 1 ] && grep -q 'save the recording to a file first' out
verdict $? "leaks does not read a pipe" || sed 's/^/# /' out
for file in state100.tags leak.kmt; do
	"$tool" leaks --settle 5 <(cat $file) >out 2>&1
	[ $? = 1 ] && grep -q 'is not a regular file: save it to a file first$' out
	verdict $? "leaks refuses a pipe with $file" || sed 's/^/# /' out
done

echo nonsense >"$fake/ages"
check leaks-damaged leaks
