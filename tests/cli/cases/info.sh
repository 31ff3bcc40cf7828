# shellcheck shell=bash disable=SC2154 # run.sh includes this file
# SPDX-License-Identifier: GPL-2.0-only

cp golden.kmt kmemtrace.kmt
check info-default info
rm kmemtrace.kmt
like=info-default check info-features info features.kmt
like=info-default check info-kept info kept.kmt
like=info-default check info info golden.kmt
check info-raw info cpu0.out
check info-json info --json golden.kmt
like=info-json check info-json-kept info --json kept.kmt
print_keys info --json basic.kmt

# recordings of other versions: see Compatibility in Documentation/file-format.rst
for version in later newer; do
	check info-$version info $version.kmt
done

# failed allocations
no_memory info golden.kmt
