#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Builds the module against directories that look like a kernel's headers, and prints a line
# for each result that is not the expected one. Then it exits with 1.
set -u
cd "$(dirname "$0")/.." || exit 2
dir=$(mktemp -d /tmp/kmemtrace-XXXXXX)
trap 'rm -rf "$dir"' EXIT
failed=0

# Create headers. Like the kernel's build system, they compare times only.
create() { # HEADERS RELEASE
	mkdir -p "$1/include/config"
	{
		awk -F '"' '/^BUILD_EXCLUSIVE_CONFIG=/ {
			gsub(/ /, "=y\n", $2)
			print $2 "=y"
		}' dkms.conf
		echo 'CONFIG_CC_VERSION_TEXT="gcc (Debian) 12"'
	} >"$1/include/config/auto.conf"
	echo "$2" >"$1/include/config/kernel.release"
	cat >"$1/Makefile" <<-'END'
		modules: $(M)/kmemtrace.ko ;
		text = char release[] = "$(LLVM)$(file < $<)";
		$(M)/kmemtrace.ko: include/config/kernel.release ; echo '$(text)' | gcc -x c -c -o $@ -
	END
	find "$1" -exec touch -d 2020-01-01 {} +
}

# Build the module: EXPECTED is in the module, or the only line of output.
check() { # NAME HEADERS OUT EXPECTED
	local got
	if got=$(PARTS='' scripts/module.sh "$2" "$3" 2>&1); then
		got=$got$(strings "$3/kmemtrace.ko" | grep -xF "$4")
	fi
	# shellcheck disable=SC2053 # a pattern is meant
	if [[ $got != $4 || $got == *$'\n'* ]]; then
		echo "$1: $got"
		failed=1
	fi
}

create "$dir/a" 6.1.0-a
create "$dir/b" 6.1.0-b
check "a kernel" "$dir/a" "$dir/out" 6.1.0-a
check "another kernel, with older headers" "$dir/b" "$dir/out" 6.1.0-b
check "no headers" "$dir/c" "$dir/out" "*no kernel headers in $dir/c: install*KDIR=*"
check "a path with a blank" "$dir/a" "$dir/o ut" "*blank*: move $dir/o ut or*"
mv "$dir/a" "$dir/a b"
check "headers in a path with a blank" "$dir/a b" "$dir/out" "*blank*: move*or $dir/a b"
mv "$dir/a b" "$dir/a"
for option in DYNAMIC_FTRACE KALLSYMS STACKTRACE; do
	sed -i "/^CONFIG_$option=/d" "$dir/a/include/config/auto.conf"
	check "no $option" "$dir/a" "$dir/out" "*a has no CONFIG_$option: the module needs*"
	echo "CONFIG_$option=y" >>"$dir/a/include/config/auto.conf"
done
sed -i 's/gcc (Debian)/gcc-of-another-distribution (X)/' "$dir/b/include/config/auto.conf"
check "a compiler that is not installed" "$dir/b" "$dir/out" \
	"*was built by gcc-of-another-distribution*: install gcc-of-another*"
sed -i 's/TEXT=.*/TEXT="Debian clang version 19"/' "$dir/b/include/config/auto.conf"
echo CONFIG_CC_IS_CLANG=y >>"$dir/b/include/config/auto.conf"
mkdir "$dir/bin"
for program in clang ld.lld; do
	ln -s /bin/true "$dir/bin/$program"
done
PATH=$dir/bin:$PATH check "a kernel built by clang" "$dir/b" "$dir/out" 16.1.0-b
exit $failed
