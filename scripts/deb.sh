#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Builds the Debian packages of this tree in build/deb, and checks them with lintian:
#
#   scripts/deb.sh
set -eu
cd "$(dirname "$0")/.."

scripts/deps.sh deb
rm -rf build/deb
mkdir -p build/deb/kmemtrace
# build in a copy, because the build runs `make clean` and writes to the source tree
git ls-files -z --cached --others --exclude-standard |
	rsync -a --files-from=- --from0 ./ build/deb/kmemtrace/
cd build/deb/kmemtrace
dpkg-buildpackage --no-sign --jobs=2 >../log 2>&1 || {
	# a test that fails may be far from the end
	grep -n -A 30 '^not ok' ../log >&2 || true
	tail -n 20 ../log >&2
	exit 1
}
cd ..
lintian --fail-on error,warning ./*.changes >&2
ls -- *.deb
