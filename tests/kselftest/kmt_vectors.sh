#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The filter engine, compiled for the kernel, with its table of vectors.
# tests/kmod/kmt_vectors_main.c prints the KTAP.
file=/sys/kernel/debug/kmt_vectors
if ! insmod /lib/modules/kmt_vectors.ko || ! cat $file >/tmp/vectors; then
	echo "Bail out! kmt_vectors does not load"
	exit 1
fi
rmmod kmt_vectors
cat /tmp/vectors
plan=$(sed -n 's/^1\.\.//p' /tmp/vectors)
[ "$(grep -c '^ok ' /tmp/vectors)" = "$plan" ]
