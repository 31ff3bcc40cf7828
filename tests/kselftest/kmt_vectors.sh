#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The filter engine, built for the kernel, against its table (tests/kmod/
# kmt_vectors_main.c, which makes the KTAP).
file=/sys/kernel/debug/kmt_vectors
if ! insmod /lib/modules/kmt_vectors.ko || ! cat $file >/tmp/vectors; then
	echo "Bail out! kmt_vectors does not load"
	exit 1
fi
rmmod kmt_vectors
cat /tmp/vectors
plan=$(sed -n 's/^1\.\.//p' /tmp/vectors)
[ "$(grep -c '^ok ' /tmp/vectors)" = "$plan" ]
