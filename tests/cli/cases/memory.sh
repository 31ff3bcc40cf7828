# shellcheck shell=bash disable=SC2154 # run.sh includes this file
# SPDX-License-Identifier: GPL-2.0-only

new_machine
check memory memory
# these lines are about the machine that runs the test
without_origin() {
	sed -E '/^ *"(boot_id|kernel|build_id) /d'
}
check_through without_origin memory-json memory --json --top 1
mkdir tracing dma_pools
echo '100 pages:1 groups: 1' >tracing/dyn_ftrace_total_info
echo 4096 >dma_pools/pool_size_dma32
like=memory check memory-counts memory --by-node -n 1
"$tool" memory --by-node | awk '/NODE 0$/ { node = 1 } /^total/ && node { exit sum != $NF } { sum = node ? sum + $NF : 0 }'
verdict $? "the lines of a NUMA node add up to its memory"
echo 'd 5000 0 - Live 0x0000000000000000' >machine/modules
like=memory-counts check memory-by-owner memory --by-owner -n 1
rm machine/modules
# of the frames without a use, those that are known by count are not listed
"$tool" memory --json | python3 -c 'import json, sys
m = json.load(sys.stdin)
lines = {line["line"]: line["bytes"] for line in m["lines"]}
sys.exit(sum(place["bytes"] for place in m["unknown"]) != lines["unexplained"])'
verdict $? "memory lists the frames that are unexplained, and no others"
# the last section of memory goes on after the end of all nodes: 32 frames with the flag RESERVED
printf '\0\0\0\0\1\0\0\0%.0s' {1..32} >>machine/kpageflags
"$tool" memory --json | python3 -c 'import json, sys
m = json.load(sys.stdin)
sys.exit(any(size != sum(node[kind] for node in m["nodes"])
             for kind, size in m["kinds"].items() if kind != "hole"))'
verdict $? "the nodes have all frames of each kind"
(cd machine && ../mkpages <frames)
# memory from before accounting is not all found yet
cp machine/stats stats-of-machine
printf 'survey 1\nsurvey_running 1\nsurvey_complete 0\n' >>machine/stats
check_through "grep earlier/" memory-survey memory --by-owner
mv stats-of-machine machine/stats
cat >machine/kmsg <<'KMSG'
<6>[    0.1] Memory: 216K/256K available (4K kernel code)
<6>[    0.2] TCP bind hash table entries: 512 (order: 0, 4096 bytes, linear)
KMSG
like=memory-counts check memory-log memory --top 0
KMEMTRACE_DIR=$work/nowhere like=memory check memory-no-module memory --by-owner
KMEMTRACE_PROC=nowhere check memory-no-proc memory
check memory-bad-top memory --top many
check memory-bad-option memory --moon
check memory-argument memory now
check memory-help memory --help

sed 's/0x[0-9a-f]*-0x[0-9a-f]*/0x0000000000000000-0x0000000000000000/' \
	machine/vmallocinfo >hidden-areas
cp hidden-areas machine/vmallocinfo
like=memory-log check memory-hidden memory
: >machine/meminfo
like=memory-hidden check memory-no-meminfo memory

echo 2 >machine/pages_version
check memory-newer memory

# a confidential guest that has not accepted 4 MiB yet
new_unaccepted
like=memory check memory-unaccepted memory
"$tool" memory --save unaccepted 2>/dev/null
diff <("$tool" memory) <("$tool" memory -i unaccepted)
verdict $? "memory --input knows memory that is not accepted"
check_through "grep free" memory-unaccepted-owner memory --by-owner

# saved states
new_machine
check memory-save-json memory --save both --json
check memory-save-diff memory --save both --diff both
check memory-save memory --save state
private state
"$tool" memory --json --top 0 | cmp - state
verdict $? "memory --save writes the document of --json"
like_machine() { # OPTION...
	diff <("$tool" memory "$@") <("$tool" memory -i state "$@")
}
like_machine --verbose --by-node --by-owner --top 0 && like_machine --top 1 && like_machine --json
verdict $? "memory --input prints the same as the machine"
keeps kept-state memory -i state --save kept-state
state_too_large() {
	(
		ulimit -f 1
		exec "$tool" memory -i state --save large-state
	) 2>saved.log
	[ $? -eq 1 ] && grep -q 'cannot write large-state: File too large' saved.log &&
		[ ! -e large-state ] && [ ! -e large-state.part ]
}
state_too_large
verdict $? "memory --save leaves no file if it cannot write it"
check memory-save-full memory -i state --save /dev/full/x

# the machine later: the driver d has two pages more, the module of b was loaded again and
# so has another number, and its balloon is empty
sed -e 's/^frames 5 0x400 0 0 -1 0 0 1 0/frames 2 0 0 3 5 0 1 1 1\nframes 3 0x400 0 0 -1 0 0 1 0/' \
	-e 's/^frames 1 0 0 9 20 2/frames 1 0 0 12 20 2/' \
	-e 's/^frames 1 0 0 9 300 0 9/frames 1 0x400 0 0 -1 0 0/' \
	-e 's/^frames 1 0 0 77 0/frames 1 0 0 12 0/' \
	"$top/tests/cli/described/machine/frames" >machine/frames
(cd machine && ../mkpages <frames)
sed -i 's/ 9 drivers\/b.c:7 / 12 drivers\/b.c:7 /' machine/tags
check memory-diff memory --diff state --by-node --by-owner
check memory-diff-json memory --diff state --json --by-node --top 1
"$tool" memory --diff state --json --top 1 | cmp - <("$tool" memory --diff state --json --by-node --top 1)
verdict $? "memory --diff --json always has the nodes"
"$tool" memory --diff state --json | python3 -c 'import json, sys
c = json.load(sys.stdin)
parts = [0, 0]
for node in c["nodes"]:
    for moment, key in enumerate(("before", "now")):
        figures = {line["line"]: line[key] for line in node}
        assert sum(figures.values()) == 2 * figures["total"]
        parts[moment] += figures["total"]
total = next(line for line in c["lines"] if line["line"] == "total")
sys.exit(parts != [total["before"], total["now"]])'
verdict $? "... whose lines add up to the total"
"$tool" memory --save later 2>/dev/null
"$tool" memory --diff state >by-machine
"$tool" memory --input later --diff state | cmp - by-machine
verdict $? "memory --diff compares two files"
like=memory-diff check memory-diff-back memory -i state --diff later -v
"$tool" memory -i state --diff state --json | sed -n '/"page_size"/,/"notes"/p' |
	awk '/"change"/ && $2 + 0 { bad = 1 } /"sites": \[\]/ { sites = 1 }
		END { exit bad || !sites }'
verdict $? "memory --diff: a state does not differ from itself"
echo 2 >machine/pages_version

# states that differ in more than the use of memory
sed -e '/"line": "total"/,/}/s/253952/262144/' -e '/"line": "free"/,/}/s/40960/49152/' \
	state >plugged
like=memory-diff check memory-diff-plugged memory -i plugged --diff state --top 1
sed 's/"page_size": 4096/"page_size": 2048/' state >small-pages
like=memory-diff-plugged check memory-diff-pages memory -i state --diff small-pages
sed -E -e 's/"boot_id [^"]*/"boot_id 1/' -e 's/"kernel [^"]*/"kernel 6.1/' \
	-e '/"build_id /d' state | sed -z 's/,\n  *]/\n]/' >boot-1
sed -e 's/"boot_id 1/"boot_id 2/' -e 's/"kernel 6.1/"kernel 6.2/' boot-1 >boot-2
like=memory-diff-pages check memory-diff-boot memory -i boot-2 --diff boot-1
sed -e 's/"no_module": null/"no_module": "it is not loaded"/' state >no-module-state
sed -i '/"owners": \[/,/^ \]/d' no-module-state
like=memory-diff-pages check memory-diff-no-module memory -i state --diff no-module-state --by-owner
"$tool" memory -i no-module-state --diff state --json | grep -q '"sites": null'
verdict $? "memory --diff --json has no sites if a state has none"

# the owners add up to the total in both states, also those that only one of them has
sed 's/"owner": "d"/"owner": "gone"/' state >other-owners
"$tool" memory -i later --diff other-owners --json | python3 -c 'import json, sys
c = json.load(sys.stdin)
total = next(line for line in c["lines"] if line["line"] == "total")
owners = {owner["owner"]: owner for owner in c["owners"]}
assert owners["gone"]["now"] == 0 and owners["d"]["before"] == 0
for key in ("before", "now", "change"):
    assert sum(owner[key] for owner in c["owners"]) == total[key], key'
verdict $? "memory --diff: the owners add up to the total"

# other files
echo 'kmemtrace tags - version: 1' >no-json
check memory-input-no-json memory --input no-json
: >empty
check memory-input-empty memory --input empty
head -n 168 state >cut-state
check memory-input-cut memory --input cut-state
echo '{ "version": 1, "tags": [] }' >other.json
check memory-input-other memory --input other.json
"$tool" memory -i later --diff state --json >changes.json
check memory-diff-of-diff memory -i state --diff changes.json
sed 's/"version": 1/"version": 2/' state >newer-state
check memory-input-newer memory --input newer-state
sed '/"version": 1/d' state >unversioned
check memory-input-unversioned memory --input unversioned
"$tool" memory -i state --json --top 1 >top-state
check memory-diff-top-state memory -i state --diff top-state
sed 's/"line": "slab"/"line": "slabs"/' state >odd-line
check memory-input-odd-line memory --input odd-line
sed '/"line": "slab"/,/}/s/"bytes": [0-9]*/"bytes": 4096/' state >wrong-sum
check memory-input-wrong-sum memory --input wrong-sum
sed '/"line": "slab"/,/}/s/"bytes": [0-9]*/"bytes": -1/' state >negative
check memory-input-negative memory --input negative
check memory-input-missing memory --input nowhere.json
: >part.json.part
check memory-input-part memory --input part.json

new_machine
# failed allocations
no_memory memory
no_memory memory --json
no_memory memory --save oom-state
no_memory memory --input state
no_memory memory --input later --diff state --by-owner
no_memory memory --input later --diff state --json
rm -r tracing dma_pools
