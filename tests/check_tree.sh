#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The checks of form, as KTAP: direction of includes, licences, the only files that may
# compare kernel versions or test for __KERNEL__, sizes, scripts, kernel-doc, the tree in
# design.rst.
# shellcheck disable=SC2046 # file names here have no blanks
set -u
cd "$(dirname "$0")/.." || exit 1
n=0 failed=0
result() { # NAME OUTPUT: each line is a violation
	n=$((n + 1))
	if [ -z "$2" ]; then
		echo "ok $n $1"
	else
		echo "not ok $n $1"
		while read -r line; do echo "# $line"; done <<<"$2" | head -n 20
		failed=1
	fi
}

code() { git ls-files --cached --others --exclude-standard -- "$@"; }
headers() { # PART: print the names by which its headers are included
	code "$1/*.h" | sed -E 's,^(module|tools/kmemtrace-user)/,,' | sort -u
}
headers_only() { # PART OTHER: print the names that OTHER does not have
	comm -23 <(headers "$1") <(headers "$2")
}
includes() { # HEADERS FILES...: print the lines of FILES that include one of HEADERS
	local names
	names=$(tr '\n' '|' <<<"$1")
	grep -nE "#include \"(${names%|})\"" $(code "${@:2}")
}
mapfile -t c_files < <(code '*.c' '*.h')
mapfile -t scripts < <(code '*.sh' '*.bash' tests/vm/init .ci/run)

echo "KTAP version 1"
result "no include goes up with ../" "$(grep -nE '#include.*\.\./' "${c_files[@]}")"
result "include/ and lib/ use neither module/ nor tools/" \
	"$(includes "$(headers module; headers tools)" 'include/*.h' 'lib/*.[ch]')"
result "tools/ does not include module/" \
	"$(includes "$(headers_only module tools)" 'tools/*.[ch]')"
result "module/ does not include tools/" \
	"$(includes "$(headers_only tools module)" 'module/*.[ch]')"
result "folders have one order, and no cycle in them" "$(tests/layout.sh 2>&1)"
result "the check of the layout finds what is wrong" "$(tests/layout_test.sh 2>&1)"
result "the build of the module says what is missing" "$(tests/module_test.sh 2>&1)"
result "nothing includes tests/" \
	"$(includes "$(code 'tests/*.h' | sed 's,.*/,,')" 'include/*' 'lib/*' 'module/*' 'tools/*')"
result "every source says its licence" \
	"$(grep -L 'SPDX-License-Identifier: GPL-2.0-only' "${c_files[@]}" "${scripts[@]}" Makefile Kbuild)"
result "__KERNEL__ only in lib/kmt_env.h" \
	"$(grep -ln __KERNEL__ "${c_files[@]}" | grep -v '^lib/kmt_env.h$')"
result "kernel versions only in module/base/compat.h" \
	"$(grep -lE 'LINUX_VERSION_CODE|KERNEL_VERSION\(' "${c_files[@]}" | grep -v '^module/base/compat.h$')"
result "other machines than x86-64 are refused" \
	"$(gcc -E -x c module/base/compat.h 2>&1 | grep -q '#error .*x86-64 only' || echo module/base/compat.h)"
result "no file of over 800 lines" \
	"$(wc -l "${c_files[@]}" | awk '$1 > 800 && $2 != "total"')"
result "no function of over 80 lines" \
	"$(awk '/^{/ { start = FNR } /^}/ { if (start && FNR - start > 80) print FILENAME ":" start; start = 0 }' "${c_files[@]}")"
result "shellcheck" "$(shellcheck "${scripts[@]}" 2>&1)"
result "no trailing blanks" "$(grep -nE '[ 	]+$' "${c_files[@]}" "${scripts[@]}" Makefile Kbuild)"
kernel_doc=${KMEMTRACE_CACHE:-$HOME/.cache/kmemtrace}/kernels/6.12/headers/scripts/kernel-doc
# a line "Return:" is not required if the first line contains it
result "kernel-doc" "$("$kernel_doc" -none -Wall $(code 'module/*.h' 'lib/*.h' 'tools/*.h' 'tests/*.h') 2>&1 |
	grep -v 'No description found for return value')"
# The files in the tree of design.rst. The contents of a folder have two blanks more in
# front than the folder; "name.[ch]" are two files.
listed() {
	awk '/^  [^ ]/ { root = $1; folder = "" }
		/^    [^ ]/ { folder = $1 ~ "/$" ? $1 : "" }
		root !~ "/$" || !/^  +[^ ]/ { next }
		{
			for (i = 1; i <= NF; i++)
				if ($i ~ /^[^\/]+\.(c|h|js|css|html|sql|\[ch\])$/ || i == 1 && $i ~ /^[^\/]+\./)
					print root folder $i
		}' Documentation/design.rst |
		sed -E 's/(.*)\.\[ch\]$/\1.c\n\1.h/' | sort
}
result "design.rst has the files of the tree" "$(comm -3 <(listed) \
	<(code Documentation include lib module tools tests | grep -v '^tests/.*/' | sort) |
	sed 's,^[	]*,Documentation/design.rst: ,')"
result "the documents can be rendered" \
	"$(for document in Documentation/*.rst; do
		rst2html --report=2 --halt=2 "$document" /dev/null 2>&1 || echo "$document"
	done)"
result "json.rst has the dictionary of figures" \
	"$(diff <(scripts/figures.sh) <(sed -n '/^Figures$/,/^allocinfo$/p' Documentation/json.rst |
		sed -n '/^``/,/^$/p' | sed '/^$/d'))"
# the columns of two processes have a letter in addition
result "all columns are in the dictionary of figures" \
	"$(grep -nE '\{ *"[^"]+", "[^"]+", TABLE_' tools/kmemtrace-user/*/*.c |
		grep -v '/comparison.c:')"
result "differences from event tracing are named and listed" "$(tests/differences.sh check)"
# Expected output must not depend on the machine that runs the test.
# (A name such as "test" says nothing; tests/hermetic.sh changes it.)
machine=$(uname -r; uname -n | grep '[0-9.]')
result "no expected output has the release or the name of this machine" \
	"$(grep -rnwF "$machine" tests/*/expected tests/*/described)"
# FOLDER FILE...: print files without a row in the folder's README, and rows without a file
described() {
	comm -3 <(sed '1,/^$/d; s/ .*//' "$1/README" | sort) \
		<(printf '%s\n' "${@:2}" | sort) | sed "s,^[	]*,$1/README: ,"
}
mapfile -t fixtures < <(code tests/cli/described | sed -E 's,^tests/cli/described/,,
	s,^(machine/[0-9]+)/.*,\1,' | grep -vx README | sort -u)
mapfile -t corpus < <(code tests/fuzz/corpus | sed -E 's,^tests/fuzz/corpus/([^/]*).*,\1,' |
	grep -vx README | sort -u)
result "every fixture is described" "$(described tests/cli/described "${fixtures[@]}"
	described tests/fuzz/corpus "${corpus[@]}"
	for text in $(code 'tests/cli/described/*.txt' 'tests/fuzz/seeds/*.txt'); do
		[ "$(head -c 2 "$text")" = "# " ] || echo "$text: it begins with no comment"
	done)"
result "the version is the same everywhere" "$(
	version=$(sed -n 's/^VERSION := //p' Makefile)
	grep -qx "PACKAGE_VERSION=\"$version\"" dkms.conf || echo dkms.conf
	grep -qx "MODULE_VERSION(\"$version\");" module/main.c || echo module/main.c
	[ "$(sed -n '1s/.*(\(.*\)).*/\1/p' debian/changelog)" = "$version" ] || echo debian/changelog
)"
echo "1..$n"
exit $failed
