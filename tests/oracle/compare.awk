# SPDX-License-Identifier: GPL-2.0-only
#
# Compares, site by site, by how much mainline's and kmemtrace's live bytes
# changed between two snapshots:
#
#   awk -f compare.awk reasons before.* after.*
#
# (.1 and .2: mainline's allocinfo; .tags and .stats: kmemtrace's files).
# A site is a file and a function, and among several calls of one function the
# nearest line: the two count the lines of a call that spans several
# differently. Where mainline was at two values, just before and just after
# ours was read, any between them is right. Fails unless totals agree to 0.1 %,
# 99 % of the bytes are at the same site, and every difference has a reason.
# That something was allocated before kmemtrace was loaded is one as far as
# kmemtrace counted frees of what it did not know.
# Per-CPU memory and what reasons says to keep apart are left out of the totals.
function abs(x) { return x < 0 ? -x : x }
function max(x, y) { return x > y ? x : y }
function min(x, y) { return x < y ? x : y }

FILENAME ~ /reasons$/ {
	if (!/^#/ && split($0, part, "|") >= 2) {
		why[part[1]] = part[2]
		apart[part[1]] = part[3] == "apart"
	}
	next
}

FILENAME ~ /\.stats$/ {
	if (/^unmatched_(frees|pages) /)
		unknown[$1] += FILENAME ~ /after/ ? $2 : -$2
	next
}

# "BYTES CALLS FILE:LINE [MODULE] func:FUNCTION"
FILENAME ~ /\.[12]$/ && / func:/ {
	place = $3
	line = place
	sub(/.*:/, "", line)
	sub(/:[0-9]+$/, "", place)
	func_ = $NF
	sub(/^func:/, "", func_)
	at = place " " func_
	key = at " " line
	if (!(key in site)) {
		site[key] = at
		line_of[key] = line
		sites[at] = sites[at] " " line
	}
	which = FILENAME
	sub(/.*\//, "", which)
	value[which, key] += $1
	calls[which, key] += $2
	next
}

# "KIND BYTES OBJECTS REQUESTED ALLOCS FREES PEAK OLDEST ADDRESS PLACE..."
FILENAME ~ /\.tags$/ && / func:/ {
	place = $10
	line = place
	sub(/.*:/, "", line)
	sub(/:[0-9]+$/, "", place)
	func_ = $NF
	sub(/^func:/, "", func_)
	key = $1 " " place " " func_ " " line
	ours_kind[key] = $1
	ours_at[key] = place " " func_
	ours_line[key] = line
	ours[key] += FILENAME ~ /after/ ? $2 : -$2
	objects[key] += FILENAME ~ /after/ ? $3 : -$3
}

# Of mainline's sites in this function, the one with the nearest line.
function nearest(at, line, list, n, i, best) {
	n = split(sites[at], list, " ")
	for (i = 1; i <= n; i++)
		if (best == "" || abs(list[i] - line) < abs(best - line))
			best = list[i]
	return best == "" ? "" : at " " best
}

END {
	for (key in ours) {
		at = nearest(ours_at[key], ours_line[key])
		if (at == "") {
			at = ours_at[key] " " ours_line[key]
			site[at] = ours_at[key]
		}
		if (ours_kind[key] == "percpu")
			percpu[at] = 1
		got[at] += ours[key]
		got_objects[at] += objects[key]
		# large kmallocs and kvmallocs: both
		if (abs(ours[key]) >= abs(most[at])) {
			most[at] = ours[key]
			kind[at] = ours_kind[key]
		}
	}
	for (at in site) {
		low = min(value["after.1", at], value["after.2", at]) - \
			max(value["before.1", at], value["before.2", at])
		high = max(value["after.1", at], value["after.2", at]) - \
			min(value["before.1", at], value["before.2", at])
		mine = got[at] + 0
		theirs = mine < low ? low : mine > high ? high : mine
		if (!mine && !theirs)
			continue
		k = at in kind ? kind[at] : "slab"
		text = at in percpu ? "per-CPU memory: mainline counts the share of one CPU, kmemtrace that of all" : why[site[at]]
		d = mine - theirs
		if (text == "" && d > 0) {
			text = "freed since; allocated before kmemtrace was loaded"
			old[k] += k == "page" ? d / 4096 : got_objects[at] - \
				calls["after.1", at] + calls["before.1", at]
		}
		counted = theirs
		if (apart[site[at]] || at in percpu)
			counted = mine
		sum_mine[k] += mine
		sum_theirs[k] += counted
		bytes += max(abs(mine), abs(counted))
		same += max(abs(mine), abs(counted)) - abs(mine - counted)
		noise += high - low
		if (d)
			printf "%10d %12d %12d %s  %s\n", d, theirs, mine, at, text | "sort -n"
		if (abs(mine - counted) > 4096 || (d && text == ""))
			unexplained++
	}
	close("sort -n")
	print ""
	for (k in sum_mine) {
		off = 100 * abs(sum_mine[k] - sum_theirs[k]) / max(1, abs(sum_theirs[k]))
		printf "%s: mainline %d, kmemtrace %d: %.4f %% apart (besides what is explained above)\n",
			k, sum_theirs[k], sum_mine[k], off
		if (off > 0.1)
			bad = 1
	}
	share = 100 * same / max(1, bytes)
	printf "%.3f %% of the bytes are at the same site; mainline itself moved by %d while it was read\n",
		share, noise
	printf "from before kmemtrace was loaded: %d objects and %d pages freed at these sites; unmatched in all: %d and %d\n",
		old["slab"], old["page"], unknown["unmatched_frees"], unknown["unmatched_pages"]
	if (old["slab"] > unknown["unmatched_frees"] || old["page"] > unknown["unmatched_pages"])
		bad = 1
	printf "%d sites differ without a reason, or by more than a page\n", unexplained
	exit bad || share < 99 || unexplained > 0
}
