# shellcheck shell=bash disable=SC2154 # run.sh includes this file
# SPDX-License-Identifier: GPL-2.0-only

new_program
# A recording of a program, which was loaded elsewhere: source lines of its calls, with
# inlined functions; the same code is also a module.
gcc-12 -g -O2 -fno-pie -c -o driver.ko "$work/init/main.c"
build_id=$(readelf -n program | sed -n 's/.*Build ID: //p')
lines_recording() { # BUILD-ID
	local i=0 user text at stack
	user=$(nm program | sed -n 's/ T user$//p')
	text=$(nm program | sed -n 's/ [A-Za-z] _text$//p')
	printf 'text meta\npage_size=4096\nseq_start=0\nbuild_id=%s\n.\n' "$1"
	printf 'text kallsyms\n%x T _text\n%x T user\n%x t user\t[driver]\n.\n' \
		$((0x$text + 0x7fff0000)) $((0x$user + 0x7fff0000)) $((0xc0000000))
	printf 'text modules\ndriver 4096 0xc0000000 -\n.\ndata 0 mark=9\n'
	for at in $(returns program); do
		stack=$(printf 0x%x $((0x$user + 0x7fff0000 + at)))
		echo "alloc 0 $i $((4096 * (i + 1))) $stack $((8 << i)) $((8 << i)) 0 -1 stack=$stack"
		i=$((i + 1))
	done
	for at in $(returns driver.ko); do
		stack=$(printf 0x%x $((0xc0000000 + at)))
		echo "alloc 0 $i $((4096 * (i + 1))) $stack $((8 << i)) $((8 << i)) 0 -1 stack=$stack"
		i=$((i + 1))
	done
	printf '.\ntext end\nseq_end=%d\nlost_events=0\n.\n' $i
}
lines_recording "$build_id" | ./mktrace little >lines.kmt
lines_recording 0123456789 | ./mktrace little >lines-other.kmt
mkdir debuginfo debuginfo/more
cp program debuginfo/vmlinux-6.12
cp driver.ko debuginfo/more/
check_through without_offsets report-debuginfo report --debuginfo debuginfo lines.kmt
like=report-debuginfo check_through without_offsets report-debuginfo-file \
	report --debuginfo program --by stack lines.kmt
check_through without_offsets report-debuginfo-module report --debuginfo driver.ko --csv lines.kmt
check_through without_offsets report-debuginfo-tree report --tree --debuginfo debuginfo lines.kmt
check_through without_offsets export-debuginfo export --to folded --debuginfo debuginfo lines.kmt
check_through without_offsets script-debuginfo script --debuginfo debuginfo --fields call_site lines.kmt
check report-debuginfo-other report --debuginfo program lines-other.kmt
check report-debuginfo-none report --debuginfo little lines.kmt
check report-debuginfo-missing report --debuginfo nowhere lines.kmt
check script-debuginfo-noise script --debuginfo noise lines.kmt
# without debug information, recorded code tags give the lines of call sites
{
	cat "$top/tests/cli/described/basic.txt"
	printf 'text 12\n0xffffffff81000010 mm/alpha.c:7 alpha\nrubbish\n.\n'
} | ./mktrace little >codetags.kmt
check report-codetags report codetags.kmt
check script-codetags script codetags.kmt
strip -o bare program
check report-debuginfo-bare report --debuginfo bare lines.kmt
# with debuginfod, which has the program and the module; builds that it does not have, and
# that have no build id
ld -r --build-id=0xabcdef0123456789 -o known.ko driver.ko
mkdir -p pod/buildid/{"$build_id",abcdef0123456789}
cp program pod/buildid/"$build_id"/debuginfo
cp known.ko pod/buildid/abcdef0123456789/debuginfo
with_module_id() { # FILE BUILD-ID
	lines_recording "$build_id" | sed "s/^driver 4096 0xc0000000 -/driver 4096 0xc0000000 $2/" |
		./mktrace little >"$1"
}
with_module_id lines-known.kmt abcdef0123456789
with_module_id lines-odd.kmt abcdef012345678
export DEBUGINFOD_URLS=file://$PWD/pod DEBUGINFOD_CACHE_PATH=$PWD/pod-cache
like=report-debuginfo check_through without_offsets report-debuginfo-auto \
	report --debuginfo auto lines-known.kmt
like=report-debuginfo check_through without_offsets report-debuginfo-auto-some \
	report --debuginfo auto lines.kmt
like=report-debuginfo-auto-some check_through without_offsets report-debuginfo-auto-odd \
	report --debuginfo auto lines-odd.kmt
unset DEBUGINFOD_URLS DEBUGINFOD_CACHE_PATH
check report-debuginfo-auto-none report --debuginfo auto lines-other.kmt
