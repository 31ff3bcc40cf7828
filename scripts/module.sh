#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Builds the modules against one kernel, in a copy of their sources, so that builds for
# several kernels do not mix.
#
#   scripts/module.sh HEADERS OUT [MAKE-ARGUMENT...]
#
# Creates in OUT: kmemtrace.ko, and what PARTS names (by default all): kmemtrace-debug.ko
# (debug, KMT_DEBUG in Kbuild), the modules for tests (kmod) and benchmarks (bench), and those
# of samples/, built with the files that `make install` installs.
#
# The compiler is the one that built the kernel. CC=NAME or LLVM=1 chooses another.
set -eu
# a make that calls this script has its own number of jobs
unset MAKEFLAGS MFLAGS

parts=" ${PARTS-debug kmod bench samples} "
scripts=$(dirname "$0")
headers=$1
config=$1/include/config/auto.conf
out=$2
shift 2

fail() {
	echo "kmemtrace: $*" >&2
	exit 1
}

[ -e "$config" ] || fail "no kernel headers in $headers: install those of your kernel" \
	"(Debian: apt install linux-headers-$(uname -r)), or name them: make module KDIR=DIR"
mkdir -p "$out"
out=$(cd "$out" && pwd)
case $out$headers in
*[[:space:]]*) fail "a path has a blank, with which no module can be built: move $out or $headers" ;;
esac
# the conditions are those of DKMS
conditions=$(sed -n 's/^BUILD_EXCLUSIVE_CONFIG="\(.*\)"/\1/p' "$scripts/../dkms.conf")
for option in $conditions; do
	grep -q "^$option=" "$config" || fail "$headers has no $option: the module needs a" \
		"kernel that was built with it"
done

# kbuild needs the compiler that built the kernel, with the same name
text=$(sed -n 's/^CONFIG_CC_VERSION_TEXT="*\([^"]*\).*/\1/p' "$config")
compiler=CC=${text%% *} programs=${text%% *}
! grep -q '^CONFIG_CC_IS_CLANG=y' "$config" || compiler=LLVM=1 programs="clang ld.lld"
case " $*" in
*" CC="* | *" LLVM="*) compiler='' programs='' ;;
esac
# headers in a whole Debian (newest) need the compiler of that Debian
root=$(dirname "$headers")/root
if [ -x "$root/bin/sh" ]; then
	headers=/usr/src/$(basename "$(readlink "$headers")")
	make="$scripts/inroot.sh -b $out $root make"
	programs=''
else
	make="make"
fi
for program in $programs; do
	command -v "$program" >/dev/null || fail "this kernel was built by $text:" \
		"install $program, or choose another compiler: make module CC=gcc (or LLVM=1)"
done

# kbuild compares times only, and headers of another kernel may be older than the objects
built_for=$(echo "$headers $compiler $*"; cat "$config" "$(dirname "$config")/kernel.release")
if [ "$built_for" != "$(cat "$out/built-for" 2>/dev/null)" ]; then
	rm -rf "$out/kmemtrace" "$out/kmod" "$out/bench" "$out/samples"
	echo "$built_for" >"$out/built-for"
fi

build() { # DIR [MAKE-ARGUMENT...]
	src=$1
	shift
	# -g: with debug information even if the kernel was built without
	# shellcheck disable=SC2086 # $make is several words, $compiler may be none
	if ! $make "-j$(nproc)" -C "$headers" "M=$src" $compiler KCFLAGS=-g "$@" modules \
		>"$src.log" 2>&1; then
		cat "$src.log" >&2
		return 1
	fi
	# or the next build would not print them
	! grep -E 'warning:|error:' "$src.log" >&2 || {
		rm -rf "$src"
		return 1
	}
}

# All modules share 8 KiB of static per-CPU memory. A kernel with memory allocation
# profiling puts a counter for each call of an allocator there.
check_percpu() { # KO
	! grep -q CONFIG_MEM_ALLOC_PROFILING=y "$config" || return 0
	size -A "$1" | awk -v ko="$1" '$1 == ".data..percpu" && $2 > 128 {
			print ko ": " $2 " bytes of static per-CPU memory, more than 128"
			exit 1
		}' >&2
}

mkdir -p "$out/kmemtrace"
cp -a Kbuild module lib include "$out/kmemtrace/"
# both in one place, because most of their objects are the same
case $parts in
*" debug "*)
	build "$out/kmemtrace" KMT_DEBUG=y "$@"
	cp "$out/kmemtrace/kmemtrace.ko" "$out/kmemtrace-debug.ko"
	;;
esac
build "$out/kmemtrace" "$@"
check_percpu "$out/kmemtrace/kmemtrace.ko"
cp "$out/kmemtrace/kmemtrace.ko" "$out/"
for dir in kmod bench; do
	case $parts in
	*" $dir "*) ;;
	*) continue ;;
	esac
	mkdir -p "$out/$dir"
	cp -a "tests/$dir/." lib tests/filter_*.h "$out/$dir/"
	build "$out/$dir" "$@" "KMT_INCLUDE=$out/kmemtrace/include" \
		"KBUILD_EXTRA_SYMBOLS=$out/kmemtrace/Module.symvers"
	cp "$out/$dir"/*.ko "$out/"
done
case $parts in
*" samples "*) ;;
*) exit 0 ;;
esac
make -s install-client "DESTDIR=$out/installed" PREFIX=/usr \
	"MODULE_BUILD=$out/kmemtrace"
client=$out/installed/usr/lib/kmemtrace
mkdir -p "$out/samples"
cp samples/Kbuild samples/*.c "$out/samples/"
build "$out/samples" "$@" "KMEMTRACE=$client" \
	"KBUILD_EXTRA_SYMBOLS=$client/Module.symvers"
cp "$out"/samples/*.ko "$out/"
