# shellcheck shell=bash disable=SC2154 # run.sh includes this file
# SPDX-License-Identifier: GPL-2.0-only
#
# The screen of top: runs it in tmux, sends keys, and compares the screen with
# expected/top-screen.txt. The machine changes only between two keys, and top refreshes
# only when the key Space asks for it, so that each screen is always the same.

mkdir top-screen && cd top-screen || exit 1
new_moments

servers=0
pane() { # COMMAND ARGUMENT...: runs a command of tmux; no configuration is read
	tmux -u -S "$work/tmux$servers" -f /dev/null "$@"
}

# Begins top in a terminal of 80 columns and 24 lines, or another size. The shell shows
# the exit status behind it, and whether the modes of the terminal are the same.
run_top() { # WIDTHxHEIGHT ENVIRONMENT ARGUMENT...
	local size=$1 environment=$2
	shift 2
	servers=$((servers + 1)) # a server that was killed may still be ending
	cat >inner <<INNER
stty -g >before
set -m
env -u LC_ALL -u NO_COLOR LD_PRELOAD="$work/cpu_clock.so" $environment "$tool" top -d 3600 $*
status=\$?
while [ \$status = 148 ]; do
	read -r -p "stopped "
	fg >fg
	status=\$?
done
stty -g >after
cmp -s before after && echo "exit \$status, terminal restored"
cat
INNER
	pane new-session -d -x "${size%x*}" -y "${size#*x}" "exec bash inner 2>&1"
	pane set-option -g status off
	# without the status line, the terminal is one line higher
	pane resize-window -x "${size%x*}" -y "${size#*x}"
}

end_top() {
	pane kill-server
}

press() { # KEY...
	pane send-keys "$@"
}

# Waits until the screen is as expected: the terminal is asynchronous. The options are
# those of capture-pane. With like=CASE, only what has changed is compared.
shows() { # NAME OPTION...
	local file=top-screen.txt name=top-screen-$1 i
	local want=$compared/expected/$file/$name got=$compared/got/$file/$name
	mkdir -p "$compared/got/$file"
	echo "$name" >>"$compared/$file.sections"
	[ -z "${UPDATE:-}" ] || sleep 1
	for ((i = 0; i < 400; i++)); do
		# with a bar in front of each line
		pane capture-pane -p "${@:2}" | sed 's/[ 	]*$//; s/^/|/' >"$compared/outputs/$name"
		{
			echo "== $name${like:+ | changes $like}"
			if [ -n "${like:-}" ]; then changes "$like"; else cat; fi <"$compared/outputs/$name"
		} >"$got"
		if [ -n "${UPDATE:-}" ] || cmp -s "$want" "$got"; then
			break
		fi
		sleep 0.05
	done
	[ -n "${UPDATE:-}" ] || diff -auN --label "expected/$file" --label "$name" \
		"$want" "$got" >"$compared/difference" 2>&1
	verdict $? "$name" || sed 's/^/# /' "$compared/difference"
}

# a third moment, after a long time; and the same caches in the second as in the first
cp first/caches_live second
cp -r second third
sed -i 's/^clock_ns .*/clock_ns 125000000000/' third/stats
sed -i -e 's/^slab 9600 30 9000 109 79/slab 19200 60 18000 239 179/' \
	-e 's/^page 20480 4 20480 6 2/page 90112 22 90112 24 2/' third/tags
printf '%s\n' 'kmalloc-64 50 3200' 'dentry 24 4608' >third/caches_live
become first

run_top 80x24 LC_CTYPE=C.UTF-8
shows start
become second
press Space
like=top-screen-start shows refresh
become third
press Space Down Down Down
like=top-screen-start shows selected -e
press s # by rate: the selected row moves, and stays selected
like=top-screen-selected shows by-rate -e
press R
like=top-screen-by-rate shows reversed
press R S S # by name
like=top-screen-by-rate shows by-name
press '>' Enter
shows details
press Right
like=top-screen-details shows details-shifted
press q b
like=top-screen-reversed shows by-function
press b
like=top-screen-by-function shows by-module
press b
like=top-screen-by-module shows by-cache
press k
like=top-screen-by-cache shows cache-kind
press b
like=top-screen-by-module shows by-kind
press B B B B k
like=top-screen-by-cache shows kind-slab
press k k k f d _ a l
like=top-screen-selected shows prompt
press Enter
like=top-screen-kind-slab shows filter
press f BSpace BSpace BSpace BSpace x Escape
like=top-screen-filter shows filter-kept
press / BSpace BSpace BSpace BSpace Enter p
like=top-screen-prompt shows paused
press p m
like=top-screen-prompt shows mark
become third
sed -i 's/^clock_ns .*/clock_ns 135000000000/' third/stats
sed -i -e 's/ 19200 60 18000 239 179 9600 4000/ 28800 90 27000 400 310 28800 60000/' third/tags
press Space
like=top-screen-mark shows growth
press Home Down Down Down Enter
like=top-screen-details shows mark-details
press Escape M
like=top-screen-growth shows no-mark
press h
shows help
press q d
like=top-screen-no-mark shows delay
press 0 Enter
like=top-screen-delay shows delay-wrong
press d 7 2 0 0 Enter
like=top-screen-delay-wrong shows delay-set
pane resize-window -x 60 -y 12
shows 60x12
pane resize-window -x 30 -y 5
shows 30x5
pane resize-window -x 130 -y 20
like=top-screen-delay-set shows 130x20
pane resize-window -x 80 -y 24
become first # the clock goes back: accounting was restarted
press Space
like=top-screen-start shows restarted
press q
shows end
end_top

# attributes: the warning in red, titles and the selected row reversed; no other colours
sed -i 's/^missed_calls 0/missed_calls 3/; s/^accounting 1/accounting 0/' second/stats
become second
run_top 80x16 LC_CTYPE=C.UTF-8 --by module
like=top-screen-start shows off
press Down
like=top-screen-off shows colours -e
end_top
run_top 80x16 'LC_CTYPE=C.UTF-8 NO_COLOR=1' --by module
like=top-screen-off shows off-no-colours
press Down
like=top-screen-colours shows no-colours -e
end_top

# ASCII, options, and names that contain sequences of a terminal
printf 'slab 64 1 64 1 0 64 - - 77 %b func:%b\n' 'evil\033]0;x\007.c:1 [m\033[2J]' \
	'f\033[31m\0302\0233H' >>first/tags
printf 'evil\033[7m\377 1 64\n' >>first/caches_live
become first
run_top 80x24 LC_CTYPE=C --kind slab --sort name
like=top-screen-by-module shows ascii
press Down Enter
like=top-screen-details shows ascii-details
press q b b b
like=top-screen-ascii shows ascii-caches
end_top

# the module is unloaded; signals; terminals that cannot be used
cp -r first last
become last
run_top 80x24 LC_CTYPE=C
like=top-screen-start shows loaded
rm -r last
press Space
like=top-screen-end shows unloaded
end_top
become first
top_pid() {
	pgrep -P "$(pane list-panes -F '#{pane_pid}')" -x kmemtrace-user
}
ended() { # SIGNAL: the signal ends top, and the terminal is restored
	run_top 80x24 LC_CTYPE=C --top 1
	like=top-screen-kind-slab shows "before-$1"
	kill -"$1" "$(top_pid)"
	like=top-screen-end shows "$1"
	end_top
}
ended TERM
ended INT
ended HUP
ended QUIT

# another size while top is stopped
run_top 80x24 LC_CTYPE=C
like=top-screen-loaded shows before-stop
press C-z
like=top-screen-end shows stopped
pane resize-window -x 60 -y 12
press Enter
shows continued
press q
like=top-screen-stopped shows end-continued
end_top

run_top 80x24 TERM=moon
like=top-screen-unloaded shows terminal
end_top
run_top 80x24 LC_CTYPE=C
like=top-screen-loaded shows before-Ctrl-C
press C-c
like=top-screen-end shows Ctrl-C
end_top
