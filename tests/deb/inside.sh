#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs for tests/deb/run.sh inside the root, with the packages in the same folder:
#
#   inside.sh VERSION OLDER-VERSION KERNEL...
cd "$(dirname "$0")" || exit 1
# shellcheck source=tests/kselftest/ktap.sh
. ./ktap.sh
version=$1 older=$2
shift 2
kernels=$*
log=$PWD/log
export DEBIAN_FRONTEND=noninteractive

apt() {
	apt-get -q -y -o Dpkg::Use-Pty=0 --no-install-recommends "$@" \
		</dev/null >"$log" 2>&1
}

# Lists all files, except caches, logs, files that depmod writes for any module, and the
# key that dkms creates to sign modules.
files() {
	find / -xdev | grep -vE '^/(var/(cache|log|lib/apt)|tmp|run)/' |
		grep -vE '^/(usr/)?lib/modules/[^/]*/modules\.|^/var/lib/dkms/mok\.'
}

module_file() { # KERNEL
	find "/lib/modules/$1" -name 'kmemtrace.ko*'
}

built() { # VERSION: it is installed for every kernel, and no other version is
	dkms status -m kmemtrace >"$log" 2>/dev/null
	for kernel in $kernels; do
		grep -q "^kmemtrace/$1, $kernel, .*: installed" "$log" || return 1
	done
	! grep -qv "^kmemtrace/$1, " "$log" &&
		[ "$(echo /usr/src/kmemtrace-*)" = "/usr/src/kmemtrace-$1" ]
}

plan $((14 + 3 * $#))
files | sort >before
apt install "./kmemtrace-dkms_${older}_all.deb"
result $? "an older version installs"
built "$older"
result $? "the older version is built for each kernel"
apt install "./kmemtrace-dkms_${version}_all.deb" ./kmemtrace-user_"${version}"_*.deb
result $? "this version installs over it"
built "$version"
result $? "this version is built for each kernel, and replaces the older one"

for kernel in $kernels; do
	modinfo -k "$kernel" kmemtrace >"$log" 2>&1
	grep -q "^version: *$version\$" "$log" && grep -q "^vermagic: *$kernel " "$log"
	result $? "modinfo shows the version for $kernel"
	[ "$(grep -cE '^parm: *(enable|mem_profiling|max_objects|filter):' "$log")" -eq 4 ]
	result $? "... and the parameters"
	grep -q "^signer: *DKMS" "$log"
	result $? "... and a signature of DKMS"
	mkdir "$kernel" && cp "$(module_file "$kernel")" "$kernel/" && unxz "$kernel"/*.xz 2>/dev/null
done

kmemtrace-user --version >"$log" 2>&1 && grep -q "$version" "$log"
result $? "the tool runs"
man 8 kmemtrace-user >"$log" 2>&1 && grep -q 'record kernel memory allocations' "$log"
result $? "the man page is there"
bash -c '. /usr/share/bash-completion/bash_completion
	_completion_loader kmemtrace-user
	complete -p kmemtrace-user' >"$log" 2>&1
result $? "the completion is found"
# shellcheck disable=SC2046 # each is one word
dpkg -L kmemtrace-dkms kmemtrace-user | grep -E '/(etc|modules-load\.d|modprobe\.d)(/|$)' >"$log"
result $(($? == 0)) "no file of the packages loads the module automatically"
systemd-analyze verify kmemtrace-metrics.service kmemtrace-metrics.timer \
	kmemtrace-codetags.service >"$log" 2>&1 && [ ! -s "$log" ]
result $? "the services, and the timer, are valid"
for unit in kmemtrace-metrics.timer kmemtrace-codetags.service; do
	systemctl is-enabled $unit
done >"$log" 2>&1
[ "$(sort -u "$log")" = disabled ]
result $? "... and off"

# for a guest
tar -cf system.tar --one-file-system -C / --exclude="./usr/lib/gcc" --exclude="./usr/lib/modules" \
	--exclude="./usr/include" --exclude="./usr/share" --exclude="./usr/src" --exclude="./boot" \
	--exclude="./proc" --exclude="./tmp" --exclude="./var/cache" --exclude="./var/lib/apt" . 2>"$log"
result $? "the system with the packages is saved"

touch /var/cache/kmemtrace/kept # a purge removes what the tool keeps
apt remove kmemtrace-dkms kmemtrace-user
result $? "the packages are removed"
[ -z "$(for kernel in $kernels; do module_file "$kernel"; done)" ] && [ -z "$(dkms status)" ]
result $? "the modules are removed as well"
apt purge kmemtrace-dkms kmemtrace-user
apt autoremove --purge
files | sort >after
diff before after >"$log"
result $? "no file is left after a purge"
exit "$failed"
