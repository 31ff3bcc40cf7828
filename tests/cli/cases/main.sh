# shellcheck shell=bash disable=SC2154 # run.sh includes this file
# SPDX-License-Identifier: GPL-2.0-only

check help --help
check help-command help info
check help-no-command help nosuch
check like recrod
check like-prefix rep
check version-short -V
check no-command frobnicate
"$tool" $'a\e[31mb\x9b' >out 2>&1
grep -qF "there is no command 'a\x1b[31mb\x9b'" out
verdict $? "control characters of arguments are printed as text" || sed 's/^/# /' out
check twice report --filter "cpu == 1" -f "cpu == 0" golden.kmt
check twice-same timeline --top 1 --top 1 golden.kmt
