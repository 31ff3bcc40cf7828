# shellcheck shell=bash disable=SC2154 # run.sh includes this file
# SPDX-License-Identifier: GPL-2.0-only

# Checks options of the build that are visible in the tool.
hardened() { # WHAT PATTERN READELF-OPTION...
	readelf --wide "${@:3}" "$tool" 2>/dev/null | grep -qE "$2"
	verdict $? "the tool is built with $1"
}
hardened "position-independent code" 'FLAGS_1.* PIE' --dynamic
hardened "symbols bound at start" 'FLAGS.* (BIND_)?NOW' --dynamic
hardened "read-only relocation tables" GNU_RELRO --program-headers
hardened "a stack protector" '__stack_chk_fail' --symbols
hardened "fortified libc" '__(mem|str|sn?printf|printf|fprintf|read).*_chk' --symbols
hardened "a stack that is not executable" 'GNU_STACK .* RW ' --program-headers
