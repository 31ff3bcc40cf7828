# shellcheck shell=bash disable=SC2154,SC2034 # run.sh includes this file
# SPDX-License-Identifier: GPL-2.0-only
#
# Checks of the cases besides those of the output of a command (expected.sh), and their
# inputs.

# Prints the result of a case, and fails if the case did.
verdict() { # STATUS NAME
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $n $2"
	else
		echo "not ok $n $2"
		failed=1
		return 1
	fi
}

# Files that the tool writes have mode 0600.
private() { # FILE
	[ "$(stat -c %a "$1")" = 600 ]
	verdict $? "only the owner has access to $1"
}

# Prints how many random inputs a second implementation gets.
rounds() { # NUMBER
	[ -n "${FEW:-}" ] && echo $((($1 + 9) / 10)) || echo "$1"
}

# Prints the recordings whose figures are compared with those of a second reader.
recordings() {
	[ -n "${FEW:-}" ] && echo ./{golden,tasks,stacks}.kmt || echo ./*.kmt
}

# A file that exists is replaced only if the same command has written it, and is then kept.
keeps() { # FILE ARGUMENT...
	local file=$1
	shift
	again() { # exits with 3 if events were lost
		cp "$file" earlier && "$tool" "$@" >out 2>err
		[ $? -ne 1 ]
	}
	rm -f "$file" "$file".*
	echo before >"$file"
	! again "$@" && cmp earlier "$file" && [ ! -e "$file.old" ] &&
		grep -q "^kmemtrace-user: $file exists, and has other data" err &&
		: >"$file" && again "$@" && [ ! -e "$file.old" ] &&
		again "$@" && cmp earlier "$file.old" && [ -s "$file" ] &&
		grep -q "the [^ ]*$file from before is now [^ ]*$file.old$" err &&
		echo before >"$file.old" && ! again "$@" && cmp earlier "$file" &&
		[ "$(cat "$file.old")" = before ]
	verdict $? "$1 replaces only a file that it has written, and keeps it" || sed 's/^/# /' err
	rm -f "$file.old"
}

# Allocations fail, one in each run: the command must fail, or its output be complete.
no_memory() { # ARGUMENT...
	FAIL_EACH=$([ -n "${FEW:-}" ] && echo 16 || echo 1) LD_PRELOAD=$work/fail_each.so "$tool" "$@" >out 2>&1
	verdict $? "memory runs out: $*"
	tail -n 5 out | sed 's/^/# /'
}

# The output does not depend on the byte order of the file.
same() { # FILE COMMAND...
	local name=$1
	shift
	diff <("$tool" "$@" "$name.kmt" 2>&1) <("$tool" "$@" "$name-big.kmt" 2>&1) >difference
	verdict $? "the same in either byte order: $1 $name" || sed 's/^/# /' difference
}

# The output does not depend on whether the file is read from a pipe, in order.
piped() { # FILE COMMAND...
	local name=$1 statuses
	shift
	"$tool" "$@" "$name" >by-name 2>&1
	statuses=$?
	# shellcheck disable=SC2002 # the file must come through a pipe
	cat "$name" | "$tool" "$@" - >by-pipe 2>&1
	statuses+=" ${PIPESTATUS[1]}"
	sed -i "s/\(^\|\"\)-: /\1$name: /" by-pipe
	diff by-name by-pipe >difference && [ "${statuses% *}" = "${statuses#* }" ]
	verdict $? "the same from a pipe: $1 $name" || sed 's/^/# /' difference
}

# Like check, with a FIFO that gets the file as the last argument.
streamed() { # FILE NAME ARGUMENT...
	[ -p stream ] || mkfifo stream || exit 1
	cat "$1" >stream 2>/dev/null &
	check "${@:2}" stream
	wait $!
}

# Prints the keys of JSON documents, as lines "COMMAND KEY".
json_keys() { # COMMAND
	grep -oE '"[A-Za-z0-9_.-]+":' | tr -d '":' | sed -E "s/[0-9]+\$/<n>/; s/^/$1 /"
}

# Runs the tool only to collect its JSON keys.
print_keys() { # ARGUMENT...
	"$tool" "$@" 2>/dev/null | json_keys "$1" >>"$work/keys"
}

# A directory of plain files in place of the module's.
new_module() { # sets $fake
	fake=$work/fake
	rm -rf "$fake"
	for event in kmem/{kmalloc,kfree,kmem_cache_{alloc,free},mm_page_{alloc,free}} \
		percpu/percpu_{alloc,free}_percpu; do
		mkdir -p "$fake/events/$event"
		echo 1 >"$fake/events/$event/enable"
		echo none >"$fake/events/$event/filter"
		echo '# Available triggers:' >"$fake/events/$event/trigger"
	done
	touch "$fake"/{set_event,triggers}
	ln -s enabled "$fake/session" # to write "1" has the same effect
	ln -s tags "$fake/tags_quick"
	export KMEMTRACE_DIR=$fake
}

# A machine of 64 frames: the module's files, and those of /proc.
new_machine() {
	rm -rf machine
	cp -r "$top/tests/cli/described/machine" machine || exit 1
	(cd machine && ../mkpages <frames) || exit 1
	ln -s tags machine/tags_quick
	export KMEMTRACE_DIR=$work/machine KMEMTRACE_PROC=$work/machine KMEMTRACE_SYS=$work/machine/sys
}

# The same machine as a confidential guest, which has not accepted 4 MiB of it yet.
new_unaccepted() {
	new_machine
	(cd machine && awk '/^object/ && !n++ { print "frames 1024 0 0 0 -1 0 0 1 0" } { print }' frames |
		../mkpages) || exit 1
	sed -i 's/^MemTotal:.*/MemTotal: 4344 kB/; s/^MemFree:.*/MemFree: 4136 kB/' machine/meminfo
	echo 'Unaccepted:       4096 kB' >>machine/meminfo
}

# A machine at two moments, in the directories first and second of the current one. The
# link now leads to first, and the tool reads it.
new_moments() {
	local described=$top/tests/cli/described/machine
	mkdir first second
	cp "$described"/{stats,tags,caches_live} first
	sed 's/^clock_ns .*/clock_ns 102000000000/' first/stats >second/stats
	sed -e 's/^slab 1280 4 1200 9 5 4096/slab 9600 30 9000 109 79 9600/' \
		-e 's/^page 28672 6 28672 6 0/page 20480 4 20480 6 2/' \
		-e '/func:pte_alloc_one/d' first/tags >second/tags
	echo 'percpu 640 2 600 2 0 640 100 ffffffff81000910 12 kernel/new.c:5 func:new' \
		>>second/tags
	ln -s tags first/tags_quick
	ln -s tags second/tags_quick
	printf '%s\n' 'kmalloc-64 20 1280' 'dentry 74 14208' 'filp 3 768' >second/caches_live
	become first
	export KMEMTRACE_DIR=$PWD/now
}

# Changes the link at once: a command reads all files of one directory.
become() { # DIRECTORY
	ln -s "$1" next && mv -T next now
}

# A small program that calls functions named like allocators, with debug information.
new_program() { # makes program, init/main.c and mm/slub.c
	mkdir -p init mm
	cat >init/main.c <<'SOURCE'
void *__kmalloc_noprof(unsigned long size);
void *vmalloc_noprof(unsigned long size);
void *other(unsigned long size);
static inline void *kmalloc_noprof(unsigned long size)
{
	return __kmalloc_noprof(size);
}
static inline __attribute__((always_inline)) void *helper(unsigned long size)
{
	void *p = kmalloc_noprof(size);
	__asm__ volatile("" ::: "memory");
	return p;
}
void *volatile keep;
void user(unsigned long size)
{
	keep = vmalloc_noprof(size);
	keep = kmalloc_noprof(size + 1);
	keep = helper(size + 2);
	keep = other(size);
}
int main(void)
{
	user(1);
}
SOURCE
	cat >mm/slub.c <<'SOURCE'
__attribute__((noinline)) void *__kmalloc_noprof(unsigned long size)
{
	return (void *)size;
}
__attribute__((noinline)) void *vmalloc_noprof(unsigned long size)
{
	return (void *)size;
}
__attribute__((noinline)) void *other(unsigned long size)
{
	return (void *)size;
}
SOURCE
	gcc-12 -g -O2 -fno-pie -no-pie -Wl,--build-id -Wl,--defsym=_text=__executable_start \
		-o program "$work/init/main.c" "$work/mm/slub.c"
}

# Prints where the calls of user() in such a program return to, as offsets in user().
returns() { # FILE
	objdump -d --no-show-raw-insn "$1" | awk -F '[: \t]+' '
		/>:$/ { inside = /<user>:$/; split($0, part, " "); start = part[1] }
		inside && called { print start, $2; called = 0 }
		inside && /call/ { called = 1 }' |
		while read -r start at; do
			echo $((0x$at - 0x$start))
		done
}

# The offsets of calls depend on the compiler.
without_offsets() {
	sed -E 's/\+0x[0-9a-f]+//g'
}

# Prints the texts of a picture. The state of the module has the kernel that runs.
svg_text() {
	python3 "$top/tests/exports/svg_text.py" | sed "s/Linux $(uname -r):/Linux RELEASE:/"
}
