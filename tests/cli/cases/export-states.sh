# shellcheck shell=bash disable=SC2154 # run.sh includes this file
# SPDX-License-Identifier: GPL-2.0-only

# more sites than have series by default: each fourth has objects and pages
seq 70 | awk 'BEGIN { print "kmemtrace tags - version: 1" }
	{ at = sprintf("ffffffff8100%04x %d k/%d.c:%d%s func:f%d", $1, $1, $1, $1,
		$1 % 3 ? "" : " [m" $1 "]", $1)
	  print "slab", $1 * 64, $1, $1 * 60, $1 + 5, 5, $1 * 64, "-", at }
	$1 % 4 == 0 { print "page", $1 * 4096, $1, $1 * 4096, $1, 0, $1 * 4096, "-", at }' \
	>many.tags

check export-allocinfo export --to allocinfo tags-now.tags
check export-allocinfo-kind export --to allocinfo --kind slab tags-then.tags
check export-allocinfo-hostile export --to allocinfo hostile.tags
check export-allocinfo-recording export --to allocinfo golden.kmt
check export-allocinfo-value export --to allocinfo --value live tags-now.tags
check export-allocinfo-top export --to allocinfo --top 3 tags-now.tags
check export-prometheus export --to prometheus --top 2 tags-now.tags
check export-prometheus-kind export --to prometheus --kind percpu tags-then.tags
check export-prometheus-recording export --to prometheus golden.kmt
check export-prometheus-bad-top export --to prometheus --top few tags-now.tags
check export-prometheus-bad-state export --to prometheus bad.tags
like=export-prometheus check export-prometheus-hostile \
	export --to prometheus --top 1 --kind slab hostile.tags

# the module, with caches of such names
new_machine
printf '%s\n' '(other) 1 8' 'a "b" 3 96' 'x\n 2 64' 'dentry 24 4608' $'\e\xff 1 16' \
	>machine/caches_live
# shellcheck disable=SC2317 # called by check_through
no_kernel() {
	sed '/_kernel_info/d'
}
check_through no_kernel export-prometheus-module export --to prometheus --top 1
check export-allocinfo-module export --to allocinfo
python3 "$top/tests/exports/states.py" "$tool" >differences
verdict $? "the exports have the names and sums of the module" ||
	head -c 4000 differences | sed 's/^/# /'
rm machine/tags_quick
sed '/alloc_inode/s/1280 4/2560 8/' machine/tags >machine/tags_quick
[ "$("$tool" export --to prometheus | grep -c '^kmemtrace_site.*func:alloc_inode"} 2560')" -eq 1 ]
verdict $? "export reads the file without ages"
rm machine/caches_live
check export-prometheus-no-caches export --to prometheus
like=export-prometheus-module check_through no_kernel export-prometheus-pages \
	export --to prometheus --kind page --top 1
new_machine
no_memory export --to prometheus
export KMEMTRACE_DIR=$work/nowhere
unset KMEMTRACE_PROC KMEMTRACE_SYS
check export-prometheus-no-module export --to prometheus

python3 "$top/tests/exports/states.py" "$tool" ./{tags-now,tags-then,hostile,many}.tags \
	./kernel-*.tags >differences
verdict $? "the exports have the names and sums of allocinfo" ||
	head -c 4000 differences | sed 's/^/# /'

no_memory export --to allocinfo tags-now.tags
no_memory export --to prometheus --top 1 tags-now.tags
