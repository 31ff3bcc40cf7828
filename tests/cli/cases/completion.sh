# shellcheck shell=bash disable=SC2154 # run.sh includes this file
# SPDX-License-Identifier: GPL-2.0-only

# completion: the words that the shell offers for the last word
completed() { # EXPECTED WORD...
	local expected=$1 got
	shift
	got=$(
		# shellcheck disable=SC1091 # it is checked separately
		. "$top/tools/kmemtrace-user/completion.bash"
		# shellcheck disable=SC2034 # used by _kmemtrace_user
		COMP_WORDS=("$tool" "$@") COMP_CWORD=$#
		_kmemtrace_user
		echo "${COMPREPLY[@]}"
	)
	[ "$got" = "$expected" ]
	verdict $? "completion of $*" || echo "# $got"
}
mkdir complete && cd complete && touch a.kmt b.kmt || exit 1
completed 'record report' re
completed '--features --filter --flight' record --f
completed 'time task' record -F t
completed 'time,cache time,cgroup' record -F time,c
completed 'time,cache' record --features time,ca
completed '--filter --fields' script --fi
completed '' script -f x
completed 'bytes_req bytes_alloc' script --fields bytes
completed 'kmem kmalloc kmem_cache_alloc kmem_cache_free' record -e km
completed 'disable' events d
completed 'kfree' events filter kf
completed 'percpu percpu_alloc_percpu percpu_free_percpu' events enable kmem p
completed '--json' events --j
completed 'load' codetags l
completed 'a.kmt' codetags cache a
completed '--map --mappings' pagemap --all --ma
completed '' pagemap --pid 1
completed 'site,kind' pages --by site,k
completed 'slab shmem stack' pages -k s
completed '--pinned --process --page-owner' pages --p
completed 'module' top --by mo
completed 'rate' top -s r
completed 'pages percpu' top --kind p
completed '--delay' top --d
completed 'a.kmt b.kmt' report ''
completed 'b.kmt' script --json b
completed 'a.kmt' record -o a
completed 'a.kmt' record -- cat a
completed 'slab' page-types --bits sla
completed 'lru,active' page-types -b lru,ac
completed '--list --list-each --list-cgroup --list-mapcnt' page-types -C --li
completed 'a.kmt' page-types -F a
completed '--json --help' status ''
completed 'folded' export --to f
completed 'peak_objects' export --value peak_
completed '' moon ''
