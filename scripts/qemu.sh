#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Downloads a newer QEMU into the cache (13 MB) if the machine's own one does not emulate
# several CPUs correctly. Nothing is installed. scripts/versions.sh has its version.
#
#   scripts/qemu.sh
#   scripts/qemu.sh -n    print the version that is used, and download nothing
#
# Creates CACHE/qemu/qemu, a script for tests/vm/run.sh that runs the newer QEMU. Creates
# nothing if the machine's own is new enough, or no newer one is available.
#
# QEMU 7.2 (Debian 12), with a thread for each CPU, fails if one CPU patches code that
# another CPU runs. Any tracepoint that is switched on or off under load may then cause
# an oops in an int3, also without this module. QEMU 10.0 (Debian 13) is correct.
set -eu

cache=${KMEMTRACE_CACHE:-$HOME/.cache/kmemtrace}
dir=$cache/qemu
sound=10
# shellcheck source=scripts/versions.sh
. "$(dirname "$0")/versions.sh"

version_of() { # PROGRAM
	"$1" --version 2>/dev/null |
		sed -n 's/^QEMU emulator version \([0-9]*\).*/\1/p'
}

is_sound() { # PROGRAM
	major=$(version_of "$1")
	[ "${major:-0}" -ge $sound ]
}

give_up() { # WHY
	echo "qemu: $1; keeping the machine's own, which may oops in an int3" >&2
	rm -rf "$dir.new"
	mkdir -p "$dir"
	own_version >"$dir/version"
	exit 0
}

# of Debian's package, or the whole version
own_version() {
	qemu-system-x86_64 --version 2>/dev/null | sed -n 's/^QEMU emulator version //p' |
		sed 's/.*(Debian \(.*\)).*/\1/'
}

apt() { # ARGUMENT...: run apt-get with the backports as the only source
	apt-get -o "Dir::Etc::sourcelist=$dir.new/sources.list" \
		-o Dir::Etc::sourceparts=- -o "Dir::State::lists=$dir.new/lists" \
		-o "Dir::Cache=$dir.new/cache" -o APT::Sandbox::User=root "$@"
}

wanted=$(pinned qemu)
if [ "${1:-}" = -n ]; then
	if [ -e "$dir/version" ]; then
		cat "$dir/version"
	elif is_sound qemu-system-x86_64; then
		own_version
	else
		echo "$wanted"
	fi
	exit 0
fi
if [ -x "$dir/qemu" ]; then
	have=$(cat "$dir/version" 2>/dev/null || :)
	# without a pin, look for a newer one once a day
	if [ "$have" = "$wanted" ] ||
		{ [ -z "$wanted" ] && [ -n "$(find "$dir/version" -mmin -1440)" ]; }; then
		exit 0
	fi
elif is_sound qemu-system-x86_64; then
	exit 0
fi

echo "qemu: fetching one that is not older than $sound" >&2
codename=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
# shellcheck disable=SC2016 # apt expands it
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' \
	"Codename: $codename" 'Label: Debian' | head -n 1)
[ -n "$mirror" ] || give_up "apt knows no mirror of Debian"
rm -rf "$dir.new"
mkdir -p "$dir.new/lists/partial" "$dir.new/cache/archives/partial" \
	"$dir.new/root"
echo "deb $mirror $codename-backports main" >"$dir.new/sources.list"
apt update -qq >&2 || give_up "there are no backports"
fetch() { # =VERSION, or nothing
	(cd "$dir.new" && apt download -qq "qemu-system-x86$1" "qemu-system-common$1" \
		"qemu-system-data$1" seabios >&2)
}
if [ -z "$wanted" ] || ! fetch "=$wanted"; then
	[ -z "$wanted" ] || moved "QEMU $wanted" "the current one"
	fetch "" || give_up "the backports have none"
fi
dpkg-deb -f "$dir.new"/qemu-system-x86_*.deb Version >"$dir.new/version"
for deb in "$dir.new"/*.deb; do
	dpkg-deb -x "$deb" "$dir.new/root"
done
rm -rf "$dir.new"/*.deb "$dir.new/lists" "$dir.new/cache"
cat >"$dir.new/qemu" <<END
#!/bin/sh
exec "$dir/root/usr/bin/qemu-system-x86_64" -L "$dir/root/usr/share/qemu" \\
	-L "$dir/root/usr/share/seabios" "\$@"
END
chmod +x "$dir.new/qemu"
is_sound "$dir.new/root/usr/bin/qemu-system-x86_64" ||
	give_up "that of the backports does not run here"
rm -rf "$dir"
mv "$dir.new" "$dir"
