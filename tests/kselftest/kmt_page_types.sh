#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Compares page-types with the kernel's own tool: both have the same output for the same
# input. The input is a copy of /proc/kpageflags, so that it does not change between the
# two runs; pagemap, kpagecount and kpagecgroup are those of a process that sleeps and of
# files that are not in use. Tests that read the machine itself only use pages that do
# not change.
# shellcheck source=tests/kselftest/ktap.sh
. ./ktap.sh
# shellcheck disable=SC2034 # log is for ktap.sh
tmp=/tmp/page_types log=/tmp/page_types/log
mkdir $tmp
plan 59

# Remove the times, which differ between two runs.
without_time() {
	sed 's/ (-\{0,1\}[0-9]* seconds ago)//'
}

# Their output has at least LINES lines, and ours is the same.
same() { # LINES OPTION...
	least=$1
	shift
	kernel-page-types "$@" >$tmp/raw 2>$tmp/err
	their_status=$?
	without_time <$tmp/raw >$tmp/theirs
	kmemtrace-user page-types "$@" >$tmp/raw 2>>$tmp/err
	our_status=$?
	without_time <$tmp/raw >$tmp/ours
	{
		echo "exit $their_status and $our_status; $(wc -l <$tmp/theirs) lines, at least $least expected"
		cat $tmp/err
		diff $tmp/theirs $tmp/ours | head -n 20
	} >$log
	[ $their_status -eq 0 ] && [ $our_status -eq 0 ] && [ ! -s $tmp/err ] &&
		[ "$(wc -l <$tmp/theirs)" -ge "$least" ] &&
		cmp -s $tmp/theirs $tmp/ours
	result $? "same output: page-types $*"
}

# Our first line is their output. Then ours has a line for each of FLAGS flags.
described() { # FLAGS OPTION...
	flags=$1
	shift
	kernel-page-types "$@" >$tmp/theirs 2>$log
	kmemtrace-user page-types "$@" >$tmp/raw 2>>$log
	head -n 1 $tmp/raw >$tmp/ours
	cmp $tmp/theirs $tmp/ours >>$log &&
		[ "$(sed 1d $tmp/raw | grep -cE '^  .  [a-z_]+ +[a-z0-9].* ')" -eq "$flags" ]
	result $? "same output, and a line for each flag: page-types $*"
}

frozen() { # LINES OPTION...: the same with a copy of the flags
	least=$1
	shift
	same "$least" -F $tmp/flags "$@"
}

total() { # OPTION...: how many pages ours counts
	kmemtrace-user page-types "$@" 2>>$log | awk '/^ *total/ { print $2 }'
}

command -v kernel-page-types >/dev/null
result $? "the kernel's page-types is installed"

insmod /lib/modules/brd.ko rd_nr=1 rd_size=16384
mkswap /dev/ram0 >/dev/null && swapon /dev/ram0
result $? "there is swap"

# a cgroup with a process in it, and files
mount -t cgroup2 none /sys/fs/cgroup
echo +memory >/sys/fs/cgroup/cgroup.subtree_control
cgroup=/sys/fs/cgroup/holder
mkdir $cgroup $tmp/dir $tmp/dir/below
for file in held dir/a dir/b dir/below/c; do
	dd if=/dev/urandom of=$tmp/$file bs=4096 count=24 2>/dev/null
done
dd if=/dev/urandom of=$tmp/holes bs=4096 count=3 seek=70 2>/dev/null
dd if=/dev/urandom of=$tmp/part bs=1000 count=9 2>/dev/null
sh -c "echo \$\$ >$cgroup/cgroup.procs; exec ./page_holder $tmp/held" &
pid=$!
for _ in 1 2 3 4 5 6 7 8 9 10; do
	[ -e $tmp/held.ready ] || sleep 1
done
[ -e $tmp/held.ready ]
result $? "a process holds pages"
cat /proc/kpageflags >$tmp/flags
huge=$(awk '/^[0-9a-f]*-/ { sub(/000-.*/, ""); start = $1 }
	/^AnonHugePages:/ && $2 > 0 { print start; exit }' "/proc/$pid/smaps")
ls -R $tmp/dir >/dev/null # reading a directory for the first time changes its time

# all frames
frozen 8
frozen 8 --raw
frozen 3 -b slab
frozen 3 --bits =slab
frozen 3 -r -b lru,~active
frozen 3 -r -b slab,compound_tail=slab
frozen 3 -b 0x80,buddy -b ~mmap
frozen 2 -b lru -b slab
frozen 3 -r -b compound
frozen 40 -a 0x100,0x4000 -l
frozen 150 -a 0x100+0x80 -a 0x1000 -a ,20 -L -N
frozen 20 -a 0x60000, -l -r
frozen 200 --list
frozen 200 --list --raw --no-summary
frozen 300000 --list-each --no-summary
frozen 10 -l -b buddy
frozen 10 -L -r -b mlocked -M -C
# the process
frozen 8 -p "$pid"
frozen 8 --pid "$pid" --raw
frozen 20 -p "$pid" -l
frozen 20 -p "$pid" -r -l -M -C
frozen 600 -p "$pid" -r -L -M -C -N
frozen 3 -p "$pid" -b anon,thp=anon -L
frozen 200 -p "$pid" -a "0x$huge+0x300" -L -r
frozen 4 -p "$pid" -r -b mmap_exclusive -l
frozen 11 -p "$pid" -r -b 0x4000000000000000 -L -C -M -N
frozen 11 -p "$pid" -b = -L -N
frozen 3 -p "$pid" -r -b file
# files
frozen 25 -f $tmp/held -L
frozen 7 -f $tmp/held -l -r -M -C
frozen 8 --file $tmp/held -a 3,9 -r -L
frozen 5 -f $tmp/holes -L -r
frozen 5 -f $tmp/part -l
frozen 75 -f $tmp/dir -L
frozen 73 -f $tmp/dir -r -L -M -C -N
# the cgroup
frozen 5 -c $cgroup
frozen 20 -c @"$(stat -c %i $cgroup)" -r -l
frozen 20 --cgroup $cgroup -l -C -M
frozen 5 -c $cgroup -p "$pid" -r
frozen 600 -p "$pid" --list-each --list-cgroup --list-mapcnt
# -d: describe flags
described 1 -d 0x10
described 3 --describe anon,0x8,swapb
described 27 -r -d 0x7ffffff
# pages of the machine that do not change
same 4 -r -b reserved -l
same 40 -r -b reserved -L -N
same 13 -p "$pid" -b mlocked -r -L -M -C

# differences from the kernel's tool
[ "$(total -F $tmp/flags -f $tmp/part -a 0,)" = 3 ]
result $? "the last page of a file counts although it is partly used"
kmemtrace-user page-types -F $tmp/flags --json -l >$tmp/json 2>$log
pages=$(grep -o '"total_pages":[0-9]*' $tmp/json | cut -d: -f2)
[ "$pages" = "$(total -F $tmp/flags)" ] && [ "$pages" -gt 400000 ] &&
	[ "$(awk -F'"pages":' '/"frame":/ { n += $2 } END { print n }' $tmp/json)" = "$pages" ]
result $? "--json has the same number of pages"
[ "$(total)" = "$(total -F $tmp/flags)" ]
result $? "-F with a copy shows all pages"
! kmemtrace-user page-types -p 999999 >$tmp/raw 2>$log &&
	grep -q 'there is no process 999999$' $log && [ ! -s $tmp/raw ]
result $? "an unknown process is an error"
chmod 755 $tmp
su -s /bin/sh nobody -c 'kmemtrace-user page-types' 2>$log
[ $? -eq 1 ] && grep -q 'only root may read /proc/kpageflags' $log
result $? "without root it fails with a reason"
cp $tmp/flags $tmp/copy && chmod 644 $tmp/copy
su -s /bin/sh nobody -c "kmemtrace-user page-types -F $tmp/copy" >$tmp/ours 2>$log
kernel-page-types -F $tmp/flags >$tmp/theirs && cmp $tmp/theirs $tmp/ours >>$log
result $? "-F with a copy works without root"
[ "$(total -p 2)" = 0 ]
result $? "a kernel thread maps no page"
kill "$pid"
wait "$pid" 2>/dev/null
! kmemtrace-user page-types -p "$pid" >$tmp/raw 2>$log
result $? "a process that has ended is an error"

# a page that is taken out of use, and put back
poison="-X poisons a page" unpoison="-x takes that back"
if [ -f /lib/modules/hwpoison-inject.ko ]; then
	insmod /lib/modules/hwpoison-inject.ko
	# from the middle of a free range: the kernel allocates from its ends first
	free=$(kmemtrace-user page-types -N -l -b buddy |
		awk 'length($2) > 3 { print $1, $2; exit }')
	page=$(printf %x $((0x${free% *} + 0x${free#* } / 2)))
	kmemtrace-user page-types -X -a "0x$page+1" -N >$log 2>&1 &&
		[ "$(total -b hwpoison -a "0x$page")" = 1 ] && [ "$(total -b hwpoison)" = 1 ]
	result $? "$poison"
	kmemtrace-user page-types -x -b hwpoison -N >$log 2>&1 &&
		[ "$(total -b hwpoison)" = 0 ]
	result $? "$unpoison"
	rmmod hwpoison_inject
else
	skip "$poison" "this kernel has no hwpoison-inject"
	skip "$unpoison" "this kernel has no hwpoison-inject"
fi
umount /sys/fs/cgroup 2>/dev/null
swapoff /dev/ram0
rmmod brd
exit "$failed"
