#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Makes the seeds that are generated, in addition to those in corpus/. They go to
# build/fuzz/seeds, which only exists when all of them are complete.
set -eu -o pipefail
cd "$(dirname "$0")/../../.."
seeds=build/fuzz/seeds
out=$seeds.new bin=build/fuzz/bin
rm -rf $seeds $out
mkdir -p $bin $out/filter $out/recording $out/record $out/raw $out/dwarf \
	$out/machine

flags='-std=gnu11 -D_GNU_SOURCE -O1 -Wall -Wextra -Werror
	-Wno-address-of-packed-member -Iinclude/uapi -Ilib -Itests'

# the filters of the unit tests
# shellcheck disable=SC2086 # several words
gcc $flags -o $bin/vectors tests/fuzz/seeds/vectors.c lib/*.c
$bin/vectors $out/filter

# recordings and raw files: those of tests/cli, and others
# shellcheck disable=SC2086 # several words
gcc $flags -o $bin/mktrace tests/cli/mktrace.c -lzstd -lz
describe() { # ORDER DESCRIPTION FILE
	$bin/mktrace "$1" <"$2" >"$3"
}
for text in tests/cli/described/{basic,kept,tasks,unseen,violations,wrap}.txt; do
	name=$(basename "$text" .txt)
	describe little "$text" "$out/recording/$name"
	describe big "$text" "$out/recording/$name-big"
done
# recordings in the format that the tool writes
# shellcheck disable=SC2086 # several words
gcc $flags -Itools/kmemtrace-user -o $bin/columns tests/fuzz/seeds/columns.c \
	build/obj/parts.a -lzstd -lz
for name in basic kept tasks unseen wrap; do
	$bin/columns $out/recording/$name $out/recording/$name-columns
done
sed 's/^data 1 .*/& damaged/' tests/cli/described/basic.txt |
	$bin/mktrace little >$out/recording/damaged
head -c 900 $out/recording/basic >$out/recording/cut
for text in tests/cli/described/raw{0,1}.txt tests/fuzz/seeds/records.txt; do
	name=$(basename "$text" .txt)
	describe raw-little "$text" "$out/record/$name"
	describe raw-big "$text" "$bin/$name-big"
done

# two raw files in one input, see report/fuzz_raw.c
join() { # FILE FILE TO
	local a b
	a=$(stat -c %s "$1") b=$(stat -c %s "$2")
	# shellcheck disable=SC2059 # it is one byte
	printf "\\x$(printf %02x $((a - (a + b) / 2 & 255)))" >"$3"
	cat "$1" "$2" >>"$3"
}
join $out/record/raw0 $out/record/raw1 $out/raw/little
join $bin/raw0-big $bin/raw1-big $out/raw/big
head -c 240 $out/record/records >$bin/some
join $bin/some $out/record/raw1 $out/raw/features
join $out/record/raw1 /dev/null $out/raw/one

# files with debug information
compile() { # FILE FLAG...
	gcc -O2 "${@:2}" -o "$out/dwarf/$1" tests/fuzz/seeds/calls.c
}
compile object -g -c
compile dwarf-4 -gdwarf-4 -c
compile compressed -g -gz=zlib -c
compile shared -g -shared -fPIC -nostdlib -Wl,-z,noseparate-code

# the machine of tests/cli, see memory/fuzz_machine.c
# shellcheck disable=SC2086 # several words
gcc $flags -o $bin/mkpages tests/cli/mkpages.c
rm -rf $bin/machine
cp -r tests/cli/described/machine $bin/machine
echo 'Memory: 216K/256K available (4K kernel code)' >$bin/machine/kmsg
cp tests/cli/described/slabinfo $bin/machine
echo 'd 5000 0 - Live 0x0000000000000000' >$bin/machine/modules
cat tests/cli/described/why.txt >>$bin/machine/frames
(cd $bin/machine && ../mkpages <frames && rm frames)
(
	cd $bin/machine
	for file in * */*; do
		[ -f "$file" ] || continue
		case $file in
		43/*) ;;
		pages | objects | vmalloc | ages | kcore | kpage* | */pagemap)
			echo "=$file"
			od -An -v -t x8 -w8 "$file" |
				awk '$1 !~ /^0*$/ { print NR - 1, "0x" $1 }'
			;;
		*)
			echo "=$file"
			cat "$file"
			;;
		esac
	done
) >$bin/files
for letter in a b c d e f g h i j k l m n o p q r s t u v w x y z '{' '|' '}'; do
	{ echo $letter; cat $bin/files; } >$out/machine/$letter
done
mv $out $seeds
