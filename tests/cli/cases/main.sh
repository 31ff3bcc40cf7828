# shellcheck shell=bash disable=SC2154 # run.sh includes this file
# SPDX-License-Identifier: GPL-2.0-only

check help --help
check help-command help info
check help-no-command help nosuch
check like recrod
check like-prefix rep
check version-short -V
check no-command frobnicate
check twice report --filter "cpu == 1" -f "cpu == 0" golden.kmt
check twice-same timeline --top 1 --top 1 golden.kmt
