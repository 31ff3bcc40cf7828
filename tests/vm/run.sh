#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Boots a kernel in QEMU and runs a command in the guest. The kernel is one of Debian's
# stock kernels (scripts/kernels.sh), or one built by scripts/build-kernel.sh.
#
#   tests/vm/run.sh [-k 6.1|6.12|6.1-rt|6.12-rt|newest|debug|kcsan|clang|bench] [-c CPUS] [-m MB]
#                   [-t SECONDS] [-a KERNEL-ARGUMENT]... [-f FILE[:DEST]]... [-d FILE] [-o FILE]
#                   [-p CPUS] [-n NODES] [-e] [-g MB] [-P PLUGIN] [-i] [-l] [-s] [-v] -- COMMAND
#
#   tests/vm/run.sh -k 6.12 -c 4 -- 'insmod /lib/modules/kmemtrace.ko; free'
#   tests/vm/run.sh -n      print "kvm" if guests are not emulated, as far as known
#
# The guest's shell (busybox) runs COMMAND, and its output is printed. run.sh exits with 0
# if COMMAND succeeds. It fails if the guest hangs, oopses, warns (panic_on_warn is set), is
# silent too long, or takes too much CPU time; then the console is shown from the first
# report on.
#
# The guest has the built modules and some modules of the kernel, such as brd.ko (for
# swap) and hwpoison-inject.ko, in /lib/modules; the tool, kernel-page-types and
# page_owner_sort (scripts/mm-tools.sh) in the path; tests/kselftest in /kselftest; and
# ftrace's selftests (scripts/ftrace-tests.sh) in /ftrace-tests.
#
# -t ends the guest when COMMAND, or a test of it, has taken SECONDS (300) of the host's CPU
#    time. So a busy host changes nothing. A test begins with a line "# NAME" of output. Time
#    by the clock is limited to ten times as much.
# -f copies a file into the guest, to DEST, or to its own name in /.
# -d attaches the file system in FILE as the disk /dev/nvme0n1; writes to it are lost at
#    the end.
# -o writes the guest's output on /dev/ttyS2 to FILE.
# -p sets the number of possible CPUs: those of -c, and others that are not plugged in.
# -n divides CPUs and memory among NUMA nodes. The host need not have the memory that
#    the guest does not use.
# -e leaves the last node without CPUs; with -g, it has no memory either before that of -g
#    is online.
# -P loads a plugin into QEMU: FILE[,ARGUMENT]...
# -g plugs in memory, in MB, which is offline at first; with -n, on the last node.
# -i makes the guest's clock count instructions, one for each nanosecond: those of all CPUs
#    together, which run in turns. The default is one CPU.
# -l prints the output as it comes, not at the end.
# -s emulates all CPUs in one thread. Without it, an old QEMU (scripts/qemu.sh) fails if
#    tracepoints are switched on and off under load.
# -v shows the console.
set -eu

top=$(cd "$(dirname "$0")/../.." && pwd)
cache=${KMEMTRACE_CACHE:-$HOME/.cache/kmemtrace}
# what is known of the machine until it boots again
boot_id=$(cat /proc/sys/kernel/random/boot_id)
known_kvm=$cache/kvm-$boot_id known_khz=$cache/tsc-khz-$boot_id
if [ "${1:-}" = -n ]; then
	[ "$(cat "$known_kvm" 2>/dev/null || echo 0)" = 0 ] || echo kvm
	exit 0
fi
kernel=6.12 cpus='' mem=1024 limit=300 append='' disk='' plugged='' output=/dev/null icount='' live='' verbose='' single='' possible='' plugin='' nodes='' cpuless=''
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
root=$work/root
mkdir -p "$root/bin" "$root/lib/modules" "$root/tmp" "$root/proc" \
	"$root/sys" "$root/dev" "$root/etc" "$root/var/run" "$root/root"

while getopts eg:k:c:m:n:t:a:f:d:o:p:P:ilsv option; do
	case $option in
	e) cpuless=1 ;;
	g) plugged=$OPTARG ;;
	k) kernel=$OPTARG ;;
	c) cpus=$OPTARG ;;
	m) mem=$OPTARG ;;
	n) nodes=$OPTARG ;;
	t) limit=$OPTARG ;;
	a) append="$append $OPTARG" ;;
	f)
		from=${OPTARG%%:*} to=/${OPTARG##*/}
		[ "$from" = "$OPTARG" ] || to=${OPTARG#*:}
		mkdir -p "$root/$(dirname "$to")"
		cp "$from" "$root/$to"
		;;
	d) disk=$OPTARG ;;
	o) output=$OPTARG ;;
	p) possible=$OPTARG ;;
	P) plugin=$OPTARG ;;
	i) icount=1 ;;
	l) live=1 ;;
	s) single=1 ;;
	v) verbose=1 ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))
[ -n "$cpus" ] || cpus=$((${icount:-2}))
if [ $# -eq 0 ]; then
	echo "run.sh: no command given; see the top of $0" >&2
	exit 2
fi

dir=$cache/kernels/$kernel
if [ ! -f "$dir/release" ]; then
	case $kernel in
	[0-9]* | newest) "$top/scripts/kernels.sh" "$kernel" ;;
	*) "$top/scripts/build-kernel.sh" "$kernel" ;;
	esac
fi

# Copy a program and the shared libraries that it needs.
add_program() {
	cp "$1" "$root/bin/"
	ldd "$1" 2>/dev/null | grep -o '/[^ ]*' | while read -r lib; do
		mkdir -p "$root/$(dirname "$lib")"
		cp -L "$lib" "$root/$lib"
	done
}

qemu="$cache/qemu/qemu"
[ -x "$qemu" ] || qemu="qemu-system-x86_64"

# With a sound card of its own, QEMU loads all of its audio modules that are installed. Those of
# another QEMU than that of the cache end it.
plain="-display none -nic none -no-reboot -audiodev none,id=none"

# Some machines have a /dev/kvm that cannot run a kernel. So try it once for each boot of
# the machine: without a root file system, the kernel must panic.
kvm_works() {
	[ -r /dev/kvm ] && [ -w /dev/kvm ] || return 1
	if [ ! -s "$known_kvm" ]; then
		# shellcheck disable=SC2086 # several options
		timeout 15 "$qemu" -accel kvm -cpu host -m 256 $plain \
			-kernel "$dir/vmlinuz" -monitor none -serial stdio \
			-append 'console=ttyS0 panic=-1' </dev/null 2>&1 |
			grep -c 'Kernel panic' >"$known_kvm.$$" || :
		mv "$known_kvm.$$" "$known_kvm" # atomically: other runs may read it
	fi
	[ -s "$known_kvm" ] && [ "$(cat "$known_kvm")" != 0 ]
}

# Print the frequency of the time stamp counter in kHz, measured once for each boot of the machine.
tsc_khz() {
	[ -s "$known_khz" ] || {
		gcc -O2 -o "$work/tsc_khz" "$top/tests/vm/tsc_khz.c"
		"$work/tsc_khz" >"$known_khz.$$"
		mv "$known_khz.$$" "$known_khz" # atomically: other runs may read it
	}
	cat "$known_khz"
}

cp "$(command -v busybox)" "$root/bin/busybox"
for name in $("$root/bin/busybox" --list); do
	[ "$name" = busybox ] || ln -s busybox "$root/bin/$name"
done
# Without debug information a module is loaded in half the time. Tests of codetags and
# leaks need that of two modules.
for file in "$top/build/module-$kernel"/*.ko; do
	case $file in
	*/\*.ko) ;;
	*/kmt_client.ko | */kmt_grows.ko) cp "$file" "$root/lib/modules/" ;;
	*) strip -g -o "$root/lib/modules/${file##*/}" "$file" ;;
	esac
done
add_program "$(command -v numfmt)" # busybox has none
[ ! -x "$top/build/kmemtrace-user" ] || add_program "$top/build/kmemtrace-user"
# modules of the kernel itself; newer kernels have them compressed
for name in brd loop hwpoison-inject zsmalloc lz4_compress lz4hc_compress zram \
	crc16 crc32c_generic mbcache jbd2 ext4; do
	file=$(find "$dir/root/lib/modules" -name "$name.ko*" 2>/dev/null)
	case $file in
	*.xz) xz -dc "$file" >"$root/lib/modules/$name.ko" ;;
	*.ko) cp "$file" "$root/lib/modules/" ;;
	'') ;;
	*)
		echo "run.sh: $file is compressed in a way that this script does not know" >&2
		exit 1
		;;
	esac
done
# the kernel's own tools for pages, of its series if they were built, else of 6.12
series=$(cut -d . -f 1,2 "$dir/release")
[ -d "$cache/mm-tools/$series" ] || series=6.12
if [ -d "$cache/mm-tools/$series" ]; then
	cp "$cache/mm-tools/$series/page-types" "$root/bin/kernel-page-types"
	cp "$cache/mm-tools/$series/page_owner_sort" "$root/bin/"
fi
if [ -d "$cache/ftrace-tests/tests" ]; then
	cp -r "$cache/ftrace-tests/tests" "$root/ftrace-tests"
fi
if [ -d "$top/build/kselftest" ]; then
	cp -r "$top/build/kselftest" "$root/kselftest"
fi
printf '%s\n' root:x:0:0:root:/root:/bin/sh nobody:x:65534:65534:nobody:/:/bin/sh >"$root/etc/passwd"
printf '%s\n' "$*" >"$root/command"
cp "$top/tests/vm/init" "$root/init"
chmod +x "$root/init"
(cd "$root" && find . | cpio -o -H newc --quiet | gzip -1) >"$work/initrd"

# Before the kernel has identified a CPU, it assumes four levels of page tables. If an
# interrupt arrives then, KASAN reports its memory as wild.
case $kernel in
[0-9]* | newest) ;;
*) append="$append no5lvl" ;;
esac
# The emulated time stamp counters agree, but on a busy machine the kernel would distrust
# them, because the timer with which it compares them is late.
# A busy host may not deliver the ticks that Linux counts when it tests the timer
append="$append tsc=reliable no_timer_check"
accel='tcg,thread=multi' model=max
[ -z "$single" ] || accel='tcg,thread=single'
if [ -n "$icount" ]; then
	accel='tcg,thread=single'
	append="$append init_on_alloc=0 mitigations=off nokaslr"
	# no CPU measures the loops of a jiffy, for which each takes 0.1 s
	[ "$cpus" -eq 1 ] || append="$append lpj=4000000"
	set -- -icount shift=0,sleep=off
else
	set --
	if kvm_works 2>/dev/null; then
		accel=kvm model=host
	else
		append="$append tsc_early_khz=$(tsc_khz)"
	fi
fi
[ -z "$plugin" ] || set -- "$@" -plugin "file=$plugin"
[ -z "$disk" ] || set -- "$@" -device nvme,serial=1,drive=disk \
	-drive "if=none,id=disk,format=raw,snapshot=on,file=$disk"
# Without reserve=off, the host must have as much memory as the guest. The CPUs of a socket
# must be on one node.
with_cpus=$((${nodes:-0} - ${cpuless:-0}))
with_memory=$((${nodes:-0} - (${plugged:+1} + 0) * ${cpuless:-0}))
for node in $(seq 0 $((${nodes:-0} - 1))); do
	numa=node,nodeid=$node
	if [ "$node" -lt $with_cpus ]; then
		share=$((${possible:-$cpus} / with_cpus)) first=$((node * share))
		numa=$numa,cpus=$first-$((first + share - 1))
	fi
	if [ "$node" -lt $with_memory ]; then
		set -- "$@" -object \
			"memory-backend-ram,id=node$node,size=$((mem / with_memory))M,reserve=off"
		numa=$numa,memdev=node$node
	fi
	set -- "$@" -numa "$numa"
done
if [ -n "$plugged" ]; then
	set -- "$@" -object \
		"memory-backend-ram,id=plugged,size=${plugged}M,reserve=off" -device \
		"pc-dimm,memdev=plugged${nodes:+,node=$((nodes - 1))}"
	append="$append memhp_default_state=offline"
	mem="$mem,slots=1,maxmem=$((mem + plugged))M"
fi
console=$work/console
: >"$work/result"
status=0

# Print the CPU time of the emulator in hundredths of a second; fails when it has ended. A
# guest that is idle takes up to 0.3 s in 10 s; one that is not gets more even if it shares a
# CPU with ten others.
emulator_time() { # PID
	sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | awk '{ print $12 + $13 } END { exit !NR }'
}

# Make the kernel handle a SysRq key, which it takes from the console after a break.
sysrq() { # KEY
	echo chardev-send-break console >"$work/monitor.in"
	sleep 1
	printf '%s' "$1" >"$work/keys"
	sleep 2
}

# Make the kernel print where each task sleeps, and end the guest.
end_guest() { # PID WHY
	echo "run.sh: $2" >>"$work/qemu"
	for key in 8 t b; do
		sysrq $key
	done
	[ ! -d "/proc/$1" ] || kill "$1"
	sleep 10
	[ ! -d "/proc/$1" ] || kill -9 "$1"
}

# QEMU may forget to wake a CPU for its timer. The guest then waits forever, and the emulator
# is nearly idle. An NMI wakes such a CPU. A deadlock looks the same, but not after an NMI.
# So wake a guest that has been silent and idle for IDLE seconds, which no test is, and end it
# if that does not help. End it also if a test is over its limit.
watch_guest() { # IDLE
	used=0 size=0 since=0 tests=0 began=0 waited=0
	while sleep 10 && [ -d "$work" ]; do
		pid=$(cat "$work/pid" 2>/dev/null) || continue
		now=$(emulator_time "$pid") || return
		written=$(stat -c %s "$work/result")
		if [ "$written" -ne "$size" ] || [ $((now - used)) -gt 90 ]; then
			since=0
		else
			since=$((since + 10))
		fi
		used=$now size=$written
		if [ "$since" -eq "$1" ]; then
			echo "run.sh: the guest was silent and idle for $1 s; it gets an NMI" \
				>>"$work/qemu"
			echo nmi >"$work/monitor.in"
		elif [ "$since" -ge $(($1 + 60)) ]; then
			end_guest "$pid" "the guest was silent and idle after the NMI"
			return
		fi
		count=$(grep -c '^# ' "$work/result" || :)
		waited=$((waited + 10))
		[ "$count" -eq "$tests" ] || { tests=$count began=$now waited=0; }
		if [ $((now - began)) -gt $((limit * 100)) ]; then
			end_guest "$pid" "a test took more than $limit s of CPU time"
			return
		elif [ "$waited" -gt $((limit * 10)) ]; then
			end_guest "$pid" "a test took more than $((limit * 10)) s"
			return
		fi
	done
}

# Print where the console says that tasks sleep: a line for each that is not a thread of
# the kernel.
sleepers() {
	tr -d '\r' <"$console" | sed 's/^\[[^]]*\] *//' | awk '
		function show() { if (name != "") print "run.sh: " name ":" stack; name = "" }
		/^task:/ {
			show()
			if (match($0, /ppid:[0-9]+/) && substr($0, RSTART + 5, RLENGTH - 5) != 2 &&
			    $0 !~ /ppid:0 /) {
				name = substr($1, 6)
				match($0, /state:[^ ]*/)
				stack = " " substr($0, RSTART + 6, RLENGTH - 6)
				n = 0
			}
			next
		}
		/^[a-zA-Z_][^ ]*\+0x/ && name != "" && n++ < 12 { sub(/\+.*/, ""); stack = stack " " $0 }
		/^<\/TASK>/ { show() }'
}
clean='s/\r//g; /^kmemtrace-vm: exit [0-9]*$/d'
mkfifo "$work/monitor.in" "$work/monitor.out" "$work/keys"
exec 9<>"$work/keys" # or QEMU would wait for a key when it opens the file
watch_guest 180 &
watcher=$!
if [ -n "$live" ]; then
	tail -n +1 -f --pid="$watcher" "$work/result" | sed -u "$clean" &
	live=$!
fi
# shellcheck disable=SC2086 # several options
"$qemu" -accel "$accel" -cpu "$model" "$@" $plain \
	-m "$mem" -smp "$cpus${possible:+,maxcpus=$possible}${nodes:+,sockets=$with_cpus}" -kernel "$dir/vmlinuz" -initrd "$work/initrd" \
	-monitor "pipe:$work/monitor" \
	-chardev "file,id=console,path=$console,input-path=$work/keys" \
	-serial chardev:console -serial "file:$work/result" \
	-serial "file:$work/output" -pidfile "$work/pid" \
	-append "console=ttyS0 loglevel=5 panic=-1 oops=panic panic_on_warn=1 \
		apic_extnmi=all sysrq_always_enabled $append" \
	</dev/null >>"$work/qemu" 2>&1 || status=$?
kill "$watcher" 2>/dev/null || :
[ -z "$live" ] || wait "$live"

[ "$output" = /dev/null ] || cp "$work/output" "$output"
[ -z "$verbose" ] || cat "$console"
# The run is complete only if the last line is "kmemtrace-vm: exit N", and if the kernel did
# not panic afterwards.
verdict=$(tail -n 1 "$work/result" | tr -d '\r')
! grep -q 'Kernel panic' "$console" || verdict=panic
[ -n "$live" ] || sed "$clean" "$work/result"
sed -n 's/^run.sh: .* gets an NMI$/# &/p' "$work/qemu"
case $verdict in
'kmemtrace-vm: exit 0') exit 0 ;;
'kmemtrace-vm: exit '*) exit 1 ;;
esac
{
	echo "run.sh: the guest (kernel $kernel, $cpus CPUs) did not finish (qemu: $status)"
	cat "$work/qemu"
	echo "run.sh: the last test that began: $(tr -d '\r' <"$work/result" | grep '^# [a-z]' | tail -n 1)"
	sleepers
	# From the first report on: kernels from 7.x on do not print "cut here" at this level,
	# and the text of a warning stands before "WARNING".
	grep -m 1 -B 2 -A 70 -E 'cut here|WARNING: |BUG: |UBSAN: |INFO: |Oops|Kernel panic' "$console" ||
		tail -n 40 "$console"
} >&2
exit 1
