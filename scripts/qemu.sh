#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Fetches a newer QEMU into the cache, where the machine's own does not emulate
# several CPUs right: nothing is installed (13 MB).
#
# Leaves CACHE/qemu/qemu, which runs it as tests/vm/run.sh does; or nothing, where
# the machine's own is new enough, or a newer one cannot be had.
#
# QEMU 7.2 (Debian 12's), with a thread for each CPU, does not get code right that
# one CPU patches while another runs it: any tracepoint switched on and off under
# load then oopses in an int3, also without this module. 10.0 (Debian 13's) does.
set -eu

cache=${KMEMTRACE_CACHE:-$HOME/.cache/kmemtrace}
dir=$cache/qemu
sound=10

version_of() { # PROGRAM
	"$1" --version 2>/dev/null |
		sed -n 's/^QEMU emulator version \([0-9]*\).*/\1/p'
}

is_sound() { # PROGRAM
	version=$(version_of "$1")
	[ "${version:-0}" -ge $sound ]
}

give_up() { # WHY
	echo "qemu: $1; keeping the machine's own, which may oops in an int3" >&2
	rm -rf "$dir.new"
	exit 0
}

apt() { # ARGUMENT...: apt-get, as if there were only the backports
	apt-get -o "Dir::Etc::sourcelist=$dir.new/sources.list" \
		-o Dir::Etc::sourceparts=- -o "Dir::State::lists=$dir.new/lists" \
		-o "Dir::Cache=$dir.new/cache" -o APT::Sandbox::User=root "$@"
}

! is_sound qemu-system-x86_64 || exit 0
[ ! -x "$dir/qemu" ] || exit 0

echo "qemu: fetching one that is not older than $sound" >&2
codename=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
# shellcheck disable=SC2016 # for apt to expand
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' \
	"Codename: $codename" 'Label: Debian' | head -n 1)
[ -n "$mirror" ] || give_up "apt knows no mirror of Debian"
rm -rf "$dir.new"
mkdir -p "$dir.new/lists/partial" "$dir.new/cache/archives/partial" \
	"$dir.new/root"
echo "deb $mirror $codename-backports main" >"$dir.new/sources.list"
apt update -qq >&2 || give_up "there are no backports"
(cd "$dir.new" && apt download -qq \
	qemu-system-x86 qemu-system-common qemu-system-data seabios >&2) ||
	give_up "the backports have none"
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
