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
check codetags-bare codetags load --vmlinux bare -o rows
check codetags-missing codetags load --vmlinux nowhere -o rows
check codetags-nothing codetags
check codetags-bad-option codetags load --moon
check codetags-unknown codetags moon
check codetags-no-module codetags show
check codetags-help codetags --help

mkdir tagged
export KMEMTRACE_DIR=$work/tagged
printf '%s\n' '0xffffffff81000010 mm/slub.c:12 kmalloc_noprof' \
	'0xffffffffc0001000 drivers/d.c:7 d_alloc' >"tagged/codetags"
check codetags-show codetags show
check codetags-show-json codetags show --json
check codetags-load-json codetags load --json
