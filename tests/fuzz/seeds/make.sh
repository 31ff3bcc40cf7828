#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Makes the seeds that are not in corpus/ as they are, into build/fuzz/seeds.
set -eu
cd "$(dirname "$0")/../../.."
out=build/fuzz/seeds bin=build/fuzz/bin
rm -rf $out
mkdir -p $out/filter $bin

flags='-std=gnu11 -D_GNU_SOURCE -O1 -Wall -Wextra -Werror
	-Wno-address-of-packed-member -Iinclude/uapi -Ilib -Itests'

# the filters of the unit tests
# shellcheck disable=SC2086 # several words
gcc $flags -o $bin/vectors tests/fuzz/seeds/vectors.c lib/*.c
$bin/vectors $out/filter
