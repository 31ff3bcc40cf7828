#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Builds a kernel from Debian's linux-source-6.12 into the cache, with options that no
# stock kernel has. This takes 12 to 15 minutes on two cores, and is done once.
#
#   scripts/build-kernel.sh FLAVOUR...       debug, kcsan, clang or bench
#   scripts/build-kernel.sh -n FLAVOUR...    print what the kernel depends on, and build nothing
#
# The options are those of x86_64_defconfig (or of "# base:" in FLAVOUR.config),
# common.config, "# with:" in FLAVOUR.config, and FLAVOUR.config, in tests/vm/config. The
# compiler is gcc, or that of "# compiler:". A change of these files or of this script,
# comments included, builds the kernel again.
#
# Creates CACHE/kernels/FLAVOUR with the same files as scripts/kernels.sh for a stock
# kernel (release, vmlinuz, headers, root), and vmlinux, with debug information in bench.
set -eu
cd "$(dirname "$0")/.."

cache=${KMEMTRACE_CACHE:-$HOME/.cache/kmemtrace}
package=linux-source-6.12
config=$PWD/tests/vm/config

. scripts/linux-source.sh

fetch() { # VERSION
	[ "$(cat "$cache/src/version" 2>/dev/null || :)" != "$1" ] || return 0
	fetch_source "$package" "$1" "$cache/src"
	echo "$1" >"$cache/src/version"
}

# Print the NAME of a line "# WHAT: NAME" at the beginning of FLAVOUR.config.
said() { # FLAVOUR WHAT
	sed -n "/^#/!q; s/^# $2: //p" "$config/$1.config"
}

# Set $own to the files with the options of a flavour, and $options to these options.
read_options() { # FLAVOUR
	own="$config/$1.config"
	with=$(said "$1" with)
	[ -z "$with" ] || own="$config/$with $own"
	# shellcheck disable=SC2086 # one word for each file
	options=$(cat "$config/common.config" $own)
}

# Print what the kernel depends on.
stamp_of() { # FLAVOUR VERSION
	read_options "$1"
	echo "$(echo "$options" | cat - scripts/build-kernel.sh | cksum)-$2"
}

build() { # FLAVOUR VERSION
	dir=$cache/kernels/$1
	base=$(said "$1" base)
	read_options "$1"
	stamp=$(stamp_of "$1" "$2")
	[ "$(cat "$dir/stamp" 2>/dev/null || :)" != "$stamp" ] || return 0
	fetch "$2"
	echo "build-kernel: building $1, which takes a while" >&2
	rm -rf "$dir"
	mkdir -p "$dir/build" "$dir/root"
	tools="CC=gcc-12 HOSTCC=gcc-12"
	[ "$(said "$1" compiler)" != clang ] || tools=LLVM=1
	run() {
		# shellcheck disable=SC2086
		make -C "$cache/src/linux" "O=$dir/build" $tools "LOCALVERSION=-$flavour" \
			-j"$(nproc)" "$watch" "$@" >>"$dir/log" 2>&1 || {
			tail -n 30 "$dir/log" >&2
			exit 1
		}
	}
	flavour=$1
	# kcsan: only modules are checked, because the kernel has races of its own
	watch=KCSAN_SANITIZE=n
	run "${base:-x86_64_defconfig}"
	echo "$options" >>"$dir/build/.config"
	run olddefconfig
	# shellcheck disable=SC2086
	grep -h '^CONFIG' $own | grep -v '=n$' | while read -r line; do
		grep -qx "$line" "$dir/build/.config" ||
			echo "build-kernel: $line did not take" >&2
	done
	run bzImage modules
	run INSTALL_MOD_PATH="$dir/root" modules_install
	cat "$dir/build/include/config/kernel.release" >"$dir/release"
	ln -s build/arch/x86/boot/bzImage "$dir/vmlinuz"
	ln -s build/vmlinux "$dir/vmlinux"
	ln -s build "$dir/headers"
	echo "$stamp" >"$dir/stamp"
}

action=build
if [ "${1:-}" = -n ]; then
	action=stamp_of version=$(pinned "$package")
	shift
else
	version=$(source_version "$package" "$cache/src/version")
fi
for flavour; do
	$action "$flavour" "$version"
done
