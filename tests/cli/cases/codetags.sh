# shellcheck shell=bash disable=SC2154 # run.sh includes this file
# SPDX-License-Identifier: GPL-2.0-only

# codetags of a small program that calls functions named like allocators
new_program
sites() { # without addresses, which depend on the compiler
	"$tool" codetags load --vmlinux "$1" -o rows && sed 's/^0x[0-9a-f]* //' rows
}
diff <(sites program 2>&1) - >difference <<'ROWS'
kmemtrace-user: 3 call sites, of the kernel and its modules: 1 with debug information, 0 without
init/main.c:17 user
init/main.c:18 user
init/main.c:10 helper
ROWS
verdict $? "codetags of a program" || sed 's/^/# /' difference
strip -o bare program
private rows
# without its debug information, which a debuginfod server has
build_id=$(readelf -n bare | sed -n 's/.*Build ID: //p')
mkdir -p served/buildid/"$build_id"
cp program served/buildid/"$build_id"/debuginfo
export DEBUGINFOD_URLS=file://$PWD/served DEBUGINFOD_CACHE_PATH=$PWD/served-cache
check codetags-served codetags load --vmlinux bare -o rows-served
unset DEBUGINFOD_URLS DEBUGINFOD_CACHE_PATH
cmp rows rows-served
verdict $? "... and its rows are the same"
# kept for another machine
kept() { # the rows, without offsets
	sed 's/^0x[0-9a-f]* //' kept/"$build_id"
}
check codetags-cache codetags cache --cache kept program
diff <(kept) - >difference <<ROWS
kmemtrace-codetags 1
build_id $build_id
$(grep allocators kept/"$build_id")
section _text
$(sed 's/^0x[0-9a-f]* //' rows)
# end 3
ROWS
verdict $? "codetags cache keeps the rows" || sed 's/^/# /' difference
check codetags-cache-again codetags cache --cache kept program bare nowhere
rm -r kept
check codetags-cache-no-dir codetags cache --cache /proc/none program
check codetags-cache-nothing codetags cache --cache kept
check codetags-cache-and-none codetags load --cache kept --no-cache
check codetags-cache-follow codetags cache --follow --cache kept program
check codetags-no-dir codetags load --debug-dir nowhere
check codetags-follow-file codetags load --follow --vmlinux program
check codetags-follow-output codetags load --follow -o rows-follow
check codetags-bare codetags load --vmlinux bare -o rows
check codetags-missing codetags load --vmlinux nowhere -o rows
check codetags-nothing codetags
check codetags-bad-option codetags load --moon
check codetags-unknown codetags moon
check codetags-no-module codetags show
check codetags-help codetags --help

# functions that jump to an allocator, or to such a function; and one with another name for
# the linker. GCC would otherwise call main() and jumping functions in one.
cat >jumps.c <<'SOURCE'
void *__kmalloc_noprof(unsigned long size);
void *real_dup(const void *p, unsigned long size) __asm__("kmemdup_noprof");
#define ALONE __attribute__((noinline, noclone, noipa))
ALONE void *jump(unsigned long size) { return __kmalloc_noprof(size + 1); }
ALONE void *jump_twice(unsigned long size) { return jump(size + 1); }
void *volatile keep;
ALONE void user(unsigned long size)
{
	keep = jump(size);
	keep = jump_twice(size);
	keep = real_dup(&size, size);
}
int main(void)
{
	user(1);
}
SOURCE
cat >jumped.c <<'SOURCE'
void *__kmalloc_noprof(unsigned long size) { return (void *)size; }
void *kmemdup_noprof(const void *p, unsigned long size) { return (void *)size; }
SOURCE
gcc-12 -g -O2 -fno-pie -no-pie -o jumps jumps.c jumped.c
diff <(sites jumps 2>/dev/null | sort -t : -n -k 2) - >difference <<'ROWS'
jumps.c:4 jump
jumps.c:5 jump_twice
jumps.c:9 user
jumps.c:10 user
jumps.c:11 user
ROWS
verdict $? "codetags of functions that jump" || sed 's/^/# /' difference
mkdir tagged
export KMEMTRACE_DIR=$work/tagged
printf '%s\n' '0xffffffff81000010 mm/slub.c:12 kmalloc_noprof' \
	'0xffffffffc0001000 drivers/d.c:7 d_alloc' >"tagged/codetags"
check codetags-show codetags show
check codetags-show-json codetags show --json
check codetags-load-json codetags load --json
