#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests the command line: runs commands on fixed recordings, and compares their output
# with the files in expected/. UPDATE=1 writes these files again; check the diff then.
set -u
cd "$(dirname "$0")/../.." || exit 1
top=$PWD
tool=$top/build/kmemtrace-user
expected=$PWD/tests/cli/expected
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
n=0 failed=0

gcc -std=gnu11 -D_GNU_SOURCE -O1 -Wall -Wextra -Werror \
	-Wno-address-of-packed-member -Iinclude/uapi -Ilib \
	-Itools/kmemtrace-user -o "$work/make_recording" \
	tests/cli/make_recording.c \
	tools/kmemtrace-user/trace/{writer,index,pack,columns,unzstd}.c \
	tools/kmemtrace-user/base/{array,memtext,slots,outfile,msg}.c \
	lib/kmt_record.c -lzstd -lz || exit 1
"$work/make_recording" "$work" || exit 1
seq 1000 | head -c 3000 >"$work/noise"
head -c "$(($(stat -c %s "$work/golden.kmt") - 416))" "$work/golden.kmt" \
	>"$work/cut.kmt"
# recordings from descriptions, made by an independent encoder
gcc -std=gnu11 -D_GNU_SOURCE -O1 -Wall -Wextra -Werror -o "$work/mktrace" \
	tests/cli/mktrace.c -lzstd -lz || exit 1
describe() { # ORDER DESCRIPTION FILE
	"$work/mktrace" "$1" <"tests/cli/described/$2.txt" >"$work/$3"
}
for d in basic wrap unseen violations tasks old later; do
	describe little $d $d.kmt || exit 1
done
for d in basic wrap tasks; do
	describe big $d $d-big.kmt || exit 1
done
mkdir "$work/little" "$work/big"
for order in little big; do
	for cpu in 0 1; do
		describe raw-$order raw$cpu $order/cpu$cpu.out || exit 1
	done
done
sed 's/^data 1 .*/& damaged/' tests/cli/described/basic.txt |
	"$work/mktrace" little >"$work/damaged.kmt" || exit 1
sed 's/^cpus=2/&\ncpus_recorded=1/; /^data 0/,/^\.$/d' tests/cli/described/basic.txt |
	"$work/mktrace" little >"$work/partial.kmt" || exit 1
describe little kept kept.kmt || exit 1
sed 's/^seq_whole=17/seq_whole=3/; s/^records=7/records=8/' \
	tests/cli/described/kept.txt | "$work/mktrace" little >"$work/kept-bad.kmt"
sed 's/^seq_whole=17/seq_whole=5/; s/^kept=flight/kept=snapshot/; /^seq_start/d
	s/^exchanged=0/exchanged=1/; s/^seq_end/snapshot_sequence/; s/cpus=2/cpus=8/' \
	tests/cli/described/kept.txt | "$work/mktrace" little >"$work/snapshot.kmt"
sed 's/^cpus=2/&\nfilter=kmem:kfree: call_site == 5/' tests/cli/described/basic.txt |
	"$work/mktrace" little >"$work/no-frees.kmt" || exit 1
sed 's/^cpus=2/&\nevents=kmem:kmalloc kmem:mm_page_alloc/' tests/cli/described/basic.txt |
	"$work/mktrace" little >"$work/allocs.kmt" || exit 1
sed 's/^seq_end=7/seq_end=9\nsnapshots=1/; s/^events=7/events=9/' tests/cli/described/basic.txt |
	"$work/mktrace" little >"$work/robbed.kmt" || exit 1
# a recording of CPU 1 only; only CPU 0 lost events
sed 's/^cpus=2/&\ncpus_recorded=1/; /^data 0/,/^\.$/d
	s/^lost_events=0/lost_events=3\nlost_events.cpu0=3\nlost_events.cpu1=0/' \
	tests/cli/described/basic.txt | "$work/mktrace" little >"$work/other-lost.kmt" || exit 1
cp tests/cli/described/*.tags "$work/"
sed 's/^slab 1280 10 /slab 1280 ten /' tests/cli/described/tags-now.tags \
	>"$work/bad.tags"
sed '1s/1$/3/' tests/cli/described/tags-now.tags >"$work/newer.tags"
echo version 3 | "$work/mktrace" little >"$work/newer.kmt" || exit 1
# a chunk with a codec that this version does not know
sed 's/^data 1 .*/data 1 mark=7 codec=9/' tests/cli/described/basic.txt |
	"$work/mktrace" little >"$work/codec.kmt" || exit 1
cd "$work" || exit 1

# Files that the tool writes have mode 0600.
private() { # FILE
	n=$((n + 1))
	if [ "$(stat -c %a "$1")" = 600 ]; then
		echo "ok $n only the owner has access to $1"
	else
		echo "not ok $n only the owner has access to $1"
		failed=1
	fi
}

# Checks options of the build that are visible in the tool.
hardened() { # WHAT PATTERN READELF-OPTION...
	local what=$1 pattern=$2
	shift 2
	n=$((n + 1))
	if readelf --wide "$@" "$tool" 2>/dev/null | grep -qE "$pattern"; then
		echo "ok $n the tool is built with $what"
	else
		echo "not ok $n the tool is built with $what"
		failed=1
	fi
}

# Runs the tool, and compares its output and exit status with expected/NAME.
check() { # NAME ARGUMENT...
	check_through cat "$@"
}

# Prints the keys of JSON documents, as lines "COMMAND KEY".
json_keys() { # COMMAND
	grep -oE '"[A-Za-z0-9_.-]+":' | tr -d '":' | sed -E "s/[0-9]+\$/<n>/; s/^/$1 /"
}

# Runs the tool only to collect its JSON keys.
print_keys() { # ARGUMENT...
	"$tool" "$@" 2>/dev/null | json_keys "$1" >>"$work/keys"
}

# Like check(), but filters the output through COMMAND first.
check_through() { # COMMAND NAME ARGUMENT...
	local through=$1 name=$2 status
	shift 2
	n=$((n + 1))
	"$tool" "$@" >"$work/whole" 2>&1 </dev/null
	status=$?
	$through <"$work/whole" >"$work/out"
	case " $* " in
	*" --json "*) json_keys "$1" <"$work/whole" >>"$work/keys" ;;
	esac
	echo "exit $status" >>"$work/out"
	if [ -n "${UPDATE:-}" ]; then
		cp "$work/out" "$expected/$name"
	fi
	if diff -u "$expected/$name" "$work/out" >"$work/diff" 2>&1; then
		echo "ok $n $name"
	else
		echo "not ok $n $name"
		sed 's/^/# /' "$work/diff"
		failed=1
	fi
}

gcc -std=gnu11 -D_GNU_SOURCE -O1 -Wall -Wextra -Werror -fno-builtin -shared -fPIC \
	-o fail_malloc.so "$top/tests/cli/fail_malloc.c" || exit 1
gcc -std=gnu11 -D_GNU_SOURCE -O1 -Wall -Wextra -Werror -o fail_each \
	"$top/tests/cli/fail_each.c" || exit 1
verdict() { # STATUS NAME
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $n $2"
	else
		echo "not ok $n $2"
		failed=1
	fi
}

# Each STEPth allocation fails in turn: the command must fail, or its output be complete.
no_memory() { # STEP ARGUMENT...
	local step=$1
	shift
	./fail_each "$work/fail_malloc.so" "$step" "$tool" "$@" >out 2>&1
	verdict $? "memory runs out: $*"
	tail -n 5 out | sed 's/^/# /'
}

export KMEMTRACE_DIR=$work/nowhere
umask 0
echo "KTAP version 1"
hardened "position-independent code" 'FLAGS_1.* PIE' --dynamic
hardened "symbols bound at start" 'FLAGS.* (BIND_)?NOW' --dynamic
hardened "read-only relocation tables" GNU_RELRO --program-headers
hardened "a stack protector" '__stack_chk_fail' --symbols
hardened "fortified libc" '__(mem|str|sn?printf|printf|fprintf|read).*_chk' --symbols
hardened "a stack that is not executable" 'GNU_STACK .* RW ' --program-headers
check report report golden.kmt
check report-verbose report -v golden.kmt
check report-after report golden.kmt --top 2
cp golden.kmt kmemtrace.kmt
check report-default report --by kind
check check-default check
check info-default info
rm kmemtrace.kmt
check report-by-cache report --by cache --sort waste_bytes golden.kmt
check report-by-kind report --by kind golden.kmt
check report-by-gfp report --by gfp golden.kmt
check report-by-order report --by order golden.kmt
check report-by-cpu report --by cpu golden.kmt
check report-by-size report --by size golden.kmt
check report-by-node report --by node golden.kmt
check report-by-process report --by process tasks.kmt
check report-by-process-filter report --by process --filter 'bytes_req > 64' --csv features.kmt
check report-by-process-lacking report --by process golden.kmt
check report-raw-ip report --raw-ip golden.kmt
check report-csv report --csv golden.kmt
check report-json report --json golden.kmt
check report-cut report cut.kmt
check report-cut-verbose report -v cut.kmt
check report-raw report cpu0.out
check report-raw-verbose report -v cpu0.out
check report-raw-big-endian report -v big-cpu0.out
check report-noise report noise
ln -s loop loop
: >empty
mkdir empties && : >empties/cpu0
check report-empty report empty
check check-empty check empty
check check-empty-cpu check empties/cpu0
check report-loop report loop
check allocinfo-save-loop allocinfo -i tags-now.tags --save loop
check report-nothing report
check report-missing report nowhere.kmt
check report-bad-by report --by moon golden.kmt
check report-bad-sort report --sort moon golden.kmt
check report-bad-top report --top many golden.kmt
check report-bad-option report --moon golden.kmt
check report-like report --filtre 'cpu == 1' golden.kmt
check report-ambiguous report --s live golden.kmt
check report-no-value report golden.kmt -n
check report-takes-no-value report --json=3 golden.kmt
check report-bad-letter report -nx golden.kmt
check report-unknown-letter report -x golden.kmt
check report-letters report -n1 -bcache -s allocs golden.kmt
check report-beginning report golden.kmt --to 1 --raw --
check report-two report golden.kmt golden.kmt
check report-help report --help
check report-filter report --filter 'call_site.function == alpha' golden.kmt
check report-filter-verbose report -v --filter 'call_site.function == alpha' golden.kmt
check report-filter-bad report -f 'bytes_req = 5' golden.kmt
check report-filter-json report --json --top 1 --filter 'cpu == 1' golden.kmt
check report-filter-lacking report --filter 'cgroup != 1' --csv golden.kmt
check report-no-frees report no-frees.kmt
check report-no-frees-verbose report -v no-frees.kmt
check report-no-frees-json report --json --by kind no-frees.kmt
for by in cache gfp order node cpu size; do
	print_keys report --json --by $by golden.kmt
done
print_keys report --json --by process tasks.kmt
print_keys report --json robbed.kmt
print_keys script --json --fields common_size golden.kmt
check report-no-frees-csv report --csv allocs.kmt
check report-since report --since 50% golden.kmt
check report-since-verbose report -v --since 50% golden.kmt
check report-until-json report --json --top 1 --until +10ms golden.kmt
check report-since-csv report --since +5ms --until +20ms --csv golden.kmt
check report-since-raw report -v --since 1 cpu0.out
check script-since script --since 1.058 --until 1060ms golden.kmt
check script-since-end script --since -2ms features.kmt
check script-since-nothing script --since 5s golden.kmt
check script-since-backwards script --since 50% --until 25% golden.kmt
check script-since-bad script --since yesterday golden.kmt
check script-until-clock script --until 15:04 golden.kmt
check script script golden.kmt
check script-features script features.kmt
check script-fields script --fields time,cpu,event,bytes_req,call_site features.kmt
check script-fields-stack script --fields pid,comm,context,cgroup,stack features.kmt
check script-fields-help script --fields help
check script-moved script -F pid features.kmt
check script-fields-bad script --fields pid,moon features.kmt
check script-json script --json features.kmt
check script-json-fields script --json --fields time,comm,stack features.kmt
check script-filter script --filter 'cache ~ "th*" && (pid == 41 || context & 0x80)' features.kmt
check script-filter-cpu script --filter 'cpu & CPUS{1} && time > 1069ms' features.kmt
check script-filter-lacking script --filter 'pid >= 0 && cgroup > 1' golden.kmt
check script-filter-lacks script --filter 'pid >= 0 || cache == "other"' golden.kmt
check script-filter-field script --filter 'nofield == 1' golden.kmt
check script-filter-age script --filter 'cpu == 0 && age > 1s' golden.kmt
check script-filter-function script --filter 'call_site.function == delta' golden.kmt
check script-filter-cpus script --filter 'cpu & CPUS{0-2}' golden.kmt
check script-filter-none script --filter '' golden.kmt
check script-cpus script --cpus 0 features.kmt
check script-bad-cpus script --cpus 3-1 features.kmt
check script-raw-ip script --raw-ip -C 1 features.kmt
check script-raw script cpu0.out
check script-raw-big-endian script big-cpu0.out
check script-cut script cut.kmt
check script-partial script partial.kmt
check script-nothing script
check script-missing script nowhere.kmt
check script-bad-option script --moon golden.kmt
check script-help script --help
check check-features check features.kmt
check info-features info features.kmt
check report-features report -v features.kmt
n=$((n + 1))
if "$tool" script golden.kmt 2>err >/dev/full || [ $? -ne 1 ] ||
	! grep -q 'cannot write the output: No space left' err; then
	echo "not ok $n a full disk is an error"
	failed=1
else
	echo "ok $n a full disk is an error"
fi
check check check golden.kmt
check check-cut check cut.kmt
check check-raw check cpu0.out
check check-raw-big-endian check big-cpu0.out
check check-bad check bad-cpu0.out
for d in basic wrap unseen violations damaged; do
	check report-$d report -v $d.kmt
	check check-$d check $d.kmt
	check script-$d script $d.kmt
done
for d in kept kept-bad snapshot; do
	check report-$d report --top 1 $d.kmt
	check report-$d-verbose report -v --top 1 $d.kmt
	check check-$d check $d.kmt
done
check report-other-lost report -v other-lost.kmt
check report-robbed report robbed.kmt
check report-robbed-verbose report -v robbed.kmt
check check-robbed check robbed.kmt
check report-kept-json report --json --top 0 kept.kmt
check script-kept script kept.kmt
check info-kept info kept.kmt
same() { # FILE COMMAND...: the output does not depend on the byte order of the file
	local name=$1
	shift
	n=$((n + 1))
	if diff <("$tool" "$@" "$name.kmt" 2>&1) \
		<("$tool" "$@" "$name-big.kmt" 2>&1); then
		echo "ok $n the same in either byte order: $1 $name"
	else
		echo "not ok $n the same in either byte order: $1 $name"
		failed=1
	fi
}
for d in basic wrap tasks; do
	same $d report
	same $d report --by process
	same $d report --filter 'bytes_req > 32 && gfp_flags & 0x400'
	same $d script
	same $d script --json
done
same tasks script --filter 'pid == 300 || comm ~ "k*" && cgroup > 70000'
check report-two-raw report -v little/cpu0.out little/cpu1.out
check check-two-raw check big/cpu1.out big/cpu0.out
check check-cpu-twice check little/cpu0.out big/cpu0.out
# recordings of other versions: see Compatibility in Documentation/file-format.rst
for command in report check script info; do
	check $command-old $command old.kmt
	check $command-later $command later.kmt
	check $command-newer $command newer.kmt
done
check report-later-json report --json later.kmt
check report-codec report -v codec.kmt
check check-codec check codec.kmt
check info info golden.kmt
check info-raw info cpu0.out
check info-json info --json golden.kmt
check info-json-kept info --json kept.kmt
check check-json check --json golden.kmt
check check-json-kept check kept.kmt --json
check check-json-robbed check robbed.kmt --json
check check-json-violations check --json violations.kmt
check script-fields-help-json script --fields help --json
check allocinfo allocinfo --input tags-now.tags
sed 's/missed_calls 1/missed_calls 0/; s/ open$/ closed/' tags-now.tags >closed.tags
check allocinfo-closed allocinfo --input closed.tags --top 1
check allocinfo-verbose allocinfo --input closed.tags --top 1 -v
check allocinfo-top allocinfo -i tags-now.tags --top 2 --sort oldest
check allocinfo-all allocinfo -i tags-now.tags --top 0 --sort location
check allocinfo-kind allocinfo -i tags-now.tags --kind slab --sort waste
check allocinfo-json allocinfo -i tags-now.tags --json
check allocinfo-diff allocinfo -i tags-now.tags --diff tags-then.tags
check allocinfo-json-top allocinfo -i tags-now.tags --json --top 2 --kind slab
sed '$a# stat accounting_since_ns 7' tags-now.tags >restarted.tags
sed '$a# stat accounting_since_ns 5' tags-then.tags >before.tags
check allocinfo-diff-restarted allocinfo -i restarted.tags --diff before.tags
check allocinfo-diff-forced allocinfo -i restarted.tags --diff before.tags --force
check allocinfo-diff-back allocinfo -i tags-then.tags --diff tags-now.tags
check allocinfo-diff-top allocinfo -i tags-then.tags --diff tags-now.tags --top 1
check allocinfo-save-diff allocinfo -i tags-now.tags --save both.tags --diff tags-then.tags
check allocinfo-save-json allocinfo -i tags-now.tags --save both.tags --json
check allocinfo-save allocinfo -i tags-now.tags --save saved.tags
n=$((n + 1))
if cmp tags-now.tags saved.tags; then
	echo "ok $n the saved file is equal to the input"
else
	echo "not ok $n the saved file is equal to the input"
	failed=1
fi
private saved.tags
save_now() { # FILE
	"$tool" allocinfo -i tags-now.tags --save "$1" 2>saved.log
}
saves_to_fifo() {
	mkfifo fifo
	cat fifo >from-fifo &
	save_now fifo && wait $! && [ -p fifo ] && cmp tags-now.tags from-fifo
}
saves_to_target() {
	mkdir elsewhere
	echo old >elsewhere/target
	ln -s elsewhere/target link
	save_now link && [ -L link ] && cmp tags-now.tags elsewhere/target &&
		[ "$(cat elsewhere/target.old)" = old ]
}
saves_to_null() {
	save_now /dev/null && [ -c /dev/null ]
}
saves_to_stdout() {
	save_now - >from-stdout && cmp tags-now.tags from-stdout
}
keeps_old() {
	echo old >kept.tags
	save_now kept.tags && cmp tags-now.tags kept.tags &&
		[ "$(cat kept.tags.old)" = old ]
}
refuses_directory() {
	! save_now elsewhere && grep -q 'elsewhere is a directory' saved.log &&
		! ls elsewhere.part 2>/dev/null
}
saves_to_fifo
verdict $? "a pipe is written to"
saves_to_target
verdict $? "the target of a link is written to"
saves_to_null
verdict $? "a device is written to"
saves_to_stdout
verdict $? "- is standard output"
keeps_old
verdict $? "the old file is kept"
refuses_directory
verdict $? "a directory is refused"
too_large() {
	head -c 100000 /dev/zero | tr '\0' '#' | cat tags-now.tags - >large.tags
	(
		ulimit -f 1
		exec "$tool" allocinfo -i large.tags --save large-saved.tags
	) 2>saved.log
	[ $? -eq 1 ] && grep -q 'cannot write large-saved.tags: File too large' saved.log
}
too_large
verdict $? "a file size limit is an error like any other"
closed_stdout() {
	! "$tool" allocinfo -i tags-now.tags --save - 2>saved.log >&- &&
		grep -q 'standard output is closed' saved.log &&
		! "$tool" report golden.kmt 2>saved.log >&- &&
		grep -q 'cannot write the output' saved.log
}
closed_stdout
verdict $? "a closed standard output is an error"
check allocinfo-bad allocinfo -i bad.tags
check allocinfo-newer allocinfo -i newer.tags
check allocinfo-noise allocinfo -i noise
check allocinfo-missing allocinfo -i nowhere.tags
check allocinfo-bad-option allocinfo --moon
check allocinfo-no-value allocinfo --top
check allocinfo-bad-sort allocinfo --sort moon
check allocinfo-bad-kind allocinfo --kind moon
check allocinfo-bad-top allocinfo --top many
check allocinfo-argument allocinfo now
check allocinfo-no-module allocinfo
check allocinfo-full allocinfo -i tags-now.tags --save /dev/full/x
check allocinfo-help allocinfo --help

# codetags of a small program that calls functions named like allocators
mkdir -p init mm
cat >init/main.c <<'SOURCE'
void *__kmalloc_noprof(unsigned long size);
void *vmalloc_noprof(unsigned long size);
void *other(unsigned long size);
static inline void *kmalloc_noprof(unsigned long size)
{
	return __kmalloc_noprof(size);
}
static inline __attribute__((always_inline)) void *helper(unsigned long size)
{
	void *p = kmalloc_noprof(size);
	__asm__ volatile("" ::: "memory");
	return p;
}
void *volatile keep;
void user(unsigned long size)
{
	keep = vmalloc_noprof(size);
	keep = kmalloc_noprof(size + 1);
	keep = helper(size + 2);
	keep = other(size);
}
int main(void)
{
	user(1);
}
SOURCE
cat >mm/slub.c <<'SOURCE'
__attribute__((noinline)) void *__kmalloc_noprof(unsigned long size)
{
	return (void *)size;
}
__attribute__((noinline)) void *vmalloc_noprof(unsigned long size)
{
	return (void *)size;
}
__attribute__((noinline)) void *other(unsigned long size)
{
	return (void *)size;
}
SOURCE
gcc-12 -g -O2 -fno-pie -no-pie -o program "$PWD/init/main.c" "$PWD/mm/slub.c"
sites() { # without addresses, which depend on the compiler
	"$tool" codetags load --vmlinux "$1" -o rows && sed 's/^0x[0-9a-f]* //' rows
}
n=$((n + 1))
if diff <(sites program 2>&1) - <<'ROWS'; then
kmemtrace-user: 3 call sites, of the kernel and its modules: 1 with debug information, 0 without
init/main.c:17 user
init/main.c:18 user
init/main.c:10 helper
ROWS
	echo "ok $n codetags of a program"
else
	echo "not ok $n codetags of a program"
	failed=1
fi
strip -o bare program
private rows
check codetags-bare codetags load --vmlinux bare -o rows
check codetags-missing codetags load --vmlinux nowhere -o rows
check codetags-nothing codetags
check codetags-bad-option codetags load --moon
check codetags-unknown codetags moon
check codetags-no-module codetags show
check codetags-help codetags --help

# processes, from a directory that looks like /proc
gcc -std=gnu11 -D_GNU_SOURCE -O1 -Wall -Wextra -Werror \
	-I"$top/tools/kmemtrace-user" -o make_proc "$top/tests/cli/make_proc.c" ||
	exit 1
./make_proc proc || exit 1
./make_proc hidden without || exit 1
export KMEMTRACE_PROC=$work/proc
check pagemap pagemap --pid 42
check pagemap-wide pagemap -p 42 --wide
check pagemap-csv pagemap --pid 42 --pid 1 --pid 42 --csv --mappings
check pagemap-json pagemap --pid 42 --json
check pagemap-json-summary pagemap --pid 42 --json --summary
check pagemap-all pagemap --all
check pagemap-all-csv pagemap --all --csv
check pagemap-all-mappings pagemap --all --mappings --top 1 --sort uss
check pagemap-name pagemap --name worker --sort hugetlb --wide
check pagemap-name-one pagemap --name init
check pagemap-name-none pagemap --name moon --name init --summary
check pagemap-map pagemap --all --map '[stack' --mappings
check pagemap-map-anon pagemap --pid 42 --map anon
check pagemap-map-none pagemap --pid 42 --map moon
check pagemap-range pagemap --pid 42 --range 606fff-0x7f0000200001
check pagemap-kernel pagemap --pid 2
check pagemap-gone pagemap --pid 60
check pagemap-missing pagemap --pid 41 --pid 1
check pagemap-odd pagemap --pid 70 --csv
check pagemap-bad-maps pagemap --pid 80
export KMEMTRACE_PROC=$work/hidden
check pagemap-hidden pagemap --pid 42
check pagemap-hidden-all pagemap --name worker --json
export KMEMTRACE_PROC=/nowhere
check pagemap-no-proc pagemap --all
unset KMEMTRACE_PROC
check pagemap-nobody pagemap --summary
check pagemap-bad-pid pagemap --pid init
check pagemap-bad-range pagemap --all --range 5000-4000
check pagemap-bad-sort pagemap --all --sort moon
check pagemap-bad-top pagemap --all --top many
check pagemap-bad-option pagemap --moon
check pagemap-no-value pagemap --pid
check pagemap-argument pagemap 42
check pagemap-help pagemap --help

# the files of the module that the command events needs
fake=$work/fake
for event in kmem/{kmalloc,kfree,kmem_cache_{alloc,free},mm_page_{alloc,free}} \
	percpu/percpu_{alloc,free}_percpu; do
	mkdir -p "$fake/events/$event"
	echo 1 >"$fake/events/$event/enable"
	echo none >"$fake/events/$event/filter"
	echo '# Available triggers:' >"$fake/events/$event/trigger"
done
echo 'bytes_req > 4096' >"$fake/events/kmem/kmalloc/filter"
printf '%s\n' 'call_site.function == moon' '             ^' \
	'parse_error: Function not found' 'filter in force: order > 3' \
	>"$fake/events/kmem/mm_page_alloc/filter"
printf '%s\n' 'stacktrace:count=5 if bytes_req > 65536' snapshot:unlimited \
	>"$fake/events/kmem/kmalloc/trigger"
echo '1*' >"$fake/events/kmem/kmalloc/enable"
echo '0*' >"$fake/events/kmem/mm_page_free/enable"
touch "$fake/set_event"
written() { # FILE TEXT: the tool must have written TEXT to FILE
	n=$((n + 1))
	if [ "$(cat "$fake/$1")" = "$2" ]; then
		echo "ok $n ... writes $2 to $1"
	else
		echo "not ok $n ... writes $2 to $1, not $(cat "$fake/$1")"
		failed=1
	fi
	: >"$fake/$1"
}
check events-no-module events
check snapshot-help snapshot --help
check snapshot-bad-option snapshot --moon
check snapshot-argument snapshot now
check snapshot-no-module snapshot
export KMEMTRACE_DIR=$fake
check events events
check events-list-json events list --json
no_memory 1 events
no_memory 3 events list --json
printf '%s\n' '0xffffffff81000010 mm/slub.c:12 kmalloc_noprof' \
	'0xffffffffc0001000 drivers/d.c:7 d_alloc' >"$fake/codetags"
check codetags-show codetags show
check codetags-show-json codetags show --json
check codetags-load-json codetags load --json
check events-help events --help
check events-bad-word events moon
check events-list-argument events list kmalloc
check events-fields-json events fields --json
check events-fields events fields
check events-fields-of events fields kfree
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
check events-filter-set events filter kmem 'age > 1s'
written events/kmem/kfree/filter 'age > 1s'
written events/kmem/kmem_cache_free/filter 'age > 1s'
written events/kmem/kmalloc/filter ''
check events-filter-set events filter kmalloc 0
written events/kmem/kmalloc/filter 0
check events-trigger-show events trigger kmem:kmalloc
check events-trigger-none events trigger kfree
check events-trigger-system events trigger kmem
check events-trigger-bad events trigger kmalloc 'stacktrace:5 iff bytes_req > 1'
check events-trigger-caret events trigger kmalloc 'stacktrace:5 if bytes_req >< 1'
: >"$fake/events/kmem/kmalloc/trigger"
check events-trigger-set events trigger kmalloc 'stacktrace:5 if bytes_req > 1'
written events/kmem/kmalloc/trigger 'stacktrace:5 if bytes_req > 1'
check events-trigger-set events trigger kmalloc '!stacktrace'
written events/kmem/kmalloc/trigger '!stacktrace'
printf 'comm == "\033[31m"\n' >"$fake/events/kmem/kmalloc/filter"
check events-clean events
check snapshot-old-module snapshot
check record-trigger-snapshot record --trigger kmalloc:snapshot -- true
echo 1 >"$fake/overwrite"
printf 'state taken\ntaken 1\nmissed 0\nreason oom\nsequence 70\ntime_ns 5\n' \
	>"$fake/snapshot"
: >"$fake/snapshot_cpu0"
check snapshot-empty snapshot -o s.kmt
tail -c +1 little/cpu0.out >"$fake/snapshot_cpu0"
tail -c +1 little/cpu1.out >"$fake/snapshot_cpu1"
n=$((n + 1))
if "$tool" snapshot -o s.kmt 2>err && "$tool" check s.kmt >out &&
	"$tool" info s.kmt | grep -q '^snapshot_reason  *oom' &&
	grep -q '^snapshot: 5 records kept' out; then
	echo "ok $n snapshot saves an earlier snapshot"
else
	echo "not ok $n snapshot saves an earlier snapshot"
	sed 's/^/# /' err out
	failed=1
fi
private s.kmt
echo 4 >"$fake/lost_events"
check snapshot-lost snapshot -o s.kmt
rm "$fake/lost_events"
# record, from a directory of plain files in place of the module's
printf '%s\n' 's/^([0-9]+ events) in .*/\1/' '/the kernel hides/d' >figures
recorded() { # NAME ARGUMENT...: leaves out numbers that depend on this machine
	rm -rf apart && mkdir apart
	check_through 'sed -E -f figures' "$@"
}
printf 'bytes_req > 4096\n' >"$fake/events/kmem/kmalloc/filter"
printf '%s\n' 'stacktrace:count=5 if bytes_req > 65536' snapshot:unlimited \
	>"$fake/events/kmem/kfree/trigger"
for event in kmem_cache_alloc mm_page_alloc mm_page_free kmem_cache_free kfree; do
	echo none >"$fake/events/kmem/$event/filter"
done
for file in enabled:0 sequence:5 overwrite:0 'features:none' 'stats:events 5' \
	lost_events:0 'caches:1 8 8 one' 'gfp_flags:0x1 A'; do
	echo "${file#*:}" >"$fake/${file%%:*}"
done
rm "$fake/snapshot"
: >"$fake/cpu0"
echo 9 >"$fake/abi_version"
recorded record-newer-module record -F none -o apart/r.kmt -- true
check status-newer-module status
rm -rf aside && cp -r apart aside
check check-newer-module check aside/r.kmt
echo 1 >"$fake/abi_version"
recorded record-older-module record -F none -o apart/r.kmt -- true
check status-older-module status
rm "$fake/abi_version"
recorded record-others record -F none -o apart/r.kmt -- true
recorded record-others-replaced record -F none -f 'bytes_req > 5' -o apart/r.kmt -- true
rm "$fake/events/kmem/kfree/trigger"
for filter in "$fake"/events/*/*/filter; do
	echo none >"$filter"
done
features() { # EXPECTED OPTION...: the recording has the features EXPECTED
	local expected=$1
	shift
	: >"$fake/features"
	"$tool" record "$@" -o apart/r.kmt -- true 2>err &&
		"$tool" info apart/r.kmt | grep -qx "features  *$expected"
	verdict $? "$* records $expected"
}
features 'time cache page'
features 'none' -F none
features 'cache task' -F task,cache
features 'time cache page task' -F +task
features 'time cache page task stack' -F +task --features=+stack
features 'time cache task' -F +task,-page
recorded record-no-cpu record -C 900-1000 -o apart/r.kmt -- true
printf '%s\n' 'lost_events.cpu0 0' 'lost_events.cpu1 3' 'lost_events.cpu17 4' >"$fake/stats"
echo 7 >"$fake/lost_events"
recorded record-other-lost record -C 0 -o apart/r.kmt -- true
recorded record-lost record -o apart/r.kmt -- true
recorded record-lost-command record -o apart/r.kmt -- sh -c 'exit 5'
recorded record-lost-duration record -o apart/r.kmt -d 0.2
echo 0 >"$fake/lost_events"
: >"$fake/stats"
for ((cpu = 1; cpu < 40; cpu++)); do
	: >"$fake/cpu$cpu"
done
(
	ulimit -Sn 32
	recorded record-many-files record -d 0.2 -o apart/r.kmt -- sh -c 'ulimit -Sn >&2; sleep 9'
	exit $failed
) || failed=1
n=$((n + 1))
rm "$fake"/cpu[1-9]*
echo 0 >"$fake/overwrite"
(
	flock 9
	check snapshot-of-recorder snapshot --new -o s.kmt
	exit $failed
) 9<"$fake" || failed=1
n=$((n + 1))
export KMEMTRACE_DIR=$work/nowhere

# page-types, from a file: only flags that have the same name in every kernel
flags() { # COUNT FLAGS...: COUNT entries for each
	local count=$1 f b
	shift
	for f; do
		b=$(printf '\\x%02x' $((f & 255)) $((f >> 8 & 255)) \
			$((f >> 16 & 255)) $((f >> 24 & 255)) \
			$((f >> 32 & 255)) 0 0 0)
		for ((i = 0; i < count; i++)); do printf "%b" "$b"; done
	done
}
{
	flags 3 0x100000 0x400
	flags 1 0 0 0x5868 0x100005868
	flags 2 0x80 0x8080 0x10080 0x204c
} >kpageflags
# leaves out the letters that differ between kernels
printf '%s\n' 's/\([_A-Za-z]\{27\}\)[_A-Za-z0-9]\{16,18\}/\1/' >letters
common() { # NAME ARGUMENT...
	check_through 'sed -f letters' "$@"
}
common page-types page-types -F kpageflags
common page-types-raw page-types -F kpageflags -r
common page-types-list page-types --kpageflags kpageflags --list
common page-types-each page-types --kpageflags=kpageflags -L -N -a 4,7 -a 8+1 -a 1
common page-types-bits page-types -F kpageflags -b slab -b ~compound_tail -r -l
common page-types-nothing page-types -F kpageflags -b huge
common page-types-behind page-types -F kpageflags -a 100,
common page-types-json page-types -F kpageflags --json -l -a 5,10
common page-types-json-summary page-types -F kpageflags --json -r -b =lru,uptodate
common page-types-describe page-types -d 0x4c,slab
common page-types-describe-json page-types --describe uptodate --json
head -c 20 kpageflags >cut-kpageflags
check page-types-cut page-types -F cut-kpageflags
check page-types-missing page-types -F nowhere
check page-types-no-value page-types --kpageflags
check page-types-bad-addr page-types -a 5,3
check page-types-bad-bits page-types -b lru,~lru
check page-types-bad-cgroup page-types -c @moon
check page-types-no-cgroup page-types -c nowhere
check page-types-pid-and-file page-types -p 1 -f /
check page-types-all-poisoned page-types -X
check page-types-poisoned-copy page-types -X -a 1 -F kpageflags
check page-types-argument page-types 5
check page-types-bad-option page-types --moon
check page-types-help page-types --help
common page-types-json-list page-types -F kpageflags --json -L -M -C -N -a 5
check_through 'cut -c 1-60' page-types-no-flag page-types -b moon
check_through 'cut -c 1-60' page-types-no-flag-described page-types -d lru,moon

# pages, from a machine of 64 frames
gcc -std=gnu11 -D_GNU_SOURCE -O1 -Wall -Wextra -Werror \
	-I"$top/include/uapi" -o mkpages "$top/tests/cli/mkpages.c" || exit 1
cp -r "$top/tests/cli/described/machine" machine || exit 1
(cd machine && ../mkpages <frames) || exit 1
check pages-no-module pages
export KMEMTRACE_DIR=$work/machine KMEMTRACE_PROC=$work/machine
check pages pages
check pages-two-keys pages --by site,kind --sort maps
check pages-flags pages --by kind,flags --csv
check pages-by-order pages -b order,zone --csv --sort pages
check pages-by-type pages -b migratetype,age
check pages-by-node pages -b node --json
for by in kind,flags order,zone migratetype,age process,site; do
	print_keys pages -b $by --json
done
check pages-site pages --site d.c --top 0
check pages-kind pages --kind anon --by age
check pages-filter pages --zone DMA32 --node 0 --order 3 --min-age 1
check pages-zone pages --zone DMA --csv
check pages-none pages --node 7
check pages-json pages --json --top 2
check pages-leaks pages --leaks
check pages-leaks-by pages --leaks --by order,site --min-age 5 --csv
check pages-fragmenting pages --fragmenting
check pages-fragmenting-json pages --fragmenting --json --site d.c
check pages-pinned pages --pinned
check pages-pinned-site pages --pinned --site dcache --csv
check pages-pinned-json pages --pinned --json --sort oldest
echo 's/ ts [0-9]* ns/ ts T ns/' >uptime.sed
check_through 'sed -f uptime.sed' pages-page-owner pages --page-owner
check_through 'sed -f uptime.sed' pages-page-owner-kind pages --page-owner --kind stack
check pages-by-process pages --by process
check pages-by-process-sort pages --by process --sort swap --top 1 --csv
check pages-by-process-json pages --by process --json --top 1
check pages-site-process pages --by site,process
check pages-process pages --process 41
check pages-process-json pages --process 41 --json
check pages-process-thread pages --process kthread --csv
check pages-process-by pages -p alpha --by kind
check pages-process-by-site pages -p be,ta --by process,site --csv
check pages-process-none pages -p moon
check pages-process-none-by pages -p moon --by site
boot=$(cat /proc/sys/kernel/random/boot_id)
owned() { # FILE BOOT END
	sed "s/BOOT/$2/; s/^END/$3/" "$top/tests/cli/described/owned.txt" |
		"$work/mktrace" little >"$1" || exit 1
}
owned owned.kmt "$boot" ''
owned other.kmt 0-0-0 ''
owned ended.kmt "$boot" realtime_ns=1000000000
sed '/boot_id/d' "$top/tests/cli/described/owned.txt" | "$work/mktrace" little >no-boot.kmt
check pages-input pages --process 41 --input owned.kmt
check pages-input-all pages --by process -i owned.kmt
check pages-input-ended pages --process 41 --input ended.kmt
check pages-input-other pages --process 41 --input other.kmt
check pages-input-no-boot pages --process 42 --input no-boot.kmt --csv
check pages-input-no-task pages --process 41 --input golden.kmt
sed "s/BOOT/$boot/; s/^END//; s/^cpus=1/&\\nevents=kmem:kmalloc/" \
	"$top/tests/cli/described/owned.txt" | "$work/mktrace" little >no-frees-owned.kmt
sed "s/BOOT/$boot/; s/^END//; s/^cpus=1/&\\ncpus_recorded=0/" \
	"$top/tests/cli/described/owned.txt" | "$work/mktrace" little >some-cpus.kmt
head -c "$(($(stat -c %s owned.kmt) - 200))" owned.kmt >cut-owned.kmt
check pages-input-no-frees pages --process 41 --input no-frees-owned.kmt
check pages-input-some-cpus pages --by process --input some-cpus.kmt
check pages-input-cut pages --process 41 --csv --input cut-owned.kmt
check pages-input-missing pages --by process --input nowhere.kmt
check pages-bad-input pages --input owned.kmt
check pages-bad-input-by pages --process 41 --by site --input owned.kmt
check pages-bad-process-with pages --process 41 --kind anon
check pages-bad-by-process-with pages --by process --site x
check pages-bad-leaks-process pages --leaks --process 41
check pages-help pages --help
check pages-bad-option pages --moon
check pages-bad-by pages --by moon
check pages-bad-by-twice pages --by site,site
check pages-bad-by-three pages --by site,kind,order
check pages-bad-sort pages --sort moon
check pages-bad-sort-leaks pages --leaks --sort maps
check pages-bad-kind pages --kind moon
check pages-bad-zone pages --zone Moon
check pages-bad-node pages --node moon
check pages-bad-order pages --order -1
check pages-bad-age pages --min-age soon
check pages-bad-top pages --top many
check pages-two-modes pages --pinned --leaks
check pages-bad-with pages --pinned --by kind
check pages-bad-with-owner pages --page-owner --json
check pages-argument pages 5

printf '%s\n' 'accounting_starts 2' 'forgotten_objects 6' 'live_slab_bytes 20480' \
	'live_page_bytes 40960' 'live_large_bytes 8192' 'recording 0' 'events 900' \
	'lost_events 3' 'buffer_bytes_per_cpu 1048576' >>machine/stats
printf '%s\n' time cache >machine/features
echo kmem:kmalloc >machine/set_event
echo 2 >machine/abi_version
check status-module status
check status-json status --json
check status-argument status now
check status-help status --help
check memory memory
check memory-json memory --json --top 1
mkdir tracing dma_pools
echo '100 pages:1 groups: 1' >tracing/dyn_ftrace_total_info
echo 4096 >dma_pools/pool_size_dma32
check memory-counts memory --by-node -n 1
cat >machine/kmsg <<'KMSG'
<6>[    0.1] Memory: 216K/256K available (4K kernel code)
<6>[    0.2] TCP bind hash table entries: 512 (order: 0, 4096 bytes, linear)
KMSG
check memory-log memory --top 0
KMEMTRACE_DIR=$work/nowhere check memory-no-module memory
KMEMTRACE_PROC=nowhere check memory-no-proc memory
check memory-bad-top memory --top many
check memory-bad-option memory --moon
check memory-argument memory now
check memory-help memory --help
sed 's/0x[0-9a-f]*-0x[0-9a-f]*/0x0000000000000000-0x0000000000000000/' \
	machine/vmallocinfo >hidden-areas
mv machine/vmallocinfo areas
cp hidden-areas machine/vmallocinfo
check memory-hidden memory
: >machine/meminfo
check memory-no-meminfo memory
: >machine/vmallocinfo
check pages-no-areas pages --kind kernel
check pages-leaks-no-areas pages --leaks
head -c 100 machine/objects >objects && mv objects machine/objects
check pages-pinned-cut pages --pinned
: >machine/pagetypeinfo
check pages-fragmenting-no-types pages --fragmenting
echo 2 >machine/pages_version
check pages-newer pages
check memory-newer memory
echo 1 >machine/pages_version
cp machine/tags tags-of-machine
sed -i '1s/2$/3/' machine/tags
check allocinfo-newer-module allocinfo
check pages-newer-tags pages --by site
cp tags-now.tags machine/tags
check allocinfo-older-module allocinfo --top 1
cp tags-of-machine machine/tags
rm machine/pages
check pages-older pages
check memory-older memory
unset KMEMTRACE_PROC
export KMEMTRACE_DIR=$work/nowhere
check status
check help --help
check help-command help info
check help-no-command help nosuch
check like recrod
check like-prefix rep
check version-short -V
check no-command frobnicate
check record-bad-duration record --duration soon
check record-bad-size record --buffer-size lots
for size in 18446744073709551615K 17592186044417M 4096G 0 -1 99999999999999999999; do
	check record-bad-size-$size record --buffer-size $size
done
check record-bad-events record --events , -- true
check record-no-events record -e "" -- true
check record-bad-features record --features time,moon
check record-bad-features-added record -F +moon
check record-mixed-features record -F time,+task -- true
check record-moved record -b 10M -- true
check record-behind record -o apart.kmt true --moon
check record-bad-cpus record --cpus 3-1
check record-help record --help
check record-filter record -f 'bytes_req > 4K && moon'
check record-trigger record --trigger 'kmalloc:stacktrace iff'
check record-trigger-event record --trigger 'stacktrace if bytes_req > 4K'
check record-trigger-filter record --trigger 'kmem:kfree:stacktrace if bytes_req > 4K'
check record-trigger-remove record --trigger 'kfree:!stacktrace'

"$top/tests/cli/options.sh" "$tool" "$top/tools/kmemtrace-user/kmemtrace-user.8" >options.log
status=$?
sed 's/^/# /' options.log
verdict $status "help texts, man page and letters of options agree"
page_lacks() { # SED-SCRIPT EXPECTED: the check finds the error in the changed man page
	sed "$1" "$top/tools/kmemtrace-user/kmemtrace-user.8" >changed.8
	! "$top/tests/cli/options.sh" "$tool" changed.8 >options.log &&
		grep -qF -- "$2" options.log && [ "$(wc -l <options.log)" -eq 1 ]
	verdict $? "... the check finds: $2"
}
page_lacks '/^\.BR .*\\-\\-duration/d' 'the help text alone has record: -d, --duration SECONDS'
page_lacks 's/^\.B \\-\\-no\\-compress$/&\n.TQ\n.B \\-\\-moon/' 'the man page alone has record: --moon'
page_lacks '/^\.B kmemtrace-user codetags load$/,/^\.br$/d' 'the help text alone has synopsis: codetags load [OPTION]...'
# failed allocations
no_memory 1 report golden.kmt
no_memory 2 report --json golden.kmt
no_memory 1 report --by process tasks.kmt
no_memory 1 script features.kmt
no_memory 1 script --json features.kmt
no_memory 1 check golden.kmt
no_memory 1 info golden.kmt
no_memory 3 allocinfo -i tags-now.tags --json
rm -r machine
cp -r "$top/tests/cli/described/machine" machine
(cd machine && ../mkpages <frames) || exit 1
export KMEMTRACE_DIR=$work/machine KMEMTRACE_PROC=$work/machine
no_memory 1 status
no_memory 1 allocinfo --top 3
no_memory 1 allocinfo --diff tags-then.tags --force
no_memory 1 pages
no_memory 1 pages --by site,kind --csv
no_memory 3 pages --json
no_memory 1 pages --leaks
no_memory 1 pages --fragmenting
no_memory 1 pages --pinned
no_memory 1 pages --page-owner
no_memory 1 pages --by process
no_memory 1 pages --process 41 --input owned.kmt
no_memory 3 pages --process 41 --json
no_memory 1 memory
no_memory 5 memory --json
export KMEMTRACE_DIR=$work/nowhere KMEMTRACE_PROC=$work/proc
no_memory 1 pagemap --name worker
no_memory 1 pagemap --pid 42 --csv --mappings
no_memory 1 pagemap --name worker --json
no_memory 1 page-types -F kpageflags
no_memory 3 page-types -F kpageflags --json -l
unset KMEMTRACE_PROC
export KMEMTRACE_DIR=$work/nowhere
# Documentation/json.rst must list all members of each document, and no others
documented() { # prints the members as lines "COMMAND KEY"; "any": of all commands
	awk '/^===/ { section = last == "Members of several commands" ? "any" : last }
		/^``[^ ]*``(, ``[^ ]*``)*$/ {
			n = split($0, keys, /, /)
			for (i = 1; i <= n; i++) {
				gsub(/`/, "", keys[i])
				print section, keys[i]
			}
		}
		{ last = $0 }' "$top/Documentation/json.rst" | sort -u
}
# members that the recordings and the machine of these tests do not have
cat >unseen <<'UNSEEN'
any alloc_bulk
any compaction
any migrate
any pages_bulk
any slab_pages
any split_pages
info boot_id
info build_id
info clock_ns
info cpus_recorded
info machine
info nodes
info realtime_ns
info snapshot_reason
info snapshot_sequence
info snapshot_time_ns
info snapshots
info tool_version
page-types file
page-types page
page-types swap_offset
UNSEEN
documented >page
sort -u keys >seen
awk 'NR == FNR { page[$0]; next }
	!($0 in page) && !("any " $2 in page)' page seen >undocumented
awk 'NR == FNR { seen[$0]; seen["any " $2]; next } !($0 in seen)' \
	<(cat seen unseen) page >unprinted
for list in undocumented unprinted; do
	[ ! -s $list ]
	verdict $? "json.rst: no member is $list"
	sed 's/^/# /' $list
done

# completion: the words that the shell offers for the last word
completed() { # EXPECTED WORD...
	local expected=$1 got
	shift
	n=$((n + 1))
	got=$(
		# shellcheck disable=SC1091 # it is checked separately
		. "$top/tools/kmemtrace-user/completion.bash"
		# shellcheck disable=SC2034 # used by _kmemtrace_user
		COMP_WORDS=("$tool" "$@") COMP_CWORD=$#
		_kmemtrace_user
		echo "${COMPREPLY[@]}"
	)
	if [ "$got" = "$expected" ]; then
		echo "ok $n completion of $*"
	else
		echo "not ok $n completion of $*: $got"
		failed=1
	fi
}
mkdir complete && cd complete && touch a.kmt b.kmt || exit 1
completed 'record report' re
completed '--features --filter --flight' record --f
completed 'time task' record -F t
completed 'time,cache time,cgroup' record -F time,c
completed 'time,cache' record --features time,ca
completed '--filter --fields' script --fi
completed '' script -f x
completed 'bytes_req bytes_alloc' script --fields bytes
completed 'kmem kmalloc kmem_cache_alloc kmem_cache_free' record -e km
completed 'disable' events d
completed 'kfree' events filter kf
completed 'percpu percpu_alloc_percpu percpu_free_percpu' events enable kmem p
completed '--json' events --j
completed 'load' codetags l
completed '--map --mappings' pagemap --all --ma
completed '' pagemap --pid 1
completed 'site,kind' pages --by site,k
completed 'slab shmem stack' pages -k s
completed '--pinned --process --page-owner' pages --p
completed 'a.kmt b.kmt' report ''
completed 'b.kmt' script --json b
completed 'a.kmt' record -o a
completed 'a.kmt' record -- cat a
completed 'slab' page-types --bits sla
completed 'lru,active' page-types -b lru,ac
completed '--list --list-each --list-cgroup --list-mapcnt' page-types -C --li
completed 'a.kmt' page-types -F a
completed '--json --help' status ''
completed '' moon ''
echo "1..$n"
exit $failed
