# shellcheck shell=bash disable=SC2154 # run.sh includes this file
# SPDX-License-Identifier: GPL-2.0-only
#
# Recordings that are read from a pipe, or while they are written.

for d in golden features basic wrap-big tasks unseen violations damaged cut later \
	kept snapshot robbed partial no-frees codec; do
	piped $d.kmt report -v
	piped $d.kmt report --json --by cache
	piped $d.kmt script --filter 'bytes_req > 32 || ptr > 0'
	piped $d.kmt script --json
	piped $d.kmt timeline --csv
	piped $d.kmt report --lifetimes
	piped $d.kmt check
	piped $d.kmt check --json
	piped $d.kmt info --json
done
# in the format that the tool writes, with stacks in chunks of their own
./columns stacks.kmt packed.kmt
piped packed.kmt script
piped packed.kmt report --by stack --json
piped packed.kmt report --tree
piped packed.kmt check
streamed golden.kmt script-stream script --since 1.058 --until 1060ms
streamed cpu0.out script-stream-raw script
streamed golden.kmt report-stream-since report --since +1s
streamed golden.kmt report-at-stream report --at peak
streamed golden.kmt script-stream-since script --until 25%

(
	sleep 0.3
	cat golden.kmt
) | "$tool" script - 2>err | true
[ ! -s err ]
verdict $? "a reader that ends early is no error"

# The pipe stays open: what is refused for META is refused before the records are read.
refused() { # FILE TEXT ARGUMENT...
	mkfifo open || exit 1
	exec 8<>open
	cat "$1" >&8
	timeout 200 "$tool" "${@:3}" open 2>err
	[ $? -eq 1 ] && grep -q "$2" err
	verdict $? "refused before the records are read: ${*:3}"
	exec 8>&-
	rm open
}
refused no-frees.kmt 'what is live is not known' timeline
refused no-frees.kmt 'what is live in open is not known' waste
refused basic.kmt 'the nodes of its CPUs' report --matrix node

head -c 700 golden.kmt >killed.kmt.part
check script-follow-killed script --follow killed.kmt
check report-part report killed.kmt
check leaks-part leaks killed.kmt
exec 9<killed.kmt.part
flock 9
check report-part-written report killed.kmt
exec 9<&-

# standard input that is a file, but no recording
for file in NEWS tests/cli; do
	"$tool" report - <"$top/$file" 2>found
	[ $? -eq 1 ] && grep -qE ': (cannot read )?standard input( is neither|: Is a dir)' found
	verdict $? "a message about standard input: $file" || sed 's/^/# /' found
done
